/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_answer.c - what is answered about a study.
 *
 *   GET  /                          the page of studies
 *   GET  /study.json                the study, read again if a file has changed
 *   GET  /map/M/cell/K.json         trials of cell K of map M
 *   POST /trial/N/run               runs trial N; the body must be the token. Answers its state
 *   GET  /trial/N/state.json        its state
 *   GET  /trial/N/                  the viewer's page, which requests the next two
 *   GET  /trial/N/recordings.json   the one recording
 *   GET  /trial/N/recording/0       its bytes, also in part
 *
 * Numbers in addresses have no leading zeros or signs. Errors are answered with a sentence, which the page shows. */
#define _POSIX_C_SOURCE 200809L
#include "study_view/study_view.h"

#ifdef PERP_HAVE_MICROHTTPD
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "view/view_http.h"

enum { TOKEN_ROOM = 64 }; /* a body this long is no token, which has 32 letters */

enum { SENTENCE = 290 }; /* bytes of what is said: the page shows fewer than 300 */

/* ---- addresses ---- */

/* Goes past `text`, or says that it is not there. */
static bool skip(const char **s, const char *text) {
    size_t n = strlen(text);
    if (strncmp(*s, text, n) != 0) return false;
    *s += n;
    return true;
}

/* A number without zeros before it. */
static bool number(const char **s, uint64_t *x) {
    size_t n = strspn(*s, "0123456789");
    if (n == 0 || n > 15 || (n > 1 && **s == '0')) return false;
    *x = strtoull(*s, NULL, 10);
    *s += n;
    return true;
}

/* What follows "/trial/N/"; NULL: it is another address. */
static const char *of_trial(const char *url, uint64_t *trial) {
    return skip(&url, "/trial/") && number(&url, trial) && skip(&url, "/") ? url : NULL;
}

static bool posted(void *ctx, const char *url) {
    uint64_t trial;
    const char *rest = of_trial(url, &trial);
    (void)ctx;
    return rest && !strcmp(rest, "run");
}

/* ---- answers ---- */

static enum MHD_Result nothing(struct MHD_Connection *c) {
    return view_say(c, MHD_HTTP_NOT_FOUND, "there is nothing here\n");
}

/* A text that is being written. */
typedef struct page_text {
    FILE *to;
    char *text;
    size_t length;
} page_text;

static bool begin_text(page_text *t) {
    *t = (page_text){0};
    t->to = open_memstream(&t->text, &t->length);
    return t->to != NULL;
}

static enum MHD_Result give_text(struct MHD_Connection *c, page_text *t) {
    if (!t->to) return view_give_json(c, NULL, 0);
    if (fclose(t->to)) {
        free(t->text);
        return view_give_json(c, NULL, 0);
    }
    return view_give_json(c, t->text, t->length);
}

static enum MHD_Result complain(struct MHD_Connection *c, const perp_refusal *why) {
    char text[SENTENCE + 2];
    (void)snprintf(text, sizeof text, "%.*s\n", SENTENCE, why->text);
    return view_say(c, MHD_HTTP_INTERNAL_SERVER_ERROR, text);
}

static enum MHD_Result give_study(study_site *s, struct MHD_Connection *c) {
    perp_refusal why = {0};
    page_text t;
    if (study_view_refresh(s->view, &why)) return complain(c, &why);
    if (begin_text(&t) && view_json_study(s->view, s->token, t.to, &why)) {
        fclose(t.to);
        free(t.text);
        return complain(c, &why);
    }
    return give_text(c, &t);
}

/* The address behind "/map/". */
static enum MHD_Result give_cell(const study_site *s, struct MHD_Connection *c, const char *url) {
    const study_view *v = s->view;
    uint64_t map, cell;
    if (!number(&url, &map) || !skip(&url, "/cell/") || !number(&url, &cell) || strcmp(url, ".json") != 0)
        return nothing(c);
    char text[SENTENCE];
    if (map >= (uint64_t)v->nmap) {
        (void)snprintf(text, sizeof text, "there is no map %llu; the study has %d\n", (unsigned long long)map, v->nmap);
        return view_say(c, MHD_HTTP_NOT_FOUND, text);
    }
    uint64_t cells = view_map_cells(v, v->map[map].entry);
    if (cell >= cells) {
        (void)snprintf(text, sizeof text, "there is no cell %llu; the map has %llu\n", (unsigned long long)cell,
                       (unsigned long long)cells);
        return view_say(c, MHD_HTTP_NOT_FOUND, text);
    }
    page_text t;
    if (begin_text(&t)) view_json_cell(v, &v->map[map], cell, t.to);
    return give_text(c, &t);
}

/* ---- a trial ---- */

static enum MHD_Result give_state(const study_site *s, struct MHD_Connection *c, uint64_t trial) {
    static const char *const words[] = {"none", "waiting", "running", "ready", "failed"};
    view_play play = view_player_state(s->player, trial);
    page_text t;
    if (begin_text(&t)) {
        json j;
        json_begin(&j, t.to);
        json_object(&j);
        json_field_string(&j, "state", words[play.state]);
        if (play.state == VIEW_RUNNING) json_field_number(&j, "part", play.part);
        if (play.state == VIEW_FAILED) json_field_string(&j, "why", play.why);
        json_end(&j, '}');
    }
    return give_text(c, &t);
}

static enum MHD_Result run_trial(study_site *s, const view_request *q, const pp_row *row) {
    struct MHD_Connection *c = q->connection;
    if (q->length >= TOKEN_ROOM) return view_say(c, MHD_HTTP_CONTENT_TOO_LARGE, "too long\n");
    if (!view_same_token(q->body, q->length, s->token))
        return view_say(c, MHD_HTTP_FORBIDDEN, "the token is not that of this study; load the page again\n");
    if (!view_player_ask(s->player, row))
        return view_say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many trials wait; try again later\n");
    return give_state(s, c, row->number);
}

static enum MHD_Result give_list(struct MHD_Connection *c, uint64_t trial, int fd) {
    struct stat st = {0};
    char name[48];
    page_text t;
    fstat(fd, &st);
    (void)snprintf(name, sizeof name, "trial %llu", (unsigned long long)trial);
    if (begin_text(&t)) {
        json j;
        json_begin(&j, t.to);
        json_object(&j);
        json_field_string(&j, "perp", perp_version());
        json_key(&j, "recordings");
        json_array(&j);
        json_object(&j);
        json_field_string(&j, "name", name);
        json_field_string(&j, "url", "recording/0");
        json_field_whole(&j, "bytes", (long long)st.st_size);
        json_end(&j, '}');
        json_end(&j, ']');
        json_key(&j, "live");
        json_null(&j);
        json_end(&j, '}');
    }
    return give_text(c, &t);
}

static enum MHD_Result give_recording(const study_site *s, struct MHD_Connection *c, uint64_t trial, bool list,
                                      bool head) {
    int fd = view_player_recording(s->player, trial);
    char text[SENTENCE];
    if (fd < 0) {
        (void)snprintf(text, sizeof text,
                       "trial %llu has not been run, or was forgotten; play it from the page of the "
                       "study\n",
                       (unsigned long long)trial);
        return view_say(c, MHD_HTTP_NOT_FOUND, text);
    }
    if (!list) return view_give_file(c, fd, true, head);
    enum MHD_Result result = give_list(c, trial, fd);
    close(fd);
    return result;
}

static enum MHD_Result answer_trial(study_site *s, const view_request *q, uint64_t trial, const char *rest, bool head) {
    struct MHD_Connection *c = q->connection;
    bool list = !strcmp(rest, "recordings.json"), file = !strcmp(rest, "recording/0");
    bool known = list || file || !*rest || !strcmp(rest, "run") || !strcmp(rest, "state.json");
    if (!known) return nothing(c);
    const pp_row *row = study_view_row(s->view, trial);
    if (!row) {
        char text[SENTENCE];
        (void)snprintf(text, sizeof text, "there is no trial %llu in the results\n", (unsigned long long)trial);
        return view_say(c, MHD_HTTP_NOT_FOUND, text);
    }
    if (!strcmp(rest, "run")) return run_trial(s, q, row);
    if (!strcmp(rest, "state.json")) return give_state(s, c, trial);
    if (list || file) return give_recording(s, c, trial, list, head);
    size_t size;
    const char *page = view_page(&size);
    return view_give_page(c, page, size);
}

static bool answer(void *ctx, struct view_request *q, const char *url, bool head, int *result) {
    study_site *s = ctx;
    struct MHD_Connection *c = q->connection;
    uint64_t trial;
    const char *at = url, *rest = of_trial(url, &trial);
    size_t size;
    if (!strcmp(url, "/")) {
        const char *page = view_study_page(&size);
        *result = (int)view_give_page(c, page, size);
    } else if (!strcmp(url, "/study.json")) {
        *result = (int)give_study(s, c);
    } else if (skip(&at, "/map/")) {
        *result = (int)give_cell(s, c, at);
    } else if (rest) {
        *result = (int)answer_trial(s, q, trial, rest, head);
    } else {
        *result = (int)nothing(c); /* recordings of the viewer are not served here */
    }
    return true;
}

void study_site_init(study_site *s) { s->guest = (view_guest){.ctx = s, .posted = posted, .answer = answer}; }
#else
/* Not reached: without a server there are no requests. */
void study_site_init(study_site *s) { (void)s; }
#endif

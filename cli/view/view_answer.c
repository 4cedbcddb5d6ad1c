/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_answer.c - what is answered to what.
 *
 *   /SECRET/                 the page
 *   /SECRET/recordings.json  the recordings' names, addresses and sizes
 *   /SECRET/recording/K      the bytes of one, also in part
 *   /SECRET/live/...         see view_live.c
 *   others behind /SECRET    of a guest: see study/view_answer.c
 *
 * Addresses are compared as they come, without decoding anything; there are no folders and nothing to climb out of.
 * The pages use relative addresses, so what they ask for has the secret in it. Requests without the secret, whose Host
 * is not this machine, whose Origin is another server, with too many headers, or with a body where none belongs are
 * refused. */
#ifdef PERP_HAVE_MICROHTTPD
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view/view_http.h"

enum { BLOCK = 64 << 10, MOST_HEADERS = 64 };

/* Content policy of the page. Scripts and styles are within the page, its worker is a blob, and it compiles
 * WebAssembly. It may connect to this server only, and no other page may embed it. */
static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

static enum MHD_Result give(struct MHD_Connection *c, unsigned status, const char *type, struct MHD_Response *r) {
    if (!r) return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Content-Security-Policy", policy);
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(r, "Cache-Control", "no-store");
    enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static struct MHD_Response *sentence(const char *text) {
    return MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);
}

enum MHD_Result view_say(struct MHD_Connection *c, unsigned status, const char *text) {
    return give(c, status, "text/plain; charset=utf-8", sentence(text));
}

/* Refuses a request without the secret and closes the connection. */
static enum MHD_Result turn_away(struct MHD_Connection *c) {
    struct MHD_Response *r = sentence("the address needs its secret: use the whole address that perp printed\n");
    if (r) MHD_add_response_header(r, "Connection", "close");
    return give(c, MHD_HTTP_FORBIDDEN, "text/plain; charset=utf-8", r);
}

/* The pages ask for addresses relative to their own, which therefore ends with a slash. */
static enum MHD_Result lead_to_page(const view_server *s, struct MHD_Connection *c) {
    char place[VIEW_TOKEN + 3];
    struct MHD_Response *r = sentence("the address of the page ends in /\n");
    snprintf(place, sizeof place, "/%s/", s->secret);
    if (r) MHD_add_response_header(r, "Location", place);
    return give(c, MHD_HTTP_PERMANENT_REDIRECT, "text/plain; charset=utf-8", r);
}

static enum MHD_Result say_allowed(struct MHD_Connection *c, const char *methods) {
    struct MHD_Response *r = sentence("this server is read-only\n");
    if (r) MHD_add_response_header(r, "Allow", methods);
    return give(c, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", r);
}

enum MHD_Result view_give_json(struct MHD_Connection *c, char *text, size_t length) {
    if (!text) return view_say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory\n");
    struct MHD_Response *r = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
    if (!r) free(text);
    return give(c, MHD_HTTP_OK, "application/json", r);
}

enum MHD_Result view_give_page(struct MHD_Connection *c, const char *page, size_t size) {
    return give(c, MHD_HTTP_OK, "text/html; charset=utf-8",
                MHD_create_response_from_buffer(size, (void *)page, MHD_RESPMEM_PERSISTENT));
}

/* ---- recordings ---- */

static enum MHD_Result give_list(const view_site *site, struct MHD_Connection *c) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return view_give_json(c, NULL, 0);
    json j;
    json_begin(&j, to);
    json_object(&j);
    json_field_string(&j, "perp", site->version);
    json_key(&j, "recordings");
    json_array(&j);
    for (int i = 0; i < site->nfile; i++) {
        struct stat st = {0};
        char url[32];
        fstat(site->file[i].fd, &st);
        snprintf(url, sizeof url, "recording/%d", i);
        json_object(&j);
        json_field_string(&j, "name", site->file[i].name);
        json_field_string(&j, "url", url);
        json_field_whole(&j, "bytes", (long long)st.st_size);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_key(&j, "live");
    if (site->live) {
        json_object(&j);
        json_field_string(&j, "scene", "live/scene.json");
        json_field_string(&j, "token", site->token);
        json_end(&j, '}');
    } else {
        json_null(&j);
    }
    json_end(&j, '}');
    if (fclose(to)) {
        free(text);
        return view_give_json(c, NULL, 0);
    }
    return view_give_json(c, text, length);
}

typedef struct piece {
    int fd;
    bool owned;
    uint64_t first;
    view_client *client; /* that takes it; may be NULL. Lives as long as the connection */
} piece;

static void free_piece(void *ctx) {
    piece *p = ctx;
    if (p->owned) close(p->fd);
    free(p);
}

static ssize_t read_piece(void *ctx, uint64_t at, char *out, size_t room) {
    const piece *p = ctx;
    if (p->client) p->client->since = pp_clock();
    ssize_t n = pread(p->fd, out, room, (off_t)(p->first + at));
    return n > 0 ? n : MHD_CONTENT_READER_END_WITH_ERROR; /* the file has shrunk: what was promised cannot be had */
}

enum MHD_Result view_give_file(struct MHD_Connection *c, int fd, bool owned, bool head) {
    piece *p = malloc(sizeof *p);
    if (!p) {
        if (owned) close(fd);
        return view_say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory\n");
    }
    *p = (piece){.fd = fd, .owned = owned, .client = view_client_of(c)};
    struct stat st;
    if (fstat(fd, &st)) {
        free_piece(p);
        return view_say(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the recording cannot be read\n");
    }
    uint64_t size = (uint64_t)st.st_size, length;
    /* Ranges are of GET only. We give no validators, so what depends on one (If-Range) is served whole. */
    const char *range = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Range");
    if (head || MHD_lookup_connection_value(c, MHD_HEADER_KIND, "If-Range")) range = NULL;
    view_range_kind kind = view_range(range, size, &p->first, &length);
    char text[96];
    if (kind == VIEW_OUTSIDE) {
        free_piece(p);
        struct MHD_Response *r = sentence("the recording is shorter\n");
        snprintf(text, sizeof text, "bytes */%llu", (unsigned long long)size);
        if (r) MHD_add_response_header(r, "Content-Range", text);
        return give(c, MHD_HTTP_RANGE_NOT_SATISFIABLE, "text/plain; charset=utf-8", r);
    }
    snprintf(text, sizeof text, "bytes %llu-%llu/%llu", (unsigned long long)p->first,
             (unsigned long long)(p->first + length - 1), (unsigned long long)size);
    struct MHD_Response *r = MHD_create_response_from_callback(length, BLOCK, read_piece, p, free_piece);
    if (!r) {
        free_piece(p);
        return MHD_NO;
    }
    MHD_add_response_header(r, "Accept-Ranges", "bytes");
    if (kind == VIEW_PART) MHD_add_response_header(r, "Content-Range", text);
    return give(c, kind == VIEW_PART ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, "application/x-hdf5", r);
}

/* The number in /recording/7, written as we write it; -1: not one of ours. */
static int which(const view_site *site, const char *url) {
    static const char prefix[] = "/recording/";
    if (strncmp(url, prefix, sizeof prefix - 1) != 0) return -1;
    for (int i = 0; i < site->nfile; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (!strcmp(url + sizeof prefix - 1, number)) return i;
    }
    return -1;
}

/* ---- what is taken at all ---- */

typedef struct heads {
    int count, hosts, origins;
    bool body;
} heads;

static enum MHD_Result look_at_header(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value) {
    heads *h = ctx;
    (void)kind;
    h->count++;
    if (!strcasecmp(key, "Host")) h->hosts++;
    if (!strcasecmp(key, "Origin")) h->origins++;
    if (!strcasecmp(key, "Transfer-Encoding")) h->body = true;
    if (!strcasecmp(key, "Content-Length") && value && strcmp(value, "0") != 0) h->body = true;
    return MHD_YES;
}

/* The status to refuse a request with by its headers alone; 0: none. */
static unsigned objection(struct MHD_Connection *c, const char *method, const char **text) {
    heads h = {0};
    MHD_get_connection_values(c, MHD_HEADER_KIND, look_at_header, &h);
    *text = "there are too many headers\n";
    if (h.count > MOST_HEADERS) return MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
    *text = "one Host is needed\n";
    if (h.hosts != 1) return MHD_HTTP_BAD_REQUEST;
    *text = "this server is for this machine only\n";
    if (!view_host_is_loopback(MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"))) return MHD_HTTP_FORBIDDEN;
    *text = "requests from pages of other servers are refused\n";
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    if (h.origins > 1 || !view_origin_is_own(MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin"), host))
        return MHD_HTTP_FORBIDDEN;
    *text = "a request body is not allowed here\n";
    if (h.body && (!strcmp(method, "GET") || !strcmp(method, "HEAD"))) return MHD_HTTP_BAD_REQUEST;
    return 0;
}

/* What follows "/SECRET" in an address: "" or an address that begins with a slash; NULL: it has another secret, or none.
 * Every wrong one takes the same time. */
static const char *behind_secret(const view_server *s, const char *url) {
    size_t n = *url == '/' ? strcspn(url + 1, "/") : 0;
    return n > 0 && view_same_token(url + 1, n, s->secret) ? url + 1 + n : NULL;
}

static enum MHD_Result route(view_server *s, view_request *q, const char *url, const char *method) {
    struct MHD_Connection *c = q->connection;
    enum MHD_Result result;
    if (!*url) return lead_to_page(s, c);
    if (s->site->live && view_live_answer(s, q, url, &result)) return result;
    const view_guest *guest = s->site->guest;
    bool head = !strcmp(method, "HEAD");
    int said;
    if (guest && guest->answer(guest->ctx, q, url, head, &said)) return said == MHD_YES ? MHD_YES : MHD_NO;
    if (!strcmp(url, "/")) {
        size_t size;
        const char *page = view_page(&size);
        return view_give_page(c, page, size);
    }
    if (!strcmp(url, "/recordings.json")) return give_list(s->site, c);
    int k = which(s->site, url);
    if (k >= 0) return view_give_file(c, s->site->file[k].fd, false, head);
    return view_say(c, MHD_HTTP_NOT_FOUND, "there is nothing here\n");
}

enum MHD_Result view_answer(void *server, struct MHD_Connection *c, const char *url, const char *method,
                            const char *version, const char *data, size_t *size, void **request) {
    view_server *s = server;
    view_request *q = *request;
    (void)version;
    if (!q) { /* the headers are here, a body may follow */
        q = *request = calloc(1, sizeof *q);
        if (!q) return MHD_NO;
        q->connection = c;
        q->client = view_client_of(c);
        const char *text, *place = behind_secret(s, url);
        unsigned status = objection(c, method, &text);
        if (status) return view_say(c, status, text);
        if (!place) return turn_away(c);
        if (q->client) q->client->trusted = true;
        url = place;
        const view_guest *guest = s->site->guest;
        bool command = (s->site->live && !strcmp(url, "/live/command")) || (guest && guest->posted(guest->ctx, url));
        bool shows = !strcmp(method, "GET") || !strcmp(method, "HEAD");
        if (command ? strcmp(method, "POST") != 0 : !shows) return say_allowed(c, command ? "POST" : "GET, HEAD");
        return MHD_YES;
    }
    if (*size > 0) {
        size_t room = sizeof q->body - q->length, n = *size < room ? *size : room;
        memcpy(q->body + q->length, data, n);
        q->length += n; /* one that fills the room is too long to be a command */
        *size = 0;
        return MHD_YES;
    }
    if (q->client) q->client->waiting = true;
    const char *place = behind_secret(s, url);
    return place ? route(s, q, place, method) : MHD_NO;
}
#else
typedef int view_answer_is_not_built; /* a file must declare something */
#endif

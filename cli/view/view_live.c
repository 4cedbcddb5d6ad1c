/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_live.c - requests about a running simulation, and their answers.
 *
 *   GET  /live/scene.json           bodies, shapes, joints
 *   GET  /live/frames?from=N&run=K  frames from number N on; without any, waits up to a second for them
 *   POST /live/command              a command (live_command.h); the header X-Perp-Live must hold the token. Pages of
 *                                   other servers can neither read it nor send that header. */
#ifdef PERP_HAVE_MICROHTTPD
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "run/live_frame.h"
#include "view/view_http.h"

#define LONGEST_WAIT 0.9               /* seconds; an answer is there within one */
#define ANSWER_BYTES ((size_t)1 << 20) /* of frames in an answer, about */
#define DIGITS       9                 /* for the eye: half the time and bytes of 17 */

static enum MHD_Result give_frames(view_server *s, const view_request *q) {
    static live_batch batch; /* one thread answers */
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return view_give_json(q->connection, NULL, 0);
    live_ring_take(s->site->live, q->run, q->from, ANSWER_BYTES, &batch);
    json j;
    json_begin(&j, to);
    j.flat = true;
    j.digits = DIGITS;
    json_object(&j);
    json_field_whole(&j, "run", (long long)batch.run);
    json_field_whole(&j, "first", (long long)batch.first);
    json_key(&j, "frames");
    json_array(&j);
    for (int i = 0; i < batch.count; i++) live_frame_json(&j, batch.frame[i]);
    json_end(&j, ']');
    json_field_string(&j, "state", live_state_word[batch.state]);
    json_field_string(&j, "message", batch.message);
    json_end(&j, '}');
    live_ring_give_back(s->site->live, &batch);
    if (fclose(to)) {
        free(text);
        text = NULL;
    }
    return view_give_json(q->connection, text, length);
}

/* A number in the address; what is no number is refused. */
static bool read_number(struct MHD_Connection *c, const char *key, uint64_t *x) {
    const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, key);
    *x = 0;
    if (!text) return true;
    size_t n = strlen(text);
    if (n == 0 || n > 15 || strspn(text, "0123456789") != n) return false;
    *x = strtoull(text, NULL, 10);
    return true;
}

static enum MHD_Result frames(view_server *s, view_request *q) {
    live_ring *ring = s->site->live;
    if (!q->had_its_time) {
        if (!read_number(q->connection, "from", &q->from) || !read_number(q->connection, "run", &q->run))
            return view_say(q->connection, MHD_HTTP_BAD_REQUEST, "from and run are whole numbers\n");
        q->changes = live_ring_changes(ring);
        if (!live_ring_news(ring, q->run, q->from, q->changes)) {
            view_server_hold(s, q, LONGEST_WAIT);
            return MHD_YES;
        }
    }
    return give_frames(s, q);
}

static enum MHD_Result command(view_server *s, const view_request *q) {
    const char *token = MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, "X-Perp-Live");
    if (!token || !view_same_token(token, strlen(token), s->site->token))
        return view_say(q->connection, MHD_HTTP_FORBIDDEN, "the token of this run is needed\n");
    if (q->length >= sizeof q->body) return view_say(q->connection, MHD_HTTP_CONTENT_TOO_LARGE, "too long\n");
    if (!live_ring_command(s->site->live, q->body, q->length))
        return view_say(q->connection, MHD_HTTP_BAD_REQUEST,
                        "allowed: " LIVE_COMMANDS ", of parameters and values that the scene has\n");
    return view_say(q->connection, MHD_HTTP_OK, "done\n");
}

bool view_live_answer(view_server *s, view_request *q, const char *url, enum MHD_Result *result) {
    if (!strcmp(url, "/live/command")) {
        *result = command(s, q);
        return true;
    }
    if (!strcmp(url, "/live/frames")) {
        *result = frames(s, q);
        return true;
    }
    if (!strcmp(url, "/live/scene.json")) {
        size_t length;
        char *text = live_ring_scene(s->site->live, &length);
        *result = view_give_json(q->connection, text, length);
        return true;
    }
    return false;
}
#else
typedef int view_live_is_not_built; /* a file must declare something */
#endif

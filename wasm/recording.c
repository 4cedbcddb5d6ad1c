/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* recording.c - a run as a recording holds it, for perp.js: datasets that stay, then one frame after the other
 * Names, types and shapes come from the layout of recordings (record/layout.h). The module has no HDF5: it writes no file.
 * A body can be pulled while the run goes on, as in the viewer (cli/run/live_pull.h). */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "record/tap.h"
#include "run/live_pull.h"

#include "module.h"

#define SHOWN EMSCRIPTEN_KEEPALIVE

/* A dataset for JavaScript: see dataset_fields. */
typedef struct dataset {
    const char *path, *unit, *about;
    int type; /* pp_type */
    int rank;
    double shape[3];
    int text;   /* bytes of a text */
    bool grows; /* with the frames */
    const void *data;
    int bytes;
} dataset;

const js_field js_dataset_fields[] = {
    JS_FIELD(dataset, "s", path),   JS_FIELD(dataset, "s", unit),  JS_FIELD(dataset, "s", about),
    JS_FIELD(dataset, "i", type),   JS_FIELD(dataset, "i", rank),  JS_FIELD(dataset, "d3", shape),
    JS_FIELD(dataset, "i", text),   JS_FIELD(dataset, "b", grows), JS_FIELD(dataset, "p", data),
    JS_FIELD(dataset, "i", bytes),  {NULL, NULL, sizeof(dataset)},
};

typedef struct js_recorder {
    perp_recorder *tap;
    live_pull pull;
    dataset list[PP_DATASET_COUNT];
    int count;
    void *kept[PP_DATASET_COUNT]; /* copies of datasets that stay */
    int nkept;
} js_recorder;

static dataset describe(const perp_recorder *r, pp_dataset d, size_t text, const void *data, uint64_t rows) {
    const pp_entry *e = &pp_layout[d];
    dataset s = {e->path, e->unit, e->about, (int)e->type, 0, {0}, (int)text, pp_layout_grows(d), data, 0};
    hsize_t dims[3];
    s.rank = pp_layout_dims(d, r->extent, dims);
    dims[0] = rows;
    hsize_t n = e->type == PP_TEXT ? text : pp_type_size(e->type);
    for (int i = 0; i < s.rank; i++) {
        s.shape[i] = (double)dims[i];
        n *= dims[i];
    }
    s.bytes = (int)n;
    return s;
}

static bool keep(void *ctx, const perp_recorder *r, pp_dataset d, size_t text, const void *data) {
    js_recorder *j = ctx;
    dataset s = describe(r, d, text, NULL, r->extent[pp_layout[d].rows]);
    void *copy = malloc((size_t)s.bytes + 1);
    if (!copy) return false;
    if (s.bytes) memcpy(copy, data, (size_t)s.bytes);
    s.data = j->kept[j->nkept++] = copy;
    j->list[j->count++] = s;
    return true;
}

static void forget(js_recorder *j) {
    for (int i = 0; i < j->nkept; i++) free(j->kept[i]);
    j->nkept = j->count = 0;
}

SHOWN void perp_js_recorder_free(js_recorder *j) {
    if (!j) return;
    forget(j);
    pp_recorder_free(j->tap);
    free(j);
}

/* NULL: refused, see perp_js_why(). The scene must outlive it. */
SHOWN js_recorder *perp_js_recorder(perp_scene *scene) {
    js_recorder *j = calloc(1, sizeof *j);
    memset(&js_why, 0, sizeof js_why);
    js_why.status = PERP_E_MEMORY;
    if (!j) return NULL;
    if (pp_tap_new(perp_scene_title(scene), scene, &j->tap, &js_why)) {
        free(j);
        return NULL;
    }
    j->pull.rate = live_pull_rate(1, perp_world_h(perp_scene_world(scene)));
    return j;
}

/* The datasets that stay, into the list. */
SHOWN int perp_js_recorder_statics(js_recorder *j) {
    forget(j);
    memset(&js_why, 0, sizeof js_why);
    return pp_recorder_hand_over(j->tap, keep, j, &js_why);
}

/* A frame of the world as it stands, with the sums of the steps since the one before, into the list. */
SHOWN int perp_js_recorder_frame(js_recorder *j) {
    forget(j);
    memset(&js_why, 0, sizeof js_why);
    perp_status st = pp_tap_frame(j->tap, &js_why);
    if (st) return st;
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        const pp_column *c = &j->tap->column[d];
        if (c->row) j->list[j->count++] = describe(j->tap, (pp_dataset)d, 0, c->row, (uint64_t)c->waiting);
    }
    return PERP_OK;
}

SHOWN int perp_js_recorder_count(const js_recorder *j) { return j->count; }
SHOWN const dataset *perp_js_recorder_list(const js_recorder *j) { return j->list; }
SHOWN int perp_js_recorder_solvers(const js_recorder *j) { return j->tap->nsolver; }
SHOWN const char *perp_js_recorder_solver(const js_recorder *j, int i) { return j->tap->solver[i]; }

/* One step of the world, counted; the certificate is left in *js_certificate. */
SHOWN int perp_js_recorder_step(js_recorder *j) {
    memset(&js_certificate, 0, sizeof js_certificate);
    perp_status st = perp_world_step(j->tap->w, &js_certificate);
    if (!st) pp_recorder_count(j->tap, &js_certificate);
    return st;
}

/* Holds a point of a body, in its frame, and pulls it towards a point of the world. body < 0: lets go. */
SHOWN int perp_js_recorder_pull(js_recorder *j, int body, const perp_vec3 *point_and_hand) {
    live_grip grip = {.held = body >= 0, .body = body};
    if (grip.held) {
        grip.point_B = point_and_hand[0];
        grip.hand_W = point_and_hand[1];
    }
    return live_pull_set(&j->pull, j->tap->w, &grip);
}

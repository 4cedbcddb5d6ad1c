/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* recording.c - a run as a recording holds it, for perp.js: datasets that stay, then one frame after the other
 * Names, types and shapes come from the layout of recordings (record/layout.h). The module has no HDF5: recording.js writes the
 * file, of the attributes and datasets that are handed over here, and the seal is made here.
 * A body can be pulled while the run goes on, as in the viewer (cli/run/live_pull.h). */
#define _GNU_SOURCE /* PATH_MAX, for sealed_internal.h */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "record/sealed_internal.h"
#include "record/live_frames.h"
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
    int chunk;  /* rows of a chunk in the file, of one that grows */
    const void *data;
    int bytes;
} dataset;

const js_field js_dataset_fields[] = {
    JS_FIELD(dataset, "s", path),   JS_FIELD(dataset, "s", unit),  JS_FIELD(dataset, "s", about),
    JS_FIELD(dataset, "i", type),   JS_FIELD(dataset, "i", rank),  JS_FIELD(dataset, "d3", shape),
    JS_FIELD(dataset, "i", text),   JS_FIELD(dataset, "b", grows), JS_FIELD(dataset, "i", chunk),
    JS_FIELD(dataset, "p", data),   JS_FIELD(dataset, "i", bytes), {NULL, NULL, sizeof(dataset)},
};

const js_field js_attribute_fields[] = {
    JS_FIELD(pp_attribute, "s", name),  JS_FIELD(pp_attribute, "p", text),  JS_FIELD(pp_attribute, "i", nreal),
    JS_FIELD(pp_attribute, "d3", real), JS_FIELD(pp_attribute, "U", whole), {NULL, NULL, sizeof(pp_attribute)},
};

typedef struct js_recorder {
    perp_recorder *tap;
    live_pull pull;
    dataset list[PP_DATASET_COUNT];
    int count;
    void *kept[PP_DATASET_COUNT]; /* copies of datasets that stay */
    int nkept;
    pp_header header;
    double sums[2 * PP_FIGURES_MAX];
    const char *figure[PP_FIGURES_MAX];
} js_recorder;

static dataset describe(const perp_recorder *r, pp_dataset d, size_t text, const void *data, uint64_t rows) {
    const pp_entry *e = &pp_layout[d];
    dataset s = {.path = e->path, .unit = e->unit, .about = e->about, .type = (int)e->type, .text = (int)text, .data = data};
    s.grows = pp_layout_grows(d);
    if (s.grows) s.chunk = (int)pp_recorder_chunk(r, d);
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

/* A recorder of all there is in every step, or (file) of what the scene records. NULL: refused, see perp_js_why(). The scene
 * must outlive it. */
SHOWN js_recorder *perp_js_recorder(perp_scene *scene, int file) {
    js_recorder *j = calloc(1, sizeof *j);
    const perp_record_choice choice = perp_scene_record(scene);
    memset(&js_why, 0, sizeof js_why);
    js_why.status = PERP_E_MEMORY;
    if (!j) return NULL;
    if (pp_live_frames_new(perp_scene_title(scene), scene, file ? &choice : NULL, &j->tap, &js_why)) {
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

/* The rows that the columns hold, into the list. */
static void list_columns(js_recorder *j) {
    forget(j);
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        const pp_column *c = &j->tap->column[d];
        if (c->row) j->list[j->count++] = describe(j->tap, (pp_dataset)d, 0, c->row, (uint64_t)c->waiting);
    }
}

/* A frame of the world as it stands, with the sums of the steps since the one before, into the list. */
SHOWN int perp_js_recorder_frame(js_recorder *j) {
    memset(&js_why, 0, sizeof js_why);
    perp_status st = pp_live_frames_replace(j->tap, &js_why);
    if (!st) list_columns(j);
    return st;
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

/* ---- what a file needs beside them ---- */

/* Up to n steps, with a frame where the scene wants one, and the first frame before the first step; the rows of all these frames
 * into the list, also if a step fails. js_why has a status if it was a frame that failed. */
SHOWN int perp_js_recorder_run(js_recorder *j, int n) {
    perp_recorder *r = j->tap;
    memset(&js_why, 0, sizeof js_why);
    pp_live_frames_clear(r);
    perp_status st = r->frames ? PERP_OK : pp_live_frames_add(r, &js_why);
    for (int i = 0; i < n && !st; i++) {
        st = perp_js_recorder_step(j);
        if (!st && (r->last_step - r->step0) % (uint64_t)r->choice.every == 0) st = pp_live_frames_add(r, &js_why);
    }
    list_columns(j);
    return st;
}

/* The datasets of the scene's parameters, into the list. */
SHOWN int perp_js_recorder_scene(js_recorder *j) {
    forget(j);
    memset(&js_why, 0, sizeof js_why);
    return pp_recorder_hand_over_scene(j->tap, keep, j, &js_why);
}

/* checkpoint/state and checkpoint/sums as they are now, into the list. The state is a row of bytes that JavaScript knows already. */
SHOWN void perp_js_recorder_checkpoint(js_recorder *j) {
    forget(j);
    pp_recorder_sums(j->tap, j->sums);
    j->list[j->count++] = describe(j->tap, PP_D_CHECK_STATE, 0, NULL, 0);
    j->list[j->count++] = describe(j->tap, PP_D_CHECK_SUMS, 0, j->sums, 2);
}
SHOWN int perp_js_recorder_figures(js_recorder *j) { return pp_recorder_figures(j->figure); }
SHOWN const char *perp_js_recorder_figure(const js_recorder *j, int i) { return j->figure[i]; }
SHOWN double perp_js_recorder_frames(const js_recorder *j) { return (double)j->tap->frames; }

/* Attributes of the file; returns their number. */
SHOWN int perp_js_recorder_header(js_recorder *j) {
    pp_recorder_header(j->tap, &j->header);
    return j->header.n;
}
SHOWN const pp_attribute *perp_js_recorder_attributes(const js_recorder *j) { return j->header.list; }

/* Groups of the file, the i-th; NULL behind the last. */
SHOWN const char *perp_js_recorder_group(const js_recorder *j, int i) {
    int n = 0;
    while (pp_layout_groups[n]) n++;
    if (i < n) return pp_layout_groups[i];
    return i == n && j->tap->extent[PP_N_SENSORS] > 0 ? "sensors" : NULL;
}

/* Files that the scene was read from. *out: path, data and size. */
SHOWN int perp_js_scene_files(const perp_scene *s) { return perp_scene_file_count(s); }
SHOWN void perp_js_scene_file(const perp_scene *s, int i, perp_source_file *out) { *out = perp_scene_file_at(s, i); }

/* The seal behind a file: the hash of each block of so many bytes, then the end of it. */
SHOWN int perp_js_seal_block(void) { return (int)PP_BLOCK; }
SHOWN int perp_js_seal_size(double length) { return (int)pp_seal_size((uint64_t)length); }
SHOWN void perp_js_seal_hash(const void *block, int size, unsigned char *out) {
    pp_put64(out, pp_seal_hash(block, (size_t)size));
}
SHOWN void perp_js_seal_finish(unsigned char *seal, double length) { (void)pp_seal_finish(seal, (uint64_t)length, 1); }

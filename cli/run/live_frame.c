/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_frame.c - see live_frame.h. Names, types and shapes come from the table of the layout, so what a recording gains
 * is here as well. */
#define _POSIX_C_SOURCE 200809L
#include "run/live_frame.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dataset as JSON ---- */

static void put_value(json *j, pp_type type, const void *data, size_t i) {
    switch (type) {
    case PP_F64: json_number(j, ((const double *)data)[i]); break;
    case PP_I32: json_whole(j, ((const int32_t *)data)[i]); break;
    case PP_U32: json_whole(j, ((const uint32_t *)data)[i]); break;
    case PP_U64: json_whole(j, (long long)((const uint64_t *)data)[i]); break;
    case PP_U8: json_whole(j, ((const uint8_t *)data)[i]); break;
    case PP_TEXT: assert(0);
    }
}

static void put_texts(json *j, const char *data, size_t n, size_t size) {
    for (size_t i = 0; i < n; i++) { /* the longest has no 0 at its end */
        char *text = strndup(data + i * size, size);
        json_string(j, text ? text : "");
        free(text);
    }
}

/* Keys of one group after the other: certificate: {...}, ledger: {...}. Those of `frames` stand outside. */
static void open_group(json *j, const char **open, const char *path) {
    size_t n = path ? strcspn(path, "/") : 0;
    if (*open && path && strcspn(*open, "/") == n && !strncmp(*open, path, n)) return;
    if (*open) json_end(j, '}');
    *open = NULL;
    if (!path || !strncmp(path, "frames/", 7)) return;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    json_key(j, name);
    json_object(j);
    *open = path;
}

/* ---- the scene ---- */

typedef struct taking {
    json j;
    const char *group;
} taking;

static bool take_static(void *ctx, const perp_recorder *r, pp_dataset d, size_t size, const void *data) {
    taking *t = ctx;
    const pp_entry *e = &pp_layout[d];
    open_group(&t->j, &t->group, e->path);
    json_key(&t->j, strchr(e->path, '/') + 1);
    json_array(&t->j);
    size_t rows = (size_t)r->extent[e->rows], n = rows * (size_t)pp_layout_row(d, r->extent);
    if (e->type == PP_TEXT)
        put_texts(&t->j, data, rows, size);
    else
        for (size_t i = 0; i < n; i++) put_value(&t->j, e->type, data, i);
    json_end(&t->j, ']');
    return !ferror(t->j.to);
}

static void put_header(json *j, const perp_recorder *r) {
    perp_vec3 g = perp_world_get_def(r->w).gravity_W;
    json_field_whole(j, "dim", perp_world_dim(r->w));
    json_field_number(j, "h", perp_world_h(r->w));
    json_field_string(j, "title", perp_scene_title(r->scene));
    json_field_number(j, "duration", perp_scene_duration(r->scene));
    json_key(j, "gravity");
    json_array(j);
    const double gravity[3] = {g.x, g.y, g.z};
    for (int i = 0; i < 3; i++) json_number(j, gravity[i]);
    json_end(j, ']');
    json_units(j, perp_scene_units(r->scene));
    json_key(j, "solvers");
    json_array(j);
    for (int i = 0; i < r->nsolver; i++) json_string(j, r->solver[i]);
    json_end(j, ']');
}

char *live_scene_text(perp_recorder *recorder, bool parameters, perp_refusal *why) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    taking t = {.group = NULL};
    perp_status st = to ? PERP_OK : PERP_E_MEMORY;
    if (to) {
        json_begin(&t.j, to);
        t.j.flat = true;
        json_object(&t.j);
        put_header(&t.j, recorder);
        if (parameters) json_parameters(&t.j, recorder->scene);
        st = pp_recorder_hand_over(recorder, take_static, &t, why);
        open_group(&t.j, &t.group, NULL);
        json_end(&t.j, '}');
        if (fclose(to) && !st) st = PERP_E_MEMORY;
    }
    if (!st) return text;
    free(text);
    *why = (perp_refusal){.status = PERP_E_MEMORY, .text = "no memory to show the scene"};
    return NULL;
}

/* ---- frames ---- */

/* Position of a dataset in the bytes of a frame. A frame describes itself completely, because a run that begins
 * again may have another scene than frames that are still in use. */
typedef struct part {
    int dataset;
    size_t offset, count; /* numbers */
} part;

typedef struct head {
    int nparts;
    part parts[];
} head;

/* Not shown: which rows of the recording they would be, and numbers that JSON's readers round. */
static bool shown(const perp_recorder *r, int d) {
    return r->column[d].row && d != PP_D_CONTACT_FIRST && d != PP_D_CONTACT_COUNT && d != PP_D_CONTACT_FEATURE;
}

static size_t up_to_8(size_t n) { return (n + 7) & ~(size_t)7; }

live_frame *live_frame_of(const perp_recorder *recorder) {
    size_t n = 0, size = 0;
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (!shown(recorder, d)) continue;
        n++;
        size += up_to_8((size_t)recorder->column[d].waiting * recorder->column[d].size);
    }
    size_t at = up_to_8(sizeof(head) + n * sizeof(part));
    live_frame *f = live_frame_new(at + size);
    if (!f) return NULL;
    head *h = (head *)f->data;
    h->nparts = 0;
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (!shown(recorder, d)) continue;
        const pp_column *c = &recorder->column[d];
        size_t bytes = (size_t)c->waiting * c->size;
        h->parts[h->nparts++] = (part){d, at, bytes / pp_type_size(pp_layout[d].type)};
        if (bytes) memcpy(f->data + at, c->row, bytes);
        at += up_to_8(bytes);
    }
    return f;
}

void live_frame_json(json *j, const live_frame *f) {
    const head *h = (const head *)f->data;
    const char *group = NULL;
    json_object(j);
    for (int i = 0; i < h->nparts; i++) {
        const part *p = &h->parts[i];
        const pp_entry *e = &pp_layout[p->dataset];
        bool single = e->rows == PP_N_FRAMES && e->cols == PP_N_ONE && !e->width;
        open_group(j, &group, e->path);
        json_key(j, strchr(e->path, '/') + 1);
        if (!single) json_array(j);
        for (size_t k = 0; k < p->count; k++) put_value(j, e->type, f->data + p->offset, k);
        if (!single) json_end(j, ']');
    }
    open_group(j, &group, NULL);
    json_end(j, '}');
}

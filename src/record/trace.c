/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trace.c - see trace.h: creation of a trace, its declared series, and its interface as a recording.
 * Method   ids, maps and sums are those of a recorder without a file (writer.h); names and meanings of series are those
 *          of a recording (series_names.c), for which the trace fills the parts that names need: bodies and joints. Only
 *          the values of declared series are kept, one double for each frame.
 * Cost     a step without series of certificates: a few nanoseconds beside those of trace_frame.c. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "record/trace_internal.h"

#define ROOM_MAX 65536 /* frames for which memory is reserved before the run; a longer run allocates more */

static pp_location place(const pp_trace *t) { return (pp_location){t->view.path, 0, 0}; }

static perp_status no_memory(const pp_trace *t, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, place(t), "", "out of memory");
}

/* ---- the interface of a recording ---- */

static bool kept_static(pp_dataset d) {
    return (d >= PP_D_BODY_NAME && d <= PP_D_BODY_INERTIA) || (d >= PP_D_JOINT_NAME && d <= PP_D_SENSOR_FIRST);
}

static bool take_static(void *ctx, const perp_recorder *r, pp_dataset d, size_t size, const void *data) {
    pp_trace *t = ctx;
    if (!kept_static(d)) return true;
    bool text = pp_layout[d].type == PP_TEXT;
    size_t rows = (size_t)r->extent[pp_layout[d].rows], one = text ? size : pp_type_size(pp_layout[d].type);
    size_t n = rows * (size_t)pp_layout_row(d, r->extent), room = one + (text ? 1 : 0);
    char *to = pp_alloc(&t->alloc, n * room);
    if (!to) return false;
    for (size_t i = 0; i < n; i++) {
        if (text) to[i * room + one] = 0;
        memcpy(to + i * room, (const char *)data + i * one, one);
    }
    t->view.data[d] = to;
    t->view.text[d] = text ? size : one;
    return true;
}

/* Description of the recording, from the present scene. */
static void describe(pp_trace *t, const perp_scene *scene) {
    perp_recording *v = &t->view;
    const perp_recorder *r = t->at;
    perp_units u = perp_scene_units(scene);
    const char *const unit[3] = {u.length, u.mass, u.time};
    for (int i = 0; i < 3; i++) snprintf(v->unit[i], sizeof v->unit[i], "%s", unit[i]);
    snprintf(v->title, sizeof v->title, "%s", perp_scene_title(scene));
    snprintf(v->program, sizeof v->program, "perp %s", perp_version());
    v->info = (perp_recording_info){.version = PERP_RECORDING_VERSION,
                                    .program = v->program,
                                    .title = v->title,
                                    .units = {v->unit[0], v->unit[1], v->unit[2]},
                                    .dim = perp_world_dim(r->w),
                                    .h = perp_world_h(r->w),
                                    .choice = r->choice,
                                    .duration = perp_scene_duration(scene),
                                    .nbody = (int)r->extent[PP_N_BODIES],
                                    .nshape = (int)r->extent[PP_N_SHAPES],
                                    .njoint = (int)r->extent[PP_N_JOINTS],
                                    .nsensor = (int)r->extent[PP_N_SENSORS],
                                    .nspring = (int)r->extent[PP_N_SPRINGS],
                                    .nmaterial = (int)r->extent[PP_N_MATERIALS]};
    for (int d = 0; d < PP_DATASET_COUNT; d++)
        v->set[d] =
            pp_layout_present((pp_dataset)d, PERP_RECORD_ALL, v->info.dim, PERP_RECORDING_VERSION, r->extent) ? 0 : -1;
}

perp_recording *pp_trace_recording(pp_trace *t) {
    perp_recording_info *a = &t->view.info;
    t->view.time = t->time;
    a->frames = t->view.extent[PP_N_FRAMES] = (uint64_t)t->frames;
    if (t->frames > 0) {
        a->t0 = t->time[0];
        a->t1 = t->time[t->frames - 1];
        a->step0 = t->at->step0;
        a->step1 = t->at->step0 + (uint64_t)(t->frames - 1) * (uint64_t)a->choice.every;
    }
    return &t->view;
}

/* ---- making and freeing ---- */

perp_status pp_trace_new(const perp_scene *scene, int every, pp_trace **out, perp_refusal *why) {
    const char *path = perp_scene_file_at(scene, 0).path;
    const perp_allocator alloc = perp_world_get_def(perp_scene_world(scene)).alloc;
    *out = NULL;
    if (every < 1)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){path, 0, 0}, "every",
                               "found %d; allowed: a whole number >= 1", every);
    pp_trace *t = pp_alloc(&alloc, sizeof *t);
    if (!t) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory");
    memset(t, 0, sizeof *t);
    t->alloc = t->view.alloc = alloc;
    t->view.trace = t;
    t->view.file = -1;
    t->view.path = pp_copy_text(&alloc, path);
    perp_status st =
        t->view.path ? PERP_OK : pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory");
    const perp_record_choice choice = {.what = PERP_RECORD_ALL, .every = every};
    if (!st) st = pp_recorder_new(path, scene, choice, &t->at, why);
    if (!st) st = pp_recorder_hand_over(t->at, take_static, t, why);
    if (st) {
        pp_trace_free(t);
        return st;
    }
    memcpy(t->view.extent, t->at->extent, sizeof t->view.extent);
    describe(t, scene);
    *out = t;
    return PERP_OK;
}

void pp_trace_free(pp_trace *t) {
    if (!t) return;
    const perp_allocator a = t->alloc;
    pp_recorder_free(t->at);
    for (int i = 0; i < t->nneed; i++) {
        pp_free(&a, t->need[i].name);
        pp_free(&a, t->need[i].value);
    }
    perp_recording *v = &t->view;
    for (int d = 0; d < PP_DATASET_COUNT; d++) pp_free(&a, v->data[d]);
    for (int i = 0; i < v->nname; i++) pp_free(&a, v->name[i]);
    void *const owned[] = {t->need, t->time, v->path, v->name, v->rows};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pp_free(&a, owned[i]);
    pp_free(&a, t);
}

/* ---- declared series ---- */

static bool same_series(const pp_series *a, const pp_series *b) {
    return a->kind == b->kind && a->d == b->d && a->col == b->col && a->component == b->component && a->a == b->a &&
           a->b == b->b;
}

static int find_need(const pp_trace *t, const pp_series *s) {
    for (int i = 0; i < t->nneed; i++)
        if (same_series(&t->need[i].s, s)) return i;
    return -1;
}

perp_status pp_trace_need(pp_trace *t, const char *name, int *index, perp_refusal *why) {
    pp_series s = pp_series_find(&t->view, name);
    if (s.kind == PP_SERIES_NONE) return pp_series_unknown(&t->view, name, why);
    int i = find_need(t, &s);
    if (i < 0) {
        if (t->frames > 0)
            return pp_complain_say(why, PERP_E_ARG, place(t), name,
                                   "found a new series after the first frame; allowed: before it");
        if (!PP_GROW(&t->alloc, t->need, t->cap_need, t->nneed, t->nneed + 1)) return no_memory(t, why);
        pp_need *k = &t->need[t->nneed];
        *k = (pp_need){.s = s, .name = pp_copy_text(&t->alloc, name)};
        k->value = pp_alloc(&t->alloc, (size_t)t->cap * sizeof *k->value);
        if (!k->name || !k->value) {
            pp_free(&t->alloc, k->name);
            pp_free(&t->alloc, k->value);
            return no_memory(t, why);
        }
        pp_trace_prepare(t, k);
        i = t->nneed++;
    }
    if (index) *index = i;
    return PERP_OK;
}

perp_status pp_trace_need_all(pp_trace *t, perp_refusal *why) {
    perp_status st = PERP_OK;
    const char *name;
    for (int i = 0; !st && (name = perp_recording_series_name(&t->view, i)); i++)
        if (strncmp(name, "contact(", 8) != 0) st = pp_trace_need(t, name, NULL, why);
    return st;
}

int pp_trace_needs(const pp_trace *t) { return t->nneed; }

/* ---- frames ---- */

/* Makes every column hold `need` frames. */
static bool make_room(pp_trace *t, int need) {
    if (need <= t->cap) return true;
    int cap = t->cap;
    for (int i = 0; i < t->nneed; i++) {
        int own = t->cap; /* all columns grow alike */
        if (!PP_GROW(&t->alloc, t->need[i].value, own, t->frames, need)) return false;
        cap = own;
    }
    int own = t->cap;
    if (!PP_GROW(&t->alloc, t->time, own, t->frames, need)) return false;
    t->cap = t->nneed > 0 && cap < own ? cap : own;
    return true;
}

perp_status pp_trace_first(pp_trace *t, perp_refusal *why) {
    perp_recorder *r = t->at;
    if (t->frames > 0) return pp_complain_say(why, PERP_E_ARG, place(t), "", "found a second first frame");
    uint64_t steps = perp_scene_steps(r->scene) / (uint64_t)r->choice.every + 1;
    if (!make_room(t, steps < ROOM_MAX ? (int)steps : ROOM_MAX)) return no_memory(t, why);
    r->last_step = r->step0 = perp_world_steps(r->w);
    r->since = (pp_sum){.c = PERP_CERTIFICATE_NONE};
    perp_world_energy(r->w, &r->since.c.ledger.kinetic_before, NULL, NULL);
    r->since.c.ledger.kinetic_after = r->since.c.ledger.kinetic_before;
    r->since.c.t = perp_world_time(r->w);
    pp_trace_take(t);
    t->frames = 1;
    r->since = (pp_sum){.c = PERP_CERTIFICATE_NONE};
    return PERP_OK;
}

perp_status pp_trace_step(pp_trace *t, const perp_certificate *cert, perp_refusal *why) {
    perp_recorder *r = t->at;
    uint64_t step = perp_world_steps(r->w);
    if (t->frames == 0 || step != r->last_step + 1)
        return pp_complain_say(why, PERP_E_ARG, place(t), "",
                               "found step %llu after %llu; allowed: every step, in order", (unsigned long long)step,
                               (unsigned long long)r->last_step);
    if (t->frames == INT_MAX || !make_room(t, t->frames + 1)) return no_memory(t, why);
    r->last_step = step;
    if (t->sums) pp_recorder_count(r, cert);
    if ((step - r->step0) % (uint64_t)r->choice.every != 0) return PERP_OK;
    pp_trace_take(t);
    t->frames++;
    if (t->sums) r->since = (pp_sum){.c = PERP_CERTIFICATE_NONE};
    return PERP_OK;
}

/* ---- the next trial ---- */

static int body_of_slot(const perp_recorder *r, uint32_t slot) {
    int lo = 0, hi = (int)r->extent[PP_N_BODIES]; /* ids lie in order of their slots */
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (r->body[mid].slot < slot)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Whether the sensors have the same names and kinds. */
static bool same_sensors(const pp_trace *t, const perp_world *w) {
    const perp_recorder *r = t->at;
    int n = (int)r->extent[PP_N_SENSORS];
    if (perp_world_sensors(w, NULL, 0) != n) return false;
    perp_world_sensors(w, r->sensor, n);
    for (int i = 0; i < n; i++) {
        perp_sensor_def def;
        char own[64];
        if (perp_sensor_get(w, r->sensor[i], &def)) return false;
        const char *name = def.name;
        if (!name || !name[0]) snprintf(own, sizeof own, "sensor-%d", i), name = own;
        if (strcmp(name, pp_words(&t->view, PP_D_SENSOR_NAME, i)) != 0) return false;
        if (pp_bytes(&t->view, PP_D_SENSOR_KIND)[i] != (uint8_t)def.kind) return false;
    }
    return true;
}

/* Whether bodies, joints and sensors have the same names and kinds, and the number of shapes is the same. */
static bool same_build(const pp_trace *t, const perp_world *w) {
    const perp_recorder *r = t->at;
    const uint64_t *e = r->extent;
    int nshape = (int)e[PP_N_SHAPES];
    if (perp_world_dim(w) != t->view.info.dim || (uint64_t)perp_world_body_count(w) != e[PP_N_BODIES] ||
        perp_world_shapes(w, NULL, 0) != nshape || (uint64_t)perp_world_joints(w, NULL, 0) != e[PP_N_JOINTS] ||
        (uint64_t)perp_material_count(w) != e[PP_N_MATERIALS])
        return false;
    perp_world_bodies(w, r->body, (int)e[PP_N_BODIES]);
    perp_world_shapes(w, r->shape, nshape);
    perp_world_joints(w, r->joint, (int)e[PP_N_JOINTS]);
    if (nshape > 0 && (int)r->shape[nshape - 1].slot >= r->nshape_slot) return false;
    char own[64];
    for (int i = 0; i < (int)e[PP_N_BODIES]; i++) {
        const char *name = perp_body_name(w, r->body[i]);
        if (!name || !name[0]) snprintf(own, sizeof own, "body-%d", i), name = own;
        if (strcmp(name, pp_words(&t->view, PP_D_BODY_NAME, i)) != 0) return false;
    }
    for (int i = 0; i < (int)e[PP_N_JOINTS]; i++) {
        perp_joint_def def;
        if (perp_joint_get(w, r->joint[i], &def)) return false;
        const char *name = def.name;
        if (!name || !name[0]) snprintf(own, sizeof own, "joint-%d", i), name = own;
        if (strcmp(name, pp_words(&t->view, PP_D_JOINT_NAME, i)) != 0) return false;
        if (pp_bytes(&t->view, PP_D_JOINT_KIND)[i] != (uint8_t)def.kind) return false;
    }
    return same_sensors(t, w);
}

static void put_pose(void *row, perp_pose X) {
    const double x[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    memcpy(row, x, sizeof x);
}

/* Numbers of bodies and joints that parameters change. */
static void refresh_statics(pp_trace *t, const perp_world *w) {
    void *const *data = t->view.data;
    const perp_recorder *r = t->at;
    for (size_t i = 0; i < r->extent[PP_N_BODIES]; i++) {
        perp_body_def def;
        if (perp_body_get(w, r->body[i], &def)) continue; /* cannot be: the id was just read */
        ((uint8_t *)data[PP_D_BODY_KIND])[i] = (uint8_t)def.kind;
        ((uint8_t *)data[PP_D_BODY_PARTICLE])[i] = def.particle;
        ((double *)data[PP_D_BODY_MASS])[i] = def.mass;
        memcpy((double *)data[PP_D_BODY_INERTIA] + 9 * i, &def.I_B, 9 * sizeof(double));
    }
    for (size_t i = 0; i < r->extent[PP_N_JOINTS]; i++) {
        perp_joint_def def;
        if (perp_joint_get(w, r->joint[i], &def)) continue;
        ((int32_t *)data[PP_D_JOINT_A])[i] = def.a.gen ? body_of_slot(r, def.a.slot) : -1;
        ((int32_t *)data[PP_D_JOINT_B])[i] = def.b.gen ? body_of_slot(r, def.b.slot) : -1;
        put_pose((double *)data[PP_D_JOINT_POSE_A] + 7 * i, def.X_AJ);
        put_pose((double *)data[PP_D_JOINT_POSE_B] + 7 * i, def.X_BJ);
    }
}

/* Replaces the trace by a new one, for a scene with other contents. */
static perp_status begin_anew(pp_trace *t, const perp_scene *scene, perp_refusal *why) {
    pp_trace *other = NULL;
    perp_status st = pp_trace_new(scene, t->at->choice.every, &other, why);
    for (int i = 0; !st && i < t->nneed; i++) st = pp_trace_need(other, t->need[i].name, NULL, why);
    if (!st) {
        pp_trace old = *t;
        *t = *other;
        *other = old;
        t->view.trace = t;
        t->view.info.program = t->view.program;
        t->view.info.title = t->view.title;
        t->view.info.units = (perp_units){t->view.unit[0], t->view.unit[1], t->view.unit[2]};
    }
    pp_trace_free(other);
    return st;
}

perp_status pp_trace_reset(pp_trace *t, const perp_scene *scene, perp_refusal *why) {
    perp_recorder *r = t->at;
    perp_world *w = perp_scene_world(scene);
    t->frames = 0;
    if (!same_build(t, w)) return begin_anew(t, scene, why);
    perp_world_def def = perp_world_get_def(w);
    r->scene = scene;
    r->w = w;
    r->nsolver = 0;
    r->solver[r->nsolver++] = def.solver;
    for (int i = 0; i < PERP_FALLBACK_MAX && def.fallback[i]; i++) r->solver[r->nsolver++] = def.fallback[i];
    r->floor = def.h * perp_v3_norm(def.gravity_W);
    r->began = r->committed = pp_clock();
    for (int i = 0; i < r->nshape_slot; i++) r->shape_index[i] = -1;
    for (int i = 0; i < (int)r->extent[PP_N_SHAPES]; i++) {
        r->shape_index[r->shape[i].slot] = i;
        r->shape_body[i] = body_of_slot(r, perp_shape_body(w, r->shape[i]).slot);
    }
    refresh_statics(t, w);
    describe(t, scene);
    return PERP_OK;
}

/* ---- reading ---- */

double pp_trace_now(const pp_trace *t, int i) {
    assert(i >= 0 && i < t->nneed && t->frames > 0);
    return t->need[i].value[t->frames - 1];
}

const double *pp_trace_values(const pp_trace *t, int i) {
    assert(i >= 0 && i < t->nneed);
    return t->need[i].value;
}

const double *pp_trace_time(const pp_trace *t) { return t->time; }
uint64_t pp_trace_frames(const pp_trace *t) { return (uint64_t)t->frames; }
uint64_t pp_trace_steps(const pp_trace *t) { return t->frames > 0 ? t->at->last_step - t->at->step0 : 0; }

perp_status pp_trace_series(const pp_trace *t, const pp_series *s, const char *name, double *values,
                            perp_refusal *why) {
    size_t n = (size_t)t->frames;
    if (s->kind == PP_SERIES_TIME) {
        if (n > 0) memcpy(values, t->time, n * sizeof *values);
        return PERP_OK;
    }
    int i = find_need(t, s);
    if (i < 0)
        return pp_complain_say(why, PERP_E_NAME, place(t), "series",
                               "found \"%s\", which was not declared before the run; allowed: declared series", name);
    const double *x = t->need[i].value;
    for (size_t f = 0; f < n && s->kind != PP_SERIES_CONTACTS; f++)
        if (!isfinite(x[f]))
            return pp_complain_say(why, PERP_E_ARG, place(t), name, "found %.17g in frame %zu; allowed: finite numbers",
                                   x[f], f);
    if (n > 0) memcpy(values, x, n * sizeof *values);
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* writer.c - recording a run: rows are buffered in memory, whole chunks are passed to HDF5, commits make them permanent
 * Method   one buffer for each dataset. A frame is copied after room for all of it was made, so it is recorded completely or not
 *          at all. A commit writes the buffered rows, the state of the world and the sums since the last frame, and seals the
 *          file.
 * Cost     a step without a frame: one addition of certificates and one reading of the clock. A frame: its bytes are copied
 *          once. Memory is allocated only if a buffer grows, and by HDF5 when it gets a chunk or at a commit. */
#include "record/writer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define COMMIT_SECONDS 0.9 /* time between commits: with the time of a step, a killed run loses at most one second */
#define COMMIT_BYTES   (32u << 20) /* largest number of bytes that wait for a commit */
#define CHUNK_BYTES \
    32768u /* approximate size of a chunk: small, because a commit compresses the last chunk of every dataset again */
#define CHUNK_FRAMES 512u /* frames in a chunk at most, for the same reason */

static pp_location place(const perp_recorder *r) { return (pp_location){r->path, 0, 0}; }

static perp_status no_memory(const perp_recorder *r, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, place(r), "", "out of memory");
}

perp_status pp_recorder_trouble(const perp_recorder *r, const char *key, perp_refusal *why) {
    const char *words = pp_sealed_trouble(r->file);
    return pp_complain_say(why, PERP_E_IO, place(r), key, "%s", words[0] ? words : "could not be written");
}

/* ---- making ---- */

static bool shape_maps(perp_recorder *r) {
    int n = (int)r->extent[PP_N_SHAPES];
    r->nshape_slot = n ? (int)r->shape[n - 1].slot + 1 : 0;
    r->shape_index = pp_alloc(&r->alloc, (size_t)r->nshape_slot * sizeof *r->shape_index);
    r->shape_body = pp_alloc(&r->alloc, (size_t)n * sizeof *r->shape_body);
    int nb = (int)r->extent[PP_N_BODIES], nslot = nb ? (int)r->body[nb - 1].slot + 1 : 0;
    int *body_of_slot = pp_alloc(&r->alloc, (size_t)nslot * sizeof *body_of_slot);
    bool ok = r->shape_index && r->shape_body && body_of_slot;
    if (ok) {
        for (int i = 0; i < r->nshape_slot; i++) r->shape_index[i] = -1;
        for (int i = 0; i < nb; i++) body_of_slot[r->body[i].slot] = i;
        uint64_t *e = r->extent;
        for (int i = 0; i < n; i++) {
            perp_shape_view v;
            if (perp_shape_get(r->w, r->shape[i], &v)) continue;
            r->shape_index[r->shape[i].slot] = i;
            r->shape_body[i] = body_of_slot[v.body.slot];
            e[PP_N_VERTICES] += (uint64_t)v.def.npoint;
            e[PP_N_FACES] += (uint64_t)v.nface;
            if (v.nface) e[PP_N_FACE_CORNERS] += (uint64_t)v.face_start[v.nface];
        }
        e[PP_N_SHAPES_1] = e[PP_N_SHAPES] + 1;
        e[PP_N_FACES_1] = e[PP_N_FACES] + 1;
    }
    pp_free(&r->alloc, body_of_slot);
    return ok;
}

static bool joint_coords(perp_recorder *r) {
    int n = (int)r->extent[PP_N_JOINTS];
    r->joint_ncoord = pp_alloc(&r->alloc, (size_t)n * sizeof *r->joint_ncoord);
    if (!r->joint_ncoord) return false;
    for (int i = 0; i < n; i++) {
        perp_joint_def def = perp_joint_def_default(PERP_JOINT_FIXED);
        perp_joint_get(r->w, r->joint[i], &def);
        r->joint_ncoord[i] = perp_joint_ncoord(def.kind, perp_world_dim(r->w));
        r->extent[PP_N_COORDS] += (uint64_t)r->joint_ncoord[i];
    }
    return true;
}

static bool find_springs(perp_recorder *r) {
    int n = perp_world_forces(r->w, NULL, 0), kept = 0;
    r->spring = pp_alloc(&r->alloc, (size_t)n * sizeof *r->spring);
    if (!r->spring) return false;
    perp_world_forces(r->w, r->spring, n);
    for (int i = 0; i < n; i++) {
        perp_force_def def;
        if (!perp_force_get(r->w, r->spring[i], &def) && def.kind == PERP_FORCE_SPRING)
            r->spring[kept++] = r->spring[i];
    }
    r->extent[PP_N_SPRINGS] = (uint64_t)kept;
    return true;
}

static bool find_sensors(perp_recorder *r) {
    int n = perp_world_sensors(r->w, NULL, 0);
    r->sensor = pp_alloc(&r->alloc, (size_t)n * sizeof *r->sensor);
    if (!r->sensor) return false;
    perp_world_sensors(r->w, r->sensor, n);
    r->extent[PP_N_SENSORS] = (uint64_t)n;
    r->extent[PP_N_READINGS] = (uint64_t)perp_world_sensor_data(r->w, NULL, 0);
    return true;
}

static bool any_law_rolls(const perp_world *w) {
    int n = perp_material_count(w);
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            perp_pair_law law;
            if (perp_pair_get(w, a, b, &law) == PERP_OK && law.e_roll > 0) return true;
        }
    return false;
}

static bool take_ids(perp_recorder *r) {
    int nb = perp_world_body_count(r->w), ns = perp_world_shapes(r->w, NULL, 0), nj = perp_world_joints(r->w, NULL, 0);
    r->body = pp_alloc(&r->alloc, (size_t)nb * sizeof *r->body);
    r->shape = pp_alloc(&r->alloc, (size_t)ns * sizeof *r->shape);
    r->joint = pp_alloc(&r->alloc, (size_t)nj * sizeof *r->joint);
    if (!r->body || !r->shape || !r->joint) return false;
    r->extent[PP_N_ROLLING] = any_law_rolls(r->w) ? 2 : 0;
    perp_world_bodies(r->w, r->body, nb);
    perp_world_shapes(r->w, r->shape, ns);
    perp_world_joints(r->w, r->joint, nj);
    uint64_t *e = r->extent;
    e[PP_N_ONE] = 1;
    e[PP_N_BODIES] = (uint64_t)nb;
    e[PP_N_SHAPES] = (uint64_t)ns;
    e[PP_N_JOINTS] = (uint64_t)nj;
    e[PP_N_MATERIALS] = (uint64_t)perp_material_count(r->w);
    e[PP_N_DEFINITIONS] = (uint64_t)perp_scene_definition_count(r->scene);
    e[PP_N_PARAMETERS] = (uint64_t)perp_scene_parameter_count(r->scene);
    return shape_maps(r) && joint_coords(r) && find_springs(r) && find_sensors(r);
}

perp_status pp_recorder_new(const char *path, const perp_scene *scene, perp_record_choice choice, perp_recorder **out,
                            perp_refusal *why) {
    perp_world *w = perp_scene_world(scene);
    perp_world_def def = perp_world_get_def(w);
    perp_recorder *r = pp_alloc(&def.alloc, sizeof *r);
    if (!r) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory");
    *r = (perp_recorder){.alloc = def.alloc, .scene = scene, .w = w, .file = -1, .state = -1, .choice = choice};
    for (int d = 0; d < PP_DATASET_COUNT; d++) r->column[d].set = r->column[d].type = -1;
    r->path = pp_copy_text(&r->alloc, path);
    if (!r->path || !take_ids(r)) {
        perp_status st = pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory");
        pp_recorder_free(r);
        return st;
    }
    r->solver[r->nsolver++] = def.solver;
    for (int i = 0; i < PERP_FALLBACK_MAX && def.fallback[i]; i++) r->solver[r->nsolver++] = def.fallback[i];
    r->floor = def.h * perp_v3_norm(def.gravity_W);
    r->last_step = r->step0 = perp_world_steps(w);
    r->since.c = r->total.c = (perp_certificate)PERP_CERTIFICATE_NONE;
    r->began = r->committed = pp_clock();
    *out = r;
    return PERP_OK;
}

static void close_file(perp_recorder *r) {
    pp_quiet q = pp_quiet_begin();
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        const pp_column *c = &r->column[d];
        if (c->set >= 0) H5Dclose(c->set);
        if (c->type >= 0) H5Tclose(c->type);
    }
    if (r->state >= 0) H5Dclose(r->state);
    pp_sealed_close(r->file);
    pp_quiet_end(q);
}

void pp_recorder_free(perp_recorder *r) {
    if (!r) return;
    for (int d = 0; d < PP_DATASET_COUNT; d++) pp_free(&r->alloc, r->column[d].row);
    if (r->file >= 0) close_file(r); /* without a file HDF5 is not called: threads may have a recorder each */
    void *const owned[] = {r->path,        r->body,       r->shape, r->joint,  r->joint_ncoord,
                           r->shape_index, r->shape_body, r->saved, r->spring, r->sensor};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pp_free(&r->alloc, owned[i]);
    perp_scene_close(r->own_scene);
    perp_allocator a = r->alloc;
    pp_free(&a, r);
}

/* Rows of a chunk: about CHUNK_BYTES, whole frames, and not more than the run will make. */
hsize_t pp_recorder_chunk(const perp_recorder *r, pp_dataset d) {
    const size_t row_size = pp_type_size(pp_layout[d].type) * (size_t)pp_layout_row(d, r->extent);
    size_t bytes = r->choice.compression > 0
                       ? CHUNK_BYTES
                       : CHUNK_BYTES / 4; /* what is not packed takes room even where it is empty */
    hsize_t n = row_size < bytes ? bytes / row_size : 1;
    if (pp_layout[d].rows != PP_N_FRAMES) return n;
    hsize_t most = (hsize_t)(perp_scene_steps(r->scene) / (uint64_t)r->choice.every) + 1;
    if (most < 16) most = 16;
    if (most > CHUNK_FRAMES) most = CHUNK_FRAMES;
    return n < most ? n : most;
}

static bool open_column(perp_recorder *r, pp_dataset d, bool make) {
    pp_column *c = &r->column[d];
    c->size = pp_type_size(pp_layout[d].type) * (size_t)pp_layout_row(d, r->extent);
    c->type = pp_type_memory(pp_layout[d].type, 1);
    hsize_t rows = pp_recorder_chunk(r, d);
    if (make) {
        c->set = pp_put_growing(r->file, d, r->extent, rows, r->choice.compression);
    } else {
        c->set = pp_open_growing(r->file, d, (size_t)rows * c->size);
        c->rows = r->extent[pp_layout[d].rows];
    }
    c->cap = (int)rows;
    return c->set >= 0 && c->type >= 0;
}

perp_status pp_recorder_columns(perp_recorder *r, bool make, perp_refusal *why) {
    int dim = perp_world_dim(r->w);
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (!pp_layout_grows((pp_dataset)d) ||
            !pp_layout_present((pp_dataset)d, r->choice.what, dim, PERP_RECORDING_VERSION, r->extent))
            continue;
        if (!open_column(r, (pp_dataset)d, make)) return pp_recorder_trouble(r, pp_layout[d].path, why);
        r->column[d].row = pp_alloc(&r->alloc, (size_t)r->column[d].cap * r->column[d].size);
        if (!r->column[d].row) return no_memory(r, why);
    }
    if (!make) return PERP_OK;
    pp_column *c = &r->column[PP_D_SOLVER_SOLVER];
    if (c->set >= 0 && !pp_put_words(c->set, "names", r->solver, r->nsolver))
        return pp_recorder_trouble(r, pp_layout[PP_D_SOLVER_SOLVER].path, why);
    return PERP_OK;
}

/* ---- rows ---- */

static bool write_rows(hid_t set, hid_t type, uint64_t first, uint64_t n, const void *data) {
    hsize_t dim[3], start[3] = {first, 0, 0};
    hid_t space = H5Dget_space(set);
    int rank = space >= 0 ? H5Sget_simple_extent_dims(space, dim, NULL) : -1;
    if (space >= 0) H5Sclose(space);
    if (rank < 0) return false;
    dim[0] = first + n;
    if (H5Dset_extent(set, dim) < 0) return false;
    dim[0] = n;
    hid_t there = H5Dget_space(set), here = H5Screate_simple(rank, dim, NULL);
    bool ok = there >= 0 && here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, dim, NULL) >= 0 &&
              H5Dwrite(set, type, here, there, H5P_DEFAULT, data) >= 0;
    if (there >= 0) H5Sclose(there);
    if (here >= 0) H5Sclose(here);
    return ok;
}

static bool flush(pp_column *c) {
    if (c->waiting == 0) return true;
    if (!write_rows(c->set, c->type, c->rows, (uint64_t)c->waiting, c->row)) return false;
    c->rows += (uint64_t)c->waiting;
    c->waiting = 0;
    return true;
}

/* Reserves memory for the rows of a frame with this number of contacts in every column. Without a file the rows that wait stay. */
static perp_status reserve(perp_recorder *r, int ncontact, perp_refusal *why) {
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        pp_column *c = &r->column[d];
        if (!c->row) continue;
        int need = pp_layout[d].rows == PP_N_CONTACTS ? ncontact : 1;
        if (need <= c->cap - c->waiting) continue;
        if (c->set >= 0 && !flush(c)) return pp_recorder_trouble(r, pp_layout[d].path, why);
        need += c->waiting;
        if (!PP_GROW_BY(&r->alloc, c->row, c->cap, c->waiting, need, c->size)) return no_memory(r, why);
    }
    return PERP_OK;
}

/* The next n rows of a column; NULL if it is not recorded. */
static void *next(perp_recorder *r, pp_dataset d, int n) {
    pp_column *c = &r->column[d];
    if (!c->row) return NULL;
    assert(n <= c->cap - c->waiting);
    void *row = c->row + (size_t)c->waiting * c->size;
    c->waiting += n;
    return row;
}

static void put_number(perp_recorder *r, pp_dataset d, double x) {
    double *row = next(r, d, 1);
    if (row) *row = x;
}

static void put_bodies(perp_recorder *r) {
    double *p = next(r, PP_D_POSITION, 1), *q = next(r, PP_D_ORIENTATION, 1), *angle = next(r, PP_D_ANGLE, 1),
           *v = next(r, PP_D_VELOCITY, 1), *w = next(r, PP_D_SPIN, 1);
    for (uint64_t i = 0; i < r->extent[PP_N_BODIES]; i++) {
        perp_pose X = perp_pose_identity();
        perp_vec3 vi = {0, 0, 0}, wi = {0, 0, 0};
        perp_body_pose(r->w, r->body[i], &X);
        perp_body_velocity(r->w, r->body[i], &vi, &wi);
        if (p) memcpy(p + 3 * i, &X.p, sizeof X.p);
        if (q) memcpy(q + 4 * i, &X.q, sizeof X.q);
        if (v) memcpy(v + 3 * i, &vi, sizeof vi);
        if (w) memcpy(w + 3 * i, &wi, sizeof wi);
        if (angle) perp_body_angle(r->w, r->body[i], angle + i);
    }
}

static void put_joints(perp_recorder *r) {
    double *x = next(r, PP_D_JOINT_COORDINATE, 1), *rate = next(r, PP_D_JOINT_RATE, 1),
           *impulse = next(r, PP_D_JOINT_IMPULSE, 1), *error = next(r, PP_D_JOINT_ERROR, 1);
    if (!impulse) return;
    for (uint64_t i = 0; i < r->extent[PP_N_JOINTS]; i++) {
        perp_wrench p = {{0, 0, 0}, {0, 0, 0}};
        perp_joint_impulse(r->w, r->joint[i], &p);
        memcpy(impulse + 6 * i, &p, sizeof p);
        perp_joint_error(r->w, r->joint[i], error + 2 * i, error + 2 * i + 1);
        if (r->joint_ncoord[i] == 0) continue;
        perp_joint_read(r->w, r->joint[i], x, rate);
        x += r->joint_ncoord[i];
        rate += r->joint_ncoord[i];
    }
}

static void put_sensors(perp_recorder *r) {
    double *x = next(r, PP_D_SENSOR, 1);
    if (x) (void)perp_world_sensor_data(r->w, x, (int)r->extent[PP_N_READINGS]);
}

static void put_contacts(perp_recorder *r, const perp_contact *c, int n) {
    uint64_t *first = next(r, PP_D_CONTACT_FIRST, 1);
    if (!first) return;
    uint32_t *count = next(r, PP_D_CONTACT_COUNT, 1);
    *first = r->extent[PP_N_CONTACTS];
    *count = (uint32_t)n;
    r->extent[PP_N_CONTACTS] += (uint64_t)n;
    int32_t *body = next(r, PP_D_CONTACT_BODY, n), *shape = next(r, PP_D_CONTACT_SHAPE, n);
    uint64_t *feature = next(r, PP_D_CONTACT_FEATURE, n);
    perp_vec3 *a = next(r, PP_D_CONTACT_POINT_A, n), *b = next(r, PP_D_CONTACT_POINT_B, n),
              *normal = next(r, PP_D_CONTACT_NORMAL, n), *tangent = next(r, PP_D_CONTACT_TANGENT, n);
    double *gap = next(r, PP_D_CONTACT_GAP, n), *end = next(r, PP_D_CONTACT_GAP_END, n),
           *mu = next(r, PP_D_CONTACT_MU, n), *impulse = next(r, PP_D_CONTACT_IMPULSE, n),
           *spin = next(r, PP_D_CONTACT_SPIN, n), *roll = next(r, PP_D_CONTACT_ROLL, n);
    uint8_t *state = next(r, PP_D_CONTACT_STATE, n);
    for (int i = 0; i < n; i++) {
        shape[2 * i] = r->shape_index[c[i].a.slot];
        shape[2 * i + 1] = r->shape_index[c[i].b.slot];
        body[2 * i] = r->shape_body[shape[2 * i]];
        body[2 * i + 1] = r->shape_body[shape[2 * i + 1]];
        feature[i] = c[i].feature;
        a[i] = c[i].a_W;
        b[i] = c[i].b_W;
        normal[i] = c[i].n_W;
        tangent[i] = c[i].t_W;
        gap[i] = c[i].gap;
        end[i] = c[i].gap_end;
        mu[i] = c[i].mu;
        memcpy(impulse + 3 * i, c[i].impulse_C, sizeof c[i].impulse_C);
        spin[i] = c[i].spin_impulse;
        if (roll) memcpy(roll + 2 * i, c[i].roll_impulse, sizeof c[i].roll_impulse);
        state[i] = (uint8_t)c[i].state;
    }
}

uint8_t pp_recorder_solver(const perp_recorder *r, const char *name) {
    for (int i = 0; name && name[0] && i < r->nsolver; i++)
        if (strcmp(r->solver[i], name) == 0) return (uint8_t)i;
    return PP_NO_SOLVER;
}

static int shape_index(const perp_recorder *r, int slot) {
    return slot >= 0 && slot < r->nshape_slot ? r->shape_index[slot] : -1;
}

static void put_sums(perp_recorder *r, const pp_sum *s) {
    for (int i = 0; i < pp_nfigure; i++) {
        const pp_figure *f = &pp_figures[i];
        void *row = next(r, f->d, 1);
        if (!row) continue;
        const char *from = (const char *)s + f->offset;
        if (!f->whole) {
            memcpy(row, from, sizeof(double));
            continue;
        }
        int32_t x[2];
        memcpy(x, from, (size_t)f->count * sizeof *x);
        if (pp_figure_is_shape(f->d))
            for (int k = 0; k < 2; k++) x[k] = shape_index(r, x[k]);
        memcpy(row, x, (size_t)f->count * sizeof *x);
    }
    uint8_t *solver = next(r, PP_D_SOLVER_SOLVER, 1);
    if (solver) *solver = pp_recorder_solver(r, s->c.solver);
}

/* The world's bodies, shapes and joints are still those of the recording. */
static bool same_world(const perp_recorder *r) {
    if ((uint64_t)perp_world_body_count(r->w) != r->extent[PP_N_BODIES] ||
        (uint64_t)perp_world_shapes(r->w, NULL, 0) != r->extent[PP_N_SHAPES] ||
        (uint64_t)perp_world_joints(r->w, NULL, 0) != r->extent[PP_N_JOINTS] ||
        (uint64_t)perp_world_sensor_data(r->w, NULL, 0) != r->extent[PP_N_READINGS])
        return false;
    for (uint64_t i = 0; i < r->extent[PP_N_BODIES]; i++)
        if (!perp_body_name(r->w, r->body[i])) return false;
    for (uint64_t i = 0; i < r->extent[PP_N_JOINTS]; i++) {
        double error[2];
        if (perp_joint_error(r->w, r->joint[i], error, error + 1)) return false;
    }
    for (uint64_t i = 0; i < r->extent[PP_N_SHAPES]; i++)
        if (perp_shape_body(r->w, r->shape[i]).gen == 0) return false;
    return true;
}

perp_status pp_recorder_frame(perp_recorder *r, perp_refusal *why) {
    if (!same_world(r))
        return pp_complain_say(why, PERP_E_ARG, place(r), "",
                               "the world has other bodies, shapes, joints or sensors than when the recording began");
    const perp_contact *c = NULL;
    int n = r->frames ? perp_world_contacts(r->w, &c) : 0; /* frame 0 comes before the first step of the run */
    perp_status st = reserve(r, n, why);
    if (st) return st;
    if (r->frames) pp_sum_add(&r->total, &r->since);
    uint64_t *step = next(r, PP_D_STEP, 1);
    *step = perp_world_steps(r->w);
    put_number(r, PP_D_TIME, perp_world_time(r->w));
    put_number(r, PP_D_SECONDS, pp_clock() - r->began);
    put_bodies(r);
    put_joints(r);
    put_sensors(r);
    put_contacts(r, c, n);
    put_sums(r, &r->since);
    double kinetic, gravity, spring;
    perp_world_energy(r->w, &kinetic, &gravity, &spring);
    put_number(r, PP_D_ENERGY_KINETIC, kinetic);
    put_number(r, PP_D_ENERGY_GRAVITY, gravity);
    put_number(r, PP_D_ENERGY_SPRING, spring);
    r->since = (pp_sum){.c = PERP_CERTIFICATE_NONE};
    r->frames++;
    return PERP_OK;
}

perp_status pp_recorder_first(perp_recorder *r, perp_refusal *why) {
    perp_world_energy(r->w, &r->since.c.ledger.kinetic_before, NULL, NULL);
    r->since.c.ledger.kinetic_after = r->since.c.ledger.kinetic_before;
    r->since.c.t = perp_world_time(r->w);
    return pp_recorder_frame(r, why);
}

/* ---- commits ---- */

static void pack(const perp_recorder *r, const pp_sum *s, double *row) {
    *row++ = s->c.t;
    *row++ = pp_recorder_solver(r, s->c.solver);
    for (int i = 0; i < pp_nfigure; i++) {
        const char *from = (const char *)s + pp_figures[i].offset;
        for (int k = 0; k < pp_figures[i].count; k++) {
            if (pp_figures[i].whole) {
                int x;
                memcpy(&x, from + (size_t)k * sizeof x, sizeof x);
                *row++ = pp_figure_is_shape(pp_figures[i].d) ? shape_index(r, x) : x;
            } else {
                memcpy(row++, from, sizeof *row);
            }
        }
    }
}

void pp_recorder_sums(const perp_recorder *r, double sums[2 * PP_FIGURES_MAX]) {
    assert(pp_figure_columns() <= PP_FIGURES_MAX);
    pack(r, &r->since, sums);
    pack(r, &r->total, sums + pp_figure_columns());
}

int pp_recorder_figures(const char *name[PP_FIGURES_MAX]) {
    int n = 0;
    name[n++] = "time";
    name[n++] = "solver";
    for (int i = 0; i < pp_nfigure; i++)
        for (int k = 0; k < pp_figures[i].count; k++) name[n++] = strchr(pp_layout[pp_figures[i].d].path, '/') + 1;
    assert(n == pp_figure_columns());
    return n;
}

static perp_status write_checkpoint(perp_recorder *r, bool finished, perp_refusal *why) {
    const char *path = pp_layout[PP_D_CHECK_STATE].path;
    size_t size = perp_world_state_size(r->w);
    if (size > INT32_MAX) return no_memory(r, why);
    if (!PP_GROW(&r->alloc, r->saved, r->cap_saved, 0, (int)size)) return no_memory(r, why);
    perp_status st = perp_world_get_state(r->w, r->saved, size);
    if (st) return pp_complain_say(why, st, place(r), path, "%s", perp_status_text(st));
    bool ok = write_rows(r->state, H5T_NATIVE_UINT8, 0, size, r->saved) && pp_put_u64(r->state, "step", r->last_step);
    if (!ok) return pp_recorder_trouble(r, path, why);

    double sums[2 * PP_FIGURES_MAX];
    pp_recorder_sums(r, sums);
    hid_t set = H5Dopen2(r->file, pp_layout[PP_D_CHECK_SUMS].path, H5P_DEFAULT);
    ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, sums) >= 0;
    if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
    ok = ok && pp_put_u64(r->file, "frames", r->frames) && pp_put_u64(r->file, "finished", finished);
    return ok ? PERP_OK : pp_recorder_trouble(r, pp_layout[PP_D_CHECK_SUMS].path, why);
}

static perp_status earlier(const perp_recorder *r, perp_refusal *why) {
    if (why) *why = r->first;
    return r->failed;
}

static perp_status commit(perp_recorder *r, bool finished, perp_refusal *why) {
    if (r->failed) return earlier(r, why);
    if (perp_world_steps(r->w) != r->last_step)
        return pp_complain_say(why, PERP_E_ARG, place(r), "",
                               "the world has made steps that the recording does not know of");
    r->committed = pp_clock();
    pp_quiet q = pp_quiet_begin();
    perp_status st = PERP_OK;
    for (int d = 0; d < PP_DATASET_COUNT && !st; d++)
        if (r->column[d].set >= 0 && !flush(&r->column[d])) st = pp_recorder_trouble(r, pp_layout[d].path, why);
    if (!st) st = write_checkpoint(r, finished, why);
    if (!st) st = pp_sealed_commit(r->file, why);
    pp_quiet_end(q);
    return st;
}

/* Datasets of the checkpoint: the state as it is, not packed, so that its chunks keep their places from commit to
 * commit. */
static perp_status make_checkpoint(perp_recorder *r, perp_refusal *why) {
    r->extent[PP_N_STATE] = 0;
    size_t size = perp_world_state_size(r->w);
    r->state = pp_put_growing(r->file, PP_D_CHECK_STATE, r->extent, size < 16384 ? 4096 : CHUNK_BYTES, 0);
    if (r->state < 0) return pp_recorder_trouble(r, pp_layout[PP_D_CHECK_STATE].path, why);
    double zero[2 * PP_FIGURES_MAX] = {0};
    const char *names[PP_FIGURES_MAX];
    const int n = pp_recorder_figures(names);
    bool ok = pp_put_static(r->file, PP_D_CHECK_SUMS, r->extent, 0, zero, 0);
    hid_t set = ok ? H5Dopen2(r->file, pp_layout[PP_D_CHECK_SUMS].path, H5P_DEFAULT) : -1;
    ok = set >= 0 && pp_put_words(set, "figures", names, n);
    if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
    return ok ? PERP_OK : pp_recorder_trouble(r, pp_layout[PP_D_CHECK_SUMS].path, why);
}

/* ---- public ---- */

perp_status perp_recorder_create(const char *path, const perp_scene *scene, const perp_record_choice *choice,
                                 perp_recorder **out, perp_refusal *why) {
    perp_record_choice c = choice ? *choice : perp_scene_record(scene);
    perp_recorder *r = NULL;
    perp_refusal mine;
    *out = NULL;
    if (!why) why = &mine;
    pp_location at = {path, 0, 0};
    if (c.every < 1)
        return pp_complain_say(why, PERP_E_ARG, at, "every", "found %d; allowed: a whole number >= 1", c.every);
    if (c.compression < 0 || c.compression > 9)
        return pp_complain_say(why, PERP_E_ARG, at, "compression", "found %d; allowed: 0 to 9", c.compression);
    if (c.what & ~(unsigned)PERP_RECORD_ALL)
        return pp_complain_say(why, PERP_E_ARG, at, "what", "found %u; allowed: a sum of bits of perp_record", c.what);
    perp_status st = pp_recorder_new(path, scene, c, &r, why);
    if (st || !r) return st;
    pp_quiet q = pp_quiet_begin();
    r->file = pp_sealed_create_nameless(path, why);
    if (r->file < 0) st = why->status;
    if (!st) st = pp_recorder_statics(r, why);
    if (!st) st = pp_recorder_columns(r, true, why);
    if (!st) st = make_checkpoint(r, why);
    if (!st) st = pp_recorder_first(r, why);
    if (!st) st = commit(r, false, why);
    pp_quiet_end(q);
    if (!st) {
        *out = r;
        return PERP_OK;
    }
    bool made = r->file >= 0 && pp_sealed_named(r->file);
    pp_recorder_free(r);
    if (made) remove(path); /* it was not there before, and holds nothing */
    return st;
}

perp_status perp_recorder_create_world(const char *path, perp_world *w, const perp_scene_words *words,
                                       perp_recorder **out, perp_refusal *why) {
    perp_scene *scene;
    perp_refusal mine;
    *out = NULL;
    if (!why) why = &mine;
    perp_status st = perp_scene_of_world(w, words, &scene, why);
    if (st) return st;
    st = perp_recorder_create(path, scene, NULL, out, why);
    if (st)
        perp_scene_close(scene);
    else
        (*out)->own_scene = scene;
    return st;
}

perp_status perp_recorder_set_duration(perp_recorder *r, double duration, perp_refusal *why) {
    if (r->failed) return earlier(r, why);
    if (!(duration >= 0) || !isfinite(duration))
        return pp_complain_say(why, PERP_E_ARG, place(r), "duration", "found %g; allowed: a number >= 0", duration);
    pp_quiet q = pp_quiet_begin();
    bool ok = pp_put_f64(r->file, "duration", &duration, 1);
    pp_quiet_end(q);
    return ok ? PERP_OK : pp_recorder_trouble(r, "duration", why);
}

void pp_recorder_count(perp_recorder *r, const perp_certificate *cert) {
    pp_sum s = {.c = *cert, .law = pp_law(&cert->law, r->floor)};
    pp_sum_add(&r->since, &s);
    r->last_step = perp_world_steps(r->w);
}

perp_status perp_recorder_step(perp_recorder *r, const perp_certificate *cert, perp_refusal *why) {
    uint64_t step = perp_world_steps(r->w);
    if (r->failed) return earlier(r, why);
    if (step != r->last_step + 1)
        return pp_complain_say(why, PERP_E_ARG, place(r), "",
                               "found step %llu after %llu; allowed: every step, in order", (unsigned long long)step,
                               (unsigned long long)r->last_step);
    pp_recorder_count(r, cert);
    bool frame = (step - r->step0) % (uint64_t)r->choice.every == 0;
    perp_status st = PERP_OK;
    if (frame) {
        pp_quiet q = pp_quiet_begin();
        st = pp_recorder_frame(r, &r->first);
        pp_quiet_end(q);
    }
    if (st) {
        r->failed = st;
        return earlier(r, why);
    }
    bool due = pp_clock() - r->committed >= COMMIT_SECONDS || (frame && pp_sealed_pending(r->file) > COMMIT_BYTES);
    return due ? commit(r, false, why) : PERP_OK;
}

perp_status perp_recorder_commit(perp_recorder *r, perp_refusal *why) { return commit(r, false, why); }

perp_status perp_recorder_close(perp_recorder *r, bool finished, perp_refusal *why) {
    if (!r) return PERP_OK;
    perp_status st = commit(r, finished, why);
    pp_recorder_free(r);
    return st;
}

uint64_t perp_recorder_frames(const perp_recorder *r) { return r->frames; }
const perp_certificate *perp_recorder_total(const perp_recorder *r) { return &r->total.c; }

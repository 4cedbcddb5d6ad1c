/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* reader_frames.c - bodies, shapes, joints and frames of a recording. Data of a frame is checked when it is read. */
#include "record/reader.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rows ---- */

/* A run in memory keeps series only. HDF5 must not be called for it: several threads may have one each. */
static perp_status in_memory(const perp_recording *r, const char *key, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_ARG, pp_recording_place(r), key,
                           "a run kept in memory has its declared series only; record the run to read this");
}

perp_status pp_recording_holds(const perp_recording *r, pp_dataset d, perp_refusal *why) {
    if (r->set[d] >= 0) return PERP_OK;
    static const char *const words[] = {"poses", "twists", "joints", "contacts", "certificate", "ledger", "solver"};
    char allowed[256] = "what the recording holds:";
    size_t n = strlen(allowed);
    for (int i = 0; i < 7; i++)
        if (r->info.choice.what & (1u << i)) n += (size_t)snprintf(allowed + n, sizeof allowed - n, " %s", words[i]);
    if (!(r->info.choice.what & PERP_RECORD_ALL)) snprintf(allowed + n, sizeof allowed - n, " times only");
    return pp_complain(why, PERP_E_ARG, pp_recording_place(r), pp_layout[d].path, "nothing", allowed);
}

void *pp_recording_room(perp_recording *r, size_t size) {
    if (size > INT_MAX / 2) return NULL;
    return PP_GROW(&r->alloc, r->rows, r->cap_rows, 0, (int)size) ? r->rows : NULL;
}

static bool read_slab(const perp_recording *r, const pp_slab *part, hid_t type, void *out) {
    const pp_dataset d = part->d;
    const pp_entry *e = &pp_layout[d];
    hsize_t start[3] = {part->first, 0, 0}, count[3], points = 1;
    int rank = pp_layout_dims(d, r->extent, count), at = 1;
    count[0] = part->n;
    if (e->cols != PP_N_ONE) {
        if (part->col >= 0) start[at] = (hsize_t)part->col, count[at] = 1;
        at++;
    }
    if (e->width && part->component >= 0) start[at] = (hsize_t)part->component, count[at] = 1;
    for (int i = 0; i < rank; i++) points *= count[i];
    if (points == 0) return true;
    hid_t there = H5Dget_space(r->set[d]), here = H5Screate_simple(1, &points, NULL);
    bool ok = there >= 0 && here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dread(r->set[d], type, here, there, H5P_DEFAULT, out) >= 0;
    if (there >= 0) H5Sclose(there);
    if (here >= 0) H5Sclose(here);
    return ok;
}

perp_status pp_recording_rows(perp_recording *r, pp_dataset d, uint64_t first, uint64_t n, int col, void *out,
                              perp_refusal *why) {
    perp_status st = r->trace ? in_memory(r, pp_layout[d].path, why) : pp_recording_holds(r, d, why);
    if (st) return st;
    pp_quiet q = pp_quiet_begin();
    hid_t t = pp_type_memory(pp_layout[d].type, 1);
    bool ok = t >= 0 && read_slab(r, &(pp_slab){d, first, n, col, -1}, t, out);
    if (t >= 0) H5Tclose(t);
    if (!ok) st = pp_recording_trouble(r, pp_layout[d].path, why);
    pp_quiet_end(q);
    return st;
}

perp_status pp_recording_column(perp_recording *r, const pp_slab *part, double *out, perp_refusal *why) {
    const char *path = pp_layout[part->d].path;
    perp_status st = r->trace ? in_memory(r, path, why) : pp_recording_holds(r, part->d, why);
    if (st) return st;
    pp_quiet q = pp_quiet_begin();
    if (!read_slab(r, part, H5T_NATIVE_DOUBLE, out)) st = pp_recording_trouble(r, path, why);
    pp_quiet_end(q);
    return st;
}

static perp_status bad(const perp_recording *r, pp_dataset d, uint64_t row, double x, const char *allowed,
                       perp_refusal *why) {
    char key[128], found[64];
    snprintf(key, sizeof key, "%s[%llu]", pp_layout[d].path, (unsigned long long)row);
    snprintf(found, sizeof found, "%.17g", x);
    return pp_complain(why, PERP_E_ARG, pp_recording_place(r), key, found, allowed);
}

static perp_status finite(const perp_recording *r, pp_dataset d, uint64_t row, const double *x, size_t n,
                          perp_refusal *why) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return bad(r, d, row, x[i], "finite numbers", why);
    return PERP_OK;
}

static perp_status frame_there(const perp_recording *r, uint64_t frame, perp_refusal *why) {
    if (frame < r->info.frames) return PERP_OK;
    return pp_complain_say(why, PERP_E_ARG, pp_recording_place(r), "frame", "found %llu; allowed: 0 to %llu",
                           (unsigned long long)frame, (unsigned long long)r->info.frames - 1);
}

/* ---- what does not change ---- */

const perp_recording_info *perp_recording_about(const perp_recording *r) { return &r->info; }

static perp_vec3 vec3(const double *x) { return perp_v3(x[0], x[1], x[2]); }
static perp_pose pose(const double *x) {
    perp_pose X = {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}};
    return X;
}

perp_recorded_body perp_recording_body(const perp_recording *r, int i) {
    assert(i >= 0 && i < r->info.nbody);
    perp_recorded_body b = {.name = pp_words(r, PP_D_BODY_NAME, i),
                            .kind = (perp_body_kind)pp_bytes(r, PP_D_BODY_KIND)[i],
                            .particle = pp_bytes(r, PP_D_BODY_PARTICLE)[i],
                            .mass = pp_numbers(r, PP_D_BODY_MASS)[i],
                            .label = r->set[PP_D_BODY_LABEL] >= 0 ? pp_words(r, PP_D_BODY_LABEL, i) : ""};
    const double *I = pp_numbers(r, PP_D_BODY_INERTIA) + 9 * (size_t)i;
    for (int k = 0; k < 3; k++) b.I_B.c[k] = vec3(I + 3 * k);
    return b;
}

perp_recorded_shape perp_recording_shape(const perp_recording *r, int i) {
    assert(i >= 0 && i < r->info.nshape && !r->trace);
    size_t k = (size_t)i;
    const int32_t *first_vertex = pp_wholes(r, PP_D_SHAPE_FIRST_VERTEX),
                  *first_face = pp_wholes(r, PP_D_SHAPE_FIRST_FACE);
    perp_recorded_shape s = {.body = pp_wholes(r, PP_D_SHAPE_BODY)[k],
                             .kind = (perp_shape_kind)pp_bytes(r, PP_D_SHAPE_KIND)[k],
                             .X_BS = pose(pp_numbers(r, PP_D_SHAPE_POSE) + 7 * k),
                             .radius = pp_numbers(r, PP_D_SHAPE_RADIUS)[k],
                             .half_size = vec3(pp_numbers(r, PP_D_SHAPE_HALF_SIZE) + 3 * k),
                             .normal = vec3(pp_numbers(r, PP_D_SHAPE_NORMAL) + 3 * k),
                             .offset = pp_numbers(r, PP_D_SHAPE_OFFSET)[k],
                             .material = pp_wholes(r, PP_D_SHAPE_MATERIAL)[k],
                             .nvertex = first_vertex[k + 1] - first_vertex[k],
                             .nface = first_face[k + 1] - first_face[k]};
    if (s.kind == PERP_SHAPE_CAPSULE) {
        s.half_length = s.half_size.x;
        s.half_size = perp_v3(0, 0, 0);
    }
    if (s.kind == PERP_SHAPE_CYLINDER) {
        s.half_length = s.half_size.z;
        s.half_size = perp_v3(0, 0, 0);
    }
    if (r->set[PP_D_SHAPE_VISUAL] >= 0) {
        s.visual = pp_bytes(r, PP_D_SHAPE_VISUAL)[k];
        s.colour = (uint32_t)pp_wholes(r, PP_D_SHAPE_COLOUR)[k];
        s.surface_velocity = vec3(pp_numbers(r, PP_D_SHAPE_SURFACE) + 3 * k);
    }
    if (s.nvertex) s.vertex = pp_numbers(r, PP_D_SHAPE_VERTEX) + 3 * (size_t)first_vertex[k];
    if (s.nface) {
        s.face_start = r->face_start + (size_t)first_face[k] + k;
        s.face = pp_wholes(r, PP_D_SHAPE_FACE_VERTEX) + pp_wholes(r, PP_D_SHAPE_FACE_START)[first_face[k]];
    }
    return s;
}

perp_recorded_joint perp_recording_joint(const perp_recording *r, int i) {
    assert(i >= 0 && i < r->info.njoint);
    size_t k = (size_t)i;
    perp_recorded_joint j = {.name = pp_words(r, PP_D_JOINT_NAME, i),
                             .kind = (perp_joint_kind)pp_bytes(r, PP_D_JOINT_KIND)[k],
                             .a = pp_wholes(r, PP_D_JOINT_A)[k],
                             .b = pp_wholes(r, PP_D_JOINT_B)[k],
                             .X_AJ = pose(pp_numbers(r, PP_D_JOINT_POSE_A) + 7 * k),
                             .X_BJ = pose(pp_numbers(r, PP_D_JOINT_POSE_B) + 7 * k),
                             .ncoord = pp_wholes(r, PP_D_JOINT_COORDS)[k],
                             .first_coord = pp_wholes(r, PP_D_JOINT_FIRST_COORD)[k]};
    return j;
}

perp_recorded_spring perp_recording_spring(const perp_recording *r, int i) {
    assert(i >= 0 && i < r->info.nspring);
    size_t k = (size_t)i;
    return (perp_recorded_spring){.a = pp_wholes(r, PP_D_SPRING_A)[k],
                                  .b = pp_wholes(r, PP_D_SPRING_B)[k],
                                  .point_A = vec3(pp_numbers(r, PP_D_SPRING_POINT_A) + 3 * k),
                                  .point_B = vec3(pp_numbers(r, PP_D_SPRING_POINT_B) + 3 * k),
                                  .rest_length = pp_numbers(r, PP_D_SPRING_REST)[k]};
}

perp_recorded_sensor perp_recording_sensor(const perp_recording *r, int i) {
    assert(i >= 0 && i < r->info.nsensor);
    perp_sensor_kind kind = (perp_sensor_kind)pp_bytes(r, PP_D_SENSOR_KIND)[i];
    return (perp_recorded_sensor){.name = pp_words(r, PP_D_SENSOR_NAME, i),
                                  .kind = kind,
                                  .unit = pp_words(r, PP_D_SENSOR_UNIT, i),
                                  .first = pp_wholes(r, PP_D_SENSOR_FIRST)[i],
                                  .size = perp_sensor_size(kind)};
}

int perp_recording_find_body(const perp_recording *r, const char *name) {
    for (int i = 0; i < r->info.nbody; i++)
        if (strcmp(pp_words(r, PP_D_BODY_NAME, i), name) == 0) return i;
    return -1;
}

int perp_recording_find_joint(const perp_recording *r, const char *name) {
    for (int i = 0; i < r->info.njoint; i++)
        if (strcmp(pp_words(r, PP_D_JOINT_NAME, i), name) == 0) return i;
    return -1;
}

/* ---- the scene ---- */

static perp_status read_file(perp_recording *r, int i, perp_source_file *out, perp_refusal *why) {
    char path[64], named[PP_TEXT_MAX + 1];
    named[0] = 0;
    snprintf(path, sizeof path, "scene/file_%d", i);
    hid_t set = pp_open_plain(r->file, path), space = set >= 0 ? H5Dget_space(set) : -1;
    hssize_t size = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    perp_status st = PERP_OK;
    if (space >= 0) H5Sclose(space);
    if (size < 0)
        st = pp_recording_trouble(r, path, why);
    else if (!pp_get_text(set, "path", named, sizeof named))
        st = pp_complain(why, PERP_E_ARG, pp_recording_place(r), path, "no path", "the attribute path");
    if (!st) {
        size_t n = strlen(named) + 1;
        char *text = pp_alloc(&r->alloc, n + (size_t)size + 1);
        if (text) {
            memcpy(text, named, n);
            text[n + (size_t)size] = 0;
            *out = (perp_source_file){text, text + n, (size_t)size};
            if (size > 0 && H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text + n) < 0)
                st = pp_recording_trouble(r, path, why);
        } else {
            st = pp_recording_no_memory(r, why);
        }
    }
    if (set >= 0) H5Dclose(set);
    return st;
}

perp_status perp_recording_scene(perp_recording *r, perp_scene **out, perp_refusal *why) {
    *out = NULL;
    if (r->trace) return in_memory(r, "scene", why);
    int nd = (int)r->extent[PP_N_DEFINITIONS];
    perp_source_file *file = pp_alloc(&r->alloc, (size_t)r->files * sizeof *file);
    perp_definition *define = pp_alloc(&r->alloc, (size_t)nd * sizeof *define);
    if (!file || !define) {
        pp_free(&r->alloc, file);
        pp_free(&r->alloc, define);
        return pp_recording_no_memory(r, why);
    }
    perp_status st = PERP_OK;
    memset(file, 0, (size_t)r->files * sizeof *file);
    pp_quiet q = pp_quiet_begin();
    for (int i = 0; i < r->files && !st; i++) st = read_file(r, i, &file[i], why);
    pp_quiet_end(q);
    for (int i = 0; i < nd && !st; i++)
        define[i] = (perp_definition){pp_words(r, PP_D_DEFINITION_NAME, i), pp_words(r, PP_D_DEFINITION_VALUE, i)};
    if (!st) {
        perp_scene_options o = {.define = define, .ndefine = nd, .file = file, .nfile = r->files};
        st = perp_scene_open(file[0].path, &o, out, why);
    }
    for (int i = 0; i < r->files; i++) pp_free(&r->alloc, (void *)(uintptr_t)file[i].path);
    pp_free(&r->alloc, file);
    pp_free(&r->alloc, define);
    return st;
}

/* ---- frames ---- */

perp_status perp_recording_poses(perp_recording *r, uint64_t frame, perp_pose *X_WB, perp_refusal *why) {
    perp_status st = frame_there(r, frame, why);
    if (!st && r->info.nbody > 0) st = pp_recording_holds(r, PP_D_POSITION, why);
    if (st || !X_WB || r->info.nbody == 0) return st;
    size_t n = (size_t)r->info.nbody;
    double *x = pp_recording_room(r, 7 * n * sizeof *x), *q = x ? x + 3 * n : NULL;
    if (!x) return pp_recording_no_memory(r, why);
    st = pp_recording_rows(r, PP_D_POSITION, frame, 1, -1, x, why);
    if (!st) st = pp_recording_rows(r, PP_D_ORIENTATION, frame, 1, -1, q, why);
    if (!st) st = finite(r, PP_D_POSITION, frame, x, 3 * n, why);
    if (!st) st = finite(r, PP_D_ORIENTATION, frame, q, 4 * n, why);
    for (size_t i = 0; i < n && !st; i++) {
        X_WB[i] = (perp_pose){vec3(x + 3 * i), {q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]}};
        double length = perp_q_norm(X_WB[i].q);
        if (!(fabs(length - 1) <= 1e-6)) st = bad(r, PP_D_ORIENTATION, frame, length, "quaternions of length 1", why);
    }
    return st;
}

perp_status perp_recording_twists(perp_recording *r, uint64_t frame, perp_vec3 *v_W, perp_vec3 *w_W,
                                  perp_refusal *why) {
    perp_status st = frame_there(r, frame, why);
    if (!st && r->info.nbody > 0) st = pp_recording_holds(r, PP_D_VELOCITY, why);
    if (st || r->info.nbody == 0) return st;
    size_t n = (size_t)r->info.nbody;
    double *x = pp_recording_room(r, 3 * n * sizeof *x);
    if (!x) return pp_recording_no_memory(r, why);
    perp_vec3 *const out[2] = {v_W, w_W};
    const pp_dataset from[2] = {PP_D_VELOCITY, PP_D_SPIN};
    for (int k = 0; k < 2 && !st; k++) {
        if (!out[k]) continue;
        st = pp_recording_rows(r, from[k], frame, 1, -1, x, why);
        if (!st) st = finite(r, from[k], frame, x, 3 * n, why);
        for (size_t i = 0; i < n && !st; i++) out[k][i] = vec3(x + 3 * i);
    }
    return st;
}

#define BLOCK 512 /* frames read at a time */

/* One figure of frames first .. first + n, n <= BLOCK, into its field. */
static perp_status read_figure(perp_recording *r, const pp_figure *f, uint64_t first, uint64_t n, pp_sum *out,
                               perp_refusal *why) {
    double x[BLOCK];
    perp_status st = PERP_OK;
    for (int k = 0; k < f->count && !st; k++) {
        st = pp_recording_column(r, &(pp_slab){f->d, first, n, 0, k}, x, why);
        for (uint64_t i = 0; i < n && !st; i++) {
            st = finite(r, f->d, first + i, &x[i], 1, why);
            if (st) break;
            char *to = (char *)&out[i] + f->offset + (f->whole ? (size_t)k * sizeof(int) : 0);
            if (f->whole) {
                bool shape = pp_figure_is_shape(f->d);
                if (!(x[i] >= (shape ? -1 : 0)) || (shape && !(x[i] < r->info.nshape)))
                    return bad(r, f->d, first + i, x[i], shape ? "a shape, or -1" : "0 or more", why);
                int whole = (int)x[i];
                memcpy(to, &whole, sizeof whole);
            } else {
                memcpy(to, &x[i], sizeof x[i]);
            }
        }
    }
    return st;
}

static perp_status read_solvers(perp_recording *r, uint64_t first, uint64_t n, pp_sum *out, perp_refusal *why) {
    uint8_t solver[BLOCK] = {0};
    perp_status st = pp_recording_rows(r, PP_D_SOLVER_SOLVER, first, n, -1, solver, why);
    for (uint64_t i = 0; i < n && !st; i++) {
        if (solver[i] != PP_NO_SOLVER && solver[i] >= r->nsolver)
            return bad(r, PP_D_SOLVER_SOLVER, first + i, solver[i], "one of the names, or 255", why);
        if (solver[i] != PP_NO_SOLVER) out[i].c.solver = r->solver[solver[i]];
    }
    return st;
}

perp_status pp_recording_sums(perp_recording *r, uint64_t first, uint64_t n, pp_sum *out, perp_refusal *why) {
    assert(n <= BLOCK);
    perp_status st = pp_recording_holds(r, PP_D_CERT_H, why);
    for (uint64_t i = 0; i < n && !st; i++) {
        out[i] = (pp_sum){.c = PERP_CERTIFICATE_NONE};
        out[i].c.t = r->time[first + i];
        out[i].c.accepted = true;
    }
    for (int i = 0; i < pp_nfigure && !st; i++)
        if (r->set[pp_figures[i].d] >= 0) st = read_figure(r, &pp_figures[i], first, n, out, why);
    if (!st && r->set[PP_D_SOLVER_SOLVER] >= 0) st = read_solvers(r, first, n, out, why);
    return st;
}

perp_status perp_recording_certificate(perp_recording *r, uint64_t frame, perp_certificate *out, perp_refusal *why) {
    pp_sum s = {0};
    perp_status st = frame_there(r, frame, why);
    if (!st) st = pp_recording_sums(r, frame, 1, &s, why);
    if (!st && out) *out = s.c;
    return st;
}

perp_status perp_recording_total(perp_recording *r, perp_recording_worst *out, perp_refusal *why) {
    pp_sum *s = pp_alloc(&r->alloc, BLOCK * sizeof *s), total = {.c = PERP_CERTIFICATE_NONE};
    if (!s) return pp_recording_no_memory(r, why);
    *out = (perp_recording_worst){0};
    double overlap = 0, joint = 0, law = 0, gain = 0;
    bool counted = r->set[PP_D_SOLVER_SUBSTEPS] >= 0;
    perp_status st = pp_recording_holds(r, PP_D_CERT_H, why);
    for (uint64_t first = 1; first < r->info.frames && !st; first += BLOCK) { /* frame 0 has no steps */
        uint64_t n = r->info.frames - first < BLOCK ? r->info.frames - first : BLOCK;
        st = pp_recording_sums(r, first, n, s, why);
        for (uint64_t i = 0; i < n && !st; i++) {
            if (!counted) s[i].c.substeps = 1; /* a sum without substeps counts as empty */
            if (s[i].c.overlap > overlap) overlap = s[i].c.overlap, out->overlap_frame = first + i;
            if (s[i].c.joint_error > joint) joint = s[i].c.joint_error, out->joint_frame = first + i;
            if (s[i].c.gain_part > gain) gain = s[i].c.gain_part, out->gain_frame = first + i;
            if (s[i].law > law) law = s[i].law, out->law_frame = first + i;
            pp_sum_add(&total, &s[i]);
        }
    }
    pp_free(&r->alloc, s);
    if (!counted) total.c.substeps = 0;
    out->total = total.c;
    out->law = total.law;
    return st;
}

static perp_status check_contact(const perp_recording *r, const perp_recorded_contact *c, uint64_t row,
                                 perp_refusal *why) {
    const double x[] = {c->a_W.x,          c->a_W.y,        c->a_W.z,        c->b_W.x,        c->b_W.y,
                        c->b_W.z,          c->n_W.x,        c->n_W.y,        c->n_W.z,        c->t_W.x,
                        c->t_W.y,          c->t_W.z,        c->gap,          c->gap_end,      c->mu,
                        c->impulse_C[0],   c->impulse_C[1], c->impulse_C[2], c->spin_impulse, c->roll_impulse[0],
                        c->roll_impulse[1]};
    static const pp_dataset of[] = {PP_D_CONTACT_POINT_A, PP_D_CONTACT_POINT_B, PP_D_CONTACT_NORMAL,
                                    PP_D_CONTACT_TANGENT};
    static const pp_dataset rest[] = {PP_D_CONTACT_GAP,     PP_D_CONTACT_GAP_END, PP_D_CONTACT_MU,
                                      PP_D_CONTACT_IMPULSE, PP_D_CONTACT_SPIN,    PP_D_CONTACT_ROLL};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (!isfinite(x[i]))
            return bad(r,
                       i < 12 ? of[i / 3]
                              : rest[i < 15   ? i - 12
                                     : i < 18 ? 3
                                     : i < 19 ? 4
                                              : 5],
                       row, x[i], "finite numbers", why);
    for (int k = 0; k < 2; k++) {
        if (c->shape[k] < 0 || c->shape[k] >= r->info.nshape)
            return bad(r, PP_D_CONTACT_SHAPE, row, c->shape[k], "a shape", why);
        if (c->body[k] != pp_wholes(r, PP_D_SHAPE_BODY)[c->shape[k]])
            return bad(r, PP_D_CONTACT_BODY, row, c->body[k], "the body of the shape", why);
    }
    if ((unsigned)c->state > PERP_CONTACT_SLIDING)
        return bad(r, PP_D_CONTACT_STATE, row, (double)c->state, "0, 1 or 2", why);
    return PERP_OK;
}

/* Bytes of a contact in the file, in the order they are read into the room: doubles first, so that all lie well. */
enum { ROW_DOUBLES = 21, ROW_BYTES = ROW_DOUBLES * 8 + 8 + 4 * 4 + 1 };

perp_status pp_recording_contact_rows(perp_recording *r, uint64_t first, size_t n, perp_recorded_contact *out,
                                      perp_refusal *why) {
    if (n == 0) return PERP_OK;
    if (n > INT_MAX / 2 / ROW_BYTES) return pp_recording_no_memory(r, why);
    double *x = pp_recording_room(r, n * ROW_BYTES);
    if (!x) return pp_recording_no_memory(r, why);
    double *a = x, *b = a + 3 * n, *nn = b + 3 * n, *t = nn + 3 * n, *p = t + 3 * n, *gap = p + 3 * n, *end = gap + n,
           *mu = end + n, *spin = mu + n, *roll = spin + n;
    uint64_t *feature = (uint64_t *)(void *)(roll + 2 * n);
    int32_t *body = (int32_t *)(feature + n), *shape = body + 2 * n;
    uint8_t *state = (uint8_t *)(shape + 2 * n);
    const struct {
        pp_dataset d;
        void *to;
    } all[] = {{PP_D_CONTACT_POINT_A, a},   {PP_D_CONTACT_POINT_B, b},   {PP_D_CONTACT_NORMAL, nn},
               {PP_D_CONTACT_TANGENT, t},   {PP_D_CONTACT_IMPULSE, p},   {PP_D_CONTACT_GAP, gap},
               {PP_D_CONTACT_GAP_END, end}, {PP_D_CONTACT_MU, mu},       {PP_D_CONTACT_FEATURE, feature},
               {PP_D_CONTACT_BODY, body},   {PP_D_CONTACT_SHAPE, shape}, {PP_D_CONTACT_STATE, state}};
    perp_status st = PERP_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !st; i++)
        st = pp_recording_rows(r, all[i].d, first, n, -1, all[i].to, why);
    for (size_t i = 0; i < n; i++) spin[i] = 0; /* of an older recording */
    if (r->set[PP_D_CONTACT_SPIN] >= 0 && !st) st = pp_recording_rows(r, PP_D_CONTACT_SPIN, first, n, -1, spin, why);
    for (size_t i = 0; i < 2 * n; i++) roll[i] = 0;
    if (r->set[PP_D_CONTACT_ROLL] >= 0 && !st) st = pp_recording_rows(r, PP_D_CONTACT_ROLL, first, n, -1, roll, why);
    for (size_t i = 0; i < n && !st; i++) {
        out[i] = (perp_recorded_contact){.body = {body[2 * i], body[2 * i + 1]},
                                         .shape = {shape[2 * i], shape[2 * i + 1]},
                                         .feature = feature[i],
                                         .a_W = vec3(a + 3 * i),
                                         .b_W = vec3(b + 3 * i),
                                         .n_W = vec3(nn + 3 * i),
                                         .t_W = vec3(t + 3 * i),
                                         .gap = gap[i],
                                         .gap_end = end[i],
                                         .mu = mu[i],
                                         .impulse_C = {p[3 * i], p[3 * i + 1], p[3 * i + 2]},
                                         .spin_impulse = spin[i],
                                         .roll_impulse = {roll[2 * i], roll[2 * i + 1]},
                                         .state = (perp_contact_state)state[i]};
        st = check_contact(r, &out[i], first + i, why);
    }
    return st;
}

perp_status perp_recording_contacts(perp_recording *r, uint64_t frame, const perp_recorded_contact **out, int *n,
                                    perp_refusal *why) {
    *out = NULL;
    *n = 0;
    perp_status st = frame_there(r, frame, why);
    if (!st) st = r->trace ? in_memory(r, "contacts", why) : pp_recording_holds(r, PP_D_CONTACT_FIRST, why);
    if (st) return st;
    int count = (int)r->count[frame];
    if (!PP_GROW(&r->alloc, r->contact, r->cap_contact, 0, count)) return pp_recording_no_memory(r, why);
    st = pp_recording_contact_rows(r, r->first[frame], (size_t)count, r->contact, why);
    if (st) return st;
    *out = r->contact;
    *n = count;
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* reader.c - opening a recording: header, types and shapes of all datasets, and the data that does not change in a run
 * Method   the table of layout.c lists the required datasets. Extents come from the datasets themselves, must agree with each
 *          other, and must be possible for the stored size, so that no number in a file makes the reader allocate more than
 *          about a thousand times the size of the file. Indices are checked here, once; data of a frame is checked when the
 *          frame is read. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "record/reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define UNKNOWN UINT64_MAX

perp_status pp_recording_trouble(const perp_recording *r, const char *key, perp_refusal *why) {
    const char *words = pp_sealed_trouble(r->file);
    return pp_complain_say(why, words[0] ? PERP_E_IO : PERP_E_ARG, pp_recording_place(r), key, "%s",
                           words[0] ? words : "could not be read");
}

perp_status pp_recording_no_memory(const perp_recording *r, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, pp_recording_place(r), "", "out of memory");
}

static perp_status bad(const perp_recording *r, const char *key, const char *found, const char *allowed,
                       perp_refusal *why) {
    return pp_complain(why, PERP_E_ARG, pp_recording_place(r), key, found, allowed);
}

/* Error report about an invalid number of a dataset. */
static perp_status bad_number(const perp_recording *r, pp_dataset d, size_t i, double x, const char *allowed,
                              perp_refusal *why) {
    char key[128], found[64];
    snprintf(key, sizeof key, "%s[%zu]", pp_layout[d].path, i);
    snprintf(found, sizeof found, "%.17g", x);
    return bad(r, key, found, allowed, why);
}

/* ---- header ---- */

static perp_status header_whole(perp_recording *r, const char *name, uint64_t lo, uint64_t hi, const char *allowed,
                                uint64_t *out, perp_refusal *why) {
    if (!pp_get_u64(r->file, name, out)) return bad(r, name, "nothing", allowed, why);
    if (*out >= lo && *out <= hi) return PERP_OK;
    char found[32];
    snprintf(found, sizeof found, "%llu", (unsigned long long)*out);
    return bad(r, name, found, allowed, why);
}

static perp_status header_number(perp_recording *r, const char *name, bool zero, double *out, perp_refusal *why) {
    const char *allowed = zero ? "a number >= 0" : "a number > 0";
    if (!pp_get_f64(r->file, name, out, 1)) return bad(r, name, "nothing", allowed, why);
    if (isfinite(*out) && (*out > 0 || (zero && *out == 0))) return PERP_OK;
    char found[32];
    snprintf(found, sizeof found, "%.17g", *out);
    return bad(r, name, found, allowed, why);
}

static perp_status read_header(perp_recording *r, perp_refusal *why) {
    perp_recording_info *a = &r->info;
    char format[64] = "";
    uint64_t study;
    if (pp_get_u64(r->file, "perp-study", &study))
        return bad(r, "", "results of a study", "a recording (perp study reads results)", why);
    if (!pp_get_text(r->file, "format", format, sizeof format))
        return bad(r, "format", "nothing", "\"perp recording\"", why);
    if (strcmp(format, "perp recording") != 0) {
        char found[80], clean[64];
        snprintf(found, sizeof found, "\"%s\"", pp_printable(clean, sizeof clean, format, strlen(format)));
        return bad(r, "format", found, "\"perp recording\"", why);
    }
    uint64_t version, dim = 0, every = 0, what = 0, compression = 0, finished = 0, frames = 0, files = 0;
    perp_status st =
        header_whole(r, "version", 1, PERP_RECORDING_VERSION, "6 or older (a newer perp is needed)", &version, why);
    if (st) return st;
    a->version = (int)version;
    if (!pp_get_text(r->file, "program", r->program, sizeof r->program))
        return bad(r, "program", "nothing", "text", why);
    if (!pp_get_text(r->file, "title", r->title, sizeof r->title)) return bad(r, "title", "nothing", "text", why);
    static const char *const kind[3] = {"length", "mass", "time"};
    for (int i = 0; i < 3; i++)
        if (!pp_get_text(r->file, kind[i], r->unit[i], sizeof r->unit[i]))
            return bad(r, kind[i], "nothing", "a unit, or no letters", why);
    a->units = (perp_units){r->unit[0], r->unit[1], r->unit[2]};
    a->program = r->program;
    a->title = r->title;
    st = header_whole(r, "dim", 2, 3, "2 or 3", &dim, why);
    if (!st) st = header_number(r, "h", false, &a->h, why);
    if (!st) st = header_number(r, "duration", true, &a->duration, why);
    if (!st) st = header_whole(r, "every", 1, INT_MAX, "a whole number >= 1", &every, why);
    if (!st) st = header_whole(r, "what", 0, PERP_RECORD_ALL, "0 to 127", &what, why);
    if (!st) st = header_whole(r, "compression", 0, 9, "0 to 9", &compression, why);
    if (!st) st = header_whole(r, "finished", 0, 1, "0 or 1", &finished, why);
    if (!st) st = header_whole(r, "frames", 1, UINT64_MAX / 1024, "1 or more", &frames, why);
    if (!st) st = header_whole(r, "files", 1, INT_MAX, "1 or more", &files, why);
    if (st) return st;
    a->dim = (int)dim;
    a->choice = (perp_record_choice){(unsigned)what, (int)every, (int)compression};
    a->finished = finished;
    a->frames = r->extent[PP_N_FRAMES] = frames;
    r->files = (int)files;
    return PERP_OK;
}

/* ---- datasets ---- */

/* The required shape as text, with letters for extents that are not known yet. */
static void wanted_shape(const perp_recording *r, pp_dataset d, char *out, size_t size) {
    const pp_entry *e = &pp_layout[d];
    pp_extent parts[2] = {e->rows, e->cols};
    size_t n = 0;
    out[0] = 0;
    if (d == PP_D_CHECK_SUMS) {
        snprintf(out, size, "2 x %d", pp_figure_columns());
        return;
    }
    for (int i = 0; i < 2 && n < size; i++) {
        if (i && parts[i] == PP_N_ONE) continue;
        const char *times = i ? " x " : "";
        if (r->extent[parts[i]] == UNKNOWN)
            n += (size_t)snprintf(out + n, size - n, "%s%s", times, pp_extent_letter(parts[i]));
        else
            n += (size_t)snprintf(out + n, size - n, "%s%llu", times, (unsigned long long)r->extent[parts[i]]);
    }
    if (e->width && n < size) snprintf(out + n, size - n, " x %d", e->width);
}

static bool shape_fits(perp_recording *r, pp_dataset d, const pp_found *f) {
    const pp_entry *e = &pp_layout[d];
    if (d == PP_D_CHECK_SUMS) /* older versions had fewer figures; they are not resumed */
        return f->rank == 2 && f->dim[0] == 2 &&
               (r->info.version < PERP_RECORDING_VERSION || f->dim[1] == (hsize_t)pp_figure_columns());
    pp_extent parts[2] = {e->rows, e->cols};
    int at = 0;
    if (f->rank != 1 + (e->cols != PP_N_ONE) + (e->width != 0)) return false;
    for (int i = 0; i < 2; i++) {
        if (i && parts[i] == PP_N_ONE) continue;
        uint64_t *want = &r->extent[parts[i]];
        if (*want == UNKNOWN && (parts[i] == PP_N_CONTACTS || f->dim[at] < INT_MAX)) *want = f->dim[at];
        if (*want != f->dim[at++]) return false;
    }
    return e->width == 0 || f->dim[at] == (hsize_t)e->width;
}

static perp_status open_set(perp_recording *r, pp_dataset d, perp_refusal *why) {
    const pp_entry *e = &pp_layout[d];
    char found[256], shape[128], allowed[256];
    pp_found f;
    r->set[d] = pp_open_plain(r->file, e->path);
    if (r->set[d] < 0) {
        if (pp_sealed_trouble(r->file)[0]) return pp_recording_trouble(r, e->path, why);
        wanted_shape(r, d, shape, sizeof shape);
        snprintf(allowed, sizeof allowed, "%s, %s", pp_type_words(e->type), shape);
        return bad(r, e->path, "nothing", allowed, why);
    }
    if (!pp_type_is(r->set[d], e->type)) {
        pp_found_type(r->set[d], found, sizeof found);
        return bad(r, e->path, found, pp_type_words(e->type), why);
    }
    if (!pp_look(r->set[d], r->info.file_size, &f, found, sizeof found)) {
        if (pp_sealed_trouble(r->file)[0]) return pp_recording_trouble(r, e->path, why);
        return bad(r, e->path, found, "what perp writes", why);
    }
    if (!shape_fits(r, d, &f)) {
        wanted_shape(r, d, shape, sizeof shape);
        pp_found_shape(f.rank, f.dim, found, sizeof found);
        return bad(r, e->path, found, shape, why);
    }
    r->text[d] = f.size;
    r->info.raw_size += f.bytes;
    return PERP_OK;
}

/* Reads a whole dataset; texts get a final zero each. Never called with more than pp_look() has let through. Returns the array, for the caller
 * to free even if *st is not PERP_OK. */
static void *read_all(perp_recording *r, pp_dataset d, perp_status *st, perp_refusal *why) {
    hsize_t dims[3];
    int rank = pp_layout_dims(d, r->extent, dims);
    uint64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    size_t one = pp_layout[d].type == PP_TEXT ? r->text[d] + 1 : pp_type_size(pp_layout[d].type);
    void *out = n > PTRDIFF_MAX / one ? NULL : pp_alloc(&r->alloc, (size_t)n * one);
    *st = out ? PERP_OK : pp_recording_no_memory(r, why);
    if (!out || n == 0) return out;
    hid_t t = pp_type_memory(pp_layout[d].type, r->text[d]);
    if (pp_layout[d].type == PP_TEXT && t >= 0) { /* another program may have noted another character set */
        hid_t file_type = H5Dget_type(r->set[d]);
        if (file_type >= 0) {
            H5Tset_cset(t, H5Tget_cset(file_type));
            H5Tclose(file_type);
        }
    }
    bool ok = t >= 0 && H5Dread(r->set[d], t, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    if (t >= 0) H5Tclose(t);
    if (!ok) *st = pp_recording_trouble(r, pp_layout[d].path, why);
    return out;
}

static perp_status finite(const perp_recording *r, pp_dataset d, uint64_t n, perp_refusal *why) {
    const double *x = pp_numbers(r, d);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return bad_number(r, d, i, x[i], "a finite number", why);
    return PERP_OK;
}

static perp_status in_range(const perp_recording *r, pp_dataset d, uint64_t n, int lo, int64_t end, perp_refusal *why) {
    char allowed[64];
    snprintf(allowed, sizeof allowed, end > lo ? "%d to %lld" : "none", lo, (long long)end - 1);
    for (size_t i = 0; i < n; i++) {
        int64_t x = pp_layout[d].type == PP_U8 ? pp_bytes(r, d)[i] : pp_wholes(r, d)[i];
        if (x < lo || x >= end) return bad_number(r, d, i, (double)x, allowed, why);
    }
    return PERP_OK;
}

/* 0 at first, never less than the one before, `end` at last. */
static perp_status ascends(const perp_recording *r, pp_dataset d, uint64_t n, uint64_t end, perp_refusal *why) {
    const int32_t *x = pp_wholes(r, d);
    char allowed[64];
    for (size_t i = 0; i <= n; i++) {
        int64_t lo = i ? x[i - 1] : 0, hi = i ? (int64_t)end : 0;
        if (i == n) lo = (int64_t)end;
        if (x[i] >= lo && x[i] <= hi) continue;
        if (lo < hi)
            snprintf(allowed, sizeof allowed, "%lld to %lld", (long long)lo, (long long)hi);
        else
            snprintf(allowed, sizeof allowed, "%lld", (long long)(i == n ? (int64_t)end : lo));
        return bad_number(r, d, i, x[i], allowed, why);
    }
    return PERP_OK;
}

static perp_status unit_pose(const perp_recording *r, pp_dataset d, uint64_t n, perp_refusal *why) {
    const double *x = pp_numbers(r, d);
    perp_status st = finite(r, d, 7 * n, why);
    for (size_t i = 0; i < n && !st; i++) {
        perp_quat q = {x[7 * i + 3], x[7 * i + 4], x[7 * i + 5], x[7 * i + 6]};
        if (!(fabs(perp_q_norm(q) - 1) <= 1e-6))
            st = bad_number(r, d, i, perp_q_norm(q), "a quaternion of length 1", why);
    }
    return st;
}

static perp_status check_shapes(perp_recording *r, perp_refusal *why) {
    const uint64_t *e = r->extent;
    uint64_t n = e[PP_N_SHAPES];
    if (e[PP_N_SHAPES_1] != n + 1)
        return bad(r, pp_layout[PP_D_SHAPE_FIRST_VERTEX].path, "another length", "one more than shapes/kind", why);
    if (e[PP_N_FACES_1] < 1) return bad(r, pp_layout[PP_D_SHAPE_FACE_START].path, "0", "1 or more", why);
    r->extent[PP_N_FACES] = e[PP_N_FACES_1] - 1;
    perp_status st = in_range(r, PP_D_SHAPE_BODY, n, 0, (int64_t)e[PP_N_BODIES], why);
    if (!st) st = in_range(r, PP_D_SHAPE_KIND, n, 0, PERP_SHAPE_KIND_COUNT, why); /* version 1 had no capsule */
    if (!st) st = in_range(r, PP_D_SHAPE_MATERIAL, n, 0, (int64_t)e[PP_N_MATERIALS], why);
    if (!st) st = unit_pose(r, PP_D_SHAPE_POSE, n, why);
    if (!st) st = finite(r, PP_D_SHAPE_RADIUS, n, why);
    if (!st) st = finite(r, PP_D_SHAPE_HALF_SIZE, 3 * n, why);
    if (!st) st = finite(r, PP_D_SHAPE_NORMAL, 3 * n, why);
    if (!st) st = finite(r, PP_D_SHAPE_OFFSET, n, why);
    if (!st) st = finite(r, PP_D_SHAPE_VERTEX, 3 * e[PP_N_VERTICES], why);
    if (!st) st = ascends(r, PP_D_SHAPE_FIRST_VERTEX, n, e[PP_N_VERTICES], why);
    if (!st) st = ascends(r, PP_D_SHAPE_FIRST_FACE, n, e[PP_N_FACES], why);
    if (!st) st = ascends(r, PP_D_SHAPE_FACE_START, e[PP_N_FACES], e[PP_N_FACE_CORNERS], why);
    if (st) return st;
    const int32_t *first_vertex = pp_wholes(r, PP_D_SHAPE_FIRST_VERTEX),
                  *first_face = pp_wholes(r, PP_D_SHAPE_FIRST_FACE), *start = pp_wholes(r, PP_D_SHAPE_FACE_START),
                  *corner = pp_wholes(r, PP_D_SHAPE_FACE_VERTEX);
    r->face_start = pp_alloc(&r->alloc, (size_t)(e[PP_N_FACES] + n) * sizeof *r->face_start);
    if (!r->face_start) return pp_recording_no_memory(r, why);
    for (size_t i = 0; i < n; i++) {
        int nv = first_vertex[i + 1] - first_vertex[i], base = start[first_face[i]];
        for (int k = first_face[i]; k <= first_face[i + 1]; k++) r->face_start[(size_t)k + i] = start[k] - base;
        for (int k = base; k < start[first_face[i + 1]]; k++)
            if (corner[k] < 0 || corner[k] >= nv)
                return bad_number(r, PP_D_SHAPE_FACE_VERTEX, (size_t)k, corner[k], "a corner of its shape", why);
    }
    return PERP_OK;
}

static perp_status check_joints(perp_recording *r, perp_refusal *why) {
    uint64_t n = r->extent[PP_N_JOINTS], nb = r->extent[PP_N_BODIES], at = 0;
    perp_status st = in_range(r, PP_D_JOINT_KIND, n, 0, PERP_JOINT_KIND_COUNT, why);
    if (!st) st = in_range(r, PP_D_JOINT_A, n, -1, (int64_t)nb, why);
    if (!st) st = in_range(r, PP_D_JOINT_B, n, -1, (int64_t)nb, why);
    if (!st) st = unit_pose(r, PP_D_JOINT_POSE_A, n, why);
    if (!st) st = unit_pose(r, PP_D_JOINT_POSE_B, n, why);
    for (size_t i = 0; i < n && !st; i++) {
        int coords = perp_joint_ncoord((perp_joint_kind)pp_bytes(r, PP_D_JOINT_KIND)[i], r->info.dim);
        int32_t found = pp_wholes(r, PP_D_JOINT_COORDS)[i], first = pp_wholes(r, PP_D_JOINT_FIRST_COORD)[i];
        if (coords < 0)
            return bad_number(r, PP_D_JOINT_KIND, i, pp_bytes(r, PP_D_JOINT_KIND)[i], "a kind of this dimension", why);
        bool bodies = pp_bytes(r, PP_D_JOINT_KIND)[i] < PERP_JOINT_COUPLING; /* the kinds behind it have none */
        if (bodies != (pp_wholes(r, PP_D_JOINT_B)[i] >= 0)) {
            char allowed[64] = "-1: a coupling or tendon has no bodies";
            if (bodies) snprintf(allowed, sizeof allowed, "0 to %lld", (long long)nb - 1);
            return bad_number(r, PP_D_JOINT_B, i, pp_wholes(r, PP_D_JOINT_B)[i], allowed, why);
        }
        if (found != coords) return bad_number(r, PP_D_JOINT_COORDS, i, found, "as many as the kind of joint has", why);
        if (first < 0 || (uint64_t)first != at)
            return bad_number(r, PP_D_JOINT_FIRST_COORD, i, first, "the sum of the coordinates before it", why);
        at += (uint64_t)coords;
    }
    r->extent[PP_N_COORDS] = at;
    return st;
}

static perp_status check_springs(perp_recording *r, perp_refusal *why) {
    uint64_t n = r->extent[PP_N_SPRINGS], nb = r->extent[PP_N_BODIES];
    if (r->set[PP_D_SPRING_A] < 0) return PERP_OK; /* older */
    perp_status st = in_range(r, PP_D_SPRING_A, n, -1, (int64_t)nb, why);
    if (!st) st = in_range(r, PP_D_SPRING_B, n, 0, (int64_t)nb, why);
    if (!st) st = finite(r, PP_D_SPRING_POINT_A, 3 * n, why);
    if (!st) st = finite(r, PP_D_SPRING_POINT_B, 3 * n, why);
    if (!st) st = finite(r, PP_D_SPRING_REST, n, why);
    if (!st) st = in_range(r, PP_D_SHAPE_VISUAL, r->extent[PP_N_SHAPES], 0, 2, why);
    return st ? st : finite(r, PP_D_SHAPE_SURFACE, 3 * r->extent[PP_N_SHAPES], why);
}

static perp_status check_sensors(perp_recording *r, perp_refusal *why) {
    uint64_t n = r->extent[PP_N_SENSORS], at = 0;
    perp_status st = n ? in_range(r, PP_D_SENSOR_KIND, n, 0, PERP_SENSOR_KIND_COUNT, why) : PERP_OK;
    for (size_t i = 0; i < n && !st; i++) {
        int32_t first = pp_wholes(r, PP_D_SENSOR_FIRST)[i];
        if (first < 0 || (uint64_t)first != at)
            return bad_number(r, PP_D_SENSOR_FIRST, i, first, "the sum of the numbers before it", why);
        at += (uint64_t)perp_sensor_size((perp_sensor_kind)pp_bytes(r, PP_D_SENSOR_KIND)[i]);
    }
    r->extent[PP_N_READINGS] = at;
    return st;
}

static perp_status check_statics(perp_recording *r, perp_refusal *why) {
    const uint64_t *e = r->extent;
    if (e[PP_N_MATERIALS] < 1) return bad(r, pp_layout[PP_D_MATERIAL_MU].path, "0 x 0", "1 x 1 or more", why);
    perp_status st = in_range(r, PP_D_BODY_KIND, e[PP_N_BODIES], 0, 3, why);
    if (!st) st = in_range(r, PP_D_BODY_PARTICLE, e[PP_N_BODIES], 0, 2, why);
    if (!st) st = finite(r, PP_D_BODY_MASS, e[PP_N_BODIES], why);
    if (!st) st = finite(r, PP_D_BODY_INERTIA, 9 * e[PP_N_BODIES], why);
    if (!st && r->set[PP_D_BODY_SUPPORT] >= 0) st = finite(r, PP_D_BODY_SUPPORT, 9 * e[PP_N_BODIES], why);
    if (!st) st = finite(r, PP_D_MATERIAL_MU, e[PP_N_MATERIALS] * e[PP_N_MATERIALS], why);
    if (!st) st = check_shapes(r, why);
    if (!st) st = check_joints(r, why);
    if (!st) st = check_springs(r, why);
    if (!st) st = check_sensors(r, why);
    return st;
}

/* ---- frames ---- */

static perp_status check_frames(perp_recording *r, perp_refusal *why) {
    perp_recording_info *a = &r->info;
    perp_status st;
    r->step = read_all(r, PP_D_STEP, &st, why);
    if (!st) r->time = read_all(r, PP_D_TIME, &st, why);
    if (st) return st;
    for (uint64_t i = 0; i < a->frames; i++) {
        if (r->step[i] > UINT64_MAX / 2 || r->step[i] != r->step[0] + i * (uint64_t)a->choice.every)
            return bad_number(r, PP_D_STEP, (size_t)i, (double)r->step[i], "steps as far apart as `every` says", why);
        if (!isfinite(r->time[i]) || (i && !(r->time[i] > r->time[i - 1])))
            return bad_number(r, PP_D_TIME, (size_t)i, r->time[i], "a time after that of the frame before", why);
    }
    a->t0 = r->time[0];
    a->t1 = r->time[a->frames - 1];
    a->step0 = r->step[0];
    a->step1 = r->step[a->frames - 1];
    if (r->set[PP_D_CONTACT_FIRST] < 0) {
        r->extent[PP_N_CONTACTS] = 0;
        return PERP_OK;
    }
    r->first = read_all(r, PP_D_CONTACT_FIRST, &st, why);
    if (!st) r->count = read_all(r, PP_D_CONTACT_COUNT, &st, why);
    if (st) return st;
    uint64_t at = 0, end = r->extent[PP_N_CONTACTS];
    for (uint64_t i = 0; i < a->frames; i++) {
        if (r->first[i] != at)
            return bad_number(r, PP_D_CONTACT_FIRST, (size_t)i, (double)r->first[i], "the sum of the counts before it",
                              why);
        if (r->count[i] > INT_MAX || r->count[i] > end - at)
            return bad_number(r, PP_D_CONTACT_COUNT, (size_t)i, r->count[i], "as many as there are rows", why);
        at += r->count[i];
    }
    if (at != end)
        return bad_number(r, PP_D_CONTACT_COUNT, (size_t)a->frames - 1, r->count[a->frames - 1],
                          "counts that add up to the rows of contacts", why);
    return PERP_OK;
}

/* Sizes of the files of the scene count as stored, too. */
static perp_status check_files(perp_recording *r, perp_refusal *why) {
    for (int i = 0; i < r->files; i++) {
        char path[64], found[256];
        snprintf(path, sizeof path, "scene/file_%d", i);
        hid_t set = pp_open_plain(r->file, path);
        pp_found f = {0};
        if (set < 0) return bad(r, path, "nothing", "bytes", why);
        bool ok = pp_look(set, r->info.file_size, &f, found, sizeof found);
        if (ok && (!pp_type_is(set, PP_U8) || f.rank != 1)) {
            pp_found_type(set, found, sizeof found);
            ok = false;
        }
        H5Dclose(set);
        if (!ok) return bad(r, path, found, "bytes", why);
        r->info.raw_size += f.bytes;
    }
    return PERP_OK;
}

static perp_status load(perp_recording *r, perp_refusal *why) {
    perp_status st = read_header(r, why);
    if (!st) st = check_files(r, why);
    if (!(H5Lexists(r->file, "sensors", H5P_DEFAULT) > 0)) r->extent[PP_N_SENSORS] = 0;
    bool rolls =
        H5Lexists(r->file, "contacts", H5P_DEFAULT) > 0 && H5Lexists(r->file, "contacts/roll_impulse", H5P_DEFAULT) > 0;
    r->extent[PP_N_ROLLING] = rolls ? 2 : 0;
    for (int d = 0; d < PP_DATASET_COUNT && !st; d++) {
        if (pp_layout_grows((pp_dataset)d) ||
            !pp_layout_present((pp_dataset)d, r->info.choice.what, r->info.dim, r->info.version, r->extent))
            continue;
        st = open_set(r, (pp_dataset)d, why);
        bool kept = d != PP_D_CHECK_STATE && d != PP_D_CHECK_SUMS;
        if (!st && kept) r->data[d] = read_all(r, (pp_dataset)d, &st, why);
    }
    if (!st) st = check_statics(r, why);
    for (int d = 0; d < PP_DATASET_COUNT && !st; d++) {
        if (!pp_layout_grows((pp_dataset)d) ||
            !pp_layout_present((pp_dataset)d, r->info.choice.what, r->info.dim, r->info.version, r->extent))
            continue;
        st = open_set(r, (pp_dataset)d, why);
    }
    if (!st) st = check_frames(r, why);
    if (!st && r->set[PP_D_SOLVER_SOLVER] >= 0) {
        r->nsolver = pp_get_words(r->set[PP_D_SOLVER_SOLVER], "names", r->solver, 1 + PERP_FALLBACK_MAX);
        if (r->nsolver < 0) st = bad(r, "solver/solver", "no names", "the attribute names: 1 to 5 solvers", why);
    }
    if (st) return st;
    r->info.nbody = (int)r->extent[PP_N_BODIES];
    r->info.nshape = (int)r->extent[PP_N_SHAPES];
    r->info.njoint = (int)r->extent[PP_N_JOINTS];
    r->info.nspring = (int)r->extent[PP_N_SPRINGS];
    r->info.nsensor = (int)r->extent[PP_N_SENSORS];
    r->info.nmaterial = (int)r->extent[PP_N_MATERIALS];
    r->info.ncontact = r->extent[PP_N_CONTACTS];
    return PERP_OK;
}

perp_status pp_recording_load(const char *path, hid_t file, bool borrowed, uint64_t file_size, perp_recording **out,
                              perp_refusal *why) {
    perp_allocator alloc = {0};
    perp_recording *r = pp_alloc(&alloc, sizeof *r);
    *out = NULL;
    if (!r) {
        if (!borrowed) pp_sealed_close(file);
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory");
    }
    *r = (perp_recording){.file = file, .borrowed = borrowed, .info.file_size = file_size};
    for (int d = 0; d < PP_DATASET_COUNT; d++) r->set[d] = -1;
    for (int e = 1; e < PP_EXTENT_COUNT; e++) r->extent[e] = UNKNOWN;
    r->extent[PP_N_ONE] = 1;
    r->path = pp_copy_text(&alloc, path);
    pp_quiet q = pp_quiet_begin();
    perp_status st;
    if (r->path) {
        st = load(r, why);
    } else {
        st = pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory");
    }
    pp_quiet_end(q);
    if (st)
        perp_recording_close(r);
    else
        *out = r;
    return st;
}

/* ---- public ---- */

perp_status perp_recording_open(const char *path, perp_recording **out, perp_refusal *why) {
    perp_refusal mine;
    *out = NULL;
    hid_t file = pp_sealed_open_read(path, why ? why : &mine);
    if (file < 0) return why ? why->status : mine.status;
    struct stat s;
    hsize_t seen = 0; /* a journal that is still there may hold more than the file */
    uint64_t size = stat(path, &s) == 0 && s.st_size > 0 ? (uint64_t)s.st_size : 0;
    if (H5Fget_filesize(file, &seen) >= 0 && seen > size) size = seen;
    return pp_recording_load(path, file, false, size, out, why);
}

perp_status perp_recording_open_memory(const char *path, const void *data, size_t size, perp_recording **out,
                                       perp_refusal *why) {
    perp_refusal mine;
    *out = NULL;
    hid_t file = pp_sealed_open_memory(path, data, size, why ? why : &mine);
    if (file < 0) return why ? why->status : mine.status;
    return pp_recording_load(path, file, false, size, out, why);
}

void perp_recording_close(perp_recording *r) {
    if (!r) return;
    pp_quiet q = pp_quiet_begin();
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (r->set[d] >= 0) H5Dclose(r->set[d]);
        pp_free(&r->alloc, r->data[d]);
    }
    if (!r->borrowed) pp_sealed_close(r->file);
    pp_quiet_end(q);
    for (int i = 0; i < r->nname; i++) pp_free(&r->alloc, r->name[i]);
    void *const owned[] = {r->path, r->face_start, r->step, r->first, r->count, r->time, r->contact, r->rows, r->name};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pp_free(&r->alloc, owned[i]);
    perp_allocator a = r->alloc;
    pp_free(&a, r);
}

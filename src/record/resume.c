/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* resume.c - continuing a recording from its last commit, of a scene or of a world made in C
 * Method   the file is checked as for reading; its scene must be equal to the given one, byte by byte. Then the saved state is
 *          restored, the sums since the last frame and those of all frames are read, and rows are appended. State and sums are
 *          stored exactly, so the continuation is bitwise identical to an uninterrupted run. */
#include "record/reader.h"
#include "record/writer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

bool pp_sums_unpack(const perp_recorder *r, const double *row, pp_sum *s) {
    *s = (pp_sum){.c = PERP_CERTIFICATE_NONE};
    s->c.t = *row++;
    double solver = *row++;
    if (!(solver == PP_NO_SOLVER || (solver >= 0 && solver < r->nsolver))) return false;
    if (solver != PP_NO_SOLVER) s->c.solver = r->solver[(int)solver];
    for (int i = 0; i < pp_nfigure; i++) {
        char *to = (char *)s + pp_figures[i].offset;
        for (int k = 0; k < pp_figures[i].count; k++, row++) {
            if (!pp_figures[i].whole) {
                memcpy(to, row, sizeof *row);
                continue;
            }
            bool shape = pp_figure_is_shape(pp_figures[i].d);
            if (!(*row >= (shape ? -1 : 0) && *row <= INT_MAX)) return false;
            int x = (int)*row;
            if (shape && x >= (int)r->extent[PP_N_SHAPES]) return false;
            if (shape && x >= 0) x = (int)r->shape[x].slot;
            memcpy(to + (size_t)k * sizeof x, &x, sizeof x);
        }
    }
    s->c.accepted = s->c.substeps > 0;
    return isfinite(s->c.t);
}

static perp_status other_scene(const perp_recorder *r, const char *what, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_ARG, (pp_location){r->path, 0, 0}, "scene",
                           "found another scene than the one recorded (%s); allowed: the recording's own", what);
}

/* The text of a file of the recording, with a zero at its end; to be freed. NULL: it cannot be read. */
static char *recorded_text(const perp_recorder *r, int i, size_t *size) {
    char path[64], named[PP_TEXT_MAX + 1];
    snprintf(path, sizeof path, "scene/file_%d", i);
    hid_t set = pp_open_plain(r->file, path), space = set >= 0 ? H5Dget_space(set) : -1;
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    char *data = n >= 0 && pp_get_text(set, "path", named, sizeof named) ? pp_alloc(&r->alloc, (size_t)n + 1) : NULL;
    if (data && n > 0 && H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        pp_free(&r->alloc, data);
        data = NULL;
    }
    if (data) {
        data[n] = 0;
        *size = (size_t)n;
    }
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return data;
}

static bool same_text(const perp_recorder *r, int i, perp_source_file mine) {
    size_t size = 0;
    char *data = recorded_text(r, i, &size);
    bool same = data && size == mine.size && (size == 0 || memcmp(data, mine.data, size) == 0);
    pp_free(&r->alloc, data);
    return same;
}

/* ---- a world of a program ---- */

/* Whether a line of a scene is about the run and not the world: a key of perp_scene_words. */
static bool of_the_run(const char *line) {
    static const char *const key[] = {"title:", "about:", "units:", "duration:", "record:"};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (!strncmp(line, key[i], strlen(key[i]))) return true;
    return false;
}

static const char *next_line(const char *text) {
    while (*text && *text++ != '\n') {}
    while (*text && of_the_run(text))
        while (*text && *text++ != '\n') {}
    return text;
}

/* Compares the scene text of the world with that in the recording. */
static perp_status same_world(const perp_recorder *r, perp_refusal *why) {
    size_t size = 0;
    char *recorded = recorded_text(r, 0, &size);
    if (!recorded) return pp_recorder_trouble(r, "scene/file_0", why);
    const char *a = recorded, *b = perp_scene_file_at(r->scene, 0).data; /* both begin with perp: 1 */
    size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
    while (*a && *b && na == nb && memcmp(a, b, na) == 0) {
        a = next_line(a);
        b = next_line(b);
        na = strcspn(a, "\n");
        nb = strcspn(b, "\n");
    }
    perp_status st = PERP_OK;
    if (*a || *b) { /* show where the two lines differ, with a little context before */
        size_t k = 0;
        while (k < na && k < nb && a[k] == b[k]) k++;
        k = k > 60 ? k - 60 : 0;
        st = pp_complain_say(why, PERP_E_ARG, (pp_location){r->path, 0, 0}, "scene",
                             "found another world than the one recorded: \"%.*s\" in place of \"%.*s\"; allowed: the "
                             "world made in the same way, as it was when the recording began",
                             (int)(nb - k < 120 ? nb - k : 120), b + k, (int)(na - k < 120 ? na - k : 120), a + k);
    }
    pp_free(&r->alloc, recorded);
    return st;
}

/* Checks that the world is the one that was recorded. */
static perp_status same_scene(const perp_recorder *r, const perp_recording *in, perp_refusal *why) {
    static const pp_extent counts[] = {PP_N_BODIES,    PP_N_SHAPES,      PP_N_JOINTS,     PP_N_COORDS,  PP_N_VERTICES,
                                       PP_N_MATERIALS, PP_N_DEFINITIONS, PP_N_PARAMETERS, PP_N_READINGS};
    if (in->info.version != PERP_RECORDING_VERSION)
        return pp_complain_say(why, PERP_E_ARG, pp_recording_place(in), "version",
                               "found version %d, which has no checkpoint of this one; allowed: %d", in->info.version,
                               PERP_RECORDING_VERSION);
    perp_status st = r->own_scene ? same_world(r, why) : PERP_OK;
    if (st) return st;
    if (in->info.dim != perp_world_dim(r->w)) return other_scene(r, "its dimension", why);
    if (in->info.h != perp_world_h(r->w)) return other_scene(r, "its time step", why);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (r->extent[counts[i]] != in->extent[counts[i]]) return other_scene(r, "its bodies, shapes or joints", why);
    if (in->files != perp_scene_file_count(r->scene)) return other_scene(r, "its files", why);
    if (r->own_scene) return PERP_OK; /* same_world() has seen to the text */
    for (int i = 0; i < in->files; i++)
        if (!same_text(r, i, perp_scene_file_at(r->scene, i))) return other_scene(r, "the text of its files", why);
    for (int i = 0; i < (int)in->extent[PP_N_DEFINITIONS]; i++) {
        perp_definition d = perp_scene_definition_at(r->scene, i);
        if (strcmp(d.name, pp_words(in, PP_D_DEFINITION_NAME, i)) != 0 ||
            strcmp(d.value, pp_words(in, PP_D_DEFINITION_VALUE, i)) != 0)
            return other_scene(r, "its definitions", why);
    }
    return PERP_OK;
}

static perp_status take_sums(perp_recorder *r, const perp_recording *in, perp_refusal *why) {
    double sums[2 * 64];
    size_t n = (size_t)pp_figure_columns();
    const char *path = pp_layout[PP_D_CHECK_SUMS].path;
    if (H5Dread(in->set[PP_D_CHECK_SUMS], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, sums) < 0)
        return pp_recording_trouble(in, path, why);
    if (pp_sums_unpack(r, sums, &r->since) && pp_sums_unpack(r, sums + n, &r->total)) return PERP_OK;
    return pp_complain(why, PERP_E_ARG, pp_recording_place(in), path, "numbers that cannot be", "what perp writes");
}

static perp_status take_state(perp_recorder *r, const perp_recording *in, perp_refusal *why) {
    const char *path = pp_layout[PP_D_CHECK_STATE].path;
    uint64_t size = in->extent[PP_N_STATE], step;
    char *saved = pp_alloc(&r->alloc, (size_t)size);
    if (!saved) return pp_recording_no_memory(in, why);
    perp_status st = PERP_OK;
    if (size == 0 || H5Dread(in->set[PP_D_CHECK_STATE], H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, saved) < 0)
        st = pp_recording_trouble(in, path, why);
    else if (!pp_get_u64(in->set[PP_D_CHECK_STATE], "step", &step) || step < in->info.step1 ||
             step - in->info.step1 >= (uint64_t)in->info.choice.every)
        st = pp_complain(why, PERP_E_ARG, pp_recording_place(in), path, "another step", "one after the last frame");
    else if (perp_world_set_state(r->w, saved, (size_t)size))
        st = pp_complain(why, PERP_E_ARG, pp_recording_place(in), path, "a state that does not fit the scene",
                         "what perp writes");
    else if (perp_world_steps(r->w) != step)
        st = pp_complain(why, PERP_E_ARG, pp_recording_place(in), path, "a state of another step", "what perp writes");
    pp_free(&r->alloc, saved);
    return st;
}

static perp_status take_up(perp_recorder *r, perp_recording *in, perp_refusal *why) {
    perp_status st = same_scene(r, in, why);
    if (!st) st = take_sums(r, in, why);
    if (st) return st;
    double seconds = 0;
    st = pp_recording_column(in, &(pp_slab){PP_D_SECONDS, in->info.frames - 1, 1, 0, 0}, &seconds, why);
    if (!st) st = take_state(r, in, why); /* last of what can fail for the file's sake: it changes the world */
    if (st) return st;
    r->choice = in->info.choice;
    memcpy(r->extent, in->extent, sizeof r->extent);
    r->frames = in->info.frames;
    r->step0 = in->info.step0;
    r->last_step = perp_world_steps(r->w);
    if (seconds > 0) r->began -= seconds;
    return PERP_OK;
}

/* own_scene: the scene, if it is to be the recorder's own, also after a failure. */
static perp_status resume(const char *path, const perp_scene *scene, perp_scene *own_scene, perp_recorder **out,
                          perp_refusal *why) {
    perp_recorder *r = NULL;
    perp_recording *in = NULL;
    perp_status st = pp_recorder_new(path, scene, (perp_record_choice){0, 1, 0}, &r, why);
    if (st) {
        perp_scene_close(own_scene);
        return st;
    }
    r->own_scene = own_scene;
    pp_quiet q = pp_quiet_begin();
    r->file = pp_sealed_open_write(path, why);
    if (r->file < 0) {
        st = why->status;
    } else {
        hsize_t size = 0;
        if (H5Fget_filesize(r->file, &size) < 0) st = pp_recorder_trouble(r, "", why);
        if (!st) st = pp_recording_load(path, r->file, true, size, &in, why);
        if (!st) st = take_up(r, in, why);
    }
    perp_recording_close(in);
    if (!st) st = pp_recorder_columns(r, false, why);
    if (!st) {
        r->state = pp_open_growing(r->file, PP_D_CHECK_STATE, 65536);
        if (r->state < 0) st = pp_recorder_trouble(r, pp_layout[PP_D_CHECK_STATE].path, why);
    }
    pp_quiet_end(q);
    if (st)
        pp_recorder_free(r);
    else
        *out = r;
    return st;
}

perp_status perp_recorder_resume(const char *path, const perp_scene *scene, perp_recorder **out, perp_refusal *why) {
    perp_refusal mine;
    *out = NULL;
    return resume(path, scene, NULL, out, why ? why : &mine);
}

perp_status perp_recorder_resume_world(const char *path, perp_world *w, perp_recorder **out, perp_refusal *why) {
    perp_refusal mine;
    perp_scene *scene;
    *out = NULL;
    if (!why) why = &mine;
    perp_status st = perp_scene_of_world(w, NULL, &scene, why);
    return st ? st : resume(path, scene, scene, out, why);
}

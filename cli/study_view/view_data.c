/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_data.c - rows of a study for the page: read once, and again when a file has changed.
 *
 * A file of results is whole at every moment, so it is read while a sweep writes it. All rows are read again then: 100,000
 * rows take a fraction of a second, and the page asks every two seconds at most. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "study/design.h"
#include "study_view/study_view.h"

static perp_status say(perp_refusal *why, perp_status st, const char *path, const char *text) {
    *why = (perp_refusal){.status = st};
    (void)snprintf(why->text, sizeof why->text, "%.300s: %s", path, text);
    return st;
}

static view_stamp stamp_of(const char *path) {
    struct stat st;
    if (stat(path, &st)) return (view_stamp){-1, 0, 0};
    return (view_stamp){(long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
}

static bool same_stamp(view_stamp a, view_stamp b) {
    return a.size == b.size && a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

/* ---- files ---- */

static perp_status open_files(const study_view *v, pp_study_file **f, perp_refusal *why) {
    for (int i = 0; i < v->nfile; i++) {
        perp_status st = pp_study_file_open(v->path[i], &f[i], why);
        if (st) return st;
        uint64_t plan = v->study ? v->info.plan : pp_study_file_info(f[0])->plan;
        if (pp_study_file_info(f[i])->plan == plan) continue;
        return say(why, PERP_E_ARG, v->path[i],
                   v->study ? "another study is in this file now; begin perp again to see it"
                            : "found another study than in the first file; allowed: parts of one study");
    }
    return PERP_OK;
}

/* The study itself. Of a search also which designs there were: trials then set the free parameters. */
static perp_status read_study(study_view *v, pp_study_file *f, perp_refusal *why) {
    perp_status st = pp_study_file_study(f, NULL, &v->study, why);
    if (st) return st;
    v->search = v->study->design != 0 && pp_study_file_info(f)->trials == 0;
    if (!v->search) return PERP_OK;
    pp_design d = {0};
    st = pp_design_read(v->study, &d, why);
    if (!st && d.sample) v->designs = (uint64_t)d.stage[0].evaluations;
    pp_design_free(&d);
    return st;
}

/* Numbers must be those of the plan: cells are found by them. */
static perp_status check_rows(const study_view *v, const pp_table *t, perp_refusal *why) {
    if (v->search || t->n == 0) return PERP_OK;
    if (v->info.trials == 0 || pp_table_row(t, t->n - 1)->number < v->info.trials) return PERP_OK;
    return say(why, PERP_E_ARG, v->path[0], "found a trial whose number the study does not have");
}

/* Reads all rows. Called with the lock of HDF5. */
static perp_status read_all(study_view *v, perp_refusal *why) {
    pp_study_file **f = calloc((size_t)v->nfile, sizeof *f);
    pp_table t = {0};
    if (!f) return say(why, PERP_E_MEMORY, v->path[0], "not enough memory");
    for (int i = 0; i < v->nfile; i++) v->stamp[i] = stamp_of(v->path[i]); /* before: what comes meanwhile is news */
    perp_status st = open_files(v, f, why);
    if (!st && !v->study) st = read_study(v, f[0], why);
    if (!st) {
        const pp_study_info *info = pp_study_file_info(f[0]);
        uint64_t trials = 0;
        for (int i = 0; i < v->nfile; i++) /* a sweep that was made longer may have only some of its parts so far */
            if (pp_study_file_info(f[i])->trials > trials) trials = pp_study_file_info(f[i])->trials;
        v->info = *info;
        v->info.trials = trials;
        pp_table_init(&t, v->study);
        st = pp_table_load(&t, f, v->nfile, why);
    }
    if (!st) st = check_rows(v, &t, why);
    for (int i = 0; i < v->nfile; i++) pp_study_file_close(f[i]);
    free(f);
    if (st) {
        pp_table_free(&t);
        return st;
    }
    pp_table_free(&v->table);
    v->table = t;
    return PERP_OK;
}

/* ---- from outside ---- */

perp_status study_view_open(study_view *v, const char *const *path, int n, perp_refusal *why) {
    *v = (study_view){.path = path, .nfile = n};
    if (pthread_mutex_init(&v->hdf5, NULL)) return say(why, PERP_E_MEMORY, path[0], "no lock can be made");
    v->stamp = calloc((size_t)n, sizeof *v->stamp);
    perp_status st = v->stamp ? read_all(v, why) : say(why, PERP_E_MEMORY, path[0], "not enough memory");
    if (!st) st = study_view_make_maps(v, why);
    if (st) study_view_close(v);
    return st;
}

perp_status study_view_refresh(study_view *v, perp_refusal *why) {
    bool same = true;
    for (int i = 0; i < v->nfile; i++) same = same && same_stamp(v->stamp[i], stamp_of(v->path[i]));
    if (same) return PERP_OK;
    pthread_mutex_lock(&v->hdf5);
    perp_status st = read_all(v, why);
    pthread_mutex_unlock(&v->hdf5);
    if (st) v->stamp[0] = (view_stamp){-2, 0, 0}; /* ask again */
    return st || !v->search ? st : study_view_list_designs(v, why);
}

void study_view_close(study_view *v) {
    study_view_free_maps(v);
    pp_table_free(&v->table);
    pp_study_close(v->study);
    free(v->stamp);
    pthread_mutex_destroy(&v->hdf5);
    *v = (study_view){0};
}

const pp_row *study_view_row(const study_view *v, uint64_t number) { return pp_table_find(&v->table, number); }

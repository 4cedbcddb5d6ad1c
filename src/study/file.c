/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* file.c - writing and opening study files; see file.h. Rows are read by file_read.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "study/file_internal.h"

#define CHUNK_BYTES \
    16384 /* approximate bytes of a chunk of a column: large enough to compress well, small because each commit compresses the last chunk again */
#define CACHE_SLOTS 7 /* chunks of a column that HDF5 may keep: a prime number above their number */
#define CACHE_BYTES (2 * CHUNK_BYTES)
#define WAITING     512 /* rows kept in memory until they are handed to HDF5 */

#define ROW(field) offsetof(pp_row, field)
const pp_study_column pp_study_columns[PP_COLUMNS] = {
    {"trials/number", PP_U64, ROW(number), 1, "", "number of the trial"},
    {"trials/outcome", PP_U8, ROW(outcome), 1, "", "0 done, 1 ended early, 2 unsolved, 3 refused, 4 not measured"},
    {"trials/steps", PP_U32, ROW(steps), 1, "", "steps taken"},
    {"trials/t_end", PP_F64, ROW(t_end), 1, "T", "time at the end"},
    {"trials/law", PP_F64, ROW(law), 1, "", "worst law residual, as a part of the speeds at hand"},
    {"trials/overlap", PP_F64, ROW(overlap), 1, "L", "deepest true overlap of two bodies"},
    {"trials/joint_error", PP_F64, ROW(joint_error), 1, "L", "largest joint error"},
    {"trials/remainder", PP_F64, ROW(remainder), 1, "M L^2/T^2", "largest remainder of the energy account in a step"},
    {"trials/hash", PP_U64, ROW(hash), 1, "", "hash of the final state"},
    {"trials/seconds", PP_F64, ROW(seconds), 1, "s", "processor time; differs from run to run"},
    {"trials/parameter", PP_F64, ROW(value), PP_WIDTH_PARAMETERS, "", "values of all parameters, see plan/parameter"},
    {"trials/measure", PP_F64, ROW(value), PP_WIDTH_MEASURES, "", "what was measured, see plan/measure"}};

int pp_study_width(const pp_study_file *f, int column) {
    int w = pp_study_columns[column].width;
    return w == PP_WIDTH_PARAMETERS ? f->info.nparameter : w == PP_WIDTH_MEASURES ? f->info.nmeasure : w;
}

size_t pp_study_offset(const pp_study_file *f, int column) {
    size_t at = pp_study_columns[column].offset;
    return pp_study_columns[column].width == PP_WIDTH_MEASURES ? at + sizeof(double) * (size_t)f->info.nparameter : at;
}

perp_status pp_study_file_trouble(const pp_study_file *f, const char *key, perp_refusal *why) {
    const char *words = pp_sealed_trouble(f->file);
    return pp_complain_say(why, PERP_E_IO, (pp_location){f->path, 0, 0}, key, "%s",
                           *words ? words : "the file cannot be written or read");
}

static perp_status no_memory(const pp_study_file *f, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){f->path, 0, 0}, "", "not enough memory");
}

/* ---- the plan ---- */

static uint64_t hash_text(uint64_t h, const char *text) { return pp_hash(h, text, strlen(text) + 1); }

static uint64_t hash_node(uint64_t h, const pp_tree *t, uint32_t n) {
    const pp_node *x = &t->node[n];
    h = pp_hash(h, &x->kind, sizeof x->kind);
    h = pp_hash(h, &x->length, sizeof x->length);
    if (x->kind == PP_NODE_SCALAR) return hash_text(h, pp_yaml_text(t, n));
    for (uint32_t c = x->first; c; c = t->node[c].next) h = hash_node(h, t, c);
    return h;
}

/* The pairs of the map `map` (0: none) but for those with a key of the list `but`. */
static uint64_t hash_map(uint64_t h, const pp_tree *t, uint32_t map, const char *const *but) {
    if (!map || t->node[map].kind != PP_NODE_MAP) return map ? hash_node(h, t, map) : h;
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        const char *const *skip = but;
        while (*skip && strcmp(*skip, pp_yaml_text(t, k)) != 0) skip++;
        if (!*skip) h = hash_node(hash_node(h, t, k), t, t->node[k].next);
    }
    return h;
}

uint64_t pp_study_plan(const pp_study *s, const pp_study_options *o, bool search) {
    /* keys that are read elsewhere or do not influence trials: reports and checks may be changed after a sweep */
    static const char *const of_study[] = {"title",  "about",  "source", "scene",    "sample", "values",
                                           "report", "checks", "design", "estimate", NULL};
    static const char *const of_sample[] = {"count", "seed", NULL}, *const of_design[] = {"checks", "verify", NULL};
    const pp_tree *t = &s->tree;
    uint64_t h = hash_map(PP_HASH_START, t, 1, of_study);
    h = hash_map(h, t, pp_yaml_get(t, 1, "sample"), of_sample);
    if (search) h = hash_map(h, t, s->design, of_design);
    for (int i = 0; i < perp_scene_file_count(s->scene); i++) {
        perp_source_file file = perp_scene_file_at(s->scene, i);
        h = pp_hash(h, file.data, file.size);
    }
    for (int i = 0; i < s->nparameter; i++) h = pp_hash_double(hash_text(h, s->parameter[i]), s->base[i]);
    for (int i = 0; o && i < o->nonly; i++) h = hash_text(h, o->only[i]);
    h = pp_hash(h, &s->seed, sizeof s->seed);
    /* more samples leave those before them as they are, but not in a Latin hypercube, and not in a search, where a trial's
     * number follows from it */
    return search || s->method == PP_DRAW_LATIN ? pp_hash(h, &s->count, sizeof s->count) : h;
}

/* ---- a new file ---- */

static bool put_source(hid_t file, int i, perp_source_file s) {
    char path[32];
    (void)snprintf(path, sizeof path, "source/%d", i);
    hid_t set = pp_put_bytes(file, path, s.data, s.size, 4);
    bool ok = set >= 0 && pp_put_text(set, "path", s.path);
    if (set >= 0) H5Dclose(set);
    return ok;
}

static bool put_sources(hid_t file, const pp_study *s) {
    perp_source_file own = {s->path, s->data, s->size};
    int n = perp_scene_file_count(s->scene);
    bool ok = pp_put_group(file, "source") && put_source(file, 0, own);
    for (int i = 0; ok && i < n; i++) ok = put_source(file, 1 + i, perp_scene_file_at(s->scene, i));
    return ok && pp_put_u64(file, "sources", (uint64_t)n + 1);
}

static bool put_options(hid_t file, const pp_study *s, const pp_study_options *o) {
    size_t room = 200;
    for (int i = 0; o && i < o->ndefine; i++) room += strlen(o->define[i].name) + strlen(o->define[i].value) + 16;
    for (int i = 0; o && i < o->nonly; i++) room += strlen(o->only[i]) + 16;
    char *text = pp_alloc(&s->alloc, room);
    if (!text) return false;
    size_t n = 0;
    for (int i = 0; o && i < o->ndefine; i++)
        n += (size_t)snprintf(text + n, room - n, "define %s=%s\n", o->define[i].name, o->define[i].value);
    for (int i = 0; o && i < o->nonly; i++) n += (size_t)snprintf(text + n, room - n, "only %s\n", o->only[i]);
    n += (size_t)snprintf(text + n, room - n, "seed %llu\ncount %llu\n", (unsigned long long)s->seed,
                          (unsigned long long)s->count);
    hid_t set = pp_put_bytes(file, "source/options", text, n, 0);
    pp_free(&s->alloc, text);
    if (set >= 0) H5Dclose(set);
    return set >= 0;
}

static bool put_names(hid_t file, const char *path, int n, const char *(*name)(const pp_study *, int),
                      const pp_study *s) {
    char *text = pp_alloc(&s->alloc, 64 * (size_t)(n + 1));
    if (!text) return false;
    memset(text, 0, 64 * (size_t)(n + 1));
    for (int i = 0; i < n; i++) (void)snprintf(text + 64 * i, 64, "%.63s", name(s, i));
    hsize_t dims[1] = {(hsize_t)n};
    hid_t type = pp_type_file(PP_TEXT, 64), space = H5Screate_simple(1, dims, NULL);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    pp_free(&s->alloc, text);
    return ok;
}

static const char *parameter_name(const pp_study *s, int i) { return s->parameter[i]; }
static const char *measure_name(const pp_study *s, int i) { return s->measure[i].name; }

static hid_t put_growing(hid_t file, const char *path, hid_t type, int width, bool flat) {
    hsize_t dims[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width}, chunk[2];
    size_t row = H5Tget_size(type) * (size_t)width;
    chunk[0] = CHUNK_BYTES / (row ? row : 1) + 1;
    chunk[1] = (hsize_t)width;
    int rank = flat ? 1 : 2;
    hid_t p = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t space = H5Screate_simple(rank, dims, most), set = H5I_INVALID_HID;
    /* Rows are only added, so HDF5 needs the last chunk. Its default would keep 1 MB of each column in memory. */
    bool ok = p >= 0 && access >= 0 && space >= 0 && H5Pset_chunk(p, rank, chunk) >= 0 && H5Pset_shuffle(p) >= 0 &&
              H5Pset_deflate(p, 1) >= 0 && H5Pset_chunk_cache(access, CACHE_SLOTS, CACHE_BYTES, 1) >= 0;
    if (ok) set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, p, access);
    if (p >= 0) H5Pclose(p);
    if (access >= 0) H5Pclose(access);
    if (space >= 0) H5Sclose(space);
    return set;
}

static bool put_columns(pp_study_file *f) {
    bool ok = pp_put_group(f->file, "trials") && pp_put_group(f->file, "failures");
    for (int c = 0; ok && c < PP_COLUMNS; c++) {
        const pp_study_column *x = &pp_study_columns[c];
        int width = pp_study_width(f, c);
        if (width == 0) continue;
        hid_t type = pp_type_file(x->type, 1);
        f->set[c] = put_growing(f->file, x->path, type, width, x->width == 1);
        H5Tclose(type);
        ok = f->set[c] >= 0 && pp_put_notes(f->set[c], x->unit, x->about);
    }
    hid_t text = pp_type_file(PP_TEXT, PP_TRIAL_WHY), number = pp_type_file(PP_U64, 1);
    if (ok) f->failed_number = put_growing(f->file, "failures/number", number, 1, true);
    if (ok) f->failed_why = put_growing(f->file, "failures/why", text, 1, true);
    H5Tclose(text);
    H5Tclose(number);
    return ok && f->failed_number >= 0 && f->failed_why >= 0;
}

pp_study_file *pp_study_file_new(const char *path, perp_refusal *why) {
    static const perp_allocator plain = {0};
    pp_study_file *f = pp_alloc(&plain, sizeof *f);
    if (f) {
        *f = (pp_study_file){.alloc = plain, .file = -1, .failed_number = -1, .failed_why = -1};
        for (int c = 0; c < PP_COLUMNS; c++) f->set[c] = -1;
        f->path = pp_copy_text(&plain, path);
    }
    if (f && f->path) return f;
    pp_free(&plain, f);
    (void)pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "not enough memory");
    return NULL;
}

static perp_status room_for_rows(pp_study_file *f, perp_refusal *why) {
    f->row_size = sizeof(pp_row) + sizeof(double) * (size_t)(f->info.nparameter + f->info.nmeasure);
    f->waiting_rows = pp_alloc(&f->alloc, f->row_size * WAITING);
    f->packed = pp_alloc(&f->alloc, (f->row_size + PP_TRIAL_WHY) * WAITING);
    return f->waiting_rows && f->packed ? PERP_OK : no_memory(f, why);
}

perp_status pp_study_file_create(const char *path, const pp_study *s, const pp_study_options *o, uint64_t trials,
                                 pp_study_file **out, perp_refusal *why) {
    *out = NULL;
    pp_study_file *f = pp_study_file_new(path, why);
    if (!f) return PERP_E_MEMORY;
    f->info = (pp_study_info){.plan = pp_study_plan(s, o, trials == 0),
                              .trials = trials,
                              .nparameter = s->nparameter,
                              .nmeasure = s->nmeasure};
    perp_status st = room_for_rows(f, why);
    if (!st) {
        f->file = pp_sealed_create(path, why);
        if (f->file < 0) st = PERP_E_IO;
    }
    if (!st) {
        char program[64];
        (void)snprintf(program, sizeof program, "perp %s", perp_version());
        pp_quiet q = pp_quiet_begin();
        bool ok = pp_put_u64(f->file, "perp-study", PP_STUDY_VERSION) && pp_put_text(f->file, "program", program) &&
                  pp_put_text(f->file, "title", s->title) && pp_put_u64(f->file, "plan", f->info.plan) &&
                  pp_put_u64(f->file, "trials", trials) && put_sources(f->file, s) && put_options(f->file, s, o) &&
                  pp_put_group(f->file, "plan") &&
                  put_names(f->file, "plan/parameter", s->nparameter, parameter_name, s) &&
                  put_names(f->file, "plan/measure", s->nmeasure, measure_name, s) && put_columns(f);
        pp_quiet_end(q);
        st = ok ? pp_study_file_commit(f, why) : pp_study_file_trouble(f, "", why);
        if (st) remove(path);
    }
    if (st) {
        pp_study_file_close(f);
        return st;
    }
    *out = f;
    return PERP_OK;
}

perp_status pp_study_file_extend(const char *path, const pp_study *s, uint64_t plan, pp_study_file **out,
                                 perp_refusal *why) {
    *out = NULL;
    pp_study_file *f = pp_study_file_new(path, why);
    if (!f) return PERP_E_MEMORY;
    f->file = pp_sealed_open_write(path, why);
    perp_status st = f->file < 0 ? (why && why->status ? why->status : PERP_E_IO) : pp_study_file_load(f, why);
    if (!st && f->info.plan != plan)
        st =
            pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, "", "results of another study, scene or parameters",
                        "the file of this study; another --output begins a new one");
    if (!st && !pp_study_file_fits(f, s))
        st = pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, "", "other parameters or measures",
                         "the file of this study");
    if (!st) st = room_for_rows(f, why);
    if (st) {
        pp_study_file_close(f);
        return st;
    }
    *out = f;
    return PERP_OK;
}

perp_status pp_study_file_copy(const char *path, pp_study_file *from, pp_study_file **out, perp_refusal *why) {
    static const char *const groups[] = {"source", "plan"};
    static const char *const wholes[] = {"plan", "trials", "sources"};
    *out = NULL;
    pp_study_file *f = pp_study_file_new(path, why);
    if (!f) return PERP_E_MEMORY;
    f->info = from->info;
    f->info.rows = 0;
    f->sources = from->sources;
    perp_status st = room_for_rows(f, why);
    if (!st) {
        f->file = pp_sealed_create(path, why);
        if (f->file < 0) st = PERP_E_IO;
    }
    if (!st) {
        uint64_t x = 0;
        pp_quiet q = pp_quiet_begin();
        bool ok = pp_put_u64(f->file, "perp-study", PP_STUDY_VERSION) &&
                  pp_put_text(f->file, "program", from->info.program) &&
                  pp_put_text(f->file, "title", from->info.title);
        for (int i = 0; ok && i < 3; i++)
            ok = pp_get_u64(from->file, wholes[i], &x) && pp_put_u64(f->file, wholes[i], x);
        for (int i = 0; ok && i < 2; i++)
            ok = H5Ocopy(from->file, groups[i], f->file, groups[i], H5P_DEFAULT, H5P_DEFAULT) >= 0;
        ok = ok && put_columns(f);
        pp_quiet_end(q);
        st = ok ? pp_study_file_commit(f, why) : pp_study_file_trouble(f, "", why);
        if (st) remove(path);
    }
    if (st)
        pp_study_file_close(f);
    else
        *out = f;
    return st;
}

/* ---- rows ---- */

bool pp_study_transfer(hid_t set, hid_t type, uint64_t first, uint64_t n, int width, void *out, const void *in) {
    hsize_t start[2] = {first, 0}, count[2] = {n, (hsize_t)width};
    hid_t there = H5Dget_space(set);
    int rank = there >= 0 ? H5Sget_simple_extent_ndims(there) : -1;
    hid_t here = rank > 0 ? H5Screate_simple(rank, count, NULL) : H5I_INVALID_HID;
    bool ok = here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    if (ok)
        ok = (out ? H5Dread(set, type, here, there, H5P_DEFAULT, out)
                  : H5Dwrite(set, type, here, there, H5P_DEFAULT, in)) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return ok;
}

static bool append(hid_t set, hid_t type, uint64_t first, uint64_t n, int width, const void *data) {
    hsize_t dim[2] = {first + n, (hsize_t)width};
    return H5Dset_extent(set, dim) >= 0 && pp_study_transfer(set, type, first, n, width, NULL, data);
}

static bool write_column(pp_study_file *f, int c) {
    const pp_study_column *x = &pp_study_columns[c];
    int width = pp_study_width(f, c);
    if (width == 0) return true;
    size_t bytes = pp_type_size(x->type) * (size_t)width, at = pp_study_offset(f, c);
    for (int i = 0; i < f->waiting; i++)
        memcpy(f->packed + (size_t)i * bytes, f->waiting_rows + (size_t)i * f->row_size + at, bytes);
    hid_t type = pp_type_memory(x->type, 1);
    bool ok = append(f->set[c], type, f->info.rows, (uint64_t)f->waiting, width, f->packed);
    H5Tclose(type);
    return ok;
}

static bool write_failures(pp_study_file *f) {
    uint64_t number[WAITING];
    int n = 0;
    for (int i = 0; i < f->waiting; i++) {
        const pp_row *row = (const pp_row *)(const void *)(f->waiting_rows + (size_t)i * f->row_size);
        if (!row->why[0]) continue;
        number[n] = row->number;
        memcpy(f->packed + (size_t)n++ * PP_TRIAL_WHY, row->why, PP_TRIAL_WHY);
    }
    if (n == 0) return true;
    hid_t text = pp_type_file(PP_TEXT, PP_TRIAL_WHY);
    bool ok = append(f->failed_number, H5T_NATIVE_UINT64, f->failures, (uint64_t)n, 1, number) &&
              append(f->failed_why, text, f->failures, (uint64_t)n, 1, f->packed);
    H5Tclose(text);
    f->failures += (uint64_t)n;
    return ok;
}

static perp_status flush(pp_study_file *f, perp_refusal *why) {
    if (f->waiting == 0) return PERP_OK;
    pp_quiet q = pp_quiet_begin();
    bool ok = true;
    for (int c = 0; ok && c < PP_COLUMNS; c++) ok = write_column(f, c);
    ok = ok && write_failures(f);
    pp_quiet_end(q);
    if (!ok) return pp_study_file_trouble(f, "trials", why);
    f->info.rows += (uint64_t)f->waiting;
    f->waiting = 0;
    return PERP_OK;
}

perp_status pp_study_file_add(pp_study_file *f, const pp_row *row, perp_refusal *why) {
    perp_status st = f->waiting == WAITING ? flush(f, why) : PERP_OK;
    if (st) return st;
    memcpy(f->waiting_rows + (size_t)f->waiting * f->row_size, row, f->row_size);
    f->waiting++;
    return PERP_OK;
}

perp_status pp_study_file_commit(pp_study_file *f, perp_refusal *why) {
    perp_status st = flush(f, why);
    return st ? st : pp_sealed_commit(f->file, why);
}

perp_status pp_study_file_expect(pp_study_file *f, uint64_t trials, perp_refusal *why) {
    pp_quiet q = pp_quiet_begin();
    bool ok = pp_put_u64(f->file, "trials", trials);
    pp_quiet_end(q);
    f->info.trials = trials;
    return ok ? PERP_OK : pp_study_file_trouble(f, "trials", why);
}

void pp_study_file_close(pp_study_file *f) {
    if (!f) return;
    pp_quiet q = pp_quiet_begin();
    for (int c = 0; c < PP_COLUMNS; c++)
        if (f->set[c] >= 0) H5Dclose(f->set[c]);
    if (f->failed_number >= 0) H5Dclose(f->failed_number);
    if (f->failed_why >= 0) H5Dclose(f->failed_why);
    pp_quiet_end(q);
    if (f->file >= 0) pp_sealed_close(f->file);
    pp_free(&f->alloc, f->waiting_rows);
    pp_free(&f->alloc, f->packed);
    pp_free(&f->alloc, f->path);
    pp_free(&f->alloc, f);
}

const pp_study_info *pp_study_file_info(const pp_study_file *f) { return &f->info; }

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* file_read.c - opening study files and reading rows. Types, shapes and numbers of the file are checked before they
 * are used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "study/file_internal.h"

#define SOURCES_MAX 300        /* files of a study: itself, the scene, what the scene names */
#define SOURCE_MAX  (64 << 20) /* bytes of one of them */
#define BLOCK       1024       /* rows at a time */

static pp_location place(const pp_study_file *f) { return (pp_location){f->path, 0, 0}; }

static perp_status bad(const pp_study_file *f, const char *key, const char *found, perp_refusal *why) {
    return pp_complain(why, PERP_E_ARG, place(f), key, found, "what perp sweep and perp design write");
}

static perp_status no_memory(const pp_study_file *f, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, place(f), "", "not enough memory");
}

/* ---- opening ---- */

/* Opens a dataset of that type; its shape in `found`. */
static perp_status open_set(pp_study_file *f, const char *path, pp_type type, hid_t *set, pp_found *found,
                            perp_refusal *why) {
    hsize_t size = 0;
    char words[200];
    H5Fget_filesize(f->file, &size);
    *set = pp_open_plain(f->file, path);
    if (*set < 0) return bad(f, path, "no such dataset", why);
    if (!pp_look(*set, size, found, words, sizeof words)) return bad(f, path, words, why);
    if (!pp_type_is(*set, type)) {
        pp_found_type(*set, words, sizeof words);
        return bad(f, path, words, why);
    }
    return PERP_OK;
}

static perp_status load_header(pp_study_file *f, perp_refusal *why) {
    uint64_t version = 0, sources = 0;
    if (!pp_get_u64(f->file, "perp-study", &version))
        return pp_complain(why, PERP_E_ARG, place(f), "", "a file that is no study",
                           "a file of perp sweep or perp design");
    if (version != PP_STUDY_VERSION) {
        char found[64];
        (void)snprintf(found, sizeof found, "version %llu of the layout", (unsigned long long)version);
        return pp_complain(why, PERP_E_ARG, place(f), "perp-study", found, "version 1");
    }
    if (!pp_get_u64(f->file, "plan", &f->info.plan) || !pp_get_u64(f->file, "trials", &f->info.trials) ||
        !pp_get_u64(f->file, "sources", &sources) || sources < 2 || sources > SOURCES_MAX)
        return bad(f, "", "attributes that are missing or wrong", why);
    f->sources = (int)sources;
    if (!pp_get_text(f->file, "title", f->info.title, sizeof f->info.title)) f->info.title[0] = 0;
    if (!pp_get_text(f->file, "program", f->info.program, sizeof f->info.program)) f->info.program[0] = 0;
    return PERP_OK;
}

static perp_status count_names(pp_study_file *f, const char *path, int *n, perp_refusal *why) {
    hid_t set;
    pp_found found;
    perp_status st = open_set(f, path, PP_TEXT, &set, &found, why);
    if (!st && (found.rank != 1 || found.dim[0] > PP_STUDY_VARIABLES)) st = bad(f, path, "too many names", why);
    if (!st) *n = (int)found.dim[0];
    if (set >= 0) H5Dclose(set);
    return st;
}

static perp_status load_columns(pp_study_file *f, perp_refusal *why) {
    bool first = true;
    for (int c = 0; c < PP_COLUMNS; c++) {
        const pp_study_column *x = &pp_study_columns[c];
        int width = pp_study_width(f, c);
        pp_found found;
        if (width == 0) continue;
        perp_status st = open_set(f, x->path, x->type, &f->set[c], &found, why);
        if (st) return st;
        bool flat = x->width == 1;
        if (found.rank != (flat ? 1 : 2) || (!flat && found.dim[1] != (hsize_t)width) ||
            (!first && found.dim[0] != f->info.rows)) {
            char shape[64];
            pp_found_shape(found.rank, found.dim, shape, sizeof shape);
            return bad(f, x->path, shape, why);
        }
        f->info.rows = found.dim[0];
        first = false;
    }
    pp_found number, text;
    perp_status st = open_set(f, "failures/number", PP_U64, &f->failed_number, &number, why);
    if (!st) st = open_set(f, "failures/why", PP_TEXT, &f->failed_why, &text, why);
    if (!st && (number.rank != 1 || text.rank != 1 || number.dim[0] != text.dim[0] || text.size != PP_TRIAL_WHY))
        st = bad(f, "failures", "another shape", why);
    if (!st) f->failures = number.dim[0];
    return st;
}

perp_status pp_study_file_load(pp_study_file *f, perp_refusal *why) {
    pp_quiet q = pp_quiet_begin();
    perp_status st = load_header(f, why);
    if (!st) st = count_names(f, "plan/parameter", &f->info.nparameter, why);
    if (!st) st = count_names(f, "plan/measure", &f->info.nmeasure, why);
    if (!st) st = load_columns(f, why);
    pp_quiet_end(q);
    f->row_size = sizeof(pp_row) + sizeof(double) * (size_t)(f->info.nparameter + f->info.nmeasure);
    return st;
}

static perp_status open_with(pp_study_file *f, pp_study_file **out, perp_refusal *why) {
    perp_status st = f->file < 0 ? (why && why->status ? why->status : PERP_E_IO) : pp_study_file_load(f, why);
    if (st)
        pp_study_file_close(f);
    else
        *out = f;
    return st;
}

bool pp_study_file_is(const char *path) {
    perp_refusal unheard;
    uint64_t version;
    hid_t file = pp_sealed_open_read(path, &unheard);
    pp_quiet q = pp_quiet_begin();
    bool is = file >= 0 && pp_get_u64(file, "perp-study", &version);
    if (file >= 0) pp_sealed_close(file);
    pp_quiet_end(q);
    return is;
}

perp_status pp_study_file_open(const char *path, pp_study_file **out, perp_refusal *why) {
    perp_refusal unheard;
    if (!why) why = &unheard;
    *out = NULL;
    pp_study_file *f = pp_study_file_new(path, why);
    if (!f) return PERP_E_MEMORY;
    f->file = pp_sealed_open_read(path, why);
    return open_with(f, out, why);
}

perp_status pp_study_file_open_memory(const char *path, const void *data, size_t size, pp_study_file **out,
                                      perp_refusal *why) {
    *out = NULL;
    pp_study_file *f = pp_study_file_new(path, why);
    if (!f) return PERP_E_MEMORY;
    f->file = pp_sealed_open_memory(path, data, size, why);
    return open_with(f, out, why);
}

/* ---- rows ---- */

static bool read_rows(hid_t set, hid_t type, uint64_t first, uint64_t n, int width, void *out) {
    return pp_study_transfer(set, type, first, n, width, out, NULL);
}

/* Rows that failed, in the order of their numbers. */
typedef struct failed_row {
    uint64_t number;
    pp_row *row;
} failed_row;

static int by_failed_number(const void *a, const void *b) {
    const failed_row *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Gives a reason to all rows of that number. */
static void give_reason(failed_row *row, uint64_t n, uint64_t number, const char *text) {
    uint64_t lo = 0, hi = n;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (row[mid].number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < n && row[lo].number == number; lo++) {
        memcpy(row[lo].row->why, text, PP_TRIAL_WHY);
        row[lo].row->why[PP_TRIAL_WHY - 1] = 0;
    }
}

static perp_status fill_reasons(pp_study_file *f, uint64_t n, char *row, perp_refusal *why) {
    uint64_t number[BLOCK], failed = 0;
    if (f->failures == 0) return PERP_OK;
    failed_row *of = pp_alloc(&f->alloc, sizeof *of * (size_t)(n + 1));
    char *text = pp_alloc(&f->alloc, (size_t)BLOCK * PP_TRIAL_WHY);
    perp_status st = of && text ? PERP_OK : no_memory(f, why);
    for (uint64_t i = 0; !st && i < n; i++) {
        pp_row *r = (pp_row *)(void *)(row + i * f->row_size);
        if (!pp_row_measured(r)) of[failed++] = (failed_row){r->number, r};
    }
    if (!st && failed > 0) qsort(of, (size_t)failed, sizeof *of, by_failed_number);
    hid_t type = pp_type_file(PP_TEXT, PP_TRIAL_WHY);
    for (uint64_t at = 0; !st && failed > 0 && at < f->failures; at += BLOCK) {
        uint64_t k = f->failures - at < BLOCK ? f->failures - at : BLOCK;
        if (!read_rows(f->failed_number, H5T_NATIVE_UINT64, at, k, 1, number) ||
            !read_rows(f->failed_why, type, at, k, 1, text))
            st = pp_study_file_trouble(f, "failures", why);
        for (uint64_t i = 0; !st && i < k; i++) give_reason(of, failed, number[i], text + i * PP_TRIAL_WHY);
    }
    H5Tclose(type);
    pp_free(&f->alloc, of);
    pp_free(&f->alloc, text);
    return st;
}

perp_status pp_study_file_rows(pp_study_file *f, uint64_t first, uint64_t n, bool told, void *row, perp_refusal *why) {
    char *out = row;
    size_t widest = 8;
    for (int c = 0; c < PP_COLUMNS; c++) {
        size_t bytes = 8 * (size_t)pp_study_width(f, c);
        widest = bytes > widest ? bytes : widest;
    }
    char *packed = pp_alloc(&f->alloc, widest * (size_t)(n ? n : 1));
    if (!packed) return no_memory(f, why);
    memset(out, 0, f->row_size * (size_t)n);
    pp_quiet q = pp_quiet_begin();
    perp_status st = PERP_OK;
    for (int c = 0; !st && c < PP_COLUMNS; c++) {
        int width = pp_study_width(f, c);
        if (width == 0) continue;
        size_t bytes = pp_type_size(pp_study_columns[c].type) * (size_t)width, at = pp_study_offset(f, c);
        hid_t type = pp_type_memory(pp_study_columns[c].type, 1);
        if (!read_rows(f->set[c], type, first, n, width, packed)) st = pp_study_file_trouble(f, "trials", why);
        H5Tclose(type);
        for (uint64_t i = 0; !st && i < n; i++) memcpy(out + i * f->row_size + at, packed + i * bytes, bytes);
    }
    if (!st && told) st = fill_reasons(f, n, out, why);
    pp_quiet_end(q);
    pp_free(&f->alloc, packed);
    return st;
}

perp_status pp_study_file_numbers(pp_study_file *f, uint64_t *number, perp_refusal *why) {
    if (f->info.rows == 0) return PERP_OK;
    pp_quiet q = pp_quiet_begin();
    bool ok = read_rows(f->set[PP_COLUMN_NUMBER], H5T_NATIVE_UINT64, 0, f->info.rows, 1, number);
    pp_quiet_end(q);
    return ok ? PERP_OK : pp_study_file_trouble(f, "trials/number", why);
}

/* ---- the study ---- */

static perp_status read_bytes(pp_study_file *f, const char *path, char **data, size_t *size, char *name,
                              size_t name_size, perp_refusal *why) {
    hid_t set;
    pp_found found;
    *data = NULL;
    perp_status st = open_set(f, path, PP_U8, &set, &found, why);
    if (!st && (found.rank != 1 || found.dim[0] > SOURCE_MAX)) st = bad(f, path, "a text that is too long", why);
    if (!st) {
        *size = (size_t)found.dim[0];
        *data = pp_alloc(&f->alloc, *size + 1);
        if (!*data) st = no_memory(f, why);
    }
    if (!st && *size > 0 && H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
        st = pp_study_file_trouble(f, path, why);
    if (!st) (*data)[*size] = 0;
    if (!st && name && !pp_get_text(set, "path", name, name_size)) st = bad(f, path, "no path", why);
    if (set >= 0) H5Dclose(set);
    return st;
}

/* The lines of /source/options. Splits the text in place. */
typedef struct outside {
    pp_study_options o;
    perp_definition define[PP_STUDY_VARIABLES];
    const char *only[PP_STUDY_NAMES];
} outside;

static void read_options(char *text, outside *x) {
    x->o = (pp_study_options){.count = -1, .seed = -1, .define = x->define, .only = x->only};
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        char *equal = strchr(line, '=');
        if (!strncmp(line, "define ", 7) && equal && x->o.ndefine < PP_STUDY_VARIABLES) {
            *equal = 0;
            x->define[x->o.ndefine++] = (perp_definition){line + 7, equal + 1};
        } else if (!strncmp(line, "only ", 5) && x->o.nonly < PP_STUDY_NAMES) {
            x->only[x->o.nonly++] = line + 5;
        } else if (!strncmp(line, "seed ", 5)) {
            x->o.seed = (int64_t)strtoull(line + 5, NULL, 10);
        } else if (!strncmp(line, "count ", 6)) {
            x->o.count = (int64_t)strtoull(line + 6, NULL, 10);
        }
    }
}

bool pp_study_file_fits(const pp_study_file *f, const pp_study *s) {
    return f->info.nparameter == s->nparameter && f->info.nmeasure == s->nmeasure;
}

perp_status pp_study_file_study(pp_study_file *f, const char *other, pp_study **out, perp_refusal *why) {
    perp_source_file file[SOURCES_MAX] = {{NULL, NULL, 0}};
    char(*name)[PP_STUDY_PATH] = pp_alloc(&f->alloc, sizeof *name * (size_t)f->sources);
    char *options = NULL;
    size_t size = 0;
    *out = NULL;
    pp_quiet q = pp_quiet_begin();
    perp_status st = name ? PERP_OK : no_memory(f, why);
    for (int i = 0; !st && i < f->sources; i++) {
        char path[32], *data = NULL;
        (void)snprintf(path, sizeof path, "source/%d", i);
        st = read_bytes(f, path, &data, &size, name[i], sizeof name[i], why);
        file[i] = (perp_source_file){name[i], data, size};
    }
    if (!st) st = read_bytes(f, "source/options", &options, &size, NULL, 0, why);
    pp_quiet_end(q);
    if (!st) {
        outside x;
        read_options(options, &x);
        if (!other) {
            x.o.file = file;
            x.o.nfile = f->sources;
        }
        if (f->info.trials > 0) x.o.count = 0; /* the number of samples follows from that of the trials */
        st = pp_study_open(other ? other : name[0], &x.o, out, why);
        if (!st && f->info.trials > 0 && (*out)->cells > 0 && f->info.trials % (*out)->cells == 0)
            (*out)->count = f->info.trials / (*out)->cells;
        if (!st && other && pp_study_plan(*out, &x.o, f->info.trials == 0) != f->info.plan)
            st = pp_complain(why, PERP_E_ARG, (pp_location){other, 0, 0}, "",
                             "a study with other trials than the results",
                             "one that differs in its texts, values, report and checks only");
        else if (!st && !pp_study_file_fits(f, *out))
            st = bad(f, "plan", "other parameters or measures than its study has", why);
        if (st) pp_study_close(*out), *out = NULL;
    }
    for (int i = 0; i < f->sources; i++) pp_free(&f->alloc, (void *)(uintptr_t)file[i].data);
    pp_free(&f->alloc, options);
    pp_free(&f->alloc, name);
    return st;
}

/* ---- digest ---- */

typedef struct where {
    uint64_t number, row;
    int file;
} where;

static int by_number(const void *a, const void *b) {
    const where *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number ? 1 : x->file - y->file;
}

/* A row without what differs from run to run. */
static uint64_t hash_row(const pp_study_file *f, const pp_row *r) {
    uint64_t h = pp_hash(PP_HASH_START, &r->number, sizeof r->number);
    const double figure[] = {r->t_end, r->law, r->overlap, r->joint_error, r->remainder};
    h = pp_hash(h, &r->outcome, sizeof r->outcome);
    h = pp_hash(h, &r->steps, sizeof r->steps);
    h = pp_hash(h, &r->hash, sizeof r->hash);
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) h = pp_hash_double(h, figure[i]);
    for (int i = 0; i < f->info.nparameter + f->info.nmeasure; i++) h = pp_hash_double(h, r->value[i]);
    return h;
}

/* Row hashes of one file into `out`, in the order of the file. */
static perp_status hash_rows(pp_study_file *f, uint64_t *out, perp_refusal *why) {
    char *block = pp_alloc(&f->alloc, f->row_size * BLOCK);
    perp_status st = block ? PERP_OK : no_memory(f, why);
    for (uint64_t at = 0; !st && at < f->info.rows; at += BLOCK) {
        uint64_t n = f->info.rows - at < BLOCK ? f->info.rows - at : BLOCK;
        st = pp_study_file_rows(f, at, n, false, block, why);
        for (uint64_t i = 0; !st && i < n; i++)
            out[at + i] = hash_row(f, (const pp_row *)(const void *)(block + i * f->row_size));
    }
    pp_free(&f->alloc, block);
    return st;
}

static perp_status twice(const pp_study_file *f, uint64_t number, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_ARG, place(f), "trials",
                           "trial %llu is there twice with different results; these are not parts of one study",
                           (unsigned long long)number);
}

perp_status pp_study_digest(pp_study_file *const *f, int n, uint64_t *out, perp_refusal *why) {
    uint64_t total = 0, at = 0;
    for (int i = 0; i < n; i++) total += f[i]->info.rows;
    const perp_allocator *a = &f[0]->alloc;
    where *w = pp_alloc(a, sizeof *w * (size_t)(total + 1));
    uint64_t *number = pp_alloc(a, sizeof *number * (size_t)(total + 1));
    uint64_t *hash = pp_alloc(a, sizeof *hash * (size_t)(total + 1));
    perp_status st = w && number && hash ? PERP_OK : no_memory(f[0], why);
    for (int i = 0; !st && i < n; at += f[i]->info.rows, i++) {
        st = pp_study_file_numbers(f[i], number + at, why);
        if (!st) st = hash_rows(f[i], hash + at, why);
        for (uint64_t k = 0; !st && k < f[i]->info.rows; k++) w[at + k] = (where){number[at + k], at + k, i};
    }
    if (!st && total > 0) qsort(w, (size_t)total, sizeof *w, by_number);
    uint64_t h = PP_HASH_START;
    for (uint64_t k = 0; !st && k < total; k++) {
        if (k > 0 && w[k].number == w[k - 1].number) {
            if (hash[w[k].row] != hash[w[k - 1].row]) st = twice(f[w[k].file], w[k].number, why);
            continue;
        }
        h = pp_hash(h, &hash[w[k].row], sizeof *hash);
    }
    *out = h;
    pp_free(a, w);
    pp_free(a, number);
    pp_free(a, hash);
    return st;
}

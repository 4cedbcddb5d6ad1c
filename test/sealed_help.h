/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_help.h - a sealed file whose whole contents follow from the number of its last commit, and the check of it. */
#ifndef SEALED_HELP_H
#define SEALED_HELP_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/sealed.h"

#define STEP_ITEMS  5000  /* appended by each commit, in chunks that do not divide it */
#define FIXED_ITEMS 20000 /* overwritten by each commit */
#define BIG_ITEMS   90000 /* there at every third commit: the file grows and shrinks */

/* A new folder for files of the test; removed by folder_remove. */
static inline const char *folder_make(char *out, size_t size) {
    snprintf(out, size, "sealed-XXXXXX");
    return mkdtemp(out);
}
static inline void folder_remove(const char *folder) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) perror(command);
}

static inline int series_value(int i) { return (int)((unsigned)i * 2654435761u >> 3); }
static inline int fixed_value(int commit, int i) {
    return (int)(((unsigned)i + 77777u * (unsigned)commit) * 2246822519u >> 3);
}

static inline void contents_begin(hid_t file) {
    hsize_t n = 0, most = H5S_UNLIMITED, chunk = 4096, fixed = FIXED_ITEMS;
    hid_t space = H5Screate_simple(1, &n, &most), p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(p, 1, &chunk);
    H5Pset_obj_track_times(p, false); /* so that the same contents are the same bytes */
    H5Dclose(H5Dcreate2(file, "series", H5T_NATIVE_INT, space, H5P_DEFAULT, p, H5P_DEFAULT));
    H5Sclose(space);
    space = H5Screate_simple(1, &fixed, NULL);
    H5Pset_layout(p, H5D_CONTIGUOUS);
    H5Dclose(H5Dcreate2(file, "fixed", H5T_NATIVE_INT, space, H5P_DEFAULT, p, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(p);
    space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(file, "commit", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

/* Brings the contents of commit c - 1 to those of commit c. False if HDF5 refuses. */
static inline bool contents_step(hid_t file, int c) {
    int *v = malloc(BIG_ITEMS * sizeof *v);
    hsize_t n = (hsize_t)c * STEP_ITEMS, from = n - STEP_ITEMS, count = STEP_ITEMS;
    hid_t d = H5Dopen2(file, "series", H5P_DEFAULT);
    bool ok = H5Dset_extent(d, &n) >= 0;
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &count, NULL);
    for (int i = 0; i < STEP_ITEMS; i++) v[i] = series_value((int)from + i);
    ok = H5Dwrite(d, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, v) >= 0 && ok;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(d);
    d = H5Dopen2(file, "fixed", H5P_DEFAULT);
    for (int i = 0; i < FIXED_ITEMS; i++) v[i] = fixed_value(c, i);
    ok = H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0 && ok;
    H5Dclose(d);
    hid_t a = H5Aopen(file, "commit", H5P_DEFAULT);
    ok = H5Awrite(a, H5T_NATIVE_INT, &c) >= 0 && ok;
    H5Aclose(a);
    if (c % 3 == 0) {
        hsize_t big = BIG_ITEMS;
        space = H5Screate_simple(1, &big, NULL);
        hid_t p = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_obj_track_times(p, false);
        d = H5Dcreate2(file, "big", H5T_NATIVE_INT, space, H5P_DEFAULT, p, H5P_DEFAULT);
        H5Pclose(p);
        for (int i = 0; i < BIG_ITEMS; i++) v[i] = fixed_value(c + 1, i);
        ok = H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0 && ok;
        H5Dclose(d);
        H5Sclose(space);
    } else if (c % 3 == 1 && c > 1) {
        ok = H5Ldelete(file, "big", H5P_DEFAULT) >= 0 && ok;
    }
    free(v);
    return ok;
}

/* The number of the commit that the file shows in whole; -1: HDF5 could not read it; -2: the parts do not belong
 * together. */
static inline int contents_check(hid_t file) {
    int c = -1, got = -1;
    pp_quiet q = pp_quiet_begin();
    int *v = malloc(BIG_ITEMS * sizeof *v);
    hid_t a = H5Aopen(file, "commit", H5P_DEFAULT), d = -1, space = -1;
    if (a < 0 || H5Aread(a, H5T_NATIVE_INT, &c) < 0) goto end;
    d = H5Dopen2(file, "fixed", H5P_DEFAULT);
    if (d < 0 || H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0) goto end;
    if (c > 0)
        for (int i = 0; i < FIXED_ITEMS; i++)
            if (v[i] != fixed_value(c, i)) {
                got = -2;
                goto end;
            }
    H5Dclose(d);
    d = H5Dopen2(file, "series", H5P_DEFAULT);
    space = d >= 0 ? H5Dget_space(d) : -1;
    if (space < 0) goto end;
    if (H5Sget_simple_extent_npoints(space) != (hssize_t)c * STEP_ITEMS) {
        got = -2;
        goto end;
    }
    for (int k = 0; k < c; k++) {
        hsize_t from = (hsize_t)k * STEP_ITEMS, count = STEP_ITEMS;
        hid_t memory = H5Screate_simple(1, &count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &count, NULL);
        herr_t e = H5Dread(d, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, v);
        H5Sclose(memory);
        if (e < 0) goto end;
        for (int i = 0; i < STEP_ITEMS; i++)
            if (v[i] != series_value((int)from + i)) {
                got = -2;
                goto end;
            }
    }
    htri_t big = H5Lexists(file, "big", H5P_DEFAULT);
    if (big < 0) goto end;
    if ((big > 0) != (c > 0 && c % 3 == 0)) {
        got = -2;
        goto end;
    }
    if (big > 0) {
        H5Dclose(d);
        d = H5Dopen2(file, "big", H5P_DEFAULT);
        if (d < 0 || H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0) goto end;
        for (int i = 0; i < BIG_ITEMS; i++)
            if (v[i] != fixed_value(c + 1, i)) {
                got = -2;
                goto end;
            }
    }
    got = c;
end:
    if (space >= 0) H5Sclose(space);
    if (d >= 0) H5Dclose(d);
    if (a >= 0) H5Aclose(a);
    free(v);
    pp_quiet_end(q);
    return got;
}

/* The commit that a reader sees, or -3 with why. */
static inline int contents_of(const char *path, perp_refusal *why) {
    hid_t f = pp_sealed_open_read(path, why);
    if (f < 0) return -3;
    int c = contents_check(f);
    pp_sealed_close(f);
    return c;
}

/* A file with `commits` commits. */
static inline void contents_make(const char *path, int commits) {
    perp_refusal why = {0};
    hid_t f = pp_sealed_create(path, &why);
    if (f < 0) {
        puts(why.text);
        abort();
    }
    contents_begin(f);
    for (int c = 1; c <= commits; c++)
        if (!contents_step(f, c) || pp_sealed_commit(f, &why) != PERP_OK) {
            puts(why.text);
            abort();
        }
    pp_sealed_close(f);
}

static inline unsigned char *bytes_of(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) abort();
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *p = malloc(*size + 1);
    if (fread(p, 1, *size, f) != *size) abort();
    fclose(f);
    return p;
}
static inline void bytes_to(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
}
static inline bool exists(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}

#endif

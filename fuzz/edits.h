/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* edits.h - well-formed HDF5 files with wrong contents, for the readers beneath the seal.
 *
 * The bytes of the fuzzer are a list of edits of a small good file: datasets are dropped, replaced by others of another type or shape,
 * filled with other numbers; attributes are changed, dropped or given another type; groups and links are put in their place. HDF5 makes
 * the edits on an image in memory, which is then sealed. A target that includes this defines some_path() and, before the first
 * edited(), calls take_base(). Leaks are not looked for (-detect_leaks=0 in tools/fuzz): HDF5 keeps memory for later, so that every run
 * would be searched, which takes longer than the run. */
#ifndef FUZZ_EDITS_H
#define FUZZ_EDITS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/sealed.h"

static unsigned char *base; /* the file without its seal: HDF5 does not see what lies behind its end */
static size_t base_size;

/* The path of a dataset, for any k. */
static const char *some_path(unsigned k);

static void must(bool good) {
    if (!good) abort();
}

/* Reads the good file and removes it. */
static void take_base(const char *path) {
    FILE *f = fopen(path, "rb");
    must(f && !fseek(f, 0, SEEK_END));
    base_size = (size_t)ftell(f);
    rewind(f);
    base = malloc(base_size);
    must(base && fread(base, 1, base_size, f) == base_size);
    fclose(f);
    remove(path);
}

/* ---- the list of edits ---- */

typedef struct bytes {
    const uint8_t *p;
    size_t n;
} bytes;

static unsigned take(bytes *b, int count) {
    unsigned x = 0;
    while (count-- > 0 && b->n > 0) {
        x = x << 8 | *b->p++;
        b->n--;
    }
    return x;
}

/* Numbers that are likely to be wrong, or any. */
static double number(bytes *b) {
    static const double odd[] = {
        0,          -1,       1,         2,   3,      255, 256,          -2147483648.0,         1e10, 1e300,
        2147483647, INFINITY, -INFINITY, NAN, 1e-320, 0.5, 4294967295.0, 1.8446744073709552e19, -0.0, 7};
    unsigned k = take(b, 1);
    if (k < 200) return odd[k % (sizeof odd / sizeof *odd)];
    return (double)(int)take(b, 2) - 100;
}

static hid_t some_type(unsigned k) {
    static hid_t text, varying;
    if (!text) {
        text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, 5);
        varying = H5Tcopy(H5T_C_S1);
        H5Tset_size(varying, H5T_VARIABLE);
    }
    const hid_t type[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I32LE, H5T_STD_U32LE, H5T_STD_I64LE,
                          H5T_STD_U64LE,  H5T_STD_U8LE,   H5T_STD_I8LE,   H5T_STD_U16BE, text,          varying};
    return type[k % (sizeof type / sizeof *type)];
}

static bool varying(hid_t type) { return H5Tis_variable_str(type) > 0; }

static void fill(hid_t d, hid_t space, bytes *b) {
    hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n <= 0 || n > 100000) return;
    double *v = malloc((size_t)n * sizeof *v), x = number(b);
    for (hssize_t i = 0; v && i < n; i++) v[i] = x;
    if (v) H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    free(v);
}

static void replace(hid_t f, const char *path, bytes *b) {
    hsize_t dims[4] = {1, 1, 1, 1};
    int rank = 0;
    unsigned how = take(b, 1), type_from = take(b, 1);
    hid_t type = some_type(type_from), old = H5Dopen2(f, path, H5P_DEFAULT);
    if (old >= 0) { /* begin with what was there */
        hid_t space = H5Dget_space(old);
        rank = H5Sget_simple_extent_ndims(space);
        if (rank < 0 || rank > 3)
            rank = 1;
        else
            H5Sget_simple_extent_dims(space, dims, NULL);
        H5Sclose(space);
        if (how & 1) type = H5Dget_type(old);
        H5Dclose(old);
    }
    if (how & 2) {
        unsigned which = take(b, 1);
        static const hsize_t size[] = {0, 1, 2, 3, 5, 6, 7, 100, 100000, (hsize_t)1 << 31, (hsize_t)1 << 40};
        dims[which % 4] = size[take(b, 1) % (sizeof size / sizeof *size)];
    }
    if (how & 4) rank = (int)(take(b, 1) % 5);
    hid_t space = rank == 0 ? H5Screate(how & 64 ? H5S_NULL : H5S_SCALAR) : H5Screate_simple(rank, dims, NULL);
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    if (how & 8 && rank > 0) {
        hsize_t chunk[4];
        for (int i = 0; i < rank; i++) chunk[i] = dims[i] < 1 ? 1 : dims[i] > 1000 ? 1000 : dims[i];
        H5Pset_chunk(p, rank, chunk);
        if (how & 16) H5Pset_deflate(p, 1);
        if (how & 32) H5Pset_shuffle(p);
        if (how & 128) H5Pset_fletcher32(p);
    } else {
        H5Pset_alloc_time(p, how & 16 ? H5D_ALLOC_TIME_LATE : H5D_ALLOC_TIME_EARLY);
        hsize_t n = 1;
        for (int i = 0; i < rank; i++) n = dims[i] > 1000000 ? 1000001 : n * dims[i] > 1000000 ? 1000001 : n * dims[i];
        if (n > 1000000) H5Pset_alloc_time(p, H5D_ALLOC_TIME_LATE); /* the image stays small */
        if (how & 32) H5Pset_layout(p, H5D_COMPACT);
    }
    H5Ldelete(f, path, H5P_DEFAULT);
    hid_t d = H5Dcreate2(f, path, type, space, H5P_DEFAULT, p, H5P_DEFAULT);
    if (d >= 0) {
        if (!varying(type)) fill(d, space, b);
        H5Dclose(d);
    }
    H5Pclose(p);
    H5Sclose(space);
}

static void change_numbers(hid_t f, const char *path, bytes *b) {
    hid_t d = H5Dopen2(f, path, H5P_DEFAULT);
    if (d < 0) return;
    hid_t space = H5Dget_space(d), type = H5Dget_type(d);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    bool numbers = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
    if (n > 0 && n < 100000 && numbers) {
        double *v = malloc((size_t)n * sizeof *v);
        if (v && H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0) {
            for (int k = 1 + (int)(take(b, 1) % 3); k > 0; k--) v[take(b, 2) % (unsigned)n] = number(b);
            H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
        }
        free(v);
    } else if (n > 0 && n < 10000 && H5Tget_class(type) == H5T_STRING && !varying(type)) {
        size_t size = (size_t)n * H5Tget_size(type);
        char *text = calloc(1, size);
        if (text && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            text[take(b, 2) % size] = (char)take(b, 1);
            H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
        }
        free(text);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(d);
}

/* An attribute of the file or of a dataset. */
static void change_attribute(hid_t f, bytes *b) {
    unsigned where = take(b, 1), which = take(b, 1), how = take(b, 1);
    hid_t at = where < 128 ? f : H5Oopen(f, some_path(take(b, 1)), H5P_DEFAULT);
    if (at < 0) return;
    H5O_info_t info;
    char name[128];
    if (H5Oget_info2(at, &info, H5O_INFO_NUM_ATTRS) >= 0 && info.num_attrs > 0 &&
        H5Aget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, which % info.num_attrs, name, sizeof name,
                           H5P_DEFAULT) > 0) {
        if (how % 3 == 0) {
            H5Adelete(at, name);
        } else if (how % 3 == 1) {
            hid_t a = H5Aopen(at, name, H5P_DEFAULT), space = H5Aget_space(a), type = H5Aget_type(a);
            double v[16] = {0};
            hssize_t n = H5Sget_simple_extent_npoints(space);
            bool numbers = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
            for (int i = 0; i < 16; i++) v[i] = i == 0 ? number(b) : v[0];
            if (n > 0 && n <= 16 && numbers) H5Awrite(a, H5T_NATIVE_DOUBLE, v);
            H5Tclose(type);
            H5Sclose(space);
            H5Aclose(a);
        } else {
            hsize_t n = 1 + take(b, 1) % 20;
            hid_t type = some_type(take(b, 1)),
                  space = how & 64 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
            H5Adelete(at, name);
            hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
            double v[32];
            for (int i = 0; i < 32; i++) v[i] = i == 0 ? number(b) : v[0];
            if (a >= 0 && !varying(type)) H5Awrite(a, H5T_NATIVE_DOUBLE, v);
            if (a >= 0) H5Aclose(a);
            H5Sclose(space);
        }
    }
    if (at != f) H5Oclose(at);
}

static void edit(hid_t f, bytes *b) {
    unsigned how = take(b, 1);
    const char *path = how % 8 == 7 ? "" : some_path(take(b, 1));
    switch (how % 8) {
    case 0: H5Ldelete(f, path, H5P_DEFAULT); break;
    case 1:
    case 2: replace(f, path, b); break;
    case 3:
    case 4:
    case 5: change_numbers(f, path, b); break;
    case 6: {
        const char *other = some_path(take(b, 1));
        H5Ldelete(f, path, H5P_DEFAULT);
        if (how & 8)
            H5Lcreate_hard(f, other, f, path, H5P_DEFAULT, H5P_DEFAULT);
        else if (how & 16)
            H5Lcreate_soft(other, f, path, H5P_DEFAULT, H5P_DEFAULT);
        else {
            hid_t g = H5Gcreate2(f, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            if (g >= 0) H5Gclose(g);
        }
        break;
    }
    default: change_attribute(f, b);
    }
}

/* HDF5 lets go of the image when it has closed the file, and only then it is whole: kept here instead of being freed. */
static unsigned char *kept;

static void *image_new(size_t size, H5FD_file_image_op_t op, void *none) {
    (void)op, (void)none;
    return malloc(size);
}
static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *none) {
    (void)op, (void)none;
    return memcpy(to, from, size);
}
static void *image_grow(void *p, size_t size, H5FD_file_image_op_t op, void *none) {
    (void)op, (void)none;
    return realloc(p, size);
}
static herr_t image_end(void *p, H5FD_file_image_op_t op, void *none) {
    (void)none;
    if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE && !kept)
        kept = p;
    else
        free(p);
    return 0;
}

/* The end of the file as its superblock (of version 2) has it. */
static uint64_t end_of(const unsigned char *image) {
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | image[28 + i];
    return x;
}

/* The edited and sealed image, to be freed; NULL if HDF5 does not want to. */
static unsigned char *edited(bytes *b, size_t *size) {
    H5FD_file_image_callbacks_t calls = {image_new, image_copy, image_grow, image_end, NULL, NULL, NULL};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    H5Pset_file_image_callbacks(access, &calls);
    H5Pset_file_image(access, base, base_size);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    hid_t f = H5Fopen("image.h5", H5F_ACC_RDWR, access);
    H5Pclose(access);
    kept = NULL;
    if (f < 0) return NULL;
    for (int i = 0; i < 12 && b->n > 0; i++) edit(f, b);
    bool good = H5Fclose(f) >= 0;
    uint64_t n = kept ? end_of(kept) : 0;
    unsigned char *image =
        good && n > 0 && n < (64u << 20) ? realloc(kept, (size_t)n + pp_sealed_room((size_t)n)) : NULL;
    if (!image) {
        free(kept);
        return NULL;
    }
    *size = pp_seal_image(image, (size_t)n);
    return image;
}

static void told(perp_status s, const perp_refusal *why) {
    if (s && (why->text[0] == 0 || strchr(why->text, '\n'))) abort(); /* one line, and never none */
}

#endif

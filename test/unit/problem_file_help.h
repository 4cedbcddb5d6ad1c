/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* problem_file_help.h - problems made of random bits, and whether two are the same to the bit. */
#ifndef PERP_TEST_PROBLEM_FILE_HELP_H
#define PERP_TEST_PROBLEM_FILE_HELP_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* fileno, strdup, setrlimit */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "exchange/exchange.h"
#include "perp/solver.h"

#define PROBLEMS PERP_TEST_DIR "/../problems/"

static uint64_t dice = 1;

static inline uint32_t roll(uint32_t n) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % n;
}

/* Any finite number: of all sizes, with every digit used, now and then 0, -0 or the smallest there is. */
static inline double any_number(void) {
    uint32_t k = roll(12);
    if (k == 0) return 0.0;
    if (k == 1) return -0.0;
    if (k == 2) return 4.9406564584124654e-324;
    double x = 0.5 + (double)roll(1u << 30) / (double)(1u << 30) + (double)roll(1u << 22) * 0x1p-52;
    return ldexp(k & 1 ? x : -x, (int)roll(200) - 100);
}

static inline double *numbers(int n) {
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int i = 0; i < n; i++) v[i] = any_number();
    return v;
}
static inline double *positive(int n) {
    double *v = numbers(n);
    for (int i = 0; i < n; i++) v[i] = fabs(v[i]) + 1e-3;
    return v;
}

static inline perp_sparse sparse_numbers(int rows, int cols) {
    int *start = malloc(((size_t)cols + 1) * sizeof *start);
    int *index = malloc(((size_t)rows * (size_t)cols + 1) * sizeof *index);
    int n = 0;
    start[0] = 0;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++)
            if (roll(3) == 0) index[n++] = i;
        start[j + 1] = n;
    }
    return (perp_sparse){rows, cols, start, index, numbers(n)};
}
static inline void free_sparse(perp_sparse *a) {
    free((void *)(uintptr_t)a->start);
    free((void *)(uintptr_t)a->index);
    free((void *)(uintptr_t)a->value);
}

static inline bool same_doubles(const double *a, const double *b, int n) {
    if (!a || !b) return a == b || n == 0;
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}
static inline bool same_sparse(const perp_sparse *a, const perp_sparse *b) {
    if (a->rows != b->rows || a->cols != b->cols) return false;
    if (memcmp(a->start, b->start, ((size_t)a->cols + 1) * sizeof(int)) != 0) return false;
    int n = a->start[a->cols];
    return memcmp(a->index, b->index, (size_t)n * sizeof(int)) == 0 && same_doubles(a->value, b->value, n);
}

/* The same class, sizes and numbers. */
static inline bool same_problem(const perp_problem *a, const perp_problem *b) {
    int n = perp_problem_size(a);
    if (a->cls != b->cls || n != perp_problem_size(b)) return false;
    if (!same_doubles(a->z_scale, b->z_scale, n) || !same_doubles(a->w_scale, b->w_scale, n)) return false;
    switch (a->cls) {
    case PERP_LCP: return same_doubles(a->as.lcp.M, b->as.lcp.M, n * n) && same_doubles(a->as.lcp.q, b->as.lcp.q, n);
    case PERP_MLCP:
        return same_doubles(a->as.mlcp.M, b->as.mlcp.M, n * n) && same_doubles(a->as.mlcp.q, b->as.mlcp.q, n) &&
               same_doubles(a->as.mlcp.lo, b->as.mlcp.lo, n) && same_doubles(a->as.mlcp.hi, b->as.mlcp.hi, n);
    case PERP_SPARSE_MLCP: {
        const perp_sparse_mlcp *p = &a->as.sparse_mlcp, *q = &b->as.sparse_mlcp;
        return same_sparse(&p->M, &q->M) && same_doubles(p->q, q->q, n) && same_doubles(p->lo, q->lo, n) &&
               same_doubles(p->hi, q->hi, n);
    }
    case PERP_QP: {
        const perp_qp *p = &a->as.qp, *q = &b->as.qp;
        return p->n == q->n && p->m == q->m && same_sparse(&p->Q, &q->Q) && same_doubles(p->c, q->c, p->n) &&
               same_doubles(p->lo, q->lo, p->n) && same_doubles(p->hi, q->hi, p->n) &&
               (p->m == 0 || same_sparse(&p->A, &q->A)) && same_doubles(p->row_lo, q->row_lo, p->m) &&
               same_doubles(p->row_hi, q->row_hi, p->m);
    }
    case PERP_CONE:
    case PERP_CONE_QP: {
        const perp_cone *p = &a->as.cone, *q = &b->as.cone;
        if (p->dim != q->dim || p->ncontact != q->ncontact || p->nrow != q->nrow || p->global != q->global)
            return false;
        if (!same_doubles(p->lo, q->lo, p->nrow) || !same_doubles(p->hi, q->hi, p->nrow)) return false;
        if (!same_doubles(p->mu, q->mu, p->ncontact) || !same_doubles(p->axes, q->axes, (p->dim - 1) * p->ncontact))
            return false;
        if (!p->global) return same_sparse(&p->W, &q->W) && same_doubles(p->q, q->q, n);
        return same_sparse(&p->M, &q->M) && same_sparse(&p->H, &q->H) && same_doubles(p->f, q->f, p->M.rows) &&
               same_doubles(p->b, q->b, n) && same_doubles(p->compliance, q->compliance, n);
    }
    case PERP_NCP: break;
    }
    return false;
}

/* Reads a file that must be good. */
static inline perp_stored *good(const char *path, perp_problem_format *format) {
    perp_stored *s = NULL;
    perp_refusal why;
    if (perp_problem_read(path, NULL, &s, format, &why)) fail_msg("%s", why.text);
    return s;
}

static inline void put_text(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

/* The whole file, to be freed. */
static inline char *get_bytes(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0) fail_msg("%s is not there", path);
    char *d = malloc((size_t)st.st_size + 1);
    *size = (size_t)st.st_size;
    assert_int_equal(fread(d, 1, *size, f), *size);
    (void)fclose(f);
    return d;
}

/* ---- FCLIB files in the making ---- */

static inline hid_t new_h5(const char *path) {
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    return f;
}
/* A list of n numbers at a path, in a file type; groups on the way are made, what was there is replaced. */
static inline void put_list(hid_t f, const char *path, hid_t file_type, hid_t memory_type, const void *v, int n) {
    hsize_t dim[1] = {(hsize_t)n};
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, dim, NULL);
    H5Pset_create_intermediate_group(links, 1);
    H5E_auto2_t print;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Ldelete(f, path, H5P_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print, data);
    hid_t d = H5Dcreate2(f, path, file_type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(d >= 0);
    if (n > 0) assert_true(H5Dwrite(d, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
    H5Dclose(d);
    H5Sclose(space);
    H5Pclose(links);
}
static inline void put_ints(hid_t f, const char *path, const int *v, int n) {
    put_list(f, path, H5T_STD_I32LE, H5T_NATIVE_INT, v, n);
}
static inline void put_int(hid_t f, const char *path, int v) { put_ints(f, path, &v, 1); }
static inline void put_doubles(hid_t f, const char *path, const double *v, int n) {
    put_list(f, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, v, n);
}
/* A matrix group: np, ni, nx numbers in p, i, x. */
static inline void put_matrix(hid_t f, const char *path, int m, int n, int nz, int nzmax, const int *p, int np,
                              const int *i, int ni, const double *x, int nx) {
    char name[128];
    const char *const word[] = {"m", "n", "nz", "nzmax"};
    const int value[] = {m, n, nz, nzmax};
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "%s/%s", path, word[k]);
        put_int(f, name, value[k]);
    }
    snprintf(name, sizeof name, "%s/p", path);
    put_ints(f, name, p, np);
    snprintf(name, sizeof name, "%s/i", path);
    put_ints(f, name, i, ni);
    snprintf(name, sizeof name, "%s/x", path);
    put_doubles(f, name, x, nx);
}

#endif

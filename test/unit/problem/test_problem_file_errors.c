/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_problem_file_errors.c - problem files that are wrong, and what is said of each, word for word. */
#include "unit/problem_file_help.h"

static void refused_file(const char *file, perp_status status, const char *words) {
    perp_stored *s = (perp_stored *)&dice;
    perp_refusal why;
    char text[1500];
    perp_status e = perp_problem_read(file, NULL, &s, NULL, &why);
    snprintf(text, sizeof text, "%s:%s", file, words);
    if (!e) fail_msg("not refused: %s", text);
    assert_string_equal(why.text, text);
    assert_int_equal(e, status);
    assert_int_equal(why.status, status);
    assert_null(s);
}

/* ---- text ---- */

typedef struct text_case {
    const char *text, *words;
} text_case;

static const text_case lcp[] = {
    {"", " found an empty file; allowed: a problem"},
    {"  \n",
     "2:1: found the end of the file; allowed: a problem: HDF5 of perp or FCLIB, or Siconos' text of an LCP, a mixed "
     "LCP or a friction problem"},
    {"hello",
     "1:1: found hello; allowed: a problem: HDF5 of perp or FCLIB, or Siconos' text of an LCP, a mixed LCP or a "
     "friction problem"},
    {"-3 0 3 3",
     "1:1: found -3; allowed: a problem: HDF5 of perp or FCLIB, or Siconos' text of an LCP, a mixed LCP or a "
     "friction problem"},
    {"\x1b[2J 0 2 2",
     "1:1: found \\x1b[2J; allowed: a problem: HDF5 of perp or FCLIB, or Siconos' text of an LCP, a mixed "
     "LCP or a friction problem"},
    {"2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 -1", "1:5: M.rows: found 3; allowed: 2"},
    {"2\n0\n2\n3\n2 3 1 0 0 1 0 0 -1 -1", "4:1: M.columns: found 3; allowed: 2"},
    {"2 0 2 2 2 1 1 0 0 1 -1 -1", "1:11: M.columns: found 1; allowed: 2"},
    {"2 0 2 2 2 2\n1 0\n0 x\n-1 -1", "3:3: M[1][1]: found x; allowed: a finite number"},
    {"2 0 2 2 2 2\n1 nan\n0 1\n-1 -1", "2:3: M[1][0]: found nan; allowed: a finite number"},
    {"2 0 2 2 2 2\n1 0\n0 1\n-1 1e999", "4:4: q[1]: found 1e999; allowed: a finite number"},
    {"2 0 2 2 2 2\n1 0\n0 1\n-1", "4:3: q[1]: found the end of the file; allowed: a finite number"},
    {"2 0 2 2 2 2\n1 0\n0 1\n-1 inf", "4:4: q[1]: found inf; allowed: a finite number"},
    {"9 0 9 9 9 9 1 2 3", "1: M: found a file of 17 bytes; allowed: one with 81 numbers here"},
    {"70000 0 70000 70000 70000 70000 1 2", "1:1: n: found 70000; allowed: a whole number from 1 to 18"},
    {"1.5 0 1.5 1.5", "1:1: n: found 1.5; allowed: a whole number from 1 to 7"},
    {"2 0 2 2 2 2 1 0 0 1,5 -1 -1", "1:19: M[1][1]: found 1,5; allowed: a finite number"},
    {"2 0 2 2 2 2 1 0 0 0x10 -1 -1", "1:19: M[1][1]: found 0x10; allowed: a finite number"},
};

static const text_case blocks[] = {
    {"2 1 2 2 -1 1 1 2 2 2 1 0 1 0 0 1 0 0 1 1 1", "1:9: M.blocks: found -1; allowed: a whole number from 0 to 18"},
    {"2 1 2 2 1 3 1 2 2 2 1 0 1 0 0 1 0 0 1 1 1", "1:11: M.block rows: found 3; allowed: a whole number from 1 to 2"},
    {"2 1 2 2 1 1 0 2 2 2 1 0 1 0 0 1 0 0 1 1 1",
     "1:13: M.block columns: found 0; allowed: a whole number from 1 to 2"},
    {"2 1 2 2 1 1 1 3 2 2 1 0 1 0 0 1 0 0 1 1 1", "1:15: M.row ends[0]: found 3; allowed: 2"},
    {"2 1 2 2 1 1 2 2 0 2 2 1 0 1 0 0 1 0 0 1 1 1",
     "1:17: M.column ends[0]: found 0; allowed: a whole number from 1 to 2"},
    {"2 1 2 2 1 1 1 2 2 3 1 0 1 0 0 1 0 0 1 1 1", "1:19: M.filled1: found 3; allowed: a whole number from 1 to 2"},
    {"2 1 2 2 1 1 1 2 2 2 7 0 1 0 0 1 0 0 1 1 1", "1:21: M.filled2: found 7; allowed: 1"},
    {"2 1 2 2 1 1 1 2 2 2 1 1 1 0 0 1 0 0 1 1 1", "1:23: M.index1[0]: found 1; allowed: 0"},
    {"2 1 2 2 1 1 1 2 2 2 1 0 2 0 0 1 0 0 1 1 1", "1:25: M.index1[1]: found 2; allowed: 1"},
    {"2 1 2 2 1 1 1 2 2 2 1 0 1 4 0 1 0 0 1 1 1", "1:27: M.index2[0]: found 4; allowed: 0"},
    {"2 1 2 2 1 1 1 2 2 2 1 0 1 0 9 1 0 0 1 1 1", "1:29: M.block[0]: found 9; allowed: 0"},
    {"2 1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 0 x 1 1 1", "1:35: M[0][1]: found x; allowed: a finite number"},
    {"2 1 2 2 1 1 1 2 2 2 1 0 1 0 0 1", "1: M: found a file of 31 bytes; allowed: one with 4 numbers here"},
};

#define LISTING "2 2 2 2 2\nCSparse V\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 3\n"
static const text_case listing[] = {
    {"2 2 2 2 7\nCSparse\n", "1:9: M.origin: found 7; allowed: a whole number from 1 to 2"},
    {"2 2 2 2 2\nGSparse\n", "2:1: M: found GSparse; allowed: CSparse's listing"},
    {"2 2 2 2 2\nCSparse V\n3-by-2, nzmax: 2 nnz: 2, 1-norm: 3\n", "3:1: M: found 3-by-2,; allowed: 2-by-2,"},
    {"2 2 2 2 2\nCSparse V\n2-by-2, nzmax: 2 nzz: 2, 1-norm: 3\n", "3:18: M.nnz: found nzz:; allowed: nnz:"},
    {"2 2 2 2 2\nCSparse V\n2-by-2, nzmax: 2 nnz: ,, 1-norm: 3\n",
     "3:23: M.nnz: found ,,; allowed: a number of entries"},
    {LISTING "col 1 : locations 0 to 0\n0 : 3\n", "4:5: M.column[0]: found 1; allowed: 0"},
    {LISTING "col 0 : locations 0 to 0\n2 : 3\n", "5:1: M.entry[0].row: found 2; allowed: a whole number from 0 to 1"},
    {LISTING "col 0 : locations 0 to 0\n0 : z\n", "5:5: M.entry[0]: found z; allowed: a finite number"},
    {LISTING "col 0 : locations 0 to 0\n0 : 3\n1 : 3\ncol 1 : locations 1 to 0\n1 1",
     "6: M.nnz: found 2 entries; allowed: 1, as "
     "announced"},
    {LISTING "col 0 : locations 0 to 0\n0 : 3\ncol 1 : locations 1 to 0\n1 1",
     "6: M.nnz: found 1 entries; allowed: 2, as announced"},
    {LISTING "col 0 : locations 0 to 0\n0 : 1e308\n0 : 1e308\n", "6: M.nnz: found 2 entries; allowed: 1, as announced"},
    {LISTING "col 0 : locations 0 to 1\n0 : 1e308\n0 : 1e308\ncol 1 : locations 2 to 1\n1 1",
     " M[0][0]: found entries with an infinite sum; allowed: a finite number"},
    {"2 2 2 2 1\nCSparse V\ntriplet: 2-by-2, nzmax: 2 nnz: 1\n0 5 : 3\n",
     "4:3: M.entry[0].column: found 5; allowed: a whole number from 0 to 1"},
};

static const text_case mixed[] = {
    {"0 0 1 1", "1:3: st2: found 0; allowed: 1"},
    {"1 0 -1 2 0", "1:5: equalities: found -1; allowed: a whole number from 0 to 2"},
    {"1 0 2 1 0 1 1 3 0 1 0 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 1 1",
     "1:13: blocks[2]: found 1; allowed: a whole number from 2 to 3"},
    {"1 0 2 1 0 1 3 0 2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 1 1",
     "1:17: kinds[1]: found 2; allowed: a whole number from 0 to 1"},
    {"1 0 2 1 0 1 3 0 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 1 1",
     "1: kinds: found 1 equalities in the blocks; allowed: 2, as in the third number"},
    {"0 1 1 1 2 3 4 x 6 7", "1:15: D[0][0]: found x; allowed: a finite number"},
    {"0 1 1 1 2 3 4 5 6", "1:18: b[0]: found the end of the file; allowed: a finite number"},
    {"0 1 9 9 2 3 4 5 6 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "1: A, B, C, D: found a file of 47 bytes; allowed: one with 324 numbers "
     "here"},
};

static const text_case friction[] = {
    {"4 1 0 4 4 4 4 1", "1:1: dimension: found 4; allowed: a whole number from 2 to 3"},
    {"3 0 0 3 3 3 3 1", "1:3: contacts: found 0; allowed: a whole number from 1 to 2"},
    {"3 9999999 0 3 3 3 3 1", "1:3: contacts: found 9999999; allowed: a whole number from 1 to 3"},
    {"3 1 7 3 3 3 3 1", "1:5: W.storage: found 7; allowed: a whole number from 0 to 2"},
    {"2 1 0 2 3 2 3 1 0 0 1 0 0 5 6 0.5", "1: W: found a matrix of 2 x 3; allowed: a square one"},
    {"2 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 5 6 0.5",
     "1: M: found 3 rows, and no second matrix of 3 x 2; allowed: 2 rows (local), or a second matrix (global)"},
    {"2 1 0 2 2 2 2 1 0 0 1 5 6 -0.5", "1:27: mu[0]: found -0.5; allowed: a finite number >= 0"},
    {"2 1 0 2 2 2 2 1 0 0 1 5 6 nan", "1:27: mu[0]: found nan; allowed: a finite number >= 0"},
    {"2 1 0 2 2 2 2 1 0 0 1 5 6", "1:26: mu[0]: found the end of the file; allowed: a finite number >= 0"},
    {"2 1 0 2 2 2 2 1 0 0 1 5 6 0.5 0.5", "1:31: found 0.5; allowed: the end of the numbers after mu"},
    {"2 1 0 2 2 2 2 1 0 0 1 5 6 0.5 1 0", "1:33: found 0; allowed: the end of the numbers after mu"},
    {"2 1 0 1 1 1 1 3 0 1 2 1 2 8 9 5 6 - 0.5", "1:35: w[1]: found -; allowed: a finite number"},
};

static void refuses_text(void **state) {
    (void)state;
    const struct {
        const text_case *row;
        size_t n;
    } all[] = {{lcp, sizeof lcp / sizeof *lcp},
               {blocks, sizeof blocks / sizeof *blocks},
               {listing, sizeof listing / sizeof *listing},
               {mixed, sizeof mixed / sizeof *mixed},
               {friction, sizeof friction / sizeof *friction}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t i = 0; i < all[k].n; i++) {
            put_text("bad.dat", all[k].row[i].text);
            refused_file("bad.dat", PERP_E_ARG, all[k].row[i].words);
        }
}

static void refuses_other_things(void **state) {
    (void)state;
    (void)remove("none.dat");
    refused_file("none.dat", PERP_E_IO, " cannot be read: No such file or directory");
    refused_file(".", PERP_E_IO, " found a folder; allowed: a file");
    FILE *f = fopen("bad.dat", "wb");
    (void)fwrite("2 0\0 2", 1, 6, f);
    (void)fclose(f);
    refused_file("bad.dat", PERP_E_ARG, " found bytes that are neither HDF5 nor text; allowed: a problem");
    perp_refusal why;
    perp_stored *s;
    assert_int_equal(perp_problem_read(NULL, NULL, &s, NULL, &why), PERP_E_ARG);
    assert_string_equal(why.text, "no path");
    assert_int_equal(perp_problem_read("x", NULL, NULL, NULL, &why), PERP_E_ARG);
    assert_int_equal(perp_problem_read("none.dat", NULL, &s, NULL, NULL), PERP_E_IO); /* nobody listens */
}

/* ---- HDF5: a good file with one change ---- */

static hid_t copy_of(const char *from) {
    size_t n;
    char *d = get_bytes(from, &n);
    FILE *f = fopen("bad.h5", "wb");
    assert_int_equal(fwrite(d, 1, n, f), n);
    (void)fclose(f);
    free(d);
    hid_t h = H5Fopen("bad.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(h >= 0);
    return h;
}
static void put_text_attribute(hid_t h, const char *name, const char *text) {
    hid_t t = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
    H5Tset_size(t, strlen(text));
    H5Tset_strpad(t, H5T_STR_NULLPAD);
    hid_t a = H5Acreate2(h, name, t, one, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, t, text) >= 0);
    H5Aclose(a);
    H5Tclose(t);
    H5Sclose(one);
}
static void refused_h5(hid_t h, const char *words) {
    assert_true(H5Fclose(h) >= 0);
    refused_file("bad.h5", PERP_E_ARG, words);
}
static void drop(hid_t h, const char *path) { assert_true(H5Ldelete(h, path, H5P_DEFAULT) >= 0); }

/* One number of a dataset. */
static void change(hid_t h, const char *path, int i, double v) {
    hid_t d = H5Dopen2(h, path, H5P_DEFAULT), space = H5Dget_space(d), one = H5Screate(H5S_SCALAR);
    hsize_t dim[2], at[2] = {(hsize_t)i, 0}, count[2] = {1, 1};
    if (H5Sget_simple_extent_dims(space, dim, NULL) == 2) {
        at[0] = (hsize_t)i / dim[1];
        at[1] = (hsize_t)i % dim[1];
    }
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL) >= 0);
    assert_true(H5Dwrite(d, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &v) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(d);
}

#define LOCAL  PROBLEMS "guided-box-local.hdf5"
#define GLOBAL PROBLEMS "guided-box.hdf5"

static void refuses_fclib(void **state) {
    (void)state;
    const struct {
        const char *file, *path;
        int i; /* number to change; -1: drop the whole */
        double v;
        const char *words;
    } row[] = {
        {LOCAL, "fclib_local/spacedim", -1, 0, " fclib_local/spacedim: found nothing; allowed: 32-bit integers"},
        {LOCAL, "fclib_local/spacedim", 0, 5, " fclib_local/spacedim: found 5; allowed: 2 or 3"},
        {LOCAL, "fclib_local/spacedim", 0, 2, " fclib_local/vectors/q: found 12 numbers; allowed: 8"},
        {LOCAL, "fclib_local/vectors", -1, 0, " fclib_local/vectors/mu: found nothing; allowed: 64-bit floats"},
        {LOCAL, "fclib_local/vectors/mu", 2, -0.5,
         " fclib_local/vectors/mu[2]: found -0.5; allowed: a finite number >= 0"},
        {LOCAL, "fclib_local/vectors/q", 7, NAN, " fclib_local/vectors/q[7]: found nan; allowed: a finite number"},
        {LOCAL, "fclib_local/vectors/q", 0, -INFINITY,
         " fclib_local/vectors/q[0]: found -inf; allowed: a finite number"},
        {LOCAL, "fclib_local/vectors/s", -1, 0, " fclib_local/vectors/s: found nothing; allowed: 64-bit floats"},
        {LOCAL, "fclib_local/V", -1, 0, " fclib_local/V: found nothing; allowed: a matrix, as there is R"},
        {LOCAL, "fclib_local/R", -1, 0, " fclib_local/R: found nothing; allowed: a matrix, as there is V"},
        {LOCAL, "fclib_local/W", -1, 0, " fclib_local/W/m: found nothing; allowed: 32-bit integers"},
        {LOCAL, "fclib_local/W/x", -1, 0, " fclib_local/W/x: found nothing; allowed: 64-bit floats"},
        {LOCAL, "fclib_local/W/m", 0, 13, " fclib_local/W/m: found 13; allowed: 12, by the vectors"},
        {LOCAL, "fclib_local/W/n", 0, -1, " fclib_local/W/n: found -1; allowed: 12, by the vectors"},
        {LOCAL, "fclib_local/W/nz", 0, -3,
         " fclib_local/W/nz: found -3; allowed: -1 (by columns), -2 (by rows), or the number of triplets"},
        {LOCAL, "fclib_local/W/nz", 0, 1e9, " fclib_local/W/p: found 13 numbers; allowed: 1000000000"},
        {LOCAL, "fclib_local/W/p", 0, 1, " fclib_local/W/p[0]: found 1; allowed: 0"},
        {LOCAL, "fclib_local/W/p", 3, 0, " fclib_local/W/p[3]: found 0; allowed: 24 to 144"},
        {LOCAL, "fclib_local/W/p", 12, 1e6, " fclib_local/W/p[12]: found 1000000; allowed: 132 to 144"},
        {LOCAL, "fclib_local/W/i", 17, 12, " fclib_local/W/i[17]: found 12; allowed: 0 to 11"},
        {LOCAL, "fclib_local/W/i", 17, -1, " fclib_local/W/i[17]: found -1; allowed: 0 to 11"},
        {LOCAL, "fclib_local/W/x", 5, INFINITY, " fclib_local/W/x[5]: found inf; allowed: a finite number"},
        {GLOBAL, "fclib_global/M", -1, 0, " fclib_global/M/m: found nothing; allowed: 32-bit integers"},
        {GLOBAL, "fclib_global/H/m", 0, 5, " fclib_global/H/m: found 5; allowed: 6, by the vectors"},
        {GLOBAL, "fclib_global/G/n", 0, 4, " fclib_global/G/n: found 4; allowed: 3, by the vectors"},
        {GLOBAL, "fclib_global/vectors/b", -1, 0, " fclib_global/vectors/b: found nothing; allowed: 64-bit floats"},
        {GLOBAL, "fclib_global/vectors/f", 3, NAN, " fclib_global/vectors/f[3]: found nan; allowed: a finite number"},
        {GLOBAL, "guesses/1/r", 3, NAN, " guesses/1/r[3]: found nan; allowed: a finite number"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        hid_t h = copy_of(row[k].file);
        if (row[k].i < 0)
            drop(h, row[k].path);
        else
            change(h, row[k].path, row[k].i, row[k].v);
        refused_h5(h, row[k].words);
    }
}

/* Kinds of datasets that are not read. */
static void refuses_other_storage(void **state) {
    (void)state;
    const char *q = "fclib_local/vectors/q";
    double v[12] = {0};
    int n[12] = {0};
    hid_t h = copy_of(LOCAL);
    put_ints(h, q, n, 12);
    refused_h5(h, " fclib_local/vectors/q: found 32-bit integers; allowed: 64-bit floats");
    h = copy_of(LOCAL);
    put_list(h, q, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, v, 12);
    refused_h5(h, " fclib_local/vectors/q: found 32-bit floats; allowed: 64-bit floats");
    h = copy_of(LOCAL);
    put_doubles(h, "fclib_local/W/p", v, 12);
    refused_h5(h, " fclib_local/W/p: found 64-bit floats; allowed: 32-bit integers");
    h = copy_of(LOCAL);
    put_ints(h, "fclib_local/W/p", n, 12);
    refused_h5(h, " fclib_local/W/p: found 12 numbers; allowed: 13");
    h = copy_of(LOCAL);
    put_ints(h, "fclib_local/spacedim", n, 2);
    refused_h5(h, " fclib_local/spacedim: found 2; allowed: one number");
    h = copy_of(LOCAL);
    drop(h, q);
    H5Gclose(H5Gcreate2(h, q, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    refused_h5(h, " fclib_local/vectors/q: found a group; allowed: numbers or text");
    h = copy_of(LOCAL);
    drop(h, q);
    H5Lcreate_soft("/fclib_local/vectors/mu", h, q, H5P_DEFAULT, H5P_DEFAULT);
    refused_h5(h, " fclib_local/vectors/q: found nothing; allowed: 64-bit floats");
    for (int k = 0; k < 4; k++) {
#define NOT_IN_ONE_PIECE "; allowed: numbers in one piece, not compressed"
        static const char *const words[] = {
            (" fclib_local/vectors/q: found data in chunks" NOT_IN_ONE_PIECE),
            (" fclib_local/vectors/q: found compressed data" NOT_IN_ONE_PIECE),
            (" fclib_local/vectors/q: found numbers that were never written" NOT_IN_ONE_PIECE),
            (" fclib_local/vectors/q: found 3 x 4; allowed: a list")};
        hsize_t dim[] = {12, 1}, chunk[] = {12}, square[] = {3, 4};
        hid_t make = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, dim, NULL);
        if (k < 2) H5Pset_chunk(make, 1, chunk);
        if (k == 1) H5Pset_deflate(make, 6);
        if (k == 3) H5Sset_extent_simple(space, 2, square, NULL);
        h = copy_of(LOCAL);
        drop(h, q);
        hid_t d = H5Dcreate2(h, q, H5T_IEEE_F64LE, space, H5P_DEFAULT, make, H5P_DEFAULT);
        if (k != 2) H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
        H5Dclose(d);
        H5Sclose(space);
        H5Pclose(make);
        refused_h5(h, words[k]);
    }
    h = new_h5("bad.h5");
    refused_h5(h, " found HDF5 without a problem; allowed: the attribute format (perp), or a group fclib_local or "
                  "fclib_global (FCLIB)");
    h = new_h5("bad.h5");
    put_text_attribute(h, "format", "perp recording");
    refused_h5(h, " found a recording; allowed: a problem");
    h = new_h5("bad.h5");
    put_int(h, "fclib_global_rolling/spacedim", 5);
    refused_h5(h, " fclib_global_rolling: found rolling friction; allowed: FCLIB's groups fclib_local or fclib_global");
}

static void refuses_damaged_hdf5(void **state) {
    (void)state;
    size_t n;
    char *d = get_bytes(PROBLEMS "qp-triangle.h5", &n);
    const struct {
        size_t keep, at;
        unsigned char byte;
        const char *words;
    } row[] = {
        {50, 0, 0x89, " found damaged data at byte 50; allowed: a whole HDF5 file"},
        {n - 1, 0, 0x89, NULL},
        {n, 8, 9, " found HDF5 with superblock 9; allowed: 0 to 3"},
        {n, 13, 4, " found HDF5 with short addresses; allowed: 8 bytes"},
        {n, 24, 1, " found HDF5 that does not begin at byte 0; allowed: no user block"},
        {n, 64, 0xff, " format: found damaged data at byte 255; allowed: an HDF5 attribute"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char words[128];
        char old = d[row[k].at];
        d[row[k].at] = (char)row[k].byte;
        FILE *f = fopen("bad.h5", "wb");
        assert_int_equal(fwrite(d, 1, row[k].keep, f), row[k].keep);
        (void)fclose(f);
        d[row[k].at] = old;
        snprintf(words, sizeof words, " found %zu bytes; allowed: the %zu bytes of the whole HDF5 file", n - 1, n);
        refused_file("bad.h5", PERP_E_ARG, row[k].words ? row[k].words : words);
    }
    free(d);
}

/* ---- perp's own ---- */

static void set_int(hid_t h, const char *name, int v) {
    hid_t a = H5Aopen(h, name, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_INT, &v) >= 0);
    H5Aclose(a);
}

static void refuses_own(void **state) {
    (void)state;
    const char *qp = PROBLEMS "qp-triangle.h5";
    const struct {
        const char *path; /* an attribute if it begins with @ */
        int i;
        double v;
        const char *words;
    } row[] = {
        {"@version", 0, 4, " version: found 4; allowed: 1 to 3"},
        {"@version", 0, 0, " version: found 0; allowed: 1 to 3"},
        {"@n", 0, -1, " n: found -1; allowed: 0 or more"},
        {"@n", 0, 3, " c: found 2; allowed: 3"},
        {"@m", 0, 7, " row_lo: found 1; allowed: 7"},
        {"c", -1, 0, " c: found nothing; allowed: linear part of the cost"},
        {"c", 1, NAN, " c[1]: found nan; allowed: a finite number"},
        {"lo", 0, INFINITY, " lo[0]: found inf; allowed: a number, or -inf"},
        {"hi", 1, NAN, " hi[1]: found nan; allowed: a number, or inf"},
        {"hi", 1, -1, " lo[1]: found 0; allowed: at most the upper bound, -1"},
        {"row_lo", 0, 2, " row_lo[0]: found 2; allowed: at most the upper bound, 1"},
        {"Q/start", -1, 0, " Q/start: found nothing; allowed: a part of the matrix"},
        {"Q/start", 0, 1, " Q/start[0]: found 1; allowed: 0"},
        {"Q/start", 1, 5, " Q/start[2]: found 2; allowed: 5 or more"},
        {"Q/start", 2, 1, " Q/index: found 2; allowed: 1"},
        {"Q/start", 2, -1, " Q/start[2]: found -1; allowed: 1 or more"},
        {"Q/index", 1, 2, " Q/index[1]: found 2; allowed: 0 to 1 (rows ascend within a column)"},
        {"Q/value", 0, INFINITY, " Q/value[0]: found inf; allowed: a finite number"},
        {"A", -1, 0, " A/start: found nothing; allowed: a part of the matrix"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        hid_t h = copy_of(qp);
        if (row[k].path[0] == '@')
            set_int(h, row[k].path + 1, (int)row[k].v);
        else if (row[k].i < 0)
            drop(h, row[k].path);
        else
            change(h, row[k].path, row[k].i, row[k].v);
        refused_h5(h, row[k].words);
    }
    hid_t h = copy_of(qp);
    H5Adelete(h, "class");
    refused_h5(h, " class: found nothing; allowed: a text of fixed length");
    h = copy_of(qp);
    H5Adelete(h, "class");
    put_text_attribute(h, "class", "ncp");
    refused_h5(h, " class: found ncp; allowed: lcp, mlcp, sparse-mlcp, qp, cone, cone-qp or step");
    h = copy_of(qp);
    H5Adelete(h, "n");
    refused_h5(h, " n: found nothing; allowed: a whole number");
    h = copy_of(qp);
    double x = 2;
    put_list(h, "c", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, (double[]){1, x}, 2);
    refused_h5(h, " c: found 32-bit floats; allowed: 64-bit floats");
}

static void refuses_steps(void **state) {
    (void)state;
    int ndof[] = {3, 2}, offset[] = {0, 3};
    double M[72] = {0}, momentum[5] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 12; i++) M[36 * (i / 6) + 7 * (i % 6)] = 1;
    perp_joint_row joint = {
        .row = {.block = {0, 1}, .J = {{1}, {-1}}}, .lo = -1, .hi = 1, .kind = PERP_ROW_MOTOR, .joint = 0};
    perp_contact_row contact = {.n = {.block = {0, -1}, .J = {{0, 1}}},
                                .t = {.block = {0, -1}, .J = {{1}}},
                                .o = {.block = {0, -1}, .J = {{0}}},
                                .mu = 0.5,
                                .nd = 2};
    perp_step_problem p = {2, 0.01, 2, 5, ndof, offset, M, M, momentum, 1, &joint, 1, &contact};
    perp_refusal why;
    assert_int_equal(perp_step_write("step.h5", &p, NULL, "a step", &why), PERP_OK);
    perp_stored_free(good("step.h5", NULL));
    const struct {
        const char *path;
        int i;
        double v;
        const char *words;
    } row[] = {
        {"block_ndof", 0, 4, " block_ndof[0]: found 4; allowed: 2, 3 or 6"},
        {"block_ndof", 1, 7, " block_ndof[1]: found 7; allowed: 1 to 6"},
        {"block_ndof", 1, 3, " ndof: found 5; allowed: 6, the sum of block_ndof"},
        {"block_offset", 1, 2, " block_offset[1]: found 2; allowed: 3, where the one before ends"},
        {"M", 37, NAN, " M[1][1]: found nan; allowed: a finite number"},
        {"momentum", -1, 0, " momentum: found nothing; allowed: M nu + h f at the start"},
        {"joint/block", 1, 2, " joint/block[0][1]: found 2; allowed: -1 to 1"},
        {"joint/block", 0, -2, " joint/block[0][0]: found -2; allowed: -1 or more"},
        {"joint/kind", 0, 6, " joint/kind[0]: found 6; allowed: 0 to 5"},
        {"joint/lo", 0, 3, " joint/lo[0]: found 3; allowed: at most the upper bound, 1"},
        {"joint/compliance", 0, -1, " joint/compliance[0]: found -1; allowed: a finite number >= 0"},
        {"contact/n_block", 0, 9, " contact/n_block[0][0]: found 9; allowed: -1 to 1"},
        {"contact/t_block", 0, 1, " contact/t_block[0][0]: found 1; allowed: 0, as in contact/n_block"},
        {"contact/mu", 0, -0.1, " contact/mu[0]: found -0.1; allowed: a finite number >= 0"},
        {"contact/nd", 0, -2, " contact/nd[0]: found -2; allowed: -1 to 1048576"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        hid_t h = copy_of("step.h5");
        if (row[k].i < 0)
            drop(h, row[k].path);
        else
            change(h, row[k].path, row[k].i, row[k].v);
        refused_h5(h, row[k].words);
    }
    p.h = 0; /* and what cannot be read is not written */
    assert_int_equal(perp_step_write("new.h5", &p, NULL, NULL, &why), PERP_E_ARG);
    assert_string_equal(why.text, "new.h5: h: found 0; allowed: a finite number > 0");
    p.h = 1;
    ndof[0] = 1;
    assert_int_equal(perp_step_write("new.h5", &p, NULL, NULL, &why), PERP_E_ARG);
    assert_string_equal(why.text, "new.h5: block_ndof[0]: found 1; allowed: 2, 3 or 6");
}

/* Problems that a reader would refuse are not written. */
static void refuses_to_write(void **state) {
    (void)state;
    double M[] = {1, 0, NAN, 1}, q[] = {1, 2}, lo[] = {0, 3}, hi[] = {1, 2}, mu[] = {-1};
    int start[] = {0, 1, 2}, index[] = {0, 2};
    const struct {
        perp_problem p;
        const char *words;
    } row[] = {
        {{.cls = PERP_LCP, .as.lcp = {2, M, q}}, "M[0][1]: found nan; allowed: a finite number"},
        {{.cls = PERP_LCP, .as.lcp = {2, NULL, q}}, "M: found nothing; allowed: matrix, row by row"},
        {{.cls = PERP_LCP, .as.lcp = {-1, M, q}}, "n: found -1; allowed: 0 or more"},
        {{.cls = PERP_MLCP, .as.mlcp = {1, M, q, lo + 1, hi}}, "lo[0]: found 3; allowed: at most the upper bound, 1"},
        {{.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {2, {2, 2, start, index, q}, q, lo, lo}},
         "M/index[1]: found 2; allowed: 0 to 1 (rows ascend within a column)"},
        {{.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {2, {2, 3, start, index, q}, q, lo, lo}},
         "M: found 2 x 3; allowed: 2 x 2"},
        {{.cls = PERP_CONE, .as.cone = {.dim = 2, .ncontact = 1, .mu = mu, .q = q, .W = {2, 2, start, start, q}}},
         "mu[0]: found -1; allowed: a finite number >= 0"},
        {{.cls = PERP_CONE, .as.cone = {.dim = 7, .ncontact = 1, .mu = mu, .q = q}}, "dim: found 7; allowed: 2 to 6"},
        {{.cls = (perp_class)3}, "unknown class 3"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        perp_refusal why;
        char text[256];
        (void)remove("new.h5");
        snprintf(text, sizeof text, "new.h5: %s", row[k].words);
        perp_status s = perp_problem_write("new.h5", PERP_FORMAT_PERP, &row[k].p, NULL, NULL, &why);
        assert_string_equal(why.text, text);
        assert_int_equal(s, PERP_E_ARG);
        assert_int_not_equal(access("new.h5", F_OK), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_text),         cmocka_unit_test(refuses_other_things),
        cmocka_unit_test(refuses_fclib),        cmocka_unit_test(refuses_other_storage),
        cmocka_unit_test(refuses_damaged_hdf5), cmocka_unit_test(refuses_own),
        cmocka_unit_test(refuses_steps),        cmocka_unit_test(refuses_to_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

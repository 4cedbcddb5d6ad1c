/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_problem_file_foreign.c - problem files in layouts of others, FCLIB's and Siconos' text: read in all their forms,
 * written and read back to the bit; and what has no place in them. */
#include "unit/problem_file_trip.h"

#include <locale.h>

/* ---- FCLIB ---- */

static void keeps_fclib(void **state) {
    (void)state;
    for (int k = 0; k < 16; k++) {
        cone_data d = fclib_cone(2 + k % 2, 1 + k % 3, k % 4 == 3 ? 2 : 0, (k & 4) != 0);
        round_trip(&d.p, k & 8 ? d.guess : NULL, "a problem", PERP_FORMAT_FCLIB);
        free_cone(&d);
    }
}

/* The same matrix as columns, rows and triplets, with rows out of order, an entry in two parts, a zero, and room for
 * more than is used. */
static void reads_every_matrix(void **state) {
    (void)state;
    const double q[] = {1, 2}, mu[] = {0.5};
    const int cp[] = {0, 3, 5}, ci[] = {1, 0, 1, 0, 1, 9, -7}, rp[] = {0, 2, 5}, ri[] = {1, 0, 0, 1, 0, 8, 8};
    const double cx[] = {3, 2, 0.25, 0, 5, NAN, 1}, rx[] = {0, 2, 3, 5, 0.25, NAN, NAN};
    const int ti[] = {1, 0, 1, 0, 1, 1000, -1}, tp[] = {1, 0, 0, 1, 0, -1, 77};
    const double tx[] = {5, 2, 3, 0, 0.25, NAN, 2};
    for (int k = 0; k < 4; k++) {
        hid_t f = new_h5("matrix.hdf5");
        put_int(f, "fclib_local/spacedim", 2);
        put_doubles(f, "fclib_local/vectors/q", q, 2);
        put_doubles(f, "fclib_local/vectors/mu", mu, 1);
        if (k == 0) put_matrix(f, "fclib_local/W", 2, 2, -1, 7, cp, 3, ci, 7, cx, 7);
        if (k == 1) put_matrix(f, "fclib_local/W", 2, 2, -2, 12345, rp, 3, ri, 7, rx, 7);
        if (k >= 2) put_matrix(f, "fclib_local/W", 2, 2, 5, -3, tp, 7, ti, 7, tx, 7);
        if (k == 3) { /* of another machine */
            put_list(f, "fclib_local/W/x", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, tx, 7);
            put_list(f, "fclib_local/W/i", H5T_STD_I64BE, H5T_NATIVE_INT, ti, 7);
            put_list(f, "fclib_local/W/p", H5T_STD_I16LE, H5T_NATIVE_INT, tp, 7);
            put_list(f, "fclib_local/vectors/q", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, q, 2);
        }
        H5Fclose(f);
        perp_problem_format format;
        perp_stored *s = good("matrix.hdf5", &format);
        assert_int_equal(format, PERP_FORMAT_FCLIB);
        const perp_cone *c = &perp_stored_problem(s)->as.cone;
        const int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
        const double value[] = {2, 3.25, 0, 5};
        const perp_sparse W = {2, 2, start, index, value};
        assert_true(same_sparse(&c->W, &W));
        assert_true(same_doubles(c->q, q, 2) && same_doubles(c->mu, mu, 1));
        assert_null(perp_stored_guess(s));
        assert_string_equal(perp_stored_title(s), "");
        perp_stored_free(s);
    }
}

/* Equalities: rows without bounds, first; by the laws of both forms on numbers of our own. */
static void equalities_come_first(void **state) {
    (void)state;
    perp_stored *g = good(PROBLEMS "guided-box.hdf5", NULL), *l = good(PROBLEMS "guided-box-local.hdf5", NULL);
    const perp_cone *a = &perp_stored_problem(g)->as.cone, *b = &perp_stored_problem(l)->as.cone;
    assert_true(a->global && !b->global);
    assert_int_equal(a->nrow, 3);
    assert_int_equal(b->nrow, 3);
    assert_null(a->lo);
    assert_null(b->hi);
    assert_true(a->b[0] == 0 && a->b[2] == -0.002);
    assert_int_equal(a->H.index[a->H.start[0]], 1); /* v_y, the first guide */
    double r[15], u[2][15];
    for (int i = 0; i < 15; i++) r[i] = 0.01 * (i + 1) * (i & 1 ? 1 : -1);
    assert_int_equal(perp_cone_velocity(a, r, u[0], NULL), PERP_OK);
    assert_int_equal(perp_cone_velocity(b, r, u[1], NULL), PERP_OK);
    for (int i = 0; i < 15; i++) assert_true(fabs(u[0][i] - u[1][i]) < 1e-11);
    const double *guess = perp_stored_guess(g);
    assert_non_null(guess);
    assert_true(guess[0] == 0 && guess[3] == 0.073575 && guess[4] == -0.0367875);
    perp_stored_free(g);
    perp_stored_free(l);
}

/* ---- text ---- */

static void dense_is(const double *M, int n, const double *rows) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) assert_true(M[j * n + i] == rows[i * n + j]);
}

/* No entry differs from zero: a problem all the same. */
static void reads_zero_matrix(void **state) {
    (void)state;
    const char *path = "zero-matrix.dat";
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("2\n0\n2\n2\n2 2\n0 0\n0 0\n0.5 -4\n", f);
    assert_int_equal(fclose(f), 0);
    perp_problem_format format;
    perp_stored *s = good(path, &format);
    const perp_problem *p = perp_stored_problem(s);
    const double M[4] = {0}, q[2] = {0.5, -4};
    assert_int_equal(p->cls, PERP_LCP);
    assert_int_equal(perp_problem_size(p), 2);
    dense_is(p->as.lcp.M, 2, M);
    assert_true(same_doubles(p->as.lcp.q, q, 2));
    perp_stored_free(s);
    remove(path);
}

static void reads_text(void **state) {
    (void)state;
    const double three[] = {2, -1, 0, 1, 3, 1, 0, -1, 2}, blocks[] = {4, 0, 0, 1, 3, -1, -0.5, 0.25, 5};
    const double listing[] = {4, 0, 0, 0, 3, 0, 1, -1, 5}, alternating[] = {1, 2, 0, -2, 3, 1, 0, -1, 1.5};
    const double parts[] = {2, 1, -1, -1, 3, 0.5, 1, -0.5, 4};
    const struct {
        const char *file;
        perp_class cls;
        const double *M;
        double q[3];
        int is_free[3];
        const char *title;
    } row[] = {
        {"lcp-three.dat", PERP_LCP, three, {-1, 2, -4}, {0}, "solution (0.5, 0, 2), w = (0, 4.5, 0)"},
        {"lcp-blocks.dat", PERP_LCP, blocks, {-2, 1, -3}, {0}, "M = [4 0 0; 1 3 -1; -0.5 0.25 5], in blocks"},
        {"lcp-listing.dat", PERP_LCP, listing, {-1, -1, -1}, {0}, ""},
        {"mlcp-alternating.dat", PERP_MLCP, alternating, {1, -4, 0.5}, {1, 0, 1}, ""},
        {"mlcp-parts.dat", PERP_MLCP, parts, {-3, -1, 2}, {1, 0, 0}, ""},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char path[512];
        perp_problem_format format;
        snprintf(path, sizeof path, "%s%s", PROBLEMS, row[k].file);
        perp_stored *s = good(path, &format);
        assert_int_equal(format, PERP_FORMAT_SICONOS_TEXT);
        const perp_problem *p = perp_stored_problem(s);
        assert_int_equal(p->cls, row[k].cls);
        assert_int_equal(perp_problem_size(p), 3);
        bool lcp = p->cls == PERP_LCP;
        dense_is(lcp ? p->as.lcp.M : p->as.mlcp.M, 3, row[k].M);
        assert_true(same_doubles(lcp ? p->as.lcp.q : p->as.mlcp.q, row[k].q, 3));
        for (int i = 0; !lcp && i < 3; i++) {
            assert_true(p->as.mlcp.lo[i] == (row[k].is_free[i] ? -INFINITY : 0));
            assert_true(p->as.mlcp.hi[i] == INFINITY);
        }
        assert_string_equal(perp_stored_title(s), row[k].title);
        perp_stored_free(s);
    }
}

static void reads_friction_text(void **state) {
    (void)state;
    perp_stored *s = good(PROBLEMS "contacts-2d.dat", NULL);
    const perp_cone *c = &perp_stored_problem(s)->as.cone;
    assert_true(c->dim == 2 && c->ncontact == 2 && c->nrow == 0 && !c->global && c->W.start[4] == 16);
    assert_true(c->W.value[1] == 0.25 && c->W.value[c->W.start[2] + 1] == 0); /* zeros of a block are entries */
    assert_true(c->W.value[c->W.start[3]] == -0.125 && c->W.value[3] == -0.125);
    assert_true(c->q[3] == -1 && c->mu[1] == 0.7);
    perp_stored_free(s);
    s = good(PROBLEMS "contact-3d.dat", NULL);
    c = &perp_stored_problem(s)->as.cone;
    assert_true(c->dim == 3 && c->ncontact == 1 && !c->global && c->W.start[3] == 7); /* zeros of a full matrix not */
    perp_stored_free(s);
    s = good(PROBLEMS "box-on-feet.dat", NULL);
    perp_stored *h = good(PROBLEMS "box-on-feet.hdf5", NULL);
    assert_true(perp_stored_problem(s)->as.cone.global);
    assert_true(same_problem(perp_stored_problem(s), perp_stored_problem(h)));
    assert_string_equal(perp_stored_title(h), "a box on four feet, pushed");
    perp_stored_free(h);
    perp_stored_free(s);
}

/* Beginnings that fit more than one kind. */
static void tells_texts_apart(void **state) {
    (void)state;
    const struct {
        const char *text;
        perp_class cls;
        int size;
        bool global;
    } row[] = {
        {"1 0 1 1 1 1 2 -1", PERP_LCP, 1, false},
        {"1 1 1 1 1 1 1 1 1 2 1 0 1 0 0 2 -1", PERP_LCP, 1, false},
        {"1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 0 1 -1 -1", PERP_MLCP, 2, false},
        {"0 1 1 1 2 3 4 5 6 7", PERP_MLCP, 2, false},
        {"0 1 0 1 5 -1", PERP_MLCP, 1, false},
        {"2 0 2 2 2 2 1 0 0 1 -1 -1", PERP_LCP, 2, false},
        {"2 1 2 2 2 2 2 1 2 1 2 3 2 0 1 2 0 1 0 5 1 6 1 1", PERP_LCP, 2, false},
        {"2 2 2 2 2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 3\n col 0 : locations 0 to 0\n 0 : 3\n col 1 : "
         "locations "
         "1 to 0\n 5 6",
         PERP_LCP, 2, false},
        {"2 1 2 2 2 1\nCXSparse v\ntriplet: 2-by-2, nzmax: 9 nnz: 1\n 0 0 : 3\n 5 6 0.5", PERP_CONE, 2, false},
        {"2 1 0 2 2 2 2 1 0 0 1 5 6 0.5", PERP_CONE, 2, false},
        {"2 1 0 2 2 2 2 1 0 0 1 0 2 2", PERP_CONE, 2, false}, /* q looks like a matrix, but nothing follows */
        {"2 1 0 2 2 2 2 1 0 0 1 0 2 2 2 2 1 0 0 1 5 6 7 8 0.5", PERP_CONE, 2, true},
        {"2 1 0 1 1 1 1 3 0 1 2 1 2 8 9 5 6 7 0.5 1", PERP_CONE, 2, true},
        {"2 2 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 9 nnz: 1\n 0 0 : 3\n 0 2 4 2 4 1 2 3 4 5 6 7 8 1 2 3 4 5 6 .1 "
         ".2",
         PERP_CONE, 4, true},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        put_text("kind.dat", row[k].text);
        perp_stored *s = good("kind.dat", NULL);
        const perp_problem *p = perp_stored_problem(s);
        if (p->cls != row[k].cls || perp_problem_size(p) != row[k].size ||
            (p->cls == PERP_CONE && p->as.cone.global != row[k].global))
            fail_msg("%s: read as %s of %d", row[k].text, perp_class_name(p->cls), perp_problem_size(p));
        perp_stored_free(s);
    }
}

static void keeps_text(void **state) {
    (void)state;
    const char *before = setlocale(LC_NUMERIC, NULL);
    char *kept = before ? strdup(before) : NULL;
    (void)(setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "de_DE")); /* where there is one */
    for (int n = 1; n < 8; n++) {
        double *M = numbers(n * n), *q = numbers(n), *lo = numbers(n), *hi = numbers(n);
        for (int i = 0; i < n * n; i++)
            if (M[i] == 0) M[i] = 0; /* a full matrix has no -0 in text: zeros are no entries */
        for (int i = 0; i < n; i++) {
            lo[i] = roll(2) ? 0 : -INFINITY;
            hi[i] = INFINITY;
        }
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        for (int i = 0; i < n * n; i++) M[i] += 0.0;
        round_trip(&p, NULL, "an LCP", PERP_FORMAT_SICONOS_TEXT);
        p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        round_trip(&p, NULL, NULL, PERP_FORMAT_SICONOS_TEXT);
        free(M), free(q), free(lo), free(hi);
    }
    for (int k = 0; k < 8; k++) {
        cone_data d = fclib_cone(2 + k % 2, 1 + k % 3, 0, (k & 4) != 0);
        round_trip(&d.p, NULL, k & 1 ? "contacts" : "", PERP_FORMAT_SICONOS_TEXT);
        free_cone(&d);
    }
    if (kept) (void)setlocale(LC_NUMERIC, kept);
    free(kept);
}

/* A large LCP that is stored sparse stays sparse. */
static void large_text_stays_sparse(void **state) {
    (void)state;
    int n = 700;
    perp_sparse M = {n, n, NULL, NULL, NULL};
    int *start = malloc(((size_t)n + 1) * sizeof *start), *index = malloc((size_t)n * sizeof *index);
    double *value = positive(n), *q = numbers(n), *lo = calloc((size_t)n, sizeof *lo), *hi = numbers(n);
    for (int i = 0; i <= n; i++) start[i] = i;
    for (int i = 0; i < n; i++) {
        index[i] = n - 1 - i;
        hi[i] = INFINITY;
    }
    M.start = start, M.index = index, M.value = value;
    perp_problem p = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {n, M, q, lo, hi}};
    round_trip(&p, NULL, "sparse", PERP_FORMAT_SICONOS_TEXT);
    free_sparse(&M);
    free(q), free(lo), free(hi);
}

/* ---- what has no place ---- */

static void does_not_fit(const perp_problem *p, perp_problem_format f, const char *words) {
    perp_refusal why;
    char text[512];
    put_text("keep.x", "as it was");
    assert_int_equal(perp_problem_write("keep.x", f, p, NULL, NULL, &why), PERP_E_FIT);
    snprintf(text, sizeof text, "keep.x: %s", words);
    assert_string_equal(why.text, text);
    assert_int_equal(why.status, PERP_E_FIT);
    size_t n;
    char *d = get_bytes("keep.x", &n);
    assert_int_equal(n, 9);
    assert_memory_equal(d, "as it was", 9);
    free(d);
}

static void refuses_what_has_no_place(void **state) {
    (void)state;
    double M[] = {1}, q[] = {1}, lo[] = {1}, hi[] = {2};
    perp_problem p = {.cls = PERP_NCP};
    does_not_fit(&p, PERP_FORMAT_PERP, "found an ncp, which is a function; allowed: a class that is made of numbers");
    does_not_fit(&p, PERP_FORMAT_FCLIB, "class: found ncp; allowed: cone");
    does_not_fit(&p, PERP_FORMAT_SICONOS_TEXT, "class: found ncp; allowed: lcp, mlcp, sparse-mlcp or cone");
    p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {1, M, q, lo, hi}};
    does_not_fit(&p, PERP_FORMAT_FCLIB, "class: found mlcp; allowed: cone");
    does_not_fit(&p, PERP_FORMAT_SICONOS_TEXT, "lo, hi: found other bounds; allowed: 0 and infinity, or none");
    cone_data d = fclib_cone(3, 2, 2, false);
    does_not_fit(&d.p, PERP_FORMAT_SICONOS_TEXT, "nrow: found bounded rows; allowed: none");
    d.p.cls = PERP_CONE_QP;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "class: found cone-qp; allowed: cone");
    does_not_fit(&d.p, PERP_FORMAT_SICONOS_TEXT, "class: found cone-qp; allowed: lcp, mlcp, sparse-mlcp or cone");
    d.p.cls = PERP_CONE;
    double two[] = {0, -INFINITY}, ones[] = {1, 1, 1, 0.5};
    d.p.as.cone.lo = two;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "lo, hi: found a row with bounds; allowed: rows without bounds");
    d.p.as.cone.lo = NULL;
    d.p.as.cone.axes = ones;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "axes: found an elliptic cone; allowed: circular ones");
    ones[3] = 1;
    double *value = (double *)(uintptr_t)d.p.as.cone.W.value;
    value[3] = 12.5; /* (3, 0): between a contact and an equality */
    does_not_fit(&d.p, PERP_FORMAT_FCLIB,
                 "W[3][0]: found another entry than its mirror image; allowed: the same, between "
                 "bounded rows and contacts");
    d.p.as.cone.axes = NULL;
    free_cone(&d);
    d = fclib_cone(3, 2, 0, true);
    double soft[6] = {0, 0, 1e-3};
    d.p.as.cone.compliance = soft;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "compliance: found a row with compliance; allowed: none");
    does_not_fit(&d.p, PERP_FORMAT_SICONOS_TEXT, "compliance: found a row with compliance; allowed: none");
    d.p.as.cone.compliance = NULL;
    d.p.as.cone.dim = 4;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "dim: found 4; allowed: 2 or 3");
    d.p.as.cone.dim = 3;
    free_cone(&d);
    assert_string_equal(perp_problem_format_name(PERP_FORMAT_PERP), "perp");
    assert_string_equal(perp_problem_format_name(PERP_FORMAT_FCLIB), "fclib");
    assert_string_equal(perp_problem_format_name(PERP_FORMAT_SICONOS_TEXT), "siconos");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_fclib),
        cmocka_unit_test(reads_every_matrix),
        cmocka_unit_test(equalities_come_first),
        cmocka_unit_test(reads_text),
        cmocka_unit_test(reads_zero_matrix),
        cmocka_unit_test(reads_friction_text),
        cmocka_unit_test(tells_texts_apart),
        cmocka_unit_test(keeps_text),
        cmocka_unit_test(large_text_stays_sparse),
        cmocka_unit_test(refuses_what_has_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_check.c - malformed problems of every class: each is refused, with a sentence that names the place, the value
 * and what is allowed */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "perp/problem.h"

static char why[300];

static void accepted(const perp_problem *p) {
    memset(why, 'x', sizeof why);
    if (perp_problem_check(p, why, sizeof why)) fail_msg("%s", why);
    assert_string_equal(why, "");
}

/* Refused, and each word of the list (separated by |) is in the sentence. */
static void refused(const perp_problem *p, const char *words) {
    char list[200];
    assert_int_equal(perp_problem_check(p, why, sizeof why), PERP_E_ARG);
    assert_int_equal(perp_problem_check(p, NULL, 0), PERP_E_ARG);
    size_t length = strlen(why);
    if (length < 10 || why[length - 1] != '.') fail_msg("not a sentence: \"%s\"", why);
    char few[8]; /* too little room for it: cut, and ended */
    assert_int_equal(perp_problem_check(p, few, sizeof few), PERP_E_ARG);
    assert_true(strlen(few) == 7 && strncmp(few, why, 7) == 0);
    assert_true(strlen(words) < sizeof list);
    memcpy(list, words, strlen(words) + 1);
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(why, word)) fail_msg("\"%s\" is not in \"%s\"", word, why);
    perp_measures m; /* the judge refuses it as well, and touches nothing that is not there */
    perp_judge *j;
    double z[16] = {0};
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_E_ARG);
    assert_int_equal(perp_judge_new(p, NULL, &j), PERP_E_ARG);
    assert_null(j);
}

/* `place` takes `value` for one check. The types of the two may differ in const only. */
#define REFUSED(place, value_, words)     \
    do {                                  \
        __typeof__(place) old_ = (place); \
        (place) = (value_);               \
        refused(&p, words);               \
        (place) = old_;                   \
        accepted(&p);                     \
    } while (0)

static void test_dense(void **state) {
    (void)state;
    double M[] = {1, 0, 0, 2}, q[] = {-1, 1}, lo[] = {0, -INFINITY}, hi[] = {1, INFINITY};
    double z_scale[] = {1, 2}, w_scale[] = {1, 2};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}, .z_scale = z_scale, .w_scale = w_scale};
    for (int mixed = 0; mixed < 2; mixed++) {
        accepted(&p);
        REFUSED(M[2], NAN, "M(0, 1)|nan|finite");
        REFUSED(M[3], -INFINITY, "M(1, 1)|-inf|finite");
        REFUSED(q[1], INFINITY, "q[1]|inf|finite");
        REFUSED(z_scale[1], 0, "z_scale[1]|0|> 0");
        REFUSED(z_scale[0], NAN, "z_scale[0]|nan|> 0");
        REFUSED(w_scale[0], -2, "w_scale[0]|-2|> 0");
        REFUSED(w_scale[1], INFINITY, "w_scale[1]|inf|finite");
        if (mixed) break;
        REFUSED(p.as.lcp.M, NULL, "M|NULL|4");
        REFUSED(p.as.lcp.q, NULL, "q|NULL|2");
        REFUSED(p.as.lcp.n, -3, "n|-3|>= 0");
        M[0] = 0; /* w_0 = q_0 = -1 whatever z is: a problem without an answer is one */
        accepted(&p);
        M[0] = 1;
        p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {2, M, q, lo, hi}, .z_scale = z_scale, .w_scale = w_scale};
    }
    REFUSED(p.as.mlcp.M, NULL, "M|NULL|4");
    REFUSED(p.as.mlcp.q, NULL, "q|NULL");
    REFUSED(p.as.mlcp.lo, NULL, "lo|NULL|2");
    REFUSED(p.as.mlcp.hi, NULL, "hi|NULL|2");
    REFUSED(p.as.mlcp.n, -1, "n|-1");
    REFUSED(lo[0], 2, "lo[0]|2|hi[0]|1|<=");
    REFUSED(lo[1], NAN, "lo[1]|nan");
    REFUSED(hi[1], NAN, "hi[1]|nan");
    REFUSED(lo[1], INFINITY, "lo[1]|inf|-INFINITY");
    REFUSED(hi[0], -INFINITY, "hi[0]|-inf|INFINITY");
    p.as.mlcp = (perp_mlcp){0};
    accepted(&p); /* nothing needs no arrays */
}

static void test_class(void **state) {
    (void)state;
    perp_problem p = {.cls = (perp_class)3};
    refused(&p, "class|3");
    p.cls = (perp_class)0;
    refused(&p, "class|0");
    assert_int_equal(perp_problem_check(NULL, why, sizeof why), PERP_E_ARG);
    assert_true(strstr(why, "NULL") != NULL);
    assert_int_equal(perp_problem_check(NULL, why, 0), PERP_E_ARG);
}

static void test_sparse(void **state) {
    (void)state;
    int start[] = {0, 2, 3, 5}, index[] = {0, 2, 1, 0, 2};
    double value[] = {1, 0.5, 1, 0.5, 1}, q[] = {-1, 1, 1}, lo[] = {0, 0, 0}, hi[] = {1, INFINITY, INFINITY};
    double scale[] = {1, 1, 1};
    perp_problem p = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {3, {3, 3, start, index, value}, q, lo, hi}};
    p.z_scale = scale;
    perp_sparse *M = &p.as.sparse_mlcp.M;
    accepted(&p);
    REFUSED(p.as.sparse_mlcp.n, -1, "n|-1|>= 0");
    REFUSED(p.as.sparse_mlcp.n, 4, "M|3 x 3|4 x 4");
    REFUSED(M->rows, 2, "M|2 x 3|3 x 3");
    REFUSED(M->cols, 4, "M|3 x 4|3 x 3");
    REFUSED(M->start, NULL, "M.start|NULL|4");
    REFUSED(M->index, NULL, "M.index|NULL|5");
    REFUSED(M->value, NULL, "M.value|NULL|5");
    REFUSED(start[0], 1, "M.start[0]|1|must be 0");
    REFUSED(start[0], -1, "M.start[0]|-1|must be 0");
    REFUSED(start[1], 4, "M.start[2]|3|after 4|decrease");
    REFUSED(start[1], -1, "M.start[1]|-1|after 0|decrease");
    REFUSED(start[3], 2, "M.start[3]|2|after 3");
    REFUSED(index[1], 3, "M.index[1]|3|column 0|0 .. 2");
    REFUSED(index[3], -1, "M.index[3]|-1|column 2|0 .. 2");
    REFUSED(index[1], 0, "M.index[1]|0 after 0|column 0|twice");
    REFUSED(index[3], 2, "M.index[4]|2 after 2|ascend");
    REFUSED(index[0], 2, "M.index[1]|2 after 2|ascend");
    REFUSED(value[1], NAN, "M.value[1]|(2, 0)|nan|finite");
    REFUSED(value[4], INFINITY, "M.value[4]|(2, 2)|inf");
    REFUSED(q[2], NAN, "q[2]|nan");
    REFUSED(p.as.sparse_mlcp.q, NULL, "q|NULL|3");
    REFUSED(p.as.sparse_mlcp.lo, NULL, "lo|NULL");
    REFUSED(p.as.sparse_mlcp.hi, NULL, "hi|NULL");
    REFUSED(lo[0], 1.5, "lo[0]|1.5|hi[0]|1");
    REFUSED(scale[2], 0, "z_scale[2]|0");
    value[2] = 0; /* row 1 holds a stored zero only */
    accepted(&p);
    q[1] = -2; /* which no answer meets */
    accepted(&p);
    p.as.sparse_mlcp = (perp_sparse_mlcp){0};
    accepted(&p);
}

/* Rows of zeros of joints are found beyond the first strip of rows too. */
static void test_many_rows(void **state) {
    (void)state;
    enum { MANY = 70001 };
    static int start[MANY + 1], index[MANY];
    static double value[MANY], q[MANY];
    for (int i = 0; i < MANY; i++) start[i + 1] = i + 1, index[i] = i, value[i] = 1, q[i] = -1;
    perp_problem p = {.cls = PERP_CONE,
                      .as.cone = {.dim = 3, .nrow = MANY, .W = {MANY, MANY, start, index, value}, .q = q}};
    accepted(&p);
    const int at[] = {0, 65535, 65536, 70000};
    for (int k = 0; k < 4; k++) {
        value[at[k]] = 0;
        assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_E_ARG);
        char row[32];
        snprintf(row, sizeof row, "Row %d of W", at[k]);
        assert_true(strstr(why, row) != NULL);
        value[at[k]] = 1;
    }
}

static bool F(const double *z, double *w, void *ctx) {
    (void)ctx;
    w[0] = z[0], w[1] = z[1];
    return true;
}

static void test_ncp(void **state) {
    (void)state;
    int start[] = {0, 1, 2}, index[] = {0, 1};
    double lo[] = {0, -INFINITY}, hi[] = {1, INFINITY}, scale[] = {1, 1};
    perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 2, .F = F}};
    accepted(&p);
    p.as.ncp.lo = lo;
    accepted(&p);
    p.as.ncp.hi = hi, p.as.ncp.start = start, p.as.ncp.index = index, p.w_scale = scale;
    accepted(&p);
    REFUSED(p.as.ncp.n, -2, "n|-2");
    REFUSED(p.as.ncp.F, NULL, "F|NULL|function");
    REFUSED(p.as.ncp.start, NULL, "start|NULL|both");
    REFUSED(p.as.ncp.index, NULL, "J.index|NULL|2");
    REFUSED(start[1], 3, "J.start[2]|2|after 3");
    REFUSED(index[1], 2, "J.index[1]|2|0 .. 1");
    REFUSED(lo[0], 3, "lo[0]|3|hi[0]|1");
    REFUSED(hi[1], NAN, "hi[1]|nan");
    REFUSED(scale[1], NAN, "w_scale[1]|nan");
    p.as.ncp.hi = NULL; /* stands for INFINITY, as a missing lo for 0 */
    p.as.ncp.lo = NULL, p.as.ncp.hi = hi;
    REFUSED(hi[0], -1, "lo[0]|0|hi[0]|-1");
}

static void test_qp(void **state) {
    (void)state;
    int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1}, a_start[] = {0, 1, 2}, a_index[] = {0, 0};
    double Q[] = {2, 1, 1, 2}, A[] = {1, 1}, c[] = {1, 2}, lo[] = {0, 0}, hi[] = {1, 1}, row_lo[] = {0}, row_hi[] = {1};
    perp_problem p = {.cls = PERP_QP,
                      .as.qp = {2, 1, {2, 2, start, index, Q}, c, lo, hi, {1, 2, a_start, a_index, A}, row_lo, row_hi}};
    accepted(&p);
    REFUSED(p.as.qp.n, -1, "n|-1|>= 0");
    REFUSED(p.as.qp.m, -1, "m|-1|>= 0");
    REFUSED(p.as.qp.m, INT_MAX, "m|2147483647");
    REFUSED(p.as.qp.m, 2, "A|1 x 2|2 x 2");
    REFUSED(p.as.qp.Q.rows, 3, "Q|3 x 2|2 x 2");
    REFUSED(p.as.qp.Q.value, NULL, "Q.value|NULL|4");
    REFUSED(Q[1], NAN, "Q.value[1]|(1, 0)|nan");
    REFUSED(Q[1], 1.5, "Q(1, 0)|1.5|Q(0, 1)|1|equal");
    REFUSED(Q[3], -2, "Q(1, 1)|-2|>= 0");
    REFUSED(A[1], INFINITY, "A.value[1]|(0, 1)|inf");
    REFUSED(a_index[1], 1, "A.index[1]|1|0 .. 0");
    REFUSED(c[0], NAN, "c[0]|nan");
    REFUSED(p.as.qp.c, NULL, "c|NULL|2");
    REFUSED(lo[1], 2, "lo[1]|2|hi[1]|1");
    REFUSED(row_lo[0], 2, "row_lo[0]|2|row_hi[0]|1");
    REFUSED(row_hi[0], NAN, "row_hi[0]|nan");
    REFUSED(p.as.qp.row_lo, NULL, "row_lo|NULL|1");
    REFUSED(p.as.qp.row_hi, NULL, "row_hi|NULL|1");
    p.as.qp.lo = p.as.qp.hi = NULL;
    accepted(&p);
    p.as.qp = (perp_qp){0};
    accepted(&p);
}

/* One bounded row and one contact. */
static void test_cone_local(void **state) {
    (void)state;
    int start[] = {0, 1, 2, 3, 4}, index[] = {0, 1, 2, 3};
    double W[] = {1, 2, 3, 4}, q[] = {1, -1, 0, 0}, lo[] = {-1}, hi[] = {1}, mu[] = {0.5}, axes[] = {1, 2};
    perp_problem p = {.cls = PERP_CONE,
                      .as.cone = {.dim = 3,
                                  .ncontact = 1,
                                  .nrow = 1,
                                  .lo = lo,
                                  .hi = hi,
                                  .mu = mu,
                                  .axes = axes,
                                  .W = {4, 4, start, index, W},
                                  .q = q}};
    perp_cone *c = &p.as.cone;
    for (int k = 0; k < 2; k++) {
        p.cls = k ? PERP_CONE_QP : PERP_CONE;
        accepted(&p);
        REFUSED(c->dim, 1, "dim|1|2 to 6");
        REFUSED(c->dim, 7, "dim|7|2 to 6");
        REFUSED(c->dim, 2, "W|4 x 4|3 x 3");
        REFUSED(c->nrow, -1, "nrow|-1");
        REFUSED(c->nrow, 2, "W|4 x 4|5 x 5");
        REFUSED(c->ncontact, -1, "ncontact|-1");
        REFUSED(c->ncontact, INT_MAX, "ncontact|2147483647|at most");
        REFUSED(c->ncontact, 0, "W|4 x 4|1 x 1");
        REFUSED(c->mu, NULL, "mu|NULL|1");
        REFUSED(mu[0], -0.25, "mu[0]|-0.25|>= 0");
        REFUSED(mu[0], NAN, "mu[0]|nan");
        REFUSED(mu[0], INFINITY, "mu[0]|inf|finite");
        REFUSED(axes[1], -1, "axes[1]|-1|>= 0");
        REFUSED(axes[0], NAN, "axes[0]|nan");
        REFUSED(lo[0], 2, "lo[0]|2|hi[0]|1");
        REFUSED(hi[0], NAN, "hi[0]|nan");
        REFUSED(c->q, NULL, "q|NULL|4");
        REFUSED(q[3], -INFINITY, "q[3]|-inf");
        REFUSED(W[2], NAN, "W.value[2]|(2, 2)|nan");
        REFUSED(index[1], 4, "W.index[1]|4|0 .. 3");
        REFUSED(start[2], 0, "W.start[2]|0|after 1");
        REFUSED(W[1], 0, "Row 1 of W|contact 0|zero");
    }
    axes[0] = axes[1] = W[2] = mu[0] = 0; /* all of these may be */
    accepted(&p);
    W[0] = 0; /* the bounded row moves nothing and wants u = 1: possible at lo only */
    accepted(&p);
    lo[0] = -INFINITY;
    refused(&p, "Row 0|W|q[0]|1|lo[0]");
    c->lo = NULL;
    refused(&p, "Row 0|W|q[0]|1|lo[0]");
    q[0] = 0;
    accepted(&p);
    *c = (perp_cone){.dim = 3};
    accepted(&p);
}

static void test_cone_global(void **state) {
    (void)state;
    int start[] = {0, 1, 2}, index[] = {0, 1}, h_start[] = {0, 1, 2, 2}, h_index[] = {0, 1};
    double M[] = {1, 2}, H[] = {1, 1}, f[] = {0, -1}, b[] = {0, 0, 0}, mu[] = {0.5}, soft[] = {0, 0, 1};
    perp_problem p = {.cls = PERP_CONE,
                      .as.cone = {.dim = 2,
                                  .ncontact = 1,
                                  .nrow = 1,
                                  .mu = mu,
                                  .global = true,
                                  .M = {2, 2, start, index, M},
                                  .H = {2, 3, h_start, h_index, H},
                                  .f = f,
                                  .b = b,
                                  .compliance = soft}};
    perp_cone *c = &p.as.cone;
    accepted(&p);
    REFUSED(c->M.rows, 3, "M|3 x 2|2 x 2");
    REFUSED(c->M.cols, -1, "M|-1");
    REFUSED(c->H.cols, 2, "H|2 x 2|2 x 3");
    REFUSED(c->H.rows, 1, "H|1 x 3|2 x 3");
    REFUSED(c->H.start, NULL, "H.start|NULL|4");
    REFUSED(c->M.start, NULL, "M.start|NULL|3");
    REFUSED(h_index[0], 2, "H.index[0]|2|0 .. 1");
    REFUSED(M[1], NAN, "M.value[1]|(1, 1)|nan");
    REFUSED(H[0], INFINITY, "H.value[0]|(0, 0)|inf");
    REFUSED(f[0], NAN, "f[0]|nan");
    REFUSED(b[2], NAN, "b[2]|nan");
    REFUSED(c->f, NULL, "f|NULL|2");
    REFUSED(c->b, NULL, "b|NULL|3");
    REFUSED(soft[1], -1, "compliance[1]|-1|>= 0");
    REFUSED(soft[2], INFINITY, "compliance[2]|inf");
    REFUSED(H[1], 0, "Column 1 of H|contact 0|zero");
    REFUSED(mu[0], -1, "mu[0]|-1");
    H[1] = 0, soft[1] = 0.5; /* compliance alone will do */
    accepted(&p);
    c->compliance = NULL;
    refused(&p, "Column 1 of H|contact 0");
    H[1] = 1;
    accepted(&p);
    H[0] = 0;
    REFUSED(b[0], 2, "Column 0|b[0]|2|lo[0]");
    H[0] = 1, M[0] = 0; /* well formed, but the judge finds M singular */
    accepted(&p);
    perp_measures m;
    double r[3] = {0}, u[3], v[2];
    assert_int_equal(perp_problem_measure(&p, r, &m), PERP_E_ARG);
    assert_int_equal(perp_cone_velocity(c, r, u, v), PERP_E_ARG);
    M[0] = 1;
    c->dim = 7;
    assert_int_equal(perp_cone_velocity(c, r, u, v), PERP_E_ARG);
    c->dim = 2, c->ncontact = INT_MAX;
    assert_int_equal(perp_cone_velocity(c, r, u, v), PERP_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),      cmocka_unit_test(test_class),       cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_many_rows),  cmocka_unit_test(test_ncp),         cmocka_unit_test(test_qp),
        cmocka_unit_test(test_cone_local), cmocka_unit_test(test_cone_global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_bodies.c - bodies behind a matrix W that is given without them: a heap of blocks in global form, and the same as W and q. */
#include "check.h"

#include <string.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "perp/solver.h"
#include "problem/convert/convert_class.h"
#include "solver/cone/cone_bodies.h"

enum { SIDE = 3, LAYERS = 4, BODIES = SIDE * SIDE * LAYERS, POINTS = 4, N = 6 * BODIES, MOST = 3 * BODIES * POINTS };

/* Blocks of unit size on a lattice, each pressed on its neighbours and on the floor at four points, somewhat off the faces. */
typedef struct heap {
    int mass_start[N + 1], mass_index[N], start[3 * MOST + 1], index[36 * MOST], contacts, used;
    double mass[N], f[N], value[36 * MOST], mu[MOST], b[3 * MOST];
    perp_problem global, local;
} heap;

/* Three rows at a point: normal n, tangents; below < 0: an obstacle. */
static void add_contact(heap *h, int below, int above, const double *point, int normal) {
    const int body[2] = {below, above};
    for (int r = 0; r < 3; r++) {
        h->start[3 * h->contacts + r] = h->used;
        for (int k = 0; k < 2; k++) {
            if (body[k] < 0) continue;
            int i = body[k];
            double at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)}, arm[3], d[3] = {0};
            for (int a = 0; a < 3; a++) arm[a] = point[a] - at[a];
            d[(normal + r) % 3] = k ? 1 : -1;
            for (int a = 0; a < 6; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                h->index[h->used] = 6 * i + a;
                h->value[h->used++] = a < 3 ? d[a] : arm[b] * d[c] - arm[c] * d[b];
            }
        }
    }
    h->mu[h->contacts++] = 0.5;
}

static void add_face(heap *h, int below, int above, int normal) {
    double at[3] = {above % SIDE, above / SIDE % SIDE, above / (SIDE * SIDE)};
    for (int k = 0; k < POINTS; k++) {
        double point[3];
        for (int a = 0; a < 3; a++) point[a] = at[a] + 0.05 * rp_sym();
        point[normal] -= 0.5;
        point[(normal + 1) % 3] += k & 1 ? 0.4 : -0.4;
        point[(normal + 2) % 3] += k & 2 ? 0.4 : -0.4;
        add_contact(h, below, above, point, normal);
    }
}

/* ratio: of masses. The local form lies in the arena. */
static void make(heap *h, double ratio) {
    static const int stride[3] = {1, SIDE, SIDE * SIDE};
    memset(h, 0, sizeof *h);
    for (int i = 0; i < BODIES; i++) {
        int place[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        double m = pow(ratio, rp_unit());
        for (int a = 0; a < 6; a++) {
            h->mass[6 * i + a] = a < 3 ? m : m / 6;
            h->f[6 * i + a] = a < 3 ? 0.01 * m * (a == 2 ? -9.81 : 3 * rp_sym()) : 0;
        }
        for (int a = 0; a < 3; a++) {
            if (place[a] > 0) add_face(h, i - stride[a], i, a);
            if (place[a] == 0 && a == 2) add_face(h, -1, i, a);
        }
    }
    h->start[3 * h->contacts] = h->used;
    for (int i = 0; i <= N; i++) h->mass_start[i] = i;
    for (int i = 0; i < N; i++) h->mass_index[i] = i;
    h->global = (perp_problem){.cls = PERP_CONE,
                               .as.cone = {.dim = 3,
                                           .ncontact = h->contacts,
                                           .mu = h->mu,
                                           .global = true,
                                           .M = {N, N, h->mass_start, h->mass_index, h->mass},
                                           .H = {N, 3 * h->contacts, h->start, h->index, h->value},
                                           .f = h->f,
                                           .b = h->b}};
    h->local = (perp_problem){.cls = PERP_CONE, .as.cone = {.dim = 3, .ncontact = h->contacts, .mu = h->mu}};
    pp_arena scratch;
    pp_arena_init(&scratch, (perp_allocator){0});
    assert_int_equal(pp_condense(&h->global.as.cone, &arena, &scratch, &h->local.as.cone.W, &h->local.as.cone.q),
                     PERP_OK);
    pp_arena_free(&scratch);
}

static heap h;

/* J J' is W; it has as many columns as there are dofs, or a few more, and a contact acts on few nodes. */
static void bodies_are_found(void **state) {
    (void)state;
    for (int round = 0; round < 6; round++) {
        pp_arena_mark mark = pp_arena_here(&arena);
        perp_call call = {.arena = &arena, .deadline = INFINITY};
        pp_cone given, found;
        bool singular;
        make(&h, pow(10, round));
        assert_true(pp_cone_make(&given, &h.local, &call, &singular));
        found = given;
        assert_true(pp_cone_find_bodies(&found, &call));
        assert_true(found.body);
        assert_in_range(found.ndof, N, 1.1 * N);
        assert_in_range(found.row[found.nblock], 2 * found.nblock - SIDE * SIDE * POINTS, 12 * found.nblock);
        double *x = PP_CALL_ARRAY(&call, double, 3 * given.m), *v = x + given.m, *u = v + given.m;
        for (int i = 0; i < given.m; i++) x[i] = rp_sym();
        pp_cone_apply(&given, x, v);
        pp_cone_apply(&found, x, u);
        for (int i = 0; i < given.m; i++) assert_near(u[i], v[i], 1e-9);
        pp_arena_release(&arena, mark);
    }
}

static perp_solve_info solve(const perp_problem *p, double tol) {
    static double r[3 * MOST];
    perp_solve_options o = {.tol = tol};
    perp_solve_info info;
    memset(r, 0, sizeof r);
    if (perp_solve(p, &o, r, &info)) fail_msg("%s", info.story);
    assert_true(info.verdict.solved);
    return info;
}

/* One problem in both forms takes about as many factorisations, of matrices of about the same size. */
static void forms_cost_the_same(void **state) {
    (void)state;
    int global = 0, local = 0;
    for (int round = 0; round < 6; round++) {
        pp_arena_mark mark = pp_arena_here(&arena);
        make(&h, pow(10, round % 3));
        perp_solve_info info = solve(&h.global, 1e-9);
        global += info.factorisations;
        info = solve(&h.local, 1e-9);
        local += info.factorisations;
        if (!strstr(info.story, "bodies found")) fail_msg("story: %s", info.story);
        pp_arena_release(&arena, mark);
    }
    print_message("%d factorisations in global form, %d in local form\n", global, local);
    assert_true(local <= 2 * global + 60);
}

/* Masses 1e4 apart and friction of 2, where solvers gave up: solved in both forms, to two tolerances. */
static void heavy_and_rough(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        pp_arena_mark mark = pp_arena_here(&arena);
        make(&h, 1e4);
        for (int i = 0; i < h.contacts; i++) h.mu[i] = 2;
        for (double tol = 1e-8; tol > 5e-10; tol /= 10) {
            (void)solve(&h.global, tol);
            (void)solve(&h.local, tol);
        }
        pp_arena_release(&arena, mark);
    }
}

/* Matrices that no bodies are behind stay: one that is not symmetric, one of full rank, one that is indefinite. */
static void others_stay(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        pp_arena_mark mark = pp_arena_here(&arena);
        perp_call call = {.arena = &arena, .deadline = INFINITY};
        pp_cone c;
        bool singular;
        make(&h, 10);
        const perp_sparse *W = &h.local.as.cone.W;
        double *value = PP_CALL_ARRAY(&call, double, W->start[W->cols]);
        memcpy(value, W->value, sizeof *value * (size_t)W->start[W->cols]);
        for (int j = 0; j < W->cols; j++)
            for (int s = W->start[j]; s < W->start[j + 1]; s++) {
                if (kind == 0 && W->index[s] < j) value[s] *= 1 + 1e-6;
                if (kind == 1 && W->index[s] == j) value[s] *= 1.1;
                if (kind == 2 && W->index[s] == j) value[s] *= 0.99;
            }
        h.local.as.cone.W.value = value;
        assert_true(pp_cone_make(&c, &h.local, &call, &singular) && pp_cone_find_bodies(&c, &call));
        assert_false(c.body);
        pp_arena_release(&arena, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_are_found), cmocka_unit_test(forms_cost_the_same),
                                       cmocka_unit_test(heavy_and_rough), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}

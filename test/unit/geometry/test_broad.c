/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_broad.c - the broad phase against all pairs, compared one by one */
#include "fault/allocator.h"
#include "unit/collision_help.h"

#include <stdlib.h>

#include "count_malloc.h"

#ifdef PERP_TEST_SHORT
#define SCALE 5
#else
#define SCALE 1
#endif

typedef struct scene {
    int n;
    pp_box *box;
    pp_placed *placed;
} scene;

static scene make_scene(int n) {
    scene s = {n, calloc((size_t)n, sizeof *s.box), calloc((size_t)n, sizeof *s.placed)};
    for (int i = 0; i < n; i++) s.placed[i] = (pp_placed){.body = i, .moves = true, .slot = i, .group = 1, .mask = ~0u};
    return s;
}
static void end_scene(scene *s) {
    free(s->box);
    free(s->placed);
}

static pp_box box_at(perp_vec3 c, double hx, double hy, double hz) {
    return (pp_box){{c.x - hx, c.y - hy, c.z - hz}, {c.x + hx, c.y + hy, c.z + hz}};
}

static bool odd_sum(int i, int j, const void *ctx) { return (i + j) % 2 != 0 || ctx == NULL; }

/* Compares the whole list, in its order, with all pairs. @return how many there are */
static int check(pp_broad *b, const scene *s, pp_couple_list *list, const void *ctx) {
    assert_int_equal(pp_broad_pairs(b, s->n, s->box, s->placed, odd_sum, ctx, &plain_alloc, list), PERP_OK);
    int k = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = i + 1; j < s->n; j++) {
            const pp_box *p = &s->box[i], *q = &s->box[j];
            const pp_placed *x = &s->placed[i], *y = &s->placed[j];
            if (p->lo.x > q->hi.x || q->lo.x > p->hi.x || p->lo.y > q->hi.y || q->lo.y > p->hi.y || p->lo.z > q->hi.z ||
                q->lo.z > p->hi.z)
                continue;
            if (x->body == y->body || (!x->moves && !y->moves) || !(x->group & y->mask) || !(y->group & x->mask))
                continue;
            if (!odd_sum(i, j, ctx)) continue;
            if (k >= list->n || list->couple[k].i != i || list->couple[k].j != j)
                fail_msg("pair %d should be %d %d and is %d %d of %d", k, i, j, k < list->n ? list->couple[k].i : -1,
                         k < list->n ? list->couple[k].j : -1, list->n);
            k++;
        }
    assert_int_equal(list->n, k);
    return k;
}

/* Boxes of very different sizes and shapes, some infinite, some of one body, at rest or in other groups. */
static void any_box(scene *s, int i, double span, int dim) {
    double size = pow(10, uniform(-3, 0.5));
    perp_vec3 c = random_vec(span);
    if (dim == 2) c.z = 0;
    s->box[i] = box_at(c, size * uniform(0, 1), size * uniform(0, 1), dim == 2 ? 0 : size * uniform(0, 1));
    double kind = uniform(0, 1);
    if (kind < 0.02) s->box[i].hi = perp_v3(INFINITY, INFINITY, c.z);
    if (kind < 0.02) s->box[i].lo = perp_v3(-INFINITY, -INFINITY, -INFINITY);
    if (kind > 0.97) s->box[i].lo = s->box[i].hi; /* a point */
    s->placed[i].moves = uniform(0, 1) < 0.8;
    s->placed[i].body = uniform(0, 1) < 0.3 ? i / 4 : 1000000 + i;
    s->placed[i].group = uniform(0, 1) < 0.8 ? 1 : 2;
    s->placed[i].mask = uniform(0, 1) < 0.8 ? 3 : 1;
}

static void random_scenes(void **state) {
    (void)state;
    pp_broad *b = pp_broad_create(&plain_alloc); /* one for all: nothing may be left of the scene before */
    pp_couple_list list = {0};
    int found = 0;
    for (int trial = 0; trial < 400 / SCALE; trial++) {
        int dim = 2 + trial % 2;
        scene s = make_scene(1 + (int)uniform(0, trial % 10 ? 60 : 400));
        for (int i = 0; i < s.n; i++) any_box(&s, i, uniform(0.1, 4), dim);
        for (int k = 0; k < 5; k++) {
            found += check(b, &s, &list, trial % 3 ? NULL : &s);
            for (int i = 0; i < s.n; i++) /* a few change altogether, others move a little */
                if (uniform(0, 1) < 0.05)
                    any_box(&s, i, 4, dim);
                else if (uniform(0, 1) < 0.7) {
                    double d = uniform(-0.02, 0.02);
                    s.box[i].lo.x += d;
                    s.box[i].hi.x += d;
                }
        }
        end_scene(&s);
    }
    assert_true(found > 100000 / SCALE / SCALE);
    pp_free(&plain_alloc, list.couple);
    pp_broad_destroy(b, &plain_alloc);
}

static void degenerate_scenes(void **state) {
    (void)state;
    pp_broad *b = pp_broad_create(&plain_alloc);
    pp_couple_list list = {0};
    scene s = make_scene(200);
    assert_int_equal(pp_broad_pairs(b, 0, NULL, NULL, NULL, NULL, &plain_alloc, &list), PERP_OK);
    assert_int_equal(list.n, 0);
    /* all at one point: every pair */
    assert_int_equal(check(b, &s, &list, NULL), 199 * 100);
    /* closed boxes that share a face, an edge or a corner meet */
    for (int i = 0; i < 200; i++) s.box[i] = box_at(perp_v3(i % 5, i / 5 % 5, i / 25), 0.5, 0.5, 0.5);
    int touching = check(b, &s, &list, NULL);
    for (int i = 0; i < 200; i++) s.box[i] = box_at(perp_v3(i % 5, i / 5 % 5, i / 25), 0.499, 0.499, 0.499);
    assert_int_equal(check(b, &s, &list, NULL), 0);
    /* of a 5 x 5 x 8 grid: all neighbours, with the diagonal ones */
    assert_int_equal(touching, (13 * 13 * 22 - 200) / 2);
    /* all but one in a row along a line, and that one far out */
    for (int i = 0; i < 200; i++) s.box[i] = box_at(perp_v3(0, 1e-3 * i, 0), 1e-3, 1e-3, 1e-3);
    s.box[77] = box_at(perp_v3(1e12, -1e12, 0), 1, 1, 1);
    (void)check(b, &s, &list, NULL);
    /* all infinite; then none; sides without an end on one side only */
    for (int i = 0; i < 200; i++)
        s.box[i] = (pp_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    assert_int_equal(check(b, &s, &list, NULL), 199 * 100);
    for (int i = 0; i < 200; i++) s.box[i] = box_at(random_vec(3), 0.3, 0.3, 0.3);
    (void)check(b, &s, &list, NULL);
    s.box[0] = (pp_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0}};
    s.box[199] = (pp_box){{1, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    assert_true(check(b, &s, &list, NULL) > 100);
    /* very large and very small numbers */
    for (int i = 0; i < 200; i++) s.box[i] = box_at(perp_v3(1e300 * uniform(-1, 1), 0, 0), 1e299, 1e299, 1e299);
    assert_true(check(b, &s, &list, NULL) > 100);
    for (int i = 0; i < 200; i++) s.box[i] = box_at(perp_v3(1e-300 * uniform(-1, 1), 0, 0), 1e-302, 1e-302, 1e-302);
    assert_true(check(b, &s, &list, NULL) > 10);
    /* what is not a number meets everything */
    for (int i = 0; i < 200; i++) s.box[i] = box_at(perp_v3(10 * i, 0, 0), 1, 1, 1);
    s.box[50].lo.y = s.box[50].hi.y = s.box[50].lo.x = s.box[50].hi.x = s.box[50].lo.z = s.box[50].hi.z = NAN;
    assert_int_equal(pp_broad_pairs(b, 200, s.box, s.placed, NULL, NULL, &plain_alloc, &list), PERP_OK);
    assert_int_equal(list.n, 199);
    end_scene(&s);
    pp_free(&plain_alloc, list.couple);
    pp_broad_destroy(b, &plain_alloc);
}

/* Thousands of boxes that move on and on, slowly, fast, and some by jumps, with one large one and a floor. */
static void moving(void **state) {
    (void)state;
    const int n = 2000 / SCALE;
    const double speed[] = {0.001, 0.03, 0.5, 5};
    pp_broad *b = pp_broad_create(&plain_alloc);
    pp_couple_list list = {0};
    scene s = make_scene(n);
    perp_vec3 *v = calloc((size_t)n, sizeof *v);
    for (int i = 0; i < n; i++) {
        s.box[i] = box_at(random_vec(6), 0.5, 0.5, 0.5);
        v[i] = random_vec(1);
    }
    s.box[3] = box_at(perp_v3(0, 0, -6), 20, 20, 1);
    s.box[n - 4] = (pp_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, -4}};
    s.placed[n - 4].moves = false;
    int calls = 0;
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < 12; k++, calls++) {
            for (int i = 0; i < n; i++) {
                if (i == n - 4) continue;
                double h = speed[m] * (i % 7 == 0 ? 0 : 1);
                perp_vec3 d = perp_v3_scale(h, v[i]);
                s.box[i].lo = perp_v3_add(s.box[i].lo, d);
                s.box[i].hi = perp_v3_add(s.box[i].hi, d);
                for (int a = 0; a < 3; a++) { /* turn back at a wall */
                    double x = (&s.box[i].lo.x)[a], *w = &(&v[i].x)[a];
                    if ((x > 6 && *w > 0) || (x < -6 && *w < 0)) *w = -*w;
                }
            }
            if (k % 4 == 3) s.placed[k].moves = !s.placed[k].moves; /* traits change without a move */
            if (k == 7) /* all grow for a while and shrink again: fat boxes must not stay fat */
                for (int i = 0; i < n; i++) s.box[i].hi.z += i == n - 4 ? 0 : 3;
            if (k == 8)
                for (int i = 0; i < n; i++) s.box[i].hi.z -= i == n - 4 ? 0 : 3;
            assert_true(check(b, &s, &list, NULL) > n / 8);
        }
    /* what it remembers does not matter: one that has seen nothing says the same */
    pp_broad *fresh = pp_broad_create(&plain_alloc);
    pp_couple_list other = {0};
    assert_int_equal(pp_broad_pairs(fresh, n, s.box, s.placed, NULL, NULL, &plain_alloc, &other), PERP_OK);
    assert_int_equal(other.n, list.n);
    assert_memory_equal(other.couple, list.couple, (size_t)list.n * sizeof *list.couple);
    free(v);
    end_scene(&s);
    pp_free(&plain_alloc, list.couple);
    pp_free(&plain_alloc, other.couple);
    pp_broad_destroy(b, &plain_alloc);
    pp_broad_destroy(fresh, &plain_alloc);
}

/* Boxes that crawl: by exact steps that make sides meet and part, by the last digit of a side, by growing on one side;
 * some not at all. The floor rises, most of the time. Meetings come and go although nothing leaves its place. */
static void crawling(void **state) {
    (void)state;
    const int n = 300, calls = 120 / SCALE;
    const double step = 0x1p-10; /* exact on the lattice below */
    pp_broad *b = pp_broad_create(&plain_alloc);
    pp_couple_list list = {0};
    scene s = make_scene(n);
    for (int i = 0; i < n; i++) {
        perp_vec3 c = {i % 7 * (1 + 3 * step), i / 7 % 7 * (1 + 2 * step), i / 49 * (1 + step)};
        s.box[i] = box_at(perp_v3_add(c, perp_v3(8, 8, 8)), 0.5, 0.5, 0.5);
    }
    s.box[n / 2] = (pp_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 7.25}};
    int changes = 0, met = check(b, &s, &list, NULL);
    for (int k = 0; k < calls; k++) {
        for (int i = 0; i < n; i++) {
            double *lo = &s.box[i].lo.x, *hi = &s.box[i].hi.x;
            int a = (int)uniform(0, 3), kind = (int)uniform(0, 6);
            double d = uniform(0, 1) < 0.5 ? step : -step;
            if (i == n / 2) {
                if (k % 5 == 0) hi[2] += step;
            } else if (kind < 2) {
                lo[a] += d;
                hi[a] += d;
            } else if (kind == 2) {
                lo[a] = nextafter(lo[a], d > 0 ? 100 : 0);
            } else if (kind == 3) {
                hi[a] += d;
            }
        }
        int now = check(b, &s, &list, NULL);
        changes += now != met;
        met = now;
    }
    assert_true(changes > calls / 2);
    end_scene(&s);
    pp_free(&plain_alloc, list.couple);
    pp_broad_destroy(b, &plain_alloc);
}

static void warm_calls_do_not_allocate(void **state) {
    (void)state;
    const int n = 1500;
    pp_broad *b = pp_broad_create(&plain_alloc);
    pp_couple_list list = {0};
    scene s = make_scene(n);
    perp_vec3 *home = calloc((size_t)n, sizeof *home);
    for (int i = 0; i < n; i++) home[i] = random_vec(6);
    long before = 0;
    for (int k = 0; k < 200; k++) {
        if (k == 100) before = malloc_calls();
        double amplitude = 0.2 + 0.5 * (k % 100) / 100; /* the second hundred repeats what the first one did */
        for (int i = 0; i < n; i++) {
            double a = k % 100 * 0.1 * (1 + i % 5);
            perp_vec3 d = perp_v3_scale(amplitude, perp_v3(sin(a + i), cos(a), sin(2 * a)));
            s.box[i] = box_at(perp_v3_add(home[i], d), 0.4, 0.4, 0.4);
        }
        assert_int_equal(pp_broad_pairs(b, n, s.box, s.placed, NULL, NULL, &plain_alloc, &list), PERP_OK);
    }
    assert_true(list.n > 1000);
    if (COUNTS_MALLOC) assert_int_equal(malloc_calls() - before, 0);
    free(home);
    end_scene(&s);
    pp_free(&plain_alloc, list.couple);
    pp_broad_destroy(b, &plain_alloc);
}

/* Refused memory leaves an empty list, and the next call is right again. */
static void refused_memory(void **state) {
    (void)state;
    scene s = make_scene(150);
    for (int i = 0; i < 150; i++) any_box(&s, i, 1, 3);
    bool done = false;
    for (int k = 1; !done; k++) {
        counter c = {.refuse = k};
        const perp_allocator a = counting(&c);
        pp_broad *b = pp_broad_create(&a);
        pp_couple_list list = {0};
        assert_non_null(b);
        perp_status st = pp_broad_pairs(b, s.n, s.box, s.placed, NULL, NULL, &a, &list);
        done = !st;
        if (st) assert_true(st == PERP_E_MEMORY && list.n == 0);
        assert_int_equal(pp_broad_pairs(b, s.n, s.box, s.placed, NULL, NULL, &a, &list), PERP_OK);
        pp_couple_list again = {0};
        pp_broad *fresh = pp_broad_create(&plain_alloc);
        assert_int_equal(check(fresh, &s, &again, NULL), list.n);
        assert_memory_equal(again.couple, list.couple, (size_t)list.n * sizeof *list.couple);
        pp_free(&plain_alloc, again.couple);
        pp_broad_destroy(fresh, &plain_alloc);
        pp_free(&a, list.couple);
        pp_broad_destroy(b, &a);
        assert_int_equal(c.live, 0);
        assert_true(k < 200);
    }
    end_scene(&s);
}

/* Boxes of shapes hold every point of them, and touch them on all sides. */
static void boxes_of_shapes(void **state) {
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        int dim = 2 + trial % 2;
        double reach = uniform(0, 0.2), r = uniform(0.1, 1);
        pp_geometry *g = trial % 3 ? random_poly(dim) : make_sphere(dim, r);
        pp_placed p = put(g, random_pose(dim, 3), reach, 0);
        pp_box b = pp_box_of(&p);
        double grow = g->radius + reach, lo[3] = {INFINITY, INFINITY, INFINITY},
               hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int v = 0; v < g->nvert; v++) {
            perp_vec3 x = perp_pose_apply(p.X_WS, g->vert[v]);
            for (int a = 0; a < dim; a++) {
                lo[a] = fmin(lo[a], (&x.x)[a] - grow);
                hi[a] = fmax(hi[a], (&x.x)[a] + grow);
            }
        }
        for (int a = 0; a < dim; a++) {
            assert_true(fabs((&b.lo.x)[a] - lo[a]) < 1e-14 && fabs((&b.hi.x)[a] - hi[a]) < 1e-14);
        }
        if (dim == 2) assert_true(b.lo.z == 0 && b.hi.z == 0);
        pp_geometry_destroy(g, &plain_alloc);
    }
    pp_geometry *g = make_plane(3, perp_v3(0, 0, 1), 0.5);
    pp_placed p = put(g, perp_pose_at(1, 2, 3), 0, 0);
    pp_box b = pp_box_of(&p);
    assert_true(isinf(b.lo.x) && isinf(b.hi.y) && isinf(b.lo.z) && fabs(b.hi.z - 3.5) < 1e-13 && b.hi.z >= 3.5);
    p.X_WS.q = perp_q_axis_angle(perp_v3(1, 0, 0), 0.1);
    b = pp_box_of(&p);
    assert_true(isinf(b.hi.x) && isinf(b.hi.y) && isinf(b.hi.z) && isinf(b.lo.z));
    pp_geometry_destroy(g, &plain_alloc);
}

/* The deepest overlap by way of the broad phase is that over all pairs. */
static void deepest_of_many(void **state) {
    (void)state;
    pp_broad *b = pp_broad_create(&plain_alloc);
    pp_couple_list list = {0};
    pp_arena arena;
    pp_arena_init(&arena, plain_alloc);
    pp_geometry *g[40];
    pp_placed p[40];
    for (int trial = 0; trial < 40 / SCALE; trial++) {
        int dim = 2 + trial % 2, which[2], same[2];
        double deepest, span = uniform(1, 8);
        for (int i = 0; i < 40; i++) {
            g[i] = i == 7 ? make_plane(dim, perp_v3(0, 1, 0), -3) : i % 3 ? random_poly(dim) : make_sphere(dim, 0.4);
            p[i] = put(g[i], random_pose(dim, span), 0.5, i);
        }
        if (trial % 10 == 9) p[12].X_WS.p.x = NAN;
        assert_int_equal(pp_overlap_deepest(b, 40, p, NULL, NULL, &plain_alloc, &arena, &list, &deepest, which),
                         PERP_OK);
        double all = pp_deepest_overlap(40, p, NULL, NULL, same);
        assert_true(deepest == all && which[0] == same[0] && which[1] == same[1]);
        assert_true(isinf(all) == (trial % 10 == 9));
        for (int i = 0; i < 40; i++) pp_geometry_destroy(g[i], &plain_alloc);
    }
    pp_free(&plain_alloc, list.couple);
    pp_arena_free(&arena);
    pp_broad_destroy(b, &plain_alloc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scenes),   cmocka_unit_test(degenerate_scenes),
        cmocka_unit_test(moving),          cmocka_unit_test(warm_calls_do_not_allocate),
        cmocka_unit_test(refused_memory),  cmocka_unit_test(boxes_of_shapes),
        cmocka_unit_test(deepest_of_many), cmocka_unit_test(crawling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

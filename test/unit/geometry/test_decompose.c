/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Regular bodies, convex parts of polygons and meshes, and their masses. */
#include <stdlib.h>

#include "unit/collision_help.h"
#include "perp/perp.h"

#ifdef PERP_TEST_SHORT
#define SOME 60
#else
#define SOME 400
#endif

static double cross2(perp_vec3 a, perp_vec3 b) { return a.x * b.y - a.y * b.x; }

/* ---- regular bodies ---- */

static void test_primitives(void **state) {
    (void)state;
    perp_vec3 p[2 * PERP_SIDES_MAX];
    for (int n = 3; n <= 64; n++) {
        assert_int_equal(perp_points_regular(n, 1.5, p, 2000), n);
        perp_shape_def d = perp_shape_polygon(p, n);
        pp_geometry *g = make(&d, 2);
        assert_int_equal(g->nvert, n);
        pp_geometry_destroy(g, &plain_alloc);
        assert_int_equal(perp_points_prism(n, 1.5, 0.7, p, 2000), 2 * n);
        d = perp_shape_polyhedron(p, 2 * n);
        g = make(&d, 3);
        assert_true(g->nvert == 2 * n && g->nface == n + 2 && g->nedge == 3 * n);
        pp_geometry_destroy(g, &plain_alloc);
        perp_mass m;
        double area = n / 2.0 * 1.5 * 1.5 * sin(2 * PI / n);
        assert_int_equal(perp_shape_mass(&d, 3, 1, &m, NULL, 0), PERP_OK);
        assert_true(fabs(m.mass - area * 0.7) < 1e-12 && perp_v3_norm(m.com_B) < 1e-12);
        assert_int_equal(perp_points_cone(n, 1.5, 0.7, p, 2000), n + 1);
        d = perp_shape_polyhedron(p, n + 1);
        g = make(&d, 3);
        assert_true(g->nvert == n + 1 && g->nface == n + 1 && g->nedge == 2 * n);
        pp_geometry_destroy(g, &plain_alloc);
        assert_int_equal(perp_shape_mass(&d, 3, 1, &m, NULL, 0), PERP_OK);
        assert_true(fabs(m.mass - area * 0.7 / 3) < 1e-12 && perp_v3_norm(m.com_B) < 1e-12);
    }
    const struct {
        perp_platonic which;
        int v, e;
        double volume; /* of edge 1 */
        double edge;   /* of radius 1 */
    } solid[] = {{PERP_TETRAHEDRON, 4, 6, 0.11785113019775793, 1.632993161855452},
                 {PERP_CUBE, 8, 12, 1, 1.1547005383792515},
                 {PERP_OCTAHEDRON, 6, 12, 0.47140452079103173, 1.4142135623730951},
                 {PERP_DODECAHEDRON, 20, 30, 7.6631189606246321, 0.71364417954617991},
                 {PERP_ICOSAHEDRON, 12, 30, 2.1816949906249123, 1.0514622242382672}};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(perp_points_platonic(solid[k].which, 2, p, 20), solid[k].v);
        perp_shape_def d = perp_shape_polyhedron(p, solid[k].v);
        pp_geometry *g = make(&d, 3);
        assert_true(g->nvert == solid[k].v && g->nface == (int)solid[k].which && g->nedge == solid[k].e);
        for (int e = 0; e < g->nedge; e++) {
            double l = perp_v3_norm(perp_v3_sub(g->vert[g->edge[e][0]], g->vert[g->edge[e][1]]));
            assert_true(fabs(l - 2 * solid[k].edge) < 1e-14 * 8);
        }
        perp_mass m;
        assert_int_equal(perp_shape_mass(&d, 3, 1, &m, NULL, 0), PERP_OK);
        double want = solid[k].volume * pow(2 * solid[k].edge, 3), I = m.I_B.c[0].x;
        assert_true(fabs(m.mass - want) < 1e-12 * want && perp_v3_norm(m.com_B) < 1e-13);
        assert_true(fabs(m.I_B.c[1].y - I) < 1e-12 * I && fabs(m.I_B.c[2].z - I) < 1e-12 * I);
        pp_geometry_destroy(g, &plain_alloc);
    }
    assert_int_equal(perp_points_regular(2, 1, p, 9), 0);
    assert_int_equal(perp_points_regular(PERP_SIDES_MAX + 1, 1, p, 9), 0);
    assert_int_equal(perp_points_prism(3, NAN, 1, p, 9), 0);
    assert_int_equal(perp_points_cone(3, 1, -1, p, 9), 0);
    assert_int_equal(perp_points_platonic((perp_platonic)7, 1, p, 20), 0);
    p[0].x = 77;
    assert_int_equal(perp_points_regular(5, 1, p, 4), 5); /* no room: only counted */
    assert_true(p[0].x == 77);
}

/* ---- polygons ---- */

typedef struct ring {
    perp_vec3 p[400];
    int n;
} ring;

static double from_side(perp_vec3 x, perp_vec3 a, perp_vec3 b) {
    perp_vec3 d = perp_v3_sub(b, a), r = perp_v3_sub(x, a);
    double t = fmin(1, fmax(0, perp_v3_dot(r, d) / perp_v3_dot(d, d)));
    return perp_v3_norm(perp_v3_axpy(r, -t, d));
}
/* Signed: positive inside; by crossing numbers and the nearest side. */
static double depth_in(const perp_vec3 *p, int n, perp_vec3 x) {
    bool in = false;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        perp_vec3 a = p[i], b = p[(i + 1) % n];
        least = fmin(least, from_side(x, a, b));
        if ((a.y > x.y) != (b.y > x.y) && x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x)) in = !in;
    }
    return in ? least : -least;
}

static double area_of(const perp_vec3 *p, int n) {
    double a = 0;
    for (int i = 1; i + 1 < n; i++) a += cross2(perp_v3_sub(p[i], p[0]), perp_v3_sub(p[i + 1], p[0])) / 2;
    return a;
}

/* The union of the parts is the polygon: points of a grid, corners, and points beside the sides. */
static int check_ring(const ring *r) {
    perp_parts parts;
    char why[256] = "";
    perp_status s = perp_polygon_parts(r->p, r->n, NULL, &parts, why, sizeof why);
    if (s) fail_msg("%s", why);
    perp_vec3 lo = r->p[0], hi = r->p[0];
    for (int i = 0; i < r->n; i++) {
        lo = perp_v3(fmin(lo.x, r->p[i].x), fmin(lo.y, r->p[i].y), 0);
        hi = perp_v3(fmax(hi.x, r->p[i].x), fmax(hi.y, r->p[i].y), 0);
    }
    double size = fmax(hi.x - lo.x, hi.y - lo.y), eps = 1e-9 * size, sum = 0;
    for (int k = 0; k < parts.npart; k++) {
        const perp_vec3 *v = parts.point + parts.start[k];
        int n = parts.start[k + 1] - parts.start[k];
        sum += area_of(v, n);
        for (int i = 0; i < n; i++) {
            perp_vec3 e = perp_v3_sub(v[(i + 1) % n], v[i]), f = perp_v3_sub(v[(i + 2) % n], v[(i + 1) % n]);
            assert_true(cross2(e, f) > 0);
            for (int m = 0; m <= 4; m++) assert_true(depth_in(r->p, r->n, perp_v3_axpy(v[i], m / 4.0, e)) > -eps);
        }
    }
    assert_true(sum >= fabs(area_of(r->p, r->n)) * (1 - 1e-10));
    const int grid = 25;
    for (int i = 0; i <= grid * grid + 4 * r->n; i++) {
        perp_vec3 x = perp_v3(lo.x + (hi.x - lo.x) * (i % grid + 0.37) / grid,
                              lo.y + (hi.y - lo.y) * (i / grid + 0.41) / grid, 0);
        if (i >= grid * grid) { /* close to the sides, on both sides of them */
            int k = (i - grid * grid) / 4 % r->n;
            perp_vec3 a = r->p[k], e = perp_v3_sub(r->p[(k + 1) % r->n], a);
            x = perp_v3_axpy(a, uniform(0, 1), e);
            x = perp_v3_axpy(x, (i & 1 ? 1e-7 : -1e-7) * size, perp_v3_unit(perp_v3(-e.y, e.x, 0)));
        }
        double depth = depth_in(r->p, r->n, x), in = -INFINITY;
        if (fabs(depth) < eps) continue;
        for (int k = 0; k < parts.npart; k++)
            in = fmax(in, depth_in(parts.point + parts.start[k], parts.start[k + 1] - parts.start[k], x));
        if ((depth > 0) != (in > 0 || fabs(in) < eps))
            fail_msg("(%.9g, %.9g) lies %g in the polygon and %g in the parts", x.x, x.y, depth, in);
    }
    int n = parts.npart;
    perp_parts_free(&parts);
    assert_true(parts.point == NULL);
    return n;
}

static ring ring_of(const double (*p)[2], int n) {
    ring r = {.n = n};
    for (int i = 0; i < n; i++) r.p[i] = perp_v3(p[i][0], p[i][1], 0);
    return r;
}
#define RING(a) ring_of(a, (int)(sizeof(a) / sizeof *(a)))

static void test_known_polygons(void **state) {
    (void)state;
    const double square[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const double with_flat[][2] = {{0, 0}, {0.5, 0}, {1, 0}, {1, 1}, {0.3, 1}, {0.2, 1}, {0, 1}, {0, 0.5}};
    const double ell[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    const double tee[][2] = {{0, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 3}, {1, 3}, {1, 1}, {0, 1}};
    const double plus[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                              {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    const double u[][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    const double arrow[][2] = {{0, 0}, {2, 1}, {0, 2}, {1, 1}};
    const struct {
        ring r;
        int parts;
    } list[] = {{RING(square), 1}, {RING(with_flat), 1}, {RING(ell), 2},  {RING(tee), 2},
                {RING(plus), 2},   {RING(u), 3},         {RING(arrow), 2}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        assert_int_equal(check_ring(&list[k].r), list[k].parts);
        ring back = list[k].r; /* clockwise, beginning elsewhere */
        for (int i = 0; i < back.n; i++) back.p[i] = list[k].r.p[(2 * back.n - i - 2) % back.n];
        assert_int_equal(check_ring(&back), list[k].parts);
    }
    /* the parts of the L are its two bars, whole */
    perp_parts parts;
    assert_int_equal(perp_polygon_parts(list[2].r.p, 6, NULL, &parts, NULL, 0), PERP_OK);
    assert_true(parts.npart == 2 && parts.start[1] == 4 && parts.start[2] == 8);
    for (int k = 0; k < 2; k++) assert_true(fabs(area_of(parts.point + 4 * k, 4) - 2) < 1e-15);
    perp_parts_free(&parts);
}

static bool sides_cross(const ring *r, int i, int j) {
    perp_vec3 a = r->p[i], b = r->p[(i + 1) % r->n], c = r->p[j], d = r->p[(j + 1) % r->n];
    return cross2(perp_v3_sub(b, a), perp_v3_sub(c, a)) * cross2(perp_v3_sub(b, a), perp_v3_sub(d, a)) < 0 &&
           cross2(perp_v3_sub(d, c), perp_v3_sub(a, c)) * cross2(perp_v3_sub(d, c), perp_v3_sub(b, c)) < 0;
}
/* Random points in an order without crossings: crossing sides are exchanged until none is left. */
static ring untangled(int n) {
    ring r = {.n = n};
    for (int i = 0; i < n; i++) r.p[i] = perp_v3(uniform(-1, 1), uniform(-1, 1), 0);
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (sides_cross(&r, i, j)) {
                    for (int a = i + 1, b = j; a < b; a++, b--) {
                        perp_vec3 x = r.p[a];
                        r.p[a] = r.p[b];
                        r.p[b] = x;
                    }
                    again = true;
                }
    }
    return r;
}
static ring star(int n) {
    ring r = {.n = n};
    for (int i = 0; i < n; i++) {
        double a = 2 * PI * (i + uniform(0, 0.8)) / n, d = uniform(0.2, 1);
        r.p[i] = perp_v3(d * cos(a), d * sin(a), 0);
    }
    return r;
}
/* A skyline with equal heights among them: collinear corners, chords that end in corners. */
static ring skyline(int n) {
    ring r = {0};
    for (int i = 0; i < n; i++) {
        double h = 1 + (int)uniform(0, 3);
        r.p[r.n++] = perp_v3(n - i, h, 0);
        r.p[r.n++] = perp_v3(n - i - 1, h, 0);
    }
    r.p[r.n++] = perp_v3(0, 0, 0);
    r.p[r.n++] = perp_v3(n / 2, 0, 0);
    r.p[r.n++] = perp_v3(n, 0, 0);
    int m = 0; /* no corner twice */
    for (int i = 0; i < r.n; i++)
        if (m == 0 || perp_v3_norm(perp_v3_sub(r.p[i], r.p[m - 1])) > 0) r.p[m++] = r.p[i];
    r.n = m;
    return r;
}
static void place(ring *r, double angle, perp_vec3 at, double scale) {
    perp_pose X = perp_pose_2d(at.x, at.y, angle);
    for (int i = 0; i < r->n; i++) r->p[i] = perp_pose_apply(X, perp_v3_scale(scale, r->p[i]));
}
static void split_sides(ring *r) {
    ring s = {0};
    for (int i = 0; i < r->n; i++) {
        s.p[s.n++] = r->p[i];
        if (uniform(0, 1) < 0.4)
            s.p[s.n++] = perp_v3_axpy(r->p[i], uniform(0.1, 0.9), perp_v3_sub(r->p[(i + 1) % r->n], r->p[i]));
    }
    *r = s;
}

static void test_random_polygons(void **state) {
    (void)state;
    int parts = 0, corners = 0;
    for (int trial = 0; trial < SOME; trial++) {
        ring r = trial % 3 == 0   ? untangled(4 + trial % 17)
                 : trial % 3 == 1 ? star(3 + trial % 23)
                                  : skyline(2 + trial % 9);
        if (trial % 2) split_sides(&r);
        if (trial % 5) place(&r, uniform(0, 6), perp_v3(uniform(-3, 3), uniform(-3, 3), 0), trial % 7 ? 1 : 1e-3);
        parts += check_ring(&r);
        corners += r.n;
    }
    assert_true(parts < corners / 2);
    ring big = untangled(200);
    check_ring(&big);
}

static void test_refused_polygons(void **state) {
    (void)state;
    const double bow[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}}, twice[][2] = {{0, 0}, {1, 0}, {1, 0}, {0, 1}},
                 closed[][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 0}}, spike[][2] = {{0, 0}, {2, 0}, {1, 0}, {0, 1}},
                 touch[][2] = {{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}, line[][2] = {{0, 0}, {1, 0}, {2, 0}};
    const struct {
        ring r;
        const char *why;
    } list[] = {{RING(bow), "the sides of the polygon that begin at points 0 and 2 meet"},
                {RING(twice), "points 1 and 2 of the polygon coincide"},
                {RING(closed), "points 3 and 0 of the polygon coincide"},
                {RING(spike), "the polygon folds back on itself at point 1"},
                {RING(touch), "the sides of the polygon that begin at points 0 and 2 meet"},
                {RING(line), "the polygon folds back on itself at point 2"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        perp_parts parts;
        perp_mass m;
        char why[256] = "";
        assert_int_equal(perp_polygon_parts(list[k].r.p, list[k].r.n, NULL, &parts, why, sizeof why), PERP_E_GEOMETRY);
        assert_string_equal(why, list[k].why);
        assert_int_equal(perp_polygon_mass(list[k].r.p, list[k].r.n, 1, &m, why, sizeof why), PERP_E_GEOMETRY);
        assert_true(parts.point == NULL && m.mass == 0);
    }
    ring r = list[0].r;
    perp_parts parts;
    r.p[2].y = NAN;
    assert_int_equal(perp_polygon_parts(r.p, 4, NULL, &parts, NULL, 0), PERP_E_ARG);
    assert_int_equal(perp_polygon_parts(r.p, 2, NULL, &parts, NULL, 0), PERP_E_GEOMETRY);
    assert_int_equal(perp_polygon_parts(NULL, 4, NULL, &parts, NULL, 0), PERP_E_ARG);
    assert_int_equal(perp_polygon_parts(r.p, PERP_POLYGON_MAX + 1, NULL, &parts, NULL, 0), PERP_E_GEOMETRY);
    assert_int_equal(perp_polygon_parts(r.p, 4, NULL, NULL, NULL, 0), PERP_E_ARG);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* Integrals over the polygon by level lines between the heights of corners; Gauss' rule of two points is exact there,
 * as widths are linear and moments cubic in y. */
static void by_slabs(const ring *r, double *m, perp_vec3 *first, double *second) {
    double y[400], x[400];
    for (int i = 0; i < r->n; i++) y[i] = r->p[i].y;
    qsort(y, (size_t)r->n, sizeof *y, by_value);
    *m = *second = 0;
    *first = perp_v3(0, 0, 0);
    for (int k = 0; k + 1 < r->n; k++)
        for (int g = 0; g < 2; g++) {
            double h = y[k + 1] - y[k], at = y[k] + h * (0.5 + (g ? 0.5 : -0.5) * 0.57735026918962576451);
            int n = 0;
            for (int i = 0; i < r->n; i++) {
                perp_vec3 a = r->p[i], b = r->p[(i + 1) % r->n];
                if ((a.y > at) != (b.y > at)) x[n++] = a.x + (at - a.y) / (b.y - a.y) * (b.x - a.x);
            }
            qsort(x, (size_t)n, sizeof *x, by_value);
            for (int i = 0; i + 1 < n; i += 2) {
                double l = x[i], u = x[i + 1], w = h / 2;
                *m += w * (u - l);
                first->x += w * (u * u - l * l) / 2;
                first->y += w * (u - l) * at;
                *second += w * ((u * u * u - l * l * l) / 3 + (u - l) * at * at);
            }
        }
}

static void test_polygon_mass(void **state) {
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        ring r = trial % 2 ? untangled(5 + trial % 20) : star(4 + trial % 15);
        double m, second;
        perp_vec3 first;
        by_slabs(&r, &m, &first, &second);
        perp_mass got;
        assert_int_equal(perp_polygon_mass(r.p, r.n, 2, &got, NULL, 0), PERP_OK);
        perp_vec3 c = perp_v3_scale(1 / m, first);
        assert_true(fabs(got.mass - 2 * m) < 1e-11);
        assert_true(perp_v3_norm(perp_v3_sub(got.com_B, c)) < 1e-10);
        assert_true(fabs(got.I_B.c[2].z - 2 * (second - m * perp_v3_dot(c, c))) < 1e-10);
    }
}

/* ---- meshes ---- */

#define SIDE 4
typedef struct cubes {
    bool at[SIDE + 2][SIDE + 2][SIDE + 2];
    perp_vec3 vertex[6000];
    int nvertex, start[2001], face[6000 * 2], nface;
} cubes;

/* Triangles of the surface of a set of unit cubes; corners are not shared but equal. */
static void surface_of(cubes *c) {
    static const int dir[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    c->nvertex = c->nface = c->start[0] = 0;
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++)
            for (int k = 1; k <= SIDE; k++)
                for (int f = 0; f < 6 && c->at[i][j][k]; f++) {
                    const int *d = dir[f];
                    if (c->at[i + d[0]][j + d[1]][k + d[2]]) continue;
                    perp_vec3 n = perp_v3(d[0], d[1], d[2]), u = perp_v3(fabs(n.y), fabs(n.z), fabs(n.x)),
                              v = perp_v3_cross(n, u), o = perp_v3_axpy(perp_v3(i, j, k), 0.5, n);
                    static const double s[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
                    int base = c->nvertex;
                    for (int m = 0; m < 4; m++)
                        c->vertex[c->nvertex++] = perp_v3_axpy(perp_v3_axpy(o, s[m][0], u), s[m][1], v);
                    for (int m = 0; m < 2; m++) {
                        int at = c->start[c->nface];
                        c->face[at] = base;
                        c->face[at + 1] = base + 1 + m;
                        c->face[at + 2] = base + 2 + m;
                        c->start[++c->nface] = at + 3;
                    }
                }
}

static perp_surface view(const cubes *c) { return (perp_surface){c->vertex, c->nvertex, c->start, c->face, c->nface}; }

static double part_depth(const pp_geometry *g, perp_vec3 x) {
    double most = -INFINITY;
    for (int f = 0; f < g->nface; f++) most = fmax(most, perp_v3_dot(g->face_n[f], x) - g->face_d[f]);
    return -most;
}

/* Returns the number of parts. X: how the cubes lie in space. */
static int check_cubes(cubes *c, perp_pose X) {
    surface_of(c);
    for (int i = 0; i < c->nvertex; i++) c->vertex[i] = perp_pose_apply(X, c->vertex[i]);
    perp_surface s = view(c);
    perp_parts parts;
    char why[256] = "";
    if (perp_mesh_parts(&s, NULL, &parts, why, sizeof why)) fail_msg("%s", why);
    assert_true(parts.npart <= 64);
    pp_geometry *g[64];
    double volume = 0, cube = 0;
    for (int k = 0; k < parts.npart; k++) {
        perp_shape_def d = perp_shape_polyhedron(parts.point + parts.start[k], parts.start[k + 1] - parts.start[k]);
        perp_mass m;
        assert_int_equal(perp_shape_mass(&d, 3, 1, &m, NULL, 0), PERP_OK);
        volume += m.mass;
        g[k] = make(&d, 3);
    }
    perp_mass whole, sum = {0};
    assert_int_equal(perp_mesh_mass(&s, 3, &whole, why, sizeof why), PERP_OK);
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++)
            for (int k = 1; k <= SIDE; k++) {
                if (c->at[i][j][k]) { /* the mass is that of the cubes, put together */
                    perp_mass one = {3, perp_pose_apply(X, perp_v3(i, j, k)), perp_m3_diag(0.5, 0.5, 0.5)};
                    sum = cube == 0 ? one : perp_mass_add(sum, one);
                    cube++;
                }
                for (int m = 0; m < 3; m++) { /* points of the cube are in a part if and only if the cube is there */
                    perp_vec3 x = perp_pose_apply(X, perp_v3_add(perp_v3(i, j, k), random_vec(0.49)));
                    double depth = -INFINITY;
                    for (int p = 0; p < parts.npart; p++) depth = fmax(depth, part_depth(g[p], x));
                    assert_true(c->at[i][j][k] ? depth > -1e-9 : depth < 0);
                }
            }
    assert_true(fabs(volume - cube) < 1e-9);
    assert_true(fabs(whole.mass - sum.mass) < 1e-10 && perp_v3_norm(perp_v3_sub(whole.com_B, sum.com_B)) < 1e-11);
    for (int k = 0; k < 3; k++) assert_true(perp_v3_norm(perp_v3_sub(whole.I_B.c[k], sum.I_B.c[k])) < 1e-9);
    for (int k = 0; k < parts.npart; k++) pp_geometry_destroy(g[k], &plain_alloc);
    int n = parts.npart;
    perp_parts_free(&parts);
    return n;
}

static void test_known_meshes(void **state) {
    (void)state;
    static cubes one, ell, frame;
    one.at[1][1][1] = one.at[2][1][1] = true;
    assert_int_equal(check_cubes(&one, perp_pose_identity()), 1);
    ell.at[1][1][1] = ell.at[2][1][1] = ell.at[1][2][1] = true;
    assert_int_equal(check_cubes(&ell, perp_pose_identity()), 2);
    for (int i = 1; i <= 3; i++)
        for (int j = 1; j <= 3; j++) frame.at[i][j][1] = i != 2 || j != 2; /* with a hole through it */
    assert_int_equal(check_cubes(&frame, random_pose(3, 1)), 4);
}

/* Cubes that touch along an edge or in a corner only make a surface that is not one: refused, or never made. */
static bool proper(const cubes *c) {
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++)
            for (int k = 0; k <= SIDE; k++)
                for (int a = 0; a < 3; a++) {
                    int u = a == 0, v = a == 1, w = a == 2; /* the four cubes around an edge along axis a */
                    bool p = c->at[i][j][k], q = c->at[i + !u][j + u][k], r = c->at[i][j + (v || w)][k + u + v],
                         s = c->at[i + !u][j + 1 - v][k + u + v];
                    if (a == 0) q = c->at[i][j + 1][k], r = c->at[i][j][k + 1], s = c->at[i][j + 1][k + 1];
                    if (a == 1) q = c->at[i + 1][j][k], r = c->at[i][j][k + 1], s = c->at[i + 1][j][k + 1];
                    if (a == 2) q = c->at[i + 1][j][k], r = c->at[i][j + 1][k], s = c->at[i + 1][j + 1][k];
                    if (p == s && q == r && p != q) return false;
                }
    return true;
}

static void test_random_meshes(void **state) {
    (void)state;
    static cubes c;
    int tried = 0, done = 0;
    for (; done < SOME / 8 && tried < 100000; tried++) {
        memset(&c, 0, sizeof c);
        int n = 3 + (int)uniform(0, 9), i = 2, j = 2, k = 2;
        for (int m = 0; m < n; m++) { /* a walk */
            c.at[i][j][k] = true;
            int *x = uniform(0, 3) < 1 ? &i : uniform(0, 2) < 1 ? &j : &k;
            *x += uniform(0, 1) < 0.5 ? 1 : -1;
            *x = *x < 1 ? 1 : *x > SIDE ? SIDE : *x;
        }
        if (!proper(&c)) continue;
        int parts = check_cubes(&c, done % 2 ? random_pose(3, 2) : perp_pose_identity());
        assert_true(parts <= n);
        done++;
    }
    assert_true(done >= SOME / 8);
}

static void test_refused_meshes(void **state) {
    (void)state;
    static cubes c;
    char why[256] = "";
    perp_mass m;
    perp_parts parts;
    c.at[1][1][1] = true;
    surface_of(&c);
    perp_surface s = view(&c);
    s.nface = 11;
    assert_int_equal(perp_mesh_mass(&s, 1, &m, why, sizeof why), PERP_E_GEOMETRY);
    assert_non_null(strstr(why, "the surface is open: only face"));
    s.nface = 12;
    int x = c.face[1];
    c.face[1] = c.face[2];
    c.face[2] = x;
    assert_int_equal(perp_mesh_parts(&s, NULL, &parts, why, sizeof why), PERP_E_GEOMETRY);
    assert_non_null(strstr(why, "are turned against each other"));
    for (int f = 1; f < 12; f++) {
        x = c.face[3 * f + 1];
        c.face[3 * f + 1] = c.face[3 * f + 2];
        c.face[3 * f + 2] = x;
    }
    assert_int_equal(perp_mesh_mass(&s, 1, &m, why, sizeof why), PERP_E_GEOMETRY);
    assert_string_equal(why, "the surface is inside out: its faces run clockwise from outside");
    surface_of(&c);
    c.face[7] = 999;
    assert_int_equal(perp_mesh_mass(&s, 1, &m, why, sizeof why), PERP_E_ARG);
    surface_of(&c);
    c.vertex[3].x = NAN;
    assert_int_equal(perp_mesh_mass(&s, 1, &m, why, sizeof why), PERP_E_ARG);
    c.at[2][2][1] = true; /* touches the first along an edge */
    surface_of(&c);
    s = view(&c);
    assert_int_equal(perp_mesh_mass(&s, 1, &m, why, sizeof why), PERP_E_GEOMETRY);
    assert_non_null(strstr(why, "has 4 faces instead of 2"));
    /* two boxes one in the other, both outward: what they share counts twice */
    c.at[2][2][1] = false;
    surface_of(&c);
    int n = c.nvertex, nf = c.nface, nc = c.start[nf];
    for (int i = 0; i < n; i++) c.vertex[n + i] = perp_v3_add(c.vertex[i], perp_v3(0.3, 0.2, 0.4));
    for (int i = 0; i < nc; i++) c.face[nc + i] = c.face[i] + n;
    for (int f = 1; f <= nf; f++) c.start[nf + f] = nc + c.start[f];
    c.nvertex *= 2;
    c.nface *= 2;
    s = view(&c);
    assert_int_equal(perp_mesh_mass(&s, 1, &m, why, sizeof why), PERP_OK);
    assert_int_equal(perp_mesh_parts(&s, NULL, &parts, why, sizeof why), PERP_E_GEOMETRY);
    assert_non_null(strstr(why, "does it meet itself?"));
    assert_true(parts.point == NULL);
}

/* Every allocation refused in turn: the answer is PERP_E_MEMORY and nothing leaks. */
typedef struct counting {
    int left, live;
} counting;
static void *count_alloc(size_t size, void *ctx) {
    counting *c = ctx;
    if (c->left-- <= 0) return NULL;
    c->live++;
    return malloc(size);
}
static void count_free(void *p, void *ctx) {
    ((counting *)ctx)->live--;
    free(p);
}
static void test_memory(void **state) {
    (void)state;
    ring r = skyline(5);
    static cubes c;
    c.at[1][1][1] = c.at[2][1][1] = c.at[1][2][1] = true;
    surface_of(&c);
    perp_surface s = view(&c);
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0;; k++) {
            counting count = {k, 0};
            perp_allocator a = {count_alloc, count_free, &count};
            perp_parts parts;
            perp_status st =
                kind ? perp_mesh_parts(&s, &a, &parts, NULL, 0) : perp_polygon_parts(r.p, r.n, &a, &parts, NULL, 0);
            if (!st) {
                assert_true(k > 2);
                perp_parts_free(&parts);
                assert_int_equal(count.live, 0);
                break;
            }
            assert_int_equal(st, PERP_E_MEMORY);
            assert_int_equal(count.live, 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primitives),      cmocka_unit_test(test_known_polygons),
        cmocka_unit_test(test_random_polygons), cmocka_unit_test(test_refused_polygons),
        cmocka_unit_test(test_polygon_mass),    cmocka_unit_test(test_known_meshes),
        cmocka_unit_test(test_random_meshes),   cmocka_unit_test(test_refused_meshes),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

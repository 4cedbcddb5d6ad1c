/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_shape.c - definitions, geometry and mass properties of shapes */
#include "fault/allocator.h"
#include "unit/collision_help.h"

#include <stdlib.h>

static void near(double a, double b, double tol) {
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}
static void near_v(perp_vec3 a, perp_vec3 b, double tol) {
    near(a.x, b.x, tol);
    near(a.y, b.y, tol);
    near(a.z, b.z, tol);
}
static void near_mass(perp_mass a, perp_mass b, double tol) {
    near(a.mass, b.mass, tol);
    near_v(a.com_B, b.com_B, tol);
    for (int k = 0; k < 3; k++) near_v(a.I_B.c[k], b.I_B.c[k], tol);
}

static perp_mass mass_of(const perp_shape_def *d, int dim, double density) {
    perp_mass m;
    char why[256] = "";
    if (perp_shape_mass(d, dim, density, &m, why, sizeof why)) fail_msg("%s", why);
    return m;
}

/* Same vertices, faces and edges to the last bit. */
static void same_geometry(const pp_geometry *a, const pp_geometry *b) {
    assert_int_equal(a->nvert, b->nvert);
    assert_int_equal(a->nface, b->nface);
    assert_int_equal(a->nedge, b->nedge);
    assert_memory_equal(a->vert, b->vert, (size_t)a->nvert * sizeof *a->vert);
    assert_memory_equal(a->face_n, b->face_n, (size_t)a->nface * sizeof *a->face_n);
    assert_memory_equal(a->face_d, b->face_d, (size_t)a->nface * sizeof *a->face_d);
    assert_memory_equal(a->face_start, b->face_start, (size_t)(a->nface + 1) * sizeof *a->face_start);
    assert_memory_equal(a->face_vert, b->face_vert, (size_t)a->face_start[a->nface] * sizeof *a->face_vert);
    if (a->nedge > 0) {
        assert_memory_equal(a->edge, b->edge, (size_t)a->nedge * sizeof *a->edge);
        assert_memory_equal(a->face_edge, b->face_edge, (size_t)a->face_start[a->nface] * sizeof *a->face_edge);
    }
    assert_true(a->bound == b->bound && a->size == b->size);
}

/* What every polytope must satisfy, whatever it was made of. */
static void check_polytope(const pp_geometry *g) {
    for (int f = 0; f < g->nface; f++) {
        near(perp_v3_norm(g->face_n[f]), 1, 1e-14);
        int n = g->face_start[f + 1] - g->face_start[f];
        assert_true(n >= g->dim);
        const int *v = g->face_vert + g->face_start[f];
        for (int k = 0; k < g->nvert; k++) {
            double h = perp_v3_dot(g->face_n[f], g->vert[k]) - g->face_d[f];
            assert_true(h <= 1e-13 * g->size + 1e-15 * g->bound);
            bool on = false;
            for (int m = 0; m < n; m++) on |= v[m] == k;
            if (on) assert_true(h >= -1e-10 * g->size);
            if (!on) assert_true(h < -1e-12 * g->size); /* coplanar vertices belong to the face */
        }
        if (g->dim == 2) continue;
        for (int k = 0; k < n; k++) { /* strictly convex, counter-clockwise */
            perp_vec3 a = g->vert[v[k]], b = g->vert[v[(k + 1) % n]], c = g->vert[v[(k + 2) % n]];
            assert_true(perp_v3_dot(g->face_n[f], perp_v3_cross(perp_v3_sub(b, a), perp_v3_sub(c, b))) > 0);
            const int *e = g->edge[g->face_edge[g->face_start[f] + k]];
            bool forward = e[0] == v[k] && e[1] == v[(k + 1) % n] && e[2] == f;
            bool backward = e[1] == v[k] && e[0] == v[(k + 1) % n] && e[3] == f;
            assert_true(forward || backward);
        }
    }
    if (g->dim == 3) {
        assert_int_equal(g->nvert - g->nedge + g->nface, 2);
        for (int e = 0; e < g->nedge; e++) { /* the convention the detector relies on: e along n_left x n_right */
            perp_vec3 d = perp_v3_sub(g->vert[g->edge[e][1]], g->vert[g->edge[e][0]]);
            assert_true(perp_v3_dot(d, perp_v3_cross(g->face_n[g->edge[e][2]], g->face_n[g->edge[e][3]])) > 0);
        }
    }
}

static void defaults(void **state) {
    (void)state;
    perp_shape_def d[] = {perp_shape_particle(perp_v3(1, 2, 3)),
                          perp_shape_sphere(2),
                          perp_shape_halfspace(perp_v3(0, 1, 0), 3),
                          perp_shape_box(1, 2, 3),
                          perp_shape_polygon(NULL, 5),
                          perp_shape_polyhedron(NULL, 6)};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(d[k].kind, k);
        assert_int_equal(d[k].group, 1);
        assert_true(d[k].mask == ~0u);
        assert_int_equal(d[k].material, 0);
        assert_true(d[k].cookie != 0);
        assert_true(d[k].X_BS.q.w == 1 && d[k].X_BS.q.x == 0);
    }
    assert_true(d[0].X_BS.p.x == 1 && d[0].X_BS.p.y == 2 && d[0].X_BS.p.z == 3);
    assert_true(d[1].radius == 2 && d[2].offset == 3 && d[3].half_size.z == 3 && d[4].npoint == 5 && d[5].npoint == 6);
}

static void box_is_its_hull(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *box = make_box(dim, 0.3, 0.7, 1.1);
        check_polytope(box);
        perp_vec3 p[40];
        int n = 0;
        for (int v = box->nvert - 1; v >= 0; v--) p[n++] = box->vert[v];
        for (int k = 0; k < 12; k++) { /* points inside, on faces, on edges, and duplicates */
            p[n] = perp_v3(uniform(-0.3, 0.3), uniform(-0.7, 0.7), dim == 2 ? 0 : uniform(-1.1, 1.1));
            if (k % 3 == 1) p[n].x = -0.3;
            if (k % 3 == 2) p[n].x = 0.3, p[n].y = 0.7;
            n++;
        }
        p[n++] = box->vert[1];
        p[n++] = box->vert[2];
        perp_shape_def d = dim == 2 ? perp_shape_polygon(p, n) : perp_shape_polyhedron(p, n);
        pp_geometry *hull = make(&d, dim);
        same_geometry(box, hull);
        for (int k = 0; k < 3 && dim == 3; k++) /* exact normals */
            for (int f = 0; f < 6; f++) {
                perp_vec3 m = hull->face_n[f];
                assert_true(fabs(m.x) + fabs(m.y) + fabs(m.z) == 1);
            }
        pp_geometry_destroy(hull, &plain_alloc);
        pp_geometry_destroy(box, &plain_alloc);
    }
}

static void order_does_not_matter(void **state) {
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        int dim = 2 + trial % 2, n = 5 + trial / 3;
        perp_vec3 p[64], q[64];
        for (int i = 0; i < n; i++) p[i] = trial % 3 ? random_vec(1) : random_unit(dim);
        for (int i = 0; i < n && dim == 2; i++) p[i].z = 0;
        for (int i = 0; i < n; i++) q[i] = p[i];
        for (int i = n - 1; i > 0; i--) {
            int k = (int)uniform(0, i + 1);
            perp_vec3 t = q[i];
            q[i] = q[k];
            q[k] = t;
        }
        perp_shape_def a = dim == 2 ? perp_shape_polygon(p, n) : perp_shape_polyhedron(p, n), b = a;
        b.points = q;
        pp_geometry *g = make(&a, dim), *h = make(&b, dim);
        same_geometry(g, h);
        check_polytope(g);
        pp_geometry_destroy(g, &plain_alloc);
        pp_geometry_destroy(h, &plain_alloc);
    }
}

/* A cube and a prism with many coplanar points, turned and moved: still 6 and n + 2 faces. */
static void coplanar_facets_merge(void **state) {
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        perp_pose X = random_pose(3, trial < 20 ? 1 : 1000);
        perp_vec3 p[200];
        int n = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++) p[n++] = perp_pose_apply(X, perp_v3(i / 3.0, j / 3.0, k / 3.0));
        perp_shape_def d = perp_shape_polyhedron(p, n);
        pp_geometry *g = make(&d, 3);
        assert_int_equal(g->nvert, 8);
        assert_int_equal(g->nface, 6);
        assert_int_equal(g->nedge, 12);
        pp_geometry_destroy(g, &plain_alloc);
        int sides = 3 + trial % 40;
        n = 0;
        for (int i = 0; i < sides; i++)
            for (int k = 0; k < 2; k++)
                p[n++] = perp_pose_apply(X, perp_v3(cos(2 * PI * i / sides), sin(2 * PI * i / sides), k));
        d = perp_shape_polyhedron(p, n);
        g = make(&d, 3);
        assert_int_equal(g->nvert, 2 * sides);
        assert_int_equal(g->nface, sides + 2);
        if (trial < 20) check_polytope(g);
        pp_geometry_destroy(g, &plain_alloc);
        perp_pose Y = random_pose(2, 1); /* and a square with points along its sides */
        n = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) p[n++] = perp_pose_apply(Y, perp_v3(i / 3.0, j / 3.0, 0));
        d = perp_shape_polygon(p, n);
        g = make(&d, 2);
        assert_int_equal(g->nvert, 4);
        pp_geometry_destroy(g, &plain_alloc);
    }
}

static void big_hull(void **state) {
    (void)state;
    static perp_vec3 p[PP_HULL_MAX];
    for (int i = 0; i < 2000; i++) p[i] = random_unit(3);
    perp_shape_def d = perp_shape_polyhedron(p, 2000);
    pp_geometry *g = make(&d, 3);
    assert_int_equal(g->nvert, 2000);
    check_polytope(g);
    perp_mass m = mass_of(&d, 3, 1);
    assert_true(m.mass > 0.99 * 4 * PI / 3 && m.mass < 4 * PI / 3);
    pp_geometry_destroy(g, &plain_alloc);
}

static void refuse(perp_shape_def d, int dim, perp_status want, const char *word) {
    pp_geometry *g = (pp_geometry *)(void *)&d;
    char why[256] = "";
    perp_status s = pp_geometry_create(&d, dim, &plain_alloc, &g, why, sizeof why);
    if (s != want || !strstr(why, word))
        fail_msg("status %d (not %d), sentence \"%s\" (no \"%s\")", s, want, why, word);
    assert_null(g);
    assert_int_equal(pp_geometry_create(&d, dim, &plain_alloc, &g, NULL, 0), want);
    perp_mass m;
    assert_int_equal(perp_shape_mass(&d, dim, 1, &m, why, sizeof why), want);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    const perp_status arg = PERP_E_ARG, geo = PERP_E_GEOMETRY;
    perp_shape_def d = perp_shape_sphere(1);
    d.cookie = 0;
    refuse(d, 3, arg, "not made by");
    refuse(perp_shape_sphere(1), 4, arg, "neither 2 nor 3");
    refuse(perp_shape_sphere(NAN), 3, arg, "radius");
    refuse(perp_shape_sphere(INFINITY), 2, arg, "radius");
    refuse(perp_shape_sphere(0), 3, geo, "radius");
    refuse(perp_shape_sphere(-1), 3, geo, "radius");
    refuse(perp_shape_sphere(1e-60), 3, geo, "radius");
    refuse(perp_shape_box(1, NAN, 1), 3, arg, "half size");
    refuse(perp_shape_box(1, 0, 1), 2, geo, "half size");
    refuse(perp_shape_box(1, 1, -1), 3, geo, "half size");
    refuse(perp_shape_box(1, 1e-12, 1), 3, geo, "thin");
    refuse(perp_shape_box(1, 1e-12, 1), 2, geo, "thin");
    refuse(perp_shape_halfspace(perp_v3(0, NAN, 0), 0), 3, arg, "half-space");
    refuse(perp_shape_halfspace(perp_v3(0, 1, 0), INFINITY), 3, arg, "half-space");
    refuse(perp_shape_halfspace(perp_v3(0, 1, 0), -1e60), 3, geo, "offset");
    refuse(perp_shape_particle(perp_v3(1e60, 0, 0)), 3, geo, "farther");
    refuse(perp_shape_halfspace(perp_v3(0, 0, 0), 0), 3, geo, "normal");
    refuse(perp_shape_halfspace(perp_v3(0, 0, 1), 0), 2, geo, "x-y plane");
    d = perp_shape_sphere(1);
    d.X_BS.q.w = 1.001;
    refuse(d, 3, arg, "quaternion");
    d.X_BS.q.w = NAN;
    refuse(d, 3, arg, "finite");
    d = perp_shape_particle(perp_v3(0, INFINITY, 0));
    refuse(d, 3, arg, "finite");
    refuse(perp_shape_particle(perp_v3(0, 0, 1)), 2, arg, "x-y plane");
    d = perp_shape_sphere(1);
    d.kind = (perp_shape_kind)77;
    refuse(d, 3, arg, "unknown");

    perp_vec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {0.3, 0.3, 0.3}, {0, 0, 0}, {1, 0, 0}};
    refuse(perp_shape_polygon(p, 4), 3, geo, "2D");
    refuse(perp_shape_polyhedron(p, 5), 2, geo, "3D");
    refuse(perp_shape_polygon(p, 2), 2, geo, "at least 3");
    refuse(perp_shape_polyhedron(p, 3), 3, geo, "at least 4");
    refuse(perp_shape_polygon(NULL, 4), 2, arg, "no points");
    refuse(perp_shape_polygon(p, PP_HULL_MAX + 1), 2, geo, "too many");
    refuse(perp_shape_polygon(p, 5), 2, geo, "x-y plane");
    refuse(perp_shape_polyhedron(p, 4), 3, geo, "plane");
    perp_vec3 twice[6] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    refuse(perp_shape_polygon(twice, 6), 2, geo, "distinct");
    refuse(perp_shape_polyhedron(twice, 6), 3, geo, "distinct");
    perp_vec3 line[5] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {0.5, 0.5, 0}, {3, 3, 0}};
    refuse(perp_shape_polygon(line, 5), 2, geo, "line");
    refuse(perp_shape_polyhedron(line, 5), 3, geo, "plane");
    perp_vec3 one[4] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    refuse(perp_shape_polygon(one, 4), 2, geo, "closer together");
    p[2].y = NAN;
    refuse(perp_shape_polyhedron(p, 5), 3, arg, "point 2");
    p[2].y = 1e60;
    refuse(perp_shape_polyhedron(p, 5), 3, geo, "point 2");
    for (double thin = 1e-10; thin > 1e-17; thin /= 10) { /* slivers, in every direction */
        for (int k = 0; k < 10; k++) {
            perp_pose X = random_pose(3, 1);
            perp_vec3 s[9];
            for (int i = 0; i < 9; i++)
                s[i] = perp_pose_apply(X, perp_v3(uniform(-1, 1), uniform(-1, 1), uniform(-thin, thin)));
            d = perp_shape_polyhedron(s, 9);
            pp_geometry *g = NULL;
            char why[256] = "";
            assert_int_equal(pp_geometry_create(&d, 3, &plain_alloc, &g, why, sizeof why), geo);
            assert_true(strlen(why) > 10);
            for (int i = 0; i < 9; i++)
                s[i] = perp_pose_apply(perp_pose_2d(0, 0, X.p.x), perp_v3(uniform(-1, 1), uniform(-thin, thin) / 2, 0));
            d = perp_shape_polygon(s, 9);
            assert_int_equal(pp_geometry_create(&d, 2, &plain_alloc, &g, why, sizeof why), geo);
        }
    }
    perp_mass m;
    d = perp_shape_sphere(1);
    assert_int_equal(perp_shape_mass(&d, 3, NAN, &m, NULL, 0), arg);
    d = perp_shape_halfspace(perp_v3(0, 0, 2), 1);
    char why[256] = "";
    assert_int_equal(perp_shape_mass(&d, 3, 1, &m, why, sizeof why), geo);
    assert_non_null(strstr(why, "no mass"));
    assert_int_equal(perp_shape_mass(NULL, 3, 1, &m, why, sizeof why), arg);
    assert_int_equal(perp_shape_mass(&d, 3, 1, NULL, why, sizeof why), arg);
}

/* Allocation k fails: no crash, no leak, the right status. */
static void refused_memory_is_survived(void **state) {
    (void)state;
    perp_vec3 p[30];
    for (int i = 0; i < 30; i++) p[i] = random_unit(i % 2 ? 2 : 3);
    for (int kind = 0; kind < 4; kind++) {
        perp_vec3 q[30];
        for (int i = 0; i < 30; i++) q[i] = kind == 1 ? perp_v3(p[i].x, p[i].y, 0) : p[i];
        perp_shape_def d = kind == 0   ? perp_shape_polyhedron(q, 30)
                           : kind == 1 ? perp_shape_polygon(q, 30)
                           : kind == 2 ? perp_shape_box(1, 1, 1)
                                       : perp_shape_sphere(1);
        int k = 0;
        for (;; k++) {
            counter c = {.refuse = k};
            perp_allocator a = counting(&c);
            pp_geometry *g = NULL;
            char why[256] = "";
            perp_status s = pp_geometry_create(&d, kind == 1 ? 2 : 3, &a, &g, why, sizeof why);
            if (s == PERP_OK) {
                pp_geometry_destroy(g, &a);
                assert_int_equal(c.live, 0);
                break;
            }
            assert_int_equal(s, PERP_E_MEMORY);
            assert_true(strlen(why) > 0);
            assert_int_equal(c.live, 0);
            assert_null(g);
        }
        assert_true(k >= 2);
    }
}

static void masses_in_closed_form(void **state) {
    (void)state;
    perp_shape_def d = perp_shape_sphere(2);
    perp_mass m = mass_of(&d, 3, 3), want = {3 * 4.0 / 3 * PI * 8, {0, 0, 0}, perp_m3_diag(0, 0, 0)};
    want.I_B = perp_m3_diag(0.4 * want.mass * 4, 0.4 * want.mass * 4, 0.4 * want.mass * 4);
    near_mass(m, want, 1e-12);
    m = mass_of(&d, 2, 3);
    perp_mass disc = {3 * PI * 4, {0, 0, 0}, perp_m3_diag(0, 0, 0)};
    disc.I_B.c[2].z = disc.mass * 4 / 2;
    near_mass(m, disc, 1e-12);
    d = perp_shape_box(0.5, 1, 1.5);
    m = mass_of(&d, 3, 2);
    perp_mass box = {12, {0, 0, 0}, perp_m3_diag(13, 10, 5)}; /* 12/12 (4 + 9, 1 + 9, 1 + 4) */
    near_mass(m, box, 1e-13);
    m = mass_of(&d, 2, 2);
    perp_mass rect = {4, {0, 0, 0}, perp_m3_diag(0, 0, 4.0 / 12 * 5)};
    near_mass(m, rect, 1e-13);
    d = perp_shape_particle(perp_v3(1, 2, 3));
    m = mass_of(&d, 3, 5);
    perp_mass point = {5, {1, 2, 3}, perp_m3_diag(0, 0, 0)};
    near_mass(m, point, 0);
    /* right triangle with legs a, b at the origin: area ab/2, centroid a/3, b/3, polar moment m (a^2 + b^2)/18 */
    perp_vec3 t[3] = {{0, 0, 0}, {3, 0, 0}, {0, 2, 0}};
    d = perp_shape_polygon(t, 3);
    m = mass_of(&d, 2, 7);
    perp_mass tri = {21, {1, 2.0 / 3, 0}, perp_m3_diag(0, 0, 21 * 13.0 / 18)};
    near_mass(m, tri, 1e-13);
    /* corner tetrahedron with legs a, b, c: volume abc/6; second moments about the corner m a^2/10, products m ab/20 */
    perp_vec3 c[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    d = perp_shape_polyhedron(c, 4);
    m = mass_of(&d, 3, 6);
    double M = 6;
    perp_vec3 l = perp_v3(1, 2, 3), com = perp_v3(0.25, 0.5, 0.75);
    perp_vec3 sec = perp_v3(M * (l.x * l.x / 10 - com.x * com.x), M * (l.y * l.y / 10 - com.y * com.y),
                            M * (l.z * l.z / 10 - com.z * com.z));
    perp_mass tet = {M, com, perp_m3_diag(sec.y + sec.z, sec.x + sec.z, sec.x + sec.y)};
    tet.I_B.c[0].y = tet.I_B.c[1].x = -M * (l.x * l.y / 20 - com.x * com.y);
    tet.I_B.c[0].z = tet.I_B.c[2].x = -M * (l.x * l.z / 20 - com.x * com.z);
    tet.I_B.c[1].z = tet.I_B.c[2].y = -M * (l.y * l.z / 20 - com.y * com.z);
    near_mass(m, tet, 1e-13);
}

static void masses_move_with_the_shape(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        int dim = 2 + trial % 2, n = 4 + trial % 13;
        perp_vec3 p[64], q[64];
        for (int i = 0; i < n; i++) p[i] = random_unit(dim);
        perp_pose X = random_pose(dim, trial % 4 == 3 ? 1000 : 1);
        double far = trial % 4 == 3 ? 1e6 : 1;
        for (int i = 0; i < n; i++) q[i] = perp_pose_apply(X, p[i]);
        perp_shape_def a = dim == 2 ? perp_shape_polygon(p, n) : perp_shape_polyhedron(p, n), b = a;
        perp_mass here = mass_of(&a, dim, 2);
        b.points = q;
        perp_mass there = mass_of(&b, dim, 2);
        a.X_BS = X;
        perp_mass placed = mass_of(&a, dim, 2);
        near_mass(there, placed, 1e-14 * far * 1e2);
        near(placed.mass, here.mass, 1e-15);
        near_v(placed.com_B, perp_pose_apply(X, here.com_B), 1e-12 * far);
        if (dim == 3) near_mass(placed, perp_mass_move(X, here), 1e-13 * far);
        if (dim == 2) near(placed.I_B.c[2].z, here.I_B.c[2].z, 1e-15);
    }
    perp_shape_def box = perp_shape_box(0.5, 0.25, 0.125), sphere = perp_shape_sphere(0.5);
    box.X_BS = sphere.X_BS = random_pose(3, 2);
    perp_shape_def plain = box;
    plain.X_BS = perp_pose_identity();
    near_mass(mass_of(&box, 3, 1), perp_mass_move(box.X_BS, mass_of(&plain, 3, 1)), 1e-15);
    near_v(mass_of(&sphere, 3, 1).com_B, sphere.X_BS.p, 1e-15);
}

static void hull_is_the_sum_of_its_tetrahedra(void **state) {
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        int n = 4 + trial % 20;
        perp_vec3 p[64];
        for (int i = 0; i < n; i++) p[i] = perp_v3_add(perp_v3(3, -2, 1), random_unit(3));
        perp_shape_def d = perp_shape_polyhedron(p, n);
        pp_geometry *g = make(&d, 3);
        perp_mass sum = {0};
        bool any = false;
        for (int f = 0; f < g->nface; f++)
            for (int k = g->face_start[f] + 1; k + 1 < g->face_start[f + 1]; k++) {
                const int *v = g->face_vert;
                int a = v[g->face_start[f]], b = v[k], c = v[k + 1];
                if (a == 0 || b == 0 || c == 0) continue; /* faces at vertex 0: nothing between */
                perp_vec3 t[4] = {g->vert[0], g->vert[a], g->vert[b], g->vert[c]};
                perp_shape_def e = perp_shape_polyhedron(t, 4);
                perp_mass one = mass_of(&e, 3, 1.5);
                sum = any ? perp_mass_add(sum, one) : one;
                any = true;
            }
        near_mass(mass_of(&d, 3, 1.5), sum, 1e-12);
        pp_geometry_destroy(g, &plain_alloc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(box_is_its_hull),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(coplanar_facets_merge),
        cmocka_unit_test(big_hull),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(refused_memory_is_survived),
        cmocka_unit_test(masses_in_closed_form),
        cmocka_unit_test(masses_move_with_the_shape),
        cmocka_unit_test(hull_is_the_sum_of_its_tetrahedra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scenes.c - writes the scenes of the work-precision front
 *
 *     front_scenes NAME [--seed N] [--count N] >FILE
 *     front_scenes --list
 *
 * The same name, seed and count give the same bytes. A seed changes places, shapes or angles, not the kind of motion.
 * Planar scenes lie in the plane z = 0 with gravity along -y; their bodies are boxes and prisms along z, so that engines of
 * two and of three dimensions get the same scene. No scene has both boxes and hulls: ODE does not let them collide. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

#define PI     3.14159265358979323846
#define GOLDEN 2.3999632297286533 /* the golden angle [rad]: points at such steps, sqrt(k) out, spread evenly */

static uint64_t state;

/* Even in [lo, hi): xorshift64* (Vigna). */
static double uniform(double lo, double hi) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return lo + (hi - lo) * (double)(state * 0x2545f4914f6cdd1dull >> 11) * 0x1p-53;
}

static void set_seed(uint64_t seed) {
    state = (seed + 1) * 0x9e3779b97f4a7c15ull;
    for (int k = 0; k < 8; k++) (void)uniform(0, 1);
}

/* ---- lines of the file ---- */

static void head(const char *name, bool planar, front_vec gravity, double mu, double duration) {
    printf("front 1 scene %s\nplanar %d\ngravity %.17g %.17g %.17g\nmu %.17g\nduration %.17g\n", name, planar,
           gravity.x[0], gravity.x[1], gravity.x[2], mu, duration);
}

static void plane(double nx, double ny, double nz, double offset) {
    printf("plane %.17g %.17g %.17g %.17g\n", nx, ny, nz, offset);
}

typedef struct place {
    front_vec p, v, w;
    double q[4], start;
} place;

static place at(double x, double y, double z) {
    place X = {front_v(x, y, z), {{0}}, {{0}}, {1, 0, 0, 0}, 0};
    return X;
}

/* Turns a planar place by an angle about z. */
static place turned(place X, double angle) {
    X.q[0] = cos(angle / 2), X.q[3] = sin(angle / 2);
    return X;
}

static void body(const char *kind, double mass, front_vec inertia, const place *X) {
    printf("body %s %.17g %.17g %.17g %.17g  %.17g %.17g %.17g  %.17g %.17g %.17g %.17g", kind, mass, inertia.x[0],
           inertia.x[1], inertia.x[2], X->p.x[0], X->p.x[1], X->p.x[2], X->q[0], X->q[1], X->q[2], X->q[3]);
    printf("  %.17g %.17g %.17g  %.17g %.17g %.17g  %.17g ", X->v.x[0], X->v.x[1], X->v.x[2], X->w.x[0], X->w.x[1],
           X->w.x[2], X->start);
}

static void sphere(double mass, double r, place X) {
    body("sphere", mass, front_v(0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r), &X);
    printf(" %.17g\n", r);
}

static void box(double mass, double hx, double hy, double hz, place X) {
    double third = mass / 3;
    body("box", mass, front_v(third * (hy * hy + hz * hz), third * (hx * hx + hz * hz), third * (hx * hx + hy * hy)),
         &X);
    printf(" %.17g %.17g %.17g\n", hx, hy, hz);
}

/* ---- hulls in their principal axes ---- */

/* Jacobi's rotations: m becomes diagonal, the columns of axes the eigenvectors. */
static void principal(double m[3][3], double axes[3][3]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) axes[r][c] = r == c;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (fabs(m[p][q]) < 1e-15 * (m[0][0] + m[1][1] + m[2][2]))
                    continue; /* rounding: a planar body stays planar */
                double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    double a = m[p][k], b = m[q][k], x = axes[k][p], y = axes[k][q];
                    m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
                    axes[k][p] = c * x - s * y, axes[k][q] = s * x + c * y;
                }
            }
}

/* The unit quaternion of a rotation matrix. */
static void quaternion(double r[3][3], double q[4]) {
    double size[4] = {r[0][0] + r[1][1] + r[2][2], r[0][0] - r[1][1] - r[2][2], r[1][1] - r[0][0] - r[2][2],
                      r[2][2] - r[0][0] - r[1][1]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (size[i] > size[k]) k = i;
    double four = 2 * sqrt(1 + size[k]), d[3] = {r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
    if (k == 0) {
        q[0] = four / 4;
        for (int i = 0; i < 3; i++) q[i + 1] = d[i] / four;
        return;
    }
    q[0] = d[k - 1] / four;
    for (int i = 0; i < 3; i++) q[i + 1] = i == k - 1 ? four / 4 : (r[k - 1][i] + r[i][k - 1]) / four;
}

/* The hull of points given in the axes of the world about X->p: only its corners are written, in principal axes; the pose gets the turn.
 * mass: of the whole. If `centred`, X->p is the centre of mass, otherwise the points are where they are. */
static void hull(front_hull *h, double mass, place X, bool centred) {
    double volume, second[3][3], axes[3][3];
    front_vec c;
    if (!front_hull_make(h)) front_die("front_scenes", "a hull is flat");
    front_hull_moments(h, &volume, &c, second);
    for (int a = 0; a < 3; a++)
        if (fabs(c.x[a]) < 1e-15) c.x[a] = 0; /* rounding: a planar body stays in its plane */
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) second[r][k] = mass * (second[r][k] / volume - c.x[r] * c.x[k]);
    principal(second, axes);
    double side = axes[0][0] * (axes[1][1] * axes[2][2] - axes[1][2] * axes[2][1]) -
                  axes[0][1] * (axes[1][0] * axes[2][2] - axes[1][2] * axes[2][0]) +
                  axes[0][2] * (axes[1][0] * axes[2][1] - axes[1][1] * axes[2][0]);
    for (int r = 0; side < 0 && r < 3; r++) axes[r][0] = -axes[r][0];
    quaternion(axes, X.q);
    if (!centred) X.p = front_axpy(X.p, 1, c);
    body("hull", mass, front_v(second[1][1] + second[2][2], second[0][0] + second[2][2], second[0][0] + second[1][1]),
         &X);
    bool corner[FRONT_POINTS] = {false};
    int n = 0;
    for (int k = 0; k < h->start[h->nface]; k++) corner[h->corner[k]] = true;
    for (int k = 0; k < h->npoint; k++) n += corner[k];
    printf(" %d", n);
    for (int k = 0; k < h->npoint; k++) {
        if (!corner[k]) continue;
        front_vec p = front_turn_back(X.q, front_sub(h->point[k], c));
        printf(" %.17g %.17g %.17g", p.x[0], p.x[1], p.x[2]);
    }
    printf("\n");
}

/* ---- scenes ---- */

static const front_vec down_y = {{0, -9.81, 0}}, down_z = {{0, 0, -9.81}};

/* A box slides down an incline, and comes to rest where mu allows it; dropped from a little above. Gravity is turned, not the floor. */
static void incline(int n) {
    double angle = PI / 180 * uniform(10, 20);
    (void)n;
    head("incline", true, front_v(9.81 * sin(angle), -9.81 * cos(angle), 0), 0.25, 2);
    plane(0, 1, 0, 0);
    box(1, 0.5, 0.25, 0.5, at(0, 0.25 + uniform(0, 0.1), 0));
}

/* Boxes dropped on one another. */
static void stack(int n) {
    head("stack", true, down_y, 0.5, 2);
    plane(0, 1, 0, 0);
    for (int i = 0; i < n; i++) box(1, 0.5, 0.5, 0.5, at(uniform(-0.1, 0.1), 0.5 + 1.02 * i + 0.02, 0));
}

/* A tower of spheres dropped, one above the other. */
static void tower(int n) {
    double gap = uniform(0.03, 0.05);
    head("tower", false, down_z, 0.5, 2);
    plane(0, 0, 1, 0);
    for (int i = 0; i < n; i++) sphere(1, 0.5, at(0, 0, 0.5 + i + gap * (i + 1)));
}

/* As experiments/heap-polyhedra: the k-th hull comes in at t = 0.25 k, 3.5 m up, with -3.5 m/s; before that it has no weight. */
static void hulls(int n) {
    head("hulls", false, down_z, 0.5, 1 + 0.25 * n);
    plane(0, 0, 1, 0);
    plane(1, 0, 0, -0.75);
    plane(-1, 0, 0, -0.75);
    plane(0, 1, 0, -0.75);
    plane(0, -1, 0, -0.75);
    for (int i = 0; i < n; i++) {
        front_hull h = {.npoint = 10};
        place X = at(uniform(-0.3, 0.3), uniform(-0.3, 0.3), 3.5 + 3.5 * 0.25 * i);
        for (int k = 0; k < h.npoint; k++)
            h.point[k] = front_v(uniform(-0.25, 0.25), uniform(-0.25, 0.25), uniform(-0.25, 0.25));
        X.v = front_v(0, 0, -3.5);
        X.start = 0.25 * i;
        hull(&h, 1, X, true);
    }
}

/* As experiments/pour-1000; fewer spheres stand in a narrower box of the same proportions. */
static void pour(int n) {
    int side = (int)fmax(1, round(8 * cbrt(n / 1000.0)));
    double r = 0.1, width = 1.25 * r * side;
    head("pour", false, down_z, 0.3, n >= 1000 ? 4 : 2);
    plane(0, 0, 1, 0);
    plane(1, 0, 0, -width);
    plane(-1, 0, 0, -width);
    plane(0, 1, 0, -width);
    plane(0, -1, 0, -width);
    for (int k = 0; k < n; k++) {
        double x = 2.45 * r * (k % side - (side - 1) / 2.0) + uniform(-0.1, 0.1) * r;
        double y = 2.45 * r * (k / side % side - (side - 1) / 2.0) + uniform(-0.1, 0.1) * r;
        sphere(1000 * 4 / 3.0 * PI * r * r * r, r, at(x, y, 1.5 * r + 2.45 * r * (k / side / side)));
    }
}

/* As experiments/heap-cubes: round layers of cubes, every way up. */
static void cubes(int n) {
    int layer = (int)fmax(1, round(60 * cbrt(n / 1000.0) * cbrt(n / 1000.0)));
    double a = 0.2;
    head("cubes", false, down_z, 0.5, 2);
    plane(0, 0, 1, 0);
    for (int k = 0; k < n; k++) {
        double out = 1.13 * a * sqrt(k % layer + 0.5), r2;
        place X = at(out * cos(GOLDEN * k), out * sin(GOLDEN * k), a + 1.75 * a * (k / layer));
        do { /* in the unit ball: then every direction is as likely */
            r2 = 0;
            for (int i = 0; i < 4; i++) X.q[i] = uniform(-1, 1), r2 += X.q[i] * X.q[i];
        } while (r2 > 1 || r2 < 1e-6);
        for (int i = 0; i < 4; i++) X.q[i] /= sqrt(r2);
        box(1000 * a * a * a, a / 2, a / 2, a / 2, X);
    }
}

/* A wall of cubes, six in a row, and a cube of eight times their mass thrown into it. */
static void wall(int n) {
    head("wall", false, down_z, 0.5, 2);
    plane(0, 0, 1, 0);
    for (int k = 0; k < n; k++) {
        int row = k / 6;
        box(1, 0.25, 0.25, 0.25,
            at(0.505 * (k % 6 - 2.5 + (row % 2 ? 0.5 : 0)), 0, 0.25 + 0.5 * row + 0.001 * (row + 1)));
    }
    place X = at(uniform(-0.5, 0.5), -1.5, uniform(1, 1.5));
    X.v = front_v(0, 6, 1);
    box(8, 0.25, 0.25, 0.25, X);
}

/* A row of dominoes; the first is pushed. */
static void dominoes(int n) {
    head("dominoes", true, down_y, 0.4, 3);
    plane(0, 1, 0, 0);
    double gap = uniform(0.4, 0.5);
    for (int k = 0; k < n; k++) {
        place X = at(gap * k, 0.5, 0);
        if (k == 0) X.v = front_v(1, 0, 0), X.w = front_v(0, 0, -2); /* turns about its lower edge at 2 rad/s */
        box(1, 0.05, 0.5, 0.25, X);
    }
}

/* As experiments/box-of-polygons with friction: the k-th polygon comes in at t = 0.25 k. */
static void polygons(int n) {
    head("polygons", true, down_y, 0.5, 1 + 0.25 * n);
    plane(0, 1, 0, 0);
    plane(1, 0, 0, -1);
    plane(-1, 0, 0, -1);
    for (int i = 0; i < n; i++) {
        front_hull h = {.npoint = 12};
        place X = at(uniform(-0.5, 0.5), 3.5 + 2 * 0.25 * i, 0);
        for (int k = 0; k < 6; k++) { /* corners on an ellipse: convex; Box2D takes eight at most */
            double angle = PI / 3 * (k + uniform(0.1, 0.9));
            h.point[k] = front_v(0.25 * cos(angle), 0.18 * sin(angle), 0.1);
            h.point[k + 6] = front_v(h.point[k].x[0], h.point[k].x[1], -0.1);
        }
        X.v = front_v(0, -2, 0);
        X.start = 0.25 * i;
        hull(&h, 1, X, true);
    }
}

/* A semicircular arch of wedges. It stands; nothing but friction and pressure holds it. */
static void arch(int n) {
    double inner = 3, outer = uniform(3.7, 4);
    head("arch", true, down_y, 0.6, 2);
    plane(0, 1, 0, 0);
    for (int i = 0; i < n; i++) {
        front_hull h = {.npoint = 8};
        for (int k = 0; k < 8; k++) {
            double angle = PI * (i + (k & 1)) / n, r = k & 2 ? outer : inner;
            h.point[k] = front_v(r * cos(angle), r * sin(angle), k & 4 ? 0.25 : -0.25);
        }
        hull(&h, 1, at(0, 0, 0), false);
    }
}

/* A stack in which each box is ten times as heavy as the one below. */
static void ratio(int n) {
    double mass = 1;
    head("ratio", true, down_y, 0.5, 1.5);
    plane(0, 1, 0, 0);
    for (int i = 0; i < n; i++, mass *= 10)
        box(mass, 0.5, 0.5, 0.5, turned(at(uniform(-0.1, 0.1), 0.5 + 1.01 * i + 0.01, 0), 0));
}

static const struct {
    const char *name;
    void (*write)(int n);
    int count; /* of bodies, unless told */
} scenes[] = {{"incline", incline, 1}, {"stack", stack, 10}, {"tower", tower, 20},       {"hulls", hulls, 12},
              {"pour", pour, 100},     {"wall", wall, 30},   {"dominoes", dominoes, 15}, {"polygons", polygons, 12},
              {"arch", arch, 9},       {"ratio", ratio, 5},  {"cubes", cubes, 1000}};

int main(int argc, char **argv) {
    int count = 0, which = -1, nscene = sizeof scenes / sizeof *scenes;
    long seed = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) {
            for (int k = 0; k < nscene; k++) puts(scenes[k].name);
            return 0;
        }
        if (i + 1 < argc && !strcmp(argv[i], "--seed")) {
            seed = strtol(argv[++i], NULL, 10);
        } else if (i + 1 < argc && !strcmp(argv[i], "--count")) {
            count = (int)strtol(argv[++i], NULL, 10);
        } else {
            for (int k = 0; k < nscene; k++)
                if (!strcmp(argv[i], scenes[k].name)) which = k;
            if (which < 0) front_die(argv[i], "neither an option nor a scene; front_scenes --list shows them");
        }
    }
    if (which < 0) front_die("front_scenes", "wants the name of a scene; --list shows them");
    if (count < 0 || seed < 0) front_die("front_scenes", "--seed and --count want numbers above 0");
    set_seed((uint64_t)seed);
    scenes[which].write(count ? count : scenes[which].count);
    return 0;
}

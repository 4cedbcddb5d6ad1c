/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* piles2d.c - random polygons poured into a box, many piles: does every step of `peg` hold the laws?
 *
 *     piles2d [--all] [--given] [--own] [--raw] [--model NAME] [--pile N] [--h MS] [--mu X]
 *                                                      (without options: one pile, two steps, both friction)
 *
 * Given: the five piles that other engines were compared on. Own: five of the same kind, from seeds of our own. Raw: 40 more, 20 of
 * the same kind and 20 whose hulls are taken as they come: slivers, flat corners, from 3 to 24 points. h = 1, 2, 5, 10, 20 ms (raw:
 * 5, 10, 20), mu = 0 and 0.5; 5 s each, a polygon every quarter of a second. Printed for each kind, h and mu: steps, those not solved,
 * those divided, deepest overlap, largest total area of overlap at any time, most energy that contact added in a step (J, and as part
 * of the kinetic energy at hand, at least 0.1 J), mean number of contacts and of corners that could be trapped, largest
 * problem, time. --pile, --h and --mu keep to one of the piles, steps or coefficients. Exit code 1 if a step was not solved, the
 * area went beyond 1e-9 m^2 or contacts added more than 0.2 % of the kinetic energy in a step. */
#define _POSIX_C_SOURCE 200809L
#include "piles.h"
#include "piles2d_given.h"

enum { POINTS = 24 };

typedef enum kind { GIVEN, OWN, RAW } kind;

typedef struct polygon {
    double mass, inertia, x;
    int n;
    perp_vec3 p[POINTS];
} polygon;

static const char *model = "peg";
static only part = {-1, -1, -1};

static void die(const char *what, const char *why) {
    fprintf(stderr, "piles2d: %s: %s\n", what, why);
    exit(2);
}

static void given_one(int pile, int k, polygon *out) {
    const given_polygon *g = &given[pile][k];
    *out = (polygon){.mass = g->mass, .inertia = g->inertia, .x = g->x, .n = g->n};
    for (int i = 0; i < g->n; i++) out->p[i] = perp_v3(g->corner[i][0], g->corner[i][1], 0);
}

/* The hull of random points about its centre of mass. Raw: any number of points in a box that may be as thin as a twentieth. Draws
 * again what perp refuses as too thin. */
static void random_one(uint64_t *state, bool raw, polygon *out) {
    char why[200];
    for (int tries = 0; tries < 100; tries++) {
        int n = raw ? 3 + (int)scene_uniform(state, 0, POINTS - 2.001) : 10;
        double thin = raw ? exp(scene_uniform(state, log(0.05), 0)) : 1;
        *out = (polygon){.x = scene_uniform(state, -0.5, 0.5), .n = n};
        for (int i = 0; i < n; i++)
            out->p[i] = perp_v3(scene_uniform(state, -0.25, 0.25), thin * scene_uniform(state, -0.25, 0.25), 0);
        perp_shape_def s = perp_shape_polygon(out->p, n);
        perp_mass m;
        if (perp_shape_mass(&s, 2, 10, &m, why, sizeof why)) continue;
        out->mass = m.mass;
        out->inertia = m.I_B.c[2].z;
        for (int i = 0; i < n; i++) out->p[i] = perp_v3_sub(out->p[i], m.com_B);
        return;
    }
    die("no polygon", why);
}

static void add(perp_world *w, perp_body_kind k, double x, double y, double vy, const polygon *p) {
    perp_body_def b = perp_body_def_default(k);
    perp_shape_def s = perp_shape_polygon(p->p, p->n);
    perp_body_id id;
    b.X_WB = perp_pose_2d(x, y, 0);
    if (k == PERP_BODY_DYNAMIC) {
        b.v_W = perp_v3(0, vy, 0);
        b.mass = p->mass;
        b.I_B = perp_m3_diag(1, 1, p->inertia);
    }
    if (perp_body_add(w, &b, &id) || perp_shape_add(w, id, &s, NULL)) die("a polygon", perp_world_why(w));
}

static void add_wall(perp_world *w, double x, double y, double half_x, double half_y) {
    polygon p = {.n = 4, .p = {{-half_x, -half_y, 0}, {half_x, -half_y, 0}, {half_x, half_y, 0}, {-half_x, half_y, 0}}};
    add(w, PERP_BODY_OBSTACLE, x, y, 0, &p);
}

static void run(int k, int pile, double h, double mu, figures *f) {
    perp_world_def d = perp_world_def_default(2);
    perp_world *w;
    char why[300];
    d.h = h;
    d.contact_model = model;
    d.tolerance = 1e-10;
    if (mu > 0) d.form = PERP_FORM_CONE;
    if (perp_world_create_why(&d, &w, why, sizeof why)) die("a world", why);
    if (perp_pair_set_all(w, (perp_pair_law){.mu = mu, .restitution = 0})) die("friction", perp_world_why(w));
    add_wall(w, 0, -0.25, 1.5, 0.25);
    add_wall(w, -1.25, 2, 0.25, 2);
    add_wall(w, 1.25, 2, 0.25, 2);
    uint64_t state = 0x9000u + (uint64_t)pile;
    long n = lround(5 / h);
    int in = 0;
    f->least = 0.1;
    for (long s = 0; s < n; s++) {
        if (in < GIVEN_POLYGONS && perp_world_time(w) > 0.25 * in - h / 2) {
            polygon p;
            if (k == GIVEN)
                given_one(pile, in, &p);
            else
                random_one(&state, k == RAW && pile >= 120, &p);
            add(w, PERP_BODY_DYNAMIC, p.x, 3.5, -2, &p);
            in++;
        }
        if (!watched_step(w, f, pile, h, mu, true)) break;
    }
    perp_world_destroy(w);
}

static bool study(const char *name, kind k, int first, int n, const double *h, int nh) {
    return study_piles(name, run, (int)k, &part, first, n, h, nh, INFINITY, 1e-9);
}

int main(int argc, char **argv) {
    static const double steps[] = {0.001, 0.002, 0.005, 0.01, 0.02};
    bool want[3] = {false};
    for (int i = 1; i < argc; i++) {
        bool all = !strcmp(argv[i], "--all");
        if (!strcmp(argv[i], "--model") && i + 1 < argc)
            model = argv[++i];
        else if (read_only(argc, argv, &i, &part))
            continue;
        else if (!all && strcmp(argv[i], "--given") != 0 && strcmp(argv[i], "--own") != 0 &&
                 strcmp(argv[i], "--raw") != 0)
            die(argv[i], "allowed: --all, --given, --own, --raw, --model NAME, --pile N, --h MS, --mu X");
        want[GIVEN] = want[GIVEN] || all || !strcmp(argv[i], "--given");
        want[OWN] = want[OWN] || all || !strcmp(argv[i], "--own");
        want[RAW] = want[RAW] || all || !strcmp(argv[i], "--raw");
    }
    print_head(2);
    bool good = true;
    if (!want[GIVEN] && !want[OWN] && !want[RAW]) good = study("given 0", GIVEN, 0, 1, steps + 3, 2);
    if (want[GIVEN]) good = study("given 0-4", GIVEN, 0, GIVEN_PILES, steps, 5) && good;
    if (want[OWN]) good = study("own 0-4", OWN, 0, 5, steps, 5) && good;
    if (want[RAW]) good = study("more 20", RAW, 100, 20, steps + 2, 3) && good;
    if (want[RAW]) good = study("raw hulls 20", RAW, 120, 20, steps + 2, 3) && good;
    return good ? 0 : 1;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* piles3d.c - random polyhedra dropped into a box, many piles: does every step of `peg` hold the laws?
 *
 *     piles3d [--all] [--raw] [--model NAME] [--pile N] [--h MS] [--mu X]
 *                                                      (without options: one pile, two steps, both friction)
 *
 * Ten seeds of ten polyhedra, hulls of ten points, one each half second with some speed to the side, 5 s (Williams 5.2.4); with --raw ten
 * more, hulls as they come: flat, from 4 to 24 points. h = 1, 2, 5, 10, 20 ms (raw: 5, 10, 20), mu = 0 and 0.5 with true
 * cones. Printed as by piles2d, with volume in place of area, and with the same options. Exit code 1 if a step was not solved, the deepest overlap
 * went beyond 1e-6 m or contacts added more than 0.2 % of the kinetic energy in a step. */
#define _POSIX_C_SOURCE 200809L
#include "piles.h"

enum { POINTS = 24, BODIES = 10 };

static const char *model = "peg";
static only part = {-1, -1, -1};

static void die(const char *what, const char *why) {
    fprintf(stderr, "piles3d: %s: %s\n", what, why);
    exit(2);
}

static void add_wall(perp_world *w, double x, double y, double z, double half_x, double half_y, double half_z) {
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def s = perp_shape_box(half_x, half_y, half_z);
    perp_body_id id;
    b.X_WB = perp_pose_at(x, y, z);
    if (perp_body_add(w, &b, &id) || perp_shape_add(w, id, &s, NULL)) die("a wall", perp_world_why(w));
}

static void add_hull(perp_world *w, uint64_t *state, bool raw) {
    perp_vec3 p[POINTS];
    perp_mass m;
    char why[200];
    bool good = false;
    int n = 0;
    for (int tries = 0; !good && tries < 100; tries++) {
        n = raw ? 4 + (int)scene_uniform(state, 0, POINTS - 3.001) : 10;
        double thin = raw ? exp(scene_uniform(state, log(0.1), 0)) : 1;
        for (int i = 0; i < n; i++)
            p[i] = perp_v3(scene_uniform(state, -0.25, 0.25), scene_uniform(state, -0.25, 0.25),
                           thin * scene_uniform(state, -0.25, 0.25));
        perp_shape_def s = perp_shape_polyhedron(p, n);
        good = !perp_shape_mass(&s, 3, 1000, &m, why, sizeof why);
    }
    if (!good) die("no polyhedron", why);
    for (int i = 0; i < n; i++) p[i] = perp_v3_sub(p[i], m.com_B);
    perp_shape_def s = perp_shape_polyhedron(p, n);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id id;
    b.X_WB = perp_pose_at(scene_uniform(state, -0.3, 0.3), scene_uniform(state, -0.3, 0.3), 2.6);
    b.X_WB.q =
        perp_q_exp(perp_v3(scene_uniform(state, -1, 1), scene_uniform(state, -1, 1), scene_uniform(state, -1, 1)));
    b.v_W = perp_v3(-0.5, 0, -2);
    b.w_W = perp_v3(scene_uniform(state, -1, 1), scene_uniform(state, -1, 1), scene_uniform(state, -1, 1));
    b.mass = m.mass;
    b.I_B = m.I_B;
    if (perp_body_add(w, &b, &id) || perp_shape_add(w, id, &s, NULL)) die("a polyhedron", perp_world_why(w));
}

static void run(int raw, int pile, double h, double mu, figures *f) {
    perp_world_def d = perp_world_def_default(3);
    perp_world *w;
    char why[300];
    d.h = h;
    d.contact_model = model;
    d.form = PERP_FORM_CONE;
    if (perp_world_create_why(&d, &w, why, sizeof why)) die("a world", why);
    if (perp_pair_set_all(w, (perp_pair_law){.mu = mu, .restitution = 0})) die("friction", perp_world_why(w));
    add_wall(w, 0, 0, -0.5, 1.75, 1.75, 0.5);
    for (int s = -1; s <= 1; s += 2) {
        add_wall(w, s * 1.25, 0, 1.25, 0.5, 1.75, 1.25);
        add_wall(w, 0, s * 1.25, 1.25, 0.75, 0.5, 1.25);
    }
    uint64_t state = 0x3d00u + (uint64_t)pile;
    long n = lround(5 / h);
    int in = 0;
    f->least = 100;
    for (long s = 0; s < n; s++) {
        if (in < BODIES && perp_world_time(w) > 0.5 * in - h / 2) {
            add_hull(w, &state, raw);
            in++;
        }
        if (!watched_step(w, f, pile, h, mu, s % 10 == 0)) break;
    }
    perp_world_destroy(w);
}

static bool study(const char *name, bool raw, int first, int n, const double *h, int nh) {
    return study_piles(name, run, raw, &part, first, n, h, nh, 1e-6, INFINITY);
}

int main(int argc, char **argv) {
    static const double steps[] = {0.001, 0.002, 0.005, 0.01, 0.02};
    bool all = false, raw = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--model") && i + 1 < argc)
            model = argv[++i];
        else if (!strcmp(argv[i], "--all"))
            all = true;
        else if (!strcmp(argv[i], "--raw"))
            raw = true;
        else if (!read_only(argc, argv, &i, &part))
            die(argv[i], "allowed: --all, --raw, --model NAME, --pile N, --h MS, --mu X");
    }
    print_head(3);
    bool good = true;
    if (!all && !raw) good = study("own 0", false, 0, 1, steps + 3, 2);
    if (all) good = study("own 0-9", false, 0, 10, steps, 5) && good;
    if (raw) good = study("raw hulls 10", true, 100, 10, steps + 2, 3) && good;
    return good ? 0 : 1;
}

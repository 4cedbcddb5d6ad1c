/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* shots.h - small fast bodies shot at a thin plate: none may pass it or end inside it
 *
 * A plate of 5 mm, fixed or free and light, and a cube of 10 mm, a spinning rod of 2 x 200 mm, a ball, a capsule or a
 * particle at 100 m/s: with h = 10 ms a step takes it a metre, two hundred times the plate. No gravity. */
#ifndef PERP_TEST_SHOTS_H
#define PERP_TEST_SHOTS_H

#include <stdio.h>

#include "pair_witness.h"
#include "perp/perp.h"

enum { SHOT_CUBE, SHOT_ROD, SHOT_BALL, SHOT_CAPSULE, SHOT_PARTICLE, SHOT_KINDS };
static const char *const shot_name[SHOT_KINDS] = {"cube", "spinning rod", "ball", "capsule", "particle"};

#define SHOT_THICK 0.005
#define SHOT_STEPS 5

typedef struct shot {
    int dim, kind;
    bool light; /* the plate is free */
    perp_world *w;
    perp_body_id plate, body;
    double half; /* of the plate's width [m] */
} shot;

typedef struct shot_figures {
    long shots, hits, failed, through, inside;
    long substeps;           /* beyond one per step */
    double overlap, slowest; /* deepest overlap; most parts of a step */
} shot_figures;

static inline perp_shape_def shot_shape(int dim, int kind) {
    switch (kind) {
    case SHOT_CUBE: return perp_shape_box(0.005, 0.005, 0.005);
    case SHOT_ROD: return perp_shape_box(0.1, 0.001, 0.001);
    case SHOT_BALL: return perp_shape_sphere(0.005);
    case SHOT_CAPSULE: return perp_shape_capsule(0.001, 0.05);
    default: (void)dim; return perp_shape_particle(perp_v3(0, 0, 0));
    }
}

static inline perp_vec3 plate_normal(int dim) { return dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1); }

/* Centre of the body, in the frame of the plate. */
static inline perp_vec3 seen_from_plate(const shot *s) {
    perp_pose P = {{0, 0, 0}, {1, 0, 0, 0}}, B = P;
    perp_body_pose(s->w, s->plate, &P);
    perp_body_pose(s->w, s->body, &B);
    return perp_q_unrotate(P.q, perp_v3_sub(B.p, P.p));
}

/* A random shot; false if the world refused it. */
static inline bool shot_new(int dim, int kind, bool light, shot *s) {
    *s = (shot){.dim = dim, .kind = kind, .light = light, .half = light ? 1 : 10};
    perp_world_def d = perp_world_def_default(dim);
    d.gravity_W = perp_v3(0, 0, 0);
    d.h = 0.01;
    d.contact_model = "peg";
    if (perp_world_create(&d, &s->w)) return false;
    perp_pair_law law = {.mu = random_below(2) ? 0.5 : 0, .restitution = random_below(2) ? 0.5 : 0};
    perp_pair_set_all(s->w, law);
    perp_vec3 n = plate_normal(dim);
    perp_shape_def plate =
        dim == 2 ? perp_shape_box(s->half, SHOT_THICK / 2, 0) : perp_shape_box(s->half, s->half, SHOT_THICK / 2);
    perp_shape_def shape = shot_shape(dim, kind);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC),
                  p = perp_body_def_default(light ? PERP_BODY_DYNAMIC : PERP_BODY_OBSTACLE);
    perp_pose turned = {perp_v3_scale(random_between(0, 3), random_direction(dim)), random_turn(dim)};
    p.X_WB = turned;
    b.particle = kind == SHOT_PARTICLE;
    if (b.particle)
        b.mass = 1e-3;
    else if (perp_body_def_mass(&b, &shape, dim, 1000))
        return false;
    if (light) {
        if (perp_body_def_mass(&p, &plate, dim, 1)) return false;
        double scale = b.mass * random_power(0, 2) / p.mass;
        p.mass *= scale;
        for (int c = 0; c < 3; c++) p.I_B.c[c] = perp_v3_scale(scale, p.I_B.c[c]);
    }
    /* from above, up to 80 degrees off the normal, at a place near the middle */
    double tilt = random_between(0, 1.4), reach = kind == SHOT_ROD ? 0.102 : kind == SHOT_CAPSULE ? 0.052 : 0.01;
    perp_vec3 side = square_to(n, dim), target = perp_v3_scale(random_between(-0.2, 0.2), side);
    perp_vec3 dir = perp_v3_axpy(perp_v3_scale(-cos(tilt), n), sin(tilt), side);
    double height = reach + SHOT_THICK / 2 + random_between(1e-4, 0.5);
    perp_vec3 from = perp_v3_axpy(target, -height / cos(tilt), dir);
    if (light && height / cos(tilt) > 0.7) from = perp_v3_axpy(target, height, n);
    b.X_WB = perp_pose_mul(turned, (perp_pose){from, random_turn(dim)});
    double speed = kind == SHOT_ROD ? random_between(1, 100) : 100, spin = random_between(100, 600);
    b.v_W = perp_q_rotate(turned.q, perp_v3_scale(speed, dir));
    if (!b.particle)
        b.w_W = dim == 2 ? perp_v3(0, 0, random_below(2) ? spin : -spin) : perp_v3_scale(spin, random_direction(3));
    return !perp_body_add(s->w, &p, &s->plate) && !perp_body_add(s->w, &b, &s->body) &&
           !perp_shape_add(s->w, s->plate, &plate, NULL) && !perp_shape_add(s->w, s->body, &shape, NULL);
}

static inline bool over_plate(const shot *s, perp_vec3 x) {
    return fabs(x.x) < 0.95 * s->half && (s->dim == 2 || fabs(x.y) < 0.95 * s->half);
}

/* Runs a shot; true if it stayed on its side. */
static inline bool shot_run(shot *s, shot_figures *f) {
    bool hit = false, good = true;
    f->shots++;
    for (int k = 0; k < SHOT_STEPS && good; k++) {
        perp_certificate c = {0};
        if (perp_world_step(s->w, &c)) {
            f->failed++;
            good = false;
            break;
        }
        f->substeps += c.substeps - 1;
        f->slowest = fmax(f->slowest, c.substeps);
        perp_vec3 x = seen_from_plate(s), v;
        if (perp_body_velocity(s->w, s->body, &v, NULL) || !perp_v3_finite(v)) good = false;
        const perp_contact *list;
        for (int i = 0, n = perp_world_contacts(s->w, &list); i < n; i++) hit |= list[i].impulse_C[0] > 0;
        hit |= c.substeps > 1;
        if (!over_plate(s, x)) break;
        f->overlap = fmax(f->overlap, c.overlap);
        if (!(perp_v3_dot(x, plate_normal(s->dim)) > 0)) {
            f->through++;
            good = false;
        }
        if (!(c.overlap < 1e-6)) {
            f->inside++;
            good = false;
        }
    }
    f->hits += hit;
    return good;
}

#endif

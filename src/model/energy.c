/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* energy.c - energy and momentum of a world in a state */
#include "model/energy.h"

#include "model/state.h"

pp_spring_now pp_spring_at(const perp_world *w, const pp_state *s, const pp_force *e) {
    pp_joint_side a = pp_side(w, s, e->a, NULL), b = pp_side(w, s, e->b, NULL);
    pp_spring_now x = {.ra = perp_q_rotate(a.X_WB.q, e->def.point_A), .rb = perp_q_rotate(b.X_WB.q, e->def.point_B)};
    perp_vec3 d = perp_v3_sub(perp_v3_add(b.X_WB.p, x.rb), perp_v3_add(a.X_WB.p, x.ra));
    double length = perp_v3_norm(d);
    x.v = perp_v3_sub(perp_v3_add(b.v, perp_v3_cross(b.w, x.rb)), perp_v3_add(a.v, perp_v3_cross(a.w, x.ra)));
    x.stretch = length - e->def.rest_length;
    x.u = length > 0 ? perp_v3_unit(d) : perp_v3(0, 0, 0);
    x.force = perp_v3_scale(-e->def.stiffness * x.stretch, x.u);
    return x;
}

static bool is_spring(const pp_force *f) { return pp_alive(f->gen) && f->def.kind == PERP_FORCE_SPRING; }

/* Computed from differences of positions: far from the origin potentials are large and their changes small. */
double pp_gravity_change(const perp_world *w, const pp_state *s0, const pp_state *s1) {
    double sum = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC || b->no_gravity) continue;
        sum -= b->mass * perp_v3_dot(w->def.gravity_W, perp_v3_sub(s1->X[i].p, s0->X[i].p));
    }
    return sum;
}

double pp_spring_change(const perp_world *w, const pp_state *s0, const pp_state *s1) {
    double sum = 0;
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *f = &w->force[i];
        if (!is_spring(f)) continue;
        double x0 = pp_spring_at(w, s0, f).stretch, x1 = pp_spring_at(w, s1, f).stretch;
        sum += 0.5 * f->def.stiffness * (x1 - x0) * (x1 + x0);
    }
    return sum;
}

/* Adds up 1/2 k ((x1 - rest)^2 - (x0 - rest)^2) over the coordinates of joints; without s0 the energy at s1. */
static double joint_springs(const perp_world *w, const pp_state *s0, const pp_state *s1) {
    double sum = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        for (int c = 0; pp_alive(j->gen) && c < PERP_JOINT_MAX_COORD; c++) {
            const perp_joint_axis *ax = &j->def.axis[c];
            if (!(ax->stiffness > 0)) continue;
            double x1 = s1->coord[i][c] - ax->rest, x0 = s0 ? s0->coord[i][c] - ax->rest : 0;
            sum += 0.5 * ax->stiffness * (x1 - x0) * (x1 + x0);
        }
    }
    return sum;
}

double pp_joint_spring_change(const perp_world *w, const pp_state *s0, const pp_state *s1) {
    return joint_springs(w, s0, s1);
}

/* Kinetic energy; shown: of the velocities at time t, otherwise of the stored velocities that the step uses. */
static double energy_of_motion(const perp_world *w, const pp_state *s, bool shown) {
    double sum = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        perp_vec3 v = shown ? pp_shown_v(s, i) : s->v[i];
        sum += 0.5 * b->mass * perp_v3_dot(v, v);
        if (b->particle) continue;
        perp_vec3 om = perp_q_unrotate(s->X[i].q, shown ? pp_shown_w(s, i) : s->w[i]);
        sum += 0.5 * perp_v3_dot(om, perp_m3_mul_v(b->I_B, om));
    }
    return sum;
}

double pp_kinetic_energy(const perp_world *w, const pp_state *s) { return energy_of_motion(w, s, false); }

double pp_shown_kinetic_energy(const perp_world *w, const pp_state *s) { return energy_of_motion(w, s, true); }

void perp_world_energy(const perp_world *w, double *kinetic, double *gravity, double *spring) {
    const pp_state *s = &w->state;
    double g = 0, e = s->elastic_energy + joint_springs(w, NULL, s);
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC || b->no_gravity) continue;
        g -= b->mass * perp_v3_dot(w->def.gravity_W, s->X[i].p);
    }
    for (int i = 0; i < w->nforce; i++) {
        if (!is_spring(&w->force[i])) continue;
        double x = pp_spring_at(w, s, &w->force[i]).stretch;
        e += 0.5 * w->force[i].def.stiffness * x * x;
    }
    if (kinetic) *kinetic = pp_shown_kinetic_energy(w, s);
    if (gravity) *gravity = g;
    if (spring) *spring = e;
}

void perp_world_momentum(const perp_world *w, perp_vec3 *linear, perp_vec3 *angular) {
    perp_vec3 p = {0, 0, 0}, L = {0, 0, 0};
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        perp_vec3 mv = perp_v3_scale(b->mass, pp_shown_v(&w->state, i));
        p = perp_v3_add(p, mv);
        L = perp_v3_add(L, perp_v3_cross(w->state.X[i].p, mv));
        if (b->particle) continue;
        perp_quat q = w->state.X[i].q;
        L = perp_v3_add(L, perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, pp_shown_w(&w->state, i)))));
    }
    if (linear) *linear = p;
    if (angular) *angular = L;
}

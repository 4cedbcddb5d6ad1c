/* energy.c - energy and momentum of a world as it stands */
#include "contact/contact_fill.h"
#include "stepper/stepper.h"
#include "world/frame.h"

/* What the springs of contacts hold, by the deflections that are remembered. */
static double contact_energy(const perp_world *w) {
    double e = 0;
    for (int i = 0; i < w->warm.ncontact; i++) {
        const pp_memory_contact *m = &w->warm.contact[i];
        if (m->slot_a >= (uint32_t)w->nshape || m->slot_b >= (uint32_t)w->nshape) continue; /* removed since */
        if (!pp_alive(w->shape[m->slot_a].gen) || !pp_alive(w->shape[m->slot_b].gen)) continue;
        perp_pair_law law = pp_contact_law(w, (int)m->slot_a, (int)m->slot_b);
        double n = m->depth, all = m->layer[0] * m->layer[0] + m->layer[1] * m->layer[1] + m->layer[2] * m->layer[2];
        e += 0.5 * (law.stiffness * n * n + law.stiffness_t * (all - n * n));
    }
    return e;
}

void perp_world_energy(const perp_world *w, double *kinetic, double *gravity, double *spring) {
    double k = 0, g = 0, e = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        k += 0.5 * b->mass * perp_v3_dot(w->state.v[i], w->state.v[i]);
        if (!b->particle) {
            perp_vec3 om = perp_q_unrotate(w->state.X[i].q, w->state.w[i]);
            k += 0.5 * perp_v3_dot(om, perp_m3_mul_v(b->I_B, om));
        }
        if (!b->no_gravity) g -= b->mass * perp_v3_dot(w->def.gravity_W, w->state.X[i].p);
    }
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *f = &w->force[i];
        if (!pp_alive(f->gen) || f->def.kind != PERP_FORCE_SPRING) continue;
        pp_joint_side a = pp_side(w, &w->state, f->a, NULL), b = pp_side(w, &w->state, f->b, NULL);
        double x = perp_v3_norm(
                       perp_v3_sub(perp_pose_apply(b.X_WB, f->def.point_B), perp_pose_apply(a.X_WB, f->def.point_A))) -
                   f->def.rest_length;
        e += 0.5 * f->def.stiffness * x * x;
    }
    if (w->stepper->stores) e += contact_energy(w);
    if (kinetic) *kinetic = k;
    if (gravity) *gravity = g;
    if (spring) *spring = e;
}

void perp_world_momentum(const perp_world *w, perp_vec3 *linear, perp_vec3 *angular) {
    perp_vec3 p = {0, 0, 0}, L = {0, 0, 0};
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        perp_vec3 mv = perp_v3_scale(b->mass, w->state.v[i]);
        p = perp_v3_add(p, mv);
        L = perp_v3_add(L, perp_v3_cross(w->state.X[i].p, mv));
        if (b->particle) continue;
        perp_quat q = w->state.X[i].q;
        L = perp_v3_add(L, perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, w->state.w[i]))));
    }
    if (linear) *linear = p;
    if (angular) *angular = L;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_fill.c - see contact_fill.h */
#include "stage/collide/contact_fill.h"

#include <string.h>

perp_pair_law pp_contact_law(const perp_world *w, int a, int b) {
    int m = w->shape[a].material, n = w->shape[b].material;
    return w->law[m * w->nmaterial + n];
}

/* Projection of d on the tangent plane, as a unit vector; false if it is too small. */
static bool in_plane(perp_vec3 n, perp_vec3 d, perp_vec3 *out) {
    perp_vec3 p = perp_v3_axpy(d, -perp_v3_dot(d, n), n);
    double size = perp_v3_norm(p);
    if (!(size > 0.1)) return false;
    *out = perp_v3_scale(1 / size, p);
    return true;
}

/* Tangents of a friction ellipse: along the x axis of the shape whose material was added first. If both have the same
 * material: of the shape that is not dynamic; if both are dynamic, along the sum of their x axes. So the ellipse moves
 * with the scene and does not depend on the order of bodies and shapes. If this axis is nearly normal to the surface, y
 * is used, then z. */
static void ellipse_frame(const pp_frame *f, const pp_pair *p, perp_contact *c) {
    const pp_placed *A = &f->collide.placed[p->i], *B = &f->collide.placed[p->j];
    int a = f->w->shape[A->slot].material, b = f->w->shape[B->slot].material;
    bool by_a = a != b ? a < b : A->moves <= B->moves, by_b = a != b ? b < a : B->moves <= A->moves;
    const perp_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        perp_vec3 d = {0, 0, 0};
        if (by_a) d = perp_v3_add(d, perp_q_rotate(A->X_WS.q, axis[k]));
        if (by_b) d = perp_v3_add(d, perp_q_rotate(B->X_WS.q, axis[k]));
        if (!in_plane(c->n_W, d, &c->t_W)) continue;
        c->o_W = perp_v3_cross(c->n_W, c->t_W);
        return;
    }
}

perp_status pp_contact_room(pp_frame *f, int n) {
    f->contacts.at = PP_ARENA_ARRAY(&f->w->arena, perp_contact, n);
    f->contacts.shape = PP_ARENA_ARRAY(&f->w->arena, int, 2 * n);
    f->contacts.n = 0;
    if (f->contacts.at && f->contacts.shape) return PERP_OK;
    return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", n);
}

void pp_contact_fill(const pp_frame *f, const pp_pair *p, perp_contact *c, int shapes[2]) {
    const perp_world *w = f->w;
    int a = f->collide.placed[p->i].slot, b = f->collide.placed[p->j].slot;
    memset(c, 0, sizeof *c);
    shapes[0] = a;
    shapes[1] = b;
    c->a = (perp_shape_id){(uint32_t)a, w->shape[a].gen};
    c->b = (perp_shape_id){(uint32_t)b, w->shape[b].gen};
    c->feature = p->feature;
    c->a_W = p->a_W;
    c->b_W = p->b_W;
    c->n_W = p->n_W;
    perp_v3_frame(p->n_W, &c->t_W, &c->o_W);
    c->gap = p->gap;
    perp_pair_law law = pp_contact_law(w, a, b);
    c->mu = law.mu;
    c->restitution = law.restitution;
    c->restitution_t = law.restitution_t;
    c->e_t = law.e_t > 0 ? law.e_t : 1;
    c->e_o = law.e_o > 0 ? law.e_o : 1;
    c->e_r = law.e_r;
    c->e_roll = law.e_roll;
    if (c->e_t != c->e_o) ellipse_frame(f, p, c);
}

/* Opening of a pair by driven bodies over the frame; they are at its end. */
static double opened_by_drives(const pp_frame *f, const pp_pair *p) {
    const int body[2] = {f->collide.placed[p->i].body, f->collide.placed[p->j].body};
    const perp_vec3 at[2] = {p->a_W, p->b_W};
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        if (f->w->body[body[k]].kind != PERP_BODY_KINEMATIC) continue;
        const perp_pose *X0 = &f->s0->X[body[k]], *X1 = &f->s1->X[body[k]];
        perp_vec3 r = perp_q_unrotate(X1->q, perp_v3_sub(at[k], X1->p)),
                  was = perp_v3_add(X0->p, perp_q_rotate(X0->q, r));
        sum += (k ? 1 : -1) * perp_v3_dot(perp_v3_sub(at[k], was), p->n_W);
    }
    return sum;
}

/* Does a pair touch in a frame without motion? A pair that a driven body opens within the frame touches at its start. */
static bool touches(const pp_frame *f, const pp_pair *p) {
    const pp_placed *A = &f->collide.placed[p->i], *B = &f->collide.placed[p->j];
    double most = pp_touching(A->g, B->g, p->b_W) + f->task.touching_more;
    bool starts = f->purpose == PP_START_FREE || f->purpose == PP_START_FORCED;
    return p->gap <= most || (starts && p->gap - opened_by_drives(f, p) <= most);
}

perp_status pp_contacts_of_pairs(pp_frame *f) {
    perp_world *w = f->w;
    int n = w->found.pairs.n;
    perp_status st = pp_contact_room(f, n);
    if (st) return st;
    for (int i = 0; i < n; i++) {
        const pp_pair *p = &w->found.pairs.pair[i];
        if (f->purpose != PP_STEP && !touches(f, p)) continue;
        pp_contact_fill(f, p, &f->contacts.at[f->contacts.n], f->contacts.shape + 2 * f->contacts.n);
        f->contacts.n++;
    }
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_predicted.c - only what would meet without contact impulses is a contact
 *   in: feature pairs with gaps      out: those whose gap closes within the step at the velocities that forces alone give
 * Method   gap + h n.(relative velocity of the two points) <= 0, velocities from Minv momentum. Driven bodies move as they are driven.
 * Valid    a pair that closes because of another contact's impulse is missed for one step: it overlaps by up to h times the
 *          change of velocity and is found at the next step. Of a pile at rest all contacts are found: gravity closes them.
 * Source   Moreau's scheme selects its contacts in this way, at a predicted pose: Acary, Brogliato, Numerical Methods for
 *          Nonsmooth Dynamical Systems (2008), 10.1. */
#include "stage/collide/contact_fill.h"
#include "stage/contact_model.h"

/* Velocity of a point of a body if no constraint acts. */
static perp_vec3 free_velocity(const pp_frame *f, int slot, perp_vec3 at_W) {
    perp_vec3 v = f->s1->v[slot], w = f->s1->w[slot];
    int k = f->control.block[slot];
    if (k >= 0) {
        const double *inverse = f->control.Minv + 36 * k, *momentum = f->control.momentum + f->control.block_offset[k];
        double nu[6] = {0};
        int n = f->control.block_ndof[k], dim = f->w->def.dim;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) nu[i] += inverse[i + 6 * j] * momentum[j];
        v = pp_linear(dim, nu);
        w = pp_angular(dim, n, nu);
    }
    return perp_v3_add(v, perp_v3_cross(w, perp_v3_sub(at_W, f->s0->X[slot].p)));
}

static perp_status predicted(pp_frame *f) {
    const pp_pair_list *found = &f->w->found.pairs;
    perp_status st = pp_contact_room(f, found->n);
    if (st) return st;
    for (int i = 0; i < found->n; i++) {
        const pp_pair *p = &found->pair[i];
        const pp_placed *A = &f->collide.placed[p->i], *B = &f->collide.placed[p->j];
        double near = pp_touching(A->g, B->g, p->b_W);
        perp_vec3 v = perp_v3_sub(free_velocity(f, B->body, p->b_W), free_velocity(f, A->body, p->a_W));
        if (f->purpose == PP_STEP) { /* otherwise velocities only: what touches */
            if (p->gap + f->h * perp_v3_dot(p->n_W, v) > near) continue;
        } else if (p->gap > near + f->task.touching_more) {
            continue;
        }
        pp_contact_fill(f, p, &f->contacts.at[f->contacts.n], f->contacts.shape + 2 * f->contacts.n);
        f->contacts.n++;
    }
    return PERP_OK;
}

const pp_contact_model_type pp_model_predicted = {
    .name = "predicted",
    .source = "Acary, Brogliato (2008) 10.1",
    .contacts = predicted,
};

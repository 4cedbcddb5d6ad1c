/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_merge.c - see impact_merge.h */
#include "step/impact_merge.h"

#include <string.h>

double pp_kinetic_of(const perp_world *w, const pp_state *s, const bool *acts) {
    double sum = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!acts[i]) continue;
        sum += 0.5 * b->mass * perp_v3_dot(s->v[i], s->v[i]);
        if (b->particle) continue;
        perp_vec3 om = w->def.dim == 2 ? s->w[i] : perp_q_unrotate(s->X[i].q, s->w[i]);
        sum += 0.5 * perp_v3_dot(om, perp_m3_mul_v(b->I_B, om));
    }
    return sum;
}

void pp_take_bodies(const perp_world *w, const bool *acts, const pp_state *s, pp_state *s1) {
    for (int i = 0; i < w->nbody; i++) {
        if (!acts[i]) continue;
        s1->X[i] = s->X[i];
        s1->theta[i] = s->theta[i];
        s1->v[i] = s->v[i];
        s1->w[i] = s->w[i];
        s1->dv[i] = s->dv[i];
        s1->dw[i] = s->dw[i];
    }
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (pp_alive(j->gen) && ((j->a >= 0 && acts[j->a]) || acts[j->b]))
            memcpy(s1->coord[i], s->coord[i], sizeof s1->coord[i]);
    }
}

void pp_add_beside(perp_certificate *sum, const perp_certificate *c) {
    perp_certificate a = *sum;
    perp_certificate_add(sum, c);
    sum->h = c->h;
    sum->t = c->t;
    sum->ledger.kinetic_before = a.ledger.kinetic_before + c->ledger.kinetic_before;
    sum->ledger.kinetic_after = a.ledger.kinetic_after + c->ledger.kinetic_after;
    sum->contacts = a.contacts + c->contacts;
    sum->separating = a.separating + c->separating;
    sum->sticking = a.sticking + c->sticking;
    sum->sliding = a.sliding + c->sliding;
    sum->substeps = a.substeps;
}

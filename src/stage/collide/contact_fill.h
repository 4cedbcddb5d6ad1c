/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_fill.h - makes a contact of the frame from geometry and pair law; shared by the contact models. */
#ifndef PP_CONTACT_FILL_H
#define PP_CONTACT_FILL_H

#include "stage/frame.h"

/* The law between two shapes, by slot. */
perp_pair_law pp_contact_law(const perp_world *w, int a, int b);

/* Makes room for up to n contacts in the frame and removes all contacts. */
perp_status pp_contact_room(pp_frame *f, int n);

/* Writes a contact between the placed shapes p->i and p->j: identity, points, frame, gap and the law of the pair;
 * impulse and state are zero. shapes: its two shape slots. */
void pp_contact_fill(const pp_frame *f, const pp_pair *p, perp_contact *c, int shapes[2]);

/* Makes a contact for each of w->found.pairs; at velocity level only for touching pairs. This is the model "one-plane". */
perp_status pp_contacts_of_pairs(pp_frame *f);

/* Speed at which shapes that were placed in penetration separate; size: of the smaller one [L/T]. */
static inline double pp_recovery_speed(const perp_world *w, double size) {
    double g = perp_v3_norm(w->def.gravity_W);
    return 0.16 * sqrt((g > 0 ? g : 1) * size);
}

#endif

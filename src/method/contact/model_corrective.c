/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_corrective.c - contact model in which only penetrating pairs are contacts
 *   in: feature pairs with gaps      out: for every penetration, its deepest pair, as one unilateral contact
 * Method   No contact is anticipated. Bodies penetrate freely and are pushed out in the next step until the gap at its end is zero (psi < 0 on
 *          the right-hand side of the Stewart-Trinkle step).
 * Valid    The push-out creates velocity, so bodies bounce that should not. Deep penetration would explode. If push-out would add energy,
 *          bodies separate no faster than they approached, or stay in penetration (step/rebound_limit.c). The model exists for
 *          comparison.
 * Source   Williams 5.2: "considers only contacts that are violated", unilateral and solved for together. */
#include "stage/collide/contact_fill.h"
#include "stage/contact_model.h"

/* The deepest of the pairs from `first` on with the same two shapes. *next: the first pair of other shapes. */
static const pp_pair *deepest(const pp_pair_list *l, int first, int *next) {
    const pp_pair *p = &l->pair[first];
    int k = first + 1;
    for (; k < l->n && l->pair[k].i == l->pair[first].i && l->pair[k].j == l->pair[first].j; k++)
        if (l->pair[k].gap < p->gap) p = &l->pair[k];
    *next = k;
    return p;
}

/* At the end poses: did these two shapes overlap at the start? */
static bool overlapped(const pp_frame *f, const pp_pair *p) {
    for (int i = 0; i < f->contacts.nbegun; i++)
        if (f->contacts.begun[2 * i] == f->collide.placed[p->i].slot &&
            f->contacts.begun[2 * i + 1] == f->collide.placed[p->j].slot)
            return true;
    return false;
}

static perp_status corrective(pp_frame *f) {
    perp_world *w = f->w;
    int n = w->found.pairs.n;
    perp_status st = pp_contact_room(f, n);
    if (st) return st;
    for (int i = 0, next; i < n; i = next) {
        const pp_pair *p = deepest(&w->found.pairs, i, &next);
        if (f->contacts.begun ? !overlapped(f, p) : !(p->gap < 0)) continue;
        pp_contact_fill(f, p, &f->contacts.at[f->contacts.n], f->contacts.shape + 2 * f->contacts.n);
        f->contacts.n++;
    }
    return PERP_OK;
}

const pp_contact_model_type pp_model_corrective = {
    .name = "corrective",
    .pushes_out = true,
    .source = "Williams 5.2",
    .contacts = corrective,
};

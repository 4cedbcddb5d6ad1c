/* model_one_plane.c - contacts of each pair on its plane of largest separation, all unilateral (U): what most engines do
 * Source   Williams 2.3, 4.1. Known fault: the free space near a corner is treated as convex (Williams 4.1), so a
 *          contact found with one face forbids motion beyond that face's plane even where the face has ended. */
#include "contact/contact_fill.h"
#include "contact/model.h"

static perp_status one_plane(pp_frame *f) {
    perp_world *w = f->w;
    int n = w->pairs.n;
    perp_status st = pp_contact_room(f, n);
    if (st) return st;
    for (int i = 0; i < n; i++) {
        const pp_pair *p = &w->pairs.pair[i];
        const pp_placed *A = &f->placed[p->i], *B = &f->placed[p->j];
        if (f->purpose != PP_STEP && p->gap > pp_touching(A->g, B->g, p->b_W) + f->touching_more) continue;
        pp_contact_fill(f, p, &f->contact[f->ncontact], f->contact_shape + 2 * f->ncontact);
        f->ncontact++;
    }
    return PERP_OK;
}

const pp_contact_model_type pp_model_one_plane = {
    .name = "one-plane",
    .source = "Williams 2.3",
    .contacts = one_plane,
};

perp_status pp_contact(pp_frame *f) { return f->w->model->contacts(f); }

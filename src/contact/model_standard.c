/* model_standard.c - every potential contact is unilateral (U)
 * Source   Williams 2.3, 4.1. Known fault: the free space near a corner is treated as convex (Williams 4.1), so a
 *          contact found with one face forbids motion beyond that face's plane even where the face has ended. */
#include <string.h>

#include "contact/model.h"

static perp_pair_law pair_law(const perp_world *w, int a, int b) {
    int m = w->shape[a].material, n = w->shape[b].material;
    return w->law[m * w->nmaterial + n];
}

static perp_status standard(pp_frame *f) {
    perp_world *w = f->w;
    int n = w->pairs.n;
    f->contact = PP_ARENA_ARRAY(&w->arena, perp_contact, n);
    f->contact_shape = PP_ARENA_ARRAY(&w->arena, int, 2 * n);
    if (!f->contact || !f->contact_shape) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", n);
    f->ncontact = 0;
    for (int i = 0; i < n; i++) {
        const pp_pair *p = &w->pairs.pair[i];
        const pp_placed *A = &f->placed[p->i], *B = &f->placed[p->j];
        if (f->purpose != PP_STEP && p->gap > pp_touching(A->g, B->g, p->b_W)) continue;
        int at = f->ncontact++;
        perp_contact *c = &f->contact[at];
        memset(c, 0, sizeof *c);
        f->contact_shape[2 * at] = A->slot;
        f->contact_shape[2 * at + 1] = B->slot;
        c->a = (perp_shape_id){(uint32_t)A->slot, w->shape[A->slot].gen};
        c->b = (perp_shape_id){(uint32_t)B->slot, w->shape[B->slot].gen};
        c->feature = p->feature;
        c->a_W = p->a_W;
        c->b_W = p->b_W;
        c->n_W = p->n_W;
        perp_v3_frame(p->n_W, &c->t_W, &c->o_W);
        c->gap = p->gap;
        perp_pair_law law = pair_law(w, A->slot, B->slot);
        c->mu = law.mu;
        c->restitution = law.restitution;
    }
    return PERP_OK;
}

const pp_contact_model_type pp_model_standard = {
    .name = "standard",
    .source = "Williams 2.3",
    .contacts = standard,
};

const pp_contact_model_type *pp_model_find(const char *name) {
    return !name || !strcmp(name, pp_model_standard.name) ? &pp_model_standard : NULL;
}

perp_status pp_contact(pp_frame *f) { return f->w->model->contacts(f); }

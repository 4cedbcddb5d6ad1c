/* contact_fill.c - see contact_fill.h */
#include "contact/contact_fill.h"

#include <string.h>

static perp_pair_law pair_law(const perp_world *w, int a, int b) {
    int m = w->shape[a].material, n = w->shape[b].material;
    return w->law[m * w->nmaterial + n];
}

perp_status pp_contact_room(pp_frame *f, int n) {
    f->contact = PP_ARENA_ARRAY(&f->w->arena, perp_contact, n);
    f->contact_shape = PP_ARENA_ARRAY(&f->w->arena, int, 2 * n);
    f->ncontact = 0;
    if (f->contact && f->contact_shape) return PERP_OK;
    return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", n);
}

void pp_contact_fill(const pp_frame *f, const pp_pair *p, perp_contact *c, int shapes[2]) {
    const perp_world *w = f->w;
    int a = f->placed[p->i].slot, b = f->placed[p->j].slot;
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
    perp_pair_law law = pair_law(w, a, b);
    c->mu = law.mu;
    c->restitution = law.restitution;
}

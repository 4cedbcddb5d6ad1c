/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* first_order_contacts.c - compliant contacts: their points and the law of each
 * Method   Spheres, corners and edges are taken from the detector, on the plane of largest separation of each pair. An elastic foundation lies
 *          under a box: the faces that face the plane are divided into cells. Each cell has a spring at its centre, perpendicular
 *          to the plane, with a stiffness proportional to the projected area of the cell. So the force is the pressure (proportional to
 *          depth) summed over the area, for any orientation of the box.
 * Valid    Hertz: spheres in 3D, on each other or on flat shapes. Foundation: box on half-space.
 * Source   Drumwright 5.5, 6.4; Johnson, Contact Mechanics (1985) 4.2, 4.3. Errata: Hertz' force is (4/3) E* sqrt(r)
 *          d^(3/2), with gap -d and not -d^(3/2), whose gradient would make the force 1.5 sqrt(d) times too large. */
#include <string.h>

#include "stage/collide/contact_fill.h"
#include "method/first_order/first_order.h"
#include "stage/collide/collide.h"

double pp_soft_force(const pp_soft_contact *c, double d, double *slope) {
    if (c->kind != PERP_HERTZ) {
        *slope = c->stiffness;
        return c->stiffness * d;
    }
    double root = sqrt(d);
    *slope = 1.5 * c->stiffness * root;
    return c->stiffness * root * d;
}

/* 1/r of a shape at its contacts. All shapes except spheres count as flat. */
static double curvature(const pp_geometry *g) { return g->kind == PERP_SHAPE_SPHERE ? 1 / g->radius : 0; }

static const char *shape_word(perp_shape_kind k) {
    switch (k) {
    case PERP_SHAPE_SPHERE: return "sphere";
    case PERP_SHAPE_BOX: return "box";
    case PERP_SHAPE_HALFSPACE: return "half-space";
    default: return "other shape";
    }
}

/* The law of a contact between two placed shapes. area: area of the cell, for a foundation. */
static perp_status law_of(const pp_frame *f, const pp_placed *A, const pp_placed *B, double area,
                          pp_soft_contact *out) {
    perp_pair_law law = pp_contact_law(f->w, A->slot, B->slot);
    *out = (pp_soft_contact){
        .kind = law.compliance, .stiffness = law.stiffness, .damping = law.damping, .damping_t = law.damping_t};
    if (law.compliance == PERP_FOUNDATION) {
        out->stiffness *= area;
        out->damping *= area;
    }
    if (law.compliance != PERP_HERTZ) return PERP_OK;
    double bend = curvature(A->g) + curvature(B->g);
    if (f->w->def.dim != 3 || !(bend > 0))
        return pp_fail(f->w, PERP_E_FIT,
                       "compliance hertz is for spheres in 3D, on each other or on flat shapes; shapes %d and %d are "
                       "%s and %s",
                       A->slot, B->slot, shape_word(A->g->kind), shape_word(B->g->kind));
    out->stiffness = 4.0 / 3 * law.stiffness / sqrt(bend);
    out->least = 1e-9 / bend;
    return PERP_OK;
}

static bool hertz_fits(const perp_world *w, const pp_geometry *a, const pp_geometry *b) {
    return w->def.dim == 3 && curvature(a) + curvature(b) > 0;
}

static bool foundation_fits(const pp_geometry *a, const pp_geometry *b) {
    return (a->kind == PERP_SHAPE_HALFSPACE && b->kind == PERP_SHAPE_BOX) ||
           (b->kind == PERP_SHAPE_HALFSPACE && a->kind == PERP_SHAPE_BOX);
}

/* Checks that there is a law for the contact of two shapes, if they may touch at all. */
static perp_status pair_fits(pp_frame *f, int i, int j) {
    perp_world *w = f->w;
    const pp_placed *A = &f->collide.placed[i], *B = &f->collide.placed[j];
    if (A->body == B->body || (!A->moves && !B->moves)) return PERP_OK;
    if (!(A->group & B->mask) || !(B->group & A->mask) || !pp_may_touch(i, j, f)) return PERP_OK;
    perp_compliance kind = pp_contact_law(w, A->slot, B->slot).compliance;
    bool hertz = kind == PERP_HERTZ && !hertz_fits(w, A->g, B->g);
    if (!hertz && !(kind == PERP_FOUNDATION && !foundation_fits(A->g, B->g))) return PERP_OK;
    return pp_fail(
        w, PERP_E_FIT,
        "compliance %s; shapes %d (%s) and %d (%s) are %s and %s: give them materials with another compliance, or "
        "groups that do not touch",
        hertz ? "hertz is for spheres in 3D, on each other or on flat shapes"
              : "foundation is for boxes on half-spaces",
        A->slot, w->body[A->body].name ? w->body[A->body].name : "", B->slot,
        w->body[B->body].name ? w->body[B->body].name : "", shape_word(A->g->kind), shape_word(B->g->kind));
}

perp_status pp_first_order_pairs(perp_world *w) {
    bool any = false;
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++)
        any |= w->law[i].compliance == PERP_HERTZ || w->law[i].compliance == PERP_FOUNDATION;
    if (!any) return PERP_OK;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    pp_frame f = {.w = w};
    perp_status st = pp_collide_place(w, &w->state, &f.collide);
    for (int i = 0; !st && i < f.collide.nplaced; i++)
        for (int j = i + 1; !st && j < f.collide.nplaced; j++) st = pair_fits(&f, i, j);
    pp_arena_release(&w->arena, mark);
    return st;
}

/* A face of a box in W: its centre and two half edges (one in 2D). */
typedef struct face {
    perp_vec3 centre, n, u, v;
    double area; /* 2D: length */
} face;

static face face_of(const pp_placed *box, int k) {
    const pp_geometry *g = box->g;
    const int *at = g->face_vert + g->face_start[k];
    int n = g->face_start[k + 1] - g->face_start[k];
    perp_vec3 a = perp_pose_apply(box->X_WS, g->vert[at[0]]), b = perp_pose_apply(box->X_WS, g->vert[at[1]]),
              c = n > 2 ? perp_pose_apply(box->X_WS, g->vert[at[2]]) : b;
    face s = {.centre = perp_v3_scale(0.5, perp_v3_add(a, c)),
              .n = perp_q_rotate(box->X_WS.q, g->face_n[k]),
              .u = perp_v3_scale(0.5, perp_v3_sub(b, a)),
              .v = n > 2 ? perp_v3_scale(0.5, perp_v3_sub(c, b)) : perp_v3(0, 0, 0)};
    s.area = 2 * perp_v3_norm(s.u) * (n > 2 ? 2 * perp_v3_norm(s.v) : 1);
    return s;
}

/* Input for the elements of a foundation. */
typedef struct foundation {
    pp_frame *f;
    pp_soft_contact *soft;
    int i, j;             /* placed shapes */
    const pp_placed *box; /* the box among them */
    perp_vec3 n, through; /* of the plane: normal out of the half-space, a point on it */
    double reach;         /* elements farther away have no effect in this step */
    int per_edge;         /* number of elements */
} foundation;

static perp_status put_face(foundation *b, int k) {
    pp_frame *f = b->f;
    face s = face_of(b->box, k);
    double towards = -perp_v3_dot(s.n, b->n);
    if (!(towards > 0)) return PERP_OK; /* faces away from the plane */
    int n = b->per_edge, rows = f->w->def.dim == 3 ? n : 1;
    double area = towards * s.area / (n * rows);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < n; x++) {
            double along = (2 * x + 1 - n) / (double)n, across = rows > 1 ? (2 * y + 1 - n) / (double)n : 0;
            perp_vec3 at = perp_v3_axpy(perp_v3_axpy(s.centre, along, s.u), across, s.v);
            double gap = perp_v3_dot(b->n, perp_v3_sub(at, b->through));
            if (gap > b->reach) continue;
            perp_vec3 below = perp_v3_axpy(at, -gap, b->n);
            bool box_first = b->box == &f->collide.placed[b->i];
            pp_pair p = {.i = b->i,
                         .j = b->j,
                         .feature = ((uint64_t)k * (uint64_t)rows + (uint64_t)y) * (uint64_t)n + (uint64_t)x,
                         .a_W = box_first ? at : below,
                         .b_W = box_first ? below : at,
                         .n_W = box_first ? perp_v3_neg(b->n) : b->n,
                         .gap = gap};
            pp_contact_fill(f, &p, &f->contacts.at[f->contacts.n], f->contacts.shape + 2 * f->contacts.n);
            perp_status st =
                law_of(f, &f->collide.placed[b->i], &f->collide.placed[b->j], area, &b->soft[f->contacts.n]);
            if (st) return st;
            f->contacts.n++;
        }
    return PERP_OK;
}

/* Adds all elements between the placed shapes i and j. */
static perp_status put_foundation(pp_frame *f, const pp_first_order *set, int i, int j, pp_soft_contact *soft) {
    const pp_placed *A = &f->collide.placed[i], *B = &f->collide.placed[j];
    const pp_placed *plane = A->g->kind == PERP_SHAPE_HALFSPACE ? A : B, *box = plane == A ? B : A;
    if (plane->g->kind != PERP_SHAPE_HALFSPACE || box->g->kind != PERP_SHAPE_BOX)
        return pp_fail(f->w, PERP_E_FIT,
                       "compliance foundation is for boxes on half-spaces; shapes %d and %d are %s and %s", A->slot,
                       B->slot, shape_word(A->g->kind), shape_word(B->g->kind));
    foundation b = {.f = f,
                    .soft = soft,
                    .i = i,
                    .j = j,
                    .box = box,
                    .n = perp_q_rotate(plane->X_WS.q, plane->g->normal),
                    .through = perp_pose_apply(plane->X_WS, perp_v3_scale(plane->g->offset, plane->g->normal)),
                    .reach = A->reach + B->reach,
                    .per_edge = set->elements};
    perp_status st = PERP_OK;
    for (int k = 0; !st && k < box->g->nface; k++) st = put_face(&b, k);
    return st;
}

static bool on_foundation(const pp_frame *f, const pp_pair *p) {
    return pp_contact_law(f->w, f->collide.placed[p->i].slot, f->collide.placed[p->j].slot).compliance ==
           PERP_FOUNDATION;
}

/* Is this the same pair of shapes as in the entry before? Pairs are sorted by shape. */
static bool repeats(const pp_pair_list *list, int k) {
    return k > 0 && list->pair[k - 1].i == list->pair[k].i && list->pair[k - 1].j == list->pair[k].j;
}

perp_status pp_first_order_contacts(pp_frame *f, const pp_first_order *set, pp_soft_contact **soft) {
    perp_world *w = f->w;
    const pp_pair_list *list = &w->found.pairs;
    int most = 0, cells = set->elements * (w->def.dim == 3 ? set->elements : 1);
    for (int k = 0; k < list->n; k++) /* at most dim faces of a box face the plane */
        most += !on_foundation(f, &list->pair[k]) ? 1 : repeats(list, k) ? 0 : w->def.dim * cells;
    perp_status st = pp_contact_room(f, most);
    if (st) return st;
    *soft = PP_ARENA_ARRAY(&w->arena, pp_soft_contact, most);
    if (!*soft) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", most);
    for (int k = 0; !st && k < list->n; k++) {
        const pp_pair *p = &list->pair[k];
        if (on_foundation(f, p)) {
            if (!repeats(list, k)) st = put_foundation(f, set, p->i, p->j, *soft);
            continue;
        }
        pp_contact_fill(f, p, &f->contacts.at[f->contacts.n], f->contacts.shape + 2 * f->contacts.n);
        st = law_of(f, &f->collide.placed[p->i], &f->collide.placed[p->j], 0, &(*soft)[f->contacts.n]);
        f->contacts.n++;
    }
    return st;
}

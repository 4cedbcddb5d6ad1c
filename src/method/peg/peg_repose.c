/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_repose.c - poses the contacts of a converged step again at other poses
 *
 * Problem  As long as the contacts of a converged step stay on their features, they are functions of the start and end poses: the points
 *          and normals of the impulses, and the gaps at the end.
 * Method   The same functions as in peg_rows.c are used, on the planes and features of the rows of the last round. The gradient of an
 *          end gap is that of the distance of two surfaces, n.(v_B - v_A) at the contact. This holds for a vertex on a face, for two
 *          edges with a normal perpendicular to both, and for curved surfaces at their nearest points. For two edges with another normal
 *          differences are used.
 * Cost     All shapes are placed twice in each call. */
#include "method/peg/peg_repose.h"

#include <string.h>

#include "base/rounding.h"
#include "stage/collide/contact_fill.h"
#include "stage/control/control.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1 or rad] Displacement as a fraction of the size, or angle, by which bodies are moved for difference quotients. */
#define SHIFT 1e-5

perp_status pp_peg_again_new(pp_frame *f, const int *row, int n, pp_peg_repose *out) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    *out = (pp_peg_repose){.k = {.f = f, .m = w->found.peg},
                           .row = row,
                           .n = n,
                           .nplaced = f->collide.nplaced,
                           .linear = f->method.posed_linear};
    if (n == 0) return PERP_OK;
    pp_peg_work *k = &out->k;
    const struct pp_peg *m = w->found.peg;
    out->placed = PP_ARENA_ARRAY(a, pp_placed, f->collide.nplaced);
    out->pair = PP_ARENA_ARRAY(a, int, n);
    out->end = PP_ARENA_ARRAY(a, pp_end_touch, n);
    out->allowance = PP_ARENA_ARRAY(a, double, n);
    perp_status st = pp_state_new(w, &k->end_state);
    if (!st) st = pp_poses_new(k, &k->force);
    if (!st) st = pp_poses_new(k, &k->end);
    if (st) return st;
    if (!out->placed || !out->pair || !out->end || !out->allowance ||
        !pp_touches_new(&k->touches, f->collide.nplaced, f->collide.placed, a))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", n);
    memcpy(out->placed, f->collide.placed, (size_t)f->collide.nplaced * sizeof *out->placed);
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        for (int c = 0; p->active && c < n; c++)
            if (row[c] >= p->first && row[c] < p->first + p->nrow) out->pair[c] = i;
    }
    for (int c = 0; c < n; c++) out->allowance[c] = f->demand.allowance ? f->demand.allowance[row[c]] : 0;
    return PERP_OK;
}

/* The contact of a curved pair on a feature, at given poses. */
static bool round_touch(pp_peg_work *k, const pp_peg_pair *p, const pp_poses *at, uint64_t feature, pp_touch *out) {
    (void)pp_peg_round(k, &at->solid[p->i], &at->solid[p->j]);
    const pp_pair_list *l = &k->m->round;
    for (int c = 0; c < l->n; c++) {
        const pp_pair *x = &l->pair[c];
        if (x->feature != feature) continue;
        *out = (pp_touch){.feature = feature, .a = x->a_W, .b = x->b_W, .n = x->n_W, .gap = x->gap};
        return true;
    }
    return false;
}

/* Finds contact i at the poses where its impulse acts, and at the end. */
static bool place(pp_peg_repose *a, int i, pp_touch *force) {
    pp_peg_work *k = &a->k;
    const pp_peg_pair *p = &k->m->pair[a->pair[i]];
    const pp_peg_row *r = &k->m->row[a->row[i]];
    pp_touch *end = &a->end[i].at;
    a->end[i].gap_holds = !a->linear && !r->bounces;
    if (p->kind == PP_PAIR_ROUND)
        return round_touch(k, p, &k->force, r->feature, force) && round_touch(k, p, &k->end, r->feature, end);
    const bool moves[2] = {a->placed[p->i].moves, a->placed[p->j].moves};
    const pp_solid *A = &k->force.solid[p->i], *B = &k->force.solid[p->j];
    *force = r->flat == PP_NO_PLANE ? pp_touch_at(A, B, r->plane, r->feature)
                                    : pp_touch_push(A, B, r->plane, r->feature, r->flat, moves);
    *end = pp_touch_at(&k->end.solid[p->i], &k->end.solid[p->j], r->plane, r->feature);
    return isfinite(force->gap) && isfinite(end->gap);
}

perp_status pp_peg_pose_again(pp_peg_repose *a, pp_frame *g, const double *nu) {
    perp_world *w = g->w;
    pp_peg_work *k = &a->k;
    perp_status st = pp_contact_room(g, a->n);
    if (st || a->n == 0) return st;
    double *gap = PP_ARENA_ARRAY(&w->arena, double, a->n);
    if (!gap) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", a->n);
    k->f = g;
    g->collide.placed = a->placed;
    g->collide.nplaced = a->nplaced;
    pp_poses_set(k, g->s1);
    pp_poses_place(k, &k->force, g->s1);
    pp_state_copy(w, &k->end_state, g->s1);
    for (int b = 0; b < g->control.nblock; b++)
        if (!pp_move_block(g, b, g->s0, nu + g->control.block_offset[b], g->h, &k->end_state, NULL))
            return pp_fail(w, PERP_E_FIT, "no derivative at the modes: a body turns too far in one step");
    pp_poses_place(k, &k->end, &k->end_state);
    for (int i = 0; i < a->n; i++) {
        const pp_peg_pair *p = &k->m->pair[a->pair[i]];
        pp_touch t;
        if (!place(a, i, &t))
            return pp_fail(w, k->touches.memory ? PERP_E_MEMORY : PERP_E_FIT,
                           "no derivative at the modes: a contact is about to leave its features");
        pp_pair touch = {p->i, p->j, t.feature, t.a, t.b, t.n, t.gap};
        pp_contact_fill(g, &touch, &g->contacts.at[i], g->contacts.shape + 2 * i);
        gap[i] = a->linear ? NAN : a->end[i].at.gap;
    }
    g->contacts.n = a->n;
    g->demand.end_gap = gap;
    g->demand.allowance = a->allowance;
    g->demand.end_nu = nu;
    g->demand.end_state = &k->end_state;
    return PERP_OK;
}

/* Is the normal of a contact perpendicular to both surfaces? For curved pairs and faces it is. */
static bool is_square(const pp_peg_repose *a, int i) {
    const pp_peg_work *k = &a->k;
    const pp_peg_pair *p = &k->m->pair[a->pair[i]];
    const pp_touch *t = &a->end[i].at;
    if (p->kind == PP_PAIR_ROUND || pp_feature_kind(t->feature) != PP_EDGE_EDGE) return true;
    const pp_solid *const s[2] = {&k->end.solid[p->i], &k->end.solid[p->j]};
    const int edge[2] = {pp_feature_a(t->feature), pp_feature_b(t->feature)};
    for (int c = 0; c < 2; c++) {
        const int *e = s[c]->g->edge[edge[c]];
        perp_vec3 d = perp_v3_unit(perp_v3_sub(s[c]->v[e[1]], s[c]->v[e[0]]));
        if (!(fabs(perp_v3_dot(d, t->n)) <= PP_NEGLIGIBLE)) return false;
    }
    return true;
}

/* The end gap after a body was moved by `by` in its c-th degree of freedom. */
static double moved_gap(pp_peg_repose *a, int i, int body, int c, double by) {
    pp_peg_work *k = &a->k;
    const pp_peg_pair *p = &k->m->pair[a->pair[i]];
    const pp_peg_row *r = &k->m->row[a->row[i]];
    perp_pose X = k->end_state.X[body];
    double d[6] = {0};
    d[c] = by;
    k->end_state.X[body] = (perp_pose){perp_v3_add(X.p, perp_v3(d[0], d[1], d[2])),
                                       perp_q_unit(perp_q_mul(perp_q_exp(perp_v3(d[3], d[4], d[5])), X.q))};
    pp_poses_place(k, &k->end, &k->end_state);
    double gap = pp_touch_at(&k->end.solid[p->i], &k->end.solid[p->j], r->plane, r->feature).gap;
    k->end_state.X[body] = X;
    return gap;
}

void pp_peg_end_gradient(pp_peg_repose *a, int i, int side, double gradient[6]) {
    pp_peg_work *k = &a->k;
    const pp_peg_pair *p = &k->m->pair[a->pair[i]];
    const pp_touch *t = &a->end[i].at;
    int body = a->placed[side ? p->j : p->i].body;
    if (is_square(a, i)) {
        perp_vec3 r = perp_v3_sub(side ? t->b : t->a, k->end_state.X[body].p), m = perp_v3_cross(r, t->n);
        double sign = side ? 1 : -1;
        const double g[6] = {t->n.x, t->n.y, t->n.z, m.x, m.y, m.z};
        for (int c = 0; c < 6; c++) gradient[c] = sign * g[c];
        return;
    }
    for (int c = 0; c < 6; c++) {
        double by = c < 3 ? SHIFT * p->size : SHIFT;
        gradient[c] = (moved_gap(a, i, body, c, by) - moved_gap(a, i, body, c, -by)) / (2 * by);
    }
    pp_poses_place(k, &k->end, &k->end_state);
}

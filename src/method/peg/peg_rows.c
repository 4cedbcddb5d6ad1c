/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_rows.c - rows of active pairs: contacts at the poses where impulses act, and their gaps at the end of the step
 *
 * Method   A row stays in the problem as long as its contact lies on its features at the end pose. All rows of a pair belong to one
 *          plane, or to planes that nearly coincide. */
#include "stage/collide/contact_fill.h"
#include "method/peg/peg.h"
#include "stage/pose/rebound.h"
#include "stage/pose/slip.h"

#include <string.h>

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Penetration that may be undone in a substep, as a fraction of the distance that bodies move in it. Of their
 * energy it is the square of this. Half and double: no effect. */
#define LEAVES 1e-3
/* [1] Two normals count as equal if their cosines to a third one differ by less than this. */
#define ALIKE 1e-6
/* [1] Two planes make one patch if the cosine of their angle exceeds this. Half: no effect; double: work +3 %. */
#define FACING 0.95

/* [1] A crossing that lies further beyond the ends of its edges than this many times the size of the smaller shape is not where bodies push. */
#define OFF_EDGES 3.0

static const pp_poses *force_poses(const pp_peg_work *k) { return k->mode.symmetric ? &k->end : &k->force; }

/* Is this a round with impulses at the end poses (geometry `end`)? The first round has no end poses yet. */
static bool acts_at_end(const pp_peg_work *k) { return k->at_end && k->mode.symmetric; }

static bool row_room(pp_peg_work *k, int need) {
    struct pp_peg *m = k->m;
    return PP_GROW(&k->f->w->alloc, m->new_row, m->cap_new_row, m->nrow, need);
}

/* Contacts of a curved pair at some poses, in k->m->round. */
static void round_at(pp_peg_work *k, const pp_peg_pair *p, const pp_poses *at) {
    (void)pp_peg_round(k, &at->solid[p->i], &at->solid[p->j]);
}

static const pp_pair *matching(const pp_pair_list *l, uint64_t feature) {
    const pp_pair *deepest = NULL;
    for (int c = 0; c < l->n; c++) {
        if (l->pair[c].feature == feature) return &l->pair[c];
        if (!deepest || l->pair[c].gap < deepest->gap) deepest = &l->pair[c];
    }
    return deepest;
}

/* The deepest contact at the end may lie on a feature that had no row at the start (a capsule that rotated). Then the
 * row with the most similar normal takes its gap, unless a row has it already. Among similar rows the nearest one is
 * taken. */
static void answer_for_deepest(const pp_pair_list *l, const pp_peg_pair *p, pp_peg_row *row) {
    const pp_pair *deepest = matching(l, PP_NO_PLANE);
    int best = -1;
    double most = 0.3, nearest = INFINITY;
    for (int r = 0; deepest && r < p->nrow; r++) {
        double like = perp_v3_dot(deepest->n_W, row[r].n), far = perp_v3_norm(perp_v3_sub(deepest->a_W, row[r].a));
        if (row[r].feature == deepest->feature || row[r].gap1 <= deepest->gap) return;
        if (like < most - ALIKE || (like <= most + ALIKE && !(far < nearest))) continue;
        most = like;
        nearest = far;
        best = r;
    }
    if (best >= 0) row[best].gap1 = fmin(row[best].gap1, deepest->gap);
}

static void round_gaps(pp_peg_work *k, const pp_peg_pair *p, pp_peg_row *row) {
    round_at(k, p, &k->end);
    for (int r = 0; r < p->nrow; r++) {
        const pp_pair *c = matching(&k->m->round, row[r].feature);
        bool through = !c || perp_v3_dot(c->n_W, row[r].n) < 0.3;
        row[r].gap1 = through ? NAN : c->gap;
        row[r].off1 = 0;
    }
    answer_for_deepest(&k->m->round, p, row);
}

/* The features of a row at these poses. Two edges may cross at the end of the step and be parallel here, or nearly: then their lines cross far
 * away, and the points that meet at the end are taken. */
static pp_touch touch_of(pp_peg_work *k, const pp_peg_pair *p, const pp_peg_row *r, const pp_poses *at, pp_plane flat) {
    const pp_solid *A = &at->solid[p->i], *B = &at->solid[p->j];
    const bool moves[2] = {k->f->collide.placed[p->i].moves, k->f->collide.placed[p->j].moves};
    pp_touch t = flat == PP_NO_PLANE ? pp_touch_at(A, B, r->plane, r->feature)
                                     : pp_touch_push(A, B, r->plane, r->feature, flat, moves);
    if (pp_feature_kind(r->feature) == PP_EDGE_EDGE && at != &k->end && !(t.off <= OFF_EDGES * p->size))
        pp_touch_carry(&t, A, B, &k->end.solid[p->i], &k->end.solid[p->j], r->plane);
    return t;
}

/* Sets where the impulse of a row acts, and its gap at the start. */
static void place_row(pp_peg_work *k, const pp_peg_pair *p, pp_peg_row *r) {
    const pp_poses *at = force_poses(k);
    pp_touch t = touch_of(k, p, r, at, r->flat);
    r->a = t.a;
    r->b = t.b;
    r->n = t.n;
    r->gap = t.gap;
    r->slip[0] = NAN;
    r->gap0 = k->mode.symmetric || at->state != k->start.state ? touch_of(k, p, r, &k->start, PP_NO_PLANE).gap : t.gap;
    if (!acts_at_end(k)) return;
    r->gap1 = t.gap;
    r->off1 = t.off;
    r->gap = touch_of(k, p, r, &k->force, PP_NO_PLANE).gap;
}

static void end_gap(pp_peg_work *k, const pp_peg_pair *p, pp_peg_row *r) {
    pp_touch t = pp_touch_at(&k->end.solid[p->i], &k->end.solid[p->j], r->plane, r->feature);
    r->gap1 = t.gap;
    r->off1 = t.off;
    r->at1 = perp_v3_scale(0.5, perp_v3_add(t.a, t.b));
}

void pp_peg_measure_slips(pp_peg_work *k) {
    const pp_frame *f = k->f;
    for (int r = 0; r < k->m->nrow; r++) {
        pp_peg_row *row = &k->m->row[r];
        pp_slip_terms now = pp_slip_terms_at(f, r, f->solve.solution.nu, k->at_end ? NULL : &k->end_state);
        memcpy(row->posed_slip, f->pose.slip[r].b, sizeof row->posed_slip);
        if (row->history > 0 && isnan(row->slip[0])) /* posed plainly, as the next round needs to know */
            memcpy(row->old_target[0] + 1, row->posed_slip, (PP_PEG_ITERATED - 1) * sizeof *row->posed_slip);
        memcpy(row->slip, now.b, sizeof row->slip);
    }
}

double pp_peg_slip_error(const pp_peg_work *k) {
    double most = 0;
    for (int r = 0; r < k->m->nrow; r++) {
        const pp_peg_row *row = &k->m->row[r];
        for (int c = 0; row->push > 0 && c < k->f->w->def.dim - 1; c++)
            most = fmax(most, fabs(row->slip[c] - row->posed_slip[c]));
    }
    return most * k->f->h;
}

void pp_peg_row_gaps(pp_peg_work *k) {
    struct pp_peg *m = k->m;
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        if (!p->active || p->nrow == 0) continue;
        if (p->kind == PP_PAIR_ROUND) {
            round_gaps(k, p, m->row + p->first);
            continue;
        }
        for (int r = 0; r < p->nrow; r++) end_gap(k, p, &m->row[p->first + r]);
    }
}

/* Inserts a row into the new list, in the order of features. */
static void insert(pp_peg_row *row, int *n, pp_peg_row x) {
    int at = *n;
    for (; at > 0 && row[at - 1].feature > x.feature; at--) row[at] = row[at - 1];
    row[at] = x;
    (*n)++;
}

static bool listed(const pp_peg_row *row, int n, uint64_t feature) {
    for (int i = 0; i < n; i++)
        if (row[i].feature == feature) return true;
    return false;
}

static perp_status round_rows(pp_peg_work *k, pp_peg_pair *p, int first, bool old_ones) {
    struct pp_peg *m = k->m;
    const pp_peg_row *old = m->row ? m->row + p->first : NULL; /* arithmetic on NULL is not allowed */
    int nold = old && old_ones ? p->nrow : 0, n = 0;
    double start = pp_peg_start_gap(k, p); /* compute now, because it uses the same list */
    round_at(k, p, force_poses(k));
    if (!row_room(k, first + m->round.n)) return PERP_E_MEMORY;
    for (int c = 0; c < m->round.n; c++) {
        const pp_pair *t = &m->round.pair[c];
        pp_peg_row r = {.feature = t->feature,
                        .plane = PP_ROUND_PLANE,
                        .gap1 = NAN,
                        .fresh = true,
                        .flat = PP_NO_PLANE,
                        .slip = {NAN}};
        for (int o = 0; o < nold; o++)
            if (old[o].feature == t->feature) r = old[o];
        r.a = t->a_W;
        r.b = t->b_W;
        r.n = t->n_W;
        r.gap = t->gap;
        r.gap0 = fmax(t->gap, start); /* without the motion of a driven body */
        if (acts_at_end(k)) r.gap1 = t->gap, r.off1 = 0;
        insert(m->new_row + first, &n, r);
    }
    p->nrow = n;
    if (!acts_at_end(k)) return PERP_OK;
    round_at(k, p, &k->force);
    for (int r = first; r < first + n; r++) {
        const pp_pair *c = matching(&m->round, m->new_row[r].feature);
        m->new_row[r].gap = c ? c->gap : start;
        m->new_row[r].gap0 = fmax(m->new_row[r].gap, start);
    }
    return PERP_OK;
}

/* May rows of two planes belong to one patch? If two faces nearly face each other, yes: a face that lands on another
 * one touches it at both ends, each time on the face of the other shape. */
static bool one_patch(const pp_peg_work *k, const pp_peg_pair *p, pp_plane a, pp_plane b) {
    if (a == b) return true;
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    return perp_v3_dot(pp_plane_normal(A, B, a), pp_plane_normal(A, B, b)) > FACING;
}

/* Depth from which a contact accounts for the penetration of its pair. With a loose tolerance, a contact within the
 * tolerance does not account for a deeper pair. */
static double significant_depth(const pp_peg_work *k, const pp_peg_pair *p) {
    return k->loose_tolerance ? fmin(-p->tol, 0.1 * p->gap1) : -p->tol / 2;
}

static bool one_is_violated(const pp_peg_work *k, const pp_peg_pair *p) {
    double deep = significant_depth(k, p);
    for (int c = 0; c < k->touches.n; c++)
        if (k->touches.at[c].gap < deep) return true;
    for (int r = 0; r < p->nrow; r++)
        if (k->m->row[p->first + r].gap1 < deep) return true;
    return false;
}

/* Adds contacts for a penetration that no row accounts for, because the rows belong to a plane that is not the closest
 * to separation, or lie beside the overlap. */
static void add_uncovered_overlap(pp_peg_work *k, const pp_peg_pair *p, pp_plane *plane) {
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    if (p->kind != PP_PAIR_FLAT || one_is_violated(k, p)) return;
    *plane = pp_separate(A, B, PP_NO_PLANE, p->tol, INFINITY).plane;
    pp_touch_find(&k->touches, A, B, plane);
    if (one_is_violated(k, p)) return;
    pp_touch_deepest(&k->touches, A, B, *plane);
}

/* Two edges that are parallel at one of the poses have no crossing there. */
static bool crosses(const pp_peg_row *r) { return isfinite(r->gap) && isfinite(r->gap0) && !isinf(r->gap1); }

/* In mode `held`: is the row excluded because its plane did not separate the shapes at the start? */
static bool barred(pp_peg_work *k, pp_peg_pair *p, const pp_peg_row *r) {
    return k->mode.held && r->gap0 < fmin(0, pp_peg_start_gap(k, p)) - 10 * p->tol;
}

/* The search for contacts found another plane than the present one. Keep the present one? Yes, if the new one is not
 * better by more than the uncertainty of the motion, and a contact on the present one still carries an impulse. */
static bool stays(const pp_peg_work *k, const pp_peg_pair *p, const pp_poses *at, pp_plane found) {
    const pp_solid *A = &at->solid[p->i], *B = &at->solid[p->j];
    double slack = 3 * pp_peg_gap_error(k, p);
    if (found == p->plane || p->kind != PP_PAIR_FLAT) return false;
    if (pp_plane_gap(A, B, found) > pp_plane_gap(A, B, p->plane) + slack) return false;
    for (int r = p->first; r < p->first + p->nrow; r++) {
        const pp_peg_row *row = &k->m->row[r];
        if (row->plane == p->plane && row->push > 0 && row->off1 <= pp_peg_beside(k, p)) return true;
    }
    return false;
}

/* Is a contact so near to one of `n` rows with an impulse that the uncertainty of the motion does not distinguish them? */
static bool same_place(const pp_peg_work *k, const pp_peg_pair *p, const pp_touch *t, const pp_peg_row *row, int n) {
    double near = PP_PEG_NEXT * pp_peg_gap_error(k, p);
    for (int r = 0; near > 0 && r < n; r++) {
        if (!(row[r].push > 0) || row[r].plane != p->plane) continue;
        pp_touch at = pp_touch_at(&k->end.solid[p->i], &k->end.solid[p->j], row[r].plane, row[r].feature);
        if (perp_v3_norm(perp_v3_sub(at.a, t->a)) < near) return true;
    }
    return false;
}

static pp_peg_row new_row(pp_peg_work *k, const pp_peg_pair *p, const pp_poses *at, pp_plane plane, uint64_t feature) {
    pp_peg_row r = {.feature = feature, .plane = plane, .fresh = true, .flat = PP_NO_PLANE};
    place_row(k, p, &r);
    if (at == &k->end)
        end_gap(k, p, &r);
    else
        r.gap1 = NAN;
    return r;
}

/* If more than three corners of a face (2D: both) end closed, their impulses get one common direction. In 3D four such
 * rows are linearly dependent for a rigid body. In 2D the rule makes a planar scene equal to its 3D version. A single
 * corner, or an edge that a body tips over, keeps its own direction. A flat patch stays flat until it clearly is not,
 * because directions that change in each round would prevent convergence. */
static void make_flat(pp_peg_work *k, const pp_peg_pair *p, pp_peg_row *row, int n) {
    int closed = 0;
    bool was = false;
    for (int r = 0; r < n; r++) was |= row[r].flat != PP_NO_PLANE;
    double slack = was ? PP_PEG_NEXT : 1, most = slack * PP_PEG_NEXT * fmax(pp_peg_gap_error(k, p), p->tol);
    for (int r = 0; r < n; r++) closed += fabs(row[r].gap1) <= most;
    pp_plane flat = PP_NO_PLANE;
    if (closed > (k->f->w->def.dim == 3 ? 3 : 1))
        flat = pp_touch_flat(&k->end.solid[p->i], &k->end.solid[p->j], p->plane, slack);
    for (int r = 0; r < n; r++) {
        if (row[r].flat == flat) continue;
        row[r].flat = flat;
        row[r].history = 0;
        place_row(k, p, &row[r]);
    }
}

/* Makes the rows of a pair of polyhedra: old rows whose contact still lies on its features, and contacts found at the
 * poses `at`. In linear mode all old rows stay, so that two rows cannot alternate forever. */
static perp_status flat_rows(pp_peg_work *k, pp_peg_pair *p, int first, const pp_poses *at, bool renew) {
    struct pp_peg *m = k->m;
    const pp_peg_row *old = m->row ? m->row + p->first : NULL; /* arithmetic on NULL is not allowed */
    pp_plane plane = p->plane, held = plane;
    double beside = pp_peg_beside(k, p);
    k->touches.n = 0;
    if (renew && p->meet > 0) { /* at the end they are behind each other */
        pp_poses_between(k, p->i, p->j, p->meet);
        pp_touch_find(&k->touches, &k->probe[0], &k->probe[1], &plane);
        p->meet = 0;
    } else if (renew) {
        pp_touch_find(&k->touches, &at->solid[p->i], &at->solid[p->j], &plane);
        if (stays(k, p, at, plane)) {
            k->touches.n = 0;
            plane = held;
        }
    }
    if (renew && at == &k->end && p->gap1 < -p->tol) add_uncovered_overlap(k, p, &plane);
    if (!row_room(k, first + p->nrow + k->touches.n + 2)) return PERP_E_MEMORY;
    int n = 0;
    p->plane = plane;
    for (int o = 0; old && o < p->nrow; o++)
        if (!renew || k->mode.linear || (old[o].off1 <= beside && one_patch(k, p, old[o].plane, plane))) {
            pp_peg_row r = old[o];
            if (k->mode.symmetric) place_row(k, p, &r);
            if (crosses(&r)) insert(m->new_row + first, &n, r);
        }
    int kept = n;
    for (int c = 0; c < k->touches.n; c++) {
        if (listed(m->new_row + first, n, k->touches.at[c].feature)) continue;
        if (at == &k->end && same_place(k, p, &k->touches.at[c], m->new_row + first, kept)) continue;
        pp_peg_row r = new_row(k, p, at, plane, k->touches.at[c].feature);
        if (crosses(&r) && !barred(k, p, &r)) insert(m->new_row + first, &n, r);
    }
    if (renew && n == 0 && k->mode.held) { /* use the deepest point over the old plane */
        pp_touch_deepest(&k->touches, &at->solid[p->i], &at->solid[p->j], held);
        p->plane = held;
        for (int c = 0; c < k->touches.n; c++) {
            pp_peg_row r = new_row(k, p, at, held, k->touches.at[c].feature);
            if (crosses(&r)) insert(m->new_row + first, &n, r);
        }
    }
    make_flat(k, p, m->new_row + first, n);
    p->nrow = n;
    return PERP_OK;
}

perp_status pp_peg_rows(pp_peg_work *k, const pp_poses *at, const bool *renew) {
    struct pp_peg *m = k->m;
    int n = 0;
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (!p->active) {
            p->nrow = 0;
            continue;
        }
        int nrow = m->nrow;
        m->nrow = n; /* rows that row_room must keep */
        st = p->kind == PP_PAIR_ROUND ? round_rows(k, p, n, true) : flat_rows(k, p, n, at, renew[i]);
        m->nrow = nrow;
        p->first = n;
        n += p->nrow;
    }
    if (st || k->touches.memory) return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts");
    pp_peg_row *swap = m->row;
    int cap = m->cap_row;
    m->row = m->new_row;
    m->cap_row = m->cap_new_row;
    m->new_row = swap;
    m->cap_new_row = cap;
    m->nrow = n;
    return PERP_OK;
}

/* Speed at which a penetrating pair separates [L/T]. Bodies that a drive jams penetrate it again and again. The
 * separation speed is energy that the contact adds, so it is bounded by the speed of half a step of fall. */
static double leaving_speed(const pp_peg_work *k, const pp_peg_pair *p) {
    const perp_world *w = k->f->w;
    double g = perp_v3_norm(w->def.gravity_W), placed = pp_recovery_speed(w, p->size);
    if (!pp_peg_has_driver(k, p)) return placed;
    if (k->f->demand.rebounds && k->f->demand.rebounds->jam_stays) return 0;
    return g > 0 ? fmin(placed, 0.5 * g * w->def.h) : placed;
}

/* Penetration that a pair may keep at the end. For a pair placed in penetration: the amount that it cannot leave at a
 * moderate speed. In relaxed rounds: all that it had. In a substep: all except its share, or except what a small
 * fraction of the present speeds undoes, because a penetration of 1e-9 that is undone within 1e-9 of a step would be an
 * impact. */
static double allowance(pp_peg_work *k, pp_peg_pair *p, const pp_peg_row *r) {
    const pp_frame *f = k->f;
    double overlap = -pp_peg_start_gap(k, p), share = fmin(1, f->h / f->w->def.h);
    if (pp_peg_placed_in_penetration(k, p)) {
        double deep = fmax(overlap, -r->gap0), way = leaving_speed(k, p) * f->h;
        return fmax(0, deep - (share < 1 ? fmin(way, fmax(share * deep, LEAVES * k->reach)) : way));
    }
    if (k->mode.relaxed) return fmax(0, overlap);
    if (overlap > 0 && share < 1) return fmax(0, overlap - fmax(share * overlap, LEAVES * k->reach));
    /* penetration within the tolerance of the previous step stays: correcting it would disturb resting bodies */
    if (k->loose_tolerance && r->gap0 <= p->tol) return fmin(-r->gap0, p->tol);
    return 0;
}

static void put_contact(const pp_peg_work *k, int at, const pp_peg_pair *p, const pp_peg_row *r) {
    pp_frame *f = k->f;
    pp_pair touch = {p->i, p->j, r->feature, r->a, r->b, r->n, r->gap};
    pp_contact_fill(f, &touch, &f->contacts.at[at], f->contacts.shape + 2 * at);
    f->contacts.plane[at] = r->plane;
}

/* End gap with which a row is posed; NAN: the gap at the start. */
static double posed_gap(const pp_peg_work *k, const pp_peg_pair *p, const pp_peg_row *r) {
    if (acts_at_end(k)) {
        const pp_geometry *const g[2] = {k->f->collide.placed[p->i].g, k->f->collide.placed[p->j].g};
        return pp_end_demand(k->f, g, r->b, r->gap, r->gap1);
    }
    if (k->mode.symmetric && isnan(r->gap1)) return r->gap;
    bool at_start = k->linear || (p->kind == PP_PAIR_ROUND && r->fresh);
    return at_start ? NAN : r->gap1;
}

perp_status pp_peg_contacts(pp_peg_work *k) {
    pp_frame *f = k->f;
    struct pp_peg *m = k->m;
    pp_arena *arena = &f->w->arena;
    int n = m->nrow;
    perp_status st = pp_contact_room(f, n);
    if (st) return st;
    f->contacts.plane = PP_ARENA_ARRAY(arena, uint64_t, n);
    double *end = PP_ARENA_ARRAY(arena, double, n), *allow = PP_ARENA_ARRAY(arena, double, n),
           *slip = PP_ARENA_ARRAY(arena, double, PP_FRICTION_ROWS *n);
    if (!f->contacts.plane || !end || !allow || !slip)
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", n);
    if (k->at_end) pp_poses_set(k, acts_at_end(k) ? &k->end_state : f->s1);
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            pp_peg_row *row = &m->row[r];
            put_contact(k, r, p, row);
            end[r] = k->now.same_gaps && !k->linear ? row->offset + pp_peg_opening(k, p, row) : posed_gap(k, p, row);
            allow[r] = allowance(k, p, row);
            memcpy(slip + PP_FRICTION_ROWS * r, k->now.same_gaps && !isnan(row->slip[0]) ? row->posed_slip : row->slip,
                   sizeof row->slip);
        }
    }
    if (!k->linear && !acts_at_end(k) && !k->now.same_gaps &&
        (!pp_peg_even_patch_gaps(k, end, allow) || (!k->mode.symmetric && !pp_peg_mix(k, end, allow, slip))))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", n);
    f->contacts.n = n;
    f->demand.end_gap = end;
    f->demand.slip = k->linear || k->at_end || k->mode.symmetric ? NULL : slip;
    f->demand.allowance = allow;
    f->demand.end_nu = m->nu;
    f->demand.end_state = k->now.moved && !k->at_end ? &k->end_state : NULL;
    f->demand.levers = k->mode.symmetric ? &k->end_state : f->task.half ? f->s0 : NULL;
    return PERP_OK;
}

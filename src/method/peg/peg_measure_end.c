/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_measure_end.c - measures the end poses of a round: gap errors, planes to change, pairs to add. model_peg.c
 * describes the whole method. */
#include <string.h>

#include "method/peg/peg.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [switches] Number of times that a pair may change its plane in a substep. Half: other bits only; double: work +1 %. */
#define MAX_SWITCHES 6
/* [searches] Number of searches for contacts on the plane of a pair after its contact left its features. */
#define MAX_LOOKS 2

static double demanded(const pp_peg_work *k, int row) {
    return k->f->demand.allowance ? -k->f->demand.allowance[row] : 0;
}

/* Gap error of a row at the end. For a row that rebounds, opening is no error. */
static double missed(const pp_peg_work *k, int r) {
    double miss = k->m->row[r].gap1 - demanded(k, r);
    return k->m->row[r].bounces ? fmin(0, miss) : miss;
}

/* Checks the end gaps of the rows of a pair. Returns true if a row with an impulse left its features. */
static bool check_rows(const pp_peg_work *k, const pp_peg_pair *p, pp_peg_findings *found) {
    bool off = false;
    double beside = pp_peg_beside(k, p);
    for (int r = p->first; r < p->first + p->nrow; r++) {
        const pp_peg_row *row = &k->m->row[r];
        double miss = missed(k, r);
        if (row->bounces && !(miss < -p->tol)) continue;
        if (row->push > 0 || miss < 0) found->worst = fmax(found->worst, fabs(miss));
        if (!(miss >= -p->tol) && !(isnan(row->gap1) && row->push == 0)) found->moved = true;
        if (row->push > 0) {
            if (!(fabs(miss) <= 10 * p->tol)) found->moved = true;
            if (row->off1 > beside) off = true;
        }
    }
    return off;
}

/* Computes the largest gap error of each body. */
static void measure_gap_errors(pp_peg_work *k) {
    const struct pp_peg *m = k->m;
    memset(k->gap_error, 0, (size_t)k->f->w->nbody * sizeof *k->gap_error);
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            double miss = missed(k, r);
            if (m->row[r].bounces ? !(miss < -p->tol) : !(m->row[r].push > 0 || miss < 0)) continue;
            for (int s = 0; s < 2; s++) {
                double *a = &k->gap_error[k->f->collide.placed[s ? p->j : p->i].body];
                *a = fmax(*a, fabs(miss));
            }
        }
    }
}

/* Largest gap error of the rows with an impulse: how far the geometry is from convergence. */
static double unsettled(const pp_peg_work *k, const pp_peg_pair *p) {
    double worst = 0;
    for (int r = p->first; r < p->first + p->nrow; r++)
        if (k->m->row[r].push > 0) worst = fmax(worst, fabs(k->m->row[r].gap1 - demanded(k, r)));
    return worst;
}

static bool may_bounce(const pp_peg_work *k, const pp_peg_pair *p) {
    for (int r = p->first; r < p->first + p->nrow; r++)
        if (k->m->row[r].bounces) return true;
    return false;
}

/* For a pair that has an impulse although it is apart: switches to the plane with the largest separation, if allowed. */
static void switch_plane(pp_peg_work *k, pp_peg_pair *p, bool *renew, pp_peg_findings *found) {
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    pp_plane to = pp_separate(A, B, PP_NO_PLANE, p->tol, INFINITY).plane;
    if (to == p->plane) return;
    if (k->mode.held && pp_plane_gap(&k->start.solid[p->i], &k->start.solid[p->j], to) < -p->tol) return;
    if (++p->switches > MAX_SWITCHES) {
        found->stuck = true;
        return;
    }
    p->plane = to;
    p->nrow = 0;
    *renew = true;
    found->switched++;
}

/* Separation above which a pair with an impulse counts as apart. If the tolerance is loose and the contact has left its
 * features, a smaller separation is enough, because nothing is left that could push. If the search for other contacts
 * on its plane found none MAX_LOOKS times, any plane on which the shapes do not overlap is enough. */
static double apart_limit(const pp_peg_work *k, const pp_peg_pair *p) {
    for (int r = p->first; k->loose_tolerance && r < p->first + p->nrow; r++)
        if (k->m->row[r].push > 0 && k->m->row[r].off1 > pp_peg_offset_max(k, p))
            return p->renewals > MAX_LOOKS ? -p->tol : 2 * p->tol;
    return 100 * p->tol;
}

static void check_active_pair(pp_peg_work *k, pp_peg_pair *p, bool *renew, pp_peg_findings *found) {
    pp_peg_measure(k, p);
    double allowed = p->nrow ? fmax(0, -demanded(k, p->first)) : 0;
    for (int r = p->first; r < p->first + p->nrow; r++) allowed = fmax(allowed, -demanded(k, r));
    if (p->kind == PP_PAIR_FLAT && p->pushed && p->gap1 > apart_limit(k, p) && p->gap1 > 3 * unsettled(k, p) &&
        !k->linear && !may_bounce(k, p)) {
        switch_plane(k, p, renew, found);
        if (*renew) return;
    }
    bool off = check_rows(k, p, found);
    if (p->kind == PP_PAIR_ROUND) return;
    if (off || p->gap1 < -p->tol - allowed) {
        /* rows that are linearised at the start need not separate a pair completely */
        if (k->linear && ++p->switches > MAX_SWITCHES) return;
        *renew = true;
        p->renewals++;
        found->renewed++;
    }
}

/* Separation below which a pair is added together with overlapping pairs. A pair without planes to choose from may get
 * a row early. The row has no effect unless other contacts push the shapes together, and then it saves a round. */
static double near(const pp_peg_work *k, const pp_peg_pair *p) {
    return k->loose_tolerance && p->kind != PP_PAIR_FLAT && !k->linear ? pp_peg_near(k, p) : -p->tol;
}

void pp_peg_add_pairs_of_free_motion(pp_peg_work *k) {
    struct pp_peg *m = k->m;
    if (!k->loose_tolerance || k->linear) return;
    pp_free_velocity(k->f, m->nu);
    pp_poses_advance(k, m->nu);
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (p->active || p->kind == PP_PAIR_FLAT) continue;
        pp_peg_measure(k, p);
        p->active = p->gap1 < near(k, p);
    }
}

static bool may_wait(const pp_peg_work *k, const pp_peg_pair *p) {
    return !k->loose_tolerance || p->kind == PP_PAIR_FLAT;
}

/* Adds pairs that overlap at the end or passed through each other. Pairs that touched at the start come first. The
 * others are added only if there are none of those, because they may no longer meet. */
static void add_pairs(pp_peg_work *k, bool *renew, pp_peg_findings *found) {
    struct pp_peg *m = k->m;
    bool touched = false, any = false;
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (p->active) continue;
        pp_peg_measure(k, p);
        if (!(p->gap1 < -p->tol)) continue;
        any = true;
        if (may_wait(k, p) && pp_peg_start_gap(k, p) <= PP_PEG_TOUCHING * p->size) touched = true;
    }
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (p->active) continue;
        pp_plane plane = PP_NO_PLANE;
        bool meets = p->gap1 < (any ? near(k, p) : -p->tol);
        if (!meets && !pp_peg_tunnels(k, p, false, &plane)) continue;
        if (touched && may_wait(k, p) && pp_peg_start_gap(k, p) > PP_PEG_TOUCHING * p->size) continue;
        p->plane = meets ? pp_peg_first_plane(k, p) : plane;
        p->active = renew[i] = true;
        p->nrow = 0;
        found->added++;
    }
}

perp_status pp_peg_measure_end(pp_peg_work *k, bool *renew, pp_peg_findings *found) {
    struct pp_peg *m = k->m;
    *found = (pp_peg_findings){0};
    memset(renew, 0, (size_t)m->npair * sizeof *renew);
    pp_peg_row_gaps(k);
    measure_gap_errors(k);
    for (int i = 0; i < m->npair; i++)
        if (m->pair[i].active) check_active_pair(k, &m->pair[i], &renew[i], found);
    add_pairs(k, renew, found);
    return k->touches.memory ? pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts") : PERP_OK;
}

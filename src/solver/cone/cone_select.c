/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_select.c - selects loads that depend on the problem alone, among all loads that satisfy the laws
 * Problem  Two faces touch in more points than needed for support, and many loads satisfy the laws. If they slide, friction and its torque
 *          depend on the loads, and so does the motion. The loads that a solver finds depend on its start and, by rounding, on the frame
 *          and the numbering of the scene. The loads should be a function of the problem and change little with it.
 * Method   One proximal point of x = 0: it solves the law with v = W~ x + q~ + a x, to rounding and with a prescribed a. If the law is
 *          monotone, the point is unique and changes by at most 1/a times the change of q~, so rounding causes an error of rounding/a.
 *          Newton looks for it from the present solution. If it does not find it, it follows the point from a large a, where it is always
 *          unique, as a decreases. (If bodies wedge each other, there may be several points. Then the start decides.) The point is
 *          close to the loads of least norm, which spread the load of a face over all its points. Newton steps then correct the part that
 *          the laws determine. Their free part, where the laws leave loads undetermined, is removed, because there rounding would be
 *          divided by nearly zero. A remainder that may be rounding stays (SETTLED).
 *          If these steps do not converge, contacts are about to open or to slip. The next proximal point, whose centre is the last one,
 *          is closer to a solution. Contacts may also contradict each other by more than rounding: two corners cannot both stick if one
 *          of them landed within the step. Then loads must move until one yields, by contradiction/a in each point, and a decreases as far
 *          as necessary; more slowly if Newton fails. The free part of such a point is reset to that of the first point, or kept if that is
 *          too far away. If no point converges, the present solution is used with the free loads of the first point.
 * Valid    No proof if friction makes the law non-monotone: as a decreases, the point may cease to exist. If nothing converges, the caller
 *          keeps its solution. A contact that creeps at e times the usual speed amplifies rounding by 1/e; this is a property of the laws.
 * Cost     5 to 10 factorisations; 20 to 40 if contacts are about to change; 40 to 100 with contradictions, up to 450 if
 *          points are hard to find.
 * Source   Rockafellar (1976) for proximal points; Tikhonov (1963) for the least of many answers. */
#include "solver/cone/cone_select.h"
#include "base/rounding.h"

#include <math.h>
#include <string.h>

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Weight at the start of the path to the first proximal point, where the point is unique. Half: no effect; double:
 * other bits only. */
#define ONE_POINT 1
/* [1] Weight of the first and of the second proximal point. Half and double: other bits only. */
#define FIRST_PULL 1e-3
/* [1] Factor of the weight from one point to the next. Half: other bits only; double: work +1 %. */
#define FALL 0.1
/* [1] Largest factor of the weight, used if Newton fails with smaller ones. */
#define SLOWEST 0.8
/* [1] A direction counts as free if the laws determine it by less than this fraction of the weight of a point. Half and
 * double: other bits only. */
#define FREE 0.1
/* [1] Largest such limit for free directions. Half and double: other bits only. */
#define MOST_FREE 1e-5
/* [1] Factor of this limit from try to try with the present solution. Half and double: other bits only. */
#define THINNER 1e-2
/* [times] Number of times that the free part is removed from a correction. Half: other bits only; double: work +1 %. */
#define PURGES 2
/* [1] A measure below this may be rounding of the gaps, which are differences of coordinates. Half and double: other
 * bits only. */
#define SETTLED 1e-11
/* [1] Fraction of tol that may remain, if that is less than SETTLED. Half: no effect; double: other bits only. */
#define SAFE 0.7
/* [1] If the tolerance is below this, full accuracy is required. Half: other bits only; double: no effect. */
#define FINE 1e-12
/* [1] Factor by which a correction should lower the measure. Half and double: other bits only. */
#define SETTLING 0.5
/* [steps] Largest number of corrections. Half: other bits only; double: work -1 %. */
#define MOST_SETTLING 8
/* [steps] Largest number of Newton steps for a point. Half and double: other bits only. */
#define EACH_STEPS 20
/* [steps] Largest number of Newton steps for all points. Half: other bits only; double: no effect. */
#define MOST_STEPS 400
/* [points] Largest number of points. Half and double: other bits only. */
#define MOST_POINTS 40

bool pp_cone_select_matters(const pp_cone *c, const double *x, const double *v) {
    if (c->associated) return false;
    for (int i = c->nrow; i < c->nblock; i++) {
        double slip = 0;
        for (int r = c->first[i] + 1; r < c->first[i + 1]; r++) slip += v[r] * v[r];
        if (c->mu[i] > 0 && x[c->first[i]] > 0 && slip > PP_NO_SLIP * PP_NO_SLIP) return true;
    }
    return false;
}

/* Computes the next proximal point in newton->x; returns false if it was not found. */
static bool advance(pp_cone_select *k, const double *from) {
    pp_cone_newton *n = k->newton;
    if (!(pp_cone_newton_point(n, from, EACH_STEPS, PP_NEGLIGIBLE) <= PP_NEGLIGIBLE)) return false;
    memcpy(n->x, n->trial, sizeof *n->x * (size_t)n->c->m);
    k->measure = pp_cone_strictest(&n->figure, n->x, n->w);
    return true;
}

/* The first point, whose centre is 0: from the present solution, or by a path of points with larger a. */
static bool begin(pp_cone_select *k) {
    pp_cone_newton *n = k->newton;
    size_t bytes = sizeof *n->x * (size_t)n->c->m;
    double good = 0, fall = FALL;
    memset(n->x, 0, bytes);
    n->pull = FIRST_PULL;
    if (advance(k, k->from)) return true;
    memset(n->x, 0, bytes);
    memset(n->way, 0, bytes);
    for (;;) {
        n->pull = good > 0 ? fmax(FIRST_PULL, fall * good) : ONE_POINT;
        if (n->pull == FIRST_PULL && advance(k, n->way)) return true;
        if (n->pull > FIRST_PULL && pp_cone_newton_point(n, n->way, EACH_STEPS, PP_NEGLIGIBLE) <= PP_NEGLIGIBLE) {
            good = n->pull;
            memcpy(n->way, n->trial, bytes);
        } else {
            fall = sqrt(fall);
            if (good == 0 || fall > SLOWEST) return false;
        }
    }
}

/* Newton steps from newton->x that do not change free loads, until only rounding is left. Returns false if they do not
 * converge. */
static bool settle(pp_cone_select *k, double settled) {
    pp_cone_newton *n = k->newton;
    size_t bytes = sizeof *n->x * (size_t)n->c->m;
    for (int i = 0; i < MOST_SETTLING; i++) {
        double was = k->measure;
        memcpy(n->way, n->x, bytes);
        if (!pp_cone_newton_correct(n, PURGES)) return false;
        k->measure = pp_cone_strictest(&n->figure, n->x, n->w);
        if (was <= settled && !(k->measure < was)) { /* no further improvement */
            memcpy(n->x, n->way, bytes);
            k->measure = was;
        }
        if (was <= settled || k->measure <= PP_EXACT) return true;
        if (!(k->measure < SETTLING * was)) return false;
    }
    return k->measure <= settled;
}

/* Gives newton->x the free loads of the first point. */
static bool free_as_first(pp_cone_select *k) {
    pp_cone_newton *n = k->newton;
    int m = n->c->m;
    for (int i = 0; i < m; i++) n->way[i] = n->stand[i] - n->x[i];
    if (!pp_cone_newton_free(n, n->x, n->way, PURGES)) return false;
    for (int i = 0; i < m; i++) n->x[i] += n->way[i];
    return true;
}

/* The same from the proximal point newton->best, whose weight was `pull`: with the free loads of the first point, or
 * with its own if it is too far from there. */
static bool settle_point(pp_cone_select *k, double pull, double settled) {
    pp_cone_newton *n = k->newton;
    n->pull = fmax(PP_LEAST_PULL, fmin(FREE * pull, MOST_FREE));
    if (!(pull < FIRST_PULL)) return settle(k, settled);
    k->measure = INFINITY;
    if (free_as_first(k) && settle(k, settled)) return true;
    memcpy(n->x, n->best, sizeof *n->x * (size_t)n->c->m);
    k->measure = INFINITY;
    return settle(k, settled);
}

/* a of point number `count`, after `pull`. */
static double next_pull(int count, double pull, double fall) {
    return count < 2 ? FIRST_PULL : fmax(PP_LEAST_PULL, fall * pull);
}

/* Points with decreasing a. Returns false if none converges. *began: there is a first one, newton->stand. */
static bool descend(pp_cone_select *k, double settled, bool *began) {
    pp_cone_newton *n = k->newton;
    size_t bytes = sizeof *n->x * (size_t)n->c->m;
    double fall = FALL, good = FIRST_PULL;
    int before = n->steps;
    for (int count = 0; count < MOST_POINTS && n->steps - before <= MOST_STEPS;) {
        n->pull = next_pull(count, good, fall);
        if (count == 0 ? begin(k) : advance(k, n->x)) {
            good = n->pull;
            if (count++ == 0) memcpy(n->stand, n->x, bytes);
            *began = true;
            double reached = k->measure;
            memcpy(n->best, n->x, bytes);
            if (settle_point(k, good, settled)) return true;
            memcpy(n->x, n->best, bytes);
            k->measure = reached;
            if (reached <= settled) return true;
        } else {
            fall = sqrt(fall);
            if (n->pull == FIRST_PULL || fall > SLOWEST) return false;
        }
    }
    return false;
}

/* From the present solution, with the free loads of the first point if there is one. */
static bool settle_answer(pp_cone_select *k, double settled, bool began) {
    pp_cone_newton *n = k->newton;
    for (double loose = MOST_FREE; loose > 0.5 * PP_LEAST_PULL; loose *= THINNER) {
        memcpy(n->x, k->from, sizeof *n->x * (size_t)n->c->m);
        n->pull = loose;
        k->measure = INFINITY;
        if ((!began || free_as_first(k)) && settle(k, settled)) return true;
    }
    return false;
}

bool pp_cone_select_run(pp_cone_select *k) {
    pp_cone_newton *n = k->newton;
    double settled = k->tol > FINE ? fmin(SETTLED, SAFE * k->tol) : PP_EXACT;
    int before = n->steps;
    k->measure = INFINITY;
    bool began = false, found = descend(k, settled, &began) || settle_answer(k, settled, began);
    k->steps = n->steps - before;
    return found && k->measure <= k->tol;
}

/* At least one step is made: it costs as much as polishing. */
bool pp_cone_select_again(pp_cone_select *k) {
    pp_cone_newton *n = k->newton;
    int before = n->steps;
    memcpy(n->x, k->from, sizeof *n->x * (size_t)n->c->m);
    k->measure = INFINITY;
    n->pull = MOST_FREE;
    bool found = settle(k, k->tol);
    k->steps = n->steps - before;
    return found && k->measure <= k->tol;
}

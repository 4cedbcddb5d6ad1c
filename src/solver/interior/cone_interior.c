/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_interior.c - interior points for Coulomb friction
 * Problem  A scaled cone problem (cone.h). With x' = P x, z = P^-1 (v + mu |v_T| n), P = diag(mu, 1, ..), both lie in the Lorentz cone and
 *          mu disappears:  z - |z_T| n - W' x' - q' = 0,  x' o z = 0,  W' = P^-1 W~ P^-1. For a cone QP there is no term |z_T|.
 * Method   x' o z = sigma tau e, tau driven to 0. Nesterov-Todd scaling, Mehrotra's predictor and corrector. The term |z_T| is differentiated
 *          with the rest: G = I - n (0, z_T/|z_T|)', so that each step solves
 *          (W' + G Theta + delta I) dx' = G Q d + rp.
 *          delta, in the matrix only, keeps the iterates bounded if contacts can be wedged: impulses inside all cones with W r = 0 make the
 *          set of solutions unbounded. The kink of |z_T| at 0 may be smoothed by a fraction of tau. Bounded rows have logarithmic
 *          barriers, free rows none; contacts without friction have a half line.
 *          Friction makes the path of tau fold back: steps towards smaller tau become short. On request, a few steps are then made at the
 *          same tau with only a fraction of the derivative of |z_T|; the rest of the term is that of the previous step. If all of it were
 *          taken from there, each step would be one of a convex problem, which has no folds, but the iterates would cycle. This leaves the
 *          branch that ends, and the next steps find another.
 * Valid    In practice all problems except those with many folds; ends if steps stay short. Interior points reach about sqrt(tau) on contacts
 *          that stick at the edge of their cones: Newton's method (cone_newton.c) gives the last digits.
 * Cost     One factorisation per step, 7 to 40 steps for any size, with folds up to 100.
 * Source   Acary, Armand, Nguyen, Shpakovych (2023) for the interior point of friction; Nesterov, Todd (1997);
 *          Mehrotra (1992). */
#include "solver/interior/cone_interior.h"
#include "base/patience.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Initial mean of the products. Half and double: other bits only. */
#define START 1.0
/* [1] If a step is shorter, it is repeated towards the centre. Half and double: other bits only. */
#define SHORT 0.1
/* [1] A shorter step is no progress. Half and double: no effect. */
#define STALLED 0.05
/* [1] Largest fraction of the distance to the boundary that a step makes. Half: work +4 %; double: work +5 %. */
#define CLOSEST 0.999
/* [1] Smallest fraction of the mean of the products that a step towards the centre keeps. Half: other bits only;
 * double: work +3 %. */
#define CENTRE 0.5
/* [1] A shorter step may be at a fold. */
#define FOLD 0.15
/* [steps] Number of successive such steps that make a fold. */
#define FOLD_AFTER 2
/* [1] Fraction of the derivative of |z_T| with which a fold is passed. */
#define FOLD_SLIP 0.8
/* [1] Smallest impulse of a start, as a fraction of their mean. */
#define FAIR 1e-2
/* [1] Motion is visible if the mean of the products is below this. */
#define SMALL_TAU 3e-3
/* [1] Moving bodies can be distinguished if the mean of the products is below this. Half and double: no effect. */
#define SMALLER_TAU 3e-4
/* [1] A body moves if its velocity exceeds this multiple of the root of the mean of the products; at rest the ratio
 * stays near one. */
#define MOTION 3.0
/* [1] Rest is tried if the mean of the products is below this. Half: other bits only; double: work +1 %. */
#define SETTLED_TAU 3e-2
/* [corrections] Largest number of corrections of that try. Half and double: work -1 %. */
#define SETTLES 6
/* [1] Fraction to which each of these corrections should reduce the measure. Half: other bits only; double: no effect. */
#define SETTLING 0.3
/* [steps] After this many steps, rest within NEAR_REST is left to Newton. Half and double: no effect. */
#define LATE 9
/* [1] Measure of rest that is left to Newton after LATE steps. */
#define NEAR_REST 5e-4
/* [iterations] Largest number of conjugate gradient iterations for one system. Half and double: no effect. */
#define CG_STEPS 300
/* [1] Conjugate gradients are used while their work is below this fraction of a factorisation. Half and double: no
 * effect. */
#define CG_SHARE 0.3
/* [1] Accuracy of conjugate gradients for a direction or a correction. */
#define CG_ACCURACY 1e-2
/* [1] Target relative residual of linear systems. */
#define ACCURACY 1e-10
/* [steps] Largest number of refinement steps of a linear system. */
#define REFINEMENTS 2

bool pp_cone_interior_make(pp_cone_interior *k) {
    int m = k->c->m;
    double **vectors[] = {&k->x, &k->z, &k->best, &k->v, &k->rp, &k->rhs, &k->dx, &k->dz, &k->ax, &k->az, &k->t};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = PP_CALL_ARRAY(k->call, double, m);
        if (!*vectors[i]) return false;
    }
    k->C = PP_CALL_ARRAY(k->call, double, k->c->square * k->c->nblock);
    k->E = PP_CALL_ARRAY(k->call, double, k->c->square * k->c->nblock);
    k->nt = PP_CALL_ARRAY(k->call, pp_lorentz_nt, k->c->nblock);
    k->bound = PP_CALL_ARRAY(k->call, pp_cone_bound, k->c->nrow);
    k->dbound = PP_CALL_ARRAY(k->call, pp_cone_bound, k->c->nrow);
    k->abound = PP_CALL_ARRAY(k->call, pp_cone_bound, k->c->nrow);
    k->rested = PP_CALL_ARRAY(k->call, double, k->rest ? m : 0);
    return k->C && k->E && k->rested && k->nt && k->bound && k->dbound && k->abound;
}

/* Dimensions of the cone of block i: a contact without friction has only its normal row, one that is left out has none. */
static int dims(const pp_cone_interior *k, int i) {
    return k->idle && k->idle[i] ? 0 : k->c->mu[i] > 0 ? k->c->dim : 1;
}
static double stretch(const pp_cone *c, int i, int r) { return r == 0 && c->mu[i] > 0 ? c->mu[i] : 1; } /* P */

static double bound_of(const pp_cone *c, int i, int side) { return side ? c->hi[i] : c->lo[i]; }
static bool fixed(const pp_cone *c, int i) { return c->lo[i] == c->hi[i]; }

static void start(pp_cone_interior *k) {
    const pp_cone *c = k->c;
    memset(k->x, 0, sizeof *k->x * (size_t)c->m);
    memset(k->z, 0, sizeof *k->z * (size_t)c->m);
    for (int i = 0; i < c->nrow; i++) {
        double lo = c->lo[i], hi = c->hi[i], *x = &k->x[c->first[i]];
        k->bound[i] = (pp_cone_bound){0};
        if (fixed(c, i)) {
            *x = lo;
            continue;
        }
        *x = isfinite(lo) && isfinite(hi) ? lo + 0.5 * (hi - lo)
             : isfinite(lo)               ? fmax(0, lo + START)
             : isfinite(hi)               ? fmin(0, hi - START)
                                          : 0;
        if (isfinite(lo) && isfinite(hi) && 0 > lo + 0.1 * (hi - lo) && 0 < hi - 0.1 * (hi - lo)) *x = 0;
        for (int side = 0; side < 2; side++)
            if (isfinite(bound_of(c, i, side)))
                k->bound[i].gap[side] = fabs(*x - bound_of(c, i, side)), k->bound[i].push[side] = START;
    }
    for (int i = c->nrow; i < c->nblock; i++)
        if (dims(k, i) > 0) k->x[c->first[i]] = k->z[c->first[i]] = START;
}

/* Starts from k->from, moved inside the cones if necessary: each impulse is at least the fraction FAIR of the mean, and
 * z is on the central path of from_tau, z = tau x^-1. */
static void start_from(pp_cone_interior *k) {
    const pp_cone *c = k->c;
    double mean = 0;
    int count = 0;
    for (int i = c->nrow; i < c->nblock; i++)
        if (dims(k, i) > 0) mean += fabs(k->from[c->first[i]]), count++;
    mean = count > 0 && mean > 0 ? mean / count : START;
    for (int i = c->nrow; i < c->nblock; i++) {
        int first = c->first[i], d = dims(k, i);
        double *x = k->x + first, *z = k->z + first, side = 0;
        for (int r = 0; r < d; r++) x[r] = k->from[first + r] * stretch(c, i, r);
        for (int r = 1; r < d; r++) side += x[r] * x[r];
        if (d > 0) x[0] = fmax(x[0], sqrt(side) + FAIR * mean);
        double det = x[0] * x[0] - side;
        for (int r = 0; r < d; r++) z[r] = (r == 0 ? 1 : -1) * k->from_tau * x[r] / det;
    }
}

/* Scaled variables of the cone problem from x'. */
static void to_cone(const pp_cone_interior *k, const double *xp, double *x) {
    const pp_cone *c = k->c;
    for (int i = 0; i < c->nblock; i++)
        for (int r = 0; r < pp_cone_rows(c, i); r++) x[c->first[i] + r] = xp[c->first[i] + r] / stretch(c, i, r);
}

/* Mean of x'.z over bounds and contacts, after a step. */
static double tau_after(const pp_cone_interior *k, double step, const double *dx, const double *dz,
                        const pp_cone_bound *db) {
    const pp_cone *c = k->c;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < c->nrow; i++)
        for (int side = 0; side < 2; side++)
            if (k->bound[i].gap[side] > 0) {
                sum += (k->bound[i].gap[side] + step * db[i].gap[side]) *
                       (k->bound[i].push[side] + step * db[i].push[side]);
                count++;
            }
    for (int i = c->nrow; i < c->nblock; i++) {
        if (dims(k, i) > 0) count++;
        for (int r = c->first[i]; r < c->first[i] + dims(k, i); r++)
            sum += (k->x[r] + step * dx[r]) * (k->z[r] + step * dz[r]);
    }
    return count ? sum / count : 0;
}

/* rp, the measure of x, and tau: mean of x'.z. */
static double residuals(pp_cone_interior *k, double *tau) {
    const pp_cone *c = k->c;
    double most = 0;
    *tau = tau_after(k, 0, k->dx, k->dz, k->dbound);
    k->kink = k->soft * *tau;
    to_cone(k, k->x, k->t);
    pp_cone_apply(c, k->t, k->v);
    const double *q = k->q ? k->q : c->q;
    for (int i = 0; i < c->m; i++) k->v[i] += q[i];
    double now = pp_cone_measure(c, k->t, k->v);
    if (now < k->measure) {
        k->measure = now;
        memcpy(k->best, k->t, sizeof *k->t * (size_t)c->m);
    }
    for (int i = 0; i < c->nblock; i++) {
        int first = c->first[i], d = i < c->nrow ? 1 : dims(k, i);
        double slip = 0;
        for (int r = 0; r < pp_cone_rows(c, i); r++) k->rp[first + r] = 0;
        if (i < c->nrow) {
            if (fixed(c, i)) continue;
            k->rp[first] = k->bound[i].push[0] - k->bound[i].push[1] - k->v[first];
        } else {
            for (int r = 1; r < d; r++) slip += k->z[first + r] * k->z[first + r];
            for (int r = 0; r < d; r++)
                k->rp[first + r] = k->z[first + r] - k->v[first + r] / stretch(c, i, r) -
                                   (r == 0 && !c->associated ? sqrt(slip + k->kink * k->kink) : 0);
        }
        for (int r = 0; r < d; r++) most = fmax(most, fabs(k->rp[first + r]));
    }
    return most;
}

/* G y for block i: y - n (z_T/|z_T|).y_T, near a fold with less of the second term */
static void turn(const pp_cone_interior *k, int i, double *y) {
    const double *z = k->z + k->c->first[i];
    int d = dims(k, i);
    double slip = 0, along = 0;
    if (k->c->associated) return;
    for (int r = 1; r < d; r++) slip += z[r] * z[r], along += z[r] * y[r];
    if (slip > 0) y[0] -= k->slip * along / sqrt(slip + k->kink * k->kink);
}

/* Prepares the system of C and E. Conjugate gradients, if available, are used as long as the last step cost less than a
 * factorisation: the systems are well conditioned while tau is large. */
static bool make_ready(pp_cone_interior *k) {
    if (k->iterated) {
        double spent = (k->cg->steps - k->cg_steps) * pp_cone_cg_work(k->cg);
        k->cg_steps = k->cg->steps;
        k->iterated = spent <= CG_SHARE * pp_block_lu_work(k->linear->lu) && pp_cone_cg_prepare(k->cg, k->C, k->E);
        if (k->iterated) return true;
    }
    return pp_cone_linear_factor(k->linear, k->C, k->E);
}

/* Newton's matrix at x, z: E = P^-1, C = (G Theta + delta) P. */
static bool factor(pp_cone_interior *k) {
    const pp_cone *c = k->c;
    memset(k->C, 0, sizeof *k->C * (size_t)(c->square * c->nblock));
    memset(k->E, 0, sizeof *k->E * (size_t)(c->square * c->nblock));
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), d = i < c->nrow ? 1 : dims(k, i), first = c->first[i];
        double *C = k->C + c->square * i, *E = k->E + c->square * i;
        for (int r = d; r < rows; r++) C[r + rows * r] = 1; /* stays 0 */
        if (i < c->nrow) {
            if (fixed(c, i)) {
                C[0] = 1;
                continue;
            }
            E[0] = 1;
            C[0] = k->shift;
            for (int side = 0; side < 2; side++)
                if (k->bound[i].gap[side] > 0) C[0] += k->bound[i].push[side] / k->bound[i].gap[side];
            continue;
        }
        double T[PP_CONE_SQUARE];
        if (d == 0) continue;
        if (!pp_lorentz_nt_make(d, k->x + first, k->z + first, &k->nt[i])) return false;
        pp_lorentz_nt_square(d, &k->nt[i], T, d);
        for (int b = 0; b < d; b++) {
            turn(k, i, T + d * b);
            for (int a = 0; a < d; a++) C[a + rows * b] = (T[a + d * b] + (a == b ? k->shift : 0)) * stretch(c, i, b);
            E[b + rows * b] = 1 / stretch(c, i, b);
        }
    }
    k->steps++;
    return make_ready(k);
}

/* t from rhs. accuracy: of conjugate gradients; factors are more accurate anyway. Returns the residual relative to that
 * of zero. */
static double solve_linear(pp_cone_interior *k, double accuracy) {
    if (!k->iterated) return pp_cone_linear_solve(k->linear, k->rhs, k->t, ACCURACY, REFINEMENTS);
    memset(k->cg->y, 0, sizeof *k->cg->y * (size_t)k->cg->unknowns);
    double size = 0;
    for (int i = 0; i < k->c->m; i++) size += k->rhs[i] * k->rhs[i];
    size = sqrt(size);
    return pp_cone_cg_solve(k->cg, k->rhs, k->t, accuracy * size, CG_STEPS) / (size > 0 ? size : 1);
}

/* One direction: target tau of x' o z; minus the product of the predictor's steps if `second`. */
static bool direction(pp_cone_interior *k, double target, bool second, double *dx, double *dz, pp_cone_bound *db) {
    const pp_cone *c = k->c;
    memset(k->rhs, 0, sizeof *k->rhs * (size_t)c->m);
    for (int i = 0; i < c->nblock; i++) {
        int first = c->first[i];
        if (i < c->nrow) {
            if (fixed(c, i)) continue;
            double sum = k->rp[first];
            for (int side = 0; side < 2; side++) {
                const pp_cone_bound *b = &k->bound[i];
                if (!(b->gap[side] > 0)) continue;
                double d = target - b->gap[side] * b->push[side] -
                           (second ? k->abound[i].gap[side] * k->abound[i].push[side] : 0);
                db[i].push[side] = d / b->gap[side]; /* without the part of dx */
                sum += side ? -db[i].push[side] : db[i].push[side];
            }
            k->rhs[first] = sum;
            continue;
        }
        int d = dims(k, i);
        if (d == 0) continue;
        const pp_lorentz_nt *nt = &k->nt[i];
        double s[PERP_CONE_ROWS], p[PERP_CONE_ROWS], a[PERP_CONE_ROWS], b[PERP_CONE_ROWS];
        pp_lorentz_product(d, nt->lambda, nt->lambda, p);
        for (int r = 0; r < d; r++) s[r] = (r == 0 ? target : 0) - p[r];
        if (second) {
            pp_lorentz_nt_apply(d, nt, k->ax + first, a);
            pp_lorentz_nt_undo(d, nt, k->az + first, b);
            pp_lorentz_product(d, a, b, p);
            for (int r = 0; r < d; r++) s[r] -= p[r];
        }
        pp_lorentz_divide(d, nt->lambda, s, a);
        pp_lorentz_nt_apply(d, nt, a, b); /* Q d */
        for (int r = 0; r < d; r++) dz[first + r] = b[r];
        turn(k, i, b);
        for (int r = 0; r < d; r++) k->rhs[first + r] = b[r] + k->rp[first + r];
    }
    if (!(solve_linear(k, CG_ACCURACY) < 0.5)) return false;
    for (int i = 0; i < c->nblock; i++) {
        int first = c->first[i];
        if (i < c->nrow) {
            double step = dx[first] = fixed(c, i) ? 0 : k->t[first];
            for (int side = 0; side < 2; side++) {
                if (!(k->bound[i].gap[side] > 0)) continue;
                db[i].gap[side] = side ? -step : step;
                db[i].push[side] -= k->bound[i].push[side] / k->bound[i].gap[side] * db[i].gap[side];
            }
            continue;
        }
        int d = dims(k, i);
        double a[PERP_CONE_ROWS];
        for (int r = 0; r < pp_cone_rows(c, i); r++) dx[first + r] = r < d ? stretch(c, i, r) * k->t[first + r] : 0;
        if (d > 0) pp_lorentz_nt_apply(d, &k->nt[i], dx + first, a);
        if (d > 0) pp_lorentz_nt_apply(d, &k->nt[i], a, a);
        for (int r = 0; r < d; r++) dz[first + r] -= a[r];
        for (int r = d; r < pp_cone_rows(c, i); r++) dz[first + r] = 0;
    }
    return true;
}

/* Longest common step to the boundary, at most 1/CLOSEST. */
static double longest(const pp_cone_interior *k, const double *dx, const double *dz, const pp_cone_bound *db) {
    const pp_cone *c = k->c;
    double most = 1 / CLOSEST;
    for (int i = 0; i < c->nrow; i++)
        for (int side = 0; side < 2; side++) {
            const pp_cone_bound *b = &k->bound[i];
            if (!(b->gap[side] > 0)) continue;
            if (db[i].gap[side] < 0) most = fmin(most, -b->gap[side] / db[i].gap[side]);
            if (db[i].push[side] < 0) most = fmin(most, -b->push[side] / db[i].push[side]);
        }
    for (int i = c->nrow; i < c->nblock; i++) {
        int f = c->first[i], d = dims(k, i);
        if (d > 0) most = fmin(most, fmin(pp_lorentz_step(d, k->x + f, dx + f), pp_lorentz_step(d, k->z + f, dz + f)));
    }
    return most;
}

static void take(pp_cone_interior *k, double step) {
    const pp_cone *c = k->c;
    for (int i = 0; i < c->m; i++) {
        k->x[i] += step * k->dx[i];
        k->z[i] += step * k->dz[i];
    }
    for (int i = 0; i < c->nrow; i++)
        for (int side = 0; side < 2; side++)
            if (k->bound[i].gap[side] > 0) {
                k->bound[i].gap[side] += step * k->dbound[i].gap[side];
                k->bound[i].push[side] += step * k->dbound[i].push[side];
            }
}

/* ---- standing still -------------------------------------------------------------------------------------------- */

/* From impulses inside their cones to impulses without any velocity: x += dx with (W' + Theta) dx' = -v, the least
 * change in the metric of the barrier, a few times with the present factors. Returns true if the solution is within
 * rest_tol. */
static bool settle(pp_cone_interior *k) {
    const pp_cone *c = k->c;
    double last = INFINITY;
    to_cone(k, k->x, k->dx);
    for (int turn = 0; turn <= SETTLES; turn++) {
        for (int i = 0; k->given && i < c->m; i++) k->dx[i] += k->given[i];
        pp_cone_apply(c, k->dx, k->v);
        for (int i = 0; i < c->m; i++) k->t[i] = k->v[i] + c->q[i];
        double now = pp_cone_strictest(k->rest, k->dx, k->t);
        if (now < k->rest_measure) {
            k->rest_measure = now;
            memcpy(k->rested, k->dx, sizeof *k->dx * (size_t)c->m);
        }
        if (now <= k->rest_tol) return true;
        if (turn == SETTLES || now > SETTLING * last) break;
        last = now;
        for (int i = 0; k->given && i < c->m; i++) k->dx[i] -= k->given[i];
        if (k->given) pp_cone_apply(c, k->dx, k->v);
        memset(k->rhs, 0, sizeof *k->rhs * (size_t)c->m);
        for (int i = 0; i < c->nblock; i++)
            for (int r = 0, d = i < c->nrow ? !fixed(c, i) : dims(k, i); r < d; r++) {
                int row = c->first[i] + r;
                k->rhs[row] = -(k->v[row] + k->q[row]) / stretch(c, i, r);
            }
        (void)solve_linear(k, CG_ACCURACY);
        for (int i = 0; i < c->m; i++) k->dx[i] += k->t[i];
    }
    return false;
}

/* Do the bodies move, so that no impulses can hold them? At rest velocities vanish with tau. */
static bool moves(const pp_cone_interior *k, double tau) {
    const pp_cone *c = k->c;
    double most = 0;
    for (int i = c->nrow; i < c->nblock; i++)
        for (int r = 0, d = dims(k, i); r < d; r++) most = fmax(most, fabs(k->v[c->first[i] + r]));
    return tau < (k->identify_moving ? SMALLER_TAU : SMALL_TAU) && most > MOTION * sqrt(tau);
}

/* Late systems need most conjugate gradient iterations. If rest is near but not reached, Newton needs one to three
 * steps. */
static bool nearly_rests(const pp_cone_interior *k) {
    return k->steps >= LATE && k->rest_measure <= NEAR_REST && !k->late_steps;
}

/* Is a step of this length progress? If not, the next one may pass a fold. Returns false if the search ends. */
static bool goes_on(pp_cone_interior *k, double step) {
    if (k->lag > 0) {
        if (--k->lag == 0) k->slip = 1;
        k->brief = 0;
        return true;
    }
    bool passes = k->max_folds > 0;
    k->brief = step < (passes ? FOLD : STALLED) ? k->brief + 1 : 0;
    if (k->brief < (passes ? FOLD_AFTER : PP_PATIENCE)) return true;
    if (k->folds == k->max_folds) return false;
    k->folds++;
    k->lag = k->fold_steps;
    k->slip = FOLD_SLIP;
    k->tol = fmin(k->tol, k->fold_tol);
    return true;
}

static void begin(pp_cone_interior *k) {
    const pp_cone *c = k->c;
    k->folds = k->lag = k->brief = 0;
    k->slip = 1;
    k->measure = k->rest_measure = INFINITY;
    k->iterated = k->cg != NULL;
    k->cg_steps = 0;
    start(k);
    if (k->from) start_from(k);
    memset(k->dx, 0, sizeof *k->dx * (size_t)c->m);
    memset(k->dz, 0, sizeof *k->dz * (size_t)c->m);
    memset(k->dbound, 0, sizeof *k->dbound * (size_t)c->nrow);
    memset(k->abound, 0, sizeof *k->abound * (size_t)c->nrow);
    memset(k->az, 0, sizeof *k->az * (size_t)c->m);
}

perp_outcome pp_cone_interior_run(pp_cone_interior *k) {
    const pp_cone *c = k->c;
    if (!k->resumed) begin(k);
    for (;; k->iterations++) {
        double tau, most = residuals(k, &tau);
        if (k->measure <= k->tol) return PERP_OUTCOME_SOLVED;
        if (!isfinite(tau) || !isfinite(most)) return PERP_OUTCOME_NUMERICS;
        if (k->out) pp_cone_unscale(c, k->best, k->out);
        if (!perp_call_look(k->call, k->iterations, k->out)) return PERP_OUTCOME_STOPPED;
        if (k->steps >= k->max_steps) return PERP_OUTCOME_LIMIT;
        k->moving = k->rest && moves(k, tau);
        if (k->moving || (k->rest && nearly_rests(k))) return PERP_OUTCOME_LIMIT;
        if (!factor(k)) return PERP_OUTCOME_NUMERICS;
        if (!direction(k, 0, false, k->ax, k->az, k->abound)) {
            if (!k->iterated) return PERP_OUTCOME_NUMERICS;
            k->iterated = false;
            if (!make_ready(k) || !direction(k, 0, false, k->ax, k->az, k->abound)) return PERP_OUTCOME_NUMERICS;
        }
        if (k->rest && tau < SETTLED_TAU && settle(k)) return PERP_OUTCOME_SOLVED;
        double reach = fmin(1, longest(k, k->ax, k->az, k->abound)), sigma = 0;
        if (tau > 0) sigma = pp_pow(fmax(0, tau_after(k, reach, k->ax, k->az, k->abound)) / tau, 3);
        sigma = fmin(1, fmax(sigma, k->least_sigma));
        if (tau < k->feasible * most) sigma = fmax(sigma, CENTRE);
        if (k->lag > 0) sigma = 1;
        if (!direction(k, sigma * tau, true, k->dx, k->dz, k->dbound)) return PERP_OUTCOME_NUMERICS;
        double step = longest(k, k->dx, k->dz, k->dbound);
        if (step < SHORT) {
            if (!direction(k, CENTRE * tau, false, k->dx, k->dz, k->dbound)) return PERP_OUTCOME_NUMERICS;
            step = longest(k, k->dx, k->dz, k->dbound);
        }
        double close = fmin(CLOSEST, fmax(0.9, 1 - 10 * tau));
        step = fmin(1, close * step);
        if (!goes_on(k, step)) return PERP_OUTCOME_LIMIT;
        take(k, step);
    }
}

void pp_cone_interior_point(const pp_cone_interior *k, double *x) { to_cone(k, k->x, x); }

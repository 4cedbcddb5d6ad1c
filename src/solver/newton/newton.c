/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* newton.c - globalised semismooth Newton, shared by fischer-newton and minmap-newton
 *   lo <= z <= hi complementary to w = F(z)
 * Method   Scaled variables x = z/Z, f = w/W. Merit: half the sum of squares of the Fischer-Burmeister equations, which is smooth. A step uses
 *          Newton's direction of the solver's own law. If that is no descent direction: that of Fischer-Burmeister; then with A + shift I;
 *          then Levenberg-Marquardt; then steepest descent. Full steps may increase the merit for a while (watchdog); then Armijo's rule
 *          applies against the largest of the last few merits. If that stalls: proximal points, F + lambda (x - c) with c moved to each
 *          solution and lambda lowered, from the best point, then from others.
 * Scales   Those of the problem; without them, rows and columns of J at the start are equilibrated.
 * Valid    See the two solvers. The best point by the judge's measure is returned; it is always finite.
 * Source   De Luca, Facchinei, Kanzow (1996) algorithm 4.1; Grippo, Lampariello, Lucidi (1986) for the non-monotone
 *          rule; Chamberlain et al. (1982) for the watchdog; Billups (1995) chapter 5 for the proximal restarts. */
#include "solver/newton/newton.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/patience.h"
#include "solver/common/numbers.h"
#include "solver/common/solver.h"
#include "base/elementary.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Factor of a step that does not meet Armijo's rule. */
#define SHORTEN 0.5
/* [1] Least step. */
#define LEAST_T 1e-10
/* [1] Least decrease along a direction d, in units of |d|^POWER. */
#define DESCENT 1e-18
/* [1] Exponent of |d| in the least decrease. */
#define POWER 2.1
/* [1] Largest growth of the merit that the watchdog allows. */
#define RISE 1e6
/* [steps] Number of steps in which the merit must decrease to STALLED. */
#define WINDOW 12
/* [1] A run is stalled if the merit exceeds this fraction of that a window ago. */
#define STALLED 0.5
/* [1] First weight of proximal restarts. */
#define LAMBDA_FIRST 1.0
/* [1] Least weight of proximal restarts. */
#define LAMBDA_LEAST 1e-9
/* [1] Factor of the weight after a success. */
#define LAMBDA_DOWN 0.1
/* [1] Factor of the weight after a failure. */
#define LAMBDA_UP 8
/* [steps] Largest number of steps of one inner solve. */
#define INNER_STEPS 30
/* [1] Fraction to which an inner solve must reduce the residual. */
#define INNER_GOAL 0.05
/* [1] A residual below this multiple of tol may be rounding. */
#define ALMOST_SOLVED_FACTOR 1e3
/* [1] If the residual is below this, the other law is tried for the last digits. */
#define POLISH 1e-3
/* [passes] Passes of equilibration. */
#define PASSES 6
/* [1] Largest scale of equilibration. */
#define SCALE_MOST 1e12

#define MEMORY_MAX 32

const perp_field pp_newton_fields[] = {
    {"max_steps", PERP_FIELD_INT, offsetof(pp_newton_settings, max_steps), 500, 1, 1e9, "Newton steps in all"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_newton_settings, tol), 1e-11, 1e-16, 1,
     "unit-free natural residual at which to stop"},
    {"restarts", PERP_FIELD_INT, offsetof(pp_newton_settings, restarts), 4, 0, 100,
     "proximal restarts after the first run stalls"},
    {"memory", PERP_FIELD_INT, offsetof(pp_newton_settings, memory), 6, 1, MEMORY_MAX,
     "merits that a step is compared with; 1: monotone"},
    {"watchdog", PERP_FIELD_INT, offsetof(pp_newton_settings, watchdog), 6, 0, 100,
     "full steps that may increase the merit before it must decrease"},
};
_Static_assert(sizeof pp_newton_fields / sizeof *pp_newton_fields == PP_NEWTON_FIELDS,
               "fields are counted in newton.h");

typedef enum ending { SOLVED, INNER, STALL, LIMIT, STOPPED, NUMERICS } ending;

typedef struct state {
    pp_box b;
    pp_box judge; /* b in the judge's units, z_unit and w_unit */
    pp_newton_system s;
    pp_newton_law law;
    const pp_newton_settings *set;
    const perp_call *call;
    perp_solve_info *info;
    bool natural; /* the problem gives scales */
    double *Z, *W;
    double *lo, *hi;       /* scaled */
    double *x, *f, *w;     /* point, scaled rows with the proximal term, rows in their units */
    double *next, *fnext;  /* a trial point and its f */
    double *psi, *da, *db; /* Fischer-Burmeister at x */
    double *ea, *eb, *e;   /* the solver's own law at x */
    double *g, *d, *Ad;    /* gradient of the merit, direction, (A + lambda I) d if linear */
    double *start;         /* where the first run began */
    double *centre;        /* of the proximal term */
    double *kept, *kept_d; /* watchdog: point and direction to return to */
    double *z, *best;      /* in units of the problem */
    double *zu, *wu;       /* the judge's units */
    double w_unit;         /* largest |w(0)| */
    double lambda, least;  /* proximal weight; best residual so far */
    double history[MEMORY_MAX];
    int nhistory, steps, looked; /* looked: step that was last shown to the watch */
} state;

/* --- scales ------------------------------------------------------------------------------------------------------ */

/* Column j and row i of entry k. */
static int row_of(const pp_box *b, int k, int j) { return b->dense ? k - b->n * j : b->index[k]; }
static int first_of(const pp_box *b, int j) { return b->dense ? b->n * j : b->start[j]; }

/* Z and W such that W^-1 J Z has rows and columns with largest entries near 1: repeated square roots of the largest
 * (Ruiz 2001). Zero rows and columns keep 1. r, c: scratch of n each. */
static void equilibrate(state *t, const double *J, double *r, double *c) {
    const pp_box *b = &t->b;
    for (int i = 0; i < b->n; i++) t->Z[i] = t->W[i] = 1;
    for (int pass = 0; pass < PASSES; pass++) {
        memset(r, 0, sizeof *r * (size_t)b->n);
        memset(c, 0, sizeof *c * (size_t)b->n);
        for (int j = 0; j < b->n; j++)
            for (int k = first_of(b, j); k < first_of(b, j + 1); k++) {
                int i = row_of(b, k, j);
                double a = fabs(J[k]) * t->Z[j] / t->W[i];
                r[i] = fmax(r[i], a);
                c[j] = fmax(c[j], a);
            }
        for (int i = 0; i < b->n; i++) {
            if (r[i] > 0) t->W[i] = fmin(fmax(t->W[i] * sqrt(r[i]), 1 / SCALE_MOST), SCALE_MOST);
            if (c[i] > 0) t->Z[i] = fmin(fmax(t->Z[i] / sqrt(c[i]), 1 / SCALE_MOST), SCALE_MOST);
        }
    }
}

/* J: values at the start; w: rows at zero, or at the start if F is not defined at zero. */
static void choose_scales(state *t, const double *J, const double *w) {
    const pp_box *b = &t->b;
    double size = 0;
    if (t->natural) {
        memcpy(t->Z, b->zs, sizeof *t->Z * (size_t)b->n);
        memcpy(t->W, b->ws, sizeof *t->W * (size_t)b->n);
    } else {
        equilibrate(t, J, t->next, t->fnext);
    }
    for (int i = 0; i < b->n; i++) size = fmax(size, fabs(w[i]) / t->W[i]);
    if (!(size > 0) || !isfinite(size)) size = 1;
    for (int i = 0; i < b->n; i++) {
        t->Z[i] *= size;
        t->W[i] *= size;
        t->lo[i] = b->lo[i] / t->Z[i];
        t->hi[i] = b->hi[i] / t->Z[i];
    }
}

static void scale_matrix(state *t) {
    const pp_box *b = &t->b;
    for (int j = 0; j < b->n; j++)
        for (int k = first_of(b, j); k < first_of(b, j + 1); k++) t->s.A[k] *= t->Z[j] / t->W[row_of(b, k, j)];
}

/* --- point and merit --------------------------------------------------------------------------------------------- */

/* f at x, with the proximal term; rows in their own units are left in t->w. */
static bool evaluate(state *t, const double *x, double *f) {
    int n = t->b.n;
    for (int i = 0; i < n; i++) {
        t->z[i] = x[i] * t->Z[i];
        if (x[i] == t->lo[i]) t->z[i] = t->b.lo[i]; /* a variable at its bound is exactly there, despite rounding */
        if (x[i] == t->hi[i]) t->z[i] = t->b.hi[i];
    }
    if (!pp_box_F(&t->b, t->z, t->w)) return false;
    for (int i = 0; i < n; i++) {
        f[i] = t->w[i] / t->W[i];
        if (t->lambda > 0) f[i] += t->lambda * (x[i] - t->centre[i]);
    }
    return true;
}

static double merit(const state *t, const double *x, const double *f) {
    double sum = 0, psi, da, db;
    for (int i = 0; i < t->b.n; i++) {
        (void)pp_newton_fischer(x[i], f[i], t->lo[i], t->hi[i], 1, 0, &psi, &da, &db);
        sum += psi * psi;
    }
    return isfinite(sum) ? sum / 2 : INFINITY;
}

/* Fischer-Burmeister and its derivatives at x; at kinks along the vector that is 1 there and 0 elsewhere (De Luca,
 * Facchinei, Kanzow, procedure 3.1). */
static void linearise(state *t) {
    int n = t->b.n, kinks = 0;
    for (int i = 0; i < n; i++) {
        bool kink = pp_newton_fischer(t->x[i], t->f[i], t->lo[i], t->hi[i], 1, 0, &t->psi[i], &t->da[i], &t->db[i]);
        t->next[i] = kink ? 1 : 0;
        kinks += kink;
    }
    if (kinks == 0) return;
    pp_box_mul(&t->b, t->s.A, t->next, t->fnext);
    for (int i = 0; i < n; i++)
        if (t->next[i] > 0)
            (void)pp_newton_fischer(t->x[i], t->f[i], t->lo[i], t->hi[i], 1, t->fnext[i] + t->lambda, &t->psi[i],
                                    &t->da[i], &t->db[i]);
}

/* g = V'psi */
static void gradient(state *t) {
    int n = t->b.n;
    for (int i = 0; i < n; i++) t->next[i] = t->db[i] * t->psi[i];
    pp_box_mul_transposed(&t->b, t->s.A, t->next, t->g);
    for (int i = 0; i < n; i++) t->g[i] += t->da[i] * t->psi[i] + t->lambda * t->next[i];
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Largest natural map in scaled variables, the proximal term included. */
static double scaled_residual(const state *t) {
    double most = 0, psi, da, db;
    for (int i = 0; i < t->b.n; i++) {
        (void)pp_newton_mid(t->x[i], t->f[i], t->lo[i], t->hi[i], 1, 0, &psi, &da, &db);
        most = fmax(most, fabs(psi));
    }
    return most;
}

/* Measures the result of evaluate() and keeps the best. */
static double note(state *t) {
    double r = pp_box_natural(&t->judge, t->z, t->w);
    if (r < t->least) {
        t->least = r;
        memcpy(t->best, t->z, sizeof *t->best * (size_t)t->b.n);
    }
    return r;
}

/* Rounding error of the rows: a few units in the last place of |J| |z|, in the judge's units. Must be called before A
 * (J in units of the problem) is scaled. */
static double rounding(state *t) {
    const pp_box *b = &t->b;
    double most = 0, *sum = t->next;
    memset(sum, 0, sizeof *sum * (size_t)b->n);
    for (int j = 0; j < b->n; j++)
        for (int k = first_of(b, j); k < first_of(b, j + 1); k++) sum[row_of(b, k, j)] += fabs(t->s.A[k] * t->z[j]);
    for (int i = 0; i < b->n; i++) most = fmax(most, sum[i] / t->wu[i]);
    return 4 * DBL_EPSILON * most;
}

/* --- direction --------------------------------------------------------------------------------------------------- */

static bool descends(const state *t) {
    double slope = dot(t->b.n, t->g, t->d), size = sqrt(dot(t->b.n, t->d, t->d));
    return isfinite(size) && slope <= -DESCENT * pp_pow(size, POWER) && slope < 0;
}

static bool newton_direction(state *t, const double *psi, const double *da, const double *db, double shift) {
    pp_newton_matrix(&t->s, da, db, t->lambda + shift);
    for (int i = 0; i < t->b.n; i++) t->d[i] = -psi[i];
    return pp_newton_solve(&t->s, t->d) && descends(t);
}

/* Returns true if t->d is a Newton direction; otherwise it is damped, or steepest descent. */
static bool choose_direction(state *t, double theta) {
    int n = t->b.n;
    if (t->law != pp_newton_fischer) {
        for (int i = 0; i < n; i++)
            (void)t->law(t->x[i], t->f[i], t->lo[i], t->hi[i], 1, 0, &t->e[i], &t->ea[i], &t->eb[i]);
        if (newton_direction(t, t->e, t->ea, t->eb, 0)) return true;
    }
    if (newton_direction(t, t->psi, t->da, t->db, 0)) return true;
    for (double shift = 1e-8; shift < 1; shift *= 1e4)
        if (newton_direction(t, t->psi, t->da, t->db, shift)) return true;
    double size = sqrt(2 * theta);
    pp_newton_matrix(&t->s, t->da, t->db, t->lambda);
    for (double mu = 1e-3; mu < 1e3; mu *= 1e2)
        if (pp_newton_least(&t->s, mu * fmin(1, size), t->psi, t->d) && descends(t)) return false;
    for (int i = 0; i < n; i++) t->d[i] = -t->g[i];
    return false;
}

/* --- step -------------------------------------------------------------------------------------------------------- */

/* Trial point x + step d and its merit. If F is not defined there, the point is first moved between the bounds. */
static double try_step(state *t, double step) {
    int n = t->b.n;
    for (int i = 0; i < n; i++) t->next[i] = t->x[i] + step * t->d[i];
    if (t->b.linear) {
        for (int i = 0; i < n; i++) t->fnext[i] = t->f[i] + step * t->Ad[i];
        return merit(t, t->next, t->fnext);
    }
    if (evaluate(t, t->next, t->fnext)) return merit(t, t->next, t->fnext);
    for (int i = 0; i < n; i++) t->next[i] = fmin(fmax(t->next[i], t->lo[i]), t->hi[i]);
    return evaluate(t, t->next, t->fnext) ? merit(t, t->next, t->fnext) : INFINITY;
}

static void prepare_line(state *t) {
    if (!t->b.linear) return;
    pp_box_mul(&t->b, t->s.A, t->d, t->Ad);
    for (int i = 0; i < t->b.n; i++) t->Ad[i] += t->lambda * t->d[i];
}

static void remember(state *t, double theta) { t->history[t->nhistory++ % t->set->memory] = theta; }

static double reference(const state *t) {
    double most = 0;
    for (int i = 0; i < t->nhistory && i < t->set->memory; i++) most = fmax(most, t->history[i]);
    return most;
}

/* Armijo search along t->d from t->x with the given slope; returns 0 if no step decreases the merit enough. */
static double search_line(state *t, double limit, double slope) {
    for (double step = 1; step >= LEAST_T; step *= SHORTEN)
        if (try_step(t, step) <= limit + PP_ARMIJO * step * slope) return step;
    return 0;
}

static void accept(state *t) {
    double *swap = t->x;
    t->x = t->next;
    t->next = swap;
}

/* The watchdog's memory. */
typedef struct watch {
    int loose;           /* number of full steps without check */
    int rest;            /* number of steps until unchecked steps are allowed again */
    double limit, slope; /* Armijo's terms at the saved point */
    bool off;
} watch;

/* Moves to the next point, or back to the saved one. Returns false if no step decreases the merit. */
static bool step(state *t, watch *d, double theta) {
    int n = t->b.n;
    bool newton = choose_direction(t, theta);
    double slope = dot(n, t->g, t->d);
    prepare_line(t);
    if (d->loose == 0) remember(t, theta);
    double limit = newton ? reference(t) : theta;
    double full = try_step(t, 1);
    double goal = d->loose > 0 ? d->limit + PP_ARMIJO * d->slope : limit + PP_ARMIJO * slope;
    if (full <= goal) {
        d->loose = 0;
        if (d->rest > 0) d->rest--;
        accept(t);
        return true;
    }
    if (newton && d->rest == 0 && d->loose < t->set->watchdog && full < RISE * (theta + DBL_MIN)) {
        if (d->loose++ == 0) {
            memcpy(t->kept, t->x, sizeof *t->x * (size_t)n);
            memcpy(t->kept_d, t->d, sizeof *t->d * (size_t)n);
            d->limit = limit;
            d->slope = slope;
        }
        accept(t);
        return true;
    }
    if (d->loose > 0) { /* the unchecked steps failed: go back and search there */
        memcpy(t->x, t->kept, sizeof *t->x * (size_t)n);
        memcpy(t->d, t->kept_d, sizeof *t->d * (size_t)n);
        if (!evaluate(t, t->x, t->f)) return false;
        limit = d->limit;
        slope = d->slope;
        d->loose = 0;
        d->rest = WINDOW;
        t->nhistory = 0;
        remember(t, limit);
        prepare_line(t);
    } else if (d->rest > 0) {
        d->rest--;
    }
    if (search_line(t, limit, slope) == 0) return false;
    accept(t);
    return true;
}

/* Steps from t->x with the proximal weight t->lambda until the judge's measure is within tol, or, with lambda, until
 * the scaled residual is below goal. */
static ending run(state *t, double goal, int budget) {
    watch dog = {0};
    double least = INFINITY, before = INFINITY;
    t->nhistory = 0;
    for (int k = 0;; k++) {
        if (!evaluate(t, t->x, t->f) || !pp_box_J(&t->b, t->z, t->s.A)) return NUMERICS;
        if (!t->b.linear && !t->natural) pp_box_units(&t->b, t->w_unit, t->s.A, t->zu, t->wu);
        double r = note(t);
        if (t->steps > t->looked) { /* a restart begins where a step ended: check only once */
            t->looked = t->steps;
            if (!perp_call_look(t->call, t->steps, t->z)) return STOPPED;
        }
        if (r <= t->set->tol || (r <= ALMOST_SOLVED_FACTOR * t->set->tol && r <= rounding(t))) return SOLVED;
        if (t->lambda > 0 && scaled_residual(t) <= goal) return INNER;
        if (t->steps >= t->set->max_steps) return LIMIT;
        if (k >= budget) return STALL;
        scale_matrix(t);
        linearise(t);
        gradient(t);
        double theta = dot(t->b.n, t->psi, t->psi) / 2;
        if (theta < least) least = theta;
        if (k % WINDOW == WINDOW - 1) {
            if (!(least < STALLED * before)) return STALL;
            before = least;
        }
        t->steps++;
        if (!step(t, &dog, theta)) return STALL;
    }
}

/* --- restarts ---------------------------------------------------------------------------------------------------- */

/* Start of proximal restart k: the best point; the neutral one; the scaled points 1, -1, 2, ... All are moved between
 * the bounds. */
static void restart_point(state *t, int k) {
    for (int i = 0; i < t->b.n; i++) {
        double x = k == 0 ? t->best[i] / t->Z[i] : k == 1 ? 0 : (k % 2 ? -1 : 1) * (k / 2);
        t->x[i] = fmin(fmax(x, t->lo[i]), t->hi[i]);
    }
}

/* Proximal points from t->x. Ends after a few successive failures: then there is nothing near. */
static ending proximal(state *t) {
    ending e = STALL;
    size_t bytes = sizeof *t->x * (size_t)t->b.n;
    memcpy(t->centre, t->x, bytes);
    double lambda = LAMBDA_FIRST;
    for (int failures = 0; failures < PP_PATIENCE;) {
        t->lambda = 0;
        if (!evaluate(t, t->centre, t->f)) return NUMERICS;
        memcpy(t->x, t->centre, bytes);
        double goal = INNER_GOAL * scaled_residual(t);
        t->lambda = lambda;
        e = run(t, goal, INNER_STEPS);
        if (e == INNER) {
            memcpy(t->centre, t->x, bytes);
            if (lambda <= LAMBDA_LEAST) break;
            lambda = fmax(LAMBDA_LEAST, lambda * LAMBDA_DOWN);
            failures = 0;
        } else if (e == STALL || e == NUMERICS) {
            lambda *= LAMBDA_UP;
            failures++;
        } else {
            break;
        }
    }
    t->lambda = 0;
    return e;
}

/* A plain run from t->x with the other law. Each equation has minima of its merit or cycles that the other does not
 * have. Near a solution that is not isolated, the natural map, which selects one active set, gives the last digits. */
static ending run_other(state *t, int budget) {
    pp_newton_law own = t->law;
    t->law = own == pp_newton_mid ? pp_newton_fischer : pp_newton_mid;
    ending e = run(t, 0, budget);
    t->law = own;
    return e;
}

/* New scales from J at the best point: far from the start the first ones may be wrong by orders of magnitude. */
static void rescale(state *t) {
    size_t bytes = sizeof *t->x * (size_t)t->b.n;
    if (t->b.linear || t->natural || !(t->least < INFINITY)) return;
    memcpy(t->z, t->best, bytes);
    if (!pp_box_F(&t->b, t->z, t->w) || !pp_box_J(&t->b, t->z, t->s.A)) return;
    for (int i = 0; i < t->b.n; i++) t->start[i] *= t->Z[i];
    choose_scales(t, t->s.A, t->w);
    for (int i = 0; i < t->b.n; i++) t->start[i] = fmin(fmax(t->start[i] / t->Z[i], t->lo[i]), t->hi[i]);
}

static bool go_on(ending e) { return e == STALL || e == INNER || e == NUMERICS; }

static ending solve_all(state *t) {
    memcpy(t->start, t->x, sizeof *t->x * (size_t)t->b.n);
    ending e = run(t, 0, t->set->max_steps);
    int k = 0;
    for (; k < t->set->restarts && go_on(e); k++) {
        rescale(t);
        if (k > 0) {
            restart_point(t, k - 1);
            e = proximal(t);
        } else {
            memcpy(t->x, t->start, sizeof *t->x * (size_t)t->b.n);
            e = run_other(t, t->set->max_steps);
        }
        if (go_on(e) && t->least < POLISH) {
            restart_point(t, 0);
            e = run_other(t, WINDOW);
        }
    }
    if (k > 0) pp_tell(t->info, "%d restart%s", k, k > 1 ? "s" : "");
    return e;
}

/* --- setting up -------------------------------------------------------------------------------------------------- */

static bool lay_out(state *t, int n) {
    double **array[] = {&t->Z,      &t->W,    &t->lo,     &t->hi, &t->x,    &t->f,     &t->w,  &t->next, &t->fnext,
                        &t->psi,    &t->da,   &t->db,     &t->ea, &t->eb,   &t->e,     &t->g,  &t->d,    &t->Ad,
                        &t->centre, &t->kept, &t->kept_d, &t->z,  &t->best, &t->start, &t->zu, &t->wu};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        if (!(*array[i] = PP_CALL_ARRAY(t->call, double, n))) return false;
    return true;
}

/* Finds a start where F and J are defined: the guess between its bounds, otherwise neutral points. J is in t->s.A, the
 * point in t->best. */
static bool find_start(state *t, const double *z) {
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < t->b.n; i++) t->best[i] = k == 0 ? z[i] : k == 1 ? 0 : t->b.zs[i];
        pp_box_clip(&t->b, t->best);
        if (pp_box_F(&t->b, t->best, t->w) && pp_box_J(&t->b, t->best, t->s.A)) return true;
    }
    return false;
}

static double unit_of(const state *t, const double *w) {
    double most = 0;
    for (int i = 0; i < t->b.n; i++) most = fmax(most, fabs(w[i]) / t->b.ws[i]);
    return most > 0 && isfinite(most) ? most : 1;
}

/* Rows at zero. If F is not defined there: at the nearest point within the bounds, as in the judge. */
static bool rows_at_zero(state *t, double *w) {
    memset(t->z, 0, sizeof *t->z * (size_t)t->b.n);
    if (pp_box_F(&t->b, t->z, w)) return true;
    pp_box_clip(&t->b, t->z);
    return pp_box_F(&t->b, t->z, w);
}

/* Units, scales and the scaled start. */
static bool begin(state *t, const double *z) {
    int n = t->b.n;
    if (!find_start(t, z)) return false;
    bool known = rows_at_zero(t, t->f);
    t->w_unit = known ? unit_of(t, t->f) : 1;
    choose_scales(t, t->s.A, known ? t->f : t->w);
    pp_box_units(&t->b, t->w_unit, t->s.A, t->zu, t->wu);
    t->judge = t->b;
    t->judge.zs = t->zu;
    t->judge.ws = t->wu;
    for (int i = 0; i < n; i++) t->x[i] = fmin(fmax(t->best[i] / t->Z[i], t->lo[i]), t->hi[i]);
    return true;
}

/* The best point, moved between its bounds if that is no worse. */
static void answer(state *t, double *z) {
    memcpy(z, t->best, sizeof *z * (size_t)t->b.n);
    memcpy(t->z, t->best, sizeof *z * (size_t)t->b.n);
    pp_box_clip(&t->b, t->z);
    if (pp_box_F(&t->b, t->z, t->w) && pp_box_natural(&t->judge, t->z, t->w) <= t->least)
        memcpy(z, t->z, sizeof *z * (size_t)t->b.n);
}

static bool is_guess(const pp_box *b, const double *z) {
    for (int i = 0; i < b->n; i++)
        if (z[i] != fmin(fmax(0, b->lo[i]), b->hi[i])) return true;
    return false;
}

perp_outcome pp_newton_run(const perp_problem *p, pp_newton_law law, const pp_newton_settings *set, double *z,
                           const perp_call *call, perp_solve_info *info) {
    state t = {.law = law, .set = set, .call = call, .info = info, .least = INFINITY, .looked = -1};
    t.natural = p->z_scale || p->w_scale;
    info->iterations = info->factorisations = 0;
    info->warm = false;
    if (perp_problem_size(p) == 0) return PERP_OUTCOME_SOLVED;
    bool room = pp_box_make(&t.b, p, call) && lay_out(&t, t.b.n);
    room = pp_newton_system_make(&t.s, &t.b, call) && room;
    ending e = NUMERICS;
    bool guess = room && is_guess(&t.b, z);
    if (room && begin(&t, z)) {
        e = solve_all(&t);
        if (t.least < INFINITY) answer(&t, z);
    } else if (room) {
        pp_box_clip(&t.b, z);
    }
    pp_newton_system_free(&t.s);
    info->iterations = t.steps;
    info->factorisations = t.s.count;
    if (!room) return PERP_OUTCOME_MEMORY;
    info->warm = e == SOLVED && guess;
    switch (e) {
    case SOLVED: return PERP_OUTCOME_SOLVED;
    case STOPPED: return PERP_OUTCOME_STOPPED;
    case NUMERICS: return PERP_OUTCOME_NUMERICS;
    default: return PERP_OUTCOME_LIMIT;
    }
}

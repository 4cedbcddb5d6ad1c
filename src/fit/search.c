/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* search.c - nonlinear least squares between bounds, from one start
 *   least  F(x) = sum rho(r_i(x)) + sum ((x_j - prior_j)/sd_j)^2   with  lower <= x <= upper
 * Method   Gauss-Newton in a trust region that is a box, |d_j| <= radius scale_j. A step is the least value of the linearised
 *          problem over the intersection of that box with the bounds, found exactly (box_qp.c): a parameter whose optimum lies at a
 *          bound gets there exactly. A robust loss enters by weights taken at the present residuals (iterated reweighting).
 *          A step that raises the cost, or a point that cannot be evaluated, shrinks the box.
 *          Kinks: where the box has shrunk to nothing though the model still promises an improvement, derivatives are taken
 *          again over wider differences, which average over the kink, WIDENINGS times. Where a parameter changes
 *          nothing, and at a kink that stays, probes along the parameters (probe.c) may find a better point to continue from, PROBES times.
 * Ends     converged: the next full step promises less than tolerance^2 of the cost (it moves by less than tolerance sqrt(dof)
 *          standard errors), or a step was shorter than tolerance in every parameter, or what the model promises is below what
 *          the residuals resolve. Not converged: iterations used up; stuck at a kink; derivatives could not be evaluated.
 * Valid    residuals piecewise smooth. The optimum is local.
 * Cost     an iteration: one Jacobian (2 n points, one call; fewer where parameters share no residual, groups.c) unless the step before was refused, one point, m n^2 products.
 * Source   Nocedal, Wright, Numerical Optimization (2nd ed.), 10.3, 4.1; Conn, Gould, Toint, Trust-Region Methods (2000), 13.1;
 *          Holland, Welsch, Commun. Stat. A6 (1977) for reweighting. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

#define POOR      0.25  /* share of the promised improvement below which the box shrinks */
#define GOOD      0.75  /* above which it grows, if it limited the step */
#define WIDEST    1e3   /* times the scale */
#define NOTHING   1e-11 /* times the scale: radius at which the box counts as shrunk to nothing */
#define RESOLVED  1e-13 /* of the cost: smaller changes are rounding of the sum */
#define WIDENINGS 2
#define WIDER     50.0
#define FLAT \
    1e-10 /* influence over a scale, relative to the strongest; smaller ones may be rounding errors of differences */
#define PROBES    3    /* rounds of probes in one search */
#define FINE      1e-5 /* times the scale: smallest step where residuals are rough; steps of differences are longer */
#define NO_MATTER 1e-6 /* of cost/dof: an improvement that moves the parameters by less than 1e-3 standard errors */
#define SMALL     1e-2 /* the same for 0.1 standard errors: rough residuals resolve no more */

typedef struct search {
    pp_fit *f;
    double *x, cost, radius;
    double widening; /* of differences */
    int widened, probed;
    pp_fit_end *end;
} search;

static bool finish(search *s, bool converged, const char *reason) {
    s->end->converged = converged;
    s->end->reason = reason;
    return true;
}

/* Half the gradient and the Gauss-Newton matrix; which parameters are flat. True if one is. */
static bool normal_equations(pp_fit *f, const double *x) {
    int n = f->n, m = f->m;
    double strongest = 0;
    bool flat = false;
    double *w = f->trial_r; /* weights: the last trial's residuals are not needed any more */
    for (int i = 0; i < m; i++) w[i] = pp_loss_weight(f->loss, f->loss_scale, f->r[i]);
    for (int j = 0; j < n; j++) {
        const double *a = f->J + (size_t)m * (size_t)j;
        double sum = 0;
        for (int i = 0; i < m; i++) sum += w[i] * a[i] * f->r[i];
        f->g[j] = sum;
        for (int k = 0; k <= j; k++) {
            const double *b = f->J + (size_t)m * (size_t)k;
            sum = 0;
            for (int i = 0; i < m; i++) sum += w[i] * a[i] * b[i];
            f->B[j + n * k] = f->B[k + n * j] = sum;
        }
        strongest = fmax(strongest, f->B[j + n * j] * f->scale[j] * f->scale[j]);
        double sd = f->p->prior_sd ? f->p->prior_sd[j] : INFINITY;
        if (!isfinite(sd) || pp_fit_fixed(f, j)) continue;
        f->g[j] += (x[j] - f->p->prior_mean[j]) / (sd * sd);
        f->B[j + n * j] += 1 / (sd * sd);
    }
    for (int j = 0; j < n; j++) {
        const double *a = f->J + (size_t)m * (size_t)j;
        double sum = 0;
        for (int i = 0; i < m; i++) sum += w[i] * a[i] * a[i];
        f->flat[j] = !pp_fit_fixed(f, j) && !(sum * f->scale[j] * f->scale[j] > FLAT * FLAT * strongest);
        flat |= f->flat[j];
    }
    return flat;
}

/* The step in the box of the given radius, into f->d and f->trial. Returns the improvement that the model promises. */
static double model_step(search *s, double radius, bool *held) {
    pp_fit *f = s->f;
    int n = f->n;
    double *low = f->trial + n, *high = low + n;
    for (int j = 0; j < n; j++) {
        low[j] = fmax(f->lower[j] - s->x[j], -radius * f->scale[j]);
        high[j] = fmin(f->upper[j] - s->x[j], radius * f->scale[j]);
    }
    double gain = 2 * pp_box_qp(&(pp_box_qp_data){n, f->B, f->g, low, high}, f->d, f->side, f->qp);
    *held = false;
    for (int j = 0; j < n; j++) {
        double limit = f->side[j] > 0 ? f->upper[j] : f->lower[j], box = radius * f->scale[j];
        bool at_bound = f->side[j] && fabs(limit - s->x[j]) <= box;
        f->trial[j] = at_bound ? limit : s->x[j] + f->d[j];
        *held |= f->side[j] && !at_bound;
    }
    pp_fit_clip(f, f->trial);
    return gain;
}

static double relative_length(const search *s, const double *to) {
    double most = 0;
    for (int j = 0; j < s->f->n; j++) most = fmax(most, fabs(to[j] - s->x[j]) / (fabs(s->x[j]) + s->f->scale[j]));
    return most;
}

/* How long the step was, in scales: what the box is shrunk to. */
static double box_length(const search *s) {
    double most = 0;
    for (int j = 0; j < s->f->n; j++) most = fmax(most, fabs(s->f->trial[j] - s->x[j]) / s->f->scale[j]);
    return most;
}

/* A clearly better point along one of the parameters: the search goes on from there. */
static bool look_around(search *s, const bool *which, bool together, bool *fresh) {
    if (s->probed == PROBES || s->f->stopped) return false;
    s->probed++;
    if (!pp_fit_probe(s->f, s->x, &s->cost, which, together)) {
        s->probed = PROBES; /* no better point: do not probe again */
        return false;
    }
    *fresh = false;
    s->radius = s->widening = 1;
    s->widened = 0;
    return true;
}

/* The box has shrunk to nothing. True: ended. */
static bool stuck(search *s, bool *fresh) {
    pp_fit *f = s->f;
    bool held;
    double promised = model_step(s, WIDEST, &held);
    int dof = f->m > f->n ? f->m - f->n : 1;
    if (promised <= NO_MATTER * s->cost / dof)
        return finish(s, true, "the residuals do not resolve a further improvement");
    if (f->rough && promised <= SMALL * s->cost / dof)
        return finish(s, true, "the cost is rough, and no step lowers it further");
    if (s->widened == WIDENINGS || f->p->jacobian || f->rough) {
        for (int j = 0; j < f->n; j++) f->flat[j] = true;
        if (look_around(s, f->flat, false, fresh)) return false;
        return finish(s, false,
                      f->rough ? "the run jumps as the unknowns change, and no step lowers the cost: expect errors "
                                 "beyond those told, and try a smaller time step"
                               : "no step lowers the cost: the optimum is at a kink, or the residuals are noisy");
    }
    s->widened++;
    s->widening *= WIDER;
    s->radius = 10 * s->widening * f->o.difference;
    *fresh = false;
    return false;
}

/* One iteration. True: ended. fresh: J, g and B belong to x. */
static bool iterate(search *s, bool *fresh, bool *first) {
    pp_fit *f = s->f;
    if (!*fresh) {
        bool ok = *first ? pp_fit_jacobian_checked(f, s->x, f->r, true) : pp_fit_jacobian(f, s->x, f->r, s->widening);
        if (!ok) return finish(s, false, "derivatives could not be evaluated: points beside the last one fail");
        if (*first) (void)pp_fit_smooth(f, s->x, s->cost);
        bool flat = normal_equations(f, s->x);
        *fresh = true;
        *first = false;
        if (flat && look_around(s, f->flat, true, fresh)) return false;
        if (f->stopped) return true;
    }
    bool held;
    double tol = f->o.tolerance, promised = model_step(s, s->radius, &held);
    if (!(promised > (held ? 0 : tol * tol * s->cost)))
        return finish(s, true, "the next step would change the cost by less than the tolerance");
    f->iterations++;
    if (!pp_fit_evaluate(f, 1, f->trial, f->trial_r)) return finish(s, false, "stopped");
    double cost = pp_fit_cost(f, f->trial, f->trial_r), gain = s->cost - cost;
    double length = box_length(s), step = relative_length(s, f->trial);
    if (!(gain > 0)) {
        if (promised <= RESOLVED * s->cost)
            return finish(s, true, "the residuals do not resolve a further improvement");
        if (pp_fit_grouped(f)) { /* the pattern may have changed: derivatives column by column */
            pp_fit_ungroup(f);
            *fresh = false;
        }
        s->radius = POOR * fmin(length, s->radius);
        return s->radius < (f->rough ? FINE : NOTHING) && stuck(s, fresh);
    }
    if (gain < POOR * promised)
        s->radius = POOR * length;
    else if (gain > GOOD * promised && held)
        s->radius = fmin(2 * s->radius, WIDEST);
    s->cost = cost;
    memcpy(s->x, f->trial, sizeof *s->x * (size_t)f->n);
    memcpy(f->r, f->trial_r, sizeof *f->r * (size_t)f->m);
    *fresh = false;
    if (step <= tol && !held) return finish(s, true, "the last step was shorter than the tolerance");
    if (s->radius < NOTHING) s->radius = 10 * NOTHING; /* it still improves */
    return false;
}

perp_status pp_fit_search(pp_fit *f, double *x, pp_fit_end *end) {
    search s = {.f = f, .x = x, .radius = 1, .widening = 1, .end = end};
    *end = (pp_fit_end){.cost = INFINITY, .reason = "the residuals could not be evaluated at the start"};
    pp_fit_clip(f, x);
    if (!pp_fit_evaluate(f, 1, x, f->r)) return PERP_E_STOPPED;
    s.cost = pp_fit_cost(f, x, f->r);
    if (!isfinite(s.cost)) return PERP_E_SOLVE;
    bool fresh = false, first = !f->rough, ended = false;
    end->reason = "the iterations are used up";
    for (int k = 0; k < f->o.iterations && !ended; k++) ended = iterate(&s, &fresh, &first);
    end->cost = s.cost;
    return f->no_memory ? PERP_E_MEMORY : f->stopped ? PERP_E_STOPPED : PERP_OK;
}

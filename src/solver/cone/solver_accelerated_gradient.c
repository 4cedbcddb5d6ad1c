/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_accelerated_gradient.c - accelerated projected gradient for cone QPs, QPs with bounds, and cone problems
 *   min x'Wx/2 + q'x over cones and bounds: with v = W x + q, x = P(x - v)
 * Method   Nesterov's gradient steps x+ = P(y - v(y)/L) from a point y that is extrapolated along the last change. L grows until the quadratic
 *          model bounds the objective, and shrinks a little in each step. The momentum is dropped if the last change goes uphill
 *          (adaptive restart). Products with y follow from those with x, so a step costs one product. Cone problems are scaled as in
 *          cone.h, QPs to unit diagonal. Coulomb's law (PERP_CONE) is an outer fixed-point iteration: De Saxce's term s = mu |v_T| is held
 *          constant, added to the normal rows, and updated when the inner problem is solved to a tenth of the outer residual. If the
 *          residual grows, s is moved only half of the way.
 * Valid    Symmetric positive semidefinite W. The number of steps grows as the square root of the condition number: fast to three or four
 *          digits. The fixed-point iteration has no proof of convergence; failure is reported. QPs with rows (m > 0) are not supported.
 * Cost     One product with W per step, and one more each time L must grow.
 * Source   Nesterov (1983); Beck, Teboulle, SIAM J. Imaging Sci. 2 (2009); O'Donoghue, Candes (2015) for the restart;
 *          Mazhar, Heyn, Negrut, Tasora, ACM Trans. Graphics 34 (2015); Acary, Cadoux (2013) for the fixed point. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/rounding.h"
#include "problem/judge/measure.h"
#include "solver/cone/cone_figure.h"
#include "solver/common/solver.h"
#include "base/elementary.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Factor of the bound L after each accepted step. */
#define SHRINK_L 0.9
/* [1] Inner tolerance, as a fraction of the outer residual. */
#define INNER 0.1
/* [1] Smallest step of the fixed-point iteration of slip. */
#define LEAST_STEP 0.1

typedef struct settings {
    int max_iterations;
    double tol;
} settings;

static const perp_field fields[] = {
    {"max_iterations", PERP_FIELD_INT, offsetof(settings, max_iterations), 20000, 1, 1e9, "gradient steps"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-16, 1, "unit-free natural map at which to stop"},
};

/* A quadratic over a convex set: the problem of the inner iteration. */
typedef struct task {
    int n;
    double *q; /* n: gradient at 0, with the present De Saxce term */
    const perp_call *call;
    /* one of the two */
    pp_cone *c;
    const perp_qp *qp;
    double *d; /* n: x of the QP is d x */
    pp_qp_judge *judge;
    pp_cone outer;                /* cone problems: with De Saxce's term if the class has it */
    pp_cone_figure within, given; /* figures of the two */
    double *answer;
    double L;
    /* n each: point, its product, the one before, the extrapolated, the next, gradient, scratch */
    double *x, *Wx, *y, *Wy, *next, *Wnext, *g;
    double *best, least; /* by `outer_figure` */
    double *v;
    int steps, max_steps;
} task;

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

static void apply(task *t, const double *x, double *y) {
    if (t->c) {
        pp_cone_apply(t->c, x, y);
        return;
    }
    const perp_sparse *Q = &t->qp->Q;
    memset(y, 0, sizeof *y * (size_t)t->n);
    for (int j = 0; j < t->n; j++)
        for (int k = Q->start[j]; k < Q->start[j + 1]; k++)
            y[Q->index[k]] += t->d[Q->index[k]] * Q->value[k] * t->d[j] * x[j];
}

static void project(task *t, double *x) {
    const pp_cone *c = t->c;
    if (c) {
        for (int i = 0; i < c->nrow; i++) x[i] = clamp(x[i], c->lo[i], c->hi[i]);
        for (int i = c->nrow; i < c->nblock; i++) pp_cone_project(c->dim, c->mu[i], x + c->first[i]);
        return;
    }
    for (int i = 0; i < t->n; i++) {
        double lo = t->qp->lo ? t->qp->lo[i] : -INFINITY, hi = t->qp->hi ? t->qp->hi[i] : INFINITY;
        x[i] = clamp(x[i], lo / t->d[i], hi / t->d[i]);
    }
}

/* Answer in the variables of the problem. */
static void unscale(const task *t, const double *x, double *z) {
    if (t->c) {
        pp_cone_unscale(t->c, x, z);
        return;
    }
    for (int i = 0; i < t->n; i++) {
        double lo = t->qp->lo ? t->qp->lo[i] : -INFINITY, hi = t->qp->hi ? t->qp->hi[i] : INFINITY;
        z[i] = clamp(t->d[i] * x[i], lo, hi);
    }
}

/* Natural map of the present quadratic, for x with its product. */
static double figure(task *t, const double *x, const double *Wx) {
    if (t->c) {
        for (int i = 0; i < t->n; i++) t->v[i] = Wx[i] + t->q[i];
        return pp_cone_figure_of(&t->within, x, t->v);
    }
    perp_measures m;
    unscale(t, x, t->answer);
    pp_qp_judge_measure(t->judge, t->answer, &m);
    return m.natural;
}

/* Natural map of the problem as given; keeps the best. */
static double outer_figure(task *t, const double *x, const double *Wx) {
    double f;
    if (t->c) {
        for (int i = 0; i < t->n; i++) t->v[i] = Wx[i] + t->outer.q[i];
        f = pp_cone_figure_of(&t->given, x, t->v);
    } else {
        f = figure(t, x, Wx);
    }
    if (f < t->least) {
        t->least = f;
        memcpy(t->best, x, sizeof *x * (size_t)t->n);
    }
    return f;
}

/* next = P(y - g/L), with L large enough that the model bounds the objective. Returns false if it is not finite. */
static bool gradient_step(task *t) {
    int n = t->n;
    for (int i = 0; i < n; i++) t->g[i] = t->Wy[i] + t->q[i];
    for (int tries = 0; tries < 200; tries++) {
        double square = 0, curve = 0;
        for (int i = 0; i < n; i++) t->next[i] = t->y[i] - t->g[i] / t->L;
        project(t, t->next);
        apply(t, t->next, t->Wnext);
        for (int i = 0; i < n; i++) {
            double s = t->next[i] - t->y[i];
            square += s * s;
            curve += s * (t->Wnext[i] - t->Wy[i]);
        }
        if (!isfinite(curve)) return false;
        if (curve <= t->L * square * (1 + 1e-12)) return true;
        t->L = fmax(2 * t->L, fmin(curve / square, 1e3 * t->L));
    }
    return false;
}

typedef enum ended { REACHED, OUT_OF_STEPS, BROKEN, STOPPED } ended;

/* Steps on the present quadratic from t->x until its figure is at most `goal`. given: also measure every point by the
 * given problem. */
static ended descend(task *t, double goal, int budget, bool given) {
    int n = t->n;
    size_t bytes = sizeof(double) * (size_t)n;
    double theta = 1;
    apply(t, t->x, t->Wx);
    memcpy(t->y, t->x, bytes);
    memcpy(t->Wy, t->Wx, bytes);
    for (int k = 0;; k++) {
        double f = given ? outer_figure(t, t->x, t->Wx) : figure(t, t->x, t->Wx);
        if (f <= goal) return REACHED;
        if (perp_call_watched(t->call)) unscale(t, t->x, t->answer);
        if (!perp_call_look(t->call, t->steps, t->answer)) return STOPPED;
        if (k >= budget || t->steps >= t->max_steps) return OUT_OF_STEPS;
        if (!gradient_step(t)) return BROKEN;
        t->steps++;
        double uphill = 0, later = 0.5 * theta * (sqrt(theta * theta + 4) - theta);
        double momentum = theta * (1 - theta) / (theta * theta + later);
        for (int i = 0; i < n; i++) uphill += t->g[i] * (t->next[i] - t->x[i]);
        if (uphill > 0) momentum = 0, later = 1;
        for (int i = 0; i < n; i++) {
            t->y[i] = t->next[i] + momentum * (t->next[i] - t->x[i]);
            t->Wy[i] = t->Wnext[i] + momentum * (t->Wnext[i] - t->Wx[i]);
        }
        memcpy(t->x, t->next, bytes);
        memcpy(t->Wx, t->Wnext, bytes);
        theta = later;
        t->L = fmax(SHRINK_L * t->L, PP_NEGLIGIBLE);
    }
}

/* Coulomb's law: the term s = mu |v_T| is constant in the inner iteration and updated in the outer one. */
static ended fixed_point(task *t, double tol) {
    const pp_cone *c = t->c;
    double step = 1, before = INFINITY;
    apply(t, t->x, t->Wx);
    for (;;) {
        double f = outer_figure(t, t->x, t->Wx);
        if (f <= tol) return REACHED;
        if (f > before) step = fmax(0.5 * step, LEAST_STEP);
        before = f;
        for (int i = c->nrow; i < c->nblock; i++) {
            int N = c->first[i];
            double slip = 0;
            for (int k = 1; k < c->dim; k++) slip = pp_hypot(slip, t->Wx[N + k] + t->outer.q[N + k]);
            double s = t->q[N] - t->outer.q[N];
            t->q[N] = t->outer.q[N] + s + step * (c->mu[i] * slip - s);
        }
        ended e = descend(t, fmax(INNER * fmin(f, 1), 0.3 * tol), t->max_steps, false);
        if (e == OUT_OF_STEPS) (void)outer_figure(t, t->x, t->Wx);
        if (e != REACHED) return e;
    }
}

static bool allocate(task *t, const perp_call *call, int n) {
    double **all[] = {&t->q, &t->x, &t->Wx, &t->y, &t->Wy, &t->next, &t->Wnext, &t->g, &t->best, &t->v, &t->answer};
    t->n = n;
    t->call = call;
    t->least = INFINITY;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = PP_CALL_ARRAY(call, double, n))) return false;
    return true;
}

/* Runs from t->x. L starts at 1, the mean diagonal after scaling; the search adapts it. */
static perp_outcome finish(task *t, const settings *s, bool fixed, double *z, bool guess, perp_solve_info *info) {
    t->L = 1;
    t->max_steps = s->max_iterations;
    project(t, t->x);
    memcpy(t->best, t->x, sizeof *t->x * (size_t)t->n);
    ended e = fixed ? fixed_point(t, s->tol) : descend(t, s->tol, t->max_steps, true);
    unscale(t, t->best, z);
    info->iterations = t->steps;
    info->warm = guess && t->least <= s->tol;
    if (t->least <= s->tol) return PERP_OUTCOME_SOLVED;
    return e == STOPPED ? PERP_OUTCOME_STOPPED : e == BROKEN ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_LIMIT;
}

static bool any(const double *z, int n) {
    for (int i = 0; i < n; i++)
        if (z[i] != 0) return true;
    return false;
}

static perp_outcome solve_qp(const perp_problem *p, const settings *s, double *z, const perp_call *call,
                             perp_solve_info *info) {
    task t = {.qp = &p->as.qp};
    const perp_sparse *Q = &t.qp->Q;
    if (t.qp->m > 0) {
        pp_tell(info, "rows are not supported, only bounds");
        return PERP_OUTCOME_TOO_LARGE;
    }
    if (!allocate(&t, call, t.qp->n)) return PERP_OUTCOME_MEMORY;
    t.d = PP_CALL_ARRAY(call, double, t.n);
    t.judge = pp_qp_judge_new(t.qp, call->arena);
    if (!t.d || !t.judge) return PERP_OUTCOME_MEMORY;
    for (int j = 0; j < t.n; j++) {
        t.d[j] = 1;
        for (int k = Q->start[j]; k < Q->start[j + 1]; k++)
            if (Q->index[k] == j && Q->value[k] > 0) t.d[j] = 1 / sqrt(Q->value[k]);
        t.q[j] = t.d[j] * t.qp->c[j];
        t.x[j] = z[j] / t.d[j];
    }
    return finish(&t, s, false, z, any(z, t.n), info);
}

static perp_outcome solve_cone(const perp_problem *p, const settings *s, double *z, const perp_call *call,
                               perp_solve_info *info) {
    task t = {0};
    pp_cone inner;
    bool singular = false;
    if (!pp_cone_make(&inner, p, call, &singular)) {
        if (singular) pp_tell(info, "the mass matrix is singular");
        return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    }
    if (!allocate(&t, call, inner.m)) return PERP_OUTCOME_MEMORY;
    t.outer = inner;
    inner.associated = true;
    t.c = &inner;
    if (!pp_cone_figure_make(&t.within, &inner, call) || !pp_cone_figure_make(&t.given, &t.outer, call))
        return PERP_OUTCOME_MEMORY;
    memcpy(t.q, inner.q, sizeof *t.q * (size_t)t.n);
    pp_cone_scale(&inner, z, t.x);
    return finish(&t, s, p->cls == PERP_CONE, z, any(z, t.n), info);
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    (void)work;
    return p->cls == PERP_QP ? solve_qp(p, set, z, call, info) : solve_cone(p, set, z, call, info);
}

const perp_solver_type pp_solver_accelerated_gradient = {
    .abi = PERP_ABI,
    .name = "accelerated-gradient",
    .source = "Mazhar, Heyn, Negrut, Tasora (2015)",
    .takes = PERP_QP | PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_admm.c - accelerated ADMM between the linear operator and the cones
 * Problem  A scaled cone problem (cone.h): v = W~ x + q~, with Coulomb's law or the law of a cone QP between x and v.
 * Method   x = (W~ + p I)^-1 (p y + w - q~ - s),   y = P_K(x^ - w/p),   w += p (y - x^),   x^ = a x + (1 - a) y,
 *          s = mu |w_T| on normal rows (De Saxce's term; none for a cone QP); bounded rows are projected on [lo, hi]. With t = x^ - w/p
 *          this is one fixed-point map (Douglas and Rachford): y = P_K(t), w = p (y - t), t += a (x - y). Its change g = a (x - y) is
 *          extrapolated from the last pairs (Anderson, type II): t + g - (dT + dG) c with the least |g - dG c|. A point at which |g| has
 *          grown to twice its minimum is rejected. If |g| no longer decreases, some plain iterations are made, and the memory is
 *          cleared. p follows the ratio of the two relative residuals, at increasing intervals, because every change costs a
 *          factorisation. p stays below 1, the mean diagonal of W~: larger values make the residual small and the progress even smaller.
 *          Systems too large to factorise are solved by conjugate gradients from the last solution, as accurately as the iteration needs.
 * Valid    Cone QP with semidefinite W: plain iterations always converge. Coulomb: no proof; in practice fast to four digits. If load can be
 *          redistributed among many contacts (deep packings), t moves along a line for long, and Newton's method is needed for
 *          the last digits.
 * Cost     Per iteration one solution with the factors, or some conjugate gradient iterations; 1 to 10 factorisations.
 * Source   Gabay, Mercier (1976); Eckstein, Bertsekas (1992) for a; De Saxce, Feng (1998); Boyd et al. (2010) 3.4.1 for
 *          p; Walker, Ni (2011); Zhang, O'Donoghue, Boyd (2020) for the safeguard. */
#include "solver/cone/cone_admm.h"

#include <math.h>
#include <string.h>

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Smallest penalty p, in units of the mean diagonal of W~. Half and double: no effect. */
#define LEAST_PENALTY 1e-6
/* [1] Largest penalty p: beyond the mean diagonal of W~ progress is small. Half and double: other bits only. */
#define MOST_PENALTY 1.0
/* [1] Largest factor of a change of p. Half: work -8 %; double: work -1 %. */
#define MOST_CHANGE 10.0
/* [1] p is changed only by at least this factor, because a change costs a factorisation. Half: work -3 %; double: work
 * +5 %. */
#define LEAST_CHANGE 2.0
/* [1] Growth of the interval between two changes of p. Half: work +3 %; double: work -5 %. */
#define RARER 1.5
/* [1] An extrapolated point is rejected if |g| grows by this factor. Half: won 1, work -6 %; double: other bits only. */
#define SAFE 2.0
/* [1] Regularisation of the least squares problem, as a fraction of its diagonal. Half and double: other bits only. */
#define REGULAR 1e-10
/* [1] The least squares solution is not used if the sum of its coefficients exceeds this. Half: other bits only;
 * double: no effect. */
#define MOST_WEIGHT 1e4
/* [1] Fraction to which |g| should decrease within PATIENCE iterations. Half: work +7 %; double: other bits only. */
#define PROGRESS 0.9
/* [iterations] Number of iterations within which |g| should decrease to PROGRESS. Half: won 1, work -1 %; double: work
 * -1 %. */
#define PATIENCE 20
/* [iterations] Number of plain iterations if it did not. Half: work +4 %; double: work -1 %. */
#define REST 10
/* [iterations] Iterations between two measurements of y, which cost a product. Half: work +2 %; double: work -1 %. */
#define BOTH 10
/* [1] Accuracy of conjugate gradients, as a fraction of the change of t. */
#define INEXACT 0.03
/* [iterations] Largest number of conjugate gradient iterations per iteration. */
#define CG_STEPS 200

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double norm(int n, const double *a) { return sqrt(dot(n, a, a)); }

bool pp_cone_admm_make(pp_cone_admm *k) {
    int m = k->c->m;
    double **vectors[] = {&k->x, &k->best,  &k->y,      &k->t,      &k->g,     &k->v,
                          &k->b, &k->plain, &k->last_y, &k->last_t, &k->last_g};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = PP_CALL_ARRAY(k->call, double, m))) return false;
    if (k->memory > PP_ADMM_MEMORY) k->memory = PP_ADMM_MEMORY;
    k->dt = PP_CALL_ARRAY(k->call, double, (ptrdiff_t)k->memory *m);
    k->dg = PP_CALL_ARRAY(k->call, double, (ptrdiff_t)k->memory *m);
    k->C = PP_CALL_ARRAY(k->call, double, k->c->square * k->c->nblock);
    k->E = PP_CALL_ARRAY(k->call, double, k->c->square * k->c->nblock);
    k->body = PP_CALL_ARRAY(k->call, double, k->c->ndof);
    k->wait = k->rebalance;
    k->measure = INFINITY;
    return k->dt && k->dg && k->C && k->E && k->body;
}

/* ---- one iteration --------------------------------------------------------------------------------------------- */

static bool prepare(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    memset(k->C, 0, sizeof *k->C * (size_t)(c->square * c->nblock));
    memset(k->E, 0, sizeof *k->E * (size_t)(c->square * c->nblock));
    for (int i = 0; i < c->nblock; i++)
        for (int r = 0, rows = pp_cone_rows(c, i); r < rows; r++) {
            k->C[c->square * i + r + rows * r] = k->penalty;
            k->E[c->square * i + r + rows * r] = 1;
        }
    k->prepared++;
    k->ready = k->linear ? pp_cone_linear_factor(k->linear, k->C, k->E) : pp_cone_cg_prepare(k->cg, k->C, k->E);
    return k->ready;
}

/* x = (W~ + p I)^-1 b. The matrix is well conditioned, so no refinement is needed. */
static void solve_linear(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    double p = k->penalty;
    if (!k->linear) {
        pp_cone_cg_solve(k->cg, k->b, k->x, INEXACT * p * k->change, CG_STEPS);
        return;
    }
    if (!c->body) {
        memcpy(k->x, k->b, sizeof *k->x * (size_t)c->m);
        pp_block_lu_solve(k->linear->lu, k->x);
        return;
    }
    for (int i = 0; i < c->m; i++) k->x[i] = k->b[i] / (p + (c->c ? c->c[i] : 0));
    pp_cone_gather(c, k->x, k->body);
    pp_block_lu_solve(k->linear->lu, k->body);
    pp_cone_spread(c, k->body, k->x);
    for (int i = 0; i < c->m; i++) k->x[i] = (k->b[i] - k->x[i]) / (p + (c->c ? c->c[i] : 0));
}

static double tangential(int dim, const double *a) {
    double sum = 0;
    for (int r = 1; r < dim; r++) sum += a[r] * a[r];
    return sqrt(sum);
}

/* Evaluates the map at t: y, x, v = W~ x + q~ and g. Returns |g|. */
static double map(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    double p = k->penalty;
    memcpy(k->y, k->t, sizeof *k->y * (size_t)c->m);
    for (int i = 0; i < c->nrow; i++) k->y[i] = k->y[i] < c->lo[i] ? c->lo[i] : k->y[i] > c->hi[i] ? c->hi[i] : k->y[i];
    for (int i = c->nrow; i < c->nblock; i++) pp_cone_project(c->dim, c->mu[i], k->y + c->first[i]);
    for (int i = 0; i < c->m; i++) k->v[i] = p * (k->y[i] - k->t[i]); /* w */
    for (int i = 0; i < c->m; i++) k->b[i] = p * k->y[i] + k->v[i] - c->q[i];
    for (int i = c->nrow; !c->associated && i < c->nblock; i++)
        k->b[c->first[i]] -= c->mu[i] * tangential(c->dim, k->v + c->first[i]);
    solve_linear(k);
    for (int i = 0; i < c->m; i++) {
        k->g[i] = k->relaxation * (k->x[i] - k->y[i]);
        k->v[i] = k->b[i] - p * k->x[i] + c->q[i];
    }
    return norm(c->m, k->g);
}

static void keep(pp_cone_admm *k, const double *x, const double *v) {
    double figure = pp_cone_figure_of(k->figure, x, v);
    if (figure < k->measure) {
        k->measure = figure;
        memcpy(k->best, x, sizeof *x * (size_t)k->c->m);
    }
}

static void keep_exactly(pp_cone_admm *k, const double *x) {
    pp_cone_apply(k->c, x, k->v);
    for (int i = 0; i < k->c->m; i++) k->v[i] += k->c->q[i];
    keep(k, x, k->v);
}

/* The velocities of x follow from the linear system if it was solved exactly; y needs a product. */
static void judge(pp_cone_admm *k) {
    bool look = k->iterations % BOTH == 0;
    if (k->linear)
        keep(k, k->x, k->v);
    else
        look |= pp_cone_figure_of(k->figure, k->x, k->v) <= k->tol;
    if (look) keep_exactly(k, k->y);
    if (look && !k->linear) keep_exactly(k, k->x);
}

/* ---- acceleration ---------------------------------------------------------------------------------------------- */

static void forget(pp_cone_admm *k) {
    k->pairs = k->next = 0;
    k->fresh = true;
    k->tried = false;
}

static void remember(pp_cone_admm *k) {
    int m = k->c->m, at = k->next;
    double *dt = k->dt + (ptrdiff_t)at * m, *dg = k->dg + (ptrdiff_t)at * m;
    for (int i = 0; i < m; i++) dt[i] = k->t[i] - k->last_t[i], dg[i] = k->g[i] - k->last_g[i];
    if (k->pairs < k->memory) k->pairs++;
    for (int j = 0; j < k->pairs; j++)
        k->gram[at + PP_ADMM_MEMORY * j] = k->gram[j + PP_ADMM_MEMORY * at] = dot(m, dg, k->dg + (ptrdiff_t)j * m);
    k->next = (at + 1) % k->memory;
}

/* Coefficients c that minimise |g - dG c|, by normal equations with a small regularisation. */
static bool least_squares(const pp_cone_admm *k, double *c) {
    int n = k->pairs, m = k->c->m;
    double A[PP_ADMM_MEMORY * PP_ADMM_MEMORY], weight = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) A[i + n * j] = k->gram[i + PP_ADMM_MEMORY * j];
        A[i + n * i] *= 1 + REGULAR;
        c[i] = dot(m, k->dg + (ptrdiff_t)i * m, k->g);
    }
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < j; l++)
            for (int i = j; i < n; i++) A[i + n * j] -= A[i + n * l] * A[j + n * l];
        if (!(A[j + n * j] > 0)) return false;
        double root = sqrt(A[j + n * j]);
        for (int i = j; i < n; i++) A[i + n * j] /= root;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) c[i] -= A[i + n * j] * c[j];
        c[i] /= A[i + n * i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) c[i] -= A[j + n * i] * c[j];
        c[i] /= A[i + n * i];
        weight += fabs(c[i]);
    }
    return weight <= MOST_WEIGHT;
}

/* The next t, extrapolated if possible. */
static void step(pp_cone_admm *k) {
    int m = k->c->m;
    double c[PP_ADMM_MEMORY];
    if (!k->fresh && k->memory > 0) remember(k);
    memcpy(k->last_t, k->t, sizeof *k->t * (size_t)m);
    memcpy(k->last_g, k->g, sizeof *k->g * (size_t)m);
    memcpy(k->last_y, k->y, sizeof *k->y * (size_t)m);
    for (int i = 0; i < m; i++) k->t[i] = k->plain[i] = k->t[i] + k->g[i];
    k->fresh = false;
    k->tried = k->resting == 0 && k->pairs > 0 && least_squares(k, c);
    for (int j = 0; k->tried && j < k->pairs; j++) {
        const double *dt = k->dt + (ptrdiff_t)j * m, *dg = k->dg + (ptrdiff_t)j * m;
        for (int i = 0; i < m; i++) k->t[i] -= c[j] * (dt[i] + dg[i]);
    }
}

/* Detects that |g| does not decrease. */
static void watch_progress(pp_cone_admm *k) {
    if (k->change < k->low) k->low = k->change;
    k->stalled++;
    if (k->change < PROGRESS * k->mark) {
        k->mark = k->change;
        k->stalled = 0;
    }
    if (k->resting > 0 && --k->resting == 0) {
        k->pairs = k->next = 0;
        k->mark = k->change;
        k->stalled = 0;
    } else if (k->resting == 0 && k->stalled > PATIENCE && k->memory > 0) {
        k->resting = REST;
    }
}

/* ---- penalty --------------------------------------------------------------------------------------------------- */

/* Checks p. Returns true if it was changed; t then represents the same y and w with the new p. */
static bool rebalance(pp_cone_admm *k) {
    int m = k->c->m;
    double p = k->penalty, primal = 0, dual = 0, w = 0;
    if (k->wait <= 0 || k->since < k->wait || k->fresh) return false;
    k->since = 0;
    k->wait = (int)(RARER * k->wait);
    for (int i = 0; i < m; i++) {
        double dx = k->x[i] - k->y[i], dy = k->y[i] - k->last_y[i], wi = k->y[i] - k->t[i];
        primal += dx * dx, dual += dy * dy, w += wi * wi;
    }
    primal = sqrt(primal) / fmax(norm(m, k->x), 1e-30); /* relative changes of x against y, and of w */
    dual = sqrt(dual) / fmax(sqrt(w), 1e-30);
    double ratio = sqrt(primal / fmax(dual, 1e-300));
    ratio = fmin(fmax(ratio, 1 / MOST_CHANGE), MOST_CHANGE);
    if (ratio < LEAST_CHANGE && ratio > 1 / LEAST_CHANGE) return false;
    k->penalty = fmin(fmax(p * ratio, LEAST_PENALTY), fmax(MOST_PENALTY, p));
    if (k->penalty == p) return false;
    for (int i = 0; i < m; i++) k->t[i] = k->y[i] + (k->t[i] + k->g[i] - k->y[i]) * (p / k->penalty);
    k->ready = false;
    k->low = k->mark = INFINITY;
    forget(k);
    return true;
}

void pp_cone_admm_start(pp_cone_admm *k, const double *x) {
    const pp_cone *c = k->c;
    if (x != k->x) memcpy(k->x, x, sizeof *x * (size_t)c->m);
    pp_cone_apply(c, k->x, k->v);
    for (int i = 0; i < c->m; i++) k->v[i] += c->q[i];
    keep(k, k->x, k->v);
    if (!isfinite(pp_cone_figure_of(k->figure, k->x, k->v))) { /* the guess is not usable */
        memset(k->x, 0, sizeof *k->x * (size_t)c->m);
        memcpy(k->v, c->q, sizeof *k->v * (size_t)c->m);
        keep(k, k->x, k->v);
    }
    for (int i = 0; i < c->m; i++) k->t[i] = k->x[i] - k->v[i] / k->penalty;
    for (int i = c->nrow; !c->associated && i < c->nblock; i++)
        k->t[c->first[i]] -= c->mu[i] * tangential(c->dim, k->v + c->first[i]) / k->penalty;
    k->change = norm(c->m, k->v) / k->penalty;
    k->low = k->mark = INFINITY;
    k->stalled = k->resting = 0;
    forget(k);
}

perp_outcome pp_cone_admm_run(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    while (k->measure > k->tol) {
        if (k->out) pp_cone_unscale(c, k->best, k->out);
        if (!perp_call_look(k->call, k->iterations, k->out)) return PERP_OUTCOME_STOPPED;
        if (k->iterations >= k->max_iterations) return PERP_OUTCOME_LIMIT;
        if (!k->ready && !prepare(k)) return PERP_OUTCOME_NUMERICS;
        double now = map(k);
        if (!isfinite(now)) return PERP_OUTCOME_NUMERICS;
        k->iterations++;
        k->since++;
        judge(k);
        if (k->tried && !(now <= SAFE * k->low)) {
            k->rejected++;
            memcpy(k->t, k->plain, sizeof *k->t * (size_t)c->m);
            forget(k);
            continue;
        }
        k->accelerated += k->tried;
        k->change = now;
        if (rebalance(k)) continue;
        watch_progress(k);
        step(k);
    }
    return PERP_OUTCOME_SOLVED;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_newton.c - proximal points and semismooth Newton with a watchdog
 * Problem  a scaled cone problem (cone.h): v = W~ x + q~, Coulomb's law or the law of a cone QP between x and v.
 * Method   outer: x_{k+1} solves the law with v = W~ x + q~ + a (x - x_k), which is regular where W~ is not, and a falls
 *          while that goes well. Inner: Newton on Alart and Curnier's equation x = P(x - v), P the projection of the
 *          normal part on [0, inf) and of the tangential part on the disc of radius mu max(0, y_N) (for a cone QP: on the
 *          cone). Full steps first, watched: |F| may rise, but not three times. Along a sliding contact x_T moves on a
 *          circle, so a good full step of size h raises |F| by h^2/|x_T| before the next one removes it; a monotone line
 *          search would cut it short (the Maratos effect). Only if full steps fail, a line search on |F| from x_k, unless
 *          the last one was in vain. Where x must travel far along nearly dependent directions until some contact gives
 *          way, too small an a makes Newton fail: each failure slows the fall of a, so that it settles where it works.
 *          There the outer steps go on in one direction: after one that did not lower |F| by much the next begins
 *          further along it, where the first contact gives way; if that does not do, where the last one ended.
 *          A proximal point by itself (cone_select.c) is found by full steps, if need be with slip weighed so that it
 *          counts as much as friction does, or by a line search on |F|.
 * Valid    no proof: the problem is not monotone. Solves redundant, singular and ill-scaled problems in practice.
 * Cost     one factorisation per step, close to an answer of a large problem one for several (wary, cone_reuse_factor.c); 10 to
 *          40 steps from nothing, 1 to 5 from a good guess.
 * Source   Alart, Curnier (1991); De Saxce, Feng (1998); Rockafellar (1976) for proximal points; Chamberlain et al.
 *          (1982) for the watchdog. */
#include "solver/cone/cone_newton.h"

#include <math.h>
#include <string.h>

#include "solver/common/numbers.h"
#include "base/elementary.h"

#include "base/rounding.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Measure, in units of tol, within which a search that no longer improves is ended: contacts that contradict each
 * other by rounding cannot be met to the last digit. Half and double: no effect. */
#define NEAR 100
/* [steps] Number of Newton steps within which the measure must halve there. Half: work -1 %; double: work +1 %. */
#define PATIENCE 300
/* [1] Weight of the proximal term beyond which nothing is left to try. Half and double: no effect. */
#define MOST_PULL 1e3
/* [1] Part of |F| at the start at which an inner problem is solved. Half: work +12 %; double: work +10 %. */
#define INNER 1e-2
/* [1] Part of |F| at the start at which an inner problem counts as solved when its steps are used up. Half: work +5
 * %; double: work +1 %. */
#define GOOD 0.1
/* [1] Part of |F| to which a full step should bring it down, and at which the end of a failed inner problem is kept.
 * Half: work +2 %; double: work +10 %. */
#define BETTER 0.7
/* [steps] Largest number of Newton steps of an inner problem. Half: work +26 %; double: work +16 %. */
#define FULL_STEPS 8
/* [steps] Number of full steps of an inner problem that may miss BETTER. Half: work +11 %; double: work +7 %. */
#define FAILURES 3
/* [steps] Number of steps up to which an inner problem was quick, so that the pull may fall. Half: work +16 %;
 * double: work +1 %. */
#define QUICK 6
/* [1] Factor of the pull after a quick inner problem, at its smallest. Half: work +6 %; double: work +25 %. */
#define FALL 0.3
/* [1] Exponent by which the factor of the pull gets back to FALL with each success. Half: lost 32, work +1217 %;
 * double: work +3 %. */
#define RECOVER 1.1
/* [1] Factor of the pull after an inner problem that failed. Half: work +33 %; double: work +17 %. */
#define RISE 4
/* [1] Growth of |F| in the first full step beyond which a wary search does not follow it. */
#define WILD 100
/* [1] Factor of the pull after a failure of a wary search. */
#define WARY_RISE 9
/* [1] Step of a line search, or jump in units of the latest outer step, below which it is not worth it. Half: work +1
 * %; double: work +2 %. */
#define SHORT 0.1
/* [steps] Number of such short steps that end a line search. Half: work +1 %; double: work +2 %. */
#define SHORTS 2
/* [1] Part of |F| of the outer step before above which x travels, and a jump is tried. Half: work +1 %; double: work
 * +7 %. */
#define SLUGGISH 0.1
/* [1] Length of a jump, in units of the way to the place where the first contact gives way. Half: work +16 %; double:
 * work +10 %. */
#define BEYOND 1.05
/* [1] Largest length of a jump, in units of the latest outer step: more is rounding of the direction. Half and
 * double: other bits only. */
#define MOST_JUMP 1e4
/* [1] |F| over |x| below which a proximal point is exact. Half and double: other bits only. */
#define EPSILON 1e-15
/* [halvings] Largest number of halvings of a step of a line search. */
#define HALVINGS 12
/* [1] Largest weight of slip, times the weight of the proximal term. Half and double: other bits only. */
#define BALANCE 0.3
/* [1] Ratio of two pulls beyond which the factors made with one are of no use for the other. */
#define OTHER_PULL 10
/* [1] Relative residual that a solution with old factors aims at. */
#define AGAIN 1e-8
/* [1] Relative residual at which a solution with old factors is used. */
#define ENOUGH 1e-4
/* [1] Relative residual that linear systems aim at. */
#define ACCURACY 1e-10
/* [steps] Largest number of refinement steps of a linear system. */
#define REFINEMENTS 2
/* [1] Relative residual from which on a linear system is not solved; a poor direction may still be good enough. */
#define POOR 0.5

bool pp_cone_newton_make(pp_cone_newton *k) {
    int m = k->c->m;
    double **vectors[] = {&k->x,     &k->v,    &k->best, &k->trial, &k->F,     &k->dx,     &k->w,
                          &k->start, &k->last, &k->way,  &k->way_v, &k->stand, &k->stand_v};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = PP_CALL_ARRAY(k->call, double, m);
        if (!*vectors[i]) return false;
    }
    k->C = PP_CALL_ARRAY(k->call, double, 16 * k->c->nblock);
    k->E = PP_CALL_ARRAY(k->call, double, 16 * k->c->nblock);
    return k->C && k->E && pp_cone_figure_make(&k->figure, k->c, k->call);
}

/* Projection of y by the law of block i, and its derivative D (rows x rows), NULL: not wanted. */
static void project(const pp_cone *c, int i, const double *y, double *P, double *D) {
    int rows = pp_cone_rows(c, i);
    double mu = c->mu[i], slip = 0;
    if (D) memset(D, 0, sizeof *D * (size_t)(rows * rows));
    if (i < c->nrow) {
        P[0] = y[0] < c->lo[i] ? c->lo[i] : y[0] > c->hi[i] ? c->hi[i] : y[0];
        if (D) D[0] = P[0] == y[0];
        return;
    }
    for (int r = 1; r < rows; r++) slip += y[r] * y[r];
    slip = sqrt(slip);
    if (slip <= mu * y[0] && y[0] > 0) { /* inside: stick */
        memcpy(P, y, sizeof *P * (size_t)rows);
        for (int r = 0; D && r < rows; r++) D[r + rows * r] = 1;
        return;
    }
    if (c->associated ? mu * slip <= -y[0] : y[0] <= 0) { /* open */
        memset(P, 0, sizeof *P * (size_t)rows);
        return;
    }
    double normal = c->associated ? (y[0] + mu * slip) / (1 + mu * mu) : y[0];
    double part = slip > 0 ? mu * normal / slip : 0; /* P_T = part y_T */
    P[0] = normal;
    for (int r = 1; r < rows; r++) P[r] = part * y[r];
    if (!D) return;
    double nn = c->associated ? 1 / (1 + mu * mu) : 1, nt = c->associated ? mu * nn : 0;
    D[0] = nn;
    for (int a = 1; a < rows; a++) {
        double ta = slip > 0 ? y[a] / slip : 0;
        D[a] = mu * nn * ta;
        D[rows * a] = nt * ta;
        for (int b = 1; b < rows; b++) {
            double tb = slip > 0 ? y[b] / slip : 0;
            D[a + rows * b] = part * ((a == b) - ta * tb) + mu * nt * ta * tb;
        }
    }
}

/* w = W~ x + q~ */
static void velocity(const pp_cone *c, const double *x, double *w) {
    pp_cone_apply(c, x, w);
    for (int i = 0; i < c->m; i++) w[i] += c->q[i];
}

/* Weight rho of the slip of block i, y = x - v: that which makes it as large as friction. A contact that creeps slips by
 * next to nothing against its load; with rho = 1 its friction keeps the direction it has, and whether it sticks is told by
 * the load alone, until all else is exact to the slip. What the proximal term holds moves by v/a, so no more than that. */
static double weight(const pp_cone_newton *k, int i, const double *x, const double *y) {
    int rows = pp_cone_rows(k->c, i);
    double slip = 0, reach = k->c->mu[i] * fmax(x[0], 0), most = BALANCE / k->pull;
    for (int r = 1; r < rows; r++) slip += (y[r] - x[r]) * (y[r] - x[r]);
    slip = sqrt(slip);
    return fmax(1, slip * most > reach ? reach / slip : most);
}

/* F = x - P(x - v) with v = w + a (x - x_k), w = W~ x + q~; its norm. With `derivative` C and E of Newton's
 * matrix (I - D) + D (W~ + a I). If balanced, F and the matrix are those of x - P(x - R v), which has the same roots, R the
 * weights of slip; the norm is that of R = 1. */
static double equation(pp_cone_newton *k, const double *x, const double *w, double *F, bool derivative) {
    const pp_cone *c = k->c;
    double sum = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), first = c->first[i];
        double y[4] = {0}, P[4] = {0};
        for (int r = 0; r < rows; r++) {
            int j = first + r;
            y[r] = x[j] - w[j] - k->pull * (x[j] - k->x[j]);
        }
        double *E = k->E + 16 * (ptrdiff_t)i, *C = k->C + 16 * (ptrdiff_t)i;
        double rho = k->balanced && i >= c->nrow ? weight(k, i, x + first, y) : 1;
        project(c, i, y, P, derivative ? E : NULL);
        for (int r = 0; r < rows; r++) {
            F[first + r] = x[first + r] - P[r];
            sum += F[first + r] * F[first + r];
        }
        if (rho > 1) {
            for (int r = 1; r < rows; r++) y[r] = x[first + r] + rho * (y[r] - x[first + r]);
            project(c, i, y, P, derivative ? E : NULL);
            for (int r = 0; r < rows; r++) F[first + r] = x[first + r] - P[r];
        }
        for (int a = 0; derivative && a < rows * rows; a++) {
            double R = a < rows ? 1 : rho; /* of its column */
            C[a] = (a % (rows + 1) == 0 ? 1 : 0) - (1 - k->pull * R) * E[a];
            E[a] *= R;
        }
    }
    return sqrt(sum);
}

/* Measures x with velocities v, keeps it if it is the best so far. */
static double judge(pp_cone_newton *k, const double *x, const double *v) {
    double now = pp_cone_strictest(&k->figure, x, v);
    if (now < k->measure) {
        k->measure = now;
        memcpy(k->best, x, sizeof *x * (size_t)k->c->m);
    }
    return now;
}

/* Whether the factors are of its own latest factorisation, with about the same pull; and close to an answer, where few
 * contacts change (in heaps that move it did not pay). */
static bool factors_may_do(const pp_cone_newton *k) {
    return k->wary && k->factored > 0 && k->linear->factorisations == k->factored &&
           k->pull < OTHER_PULL * k->factored_pull && k->factored_pull < OTHER_PULL * k->pull;
}

static bool newton_direction(pp_cone_newton *k, const double *F) {
    int m = k->c->m;
    k->steps++;
    for (int i = 0; i < m; i++) k->last[i] = -F[i];
    if (factors_may_do(k) && pp_cone_again_solve(k->linear, k->C, k->E, k->last, k->dx, AGAIN) <= ENOUGH) return true;
    if (!pp_cone_linear_factor(k->linear, k->C, k->E)) return false;
    k->factored = k->linear->factorisations;
    k->factored_pull = k->pull;
    double reached = pp_cone_linear_solve(k->linear, k->last, k->dx, ACCURACY, REFINEMENTS);
    return reached < POOR; /* a poor direction may still be good enough, one that does not solve is not */
}

/* Solves the inner problem from x_k by full steps, or with a line search. *first: |F| at the start; end |F| returned,
 * trial: the point, and w its velocity; INFINITY: no step could be made. *taken: steps. */
static double inner(pp_cone_newton *k, double *first, bool search, int *taken) {
    int m = k->c->m, failures = 0, shorts = 0, most = FULL_STEPS;
    double now;
    memcpy(k->trial, k->x, sizeof *k->x * (size_t)m);
    memcpy(k->w, k->v, sizeof *k->x * (size_t)m);
    now = *first = equation(k, k->trial, k->w, k->F, true);
    for (*taken = 0; *taken < most && k->steps < k->max_steps;) {
        if (*taken > 0 && judge(k, k->trial, k->w) <= k->tol) return now;
        if (now <= INNER * *first) return now;
        if (*taken > 0) now = equation(k, k->trial, k->w, k->F, true);
        if (!newton_direction(k, k->F)) return INFINITY;
        ++*taken;
        double step = 1, next = INFINITY;
        for (int half = 0; half < (search ? HALVINGS : 1); half++, step *= 0.5) {
            for (int i = 0; i < m; i++) k->start[i] = k->trial[i] + step * k->dx[i];
            velocity(k->c, k->start, k->w);
            next = equation(k, k->start, k->w, k->F, false);
            if (!search || next < (1 - PP_ARMIJO * step) * now) break;
        }
        if (!isfinite(next) || (k->wary && *taken == 1 && next > WILD * *first)) return INFINITY;
        memcpy(k->trial, k->start, sizeof *k->x * (size_t)m);
        if (search && !(next < now)) return now;
        if (*taken > 1 && !(next <= BETTER * now) && ++failures == FAILURES && !search) {
            now = next;
            break;
        }
        now = next;
        if (search && !k->plain && step < SHORT && ++shorts == SHORTS) break;
    }
    (void)judge(k, k->trial, k->w);
    return now;
}

/* The proximal point by full steps, or by such that lower |F|. */
static double find_point(pp_cone_newton *k, const double *from, int most, double enough, bool search) {
    int m = k->c->m;
    size_t bytes = sizeof *from * (size_t)m;
    double size = 1, now = INFINITY;
    for (int i = 0; i < m; i++) size = fmax(size, fabs(from[i]));
    memcpy(k->trial, from, bytes);
    for (int step = 0;; step++) {
        velocity(k->c, k->trial, k->w);
        double next = equation(k, k->trial, k->w, k->F, true);
        if (!(next < now) && now <= enough * size) { /* no better than before: that was all */
            memcpy(k->trial, k->start, bytes);
            velocity(k->c, k->trial, k->w);
            return now / size;
        }
        now = next;
        if (now <= EPSILON * size || step == most) return now / size;
        memcpy(k->start, k->trial, bytes);
        if (!newton_direction(k, k->F)) return INFINITY;
        double t = 1;
        for (int half = 0; half < HALVINGS; half++, t *= 0.5) {
            for (int i = 0; i < m; i++) k->trial[i] = k->start[i] + t * k->dx[i];
            if (!search || now <= enough * size) break;
            velocity(k->c, k->trial, k->w);
            if (equation(k, k->trial, k->w, k->F, false) < (1 - PP_ARMIJO * t) * now) break;
        }
    }
}

double pp_cone_newton_point(pp_cone_newton *k, const double *from, int most, double enough) {
    double left = find_point(k, from, most, enough, false);
    if (left <= enough) return left;
    k->balanced = true;
    left = find_point(k, from, most, enough, false);
    k->balanced = false;
    return left <= enough ? left : find_point(k, from, most, enough, true);
}

/* out = a E d */
static void pulled(const pp_cone_newton *k, const double *d, double *out) {
    const pp_cone *c = k->c;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), first = c->first[i];
        const double *E = k->E + 16 * (ptrdiff_t)i;
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int s = 0; s < rows; s++) sum += E[r + rows * s] * d[first + s];
            out[first + r] = k->pull * sum;
        }
    }
}

/* d: what the laws, by the matrix that was factorised, hold by less than k->pull of it. */
static bool keep_free(pp_cone_newton *k, double *d, int times) {
    for (int t = 0; t < times; t++) {
        pulled(k, d, k->last);
        if (!(pp_cone_linear_solve(k->linear, k->last, d, ACCURACY, REFINEMENTS) < POOR)) return false;
    }
    return true;
}

bool pp_cone_newton_free(pp_cone_newton *k, const double *at, double *d, int times) {
    velocity(k->c, at, k->w);
    (void)equation(k, at, k->w, k->F, true);
    k->steps++;
    return pp_cone_linear_factor(k->linear, k->C, k->E) && keep_free(k, d, times);
}

bool pp_cone_newton_correct(pp_cone_newton *k, int times) {
    int m = k->c->m;
    velocity(k->c, k->x, k->w);
    (void)equation(k, k->x, k->w, k->F, true);
    if (!newton_direction(k, k->F)) return false;
    memcpy(k->trial, k->dx, sizeof *k->dx * (size_t)m);
    if (!keep_free(k, k->trial, times)) return false;
    for (int i = 0; i < m; i++) k->x[i] += k->dx[i] - k->trial[i];
    velocity(k->c, k->x, k->w);
    return true;
}

/* The t > 0 at which x + t d leaves the cone that x lies inside; INFINITY: never. */
static double leaves_cone(int rows, double mu, const double *x, const double *d) {
    double a = -mu * mu * d[0] * d[0], b = -mu * mu * x[0] * d[0], c = -mu * mu * x[0] * x[0];
    for (int r = 1; r < rows; r++) a += d[r] * d[r], b += x[r] * d[r], c += x[r] * x[r];
    /* a t^2 + 2 b t + c = 0 with c < 0, so b + root > 0 wherever there is a root ahead */
    double root = b * b - a * c, tip = d[0] < 0 ? -x[0] / d[0] : INFINITY;
    double t = root >= 0 && b + sqrt(root) > 0 ? -c / (b + sqrt(root)) : INFINITY;
    return fmin(t, tip);
}

/* How far x may go on along d until some block changes its state, in units of d; v its velocity, dv = W~ d. */
static double way_ahead(const pp_cone *c, const double *x, const double *v, const double *d, const double *dv) {
    double t = INFINITY;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), first = c->first[i];
        const double *xi = x + first, *di = d + first;
        if (i < c->nrow) {
            if (di[0] > 0 && xi[0] < c->hi[i]) t = fmin(t, (c->hi[i] - xi[0]) / di[0]);
            if (di[0] < 0 && xi[0] > c->lo[i]) t = fmin(t, (c->lo[i] - xi[0]) / di[0]);
            continue;
        }
        if (!(xi[0] > 0)) { /* open: until it closes */
            if (dv[first] < 0 && v[first] > 0) t = fmin(t, v[first] / -dv[first]);
            continue;
        }
        double slip = 0, reach = c->mu[i] * xi[0];
        for (int r = 1; r < rows; r++) slip += xi[r] * xi[r];
        if (di[0] < 0) t = fmin(t, xi[0] / -di[0]);
        if (slip < (1 - PP_RESIDUAL) * reach * reach) t = fmin(t, leaves_cone(rows, c->mu[i], xi, di));
    }
    return t;
}

/* Where the next outer step begins, after one from x to trial; 0: at trial. */
static double jump_after(pp_cone_newton *k) {
    for (int i = 0; i < k->c->m; i++) {
        k->way[i] = k->trial[i] - k->x[i];
        k->way_v[i] = k->w[i] - k->v[i];
    }
    double t = BEYOND * way_ahead(k->c, k->trial, k->w, k->way, k->way_v);
    return t >= SHORT && t <= MOST_JUMP ? t : 0;
}

/* Goes ahead by k->jump. */
static void leap(pp_cone_newton *k) {
    for (int i = 0; i < k->c->m; i++) {
        k->stand[i] = k->x[i];
        k->stand_v[i] = k->v[i];
        k->x[i] += k->jump * k->way[i];
        k->v[i] += k->jump * k->way_v[i];
    }
}

/* One outer step. False: stop (the pull has become too large). */
static bool outer(pp_cone_newton *k) {
    int taken = 0, more = 0;
    size_t bytes = sizeof *k->x * (size_t)k->c->m;
    bool jumped = k->jump > 0;
    if (jumped) leap(k);
    k->jump = 0;
    double first, end = inner(k, &first, false, &taken);
    bool quick = end <= GOOD * first && taken <= QUICK;
    if (jumped && !(end <= GOOD * first) && k->measure > k->tol) { /* in vain */
        memcpy(k->x, k->stand, bytes);
        memcpy(k->v, k->stand_v, bytes);
        return true;
    }
    if (!(end <= GOOD * first) && k->measure > k->tol && k->steps < k->max_steps && !k->vain && !k->wary) {
        end = inner(k, &first, true, &more);
        k->vain = !(end <= GOOD * first);
    }
    if (k->measure <= k->tol) return true;
    if (end <= GOOD * first && first > SLUGGISH * k->before && !jumped && !k->plain) k->jump = jump_after(k);
    k->before = first;
    if (end <= BETTER * first) {
        memcpy(k->x, k->trial, bytes);
        memcpy(k->v, k->w, bytes);
    }
    if (end <= GOOD * first) {
        k->fall = fmax(FALL, pp_pow(k->fall, RECOVER));
        if (quick) k->pull = fmax(PP_LEAST_PULL, k->fall * k->pull);
        return true;
    }
    k->pull *= k->wary ? WARY_RISE : RISE;
    k->fall = sqrt(k->fall);
    return k->pull <= MOST_PULL;
}

perp_outcome pp_cone_newton_run(pp_cone_newton *k) {
    const pp_cone *c = k->c;
    k->measure = INFINITY;
    k->fall = FALL;
    pp_cone_figure_aim(&k->figure, k->tol);
    k->since = k->steps;
    k->halved = INFINITY;
    k->vain = k->stuck = false;
    k->jump = 0;
    k->before = INFINITY;
    memcpy(k->best, k->x, sizeof *k->x * (size_t)c->m);
    velocity(c, k->x, k->v);
    if (!isfinite(judge(k, k->x, k->v))) { /* a guess that is of no use */
        memset(k->x, 0, sizeof *k->x * (size_t)c->m);
        memcpy(k->v, c->q, sizeof *k->v * (size_t)c->m);
        (void)judge(k, k->x, k->v);
    }
    while (k->measure > k->tol) {
        if (k->out) pp_cone_unscale(c, k->best, k->out);
        if (!perp_call_look(k->call, k->iterations, k->out)) return PERP_OUTCOME_STOPPED;
        if (k->steps >= k->max_steps) return PERP_OUTCOME_LIMIT;
        if (k->measure <= 0.5 * k->halved) k->halved = k->measure, k->since = k->steps;
        k->stuck = k->measure <= NEAR * k->tol && k->steps > k->since + PATIENCE;
        if (k->stuck) return PERP_OUTCOME_LIMIT;
        k->iterations++;
        int before = k->steps;
        bool on = outer(k);
        if (k->measure > k->tol && (!on || k->steps == before)) return PERP_OUTCOME_LIMIT; /* nothing left to try */
    }
    return PERP_OUTCOME_SOLVED;
}

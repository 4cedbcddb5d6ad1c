/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_newton.c - proximal points and semismooth Newton with a watchdog
 * Problem  A scaled cone problem (cone.h): v = W~ x + q~, with Coulomb's law or the law of a cone QP between x and v.
 * Method   Outer: x_{k+1} solves the law with v = W~ x + q~ + a (x - x_k). This is regular even if W~ is not. a decreases while this works.
 *          Inner: Newton's method on the equation x = P(x - v) of Alart and Curnier. P projects the normal part on [0, inf) and the
 *          tangential part on the disc of radius mu max(0, y_N) (for a cone QP: on the cone). Full steps come first, with a watchdog: |F|
 *          may increase, but not three times. At a sliding contact x_T moves on a circle, so a good full step of size h increases |F| by
 *          h^2/|x_T|, and the next one removes this; a monotone line search would shorten the step (Maratos effect). If full steps fail, a
 *          line search on |F| from x_k is made, unless the last one brought nothing. If x must move far along nearly dependent directions
 *          until some contact yields, too small an a makes Newton fail. Each failure slows the decrease of a, so that a stays where the
 *          method works. There the outer steps continue in one direction. After an outer step that hardly lowered |F|, the next one
 *          begins further along this direction, where the first contact yields; if that fails, where the last one ended.
 *          A single proximal point (cone_select.c) is found by full steps, if necessary with slip weighted to the size of friction,
 *          or by a line search on |F|.
 * Valid    No proof: the problem is not monotone. Solves redundant, singular and ill-scaled problems in practice.
 * Cost     One factorisation per step; close to a solution of a large problem one for several steps (field near_solution, cone_reuse_factor.c). 10 to 40
 *          steps from a cold start, 1 to 5 from a good guess.
 * Source   Alart, Curnier (1991); De Saxce, Feng (1998); Rockafellar (1976) for proximal points; Chamberlain et al.
 *          (1982) for the watchdog. */
#include "solver/cone/cone_newton.h"

#include <math.h>
#include <string.h>

#include "solver/common/numbers.h"
#include "base/elementary.h"

#include "base/rounding.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] A search that no longer improves ends if its measure is below this multiple of tol: contacts that contradict each
 * other by rounding cannot be solved to the last digit. Half and double: no effect. */
#define NEAR 100
/* [steps] Number of Newton steps in which the measure must halve there. Half: work -1 %; double: work +1 %. */
#define PATIENCE 300
/* [1] Largest weight of the proximal term. Half and double: no effect. */
#define MOST_PULL 1e3
/* [1] An inner problem is solved if |F| is below this fraction of its initial value. Half: work +12 %; double: work +10
 * %. */
#define INNER 1e-2
/* [1] When its steps are used up, an inner problem counts as solved if |F| is below this fraction of its initial value.
 * Half: work +5 %; double: work +1 %. */
#define GOOD 0.1
/* [1] A full step should lower |F| to this fraction. The result of a failed inner problem is kept if it reaches this
 * fraction. Half: work +2 %; double: work +10 %. */
#define BETTER 0.7
/* [steps] Largest number of Newton steps of an inner problem. Half: work +26 %; double: work +16 %. */
#define FULL_STEPS 8
/* [steps] Number of full steps of an inner problem that may miss BETTER. Half: work +11 %; double: work +7 %. */
#define FAILURES 3
/* [steps] An inner problem with at most this many steps was quick, so the pull may decrease. Half: work +16 %; double:
 * work +1 %. */
#define QUICK 6
/* [1] Smallest factor of the pull after a quick inner problem. Half: work +6 %; double: work +25 %. */
#define FALL 0.3
/* [1] Exponent by which the factor of the pull returns to FALL with each success. Half: lost 32, work +1217 %; double:
 * work +3 %. */
#define RECOVER 1.1
/* [1] Factor of the pull after a failed inner problem. Half: work +33 %; double: work +17 %. */
#define RISE 4
/* [1] A search near a solution rejects a first full step that increases |F| by more than this factor. */
#define WILD 100
/* [1] Factor of the pull after a failure of a search near a solution. */
#define NEAR_SOLUTION_RISE 9
/* [1] A step of a line search, or a jump relative to the latest outer step, is too short below this. Half: work +1 %;
 * double: work +2 %. */
#define SHORT 0.1
/* [steps] Number of such short steps that end a line search. Half: work +1 %; double: work +2 %. */
#define SHORTS 2
/* [1] If |F| is above this fraction of that of the previous outer step, progress is slow, and a jump is tried. Half:
 * work +1 %; double: work +7 %. */
#define SLUGGISH 0.1
/* [1] Length of a jump, relative to the distance at which the first contact yields. Half: work +16 %; double: work +10
 * %. */
#define BEYOND 1.05
/* [1] Largest length of a jump, relative to the latest outer step: beyond this the direction is rounding. Half and
 * double: other bits only. */
#define MOST_JUMP 1e4
/* [1] A proximal point is exact if |F| is below this fraction of |x|. Half and double: other bits only. */
#define EPSILON 1e-15
/* [halvings] Largest number of halvings of a step of a line search. */
#define HALVINGS 12
/* [1] Largest weight of slip times the weight of the proximal term. Half and double: other bits only. */
#define BALANCE 0.3
/* [1] If the pull has changed by more than this factor, old factors are not used. */
#define OTHER_PULL 10
/* [1] Target relative residual of a solution with old factors. */
#define AGAIN 1e-8
/* [1] A solution with old factors is used if its relative residual is below this. */
#define ENOUGH 1e-4
/* [1] Target relative residual of linear systems. */
#define ACCURACY 1e-10
/* [steps] Largest number of refinement steps of a linear system. */
#define REFINEMENTS 2
/* [1] A linear system counts as not solved if its relative residual exceeds this. A direction of lower accuracy may
 * still be useful. */
#define POOR 0.5

bool pp_cone_newton_make(pp_cone_newton *k) {
    int m = k->c->m;
    double **vectors[] = {&k->x,     &k->v,    &k->best, &k->trial, &k->F,     &k->dx,     &k->w,
                          &k->start, &k->last, &k->way,  &k->way_v, &k->stand, &k->stand_v};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = PP_CALL_ARRAY(k->call, double, m);
        if (!*vectors[i]) return false;
    }
    k->C = PP_CALL_ARRAY(k->call, double, k->c->square * k->c->nblock);
    k->E = PP_CALL_ARRAY(k->call, double, k->c->square * k->c->nblock);
    return k->C && k->E && pp_cone_figure_make(&k->figure, k->c, k->call);
}

/* Projection of y by the law of block i, and its derivative D (rows x rows) unless NULL. rows is a constant where it is used. */
static inline __attribute__((always_inline)) void project(int rows, const pp_cone *c, int i, const double *y, double *P,
                                                          double *D) {
    double mu = c->mu[i], slip = 0;
    for (int a = 0; D && a < rows * rows; a++) D[a] = 0;
    if (i < c->nrow) {
        P[0] = y[0] < c->lo[i] ? c->lo[i] : y[0] > c->hi[i] ? c->hi[i] : y[0];
        if (D) D[0] = P[0] == y[0];
        return;
    }
    for (int r = 1; r < rows; r++) slip += y[r] * y[r];
    slip = sqrt(slip);
    if (slip <= mu * y[0] && y[0] > 0) { /* inside: stick */
        for (int r = 0; r < rows; r++) P[r] = y[r];
        for (int r = 0; D && r < rows; r++) D[r + rows * r] = 1;
        return;
    }
    if (c->associated ? mu * slip <= -y[0] : y[0] <= 0) { /* open */
        for (int r = 0; r < rows; r++) P[r] = 0;
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

/* Weight rho of the slip of block i, y = x - v, that makes it as large as friction. The slip of a creeping contact is
 * tiny compared with its load. With rho = 1 its friction would keep its direction, and the load alone would decide
 * whether it sticks, until everything else is as exact as the slip. The proximal term allows motions of v/a, so rho is
 * bounded by that. */
static double weight(int rows, const pp_cone_newton *k, int i, const double *x, const double *y) {
    double slip = 0, reach = k->c->mu[i] * fmax(x[0], 0), most = BALANCE / k->pull;
    for (int r = 1; r < rows; r++) slip += (y[r] - x[r]) * (y[r] - x[r]);
    slip = sqrt(slip);
    return fmax(1, slip * most > reach ? reach / slip : most);
}

/* Arguments of equation(). */
typedef struct evaluation {
    const double *x, *w;
    double *F;
    bool derivative;
} evaluation;

/* Block i of equation(): `sum` and its squares. rows is a constant where it is used. */
static inline __attribute__((always_inline)) double equation_of(int rows, pp_cone_newton *k, int i, evaluation at,
                                                                double sum) {
    const pp_cone *c = k->c;
    const double *x = at.x, *w = at.w;
    double *F = at.F;
    bool derivative = at.derivative;
    int first = c->first[i];
    double y[PERP_CONE_ROWS] = {0}, P[PERP_CONE_ROWS] = {0};
    for (int r = 0; r < rows; r++) {
        int j = first + r;
        y[r] = x[j] - w[j] - k->pull * (x[j] - k->x[j]);
    }
    double *E = k->E + c->square * i, *C = k->C + c->square * i;
    double rho = k->balanced && i >= c->nrow ? weight(rows, k, i, x + first, y) : 1;
    project(rows, c, i, y, P, derivative ? E : NULL);
    for (int r = 0; r < rows; r++) {
        F[first + r] = x[first + r] - P[r];
        sum += F[first + r] * F[first + r];
    }
    if (rho > 1) {
        for (int r = 1; r < rows; r++) y[r] = x[first + r] + rho * (y[r] - x[first + r]);
        project(rows, c, i, y, P, derivative ? E : NULL);
        for (int r = 0; r < rows; r++) F[first + r] = x[first + r] - P[r];
    }
    for (int a = 0; derivative && a < rows * rows; a++) {
        double R = a < rows ? 1 : rho; /* of its column */
        C[a] = (a % (rows + 1) == 0 ? 1 : 0) - (1 - k->pull * R) * E[a];
        E[a] *= R;
    }
    return sum;
}

/* F = x - P(x - v) with v = w + a (x - x_k), w = W~ x + q~; its norm. With `derivative` C and E of Newton's
 * matrix (I - D) + D (W~ + a I). If balanced, F and the matrix are those of x - P(x - R v), which has the same roots, R the
 * weights of slip; the norm is that of R = 1. */
static double equation(pp_cone_newton *k, const double *x, const double *w, double *F, bool derivative) {
    const pp_cone *c = k->c;
    const evaluation at = {x, w, F, derivative};
    double sum = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        switch (rows) {
        case 1: sum = equation_of(1, k, i, at, sum); break;
        case 2: sum = equation_of(2, k, i, at, sum); break;
        case 3: sum = equation_of(3, k, i, at, sum); break;
        default: sum = equation_of(rows, k, i, at, sum);
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

/* May the factors be used again? They must be of its own latest factorisation, with about the same pull, and the point
 * must be close to a solution, where few contacts change. (For moving heaps this did not pay.) */
static bool factors_may_do(const pp_cone_newton *k) {
    return k->near_solution && k->factored > 0 && k->linear->factorisations == k->factored &&
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
    return reached < POOR; /* an inaccurate direction may be good enough, a wrong one is not */
}

/* Solves the inner problem from x_k by full steps, or with a line search. *first: |F| at the start. Returns |F| at the
 * end, with the point in trial and its velocity in w; INFINITY: no step could be made. *taken: number of steps. */
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
        if (!isfinite(next) || (k->near_solution && *taken == 1 && next > WILD * *first)) return INFINITY;
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

/* Finds the proximal point by full steps, or by steps that lower |F|. */
static double find_point(pp_cone_newton *k, const double *from, int most, double enough, bool search) {
    int m = k->c->m;
    size_t bytes = sizeof *from * (size_t)m;
    double size = 1, now = INFINITY;
    for (int i = 0; i < m; i++) size = fmax(size, fabs(from[i]));
    memcpy(k->trial, from, bytes);
    for (int step = 0;; step++) {
        velocity(k->c, k->trial, k->w);
        double next = equation(k, k->trial, k->w, k->F, true);
        if (!(next < now) && now <= enough * size) { /* no further improvement */
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
        const double *E = k->E + c->square * i;
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int s = 0; s < rows; s++) sum += E[r + rows * s] * d[first + s];
            out[first + r] = k->pull * sum;
        }
    }
}

/* Reduces d to the part that the laws, by the factorised matrix, determine by less than k->pull. */
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

/* The t > 0 at which x + t d leaves the cone that contains x; INFINITY: never. */
static double leaves_cone(int rows, double mu, const double *x, const double *d) {
    double a = -mu * mu * d[0] * d[0], b = -mu * mu * x[0] * d[0], c = -mu * mu * x[0] * x[0];
    for (int r = 1; r < rows; r++) a += d[r] * d[r], b += x[r] * d[r], c += x[r] * x[r];
    /* a t^2 + 2 b t + c = 0 with c < 0, so b + root > 0 if there is a root ahead */
    double root = b * b - a * c, tip = d[0] < 0 ? -x[0] / d[0] : INFINITY;
    double t = root >= 0 && b + sqrt(root) > 0 ? -c / (b + sqrt(root)) : INFINITY;
    return fmin(t, tip);
}

/* Distance along d, in units of d, until some block changes its state; v: velocity of x, dv = W~ d. */
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

/* Start of the next outer step after one from x to trial, as a multiple of it; 0: at trial. */
static double jump_after(pp_cone_newton *k) {
    for (int i = 0; i < k->c->m; i++) {
        k->way[i] = k->trial[i] - k->x[i];
        k->way_v[i] = k->w[i] - k->v[i];
    }
    double t = BEYOND * way_ahead(k->c, k->trial, k->w, k->way, k->way_v);
    return t >= SHORT && t <= MOST_JUMP ? t : 0;
}

/* Moves ahead by k->jump. */
static void leap(pp_cone_newton *k) {
    for (int i = 0; i < k->c->m; i++) {
        k->stand[i] = k->x[i];
        k->stand_v[i] = k->v[i];
        k->x[i] += k->jump * k->way[i];
        k->v[i] += k->jump * k->way_v[i];
    }
}

/* One outer step. Returns false if the pull has become too large. */
static bool outer(pp_cone_newton *k) {
    int taken = 0, more = 0;
    size_t bytes = sizeof *k->x * (size_t)k->c->m;
    bool jumped = k->jump > 0;
    if (jumped) leap(k);
    k->jump = 0;
    double first, end = inner(k, &first, false, &taken);
    bool quick = end <= GOOD * first && taken <= QUICK;
    if (jumped && !(end <= GOOD * first) && k->measure > k->tol) { /* the jump brought nothing */
        memcpy(k->x, k->stand, bytes);
        memcpy(k->v, k->stand_v, bytes);
        return true;
    }
    if (!(end <= GOOD * first) && k->measure > k->tol && k->steps < k->max_steps && !k->line_search_failed &&
        !k->near_solution) {
        end = inner(k, &first, true, &more);
        k->line_search_failed = !(end <= GOOD * first);
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
    k->pull *= k->near_solution ? NEAR_SOLUTION_RISE : RISE;
    k->fall = sqrt(k->fall);
    return k->pull <= MOST_PULL;
}

/* Does the caller accept the best point? */
static bool accepted(pp_cone_newton *k) {
    if (!k->ask || !k->call->enough || !k->call->ask_early) return false;
    pp_cone_unscale(k->c, k->best, k->F); /* F is computed anew before it is used */
    return k->call->enough(k->F, k->call->enough_ctx);
}

perp_outcome pp_cone_newton_run(pp_cone_newton *k) {
    const pp_cone *c = k->c;
    k->measure = INFINITY;
    k->fall = FALL;
    pp_cone_figure_aim(&k->figure, k->tol);
    k->since = k->steps;
    k->halved = INFINITY;
    k->line_search_failed = k->stuck = false;
    k->jump = 0;
    k->before = INFINITY;
    memcpy(k->best, k->x, sizeof *k->x * (size_t)c->m);
    velocity(c, k->x, k->v);
    if (!isfinite(judge(k, k->x, k->v))) { /* the guess is not usable */
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
        double was = k->measure;
        bool on = outer(k);
        if (k->measure > k->tol && (!on || k->steps == before)) return PERP_OUTCOME_LIMIT; /* nothing left to try */
        if (k->measure > k->tol && k->measure > 0.5 * was && accepted(k)) return PERP_OUTCOME_LIMIT;
    }
    return PERP_OUTCOME_SOLVED;
}

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
 * Valid    no proof: the problem is not monotone. Solves redundant, singular and ill-scaled problems in practice.
 * Cost     one factorisation per step; 10 to 40 steps from nothing, 1 to 5 from a good guess.
 * Source   Alart, Curnier (1991); De Saxce, Feng (1998); Rockafellar (1976) for proximal points; Chamberlain et al.
 *          (1982) for the watchdog. */
#include "solver/cone_newton.h"

#include <math.h>
#include <string.h>

/* Contacts that contradict each other by rounding cannot be met to the last digit: within NEAR of tol, and without
 * having halved the measure in PATIENCE steps, nothing more is to be had. */
#define NEAR        100
#define PATIENCE    300
#define LEAST_PULL  1e-9
#define MOST_PULL   1e3
#define INNER       1e-2 /* of |F| at the start: an inner problem is solved */
#define GOOD        0.1  /* and is taken as solved in the end */
#define BETTER      0.7  /* and, if it failed, is worth keeping */
#define FULL_STEPS  8
#define FAILURES    3
#define EACH        0.7 /* a full step should bring |F| down to this */
#define QUICK       6   /* steps after which the pull may fall */
#define SLOW        15
#define SEARCHED    10  /* steps with line search */
#define FALL        0.3 /* of the pull, at its fastest */
#define RECOVER     1.1 /* exponent by which the fall gets back to that with each success */
#define RISE        4
#define STEADY_RISE 2

bool pp_cone_newton_make(pp_cone_newton *k) {
    int m = k->c->m;
    double **vectors[] = {&k->x, &k->v, &k->best, &k->trial, &k->F, &k->dx, &k->w, &k->start, &k->last};
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

/* F = x - P(x - v) with v = w + a (x - x_k), w = W~ x + q~; its norm. With `derivative` C and E of Newton's
 * matrix (I - D) + D (W~ + a I). */
static double equation(pp_cone_newton *k, const double *x, const double *w, double *F, bool derivative) {
    const pp_cone *c = k->c;
    double sum = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), first = c->first[i];
        double y[4], P[4];
        for (int r = 0; r < rows; r++) {
            int j = first + r;
            y[r] = x[j] - w[j] - k->pull * (x[j] - k->x[j]);
        }
        double *E = k->E + 16 * (ptrdiff_t)i, *C = k->C + 16 * (ptrdiff_t)i;
        project(c, i, y, P, derivative ? E : NULL);
        for (int r = 0; r < rows; r++) {
            F[first + r] = x[first + r] - P[r];
            sum += F[first + r] * F[first + r];
        }
        for (int a = 0; derivative && a < rows * rows; a++) C[a] = (a % (rows + 1) == 0 ? 1 : 0) - (1 - k->pull) * E[a];
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

static bool newton_direction(pp_cone_newton *k, const double *F) {
    int m = k->c->m;
    if (!pp_cone_linear_factor(k->linear, k->C, k->E)) return false;
    k->steps++;
    for (int i = 0; i < m; i++) k->last[i] = -F[i];
    double reached = pp_cone_linear_solve(k->linear, k->last, k->dx, 1e-10, 2);
    return reached < 0.5; /* a poor direction may still be good enough, one that does not solve is not */
}

/* Solves the inner problem from x_k by full steps, or with a line search. *first: |F| at the start; end |F| returned,
 * trial: the point, and w its velocity; INFINITY: no step could be made. *taken: steps. */
static double inner(pp_cone_newton *k, double *first, bool search, int *taken) {
    int m = k->c->m, failures = 0, most = search ? SEARCHED : FULL_STEPS;
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
        for (int half = 0; half < (search ? 12 : 1); half++, step *= 0.5) {
            for (int i = 0; i < m; i++) k->start[i] = k->trial[i] + step * k->dx[i];
            velocity(k->c, k->start, k->w);
            next = equation(k, k->start, k->w, k->F, false);
            if (!search || next < (1 - 1e-4 * step) * now) break;
        }
        if (!isfinite(next)) return INFINITY;
        memcpy(k->trial, k->start, sizeof *k->x * (size_t)m);
        if (search && !(next < now)) return now;
        if (*taken > 1 && !(next <= EACH * now) && ++failures == FAILURES && !search) {
            now = next;
            break;
        }
        now = next;
    }
    (void)judge(k, k->trial, k->w);
    return now;
}

/* One outer step. False: stop (the pull has become too large). */
static bool outer(pp_cone_newton *k) {
    int taken = 0, more = 0;
    size_t bytes = sizeof *k->x * (size_t)k->c->m;
    double first, end = inner(k, &first, false, &taken);
    bool quick = end <= GOOD * first && taken <= QUICK;
    if (!(end <= GOOD * first) && k->measure > k->tol && k->steps < k->max_steps && !k->vain) {
        end = inner(k, &first, true, &more);
        taken += more;
        k->vain = !(end <= GOOD * first);
    }
    if (k->measure <= k->tol) return true;
    if (end <= BETTER * first) {
        memcpy(k->x, k->trial, bytes);
        memcpy(k->v, k->w, bytes);
    }
    if (end <= GOOD * first) {
        k->fall = fmax(FALL, pow(k->fall, RECOVER));
        if (quick)
            k->pull = fmax(LEAST_PULL, k->fall * k->pull);
        else if (taken > SLOW)
            k->pull *= STEADY_RISE;
        return true;
    }
    k->pull *= RISE;
    k->fall = sqrt(k->fall);
    return k->pull <= MOST_PULL;
}

perp_outcome pp_cone_newton_run(pp_cone_newton *k) {
    const pp_cone *c = k->c;
    k->measure = INFINITY;
    k->fall = FALL;
    k->figure.siconos = pp_cone_siconos_weight(k->tol);
    k->since = k->steps;
    k->halved = INFINITY;
    k->vain = false;
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
        if (k->measure <= NEAR * k->tol && k->steps > k->since + PATIENCE) return PERP_OUTCOME_LIMIT;
        k->iterations++;
        int before = k->steps;
        bool on = outer(k);
        if (k->measure > k->tol && (!on || k->steps == before)) return PERP_OUTCOME_LIMIT; /* nothing left to try */
    }
    return PERP_OUTCOME_SOLVED;
}

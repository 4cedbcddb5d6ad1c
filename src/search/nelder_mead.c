/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* nelder_mead.c - downhill simplex with bounds, constraints and restarts
 *   minimise f(x), lower <= x <= upper, g(x) <= 0, by values only
 * Method   Nelder and Mead's simplex of n + 1 points with the coefficients of Gao and Han, which depend on n and are the
 *          usual ones for n <= 2. Bounds: a trial point beyond a bound is moved to it (projection), so minima on bounds are
 *          met exactly. Constraints: exact penalty (penalty.c). Points that failed have an infinite merit.
 *          Restart: a fresh simplex around the best point with the first steps, downwards and upwards in turn, until the
 *          restarts are used up or two in succession gained nothing.
 * Ends     if the simplex is smaller than x_tolerance of the range in every parameter, or if its merits differ by less
 *          than f_tolerance in n + 1 iterations in succession (one such iteration also happens where points lie
 *          symmetrically about a minimum).
 * Valid    a local method without a proof of convergence for n >= 2; fair for n <= 10. The projection may flatten the
 *          simplex against a bound; a restart gives it its full dimension again.
 * Cost     n + 1 points in one call for the first simplex, n for a restart or a shrink, else 1 or 2 an iteration, one by
 *          one; n^2 operations an iteration; memory (n + 1) (n + m + 4) doubles.
 * Source   Nelder, Mead (1965), Computer J. 7; Lagarias, Reeds, Wright, Wright (1998), SIAM J. Optim. 9 (order of the
 *          tests, ties); Gao, Han (2012), Comput. Optim. Appl. 51. */
#include "search/search.h"

#include <math.h>
#include <string.h>

typedef struct simplex {
    int n, m;
    double *x;     /* n + 1 rows of n */
    double *f;     /* n + 1 */
    double *g;     /* n + 1 rows of m */
    double *v;     /* n + 1 */
    double *merit; /* n + 1 */
    int *order;    /* n + 1: indices by merit, best first; of equal ones the older first */
    double *centre;
    double *trial[2];   /* reflected point, and expanded or contracted one */
    double *g_trial[2]; /* m each */
    double merit_trial[2], f_trial[2];
    double expand, contract, shrink; /* Gao and Han's beta, gamma, delta; alpha = 1 */
    pp_search_penalty penalty;
} simplex;

/* ---- memory ---- */

static double *take(double **at, size_t count) {
    double *p = *at;
    *at += count;
    return p;
}

/* One block for everything; NULL if memory is refused. */
static void *simplex_create(const pp_search *s, simplex *t) {
    const size_t n = (size_t)s->n, m = (size_t)s->m, k = n + 1;
    double *block = pp_alloc(&s->o.alloc, (k * (n + m + 3) + 3 * n + 3 * m) * sizeof(double) + k * sizeof(int));
    if (!block) return NULL;
    double *at = block;
    *t = (simplex){.n = s->n, .m = s->m};
    t->x = take(&at, k * n);
    t->f = take(&at, k);
    t->g = take(&at, k * m);
    t->v = take(&at, k);
    t->merit = take(&at, k);
    t->centre = take(&at, n);
    for (int i = 0; i < 2; i++) t->trial[i] = take(&at, n);
    for (int i = 0; i < 2; i++) t->g_trial[i] = take(&at, m);
    t->penalty.weight = take(&at, m);
    t->order = (void *)at;                  /* ints at the end of the block: doubles are aligned at least as strictly */
    const double dim = s->n < 2 ? 2 : s->n; /* for one parameter the formulas would shrink to nothing */
    t->expand = 1 + 2 / dim;
    t->contract = 0.75 - 0.5 / dim;
    t->shrink = 1 - 1 / dim;
    return block;
}

static double *row(const simplex *t, int k) { return t->x + (size_t)k * (size_t)t->n; }
static double *g_row(const simplex *t, int k) { return t->g + (size_t)k * (size_t)t->m; }

/* ---- order ---- */

/* Puts vertex k, which is order[at], to its place among those before it: behind equal ones. */
static void sift_down(simplex *t, int at) {
    const int k = t->order[at];
    for (; at > 0 && t->merit[t->order[at - 1]] > t->merit[k]; at--) t->order[at] = t->order[at - 1];
    t->order[at] = k;
}

static void sort_all(simplex *t) {
    for (int k = 0; k <= t->n; k++) {
        t->order[k] = k;
        sift_down(t, k);
    }
}

/* ---- steps ---- */

/* Evaluates vertices first .. n, in one call, and orders the simplex. `weigh`: the weights come from this simplex. */
static bool fill(pp_search *s, simplex *t, int first, bool weigh) {
    if (!pp_search_values(s, t->n + 1 - first, row(t, first), t->f + first, g_row(t, first), t->v + first))
        return false;
    if (weigh) pp_search_weigh(s, &t->penalty, t->f, t->g);
    for (int k = 0; k <= t->n; k++) t->merit[k] = pp_search_merit(s, &t->penalty, t->f[k], g_row(t, k));
    sort_all(t);
    return true;
}

/* trial[i] = centre + by (from - centre), within the bounds, and its merit. */
static bool try_point(pp_search *s, simplex *t, int i, double by, const double *from) {
    for (int c = 0; c < t->n; c++)
        t->trial[i][c] = pp_search_project(s, c, t->centre[c] + by * (from[c] - t->centre[c]));
    double v = 0;
    if (!pp_search_values(s, 1, t->trial[i], &t->f_trial[i], t->g_trial[i], &v)) return false;
    t->merit_trial[i] = pp_search_merit(s, &t->penalty, t->f_trial[i], t->g_trial[i]);
    return true;
}

/* Trial i takes the place of the worst vertex. */
static void accept(simplex *t, int i) {
    const int k = t->order[t->n];
    memcpy(row(t, k), t->trial[i], (size_t)t->n * sizeof(double));
    if (t->m > 0) memcpy(g_row(t, k), t->g_trial[i], (size_t)t->m * sizeof(double));
    t->f[k] = t->f_trial[i];
    t->merit[k] = t->merit_trial[i];
    sift_down(t, t->n);
}

/* All vertices move towards the best one, which becomes vertex 0. */
static bool shrink(pp_search *s, simplex *t) {
    const int b = t->order[0];
    if (b != 0) {
        for (int c = 0; c < t->n; c++) {
            double swap = row(t, 0)[c];
            row(t, 0)[c] = row(t, b)[c];
            row(t, b)[c] = swap;
        }
        t->f[0] = t->f[b];
        if (t->m > 0) memcpy(g_row(t, 0), g_row(t, b), (size_t)t->m * sizeof(double));
    }
    for (int k = 1; k <= t->n; k++)
        for (int c = 0; c < t->n; c++)
            row(t, k)[c] = pp_search_project(s, c, row(t, 0)[c] + t->shrink * (row(t, k)[c] - row(t, 0)[c]));
    return fill(s, t, 1, false);
}

static void find_centre(simplex *t) {
    for (int c = 0; c < t->n; c++) {
        double sum = 0;
        for (int k = 0; k < t->n; k++) sum += row(t, t->order[k])[c];
        t->centre[c] = sum / t->n;
    }
}

/* One iteration: reflect, then expand, contract or shrink. False: the search is over. */
static bool iterate(pp_search *s, simplex *t) {
    const int n = t->n;
    const double best = t->merit[t->order[0]], worst = t->merit[t->order[n]];
    const double second = t->merit[t->order[n > 0 ? n - 1 : 0]];
    find_centre(t);
    if (!try_point(s, t, 0, -1, row(t, t->order[n]))) return false;
    const double reflected = t->merit_trial[0];
    if (reflected < best) {
        if (!try_point(s, t, 1, -t->expand, row(t, t->order[n]))) return false;
        accept(t, t->merit_trial[1] < reflected ? 1 : 0);
    } else if (reflected < second) {
        accept(t, 0);
    } else if (reflected < worst) { /* contract outside */
        if (!try_point(s, t, 1, t->contract, t->trial[0])) return false;
        if (!(t->merit_trial[1] <= reflected)) return shrink(s, t);
        accept(t, 1);
    } else { /* contract inside */
        if (!try_point(s, t, 1, t->contract, row(t, t->order[n]))) return false;
        if (!(t->merit_trial[1] < worst)) return shrink(s, t);
        accept(t, 1);
    }
    return true;
}

static bool small(const pp_search *s, const simplex *t) {
    for (int k = 1; k <= t->n; k++)
        for (int c = 0; c < t->n; c++)
            if (!(fabs(row(t, k)[c] - row(t, 0)[c]) <= s->o.x_tolerance * s->range[c])) return false;
    return true;
}

/* From a filled simplex until it converges. False: the search is over. */
static bool descend(pp_search *s, simplex *t) {
    for (int flat = 0;;) {
        if (small(s, t)) return true;
        const double spread = t->merit[t->order[t->n]] - t->merit[t->order[0]]; /* NAN: all failed */
        flat = s->o.f_tolerance > 0 && spread <= s->o.f_tolerance ? flat + 1 : 0;
        if (flat > t->n) return true;
        if (!iterate(s, t)) return false;
    }
}

/* A simplex around the best point, whose values are known if any point could be evaluated. */
static bool begin_again(pp_search *s, simplex *t, bool up) {
    const bool known = !isnan(s->best_f);
    t->f[0] = s->best_f;
    if (t->m > 0) memcpy(g_row(t, 0), s->best_g, (size_t)t->m * sizeof(double));
    pp_search_simplex(s, s->best_x, up, t->x);
    return fill(s, t, known ? 1 : 0, false);
}

perp_status pp_search_nelder_mead(pp_search *s, perp_refusal *why) {
    simplex t;
    void *block = simplex_create(s, &t);
    if (!block)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "search", "There is no memory for the simplex.");
    pp_search_simplex(s, s->start, true, t.x);
    bool on = fill(s, &t, 0, true);
    pp_search_runs runs = {0, NAN, INFINITY};
    while (on && descend(s, &t)) {
        if (pp_search_raise(s, &t.penalty))
            on = begin_again(s, &t, true); /* larger weights: not counted as a restart */
        else if (pp_search_again(s, &runs))
            on = begin_again(s, &t, s->restarts % 2 == 0);
        else
            break;
    }
    if (s->end == PP_SEARCH_GOES_ON) s->end = PP_SEARCH_CONVERGED;
    pp_free(&s->o.alloc, block);
    return PERP_OK;
}

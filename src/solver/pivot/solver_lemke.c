/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_lemke.c - complementary pivoting for dense linear complementarity problems
 *   find z with  z >= 0,  w = M z + q >= 0,  z'w = 0           M: n x n, column-major, any symmetry
 * Method   Equilibration by powers of two; ray start with a covering vector; lexicographic ratio test, so ties cannot cycle. Columns of the
 *          dictionary are updated when they enter (dictionary.c). The final basis is solved again by LU on the original data (basis.c), so
 *          that the solution does not contain the errors of the pivots. A guess is first tried as a basis; a guess that is a solution
 *          except for rounding is corrected. If a run fails: another covering vector, then a perturbed q; after rays, runs from other bases
 *          (`starts`), where the paths of bimatrix games begin.
 *          Redundant contacts do not determine the impulses, and with friction not even the motion: a body held at two points may rotate
 *          about one of them if the other is chosen to carry nothing. So the first run adds a little to the diagonal (`share`), which
 *          selects the solution that contacts of equal, vanishing compliance would have. Refinement then satisfies the equations without
 *          it. If that changes the basis, pivoting continues from the last one. Mixed problems are reduced first (reduce.c), and checked
 *          by their own rows at the end.
 * Valid    M copositive-plus: ends in a solution, or in a ray that proves that there is none.
 *          Other M: a ray proves nothing; the outcome is PERP_OUTCOME_RAY, never "infeasible".
 * Cost     4 n^2 doubles; 2 n k flops for the k-th pivot of a run, usually n/2 to 2 n pivots; with a good guess one LU of its positive part.
 * Source   Cottle, Pang, Stone (1992), 4.4 (Lemke's scheme I; bimatrix games), 4.9 (lexicographic rule); Berard 2.3.1;
 *          Ruiz, A scaling algorithm to equilibrate rows and columns norms in matrices (2001). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/kernel.h"
#include "solver/pivot/basis.h"
#include "solver/pivot/dictionary.h"
#include "solver/common/solver.h"

typedef struct settings {
    int max_pivots, starts;
    double pivot_tol;
    double tie_tol;
    double tol;
    int warm_steps;
    int tries;
    double share;
} settings;

static const perp_field fields[] = {
    {"max_pivots", PERP_FIELD_INT, offsetof(settings, max_pivots), 0, 0, 1e9, "pivots per run; 0: 10 n + 500"},
    {"pivot_tol", PERP_FIELD_DOUBLE, offsetof(settings, pivot_tol), 1e-10, 1e-15, 1e-3,
     "smaller entries of an equilibrated column count as zero"},
    {"tie_tol", PERP_FIELD_DOUBLE, offsetof(settings, tie_tol), 1e-12, 0, 1e-6,
     "ratios within this (relative to q) are ties"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-12, 1e-16, 1e-3,
     "residual, relative to q, at which a solution counts as exact"},
    {"warm_steps", PERP_FIELD_INT, offsetof(settings, warm_steps), 12, 0, 1000,
     "factorisations spent on a guess, for each proximal point, before pivoting from scratch"},
    {"tries", PERP_FIELD_INT, offsetof(settings, tries), 5, 1, 5,
     "runs: plain, other covering vector, perturbed three times"},
    {"share", PERP_FIELD_DOUBLE, offsetof(settings, share), 1e-4, 0, 1,
     "compliance, relative to the diagonal, by which redundant contacts share "
     "their load; 0: off"},
    {"starts", PERP_FIELD_INT, offsetof(settings, starts), 8, 0, 1000,
     "runs from other complementary bases, after all others have ended on "
     "rays"},
};

typedef struct pivoting {
    pp_dictionary at;
    double *d;    /* n: covering vector */
    int *tied;    /* n */
    bool stopped; /* time limit reached */
    const perp_call *call;
} pivoting;

typedef struct layout {
    pivoting t;
    pp_basis b;
    double *D, *q, *z, *last; /* equilibration; equilibrated q; guess or proximal point; the one before */
    bool *in;
    bool contacts; /* natural scales are given: a contact problem, where sharing the load matters more than accuracy */
} layout;

static void lay_out(int n, pp_workspace *c, layout *l) {
    size_t N = (size_t)n;
    pp_dictionary_lay_out(&l->t.at, n, c);
    l->b.A = PP_CARVE(c, double, N *N);
    l->t.d = PP_CARVE(c, double, N);
    l->b.w = PP_CARVE(c, double, N);
    l->b.x = PP_CARVE(c, double, N);
    l->b.y = PP_CARVE(c, double, N);
    l->b.c = PP_CARVE(c, double, N);
    l->b.shared = PP_CARVE(c, double, N);
    l->b.work = PP_CARVE(c, double, 2 * N);
    l->b.best = PP_CARVE(c, double, N);
    l->D = PP_CARVE(c, double, N);
    l->q = PP_CARVE(c, double, N);
    l->z = PP_CARVE(c, double, N);
    l->last = PP_CARVE(c, double, N);
    l->t.tied = PP_CARVE(c, int, N);
    l->b.S = PP_CARVE(c, int, N);
    l->b.piv = PP_CARVE(c, int, N);
    l->in = PP_CARVE(c, bool, N);
}

static int plain_size(const perp_problem *p) {
    if (p->cls == PERP_LCP) return p->as.lcp.n;
    int n = 0;
    for (int i = 0; i < p->as.mlcp.n; i++) {
        bool lo = p->as.mlcp.lo[i] > -INFINITY, hi = p->as.mlcp.hi[i] < INFINITY;
        if (!(lo && hi && p->as.mlcp.lo[i] == p->as.mlcp.hi[i])) n += lo + hi;
    }
    return n;
}

static size_t work_size(const perp_problem *p, const void *set) {
    (void)set;
    pp_workspace c = {0};
    layout l;
    lay_out(plain_size(p), &c, &l);
    return c.used + pp_reduce_work(p) + 16;
}

/* Symmetric scaling D M D with rows and columns of size about 1, D powers of two so that nothing is rounded. It starts from natural scales, so
 * that it does not depend on the unit of mass: M has impulses and velocities among its unknowns. */
static void equilibrate(const pp_plain *p, double *D, double *most) {
    ptrdiff_t n = p->n;
    for (int i = 0; i < n; i++) D[i] = sqrt(p->zs[i] / p->ws[i]);
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < n; i++) most[i] = 0;
        for (int j = 0; j < n; j++) {
            double up = 0;
            for (int i = 0; i < n; i++) {
                double a = fabs(p->M[i + n * j]) * D[i] * D[j];
                if (a > most[i]) most[i] = a;
                if (a > up) up = a;
            }
            if (up > most[j]) most[j] = up;
        }
        for (int i = 0; i < n; i++)
            if (most[i] > 0 && isfinite(most[i])) D[i] /= sqrt(most[i]);
    }
    for (int i = 0; i < n; i++) {
        int e;
        double f = frexp(D[i], &e);
        D[i] = ldexp(1, f > 0.7071067811865476 ? e : e - 1);
        if (!(D[i] > 1e-100 && D[i] < 1e100)) D[i] = 1;
    }
}

/* Row that leaves when column col enters, -1 for a ray. The smallest ratio wins; among ties the artificial variable,
 * otherwise the lexicographically smallest row of (b, B^-1)/pivot. size: that of b at the start. */
static int leaving(pivoting *t, int col, const settings *s, double size) {
    pp_dictionary *at = &t->at;
    int n = at->n, artificial = 2 * n;
    const double *c = pp_dictionary_column(at, col), *b = at->b;
    double most = 1;
    for (int i = 0; i < n; i++)
        if (fabs(c[i]) > most) most = fabs(c[i]);
    double small = s->pivot_tol * most, tie = s->tie_tol * size, bound = INFINITY;
    for (int i = 0; i < n; i++) { /* largest step at which no row is below -tie */
        if (!(c[i] < -small)) continue;
        double r = ((b[i] > 0 ? b[i] : 0) + tie) / -c[i];
        if (r < bound) bound = r;
    }
    int ntied = 0;
    for (int i = 0; i < n; i++) {
        if (!(c[i] < -small)) continue;
        double r = (b[i] > 0 ? b[i] : 0) / -c[i];
        if (r > bound) continue;
        if (at->basic[i] == artificial) return i;
        t->tied[ntied++] = i;
    }
    for (int k = 0; k < n && ntied > 1; k++) {
        double least = INFINITY, range = 0;
        for (int a = 0; a < ntied; a++) {
            double v = pp_dictionary_inverse(at, t->tied[a], k) / -c[t->tied[a]];
            if (v < least) least = v;
            if (fabs(v) > range) range = fabs(v);
        }
        int kept = 0;
        for (int a = 0; a < ntied; a++)
            if (pp_dictionary_inverse(at, t->tied[a], k) / -c[t->tied[a]] <= least + 1e-9 * range)
                t->tied[kept++] = t->tied[a];
        ntied = kept;
    }
    return ntied > 0 ? t->tied[0] : -1;
}

/* Pivots between two checks of the clock. */
#define LOOK 32

/* [1] An artificial variable smaller than this, relative to q, may be zero. The solution is measured in any case. */
#define VANISHED 1e-9

/* [1] Smallest pivot on the way to another start. */
#define START_TOL 1e-6

/* Dictionary of w = M z + q, equilibrated, with the covering vector; its size. */
static double set_up(pivoting *t, const pp_plain *p, const double *D, const double *q, double share) {
    ptrdiff_t n = p->n;
    double size = 0, *T = t->at.T;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) T[i + n * j] = D[i] * p->M[i + n * j] * D[j];
    for (int i = 0; i < n; i++) {
        T[i + n * i] += D[i] * pp_basis_pull(p, i, share, 1) * D[i];
        T[i + n * n] = t->d[i];
        t->at.b[i] = q[i];
        if (fabs(q[i]) > size) size = fabs(q[i]);
    }
    pp_dictionary_start(&t->at);
    return size;
}

/* Lemke's path from the present complementary basis. On PERP_OUTCOME_SOLVED the basis is in t->at. size: that of q at
 * the start; limit: pivots. */
static perp_outcome go(pivoting *t, const settings *s, double size, int limit) {
    pp_dictionary *at = &t->at;
    int n = at->n, start = at->count, first = -1;
    for (int i = 0; i < n; i++) /* among ties the last row: the lexicographically smallest */
        if (at->b[i] < 0 && (first < 0 || at->b[i] / t->d[i] <= at->b[first] / t->d[first])) first = i;
    if (first < 0) return PERP_OUTCOME_SOLVED;
    int left = at->basic[first];
    pp_dictionary_pivot(at, first, -1 - at->place[2 * n]);
    while (at->count - start < limit) {
        if (at->count % LOOK == 0 && !perp_call_look(t->call, at->count, NULL)) {
            t->stopped = true;
            return PERP_OUTCOME_STOPPED;
        }
        int enter = left < n ? left + n : left - n, col = -1 - at->place[enter];
        int row = leaving(t, col, s, size);
        if (row < 0) /* the artificial variable is zero except for rounding: its basis is that of a solution */
            return at->b[at->place[2 * n]] <= VANISHED * size ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_RAY;
        left = at->basic[row];
        pp_dictionary_pivot(at, row, col);
        if (left == 2 * n || at->b[at->place[2 * n]] <= s->tie_tol * size) return PERP_OUTCOME_SOLVED;
        if (!isfinite(at->b[row])) return PERP_OUTCOME_NUMERICS;
    }
    return PERP_OUTCOME_LIMIT;
}

static int most_pivots(const settings *s, int n) { return s->max_pivots > 0 ? s->max_pivots : 10 * n + 500; }

/* One run from the ray start. */
static perp_outcome run(pivoting *t, const pp_plain *p, const double *D, const double *q, const settings *s,
                        double share) {
    return go(t, s, set_up(t, p, D, q, share), most_pivots(s, p->n));
}

/* A fixed sequence in [0, 1) without pattern (golden ratio). */
static double spread(int i) {
    double x = 0.6180339887498949 * (i + 1);
    return x - floor(x);
}

/* After a failed run: replaces the artificial variable in the basis by one of the missing pair, so that the basis is
 * complementary again, with any signs. */
static bool dismiss(pp_dictionary *at) {
    int n = at->n, row = at->place[2 * n], pair = 0;
    if (row < 0) return true;
    while (pair < n && (at->place[pair] >= 0 || at->place[n + pair] >= 0)) pair++;
    if (pair == n) return false;
    int z = -1 - at->place[pair], w = -1 - at->place[n + pair];
    double by_z = fabs(pp_dictionary_column(at, z)[row]), by_w = fabs(pp_dictionary_column(at, w)[row]);
    if (!(fmax(by_z, by_w) > START_TOL)) return false;
    pp_dictionary_pivot(at, row, by_z > by_w ? z : w);
    return true;
}

/* Continues from the basis of the last run to the solution for another q; if that fails, from its end with another
 * covering vector. */
static bool run_on(pivoting *t, const double *q, const settings *s) {
    int n = t->at.n;
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(q[i]));
    for (int k = 0; k < 2 && dismiss(&t->at); k++) {
        for (int i = 0; i < n && k > 0; i++) t->d[i] = 1 + spread(n + i);
        pp_dictionary_point(&t->at, q);
        pp_dictionary_cover(&t->at, t->d);
        perp_outcome o = go(t, s, size, n);
        if (o == PERP_OUTCOME_SOLVED) return true;
        if (o != PERP_OUTCOME_RAY) return false;
    }
    return false;
}

/* One run from the basis in which z_i is positive, together with the z_j whose row it would lift last, if that is not
 * its own: there the path of a bimatrix game begins (Lemke and Howson), which from z = 0 ends on a ray at once. */
static perp_outcome run_from(pivoting *t, const pp_plain *p, const double *D, const double *q, const settings *s,
                             int i) {
    int n = p->n, j = -1;
    double size = set_up(t, p, D, q, 0), most = 0;
    const double *lift = pp_dictionary_column(&t->at, i);
    for (int k = 0; k < n; k++)
        if (lift[k] > START_TOL && -q[k] / lift[k] > most) most = -q[k] / lift[k], j = k;
    if (j < 0) return PERP_OUTCOME_RAY;
    pp_dictionary_pivot(&t->at, j, i);
    if (j != i) {
        if (!(fabs(pp_dictionary_column(&t->at, j)[i]) > START_TOL)) return PERP_OUTCOME_RAY;
        pp_dictionary_pivot(&t->at, i, j);
    }
    pp_dictionary_cover(&t->at, t->d);
    return go(t, s, size, most_pivots(s, n));
}

/* Final basis of a run: its positive variables, in l->in. */
static void read_basis(layout *l) {
    const pp_dictionary *at = &l->t.at;
    int n = at->n;
    for (int i = 0; i < n; i++) l->in[i] = false;
    for (int i = 0; i < n; i++)
        if (at->basic[i] < n) l->in[at->basic[i]] = true;
    if (at->place[2 * n] < 0) return;
    /* the artificial variable replaces a pair that is not basic: without it the block would be singular */
    for (int i = 0; i < n; i++)
        if (at->place[i] < 0 && at->place[n + i] < 0) l->in[i] = true;
}

/* Final point of a run, from the pivots, in l->z. */
static void read_point(layout *l) {
    const pp_dictionary *at = &l->t.at;
    int n = at->n;
    for (int i = 0; i < n; i++) l->z[i] = 0;
    for (int i = 0; i < n; i++) {
        int v = at->basic[i];
        if (v < n) l->z[v] = at->b[i] > 0 ? l->D[v] * at->b[i] : 0;
    }
}

/* Equilibrated q, minus the term of a proximal point, with covering vector and perturbation. A row that is negative
 * only by rounding may be one that nothing can lift. */
static void start_q(layout *l, const pp_plain *p, double size, double share, bool ones, double noise) {
    int n = p->n;
    for (int i = 0; i < n; i++) {
        l->t.d[i] = ones ? 1 : 1 + spread(i);
        l->q[i] = l->D[i] * (p->q[i] - pp_basis_pull(p, i, share, l->z[i]));
        if (l->q[i] < 0 && l->q[i] > -1e-15 * size) l->q[i] = 0;
        l->q[i] += noise * size * (0.5 + spread(n + i));
    }
}

/* [1] A shared solution within this multiple of tol is preferred to an exact one that loads only some of the contacts. */
#define ACCEPTED 1000

/* [runs] Largest number of runs for proximal points. */
#define SHARED_RUNS 8
/* [points] Largest number of proximal points after those. */
#define SHARED_POINTS 60
/* [exchanges] After a run, and after one that continued from the last. */
#define EXCHANGES     20
#define FEW_EXCHANGES 2
/* [pivots] If such a run needed more, its basis has not converged yet. */
#define FEW_PIVOTS 4

/* Largest change from one point to another, in natural scales. */
static double way(const pp_plain *p, const double *z, const double *from) {
    double most = 0;
    for (int i = 0; i < p->n; i++) most = fmax(most, fabs(z[i] - from[i]) / p->zs[i]);
    return most;
}

/* Proximal points from zero: the first by pivoting, the next by exchanges from its basis. If those do not converge, by
 * pivoting from the basis of the last run, which is near, with exchanges again once it hardly changes; from the start
 * if that fails. */
static bool cold_shared(layout *l, const pp_plain *p, const settings *s, double size) {
    double share = s->share, of_run = 0;
    bool solved = false;
    for (int i = 0; i < p->n; i++) l->z[i] = 0;
    for (int k = 0, runs = 0; k < SHARED_POINTS && runs < SHARED_RUNS; k++) {
        double before = share;
        int pivots = l->t.at.count;
        start_q(l, p, size, share, runs % 2 == 0, 0);
        bool on = solved && share == of_run && run_on(&l->t, l->q, s);
        pivots = l->t.at.count - pivots;
        if (!on) { /* on a ray near the solution the basis may still be correct */
            solved = run(&l->t, p, l->D, l->q, s, share) == PERP_OUTCOME_SOLVED;
            of_run = share;
            runs++;
        }
        if (l->t.stopped) return false;
        read_basis(l);
        memcpy(l->last, l->z, sizeof *l->z * (size_t)p->n);
        bool settled = !on || pivots <= FEW_PIVOTS;
        if (settled && pp_basis_prox(&l->b, l->in, l->z, on ? FEW_EXCHANGES : EXCHANGES, s->tol, &share)) return true;
        if (on && way(p, l->z, l->last) == 0) read_point(l); /* no exchanges: use the point of the pivots */
        if (share == before && !(way(p, l->z, l->last) > s->tol * l->b.size)) {
            if (!on && runs % 2 == 0) share *= 0.01;
            solved = false; /* the next one from the start */
        }
    }
    return false;
}

/* Takes the result of a run, from the pivots and from its basis. Returns true if that is a solution. */
static bool take(layout *l, const settings *s, perp_outcome o) {
    int n = l->t.at.n;
    read_basis(l);
    read_point(l);
    double r = pp_basis_measure(&l->b, l->z); /* in case the basis is singular */
    if (r < l->b.residual) {
        l->b.residual = r;
        memcpy(l->b.best, l->z, sizeof *l->z * (size_t)n);
    }
    if (o == PERP_OUTCOME_SOLVED) (void)pp_basis_solve(&l->b, l->in, 1 + s->warm_steps, s->tol);
    return l->b.residual <= PP_BASIS_SLACK * s->tol * l->b.size;
}

static perp_outcome cold(layout *l, const pp_plain *p, const settings *s) {
    int n = p->n;
    perp_outcome outcome = PERP_OUTCOME_NUMERICS;
    double size = 0;
    equilibrate(p, l->D, l->q);
    for (int i = 0; i < n; i++) {
        double a = fabs(p->q[i]) * l->D[i];
        if (a > size) size = a;
    }
    double accepted = l->contacts ? ACCEPTED * s->tol * l->b.size : -1;
    if (s->share > 0 && (cold_shared(l, p, s, size) || l->b.shared_residual <= accepted)) return PERP_OUTCOME_SOLVED;
    if (l->t.stopped) return PERP_OUTCOME_STOPPED;
    for (int try = 0; try < s->tries; try++) {
        double noise = try < 2 ? 0 : try == 2 ? 1e-10 : try == 3 ? 1e-9 : 1e-8;
        for (int i = 0; i < n; i++) l->z[i] = 0;
        start_q(l, p, size, 0, try == 0, noise);
        perp_outcome o = run(&l->t, p, l->D, l->q, s, 0);
        if (o == PERP_OUTCOME_STOPPED) return o;
        if (try == 0 || o == PERP_OUTCOME_SOLVED) outcome = o;
        if (take(l, s, o)) return PERP_OUTCOME_SOLVED;
    }
    for (int k = 0; k < s->starts && k < n && outcome == PERP_OUTCOME_RAY; k++) {
        for (int i = 0; i < n; i++) l->z[i] = 0;
        start_q(l, p, size, 0, k % 2 == 0, 0);
        perp_outcome o = run_from(&l->t, p, l->D, l->q, s, (int)((ptrdiff_t)n * k / (s->starts < n ? s->starts : n)));
        if (o == PERP_OUTCOME_STOPPED) return o;
        if (o == PERP_OUTCOME_SOLVED && take(l, s, o)) return o;
    }
    return outcome == PERP_OUTCOME_SOLVED ? PERP_OUTCOME_NUMERICS : outcome;
}

/* Is the solution isolated, so that there is no load to share? It is if it is strictly complementary and its basis is
 * regular. b->w belongs to the solution. */
static bool isolated(layout *l, const pp_plain *p, const settings *s) {
    double margin = PP_BASIS_SLACK * s->tol * l->b.size;
    if (!(pp_basis_rcond(&l->b) > 1e-8)) return false;
    for (int i = 0; i < p->n; i++)
        if (!((l->in[i] ? l->b.best[i] / p->zs[i] : l->b.w[i] / p->ws[i]) > margin)) return false;
    return true;
}

/* Positive part of the guess in l->z, into l->in. False if it is empty. */
static bool support(layout *l, const pp_plain *p) {
    bool any = false;
    for (int i = 0; i < p->n; i++) any |= l->in[i] = l->z[i] > 0;
    return any;
}

/* A guess in l->z that is a solution except for rounding, like that of the last step for a pile at rest; its support is
 * in l->in. Improves it to the tolerance. The distribution of loads stays: proximal points move it no further than the
 * equations require. */
static bool nearly(layout *l, const pp_plain *p, const settings *s) {
    double share = s->share;
    if (!(pp_basis_measure(&l->b, l->z) <= PP_BASIS_SLACK * s->tol * l->b.size)) return false;
    memcpy(l->last, l->z, sizeof *l->z * (size_t)p->n);
    l->b.near = true;
    (void)pp_basis_prox(&l->b, l->in, l->last, s->warm_steps, s->tol, &share);
    l->b.near = false;
    if (l->b.residual <= s->tol * l->b.size) return true;
    l->b.residual = l->b.shared_residual = INFINITY;
    return false;
}

/* A guess tried as a basis. */
static bool warm(layout *l, const pp_plain *p, const settings *s) {
    if (s->share == 0) return pp_basis_solve(&l->b, l->in, s->warm_steps, s->tol);
    if (pp_basis_solve(&l->b, l->in, 1, s->tol) && isolated(l, p, s)) return true;
    l->b.residual = INFINITY; /* do not keep as the best: it may load only some of several contacts */
    (void)support(l, p);
    if (nearly(l, p, s)) return true;
    (void)support(l, p);
    double share = s->share;
    for (int i = 0; i < p->n; i++) l->z[i] = 0;
    return pp_basis_prox(&l->b, l->in, l->z, s->warm_steps, s->tol, &share);
}

/* If free variables were eliminated, the LCP is not the problem: its q may be rounding, and its solution may violate
 * rows that were left out. Returns the outcome for the problem itself. */
static perp_outcome judged(const pp_reduction *r, const double *z, perp_outcome outcome, const settings *s) {
    const perp_problem *p = r->p;
    double size = 0, residual = perp_problem_residual(p, z);
    for (int i = 0; i < p->as.mlcp.n; i++) size = fmax(size, fabs(p->as.mlcp.q[i]) / (p->w_scale ? p->w_scale[i] : 1));
    bool missed = pp_reduce_missed(r, z) > PP_MISSED;
    if (outcome == PERP_OUTCOME_SOLVED && missed) return PERP_OUTCOME_NUMERICS;
    if (outcome != PERP_OUTCOME_STOPPED && !missed && residual <= PP_BASIS_SLACK * s->tol * size)
        return PERP_OUTCOME_SOLVED;
    return outcome;
}

static perp_outcome solve(const perp_problem *problem, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    pp_reduction r;
    size_t head = (pp_reduce_work(problem) + 15) / 16 * 16;
    pp_reduce(&r, problem, work);
    const pp_plain *p = &r.lcp;
    layout l = {0};
    pp_workspace c = {(char *)work + head, 0};
    lay_out(p->n, &c, &l);
    l.b.lcp = p;
    l.b.counts = call->work;
    l.t.call = call;
    l.contacts = problem->z_scale != NULL;
    l.b.residual = l.b.shared_residual = INFINITY;
    bool guess = false, negative = false;
    pp_reduce_guess(&r, z, l.z);
    for (int i = 0; i < p->n; i++) {
        double a = fabs(p->q[i]) / p->ws[i];
        if (!isfinite(a)) return PERP_OUTCOME_NUMERICS;
        if (a > l.b.size) l.b.size = a;
        if (p->q[i] < 0) negative = true;
        l.b.best[i] = 0;
    }
    guess = support(&l, p);
    perp_outcome outcome = PERP_OUTCOME_SOLVED;
    info->iterations = 0;
    info->warm = false;
    if (negative) {
        if (guess) info->warm = warm(&l, p, s);
        if (!info->warm) outcome = cold(&l, p, s);
        if (l.t.at.count % LOOK) (void)perp_call_look(call, l.t.at.count, NULL); /* count the last pivots */
        if (l.b.shared_residual < INFINITY && /* nothing much better was found: the load stays shared */
            !(l.b.residual < (l.contacts ? 0.1 : 1) * l.b.shared_residual))
            memcpy(l.b.best, l.b.shared, sizeof *l.b.best * (size_t)p->n);
        else if (l.b.residual > s->tol * l.b.size && outcome == PERP_OUTCOME_SOLVED)
            pp_basis_polish(&l.b, l.in, !l.contacts);
        info->iterations = l.t.at.count + l.b.steps;
    }
    pp_reduce_answer(&r, l.b.best, z);
    pp_reduce_polish(&r, z);
    return r.nfree > 0 ? judged(&r, z, outcome, s) : outcome;
}

const perp_solver_type pp_solver_lemke = {
    .abi = PERP_ABI,
    .name = "lemke",
    .source = "Cottle, Pang, Stone (1992), 4.4 and 4.9; Berard 2.3.1",
    .takes = PERP_LCP | PERP_MLCP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .work_size = work_size,
    .solve = solve,
};

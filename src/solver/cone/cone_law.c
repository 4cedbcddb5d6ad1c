/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_law.c - one block of a cone problem: projection, natural map, exact solution with all other blocks constant
 *   v = W x + q,  W dim x dim (2 .. 6);  open: x = 0, v_N >= 0;  stick: v = 0, |x_T| <= mu x_N;
 *   slide: v_N = 0, |x_T| = mu x_N, v_T = -k x_T, k > 0.  Associated law: v in the dual cone, perpendicular to x.
 * Method   Open and stick are tried first. Slide: (W + k J) x = -q, J = diag(0, 1 ..) or, associated, diag(-mu^2, 1 ..), and k is a root of
 *          |x_T(k)| = mu x_N(k). Coulomb: v_N = 0 is eliminated. mu x_N/|x_T| - 1 is negative at k = 0 (otherwise it sticks), positive for
 *          large k and nearly straight in between: Newton in a bracket. Associated: W + k J becomes singular once, at k*, where x goes
 *          through infinity and changes sign; x there tells which side of k* has the root on the upper half of the cone. Newton on (x, k)
 *          together gives the last digits: its matrix is regular even if W + k J is not. Finally the natural map of the result is
 *          measured, which alone decides.
 * Valid    W with a positive normal entry and a positive semidefinite symmetric part: for q in its range a solution exists for any mu, and is
 *          found. Other W: a search for sign changes over all k may find one.
 * Cost     About 10 small systems for a sliding contact, one for the others.
 * Source   De Saxce, Feng (1998) for the law; Bonnefon, Daviet, Quartic formulation of Coulomb 3D frictional contact
 *          (2011) for the equation in k; More, Generalizations of the trust region problem (1993) for the associated
 *          one. */
#include "solver/cone/cone_law.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "linalg/linalg.h"
#include "solver/cone/cone.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] If the residual of the law of one contact is below this, nothing else is tried. Half and double: no effect. */
#define GOOD 2e-14

#define MOST (PERP_CONE_ROWS + 1) /* rows of a contact and one more */
#define SIDE (PERP_CONE_ROWS - 1) /* tangents of a contact */

/* pp_cone_project(); dim is a constant where it is 2 or 3. */
static inline __attribute__((always_inline)) void project(int dim, double mu, double *y) {
    double t = 0;
    for (int i = 1; i < dim; i++) t += y[i] * y[i];
    t = sqrt(t);
    double f;
    if (mu * t <= -y[0]) { /* in the polar cone: checked first, because with mu = 0 an open contact would look inside */
        y[0] = f = 0;
    } else if (t <= mu * y[0]) {
        return;
    } else {
        y[0] = (y[0] + mu * t) / (1 + mu * mu);
        f = mu * y[0] / t;
    }
    for (int i = 1; i < dim; i++) y[i] = f > 0 ? f * y[i] : 0;
}

void pp_cone_project(int dim, double mu, double *y) { project(dim, mu, y); }

static inline __attribute__((always_inline)) double norm(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

static inline __attribute__((always_inline)) double natural(int dim, double mu, bool associated, const double *x,
                                                            const double *v, double *e) {
    e[0] = x[0] - v[0];
    for (int k = 1; k < dim; k++) e[k] = x[k] - v[k];
    if (!associated) e[0] -= mu * norm(dim - 1, v + 1);
    project(dim, mu, e);
    for (int k = 0; k < dim; k++) e[k] = x[k] - e[k];
    return norm(dim, e);
}

double pp_law_natural(int dim, double mu, bool associated, const double *x, const double *v, double *e) {
    switch (dim) {
    case 2: return natural(2, mu, associated, x, v, e);
    case 3: return natural(3, mu, associated, x, v, e);
    default: return natural(dim, mu, associated, x, v, e);
    }
}

static double mid(double lo, double hi, double x) { return x < lo ? lo : x > hi ? hi : x; }

double pp_cone_natural(const pp_cone *c, int i, const double *x, const double *v, double *e) {
    if (i >= c->nrow) return pp_law_natural(c->dim, c->mu[i], c->associated, x, v, e);
    e[0] = x[0] - mid(c->lo[i], c->hi[i], x[0] - v[0]);
    return fabs(e[0]);
}

double pp_cone_measure(const pp_cone *c, const double *x, const double *v) {
    double most = 0, size = 1, e[MOST];
    for (int i = 0; i < c->nblock; i++) {
        const double *xi = x + c->first[i];
        double r = pp_cone_natural(c, i, xi, v + c->first[i], e), s = norm(pp_cone_rows(c, i), xi);
        if (!isfinite(r) || !isfinite(s)) return INFINITY;
        if (r > most) most = r;
        if (s > size) size = s;
    }
    return most / size;
}

/* A x = b by complete pivoting, A n x n and b destroyed; columns that depend on others get 0. Returns the rank. */
static int gauss(int n, double *A, double *b, double *x) {
    int cols[MOST], rank = 0;
    double most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(A[i]));
    for (int i = 0; i < n; i++) cols[i] = i;
    for (; rank < n; rank++) {
        int k = rank, r = k, c = k;
        for (int j = k; j < n; j++)
            for (int i = k; i < n; i++)
                if (fabs(A[i + n * j]) > fabs(A[r + n * c])) r = i, c = j;
        if (!(fabs(A[r + n * c]) > PP_RANK_TOL * most)) break;
        for (int j = 0; j < n; j++) {
            double t = A[k + n * j];
            A[k + n * j] = A[r + n * j], A[r + n * j] = t;
        }
        for (int i = 0; i < n; i++) {
            double t = A[i + n * k];
            A[i + n * k] = A[i + n * c], A[i + n * c] = t;
        }
        double t = b[k];
        b[k] = b[r], b[r] = t;
        int u = cols[k];
        cols[k] = cols[c], cols[c] = u;
        for (int i = k + 1; i < n; i++) {
            double f = A[i + n * k] / A[k + n * k];
            for (int j = k + 1; j < n; j++) A[i + n * j] -= f * A[k + n * j];
            b[i] -= f * b[k];
        }
    }
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int k = rank - 1; k >= 0; k--) {
        double s = b[k];
        for (int j = k + 1; j < rank; j++) s -= A[k + n * j] * x[cols[j]];
        x[cols[k]] = s / A[k + n * k];
    }
    return rank;
}

typedef struct law {
    int dim;
    const double *W; /* ld dim */
    double mu;
    bool associated;
    const double *q;
    /* Coulomb: v_N = 0 eliminated, v_T = S x_T + b. Associated: S = W_TT, b = q_T */
    double S[SIDE * SIDE], b[SIDE];
} law;

static double entry(const law *l, int i, int j) { return l->W[i + l->dim * j]; }

/* (S + k I) y = r for all tangents and one or two right sides, by partial pivoting. False if singular. */
static bool shifted(const law *l, double k, int nrhs, double r[2][SIDE]) {
    int d = l->dim - 1;
    double A[SIDE * SIDE];
    memcpy(A, l->S, sizeof *A * (size_t)(d * d));
    for (int i = 0; i < d; i++) A[i + d * i] += k;
    for (int c = 0; c < d; c++) {
        int p = c;
        for (int i = c + 1; i < d; i++)
            if (fabs(A[i + d * c]) > fabs(A[p + d * c])) p = i;
        if (!(fabs(A[p + d * c]) > 0)) return false;
        if (p != c) {
            for (int j = c; j < d; j++) {
                double t = A[c + d * j];
                A[c + d * j] = A[p + d * j], A[p + d * j] = t;
            }
            for (int s = 0; s < nrhs; s++) {
                double t = r[s][c];
                r[s][c] = r[s][p], r[s][p] = t;
            }
        }
        for (int i = c + 1; i < d; i++) {
            double f = A[i + d * c] / A[c + d * c];
            for (int j = c + 1; j < d; j++) A[i + d * j] -= f * A[c + d * j];
            for (int s = 0; s < nrhs; s++) r[s][i] -= f * r[s][c];
        }
    }
    for (int s = 0; s < nrhs; s++)
        for (int c = d - 1; c >= 0; c--) {
            for (int j = c + 1; j < d; j++) r[s][c] -= A[c + d * j] * r[s][j];
            r[s][c] /= A[c + d * c];
        }
    return true;
}

static double normal_of(const law *l, const double *xT) { /* w_NT . x_T */
    double s = 0;
    for (int i = 1; i < l->dim; i++) s += entry(l, 0, i) * xT[i - 1];
    return s;
}

/* Residual of the law at x, relative to the size of x. */
static double error_of(const law *l, const double *x) {
    double v[MOST] = {0}, e[MOST];
    for (int i = 0; i < l->dim; i++) {
        v[i] = l->q[i];
        for (int j = 0; j < l->dim; j++) v[i] += entry(l, i, j) * x[j];
    }
    double size = norm(l->dim, x) + norm(l->dim, l->q);
    double r = pp_law_natural(l->dim, l->mu, l->associated, x, v, e) / size;
    return isfinite(r) ? r : INFINITY;
}

/* Newton on (W + k J) x = -q, |x_T|^2 = mu^2 x_N^2 from x and k; keeps the best. Returns its error. */
static double polish(const law *l, double *x, double k) {
    int n = l->dim, m = n + 1;
    double best = INFINITY, y[MOST], A[MOST * MOST], b[MOST], step[MOST], mu2 = l->mu * l->mu;
    double gN = l->associated ? -mu2 : 0;
    memcpy(y, x, sizeof *y * (size_t)n);
    for (int count = 0; count < 6; count++) {
        /* satisfy the cone exactly: the rest is rounding of k */
        double t = norm(n - 1, y + 1), f = t > 0 ? l->mu * y[0] / t : 0, r;
        if (count > 0 && f > 0.5 && f < 2)
            for (int i = 1; i < n; i++) y[i] *= f;
        r = y[0] > 0 ? error_of(l, y) : INFINITY;
        if (r < best) {
            best = r;
            memcpy(x, y, sizeof *y * (size_t)n);
        } else if (count > 1) {
            break;
        }
        if (best <= PP_FINEST_TOL) break;
        t = norm(n - 1, y + 1);
        if (!(t > 0)) break;
        double s = (k + l->W[0]) / t; /* scales the border to the size of the rest, for any mu */
        for (int i = 0; i < n; i++) {
            double g = i ? 1 : gN;
            b[i] = -l->q[i] - k * g * y[i];
            for (int j = 0; j < n; j++) {
                A[i + m * j] = entry(l, i, j) + (i == j ? k * g : 0);
                b[i] -= entry(l, i, j) * y[j];
            }
            A[i + m * n] = s * g * y[i];
            A[n + m * i] = s * (i ? y[i] : -mu2 * y[0]);
        }
        A[n + m * n] = 0;
        b[n] = 0.5 * s * (l->mu * y[0] - t) * (l->mu * y[0] + t);
        gauss(m, A, b, step); /* singular: undetermined components stay */
        for (int i = 0; i < n; i++) y[i] += step[i];
        k += s * step[n];
        if (!(k >= 0)) k = 0;
    }
    return best;
}

/* Coulomb, at k: x, and mu x_N/|x_T| - 1 with its derivative. */
static bool coulomb_at(const law *l, double k, double *x, double *phi, double *slope) {
    int d = l->dim - 1;
    double r[2][SIDE] = {{0}};
    for (int i = 0; i < d; i++) r[0][i] = -l->b[i];
    if (!shifted(l, k, 1, r)) return false;
    memcpy(x + 1, r[0], sizeof *x * (size_t)d);
    x[0] = -(l->q[0] + normal_of(l, r[0])) / l->W[0];
    double t = norm(d, x + 1), dot = 0;
    if (!(t > 0) || !isfinite(t) || !isfinite(x[0])) return false;
    shifted(l, k, 1, r); /* -dx_T/dk */
    for (int i = 0; i < d; i++) dot += x[1 + i] * r[0][i];
    *phi = l->mu * x[0] / t - 1;
    *slope = l->mu * (normal_of(l, r[0]) / l->W[0] / t + x[0] * dot / (t * t * t));
    return true;
}

/* A root of phi between lo (below) and hi (above), from k. Leaves x there. */
static double coulomb_root(const law *l, double lo, double hi, double k, double *x) {
    for (int count = 0; count < 100; count++) {
        double phi, slope;
        if (!coulomb_at(l, k, x, &phi, &slope)) {
            lo = k;
        } else {
            if (fabs(phi) < 1e-10) break;
            if (phi < 0)
                lo = k;
            else
                hi = k;
            double next = k - phi / slope;
            if (next > lo && next < hi && next != k) {
                k = next;
                continue;
            }
        }
        if (!(hi - lo > 1e-15 * hi)) break;
        k = lo > 0 ? sqrt(lo) * sqrt(hi) : 0.01 * hi;
    }
    return k;
}

/* Searches all k from small to large, and tries every sign change. For matrices outside the valid class. */
static bool search_roots(const law *l, double unit, double *x) {
    double before = -1, lo = 0, phi, slope, y[MOST];
    for (int i = -80; i <= 80; i++) {
        double k = unit * pp_pow(10, 0.1 * i);
        if (!coulomb_at(l, k, y, &phi, &slope)) continue;
        if ((phi < 0) != (before < 0)) {
            double a = lo, b = k, low = before;
            for (int step = 0; step < 60 && a < b; step++) {
                double c = 0.5 * (a + b);
                if (!coulomb_at(l, c, y, &phi, &slope)) break;
                if ((phi < 0) == (low < 0))
                    a = c;
                else
                    b = c;
            }
            if (coulomb_at(l, b, y, &phi, &slope) && polish(l, y, b) <= PP_RESIDUAL) {
                memcpy(x, y, sizeof *x * (size_t)l->dim);
                return true;
            }
            if (!coulomb_at(l, k, y, &phi, &slope)) phi = before;
        }
        before = phi;
        lo = k;
    }
    return false;
}

/* Sliding by Coulomb's law. Returns the error of x. */
static double slide_coulomb(law *l, double *x) {
    int d = l->dim - 1;
    double size = 0;
    for (int i = 0; i < d; i++) {
        l->b[i] = l->q[1 + i] - entry(l, 1 + i, 0) * l->q[0] / l->W[0];
        for (int j = 0; j < d; j++) {
            l->S[i + d * j] = entry(l, 1 + i, 1 + j) - entry(l, 1 + i, 0) * entry(l, 0, 1 + j) / l->W[0];
            size = fmax(size, fabs(entry(l, 1 + i, 1 + j)));
        }
    }
    double pace = norm(d, l->b);
    if (!(pace > 0)) return INFINITY; /* sticks */
    double k = pace * l->W[0] / (l->mu * -l->q[0]), lo = 0, phi, slope;
    for (int count = 0; count < 60; count++, k *= 4) { /* the other end of the bracket */
        if (coulomb_at(l, k, x, &phi, &slope) && phi >= 0) break;
        lo = k;
    }
    double error = polish(l, x, coulomb_root(l, lo, k, k, x));
    return error <= PP_RESIDUAL || search_roots(l, size > 0 ? size : 1, x) ? fmin(error, PP_RESIDUAL) : error;
}

/* Associated, at k: g is zero at k*; X = g x. */
static bool associated_at(const law *l, double k, double *g, double *X) {
    int d = l->dim - 1;
    double r[2][SIDE] = {{0}};
    for (int i = 0; i < d; i++) r[0][i] = entry(l, 1 + i, 0), r[1][i] = l->b[i];
    if (!shifted(l, k, 2, r)) return false;
    double p = l->q[0] - normal_of(l, r[1]);
    *g = l->W[0] - k * l->mu * l->mu - normal_of(l, r[0]);
    X[0] = -p;
    for (int i = 0; i < d; i++) X[1 + i] = -(r[1][i] * *g - r[0][i] * p);
    return isfinite(*g) && isfinite(norm(l->dim, X));
}

/* The function whose sign changes between lo and hi: g itself (side 0), or mu X_N - side |X_T|. */
static double associated_sign(const law *l, double k, int side, double *g, double *X) {
    if (!associated_at(l, k, g, X)) return NAN;
    return side ? l->mu * X[0] - side * norm(l->dim - 1, X + 1) : *g;
}

/* Regula falsi with halving of the stale end (Illinois), bisection if that is slow. flo and fhi have opposite signs. */
static double associated_root(const law *l, int side, double lo, double flo, double hi, double fhi) {
    double g, X[MOST];
    int last = 0;
    for (int count = 0; count < 200 && hi - lo > 4e-16 * hi; count++) {
        double k = count % 4 == 3 ? 0.5 * (lo + hi) : (lo * fhi - hi * flo) / (fhi - flo);
        if (!(k > lo && k < hi)) k = 0.5 * (lo + hi);
        if (!(k > lo && k < hi)) break;
        double f = associated_sign(l, k, side, &g, X);
        if (isnan(f) || f == 0) return k;
        if ((f < 0) == (flo < 0)) {
            lo = k, flo = f;
            if (last < 0) fhi *= 0.5;
            last = -1;
        } else {
            hi = k, fhi = f;
            if (last > 0) flo *= 0.5;
            last = 1;
        }
    }
    return 0.5 * (lo + hi);
}

/* Guess of x and k for the present l->b, l->q. */
static bool guess_associated(const law *l, double *x, double *root) {
    double g, X[MOST], size = 0;
    for (int i = 0; i < l->dim; i++) size = fmax(size, fabs(entry(l, i, i)));
    double lo = 1e-14 * size, hi = l->W[0] / (l->mu * l->mu);
    if (!(hi > 2 * lo)) hi = 2 * lo;
    double flo = associated_sign(l, lo, 0, &g, X), fhi = associated_sign(l, hi, 0, &g, X);
    for (int count = 0; count < 60 && fhi > 0; count++) fhi = associated_sign(l, hi *= 4, 0, &g, X);
    if (isnan(flo) || isnan(fhi)) return false;
    double star = flo > 0 && fhi < 0 ? associated_root(l, 0, lo, flo, hi, fhi) : lo;
    if (!associated_at(l, star, &g, X)) return false;
    int side = X[0] > 0 ? 1 : -1; /* 1: the root lies below k* */
    if (side > 0) {
        hi = star, fhi = associated_sign(l, hi, side, &g, X);
        flo = associated_sign(l, lo, side, &g, X);
    } else {
        lo = star, flo = associated_sign(l, lo, side, &g, X);
        hi = 2 * star, fhi = associated_sign(l, hi, side, &g, X);
        for (int count = 0; count < 60 && !(fhi > 0); count++) fhi = associated_sign(l, hi *= 4, side, &g, X);
    }
    if (isnan(flo) || isnan(fhi)) return false;
    *root = flo < 0 && fhi > 0 ? associated_root(l, side, lo, flo, hi, fhi) : star;
    if (!associated_at(l, *root, &g, X)) return false;
    double t = norm(l->dim - 1, X + 1), a = fabs(g) > 1e-300 ? X[0] / g : 0;
    x[0] = fabs(a) < 1e150 ? fabs(a) : 1;
    for (int i = 1; i < l->dim; i++) x[i] = t > 0 ? l->mu * x[0] * X[i] / t * (g < 0 ? -1 : 1) : 0;
    return true;
}

/* Sliding by the associated law. Returns the error of x. */
static double slide_associated(law *l, double *x) {
    int d = l->dim - 1;
    double k, y[PERP_CONE_ROWS], q[PERP_CONE_ROWS], size = norm(l->dim, l->q), best = INFINITY;
    const double *exact = l->q;
    memcpy(q, l->q, sizeof *q * (size_t)l->dim);
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++) l->S[i + d * j] = entry(l, 1 + i, 1 + j);
    /* near k* on both sides, x is ill-conditioned as a function of k: start from a neighbouring q */
    static const double nudge[] = {0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-4, -1e-4, 1e-2, -1e-2};
    for (int attempt = 0; attempt < 9 && best > GOOD; attempt++) {
        q[0] = exact[0] + nudge[attempt] * size;
        memcpy(l->b, q + 1, sizeof *q * (size_t)d);
        l->q = q;
        bool found = guess_associated(l, y, &k);
        l->q = exact;
        double error = found ? polish(l, y, k) : INFINITY;
        if (error < best) {
            best = error;
            memcpy(x, y, sizeof *x * (size_t)l->dim);
        }
    }
    return best;
}

/* Keeps x if it is better than the best so far. */
static void offer(const law *l, const double *x, double *best, double *error) {
    double r = error_of(l, x);
    if (!(r < *error)) return;
    *error = r;
    memcpy(best, x, sizeof *best * (size_t)l->dim);
}

/* Newton from x with its present slip. */
static void offer_polished(const law *l, double *x, double *best, double *error) {
    double slip = 0, load = norm(l->dim - 1, x + 1);
    for (int i = 1; i < l->dim && load > 0; i++) {
        double v = l->q[i];
        for (int j = 0; j < l->dim; j++) v += entry(l, i, j) * x[j];
        slip -= v * x[i] / (load * load);
    }
    polish(l, x, fmax(0, slip));
    offer(l, x, best, error);
}

/* Sticking as far as W determines it: normal first, so that friction is small if W leaves it undetermined; then
 * projected on the cone. */
static void offer_stick(const law *l, double *best, double *error) {
    int n = l->dim, d = n - 1;
    double A[PP_CONE_SQUARE], b[PERP_CONE_ROWS], x[PERP_CONE_ROWS], most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(l->W[i]));
    for (int j = 0; j < d; j++) {
        b[j] = entry(l, 1 + j, 0) * l->q[0] / l->W[0] - l->q[1 + j];
        for (int i = 0; i < d; i++) {
            double s = entry(l, 1 + i, 1 + j) - entry(l, 1 + i, 0) * entry(l, 0, 1 + j) / l->W[0];
            A[i + d * j] = fabs(s) > 1e-15 * most ? s : 0;
        }
    }
    gauss(d, A, b, x + 1);
    x[0] = -(l->q[0] + normal_of(l, x + 1)) / l->W[0];
    pp_cone_project(n, l->mu, x);
    offer(l, x, best, error);
}

static bool solve_law(law *l, int depth, double *x);

/* Proximal steps, x <- solution of W + a I, q - a x: regular for any W; they converge if W itself has a solution. */
static void offer_proximal(const law *l, double *best, double *error) {
    int n = l->dim;
    for (double a = 1e-2; a > 1e-9 && *error > GOOD; a *= 1e-2) {
        double V[PP_CONE_SQUARE], q[PERP_CONE_ROWS], x[PERP_CONE_ROWS], start = INFINITY;
        memcpy(V, l->W, sizeof *V * (size_t)(n * n));
        memcpy(x, best, sizeof *x * (size_t)n);
        for (int i = 0; i < n; i++) V[i + n * i] += a;
        for (int count = 0; count < 30 && *error > GOOD; count++) {
            for (int i = 0; i < n; i++) q[i] = l->q[i] - a * x[i];
            law inner = {.dim = n, .W = V, .mu = l->mu, .associated = l->associated, .q = q};
            if (!solve_law(&inner, 1, x)) break;
            offer(l, x, best, error);
            if (count % 10 != 9) continue;
            double y[PERP_CONE_ROWS];
            memcpy(y, x, sizeof y);
            offer_polished(l, y, best, error);
            if (!(*error < 0.5 * start)) break;
            start = *error;
        }
    }
}

static bool solve_law(law *l, int depth, double *x) {
    int n = l->dim;
    double A[PP_CONE_SQUARE], b[PERP_CONE_ROWS], y[PERP_CONE_ROWS] = {0}, slip = norm(n - 1, l->q + 1),
                                                 error = INFINITY;
    if (n < 2 || n > PERP_CONE_ROWS) return false; /* rows of a contact */
    memset(x, 0, sizeof *x * (size_t)n);
    if (!isfinite(l->q[0]) || !isfinite(slip)) return false;
    if (l->q[0] >= (l->associated ? l->mu * slip : 0)) return true;
    if (!(l->W[0] > 0)) return false;
    if (l->mu == 0) {
        x[0] = -l->q[0] / l->W[0];
        return isfinite(x[0]);
    }
    memcpy(A, l->W, sizeof *A * (size_t)(n * n));
    for (int i = 0; i < n; i++) b[i] = -l->q[i];
    int rank = gauss(n, A, b, y);
    if (norm(n - 1, y + 1) <= l->mu * y[0]) {
        offer(l, y, x, &error);
        if (rank == n || error <= GOOD) return true;
    }
    double moved = l->associated ? slide_associated(l, y) : slide_coulomb(l, y);
    if (isfinite(moved)) offer(l, y, x, &error);
    if (error <= GOOD) return true;
    memset(y, 0, sizeof y); /* at the boundary of two cases, or W nearly singular */
    offer(l, y, x, &error);
    offer_stick(l, x, &error);
    if (depth == 0 && error > GOOD) offer_proximal(l, x, &error);
    if (error <= PP_RESIDUAL) return true;
    memset(x, 0, sizeof *x * (size_t)n);
    return false;
}

bool pp_law_solve(int dim, const double *W, double mu, bool associated, const double *q, double *x) {
    law l = {.dim = dim, .W = W, .mu = mu, .associated = associated, .q = q};
    return solve_law(&l, 0, x);
}

bool pp_cone_solve_block(const pp_cone *c, int i, const double *q, double *x) {
    const double *W = c->diag + c->square * i;
    if (i >= c->nrow) return pp_law_solve(c->dim, W, c->mu[i], c->associated, q, x);
    double goal = W[0] > 0 ? -q[0] / W[0] : q[0] > 0 ? -INFINITY : q[0] < 0 ? INFINITY : 0;
    x[0] = mid(c->lo[i], c->hi[i], goal);
    if (isfinite(x[0])) return true;
    x[0] = mid(c->lo[i], c->hi[i], 0);
    return false;
}

/* solver_pgs.c - projected Gauss-Seidel for LCP and mixed LCP
 *   lo <= z <= hi complementary to w = M z + q
 * Method   rows in order, each solved for its own variable and cut to its bounds: z_i <- mid(lo_i, hi_i, z_i -
 *          relaxation w_i / M_ii); w is kept up to date by columns. A row without a diagonal (slip speed, multiplier
 *          of an upper bound) is a multiplier of the rows k that it couples to with opposite signs: it gets a
 *          proximal step,  z_i <- mid(lo_i, hi_i, z_i - multiplier_step w_i / max_k |M_ik M_ki| / M_kk), whose fixed
 *          points are the solutions all the same.
 * Valid    converges for symmetric positive semidefinite M with a solution; with friction it usually does, slowly
 *          for stacks and large mass ratios. Where it does not, it says so (PERP_OUTCOME_LIMIT).
 * Cost     n + n^2 flops * 2 per sweep at most; variables that stay at a bound cost nothing.
 * Source   Williams (2.46)-(2.47), signs as in the errata; Cottle, Pang, Stone (1992) 5.2; Rockafellar (1976) for
 *          the proximal step. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/kernel.h"
#include "solver/solver.h"

typedef struct settings {
    int max_sweeps;
    double relaxation;
    double multiplier_step;
    double tol;
} settings;

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(settings, max_sweeps), 5000, 1, 1e9, "sweeps over all rows"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(settings, relaxation), 1, 1e-3, 1.999,
     "below 1 damps, above 1 over-relaxes"},
    {"multiplier_step", PERP_FIELD_DOUBLE, offsetof(settings, multiplier_step), 0.5, 1e-3, 1.999,
     "relaxation of rows without a diagonal"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-11, 1e-16, 1, "residual, relative to q, at which to stop"},
};

#define FRESH 64 /* sweeps after which w is computed anew */

/* If the residual does not fall below STALLED of what it was WINDOW sweeps ago, the rows that turn each other round
 * (friction against slip speed) need shorter steps. */
#define WINDOW     100
#define STALLED    0.9
#define LEAST_DAMP 0.05

static int size_of(const perp_problem *p) { return p->cls == PERP_LCP ? p->as.lcp.n : p->as.mlcp.n; }

static size_t work_size(const perp_problem *p, const void *set) {
    (void)set;
    return sizeof(double) * (size_t)(3 * size_of(p) + 1);
}

typedef struct box {
    int n;
    const double *M, *q, *lo, *hi; /* lo, hi NULL: 0 and INFINITY */
    const double *zs, *ws;         /* NULL: 1 */
} box;

static double low(const box *b, int i) { return b->lo ? b->lo[i] : 0; }
static double high(const box *b, int i) { return b->hi ? b->hi[i] : INFINITY; }
static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

static void refresh(const box *b, const double *z, double *w) {
    memcpy(w, b->q, sizeof *w * (size_t)b->n);
    for (int j = 0; j < b->n; j++)
        if (z[j] != 0) pp_axpy(b->n, z[j], b->M + (ptrdiff_t)b->n * j, w);
}

static double measure(const box *b, const double *z, const double *w) {
    double most = 0;
    for (int i = 0; i < b->n; i++) {
        double zs = b->zs ? b->zs[i] : 1, ws = b->ws ? b->ws[i] : 1;
        double r = fabs(clamp(w[i] / ws, (z[i] - high(b, i)) / zs, (z[i] - low(b, i)) / zs));
        if (isnan(w[i]) || isnan(z[i])) return INFINITY;
        if (r > most) most = r;
    }
    return most;
}

/* Step of each row: change of z_i for a unit of w_i. */
static void steps(const box *b, const settings *s, double *step) {
    ptrdiff_t n = b->n;
    for (int i = 0; i < n; i++) {
        double d = b->M[i + n * i], couple = 0;
        for (int k = 0; k < n && !(d > 0); k++) {
            double mk = b->M[k + n * k], c = -b->M[i + n * k] * b->M[k + n * i];
            if (mk > 0 && c > 0 && c / mk > couple) couple = c / mk;
        }
        if (d > 0)
            step[i] = s->relaxation / d;
        else if (couple > 0)
            step[i] = s->multiplier_step / couple;
        else
            step[i] = s->multiplier_step * (b->zs ? b->zs[i] : 1) / (b->ws ? b->ws[i] : 1);
        if (!isfinite(step[i])) step[i] = 0;
    }
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, perp_solve_info *info) {
    const settings *s = set;
    box b = {size_of(p), NULL, NULL, NULL, NULL, p->z_scale, p->w_scale};
    if (p->cls == PERP_LCP)
        b.M = p->as.lcp.M, b.q = p->as.lcp.q;
    else
        b.M = p->as.mlcp.M, b.q = p->as.mlcp.q, b.lo = p->as.mlcp.lo, b.hi = p->as.mlcp.hi;
    ptrdiff_t n = b.n;
    double *w = work, *step = w + n, *best = step + n;
    double size = 0, least = INFINITY, damp = 1, window = INFINITY;
    info->iterations = 0;
    info->warm = false;
    for (int i = 0; i < n; i++) {
        double a = fabs(b.q[i]) / (b.ws ? b.ws[i] : 1);
        if (!isfinite(a)) return PERP_OUTCOME_NUMERICS;
        if (a > size) size = a;
        z[i] = clamp(z[i], low(&b, i), high(&b, i));
        if (z[i] != clamp(0, low(&b, i), high(&b, i))) info->warm = true;
        best[i] = z[i];
    }
    steps(&b, s, step);
    refresh(&b, z, w);
    perp_outcome outcome = PERP_OUTCOME_LIMIT;
    for (int sweep = 0;; sweep++) {
        double r = measure(&b, z, w);
        if (r <= s->tol * size) { /* w has drifted by rounding: look again before believing it */
            refresh(&b, z, w);
            r = measure(&b, z, w);
        } else if (sweep % FRESH == FRESH - 1) {
            refresh(&b, z, w);
        }
        if (!isfinite(r)) {
            outcome = PERP_OUTCOME_NUMERICS;
            break;
        }
        if (r < least) {
            least = r;
            memcpy(best, z, sizeof *z * (size_t)n);
        }
        if (r <= s->tol * size) {
            outcome = PERP_OUTCOME_SOLVED;
            break;
        }
        if (sweep == s->max_sweeps) break;
        if (sweep % WINDOW == WINDOW - 1) {
            if (!(r < STALLED * window) && damp > LEAST_DAMP) damp *= 0.7;
            window = r;
        }
        info->iterations++;
        for (int i = 0; i < n; i++) {
            double next = clamp(z[i] - damp * step[i] * w[i], low(&b, i), high(&b, i)), change = next - z[i];
            if (change == 0) continue;
            z[i] = next;
            pp_axpy((int)n, change, b.M + n * i, w);
        }
    }
    memcpy(z, best, sizeof *z * (size_t)n);
    if (outcome != PERP_OUTCOME_SOLVED) info->warm = false;
    return outcome;
}

const perp_solver_type pp_solver_pgs = {
    .abi = PERP_ABI,
    .name = "pgs",
    .source = "Williams (2.46)-(2.47); Cottle, Pang, Stone (1992) 5.2",
    .takes = PERP_LCP | PERP_MLCP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .work_size = work_size,
    .solve = solve,
};

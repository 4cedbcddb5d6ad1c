/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipm_core.c - primal-dual interior point method over boxes and Lorentz cones
 *   w = M z + q,  lo <= z_i <= hi complementary to w_i,  or  z_i, w_i in L with z_i'w_i = 0
 * Method   w_i = u_i - v_i with u_i (z_i - lo_i) = tau, v_i (hi_i - z_i) = tau; cones z_i o w_i = tau e. Mehrotra's predictor and corrector
 *          with one step length for all, Nesterov-Todd scaling of the cones (lorentz.h):
 *              (M + D + delta I) dz = -(M z + q - w) + g,   D = u/(z - lo) + v/(hi - z), or Theta
 *          delta is a proximal regularisation in the matrix only, so the solution does not depend on it. It handles redundant rows,
 *          free variables without a diagonal and wedged contacts. It grows if steps become short. As soon as the active set can be
 *          identified, pp_ipm_polish takes over; if it fails, the iteration continues.
 * Valid    Monotone M with a solution. Others are tried: Newton does not need monotonicity, the proof does.
 * Cost     One factorisation per step; the number of steps hardly grows with the size.
 * Source   Mehrotra, SIAM J. Optim. 2 (1992); Wright, Primal-Dual Interior-Point Methods (1997), chapter 10; Andersen,
 *          Roos, Terlaky, Math. Prog. 95 (2003); Friedlander, Orban, Math. Prog. Comp. 4 (2012) for regularisation. */
#include <math.h>
#include <string.h>

#include "solver/interior/ipm.h"
#include "solver/common/lorentz.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Least regularisation delta. */
#define DELTA_LEAST 1e-10
/* [1] First regularisation delta. */
#define DELTA_FIRST 1e-8
/* [1] Largest regularisation delta. */
#define DELTA_MOST 1e-1
/* [1] Fraction of the distance to the boundary that a step makes. */
#define BOUNDARY_FRACTION 0.995
/* [1] If a step is shorter, a simpler direction is tried. */
#define SHORT 0.1
/* [1] A shorter step counts as lost. */
#define TINY 1e-3
/* [steps] Number of successive lost steps that end the iteration. */
#define LOST 8
/* [1] Measure below which the active set is guessed. */
#define POLISH_FROM 1e-3
/* [1] Fraction to which the measure must decrease before the active set is guessed again. */
#define POLISH_AGAIN 0.1
/* [1] Measure below which every guess of the active set is tried. */
#define THOROUGH 1e-5
/* [sweeps] Sweeps of equilibration. */
#define EQUILIBRATE 8

typedef struct point {
    double *z, *w;          /* n; boxes: w = u - v */
    double *a, *b, *u, *v;  /* nbox: z - lo, hi - z and multipliers; INFINITY and 0 where there is no bound */
    double *dz, *dw;        /* n */
    double *du, *dv;        /* nbox */
    double *gu, *gv;        /* nbox: target of a u + u da + a du, minus a u */
    double *gc;             /* n, cones: right-hand sides d in scaled space */
    double *lift;           /* n: g */
    double *trial;          /* n */
    pp_lorentz_nt *nt;      /* ncone */
    int pairs;              /* products that tau is the mean of */
    double tau, infeasible; /* mean product, largest |M z + q - w| */
    double delta;
} point;

bool pp_ipm_make(pp_ipm *s, int nbox, int ncone, int dim, int size, const perp_call *call) {
    s->call = call;
    s->nbox = nbox;
    s->ncone = ncone;
    s->dim = dim;
    s->n = nbox + ncone * dim;
    s->size = size;
    s->least = INFINITY;
    s->beta = 1;
    double **n[] = {&s->q, &s->d, &s->outside, &s->w, &s->tmp, &s->tm, &s->r, &s->rhs, &s->saved};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        if (!(*n[i] = PP_CALL_ARRAY(call, double, s->n))) return false;
    for (int i = 0; i < s->n; i++) s->d[i] = 1;
    s->lo = PP_CALL_ARRAY(call, double, nbox);
    s->hi = PP_CALL_ARRAY(call, double, nbox);
    s->C = PP_CALL_ARRAY(call, double, pp_ipm_blocks(s));
    s->E = PP_CALL_ARRAY(call, double, pp_ipm_blocks(s));
    s->best = PP_CALL_ARRAY(call, double, size);
    s->answer = PP_CALL_ARRAY(call, double, size);
    return s->lo && s->hi && s->C && s->E && s->best && s->answer;
}

/* Scales rows and columns of d M d to largest entries of about 1: Ruiz' iteration, one number for a row and its column. */
static void equilibrate(pp_ipm *s, double *most) {
    int n = s->n;
    for (int i = 0; i < n; i++) s->d[i] = 1;
    for (int sweep = 0; sweep < EQUILIBRATE; sweep++) {
        memset(most, 0, sizeof *most * (size_t)n);
        for (int j = 0; j < n; j++) {
            int from = s->M.dense ? 0 : s->M.start[j], to = s->M.dense ? n : s->M.start[j + 1];
            for (int k = from; k < to; k++) {
                int i = s->M.dense ? k : s->M.index[k];
                double x = s->M.dense ? s->M.A[k + (ptrdiff_t)n * j] : s->M.value[k];
                x = fabs(x) * s->d[i] * s->d[j];
                if (x > most[i]) most[i] = x;
                if (x > most[j]) most[j] = x;
            }
        }
        for (int i = 0; i < s->nbox; i++)
            if (most[i] > 0) s->d[i] /= sqrt(most[i]);
        for (int c = 0; c < s->ncone; c++) {
            int first = s->nbox + c * s->dim;
            double x = 0;
            for (int k = 0; k < s->dim; k++) x = fmax(x, most[first + k]);
            for (int k = 0; k < s->dim && x > 0; k++) s->d[first + k] /= sqrt(x);
        }
    }
}

void pp_ipm_scale(pp_ipm *s) {
    int n = s->n;
    equilibrate(s, s->w);
    for (int j = 0; j < n; j++) {
        int from = s->M.dense ? 0 : s->M.start[j], to = s->M.dense ? n : s->M.start[j + 1];
        for (int k = from; k < to; k++) {
            int i = s->M.dense ? k : s->M.index[k];
            double *x = s->M.dense ? &s->M.A[k + (ptrdiff_t)n * j] : &s->M.value[k];
            *x *= s->d[i] * s->d[j];
        }
    }
    double most = 0, bound = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(s->d[i] * s->q[i]));
    for (int i = 0; i < s->nbox; i++) {
        if (isfinite(s->lo[i])) bound = fmax(bound, fabs(s->lo[i] / s->d[i]));
        if (isfinite(s->hi[i])) bound = fmax(bound, fabs(s->hi[i] / s->d[i]));
    }
    s->beta = most > 0 ? most : bound > 0 ? bound : 1;
    for (int i = 0; i < n; i++) s->q[i] *= s->d[i] / s->beta;
    for (int i = 0; i < s->nbox; i++) {
        s->lo[i] /= s->d[i] * s->beta;
        s->hi[i] /= s->d[i] * s->beta;
    }
}

double pp_ipm_consider(pp_ipm *s, const double *z) {
    for (int i = 0; i < s->n; i++) s->outside[i] = s->beta * s->d[i] * z[i];
    double figure = s->judge(s->ctx, s->outside, s->answer);
    if (figure < s->least) {
        s->least = figure;
        memcpy(s->best, s->answer, sizeof *s->best * (size_t)s->size);
    }
    return figure;
}

static bool allocate(point *p, const pp_ipm *s) {
    double **n[] = {&p->z, &p->w, &p->dz, &p->dw, &p->gc, &p->lift, &p->trial};
    double **box[] = {&p->a, &p->b, &p->u, &p->v, &p->du, &p->dv, &p->gu, &p->gv};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        if (!(*n[i] = PP_CALL_ARRAY(s->call, double, s->n))) return false;
    for (size_t i = 0; i < sizeof box / sizeof *box; i++)
        if (!(*box[i] = PP_CALL_ARRAY(s->call, double, s->nbox))) return false;
    return (p->nt = PP_CALL_ARRAY(s->call, pp_lorentz_nt, s->ncone)) != NULL;
}

/* One unit inside every bound, or half-way between two close ones; as near to zero as possible. */
static void start(point *p, const pp_ipm *s) {
    p->pairs = s->ncone;
    for (int i = 0; i < s->nbox; i++) {
        double lo = s->lo[i], hi = s->hi[i], gap = fmin(1, 0.5 * (hi - lo)), z = 0;
        if (z < lo + gap) z = lo + gap;
        if (z > hi - gap) z = hi - gap;
        p->z[i] = z;
        p->a[i] = isfinite(lo) ? fmax(z - lo, 0.1 * gap) : INFINITY;
        p->b[i] = isfinite(hi) ? fmax(hi - z, 0.1 * gap) : INFINITY;
        p->u[i] = isfinite(lo) ? fmin(fmax(1 / p->a[i], 0.01), 100) : 0;
        p->v[i] = isfinite(hi) ? fmin(fmax(1 / p->b[i], 0.01), 100) : 0;
        p->pairs += isfinite(lo) + isfinite(hi);
    }
    for (int i = s->nbox; i < s->n; i++) p->z[i] = p->w[i] = (i - s->nbox) % s->dim == 0;
    p->delta = DELTA_FIRST;
}

/* z from its distance to the nearer bound, which preserves its digits; products and infeasibility. */
static void look_at(point *p, pp_ipm *s) {
    double sum = 0;
    for (int i = 0; i < s->nbox; i++) {
        if (p->a[i] < p->b[i])
            p->z[i] = s->lo[i] + p->a[i];
        else if (p->b[i] < INFINITY)
            p->z[i] = s->hi[i] - p->b[i];
        p->w[i] = p->u[i] - p->v[i];
        if (p->a[i] < INFINITY) sum += p->a[i] * p->u[i];
        if (p->b[i] < INFINITY) sum += p->b[i] * p->v[i];
    }
    for (int i = s->nbox; i < s->n; i++) sum += p->z[i] * p->w[i];
    p->tau = p->pairs > 0 ? sum / p->pairs : 0;
    pp_ipm_multiply(s, p->z, s->r);
    p->infeasible = 0;
    for (int i = 0; i < s->n; i++) {
        s->r[i] += s->q[i] - p->w[i];
        p->infeasible = fmax(p->infeasible, fabs(s->r[i]));
    }
}

/* Factorises M + D + delta, with a larger delta if it is singular. */
static bool factor(point *p, pp_ipm *s) {
    int dim = s->dim;
    for (int c = 0; c < s->ncone; c++) {
        ptrdiff_t i = s->nbox + (ptrdiff_t)c * dim;
        if (!pp_lorentz_nt_make(dim, p->z + i, p->w + i, &p->nt[c])) return false;
    }
    for (;;) {
        for (int i = 0; i < s->nbox; i++) s->C[i] = p->delta + p->u[i] / p->a[i] + p->v[i] / p->b[i];
        for (int c = 0; c < s->ncone; c++) {
            double *T = s->C + s->nbox + (ptrdiff_t)c * dim * dim;
            pp_lorentz_nt_square(dim, &p->nt[c], T, dim);
            for (int k = 0; k < dim; k++) T[k * (dim + 1)] += p->delta;
        }
        if (pp_ipm_factor(s, s->C, NULL)) return true;
        if (p->delta >= DELTA_MOST) return false;
        p->delta = fmin(100 * p->delta, DELTA_MOST);
    }
}

/* The direction for gu, gv, gc, gc being d of the scaled equation Q dz + Q^-1 dw = d. */
static bool direction(point *p, pp_ipm *s) {
    int dim = s->dim;
    for (int i = 0; i < s->nbox; i++) {
        p->lift[i] = (p->a[i] < INFINITY ? p->gu[i] / p->a[i] : 0) - (p->b[i] < INFINITY ? p->gv[i] / p->b[i] : 0);
        p->dz[i] = p->lift[i] - s->r[i];
    }
    for (int c = 0; c < s->ncone; c++) {
        ptrdiff_t i = s->nbox + (ptrdiff_t)c * dim;
        pp_lorentz_nt_apply(dim, &p->nt[c], p->gc + i, p->lift + i);
        for (int k = 0; k < dim; k++) p->dz[i + k] = p->lift[i + k] - s->r[i + k];
    }
    if (!pp_ipm_solve(s, s->C, NULL, p->dz)) return false;
    for (int i = 0; i < s->nbox; i++) {
        p->du[i] = p->a[i] < INFINITY ? (p->gu[i] - p->u[i] * p->dz[i]) / p->a[i] : 0;
        p->dv[i] = p->b[i] < INFINITY ? (p->gv[i] + p->v[i] * p->dz[i]) / p->b[i] : 0;
    }
    for (int c = 0; c < s->ncone; c++) { /* dw = Q (d - Q dz) */
        ptrdiff_t i = s->nbox + (ptrdiff_t)c * dim;
        double t[PP_LORENTZ_MAX];
        pp_lorentz_nt_apply(dim, &p->nt[c], p->dz + i, t);
        for (int k = 0; k < dim; k++) t[k] = p->gc[i + k] - t[k];
        pp_lorentz_nt_apply(dim, &p->nt[c], t, p->dw + i);
    }
    return true;
}

static double reach(double x, double dx) { return dx < 0 ? -x / dx : INFINITY; }

/* Longest step that stays inside. */
static double longest(const point *p, const pp_ipm *s) {
    double t = INFINITY;
    for (int i = 0; i < s->nbox; i++) {
        if (p->a[i] < INFINITY) t = fmin(t, fmin(reach(p->a[i], p->dz[i]), reach(p->u[i], p->du[i])));
        if (p->b[i] < INFINITY) t = fmin(t, fmin(reach(p->b[i], -p->dz[i]), reach(p->v[i], p->dv[i])));
    }
    for (int c = 0; c < s->ncone; c++) {
        ptrdiff_t i = s->nbox + (ptrdiff_t)c * s->dim;
        t = fmin(t, fmin(pp_lorentz_step(s->dim, p->z + i, p->dz + i), pp_lorentz_step(s->dim, p->w + i, p->dw + i)));
    }
    return t;
}

/* Mean product after a step of length t. */
static double product_after(const point *p, const pp_ipm *s, double t) {
    double sum = 0;
    for (int i = 0; i < s->nbox; i++) {
        if (p->a[i] < INFINITY) sum += (p->a[i] + t * p->dz[i]) * (p->u[i] + t * p->du[i]);
        if (p->b[i] < INFINITY) sum += (p->b[i] - t * p->dz[i]) * (p->v[i] + t * p->dv[i]);
    }
    for (int i = s->nbox; i < s->n; i++) sum += (p->z[i] + t * p->dz[i]) * (p->w[i] + t * p->dw[i]);
    return p->pairs > 0 ? sum / p->pairs : 0;
}

/* Right-hand sides for the target products `aim`; with the second-order term of the present direction if `second`. */
static void aim_at(point *p, const pp_ipm *s, double aim, bool second) {
    int dim = s->dim;
    for (int i = 0; i < s->nbox; i++) {
        p->gu[i] = p->gv[i] = 0;
        if (p->a[i] < INFINITY) p->gu[i] = aim - p->a[i] * p->u[i] - (second ? p->dz[i] * p->du[i] : 0);
        if (p->b[i] < INFINITY) p->gv[i] = aim - p->b[i] * p->v[i] + (second ? p->dz[i] * p->dv[i] : 0);
    }
    for (int c = 0; c < s->ncone; c++) {
        ptrdiff_t i = s->nbox + (ptrdiff_t)c * dim;
        const double *lambda = p->nt[c].lambda;
        double g[PP_LORENTZ_MAX], x[PP_LORENTZ_MAX], y[PP_LORENTZ_MAX];
        pp_lorentz_product(dim, lambda, lambda, g);
        if (second) {
            pp_lorentz_nt_apply(dim, &p->nt[c], p->dz + i, x);
            pp_lorentz_nt_undo(dim, &p->nt[c], p->dw + i, y);
            pp_lorentz_product(dim, x, y, x);
            for (int k = 0; k < dim; k++) g[k] += x[k];
        }
        for (int k = 0; k < dim; k++) g[k] = (k == 0 ? aim : 0) - g[k];
        pp_lorentz_divide(dim, lambda, g, p->gc + i);
    }
}

static void move(point *p, const pp_ipm *s, double t) {
    for (int i = 0; i < s->nbox; i++) {
        p->z[i] += t * p->dz[i];
        p->a[i] += t * p->dz[i];
        p->b[i] -= t * p->dz[i];
        p->u[i] += t * p->du[i];
        p->v[i] += t * p->dv[i];
    }
    for (int i = s->nbox; i < s->n; i++) {
        p->z[i] += t * p->dz[i];
        p->w[i] += t * p->dw[i];
    }
}

/* Predictor, corrector, step. Returns the length; negative if the arithmetic failed. */
static double try_step(point *p, pp_ipm *s) {
    if (!factor(p, s)) return -1;
    aim_at(p, s, 0, false);
    if (!direction(p, s)) return -1;
    double t = fmin(1, longest(p, s)), after = product_after(p, s, t), sigma = 0;
    if (p->pairs > 0 && p->tau > 0) {
        double ratio = fmin(1, fmax(0, after / p->tau));
        sigma = ratio * ratio * ratio;
        /* products must not decrease faster than the residual of the rows */
        if (p->tau < 1e-3 * p->infeasible) sigma = fmax(sigma, 0.5);
        aim_at(p, s, sigma * p->tau, true);
        if (!direction(p, s)) return -1;
        t = fmin(1, BOUNDARY_FRACTION * longest(p, s));
        if (t < SHORT) { /* the second-order term was too long: aim at the centre without it */
            aim_at(p, s, 0.5 * p->tau, false);
            if (!direction(p, s)) return -1;
            t = fmin(1, 0.9 * longest(p, s));
        }
    }
    return t > 0 ? t : -1;
}

/* A step, with more regularisation if the arithmetic fails. Returns its length; negative if nothing helps. */
static double advance(point *p, pp_ipm *s) {
    double t = try_step(p, s);
    while (t < 0 && p->delta < DELTA_MOST) {
        p->delta = fmin(100 * p->delta, DELTA_MOST);
        t = try_step(p, s);
    }
    if (t < 0) return t;
    move(p, s, t);
    p->delta = t < SHORT ? fmin(10 * p->delta, DELTA_MOST) : fmax(0.3 * p->delta, DELTA_LEAST);
    return t;
}

perp_outcome pp_ipm_iterate(pp_ipm *s) {
    point p;
    if (!allocate(&p, s)) return PERP_OUTCOME_MEMORY;
    start(&p, s);
    double polished = INFINITY; /* figure at the last polish */
    for (int count = 0, lost = 0;; count++) {
        look_at(&p, s);
        double figure = pp_ipm_consider(s, p.z);
        s->info->iterations = count;
        if (s->least <= s->tol) return PERP_OUTCOME_SOLVED;
        if (!perp_call_look(s->call, count, s->best)) return PERP_OUTCOME_STOPPED;
        bool last = count == s->max_iterations || lost == LOST;
        if ((figure < POLISH_FROM && figure < POLISH_AGAIN * polished) || last) {
            memcpy(p.trial, p.z, sizeof *p.z * (size_t)s->n);
            if (pp_ipm_polish(s, p.trial, last || figure < THOROUGH)) return PERP_OUTCOME_SOLVED;
            polished = figure;
        }
        if (last) return PERP_OUTCOME_LIMIT;
        double t = advance(&p, s);
        if (t < 0) {
            memcpy(p.trial, p.z, sizeof *p.z * (size_t)s->n);
            return pp_ipm_polish(s, p.trial, true) ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_NUMERICS;
        }
        lost = t < TINY ? lost + 1 : 0;
    }
}

perp_outcome pp_ipm_run(pp_ipm *s, const double *guess, double *z) {
    if (!s->op) pp_ipm_scale(s);
    bool solved = false;
    double *zero = PP_CALL_ARRAY(s->call, double, s->n);
    if (!zero) {
        pp_ipm_matrix_free(&s->M);
        return PERP_OUTCOME_MEMORY;
    }
    for (int i = 0; i < s->n; i++) zero[i] = guess ? guess[i] / (s->beta * s->d[i]) : 0;
    pp_ipm_consider(s, zero);
    if (guess && !(solved = s->least <= s->tol)) solved = pp_ipm_polish(s, zero, false);
    perp_outcome o = solved ? PERP_OUTCOME_SOLVED : pp_ipm_iterate(s);
    s->info->warm = solved;
    s->info->factorisations = s->factorisations;
    pp_ipm_matrix_free(&s->M);
    if (s->least < INFINITY) memcpy(z, s->best, sizeof *z * (size_t)s->size);
    return o;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* identify.c - information of the data at the optimum: rank, covariance, directions that are not identified
 * Problem  information A'A of the free parameters, A = [sqrt(v) J; 1/sd of the prior]; v from the noise (below).
 * Method   columns of A scaled to length 1; those whose influence over a typical size is less than FAINT of the noise, or BLIND of the
 *          strongest column, count as zero. Householder's QR, then one-sided Jacobi rotations on R: singular values with a
 *          relative accuracy that eigenvalues of A'A do not have. A singular value below `tiny` of the largest: the data do not
 *          identify its direction; a parameter with a share above SHARE in such a direction has an infinite standard error.
 *          The others' covariance comes from the identified directions alone.
 * Noise    square loss: the residuals' s.d. is 1 (noise_known), else cost/dof, which then also multiplies the prior's s.d. squared:
 *          relative weights count. Robust loss: Huber's scaled covariance, v = [mean psi']^2/(K^2 sum psi^2/(m - p)),
 *          K = 1 + (p/m) var psi'/(mean psi')^2, for noise that is symmetric and alike for all residuals; the prior keeps its s.d.
 * Bounds   a parameter at a bound that holds it back (its gradient points outwards) is taken as known.
 * Cost     2 m n^2 for QR, about 10 n^3 for the rotations.
 * Source   Golub, Van Loan, Matrix Computations (4th ed.), 5.2, 8.6; Huber, Robust Statistics (1981), 7.6. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/fit.h"

#define SHARE  1e-3  /* of a unit vector in scaled parameters */
#define TINY   1e-7  /* relative singular value; derivatives by differences are good to 1e-9 or 1e-10 */
#define FAINT  1e-6  /* standard error over typical size is above 1e6: useless */
#define BLIND  1e-10 /* influence of the size of rounding errors of differences */
#define SWEEPS 60    /* of rotations; 6 to 10 are usual */

void pp_svd(int n, double *A, double *V, double *s) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) V[i + n * j] = i == j;
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double *a = A + n * p, *b = A + n * q, aa = 0, bb = 0, ab = 0;
                for (int i = 0; i < n; i++) aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
                if (fabs(ab) <= 4 * DBL_EPSILON * sqrt(aa) * sqrt(bb)) continue;
                turned = true;
                double z = (bb - aa) / (2 * ab), t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z));
                double c = 1 / sqrt(1 + t * t), u = c * t, *v = V + n * p, *w = V + n * q;
                for (int i = 0; i < n; i++) {
                    double ai = a[i], vi = v[i];
                    a[i] = c * ai - u * b[i], b[i] = u * ai + c * b[i];
                    v[i] = c * vi - u * w[i], w[i] = u * vi + c * w[i];
                }
            }
    }
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += A[i + n * j] * A[i + n * j];
        s[j] = sqrt(sum);
    }
}

/* Which parameters are held by a bound, from the gradient of the cost: 2 J'(w r) and the prior's part. */
static void find_bounds(const pp_fit *f, const double *x, int *bound) {
    for (int j = 0; j < f->n; j++) {
        const double *a = f->J + (size_t)f->m * (size_t)j;
        double g = 0, sd = f->p->prior_sd ? f->p->prior_sd[j] : INFINITY;
        for (int i = 0; i < f->m; i++) g += pp_loss_weight(f->loss, f->loss_scale, f->r[i]) * a[i] * f->r[i];
        if (isfinite(sd)) g += (x[j] - f->p->prior_mean[j]) / (sd * sd);
        bound[j] = pp_fit_fixed(f, j) ? 2 : x[j] <= f->lower[j] && g > 0 ? -1 : x[j] >= f->upper[j] && g < 0 ? 1 : 0;
    }
}

/* Information of one residual over that of one with s.d. 1; p: parameters fitted. */
static double robust_information(const pp_fit *f, int p) {
    int m = f->m;
    double slope = 0, square = 0, psi2 = 0;
    for (int i = 0; i < m; i++) {
        double c = pp_loss_curvature(f->loss, f->loss_scale, f->r[i]);
        double psi = pp_loss_weight(f->loss, f->loss_scale, f->r[i]) * f->r[i];
        slope += c, square += c * c, psi2 += psi * psi;
    }
    if (m <= p || !(slope > 0)) return 0;
    slope /= m, square /= m, psi2 /= m - p;
    double K = 1 + (double)p / m * fmax(0, square - slope * slope) / (slope * slope);
    return psi2 > 0 ? slope * slope / (K * K * psi2) : INFINITY;
}

typedef struct information {
    int k, rows;   /* free parameters; rows of A */
    int *which;    /* k: parameter of column */
    double *A;     /* rows x k */
    double *norm;  /* k: lengths of the columns; 0: no influence */
    double *R, *V; /* k x k */
    double *s;     /* k */
} information;

static bool take(pp_fit *f, information *q) {
    size_t n = (size_t)f->n;
    q->which = PP_ARENA_ZERO(&f->arena, int, f->n);
    q->A = pp_arena_zero(&f->arena, sizeof *q->A * n * ((size_t)f->m + n));
    q->R = pp_arena_zero(&f->arena, sizeof *q->R * n * n);
    q->V = pp_arena_zero(&f->arena, sizeof *q->V * n * n);
    q->norm = PP_ARENA_ZERO(&f->arena, double, f->n);
    q->s = PP_ARENA_ZERO(&f->arena, double, f->n);
    return q->which && q->A && q->R && q->V && q->norm && q->s;
}

/* A with columns of length 1, or 0 for parameters without influence. unit: noise of one residual, for the test FAINT. */
static void build(const pp_fit *f, information *q, double weight, double unit) {
    int m = f->m;
    double strongest = 0;
    for (int c = 0; c < q->k; c++) {
        int j = q->which[c];
        double *a = q->A + (size_t)q->rows * (size_t)c, sum = 0;
        const double *J = f->J + (size_t)m * (size_t)j;
        for (int i = 0; i < m; i++) a[i] = weight * J[i];
        double sd = f->p->prior_sd ? f->p->prior_sd[j] : INFINITY;
        a[m + c] = isfinite(sd) ? 1 / sd : 0;
        for (int i = 0; i < q->rows; i++) sum += a[i] * a[i];
        q->norm[c] = sqrt(sum);
        strongest = fmax(strongest, q->norm[c] * f->scale[j]);
    }
    for (int c = 0; c < q->k; c++) {
        double *a = q->A + (size_t)q->rows * (size_t)c, influence = q->norm[c] * f->scale[q->which[c]];
        if (!(influence > fmax(FAINT * unit, BLIND * strongest))) q->norm[c] = 0;
        for (int i = 0; i < q->rows; i++) a[i] = q->norm[c] > 0 ? a[i] / q->norm[c] : 0;
    }
}

/* R of Householder's QR of A, which is overwritten. */
static void triangle(information *q) {
    int rows = q->rows, k = q->k;
    for (int c = 0; c < k; c++) {
        double *v = q->A + (size_t)rows * (size_t)c + c, sum = 0;
        int left = rows - c;
        for (int i = 0; i < left; i++) sum += v[i] * v[i];
        double length = sqrt(sum), head = v[0] > 0 ? -length : length;
        for (int i = 0; i < c; i++) q->R[i + k * c] = q->A[(size_t)rows * (size_t)c + (size_t)i];
        q->R[c + k * c] = head;
        for (int i = c + 1; i < k; i++) q->R[i + k * c] = 0;
        if (!(length > 0)) continue;
        v[0] -= head;
        double half = length * length + fabs(head * (v[0] + head)); /* |v|^2/2 */
        for (int b = c + 1; b < k; b++) {
            double *u = q->A + (size_t)rows * (size_t)b + c, dot = 0;
            for (int i = 0; i < left; i++) dot += v[i] * u[i];
            dot /= half;
            for (int i = 0; i < left; i++) u[i] -= dot * v[i];
        }
    }
}

/* Direction k of those that are not identified, in parameters: largest component +-1 scale. */
static void write_direction(const pp_fit *f, const information *q, int c, double *out) {
    memset(out, 0, sizeof *out * (size_t)f->n);
    bool whole = false; /* a column that is zero by itself is its own direction */
    for (int a = 0; a < q->k; a++) whole |= !(q->norm[a] > 0) && fabs(q->V[a + q->k * c]) > SHARE;
    double most = 0;
    for (int a = 0; a < q->k; a++) {
        int j = q->which[a];
        double v = q->V[a + q->k * c];
        bool zero = !(q->norm[a] > 0);
        if (whole != zero || fabs(v) <= SHARE) continue;
        out[j] = zero ? v * f->scale[j] : v / q->norm[a];
        most = fmax(most, fabs(out[j]) / f->scale[j]);
    }
    for (int j = 0; j < f->n; j++) out[j] /= most > 0 ? most : 1;
}

/* Covariance, rank and directions from the singular values. */
static void invert(const pp_fit *f, const information *q, double tiny, pp_fit_information *out) {
    int n = f->n, k = q->k;
    double most = 0;
    for (int c = 0; c < k; c++) most = fmax(most, q->s[c]);
    for (int c = 0; c < k; c++) {
        if (q->s[c] > tiny * most) {
            for (int b = 0; b < k; b++)
                for (int a = 0; a < k; a++)
                    if (q->norm[a] > 0 && q->norm[b] > 0)
                        out->covariance[q->which[a] + n * q->which[b]] +=
                            q->V[a + k * c] * q->V[b + k * c] / (q->s[c] * q->s[c] * q->norm[a] * q->norm[b]);
            out->rank++;
        } else {
            write_direction(f, q, c, out->direction + (size_t)n * (size_t)out->ndirection++);
        }
    }
    for (int d = 0; d < out->ndirection; d++)
        for (int c = 0; c < k; c++) {
            int j = q->which[c];
            if (out->direction[j + n * d] == 0) continue;
            for (int i = 0; i < n; i++) out->covariance[i + n * j] = out->covariance[j + n * i] = NAN;
        }
    for (int j = 0; j < n; j++)
        if (isnan(out->covariance[j + n * j])) out->covariance[j + n * j] = INFINITY;
}

perp_status pp_fit_identify(pp_fit *f, const double *x, double cost, pp_fit_information *out) {
    int n = f->n, priors = 0;
    *out = (pp_fit_information){0};
    out->bound = PP_ARENA_ZERO(&f->arena, int, n);
    out->covariance = PP_ARENA_ZERO(&f->arena, double, n *n);
    out->direction = PP_ARENA_ZERO(&f->arena, double, n *n);
    information q = {0};
    if (!out->bound || !out->covariance || !out->direction || !take(f, &q)) return PERP_E_MEMORY;
    find_bounds(f, x, out->bound);
    for (int j = 0; j < n; j++) {
        if (out->bound[j] == 0) q.which[q.k++] = j;
        priors += f->p->prior_sd && isfinite(f->p->prior_sd[j]) && out->bound[j] != 2;
    }
    q.rows = f->m + q.k;
    bool robust = f->loss != PP_LOSS_SQUARE;
    int rough_dof = f->m + priors - q.k;
    double noise = f->o.noise_known || robust ? 1 : rough_dof > 0 ? sqrt(cost / rough_dof) : 0;
    double weight = robust ? sqrt(robust_information(f, q.k)) : 1;
    build(f, &q, isfinite(weight) ? weight : 1, noise);
    triangle(&q);
    pp_svd(q.k, q.R, q.V, q.s);
    double worst = 0;
    for (int j = 0; j < n; j++) worst = fmax(worst, f->error[j]);
    double tiny = fmin(fmax(TINY, 10 * worst), 1e-4); /* no finer than the derivatives */
    invert(f, &q, tiny, out);
    out->dof = f->m + priors - out->rank;
    out->factor = f->o.noise_known || robust ? 1 : out->dof > 0 ? cost / out->dof : INFINITY;
    for (int i = 0; out->factor != 1 && i < n * n; i++)
        if (out->covariance[i] != 0 && !isinf(out->covariance[i])) out->covariance[i] *= out->factor;
    return PERP_OK;
}

/* residual.c - the judge: how far numbers are from solving a complementarity problem or a step problem
 * Problem  natural-map residuals, zero exactly at a solution, measured from the problem data alone.
 * Method   w = M z + q recomputed, rows in strips so that nothing is allocated. The step problem is measured from
 *          its rows (J nu + b), never from a converted matrix, so that it judges the conversions too.
 * Valid    anything: what is not finite gives INFINITY.
 * Cost     n^2; step problem: (nblock/32 + 1) passes over the rows.
 * Source   Cottle, Pang, Stone (1992) 5.10 for the natural map; friction as a variational inequality: Acary,
 *          Brogliato (2008) 3.9. */
#include <math.h>

#include "base/refuse.h"
#include "linalg/kernel.h"
#include "perp/problem.h"

#define STRIP 64 /* rows of w at a time */

/* Largest so far; a NaN counts as INFINITY and stays. */
static void worsen(double *most, double r) {
    r = fabs(r);
    if (isnan(r)) r = INFINITY;
    if (r > *most) *most = r;
}

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* z - mid(lo, hi, z - w). For lo = 0, hi = INFINITY it is min(z, w). Written so that z - w is not rounded where it
 * need not be. */
static double natural(double z, double w, double lo, double hi) {
    double below = z - lo, above = z - hi; /* mid(z - hi, w, z - lo) */
    if (isnan(z) || isnan(w)) return NAN;
    return clamp(w, above, below);
}

static double residual(int n, const double *M, const double *q, const double *lo, const double *hi,
                       const double *z_scale, const double *w_scale, const double *z) {
    double most = 0;
    for (int start = 0; start < n; start += STRIP) {
        double w[STRIP];
        int rows = n - start < STRIP ? n - start : STRIP;
        for (int i = 0; i < rows; i++) w[i] = q[start + i];
        int j = 0;
        for (; j + 4 <= n; j += 4) pp_axpy4(rows, z + j, M + (ptrdiff_t)n * j + start, n, w);
        for (; j < n; j++) pp_axpy(rows, z[j], M + (ptrdiff_t)n * j + start, w);
        for (int i = 0; i < rows; i++) {
            int k = start + i;
            double zs = z_scale ? z_scale[k] : 1, ws = w_scale ? w_scale[k] : 1;
            worsen(&most, natural(z[k] / zs, w[i] / ws, lo ? lo[k] / zs : 0, hi ? hi[k] / zs : INFINITY));
        }
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(z[i])) return INFINITY;
    return most;
}

double perp_lcp_residual(const perp_lcp *p, const double *z) {
    return residual(p->n, p->M, p->q, NULL, NULL, NULL, NULL, z);
}

double perp_mlcp_residual(const perp_mlcp *p, const double *z) {
    return residual(p->n, p->M, p->q, p->lo, p->hi, NULL, NULL, z);
}

double perp_problem_residual(const perp_problem *p, const double *z) {
    if (p->cls == PERP_LCP)
        return residual(p->as.lcp.n, p->as.lcp.M, p->as.lcp.q, NULL, NULL, p->z_scale, p->w_scale, z);
    const perp_mlcp *m = &p->as.mlcp;
    return residual(m->n, m->M, m->q, m->lo, m->hi, p->z_scale, p->w_scale, z);
}

perp_status perp_problem_check(const perp_problem *p, char *why, size_t why_size) {
    if (why && why_size > 0) why[0] = 0;
    if (!p) return pp_refuse(why, why_size, PERP_E_ARG, "There is no problem.");
    if (p->cls != PERP_LCP && p->cls != PERP_MLCP)
        return pp_refuse(why, why_size, PERP_E_ARG,
                         "The class of the problem is %d, which is neither PERP_LCP nor PERP_MLCP.", (int)p->cls);
    bool mixed = p->cls == PERP_MLCP;
    int n = mixed ? p->as.mlcp.n : p->as.lcp.n;
    const double *M = mixed ? p->as.mlcp.M : p->as.lcp.M, *q = mixed ? p->as.mlcp.q : p->as.lcp.q;
    const double *lo = mixed ? p->as.mlcp.lo : NULL, *hi = mixed ? p->as.mlcp.hi : NULL;
    if (n < 0) return pp_refuse(why, why_size, PERP_E_ARG, "The problem has %d variables.", n);
    if (n == 0) return PERP_OK;
    if (!M || !q || (mixed && (!lo || !hi))) return pp_refuse(why, why_size, PERP_E_ARG, "M, q, lo or hi is missing.");
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if (!isfinite(M[i + (ptrdiff_t)n * j]))
                return pp_refuse(why, why_size, PERP_E_ARG, "M(%d, %d) is not finite.", i, j);
        if (!isfinite(q[j])) return pp_refuse(why, why_size, PERP_E_ARG, "q(%d) is not finite.", j);
        if (mixed && !(lo[j] <= hi[j]))
            return pp_refuse(why, why_size, PERP_E_ARG, "Bounds of variable %d: lo = %g is not <= hi = %g.", j, lo[j],
                             hi[j]);
        if (mixed && (lo[j] == INFINITY || hi[j] == -INFINITY))
            return pp_refuse(why, why_size, PERP_E_ARG, "Bounds of variable %d leave no finite value.", j);
        for (int k = 0; k < 2; k++) {
            const double *scale = k ? p->w_scale : p->z_scale;
            if (scale && !(scale[j] > 0 && scale[j] < INFINITY))
                return pp_refuse(why, why_size, PERP_E_ARG, "%c_scale(%d) = %g is not positive and finite.",
                                 k ? 'w' : 'z', j, scale[j]);
        }
    }
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* difference.c - derivatives of the residuals by differences
 * Method   central differences, two points for each free parameter, all in one call. Where a bound is nearer than the step: the
 *          one-sided formula of second order, (-3 r(0) + 4 r(h) - r(2h))/(2h). Where one of the two points cannot be evaluated: the
 *          difference with the other; where none can: again with an eighth of the step, up to RETRIES times.
 *          Check: derivatives with the whole and the half step. They differ by rounding/h + O(h^2) where the residuals are smooth and
 *          by the whole jump of the slope where a kink lies within the step. At the first point of a fit, columns that differ by
 *          more than SUSPECT are tried with longer and shorter steps, and the step that agrees best is kept.
 * Valid    residuals piecewise smooth, exact to rounding.
 * Cost     2 n points; 4 n where they are checked, 8 n more at the first point if columns are suspect. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/fit.h"

#define RETRIES 3
#define SUSPECT 1e-4 /* smooth residuals agree to about 1e-9 */

typedef struct pair {
    double a, b;    /* offsets of the two points from x_j */
    bool one_sided; /* a = h, b = 2h with the sign of the side */
} pair;

static pair place(const pp_fit *f, int j, double xj, double factor) {
    double h = factor * f->difference[j] * fmax(fabs(xj), f->scale[j]);
    double up = f->upper[j] - xj, down = xj - f->lower[j];
    if (h > 0.25 * (up + down)) h = 0.25 * (up + down);
    if (up >= h && down >= h) return (pair){(xj + h) - xj, (xj - h) - xj, false};
    if (up < h) h = -h;
    return (pair){(xj + h) - xj, (xj + 2 * h) - xj, true};
}

static bool usable(int m, const double *r) {
    for (int i = 0; i < m; i++)
        if (!isfinite(r[i])) return false;
    return true;
}

/* Column from r at x and ra, rb at the two points, for the rows of `only` (NULL: all); false if neither can be used. */
static bool column(int m, pair at, const double *r, const double *ra, const double *rb, const bool *only, double *J) {
    bool a = usable(m, ra), b = usable(m, rb);
    if (!a && !b) return false;
    if (a && b &&
        at.one_sided) { /* the parabola through the three points, for offsets that are not exactly h and 2h too */
        double ca = at.b / (at.a * (at.b - at.a)), cb = -at.a / (at.b * (at.b - at.a));
        for (int i = 0; i < m; i++) J[i] = ca * (ra[i] - r[i]) + cb * (rb[i] - r[i]);
    } else if (a && b) {
        for (int i = 0; i < m; i++) J[i] = (ra[i] - rb[i]) / (at.a - at.b);
    } else {
        const double *other = a ? ra : rb;
        double h = a ? at.a : at.b;
        for (int i = 0; i < m; i++) J[i] = (other[i] - r[i]) / h;
    }
    for (int i = 0; only && i < m; i++)
        if (!only[i]) J[i] = 0;
    return true;
}

/* The two points of each group that has a wanted column. Returns their number. */
static int place_points(const pp_fit *f, const double *x, double factor, const bool *wanted, double *points) {
    int n = f->n, count = 0;
    for (int g = 0; g < f->ngroup; g++) {
        double *a = points + (size_t)n * (size_t)count, *b = a + n;
        bool any = false;
        for (int j = 0; j < n; j++) {
            if (!wanted[j] || f->group[j] != g) continue;
            if (!any) {
                memcpy(a, x, sizeof *x * (size_t)n);
                memcpy(b, x, sizeof *x * (size_t)n);
            }
            any = true;
            pair at = place(f, j, x[j], factor);
            a[j] += at.a;
            b[j] += at.b;
        }
        count += 2 * any;
    }
    return count;
}

bool pp_fit_columns(pp_fit *f, const double *x, const double *r, double factor, bool *wanted, double *J, int *missing) {
    int n = f->n, m = f->m, count = place_points(f, x, factor, wanted, f->points);
    *missing = 0;
    if (count == 0) return true;
    if (!pp_fit_evaluate(f, count, f->points, f->values)) return false;
    const double *ra = f->values;
    for (int g = 0; g < f->ngroup; g++) {
        int members = 0, columns = 0;
        for (int j = 0; j < n; j++) {
            members += f->group[j] == g;
            columns += f->group[j] == g && wanted[j];
        }
        for (int j = 0; columns && j < n; j++) {
            if (!wanted[j] || f->group[j] != g) continue;
            const bool *only = members > 1 ? f->pattern + (size_t)m * (size_t)j : NULL;
            wanted[j] = !column(m, place(f, j, x[j], factor), r, ra, ra + m, only, J + (size_t)m * (size_t)j);
            *missing += wanted[j];
        }
        if (columns) ra += 2 * m;
    }
    if (*missing) pp_fit_ungroup(f); /* one column may have spoilt the others */
    return true;
}

static bool all_zero(int m, const double *a) {
    for (int i = 0; i < m; i++)
        if (a[i] != 0) return false;
    return true;
}

/* All columns of free parameters, without those that are zero in `like` if it is given. */
static bool free_columns(pp_fit *f, const double *x, const double *r, double factor, const double *like, double *J) {
    bool *wanted = f->wanted;
    for (int j = 0; j < f->n; j++) {
        wanted[j] = !pp_fit_fixed(f, j) && !(like && all_zero(f->m, like + (size_t)f->m * (size_t)j));
        if (!wanted[j]) memset(J + (size_t)f->m * (size_t)j, 0, sizeof *J * (size_t)f->m);
    }
    int missing = 1;
    bool ok = true;
    for (int k = 0; ok && missing && k <= RETRIES; k++, factor /= 8)
        ok = pp_fit_columns(f, x, r, factor, wanted, J, &missing);
    return ok && !missing;
}

bool pp_fit_jacobian(pp_fit *f, const double *x, const double *r, double factor) {
    if (!f->p->jacobian) {
        bool whole = !pp_fit_grouped(f);
        if (!free_columns(f, x, r, factor, NULL, f->J)) return false;
        if (whole) pp_fit_find_groups(f);
        return true;
    }
    if (!f->p->jacobian(f->p->ctx, x, f->J)) {
        f->stopped = true;
        return false;
    }
    for (int j = 0; j < f->n; j++)
        if (pp_fit_fixed(f, j)) memset(f->J + (size_t)f->m * (size_t)j, 0, sizeof *f->J * (size_t)f->m);
    return usable(f->m * f->n, f->J);
}

/* Column by column, whatever groups there are; tells f->coupled. */
static bool whole_jacobian(pp_fit *f, const double *x, const double *r) {
    bool grouped = pp_fit_grouped(f);
    pp_fit_ungroup(f);
    if (f->p->jacobian || !grouped) return pp_fit_jacobian(f, x, r, 1);
    if (!free_columns(f, x, r, 1, NULL, f->J)) return false;
    f->coupled = !pp_fit_pattern_holds(f);
    pp_fit_find_groups(f);
    return true;
}

/* |a - b| / |b|, columns of m. */
static double relative_difference(int m, const double *a, const double *b) {
    double difference = 0, size = 0;
    for (int i = 0; i < m; i++) difference += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
    if (difference == 0) return 0;
    return size > 0 ? sqrt(difference / size) : 1;
}

/* The suspect columns again with steps times `factor`; where that agrees better, it is kept. */
static bool try_step(pp_fit *f, const double *x, const double *r, double factor, const double *was, double *chosen) {
    int n = f->n, m = f->m;
    pp_arena_mark here = pp_arena_here(&f->arena);
    bool *wanted = f->wanted;
    double *J = pp_arena_get(&f->arena, sizeof *J * (2 * (size_t)n * (size_t)m + 1)),
           *J_half = J + (size_t)n * (size_t)m;
    if (!J) {
        f->no_memory = true;
        return false;
    }
    for (int j = 0; j < n; j++) wanted[j] = wanted[n + j] = was[j] > SUSPECT;
    int missing;
    bool ok = pp_fit_columns(f, x, r, factor, wanted, J, &missing) &&
              pp_fit_columns(f, x, r, 0.5 * factor, wanted + n, J_half, &missing);
    for (int j = 0; ok && j < n; j++) {
        if (!(was[j] > SUSPECT) || wanted[j] || wanted[n + j]) continue;
        size_t at = (size_t)m * (size_t)j;
        double error = relative_difference(m, J + at, J_half + at);
        if (!(error < 0.1 * f->error[j])) continue; /* only a clearly better step is taken */
        f->error[j] = error;
        chosen[j] = f->o.difference * factor;
        memcpy(f->J + at, J + at, sizeof *J * (size_t)m);
    }
    pp_arena_release(&f->arena, here);
    return ok;
}

bool pp_fit_jacobian_checked(pp_fit *f, const double *x, const double *r, bool first) {
    memset(f->error, 0, sizeof *f->error * (size_t)f->n);
    for (int j = 0; first && j < f->n; j++) f->difference[j] = f->o.difference;
    if (!whole_jacobian(f, x, r)) return false;
    if (f->p->jacobian) return true;
    if (!free_columns(f, x, r, 0.5, first ? f->J : NULL, f->J_half)) return false; /* a plateau needs no check */
    bool suspect = false;
    for (int j = 0; j < f->n; j++) {
        size_t at = (size_t)f->m * (size_t)j;
        f->error[j] = relative_difference(f->m, f->J + at, f->J_half + at);
        suspect |= f->error[j] > SUSPECT;
    }
    if (!first || !suspect) return true;
    double *was = f->trial + f->n, *chosen = was + f->n; /* f->trial is free: no step is being tried */
    memcpy(was, f->error, sizeof *was * (size_t)f->n);
    memcpy(chosen, f->difference, sizeof *chosen * (size_t)f->n);
    const double factors[] = {100, 0.01};
    for (int k = 0; k < 2; k++)
        if (!try_step(f, x, r, factors[k], was, chosen)) return false;
    memcpy(f->difference, chosen, sizeof *chosen * (size_t)f->n);
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rough.c - checks whether derivatives by small differences predict the change of the residuals, and takes larger ones if not
 * Problem  if impacts fall on the ends of steps, the result of a run jumps a little where an impact moves to another step. Between two
 *          jumps the residuals are smooth, but their slope is not that of the curve as a whole. The restitution of a ball from
 *          its bounces is an example: differences over 1e-6 are exact but useless.
 * Method   all parameters move together, forward and back, each by what changes the cost by cost/dof (its standard error with the
 *          others fixed) and at most by MOST of its size. The residuals must change as J predicts. If they do not, columns are
 *          computed over longer steps; each takes the shortest step that agrees with its half to NEAR, else the one that agrees
 *          best. If these columns differ from those over tiny steps, the residuals are rough, and the long steps are used.
 * Valid    jumps that are small compared with the effect of one standard error.
 * Cost     2 points; where the test fails, 4 n more for each length that is tried. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

#define MOST     0.01 /* of the size of a parameter */
#define DISAGREE 0.25 /* of the change that J tells: beyond it the test fails */
#define NEAR     0.1  /* derivatives over a step and over its half that agree to this are good */
#define OTHER    0.1  /* long and tiny steps that differ by more do not measure the same slope */
static const double lengths[] = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2}; /* of the size */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static double size_of(const pp_fit *f, int j, const double *x) { return fmax(fabs(x[j]), f->scale[j]); }

static bool finite(int m, const double *r) {
    for (int i = 0; i < m; i++)
        if (!isfinite(r[i])) return false;
    return true;
}

/* Whether J predicts the change of the residuals over a standard error. */
static bool linear(pp_fit *f, const double *x, double cost) {
    int n = f->n, m = f->m, dof = m > n ? m - n : 1;
    double *up = f->points, *down = up + n, noise = sqrt(fmax(1, cost / dof));
    bool any = false;
    memcpy(up, x, sizeof *x * (size_t)n);
    memcpy(down, x, sizeof *x * (size_t)n);
    for (int j = 0; j < n; j++) {
        const double *a = f->J + (size_t)m * (size_t)j;
        double sum = 0;
        for (int i = 0; i < m; i++) sum += a[i] * a[i];
        if (pp_fit_fixed(f, j) || !(sum > 0)) continue;
        double step = fmin(noise / sqrt(sum), MOST * size_of(f, j, x));
        up[j] = fmin(fmax(x[j] + (j % 2 ? -step : step), f->lower[j]), f->upper[j]);
        down[j] = fmin(fmax(x[j] - (j % 2 ? -step : step), f->lower[j]), f->upper[j]);
        any = any || up[j] != down[j];
    }
    if (!any || !pp_fit_evaluate(f, 2, f->points, f->values)) return true;
    if (!finite(2 * m, f->values)) return true; /* nothing is known */
    double off = 0, whole = 0;
    for (int i = 0; i < m; i++) {
        double told = 0, got = f->values[i] - f->values[m + i];
        for (int j = 0; j < n; j++) told += f->J[(size_t)m * (size_t)j + (size_t)i] * (up[j] - down[j]);
        off += (got - told) * (got - told);
        whole += told * told;
    }
    return sqrt(off) <= DISAGREE * sqrt(whole);
}

static double relative(int m, const double *a, const double *b) {
    double difference = 0, size = 0;
    for (int i = 0; i < m; i++) difference += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
    return difference == 0 ? 0 : size > 0 ? sqrt(difference / size) : INFINITY;
}

/* Steps of differences and columns of J that agree with their halves. True: some differ from what tiny steps say. */
static bool lengthen(pp_fit *f, const double *x) {
    int n = f->n, m = f->m;
    pp_arena_mark here = pp_arena_here(&f->arena);
    size_t all = (size_t)n * (size_t)m;
    double *J = pp_arena_get(&f->arena, sizeof *J * (3 * all + 3 * (size_t)n + 1));
    if (!J) {
        f->no_memory = true;
        return false;
    }
    double *half = J + all, *best = half + all, *error = best + all, *was = error + n, *chosen = was + n;
    memcpy(was, f->difference, sizeof *was * (size_t)n);
    memcpy(chosen, was, sizeof *was * (size_t)n);
    memcpy(best, f->J, sizeof *best * all);
    for (int j = 0; j < n; j++) error[j] = INFINITY;
    bool *wanted = f->wanted, ok = true, rough = false;
    for (int k = 0; ok && k < LENGTHS; k++) {
        int missing;
        for (int j = 0; j < n; j++) {
            wanted[j] = wanted[n + j] = !pp_fit_fixed(f, j) && error[j] > NEAR;
            f->difference[j] = lengths[k];
        }
        ok = pp_fit_columns(f, x, f->r, 1, wanted, J, &missing) &&
             pp_fit_columns(f, x, f->r, 0.5, wanted + n, half, &missing);
        for (int j = 0; ok && j < n; j++) {
            size_t at = (size_t)m * (size_t)j;
            if (pp_fit_fixed(f, j) || error[j] <= NEAR || wanted[j] || wanted[n + j]) continue;
            double e = relative(m, J + at, half + at);
            if (!(e < error[j])) continue;
            error[j] = e, chosen[j] = lengths[k];
            memcpy(best + at, J + at, sizeof *J * (size_t)m);
        }
    }
    for (int j = 0; ok && j < n; j++) {
        size_t at = (size_t)m * (size_t)j;
        rough = rough || (isfinite(error[j]) && relative(m, f->J + at, best + at) > OTHER);
    }
    memcpy(f->difference, rough ? chosen : was, sizeof *was * (size_t)n);
    for (int j = 0; rough && j < n; j++) f->error[j] = isfinite(error[j]) ? error[j] : f->error[j];
    if (rough) memcpy(f->J, best, sizeof *best * all);
    pp_arena_release(&f->arena, here);
    return rough;
}

bool pp_fit_smooth(pp_fit *f, const double *x, double cost) {
    if (f->rough || f->p->jacobian || linear(f, x, cost) || f->stopped) return true;
    f->rough = lengthen(f, x);
    return !f->rough;
}

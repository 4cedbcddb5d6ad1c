/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* draw.c - the random numbers of a trial: a stream of its own, or one point of a sample that fills the space evenly.
 *
 * In a Latin hypercube or a Sobol sequence the k-th call of uniform() or normal() takes the k-th coordinate of the
 * trial's point; normal() then is the quantile of one number, where a stream uses two. Calls beyond the coordinates of
 * a point take numbers of the stream. */
#include <math.h>
#include <stdio.h>

#include "perp/statistic.h"
#include "study/study.h"

const char *const pp_draw_functions[2] = {"uniform", "normal"};

static bool coordinate(pp_draw_source *d, double *out) {
    if (d->method == PP_DRAW_RANDOM || d->used >= PERP_SOBOL_DIMENSIONS) return false;
    *out = d->point[d->used++];
    return true;
}

double pp_draw_next(pp_draw_source *d) {
    double u;
    return coordinate(d, &u) ? u : perp_random_uniform(&d->stream);
}

double pp_draw_next_normal(pp_draw_source *d) {
    double u;
    if (!coordinate(d, &u)) return perp_random_normal(&d->stream);
    return perp_normal_quantile(u > 0 ? u : 0x1p-54);
}

bool pp_draw_call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    pp_draw_source *d = ctx;
    const char *name = pp_draw_functions[i];
    if (narg != 2) {
        (void)snprintf(why, why_size, "found %d argument%s of %s(); allowed: 2", narg, narg == 1 ? "" : "s", name);
        return false;
    }
    double a = arg[0].number, b = arg[1].number;
    bool uniform = i == 0;
    if (uniform ? !(a <= b && isfinite(a) && isfinite(b)) : !(isfinite(a) && b >= 0 && isfinite(b))) {
        (void)snprintf(why, why_size, "found %s(%.6g, %.6g); allowed: %s", name, a, b,
                       uniform ? "the smaller number first" : "a deviation >= 0");
        return false;
    }
    *out = uniform ? a + (b - a) * pp_draw_next(d) : a + b * pp_draw_next_normal(d);
    return true;
}

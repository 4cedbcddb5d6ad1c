/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* probe.c - function values along parameters where derivatives carry no information
 * Problem  if a contact sticks, a larger friction coefficient has no effect: the derivative is zero, and a search by derivatives
 *          would stay there. It would also stay at kinks, where the derivatives of the two sides have opposite signs.
 * Method   points between finite bounds, evenly, if the range is not far wider than the scale; else at PROBES/2 distances on each
 *          side, from 1/16 to 4 scales. First all these parameters are moved together, each by the same fraction of its range,
 *          because several may be flat for the same reason. If this finds nothing, or `together` is false, each is moved in turn
 *          with the others fixed. The best point is taken if it is clearly better.
 * Cost     PROBES points together, PROBES more for each parameter in turn, in batches. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

#define PROBES  14
#define CLEARLY 1e-6 /* of the cost */

static double probe_at(const pp_fit *f, int j, double xj, int k) {
    double range = f->upper[j] - f->lower[j];
    if (range <= 10 * f->scale[j]) return f->lower[j] + range * k / (PROBES - 1);
    double far = ldexp(f->scale[j], k / 2 - 4), to = k % 2 ? xj + far : xj - far;
    return to < f->lower[j] ? f->lower[j] : to > f->upper[j] ? f->upper[j] : to;
}

/* Probes along the parameters with which[j] together, or along parameter `only` if it is not negative; true if x moved. */
static bool look(pp_fit *f, const bool *which, int only, double *x, double *cost) {
    int n = f->n, room = pp_fit_batch(n);
    double best = *cost * (1 - CLEARLY), *best_x = f->trial; /* the search is not in a step now */
    bool moved = false;
    for (int from = 0; from < PROBES; from += room) {
        int count = PROBES - from < room ? PROBES - from : room;
        for (int k = 0; k < count; k++) {
            double *point = f->points + (size_t)n * (size_t)k;
            memcpy(point, x, sizeof *x * (size_t)n);
            for (int j = 0; j < n; j++)
                if (only < 0 ? which[j] && !pp_fit_fixed(f, j) : j == only) point[j] = probe_at(f, j, x[j], from + k);
        }
        if (!pp_fit_evaluate(f, count, f->points, f->values)) return false;
        for (int k = 0; k < count; k++) {
            const double *r = f->values + (size_t)f->m * (size_t)k, *point = f->points + (size_t)n * (size_t)k;
            double c = pp_fit_cost(f, point, r);
            if (!(c < best)) continue;
            best = c, moved = true;
            memcpy(best_x, point, sizeof *x * (size_t)n);
            memcpy(f->r, r, sizeof *r * (size_t)f->m);
        }
    }
    if (!moved) return false;
    memcpy(x, best_x, sizeof *x * (size_t)n);
    *cost = best;
    return true;
}

bool pp_fit_probe(pp_fit *f, double *x, double *cost, const bool *which, bool together) {
    bool moved = false;
    int n = 0;
    for (int j = 0; j < f->n; j++) n += which[j] && !pp_fit_fixed(f, j);
    if (together && n > 1 && look(f, which, -1, x, cost)) return true;
    for (int j = 0; j < f->n && !f->stopped; j++) /* each from where those before it went: many may be stuck */
        if (which[j] && !pp_fit_fixed(f, j)) moved = look(f, which, j, x, cost) || moved;
    return moved;
}

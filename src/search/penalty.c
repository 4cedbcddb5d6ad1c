/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* penalty.c - constraints for methods without support for them: an exact penalty.
 *
 *      merit(x) = f(x) + sum_j weight_j max(0, g_j(x))
 * Method   A minimum of the problem is one of the merit if weight_j exceeds the multiplier of g_j. With one active
 *          constraint the multiplier is |grad f| / |grad g_j|. Both gradients are estimated from the differences within
 *          the first simplex, and their ratio is multiplied by MARGIN. This also gives the weight the unit f / g_j, so
 *          constraints of any scale fit. If a run ends at a merit below every feasible f, the weights were too small:
 *          they are multiplied by RAISE, and the run is repeated from the best point.
 * Valid    local minima at which the multipliers exist. The merit has a kink where a constraint is active: methods
 *          that model f by a smooth function (bobyqa) do not fit.
 * Source   Nocedal, Wright (2006), Numerical Optimization, 17.2. */
#include "search/search.h"

#include <math.h>

#define MARGIN \
    2.0 /* weight over the estimated multiplier: larger ones make the merit a narrow valley, too small ones are detected and raised */
#define RAISE      4.0  /* factor when the weights were too small */
#define RAISES_MAX 8    /* then they are 1e8 times the estimate: no feasible point is near */
#define SHORTFALL  1e-6 /* merit may lie below the best feasible f by this fraction of |f| and of the first spread */

void pp_search_weigh(const pp_search *s, pp_search_penalty *a, const double *f, const double *g) {
    const size_t m = (size_t)s->m;
    int base = 0; /* a point that could be evaluated */
    while (base < s->n && isnan(f[base])) base++;
    a->scale = 0;
    for (int k = 0; k <= s->n; k++)
        if (!isnan(f[k]) && fabs(f[k] - f[base]) > a->scale) a->scale = fabs(f[k] - f[base]);
    if (!(a->scale > 0)) a->scale = fabs(f[base]) > 0 ? fabs(f[base]) : 1; /* f is flat, or no point was evaluated */
    for (size_t j = 0; j < m; j++) {
        double spread = 0, size = 0;
        for (size_t k = 0; k <= (size_t)s->n; k++) {
            if (isnan(f[k])) continue;
            spread = fmax(spread, fabs(g[k * m + j] - g[(size_t)base * m + j]));
            size = fmax(size, fabs(g[k * m + j]));
        }
        double by = spread > 0 ? spread : size > 0 ? size : 1;
        a->weight[j] = fmin(fmax(MARGIN * a->scale / by, 1e-100), 1e100); /* neither zero nor infinite */
    }
    a->merit = INFINITY;
    a->raised = 0;
}

double pp_search_merit(pp_search *s, pp_search_penalty *a, double f, const double *g) {
    if (isnan(f)) return INFINITY;
    for (int j = 0; j < s->m; j++)
        if (g[j] > 0) f += a->weight[j] * g[j];
    if (f < a->merit) a->merit = f;
    return f;
}

bool pp_search_raise(const pp_search *s, pp_search_penalty *a) {
    if (s->m == 0 || isinf(a->merit) || a->raised == RAISES_MAX) return false;
    if (s->best_violation == 0 && s->best_f - a->merit <= SHORTFALL * (fabs(s->best_f) + a->scale)) return false;
    for (int j = 0; j < s->m; j++) a->weight[j] = fmin(RAISE * a->weight[j], 1e100);
    a->merit = INFINITY;
    a->raised++;
    return true;
}

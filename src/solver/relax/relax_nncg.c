/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* relax_nncg.c - nonlinear conjugate gradients on sweeps
 *   x <- S(x) is a Gauss-Seidel sweep; its change g = S(x) - x is zero exactly at a solution, and takes the role of the gradient
 * Method   Fletcher and Reeves: p <- b p + g with b = |g|^2/|g before|^2, and x <- S(x) + b p before. If b > 1 the sweeps became worse: restart
 *          with p = g. Sweeps go forwards and backwards, so that g is a gradient in a symmetric metric, which conjugate directions need
 *          (a chain of 40: 178 such sweeps, 1613 one-way ones). x is projected on the cones after each step, because points outside would
 *          make the next change meaningless. If the residual is far above the best, the iteration restarts from the best point; if that
 *          happens repeatedly, plain sweeps are used.
 * Valid    Where the sweeps converge; usually much faster on long chains of contacts.
 * Cost     A symmetric sweep and new velocities per step: about two and a half plain sweeps.
 * Source   Silcowitz-Hansen, Niebe, Erleben, A nonsmooth nonlinear conjugate gradient method for interactive contact
 *          force problems (2010); symmetric sweeps are an addition of perp. */
#include <math.h>
#include <string.h>

#include "solver/relax/pace.h"
#include "solver/relax/relax.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] If the residual exceeds this multiple of the best one, the iteration returns to the best point. */
#define FAR 1e3
/* [times] After this number of returns conjugate directions are no longer used. */
#define RETURNS 20
/* [steps] Number of steps within which the residual must decrease to PP_STALLED of its value. */
#define WINDOW 200
/* [windows] Number of successive windows without that which end the iteration. */
#define PATIENCE 5

static double squared(const pp_sweeper *s, const double *x) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        double a = s->unit ? x[i] / s->unit[i] : x[i];
        sum += a * a;
    }
    return sum;
}

static perp_outcome iterate(pp_sweeper *s, const pp_relax *o, pp_best *best, double *last, double *p,
                            const perp_call *call, perp_solve_info *info) {
    size_t bytes = sizeof *s->x * (size_t)s->n;
    double before = 0, window = INFINITY;
    int returns = 0, stalls = 0, check = WINDOW;
    memset(p, 0, bytes);
    for (int count = 0;; count++) {
        double residual = s->measure(s->self);
        pp_best_note(best, s->n, s->x, residual);
        if (residual <= o->tol) return PERP_OUTCOME_SOLVED;
        if (count >= o->max_sweeps) return PERP_OUTCOME_LIMIT;
        if (!pp_sweeper_look(s, count, call)) return PERP_OUTCOME_STOPPED;
        if (!(residual <= FAR * best->least)) {
            if (!isfinite(best->least) || ++returns > 2 * RETURNS) return PERP_OUTCOME_NUMERICS;
            memcpy(s->x, best->x, bytes);
            s->measure(s->self);
            before = 0;
        }
        if (count >= check) {
            stalls = best->least < PP_STALLED * window ? 0 : stalls + 1;
            if (stalls >= PATIENCE) return PERP_OUTCOME_LIMIT;
            window = best->least;
            check = count + WINDOW;
        }
        memcpy(last, s->x, bytes);
        s->sweep(s->self, 1);
        info->iterations++;
        for (int i = 0; i < s->n; i++) last[i] = s->x[i] - last[i]; /* g */
        double now = squared(s, last), b = before > 0 ? now / before : 2;
        if (now == 0) return PERP_OUTCOME_LIMIT;
        before = now;
        if (b > 1 || returns > RETURNS || !isfinite(b)) {
            memcpy(p, last, bytes);
            continue;
        }
        for (int i = 0; i < s->n; i++) {
            s->x[i] += b * p[i];
            p[i] = b * p[i] + last[i];
        }
        s->admit(s->self);
    }
}

perp_outcome pp_nncg_run(pp_sweeper *s, const pp_relax *o, const perp_call *call, perp_solve_info *info) {
    pp_best best = {PP_CALL_ARRAY(call, double, s->n), INFINITY};
    double *last = PP_CALL_ARRAY(call, double, s->n), *p = PP_CALL_ARRAY(call, double, s->n);
    if (!best.x || !last || !p) return PERP_OUTCOME_MEMORY;
    memcpy(best.x, s->x, sizeof *s->x * (size_t)s->n);
    perp_outcome outcome = iterate(s, o, &best, last, p, call, info);
    memcpy(s->x, best.x, sizeof *s->x * (size_t)s->n);
    return outcome;
}

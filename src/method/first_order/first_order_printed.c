/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* first_order_printed.c - the least-norm programme as printed, for comparison
 * Problem  min |lambda|^2/2  with  lambda >= 0  and  lambda >= -K phi1 - B dphi1,  where phi1 and dphi1 depend on lambda. With impulses
 *          p = h lambda and the matrix A and vector q of the step's LCP (A p + q are the velocities of the rows with compliance):
 *          min |p|^2/2,  p >= 0,  A p + q >= 0.
 * Method   The optimality conditions are sufficient:  0 <= p _|_ p - A' y >= 0,  0 <= y _|_ A p + q >= 0. This is an LCP with a positive
 *          semidefinite matrix, which the solvers of the world solve. A is scaled by its largest diagonal entry.
 * Valid    Rows without friction. If a limit or contact shares a body with others, the solution is not that of
 *          lambda = max(0, -K phi1 - B dphi1): a larger lambda of one row can save more at the others. The residuals in the
 *          certificate show the difference. A solution of this programme is accepted.
 * Source   Drumwright (69)-(71), (83)-(85). */
#include <math.h>
#include <string.h>

#include "problem/convert/convert.h"
#include "method/first_order/first_order.h"
#include "stage/solve/solve.h"

/* Makes the LCP in (p, y), n each; z and w have the unit of a velocity. */
static perp_status pose(const pp_converted *c, pp_arena *arena, perp_problem *out, double *unit) {
    int n = c->n;
    ptrdiff_t m = 2 * (ptrdiff_t)n;
    double *M = PP_ARENA_ZERO(arena, double, m *m), *q = PP_ARENA_ZERO(arena, double, m);
    if (!M || !q) return PERP_E_MEMORY;
    *unit = 0;
    for (int i = 0; i < n; i++) *unit = fmax(*unit, c->M[i + (ptrdiff_t)n * i]);
    if (!(*unit > 0)) *unit = 1;
    for (int j = 0; j < n; j++) {
        M[j + m * j] = 1;
        q[n + j] = c->q[j];
        for (int i = 0; i < n; i++) {
            double a = c->M[i + (ptrdiff_t)n * j] / *unit;
            M[n + i + m * j] = a;
            M[j + m * (n + i)] = -a;
        }
    }
    *out = (perp_problem){.cls = PERP_LCP, .as.lcp = {(int)m, M, q}};
    return PERP_OK;
}

static bool plain(const perp_step_problem *p) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].nd != 0 && p->contact[i].mu > 0) return false;
    for (int j = 0; j < p->njoint; j++)
        if (isfinite(p->joint[j].hi) && p->joint[j].lo != p->joint[j].hi) return false;
    return true;
}

/* Tries the solvers of the world until one solves it. */
static perp_status solve(pp_frame *f, const perp_problem *lcp, double scale, double *z) {
    perp_world *w = f->w;
    double best = INFINITY;
    for (int k = 0; k < w->chosen.nsolver; k++) {
        memset(z, 0, sizeof *z * (size_t)lcp->as.lcp.n);
        pp_arena_mark mark = pp_arena_here(&w->arena);
        perp_solve_info info = {0};
        perp_call call = pp_call_within(w);
        perp_status st = pp_solve_call(&call, w->chosen.solver[k], w->chosen.settings[k].bytes, lcp, z, &info);
        pp_arena_release(&w->arena, mark);
        if (w->run.stopped) return pp_stopped(w);
        if (st) return pp_fail(w, st, "solver %s: %s", w->chosen.solver[k]->name, perp_status_text(st));
        f->solve.iterations += info.iterations;
        f->solve.used = w->chosen.solver[k];
        f->solve.info = info;
        f->solve.acceptance = info.residual / scale;
        if (f->solve.acceptance <= w->def.tolerance) return PERP_OK;
        best = fmin(best, f->solve.acceptance);
    }
    return pp_fail(w, PERP_E_SOLVE,
                   "no solver solved the printed programme at t = %g: residual %.3g of the speed scale", f->s0->t,
                   best);
}

perp_status pp_printed_programme(pp_frame *f) {
    perp_world *w = f->w;
    if (w->def.form != PERP_FORM_LCP || !plain(&f->pose.problem))
        return pp_fail(w, PERP_E_FIT, "first-order: the printed programme needs form lcp, no friction and no motors");
    pp_converted c;
    perp_problem lcp;
    double unit = 1;
    perp_status st = pp_convert(&f->pose.problem, PERP_LCP, &w->arena, &c);
    if (!st) st = pose(&c, &w->arena, &lcp, &unit);
    double *z = PP_ARENA_ZERO(&w->arena, double, 2 * (ptrdiff_t)c.n);
    if (st || !z || !pp_solution_new(&w->arena, &f->pose.problem, &f->solve.solution))
        return pp_fail(w, st ? st : PERP_E_MEMORY, "the printed programme could not be formed");
    f->solve.used = NULL;
    f->solve.acceptance = 0;
    f->solve.unknowns = 2 * c.n;
    double scale = perp_step_problem_residual(&f->pose.problem, &f->solve.solution).scale;
    scale = fmax(scale, f->h * perp_v3_norm(w->def.gravity_W));
    if (c.n > 0) st = solve(f, &lcp, scale > 0 ? scale : 1, z);
    if (st) return st;
    for (int i = 0; i < c.n; i++) z[i] /= unit;
    if (pp_recover(&c, z, &w->arena, &f->solve.solution))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    f->solve.residual = perp_step_problem_residual(&f->pose.problem, &f->solve.solution);
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_linear.c - a step problem of unbounded joint rows, solved for one right-hand side after another
 *
 * Problem  Rounds that close joints pose the same rows again with other b. pp_solve_step() would split islands, form W, factor it and
 *          judge the answer in every round.
 * Method   Islands, W and its factors are computed once. A solution is what solver_chain.c computes for such an island, p = -W^+ (J nu_free + b) with
 *          one refinement (pp_recover), to the last bit. The judge is asked only for the solution that is kept.
 * Valid    No contacts, no row with a bound. If the judge rejects the solution, the caller solves the problem again by pp_solve_step().
 * Cost     One factorisation; for each right-hand side two back-substitutions. */
#include "stage/solve/solve_linear.h"

#include <math.h>

#include "model/budget.h"
#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/motor_yield.h"
#include "stage/solve/solve.h"

/* One island. */
typedef struct part {
    pp_island *island;
    perp_joint_row *row; /* copies of its rows; NULL: the rows of the frame */
    pp_converted system;
    double *free; /* by row: its velocity without impulses */
    pp_judge_room room;
    perp_step_solution solution; /* that of the frame if the island is the whole problem */
} part;

struct pp_linear_system {
    part *part;
    int n;
    bool whole; /* one island is the whole problem */
};

static bool applies(const pp_frame *f) {
    const perp_step_problem *p = &f->pose.problem;
    if (p->ncontact > 0 || p->njoint == 0 || f->method.jammed || f->w->run.tamper || f->w->run.capture.look)
        return false;
    for (int i = 0; i < p->njoint; i++)
        if (isfinite(p->joint[i].lo) || isfinite(p->joint[i].hi)) return false;
    return true;
}

/* Rows of an island that is not the whole problem. */
static bool copy_rows(pp_arena *a, part *q) {
    perp_step_problem *p = &q->island->p;
    q->row = PP_ARENA_ARRAY(a, perp_joint_row, p->njoint);
    if (!q->row) return false;
    for (int i = 0; i < p->njoint; i++) q->row[i] = p->joint[i];
    p->joint = q->row;
    return true;
}

static perp_status new_part(pp_frame *f, bool whole, part *q) {
    pp_arena *a = &f->w->arena;
    const perp_step_problem *p = &q->island->p;
    q->free = PP_ARENA_ARRAY(a, double, p->njoint);
    q->room.rows = PP_ARENA_ARRAY(a, double, p->njoint);
    q->room.dofs = PP_ARENA_ARRAY(a, double, p->ndof);
    if (!q->free || !q->room.rows || !q->room.dofs || (!whole && !copy_rows(a, q))) return PERP_E_MEMORY;
    if (whole)
        q->solution = f->solve.solution;
    else if (!pp_solution_new(a, p, &q->solution))
        return PERP_E_MEMORY;
    perp_status st = pp_convert(p, PERP_LCP, a, &q->system);
    if (st) return st;
    perp_step_problem none = *p;
    none.njoint = 0;
    pp_step_velocity(&none, NULL, NULL, q->room.dofs);
    for (int i = 0; i < p->njoint; i++) q->free[i] = pp_row_dot(p, &p->joint[i].row, q->room.dofs);
    return PERP_OK;
}

perp_status pp_linear_new(pp_frame *f, pp_linear_system **out) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    pp_island *island;
    *out = NULL;
    if (!applies(f)) return PERP_OK;
    pp_linear_system *s = PP_ARENA_ZERO(a, pp_linear_system, 1);
    f->solve.share = PP_ARENA_ZERO(a, double, f->pose.problem.njoint);
    bool got = s && f->solve.share && pp_solution_new(a, &f->pose.problem, &f->solve.solution);
    if (!got || pp_islands_split(&f->pose.problem, a, &island, &s->n) || !(s->part = PP_ARENA_ZERO(a, part, s->n)))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    s->whole = s->n == 1 && island->p.nblock == f->pose.problem.nblock;
    if (!s->whole) { /* velocities of bodies in no island */
        perp_step_problem none = f->pose.problem;
        none.njoint = 0;
        pp_step_velocity(&none, NULL, NULL, f->solve.solution.nu);
    }
    for (int k = 0; k < s->n; k++) {
        s->part[k].island = &island[k];
        perp_status st = new_part(f, s->whole, &s->part[k]);
        if (st) return pp_fail(w, st, "the step problem could not be formed: %s", perp_status_text(st));
    }
    f->solve.used = NULL;
    f->solve.stalled = NULL;
    f->solve.lent_contact = f->solve.lent_joint = NULL;
    f->solve.motor_yields = 0;
    *out = s;
    return PERP_OK;
}

perp_status pp_linear_solve(pp_frame *f, pp_linear_system *s) {
    perp_world *w = f->w;
    if (pp_told_to_stop(w)) return pp_stopped(w);
    if (pp_budget_used(w, (double)f->pose.problem.nblock + f->pose.problem.njoint)) return pp_budget_fail(w);
    const double no_variables[1] = {0};
    for (int k = 0; k < s->n; k++) {
        part *q = &s->part[k];
        pp_converted *c = &q->system;
        for (int i = 0; i < q->island->p.njoint; i++) {
            double b = f->pose.problem.joint[q->island->joint[i]].b;
            if (q->row) q->row[i].b = b;
            c->w_free[c->row[i]] = q->free[i] + b;
        }
        if (pp_recover(c, no_variables, &w->arena, &q->solution))
            return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
        if (q->row) pp_island_scatter(q->island, &f->pose.problem, &q->solution, &f->solve.solution);
    }
    f->solve.measured = false;
    return PERP_OK;
}

bool pp_linear_accepted(pp_frame *f, pp_linear_system *s) {
    double tolerance = f->w->def.tolerance;
    perp_step_residual r = {0};
    char why[300];
    f->solve.acceptance = 0;
    for (int k = 0; k < s->n; k++) {
        part *q = &s->part[k];
        const perp_step_problem *p = &q->island->p;
        r = pp_step_residual_at(p, &q->solution, pp_step_scale(p));
        double a = pp_acceptance(f, p, &q->solution, &r, tolerance, &q->room);
        if (!(a <= tolerance) || pp_motors_contradict(f, q->island, &r, tolerance, why, sizeof why)) return false;
        f->solve.acceptance = fmax(f->solve.acceptance, a);
    }
    if (s->whole) f->solve.residual = r;
    f->solve.measured = s->whole;
    pp_measure_step(f);
    return true;
}

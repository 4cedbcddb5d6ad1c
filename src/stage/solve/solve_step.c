/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_step.c - stage 5: step problem -> impulses and velocity, island by island
 *
 * Each island goes through the chain of solvers (stage/solve/solver_chain.c). If an island has no answer although no contact is
 * required to open, it is posed again: driven bodies stall (stall), motors yield, and finally rows give way. */
#include "stage/solve/solve_step.h"

#include <string.h>

#include "stage/solve/acceptance.h"
#include "stage/solve/give_way.h"
#include "problem/redundant.h"
#include "stage/solve/joint_rounds.h"
#include "stage/solve/motor_yield.h"
#include "stage/solve/solve_memory.h"
#include "stage/solve/solver_chain.h"
#include "solver/auto/auto.h"
#include "model/budget.h"
#include "stage/frame.h"
#include "stage/solve/solve.h"

bool pp_solution_new(pp_arena *a, const perp_step_problem *p, perp_step_solution *s) {
    s->nu = PP_ARENA_ZERO(a, double, p->ndof);
    s->p_joint = PP_ARENA_ZERO(a, double, p->njoint);
    s->p_contact = PP_ARENA_ZERO(a, double, 3 * p->ncontact);
    s->sigma = PP_ARENA_ZERO(a, double, p->ncontact);
    s->p_spin = PP_ARENA_ZERO(a, double, p->ncontact);
    s->p_roll = PP_ARENA_ZERO(a, double, 2 * p->ncontact);
    return s->nu && s->p_joint && s->p_contact && s->sigma && s->p_spin && s->p_roll;
}

/* Adds the figures of one problem to those of the frame: sums of work, the worst of the others. */
static void report(pp_frame *f, const pp_trial *t) {
    f->solve.iterations += t->iterations;
    f->solve.fallbacks += t->fallbacks;
    if (t->unknowns > f->solve.unknowns) f->solve.unknowns = t->unknowns;
    if (t->used && (!f->solve.used || !(t->acceptance <= f->solve.acceptance))) {
        double residual = fmax(f->solve.info.residual, t->info.residual);
        f->solve.used = t->used;
        f->solve.info = t->info;
        f->solve.info.residual = residual;
    }
    if (!(t->acceptance <= f->solve.acceptance)) f->solve.acceptance = t->acceptance;
}

/* Hands an island to the capture function, if there is one. A step that ran out of memory has nothing to show. */
static void show(const pp_frame *f, const pp_trial *t, int island, perp_status st) {
    const perp_world *w = f->w;
    if (!w->run.capture.look || f->purpose != PP_STEP || (st && st != PERP_E_SOLVE)) return;
    perp_solve_info none = {.outcome = st ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_SOLVED, .solver = ""};
    perp_captured c = {.problem = t->p,
                       .solution = &t->best,
                       .info = t->used ? &t->info : &none,
                       .accepted = !st,
                       .residual = t->acceptance,
                       .t = f->s0->t,
                       .step = w->state.step,
                       .island = island,
                       .guess = t->guess};
    w->run.capture.look(&c, w->run.capture.ctx);
}

/* Keeps a copy of the guess in t->answer for captures, since the tries overwrite it. */
static bool keep_guess(const pp_frame *f, pp_trial *t) {
    if (!f->w->run.capture.look || f->purpose != PP_STEP) return true;
    perp_step_solution *g = PP_ARENA_ZERO(&f->w->arena, perp_step_solution, 1);
    if (!g || !pp_solution_new(&f->w->arena, t->p, g)) return false;
    memcpy(g->p_joint, t->answer.p_joint, (size_t)t->p->njoint * sizeof *g->p_joint);
    memcpy(g->p_contact, t->answer.p_contact, 3 * (size_t)t->p->ncontact * sizeof *g->p_contact);
    memcpy(g->sigma, t->answer.sigma, (size_t)t->p->ncontact * sizeof *g->sigma);
    memcpy(g->p_spin, t->answer.p_spin, (size_t)t->p->ncontact * sizeof *g->p_spin);
    memcpy(g->p_roll, t->answer.p_roll, 2 * (size_t)t->p->ncontact * sizeof *g->p_roll);
    g->nu = NULL; /* solvers start from impulses */
    t->guess = g;
    return true;
}

/* Rounds pose a problem again, and most of its islands no longer change (method/peg/model_peg.c). If the answer of the round before, in
 * t->answer with its velocity, still satisfies the laws of this island, it is used again. */
static bool keep_answer(const pp_frame *f, pp_trial *t, const pp_island *island) {
    if (!t->o->recall || !f->demand.end_nu || !(t->o->enough > 0)) return false;
    for (int b = 0; b < t->p->nblock; b++)
        memcpy(t->answer.nu + t->p->block_offset[b], f->demand.end_nu + f->pose.problem.block_offset[island->block[b]],
               (size_t)t->p->block_ndof[b] * sizeof *t->answer.nu);
    perp_step_residual r;
    double tolerance = pp_trial_tolerance(f, t), most = fmin(tolerance, t->o->enough / pp_speed_scale(f, t->scale));
    if (pp_surely_misses(f, t->p, &t->answer, t->scale, tolerance, most, &t->room)) return false;
    double a = pp_trial_measure(f, t, &t->answer, &r);
    if (!(a <= most)) return false;
    if (t->o->loads == PP_LOADS_NOW && pp_loads_matter(&f->w->arena, t->p, t->room.figure, &t->answer)) return false;
    pp_trial_keep(t, a, &r);
    return true;
}

/* Copies n rows into the arena and makes *rows point to the copy. NULL if memory is refused. */
static perp_contact_row *own_contacts(pp_arena *a, const perp_contact_row **rows, int n) {
    perp_contact_row *own = PP_ARENA_ARRAY(a, perp_contact_row, n);
    for (int i = 0; own && i < n; i++) own[i] = (*rows)[i];
    if (own) *rows = own;
    return own;
}
static perp_joint_row *own_joints(pp_arena *a, const perp_joint_row **rows, int n) {
    perp_joint_row *own = PP_ARENA_ARRAY(a, perp_joint_row, n);
    for (int i = 0; own && i < n; i++) own[i] = (*rows)[i];
    if (own) *rows = own;
    return own;
}

static void note_jam(const pp_solve_options *o, const pp_island *island, unsigned char how) {
    for (int b = 0; o->jammed_block && b < island->p.nblock; b++) o->jammed_block[island->block[b]] = how;
}

/* A driven body may drag another into a self-locking wedge. Its friction and the force of the wedge then increase each other without
 * bound: no impulse is large enough, although no contact is required to open. A drive of limited force would stall. So the island is posed
 * again as if the driven body stood still. Joints that have opened are not required to close, because the wedge may prevent that too. Then
 * rest satisfies all rows. *eased: false if this changes nothing. */
static perp_status stall(pp_frame *f, pp_island *island, const pp_solve_options *o, bool *eased) {
    pp_arena *a = &f->w->arena;
    perp_step_problem *p = &f->pose.problem, *q = &island->p;
    perp_contact_row *contact = own_contacts(a, &p->contact, p->ncontact),
                     *c = own_contacts(a, &q->contact, q->ncontact);
    perp_joint_row *joint = own_joints(a, &p->joint, p->njoint), *j = own_joints(a, &q->joint, q->njoint);
    if (!f->solve.stalled) f->solve.stalled = PP_ARENA_ZERO(a, bool, p->ncontact);
    if (!contact || !c || !joint || !j || !f->solve.stalled)
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", p->ncontact);
    *eased = false;
    for (int i = 0; i < q->ncontact; i++) {
        perp_contact_row *of = &contact[island->contact[i]];
        bool driven = false;
        for (int k = 0; k < PP_FRICTION_ROWS; k++) driven |= pp_friction_b(of, k) != 0;
        if (!(of->mu > 0) || !driven) continue;
        c[i].b_t = c[i].b_o = c[i].b_r = of->b_t = of->b_o = of->b_r = 0;
        for (int k = 0; k < 2; k++) c[i].b_roll[k] = of->b_roll[k] = 0;
        f->solve.stalled[island->contact[i]] = *eased = true;
    }
    if (*eased) note_jam(o, island, 1);
    for (int i = 0; i < q->njoint; i++) {
        bool limit = j[i].kind == PERP_ROW_LIMIT;
        if ((!limit && j[i].kind != PERP_ROW_JOINT) || j[i].b == j[i].b_kin || (limit && j[i].b > j[i].b_kin)) continue;
        j[i].b = joint[island->joint[i]].b = j[i].b_kin;
        *eased = true;
    }
    return PERP_OK;
}

/* The largest value of o->jammed_block in this island: how an earlier round posed it. */
static int jammed_before(const pp_solve_options *o, const pp_island *island) {
    int most = 0;
    for (int b = 0; o->no_lift && o->jammed_block && b < island->p.nblock; b++)
        if (o->jammed_block[island->block[b]] > most) most = o->jammed_block[island->block[b]];
    return most;
}

/* Did motors of this island yield in an earlier round of the step (o->yielded_block), or in the step before? If they need not yield now,
 * they do not reach their limits, and the answer is that of motors without limit. */
static bool yielded_before(const pp_frame *f, const pp_solve_options *o, const pp_island *island) {
    for (int b = 0; o->yielded_block && b < island->p.nblock; b++)
        if (o->yielded_block[island->block[b]]) return true;
    return pp_motors_yielded(f, island);
}

static void note_yield(const pp_solve_options *o, const pp_island *island) {
    for (int b = 0; o->yielded_block && b < island->p.nblock; b++) o->yielded_block[island->block[b]] = true;
}

/* Figures of the rows of p: of an island, or what is left of it. NULL if memory is refused. */
static const pp_row_figure *figures_of(const pp_frame *f, const pp_island *island, const pp_redundant *rows,
                                       const perp_step_problem *q) {
    const pp_row_figure *all = f->solve.figure;
    bool left_out = rows->dropped > 0;
    if (all && !left_out && q->nblock == f->pose.problem.nblock) return all; /* all rows, in their order */
    pp_row_figure *own = PP_ARENA_ARRAY(&f->w->arena, pp_row_figure, PP_FIGURES(q));
    if (!all && own) pp_row_figures(q, NULL, &f->w->alloc, own);
    if (!all) return own;
    for (int j = 0; own && j < q->njoint; j++) own[j] = all[island->joint[left_out ? rows->index[j] : j]];
    for (int i = 0; own && i < 3 * q->ncontact; i++)
        own[q->njoint + i] = all[f->pose.problem.njoint + 3 * island->contact[i / 3] + i % 3];
    return own;
}

/* May the answer of this island miss the laws by o->allowed? Not if its joints are iterated too: their errors may be much smaller than
 * those of the gaps. Not with many contacts: answers of a long row of dominoes that push each other then wander from round to round. */
static bool may_miss(const pp_frame *f, const pp_solve_options *o, const pp_island *island) {
    return o->allowed && !(f->demand.joints && island->p.njoint) && island->p.ncontact <= PP_FEW_CONTACTS;
}

/* A trial at an island. Cone solvers do not get joint rows that others imply: t->p is the problem without them, of which `rows` tells. */
static bool new_trial(pp_frame *f, pp_island *island, const pp_solve_options *o, pp_redundant *rows, pp_trial *t) {
    pp_arena *a = &f->w->arena;
    *rows = (pp_redundant){0};
    if (pp_solved_as_cones(f->w, &island->p) && !pp_redundant_find(&island->p, a, rows)) return false;
    const perp_step_problem *p = rows->dropped > 0 ? &rows->kept : &island->p;
    const pp_row_figure *figure = figures_of(f, island, rows, p);
    if (!figure || !pp_trial_new(a, p, figure, t)) return false;
    if (rows->dropped > 0 && (!pp_solution_new(a, &island->p, &t->best) || !pp_solution_new(a, &island->p, &t->answer)))
        return false; /* room for all rows */
    t->o = o;
    t->island = island;
    for (int b = 0; may_miss(f, o, island) && b < island->p.nblock; b++)
        t->allowed = fmax(t->allowed, o->allowed[island->block[b]]);
    return true;
}

/* Converts the answer of the problem without the rows that were left out to one of the island. share: see pp_frame_solve */
static void restore_rows(const pp_redundant *rows, const pp_island *island, pp_trial *t, double *share) {
    if (rows->dropped == 0) return;
    pp_redundant_restore(rows, t->best.p_joint);
    t->residual = pp_step_residual_at(&island->p, &t->best, pp_step_scale(&island->p));
    memcpy(t->answer.p_joint, t->best.p_joint, (size_t)island->p.njoint * sizeof *t->best.p_joint);
    pp_redundant_share(rows, t->answer.p_joint);
    for (int i = 0; i < island->p.njoint; i++) share[island->joint[i]] = t->answer.p_joint[i] - t->best.p_joint[i];
}

/* Solves island k, and releases the memory it used. *residual: of the laws in the island. */
static perp_status solve_island(pp_frame *f, pp_island *island, int k, const perp_step_solution *recalled,
                                const pp_solve_options *o, perp_step_residual *residual) {
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    perp_status st = PERP_OK;
    const perp_joint_row *given =
        island->p.joint; /* rounds change a copy, which lives until the end of this function */
    pp_trial t;
    pp_redundant rows;
    if (!new_trial(f, island, o, &rows, &t)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
    t.memory = pp_island_memory(o->memory, k, &f->w->alloc);
    if (f->demand.joints && !f->demand.joints->linear && island->p.njoint && !island->p.ncontact && rows.dropped == 0 &&
        !(t.row = own_joints(a, &island->p.joint, island->p.njoint)))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d joint rows", island->p.njoint);
    double *b = PP_ARENA_ARRAY(a, double, island->p.njoint);
    if (!b) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d joint rows", island->p.njoint);
    for (int i = 0; i < island->p.njoint; i++) b[i] = given[i].b;
    if (recalled) pp_island_gather(island, recalled, &t.answer);
    if (recalled && rows.dropped > 0) pp_redundant_guess(&rows, t.answer.p_joint);
    if (recalled && !keep_guess(f, &t)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
    if (!recalled || !keep_answer(f, &t, island)) st = pp_trial_solve(f, &t, recalled != NULL);
    show(f, &t, k, st);
    restore_rows(&rows, island, &t, f->solve.share);
    pp_island_scatter(island, &f->pose.problem, &t.best, &f->solve.solution);
    report(f, &t);
    *residual = t.residual;
    char why[300];
    if (!st && pp_motors_contradict(f, island, residual, pp_trial_tolerance(f, &t), why, sizeof why))
        st = pp_fail(f->w, PERP_E_SOLVE,
                     "the laws have no solution at t = %g (h = %g), with %d contacts and %d joint rows%s", f->s0->t,
                     f->h, island->p.ncontact, island->p.njoint, why);
    if (st && t.row) /* the rows are posed again as they were */
        for (int i = 0; i < island->p.njoint; i++) f->pose.joint_row[island->joint[i]].b = b[i];
    island->p.joint = given;
    pp_arena_release(a, mark);
    return st;
}

/* Rows that contradict each other give way at the speeds that they require. If k rows of speed v push against each other through bodies,
 * their contradiction is k v. Compliances are fractions c of inverse masses, and a row takes c/sum c of the contradiction. A body whose mass is
 * small compared with the others has two of the rows, which take k v/2 each; in space k <= 4. So rows of bodies with speeds up to v may give
 * way at 2 v. A faster answer is not accepted: a lever would give way at a speed that no body has. */
static perp_status gives_too_fast(const pp_frame *f, const pp_island *island, const perp_step_residual *residual) {
    perp_step_residual rigid = {0};
    int rows;
    double give = pp_gave_way(f, island, &rigid, &rows), speed = pp_speed_scale(f, residual->scale);
    if (give <= 2 * speed) return PERP_OK;
    return pp_fail(f->w, PERP_E_SOLVE,
                   "a jammed contact or joint would give way at %.3g at t = %g (h = %g), more than twice the speeds of "
                   "the problem, %.3g",
                   give, f->s0->t, f->h, speed);
}

perp_status pp_solve_island(pp_frame *f, pp_island *island, int k, const perp_step_solution *recalled,
                            const pp_solve_options *o, perp_step_residual *residual) {
    double before = f->solve.acceptance;
    int jam = jammed_before(o, island);
    bool eased = jam > 0, yields = false, gives = false;
    const perp_joint_row *given = island->p.joint;
    perp_status made = yielded_before(f, o, island) ? pp_yield_motors(f, island, &yields) : PERP_OK;
    if (made) return made;
    perp_status st = eased ? PERP_E_SOLVE : solve_island(f, island, k, recalled, o, residual);
    if (st == PERP_E_SOLVE && o->no_lift) {
        made = stall(f, island, o, &eased);
        eased = eased || jam > 0;
    }
    if (!made && eased && jam < 2) {
        f->solve.acceptance = before;
        st = solve_island(f, island, k, recalled, o, residual);
    }
    yields = false;
    if (!made && st == PERP_E_SOLVE && jam < 2) made = pp_yield_motors(f, island, &yields);
    if (!made && yields) {
        note_yield(o, island);
        f->solve.acceptance = before;
        st = solve_island(f, island, k, recalled, o, residual);
    }
    if (!made && st == PERP_E_SOLVE && o->no_lift) made = pp_give_way(f, island, &gives);
    if (!made && (gives || jam == 2)) { /* nothing may be able to give way: then the island has not been solved yet */
        if (gives) note_jam(o, island, 2);
        f->solve.acceptance = before;
        st = solve_island(f, island, k, recalled, o, residual);
        if (!st) st = gives_too_fast(f, island, residual);
    }
    if (!made && !st && island->p.joint != given)
        pp_count_yields(f, island, given, f->w->def.tolerance * pp_speed_scale(f, residual->scale));
    return made ? made : st;
}

/* Solves the islands one after the other. If one island is the whole problem, its residual is that of the step: *measured. */
static perp_status solve_islands(pp_frame *f, pp_island *island, int n, const perp_step_solution *recalled,
                                 const pp_solve_options *o, bool *measured) {
    perp_status st = PERP_OK;
    for (int k = 0; !st && k < n; k++) {
        perp_step_residual residual;
        st = pp_solve_island(f, &island[k], k, recalled, o, &residual);
        *measured = !st && n == 1 && island->p.nblock == f->pose.problem.nblock;
        if (*measured) f->solve.residual = residual;
    }
    return st;
}

void pp_measure_step(pp_frame *f) {
    const perp_step_problem *p = &f->pose.problem;
    if (!f->solve.measured) f->solve.residual = perp_step_problem_residual(p, &f->solve.solution);
    f->solve.measured = true;
}

perp_status pp_solve_step(pp_frame *f, const pp_solve_options *o) {
    perp_world *w = f->w;
    pp_island *island;
    int n;
    f->solve.solution = (perp_step_solution){0};  /* the memory of the last round may be in use again */
    if (pp_told_to_stop(w)) return pp_stopped(w); /* a step may have many parts and rounds, each quickly solved */
    if (pp_budget_used(w, (double)f->pose.problem.nblock + f->pose.problem.njoint + f->pose.problem.ncontact))
        return pp_budget_fail(w);
    const perp_solver_type *before =
        o->recall ? f->solve.used : NULL; /* in case every island keeps the answer of that round */
    f->solve.used = NULL;
    f->solve.stalled = NULL;
    f->solve.lent_contact = f->solve.lent_joint = NULL;
    f->solve.motor_yields = 0;
    f->solve.acceptance = 0;
    perp_step_solution recalled;
    f->solve.share = PP_ARENA_ZERO(&w->arena, double, f->pose.problem.njoint);
    pp_row_figure *figure = PP_ARENA_ARRAY(&w->arena, pp_row_figure, PP_FIGURES(&f->pose.problem));
    bool got = figure && f->solve.share && pp_solution_new(&w->arena, &f->pose.problem, &f->solve.solution);
    if (figure) pp_row_figures(&f->pose.problem, o->memory, &w->alloc, figure);
    f->solve.figure = figure;
    f->solve.figured[0] = f->pose.problem.njoint;
    f->solve.figured[1] = f->pose.problem.ncontact;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    const perp_contact_row *contact = f->pose.problem.contact;
    const perp_joint_row *joint = f->pose.problem.joint;
    perp_status st = pp_islands_split(&f->pose.problem, &w->arena, &island, &n);
    if (!got || st || !pp_solution_new(&w->arena, &f->pose.problem, &recalled))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    bool guess = w->def.warm_start && f->purpose == PP_STEP && (w->warm.ncontact || w->warm.njoint);
    if (guess) pp_recall(f, o->recall, &recalled);
    perp_step_problem free_blocks = f->pose.problem; /* without rows: the velocities of bodies in no island */
    free_blocks.njoint = free_blocks.ncontact = 0;
    pp_step_velocity(&free_blocks, NULL, NULL, f->solve.solution.nu);
    bool measured = false;
    st = solve_islands(f, island, n, guess ? &recalled : NULL, o, &measured);
    if (!f->solve.used) f->solve.used = before;
    f->solve.measured = measured;
    if (!o->measure_later) pp_measure_step(f);
    /* rows that were posed again (driven bodies that stall, motors that yield, rows that give way) lie behind the mark */
    if (!st && f->pose.problem.contact == contact && f->pose.problem.joint == joint) pp_arena_release(&w->arena, mark);
    return st;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction_solve.c - solves a disjunctive step island by island with a fallback chain of solvers
 * Problem  There is no theorem that the problem has a solution or that a method finds it (Williams 4.8). It may have many solutions.
 * Method   An island without I and X is an ordinary contact problem (stage/solve/solve_step.c). For the others:
 *          1 The first of the world's solvers on both forms (disjunction.h), from the impulses of the last step and from zero.
 *          2 Ordinary problems with chosen sides (disjunction_sides.c). They also improve a near solution of a solver to full accuracy.
 *          3 The other solvers, then fischer-newton and path-search if they are not among the world's; fischer-newton also from random
 *            start points.
 *          Each try may use a fraction of the remaining work. A solution counts only if its residual is within tolerance. The best one is
 *          kept for the report. */
#include <math.h>
#include <string.h>

#include "method/disjunction/disjunction.h"
#include "stage/contact_model.h"
#include "problem/rows.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/solve_step.h"
#include "stage/stepper.h"
#include "model/budget.h"
#include "stage/solve/solve.h"

/* [1] Fraction of the available work that a solver may use on one form. Harder problems are better solved with chosen
 * sides or in a shorter substep. With the default limit it is enough for three runs of Lemke's method on 700 unknowns. */
#define FOR_FORM (1.0 / 8)
/* [starts] Random start points of fischer-newton on the exact form. path-search has its own restarts. */
#define RESTARTS 4
/* [1] A solution with a smaller residual has the correct basis. */
#define NEAR_SOLUTION 1e-4

typedef struct attempts {
    pp_frame *f;
    pp_island *island;
    int number; /* index of the island */
    const perp_step_problem *p;
    const pp_disjunction *d;
    perp_step_solution best, answer;
    pp_judge_room room;
    double acceptance;
    perp_step_residual residual;
    const perp_solver_type *used;
    perp_solve_info info;
    int iterations, fallbacks, unknowns;
} attempts;

/* Residuals of a solution. The normal one is that of the disjunction. */
static perp_step_residual measure(const perp_step_problem *p, const pp_disjunction *d, const perp_step_solution *s) {
    perp_step_residual r = perp_step_problem_residual(p, s);
    r.normal = pp_disjunction_residual(d, p, s);
    return r;
}

/* Keeps the solution in t->answer if it is the best so far. @return its relative residual */
static double keep(attempts *t, const perp_solver_type *solver, const perp_solve_info *info) {
    perp_step_residual r = measure(t->p, t->d, &t->answer);
    double a = pp_acceptance(t->f, t->p, &t->answer, &r, t->f->w->def.tolerance, &t->room);
    t->iterations += info->iterations;
    if (t->used && !(a < t->acceptance)) return a;
    perp_step_solution old = t->best;
    t->best = t->answer;
    t->answer = old;
    t->acceptance = a;
    t->residual = r;
    t->info = *info;
    t->used = solver;
    return a;
}

/* Runs a solver from z and keeps the solution if it is the best so far. *latest: its relative residual. */
static perp_status attempt(attempts *t, const pp_mixed *m, const perp_solver_type *solver, const void *settings,
                           double *z, double *latest) {
    pp_arena *arena = &t->f->w->arena;
    perp_solve_info info = {0};
    perp_call call = pp_call_within(t->f->w);
    perp_status st = pp_solve_call(&call, solver, settings, &m->problem, z, &info);
    if (t->f->w->run.stopped) return pp_stopped(t->f->w);
    if (!st) st = pp_mixed_recover(m, z, arena, &t->answer);
    if (st) return st;
    *latest = keep(t, solver, &info);
    return PERP_OK;
}

/* The k-th random start: impulses of the size that each contact alone would need. The same numbers in every run. */
static void random_start(const pp_mixed *m, int k, double *zb) {
    uint64_t x = 0x9e3779b97f4a7c15u * (uint64_t)(k + 1);
    for (int i = 0; i < m->base.n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        double u = (double)(x >> 11) * 0x1p-53;
        zb[i] = i < m->d->ncontact && u > 0.5 ? (2 * u - 1) * 2 * fabs(m->base.q[i]) * m->base.z_scale[i] : 0;
    }
}

/* Tries one solver on one form from all its start points. zb: base.n numbers of scratch. */
static perp_status try_form(attempts *t, const pp_mixed *m, const perp_solver_type *solver, const void *settings,
                            const perp_step_solution *recalled, int starts, double *z, double *zb) {
    perp_world *w = t->f->w;
    for (int k = recalled ? -2 : -1; k < starts; k++) {
        if (k == -2) {
            pp_guess(&m->base, recalled->p_joint, recalled->p_contact, recalled->sigma, zb);
            pp_mixed_guess(m, zb, z);
        } else if (k == -1) {
            memset(z, 0, sizeof *z * (size_t)m->n);
        } else {
            random_start(m, k, zb);
            pp_mixed_guess(m, zb, z);
        }
        pp_arena_mark mark = pp_arena_here(&w->arena);
        double latest = INFINITY, limit = w->run.work.limit;
        if (limit < INFINITY) w->run.work.limit = w->run.work.done + FOR_FORM * fmax(0, limit - w->run.work.done);
        perp_status st = attempt(t, m, solver, settings, z, &latest);
        if (!st && latest > w->def.tolerance && latest < NEAR_SOLUTION && solver != &pp_solver_lemke) {
            pp_settings exact; /* correct basis, but not accurate yet */
            pp_settings_default(&pp_solver_lemke, 0, &exact);
            st = attempt(t, m, &pp_solver_lemke, &exact, z, &latest);
        }
        w->run.work.limit = limit;
        pp_arena_release(&w->arena, mark);
        if (st == PERP_E_STOPPED) return st;
        if (st) return pp_fail(w, st, "solver %s: %s", solver->name, perp_status_text(st));
        if (t->acceptance <= w->def.tolerance) break;
    }
    return PERP_OK;
}

/* The solvers of the world, then two more. */
typedef struct chain {
    const perp_solver_type *solver[PERP_FALLBACK_MAX + 3];
    const void *settings[PERP_FALLBACK_MAX + 3];
    pp_settings own[2];
    int n;
} chain;

/* [unknowns] Largest problem for the solver `enumerate`, which tries all bases with one linear solve each. */
#define ENUMERATE_MOST 12

/* Can the method work on a non-monotone matrix with zeros on its diagonal? Splitting and interior-point methods cannot
 * and would only cost time. */
static bool can_solve(const perp_solver_type *s, int n) {
    const perp_solver_type *const not [] = {
        &pp_solver_pgs,         &pp_solver_jacobi,       &pp_solver_psor,           &pp_solver_nncg,
        &pp_solver_fixed_point, &pp_solver_gauss_seidel, &pp_solver_interior_point, &pp_solver_accelerated_gradient,
    };
    if (!(s->takes & (unsigned)PERP_LCP) || (s == &pp_solver_enumerate && n > ENUMERATE_MOST)) return false;
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (s == not [i]) return false;
    return true;
}

/* [unknowns] Largest problem for the added solvers, which also have small limits. Many problems that Lemke's method
 * does not solve have no solution at all, and halving the step is cheaper. */
#define ADDED_MOST 250
static const perp_setting patience[] = {{"restarts", 1}, {"max_steps", 100}, {"max_major", 30}};

static void make_chain(const perp_world *w, int n, chain *c) {
    const perp_solver_type *const more[2] = {&pp_solver_fischer_newton, &pp_solver_path_search};
    c->n = 0;
    for (int i = 0; i < w->chosen.nsolver; i++) {
        if (!can_solve(w->chosen.solver[i], n)) continue;
        c->settings[c->n] = w->chosen.settings[i].bytes;
        c->solver[c->n++] = w->chosen.solver[i];
    }
    for (int k = 0; k < 2; k++) {
        bool there = false;
        for (int i = 0; i < c->n; i++) there |= c->solver[i] == more[k];
        if (there || n > ADDED_MOST) continue;
        pp_settings_default(more[k], 0, &c->own[k]);
        /* fields that the solver does not have are ignored */
        for (size_t m = 0; m < sizeof patience / sizeof *patience; m++)
            (void)perp_fields_set(more[k]->fields, more[k]->nfield, &c->own[k], patience[m].name, patience[m].value);
        c->settings[c->n] = c->own[k].bytes;
        c->solver[c->n++] = more[k];
    }
}

/* No complementarity conditions: a linear solve eliminates the joints. */
static perp_status solve_joints(attempts *t, const pp_mixed *m, const double *z) {
    perp_world *w = t->f->w;
    if (pp_mixed_recover(m, z, &w->arena, &t->best)) return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    t->residual = measure(t->p, t->d, &t->best);
    t->acceptance = pp_acceptance(t->f, t->p, &t->best, &t->residual, t->f->w->def.tolerance, &t->room);
    if (t->acceptance <= w->def.tolerance) return PERP_OK;
    return pp_fail(w, PERP_E_SOLVE, "the joints could not be solved at t = %g: residual %.3g of the speed scale",
                   t->f->s0->t, t->acceptance);
}

/* Copies the arrays of a solution. */
static void copy_answer(const perp_step_problem *p, const perp_step_solution *from, perp_step_solution *to) {
    memcpy(to->nu, from->nu, (size_t)p->ndof * sizeof *to->nu);
    memcpy(to->p_joint, from->p_joint, (size_t)p->njoint * sizeof *to->p_joint);
    memcpy(to->p_contact, from->p_contact, 3 * (size_t)p->ncontact * sizeof *to->p_contact);
    memcpy(to->sigma, from->sigma, (size_t)p->ncontact * sizeof *to->sigma);
    memcpy(to->p_spin, from->p_spin, (size_t)p->ncontact * sizeof *to->p_spin);
    memcpy(to->p_roll, from->p_roll, 2 * (size_t)p->ncontact * sizeof *to->p_roll);
}

static bool accepts(const perp_step_solution *s, void *ctx) {
    attempts *t = ctx;
    perp_solve_info info = {.outcome = PERP_OUTCOME_SOLVED, .solver = t->f->w->chosen.solver[0]->name};
    copy_answer(t->p, s, &t->answer);
    (void)keep(t, t->f->w->chosen.solver[0], &info);
    return t->acceptance <= t->f->w->def.tolerance;
}

/* Solves ordinary problems with chosen sides, from the best solution so far. */
static perp_status try_sides(attempts *t) {
    perp_step_solution from;
    if (!pp_solution_new(&t->f->w->arena, t->p, &from))
        return pp_fail(t->f->w, PERP_E_MEMORY, "out of memory for the solution");
    bool near = t->used && t->acceptance < NEAR_SOLUTION;
    if (near) copy_answer(t->p, &t->best, &from);
    t->fallbacks++;
    const pp_sides_judge judge = {accepts, t};
    return pp_disjunction_sides(t->f, t->d, t->island, t->number, near ? &from : NULL, &judge);
}

static perp_status solve_one(attempts *t, const perp_step_solution *recalled) {
    perp_world *w = t->f->w;
    pp_mixed form[2] = {0};
    bool slacks = t->d->gamma > 0;
    int forms = t->d->ngroup > 0 && !slacks ? 2 : 1;
    for (int k = 0; k < forms; k++) {
        pp_disjunction_form as = slacks ? PP_DISJUNCTION_SLACKS : k ? PP_DISJUNCTION_EXACT : PP_DISJUNCTION_PUSHING;
        perp_status st = pp_mixed_build(t->p, t->d, as, &w->arena, &form[k]);
        if (st) return pp_fail(w, st, "the step problem could not be formed: %s", perp_status_text(st));
    }
    t->unknowns = form[forms - 1].n;
    double *z = PP_ARENA_ARRAY(&w->arena, double, t->unknowns + form[0].n);
    double *zb = PP_ARENA_ZERO(&w->arena, double, form[0].base.n);
    if (!z || !zb) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", t->unknowns);
    if (form[0].n == 0) return solve_joints(t, &form[0], z);
    chain c;
    make_chain(w, t->unknowns, &c);
    for (int i = 0; i <= c.n; i++) {
        if (i == (c.n > 0)) { /* after the first solver */
            perp_status st = try_sides(t);
            if (st) return st;
            if (t->acceptance <= w->def.tolerance) return PERP_OK;
        }
        if (i == c.n) break;
        int starts = c.solver[i] == &pp_solver_fischer_newton ? RESTARTS : 0;
        if (i > 0) t->fallbacks++;
        for (int k = 0; k < forms; k++) {
            perp_status st =
                try_form(t, &form[k], c.solver[i], c.settings[i], recalled, k || slacks ? starts : 0, z, zb);
            if (st) return st;
            if (t->acceptance <= w->def.tolerance) return PERP_OK;
        }
    }
    return pp_fail(w, PERP_E_SOLVE,
                   "no solver met the laws of %s at t = %g (h = %g): best is %s (%s) with residual %.3g of "
                   "the speed scale, allowed %.3g; %d contacts, %d groups",
                   t->d->gamma > 0 ? w->chosen.stepper->name : w->chosen.model->name, t->f->s0->t, t->f->h,
                   t->used ? t->used->name : "none", perp_outcome_text(t->info.outcome), t->acceptance,
                   w->def.tolerance, t->p->ncontact, t->d->ngroup);
}

/* Extracts the constraints of an island. where: scratch, ncontact of the whole problem. */
static bool constraints_of_island(const pp_disjunction *d, const pp_island *island, int *where, pp_arena *a,
                                  pp_disjunction *out) {
    int n = island->p.ncontact;
    *out = (pp_disjunction){.ncontact = n,
                            .slack = d->slack,
                            .gamma = d->gamma,
                            .plain = PP_ARENA_ARRAY(a, bool, n),
                            .group = PP_ARENA_ARRAY(a, pp_group, d->ngroup),
                            .member = PP_ARENA_ARRAY(a, int, d->nmember)};
    if (!out->plain || !out->group || !out->member) return false;
    for (int i = 0; i < d->ncontact; i++) where[i] = -1;
    for (int i = 0; i < n; i++) {
        where[island->contact[i]] = i;
        out->plain[i] = d->plain[island->contact[i]];
    }
    for (int g = 0; g < d->ngroup; g++) { /* all contacts of a group belong to one pair, so to one island */
        const pp_group *whole = &d->group[g];
        if (where[d->member[whole->first]] < 0) continue;
        out->group[out->ngroup++] = (pp_group){out->nmember, whole->count, whole->primary};
        for (int k = 0; k < whole->count; k++) out->member[out->nmember++] = where[d->member[whole->first + k]];
    }
    return true;
}

/* [unknowns] Largest problem of an island. Every feature within the travel of a step is a contact, so their number
 * grows with the square of the speed, and pivoting is dense. A larger problem is not posed: in a shorter substep fewer
 * features are within reach. */
#define MOST_UNKNOWNS 2000 /* a matrix of 32 MB; pivoting takes some seconds */
static int unknowns_of(const perp_step_problem *p, const pp_disjunction *d) {
    int n = d->nmember;
    for (int i = 0; i < p->ncontact; i++) n += p->contact[i].mu > 0 ? 2 + p->contact[i].nd : 1;
    return n;
}

static void report(pp_frame *f, const attempts *t) {
    f->solve.iterations += t->iterations;
    f->solve.fallbacks += t->fallbacks;
    if (t->unknowns > f->solve.unknowns) f->solve.unknowns = t->unknowns;
    if (t->used && (!f->solve.used || !(t->acceptance <= f->solve.acceptance))) {
        f->solve.used = t->used;
        f->solve.info = t->info;
    }
    if (!(t->acceptance <= f->solve.acceptance)) f->solve.acceptance = t->acceptance;
}

static void show(const attempts *t, int island, perp_status st, const perp_step_solution *recalled) {
    const perp_world *w = t->f->w;
    if (!w->run.capture.look || (st && st != PERP_E_SOLVE)) return;
    perp_step_solution guess = recalled ? *recalled : (perp_step_solution){0};
    guess.nu = NULL; /* solvers start from impulses */
    perp_captured c = {.problem = t->p,
                       .solution = &t->best,
                       .info = &t->info,
                       .accepted = !st,
                       .residual = t->acceptance,
                       .t = t->f->s0->t,
                       .step = w->state.step,
                       .island = island,
                       .guess = recalled ? &guess : NULL};
    w->run.capture.look(&c, w->run.capture.ctx);
}

static perp_status solve_island(pp_frame *f, const pp_disjunction *d, pp_island *island, int number,
                                const perp_step_solution *recalled, int *where) {
    pp_arena *a = &f->w->arena;
    pp_disjunction part;
    attempts t = {.f = f,
                  .island = island,
                  .number = number,
                  .p = &island->p,
                  .d = &part,
                  .room = {.rows = PP_ARENA_ARRAY(a, double, island->p.njoint),
                           .dofs = PP_ARENA_ARRAY(a, double, island->p.ndof)},
                  .acceptance = INFINITY,
                  .info = {.solver = ""}};
    perp_step_solution mine;
    perp_step_residual residual;
    if (!t.room.rows || !t.room.dofs || !constraints_of_island(d, island, where, a, &part) ||
        !pp_solution_new(a, &island->p, &t.best) || !pp_solution_new(a, &island->p, &t.answer) ||
        !pp_solution_new(a, &island->p, &mine))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
    int unknowns = unknowns_of(&island->p, &part);
    if (unknowns > MOST_UNKNOWNS)
        return pp_fail(f->w, PERP_E_SOLVE,
                       "%d contacts within the travel of a step at t = %g (h = %g) make a problem of %d unknowns, more "
                       "than %d: the contact model needs a smaller step, slower bodies or shapes with fewer features",
                       island->p.ncontact, f->s0->t, f->h, unknowns, MOST_UNKNOWNS);
    if (part.ngroup == 0)
        return pp_solve_island(f, island, number, recalled, &(pp_solve_options){.no_lift = f->method.jammed},
                               &residual);
    if (recalled) pp_island_gather(island, recalled, &mine);
    perp_status st = solve_one(&t, recalled ? &mine : NULL);
    show(&t, number, st, recalled ? &mine : NULL);
    pp_island_scatter(island, &f->pose.problem, &t.best, &f->solve.solution);
    report(f, &t);
    return st;
}

perp_status pp_disjunction_solve(pp_frame *f, const pp_disjunction *d) {
    perp_world *w = f->w;
    pp_island *island;
    int n;
    f->solve.solution = (perp_step_solution){0}; /* the memory of the last round's solution may be reused already */
    f->solve.share = NULL;
    if (pp_told_to_stop(w)) return pp_stopped(w);
    if (pp_budget_used(w, (double)f->pose.problem.nblock + f->pose.problem.njoint + f->pose.problem.ncontact))
        return pp_budget_fail(w);
    f->solve.used = NULL;
    f->solve.figure = NULL; /* islands may lack contacts */
    f->solve.stalled = NULL;
    f->solve.lent_contact = f->solve.lent_joint = NULL;
    f->solve.motor_yields = 0;
    f->solve.acceptance = 0;
    int *where = PP_ARENA_ARRAY(&w->arena, int, d->ncontact);
    perp_step_solution recalled;
    perp_status st = pp_islands_split(&f->pose.problem, &w->arena, &island, &n);
    if (st || !where || !pp_solution_new(&w->arena, &f->pose.problem, &f->solve.solution) ||
        !pp_solution_new(&w->arena, &f->pose.problem, &recalled))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    bool guess = w->def.warm_start && (w->warm.ncontact || w->warm.njoint);
    if (guess) pp_recall(f, NULL, &recalled);
    perp_step_problem free_blocks = f->pose.problem; /* bodies in no island: a problem without rows */
    free_blocks.njoint = free_blocks.ncontact = 0;
    pp_step_velocity(&free_blocks, NULL, NULL, f->solve.solution.nu);
    for (int k = 0; !st && k < n; k++) {
        pp_arena_mark mark = pp_arena_here(&w->arena);
        const perp_contact_row *contact = f->pose.problem.contact;
        const perp_joint_row *joint = f->pose.problem.joint;
        st = solve_island(f, d, &island[k], k, guess ? &recalled : NULL, where);
        /* keep the memory if it contains changed rows of yielding motors or stalled driven bodies */
        if (f->pose.problem.contact == contact && f->pose.problem.joint == joint) pp_arena_release(&w->arena, mark);
    }
    f->solve.residual = measure(&f->pose.problem, d, &f->solve.solution);
    return st;
}

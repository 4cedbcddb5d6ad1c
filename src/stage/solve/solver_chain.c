/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_chain.c - the step problem of one island through the chain of solvers
 *
 * The first solver starts from the impulses of the last step, then from zero; then the fallbacks of the chain follow. Whatever
 * a solver reports about itself, its answer counts only if the laws, measured on the step problem, hold to tolerance. If no
 * answer does, the best one is kept for the report. Large islands in the plane go to `auto` first, as cones (as_cones). */
#include "stage/solve/solver_chain.h"

#include <string.h>

#include "base/rounding.h"
#include "problem/rows.h"
#include "problem/convert/cone_condensed.h"
#include "problem/convert/to_cone.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/joint_rounds.h"
#include "stage/solve/step_contradiction.h"
#include "stage/stepper.h"
#include "model/budget.h"
#include "solver/auto/auto.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Default tolerance of a world. Half: work +3 %; double: no effect. */
#define USUAL 1e-8
/* [1] Finest tolerance that a solver is asked for first. Half and double: other bits only. */
#define COMMON_TOL 1e-12
/* [1] Coarsest tolerance that a solver is asked for. Half and double: no effect. */
#define LOOSEST_TOL 1e-3
/* [tries] Number of times that the tolerance of a solver, or a linear answer, is refined; each leaves the rounding of
 * its increment. Half and double: no effect. */
#define MAX_REFININGS 3
/* [rows] Number of frictionless contacts and joints up to which pivoting, which is exact, costs no more than other methods. Half: work +10
 * %; double: no effect. */
#define FEW_ROWS 60
/* [1] If the best complementary basis has a residual above this many tolerances, the problem has no answer. Eliminating the joints costs
 * fewer digits than that. */
#define BEST_BASIS 100

/* [1] Largest b of an open row that solvers see, as a multiple of the speeds of the problem: the finest tolerance of solvers, PP_FINEST_TOL
 * of the largest b, is then a hundredth of the usual tolerance of the world. Half and double: no effect on law.row_scales; at twenty times
 * this value its rows need a fallback. */
#define FAR_OPEN (0.01 * USUAL / PP_FINEST_TOL)

/* A step problem in the form that a solver takes. */
typedef struct posed {
    const perp_step_problem *step; /* as solvers see it: see within_reach() */
    bool cone;
    pp_converted linear;          /* LCP, mixed LCP */
    pp_step_cone cones;           /* if cone */
    pp_cone_condensed *condensed; /* if cone: without bilateral rows; NULL: with all rows */
    const perp_problem *problem;
    int n; /* unknowns */
} posed;

/* Is this joint row one-sided and open at rest by more than `far` [L/T]? */
static bool joint_far(const perp_step_problem *p, const perp_joint_row *r, double far) {
    double b = r->lo >= 0 ? r->b : r->hi <= 0 ? -r->b : 0;
    return b > 0 && pp_row_length(p, &r->row) * b > far;
}

static bool any_far(const perp_step_problem *p, double far) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].b_n > far) return true;
    for (int j = 0; j < p->njoint; j++)
        if (joint_far(p, &p->joint[j], far)) return true;
    return false;
}

/* b of an open contact or limit is its distance divided by h, which has no bound in a short substep. Tolerances of solvers are relative
 * to the largest b, so they would not resolve the speeds of bodies at rest. Solvers therefore see a smaller b, with which the row stays open
 * as well. Answers are measured with the rows as they are. @return NULL if memory is refused */
static const perp_step_problem *within_reach(const perp_step_problem *p, double far, pp_arena *a) {
    if (!any_far(p, far)) return p;
    perp_step_problem *q = PP_ARENA_ARRAY(a, perp_step_problem, 1);
    perp_contact_row *contact = PP_ARENA_ARRAY(a, perp_contact_row, p->ncontact);
    perp_joint_row *joint = PP_ARENA_ARRAY(a, perp_joint_row, p->njoint);
    if (!q || !contact || !joint) return NULL;
    *q = *p;
    q->contact = contact;
    q->joint = joint;
    for (int i = 0; i < p->ncontact; i++) {
        contact[i] = p->contact[i];
        contact[i].b_n = fmin(contact[i].b_n, far);
    }
    for (int j = 0; j < p->njoint; j++) {
        joint[j] = p->joint[j];
        if (joint_far(p, &joint[j], far)) joint[j].b = copysign(far / pp_row_length(p, &joint[j].row), joint[j].b);
    }
    return q;
}

static perp_status pose(const pp_frame *f, const pp_trial *t, perp_class cls, posed *c) {
    pp_arena *arena = &f->w->arena;
    c->step = within_reach(t->p, FAR_OPEN * pp_speed_scale(f, t->scale), arena);
    if (!c->step) return PERP_E_MEMORY;
    c->cone = cls == PERP_CONE;
    c->condensed = NULL;
    perp_status st = c->cone ? pp_step_to_cone(c->step, arena, &c->cones) : pp_convert(c->step, cls, arena, &c->linear);
    c->problem = c->cone ? &c->cones.problem : &c->linear.problem;
    c->n = c->cone ? c->cones.n : c->linear.n;
    return st;
}

static void guess_from(const posed *c, const perp_step_solution *last, double *z) {
    if (c->cone)
        pp_step_cone_guess(&c->cones, last, z);
    else
        pp_guess(&c->linear, last->p_joint, last->p_contact, last->sigma, z);
}

static void recover_cones(const posed *c, const double *z, perp_step_solution *out) {
    pp_step_cone_recover(&c->cones, c->condensed ? pp_cone_condensed_expand(c->condensed, z) : z, out);
}

static perp_status recover(const posed *c, const double *z, pp_arena *arena, perp_step_solution *out) {
    if (!c->cone) return pp_recover(&c->linear, z, arena, out);
    recover_cones(c, z, out);
    return PERP_OK;
}

double pp_trial_tolerance(const pp_frame *f, const pp_trial *t) {
    return f->w->def.tolerance * fmax(t->allowed, t->o->slack);
}

double pp_trial_measure(const pp_frame *f, const pp_trial *t, const perp_step_solution *s, perp_step_residual *r) {
    *r = pp_step_residual_by(t->p, t->room.figure, s, t->scale);
    return pp_acceptance(f, t->p, s, r, pp_trial_tolerance(f, t), &t->room);
}

bool pp_trial_new(pp_arena *a, const perp_step_problem *p, const pp_row_figure *figure, pp_trial *t) {
    *t = (pp_trial){.p = p,
                    .room = {PP_ARENA_ARRAY(a, double, p->njoint), PP_ARENA_ARRAY(a, double, p->ndof), figure},
                    .allowed = 1,
                    .scale = pp_step_scale_by(p, figure),
                    .acceptance = INFINITY};
    return t->room.rows && t->room.dofs && pp_solution_new(a, p, &t->best) && pp_solution_new(a, p, &t->answer);
}

/* The context of is_enough(): the solver asks whether the world accepts a point that misses the solver's own tolerance. */
typedef struct judge {
    const pp_frame *f;
    pp_trial *t;
    const posed *c;
} judge;

static bool is_enough(const double *z, void *ctx) {
    judge *j = ctx;
    perp_step_residual r;
    recover_cones(j->c, z, &j->t->answer);
    return pp_trial_measure(j->f, j->t, &j->t->answer, &r) <= pp_trial_tolerance(j->f, j->t);
}

/* Runs one solver and recovers its answer into t->answer. info->residual is measured by the judge, without the heap. A cone solver may ask
 * whether the world accepts its current point. */
static perp_status run_solver(const pp_frame *f, pp_trial *t, const posed *c, const perp_solver_type *solver,
                              const void *settings, double *z, perp_solve_info *info) {
    pp_arena *arena = &f->w->arena;
    perp_call call = pp_call_within(f->w);
    if (t->o->loads != PP_LOADS_ANY) call.loads = t->o->loads;
    if (f->purpose == PP_START_FORCED || f->purpose == PP_START_FREE)
        call.loads = PP_LOADS_LATER; /* only velocities are wanted */
    judge j = {f, t, c};
    if (c->cone) {
        call.enough = is_enough;
        call.enough_ctx = &j;
        call.ask_early = t->allowed > 1;
    }
    perp_status st = c->cone ? pp_solve_within(&call, solver, settings, c->problem, z, info)
                             : pp_solve_call(&call, solver, settings, c->problem, z, info);
    if (f->w->run.stopped) return PERP_E_STOPPED;
    if (!st) st = recover(c, z, arena, &t->answer);
    if (!st && c->cone) info->residual = pp_step_cone_residual(&c->cones, &t->answer, t->room.figure);
    return st;
}

void pp_trial_keep(pp_trial *t, double a, const perp_step_residual *r) {
    perp_step_solution old = t->best;
    t->best = t->answer;
    t->answer = old;
    t->acceptance = a;
    t->residual = *r;
}

/* Runs one solver, recovers and measures its answer, and keeps it if it is the best so far. *latest: its acceptance. */
static perp_status attempt(const pp_frame *f, pp_trial *t, const posed *c, int which, const void *settings, double *z,
                           double *latest) {
    perp_world *w = f->w;
    perp_solve_info info = {0};
    perp_status st = run_solver(f, t, c, w->chosen.solver[which], settings, z, &info);
    if (st) return st;
    perp_step_residual r;
    double a = *latest = pp_trial_measure(f, t, &t->answer, &r);
    t->iterations += info.iterations;
    t->outcome = info.outcome;
    if (!t->used || a < t->acceptance) {
        pp_trial_keep(t, a, &r);
        t->info = info;
        t->used = w->chosen.solver[which];
    }
    return PERP_OK;
}

/* Most methods gain many digits per step, so more digits than needed are cheap. A world with a loose tolerance pays for each digit: its
 * solvers get the tolerance that it needs, and a slightly finer one if the answer is not accepted. */
static bool pays_for_digits(const pp_frame *f) { return f->w->def.tolerance > USUAL; }
static double safety(const pp_frame *f) { return pays_for_digits(f) ? 0.8 : 0.3; }
static double least_gain(const pp_frame *f) { return pays_for_digits(f) ? 0.5 : 0.1; }

/* A cone solver stops by a unit-free measure: residuals relative to the largest impulse. The world limits velocities. Returns the world's
 * tolerance in units of that measure; a light body between heavy ones needs a finer one. The impulses are those of the guess, or those that
 * each row alone would need. */
static double needed_tol(const pp_frame *f, const pp_trial *t, const perp_step_problem *p) {
    const perp_step_solution *guess = &t->answer; /* zeros if there is no guess */
    const pp_row_figure *known = t->room.figure;
    double impulse = 0, lightest = 0, scale = t->scale, *nu = t->room.dofs;
    perp_step_problem free = *p;
    free.njoint = free.ncontact = 0;
    pp_step_velocity(&free, NULL, NULL, nu); /* velocity without impulses */
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        double mass = known ? known[p->njoint + 3 * i].inverse : pp_row_inverse_mass(p, &c->n),
               W = mass + c->compliance, q = pp_row_dot(p, &c->n, nu) + c->b_n;
        if (mass > lightest) lightest = mass;
        if (W > 0) impulse = fmax(impulse, fmax(fabs(q) / W, fabs(guess->p_contact[3 * i])));
    }
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        double mass = known ? known[j].inverse : pp_row_inverse_mass(p, &r->row), W = mass + r->compliance,
               q = pp_row_dot(p, &r->row, nu) + r->b;
        if (mass > lightest) lightest = mass;
        if (W > 0) impulse = fmax(impulse, fmax(fabs(q) / W, fabs(guess->p_joint[j])));
    }
    double speed = impulse * lightest, wanted = pays_for_digits(f) ? pp_trial_tolerance(f, t) : f->w->def.tolerance;
    return speed > 0 ? safety(f) * wanted * pp_speed_scale(f, scale) / speed : INFINITY;
}

/* Runs a solver on cones with the tolerance that the world needs. While the solver reports success and the world does not accept the
 * answer, the tolerance becomes finer. */
static perp_status attempt_cone(const pp_frame *f, pp_trial *t, const posed *c, int which, double needed, double *z) {
    const perp_world *w = f->w;
    const perp_solver_type *s = w->chosen.solver[which];
    pp_settings settings;
    memcpy(&settings, w->chosen.settings[which].bytes, sizeof settings);
    double tol = 0, latest = INFINITY;
    bool has_tol = !perp_fields_get(s->fields, s->nfield, &settings, "tol", &tol);
    if (has_tol) {
        /* a world with a loose tolerance does not pay for a finer one */
        tol = pays_for_digits(f) ? fmax(tol, fmin(needed, LOOSEST_TOL)) : fmin(tol, fmax(needed, COMMON_TOL));
        (void)perp_fields_set(s->fields, s->nfield, &settings, "tol",
                              tol); /* if it is out of range, the solver keeps its own */
    }
    perp_status st = attempt(f, t, c, which, &settings, z, &latest);
    double gain = least_gain(f);
    for (int k = 0; !st && has_tol && k < MAX_REFININGS && latest > pp_trial_tolerance(f, t) && tol > PP_FINEST_TOL;
         k++) {
        if (t->outcome != PERP_OUTCOME_SOLVED || !isfinite(latest)) break;
        if (c->condensed && !pp_cone_condensed_holds(c->condensed)) break;
        double before = latest;
        tol = fmax(PP_FINEST_TOL, tol * fmin(gain, 0.3 * pp_trial_tolerance(f, t) / latest));
        if (perp_fields_set(s->fields, s->nfield, &settings, "tol", tol)) break; /* finer than the solver allows */
        st = attempt(f, t, c, which, &settings, z, &latest);
        if (!(latest <= before)) break;
        if (latest == before) gain *= gain; /* the answer had more digits than requested */
    }
    return st;
}

static bool bilateral_only(const perp_step_problem *p) {
    if (p->ncontact) return false;
    for (int i = 0; i < p->njoint; i++)
        if (isfinite(p->joint[i].lo) || isfinite(p->joint[i].hi)) return false;
    return true;
}

static bool frictionless(const perp_step_problem *p) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].mu > 0 && p->contact[i].nd != 0) return false;
    return true;
}

/* Few contacts, none of them with friction: the problem is an LCP, if all solvers of the chain take LCPs. */
static bool smooth_and_few(const perp_world *w, const perp_step_problem *p) {
    if (p->ncontact + p->njoint > FEW_ROWS || !frictionless(p)) return false;
    for (int i = 0; i < w->chosen.nsolver; i++)
        if (!(w->chosen.solver[i]->takes & PERP_LCP)) return false;
    return true;
}

static perp_class class_of(const perp_world *w, const perp_step_problem *p) {
    perp_form form = w->def.form;
    if (form == PERP_FORM_LCP || bilateral_only(p)) return PERP_LCP;
    if (form == PERP_FORM_CONE && smooth_and_few(w, p)) return PERP_LCP;
    return form == PERP_FORM_MLCP ? PERP_MLCP : PERP_CONE;
}

/* Without complementary rows the joints are eliminated by a linear solve. */
static perp_status solve_joints(pp_frame *f, pp_trial *t, const posed *c, const double *z) {
    perp_world *w = f->w;
    if (recover(c, z, &w->arena, &t->best)) return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    perp_status st = t->row ? pp_joint_rounds_within(f, t->island, t->row, &c->linear, &t->best) : PERP_OK;
    if (st) return st;
    t->acceptance = pp_trial_measure(f, t, &t->best, &t->residual);
    for (int k = 0; k < MAX_REFININGS && t->acceptance > pp_trial_tolerance(f, t); k++) {
        if (!pp_joint_refine(t->p, &c->linear, &w->arena, &t->best))
            return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
        t->acceptance = pp_trial_measure(f, t, &t->best, &t->residual);
    }
    if (t->acceptance <= pp_trial_tolerance(f, t)) return PERP_OK;
    return pp_fail(w, PERP_E_SOLVE,
                   "the joints could not be solved at t = %g: residual %.3g of the speed scale, allowed %.3g", f->s0->t,
                   t->acceptance, pp_trial_tolerance(f, t));
}

/* Did the latest try start from the guess and then from zero by itself? `auto` does if the guess does not lead to an answer. */
static bool started_cold(const perp_solver_type *solver, const pp_trial *t) {
    return solver == &pp_solver_auto && t->outcome != PERP_OUTCOME_SOLVED;
}

/* Is there a proof that no impulses bring the residuals below what the world accepts? why: the reason in words. */
static bool contradicts(const pp_frame *f, const pp_trial *t, char *why, size_t size) {
    double least = pp_tell_contradiction(f, t->p, why, size);
    return least > pp_sure_miss(f, pp_trial_tolerance(f, t), t->scale);
}

/* Did the latest try, by solver `which`, go through all complementary bases without finding an answer? */
static bool no_basis_left(const pp_frame *f, const pp_trial *t, int which) {
    return f->w->chosen.solver[which] == &pp_solver_enumerate && t->outcome == PERP_OUTCOME_LIMIT &&
           t->acceptance > BEST_BASIS * pp_trial_tolerance(f, t);
}

/* Solvers `first` to `last` of the chain; z holds the guess, if there is one. */
static perp_status try_solvers(const pp_frame *f, pp_trial *t, const posed *c, int first, int last, bool guess,
                               double *z) {
    perp_world *w = f->w;
    double needed = c->cone ? needed_tol(f, t, c->step) : 0, latest;
    char why[300] = "";
    bool searched = w->run.work.wedged > 0 || t->o->jam_lasts, proven = searched && contradicts(f, t, why, sizeof why);
    for (int which = first; which <= last && !proven && !t->exhausted; which++) {
        if (which > first) t->fallbacks++;
        if (which > first && !searched) {
            searched = true;
            if ((proven = contradicts(f, t, why, sizeof why))) break;
        }
        for (int cold = 0; cold < 2; cold++) {
            bool warm = guess && which == first;
            if (!cold && !warm) continue;
            if (cold && warm && started_cold(w->chosen.solver[which], t)) continue;
            if (cold) memset(z, 0, (size_t)c->n * sizeof *z);
            pp_arena_mark mark = pp_arena_here(&w->arena);
            double limit = pp_budget_share(&w->run.work, w->run.work.limit); /* the next solver gets the other half */
            perp_status st = c->cone ? attempt_cone(f, t, c, which, needed, z)
                                     : attempt(f, t, c, which, w->chosen.settings[which].bytes, z, &latest);
            w->run.work.limit = limit;
            pp_arena_release(&w->arena, mark);
            if (st == PERP_E_STOPPED) return pp_stopped(w);
            if (st) return pp_fail(w, st, "solver %s: %s", w->chosen.solver[which]->name, perp_status_text(st));
            if (t->acceptance <= pp_trial_tolerance(f, t)) return PERP_OK;
            t->exhausted = no_basis_left(f, t, which);
        }
    }
    if (proven) {
        w->run.work.wedged++;
        return pp_fail(w, PERP_E_SOLVE,
                       "the laws have no solution at t = %g (h = %g), with %d contacts and %d joint rows%s", f->s0->t,
                       f->h, t->p->ncontact, t->p->njoint, why);
    }
    if (!searched) (void)contradicts(f, t, why, sizeof why);
    return pp_fail(w, PERP_E_SOLVE,
                   "no solver met the laws at t = %g (h = %g): best is %s (%s) with residual %.3g of the speed scale, "
                   "allowed %.3g; %d contacts, %d joint rows%s",
                   f->s0->t, f->h, t->used ? t->used->name : "none", perp_outcome_text(t->info.outcome), t->acceptance,
                   pp_trial_tolerance(f, t), t->p->ncontact, t->p->njoint, why);
}

/* Tries the direct method of the options, if there is one. */
static bool solve_directly(const pp_frame *f, pp_trial *t, bool guess) {
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    bool answered = t->o->direct && t->o->direct(t->p, guess ? &t->answer : NULL, &f->w->arena, &t->best);
    pp_arena_release(&f->w->arena, mark);
    if (!answered) return false;
    t->acceptance = pp_trial_measure(f, t, &t->best, &t->residual);
    if (t->acceptance <= pp_trial_tolerance(f, t)) return true;
    t->acceptance = INFINITY; /* as before the try */
    return false;
}

/* Nothing is left to solve. */
static void take_linear(const pp_frame *f, pp_trial *t, const posed *c) {
    perp_step_residual r;
    recover_cones(c, NULL, &t->answer);
    pp_trial_keep(t, pp_trial_measure(f, t, &t->answer, &r), &r);
    t->info = (perp_solve_info){.outcome = PERP_OUTCOME_SOLVED, .solver = pp_solver_auto.name};
    t->outcome = PERP_OUTCOME_SOLVED;
    t->used = &pp_solver_auto;
}

/* One try of solve_condensed(). */
static perp_status try_condensed(const pp_frame *f, pp_trial *t, posed *c, const double *z) {
    perp_world *w = f->w;
    c->problem = &c->condensed->problem;
    c->n = c->condensed->n;
    double *kept = PP_ARENA_ARRAY(&w->arena, double, c->n);
    if (!kept) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", c->n);
    t->acceptance = INFINITY; /* an answer with rows in wrong states is none */
    if (c->n == 0) {
        take_linear(f, t, c);
        return PERP_OK;
    }
    pp_cone_condensed_gather(c->condensed, z, kept);
    double limit = pp_budget_share(&w->run.work, w->run.work.limit);
    perp_status st = attempt_cone(f, t, c, 0, needed_tol(f, t, c->step), kept);
    w->run.work.limit = limit;
    if (st == PERP_E_STOPPED) return pp_stopped(w);
    if (st) return pp_fail(w, st, "solver %s: %s", pp_solver_auto.name, perp_status_text(st));
    return PERP_OK;
}

/* Solves a cone problem by its rows whose state is not known, if `auto` is the first solver (problem/convert/cone_condensed.h). z: guess with
 * all rows, or zeros. Returns PERP_E_SOLVE if it does not apply, or if no answer is accepted; then the problem must be solved with all
 * rows. */
static perp_status solve_condensed(const pp_frame *f, pp_trial *t, const posed *all, const double *z) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    pp_row_use *use = PP_ARENA_ARRAY(a, pp_row_use, all->n);
    if (!use) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", all->n);
    if (!all->cone || w->chosen.solver[0] != &pp_solver_auto) return PERP_E_SOLVE;
    pp_cone_condensed_choose(&all->cones, z, use);
    while (pp_cone_condensed_pays(&all->cones, use)) { /* rows whose state was wrong are kept in the next try */
        pp_arena_mark mark = pp_arena_here(a);
        pp_cone_condensed condensed;
        bool held;
        posed c = *all;
        c.condensed = &condensed;
        perp_status st = pp_cone_condense(&all->cones, use, a, t->memory, &condensed, &held);
        if (st == PERP_E_MEMORY) return pp_fail(w, st, "out of memory for %d joint rows", t->p->njoint);
        if (st || held) return PERP_E_SOLVE;
        if ((st = try_condensed(f, t, &c, z))) return st;
        t->unknowns = c.n;
        if (t->acceptance <= pp_trial_tolerance(f, t)) return PERP_OK;
        bool same = pp_cone_condensed_holds(&condensed);
        pp_arena_release(a, mark);
        if (same) break;
    }
    return PERP_E_SOLVE;
}

/* Solves the problem in one form by solvers `first` to `last` of the chain. */
static perp_status solve_as(pp_frame *f, pp_trial *t, perp_class cls, int first, int last, bool guess) {
    perp_world *w = f->w;
    posed c;
    perp_status st = pose(f, t, cls, &c);
    if (st) return pp_fail(w, st, "the step problem could not be formed: %s", perp_status_text(st));
    t->unknowns = c.n;
    double *z = PP_ARENA_ZERO(&w->arena, double, c.n);
    if (!z) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", c.n);
    if (c.n == 0) return solve_joints(f, t, &c, z);
    if (guess) guess_from(&c, &t->answer, z);
    if (first == 0) {
        pp_arena_mark mark = pp_arena_here(&w->arena);
        st = solve_condensed(f, t, &c, z);
        pp_arena_release(&w->arena, mark);
        if (st != PERP_E_SOLVE) return st;
    }
    return try_solvers(f, t, &c, first, last, guess, z);
}

/* In the plane a friction cone is a pyramid of two directions, so `auto` may solve an LCP of the plane as cones. Pivoting is exact but
 * dense. Large problems are therefore solved as cones first, small ones only if pivoting fails. Returns the place of `auto` in the chain; -1
 * if the problem cannot be solved that way. */
static int as_cones(const perp_world *w, const perp_step_problem *p) {
    if (w->def.dim != 2 || w->def.form != PERP_FORM_LCP || !(w->chosen.stepper->makes & PERP_CONE) || bilateral_only(p))
        return -1;
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].nd > 2 && p->contact[i].mu > 0) return -1; /* the pyramid of a support is not a cone */
    int i = w->chosen.nsolver - 1;
    while (i >= 0 && w->chosen.solver[i] != &pp_solver_auto) i--;
    return i;
}

/* Without friction the problem is the same in every form. Pivoting eliminates the unbounded rows first. This costs digits if masses differ
 * much, and it drops rows that nearly depend on others, as near a dead point of a mechanism. Some methods of `auto` keep them. Used if the
 * chain does not contain `auto`. */
static perp_status rows_by_auto(const pp_frame *f, pp_trial *t) {
    perp_world *w = f->w;
    posed c;
    pp_settings settings;
    perp_solve_info info = {0};
    perp_step_residual r;
    perp_status st = pose(f, t, PERP_CONE, &c);
    double *z = st ? NULL : PP_ARENA_ZERO(&w->arena, double, c.n);
    if (st || !z) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joint rows", t->p->njoint);
    pp_settings_default(&pp_solver_auto, 0, &settings);
    t->fallbacks++;
    const double tol[] = {COMMON_TOL, PP_FINEST_TOL};
    for (size_t k = 0; k < sizeof tol / sizeof *tol; k++) {
        (void)perp_fields_set(pp_solver_auto.fields, pp_solver_auto.nfield, &settings, "tol", tol[k]);
        pp_arena_mark mark = pp_arena_here(&w->arena);
        st = run_solver(f, t, &c, &pp_solver_auto, &settings, z, &info);
        pp_arena_release(&w->arena, mark);
        if (st == PERP_E_STOPPED) return pp_stopped(w);
        t->iterations += info.iterations;
        double a = st ? INFINITY : pp_trial_measure(f, t, &t->answer, &r);
        if (!(a <= pp_trial_tolerance(f, t))) continue;
        pp_trial_keep(t, a, &r);
        t->info = info;
        t->used = &pp_solver_auto;
        return PERP_OK;
    }
    return PERP_E_SOLVE;
}

bool pp_solved_as_cones(const perp_world *w, const perp_step_problem *p) {
    return class_of(w, p) == PERP_CONE || (as_cones(w, p) >= 0 && p->ncontact + p->njoint > PP_FEW_CONTACTS);
}

perp_status pp_trial_solve(pp_frame *f, pp_trial *t, bool guess) {
    const perp_world *w = f->w;
    if (solve_directly(f, t, guess)) return PERP_OK;
    int cones = as_cones(w, t->p);
    bool few = t->p->ncontact + t->p->njoint <= PP_FEW_CONTACTS;
    if (cones >= 0 && !few) {
        perp_status st = solve_as(f, t, PERP_CONE, cones, cones, guess);
        if (st != PERP_E_SOLVE) return st;
        t->fallbacks++;
        guess = false; /* the tries have overwritten it */
    }
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    pp_work *work = &f->w->run.work;
    double limit = work->limit;
    if (cones >= 0 && few && limit < INFINITY) work->limit = work->done + PP_LEAST_SHARE * fmax(0, limit - work->done);
    perp_class cls = class_of(w, t->p);
    int last = w->chosen.nsolver - 1;
    if (cones > 0 && cones == last)
        last--; /* `auto` solves cones only: as an LCP it solved none that the others missed */
    perp_status st = solve_as(f, t, cls, 0, last, guess);
    work->limit = limit;
    if (st == PERP_E_SOLVE && cones < 0 && (t->p->ncontact == 0 || (frictionless(t->p) && !w->def.no_fallback)) &&
        w->def.form != PERP_FORM_CONE)
        return rows_by_auto(f, t);
    /* Eliminating joints from an LCP costs digits. As cones they are rows like all others. */
    bool posed_anew = cls == PERP_LCP && w->def.form == PERP_FORM_CONE && !bilateral_only(t->p);
    if (st != PERP_E_SOLVE || t->exhausted || !(posed_anew || (cones >= 0 && few))) return st;
    char before[PP_WHY];
    memcpy(before, w->why, sizeof before);
    pp_arena_release(&f->w->arena, mark);
    t->fallbacks++;
    st = posed_anew ? solve_as(f, t, PERP_CONE, 0, w->chosen.nsolver - 1, false)
                    : solve_as(f, t, PERP_CONE, cones, cones, false);
    if (st == PERP_E_SOLVE) memcpy(f->w->why, before, sizeof before);
    return st;
}

bool pp_loads_by_auto(const pp_frame *f) {
    const perp_world *w = f->w;
    const perp_step_problem *p = &f->pose.problem;
    if (w->def.form == PERP_FORM_CONE) return w->chosen.solver[0] == &pp_solver_auto;
    return p->ncontact + p->njoint > PP_FEW_CONTACTS && as_cones(w, p) >= 0;
}

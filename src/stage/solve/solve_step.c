/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_step.c - stage 5: step problem -> impulses and velocity, island by island, through the chain of solvers
 *
 * The first solver gets the impulses of the last step as a guess, then starts cold, then the fallbacks follow. Whatever
 * a solver says of itself, its answer counts only if the laws, measured on the step problem, hold to tolerance. The
 * best answer of all is kept for the report if none does. Large islands in the plane go to `auto` first, as cones
 * (as_cones). Where nothing is asked to open and there still is no answer, driven bodies are taken for standing (stall). */
#include "stage/solve/solve_step.h"

#include <string.h>

#include "problem/rows.h"
#include "problem/convert/to_cone.h"
#include "stage/solve/give_way.h"
#include "stage/solve/joint_rounds.h"
#include "stage/solve/motor_yield.h"
#include "stage/solve/step_contradiction.h"
#include "stage/stepper.h"
#include "model/budget.h"
#include "solver/auto/auto.h"
#include "solver/cone/cone_select.h"
#include "stage/frame.h"
#include "stage/solve/solve.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [L/T] Speed that is none, in any units: squares of what is small beside it are below the range of numbers, and no method has digits. A body
 * without gravity that friction stops comes to such speeds. */
#define LEAST_SPEED 1e-138
/* [1] Largest part of the speeds by which an answer may miss the laws because of the rounding of large impulses. Half
 * and double: no effect. */
#define MOST_ROUNDING 1e-4
/* [1] Default tolerance of a world. Half: work +3 %; double: no effect. */
#define USUAL 1e-8
/* [1] Finest tolerance that a solver is asked for: below it only rounding is left. */
#define FINEST_TOL 1e-15
/* [1] Finest tolerance that a solver is asked for first. Half and double: other bits only. */
#define COMMON_TOL 1e-12
/* [1] Coarsest tolerance that a solver is asked for. Half and double: no effect. */
#define LOOSEST_TOL 1e-3
/* [tries] Number of times that the tolerance of a solver, or a linear answer, is refined; each leaves the rounding of
 * its increment. Half and double: no effect. */
#define MAX_REFININGS 3
/* [rows] Number of frictionless contacts and joints up to which pivoting is as quick as anything, and exact. Half:
 * work +10 %; double: no effect. */
#define FEW_ROWS 60
/* [1] Residual of the best basis, in units of the tolerance, from which on a problem has no answer: elimination of
 * joints costs fewer digits. */
#define BEST_BASIS 100
/* [1] Part of the work at hand that pivoting may use on a small problem in the plane before it is solved as cones:
 * 3500 pivots of 66 unknowns. Half and double: no effect. */
#define FOR_PIVOTING (1.0 / 64)

/* A step problem in the form that solvers take. */
typedef struct posed {
    bool cone;
    pp_converted linear; /* LCP, mixed LCP */
    pp_step_cone cones;  /* if cone */
    const perp_problem *problem;
    int n; /* unknowns */
} posed;

static perp_status pose(const perp_step_problem *p, perp_class cls, pp_arena *arena, posed *c) {
    c->cone = cls == PERP_CONE;
    perp_status st = c->cone ? pp_step_to_cone(p, arena, &c->cones) : pp_convert(p, cls, arena, &c->linear);
    c->problem = c->cone ? &c->cones.problem : &c->linear.problem;
    c->n = c->cone ? c->cones.n : c->linear.n;
    return st;
}

static void guess_from(const posed *c, const perp_step_solution *last, double *z) {
    if (c->cone)
        pp_step_cone_guess(&c->cones, last->p_joint, last->p_contact, last->p_spin, z);
    else
        pp_guess(&c->linear, last->p_joint, last->p_contact, last->sigma, z);
}

static perp_status recover(const posed *c, const double *z, pp_arena *arena, perp_step_solution *out) {
    if (!c->cone) return pp_recover(&c->linear, z, arena, out);
    pp_step_cone_recover(&c->cones, z, out);
    return PERP_OK;
}

/* The tries at one problem, and the best answer so far. */
typedef struct trial {
    const perp_step_problem *p;
    const pp_solve_options *o;
    const pp_island *island; /* that p is of */
    perp_joint_row *row;     /* its joint rows, to write; NULL: they stay */
    perp_step_solution best, answer;
    const perp_step_solution *guess; /* for who looks on: as it was before the first try; NULL: there is none */
    double *r, *y;                   /* njoint, ndof: scratch */
    double scale;                    /* of the problem */
    double acceptance;               /* of the best */
    perp_step_residual residual;
    const perp_solver_type *used;
    perp_solve_info info;
    perp_outcome outcome; /* of the latest try */
    bool exhausted;       /* all bases were gone through, and none is an answer */
    int iterations, fallbacks, unknowns;
} trial;

/* Joint rows that depend on each other and contradict each other a little (closed chains whose errors differ in second
 * order) cannot be met all; what counts against a solver is only the part of their residual that an impulse could
 * remove: W r, scaled back to r. r, y: njoint and ndof of scratch. */
static double reducible_joint_residual(const perp_step_problem *p, const perp_step_solution *s, double *r, double *y) {
    for (int i = 0; i < p->njoint; i++) r[i] = 0;
    for (int i = 0; i < p->ndof; i++) y[i] = 0;
    double worst = 0;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *row = &p->joint[i];
        double v = pp_row_dot(p, &row->row, s->nu) + row->b + row->compliance * s->p_joint[i];
        double mass = pp_row_inverse_mass(p, &row->row), W = mass + row->compliance;
        if (isfinite(row->lo) || isfinite(row->hi)) { /* bounded rows: the natural map */
            double to = W > 0 ? s->p_joint[i] - v / W : s->p_joint[i];
            to = to < row->lo ? row->lo : to > row->hi ? row->hi : to;
            double e = pp_row_length(p, &row->row) * fabs((s->p_joint[i] - to) * mass);
            if (!(e <= worst)) worst = e;
            continue;
        }
        r[i] = W > 0 ? v / W : 0; /* the impulse that would remove it if the row were alone */
        pp_row_spread(p, &row->row, r[i], y);
    }
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *row = &p->joint[i];
        if (isfinite(row->lo) || isfinite(row->hi)) continue;
        /* what gives way moves no body */
        double e = pp_row_length(p, &row->row) * fabs(pp_row_dot(p, &row->row, y));
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

/* Speeds that residuals are compared with: those of the problem, and what gravity makes in a step. */
static double speed_scale(const pp_frame *f, double of_rows) {
    return fmax(LEAST_SPEED, fmax(of_rows, f->h * perp_v3_norm(f->w->def.gravity_W)));
}

/* What the worst residual may be, relative to that. */
static double tolerance(const pp_frame *f, const trial *t) { return f->w->def.tolerance * fmax(1, t->o->slack); }

double pp_acceptance(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s,
                     const perp_step_residual *r, double tolerance, double *row_scratch, double *dof_scratch) {
    double joint = reducible_joint_residual(p, s, row_scratch, dof_scratch);
    const double parts[] = {r->momentum, joint, r->normal, r->cone, r->dissipation};
    double worst = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (isnan(parts[i])) return INFINITY;
        if (parts[i] > worst) worst = parts[i];
    }
    /* Velocities are sums of what the impulses make; where those are a million times larger, rounding takes its part of
     * the tolerance; where it would take the speeds they say nothing any more. Impulses grow without end in a problem
     * that has no answer. */
    double made = 0;
    for (int i = 0; i < p->ncontact; i++)
        made = fmax(made, s->p_contact[3 * i] * pp_row_inverse_mass(p, &p->contact[i].n));
    for (int i = 0; i < p->njoint; i++) {
        const perp_row *row = &p->joint[i].row;
        made = fmax(made, pp_row_length(p, row) * fabs(s->p_joint[i]) * pp_row_inverse_mass(p, row));
    }
    double speed = speed_scale(f, r->scale), most = fmax(1, MOST_ROUNDING / tolerance) * speed;
    double scale = fmin(speed + 1e-6 * made, most);
    return worst > 0 ? worst / (scale > 0 ? scale : 1) : 0;
}

/* Worst law residual over the speed scale: what is compared with the tolerance. */
static double acceptance(const pp_frame *f, const trial *t, const perp_step_solution *s, perp_step_residual *r) {
    *r = pp_step_residual_at(t->p, s, t->scale);
    return pp_acceptance(f, t->p, s, r, tolerance(f, t), t->r, t->y);
}

bool pp_solution_new(pp_arena *a, const perp_step_problem *p, perp_step_solution *s) {
    s->nu = PP_ARENA_ZERO(a, double, p->ndof);
    s->p_joint = PP_ARENA_ZERO(a, double, p->njoint);
    s->p_contact = PP_ARENA_ZERO(a, double, 3 * p->ncontact);
    s->sigma = PP_ARENA_ZERO(a, double, p->ncontact);
    s->p_spin = PP_ARENA_ZERO(a, double, p->ncontact);
    return s->nu && s->p_joint && s->p_contact && s->sigma && s->p_spin;
}

static bool new_trial(pp_arena *a, const perp_step_problem *p, trial *t) {
    *t = (trial){.p = p,
                 .r = PP_ARENA_ARRAY(a, double, p->njoint),
                 .y = PP_ARENA_ARRAY(a, double, p->ndof),
                 .scale = pp_step_scale(p),
                 .acceptance = INFINITY};
    return t->r && t->y && pp_solution_new(a, p, &t->best) && pp_solution_new(a, p, &t->answer);
}

/* Is an answer that the solver is not content with one that the world accepts? */
typedef struct judge {
    const pp_frame *f;
    trial *t;
    const posed *c;
} judge;

static bool is_enough(const double *z, void *ctx) {
    judge *j = ctx;
    perp_step_residual r;
    pp_step_cone_recover(&j->c->cones, z, &j->t->answer);
    return acceptance(j->f, j->t, &j->t->answer, &r) <= tolerance(j->f, j->t);
}

/* One solve and the way back, into t->answer; info holds the judge's residual, taken without touching the heap. A world that
 * asks for less than usual is asked whether it is content; others get digits, which are cheap, rather than rounds. */
static perp_status run_solver(const pp_frame *f, trial *t, const posed *c, const perp_solver_type *solver,
                              const void *settings, double *z, perp_solve_info *info) {
    pp_arena *arena = &f->w->arena;
    perp_call call = pp_call_within(f->w);
    if (t->o->loads != PP_LOADS_ANY) call.loads = t->o->loads;
    if (f->purpose == PP_START_FORCED || f->purpose == PP_START_FREE)
        call.loads = PP_LOADS_LATER; /* velocities alone are wanted */
    judge j = {f, t, c};
    if (c->cone) {
        call.enough = is_enough;
        call.enough_ctx = &j;
    }
    perp_status st = c->cone ? pp_solve_within(&call, solver, settings, c->problem, z, info)
                             : pp_solve_call(&call, solver, settings, c->problem, z, info);
    if (f->w->run.stopped) return PERP_E_STOPPED;
    if (!st) st = recover(c, z, arena, &t->answer);
    if (!st && c->cone) info->residual = pp_step_cone_residual(&c->cones, &t->answer);
    return st;
}

/* Makes t->answer the best answer, with its acceptance and residual. */
static void keep_as_best(trial *t, double a, const perp_step_residual *r) {
    perp_step_solution old = t->best;
    t->best = t->answer;
    t->answer = old;
    t->acceptance = a;
    t->residual = *r;
}

/* One try of one solver: recovers and measures; keeps the answer if it is the best so far. *latest: how good it was. */
static perp_status attempt(const pp_frame *f, trial *t, const posed *c, int which, const void *settings, double *z,
                           double *latest) {
    perp_world *w = f->w;
    perp_solve_info info = {0};
    perp_status st = run_solver(f, t, c, w->chosen.solver[which], settings, z, &info);
    if (st) return st;
    perp_step_residual r;
    double a = *latest = acceptance(f, t, &t->answer, &r);
    t->iterations += info.iterations;
    t->outcome = info.outcome;
    if (!t->used || a < t->acceptance) {
        keep_as_best(t, a, &r);
        t->info = info;
        t->used = w->chosen.solver[which];
    }
    return PERP_OK;
}

/* Digits are cheap for methods that gain many in a step. A world that asks for few pays for each, so it is asked for no
 * more than it needs, and for a little more where that was not enough. */
static bool pays_for_digits(const pp_frame *f) { return f->w->def.tolerance > USUAL; }
static double safety(const pp_frame *f) { return pays_for_digits(f) ? 0.8 : 0.3; }
static double least_gain(const pp_frame *f) { return pays_for_digits(f) ? 0.5 : 0.1; }

/* A cone solver stops by a unit-free measure, impulses over the largest of them; the world demands velocities. What the
 * world's tolerance is in that measure: a light body between heavy ones needs a finer one. Impulses are those of the
 * guess, or what each row alone would need. */
static double needed_tol(const pp_frame *f, const trial *t) {
    const perp_step_problem *p = t->p;
    const perp_step_solution *guess = &t->answer; /* zeros if there is none */
    double impulse = 0, lightest = 0, scale = t->scale;
    perp_step_problem free = *p;
    free.njoint = free.ncontact = 0;
    pp_step_velocity(&free, NULL, NULL, t->y); /* velocity without impulses */
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        double mass = pp_row_inverse_mass(p, &c->n), W = mass + c->compliance, q = pp_row_dot(p, &c->n, t->y) + c->b_n;
        if (mass > lightest) lightest = mass;
        if (W > 0) impulse = fmax(impulse, fmax(fabs(q) / W, fabs(guess->p_contact[3 * i])));
    }
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        double mass = pp_row_inverse_mass(p, &r->row), W = mass + r->compliance,
               q = pp_row_dot(p, &r->row, t->y) + r->b;
        if (mass > lightest) lightest = mass;
        if (W > 0) impulse = fmax(impulse, fmax(fabs(q) / W, fabs(guess->p_joint[j])));
    }
    double speed = impulse * lightest, wanted = pays_for_digits(f) ? tolerance(f, t) : f->w->def.tolerance;
    return speed > 0 ? safety(f) * wanted * speed_scale(f, scale) / speed : INFINITY;
}

/* A try of a solver on cones: with the tolerance that the world needs, and finer from there while it ends satisfied with
 * what the world does not accept. */
static perp_status attempt_cone(const pp_frame *f, trial *t, const posed *c, int which, double needed, double *z) {
    const perp_world *w = f->w;
    const perp_solver_type *s = w->chosen.solver[which];
    pp_settings settings;
    memcpy(&settings, w->chosen.settings[which].bytes, sizeof settings);
    double tol = 0, latest = INFINITY;
    bool has_tol = !perp_fields_get(s->fields, s->nfield, &settings, "tol", &tol);
    if (has_tol) {
        /* a world that asks for less than usual does not pay for more */
        tol = pays_for_digits(f) ? fmax(tol, fmin(needed, LOOSEST_TOL)) : fmin(tol, fmax(needed, COMMON_TOL));
        (void)perp_fields_set(s->fields, s->nfield, &settings, "tol", tol); /* out of its range: its own */
    }
    perp_status st = attempt(f, t, c, which, &settings, z, &latest);
    for (int k = 0; !st && has_tol && k < MAX_REFININGS && latest > tolerance(f, t) && tol > FINEST_TOL; k++) {
        if (t->outcome != PERP_OUTCOME_SOLVED || !isfinite(latest)) break;
        double before = latest;
        tol = fmax(FINEST_TOL, tol * fmin(least_gain(f), 0.3 * tolerance(f, t) / latest));
        if (perp_fields_set(s->fields, s->nfield, &settings, "tol", tol)) break; /* finer than it knows */
        st = attempt(f, t, c, which, &settings, z, &latest);
        if (!(latest <= before)) break; /* the same answer again: the finer one is still to come */
    }
    return st;
}

static bool bilateral_only(const perp_step_problem *p) {
    if (p->ncontact) return false;
    for (int i = 0; i < p->njoint; i++)
        if (isfinite(p->joint[i].lo) || isfinite(p->joint[i].hi)) return false;
    return true;
}

/* Cones of few contacts that none has friction: an LCP, if the solvers take it. */
static bool smooth_and_few(const perp_world *w, const perp_step_problem *p) {
    if (p->ncontact + p->njoint > FEW_ROWS) return false;
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].mu > 0 && p->contact[i].nd != 0) return false;
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

/* Nothing complementary: joints are eliminated by a linear solve. */
static perp_status solve_joints(pp_frame *f, trial *t, const posed *c, const double *z) {
    perp_world *w = f->w;
    if (recover(c, z, &w->arena, &t->best)) return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    perp_status st = t->row ? pp_joint_rounds_within(f, t->island, t->row, &c->linear, &t->best) : PERP_OK;
    if (st) return st;
    t->acceptance = acceptance(f, t, &t->best, &t->residual);
    for (int k = 0; k < MAX_REFININGS && t->acceptance > tolerance(f, t); k++) {
        if (!pp_joint_refine(t->p, &c->linear, &w->arena, &t->best))
            return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
        t->acceptance = acceptance(f, t, &t->best, &t->residual);
    }
    if (t->acceptance <= tolerance(f, t)) return PERP_OK;
    return pp_fail(w, PERP_E_SOLVE,
                   "the joints could not be solved at t = %g: residual %.3g of the speed scale, allowed %.3g", f->s0->t,
                   t->acceptance, tolerance(f, t));
}

/* Has the latest try, from a guess, gone on from nothing by itself? `auto` does, where the guess does not lead to an answer. */
static bool started_cold(const perp_solver_type *solver, const trial *t) {
    return solver == &pp_solver_auto && t->outcome != PERP_OUTCOME_SOLVED;
}

double pp_sure_miss(const pp_frame *f, double tolerance, double scale) {
    return fmax(tolerance, MOST_ROUNDING) * speed_scale(f, scale);
}

/* Is it proven that no impulses bring the laws as close as the world accepts? In words: why. */
static bool contradicts(const pp_frame *f, const trial *t, char *why, size_t size) {
    double least = pp_tell_contradiction(f, t->p, why, size);
    return least > pp_sure_miss(f, tolerance(f, t), t->scale);
}

/* Did the latest try, of solver `which`, go through all complementary bases and find that none is an answer? */
static bool no_basis_left(const pp_frame *f, const trial *t, int which) {
    return f->w->chosen.solver[which] == &pp_solver_enumerate && t->outcome == PERP_OUTCOME_LIMIT &&
           t->acceptance > BEST_BASIS * tolerance(f, t);
}

/* Solvers `first` to `last` of the chain; z holds the guess, if there is one. */
static perp_status try_solvers(const pp_frame *f, trial *t, const posed *c, int first, int last, bool guess,
                               double *z) {
    perp_world *w = f->w;
    double needed = c->cone ? needed_tol(f, t) : 0, latest;
    char why[300] = "";
    bool asked = w->run.work.wedged > 0 || t->o->jam_lasts, proven = asked && contradicts(f, t, why, sizeof why);
    for (int which = first; which <= last && !proven && !t->exhausted; which++) {
        if (which > first) t->fallbacks++;
        if (which > first && !asked) {
            asked = true;
            if ((proven = contradicts(f, t, why, sizeof why))) break;
        }
        for (int cold = 0; cold < 2; cold++) {
            bool warm = guess && which == first;
            if (!cold && !warm) continue;
            if (cold && warm && started_cold(w->chosen.solver[which], t)) continue;
            if (cold) memset(z, 0, (size_t)c->n * sizeof *z);
            pp_arena_mark mark = pp_arena_here(&w->arena);
            double limit = pp_budget_share(&w->run.work, w->run.work.limit); /* the next solver has the other half */
            perp_status st = c->cone ? attempt_cone(f, t, c, which, needed, z)
                                     : attempt(f, t, c, which, w->chosen.settings[which].bytes, z, &latest);
            w->run.work.limit = limit;
            pp_arena_release(&w->arena, mark);
            if (st == PERP_E_STOPPED) return pp_stopped(w);
            if (st) return pp_fail(w, st, "solver %s: %s", w->chosen.solver[which]->name, perp_status_text(st));
            if (t->acceptance <= tolerance(f, t)) return PERP_OK;
            t->exhausted = no_basis_left(f, t, which);
        }
    }
    if (proven) {
        w->run.work.wedged++;
        return pp_fail(w, PERP_E_SOLVE,
                       "the laws have no solution at t = %g (h = %g), with %d contacts and %d joint rows%s", f->s0->t,
                       f->h, t->p->ncontact, t->p->njoint, why);
    }
    if (!asked) (void)contradicts(f, t, why, sizeof why);
    return pp_fail(w, PERP_E_SOLVE,
                   "no solver met the laws at t = %g (h = %g): best is %s (%s) with residual %.3g of the speed scale, "
                   "allowed %.3g; %d contacts, %d joint rows%s",
                   f->s0->t, f->h, t->used ? t->used->name : "none", perp_outcome_text(t->info.outcome), t->acceptance,
                   tolerance(f, t), t->p->ncontact, t->p->njoint, why);
}

/* The way that was given, if there is one. */
static bool solve_directly(const pp_frame *f, trial *t, bool guess) {
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    bool answered = t->o->direct && t->o->direct(t->p, guess ? &t->answer : NULL, &f->w->arena, &t->best);
    pp_arena_release(&f->w->arena, mark);
    if (!answered) return false;
    t->acceptance = acceptance(f, t, &t->best, &t->residual);
    if (t->acceptance <= tolerance(f, t)) return true;
    t->acceptance = INFINITY; /* as if nothing had been tried */
    return false;
}

/* One problem in one form by solvers `first` to `last` of the chain. */
static perp_status solve_as(pp_frame *f, trial *t, perp_class cls, int first, int last, bool guess) {
    perp_world *w = f->w;
    posed c;
    perp_status st = pose(t->p, cls, &w->arena, &c);
    if (st) return pp_fail(w, st, "the step problem could not be formed: %s", perp_status_text(st));
    t->unknowns = c.n;
    double *z = PP_ARENA_ZERO(&w->arena, double, c.n);
    if (!z) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", c.n);
    if (c.n == 0) return solve_joints(f, t, &c, z);
    if (guess) guess_from(&c, &t->answer, z);
    return try_solvers(f, t, &c, first, last, guess, z);
}

/* In the plane a cone is a pyramid of two directions, and `auto` picks the form too: pivoting is exact, but dense, and
 * what is large is solved as cones; what is small, if pivoting failed. Its place in the chain; -1: not there. */
static int as_cones(const perp_world *w, const perp_step_problem *p) {
    if (w->def.dim != 2 || w->def.form != PERP_FORM_LCP || !(w->chosen.stepper->makes & PERP_CONE) || bilateral_only(p))
        return -1;
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].nd > 2 && p->contact[i].mu > 0) return -1; /* supports: their pyramids are no cones */
    int i = w->chosen.nsolver - 1;
    while (i >= 0 && w->chosen.solver[i] != &pp_solver_auto) i--;
    return i;
}

/* Bounded rows without contacts are the same problem in every form. Pivoting eliminates the other rows first and leaves out those
 * that all but depend on them, near a dead point of a mechanism; `auto` has methods that do not. For chains without it. */
static perp_status rows_by_auto(const pp_frame *f, trial *t) {
    perp_world *w = f->w;
    posed c;
    pp_settings settings;
    perp_solve_info info = {0};
    perp_step_residual r;
    perp_status st = pose(t->p, PERP_CONE, &w->arena, &c);
    double *z = st ? NULL : PP_ARENA_ZERO(&w->arena, double, c.n);
    if (st || !z) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joint rows", t->p->njoint);
    pp_settings_default(&pp_solver_auto, 0, &settings);
    t->fallbacks++;
    const double tol[] = {COMMON_TOL, FINEST_TOL};
    for (size_t k = 0; k < sizeof tol / sizeof *tol; k++) {
        (void)perp_fields_set(pp_solver_auto.fields, pp_solver_auto.nfield, &settings, "tol", tol[k]);
        pp_arena_mark mark = pp_arena_here(&w->arena);
        st = run_solver(f, t, &c, &pp_solver_auto, &settings, z, &info);
        pp_arena_release(&w->arena, mark);
        if (st == PERP_E_STOPPED) return pp_stopped(w);
        t->iterations += info.iterations;
        double a = st ? INFINITY : acceptance(f, t, &t->answer, &r);
        if (!(a <= tolerance(f, t))) continue;
        keep_as_best(t, a, &r);
        t->info = info;
        t->used = &pp_solver_auto;
        return PERP_OK;
    }
    return PERP_E_SOLVE;
}

/* Solves one problem by the chain. `guess`: impulses of the last step, in t->answer; false: none. */
static perp_status solve_one(pp_frame *f, trial *t, bool guess) {
    const perp_world *w = f->w;
    if (solve_directly(f, t, guess)) return PERP_OK;
    int cones = as_cones(w, t->p);
    bool few = t->p->ncontact + t->p->njoint <= PP_FEW_CONTACTS;
    if (cones >= 0 && !few) {
        perp_status st = solve_as(f, t, PERP_CONE, cones, cones, guess);
        if (st != PERP_E_SOLVE) return st;
        t->fallbacks++;
        guess = false; /* tries wrote over it */
    }
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    pp_work *work = &f->w->run.work;
    double limit = work->limit;
    if (cones >= 0 && few && limit < INFINITY) work->limit = work->done + FOR_PIVOTING * fmax(0, limit - work->done);
    perp_class cls = class_of(w, t->p);
    perp_status st = solve_as(f, t, cls, 0, w->chosen.nsolver - 1, guess);
    work->limit = limit;
    if (st == PERP_E_SOLVE && cones < 0 && t->p->ncontact == 0 && w->def.form != PERP_FORM_CONE)
        return rows_by_auto(f, t);
    /* Joints are eliminated from an LCP, which costs digits; as cones they are rows like all others. */
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

/* Takes what one problem reported into the frame: sums of work, the worst of the rest. */
static void report(pp_frame *f, const trial *t) {
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

/* Shows an island to whoever looks on. A step that ran out of memory has nothing to show. */
static void show(const pp_frame *f, const trial *t, int island, perp_status st) {
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

/* Keeps the guess in t->answer, which tries write over, for who looks on. */
static bool keep_guess(const pp_frame *f, trial *t) {
    if (!f->w->run.capture.look || f->purpose != PP_STEP) return true;
    perp_step_solution *g = PP_ARENA_ZERO(&f->w->arena, perp_step_solution, 1);
    if (!g || !pp_solution_new(&f->w->arena, t->p, g)) return false;
    memcpy(g->p_joint, t->answer.p_joint, (size_t)t->p->njoint * sizeof *g->p_joint);
    memcpy(g->p_contact, t->answer.p_contact, 3 * (size_t)t->p->ncontact * sizeof *g->p_contact);
    memcpy(g->sigma, t->answer.sigma, (size_t)t->p->ncontact * sizeof *g->sigma);
    memcpy(g->p_spin, t->answer.p_spin, (size_t)t->p->ncontact * sizeof *g->p_spin);
    g->nu = NULL; /* solvers start from impulses */
    t->guess = g;
    return true;
}

bool pp_loads_by_auto(const pp_frame *f) {
    const perp_world *w = f->w;
    const perp_step_problem *p = &f->pose.problem;
    if (w->def.form == PERP_FORM_CONE) return w->chosen.solver[0] == &pp_solver_auto;
    return p->ncontact + p->njoint > PP_FEW_CONTACTS && as_cones(w, p) >= 0;
}

/* Is contact c under load, and does it slide? */
static bool slides(const perp_step_problem *p, const perp_step_solution *s, int i, double still) {
    const perp_contact_row *c = &p->contact[i];
    if (!(c->mu > 0) || !(s->p_contact[3 * i] > 0)) return false;
    double t = pp_row_dot(p, &c->t, s->nu) + c->b_t, o = p->dim == 3 ? pp_row_dot(p, &c->o, s->nu) + c->b_o : 0;
    return t * t + o * o > still * still;
}

static void count_row(int *rows, const perp_row *r) {
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++)
            if (r->block[k] >= 0) rows[r->block[k]]++;
}

bool pp_loads_matter(pp_arena *arena, const perp_step_problem *p, const perp_step_solution *s) {
    pp_arena_mark mark = pp_arena_here(arena);
    int *rows = PP_ARENA_ZERO(arena, int, p->nblock);
    double still = PP_NO_SLIP * pp_step_scale(p);
    bool matter = !rows;
    for (int i = 0; rows && i < p->ncontact; i++)
        if (s->p_contact[3 * i] > 0) count_row(rows, &p->contact[i].n);
    for (int i = 0; rows && i < p->njoint; i++) count_row(rows, &p->joint[i].row);
    for (int i = 0; i < p->ncontact && !matter; i++) {
        const int *b = p->contact[i].n.block;
        bool shared = (b[0] >= 0 && rows[b[0]] > 1) || (b[1] >= 0 && rows[b[1]] > 1);
        matter = shared && slides(p, s, i, still);
    }
    pp_arena_release(arena, mark);
    return matter;
}

/* Rounds pose a problem again whose parts have mostly settled (method/peg/model_peg.c). Does the answer of the round before,
 * in t->answer with its velocity, still obey the laws of this island? Then it is the answer. */
static bool keep_answer(const pp_frame *f, trial *t, const pp_island *island) {
    if (!t->o->recall || !f->demand.end_nu || !(t->o->enough > 0)) return false;
    for (int b = 0; b < t->p->nblock; b++)
        memcpy(t->answer.nu + t->p->block_offset[b], f->demand.end_nu + f->pose.problem.block_offset[island->block[b]],
               (size_t)t->p->block_ndof[b] * sizeof *t->answer.nu);
    perp_step_residual r;
    double a = acceptance(f, t, &t->answer, &r);
    if (!(a <= fmin(tolerance(f, t), t->o->enough / speed_scale(f, r.scale)))) return false;
    if (t->o->loads == PP_LOADS_NOW && pp_loads_matter(&f->w->arena, t->p, &t->answer)) return false;
    keep_as_best(t, a, &r);
    return true;
}

/* Copies of n rows in the arena, for *rows to point at. NULL: out of memory. */
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

/* Where a driven body drags another into a wedge that locks itself, its friction and the force of the wedge feed each other
 * without end: no impulse is enough, though nothing is asked to open. A drive of limited force would stand there, so the
 * island is posed again as if it stood; and joints in it that have opened are not asked to close, which the wedge may
 * forbid as well. Then rest obeys all rows. *eased: false if that changes nothing. */
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
        if (!(of->mu > 0) || (of->b_t == 0 && of->b_o == 0 && of->b_r == 0)) continue;
        c[i].b_t = c[i].b_o = c[i].b_r = of->b_t = of->b_o = of->b_r = 0;
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

/* How an earlier round posed a part of this island: o->jammed_block. */
static int jammed_before(const pp_solve_options *o, const pp_island *island) {
    int most = 0;
    for (int b = 0; o->no_lift && o->jammed_block && b < island->p.nblock; b++)
        if (o->jammed_block[island->block[b]] > most) most = o->jammed_block[island->block[b]];
    return most;
}

/* Did motors of this island yield in an earlier round, o->yielded_block, or in the last step? Where that is wrong for this one they do not
 * reach their limits, and its answer is that of motors without one. */
static bool yielded_before(const pp_frame *f, const pp_solve_options *o, const pp_island *island) {
    for (int b = 0; o->yielded_block && b < island->p.nblock; b++)
        if (o->yielded_block[island->block[b]]) return true;
    return pp_yielded_before(f, island);
}

static void note_yield(const pp_solve_options *o, const pp_island *island) {
    for (int b = 0; o->yielded_block && b < island->p.nblock; b++) o->yielded_block[island->block[b]] = true;
}

/* Solves island k; its memory is free for the next. *residual: of the laws in it. */
static perp_status solve_island(pp_frame *f, pp_island *island, int k, const perp_step_solution *recalled,
                                const pp_solve_options *o, perp_step_residual *residual) {
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    perp_status st = PERP_OK;
    const perp_joint_row *given = island->p.joint; /* rounds write on a copy that ends here */
    trial t;
    if (!new_trial(a, &island->p, &t)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
    t.o = o;
    t.island = island;
    if (f->demand.joints && !f->demand.joints->linear && island->p.njoint && !island->p.ncontact &&
        !(t.row = own_joints(a, &island->p.joint, island->p.njoint)))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d joint rows", island->p.njoint);
    double *b = PP_ARENA_ARRAY(a, double, island->p.njoint);
    if (!b) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d joint rows", island->p.njoint);
    for (int i = 0; i < island->p.njoint; i++) b[i] = given[i].b;
    if (recalled) pp_island_gather(island, recalled, &t.answer);
    if (recalled && !keep_guess(f, &t)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
    if (!recalled || !keep_answer(f, &t, island)) st = solve_one(f, &t, recalled != NULL);
    show(f, &t, k, st);
    pp_island_scatter(island, &f->pose.problem, &t.best, &f->solve.solution);
    report(f, &t);
    *residual = t.residual;
    char why[300];
    if (!st && pp_motors_contradict(f, island, residual, tolerance(f, &t), why, sizeof why))
        st = pp_fail(f->w, PERP_E_SOLVE,
                     "the laws have no answer at t = %g (h = %g), with %d contacts and %d joint rows%s", f->s0->t, f->h,
                     island->p.ncontact, island->p.njoint, why);
    if (st && t.row) /* the rows are posed again as they were */
        for (int i = 0; i < island->p.njoint; i++) f->pose.joint_row[island->joint[i]].b = b[i];
    island->p.joint = given;
    pp_arena_release(a, mark);
    return st;
}

/* Rows that contradict each other give way at the speeds that they ask for. Bodies that move at no more than the speeds at hand give way
 * to each other at no more than twice these, and so fast they may have to: k rows of speed v that push against each other through bodies
 * contradict each other by k v. Compliances are parts c of inverse masses, and a row takes c/sum c of that. A body whose mass is small beside
 * the others has two of the rows, which take k v/2 each, and in space k <= 4. What is faster is no answer: a lever would give way at speeds
 * that nothing has. */
static perp_status gives_too_fast(const pp_frame *f, const pp_island *island, const perp_step_residual *residual) {
    perp_step_residual rigid = {0};
    int rows;
    double give = pp_gave_way(f, island, &rigid, &rows), speed = speed_scale(f, residual->scale);
    if (give <= 2 * speed) return PERP_OK;
    return pp_fail(
        f->w, PERP_E_SOLVE,
        "a jammed contact or joint would give way at %.3g at t = %g (h = %g), more than twice the speeds at hand, %.3g",
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
    if (!made && gives) {
        note_jam(o, island, 2);
        f->solve.acceptance = before;
        st = solve_island(f, island, k, recalled, o, residual);
        if (!st) st = gives_too_fast(f, island, residual);
    }
    if (!made && !st && island->p.joint != given)
        pp_count_yields(f, island, given, f->w->def.tolerance * speed_scale(f, residual->scale));
    return made ? made : st;
}

/* Islands one after the other. Where there is one and it is all, its residual is that of the step: *measured. */
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
    if (!f->solve.measured) f->solve.residual = perp_step_problem_residual(&f->pose.problem, &f->solve.solution);
    f->solve.measured = true;
}

perp_status pp_solve_step(pp_frame *f, const pp_solve_options *o) {
    perp_world *w = f->w;
    pp_island *island;
    int n;
    f->solve.solution = (perp_step_solution){0};  /* memory of the last round's may be in use again */
    if (pp_told_to_stop(w)) return pp_stopped(w); /* parts and rounds of a step, each quickly solved, may be many */
    if (pp_budget_used(w, (double)f->pose.problem.nblock + f->pose.problem.njoint + f->pose.problem.ncontact))
        return pp_budget_fail(w);
    const perp_solver_type *before = o->recall ? f->solve.used : NULL; /* if all of that round is kept */
    f->solve.used = NULL;
    f->solve.stalled = NULL;
    f->solve.lent_contact = f->solve.lent_joint = NULL;
    f->solve.motor_yields = 0;
    f->solve.acceptance = 0;
    perp_step_solution recalled;
    bool got = pp_solution_new(&w->arena, &f->pose.problem, &f->solve.solution);
    pp_arena_mark mark = pp_arena_here(&w->arena);
    const perp_contact_row *contact = f->pose.problem.contact;
    const perp_joint_row *joint = f->pose.problem.joint;
    perp_status st = pp_islands_split(&f->pose.problem, &w->arena, &island, &n);
    if (!got || st || !pp_solution_new(&w->arena, &f->pose.problem, &recalled))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    bool guess = w->def.warm_start && f->purpose == PP_STEP && (w->warm.ncontact || w->warm.njoint);
    if (guess) pp_recall(f, o->recall, &recalled);
    perp_step_problem free_blocks = f->pose.problem; /* without rows: what bodies in no island do */
    free_blocks.njoint = free_blocks.ncontact = 0;
    pp_step_velocity(&free_blocks, NULL, NULL, f->solve.solution.nu);
    bool measured = false;
    st = solve_islands(f, island, n, guess ? &recalled : NULL, o, &measured);
    if (!f->solve.used) f->solve.used = before;
    f->solve.measured = measured;
    if (!o->measure_later) pp_measure_step(f);
    /* rows that were posed anew (driven bodies that stall, motors that yield, what gives way) lie behind the mark */
    if (!st && f->pose.problem.contact == contact && f->pose.problem.joint == joint) pp_arena_release(&w->arena, mark);
    return st;
}

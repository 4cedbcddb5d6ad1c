/* solve_step.c - stage 5: step problem -> impulses and velocity, island by island, through the chain of solvers
 *
 * The first solver gets the impulses of the last step as a guess, then starts cold, then the fallbacks follow. Whatever
 * a solver says of itself, its answer counts only if the laws, measured on the step problem, hold to tolerance. The
 * best answer of all is kept for the report if none does. */
#include <string.h>

#include "problem/islands.h"
#include "problem/rows.h"
#include "world/frame.h"

/* The tries at one problem, and the best answer so far. */
typedef struct trial {
    const perp_step_problem *p;
    perp_step_solution best, answer;
    double *r, *y;     /* njoint, ndof: scratch of the judge */
    double acceptance; /* of the best */
    perp_step_residual residual;
    const perp_solver_type *used;
    perp_solve_info info;
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
        double W = pp_row_inverse_mass(p, &row->row) + row->compliance;
        if (isfinite(row->lo) || isfinite(row->hi)) { /* bounded rows: the natural map */
            double to = W > 0 ? s->p_joint[i] - v / W : s->p_joint[i];
            to = to < row->lo ? row->lo : to > row->hi ? row->hi : to;
            double e = fabs((s->p_joint[i] - to) * W);
            if (!(e <= worst)) worst = e;
            continue;
        }
        r[i] = W > 0 ? v / W : 0; /* the impulse that would remove it if the row were alone */
        pp_row_spread(p, &row->row, r[i], y);
    }
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *row = &p->joint[i];
        if (isfinite(row->lo) || isfinite(row->hi)) continue;
        double e = fabs(pp_row_dot(p, &row->row, y) + row->compliance * r[i]);
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

/* Worst law residual over the speed scale: what is compared with the tolerance. */
static double acceptance(const pp_frame *f, const trial *t, const perp_step_solution *s, perp_step_residual *r) {
    *r = perp_step_problem_residual(t->p, s);
    double joint = reducible_joint_residual(t->p, s, t->r, t->y);
    const double parts[] = {r->momentum, joint, r->normal, r->cone, r->dissipation};
    double worst = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (isnan(parts[i])) return INFINITY;
        if (parts[i] > worst) worst = parts[i];
    }
    /* Velocities are sums of what the impulses make; where those are a million times larger, rounding takes its part of
     * the tolerance. */
    double made = 0;
    for (int i = 0; i < t->p->ncontact; i++)
        made = fmax(made, s->p_contact[3 * i] * pp_row_inverse_mass(t->p, &t->p->contact[i].n));
    double scale = fmax(r->scale, f->h * perp_v3_norm(f->w->def.gravity_W)) + 1e-6 * made;
    return worst > 0 ? worst / (scale > 0 ? scale : 1) : 0;
}

static bool new_solution(pp_arena *a, const perp_step_problem *p, perp_step_solution *s) {
    s->nu = PP_ARENA_ZERO(a, double, p->ndof);
    s->p_joint = PP_ARENA_ZERO(a, double, p->njoint);
    s->p_contact = PP_ARENA_ZERO(a, double, 3 * p->ncontact);
    s->sigma = PP_ARENA_ZERO(a, double, p->ncontact);
    return s->nu && s->p_joint && s->p_contact && s->sigma;
}

static bool new_trial(pp_arena *a, const perp_step_problem *p, trial *t) {
    *t = (trial){.p = p,
                 .r = PP_ARENA_ARRAY(a, double, p->njoint),
                 .y = PP_ARENA_ARRAY(a, double, p->ndof),
                 .acceptance = INFINITY};
    return t->r && t->y && new_solution(a, p, &t->best) && new_solution(a, p, &t->answer);
}

/* One try of one solver: recovers and measures; keeps the answer if it is the best so far. */
static perp_status attempt(const pp_frame *f, trial *t, const pp_converted *c, int which, double *z) {
    perp_world *w = f->w;
    perp_solve_info info = {0};
    perp_status st = pp_solve(w->solver[which], w->settings[which].bytes, &c->problem, z, &w->arena, &info);
    if (!st) st = pp_recover(c, z, &w->arena, &t->answer);
    if (st) return st;
    perp_step_residual r;
    double a = acceptance(f, t, &t->answer, &r);
    t->iterations += info.iterations;
    if (!t->used || a < t->acceptance) {
        perp_step_solution old = t->best;
        t->best = t->answer;
        t->answer = old;
        t->acceptance = a;
        t->residual = r;
        t->info = info;
        t->used = w->solver[which];
    }
    return PERP_OK;
}

static bool bilateral_only(const perp_step_problem *p) {
    if (p->ncontact) return false;
    for (int i = 0; i < p->njoint; i++)
        if (isfinite(p->joint[i].lo) || isfinite(p->joint[i].hi)) return false;
    return true;
}

/* Solves one problem by the chain. `guess`: impulses of the last step, in t->answer; false: none. */
static perp_status solve_one(const pp_frame *f, trial *t, bool guess) {
    perp_world *w = f->w;
    perp_class cls = bilateral_only(t->p) || w->def.form == PERP_FORM_LCP ? PERP_LCP : PERP_MLCP;
    pp_converted c;
    perp_status st = pp_convert(t->p, cls, &w->arena, &c);
    if (st) return pp_fail(w, st, "the step problem could not be formed: %s", perp_status_text(st));
    t->unknowns = c.n;
    double *z = PP_ARENA_ZERO(&w->arena, double, c.n);
    if (!z) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", c.n);
    if (c.n == 0) { /* nothing complementary: joints are eliminated by a linear solve */
        st = pp_recover(&c, z, &w->arena, &t->best);
        if (st) return pp_fail(w, st, "out of memory for the solution");
        t->acceptance = acceptance(f, t, &t->best, &t->residual);
        if (t->acceptance <= w->def.tolerance) return PERP_OK;
        return pp_fail(w, PERP_E_SOLVE,
                       "the joints could not be solved at t = %g: residual %.3g of the speed scale, allowed %.3g",
                       f->s0->t, t->acceptance, w->def.tolerance);
    }
    if (guess) pp_guess(&c, t->answer.p_joint, t->answer.p_contact, t->answer.sigma, z);
    for (int which = 0; which < w->nsolver; which++) {
        if (which > 0) t->fallbacks++;
        for (int cold = 0; cold < 2; cold++) {
            if (!cold && !(guess && which == 0)) continue;
            if (cold) memset(z, 0, (size_t)c.n * sizeof *z);
            pp_arena_mark mark = pp_arena_here(&w->arena);
            st = attempt(f, t, &c, which, z);
            pp_arena_release(&w->arena, mark);
            if (st) return pp_fail(w, st, "solver %s: %s", w->solver[which]->name, perp_status_text(st));
            if (t->acceptance <= w->def.tolerance) return PERP_OK;
        }
    }
    return pp_fail(w, PERP_E_SOLVE,
                   "no solver met the laws at t = %g (h = %g): best is %s (%s) with residual %.3g of the speed scale, "
                   "allowed %.3g; %d contacts, %d joint rows",
                   f->s0->t, f->h, t->used ? t->used->name : "none", perp_outcome_text(t->info.outcome), t->acceptance,
                   w->def.tolerance, t->p->ncontact, t->p->njoint);
}

/* Takes what one problem reported into the frame: sums of work, the worst of the rest. */
static void report(pp_frame *f, const trial *t) {
    f->iterations += t->iterations;
    f->fallbacks += t->fallbacks;
    if (t->unknowns > f->unknowns) f->unknowns = t->unknowns;
    if (t->used && (!f->used || !(t->acceptance <= f->acceptance))) {
        double residual = fmax(f->info.residual, t->info.residual);
        f->used = t->used;
        f->info = t->info;
        f->info.residual = residual;
    }
    if (!(t->acceptance <= f->acceptance)) f->acceptance = t->acceptance;
}

/* Islands one after the other; memory of each is free for the next. */
static perp_status solve_islands(pp_frame *f, const pp_island *island, int n, const perp_step_solution *recalled) {
    pp_arena *a = &f->w->arena;
    perp_status st = PERP_OK;
    for (int k = 0; !st && k < n; k++) {
        pp_arena_mark mark = pp_arena_here(a);
        trial t;
        if (!new_trial(a, &island[k].p, &t)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
        if (recalled) pp_island_gather(&island[k], recalled, &t.answer);
        st = solve_one(f, &t, recalled != NULL);
        pp_island_scatter(&island[k], &f->problem, &t.best, &f->solution);
        report(f, &t);
        pp_arena_release(a, mark);
    }
    return st;
}

perp_status pp_solve_step(pp_frame *f) {
    perp_world *w = f->w;
    pp_island *island;
    int n;
    f->used = NULL;
    f->acceptance = 0;
    perp_status st = pp_islands_split(&f->problem, &w->arena, &island, &n);
    perp_step_solution recalled;
    if (st || !new_solution(&w->arena, &f->problem, &f->solution) || !new_solution(&w->arena, &f->problem, &recalled))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    bool guess = w->def.warm_start && f->purpose == PP_STEP && (w->warm.ncontact || w->warm.njoint);
    if (guess) pp_recall(f, recalled.p_joint, recalled.p_contact, recalled.sigma);
    perp_step_problem free_blocks = f->problem; /* without rows: what bodies in no island do */
    free_blocks.njoint = free_blocks.ncontact = 0;
    pp_step_velocity(&free_blocks, NULL, NULL, f->solution.nu);
    st = solve_islands(f, island, n, guess ? &recalled : NULL);
    f->residual = perp_step_problem_residual(&f->problem, &f->solution);
    return st;
}

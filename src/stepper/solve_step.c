/* solve_step.c - stage 5: step problem -> impulses and velocity, through the chain of solvers
 *
 * The first solver gets the impulses of the last step as a guess, then starts cold, then the fallbacks follow. Whatever
 * a solver says of itself, its answer counts only if the laws, measured on the step problem, hold to tolerance. The
 * best answer of all is kept for the report if none does. */
#include <string.h>

#include "problem/rows.h"
#include "world/frame.h"

/* Room for what is measured on an answer. */
typedef struct measuring {
    perp_step_solution answer;
    double *r, *y; /* njoint, ndof */
} measuring;

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
static double acceptance(const pp_frame *f, const perp_step_solution *s, const measuring *m, perp_step_residual *r) {
    *r = perp_step_problem_residual(&f->problem, s);
    double joint = reducible_joint_residual(&f->problem, s, m->r, m->y);
    const double parts[] = {r->momentum, joint, r->normal, r->cone, r->dissipation};
    double worst = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (isnan(parts[i])) return INFINITY;
        if (parts[i] > worst) worst = parts[i];
    }
    /* Velocities are sums of what the impulses make; where those are a million times larger, rounding takes its part of
     * the tolerance. */
    double made = 0;
    for (int i = 0; i < f->problem.ncontact; i++)
        made = fmax(made, s->p_contact[3 * i] * pp_row_inverse_mass(&f->problem, &f->problem.contact[i].n));
    double scale = fmax(r->scale, f->h * perp_v3_norm(f->w->def.gravity_W)) + 1e-6 * made;
    return worst > 0 ? worst / (scale > 0 ? scale : 1) : 0;
}

static bool new_solution(pp_frame *f, perp_step_solution *s) {
    pp_arena *a = &f->w->arena;
    s->nu = PP_ARENA_ZERO(a, double, f->ndof);
    s->p_joint = PP_ARENA_ZERO(a, double, f->problem.njoint);
    s->p_contact = PP_ARENA_ZERO(a, double, 3 * f->problem.ncontact);
    s->sigma = PP_ARENA_ZERO(a, double, f->problem.ncontact);
    return s->nu && s->p_joint && s->p_contact && s->sigma;
}

/* One try of one solver: recovers and measures; keeps the answer in f if it is the best so far. */
static perp_status attempt(pp_frame *f, const pp_converted *c, int which, double *z, measuring *m) {
    perp_world *w = f->w;
    perp_solve_info info = {0};
    perp_status st = pp_solve(w->solver[which], w->settings[which].bytes, &c->problem, z, &w->arena, &info);
    if (!st) st = pp_recover(c, z, &w->arena, &m->answer);
    if (st) return st;
    perp_step_residual r;
    double a = acceptance(f, &m->answer, m, &r);
    f->iterations += info.iterations;
    if (!f->used || a < f->acceptance) {
        perp_step_solution old = f->solution;
        f->solution = m->answer;
        m->answer = old;
        f->acceptance = a;
        f->residual = r;
        f->info = info;
        f->used = w->solver[which];
    }
    return PERP_OK;
}

static bool bilateral_only(const perp_step_problem *p) {
    if (p->ncontact) return false;
    for (int i = 0; i < p->njoint; i++)
        if (isfinite(p->joint[i].lo) || isfinite(p->joint[i].hi)) return false;
    return true;
}

perp_status pp_solve_step(pp_frame *f) {
    perp_world *w = f->w;
    measuring m = {.r = PP_ARENA_ARRAY(&w->arena, double, f->problem.njoint),
                   .y = PP_ARENA_ARRAY(&w->arena, double, f->ndof)};
    if (!m.r || !m.y || !new_solution(f, &f->solution) || !new_solution(f, &m.answer))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    f->used = NULL;
    f->acceptance = INFINITY;
    bool linear = bilateral_only(&f->problem);
    perp_class cls = linear || w->def.form == PERP_FORM_LCP ? PERP_LCP : PERP_MLCP;
    pp_converted c;
    perp_status st = pp_convert(&f->problem, cls, &w->arena, &c);
    if (st) return pp_fail(w, st, "the step problem could not be formed: %s", perp_status_text(st));
    f->unknowns = c.n;
    double *z = PP_ARENA_ZERO(&w->arena, double, c.n);
    if (!z) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d unknowns", c.n);
    if (c.n == 0) { /* nothing complementary: joints are eliminated by a linear solve */
        st = pp_recover(&c, z, &w->arena, &f->solution);
        if (st) return pp_fail(w, st, "out of memory for the solution");
        f->acceptance = acceptance(f, &f->solution, &m, &f->residual);
        if (f->acceptance <= w->def.tolerance) return PERP_OK;
        return pp_fail(w, PERP_E_SOLVE,
                       "the joints could not be solved at t = %g: residual %.3g of the speed scale, allowed %.3g",
                       f->s0->t, f->acceptance, w->def.tolerance);
    }
    bool warm = w->def.warm_start && f->purpose == PP_STEP && (w->warm.ncontact || w->warm.njoint);
    if (warm) {
        pp_recall(f, m.answer.p_joint, m.answer.p_contact, m.answer.sigma);
        pp_guess(&c, m.answer.p_joint, m.answer.p_contact, m.answer.sigma, z);
    }
    for (int which = 0; which < w->nsolver; which++) {
        if (which > 0) f->fallbacks++;
        for (int cold = 0; cold < 2; cold++) {
            if (!cold && !(warm && which == 0)) continue;
            if (cold) memset(z, 0, (size_t)c.n * sizeof *z);
            pp_arena_mark mark = pp_arena_here(&w->arena);
            st = attempt(f, &c, which, z, &m);
            pp_arena_release(&w->arena, mark);
            if (st) return pp_fail(w, st, "solver %s: %s", w->solver[which]->name, perp_status_text(st));
            if (f->acceptance <= w->def.tolerance) return PERP_OK;
        }
    }
    return pp_fail(w, PERP_E_SOLVE,
                   "no solver met the laws at t = %g (h = %g): best is %s (%s) with residual %.3g of the speed scale, "
                   "allowed %.3g; %d "
                   "contacts, %d joint rows",
                   f->s0->t, f->h, f->used ? f->used->name : "none", perp_outcome_text(f->info.outcome), f->acceptance,
                   w->def.tolerance, f->problem.ncontact, f->problem.njoint);
}

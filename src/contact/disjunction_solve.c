/* disjunction_solve.c - solves a disjunctive step island by island through a chain of solvers
 * Problem  no theorem says that the problem has a solution or that a method finds it (Williams 4.8), and it may have many.
 * Method   the world's solvers in turn, then fischer-newton and path-search if they are not among them, each on both
 *          forms (disjunction.h): from the impulses of the last step, from none, and fischer-newton from random ones. An answer counts only if the judge finds the laws met; the best is kept for the report. */
#include <string.h>

#include "contact/disjunction.h"
#include "contact/model.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "stepper/stepper.h"

/* Random starts of fischer-newton on the exact form; path-search has restarts of its own. */
#define RESTARTS 4
/* An answer this good has the right basis. */
#define NEARLY 1e-4

typedef struct attempts {
    const pp_frame *f;
    const perp_step_problem *p;
    const pp_disjunction *d;
    perp_step_solution best, answer;
    double acceptance;
    perp_step_residual residual;
    const perp_solver_type *used;
    perp_solve_info info;
    int iterations, fallbacks, unknowns;
} attempts;

/* Laws of a solution; the normal ones are those of the disjunction. */
static perp_step_residual measure(const perp_step_problem *p, const pp_disjunction *d, const perp_step_solution *s) {
    perp_step_residual r = perp_step_problem_residual(p, s);
    r.normal = pp_disjunction_residual(d, p, s);
    return r;
}

static double over_scale(const pp_frame *f, const perp_step_residual *r) {
    const double parts[] = {r->momentum, r->joint, r->normal, r->cone, r->dissipation};
    double worst = 0, scale = fmax(r->scale, f->h * perp_v3_norm(f->w->def.gravity_W));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (isnan(parts[i])) return INFINITY;
        worst = fmax(worst, parts[i]);
    }
    return worst > 0 ? worst / (scale > 0 ? scale : 1) : 0;
}

/* Runs a solver from z, measures, keeps the answer if it is the best so far. *latest: how good it was. */
static perp_status attempt(attempts *t, const pp_mixed *m, const perp_solver_type *solver, const void *settings,
                           double *z, double *latest) {
    pp_arena *arena = &t->f->w->arena;
    perp_solve_info info = {0};
    perp_call call = pp_call_within(t->f->w);
    perp_status st = pp_solve_call(&call, solver, settings, &m->problem, z, &info);
    if (t->f->w->stopped) return pp_stopped(t->f->w);
    if (!st) st = pp_mixed_recover(m, z, arena, &t->answer);
    if (st) return st;
    perp_step_residual r = measure(t->p, t->d, &t->answer);
    double a = *latest = over_scale(t->f, &r);
    t->iterations += info.iterations;
    if (t->used && !(a < t->acceptance)) return PERP_OK;
    perp_step_solution old = t->best;
    t->best = t->answer;
    t->answer = old;
    t->acceptance = a;
    t->residual = r;
    t->info = info;
    t->used = solver;
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

/* One solver on one form. *zb: base.n of scratch. */
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
        double latest = INFINITY;
        perp_status st = attempt(t, m, solver, settings, z, &latest);
        if (!st && latest > w->def.tolerance && latest < NEARLY && solver != &pp_solver_lemke) {
            pp_settings exact; /* the right basis, but not its last digits */
            pp_settings_default(&pp_solver_lemke, 0, &exact);
            st = attempt(t, m, &pp_solver_lemke, &exact, z, &latest);
        }
        pp_arena_release(&w->arena, mark);
        if (st == PERP_E_STOPPED) return st;
        if (st) return pp_fail(w, st, "solver %s: %s", solver->name, perp_status_text(st));
        if (t->acceptance <= w->def.tolerance) break;
    }
    return PERP_OK;
}

/* The solvers: those of the world, then two more. */
typedef struct chain {
    const perp_solver_type *solver[PERP_FALLBACK_MAX + 3];
    const void *settings[PERP_FALLBACK_MAX + 3];
    pp_settings own[2];
    int n;
} chain;

/* Largest problem whose bases are all tried: each of them is a linear solve. */
#define ENUMERATE_MOST 12

/* Can the method work on a matrix with zeros on its diagonal that is not monotone? Splitting and interior-point methods
 * cannot, and would only take time. */
static bool fits(const perp_solver_type *s, int n) {
    const perp_solver_type *const not [] = {
        &pp_solver_pgs,         &pp_solver_jacobi,       &pp_solver_psor,           &pp_solver_nncg,
        &pp_solver_fixed_point, &pp_solver_gauss_seidel, &pp_solver_interior_point, &pp_solver_accelerated_gradient,
    };
    if (!(s->takes & (unsigned)PERP_LCP) || (s == &pp_solver_enumerate && n > ENUMERATE_MOST)) return false;
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (s == not [i]) return false;
    return true;
}

/* Many of the problems that Lemke's method leaves have no solution at all, and the step is better halved than fought
 * for: small limits for the solvers that we add, and none for large problems. */
#define ADDED_MOST 250
static const perp_setting patience[] = {{"restarts", 1}, {"max_steps", 100}, {"max_major", 30}};

static void make_chain(const perp_world *w, int n, chain *c) {
    const perp_solver_type *const more[2] = {&pp_solver_fischer_newton, &pp_solver_path_search};
    c->n = 0;
    for (int i = 0; i < w->nsolver; i++) {
        if (!fits(w->solver[i], n)) continue;
        c->settings[c->n] = w->settings[i].bytes;
        c->solver[c->n++] = w->solver[i];
    }
    for (int k = 0; k < 2; k++) {
        bool there = false;
        for (int i = 0; i < c->n; i++) there |= c->solver[i] == more[k];
        if (there || n > ADDED_MOST) continue;
        pp_settings_default(more[k], 0, &c->own[k]);
        for (size_t m = 0; m < sizeof patience / sizeof *patience; m++) /* a field it does not have stays away */
            (void)perp_fields_set(more[k]->fields, more[k]->nfield, &c->own[k], patience[m].name, patience[m].value);
        c->settings[c->n] = c->own[k].bytes;
        c->solver[c->n++] = more[k];
    }
}

/* Nothing complementary: joints are eliminated by a linear solve. */
static perp_status solve_joints(attempts *t, const pp_mixed *m, const double *z) {
    perp_world *w = t->f->w;
    if (pp_mixed_recover(m, z, &w->arena, &t->best)) return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    t->residual = measure(t->p, t->d, &t->best);
    t->acceptance = over_scale(t->f, &t->residual);
    if (t->acceptance <= w->def.tolerance) return PERP_OK;
    return pp_fail(w, PERP_E_SOLVE, "the joints could not be solved at t = %g: residual %.3g of the speed scale",
                   t->f->s0->t, t->acceptance);
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
    for (int i = 0; i < c.n; i++) {
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
                   t->d->gamma > 0 ? w->stepper->name : w->model->name, t->f->s0->t, t->f->h,
                   t->used ? t->used->name : "none", perp_outcome_text(t->info.outcome), t->acceptance,
                   w->def.tolerance, t->p->ncontact, t->d->ngroup);
}

/* The part of the disjunction that an island holds; where: scratch, ncontact of the whole. */
static bool part_of(const pp_disjunction *d, const pp_island *island, int *where, pp_arena *a, pp_disjunction *out) {
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
    for (int g = 0; g < d->ngroup; g++) { /* all contacts of a group are of one pair, so of one island */
        const pp_group *whole = &d->group[g];
        if (where[d->member[whole->first]] < 0) continue;
        out->group[out->ngroup++] = (pp_group){out->nmember, whole->count, whole->primary};
        for (int k = 0; k < whole->count; k++) out->member[out->nmember++] = where[d->member[whole->first + k]];
    }
    return true;
}

static void report(pp_frame *f, const attempts *t) {
    f->iterations += t->iterations;
    f->fallbacks += t->fallbacks;
    if (t->unknowns > f->unknowns) f->unknowns = t->unknowns;
    if (t->used && (!f->used || !(t->acceptance <= f->acceptance))) {
        f->used = t->used;
        f->info = t->info;
    }
    if (!(t->acceptance <= f->acceptance)) f->acceptance = t->acceptance;
}

static void show(const attempts *t, int island, perp_status st, const perp_step_solution *recalled) {
    const perp_world *w = t->f->w;
    if (!w->capture.look || (st && st != PERP_E_SOLVE)) return;
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
    w->capture.look(&c, w->capture.ctx);
}

static perp_status solve_island(pp_frame *f, const pp_disjunction *d, const pp_island *island, int number,
                                const perp_step_solution *recalled, int *where) {
    pp_arena *a = &f->w->arena;
    pp_disjunction part;
    attempts t = {.f = f, .p = &island->p, .d = &part, .acceptance = INFINITY, .info = {.solver = ""}};
    perp_step_solution mine;
    if (!part_of(d, island, where, a, &part) || !pp_solution_new(a, &island->p, &t.best) ||
        !pp_solution_new(a, &island->p, &t.answer) || !pp_solution_new(a, &island->p, &mine))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the solution");
    if (recalled) pp_island_gather(island, recalled, &mine);
    perp_status st = solve_one(&t, recalled ? &mine : NULL);
    show(&t, number, st, recalled ? &mine : NULL);
    pp_island_scatter(island, &f->problem, &t.best, &f->solution);
    report(f, &t);
    return st;
}

perp_status pp_disjunction_solve(pp_frame *f, const pp_disjunction *d) {
    perp_world *w = f->w;
    pp_island *island;
    int n;
    f->used = NULL;
    f->acceptance = 0;
    int *where = PP_ARENA_ARRAY(&w->arena, int, d->ncontact);
    perp_step_solution recalled;
    perp_status st = pp_islands_split(&f->problem, &w->arena, &island, &n);
    if (st || !where || !pp_solution_new(&w->arena, &f->problem, &f->solution) ||
        !pp_solution_new(&w->arena, &f->problem, &recalled))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the solution");
    bool guess = w->def.warm_start && (w->warm.ncontact || w->warm.njoint);
    if (guess) pp_recall(f, &recalled);
    perp_step_problem free_blocks = f->problem; /* without rows: what bodies in no island do */
    free_blocks.njoint = free_blocks.ncontact = 0;
    pp_step_velocity(&free_blocks, NULL, NULL, f->solution.nu);
    for (int k = 0; !st && k < n; k++) {
        pp_arena_mark mark = pp_arena_here(&w->arena);
        st = solve_island(f, d, &island[k], k, guess ? &recalled : NULL, where);
        pp_arena_release(&w->arena, mark);
    }
    f->residual = measure(&f->problem, d, &f->solution);
    return st;
}

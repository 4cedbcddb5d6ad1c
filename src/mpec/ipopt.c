/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipopt.c - the program handed to Ipopt, with products relaxed and tightened
 *
 * Problem   minimise the objective subject to g_L <= g(z) <= g_U, lo <= z <= hi; the complementarity products among g have
 *           0 as their only value in the end, which leaves no interior point.
 * Method    Scholtes' relaxation: products <= t, solved for t = relax_start ... relax_end, each from the answer of the one
 *           before, with its multipliers. The objective is divided so that its gradient is of order one at every level
 *           of noise (pp_mpec_weigh). Solves before the last are ended early: their tolerance is 0.01 t.
 * Valid     limit points are C-stationary under MPEC-LICQ (Scholtes 2001); a local minimum of the estimation problem is not
 *           guaranteed. The bias of t is of the order t, in units of the step's impulses and speeds.
 * Threads   MUMPS keeps global state: a mutex lets one call at a time into Ipopt.
 * Source    Scholtes, SIAM J. Optim. 11 (2001) 918; Waechter, Biegler, Math. Program. 106 (2006) 25. Ipopt is under the Eclipse
 *           Public License; perp only calls it. */
#include <math.h>

#include "base/refuse.h"
#include "mpec/ipopt_library.h"
#include "mpec/mpec.h"

bool perp_mpec_available(void) { return !pp_ipopt_missing(); }

#ifndef PERP_HAVE_IPOPT

perp_status pp_mpec_ipopt(pp_mpec *m, double *z, perp_mpec_result *out) {
    (void)z;
    (void)out;
    return pp_refuse(m->why, m->why_size, PERP_E_FIT, "this perp %s", pp_ipopt_missing());
}

#else

#include <pthread.h>

#define NO_BOUND 2e19 /* Ipopt takes what is beyond 1e19 as infinite */
#define MOST_BETWEEN \
    300 /* iterations of a solve before the last: 10 to 60 are usual, one that stalls need not be ended */
#define BOUND_RELAX 1e-4 /* bound of the products from which on bounds of rows are in force */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What the callbacks share. */
typedef struct run {
    pp_mpec *m;
    int iterations; /* of the solve under way */
} run;

static Bool value_of(Index n, Number *z, Bool fresh, Number *f, UserDataPtr ctx) {
    (void)n;
    (void)fresh;
    const pp_mpec *m = ((run *)ctx)->m;
    *f = pp_mpec_objective(m, z) / m->objective_unit;
    return isfinite(*f) ? TRUE : FALSE;
}

static Bool gradient_of(Index n, Number *z, Bool fresh, Number *d, UserDataPtr ctx) {
    (void)fresh;
    const pp_mpec *m = ((run *)ctx)->m;
    for (int i = 0; i < n; i++) d[i] = 2 * m->weight_sum[i] * (z[i] - m->target[i]) / m->objective_unit;
    return TRUE;
}

static Bool constraints_of(Index n, Number *z, Bool fresh, Index rows, Number *g, UserDataPtr ctx) {
    (void)n;
    (void)fresh;
    (void)rows;
    return pp_mpec_constraints(((run *)ctx)->m, z, g) ? TRUE : FALSE;
}

static void places(const pp_cells *c, Index *row, Index *col) {
    for (int e = 0; e < c->n; e++) {
        row[e] = c->cell[e].row;
        col[e] = c->cell[e].col;
    }
}

static Bool jacobian_of(Index n, Number *z, Bool fresh, Index rows, Index count, Index *row, Index *col, Number *value,
                        UserDataPtr ctx) {
    (void)n;
    (void)fresh;
    (void)rows;
    (void)count;
    pp_mpec *m = ((run *)ctx)->m;
    if (value) return pp_mpec_jacobian(m, z, value) ? TRUE : FALSE;
    places(&m->jacobian, row, col);
    return TRUE;
}

static Bool hessian_of(Index n, Number *z, Bool fresh, Number factor, Index rows, Number *lambda, Bool fresh_lambda,
                       Index count, Index *row, Index *col, Number *value, UserDataPtr ctx) {
    (void)n;
    (void)fresh;
    (void)rows;
    (void)fresh_lambda;
    (void)count;
    pp_mpec *m = ((run *)ctx)->m;
    if (value) return pp_mpec_hessian(m, z, factor, lambda, value) ? TRUE : FALSE;
    places(&m->hessian, row, col);
    return TRUE;
}

static Bool count_iteration(Index mode, Index iteration, Number f, Number primal, Number dual, Number mu, Number step,
                            Number regular, Number alpha_d, Number alpha_p, Index trials, UserDataPtr ctx) {
    (void)mode, (void)f, (void)primal, (void)dual, (void)mu, (void)step, (void)regular;
    (void)alpha_d, (void)alpha_p, (void)trials;
    ((run *)ctx)->iterations = iteration;
    return TRUE;
}

/* Ipopt's interface takes what it does not change as char *. */
static bool text_option(IpoptProblem p, const char *name, const char *value) {
    return pp_ipopt_load()->text_option(p, (char *)(uintptr_t)name, (char *)(uintptr_t)value) != FALSE;
}
static bool number_option(IpoptProblem p, const char *name, double value) {
    return pp_ipopt_load()->number_option(p, (char *)(uintptr_t)name, value) != FALSE;
}
static bool count_option(IpoptProblem p, const char *name, int value) {
    return pp_ipopt_load()->count_option(p, (char *)(uintptr_t)name, value) != FALSE;
}

/* Everything that the solves share. */
typedef struct space {
    double *lo, *hi, *g_lo, *g_hi; /* bounds as Ipopt wants them */
    double *lambda, *z_lo, *z_hi;  /* multipliers */
} space;

static bool make_space(pp_mpec *m, space *s) {
    pp_arena *a = &m->arena;
    s->lo = PP_ARENA_ARRAY(a, double, m->n);
    s->hi = PP_ARENA_ARRAY(a, double, m->n);
    s->g_lo = PP_ARENA_ZERO(a, double, m->m);
    s->g_hi = PP_ARENA_ZERO(a, double, m->m);
    s->lambda = PP_ARENA_ZERO(a, double, m->m);
    s->z_lo = PP_ARENA_ZERO(a, double, m->n);
    s->z_hi = PP_ARENA_ZERO(a, double, m->n);
    return s->lo && s->hi && s->g_lo && s->g_hi && s->lambda && s->z_lo && s->z_hi;
}

/* One of the solves. */
typedef struct stage {
    double t;         /* bound of the products */
    bool first, last; /* of all of them */
    int most;         /* iterations that are left to it */
    int iterations;   /* out: taken */
} stage;

static enum ApplicationReturnStatus solve_one(pp_mpec *m, space *s, stage *g, double *z) {
    double t = g->t;
    for (int i = 0; i < m->n; i++) {
        s->lo[i] = fmax(m->lo[i], -NO_BOUND);
        s->hi[i] = fmin(m->hi[i], NO_BOUND);
    }
    for (int k = 1; k <= m->steps; k++)
        for (int c = 0; c < m->nproduct; c++) {
            int row = pp_mpec_row(m, k) + m->nlaw + m->ndof + c;
            s->g_lo[row] = -NO_BOUND;
            s->g_hi[row] = t;
        }
    const pp_ipopt *ipopt = pp_ipopt_load();
    IpoptProblem p = ipopt->create(m->n, s->lo, s->hi, m->m, s->g_lo, s->g_hi, m->jacobian.n, m->hessian.n, 0, value_of,
                                   constraints_of, gradient_of, jacobian_of, hessian_of);
    if (!p) return Insufficient_Memory;
    bool ok = count_option(p, "print_level", 0) && text_option(p, "sb", "yes") &&
              text_option(p, "option_file_name", "") && text_option(p, "linear_solver", "mumps") &&
              text_option(p, "nlp_scaling_method", "none") && number_option(p, "bound_relax_factor", 0) &&
              text_option(p, "mu_strategy", "adaptive") && count_option(p, "max_iter", g->most) &&
              number_option(p, "tol", g->last ? fmin(m->o.tolerance, t) : fmax(m->o.tolerance, 1e-2 * fmin(t, 1e-2)));
    if (!g->first)
        ok = ok && text_option(p, "warm_start_init_point", "yes") && number_option(p, "warm_start_bound_push", 1e-9) &&
             number_option(p, "warm_start_mult_bound_push", 1e-9) && number_option(p, "warm_start_bound_frac", 1e-9) &&
             number_option(p, "warm_start_slack_bound_push", 1e-9) &&
             number_option(p, "warm_start_slack_bound_frac", 1e-9) && number_option(p, "mu_init", fmin(0.1, t));
    enum ApplicationReturnStatus r = Invalid_Option;
    run ctx = {m, 0};
    if (ok && ipopt->set_callback(p, count_iteration))
        r = ipopt->solve(p, z, NULL, NULL, s->lambda, s->z_lo, s->z_hi, &ctx);
    ipopt->destroy(p);
    g->iterations = ctx.iterations;
    return r;
}

static const char *words(enum ApplicationReturnStatus r) {
    switch (r) {
    case Infeasible_Problem_Detected: return "the laws and bounds have no common point near the last iterate";
    case Search_Direction_Becomes_Too_Small: return "search direction becomes too small";
    case Diverging_Iterates: return "the iterates diverge";
    case Restoration_Failed: return "the search for a feasible point failed";
    case Error_In_Step_Computation: return "the linear system of a step could not be solved";
    case Maximum_Iterations_Exceeded: return "too many iterations (max_iterations)";
    case Not_Enough_Degrees_Of_Freedom: return "fewer unknowns than equations";
    case Invalid_Number_Detected: return "the laws could not be evaluated at the start";
    case Insufficient_Memory: return "out of memory";
    default: return "internal error of the solver";
    }
}

static bool solved(enum ApplicationReturnStatus r) { return r == Solve_Succeeded || r == Solved_To_Acceptable_Level; }

/* Solves with t from `t` down to relax_end. */
static enum ApplicationReturnStatus relax(pp_mpec *m, space *s, double t, double *z, perp_mpec_result *out) {
    const perp_mpec_options *o = &m->o;
    enum ApplicationReturnStatus r = Internal_Error;
    for (bool last = false; !last; t = fmax(t * o->relax_factor, o->relax_end)) {
        last = m->nproduct == 0 || !(t > o->relax_end * (1 + 1e-9)); /* without contacts there is nothing to relax */
        stage g = {t, out->solves == 0, last, o->max_iterations - out->iterations, 0};
        if (g.most < 1) return Maximum_Iterations_Exceeded;
        if (!last && g.most > MOST_BETWEEN) g.most = MOST_BETWEEN;
        r = solve_one(m, s, &g, z);
        out->iterations += g.iterations;
        out->solves++;
        out->relaxation = t;
        if (m->trouble && !solved(r)) return r;
        if (r == Insufficient_Memory || r == Invalid_Option) return r;
        double before = m->objective_unit, f = pp_mpec_objective(m, z) / m->p->nrow;
        pp_mpec_weigh(m, f);
        double change = before / m->objective_unit;
        for (int i = 0; i < m->m; i++) s->lambda[i] *= change;
        for (int i = 0; i < m->n; i++) s->z_lo[i] *= change, s->z_hi[i] *= change;
    }
    return r;
}

perp_status pp_mpec_ipopt(pp_mpec *m, double *z, perp_mpec_result *out) {
    space s;
    if (!pp_ipopt_load()) return pp_refuse(m->why, m->why_size, PERP_E_FIT, "this perp %s", pp_ipopt_missing());
    if (!make_space(m, &s)) return pp_refuse(m->why, m->why_size, PERP_E_MEMORY, "out of memory for the program");
    pp_mpec_weigh(m, 1);
    pthread_mutex_lock(&lock);
    enum ApplicationReturnStatus r = relax(m, &s, m->o.relax_start, z, out);
    if (solved(r) && pp_mpec_row_excess(m, z) > 0) {
        perp_status st = pp_mpec_bound_rows(m);
        if (!st) r = relax(m, &s, fmax(m->o.relax_end, fmin(m->o.relax_start, BOUND_RELAX)), z, out);
        if (st) {
            pthread_mutex_unlock(&lock);
            return st;
        }
    }
    pthread_mutex_unlock(&lock);
    if (solved(r)) return PERP_OK;
    if (r == Insufficient_Memory) return pp_refuse(m->why, m->why_size, PERP_E_MEMORY, "Ipopt ran out of memory");
    if (m->trouble && m->why[0]) return m->trouble;
    return pp_refuse(m->why, m->why_size, PERP_E_SOLVE, "Ipopt, with products <= %g: %s (status %d)", out->relaxation,
                     words(r), (int)r);
}

#endif

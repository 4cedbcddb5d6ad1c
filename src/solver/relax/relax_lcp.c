/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* relax_lcp.c - sweeps over the rows of an LCP or mixed LCP, Gauss-Seidel and Jacobi
 *   0 <= z  _|_  w = M z + q >= 0        M: n x n, column-major, after reduce.c
 * Method   Variables in order, each solved with all others constant. One with a diagonal: z_i <- max(0, z_i - f w_i/M_ii). A row without one
 *          (slip speed of a contact, multiplier of an upper bound) forms a block with all variables that it couples, and its small LCP is
 *          solved exactly (blocks.c). Jacobi moves all from the old w, each by the fraction 1/(row sum of |M| relative to the diagonal),
 *          enlarged by power iterations that show how much these sums overestimate M.
 * Valid    Symmetric positive semidefinite M with a solution; with friction usually, slowly.
 * Cost     At most 2 n^2 flops per sweep, 2 n for each variable that changes; memory as M.
 * Source   Cottle, Pang, Stone (1992), 5.1-5.3; Mangasarian, Solution of symmetric linear complementarity problems by
 *          iterative methods (1977) for over-relaxation and Jacobi. */
#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "solver/common/blocks.h"
#include "solver/relax/pace.h"
#include "solver/relax/relax.h"

typedef struct rows {
    pp_reduction r;
    pp_plain p;
    pp_groups g;
    pp_block k;
    double *z, *w, *share, *target;
    double size, goal; /* largest |q_i|/ws_i: the unit of the residual; residual that is checked twice */
    bool *in;
    int age; /* number of measures since w was recomputed */
    const pp_relax *o;
} rows;

static void refresh(rows *s) {
    const pp_plain *p = &s->p;
    memcpy(s->w, p->q, sizeof *s->w * (size_t)p->n);
    for (int j = 0; j < p->n; j++)
        if (s->z[j] != 0) pp_axpy(p->n, s->z[j], p->M + (ptrdiff_t)p->n * j, s->w);
    s->age = 0;
}

/* Largest |min(z, w)| in natural scales over the size of q. */
static double residual(const rows *s) {
    double most = 0;
    for (int i = 0; i < s->p.n; i++) {
        double a = s->z[i] / s->p.zs[i], b = s->w[i] / s->p.ws[i], r = fabs(a < b ? a : b);
        if (!isfinite(a) || !isfinite(b)) return INFINITY;
        if (r > most) most = r;
    }
    return most / s->size;
}

static double measure(void *self) {
    rows *s = self;
    double r = s->age < 0 ? 0 : residual(s);
    if (r <= s->goal || ++s->age > PP_REFRESH) { /* w may have drifted by rounding: recompute it before accepting */
        refresh(s);
        r = residual(s);
    }
    return r;
}

static void admit(void *self) {
    rows *s = self;
    for (int i = 0; i < s->p.n; i++)
        if (!(s->z[i] > 0)) s->z[i] = 0;
    s->age = -1; /* w no longer belongs to z */
}

static void answer(void *self, const double *x, double *z) {
    rows *s = self;
    pp_reduce_answer(&s->r, x, z);
}

static void move(rows *s, int i, double next) {
    if (!(next > 0)) next = 0;
    double change = next - s->z[i];
    if (change == 0) return;
    s->z[i] = next;
    pp_axpy(s->p.n, change, s->p.M + (ptrdiff_t)s->p.n * i, s->w);
}

/* The solution of group b with all others constant, written to target by variable. Returns false if there is none; the
 * group stays. */
static bool group_target(rows *s, int b) {
    int m = s->g.start[b + 1] - s->g.start[b];
    const int *v = s->g.member + s->g.start[b];
    double diagonal = s->p.M[v[0] + (ptrdiff_t)s->p.n * v[0]];
    if (m == 1 && diagonal > 0) {
        s->target[v[0]] = s->z[v[0]] - s->w[v[0]] / diagonal;
        return true;
    }
    if (!pp_block_solve(&s->k, &s->g, &s->p, m, v, s->z, s->w, s->in)) return false;
    for (int i = 0; i < m; i++) s->target[v[i]] = s->k.x[i];
    return true;
}

static double gauss_seidel(void *self, double step) {
    rows *s = self;
    double f = step * s->o->relaxation;
    int last = s->g.count - 1;
    for (int count = 0; count < (s->o->symmetric ? 2 : 1) * s->g.count; count++) {
        int b = count <= last ? count : 2 * last + 1 - count;
        if (!group_target(s, b)) continue;
        for (int k = s->g.start[b]; k < s->g.start[b + 1]; k++) {
            int i = s->g.member[k];
            move(s, i, f == 1 ? s->target[i] : s->z[i] + f * (s->target[i] - s->z[i]));
        }
    }
    return INFINITY;
}

static double jacobi(void *self, double step) {
    rows *s = self;
    double f = step * s->o->relaxation;
    for (int b = 0; b < s->g.count; b++)
        if (!group_target(s, b))
            for (int k = s->g.start[b]; k < s->g.start[b + 1]; k++) s->target[s->g.member[k]] = s->z[s->g.member[k]];
    for (int i = 0; i < s->p.n; i++) move(s, i, s->z[i] + f * s->share[i] * (s->target[i] - s->z[i]));
    return INFINITY;
}

/* Shares of Jacobi, one per group. */
static void find_shares(rows *s) {
    ptrdiff_t n = s->p.n;
    const double *M = s->p.M;
    double *x = s->target, *y = s->w, lambda = 1;
    for (int i = 0; i < n; i++) {
        double d = M[i + n * i], sum = 0;
        for (int j = 0; j < n && d > 0; j++)
            if (M[j + n * j] > 0) sum += fabs(M[i + n * j]) / sqrt(d * M[j + n * j]);
        s->share[i] = sum > 1 ? sum : 1;
        x[i] = d > 0 ? 1 + 0.3 * (i % 7) - 0.2 * (i % 5) : 0;
    }
    for (int b = 0; b < s->g.count; b++) {
        double most = 1;
        for (int k = s->g.start[b]; k < s->g.start[b + 1]; k++) most = fmax(most, s->share[s->g.member[k]]);
        for (int k = s->g.start[b]; k < s->g.start[b + 1]; k++) s->share[s->g.member[k]] = most;
    }
    for (int step = 0; step < PP_POWER_STEPS; step++) {
        double before = 0, after = 0;
        for (int i = 0; i < n; i++) y[i] = 0, before += x[i] * x[i];
        for (int j = 0; j < n; j++)
            if (x[j] != 0) pp_axpy((int)n, x[j] / sqrt(M[j + n * j]), M + n * j, y);
        for (int i = 0; i < n; i++) {
            double d = M[i + n * i];
            x[i] = d > 0 ? y[i] / sqrt(d) / s->share[i] : 0;
            after += x[i] * x[i];
        }
        if (!(after > 0) || !isfinite(after)) break;
        lambda = sqrt(after / before);
        for (int i = 0; i < n; i++) x[i] /= sqrt(after);
    }
    for (int i = 0; i < n; i++) s->share[i] = fmin(1, 1 / (PP_POWER_SAFE * lambda * s->share[i]));
}

static bool make(rows *s, const perp_problem *problem, const pp_relax *o, const double *z, const perp_call *call) {
    void *work = perp_call_memory(call, pp_reduce_work(problem));
    if (!work) return false;
    pp_reduce(&s->r, problem, work);
    s->p = s->r.lcp;
    int n = s->p.n;
    pp_workspace count = {0}, at = {0};
    pp_groups_lay_out(&s->g, n, &count);
    pp_block_lay_out(&s->k, n, &count);
    at.base = perp_call_memory(call, count.used);
    double *zs = PP_CALL_ARRAY(call, double, n);
    s->z = PP_CALL_ARRAY(call, double, n);
    s->w = PP_CALL_ARRAY(call, double, n);
    s->share = PP_CALL_ARRAY(call, double, n);
    s->target = PP_CALL_ARRAY(call, double, n);
    s->in = PP_CALL_ARRAY(call, bool, n);
    if (!at.base || !zs || !s->z || !s->w || !s->share || !s->target || !s->in) return false;
    pp_groups_lay_out(&s->g, n, &at);
    pp_block_lay_out(&s->k, n, &at);
    double most = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++) most = fmax(most, fabs(s->p.M[i]));
    for (int i = 0; i < n; i++) zs[i] = problem->z_scale || !(most > 0) ? s->p.zs[i] : 1 / most; /* as the judge does */
    s->p.zs = zs;
    pp_groups_find(&s->g, &s->p);
    if (o->together) find_shares(s);
    pp_reduce_guess(&s->r, z, s->z);
    s->size = 0;
    for (int i = 0; i < n; i++) {
        s->size = fmax(s->size, fabs(s->p.q[i]) / s->p.ws[i]);
        s->in[i] = s->z[i] > 0;
    }
    if (!(s->size > 0)) s->size = 1;
    s->goal = o->tol;
    s->o = o;
    s->age = -1;
    return true;
}

typedef perp_outcome loop(pp_sweeper *, const pp_relax *, const perp_call *, perp_solve_info *);

static perp_outcome drive(const perp_problem *p, const pp_relax *o, loop *run, double *z, const perp_call *call,
                          perp_solve_info *info) {
    rows s;
    info->iterations = 0;
    info->warm = false;
    if (!make(&s, p, o, z, call)) return PERP_OUTCOME_MEMORY;
    for (int i = 0; i < s.p.n; i++) {
        if (s.z[i] > 0) info->warm = true;
        if (!isfinite(s.p.q[i])) return PERP_OUTCOME_NUMERICS;
    }
    pp_sweeper sweeper = {.n = s.p.n,
                          .x = s.z,
                          .unit = s.p.zs,
                          .out = z,
                          .every = 1,
                          .self = &s,
                          .sweep = o->together ? jacobi : gauss_seidel,
                          .measure = measure,
                          .admit = admit,
                          .answer = answer};
    perp_outcome outcome = run(&sweeper, o, call, info);
    pp_reduce_answer(&s.r, s.z, z);
    if (outcome != PERP_OUTCOME_SOLVED) info->warm = false;
    return outcome;
}

perp_outcome pp_lcp_relax(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                          perp_solve_info *info) {
    return drive(p, o, pp_relax_run, z, call, info);
}

perp_outcome pp_lcp_nncg(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                         perp_solve_info *info) {
    return drive(p, o, pp_nncg_run, z, call, info);
}

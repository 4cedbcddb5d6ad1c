/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_pgs.c - projected block Gauss-Seidel for LCP, mixed LCP and cones
 *   0 <= z  _|_  w = M z + q >= 0        M: n x n, column-major
 * Method   Variables in order, each solved with all others constant. One with a diagonal: z_i <- max(0, z_i - w_i/M_ii). A row without one (slip
 *          speed of a contact, multiplier of an upper bound) does not determine its own variable: it forms a block with all variables that it
 *          couples, whose small LCP is solved exactly (blocks.c). So one contact with friction takes one sweep. Both may be over- or
 *          under-relaxed. w is updated by columns. Free variables of mixed problems are eliminated first (reduce.c). If successive changes
 *          have the same direction and decrease slowly, z is moved by the sum of the geometric series that they begin (Aitken). A jump after
 *          which the sweeps change much more than before is rejected, and the next one is shorter. If changes reverse instead and nothing
 *          improves, steps are shortened. Cones: one projected step per contact (relax.c).
 * Valid    Converges for symmetric positive semidefinite M with a solution; with friction usually, slowly for stacks and large mass ratios. If it
 *          does not converge, it reports PERP_OUTCOME_LIMIT and returns the best point seen. Ends early if nothing moves, or if the
 *          residual is within SLACK of tol and stays: feet that are not coplanar to the last digit.
 * Cost     At most 2 n^2 flops per sweep, 2 n for each variable that changes; memory as M.
 * Source   Williams (2.46)-(2.47), signs as in the errata; Cottle, Pang, Stone (1992) 5.2 (block splitting); Jean, The
 *          non-smooth contact dynamics method (1999) for contacts as blocks. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/kernel.h"
#include "solver/common/blocks.h"
#include "solver/relax/pace.h"
#include "solver/relax/relax.h"
#include "solver/common/solver.h"

/* Constants, beside those of pace.h: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Smallest length of stalled steps, relative to those of the method. */
#define LEAST_STEP 0.05
/* [1] If the residual has stalled below this multiple of the goal, the iteration ends. */
#define SLACK 100

typedef struct settings {
    int max_sweeps;
    bool extrapolate;
    double relaxation;
    double tol;
} settings;

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(settings, max_sweeps), 5000, 1, 1e9, "sweeps over all rows"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(settings, relaxation), 1, 1e-3, 1.999,
     "below 1 damps, above 1 over-relaxes"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-11, 1e-16, 1, "residual, relative to q, at which to stop"},
    {"extrapolate", PERP_FIELD_BOOL, offsetof(settings, extrapolate), 1, 0, 1,
     "extrapolate if the sweeps converge slowly along a line"},
};

typedef struct layout {
    pp_groups g;
    pp_block k;
    double *z, *w, *best;
    double *last, *change; /* z before the latest sweep, and what the one before that changed */
    double *saved;         /* z before a jump */
    bool *in;
    const perp_call *call;
    const pp_reduction *r; /* for the watch: how to make an answer of z, and where */
    double *out;
} layout;

static void lay_out(layout *l, int n, pp_workspace *c) {
    l->z = PP_CARVE(c, double, n);
    l->w = PP_CARVE(c, double, n);
    l->best = PP_CARVE(c, double, n);
    l->last = PP_CARVE(c, double, n);
    l->change = PP_CARVE(c, double, n);
    l->saved = PP_CARVE(c, double, n);
    l->in = PP_CARVE(c, bool, n);
    pp_groups_lay_out(&l->g, n, c);
    pp_block_lay_out(&l->k, n, c);
}

static int plain_size(const perp_problem *p) {
    if (p->cls == PERP_LCP) return p->as.lcp.n;
    int n = 0;
    for (int i = 0; i < p->as.mlcp.n; i++) {
        bool lo = p->as.mlcp.lo[i] > -INFINITY, hi = p->as.mlcp.hi[i] < INFINITY;
        if (!(lo && hi && p->as.mlcp.lo[i] == p->as.mlcp.hi[i])) n += lo + hi;
    }
    return n;
}

static size_t head_size(const perp_problem *p) { return (pp_reduce_work(p) + 15) / 16 * 16; }

static size_t work_size(const perp_problem *p, const void *set) {
    (void)set;
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) return 0;
    pp_workspace c = {0};
    layout l;
    lay_out(&l, plain_size(p), &c);
    return head_size(p) + c.used;
}

static void refresh(const pp_plain *p, const double *z, double *w) {
    memcpy(w, p->q, sizeof *w * (size_t)p->n);
    for (int j = 0; j < p->n; j++)
        if (z[j] != 0) pp_axpy(p->n, z[j], p->M + (ptrdiff_t)p->n * j, w);
}

/* Largest |min(z, w)| in natural scales; INFINITY if something is not finite. */
static double measure(const pp_plain *p, const double *z, const double *w) {
    double most = 0;
    for (int i = 0; i < p->n; i++) {
        double a = z[i] / p->zs[i], b = w[i] / p->ws[i], r = fabs(a < b ? a : b);
        if (!isfinite(a) || !isfinite(b)) return INFINITY;
        if (r > most) most = r;
    }
    return most;
}

/* Moves z_i towards x and keeps w up to date. */
static bool move(layout *l, const pp_plain *p, int i, double x, double step) {
    double next = step == 1 ? x : l->z[i] + step * (x - l->z[i]);
    if (!(next > 0)) next = 0;
    double change = next - l->z[i];
    if (change == 0) return false;
    l->z[i] = next;
    pp_axpy(p->n, change, p->M + (ptrdiff_t)p->n * i, l->w);
    return true;
}

/* One sweep; returns false if nothing changed. A block without a solution of its own stays. */
static bool sweep(layout *l, const pp_plain *p, double step) {
    bool moved = false;
    for (int i = 0; i < p->n; i++) {
        l->change[i] = l->z[i] - l->last[i];
        l->last[i] = l->z[i];
    }
    for (int b = 0; b < l->g.count; b++) {
        int m = l->g.start[b + 1] - l->g.start[b];
        const int *v = l->g.member + l->g.start[b];
        double diagonal = p->M[v[0] + (ptrdiff_t)p->n * v[0]];
        if (m == 1 && diagonal > 0) {
            if (move(l, p, v[0], l->z[v[0]] - step * l->w[v[0]] / diagonal, 1)) moved = true;
        } else if (pp_block_solve(&l->k, &l->g, p, m, v, l->z, l->w, l->in)) {
            for (int i = 0; i < m; i++)
                if (move(l, p, v[i], l->k.x[i], step)) moved = true;
        }
    }
    return moved;
}

/* Comparison of the last sweep's change with the one before, in natural scales. */
typedef struct course {
    double pace;   /* its length */
    double rate;   /* its component along the one before, divided by the length of that */
    double cosine; /* cosine of the angle between them; NaN if one is zero */
} course;

static course look_back(const layout *l, const pp_plain *p) {
    double aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < p->n; i++) {
        double a = (l->z[i] - l->last[i]) / p->zs[i], b = l->change[i] / p->zs[i];
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    return (course){sqrt(aa), ab / bb, ab / sqrt(aa * bb)};
}

/* z + trust (r + r^2 + ...) change, r the rate. */
static bool jump(layout *l, const pp_plain *p, const course *c, double trust) {
    if (!(c->cosine > PP_JUMP_ALIGNED) || !(c->rate > PP_JUMP_SLOW && c->rate < 1)) return false;
    double f = trust * fmin(c->rate / (1 - c->rate), PP_JUMP_LONGEST);
    memcpy(l->saved, l->z, sizeof *l->z * (size_t)p->n);
    for (int i = 0; i < p->n; i++) {
        l->z[i] += f * (l->z[i] - l->last[i]);
        if (!(l->z[i] > 0)) l->z[i] = 0;
    }
    refresh(p, l->z, l->w);
    return true;
}

static perp_outcome iterate(layout *l, const pp_plain *p, const settings *s, double size, perp_solve_info *info) {
    double goal = s->tol * size, least = INFINITY, window = INFINITY;
    double step = 1, trust = 1, pace = 0;    /* pace: before the last jump */
    int jumped = 0, check = PP_STALL_WINDOW; /* sweeps at the last jump, and when to look for a stall */
    refresh(p, l->z, l->w);
    for (int i = 0; i < p->n; i++) {
        l->last[i] = l->z[i];
        l->change[i] = 0;
    }
    for (int count = 0;; count++) {
        double r = measure(p, l->z, l->w);
        if (r <= goal) { /* w may have drifted by rounding: recompute it before accepting */
            refresh(p, l->z, l->w);
            r = measure(p, l->z, l->w);
        } else if (count % PP_REFRESH == PP_REFRESH - 1) {
            refresh(p, l->z, l->w);
        }
        if (!isfinite(r)) return PERP_OUTCOME_NUMERICS;
        if (r < least) {
            least = r;
            memcpy(l->best, l->z, sizeof *l->z * (size_t)p->n);
        }
        if (r <= goal) return PERP_OUTCOME_SOLVED;
        if (perp_call_watched(l->call)) pp_reduce_answer(l->r, l->z, l->out);
        if (!perp_call_look(l->call, count, l->out)) return PERP_OUTCOME_STOPPED;
        if (count == s->max_sweeps) return PERP_OUTCOME_LIMIT;
        course c = look_back(l, p);
        if (jumped > 0 && count == jumped + PP_JUMP_JUDGED) {
            if (c.pace < PP_JUMP_WORSE * pace) {
                trust = fmin(1, PP_JUMP_GROW * trust);
            } else {
                memcpy(l->z, l->saved, sizeof *l->z * (size_t)p->n);
                refresh(p, l->z, l->w);
                trust = trust / (PP_JUMP_GROW * PP_JUMP_GROW);
            }
        } else if (count >= jumped + PP_JUMP_REST) {
            if (count >= check) {
                bool stalled = !(least < PP_STALLED * window);
                if (stalled && least <= SLACK * goal) return PERP_OUTCOME_LIMIT;
                if (stalled && !(c.cosine > PP_ALONG) && step > LEAST_STEP) step *= PP_SHORTER;
                window = least;
                check = count + PP_STALL_WINDOW;
            }
            if (s->extrapolate && jump(l, p, &c, trust)) {
                jumped = count;
                pace = c.pace;
            }
        }
        if (!sweep(l, p, step * s->relaxation)) return PERP_OUTCOME_LIMIT;
        info->iterations++;
    }
}

static perp_outcome solve(const perp_problem *problem, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    if (problem->cls == PERP_CONE || problem->cls == PERP_CONE_QP) {
        const settings *s = set;
        pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation};
        o.extrapolate = s->extrapolate;
        return pp_cone_relax(problem, &o, z, call, info);
    }
    pp_reduction r;
    pp_reduce(&r, problem, work);
    const pp_plain *p = &r.lcp;
    layout l;
    pp_workspace c = {(char *)work + head_size(problem), 0};
    lay_out(&l, p->n, &c);
    double size = 0;
    info->iterations = 0;
    info->warm = false;
    pp_reduce_guess(&r, z, l.z);
    for (int i = 0; i < p->n; i++) {
        double a = fabs(p->q[i]) / p->ws[i];
        if (!isfinite(a)) return PERP_OUTCOME_NUMERICS;
        if (a > size) size = a;
        l.in[i] = l.z[i] > 0;
        if (l.in[i]) info->warm = true;
        l.best[i] = l.last[i] = l.z[i];
    }
    pp_groups_find(&l.g, p);
    l.call = call;
    l.r = &r;
    l.out = z;
    perp_outcome outcome = iterate(&l, p, set, size, info);
    pp_reduce_answer(&r, l.best, z);
    if (outcome != PERP_OUTCOME_SOLVED) info->warm = false;
    return outcome;
}

const perp_solver_type pp_solver_pgs = {
    .abi = PERP_ABI,
    .name = "pgs",
    .source = "Williams (2.46)-(2.47); Cottle, Pang, Stone (1992) 5.2",
    .takes = PERP_LCP | PERP_MLCP | PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .work_size = work_size,
    .solve = solve,
};

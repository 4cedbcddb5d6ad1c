/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* relax_fixed.c - projected fixed point with adapted steps
 *   x = P(x - r_i F(x)) exactly at a solution, P the projection on bounds or cones, r_i > 0 one step per block
 * Method   y = P(x - r F(x)); r is shortened until r |F(y) - F(x)| <= 0.9 |x - y|, and lengthened next time if the ratio is below 0.4 (all lengths
 *          in the metric of the r_i, whose ratios come from the rows of the matrix: blocks on which many others act take shorter steps).
 *          Cones: x <- y, with the jumps of relax_run.c. Bounds: skew parts of F (friction in an LCP) would make this cycle, so a corrector
 *          follows, x <- P(x - g a r F(y)), where a is the length along d = x - y - r (F(x) - F(y)) that brings x nearest to all
 *          solutions, and g the relaxation.
 * Valid    Bounds: F monotone with a solution: converges. Cones: associated law with symmetric W: converges; Coulomb's law, which is not quite
 *          monotone: usually, slowly.
 * Cost     One F per step and O(n), two with the corrector; some more when r is shortened.
 * Source   Foerg, Pfeiffer, Ulbrich, Simulation of unilateral constrained systems with many bodies (2005), Studer,
 *          Numerics of Unilateral Contacts and Friction (2009), 5, for r; He, Liao, Improvements of some projection methods
 *          for monotone nonlinear variational inequalities (2002) for test and corrector. */
#include <math.h>
#include <string.h>

#include "solver/common/box.h"
#include "solver/relax/pace.h"
#include "solver/relax/relax.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] The step is too long if the change of velocity over the change of impulse, in units of the step, exceeds this. */
#define TOO_LONG 0.9
/* [1] The step is too short if this ratio is below this. */
#define TOO_SHORT 0.4
/* [1] Factor of a step that is too long. */
#define SHORTER 0.6667
/* [1] Factor of a step that is too short. */
#define LONGER 1.5
/* [tries] Largest number of times that a step is shortened. */
#define TRIES 60
/* [steps] Number of steps within which the residual must decrease to PP_STALLED of its value. */
#define WINDOW 1000
/* [windows] Number of successive windows without that which end the iteration. */
#define PATIENCE 2

typedef struct fixed {
    int n;
    double *x, *f, *y, *g, *weight;
    double r;
    void *self;
    bool (*F)(void *self, const double *x, double *f);
    void (*admit)(void *self, double *x);
    double (*measure)(void *self, const double *x, const double *f); /* unit-free, f = F(x) */
} fixed;

static void step(const fixed *s, double r, const double *f, double *x) {
    for (int i = 0; i < s->n; i++) x[i] = s->x[i] - r * s->weight[i] * f[i];
    s->admit(s->self, x);
}

/* Predictor at step r: y, g = F(y), and r |g - f|/|x - y|; INFINITY if F is not defined there. */
static double predict(fixed *s, double r) {
    double ff = 0, dd = 0;
    step(s, r, s->f, s->y);
    if (!s->F(s->self, s->y, s->g)) return INFINITY;
    for (int i = 0; i < s->n; i++) {
        double d = s->x[i] - s->y[i], e = s->f[i] - s->g[i];
        dd += d * d / s->weight[i];
        ff += e * e * s->weight[i];
    }
    double ratio = dd > 0 ? r * sqrt(ff / dd) : 0;
    return isfinite(ratio) ? ratio : INFINITY;
}

/* Predictor with a step that is short enough. Returns the ratio; above TOO_LONG if none was found. */
static double try_steps(fixed *s) {
    double ratio = INFINITY;
    for (int attempt = 0; attempt < TRIES && s->r > 1e-300; attempt++) {
        ratio = predict(s, s->r);
        if (ratio <= TOO_LONG) break;
        s->r *= SHORTER * fmin(1, 1 / ratio);
    }
    return ratio;
}

/* Length of the corrector step; 0 if there is no direction. */
static double length_along(const fixed *s, double r) {
    double xd = 0, dd = 0;
    for (int i = 0; i < s->n; i++) {
        double u = s->x[i] - s->y[i], d = u - r * s->weight[i] * (s->f[i] - s->g[i]);
        xd += u * d / s->weight[i];
        dd += d * d / s->weight[i];
    }
    return dd > 0 ? xd / dd : 0;
}

static perp_outcome iterate(fixed *s, pp_sweeper *show, pp_best *best, const pp_relax *o, const perp_call *call,
                            perp_solve_info *info) {
    double window = INFINITY;
    int stalls = 0, check = WINDOW;
    if (!s->F(s->self, s->x, s->f)) return PERP_OUTCOME_NUMERICS;
    for (int count = 0;; count++) {
        double residual = s->measure(s->self, s->x, s->f);
        pp_best_note(best, s->n, s->x, residual);
        if (residual <= o->tol) return PERP_OUTCOME_SOLVED;
        if (!isfinite(residual)) return PERP_OUTCOME_NUMERICS;
        if (count >= o->max_sweeps) return PERP_OUTCOME_LIMIT;
        if (!pp_sweeper_look(show, count, call)) return PERP_OUTCOME_STOPPED;
        if (count >= check) {
            stalls = best->least < PP_STALLED * window ? 0 : stalls + 1;
            if (stalls >= PATIENCE) return PERP_OUTCOME_LIMIT;
            window = best->least;
            check = count + WINDOW;
        }
        double ratio = try_steps(s);
        if (!(ratio <= TOO_LONG)) return PERP_OUTCOME_NUMERICS;
        double r = s->r;
        double a = length_along(s, r), f = o->relaxation * a;
        info->iterations++;
        bool defined = false;
        for (int attempt = 0; attempt < TRIES && !defined; attempt++, f *= 0.5) { /* shorter if F is not defined */
            step(s, f * r, s->g, s->y);
            defined = s->F(s->self, s->y, s->f);
        }
        if (!defined) return PERP_OUTCOME_NUMERICS;
        if (memcmp(s->x, s->y, sizeof *s->x * (size_t)s->n) == 0) return PERP_OUTCOME_LIMIT; /* nothing moves */
        memcpy(s->x, s->y, sizeof *s->x * (size_t)s->n);
        if (ratio < TOO_SHORT) s->r *= LONGER;
    }
}

static bool make(fixed *s, const perp_call *call) {
    s->f = PP_CALL_ARRAY(call, double, s->n);
    s->y = PP_CALL_ARRAY(call, double, s->n);
    s->g = PP_CALL_ARRAY(call, double, s->n);
    s->r = 1;
    return s->f && s->y && s->g;
}

static bool all_zero(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

/* ---- cones ------------------------------------------------------------------------------------------------------- */

typedef struct coned {
    pp_cone_sweeps s;
    fixed f;
    bool known; /* f.f = F(x) */
} coned;

static bool cone_F(void *self, const double *x, double *f) {
    const pp_cone *c = &((coned *)self)->s.c;
    pp_cone_apply(c, x, f);
    for (int i = 0; i < c->m; i++) {
        f[i] += c->q[i];
        if (!isfinite(f[i])) return false;
    }
    for (int i = c->nrow; i < c->nblock && !c->associated; i++) {
        double *v = f + c->first[i], slip = 0;
        for (int k = 1; k < c->dim; k++) slip += v[k] * v[k];
        v[0] += c->mu[i] * sqrt(slip);
    }
    return true;
}

static void cone_admit(void *self, double *x) {
    pp_cone_sweeps *s = &((coned *)self)->s;
    double *keep = s->x;
    s->x = x;
    pp_cone_sweeps_admit(s);
    s->x = keep;
}

static double cone_sweep(void *self, double scale) {
    coned *k = self;
    fixed *f = &k->f;
    double r = f->r;
    if (!k->known && !cone_F(self, f->x, f->f)) return INFINITY;
    f->r *= scale;
    double ratio = try_steps(f);
    if (!(ratio <= TOO_LONG)) { /* x stays */
        f->r = r;
        return INFINITY;
    }
    f->r /= scale;
    if (ratio < TOO_SHORT * scale) f->r *= LONGER;
    memcpy(f->x, f->y, sizeof *f->x * (size_t)f->n);
    memcpy(f->f, f->g, sizeof *f->f * (size_t)f->n);
    k->known = true;
    return INFINITY;
}

static double cone_measure(void *self) { return pp_cone_sweeps_measure(&((coned *)self)->s); }

static void cone_admit_all(void *self) {
    coned *k = self;
    pp_cone_sweeps_admit(&k->s);
    k->known = false;
}

static void cone_answer(void *self, const double *x, double *z) { pp_cone_unscale(&((coned *)self)->s.c, x, z); }

perp_outcome pp_cone_fixed_point(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                                 perp_solve_info *info) {
    coned k = {.known = false};
    pp_cone_sweeps *s = &k.s;
    pp_relax with = *o;
    with.together = with.extrapolate = true; /* together: for the shares of the blocks */
    with.window = WINDOW;
    perp_outcome outcome;
    info->iterations = 0;
    info->warm = !all_zero(perp_problem_size(p), z);
    if (!pp_cone_sweeps_make(s, p, &with, z, call, &outcome)) {
        info->warm = false;
        return outcome;
    }
    double *weight = PP_CALL_ARRAY(call, double, s->c.m);
    k.f = (fixed){.n = s->c.m, .x = s->x, .weight = weight, .self = &k, .F = cone_F, .admit = cone_admit};
    if (!weight || !make(&k.f, call)) return PERP_OUTCOME_MEMORY;
    for (int i = 0; i < s->c.nblock; i++)
        for (int j = s->c.first[i]; j < s->c.first[i + 1]; j++) weight[j] = 1 / s->slow[i];
    pp_sweeper sweeper = {.n = s->c.m,
                          .x = s->x,
                          .out = z,
                          .every = perp_call_watched(call) ? 1 : 4,
                          .self = &k,
                          .sweep = cone_sweep,
                          .measure = cone_measure,
                          .admit = cone_admit_all,
                          .answer = cone_answer};
    outcome = pp_relax_run(&sweeper, &with, call, info);
    pp_cone_unscale(&s->c, s->x, z);
    if (outcome != PERP_OUTCOME_SOLVED) info->warm = false;
    return outcome;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

typedef struct boxed {
    pp_box b;
    double *lo, *hi, *zs; /* bounds of x = z/zs, units of z */
    double *z;
    double size;
} boxed;

static bool box_F(void *self, const double *x, double *f) {
    boxed *s = self;
    for (int i = 0; i < s->b.n; i++) s->z[i] = s->zs[i] * x[i];
    pp_box_clip(&s->b, s->z);
    if (!pp_box_F(&s->b, s->z, f)) return false;
    for (int i = 0; i < s->b.n; i++) f[i] /= s->b.ws[i];
    return true;
}

static void box_admit(void *self, double *x) {
    boxed *s = self;
    for (int i = 0; i < s->b.n; i++) x[i] = x[i] < s->lo[i] ? s->lo[i] : x[i] > s->hi[i] ? s->hi[i] : x[i];
}

static double box_measure(void *self, const double *x, const double *f) {
    boxed *s = self;
    double most = 0;
    for (int i = 0; i < s->b.n; i++) { /* mid(x - hi, f, x - lo) */
        double r = f[i] < x[i] - s->hi[i] ? x[i] - s->hi[i] : f[i] > x[i] - s->lo[i] ? x[i] - s->lo[i] : f[i];
        if (!isfinite(r)) return INFINITY;
        most = fmax(most, fabs(r));
    }
    return most / s->size;
}

static void box_answer(void *self, const double *x, double *z) {
    boxed *s = self;
    for (int i = 0; i < s->b.n; i++) z[i] = s->zs[i] * x[i];
    pp_box_clip(&s->b, z);
}

/* Weights from the rows of J in scaled variables. J: values, row: n of scratch. Returns the largest |J_ij|. */
static double row_sums(const pp_box *b, const double *J, const double *zs, double *sum) {
    double most = 0;
    for (int i = 0; i < b->n; i++) sum[i] = 0;
    for (int j = 0; j < b->n; j++) {
        ptrdiff_t from = b->dense ? (ptrdiff_t)b->n * j : b->start[j], to = b->dense ? from + b->n : b->start[j + 1];
        for (ptrdiff_t k = from; k < to; k++) {
            int i = b->dense ? (int)(k - from) : b->index[k];
            sum[i] += fabs(J[k]) * zs[j] / b->ws[i];
            most = fmax(most, fabs(J[k]));
        }
    }
    return most;
}

perp_outcome pp_box_fixed_point(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                                perp_solve_info *info) {
    boxed s;
    info->iterations = 0;
    info->warm = false;
    if (!pp_box_make(&s.b, p, call)) return PERP_OUTCOME_MEMORY;
    int n = s.b.n;
    double *x = PP_CALL_ARRAY(call, double, n), *weight = PP_CALL_ARRAY(call, double, n);
    double *J = PP_CALL_ARRAY(call, double, s.b.linear ? 1 : s.b.nnz);
    s.lo = PP_CALL_ARRAY(call, double, n);
    s.hi = PP_CALL_ARRAY(call, double, n);
    s.zs = PP_CALL_ARRAY(call, double, n);
    s.z = PP_CALL_ARRAY(call, double, n);
    if (!x || !weight || !J || !s.lo || !s.hi || !s.zs || !s.z) return PERP_OUTCOME_MEMORY;
    info->warm = !all_zero(n, z);
    pp_box_clip(&s.b, z);
    memcpy(s.zs, s.b.zs, sizeof *s.zs * (size_t)n);
    bool known = s.b.linear || pp_box_J(&s.b, z, J);
    double most = known ? row_sums(&s.b, s.b.linear ? s.b.J0 : J, s.zs, weight) : 0;
    for (int i = 0; i < n && !p->z_scale && most > 0; i++) s.zs[i] = 1 / most; /* as the judge does */
    if (known) row_sums(&s.b, s.b.linear ? s.b.J0 : J, s.zs, weight);
    for (int i = 0; i < n; i++) {
        weight[i] = known && weight[i] > 0 ? 1 / weight[i] : 1;
        s.lo[i] = s.b.lo[i] / s.zs[i], s.hi[i] = s.b.hi[i] / s.zs[i];
        x[i] = z[i] / s.zs[i];
    }
    s.size = 0; /* of w(0); if it is not defined, of w at the start */
    memset(s.z, 0, sizeof *s.z * (size_t)n);
    double *w = PP_CALL_ARRAY(call, double, n);
    if (!w) return PERP_OUTCOME_MEMORY;
    if (pp_box_F(&s.b, s.z, w) || pp_box_F(&s.b, z, w))
        for (int i = 0; i < n; i++) s.size = fmax(s.size, fabs(w[i]) / s.b.ws[i]);
    if (!(s.size > 0)) s.size = 1;
    fixed f = {.n = n, .x = x, .weight = weight, .self = &s, .F = box_F, .admit = box_admit, .measure = box_measure};
    pp_sweeper show = {.n = n, .x = x, .out = z, .self = &s, .answer = box_answer};
    pp_best best = {PP_CALL_ARRAY(call, double, n), INFINITY};
    if (!best.x || !make(&f, call)) return PERP_OUTCOME_MEMORY;
    memcpy(best.x, x, sizeof *x * (size_t)n);
    perp_outcome outcome = iterate(&f, &show, &best, o, call, info);
    memcpy(x, best.x, sizeof *x * (size_t)n);
    box_answer(&s, x, z);
    if (outcome != PERP_OUTCOME_SOLVED) info->warm = false;
    return outcome;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* relax_run.c - the loop around sweeps: when to stop, to shorten steps, to extrapolate
 * Method   Sweeps until the residual is small enough. If successive changes have the same direction and decrease slowly, x is moved by the sum of
 *          the geometric series that they begin (Aitken). A jump after which the sweeps change much more than before is rejected, and the
 *          next one is shorter. If nothing improves over a window of sweeps and the changes reverse, steps are shortened from the best
 *          point on. If they do not reverse, or steps are short already, the loop ends after a few more windows.
 * Valid    Any kind of sweeps. The best point measured is returned.
 * Cost     O(n) beside each sweep.
 * Source   Aitken's delta-squared for vectors: Brezinski, Redivo Zaglia, Extrapolation Methods (1991), 4. */
#include <math.h>
#include <string.h>

#include "solver/relax/pace.h"
#include "solver/relax/relax.h"

/* Constants, beside those of pace.h: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Smallest length of stalled steps, relative to those of the method. */
#define LEAST_STEP 0.1
/* [windows] Number of successive windows without progress that end the sweeps. */
#define PATIENCE 4
/* [sweeps] Sweeps between two checks of the clock. */
#define LOOK_EVERY 16

void pp_best_note(pp_best *b, int n, const double *x, double residual) {
    if (!(residual < b->least)) return;
    b->least = residual;
    memcpy(b->x, x, sizeof *x * (size_t)n);
}

bool pp_sweeper_look(pp_sweeper *s, int count, const perp_call *call) {
    if (!perp_call_watched(call)) return count % LOOK_EVERY != 0 || perp_call_look(call, count, NULL);
    s->answer(s->self, s->x, s->out);
    return perp_call_look(call, count, s->out);
}

typedef struct run {
    pp_sweeper *s;
    pp_best best;
    double *last, *change, *saved; /* x before the latest sweep, change of the sweep before, x before a jump */
    double step, trust, pace, window;
    int jumped, check, stalls, broken;
} run;

/* Comparison of the last change with the one before. */
typedef struct course {
    /* length; component along the one before, divided by the length of that; cosine of the angle */
    double pace, rate, cosine;
} course;

static course look_back(const run *r) {
    double aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < r->s->n; i++) {
        double unit = r->s->unit ? r->s->unit[i] : 1, a = (r->s->x[i] - r->last[i]) / unit, b = r->change[i] / unit;
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    return (course){sqrt(aa), ab / bb, ab / sqrt(aa * bb)};
}

static void copy(int n, double *to, const double *from) { memcpy(to, from, sizeof *to * (size_t)n); }

/* Call after x was changed other than by a sweep. */
static void settle(run *r) {
    r->s->admit(r->s->self);
    r->s->measure(r->s->self);
}

static bool jump(run *r, const course *c) {
    if (!(c->cosine > PP_JUMP_ALIGNED) || !(c->rate > PP_JUMP_SLOW && c->rate < 1)) return false;
    double f = r->trust * fmin(c->rate / (1 - c->rate), PP_JUMP_LONGEST);
    copy(r->s->n, r->saved, r->s->x);
    for (int i = 0; i < r->s->n; i++) r->s->x[i] += f * (r->s->x[i] - r->last[i]);
    settle(r);
    return true;
}

/* Checks the last jump, detects stalls, jumps. Returns false if no further progress is expected. */
static bool steer(run *r, const pp_relax *o, int count) {
    course c = look_back(r);
    if (r->jumped > 0 && count == r->jumped + PP_JUMP_JUDGED) {
        if (c.pace < PP_JUMP_WORSE * r->pace) {
            r->trust = fmin(1, PP_JUMP_GROW * r->trust);
        } else {
            copy(r->s->n, r->s->x, r->saved);
            settle(r);
            r->trust = r->trust / (PP_JUMP_GROW * PP_JUMP_GROW);
        }
        return true;
    }
    if (r->jumped > 0 && count < r->jumped + PP_JUMP_REST) return true;
    if (count >= r->check) {
        bool stalled = !(r->best.least < PP_STALLED * r->window);
        r->stalls = stalled ? r->stalls + 1 : 0;
        r->window = r->best.least;
        r->check = count + (o->window > 0 ? o->window : PP_STALL_WINDOW);
        if (stalled && !(c.cosine > PP_ALONG) && r->step > LEAST_STEP) {
            r->step *= PP_SHORTER;
            r->stalls = 0;
            copy(r->s->n, r->s->x, r->best.x);
            settle(r);
            return true;
        }
        if (r->stalls >= PATIENCE) return false;
    }
    if (o->extrapolate && count > 2 && jump(r, &c)) {
        r->jumped = count;
        r->pace = c.pace;
    }
    return true;
}

static perp_outcome sweeps(run *r, const pp_relax *o, const perp_call *call, perp_solve_info *info) {
    pp_sweeper *s = r->s;
    double idea = 0;
    for (int count = 0;; count++) {
        bool last = count >= o->max_sweeps;
        if (count % s->every == 0 || idea <= 2 * o->tol || last) {
            double residual = s->measure(s->self);
            pp_best_note(&r->best, s->n, s->x, residual);
            if (residual <= o->tol) return PERP_OUTCOME_SOLVED;
            if (!isfinite(residual)) { /* steps much too long */
                if (++r->broken > 20) return PERP_OUTCOME_NUMERICS;
                r->step *= 0.5;
                copy(s->n, s->x, r->best.x);
                copy(s->n, r->last, s->x);
                settle(r);
            }
        }
        if (last) return PERP_OUTCOME_LIMIT;
        if (!pp_sweeper_look(s, count, call)) return PERP_OUTCOME_STOPPED;
        if (!steer(r, o, count)) return PERP_OUTCOME_LIMIT;
        for (int i = 0; i < s->n; i++) r->change[i] = s->x[i] - r->last[i];
        copy(s->n, r->last, s->x);
        idea = s->sweep(s->self, r->step);
        info->iterations++;
        if (memcmp(r->last, s->x, sizeof *s->x * (size_t)s->n) == 0) { /* nothing moves any more */
            double residual = s->measure(s->self);
            pp_best_note(&r->best, s->n, s->x, residual);
            return residual <= o->tol ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_LIMIT;
        }
    }
}

perp_outcome pp_relax_run(pp_sweeper *s, const pp_relax *o, const perp_call *call, perp_solve_info *info) {
    run r = {.s = s, .step = 1, .trust = 1, .window = INFINITY, .check = o->window > 0 ? o->window : PP_STALL_WINDOW};
    r.best = (pp_best){PP_CALL_ARRAY(call, double, s->n), INFINITY};
    r.last = PP_CALL_ARRAY(call, double, s->n);
    r.change = PP_CALL_ARRAY(call, double, s->n);
    r.saved = PP_CALL_ARRAY(call, double, s->n);
    if (!r.best.x || !r.last || !r.change || !r.saved) return PERP_OUTCOME_MEMORY;
    copy(s->n, r.best.x, s->x);
    copy(s->n, r.last, s->x);
    for (int i = 0; i < s->n; i++) r.change[i] = 0;
    perp_outcome outcome = sweeps(&r, o, call, info);
    copy(s->n, s->x, r.best.x);
    return outcome;
}

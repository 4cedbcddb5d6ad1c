/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* step.c - one time step, from start to commit
 *
 * A stage reads what the stage before it wrote. The world changes only in commit, so a failure anywhere leaves it as it
 * was at the start. A step that cannot be solved is halved, and its parts again. */
#include <string.h>

#include "base/clock.h"
#include "base/rounding.h"
#include "method/contact/end_pose.h"
#include "stage/contact_model.h"
#include "stage/solve/jammed.h"
#include "stage/solve/sense.h"
#include "method/stepper/joint_closure.h"
#include "stage/solve/joint_rounds.h"
#include "step/rebound_limit.h"
#include "stage/stepper.h"
#include "model/actuator.h"
#include "model/budget.h"
#include "stage/frame.h"
#include "step/impact_order.h"
#include "step/stagger.h"
#include "step/watch.h"
#include "method/contact/solve_contacts.h"
#include "stage/certify/certify.h"
#include "stage/certify/contact_work.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/solve/solve.h"
#include "stage/update/update.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [tries] Number of times that a frame is redone because bodies met that were not expected to. Half and double: other
 * bits only. */
#define MAX_WIDENINGS 3
/* [1] Energy that contacts may add to an island in a part of a step that can be divided, as a part of its own: what a
 * whole run may gain and be good. Half: work +1 %; double: other bits only. */
#define MAX_GAIN 1e-3
/* [1] Gain of the halves, as a part of that of the whole, up to which they are taken in its place: errors of the
 * length of the step fall to a half. Half and double: no effect. */
#define LESS_GAIN 0.9

static double clocked_so_far(const perp_world *w) {
    double sum = 0;
    for (int i = 0; i < PERP_STAGE_COUNT; i++) sum += w->last.timing[i];
    return sum;
}

/* A stepper with equations of its own, from forces to the next state. */
static perp_status own_step(pp_frame *f) {
    double t = pp_clock();
    perp_status s = pp_control(f);
    pp_clocked(f->w, PERP_STAGE_CONTROL, &t);
    double before = clocked_so_far(f->w);
    if (!s) s = f->w->chosen.stepper->step(f);
    f->w->last.timing[PERP_STAGE_SOLVER] -=
        clocked_so_far(f->w) - before; /* stages that it went through are counted there */
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    return s;
}

static perp_status run_frame(pp_frame *f, perp_certificate *cert) {
    bool own = f->w->chosen.stepper->step != NULL;
    perp_status s = own ? own_step(f) : pp_solve_frame(f);
    double t = pp_clock();
    if (!s && !own) pp_tamper(f, PP_SOLVED);
    if (!s && !own) s = pp_update(f); /* velocity   -> next state              */
    if (!s) s = pp_check_closure(f);
    pp_clocked(f->w, PERP_STAGE_UPDATE, &t);
    if (!s) f->s1->part = f->h;
    if (!s) pp_tamper(f, PP_MOVED);
    if (!s) s = pp_certify(f, cert); /* next state -> figures                 */
    pp_clocked(f->w, PERP_STAGE_CERTIFICATE, &t);
    return s;
}

/* Did two shapes come to overlap between which no contact was foreseen? */
static bool missed_contact(const pp_frame *f, const perp_certificate *cert) {
    const int *s = cert->overlap_shape;
    if (s[0] < 0) return false;
    double size = fmin(f->w->shape[s[0]].g->size, f->w->shape[s[1]].g->size);
    if (!(cert->overlap > PP_RESIDUAL * size)) return false;
    for (int i = 0; i < f->contacts.n; i++) {
        const int *c = f->contacts.shape + 2 * i;
        if ((c[0] == s[0] && c[1] == s[1]) || (c[0] == s[1] && c[1] == s[0])) return false;
    }
    return true;
}

perp_status pp_substep(perp_world *w, const pp_span *x, pp_state *s1, pp_frame *f, perp_certificate *cert) {
    perp_status st = PERP_OK;
    double factor = 2, travel = 0;
    pp_chain_damping *chain_damping = NULL;
    int nchain_damping = 0;
    bool rippled = w->chosen.stepper->step != NULL; /* those have equations of their own */
    pp_rebound_limits *rebounds = PP_ARENA_ZERO(&w->arena, pp_rebound_limits, 1);
    if (!rebounds) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    for (int widenings = 0; widenings <= MAX_WIDENINGS;) {
        *f = (pp_frame){
            .w = w,
            .s0 = x->s0,
            .s1 = s1,
            .h = x->h,
            .purpose = PP_STEP,
            .task = {.held = x->held,
                     .acts = x->acts,
                     .flying = x->flying,
                     .nflying = x->nflying,
                     .reach_factor = factor,
                     .last_resort = x->last,
                     .implicit_turn = (w->chosen.stepper->step && !w->chosen.stepper->half_kicks) ||
                                      w->def.geometry == PERP_GEOMETRY_END,
                     .half = w->chosen.stepper->half_kicks,
                     .least_travel = travel},
            .method = {.jammed = x->jammed},
            .demand = {.rebounds = rebounds, .chain_damping = chain_damping, .nchain_damping = nchain_damping}};
        pp_state_copy(w, s1, x->s0);
        s1->made_by = f;
        bool again = false;
        st = run_frame(f, cert);
        if (!st && !rippled) {
            rippled = true;
            /* rounds of joints have looked for them after the first answer; contacts that came later may have added some */
            if (f->demand.nchain_damping == 0 && (!f->demand.joints || f->contacts.n > 0))
                st = pp_find_ripples(f, &chain_damping, &nchain_damping);
            again = nchain_damping > 0;
        }
        if (!st && !again) {
            st = pp_limit_rebounds(f, rebounds, &again);
            if (!st && !again) st = pp_limit_push_out(f, rebounds, &again);
        } else if (!again && st == PERP_E_SOLVE && (x->last || *x->stops) &&
                   (again = pp_give_up_rebounds(f, rebounds))) {
            *x->stops = true;
            st = PERP_OK;
        }
        if (st) return st;
        if (again) continue; /* what is looked for stays as wide */
        if (w->chosen.model->solve || w->chosen.stepper->step || !missed_contact(f, cert)) break;
        travel = pp_farthest_travel(f);
        if (widenings++ > 0)
            factor *= 8; /* at first that may be enough: a wide reach finds planes that end before they are met */
    }
    pp_tell_rebounds(rebounds, cert);
    return st; /* an overlap that was not foreseen stands in the certificate */
}

/* For perp_world_problem(); a frame may fail before there is one. */
static void keep_problem(const pp_frame *f) {
    f->w->last.problem = f->pose.problem;
    f->w->last.has_problem = f->pose.problem.h > 0;
}

/* A part of a step, solved or not; frame and end state lie in the arena. */
typedef struct part {
    pp_frame *f;
    pp_state *end;
    perp_certificate c;
    perp_status st;
    pp_frame **parts; /* nparts of them, if impacts divided it; NULL: f alone */
    int nparts;
} part;

/* The parts a step was divided into, in their order. */
typedef struct parts {
    pp_frame **frame;
    int n, cap;
    pp_state *end; /* of the last */
    bool impacts;  /* impacts divided one of them */
    const perp_wrench *held;
    perp_certificate *cert; /* of all of them */
    int rejected;           /* parts whose error was too large */
    bool stops;             /* one had an answer only without restitution: the others need not be divided to learn it */
    bool jammed;            /* one had an answer only where overlap may stay: the same */
    bool was_jammed;        /* so had the last part of the step before */
    bool gains;             /* contacts gained in the shortest part that there may be: the same */
    const pp_state *shortest_from; /* where the shortest part was tried last; NULL: nowhere */
    bool shortest_jams;            /* it had no answer there */
} parts;

/* pp_order_impacts() with half of the work of the part. Where impacts are too many for that, all at once have the other half. */
static perp_status order_impacts(perp_world *w, const pp_span *span, const pp_frame *whole, pp_state *end,
                                 pp_ordered *o) {
    double limit = pp_budget_share(&w->run.work, w->run.work.limit);
    perp_status st = pp_order_impacts(w, span, whole, end, o);
    w->run.work.limit = limit;
    return st;
}

/* What may be done to solve a part. */
typedef enum effort {
    ORDINARY,
    LAST,  /* no shorter part follows: whatever the contact model has for that */
    JAMMED /* the same, and nothing is asked to open from the first */
} effort;

/* Solves a part of length h from s0, as a whole. */
static part solve_part(perp_world *w, parts *p, const pp_state *s0, double h, effort e) {
    part x = {.f = PP_ARENA_ZERO(&w->arena, pp_frame, 1),
              .end = PP_ARENA_ZERO(&w->arena, pp_state, 1), /* frames keep pointers to it */
              .c = PERP_CERTIFICATE_NONE,
              .st = PERP_E_MEMORY};
    if (!x.f || !x.end) {
        (void)pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
        return x;
    }
    x.st = pp_state_new(w, x.end);
    if (x.st) return x;
    pp_span span = {
        .s0 = s0, .h = h, .held = p->held, .last = e != ORDINARY, .jammed = e == JAMMED, .stops = &p->stops};
    bool ordered = pp_orders_impacts(w);
    pp_ordered o = {0};
    (void)pp_budget_share(&w->run.work, w->run.work_limit); /* what follows has the other half */
    if (ordered) x.st = order_impacts(w, &span, NULL, x.end, &o);
    bool given_up = x.st == PERP_E_SOLVE;
    if (given_up || (!x.st && !o.divided)) {
        o.divided = false;
        x.st = pp_substep(w, &span, x.end, x.f, &x.c);
        if (!x.st && ordered && !given_up) {
            x.st = order_impacts(w, &span, x.f, x.end, &o);
            given_up = x.st == PERP_E_SOLVE;
            if (given_up) { /* its end was written over */
                o.divided = false;
                x.st = pp_substep(w, &span, x.end, x.f, &x.c);
            }
        }
        if (!x.st && given_up) x.c.rebounds_given_up++;
    }
    w->run.work.limit = w->run.work_limit;
    if (x.st || !o.divided) return x;
    x.parts = o.frame;
    x.nparts = o.n;
    x.c = o.c;
    x.f = o.frame[o.n - 1];
    return x;
}

static perp_status take(perp_world *w, parts *p, const part *x) {
    int n = x->parts ? x->nparts : 1;
    if (p->n + n > p->cap) {
        int cap = 2 * (p->n + n);
        pp_frame **more = PP_ARENA_ARRAY(&w->arena, pp_frame *, cap);
        if (!more) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
        if (p->n) memcpy(more, p->frame, (size_t)p->n * sizeof *more);
        p->frame = more;
        p->cap = cap;
    }
    for (int i = 0; i < n; i++) {
        p->frame[p->n] = x->parts ? x->parts[i] : x->f;
        p->jammed |= p->frame[p->n++]->method.jammed;
    }
    p->end = x->end;
    p->impacts |= x->parts != NULL;
    perp_certificate_add(p->cert, &x->c);
    return PERP_OK;
}

/* No shorter part is tried: what is known of the failure. */
static perp_status give_up(parts *p, part *x) {
    pp_certify_answer(x->f, &x->c);
    keep_problem(x->f);
    x->f->w->run.work.limit = x->f->w->run.work.done + PP_LAST_SHARE * x->f->w->run.work_limit;
    pp_name_jam(x->f);
    pp_name_unclosed(x->f);
    perp_certificate_add(p->cert, &x->c);
    return x->st;
}

/* How far two states of the world lie apart: the largest distance of a point of a dynamic body in the one from the same
 * point in the other [L]. */
static double apart(const perp_world *w, const pp_state *a, const pp_state *b) {
    double most = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *body = &w->body[i];
        if (!pp_alive(body->gen) || body->kind != PERP_BODY_DYNAMIC) continue;
        double turn = perp_v3_norm(perp_q_log(perp_q_mul(b->X[i].q, perp_q_conj(a->X[i].q))));
        double d = perp_v3_norm(perp_v3_sub(b->X[i].p, a->X[i].p)) + body->radius * turn;
        if (!(d <= most)) most = d;
    }
    return most;
}

/* A part had no answer, and it is likely that no shorter one has.
 *   - A driven body touched another at its start. So it does in the shortest part: if that has no answer either, none between has.
 *   - The step before went on jammed at its end, and this is the first part of the next step.
 * Then the whole goes on as the shortest would. *whole: what it comes to, if so. */
static void go_on_jammed(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole) {
    if (depth >= w->def.max_halvings) return;
    bool stops = p->stops, jams = p->was_jammed;
    part on = {.st = PERP_OK};
    if (!jams && p->shortest_from != s0) {
        pp_arena_mark mark = pp_arena_here(&w->arena);
        on = solve_part(w, p, s0, ldexp(h, depth - w->def.max_halvings), ORDINARY);
        p->shortest_from = s0;
        p->shortest_jams = on.st == PERP_E_SOLVE && on.f->advice.blocked;
        pp_arena_release(&w->arena, mark);
    }
    jams |= p->shortest_jams && p->shortest_from == s0;
    if (jams) on = solve_part(w, p, s0, h, p->was_jammed ? JAMMED : LAST);
    p->was_jammed = false;
    if (on.st && on.st != PERP_E_SOLVE)
        whole->st = on.st; /* out of memory, or told to stop */
    else if (jams && !on.st && on.f->method.jammed)
        *whole = on;
    else
        p->stops = stops; /* what follows is as if nothing had been tried */
}

/* Do contacts add more to an island than they may? Impacts in their order have laws that may gain, which are limited there. Where
 * overlap may stay, shorter parts gain as much; and where the tolerance is loose, what it leaves of the laws does work that does not
 * shrink with the part. */
static bool gains(const perp_world *w, const part *x) {
    if (w->def.tolerance > PP_LOOSE_TOLERANCE || w->chosen.model->pushes_out) return false;
    return !x->parts && !x->f->method.jammed && x->c.gain_part > MAX_GAIN && pp_largest_gain(x->f, w->def.h) > MAX_GAIN;
}

static perp_status divide(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole,
                          const pp_state **end);

/* Impulses that act all at once, with rows of one pose, do work that is an error of the length of the step. So a part in which
 * contacts gain is divided, and its halves are taken if they gain less. */
static perp_status take_less_gain(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole,
                                  const pp_state **end) {
    const parts before = *p;
    const perp_certificate cert = *p->cert;
    const pp_state *middle = s0;
    pp_logf(w, PERP_LOG_INFO,
            "step %llu: h = %g is halved: contacts of shapes %d and %d add %.3g of the energy of their bodies",
            (unsigned long long)w->state.step, h, whole->c.gain_shape[0], whole->c.gain_shape[1], whole->c.gain_part);
    perp_status st = divide(w, p, s0, h / 2, depth + 1, NULL, &middle);
    if (!st) st = divide(w, p, middle, h / 2, depth + 1, NULL, end);
    bool less = !st && p->cert->gain - cert.gain < LESS_GAIN * whole->c.gain && (before.jammed || !p->jammed);
    if (less || (st && st != PERP_E_SOLVE)) return st;
    int rejected = p->rejected + 1;
    *p = before;
    p->rejected = rejected;
    p->gains = true;
    *p->cert = cert;
    *end = whole->end;
    return take(w, p, whole);
}

/* From s0 over h, whole or in two halves, those again, ...: where it is not solved whole, where contacts gain and, if the error is
 * controlled, where the whole and its two halves end further apart than allowed. Of a part that is good enough the
 * halves are taken. Every level has twice the parts of the one above, so what is rejected costs no more than what is
 * kept. whole: solved already, or NULL. *end: the state at the end. */
static perp_status divide(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole,
                          const pp_state **end) {
    part made;
    if (!whole) {
        made = solve_part(w, p, s0, h, p->jammed || depth >= w->def.max_halvings ? LAST : ORDINARY);
        whole = &made;
    }
    if (whole->st == PERP_E_SOLVE && (whole->f->advice.blocked || p->was_jammed))
        go_on_jammed(w, p, s0, h, depth, whole);
    if (whole->st && whole->st != PERP_E_SOLVE) return whole->st;
    bool last = depth >= w->def.max_halvings, control = w->def.error_tolerance > 0;
    if (whole->st && (last || whole->f->advice.hopeless || pp_budget_exhausted(w))) return give_up(p, whole);
    if (!whole->st && (last || !control)) {
        bool gained = !p->gains && gains(w, whole);
        if (gained && !last && !pp_budget_exhausted(w)) return take_less_gain(w, p, s0, h, depth, whole, end);
        p->gains |= gained;
        *end = whole->end;
        return take(w, p, whole);
    }
    if (whole->st)
        pp_logf(w, PERP_LOG_INFO, "step %llu: h = %g is halved: %s", (unsigned long long)w->state.step, h, w->why);
    part half[2] = {{.st = PERP_E_SOLVE}, {.st = PERP_E_SOLVE}};
    if (!whole->st) {
        effort finest = depth + 1 >= w->def.max_halvings ? LAST : ORDINARY;
        half[0] = solve_part(w, p, s0, h / 2, finest);
        if (!half[0].st) half[1] = solve_part(w, p, half[0].end, h / 2, finest);
        if (!half[0].st && !half[1].st) {
            double error = apart(w, whole->end, half[1].end) / w->def.error_tolerance;
            if (error <= 1) {
                half[0].c.error = half[1].c.error = error;
                perp_status took = take(w, p, &half[0]);
                *end = half[1].end;
                return took ? took : take(w, p, &half[1]);
            }
            p->rejected++;
        }
    }
    const pp_state *middle = s0;
    perp_status st = divide(w, p, s0, h / 2, depth + 1, half[0].f ? &half[0] : NULL, &middle);
    return st ? st : divide(w, p, middle, h / 2, depth + 1, NULL, end);
}

/* Shortest part of what is left of a step that marches, so that parts and work suffice to its end. After half of the parts that there may
 * be, an equal share of those left; after half of the work, as many as a quarter of the rest is enough for, since a part may use half of
 * what is left. tries: solved so far. */
static double shortest_part(const perp_world *w, const parts *p, int tries, double h, double left) {
    int most = 1 << w->def.max_halvings;
    double least = 2 * p->n < most - 1 ? PP_NEGLIGIBLE * h : left / (most - p->n);
    double done = w->run.work.done, rest = w->run.work_limit - done;
    if (!(done > rest)) return least;
    return fmax(least, fmin(left, left * (done / fmax(1, tries)) / (0.25 * fmax(rest, 1))));
}

/* From s0 over h in parts as long as the stepper wants them: what is left is tried whole, then as short as it says. */
static perp_status march(perp_world *w, parts *p, const pp_state *s0, double h, const pp_state **end) {
    double left = h, length = h;
    int most = 1 << w->def.max_halvings;
    *end = s0;
    for (int tries = 0; left > PP_NEGLIGIBLE * h; tries++) {
        double least = shortest_part(w, p, tries, h, left);
        bool last = !(length > least);
        if (last) length = least;
        pp_arena_mark before = pp_arena_here(&w->arena);
        part x = solve_part(w, p, *end, length, last ? LAST : ORDINARY);
        if (x.st && x.st != PERP_E_SOLVE) return x.st;
        if (x.st && (last || x.f->advice.hopeless || pp_budget_exhausted(w))) return give_up(p, &x);
        if (x.st) {
            double shorter = x.f->advice.shorter;
            length = shorter > 0 && shorter < length ? shorter : length / 2;
            if (x.f->solve.solution.nu) p->rejected++;
            pp_arena_release(&w->arena, before);
            continue;
        }
        perp_status took = take(w, p, &x);
        if (took) return took;
        *end = x.end;
        left = p->n < most ? left - length : 0;
        length = x.f->advice.next > 0 && x.f->advice.next < left ? left / ceil(left / x.f->advice.next) : left;
    }
    return PERP_OK;
}

/* Time after a step of h from time t, the step-th: k h, not a sum of k roundings, as long as h has been the same from the
 * start. */
static double time_after(uint64_t step, double t, double h) {
    double k = (double)step;
    return t == k * h ? (k + 1) * h : t + h;
}

static bool was_jammed(const perp_world *w) {
    for (int i = 0; i < w->nbody; i++)
        if (pp_alive(w->body[i].gen) && (w->state.mark[i] & PP_JAM)) return true;
    return false;
}

static void keep_jam(perp_world *w, bool jammed) {
    for (int i = 0; i < w->nbody; i++)
        w->state.mark[i] = (unsigned char)((w->state.mark[i] & ~PP_JAM) | (jammed ? PP_JAM : 0));
}

static void commit(perp_world *w, const parts *p) {
    for (int i = 0; i < p->n; i++) pp_remember(p->frame[i], i > 0);
    const pp_frame *end = p->frame[p->n - 1];
    if (p->impacts) pp_remember_sum(p->frame, p->n);
    uint64_t step = w->state.step;
    double t = w->state.t;
    pp_sense_motion(w, &w->state, p->end);
    pp_state_copy(w, &w->state, p->end);
    w->state.step = step + 1;
    w->state.t = time_after(step, t, w->def.h);
    keep_jam(w, end->method.jammed);
    pp_twists_refresh(w);
    keep_problem(end);
    w->last.failed = false;
    w->why[0] = 0;
}

static const perp_certificate nothing = PERP_CERTIFICATE_NONE;

/* From s0 over the whole step. */
static perp_status advance(perp_world *w, parts *p, const pp_state *s0) {
    const pp_state *end;
    return w->chosen.stepper->own.marches ? march(w, p, s0, w->def.h, &end) : divide(w, p, s0, w->def.h, 0, NULL, &end);
}

/* Part of its work that a step may take before it is handed over. */
#define BEFORE_HAND_OVER 0.25

/* advance(). Methods that are not sure to find an answer hand a step that they have none for over to one that is here for that: w->chosen
 * is then another until the step ends. */
static perp_status advance_or_hand_over(perp_world *w, parts *p, const pp_state *s0) {
    const parts before = *p;
    const pp_contact_model_type *model = pp_model_fallback(w->chosen.model);
    const pp_stepper_type *stepper = pp_stepper_fallback(w->chosen.stepper);
    if (!model && !stepper) return advance(w, p, s0);
    double limit = w->run.work_limit;
    w->run.work.limit = w->run.work_limit = BEFORE_HAND_OVER * limit;
    perp_status st = advance(w, p, s0);
    w->run.work.limit = w->run.work_limit = limit;
    if (st != PERP_E_SOLVE) return st;
    w->run.work.done = 0; /* who takes it has all of the work, however much was used before */
    if (model) w->chosen.model = model;
    if (stepper) w->chosen.stepper = stepper;
    pp_logf(w, PERP_LOG_INFO, "step %llu is handed over to stepper %s and contact model %s: %s",
            (unsigned long long)w->state.step, w->chosen.stepper->name, w->chosen.model->name, w->why);
    *p = before;
    *p->cert = nothing;
    st = advance(w, p, s0);
    p->cert->handed_over = 1;
    return st;
}

perp_status pp_step_watched(perp_world *w, perp_certificate *cert, const pp_watch *watch) {
    perp_certificate scratch;
    const pp_contact_model_type *model = w->chosen.model;
    const pp_stepper_type *stepper = w->chosen.stepper;
    if (!cert) cert = &scratch;
    *cert = nothing;
    pp_arena_reset(&w->arena);
    w->last.has_problem = false;
    w->last.failed = false;
    w->run.stopped = false;
    pp_budget_start(w);

    pp_state start;
    const perp_wrench *held = NULL;
    perp_status st = pp_ctrl_take(w);
    if (!st && w->chosen.stepper->ready) st = w->chosen.stepper->ready(w);
    if (!st) st = pp_control_held(w, &held);
    if (!st) st = pp_state_new(w, &start);
    if (!st) {
        pp_state_copy(w, &start, &w->state);
        st = pp_stagger(w, &start, held);
    }
    parts p = {.held = held, .cert = cert, .was_jammed = was_jammed(w)};
    w->run.work.wedged = p.was_jammed; /* the search for an answer that there may not be was in vain a step ago */
    if (!st) {
        p.cap = 1 << w->def.max_halvings;
        p.frame = PP_ARENA_ARRAY(&w->arena, pp_frame *, p.cap);
        st = p.frame ? advance_or_hand_over(w, &p, &start) : pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    }
    cert->rejected = p.rejected;
    if (!st) st = pp_synchronise(w, p.frame, p.n, p.end);
    if (!st) st = pp_show_energies(w, &start, p.frame, p.n, p.end, &cert->ledger);
    for (int i = 0; !st && i < p.n; i++) st = pp_reserve(p.frame[i]);
    if (!st && p.impacts) st = pp_reserve_sum(p.frame, p.n);
    if (!st && watch) st = watch->look(p.frame, p.n, watch->ctx);
    if (!st) commit(w, &p);
    w->chosen.model = model;
    w->chosen.stepper = stepper;
    if (!st) {
        cert->t = w->state.t;
        return PERP_OK;
    }
    w->last.failed = true;
    if (st == PERP_E_STOPPED) return st; /* nothing to warn of */
    pp_logf(w, PERP_LOG_WARNING, "step %llu failed: %s", (unsigned long long)w->state.step, w->why);
    return st;
}

perp_status perp_world_ready(perp_world *w) {
    pp_arena_mark mark = pp_arena_here(&w->arena); /* the problem of the last step lies there */
    perp_status st = w->chosen.stepper->ready ? w->chosen.stepper->ready(w) : PERP_OK;
    pp_arena_release(&w->arena, mark);
    return st;
}

perp_status perp_world_step(perp_world *w, perp_certificate *cert) { return pp_step_watched(w, cert, NULL); }

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* step.c - one time step, from start to commit
 *
 * Each stage reads the output of the stage before it. The world changes only in commit(), so a failure leaves it in its start state. If
 * a step cannot be solved, it is halved, and its halves again. */
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
#include "step/dead_point.h"
#include "step/impact_order.h"
#include "step/joint_start.h"
#include "step/stagger.h"
#include "step/watch.h"
#include "method/contact/solve_contacts.h"
#include "stage/certify/certify.h"
#include "stage/certify/contact_work.h"
#include "stage/collide/collide.h"
#include "stage/control/belt.h"
#include "stage/control/control.h"
#include "stage/solve/solve.h"
#include "stage/update/update.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [tries] Number of times that a frame is solved again with a larger reach because two bodies met unexpectedly. Half
 * and double: other bits only. */
#define MAX_WIDENINGS 3
/* [1] Energy that contacts may add to an island in a substep that can be divided, as a fraction of the island's energy.
 * It is the gain of a whole run that is still rated good. Half: work +1 %; double: other bits only. */
#define MAX_GAIN 1e-3
/* [tries] Largest number of times that a substep is solved again because driven bodies are at dead points. */
#define MAX_PASSES 3
/* [1] Energy that joints may add to an island in a substep that can be divided, as a fraction of the island's energy.
 * Ideal joints do no work; the error of a smooth motion stays below a few percent of a step. If joints gain more, they may
 * gain in every substep, and the motion is unstable. With values from 0.01 to 0.1 the flung links of law.joint_rounds stay
 * stable; 0.01 also divides steps of smooth motion. */
#define MAX_JOINT_GAIN 0.1
/* [1] The halves are taken in place of the whole if their gain is below this fraction of the gain of the whole. An
 * error of first order falls to one half. Half and double: no effect. */
#define LESS_GAIN 0.9
/* [1] Overlap that may be kept at the end of a substep, as a multiple of what there would be if only driven bodies moved, so that
 * most of it is not new. Half: the contacts of law.contact_gain, pressed-out, add 0.41 of the energy of the run; double: no effect there. */
#define MOST_OVERLAP 2

/* [1] Part of the work of a substep that may be used to order its impacts. An elastic gas of 49 discs with second-order has 80 impacts in a step
 * of 20 ms, and needs a quarter of the work limit for them. */
#define FOR_IMPACTS 0.75

/* [steps] While a jam lasts, every step needs its last resort, and each would first use up its work on other ways. All ways are tried
 * after 1, 2, 4, 8 such steps in a row and after each multiple of this; the other steps use the last resort at once. Half: work of a long jam +18 %; double:
 * -9 % (by the work of both kinds of steps in law.jammed_drive). */
#define SEARCH_EVERY 16
/* [1] Fraction of the work limit of a step that may be used before the step is handed over to the fallback method, and that both together may
 * use beyond the limit; also what a step may use that takes its last resort at once. */
#define BEFORE_HAND_OVER 0.25

static double clocked_so_far(const perp_world *w) {
    double sum = 0;
    for (int i = 0; i < PERP_STAGE_COUNT; i++) sum += w->last.timing[i];
    return sum;
}

/* Runs a stepper that has its own step equations, from the forces to the next state. */
static perp_status own_step(pp_frame *f) {
    double t = pp_clock();
    perp_status s = pp_control(f);
    pp_clocked(f->w, PERP_STAGE_CONTROL, &t);
    double before = clocked_so_far(f->w);
    if (!s) s = f->w->chosen.stepper->step(f);
    f->w->last.timing[PERP_STAGE_SOLVER] -=
        clocked_so_far(f->w) - before; /* stages that the stepper called have counted their own time */
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
    if (!s) f->s1->substep = f->h;
    if (!s) pp_tamper(f, PP_MOVED);
    if (!s) s = pp_certify(f, cert); /* next state -> figures                 */
    pp_clocked(f->w, PERP_STAGE_CERTIFICATE, &t);
    return s;
}

/* Do two shapes overlap that had no contact in the frame? */
static bool missed_contact(const pp_frame *f, const perp_certificate *cert) {
    const int *s = cert->overlap_shape;
    if (s[0] < 0) return false;
    double size = fmin(f->w->shape[s[0]].g->size, f->w->shape[s[1]].g->size);
    if (!(cert->overlap > PP_RESIDUAL * size)) return false;
    uint64_t key = pp_pair_key(s[0], s[1]);
    for (int i = 0; i < f->task.nflying; i++)
        if (f->task.flying[i] == key) return false;
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
    bool chains_checked = w->chosen.stepper->step != NULL; /* steppers with their own step equations are not checked */
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
            .demand = {.rebounds = rebounds, .chain_damping = chain_damping, .nchain_damping = nchain_damping}};
        if (x->jam) pp_start_jammed(f);
        pp_state_copy(w, s1, x->s0);
        s1->made_by = f;
        bool again = false;
        st = run_frame(f, cert);
        if (!st && !chains_checked) {
            chains_checked = true;
            /* joint_rounds.c has checked this after the first solution; contacts that were added later may require more
             * damping */
            if (f->demand.nchain_damping == 0 && (!f->demand.joints || f->contacts.n > 0))
                st = pp_find_chain_damping(f, &chain_damping, &nchain_damping);
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
        if (again) continue; /* the reach stays as it is */
        if (w->chosen.model->solve || w->chosen.stepper->step || !missed_contact(f, cert)) break;
        travel = pp_farthest_travel(f);
        /* the first time keep the factor: a larger reach also finds planes that end before they are met */
        if (widenings++ > 0) factor *= 8;
    }
    pp_tell_rebounds(rebounds, cert);
    return st; /* the certificate reports an overlap that remains */
}

/* Stores the problem for perp_world_problem(). A frame may fail before it has one. */
static void keep_problem(const pp_frame *f) {
    f->w->last.problem = f->pose.problem;
    f->w->last.has_problem = f->pose.problem.h > 0;
}

/* A substep, solved or not. Frame and end state are in the arena. */
typedef struct part {
    pp_frame *f;
    pp_state *end;
    perp_certificate c;
    perp_status st;
    pp_frame **parts; /* nparts frames if the substep was divided at impacts; NULL: f alone */
    int nparts;
} part;

/* The substeps of a step, in order. */
typedef struct parts {
    pp_frame **frame;
    int n, cap;
    pp_state *end; /* end state of the last substep */
    bool impacts;  /* a substep was divided at impacts */
    const perp_wrench *held;
    perp_certificate *cert; /* sum over all substeps */
    int rejected;           /* number of substeps whose error was too large */
    /* a substep had a solution only without restitution: the others are not divided to find this out again */
    bool stops;
    bool jammed;                   /* a substep had a solution only if penetration may stay: as for `stops` */
    bool last_way;                 /* a shortest substep had a solution only as a last resort: as for `stops` */
    bool at_once;                  /* every substep may use its last resort: resorts_at_once() */
    bool gains;                    /* contacts or joints added energy even in the shortest substep: as for `stops` */
    const pp_state *shortest_from; /* where the shortest substep was last tried; NULL: nowhere */
    bool shortest_jams;            /* it had no solution there */
} parts;

/* Calls pp_order_impacts() with FOR_IMPACTS of the work that the substep has left. The other part remains for a solution
 * without the order of impacts. */
static perp_status order_impacts(perp_world *w, const pp_span *span, const pp_frame *whole, pp_state *end,
                                 pp_ordered *o) {
    double limit = w->run.work.limit;
    if (limit < INFINITY) w->run.work.limit -= (1 - FOR_IMPACTS) * fmax(0, limit - w->run.work.done);
    perp_status st = pp_order_impacts(w, span, whole, end, o);
    w->run.work.limit = limit;
    return st;
}

/* Solves a substep without halving it. */
static part solve_span(perp_world *w, const pp_span *span) {
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
    bool ordered = pp_orders_impacts(w) && span->nflying == 0 && !span->jam;
    pp_ordered o = {0};
    if (span->jam)
        pp_jam_may_work(w);
    else
        (void)pp_budget_share(&w->run.work, w->run.work_limit); /* the other half is for the following substeps */
    if (ordered) x.st = order_impacts(w, span, NULL, x.end, &o);
    bool given_up = x.st == PERP_E_SOLVE;
    if (given_up || (!x.st && !o.divided)) {
        o.divided = false;
        x.st = pp_substep(w, span, x.end, x.f, &x.c);
        if (!x.st && ordered && !given_up) {
            x.st = order_impacts(w, span, x.f, x.end, &o);
            given_up = x.st == PERP_E_SOLVE;
            if (given_up) { /* the end state was overwritten */
                o.divided = false;
                x.st = pp_substep(w, span, x.end, x.f, &x.c);
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

/* Tells the jam of a pair of shapes that passed each other, with its depth if it is the deepest overlap. */
static void tell_stall(part *x, uint64_t key) {
    const pp_shape *shape = x->f->w->shape;
    int a = (int)(key & UINT32_MAX), b = (int)(key >> 32), *deepest = x->c.overlap_shape;
    bool drives = x->f->w->body[shape[a].body].kind == PERP_BODY_KINEMATIC;
    x->c.jams = 1;
    if ((deepest[0] == a && deepest[1] == b) || (deepest[0] == b && deepest[1] == a)) x->c.jam_depth = x->c.overlap;
    x->c.jam_shape[0] = drives ? a : b;
    x->c.jam_shape[1] = drives ? b : a;
}

/* Lets driven bodies pass where they would be forced through a dead point: solves the substep again without these pairs of shapes. *x: the
 * substep, solved; replaced if the new one has a solution. */
static void pass_dead_points(perp_world *w, pp_span *span, part *x) {
    pp_pairs pairs = {0};
    for (int tries = 0; !x->st && tries < MAX_PASSES; tries++) {
        int before = pairs.n;
        bool ok = true;
        for (int i = 0; i < (x->parts ? x->nparts : 1); i++)
            ok = ok && pp_dead_points(x->parts ? x->parts[i] : x->f, &pairs);
        if (!ok) x->st = pp_fail(w, PERP_E_MEMORY, "out of memory for the contacts");
        if (!ok || pairs.n == before) return;
        span->flying = pairs.key;
        span->nflying = pairs.n;
        part passed = solve_span(w, span);
        if (passed.st == PERP_E_SOLVE) return;
        pp_logf(w, PERP_LOG_WARNING, "step %llu: a driven body stalls at a dead point in a substep of h = %g",
                (unsigned long long)w->state.step, span->h);
        *x = passed;
        if (!x->st) tell_stall(x, pairs.key[0]);
    }
}

/* Solves a substep of length h from s0 without halving it. last: no shorter substep will be tried. */
static part solve_part(perp_world *w, parts *p, const pp_state *s0, double h, bool last) {
    pp_span span = {.s0 = s0, .h = h, .held = p->held, .last = last, .stops = &p->stops};
    part x = solve_span(w, &span);
    pass_dead_points(w, &span, &x);
    for (int i = 0; !x.st && i < (x.parts ? x.nparts : 1); i++) x.st = pp_check_torn(x.parts ? x.parts[i] : x.f);
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
        p->jammed |= p->frame[p->n]->method.jammed;
        p->last_way |= p->frame[p->n++]->method.last_way;
    }
    p->end = x->end;
    p->impacts |= x->parts != NULL;
    perp_certificate_add(p->cert, &x->c);
    return PERP_OK;
}

/* Reports a failure after which no shorter substep is tried: residuals, problem, jam, open joint. */
static perp_status give_up(parts *p, part *x) {
    pp_certify_answer(x->f, &x->c);
    keep_problem(x->f);
    x->f->w->run.work.limit = x->f->w->run.work.done + PP_LAST_SHARE * x->f->w->run.work_limit;
    pp_name_jam(x->f);
    pp_name_unclosed(x->f);
    perp_certificate_add(p->cert, &x->c);
    return x->st;
}

/* Distance of two states of the world: the largest distance between a point of a dynamic body in one state and the same
 * point in the other [L]. */
static double state_distance(const perp_world *w, const pp_state *a, const pp_state *b) {
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

/* Treats a substep that has no solution while a driven body touches another one at its start. If the shortest substep
 * has no solution either, none in between has one. Then the whole substep is solved as the shortest would be, with
 * penetration allowed to stay. *whole: replaced if this succeeds. */
static void solve_jammed(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole) {
    if (depth >= w->def.max_halvings) return;
    bool stops = p->stops;
    part on = {.st = PERP_OK};
    if (p->shortest_from != s0) {
        pp_arena_mark mark = pp_arena_here(&w->arena);
        on = solve_part(w, p, s0, ldexp(h, depth - w->def.max_halvings), false);
        p->shortest_from = s0;
        p->shortest_jams = on.st == PERP_E_SOLVE && on.f->advice.blocked;
        pp_arena_release(&w->arena, mark);
    }
    bool jams = p->shortest_jams;
    if (jams) on = solve_part(w, p, s0, h, true);
    if (on.st && on.st != PERP_E_SOLVE)
        whole->st = on.st; /* out of memory, or stopped by the user */
    else if (jams && !on.st && on.f->method.jammed)
        *whole = on;
    else
        p->stops = stops; /* continue as if nothing had been tried */
}

/* Do contacts add more energy to an island than allowed, in the substep or in a part between its impacts? Impacts themselves have laws that
 * are limited. Not checked in two cases. If penetration may stay, shorter substeps gain as much. If the tolerance is loose, the residuals of
 * the laws do work that does not decrease with the substep. */
static bool gains(const perp_world *w, const part *x) {
    if (w->def.tolerance > PP_LOOSE_TOLERANCE || w->chosen.model->pushes_out) return false;
    if (!(x->c.gain_part > MAX_GAIN)) return false;
    bool any = false;
    for (int i = 0; i < (x->parts ? x->nparts : 1) && !any; i++) {
        const pp_frame *f = x->parts ? x->parts[i] : x->f;
        any = f->purpose == PP_STEP && !f->method.jammed && pp_contacts_gain(f, w->def.h, MAX_GAIN);
    }
    return any;
}

/* Do joints add more energy to an island than allowed? */
static bool joints_gain(const perp_world *w, const part *x) {
    return !x->f->method.jammed && pp_joints_gain(x->f, w->def.h, MAX_JOINT_GAIN);
}

static perp_status divide(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole,
                          const pp_state **end);

/* Energy that contacts and joints added, according to a certificate; losses of joints do not count against it. */
static double added(const perp_certificate *c) { return c->gain + fmax(0, c->ledger.joint); }

static void tell_gain(const perp_world *w, const part *x, double h) {
    unsigned long long step = w->state.step;
    if (joints_gain(w, x))
        pp_logf(w, PERP_LOG_INFO, "step %llu: h = %g is halved: joints add more than %g of the energy of their bodies",
                step, h, MAX_JOINT_GAIN);
    else
        pp_logf(w, PERP_LOG_INFO,
                "step %llu: h = %g is halved: contacts of shapes %d and %d add %.3g of the energy of their bodies",
                step, h, x->c.gain_shape[0], x->c.gain_shape[1], x->c.gain_part);
}

/* Deepest overlap of a driven body that a substep would end with if only driven bodies moved; 0: no driven body is inside another one [L]. */
static double driven_overlap(const part *x) {
    const pp_frame *f = x->parts ? x->parts[0] : x->f;
    double deepest = 0;
    for (int i = 0; i < f->contacts.n && i < f->pose.problem.ncontact; i++) {
        const int *s = f->contacts.shape + 2 * i;
        if (!pp_shape_drives(f, s[0]) && !pp_shape_drives(f, s[1])) continue;
        deepest = fmax(deepest, -pp_separation_in(f->w, s, f->s0) - f->h * f->pose.problem.contact[i].b_n_kin);
    }
    return deepest;
}

/* If contacts add energy in a substep that is not divided further, and a driven body is inside another one, solves it again without requiring
 * any contact to open. Overlap that it begins with stays, and the certificate reports it. *whole: replaced if this gains less and most of the
 * overlap is not new. Bodies that were placed in overlap come apart. */
static perp_status keep_overlap_if_it_gains_less(perp_world *w, parts *p, const pp_state *s0, double h, part *whole) {
    pp_span span = {.s0 = s0, .h = h, .held = p->held, .last = true, .jam = true, .stops = &p->stops};
    if (whole->f->method.jammed || !gains(w, whole)) return PERP_OK;
    double deepest = driven_overlap(whole);
    if (!(deepest > 0)) return PERP_OK;
    part kept = solve_span(w, &span);
    if (kept.st) return kept.st == PERP_E_SOLVE ? PERP_OK : kept.st;
    if (kept.c.overlap <= MOST_OVERLAP * deepest && added(&kept.c) < LESS_GAIN * added(&whole->c)) *whole = kept;
    return PERP_OK;
}

/* Do the parts that were taken after `before` violate nothing more than it and the substep `whole` did? A jam by a driven body leaves overlap,
 * or lets rows give way; without one it may only have relaxed rows that contradict each other by rounding. */
static bool jams_harmlessly(const perp_world *w, const perp_certificate *before, const part *whole,
                            const perp_certificate *now) {
    const int *s = now->overlap_shape;
    double size = s[0] < 0 ? 0 : fmax(w->shape[s[0]].g->size, w->shape[s[1]].g->size);
    return !(driven_overlap(whole) > 0) && now->gives == before->gives &&
           now->overlap <= fmax(before->overlap, whole->c.overlap) + PP_RESIDUAL * size;
}

/* Divides a substep in which contacts or joints add energy. The impulses of a step act at once, with the rows of one pose; the
 * work of this error decreases with the length. The halves are taken if they gain less. */
static perp_status halve_to_reduce_gain(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole,
                                        const pp_state **end) {
    const parts before = *p;
    const perp_certificate cert = *p->cert;
    const pp_state *middle = s0;
    tell_gain(w, whole, h);
    perp_status st = divide(w, p, s0, h / 2, depth + 1, NULL, &middle);
    if (!st) st = divide(w, p, middle, h / 2, depth + 1, NULL, end);
    const perp_certificate *now = p->cert;
    double gain = now->gain - cert.gain + fmax(0, now->ledger.joint - cert.ledger.joint);
    bool less = !st && gain < LESS_GAIN * added(&whole->c) &&
                (before.jammed || !p->jammed || jams_harmlessly(w, &cert, whole, now));
    if (less || (st && st != PERP_E_SOLVE)) return st;
    int rejected = p->rejected + 1;
    *p = before;
    p->rejected = rejected;
    p->gains = true;
    *p->cert = cert;
    st = keep_overlap_if_it_gains_less(w, p, s0, h, whole);
    *end = whole->end;
    return st ? st : take(w, p, whole);
}

/* Treats a substep that has no solution when the work of the step is used up: solves it once more with PP_LAST_SHARE of the work, as one that is
 * not divided. *whole: replaced. */
static void solve_with_last_share(perp_world *w, parts *p, const pp_state *s0, double h, part *whole) {
    double limit = w->run.work_limit;
    w->run.work_limit = w->run.work.done + PP_LAST_SHARE * limit;
    *whole = solve_part(w, p, s0, h, true);
    w->run.work_limit = w->run.work.limit = limit;
    p->last_way = true;
    if (whole->st == PERP_E_SOLVE) (void)pp_budget_exhausted(w); /* says so */
}

/* Advances from s0 over h, whole or in two halves, recursively. It halves if the whole cannot be solved, if contacts
 * add energy, and, with error control, if the end states of the whole and of its halves differ by more than the
 * tolerance. If they agree, the halves are taken. Each level has twice as many substeps as the one above, so rejected
 * work never exceeds accepted work. whole: solved already, or NULL. *end: the end state. */
static perp_status divide(perp_world *w, parts *p, const pp_state *s0, double h, int depth, part *whole,
                          const pp_state **end) {
    part made;
    if (!whole) {
        made = solve_part(w, p, s0, h, p->jammed || p->last_way || p->at_once || depth >= w->def.max_halvings);
        whole = &made;
    }
    if (whole->st == PERP_E_SOLVE && whole->f->advice.blocked) solve_jammed(w, p, s0, h, depth, whole);
    if (whole->st && whole->st != PERP_E_SOLVE) return whole->st;
    bool last = depth >= w->def.max_halvings, control = w->def.error_tolerance > 0;
    bool useless = whole->st && whole->f->advice.shorter_step_useless;
    if (whole->st && !last && !useless && pp_budget_exhausted(w)) {
        solve_with_last_share(w, p, s0, h, whole);
        if (whole->st && whole->st != PERP_E_SOLVE) return whole->st;
        last = true;
    }
    if (whole->st && (last || useless)) return give_up(p, whole);
    if (!whole->st && (last || !control)) {
        bool gained = gains(w, whole), joints = !p->gains && joints_gain(w, whole);
        if ((gained || joints) && !p->gains && !last && !pp_budget_exhausted(w))
            return halve_to_reduce_gain(w, p, s0, h, depth, whole, end);
        p->gains |= gained || joints;
        perp_status st = gained ? keep_overlap_if_it_gains_less(w, p, s0, h, whole) : PERP_OK;
        *end = whole->end;
        return st ? st : take(w, p, whole);
    }
    if (whole->st)
        pp_logf(w, PERP_LOG_INFO, "step %llu: h = %g is halved: %s", (unsigned long long)w->state.step, h, w->why);
    part half[2] = {{.st = PERP_E_SOLVE}, {.st = PERP_E_SOLVE}};
    if (!whole->st) {
        bool finest = depth + 1 >= w->def.max_halvings;
        half[0] = solve_part(w, p, s0, h / 2, finest);
        if (!half[0].st) half[1] = solve_part(w, p, half[0].end, h / 2, finest);
        if (!half[0].st && !half[1].st) {
            double error = state_distance(w, whole->end, half[1].end) / w->def.error_tolerance;
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

/* Smallest length of the next substep of a march, chosen so that substeps and work last to the end of the step. After
 * half of the allowed substeps: an equal share of the remaining time. After half of the work: the length at which a
 * quarter of the remaining work is enough, because one substep may use half of it; all of the remaining time if another
 * try is not sure. tries: number of substeps solved so far. */
static double shortest_part(const perp_world *w, const parts *p, int tries, double h, double left) {
    int most = 1 << w->def.max_halvings;
    double least = 2 * p->n < most - 1 ? PP_NEGLIGIBLE * h : left / (most - p->n);
    double done = w->run.work.done, rest = w->run.work_limit - done, one = done / fmax(1, tries);
    if (!(done > rest)) return least;
    if (rest - one < PP_LEAST_SHARE * w->run.work_limit)
        return left; /* no other try after this one: pp_budget_exhausted() */
    return fmax(least, fmin(left, left * one / (0.25 * rest)));
}

/* Advances from s0 over h in substeps of the length that the stepper proposes. Each time the whole rest is tried first,
 * then the shorter length that the stepper proposed. */
static perp_status march(perp_world *w, parts *p, const pp_state *s0, double h, const pp_state **end) {
    double left = h, length = h;
    int most = 1 << w->def.max_halvings;
    *end = s0;
    for (int tries = 0; left > PP_NEGLIGIBLE * h; tries++) {
        double least = shortest_part(w, p, tries, h, left);
        bool last = !(length > least);
        if (last) length = least;
        pp_arena_mark before = pp_arena_here(&w->arena);
        part x = solve_part(w, p, *end, length, last);
        if (x.st && x.st != PERP_E_SOLVE) return x.st;
        if (x.st && (last || x.f->advice.shorter_step_useless || pp_budget_exhausted(w))) return give_up(p, &x);
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

/* Time after the step number `step` of length h from time t. As long as h has been constant from the start, it is (step
 * + 1) h and not a sum of roundings. */
static double time_after(uint64_t step, double t, double h) {
    double k = (double)step;
    return t == k * h ? (k + 1) * h : t + h;
}

/* Is a jam expected to last, so that the step should be solved by a last resort if the undivided step has no other solution? */
static bool resorts_at_once(const perp_world *w) {
    uint64_t n = w->state.last_resorts;
    return (n & (n - 1)) != 0 && n % SEARCH_EVERY != 0;
}

/* Number of costly steps in a row that needed a last resort, this one included. */
static uint64_t count_last_resorts(const perp_world *w, const parts *p) {
    bool resorted = p->jammed || p->last_way || p->stops;
    bool costly = p->cert->handed_over > 0 || w->run.work.done > PP_LAST_SHARE * w->run.work_limit;
    return resorted && (costly || p->at_once) ? w->state.last_resorts + 1 : 0;
}

static void commit(perp_world *w, const parts *p) {
    for (int i = 0; i < p->n; i++) pp_remember(p->frame[i], i > 0);
    const pp_frame *end = p->frame[p->n - 1];
    if (p->impacts) pp_remember_sum(p->frame, p->n);
    uint64_t step = w->state.step;
    double t = w->state.t;
    uint64_t last_resorts = count_last_resorts(w, p);
    pp_sense_motion(w, &w->state, p->end);
    pp_state_copy(w, &w->state, p->end);
    w->state.last_resorts = last_resorts;
    w->state.step = step + 1;
    w->state.t = time_after(step, t, w->def.h);
    pp_twists_refresh(w);
    keep_problem(end);
    w->last.failed = false;
    w->why[0] = 0;
}

static const perp_certificate nothing = PERP_CERTIFICATE_NONE;

/* Advances from s0 over the whole step. */
static perp_status advance(perp_world *w, parts *p, const pp_state *s0) {
    const pp_state *end;
    const parts before = *p;
    const perp_certificate cert = *p->cert;
    if (w->chosen.stepper->own.marches) return march(w, p, s0, w->def.h, &end);
    if (!resorts_at_once(w)) return divide(w, p, s0, w->def.h, 0, NULL, &end);
    double limit = w->run.work_limit;
    p->at_once = true;
    w->run.work_limit = w->run.work.limit = w->run.work.done + BEFORE_HAND_OVER * limit;
    perp_status st = divide(w, p, s0, w->def.h, 0, NULL, &end);
    w->run.work_limit = w->run.work.limit = limit;
    if (st != PERP_E_SOLVE) return st;
    *p = before;
    *p->cert = cert;
    return divide(w, p, s0, w->def.h, 0, NULL, &end);
}

/* Does the stepper fail only where the motion is hard for every method, and is it more accurate than its fallback? */
static bool seldom_fails(const pp_stepper_type *stepper) { return stepper->half_kicks || stepper->own.marches; }

/* Is there a fallback for friction pyramids in space? They are solved by pivoting, which costs the cube of the number of contacts, and loses
 * digits where joints are eliminated. The cones that they approximate are solved by `auto`. Not if the user named solvers, and not for other
 * steppers with their own step equations, which have rules for what they accept when work runs short. */
static bool cones_for_pyramids(const perp_world *w, const pp_contact_model_type *model,
                               const pp_stepper_type *stepper) {
    return w->def.dim == 3 && w->def.form != PERP_FORM_CONE && w->chosen.usual_solvers && !model->pyramids_only &&
           (!stepper->step || seldom_fails(stepper)) && (stepper->makes & PERP_CONE);
}

static void choose_cones(perp_world *w) {
    w->def.form = PERP_FORM_CONE;
    w->chosen.nsolver = 1;
    w->chosen.solver[0] = &pp_solver_auto;
    perp_fields_default(pp_solver_auto.fields, pp_solver_auto.nfield, w->chosen.settings[0].bytes);
}

/* Calls advance(). If the chosen method is not guaranteed to find a solution and fails, its fallback method solves the
 * step: w->chosen and the form are replaced until the step ends. *kept: the choice before that, NULL if it stays. */
static perp_status advance_or_hand_over(perp_world *w, parts *p, const pp_state *s0, pp_world_chosen **kept) {
    const parts before = *p;
    const pp_contact_model_type *model = pp_model_fallback(w->chosen.model);
    const pp_stepper_type *stepper = pp_stepper_fallback(w->chosen.stepper);
    bool cones = cones_for_pyramids(w, model ? model : w->chosen.model, stepper ? stepper : w->chosen.stepper);
    if (!model && !stepper && !cones) return advance(w, p, s0);
    double limit = w->run.work_limit;
    double share = resorts_at_once(w)                ? PP_LAST_SHARE
                   : seldom_fails(w->chosen.stepper) ? 1 - BEFORE_HAND_OVER
                                                     : BEFORE_HAND_OVER;
    w->run.work.limit = w->run.work_limit = share * limit;
    perp_status st = advance(w, p, s0);
    w->run.work.limit = w->run.work_limit = limit;
    if (st != PERP_E_SOLVE) return st;
    w->run.work.limit = w->run.work_limit = (1 + BEFORE_HAND_OVER - share) * limit;
    w->run.work.done = 0;
    *kept = PP_ARENA_ARRAY(&w->arena, pp_world_chosen, 1);
    if (!*kept) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    **kept = w->chosen;
    if (model) w->chosen.model = model;
    if (stepper) w->chosen.stepper = stepper;
    if (cones) choose_cones(w);
    pp_logf(w, PERP_LOG_INFO, "step %llu is handed over to stepper %s and contact model %s%s: %s",
            (unsigned long long)w->state.step, w->chosen.stepper->name, w->chosen.model->name,
            cones ? " with friction cones" : "", w->why);
    *p = before;
    *p->cert = nothing;
    st = advance(w, p, s0);
    w->run.work.limit = w->run.work_limit = limit;
    p->cert->handed_over = 1;
    return st;
}

/* Forces that are constant over the step. Controllers and functions of the user see the velocities that joints allow. */
static perp_status held_forces(perp_world *w, const pp_frame *on_joints, const perp_wrench **held) {
    const pp_state given = w->state;
    if (on_joints) w->state = *on_joints->s1;
    perp_status st = pp_control_held(w, held);
    w->state = given;
    return st;
}

perp_status pp_step_watched(perp_world *w, perp_certificate *cert, const pp_watch *watch) {
    perp_certificate scratch;
    pp_world_chosen *kept = NULL;
    perp_form form = w->def.form;
    if (!cert) cert = &scratch;
    *cert = nothing;
    pp_arena_reset(&w->arena);
    w->last.has_problem = false;
    w->last.failed = false;
    w->run.stopped = false;
    pp_budget_start(w);

    pp_state start;
    pp_frame *on_joints = NULL;
    const perp_wrench *held = NULL;
    perp_status st = pp_ctrl_take(w);
    if (!st && w->chosen.stepper->ready) st = w->chosen.stepper->ready(w);
    if (!st) st = pp_state_new(w, &start);
    if (!st) {
        pp_state_copy(w, &start, &w->state);
        st = pp_start_on_joints(w, &start, &on_joints);
    }
    if (!st) st = held_forces(w, on_joints, &held);
    if (!st) st = pp_stagger(w, &start, held);
    parts p = {.held = held, .cert = cert};
    if (!st) {
        p.cap = 1 << w->def.max_halvings;
        p.frame = PP_ARENA_ARRAY(&w->arena, pp_frame *, p.cap);
        st = p.frame ? advance_or_hand_over(w, &p, &start, &kept)
                     : pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    }
    cert->rejected = p.rejected;
    if (!st) st = pp_synchronise(w, p.frame, p.n, on_joints ? on_joints->s1 : &w->state, p.end);
    if (!st) st = pp_show_energies(w, &start, p.frame, p.n, p.end, &cert->ledger);
    if (!st) pp_ledger_start_on_joints(on_joints, p.end->lag > 0 || w->state.lag > 0, &cert->ledger);
    if (!st) pp_sampling_is_drift(w, &start, p.frame, p.n, p.end, &cert->ledger);
    for (int i = 0; !st && i < p.n; i++) st = pp_reserve(p.frame[i]);
    if (!st && p.impacts) st = pp_reserve_sum(p.frame, p.n);
    if (!st && watch) st = watch->look(p.frame, p.n, watch->ctx);
    if (!st) commit(w, &p);
    if (kept) w->chosen = *kept;
    w->def.form = form;
    if (!st) {
        cert->t = w->state.t;
        return PERP_OK;
    }
    w->last.failed = true;
    if (st == PERP_E_STOPPED) return st; /* no warning */
    pp_logf(w, PERP_LOG_WARNING, "step %llu failed: %s", (unsigned long long)w->state.step, w->why);
    return st;
}

perp_status perp_world_ready(perp_world *w) {
    pp_arena_mark mark = pp_arena_here(&w->arena); /* keeps the problem of the last step, which is in the arena */
    perp_status st = w->chosen.stepper->ready ? w->chosen.stepper->ready(w) : PERP_OK;
    pp_arena_release(&w->arena, mark);
    return st;
}

perp_status perp_world_step(perp_world *w, perp_certificate *cert) { return pp_step_watched(w, cert, NULL); }

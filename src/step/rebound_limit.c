/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound_limit.c - restitution gives back no more energy than the impact took
 * Problem  Newton's rule prescribes the speed at which a contact leaves, whatever that costs. With friction, or where
 *          contacts of different restitution act at once, its impulses may do work on the bodies: a rod that lands on
 *          its end while it slides leaves with more energy than it came with (Kane's paradox).
 * Method   Contacts that all have the same e and no friction, or that all stop (e = 0), cannot gain: with w- and w+
 *          before and after, work = p (w- + w+)/2 and p w+ <= 0 there. So between e and 0 lies the largest restitution
 *          that gains nothing, and that is what the pairs of an island leave with that would gain. It is found by false
 *          position with the step solved each time, only in steps in which something would be gained.
 * Overlap  A gap that is negative at the start asks for the speed -gap/h, whatever it is: the shorter the part, the harder the
 *          blow. If contacts gain by it, such a pair may leave no faster than it came: p (u- + u+) <= 0, which cannot gain
 *          where it is alone. If contacts gain even so, it is only kept from closing further: where all contacts stop,
 *          nothing gains. Little is allowed: to lift what has sunk in by rounding and by linearised gaps costs energy.
 *          A model that lets bodies enter each other (contact_model.h: pushes_out) lifts them out in every second step, and what
 *          each lift may gain would add up. There nothing is allowed. Even contacts that stop can gain there, if forces of the step turn
 *          a body back that was leaving: p (u- + u+) > 0 with u- > 0, u+ = 0, as at a corner that a body tips over, step after step.
 *          So contacts act at the mean velocity: 0 <= p _|_ u- + u+ >= 0, friction opposes s- + s+. Then no contact can
 *          do work on its bodies, whatever the others do.
 *          The model "peg" bounds this speed itself, and holds gaps at the end. There a body that a drive is jammed into is not pushed
 *          out at all if contacts gain by it: in a wedge the least motion may take large impulses.
 * Valid    The work is that of the ledger: at the mean of the velocities, relative to driven bodies.
 * Source   Kane, Levinson, Dynamics (1985) 348; Stronge, Proc. R. Soc. A 431 (1990) 169 (restitution by energy); the
 *          bound is derived here. Illinois rule: Dowell, Jarratt, BIT 11 (1971) 168. */
#include "step/rebound_limit.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "base/sets.h"
#include "problem/rows.h"
#include "stage/certify/contact_work.h"
#include "stage/contact_model.h"
#include "stage/stepper.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Energy that a limited rebound may lose, as a part of what it would have gained. Half and double: no effect. */
#define CLOSE 0.02
/* [tries] Largest number of tries of the rebound of an island. Half: other bits only; double: no effect. */
#define TRIES 10
/* [1] Penetration of a driven body, in units of the gap that counts as touching, from which on it was jammed. Half
 * and double: no effect. */
#define JAMMED 10
/* [1] Energy that an island may gain in a part by penetration that is pushed out, as a part of its own. Half and
 * double: no effect. */
#define PUSHED 1e-5
/* [1] Energy that it may gain beside that, as a part of what a fall of that time gives: sinking by linearised gaps is
 * undone. Half and double: no effect. */
#define LIFTED 0.3

/* Does contact i push because its overlap asks for more than the next limit allows? */
static bool pushed_out(const pp_frame *k, int i, pp_push_out next) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    if (k->contacts.plane) return false; /* the model "peg" has checks of its own */
    if (c->compliance > 0) return false; /* a spring */
    if (!(k->contacts.at[i].gap < 0) || !(k->solve.solution.p_contact[3 * i] > 0)) return false;
    if (next == PP_PUSH_MEAN) return true; /* friction changes too */
    return k->purpose == PP_STEP && c->b_n < pp_push_out_bound(k, next, c);
}

/* Does contact i of the model "peg" push what a drive is jammed into out of it? */
static bool leaves_jam(const pp_frame *k, int i) {
    const pp_shape *A = &k->w->shape[k->contacts.shape[2 * i]], *B = &k->w->shape[k->contacts.shape[2 * i + 1]];
    const perp_contact *c = &k->contacts.at[i];
    if (!k->contacts.plane || k->purpose != PP_STEP || !(k->solve.solution.p_contact[3 * i] > 0)) return false;
    if (!(c->gap < -JAMMED * pp_touching(A->g, B->g, c->b_W))) return false;
    return k->w->body[A->body].kind == PERP_BODY_KINEMATIC || k->w->body[B->body].kind == PERP_BODY_KINEMATIC;
}

/* Energy that a part of free fall gives the bodies of an island. */
static double fall_of(const pp_frame *f, const pp_contact_work *a, int island) {
    double mass = 0, g = perp_v3_norm(f->w->def.gravity_W);
    for (int b = 0; b < f->control.nblock; b++) {
        if (pp_set_of(a->parent, b) == island) mass += f->control.M[36 * b];
    }
    return 0.5 * mass * f->h * f->h * g * g;
}

static bool any_pushed_out(const pp_frame *const *kick, int n, pp_push_out next) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < kick[k]->contacts.n; i++)
            if (pushed_out(kick[k], i, next)) return true;
    return false;
}

/* Energy that the contacts of an island may add by overlap that is pushed out. */
static double allowed(const pp_frame *f, const pp_contact_work *a, int island) {
    if (f->w->chosen.model->pushes_out) return PP_RESIDUAL * a->moved[island];
    return PUSHED * a->kinetic[island] + LIFTED * fall_of(f, a, island);
}

perp_status pp_limit_push_out(const pp_frame *f, pp_rebound_limits *r, bool *again) {
    const pp_frame *self = f, *const *kick = f->method.nkick ? (const pp_frame *const *)f->method.kick : &self;
    int n = f->method.nkick ? f->method.nkick : 1;
    bool jam = false, passive = f->w->chosen.model->pushes_out;
    if (r->push_out == PP_PUSH_NOTHING || r->push_out == PP_PUSH_MEAN || f->method.no_inertia) return PERP_OK;
    /* steppers with equations of their own whose gaps hold at the end bound it themselves */
    if (f->w->chosen.stepper->step && !f->task.half && f->method.true_gap) return PERP_OK;
    pp_push_out last = passive ? PP_PUSH_MEAN : PP_PUSH_NOTHING,
                next = r->push_out == PP_PUSH_FREE ? PP_PUSH_BOUND : last;
    bool any = any_pushed_out(kick, n, next);
    if (!any && passive && next != last) any = any_pushed_out(kick, n, next = last);
    for (int k = 0; k < n && !any && !jam && !r->jam_stays; k++)
        for (int i = 0; i < kick[k]->contacts.n && !jam; i++) jam = leaves_jam(kick[k], i);
    if (!any && !jam) return PERP_OK;
    pp_contact_work a;
    if (!pp_contact_work_of(f, &a)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int b = 0; b < f->control.nblock && !*again; b++) *again = a.parent[b] == b && a.work[b] > allowed(f, &a, b);
    if (*again && any) r->push_out = next;
    if (*again && !any) r->jam_stays = true;
    return PERP_OK;
}

bool pp_give_up_rebounds(const pp_frame *f, pp_rebound_limits *r) {
    if (r->none || (pp_orders_impacts(f->w) && f->purpose != PP_IMPACT)) return false;
    for (int i = 0; i < f->contacts.n; i++) r->none |= f->contacts.at[i].restitution > 0;
    return r->none;
}

void pp_tell_rebounds(const pp_rebound_limits *r, perp_certificate *cert) {
    cert->rebounds_given_up = r->none;
    cert->rebounds_limited = 0;
    for (int i = 0; i < r->n && !r->none; i++) cert->rebounds_limited += r->pair[i].factor < 1 && r->pair[i].gain > 0;
}

static bool bounces(const pp_frame *k, int i) {
    if (!(k->contacts.at[i].restitution > 0) || !(k->solve.solution.p_contact[3 * i] > 0)) return false;
    if (k->purpose == PP_STEP) return isfinite(pp_rebound_rhs(k, i, &k->pose.problem.contact[i]));
    if (k->purpose == PP_IMPACT) return pp_approach(k, i) < 0;
    const int *s = k->contacts.shape + 2 * i;
    for (int j = 0; j < k->demand.nshift; j++)
        if (k->demand.shift[j].shape[0] == s[0] && k->demand.shift[j].shape[1] == s[1] && k->demand.shift[j].owed)
            return true;
    return false;
}

static pp_rebound_limit *limit_of(pp_rebound_limits *r, const int *shape) {
    for (int i = 0; i < r->n; i++)
        if (r->pair[i].shape[0] == shape[0] && r->pair[i].shape[1] == shape[1]) return &r->pair[i];
    return NULL;
}

/* Next factor of a pair whose island did `work` with the one in use. */
static void search(pp_rebound_limit *l, double work, double rounding, bool last) {
    if (isnan(l->work_lo)) { /* without restitution */
        l->base = fmax(0, work);
        l->work_lo = work - l->base;
        l->work_hi -= l->base;
        l->done = !(l->work_hi > rounding) || !(l->work_lo < 0);
        if (!(l->work_hi > rounding)) l->factor = 1;
    } else {
        work -= l->base;
        if (work > rounding) {
            l->hi = l->factor;
            l->work_hi = work;
            if (l->side > 0) l->work_lo /= 2;
            l->side = 1;
        } else {
            l->lo = l->factor;
            l->work_lo = fmin(work, -rounding);
            if (l->side < 0) l->work_hi /= 2;
            l->side = -1;
            l->done = work > -CLOSE * l->gain;
        }
    }
    if (l->done) return;
    l->factor = last ? l->lo : l->lo + (l->hi - l->lo) * l->work_lo / (l->work_lo - l->work_hi);
    l->done = last;
}

static bool room(pp_rebound_limits *r, pp_arena *arena) {
    if (r->n < r->cap) return true;
    int cap = r->cap ? 2 * r->cap : 8;
    pp_rebound_limit *more = PP_ARENA_ARRAY(arena, pp_rebound_limit, cap);
    if (!more) return false;
    if (r->n) memcpy(more, r->pair, (size_t)r->n * sizeof *more);
    r->pair = more;
    r->cap = cap;
    return true;
}

bool pp_no_rebound(pp_rebound_limits *r, pp_arena *arena, const int shape[2]) {
    if (limit_of(r, shape)) return true;
    if (!room(r, arena)) return false;
    r->pair[r->n++] = (pp_rebound_limit){.shape = {shape[0], shape[1]}, .done = true};
    return true;
}

/* The pairs of a kick that bounce: those whose island gains are searched for the restitution that does not. */
static bool go_through(pp_rebound_limits *r, const pp_frame *k, const pp_contact_work *a, bool last, bool *again) {
    for (int i = 0; i < k->contacts.n; i++) {
        const perp_row *n = &k->pose.problem.contact[i].n;
        if ((n->block[0] < 0 && n->block[1] < 0) || !bounces(k, i)) continue;
        int at = pp_work_island(a, n);
        const int *shape = k->contacts.shape + 2 * i;
        double rounding = PP_RESIDUAL * a->moved[at];
        pp_rebound_limit *l = limit_of(r, shape);
        if (l && (l->done || l->seen == r->tries)) continue;
        if (!l && (last || !(a->work[at] > rounding))) continue;
        if (!l) {
            if (!room(r, &k->w->arena)) return false;
            r->pair[r->n++] = (pp_rebound_limit){.shape = {shape[0], shape[1]},
                                                 .seen = r->tries,
                                                 .hi = 1,
                                                 .gain = a->work[at],
                                                 .work_hi = a->work[at],
                                                 .work_lo = NAN};
            *again = true;
            continue;
        }
        double used = l->factor;
        l->seen = r->tries;
        search(l, a->work[at], rounding, last);
        if (l->factor != used) *again = true;
    }
    return true;
}

perp_status pp_limit_rebounds(const pp_frame *f, pp_rebound_limits *r, bool *again) {
    const pp_frame *self = f, *const *kick = f->method.nkick ? (const pp_frame *const *)f->method.kick : &self;
    int n = f->method.nkick ? f->method.nkick : 1;
    bool any = false;
    *again = false;
    for (int k = 0; k < n && !any; k++)
        for (int i = 0; i < kick[k]->contacts.n && !any; i++) any = bounces(kick[k], i);
    if (!any || r->tries > TRIES) return PERP_OK;
    pp_contact_work a;
    if (!pp_contact_work_of(f, &a)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    r->tries++;
    bool ok = true;
    for (int k = 0; ok && k < n; k++) ok = go_through(r, kick[k], &a, r->tries >= TRIES, again);
    return ok ? PERP_OK : pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
}

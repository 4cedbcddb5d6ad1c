/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound_limit.c - limits restitution and push-out so that they do not add energy
 * Problem  Newton's rule prescribes the velocity of separation. With friction, or if contacts with different restitution act together,
 *          its impulses can do positive work: a sliding rod that lands on its end separates with more energy than it had (Kane's
 *          paradox).
 * Method   The work of a contact is p (w- + w+)/2 with the normal velocities w- before and w+ after the impact. It cannot be positive if
 *          all contacts have the same e and no friction, or if all contacts stop (e = 0). So there is a largest restitution between 0 and
 *          e that gains nothing. All pairs of an island that would gain get this restitution. It is found by false position on the work;
 *          each evaluation solves the step again. Steps without gain need no extra solve.
 * Push-out A negative gap at the start demands the separation speed -gap/h. The shorter the substep, the larger the impulse. If contacts
 *          gain energy by it, limits are tried in this order:
 *          1 The pair may separate no faster than it approached: p (u- + u+) <= 0. A pair alone cannot gain then.
 *          2 The pair is only kept from closing further. If all contacts stop, none gains.
 *          A small gain is allowed, because lifting bodies that sank in by rounding and linearised gaps costs energy.
 *          Models that allow penetration (contact_model.h: pushes_out) push bodies out in every second step, so allowed gains would add up.
 *          There no gain is allowed. Contacts that stop can still gain there if the forces of the step turn a separating body
 *          back: p (u- + u+) > 0 with u- > 0, u+ = 0. A body that tips over a corner does so in every step. So their last limit lets
 *          contacts act at the mean velocity: 0 <= p _|_ u- + u+ >= 0, and friction opposes s- + s+. Then no contact can do positive
 *          work, independent of the others.
 *          The model "peg" bounds the push-out speed itself and enforces gaps at the end of the step. There a body that a drive is jammed
 *          into is not pushed out if contacts gain by it: in a wedge a very small motion can require large impulses.
 * Valid    Work is computed as in the ledger: at the mean velocity, relative to driven bodies.
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

/* [1] The search for the restitution ends if the contacts lose less than this fraction of the gain without a limit.
 * Half and double: no effect. */
#define CLOSE 0.02
/* [tries] Largest number of solutions in the search for the restitution of an island. Half: other bits only; double: no
 * effect. */
#define TRIES 10
/* [1] A driven body counts as jammed if its penetration exceeds this multiple of the touching distance. Half and
 * double: no effect. */
#define JAMMED 10
/* [1] Energy that an island may gain in a substep by push-out, as a fraction of its kinetic energy. Half and double: no
 * effect. */
#define PUSHED 1e-5
/* [1] Energy that it may gain in addition, as a fraction of the energy of a free fall over the substep: push-out lifts
 * bodies that sank in by linearised gaps. Half and double: no effect. */
#define LIFTED 0.3

/* Does contact i carry an impulse because its penetration demands more than the limit `next` allows? */
static bool pushed_out(const pp_frame *k, int i, pp_push_out next) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    if (k->contacts.plane) return false; /* the model "peg" has its own checks */
    if (c->compliance > 0) return false; /* compliant contact */
    if (!(k->contacts.at[i].gap < 0) || !(k->solve.solution.p_contact[3 * i] > 0)) return false;
    if (next == PP_PUSH_MEAN) return true; /* this limit also changes friction */
    return k->purpose == PP_STEP && c->b_n < pp_push_out_bound(k, next, c);
}

/* In the model "peg": does contact i push a body out of a driven body that is jammed into it? */
static bool leaves_jam(const pp_frame *k, int i) {
    const pp_shape *A = &k->w->shape[k->contacts.shape[2 * i]], *B = &k->w->shape[k->contacts.shape[2 * i + 1]];
    const perp_contact *c = &k->contacts.at[i];
    if (!k->contacts.plane || k->purpose != PP_STEP || !(k->solve.solution.p_contact[3 * i] > 0)) return false;
    if (!(c->gap < -JAMMED * pp_touching(A->g, B->g, c->b_W))) return false;
    return k->w->body[A->body].kind == PERP_BODY_KINEMATIC || k->w->body[B->body].kind == PERP_BODY_KINEMATIC;
}

/* Energy that free fall over the substep gives to the bodies of an island. */
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

/* Energy that the contacts of an island may add by push-out. */
static double allowed(const pp_frame *f, const pp_contact_work *a, int island) {
    if (f->w->chosen.model->pushes_out) return PP_RESIDUAL * a->moved[island];
    return PUSHED * a->kinetic[island] + LIFTED * fall_of(f, a, island);
}

perp_status pp_limit_push_out(const pp_frame *f, pp_rebound_limits *r, bool *again) {
    const pp_frame *self = f, *const *kick = f->method.nkick ? (const pp_frame *const *)f->method.kick : &self;
    int n = f->method.nkick ? f->method.nkick : 1;
    bool jam = false, passive = f->w->chosen.model->pushes_out;
    if (r->push_out == PP_PUSH_NOTHING || r->push_out == PP_PUSH_MEAN || f->method.no_inertia) return PERP_OK;
    /* steppers with their own step equations and gaps at the end bound the push-out themselves */
    if (f->w->chosen.stepper->step && !f->task.half && f->method.true_gap) return PERP_OK;
    pp_push_out last = passive ? PP_PUSH_MEAN : PP_PUSH_NOTHING,
                next = r->push_out == PP_PUSH_FREE ? PP_PUSH_BOUND : last;
    bool any = any_pushed_out(kick, n, next);
    if (!any && next != last) any = any_pushed_out(kick, n, next = last); /* a group may gain although no pair does */
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

/* Computes the next factor of a pair from the work of its island with the present factor. */
static void search(pp_rebound_limit *l, double work, double rounding, bool last) {
    if (isnan(l->work_lo)) { /* the work without restitution was not known yet */
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

/* Updates the search of all pairs of a kick that rebound and whose island gains energy. */
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

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_order.c - solves the impacts of a step in order of time, for any step length
 * Problem  Bodies with restitution collide within a step, once or many times, and each impact changes the motion after it.
 * Method   1 Shift the velocities to the time of the poses: half a kick, with the active constraints.
 *          2 Find the earliest time tau at which a pair with restitution closes (impact_time.c).
 *          3 Make a flight: a step of length tau in which such pairs have no contacts. Its velocities start tau/2 behind the poses. After it
 *            they are shifted to its end. This is exact for constant forces. Steppers with half kicks need no shift.
 *          4 Apply the impact law to all contacts that touch there (impact_laws.c).
 *          5 Repeat for the rest of the step. At its end shift the velocities half a kick back.
 *          A contact that touches and closes at the start of a step is an impact at tau = 0. There is no impact if the approach is slower
 *          than the speed of rest, which is (1 - e) times half of the velocity change by forces in the step: its rebounds end within the
 *          step. Such a contact is treated as one without restitution. So is a contact that forces close again before it has left
 *          the touching distance. Islands (bodies that are connected or may reach each other in the step) are divided separately.
 * Ends     If impacts accumulate: a pair whose impacts would end within the step rests from the third of them on (impact_series.c). After
 *          PP_IMPACTS per contact the rest of the step has no restitution. The certificate counts both (rebounds_given_up).
 * Cost     A step with n impacts: n + 1 steps of the island, n impacts, and two problems for each half kick if there are contacts or
 *          joints. */
#include "step/impact_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/rounding.h"
#include "base/sets.h"
#include "model/budget.h"
#include "problem/rows.h"
#include "step/impact_merge.h"
#include "step/impact_shift.h"
#include "stage/stepper.h"
#include "method/contact/solve_contacts.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/belt.h"
#include "stage/control/control.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [tries] Number of times that a flight which ended in penetration is shortened. Half and double: no effect. */
#define REDONE 8
/* [frames] Cost of looking for contacts before a flight, in frames per body, for the work limit of the step. These
 * frames are not solved and would not be counted otherwise. */
#define FRAMES 8
/* [1] Speed of separation, as a fraction of the speed of rest, below which a contact rests. Half and double: no effect. */
#define PARTS 0.01

static perp_status no_memory(perp_world *w) { return pp_fail(w, PERP_E_MEMORY, "out of memory for the impacts"); }

/* Twice the time by which velocities lag behind the poses when the substep begins. In a divided step it is more than
 * the length of the substep. */
static double behind_of(const perp_world *w, const pp_span *x) {
    if (w->chosen.stepper->half_kicks) return 0;
    return x->s0->lag > 0 ? 2 * x->s0->lag : x->h;
}

/* ---- touching pairs and flying pairs ---- */

/* Makes a frame with all pairs within reach in the time left; they are in w->found.pairs. If no time is left, the frame
 * has the length of the step, because forces and speeds of rest are still needed. */
static perp_status reach(pp_order *o) {
    perp_world *w = o->m.w;
    pp_frame *f = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    pp_state *s0 = pp_state_duplicate(w, o->m.s), *s1 = pp_state_duplicate(w, o->m.s);
    if (!f || !s0 || !s1) return no_memory(w);
    *f = (pp_frame){.w = w,
                    .s0 = s0,
                    .s1 = s1,
                    .h = o->left > 0 ? o->left : o->m.h,
                    .purpose = PP_STEP,
                    .task = {.last_resort = true, .held = o->m.held, .acts = o->m.acts, .reach_factor = 2}};
    o->reach = f;
    perp_status st = pp_control(f);
    return st ? st : pp_collide(f);
}

/* Computes the speeds of rest of all bodies from the forces on them. */
static perp_status rest_speeds(pp_order *o) {
    const pp_frame *f = o->reach;
    perp_world *w = o->m.w;
    int dim = w->def.dim;
    double most = 0;
    o->m.rest = PP_ARENA_ZERO(&w->arena, double, w->nbody);
    o->m.accel = PP_ARENA_ZERO(&w->arena, double, f->control.ndof);
    if (!o->m.rest || !o->m.accel) return no_memory(w);
    for (int b = 0; b < f->control.nblock; b++)
        for (int i = 0; i < f->control.block_ndof[b]; i++)
            for (int j = 0; j < f->control.block_ndof[b]; j++)
                o->m.accel[f->control.block_offset[b] + i] +=
                    f->control.Minv[36 * b + 6 * j + i] * pp_force_impulse(f, f->control.block_offset[b] + j) / f->h;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], at = f->control.block_offset[k];
        const pp_body *b = &w->body[slot];
        double lin = 0, ang = 0, r = isfinite(b->radius) ? b->radius : 0;
        for (int i = 0; i < f->control.block_ndof[k]; i++) {
            double p = pp_force_impulse(f, at + i);
            if (i < dim)
                lin += p * p;
            else
                ang += p * p;
        }
        o->m.rest[slot] = 0.5 * o->m.h / f->h * (sqrt(lin) / b->mass + r * sqrt(ang) * b->I_inv_most);
        /* includes the forces, because the speeds of bodies at rest are rounding */
        most = fmax(most, o->m.rest[slot] + perp_v3_norm(f->s0->v[slot]) + r * perp_v3_norm(f->s0->w[slot]));
    }
    for (int i = 0; i < w->nbody; i++)
        if (w->body[i].kind == PERP_BODY_KINEMATIC) most = fmax(most, perp_v3_norm(f->s1->v[i]));
    o->m.least = fmax(o->m.least, PP_RESIDUAL * most);
    return PERP_OK;
}

static bool is_support(const perp_world *w, int body) { return body < 0 || w->body[body].kind != PERP_BODY_DYNAMIC; }

/* Marks bodies that are connected to a fixed or driven body by a chain of contacts and joints. */
static perp_status find_grounded(pp_order *o) {
    perp_world *w = o->m.w;
    const pp_frame *k = o->look;
    bool *on = o->m.grounded = PP_ARENA_ZERO(&w->arena, bool, w->nbody);
    if (!on) return no_memory(w);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < k->contacts.n + w->njoint; i++) {
            bool contact = i < k->contacts.n;
            if (!contact && !pp_alive(w->joint[i - k->contacts.n].gen)) continue;
            const int body[2] = {contact ? w->shape[k->contacts.shape[2 * i]].body : w->joint[i - k->contacts.n].a,
                                 contact ? w->shape[k->contacts.shape[2 * i + 1]].body : w->joint[i - k->contacts.n].b};
            for (int side = 0; side < 2; side++)
                if (!is_support(w, body[side]) && !on[body[side]] && (is_support(w, body[!side]) || on[body[!side]]))
                    on[body[side]] = more = true;
        }
    }
    return PERP_OK;
}

/* Does the pair of shapes rest on each other? *touches: it has contacts. */
static bool rests(const pp_order *o, int a, int b, bool *touches) {
    const pp_frame *k = o->look;
    bool still = false;
    *touches = false;
    for (int i = 0; i < k->contacts.n; i++) {
        if (pp_pair_key(k->contacts.shape[2 * i], k->contacts.shape[2 * i + 1]) != pp_pair_key(a, b)) continue;
        *touches = true;
        double u = pp_approach(k, i), rest = pp_rest_speed(&o->m, k, i);
        still |= u < 0 ? -u <= rest : u <= fmax(o->m.least, PARTS * rest);
    }
    return still;
}

static double restitution_of(const perp_world *w, int a, int b) {
    return w->law[w->shape[a].material * w->nmaterial + w->shape[b].material].restitution;
}

static int compare_meetings(const void *x, const void *y) {
    const pp_impact_event *a = x, *b = y;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return (a->j > b->j) - (a->j < b->j);
}

/* Finds the flying pairs: pairs in reach with restitution that do not rest on each other. */
static perp_status find_flying(pp_order *o) {
    perp_world *w = o->m.w;
    const pp_frame *f = o->reach;
    int n = w->found.pairs.n;
    pp_impact_event *list = PP_ARENA_ARRAY(&w->arena, pp_impact_event, n);
    o->meeting = PP_ARENA_ARRAY(&w->arena, pp_impact_event, n);
    o->flying = PP_ARENA_ARRAY(&w->arena, uint64_t, n);
    if (!list || !o->meeting || !o->flying) return no_memory(w);
    for (int i = 0; i < n; i++) list[i] = (pp_impact_event){w->found.pairs.pair[i].i, w->found.pairs.pair[i].j, false};
    qsort(list, (size_t)n, sizeof *list, compare_meetings); /* placed shapes are in the order of their slots */
    o->nflying = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && !compare_meetings(&list[i], &list[i - 1])) continue;
        int a = f->collide.placed[list[i].i].slot, b = f->collide.placed[list[i].j].slot;
        bool touches;
        if (!(restitution_of(w, a, b) > 0)) continue;
        if (rests(o, a, b, &touches)) continue;
        o->meeting[o->nflying] = (pp_impact_event){list[i].i, list[i].j, touches};
        o->flying[o->nflying++] = pp_pair_key(a, b);
    }
    return PERP_OK;
}

/* Does touching contact i close fast enough to be an impact? */
static bool is_impact(const pp_order *o, int i) {
    return o->look->contacts.at[i].restitution > 0 && pp_approach(o->look, i) < -pp_rest_speed(&o->m, o->look, i);
}

/* Updates everything that depends on the state m.s: touching contacts, pairs in reach, speeds of rest, flying pairs. */
static perp_status update_pairs(pp_order *o) {
    perp_world *w = o->m.w;
    if (pp_budget_used(w, FRAMES * (double)w->nbody)) return pp_budget_fail(w);
    perp_status st = pp_impact_look(&o->m, &o->look);
    if (!st) st = reach(o);
    if (!st) st = rest_speeds(o);
    if (!st) st = find_grounded(o);
    if (!st) st = find_flying(o);
    if (st) return st;
    o->impact = false;
    for (int i = 0; i < o->look->contacts.n; i++) o->impact |= is_impact(o, i);
    return PERP_OK;
}

/* Is touching contact i the fastest impact of its pair? */
static bool is_fastest(const pp_order *o, int i) {
    const pp_frame *k = o->look;
    const int *s = k->contacts.shape + 2 * i;
    if (!is_impact(o, i)) return false;
    for (int j = 0; j < k->contacts.n; j++) {
        double more = pp_approach(k, i) - pp_approach(k, j);
        if (pp_pair_key(s[0], s[1]) != pp_pair_key(k->contacts.shape[2 * j], k->contacts.shape[2 * j + 1])) continue;
        if (more > 0 || (more == 0 && i > j)) return false;
    }
    return true;
}

/* Adds the impacts of touching contacts to the series of their pairs. */
static perp_status add_to_series(pp_order *o) {
    perp_world *w = o->m.w;
    const pp_frame *k = o->look;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < k->contacts.n; i++) {
            const int *s = k->contacts.shape + 2 * i, body[2] = {w->shape[s[0]].body, w->shape[s[1]].body};
            if (!is_fastest(o, i)) continue;
            pp_pair_impact x = {.pair = pp_pair_key(s[0], s[1]),
                                .e = k->contacts.at[i].restitution,
                                .t = o->x->h - o->left,
                                .u = -pp_approach(k, i),
                                .touching = pp_touching(w->shape[s[0]].g, w->shape[s[1]].g, k->contacts.at[i].b_W)};
            for (int side = 0; side < 2; side++) {
                if (is_support(w, body[side])) continue;
                if (pass == 0) o->struck[body[side]]++;
                x.struck += o->struck[body[side]];
                x.bodies++;
            }
            bool ends = false;
            if (pass == 1 && !pp_series_add(&w->arena, &o->m.series, &x, o->left, &ends)) return no_memory(w);
            o->m.sum.rebounds_given_up += ends;
        }
    return PERP_OK;
}

/* ---- flights ---- */

/* A flight that ended in penetration: its length tau, the penetration, the gap of that pair at the start, and the
 * penetration that is allowed. */
typedef struct miss {
    double tau, deep, began, may;
} miss;

/* Finds the flying pair with the deepest penetration at the state s. If none is beyond the touching distance, .deep is
 * 0. */
static miss too_deep(const pp_order *o, const pp_state *s, double tau) {
    const pp_frame *f = o->reach;
    const perp_world *w = o->m.w;
    miss worst = {.tau = tau};
    for (int i = 0; i < o->nflying; i++) {
        pp_placed a = f->collide.placed[o->meeting[i].i], b = f->collide.placed[o->meeting[i].j];
        const pp_state *at[2] = {s, o->m.s};
        double d[2];
        for (int k = 0; k < 2; k++) {
            a.X_WS = perp_pose_mul(at[k]->X[a.body], w->shape[a.slot].X_BS);
            b.X_WS = perp_pose_mul(at[k]->X[b.body], w->shape[b.slot].X_BS);
            pp_budget_pair(o->m.w, a.g, b.g);
            d[k] = pp_separation(&a, &b);
        }
        double may = pp_touching(a.g, b.g, a.X_WS.p);
        if (-d[0] > may && -d[0] > worst.deep && d[1] > d[0])
            worst = (miss){.tau = tau, .deep = -d[0], .began = fmax(d[1], 0), .may = may};
    }
    return worst;
}

/* With accelerations a of the bodies: does touching contact i close again before it has left the touching distance? */
static bool comes_back(const pp_order *o, int i, const double *a) {
    const pp_frame *k = o->look;
    const int *shape = k->contacts.shape + 2 * i;
    double closes = -pp_row_dot(&k->pose.problem, &k->pose.problem.contact[i].n, a), u = pp_approach(k, i);
    double gap = pp_touching(o->m.w->shape[shape[0]].g, o->m.w->shape[shape[1]].g, k->contacts.at[i].b_W);
    return closes > 0 && u >= 0 && u * u <= 2 * closes * gap;
}

/* Removes pairs that close again so soon from the flying pairs. They are treated like resting pairs, whatever their
 * restitution. If they flew, each flight would press them together a little more. Returns true if some were removed. */
static bool remove_pressed_pairs(pp_order *o, const double *a) {
    const pp_frame *k = o->look;
    int n = o->nflying;
    for (int i = 0; i < k->contacts.n; i++) {
        if (!comes_back(o, i, a)) continue;
        uint64_t key = pp_pair_key(k->contacts.shape[2 * i], k->contacts.shape[2 * i + 1]);
        int left = 0;
        for (int j = 0; j < o->nflying; j++) {
            if (o->flying[j] == key) continue;
            o->flying[left] = o->flying[j];
            o->meeting[left++] = o->meeting[j];
        }
        o->nflying = left;
    }
    return o->nflying < n;
}

/* Accelerations a that take the bodies from the poses and velocities of the state `from` to the poses of `to` within
 * tau. In 3D angular accelerations are left unchanged. */
static void acceleration_between(const pp_order *o, const pp_state *from, const pp_state *to, double tau, double *a) {
    const pp_frame *f = o->reach;
    int dim = o->m.w->def.dim;
    for (int b = 0; b < f->control.nblock; b++) {
        int slot = f->control.block_body[b];
        double *x = a + f->control.block_offset[b], by = 2 / (tau * tau);
        perp_vec3 way = perp_v3_sub(to->X[slot].p, perp_v3_axpy(from->X[slot].p, tau, from->v[slot]));
        x[0] = by * way.x, x[1] = by * way.y;
        if (dim == 3) x[2] = by * way.z;
        if (dim == 2 && f->control.block_ndof[b] == 3)
            x[2] = by * (to->theta[slot] - from->theta[slot] - tau * from->w[slot].z);
    }
}

/* Length of the next try after a flight to s1 that ended in penetration. It is the time at which a pair met on this
 * path, or the result of false position with the try before. The first prediction used other accelerations, because the
 * effect of constraints over the whole flight is known only after it. */
static double shorter(pp_order *o, const pp_state *s1, const miss *now, const miss *before, int tries) {
    int which;
    double tau = now->tau;
    if (tries < REDONE / 2 && before->tau > tau && before->deep > now->deep) {
        double t = tau - now->deep * (before->tau - tau) / (before->deep - now->deep);
        if (t > 0.5 * tau) return (1 - PP_RESIDUAL) * t;
    } else if (!(before->tau > 0)) {
        acceleration_between(o, o->reach->s0, s1, tau, o->a);
        double meets = pp_first_meeting(o->reach, o->a, o->meeting, o->nflying, tau, &which);
        if (meets > 0 && meets < (1 - PP_RESIDUAL) * tau) return meets;
    }
    if (now->began > 0) return tau * (1 - PP_RESIDUAL) * now->began / (now->began + now->deep);
    /* it touched at the start: halve. If that does not help, it is pushed in at the start, and its depth is
     * proportional to the length. */
    return tau * (tries < REDONE / 2 ? 0.5 : fmin(0.5, now->may / now->deep));
}

/* Sets *tau to the time of the earliest impact of flying pairs, or to all time left if there is none. Shifts the
 * velocities for a step of this length. */
static perp_status take_off(pp_order *o, double *tau) {
    perp_world *w = o->m.w;
    pp_accelerated x;
    int which;
    *tau = o->left;
    o->reach->s0 = pp_state_duplicate(w, o->m.s); /* with velocities at the time of the poses */
    o->a = PP_ARENA_ARRAY(&w->arena, double, o->reach->control.ndof);
    if (!o->reach->s0 || !o->a) return no_memory(w);
    pp_arena_mark mark = pp_arena_here(&w->arena);
    perp_status st = pp_acceleration(o, -w->def.h, &x);
    while (!st && remove_pressed_pairs(o, x.a)) st = pp_acceleration(o, -w->def.h, &x);
    if (!st) {
        memcpy(o->a, x.a, (size_t)o->reach->control.ndof * sizeof *o->a);
        double meets = pp_first_meeting(o->reach, x.a, o->meeting, o->nflying, o->left, &which);
        if (isfinite(meets) && meets < o->left && meets > 0) *tau = meets;
        if (!pp_any_driven(w)) st = pp_shift_velocities(o, 0, *tau, &x);
    }
    pp_arena_release(&w->arena, mark);
    /* driven bodies have another velocity at this tau */
    return st || !pp_any_driven(w) ? st : pp_move_velocities(o, 0, *tau);
}

/* Makes one flight from m.s to the next impact; m.s becomes its end. all: to the end of the substep, with contacts of
 * all pairs. */
static perp_status fly(pp_order *o, bool all) {
    perp_world *w = o->m.w;
    perp_ledger moved = o->moved;
    double tau = o->left;
    miss before = {0};
    pp_state *from = pp_state_duplicate(w, o->m.s);
    if (!from) return no_memory(w);
    for (int tries = 0;; tries++) {
        pp_frame *f = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
        pp_state *s1 = pp_state_duplicate(w, o->m.s);
        perp_certificate c = PERP_CERTIFICATE_NONE;
        if (!f || !s1) return no_memory(w);
        perp_status st = all || tries > 0 ? pp_move_velocities(o, 0, tau) : take_off(o, &tau);
        pp_state *s0 = pp_state_duplicate(w, o->m.s);
        if (!s0) return no_memory(w);
        pp_span x = {.s0 = s0,
                     .h = tau,
                     .held = o->m.held,
                     .acts = o->m.acts,
                     .flying = all ? NULL : o->flying,
                     .nflying = all ? 0 : o->nflying,
                     .last = o->x->last,
                     .stops = o->x->stops};
        if (!st) st = pp_substep(w, &x, s1, f, &c);
        if (st) return st;
        miss now = all ? (miss){0} : too_deep(o, s1, tau);
        if (now.deep > 0 && tries < REDONE) {
            pp_state_copy(w, o->m.s, from);
            o->moved = moved;
            tau = shorter(o, s1, &now, &before, tries);
            before = now;
            continue;
        }
        pp_state_copy(w, o->m.s, s1);
        o->m.s->substep = tau;
        o->left -= tau;
        o->flights++;
        st = pp_impacts_add(&o->m, f, &c);
        if (!st) st = pp_move_velocities(o, tau, 0); /* the flying pairs are still the same */
        return st ? st : update_pairs(o);
    }
}

/* Does a flying pair touch? Then its velocity decides whether it rests. */
static bool any_flying_pair_touches(const pp_order *o) {
    for (int i = 0; i < o->nflying; i++)
        if (o->meeting[i].parting) return true;
    return false;
}

static perp_status all_impacts(pp_order *o) {
    perp_world *w = o->m.w;
    double h = o->x->h, behind = behind_of(w, o->x);
    perp_status st = update_pairs(o);
    if (!st) st = pp_move_velocities(o, behind, 0);
    /* it was found with velocities of another time */
    if (!st && (pp_any_driven(w) || any_flying_pair_touches(o))) st = update_pairs(o);
    for (int contacts = 0; !st && o->left > PP_ROUNDING * h;) {
        if (o->look->contacts.n + o->nflying > contacts) contacts = o->look->contacts.n + o->nflying;
        if (o->m.count > PP_IMPACTS * (contacts + 4) || o->flights > 4 * PP_IMPACTS * (contacts + 4)) {
            pp_logf(w, PERP_LOG_INFO,
                    "step %llu: after %d impacts, the remaining time %g is solved without restitution",
                    (unsigned long long)w->state.step, o->m.count, o->left);
            o->m.sum.rebounds_given_up++;
            st = fly(o, true);
            break;
        }
        if (o->impact) {
            st = add_to_series(o);
            if (!st) st = pp_impact(&o->m, o->look);
            if (!st) st = update_pairs(o);
            continue;
        }
        st = fly(o, false);
    }
    return st ? st : pp_move_velocities(o, 0, behind);
}

/* ---- islands ---- */

static void join(const perp_world *w, int *parent, int a, int b) {
    if (!is_support(w, a) && !is_support(w, b)) pp_sets_join(parent, a, b);
}

/* Joins bodies that may reach each other within the time left, or are connected by a joint or a spring. */
static int *islands(pp_order *o) {
    perp_world *w = o->m.w;
    int *parent = PP_ARENA_ARRAY(&w->arena, int, w->nbody);
    for (int i = 0; parent && i < w->nbody; i++) parent[i] = i;
    for (int i = 0; parent && i < w->found.pairs.n; i++)
        join(w, parent, o->reach->collide.placed[w->found.pairs.pair[i].i].body,
             o->reach->collide.placed[w->found.pairs.pair[i].j].body);
    for (int i = 0; parent && i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen)) join(w, parent, w->joint[i].a, w->joint[i].b);
    for (int i = 0; parent && i < w->nforce; i++)
        if (pp_alive(w->force[i].gen) && w->force[i].def.kind == PERP_FORCE_SPRING)
            join(w, parent, w->force[i].a, w->force[i].b);
    return parent;
}

static void mark(const perp_world *w, int *parent, const int *shape, bool *hit) {
    for (int k = 0; k < 2; k++) {
        int body = w->shape[shape[k]].body;
        if (w->body[body].kind == PERP_BODY_DYNAMIC) hit[pp_set_of(parent, body)] = true;
    }
}

static bool bounced(const pp_frame *done) {
    for (int i = 0; i < done->contacts.n && done->solve.solution.p_contact; i++)
        if (done->contacts.at[i].restitution > 0 && done->solve.solution.p_contact[3 * i] > 0) return true;
    for (int k = 0; k < done->method.nkick; k++)
        if (done->method.kick[k] != done && bounced(done->method.kick[k])) return true;
    return false;
}

/* Velocity of contact i along its normal at the start of a solved substep. driven: linear and angular velocities of
 * driven bodies at that time, by body slot; NULL: those of the substep. With them, a body that rests on an accelerated
 * driven body does not close. */
static double start_velocity(const pp_frame *done, int i, perp_vec3 *const driven[2]) {
    const perp_world *w = done->w;
    const perp_contact *c = &done->contacts.at[i];
    if (!driven[0]) return pp_approach(done, i);
    const perp_vec3 at[2] = {c->a_W, c->b_W};
    double u = pp_row_dot(&done->pose.problem, &done->pose.problem.contact[i].n, done->control.nu0);
    for (int side = 0; side < 2; side++) {
        int body = w->shape[done->contacts.shape[2 * i + side]].body;
        if (w->body[body].kind != PERP_BODY_KINEMATIC) continue;
        perp_vec3 r = perp_v3_sub(at[side], done->s1->X[body].p);
        perp_vec3 v = perp_v3_add(driven[0][body], perp_v3_cross(driven[1][body], r));
        u += (side ? 1 : -1) * perp_v3_dot(v, c->n_W);
    }
    return u;
}

/* Velocities of driven bodies at the time that the velocities of m.s belong to. NULL if no body is driven, or if the
 * stepper's frames have the velocities of their own times. */
static perp_status driven_at_start(const pp_order *o, const pp_frame *done, perp_vec3 *driven[2]) {
    perp_world *w = o->m.w;
    driven[0] = driven[1] = NULL;
    if (!pp_any_driven(w) || w->chosen.stepper->half_kicks) return PERP_OK;
    for (int k = 0; k < 2; k++) {
        driven[k] = PP_ARENA_ARRAY(&w->arena, perp_vec3, w->nbody);
        if (!driven[k]) return no_memory(w);
        memcpy(driven[k], k ? done->s1->w : done->s1->v, (size_t)w->nbody * sizeof *driven[k]);
    }
    return pp_driven_velocities(done, -0.5 * o->m.behind, driven[0], driven[1]);
}

/* Marks the islands that had impacts in a substep that was solved as a whole. An impact is a contact with restitution
 * that carried an impulse in any kick and approached faster than its speed of rest. */
static void mark_done(pp_order *o, const pp_frame *done, perp_vec3 *const driven[2], int *parent, bool *hit) {
    const perp_world *w = o->m.w;
    for (int k = 0; k < done->method.nkick; k++)
        if (done->method.kick[k] != done) mark_done(o, done->method.kick[k], driven, parent, hit);
    for (int i = 0; i < done->contacts.n && done->solve.solution.p_contact; i++) {
        const perp_contact *c = &done->contacts.at[i];
        if (!(c->restitution > 0) || !(done->solve.solution.p_contact[3 * i] > 0)) continue;
        const int *shape = done->contacts.shape + 2 * i;
        double u = start_velocity(done, i, driven), rest = pp_rest_speed(&o->m, done, i),
               force = pp_force_speed(&o->m, done, i), gap = c->gap;
        if (driven[0] && done->demand.levers != done->s0) gap -= done->h * done->pose.problem.contact[i].b_n_kin;
        bool apart = gap > pp_touching(w->shape[shape[0]].g, w->shape[shape[1]].g, c->b_W);
        /* speed at the impact: `force` is half of the velocity change by forces within h */
        double met = apart ? sqrt(u * u + 4 * force / done->h * fmax(0, gap)) : -u;
        if ((apart ? -u + 2 * force > 0 : true) && met > rest) mark(w, parent, shape, hit);
    }
}

/* Is a driven body inside another one? Then something jams. Impacts in a wedge that a driven body closes need not end. Not with a loose
 * tolerance, which allows such an overlap anywhere. */
static bool jams(const pp_order *o) {
    const perp_world *w = o->m.w;
    const pp_frame *k = o->look;
    for (int i = 0; i < k->contacts.n && !(w->def.tolerance > PP_LOOSE_TOLERANCE); i++) {
        const int *s = k->contacts.shape + 2 * i;
        const pp_geometry *A = w->shape[s[0]].g, *B = w->shape[s[1]].g; /* a half-space has the size 0 */
        const perp_contact *c = &k->contacts.at[i];
        bool driven = pp_shape_drives(k, s[0]) || pp_shape_drives(k, s[1]);
        if (driven && -c->gap > fmax(PP_JAMMED * fmax(A->size, B->size), pp_touching(A, B, c->b_W))) return true;
    }
    return false;
}

/* Marks the bodies of islands that have impacts. *any: there are some. */
static perp_status find_islands(pp_order *o, const pp_frame *done, bool *acts, bool *any) {
    perp_world *w = o->m.w;
    *any = false;
    perp_status st = update_pairs(o);
    if (st) return st;
    bool *hit = PP_ARENA_ZERO(&w->arena, bool, w->nbody);
    int *parent = islands(o);
    const double *a = o->m.accel;
    if (!hit || !parent) return no_memory(w);
    const pp_frame *f = o->reach;
    for (int i = 0; i < o->look->contacts.n; i++)
        if (is_impact(o, i)) mark(w, parent, o->look->contacts.shape + 2 * i, hit);
    if (!w->chosen.stepper->half_kicks) /* shift to the time of the poses */
        for (int b = 0; b < f->control.nblock; b++) {
            const double *x = a + f->control.block_offset[b];
            pp_state *s = (pp_state *)f->s0;
            s->v[f->control.block_body[b]] = perp_v3_axpy(s->v[f->control.block_body[b]], 0.5 * f->h,
                                                          perp_v3(x[0], x[1], w->def.dim == 3 ? x[2] : 0));
        }
    for (int i = 0; i < o->nflying; i++) {
        int which;
        const int shape[2] = {f->collide.placed[o->meeting[i].i].slot, f->collide.placed[o->meeting[i].j].slot};
        if (isfinite(pp_first_meeting(f, a, &o->meeting[i], 1, o->left, &which))) mark(w, parent, shape, hit);
    }
    perp_vec3 *driven[2] = {NULL, NULL};
    if (done && (st = driven_at_start(o, done, driven))) return st;
    if (done) mark_done(o, done, driven, parent, hit);
    for (int i = 0; i < w->nbody; i++) {
        acts[i] = pp_alive(w->body[i].gen) && w->body[i].kind == PERP_BODY_DYNAMIC && hit[pp_set_of(parent, i)];
        *any |= acts[i];
    }
    return PERP_OK;
}

/* Completes the ledger of an island: entries of its frames and of the shifts of velocities. */
static void complete_ledger(pp_order *o, const bool *acts) {
    perp_ledger *l = &o->m.sum.ledger;
    l->kinetic_before = pp_kinetic_of(o->m.w, o->x->s0, acts);
    l->kinetic_after = pp_kinetic_of(o->m.w, o->m.s, acts);
    l->applied += o->moved.applied;
    l->damping += o->moved.damping;
    l->sampling += o->moved.sampling;
    l->drift += o->moved.drift;
    l->remainder = l->kinetic_after - l->kinetic_before - pp_ledger_sum(l);
    o->m.sum.law.momentum = fmax(o->m.sum.law.momentum, o->shift);
}

/* Solves the bodies without impacts as one substep. */
static perp_status solve_others(perp_world *w, const pp_span *x, const bool *acts, pp_state *s1, pp_ordered *out) {
    bool *others = PP_ARENA_ZERO(&w->arena, bool, w->nbody), any = false;
    pp_frame *f = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    if (!others || !f) return no_memory(w);
    for (int i = 0; i < w->nbody; i++) {
        others[i] = pp_alive(w->body[i].gen) && w->body[i].kind == PERP_BODY_DYNAMIC && !acts[i];
        any |= others[i];
    }
    if (!any) return PERP_OK;
    pp_span rest = *x;
    rest.acts = others;
    perp_certificate c = PERP_CERTIFICATE_NONE;
    perp_status st = pp_substep(w, &rest, s1, f, &c);
    if (st) return st;
    pp_add_beside(&out->c, &c);
    out->frame[out->n++] = f;
    return PERP_OK;
}

/* Did a body with impacts meet one of the others? */
static perp_status met_others(perp_world *w, const pp_state *s, const bool *acts, bool *met) {
    pp_frame end = {.w = w};
    double depth = 0;
    int shape[2];
    perp_status st = pp_collide_place(w, s, &end.collide);
    if (!st)
        st = pp_overlap_deepest(w->found.broad, end.collide.nplaced, end.collide.placed, pp_may_touch, &end, &w->alloc,
                                &w->arena, &w->found.couples, &depth, shape);
    *met = false;
    if (st || shape[0] < 0 || !(depth > PP_RESIDUAL * fmin(w->shape[shape[0]].g->size, w->shape[shape[1]].g->size)))
        return st;
    int a = w->shape[shape[0]].body, b = w->shape[shape[1]].body;
    *met = w->body[a].kind == PERP_BODY_DYNAMIC && w->body[b].kind == PERP_BODY_DYNAMIC && acts[a] != acts[b];
    return PERP_OK;
}

/* Solves the marked bodies impact by impact, and the others as one substep. */
static perp_status in_order(perp_world *w, const pp_span *x, const bool *acts, pp_state *s1, pp_ordered *out) {
    pp_order o = {.x = x,
                  .left = x->h,
                  .m = {.w = w,
                        .s = pp_state_duplicate(w, x->s0),
                        .acts = acts,
                        .held = x->held,
                        .h = x->h,
                        .behind = behind_of(w, x)}};
    o.struck = PP_ARENA_ZERO(&w->arena, int, w->nbody);
    if (!o.m.s || !o.struck) return no_memory(w);
    o.m.sum = (perp_certificate)PERP_CERTIFICATE_NONE;
    perp_status st = all_impacts(&o);
    if (st) return st;
    complete_ledger(&o, acts);
    *out = (pp_ordered){.divided = true, .c = o.m.sum, .frame = PP_ARENA_ARRAY(&w->arena, pp_frame *, o.m.nframe + 1)};
    if (!out->frame) return no_memory(w);
    out->c.substeps = o.flights;
    out->c.extent = (perp_energy_extent){.kinetic = o.m.sum.extent.kinetic, .fall = o.m.sum.extent.fall};
    pp_state_copy(w, s1, o.m.s);
    st = solve_others(w, x, acts, s1, out);
    if (st) return st;
    pp_take_bodies(w, acts, o.m.s, s1);
    for (int i = 0; i < o.m.nframe; i++) out->frame[out->n++] = o.m.frame[i];
    s1->t = x->s0->t + x->h;
    s1->substep = x->h;
    s1->made_by = out->frame[out->n - 1];
    return PERP_OK;
}

perp_status pp_order_impacts(perp_world *w, const pp_span *x, const pp_frame *done, pp_state *s1, pp_ordered *out) {
    *out = (pp_ordered){0};
    if (done && !bounced(done)) return PERP_OK;
    bool any, met = false, *acts = PP_ARENA_ZERO(&w->arena, bool, w->nbody);
    pp_order o = {
        .x = x,
        .left = x->h,
        .m = {.w = w, .s = pp_state_duplicate(w, x->s0), .held = x->held, .h = x->h, .behind = behind_of(w, x)}};
    if (!o.m.s || !acts) return no_memory(w);
    perp_status st = find_islands(&o, done, acts, &any);
    if (st || !any) return st;
    if (jams(&o)) w->run.work.limit = fmin(w->run.work.limit, w->run.work.done + PP_LAST_SHARE * w->run.work_limit);
    st = in_order(w, x, acts, s1, out);
    if (!st) st = met_others(w, s1, acts, &met);
    if (st || !met) return st;
    for (int i = 0; i < w->nbody; i++) acts[i] = pp_alive(w->body[i].gen) && w->body[i].kind == PERP_BODY_DYNAMIC;
    return in_order(w, x, acts, s1, out);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* certify.c - stage 7: next state -> figures
 * Measured on the state that is about to be committed: law residuals from the step problem (residual.c), joint errors and penetration from the
 * end poses, contact states from the end velocities, and the energy balance (ledger.c). */
#include <limits.h>
#include <string.h>

#include "geometry/broad/broad.h"
#include "stage/control/belt.h"
#include "problem/rows.h"
#include "stage/certify/contact_work.h"
#include "stage/solve/give_way.h"
#include "stage/stepper.h"
#include "model/coupling.h"
#include "stage/frame.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Distance across which a contact with linearised gap may push, as a fraction of the smaller shape: the limit at
 * which penetration is rated fair. */
#define FAR 1e-2

/* Contacts with an impulse slide if their slip exceeds the tolerance. A frame that failed before it had a problem and a
 * solution has contacts without states. */
static void classify(pp_frame *f, perp_certificate *cert) {
    cert->contacts = f->contacts.n;
    if (!f->pose.problem.contact || !f->solve.solution.p_contact || !f->solve.solution.nu) return;
    double threshold = 10 * f->w->def.tolerance * f->solve.residual.scale;
    for (int i = 0; i < f->contacts.n; i++) {
        perp_contact *c = &f->contacts.at[i];
        const perp_contact_row *r = &f->pose.problem.contact[i];
        const double *p = f->solve.solution.p_contact + 3 * i;
        memcpy(c->impulse_C, p, sizeof c->impulse_C);
        c->spin_impulse = pp_spin_impulse(f, i);
        pp_roll_impulse(f, i, c->roll_impulse);
        c->gap_end = f->method.true_gap ? f->method.true_gap[i]
                                        : c->gap + pp_row_bend(f, &r->n) +
                                              f->h * pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu);
        double st = pp_row_dot(&f->pose.problem, &r->t, f->solve.solution.nu) + r->b_t + r->compliance_f * p[1],
               so = f->w->def.dim == 3
                        ? pp_row_dot(&f->pose.problem, &r->o, f->solve.solution.nu) + r->b_o + r->compliance_f * p[2]
                        : 0;
        double slip = sqrt(st * st + so * so);
        if (f->w->def.dim == 3 && !pp_friction_round(r)) { /* in the metric of the friction ellipsoid */
            double e[PP_FRICTION_ROWS], square;
            pp_friction_axes(r, e);
            square = e[0] * e[0] * st * st + e[1] * e[1] * so * so;
            for (int k = 2; k < PP_FRICTION_ROWS; k++) {
                if (!pp_friction_turns(r, k)) continue;
                double s =
                    pp_row_dot(&f->pose.problem, pp_friction_row(r, k), f->solve.solution.nu) + pp_friction_b(r, k);
                square += e[k] * e[k] * s * s;
            }
            slip = sqrt(square);
        }
        if (!(p[0] > 0)) {
            c->state = PERP_CONTACT_SEPARATING;
            cert->separating++;
        } else if (r->nd != 0 && slip <= threshold) {
            c->state = PERP_CONTACT_STICKING;
            cert->sticking++;
        } else {
            c->state = PERP_CONTACT_SLIDING;
            cert->sliding++;
        }
    }
}

static double joint_error(const perp_world *w, const pp_state *s) {
    double worst = 0;
    for (int i = 0; i < w->njoint; i++) {
        if (!pp_alive(w->joint[i].gen)) continue;
        double phi[6];
        int n = pp_joint_errors_at(w, s, s, i, phi);
        for (int k = 0; k < n; k++)
            if (!(fabs(phi[k]) <= worst)) worst = fabs(phi[k]);
    }
    return worst;
}

void pp_certify_answer(pp_frame *f, perp_certificate *cert) {
    *cert = (perp_certificate){.t = f->s0->t + f->h,
                               .h = f->h,
                               .law = f->solve.residual,
                               .substeps = 1,
                               .fallbacks = f->solve.fallbacks,
                               .ambiguous = f->method.ambiguous,
                               .unknowns = f->solve.unknowns,
                               .solver = f->solve.used ? f->solve.used->name : "",
                               .iterations = f->solve.iterations,
                               .residual = f->solve.info.residual,
                               .overlap_shape = {-1, -1},
                               .gain_shape = {-1, -1},
                               .jam_shape = {-1, -1}};
    classify(f, cert);
}

/* Largest deflection of the surfaces of two shapes by their law. */
static double yield_of(const pp_frame *f, int a, int b) {
    double most = 0;
    for (int i = 0; i < f->contacts.n; i++) {
        const int *s = f->contacts.shape + 2 * i;
        if ((s[0] == a && s[1] == b) || (s[0] == b && s[1] == a)) most = fmax(most, f->method.yield[i]);
    }
    return most;
}

/* Overlap of compliant surfaces is compression as far as the law explains it by the force. Only the rest counts as
 * penetration. */
static perp_status compression(const pp_frame *end, perp_certificate *cert) {
    perp_world *w = end->w;
    perp_status st = pp_overlapping(w->found.broad, end->collide.nplaced, end->collide.placed, pp_may_touch, end,
                                    &w->alloc, &w->arena, &w->found.couples);
    for (int k = 0; !st && k < w->found.couples.n; k++) {
        const pp_placed *a = &end->collide.placed[w->found.couples.couple[k].i],
                        *b = &end->collide.placed[w->found.couples.couple[k].j];
        double d = -pp_separation(a, b);
        if (isnan(d)) d = INFINITY; /* a pose that is not finite is never good */
        if (!(d > 0)) continue;
        double law = yield_of(end, a->slot, b->slot);
        cert->compression = fmax(cert->compression, fmin(d, law));
        if (!(d - law > cert->overlap)) continue;
        cert->overlap = d - law;
        cert->overlap_shape[0] = a->slot;
        cert->overlap_shape[1] = b->slot;
    }
    return st;
}

/* For a substep that had a solution only without opening contacts: finds the driven body that is inside another one,
 * and its depth; or a driven body that was treated as at rest because its load is stuck. */
static void find_jam(const pp_frame *end, perp_certificate *cert) {
    for (int i = 0; i < end->contacts.n; i++) {
        const pp_placed *of[2] = {NULL, NULL};
        for (int k = 0; k < end->collide.nplaced; k++)
            for (int side = 0; side < 2; side++)
                if (end->collide.placed[k].slot == end->contacts.shape[2 * i + side])
                    of[side] = &end->collide.placed[k];
        if (!of[0] || !of[1]) continue;
        int driven = pp_shape_drives(end, of[1]->slot);
        if (!pp_shape_drives(end, of[driven]->slot)) continue;
        bool stands = end->solve.stalled && end->solve.stalled[i] && end->solve.solution.p_contact[3 * i] > 0;
        double depth = -pp_separation(of[0], of[1]);
        if (!(depth > PP_JAMMED * fmin(of[0]->g->size, of[1]->g->size))) depth = 0;
        if (!(depth > 0 || stands) || (cert->jams && !(depth > cert->jam_depth))) continue;
        cert->jams = 1;
        cert->jam_depth = depth;
        cert->jam_shape[0] = of[driven]->slot;
        cert->jam_shape[1] = of[!driven]->slot;
    }
}

/* Adds rigid rows that gave way: the laws treat them as rigid. */
static void find_gives(const pp_frame *f, perp_certificate *cert) {
    const pp_frame *self = f, *const *kick = f->method.nkick ? (const pp_frame *const *)f->method.kick : &self;
    double speed = fmax(cert->law.scale, f->h * perp_v3_norm(f->w->def.gravity_W));
    for (int k = 0; k < (f->method.nkick ? f->method.nkick : 1); k++) {
        int rows;
        double give = pp_gave_way(kick[k], NULL, &cert->law, &rows);
        if (rows == 0) continue;
        cert->gives = 1;
        cert->give = fmax(cert->give, speed > 0 ? give / speed : give);
    }
}

/* Finds contacts with an impulse whose shapes are apart at start and end. Linearised gaps have small errors. But a
 * contact model that keeps a vertex in front of planes beyond their faces (Williams 4.1) pushes across any distance,
 * and its own laws do not show it. Models that measure gaps at the end have them in their laws. */
static void find_pushes_apart(const pp_frame *f, perp_certificate *cert) {
    const perp_step_problem *p = &f->pose.problem;
    if (f->purpose != PP_STEP || f->method.true_gap || f->method.nkick > 0 || f->task.half) return;
    for (int i = 0; i < f->contacts.n && i < p->ncontact; i++) {
        const int *shape = f->contacts.shape + 2 * i;
        double P = f->solve.solution.p_contact[3 * i];
        if (!(P > 0) || p->contact[i].compliance > 0) continue;
        double a = f->w->shape[shape[0]].g->size, b = f->w->shape[shape[1]].g->size; /* 0: half-space or point */
        double far = FAR * (a > 0 && b > 0 ? fmin(a, b) : fmax(a, b));
        double ends = pp_separation_in(f->w, shape, f->s1);
        if (!(ends > far && pp_separation_in(f->w, shape, f->s0) > far)) continue;
        cert->law.normal = fmax(cert->law.normal, fmin(ends / f->h, P * pp_row_inverse_mass(p, &p->contact[i].n)));
    }
}

/* Energy of one step of free fall of all bodies. */
static double fall_energy(const perp_world *w, double h) {
    double mass = 0, g = perp_v3_norm(w->def.gravity_W);
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (pp_alive(b->gen) && b->kind == PERP_BODY_DYNAMIC && !b->no_gravity) mass += b->mass;
    }
    return 0.5 * mass * g * g * h * h;
}

perp_status pp_certify(pp_frame *f, perp_certificate *cert) {
    perp_world *w = f->w;
    pp_certify_answer(f, cert);
    cert->joint_error = joint_error(w, f->s1);
    cert->motor_yields = f->solve.motor_yields > 0;
    cert->yield_joint = f->solve.yield_joint;
    if (w->nshape > 0) {
        pp_frame end = *f; /* the filter uses the placed shapes of its frame */
        end.task.nflying = 0;
        perp_status st = pp_place_shapes(w, f->s1, &end.collide.placed, &end.collide.nplaced);
        if (!st && f->method.yield)
            st = compression(&end, cert);
        else if (!st)
            st = pp_overlap_deepest(w->found.broad, end.collide.nplaced, end.collide.placed, pp_may_touch, &end,
                                    &w->alloc, &w->arena, &w->found.couples, &cert->overlap, cert->overlap_shape);
        if (st) return pp_fail(w, st, "the overlap could not be measured: %s", perp_status_text(st));
        if (f->method.jammed) find_jam(&end, cert);
    }
    if (w->chosen.stepper->ledger)
        w->chosen.stepper->ledger(f, &cert->ledger);
    else
        pp_ledger(f, &cert->ledger);
    cert->extent.fall = fall_energy(w, f->h);
    pp_recheck(f, cert);
    find_gives(f, cert);
    find_pushes_apart(f, cert);
    cert->accepted = f->solve.acceptance <= w->def.tolerance;
    return pp_contact_gain(f, cert);
}

static void worst(double *sum, double x) {
    if (!(x <= *sum)) *sum = x;
}

/* Counts of a very long run, or of a corrupt recording, saturate. */
static int add_count(int a, int b) {
    long long sum = (long long)a + b;
    return sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : (int)sum;
}

/* Updates the extent after the ledger of `sum` was updated. */
static void extend(perp_certificate *sum, const perp_certificate *c) {
    perp_energy_extent *e = &sum->extent;
    const perp_ledger *l = &sum->ledger;
    double potential = -(l->gravity + l->spring), drift = fabs(l->drift + l->joint);
    worst(&e->kinetic, fmax(c->extent.kinetic, fmax(c->ledger.kinetic_before, c->ledger.kinetic_after)));
    e->low = fmin(e->low, potential);
    e->high = fmax(e->high, potential);
    worst(&e->fall, c->extent.fall);
    if (!(drift <= e->drift)) {
        e->drift = drift;
        e->drift_t = c->t;
    }
}

void perp_certificate_add(perp_certificate *sum, const perp_certificate *c) {
    if (sum->substeps == 0) {
        *sum = *c;
        extend(sum, c);
        return;
    }
    sum->t = c->t;
    sum->h += c->h;
    sum->accepted = sum->accepted && c->accepted;
    worst(&sum->law.momentum, c->law.momentum);
    worst(&sum->law.joint, c->law.joint);
    worst(&sum->law.normal, c->law.normal);
    worst(&sum->law.cone, c->law.cone);
    worst(&sum->law.dissipation, c->law.dissipation);
    worst(&sum->law.scale, c->law.scale);
    worst(&sum->joint_error, c->joint_error);
    worst(&sum->error, c->error);
    worst(&sum->compression, c->compression);
    if (c->ambiguous > sum->ambiguous) sum->ambiguous = c->ambiguous;
    sum->rebounds_limited = add_count(sum->rebounds_limited, c->rebounds_limited);
    sum->rebounds_given_up = add_count(sum->rebounds_given_up, c->rebounds_given_up);
    sum->gain += c->gain;
    sum->rebound_lost += c->rebound_lost;
    sum->creep += c->creep;
    worst(&sum->twist, c->twist);
    if (!(c->gain_part <= sum->gain_part)) {
        sum->gain_part = c->gain_part;
        memcpy(sum->gain_shape, c->gain_shape, sizeof sum->gain_shape);
    }
    if (!(c->overlap <= sum->overlap)) {
        sum->overlap = c->overlap;
        memcpy(sum->overlap_shape, c->overlap_shape, sizeof sum->overlap_shape);
    }
    if (c->jams > 0 && (sum->jams == 0 || !(c->jam_depth <= sum->jam_depth))) {
        sum->jam_depth = c->jam_depth;
        memcpy(sum->jam_shape, c->jam_shape, sizeof sum->jam_shape);
    }
    sum->jams = add_count(sum->jams, c->jams);
    if (c->motor_yields > 0) sum->yield_joint = c->yield_joint;
    sum->motor_yields = add_count(sum->motor_yields, c->motor_yields);
    sum->gives = add_count(sum->gives, c->gives);
    sum->handed_over = add_count(sum->handed_over, c->handed_over);
    worst(&sum->give, c->give);
    sum->contacts = c->contacts;
    sum->separating = c->separating;
    sum->sticking = c->sticking;
    sum->sliding = c->sliding;
    if (c->unknowns > sum->unknowns) sum->unknowns = c->unknowns;
    sum->substeps = add_count(sum->substeps, c->substeps);
    sum->rejected = add_count(sum->rejected, c->rejected);
    sum->fallbacks = add_count(sum->fallbacks, c->fallbacks);
    sum->solver = c->solver;
    sum->iterations = add_count(sum->iterations, c->iterations);
    worst(&sum->residual, c->residual);
    perp_ledger *a = &sum->ledger;
    const perp_ledger *b = &c->ledger;
    a->kinetic_after = b->kinetic_after;
    a->gravity += b->gravity;
    a->applied += b->applied;
    a->spring += b->spring;
    a->damping += b->damping;
    a->kinematic += b->kinematic;
    a->joint += b->joint;
    a->motor += b->motor;
    a->armature += b->armature;
    a->joint_loss += b->joint_loss;
    a->normal += b->normal;
    a->friction += b->friction;
    a->turning += b->turning;
    a->start += b->start;
    a->sampling += b->sampling;
    a->drift += b->drift;
    a->remainder += b->remainder;
    extend(sum, c);
}

double perp_world_joint_error(const perp_world *w) { return joint_error(w, &w->state); }

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_quasistatic.c - bodies without inertia: forces balance in every step
 *   0 = h f + G_b p_b + G_n p_n + G_f p_f,   laws of contacts and joints as usual, q+ = q (+) h nu
 * Pyramids make it Model-DLC, friction cones Model-DQC.
 * Method   Proximal point method: the step problem of bodies with mass is solved repeatedly, with the masses eps M and the velocity of the
 *          last solution, starting from nu_0 = 0. The momentum eps M (nu_k+1 - nu_k) is the imbalance of the forces. The rounds end when it
 *          vanishes; with pyramids this takes a few rounds. Pyramids follow the slip of the last round only for some rounds: for a push
 *          off the centre two motions can alternate, each the solution for the directions of the other. If there are many
 *          solutions, the method finds one near rest in the metric of the masses: the least motion.
 *          If cones rotate slowly, the rounds converge slowly. Then they are extrapolated (problem/mix.c).
 *          eps is chosen so that the present forces, those of joints included, would change velocities in a step by the speed of the fastest body or
 *          drive, and later by more. Very large changes beside small velocities would cost accuracy.
 * Fails    If there is no balance: a body that nothing supports, or a push that friction cannot resist. If the rounds do not end soon,
 *          a proof of this is searched (quasistatic_balance.c).
 * Source   Berard 3.4. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/refuse.h"
#include "stage/control/belt.h"
#include "problem/mix.h"
#include "problem/rows.h"
#include "method/stepper/quasistatic_balance.h"
#include "method/stepper/quasistatic_unique.h"
#include "stage/pose/support_rows.h"
#include "method/contact/solve_contacts.h"
#include "stage/certify/certify.h"
#include "stage/update/update.h"

#define ROUNDS    80
#define FOLLOWING 8 /* [rounds] in which pyramids follow the slip; rounds of one fixed problem are guaranteed to end */
/* [rounds] after which a proof that there is no balance is searched; two or three rounds are usual */
#define DOUBT      3
#define SHORT_LOOK 400 /* [sweeps] of this first search: less work than a round */
/* [sweeps] of the search after the step has failed: enough for slopes a thousandth above the limit of friction */
#define LONG_LOOK 40000
/* [rounds] after which rounds are extrapolated; eps stays constant then, unless speeds grow by SPEED_GROWS */
#define SLOW        8
#define SPEED_GROWS 2
#define SHRINKS     0.999 /* [1] rounds are extrapolated only if the change is below this fraction of the last one */
#define RATIO_GROWS 4
#define RATIO_MOST  16
#define RATIO_LONG  1024 /* [1] for pyramids, which are solved exactly, if the rounds continue in one direction */

typedef struct round_data {
    double *M, *Minv; /* masses of the bodies */
    double *force;    /* ndof: h f */
    double *nu;       /* ndof: velocity of the last round */
    double *miss;     /* ndof: change of velocity in a round */
    pp_mix mix;
    double *slips;       /* ndof: velocity of the round whose slip the pyramids keep */
    double acceleration; /* largest acceleration that the forces would cause [L/T^2] */
    double speed;        /* of drives, and of the fastest body so far [L/T] */
} round_data;

static double rim(const pp_frame *f, int k) {
    double r = f->w->body[f->control.block_body[k]].radius;
    return isfinite(r) ? r : 0;
}

/* Size of the motion x of block k, measured at the body's rim. */
static double motion(const pp_frame *f, int k, const double *x) {
    double lin = 0, ang = 0;
    for (int i = 0; i < f->control.block_ndof[k]; i++) *(i < f->w->def.dim ? &lin : &ang) += x[i] * x[i];
    return sqrt(lin) + rim(f, k) * sqrt(ang);
}

/* Does coordinate c of a joint slide, rather than rotate? */
static bool slides(perp_joint_kind kind, int c) {
    return kind == PERP_JOINT_PRISMATIC || (kind == PERP_JOINT_CYLINDRICAL && c == 0) ||
           (kind == PERP_JOINT_PLANAR && c < 2);
}

static double driven_speed(const pp_frame *f) {
    double most = pp_belt_fastest(f);
    for (int i = 0; i < f->w->nbody; i++) {
        const pp_body *b = &f->w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_KINEMATIC) continue;
        double r = isfinite(b->radius) ? b->radius : 0;
        most = fmax(most, perp_v3_norm(f->s1->v[i]) + r * perp_v3_norm(f->s1->w[i]));
    }
    for (int i = 0; i < f->w->njoint; i++) {
        const pp_joint *j = &f->w->joint[i];
        double r = f->w->body[j->b].radius;
        for (int c = 0; pp_alive(j->gen) && c < perp_joint_ncoord(j->def.kind, f->w->def.dim); c++) {
            const perp_joint_axis *axis = &j->def.axis[c];
            double arm = slides(j->def.kind, c) || !isfinite(r) ? 1 : r;
            if (axis->motor) most = fmax(most, fabs(axis->motor_speed) * arm);
        }
    }
    return most;
}

/* Largest acceleration that motors, dry friction and springs in joints would cause: of their lighter body, at its rim. Motors without force limit
 * do not count. */
static double joint_acceleration(const pp_frame *f) {
    const perp_world *w = f->w;
    double most = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        for (int c = 0; pp_alive(j->gen) && c < perp_joint_ncoord(j->def.kind, w->def.dim); c++) {
            const perp_joint_axis *a = &j->def.axis[c];
            double force = a->friction + a->stiffness * fabs(f->s0->coord[i][c] - a->rest);
            if (a->motor && isfinite(a->motor_force)) force = fmax(force, a->motor_force);
            for (int e = 0; e < 2; e++) {
                const pp_body *b = (e ? j->b : j->a) < 0 ? NULL : &w->body[e ? j->b : j->a];
                if (!b || b->kind != PERP_BODY_DYNAMIC) continue;
                double arm = slides(j->def.kind, c) || !isfinite(b->radius) ? 1 : b->radius;
                most = fmax(most, force / (b->mass * arm));
            }
        }
    }
    return most;
}

static perp_status begin(pp_frame *f, round_data *q) {
    pp_arena *a = &f->w->arena;
    *q = (round_data){.M = f->control.M,
                      .Minv = f->control.Minv,
                      .force = PP_ARENA_ZERO(a, double, f->control.ndof),
                      .nu = PP_ARENA_ZERO(a, double, f->control.ndof),
                      .miss = PP_ARENA_ZERO(a, double, f->control.ndof),
                      .slips = PP_ARENA_ZERO(a, double, f->control.ndof)};
    f->control.M = PP_ARENA_ZERO(a, double, 36 * f->control.nblock);
    f->control.Minv = PP_ARENA_ZERO(a, double, 36 * f->control.nblock);
    if (!q->force || !q->nu || !q->miss || !q->slips || !f->control.M || !f->control.Minv ||
        !pp_mix_new(a, f->control.ndof, &q->mix))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the quasistatic step");
    f->method.no_inertia = true;
    memset(f->control.nu0, 0, (size_t)f->control.ndof * sizeof *f->control.nu0); /* earlier motion has no influence */
    memset(f->control.bend, 0, (size_t)f->control.nblock * sizeof *f->control.bend);
    for (int i = 0; i < f->control.ndof; i++) q->force[i] = pp_force_impulse(f, i);
    double press = pp_support_press(f->w);
    for (int k = 0; k < f->control.nblock; k++) {
        const pp_body *b = &f->w->body[f->control.block_body[k]];
        q->acceleration = fmax(q->acceleration, motion(f, k, q->force + f->control.block_offset[k]) / (b->mass * f->h));
        for (int i = 0; b->support && i < 3; i++) q->acceleration = fmax(q->acceleration, press * b->support[i].mu);
    }
    q->acceleration = fmax(q->acceleration, joint_acceleration(f));
    q->speed = fmax(driven_speed(f), 1e-3 * q->acceleration * f->h);
    for (int k = 0; k < f->control.nblock; k++)
        for (int i = 0; i < f->control.block_ndof[k]; i++)
            q->mix.weight[f->control.block_offset[k] + i] = q->M[36 * k + 7 * i];
    return PERP_OK;
}

/* Sets the masses eps M and the momentum of the last velocity. */
static void weigh(pp_frame *f, const round_data *q, double eps) {
    for (int i = 0; i < 36 * f->control.nblock; i++) {
        f->control.M[i] = eps * q->M[i];
        f->control.Minv[i] = q->Minv[i] / eps;
    }
    for (int k = 0; k < f->control.nblock; k++) {
        int at = f->control.block_offset[k], nd = f->control.block_ndof[k];
        for (int r = 0; r < nd; r++) {
            double sum = q->force[at + r];
            for (int c = 0; c < nd; c++) sum += f->control.M[36 * k + 6 * c + r] * q->nu[at + c];
            f->control.momentum[at + r] = sum;
        }
    }
}

/* Largest change of velocity in the last round; *who: its block. */
static double change(const pp_frame *f, const round_data *q, int *who) {
    double most = 0, d[6];
    for (int k = 0; k < f->control.nblock; k++) {
        for (int i = 0; i < f->control.block_ndof[k]; i++)
            d[i] = f->solve.solution.nu[f->control.block_offset[k] + i] - q->nu[f->control.block_offset[k] + i];
        double x = motion(f, k, d);
        if (!(x <= most)) most = x, *who = k;
    }
    return most;
}

/* Sets the velocity from which the next round starts: that of this round, or an extrapolation of the last ones. */
static void go_on(const pp_frame *f, round_data *q, bool mix) {
    const double *nu = f->solve.solution.nu;
    for (int i = 0; i < f->control.ndof; i++) {
        q->miss[i] = nu[i] - q->nu[i];
        q->nu[i] = nu[i];
    }
    pp_mix_step(&q->mix, q->miss, q->nu, mix);
}

static double fastest(const pp_frame *f) {
    double most = 0;
    for (int k = 0; k < f->control.nblock; k++)
        most = fmax(most, motion(f, k, f->solve.solution.nu + f->control.block_offset[k]));
    return most;
}

static perp_status no_balance(pp_frame *f, int who, const pp_imbalance *proof) {
    int slot = f->control.block_body[who];
    const char *name = f->w->body[slot].name;
    char body[80];
    snprintf(body, sizeof body, "body %d%s%.60s%s", slot, name ? " (" : "", name ? name : "", name ? ")" : "");
    f->advice.shorter_step_useless = true;
    if (!proof)
        return pp_fail(f->w, PERP_E_SOLVE, "no forces of contacts and joints were found that balance those on %s",
                       body);
    if (proof->rows == 0)
        return pp_fail(
            f->w, PERP_E_SOLVE,
            "no equilibrium at t = %g: %s bears a load, and no contact within reach, joint or support balances "
            "it; bodies without inertia do not fall, so start them where something carries them",
            f->s0->t, body);
    return pp_fail(
        f->w, PERP_E_SOLVE,
        "no equilibrium at t = %g: the load of %s is not balanced: a motion exists that no contact, joint or "
        "support of its group resists (%d rows) and on which the loads do work",
        f->s0->t, body, proof->rows);
}

/* After rounds that failed or do not end: returns PERP_E_SOLVE with the cause if no balance exists, otherwise `st`. */
static perp_status doubt(pp_frame *f, const round_data *q, int sweeps, perp_status st) {
    char before[PP_WHY];
    pp_imbalance proof;
    if (!(f->pose.problem.h > 0)) return st; /* no problem was posed */
    memcpy(before, f->w->why, sizeof before);
    perp_status found = pp_find_imbalance(f, q->force, sweeps, &proof);
    if (found) return found;
    if (proof.block >= 0) return no_balance(f, proof.block, &proof);
    memcpy(f->w->why, before, sizeof before);
    return st;
}

static perp_status step(pp_frame *f) {
    round_data q;
    perp_status st = begin(f, &q);
    double ratio = 1, missing = INFINITY, before = INFINITY;
    int who = 0, iterations = 0;
    for (int round = 0; !st && missing > f->w->def.tolerance; round++) {
        if (round == ROUNDS) return doubt(f, &q, LONG_LOOK, no_balance(f, who, NULL));
        if (round == DOUBT && (st = doubt(f, &q, SHORT_LOOK, PERP_OK))) return st;
        double eps = q.acceleration > 0 && q.speed > 0 ? f->h * q.acceleration / (ratio * q.speed) : 1;
        weigh(f, &q, eps);
        if (round == FOLLOWING) {
            memcpy(q.slips, q.nu, (size_t)f->control.ndof * sizeof *q.slips);
            f->demand.slip_nu = q.slips;
        }
        f->pose.problem = (perp_step_problem){0}; /* so that a round which fails early leaves no old problem */
        st = pp_solve_contacts(f);
        if (st) return st == PERP_E_SOLVE ? doubt(f, &q, LONG_LOOK, st) : st;
        iterations += f->solve.iterations;
        double moved = change(f, &q, &who);
        /* The imbalance is eps times the change. The speeds in the problem are `ratio` times the present ones, and its
         * laws hold to the tolerance times these. */
        double speed = q.speed > 0 ? q.speed : 1;
        missing = moved / (ratio * speed);
        bool steady = f->demand.slip_nu && f->w->def.form != PERP_FORM_CONE && moved > 0.5 * before;
        bool shrinks = moved < SHRINKS * before; /* without a balance it does not decrease */
        before = moved;
        go_on(f, &q, round >= SLOW && shrinks);
        double fast = fastest(f), next = fmin(ratio * RATIO_GROWS, steady ? RATIO_LONG : fmax(ratio, RATIO_MOST));
        bool grows = fast > q.speed * (round < SLOW ? 1 : SPEED_GROWS);
        if (grows) q.speed = fast;
        if (q.acceleration == 0) next = 1;            /* nothing loads the bodies: eps is constant */
        if (grows || next != ratio) q.mix.rounds = 0; /* rounds with another eps cannot be combined */
        ratio = next;
    }
    if (st) return st;
    f->solve.iterations = iterations;
    f->solve.acceptance = fmax(f->solve.acceptance, missing);
    f->method.ambiguous = pp_undetermined_motions(f);
    if (f->method.ambiguous < 0) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the quasistatic step");
    return pp_update(f);
}

/* There is no kinetic energy. Each impulse does work at the velocity, and their sum is zero. */
static void ledger(const pp_frame *f, perp_ledger *l) {
    const perp_step_problem *p = &f->pose.problem;
    const double *nu = f->solve.solution.nu;
    *l = (perp_ledger){0};
    double springs = 0;
    for (int i = 0; i < f->control.ndof; i++) {
        l->applied += nu[i] * f->control.i_applied[i];
        l->damping += nu[i] * f->control.i_damper[i];
        springs += nu[i] * f->control.i_spring[i];
    }
    l->gravity = -pp_gravity_change(f->w, f->s0, f->s1);
    double change = pp_spring_change(f->w, f->s0, f->s1) + pp_joint_spring_change(f->w, f->s0, f->s1);
    l->spring = -change;
    l->drift = springs + change;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        double x = f->solve.solution.p_joint[i], elastic = pp_elastic_impulse(f, i);
        double rate = pp_row_dot(p, &r->row, nu) + r->b_kin;
        l->kinematic -= x * r->b_kin;
        l->drift += elastic * rate;
        *(r->kind == PERP_ROW_JOINT   ? &l->joint
          : r->kind == PERP_ROW_MOTOR ? &l->motor
                                      : &l->joint_loss) += (x - elastic) * rate;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        const double *x = f->solve.solution.p_contact + 3 * i;
        l->normal += x[0] * (pp_row_dot(p, &c->n, nu) + c->b_n_kin);
        l->friction += x[1] * (pp_row_dot(p, &c->t, nu) + c->b_t) + x[2] * (pp_row_dot(p, &c->o, nu) + c->b_o);
        l->kinematic -= x[0] * c->b_n_kin + x[1] * c->b_t + x[2] * c->b_o;
    }
    l->remainder = -pp_ledger_sum(l);
}

static perp_status ready(perp_world *w) {
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++)
        if (w->law[i].restitution > 0)
            return pp_fail(w, PERP_E_FIT, "stepper quasistatic has no rebounds, but restitution is %g",
                           w->law[i].restitution);
    return PERP_OK;
}

static perp_status fits(const perp_world_def *d, char *why, size_t why_size) {
    if (d->contact_model && !strcmp(d->contact_model, "corrective"))
        return pp_refuse(
            why, why_size, PERP_E_FIT,
            "contact model corrective has no contact between bodies that just touch, but stepper quasistatic "
            "needs it to balance forces");
    if (d->start != PERP_START_STAGGERED) return PERP_OK;
    return pp_refuse(why, why_size, PERP_E_FIT, "stepper quasistatic has no accelerations and requires start plain");
}

const pp_stepper_type pp_stepper_quasistatic = {
    .name = "quasistatic",
    .source = "Berard 3.4",
    .about = "no inertia: forces balance in every step; driven bodies move the others",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .end_gaps = true,
    .supports = true,
    .own = {.no_inertia = true},
    .models = pp_support_models,
    .normal_rhs = pp_end_gap_rhs,
    .step = step,
    .fits = fits,
    .ready = ready,
    .ledger = ledger,
};

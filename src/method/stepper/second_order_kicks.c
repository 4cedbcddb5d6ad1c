/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* second_order_kicks.c - a step of two half kicks with a free motion between them
 *   M(q) (nu - nu_n) = h/2 f(q_n, t_n) + G(q_n) p            q_n+1 = q_n moved freely over h with nu; joints hold there
 *   M(q) (nu_n+1 - nu') = h/2 f(q_n+1, t_n+1) + G(q_n+1) p'  nu': nu after the free rotation; joints hold in velocities
 * Method   The first kick is posed with the rows of q_n. It is posed again with the errors measured at the end pose of its solution,
 *          linearised along the same rows (the chord method of SHAKE), until they are rounding. The contact model does the same for
 *          gaps. Rows that prescribe a rate (motors, friction, springs) get the mean of their rates at both ends; for friction of
 *          contacts see second_order_shift.c. The second kick is posed once.
 * Springs  of joints act with the force of the middle, -k ((x + x+)/2 - rest) - c (x+ - x)/h, in both halves. This is stable for any k.
 * Source   Andersen, J. Comput. Phys. 52 (1983) 24 (RATTLE); Hairer, Lubich, Wanner, Geometric Numerical Integration,
 *          VII.1.4. */
#include "model/actuator.h"
#include "model/armature.h"
#include "model/coupling.h"
#include "method/stepper/second_order_kicks.h"

#include <float.h>
#include <string.h>

#include "stage/collide/contact_fill.h"
#include "problem/mix.h"
#include "problem/rows.h"
#include "stage/solve/jammed.h"
#include "method/contact/solve_contacts.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"
#include "stage/solve/solve_linear.h"
#include "stage/update/update.h"

#define ROUNDS      25
#define PATIENCE    10
#define SLIP_ROUNDS 6
#define SETTLED     1e-9 /* [1] joint errors that may remain, relative to the lengths, when they no longer decrease */
#define SLIP_SMALL  1e-10
/* [1] The same after PATIENCE rounds: in a chain at a dead point, stretched or compressed, a tiny error causes large
 * impulses, and the rounds do not converge. */
#define JAMMED      1e-8
#define LAST_RESORT 1e-4  /* [1] the same if no shorter step will be tried */
#define NOISE       1e-13 /* [1] smaller errors are not improved by more rounds */
#define SLOW        0.2 /* [1] if a round leaves more than this fraction of the errors, later rounds are extrapolated */

/* Writes the velocity of block k, ndof numbers, to a state. */
static void set_velocity(const pp_frame *f, int k, const double *nu, pp_state *s) {
    int slot = f->control.block_body[k], nd = f->control.block_ndof[k], dim = f->w->def.dim;
    s->v[slot] = perp_v3(nu[0], nu[1], dim == 3 ? nu[2] : 0);
    if (nd > dim) s->w[slot] = dim == 2 ? perp_v3(0, 0, nu[2]) : perp_v3(nu[3], nu[4], nu[5]);
}

/* Poses the problem of the joints alone, and makes its factors. *out: NULL if other methods must solve it. */
static perp_status pose_joints(pp_frame *f, pp_linear_system **out) {
    f->contacts.n = 0;
    perp_status st = pp_formulate(f, &(pp_pose_options){.no_lift = f->method.jammed});
    if (st) return st;
    st = pp_linear_new(f, out);
    return st == PERP_E_SOLVE ? PERP_OK : st;
}

static perp_status solve(pp_frame *f, bool contacts) {
    if (!contacts || f->w->nshape == 0) {
        pp_linear_system *linear;
        perp_status st = pose_joints(f, &linear);
        if (!st && linear) st = pp_linear_solve(f, linear);
        if (st || (linear && pp_linear_accepted(f, linear))) return st;
        if (!contacts) return pp_solve_step(f, &(pp_solve_options){.no_lift = f->method.jammed});
    }
    return pp_solve_contacts(f);
}

/* Are all rows of locked motions? */
static bool only_locked(const pp_frame *f) {
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].kind != PERP_ROW_JOINT) return false;
    return true;
}

/* By row, if all are of locked motions: the error at the end pose divided by h. */
static void end_errors(const pp_frame *f, double *b) {
    double phi[6];
    for (int i = 0, joint = -1; i < f->pose.problem.njoint; i++) {
        if (f->pose.problem.joint[i].joint != joint) {
            joint = f->pose.problem.joint[i].joint;
            (void)pp_joint_errors_at(f->w, f->s1, f->s1, joint, phi);
        }
        b[i] = phi[f->pose.row_number[i]] / f->h;
    }
}

/* Rows of all joints at the end pose, in the order of the first kick. */
static perp_status end_rows(const pp_frame *f, perp_joint_row **out) {
    perp_world *w = f->w;
    int n = 0;
    *out = PP_ARENA_ARRAY(&w->arena, perp_joint_row, f->pose.problem.njoint + PP_JOINT_MAX_ROWS);
    if (!*out) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joints", w->njoint);
    for (int i = 0; i < w->njoint; i++) {
        int k = pp_joint_rows_at(w, f->s1, f->s1, i, &(pp_rows_for){f->control.block, f->h, INFINITY}, *out + n);
        if (k < 0) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joints", w->njoint);
        n += k;
    }
    int servos = pp_servo_rows(w, f->s1, f->s1, f->control.block, f->h, *out + n, NULL);
    if (servos < 0) return pp_fail(w, PERP_E_MEMORY, "out of memory for the actuators");
    n += servos;
    n += pp_armature_rows(w, f->s1, f->control.block, &(pp_rotor_kick){f->s1, f->s1, 1, 0, 0}, *out + n, NULL, NULL);
    return n == f->pose.problem.njoint ? PERP_OK
                                       : pp_fail(w, PERP_E_SOLVE, "the rows of the joints changed in the step");
}

/* Computes the joint shifts for the next round from the end pose of the last solution: see pp_frame_demand.joint_shift.
 * Returns the largest change, as a displacement over the step [L or rad]; miss: by row, the change [L/T or rad/T]. */
static double joint_shifts(const pp_frame *f, const perp_joint_row *end, const double *used, double *shift,
                           double *miss) {
    const perp_step_problem *p = &f->pose.problem;
    double most = 0;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        bool position = r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT;
        double rate = pp_row_dot(p, &r->row, f->solve.solution.nu), before = position ? r->b : used ? used[i] : 0;
        shift[i] = position ? end[i].b - rate : 0.5 * (pp_row_dot(p, &end[i].row, f->update.nu_turned) - rate);
        miss[i] = 0;
        if (r->kind == PERP_ROW_INERTIA) shift[i] = before = 0; /* its own b contains the effect of the free motion */
        /* a limit that is far away has no effect */
        if (r->kind == PERP_ROW_LIMIT && f->solve.solution.p_joint[i] == 0 && end[i].b >= 0) continue;
        miss[i] = shift[i] - before;
        double change = f->h * fabs(miss[i]);
        if (!(change <= most)) most = change;
    }
    return most;
}

/* The same if all rows are of locked motions. */
static double locked_shifts(const pp_frame *f, double *shift, double *miss) {
    const perp_step_problem *p = &f->pose.problem;
    double most = 0;
    end_errors(f, shift);
    for (int i = 0; i < p->njoint; i++) {
        shift[i] -= pp_row_dot(p, &p->joint[i].row, f->solve.solution.nu);
        miss[i] = shift[i] - p->joint[i].b;
        double change = f->h * fabs(miss[i]);
        if (!(change <= most)) most = change;
    }
    return most;
}

/* Length scale for joint errors: the largest distance of a point of a body from the origin [L]. */
static double far(const pp_frame *f) {
    double most = 1e-3;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        double r = f->w->body[slot].radius;
        most = fmax(most, perp_v3_norm(f->s1->X[slot].p) + (isfinite(r) ? r : 0));
    }
    return most;
}

static double fastest(const pp_frame *f) {
    double most = f->h * perp_v3_norm(f->w->def.gravity_W);
    for (int k = 0; k < f->control.nblock; k++)
        for (int i = 0; i < f->w->def.dim; i++)
            most = fmax(most, fabs(f->solve.solution.nu[f->control.block_offset[k] + i]));
    return most;
}

static bool rubs(const pp_frame *f) {
    for (int i = 0; i < f->contacts.n; i++)
        if (f->contacts.at[i].mu > 0 && f->solve.solution.p_contact[3 * i] > 0) return true;
    return false;
}

/* Joint error that may remain after this many rounds, relative to the lengths. */
static double may_be_left(const pp_frame *f, int round) {
    if (round < PATIENCE) return SETTLED;
    return f->task.last_resort && round > 2 * PATIENCE ? LAST_RESORT : JAMMED;
}

/* Makes a frame for the second kick; contacts are found later. Returns NULL if out of memory, with the message set. */
static pp_frame *at_end(pp_frame *f) {
    perp_world *w = f->w;
    pp_frame *e = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    pp_state *middle = PP_ARENA_ZERO(&w->arena, pp_state, 1), *end = PP_ARENA_ZERO(&w->arena, pp_state, 1);
    if (!e || !middle || !end) {
        (void)pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
        return NULL;
    }
    if (pp_state_new(w, middle) || pp_state_new(w, end)) return NULL;
    pp_state_copy(w, middle, f->s1);
    pp_state_copy(w, end, f->s1);
    /* gaps of contacts with an impulse are zero to the accuracy of the contact model */
    double touching = 0;
    for (int i = 0; f->method.true_gap && i < f->contacts.n; i++)
        if (f->solve.solution.p_contact[3 * i] > 0 && fabs(f->method.true_gap[i]) < 1e-6 * far(f))
            touching = fmax(touching, 2 * fabs(f->method.true_gap[i]));
    *e = (pp_frame){.w = w,
                    .s0 = middle,
                    .s1 = end,
                    .h = f->h,
                    .purpose = PP_END_KICK,
                    .task = {.half = true,
                             .held = f->task.held,
                             .acts = f->task.acts,
                             .flying = f->task.flying,
                             .nflying = f->task.nflying,
                             .reach_factor = 2,
                             .touching_more = touching}};
    return e;
}

/* Updates the friction shifts with the contacts at the end; *change as in pp_slip_shifts(). */
static perp_status follow_slip(pp_frame *f, double *change) {
    *change = 0;
    if (!rubs(f)) return PERP_OK;
    pp_frame *e = at_end(f);
    perp_status st = e ? pp_control(e) : PERP_E_MEMORY;
    if (!st) st = pp_collide(e);
    if (!st) st = pp_contacts_of_pairs(e);
    return st ? st : pp_slip_shifts(f, e, change);
}

/* Moves dynamic bodies back to the start, where the stages expect them. */
static void back_to_start(pp_frame *f) {
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        f->s1->X[slot] = f->s0->X[slot];
        f->s1->theta[slot] = f->s0->theta[slot];
        f->s1->v[slot] = f->s0->v[slot];
        f->s1->w[slot] = f->s0->w[slot];
    }
}

/* How the rounds of the first kick are solved. */
typedef struct first_way {
    double span;              /* elapsed time [T] */
    bool contacts;            /* false: there are none */
    bool direct;              /* the joints alone, by factors that are kept */
    pp_linear_system *linear; /* these factors; NULL: not yet made */
    double *b;                /* by joint row: b without the shift [L/T or rad/T] */
    bool locked;              /* direct, and all rows are of locked motions */
} first_way;

/* Solves the first round of a direct way. If rows are bounded, the way is no longer direct. */
static perp_status solve_direct(pp_frame *f, first_way *way) {
    perp_status st = pose_joints(f, &way->linear);
    if (st) return st;
    way->direct = way->linear != NULL;
    way->locked = way->direct && only_locked(f);
    if (!way->direct) return way->contacts ? pp_solve_contacts(f) : pp_solve_step(f, &(pp_solve_options){0});
    way->b = PP_ARENA_ARRAY(&f->w->arena, double, f->pose.problem.njoint);
    if (!way->b) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
    for (int i = 0; i < f->pose.problem.njoint; i++) way->b[i] = f->pose.joint_row[i].b;
    return pp_linear_solve(f, way->linear);
}

/* Solves the same rows with other shifts. Rows of actuators and armature, which have no shift, stay as they are. */
static perp_status solve_again(pp_frame *f, const first_way *way) {
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        perp_joint_row *r = &f->pose.joint_row[i];
        bool own = f->pose.row_number[i] < PP_JOINT_OWN_ROWS && r->kind != PERP_ROW_INERTIA;
        if (own) r->b = f->demand.joint_shift[i] + (r->kind == PERP_ROW_JOINT ? 0 : way->b[i]);
    }
    return pp_linear_solve(f, way->linear);
}

/* Moves the bodies to the end of the step. */
static perp_status move_to_end(pp_frame *f, const first_way *way) {
    perp_status st = pp_update(f);
    if (!st) f->s1->t = f->s0->t + way->span;
    return st;
}

static perp_status answer(pp_frame *f, first_way *way) {
    back_to_start(f);
    perp_status st = way->direct ? solve_direct(f, way) : solve(f, way->contacts);
    return st ? st : move_to_end(f, way);
}

/* The next round of a direct way. If all rows are of locked motions, only the poses are needed, until the rounds end. */
static perp_status answer_again(pp_frame *f, first_way *way) {
    if (!way->linear) return answer(f, way);
    perp_status st = solve_again(f, way);
    for (int k = 0; !st && way->locked && k < f->control.nblock; k++) {
        const double *nu = f->solve.solution.nu + f->control.block_offset[k];
        if (!pp_move_block(f, k, f->s0, nu, f->h, f->s1, NULL)) st = PERP_E_SOLVE;
    }
    if (st || way->locked) return st;
    back_to_start(f);
    return move_to_end(f, way);
}

/* Radius of the largest body that moves [L]. */
static double largest(const pp_frame *f) {
    double most = 0;
    for (int k = 0; k < f->control.nblock; k++) {
        double r = f->w->body[f->control.block_body[k]].radius;
        if (isfinite(r)) most = fmax(most, r);
    }
    return most;
}

/* Largest error of a locked joint motion at the end of the step, at the surface of its bodies [L]. */
static perp_status opened(const pp_frame *f, double *most) {
    const perp_step_problem *p = &f->pose.problem;
    perp_joint_row *end = NULL;
    *most = 0;
    perp_status st = p->njoint > 0 ? end_rows(f, &end) : PERP_OK;
    for (int i = 0; !st && i < p->njoint; i++)
        if (end[i].kind == PERP_ROW_JOINT)
            *most = fmax(*most, f->h * fabs(end[i].b) * pp_row_length(p, &p->joint[i].row));
    return st;
}

/* Ends the rounds of a jammed substep with the joint shifts that left the smallest error. again: they were not those of the last round. If
 * bodies cannot give way, joints may not hold either; the certificate reports by how much. Joints that open by more than the largest body are
 * no answer. */
static perp_status jammed_answer(pp_frame *f, bool again, const double *shift, first_way *way) {
    double open = 0;
    if (again) f->demand.joint_shift = shift;
    perp_status st = again ? answer(f, way) : PERP_OK;
    if (!st) st = opened(f, &open);
    if (st || open <= largest(f)) return st;
    return pp_fail(f->w, PERP_E_SOLVE, "jammed bodies would open a joint by %.3g at t = %g (h = %g)", open, f->s0->t,
                   f->h);
}

static perp_status first_kick(pp_frame *f, first_way *way) {
    double last = INFINITY, least = INFINITY;
    const double *best = NULL; /* shifts with the smallest error */
    bool slow = false, stirred = false;
    int idle = 0;
    pp_mix mix = {0};
    perp_status st = answer(f, way);
    for (int round = 1; !st; round++) {
        double miss = 0, change = 0;
        perp_joint_row *end;
        double *shift = PP_ARENA_ARRAY(&f->w->arena, double, f->pose.problem.njoint);
        double *misses = PP_ARENA_ARRAY(&f->w->arena, double, f->pose.problem.njoint);
        if (!shift || !misses) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
        if (f->pose.problem.njoint > 0) {
            if (!way->locked && (st = end_rows(f, &end))) return st;
            miss = way->locked ? locked_shifts(f, shift, misses)
                               : joint_shifts(f, end, f->demand.joint_shift, shift, misses);
        }
        const pp_slip_shift *used = f->demand.shift;
        int nused = f->demand.nshift;
        if (way->contacts && round <= SLIP_ROUNDS && (st = follow_slip(f, &change))) return st;
        bool slips_stay = change <= SLIP_SMALL * fastest(f), slips_settled = slips_stay || round >= SLIP_ROUNDS;
        idle = miss < 0.5 * least ? 0 : idle + 1; /* an extrapolated round may fail once */
        if (miss < least) best = f->demand.joint_shift;
        least = fmin(least, miss);
        bool settled = miss <= may_be_left(f, round) * far(f), idles = idle > (slow ? 1 : 0);
        if (f->method.jammed && idles && !settled && slips_settled) return jammed_answer(f, miss > least, best, way);
        bool stalls = idles && settled;
        bool unseen = miss <= DBL_EPSILON / 2 * far(f); /* the next round would not move a body by one bit */
        if (slips_settled && (unseen || stalls)) {
            f->demand.shift = used; /* the shifts of this solution */
            f->demand.nshift = nused;
            break;
        }
        if (round == ROUNDS)
            return pp_fail(
                f->w, PERP_E_SOLVE,
                "joints did not converge at t = %g (h = %g): an error of %.3g is left; they may be stretched or "
                "folded to a dead point",
                f->s0->t, f->h, miss);
        if (round == 1) {
            if (!pp_mix_new(&f->w->arena, f->pose.problem.njoint, &mix))
                return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
            pp_mix_weigh(&mix, &f->pose.problem);
        }
        if (stirred && slips_stay) mix.rounds = 0; /* rounds with other slips do not predict the next ones */
        stirred = !slips_stay;
        slow = slow || (miss > SLOW * last && miss > NOISE * far(f));
        pp_mix_step(&mix, misses, shift, slow && miss > NOISE * far(f));
        last = miss;
        if (f->pose.problem.njoint > 0) f->demand.joint_shift = shift;
        st = answer_again(f, way);
        if (st == PERP_E_SOLVE && f->method.jammed) return jammed_answer(f, true, best, way);
    }
    if (!st && way->locked) {
        back_to_start(f);
        st = move_to_end(f, way);
    }
    return !st && way->linear && !pp_linear_accepted(f, way->linear) ? PERP_E_SOLVE : st;
}

perp_status pp_first_kick(pp_frame *f, double span, bool contacts) {
    first_way way = {.span = span, .contacts = contacts};
    way.direct = (!contacts || f->w->nshape == 0) && !f->method.jammed && !f->demand.joint_shift;
    perp_status st = first_kick(f, &way);
    if (st != PERP_E_SOLVE || !way.linear) return st;
    f->demand.joint_shift = NULL;
    return first_kick(f, &(first_way){.span = span, .contacts = contacts});
}

/* Adds the impulses of joint springs of the first kick again, along the rows of the end. */
static perp_status push_springs(const pp_frame *f, pp_frame *e) {
    const perp_step_problem *p = &f->pose.problem;
    perp_joint_row *end = NULL;
    e->method.i_joint = PP_ARENA_ZERO(&f->w->arena, double, e->control.ndof);
    e->method.i_elastic = PP_ARENA_ZERO(&f->w->arena, double, e->control.ndof);
    if (!e->method.i_joint || !e->method.i_elastic) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
    bool springs = false;
    for (int i = 0; i < p->njoint; i++) springs = springs || p->joint[i].kind == PERP_ROW_SPRING;
    if (!springs) return PERP_OK;
    perp_status st = end_rows(f, &end);
    for (int i = 0; !st && i < p->njoint; i++) {
        if (p->joint[i].kind != PERP_ROW_SPRING) continue;
        double elastic = pp_elastic_impulse(f, i);
        pp_row_push(p, &end[i].row, f->solve.solution.p_joint[i], e->method.i_joint);
        pp_row_push(p, &end[i].row, elastic, e->method.i_elastic);
    }
    for (int i = 0; !st && i < e->control.ndof; i++) e->control.momentum[i] += e->method.i_joint[i];
    return st;
}

static bool damped(const perp_world *w) {
    if (pp_has_armature(w)) return true; /* rotors depend on the free motion at the end */
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (pp_alive(e->gen) && e->def.kind == PERP_FORCE_SPRING && (e->def.damping > 0 || e->def.drag > 0))
            return true;
    }
    return false;
}

static void take_velocity(const pp_frame *e, pp_state *s) {
    for (int k = 0; k < e->control.nblock; k++)
        set_velocity(e, k, e->solve.solution.nu + e->control.block_offset[k], s);
}

/* A block without impulses and torques keeps the angular velocity of the free rotation exactly. The rounding of M^-1 M
 * would accumulate. */
static perp_status keep_free(pp_frame *e) {
    const perp_step_problem *p = &e->pose.problem;
    bool *pushed = PP_ARENA_ZERO(&e->w->arena, bool, e->control.nblock);
    if (!pushed) return pp_fail(e->w, PERP_E_MEMORY, "out of memory for the step");
    for (int i = 0; i < p->njoint + p->ncontact; i++) {
        const perp_row *row = i < p->njoint ? &p->joint[i].row : &p->contact[i - p->njoint].n;
        for (; row; row = row->more)
            for (int k = 0; k < 2; k++)
                if (row->block[k] >= 0) pushed[row->block[k]] = true;
    }
    for (int k = 0; k < e->control.nblock; k++) {
        int at = e->control.block_offset[k];
        for (int i = at + 3; i < at + e->control.block_ndof[k]; i++)
            if (e->control.i_gravity[i] != 0 || e->control.i_applied[i] != 0 || e->control.i_spring[i] != 0 ||
                e->control.i_damper[i] != 0 || e->method.i_joint[i] != 0)
                pushed[k] = true;
        if (!pushed[k] && e->control.block_ndof[k] == 6)
            memcpy(e->solve.solution.nu + at + 3, e->control.nu0 + at + 3, 3 * sizeof *e->control.nu0);
    }
    return PERP_OK;
}

/* Solves the velocities of the end. Driven bodies and joints may contradict each other there, or wedge the bodies
 * between them. No gap must close here, so a shorter substep does not help, and the step goes on jammed. It also does
 * so if the first kick did. */
static perp_status solve_end(pp_frame *f, pp_frame *e, bool contacts) {
    perp_world *w = f->w;
    int wedged = w->run.work.wedged;
    perp_status st = solve(e, contacts);
    bool due = pp_jam_due(f), jams = f->task.last_resort || due || f->method.jammed || w->run.work.wedged > wedged;
    if (st != PERP_E_SOLVE || !contacts || !jams) return st;
    if (due) pp_jam_may_work(w);
    e->method.jammed = f->method.jammed = true;
    return solve(e, contacts);
}

perp_status pp_second_kick(pp_frame *f, bool contacts, pp_frame **out) {
    perp_status st = PERP_OK;
    pp_frame *e = at_end(f);
    if (!e) return PERP_E_MEMORY;
    /* dampers need the velocity at the end: two more rounds leave an error of third order in the step */
    int rounds = damped(f->w) ? 3 : 1;
    for (int round = 0; !st && round < rounds; round++) {
        st = pp_control(e);
        if (!st) st = push_springs(f, e);
        if (!st && contacts) st = pp_rebounds(f, e);
        if (!st) st = solve_end(f, e, contacts);
        if (!st) st = keep_free(e);
        if (st) break;
        take_velocity(e, e->s1);
        e->task.force_state = e->s1;
    }
    if (st) return st;
    e->update.nu_turned = e->update.nu_end = e->solve.solution.nu;
    pp_state_copy(f->w, f->s1, e->s1);
    *out = e;
    return PERP_OK;
}

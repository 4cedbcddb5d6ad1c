/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_work.c - work of the contacts of a substep, by island
 * Method   An impulse does work at the mean of the velocities before and after it, relative to driven bodies. Islands are bodies connected by
 *          joints and by contacts with an impulse. They are separate, so that the gain of one is not hidden by the losses of another.
 * Rule     A contact whose gap is measured at the end of the step guides its body along a curve. With u and u+ along the row of the start, its
 *          gap opens by h (u+ - c), where c is the effect of the curve. In smooth motion u = -c, u+ = c, and the contact does no
 *          work. If its body came with u > -c, the forces of the step turn it back onto the surface within the step, and the contact seems
 *          to do the work
 *              1/2 p (u + c).
 *          This happens in the first step of a contact that guides a body along a curve, if its velocity is not half a step behind, and if
 *          a body that leaves a surface is pulled back. It is an error of the integration rule, in which all impulses act at once. As far
 *          as the contacts of an island gain more than they lose by it, it is drift and not gain.
 *          Rows of the end have the same error: in smooth motion u = 3c and u+ = c along them, while the gap stays 0. So for all of them
 *          the velocity before counts up to the opening rate of the gap minus u+, which is -c if the gap stays. Where gaps are linearised
 *          at the start, in the other contact models too, c = 0: a contact that pushes a body which was leaving gives nothing.
 * Layers   A compliant surface is a spring, whose work is no gain. The spring changes the slip within the step, so friction is
 *          counted with the slip at the end, for which Coulomb's law holds.
 * Motors   A motor without force limit that yields acts with the impulse limit P that it was given (motor_yield.c), and contacts act against
 *          it. Both are counted together, because one solve finds both:
 *            - Contacts may give the work that the motor takes, P (w + w+)/2 < 0: a driven wall pushes a jammed link back against it.
 *            - If the velocity along the motor changes from w to w+, the mean velocity gives contacts the work 1/2 P (w+ - w), which the
 *              motor lacks. The motor adds its work at the mean minus that at the end, 1/2 P (w - w+), if this is negative, down to
 *              the work of the contacts at the end, for which their laws hold.
 *          The certificate names such motors (motor_yields). The second point holds for every motor without force limit: one that reaches
 *          the limit of its coordinate stops within the impact of a contact at the same time.
 * Joints   Bodies enter a step with velocities along the motions of their joints at the pose before. A joint that turns them to those of this
 *          pose causes a small impact, and a contact beside it reacts. One solve finds both impulses, so contacts may give the energy that
 *          locked motions and limits of the same island take. The ledger has both.
 * Driven   The velocity of a driven body jumps from the previous substep to this one. The other bodies start with velocities of the previous
 *          substep, but the laws hold with the velocity of this one. The work of the normal impulse, and that of friction, are
 *          computed with both velocities of the driven body, and the smaller value counts: the difference may come from the drive.
 *          Example: friction on a plate that reverses its motion within the step. If the driven body rotates, the velocity before is
 *          rotated with it, so that a body which slides outwards on a rotating plate gains nothing in the frame of the plate. The contact of
 *          a round body moves along with its centre, so neither does a ball that rolls there.
 * Rebounds If contacts with restitution e close without friction, p (u+ + e u) = 0. So they take 1/2 (1 - e) p |u| in total, u: approach
 *          before. A larger loss is an error of the method. */
#include <string.h>

#include "model/actuator.h"
#include "stage/solve/give_way.h"
#include "stage/certify/contact_work.h"

#include "base/sets.h"
#include "stage/collide/collide.h"
#include "stage/control/belt.h"
#include "problem/rows.h"
#include "stage/stepper.h"

int pp_work_island(const pp_contact_work *a, const perp_row *row) {
    return pp_set_of(a->parent, pp_row_some_block(row));
}

static bool fixed(const perp_row *row) { return pp_row_some_block(row) < 0; }

static void join_kick(pp_contact_work *a, const pp_frame *k) {
    for (int i = 0; i < k->pose.problem.njoint; i++) {
        const perp_row *row = &k->pose.problem.joint[i].row;
        if (i == 0 || !pp_row_same_blocks(row, &k->pose.problem.joint[i - 1].row)) pp_row_join(a->parent, row);
    }
    for (int i = 0; i < k->pose.problem.ncontact; i++)
        if (k->solve.solution.p_contact[3 * i] > 0) pp_row_join(a->parent, &k->pose.problem.contact[i].n);
}

/* Does a driven body or the surface of a belt take part in contact i? */
static bool driven_contact(const pp_frame *k, int i) {
    if (k->control.belt) return true;
    for (int side = 0; side < 2; side++)
        if (k->w->body[k->w->shape[k->contacts.shape[2 * i + side]].body].kind == PERP_BODY_KINEMATIC) return true;
    return false;
}

/* Velocity of B relative to A at a contact before the kick, by driven bodies: their velocity in the previous substep,
 * because in this one they have its mean velocity, at the place of the contact when that substep began. u: velocity
 * at which it moves with the other body, of B relative to A. *turn: rotation of the driven body over the substep. Returns false if not known. */
static bool driven_before(const pp_frame *k, int i, perp_vec3 u, perp_vec3 *v, perp_vec3 *w, perp_quat *turn) {
    const perp_vec3 *linear = k->control.start_v ? k->control.start_v : k->s0->v,
                    *rate = k->control.start_w ? k->control.start_w : k->s0->w;
    *v = *w = perp_v3(0, 0, 0);
    *turn = perp_q_identity();
    if (k->purpose == PP_IMPACT) return false; /* zero time */
    if (!k->control.start_v && k->purpose == PP_STEP && !(k->s0->substep > 0)) return false;
    const perp_vec3 at[2] = {k->contacts.at[i].a_W, k->contacts.at[i].b_W};
    for (int side = 0; side < 2; side++) {
        int body = k->w->shape[k->contacts.shape[2 * i + side]].body;
        if (k->w->body[body].kind != PERP_BODY_KINEMATIC) continue;
        perp_vec3 r = perp_v3_sub(at[side], k->s1->X[body].p);
        if (!k->task.half && k->demand.levers != k->s0) /* rows have one body at the start and the other at the end */
            r = perp_v3_axpy(perp_v3_sub(at[side], k->s0->X[body].p), side ? k->s0->substep : -k->s0->substep, u);
        *v = perp_v3_axpy(*v, side ? 1 : -1, perp_v3_add(linear[body], perp_v3_cross(rate[body], r)));
        *w = perp_v3_axpy(*w, side ? 1 : -1, rate[body]);
        if (!k->task.half && k->demand.levers != k->s0)
            *turn = perp_q_mul(k->s1->X[body].q, perp_q_conj(k->s0->X[body].q));
    }
    *v = perp_v3_add(*v, pp_belt_slip(k, k->contacts.shape + 2 * i, true));
    return true;
}

/* Gap of contact i at the start of the step. Where the contact moves along a driven body that rotates, the gap of the row, moved back with the
 * material point of the end, is not that of the start: along rows of end poses it differs by as much as the body turns while the contact moves. */
static double start_gap(const pp_frame *k, int i) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    if (k->demand.levers == k->s0) return k->contacts.at[i].gap;
    if (k->w->def.geometry == PERP_GEOMETRY_END && c->b_n_kin != 0)
        return pp_separation_in(k->w, k->contacts.shape + 2 * i, k->s0);
    return k->contacts.at[i].gap - k->h * c->b_n_kin;
}

/* pp_largest_approach_before(); after: velocity along the row after the step. */
static double largest_before(const pp_frame *k, int i, double end_gap, bool linear, double after) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    if (k->purpose != PP_STEP || i >= k->contacts.n || k->task.half || c->compliance > 0) return INFINITY;
    if (linear) return 0;
    double most = (end_gap - start_gap(k, i)) / k->h - after;
    return isnan(most) ? INFINITY : most;
}

double pp_largest_approach_before(const pp_frame *k, int i, double end_gap, bool linear) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    double after = pp_row_dot(&k->pose.problem, &c->n, k->solve.solution.nu) + c->b_n_kin;
    return largest_before(k, i, end_gap, linear, after);
}

/* pp_largest_approach_before() for a solved frame. Models that do not measure gaps at the end linearise them at the start. */
static double most_before(const pp_frame *k, int i, double after) {
    if (i >= k->contacts.n) return INFINITY;
    if (!k->method.true_gap) return largest_before(k, i, NAN, true, after);
    return largest_before(k, i, k->method.true_gap[i], k->method.posed_linear, after);
}

/* Velocities along a row before and after the kick, without drives. */
typedef struct row_ends {
    double before, after;
} row_ends;

static inline row_ends ends_of(const pp_frame *k, const perp_row *row) {
    row_ends u;
    pp_row_dot_both(&k->pose.problem, row, k->control.nu0, k->solve.solution.nu, &u.before, &u.after);
    return u;
}

/* Velocity of B relative to A at which contact i moves along with the bodies that are not driven, of which u is the velocity at their surface
 * points. A round one may roll: its contact moves with its centre. */
static perp_vec3 place_velocity(const pp_frame *k, int i, perp_vec3 u) {
    for (int side = 0; side < 2; side++) {
        const pp_shape *shape = &k->w->shape[k->contacts.shape[2 * i + side]];
        if (!(shape->g->radius > 0) || k->w->body[shape->body].kind != PERP_BODY_DYNAMIC) continue;
        u = perp_v3_axpy(u, shape->g->radius, perp_v3_cross(k->s0->w[shape->body], k->contacts.at[i].n_W));
    }
    return u;
}

/* The parts of the velocity before the kick that driven bodies cause along the rows of contact i, if they are known. */
static void driven_was(const pp_frame *k, int i, const perp_row *const *row, double *was) {
    const perp_step_problem *p = &k->pose.problem;
    if (i >= k->contacts.n || !driven_contact(k, i)) return; /* behind the contacts: support points */
    const perp_contact *at = &k->contacts.at[i];
    const perp_vec3 axis[3] = {at->n_W, at->t_W, at->o_W};
    perp_vec3 u = {0, 0, 0}, v, w;
    perp_quat turn;
    for (int r = 0; r < p->dim; r++) u = perp_v3_axpy(u, pp_row_dot(p, row[r], k->control.nu0), axis[r]);
    const perp_vec3 along = place_velocity(k, i, u);
    if (!driven_before(k, i, along, &v, &w, &turn)) return;
    /* in the frame of the driven body */
    const perp_vec3 slips = perp_v3_sub(perp_q_rotate(turn, perp_v3_add(v, u)), u),
                    closes = perp_v3_sub(perp_q_rotate(turn, perp_v3_add(v, along)), along);
    for (int r = 0; r < 3; r++) {
        was[r] = perp_v3_dot(r == 0 ? closes : slips, axis[r]);
        was[3 + r] = perp_v3_dot(w, axis[r]);
    }
}

/* Work of one impulse at the velocities before and after. */
static inline double add_impulse(pp_contact_work *a, int at, double impulse, double before, double after) {
    a->end[at] += impulse * after;
    a->moved[at] += 0.5 * fabs(impulse) * (fabs(before) + fabs(after));
    return 0.5 * impulse * (before + after);
}

/* What a normal impulse only seems to add; see "Rule". */
static inline double by_rule(double impulse, double before, double most) {
    return before > most ? 0.5 * impulse * (before - most) : 0;
}

static bool rebounds(const pp_frame *k, int i) { return i < k->contacts.n && k->contacts.at[i].restitution > 0; }

/* Work of contact i at which a driven body or a compliant surface takes part, or whose friction resists rotation. */
static void add_work_in_general(pp_contact_work *a, const pp_frame *k, int i, int at) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    const perp_row *row[PERP_CONE_ROWS] = {&c->n};
    double driven[PERP_CONE_ROWS] = {c->b_n_kin}, was[PERP_CONE_ROWS] = {c->b_n_kin}, sum = 0, other[2] = {0, 0},
           lag[2] = {0, 0};
    int dim = k->pose.problem.dim, rows = c->e_r > 0 || c->e_roll > 0 ? PERP_CONE_ROWS : dim;
    bool gives = c->compliance > 0;
    for (int r = 1; r < rows; r++) {
        row[r] = pp_friction_row(c, r - 1);
        driven[r] = was[r] = pp_driven_slip(&k->pose, i, r - 1);
    }
    driven_was(k, i, row, was);
    for (int r = 0; r < rows; r++) {
        if (r > 2 ? !pp_friction_turns(c, r - 1) : r == 2 && dim == 2) continue;
        if ((r == 0 ? c->compliance : c->compliance_f) > 0) continue; /* a spring may return energy */
        double impulse =
            r == 0 ? k->solve.solution.p_contact[3 * i] : *pp_friction_impulse(&k->solve.solution, i, r - 1);
        row_ends u = ends_of(k, row[r]);
        double after = u.after + driven[r], before = gives ? after : u.before + was[r];
        double done = add_impulse(a, at, impulse, before, after);
        sum += done;
        if (!gives) other[r > 0] += 0.5 * impulse * (driven[r] - was[r]);
        if (r == 0 && !gives) {
            double most = most_before(k, i, after);
            lag[0] = by_rule(impulse, before, most);
            lag[1] = by_rule(impulse, before - was[0] + driven[0], most);
        }
        if (r == 0 && rebounds(k, i)) a->lost[at] -= done;
    }
    a->work[at] += sum + fmin(0, other[0]) + fmin(0, other[1]);
    a->rule[at] += lag[other[0] < 0];
}

static void add_work(pp_contact_work *a, const pp_frame *k) {
    const perp_step_problem *p = &k->pose.problem;
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        const double *impulse = k->solve.solution.p_contact + 3 * i;
        if (!(impulse[0] > 0) || fixed(&c->n)) continue;
        int at = pp_work_island(a, &c->n);
        bool rigid = !(c->compliance > 0) && !(c->compliance_f > 0), turns = c->e_r > 0 || c->e_roll > 0;
        if (!rigid || turns || (i < k->contacts.n && driven_contact(k, i))) {
            add_work_in_general(a, k, i, at);
            continue;
        }
        row_ends u = ends_of(k, &c->n);
        double before = u.before + c->b_n_kin, after = u.after + c->b_n_kin;
        double sum = add_impulse(a, at, impulse[0], before, after);
        a->rule[at] += by_rule(impulse[0], before, most_before(k, i, after));
        if (rebounds(k, i)) a->lost[at] -= sum;
        for (int r = 1; r < p->dim; r++) {
            if (impulse[r] == 0) continue;
            double slip = pp_driven_slip(&k->pose, i, r - 1);
            u = ends_of(k, pp_friction_row(c, r - 1));
            sum += add_impulse(a, at, impulse[r], u.before + slip, u.after + slip);
        }
        a->work[at] += sum;
    }
}

/* Adds the work of yielding motors at the mean velocity. For all motors without force limit: adds the work at the mean
 * minus that at the end. only: for islands where this is positive; NULL: for all */
static void add_motors(pp_contact_work *a, const pp_frame *k, const double *only) {
    const perp_step_problem *p = &k->pose.problem;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        if (r->kind != PERP_ROW_MOTOR || pp_row_is_servo(k, i) || fixed(&r->row)) continue;
        if (k->w->joint[r->joint].def.axis[r->coord].motor_force != INFINITY) continue;
        if (only && !(only[pp_work_island(a, &r->row)] > 0)) continue;
        double P = k->solve.solution.p_joint[i], before = pp_row_dot(p, &r->row, k->control.nu0) + r->b_kin,
               after = pp_row_dot(p, &r->row, k->solve.solution.nu) + r->b_kin;
        int at = pp_work_island(a, &r->row);
        if (k->solve.motor_yields > 0 && isfinite(r->hi)) a->motor[at] += 0.5 * P * (before + after);
        a->lag[at] += 0.5 * P * (before - after);
    }
}

/* A locked motion or a limit, which do no work but at driven bodies. */
static bool ideal(const perp_joint_row *r) {
    return (r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT) && !fixed(&r->row);
}

/* Adds the work of locked motions and limits of joints at the mean velocity. only: as above */
static void add_joints(pp_contact_work *a, const pp_frame *k, const double *only) {
    const perp_step_problem *p = &k->pose.problem;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        double P = k->solve.solution.p_joint[i];
        if (!ideal(r) || P == 0) continue;
        int at = pp_work_island(a, &r->row);
        if (only && !(only[at] > 0)) continue;
        row_ends u = ends_of(k, &r->row);
        double mean = 0.5 * (u.before + u.after) + r->b_kin;
        a->joint[at] += P * mean;
        if (r->b_kin != 0) continue; /* a drive may do work */
        a->held[at] += P * mean;
    }
}

/* Work of contacts, of yielding motors and of joints of one island together. */
static double with_joints(const pp_contact_work *a, int b) {
    double work = a->work[b], taken = work + fmin(0, a->motor[b]) + fmin(0, a->joint[b]);
    double moved = fmin(work, fmax(a->end[b], work + fmin(0, a->lag[b])));
    return fmin(taken, moved);
}

/* Does the frame have a contact of these two shapes? */
static bool has_pair(const pp_frame *f, const int *shape) {
    for (int i = 0; i < f->contacts.n; i++)
        if (f->contacts.shape[2 * i] == shape[0] && f->contacts.shape[2 * i + 1] == shape[1]) return true;
    return false;
}

/* Subtracts the loss that restitution allows to rebounding contacts, with the impulses of the whole substep. For a kick
 * only contacts that the whole substep does not have are counted. */
static void allow_losses(pp_contact_work *a, const pp_frame *k, const pp_frame *whole) {
    const perp_step_problem *p = &k->pose.problem;
    for (int i = 0; i < k->contacts.n; i++) {
        const perp_contact_row *c = &p->contact[i];
        double e = k->contacts.at[i].restitution, impulse = k->solve.solution.p_contact[3 * i];
        if (!(e > 0) || !(impulse > 0) || fixed(&c->n) || c->compliance > 0) continue;
        if (k != whole && has_pair(whole, k->contacts.shape + 2 * i)) continue;
        double approach = pp_row_dot(p, &c->n, k->control.nu0) + c->b_n_kin;
        a->lost[pp_work_island(a, &c->n)] -= 0.5 * (1 - e) * impulse * fmax(0, -approach);
    }
}

static double block_kinetic(const pp_frame *f, int k) {
    const double *M = f->control.M + 36 * k, *nu = f->control.nu0 + f->control.block_offset[k];
    int dim = f->w->def.dim;
    double sum = 0.5 * M[0] * f->h * f->h * perp_v3_dot(f->w->def.gravity_W, f->w->def.gravity_W);
    for (int c = 0; c < dim; c++) sum += 0.5 * M[0] * nu[c] * nu[c]; /* the mass; then the inertia */
    for (int c = dim; c < f->control.block_ndof[k]; c++)
        for (int r = dim; r < f->control.block_ndof[k]; r++) sum += 0.5 * nu[r] * M[6 * c + r] * nu[c];
    return sum;
}

/* The kicks of a frame; a frame without any is its own. */
static const pp_frame *const *kicks(const pp_frame *const *self, int *n) {
    const pp_frame *f = *self;
    *n = f->method.nkick ? f->method.nkick : 1;
    return f->method.nkick ? (const pp_frame *const *)f->method.kick : self;
}

/* n arrays of zeros, one value per block; NULL if out of memory. */
static double *zeros(const pp_frame *f, int n) {
    return PP_ARENA_ZERO(&f->w->arena, double, (ptrdiff_t)n * f->control.nblock);
}

/* only: for islands where this is positive; NULL: for all */
static void add_kinetic(const pp_frame *f, pp_contact_work *a, const double *only) {
    for (int b = 0; b < f->control.nblock; b++) {
        int at = pp_set_of(a->parent, b);
        if (!only || only[at] > 0) a->kinetic[at] += block_kinetic(f, b);
    }
}

/* Makes the arrays, and the islands of all kicks. */
static bool begin(const pp_frame *f, const pp_frame *const *kick, int n, pp_contact_work *a) {
    double **const array[] = {&a->work, &a->rule,  &a->moved, &a->end,  &a->motor,
                              &a->lag,  &a->joint, &a->held,  &a->lost, &a->kinetic};
    const int arrays = (int)(sizeof array / sizeof *array);
    double *room = zeros(f, arrays);
    a->parent = PP_ARENA_ARRAY(&f->w->arena, int, f->control.nblock);
    if (!room || !a->parent) return false;
    for (int i = 0; i < arrays; i++) *array[i] = room + (ptrdiff_t)i * f->control.nblock;
    pp_sets_make(a->parent, f->control.nblock);
    for (int k = 0; k < n; k++) join_kick(a, kick[k]);
    return true;
}

static bool any_positive(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] > 0) return true;
    return false;
}

/* gains: only the islands whose contacts add energy are asked for. Motors and joints can only reduce such a gain, so they and kinetic energies
 * are left out where there is none. */
static bool work_of(const pp_frame *f, bool gains, pp_contact_work *a) {
    int n, nblock = f->control.nblock;
    const pp_frame *const *kick = kicks(&f, &n);
    if (!begin(f, kick, n, a)) return false;
    for (int k = 0; k < n; k++) add_work(a, kick[k]);
    bool any = !gains || any_positive(a->work, nblock);
    const double *only = gains ? a->work : NULL;
    for (int k = 0; any && k < n; k++) add_motors(a, kick[k], only);
    for (int k = 0; any && k < n; k++) add_joints(a, kick[k], only);
    if (any) add_kinetic(f, a, only);
    for (int b = 0; b < nblock; b++) {
        if (a->parent[b] != b) continue;
        if (gains && a->work[b] <= 0) { /* what follows would not raise it above 0 */
            a->rule[b] = 0;
            continue;
        }
        a->work[b] = with_joints(a, b);
        a->rule[b] = fmin(a->rule[b], fmax(0, a->work[b])); /* no gain if contacts take more elsewhere */
        a->work[b] -= a->rule[b];
    }
    allow_losses(a, f, f);
    for (int k = 0; f->method.nkick && k < n; k++) allow_losses(a, kick[k], f);
    return true;
}

bool pp_contact_work_of(const pp_frame *f, pp_contact_work *a) { return work_of(f, false, a); }

/* Names the contact of an island that did most work. */
static void name_gain(const pp_frame *f, const pp_contact_work *a, int island, perp_certificate *cert) {
    double most = -INFINITY;
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact_row *c = &f->pose.problem.contact[i];
        double p = f->solve.solution.p_contact[3 * i];
        if (!(p > 0) || fixed(&c->n) || pp_work_island(a, &c->n) != island) continue;
        double work = p * (pp_row_dot(&f->pose.problem, &c->n, f->control.nu0) +
                           pp_row_dot(&f->pose.problem, &c->n, f->solve.solution.nu) + 2 * c->b_n_kin);
        if (!(work > most)) continue;
        most = work;
        cert->gain_shape[0] = f->contacts.shape[2 * i];
        cert->gain_shape[1] = f->contacts.shape[2 * i + 1];
    }
}

perp_status pp_contact_gain(const pp_frame *f, perp_certificate *cert) {
    pp_contact_work a;
    int n = f->pose.problem.ncontact;
    for (int k = 0; k < f->method.nkick; k++) n += f->method.kick[k]->pose.problem.ncontact;
    if (f->method.no_inertia || n == 0) return PERP_OK;
    if (!work_of(f, true, &a)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int b = 0; b < f->control.nblock; b++) {
        if (a.parent[b] != b) continue;
        if (a.lost[b] > 0) cert->rebound_lost += a.lost[b];
        cert->ledger.normal -= a.rule[b];
        cert->ledger.drift += a.rule[b];
        if (!(a.work[b] > 0)) continue;
        cert->gain += a.work[b];
        double part = a.work[b] / (a.kinetic[b] + a.work[b]);
        if (!(part > cert->gain_part)) continue;
        cert->gain_part = part;
        name_gain(f, &a, b, cert);
    }
    return PERP_OK;
}

/* Energy that the forces on block b would give to it at rest within the frame. */
static double forced_energy(const pp_frame *f, int b) {
    double sum = 0;
    int at = f->control.block_offset[b], nd = f->control.block_ndof[b];
    for (int c = 0; c < nd; c++)
        for (int r = 0; r < nd; r++)
            sum +=
                0.5 * pp_force_impulse(f, at + r) * f->control.Minv[36 * b + 6 * c + r] * pp_force_impulse(f, at + c);
    return sum;
}

/* Adds the energy that forces give within h to `kinetic`, which has that of gravity over f->h. Less than that is not resolved. */
static void force_longer(const pp_frame *f, double h, pp_contact_work *a) {
    double g = perp_v3_norm(f->w->def.gravity_W), longer = h / f->h;
    for (int b = 0; b < f->control.nblock; b++) {
        double fall = 0.5 * f->control.M[36 * b] * g * g, has = fall * f->h * f->h;
        a->kinetic[pp_set_of(a->parent, b)] += fmax(fall * h * h, forced_energy(f, b) * longer * longer) - has;
    }
}

/* Energy that the impulses of locked motions and limits of the joints of an island would give to bodies at rest, each alone. */
static double joint_effort(const pp_frame *f, const pp_contact_work *a, int island) {
    int n;
    const pp_frame *const *kick = kicks(&f, &n);
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const perp_step_problem *p = &kick[k]->pose.problem;
        for (int i = 0; i < p->njoint; i++) {
            const perp_joint_row *r = &p->joint[i];
            if (!ideal(r) || r->b_kin != 0 || pp_work_island(a, &r->row) != island) continue;
            double P = kick[k]->solve.solution.p_joint[i];
            sum += 0.5 * P * P * (pp_row_inverse_mass(p, &r->row) + r->compliance);
        }
    }
    return sum;
}

/* Is this work in an island more than the fraction of its energy? */
static bool exceeds(const pp_contact_work *a, const double *work, double fraction, int island) {
    return a->parent[island] == island && work[island] > fraction * (a->kinetic[island] + work[island]);
}

bool pp_joints_gain(const pp_frame *f, double h, double fraction) {
    if (f->w->chosen.stepper->soft_joints || f->pose.problem.njoint == 0) return false; /* springs may return energy */
    if (f->method.no_inertia) return false;
    int n;
    const pp_frame *const *kick = kicks(&f, &n);
    pp_contact_work a;
    if (!begin(f, kick, n, &a)) return false;
    for (int k = 0; k < n; k++) add_joints(&a, kick[k], NULL);
    if (!any_positive(a.held, f->control.nblock)) return false;
    add_kinetic(f, &a, a.held);
    force_longer(f, h, &a);
    for (int b = 0; b < f->control.nblock; b++) /* more than what the tolerance explains */
        if (exceeds(&a, a.held, fraction, b) && a.held[b] > f->w->def.tolerance * joint_effort(f, &a, b)) return true;
    return false;
}

bool pp_contacts_gain(const pp_frame *f, double h, double fraction) {
    pp_contact_work a;
    if (f->method.no_inertia || !work_of(f, true, &a)) return false;
    force_longer(f, h, &a);
    for (int b = 0; b < f->control.nblock; b++)
        if (exceeds(&a, a.work, fraction, b)) return true;
    return false;
}

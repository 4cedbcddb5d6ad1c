/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* recheck.c - checks the laws again, from the states at both ends of a step and the data of the world
 * Problem  Residuals of the laws are measured on the step problem when it is solved. Errors in the code that poses this problem, applies its
 *          solution and moves the bodies would not be noticed.
 * Method   Each figure is a velocity and is included in the residual of its kind in perp_step_residual:
 *            momentum   m (v+ - v) and R I R' w of both states against the impulses, with gravity and springs from the world
 *                       driven bodies against their motion
 *                       poses of the end against those of the start and the velocity in between
 *            joint      motors, dry friction and springs against the definition of the joint; limits count as joint errors
 *            cone       friction against mu of the pair's law
 *            normal     right-hand sides of normal rows against the gap and the rebound of the contact
 *          Creep: displacement d of a sticking contact along its surface (stage/pose/slip.c), from the poses at both ends of the step
 *          Impacts in order of time (pp_recheck_impact): momentum as above, without forces; a contact that closed with u separates with -e u
 *          or more, with e and mu of the pair's law; velocities that are shifted in time (pp_recheck_shift) by the forces of the world.
 * Valid    Steps of one kick: steppers stewart-trinkle, anitescu-potra, nonconvex-lcp. For the others: driven bodies, creep and impacts.
 *          Poisson's and Stronge's laws relate the end velocity to impulses of phases, which the end does not show. With friction or
 *          several contacts only signs, cone and momentum are checked here; contact_work.c checks the energy of the contacts.
 * Cost     O(bodies + rows). If a cheap upper bound does not exceed the present figure, nothing else is computed: the worst figure is the
 *          same. At rest this applies to nearly all rows. What the step has computed is taken again only if it depends on nothing that is
 *          checked: masses and lengths of rows, and free rotations and rates of rotors if they start from the same numbers to the bit.
 *          docs/benchmarks.md has the instructions of a step. Allocates in the arena only. */
#include <float.h>
#include <string.h>

#include "base/rounding.h"
#include "stage/pose/formulate.h"
#include "linalg/kernel.h"
#include "math/turn_free.h"
#include "model/actuator.h"
#include "stage/solve/give_way.h"
#include "stage/control/belt.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "stage/pose/rebound.h"
#include "stage/stepper.h"
#include "stage/frame.h"
#include "stage/certify/certify.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] A motor is at its limit if its force is below the largest force by less than this fraction. Half and double: no
 * effect. */
#define AT_LIMIT 1e-6
/* [1] Gap at the end, as a fraction of the size, that a contact with an impulse may have. Half and double: no effect. */
#define OPEN 1e-6
/* [1] Error of a motor's position, as a fraction of its travel in a step, that counts as zero. Half and double: no
 * effect. */
#define HELD 1e-8

#define ROUNDING (16 * DBL_EPSILON) /* of coordinates, relative to their size */
#define PI       3.141592653589793

static void worst(double *most, double x) {
    if (!(fabs(x) <= *most)) *most = isnan(x) ? INFINITY : fabs(x);
}

/* Is the root of a square at most `limit`, without taking the root? False in doubt, also for what is not a number. */
static bool within(double square, double limit) { return square <= limit * limit * (1 - ROUNDING); }

static double larger(double a, double b) { return a > b ? a : b; }

/* ---- momentum ---- */

static void add_row(const pp_frame *f, const perp_row *row, double p, double *sum) {
    for (; row && p != 0; row = row->more)
        for (int k = 0; k < 2; k++) {
            if (row->block[k] < 0) continue;
            pp_block_push(f->control.block_ndof[row->block[k]], row->J[k], p,
                          sum + f->control.block_offset[row->block[k]]);
        }
}

static void add_springs(const pp_frame *f, double *sum) {
    const perp_world *w = f->w;
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (!pp_alive(e->gen) || e->def.kind != PERP_FORCE_SPRING) continue;
        pp_spring_now x = pp_spring_at(w, f->task.force_state ? f->task.force_state : f->s0, e);
        const int body[2] = {e->a, e->b};
        for (int k = 0; k < 2; k++) {
            int blk = body[k] < 0 ? -1 : f->control.block[body[k]];
            if (blk < 0) continue;
            perp_vec3 F = perp_v3_scale(k ? f->h : -f->h, x.force), T = perp_v3_cross(k ? x.rb : x.ra, F);
            double *to = sum + f->control.block_offset[blk];
            to[0] += F.x, to[1] += F.y;
            if (w->def.dim == 3) to[2] += F.z;
            if (w->def.dim == 2 && f->control.block_ndof[blk] == 3) to[2] += T.z;
            if (f->control.block_ndof[blk] == 6) to[3] += T.x, to[4] += T.y, to[5] += T.z;
        }
    }
}

/* Impulses on all bodies: of rows, applied forces and dampers from the frame, of springs and gravity from the world. */
static bool impulses(const pp_frame *f, double **out) {
    const perp_world *w = f->w;
    const perp_step_problem *p = &f->pose.problem;
    const perp_step_solution *s = &f->solve.solution;
    double *restrict sum = *out = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof);
    if (!sum) return false;
    bool forces = f->purpose != PP_IMPACT;
    const double *applied = f->control.i_applied, *damper = f->control.i_damper;
    PP_UNROLL(6)
    for (int i = 0, n = forces ? f->control.ndof : 0; i < n; i++) sum[i] = applied[i] + damper[i];
    if (!forces) memset(sum, 0, (size_t)f->control.ndof * sizeof *sum);
    if (forces && w->nforce > 0) add_springs(f, sum);
    const perp_vec3 g = w->def.gravity_W;
    for (int k = 0; forces && k < f->control.nblock; k++) {
        const pp_body *b = &w->body[f->control.block_body[k]];
        if (b->no_gravity) continue;
        double kick = f->h * b->mass, *to = sum + f->control.block_offset[k];
        to[0] += kick * g.x, to[1] += kick * g.y;
        if (w->def.dim == 3) to[2] += kick * g.z;
    }
    for (int i = 0; i < p->njoint; i++) {
        const perp_row *row = &p->joint[i].row;
        if (!pp_row_in_space(p, row)) {
            add_row(f, row, s->p_joint[i], sum);
            continue;
        }
        pp_block_push_of(6, row->J[0], s->p_joint[i], sum + f->control.block_offset[row->block[0]]);
        pp_block_push_of(6, row->J[1], s->p_joint[i], sum + f->control.block_offset[row->block[1]]);
    }
    for (int i = 0; i < p->ncontact; i++) {
        add_row(f, &p->contact[i].n, s->p_contact[3 * i], sum);
        add_row(f, &p->contact[i].t, s->p_contact[3 * i + 1], sum);
        if (p->dim == 3) add_row(f, &p->contact[i].o, s->p_contact[3 * i + 2], sum);
        for (int k = 2; k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(&p->contact[i], k))
                add_row(f, pp_friction_row(&p->contact[i], k), *pp_friction_impulse(s, i, k), sum);
    }
    return true;
}

static bool is_diagonal(const perp_mat3 *I) {
    const perp_vec3 *c = I->c;
    return c[0].y == 0 && c[0].z == 0 && c[1].x == 0 && c[1].z == 0 && c[2].x == 0 && c[2].y == 0;
}

static perp_vec3 turning_momentum(const pp_body *b, perp_quat q, perp_vec3 w) {
    return perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, w)));
}

/* Angular momentum of a body in the plane and in space that the impulses p of its rotation do not explain. */
static double turning_left_2d(const pp_body *b, double w0, double w1, const double *p) {
    return b->I_B.c[2].z * w1 - b->I_B.c[2].z * w0 - p[0];
}
static perp_vec3 turning_left_3d(const pp_body *b, const pp_state *s0, const pp_state *s1, int slot, const double *p) {
    double I = b->I_B.c[0].x;
    perp_vec3 w0 = s0->w[slot], w1 = s1->w[slot];
    if (b->isotropic)
        return perp_v3(I * w1.x - I * w0.x - p[0], I * w1.y - I * w0.y - p[1], I * w1.z - I * w0.z - p[2]);
    perp_vec3 L0 = turning_momentum(b, s0->X[slot].q, w0), L1 = turning_momentum(b, s1->X[slot].q, w1);
    return perp_v3(L1.x - L0.x - p[0], L1.y - L0.y - p[1], L1.z - L0.z - p[2]);
}

static double least_inertia(const perp_mat3 *I, int dim) {
    double a = I->c[0].x, b = I->c[1].y, c = I->c[2].z;
    if (dim == 2) return c;
    b = b < c ? b : c;
    return a < b ? a : b;
}

/* Error of the momentum balance of block k, as a velocity of its mass; `told` if it is not more. */
static inline double momentum_left(const pp_frame *f, int k, const double *impulse, double told) {
    int slot = f->control.block_body[k], dim = f->w->def.dim, nd = f->control.block_ndof[k];
    const pp_body *b = &f->w->body[slot];
    const double *p = impulse + f->control.block_offset[k], part = -1 / b->mass;
    const perp_vec3 v0 = f->s0->v[slot], v1 = f->s1->v[slot];
    double x = v1.x - v0.x + part * p[0], y = v1.y - v0.y + part * p[1],
           z = dim == 3 ? v1.z - v0.z + part * p[2] : v1.z - v0.z, square = x * x + y * y + z * z;
    if (!within(square, told)) worst(&told, sqrt(square));
    if (nd == dim || f->task.implicit_turn) return told;
    if (dim == 2) {
        z = turning_left_2d(b, f->s0->w[slot].z, f->s1->w[slot].z, p + 2);
        square = z * z;
    } else {
        perp_vec3 left = turning_left_3d(b, f->s0, f->s1, slot, p + 3);
        square = perp_v3_dot(left, left);
    }
    double gyration = least_inertia(&b->I_B, dim) * b->mass; /* the speed is that at the radius of gyration */
    if (!(square <= told * told * gyration * (1 - ROUNDING))) worst(&told, sqrt(square) / sqrt(gyration));
    return told;
}

static void momentum_of_blocks(const pp_frame *f, const double *impulse, double *most) {
    double told = *most;
    for (int k = 0; k < f->control.nblock; k++) told = momentum_left(f, k, impulse, told);
    *most = told;
}

/* ---- motion ---- */

static bool same_turn(const perp_quat *p, const perp_quat *q) {
    return p->w == q->w && p->x == q->x && p->y == q->y && p->z == q->z;
}
static bool same_pose(const perp_pose *X, const perp_pose *Y) {
    return X->p.x == Y->p.x && X->p.y == Y->p.y && X->p.z == Y->p.z && same_turn(&X->q, &Y->q);
}

/* Square of an upper bound of the angle of a rotation: 2 asin x <= pi x. */
static double most_turned(perp_quat d) { return PI * PI * (d.x * d.x + d.y * d.y + d.z * d.z); }

/* Angle by which the orientation a differs from b, beyond rounding. Only rounding is left if the bound says so. */
static double turned_by(perp_quat a, perp_quat b) {
    perp_quat d = perp_q_mul(a, perp_q_conj(b));
    if (within(most_turned(d), 4 * ROUNDING)) return 0;
    return larger(0, perp_v3_norm(perp_q_log(d)) - 4 * ROUNDING);
}

/* How far the centre is from where its velocity v leads, beyond rounding; 0 if at most `told`. */
static double off_course(perp_vec3 x0, perp_vec3 x1, perp_vec3 v, double h, double told) {
    perp_vec3 d = perp_v3_axpy(perp_v3_sub(x1, x0), -h, v);
    double square = perp_v3_dot(d, d);
    if (within(square, told) || square <= ROUNDING * ROUNDING * (perp_v3_dot(x0, x0) + perp_v3_dot(x1, x1))) return 0;
    return larger(0, sqrt(square) - ROUNDING * (perp_v3_norm(x0) + perp_v3_norm(x1)));
}

/* Error of the rotation of block k in the plane, beyond rounding: of the angle, and of the orientation that belongs to it. */
static double turn_left_2d(const pp_state *s0, const pp_state *s1, int slot, double way) {
    double th0 = s0->theta[slot], th1 = s1->theta[slot], s, c;
    const perp_quat *q0 = &s0->X[slot].q, *q1 = &s1->X[slot].q;
    double turn = fabs(th1 - th0 - way) - ROUNDING * (fabs(th0) + fabs(th1));
    if (th0 == th1 && q0->z == q1->z && q0->w == q1->w) return turn; /* as at the end of the step before */
    pp_sin_cos(0.5 * th1, &s, &c);
    return larger(turn, fabs(s - q1->z) + fabs(c - q1->w) - ROUNDING);
}

/* Distance of the end pose of block k from the pose that the velocity leads to, as a velocity; `most` if it is not more. Rotations whose
 * difference cannot exceed it are not computed: a free body rotates at most by h |w| times the ratio of its largest and
 * smallest moment of inertia. */
static inline double motion_left(const pp_frame *f, int k, double most) {
    int slot = f->control.block_body[k], dim = f->w->def.dim, nd = f->control.block_ndof[k];
    const pp_body *b = &f->w->body[slot];
    const double *nu = (f->update.nu_moved ? f->update.nu_moved : f->solve.solution.nu) + f->control.block_offset[k];
    const perp_pose *X0 = &f->s0->X[slot], *X1 = &f->s1->X[slot];
    double told = most * f->h, off = off_course(X0->p, X1->p, pp_linear(dim, nu), f->h, told), turn;
    if (!(off <= told)) worst(&most, off / f->h);
    if (nd == dim) return most;
    double radius = isfinite(b->radius) ? b->radius : 0;
    if (dim == 2) {
        turn = turn_left_2d(f->s0, f->s1, slot, f->h * nu[2]);
    } else {
        perp_vec3 w = perp_v3(nu[3], nu[4], nu[5]);
        const pp_free_turn *done = f->update.turn ? &f->update.turn[k] : NULL;
        bool known = done && pp_turn_starts(done, &b->I_B, f->h, &X0->q, &w);
        if (known && same_turn(&X1->q, &done->to)) return most;
        perp_quat q = known ? done->to : X0->q;
        double I0 = b->I_B.c[0].x, I1 = b->I_B.c[1].y, I2 = b->I_B.c[2].z,
               ratio = b->isotropic ? 1 : larger(I0, larger(I1, I2)) / least_inertia(&b->I_B, 3);
        /* the square of a sum is at most twice the sum of the squares */
        double bound =
            2 * (most_turned(perp_q_mul(X1->q, perp_q_conj(X0->q))) + ratio * ratio * f->h * f->h * perp_v3_dot(w, w));
        if ((b->isotropic || is_diagonal(&b->I_B)) && within(bound * radius * radius, told)) return most;
        if (f->task.implicit_turn || (!known && !pp_turn_free(b->I_B, f->h, &q, w))) return most;
        turn = turned_by(X1->q, q);
    }
    if (turn > 0 || isnan(turn)) worst(&most, turn * radius / f->h);
    return most;
}

static void motion_of_blocks(const pp_frame *f, double *most) {
    double told = *most;
    for (int k = 0; k < f->control.nblock; k++) told = motion_left(f, k, told);
    *most = told;
}

/* Deviation of driven bodies from their motion. */
static double drive_left(const pp_frame *f) {
    const perp_world *w = f->w;
    double most = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind == PERP_BODY_DYNAMIC) continue;
        perp_pose X = f->s0->X[i];
        double theta = f->s0->theta[i];
        if (b->kind == PERP_BODY_KINEMATIC && b->motion &&
            !pp_motion_advance(b->motion, f->s0->t, f->s0->t + f->h, f->s0->X[i], f->s0->theta[i], &X, &theta))
            continue;
        if (same_pose(&f->s1->X[i], &X)) continue;
        double size = isfinite(b->radius) && b->radius > 0 ? b->radius : 1;
        double off = perp_v3_norm(perp_v3_sub(f->s1->X[i].p, X.p)) - ROUNDING * perp_v3_norm(X.p);
        worst(&most, fmax(0, fmax(off, turned_by(f->s1->X[i].q, X.q) * size)) / f->h);
    }
    return most;
}

/* ---- joints ---- */

/* Is a motor without force limit slower than its speed because it reached the limit of its own coordinate and stopped
 * there? */
static bool held_by_limit(const pp_frame *f, const perp_joint_row *r, double rate) {
    const perp_joint_axis *a = &f->w->joint[r->joint].def.axis[r->coord];
    if (!pp_motor_keeps_limits(a) || !(fabs(rate) <= fabs(a->motor_speed) * (1 + PP_RESIDUAL))) return false;
    double end = a->motor_speed > 0 ? a->hi : a->lo, x = f->s1->coord[r->joint][r->coord];
    return fabs(x - end) <= HELD * f->h * fabs(a->motor_speed) + ROUNDING * (fabs(x) + fabs(end));
}

/* Upper bound of the inverse mass of a row: J Minv J' <= |J|^2 trace Minv. INFINITY if a block is on both of its sides. */
static double most_inverse_mass(const perp_step_problem *p, const perp_row *row) {
    double sum = 0;
    for (; row; row = row->more) {
        if (row->block[0] == row->block[1]) return INFINITY;
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            double square = 0, trace = 0;
            for (int c = 0; b >= 0 && c < p->block_ndof[b]; c++)
                square += row->J[k][c] * row->J[k][c], trace += p->Minv[36 * (ptrdiff_t)b + 7 * c];
            sum += square * trace;
        }
    }
    return sum;
}

/* Joint rows of a frame, and what is computed once for all checks of them. */
typedef struct joint_rows {
    const pp_frame *f;
    const pp_row_figure *figure; /* by row; NULL: not known */
    const double *rate;          /* J nu; NULL: not known */
} joint_rows;

static double rate_of(const joint_rows *rows, int i) {
    const pp_frame *f = rows->f;
    return rows->rate ? rows->rate[i]
                      : pp_row_dot(&f->pose.problem, &f->pose.problem.joint[i].row, f->solve.solution.nu);
}

/* Inverse mass and length of joint row i. */
static pp_row_figure figure_of(const joint_rows *rows, int i) {
    const perp_step_problem *p = &rows->f->pose.problem;
    if (rows->figure) return rows->figure[i];
    return (pp_row_figure){.inverse = pp_row_inverse_mass(p, &p->joint[i].row),
                           .length = pp_row_length(p, &p->joint[i].row)};
}

/* A deviation of the impulse of joint row i from the definition of its joint, as a velocity. A row whose impulse falls by h `stiff` with its
 * velocity yields with its bodies. */
static double deviates(const joint_rows *rows, int i, double by, double h, double stiff) {
    if (by == 0) return 0;
    pp_row_figure row = figure_of(rows, i);
    double W = row.inverse * row.length, worth = 1 / (1 + W / row.length * h * stiff);
    return worth * W * fabs(by);
}

/* Deviation of a servo's impulse from the definition of its actuator, as a velocity. */
static double servo_left(const joint_rows *rows, int i) {
    const pp_frame *f = rows->f;
    const perp_joint_row *r = &f->pose.problem.joint[i];
    int slot = f->w->joint[r->joint].actuator[r->coord];
    if (slot < 0) return INFINITY;
    if (r->b_kin != 0 || (f->demand.joint_shift && !f->demand.joints)) return 0; /* as for springs */
    pp_servo s = pp_servo_of(&f->w->robot.actuator[slot].def);
    double h = f->h, rate = rate_of(rows, i);
    double x = f->s0->coord[r->joint][r->coord] + h * rate, p = h * fmin(fmax(s.f0 - s.k * x - s.d * rate, s.lo), s.hi);
    return deviates(rows, i, f->solve.solution.p_joint[i] - p, h, h * s.k + s.d);
}

/* Deviation of motor row i from the definition of its joint, as a velocity. */
static double motor_left(const joint_rows *rows, int i, double rate) {
    const pp_frame *f = rows->f;
    const perp_joint_row *r = &f->pose.problem.joint[i];
    const perp_joint_axis *a = &f->w->joint[r->joint].def.axis[r->coord];
    double p = f->solve.solution.p_joint[i];
    /* a motor without force limit that yielded has the limit that it was given (stage/solve/motor_yield.c) */
    double most = f->solve.motor_yields > 0 && a->motor_force == INFINITY ? r->hi : f->h * a->motor_force;
    double over = deviates(rows, i, fmax(0, fabs(p) - most), 1, 0), miss = fabs(rate - a->motor_speed);
    if (!(fabs(p) < most * (1 - AT_LIMIT)) || held_by_limit(f, r, rate)) return over;
    return fmax(over, miss * figure_of(rows, i).length);
}

/* Deviation of a rotor from the definition of its joint. rotor: which one it is of those of the frame */
static double rotor_left(const joint_rows *rows, int i, double rate, int rotor) {
    const pp_frame *f = rows->f;
    const perp_joint_row *r = &f->pose.problem.joint[i];
    const perp_joint_axis *a = &f->w->joint[r->joint].def.axis[r->coord];
    pp_free_turns *found = f->pose.kept.free_turn, own;
    if (!found) memset((found = &own)->body, 0, sizeof own.body);
    pp_rotor_kick k = pp_rotor_kick_of(f);
    double before =
        pp_rotor_rate(f->w, &k, r->joint, r->coord, f->pose.kept.free_turn ? &found->rotor[rotor] : NULL, found);
    return deviates(rows, i, rows->f->solve.solution.p_joint[i] + a->armature * (rate - before), 1, a->armature);
}

/* Deviation of a motor, dry friction, spring or rotor from the definition of its joint. *rotor: number of rotors before it */
static double extra_left(const joint_rows *rows, int i, int *rotor) {
    const pp_frame *f = rows->f;
    const perp_joint_row *r = &f->pose.problem.joint[i];
    if (r->joint < 0 || r->coord < 0) return 0;
    const perp_joint_axis *a = &f->w->joint[r->joint].def.axis[r->coord];
    if (pp_row_is_servo(f, i)) return servo_left(rows, i);
    double p = f->solve.solution.p_joint[i], h = f->h, rate = rate_of(rows, i) + r->b_kin;
    if (r->kind == PERP_ROW_FRICTION) return deviates(rows, i, fmax(0, fabs(p) - h * a->friction), 1, 0);
    if (r->kind == PERP_ROW_MOTOR) return motor_left(rows, i, rate);
    if (r->kind == PERP_ROW_INERTIA) return rotor_left(rows, i, rate, (*rotor)++);
    if (r->kind != PERP_ROW_SPRING || r->b_kin != 0 || (f->demand.joint_shift && !f->demand.joints)) return 0;
    double stiff = h * a->stiffness + a->damping, x = f->s0->coord[r->joint][r->coord] + h * rate - a->rest;
    return deviates(rows, i, p + h * (a->stiffness * x + a->damping * rate), h, stiff);
}

/* Largest amount by which coordinates exceed their limits [L or rad]. */
static double beyond_limits(const pp_frame *f) {
    double most = 0;
    for (int i = 0; i < f->w->njoint; i++) {
        const pp_joint *j = &f->w->joint[i];
        if (!pp_alive(j->gen)) continue;
        for (int c = 0; c < perp_joint_ncoord(j->def.kind, f->w->def.dim); c++) {
            const perp_joint_axis *a = &j->def.axis[c];
            double x0 = f->s0->coord[i][c], x1 = f->s1->coord[i][c];
            if (!a->limited) continue;
            double was = fmax(a->lo - x0, x0 - a->hi), is = fmax(a->lo - x1, x1 - a->hi);
            if (is > 0 && is > was * (1 + PP_RESIDUAL)) worst(&most, is); /* it need not return at once */
        }
    }
    return most;
}

/* ---- contacts ---- */

static void contact_left(const pp_frame *f, int i, perp_step_residual *law) {
    const perp_world *w = f->w;
    const perp_contact_row *r = &f->pose.problem.contact[i];
    const double *p = f->solve.solution.p_contact + 3 * i;
    const pp_shape *A = &w->shape[f->contacts.shape[2 * i]], *B = &w->shape[f->contacts.shape[2 * i + 1]];
    const perp_pair_law *pair = &w->law[A->material * w->nmaterial + B->material];
    if (r->compliance > 0 || r->compliance_f > 0) return;
    double pf = p[1] * p[1] + (w->def.dim == 3 ? p[2] * p[2] : 0), mu = pair->mu * p[0];
    bool disc = !(r->e_r > 0) && !(r->e_roll > 0) && !(r->e_t > 0) && !(r->e_o > 0);
    if (r->mu != pair->mu) worst(&law->cone, (r->mu - pair->mu) * p[0] * pp_row_inverse_mass(&f->pose.problem, &r->t));
    if (disc && pf > mu * mu * (1 + PP_RESIDUAL))
        worst(&law->cone, (sqrt(pf) - mu) * pp_row_inverse_mass(&f->pose.problem, &r->t));
    /* Gap and rebound are taken from the contact, not from its row. If gaps are measured at the end, a contact with an
     * impulse must not be open there. The separating plane of two bodies may change during the step, so penetration at
     * the end is checked elsewhere. */
    if (f->demand.end_gap && !isnan(f->demand.end_gap[i])) {
        double gap = f->demand.end_gap[i];
        if (p[0] > 0 && gap > 0 && gap > OPEN * fmin(A->g->size, B->g->size) && !(pair->restitution > 0) &&
            !f->demand.allowance)
            worst(&law->normal, gap / f->h);
        return;
    }
    double required = pp_contact_rhs(f, i, r, f->method.jammed), off = fabs(required - r->b_n);
    if (off > 1e-12 * (fabs(required) + fabs(r->b_n))) worst(&law->normal, off);
}

/* ---- creep ---- */

/* Weight of B as the body whose axes count: by mass; a fixed or driven body decides, and a body without orientation does not
 * count. */
static double part_of_b(const pp_frame *f, const int body[2]) {
    double part[2];
    for (int k = 0; k < 2; k++) {
        int blk = f->control.block[body[k]];
        part[k] = blk < 0 ? INFINITY : f->control.block_ndof[blk] > f->w->def.dim ? f->w->body[body[k]].mass : 0;
    }
    return part[0] == INFINITY ? 0 : part[1] == INFINITY || part[0] == 0 ? 1 : part[1] / (part[0] + part[1]);
}

/* Pose of body k at which the contact points of the frame were measured. */
static const perp_pose *contact_pose(const pp_frame *f, int body) {
    bool end = f->task.implicit_turn || f->method.posed_at_end || f->control.block[body] < 0;
    const pp_state *s = f->demand.levers ? f->demand.levers : end ? f->s1 : f->s0;
    return &s->X[body];
}

/* Contact i as creep sees it: by body its lever arm, the part of it that rolls, and the displacement and rotation over the step. */
typedef struct contact_way {
    perp_vec3 lever[2], round[2];
    perp_quat turned[2];  /* in the plane only where it is needed */
    perp_vec3 turning[2]; /* about the rotation vector: tells full turns */
    double size;          /* of the coordinates */
    double turn;          /* upper bound of the sum of the two angles */
    double most;          /* upper bound of the displacement */
} contact_way;

static contact_way way_of(const pp_frame *f, int i, const int *shape, const int *body) {
    const perp_contact *c = &f->contacts.at[i];
    contact_way x = {.size = 0};
    double reach = 0, shifted = 0;
    for (int k = 0; k < 2; k++) {
        const pp_geometry *g = f->w->shape[shape[k]].g;
        const perp_pose *at = contact_pose(f, body[k]), *X0 = &f->s0->X[body[k]], *X1 = &f->s1->X[body[k]];
        x.lever[k] = perp_v3_sub(k ? c->b_W : c->a_W, at->p);
        x.round[k] = perp_v3_scale(k ? -g->radius : g->radius, c->n_W);
        bool plane = g->kind == PERP_SHAPE_HALFSPACE;
        if (g->nvert == 0 && g->nface == 0 && !plane && !(g->radius > 0))
            x.round[k] = x.lever[k]; /* rolls about its centre */
        x.size += perp_v3_norm(X0->p) + perp_v3_norm(x.lever[k]);
        reach += perp_v3_norm(x.round[k]);
        shifted += perp_v3_norm(perp_v3_sub(X1->p, X0->p));
        if (f->w->def.dim == 2) {
            x.turning[k].z = f->s1->theta[body[k]] - f->s0->theta[body[k]];
            x.turn += fabs(x.turning[k].z);
        } else {
            x.turned[k] = perp_q_mul(X1->q, perp_q_conj(X0->q));
            x.turning[k] = f->control.block[body[k]] < 0
                               ? perp_v3_scale(f->h, f->s1->w[body[k]])
                               : perp_v3_scale(0.5 * f->h, perp_v3_add(f->s0->w[body[k]], f->s1->w[body[k]]));
            double about = perp_v3_norm(x.turning[k]);
            x.turn += about < PI ? sqrt(most_turned(x.turned[k])) : about + PI;
        }
    }
    /* points turn about centres, the axes turn, and what is round rolls: each by at most these angles */
    x.most = shifted + 3 * x.turn * (x.size + 2 * reach);
    return x;
}

/* Tangential displacement of B on A at contact i over the step, from the poses at both ends; 0 if at most `told`. If the contact
 * was open at the start, the displacement is uncertain by the gap times the rotation of the bodies. That amount is subtracted. */
static double crept(const pp_frame *f, int i, double told) {
    const perp_world *w = f->w;
    const perp_contact *c = &f->contacts.at[i];
    const int *shape = f->contacts.shape + 2 * i, body[2] = {w->shape[shape[0]].body, w->shape[shape[1]].body};
    const double sign[2] = {-1, 1};
    perp_vec3 from = {0, 0, 0}, to = from, d = from;
    if (same_pose(&f->s0->X[body[0]], &f->s1->X[body[0]]) && same_pose(&f->s0->X[body[1]], &f->s1->X[body[1]]))
        return 0;
    contact_way x = way_of(f, i, shape, body);
    if (!f->control.belt && x.most <= larger(told, ROUNDING * x.size)) return 0;
    double b = part_of_b(f, body);
    for (int k = 0; k < 2; k++) {
        if (w->def.dim == 2) x.turned[k] = perp_q_exp(x.turning[k]);
        perp_vec3 core = perp_q_unrotate(contact_pose(f, body[k])->q, perp_v3_sub(x.lever[k], x.round[k]));
        from = perp_v3_axpy(from, sign[k], perp_pose_apply(f->s0->X[body[k]], core));
        to = perp_v3_axpy(to, sign[k], perp_pose_apply(f->s1->X[body[k]], core));
    }
    for (int k = 0; k < 2; k++) { /* in the axes of body k */
        double part = k ? b : 1 - b;
        if (part == 0) continue;
        perp_vec3 own = pp_q_log_near(x.turned[k], x.turning[k]);
        perp_quat H = perp_q_exp(perp_v3_scale(0.5, own)), back = perp_q_conj(H);
        perp_vec3 t = pp_q_log_near(perp_q_mul(back, perp_q_mul(x.turned[!k], back)), perp_v3_sub(x.turning[!k], own));
        int blk = f->control.block[body[!k]];
        if (blk >= 0 && f->control.block_ndof[blk] == w->def.dim) t = perp_v3(0, 0, 0); /* a particle does not roll */
        d = perp_v3_axpy(d, part, perp_v3_sub(perp_q_unrotate(H, to), perp_q_rotate(H, from)));
        d = perp_v3_axpy(d, part * sign[!k], perp_v3_cross(t, x.round[!k]));
    }
    if (f->control.belt)
        d = perp_v3_axpy(d, f->h, pp_belt_slip(f, shape, false)); /* relative to the surface of a belt */
    d = perp_v3_axpy(d, -perp_v3_dot(d, c->n_W), c->n_W);
    return fmax(0, perp_v3_norm(d) - ROUNDING * x.size - fmax(0, c->gap) * x.turn);
}

static double creep_of(const pp_frame *f) {
    double most = 0;
    for (int i = 0; i < f->contacts.n; i++)
        if (f->contacts.at[i].state == PERP_CONTACT_STICKING) worst(&most, crept(f, i, most));
    return most;
}

/* ---- the laws of the rows again ---- */

/* Upper bounds of the figures of pp_step_contact() for contact i, without masses. Returns false if there are none.
 *   normal       with p_n >= 0 the map min(w, W p_n) is at most |w|, and 0 if p_n = 0 <= w
 *   cone         0: friction is within a disc, or within its line in 2D
 *   dissipation  the map x - P(x - s), x = W p_f, is at most |s|. On the rim, with s opposite to p_f, it is at most the part of s across
 *                p_f; and it changes by at most twice the change of x. This is computed only if |s| exceeds `told`. */
static bool bound_contact(const perp_step_problem *p, int i, const perp_step_solution *s, double told,
                          perp_step_residual *out) {
    const perp_contact_row *c = &p->contact[i];
    const double *imp = s->p_contact + 3 * i;
    double w = pp_row_dot(p, &c->n, s->nu) + c->b_n;
    bool idle = imp[0] == 0 && imp[1] == 0 && imp[2] == 0 && !(c->e_r > 0) && !(c->e_roll > 0);
    if (idle && w >= 0 && w < INFINITY) return true; /* open, and without any impulse */
    if (!(imp[0] >= 0) || c->compliance > 0 || c->compliance_f > 0) return false;
    out->normal = w < 0 ? -w : imp[0] > 0 ? w : 0;
    if (!(c->mu > 0) || c->nd == 0) return imp[1] == 0 && imp[2] == 0;
    bool plane = p->dim == 2 && (c->nd < 0 || c->nd == 2) && c->phase == 0 && imp[2] == 0;
    bool disc = p->dim == 3 && c->nd < 0 && pp_friction_round(c);
    if (!plane && !disc) return false;
    double R = c->mu * imp[0], size = sqrt(imp[1] * imp[1] + imp[2] * imp[2]);
    if (!(size <= R)) return false;
    double st = pp_row_dot(p, &c->t, s->nu) + c->b_t, so = disc ? pp_row_dot(p, &c->o, s->nu) + c->b_o : 0;
    out->dissipation = sqrt(st * st + so * so);
    if (out->dissipation > told && size > 0 && imp[1] * st + imp[2] * so < 0) {
        double W = larger(most_inverse_mass(p, &c->t), disc ? most_inverse_mass(p, &c->o) : 0);
        double rim = fabs(imp[1] * so - imp[2] * st) / size + 2 * W * (R - size);
        out->dissipation = fmin(out->dissipation, rim);
    }
    return true;
}

/* rate: J nu, or NULL; figure: by row as pp_figure_row() lists them, or NULL */
static void recheck_rows(const perp_step_problem *p, const pp_row_figure *figure, const double *rate,
                         const perp_step_solution *s, perp_step_residual *law) {
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        double x = s->p_joint[j], w = (rate ? rate[j] : pp_row_dot(p, &r->row, s->nu)) + r->b + r->compliance * x;
        /* For an impulse within its bounds the residual is at most |w|, in the unit of the row, and 0 if the bound that is reached allows w. */
        bool bounded = r->lo <= x && x <= r->hi && isfinite(x);
        if (bounded && ((x == r->lo && w >= 0) || (x == r->hi && w <= 0))) continue;
        if (!bounded || !figure || !(fabs(w) * figure[j].length <= law->joint))
            worst(&law->joint, pp_step_joint_by(p, figure, j, s));
    }
    for (int i = 0; i < p->ncontact; i++) {
        perp_step_residual bound = {0}, own = {0};
        if (bound_contact(p, i, s, law->dissipation, &bound) && bound.normal <= law->normal &&
            bound.dissipation <= law->dissipation)
            continue;
        pp_step_contact_by(p, figure, i, s, &own);
        worst(&law->normal, own.normal);
        worst(&law->cone, own.cone);
        worst(&law->dissipation, own.dissipation);
    }
}

/* Figures of the rows of the problem, if it is the one that they were computed for. */
static const pp_row_figure *known_figures(const pp_frame *f) {
    const perp_step_problem *p = &f->pose.problem;
    return f->solve.figured[0] == p->njoint && f->solve.figured[1] == p->ncontact ? f->solve.figure : NULL;
}

void pp_recheck_rows(const perp_step_problem *p, const perp_step_solution *s, perp_step_residual *law) {
    recheck_rows(p, NULL, NULL, s, law);
}

/* J nu of the joint rows; NULL if out of memory. */
static double *rates_of(const pp_frame *f) {
    const perp_step_problem *p = &f->pose.problem;
    const double *nu = f->solve.solution.nu;
    double *rate = PP_ARENA_ARRAY(&f->w->arena, double, p->njoint);
    for (int j = 0; rate && j < p->njoint; j++) {
        const perp_row *row = &p->joint[j].row;
        rate[j] = pp_row_in_space(p, row) ? pp_row_dot_in_space(p, row, nu) : pp_row_dot(p, row, nu);
    }
    return rate;
}

void pp_recheck(const pp_frame *f, perp_certificate *cert) {
    cert->creep = creep_of(f);
    cert->twist = pp_twist(f);
    double driven = drive_left(f), *impulse;
    worst(&cert->law.momentum, driven);
    if (f->w->chosen.stepper->step || f->method.nkick || f->method.no_inertia || !f->solve.solution.nu) return;
    const joint_rows rows = {f, known_figures(f), rates_of(f)};
    int rotor = 0;
    recheck_rows(&f->pose.problem, rows.figure, rows.rate, &f->solve.solution, &cert->law);
    for (int i = 0; i < f->pose.problem.njoint; i++) worst(&cert->law.joint, extra_left(&rows, i, &rotor));
    worst(&cert->joint_error, beyond_limits(f));
    for (int i = 0; i < f->contacts.n; i++) contact_left(f, i, &cert->law);
    /* A correction also moves bodies. Then, and with implicit rotations, momentum is checked on the problem. */
    bool states = !f->update.i_correction && impulses(f, &impulse);
    if (!states || f->task.implicit_turn)
        pp_step_momentum(&f->pose.problem, &f->solve.solution, &cert->law.momentum, NULL);
    if (states) momentum_of_blocks(f, impulse, &cert->law.momentum);
    if (states) motion_of_blocks(f, &cert->law.momentum);
}

/* ---- impacts ---- */

static const perp_pair_law *law_of(const pp_frame *f, int i) {
    const perp_world *w = f->w;
    const int *shape = f->contacts.shape + 2 * i;
    return &w->law[w->shape[shape[0]].material * w->nmaterial + w->shape[shape[1]].material];
}

/* Contact i of a pass with the law of its pair: if it closed with u, it separates with -e u or more; friction uses s+ +
 * e_t s. */
static perp_contact_row as_required(const pp_frame *f, int i, bool restitution) {
    const perp_step_problem *p = &f->pose.problem;
    const perp_pair_law *law = law_of(f, i);
    perp_contact_row r = p->contact[i];
    double u = pp_approach(f, i);
    r.b_n = r.b_n_kin;
    r.mu = law->mu;
    if (!restitution || !(u < 0)) return r;
    r.b_n += law->restitution * pp_rebound_factor(f, f->contacts.shape + 2 * i) * u;
    double st = pp_row_dot(p, &r.t, f->control.nu0) + r.b_t,
           so = p->dim == 3 ? pp_row_dot(p, &r.o, f->control.nu0) + r.b_o : 0;
    r.b_t += law->restitution_t * st;
    r.b_o += law->restitution_t * so;
    return r;
}

/* Contact i under a law with phases: it pushes, does not close, friction is in its cone; alone and without friction it
 * separates with -e u. */
static void phases_left(const pp_frame *f, int i, perp_step_residual *law) {
    const perp_step_problem *p = &f->pose.problem;
    const perp_contact_row *r = &p->contact[i];
    const double *q = f->solve.solution.p_contact + 3 * i;
    const perp_pair_law *pair = law_of(f, i);
    double after = pp_row_dot(p, &r->n, f->solve.solution.nu) + r->b_n_kin, u = pp_approach(f, i);
    worst(&law->normal, fmin(0, after));
    worst(&law->normal, fmin(0, q[0]) * pp_row_inverse_mass(p, &r->n));
    double beyond = pp_hypot(q[1], p->dim == 3 ? q[2] : 0) - pair->mu * q[0] * (1 + PP_RESIDUAL);
    bool box = p->dim == 3 && f->w->def.impacts == PERP_IMPACTS_POISSON; /* its friction is a box */
    if (!box) worst(&law->cone, fmax(0, beyond) * pp_row_inverse_mass(p, &r->t));
    if (f->contacts.n == 1 && p->njoint == 0 && pair->mu == 0 && u < 0)
        worst(&law->normal, after + pair->restitution * u);
}

void pp_recheck_impact(const pp_frame *f, bool restitution, perp_certificate *cert) {
    const perp_step_problem *p = &f->pose.problem;
    double *impulse;
    worst(&cert->twist, pp_twist(f));
    bool given = f->demand.rebounds && f->demand.rebounds->none, phases = f->w->def.impacts == PERP_IMPACTS_POISSON;
    phases |= f->w->def.impacts == PERP_IMPACTS_STRONGE && f->solve.residual.normal == 0 && f->solve.acceptance == 0;
    for (int i = 0; phases && i < f->contacts.n && !given; i++) phases_left(f, i, &cert->law);
    perp_contact_row *row = phases ? NULL : PP_ARENA_ARRAY(&f->w->arena, perp_contact_row, f->contacts.n);
    if (row) {
        perp_step_problem required = *p;
        for (int i = 0; i < f->contacts.n; i++) row[i] = as_required(f, i, restitution);
        required.contact = row;
        recheck_rows(&required, known_figures(f), NULL, &f->solve.solution, &cert->law);
    }
    bool states = impulses(f, &impulse);
    if (!states || f->task.implicit_turn) pp_step_momentum(p, &f->solve.solution, &cert->law.momentum, NULL);
    if (states) momentum_of_blocks(f, impulse, &cert->law.momentum);
}

double pp_recheck_shift(const pp_frame *f, const pp_frame *without, double part) {
    double *impulse, most = 0;
    if (!impulses(f, &impulse)) return INFINITY;
    for (int i = 0; without && i < without->pose.problem.njoint; i++)
        add_row(f, &without->pose.problem.joint[i].row, -without->solve.solution.p_joint[i], impulse);
    for (int i = 0; without && i < without->pose.problem.ncontact; i++) {
        const perp_contact_row *c = &without->pose.problem.contact[i];
        const perp_row *row[3] = {&c->n, &c->t, &c->o};
        for (int r = 0; r < f->pose.problem.dim; r++)
            add_row(f, row[r], -without->solve.solution.p_contact[3 * i + r], impulse);
        for (int k = 2; k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(c, k))
                add_row(f, pp_friction_row(c, k), -*pp_friction_impulse(&without->solve.solution, i, k), impulse);
    }
    for (int i = 0; i < f->control.ndof; i++) impulse[i] *= part;
    momentum_of_blocks(f, impulse, &most);
    return most;
}

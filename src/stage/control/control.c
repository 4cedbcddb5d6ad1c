/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* control.c - stage 1: time -> forces, kinematic poses, momentum
 *
 * Method   Forces are evaluated at the start of the step (Berard 2.6). A step is a kick and a free motion. All impulses act at the start pose,
 *          M(q) (nu - nu0) = h f + G p, with inertia, lever arms and directions of one pose. The body then moves freely with the velocity
 *          nu after the kick: on a straight line, and rotating without torque (perp_rotate_free). So the change of energy is the work of
 *          the impulses at the mean of nu0 and nu, energy and momentum of a free body are conserved, and there is no term w x I w. The
 *          rotation vector of the free rotation is h w + bend. Rows use the bend of the unconstrained motion as a known displacement.
 *          Steppers with their own step equations (implicit_turn) use the inertia at the end of the torque-free rotation instead,
 *          M(q') nu+ = M(q) nu + h f + G p, and rotate by h w+ + bend. */
#include <string.h>

#include "stage/control/belt.h"
#include "model/actuator.h"
#include "model/coupling.h"
#include "model/state.h"
#include "stage/control/control.h"
#include "model/budget.h"
#include "math/turn_free.h"
#include "base/elementary.h"

static void add_wrench(perp_wrench *to, perp_vec3 force, perp_vec3 torque) {
    to->force = perp_v3_add(to->force, force);
    to->torque = perp_v3_add(to->torque, torque);
}

/* Adds a force at a point of a body, as a wrench about its centre of mass. */
static void add_at(perp_wrench *to, perp_vec3 force, perp_vec3 r_W) {
    add_wrench(to, force, perp_v3_cross(r_W, force));
}

static bool wrench_finite(perp_wrench f) { return perp_v3_finite(f.force) && perp_v3_finite(f.torque); }

/* A torque tau on joint coordinate c, as equal and opposite wrenches: the transposed row of the coordinate. */
static void apply_coordinate_force(perp_world *w, const pp_joint *j, int c, double tau, perp_wrench *held) {
    const pp_state *s = &w->state;
    if (pp_couples(j)) { /* virtual work: each of its joints gets P' tau */
        for (int k = 0; k < j->def.nterm; k++) {
            const perp_joint_term *t = &j->term[k];
            double coord[PERP_JOINT_MAX_COORD];
            pp_joint_coords_at(w, s, s, (int)t->joint.slot, coord);
            apply_coordinate_force(w, &w->joint[t->joint.slot], t->coord, tau * pp_term_slope(t, coord[t->coord]),
                                   held);
        }
        return;
    }
    pp_joint_side side[2];
    perp_joint_row row[PP_JOINT_MAX_ROWS];
    perp_joint_def def = j->def;
    int slot[2] = {j->a, j->b};
    /* a motor row of this coordinate alone is its Jacobian; blocks 0 and 1 are the two sides */
    for (int k = 0; k < 2; k++) {
        side[k] = pp_side(w, s, slot[k], NULL);
        side[k].block = side[k].ndof > 0 ? k : -1;
    }
    memset(def.axis, 0, sizeof def.axis);
    def.axis[c].motor = true;
    def.axis[c].motor_force = 1; /* a motor without force would have no row */
    int n = pp_joint_rows(&def, w->def.dim, &side[0], &side[1], s->coord[j - w->joint], 1, INFINITY, row);
    if (n == 0 || row[n - 1].kind != PERP_ROW_MOTOR) return; /* an angle of a particle: nothing can rotate */
    const perp_joint_row *r = &row[n - 1];                   /* bilateral rows come first, the motor row last */
    for (int e = 0; e < 2; e++) {
        int b = r->row.block[e];
        if (b < 0) continue;
        const double *J = r->row.J[e];
        bool planar = w->def.dim == 2;
        int nd = side[b].ndof;
        perp_vec3 F = {J[0], J[1], planar ? 0 : J[2]}, T = {0, 0, 0};
        if (planar && nd == 3) T.z = J[2];
        if (!planar && nd == 6) T = perp_v3(J[3], J[4], J[5]);
        add_wrench(&held[slot[b]], perp_v3_scale(tau, F), perp_v3_scale(tau, T));
    }
}

perp_status pp_control_held(perp_world *w, const perp_wrench **out) {
    *out = NULL;
    bool any = false;
    for (int i = 0; i < w->nforce; i++)
        any |= pp_alive(w->force[i].gen) &&
               (w->force[i].def.kind == PERP_FORCE_USER || w->force[i].def.kind == PERP_FORCE_PD);
    any |= w->robot.nactuator > w->robot.dead_actuator;
    if (!any) return PERP_OK;
    perp_wrench *held = PP_ARENA_ZERO(&w->arena, perp_wrench, w->nbody);
    if (!held) return pp_fail(w, PERP_E_MEMORY, "out of memory for held forces");
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (!pp_alive(e->gen)) continue;
        if (e->def.kind == PERP_FORCE_USER) {
            perp_wrench f = {{0, 0, 0}, {0, 0, 0}};
            e->def.user(w, w->state.t, &f, e->def.ctx);
            if (!wrench_finite(f))
                return pp_fail(w, PERP_E_ARG,
                               "force element %d: the user function gave a wrench that is not finite at t = %g", i,
                               w->state.t);
            add_wrench(&held[e->b], f.force, f.torque);
        } else if (e->def.kind == PERP_FORCE_PD) {
            const pp_joint *j = &w->joint[e->joint];
            double coord[PERP_JOINT_MAX_COORD], rate[PERP_JOINT_MAX_COORD];
            pp_joint_coords_at(w, &w->state, &w->state, e->joint, coord); /* a body may have been moved since */
            pp_joint_rates_at(w, &w->state, e->joint, rate);
            double tau = e->def.kp * (e->def.target - coord[e->def.coord]) +
                         e->def.kd * (e->def.target_rate - rate[e->def.coord]);
            if (tau > e->def.max_force) tau = e->def.max_force;
            if (tau < -e->def.max_force) tau = -e->def.max_force;
            apply_coordinate_force(w, j, e->def.coord, tau, held);
        }
    }
    for (int i = 0; i < w->robot.nactuator; i++) {
        const pp_actuator *a = &w->robot.actuator[i];
        pp_servo servo = pp_servo_of(&a->def);
        if (!pp_alive(a->gen) || pp_servo_acts_back(&servo)) continue; /* servos are rows */
        apply_coordinate_force(w, &w->joint[a->joint], a->def.coord, pp_servo_force(&servo), held);
    }
    *out = held;
    return PERP_OK;
}

/* Spring and damper between two points (Berard 2.125-2.133): equal and opposite forces on the line of the spring, and a
 * drag on the whole relative velocity. At zero length the line has no direction, and only the drag acts. */
static void spring(const perp_world *w, const pp_state *s, const pp_force *e, perp_wrench *elastic,
                   perp_wrench *lossy) {
    pp_spring_now x = pp_spring_at(w, s, e);
    perp_vec3 F = perp_v3_scale(-e->def.damping * perp_v3_dot(x.v, x.u), x.u);
    F = perp_v3_axpy(F, -e->def.drag, x.v);
    add_at(&elastic[e->b], x.force, x.rb);
    add_at(&lossy[e->b], F, x.rb);
    if (e->a < 0) return;
    add_at(&elastic[e->a], perp_v3_neg(x.force), x.ra);
    add_at(&lossy[e->a], perp_v3_neg(F), x.ra);
}

static void drive(const perp_world *w, const pp_state *s, const pp_force *e, perp_wrench *f) {
    perp_quat q = s->X[e->b].q;
    perp_vec3 F = e->def.wrench.force, T = e->def.wrench.torque;
    if (e->def.body_frame) {
        F = perp_q_rotate(q, F);
        T = perp_q_rotate(q, T);
    }
    double a = e->def.kind == PERP_FORCE_SINUSOID ? pp_sin(e->def.omega * s->t + e->def.phase) : 1;
    (void)w;
    add_at(&f[e->b], perp_v3_scale(a, F), perp_q_rotate(q, e->def.point_B));
    f[e->b].torque = perp_v3_axpy(f[e->b].torque, a, T);
}

/* ndof components of a wrench times h. */
static void to_dofs(int dim, int ndof, double h, perp_wrench f, double *out) {
    out[0] = h * f.force.x;
    out[1] = h * f.force.y;
    if (dim == 2) {
        if (ndof == 3) out[2] = h * f.torque.z;
        return;
    }
    out[2] = h * f.force.z;
    if (ndof == 6) {
        out[3] = h * f.torque.x;
        out[4] = h * f.torque.y;
        out[5] = h * f.torque.z;
    }
}

/* Numbers the dynamic bodies and allocates the arrays that depend on their number. */
static perp_status number_blocks(pp_frame *f) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    f->control.block = PP_ARENA_ARRAY(a, int, w->nbody);
    f->control.block_body = PP_ARENA_ARRAY(a, int, w->nbody);
    f->control.block_ndof = PP_ARENA_ARRAY(a, int, w->nbody);
    f->control.block_offset = PP_ARENA_ARRAY(a, int, w->nbody);
    if (!f->control.block || !f->control.block_body || !f->control.block_ndof || !f->control.block_offset)
        return PERP_E_MEMORY;
    f->control.nblock = f->control.ndof = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        f->control.block[i] = -1;
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC || (f->task.acts && !f->task.acts[i])) continue;
        int k = f->control.nblock++;
        f->control.block[i] = k;
        f->control.block_body[k] = i;
        f->control.block_ndof[k] = pp_ndof(w, b);
        f->control.block_offset[k] = f->control.ndof;
        f->control.ndof += f->control.block_ndof[k];
    }
    f->control.nu0 = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->control.i_gravity = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->control.i_applied = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->control.i_spring = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->control.i_damper = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->control.momentum = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->control.M = PP_ARENA_ZERO(a, double, 36 * f->control.nblock);
    f->control.Minv = PP_ARENA_ZERO(a, double, 36 * f->control.nblock);
    f->control.q_free = PP_ARENA_ARRAY(a, perp_quat, f->control.nblock);
    f->control.w_free = PP_ARENA_ARRAY(a, perp_vec3, f->control.nblock);
    f->control.bend = PP_ARENA_ZERO(a, perp_vec3, f->control.nblock);
    bool ok = f->control.nu0 && f->control.i_gravity && f->control.i_applied && f->control.i_spring &&
              f->control.i_damper && f->control.momentum && f->control.M && f->control.Minv && f->control.q_free &&
              f->control.w_free && f->control.bend;
    return ok ? PERP_OK : PERP_E_MEMORY;
}

static void put_angular(double *block, perp_mat3 m) {
    for (int c = 0; c < 3; c++) {
        double *col = block + 6 * (3 + c) + 3;
        col[0] = m.c[c].x;
        col[1] = m.c[c].y;
        col[2] = m.c[c].z;
    }
}

void pp_put_inertia(const pp_body *b, perp_quat q, double *M, double *Minv) {
    /* isotropic: the same in all frames, without rounding */
    put_angular(M, b->isotropic ? b->I_B : perp_inertia_rotate(q, b->I_B));
    put_angular(Minv, b->isotropic ? b->I_inv_B : perp_inertia_rotate(q, b->I_inv_B));
}

/* Rotation vector from q0 to q1, the one nearest to hw, minus hw. */
static perp_vec3 bend_of(perp_quat q0, perp_quat q1, perp_vec3 hw) {
    return perp_v3_sub(pp_q_log_near(perp_q_mul(q1, perp_q_conj(q0)), hw), hw);
}

double pp_row_bend(const pp_frame *f, const perp_row *row) {
    double sum = 0;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0 || f->control.block_ndof[b] != 6) continue;
            sum += row->J[k][3] * f->control.bend[b].x + row->J[k][4] * f->control.bend[b].y +
                   row->J[k][5] * f->control.bend[b].z;
        }
    return sum;
}

/* Mass matrix, its inverse and the initial momentum of block k. */
static void block_mass(pp_frame *f, int k) {
    const perp_world *w = f->w;
    int slot = f->control.block_body[k], nd = f->control.block_ndof[k], lin = w->def.dim;
    const pp_body *b = &w->body[slot];
    const pp_state *s = f->s0;
    double *M = f->control.M + 36 * k, *Mi = f->control.Minv + 36 * k,
           *nu = f->control.nu0 + f->control.block_offset[k], *mom = f->control.momentum + f->control.block_offset[k];
    double v[3] = {s->v[slot].x, s->v[slot].y, s->v[slot].z};
    for (int i = 0; i < 3 && i < lin; i++) {
        M[7 * i] = b->mass;
        Mi[7 * i] = 1 / b->mass;
        nu[i] = v[i];
        mom[i] = b->mass * v[i];
    }
    f->control.q_free[k] = s->X[slot].q;
    f->control.w_free[k] = s->w[slot];
    if (nd == lin) return; /* a particle */
    if (lin == 2) {
        M[14] = b->I_B.c[2].z;
        Mi[14] = 1 / M[14];
        nu[2] = s->w[slot].z;
        mom[2] = M[14] * nu[2];
        return;
    }
    perp_vec3 om = s->w[slot];
    perp_quat q = s->X[slot].q;
    perp_vec3 L = perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, om)));
    pp_put_inertia(b, q, M, Mi);
    nu[3] = om.x, nu[4] = om.y, nu[5] = om.z;
    mom[3] = L.x, mom[4] = L.y, mom[5] = L.z;
}

/* Rotation of block k without constraints: q_free, w_free, bend. */
static perp_status free_turn(pp_frame *f, int k) {
    int slot = f->control.block_body[k], at = f->control.block_offset[k] + 3;
    const pp_body *b = &f->w->body[slot];
    if (f->control.block_ndof[k] != 6) return PERP_OK;
    perp_vec3 torque = perp_v3(0, 0, 0); /* angular impulse of the forces */
    double *t[3] = {&torque.x, &torque.y, &torque.z};
    for (int i = 0; i < 3; i++) *t[i] = pp_force_impulse(f, at + i);
    perp_quat q = f->s0->X[slot].q;
    perp_vec3 kick = perp_q_rotate(q, perp_m3_mul_v(b->I_inv_B, perp_q_unrotate(q, torque)));
    perp_vec3 om = perp_v3_add(f->s0->w[slot], kick);
    if (f->task.implicit_turn) om = f->s0->w[slot];
    f->control.w_free[k] = om;
    pp_budget_turn(f->w, b, f->h, om);
    if (!perp_rotate_free(b->I_B, f->h, &f->control.q_free[k], &f->control.w_free[k]))
        return pp_fail(f->w, PERP_E_SOLVE, "body %d (%s) turns too far in one step: |w| h = %g", slot,
                       b->name ? b->name : "", perp_v3_norm(om) * f->h);
    if (b->isotropic) return PERP_OK;
    f->control.bend[k] =
        bend_of(q, f->control.q_free[k], perp_v3_scale(f->h, f->task.implicit_turn ? f->control.w_free[k] : om));
    if (f->task.implicit_turn) pp_put_inertia(b, f->control.q_free[k], f->control.M + 36 * k, f->control.Minv + 36 * k);
    return PERP_OK;
}

static perp_status move_kinematic(pp_frame *f) {
    const perp_world *w = f->w;
    pp_state *s1 = f->s1;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_KINEMATIC || !b->motion) continue;
        perp_pose X0 = f->s0->X[i];
        if (!pp_motion_advance(b->motion, f->s0->t, f->s0->t + f->h, X0, f->s0->theta[i], &s1->X[i], &s1->theta[i]))
            return pp_fail(f->w, PERP_E_ARG,
                           "body %d (%s): its motion gave a pose that is not finite, not planar in 2D or not a unit "
                           "quaternion at t = %g",
                           i, b->name ? b->name : "", f->s0->t + f->h);
        s1->v[i] = perp_v3_scale(1 / f->h, perp_v3_sub(s1->X[i].p, X0.p));
        if (w->def.dim == 2)
            s1->w[i] = perp_v3(0, 0, (s1->theta[i] - f->s0->theta[i]) / f->h);
        else
            s1->w[i] = perp_v3_scale(1 / f->h, pp_motion_turn(b->motion, f->s0->t, f->s0->t + f->h, X0.q, s1->X[i].q));
    }
    return PERP_OK;
}

/* Velocities of kinematic bodies at the time t + later; at the time t they have the poses of `at`. Central differences
 * over h: second order for any kind of motion. Velocities of other bodies are not changed. */
static perp_status velocities_at(const pp_frame *f, double t, double later, const pp_state *at, perp_vec3 *v,
                                 perp_vec3 *omega) {
    const perp_world *w = f->w;
    double half = f->h / 2, then = t + later;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_KINEMATIC || !b->motion) continue;
        perp_pose before, after;
        double angle_before, angle_after;
        if (!pp_motion_advance(b->motion, t, then - half, at->X[i], at->theta[i], &before, &angle_before) ||
            !pp_motion_advance(b->motion, t, then + half, at->X[i], at->theta[i], &after, &angle_after))
            return pp_fail(f->w, PERP_E_ARG, "body %d (%s): its motion gave no pose near t = %g", i,
                           b->name ? b->name : "", then);
        v[i] = perp_v3_scale(1 / f->h, perp_v3_sub(after.p, before.p));
        omega[i] =
            w->def.dim == 2
                ? perp_v3(0, 0, (angle_after - angle_before) / f->h)
                : perp_v3_scale(1 / f->h, pp_motion_turn(b->motion, then - half, then + half, before.q, after.q));
    }
    return PERP_OK;
}

perp_status pp_driven_velocities(const pp_frame *f, double later, perp_vec3 *v, perp_vec3 *omega) {
    return velocities_at(f, f->s0->t, later, f->s0, v, omega);
}

/* The same in new arrays. */
static perp_status new_velocities(pp_frame *f, double t, const pp_state *at, perp_vec3 **v, perp_vec3 **omega) {
    perp_world *w = f->w;
    *v = PP_ARENA_ARRAY(&w->arena, perp_vec3, w->nbody);
    *omega = PP_ARENA_ARRAY(&w->arena, perp_vec3, w->nbody);
    if (!*v || !*omega) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    for (int i = 0; i < w->nbody; i++) {
        (*v)[i] = f->s1->v[i];
        (*omega)[i] = f->s1->w[i];
    }
    return velocities_at(f, t, 0, at, *v, *omega);
}

/* Sets poses and velocities of driven bodies in the frame. */
static perp_status drive_bodies(pp_frame *f) {
    double t = f->s0->t;
    if (f->purpose == PP_END_KICK || f->purpose == PP_IMPACT) /* they are already there */
        return velocities_at(f, t, 0, f->s0, f->s1->v, f->s1->w);
    perp_status st = move_kinematic(f);
    /* half kicks use both ends */
    if (!st && f->w->def.driven == PERP_DRIVEN_END && !f->task.half)
        st = new_velocities(f, t + f->h, f->s1, &f->control.end_v, &f->control.end_w);
    if (!st && f->task.half) st = new_velocities(f, t, f->s0, &f->control.start_v, &f->control.start_w);
    return st;
}

perp_status pp_control(pp_frame *f) {
    perp_world *w = f->w;
    perp_status st = number_blocks(f);
    if (st) return pp_fail(w, st, "out of memory for the step");
    st = drive_bodies(f);
    if (!st) st = pp_belts(f);
    if (st) return st;

    perp_wrench *applied = PP_ARENA_ZERO(&w->arena, perp_wrench, w->nbody);
    perp_wrench *springs = PP_ARENA_ZERO(&w->arena, perp_wrench, w->nbody);
    perp_wrench *dampers = PP_ARENA_ZERO(&w->arena, perp_wrench, w->nbody);
    if (!applied || !springs || !dampers) return pp_fail(w, PERP_E_MEMORY, "out of memory for forces");
    bool forces = f->purpose != PP_START_FREE && f->purpose != PP_IMPACT;
    double span = f->task.half ? f->h / 2 : f->h;
    for (int i = 0; forces && i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (!pp_alive(e->gen)) continue;
        if (e->def.kind == PERP_FORCE_SPRING)
            spring(w, f->task.force_state ? f->task.force_state : f->s0, e, springs, dampers);
        if (e->def.kind == PERP_FORCE_CONSTANT || e->def.kind == PERP_FORCE_SINUSOID) drive(w, f->s0, e, applied);
    }
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], at = f->control.block_offset[k], nd = f->control.block_ndof[k];
        const pp_body *b = &w->body[slot];
        block_mass(f, k);
        perp_wrench g = {b->no_gravity ? perp_v3(0, 0, 0) : perp_v3_scale(b->mass, w->def.gravity_W), {0, 0, 0}};
        add_wrench(&applied[slot], b->force_W, b->torque_W);
        if (f->task.held) add_wrench(&applied[slot], f->task.held[slot].force, f->task.held[slot].torque);
        if (forces) {
            to_dofs(w->def.dim, nd, span, g, f->control.i_gravity + at);
            to_dofs(w->def.dim, nd, span, applied[slot], f->control.i_applied + at);
            to_dofs(w->def.dim, nd, span, springs[slot], f->control.i_spring + at);
            to_dofs(w->def.dim, nd, span, dampers[slot], f->control.i_damper + at);
        }
        for (int i = at; i < at + nd; i++) f->control.momentum[i] += pp_force_impulse(f, i);
        if ((st = free_turn(f, k))) return st;
    }
    return pp_check_springs(f);
}

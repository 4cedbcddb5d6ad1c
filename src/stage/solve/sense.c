/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sense.c - stores impulses and velocity changes of a step for the sensors of a world
 *
 * Method   Impulses are summed over the substeps of a step. They are divided by its length when they are read. Impulses on a body are summed
 *          about its centre of mass at the start of the substep, to which the lever arms of rows refer.
 * Cost     A loop over joint rows and contacts for each force sensor; nothing in a world without sensors. */
#include "stage/solve/sense.h"

#include "model/actuator.h"
#include "model/state.h"

static void add_wrench(const pp_frame *f, pp_sensor *s, double sign, perp_vec3 at, perp_vec3 force, perp_vec3 torque) {
    perp_vec3 arm = perp_v3_sub(at, f->s0->X[s->b].p);
    s->push.force = perp_v3_axpy(s->push.force, sign, force);
    s->push.torque = perp_v3_axpy(s->push.torque, sign, perp_v3_add(torque, perp_v3_cross(arm, force)));
}

/* +1: the sensor's body B is the joint's B; -1: it is the joint's A; 0: the joint is not between the two bodies. */
static double side_of(const pp_sensor *s, const pp_joint *j) {
    if (j->b == s->b && j->a == s->a) return 1;
    return j->a == s->b && j->b == s->a ? -1 : 0;
}

/* Adds the impulse p along a row of a joint. */
static void add_row(const pp_frame *f, pp_sensor *s, const perp_joint_row *r, const pp_joint *j, double p) {
    double sign = side_of(s, j);
    if (sign == 0) return;
    pp_joint_side b = pp_side(f->w, f->s0, j->b, f->control.block);
    perp_wrench on_b = pp_joint_row_wrench(r, f->w->def.dim, &b, &j->def, p);
    add_wrench(f, s, sign, perp_v3_add(b.X_WB.p, perp_q_rotate(b.X_WB.q, j->def.X_BJ.p)), on_b.force, on_b.torque);
}

static void add_joints(const pp_frame *f, pp_sensor *s) {
    const perp_world *w = f->w;
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        if (r->joint < 0) continue; /* it belongs to no joint */
        double p = pp_shown_impulse(&f->solve, i);
        if (s->kind != PERP_SENSOR_JOINT_FORCE)
            add_row(f, s, r, &w->joint[r->joint], p);
        else if (r->joint == s->joint && r->kind != PERP_ROW_JOINT && r->coord == s->coord)
            s->along += r->against ? -p : p;
    }
    for (int i = 0; i < w->robot.nactuator; i++) { /* actuator forces that are known in advance have no rows */
        const pp_actuator *a = &w->robot.actuator[i];
        pp_servo servo = pp_servo_of(&a->def);
        if (!pp_alive(a->gen) || pp_servo_acts_back(&servo)) continue;
        const pp_joint *j = &w->joint[a->joint];
        double p = f->h * pp_servo_force(&servo);
        perp_joint_row r;
        pp_joint_side side[2] = {pp_side(w, f->s0, j->a, f->control.block), pp_side(w, f->s0, j->b, f->control.block)};
        if (s->kind == PERP_SENSOR_JOINT_FORCE)
            s->along += a->joint == s->joint && a->def.coord == s->coord ? p : 0;
        else if (side_of(s, j) != 0 &&
                 pp_joint_coordinate_row(&j->def, w->def.dim, &side[0], &side[1], a->def.coord, &r))
            add_row(f, s, &r, j, p);
    }
}

static void add_contacts(const pp_frame *f, pp_sensor *s) {
    bool all = s->a < 0;
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact *c = &f->contacts.at[i];
        const int *shape = f->contacts.shape + 2 * i;
        int a = f->w->shape[shape[0]].body, b = f->w->shape[shape[1]].body;
        double sign = b == s->b && (all || a == s->a) ? 1 : a == s->b && (all || b == s->a) ? -1 : 0;
        if (sign == 0) continue;
        const double *p = f->solve.solution.p_contact + 3 * i;
        perp_vec3 P = perp_v3_axpy(perp_v3_axpy(perp_v3_scale(p[0], c->n_W), p[1], c->t_W), p[2], c->o_W);
        add_wrench(f, s, sign, sign > 0 ? c->b_W : c->a_W, P,
                   perp_v3_axpy(pp_roll_impulse_W(f, i), pp_spin_impulse(f, i), c->n_W));
    }
}

void pp_sense_impulses(const pp_frame *f, bool add) {
    perp_world *w = f->w;
    for (int i = 0; i < w->robot.nsensor; i++) {
        pp_sensor *s = &w->robot.sensor[i];
        if (!pp_alive(s->gen)) continue;
        if (!add) {
            s->along = s->span = 0;
            s->push = (perp_wrench){{0, 0, 0}, {0, 0, 0}};
        }
        s->span = w->def.h;
        bool between = s->kind == PERP_SENSOR_FORCE || s->kind == PERP_SENSOR_TORQUE;
        bool contacts = s->kind == PERP_SENSOR_CONTACT_FORCE || s->kind == PERP_SENSOR_CONTACT_TORQUE;
        if (between || s->kind == PERP_SENSOR_JOINT_FORCE) add_joints(f, s);
        if (contacts || (between && !s->joints_only && s->a >= 0)) add_contacts(f, s);
    }
}

/* Shown velocity of the origin of a site. */
static perp_vec3 velocity_of(const perp_world *w, const pp_state *s, const pp_site *site) {
    pp_joint_side b = pp_shown_side(w, s, site->body);
    return perp_v3_add(b.v, perp_v3_cross(b.w, perp_q_rotate(b.X_WB.q, site->X_BS.p)));
}

void pp_sense_motion(perp_world *w, const pp_state *before, const pp_state *after) {
    for (int i = 0; i < w->robot.nsensor; i++) {
        pp_sensor *s = &w->robot.sensor[i];
        if (!pp_alive(s->gen) || s->kind != PERP_SENSOR_ACCELEROMETER) continue;
        const pp_site *site = &w->robot.site[s->site];
        s->gained = perp_v3_sub(velocity_of(w, after, site), velocity_of(w, before, site));
        s->span = w->def.h;
    }
}

void pp_sense_nothing(perp_world *w) {
    for (int i = 0; i < w->robot.nsensor; i++) w->robot.sensor[i].span = 0;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* actuator.c - actuators as laws of a joint coordinate, and as rows of the step problem. See actuator.h. */
#include "model/actuator.h"

#include "model/coupling.h"
#include "model/state.h"

static double clip(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

pp_servo pp_servo_of(const perp_actuator_def *def) {
    double g = def->gear, c = def->ctrl_scale * clip(def->ctrl, def->ctrl_lo, def->ctrl_hi) + def->ctrl_offset;
    pp_servo s = {0};
    switch (def->kind) {
    case PERP_ACTUATOR_POSITION:
        s.f0 = g * def->kp * c;
        s.k = g * g * def->kp;
        s.d = g * g * def->kv;
        break;
    case PERP_ACTUATOR_VELOCITY:
        s.f0 = g * def->kv * c;
        s.d = g * g * def->kv;
        break;
    default: s.f0 = g * c;
    }
    s.lo = clip(g > 0 ? g * def->force_lo : g * def->force_hi, def->joint_lo, def->joint_hi);
    s.hi = clip(g > 0 ? g * def->force_hi : g * def->force_lo, def->joint_lo, def->joint_hi);
    return s;
}

/* Writes ctrl of the actuators that a function drives. If one is not finite, none is written. */
static perp_status ask(perp_world *w) {
    double end = w->state.t + w->def.h;
    for (int i = 0; i < w->robot.nactuator; i++) {
        pp_actuator *a = &w->robot.actuator[i];
        if (!pp_alive(a->gen) || !a->def.ctrl_fn) continue;
        a->asked = a->def.ctrl_fn(w, end, a->def.ctrl_ctx);
        if (!isfinite(a->asked))
            return pp_fail(w, PERP_E_ARG, "the function of ctrl of actuator %s gives %g at t = %g; it must be finite",
                           a->name ? a->name : "without a name", a->asked, end);
    }
    for (int i = 0, row = 0; i < w->robot.nactuator; i++) {
        const pp_actuator *a = &w->robot.actuator[i];
        if (!pp_alive(a->gen)) continue;
        if (a->def.ctrl_fn) w->robot.ctrl[row] = a->asked;
        row++;
    }
    return PERP_OK;
}

perp_status pp_ctrl_take(perp_world *w) {
    int n = w->robot.nactuator - w->robot.dead_actuator;
    perp_status st = ask(w);
    if (st) return st;
    for (int i = 0; i < n; i++)
        if (!isfinite(w->robot.ctrl[i]))
            return pp_fail(w, PERP_E_ARG, "ctrl[%d] is %g; it must be finite", i, w->robot.ctrl[i]);
    for (int i = 0, row = 0; i < w->robot.nactuator; i++) {
        pp_actuator *a = &w->robot.actuator[i];
        if (!pp_alive(a->gen)) continue;
        double ctrl = w->robot.ctrl[row++];
        if (a->def.ctrl == ctrl) continue;
        a->def.ctrl = ctrl;
        pp_joint_forces_were_set(w, a->joint);
    }
    return PERP_OK;
}

void pp_servo_row(const pp_servo *s, double x, double span, perp_joint_row *r) {
    double stiff = span * s->k + s->d;
    r->b = (s->k * x - s->f0 + s->d * r->b_kin) / stiff;
    r->compliance = 1 / (span * stiff);
    r->lo = span * s->lo;
    r->hi = span * s->hi;
}

int pp_servo_rows(perp_world *w, const pp_state *s, const pp_state *last, const int *block, double span,
                  perp_joint_row *rows, int *number) {
    int n = 0;
    for (int i = 0; i < w->robot.nactuator; i++) {
        const pp_actuator *act = &w->robot.actuator[i];
        pp_servo servo = pp_servo_of(&act->def);
        if (!pp_alive(act->gen) || !pp_servo_acts_back(&servo)) continue;
        double coord[PERP_JOINT_MAX_COORD];
        int found = pp_joint_coordinate_row_at(w, s, last, block, act->joint, act->def.coord, &rows[n]);
        if (found < 0) return -1;
        if (found == 0) continue;
        pp_joint_coords_at(w, s, last, act->joint, coord);
        pp_servo_row(&servo, coord[act->def.coord], span, &rows[n]);
        if (number) number[n] = PP_JOINT_OWN_ROWS + act->def.coord;
        n++;
    }
    return n;
}

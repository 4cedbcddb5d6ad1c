/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* armature.c - inertia on joint coordinates. See armature.h. */
#include "model/armature.h"

#include <stddef.h>
#include <string.h>

#include "model/state.h"

bool pp_has_armature(const perp_world *w) {
    for (int i = 0; i < w->njoint; i++)
        for (int c = 0; pp_alive(w->joint[i].gen) && c < PERP_JOINT_MAX_COORD; c++)
            if (w->joint[i].def.axis[c].armature > 0) return true;
    return false;
}

/* Free rotation of a body for a time. A body that would rotate too far for perp_rotate_free() stays as it is. */
static pp_free_turn turned(const pp_body *b, double time, perp_quat q, perp_vec3 w) {
    pp_free_turn t = {.I_B = &b->I_B, .time = time, .from = q, .to = q, .w_from = w, .w_to = w};
    if (b->kind != PERP_BODY_DYNAMIC || b->particle || b->isotropic)
        t.to = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(time, w)), q));
    else
        (void)pp_rotate_kept(&t);
    return t;
}

/* Orientation and angular velocity of the body in `slot` after a free rotation for a time, computed once. body, known: slots + 1 and rotations */
static void turn(const perp_world *w, int slot, double time, int *body, pp_free_turn *known, perp_quat *q,
                 perp_vec3 *om) {
    int at = slot % PP_FREE_TURNS;
    if (body[at] != slot + 1 || !pp_turn_starts(&known[at], &w->body[slot].I_B, time, q, om))
        known[at] = turned(&w->body[slot], time, *q, *om);
    body[at] = slot + 1;
    *q = known[at].to;
    *om = known[at].w_to;
}

/* A side of a joint after free motion for a time. */
static pp_joint_side moved(const perp_world *w, const pp_joint_side *from, int slot, double time, int *body,
                           pp_free_turn *known) {
    pp_joint_side s = *from;
    if (slot < 0 || time == 0) return s;
    s.X_WB.p = perp_v3_axpy(s.X_WB.p, time, s.v);
    if (w->def.dim == 3) {
        turn(w, slot, time, body, known, &s.X_WB.q, &s.w);
        return s;
    }
    s.theta += time * s.w.z;
    s.X_WB = perp_pose_2d(s.X_WB.p.x, s.X_WB.p.y, s.theta);
    return s;
}

/* which: 0 or 1, the part of `found` for this time */
static double rate_after(const perp_world *w, const pp_joint *j, const pp_joint_side side[2], double time, int coord,
                         pp_free_turns *found, int which) {
    double rate[PERP_JOINT_MAX_COORD];
    int *body = found->body[which];
    pp_joint_side a = moved(w, &side[0], j->a, time, body, found->turn[which]),
                  b = moved(w, &side[1], j->b, time, body, found->turn[which]);
    pp_joint_rates(&j->def, w->def.dim, &a, &b, rate);
    return rate[coord];
}

/* The same for a hinge in space, which needs only how its bodies rotate. */
static double hinge_rate_after(const perp_world *w, const pp_joint *j, const perp_quat from[2], const perp_vec3 om[2],
                               double time, pp_free_turns *found, int which) {
    const int slot[2] = {j->a, j->b};
    perp_quat q[2] = {from[0], from[1]};
    perp_vec3 rate[2] = {om[0], om[1]};
    for (int e = 0; e < 2; e++)
        if (slot[e] >= 0 && time != 0) turn(w, slot[e], time, found->body[which], found->turn[which], &q[e], &rate[e]);
    return pp_joint_hinge_rate(&j->def, q, rate);
}

/* Inputs of pp_rotor_rate(). Of a hinge in space only those that it needs, which are the first. */
static void gather(const pp_rotor_kick *k, const pp_joint *j, bool hinge, pp_rotor_motion *m) {
    const int slot[2] = {j->a, j->b};
    const perp_vec3 zero = {0, 0, 0};
    const pp_state *s = k->before, *moving = k->moving;
    bool shown = moving->lag == 0 || k->part == 1;
    m->back = k->back;
    m->ahead = k->ahead;
    for (int e = 0; e < 2; e++) {
        int i = slot[e];
        m->q[e] = i < 0 ? perp_q_identity() : s->X[i].q;
        m->w[e] = i < 0 ? zero : s->w[i];
        m->moving_w[e] = i < 0   ? zero
                         : shown ? pp_shown_w(moving, i)
                                 : perp_v3_axpy(moving->w[i], k->part, moving->dw[i]);
        if (hinge) continue;
        m->p[e] = i < 0 ? zero : s->X[i].p;
        m->v[e] = i < 0 ? zero : s->v[i];
        m->moving_v[e] = i < 0   ? zero
                         : shown ? pp_shown_v(moving, i)
                                 : perp_v3_axpy(moving->v[i], k->part, moving->dv[i]);
        m->theta[e] = i < 0 ? 0 : s->theta[i];
    }
}

static double hinge_rotor_rate(const perp_world *w, const pp_joint *j, const pp_rotor_motion *m, pp_free_turns *found) {
    double rate = pp_joint_hinge_rate(&j->def, m->q, m->w);
    if (m->back == 0 && m->ahead == 0) return rate;
    double ahead = hinge_rate_after(w, j, m->q, m->moving_w, m->ahead, found, 0);
    return rate - (ahead - hinge_rate_after(w, j, m->q, m->moving_w, -m->back, found, 1));
}

static double rotor_rate(const perp_world *w, const pp_joint *j, int coord, const pp_rotor_motion *m,
                         pp_free_turns *found) {
    const int slot[2] = {j->a, j->b};
    pp_joint_side at[2], moving[2];
    for (int e = 0; e < 2; e++) {
        at[e] = (pp_joint_side){.X_WB = {m->p[e], m->q[e]},
                                .theta = m->theta[e],
                                .v = m->v[e],
                                .w = m->w[e],
                                .ndof = slot[e] < 0 ? 0 : pp_ndof(w, &w->body[slot[e]]),
                                .block = -1};
        moving[e] = at[e];
        moving[e].v = m->moving_v[e];
        moving[e].w = m->moving_w[e];
    }
    double rate = rate_after(w, j, at, 0, coord, found, 0);
    if (m->back == 0 && m->ahead == 0) return rate;
    double ahead = rate_after(w, j, moving, m->ahead, coord, found, 0);
    return rate - (ahead - rate_after(w, j, moving, -m->back, coord, found, 1));
}

/* "rate before" of a rotor whose joint, coordinate and motion are in x. */
static double rate_before(const perp_world *w, const pp_rotor_known *x, bool hinge, pp_free_turns *found) {
    const pp_joint *j = &w->joint[x->joint];
    return hinge ? hinge_rotor_rate(w, j, &x->motion, found) : rotor_rate(w, j, x->coord, &x->motion, found);
}

double pp_rotor_rate(const perp_world *w, const pp_rotor_kick *k, int joint, int coord, const pp_rotor_known *known,
                     pp_free_turns *found) {
    const pp_joint *j = &w->joint[joint];
    bool hinge = pp_joint_is_hinge(&j->def, w->def.dim);
    pp_rotor_known x;
    x.joint = joint, x.coord = coord;
    gather(k, j, hinge, &x.motion);
    if (known && known->joint == joint && known->coord == coord &&
        memcmp(&known->motion, &x.motion, hinge ? offsetof(pp_rotor_motion, p) : sizeof x.motion) == 0)
        return known->rate;
    return rate_before(w, &x, hinge, found);
}

int pp_armature_rows(const perp_world *w, const pp_state *s, const int *block, const pp_rotor_kick *k,
                     perp_joint_row *rows, int *number, pp_free_turns *found) {
    int n = 0;
    pp_free_turns own;
    own.rotor = NULL;
    if (!found) found = &own;
    memset(found->body, 0, sizeof found->body);
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        for (int c = 0; pp_alive(j->gen) && c < PERP_JOINT_MAX_COORD; c++) {
            if (!(j->def.axis[c].armature > 0)) continue;
            pp_joint_side a = pp_side(w, s, j->a, block), b = pp_side(w, s, j->b, block);
            if (!pp_joint_coordinate_row(&j->def, w->def.dim, &a, &b, c, &rows[n])) continue;
            rows[n].kind = PERP_ROW_INERTIA;
            pp_rotor_known one, *x = found->rotor ? &found->rotor[n] : &one;
            bool hinge = pp_joint_is_hinge(&j->def, w->def.dim);
            x->joint = i, x->coord = c;
            gather(k, j, hinge, &x->motion);
            x->rate = rate_before(w, x, hinge, found);
            rows[n].b = rows[n].b_kin - x->rate;
            rows[n].compliance = 1 / j->def.axis[c].armature;
            rows[n].joint = i;
            if (number) number[n] = PP_JOINT_ARMATURE_ROW - c;
            n++;
        }
    }
    return n;
}

double pp_rotor_energy(const perp_world *w, const pp_state *s, double lag) {
    double sum = 0;
    pp_free_turns found;
    memset(found.body, 0, sizeof found.body);
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        for (int c = 0; pp_alive(j->gen) && c < PERP_JOINT_MAX_COORD; c++) {
            if (!(j->def.axis[c].armature > 0)) continue;
            const pp_joint_side side[2] = {pp_side(w, s, j->a, NULL), pp_side(w, s, j->b, NULL)};
            const perp_quat q[2] = {side[0].X_WB.q, side[1].X_WB.q};
            const perp_vec3 om[2] = {side[0].w, side[1].w};
            double rate = pp_joint_is_hinge(&j->def, w->def.dim) ? hinge_rate_after(w, j, q, om, -lag, &found, 0)
                                                                 : rate_after(w, j, side, -lag, c, &found, 0);
            sum += 0.5 * j->def.axis[c].armature * rate * rate;
        }
    }
    return sum;
}

double perp_world_armature_energy(const perp_world *w) {
    double sum = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        double rate[PERP_JOINT_MAX_COORD] = {0};
        if (!pp_alive(j->gen)) continue;
        pp_joint_side a = pp_shown_side(w, &w->state, j->a), b = pp_shown_side(w, &w->state, j->b);
        pp_joint_rates(&j->def, w->def.dim, &a, &b, rate);
        for (int c = 0; c < PERP_JOINT_MAX_COORD; c++)
            if (j->def.axis[c].armature > 0) sum += 0.5 * j->def.axis[c].armature * rate[c] * rate[c];
    }
    return sum;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* armature.c - inertia on joint coordinates. See armature.h. */
#include "model/armature.h"

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
    pp_free_turn t = {.time = time, .from = q, .to = q, .w_from = w, .w_to = w};
    if (b->kind != PERP_BODY_DYNAMIC || b->particle || b->isotropic)
        t.to = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(time, w)), q));
    else if (perp_rotate_free(b->I_B, time, &q, &w))
        t.to = q, t.w_to = w;
    return t;
}

static bool same_start(const pp_free_turn *t, double time, perp_quat q, perp_vec3 w) {
    return t->time == time && t->from.w == q.w && t->from.x == q.x && t->from.y == q.y && t->from.z == q.z &&
           t->w_from.x == w.x && t->w_from.y == w.y && t->w_from.z == w.z;
}

/* Orientation and angular velocity of the body in `slot` after a free rotation for a time, computed once. body, known: slots + 1 and rotations */
static void turn(const perp_world *w, int slot, double time, int *body, pp_free_turn *known, perp_quat *q,
                 perp_vec3 *om) {
    int at = slot % PP_FREE_TURNS;
    if (body[at] != slot + 1 || !same_start(&known[at], time, *q, *om))
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

/* A side with velocities that are moved by `part` of the way from those stored to those shown. */
static pp_joint_side shown_part(const perp_world *w, const pp_state *s, int slot, double part) {
    pp_joint_side side = pp_shown_side(w, s, slot);
    if (slot < 0 || s->lag == 0 || part == 1) return side;
    side.v = perp_v3_axpy(s->v[slot], part, s->dv[slot]);
    side.w = perp_v3_axpy(s->w[slot], part, s->dw[slot]);
    return side;
}

/* pp_rotor_rate() of a hinge in space. */
static double hinge_rotor_rate(const perp_world *w, const pp_rotor_kick *k, const pp_joint *j, pp_free_turns *found) {
    const int slot[2] = {j->a, j->b};
    perp_quat q[2] = {perp_q_identity(), perp_q_identity()};
    perp_vec3 at[2] = {{0, 0, 0}, {0, 0, 0}}, moving[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int e = 0; e < 2; e++) {
        if (slot[e] < 0) continue;
        q[e] = k->before->X[slot[e]].q;
        at[e] = k->before->w[slot[e]];
        const pp_state *s = k->moving;
        moving[e] =
            s->lag == 0 || k->part == 1 ? pp_shown_w(s, slot[e]) : perp_v3_axpy(s->w[slot[e]], k->part, s->dw[slot[e]]);
    }
    double rate = pp_joint_hinge_rate(&j->def, q, at);
    if (k->back == 0 && k->ahead == 0) return rate;
    double ahead = hinge_rate_after(w, j, q, moving, k->ahead, found, 0);
    return rate - (ahead - hinge_rate_after(w, j, q, moving, -k->back, found, 1));
}

double pp_rotor_rate(const perp_world *w, const pp_rotor_kick *k, int joint, int coord, pp_free_turns *found) {
    const pp_joint *j = &w->joint[joint];
    const int slot[2] = {j->a, j->b};
    if (pp_joint_is_hinge(&j->def, w->def.dim)) return hinge_rotor_rate(w, k, j, found);
    pp_joint_side at[2], moving[2];
    for (int e = 0; e < 2; e++) {
        at[e] = pp_side(w, k->before, slot[e], NULL);
        moving[e] = shown_part(w, k->moving, slot[e], k->part);
        moving[e].X_WB = at[e].X_WB;
        moving[e].theta = at[e].theta;
    }
    double rate = rate_after(w, j, at, 0, coord, found, 0);
    if (k->back == 0 && k->ahead == 0) return rate;
    double ahead = rate_after(w, j, moving, k->ahead, coord, found, 0);
    return rate - (ahead - rate_after(w, j, moving, -k->back, coord, found, 1));
}

int pp_armature_rows(const perp_world *w, const pp_state *s, const int *block, const pp_rotor_kick *k,
                     perp_joint_row *rows, int *number, pp_free_turns *found) {
    int n = 0;
    pp_free_turns own;
    if (!found) found = &own;
    memset(found->body, 0, sizeof found->body);
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        for (int c = 0; pp_alive(j->gen) && c < PERP_JOINT_MAX_COORD; c++) {
            if (!(j->def.axis[c].armature > 0)) continue;
            pp_joint_side a = pp_side(w, s, j->a, block), b = pp_side(w, s, j->b, block);
            if (!pp_joint_coordinate_row(&j->def, w->def.dim, &a, &b, c, &rows[n])) continue;
            rows[n].kind = PERP_ROW_INERTIA;
            rows[n].b = rows[n].b_kin - pp_rotor_rate(w, k, i, c, found);
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

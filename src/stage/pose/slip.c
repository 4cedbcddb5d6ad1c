/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* slip.c - the slip of a contact over a step, as a displacement with finite rotations
 *
 * Problem  A friction row computes the slip h T nu with the lever arms of one pose. For rotating bodies it differs from the true displacement
 *          by h^2 |w|^2 r / 2 in each step. So bodies that stick to a rotating body, or tip over a corner, creep at first order in h.
 * Method   Each body k has a point c_k that is fixed to it and decides the slip: the contact point for vertices, edges and faces; for a
 *          surface of radius r the point of the core, r below it, because a rolling surface touches at other points of its
 *          material. rho_k: from c_k to the contact point. In axes that rotate with body C, one of the two, half-way through the step:
 *            d = H'(c_B+ - c_A+) - H (c_B - c_A) + t_B x rho_B - t_A x rho_A,    H H = dR_C,    t_k = log(H' dR_k H'),    t_C = 0
 *          If one body is driven or fixed, it is C. For two dynamic bodies, d is the mean of both choices, weighted by mass.
 *          If d = 0, the sticking point keeps its place exactly. In rolling d is of second order, and exact if C does not rotate.
 *          If both contact points are fixed to their bodies, s = V(t)^-1 d replaces d, t: rotation of the other body (0 for a particle). This is the
 *          velocity at the contact point if the body moved relative to C with constant velocity (a screw). s is 0 where d is 0. It is
 *          the velocity field of a rigid body, so all points of a patch can stick together in every round; with d they would
 *          contradict each other until the rounds have converged. Round surfaces use d, because d is exact in straight rolling and s is not.
 *          The rows keep their lever arms, so the torques of the impulses do not change. s / h - T nu is added to their right-hand sides. It
 *          A body may turn by more than half a turn: of the rotation vectors that lead to its pose the one nearest to h w is taken. It
 *          is computed without differences of large terms, and is exactly 0 for bodies that do not rotate.
 * Valid    On driven bodies with `driven: mean`, in all models. Between other bodies if the contact model repeats the linearisation until
 *          gaps hold at the end (pp_pose_options.finite_slip). Then the rounds also converge to this slip; otherwise it is
 *          that of the start velocity, and of second order.
 * Source   The same idea as for joints: constraints hold for poses, impulses act along the rows of the start (SHAKE). */
#include "stage/pose/slip.h"

#include "math/turn_free.h"
#include "base/elementary.h"

#include <string.h>

#define PI 3.141592653589793

static bool is_zero(perp_vec3 x) { return x.x == 0 && x.y == 0 && x.z == 0; }
static bool same_turn(perp_quat a, perp_quat b) { return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z; }

/* Rotation vector between two orientations, the one nearest to `near`; exactly 0 if they are equal and near is 0. */
static perp_vec3 turn_between(perp_quat from, perp_quat to, perp_vec3 near) {
    if (same_turn(from, to) && is_zero(near)) return perp_v3(0, 0, 0);
    return pp_q_log_near(perp_q_mul(to, perp_q_conj(from)), near);
}

/* (exp(phi) - 1 - [phi x]) r: difference between a finite rotation of r and the linear one. */
static perp_vec3 beyond_linear(perp_vec3 phi, perp_vec3 r) {
    double a = perp_v3_norm(phi);
    if (a == 0) return perp_v3(0, 0, 0);
    double s, c;
    pp_sin_cos(0.5 * a, &s, &c);
    perp_vec3 once = perp_v3_cross(phi, r);
    return perp_v3_axpy(perp_v3_scale((2 * s * c - a) / a, once), 2 * s * s / (a * a), perp_v3_cross(phi, once));
}

/* Motion of one body of a contact over the step. */
typedef struct moving {
    int body, block;       /* block: -1 if it is not dynamic */
    bool rotates;          /* it has an orientation */
    perp_vec3 turn, bend;  /* rotation vector over the step; the part of it that is not h w */
    perp_vec3 shift;       /* displacement of the centre */
    perp_vec3 core, round; /* lever arms at the start: of the point c, and from it to the contact point (rho) */
} moving;

/* Is the surface curved, without a core at constant distance? Such a body is assumed to roll about its centre. */
static bool rolls_about_centre(const pp_geometry *g) {
    return g->nvert == 0 && g->nface == 0 && g->kind != PERP_SHAPE_HALFSPACE && !(g->radius > 0);
}

/* Point c and vector rho of side k of contact i at the start pose. The contact point is that at the poses `levers`. middle: use the point
 * between the two contact points, where friction between two dynamic bodies acts. The points on the two sides of a gap would give the rows
 * of a patch different slips. */
static void place_core(const pp_frame *f, int i, int k, bool middle, moving *m) {
    const perp_contact *c = &f->contacts.at[i];
    const pp_geometry *g = f->w->shape[f->contacts.shape[2 * i + k]].g;
    const perp_pose *at = &(f->demand.levers ? f->demand.levers : f->s1)->X[m->body], *start = &f->s0->X[m->body];
    m->round = perp_v3_scale(k ? -g->radius : g->radius, c->n_W);
    perp_vec3 lever = perp_v3_sub(k ? c->b_W : c->a_W, at->p);
    if (rolls_about_centre(g)) m->round = lever;
    m->core = perp_v3_sub(lever, m->round);
    if (middle && is_zero(m->round)) m->core = perp_v3_sub(perp_v3_scale(0.5, perp_v3_add(c->a_W, c->b_W)), at->p);
    if (!same_turn(at->q, start->q)) m->core = perp_q_rotate(start->q, perp_q_unrotate(at->q, m->core));
}

/* Motion of `body` over the step at the velocities nu. end: the poses that nu leads to; NULL: not known. */
static moving motion_of(const pp_frame *f, int body, const double *nu, const pp_state *end) {
    const perp_vec3 none = {0, 0, 0};
    const pp_body *b = &f->w->body[body];
    int blk = f->control.block[body], dim = f->w->def.dim;
    moving m = {.body = body, .block = blk, .rotates = true, .turn = none, .bend = none, .shift = none};
    if (blk < 0) {
        if (b->kind != PERP_BODY_KINEMATIC || !b->motion) return m;
        m.shift = perp_v3_sub(f->s1->X[body].p, f->s0->X[body].p);
        m.turn = dim == 2 ? perp_v3(0, 0, f->s1->theta[body] - f->s0->theta[body])
                          : turn_between(f->s0->X[body].q, f->s1->X[body].q, perp_v3_scale(f->h, f->s1->w[body]));
        return m;
    }
    int nd = f->control.block_ndof[blk];
    const double *v = nu + f->control.block_offset[blk];
    m.shift = perp_v3_scale(f->h, perp_v3(v[0], v[1], dim == 3 ? v[2] : 0));
    m.rotates = nd > dim;
    if (!m.rotates) return m;
    if (dim == 2) {
        m.turn.z = f->h * v[2];
        return m;
    }
    perp_vec3 linear = perp_v3_scale(f->h, perp_v3(v[3], v[4], v[5]));
    m.bend = f->control.bend[blk];
    m.turn = perp_v3_add(linear, m.bend);
    if (end && !b->isotropic) { /* otherwise the axis of rotation stays */
        m.turn = turn_between(f->s0->X[body].q, end->X[body].q, linear);
        m.bend = perp_v3_sub(m.turn, linear);
    }
    return m;
}

/* Weight of each body's choice as body C. */
static void weights(const pp_frame *f, const moving m[2], double weight[2]) {
    for (int k = 0; k < 2; k++)
        if (m[k].block < 0 || !m[!k].rotates) {
            weight[k] = 1;
            weight[!k] = 0;
            return;
        }
    double mass[2] = {f->w->body[m[0].body].mass, f->w->body[m[1].body].mass};
    for (int k = 0; k < 2; k++) weight[k] = mass[k] / (mass[0] + mass[1]);
}

/* t - turn: difference between the rotation of a body in axes that rotated half-way with body C and its own rotation. */
static perp_vec3 turn_against(const pp_frame *f, const moving *m, perp_vec3 half, perp_quat H) {
    if (f->w->def.dim == 2) return perp_v3_scale(-2, half);
    perp_quat own = perp_q_exp(m->turn), back = perp_q_conj(H);
    perp_vec3 near = perp_v3_axpy(m->turn, -2, half);
    return perp_v3_sub(pp_q_log_near(perp_q_mul(back, perp_q_mul(own, back)), near), m->turn);
}

static void add(perp_vec3 *sum, double by, perp_vec3 x) { *sum = perp_v3_axpy(*sum, by, x); }

/* V(phi)^-1 d: velocity of a point, over one unit of time, if a rigid motion with constant velocity and the rotation phi displaces it by d. */
static perp_vec3 constant_velocity(perp_vec3 phi, perp_vec3 d) {
    double a = perp_v3_norm(phi), s, c;
    if (a > PI) { /* the least of these motions: the points of a body that has turned fully are where they were */
        phi = perp_v3_scale(1 - 2 * PI * nearbyint(a / (2 * PI)) / a, phi);
        a = perp_v3_norm(phi);
    }
    pp_sin_cos(0.5 * a, &s, &c);
    if (s == 0) return d;
    perp_vec3 once = perp_v3_cross(phi, d);
    double by = (1 - 0.5 * a * c / s) / (a * a); /* 1/12 at a = 0; its rounding is one of d */
    return perp_v3_axpy(perp_v3_axpy(d, -0.5, once), by, perp_v3_cross(phi, once));
}

/* s - h T nu, and the same for rotation, as vectors in the axes of body C = m[c]. arm: lever arms of the rows. The point of C
 * is the place of the other body's point at the start; d does not depend on this choice. */
static void lacking(const pp_frame *f, const moving m[2], int c, const perp_vec3 arm[2], perp_vec3 *slip,
                    perp_vec3 *spin) {
    const double sign[2] = {-1, 1};
    const perp_vec3 none = {0, 0, 0};
    const moving *other = &m[!c];
    perp_vec3 half = perp_v3_scale(0.5, m[c].turn), moved = none, linear = none, point[2];
    bool turns = !is_zero(half);
    perp_quat H = turns ? perp_q_exp(half) : perp_q_identity();
    perp_vec3 against = turns && other->rotates ? turn_against(f, other, half, H) : none,
              t = perp_v3_add(other->turn, against);
    point[!c] = other->core;
    point[c] = perp_v3_add(perp_v3_sub(f->s0->X[other->body].p, f->s0->X[m[c].body].p), other->core);
    *slip = perp_v3_scale(sign[!c], perp_v3_cross(t, other->round));
    *spin = perp_v3_scale(sign[!c], against);
    if (turns) add(spin, -sign[c], m[c].turn);
    for (int k = 0; k < 2; k++) {
        const moving *b = &m[k];
        perp_vec3 more = beyond_linear(b->turn, point[k]), way = perp_v3_add(perp_v3_cross(b->turn, point[k]), more);
        add(&moved, sign[k], perp_v3_add(b->shift, way));
        if (b->block < 0) { /* the rows contain no velocity of this body */
            add(slip, sign[k], perp_v3_add(b->shift, way));
            add(spin, sign[k], b->turn);
            continue;
        }
        add(slip, sign[k], perp_v3_add(more, perp_v3_cross(b->turn, perp_v3_sub(point[k], arm[k]))));
        add(slip, sign[k], perp_v3_cross(b->bend, arm[k]));
        add(spin, sign[k], b->bend);
        add(&linear, sign[k], perp_v3_add(b->shift, perp_v3_cross(perp_v3_sub(b->turn, b->bend), arm[k])));
    }
    if (turns) add(slip, 1, perp_v3_sub(perp_q_unrotate(H, moved), moved));
    perp_vec3 d = perp_v3_add(linear, *slip);
    if (is_zero(m[0].round) && is_zero(m[1].round)) add(slip, 1, perp_v3_sub(constant_velocity(t, d), d));
}

bool pp_slip_spans_step(const pp_frame *f) {
    return f->purpose == PP_STEP && !f->task.half && !f->control.end_v && f->w->def.driven == PERP_DRIVEN_MEAN;
}

/* Is the slip of a contact between these bodies a displacement? *driven: one of them is driven. */
static bool is_finite(const pp_frame *f, const int body[2], bool *driven) {
    int kinematic = 0, dynamic = 0;
    for (int k = 0; k < 2; k++) {
        const pp_body *b = &f->w->body[body[k]];
        kinematic += b->kind == PERP_BODY_KINEMATIC && b->motion;
        dynamic += f->control.block[body[k]] >= 0;
    }
    *driven = kinematic == 1 && dynamic == 1;
    return dynamic > 0 && (f->pose.finite_slip || (*driven && pp_slip_spans_step(f)));
}

static void bodies_of(const pp_frame *f, int i, int body[2]) {
    for (int k = 0; k < 2; k++) body[k] = f->w->shape[f->contacts.shape[2 * i + k]].body;
}

static pp_slip_terms terms(const pp_frame *f, int i, const perp_vec3 arm[2], const double *nu, const pp_state *end) {
    const perp_contact *c = &f->contacts.at[i];
    int body[2];
    bodies_of(f, i, body);
    moving m[2];
    for (int k = 0; k < 2; k++) {
        m[k] = motion_of(f, body[k], nu, end);
        place_core(f, i, k, f->control.block[body[0]] >= 0 && f->control.block[body[1]] >= 0, &m[k]);
    }
    double weight[2];
    weights(f, m, weight);
    perp_vec3 slip = {0, 0, 0}, spin = slip;
    for (int k = 0; k < 2; k++) {
        perp_vec3 d, turn;
        if (weight[k] == 0) continue;
        lacking(f, m, k, arm, &d, &turn);
        add(&slip, weight[k], d);
        add(&spin, weight[k], turn);
    }
    pp_slip_terms t = {.arm = {arm[0], arm[1]}, .finite = true};
    const perp_vec3 axis[PP_FRICTION_ROWS] = {c->t_W, c->o_W, c->n_W, c->t_W, c->o_W};
    for (int r = 0; r < PP_FRICTION_ROWS; r++) t.b[r] = perp_v3_dot(r < 2 ? slip : spin, axis[r]) / f->h;
    return t;
}

void pp_slip_finish(pp_frame *f, int i, const perp_vec3 arm[2], perp_contact_row *row) {
    pp_slip_terms *t = &f->pose.slip[i];
    *t = (pp_slip_terms){.finite = false};
    int body[2];
    bool driven;
    bodies_of(f, i, body);
    if (!(row->mu > 0) || !is_finite(f, body, &driven)) return;
    const double *nu = f->demand.end_nu ? f->demand.end_nu : f->control.nu0, *given = f->demand.slip;
    if (given) given += PP_FRICTION_ROWS * i;
    if (given && !isnan(*given)) {
        *t = (pp_slip_terms){.arm = {arm[0], arm[1]}, .finite = true};
        memcpy(t->b, given, sizeof t->b);
    } else {
        *t = terms(f, i, arm, nu, f->demand.end_state);
    }
    t->driven = driven;
    if (driven) /* these are velocities; t replaces them */
        row->b_t = row->b_o = row->b_r = row->b_roll[0] = row->b_roll[1] = 0;
    row->b_t += t->b[0];
    if (f->w->def.dim == 3) row->b_o += t->b[1];
    if (row->e_r > 0) row->b_r += t->b[2];
    for (int a = 0; a < 2 && row->e_roll > 0; a++) row->b_roll[a] += t->b[3 + a];
}

pp_slip_terms pp_slip_terms_at(const pp_frame *f, int i, const double *nu, const pp_state *end) {
    return f->pose.slip[i].finite ? terms(f, i, f->pose.slip[i].arm, nu, end) : f->pose.slip[i];
}

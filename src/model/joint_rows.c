/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_rows.c - joints as constraint rows of the step problem
 * Problem  Write the laws of a joint for a step of h as rows  w = J nu+ + b + compliance p,  lo <= p <= hi
 *          complementary to w.
 * Method   x is the coordinate (or phi the error) with dynamic bodies at the start of the step and kinematic ones at
 *          its end; J nu+ its rate by the dynamic bodies at the end of the step, u = b_kin its rate by the kinematic
 *          ones (their mean velocity over the step). So x+ = x + h J nu+ already includes the motion of kinematic bodies,
 *          while the relative rate at the end of the step is J nu+ + u. Hence
 *            locked motion   phi+ = 0                         b = phi/h
 *            limits          x+ >= lo,  x+ <= hi              b = (x - lo)/h;   -J, b = (hi - x)/h;   p >= 0
 *            motor           J nu+ + u = speed, |p| <= h F    b = u - speed
 *            dry friction    J nu+ + u = 0,     |p| <= h F    b = u
 *            spring, damper  p = -h (k (x+ - rest) + c (J nu+ + u)), that is, divided by h (h k + c),
 *                            b = (k (x - rest) + c u)/(h k + c),   compliance = 1/(h (h k + c))
 *          The implicit spring is stable for any k, c >= 0. There is no row for a limit that cannot be reached within the
 *          step, nor for a motor, spring or friction that can exert no force.
 * Valid    Position rows are linearised at the start of the step: error O(h^2) per step, removed by phi/h in the next.
 *          Rows of locked rotations have the axes of Ja instead of the gradient of the error. Both have the same
 *          solutions where all three rotations are locked, since the gradient maps the rotation vector to itself; where
 *          the tilt is locked they differ by (error times spin), and the plain rows stay well conditioned for any
 *          error. A particle has no orientation: if a side is one, rotations are neither locked nor driven.
 * Source   Williams 2.2.3, (2.10), Table 2.1; stabilisation phi/h: Williams (2.34). */
#include "model/joint_geometry.h"

#include <assert.h>

/* J of one side, packed for its degrees of freedom. */
static void pack(int dim, const pp_joint_side *s, perp_vec3 lin, perp_vec3 ang, double J[6]) {
    for (int i = 0; i < 6; i++) J[i] = 0;
    if (s->block < 0) return;
    J[0] = lin.x;
    J[1] = lin.y;
    if (dim == 2) {
        if (s->ndof == 3) J[2] = ang.z;
        return;
    }
    J[2] = lin.z;
    if (s->ndof == 6) {
        J[3] = ang.x;
        J[4] = ang.y;
        J[5] = ang.z;
    }
}

/* The two sides that a joint connects. */
typedef struct sides {
    int dim;
    const pp_joint_side *a, *b;
} sides;

/* A row with the gradient g times sign, everything else as for a locked motion without error. */
static perp_joint_row make_row(const sides *of, pp_joint_gradient g, double sign, perp_row_kind kind) {
    const pp_joint_side *a = of->a, *b = of->b;
    perp_joint_row r = {.lo = -INFINITY, .hi = INFINITY, .kind = kind, .joint = -1, .coord = -1};
    perp_vec3 lin = perp_v3_scale(sign, g.lin), ang_a = perp_v3_scale(sign, g.ang_a),
              ang_b = perp_v3_scale(sign, g.ang_b);
    r.row.block[0] = a->block;
    r.row.block[1] = b->block;
    pack(of->dim, a, perp_v3_neg(lin), ang_a, r.row.J[0]);
    pack(of->dim, b, lin, ang_b, r.row.J[1]);
    if (a->block < 0) r.b_kin += perp_v3_dot(ang_a, a->w) - perp_v3_dot(lin, a->v);
    if (b->block < 0) r.b_kin += perp_v3_dot(ang_b, b->w) + perp_v3_dot(lin, b->v);
    return r;
}

/* Gradients of the locked motions, in the order of pp_joint_errors(). */
static int locked(const pp_joint_kind_data *k, const pp_joint_frames *f, pp_joint_gradient *g) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (k->lock[i]) g[n++] = pp_joint_along(f, f->xyz_a[i]);
    if (!f->can_turn) return n;
    switch (k->turn) {
    case PP_TURN_FREE: break;
    case PP_TURN_ALL:
        for (int i = 0; i < 3; i++) g[n++] = pp_joint_about(f->xyz_a[i]);
        break;
    case PP_TURN_TILT:
        for (int i = 0; i < 2; i++) g[n++] = pp_joint_about(f->xyz_a[i]);
        break;
    case PP_TURN_CROSS: /* d/dt (z_a . x_b) = (w_B - w_A) . (x_b x z_a) */
        g[n++] = pp_joint_about(perp_v3_cross(f->xyz_b[0], f->xyz_a[2]));
        break;
    case PP_TURN_PLANE: g[n++] = pp_joint_about(perp_v3(0, 0, 1)); break;
    }
    return n;
}

bool pp_motor_keeps_limits(const perp_joint_axis *ax) {
    return ax->limited && ax->motor && ax->motor_force == INFINITY;
}

/* Speed that takes a coordinate at most to its limit in h; beyond the limit, back to it in `whole`. */
static double speed_to_limit(double room, double h, double whole) { return room / (room < 0 ? whole : h); }

double pp_motor_within_limits(const perp_joint_axis *ax, double x, double h, double whole, double b) {
    double up = speed_to_limit(ax->hi - x, h, whole), down = speed_to_limit(x - ax->lo, h, whole);
    if (b < -up) b = -up;
    return b > down ? down : b;
}

/* A row along a coordinate with another kind. */
static perp_joint_row of_kind(const perp_joint_row *along, perp_row_kind kind) {
    perp_joint_row r = *along;
    r.kind = kind;
    return r;
}

int pp_joint_axis_rows(const perp_joint_row *along, const perp_joint_row *against, const perp_joint_axis *ax, double x,
                       double h, double margin, perp_joint_row *out) {
    int n = 0;
    if (ax->limited && !pp_motor_keeps_limits(ax)) {
        if (isfinite(ax->lo) && x - ax->lo <= margin * h) {
            perp_joint_row r = of_kind(along, PERP_ROW_LIMIT);
            r.b = (x - ax->lo) / h;
            r.lo = 0;
            out[n++] = r;
        }
        if (isfinite(ax->hi) && ax->hi - x <= margin * h) {
            perp_joint_row r = of_kind(against, PERP_ROW_LIMIT);
            r.b = (ax->hi - x) / h;
            r.lo = 0;
            r.against = true;
            out[n++] = r;
        }
    }
    if (ax->motor && ax->motor_force > 0) {
        perp_joint_row r = of_kind(along, PERP_ROW_MOTOR);
        r.b = r.b_kin - ax->motor_speed;
        r.hi = h * ax->motor_force;
        r.lo = -r.hi;
        out[n++] = r;
    }
    double stiff = h * ax->stiffness + ax->damping, compliance = 1 / (h * stiff);
    if (isfinite(compliance)) { /* otherwise there is no spring, or its stiffness is too small for floating point */
        perp_joint_row r = of_kind(along, PERP_ROW_SPRING);
        r.b = (ax->stiffness * (x - ax->rest) + ax->damping * r.b_kin) / stiff;
        r.compliance = compliance;
        out[n++] = r;
    }
    if (ax->friction > 0) {
        perp_joint_row r = of_kind(along, PERP_ROW_FRICTION);
        r.b = r.b_kin;
        r.hi = h * ax->friction;
        r.lo = -r.hi;
        out[n++] = r;
    }
    return n;
}

/* Can the coordinate have rows: a limit, a motor, a spring or friction? */
static bool has_extras(const perp_joint_axis *ax) {
    return ax->limited || ax->motor || ax->stiffness != 0 || ax->damping != 0 || ax->friction > 0;
}

static bool has_any_extras(const perp_joint_def *def, const pp_joint_kind_data *k) {
    for (int i = 0; i < k->ncoord; i++)
        if (has_extras(&def->axis[i])) return true;
    return false;
}

/* Rows of a joint with these frames. */
static int rows_of(const perp_joint_def *def, const sides *of, const pp_joint_frames *f, const double *coord,
                   const pp_rows_for *how, perp_joint_row *out) {
    assert(how->h > 0 && how->margin >= 0);
    const pp_joint_kind_data *k = pp_joint_kind_of(def->kind, of->dim);
    pp_joint_gradient g[6];
    double phi[6];
    int n = locked(k, f, g);
    int nphi = pp_joint_errors_of(def->kind, of->dim, f, phi);
    assert(n == nphi);
    (void)nphi;
    for (int i = 0; i < n; i++) {
        out[i] = make_row(of, g[i], 1, PERP_ROW_JOINT);
        out[i].b = phi[i] / how->h;
    }
    for (int i = 0; i < k->ncoord; i++) {
        if (!has_extras(&def->axis[i]) || (pp_joint_is_angle(k->coord[i]) && !f->can_turn)) continue;
        pp_joint_gradient gc = pp_joint_measure_gradient(f, of->dim, k->coord[i]);
        perp_joint_row along = make_row(of, gc, 1, PERP_ROW_MOTOR), against = make_row(of, gc, -1, PERP_ROW_MOTOR);
        int own = pp_joint_axis_rows(&along, &against, &def->axis[i], coord[i], how->h, how->margin, out + n);
        for (int e = n; e < n + own; e++) out[e].coord = i;
        n += own;
    }
    assert(n <= PP_JOINT_MAX_ROWS);
    return n;
}

int pp_joint_rows(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                  const double *coord, double h, double margin, perp_joint_row *out) {
    if (a->block < 0 && b->block < 0) return 0; /* nothing that could obey */
    pp_joint_frames f = pp_joint_frames_of(def, dim, a, b);
    return rows_of(def, &(sides){dim, a, b}, &f, coord, &(pp_rows_for){NULL, h, margin}, out);
}

int pp_joint_rows_since(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                        const double *last, const pp_rows_for *how, perp_joint_row *out) {
    if (a->block < 0 && b->block < 0) return 0;
    double coord[PERP_JOINT_MAX_COORD] = {0};
    pp_joint_frames f = pp_joint_frames_of(def, dim, a, b);
    if (has_any_extras(def, pp_joint_kind_of(def->kind, dim))) pp_joint_coords_of(def->kind, dim, &f, last, coord);
    return rows_of(def, &(sides){dim, a, b}, &f, coord, how, out);
}

bool pp_joint_coordinate_row(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                             int coord, perp_joint_row *out) {
    if (a->block < 0 && b->block < 0) return false;
    const pp_joint_kind_data *k = pp_joint_kind_of(def->kind, dim);
    pp_joint_frames f = pp_joint_frames_of(def, dim, a, b);
    if (coord >= k->ncoord || (pp_joint_is_angle(k->coord[coord]) && !f.can_turn)) return false;
    sides of = {dim, a, b};
    *out = make_row(&of, pp_joint_measure_gradient(&f, dim, k->coord[coord]), 1, PERP_ROW_MOTOR);
    out->coord = coord;
    return true;
}

static perp_vec3 unpack_lin(int dim, const double J[6]) { return perp_v3(J[0], J[1], dim == 2 ? 0 : J[2]); }

static perp_vec3 unpack_ang(int dim, const double J[6]) {
    return dim == 2 ? perp_v3(0, 0, J[2]) : perp_v3(J[3], J[4], J[5]);
}

perp_wrench pp_joint_row_wrench(const perp_joint_row *r, int dim, const pp_joint_side *b, const perp_joint_def *def,
                                double p) {
    perp_wrench w = {{0, 0, 0}, {0, 0, 0}};
    if (r->row.block[1] >= 0) {
        perp_vec3 arm = perp_q_rotate(b->X_WB.q, def->X_BJ.p); /* from Bo to the origin of Jb */
        w.force = perp_v3_scale(p, unpack_lin(dim, r->row.J[1]));
        w.torque = perp_v3_scale(p, unpack_ang(dim, r->row.J[1]));
        w.torque = perp_v3_sub(w.torque, perp_v3_cross(arm, w.force));
    } else if (r->row.block[0] >= 0) {
        /* B has no entries: the reversed wrench on A. A row is either a force through the origin of Jb, without torque about
         * it, or a couple, which is the same about every point. */
        w.force = perp_v3_scale(-p, unpack_lin(dim, r->row.J[0]));
        if (perp_v3_dot(w.force, w.force) == 0) w.torque = perp_v3_scale(-p, unpack_ang(dim, r->row.J[0]));
    }
    return w;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_geometry.c - kinds of joint as data, joint frames in W, gradients of displacements and angles
 * Problem  Each kind locks some of the six relative motions of two frames and measures some of the others.
 * Method   One table of masks, and one piece of code per *motion* (translation along an axis, tilt, twist, ...) instead
 *          of one file per kind: the kinds differ only in which motions they lock or measure, so a new kind is a line
 *          of the table, and each formula is written and tested once.
 * Valid    Translations: everywhere. Twist: tilt below pi. Universal angles: z of Ja and x of Jb not parallel. At these singular
 *          poses the results are finite but have no meaning.
 * Source   Williams 2.2.3, (2.10) and Table 2.1, with the opposite sign (here the row velocity is that of B relative to
 *          A), and with the arm of A reaching to the origin of Jb, which makes the rows exact for any displacement. */
#include "model/joint_geometry.h"

#include <assert.h>

#include "base/elementary.h"

#define TWO_PI 6.283185307179586476925

static const pp_joint_kind_data table_3d[PERP_JOINT_KIND_COUNT] = {
    [PERP_JOINT_FIXED] = {"fixed", true, {true, true, true}, PP_TURN_ALL, 0, {0}},
    [PERP_JOINT_REVOLUTE] = {"revolute", true, {true, true, true}, PP_TURN_TILT, 1, {PP_TWIST}},
    [PERP_JOINT_PRISMATIC] = {"prismatic", true, {true, true, false}, PP_TURN_ALL, 1, {PP_ALONG_Z}},
    [PERP_JOINT_CYLINDRICAL] = {"cylindrical", true, {true, true, false}, PP_TURN_TILT, 2, {PP_ALONG_Z, PP_TWIST}},
    [PERP_JOINT_SPHERICAL] = {"spherical", true, {true, true, true}, PP_TURN_FREE, 0, {0}},
    [PERP_JOINT_UNIVERSAL] = {"universal", true, {true, true, true}, PP_TURN_CROSS, 2, {PP_CROSS_Z, PP_CROSS_X}},
    [PERP_JOINT_PLANAR] = {"planar", true, {false, false, true}, PP_TURN_TILT, 3, {PP_ALONG_X, PP_ALONG_Y, PP_TWIST}},
    [PERP_JOINT_COUPLING] = {"coupling", true, {false, false, false}, PP_TURN_FREE, 0, {0}},
    [PERP_JOINT_TENDON] = {"tendon", true, {false, false, false}, PP_TURN_FREE, 1, {PP_SUM}},
};

static const pp_joint_kind_data table_2d[PERP_JOINT_KIND_COUNT] = {
    [PERP_JOINT_FIXED] = {"fixed", true, {true, true, false}, PP_TURN_PLANE, 0, {0}},
    [PERP_JOINT_REVOLUTE] = {"revolute", true, {true, true, false}, PP_TURN_FREE, 1, {PP_TWIST}},
    [PERP_JOINT_PRISMATIC] = {"prismatic", true, {false, true, false}, PP_TURN_PLANE, 1, {PP_ALONG_X}},
    [PERP_JOINT_CYLINDRICAL] = {.name = "cylindrical"},
    [PERP_JOINT_SPHERICAL] = {.name = "spherical"},
    [PERP_JOINT_UNIVERSAL] = {.name = "universal"},
    [PERP_JOINT_PLANAR] = {.name = "planar"},
    [PERP_JOINT_COUPLING] = {"coupling", true, {false, false, false}, PP_TURN_FREE, 0, {0}},
    [PERP_JOINT_TENDON] = {"tendon", true, {false, false, false}, PP_TURN_FREE, 1, {PP_SUM}},
};

const pp_joint_kind_data *pp_joint_kind_of(perp_joint_kind kind, int dim) {
    assert((int)kind >= 0 && kind < PERP_JOINT_KIND_COUNT && (dim == 2 || dim == 3));
    return dim == 2 ? &table_2d[kind] : &table_3d[kind];
}

const char *pp_joint_kind_name(perp_joint_kind kind) { return pp_joint_kind_of(kind, 3)->name; }

double pp_joint_nearest_turn(double angle, double near) { return angle - TWO_PI * round((angle - near) / TWO_PI); }

double pp_joint_plane_angle(perp_quat q) {
    if (q.z == 0 && q.w > 0) return q.z; /* most frames of joints are not turned */
    return q.w < 0 ? 2 * pp_atan2(-q.z, -q.w) : 2 * pp_atan2(q.z, q.w);
}

/* The axes x, y, z rotated by q. The products with zero of perp_q_rotate() are left out, and no sum can be -0: the same bits. */
static void axes_of(perp_quat q, perp_vec3 out[3]) {
    double x = 2 * q.x, y = 2 * q.y, z = 2 * q.z;
    out[0] = perp_v3(1 + (-(q.y * y) - q.z * z), (0 + q.w * z) + q.x * y, (0 - q.w * y) + q.x * z);
    out[1] = perp_v3((0 - q.w * z) + q.y * x, 1 + (-(q.z * z) - q.x * x), (0 + q.w * x) + q.y * z);
    out[2] = perp_v3((0 + q.w * y) + q.z * x, (0 - q.w * x) + q.z * y, 1 + (-(q.x * x) - q.y * y));
}

/* A particle has as many degrees of freedom as the space; a rigid body has 3 or 6, the world and kinematic bodies 0. */
static bool is_particle(const pp_joint_side *s, int dim) { return s->ndof == dim; }

perp_quat pp_joint_axes_of(const perp_joint_def *def, perp_quat q_WA, perp_quat q_WB, pp_joint_frames *f) {
    /* quaternions of the user are unit to 1e-6 only; they are normalised so that this does not appear in the joint errors */
    perp_quat q_a = perp_q_unit(perp_q_mul(q_WA, def->X_AJ.q));
    perp_quat q_b = perp_q_unit(perp_q_mul(q_WB, def->X_BJ.q));
    axes_of(q_a, f->xyz_a);
    f->q_ab = perp_q_mul(perp_q_conj(q_a), q_b);
    return q_b;
}

pp_joint_frames pp_joint_frames_of(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b) {
    pp_joint_frames f;
    perp_quat q_b = pp_joint_axes_of(def, a->X_WB.q, b->X_WB.q, &f);
    pp_joint_turn turn = pp_joint_kind_of(def->kind, dim)->turn;
    if (turn == PP_TURN_TILT || turn == PP_TURN_CROSS) axes_of(q_b, f.xyz_b);
    perp_vec3 p_a = perp_pose_apply(a->X_WB, def->X_AJ.p);
    perp_vec3 p_b = perp_pose_apply(b->X_WB, def->X_BJ.p);
    f.d = perp_v3_sub(p_b, p_a);
    f.arm_a = perp_v3_sub(p_b, a->X_WB.p);
    f.arm_b = perp_v3_sub(p_b, b->X_WB.p);
    f.turn = 0;
    if (dim == 2)
        f.turn = b->theta - a->theta + (pp_joint_plane_angle(def->X_BJ.q) - pp_joint_plane_angle(def->X_AJ.q));
    f.can_turn = !is_particle(a, dim) && !is_particle(b, dim);
    return f;
}

pp_joint_gradient pp_joint_along(const pp_joint_frames *f, perp_vec3 e) {
    /* d/dt (d . e) = (v_B + w_B x arm_b - v_A - w_A x r_a) . e + d . (w_A x e); the terms in w_A make -w_A . (arm_a x
     * e) with arm_a = r_a + d */
    pp_joint_gradient g = {e, perp_v3_neg(perp_v3_cross(f->arm_a, e)), perp_v3_cross(f->arm_b, e)};
    return g;
}

pp_joint_gradient pp_joint_about(perp_vec3 u) {
    pp_joint_gradient g = {{0, 0, 0}, perp_v3_neg(u), u};
    return g;
}

/* Twist t = 2 atan2(q.z, q.w) of q = q_ab. With q' = 1/2 (0, w) q and w the relative angular velocity in Ja,
 *   t' = w_z + (w_x (q.w q.y + q.x q.z) + w_y (q.y q.z - q.w q.x)) / (q.w^2 + q.z^2),
 * which is w_z when there is no tilt. */
static perp_vec3 twist_direction(const pp_joint_frames *f) {
    perp_quat q = f->q_ab;
    double m = q.w * q.w + q.z * q.z; /* cos^2 of half the tilt */
    if (m < 1e-12) return f->xyz_a[2];
    perp_vec3 u = perp_v3_axpy(f->xyz_a[2], (q.w * q.y + q.x * q.z) / m, f->xyz_a[0]);
    return perp_v3_axpy(u, (q.y * q.z - q.w * q.x) / m, f->xyz_a[1]);
}

/* Universal: R_ab = Rz(s) Ry(error) Rx(t), so w = s' z_a + t' x_b + error' y with y perpendicular to z_a and x_b.
 * The gradients of s and t are the dual vectors of z_a and x_b in their plane. */
static perp_vec3 cross_direction(const pp_joint_frames *f, bool about_z) {
    perp_vec3 z = f->xyz_a[2], x = f->xyz_b[0];
    double c = perp_v3_dot(z, x), m = 1 - c * c;
    if (m < 1e-12) m = 1e-12;
    return about_z ? perp_v3_scale(1 / m, perp_v3_axpy(z, -c, x)) : perp_v3_scale(1 / m, perp_v3_axpy(x, -c, z));
}

pp_joint_gradient pp_joint_measure_gradient(const pp_joint_frames *f, int dim, pp_joint_measure m) {
    switch (m) {
    case PP_SUM: return (pp_joint_gradient){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}; /* not of its own frames */
    case PP_ALONG_X: return pp_joint_along(f, f->xyz_a[0]);
    case PP_ALONG_Y: return pp_joint_along(f, f->xyz_a[1]);
    case PP_ALONG_Z: return pp_joint_along(f, f->xyz_a[2]);
    case PP_TWIST: return pp_joint_about(dim == 2 ? perp_v3(0, 0, 1) : twist_direction(f));
    case PP_CROSS_Z: return pp_joint_about(cross_direction(f, true));
    case PP_CROSS_X: break;
    }
    return pp_joint_about(cross_direction(f, false));
}

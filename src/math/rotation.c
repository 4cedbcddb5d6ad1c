/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rotation.c - conversions between quaternions, rotation matrices and rotation vectors, and frames about a normal
 * Method   half-angle formulas; series where a quotient 0/0 would appear; Shepperd's choice of the largest component
 *          for matrix -> quaternion, so nothing is divided by a small number.
 * Valid    all unit quaternions and rotation matrices; errors of a few units in the last place, also near 0 and pi.
 * Source   S. W. Shepperd, "Quaternion from rotation matrix", J. Guidance and Control 1 (1978) 223-224. */
#include "perp/math.h"

#include "math/turn_free.h"
#include "base/elementary.h"

/* Written in squares of all four components and not as 1 - 2(...): a quarter turn about an axis gives exact zeros. */
perp_mat3 perp_q_matrix(perp_quat q) {
    double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    perp_mat3 R = {{{(ww - zz) + (xx - yy), 2 * (xy + wz), 2 * (xz - wy)},
                    {2 * (xy - wz), (ww - xx) + (yy - zz), 2 * (yz + wx)},
                    {2 * (xz + wy), 2 * (yz - wx), (ww - xx) + (zz - yy)}}};
    return R;
}

/* Of q and -q, the one with w >= 0 is returned. */
perp_quat perp_q_from_matrix(perp_mat3 R) {
    double xx = R.c[0].x, yy = R.c[1].y, zz = R.c[2].z, trace = xx + yy + zz;
    double wx = R.c[1].z - R.c[2].y, wy = R.c[2].x - R.c[0].z, wz = R.c[0].y - R.c[1].x; /* 4 w (x, y, z) */
    double xy = R.c[0].y + R.c[1].x, xz = R.c[0].z + R.c[2].x, yz = R.c[1].z + R.c[2].y; /* 4 xy, ... */
    perp_quat q; /* four times the largest component times q; scaled to unit length below */
    if (trace >= xx && trace >= yy && trace >= zz)
        q = (perp_quat){1 + trace, wx, wy, wz};
    else if (xx >= yy && xx >= zz)
        q = (perp_quat){wx, 1 + xx - yy - zz, xy, xz};
    else if (yy >= zz)
        q = (perp_quat){wy, xy, 1 + yy - xx - zz, yz};
    else
        q = (perp_quat){wz, xz, yz, 1 + zz - xx - yy};
    q = perp_q_unit(q);
    return q.w < 0 ? (perp_quat){-q.w, -q.x, -q.y, -q.z} : q;
}

perp_quat perp_q_exp(perp_vec3 phi) {
    double a2 = perp_v3_dot(phi, phi), c, s; /* s = sin(a/2)/a */
    if (a2 < 1e-4) {                         /* next terms below 2e-18; also right where a2 underflows */
        c = 1 - a2 / 8 * (1 - a2 / 48);
        s = 0.5 - a2 / 48 * (1 - a2 / 80);
    } else {
        double a = sqrt(a2);
        pp_sin_cos(a / 2, &s, &c);
        s /= a;
    }
    return (perp_quat){c, s * phi.x, s * phi.y, s * phi.z};
}

/* atan2 keeps full accuracy both near 0 and near pi, where acos would lose half the digits. */
perp_vec3 perp_q_log(perp_quat q) {
    perp_vec3 v = {q.x, q.y, q.z};
    double w = q.w;
    if (w < 0) { /* -q is the same rotation, the shorter way round */
        w = -w;
        v = perp_v3_neg(v);
    }
    double n2 = perp_v3_dot(v, v);
    if (n2 < 1e-20 * w * w) return perp_v3_scale(2 / w, v); /* error below n2/3, relative */
    double n = sqrt(n2);
    return n > 0 ? perp_v3_scale(2 * pp_atan2(n, w) / n, v) : v;
}

perp_vec3 pp_q_log_near(perp_quat q, perp_vec3 near) {
    const double full = 6.283185307179586;
    perp_vec3 phi = perp_q_log(q);
    double a = perp_v3_norm(phi);
    perp_vec3 axis = perp_v3_unit(a > 0 ? phi : near);
    double turns = nearbyint((perp_v3_dot(near, axis) - a) / full);
    return turns == 0 || !isfinite(turns) ? phi : perp_v3_axpy(phi, full * turns, axis);
}

/* A zero axis gives no rotation. */
perp_quat perp_q_axis_angle(perp_vec3 axis, double angle) {
    double big = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    if (!(big > 0)) return perp_q_identity();
    perp_vec3 u = perp_v3_unit(perp_v3(axis.x / big, axis.y / big, axis.z / big)); /* no under- or overflow */
    double s, c;
    pp_sin_cos(angle / 2, &s, &c);
    return (perp_quat){c, s * u.x, s * u.y, s * u.z};
}

/* No continuous frame exists on the whole sphere. This one is smooth except at two opposite directions, and those are
 * oblique ones that scenes do not have by design, near +-(0.18, 0.69, 0.70): t is a(n) x n with an axis a that goes
 * from +z on the equator (the rule in 2D) to +y at the poles, so that a floor, n = +z, has t = +x and o = +y and keeps
 * nearly that frame when it is tilted. t(-n) = -t(n). */
void perp_v3_frame(perp_vec3 n, perp_vec3 *t, perp_vec3 *o) {
    if (n.z == 0) {
        *t = perp_v3(-n.y, n.x, 0);
        *o = perp_v3(0, 0, 1);
        return;
    }
    double c = n.z * n.z;
    perp_vec3 u = perp_v3_cross(perp_v3(0.5 * c * (1 - c), c, 1 - c), n);
    if (!(perp_v3_dot(u, u) > 1e-6)) u = perp_v3(n.z, 0, -n.x); /* within 0.1 degrees of the two directions: y x n */
    u = perp_v3_unit(u);
    *t = perp_v3_unit(perp_v3_axpy(u, -perp_v3_dot(n, u), n)); /* once more: rounding was magnified where u was short */
    *o = perp_v3_cross(n, *t);
}

perp_pose perp_pose_2d(double x, double y, double angle) {
    double s, c;
    pp_sin_cos(angle / 2, &s, &c);
    return (perp_pose){{x, y, 0}, {c, 0, 0, s}};
}

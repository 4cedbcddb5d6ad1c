/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* inertia.c - mass properties: change of frame and sums
 * Method   I_A = R I_B R^T; two bodies add with the parallel axis term of the reduced mass m_a m_b/(m_a + m_b), which
 *          is the same as moving both to the common centre but subtracts nothing.
 * Valid    any masses whose sum is not zero. Results are symmetric to the bit. */
#include "perp/math.h"

perp_mat3 perp_inertia_rotate(perp_quat q_WB, perp_mat3 I_B) {
    perp_mat3 R = perp_q_matrix(q_WB), Rt = perp_m3_transpose(R);
    perp_mat3 A = perp_m3_transpose(perp_m3_mul(R, I_B)); /* columns: rows of R I */
    double xx = perp_v3_dot(A.c[0], Rt.c[0]), yy = perp_v3_dot(A.c[1], Rt.c[1]), zz = perp_v3_dot(A.c[2], Rt.c[2]);
    double xy = perp_v3_dot(A.c[0], Rt.c[1]), xz = perp_v3_dot(A.c[0], Rt.c[2]), yz = perp_v3_dot(A.c[1], Rt.c[2]);
    perp_mat3 I_W = {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
    return I_W;
}

perp_mass perp_mass_move(perp_pose X_AB, perp_mass m) {
    perp_mass r = {m.mass, perp_pose_apply(X_AB, m.com_B), perp_inertia_rotate(X_AB.q, m.I_B)};
    return r;
}

perp_mass perp_mass_add(perp_mass a, perp_mass b) {
    double m = a.mass + b.mass, reduced = a.mass * b.mass / m;
    perp_vec3 d = perp_v3_sub(b.com_B, a.com_B);
    double xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z, xy = -d.x * d.y, xz = -d.x * d.z, yz = -d.y * d.z;
    perp_mat3 J = {{{yy + zz, xy, xz}, {xy, xx + zz, yz}, {xz, yz, xx + yy}}};
    perp_mass r = {m, perp_v3_axpy(a.com_B, b.mass / m, d),
                   perp_m3_add(perp_m3_add(a.I_B, b.I_B), perp_m3_scale(reduced, J))};
    return r;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* matrix.c - inverse and symmetric eigenproblem of 3x3 matrices
 * Method   cofactors; cyclic Jacobi rotations, each annihilating one off-diagonal entry.
 * Valid    inverse: regular matrices, error of about condition number x rounding. eigen: every finite symmetric matrix,
 *          repeated eigenvalues included; converges quadratically, five or six sweeps in practice.
 * Source   Golub, Van Loan, Matrix Computations, 8.5 (Jacobi methods). */
#include "perp/math.h"

#include <float.h>

perp_mat3 perp_m3_inverse(perp_mat3 m) {
    perp_vec3 r0 = perp_v3_cross(m.c[1], m.c[2]), r1 = perp_v3_cross(m.c[2], m.c[0]),
              r2 = perp_v3_cross(m.c[0], m.c[1]);
    double det = perp_v3_dot(m.c[0], r0);
    perp_mat3 rows = {{r0, r1, r2}}; /* rows of the adjugate */
    perp_mat3 inv = perp_m3_transpose(rows);
    for (int j = 0; j < 3; j++) inv.c[j] = perp_v3(inv.c[j].x / det, inv.c[j].y / det, inv.c[j].z / det);
    return inv;
}

/* Rotates in the plane (p, q) so that a[p][q] becomes zero; the rotation is multiplied onto v. */
static void annihilate(double a[3][3], double v[3][3], int p, int q) {
    int r = 3 - p - q;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)); /* tangent of the smaller angle */
    double c = 1 / sqrt(t * t + 1), s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    double rp = c * a[r][p] - s * a[r][q], rq = s * a[r][p] + c * a[r][q];
    a[r][p] = a[p][r] = rp;
    a[r][q] = a[q][r] = rq;
    for (int i = 0; i < 3; i++) {
        double vp = c * v[i][p] - s * v[i][q], vq = s * v[i][p] + c * v[i][q];
        v[i][p] = vp;
        v[i][q] = vq;
    }
}

/* Of a matrix that is not symmetric, the lower triangle is used. */
perp_vec3 perp_m3_eigen(perp_mat3 m, perp_mat3 *vectors) {
    double a[3][3] = {{m.c[0].x, m.c[0].y, m.c[0].z}, {m.c[0].y, m.c[1].y, m.c[1].z}, {m.c[0].z, m.c[1].z, m.c[2].z}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 30; sweep++) {
        bool rotated = false;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                double small = DBL_EPSILON / 64 * fmin(fabs(a[p][p]), fabs(a[q][q]));
                if (!(fabs(a[p][q]) > small)) continue;
                annihilate(a, v, p, q);
                rotated = true;
            }
        }
        if (!rotated) break;
    }
    int k[3] = {0, 1, 2}; /* ascending; ties keep their order */
    bool odd = false;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (a[k[j + 1]][k[j + 1]] < a[k[j]][k[j]]) {
                int swap = k[j];
                k[j] = k[j + 1];
                k[j + 1] = swap;
                odd = !odd;
            }
        }
    }
    if (vectors) {
        for (int j = 0; j < 3; j++) vectors->c[j] = perp_v3(v[0][k[j]], v[1][k[j]], v[2][k[j]]);
        if (odd) vectors->c[2] = perp_v3_neg(vectors->c[2]); /* a rotation, not a reflection */
    }
    return perp_v3(a[k[0]][k[0]], a[k[1]][k[1]], a[k[2]][k[2]]);
}

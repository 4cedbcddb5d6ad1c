/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_coords.c - coordinates, rates and errors of a joint from the poses and velocities of its sides
 * Problem  Measure the coordinates of a joint along its free motions, and the errors of its locked motions.
 * Method   Displacements are components of d, from the origin of Ja to that of Jb, along the axes of Ja. Angles in 3D
 *          come from the relative orientation and are continued by the nearest turn; in 2D they are differences of the
 *          accumulated angles of the bodies, continued likewise. Errors of rotation are true angles, not sines, so that
 *          a step with the plain rows (w_B - w_A) . e removes any error of the tilt or of all three rotations at once,
 *          however large.
 * Valid    Angles: relative rotation below pi between `last` and now. See joint_geometry.c for the singular poses.
 * Source   Williams 2.2.3 (frames and locked motions); angles and errors derived here. */
#include "model/joint_geometry.h"

#include "base/elementary.h"

static double measure(const pp_joint_frames *f, int dim, pp_joint_measure m) {
    const perp_vec3 *a = f->xyz_a, *b = f->xyz_b;
    switch (m) {
    case PP_SUM: return 0; /* not of its own frames */
    case PP_ALONG_X: return perp_v3_dot(f->d, a[0]);
    case PP_ALONG_Y: return perp_v3_dot(f->d, a[1]);
    case PP_ALONG_Z: return perp_v3_dot(f->d, a[2]);
    case PP_TWIST: return dim == 2 ? f->turn : 2 * pp_atan2(f->q_ab.z, f->q_ab.w);
    case PP_CROSS_Z: return pp_atan2(perp_v3_dot(a[1], b[0]), perp_v3_dot(a[0], b[0]));
    case PP_CROSS_X: break;
    }
    return pp_atan2(perp_v3_dot(a[2], b[1]), perp_v3_dot(a[2], b[2]));
}

void pp_joint_coords_of(perp_joint_kind kind, int dim, const pp_joint_frames *f, const double *last, double *coord) {
    const pp_joint_kind_data *k = pp_joint_kind_of(kind, dim);
    for (int i = 0; i < k->ncoord; i++) {
        double x = measure(f, dim, k->coord[i]);
        coord[i] = pp_joint_is_angle(k->coord[i]) ? pp_joint_nearest_turn(x, last ? last[i] : 0) : x;
    }
}

void pp_joint_coords(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                     const double *last, double *coord) {
    pp_joint_frames f = pp_joint_frames_of(def, dim, a, b);
    pp_joint_coords_of(def->kind, dim, &f, last, coord);
}

void pp_joint_rates(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b, double *rate) {
    const pp_joint_kind_data *k = pp_joint_kind_of(def->kind, dim);
    pp_joint_frames f = pp_joint_frames_of(def, dim, a, b);
    perp_vec3 v = perp_v3_sub(b->v, a->v);
    for (int i = 0; i < k->ncoord; i++) {
        pp_joint_gradient g = pp_joint_measure_gradient(&f, dim, k->coord[i]);
        rate[i] = perp_v3_dot(g.lin, v) + perp_v3_dot(g.ang_b, b->w) + perp_v3_dot(g.ang_a, a->w);
    }
}

bool pp_joint_is_hinge(const perp_joint_def *def, int dim) {
    const pp_joint_kind_data *k = pp_joint_kind_of(def->kind, dim);
    return dim == 3 && k->ncoord == 1 && k->coord[0] == PP_TWIST;
}

double pp_joint_hinge_rate(const perp_joint_def *def, const perp_quat q[2], const perp_vec3 w[2]) {
    pp_joint_frames f;
    (void)pp_joint_axes_of(def, q[0], q[1], &f);
    pp_joint_gradient g = pp_joint_measure_gradient(&f, 3, PP_TWIST);
    return 0 + perp_v3_dot(g.ang_b, w[1]) + perp_v3_dot(g.ang_a, w[0]);
}

/* Rotation that takes z_a to z_b by the shortest way, along x_a and y_a. */
static void tilt(const pp_joint_frames *f, double out[2]) {
    perp_vec3 n = perp_v3_cross(f->xyz_a[2], f->xyz_b[2]);
    double s = perp_v3_norm(n), c = perp_v3_dot(f->xyz_a[2], f->xyz_b[2]);
    double angle = pp_atan2(s, c);
    double scale = s > 0 ? angle / s : 1;
    out[0] = scale * perp_v3_dot(n, f->xyz_a[0]);
    out[1] = scale * perp_v3_dot(n, f->xyz_a[1]);
    if (!(s > 0) && c < 0) out[0] = angle; /* exactly opposite: any way is shortest */
}

int pp_joint_errors_of(perp_joint_kind kind, int dim, const pp_joint_frames *f, double *phi) {
    const pp_joint_kind_data *k = pp_joint_kind_of(kind, dim);
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (k->lock[i]) phi[n++] = perp_v3_dot(f->d, f->xyz_a[i]);
    if (!f->can_turn) return n;
    switch (k->turn) {
    case PP_TURN_FREE: break;
    case PP_TURN_ALL: {
        perp_vec3 r = perp_q_log(f->q_ab);
        phi[n++] = r.x;
        phi[n++] = r.y;
        phi[n++] = r.z;
        break;
    }
    case PP_TURN_TILT:
        tilt(f, phi + n);
        n += 2;
        break;
    case PP_TURN_CROSS: phi[n++] = perp_v3_dot(f->xyz_a[2], f->xyz_b[0]); break;
    case PP_TURN_PLANE: phi[n++] = pp_joint_nearest_turn(f->turn, 0); break; /* a whole turn is no error */
    }
    return n;
}

int pp_joint_errors(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b, double *phi) {
    pp_joint_frames f = pp_joint_frames_of(def, dim, a, b);
    return pp_joint_errors_of(def->kind, dim, &f, phi);
}

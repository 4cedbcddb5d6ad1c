/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* slide.c - friction of a cube that slides flat
 * Method   a stretch is a run of rows in which a face is within TILT of level, the middle at its height of rest, and the cube
 *          slides faster than SLOWEST without turning much; its first and last rows are left out, because velocities
 *          are differences and belong to the neighbours too. A parabola is fitted to the path of the centre of mass;
 *          mu is the deceleration along the path over g.
 * Valid    the board is level to 0.6 degree (README of the data), which is worth 0.01 in mu, with a sign that depends on the
 *          direction: part of the spread between tosses, and up to that size a common error where all are thrown the same way. */
#include "slide.h"

#include <math.h>
#include <stdlib.h>

#define TILT       0.03   /* [rad], against 0.011 rad of faces at rest */
#define HEIGHT     1.5e-3 /* [m], against a spread of 0.3 mm at rest */
#define SLOWEST    0.05   /* [m/s], 50 times the noise of velocities over a stretch */
#define TURNING    0.3    /* most that turning about the vertical adds at a corner, as a part of the speed */
#define CORNER_ARM 0.07   /* [m], from the vertical through the middle to a corner */
#define TIPPING    0.5    /* [rad/s], most spin about horizontal axes */
enum { TRIM = 1 };        /* rows left out at both ends */

static bool slides(const cube *c, const toss *t, int row) {
    perp_quat q = t->X_WB[row].q;
    perp_vec3 up_B = perp_q_unrotate(q, perp_v3(0, 0, 1)), w_W = perp_q_rotate(q, t->w_B[row]);
    double level = fmax(fabs(up_B.x), fmax(fabs(up_B.y), fabs(up_B.z))), speed = hypot(t->v_W[row].x, t->v_W[row].y);
    return level > cos(TILT) && fabs(t->X_WB[row].p.z - c->rest) < HEIGHT && speed > SLOWEST &&
           fabs(w_W.z) * CORNER_ARM < TURNING * speed && hypot(w_W.x, w_W.y) < TIPPING;
}

/* Velocity and acceleration in the middle of rows from .. from + n - 1 of the centre of mass, by a parabola. The times are
 * evenly spaced, so the parabola is a sum of orthogonal polynomials. */
static void parabola(const cube *c, const toss *t, int from, int n, perp_vec3 *velocity, perp_vec3 *acceleration) {
    double middle = (n - 1) / 2.0, s2 = 0, s4 = 0;
    for (int i = 0; i < n; i++) {
        double x = i - middle;
        s2 += x * x;
        s4 += x * x * x * x;
    }
    double mean = s2 / n, norm = s4 - s2 * mean;
    *velocity = *acceleration = perp_v3(0, 0, 0);
    for (int i = 0; i < n; i++) {
        double x = i - middle;
        perp_vec3 p = perp_pose_apply(t->X_WB[from + i], perp_v3(0, 0, c->com_z));
        *velocity = perp_v3_axpy(*velocity, x / s2 * TOSS_RATE, p);
        *acceleration = perp_v3_axpy(*acceleration, 2 * (x * x - mean) / norm * TOSS_RATE * TOSS_RATE, p);
    }
}

int slide_measure(const toss_set *s, const cube *c, slide_figures *out, int max) {
    int n = 0;
    for (int i = 0; i < s->tosses; i++) {
        const toss *t = &s->toss[i];
        for (int from = 0, to; from < t->rows; from = to) {
            for (to = from; to < t->rows && slides(c, t, to);) to++;
            int rows = to - from - 2 * TRIM;
            if (to == from) to++;
            if (rows < SLIDE_ROWS) continue;
            perp_vec3 v, a;
            parabola(c, t, from + TRIM, rows, &v, &a);
            double speed = hypot(v.x, v.y);
            if (n < max) out[n] = (slide_figures){i, rows, -(a.x * v.x + a.y * v.y) / speed / c->g, speed};
            n++;
        }
    }
    return n;
}

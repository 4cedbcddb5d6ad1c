/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_camera.c - projection, and the camera that shows all of some balls
 * Method   axes from azimuth and elevation. Then, repeated a few times: the least distance at which every ball lies within the four planes
 *          of the picture, and a shift that brings the middle of the balls to the middle of the picture.
 * Cost     proportional to the balls. */
#include "render/render_camera.h"

#define FIELD  (28 * 3.14159265358979323846 / 180) /* across the shorter side of the picture: little distortion */
#define MARGIN 0.07                                /* of the shorter side, free on each side */
#define ROUNDS 12

render_seen render_project(const render_camera *c, perp_vec3 p_W) {
    perp_vec3 r = perp_v3_sub(p_W, c->eye_W);
    double depth = perp_v3_dot(r, c->ahead_W), s = c->parallel ? c->focal : c->focal / depth;
    return (render_seen){c->cx + s * perp_v3_dot(r, c->right_W), c->cy - s * perp_v3_dot(r, c->up_W), depth,
                         c->parallel ? -depth : 1 / depth};
}

double render_depth(const render_camera *c, double close) { return c->parallel ? -close : 1 / close; }

double render_pixel(const render_camera *c, double depth) { return c->parallel ? 1 / c->focal : depth / c->focal; }

perp_vec3 render_unproject(const render_camera *c, double x, double y, double close) {
    double depth = render_depth(c, close), s = render_pixel(c, depth);
    perp_vec3 p = perp_v3_axpy(c->eye_W, depth, c->ahead_W);
    p = perp_v3_axpy(p, (x - c->cx) * s, c->right_W);
    return perp_v3_axpy(p, (c->cy - y) * s, c->up_W);
}

perp_vec3 render_to_eye(const render_camera *c, perp_vec3 p_W) {
    return c->parallel ? perp_v3_neg(c->ahead_W) : perp_v3_unit(perp_v3_sub(c->eye_W, p_W));
}

static void set_axes(render_camera *c, int dim, const render_view *v) {
    if (dim == 2) {
        c->right_W = perp_v3(1, 0, 0);
        c->up_W = perp_v3(0, 1, 0);
        c->ahead_W = perp_v3(0, 0, -1);
        return;
    }
    double ca = cos(v->azimuth), sa = sin(v->azimuth), ce = cos(v->elevation), se = sin(v->elevation);
    c->ahead_W = perp_v3(-ce * ca, -ce * sa, -se);
    c->right_W = perp_v3(-sa, ca, 0);
    c->up_W = perp_v3_cross(c->right_W, c->ahead_W);
}

/* Bounds of a ball in the picture, as slopes from the middle: across[0] <= x/depth <= across[1]. */
typedef struct bounds {
    double x[2], y[2];
} bounds;

/* Coordinates along the axes of the camera, seen from the target. */
static perp_vec3 along_axes(const render_camera *c, perp_vec3 target, perp_vec3 p) {
    perp_vec3 r = perp_v3_sub(p, target);
    return perp_v3(perp_v3_dot(r, c->right_W), perp_v3_dot(r, c->up_W), perp_v3_dot(r, c->ahead_W));
}

/* Parallel projection: middle and half widths are those of the balls. */
static bounds box_of(const render_camera *c, perp_vec3 target, const render_ball *ball, long n) {
    bounds b = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (long i = 0; i < n; i++) {
        perp_vec3 q = along_axes(c, target, ball[i].centre_W);
        b.x[0] = fmin(b.x[0], q.x - ball[i].radius);
        b.x[1] = fmax(b.x[1], q.x + ball[i].radius);
        b.y[0] = fmin(b.y[0], q.y - ball[i].radius);
        b.y[1] = fmax(b.y[1], q.y + ball[i].radius);
    }
    return b;
}

/* The least distance from the target at which all balls are within slopes tx and ty, and (in *b) what is seen then. A
 * ball touches the plane x = tx depth if x cos - depth sin = -r with tan = tx, so that it needs the depth
 * (|x| + r/cos)/tx. */
static double least_distance(const render_camera *c, perp_vec3 target, const render_ball *ball, long n, double tx,
                             double ty, bounds *b) {
    double d = 0, kx = sqrt(1 + tx * tx), ky = sqrt(1 + ty * ty);
    for (long i = 0; i < n; i++) {
        perp_vec3 q = along_axes(c, target, ball[i].centre_W);
        double r = ball[i].radius;
        d = fmax(d, (fabs(q.x) + r * kx) / tx - q.z);
        d = fmax(d, (fabs(q.y) + r * ky) / ty - q.z);
        d = fmax(d, 1.05 * r - q.z);
    }
    *b = (bounds){{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (long i = 0; i < n && d > 0; i++) {
        perp_vec3 q = along_axes(c, target, ball[i].centre_W);
        double z = d + q.z, r = ball[i].radius;
        if (!(z > 0)) continue;
        b->x[0] = fmin(b->x[0], (q.x - r * kx) / z);
        b->x[1] = fmax(b->x[1], (q.x + r * kx) / z);
        b->y[0] = fmin(b->y[0], (q.y - r * ky) / z);
        b->y[1] = fmax(b->y[1], (q.y + r * ky) / z);
    }
    return d;
}

static perp_vec3 move_in_picture(const render_camera *c, perp_vec3 target, double x, double y) {
    return perp_v3_axpy(perp_v3_axpy(target, x, c->right_W), y, c->up_W);
}

render_camera render_camera_fit(int dim, const render_view *v, const render_ball *ball, long n, int width, int height,
                                render_aim *aim) {
    static const render_ball unit = {{0, 0, 0}, 1};
    if (n < 1) ball = &unit, n = 1;
    render_camera c = {.cx = width / 2.0, .cy = height / 2.0, .parallel = v->parallel || dim == 2};
    set_axes(&c, dim, v);
    double shorter = width < height ? width : height, most = 0;
    double tx = tan(FIELD / 2) * (1 - 2 * MARGIN) * width / shorter,
           ty = tan(FIELD / 2) * (1 - 2 * MARGIN) * height / shorter;
    double zoom = v->zoom > 0 ? v->zoom : 1;
    perp_vec3 target = v->has_target ? v->target_W : ball[0].centre_W;
    bounds b = box_of(&c, target, ball, n);
    if (!v->has_target) {
        /* the middle of the balls also along the axis, which the picture does not tell */
        double z[2] = {INFINITY, -INFINITY};
        for (long i = 0; i < n; i++) {
            double q = along_axes(&c, target, ball[i].centre_W).z;
            z[0] = fmin(z[0], q);
            z[1] = fmax(z[1], q);
        }
        target = move_in_picture(&c, target, (b.x[0] + b.x[1]) / 2, (b.y[0] + b.y[1]) / 2);
        target = perp_v3_axpy(target, (z[0] + z[1]) / 2, c.ahead_W);
        b = box_of(&c, target, ball, n);
    }
    most = fmax(fmax(fabs(b.x[0]), fabs(b.x[1])) / tx, fmax(fabs(b.y[0]), fabs(b.y[1])) / ty);
    double d = v->distance > 0 ? v->distance : most;
    if (!c.parallel && !(v->distance > 0)) {
        d = least_distance(&c, target, ball, n, tx, ty, &b);
        for (int k = 0; k < ROUNDS && !v->has_target && d > 0; k++) {
            target = move_in_picture(&c, target, d * (b.x[0] + b.x[1]) / 2, d * (b.y[0] + b.y[1]) / 2);
            d = least_distance(&c, target, ball, n, tx, ty, &b);
        }
    }
    if (!(d > 0)) d = 1; /* a single point */
    c.focal = shorter / (2 * tan(FIELD / 2));
    if (c.parallel) {
        c.focal *= zoom / d; /* so that the same distance shows the same at the target */
        double far = 0;      /* the eye stands before everything */
        for (long i = 0; i < n; i++)
            far = fmax(far, perp_v3_norm(perp_v3_sub(ball[i].centre_W, target)) + ball[i].radius);
        c.nearest = -1e6 * (d + far); /* nothing is behind a parallel camera */
    } else {
        if (!(v->distance > 0))
            d /= zoom;
        else
            c.focal *= zoom;
        c.nearest = 1e-3 * d;
    }
    c.eye_W = perp_v3_axpy(target, -d, c.ahead_W);
    if (aim) *aim = (render_aim){d, target};
    return c;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_camera.h - from points of the world to points of the picture.
 *
 * Pixels: x to the right, y down, the centre of the first pixel at (0.5, 0.5). A 2D world is seen from +z in parallel
 * projection, so that the same functions serve both. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include "perp/math.h"

typedef struct render_camera {
    perp_vec3 eye_W;
    perp_vec3 right_W, up_W, ahead_W; /* unit, orthogonal */
    double focal;   /* pixels per length: at depth 1 in perspective, everywhere in parallel projection */
    double cx, cy;  /* where the axis meets the picture [px] */
    double nearest; /* depth from which on things are seen [L] */
    bool parallel;
} render_camera;

/* A point as seen. `close` grows towards the eye and is linear in the picture along straight lines and planes: what a
 * depth buffer needs. */
typedef struct render_seen {
    double x, y;  /* [px] */
    double depth; /* along the axis [L] */
    double close; /* 1/depth; in parallel projection -depth */
} render_seen;

render_seen render_project(const render_camera *c, perp_vec3 p_W); /* the caller must check depth >= nearest */
perp_vec3 render_unproject(const render_camera *c, double x, double y, double close);
/* Direction from a point towards the eye, unit. */
perp_vec3 render_to_eye(const render_camera *c, perp_vec3 p_W);
/* Length that a pixel spans at that depth [L]. */
double render_pixel(const render_camera *c, double depth);
/* The depth that belongs to `close`. */
double render_depth(const render_camera *c, double close);

/* A ball that the picture is to show. */
typedef struct render_ball {
    perp_vec3 centre_W;
    double radius;
} render_ball;

/* The requested camera. */
typedef struct render_view {
    double azimuth, elevation; /* of the eye as seen from the target: about z from +x, above the x-y plane [rad] */
    double distance;           /* of the eye from the target [L]; 0: so that the balls fit */
    double zoom;               /* magnification; 2: everything is twice as large */
    perp_vec3 target_W;        /* what the middle of the picture shows */
    bool has_target;           /* false: the middle of the balls */
    bool parallel;
} render_view;

/* Where a camera looks. */
typedef struct render_aim {
    double distance;    /* of the eye from the target [L] */
    perp_vec3 target_W; /* what the middle of the picture shows */
} render_aim;

/* The camera of a view for a picture of width x height pixels. Without any ball, a cube of edge 2 about the origin is
 * shown. *aim (NULL: not wanted) gets what was chosen. */
render_camera render_camera_fit(int dim, const render_view *v, const render_ball *ball, long n, int width, int height,
                                render_aim *aim);

#endif

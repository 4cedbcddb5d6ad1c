/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* belt.h - surface velocities: conveyor belts */
#ifndef PP_BELT_H
#define PP_BELT_H

#include "stage/frame.h"

/* Velocity of the surface of a shape relative to its body in a frame, in the body frame [L/T]. */
struct pp_belt {
    /* For friction: the mean over the substep; at an instant, the velocity then; with `driven: end`, that of the end.
     * Driven bodies are treated in the same way, see drive_bodies() in control.c. */
    perp_vec3 now_B;
    /* Half kick: at the start of the step; second kick: the mean of the step; otherwise that of the previous substep. */
    perp_vec3 before_B;
};

/* Sets f->control.belt; NULL if no surface moves. Returns PERP_E_ARG if a function gave a velocity that is not finite,
 * or not planar in 2D. */
perp_status pp_belts(pp_frame *f);
/* Surface velocity of B relative to A, without the velocity of the bodies, in W [L/T]. A part along the normal of a
 * contact has no meaning. shape: slots of A and B; before: with before_B. */
perp_vec3 pp_belt_slip(const pp_frame *f, const int shape[2], bool before);
/* Speed of the fastest surface of the frame [L/T]; 0: none moves. */
double pp_belt_fastest(const pp_frame *f);
/* Is the shape driven, by its body or by its surface? */
static inline bool pp_shape_drives(const pp_frame *f, int shape) {
    const perp_world *w = f->w;
    bool moves = false;
    for (int i = 0; i < w->nbelt && !moves; i++) moves = w->belt[i].shape == shape;
    return moves || w->body[w->shape[shape].body].kind == PERP_BODY_KINEMATIC;
}

#endif

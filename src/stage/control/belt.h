/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* belt.h - velocities of surfaces: conveyor belts */
#ifndef PP_BELT_H
#define PP_BELT_H

#include "stage/frame.h"

/* Velocity of the surface of a shape relative to its body in a frame, in the body frame [L/T]. */
struct pp_belt {
    perp_vec3
        now_B; /* that friction sees: the mean of the part; at an instant: the velocity then; with `driven: end`: that of the
                        end. See drive_bodies() in control.c, which treats driven bodies alike. */
    perp_vec3
        before_B; /* half a kick: at the start of the step; the second one: the mean of the step; else that of the part before */
};

/* Fills f->control.belt; NULL if no surface moves. PERP_E_ARG if a function gave a velocity that is not finite, or not planar in 2D. */
perp_status pp_belts(pp_frame *f);
/* Velocity of the surface of B relative to that of A, without that of the bodies, in W [L/T]; it may have a part along the normal of
 * a contact, which means nothing. shape: slots of A and B; before: with before_B. */
perp_vec3 pp_belt_slip(const pp_frame *f, const int shape[2], bool before);
/* The fastest surface of the frame [L/T]; 0: none moves. */
double pp_belt_fastest(const pp_frame *f);
/* Is the shape driven: by its body, or by its surface? */
static inline bool pp_shape_drives(const pp_frame *f, int shape) {
    const perp_world *w = f->w;
    bool moves = false;
    for (int i = 0; i < w->nbelt && !moves; i++) moves = w->belt[i].shape == shape;
    return moves || w->body[w->shape[shape].body].kind == PERP_BODY_KINEMATIC;
}

#endif

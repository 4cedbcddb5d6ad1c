/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_laws.h - impacts at one pose: what touches, and what its law makes of the velocities. */
#ifndef PP_IMPACT_LAWS_H
#define PP_IMPACT_LAWS_H

#include "step/impact_series.h"
#include "step/rebound_limit.h"
#include "stage/frame.h"

/* Impacts of one step, and frames and certificates of what was done so far, in their order. */
typedef struct pp_impacts {
    perp_world *w;
    pp_state *s;             /* poses and velocities now */
    const bool *acts;        /* see pp_frame_task */
    const perp_wrench *held; /* see pp_frame_task */
    double h;                /* length of the step, or of the part of it that is looked at [T] */
    perp_certificate sum;
    pp_frame **frame;
    int nframe, cap;
    int count;      /* impacts */
    bool stops;     /* one had no answer with restitution: those after it in this step have none either */
    double *rest;   /* by body slot: half of what forces alone do to its points within h [L/T] */
    double *accel;  /* ndof: accelerations by forces alone */
    bool *grounded; /* by body slot: something that is fixed or driven bears it, directly or through others */
    double least;   /* smallest speed that is one [L/T] */
    double behind;  /* velocities of s are half of this behind its poses [T] */
    pp_series_list
        series; /* a pair whose series ended has impacts without restitution, up to the speed at which it did */
} pp_impacts;

/* Appends a frame that was solved, with its certificate. */
perp_status pp_impacts_add(pp_impacts *m, pp_frame *f, const perp_certificate *c);
/* A frame of what touches at m->s, with rows at the level of velocities and no solution. */
perp_status pp_impact_look(pp_impacts *m, pp_frame **out);
/* Half of what forces do along the normal of contact i of such a frame within the step [L/T]. */
double pp_force_speed(const pp_impacts *m, const pp_frame *look, int i);
/* Approach below which it rests and is no impact [L/T]: all rebounds to come, which last 2 u/(a (1 - e)) under the acceleration a, end within the
 * step. With e = 1 they never do. */
double pp_rest_speed(const pp_impacts *m, const pp_frame *look, int i);
/* The law, for all that touches in `look`; velocities of m->s change. PERP_E_SOLVE if there is no answer, even without
 * restitution. */
perp_status pp_impact(pp_impacts *m, const pp_frame *look);
/* The same for contact i alone by Stronge's law; false: it has no friction to speak of, or no answer by it. */
bool pp_stronge(const pp_frame *k, int i, double impulse[3]);

#endif

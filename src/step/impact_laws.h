/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_laws.h - impacts at one pose: finds the touching contacts and applies the impact law to the velocities. */
#ifndef PP_IMPACT_LAWS_H
#define PP_IMPACT_LAWS_H

#include "step/impact_series.h"
#include "step/rebound_limit.h"
#include "stage/frame.h"

/* The impacts of one step, with the frames and certificates of everything solved so far, in order of time. */
typedef struct pp_impacts {
    perp_world *w;
    pp_state *s;             /* current poses and velocities */
    const bool *acts;        /* see pp_frame_task */
    const perp_wrench *held; /* see pp_frame_task */
    double h;                /* length of the step, or of the substep that is examined [T] */
    perp_certificate sum;
    pp_frame **frame;
    int nframe, cap;
    int count;  /* number of impacts */
    bool stops; /* an impact had no solution with restitution: later impacts of this step have no restitution either */
    double *rest;   /* by body slot: half of the velocity change of its points by forces alone within h [L/T] */
    double *accel;  /* ndof: accelerations by forces alone */
    bool *grounded; /* by body slot: supported by a fixed or driven body, directly or through other bodies */
    double least;   /* speeds below this are rounding [L/T] */
    double behind;  /* the velocities of s belong to a time behind/2 before its poses [T] */
    pp_series_list
        series; /* if the series of a pair has ended, its impacts up to the speed of that end have no restitution */
} pp_impacts;

/* Appends a solved frame and its certificate. */
perp_status pp_impacts_add(pp_impacts *m, pp_frame *f, const perp_certificate *c);
/* Makes a frame of the contacts that touch at m->s, with velocity-level rows. It is not solved. */
perp_status pp_impact_look(pp_impacts *m, pp_frame **out);
/* Half of the velocity change by forces along the normal of contact i of such a frame, within the step [L/T]. */
double pp_force_speed(const pp_impacts *m, const pp_frame *look, int i);
/* Speed of rest [L/T]. If a contact approaches more slowly than this, it rests and there is no impact: all rebounds to
 * come take the time 2 u/(a (1 - e)) at the acceleration a, and this time ends within the step. With e = 1 it never
 * ends. */
double pp_rest_speed(const pp_impacts *m, const pp_frame *look, int i);
/* Applies the impact law to all contacts of `look` and changes the velocities of m->s. Returns PERP_E_SOLVE if there is
 * no solution, even without restitution. */
perp_status pp_impact(pp_impacts *m, const pp_frame *look);
/* Stronge's law for contact i alone. Returns false if the law does not apply to the contact, or if its path does not
 * end. */
bool pp_stronge(const pp_frame *k, int i, double impulse[3]);

#endif

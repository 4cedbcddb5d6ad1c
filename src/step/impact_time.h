/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_time.h - time of the first impact of pairs of shapes. */
#ifndef PP_IMPACT_TIME_H
#define PP_IMPACT_TIME_H

#include "stage/frame.h"

/* A pair of placed shapes of a frame, by their indices. */
typedef struct pp_impact_event {
    int i, j;
    bool parting; /* they touch now and separate */
} pp_impact_event;

/* Earliest time within `span` at which one of n pairs closes; INFINITY if none does. Bodies move from f->s0 with its
 * velocities and the constant accelerations a (ndof of f); driven bodies follow their motion. *which: the index of the
 * pair. */
double pp_first_meeting(const pp_frame *f, const double *a, const pp_impact_event *pair, int n, double span,
                        int *which);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_bodies.h - the bodies behind a matrix W that was given without them */
#ifndef PP_CONE_BODIES_H
#define PP_CONE_BODIES_H

#include "solver/cone/cone.h"

/* Converts a problem in local form (body == false) to body mode, if W~ = J J' with a sparse J of far fewer columns than
 * rows is found. The columns are the dofs of the nodes, with M = 1. Otherwise c is not changed. q, scale, diag and the
 * blocks never change. Allocates in the call's memory. Returns false if out of memory. */
bool pp_cone_find_bodies(pp_cone *c, const perp_call *call);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_bodies.h - the bodies behind a matrix W that was given without them */
#ifndef PP_CONE_BODIES_H
#define PP_CONE_BODIES_H

#include "solver/cone/cone.h"

/* Puts a problem in local form (body == false) into body mode, if W~ = J J' with a sparse J of far fewer columns than rows is found.
 * The columns are the nodes' dofs, with M = 1. Else c stays as it is. q, scale, diag and the blocks do not change. All in
 * the call's memory. False if that is refused. */
bool pp_cone_find_bodies(pp_cone *c, const perp_call *call);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound_limit.h - limits restitution and push-out so that they do not add energy. */
#ifndef PP_REBOUND_LIMIT_H
#define PP_REBOUND_LIMIT_H

#include "stage/pose/rebound.h"

/* Checks whether restitution added energy in a solved frame. If so, sets *again: the frame must be solved again with
 * `r` as f->demand.rebounds. */
perp_status pp_limit_rebounds(const pp_frame *f, pp_rebound_limits *r, bool *again);
/* Checks whether contacts added energy because they push out penetration. If so, sets *again: the frame must be solved
 * again with the new r->push_out. */
perp_status pp_limit_push_out(const pp_frame *f, pp_rebound_limits *r, bool *again);
/* After a frame could not be solved: returns true if it should be tried again without restitution, and records this in
 * `r`. Newton's rule prescribes the velocity of separation. If friction wedges the bodies, that may have no solution,
 * but stopping has one. */
bool pp_give_up_rebounds(const pp_frame *f, pp_rebound_limits *r);
/* Switches restitution of a pair of shapes off from now on. Returns false if out of memory. */
bool pp_no_rebound(pp_rebound_limits *r, pp_arena *arena, const int shape[2]);
/* Writes to the certificate of a solved substep how many rebounds were limited or given up. */
void pp_tell_rebounds(const pp_rebound_limits *r, perp_certificate *cert);

#endif

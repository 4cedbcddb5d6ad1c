/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound_limit.h - the part of restitution that energy allows, for step/step.c. */
#ifndef PP_REBOUND_LIMIT_H
#define PP_REBOUND_LIMIT_H

#include "stage/pose/rebound.h"

/* Did restitution gain energy in a solved frame? Then *again: it is to be solved once more, with `r` as f->rebounds. */
perp_status pp_limit_rebounds(const pp_frame *f, pp_rebound_limits *r, bool *again);
/* Did contacts gain energy because they push out overlap? Then *again: it is to be solved once more, with another
 * r->push_out. */
perp_status pp_limit_push_out(const pp_frame *f, pp_rebound_limits *r, bool *again);
/* A frame was not solved: shall it be tried without restitution? If so, `r` says that from now on. Newton's rule
 * prescribes how bodies leave, and where friction wedges them that may have no answer; that they stop has one. */
bool pp_give_up_rebounds(const pp_frame *f, pp_rebound_limits *r);
/* A pair of shapes without restitution from now on. False: memory is short. */
bool pp_no_rebound(pp_rebound_limits *r, pp_arena *arena, const int shape[2]);
/* What came of all of them, for the certificate of a part that was solved. */
void pp_tell_rebounds(const pp_rebound_limits *r, perp_certificate *cert);

#endif

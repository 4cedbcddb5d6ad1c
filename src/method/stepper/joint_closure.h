/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_closure.h - checks whether the joints can be closed at the end poses of the driven bodies; used by step/step.c. */
#ifndef PP_JOINT_CLOSURE_H
#define PP_JOINT_CLOSURE_H

#include "stage/frame.h"

/* Called after a step whose bodies have moved (f->s1). If joints of driven bodies have opened in it, and no poses near
 * by close them, returns PERP_E_SOLVE with a sentence that names the joints and the driven bodies, and sets
 * f->advice.shorter_step_useless. Errors that existed at the start do not count, nor errors that rounds or a shorter step could
 * close. Also returns PERP_E_MEMORY. */
perp_status pp_check_closure(pp_frame *f);

/* The same check after a step that failed, with driven bodies at their end in f->s1. If the joints are the cause, adds
 * their names to the message of the world. */
void pp_name_unclosed(pp_frame *f);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_closure.h - can the joints be closed where the driven bodies go? For step/step.c. */
#ifndef PP_JOINT_CLOSURE_H
#define PP_JOINT_CLOSURE_H

#include "stage/frame.h"

/* Asked of a step whose bodies have moved, f->s1. If joints with driven bodies have opened in it, and no poses near by
 * close them: PERP_E_SOLVE with a sentence that names the joints and the driven bodies, and f->hopeless. Errors that were there at
 * the start do not count, nor what rounds or a shorter step could close. PERP_E_MEMORY. */
perp_status pp_check_closure(pp_frame *f);

/* The same asked of a step that failed, whose driven bodies are at their end in f->s1: adds the names to the world's
 * sentence if that is why. */
void pp_name_unclosed(pp_frame *f);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* refuse.h - a status and the sentence that goes with it. */
#ifndef PP_REFUSE_H
#define PP_REFUSE_H

#include "perp/base.h"

/* Writes the sentence into why (NULL: nowhere) and returns s. */
perp_status pp_refuse(char *why, size_t why_size, perp_status s, const char *format, ...) PERP_PRINTF(4, 5);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* text.h - what the readers of text share: numbers and the likeness of words. */
#ifndef PP_TEXT_H
#define PP_TEXT_H

#include "perp/base.h"

/* Reads the decimal number without sign (12, 1.5, .5, 2., 1e-3) that text begins with. Returns its bytes, 0 if there
 * is none. The value is the nearest double (ties to even), whatever the locale; infinite if the number is too large.
 * An e without digits after it is left. */
size_t pp_number_scan(const char *text, size_t length, double *out);

/* How unlike two words are, seen as a slip of the pen: 0 alike but for case, then by the number of slips. PP_UNLIKE:
 * no slip explains it. */
#define PP_UNLIKE 1000
int pp_word_unlike(const char *written, const char *word);

#endif

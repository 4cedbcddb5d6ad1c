/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* text.h - shared by the readers of text: numbers and the similarity of words. */
#ifndef PP_TEXT_H
#define PP_TEXT_H

#include "perp/base.h"

/* Reads the decimal number without sign (12, 1.5, .5, 2., 1e-3) that text begins with. Returns its bytes, 0 if there
 * is none. The value is the nearest double (ties to even), whatever the locale; infinite if the number is too large.
 * An e without digits after it is left. */
size_t pp_number_scan(const char *text, size_t length, double *out);

/* Edit distance of two words: 0 if they are equal except for case. PP_UNLIKE: not similar. */
#define PP_UNLIKE 1000
int pp_word_unlike(const char *written, const char *word);

#endif

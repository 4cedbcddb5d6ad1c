/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_rows.h - work on the rows of a picture, shared among the processors. */
#ifndef RENDER_ROWS_H
#define RENDER_ROWS_H

/* Calls f for pieces from <= row < to that together are 0..rows-1, at the same time where there are processors for it. What
 * f writes must depend on its rows only, so that the picture does not depend on how many there are. */
void render_in_rows(int rows, void (*f)(void *context, int from, int to), void *context);

#endif

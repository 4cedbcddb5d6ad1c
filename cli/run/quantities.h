/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quantities.h - values that are printed during a run, and warnings about a world before it starts. */
#ifndef QUANTITIES_H
#define QUANTITIES_H

#include "cli.h"

typedef struct quantities quantities;

/* Compiles what the scene and the options want to watch. *out is NULL if that is nothing. `end`: time at which the run ends [T].
 * PERP_E_ARG, PERP_E_NAME with place and key for what is wrong in it; PERP_E_MEMORY. */
perp_status quantities_open(const simulate_options *o, const perp_scene *scene, double end, quantities **out,
                            perp_refusal *why);
/* The line before the first step. */
void quantities_first(quantities *q);
/* Is a line due after the next step? */
bool quantities_due(const quantities *q);
/* After each step. */
perp_status quantities_step(quantities *q, const perp_certificate *c, perp_refusal *why);
/* NULL is fine. */
void quantities_close(quantities *q);

/* Two rigid bodies that overlap before the first step by more than a good certificate allows. */
typedef struct start_overlap {
    char a[128], b[128]; /* names, safe to print */
    double depth;        /* [L] */
} start_overlap;
/* Such pairs, the deepest first; writes at most max and returns how many there are, at most 1000. */
int start_overlaps(const perp_world *w, start_overlap *out, int max);
/* Tells on stderr which bodies overlap, if rigid ones do by more than a good certificate allows. name: of the scene. */
void tell_overlaps(const char *name, const perp_world *w, perp_units units);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_series.h - series of impacts of one pair in a step: detects impacts that accumulate before the step ends. */
#ifndef PP_IMPACT_SERIES_H
#define PP_IMPACT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* [impacts] If other impacts struck the bodies in between, a pair needs this many impacts in a step before its series
 * may end. The rows of five balls in test/law/test_impacts.c have fewer. PP_IMPACTS (n + 4) is also the largest number
 * of impacts in a step with n contacts. */
#define PP_IMPACTS 8

/* An impact of a pair of shapes. */
typedef struct pp_pair_impact {
    uint64_t pair;
    double e;        /* coefficient of restitution */
    double t;        /* time in the step [T] */
    double u;        /* speed of approach [L/T] */
    double touching; /* largest gap that counts as touching [L] */
    /* number of impacts of its dynamic bodies so far in the step, this one included, summed over the bodies */
    int struck;
    int bodies; /* number of dynamic bodies of the pair: each impact of the pair adds this to `struck` */
} pp_pair_impact;

/* The impacts of a pair in a step. */
typedef struct pp_series {
    pp_pair_impact last;
    int n;           /* number of impacts */
    int alone;       /* number of the most recent impacts between which no other impact struck the bodies */
    double interval; /* time between the last two impacts [T] */
    double slows;    /* speed of the last impact divided by that of the one before; INFINITY if there is only one */
    /* speed of the impact that ended the series; the pair rests up to it; 0 if the series has not ended [L/T] */
    double rest;
} pp_series;

typedef struct pp_series_list {
    pp_series *at;
    int n, cap;
} pp_series_list;

/* Adds an impact to the series of its pair. If the series ends within the time `left`, sets *ends; from then on the
 * pair rests, see pp_series_rest(). @return false if out of memory */
bool pp_series_add(pp_arena *arena, pp_series_list *l, const pp_pair_impact *x, double left, bool *ends);
/* If the series of the pair has ended: the speed of approach up to which the pair rests; else 0 [L/T]. */
double pp_series_rest(const pp_series_list *l, uint64_t pair);

#endif

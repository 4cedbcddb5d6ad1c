/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_series.h - impacts of one pair after another in a step, and whether they accumulate before it ends. */
#ifndef PP_IMPACT_SERIES_H
#define PP_IMPACT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* [impacts] Impacts of a pair in a step after which it is enough that they become slower and closer, although others struck the pair between
 * them: the rows of five balls in test/law/test_impacts.c have fewer. Also the largest number of impacts in a step for each contact, as if there were four
 * more. */
#define PP_IMPACTS 8

/* An impact of a pair of shapes. */
typedef struct pp_pair_impact {
    uint64_t pair;
    double e;        /* restitution */
    double t;        /* time in the step [T] */
    double u;        /* speed of approach [L/T] */
    double touching; /* gap up to which the shapes count as touching [L] */
    int struck;      /* impacts of its dynamic bodies so far in the step, added up, this one included */
    int bodies;      /* dynamic bodies of the pair: an impact of this pair adds as many to `struck` */
} pp_pair_impact;

/* The impacts of a pair in a step. */
typedef struct pp_series {
    pp_pair_impact last;
    int n;           /* impacts */
    int alone;       /* the last of them, between which nothing else struck one of the bodies */
    double interval; /* of the last two [T] */
    double slows;    /* speed of the last as a part of the one before it; INFINITY: there is none */
    double rest;     /* speed up to which the pair rests: that at which its series ended; 0: it did not end [L/T] */
} pp_series;

typedef struct pp_series_list {
    pp_series *at;
    int n, cap;
} pp_series_list;

/* Is an impact one of a series that ends within the time left? Then the pair rests from now on, see pp_series_rest(). Otherwise it is
 * added to the series of its pair. @return false if memory is short; *ends: the answer */
bool pp_series_add(pp_arena *arena, pp_series_list *l, const pp_pair_impact *x, double left, bool *ends);
/* Speed of approach up to which a pair rests since its series ended; 0: it has none that did [L/T]. */
double pp_series_rest(const pp_series_list *l, uint64_t pair);

#endif

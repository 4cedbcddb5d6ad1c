/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_series.c - series of impacts of one pair in a step: detects impacts that accumulate before the step ends
 * Problem  Two bodies that are pressed together bounce on each other infinitely often in a finite time. If the weight of a body presses it
 *          on the ground, the speed of rest predicts this (impact_laws.h: pp_rest_speed). If other contacts or joints press, or if a
 *          rotation brings another point down, it does not.
 * Method   At constant acceleration, the speeds and intervals of a pair's impacts decrease by the factor e. If several pairs bounce, the
 *          factor is a different one, but the decrease is still geometric. Let d1, d2 be the intervals and u1, u2, u3 the speeds of the
 *          last three impacts of the pair in this step. The factor is estimated as r = max(e, d2/d1, u2/u1, u3/u2), and all later
 *          impacts together take the time d2 r/(1 - r). If this is not more than the time left in the step, the pair will be at rest
 *          when the step ends, and the energy of its bounces will be lost. So the pair has no restitution from this impact on.
 *          Three impacts are enough if no other impact struck the bodies between them. Otherwise PP_IMPACTS are needed: in a row of
 *          balls with gaps, a pair can have some impacts that become slower and more frequent, and then none.
 *          A pair also rests if it moved by less than the touching distance since its last impact and nothing else struck it. It has
 *          not separated, and the times of its impacts cannot be resolved.
 *          If a pair approaches faster than at the end of its series, something else struck it. A new series begins.
 * Valid    This rule does not change a body that bounces on the ground by its weight alone: there d = 2u/g, and impacts above the
 *          speed of rest have d > (1 - e) h. Then d e/(1 - e) > h - d, and h - d is the most time that can be left. A series with
 *          e = 1 never ends. */
#include "step/impact_series.h"

#include <math.h>
#include <string.h>

static pp_series *series_of(const pp_series_list *l, uint64_t pair) {
    for (int i = 0; i < l->n; i++)
        if (l->at[i].last.pair == pair) return &l->at[i];
    return NULL;
}

static pp_series *new_series(pp_arena *arena, pp_series_list *l) {
    if (l->n == l->cap) {
        int cap = l->cap ? 2 * l->cap : 16;
        pp_series *more = PP_ARENA_ARRAY(arena, pp_series, cap);
        if (!more) return NULL;
        if (l->n) memcpy(more, l->at, (size_t)l->n * sizeof *more);
        l->at = more;
        l->cap = cap;
    }
    return &l->at[l->n++];
}

static void begin(pp_series *s, const pp_pair_impact *x) {
    *s = (pp_series){.last = *x, .n = 1, .alone = 1, .slows = INFINITY};
}

/* Does the series end with the impact x, which follows the last one after `interval`? */
static bool ends_with(const pp_series *s, const pp_pair_impact *x, double interval, double left) {
    if (s->alone > 1 && x->u * interval <= x->touching) return true;
    if (s->alone < 3 && s->n < PP_IMPACTS) return false;
    double r = fmax(fmax(x->e, interval / s->interval), fmax(x->u / s->last.u, s->slows));
    return r < 1 && interval * r <= left * (1 - r);
}

bool pp_series_add(pp_arena *arena, pp_series_list *l, const pp_pair_impact *x, double left, bool *ends) {
    pp_series *s = series_of(l, x->pair);
    *ends = false;
    if (!s) {
        if (!(s = new_series(arena, l))) return false;
        begin(s, x);
    } else if (x->u <= s->rest) {
        s->last.struck = x->struck;
    } else if (s->rest > 0) {
        begin(s, x);
    } else {
        double interval = x->t - s->last.t;
        s->n++;
        s->alone = x->struck - s->last.struck == x->bodies ? s->alone + 1 : 1;
        *ends = ends_with(s, x, interval, left);
        s->slows = x->u / s->last.u;
        s->interval = interval;
        s->last = *x;
        if (*ends) s->rest = x->u;
    }
    return true;
}

double pp_series_rest(const pp_series_list *l, uint64_t pair) {
    const pp_series *s = series_of(l, pair);
    return s ? s->rest : 0;
}

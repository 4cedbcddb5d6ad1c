/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_series.c - impacts of one pair after another in a step, and whether they accumulate before it ends
 * Problem  Two bodies that something presses together bounce on each other infinitely often in a finite time. Where weight presses a body
 *          on the ground, the speed of rest tells this in advance (impact_laws.h: pp_rest_speed). It does not where other contacts or
 *          joints press, or where turning brings another point down.
 * Method   With a constant acceleration, speeds and intervals of the impacts of a pair fall by the factor e. Where more than one pair bounces,
 *          they fall by another factor, but geometrically too. So impacts of a pair in one step, the last three with intervals d1, d2 and
 *          speeds u1, u2, u3, have the factor r = max(e, d2/d1, u2/u1, u3/u2), and those to come take d2 r/(1 - r). If that is no
 *          more than the time left of the step, the pair is at rest when the step ends, and all the energy of its bounces is lost by then.
 *          The pair has impacts without restitution from this one on. Three impacts suffice if nothing else struck the bodies between
 *          them. Otherwise the pair must have had PP_IMPACTS: in a row of balls with gaps, a pair has some that become slower and closer, and
 *          then no more.
 *          A pair that moved by less than what counts as touching since its last impact, while nothing else struck it, has not parted,
 *          and rests too: no time of its impacts can be told.
 *          A pair that comes again faster than at the end of its series was struck by something else. A new series begins.
 * Valid    A body that bounces on the ground by its weight alone comes to rest as without this rule: d = 2u/g there, and impacts that the speed
 *          of rest does not end have d > (1 - e) h. Then d e/(1 - e) is more than h - d, the most time that can be left. A pair with
 *          e = 1 has no such end. */
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

/* Does the series end with x, an impact `interval` after the last of them? */
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

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* budget.c - see budget.h */
#include "model/budget.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Work of posing a problem, collision included, by body and row: some microseconds each. */
#define POSING_WORK 1000.0
/* Part of the budget below which nothing more is tried. */
#define MIN_WORK_SHARE (1.0 / 64)

void pp_budget_start(perp_world *w) {
    w->run.work_limit = w->def.work_limit > 0 ? w->def.work_limit : INFINITY;
    w->run.deadline = w->def.time_limit > 0 ? pp_clock() + w->def.time_limit : INFINITY;
    w->run.work = (pp_work){.done = 0, .limit = w->run.work_limit};
}

double pp_budget_share(pp_work *work, double whole) {
    double before = work->limit;
    work->limit = whole < INFINITY ? work->done + 0.5 * fmax(0, whole - work->done) : INFINITY;
    return before;
}

static bool late(const perp_world *w) { return w->run.deadline < INFINITY && pp_clock() > w->run.deadline; }

bool pp_budget_used(perp_world *w, double size) {
    w->run.work.done += POSING_WORK * size;
    return w->run.work.done > w->run.work.limit || late(w);
}

perp_status pp_budget_fail(perp_world *w) {
    return pp_fail(w, PERP_E_SOLVE, "a part of the step at t = %g used up its share of the work", w->state.t);
}

bool pp_budget_exhausted(perp_world *w) {
    bool time = late(w);
    if (!time && !(w->run.work.done > (1 - MIN_WORK_SHARE) * w->run.work_limit)) return false;
    char before[PP_WHY];
    memcpy(before, w->why, sizeof before);
    (void)pp_fail(w, PERP_E_SOLVE, "the step used up its %s (%s = %g): %s", time ? "time" : "work",
                  time ? "time_limit" : "work_limit", time ? w->def.time_limit : w->def.work_limit, before);
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* budget.c - see budget.h */
#include "model/budget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* [multiplications] Work of posing a problem, collision included, by body and row: two microseconds each, measured on small scenes with
 * many impacts. */
#define POSING_WORK 2000.0
/* [multiplications] Work of turning a body freely by up to one radian: three midpoint steps of some four solves of 3 x 3 each, measured 1.5
 * microseconds. */
#define TURN_WORK 1500.0
/* [multiplications] Work of the distance or of the contacts of two shapes, by pair of their corners: 3 to 6 microseconds for hulls of 7 to 10
 * corners. Without it a step took 8 s. */
#define CORNERS_WORK 80.0
/* [bodies] Number of dynamic bodies that the work limit is meant for. A step of more bodies has more in proportion: sweeps over them, and
 * factors of their matrices, cost at least that. */
#define LIMIT_BODIES 100.0
/* [rad] Largest turn whose work is counted: a body that turns further in a step is refused. */
#define MOST_TURN 1024

/* The limit of a step in this world. */
static double limit_of(const perp_world *w) {
    int moving = 0;
    for (int i = 0; i < w->nbody; i++) moving += pp_alive(w->body[i].gen) && w->body[i].kind == PERP_BODY_DYNAMIC;
    return w->def.work_limit * fmax(1, moving / LIMIT_BODIES);
}

void pp_budget_start(perp_world *w) {
    w->run.work_limit = w->def.work_limit > 0 ? limit_of(w) : INFINITY;
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

void pp_budget_pair(perp_world *w, const pp_geometry *a, const pp_geometry *b) {
    w->run.work.done += CORNERS_WORK * fmax(1, a->nvert) * fmax(1, b->nvert);
}

void pp_budget_turn(perp_world *w, const pp_body *b, double h, perp_vec3 om) {
    double turn = fabs(h) * perp_v3_norm(om), x = b->I_B.c[0].x, y = b->I_B.c[1].y, z = b->I_B.c[2].z;
    bool closed_form = x == y || y == z || z == x; /* about: only if the moments are those of the axes of the body */
    if (!closed_form && turn <= MOST_TURN) w->run.work.done += TURN_WORK * fmax(1, turn);
}

perp_status pp_budget_fail(perp_world *w) {
    return pp_fail(w, PERP_E_SOLVE, "a part of the step at t = %g used up its share of the work", w->state.t);
}

bool pp_budget_exhausted(perp_world *w) {
    bool time = late(w);
    if (!time && !(w->run.work.done > (1 - PP_LEAST_SHARE) * w->run.work_limit)) return false;
    char before[PP_WHY];
    memcpy(before, w->why, sizeof before);
    (void)pp_fail(w, PERP_E_SOLVE, "the step used up its %s (%s = %g): %s", time ? "time" : "work",
                  time ? "time_limit" : "work_limit", time ? w->def.time_limit : w->def.work_limit, before);
    return true;
}

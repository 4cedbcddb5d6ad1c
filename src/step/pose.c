/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pose.c - see pose.h */
#include "step/pose.h"

#include <string.h>

#include "base/refuse.h"
#include "stage/collide/contact_fill.h"
#include "stage/contact_model.h"
#include "stage/stepper.h"
#include "model/budget.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"

perp_status pp_posable(const perp_world *w, char *why, size_t why_size) {
    const pp_stepper_type *s = w->chosen.stepper;
    if (s->step || s->normal_rhs != pp_end_gap_rhs)
        return pp_refuse(why, why_size, PERP_E_FIT,
                         "stepper %s does not state a step as one problem that is smooth in the pose; "
                         "use stewart-trinkle or planar-2.5d",
                         s->name);
    if (w->chosen.model != &pp_model_peg && w->chosen.model != &pp_model_one_plane)
        return pp_refuse(why, why_size, PERP_E_FIT,
                         "contact model %s selects contacts by the solution of the step; use one-plane or peg",
                         w->chosen.model->name);
    if (w->def.geometry == PERP_GEOMETRY_END)
        return pp_refuse(why, why_size, PERP_E_FIT,
                         "with geometry `end` the step is not one problem at its start pose; use `once` or `iterated`");
    if (w->def.start == PERP_START_STAGGERED && !w->chosen.start_automatic)
        return pp_refuse(why, why_size, PERP_E_FIT,
                         "a staggered start changes the velocities before the first step; use a plain start");
    return PERP_OK;
}

perp_status pp_world_pose(perp_world *w, double margin, pp_posed *out) {
    pp_arena_reset(&w->arena);
    pp_budget_start(w);
    w->last.has_problem = false;
    pp_frame *f = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    pp_state *end = PP_ARENA_ZERO(&w->arena, pp_state, 1);
    if (!f || !end) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    const perp_wrench *held = NULL;
    perp_status st = w->chosen.stepper->ready ? w->chosen.stepper->ready(w) : PERP_OK;
    if (!st) st = pp_control_held(w, &held);
    if (!st) st = pp_state_new(w, end);
    if (st) return st;
    pp_state_copy(w, end, &w->state);
    *f = (pp_frame){.w = w,
                    .s0 = &w->state,
                    .s1 = end,
                    .h = w->def.h,
                    .purpose = PP_STEP,
                    .task = {.held = held, .reach_factor = 1, .least_travel = margin}};
    st = pp_control(f);
    if (!st) st = pp_collide(f);
    if (!st) st = pp_contacts_of_pairs(f);
    if (!st) st = pp_formulate(f, &(pp_pose_options){0});
    if (st) return st;
    *out = (pp_posed){&f->pose.problem, f->contacts.at, f->contacts.n};
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_contacts.c - calls the stages from the forces to the impulses in the order that the contact model needs */
#include "base/clock.h"
#include "method/contact/end_pose.h"
#include "stage/contact_model.h"
#include "stage/solve/jammed.h"
#include "stage/solve/joint_rounds.h"
#include "method/contact/solve_contacts.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"

perp_status pp_contact(pp_frame *f) { return f->w->chosen.model->contacts(f); }

static perp_status solve_step(pp_frame *f, const void *ctx) {
    (void)ctx;
    return pp_solve_step(f, &(pp_solve_options){.no_lift = f->method.jammed});
}

perp_status pp_start_solve_contacts(pp_frame *f) {
    const pp_pose_options pose = {.no_lift = f->method.jammed}; /* an earlier round may have jammed */
    const pp_solve_options how = {.no_lift = f->method.jammed};
    double t = pp_clock();
    perp_status s = pp_collide(f); /* shapes     -> feature pairs, gaps     */
    pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
    if (!s) s = pp_contact(f); /* pairs      -> contacts                */
    pp_clocked(f->w, PERP_STAGE_CONTACT, &t);
    if (!s) s = pp_joint_rounds_begin(f);
    if (!s) s = pp_joint_rounds_anew(f, false);
    if (!s) s = pp_formulate(f, &pose); /* contacts   -> step problem            */
    pp_clocked(f->w, PERP_STAGE_STEPPER, &t);
    if (!s) {
        s = pp_solve_step(f, &how); /* problem    -> impulses, velocity      */
        if (!s) s = pp_joint_rounds_run(f, how.no_lift);
        s = pp_solve_jammed(f, s, &(pp_solve_method){.solve = solve_step, .ordinary = true});
    }
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    return s;
}

perp_status pp_solve_contacts(pp_frame *f) {
    if (f->w->chosen.model->solve) return f->w->chosen.model->solve(f);
    return pp_at_end(f) ? pp_end_solve_contacts(f) : pp_start_solve_contacts(f);
}

/* All stages up to the solution. The start of a staggered world needs these as well. */
perp_status pp_solve_frame(pp_frame *f) {
    double t = pp_clock();
    perp_status s = pp_control(f); /* time       -> forces, kinematic poses */
    if (!s && f->purpose == PP_STEP) pp_tamper(f, PP_CONTROLLED);
    pp_clocked(f->w, PERP_STAGE_CONTROL, &t);
    return s ? s : pp_solve_contacts(f);
}

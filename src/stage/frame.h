/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame.h - the working data of one step (or substep), and the stages that fill it in turn.
 *
 * Each stage reads the output of the stages before it. The output of each stage is a separate struct (frame_*.h); tools/frame-writers lists
 * the other writers. All data are in the world's arena. The world itself is not changed, so a failed step leaves it as it was. */
#ifndef PP_FRAME_H
#define PP_FRAME_H

#include "model/energy.h"
#include "model/state.h"
#include "model/world_data.h"
#include "stage/frame_collide.h"
#include "stage/frame_contacts.h"
#include "stage/frame_control.h"
#include "stage/frame_demand.h"
#include "stage/frame_method.h"
#include "stage/frame_pose.h"
#include "stage/frame_solve.h"
#include "stage/frame_task.h"
#include "stage/frame_update.h"

/* Purpose of a frame. */
typedef enum pp_purpose {
    PP_STEP,         /* a step */
    PP_START_FORCED, /* staggered start: velocity-level constraints of touching contacts, with forces */
    PP_START_FREE,   /* the same without forces: the effect of an impact at the start alone */
    PP_END_KICK,     /* second half of a step of half kicks: velocity-level constraints at the end pose */
    /* an impact: impulses at one pose, without forces or elapsed time (impact_laws.c); h is that of the step */
    PP_IMPACT
} pp_purpose;

typedef struct pp_frame {
    perp_world *w;
    const pp_state *s0; /* at the start of the step */
    pp_state *s1;       /* at the end; kinematic bodies are set by pp_control, dynamic ones by pp_update */
    double h;
    pp_purpose purpose;
    pp_frame_task task;         /* by the code that makes the frame */
    pp_frame_control control;   /* by pp_control() */
    pp_frame_collide collide;   /* by pp_collide() */
    pp_frame_contacts contacts; /* by the contact model */
    pp_frame_demand demand;     /* by the code that poses the problem */
    pp_frame_pose pose;         /* by pp_formulate() */
    pp_frame_solve solve;       /* by pp_solve_step() */
    pp_frame_update update;     /* by pp_update() */
    pp_frame_method method;     /* by contact model and stepper */
    pp_frame_advice advice;     /* by the same, for step/step.c */
    /* By block: fraction of the velocity change that takes it to the end; only if lag > 0. Written by step/stagger.c. */
    double *later;
} pp_frame;

/* Points at which a test may modify a frame: forces and driven bodies are known; the problem is posed (each time); it
 * is solved; bodies have moved. For impacts in order of time: touching contacts are known; the impact law is posed; it
 * is solved; velocities were shifted in time (s0 -> s1). */
typedef enum pp_tamper_at {
    PP_CONTROLLED,
    PP_POSED,
    PP_SOLVED,
    PP_MOVED,
    PP_LOOKED,
    PP_REFLECTED,
    PP_STRUCK,
    PP_SHIFTED
} pp_tamper_at;
static inline void pp_tamper(pp_frame *f, pp_tamper_at at) {
    if (f->w->run.tamper) f->w->run.tamper(f, (int)at, f->w->run.tamper_ctx);
}

/* Impulse of all forces along degree of freedom i. */
static inline double pp_force_impulse(const pp_frame *f, int i) {
    return f->control.i_gravity[i] + f->control.i_applied[i] + f->control.i_spring[i] + f->control.i_damper[i];
}

/* Angular impulse about the normal of contact i of a solved frame; 0 if its friction does not resist spin. */
static inline double pp_spin_impulse(const pp_frame *f, int i) {
    return f->pose.problem.contact[i].e_r > 0 ? f->solve.solution.p_spin[i] : 0;
}

/* Angular impulses about the tangents of contact i; 0 if its friction does not resist rolling. */
static inline void pp_roll_impulse(const pp_frame *f, int i, double out[2]) {
    for (int k = 0; k < 2; k++)
        out[k] = f->pose.problem.contact[i].e_roll > 0 ? f->solve.solution.p_roll[2 * i + k] : 0;
}
/* The same as a vector in W. */
static inline perp_vec3 pp_roll_impulse_W(const pp_frame *f, int i) {
    double p[2];
    pp_roll_impulse(f, i, p);
    return perp_v3_add(perp_v3_scale(p[0], f->contacts.at[i].t_W), perp_v3_scale(p[1], f->contacts.at[i].o_W));
}

/* Gap up to which two shapes count as touching: far below their size, above the rounding of their coordinates [L]. */
static inline double pp_touching(const pp_geometry *a, const pp_geometry *b, perp_vec3 at_W) {
    double size = a->size > b->size ? a->size : b->size;
    return 1e-9 * size + 1e-12 * perp_v3_norm(at_W);
}

#endif

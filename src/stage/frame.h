/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame.h - the working data of one step (or substep), and the stages that fill it in turn.
 *
 * A stage reads what the stages before it wrote. What each one gives is a struct of its own (frame_*.h); tools/frame-writers says who
 * else may write it. Everything lies in the world's arena; the world itself is not touched, so a step that fails anywhere leaves it as it
 * was. */
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

/* What a frame is for. */
typedef enum pp_purpose {
    PP_STEP,         /* a step */
    PP_START_FORCED, /* the staggered start: velocity-level constraints of what touches, with forces */
    PP_START_FREE,   /* the same without forces: what an impact at the start alone would do */
    PP_END_KICK,     /* the second half of a step in half kicks: velocity-level constraints at the end pose */
    PP_IMPACT /* an impact: impulses at one pose, no time passes and no force acts (impact_laws.c); h is that of the step */
} pp_purpose;

typedef struct pp_frame {
    perp_world *w;
    const pp_state *s0; /* at the start of the step */
    pp_state *s1;       /* at the end: kinematic bodies from pp_control on, dynamic ones from pp_update on */
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
    pp_frame_advice advice;     /* by the same, for the step */
    /* By block: part of the change of velocity that takes it to the end; lag > 0 only. Written by step/stagger.c. */
    double *later;
} pp_frame;

/* After which stage a test may tamper with a frame: once forces and driven bodies are known, once the problem is posed (each time it
 * is), once it is solved, once bodies have moved. Of impacts in their order: once it is known what touches, once the law of impact is
 * posed, once it is solved, and once velocities were moved in time (s0 -> s1). */
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

/* Angular impulse about the normal of contact i of a solved frame; 0 where its friction does not resist spin. */
static inline double pp_spin_impulse(const pp_frame *f, int i) {
    return f->pose.problem.contact[i].e_r > 0 ? f->solve.solution.p_spin[i] : 0;
}

/* Gap up to which two shapes count as touching: far below any size of theirs, above the rounding of their coordinates
 * [L]. */
static inline double pp_touching(const pp_geometry *a, const pp_geometry *b, perp_vec3 at_W) {
    double size = a->size > b->size ? a->size : b->size;
    return 1e-9 * size + 1e-12 * perp_v3_norm(at_W);
}

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper.h - the stepper stage: what a step demands, and how its equations are posed.
 *
 * There are two kinds. Plain steppers share one step problem (formulate.c) and differ in what they demand of a gap: normal_rhs. The others have
 * their own step equations: step() goes from the results of pp_control to the solution and the end state, and calls the stages that it
 * needs. */
#ifndef PP_STEPPER_H
#define PP_STEPPER_H

#include "stage/frame.h"

#define PP_DIM_2 1u
#define PP_DIM_3 2u

/* Differences of the equations of a stepper with step() from the common ones. */
typedef struct pp_own_equations {
    bool no_inertia;   /* forces balance and change no velocity */
    bool start_joints; /* joints are rigid rows of the start pose, solved once */
    /* The stepper decides the length of substeps (pp_frame_advice.shorter); at most 2^max_halvings of them. */
    bool marches;
} pp_own_equations;

typedef struct pp_stepper_type {
    const char *name;
    const char *source; /* document and equation */
    const char *about;  /* one line, for lists */
    unsigned makes;     /* mask of perp_class: only these forms (perp_form) fit */
    unsigned dims;      /* PP_DIM_2 | PP_DIM_3 */
    /* Only these contact models fit, ended by NULL; NULL: all of them. A stepper that finds its contacts itself lists
     * only the default, which is then never called. */
    const char *const *models;
    /* a gap must hold at the end of the step; otherwise touching contacts are enforced by their velocity */
    bool end_gaps;
    bool end_poses;       /* contacts may act at the end poses: PERP_GEOMETRY_END */
    bool supports;        /* bodies may rest on three points (perp_support) */
    bool ellipsoids;      /* with step(): supports elliptic, torsional and rolling friction, as the common stages do */
    unsigned shapes;      /* mask of 1 << perp_shape_kind that it supports; 0: those of the detector */
    unsigned compliances; /* mask of 1 << perp_compliance that contacts may have beside rigid */
    bool soft_joints;     /* joints are springs: they open under load */
    bool armature;        /* joints may have armature (model/armature.h) */
    bool couplings;       /* joint rows may involve more than two bodies (model/coupling.h) */
    bool half_kicks;      /* with step(): half of the forces at the start of the step, half at its end */
    pp_own_equations own; /* with step() */
    const perp_field *fields; /* settings, nfield of them, in w->chosen.stepper_settings; set by perp_world_set() */
    int nfield;
    size_t settings_size; /* at most PERP_SETTINGS_MAX */

    /* b_n of a contact that does not rebound: its normal velocity must be >= -b_n [L/T]. gap [L] with kinematic bodies
     * at the end of the step; touching: touching distance [L]; driven: normal velocity by kinematic bodies [L/T]. NULL
     * if step() is given and does not use it. */
    double (*normal_rhs)(double gap, double h, double touching, double driven);

    /* The whole step after pp_control. Sets f->contacts, f->pose.problem, f->solve.solution, f->solve.residual,
     * f->solve.acceptance, f->solve.used, f->solve.iterations, f->solve.unknowns, and the end state f->s1 (pp_update()
     * does it for velocities). If it returns PERP_E_SOLVE, the step is halved. NULL: the common stages. */
    perp_status (*step)(pp_frame *f);
    /* Checks whether a world definition fits. Called when a world is made, after dims, form and model were checked.
     * NULL: it fits. */
    perp_status (*fits)(const perp_world_def *d, char *why, size_t why_size);
    /* Checks whether the bodies, shapes and joints fit. Called before every step, so it must be fast. NULL: they fit.
     * Reports the reason by pp_fail(w, PERP_E_FIT, ...). */
    perp_status (*ready)(perp_world *w);
    /* Its own energy account, in place of pp_ledger(). NULL: pp_ledger(). */
    void (*ledger)(const pp_frame *f, perp_ledger *l);
} pp_stepper_type;

#define PP_STEPPER(name) extern const pp_stepper_type pp_stepper_##name;
#include "stage/stepper_list.h"
/* NULL name: the default. Returns NULL if there is no stepper of that name. */
const pp_stepper_type *pp_stepper_find(const char *name);
/* The stepper that solves a step which this one cannot solve, with the chosen contact model; NULL: the step fails. */
const pp_stepper_type *pp_stepper_fallback(const pp_stepper_type *stepper);
/* The i-th stepper; NULL past the last. */
const pp_stepper_type *pp_stepper_at(int i);
/* All names separated by commas, for messages. */
const char *pp_stepper_names(char *out, size_t size);

/* Are joints rigid rows of the start pose? */
static inline bool pp_start_joints(const perp_world *w) {
    return !w->chosen.stepper->step || w->chosen.stepper->own.start_joints;
}

/* normal_rhs of steppers for which the gap at the end of the step must not be negative. */
double pp_end_gap_rhs(double gap, double h, double touching, double driven);
/* b_n of the normal row of contact i, from the contact itself; the rest of its row is set already. no_lift: see
 * pp_pose_options. */
double pp_contact_rhs(const pp_frame *f, int i, const perp_contact_row *row, bool no_lift);
/* Newton's law: a contact that closes within the step separates with restitution times the approach speed. Returns the
 * b_n that demands this; INFINITY: contact i does not rebound. It concerns the relative velocity, with driven bodies.
 * Uses n and b_n_kin of `row`. */
double pp_rebound_rhs(const pp_frame *f, int i, const perp_contact_row *row);

#endif

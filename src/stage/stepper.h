/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper.h - the stepper stage: what a step demands, and how its equations are posed.
 *
 * Two kinds. The plain ones share one step problem (formulate.c) and differ in what they demand of a gap: normal_rhs.
 * The others pose equations of their own: step() goes from pp_control's results to the answer and the end state, and
 * the stages between are its business. */
#ifndef PP_STEPPER_H
#define PP_STEPPER_H

#include "stage/frame.h"

#define PP_DIM_2 1u
#define PP_DIM_3 2u

/* A step with equations of its own. */
typedef struct pp_own_step {
    bool
        marches; /* it says itself how long the parts of a step are (pp_frame_advice.shorter), 2^max_halvings of them at most */
    bool no_inertia;   /* forces balance, and change no velocity */
    bool start_joints; /* joints are rigid rows of the start pose, solved once */
} pp_own_step;

typedef struct pp_stepper_type {
    const char *name;
    const char *source; /* document and equation */
    const char *about;  /* one line, for lists */
    unsigned makes;     /* mask of perp_class: of perp_form only those fit */
    unsigned dims;      /* PP_DIM_2 | PP_DIM_3 */
    /* Only these contact models fit, ended by NULL; NULL: all of them. A stepper that finds its contacts itself lists
     * the default alone, which then is never called. */
    const char *const *models;
    bool end_gaps;            /* a gap must hold at the end of the step; else what touches is held by its velocity */
    bool end_poses;           /* contacts may act at the end poses: PERP_GEOMETRY_END */
    bool supports;            /* bodies may rest on three points (perp_support) */
    bool ellipsoids;          /* with step(): knows elliptic and torsional friction; the common stages do */
    unsigned shapes;          /* mask of 1 << perp_shape_kind it takes; 0: those of the detector */
    unsigned compliances;     /* mask of 1 << perp_compliance that contacts may have beside rigid */
    bool soft_joints;         /* joints are springs: under a load they are open */
    bool armature;            /* joints may have it (model/armature.h) */
    bool couplings;           /* rows of joints may touch more than two bodies (model/coupling.h) */
    bool half_kicks;          /* with step(): half of the forces at the start of the step, half at its end */
    pp_own_step own;          /* with step(): what the other stages need to know of it */
    const perp_field *fields; /* settings, nfield of them, in w->chosen.stepper_settings; set by perp_world_set() */
    int nfield;
    size_t settings_size; /* at most PERP_SETTINGS_MAX */

    /* b_n of a contact that does not bounce: the normal velocity demanded is >= -b_n [L/T]. gap [L] with kinematic bodies
     * at the end of the step; touching: gap up to which two touch [L]; driven: normal velocity that kinematic bodies have a
     * part in [L/T]. NULL where step() is given and has no use for it. */
    double (*normal_rhs)(double gap, double h, double touching, double driven);

    /* The whole step after pp_control: fills f->contacts, f->pose.problem, f->solve.solution, f->solve.residual,
     * f->solve.acceptance, f->solve.used, f->solve.iterations, f->solve.unknowns, and the end state f->s1 (pp_update() does it for velocities).
     * PERP_E_SOLVE makes the step be halved. NULL: the common stages. */
    perp_status (*step)(pp_frame *f);
    /* May this definition be stepped so? Called when a world is made, after dims, form and model fitted. NULL: yes. */
    perp_status (*fits)(const perp_world_def *d, char *why, size_t why_size);
    /* Are the bodies, shapes and joints ones it can step? Called before every step, so it is quick. NULL: yes. Says
     * why not by pp_fail(w, PERP_E_FIT, ...). */
    perp_status (*ready)(perp_world *w);
    /* Its own energy account, instead of pp_ledger(). NULL: pp_ledger(). */
    void (*ledger)(const pp_frame *f, perp_ledger *l);
} pp_stepper_type;

extern const pp_stepper_type pp_stepper_stewart_trinkle, pp_stepper_anitescu_potra;
extern const pp_stepper_type pp_stepper_planar, pp_stepper_quasistatic, pp_stepper_nonconvex_lcp;
extern const pp_stepper_type pp_stepper_implicit, pp_stepper_implicit_compliant;
extern const pp_stepper_type pp_stepper_first_order, pp_stepper_second_order, pp_stepper_viscoelastic;
/* NULL name: the default. NULL if there is none of that name. */
const pp_stepper_type *pp_stepper_find(const char *name);
/* The one that takes a step which this one has no answer for, with the contact model that was chosen; NULL: the step fails. */
const pp_stepper_type *pp_stepper_fallback(const pp_stepper_type *stepper);
/* The i-th, NULL past the last. */
const pp_stepper_type *pp_stepper_at(int i);
/* All names with commas between, for messages. */
const char *pp_stepper_names(char *out, size_t size);

/* Are joints rigid rows of the start pose? */
static inline bool pp_start_joints(const perp_world *w) {
    return !w->chosen.stepper->step || w->chosen.stepper->own.start_joints;
}

/* normal_rhs of steppers that demand a gap which is not negative at the end of the step. */
double pp_end_gap_rhs(double gap, double h, double touching, double driven);
/* What the normal row of contact i asks for, b_n, from the contact itself: its row is there but for b_n. no_lift: see
 * pp_pose_options. */
double pp_contact_rhs(const pp_frame *f, int i, const perp_contact_row *row, bool no_lift);
/* Newton's law: a contact that closes within the step leaves it at restitution times the speed of approach; b_n that asks for
 * it, INFINITY: contact i does not bounce. It is about the relative velocity, which driven bodies have a part in. Of `row`, n
 * and b_n_kin are used. */
double pp_rebound_rhs(const pp_frame *f, int i, const perp_contact_row *row);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* viscoelastic.h - parts of the stepper "viscoelastic": contacts as lumped springs and dampers (Song, Pang, Kumar)
 *
 * At a contact the surface is pressed in by d >= 0 along the normal and shifted by D along the surface, D towards the
 * force on body B:  lambda_n = K d + C dd/dt >= 0,  lambda_t = K_t D + C_t dD/dt within Coulomb's cone. Both are
 * remembered from part to part of a step and from step to step. See docs/theory.md, "Viscoelastic contacts". */
#ifndef PP_VISCOELASTIC_H
#define PP_VISCOELASTIC_H

#include "stage/frame.h"

typedef struct pp_visco_settings {
    double calm;     /* slower surfaces need not be resolved [L/T] */
    int per_contact; /* parts of a step in the time that a contact lasts */
} pp_visco_settings;

/* A contact in this part of the step. Those that are rigid have all zero. */
typedef struct pp_visco {
    bool soft;
    double K, C, Kt, Ct; /* of its law [M/T^2], [M/T] */
    double gap;          /* of the undeformed surfaces at the start, kinematic bodies at the end [L] */
    double gap0;         /* the same, all bodies at the start [L] */
    double d0, d1;       /* deflection along the normal, at the start and the end [L] */
    double D0[2], D1[2]; /* along t and o [L] */
    double speed;        /* along the normal at the start, > 0: opens [L/T] */
    double gain;         /* what the forces of the part add to it [L/T] */
    double fine;         /* longest part that resolves it [T]; INFINITY where it is out of reach */
    bool touched;        /* the body is on the deflected surface at the start */
} pp_visco;

typedef struct pp_visco_work {
    pp_frame *f;
    const pp_visco_settings *set;
    pp_visco *contact; /* by contact */
    bool *mean;        /* by block: moves by the mean of its velocities, else by that of the end */
    double *nu_start;  /* ndof: velocity that the momentum at the start gives */
    double *drift;     /* ndof: displacement over h */
} pp_visco_work;

/* pairs -> f->contacts: as the model one-plane has them. */
perp_status pp_visco_contacts(pp_frame *f);
/* What is known of the contacts at the start, once the step problem is formed. */
perp_status pp_visco_begin(pp_visco_work *k);
/* Their rows, by the rule that fits each body. */
perp_status pp_visco_rows(pp_visco_work *k);
/* Displacements, gaps and deflections at the end, from the answer. */
perp_status pp_visco_end(pp_visco_work *k);

/* Is this part too long? Before it is solved: for the moment at which bodies meet, and for contacts at work. The length
 * that it should have; 0: it may be tried. */
double pp_visco_pace_before(const pp_visco_work *k);
/* After: for contacts that turned out to be at work, and for the moment at which one lets go. */
double pp_visco_pace_after(const pp_visco_work *k);
/* When it is taken: how long the next one should be, by the contacts at work; 0: any length. */
double pp_visco_pace_next(const pp_visco_work *k);
/* Is a contact that gives way in touch in this part, as far as is known at its start? */
bool pp_visco_in_touch(const pp_visco_work *k, const pp_visco *c);
/* Writes pp_visco.fine and touched. */
perp_status pp_visco_fine(pp_visco_work *k);

#endif

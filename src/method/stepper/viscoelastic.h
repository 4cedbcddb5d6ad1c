/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* viscoelastic.h - parts of the stepper "viscoelastic": contacts as lumped springs and dampers (Song, Pang, Kumar)
 *
 * At a contact the surface is compressed by d >= 0 along the normal and displaced by D along the surface, D in the direction of the
 * force on body B:  lambda_n = K d + C dd/dt >= 0,  lambda_t = K_t D + C_t dD/dt within Coulomb's cone. Both are remembered
 * from substep to substep and from step to step. See docs/theory.md, "Viscoelastic contacts". */
#ifndef PP_VISCOELASTIC_H
#define PP_VISCOELASTIC_H

#include "stage/frame.h"

typedef struct pp_visco_settings {
    double calm;     /* slower surfaces are not resolved [L/T] */
    int per_contact; /* substeps in the duration of a contact */
} pp_visco_settings;

/* A contact in this substep. For rigid contacts all fields are zero. */
typedef struct pp_visco {
    bool soft;
    double K, C, Kt, Ct; /* of its law [M/T^2], [M/T] */
    double gap;          /* of the undeformed surfaces at the start, with kinematic bodies at the end [L] */
    double gap0;         /* the same, all bodies at the start [L] */
    double d0, d1;       /* deflection along the normal, at the start and the end [L] */
    double D0[2], D1[2]; /* along t and o [L] */
    double speed;        /* along the normal at the start, > 0: opens [L/T] */
    double gain;         /* change of it by the forces of the substep [L/T] */
    double fine;         /* longest substep that resolves the contact [T]; INFINITY if it is out of reach */
    bool touched;        /* the body touches the deflected surface at the start */
} pp_visco;

typedef struct pp_visco_work {
    pp_frame *f;
    const pp_visco_settings *set;
    pp_visco *contact; /* by contact */
    bool *mean;        /* by block: moves with the mean of its velocities; otherwise with that of the end */
    double *nu_start;  /* ndof: velocity from the momentum at the start */
    double *drift;     /* ndof: displacement divided by h */
} pp_visco_work;

/* Makes f->contacts from the pairs, as the model one-plane does. */
perp_status pp_visco_contacts(pp_frame *f);
/* Sets the start values of the contacts, after the step problem is formed. */
perp_status pp_visco_begin(pp_visco_work *k);
/* Makes their rows, by the rule that fits each body. */
perp_status pp_visco_rows(pp_visco_work *k);
/* Computes displacements, gaps and deflections at the end from the solution. */
perp_status pp_visco_end(pp_visco_work *k);

/* Before a substep is solved: checks that it is not too long, for the moment at which bodies meet and for contacts that
 * move. Returns the length that it should have; 0: it may be tried. */
double pp_visco_pace_before(const pp_visco_work *k);
/* After it is solved: the same for contacts that turned out to move, and for the moment at which one separates. */
double pp_visco_pace_after(const pp_visco_work *k);
/* After it is accepted: the length of the next substep, from the contacts that move; 0: any length. */
double pp_visco_pace_next(const pp_visco_work *k);
/* Is a compliant contact touching in this substep, as far as is known at its start? */
bool pp_visco_in_touch(const pp_visco_work *k, const pp_visco *c);
/* Sets pp_visco.fine and touched. */
perp_status pp_visco_fine(pp_visco_work *k);

#endif

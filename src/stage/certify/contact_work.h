/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_work.h - what the contacts of a part of a step did to the energy, island by island. */
#ifndef PP_CONTACT_WORK_H
#define PP_CONTACT_WORK_H

#include "stage/frame.h"

/* Arrays by block; those of an island stand at the block that pp_work_island() names. Energies [M L^2/T^2]. */
typedef struct pp_contact_work {
    int *parent;
    double *
        work; /* of contacts: normal and friction, relative to driven bodies; with motors that yielded and what joints take */
    double *rule;   /* what contacts seemed to give because all impulses of a step act at once; `work` is without it */
    double *moved;  /* of contacts, with all parts positive */
    double *effort; /* energy that the normal impulses of contacts would give, each alone, from rest */
    double *end;    /* of contacts at the velocities of the end, for which their laws hold */
    double *motor;  /* of motors that yielded */
    double *lag;    /* of motors without force limit: at the mean velocity less at that of the end */
    double *joint;  /* of locked motions and limits of joints */
    double *lost; /* what contacts that bounce took along their normals beyond what their restitution lets them take */
    double *kinetic; /* energy before the part, and what a part of free fall gives beside it */
} pp_contact_work;

/* Of a solved frame, all of its kicks together. What surfaces that give way give back is left out. False: no memory. */
bool pp_contact_work_of(const pp_frame *f, pp_contact_work *out);
/* Largest velocity before along the normal row of contact i that counts for the work of its impulse: what the gap opens by, up to end_gap,
 * less the velocity after; 0 where gaps are linearised. INFINITY: the rule does not apply (impacts, one of two kicks, compliant layers). See
 * "Rule" in contact_work.c. */
double pp_most_before(const pp_frame *k, int i, double end_gap, bool linear);
int pp_work_island(const pp_contact_work *a, const perp_row *row);
/* Gains and lost rebounds of a frame into its certificate, which has its ledger already: errors of the rule go from `normal` to `drift`. */
perp_status pp_contact_gain(const pp_frame *f, perp_certificate *cert);
/* Largest gain of an island of a solved frame, 0 to 1: the work of its contacts as a part of the energy that it has with it. What free
 * fall gives it in a time h >= f->h counts as energy too. Work that the tolerance of the world leaves to impulses as large is none: bodies that
 * are held at rest by large forces have no other energy. */
double pp_largest_gain(const pp_frame *f, double h);

#endif

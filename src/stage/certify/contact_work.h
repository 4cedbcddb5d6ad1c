/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_work.h - work of the contacts of a substep, by island. */
#ifndef PP_CONTACT_WORK_H
#define PP_CONTACT_WORK_H

#include "stage/frame.h"

/* Arrays by block; the values of an island are at the block that pp_work_island() returns. Energies [M L^2/T^2]. */
typedef struct pp_contact_work {
    int *parent;
    /* Work of contacts, normal and friction, relative to driven bodies; includes yielding motors and losses of joints. */
    double *work;
    /* energy that contacts only seem to add because all impulses of a step act at once; not included in `work` */
    double *rule;
    double *moved;   /* work of contacts, sum of absolute values */
    double *end;     /* work of contacts at the velocities of the end, for which their laws hold */
    double *motor;   /* work of motors that yielded */
    double *lag;     /* motors without force limit: work at the mean velocity minus work at the end velocity */
    double *joint;   /* work of locked motions and limits of joints */
    double *held;    /* the same without joints at driven bodies */
    double *lost;    /* energy that rebounding contacts took along their normals beyond the loss of their restitution */
    double *kinetic; /* kinetic energy before the substep, plus that of free fall over the substep */
} pp_contact_work;

/* Computes it for a solved frame, all kicks together. Energy that compliant surfaces return is not included. Returns
 * false if out of memory. */
bool pp_contact_work_of(const pp_frame *f, pp_contact_work *out);
/* Largest velocity before the step along the normal row of contact i that counts for the work of its impulse: the rate
 * at which the gap opens up to end_gap, minus the velocity after; 0 if gaps are linearised. INFINITY: the rule does not
 * apply (impacts, one of two kicks, compliant layers). See "Rule" in contact_work.c. */
double pp_largest_approach_before(const pp_frame *k, int i, double end_gap, bool linear);
int pp_work_island(const pp_contact_work *a, const perp_row *row);
/* Writes gains and lost rebounds of a frame to its certificate, which has its ledger already. Errors of the integration
 * rule move from `normal` to `drift`. */
perp_status pp_contact_gain(const pp_frame *f, perp_certificate *cert);
/* Do contacts of a solved frame add more than this fraction of its energy to an island? The energy includes their work, and that of a
 * free fall over a time h >= f->h. Work within the world's tolerance of the impulses is ignored, because bodies that large forces hold
 * at rest have no other energy. */
bool pp_contacts_gain(const pp_frame *f, double h, double fraction);
/* The same for the locked motions and limits of joints between bodies that are not driven. They do no work. Rows of the start pose and
 * velocities that bodies bring from the pose before are an error of second order; light links that are thrown about can gain by
 * it in every substep. */
bool pp_joints_gain(const pp_frame *f, double h, double fraction);

#endif

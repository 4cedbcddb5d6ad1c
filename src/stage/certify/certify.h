/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* certify.h - stage 7: figures of the step, measured anew, and its energy account. */
#ifndef PP_STAGE_CERTIFY_H
#define PP_STAGE_CERTIFY_H

#include "stage/frame.h"

/* [1] Penetration of a driven body, as a fraction of the size of a shape, above which something is jammed. */
#define PP_JAMMED 1e-7

/* next state -> figures of this frame. */
perp_status pp_certify(pp_frame *f, perp_certificate *cert);
/* The figures that are known as soon as there is a solution, accepted or not: residuals and contacts, nothing of the
 * end state. */
void pp_certify_answer(pp_frame *f, perp_certificate *cert);
/* Checks the laws again, from the states at both ends and the data of the world. Adds violations that the solution did
 * not show to `law`, and computes the creep (recheck.c). */
void pp_recheck(const pp_frame *f, perp_certificate *cert);
/* Largest change of the angular momentum of an island without external constraints that forces do not explain, relative
 * to the island's own, 0 to 1 (twist.c). */
double pp_twist(const pp_frame *f);
/* Checks joints and contacts of a solved problem: raises the figures of `law` to those of pp_step_residual_at(), except
 * momentum. Rows that cannot be worse than the present figures are not measured. */
void pp_recheck_rows(const perp_step_problem *p, const perp_step_solution *s, perp_step_residual *law);
/* The same for an impact, whose velocities are in s1. restitution: it was a pass in which contacts rebound. */
void pp_recheck_impact(const pp_frame *f, bool restitution, perp_certificate *cert);
/* The same for velocities that were shifted in time by the fraction `part` of the forces of the frame, from s0 to s1 at
 * one pose. without: the same constraints without forces, or NULL if there are no constraints. Returns a velocity, for
 * the figure of momentum [L/T]. */
double pp_recheck_shift(const pp_frame *f, const pp_frame *without, double part);
/* Splits the change of kinetic energy by cause. */
void pp_ledger(const pp_frame *f, perp_ledger *l);
/* Adds the work of impulses at velocities that are larger by d (ndof): those at the ends of the step in place of the
 * stored ones. The difference is subtracted from the sampling. */
void pp_ledger_later(const pp_frame *f, const double *d, perp_ledger *l);
/* Mean of the velocities along a row before and after the impulses. An impulse does work at this velocity. */
double pp_mean_velocity(const pp_frame *f, const perp_row *row);
/* Sum of all entries that explain the change. */
double pp_ledger_sum(const perp_ledger *l);
/* The part of the impulse of a joint row that its spring gives, without the damper. */
double pp_elastic_impulse(const pp_frame *f, int i);

#endif

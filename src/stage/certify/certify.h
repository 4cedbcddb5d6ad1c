/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* certify.h - stage 7: figures of the step, measured anew, and its energy account. */
#ifndef PP_STAGE_CERTIFY_H
#define PP_STAGE_CERTIFY_H

#include "stage/frame.h"

/* next state -> figures of this frame. */
perp_status pp_certify(pp_frame *f, perp_certificate *cert);
/* Those that are known as soon as there is an answer, accepted or not: residuals and contacts, nothing of the end
 * state. */
void pp_certify_answer(pp_frame *f, perp_certificate *cert);
/* The laws once more, from the states at both ends and the world's own numbers: adds what the answer did not tell of itself to
 * the figures of `law`, and the creep (recheck.c). */
void pp_recheck(const pp_frame *f, perp_certificate *cert);
/* Change of the angular momentum of islands that nothing outside holds, beyond what forces explain: the largest, as a part of the
 * island's own, 0 to 1 (twist.c). */
double pp_twist(const pp_frame *f);
/* Joints and contacts of a problem with an answer: raises the figures of `law` to what pp_step_residual_at() would tell, apart from
 * momentum. Rows that cannot be worse than what is told already are not measured. */
void pp_recheck_rows(const perp_step_problem *p, const perp_step_solution *s, perp_step_residual *law);
/* The same of an impact, whose velocities s1 has; restitution: it was a pass in which contacts bounce. */
void pp_recheck_impact(const pp_frame *f, bool restitution, perp_certificate *cert);
/* The same of velocities that were moved in time by `part` of the forces of the frame, from s0 to s1 at one pose; without: the same
 * constraints without forces, or NULL if nothing constrains. A velocity, to be added to the figure of momentum [L/T]. */
double pp_recheck_shift(const pp_frame *f, const pp_frame *without, double part);
/* Splits the change of kinetic energy by cause. */
void pp_ledger(const pp_frame *f, perp_ledger *l);
/* Books the works of impulses at velocities that are larger by d (ndof): those of the ends of the step in place of those that
 * the step works with. What they add is taken from the sampling. */
void pp_ledger_later(const pp_frame *f, const double *d, perp_ledger *l);
/* Mean of the velocities along a row before and after the impulses: an impulse does the work of it. */
double pp_mean_velocity(const pp_frame *f, const perp_row *row);
/* All entries that explain the change. */
double pp_ledger_sum(const perp_ledger *l);
/* Of a joint row of a solved frame: the part of its impulse that a spring gives, not its damper. */
double pp_elastic_impulse(const pp_frame *f, int i);

#endif

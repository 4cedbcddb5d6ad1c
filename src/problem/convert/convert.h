/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convert.h - step problem -> LCP or mixed LCP -> impulses and velocity; the conversions, in one place.
 *
 * Variables of the LCP, in order (nc contacts, nf = total friction directions, ns = contacts with friction):
 *   p_n (nc)   normal impulses
 *   p_f (nf)   friction along the directions of each contact in turn
 *   sigma (ns) slip speeds
 *   u          joint rows that are not bilateral: one variable, p - lo or hi - p, if one bound is finite; if both
 *              are, two: p - lo >= 0 and the multiplier s >= 0 of p <= hi. A row with lo = hi has a known impulse
 *              and no variable. Rows with both bounds infinite are eliminated, compliance or not.
 * Bilateral rows and nu are eliminated (Williams 2.37-2.38). Redundant rows do no harm: the elimination uses the
 * pseudo-inverse.
 * Variables of the mixed LCP: p_b (njoint, with bounds lo, hi as they are), then p_n, p_f, sigma; only nu is
 * eliminated. A contact with mu = 0 or nd = 0 has no friction variables. */
#ifndef PP_CONVERT_H
#define PP_CONVERT_H

#include "base/memory.h"
#include "linalg/linalg.h"
#include "perp/step.h"

typedef struct pp_converted {
    perp_problem problem; /* to hand to a solver */
    int n;                /* its size */
    /* the rest is what pp_recover and pp_guess need */
    const perp_step_problem *step;
    perp_class cls;
    int nf, ns;      /* friction directions, contacts with friction, over all contacts */
    int first;       /* index of the variable p_n of contact 0: 0 in the LCP, njoint in the mixed one */
    int *f_start;    /* ncontact + 1: first friction variable of each contact, counted from 0 */
    int *s_index;    /* ncontact: index among sigmas, -1 without friction */
    int *u_index;    /* njoint: first variable of the row, -1 if it has none */
    double *dir;     /* 2 nf: cos and sin of each direction */
    int nw;          /* rows that matter: n of every contact, t (and in 3D o) of those with friction, all joint rows */
    int *row;        /* 3 ncontact + njoint: index of n, t, o, joint row among the nw, -1 if it does not matter */
    double *W;       /* nw x nw: Delassus matrix J Minv J' with compliance on the diagonal */
    double *w_free;  /* nw: J nu_free + b, nu_free = Minv momentum */
    double *p0;      /* njoint: impulse at which the variable of the row is zero; LCP only */
    int ne;          /* eliminated joint rows; LCP only, as all below */
    int *eliminated; /* ne: index among the nw */
    pp_psd elim;     /* factor of their block of W */
    double *w_shift; /* nw: w_free + W p0 */
    double *M, *q, *lo, *hi, *z_scale, *w_scale;
} pp_converted;

/* Everything is allocated from the arena. `step` is borrowed while `c` is used. PERP_E_MEMORY; PERP_E_SOLVE if
 * numbers are not finite; PERP_E_FIT if a contact has a true friction cone, which neither class can hold. */
perp_status pp_convert(const perp_step_problem *step, perp_class cls, pp_arena *arena, pp_converted *c);

/* From the variables of the solver to impulses and velocity; `out` arrays are the caller's. PERP_E_MEMORY. */
perp_status pp_recover(const pp_converted *c, const double *z, pp_arena *arena, perp_step_solution *out);

/* From impulses (of a step before) to a guess z for the solver. p_joint: njoint, p_contact: 3 x ncontact, sigma:
 * ncontact. */
void pp_guess(const pp_converted *c, const double *p_joint, const double *p_contact, const double *sigma, double *z);

/* perp_step_residual.scale: of the problem alone. By the judge, step_residual.c. */
double pp_step_scale(const perp_step_problem *step);
/* Length that the velocity of a row is multiplied by before it is compared with others: 1, or the radius of gyration
 * of what turns where the row only turns bodies [1 or L]. */
double pp_row_length(const perp_step_problem *p, const perp_row *row);
/* perp_step_problem_residual() of a problem whose scale is known. */
perp_step_residual pp_step_residual_at(const perp_step_problem *step, const perp_step_solution *s, double scale);

/* What is constant while only right-hand sides change. */
typedef struct pp_row_figure {
    double mass;    /* inverse mass of the row without its compliance, as the judge computes it */
    double inverse; /* the same as solvers compute it: pp_row_inverse_mass() */
    double free;    /* J Minv momentum: velocity without impulses */
    double length;  /* pp_row_length() */
} pp_row_figure;
/* Figures of a problem: of its joint rows, then of n, t and o of each contact. */
#define PP_FIGURES(p) ((p)->njoint + 3 * (p)->ncontact)
pp_row_figure pp_step_figure(const perp_step_problem *p, const perp_row *row);
/* Row i of these. */
static inline const perp_row *pp_figure_row(const perp_step_problem *p, int i) {
    if (i < p->njoint) return &p->joint[i].row;
    const perp_contact_row *c = &p->contact[(i - p->njoint) / 3];
    int k = (i - p->njoint) % 3;
    return k == 0 ? &c->n : k == 1 ? &c->t : &c->o;
}
/* pp_step_scale() and pp_step_residual_at() with known figures: the same bits. */
double pp_step_scale_by(const perp_step_problem *p, const pp_row_figure *figure);
perp_step_residual pp_step_residual_by(const perp_step_problem *p, const pp_row_figure *figure,
                                       const perp_step_solution *s, double scale);
/* The residuals of the contacts in it. */
void pp_step_contacts_by(const perp_step_problem *p, const pp_row_figure *figure, const perp_step_solution *s,
                         perp_step_residual *out);

/* Parts of it. Momentum: the largest, and if `each` is not NULL that of each block. Joint row j: its residual, signed.
 * Contact i: taken into out->normal, cone and dissipation. */
void pp_step_momentum(const perp_step_problem *p, const perp_step_solution *s, double *most, double *each);
double pp_step_joint(const perp_step_problem *p, int j, const perp_step_solution *s);
void pp_step_contact(const perp_step_problem *p, int i, const perp_step_solution *s, perp_step_residual *out);
/* The same with the figures of all rows; NULL: not known. */
double pp_step_joint_by(const perp_step_problem *p, const pp_row_figure *figure, int j, const perp_step_solution *s);
void pp_step_contact_by(const perp_step_problem *p, const pp_row_figure *figure, int i, const perp_step_solution *s,
                        perp_step_residual *out);
/* *most becomes no less than the velocity v of block b: of its centre, or of turning at its radius of gyration. */
void pp_step_worsen_by_velocity(const perp_step_problem *p, int b, const double *v, double *most);

/* nu = Minv (momentum + G p). */
void pp_step_velocity(const perp_step_problem *step, const double *p_joint, const double *p_contact, double *nu);

#endif

/* convert.h - step problem -> LCP or mixed LCP -> impulses and velocity; the conversions, in one place.
 *
 * Variables of the LCP, in order (nc contacts, nf = total friction directions, ns = contacts with friction):
 *   p_n (nc)   normal impulses
 *   p_f (nf)   friction along the directions of each contact in turn
 *   sigma (ns) slip speeds
 *   u          joint rows that are not bilateral: one variable for a limit (hi infinite), and for a row with both bounds finite
 *              two: p - lo >= 0 and the multiplier of p <= hi; rows with both bounds infinite but with compliance > 0 are
 *              eliminated together with the bilateral ones.
 * Bilateral rows and nu are eliminated (Williams 2.37-2.38). Redundant rows do no harm: the elimination uses the pseudo-inverse.
 * Variables of the mixed LCP: p_b (njoint, with bounds lo, hi as they are), then p_n, p_f, sigma; only nu is eliminated. */
#ifndef PP_CONVERT_H
#define PP_CONVERT_H

#include "base/memory.h"
#include "linalg/linalg.h"
#include "perp/problem.h"

typedef struct pp_converted {
    perp_problem problem;      /* to hand to a solver */
    int n;                     /* its size */
    /* the rest is what pp_recover needs */
    const perp_step_problem *step;
    perp_class cls;
    int nf, ns;                /* friction directions, contacts with friction, over all contacts */
    int *f_start;              /* ncontact + 1: first friction variable of each contact, counted from 0 */
    int *s_index;              /* ncontact: index among sigmas, -1 without friction */
    int *u_index;              /* njoint (LCP): first u variable of the row, -1 if eliminated */
    double *nu_free;           /* ndof: Minv momentum */
    double *W;                 /* 3nc + njoint square: Delassus matrix of rows (n, t, o of each contact, then joint rows), ld nw */
    double *w_free;            /* nw: J nu_free + b */
    int nw;
    int ne;                    /* eliminated joint rows */
    int *eliminated;           /* ne: their indices */
    pp_psd elim;               /* factor of their W block (with compliance) */
    double *X;                 /* ne x (n_rest): W_ee^+ W_er, see convert.c */
    double *M, *q, *lo, *hi, *z_scale;
} pp_converted;

/* Everything is allocated from the arena. `step` is borrowed while `out` is used. */
perp_status pp_convert(const perp_step_problem *step, perp_class cls, pp_arena *arena, pp_converted *out);

/* From the variables of the solver to impulses and velocity; `out` arrays are the caller's. */
perp_status pp_recover(const pp_converted *c, const double *z, pp_arena *arena, perp_step_solution *out);

/* From impulses (of a step before) to a guess z for the solver. p_joint: njoint, p_contact: 3 x ncontact, sigma: ncontact. */
void pp_guess(const pp_converted *c, const double *p_joint, const double *p_contact, const double *sigma, double *z);

/* nu = Minv (momentum + G p). */
void pp_step_velocity(const perp_step_problem *step, const double *p_joint, const double *p_contact, double *nu);

#endif

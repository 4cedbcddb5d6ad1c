/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction.h - contact laws with "or": Williams' unilateral (U), inter-contact (I) and cross-contact (X) constraints over the contacts
 * of a frame, written as a complementarity problem, and the check of its solutions.
 *
 *   U(C)              0 <= psi _|_ p >= 0
 *   I(C_i, C_k)       One of the gaps in both sets is not negative. At most one p > 0, only for a contact of C_i, and only if its gap
 *                     is 0 and no other gap of the two sets is positive                  (4.9)-(4.13)
 *   X(C_a, C_b)       One of the gaps is not negative; no force                            (4.15)
 * psi is the gap at the end of the step divided by h, psi/h + G'nu + dpsi/dt, a velocity.
 *
 * A contact may be in several constraints. Then it has one impulse in each constraint that allows one, as printed, and their sum acts. The
 * check requires that at least one of them allows it. */
#ifndef PP_DISJUNCTION_H
#define PP_DISJUNCTION_H

#include "method/disjunction/williams_detect.h"
#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "stage/frame.h"

/* An I or X constraint. */
typedef struct pp_group {
    int first, count; /* its contacts are member[first .. first + count - 1], those of C_i first */
    int primary;      /* number of contacts that may carry a force by this constraint; 0: X */
} pp_group;

typedef struct pp_disjunction {
    int ncontact;
    bool *plain; /* ncontact: the contact is U */
    pp_group *group;
    int ngroup;
    int *member;
    int nmember;
    /* If > 0: Berard\'s slack variables are used with this constant, see pp_disjunction_form; 0: the two other forms. */
    double gamma;
    /* gaps up to this count as zero in the check whether an I allows a force: the touching distance divided by h [L/T] */
    double slack;
} pp_disjunction;

/* --- building the contacts and constraints of a frame, one pair of shapes at a time
 * ------------------------------------ */

typedef struct pp_rules {
    pp_frame *f;
    pp_disjunction d;
    perp_contact *contact; /* of all pairs so far; arrays in the arena that grow */
    int *shape;            /* 2 per contact */
    bool *primary;         /* by contact */
    int cap_contact, cap_shape, cap_primary, cap_plain, cap_group, cap_member;
    int i, j;               /* the present pair, indices into f->collide.placed */
    int first, first_group; /* start of its contacts and groups */
    pp_near_features near;  /* of the present pair */
    bool memory;            /* out of memory */
} pp_rules;

/* Index of the contact, which is added if it is new; -1 if out of memory. */
int pp_rules_contact(pp_rules *r, const pp_potential *p);
/* Makes a contact U if it is primary. */
void pp_rules_unilateral(pp_rules *r, int contact);
/* Adds an I over contacts, split by primary (Algorithm 9). Without primary contacts no force is possible, and the
 * constraint is left out. A single contact becomes U. */
void pp_rules_inter(pp_rules *r, int n, const int *contact);
/* Adds an X over two contacts, or I({pushes}, {other}) if `pushes` is primary: see Algorithm 14 in mixed_rules3d.c. */
void pp_rules_cross(pp_rules *r, int pushes, int other, bool force);

/* Adds the constraints of one pair of polytopes. */
typedef void (*pp_pair_rules)(pp_rules *r);
/* Builds all pairs that pp_collide found: polytopes by these rules, all curved shapes as U. Sets f->contacts and *d.
 * Leaves out X constraints whose contacts can carry no force at all, because nothing could satisfy them. */
perp_status pp_rules_run(pp_frame *f, pp_pair_rules rules, pp_disjunction *d);

/* The rules of PEG: Algorithms 8-11 and 12-17. */
void pp_mixed_rules_2d(pp_rules *r);
/* A vertex against the facets near it: model "lnc". */
void pp_lnc_rules(pp_rules *r);
void pp_mixed_rules_3d(pp_rules *r);

/* --- the complementarity problem ---------------------------------------------------------------------------------------- */

/* How the inequalities (4.11) are written. */
typedef enum pp_disjunction_form {
    /* As printed, (4.10)-(4.13): max >= 0 is complementary to its own variable, which has no effect; X likewise. Every
     * solution satisfies the disjunction. Lemke's method cannot satisfy a row that no variable influences. */
    PP_DISJUNCTION_EXACT,
    /* 0 <= 2 max - psi_i _|_ p_i, also for X over contacts that may carry a force elsewhere. If a primary contact has
     * the largest gap, it equals (4.11)-(4.13). If a secondary contact has it, the primary may carry a force although
     * it is violated (the fault of (4.14)), and the check rejects such solutions. No continuous row can do better: at
     * max = 0 it must allow p_i = 0 and for max < 0 forbid it, so it is 0 at max = 0 for any psi_i. */
    PP_DISJUNCTION_PUSHING,
    /* Berard (3.6)-(3.15), for any number of facets; gaps count only up to a bound k,
     *   0 <= c_i _|_ c_i + psi_i - k            c_i = max(0, k - psi_i)
     *   0 <= g_i _|_ c_i + d - gamma            d = gamma - min c_i, so that d - gamma + k = min(max psi, k)
     *   0 <= d   _|_ sum g_i - 1
     *   0 <= s   _|_ d - gamma + k              s has no effect
     *   0 <= e_i _|_ e_i + psi_i                e_i = max(0, -psi_i)
     *   0 <= p_i _|_ e_i + d - gamma + k
     * gamma must exceed every c_i: it is pp_disjunction.gamma times k, and k is the largest gap without impulses. */
    PP_DISJUNCTION_SLACKS
} pp_disjunction_form;

typedef struct pp_mixed {
    perp_problem problem;
    int n;
    pp_converted base; /* the LCP with every contact U */
    const pp_disjunction *d;
    pp_disjunction_form form;
    int npermit; /* number of impulses: (contact, constraint) pairs */
    /* group -1: U; slack: index of the variable d, -1 if there is none */
    int *permit_contact, *permit_group, *permit_slack;
    int *from;    /* n: the variable of the base problem that it represents, -1: none */
    int *group_c; /* ngroup: first of its variables c. There are count - 1; with slacks count, then d and the g */
    double bound, gamma; /* with slacks: k and gamma [L/T] */
    double *w;           /* base.n: scratch */
} pp_mixed;

/* Allocates in the arena. See pp_convert; p and d are borrowed. */
perp_status pp_mixed_build(const perp_step_problem *p, const pp_disjunction *d, pp_disjunction_form form,
                           pp_arena *arena, pp_mixed *m);
perp_status pp_mixed_recover(const pp_mixed *m, const double *z, pp_arena *arena, perp_step_solution *out);
/* Makes a start point from the impulses of the base variables zb (base.n numbers), with the c and d that belong to
 * them. */
void pp_mixed_guess(const pp_mixed *m, const double *zb, double *z);

/* --- the check
 * ------------------------------------------------------------------------------------------------------------- */

/* Largest violation of the normal laws, as a velocity, from the rows of p (every contact as U) and the constraints.
 * INFINITY if a number is not finite. */
double pp_disjunction_residual(const pp_disjunction *d, const perp_step_problem *p, const perp_step_solution *s);

/* Called for every solution in the search for sides. */
typedef struct pp_sides_judge {
    bool (*accepts)(const perp_step_solution *s, void *ctx); /* solution of the island; it belongs to the search */
    void *ctx;
} pp_sides_judge;

/* Searches a solution of island number `number`: chooses a side of every group and solves the remaining ordinary
 * problem, until the judge accepts a solution or no other choice is left. d: the constraints of the island. from: a
 * near solution, or NULL. If motors yield or driven bodies stall, the rows of the island are changed. */
perp_status pp_disjunction_sides(pp_frame *f, const pp_disjunction *d, pp_island *island, int number,
                                 const perp_step_solution *from, const pp_sides_judge *judge);

/* Solves f->pose.problem under d, island by island. Islands without I and X are ordinary problems. Others are tried in
 * this order: the first of the world's solvers; choosing sides; the other solvers; fischer-newton and path-search from
 * other start points. Sets f->solve. Returns PERP_E_SOLVE if no solution is acceptable. */
perp_status pp_disjunction_solve(pp_frame *f, const pp_disjunction *d);

/* The complete stage of a model that consists of rules, from pp_collide to the solution. gamma: as in pp_disjunction. */
perp_status pp_disjunction_model(pp_frame *f, pp_pair_rules rules, double gamma);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction.h - contact laws with "or": Williams' unilateral (U), inter-contact (I) and cross-contact (X) constraints
 * over the contacts of a frame, as a complementarity problem, and the judge of its answers.
 *
 *   U(C)              0 <= psi _|_ p >= 0
 *   I(C_i, C_k)       one of the gaps in both sets is not negative; at most one p > 0, only for a contact of C_i, and only
 *                     where its gap is 0 and no other of the two sets is positive          (4.9)-(4.13)
 *   X(C_a, C_b)       one of the gaps is not negative; no force                              (4.15)
 * psi is the gap at the end of the step over h, psi/h + G'nu + dpsi/dt, a velocity.
 *
 * A contact may be in several constraints. Then it has one impulse in each that allows it one, as printed, and their sum
 * acts; the judge asks that at least one of them allow it. */
#ifndef PP_DISJUNCTION_H
#define PP_DISJUNCTION_H

#include "method/disjunction/williams_detect.h"
#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "stage/frame.h"

/* An I or X constraint. */
typedef struct pp_group {
    int first, count; /* its contacts: member[first .. first + count - 1], those of C_i first */
    int primary;      /* how many of them may carry a force by this constraint; 0: X */
} pp_group;

typedef struct pp_disjunction {
    int ncontact;
    bool *plain; /* ncontact: U */
    pp_group *group;
    int ngroup;
    int *member;
    int nmember;
    double
        gamma; /* > 0: posed with Berard's slack variables and this constant of theirs, see pp_disjunction_form; 0: in
                     the two other ways */
    double slack; /* gaps up to this are zero when the judge asks whether an I allows a force: what counts as touching,
                     over h [L/T] */
} pp_disjunction;

/* --- building: contacts and constraints of a frame, pair of shapes by pair of shapes --------------------------------- */

typedef struct pp_rules {
    pp_frame *f;
    pp_disjunction d;
    perp_contact *contact; /* of all pairs so far; arrays of the arena that grow */
    int *shape;            /* 2 per contact */
    bool *primary;         /* by contact */
    int cap_contact, cap_shape, cap_primary, cap_plain, cap_group, cap_member;
    int i, j;               /* the pair at hand, into f->collide.placed */
    int first, first_group; /* its contacts and groups start here */
    pp_vicinity near;       /* of the pair at hand */
    bool memory;            /* refused */
} pp_rules;

/* Number of the contact, which is added if it is new; -1 without memory. */
int pp_rules_contact(pp_rules *r, const pp_potential *p);
/* The U constraint of a contact, if it is primary. */
void pp_rules_unilateral(pp_rules *r, int contact);
/* I over contacts, split by primary (Algorithm 9). None primary: nothing can push, and the constraint is left out; one
 * contact alone: U. */
void pp_rules_inter(pp_rules *r, int n, const int *contact);
/* X over two contacts, or, if `pushes` is primary, I({pushes}, {other}): see Algorithm 14 in mixed_rules3d.c. */
void pp_rules_cross(pp_rules *r, int pushes, int other, bool force);

/* Fills the constraints of one pair of polytopes. */
typedef void (*pp_pair_rules)(pp_rules *r);
/* All pairs that pp_collide found: polytopes by these rules, anything curved as U. Sets f->contacts, and
 * *d. X constraints over contacts that can carry no force at all are left out: nothing could meet them. */
perp_status pp_rules_run(pp_frame *f, pp_pair_rules rules, pp_disjunction *d);

/* The rules of PEG: Algorithms 8-11 and 12-17. */
void pp_mixed_rules_2d(pp_rules *r);
/* A vertex against the facets near it: model "lnc". */
void pp_lnc_rules(pp_rules *r);
void pp_mixed_rules_3d(pp_rules *r);

/* --- the complementarity problem ---------------------------------------------------------------------------------------- */

/* How the inequalities (4.11) are written. */
typedef enum pp_disjunction_form {
    /* As printed, (4.10)-(4.13): max >= 0 stands beside a variable of its own that acts on nothing, and X likewise. Every
     * answer is one of the disjunction. Lemke's method can do nothing about a row that no variable moves. */
    PP_DISJUNCTION_EXACT,
    /* 0 <= 2 max - psi_i _|_ p_i, for X too over contacts that may push elsewhere. It equals (4.11)-(4.13) where a
     * primary has the largest gap; where a secondary has it, the primary may push although it is violated (the fault
     * of (4.14)), and the judge throws such answers away. No continuous row can do better: at max = 0 it must allow
     * p_i = 0 and for max < 0 forbid it, so it is 0 at max = 0 for any psi_i. */
    PP_DISJUNCTION_PUSHING,
    /* Berard (3.6)-(3.15), for any number of facets: with a bound k on what counts of a gap,
     *   0 <= c_i _|_ c_i + psi_i - k            c_i = max(0, k - psi_i)
     *   0 <= g_i _|_ c_i + d - gamma            d = gamma - min c_i, so that d - gamma + k = min(max psi, k)
     *   0 <= d   _|_ sum g_i - 1
     *   0 <= s   _|_ d - gamma + k              s acts on nothing
     *   0 <= e_i _|_ e_i + psi_i                e_i = max(0, -psi_i)
     *   0 <= p_i _|_ e_i + d - gamma + k
     * gamma must be larger than every c_i: it is pp_disjunction.gamma times k, and k the largest gap without impulses. */
    PP_DISJUNCTION_SLACKS
} pp_disjunction_form;

typedef struct pp_mixed {
    perp_problem problem;
    int n;
    pp_converted base; /* the LCP with every contact U */
    const pp_disjunction *d;
    pp_disjunction_form form;
    int npermit;                                       /* impulses: (contact, constraint) pairs */
    int *permit_contact, *permit_group, *permit_slack; /* group -1: U; slack: the variable d, -1 if there is none */
    int *from;                                         /* n: variable of the base problem that it is, -1: none */
    int *group_c;        /* ngroup: first of its variables c: count - 1, with slacks count and then d and the g */
    double bound, gamma; /* slacks: k and gamma [L/T] */
    double *w;           /* base.n: scratch */
} pp_mixed;

/* From the arena. As pp_convert; p and d are borrowed. */
perp_status pp_mixed_build(const perp_step_problem *p, const pp_disjunction *d, pp_disjunction_form form,
                           pp_arena *arena, pp_mixed *m);
perp_status pp_mixed_recover(const pp_mixed *m, const double *z, pp_arena *arena, perp_step_solution *out);
/* A start from the impulses of base variables zb (base.n numbers): c and d are those that go with them. */
void pp_mixed_guess(const pp_mixed *m, const double *zb, double *z);

/* --- the judge ------------------------------------------------------------------------------------------------------------- */

/* Largest violation of the normal laws, a velocity, straight from the rows of p (every contact as U) and the constraints;
 * INFINITY if something is not finite. */
double pp_disjunction_residual(const pp_disjunction *d, const perp_step_problem *p, const perp_step_solution *s);

/* Asked of every answer that the search for sides comes to. */
typedef struct pp_sides_judge {
    bool (*accepts)(const perp_step_solution *s, void *ctx); /* of the island; it is the search's memory */
    void *ctx;
} pp_sides_judge;

/* Looks for an answer of island number `number` by choosing a side of every group and solving the ordinary problem that is
 * left, until the judge accepts one or no other choice is left. d: the constraints of the island. from: an answer that is
 * nearly one, or NULL. If motors yield or driven bodies stall, the rows of the island are changed. */
perp_status pp_disjunction_sides(pp_frame *f, const pp_disjunction *d, pp_island *island, int number,
                                 const perp_step_solution *from, const pp_sides_judge *judge);

/* Solves f->pose.problem under d island by island with the first of the world's solvers, then by choosing
 * sides, then with the others, fischer-newton and path-search from other starts; islands without I and X are ordinary and solved as such; fills f->solve.solution, f->solve.residual, f->solve.acceptance and the rest. PERP_E_SOLVE if no answer is acceptable. */
perp_status pp_disjunction_solve(pp_frame *f, const pp_disjunction *d);

/* The whole stage of a model that is made of rules: pp_collide to the solution. gamma: as in pp_disjunction. */
perp_status pp_disjunction_model(pp_frame *f, pp_pair_rules rules, double gamma);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lcp_families.h - random linear complementarity problems by family, the same for the same seed: for studies of solvers
 *
 *     lcp_source *s = lcp_source_new(LCP_FAMILY_PSD, 1);
 *     lcp_instance p;
 *     while (... && lcp_source_next(s, &p)) ... &p.problem ...     // borrowed until the next call
 *     lcp_source_free(s);
 *
 * Sizes are 1 to 200, as many between 1 and 2 as between 100 and 200. */
#ifndef LCP_FAMILIES_H
#define LCP_FAMILIES_H

#include "perp/problem.h"

typedef enum lcp_family {
    LCP_FAMILY_P,          /* all principal minors positive, any q: one solution */
    LCP_FAMILY_PSD,        /* positive semidefinite, of low rank or with a zero diagonal; a solution is planted */
    LCP_FAMILY_COPOSITIVE, /* copositive-plus and not semidefinite; a solution is planted */
    LCP_FAMILY_DEGENERATE, /* of these three, in small integers, with many z_i = w_i = 0 and ties; solution known */
    LCP_FAMILY_CONTACT, /* from scenes of rigid bodies with friction, joints, redundant contacts, mass ratios to 1e4 */
    LCP_FAMILIES
} lcp_family;

#define LCP_FAMILY_MOST 200 /* largest size */

const char *lcp_family_name(lcp_family f);

typedef struct lcp_instance {
    perp_problem problem; /* PERP_LCP; with scales in the contact family */
    int n;
    const char *kind;    /* what of the family */
    const double *known; /* a solution, or NULL */
    bool must;           /* theory: Lemke's method ends in a solution, in exact arithmetic */
    bool unique_z;       /* there is no other solution */
    bool unique_w;       /* w = M z + q is the same in all solutions */
} lcp_instance;

typedef struct lcp_source lcp_source;
lcp_source *lcp_source_new(lcp_family f, unsigned seed); /* NULL: no memory */
/* False if there is no memory. */
bool lcp_source_next(lcp_source *s, lcp_instance *out);
void lcp_source_free(lcp_source *s);

/* Largest difference of two answers relative to the largest entry: of z, or if only w is unique of w, relative to q. */
double lcp_difference(const lcp_instance *p, const double *z, const double *known);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ncp_problems.h - nonlinear complementarity problems of the literature, with starts and, where known, solutions.
 *
 *     for (int i = 0; i < ncp_problem_count(); i++) {
 *         ncp_problem p;
 *         if (!ncp_problem_make(i, &p)) ...                   // out of memory
 *         ... &p.problem, p.start, p.solution ...
 *         ncp_problem_free(&p);
 *     }
 */
#ifndef NCP_PROBLEMS_H
#define NCP_PROBLEMS_H

#include "perp/problem.h"

typedef struct ncp_problem {
    char name[40];
    const char *source;
    int n;
    perp_problem problem;   /* PERP_NCP; borrows from this struct, so it must not be moved */
    int nstart, nsolution;  /* nsolution 0: not known in closed form nor printed */
    const double *start;    /* n x nstart */
    const double *solution; /* n x nsolution */
    double accuracy;        /* of the solutions as given, absolute */
    bool isolated;          /* every solution is among those given */
    double *lo, *hi;        /* n each; NULL: 0 and INFINITY. Owned, as all below */
    double *numbers;        /* starts, solutions */
    int *pattern;           /* n + 1 starts and the rows */
    double *data;           /* of the functions */
    int side;               /* grid problems: points along a side; else 0 */
} ncp_problem;

int ncp_problem_count(void);
/* False if there is no memory; then nothing is to be freed. */
bool ncp_problem_make(int i, ncp_problem *p);
void ncp_problem_free(ncp_problem *p);

/* Where the pressure of the journal bearing ends: the angle theta in (pi, 2 pi) with p(theta) = p'(theta) = 0, by
 * quadrature and bisection on the closed form. eccentricity in (0, 1). */
double ncp_bearing_end(double eccentricity);

#endif

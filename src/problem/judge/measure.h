/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure.h - parts of the judge that more than one file uses. */
#ifndef PP_MEASURE_H
#define PP_MEASURE_H

#include <math.h>

#include "base/memory.h"
#include "perp/problem.h"
#include "problem/judge/cone_judge.h"

typedef struct pp_qp_judge pp_qp_judge; /* a QP made ready for measuring */

/* A problem made ready for judging. */
struct perp_judge {
    perp_allocator alloc;
    pp_arena arena;
    perp_problem p;      /* arrays borrowed */
    pp_cone_judge *cone; /* of these four the one that the class wants */
    pp_qp_judge *qp;
    double *w;   /* n: rows at z */
    double *jac; /* entries of J of an NCP that has one */
    int n;
    double unit;           /* s: largest |w(0)|/w_scale, 1 if that is 0 or not known */
    double norm;           /* Euclidean |w(0)| */
    double matrix;         /* largest entry of M */
    double *moved, *w_new; /* n each: for differences; NCP only */
    /* for verdicts (judge.c), made at the first */
    bool has_laws;
    pp_laws laws;
    double *inverse;           /* n: D of an LCP or mixed LCP without scales */
    double *violation, *noise; /* laws.n each */
    double *scratch;           /* cones: 2 m + n; others: n */
};

/* Scales and islands of the laws; NULL: memory was refused, or the class has none (NCP, QP). */
const pp_laws *pp_judge_laws(perp_judge *j);

/* Inverse mass D of row i of an LCP or mixed LCP whose laws are known; 1 with scales. */
static inline double pp_judge_inverse(const perp_judge *j, int i) { return j->inverse[i]; }

/* One number for a verdict, to compare answers by: what is not solved is above tol, what is solved not. */
static inline double pp_verdict_score(const perp_verdict *v, double tol) {
    double score = v->solved ? (v->figure < tol ? v->figure : tol) : v->worst_violation;
    return score < INFINITY ? score : INFINITY;
}

/* w = F(z) of an LCP, mixed LCP (dense or sparse) or NCP. False if F is not defined there. */
bool pp_box_rows(const perp_problem *p, const double *z, double *w);

/* Bounds of variable i of such a problem. */
void pp_box_bounds(const perp_problem *p, int i, double *lo, double *hi);

/* Natural map of a QP in the unit of its gradient; INFINITY if memory is refused. */
double pp_qp_residual(const perp_problem *p, const double *z);

/* A QP made ready for measuring. All in the arena; NULL if memory is refused. Borrows p. */
pp_qp_judge *pp_qp_judge_new(const perp_qp *p, pp_arena *arena);
void pp_qp_judge_measure(pp_qp_judge *j, const double *z, perp_measures *out);

#endif

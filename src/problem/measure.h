/* measure.h - parts of the judge that more than one file uses. */
#ifndef PP_MEASURE_H
#define PP_MEASURE_H

#include "base/memory.h"
#include "perp/problem.h"

/* w = F(z) of an LCP, mixed LCP (dense or sparse) or NCP. False if F is not defined there. */
bool pp_box_rows(const perp_problem *p, const double *z, double *w);

/* Natural map of a QP in the unit of its gradient; INFINITY if memory is refused. */
double pp_qp_residual(const perp_problem *p, const double *z);

/* A QP made ready for measuring. All in the arena; NULL if memory is refused. Borrows p. */
typedef struct pp_qp_judge pp_qp_judge;
pp_qp_judge *pp_qp_judge_new(const perp_qp *p, pp_arena *arena);
void pp_qp_judge_measure(pp_qp_judge *j, const double *z, perp_measures *out);

#endif

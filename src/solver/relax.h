/* relax.h - relaxation methods on cone problems, shared by pgs, psor, jacobi, nncg, fixed-point and gauss-seidel. */
#ifndef PP_RELAX_H
#define PP_RELAX_H

#include "solver/cone.h"

typedef struct pp_relax {
    int max_sweeps;
    double tol;        /* unit-free residual at which to stop */
    double relaxation; /* of a sweep */
    bool together;     /* Jacobi: all blocks from the old values, damped; else Gauss-Seidel, in order */
    bool exact;        /* every block solved exactly with the others held; else one projected step of it */
} pp_relax;

/* Sweeps over the blocks of a PERP_CONE or PERP_CONE_QP problem. z: guess in, best answer out. */
perp_outcome pp_cone_relax(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                           perp_solve_info *info);
/* Nonlinear conjugate gradients on such sweeps. */
perp_outcome pp_cone_nncg(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                          perp_solve_info *info);
/* Proximal fixed point x <- P(x - r_i v^) with one r_i per block, adapted. */
perp_outcome pp_cone_fixed_point(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                                 perp_solve_info *info);

#endif

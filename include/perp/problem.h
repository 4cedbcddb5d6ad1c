/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file problem.h
 *  Complementarity problems, one type per class, and the judge: code that measures answers independently of solvers.
 *
 *  A problem borrows all its arrays. Solvers (plugin.h) read it; they have no access to bodies. Residuals are computed here
 *  from the problem data, never by the solver itself. Solving: solve.h. Files: problem_file.h. To use these without worlds:
 *  `#include "perp/solver.h"`. */
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Problem classes, as bits of a mask. */
typedef enum perp_class {
    PERP_LCP = 1,         /**< dense linear complementarity problem */
    PERP_MLCP = 2,        /**< dense mixed LCP: free variables and bounds */
    PERP_SPARSE_MLCP = 4, /**< the same with a sparse matrix */
    PERP_NCP = 8,         /**< nonlinear complementarity problem over bounds, by callback */
    PERP_QP = 16,         /**< convex quadratic programme with rows and bounds */
    PERP_CONE = 32,       /**< friction contact problem: Coulomb's law with true cones */
    PERP_CONE_QP = 64     /**< the same data without the De Saxce term: quadratic programme over cones */
} perp_class;

/** Every class. */
#define PERP_CLASS_ALL 127u

/** Name of a class in files and options: "lcp", "mlcp", "sparse-mlcp", "ncp", "qp", "cone", "cone-qp". */
PERP_API const char *perp_class_name(perp_class c);

/** A sparse matrix by columns: entries of column j are start[j] .. start[j + 1] - 1, rows ascending, without duplicates. */
typedef struct perp_sparse {
    int rows, cols;
    const int *start;    /**< cols + 1; start[0] = 0 */
    const int *index;    /**< rows of the entries */
    const double *value; /**< the entries */
} perp_sparse;

/** 0 <= z  _|_  w = M z + q >= 0. */
typedef struct perp_lcp {
    int n;           /**< number of variables */
    const double *M; /**< n x n, column-major, any symmetry */
    const double *q; /**< n */
} perp_lcp;

/** lo <= z <= hi and w = M z + q with w_i = 0 where lo_i < z_i < hi_i, w_i >= 0 at lo_i, w_i <= 0 at hi_i.
 *  A free variable has lo = -INFINITY and hi = INFINITY; an ordinary one 0 and INFINITY. */
typedef struct perp_mlcp {
    int n;
    const double *M;       /**< n x n, column-major */
    const double *q;       /**< n */
    const double *lo, *hi; /**< n each, lo <= hi */
} perp_mlcp;

/** perp_mlcp with a sparse matrix. */
typedef struct perp_sparse_mlcp {
    int n;
    perp_sparse M;         /**< n x n */
    const double *q;       /**< n */
    const double *lo, *hi; /**< n each, lo <= hi */
} perp_sparse_mlcp;

/** lo <= z <= hi complementary to w = F(z), in the sense of perp_mlcp. */
typedef struct perp_ncp {
    int n;
    const double *lo, *hi; /**< n each; NULL: 0 and INFINITY */
    /** w = F(z). False if F is not defined at z; solvers then shorten their step. */
    bool (*F)(const double *z, double *w, void *ctx);
    /** Derivatives dF_i/dz_j at z, in the order of the pattern. NULL: by finite differences. */
    bool (*J)(const double *z, double *value, void *ctx);
    const int *start, *index; /**< pattern of J by columns, as in perp_sparse; NULL: dense, column-major */
    void *ctx;                /**< passed to both */
} perp_ncp;

/** Minimise x'Qx/2 + c'x subject to lo <= x <= hi and row_lo <= A x <= row_hi. Variables of a solver: z = (x, y), y the
 *  multipliers of the rows: Q x + c - A'y is >= 0 at lo, <= 0 at hi, 0 between; y >= 0 at row_lo, <= 0 at row_hi. */
typedef struct perp_qp {
    int n, m;                      /**< variables, rows */
    perp_sparse Q;                 /**< n x n, symmetric positive semidefinite, both triangles */
    const double *c;               /**< n */
    const double *lo, *hi;         /**< n; NULL: free */
    perp_sparse A;                 /**< m x n; unused if m = 0 */
    const double *row_lo, *row_hi; /**< m */
} perp_qp;

/** Rows of a contact of a cone problem, at most: normal, two tangents, spin about the normal, rolling about the tangents. */
#define PERP_CONE_ROWS 6

/** Friction contact problem, and cone-constrained QP. Rows, m = nrow + dim * ncontact of them: bounded scalar rows
 *  (joints, limits, motors) first, then the contacts in turn, each with its normal row first.
 *
 *      u = W r + q                                     local form (Delassus)
 *      M v = f + H r,   u = H'v + b + compliance r     global form (mass matrix), W = H'M^-1 H + compliance
 *
 *  Bounded row: lo <= r <= hi complementary to u. Contact: r in the cone |r_T / e| <= mu r_N, e the axes, and
 *  u + mu |e u_T| n in its dual cone, perpendicular to r: Coulomb's law with De Saxce's term (PERP_CONE). Without that
 *  term (PERP_CONE_QP): u itself in the dual cone; these are the optimality conditions of min r'Wr/2 + q'r over the cones.
 *  dim 2: normal and tangent. 3: normal and two tangents. 4: also a torsional row about the normal (Berard 3.82). 6: also two
 *  rows of rolling about the tangents. */
typedef struct perp_cone {
    int dim;               /**< rows of a contact: 2 to PERP_CONE_ROWS */
    int ncontact;          /**< contacts */
    int nrow;              /**< bounded rows */
    const double *lo, *hi; /**< nrow; NULL: free, that is bilateral */
    const double *mu;      /**< ncontact, >= 0 */
    const double *axes; /**< (dim - 1) x ncontact, >= 0: e_t, e_o, e_r, e_roll, e_roll of each contact; NULL: all 1 */
    bool global;        /**< true: global form; false: local form */
    perp_sparse W;      /**< local: m x m, any symmetry */
    const double *q;    /**< local: m */
    perp_sparse M;      /**< global: n x n, regular; block diagonal for rigid bodies */
    perp_sparse H;      /**< global: n x m */
    const double *f;    /**< global: n */
    const double *b;    /**< global: m */
    const double *compliance; /**< global: m, >= 0; NULL: none */
} perp_cone;

/** A problem of any class, as solvers get it. */
typedef struct perp_problem {
    perp_class cls;
    union {
        perp_lcp lcp;
        perp_mlcp mlcp;
        perp_sparse_mlcp sparse_mlcp;
        perp_ncp ncp;
        perp_qp qp;
        perp_cone cone; /**< PERP_CONE and PERP_CONE_QP */
    } as;               /**< the member that `cls` names */
    /** Natural sizes of the variables and of the rows (LCP, mixed LCP, NCP). The residual compares z_i/z_scale_i with
     *  w_i/w_scale_i, so the two must have the same unit: for contact problems a velocity. For an impulse, z_scale = 1/M_ii and
     *  w_scale = 1. For a slip speed, whose row is an impulse, z_scale = 1 and w_scale = 1/(inverse mass along the slip).
     *  Positive; NULL: all 1. Cone problems and QPs need none: they are scaled by their own data. */
    const double *z_scale, *w_scale;
} perp_problem;

/** Number of variables: n of an LCP, mixed LCP or NCP; n + m of a QP; rows m of a cone problem. */
PERP_API int perp_problem_size(const perp_problem *p);

/** Checks a problem made by hand: sizes, finite numbers, bounds, patterns, mu >= 0. The normal row of a contact must not be
 *  zero. A bounded row of a cone problem that is zero must have the bound that its q needs (an upper one if q < 0, a lower one
 *  if q > 0). An LCP or mixed LCP with such a row has no solution but is accepted; perp_problem_contradict() proves that it has
 *  none. PERP_E_ARG if a check fails; then `why` (may be NULL) holds a sentence that names the place and the value. */
PERP_API perp_status perp_problem_check(const perp_problem *p, char *why, size_t why_size);

/** Largest |min(z_i, w_i)| over an LCP, with w = M z + q recomputed here; zero exactly at a solution, INFINITY if
 *  a number is not finite. It mixes the units of z and w; to judge an answer use perp_problem_measure(). */
PERP_API double perp_lcp_residual(const perp_lcp *p, const double *z);

/** Largest natural-map residual |z_i - mid(lo_i, hi_i, z_i - w_i)| of a mixed LCP. */
PERP_API double perp_mlcp_residual(const perp_mlcp *p, const double *z);

/** Residual in the units of the rows: the largest natural-map residual with every variable divided by its z_scale and
 *  every row by its w_scale, |min(z_i/z_scale_i, w_i/w_scale_i)| for an LCP: a velocity for all rows of a step problem.
 *  Cones: the largest |r - P(r - rho u^)|/rho, see perp_measures. QP: perp_measures.natural in units of the gradient.
 *  INFINITY also if there is no memory; LCP and dense mixed LCP need none. The problem must pass perp_problem_check(). */
PERP_API double perp_problem_residual(const perp_problem *p, const double *z);

/** All measures of an answer. A measure is INFINITY if a number in it is not finite. All except `raw` and `siconos` are
 *  dimensionless: variables are divided by `z_unit`, rows by `w_unit`.
 *
 *  LCP, mixed LCP, NCP: with scales given z_i/z_scale_i and w_i/w_scale_i over the largest |w_i(0)|/w_scale_i; without,
 *  w over s = max |w_i(0)| and z over s/max |M_ij| (NCP: J at z). If s = 0: over 1.
 *  QP: x against g = Q x + c - A'y, and A x against y. L is the smallest of max |c|/max |Q|, max |row bound|/max |A|,
 *  max |bound| that is not 0 (if all are: 1). z_unit: the larger of L and the largest |x_i| within its bounds. w_unit:
 *  the largest |c_i|, |(Q x)_i|, |(A'y)_i| and max |Q| L (at least 1 if Q and c are 0). A x over max |A| z_unit, y over
 *  w_unit/max |A|.
 *  Cones: everything in the metric of the axes, r_T/e and e u_T. Contact i has rho_i = 1/mean diagonal of its block of
 *  W (of E W E, without rows of axis 0); impulses over the largest of |r_i| and rho_i |q_i|. An impulse along an axis 0,
 *  which is not allowed, counts as r sqrt(W_tt/W_NN). A bounded row may be a torque while contacts are forces: it counts as
 *  r_k sqrt(W_kk/W), W the mean of the contacts' mean diagonals. */
typedef struct perp_measures {
    double natural; /**< natural residual, the figure that counts. Cones: largest |r_i - P(r_i - rho_i u^_i)|, u^ = u +
                         mu |e u_T| n, P the projection on the cone in the metric of its axes; rows: with [lo, hi] */
    double fischer; /**< largest |sqrt(a^2 + b^2) - a - b|, a the distance to the bound, b the row. Cones: norm of the
                         Fischer-Burmeister function of the Jordan algebra */
    double complementarity; /**< largest |a b|; cones: |r . u^| */
    double infeasible_z;    /**< largest distance of the variables from their bounds or cones */
    double infeasible_w;    /**< largest distance of the rows from their signs or dual cones */
    double dissipation; /**< cones: difference to the largest dissipation within the cone, r_T . u_T + mu r_N |e u_T| */
    double raw;         /**< natural map in the units of the data, rho = 1, largest over rows or contacts */
    double siconos; /**< cones: |r - P(r - u^)| / max(|q|, |r|, |u|), Euclidean over all; else raw over max(|q|, 1) */
    double largest; /**< largest |z_i| in the units of the data */
    double z_unit, w_unit; /**< units of the dimensionless measures (cones: an impulse, and the velocity of the stiffest
                                contact) */
} perp_measures;

/** Measures an answer. @param z perp_problem_size() numbers. PERP_E_ARG for a bad problem, PERP_E_MEMORY. */
PERP_API perp_status perp_problem_measure(const perp_problem *p, const double *z, perp_measures *out);

/** The judge of one problem, prepared for many answers: M is factorised, scales are computed. Opaque. */
typedef struct perp_judge perp_judge;

/** Checks the problem and makes its judge. The arrays of `p` are borrowed until the judge is freed; `p` itself is copied.
 *  @param alloc  NULL: malloc and free (the sparse factor of an M that is not made of small blocks always comes from
 *  these)
 *  @return PERP_E_ARG for a bad problem or a singular M, PERP_E_MEMORY; *out = NULL then */
PERP_API perp_status perp_judge_new(const perp_problem *p, const perp_allocator *alloc, perp_judge **out);

/** Measures an answer: one product with the matrix of the problem, no allocation. Only one thread at a time may use a judge. */
PERP_API perp_status perp_judge_measure(perp_judge *j, const double *z, perp_measures *out);

/** Frees a judge. NULL is allowed. */
PERP_API void perp_judge_free(perp_judge *j);

/** Velocities u of the rows and, in the global form, v of the bodies, for impulses r of a cone problem.
 *  u: m or NULL; v: n or NULL (global only). PERP_E_ARG if M is singular, PERP_E_MEMORY. */
PERP_API perp_status perp_cone_velocity(const perp_cone *p, const double *r, double *u, double *v);

#ifdef __cplusplus
}
#endif
#endif

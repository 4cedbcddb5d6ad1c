/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file problem.h
 *  Complementarity problems, one type per class, and the judge that measures answers from outside.
 *
 *  A problem borrows all its arrays. Solvers (plugin.h) read it and know nothing of bodies; residuals are computed here
 *  from the problem data, never by the solver that is judged. Solving: solve.h. Files: problem_file.h. All of it by
 *  itself: `#include "perp/solver.h"`. */
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

/** A sparse matrix by columns: entries of column j are start[j] .. start[j + 1] - 1, rows ascending, none twice. */
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
    /** Derivatives dF_i/dz_j at z, in the order of the pattern. NULL: differences are taken. */
    bool (*J)(const double *z, double *value, void *ctx);
    const int *start, *index; /**< pattern of J by columns, as in perp_sparse; NULL: dense, column-major */
    void *ctx;                /**< handed to both */
} perp_ncp;

/** Smallest x'Qx/2 + c'x with lo <= x <= hi and row_lo <= A x <= row_hi. Variables of a solver: z = (x, y), y the
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
 *  term (PERP_CONE_QP): u itself in the dual cone, the optimality conditions of min r'Wr/2 + q'r over the cones.
 *  dim 2: normal, tangent. 3: two tangents. 4: a torsional row about the normal as well (Berard 3.82). 6: rows of the
 *  rolling about both tangents too. */
typedef struct perp_cone {
    int dim;               /**< rows of a contact: 2 to PERP_CONE_ROWS */
    int ncontact;          /**< contacts */
    int nrow;              /**< bounded rows */
    const double *lo, *hi; /**< nrow; NULL: free, that is bilateral */
    const double *mu;      /**< ncontact, >= 0 */
    const double *axes; /**< (dim - 1) x ncontact, >= 0: e_t, e_o, e_r, e_roll, e_roll of each contact; NULL: all 1 */
    bool global;        /**< which of the two forms is given */
    perp_sparse W;      /**< local: m x m, any symmetry */
    const double *q;    /**< local: m */
    perp_sparse M;      /**< global: n x n, regular; block diagonal for rigid bodies */
    perp_sparse H;      /**< global: n x m */
    const double *f;    /**< global: n */
    const double *b;    /**< global: m */
    const double *compliance; /**< global: m, >= 0; NULL: none */
} perp_cone;

/** What a solver is handed. */
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
    /** Natural sizes of the variables and of the rows (LCP, mixed LCP, NCP): the residual compares z_i/z_scale_i with
     *  w_i/w_scale_i, so the two must come out in one unit, for contact problems a velocity. An impulse row: z_scale =
     *  1/M_ii, w_scale = 1. A slip speed, whose row is an impulse: z_scale = 1, w_scale = 1/(inverse mass along the
     *  slip). Positive; NULL: all 1. Cones and QPs scale by themselves. */
    const double *z_scale, *w_scale;
} perp_problem;

/** Number of variables: n of an LCP, mixed LCP or NCP; n + m of a QP; rows m of a cone problem. */
PERP_API int perp_problem_size(const perp_problem *p);

/** Checks sizes, finiteness, bounds, patterns of a problem made by hand; negative mu; the normal row of a
 *  contact that is zero; a bounded row of a cone problem that is zero and whose q needs a bound that is not there (q < 0
 *  without an upper one, q > 0 without a lower one). An LCP or mixed LCP with such a row has no answer and is accepted:
 *  perp_problem_contradict() proves it.
 *  PERP_E_ARG if something is off; then `why` (may be NULL) holds a sentence that names the place and the value. */
PERP_API perp_status perp_problem_check(const perp_problem *p, char *why, size_t why_size);

/** Largest |min(z_i, w_i)| over an LCP, with w = M z + q recomputed here; zero exactly at a solution, INFINITY if
 *  anything is not finite. Mixes the units of z and w: for judging use perp_problem_measure(). */
PERP_API double perp_lcp_residual(const perp_lcp *p, const double *z);

/** Largest natural-map residual |z_i - mid(lo_i, hi_i, z_i - w_i)| of a mixed LCP. */
PERP_API double perp_mlcp_residual(const perp_mlcp *p, const double *z);

/** The judge in the units of the rows: the largest natural-map residual with every variable divided by its z_scale and
 *  every row by its w_scale, |min(z_i/z_scale_i, w_i/w_scale_i)| for an LCP: a velocity for all rows of a step problem.
 *  Cones: the largest |r - P(r - rho u^)|/rho, see perp_measures. QP: perp_measures.natural in units of the gradient.
 *  INFINITY also if memory is refused; LCP and dense mixed LCP never allocate. For problems that are well formed. */
PERP_API double perp_problem_residual(const perp_problem *p, const double *z);

/** Everything the judge can say of an answer. INFINITY where something is not finite. All but `raw` and `siconos` are
 *  unit-free: variables are taken in units of `z_unit`, rows of `w_unit`.
 *
 *  LCP, mixed LCP, NCP: with scales given z_i/z_scale_i and w_i/w_scale_i over the largest |w_i(0)|/w_scale_i; without,
 *  w over s = max |w_i(0)| and z over s/max |M_ij| (NCP: J at z). If s = 0: over 1.
 *  QP: x against g = Q x + c - A'y, and A x against y. L is the smallest of max |c|/max |Q|, max |row bound|/max |A|,
 *  max |bound| that is not 0 (if all are: 1). z_unit: the larger of L and the largest |x_i| within its bounds. w_unit:
 *  the largest |c_i|, |(Q x)_i|, |(A'y)_i| and max |Q| L (at least 1 if Q and c are 0). A x over max |A| z_unit, y over
 *  w_unit/max |A|.
 *  Cones: everything in the metric of the axes, r_T/e and e u_T. Contact i has rho_i = 1/mean diagonal of its block of
 *  W (of E W E, rows of axis 0 left out); impulses over the largest of |r_i| and rho_i |q_i|. An impulse along an axis 0,
 *  where none may be, counts as r sqrt(W_tt/W_NN). A bounded row may be a torque beside forces: it counts as r_k
 *  sqrt(W_kk/W), W the mean of the contacts' mean diagonals. */
typedef struct perp_measures {
    double natural; /**< the figure to judge by: natural map. Cones: largest |r_i - P(r_i - rho_i u^_i)|, u^ = u + mu |e
                         u_T| n, P the projection on the cone in the metric of its axes; rows: with [lo, hi] */
    double fischer; /**< largest |sqrt(a^2 + b^2) - a - b|, a the distance to the bound, b the row. Cones: norm of the
                         Fischer-Burmeister function of the Jordan algebra */
    double complementarity; /**< largest |a b|; cones: |r . u^| */
    double infeasible_z;    /**< how far the variables leave their bounds or cones */
    double infeasible_w;    /**< how far the rows leave their signs or dual cones */
    double
        dissipation; /**< cones: how much more friction within its cone could dissipate, r_T . u_T + mu r_N |e u_T| */
    double raw;      /**< natural map in the units of the data, rho = 1, largest over rows or contacts */
    double siconos;  /**< cones: |r - P(r - u^)| / max(|q|, |r|, |u|), Euclidean over all; else raw over max(|q|, 1) */
    double largest;  /**< largest |z_i| in the units of the data */
    double z_unit, w_unit; /**< what unit-free figures were divided by (cones: impulse, and velocity of the stiffest
                                contact) */
} perp_measures;

/** Measures an answer. @param z perp_problem_size() numbers. PERP_E_ARG for a bad problem, PERP_E_MEMORY. */
PERP_API perp_status perp_problem_measure(const perp_problem *p, const double *z, perp_measures *out);

/** The judge of one problem, made ready for many answers: M factorised, scales found. Opaque. */
typedef struct perp_judge perp_judge;

/** Checks the problem and prepares. The arrays of `p` are borrowed until the judge is freed; `p` itself is copied.
 *  @param alloc  NULL: malloc and free (the sparse factor of an M that is not made of small blocks always comes from
 *  these)
 *  @return PERP_E_ARG for a bad problem or a singular M, PERP_E_MEMORY; *out = NULL then */
PERP_API perp_status perp_judge_new(const perp_problem *p, const perp_allocator *alloc, perp_judge **out);

/** Measures an answer: one product with the matrix of the problem, no allocation. Not for two threads at a time. */
PERP_API perp_status perp_judge_measure(perp_judge *j, const double *z, perp_measures *out);

/** NULL is fine. */
PERP_API void perp_judge_free(perp_judge *j);

/** Velocities of the rows u and, in the global form, of the bodies v, that impulses r make in a cone problem.
 *  u: m or NULL; v: n or NULL (global only). PERP_E_ARG if M is singular, PERP_E_MEMORY. */
PERP_API perp_status perp_cone_velocity(const perp_cone *p, const double *r, double *u, double *v);

#ifdef __cplusplus
}
#endif
#endif

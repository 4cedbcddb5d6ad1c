/** @file problem.h
 *  The step problem, the complementarity problems it turns into, and the judge.
 *
 *  Steppers write a perp_step_problem; conversions make an LCP or a mixed LCP of it; solvers read that and know
 *  nothing of bodies; residuals are computed here from the problem data, never by the solver that is judged. */
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Problem classes, as bits of a mask. */
typedef enum perp_class {
    PERP_LCP = 1, /**< dense linear complementarity problem */
    PERP_MLCP = 2 /**< dense mixed LCP: free variables and bounds */
} perp_class;

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

/** What a solver is handed. */
typedef struct perp_problem {
    perp_class cls;
    union {
        perp_lcp lcp;
        perp_mlcp mlcp;
    } as; /**< the member that `cls` names */
    /** Natural sizes of the variables and of the rows: the residual compares z_i/z_scale_i with w_i/w_scale_i, so the
     *  two must come out in one unit, for contact problems a velocity. An impulse row: z_scale = 1/M_ii, w_scale = 1. A
     *  slip speed, whose row is an impulse: z_scale = 1, w_scale = 1/(inverse mass along the slip). Positive; NULL:
     *  all 1. */
    const double *z_scale, *w_scale;
} perp_problem;

/** How a solver ended, in its own words. The library believes only the residual. */
typedef enum perp_outcome {
    PERP_OUTCOME_SOLVED,    /**< the solver thinks it is solved */
    PERP_OUTCOME_RAY,       /**< pivoting ended on a ray; proves infeasibility only for copositive-plus M */
    PERP_OUTCOME_LIMIT,     /**< iteration limit */
    PERP_OUTCOME_NUMERICS,  /**< numerical trouble: singular basis, not finite */
    PERP_OUTCOME_TOO_LARGE, /**< beyond the sizes this solver takes */
    PERP_OUTCOME_COUNT      /**< number of outcomes */
} perp_outcome;

/** Words for an outcome. */
PERP_API const char *perp_outcome_text(perp_outcome o);

/** What a solve reported. */
typedef struct perp_solve_info {
    perp_outcome outcome;
    int iterations;  /**< pivots, sweeps or bases tried */
    bool warm;       /**< the guess was used and led to the answer */
    double residual; /**< measured by the library after the solve, see perp_problem_residual() */
} perp_solve_info;

/** Largest |min(z_i, w_i)| over an LCP, with w = M z + q recomputed here; zero exactly at a solution, INFINITY if
 *  anything is not finite. Mixes the units of z and w: for judging use perp_problem_residual(). */
PERP_API double perp_lcp_residual(const perp_lcp *p, const double *z);

/** Largest natural-map residual |z_i - mid(lo_i, hi_i, z_i - w_i)| of a mixed LCP. */
PERP_API double perp_mlcp_residual(const perp_mlcp *p, const double *z);

/** The judge: the largest natural-map residual with every variable divided by its z_scale and every row by its w_scale,
 *  |min(z_i/z_scale_i, w_i/w_scale_i)| for an LCP: a velocity for all rows of a step problem. */
PERP_API double perp_problem_residual(const perp_problem *p, const double *z);

/** Checks sizes, finiteness and bounds of a problem made by hand.
 *  PERP_E_ARG if something is off; then `why` (may be NULL) holds a sentence. */
PERP_API perp_status perp_problem_check(const perp_problem *p, char *why, size_t why_size);

/** Solves a problem with the named solver and its default settings, and measures the answer.
 *  @param z  n numbers: guess in (zeros for none), answer out
 *  @return PERP_OK if the solver ran, whatever its outcome; PERP_E_NAME, PERP_E_FIT (class not taken), PERP_E_MEMORY,
 *  PERP_E_ARG.
 *
 *      double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, z[2] = {0};
 *      perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
 *      perp_solve_info info;
 *      if (!perp_problem_solve(&p, "lemke", z, &info) && info.residual < 1e-12) ...   // z = (4/3, 7/3)
 */
PERP_API perp_status perp_problem_solve(const perp_problem *p, const char *solver, double *z, perp_solve_info *info);

/** A constraint row: velocity w = sum_k J[k] . nu(block[k]) (+ the row's own b). It touches at most two blocks. */
typedef struct perp_row {
    int block[2];   /**< index of a mass block, or -1 */
    double J[2][6]; /**< first ndof numbers of each count */
} perp_row;

/** Where a row of the step problem comes from, for messages and for the energy ledger. */
typedef enum perp_row_kind {
    PERP_ROW_JOINT,    /**< bilateral row of a joint */
    PERP_ROW_MOTOR,    /**< velocity motor with a force limit */
    PERP_ROW_FRICTION, /**< dry friction in a joint */
    PERP_ROW_SPRING,   /**< implicit spring-damper in a joint */
    PERP_ROW_LIMIT     /**< joint limit */
} perp_row_kind;

/** A joint row: w = J nu + b + compliance p, with lo <= p <= hi complementary to w.
 *  Bilateral: lo, hi = -+INFINITY, compliance 0. Limit: lo = 0, hi = INFINITY. */
typedef struct perp_joint_row {
    perp_row row;
    double b;          /**< [L/T or 1/T] */
    double compliance; /**< [1/M or 1/(M L^2)] */
    double lo, hi;     /**< bounds of the impulse [M L/T or M L^2/T] */
    double b_kin;      /**< part of b that is the motion of kinematic bodies (for the ledger) */
    perp_row_kind kind;
    int joint; /**< index of the joint in the world, -1 if none */
} perp_joint_row;

/** A contact of the step problem: 0 <= p_n _|_ n nu + b_n >= 0 and, if nd > 0, friction over directions
 *  d_k = cos(a_k) t + sin(a_k) o, a_k = phase + 2 pi k/nd:  0 <= p_k _|_ d_k (G_f' nu + b_f) + sigma >= 0,
 *  0 <= sigma _|_ mu p_n - sum p_k >= 0. */
typedef struct perp_contact_row {
    perp_row n, t, o;
    double b_n;      /**< psi/h or its replacement, with all motion of kinematic bodies [L/T] */
    double b_t, b_o; /**< slip velocity of kinematic bodies along t, o [L/T] */
    double b_n_kin;  /**< normal velocity of kinematic bodies (for the ledger) */
    double mu;
    int nd;       /**< number of friction directions; 0: no friction. In 2D 2 */
    double phase; /**< angle of the first direction from t */
    int contact;  /**< index of the contact in the world's list */
} perp_contact_row;

/** One step's problem: find nu with M nu = momentum + G p and the rows' laws. */
typedef struct perp_step_problem {
    int dim;                 /**< 2 or 3 */
    double h;                /**< time step [T] */
    int nblock;              /**< number of dynamic bodies */
    int ndof;                /**< total of block_ndof */
    const int *block_ndof;   /**< nblock: 2, 3 or 6 */
    const int *block_offset; /**< nblock: first dof */
    const double *M;         /**< nblock x 36: each block 6 x 6 column-major, the leading ndof x ndof counts */
    const double *Minv;      /**< inverse blocks, same layout */
    const double *momentum;  /**< ndof: M nu + h f */
    int njoint;              /**< number of joint rows */
    const perp_joint_row *joint;
    int ncontact; /**< number of contacts */
    const perp_contact_row *contact;
} perp_step_problem;

/** Impulses and velocity that solve a step problem. */
typedef struct perp_step_solution {
    double *nu;        /**< ndof: velocity at the end of the step */
    double *p_joint;   /**< njoint */
    double *p_contact; /**< 3 x ncontact: along n, t, o */
    double *sigma;     /**< ncontact: slip speed in the pyramid's norm */
} perp_step_solution;

/** Residuals of a step solution against the laws, all as velocities; INFINITY if something is not finite. W is the
 *  inverse mass J Minv J' of a row by itself. */
typedef struct perp_step_residual {
    double momentum; /**< largest |Minv (M nu - momentum - G p)| */
    double joint;    /**< largest |W p - mid(W lo, W hi, W p - w)| over joint rows, w = J nu + b + compliance p, W with
                             compliance */
    double normal;   /**< largest |min(w_n, W_nn p_n)| */
    double cone;     /**< largest W_f times the distance by which (p_t, p_o) leaves its polygon mu p_n conv{d_k},
                             W_f = max(W_tt, W_oo); without friction the polygon is the point 0 */
    double dissipation; /**< largest |W_f p_f - P(W_f p_f - s)|, s the slip velocity, P the projection on
                             W_f mu p_n conv{d_k}: zero exactly if p_f lies in the polygon and no point of it
                             dissipates more */
    double scale; /**< size of the velocities these are to be compared with: the largest of |J nu_free| and |b| over
                             all rows and of the translational part of nu_free = Minv momentum */
} perp_step_residual;

/** Measures a solution of a step problem; see perp_step_residual. Independent of every solver and conversion.
 *  Never allocates. */
PERP_API perp_step_residual perp_step_problem_residual(const perp_step_problem *p, const perp_step_solution *s);

#ifdef __cplusplus
}
#endif
#endif

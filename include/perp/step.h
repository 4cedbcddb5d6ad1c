/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file step.h
 *  The step problem. Steppers write it, conversions make complementarity problems of it, and the judge measures answers on it. */
#ifndef PERP_STEP_H
#define PERP_STEP_H

#include "perp/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A constraint row: velocity w = sum_k J[k] . nu(block[k]) (+ the row's own b). Most rows have at most two blocks. A row that
 *  couples several joints has more: these are in the list `more`, and then no block may occur twice. Rows of contacts have no
 *  list. */
typedef struct perp_row {
    int block[2];   /**< index of a mass block, or -1 */
    double J[2][6]; /**< only the first ndof numbers of each count */
    const struct perp_row
        *more; /**< further blocks of the same row; NULL: none. Borrowed for the life of the problem */
} perp_row;

/** Origin of a row of the step problem, for messages and for the energy ledger. */
typedef enum perp_row_kind {
    PERP_ROW_JOINT,    /**< bilateral row of a joint */
    PERP_ROW_MOTOR,    /**< velocity motor with a force limit */
    PERP_ROW_FRICTION, /**< dry friction in a joint */
    PERP_ROW_SPRING,   /**< implicit spring-damper in a joint */
    PERP_ROW_LIMIT,    /**< joint limit */
    PERP_ROW_INERTIA   /**< armature: inertia on a joint coordinate */
} perp_row_kind;

/** A joint row: w = J nu + b + compliance p, with lo <= p <= hi complementary to w.
 *  Bilateral: lo, hi = -+INFINITY, compliance 0. Limit: lo = 0, hi = INFINITY. */
typedef struct perp_joint_row {
    perp_row row;
    double b;          /**< [L/T or 1/T] */
    double compliance; /**< [1/M or 1/(M L^2)] */
    double lo, hi;     /**< bounds of the impulse [M L/T or M L^2/T] */
    double b_kin;      /**< part of b from the motion of kinematic bodies (for the ledger) */
    perp_row_kind kind;
    int joint;    /**< index of the joint in the world, -1 if none */
    int coord;    /**< coordinate of the joint, -1 for a bilateral row */
    bool against; /**< its impulse acts against the coordinate: an upper limit */
} perp_joint_row;

/** perp_contact_row.nd of a contact whose friction is a true cone, without discrete directions. */
#define PERP_CONE_DIRECTIONS (-1)

/** A contact of the step problem: 0 <= p_n _|_ n nu + b_n >= 0 and, if nd > 0, friction over directions
 *  d_k = cos(a_k) t + sin(a_k) o, a_k = phase + 2 pi k/nd:  0 <= p_k _|_ d_k (G_f' nu + b_f) + sigma >= 0,
 *  0 <= sigma _|_ mu p_n - sum p_k >= 0.
 *  If nd = PERP_CONE_DIRECTIONS, friction is the point of the cone |(p_t, p_o)| <= mu p_n with the largest dissipation: of all
 *  points of the disc of radius mu p_n, (p_t, p_o) has the least product with the slip velocity s = (t nu + b_t, o nu + b_o).
 *  So (p_t, p_o) = -mu p_n s/|s| if the contact slips, any point of the disc if s = 0, and sigma = |s|. In 2D the disc is the
 *  line from -mu p_n to mu p_n, and the law is the same as that of nd = 2.
 *  In 3D a cone may be elliptic, and may resist spin about the normal (Berard 2.6.1, 3.82): with e_t, e_o, e_r the disc becomes
 *  the ellipsoid (p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2 <= (mu p_n)^2, the slip has a third component s_r = r nu + b_r, and
 *  sigma = |(e_t s_t, e_o s_o, e_r s_r)|.
 *  With e_roll > 0 it also resists rolling about the two tangents: the ellipsoid gets the term |p_roll|^2/e_roll^2, and the slip
 *  the two components s_roll = roll nu + b_roll. */
typedef struct perp_contact_row {
    perp_row n, t, o;
    perp_row r;          /**< spin of B relative to A about the normal [1/T]; counts only if e_r > 0 */
    perp_row roll[2];    /**< rotation of B relative to A about t and o [1/T]; counts only if e_roll > 0 */
    double b_n;          /**< psi/h or its replacement, including the motion of kinematic bodies [L/T] */
    double b_t, b_o;     /**< slip velocity of kinematic bodies along t, o [L/T] */
    double b_n_kin;      /**< normal velocity of kinematic bodies (for the ledger) */
    double b_r;          /**< spin of kinematic bodies about the normal [1/T] */
    double b_roll[2];    /**< rotation of kinematic bodies about t and o [1/T] */
    double compliance;   /**< of the normal row: p_n is complementary to n nu + b_n + compliance p_n [1/M]; 0: rigid */
    double compliance_f; /**< of the tangential rows: the slip is t nu + b_t + compliance_f p_t; along o likewise */
    double mu;
    double e_t, e_o; /**< cone in 3D: axes of the ellipse; 0 means 1 */
    double e_r;      /**< cone in 3D: torsional length [L]; 0: no resistance to spin */
    double e_roll;   /**< cone in 3D: rolling length [L]; 0: no resistance to rolling */
    int nd;          /**< number of friction directions; 0: no friction; PERP_CONE_DIRECTIONS: a true cone. In 2D 2 */
    double phase;    /**< angle of the first direction from t; 0 for a cone */
    int contact;     /**< index of the contact in the world's list */
} perp_contact_row;

/** The problem of one step: find nu and p that satisfy M nu = momentum + G p and the laws of the rows. */
typedef struct perp_step_problem {
    int dim;                 /**< 2 or 3 */
    double h;                /**< time step [T] */
    int nblock;              /**< number of dynamic bodies */
    int ndof;                /**< total of block_ndof */
    const int *block_ndof;   /**< nblock: 2, 3 or 6 */
    const int *block_offset; /**< nblock: first dof */
    const double *M;        /**< nblock x 36: each block 6 x 6 column-major; only the leading ndof x ndof part counts */
    const double *Minv;     /**< inverse blocks, same layout */
    const double *momentum; /**< ndof: M nu + h f */
    int njoint;             /**< number of joint rows */
    const perp_joint_row *joint;
    int ncontact; /**< number of contacts */
    const perp_contact_row *contact;
} perp_step_problem;

/** Impulses and velocity that solve a step problem. */
typedef struct perp_step_solution {
    double *nu;        /**< ndof: velocity at the end of the step */
    double *p_joint;   /**< njoint */
    double *p_contact; /**< 3 x ncontact: along n, t, o */
    double *sigma;     /**< ncontact: slip speed, in the norm of the pyramid or, with a cone, the Euclidean one */
    double *p_spin;    /**< ncontact: angular impulse on B about n [M L^2/T]; used only for contacts with e_r > 0 */
    double *
        p_roll; /**< 2 x ncontact: angular impulse on B about t and o [M L^2/T]; used only for contacts with e_roll > 0 */
} perp_step_solution;

/** Residuals of the laws for a step solution, all as velocities; INFINITY if a number is not finite. W is the inverse mass
 *  J Minv J' of a row by itself, plus its compliance. Residual and b of a row with compliance are multiplied by J Minv J'/W,
 *  which converts them to velocities of the bodies. */
typedef struct perp_step_residual {
    double
        momentum;  /**< largest component of Minv (M nu - momentum - G p); an angular velocity w of a body counts as the
                             speed at its radius of gyration, sqrt(w' I w/m) */
    double joint;  /**< largest |W p - mid(W lo, W hi, W p - w)| over joint rows, w = J nu + b + compliance p; for rows
                             that only rotate bodies, times the radius of gyration of these bodies */
    double normal; /**< largest |min(w_n, W_nn p_n)| */
    double cone;   /**< largest W_f times the distance of (p_t, p_o) from its polygon mu p_n conv{d_k} or, with
                             a true cone, its disc |p_f| <= mu p_n; W_f = max(W_tt, W_oo); without friction the polygon
                             is the point 0. Elliptic or torsional: p_f = (p_t/e_t, p_o/e_o, p_r/e_r), s = (e_t s_t, e_o
                             s_o, e_r s_r), W_f = max(e_t^2 W_tt, e_o^2 W_oo, e_r^2 W_rr), and the disc is a ball. Rolling adds two parts to each in the same way */
    double dissipation; /**< largest |W_f p_f - P(W_f p_f - s)|, s the slip velocity, P the projection on W_f times the
                             polygon or disc: zero exactly if p_f lies in it and no point of it dissipates more */
    /** Size of the velocities that the residuals are compared with: the largest of |J nu_free|, of |b| (of open one-sided rows
     *  only up to twice the largest of all others) and of nu_free = Minv momentum, measured as in `momentum`. */
    double scale;
} perp_step_residual;

/** Measures a solution of a step problem; see perp_step_residual. Independent of every solver and conversion.
 *  Never allocates. */
PERP_API perp_step_residual perp_step_problem_residual(const perp_step_problem *p, const perp_step_solution *s);

#ifdef __cplusplus
}
#endif
#endif

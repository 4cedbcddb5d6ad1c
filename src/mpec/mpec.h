/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mpec.h - the program: its unknowns, its equations, and who computes what.
 *
 *   unknowns   z = [ parameters | state 0 | u of step 1 | u of step 2 | ... ]
 *              u = [ q+ | nu+ | joint impulses | contacts ... ], local to a step
 *   equations  [ start state | laws, positions, products of step 1 | ... ]
 *
 * The laws of a step are functions c(x, u) of x = [ q | nu | parameters ] at its start, through the step problem that the
 * world poses there, and of u: laws.c has c, its derivatives by u and its curvature in u, all exact. sensitivity.c has
 * the derivatives by x, from differences of the posed problem. program.c puts the steps together, ipopt.c solves.
 *
 * Impulses are in units of `impulse`, normal and slip velocities in units of `speed`, so the bounds of the products have
 * no unit. */
#ifndef PP_MPEC_H
#define PP_MPEC_H

#include "base/memory.h"
#include "perp/mpec.h"
#include "step/pose.h"

/* How the friction of a contact is stated. */
typedef enum pp_mpec_friction {
    PP_MPEC_SLICK,   /* none */
    PP_MPEC_PYRAMID, /* nd impulses along given directions */
    PP_MPEC_CONE     /* two impulses within a disc */
} pp_mpec_friction;

/* A contact in the unknowns and equations of a step: local numbers of the first of each, -1: there is none. */
typedef struct pp_mpec_contact {
    uint64_t key[3];   /* identity: shapes and feature; of a support: block */
    bool known_normal; /* no lever and a compliance: the normal impulse is -b_n/compliance, see support_rows.c */
    pp_mpec_friction friction;
    int nd;           /* impulses of friction: directions of the pyramid, or 2 */
    int p_n, w_n;     /* normal impulse and gap velocity, if not known */
    int p_f;          /* nd impulses of friction */
    int w_f;          /* pyramid: nd slacks */
    int sigma, slack; /* slip speed; what is left to the limit of friction */
    int block[2];     /* of its rows */
} pp_mpec_contact;

/* A place in a matrix. */
typedef struct pp_cell {
    int row, col;
} pp_cell;

/* A list of places with room for their values. */
typedef struct pp_cells {
    pp_cell *cell;
    int n;
} pp_cells;

typedef struct pp_mpec {
    const perp_mpec_problem *p;
    perp_mpec_options o;
    pp_arena arena; /* of the whole call */
    char *why;      /* room of the result, why_size bytes */
    size_t why_size;
    perp_status trouble; /* what made an evaluation fail */

    perp_world *clone; /* ours */
    perp_world *w;     /* the one with the parameters `at`: clone or the caller's */
    void *saved;       /* state of the clone at the start */
    size_t saved_size;
    double *at;      /* np: parameters of w; NAN: none yet */
    double *x_start; /* nx: initial state with them */
    double t0, h, margin;

    /* the bodies */
    int nblock, ndof;
    int *block_body, *block_ndof, *block_offset;
    int nx;  /* 2 ndof */
    int np;  /* parameters */
    int nxp; /* nx + np: what the laws of a step depend on beside u */

    /* a step */
    int njoint, ncontact;
    pp_mpec_contact *contact;
    int nu;           /* unknowns of a step */
    int nlaw;         /* equations of its laws */
    pp_cell *product; /* nproduct pairs of unknowns whose product is complementarity */
    int nproduct;
    double impulse, speed;
    double *momentum_unit; /* ndof: what momentum is measured in */

    /* derivatives of the laws: places, local to a step */
    pp_cells du;  /* (law, u) */
    pp_cells duu; /* (u, u), of the laws alone */
    pp_cells dx;  /* (law, x) */
    pp_cells dxu; /* (x, u) */
    pp_cells dxx; /* (x, x) */
    int *colour;  /* nxp: those of one colour touch no common law or unknown */
    int ncolour;
    double *size;      /* nxp: how large the variable is over the start */
    double *pace;      /* nxp: size of the differences of first derivatives */
    double *pace2;     /* nxp: of second ones */
    bool *start_moves; /* np: does the parameter change the initial state? */
    /* room */
    double *c[4], *value[4], *x[2], *gradient[2], *y;

    /* the program */
    int steps, n, m;
    double *lo, *hi;       /* n */
    int nfixed;            /* coordinates of the start state that are not unknown */
    int *fixed;            /* nfixed */
    double *weight_sum;    /* n: sum of 1/sd^2 of rows and priors that look at the unknown */
    double *target;        /* n: their weighted mean */
    double rest;           /* sum of squares that no unknown changes */
    double objective_unit; /* objective is divided by this for the solver */
    pp_cells jacobian, hessian;
    double *dx_value, *dxu_value, *dxx_value; /* of all steps, see sensitivity.c */
    double *start_value;                      /* nx x np */
} pp_mpec;

/* ---- layout.c: from the world to the unknowns ---- */

/* Checks the problem, clones the world, poses the first step and numbers unknowns and equations. */
perp_status pp_mpec_build(pp_mpec *m);
void pp_mpec_release(pp_mpec *m);
/* Puts the parameters into the world. */
perp_status pp_mpec_at(pp_mpec *m, const double *parameter);
/* Poses the problem of step k from x = [q | nu] (the parameters are those of the world), and checks that its contacts are
 * those of the layout. */
perp_status pp_mpec_pose(pp_mpec *m, int k, const double *x, const perp_step_problem **out);
/* The state of a world as x = [q | nu], and the other way, after k steps. */
void pp_mpec_read_state(const pp_mpec *m, const perp_world *w, double *x);
void pp_mpec_write_state(const pp_mpec *m, perp_world *w, int k, const double *x);
/* First unknown of the state after k steps. */
static inline int pp_mpec_base(const pp_mpec *m, int k) { return k == 0 ? m->np : m->np + m->nx + (k - 1) * m->nu; }
/* Number in x of a coordinate of a body, -1 if it has none. */
int pp_mpec_coordinate(const pp_mpec *m, perp_body_id b, perp_mpec_coordinate c);

/* ---- laws.c ---- */

/* Numbers unknowns and equations of the laws of a posed problem; the lists in m must have room. */
perp_status pp_mpec_number(pp_mpec *m, const pp_posed *posed);
/* PERP_E_FIT, and a sentence, if the contacts of the problem posed for step k are not those of the layout. */
perp_status pp_mpec_same_contacts(pp_mpec *m, int k, const pp_posed *posed);
/* Laws c (nlaw) and, if value is not NULL, their derivatives by u in the order of m->du. With cell not NULL the places are
 * written too. Returns the number of derivatives. */
int pp_mpec_laws(const pp_mpec *m, const perp_step_problem *p, const double *u, double *c, double *value,
                 pp_cell *cell);
/* Second derivatives by u of sum y_i c_i, in the order of m->duu; cell as above. */
int pp_mpec_curvature(const pp_mpec *m, const perp_step_problem *p, const double *u, const double *y, double *value,
                      pp_cell *cell);

/* ---- sensitivity.c ---- */

/* Finds which laws depend on which x, and how, by trying; start is a point of the program. */
perp_status pp_mpec_probe(pp_mpec *m, const double *start);
/* Derivatives of all laws by x at the point z: steps x dx.n numbers. */
perp_status pp_mpec_by_x(pp_mpec *m, const double *z, double *dx);
/* Second derivatives of sum y c at z: steps x dxu.n and steps x dxx.n numbers. y: multipliers of the laws of step k begin
 * at y + k stride. */
perp_status pp_mpec_by_xx(pp_mpec *m, const double *z, const double *y, int stride, double *dxu, double *dxx);
/* Derivatives of the initial state by the parameters: nx x np, column by parameter. */
perp_status pp_mpec_start_by_parameter(pp_mpec *m, const double *z, double *d);

/* ---- program.c ---- */

/* Numbers of unknowns and equations, bounds, objective. */
perp_status pp_mpec_program(pp_mpec *m);
/* Places of the derivatives, after the probe. */
perp_status pp_mpec_places(pp_mpec *m);
/* Has a row a bound? By what part of its bound is one exceeded at z, at most? */
bool pp_mpec_bounded(const pp_mpec *m);
double pp_mpec_row_excess(const pp_mpec *m, const double *z);
/* Makes the bounds of rows bounds of the unknowns. */
perp_status pp_mpec_bound_rows(pp_mpec *m);
double pp_mpec_objective(const pp_mpec *m, const double *z);
/* Sets the unit of the objective where residuals are about sqrt(mean_square) standard deviations: one changes the
 * objective by about its unit when an unknown moves by its own size. */
void pp_mpec_weigh(pp_mpec *m, double mean_square);
/* All of them return false, with m->trouble, where the world refuses the point. */
bool pp_mpec_constraints(pp_mpec *m, const double *z, double *g);
bool pp_mpec_jacobian(pp_mpec *m, const double *z, double *value);
/* factor: of the objective. */
bool pp_mpec_hessian(pp_mpec *m, const double *z, double factor, const double *lambda, double *value);
/* First equation of step k (from 1), and how many a step has. */
static inline int pp_mpec_step_size(const pp_mpec *m) { return m->nlaw + m->ndof + m->nproduct; }
static inline int pp_mpec_row(const pp_mpec *m, int k) { return m->nfixed + (k - 1) * pp_mpec_step_size(m); }

/* ---- trajectory.c ---- */

/* Where the search begins: n numbers. */
perp_status pp_mpec_start(pp_mpec *m, double *z);
/* Largest difference of a position between z and a simulation with its parameters and initial state; INFINITY if a step
 * fails. */
double pp_mpec_rollout_error(pp_mpec *m, const double *z);
/* Start value of parameter i, off its bounds. */
double pp_mpec_parameter_start(const perp_mpec_parameter *p);

/* ---- ipopt.c ---- */

/* Solves from z, with bounds of the products from relax_start to relax_end. */
perp_status pp_mpec_ipopt(pp_mpec *m, double *z, perp_mpec_result *out);

#endif

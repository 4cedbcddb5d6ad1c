/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file mpec.h
 *  Estimation as a mathematical program with equilibrium constraints (MPEC), solved by Ipopt.
 *
 *  The unknowns are the parameters, the state at every step and every impulse of every step. The objective is
 *
 *      sum over rows ((value - coordinate)/sd)^2 + sum over priors ((mean - unknown)/sd)^2
 *
 *  It is minimised subject to the laws of every step, as the world poses them at the pose and velocity at the start of the step,
 *  and to bounds (Berard 7.6 to 7.9). docs/study-methods-mpec.md has the formulation, its validity and its cost.
 *
 *      static perp_status set(perp_world **w, const double *parameter, void *ctx) {
 *          return perp_pair_set_all(*w, (perp_pair_law){.mu = parameter[0]});
 *      }
 *      perp_mpec_parameter mu = {.start = 1, .min = 0, .max = 1};
 *      perp_mpec_problem p = {.world = w, .steps = 100, .row = rows, .nrow = 202, .parameter = &mu, .nparameter = 1, .set = set};
 *      perp_mpec_options o = perp_mpec_options_default();
 *      perp_mpec_result r;
 *      if (perp_mpec_solve(&p, &o, &r)) puts(r.why);
 *      else printf("mu = %g\n", r.parameter[0]);
 *      perp_mpec_result_free(&r); */
#ifndef PERP_MPEC_H
#define PERP_MPEC_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A coordinate of the state of a body. */
typedef enum perp_mpec_coordinate {
    PERP_MPEC_X,     /**< position of the centre of mass [L] */
    PERP_MPEC_Y,     /**< [L] */
    PERP_MPEC_Z,     /**< 3D [L] */
    PERP_MPEC_ANGLE, /**< 2D, counted without wrapping [rad] */
    PERP_MPEC_VX,    /**< velocity of the centre of mass [L/T] */
    PERP_MPEC_VY,    /**< [L/T] */
    PERP_MPEC_VZ,    /**< 3D [L/T] */
    PERP_MPEC_SPIN   /**< 2D, angular velocity [rad/T] */
} perp_mpec_coordinate;

/** One measured number: a coordinate of a dynamic body after `step` steps. */
typedef struct perp_mpec_row {
    int step; /**< 0: the state that the world has; at most perp_mpec_problem.steps */
    perp_body_id body;
    perp_mpec_coordinate coordinate;
    double value;
    double sd;    /**< standard deviation of the noise, > 0; the unit of the coordinate */
    double bound; /**< > 0: |value - coordinate| may not be larger; 0: no bound */
} perp_mpec_row;

/** An unknown parameter. */
typedef struct perp_mpec_parameter {
    double start;      /**< initial guess, within the bounds; if it lies on a bound, it is moved inside a little */
    double min, max;   /**< bounds, -INFINITY and INFINITY for none; min < max */
    double prior_mean; /**< mean of a normal prior; counts only if prior_sd > 0 */
    double prior_sd;   /**< its standard deviation; 0: no prior */
} perp_mpec_parameter;

/** An unknown coordinate of the initial state. Coordinates that are not listed have the values of the world. */
typedef struct perp_mpec_initial {
    perp_body_id body;
    perp_mpec_coordinate coordinate;
    double min, max;   /**< bounds, min < max; both 0: none */
    double prior_mean; /**< mean of a normal prior; counts only if prior_sd > 0 */
    double prior_sd;   /**< its standard deviation; 0: no prior */
} perp_mpec_initial;

/** Sets the parameters in a world. On entry *w is perp's own clone of the world, in the initial state. The function changes it,
 *  or sets *w to another world with the same bodies in its initial state (borrowed until the next call); perp then changes the
 *  state of that world. The function may also set the initial state. Laws, masses and forces must be smooth functions of the
 *  parameters within their bounds. An error ends the search. */
typedef perp_status (*perp_mpec_set)(perp_world **w, const double *parameter, void *ctx);

/** An estimation problem. Everything is borrowed until perp_mpec_solve() returns. */
typedef struct perp_mpec_problem {
    const perp_world *world; /**< at the start state; it is cloned and not changed */
    int steps;               /**< number of steps of the horizon, >= 1 */
    const perp_mpec_row *row;
    int nrow; /**< at least one */
    const perp_mpec_parameter *parameter;
    int nparameter;    /**< 0: only the initial state is unknown */
    perp_mpec_set set; /**< NULL if there are no parameters */
    void *ctx;         /**< passed to set */
    const perp_mpec_initial *initial;
    int ninitial;  /**< 0: the initial state is known */
    double margin; /**< distance up to which two features have a contact in the laws of every step [L]; 0: ten times the
                        extent of the measured motion and of the initial state */
} perp_mpec_problem;

/** Options of the search. */
typedef struct perp_mpec_options {
    double relax_start;   /**< first bound t of the complementarity products, unit-free; default 1 */
    double relax_end;     /**< last bound; default 1e-9 */
    double relax_factor;  /**< ratio of a bound to the previous one, between 0 and 1; default 0.03: with 0.1 the eight
                              problems of Berard 7.6.1 together take a third more iterations */
    double tolerance;     /**< Ipopt's tolerance of the last solve; default 1e-8 */
    int max_iterations;   /**< of Ipopt over all solves; default 3000 */
    bool rollout_start;   /**< start from a simulation with the start parameters, not from the rows; default false */
    perp_allocator alloc; /**< {0}: malloc and free. Ipopt has its own memory */
    uint32_t cookie;      /**< set by perp_mpec_options_default() */
} perp_mpec_options;

/** Result of the search. */
typedef struct perp_mpec_result {
    double *parameter; /**< nparameter */
    int nparameter;
    double *state;    /**< (steps + 1) x nstate: positions, then velocities, at each step. The coordinates are those of
                                  the dynamic bodies in the order of perp_world_bodies(): x, y and the angle of a body that turns
                                  in 2D; x, y, z in 3D */
    int nstate;       /**< twice the degrees of freedom */
    int steps;        /**< as in the problem */
    double objective; /**< sum of squares at the answer, priors included */
    double chi2;      /**< the part of it from the rows */
    int unknowns, equations; /**< size of the program: unknowns, and constraints without bounds */
    int iterations;          /**< of Ipopt, all solves together */
    int solves;              /**< number of bounds t that were solved for */
    double relaxation;       /**< the last bound t */
    double product;          /**< largest complementarity product at the answer, unit-free */
    double violation;        /**< largest violation of an equation of the laws at the answer, unit-free */
    double
        rollout_error; /**< largest difference of a position between `state` and a simulation by the world itself with
                                  the parameters and the initial state found [L or rad]; INFINITY if a step failed */
    double seconds;    /**< wall time */
    char why[400];     /**< reason of a failure, one sentence; "" after success */
    perp_allocator alloc; /**< allocator of the arrays */
} perp_mpec_result;

/** Default options. */
PERP_API perp_mpec_options perp_mpec_options_default(void);

/** Whether perp was built with Ipopt and its library can be loaded. The first call loads it. */
PERP_API bool perp_mpec_available(void);

/** Finds parameters, initial state and trajectory. PERP_E_FIT: Ipopt is missing (the sentence names the
 *  package), or the world has laws that cannot be stated this way, or its contacts change in number or identity;
 *  PERP_E_ARG: something in the problem is out of range; PERP_E_SOLVE: Ipopt did not converge, and *out holds the last iterate;
 *  PERP_E_MEMORY; any status that `set` returned. The sentence is in out->why.
 *  Ipopt's linear solver keeps global state, so only one call at a time runs in Ipopt; calls of other threads wait.
 *  @param o    NULL: the defaults
 *  @param out  filled in any case; free it by perp_mpec_result_free() */
PERP_API perp_status perp_mpec_solve(const perp_mpec_problem *p, const perp_mpec_options *o, perp_mpec_result *out);

/** Frees the arrays of a result and clears it. NULL and a cleared result are allowed. */
PERP_API void perp_mpec_result_free(perp_mpec_result *r);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file batch.h
 *  Many copies of one world, stepped by several threads in one call: for learning, sampling and model predictive control.
 *
 *      perp_batch_def d = perp_batch_def_default(256);
 *      perp_batch *b;
 *      if (perp_batch_create(w, &d, &b, why, sizeof why)) puts(why);
 *      perp_batch_view v = perp_batch_look(b);
 *      perp_batch_step(b, 5, NULL, status, NULL);                  // five steps of every world
 *      double z = v.pose[(7 * i * v.nslot) + 7 * ball.slot + 2];   // of world i
 *      perp_batch_destroy(b);
 *
 *  Each world is stepped by one thread at a time and does not depend on the others, so results are bitwise identical for any
 *  number of threads. Only one thread at a time may use a batch. */
#ifndef PERP_BATCH_H
#define PERP_BATCH_H

#include "perp/actuator.h"
#include "perp/joint_space.h"
#include "perp/sensor.h"
#include "perp/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A batch: worlds, and arrays with the states of all of them. */
typedef struct perp_batch perp_batch;

/** The quantity that an input sets in its world before each perp_batch_step(). */
typedef enum perp_input_kind {
    PERP_INPUT_FORCE, /**< force or torque on a dynamic body, see perp_body_set_force(). part 0 to 2: force along x, y, z
                                 of W; 3 to 5: torque. The other components keep their values */
    PERP_INPUT_MOTOR_SPEED, /**< motor_speed of a joint coordinate that has a motor; part: the coordinate */
    PERP_INPUT_REST,  /**< rest of a joint coordinate that has a spring, as a position servo; part: the coordinate */
    PERP_INPUT_TARGET /**< target of a PD controller */
} perp_input_kind;

/** One number that the caller sets for each world. */
typedef struct perp_input {
    perp_input_kind kind;
    perp_body_id body;   /**< force */
    perp_joint_id joint; /**< motor speed, rest */
    perp_force_id force; /**< target */
    int part;
} perp_input;

/** Definition of a batch. */
typedef struct perp_batch_def {
    int n;                   /**< worlds, 1 to PERP_BATCH_MAX */
    int threads;             /**< including the calling thread, at most 1024; 0, the default: one for each processor */
    const perp_input *input; /**< ninput of them; copied */
    int ninput;
    uint32_t cookie; /**< set by perp_batch_def_default() */
} perp_batch_def;

/** Most worlds of a batch. */
#define PERP_BATCH_MAX 1000000

/** n worlds without inputs. */
PERP_API perp_batch_def perp_batch_def_default(int n);

/** Makes n clones of a world in its present state. The clones share the user functions, log and allocator of the model, which
 *  are called from all threads. If the model belongs to a scene, the scene must stay open.
 *  @param model  borrowed until this returns; ids of its bodies are valid in all clones
 *  @param out    owned by the caller, see perp_batch_destroy(); NULL on failure
 *  @param why    a sentence on failure; may be NULL
 *  @return PERP_E_ARG, PERP_E_MEMORY */
PERP_API perp_status perp_batch_create(const perp_world *model, const perp_batch_def *def, perp_batch **out, char *why,
                                       size_t why_size);
/** Frees a batch. NULL is allowed. */
PERP_API void perp_batch_destroy(perp_batch *b);
/** Number of threads. */
PERP_API int perp_batch_threads(const perp_batch *b);
/** World i; NULL if there is none. You may read it, and change it between two calls (then call perp_batch_refresh()). Do not
 *  add bodies. Borrowed until the batch is destroyed. */
PERP_API perp_world *perp_batch_world(const perp_batch *b, int i);

/** Arrays of all worlds. Their addresses stay the same until the batch is destroyed. Row i belongs to world i. */
typedef struct perp_batch_view {
    int n, nslot, ninput;
    int nq, nv;          /**< coordinates and velocities of the default joint space of the model */
    const double *pose;  /**< n x nslot x 7, rows as in perp_world_view */
    const double *twist; /**< n x nslot x 6 */
    const double *time;  /**< n [T] */
    const double *q, *v; /**< n x nq and n x nv: coordinates and velocities of the joints, see joint_space.h */
    double *input;       /**< n x ninput, written by the caller; initially the values of the model */
    int nctrl;           /**< actuators of the model */
    double *ctrl; /**< n x nctrl, in the order of perp_world_actuators(), written by the caller; initially as input */
    int nsensed;  /**< numbers of all sensors of the model together */
    const double *sensed; /**< n x nsensed: their readings, see perp_world_sensor_data() */
} perp_batch_view;
/** The arrays; up to date after create, step, reset and refresh. */
PERP_API perp_batch_view perp_batch_look(const perp_batch *b);

/** Sets inputs and ctrl in the worlds and makes `steps` steps of each. If a step fails, its world keeps the state before this
 *  step and makes no further step in this call; perp_world_why() of the world gives the reason. If an input or ctrl is not
 *  finite, its world gets PERP_E_ARG and makes no step.
 *  @param steps   >= 0
 *  @param mask    n flags: worlds to be stepped; NULL: all
 *  @param status  n, written; PERP_OK for worlds that the mask leaves out; may be NULL
 *  @param cert    n, written: the certificates of the steps of each world in this call, summed by perp_certificate_add(); may
 *                 be NULL
 *  @return PERP_OK, also if worlds failed; PERP_E_ARG if steps is negative */
PERP_API perp_status perp_batch_step(perp_batch *b, int steps, const bool *mask, perp_status *status,
                                     perp_certificate *cert);
/** Resets worlds to the state that the model had when the batch was made, with its inputs and ctrl.
 *  @param mask  n flags; NULL: all. @return PERP_E_MEMORY: then some worlds are reset and others not */
PERP_API perp_status perp_batch_reset(perp_batch *b, const bool *mask);
/** Updates the arrays after worlds were changed by the caller. */
PERP_API perp_status perp_batch_refresh(perp_batch *b);

#ifdef __cplusplus
}
#endif
#endif

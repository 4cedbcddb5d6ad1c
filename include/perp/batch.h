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
 *  A world is stepped by one thread at a time, and what becomes of it depends on nothing but itself: results are the same to the
 *  bit for any number of threads. A batch is used by one thread at a time. */
#ifndef PERP_BATCH_H
#define PERP_BATCH_H

#include "perp/actuator.h"
#include "perp/joint_space.h"
#include "perp/sensor.h"
#include "perp/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A batch: worlds and the arrays that hold their states side by side. */
typedef struct perp_batch perp_batch;

/** What an input sets in its world before a call steps it. */
typedef enum perp_input_kind {
    PERP_INPUT_FORCE, /**< force or torque on a dynamic body, see perp_body_set_force(). part 0 to 2: force along x, y, z
                                 of W; 3 to 5: torque. The others of the six stay as they are */
    PERP_INPUT_MOTOR_SPEED, /**< motor_speed of a joint coordinate that has a motor; part: the coordinate */
    PERP_INPUT_REST,  /**< rest of a joint coordinate that has a spring: a servo of positions; part: the coordinate */
    PERP_INPUT_TARGET /**< target of a PD controller */
} perp_input_kind;

/** One number that the caller gives each world. */
typedef struct perp_input {
    perp_input_kind kind;
    perp_body_id body;   /**< force */
    perp_joint_id joint; /**< motor speed, rest */
    perp_force_id force; /**< target */
    int part;
} perp_input;

/** Definition of a batch. */
typedef struct perp_batch_def {
    int n;       /**< worlds, 1 to PERP_BATCH_MAX */
    int threads; /**< that step them, the caller's among them, at most 1024; 0, the default: one for each processor */
    const perp_input *input; /**< ninput of them; copied */
    int ninput;
    uint32_t cookie; /**< set by perp_batch_def_default() */
} perp_batch_def;

/** Most worlds of a batch. */
#define PERP_BATCH_MAX 1000000

/** n worlds without inputs. */
PERP_API perp_batch_def perp_batch_def_default(int n);

/** Makes n clones of a world as it stands. User functions, log and allocator of the model are shared by the clones and are
 *  called from all threads. A scene that the model came from must stay open.
 *  @param model  borrowed until this returns; ids of its bodies are valid in all clones
 *  @param out    owned by the caller, see perp_batch_destroy(); NULL on failure
 *  @param why    a sentence on failure; may be NULL
 *  @return PERP_E_ARG, PERP_E_MEMORY */
PERP_API perp_status perp_batch_create(const perp_world *model, const perp_batch_def *def, perp_batch **out, char *why,
                                       size_t why_size);
/** NULL is fine. */
PERP_API void perp_batch_destroy(perp_batch *b);
/** Number of threads. */
PERP_API int perp_batch_threads(const perp_batch *b);
/** World i, to be read, or changed between two calls (then call perp_batch_refresh()); NULL if there is none. Bodies must not be
 *  added. Borrowed until the batch is destroyed. */
PERP_API perp_world *perp_batch_world(const perp_batch *b, int i);

/** Arrays of all worlds, at the same place until the batch is destroyed. World i begins at row i. */
typedef struct perp_batch_view {
    int n, nslot, ninput;
    int nq, nv;          /**< coordinates and velocities of the default joint space of the model */
    const double *pose;  /**< n x nslot x 7, rows as in perp_world_view */
    const double *twist; /**< n x nslot x 6 */
    const double *time;  /**< n [T] */
    const double *q, *v; /**< n x nq and n x nv: coordinates and velocities of the joints, see joint_space.h */
    double *input;       /**< n x ninput, to be written by the caller; begins as the model has it */
    int nctrl;           /**< actuators of the model */
    double *
        ctrl; /**< n x nctrl, in the order of perp_world_actuators(), to be written by the caller; begins as the model has it */
    int nsensed;          /**< numbers of all sensors of the model together */
    const double *sensed; /**< n x nsensed: their readings, see perp_world_sensor_data() */
} perp_batch_view;
/** The arrays; up to date after create, step, reset and refresh. */
PERP_API perp_batch_view perp_batch_look(const perp_batch *b);

/** Hands inputs and ctrl to the worlds and takes `steps` steps of each. A step that fails leaves its world as it was before this
 *  step, and no further step of this world is taken; perp_world_why() of the world tells why. An input or ctrl that is
 *  not finite: PERP_E_ARG of its world, which takes no step.
 *  @param steps   >= 0
 *  @param mask    n flags: worlds to be stepped; NULL: all
 *  @param status  n, written; PERP_OK for worlds that the mask leaves out; may be NULL
 *  @param cert    n, written: the certificates of the steps that each world took in this call, see perp_certificate_add(); may
 *                 be NULL
 *  @return PERP_OK, also if worlds failed; PERP_E_ARG if steps is negative */
PERP_API perp_status perp_batch_step(perp_batch *b, int steps, const bool *mask, perp_status *status,
                                     perp_certificate *cert);
/** Takes worlds back to the state that the model had when the batch was made, and their inputs and ctrl to those it had.
 *  @param mask  n flags; NULL: all. @return PERP_E_MEMORY: then some worlds are reset and others not */
PERP_API perp_status perp_batch_reset(perp_batch *b, const bool *mask);
/** Brings the arrays up to date after worlds were changed from outside. */
PERP_API perp_status perp_batch_refresh(perp_batch *b);

#ifdef __cplusplus
}
#endif
#endif

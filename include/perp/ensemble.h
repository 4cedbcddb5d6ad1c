/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file ensemble.h
 *  Ensembles: many trials of one scene on all cores, with results that do not depend on the number of workers.
 *
 *      static bool run(void *ctx, int worker, perp_scene *s, uint64_t i, void *result) {
 *          if (perp_scene_set(s, "mu", 0.1 + 0.01 * (double)i, NULL)) return false;
 *          perp_world *w = perp_scene_world(s);
 *          for (uint64_t n = perp_scene_steps(s); n > 0 && !perp_world_step(w, NULL); n--) {}
 *          perp_pose X;
 *          perp_body_pose(w, perp_body_find(w, "block"), &X);
 *          *(double *)result = X.p.x;
 *          return true;
 *      }
 *      perp_ensemble *e;
 *      perp_ensemble_create(scene, 0, &e, &why);
 *      perp_ensemble_run(e, &(perp_trials){.count = 100, .result_size = sizeof(double), .run = run, .done = print}, &why);
 *      perp_ensemble_destroy(e);
 *
 *  docs/studies.md describes studies: ensembles that are defined by a file. */
#ifndef PERP_ENSEMBLE_H
#define PERP_ENSEMBLE_H

#include "perp/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Workers, each with its own copy of the scene. */
typedef struct perp_ensemble perp_ensemble;

/** Opens a copy of the scene for each worker, from the files that the scene was read from.
 *  @param scene    borrowed until this returns
 *  @param workers  threads; 0: as many as the machine has processors
 *  @param out      owned by the caller, see perp_ensemble_destroy()
 *  @return as perp_scene_open(); PERP_E_ARG if workers is negative or above PERP_WORKERS_MAX */
PERP_API perp_status perp_ensemble_create(const perp_scene *scene, int workers, perp_ensemble **out, perp_refusal *why);
/** Closes the workers' scenes. NULL is allowed. */
PERP_API void perp_ensemble_destroy(perp_ensemble *e);
/** Number of workers. */
PERP_API int perp_ensemble_workers(const perp_ensemble *e);
/** Largest number of workers of an ensemble. */
#define PERP_WORKERS_MAX 1024

/** Trials to run, numbered 0 to count - 1. */
typedef struct perp_trials {
    uint64_t count;
    size_t result_size; /**< bytes of one result */
    /** Runs trial i in the worker's scene and writes its result, which is initially zero. Called in the worker's thread. The
     *  result must depend on i only. If it returns false, no further trial is started, and perp_ensemble_run() returns
     *  PERP_E_STOPPED when the trials before it are done. */
    bool (*run)(void *ctx, int worker, perp_scene *s, uint64_t i, void *result);
    /** Receives the result of trial i. Called in the thread that called perp_ensemble_run(), in the order of i. False: as
     *  above. May be NULL. */
    bool (*done)(void *ctx, uint64_t i, const void *result);
    /** Called about ten times a second in the calling thread. If it returns true, all trials end, including running ones:
     *  their steps end with PERP_E_STOPPED. May be NULL. */
    bool (*stop)(void *ctx);
    void *ctx; /**< passed to all three */
} perp_trials;

/** Runs trials on all workers. The memory needed depends on the number of workers, not on the number of trials.
 *  @return PERP_OK: all were run; PERP_E_STOPPED: one of the functions stopped it; PERP_E_MEMORY */
PERP_API perp_status perp_ensemble_run(perp_ensemble *e, const perp_trials *t, perp_refusal *why);

#ifdef __cplusplus
}
#endif
#endif

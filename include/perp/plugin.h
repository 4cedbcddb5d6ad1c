/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file plugin.h
 *  The interface of solvers, tables of settings, registration; lists of solvers, steppers and contact models. */
#ifndef PERP_PLUGIN_H
#define PERP_PLUGIN_H

#include "perp/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a setting. */
typedef enum perp_field_type { PERP_FIELD_INT, PERP_FIELD_DOUBLE, PERP_FIELD_BOOL } perp_field_type;

/** One setting of a stage: its place in the settings struct, its type and its range. Ints, doubles and bools have those C types
 *  in the struct. */
typedef struct perp_field {
    const char *name; /**< words with underscores, such as "max_pivots" */
    perp_field_type type;
    size_t offset;   /**< offsetof in the settings struct */
    double value;    /**< default */
    double min, max; /**< inclusive */
    const char *help;
} perp_field;

/** Context of a call of a solver. Opaque, so that it can be extended; use the functions below. */
typedef struct perp_call perp_call;

/** Memory that is valid until solve() returns, aligned to 64 bytes, contents undefined. NULL if there is none; then return
 *  PERP_OUTCOME_MEMORY. The memory comes from a workspace that is reused, so a repeated solve makes no heap allocations. */
PERP_API void *perp_call_memory(const perp_call *call, size_t bytes);

/** Call this once per iteration with the current iterate. If it returns false, stop with PERP_OUTCOME_STOPPED. It costs almost
 *  nothing if there is no callback; perp_call_watched() says whether there is one that uses z. */
PERP_API bool perp_call_look(const perp_call *call, int iteration, const double *z);

/** Whether a callback looks at the iterates. */
PERP_API bool perp_call_watched(const perp_call *call);

/** Whether, of several solutions, one is wanted that depends only on the problem and not on the initial guess. 3D worlds set
 *  this, so that the motion does not depend on the frame or the numbering of the scene; perp_solve() does not. A solver that
 *  cannot select such a solution returns any. */
PERP_API bool perp_call_unique(const perp_call *call);

/** A solver. Its functions keep no state. */
typedef struct perp_solver_type {
    uint32_t abi;             /**< PERP_ABI of the header it was compiled with */
    const char *name;         /**< "lemke" */
    const char *source;       /**< paper, section, equation */
    unsigned takes;           /**< mask of perp_class */
    const perp_field *fields; /**< settings, nfield of them. One called "tol" is set to the tolerance of the caller */
    int nfield;
    size_t settings_size; /**< size of the settings struct; at most PERP_SETTINGS_MAX */
    /** Bytes of workspace for this problem, passed to solve(); it may depend on sizes and bounds, not on M and q. NULL:
     *  none; perp_call_memory() is used instead. */
    size_t (*work_size)(const perp_problem *p, const void *settings);
    /** Solves a problem. `z`: initial guess on entry (zeros for none), answer on return, finite whatever the outcome. `work`:
     *  work_size bytes with the alignment of malloc, contents undefined. Fills in `info->iterations`, `info->warm` and, if it
     *  applies, `info->factorisations` and `info->story`. It may allocate memory only by perp_call_memory(). */
    perp_outcome (*solve)(const perp_problem *p, const void *settings, double *z, void *work, const perp_call *call,
                          perp_solve_info *info);
} perp_solver_type;

/** Largest settings struct a stage may have, in bytes. */
#define PERP_SETTINGS_MAX 128

/** Registers a solver for the whole process. `type` and everything it points to must stay valid (make it static const). Any
 *  thread may call this. PERP_E_NAME if the name is taken, PERP_E_ARG if a field is missing or the ABI differs, PERP_E_MEMORY if
 *  the table (64 entries) is full. */
PERP_API perp_status perp_solver_register(const perp_solver_type *type);

/** The solver of that name, or NULL. */
PERP_API const perp_solver_type *perp_solver_find(const char *name);

/** Number of solvers; built-in ones come first. */
PERP_API int perp_solver_count(void);

/** The i-th solver, 0 <= i < perp_solver_count(). */
PERP_API const perp_solver_type *perp_solver_at(int i);

/** Description of a stepper. All pointers stay valid. */
typedef struct perp_stepper_info {
    const char *name;         /**< "stewart-trinkle" */
    const char *source;       /**< document and equation */
    const char *about;        /**< one line */
    const perp_field *fields; /**< settings, nfield of them; set by perp_world_set(w, "NAME.FIELD", value) */
    int nfield;
} perp_stepper_info;

/** The i-th stepper; false past the last one. */
PERP_API bool perp_stepper_at(int i, perp_stepper_info *out);

/** Name of the i-th contact model; NULL past the last one. It stays valid. */
PERP_API const char *perp_contact_model_at(int i);

/** Fills a settings struct with the defaults of its field table. */
PERP_API void perp_fields_default(const perp_field *fields, int nfield, void *settings);

/** Sets one field by name. PERP_E_NAME: no such field; PERP_E_ARG: out of range, not finite, or not integral. */
PERP_API perp_status perp_fields_set(const perp_field *fields, int nfield, void *settings, const char *name,
                                     double value);

/** Reads one field by name. */
PERP_API perp_status perp_fields_get(const perp_field *fields, int nfield, const void *settings, const char *name,
                                     double *value);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file base.h
 *  Status codes, allocator and log hooks, ids. All other headers of perp use this one.
 *
 *  Units are the user's. Comments give dimensions as L (length), M (mass), T (time); angles are radians.
 *  Every pointer in these headers is one of: *copied* (perp makes its own copy), *borrowed until ...*
 *  (it stays valid for that long, and the receiver does not free it), *owned by the caller*. */
#ifndef PERP_BASE_H
#define PERP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks the symbols that the shared library exports; everything else is hidden. */
#if defined(__GNUC__)
#define PERP_API               __attribute__((visibility("default")))
#define PERP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PERP_API
#define PERP_PRINTF(fmt, args)
#endif

#define PERP_VERSION_MAJOR 0
#define PERP_VERSION_MINOR 3
#define PERP_VERSION_PATCH 0

/** Version of the plug-in interface; a plug-in records the value it was compiled with. */
#define PERP_ABI 2u

/** All status codes: name, value, text. A status is an error or PERP_OK. The termination status of a solver is a
 *  perp_outcome (problem.h), not an error. */
#define PERP_STATUS_MAP(X)                                           \
    X(OK, 0, "ok")                                                   \
    X(E_ARG, -1, "argument not finite, out of range, or a stale id") \
    X(E_MEMORY, -2, "allocation failed")                             \
    X(E_NAME, -3, "stage or setting name unknown, or already taken") \
    X(E_FIT, -4, "these stages do not fit together")                 \
    X(E_SOLVE, -5, "no acceptable solution; the world is unchanged") \
    X(E_IO, -6, "file could not be read or written")                 \
    X(E_GEOMETRY, -7, "degenerate or unsupported geometry")          \
    X(E_STOPPED, -8, "told to stop; the world is unchanged")

/** Result of every function that can fail. */
typedef enum perp_status {
#define PERP_STATUS_ENUM(name, value, text) PERP_##name = (value),
    PERP_STATUS_MAP(PERP_STATUS_ENUM)
#undef PERP_STATUS_ENUM
} perp_status;

/** Name of a status, such as "PERP_E_ARG"; "unknown status" for any other number. */
PERP_API const char *perp_status_name(perp_status s);

/** One line of help for a status. */
PERP_API const char *perp_status_text(perp_status s);

/** Version of the library that is linked, "major.minor.patch". */
PERP_API const char *perp_version(void);

/** Allocator of an object. Set both functions or neither; {0} means malloc and free.
 *  `alloc` returns memory with the alignment of malloc, or NULL; perp then returns PERP_E_MEMORY. */
typedef struct perp_allocator {
    void *(*alloc)(size_t size, void *ctx); /**< size >= 1 */
    void (*free)(void *p, void *ctx);       /**< never called with NULL */
    void *ctx;                              /**< passed to both, borrowed until the object is destroyed */
} perp_allocator;

/** Severity of a log line. */
typedef enum perp_log_level { PERP_LOG_DEBUG, PERP_LOG_INFO, PERP_LOG_WARNING } perp_log_level;

/** Log function of an object. {0}: no log. The library never prints. */
typedef struct perp_log {
    void (*line)(perp_log_level level, const char *text, void *ctx); /**< `text` borrowed until it returns */
    void *ctx;                                                       /**< borrowed until the object is destroyed */
} perp_log;

/** Ids are values with a generation number. The id of a removed object is *stale*: it is refused and never reused.
 *  {0} is never a valid id. */
typedef struct perp_body_id {
    uint32_t slot, gen;
} perp_body_id;
/** Id of a shape. */
typedef struct perp_shape_id {
    uint32_t slot, gen;
} perp_shape_id;
/** Id of a joint. */
typedef struct perp_joint_id {
    uint32_t slot, gen;
} perp_joint_id;
/** Id of a force element: spring, controller, applied force. */
typedef struct perp_force_id {
    uint32_t slot, gen;
} perp_force_id;

#ifdef __cplusplus
}
#endif
#endif

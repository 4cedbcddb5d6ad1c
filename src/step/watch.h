/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* watch.h - a step whose solution is inspected before it changes the world. Used by src/tangent. */
#ifndef PP_WATCH_H
#define PP_WATCH_H

#include "stage/frame.h"

typedef struct pp_watch {
    /* The step is solved, in n parts, each a frame; the world is as at the start, and what frames point to is still there.
     * It may use the arena and must leave the world as it is. Not PERP_OK: the step fails with that. */
    perp_status (*look)(pp_frame *const *frame, int n, void *ctx);
    void *ctx;
} pp_watch;

/* As perp_world_step(), and calls watch->look() before the world changes. watch: NULL is allowed. */
perp_status pp_step_watched(perp_world *w, perp_certificate *cert, const pp_watch *watch);

#endif

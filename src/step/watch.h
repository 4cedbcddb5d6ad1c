/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* watch.h - a step whose solution is inspected before it changes the world. Used by src/tangent. */
#ifndef PP_WATCH_H
#define PP_WATCH_H

#include "stage/frame.h"

typedef struct pp_watch {
    /* Called when the step is solved, in n substeps of one frame each. The world is still in its start state, and all
     * data that the frames point to still exist. The function may use the arena and must leave the world unchanged. If
     * it does not return PERP_OK, the step fails with its status. */
    perp_status (*look)(pp_frame *const *frame, int n, void *ctx);
    void *ctx;
} pp_watch;

/* As perp_world_step(), and calls watch->look() before the world changes. watch: NULL is allowed. */
perp_status pp_step_watched(perp_world *w, perp_certificate *cert, const pp_watch *watch);

#endif

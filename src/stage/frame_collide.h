/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_collide.h - output of stage 2 (stage/collide): shapes at their poses. The pairs that may meet are in
 * w->found.pairs. */
#ifndef PP_FRAME_COLLIDE_H
#define PP_FRAME_COLLIDE_H

#include "model/world_data.h"

typedef struct pp_frame_collide {
    pp_placed *placed;
    int nplaced;
    const uint64_t *excluded; /* sorted pairs of body slots that never touch */
    int nexcluded;
} pp_frame_collide;

#endif

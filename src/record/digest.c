/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* digest.c - one number for all frames of a recording: the same numbers in every frame, the same digest */
#include <string.h>

#include "base/hash.h"
#include "record/reader.h"

#define PIECE 65536 /* bytes read at a time, at least one row */

perp_status perp_recording_digest(perp_recording *r, uint64_t *out, perp_refusal *why) {
    uint64_t h = PP_HASH_START;
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (r->set[d] < 0 || !pp_layout_grows((pp_dataset)d) || d == PP_D_SECONDS) continue; /* wall time differs */
        const pp_entry *e = &pp_layout[d];
        h = pp_hash(h, e->path, strlen(e->path));
        uint64_t bytes = pp_layout_row((pp_dataset)d, r->extent) * pp_type_size(e->type), rows = r->extent[e->rows];
        uint64_t most = bytes > 0 && bytes < PIECE ? PIECE / bytes : 1;
        char *room = pp_recording_room(r, (size_t)(most * (bytes > 0 ? bytes : 1)));
        if (!room) return pp_recording_no_memory(r, why);
        for (uint64_t at = 0; at < rows; at += most) {
            uint64_t n = rows - at < most ? rows - at : most;
            perp_status st = pp_recording_rows(r, (pp_dataset)d, at, n, -1, room, why);
            if (st) return st;
            h = pp_hash(h, room, (size_t)(n * bytes));
        }
    }
    *out = h;
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_frames.c - see live_frames.h. The columns are those of a recorder, with initial room for one frame; they are never passed to HDF5. */
#include "record/live_frames.h"

perp_status pp_live_frames_new(const char *name, const perp_scene *scene, const perp_record_choice *choice,
                               perp_recorder **out, perp_refusal *why) {
    perp_recorder *r = NULL;
    perp_record_choice all = {.what = PERP_RECORD_ALL, .every = 1};
    perp_status st = pp_recorder_new(name, scene, choice ? *choice : all, &r, why);
    if (st || !r) return st;
    int dim = perp_world_dim(r->w);
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (!pp_layout_grows((pp_dataset)d) ||
            !pp_layout_present((pp_dataset)d, r->choice.what, dim, PERP_RECORDING_VERSION, r->extent))
            continue;
        pp_column *c = &r->column[d];
        c->size = pp_type_size(pp_layout[d].type) * (size_t)pp_layout_row((pp_dataset)d, r->extent);
        c->cap = 1; /* contacts: grows with the most that were seen */
        c->row = pp_alloc(&r->alloc, c->size);
        if (c->row) continue;
        pp_recorder_free(r);
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){name, 0, 0}, "", "out of memory");
    }
    *out = r;
    return PERP_OK;
}

void pp_live_frames_clear(perp_recorder *r) {
    for (int d = 0; d < PP_DATASET_COUNT; d++) r->column[d].waiting = 0;
}

perp_status pp_live_frames_add(perp_recorder *r, perp_refusal *why) {
    return r->frames ? pp_recorder_frame(r, why) : pp_recorder_first(r, why);
}

perp_status pp_live_frames_replace(perp_recorder *r, perp_refusal *why) {
    pp_live_frames_clear(r);
    r->extent[PP_N_CONTACTS] = 0;
    return pp_live_frames_add(r, why);
}

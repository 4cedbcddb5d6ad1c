/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_frames.h - the frames of a running simulation, in memory, in the form of a recording but without a file. */
#ifndef PP_LIVE_FRAMES_H
#define PP_LIVE_FRAMES_H

#include "record/writer.h"

/* A recorder without a file; its frames are in its columns. choice: what is recorded; NULL: everything, of every step. The scene is
 * borrowed until pp_recorder_free(). HDF5 files are not used, so a recording may be written at the same time. */
perp_status pp_live_frames_new(const char *name, const perp_scene *scene, const perp_record_choice *choice,
                               perp_recorder **out, perp_refusal *why);

/* Replaces the frame in the columns by the next one: the first one before any step, later ones with the steps counted since
 * (pp_recorder_count()). */
perp_status pp_live_frames_replace(perp_recorder *r, perp_refusal *why);

/* Several frames at a time: pp_live_frames_add() appends a frame to the columns, and pp_live_frames_clear() removes all. Contacts are counted from the
 * beginning of the run. */
perp_status pp_live_frames_add(perp_recorder *r, perp_refusal *why);
void pp_live_frames_clear(perp_recorder *r);

#endif

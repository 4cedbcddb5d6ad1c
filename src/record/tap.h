/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tap.h - a run looked at as it goes: its frames as a recording would hold them, in memory and in no file. */
#ifndef PP_TAP_H
#define PP_TAP_H

#include "record/writer.h"

/* A recorder without a file; its frames are in its columns. choice: what is recorded; NULL: all there is, of every step. The
 * scene is borrowed until pp_recorder_free(). Nothing that belongs to HDF5's files is used, so a recording may be written
 * beside it. */
perp_status pp_tap_new(const char *name, const perp_scene *scene, const perp_record_choice *choice, perp_recorder **out,
                       perp_refusal *why);

/* Forgets the frame that the columns hold and takes the next: the first one before any step, the others with the steps
 * counted since (pp_recorder_count()). */
perp_status pp_tap_frame(perp_recorder *r, perp_refusal *why);

/* Frames behind each other, for somebody who takes many at a time: pp_tap_add() adds one to those that the columns hold, and
 * pp_tap_clear() forgets them. Contacts are counted from the beginning of the run. */
perp_status pp_tap_add(perp_recorder *r, perp_refusal *why);
void pp_tap_clear(perp_recorder *r);

#endif

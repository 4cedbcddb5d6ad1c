/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_frame.h - scene and frames of a run that goes on, as bytes and as JSON, under the names of the recording's layout
 * (docs/recording.md). */
#ifndef LIVE_FRAME_H
#define LIVE_FRAME_H

#include "cli.h"
#include "run/live_ring.h"
#include "record/live_frames.h"

/* The scene as JSON text, from malloc; NULL with a complaint. `parameters`: also those that can be set. */
char *live_scene_text(perp_recorder *recorder, bool parameters, perp_refusal *why);
/* A copy of the frame in the columns of the recorder; NULL: no memory. */
live_frame *live_frame_of(const perp_recorder *recorder);
/* The frame as one JSON object. */
void live_frame_json(json *j, const live_frame *frame);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trace.h - a run kept in memory: the values of declared series at every frame, as a recording that has no file.
 *
 * The numbers are the same bits as those of a recording file of the same run (timing.seconds excepted). HDF5 is not
 * called, and nothing is shared between traces, so every thread may have its own.
 *
 *     pp_trace_new(scene, 1, &t, &why);
 *     pp_trace_need(t, "right.x", &i, &why);
 *     pp_trace_first(t, &why);
 *     while (... && !perp_world_step(w, &c) && !pp_trace_step(t, &c, &why)) if (pp_trace_now(t, i) > 1) break;
 *     perp_recording_series(pp_trace_recording(t), "right.x", values, &why);
 *     pp_trace_reset(t, scene, &why);                                                      // the next trial
 */
#ifndef PP_TRACE_H
#define PP_TRACE_H

#include "record/series.h"

typedef struct pp_trace pp_trace;

/* A trace of the scene's world as it stands, without series and without frames. Memory comes from the world's allocator.
 * PERP_E_ARG if every < 1; PERP_E_MEMORY.
 * scene: borrowed until pp_trace_free(), or until pp_trace_reset() with another one
 * every: a frame every so many steps, as perp_record_choice has it */
perp_status pp_trace_new(const perp_scene *scene, int every, pp_trace **out, perp_refusal *why);
/* Frees a trace. NULL is allowed. */
void pp_trace_free(pp_trace *t);

/* Declares a series that is to be kept, before the first frame. index (may be NULL): its number, from 0; the same series
 * declared again has the same number. PERP_E_NAME with the complaint of perp_recording_series() if there is none of that
 * name; PERP_E_ARG if there are frames already. contact(A,B).* may be declared for any two bodies. */
perp_status pp_trace_need(pp_trace *t, const char *name, int *index, perp_refusal *why);
/* Declares every series of the scene but those of pairs of bodies, contact(A,B).*, which are declared by name. */
perp_status pp_trace_need_all(pp_trace *t, perp_refusal *why);
/* Number of series declared. */
int pp_trace_needs(const pp_trace *t);

/* The frame before the first step. */
perp_status pp_trace_first(pp_trace *t, perp_refusal *why);
/* To be called after each successful step; every `every`-th step becomes a frame. Allocates only where the run is longer
 * than any before it. PERP_E_ARG if a step was left out, PERP_E_MEMORY. */
perp_status pp_trace_step(pp_trace *t, const perp_certificate *cert, perp_refusal *why);
/* Removes all frames for the next trial; the declared series stay, with their numbers. The scene may have a new world. If bodies,
 * shapes and joints are the same in number, name and kind, nothing is allocated; otherwise the series are looked up again by their
 * names. PERP_E_NAME if one no longer exists: then another reset or pp_trace_free() must follow. */
perp_status pp_trace_reset(pp_trace *t, const perp_scene *scene, perp_refusal *why);

/* The frames so far as a recording. Borrowed until pp_trace_free(); never to be closed. On it work
 * perp_recording_about(), perp_recording_series() for declared series (PERP_E_NAME for others),
 * perp_recording_series_name(), perp_recording_unit(), perp_recording_body(), perp_recording_joint() and the two
 * perp_recording_find_*(); the functions that read rows of a file refuse with PERP_E_ARG. It holds no shapes. */
perp_recording *pp_trace_recording(pp_trace *t);

/* Series i at the last frame; there must be one. */
double pp_trace_now(const pp_trace *t, int i);
/* Series i, or the time, at all frames. Borrowed until the next step or reset. */
const double *pp_trace_values(const pp_trace *t, int i);
const double *pp_trace_time(const pp_trace *t);
/* Frames so far, and steps since the first frame. */
uint64_t pp_trace_frames(const pp_trace *t);
uint64_t pp_trace_steps(const pp_trace *t);

/* perp_recording_series() of a trace. */
perp_status pp_trace_series(const pp_trace *t, const pp_series *s, const char *name, double *values, perp_refusal *why);

#endif

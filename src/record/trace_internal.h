/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trace_internal.h - what trace.c and trace_frame.c share. */
#ifndef PP_TRACE_INTERNAL_H
#define PP_TRACE_INTERNAL_H

#include "record/trace.h"
#include "record/writer.h"

/* A series that is kept. */
typedef struct pp_need {
    pp_series s;
    char *name;              /* as declared */
    const pp_figure *figure; /* of certificate, ledger or solver; NULL: another series */
    int joint, coordinate;   /* of PP_D_JOINT_COORDINATE and PP_D_JOINT_RATE */
    double *value;           /* at every frame; room for pp_trace.cap */
} pp_need;

struct pp_trace {
    perp_allocator alloc;
    perp_recorder *at; /* ids, maps and sums of the world; it has no file and no columns */
    perp_recording view;
    pp_need *need;
    int nneed, cap_need;
    bool sums, energy, contacts, momentum[2]; /* what the needs take; momentum: linear, angular */
    double *time;
    int frames, cap;
};

/* Fills in how a need is read, and what the frames must work out for it. */
void pp_trace_prepare(pp_trace *t, pp_need *k);
/* Writes time and all needs at frame `t->frames`, for which there is room. */
void pp_trace_take(pp_trace *t);

#endif

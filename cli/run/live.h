/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live.h - perp run --view: a run that is watched in the browser as it goes.
 *
 * The run stays in the thread that it always has; a second thread serves the page. Between them is the ring
 * (live_ring.h) and nothing else. Frames are handed over at most 60 times a second of wall time, and fewer of
 * scenes of more than about 500 bodies; each is taken over all steps since the one before, as in a recording that skips
 * steps. */
#ifndef LIVE_H
#define LIVE_H

#include "cli.h"

typedef struct live live;

typedef struct live_options {
    int port;        /* 0: any that is free */
    bool open;       /* a browser */
    bool paused;     /* before the first step */
    double speed;    /* simulated time per wall time [T/s]; 0: no limit */
    bool parameters; /* may be set: the run begins again with the scene's file */
    FILE *announce;  /* where the address goes */
} live_options;

/* Opens the port; nothing is shown before a run begins. CLI_OK, or another code after an error message. */
int live_open(const cli_args *a, const live_options *o, live **out);
const simulate_watch *live_watch(const live *l);
/* Shows how a run ended and waits for the user. True: the run begins again; false: the user ends the program. */
bool live_again(live *l, const simulate_result *r);
/* The definitions that the run was started with, and what was set in the viewer since. Borrowed until the next call or
 * live_close(). Without memory those of the start. */
void live_definitions(live *l, simulate_options *o, const perp_definition *start, int nstart);
void live_close(live *l);

#endif

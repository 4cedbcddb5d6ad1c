/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_ring.h - data shared by the thread of a run and the thread of the server: the last frames, the scene, the status of the run,
 * and commands of the viewer. One mutex protects it; both sides hold it only to move pointers. */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/live_command.h"

typedef struct live_ring live_ring;

/* A parameter that the viewer may set. */
typedef struct live_parameter {
    char name[LIVE_NAME];
    double min, max; /* infinite: no limit */
} live_parameter;

/* A frame as bytes, which live_frame.c writes and reads. It does not change after it is published. */
typedef struct live_frame {
    int holders; /* guarded by the ring */
    size_t size;
    unsigned char data[];
} live_frame;
live_frame *live_frame_new(size_t size); /* held once; NULL: no memory */

typedef enum live_state { LIVE_RUNNING, LIVE_PAUSED, LIVE_FINISHED, LIVE_FAILED } live_state;
extern const char *const live_state_word[4];

/* Keeps the last frames, at most so many and at most so many bytes, but always the last one. `wake` is a descriptor
 * that gets a byte when there is news; -1: nobody waits. NULL: no memory. */
live_ring *live_ring_new(int frames, size_t bytes, bool paused);
void live_ring_free(live_ring *ring);
void live_ring_wake(live_ring *ring, int wake);

/* ---- the run's side ---- */

/* Called when a run begins. Frames of the run before are removed, and numbering starts at 0. The scene is a text
 * from malloc that the ring takes over. */
void live_ring_begin(live_ring *ring, char *scene);
/* The parameters that may be set from now on; copied. False: no memory, and none may be set. */
bool live_ring_offer(live_ring *ring, const live_parameter *parameter, int n);
/* The i-th of the values that were set so far, the last one for each name; false: there are not so many. */
bool live_ring_setting(live_ring *ring, int i, char name[LIVE_NAME], double *value);
/* What the hand holds just now. */
live_grip live_ring_grip(live_ring *ring);
void live_ring_publish(live_ring *ring, live_frame *frame); /* owned by the ring from now on */
void live_ring_end(live_ring *ring, live_state state, const char *message);

typedef enum live_word { LIVE_GO, LIVE_ONE_STEP, LIVE_HOLD, LIVE_AGAIN } live_word;
/* What the run should do next. HOLD: it is paused, and no command has come within `seconds`. */
live_word live_ring_ask(live_ring *ring, double seconds);
/* Waits for so long, or until there is a command; a run that has ended and one that keeps pace wait like this. True:
 * the run is to begin again (told once). */
bool live_ring_rest(live_ring *ring, double seconds);

/* ---- the server's side ---- */

/* Takes a command (live_command.h). False: there is no such command, parameter or value. */
bool live_ring_command(live_ring *ring, const char *text, size_t length);
char *live_ring_scene(live_ring *ring, size_t *length); /* a copy, to be freed; NULL: none yet, or no memory */

enum { LIVE_BATCH = 60 };
typedef struct live_batch {
    uint64_t run, first, changes; /* changes: counts commands and ends of runs */
    int count;
    live_frame *frame[LIVE_BATCH];
    live_state state;
    char message[1024];
} live_batch;
/* Frames from number `from` of run `run` on (0: whichever run it is): those that are still there, up to LIVE_BATCH and
 * about `bytes`. Of another run than the present one, and from beyond its end: from the first that is there. */
void live_ring_take(live_ring *ring, uint64_t run, uint64_t from, size_t bytes, live_batch *out);
void live_ring_give_back(live_ring *ring, live_batch *batch);
/* Is there something that was not there: a frame `from`, another run, a change? */
bool live_ring_news(live_ring *ring, uint64_t run, uint64_t from, uint64_t changes);
uint64_t live_ring_changes(live_ring *ring);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_command.h - what the viewer may ask of a run, as text:
 *
 *   pause | resume | step | reset
 *   drag BODY BX BY BZ X Y Z    hold the point B of a body, in its frame, and pull it towards a point of the world
 *   drop                        let go of it
 *   set NAME=VALUE              give a parameter of the scene another value and begin again */
#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include <stddef.h>

#include "run/live_pull.h"

#define LIVE_COMMANDS "pause, resume, step, reset, drag BODY BX BY BZ X Y Z, drop, set NAME=VALUE"
enum { LIVE_COMMAND_LENGTH = 384, LIVE_NAME = 128 };

typedef enum live_order { LIVE_PAUSE, LIVE_RESUME, LIVE_STEP, LIVE_RESET, LIVE_DRAG, LIVE_DROP, LIVE_SET } live_order;

typedef struct live_command {
    live_order order;
    live_grip grip;       /* drag */
    char name[LIVE_NAME]; /* set */
    double value;
} live_command;

/* False: it is no command, or a number in it is not finite. */
bool live_command_read(const char *text, size_t length, live_command *out);

#endif

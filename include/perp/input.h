/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file input.h
 *  What is wrong with an input file, an expression or an option: one complaint, precise enough to mend it. */
#ifndef PERP_INPUT_H
#define PERP_INPUT_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Why an input was refused. `text` is the whole message on one line, made of the other fields:
 *
 *      pile.yaml:12:7: bodies[3].mass: found -1; allowed: a number > 0
 *
 *  Fields that do not apply are empty or zero. Long parts are cut, never overrun; control characters in what was found
 *  are shown as \\xNN, so the message is safe to print. */
typedef struct perp_refusal {
    perp_status status; /**< PERP_E_ARG, PERP_E_IO, PERP_E_MEMORY, PERP_E_GEOMETRY, ... */
    char file[256];     /**< as the caller or the including file named it */
    int line, column;   /**< from 1; 0: not known */
    char key[256];      /**< path to the entry: bodies[3].shapes[0].radius */
    char found[256];    /**< what is there */
    char allowed[512];  /**< what may be there */
    char text[1400];    /**< the whole message, one line */
} perp_refusal;

/** name=value given from outside, such as by -D on the command line. */
typedef struct perp_definition {
    const char *name, *value; /**< borrowed until the call returns; the value is a number or an expression */
} perp_definition;

#ifdef __cplusplus
}
#endif
#endif

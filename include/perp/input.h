/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file input.h
 *  Error report about an input file, an expression or an option. */
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
 *  Fields that do not apply are empty or zero. Long texts are truncated. Control characters in `found` are written as \\xNN, so
 *  the message is safe to print. */
typedef struct perp_refusal {
    perp_status status; /**< PERP_E_ARG, PERP_E_IO, PERP_E_MEMORY, PERP_E_GEOMETRY, ... */
    char file[256];     /**< the name that the caller or the including file gave */
    int line, column;   /**< from 1; 0: not known */
    char key[256];      /**< path to the entry: bodies[3].shapes[0].radius */
    char found[256];    /**< the value in the file */
    char allowed[512];  /**< the values that are allowed */
    char text[1400];    /**< the whole message, one line */
} perp_refusal;

/** A definition name=value of the caller, such as -D on the command line. */
typedef struct perp_definition {
    const char *name, *value; /**< borrowed until the call returns; the value is a number or an expression */
} perp_definition;

#ifdef __cplusplus
}
#endif
#endif

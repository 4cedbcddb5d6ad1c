/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* options.h - the command line of the measuring programs. */
#ifndef STUDY_OPTIONS_H
#define STUDY_OPTIONS_H

#include <stdbool.h>

typedef struct options {
    const char *folder;    /* with the data */
    const char *check;     /* file that names what is kept for the predictive check, or NULL */
    const char *reference; /* file with reference values, or NULL */
    const char *scene;     /* to predict impacts with, or NULL */
    bool csv;              /* a table for machines, nothing else */
} options;

/* FOLDER [--check FILE] [--reference FILE] [--scene FILE] [--csv]; false if it is something else. */
bool options_read(int argc, char **argv, options *o);
/* Print one line to stderr; return 2, the exit code. */
int options_usage(const char *program);
int options_refuse(const char *text);

#endif

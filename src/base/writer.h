/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* writer.h - text that is printed into a buffer which may be too small. */
#ifndef PP_WRITER_H
#define PP_WRITER_H

#include "perp/base.h"

/* A caller learns the length of a text by printing it with size 0, and prints it again into a buffer of that length + 1. */
typedef struct pp_writer {
    char *buf;   /* may be NULL if size is 0 */
    size_t size; /* bytes of buf */
    size_t n;    /* length of the whole text, also of what did not fit */
} pp_writer;
/* Appends as printf() does. The text in buf is always ended. */
void pp_write(pp_writer *t, const char *format, ...) PERP_PRINTF(2, 3);

#endif

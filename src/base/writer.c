/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/writer.h"

#include <stdarg.h>
#include <stdio.h>

void pp_write(pp_writer *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t room = t->n < t->size ? t->size - t->n : 0;
    int n = vsnprintf(room ? t->buf + t->n : NULL, room, format, args);
    va_end(args);
    if (n > 0) t->n += (size_t)n;
}

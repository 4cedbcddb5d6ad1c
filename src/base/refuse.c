/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* refuse.c - see refuse.h */
#include "base/refuse.h"

#include <stdarg.h>
#include <stdio.h>

perp_status pp_refuse(char *why, size_t why_size, perp_status s, const char *format, ...) {
    if (why && why_size > 0) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(why, why_size, format, args);
        va_end(args);
    }
    return s;
}

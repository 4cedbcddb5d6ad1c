/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* clock.c - the clock of the module, in place of base/clock.c: a number from JavaScript. The C library's clock goes through a structure in
 * memory and a whole number of 64 bits, which took 3 % of a step. */
#include "base/clock.h"

__attribute__((import_module("env"), import_name("perp_seconds"))) double perp_seconds(void);

double pp_clock(void) { return perp_seconds(); }

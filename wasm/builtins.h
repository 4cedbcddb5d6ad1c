/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* builtins.h - included before every source of the module. fmax() and fmin() are calls of the C library in WebAssembly, as its own
 * instructions return NaN if one argument is NaN; here they are these instructions and two comparisons. Results are those of the C library,
 * also for zeros of different sign. */
#ifndef PERP_WASM_BUILTINS_H
#define PERP_WASM_BUILTINS_H

#include <math.h>

static inline double perp_wasm_max(double a, double b) { return a != a ? b : b != b ? a : __builtin_wasm_max_f64(a, b); }
static inline double perp_wasm_min(double a, double b) { return a != a ? b : b != b ? a : __builtin_wasm_min_f64(a, b); }
#undef fmax
#undef fmin
#define fmax perp_wasm_max
#define fmin perp_wasm_min

#endif

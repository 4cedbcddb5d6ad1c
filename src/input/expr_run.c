/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* expr_run.c - the functions of the expression language, and running a program.
 *
 * NaN goes through everything: a comparison with NaN, a choice by NaN, min, max and clamp of NaN are NaN, so what was
 * not a number cannot end as one and the caller sees it. Everything else is as IEEE 754 and the C library have it:
 * 1/0 is inf.
 *   x % y   remainder with the sign of x (fmod)      mod(x, y)  remainder with the sign of y: mod(-1, 3) = 2
 *   round   halves away from 0                       sign(0) = 0, step(0) = 1
 *   linear(x, x0, y0, x1, y1, ...)  y through these points, constant outside; smooth: the same with zero slope at them
 * Cost: one pass over the instructions; 4 KiB of stack, no memory. */
#include "input/expr_program.h"
#include "base/refuse.h"
#include "base/elementary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ONE(name, value)                                \
    static double name(const pp_expr_arg *arg, int n) { \
        (void)n;                                        \
        double x = arg[0].number;                       \
        return (value);                                 \
    }
#define TWO(name, value)                                \
    static double name(const pp_expr_arg *arg, int n) { \
        (void)n;                                        \
        double x = arg[0].number, y = arg[1].number;    \
        return (value);                                 \
    }

ONE(run_sin, pp_sin(x))
ONE(run_cos, pp_cos(x))
ONE(run_tan, pp_tan(x))
ONE(run_asin, pp_asin(x))
ONE(run_acos, pp_acos(x))
ONE(run_atan, pp_atan(x))
ONE(run_sinh, pp_sinh(x))
ONE(run_cosh, pp_cosh(x))
ONE(run_tanh, pp_tanh(x))
ONE(run_sqrt, sqrt(x))
ONE(run_cbrt, pp_cbrt(x))
ONE(run_exp, pp_exp(x))
ONE(run_log, pp_log(x))
ONE(run_log2, pp_log2(x))
ONE(run_log10, pp_log10(x))
ONE(run_abs, fabs(x))
ONE(run_floor, floor(x))
ONE(run_ceil, ceil(x))
ONE(run_round, round(x))
ONE(run_sign, x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x)
ONE(run_step, x < 0 ? 0 : x >= 0 ? 1 : x)
TWO(run_atan2, pp_atan2(x, y))
TWO(run_pow, pp_pow(x, y))
TWO(run_hypot, pp_hypot(x, y))

static double run_mod(const pp_expr_arg *arg, int n) {
    (void)n;
    double y = arg[1].number, rest = fmod(arg[0].number, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static double run_min(const pp_expr_arg *arg, int n) {
    double best = arg[0].number;
    for (int i = 1; i < n; i++)
        if (arg[i].number < best || isnan(arg[i].number)) best = arg[i].number;
    return best;
}

static double run_max(const pp_expr_arg *arg, int n) {
    double best = arg[0].number;
    for (int i = 1; i < n; i++)
        if (arg[i].number > best || isnan(arg[i].number)) best = arg[i].number;
    return best;
}

static double run_clamp(const pp_expr_arg *arg, int n) {
    (void)n;
    double x = arg[0].number, lo = arg[1].number, hi = arg[2].number;
    if (!(lo <= hi)) return NAN;
    return x < lo ? lo : x > hi ? hi : x;
}

static double run_lerp(const pp_expr_arg *arg, int n) {
    (void)n;
    double a = arg[0].number, b = arg[1].number, s = arg[2].number;
    return a + (b - a) * s;
}

/* Value at x of a function through the points (arg[1], arg[2]), (arg[3], arg[4]), ...; constant before the first and after the last. ease: with zero
 * slope at the points. NaN: one coordinate is missing, or the points are not in ascending order. */
static double run_through(const pp_expr_arg *arg, int n, bool ease) {
    double x = arg[0].number, y = NAN;
    if (n % 2 == 0 || isnan(x)) return NAN;
    for (int i = 1; i + 2 < n; i += 2)
        if (!(arg[i].number < arg[i + 2].number)) return NAN;
    if (x >= arg[n - 2].number) return arg[n - 1].number;
    if (x <= arg[1].number) return arg[2].number;
    for (int i = 1; i + 2 < n; i += 2)
        if (x >= arg[i].number) {
            double s = (x - arg[i].number) / (arg[i + 2].number - arg[i].number);
            y = arg[i + 1].number + (arg[i + 3].number - arg[i + 1].number) * (ease ? s * s * (3 - 2 * s) : s);
        }
    return y;
}

static double run_linear(const pp_expr_arg *arg, int n) { return run_through(arg, n, false); }
static double run_smooth(const pp_expr_arg *arg, int n) { return run_through(arg, n, true); }

const pp_expr_builtin pp_builtins[] = {
    {"sin", 1, 1, run_sin},
    {"cos", 1, 1, run_cos},
    {"tan", 1, 1, run_tan},
    {"asin", 1, 1, run_asin},
    {"acos", 1, 1, run_acos},
    {"atan", 1, 1, run_atan},
    {"atan2", 2, 2, run_atan2},
    {"sinh", 1, 1, run_sinh},
    {"cosh", 1, 1, run_cosh},
    {"tanh", 1, 1, run_tanh},
    {"sqrt", 1, 1, run_sqrt},
    {"cbrt", 1, 1, run_cbrt},
    {"exp", 1, 1, run_exp},
    {"log", 1, 1, run_log},
    {"log2", 1, 1, run_log2},
    {"log10", 1, 1, run_log10},
    {"abs", 1, 1, run_abs},
    {"sign", 1, 1, run_sign},
    {"floor", 1, 1, run_floor},
    {"ceil", 1, 1, run_ceil},
    {"round", 1, 1, run_round},
    {"min", 1, PP_EXPR_STACK - 1, run_min},
    {"max", 1, PP_EXPR_STACK - 1, run_max},
    {"pow", 2, 2, run_pow},
    {"mod", 2, 2, run_mod},
    {"hypot", 2, 2, run_hypot},
    {"clamp", 3, 3, run_clamp},
    {"lerp", 3, 3, run_lerp},
    {"step", 1, 1, run_step},
    {"linear", 5, PP_EXPR_STACK - 1, run_linear},
    {"smooth", 5, PP_EXPR_STACK - 1, run_smooth},
};
const int pp_expr_nbuiltin = (int)(sizeof pp_builtins / sizeof *pp_builtins);

static double truth(bool yes) { return yes ? 1 : 0; }

static double binary(pp_op op, double a, double b) {
    switch (op) {
    case PP_OP_ADD: return a + b;
    case PP_OP_SUBTRACT: return a - b;
    case PP_OP_MULTIPLY: return a * b;
    case PP_OP_DIVIDE: return a / b;
    case PP_OP_REST: return fmod(a, b);
    case PP_OP_POWER: return pp_pow(a, b);
    default: break;
    }
    if (isnan(a) || isnan(b)) return NAN;
    switch (op) {
    case PP_OP_EQUAL: return truth(a == b);
    case PP_OP_UNEQUAL: return truth(a != b);
    case PP_OP_LESS: return truth(a < b);
    case PP_OP_LESS_EQUAL: return truth(a <= b);
    case PP_OP_MORE: return truth(a > b);
    default: assert(op == PP_OP_MORE_EQUAL); return truth(a >= b);
    }
}

bool pp_expr_eval(const pp_expr *x, const double *value, pp_expr_call call, void *ctx, double *out, char *why,
                  size_t why_size) {
    pp_expr_arg stack[PP_EXPR_STACK];
    int n = 0; /* values on the stack; an instruction adds at most one */
    int most = x->ncode < PP_EXPR_STACK ? x->ncode : PP_EXPR_STACK;
    memset(stack, 0, (size_t)most * sizeof *stack);
    for (int at = 0; at < x->ncode; at++) {
        const pp_instruction *k = &x->code[at];
        pp_op op = (pp_op)k->op;
        switch (op) {
        case PP_OP_NUMBER: stack[n++] = (pp_expr_arg){NULL, k->number}; break;
        case PP_OP_VARIABLE: stack[n++] = (pp_expr_arg){NULL, value[k->index]}; break;
        case PP_OP_TEXT: stack[n++] = (pp_expr_arg){x->pool + k->index, 0}; break;
        case PP_OP_NEGATE: stack[n - 1].number = -stack[n - 1].number; break;
        case PP_OP_NOT:
            if (!isnan(stack[n - 1].number)) stack[n - 1].number = truth(stack[n - 1].number == 0);
            break;
        case PP_OP_TRUTH:
            if (!isnan(stack[n - 1].number)) stack[n - 1].number = truth(stack[n - 1].number != 0);
            break;
        case PP_OP_AND: /* the value on the stack is the result: 0 or NaN */
            if (stack[n - 1].number == 0) stack[n - 1].number = 0;
            if (stack[n - 1].number == 0 || isnan(stack[n - 1].number))
                at = k->end - 1;
            else
                n--;
            break;
        case PP_OP_OR:
            if (stack[n - 1].number == 0) {
                n--;
                break;
            }
            if (!isnan(stack[n - 1].number)) stack[n - 1].number = 1;
            at = k->end - 1;
            break;
        case PP_OP_BRANCH:
            if (isnan(stack[n - 1].number)) {
                at = k->end - 1;
                break;
            }
            if (stack[--n].number == 0) at = k->index - 1;
            break;
        case PP_OP_JUMP: at = k->end - 1; break;
        case PP_OP_BUILTIN:
            n -= k->narg;
            stack[n] = (pp_expr_arg){NULL, pp_builtins[k->index].run(&stack[n], k->narg)};
            n++;
            break;
        case PP_OP_CALL: {
            double result = NAN;
            if (why && why_size > 0) why[0] = 0;
            n -= k->narg;
            if (!call) {
                (void)pp_refuse(why, why_size, PERP_E_ARG, "found a function that cannot be used here");
                return false;
            }
            if (!call(ctx, k->index, &stack[n], k->narg, &result, why, why_size)) return false;
            stack[n++] = (pp_expr_arg){NULL, result};
            break;
        }
        default:
            n--;
            stack[n - 1].number = binary(op, stack[n - 1].number, stack[n].number);
            break;
        }
    }
    assert(n == 1);
    *out = isnan(stack[0].number)
               ? NAN
               : stack[0].number; /* the sign of a NaN depends on the machine, and messages show it */
    return true;
}

bool pp_expr_uses(const pp_expr *x, int variable) {
    for (int i = 0; i < x->ncode; i++)
        if (x->code[i].op == PP_OP_VARIABLE && x->code[i].index == variable) return true;
    return false;
}

const char *pp_expr_text(const pp_expr *x, int i, int *function) {
    for (int at = 0; at < x->ncode; at++) {
        if (x->code[at].op != PP_OP_TEXT || i-- > 0) continue;
        *function = (int)x->code[at].number;
        return x->pool + x->code[at].index;
    }
    return NULL;
}

bool pp_expr_constant(const pp_expr *x) { return x->constant; }

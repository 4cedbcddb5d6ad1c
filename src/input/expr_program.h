/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* expr_program.h - the stack program of an expression: what expr.c writes and expr_run.c runs. */
#ifndef PP_EXPR_PROGRAM_H
#define PP_EXPR_PROGRAM_H

#include "input/input.h"

#define PP_EXPR_TEXT  4096 /* bytes of an expression */
#define PP_EXPR_CODE  1024 /* instructions of a program */
#define PP_EXPR_DEPTH 100  /* levels of nesting */
#define PP_EXPR_STACK 256  /* largest number of values on the stack, and of arguments of a function */

typedef enum pp_op {
    PP_OP_NUMBER,   /* push number */
    PP_OP_VARIABLE, /* push variable `index` */
    PP_OP_TEXT,     /* push the text at `index` of the pool, an argument of the caller's function `number` */
    PP_OP_NEGATE,
    PP_OP_NOT,
    PP_OP_TRUTH, /* 0 or 1 for a number */
    PP_OP_ADD,
    PP_OP_SUBTRACT,
    PP_OP_MULTIPLY,
    PP_OP_DIVIDE,
    PP_OP_REST,
    PP_OP_POWER,
    PP_OP_EQUAL,
    PP_OP_UNEQUAL,
    PP_OP_LESS,
    PP_OP_LESS_EQUAL,
    PP_OP_MORE,
    PP_OP_MORE_EQUAL,
    PP_OP_AND,     /* pop; not true: push that and go to `end` */
    PP_OP_OR,      /* pop; true or NaN: push that and go to `end` */
    PP_OP_BRANCH,  /* pop; 0: go to `index`; NaN: push NaN and go to `end` */
    PP_OP_JUMP,    /* go to `end` */
    PP_OP_BUILTIN, /* function `index` of the language with narg arguments */
    PP_OP_CALL     /* function `index` of the caller with narg arguments */
} pp_op;

typedef struct pp_instruction {
    double number;
    int32_t index;
    uint16_t end; /* always after this instruction, so that every program ends */
    uint8_t op;
    uint8_t narg;
} pp_instruction;

/* One block: this, then the instructions, then the pool of texts. */
struct pp_expr {
    int ncode;
    bool constant;
    const pp_instruction *code;
    const char *pool;
};

/* The functions of the language. */
typedef struct pp_expr_builtin {
    const char *name;
    int least, most; /* arguments */
    double (*run)(const pp_expr_arg *x, int n);
} pp_expr_builtin;
extern const pp_expr_builtin pp_builtins[];
extern const int pp_expr_nbuiltin;

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* input.h - reading user input: files, YAML trees with positions, expressions, error reports.
 *
 * Everything here is safe on any bytes: sizes, depths and counts are limited, and the first error ends the reading with one error
 * report. Worlds are not used here. */
#ifndef PP_INPUT_H
#define PP_INPUT_H

#include "base/memory.h"
#include "perp/input.h"

/* ---- error reports (refusal.c) ---- */

/* A place in the input. */
typedef struct pp_location {
    const char *file;
    int line, column;
} pp_location;

/* Fills why (NULL: nothing to fill) and its text, and returns s. found, allowed: plain words, either may be NULL or "".
 * Text form:
 *   FILE:LINE:COLUMN: KEY: found FOUND; allowed: ALLOWED           parts that are missing are left out */
perp_status pp_complain(perp_refusal *why, perp_status s, pp_location at, const char *key, const char *found,
                        const char *allowed);
/* The same where "found ...; allowed: ..." does not fit: a sentence in place of both. */
perp_status pp_complain_say(perp_refusal *why, perp_status s, pp_location at, const char *key, const char *format, ...)
    PERP_PRINTF(5, 6);
/* The word of the list (NULL-terminated) nearest to what was written, or NULL if none is near: for "did you mean". */
const char *pp_suggest(const char *written, const char *const *words);
/* Writes text with control characters and broken UTF-8 as \xNN, cut with ... to fit size; returns out. */
char *pp_printable(char *out, size_t size, const char *text, size_t length);

/* ---- files (source.c, within.c) ---- */

#define PP_SOURCE_MAX (256u << 20) /* bytes of one input file */

/* Reads a whole file with the allocator; *data has a zero byte after size. A folder, a device or a pipe, or more than
 * PP_SOURCE_MAX bytes, is refused. `named` is how the file is called in messages. */
perp_status pp_source_read(const perp_allocator *a, const char *path, const char *named, char **data, size_t *size,
                           perp_refusal *why);
/* The same of a file that lies in the folder `root` or below it, links followed; another one is not opened. "/": any.
 * @param whose folder it is, in messages: "scene" */
perp_status pp_source_read_within(const perp_allocator *a, const char *root, const char *whose, const char *path,
                                  char **data, size_t *size, perp_refusal *why);
/* Checks only whether the place of the file is allowed. */
perp_status pp_source_is_within(const char *root, const char *whose, const char *path, perp_refusal *why);
/* Folder of the file: "." if its path has none. False if it does not fit. */
bool pp_source_folder(const char *path, char *out, size_t size);
/* Parts of the two functions above: opening a file (a pipe without a writer must not block), the error message,
 * and reading the bytes. */
#define PP_SOURCE_OPEN (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
perp_status pp_source_cannot(perp_refusal *why, const char *named, int error);
perp_status pp_source_read_open(const perp_allocator *a, int fd, const char *named, char **data, size_t *size,
                                perp_refusal *why);
/* Path of `name` as seen from the file `from`: name itself if absolute, else beside from. False if it does not fit. */
bool pp_source_beside(const char *from, const char *name, char *out, size_t size);

/* ---- YAML trees (yaml.c, over libyaml's events) ---- */

#define PP_YAML_DEPTH 64         /* levels of nesting */
#define PP_YAML_NODES (8u << 20) /* nodes, after aliases are followed */

typedef enum pp_node_kind { PP_NODE_SCALAR, PP_NODE_LIST, PP_NODE_MAP } pp_node_kind;

/* Nodes lie in one array and name each other by index; 0 is "none". Children of a map alternate: key, value, key,
 * value. An alias is a copy of what it names. A missing value (`key:` with nothing) is a scalar with text "" and
 * plain. */
typedef struct pp_node {
    uint32_t text;         /* scalar: offset into the tree's text, zero-terminated */
    uint32_t length;       /* scalar: bytes of text; list: children; map: pairs */
    uint32_t first, next;  /* first child; next sibling */
    uint32_t line, column; /* from 1 */
    uint8_t kind;          /* pp_node_kind */
    uint8_t plain;         /* scalar: written without quotes */
    uint8_t hint;          /* key: where a reader found it last in its table */
} pp_node;

typedef struct pp_tree {
    perp_allocator alloc;
    const char *file; /* borrowed: for messages */
    pp_node *node;    /* node[0] is not used; node[1] the root */
    int nnode, cap_node;
    char *text;
    int ntext, cap_text;
} pp_tree;

/* Parses one document. Refused with a complaint: syntax errors (libyaml's words, line and column), more than one
 * document, duplicate keys, keys that are not scalars, tags, unknown aliases,
 * depth and size beyond the limits, bytes that are not UTF-8, an empty file. An alias inside what it names is
 * refused. */
perp_status pp_yaml_parse(const perp_allocator *a, const char *file, const char *data, size_t size, pp_tree *out,
                          perp_refusal *why);
void pp_yaml_free(pp_tree *t);
/* The value of a key in a map; 0 if there is none. */
uint32_t pp_yaml_get(const pp_tree *t, uint32_t map, const char *key);
static inline const char *pp_yaml_text(const pp_tree *t, uint32_t n) { return t->text + t->node[n].text; }
/* The key after key k of a map; 0: k is the last. */
static inline uint32_t pp_yaml_next_key(const pp_tree *t, uint32_t k) { return t->node[t->node[k].next].next; }
static inline pp_location pp_yaml_place(const pp_tree *t, uint32_t n) {
    pp_location p = {t->file, (int)t->node[n].line, (int)t->node[n].column};
    return p;
}
/* "a list of 3", "a map with the key mass", "\"text\"", "12": for the found part of a complaint. */
char *pp_yaml_found(const pp_tree *t, uint32_t n, char *out, size_t size);

/* ---- expressions (expr.c) ---- */

/* Numbers, + - * / % ^ (right-associative power), unary - + !, comparisons, && ||, c ? a : b, parentheses, variables
 * (letters, digits, _, starting with a letter or _), constants pi, e, inf, deg (= pi/180), and functions: sin cos tan
 * asin acos atan atan2 sinh cosh tanh sqrt cbrt exp log log2 log10 abs sign floor ceil round min max (any number of
 * arguments) pow mod hypot clamp(x, lo, hi) lerp(a, b, s) step(x) (0 below 0, else 1) linear(x, x0, y0, x1, y1, ...)
 * smooth(x, x0, y0, ...). Further functions, also with "text" arguments, come from the caller. Compiled to a short stack program: evaluation does not allocate, and a
 * program is used again and again with other values of its variables. */

typedef struct pp_expr pp_expr;

typedef struct pp_expr_arg {
    const char *text; /* NULL: a number */
    double number;
} pp_expr_arg;

/* What the caller adds to the language. */
typedef struct pp_expr_names {
    const char *const *variable; /* nvariable names; values are given at evaluation in this order */
    int nvariable;
    const char *const *function; /* nfunction names of further functions */
    int nfunction;
    bool text_arguments; /* further functions may take "text" */
} pp_expr_names;

/* A further function: i is its index among names.function. Writes *out; on failure returns false with words in why
 * (what was wrong). */
typedef bool (*pp_expr_call)(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why,
                             size_t why_size);

/* Compiles text (length bytes). names are borrowed until it returns. On failure it returns NULL; `why` says what
 * was found and what is allowed, with the nearest known name for an unknown one, and *where is the byte (from 0)
 * of the error. */
pp_expr *pp_expr_compile(const perp_allocator *a, const char *text, size_t length, const pp_expr_names *names,
                         char *why, size_t why_size, size_t *where);
void pp_expr_free(const perp_allocator *a, pp_expr *x);
/* Evaluates the program; value: nvariable numbers. Returns false with a message in why if a function of the caller
 * fails. The result may be infinite or NaN; the caller decides whether that is allowed. */
bool pp_expr_eval(const pp_expr *x, const double *value, pp_expr_call call, void *ctx, double *out, char *why,
                  size_t why_size);
/* Whether the program uses variable i; whether it is a constant (no variables, no functions of the caller). */
bool pp_expr_uses(const pp_expr *x, int variable);
bool pp_expr_constant(const pp_expr *x);
/* Whether the name is a constant or a function of the language. */
bool pp_expr_word(const char *name);
/* The i-th text of the program, NULL past the last, and the index of the caller's function that takes it. The
 * function is called with the same pointer, so a caller can prepare the meaning of a text before evaluation.
 * Borrowed until the program is freed. */
const char *pp_expr_text(const pp_expr *x, int i, int *function);

#endif

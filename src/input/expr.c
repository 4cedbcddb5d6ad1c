/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* expr.c - expressions to stack programs.
 *
 * Method: descent by precedence (Pratt 1973) in one pass, without a tree; && || ?: become forward jumps, so only what
 * is chosen is evaluated. From loose to tight:
 *   c ? a : b (right)   ||   &&   == !=   < <= > >=   + -   * / %   unary - + !   ^ (right; its exponent may have a
 *   sign) so -2^2 = -4 and 2^-1 = 0.5. Comparisons do not chain: 0 < x < 1 is refused. A name before ( is a function,
 * else a variable or a constant; names of the caller go before those of the language. Texts stand in " or ' and are
 * arguments of the caller's functions only.
 * Validity: any bytes are safe, by limits (expr_program.h) on bytes, instructions, nesting and values that wait.
 * Cost: linear in the text times the number of names; 24 KiB of stack, one block of memory. */
#include "input/expr_program.h"
#include "input/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_SHOWN 48 /* bytes of a name or a text in a message */

typedef struct constant {
    const char *name;
    double value;
} constant;

static const constant constants[] = {{"pi", 3.14159265358979323846},
                                     {"e", 2.71828182845904523536},
                                     {"inf", INFINITY},
                                     {"deg", 3.14159265358979323846 / 180}};
#define NCONSTANT ((int)(sizeof constants / sizeof *constants))

typedef enum token_kind { T_END, T_NUMBER, T_NAME, T_TEXT, T_SIGN } token_kind;

typedef struct token {
    token_kind kind;
    size_t at, length; /* bytes; a text has its quotes */
    double number;
    char sign[3]; /* T_SIGN: the operator, bracket or comma */
} token;

typedef struct compiler {
    const char *text;
    size_t length;
    const pp_expr_names *names;
    token now; /* the token to be looked at */
    int depth; /* levels of nesting */
    int stack; /* values that wait at this point */
    bool constant;
    pp_instruction code[PP_EXPR_CODE];
    int ncode;
    char pool[PP_EXPR_TEXT +
              1]; /* texts with their final zeros; each has two quotes less and one zero more than in the source */
    int npool;
    char *why;
    size_t why_size, where;
} compiler;

/* ---- complaints ---- */

static bool fail(compiler *c, size_t at, const char *format, ...) PERP_PRINTF(3, 4);
static bool fail(compiler *c, size_t at, const char *format, ...) {
    c->where = at;
    if (c->why && c->why_size > 0) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(c->why, c->why_size, format, args);
        va_end(args);
    }
    return false;
}

typedef struct shown {
    char text[NAME_SHOWN];
} shown;

static shown show(const compiler *c, size_t at, size_t length) {
    shown s = {0};
    (void)pp_printable(s.text, sizeof s.text, c->text + at, length);
    return s;
}

/* "found X; allowed: ..." for the token at hand. */
static bool unexpected(compiler *c, const char *allowed) {
    if (c->now.kind == T_END) return fail(c, c->now.at, "found the end; allowed: %s", allowed);
    return fail(c, c->now.at, "found %s; allowed: %s", show(c, c->now.at, c->now.length).text, allowed);
}

/* Adds words while they fit completely, then "...". */
static void list_word(char *out, size_t size, const char *word) {
    size_t n = strlen(out), need = strlen(word) + (n > 0 ? 2 : 0);
    if (n >= 3 && strcmp(out + n - 3, "...") == 0) return;
    if (n + need + 6 > size) word = "...";
    (void)snprintf(out + n, size - n, "%s%s", n > 0 ? ", " : "", word);
}

typedef struct nearest {
    const char *word;
    int unlike;
} nearest;

static void try_word(nearest *best, const char *written, const char *word) {
    int u = pp_word_unlike(written, word);
    if (u < best->unlike) *best = (nearest){word, u};
}

static bool unknown_name(compiler *c, token name, bool function) {
    char written[64], known[220] = "";
    nearest best = {NULL, PP_UNLIKE};
    size_t n = name.length < sizeof written - 1 ? name.length : sizeof written - 1;
    memcpy(written, c->text + name.at, n);
    written[n] = 0;
    for (int i = 0; function && i < c->names->nfunction; i++) {
        try_word(&best, written, c->names->function[i]);
        list_word(known, sizeof known, c->names->function[i]);
    }
    for (int i = 0; function && i < pp_expr_nbuiltin; i++) {
        try_word(&best, written, pp_builtins[i].name);
        list_word(known, sizeof known, pp_builtins[i].name);
    }
    for (int i = 0; !function && i < c->names->nvariable; i++) {
        try_word(&best, written, c->names->variable[i]);
        list_word(known, sizeof known, c->names->variable[i]);
    }
    for (int i = 0; !function && i < NCONSTANT; i++) {
        try_word(&best, written, constants[i].name);
        list_word(known, sizeof known, constants[i].name);
    }
    const char *brackets = function ? "()" : "";
    shown s = show(c, name.at, name.length);
    if (best.word) { /* the nearest name first, since the end of the list may be cut */
        return fail(c, name.at, "found the unknown name %s%s (did you mean %s?); allowed: %s", s.text, brackets,
                    best.word, known);
    }
    return fail(c, name.at, "found the unknown name %s%s; allowed: %s", s.text, brackets, known);
}

/* ---- tokens ---- */

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool digit(char c) { return c >= '0' && c <= '9'; }

static bool next_text(compiler *c, char quote) {
    token *t = &c->now;
    size_t i = t->at + 1;
    for (; i < c->length && c->text[i] != quote; i++)
        if ((unsigned char)c->text[i] < 0x20 || c->text[i] == 0x7f) {
            return fail(c, i, "found %s in a text; allowed: no control characters", show(c, i, 1).text);
        }
    if (i == c->length) return fail(c, t->at, "found a text that does not end; allowed: %c at its end", quote);
    t->kind = T_TEXT;
    t->length = i + 1 - t->at;
    return true;
}

static bool next_sign(compiler *c) {
    static const char *const two[] = {"<=", ">=", "==", "!=", "&&", "||"};
    token *t = &c->now;
    char first = c->text[t->at], second = t->at + 1 < c->length ? c->text[t->at + 1] : 0;
    t->kind = T_SIGN;
    for (int i = 0; i < 6; i++)
        if (first == two[i][0] && second == two[i][1]) {
            t->length = 2;
            memcpy(t->sign, two[i], 3);
            return true;
        }
    if (first == '*' && second == '*') return fail(c, t->at, "found **; allowed: ^ for a power");
    if (first != 0 && strchr("+-*/%^<>!?:(),", first)) {
        t->length = 1;
        t->sign[0] = first;
        t->sign[1] = 0;
        return true;
    }
    if (first == '=') return fail(c, t->at, "found =; allowed: == to compare");
    if (first == '&' || first == '|') return fail(c, t->at, "found %c; allowed: %c%c", first, first, first);
    size_t n = 1; /* a whole character, so that it can be shown */
    while (((unsigned char)first & 0xc0) == 0xc0 && t->at + n < c->length && n < 4 &&
           ((unsigned char)c->text[t->at + n] & 0xc0) == 0x80)
        n++;
    return fail(c, t->at, "found %s; allowed: numbers, names, operators and parentheses", show(c, t->at, n).text);
}

static bool next(compiler *c) {
    token *t = &c->now;
    size_t i = t->at + t->length;
    while (i < c->length && (c->text[i] == ' ' || c->text[i] == '\t' || c->text[i] == '\n' || c->text[i] == '\r')) i++;
    *t = (token){T_END, i, 0, 0, ""};
    if (i == c->length) return true;
    char first = c->text[i];
    if (letter(first)) {
        t->kind = T_NAME;
        while (i < c->length && (letter(c->text[i]) || digit(c->text[i]))) i++;
        t->length = i - t->at;
        return true;
    }
    if (digit(first) || first == '.') {
        t->kind = T_NUMBER;
        t->length = pp_number_scan(c->text + i, c->length - i, &t->number);
        if (t->length == 0) return fail(c, i, "found a point alone; allowed: digits before or after it");
        if (!isfinite(t->number)) {
            return fail(c, i, "found %s; allowed: a number up to 1.7e308, or inf", show(c, i, t->length).text);
        }
        size_t after = i + t->length;
        if (after < c->length && (letter(c->text[after]) || digit(c->text[after]) || c->text[after] == '.')) {
            return fail(c, after, "found %s right after a number; allowed: an operator such as *",
                        show(c, after, 1).text);
        }
        return true;
    }
    if (first == '"' || first == '\'') return next_text(c, first);
    return next_sign(c);
}

static bool same(const compiler *c, token name, const char *word) {
    return strlen(word) == name.length && memcmp(word, c->text + name.at, name.length) == 0;
}

static bool is(const compiler *c, const char *sign) { return c->now.kind == T_SIGN && strcmp(c->now.sign, sign) == 0; }

/* ---- program ---- */

static bool emit(compiler *c, pp_op op, int index, double number, int narg, int change) {
    if (c->ncode == PP_EXPR_CODE) {
        return fail(c, c->now.at, "found more than %d operations; allowed: fewer", PP_EXPR_CODE);
    }
    c->stack += change;
    if (c->stack > PP_EXPR_STACK) {
        return fail(c, c->now.at, "found an expression with more than %d nested values; allowed: fewer", PP_EXPR_STACK);
    }
    c->code[c->ncode++] = (pp_instruction){number, index, 0, (uint8_t)op, (uint8_t)narg};
    return true;
}

static bool choice(compiler *c);
static bool unary(compiler *c);

static bool enter(compiler *c) {
    if (c->depth == PP_EXPR_DEPTH) {
        return fail(c, c->now.at, "found more than %d levels of nesting; allowed: fewer", PP_EXPR_DEPTH);
    }
    c->depth++;
    return true;
}

/* A value in parentheses, after ( has been passed. */
static bool close(compiler *c) {
    if (!is(c, ")")) return unexpected(c, "an operator or )");
    return next(c);
}

/* Parses one argument. own: index of the caller's function, which may take a text; negative: a text is refused. */
static bool argument(compiler *c, const char *function, int own) {
    if (c->now.kind != T_TEXT) return choice(c);
    if (own < 0) {
        return fail(c, c->now.at, "found a text in %s(); allowed: a number or an expression", function);
    }
    int n = (int)c->now.length - 2, at = c->npool;
    memcpy(c->pool + at, c->text + c->now.at + 1, (size_t)n);
    c->pool[at + n] = 0;
    c->npool += n + 1;
    if (!emit(c, PP_OP_TEXT, at, own, 0, 1) || !next(c)) return false;
    if (!is(c, ",") && !is(c, ")")) return unexpected(c, ", or ) after a text");
    return true;
}

static bool wrong_count(compiler *c, token name, const pp_expr_builtin *f, int narg) {
    char allowed[32];
    if (f->least == f->most)
        (void)snprintf(allowed, sizeof allowed, "%d", f->least);
    else
        (void)snprintf(allowed, sizeof allowed, "%d to %d", f->least, f->most);
    return fail(c, name.at, "found %d argument%s of %s(); allowed: %s", narg, narg == 1 ? "" : "s", f->name, allowed);
}

static bool function(compiler *c, token name) {
    int own = -1, builtin = -1;
    for (int i = 0; own < 0 && i < c->names->nfunction; i++)
        if (same(c, name, c->names->function[i])) own = i;
    for (int i = 0; own < 0 && builtin < 0 && i < pp_expr_nbuiltin; i++)
        if (same(c, name, pp_builtins[i].name)) builtin = i;
    if (own < 0 && builtin < 0) {
        for (int i = 0; i < c->names->nvariable; i++)
            if (same(c, name, c->names->variable[i])) return unexpected(c, "an operator such as * after a variable");
        return unknown_name(c, name, true);
    }
    shown shown_name = show(c, name.at, name.length);
    int narg = 0;
    if (!next(c)) return false; /* ( */
    if (is(c, ")")) {
        if (!next(c)) return false;
    } else {
        for (;;) {
            if (!argument(c, shown_name.text, c->names->text_arguments ? own : -1)) return false;
            narg++;
            if (!is(c, ",")) break;
            if (!next(c)) return false;
        }
        if (!is(c, ")")) return unexpected(c, "an operator, a comma or )");
        if (!next(c)) return false;
    }
    if (builtin >= 0) {
        const pp_expr_builtin *f = &pp_builtins[builtin];
        if (narg < f->least || narg > f->most) return wrong_count(c, name, f, narg);
        return emit(c, PP_OP_BUILTIN, builtin, 0, narg, 1 - narg);
    }
    c->constant = false;
    if (narg >= PP_EXPR_STACK) {
        return fail(c, name.at, "found %d arguments; allowed: at most %d", narg, PP_EXPR_STACK - 1);
    }
    return emit(c, PP_OP_CALL, own, 0, narg, 1 - narg);
}

static bool name(compiler *c) {
    token t = c->now;
    if (!next(c)) return false;
    if (is(c, "(")) return function(c, t);
    for (int i = 0; i < c->names->nvariable; i++)
        if (same(c, t, c->names->variable[i])) {
            c->constant = false;
            return emit(c, PP_OP_VARIABLE, i, 0, 0, 1);
        }
    for (int i = 0; i < NCONSTANT; i++)
        if (same(c, t, constants[i].name)) {
            return emit(c, PP_OP_NUMBER, 0, constants[i].value, 0, 1);
        }
    for (int i = 0; i < pp_expr_nbuiltin; i++)
        if (same(c, t, pp_builtins[i].name)) {
            return fail(c, t.at, "found the function %s without arguments; allowed: %s(...)", pp_builtins[i].name,
                        pp_builtins[i].name);
        }
    return unknown_name(c, t, false);
}

static bool primary(compiler *c) {
    static const char allowed[] = "a number, a name or (";
    if (c->now.kind == T_NUMBER) return emit(c, PP_OP_NUMBER, 0, c->now.number, 0, 1) && next(c);
    if (c->now.kind == T_NAME) return name(c);
    if (is(c, "(")) return next(c) && choice(c) && close(c);
    if (c->now.kind == T_TEXT) {
        return fail(c, c->now.at, "found the text %s; allowed: a number or an expression",
                    show(c, c->now.at, c->now.length).text);
    }
    return unexpected(c, allowed);
}

/* primary, or primary ^ unary */
static bool power(compiler *c) {
    if (!primary(c)) return false;
    if (!is(c, "^")) return true;
    return next(c) && unary(c) && emit(c, PP_OP_POWER, 0, 0, 0, -1);
}

static bool unary(compiler *c) {
    if (!enter(c)) return false;
    bool ok;
    if (is(c, "-"))
        ok = next(c) && unary(c) && emit(c, PP_OP_NEGATE, 0, 0, 0, 0);
    else if (is(c, "!"))
        ok = next(c) && unary(c) && emit(c, PP_OP_NOT, 0, 0, 0, 0);
    else if (is(c, "+"))
        ok = next(c) && unary(c);
    else
        ok = power(c);
    c->depth--;
    return ok;
}

typedef struct operation {
    const char *sign;
    int tightness; /* 1 loosest */
    pp_op op;
} operation;

#define COMPARES(tightness) ((tightness) == 3 || (tightness) == 4)

static const operation operations[] = {
    {"||", 1, PP_OP_OR},  {"&&", 2, PP_OP_AND},        {"==", 3, PP_OP_EQUAL},   {"!=", 3, PP_OP_UNEQUAL},
    {"<", 4, PP_OP_LESS}, {"<=", 4, PP_OP_LESS_EQUAL}, {">", 4, PP_OP_MORE},     {">=", 4, PP_OP_MORE_EQUAL},
    {"+", 5, PP_OP_ADD},  {"-", 5, PP_OP_SUBTRACT},    {"*", 6, PP_OP_MULTIPLY}, {"/", 6, PP_OP_DIVIDE},
    {"%", 6, PP_OP_REST},
};

static const operation *operation_now(const compiler *c) {
    if (c->now.kind != T_SIGN) return NULL;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(c->now.sign, operations[i].sign) == 0) return &operations[i];
    return NULL;
}

/* A unary expression, followed by operations of at least the given precedence. */
static bool chain(compiler *c, int tightness) {
    if (!unary(c)) return false;
    int compared = 0; /* precedence of the last comparison */
    for (const operation *o; (o = operation_now(c)) != NULL && o->tightness >= tightness;) {
        if (COMPARES(o->tightness) && compared == o->tightness) {
            return fail(c, c->now.at, "found %s after another comparison; allowed: comparisons joined by &&", o->sign);
        }
        compared = COMPARES(o->tightness) ? o->tightness : 0;
        int skip = c->ncode;
        bool lazy = o->op == PP_OP_AND || o->op == PP_OP_OR;
        if (lazy && !emit(c, o->op, 0, 0, 0, -1)) return false;
        if (!next(c) || !chain(c, o->tightness + 1)) return false;
        if (!emit(c, lazy ? PP_OP_TRUTH : o->op, 0, 0, 0, lazy ? 0 : -1)) return false;
        if (lazy) c->code[skip].end = (uint16_t)c->ncode;
    }
    return true;
}

/* chain, or chain ? choice : choice */
static bool choice(compiler *c) {
    if (!chain(c, 1)) return false;
    if (is(c, "?")) {
        if (!enter(c)) return false;
        int branch = c->ncode;
        if (!emit(c, PP_OP_BRANCH, 0, 0, 0, -1) || !next(c) || !choice(c)) return false;
        if (!is(c, ":")) return unexpected(c, "an operator or the : that belongs to ?");
        int jump = c->ncode;
        if (!emit(c, PP_OP_JUMP, 0, 0, 0, -1) || !next(c))
            return false; /* the other value takes the place of this one */
        c->code[branch].index = c->ncode;
        if (!choice(c)) return false;
        c->code[branch].end = c->code[jump].end = (uint16_t)c->ncode;
        c->depth--;
    }
    return true;
}

static bool whole(compiler *c) {
    if (c->length > PP_EXPR_TEXT) {
        return fail(c, PP_EXPR_TEXT, "found %zu bytes; allowed: at most %d", c->length, PP_EXPR_TEXT);
    }
    if (!next(c)) return false;
    if (c->now.kind == T_END) return fail(c, 0, "found nothing; allowed: a number or an expression");
    if (!choice(c)) return false;
    if (c->now.kind != T_END) return unexpected(c, "an operator or the end");
    return true;
}

pp_expr *pp_expr_compile(const perp_allocator *a, const char *text, size_t length, const pp_expr_names *names,
                         char *why, size_t why_size, size_t *where) {
    static const pp_expr_names none = {0};
    static const perp_allocator plain = {0};
    compiler c; /* not cleared: it is large, and code and pool are written from their start */
    c.text = text;
    c.length = length;
    c.names = names ? names : &none;
    c.now = (token){T_END, 0, 0, 0, ""};
    c.depth = c.stack = c.ncode = c.npool = 0;
    c.constant = true;
    c.why = why;
    c.why_size = why_size;
    c.where = 0;
    if (!a) a = &plain;
    if (why && why_size > 0) why[0] = 0;
    bool ok = whole(&c);
    pp_expr *x = NULL;
    if (ok) {
        assert(c.stack == 1 && c.ncode > 0);
        size_t code = (size_t)c.ncode * sizeof *c.code, head = (sizeof *x + 15) / 16 * 16;
        char *block = pp_alloc(a, head + code + (size_t)c.npool);
        if (block) {
            memcpy(block + head, c.code, code);
            memcpy(block + head + code, c.pool, (size_t)c.npool);
            x = (pp_expr *)(void *)block;
            x->ncode = c.ncode;
            x->constant = c.constant;
            x->code = (const pp_instruction *)(const void *)(block + head);
            x->pool = block + head + code;
        } else {
            (void)fail(&c, 0, "no memory for the expression");
        }
    }
    if (where) *where = c.where;
    return x;
}

bool pp_expr_word(const char *name) {
    for (int i = 0; i < NCONSTANT; i++)
        if (!strcmp(constants[i].name, name)) return true;
    for (int i = 0; i < pp_expr_nbuiltin; i++)
        if (!strcmp(pp_builtins[i].name, name)) return true;
    return false;
}

void pp_expr_free(const perp_allocator *a, pp_expr *x) {
    static const perp_allocator plain = {0};
    pp_free(a ? a : &plain, x);
}

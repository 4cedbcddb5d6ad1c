/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* formula.c - see formula.h */
#include "measure/formula.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

pp_span pp_span_of(const char *text) { return (pp_span){text, strlen(text)}; }

pp_span pp_span_trimmed(pp_span a) {
    while (a.n > 0 && isspace((unsigned char)a.s[0])) a.s++, a.n--;
    while (a.n > 0 && isspace((unsigned char)a.s[a.n - 1])) a.n--;
    return a;
}

bool pp_span_is(pp_span a, const char *word) { return strlen(word) == a.n && memcmp(a.s, word, a.n) == 0; }

const char *const pp_braces_variable[PP_BRACES_MAX] = {"_0",  "_1",  "_2",  "_3",  "_4",  "_5",  "_6",  "_7",
                                                       "_8",  "_9",  "_10", "_11", "_12", "_13", "_14", "_15",
                                                       "_16", "_17", "_18", "_19", "_20", "_21", "_22", "_23"};

bool pp_is_formula(pp_span text) { return memchr(text.s, '{', text.n) != NULL || pp_span_is(text, "t"); }

bool pp_braces_out(pp_span text, pp_braces *out, char *why, size_t why_size) {
    size_t at = 0;
    out->n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] != '{') {
            if (at + 1 >= PP_BRACES_TEXT) {
                snprintf(why, why_size, "found an expression that is too long; allowed: %d bytes", PP_BRACES_TEXT);
                return false;
            }
            out->code[at++] = text.s[i];
            continue;
        }
        const char *end = memchr(text.s + i, '}', text.n - i);
        if (!end || out->n == PP_BRACES_MAX || at + 8 >= PP_BRACES_TEXT) {
            snprintf(why, why_size, end ? "found too many series in one expression; allowed: %d" : "found { without }",
                     PP_BRACES_MAX);
            return false;
        }
        out->name[out->n] = pp_span_trimmed((pp_span){text.s + i + 1, (size_t)(end - text.s) - i - 1});
        at += (size_t)snprintf(out->code + at, PP_BRACES_TEXT - at, "%s", pp_braces_variable[out->n++]);
        i = (size_t)(end - text.s);
    }
    out->code[at] = 0;
    return true;
}

const char *const pp_formula_functions[1] = {"norm"};

bool pp_formula_call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    (void)ctx;
    (void)i;
    return pp_norm(arg, narg, out, why, why_size);
}

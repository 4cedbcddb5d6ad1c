/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_problem.c - any bytes as a problem file. What is accepted must be whole: sizes that agree, patterns in order,
 * finite numbers; and it must come back the same from every layout that can hold it. */
#include "exchange/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limited.h"

static void told(perp_status s, const perp_refusal *why) {
    if (s && (why->text[0] == 0 || strchr(why->text, '\n'))) abort(); /* one line, and never none */
}

static void whole(const perp_sparse *m, int rows, int cols) {
    if (pp_check_sparse("x", "x", m, rows, cols, NULL)) abort();
}

/* Reads every array. */
static void look(const perp_problem *p) {
    double sum = 0;
    int n = perp_problem_size(p);
    if (n < 0) abort();
    if (p->cls == PERP_LCP)
        for (int i = 0; i < n; i++) sum += p->as.lcp.q[i] + p->as.lcp.M[(size_t)i * (size_t)n + (size_t)(n - 1)];
    if (p->cls == PERP_MLCP)
        for (int i = 0; i < n; i++) {
            sum += p->as.mlcp.q[i] + p->as.mlcp.M[(size_t)i * (size_t)n + (size_t)(n - 1)];
            if (!(p->as.mlcp.lo[i] <= p->as.mlcp.hi[i])) abort();
        }
    if (p->cls == PERP_SPARSE_MLCP) whole(&p->as.sparse_mlcp.M, n, n);
    if (p->cls == PERP_QP) whole(&p->as.qp.Q, p->as.qp.n, p->as.qp.n);
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) {
        const perp_cone *c = &p->as.cone;
        for (int i = 0; i < c->ncontact; i++)
            if (!(c->mu[i] >= 0)) abort();
        if (c->global) {
            whole(&c->M, c->M.rows, c->M.rows);
            whole(&c->H, c->M.rows, n);
        } else {
            whole(&c->W, n, n);
        }
    }
    volatile double used = sum;
    (void)used;
}

/* Written in a layout and read again: the same size and class, or the layout has no place for it. */
static void again(const perp_stored *s, perp_problem_format f) {
    const perp_allocator a = {limited, give_back, NULL};
    const perp_problem *p = perp_stored_problem(s);
    const double *guess = f == PERP_FORMAT_PERP ? perp_stored_guess(s) : NULL;
    pp_image m = {0};
    perp_refusal why = {0};
    perp_stored *t = NULL;
    perp_status e = f == PERP_FORMAT_PERP    ? pp_perp_image("x", p, guess, perp_stored_title(s), &m, &why)
                    : f == PERP_FORMAT_FCLIB ? pp_fclib_image("x", p, guess, perp_stored_title(s), &m, &why)
                                             : pp_text_image("x", p, perp_stored_title(s), &m, &why);
    told(e, &why);
    if (e && e != PERP_E_FIT) abort();
    if (!e) {
        if (pp_exchange_read("x", m.data, m.size, &a, &t, NULL, &why)) abort();
        if (perp_problem_size(perp_stored_problem(t)) != perp_problem_size(p)) abort();
        perp_stored_free(t);
    }
    pp_image_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const perp_allocator a = {limited, give_back, NULL};
    perp_stored *s;
    perp_refusal why = {0};
    perp_problem_format format;
    perp_status e = pp_exchange_read("problem", data, size, &a, &s, &format, &why);
    told(e, &why);
    if (e && s) abort();
    if (!e) {
        look(perp_stored_problem(s));
        again(s, PERP_FORMAT_PERP);
        if (size % 4 == 0) again(s, PERP_FORMAT_FCLIB);
        if (size % 4 == 1) again(s, PERP_FORMAT_SICONOS_TEXT);
        perp_stored_free(s);
    }
    if (given != 0) abort(); /* a leak */
    return 0;
}

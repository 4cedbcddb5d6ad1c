/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* to_lcp.c - step problem -> LCP: bilateral rows are eliminated, bounded ones become one or two variables
 * Problem  rows r (contacts, bounded joint rows) and e (bilateral joint rows, with or without compliance):
 *            w_r = W_rr p_r + W_re p_e + w_free_r,   0 = W_er p_r + W_ee p_e + w_free_e
 * Method   p_e = -W_ee^+ (W_er p_r + w_free_e);  S = W_rr - W_re W_ee^+ W_er, and w likewise. Rows of S whose
 *          diagonal is only rounding (the joints alone hold them) are set to zero; so is their w, if it is rounding of
 *          the terms that it is the sum of (pp_term_sizes). A bounded impulse is p = p0 + u or p0 - u, u >= 0; a row
 *          with both bounds has s too:  0 <= u _|_ w + s >= 0,  0 <= s _|_ (hi - lo) - u >= 0.
 * Valid    W_ee of any rank: if its rows are redundant and disagree a little, they are met in the least-squares sense.
 * Cost     ne^3/3 + ne^2 nr + ne nr^2.
 * Source   Williams (2.37)-(2.38); errata there: the lower left block is G_b'. */
#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "linalg/kernel.h"
#include "problem/convert/convert_parts.h"

/* Workspace of the elimination of bilateral rows. */
typedef struct elimination {
    double *A;  /* ne x ne: W_ee */
    double *R;  /* nw x ne: columns of W of the eliminated rows */
    double *x;  /* ne: W_ee^+ w_e */
    double *y;  /* 2 ne: W_ee^+ W_er for a row r, and scratch */
    bool *gone; /* nw: eliminated, later held too */
} elimination;

/* y = W_ee^+ W_er. False, and nothing done, if the row r has nothing to do with the eliminated ones. */
static bool share(const pp_converted *c, const elimination *k, int r) {
    bool touch = false;
    for (int e = 0; e < c->ne; e++) {
        k->y[e] = k->R[r + (ptrdiff_t)c->nw * e];
        if (k->y[e] != 0) touch = true;
    }
    if (touch) pp_psd_solve(&c->elim, 1, k->y, c->ne, k->y + c->ne);
    return touch;
}

/* Sum of the sizes of all terms that cancel in the velocity w_r - y.w_e of a row that the joints alone hold: those of w_r
 * and w_e themselves (size, of each row) and, as w_e = W_ee x to rounding, all y_i W_ij x_j. */
static double cancelled(const pp_converted *c, const elimination *k, int r, const double *size) {
    double sum = size[r];
    if (!share(c, k, r)) return sum;
    for (int i = 0; i < c->ne; i++) {
        double terms = size[c->eliminated[i]];
        for (int j = 0; j < c->ne; j++) terms += fabs(k->A[i + (ptrdiff_t)c->ne * j] * k->x[j]);
        sum += fabs(k->y[i]) * terms;
    }
    return sum;
}

/* S symmetric again, its held rows and columns zero, and their w zero if it is rounding: then the joints and the row
 * agree. False if memory is refused. */
static bool clean(const pp_converted *c, pp_arena *arena, const elimination *k, double *S, double *w) {
    ptrdiff_t nw = c->nw;
    /* A row whose S_ii is below this part of W_ii is held by the joints alone. */
    double held = PP_ELIMINATED / c->elim.least > PP_NEGLIGIBLE ? PP_ELIMINATED / c->elim.least : PP_NEGLIGIBLE,
           *size = NULL;
    for (int r = 0; r < nw; r++) {
        for (int j = r + 1; j < nw; j++) S[r + nw * j] = S[j + nw * r];
        if (k->gone[r] || S[r + nw * r] > held * c->W[r + nw * r]) continue;
        if (!size) { /* most problems have no such row */
            size = PP_ARENA_ARRAY(arena, double, nw);
            if (!size) return false;
            pp_term_sizes(c, size);
        }
        if (fabs(w[r]) <= PP_NEGLIGIBLE * cancelled(c, k, r, size)) w[r] = 0;
        for (int j = 0; j < nw; j++) S[r + nw * j] = 0;
        k->gone[r] = true; /* its column: after the loop, so that the mirror above does not bring it back */
    }
    for (int r = 0; r < nw; r++)
        if (k->gone[r])
            for (int j = 0; j < nw; j++) S[j + nw * r] = S[r + nw * j] = 0;
    return true;
}

/* S = Schur complement over W, w = that of the free velocities; both hold W and w_shift before. */
static perp_status eliminate(pp_converted *c, pp_arena *arena, double *S, double *w) {
    ptrdiff_t nw = c->nw, ne = c->ne;
    if (ne == 0) return PERP_OK;
    double *work = PP_ARENA_ARRAY(arena, double, pp_psd_work((int)ne)); /* stays: the factor lies in it */
    elimination k = {.A = PP_ARENA_ARRAY(arena, double, ne *ne),
                     .R = PP_ARENA_ARRAY(arena, double, nw *ne),
                     .x = PP_ARENA_ARRAY(arena, double, ne),
                     .y = PP_ARENA_ARRAY(arena, double, 2 * ne),
                     .gone = PP_ARENA_ZERO(arena, bool, nw)};
    if (!work || !k.A || !k.R || !k.x || !k.y || !k.gone) return PERP_E_MEMORY;
    for (int j = 0; j < ne; j++) {
        k.gone[c->eliminated[j]] = true;
        memcpy(k.R + nw * j, c->W + nw * c->eliminated[j], sizeof(double) * (size_t)nw);
        for (int i = 0; i < ne; i++) k.A[i + ne * j] = c->W[c->eliminated[i] + nw * c->eliminated[j]];
    }
    if (!pp_psd_factor(&c->elim, (int)ne, k.A, (int)ne, PP_RANK_TOL, work)) return PERP_E_SOLVE;
    if (ne == nw) return PERP_OK; /* nothing else is left, and S is W itself */
    for (int e = 0; e < ne; e++) k.x[e] = c->w_shift[c->eliminated[e]];
    pp_psd_solve(&c->elim, 1, k.x, (int)ne, k.y);
    for (int e = 0; e < ne; e++) pp_axpy((int)nw, -k.x[e], k.R + nw * e, w);
    for (int r = 0; r < nw; r++) {
        if (k.gone[r] || !share(c, &k, r)) continue;
        for (int e = 0; e < ne; e++) pp_axpy((int)nw, -k.y[e], k.R + nw * e, S + nw * r);
    }
    return clean(c, arena, &k, S, w) ? PERP_OK : PERP_E_MEMORY;
}

/* Rows and columns of the bounded joint rows. */
static void fill_joints(pp_converted *c, const double *S, const double *w) {
    const perp_step_problem *p = c->step;
    int nc = p->ncontact;
    ptrdiff_t nw = c->nw, n = c->n;
    const int *jr = c->row + 3 * nc;
    for (int j = 0; j < p->njoint; j++) {
        ptrdiff_t u = c->u_index[j];
        if (u < 0) continue;
        pp_bound kind = pp_bound_of(&p->joint[j]);
        double sign = kind == PP_BOUND_UPPER ? -1 : 1;
        const double *s = S + nw * jr[j];
        for (int i = 0; i < p->njoint; i++)
            if (c->u_index[i] >= 0)
                c->M[c->u_index[i] + n * u] = sign * (pp_bound_of(&p->joint[i]) == PP_BOUND_UPPER ? -1 : 1) * s[jr[i]];
        for (int a = 0; a < nc; a++) {
            const int *r = c->row + 3 * a;
            double st = r[1] >= 0 ? s[r[1]] : 0, so = r[2] >= 0 ? s[r[2]] : 0;
            c->M[a + n * u] = c->M[u + n * a] = sign * s[r[0]];
            for (int k = c->f_start[a]; k < c->f_start[a + 1]; k++)
                c->M[nc + k + n * u] = c->M[u + n * (nc + k)] = sign * (c->dir[2 * k] * st + c->dir[2 * k + 1] * so);
        }
        c->q[u] = sign * w[jr[j]];
        double mass = c->W[jr[j] + nw * jr[j]];
        if (!(mass > 0)) mass = 1;
        c->z_scale[u] = 1 / mass;
        if (kind != PP_BOUND_BOTH) continue;
        c->M[u + n * (u + 1)] = 1;
        c->M[u + 1 + n * u] = -1;
        c->q[u + 1] = p->joint[j].hi - p->joint[j].lo;
        c->w_scale[u + 1] = 1 / mass;
    }
}

perp_status pp_to_lcp(pp_converted *c, pp_arena *arena) {
    const perp_step_problem *p = c->step;
    int nc = p->ncontact;
    ptrdiff_t nw = c->nw;
    const int *jr = c->row + 3 * nc;
    c->eliminated = PP_ARENA_ARRAY(arena, int, p->njoint);
    c->p0 = PP_ARENA_ARRAY(arena, double, p->njoint);
    c->w_shift = PP_ARENA_ARRAY(arena, double, nw);
    double *w = PP_ARENA_ARRAY(arena, double, nw), *S = c->W;
    if (!c->eliminated || !c->p0 || !c->w_shift || !w) return PERP_E_MEMORY;
    int n = nc + c->nf + c->ns;
    memcpy(c->w_shift, c->w_free, sizeof *w * (size_t)nw);
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        pp_bound kind = pp_bound_of(r);
        c->u_index[j] = -1;
        c->p0[j] = kind == PP_BOUND_NONE ? 0 : kind == PP_BOUND_UPPER ? r->hi : r->lo;
        if (kind == PP_BOUND_NONE)
            c->eliminated[c->ne++] = jr[j];
        else if (kind != PP_BOUND_FIXED) {
            c->u_index[j] = n;
            n += kind == PP_BOUND_BOTH ? 2 : 1;
        }
        if (c->p0[j] != 0) pp_axpy((int)nw, c->p0[j], c->W + nw * jr[j], c->w_shift);
    }
    c->n = n;
    c->first = 0;
    memcpy(w, c->w_shift, sizeof *w * (size_t)nw);
    if (c->ne > 0 && c->ne < nw) { /* W itself is needed for the way back */
        S = PP_ARENA_ARRAY(arena, double, nw *nw);
        if (!S) return PERP_E_MEMORY;
        memcpy(S, c->W, sizeof *S * (size_t)(nw * nw));
    }
    c->M = PP_ARENA_ZERO(arena, double, (ptrdiff_t)n *n);
    c->q = PP_ARENA_ARRAY(arena, double, 3 * (ptrdiff_t)n);
    if (!c->M || !c->q) return PERP_E_MEMORY;
    c->z_scale = c->q + n;
    c->w_scale = c->z_scale + n;
    for (int i = 0; i < n; i++) c->z_scale[i] = c->w_scale[i] = 1;
    perp_status s = eliminate(c, arena, S, w);
    if (s) return s;
    pp_fill_contacts(c, S, w);
    fill_joints(c, S, w);
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_part.c - the friction problem of some of the bodies, with all others at rest
 * Method   Rows and columns of M and rows of H of the other bodies are left out: a body at rest acts like an obstacle. */
#include "solver/cone/cone_part.h"

#include <string.h>

/* Numbers the dofs of the part in order; -1: others. Returns their number. */
static int number_dofs(const pp_cone *c, const bool *in, int *dof) {
    int n = 0;
    for (int j = 0; j < c->p->M.cols; j++) dof[j] = c->part[j] >= 0 && in[c->part[j]] ? n++ : -1;
    return n;
}

/* Columns of A for which column[j] >= 0, in order, with rows for which row[i] >= 0 and their new numbers. */
static bool pick(const perp_sparse *A, const int *row, int rows, const int *column, int cols, const perp_call *call,
                 perp_sparse *out) {
    int used = 0, next = 0;
    for (int j = 0; j < A->cols; j++)
        for (int s = A->start[j]; column[j] >= 0 && s < A->start[j + 1]; s++) used += row[A->index[s]] >= 0;
    int *start = PP_CALL_ARRAY(call, int, cols + 1), *index = PP_CALL_ARRAY(call, int, used);
    double *value = PP_CALL_ARRAY(call, double, used);
    if (!start || !index || !value) return false;
    used = 0;
    for (int j = 0; j < A->cols; j++) {
        if (column[j] < 0) continue;
        start[next++] = used;
        for (int s = A->start[j]; s < A->start[j + 1]; s++) {
            if (row[A->index[s]] < 0) continue;
            index[used] = row[A->index[s]];
            value[used++] = A->value[s];
        }
    }
    start[next] = used;
    *out = (perp_sparse){.rows = rows, .cols = cols, .start = start, .index = index, .value = value};
    return true;
}

/* Copies the data of blocks and rows: bounds, friction, axes, offsets. */
static bool take_laws(pp_cone_part *k, const pp_cone *c, const perp_call *call) {
    const perp_cone *p = c->p;
    perp_cone *to = &k->p.as.cone;
    int across = p->dim - 1, m = to->nrow + p->dim * to->ncontact, at = 0;
    double *lo = PP_CALL_ARRAY(call, double, to->nrow), *hi = PP_CALL_ARRAY(call, double, to->nrow),
           *mu = PP_CALL_ARRAY(call, double, to->ncontact), *axes = PP_CALL_ARRAY(call, double, across * to->ncontact),
           *b = PP_CALL_ARRAY(call, double, m), *compliance = PP_CALL_ARRAY(call, double, m);
    if (!lo || !hi || !mu || !axes || !b || !compliance) return false;
    for (int i = 0; i < k->nblock; i++) {
        int block = k->from[i], contact = i - to->nrow, whole = block - c->nrow;
        if (contact < 0) {
            if (p->lo) lo[i] = p->lo[block];
            if (p->hi) hi[i] = p->hi[block];
        } else {
            mu[contact] = p->mu[whole];
            for (int a = 0; p->axes && a < across; a++) axes[across * contact + a] = p->axes[across * whole + a];
        }
        for (int r = c->first[block]; r < c->first[block + 1]; r++, at++) {
            b[at] = p->b[r];
            if (p->compliance) compliance[at] = p->compliance[r];
        }
    }
    to->lo = p->lo ? lo : NULL;
    to->hi = p->hi ? hi : NULL;
    to->mu = mu;
    to->axes = p->axes ? axes : NULL;
    to->b = b;
    to->compliance = p->compliance ? compliance : NULL;
    return true;
}

bool pp_cone_part_make(pp_cone_part *k, const pp_cone *c, const bool *in, const perp_call *call) {
    const perp_cone *p = c->p;
    int *dof = PP_CALL_ARRAY(call, int, p->M.cols), *column = PP_CALL_ARRAY(call, int, c->m),
        *from = PP_CALL_ARRAY(call, int, c->nblock);
    if (!dof || !column || !from) return false;
    *k = (pp_cone_part){.p = {.cls = c->associated ? PERP_CONE_QP : PERP_CONE}, .from = from};
    perp_cone *to = &k->p.as.cone;
    to->dim = p->dim;
    to->global = true;
    int n = number_dofs(c, in, dof), m = 0;
    for (int i = 0; i < c->nblock; i++) {
        bool taken = pp_cone_touches(c, i, in);
        for (int r = c->first[i]; r < c->first[i + 1]; r++) column[r] = taken ? m++ : -1;
        if (!taken) continue;
        from[k->nblock++] = i;
        if (i < c->nrow)
            to->nrow++;
        else
            to->ncontact++;
    }
    double *f = PP_CALL_ARRAY(call, double, n);
    if (!f || !take_laws(k, c, call)) return false;
    for (int j = 0; j < p->M.cols; j++)
        if (dof[j] >= 0) f[dof[j]] = p->f[j];
    to->f = f;
    return pick(&p->M, dof, n, dof, n, call, &to->M) && pick(&p->H, dof, n, column, m, call, &to->H);
}

void pp_cone_part_put(const pp_cone_part *k, const pp_cone *c, const double *r, double *x) {
    for (int i = 0; i < k->nblock; i++)
        for (int row = c->first[k->from[i]]; row < c->first[k->from[i] + 1]; row++, r++)
            x[row] = c->scale[row] > 0 ? *r / (c->beta * c->scale[row]) : 0;
}

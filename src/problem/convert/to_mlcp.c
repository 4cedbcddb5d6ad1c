/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* to_mlcp.c - step problem -> mixed LCP in joint and contact impulses; only nu is eliminated
 * Variables  p_b (njoint, bounds as given), p_n, p_f, sigma.
 *   w_b = W_bb p_b + W_bc p_c + w_free, and so on: the Delassus matrix with the friction directions expanded.
 * Cost     n^2.
 * Source   Williams (2.34) with nu eliminated. */
#include <math.h>

#include "problem/convert/convert_parts.h"

perp_status pp_to_mlcp(pp_converted *c, pp_arena *arena) {
    const perp_step_problem *p = c->step;
    int nc = p->ncontact, nj = p->njoint;
    ptrdiff_t nw = c->nw, n = nj + nc + c->nf + c->ns;
    c->n = (int)n;
    c->first = nj;
    c->M = PP_ARENA_ZERO(arena, double, n *n);
    c->q = PP_ARENA_ARRAY(arena, double, 5 * n);
    if (!c->M || !c->q) return PERP_E_MEMORY;
    c->lo = c->q + n;
    c->hi = c->lo + n;
    c->z_scale = c->hi + n;
    c->w_scale = c->z_scale + n;
    for (int i = 0; i < n; i++) {
        c->lo[i] = 0;
        c->hi[i] = INFINITY;
        c->z_scale[i] = c->w_scale[i] = 1;
    }
    pp_fill_contacts(c, c->W, c->w_free);
    const int *jr = c->row + 3 * nc;
    for (int j = 0; j < nj; j++) {
        const double *w = c->W + nw * jr[j];
        c->u_index[j] = j;
        c->q[j] = c->w_free[jr[j]];
        c->lo[j] = p->joint[j].lo;
        c->hi[j] = p->joint[j].hi;
        if (w[jr[j]] > 0) c->z_scale[j] = 1 / w[jr[j]];
        for (int i = 0; i < nj; i++) c->M[i + n * j] = w[jr[i]];
        for (int a = 0; a < nc; a++) {
            const int *r = c->row + 3 * a;
            double wt = r[1] >= 0 ? w[r[1]] : 0, wo = r[2] >= 0 ? w[r[2]] : 0;
            c->M[nj + a + n * j] = c->M[j + n * (nj + a)] = w[r[0]];
            for (int k = c->f_start[a]; k < c->f_start[a + 1]; k++) {
                ptrdiff_t v = nj + nc + k;
                c->M[v + n * j] = c->M[j + n * v] = c->dir[2 * k] * wt + c->dir[2 * k + 1] * wo;
            }
        }
    }
    return PERP_OK;
}

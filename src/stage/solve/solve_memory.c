/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_memory.c - see solve_memory.h */
#include "stage/solve/solve_memory.h"

#include <string.h>

void pp_solve_memory_destroy(pp_solve_memory *m, const perp_allocator *a) {
    for (int k = 0; k < m->cap_island; k++) pp_cone_memory_destroy(&m->island[k], a);
    pp_free(a, m->island);
    pp_free(a, m->row);
    pp_free(a, m->figure);
    pp_free(a, m->masses);
    *m = (pp_solve_memory){0};
}

/* The next `size` numbers: whether they are those of `to`; then they are copied there. */
static bool take(double **to, const double *from, int size) {
    size_t bytes = (size_t)size * sizeof *from;
    bool same = memcmp(*to, from, bytes) == 0;
    if (!same) memcpy(*to, from, bytes);
    *to += size;
    return same;
}

/* Remembers the masses. Returns whether they are those remembered before. */
static bool same_masses(const perp_step_problem *p, pp_solve_memory *m, const perp_allocator *a) {
    int size = 0;
    for (int b = 0; b < p->nblock; b++) size += (2 * p->block_ndof[b] + 1) * p->block_ndof[b];
    bool same = m->nmasses == size;
    m->nmasses = 0;
    if (!PP_GROW(a, m->masses, m->cap_masses, same ? size : 0, size)) return false;
    m->nmasses = size;
    double *to = m->masses;
    for (int b = 0; b < p->nblock; b++) {
        int nd = p->block_ndof[b];
        for (int c = 0; c < nd; c++) {
            same = take(&to, p->M + 36 * (ptrdiff_t)b + 6 * (ptrdiff_t)c, nd) && same;
            same = take(&to, p->Minv + 36 * (ptrdiff_t)b + 6 * (ptrdiff_t)c, nd) && same;
        }
        same = take(&to, p->momentum + p->block_offset[b], nd) && same;
    }
    return same;
}

/* Rows with a list are not compared. */
static bool same_row(const perp_row *x, const perp_row *y) {
    return !x->more && !y->more && x->block[0] == y->block[0] && x->block[1] == y->block[1] &&
           memcmp(x->J, y->J, sizeof x->J) == 0;
}

void pp_row_figures(const perp_step_problem *p, pp_solve_memory *m, const perp_allocator *a, pp_row_figure *out) {
    int n = PP_FIGURES(p);
    bool known = m && same_masses(p, m, a) && m->njoint == p->njoint;
    /* contacts may come: as much room for them as lists of contacts have, which begin with 8 */
    int want = m && m->cap_figure < n ? n + 3 * (p->ncontact + 8) : n;
    bool room = m && PP_GROW(a, m->row, m->cap_row, m->n, want) && PP_GROW(a, m->figure, m->cap_figure, m->n, want);
    int before = known && room ? m->n : 0;
    for (int i = 0; i < n; i++) {
        const perp_row *row = pp_figure_row(p, i);
        bool same = i < before && same_row(row, &m->row[i]);
        out[i] = same ? m->figure[i] : pp_step_figure(p, row);
        if (same || !room) continue;
        m->row[i] = *row;
        m->figure[i] = out[i];
    }
    if (!m) return;
    m->n = room ? n : 0;
    m->njoint = p->njoint;
}

pp_cone_memory *pp_island_memory(pp_solve_memory *m, int k, const perp_allocator *a) {
    if (!m || !PP_GROW(a, m->island, m->cap_island, m->cap_island, k + 1)) return NULL;
    return &m->island[k];
}

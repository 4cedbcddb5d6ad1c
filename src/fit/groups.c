/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* groups.c - parameters that share no residual are differenced together
 * Problem  unknowns of independent bodies or runs: column j of J has entries only in the residuals of its own body. One point in
 *          which several such unknowns are changed gives all their columns.
 * Method   the entries of a whole J that are not exactly 0 are the pattern; columns are taken in turn into the first group
 *          none of whose columns has an entry in the same row. A column without entries stays alone: it may get some elsewhere.
 * Valid    as long as the pattern holds. A search drops the groups when a step is refused or a point fails, and the derivatives at
 *          the optimum are taken column by column: entries outside the pattern then send the search on without groups.
 * Cost     m n for each group.
 * Source   Curtis, Powell, Reid, J. Inst. Maths Applics 13 (1974). */
#include <string.h>

#include "fit/fit.h"

void pp_fit_ungroup(pp_fit *f) {
    f->ngroup = f->n;
    for (int j = 0; j < f->n; j++) f->group[j] = j;
}

static bool disjoint(int m, const bool *a, const bool *b) {
    for (int i = 0; i < m; i++)
        if (a[i] && b[i]) return false;
    return true;
}

void pp_fit_find_groups(pp_fit *f) {
    int m = f->m, n = f->n;
    bool *taken = f->pattern + (size_t)m * (size_t)n; /* rows of the group being filled */
    for (int j = 0; j < n; j++) {
        f->group[j] = -1;
        for (int i = 0; i < m; i++) {
            size_t at = (size_t)m * (size_t)j + (size_t)i;
            f->pattern[at] = f->J[at] != 0;
        }
    }
    f->ngroup = 0;
    for (int first = 0; first < n; first++) {
        if (f->group[first] >= 0) continue;
        memset(taken, 0, (size_t)m);
        for (int j = first; j < n; j++) {
            const bool *rows = f->pattern + (size_t)m * (size_t)j;
            bool none = !memchr(rows, true, (size_t)m);
            if (f->group[j] >= 0 || (none && j > first) || !disjoint(m, rows, taken)) continue;
            f->group[j] = f->ngroup;
            for (int i = 0; i < m; i++) taken[i] |= rows[i];
            if (none) break;
        }
        f->ngroup++;
    }
}

bool pp_fit_grouped(const pp_fit *f) { return f->ngroup < f->n; }

bool pp_fit_pattern_holds(const pp_fit *f) {
    size_t all = (size_t)f->m * (size_t)f->n;
    for (size_t i = 0; i < all; i++)
        if (f->J[i] != 0 && !f->pattern[i]) return false;
    return true;
}

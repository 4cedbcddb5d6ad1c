/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* block_lu.c - sparse LU of block matrices with a symmetric pattern
 * Problem  A x = b, A unsymmetric in its values, symmetric in its pattern, the same pattern many times.
 * Method   the order of block_order.c; elimination tree, postordered; columns with nearly the same structure form groups
 *          (supernodes). A group has two dense panels: its columns of L with the square on the diagonal, and its rows of
 *          U kept transposed, so that both are tall. Right-looking: a group is factorised with row exchanges inside its
 *          square, then what it takes off its ancestors is computed by dense products and added in place.
 * Valid    matrices whose squares are not nearly singular: those of bodies and contacts with a little regularisation.
 *          No exchanges across groups, so solutions should be refined by the caller.
 * Cost     as the fill; a factorisation allocates nothing.
 * Source   Davis, Direct Methods for Sparse Linear Systems (2006) ch. 4, 7. */
#include "linalg/block_lu.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "linalg/block_order.h"
#include "linalg/tile.h"

typedef struct group {
    int first, last;  /* block columns first .. last - 1, in elimination order */
    int nc, nr;       /* scalar columns, and rows of the panel: nc, then those of the blocks below */
    int nbelow;       /* blocks below */
    const int *below; /* positions in elimination order, ascending */
    const int *at;    /* first scalar row of each in the panel */
    double *L;        /* nr x nc; the top square holds L and U */
    double *U;        /* (nr - nc) x nc: U' right of the square */
    int *piv;         /* nc */
} group;

struct pp_block_lu {
    pp_arena *arena;
    int nblock, n;
    int *order;  /* order[k]: block that is eliminated k-th */
    int *place;  /* its inverse */
    int *size;   /* by position: rows */
    int *offset; /* by position: first unknown in elimination order; nblock + 1 */
    int *given;  /* by block as given: first unknown */
    int *owner;  /* by position: group */
    group *g;
    int ngroup;
    double work, entries;
    int widest, tallest; /* largest nr - nc, for the scratch */
    double *scratch;     /* product of one group for one target */
    double *y;           /* n */
};

/* ---- analysis -------------------------------------------------------------------------------------------------- */

/* Renumbers so that every subtree is contiguous. */
static void postorder(pp_block_lu *f, int *parent, int *child, int *next, int *stack, int *number) {
    int n = f->nblock;
    for (int i = 0; i < n; i++) child[i] = -1;
    for (int i = n - 1; i >= 0; i--)
        if (parent[i] >= 0) next[i] = child[parent[i]], child[parent[i]] = i;
    pp_postorder(n, parent, child, next, stack, number);
    for (int i = 0; i < n; i++) { /* in the arrays of the walk, which is over */
        child[number[i]] = f->order[i];
        next[number[i]] = parent[i] < 0 ? -1 : number[parent[i]];
    }
    for (int i = 0; i < n; i++) {
        f->order[i] = child[i];
        f->place[child[i]] = i;
        parent[i] = next[i];
    }
}

/* Structure of the columns of L below the diagonal, rows ascending: row k lies in the columns on the paths from the
 * neighbours of k up to k. Two walks: count, fill. */
static bool find_columns(pp_block_lu *f, const int *start, const int *index, const int *parent, int *mark, int **column,
                         int **rows) {
    int n = f->nblock;
    *column = PP_ARENA_ARRAY(f->arena, int, n + 1);
    int *fill = PP_ARENA_ARRAY(f->arena, int, n);
    if (!*column || !fill) return false;
    *rows = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) mark[i] = -1, fill[i] = pass ? (*column)[i] : 0;
        for (int k = 0; k < n; k++) {
            mark[k] = k;
            int j = f->order[k];
            for (int s = start[j]; s < start[j + 1]; s++)
                for (int i = f->place[index[s]]; i < k && mark[i] != k; i = parent[i]) {
                    mark[i] = k;
                    if (pass) (*rows)[fill[i]] = k;
                    fill[i]++;
                }
        }
        if (pass) break;
        (*column)[0] = 0;
        for (int i = 0; i < n; i++) (*column)[i + 1] = (*column)[i] + fill[i];
        *rows = PP_ARENA_ARRAY(f->arena, int, (*column)[n]);
        if (!*rows) return false;
    }
    return true;
}

/* May column j join the group of column j - 1, its child? If the panel does not become too empty. */
#define EMPTY_SMALL 0.4 /* share of a panel that may be empty while it is narrow, and later */
#define EMPTY_LARGE 0.12
#define NARROW      24 /* scalar columns */
static bool may_join(const int *column, const int *size, int first, int j, double filled) {
    double width = j + 1 - first, below = column[j + 1] - column[j], panel = width * (width + 1) / 2 + width * below;
    return panel - filled <= ((j + 1 - first) * size[j] <= NARROW ? EMPTY_SMALL : EMPTY_LARGE) * panel;
}

static bool make_groups(pp_block_lu *f, const int *parent, const int *column, const int *rows) {
    int n = f->nblock;
    f->owner = PP_ARENA_ARRAY(f->arena, int, n);
    f->g = PP_ARENA_ARRAY(f->arena, group, n);
    if (!f->owner || !f->g) return false;
    double filled = 0; /* blocks of the group that is being made */
    f->ngroup = 0;
    for (int j = 0; j < n; j++) {
        double own = 1 + column[j + 1] - column[j];
        group *g = j > 0 ? &f->g[f->ngroup - 1] : NULL;
        if (g && parent[j - 1] == j && may_join(column, f->size, g->first, j, filled + own)) {
            filled += own;
            g->last = j + 1;
        } else {
            f->g[f->ngroup++] = (group){.first = j, .last = j + 1};
            filled = own;
        }
        f->owner[j] = f->ngroup - 1;
    }
    f->work = f->entries = 0;
    f->widest = f->tallest = 0;
    for (int k = 0; k < f->ngroup; k++) {
        group *g = &f->g[k];
        int last = g->last - 1;
        g->nbelow = column[last + 1] - column[last];
        g->below = rows + column[last];
        g->nc = f->offset[g->last] - f->offset[g->first];
        int *at = PP_ARENA_ARRAY(f->arena, int, g->nbelow);
        if (!at) return false;
        g->nr = g->nc;
        for (int i = 0; i < g->nbelow; i++) {
            at[i] = g->nr;
            g->nr += f->size[g->below[i]];
        }
        g->at = at;
        double c = g->nc, b = g->nr - g->nc;
        f->work += c * c * c / 3 + c * c * b + c * b * b;
        f->entries += c * (c + 2 * b);
        if (g->nr - g->nc > f->tallest) f->tallest = g->nr - g->nc;
        if (g->nc > f->widest) f->widest = g->nc;
    }
    return true;
}

pp_block_lu *pp_block_lu_new(int nblock, const int *size, const int *start, const int *index, pp_arena *arena) {
    pp_block_lu *f = pp_arena_get(arena, sizeof *f);
    if (!f) return NULL;
    *f = (pp_block_lu){.arena = arena, .nblock = nblock};
    f->order = PP_ARENA_ARRAY(arena, int, nblock);
    f->place = PP_ARENA_ARRAY(arena, int, nblock);
    f->size = PP_ARENA_ARRAY(arena, int, nblock);
    f->offset = PP_ARENA_ARRAY(arena, int, nblock + 1);
    f->given = PP_ARENA_ARRAY(arena, int, nblock + 1);
    int *w = PP_ARENA_ARRAY(arena, int, 5 * (ptrdiff_t)nblock), *column, *rows;
    if (!f->order || !f->place || !f->size || !f->offset || !f->given || !w) return NULL;
    int *parent = w, *a = w + nblock, *b = a + nblock, *c = b + nblock, *d = c + nblock;
    if (!pp_block_order(nblock, start, index, f->order, f->place, arena)) return NULL;
    pp_elimination_tree(nblock, start, index, f->order, f->place, parent, a);
    postorder(f, parent, a, b, c, d);
    f->offset[0] = f->given[0] = 0;
    for (int k = 0; k < nblock; k++) {
        f->size[k] = size[f->order[k]];
        f->offset[k + 1] = f->offset[k] + f->size[k];
        f->given[k + 1] = f->given[k] + size[k];
    }
    f->n = f->offset[nblock];
    if (!find_columns(f, start, index, parent, a, &column, &rows) || !make_groups(f, parent, column, rows)) return NULL;
    return f;
}

double pp_block_lu_work(const pp_block_lu *f) { return f->work; }
double pp_block_lu_entries(const pp_block_lu *f) { return f->entries; }

bool pp_block_lu_room(pp_block_lu *f) {
    for (int k = 0; k < f->ngroup; k++) {
        group *g = &f->g[k];
        g->L = PP_ARENA_ARRAY(f->arena, double, (ptrdiff_t)g->nr * g->nc);
        g->U = PP_ARENA_ARRAY(f->arena, double, (ptrdiff_t)(g->nr - g->nc) * g->nc);
        g->piv = PP_ARENA_ARRAY(f->arena, int, g->nc);
        if (!g->L || !g->U || !g->piv) return false;
    }
    /* one target takes at most all rows below times the columns of the widest group */
    f->scratch = PP_ARENA_ARRAY(f->arena, double, (ptrdiff_t)f->tallest * f->widest);
    f->y = PP_ARENA_ARRAY(f->arena, double, f->n);
    return f->scratch && f->y;
}

/* Row of block position p in the panel of g, p at or beyond the group's first. */
static int row_in(const pp_block_lu *f, const group *g, int p) {
    if (p < g->last) return f->offset[p] - f->offset[g->first];
    int lo = 0, hi = g->nbelow;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (g->below[mid] < p)
            lo = mid + 1;
        else
            hi = mid;
    }
    assert(lo < g->nbelow && g->below[lo] == p);
    return g->at[lo];
}

pp_block_place pp_block_lu_place(const pp_block_lu *f, int i, int j) {
    int pi = f->place[i], pj = f->place[j];
    const group *g = &f->g[f->owner[pi < pj ? pi : pj]];
    if (pi >= pj || pi < g->last) {
        if (pj < g->last) /* in the square, or below it */
            return (pp_block_place){g->L + row_in(f, g, pi) + (ptrdiff_t)g->nr * row_in(f, g, pj), g->nr, false};
    }
    return (pp_block_place){g->U + row_in(f, g, pj) - g->nc + (ptrdiff_t)(g->nr - g->nc) * row_in(f, g, pi),
                            g->nr - g->nc, true};
}

void pp_block_lu_clear(pp_block_lu *f) {
    for (int k = 0; k < f->ngroup; k++) {
        group *g = &f->g[k];
        memset(g->L, 0, sizeof(double) * (size_t)g->nr * (size_t)g->nc);
        memset(g->U, 0, sizeof(double) * (size_t)(g->nr - g->nc) * (size_t)g->nc);
    }
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

#define STRIP 24    /* columns at a time */
#define PANEL 4     /* columns within a strip that are factored, or solved for, together */
#define TINY  1e-10 /* of the group's size: smallest pivot */

static void swap_rows(double *A, int ld, int cols, int a, int b) {
    if (a == b) return;
    for (int j = 0; j < cols; j++) {
        double t = A[a + (ptrdiff_t)ld * j];
        A[a + (ptrdiff_t)ld * j] = A[b + (ptrdiff_t)ld * j];
        A[b + (ptrdiff_t)ld * j] = t;
    }
}

typedef long long two_words __attribute__((vector_size(16), may_alias));

/* The larger of two non-negative numbers and |a|, both lanes. */
static inline pp_two larger(pp_two most, pp_two a) {
    const two_words magnitude = {0x7fffffffffffffff, 0x7fffffffffffffff};
    two_words size = (two_words)a & magnitude, more = (pp_two)size > most;
    return (pp_two)((size & more) | ((two_words)most & ~more));
}

/* The largest |element| of the n x n square; INFINITY if there is an infinite one. */
static double largest(int n, const double *A, int ld) {
    pp_two low = {0, 0}, high = {0, 0};
    double size = 0;
    for (int j = 0; j < n; j++, A += ld) {
        int i = 0;
        for (; i + 4 <= n; i += 4) {
            low = larger(low, *(const pp_two *)(A + i));
            high = larger(high, *(const pp_two *)(A + i + 2));
        }
        for (; i < n; i++) size = fabs(A[i]) > size ? fabs(A[i]) : size;
    }
    low = larger(low, high);
    size = low[0] > size ? low[0] : size;
    return low[1] > size ? low[1] : size;
}

/* y -= x0 a0 + x1 a1 + ... of k < PANEL columns, from left to right, each element at once. */
static inline __attribute__((always_inline)) void take_columns(int k, int n, const double *a, const double *x, int ld,
                                                               double *y) {
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        pp_two sum = *(pp_two *)(y + i);
        PP_UNROLL(4)
        for (int l = 0; l < k; l++) sum -= (pp_two){a[l], a[l]} * *(const pp_two *)(x + i + (ptrdiff_t)ld * l);
        *(pp_two *)(y + i) = sum;
    }
    if (i == n) return;
    PP_UNROLL(4)
    for (int l = 0; l < k; l++) y[i] -= a[l] * x[i + (ptrdiff_t)ld * l];
}

/* Column j of a panel that begins at column s: takes off what the columns of the panel before it contribute. */
static void update_column(int n, int s, int j, double *A, int ld) {
    double *col = A + (ptrdiff_t)ld * j;
    const double *before = A + (ptrdiff_t)ld * s;
    for (int k = s; k < j; k++)
        for (int i = k + 1; i < j; i++) col[i] -= col[k] * A[i + (ptrdiff_t)ld * k];
    switch (j - s) {
    case 1: take_columns(1, n - j, col + s, before + j, ld, col + j); break;
    case 2: take_columns(2, n - j, col + s, before + j, ld, col + j); break;
    case 3: take_columns(3, n - j, col + s, before + j, ld, col + j); break;
    default: break;
    }
}

/* Rows s..e of U in columns e..to, by the unit lower triangle there, and what they take off the rows below. */
static void eliminate(int n, int s, int e, int to, double *A, int ld) {
    for (int j = e; j < to; j++) {
        double *col = A + (ptrdiff_t)ld * j;
        for (int k = s; k < e; k++)
            for (int i = k + 1; i < e; i++) col[i] -= col[k] * A[i + (ptrdiff_t)ld * k];
    }
    pp_subtract_product(n - e, to - e, e - s,
                        (pp_factors){A + e + (ptrdiff_t)ld * s, ld, A + s + (ptrdiff_t)ld * e, 1, ld},
                        A + e + (ptrdiff_t)ld * e, ld);
}

/* LU of the n x n square at A, in strips of columns, and these in panels. False if not finite. */
static bool factor_square(int n, double *A, int ld, int *piv, int *replaced) {
    double size = largest(n, A, ld);
    if (!isfinite(size)) return false;
    double least = size > 0 ? TINY * size : 1;
    for (int s = 0; s < n; s += STRIP) {
        int e = s + STRIP < n ? s + STRIP : n;
        for (int p = s; p < e; p += PANEL) {
            int q = p + PANEL < e ? p + PANEL : e;
            for (int k = p; k < q; k++) {
                double *col = A + (ptrdiff_t)ld * k;
                int best = k;
                update_column(n, p, k, A, ld);
                for (int i = k + 1; i < n; i++)
                    if (fabs(col[i]) > fabs(col[best])) best = i;
                piv[k] = best;
                swap_rows(A, ld, n, k, best);
                if (!isfinite(col[k])) return false;
                if (fabs(col[k]) < least) {
                    col[k] = col[k] < 0 ? -least : least;
                    ++*replaced;
                }
                double scale = 1 / col[k];
                for (int i = k + 1; i < n; i++) col[i] *= scale;
            }
            if (q < e) eliminate(n, p, q, e, A, ld);
        }
        if (e < n) eliminate(n, s, e, n, A, ld);
    }
    return true;
}

/* An upper triangular matrix within a panel. */
typedef struct triangle {
    const double *T;  /* element (k, j) is T[tk k + tj j] */
    ptrdiff_t tk, tj; /* row and column step */
    bool unit;        /* its diagonal is 1 */
} triangle;

/* X (m x w) <- X T^-1; w <= PANEL is a constant where it is used. */
static inline __attribute__((always_inline)) void solve_panel(int w, int m, double *X, int ld, triangle t11) {
    double t[PANEL][PANEL], scale[PANEL];
    PP_UNROLL(4)
    for (int j = 0; j < w; j++) {
        PP_UNROLL(4)
        for (int k = 0; k < j; k++) t[k][j] = t11.T[t11.tk * k + t11.tj * j];
        scale[j] = t11.unit ? 1 : 1 / t11.T[(t11.tk + t11.tj) * j];
    }
    int i = 0;
    for (; i + 2 <= m; i += 2) {
        pp_two x[PANEL];
        PP_UNROLL(4)
        for (int j = 0; j < w; j++) {
            x[j] = *(const pp_two *)(X + i + (ptrdiff_t)ld * j);
            PP_UNROLL(4)
            for (int k = 0; k < j; k++) x[j] -= (pp_two){t[k][j], t[k][j]} * x[k];
            x[j] *= (pp_two){scale[j], scale[j]};
            *(pp_two *)(X + i + (ptrdiff_t)ld * j) = x[j];
        }
    }
    if (i == m) return;
    PP_UNROLL(4)
    for (int j = 0; j < w; j++) {
        double *to = X + i + (ptrdiff_t)ld * j;
        PP_UNROLL(4)
        for (int k = 0; k < j; k++) *to -= t[k][j] * X[i + (ptrdiff_t)ld * k];
        *to *= scale[j];
    }
}

/* X (m x n) <- X T^-1 */
static void right_solve(int m, int n, double *X, int ld, triangle t11) {
    for (int s = 0; s < n; s += PANEL) {
        int w = n - s < PANEL ? n - s : PANEL;
        triangle own = t11;
        own.T += (t11.tk + t11.tj) * s;
        double *to = X + (ptrdiff_t)ld * s;
        if (s > 0) pp_subtract_product(m, w, s, (pp_factors){X, ld, t11.T + t11.tj * s, t11.tk, t11.tj}, to, ld);
        switch (w) {
        case 1: solve_panel(1, m, to, ld, own); break;
        case 2: solve_panel(2, m, to, ld, own); break;
        case 3: solve_panel(3, m, to, ld, own); break;
        default: solve_panel(4, m, to, ld, own);
        }
    }
}

/* A panel of a group, to be written. */
typedef struct panel {
    const group *t;
    double *value; /* t->L or t->U */
    int ld;
    int up; /* subtracted from row numbers: nc for the U panel, 0 for L */
} panel;

/* What a group subtracts from one of its ancestors. */
typedef struct update_part {
    const group *g;
    int b0, b1;      /* its columns are those of blocks b0 .. b1 of g->below */
    int first_block; /* its rows are those of this block of g->below and all that follow */
    const double *S;
    int lds;
} update_part;

/* Adds a part to a panel. The rows of g are among those of the panel: both lists ascend. */
static void add_to(const pp_block_lu *f, const update_part *u, panel to_panel) {
    const group *g = u->g, *t = to_panel.t;
    int ld = to_panel.ld, first_row = u->first_block < g->nbelow ? g->at[u->first_block] : g->nr, cursor = 0;
    for (int b = u->first_block; b < g->nbelow; b++) {
        int p = g->below[b], rows = f->size[p], source = g->at[b] - first_row, target;
        if (p < t->last) {
            target = f->offset[p] - f->offset[t->first];
        } else {
            while (t->below[cursor] != p) cursor++;
            target = t->at[cursor];
        }
        target -= to_panel.up;
        int j = 0;
        for (int c = u->b0; c < u->b1; c++) {
            int pc = g->below[c];
            double *to = to_panel.value + target + (ptrdiff_t)ld * (f->offset[pc] - f->offset[t->first]);
            for (int k = 0; k < f->size[pc]; k++, j++, to += ld) {
                const double *s = u->S + source + (ptrdiff_t)u->lds * j;
                for (int r = 0; r < rows; r++) to[r] += s[r];
            }
        }
    }
}

/* What group g takes off its ancestors. */
static void update(pp_block_lu *f, const group *g) {
    int b0 = 0, down = g->nr - g->nc;
    while (b0 < g->nbelow) {
        const group *t = &f->g[f->owner[g->below[b0]]];
        int b1 = b0;
        while (b1 < g->nbelow && g->below[b1] < t->last) b1++;
        int r0 = g->at[b0] - g->nc, r1 = (b1 < g->nbelow ? g->at[b1] : g->nr) - g->nc, cols = r1 - r0;
        int rows = down - r0;
        memset(f->scratch, 0, sizeof(double) * (size_t)rows * (size_t)cols);
        pp_subtract_product(rows, cols, g->nc, (pp_factors){g->L + g->nc + r0, g->nr, g->U + r0, down, 1}, f->scratch,
                            rows);
        add_to(f, &(update_part){g, b0, b1, b0, f->scratch, rows}, (panel){t, t->L, t->nr, 0});
        rows = down - r1;
        if (rows > 0) {
            memset(f->scratch, 0, sizeof(double) * (size_t)rows * (size_t)cols);
            pp_subtract_product(rows, cols, g->nc, (pp_factors){g->U + r1, down, g->L + g->nc + r0, g->nr, 1},
                                f->scratch, rows);
            add_to(f, &(update_part){g, b0, b1, b1, f->scratch, rows}, (panel){t, t->U, t->nr - t->nc, t->nc});
        }
        b0 = b1;
    }
}

bool pp_block_lu_factor(pp_block_lu *f, int *replaced) {
    int count = 0;
    for (int k = 0; k < f->ngroup; k++) {
        group *g = &f->g[k];
        int nc = g->nc, down = g->nr - nc;
        if (!factor_square(nc, g->L, g->nr, g->piv, &count)) return false;
        if (down > 0) {
            for (int j = 0; j < nc; j++) { /* rows of U were exchanged: columns of U' */
                int b = g->piv[j];
                if (b == j) continue;
                for (int i = 0; i < down; i++) {
                    double x = g->U[i + (ptrdiff_t)down * j];
                    g->U[i + (ptrdiff_t)down * j] = g->U[i + (ptrdiff_t)down * b];
                    g->U[i + (ptrdiff_t)down * b] = x;
                }
            }
            right_solve(down, nc, g->L + nc, g->nr, (triangle){g->L, 1, g->nr, false}); /* L21 = A21 U11^-1 */
            right_solve(down, nc, g->U, down, (triangle){g->L, g->nr, 1, true});        /* U12' = A12' L11^-T */
            update(f, g);
        }
    }
    if (replaced) *replaced = count;
    return true;
}

/* y of the blocks below a group, side by side in `below`: how the panels have their rows. */
static void gather(const pp_block_lu *f, const group *g, double *below) {
    for (int b = 0; b < g->nbelow; b++) {
        const double *from = f->y + f->offset[g->below[b]];
        double *to = below + g->at[b] - g->nc;
        for (int r = 0; r < f->size[g->below[b]]; r++) to[r] = from[r];
    }
}

static void take_off(const pp_block_lu *f, const group *g, const double *below) {
    for (int b = 0; b < g->nbelow; b++) {
        const double *from = below + g->at[b] - g->nc;
        double *to = f->y + f->offset[g->below[b]];
        for (int r = 0; r < f->size[g->below[b]]; r++) to[r] -= from[r];
    }
}

/* y = L^-1 y of one group, and what it takes off the blocks below. */
static void forward(const pp_block_lu *f, const group *g) {
    double *top = f->y + f->offset[g->first], *below = f->scratch;
    int down = g->nr - g->nc, j = 0;
    for (int k = 0; k < g->nc; k++) {
        double t = top[k];
        top[k] = top[g->piv[k]];
        top[g->piv[k]] = t;
    }
    for (int start = 0, end; start < g->nc; start = end) { /* four columns within, then the rest of them at once */
        end = start + 4 < g->nc ? start + 4 : g->nc;
        const double *col = g->L + (ptrdiff_t)g->nr * start;
        for (int k = start; k < end; k++)
            for (int i = k + 1; i < end; i++) top[i] -= top[k] * col[i + (ptrdiff_t)g->nr * (k - start)];
        if (end == g->nc) break;
        const double four[4] = {-top[start], -top[start + 1], -top[start + 2], -top[start + 3]};
        pp_axpy4(g->nc - end, four, col + end, g->nr, top + end);
    }
    if (down == 0) return;
    memset(below, 0, sizeof *below * (size_t)down);
    for (; j + 4 <= g->nc; j += 4) pp_axpy4(down, top + j, g->L + (ptrdiff_t)g->nr * j + g->nc, g->nr, below);
    for (; j < g->nc; j++) pp_axpy(down, top[j], g->L + (ptrdiff_t)g->nr * j + g->nc, below);
    take_off(f, g, below);
}

/* y = U^-1 y of one group; the blocks below are done. */
static void backward(const pp_block_lu *f, const group *g) {
    double *top = f->y + f->offset[g->first], *below = f->scratch;
    int down = g->nr - g->nc;
    gather(f, g, below);
    for (int j = 0; j < g->nc; j++) top[j] -= pp_dot(down, g->U + (ptrdiff_t)down * j, below);
    for (int end = g->nc, start; end > 0; end = start) {
        start = (end - 1) / 4 * 4;
        const double *col = g->L + (ptrdiff_t)g->nr * start;
        for (int j = end - 1; j >= start; j--) {
            const double *own = col + (ptrdiff_t)g->nr * (j - start);
            top[j] /= own[j];
            for (int i = start; i < j; i++) top[i] -= top[j] * own[i];
            if (end - start < 4) pp_axpy(start, -top[j], own, top);
        }
        if (end - start < 4) continue;
        const double four[4] = {-top[start], -top[start + 1], -top[start + 2], -top[start + 3]};
        pp_axpy4(start, four, col, g->nr, top);
    }
}

void pp_block_lu_solve(pp_block_lu *f, double *x) {
    for (int k = 0; k < f->nblock; k++)
        memcpy(f->y + f->offset[k], x + f->given[f->order[k]], sizeof *x * (size_t)f->size[k]);
    for (int k = 0; k < f->ngroup; k++) forward(f, &f->g[k]);
    for (int k = f->ngroup - 1; k >= 0; k--) backward(f, &f->g[k]);
    for (int k = 0; k < f->nblock; k++)
        memcpy(x + f->given[f->order[k]], f->y + f->offset[k], sizeof *x * (size_t)f->size[k]);
}

/* ---- scalar matrices ------------------------------------------------------------------------------------------- */

pp_block_lu *pp_block_lu_of_sparse(int n, const int *start, const int *index, const double *value, pp_arena *arena) {
    int nnz = start[n], *count = PP_ARENA_ZERO(arena, int, n + 1), *size = PP_ARENA_ARRAY(arena, int, n),
        *both = PP_ARENA_ARRAY(arena, int, 2 * (ptrdiff_t)nnz), *mark = PP_ARENA_ARRAY(arena, int, n),
        *sym = PP_ARENA_ARRAY(arena, int, n + 1);
    if (!count || !size || !both || !mark || !sym) return NULL;
    for (int j = 0; j < n; j++)
        for (int s = start[j]; s < start[j + 1]; s++) count[j]++, count[index[s]]++;
    int sum = 0;
    for (int j = 0; j <= n; j++) {
        int c = j < n ? count[j] : 0;
        sym[j] = count[j] = sum;
        sum += c;
    }
    for (int j = 0; j < n; j++)
        for (int s = start[j]; s < start[j + 1]; s++) both[count[j]++] = index[s], both[count[index[s]]++] = j;
    int used = 0;
    for (int j = 0; j < n; j++) mark[j] = -1, size[j] = 1;
    for (int j = 0; j < n; j++) { /* none twice */
        int from = sym[j], to = sym[j + 1];
        sym[j] = used;
        for (int s = from; s < to; s++)
            if (mark[both[s]] != j) mark[both[s]] = j, both[used++] = both[s];
    }
    sym[n] = used;
    pp_block_lu *f = pp_block_lu_new(n, size, sym, both, arena);
    if (!f || !pp_block_lu_room(f)) return NULL;
    pp_block_lu_clear(f);
    for (int j = 0; j < n; j++)
        for (int s = start[j]; s < start[j + 1]; s++) *pp_block_lu_place(f, index[s], j).value += value[s];
    return f;
}

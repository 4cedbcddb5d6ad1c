/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_bodies.c - finds the bodies behind a matrix W that is given without them
 * Problem  Local form: W = H'M^-1 H is given, M and H are not. With many contacts W has far more rows than the bodies have
 *          degrees of freedom. A system C + E W in contact space costs a factorisation of the graph of contacts. It is nearly
 *          singular along all impulses that cancel, and rounding of W x has parts along them. In body space (cone_linear.h)
 *          neither is the case.
 * Method   Cholesky's elimination W~ = J J', block by block, until only rounding is left. J has as many columns as W~ has rank.
 *          The block with the fewest neighbours is eliminated first. A contact of a body with an obstacle, or with bodies that
 *          are eliminated already, has no neighbours but the contacts of that body, so its columns cause no fill. After at
 *          most 6 columns all blocks between contacts of that body are zero and leave the graph. So the columns of a node
 *          mostly belong to one body, and the graph of nodes is close to that of the bodies. Where the elimination has to start at a
 *          contact between two bodies, their contacts become neighbours.
 *          A pivot is taken only if it is not small compared with those of its neighbours (LEAST_PIVOT). This bounds the growth of
 *          rounding, so that zero can be told from small.
 * Valid    W symmetric and positive semidefinite to rounding. Otherwise, or if J has too many entries or columns or does not
 *          reproduce W, the problem stays in local form. The judge does not use J.
 * Cost     O(entries of W x neighbours of a contact), less than a factorisation in contact space.
 * Source   Higham (2002), 10.3: Cholesky factorisation of semidefinite matrices; Tinney, Walker (1967): minimum degree. */
#include "solver/cone/cone_bodies.h"

#include <math.h>
#include <string.h>

#include "solver/common/numbers.h"
#include "base/rounding.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Smallest pivot of the elimination, as a fraction of the largest diagonal entry among the neighbours. On a pile of
 * 60 bodies with 595 contacts, a tower with 720 and a wall with 816, all bodies are found from 1e-3 to 1e-6, with 360
 * to 381 columns for 360 dofs of the pile; at 1e-2 the fill costs ten times as much. */
#define LEAST_PIVOT 1e-4
/* [1] Body space is used up to this number of columns of J per row. */
#define WORTH 0.6
/* [1] Largest number of blocks during the elimination, as a multiple of that of W. */
#define MOST_FILL 4
/* [columns] Largest number of columns of J in a node. */
#define NODE_SIZE 6

typedef struct link {
    int other;
    double *value; /* rows of the block x rows of the other, column-major */
} link;

typedef struct links {
    link *at;
    int count, room;
} links;

/* A column block of J: the result of one elimination. */
typedef struct column {
    int cols;
    int count;     /* blocks with entries */
    int *on;       /* count: those blocks; the one with the pivots first */
    double *value; /* rows x cols of each of them, one after the other */
    int node;      /* node of the columns, */
    int first;     /* and the first of them within it */
} column;

typedef struct finder {
    pp_cone *c;
    const perp_call *call;
    links *row;   /* nblock: the remainder of W~, without the diagonal blocks */
    double *diag; /* nblock x square */
    int *slot;    /* nblock: scratch, -1 */
    column *col;
    int ncol, room;
    int ndof;              /* columns of all of them */
    int alive, most_alive; /* present number of links, and limit at which the search ends */
    link *spare;           /* nspare: links that became zero; their memory is reused */
    int nspare, room_spare;
} finder;

static bool grow(const perp_call *call, void **array, int count, int *room, size_t size) {
    if (count < *room) return true;
    int more = *room > 0 ? 2 * *room : 8;
    void *bigger = perp_call_memory(call, size * (size_t)more);
    if (!bigger) return false;
    if (count > 0) memcpy(bigger, *array, size * (size_t)count);
    *array = bigger;
    *room = more;
    return true;
}

static double largest(int n, const double *A) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(A[i]));
    return most;
}

static double largest_pivot(const finder *k, int i) {
    int rows = pp_cone_rows(k->c, i);
    double most = 0;
    for (int r = 0; r < rows; r++) most = fmax(most, k->diag[k->c->square * i + r + rows * r]);
    return most;
}

/* Copies W~. *symmetric: is it? */
static bool take_matrix(finder *k, bool *symmetric) {
    const pp_cone *c = k->c;
    int nb = c->nblock;
    *symmetric = true;
    for (int i = 0; i < nb; i++) {
        int rows = pp_cone_rows(c, i), n = c->row[i + 1] - c->row[i];
        links *to = &k->row[i];
        *to = (links){.at = PP_CALL_ARRAY(k->call, link, n), .room = n};
        if (!to->at) return false;
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int j = c->entry[s].other, cols = pp_cone_rows(c, j), t = c->row[j];
            if (j == i) {
                memcpy(k->diag + c->square * i, c->entry[s].value, sizeof(double) * (size_t)(rows * rows));
                for (int b = 0; b < rows; b++)
                    for (int a = 0; a < b; a++)
                        if (!(fabs(c->entry[s].value[a + rows * b] - c->entry[s].value[b + rows * a]) <= PP_ROUNDING))
                            *symmetric = false;
                continue;
            }
            double *value = PP_CALL_ARRAY(k->call, double, c->square);
            if (!value) return false;
            while (t < c->row[j + 1] && c->entry[t].other < i) t++;
            bool there = t < c->row[j + 1] && c->entry[t].other == i;
            for (int b = 0; b < cols; b++)
                for (int a = 0; a < rows; a++) {
                    double x = c->entry[s].value[a + rows * b], y = there ? c->entry[t].value[b + cols * a] : 0;
                    if (!(fabs(x - y) <= PP_ROUNDING)) *symmetric = false;
                    value[a + rows * b] = 0.5 * (x + y);
                }
            if (largest(rows * cols, value) > PP_ROUNDING) to->at[to->count++] = (link){j, value};
        }
        k->alive += to->count;
    }
    k->most_alive = MOST_FILL * k->alive + 16;
    return true;
}

/* The block to eliminate next: of those whose pivots are large enough, the one with the fewest neighbours; of these the one with the
 * largest pivot. -1: only rounding is left. */
static int choose(const finder *k) {
    int best = -1;
    double best_pivot = 0;
    for (int i = 0; i < k->c->nblock; i++) {
        int count = k->row[i].count;
        double pivot = largest_pivot(k, i), around = 0;
        if (!(pivot > PP_ROUNDING) ||
            (best >= 0 && (count > k->row[best].count || (count == k->row[best].count && pivot <= best_pivot))))
            continue;
        for (int s = 0; s < count; s++) around = fmax(around, largest_pivot(k, k->row[i].at[s].other));
        if (pivot < LEAST_PIVOT * around) continue;
        best = i;
        best_pivot = pivot;
    }
    return best;
}

/* Pivots of block p, the largest first, each at least `least`: their rows, and the factor of their part, lower
 * triangle. */
static int pivots(const finder *k, int p, double least, int *which, double *L) {
    int rows = pp_cone_rows(k->c, p), n = 0;
    double D[PP_CONE_SQUARE];
    memcpy(D, k->diag + k->c->square * p, sizeof *D * (size_t)(rows * rows));
    bool used[PERP_CONE_ROWS] = {false};
    double F[PERP_CONE_ROWS][PERP_CONE_ROWS] = {{0}}; /* by row and column */
    for (; n < rows; n++) {
        int at = -1;
        for (int r = 0; r < rows; r++)
            if (!used[r] && (at < 0 || D[r + rows * r] > D[at + rows * at])) at = r;
        double d = D[at + rows * at];
        if (!(d >= least)) break;
        used[at] = true;
        which[n] = at;
        for (int r = 0; r < rows; r++) F[r][n] = D[r + rows * at] / sqrt(d);
        for (int b = 0; b < rows; b++)
            for (int a = 0; a < rows; a++) D[a + rows * b] -= F[a][n] * F[b][n];
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) L[a + n * b] = b <= a ? F[which[a]][b] : 0;
    return n;
}

/* A = S L^-T, S the columns `which` of a block with `rows` rows. */
static void column_of(int rows, const double *S, int n, const int *which, const double *L, double *A) {
    for (int b = 0; b < n; b++)
        for (int a = 0; a < rows; a++) {
            double sum = S[a + rows * which[b]];
            for (int l = 0; l < b; l++) sum -= A[a + rows * l] * L[b + n * l];
            A[a + rows * b] = sum / L[b + n * b];
        }
}

static void subtract(int rows, int cols, int n, const double *A, const double *B, double *S) {
    for (int b = 0; b < cols; b++)
        for (int a = 0; a < rows; a++)
            for (int l = 0; l < n; l++) S[a + rows * b] -= A[a + rows * l] * B[b + cols * l];
}

/* Subtracts the column times its transpose from row i of the remainder. Adds missing links, removes those that become
 * zero. */
static bool update_row(finder *k, const column *e, int i, const double *A) {
    const pp_cone *c = k->c;
    int rows = pp_cone_rows(c, i);
    links *l = &k->row[i];
    for (int s = 0; s < l->count; s++) k->slot[l->at[s].other] = s;
    const double *B = e->value;
    for (int t = 0; t < e->count; B += pp_cone_rows(c, e->on[t]) * e->cols, t++) {
        int j = e->on[t], cols = pp_cone_rows(c, j);
        if (j == i) {
            subtract(rows, rows, e->cols, A, A, k->diag + c->square * i);
            continue;
        }
        if (k->slot[j] < 0) {
            double *value = k->nspare > 0 ? k->spare[--k->nspare].value : PP_CALL_ARRAY(k->call, double, c->square);
            void *at = l->at;
            if (!value || !grow(k->call, &at, l->count, &l->room, sizeof *l->at)) return false;
            l->at = at;
            memset(value, 0, sizeof *value * (size_t)c->square);
            k->slot[j] = l->count;
            l->at[l->count++] = (link){j, value};
            k->alive++;
        }
        subtract(rows, cols, e->cols, A, B, l->at[k->slot[j]].value);
    }
    for (int s = 0; s < l->count; s++) k->slot[l->at[s].other] = -1;
    for (int s = 0; s < l->count;) {
        if (largest(rows * pp_cone_rows(c, l->at[s].other), l->at[s].value) > PP_ROUNDING) {
            s++;
            continue;
        }
        void *at = k->spare;
        if (!grow(k->call, &at, k->nspare, &k->room_spare, sizeof *k->spare)) return false;
        k->spare = at;
        k->spare[k->nspare++] = l->at[s];
        l->at[s] = l->at[--l->count];
        k->alive--;
    }
    return true;
}

/* Eliminates the pivots of block p. */
static bool eliminate(finder *k, int p) {
    const pp_cone *c = k->c;
    links *l = &k->row[p];
    double around = largest_pivot(k, p), L[PP_CONE_SQUARE], numbers = 0;
    int which[PERP_CONE_ROWS];
    for (int s = 0; s < l->count; s++) around = fmax(around, largest_pivot(k, l->at[s].other));
    column e = {.count = l->count + 1};
    e.cols = pivots(k, p, fmax(PP_ROUNDING, LEAST_PIVOT * around), which, L);
    void *all = k->col;
    if (!grow(k->call, &all, k->ncol, &k->room, sizeof *k->col)) return false;
    k->col = all;
    for (int s = 0; s < l->count; s++) numbers += pp_cone_rows(c, l->at[s].other) * e.cols;
    e.on = PP_CALL_ARRAY(k->call, int, e.count);
    e.value = PP_CALL_ARRAY(k->call, double, (int)numbers + pp_cone_rows(c, p) * e.cols);
    if (!e.on || !e.value) return false;
    double *to = e.value;
    int rows = pp_cone_rows(c, p);
    e.on[0] = p;
    column_of(rows, k->diag + c->square * p, e.cols, which, L, to);
    to += rows * e.cols;
    for (int s = 0; s < l->count; s++) {
        int j = l->at[s].other, cols = pp_cone_rows(c, j);
        double S[PP_CONE_SQUARE];
        for (int b = 0; b < rows; b++)
            for (int a = 0; a < cols; a++) S[a + cols * b] = l->at[s].value[b + rows * a];
        e.on[s + 1] = j;
        column_of(cols, S, e.cols, which, L, to);
        to += cols * e.cols;
    }
    const double *A = e.value;
    for (int t = 0; t < e.count; t++) {
        int i = e.on[t];
        if (!update_row(k, &e, i, A)) return false;
        A += pp_cone_rows(c, i) * e.cols;
    }
    k->col[k->ncol++] = e;
    k->ndof += e.cols;
    return true;
}

/* Are all blocks of column b among those of column a? */
static bool within(finder *k, const column *a, const column *b) {
    bool all = true;
    for (int t = 0; t < a->count; t++) k->slot[a->on[t]] = 0;
    for (int t = 0; t < b->count; t++) all = all && k->slot[b->on[t]] == 0;
    for (int t = 0; t < a->count; t++) k->slot[a->on[t]] = -1;
    return all;
}

/* Nodes: successive columns that act on the same blocks, or on fewer. */
static int make_nodes(finder *k) {
    int nodes = 0, head = 0;
    for (int e = 0; e < k->ncol; e++) {
        column *x = &k->col[e];
        int used = e > 0 ? k->col[e - 1].first + k->col[e - 1].cols : 0;
        bool joins = e > 0 && used + x->cols <= NODE_SIZE && within(k, &k->col[head], x);
        if (!joins) head = e, nodes++, used = 0;
        x->node = nodes - 1;
        x->first = used;
    }
    return nodes;
}

/* Writes J by blocks and nodes to `to`. */
static bool lay_out(finder *k, pp_cone *to, int nodes) {
    const pp_cone *c = k->c;
    int nb = c->nblock, *last = k->slot;
    size_t numbers = 0;
    to->nnode = nodes;
    to->ndof = k->ndof;
    to->node = PP_CALL_ARRAY(k->call, int, nodes + 1);
    to->row = PP_CALL_ARRAY(k->call, int, nb + 1);
    to->M = PP_CALL_ARRAY(k->call, double *, nodes);
    to->y = PP_CALL_ARRAY(k->call, double, 2 * to->ndof);
    to->free_v = PP_CALL_ARRAY(k->call, double, to->ndof);
    double *one = PP_CALL_ARRAY(k->call, double, NODE_SIZE *NODE_SIZE *(NODE_SIZE + 1));
    if (!to->node || !to->row || !to->M || !to->y || !to->free_v || !one) return false;
    memset(to->free_v, 0, sizeof *to->free_v * (size_t)to->ndof);
    for (int e = 0; e < k->ncol; e++) to->node[k->col[e].node + 1] = k->col[e].first + k->col[e].cols;
    to->node[0] = 0;
    for (int i = 0; i < nodes; i++) to->node[i + 1] += to->node[i];
    memset(one, 0, sizeof *one * NODE_SIZE * NODE_SIZE * (NODE_SIZE + 1));
    for (int n = 1; n <= NODE_SIZE; n++)
        for (int i = 0; i < n; i++) one[NODE_SIZE * NODE_SIZE * n + i + n * i] = 1;
    for (int i = 0; i < nodes; i++) to->M[i] = one + NODE_SIZE * NODE_SIZE * (to->node[i + 1] - to->node[i]);
    to->Minv = to->M;
    /* the first column of a node acts on all its blocks */
    for (int i = 0; i <= nb; i++) to->row[i] = 0;
    for (int e = 0; e < k->ncol; e++)
        for (int t = 0; k->col[e].first == 0 && t < k->col[e].count; t++) {
            to->row[k->col[e].on[t] + 1]++;
            int node = k->col[e].node;
            numbers += (size_t)(pp_cone_rows(c, k->col[e].on[t]) * (to->node[node + 1] - to->node[node]));
        }
    for (int i = 0; i < nb; i++) to->row[i + 1] += to->row[i];
    to->entry = PP_CALL_ARRAY(k->call, pp_cone_entry, to->row[nb]);
    double *value = perp_call_memory(k->call, (numbers + 1) * sizeof *value);
    if (!to->entry || !value) return false;
    memset(value, 0, numbers * sizeof *value);
    for (int i = 0; i < nb; i++) last[i] = to->row[i] - 1;
    for (int e = 0; e < k->ncol; e++) {
        const column *x = &k->col[e];
        int size = to->node[x->node + 1] - to->node[x->node];
        const double *from = x->value;
        for (int t = 0; t < x->count; t++) {
            int i = x->on[t], rows = pp_cone_rows(c, i);
            if (x->first == 0) {
                to->entry[++last[i]] = (pp_cone_entry){x->node, value};
                value += rows * size;
            }
            memcpy(to->entry[last[i]].value + rows * x->first, from, sizeof *from * (size_t)(rows * x->cols));
            from += rows * x->cols;
        }
    }
    for (int i = 0; i < nb; i++) last[i] = -1;
    to->body = true;
    return true;
}

/* Largest difference of J J'x and W~ x over the sum of |W~| along the row, for a vector x of signs. */
static bool difference(const finder *k, const pp_cone *found, double *most) {
    const pp_cone *c = k->c;
    double *x = PP_CALL_ARRAY(k->call, double, c->m), *v = PP_CALL_ARRAY(k->call, double, c->m),
           *u = PP_CALL_ARRAY(k->call, double, c->m);
    if (!x || !v || !u) return false;
    *most = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        unsigned state = 1 + turn;
        for (int i = 0; i < c->m; i++) {
            state = state * 1664525u + 1013904223u;
            x[i] = state >> 31 ? 1 : -1;
        }
        pp_cone_apply(c, x, v);
        pp_cone_apply(found, x, u);
        for (int i = 0; i < c->nblock; i++) {
            int rows = pp_cone_rows(c, i);
            for (int r = 0; r < rows; r++) {
                double sum = 0;
                for (int s = c->row[i]; s < c->row[i + 1]; s++)
                    for (int b = 0; b < pp_cone_rows(c, c->entry[s].other); b++)
                        sum += fabs(c->entry[s].value[r + rows * b]);
                *most = fmax(*most, fabs(u[c->first[i] + r] - v[c->first[i] + r]) / fmax(sum, 1));
            }
        }
    }
    return true;
}

bool pp_cone_find_bodies(pp_cone *c, const perp_call *call) {
    if (c->body) return true;
    finder k = {.c = c, .call = call};
    int nb = c->nblock;
    k.row = PP_CALL_ARRAY(call, links, nb);
    k.diag = PP_CALL_ARRAY(call, double, c->square *nb);
    k.slot = PP_CALL_ARRAY(call, int, nb);
    if (!k.row || !k.diag || !k.slot) return false;
    memset(k.diag, 0, sizeof *k.diag * (size_t)(c->square * nb));
    for (int i = 0; i < nb; i++) k.slot[i] = -1;
    bool symmetric;
    if (!take_matrix(&k, &symmetric)) return false;
    if (!symmetric) return true;
    for (int p; (p = choose(&k)) >= 0;) {
        if (!eliminate(&k, p)) return false;
        if (!perp_call_look(call, 0, NULL)) return true; /* stopped by the caller; the first stage reports it */
        if (k.alive > k.most_alive || k.ndof > WORTH * c->m) return true;
    }
    pp_cone found = *c;
    double off;
    if (!lay_out(&k, &found, make_nodes(&k)) || !difference(&k, &found, &off)) return false;
    if (off <= PP_SAME_MATRIX) *c = found;
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone.c - prepares cone problems: blocks, scaling, and the operator W~ in local form or through the bodies.
 * Method   Local: the columns of W are cut into blocks of rows and columns that belong together. Global: the connected parts of M are its nodes
 *          (bodies). If they are small and the number of rows is at least about that of the dofs, W is never formed, and
 *          W~ x = H~'(M^-1 (H~ x)). Otherwise W is formed: by nodes if they are small, otherwise through a factorisation of M. Bodies that
 *          no row touches are left out.
 * Valid    M regular. Its nodes are inverted with partial pivoting, so it need not be symmetric.
 * Cost     Entries of W, or of H times the size of a node.
 * Source   Scaling: one scalar per contact preserves the cone and its mu (Acary, Bremond, Huber 2018 discuss why rho
 *          matters so much); axes as in Berard (3.82). */
#include "solver/cone/cone.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "linalg/block_lu.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [dofs] A connected part of M up to this size counts as a body. */
#define NODE_MAX 12
/* [dofs] Largest number of dofs that are combined if only their rows indicate it. Half: work +1 %; double: other bits
 * only. */
#define BODY_MOST 6
/* [1] W is formed if there are fewer rows per dof than this. Half: work +4 %; double: work +39 %. */
#define FEW_ROWS 0.9
/* [multiplications] Overhead of accessing a small matrix and its vectors. Half: work -2 %; double: work +4 %. */
#define REACH 4

/* The result, and data needed only to make it. */
typedef struct maker {
    pp_cone *c;
    const perp_cone *p;
    const perp_call *call;
    int *block_of; /* m: block of a row */
    double *e;     /* m: axes, 1 on normal and bounded rows */
    int *mark;     /* by block, node or dof */
    /* global */
    int *part;      /* n: node of a dof, -1 if no row touches it */
    int *dof;       /* n: index of a dof within its node */
    double *unit;   /* n: units of the dofs, 1/sqrt(M_ii) */
    double *free_v; /* n: M^-1 f, in the units of the problem */
} maker;

static bool lay_out_blocks(maker *k) {
    pp_cone *c = k->c;
    const perp_cone *p = k->p;
    c->nrow = p->nrow;
    c->dim = p->dim;
    c->square = p->dim <= 4 ? 16 : p->dim * p->dim;
    c->nblock = p->nrow + p->ncontact;
    c->m = p->nrow + p->dim * p->ncontact;
    c->first = PP_CALL_ARRAY(k->call, int, c->nblock + 1);
    c->mu = PP_CALL_ARRAY(k->call, double, c->nblock);
    c->lo = PP_CALL_ARRAY(k->call, double, c->nrow);
    c->hi = PP_CALL_ARRAY(k->call, double, c->nrow);
    c->scale = PP_CALL_ARRAY(k->call, double, c->m);
    c->q = PP_CALL_ARRAY(k->call, double, c->m);
    c->diag = PP_CALL_ARRAY(k->call, double, c->square * c->nblock);
    c->row = PP_CALL_ARRAY(k->call, int, c->nblock + 1);
    k->block_of = PP_CALL_ARRAY(k->call, int, c->m);
    k->e = PP_CALL_ARRAY(k->call, double, c->m);
    if (!c->first || !c->mu || !c->lo || !c->hi || !c->scale || !c->q || !c->diag || !c->row || !k->block_of || !k->e)
        return false;
    int at = 0;
    for (int i = 0; i < c->nblock; i++) {
        int contact = i - c->nrow, rows = contact < 0 ? 1 : c->dim;
        c->first[i] = at;
        c->mu[i] = contact < 0 ? 0 : p->mu[contact];
        for (int r = 0; r < rows; r++) {
            k->block_of[at + r] = i;
            k->e[at + r] = r > 0 && p->axes ? p->axes[(c->dim - 1) * contact + r - 1] : 1;
        }
        at += rows;
    }
    c->first[c->nblock] = at;
    return true;
}

/* ---- local form ---------------------------------------------------------------------------------------------- */

/* Block rows of a sparse W, diagonal blocks always among them. */
static bool take_local(maker *k, const perp_sparse *W, const double *q) {
    pp_cone *c = k->c;
    int nb = c->nblock;
    int *mark = PP_CALL_ARRAY(k->call, int, nb), *at = PP_CALL_ARRAY(k->call, int, nb);
    if (!mark || !at) return false;
    for (int i = 0; i < nb; i++) mark[i] = -1, c->row[i + 1] = 0;
    size_t numbers = 0;
    c->row[0] = 0;
    for (int j = 0; j < nb; j++) {
        for (int pass = 0; pass < 2; pass++) { /* the diagonal block, then all that has entries */
            int from = pass ? W->start[c->first[j]] : 0, to = pass ? W->start[c->first[j + 1]] : 1;
            for (int s = from; s < to; s++) {
                int i = pass ? k->block_of[W->index[s]] : j;
                if (mark[i] == j) continue;
                mark[i] = j;
                c->row[i + 1]++;
                numbers += (size_t)(pp_cone_rows(c, i) * pp_cone_rows(c, j));
            }
        }
    }
    for (int i = 0; i < nb; i++) c->row[i + 1] += c->row[i];
    c->entry = PP_CALL_ARRAY(k->call, pp_cone_entry, c->row[nb]);
    double *value = perp_call_memory(k->call, numbers * sizeof *value);
    if (!c->entry || !value) return false;
    memset(value, 0, numbers * sizeof *value);
    for (int i = 0; i < nb; i++) mark[i] = -1, at[i] = c->row[i];
    for (int j = 0; j < nb; j++) {
        int cols = pp_cone_rows(c, j);
        for (int col = -1; col < cols; col++) {
            int from = col < 0 ? 0 : W->start[c->first[j] + col], to = col < 0 ? 1 : W->start[c->first[j] + col + 1];
            for (int s = from; s < to; s++) {
                int row = col < 0 ? c->first[j] : W->index[s], i = k->block_of[row], rows = pp_cone_rows(c, i);
                if (mark[i] != j) {
                    mark[i] = j;
                    c->entry[at[i]++] = (pp_cone_entry){j, value};
                    value += rows * cols;
                }
                if (col >= 0) c->entry[at[i] - 1].value[row - c->first[i] + rows * col] = W->value[s];
            }
        }
    }
    for (int i = 0; i < nb; i++) {
        int rows = pp_cone_rows(c, i);
        for (int s = c->row[i]; s < c->row[i + 1]; s++)
            if (c->entry[s].other == i)
                memcpy(c->diag + c->square * i, c->entry[s].value, sizeof(double) * (size_t)(rows * rows));
    }
    memcpy(c->q, q, sizeof *q * (size_t)c->m);
    c->body = false;
    return true;
}

/* ---- global form --------------------------------------------------------------------------------------------- */

/* Rows of H by dofs: blocks that touch dof d are by[start[d]] .. by[start[d + 1] - 1], ascending. */
static bool find_users(maker *k, int **start, int **by) {
    const perp_sparse *H = &k->p->H;
    int n = H->rows, *last = PP_CALL_ARRAY(k->call, int, n);
    *start = PP_CALL_ARRAY(k->call, int, n + 1);
    *by = PP_CALL_ARRAY(k->call, int, H->start[H->cols]);
    if (!last || !*start || !*by) return false;
    for (int pass = 0; pass < 2; pass++) { /* count, fill */
        for (int i = 0; i < n; i++) last[i] = -1;
        if (!pass) memset(*start, 0, sizeof **start * (size_t)(n + 1));
        for (int j = 0; j < H->cols; j++)
            for (int s = H->start[j]; s < H->start[j + 1]; s++) {
                int d = H->index[s], block = k->block_of[j];
                if (H->value[s] == 0 || last[d] == block) continue;
                last[d] = block;
                if (pass)
                    (*by)[(*start)[d]++] = block;
                else
                    (*start)[d + 1]++;
            }
        for (int i = 0; !pass && i < n; i++) (*start)[i + 1] += (*start)[i];
        for (int i = n; pass && i > 0; i--) (*start)[i] = (*start)[i - 1];
        if (pass) (*start)[0] = 0;
    }
    return true;
}

/* Do two dofs share most of their blocks? */
static bool alike(const int *start, const int *by, int a, int b) {
    int i = start[a], j = start[b], common = 0, all = start[a + 1] - i + start[b + 1] - j;
    while (i < start[a + 1] && j < start[b + 1])
        if (by[i] == by[j])
            common++, i++, j++;
        else if (by[i] < by[j])
            i++;
        else
            j++;
    return 3 * common >= all; /* half of the union */
}

/* Connected parts of M that rows touch, numbered by their first dofs. A diagonal M does not show which dofs belong to
 * one body; neighbouring dofs that the same blocks touch are joined. *largest: size of the largest part. */
static bool find_nodes(maker *k, int *largest) {
    const perp_sparse *M = &k->p->M;
    pp_cone *c = k->c;
    int n = M->rows, *parent = PP_CALL_ARRAY(k->call, int, n), *size = PP_CALL_ARRAY(k->call, int, n), *users, *by;
    k->part = PP_CALL_ARRAY(k->call, int, n);
    k->dof = PP_CALL_ARRAY(k->call, int, n);
    c->node = PP_CALL_ARRAY(k->call, int, n + 1);
    if (!parent || !size || !k->part || !k->dof || !c->node || !find_users(k, &users, &by)) return false;
    for (int i = 0; i < n; i++) parent[i] = i, k->part[i] = -1;
    for (int j = 0; j < n; j++)
        for (int s = M->start[j]; s < M->start[j + 1]; s++)
            if (M->value[s] != 0) pp_sets_join(parent, j, M->index[s]);
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int i = 0; i < n; i++) size[pp_set_of(parent, i)]++;
    for (int i = 0; i + 1 < n; i++) {
        int a = pp_set_of(parent, i), b = pp_set_of(parent, i + 1);
        if (a == b || size[a] + size[b] > BODY_MOST || !alike(users, by, i, i + 1)) continue;
        int sum = size[a] + size[b];
        pp_sets_join(parent, a, b);
        size[pp_set_of(parent, a)] = sum;
    }
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int i = 0; i < n; i++)
        if (users[i + 1] > users[i]) size[pp_set_of(parent, i)] = 1; /* touched */
    c->nnode = c->ndof = *largest = 0;
    for (int i = 0; i < n; i++) {
        int r = pp_set_of(parent, i);
        if (size[r] == 0) continue;
        if (k->part[r] < 0) k->part[r] = c->nnode++;
        k->part[i] = k->part[r];
    }
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int i = 0; i < n; i++)
        if (k->part[i] >= 0) k->dof[i] = size[k->part[i]]++, c->ndof++;
    c->node[0] = 0;
    for (int i = 0; i < c->nnode; i++) {
        c->node[i + 1] = c->node[i] + size[i];
        if (size[i] > *largest) *largest = size[i];
    }
    return true;
}

static bool is_diagonal(int n, const double *A) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i != j && A[i + n * j] != 0) return false;
    return true;
}

static bool invert(int n, const double *A, double *inverse) {
    double LU[NODE_MAX * NODE_MAX];
    int piv[NODE_MAX];
    memset(inverse, 0, sizeof *A * (size_t)(n * n));
    if (is_diagonal(n, A)) { /* bodies in their principal axes, and particles: same result as elimination */
        for (int i = 0; i < n; i++) {
            if (!(fabs(A[i + n * i]) > 0)) return false;
            inverse[i + n * i] = 1 / A[i + n * i];
        }
        return true;
    }
    memcpy(LU, A, sizeof *A * (size_t)(n * n));
    for (int i = 0; i < n; i++) inverse[i + n * i] = 1;
    if (!pp_lu(n, LU, n, piv)) return false;
    pp_lu_solve(n, LU, n, piv, n, inverse, n);
    return true;
}

/* Dense blocks of M, in units that make its diagonal 1, and their inverses; velocities without impulses. */
static bool take_nodes(maker *k, bool *singular) {
    const perp_sparse *M = &k->p->M;
    pp_cone *c = k->c;
    size_t numbers = 0;
    for (int i = 0; i < c->nnode; i++)
        numbers += (size_t)((c->node[i + 1] - c->node[i]) * (c->node[i + 1] - c->node[i]));
    c->M = PP_CALL_ARRAY(k->call, double *, c->nnode);
    c->Minv = PP_CALL_ARRAY(k->call, double *, c->nnode);
    k->unit = PP_CALL_ARRAY(k->call, double, M->rows);
    k->free_v = PP_CALL_ARRAY(k->call, double, M->rows);
    c->y = PP_CALL_ARRAY(k->call, double, 2 * c->ndof);
    c->free_v = PP_CALL_ARRAY(k->call, double, c->ndof);
    c->part = k->part;
    double *value = perp_call_memory(k->call, 2 * numbers * sizeof *value);
    if (!c->M || !c->Minv || !k->unit || !k->free_v || !c->y || !c->free_v || !value) return false;
    memset(value, 0, 2 * numbers * sizeof *value);
    for (int i = 0; i < c->nnode; i++) {
        int n = c->node[i + 1] - c->node[i];
        c->M[i] = value;
        c->Minv[i] = value + n * n;
        value += 2 * n * n;
    }
    for (int j = 0; j < M->cols; j++) {
        k->unit[j] = 1;
        for (int s = M->start[j]; s < M->start[j + 1]; s++)
            if (M->index[s] == j && M->value[s] > 0) k->unit[j] = 1 / sqrt(M->value[s]);
    }
    for (int j = 0; j < M->cols; j++) {
        if (k->part[j] < 0) continue;
        int n = c->node[k->part[j] + 1] - c->node[k->part[j]];
        for (int s = M->start[j]; s < M->start[j + 1]; s++)
            if (M->value[s] != 0)
                c->M[k->part[j]][k->dof[M->index[s]] + n * k->dof[j]] = k->unit[j] * k->unit[M->index[s]] * M->value[s];
    }
    for (int j = 0; j < M->cols; j++)
        if (k->part[j] >= 0) c->y[c->node[k->part[j]] + k->dof[j]] = k->unit[j] * k->p->f[j];
    for (int i = 0; i < c->nnode; i++) {
        int n = c->node[i + 1] - c->node[i];
        if (!invert(n, c->M[i], c->Minv[i])) return *singular = true, false;
        pp_gemv(false, n, c->Minv[i], n, c->y + c->node[i], 0, c->free_v + c->node[i]);
    }
    for (int j = 0; j < M->cols; j++)
        k->free_v[j] = k->part[j] < 0 ? 0 : k->unit[j] * c->free_v[c->node[k->part[j]] + k->dof[j]];
    return true;
}

/* Rows of H by blocks and nodes, in the units of the nodes. */
static bool take_rows(maker *k) {
    const perp_sparse *H = &k->p->H;
    pp_cone *c = k->c;
    int nb = c->nblock, *mark = PP_CALL_ARRAY(k->call, int, c->nnode), *touched = PP_CALL_ARRAY(k->call, int, c->nnode);
    if (!mark || !touched) return false;
    double *value = NULL;
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        size_t numbers = 0;
        int entries = 0;
        for (int i = 0; i < c->nnode; i++) mark[i] = -1;
        for (int i = 0; i < nb; i++) {
            int rows = pp_cone_rows(c, i), first = c->first[i], count = 0;
            c->row[i] = entries;
            for (int s = H->start[first]; s < H->start[first + rows]; s++) {
                int node = H->value[s] != 0 ? k->part[H->index[s]] : -1;
                if (node >= 0 && mark[node] != i) mark[node] = i, touched[count++] = node;
            }
            for (int a = 1; a < count; a++) /* ascending; usually two */
                for (int b = a; b > 0 && touched[b - 1] > touched[b]; b--) {
                    int t = touched[b];
                    touched[b] = touched[b - 1];
                    touched[b - 1] = t;
                }
            for (int a = 0; a < count; a++) {
                int size = c->node[touched[a] + 1] - c->node[touched[a]];
                if (pass) {
                    c->entry[entries + a] = (pp_cone_entry){touched[a], value};
                    value += rows * size;
                }
                numbers += (size_t)(rows * size);
            }
            for (int r = 0; pass && r < rows; r++)
                for (int s = H->start[first + r]; s < H->start[first + r + 1]; s++) {
                    int d = H->index[s], node = H->value[s] != 0 ? k->part[d] : -1, a = 0;
                    if (node < 0) continue;
                    while (c->entry[entries + a].other != node) a++;
                    c->entry[entries + a].value[r + rows * k->dof[d]] = k->unit[d] * H->value[s];
                }
            entries += count;
        }
        c->row[nb] = entries;
        if (pass) break;
        c->entry = PP_CALL_ARRAY(k->call, pp_cone_entry, entries);
        value = perp_call_memory(k->call, numbers * sizeof *value);
        if (!c->entry || !value) return false;
        memset(value, 0, numbers * sizeof *value);
    }
    return true;
}

/* T = J A, J rows x n, A n x n. Sums from left to right, as in all of this file. */
static void times_node(int rows, int n, const double *restrict J, const double *restrict A, double *restrict T) {
    for (int j = 0; rows == 3 && j < n; j++, A += n, T += 3) {
        double t0 = 0, t1 = 0, t2 = 0;
        for (int l = 0; l < n; l++) {
            const double a = A[l], *x = J + 3 * l;
            /* the inverse of a mass has few nonzero entries */
            if (a != 0) t0 += x[0] * a, t1 += x[1] * a, t2 += x[2] * a;
        }
        T[0] = t0, T[1] = t1, T[2] = t2;
    }
    if (rows == 3) return;
    for (int j = 0; j < n; j++, A += n, T += rows) {
        for (int i = 0; i < rows; i++) T[i] = 0;
        for (int l = 0; l < n; l++) {
            const double a = A[l], *x = J + rows * l;
            if (a == 0) continue;
            for (int i = 0; i < rows; i++) T[i] += x[i] * a;
        }
    }
}

/* D += T J', both rows x n. */
static void add_square(int rows, int n, const double *restrict T, const double *restrict J, double *restrict D) {
    if (rows == 3) {
        for (int l = 0; l < n; l++, T += 3, J += 3)
            for (int b = 0; b < 3; b++)
                for (int a = 0; a < 3; a++) D[a + 3 * b] += T[a] * J[b];
        return;
    }
    for (int l = 0; l < n; l++, T += rows, J += rows)
        for (int b = 0; b < rows; b++)
            for (int a = 0; a < rows; a++) D[a + rows * b] += T[a] * J[b];
}

/* Diagonal blocks of W from the nodes: H_i' Minv H_i, and q = b + H' v_free. */
static void finish_body(maker *k) {
    pp_cone *c = k->c;
    const perp_sparse *H = &k->p->H;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        double *D = c->diag + c->square * i, T[PERP_CONE_ROWS * NODE_MAX];
        memset(D, 0, sizeof *D * (size_t)c->square);
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int node = c->entry[s].other, n = c->node[node + 1] - c->node[node];
            times_node(rows, n, c->entry[s].value, c->Minv[node], T);
            add_square(rows, n, T, c->entry[s].value, D);
        }
        for (int r = 0; r < rows; r++) {
            int row = c->first[i] + r;
            if (k->p->compliance) D[r + rows * r] += k->p->compliance[row];
            c->q[row] = k->p->b[row];
            for (int s = H->start[row]; s < H->start[row + 1]; s++) c->q[row] += H->value[s] * k->free_v[H->index[s]];
        }
    }
}

/* W by block rows from the nodes: rows that share a body are coupled. */
static bool condense_nodes(maker *k) {
    pp_cone *c = k->c;
    int nb = c->nblock, entries = c->row[nb];
    int *by = PP_CALL_ARRAY(k->call, int, c->nnode + 1), *user = PP_CALL_ARRAY(k->call, int, entries),
        *which = PP_CALL_ARRAY(k->call, int, entries), *mark = PP_CALL_ARRAY(k->call, int, nb),
        *row = PP_CALL_ARRAY(k->call, int, nb + 1), *near = PP_CALL_ARRAY(k->call, int, nb);
    if (!by || !user || !which || !mark || !row || !near) return false;
    for (int i = 0; i <= c->nnode; i++) by[i] = 0;
    for (int s = 0; s < entries; s++) by[c->entry[s].other + 1]++;
    for (int i = 0; i < c->nnode; i++) by[i + 1] += by[i];
    for (int i = 0; i < nb; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int at = by[c->entry[s].other]++;
            user[at] = i;
            which[at] = s;
        }
    for (int i = c->nnode; i > 0; i--) by[i] = by[i - 1];
    by[0] = 0;
    pp_cone_entry *entry = NULL;
    double *value = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t numbers = 0;
        int used = 0;
        for (int i = 0; i < nb; i++) mark[i] = -1;
        for (int i = 0; i < nb; i++) {
            int rows = pp_cone_rows(c, i), count = 0;
            row[i] = used;
            mark[i] = i;
            near[count++] = i;
            for (int s = c->row[i]; s < c->row[i + 1]; s++)
                for (int t = by[c->entry[s].other]; t < by[c->entry[s].other + 1]; t++)
                    if (mark[user[t]] != i) mark[user[t]] = i, near[count++] = user[t];
            for (int a = 0; a < count; a++) numbers += (size_t)(rows * pp_cone_rows(c, near[a]));
            if (pass) {
                for (int a = 1; a < count; a++) /* ascending */
                    for (int b = a; b > 0 && near[b - 1] > near[b]; b--) {
                        int t = near[b];
                        near[b] = near[b - 1];
                        near[b - 1] = t;
                    }
                for (int a = 0; a < count; a++) {
                    entry[used + a] = (pp_cone_entry){near[a], value};
                    value += rows * pp_cone_rows(c, near[a]);
                }
                double T[PERP_CONE_ROWS * NODE_MAX];
                for (int s = c->row[i]; s < c->row[i + 1]; s++) {
                    int node = c->entry[s].other, n = c->node[node + 1] - c->node[node];
                    times_node(rows, n, c->entry[s].value, c->Minv[node], T);
                    int a = 0; /* users of a node ascend, as the entries do */
                    for (int t = by[node]; t < by[node + 1]; t++) {
                        while (entry[used + a].other != user[t]) a++;
                        int cols = pp_cone_rows(c, user[t]);
                        pp_gemm(false, true, rows, cols, n, 1, T, rows, c->entry[which[t]].value, cols, 1,
                                entry[used + a].value, rows);
                    }
                }
                if (k->p->compliance)
                    for (int a = 0; a < count; a++)
                        for (int r = 0; near[a] == i && r < rows; r++)
                            entry[used + a].value[r + rows * r] += k->p->compliance[c->first[i] + r];
            }
            used += count;
        }
        row[nb] = used;
        if (pass) break;
        entry = PP_CALL_ARRAY(k->call, pp_cone_entry, used);
        value = perp_call_memory(k->call, numbers * sizeof *value);
        if (!entry || !value) return false;
        memset(value, 0, numbers * sizeof *value);
    }
    c->row = row;
    c->entry = entry;
    c->body = false;
    return true;
}

/* W through a factorisation of the whole M: elastic bodies. Dense, because all rows of a body are coupled. */
static bool condense_general(maker *k, bool *singular) {
    const perp_cone *p = k->p;
    pp_cone *c = k->c;
    int n = p->M.rows, m = c->m;
    pp_block_lu *F = pp_block_lu_of_sparse(p->M.rows, p->M.start, p->M.index, p->M.value, k->call->arena);
    double *X = PP_CALL_ARRAY(k->call, double, (ptrdiff_t)n *(m + 1)),
           *W = PP_CALL_ARRAY(k->call, double, (ptrdiff_t)m *m), *q = PP_CALL_ARRAY(k->call, double, m);
    int *start = PP_CALL_ARRAY(k->call, int, m + 1), *index = PP_CALL_ARRAY(k->call, int, (ptrdiff_t)m *m);
    if (!F || !X || !W || !q || !start || !index) return false;
    memset(X, 0, sizeof *X * (size_t)n * (size_t)(m + 1));
    for (int j = 0; j < m; j++)
        for (int s = p->H.start[j]; s < p->H.start[j + 1]; s++) X[p->H.index[s] + (ptrdiff_t)n * j] = p->H.value[s];
    memcpy(X + (ptrdiff_t)n * m, p->f, sizeof *X * (size_t)n);
    if (!pp_block_lu_factor(F, NULL)) return *singular = true, false;
    for (int j = 0; j <= m; j++) pp_block_lu_solve(F, X + (ptrdiff_t)n * j);
    for (int j = 0; j <= m; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int s = p->H.start[i]; s < p->H.start[i + 1]; s++)
                sum += p->H.value[s] * X[p->H.index[s] + (ptrdiff_t)n * j];
            if (j < m)
                W[i + (ptrdiff_t)m * j] = sum + (i == j && p->compliance ? p->compliance[i] : 0), index[i + m * j] = i;
            else
                q[i] = p->b[i] + sum;
        }
    for (int j = 0; j <= m; j++) start[j] = m * j;
    return take_local(k, &(perp_sparse){m, m, start, index, W}, q);
}

static bool take_global(maker *k, bool *singular) {
    pp_cone *c = k->c;
    int largest = 0;
    if (!find_nodes(k, &largest)) return false;
    if (largest > NODE_MAX) return condense_general(k, singular);
    if (!take_nodes(k, singular) || !take_rows(k)) return false;
    finish_body(k);
    c->body = true;
    return c->m >= FEW_ROWS * c->ndof || condense_nodes(k);
}

/* ---- scaling --------------------------------------------------------------------------------------------------- */

static bool apply_scales(maker *k) {
    pp_cone *c = k->c;
    double beta = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), counted = 0;
        double mean = 0, *D = c->diag + c->square * i;
        for (int r = 0; r < rows; r++) {
            double e = k->e[c->first[i] + r];
            if (e > 0) mean += e * e * D[r + rows * r], counted++;
        }
        mean /= counted > 0 ? counted : 1;
        double s = mean > 0 ? 1 / sqrt(mean) : 1, size = 0;
        for (int r = 0; r < rows; r++) {
            int row = c->first[i] + r;
            c->scale[row] = s * k->e[row];
            c->q[row] *= c->scale[row];
            size = pp_hypot(size, c->q[row]); /* not the largest of the rows, because tangents may have any direction */
        }
        if (size > beta) beta = size;
    }
    const double *lo = k->p->lo, *hi = k->p->hi;
    for (int i = 0; i < c->nrow; i++) {
        c->lo[i] = lo ? lo[i] / c->scale[i] : -INFINITY;
        c->hi[i] = hi ? hi[i] / c->scale[i] : INFINITY;
    }
    if (beta == 0)
        for (int i = 0; i < c->nrow; i++) {
            if (isfinite(c->lo[i]) && fabs(c->lo[i]) > beta) beta = fabs(c->lo[i]);
            if (isfinite(c->hi[i]) && fabs(c->hi[i]) > beta) beta = fabs(c->hi[i]);
        }
    c->beta = beta > 0 && isfinite(beta) ? beta : 1;
    for (int i = 0; i < c->m; i++) c->q[i] /= c->beta;
    for (int i = 0; i < c->nrow; i++) c->lo[i] /= c->beta, c->hi[i] /= c->beta;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        const double *s = c->scale + c->first[i];
        double *D = c->diag + c->square * i;
        for (int b = 0; b < rows; b++)
            for (int a = 0; a < rows; a++) D[a + rows * b] *= s[a] * s[b];
        for (int t = c->row[i]; t < c->row[i + 1]; t++) {
            int other = c->entry[t].other;
            const double *so = c->body ? NULL : c->scale + c->first[other];
            int cols = c->body ? c->node[other + 1] - c->node[other] : pp_cone_rows(c, other);
            for (int b = 0; b < cols; b++)
                for (int a = 0; a < rows; a++) c->entry[t].value[a + rows * b] *= s[a] * (so ? so[b] : 1);
        }
    }
    if (c->body && k->p->compliance) {
        c->c = PP_CALL_ARRAY(k->call, double, c->m);
        if (!c->c) return false;
        for (int i = 0; i < c->m; i++) c->c[i] = c->scale[i] * c->scale[i] * k->p->compliance[i];
    }
    return true;
}

static double product_work(const pp_cone *c) {
    double sum = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int other = c->entry[s].other, rows = pp_cone_rows(c, i);
            int cols = c->body ? c->node[other + 1] - c->node[other] : pp_cone_rows(c, other);
            sum += (c->body ? 2 : 1) * (REACH + (double)rows * cols); /* body: H~ and its transpose */
        }
    for (int i = 0; i < c->nnode; i++) {
        const double size = c->node[i + 1] - c->node[i];
        sum += REACH + size * size;
    }
    return sum;
}

bool pp_cone_make(pp_cone *c, const perp_problem *p, const perp_call *call, bool *singular) {
    maker k = {.c = c, .p = &p->as.cone, .call = call};
    *c = (pp_cone){.p = &p->as.cone, .associated = p->cls == PERP_CONE_QP, .work = call->work};
    *singular = false;
    if (!lay_out_blocks(&k)) return false;
    bool made = p->as.cone.global ? take_global(&k, singular) : take_local(&k, &p->as.cone.W, p->as.cone.q);
    if (!made || !apply_scales(&k)) return false;
    c->product = product_work(c);
    return true;
}

void pp_cone_scale(const pp_cone *c, const double *r, double *x) {
    for (int i = 0; i < c->m; i++) x[i] = c->scale[i] > 0 ? r[i] / (c->beta * c->scale[i]) : 0;
}

void pp_cone_unscale(const pp_cone *c, const double *x, double *r) {
    for (int i = 0; i < c->m; i++) r[i] = c->beta * c->scale[i] * x[i];
}

/* Adds block i to y; x: its rows. rows is a constant where it is used. */
static inline __attribute__((always_inline)) void gather_block(int rows, const pp_cone *c, int i, const double *x,
                                                               double *y) {
    for (int s = c->row[i]; s < c->row[i + 1]; s++) {
        int at = c->node[c->entry[s].other], n = c->node[c->entry[s].other + 1] - at;
        const double *A = c->entry[s].value;
        if (n == 3)
            pp_small_add_transposed_of(rows, 3, A, x, y + at);
        else if (n == 6)
            pp_small_add_transposed_of(rows, 6, A, x, y + at);
        else
            pp_small_add_transposed_of(rows, n, A, x, y + at);
    }
}

void pp_cone_gather(const pp_cone *c, const double *x, double *y) {
    memset(y, 0, sizeof *y * (size_t)c->ndof);
    for (int i = 0; i < c->nblock; i++) {
        const double *xi = x + c->first[i];
        switch (pp_cone_rows(c, i)) {
        case 1: gather_block(1, c, i, xi, y); break;
        case 2: gather_block(2, c, i, xi, y); break;
        case 3: gather_block(3, c, i, xi, y); break;
        default: gather_block(pp_cone_rows(c, i), c, i, xi, y);
        }
    }
}

/* Rows of block i from y. rows is a constant where it is used. */
static inline __attribute__((always_inline)) void spread_block(int rows, const pp_cone *c, int i, const double *y,
                                                               double *v) {
    double sum[PERP_CONE_ROWS] = {0};
    for (int s = c->row[i]; s < c->row[i + 1]; s++) {
        int at = c->node[c->entry[s].other], n = c->node[c->entry[s].other + 1] - at;
        const double *A = c->entry[s].value;
        if (n == 3)
            pp_small_add_of(rows, 3, A, y + at, sum);
        else if (n == 6)
            pp_small_add_of(rows, 6, A, y + at, sum);
        else
            pp_small_add_of(rows, n, A, y + at, sum);
    }
    for (int r = 0; r < rows; r++) v[r] = sum[r];
}

void pp_cone_spread(const pp_cone *c, const double *y, double *v) {
    for (int i = 0; i < c->nblock; i++) {
        double *vi = v + c->first[i];
        switch (pp_cone_rows(c, i)) {
        case 1: spread_block(1, c, i, y, vi); break;
        case 2: spread_block(2, c, i, y, vi); break;
        case 3: spread_block(3, c, i, y, vi); break;
        default: spread_block(pp_cone_rows(c, i), c, i, y, vi);
        }
    }
}

/* z += Minv y */
static void add_velocities(const pp_cone *c, const double *y, double *z) {
    for (int i = 0; i < c->nnode; i++) {
        int at = c->node[i], n = c->node[i + 1] - at;
        switch (n) {
        case 3: pp_small_square(3, c->Minv[i], y + at, z + at); break;
        case 6: pp_small_square(6, c->Minv[i], y + at, z + at); break;
        default: pp_small_square(n, c->Minv[i], y + at, z + at);
        }
    }
}

void pp_cone_node_velocities(const pp_cone *c, const double *x, double *z) {
    pp_cone_gather(c, x, c->y);
    for (int i = 0; i < c->ndof; i++) z[i] = c->free_v[i] / c->beta;
    add_velocities(c, c->y, z);
}

void pp_cone_apply(const pp_cone *c, const double *x, double *v) {
    pp_count(c->work, c->product);
    if (!c->body) {
        for (int i = 0; i < c->nblock; i++) {
            int rows = pp_cone_rows(c, i);
            double *vi = v + c->first[i];
            for (int r = 0; r < rows; r++) vi[r] = 0;
            for (int s = c->row[i]; s < c->row[i + 1]; s++) {
                int j = c->entry[s].other, cols = pp_cone_rows(c, j);
                if (rows == 1 && cols == 1) /* joints: saves the call, which takes longer */
                    vi[0] += c->entry[s].value[0] * x[c->first[j]];
                else
                    pp_small_add(rows, cols, c->entry[s].value, x + c->first[j], vi);
            }
        }
        return;
    }
    double *y = c->y, *z = c->y + c->ndof;
    pp_cone_gather(c, x, y);
    memset(z, 0, sizeof *z * (size_t)c->ndof);
    add_velocities(c, y, z);
    pp_cone_spread(c, z, v);
    if (c->c)
        for (int i = 0; i < c->m; i++) v[i] += c->c[i] * x[i];
}

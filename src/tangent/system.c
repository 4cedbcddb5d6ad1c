/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* system.c - see system.h
 *
 * Problem  A dnu + C dp = r,  M dnu = G dp + m  for several right-hand sides (r, m). A and G have at most two or three
 *          blocks in each row; they differ, since friction is not associated and gaps are those of the end pose.
 * Method   (A Minv G + C) dp = r - A Minv m, dense, for each set of bodies that rows connect. Rows and columns are scaled to
 *          speeds of about one. LU; where that is nearly singular, elimination with complete pivoting. With more contacts
 *          than degrees of freedom (four corners of a face) the matrix is singular and the loads are not determined. The
 *          result is still valid if no undetermined load moves a body and the right-hand side is consistent to rounding.
 * Cost     n^3/3 for an island of n unknowns, n^2 for each direction. */
#include "tangent/system.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "linalg/linalg.h"
#include "problem/rows.h"

#define REGULAR 1e-6 /* reciprocal condition number above which LU is accurate enough */
#define RANK \
    1e-7 /* pivots below this, with rows and columns scaled to one, count as zero; it is the resolution of the solvers */
#define MOVES       1e-6 /* speed above rounding, for impulses that each cause a speed of one */
#define CONTRADICTS 1e-6 /* residual, relative to the right-hand side, of equations that contradict each other */

/* The unknowns of an island, and its matrix. */
typedef struct island {
    int n, *of; /* unknown, and equation, by number in the island */
    double *S;  /* n x n, column-major */
    double *row_scale, *col_scale;
    double *B; /* n x directions */
} island;

static void join_row(int *parent, const perp_row *r, int *with) {
    for (int k = 0; k < 2; k++) {
        int b = r->block[k];
        if (b < 0) continue;
        b = pp_set_of(parent, b);
        if (*with >= 0 && pp_set_of(parent, *with) != b) parent[b] = pp_set_of(parent, *with);
        *with = b;
    }
}

/* v = Minv J' for the blocks of a row, six numbers for each. */
static void kick(const perp_step_problem *p, const perp_row *r, double v[2][6]) {
    memset(v, 0, 12 * sizeof(double));
    for (int k = 0; k < 2; k++) {
        int b = r->block[k];
        if (b < 0) continue;
        const double *Mi = p->Minv + 36 * (size_t)b;
        for (int d = 0; d < p->block_ndof[b]; d++)
            for (int c = 0; c < p->block_ndof[b]; c++) v[k][c] += Mi[6 * d + c] * r->J[k][d];
    }
}

/* Velocity along the rows of an equation caused by an impulse on two blocks. */
static double answer_to(const perp_step_problem *p, const pp_equation *e, const perp_row *push, double v[2][6]) {
    double sum = 0;
    for (int i = 0; i < e->nrow; i++)
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                int block = e->row[i].block[a];
                if (block < 0 || block != push->block[b]) continue;
                for (int c = 0; c < p->block_ndof[block]; c++) sum += e->by[i] * e->row[i].J[a][c] * v[b][c];
            }
    return sum;
}

/* y = Minv m of one direction. */
static void velocity_of(const perp_step_problem *p, const double *m, double *y) {
    for (int b = 0; b < p->nblock; b++) {
        int at = p->block_offset[b], nd = p->block_ndof[b];
        const double *Mi = p->Minv + 36 * (size_t)b;
        for (int r = 0; r < nd; r++) {
            y[at + r] = 0;
            for (int c = 0; c < nd; c++) y[at + r] += Mi[6 * c + r] * m[at + c];
        }
    }
}

static void build(const pp_system *s, island *k, const int *number) {
    int n = k->n;
    memset(k->S, 0, (size_t)n * (size_t)n * sizeof *k->S);
    for (int j = 0; j < n; j++) {
        double v[2][6];
        kick(s->p, s->push[k->of[j]], v);
        for (int i = 0; i < n; i++) k->S[i + n * j] = answer_to(s->p, &s->equation[k->of[i]], s->push[k->of[j]], v);
    }
    for (int i = 0; i < n; i++) {
        const pp_equation *e = &s->equation[k->of[i]];
        for (int c = 0; c < e->np; c++) k->S[i + n * number[e->p[c]]] += e->c[c];
    }
    for (int j = 0; j < n; j++) {
        double mass = s->mass[k->of[j]];
        k->col_scale[j] = mass > 0 ? 1 / mass : 1;
        for (int i = 0; i < n; i++) k->S[i + n * j] *= k->col_scale[j];
    }
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(k->S[i + n * j]));
        k->row_scale[i] = most > 0 ? 1 / most : 1;
        for (int j = 0; j < n; j++) k->S[i + n * j] *= k->row_scale[i];
    }
    for (int d = 0; d < s->directions; d++)
        for (int i = 0; i < n; i++) {
            const pp_equation *e = &s->equation[k->of[i]];
            const double *y = s->dnu + (size_t)s->p->ndof * (size_t)d; /* Minv m */
            double sum = s->right[(size_t)s->n * (size_t)d + (size_t)k->of[i]];
            for (int r = 0; r < e->nrow; r++) sum -= e->by[r] * pp_row_dot(s->p, &e->row[r], y);
            k->B[i + n * d] = k->row_scale[i] * sum;
        }
}

static void swap(double *a, double *b) {
    double x = *a;
    *a = *b;
    *b = x;
}

/* Elimination with complete pivoting; returns the rank. col: the order of the columns. */
static int eliminate(int n, double *A, double *B, int nrhs, int *col) {
    for (int j = 0; j < n; j++) col[j] = j;
    double first = 0;
    for (int k = 0; k < n; k++) {
        int pr = k, pc = k;
        for (int j = k; j < n; j++)
            for (int i = k; i < n; i++)
                if (fabs(A[i + n * j]) > fabs(A[pr + n * pc])) pr = i, pc = j;
        double pivot = A[pr + n * pc];
        if (k == 0) first = fabs(pivot);
        if (!(fabs(pivot) > RANK * first)) return k;
        for (int j = 0; j < n; j++) swap(&A[k + n * j], &A[pr + n * j]);
        for (int d = 0; d < nrhs; d++) swap(&B[k + n * d], &B[pr + n * d]);
        for (int i = 0; i < n; i++) swap(&A[i + n * k], &A[i + n * pc]);
        int c = col[k];
        col[k] = col[pc];
        col[pc] = c;
        for (int i = k + 1; i < n; i++) {
            double f = A[i + n * k] / pivot;
            if (f == 0) continue;
            for (int j = k; j < n; j++) A[i + n * j] -= f * A[k + n * j];
            for (int d = 0; d < nrhs; d++) B[i + n * d] -= f * B[k + n * d];
        }
    }
    return n;
}

/* x over the first `rank` pivots; x[rank] .. are given. */
static void back(int n, int rank, const double *A, const double *b, double *x) {
    for (int i = rank - 1; i >= 0; i--) {
        double sum = b ? b[i] : 0;
        for (int j = i + 1; j < n; j++) sum -= A[i + n * j] * x[j];
        x[i] = sum / A[i + n * i];
    }
}

/* Does an undetermined load move a body? x: scaled impulses by column, in the order of col. */
static bool moves(const pp_system *s, const island *k, const int *col, const double *x, double *y) {
    double size = 0, speed = 0;
    memset(y, 0, (size_t)s->p->ndof * sizeof *y);
    for (int j = 0; j < k->n; j++) {
        int u = k->of[col[j]];
        double p = x[j] * k->col_scale[col[j]];
        pp_row_spread(s->p, s->push[u], p, y);
        size += p * p * s->mass[u];
    }
    for (int b = 0; b < s->p->nblock; b++) {
        const double *v = y + s->p->block_offset[b], *M = s->p->M + 36 * (size_t)b;
        for (int c = 0; c < s->p->block_ndof[b]; c++)
            for (int r = 0; r < s->p->block_ndof[b]; r++) speed += v[r] * M[6 * c + r] * v[c];
    }
    return !(speed <= MOVES * MOVES * size);
}

/* A singular island. B is overwritten by the impulses, scaled. */
static pp_system_end solve_singular(const pp_system *s, island *k, pp_arena *arena) {
    int n = k->n, *col = PP_ARENA_ARRAY(arena, int, n);
    double *x = PP_ARENA_ARRAY(arena, double, n), *y = PP_ARENA_ARRAY(arena, double, s->p->ndof),
           *size = PP_ARENA_ZERO(arena, double, s->directions);
    if (!col || !x || !y || !size) return PP_SYSTEM_MEMORY;
    for (int d = 0; d < s->directions; d++)
        for (int i = 0; i < n; i++) size[d] = fmax(size[d], fabs(k->B[i + n * d]));
    int rank = eliminate(n, k->S, k->B, s->directions, col);
    for (int open = rank; open < n; open++) {
        for (int j = rank; j < n; j++) x[j] = j == open;
        back(n, rank, k->S, NULL, x);
        if (moves(s, k, col, x, y)) return PP_SYSTEM_OPEN;
    }
    for (int d = 0; d < s->directions; d++) {
        double *b = k->B + (size_t)n * (size_t)d;
        for (int i = rank; i < n; i++)
            if (!(fabs(b[i]) <= CONTRADICTS * size[d])) return PP_SYSTEM_CONTRADICTS;
        for (int j = rank; j < n; j++) x[j] = 0;
        back(n, rank, k->S, b, x);
        for (int j = 0; j < n; j++) b[col[j]] = x[j];
    }
    return PP_SYSTEM_SOLVED;
}

static pp_system_end solve_island(pp_system *s, island *k, const int *number, pp_arena *arena) {
    int n = k->n;
    build(s, k, number);
    double *LU = PP_ARENA_ARRAY(arena, double, n *n), *work = PP_ARENA_ARRAY(arena, double, 2 * n);
    int *piv = PP_ARENA_ARRAY(arena, int, n);
    if (!LU || !work || !piv) return PP_SYSTEM_MEMORY;
    memcpy(LU, k->S, (size_t)n * (size_t)n * sizeof *LU);
    double norm = pp_norm1(n, LU, n);
    if (!isfinite(norm)) return PP_SYSTEM_NUMERICS;
    if (pp_lu(n, LU, n, piv) && pp_lu_rcond(n, LU, n, piv, norm, work) > REGULAR)
        pp_lu_solve(n, LU, n, piv, s->directions, k->B, n);
    else {
        pp_system_end end = solve_singular(s, k, arena);
        if (end) return end;
    }
    for (int d = 0; d < s->directions; d++)
        for (int j = 0; j < n; j++) {
            double p = k->col_scale[j] * k->B[j + n * d];
            if (!isfinite(p)) return PP_SYSTEM_NUMERICS;
            pp_row_spread(s->p, s->push[k->of[j]], p, s->dnu + (size_t)s->p->ndof * (size_t)d);
        }
    return PP_SYSTEM_SOLVED;
}

pp_system_end pp_system_solve(pp_system *s, pp_arena *arena) {
    const perp_step_problem *p = s->p;
    int *parent = PP_ARENA_ARRAY(arena, int, p->nblock), *number = PP_ARENA_ARRAY(arena, int, s->n),
        *of = PP_ARENA_ARRAY(arena, int, s->n);
    bool *done = PP_ARENA_ZERO(arena, bool, s->n);
    if (!parent || !number || !of || !done) return PP_SYSTEM_MEMORY;
    pp_sets_make(parent, p->nblock);
    int *home = PP_ARENA_ARRAY(arena, int, s->n); /* a block of the unknown */
    if (!home) return PP_SYSTEM_MEMORY;
    for (int i = 0; i < s->n; i++) {
        home[i] = -1;
        join_row(parent, s->push[i], &home[i]);
        for (int r = 0; r < s->equation[i].nrow; r++) join_row(parent, &s->equation[i].row[r], &home[i]);
        if (home[i] < 0) return PP_SYSTEM_NUMERICS; /* a row of no body */
    }
    for (int d = 0; d < s->directions; d++) {
        double *y = s->dnu + (size_t)p->ndof * (size_t)d;
        velocity_of(p, s->momentum + (size_t)p->ndof * (size_t)d, y);
    }
    pp_system_end end = PP_SYSTEM_SOLVED;
    for (int first = 0; !end && first < s->n; first++) {
        if (done[first]) continue;
        island k = {.of = of};
        for (int i = first; i < s->n; i++) {
            if (done[i] || pp_set_of(parent, home[i]) != pp_set_of(parent, home[first])) continue;
            done[i] = true;
            number[i] = k.n;
            of[k.n++] = i;
        }
        if (k.n > PP_MOST_ROWS) return PP_SYSTEM_LARGE;
        pp_arena_mark mark = pp_arena_here(arena);
        k.S = PP_ARENA_ARRAY(arena, double, k.n *k.n);
        k.row_scale = PP_ARENA_ARRAY(arena, double, k.n);
        k.col_scale = PP_ARENA_ARRAY(arena, double, k.n);
        k.B = PP_ARENA_ARRAY(arena, double, k.n * s->directions);
        end = k.S && k.row_scale && k.col_scale && k.B ? solve_island(s, &k, number, arena) : PP_SYSTEM_MEMORY;
        pp_arena_release(arena, mark);
    }
    return end;
}

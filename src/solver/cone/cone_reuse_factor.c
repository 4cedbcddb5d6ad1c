/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_reuse_factor.c - solves Newton systems with the factors of an earlier one
 * Problem  (C + E W~) dx = b, where few blocks of C and E have changed since C0 + E0 W~ was factorised.
 * Method   GMRES with the old factors as right preconditioner. The difference to the identity has low rank, three for each block that
 *          changed its state, so about as many iterations are needed. GMRES minimises the true residual.
 * Cost     One solution with the factors per iteration. A factorisation of a large pile takes the time of about a hundred of them.
 * Source   Saad, Schultz (1986). */
#include <math.h>
#include <string.h>

#include "solver/common/numbers.h"
#include "solver/cone/cone_linear.h"

#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [iterations] Old factors are used only if at least this many iterations are affordable. */
#define LEAST 12
/* [1] Fraction of the time of a factorisation that solutions with old factors may take. */
#define PART 0.7
/* [1] A change of an entry of E above this is a change of state of a contact. */
#define STATE 0.1
/* [iterations] Expected number for each change of state. */
#define PER_CHANGE 2
/* [iterations] Expected number for all small changes. */
#define OTHERS 8

#define MOST 60 /* largest number of iterations, and of vectors kept */

int pp_cone_again_worth(const pp_cone_linear *k) {
    double each = PP_SOLVE_SLOWER * (pp_block_lu_entries(k->lu) + 0.5 * MOST * k->c->m);
    double most = PART * pp_block_lu_work(k->lu) / each;
    return !(most >= LEAST) ? 0 : most > MOST ? MOST : (int)most; /* NaN if there is nothing to factorise */
}

bool pp_cone_again_room(pp_cone_linear *k, int most, const perp_call *call) {
    k->most = most < MOST ? most : MOST;
    if (k->most == 0) return true;
    k->basis = PP_CALL_ARRAY(call, double, (ptrdiff_t)(k->most + 1) * k->c->m);
    k->E0 = PP_CALL_ARRAY(call, double, k->c->square * k->c->nblock);
    return k->basis && k->E0;
}

/* Have few enough blocks changed their state? */
static bool nearly_the_same(const pp_cone_linear *k, const double *E) {
    int changed = 0;
    for (int i = 0; i < k->c->nblock; i++) {
        int rows = pp_cone_rows(k->c, i);
        double most = 0;
        const double *now = E + k->c->square * i, *then = k->E0 + k->c->square * i;
        for (int a = 0; a < rows * rows; a++) most = fmax(most, fabs(now[a] - then[a]));
        changed += most > STATE;
    }
    return PER_CHANGE * changed + OTHERS <= k->most;
}

static double dot(int n, const double *restrict x, const double *restrict y) {
    double s[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) s[l] += x[i + l] * y[i + l];
    for (; i < n; i++) s[0] += x[i] * y[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void add(int n, double t, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++) y[i] += t * x[i];
}

/* Applies the earlier Givens rotations and a new one to the new column of the Hessenberg matrix, so that its last entry
 * vanishes; and to the right-hand side. */
static void rotate(int j, double *H, double *cosine, double *sine, double *right) {
    for (int i = 0; i < j; i++) {
        double top = H[i], low = H[i + 1];
        H[i] = cosine[i] * top + sine[i] * low;
        H[i + 1] = cosine[i] * low - sine[i] * top;
    }
    double length = pp_hypot(H[j], H[j + 1]);
    cosine[j] = length > 0 ? H[j] / length : 1;
    sine[j] = length > 0 ? H[j + 1] / length : 0;
    H[j] = length;
    right[j + 1] = -sine[j] * right[j];
    right[j] *= cosine[j];
}

double pp_cone_again_solve(pp_cone_linear *k, const double *C, const double *E, const double *b, double *dx,
                           double accuracy) {
    int m = k->c->m, j = 0;
    double size = sqrt(dot(m, b, b));
    if (k->most == 0 || !(size > 0) || !nearly_the_same(k, E)) return INFINITY;
    k->C = C;
    k->E = E;
    double H[MOST][MOST + 1], cosine[MOST], sine[MOST], right[MOST + 1] = {size}, y[MOST];
    for (int i = 0; i < m; i++) k->basis[i] = b[i] / size;
    while (j < k->most && fabs(right[j]) > accuracy * size) {
        double *next = k->basis + (ptrdiff_t)(j + 1) * m;
        pp_cone_linear_direct(k, k->basis + (ptrdiff_t)j * m, k->correction);
        pp_cone_linear_product(k, k->correction, next);
        for (int i = 0; i <= j; i++) {
            H[j][i] = dot(m, next, k->basis + (ptrdiff_t)i * m);
            add(m, -H[j][i], k->basis + (ptrdiff_t)i * m, next);
        }
        double length = H[j][j + 1] = sqrt(dot(m, next, next));
        if (!isfinite(length)) return INFINITY;
        rotate(j, H[j], cosine, sine, right);
        if (H[j][j] == 0) break; /* the matrix is singular there */
        j++;
        if (!(length > 0)) break;
        for (int i = 0; i < m; i++) next[i] /= length;
    }
    for (int i = j - 1; i >= 0; i--) {
        y[i] = right[i];
        for (int l = i + 1; l < j; l++) y[i] -= H[l][i] * y[l];
        y[i] /= H[i][i];
    }
    memset(k->r, 0, sizeof *k->r * (size_t)m);
    for (int i = 0; i < j; i++) add(m, y[i], k->basis + (ptrdiff_t)i * m, k->r);
    pp_cone_linear_direct(k, k->r, dx);
    return fabs(right[j]) / size;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_sweep.c - Gauss-Seidel to a few digits
 * Problem  A scaled cone problem (cone.h) with Coulomb's law, to be solved to 1e-2 .. 1e-6: the contacts of a pile that falls, slides and
 *          collides.
 * Method   Contacts in order. Each is open, sticks or slides with all others constant. Open and stick are exact, by the inverse of its block.
 *          Sliding alternates between normal part and disc a few times; for balls once is exact. Over-relaxed (OVER), with jumps
 *          along a line if sweeps converge slowly (relax_run.c). Always in the same direction: alternating directions take three times
 *          as many sweeps.
 * Valid    Moderate mu; no proof. Deep piles near rest and large mass ratios converge slowly beyond three digits.
 * Cost     Per sweep four times the entries of H (or twice those of W): a hundred sweeps cost as much as one factorisation of a thousand
 *          packed bodies.
 * Source   Jean (1999); Jourdan, Alart, Jean (1998). */
#include "solver/relax/cone_sweep.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Over-relaxation of a sweep. Half: work +52 %; double: work +244 %. */
#define OVER 1.3
/* [turns] Largest number of turns of normal part and disc for a sliding contact. Half and double: no effect. */
#define TURNS 4
/* [1] Turns end if the change is below this fraction of that of the first turn. Half and double: no effect. */
#define STILL 1e-3
/* [sweeps] Sweeps between two measures. Half: no effect; double: other bits only. */
#define MEASURE 8
/* [sweeps] Number of sweeps within which the measure must improve. Half and double: no effect. */
#define WINDOW 200

bool pp_cone_sweep_make(pp_cone_sweep *k, const pp_cone *c) {
    k->how.extrapolate = true;
    k->how.window = WINDOW;
    k->inverse = PP_CALL_ARRAY(k->call, double, c->square * c->nblock);
    if (!k->inverse || !pp_cone_sweeps_on(&k->on, c, &k->how, k->call)) return false;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), piv[PERP_CONE_ROWS];
        double D[PP_CONE_SQUARE], *X = k->inverse + c->square * i;
        memcpy(D, c->diag + c->square * i, sizeof *D * (size_t)(rows * rows));
        memset(X, 0, sizeof *X * (size_t)c->square);
        if (!pp_lu(rows, D, rows, piv)) continue;
        for (int r = 0; r < rows; r++) X[r + rows * r] = 1;
        pp_lu_solve(rows, D, rows, piv, rows, X, rows);
    }
    return true;
}

/* x of a sliding contact, starting from its present value; q: its velocity at x = 0. */
static void slide(const pp_cone *c, int i, double bound, const double *q, double *x) {
    const double *W = c->diag + c->square * i;
    int n = c->dim;
    double first = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        double push = q[0], change = 0, length = 0, next[PERP_CONE_ROWS];
        for (int j = 1; j < n; j++) push += W[n * j] * x[j];
        next[0] = fmax(0, -push / W[0]);
        for (int r = 1; r < n; r++) {
            double v = q[r] + W[r] * next[0];
            for (int j = 1; j < n; j++) v += W[r + n * j] * x[j];
            next[r] = x[r] - bound * v;
            length += next[r] * next[r];
        }
        double most = c->mu[i] * next[0];
        length = sqrt(length);
        for (int r = 1; r < n && length > most; r++) next[r] *= most / length;
        for (int r = 0; r < n; r++) {
            change += fabs(next[r] - x[r]);
            x[r] = next[r];
        }
        if (turn == 0) first = change;
        if (change <= STILL * first) break;
    }
}

/* Block i with all others constant, v its velocity at x. */
static void solve_block(const pp_cone_sweep *k, int i, const double *v, const double *x, double *next) {
    const pp_cone *c = &k->on.c;
    const double *W = c->diag + c->square * i, *X = k->inverse + c->square * i;
    int rows = pp_cone_rows(c, i);
    memcpy(next, x, sizeof *next * (size_t)rows);
    if (!(W[0] > 0)) return;
    if (i < c->nrow) {
        double to = x[0] - v[0] / W[0];
        next[0] = to < c->lo[i] ? c->lo[i] : to > c->hi[i] ? c->hi[i] : to;
        return;
    }
    double q[PERP_CONE_ROWS] = {0}, length = 0;
    for (int r = 0; r < rows; r++) {
        q[r] = v[r];
        for (int j = 0; j < rows; j++) q[r] -= W[r + rows * j] * x[j];
    }
    if (q[0] >= 0) { /* open */
        memset(next, 0, sizeof *next * (size_t)rows);
        return;
    }
    for (int r = 0; r < rows; r++) { /* stick, if that stays within the cone */
        for (int j = 0; j < rows; j++) next[r] -= X[r + rows * j] * v[j];
        if (r > 0) length += next[r] * next[r];
    }
    if (X[0] > 0 && next[0] > 0 && length <= c->mu[i] * c->mu[i] * next[0] * next[0]) return;
    memcpy(next, x, sizeof *next * (size_t)rows);
    slide(c, i, k->on.bound[i], q, next);
}

/* Projection on the admissible set, friction within the disc of its normal part. */
static void clamp(const pp_cone *c, int i, double *x) {
    if (i < c->nrow) {
        x[0] = x[0] < c->lo[i] ? c->lo[i] : x[0] > c->hi[i] ? c->hi[i] : x[0];
        return;
    }
    double most, length = 0;
    if (x[0] < 0) x[0] = 0;
    most = c->mu[i] * x[0];
    for (int r = 1; r < c->dim; r++) length += x[r] * x[r];
    if (length <= most * most) return;
    length = sqrt(length);
    for (int r = 1; r < c->dim; r++) x[r] *= most / length;
}

/* One sweep. Returns the largest change of a block: its error with the others constant. */
static double sweep(void *self, double step) {
    pp_cone_sweep *k = self;
    const pp_cone *c = &k->on.c;
    double most = 0, over = OVER * step;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        double v[PERP_CONE_ROWS], next[PERP_CONE_ROWS], change = 0;
        const double *x = k->on.x + c->first[i];
        pp_cone_sweeps_velocity(&k->on, i, v);
        solve_block(k, i, v, x, next);
        for (int r = 0; r < rows; r++) next[r] = x[r] + over * (next[r] - x[r]);
        clamp(c, i, next);
        for (int r = 0; r < rows; r++) {
            next[r] -= x[r];
            change += next[r] * next[r];
        }
        if (change == 0) continue;
        if (change > most) most = change;
        pp_cone_sweeps_move(&k->on, i, next);
    }
    return sqrt(most);
}

static double measure(void *self) {
    pp_cone_sweep *k = self;
    pp_cone_sweeps_refresh(&k->on);
    return pp_cone_strictest(k->figure, k->on.x, k->on.v);
}

static void admit(void *self) { pp_cone_sweeps_admit(&((pp_cone_sweep *)self)->on); }

static void answer(void *self, const double *x, double *z) {
    pp_cone_sweeps_answer(&((pp_cone_sweep *)self)->on, x, z);
}

perp_outcome pp_cone_sweep_run(pp_cone_sweep *k, perp_solve_info *info) {
    pp_sweeper s = {.n = k->on.c.m,
                    .x = k->on.x,
                    .out = k->out,
                    .every = MEASURE,
                    .self = k,
                    .sweep = sweep,
                    .measure = measure,
                    .admit = admit,
                    .answer = answer};
    pp_cone_sweeps_admit(&k->on);
    perp_outcome outcome = pp_relax_run(&s, &k->how, k->call, info);
    k->measure = measure(k);
    return outcome;
}

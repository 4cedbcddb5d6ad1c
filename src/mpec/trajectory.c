/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trajectory.c - the start of the search, and the comparison of the answer with a simulation
 *
 * Start   Measured coordinates are interpolated linearly between their rows; coordinates that are never measured keep the value of
 *         the world. Velocities are differences of positions, impulses are zero, and slacks follow from the laws, at least zero
 *         (Berard 7.6.1.1: rows as trajectory, multipliers zero). With rollout_start, positions are those of a simulation with the
 *         start parameters.
 * Check   A clone of the world with the parameters and the initial state of the answer is stepped, with the world's own
 *         contact model and solvers: nothing of the program takes part in it. */
#include <math.h>
#include <string.h>

#include "base/refuse.h"
#include "mpec/mpec.h"

#define OFF_BOUND 0.01 /* part of the distance between the bounds, at most 0.01, that a start is kept away from them */

double pp_mpec_parameter_start(const perp_mpec_parameter *p) {
    double off = OFF_BOUND * fmin(1, p->max - p->min);
    return fmin(fmax(p->start, p->min + off), p->max - off);
}

/* Steps a clone of the world from x; the state after step k goes to out + k size if out is not NULL. *worst: largest
 * difference of a position from z, if z is not NULL. False if a step fails. */
static bool simulate(pp_mpec *m, const double *x, double *out, const double *z, double *worst) {
    perp_world *c;
    pp_mpec_write_state(m, m->w, 0, x);
    if (perp_world_clone(m->w, &c)) return false;
    bool ok = true;
    double *now = m->x[0];
    for (int k = 1; k <= m->steps && ok; k++) {
        ok = perp_world_step(c, NULL) == PERP_OK;
        pp_mpec_read_state(m, c, now);
        if (ok && out) memcpy(out + (size_t)k * (size_t)m->nx, now, (size_t)m->nx * sizeof *now);
        for (int i = 0; ok && z && i < m->ndof; i++) {
            double d = fabs(now[i] - z[pp_mpec_base(m, k) + i]);
            if (!(d <= *worst)) *worst = d;
        }
    }
    perp_world_destroy(c);
    return ok;
}

double pp_mpec_rollout_error(pp_mpec *m, const double *z) {
    double worst = 0;
    if (pp_mpec_at(m, z)) return INFINITY;
    return simulate(m, z + m->np, NULL, z, &worst) ? worst : INFINITY;
}

/* Positions by the rows: steps + 1 states in x, which holds the start of the world in each. */
static void follow_rows(const pp_mpec *m, double *x, int *count) {
    for (int i = 0; i < m->ndof; i++) {
        memset(count, 0, (size_t)(m->steps + 1) * sizeof *count);
        for (int r = 0; r < m->p->nrow; r++) {
            const perp_mpec_row *row = &m->p->row[r];
            if (pp_mpec_coordinate(m, row->body, row->coordinate) != i) continue;
            double *at = x + (size_t)row->step * (size_t)m->nx + i;
            int n = ++count[row->step];
            *at = n == 1 ? row->value : *at + (row->value - *at) / n;
        }
        for (int f = 0; f < m->nfixed; f++)
            if (m->fixed[f] == i) x[i] = m->x_start[i];
        count[0] = 1; /* without a row: as in the world */
        for (int k = 1, last = 0; k <= m->steps; k++) {
            double *to = x + (size_t)k * (size_t)m->nx + i, *from = x + (size_t)last * (size_t)m->nx + i;
            if (count[k] == 0) {
                *to = *from; /* until there is another row */
                continue;
            }
            for (int j = last + 1; j < k; j++)
                x[(size_t)j * (size_t)m->nx + (size_t)i] = *from + (*to - *from) * (j - last) / (k - last);
            last = k;
        }
    }
}

/* Slacks of step k by the laws, at least zero, with all impulses zero: a law is its slack less what it is to be. */
static perp_status fill_slacks(pp_mpec *m, int k, double *z) {
    double *u = z + pp_mpec_base(m, k), *c = m->c[0];
    const perp_step_problem *p;
    perp_status st = pp_mpec_pose(m, k - 1, z + pp_mpec_base(m, k - 1), &p);
    if (st) return st;
    (void)pp_mpec_laws(m, p, u, c, NULL, NULL);
    int law = m->ndof + m->njoint;
    for (int i = 0; i < m->ncontact; i++) {
        const pp_mpec_contact *q = &m->contact[i];
        if (!q->known_normal) u[q->w_n] = fmax(0, -c[law++]);
        if (q->friction == PP_MPEC_SLICK) continue;
        for (int d = 0; d < q->nd && q->w_f >= 0; d++) u[q->w_f + d] = fmax(0, -c[law + d]);
        law += q->nd;
        u[q->slack] = fmax(0, -c[law++]);
    }
    return PERP_OK;
}

perp_status pp_mpec_start(pp_mpec *m, double *z) {
    size_t states = (size_t)(m->steps + 1) * (size_t)m->nx;
    double *x = pp_arena_get(&m->arena, states * sizeof *x);
    int *count = PP_ARENA_ARRAY(&m->arena, int, m->steps + 1);
    if (!x || !count) return pp_refuse(m->why, m->why_size, PERP_E_MEMORY, "out of memory for the start");
    memset(z, 0, (size_t)m->n * sizeof *z);
    for (int i = 0; i < m->np; i++) z[i] = pp_mpec_parameter_start(&m->p->parameter[i]);
    perp_status st = pp_mpec_at(m, z);
    if (st) return st;
    for (int k = 0; k <= m->steps; k++) memcpy(x + (size_t)k * (size_t)m->nx, m->x_start, (size_t)m->nx * sizeof *x);
    if (!m->o.rollout_start)
        follow_rows(m, x, count);
    else if (!simulate(m, m->x_start, x, NULL, NULL))
        return pp_refuse(m->why, m->why_size, PERP_E_SOLVE, "the simulation with the start parameters failed");
    memcpy(z + m->np, x, (size_t)m->nx * sizeof *z);
    for (int k = 1; k <= m->steps && !st; k++) {
        double *to = z + pp_mpec_base(m, k), *q = x + (size_t)k * (size_t)m->nx, *before = q - m->nx;
        for (int i = 0; i < m->ndof; i++) {
            to[i] = q[i];
            to[m->ndof + i] = (q[i] - before[i]) / m->h;
        }
        st = fill_slacks(m, k, z);
    }
    return st;
}

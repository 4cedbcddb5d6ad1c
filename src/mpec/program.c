/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* program.c - the steps put together: bounds, objective, equations and their derivatives
 *
 * Rows of data are squares of single unknowns, so the objective is a sum of weight (z - target)^2 and a constant.
 * Derivatives are lists of places with values; places may occur more than once and are summed by the solver. */
#include <math.h>
#include <string.h>

#include "base/refuse.h"
#include "mpec/mpec.h"

static perp_status refuse_memory(pp_mpec *m) {
    return pp_refuse(m->why, m->why_size, PERP_E_MEMORY, "out of memory for the program");
}

/* ---- objective and bounds ---- */

/* Adds ((value - z_i)/sd)^2 to the objective, keeping it weight (z - target)^2 + rest. */
static void add_square(pp_mpec *m, int i, double value, double sd) {
    double w = 1 / (sd * sd), sum = m->weight_sum[i] + w, d = value - m->target[i];
    m->rest += m->weight_sum[i] * w / sum * d * d;
    m->target[i] += w / sum * d;
    m->weight_sum[i] = sum;
}

static void tighten(pp_mpec *m, int i, double lo, double hi) {
    m->lo[i] = fmax(m->lo[i], lo);
    m->hi[i] = fmin(m->hi[i], hi);
}

static perp_status unknowns(pp_mpec *m) {
    pp_arena *a = &m->arena;
    m->lo = PP_ARENA_ARRAY(a, double, m->n);
    m->hi = PP_ARENA_ARRAY(a, double, m->n);
    m->weight_sum = PP_ARENA_ZERO(a, double, m->n);
    m->target = PP_ARENA_ZERO(a, double, m->n);
    if (!m->lo || !m->hi || !m->weight_sum || !m->target) return refuse_memory(m);
    for (int i = 0; i < m->n; i++) m->lo[i] = -INFINITY, m->hi[i] = INFINITY;
    for (int k = 1; k <= m->steps; k++)
        for (int c = 0; c < m->nproduct; c++) {
            m->lo[pp_mpec_base(m, k) + m->product[c].row] = 0;
            m->lo[pp_mpec_base(m, k) + m->product[c].col] = 0;
        }
    const perp_mpec_problem *p = m->p;
    for (int i = 0; i < m->np; i++) {
        tighten(m, i, p->parameter[i].min, p->parameter[i].max);
        if (p->parameter[i].prior_sd > 0) add_square(m, i, p->parameter[i].prior_mean, p->parameter[i].prior_sd);
    }
    for (int r = 0; r < p->nrow; r++) {
        const perp_mpec_row *row = &p->row[r];
        int i = pp_mpec_base(m, row->step) + pp_mpec_coordinate(m, row->body, row->coordinate);
        add_square(m, i, row->value, row->sd);
    }
    for (int r = 0; r < p->ninitial; r++) {
        const perp_mpec_initial *q = &p->initial[r];
        int i = m->np + pp_mpec_coordinate(m, q->body, q->coordinate);
        if (q->min != 0 || q->max != 0) tighten(m, i, q->min, q->max);
        if (q->prior_sd > 0) add_square(m, i, q->prior_mean, q->prior_sd);
        if (m->lo[i] > m->hi[i])
            return pp_refuse(m->why, m->why_size, PERP_E_ARG, "the bounds of initial %d contradict those of a row", r);
    }
    return PERP_OK;
}

/* Coordinates of the initial state that are not unknown. */
static perp_status fixed_start(pp_mpec *m) {
    bool *open = PP_ARENA_ZERO(&m->arena, bool, m->nx);
    m->fixed = PP_ARENA_ARRAY(&m->arena, int, m->nx);
    if (!open || !m->fixed) return refuse_memory(m);
    for (int r = 0; r < m->p->ninitial; r++)
        open[pp_mpec_coordinate(m, m->p->initial[r].body, m->p->initial[r].coordinate)] = true;
    m->nfixed = 0;
    for (int i = 0; i < m->nx; i++)
        if (!open[i]) m->fixed[m->nfixed++] = i;
    return PERP_OK;
}

bool pp_mpec_bounded(const pp_mpec *m) {
    bool any = false;
    for (int r = 0; r < m->p->nrow; r++) any |= m->p->row[r].bound > 0;
    return any;
}

double pp_mpec_row_excess(const pp_mpec *m, const double *z) {
    double most = 0;
    for (int r = 0; r < m->p->nrow; r++) {
        const perp_mpec_row *row = &m->p->row[r];
        if (!(row->bound > 0)) continue;
        int i = pp_mpec_base(m, row->step) + pp_mpec_coordinate(m, row->body, row->coordinate);
        most = fmax(most, fabs(z[i] - row->value) / row->bound - 1);
    }
    return most;
}

perp_status pp_mpec_bound_rows(pp_mpec *m) {
    for (int r = 0; r < m->p->nrow; r++) {
        const perp_mpec_row *row = &m->p->row[r];
        if (!(row->bound > 0)) continue;
        int i = pp_mpec_base(m, row->step) + pp_mpec_coordinate(m, row->body, row->coordinate);
        tighten(m, i, row->value - row->bound, row->value + row->bound);
        if (m->lo[i] > m->hi[i])
            return pp_refuse(m->why, m->why_size, PERP_E_ARG, "the bound of row %d contradicts another bound", r);
    }
    return PERP_OK;
}

double pp_mpec_objective(const pp_mpec *m, const double *z) {
    double sum = m->rest;
    for (int i = 0; i < m->n; i++) {
        double d = z[i] - m->target[i];
        sum += m->weight_sum[i] * d * d;
    }
    return sum;
}

void pp_mpec_weigh(pp_mpec *m, double mean_square) {
    double steep = 0;
    for (int i = 0; i < m->n; i++) {
        if (!(m->weight_sum[i] > 0)) continue;
        int x = i < m->np ? m->nx + i : i < m->np + m->nx ? i - m->np : (i - m->np - m->nx) % m->nu;
        steep = fmax(steep, sqrt(m->weight_sum[i]) * m->size[x]);
    }
    double unit = sqrt(mean_square) * steep;
    m->objective_unit = unit > 0 && isfinite(unit) ? unit : 1;
}

/* ---- places ---- */

static void place(pp_cells *c, int row, int col) { c->cell[c->n++] = (pp_cell){row, col}; }
/* The same in the lower triangle. */
static void place_low(pp_cells *c, int i, int j) { place(c, i > j ? i : j, i > j ? j : i); }

/* Unknown of x_i at the start of step k + 1. */
static int of_x(const pp_mpec *m, int k, int i) { return i < m->nx ? pp_mpec_base(m, k) + i : i - m->nx; }

static void jacobian_places(pp_mpec *m) {
    pp_cells *J = &m->jacobian;
    J->n = 0;
    for (int r = 0; r < m->nfixed; r++) {
        place(J, r, m->np + m->fixed[r]);
        for (int i = 0; i < m->np; i++)
            if (m->start_moves[i]) place(J, r, i);
    }
    for (int k = 1; k <= m->steps; k++) {
        int row = pp_mpec_row(m, k), base = pp_mpec_base(m, k), before = pp_mpec_base(m, k - 1);
        for (int e = 0; e < m->du.n; e++) place(J, row + m->du.cell[e].row, base + m->du.cell[e].col);
        for (int e = 0; e < m->dx.n; e++) place(J, row + m->dx.cell[e].row, of_x(m, k - 1, m->dx.cell[e].col));
        row += m->nlaw;
        for (int i = 0; i < m->ndof; i++) {
            place(J, row + i, base + i);
            place(J, row + i, before + i);
            place(J, row + i, base + m->ndof + i);
        }
        row += m->ndof;
        for (int c = 0; c < m->nproduct; c++) {
            place(J, row + c, base + m->product[c].row);
            place(J, row + c, base + m->product[c].col);
        }
    }
}

static void hessian_places(pp_mpec *m) {
    pp_cells *H = &m->hessian;
    H->n = 0;
    for (int i = 0; i < m->n; i++)
        if (m->weight_sum[i] > 0) place(H, i, i);
    for (int k = 1; k <= m->steps; k++) {
        int base = pp_mpec_base(m, k);
        for (int e = 0; e < m->duu.n; e++) place_low(H, base + m->duu.cell[e].row, base + m->duu.cell[e].col);
        for (int c = 0; c < m->nproduct; c++) place_low(H, base + m->product[c].row, base + m->product[c].col);
        for (int e = 0; e < m->dxu.n; e++) place_low(H, of_x(m, k - 1, m->dxu.cell[e].row), base + m->dxu.cell[e].col);
        for (int e = 0; e < m->dxx.n; e++)
            place_low(H, of_x(m, k - 1, m->dxx.cell[e].row), of_x(m, k - 1, m->dxx.cell[e].col));
    }
}

perp_status pp_mpec_program(pp_mpec *m) {
    m->n = m->np + m->nx + m->steps * m->nu;
    m->objective_unit = 1;
    perp_status st = fixed_start(m);
    if (st) return st;
    m->m = m->nfixed + m->steps * pp_mpec_step_size(m);
    return unknowns(m);
}

/* After the probe: it knows what depends on what. */
perp_status pp_mpec_places(pp_mpec *m) {
    int jac = m->nfixed * (1 + m->np) + m->steps * (m->du.n + m->dx.n + 3 * m->ndof + 2 * m->nproduct);
    int hess = m->n + m->steps * (m->duu.n + m->nproduct + m->dxu.n + m->dxx.n);
    m->jacobian.cell = PP_ARENA_ARRAY(&m->arena, pp_cell, jac);
    m->hessian.cell = PP_ARENA_ARRAY(&m->arena, pp_cell, hess);
    m->dx_value = PP_ARENA_ARRAY(&m->arena, double, m->steps * m->dx.n);
    m->dxu_value = PP_ARENA_ARRAY(&m->arena, double, m->steps * m->dxu.n);
    m->dxx_value = PP_ARENA_ARRAY(&m->arena, double, m->steps * m->dxx.n);
    m->start_value = PP_ARENA_ARRAY(&m->arena, double, m->nx * m->np);
    if (!m->jacobian.cell || !m->hessian.cell || !m->dx_value || !m->dxu_value || !m->dxx_value || !m->start_value)
        return refuse_memory(m);
    jacobian_places(m);
    hessian_places(m);
    return PERP_OK;
}

/* ---- values ---- */

bool pp_mpec_constraints(pp_mpec *m, const double *z, double *g) {
    m->trouble = pp_mpec_at(m, z);
    if (m->trouble) return false;
    for (int r = 0; r < m->nfixed; r++) g[r] = z[m->np + m->fixed[r]] - m->x_start[m->fixed[r]];
    for (int k = 1; k <= m->steps; k++) {
        const double *x = z + pp_mpec_base(m, k - 1), *u = z + pp_mpec_base(m, k);
        double *row = g + pp_mpec_row(m, k);
        const perp_step_problem *p;
        m->trouble = pp_mpec_pose(m, k - 1, x, &p);
        if (m->trouble) return false;
        (void)pp_mpec_laws(m, p, u, row, NULL, NULL);
        row += m->nlaw;
        for (int i = 0; i < m->ndof; i++) row[i] = (u[i] - x[i] - m->h * u[m->ndof + i]) / m->h;
        row += m->ndof;
        for (int c = 0; c < m->nproduct; c++) row[c] = u[m->product[c].row] * u[m->product[c].col];
    }
    return true;
}

bool pp_mpec_jacobian(pp_mpec *m, const double *z, double *value) {
    m->trouble = pp_mpec_by_x(m, z, m->dx_value);
    if (!m->trouble) m->trouble = pp_mpec_start_by_parameter(m, z, m->start_value);
    if (!m->trouble) m->trouble = pp_mpec_at(m, z);
    if (m->trouble) return false;
    for (int r = 0; r < m->nfixed; r++) {
        *value++ = 1;
        for (int i = 0; i < m->np; i++)
            if (m->start_moves[i]) *value++ = -m->start_value[i * m->nx + m->fixed[r]];
    }
    for (int k = 1; k <= m->steps; k++) {
        const double *x = z + pp_mpec_base(m, k - 1), *u = z + pp_mpec_base(m, k);
        const perp_step_problem *p;
        m->trouble = pp_mpec_pose(m, k - 1, x, &p);
        if (m->trouble) return false;
        value += pp_mpec_laws(m, p, u, m->c[0], value, NULL);
        memcpy(value, m->dx_value + (size_t)(k - 1) * (size_t)m->dx.n, (size_t)m->dx.n * sizeof *value);
        value += m->dx.n;
        for (int i = 0; i < m->ndof; i++) {
            *value++ = 1 / m->h;
            *value++ = -1 / m->h;
            *value++ = -1;
        }
        for (int c = 0; c < m->nproduct; c++) {
            *value++ = u[m->product[c].col];
            *value++ = u[m->product[c].row];
        }
    }
    return true;
}

bool pp_mpec_hessian(pp_mpec *m, const double *z, double factor, const double *lambda, double *value) {
    int stride = pp_mpec_step_size(m);
    m->trouble = pp_mpec_by_xx(m, z, lambda + pp_mpec_row(m, 1), stride, m->dxu_value, m->dxx_value);
    if (!m->trouble) m->trouble = pp_mpec_at(m, z);
    if (m->trouble) return false;
    for (int i = 0; i < m->n; i++)
        if (m->weight_sum[i] > 0) *value++ = 2 * factor * m->weight_sum[i] / m->objective_unit;
    for (int k = 1; k <= m->steps; k++) {
        const double *x = z + pp_mpec_base(m, k - 1), *u = z + pp_mpec_base(m, k), *y = lambda + pp_mpec_row(m, k);
        const perp_step_problem *p = NULL;
        if (m->duu.n > 0) m->trouble = pp_mpec_pose(m, k - 1, x, &p);
        if (m->trouble) return false;
        if (m->duu.n > 0) value += pp_mpec_curvature(m, p, u, y, value, NULL);
        for (int c = 0; c < m->nproduct; c++) *value++ = y[m->nlaw + m->ndof + c];
        memcpy(value, m->dxu_value + (size_t)(k - 1) * (size_t)m->dxu.n, (size_t)m->dxu.n * sizeof *value);
        value += m->dxu.n;
        memcpy(value, m->dxx_value + (size_t)(k - 1) * (size_t)m->dxx.n, (size_t)m->dxx.n * sizeof *value);
        value += m->dxx.n;
    }
    return true;
}

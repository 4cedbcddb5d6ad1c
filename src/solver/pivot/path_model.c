/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_model.c - the scaled problem of the path search, its normal map and its measures
 * Problem  lo <= z <= hi complementary to F(z), with rows and variables in any units
 * Method   Rows and columns of J are scaled alternately to size 1 (square roots of the largest entries, rounded to powers of two). Positive
 *          factors of rows and variables do not change the solutions of a problem over a box.
 * Valid    Rows or columns of zeros keep their scale.
 * Cost     A few passes over J.
 * Source   Robinson, Normal maps induced by linear transformations (1992); Ruiz (2001), as in solver_lemke.c. */
#include "solver/pivot/path_model.h"

#include <math.h>
#include <string.h>

#define PASSES 6

bool pp_path_model_make(pp_path_model *m, const perp_problem *p, const perp_call *call) {
    *m = (pp_path_model){.unit = 1, .stiffest = 1, .given = p->z_scale || p->w_scale};
    if (!pp_box_make(&m->box, p, call)) return false;
    int n = m->n = m->box.n;
    m->R = PP_CALL_ARRAY(call, double, n);
    m->C = PP_CALL_ARRAY(call, double, n);
    m->lo = PP_CALL_ARRAY(call, double, n);
    m->hi = PP_CALL_ARRAY(call, double, n);
    m->z = PP_CALL_ARRAY(call, double, n);
    m->w = PP_CALL_ARRAY(call, double, n);
    m->row = PP_CALL_ARRAY(call, double, n);
    m->col = PP_CALL_ARRAY(call, double, n);
    m->J = PP_CALL_ARRAY(call, double, m->box.nnz);
    if (!m->R || !m->C || !m->lo || !m->hi || !m->z || !m->w || !m->row || !m->col || !m->J) return false;
    for (int i = 0; i < n; i++) m->z[i] = 0, m->R[i] = m->C[i] = 1;
    bool defined = pp_box_F(&m->box, m->z, m->w);
    if (!defined) { /* as the judge does: next to zero within the bounds */
        pp_box_clip(&m->box, m->z);
        defined = pp_box_F(&m->box, m->z, m->w);
    }
    if (defined) {
        double most = 0;
        for (int i = 0; i < n; i++) most = fmax(most, fabs(m->w[i]) / m->box.ws[i]);
        if (most > 0) m->unit = most;
    }
    return true;
}

/* Entries of column j: their rows (NULL: all in order), where they begin, how many. */
static int rows_of(const pp_box *b, int j, const int **index, ptrdiff_t *at) {
    if (b->dense) {
        *index = NULL;
        *at = (ptrdiff_t)b->n * j;
        return b->n;
    }
    *index = b->index + b->start[j];
    *at = b->start[j];
    return b->start[j + 1] - b->start[j];
}

/* R and C from the values in m->J, unscaled. */
static void balance(pp_path_model *m) {
    const pp_box *b = &m->box;
    int n = m->n;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < n; i++) m->row[i] = m->col[i] = 0;
        for (int j = 0; j < n; j++) {
            const int *index;
            ptrdiff_t at;
            int count = rows_of(b, j, &index, &at);
            for (int k = 0; k < count; k++) {
                int i = index ? index[k] : k;
                double a = fabs(m->J[at + k]) * m->R[i] * m->C[j];
                if (a > m->row[i]) m->row[i] = a;
                if (a > m->col[j]) m->col[j] = a;
            }
        }
        for (int i = 0; i < n; i++) {
            if (m->row[i] > 0 && isfinite(m->row[i])) m->R[i] /= sqrt(m->row[i]);
            if (m->col[i] > 0 && isfinite(m->col[i])) m->C[i] /= sqrt(m->col[i]);
        }
    }
}

static double power_of_two(double x) {
    int e;
    double f = frexp(x, &e);
    x = ldexp(1, f > 0.7071067811865476 ? e : e - 1);
    return x > 1e-100 && x < 1e100 ? x : 1;
}

bool pp_path_model_scale(pp_path_model *m, const double *z) {
    if (!pp_box_J(&m->box, z, m->J)) return false;
    for (int i = 0; i < m->n; i++) m->R[i] = 1 / m->box.ws[i], m->C[i] = m->box.zs[i];
    balance(m);
    for (int i = 0; i < m->n; i++) {
        m->R[i] = power_of_two(m->R[i]);
        m->C[i] = power_of_two(m->C[i]);
        m->lo[i] = m->box.lo[i] / m->C[i];
        m->hi[i] = m->box.hi[i] / m->C[i];
    }
    return true;
}

void pp_path_model_in(const pp_path_model *m, const double *z, double *scaled) {
    for (int i = 0; i < m->n; i++) scaled[i] = z[i] / m->C[i];
}

void pp_path_model_out(const pp_path_model *m, const double *scaled, double *z) {
    for (int i = 0; i < m->n; i++) z[i] = scaled[i] * m->C[i];
    pp_box_clip(&m->box, z);
}

bool pp_path_model_F(pp_path_model *m, const double *z, double *w) {
    pp_path_model_out(m, z, m->z);
    if (!pp_box_F(&m->box, m->z, w)) return false;
    for (int i = 0; i < m->n; i++) w[i] *= m->R[i];
    return true;
}

bool pp_path_model_J(pp_path_model *m, const double *z) {
    const pp_box *b = &m->box;
    pp_path_model_out(m, z, m->z);
    if (!pp_box_J(b, m->z, m->J)) return false;
    double most = 0;
    for (int j = 0; j < m->n; j++) {
        const int *index;
        ptrdiff_t at;
        int count = rows_of(b, j, &index, &at);
        for (int k = 0; k < count; k++) {
            most = fmax(most, fabs(m->J[at + k]));
            m->J[at + k] *= m->R[index ? index[k] : k] * m->C[j];
        }
    }
    m->stiffest = !m->given && most > 0 ? most : 1;
    return true;
}

double pp_path_model_normal(pp_path_model *m, const double *x, double *z, double *w, double *f) {
    double sum = 0;
    for (int i = 0; i < m->n; i++) {
        if (!isfinite(x[i])) return INFINITY;
        z[i] = x[i] < m->lo[i] ? m->lo[i] : x[i] > m->hi[i] ? m->hi[i] : x[i];
    }
    if (!pp_path_model_F(m, z, w)) return INFINITY;
    for (int i = 0; i < m->n; i++) {
        f[i] = w[i] + (x[i] - z[i]);
        sum += f[i] * f[i];
    }
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

void pp_path_model_lift(const pp_path_model *m, const double *z, const double *w, double *x) {
    for (int i = 0; i < m->n; i++) {
        x[i] = z[i];
        if (m->lo[i] == m->hi[i] || (z[i] <= m->lo[i] && w[i] > 0) || (z[i] >= m->hi[i] && w[i] < 0)) x[i] -= w[i];
    }
}

double pp_path_model_natural(const pp_path_model *m, const double *z, const double *w) {
    double sum = 0;
    for (int i = 0; i < m->n; i++) {
        double below = z[i] - m->lo[i], above = z[i] - m->hi[i];
        double r = w[i] < above ? above : w[i] > below ? below : w[i];
        sum += r * r;
    }
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

double pp_path_model_measure(const pp_path_model *m, const double *z, const double *w) {
    const pp_box *b = &m->box;
    double most = 0;
    for (int i = 0; i < m->n; i++) {
        double size = b->zs[i] * m->unit / m->stiffest, x = z[i] * m->C[i] / size;
        double below = x - b->lo[i] / size, above = x - b->hi[i] / size, y = w[i] / (m->R[i] * b->ws[i] * m->unit);
        if (!isfinite(x) || !isfinite(y)) return INFINITY;
        most = fmax(most, fabs(y < above ? above : y > below ? below : y));
    }
    return most;
}

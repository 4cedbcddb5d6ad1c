/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_figure.c - the judge's unit-free figure from scaled variables
 *   r_i = beta s_i x_i, rho_i = s_i^2, so |r_i - P(r_i - rho_i u_i)| = beta s_i |x_i - P(x_i - v_i)|
 * Method   The weights of contacts are s_i. Bounded rows, which may be torques, count as impulses of the mean contact: all have the
 *          weight 1/sqrt(mean W). Figures are relative to the largest weighted |x_i| or |q~_i|. */
#include "solver/cone/cone_figure.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/laws.h"
#include "problem/judge/measure.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] The rounding check is made if the figure is below this multiple of the target. */
#define ROUNDING_CHECK_WITHIN 10
/* [1] An error below this multiple of the noise may be rounding: half of what the judge allows, whose sums are in
 * another order. */
#define ROUNDING 4

static double norm(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

/* Weights of the verdict: a violation as a velocity is beta/s times the error, relative to the scale of its law. */
static bool take_judge(pp_cone_figure *f, const perp_call *call) {
    const pp_cone *c = f->c;
    if (!call->judge || c->p != &call->judged->as.cone) return true;
    const pp_laws *laws = pp_judge_laws(call->judge);
    f->law = PP_CALL_ARRAY(call, double, c->nblock);
    f->terms = PP_CALL_ARRAY(call, double, c->m);
    f->sum = PP_CALL_ARRAY(call, double, 2 * (ptrdiff_t)c->ndof);
    if (!laws || !f->law || !f->terms || !f->sum) return false;
    for (int i = 0; i < c->nblock; i++) f->law[i] = c->beta / c->scale[c->first[i]] / laws->scale[i];
    return true;
}

bool pp_cone_figure_make(pp_cone_figure *f, const pp_cone *c, const perp_call *call) {
    *f = (pp_cone_figure){.c = c, .weight = PP_CALL_ARRAY(call, double, c->nblock), .within_step = call->by_speed};
    pp_cone_figure_aim(f, 0);
    if (!f->weight) return false;
    double mean = 0;
    for (int i = c->nrow; i < c->nblock; i++) {
        f->weight[i] = c->scale[c->first[i]];
        mean += 1 / (f->weight[i] * f->weight[i]);
    }
    int contacts = c->nblock - c->nrow;
    for (int i = 0; i < c->nrow; i++) f->weight[i] = contacts > 0 ? 1 / sqrt(mean / contacts) : 1;
    for (int i = 0; i < c->nblock; i++)
        f->unit = fmax(f->unit, f->weight[i] * norm(pp_cone_rows(c, i), c->q + c->first[i]));
    return take_judge(f, call);
}

/* The judge's figure, and in *own that of pp_cone_measure(): the same errors with and without weights. */
static double figures(const pp_cone_figure *f, const double *x, const double *v, double *own) {
    const pp_cone *c = f->c;
    double most = 0, unit = f->unit, plain = 0, plain_unit = 1, e[PERP_CONE_ROWS];
    *own = INFINITY;
    for (int i = 0; i < c->nblock; i++) {
        const double *xi = x + c->first[i];
        double miss = pp_cone_natural(c, i, xi, v + c->first[i], e), long_x = norm(pp_cone_rows(c, i), xi);
        double r = f->weight[i] * miss, size = f->weight[i] * long_x;
        if (!isfinite(r) || !isfinite(size) || !isfinite(miss) || !isfinite(long_x)) return INFINITY;
        if (r > most) most = r;
        if (size > unit) unit = size;
        if (miss > plain) plain = miss;
        if (long_x > plain_unit) plain_unit = long_x;
    }
    *own = plain / plain_unit;
    return most / (unit > 0 ? unit : 1);
}

double pp_cone_figure_of(const pp_cone_figure *f, const double *x, const double *v) {
    double own;
    return figures(f, x, v, &own);
}

double pp_cone_siconos(const pp_cone *c, const double *x, const double *v) {
    double rr = 0, uu = 0, qq = 0, ee = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        double r[PERP_CONE_ROWS] = {0}, u[PERP_CONE_ROWS] = {0}, e[PERP_CONE_ROWS], slip = 0;
        for (int k = 0; k < rows; k++) {
            int row = c->first[i] + k;
            double s = c->scale[c->first[i]]; /* scale of the normal row: tangents are measured by their axes */
            r[k] = c->beta * s * x[row];
            u[k] = c->beta * v[row] / s;
            rr += r[k] * r[k];
            uu += u[k] * u[k];
            qq += (c->beta * c->q[row] / s) * (c->beta * c->q[row] / s);
            if (k > 0) slip += u[k] * u[k];
        }
        if (i < c->nrow) {
            double unit = c->beta * c->scale[c->first[i]], to = r[0] - u[0];
            to = to < unit * c->lo[i] ? unit * c->lo[i] : to > unit * c->hi[i] ? unit * c->hi[i] : to;
            ee += (r[0] - to) * (r[0] - to);
            continue;
        }
        for (int k = 0; k < rows; k++) e[k] = r[k] - u[k] - (k == 0 && !c->associated ? c->mu[i] * sqrt(slip) : 0);
        pp_cone_project(rows, c->mu[i], e);
        for (int k = 0; k < rows; k++) ee += (r[k] - e[k]) * (r[k] - e[k]);
    }
    double size = fmax(rr, fmax(uu, qq));
    return size > 0 ? sqrt(ee / size) : 0;
}

/* f->terms = |q~| + |W~| |x|: sizes of the terms of v. */
static void add_terms(const pp_cone_figure *f, const double *x) {
    const pp_cone *c = f->c;
    double *y = f->sum, *z = f->sum + c->ndof;
    for (int k = 0; k < c->m; k++) f->terms[k] = fabs(c->q[k]) + (c->c ? c->c[k] * fabs(x[k]) : 0);
    if (c->body) memset(y, 0, 2 * sizeof *y * (size_t)c->ndof);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->nblock; i++)
            for (int s = c->row[i]; s < c->row[i + 1]; s++) {
                int o = c->entry[s].other, rows = pp_cone_rows(c, i);
                int first = c->body ? c->node[o] : c->first[o],
                    cols = (c->body ? c->node[o + 1] : c->first[o + 1]) - first;
                for (int k = 0; k < cols; k++)
                    for (int r = 0; r < rows; r++) {
                        double a = fabs(c->entry[s].value[r + rows * k]);
                        if (!c->body)
                            f->terms[c->first[i] + r] += a * fabs(x[first + k]);
                        else if (pass == 0)
                            y[first + k] += a * fabs(x[c->first[i] + r]);
                        else
                            f->terms[c->first[i] + r] += a * z[first + k];
                    }
            }
        if (!c->body) return;
        for (int n = 0; pass == 0 && n < c->nnode; n++)
            for (int at = c->node[n], size = c->node[n + 1] - at, k = 0; k < size; k++)
                for (int r = 0; r < size; r++) z[at + r] += fabs(c->Minv[n][r + size * k]) * y[at + k];
    }
}

/* The figure of the verdict. Laws that miss the target only by rounding count as meeting it. close: make this check. */
static double by_judge(const pp_cone_figure *f, const double *x, const double *v, bool close) {
    const pp_cone *c = f->c;
    double most = 0, e[PERP_CONE_ROWS];
    if (close) add_terms(f, x);
    for (int i = 0; i < c->nblock; i++) {
        double miss = pp_cone_natural(c, i, x + c->first[i], v + c->first[i], e), figure = f->law[i] * miss;
        double noise = close ? DBL_EPSILON * norm(pp_cone_rows(c, i), f->terms + c->first[i]) : 0;
        if (!(figure < INFINITY)) return INFINITY;
        if (f->law[i] * noise > PP_NOISY)
            figure = fmax(figure, f->law[i] * noise);
        else if (figure > f->aim && miss <= ROUNDING * noise)
            figure = f->aim;
        if (figure > most) most = figure;
    }
    return most;
}

double pp_cone_strictest(const pp_cone_figure *f, const double *x, const double *v) {
    double own, worst = figures(f, x, v, &own);
    if (!(own <= worst)) worst = own;
    if (f->siconos > 0) {
        double siconos = f->siconos * pp_cone_siconos(f->c, x, v);
        if (!(siconos <= worst)) worst = siconos;
    }
    if (!f->law) return worst;
    double judged = by_judge(f, x, v, worst <= ROUNDING_CHECK_WITHIN * f->aim);
    return judged <= worst ? worst : judged;
}

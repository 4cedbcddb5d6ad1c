/* cone_figure.c - the judge's unit-free figure from scaled variables
 *   r_i = beta s_i x_i, rho_i = s_i^2, so |r_i - P(r_i - rho_i u_i)| = beta s_i |x_i - P(x_i - v_i)|
 * Method   weights s_i of contacts; bounded rows, which may be torques, count as impulses of the mean contact, that is
 *          all with one weight 1/sqrt(mean W); figures over the largest weighted |x_i| or |q~_i|. */
#include "solver/cone_figure.h"

#include <math.h>

static double norm(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

bool pp_cone_figure_make(pp_cone_figure *f, const pp_cone *c, const perp_call *call) {
    *f = (pp_cone_figure){.c = c, .weight = PP_CALL_ARRAY(call, double, c->nblock), .siconos = 0.2};
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
    return true;
}

/* The judge's figure, and in *own that of pp_cone_measure(): the same errors, with weights and without. */
static double figures(const pp_cone_figure *f, const double *x, const double *v, double *own) {
    const pp_cone *c = f->c;
    double most = 0, unit = f->unit, plain = 0, plain_unit = 1, e[4];
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
        double r[4] = {0}, u[4] = {0}, e[4], slip = 0;
        for (int k = 0; k < rows; k++) {
            int row = c->first[i] + k;
            double s = c->scale[c->first[i]]; /* of the normal row: tangents are measured by their axes */
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

double pp_cone_strictest(const pp_cone_figure *f, const double *x, const double *v) {
    double own, worst = figures(f, x, v, &own);
    if (!(own <= worst)) worst = own;
    double siconos = f->siconos * pp_cone_siconos(f->c, x, v);
    return siconos <= worst ? worst : siconos;
}

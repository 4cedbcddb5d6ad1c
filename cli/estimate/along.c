/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* along.c - estimates along the data: a moving window, and filters. The state of the run continues from row to
 * row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perp/filter.h"
#include "perp/fit.h"
#include "estimate/estimation.h"

/* The numbers that go along: the state, then the unknowns that are constant. */
typedef struct vector {
    int n, states;
    double mean[2 * PP_STUDY_NAMES], sd[2 * PP_STUDY_NAMES]; /* at row 0; sd INFINITY: nothing is known, 0: known */
    double lower[2 * PP_STUDY_NAMES], upper[2 * PP_STUDY_NAMES], walk[2 * PP_STUDY_NAMES];
} vector;

static const pp_unknown *unknown_of(const pp_estimate *e, int parameter) {
    for (int i = 0; i < e->n; i++)
        if (e->unknown[i].parameter == parameter) return &e->unknown[i];
    return NULL;
}

static void take(vector *v, const pp_unknown *u, double base) {
    int i = v->n++;
    v->lower[i] = u ? u->lower : -INFINITY;
    v->upper[i] = u ? u->upper : INFINITY;
    v->walk[i] = u ? u->walk : 0;
    bool prior = u && isfinite(u->prior_sd);
    v->mean[i] = prior ? u->prior_mean : u ? u->start : base;
    v->sd[i] = prior ? u->prior_sd : u ? INFINITY : 0;
}

static vector vector_of(const pp_estimate *e) {
    vector v = {.states = e->nstate};
    for (int i = 0; i < e->nstate; i++)
        take(&v, unknown_of(e, e->state[i].parameter), e->cases[0].value[e->state[i].parameter]);
    for (int i = 0; i < e->nconstant; i++) take(&v, &e->unknown[e->constant[i]], 0);
    /* bounds are of the start; later the state may go anywhere */
    for (int i = 0; i < e->nstate; i++) v.lower[i] = -INFINITY, v.upper[i] = INFINITY;
    return v;
}

static perp_status no_memory(const estimation *s, perp_refusal *why) {
    return pp_study_no_memory(s->e.study, "estimate", why);
}

static perp_status one_case(const estimation *s, const char *name, perp_refusal *why) {
    if (s->e.ncase == 1) return PERP_OK;
    return pp_complain_say(why, PERP_E_FIT, (pp_location){s->e.study->path, 0, 0}, "estimate.method",
                           "%s goes along one table of rows, and the data are %d tables", name, s->e.ncase);
}

/* Room for `rows` estimates of all unknowns. Unknowns of the start state are not estimated along: NAN. */
static bool room(const estimation *s, found *f, int rows) {
    size_t n = (size_t)s->e.n * (size_t)rows;
    f->rows = rows;
    f->t = malloc(sizeof *f->t * (size_t)rows);
    f->mean = malloc(sizeof *f->mean * n);
    f->deviation = malloc(sizeof *f->deviation * n);
    for (size_t i = 0; f->mean && f->deviation && i < n; i++) f->mean[i] = f->deviation[i] = NAN;
    return f->t && f->mean && f->deviation;
}

/* ---- windows ---- */

static bool window_residuals(void *ctx, int first, int last, int count, const double *z, double *r) {
    estimation *s = ctx;
    return pp_rollouts_parts(s->runs, &(pp_part_run){.first = first, .last = last, .count = count, .z = z, .out = r});
}

static bool go_on(estimation *s, int from, int to, int count, const double *z, double *out) {
    int states = s->e.nstate, n = states + s->e.nconstant;
    double *end = malloc(sizeof *end * (size_t)(states * count + 1));
    bool ok = end &&
              pp_rollouts_parts(s->runs, &(pp_part_run){.first = from, .last = to, .count = count, .z = z, .end = end});
    for (int i = 0; ok && i < count; i++) {
        memcpy(out + i * n, z + i * n, sizeof *z * (size_t)n);
        memcpy(out + i * n, end + i * states, sizeof *z * (size_t)states);
    }
    free(end);
    return ok;
}

static bool window_advance(void *ctx, int from, int to, int count, const double *z, double *out) {
    return go_on(ctx, from, to, count, z, out);
}

static void window_scatter(const estimation *s, found *f) {
    for (int k = 0; k < s->e.n; k++) {
        double sum = 0, square = 0, predicted = 0, n = f->rows;
        for (int i = 0; i < f->rows; i++) {
            double x = f->mean[i * s->e.n + k];
            sum += x, square += x * x, predicted += f->deviation[i * s->e.n + k];
        }
        f->x[k] = sum / n;
        f->scatter[k] = n > 1 ? sqrt(fmax(0, square - sum * sum / n) / (n - 1)) : NAN;
        f->predicted[k] = predicted / n;
        f->sd[k] = NAN;
    }
}

perp_status estimate_window(estimation *s, const method *m, found *f, perp_refusal *why) {
    perp_status st = one_case(s, "window", why);
    if (st) return st;
    const pp_case *c = &s->e.cases[0];
    vector v = vector_of(&s->e);
    bool prior = false, walk = false;
    for (int i = 0; i < v.n; i++) {
        if (v.sd[i] == 0) /* known at the start, as good as certain */
            v.sd[i] = 1e-9 * (1 + fabs(v.mean[i]));
        prior = prior || isfinite(v.sd[i]);
        walk = walk || v.walk[i] > 0;
    }
    perp_window_problem p = {.states = v.states,
                             .parameters = v.n - v.states,
                             .rows = c->nrow,
                             .each = s->e.width,
                             .lower = v.lower,
                             .upper = v.upper,
                             .start = v.mean,
                             .prior_mean = prior ? v.mean : NULL,
                             .prior_sd = prior ? v.sd : NULL,
                             .walk_sd = walk ? v.walk : NULL,
                             .residuals = window_residuals,
                             .advance = window_advance,
                             .ctx = s};
    perp_window_options o = {.length = (int)m->length, .stride = (int)m->stride, .arrival = m->arrival};
    o.fit = perp_fit_options_default();
    if (m->iterations) o.fit.iterations = (int)m->iterations;
    snprintf(f->label, sizeof f->label, "window %d%s", o.length, o.arrival ? " with arrival cost" : "");
    int windows = perp_window_count(&p, &o);
    if (windows < 1)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){s->e.study->path, 0, 0}, "estimate.method",
                               "found a window of %d rows; allowed: at most %d, the rows of the data", o.length,
                               c->nrow);
    double *z = malloc(sizeof *z * 2 * (size_t)(windows * v.n)), *sd = z ? z + windows * v.n : NULL;
    perp_window_result r = {.z = z, .sd = sd};
    st = z && room(s, f, windows) ? perp_fit_window(&p, &o, &r, why) : no_memory(s, why);
    int stride = o.stride > 0 ? o.stride : 1;
    for (int i = 0; !st && i < windows; i++) {
        f->t[i] = c->t[i * stride + o.length - 1];
        for (int k = 0; k < s->e.nconstant; k++) {
            f->mean[i * s->e.n + s->e.constant[k]] = z[i * v.n + v.states + k];
            f->deviation[i * s->e.n + s->e.constant[k]] = sd[i * v.n + v.states + k];
        }
    }
    if (!st) window_scatter(s, f);
    f->evaluations = r.evaluations;
    f->ok = !st;
    free(z);
    return st;
}

/* ---- filters ---- */

static int row_of(const estimation *s, double t) {
    const pp_case *c = &s->e.cases[0];
    int best = 0;
    for (int i = 1; i < c->nrow; i++)
        if (fabs(c->t[i] - t) < fabs(c->t[best] - t)) best = i;
    return best;
}

static bool filter_advance(void *ctx, int count, const double *in, double *out, double t0, double t1) {
    estimation *s = ctx;
    return go_on(s, row_of(s, t0), row_of(s, t1), count, in, out);
}

/* A quantity that is a number of the state needs no run. */
static int direct(const pp_estimate *e, int observed) {
    const char *text = pp_yaml_text(&e->study->tree, e->observed[observed].node);
    for (int i = 0; i < e->nstate; i++)
        if (!strcmp(text, e->state[i].series)) return i;
    return -1;
}

static bool filter_observe(void *ctx, int count, const double *x, double t, double *y) {
    estimation *s = ctx;
    const pp_estimate *e = &s->e;
    int n = e->nstate + e->nconstant, m = e->nobserved, row = row_of(s, t);
    bool plain = true;
    for (int k = 0; k < m; k++) plain = plain && direct(e, k) >= 0;
    if (!plain &&
        !pp_rollouts_parts(s->runs, &(pp_part_run){.first = row, .last = row, .count = count, .z = x, .out = y}))
        return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < m; k++) {
            double data = e->cases[0].y[(size_t)row * (size_t)e->columns + (size_t)k], *to = &y[i * m + k];
            *to = plain ? x[i * n + direct(e, k)] : isnan(data) ? 0 : *to * e->observed[k].sd + data;
        }
    return true;
}

static perp_status filter_fits(const estimation *s, const method *m, const vector *v, perp_refusal *why) {
    pp_location at = {s->e.study->path, 0, 0};
    perp_status st = one_case(s, m->name, why);
    for (int k = 0; !st && k < s->e.nobserved; k++)
        if (s->e.observed[k].rotation)
            st = pp_complain_say(why, PERP_E_FIT, at, "estimate.method", "%s does not support rotations", m->name);
    for (int i = 0; !st && i < v->n; i++) {
        int p = i < v->states ? s->e.state[i].parameter : s->e.unknown[s->e.constant[i - v->states]].parameter;
        if (!isfinite(v->sd[i]))
            st = pp_complain_say(why, PERP_E_ARG, at, "estimate.unknown",
                                 "%s needs a prior of %s: what is known before the first row", m->name,
                                 s->e.study->parameter[p]);
    }
    return st;
}

perp_status estimate_filter(estimation *s, const method *m, found *f, perp_refusal *why) {
    const pp_case *c = &s->e.cases[0];
    vector v = vector_of(&s->e);
    int n = v.n, rows = c->nrow;
    perp_status st = filter_fits(s, m, &v, why);
    if (st) return st;
    double *P = calloc((size_t)(n * n), sizeof *P), *mean = malloc(sizeof *mean * 2 * (size_t)(rows * n)),
           noise[PP_OBSERVED_MAX];
    if (!P || !mean || !room(s, f, rows)) st = no_memory(s, why);
    for (int i = 0; !st && i < n; i++) P[i * n + i] = v.sd[i] > 0 ? v.sd[i] * v.sd[i] : 1e-18;
    for (int k = 0; k < s->e.nobserved; k++) noise[k] = s->e.observed[k].sd;
    perp_filter_problem p = {.n = n,
                             .m = s->e.nobserved,
                             .rows = rows,
                             .time = c->t,
                             .data = c->y,
                             .noise_sd = noise,
                             .mean = v.mean,
                             .covariance = P,
                             .walk_sd = v.walk,
                             .lower = v.lower,
                             .upper = v.upper,
                             .advance = filter_advance,
                             .observe = filter_observe,
                             .ctx = s};
    perp_filter_options o = {.method = !strcmp(m->name, "kalman")            ? "unscented"
                                       : !strcmp(m->name, "ensemble-kalman") ? "ensemble"
                                                                             : "particle",
                             .particles = (int)m->particles,
                             .resample = m->resample,
                             .seed = (uint64_t)m->seed};
    perp_filter_result r = {.mean = mean, .sd = mean ? mean + rows * n : NULL};
    if (!st) st = perp_filter(&p, &o, &r, why);
    for (int i = 0; !st && i < rows; i++) {
        f->t[i] = c->t[i];
        for (int k = 0; k < s->e.nconstant; k++) {
            f->mean[i * s->e.n + s->e.constant[k]] = mean[i * n + v.states + k];
            f->deviation[i * s->e.n + s->e.constant[k]] = r.sd[i * n + v.states + k];
        }
    }
    for (int k = 0; !st && k < s->e.n; k++) {
        f->x[k] = f->mean[(rows - 1) * s->e.n + k];
        f->sd[k] = f->deviation[(rows - 1) * s->e.n + k];
    }
    f->evaluations = r.evaluations;
    f->cost = -2 * r.total;
    f->ok = !st;
    free(P);
    free(mean);
    return st;
}

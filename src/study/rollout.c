/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rollout.c - unknowns in, residuals out: the scene is run for each point and case, and compared with the rows.
 *
 * Between two frames the run is taken as a straight line, for rows whose time is no multiple of h. A rotation is compared by
 * the rotation vector of q_data^-1 q_run, so the sign of a quaternion does not matter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/estimate.h"

#include "base/elementary.h"

#define SLACK 1e-9 /* part of h: a frame that is this near to the time of a row is taken as it is */

/* A quantity, compiled for a trace. */
typedef struct looked {
    pp_expr *x; /* NULL: a plain series */
    int series[PP_BRACES_MAX], nseries;
} looked;

typedef struct runner {
    pp_trace *trace;
    looked seen[PP_OBSERVED_MAX];
    int state[PP_STUDY_NAMES];
    perp_scene_value *set;
    char why[PP_TRIAL_WHY];
    uint64_t runs, failed;
} runner;

struct pp_rollouts {
    const pp_estimate *e;
    perp_ensemble *ensemble;
    runner *run;
    int n, refine;
    bool (*stop)(void);
};

/* ---- making ---- */

static perp_status need(pp_trace *t, const char *name, int *index, const pp_estimate *e, uint32_t node, const char *key,
                        perp_refusal *why) {
    perp_refusal inner;
    perp_status st = pp_trace_need(t, name, index, &inner);
    if (!st) return PERP_OK;
    return pp_complain(why, PERP_E_NAME, pp_yaml_place(&e->study->tree, node), key, inner.found[0] ? inner.found : name,
                       inner.allowed[0] ? inner.allowed : "a series of the scene");
}

static perp_status look_at(const pp_estimate *e, runner *r, int i, perp_refusal *why) {
    const pp_observed *o = &e->observed[i];
    const pp_study *s = e->study;
    const pp_tree *t = &s->tree;
    looked *l = &r->seen[i];
    char name[160], words[512], key[160];
    if (o->rotation) {
        static const char *const parts[] = {"qw", "qx", "qy", "qz"};
        perp_status st = PERP_OK;
        for (int k = 0; !st && k < 4; k++) {
            (void)snprintf(name, sizeof name, "%.120s.%s", o->body, parts[k]);
            st = need(r->trace, name, &l->series[k], e, e->data, "estimate.data.rotations", why);
        }
        l->nseries = 4;
        return st;
    }
    pp_span text = pp_span_trimmed((pp_span){pp_yaml_text(t, o->node), t->node[o->node].length});
    pp_field_path(key, sizeof key, "estimate.data.columns", o->column);
    if (!pp_is_formula(text)) {
        l->nseries = 1;
        return need(r->trace, pp_yaml_text(t, o->node), &l->series[0], e, o->node, key, why);
    }
    pp_braces b;
    size_t where = 0;
    const char *variable[PP_BRACES_MAX + PP_STUDY_VARIABLES];
    int n = 0;
    if (!pp_braces_out(text, &b, words, sizeof words)) return pp_field_complain(t, o->node, 0, key, words, why);
    variable[n++] = "t";
    for (int k = 0; k < b.n; k++) {
        if (b.name[k].n >= sizeof name) return pp_field_refuse(t, o->node, key, "shorter names", why);
        memcpy(name, b.name[k].s, b.name[k].n);
        name[b.name[k].n] = 0;
        perp_status st = need(r->trace, name, &l->series[k], e, o->node, key, why);
        if (st) return st;
        variable[n++] = pp_braces_variable[k];
    }
    l->nseries = b.n;
    for (int k = 0; k < s->nparameter; k++) variable[n++] = s->parameter[k];
    pp_expr_names names = {.variable = variable, .nvariable = n, .function = pp_formula_functions, .nfunction = 1};
    l->x = pp_expr_compile(&s->alloc, b.code, strlen(b.code), &names, words, sizeof words, &where);
    return l->x ? PERP_OK : pp_field_complain(t, o->node, 0, key, words, why);
}

static perp_status make_runner(pp_rollouts *p, int i, perp_refusal *why) {
    const pp_estimate *e = p->e;
    runner *r = &p->run[i];
    perp_status st = pp_trace_new(pp_ensemble_scene(p->ensemble, i), 1, &r->trace, why);
    for (int k = 0; !st && k < e->nobserved; k++) st = look_at(e, r, k, why);
    for (int k = 0; !st && k < e->nstate; k++)
        st = need(r->trace, e->state[k].series, &r->state[k], e, e->study->estimate, "estimate.state", why);
    r->set = pp_alloc(&e->study->alloc, sizeof *r->set * (size_t)(e->study->nparameter + 1));
    if (!st && !r->set) st = pp_study_no_memory(e->study, "", why);
    return st;
}

perp_status pp_rollouts_new(const pp_estimate *e, int workers, bool (*stop)(void), pp_rollouts **out,
                            perp_refusal *why) {
    const perp_allocator *a = &e->study->alloc;
    *out = NULL;
    pp_rollouts *p = pp_alloc(a, sizeof *p);
    if (!p) return pp_study_no_memory(e->study, "", why);
    *p = (pp_rollouts){.e = e, .stop = stop, .refine = 1};
    perp_status st = perp_ensemble_create(e->study->scene, workers, &p->ensemble, why);
    int n = st ? 0 : perp_ensemble_workers(p->ensemble);
    p->run = pp_alloc(a, sizeof *p->run * (size_t)(n + 1));
    if (!st && !p->run) st = pp_study_no_memory(e->study, "", why);
    if (p->run) memset(p->run, 0, sizeof *p->run * (size_t)(n + 1));
    while (!st && p->n < n) st = make_runner(p, p->n++, why);
    if (st)
        pp_rollouts_free(p);
    else
        *out = p;
    return st;
}

void pp_rollouts_free(pp_rollouts *p) {
    if (!p) return;
    const perp_allocator a = p->e->study->alloc;
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < p->e->nobserved; k++) pp_expr_free(&a, p->run[i].seen[k].x);
        pp_trace_free(p->run[i].trace);
        pp_free(&a, p->run[i].set);
    }
    pp_free(&a, p->run);
    perp_ensemble_destroy(p->ensemble);
    pp_free(&a, p);
}

/* ---- one run ---- */

static void fail(runner *r, const char *text) {
    if (!r->failed++) (void)snprintf(r->why, sizeof r->why, "%.190s", text);
}

/* Runs the scene with these values until `end`; `value` becomes what the scene has then. */
static bool run_until(pp_rollouts *p, runner *r, perp_scene *scene, double *value, double end) {
    const pp_study *s = p->e->study;
    perp_refusal why;
    r->runs++;
    for (int i = 0; i < s->nparameter; i++) {
        if (isfinite(value[i])) continue;
        fail(r, "a parameter is not a number");
        return false;
    }
    perp_status st = perp_scene_set_many(scene, r->set, pp_study_settings(s, value, r->set), &why);
    for (int i = 0; !st && i < s->nparameter; i++) value[i] = perp_scene_parameter_at(scene, i).value;
    perp_world *w = perp_scene_world(scene);
    if (!st && p->refine > 1) st = perp_world_set_h(w, perp_world_h(w) / p->refine);
    if (!st) st = pp_trace_reset(r->trace, scene, &why);
    if (!st) st = pp_trace_first(r->trace, &why);
    perp_certificate cert;
    double steps = st ? 0 : ceil(end / perp_world_h(w) - SLACK);
    for (double k = 0; !st && k < steps; k++) {
        st = perp_world_step(w, &cert);
        if (st) (void)snprintf(why.text, sizeof why.text, "%s", perp_world_why(w));
        if (!st) st = pp_trace_step(r->trace, &cert, &why);
    }
    if (st) fail(r, why.text);
    return !st;
}

/* The frames about a time: value = (1 - part) at k + part at k + 1. */
typedef struct moment {
    uint64_t k;
    double part;
} moment;

static moment find_moment(const pp_trace *t, double time, double h) {
    const double *at = pp_trace_time(t);
    uint64_t n = pp_trace_frames(t), lo = 0, hi = n;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (at[mid] <= time + SLACK * h)
            lo = mid;
        else
            hi = mid;
    }
    if (lo + 1 >= n || time - at[lo] <= SLACK * h) return (moment){lo, 0};
    return (moment){lo, (time - at[lo]) / (at[lo + 1] - at[lo])};
}

static double at_frame(const runner *r, const looked *l, uint64_t k, const double *value, int nvalue) {
    if (!l->x) return pp_trace_values(r->trace, l->series[0])[k];
    double variable[PP_BRACES_MAX + PP_STUDY_VARIABLES], out = NAN;
    char words[64];
    int n = 0;
    variable[n++] = pp_trace_time(r->trace)[k];
    for (int i = 0; i < l->nseries; i++) variable[n++] = pp_trace_values(r->trace, l->series[i])[k];
    memcpy(variable + n, value, sizeof *value * (size_t)nvalue);
    return pp_expr_eval(l->x, variable, pp_formula_call, NULL, &out, words, sizeof words) ? out : NAN;
}

/* Rotation vector of d^-1 q. */
static void rotation_between(const double d[4], const double q[4], double out[3]) {
    double nd = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]);
    double nq = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), s = 1 / (nd * nq);
    double w = s * (d[0] * q[0] + d[1] * q[1] + d[2] * q[2] + d[3] * q[3]);
    double v[3] = {s * (d[0] * q[1] - d[1] * q[0] - d[2] * q[3] + d[3] * q[2]),
                   s * (d[0] * q[2] + d[1] * q[3] - d[2] * q[0] - d[3] * q[1]),
                   s * (d[0] * q[3] - d[1] * q[2] + d[2] * q[1] - d[3] * q[0])};
    double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double angle = 2 * pp_atan2(sine, fabs(w)), sign = w < 0 ? -1 : 1;
    double factor = sine > 1e-12 ? sign * angle / sine : sign * 2;
    for (int i = 0; i < 3; i++) out[i] = factor * v[i];
}

/* Residuals of one row; missing data have none unless `all`, then they are 0. Returns their number. */
static int compare(const pp_estimate *e, const runner *r, moment at, const double *value, const double *y, bool all,
                   double *out) {
    int n = 0;
    for (int i = 0; i < e->nobserved; i++) {
        const pp_observed *o = &e->observed[i];
        const looked *l = &r->seen[i];
        bool missing = isnan(y[0]);
        if (missing && all)
            for (int k = 0; k < o->width; k++) out[n++] = 0;
        if (!missing && o->rotation) {
            double q[4], v[3];
            for (int k = 0; k < 4; k++) {
                const double *series = pp_trace_values(r->trace, l->series[k]);
                q[k] = series[at.k] + (at.part > 0 ? at.part * (series[at.k + 1] - series[at.k]) : 0);
            }
            rotation_between(y, q, v);
            for (int k = 0; k < 3; k++) out[n++] = v[k] / o->sd;
        } else if (!missing) {
            double x = at_frame(r, l, at.k, value, e->study->nparameter);
            if (at.part > 0) x += at.part * (at_frame(r, l, at.k + 1, value, e->study->nparameter) - x);
            out[n++] = (x - y[0]) / o->sd;
        }
        y += o->rotation ? 4 : 1;
    }
    return n;
}

/* ---- whole cases ---- */

typedef struct whole {
    pp_rollouts *p;
    const double *x;
    double *out;
    const int *chosen; /* cases */
    int nchosen, m;
} whole;

static bool run_case(void *ctx, int worker, perp_scene *scene, uint64_t i, void *result) {
    (void)result;
    const whole *w = ctx;
    const pp_estimate *e = w->p->e;
    runner *r = &w->p->run[worker];
    uint64_t point = i / (uint64_t)w->nchosen;
    const pp_case *c = &e->cases[w->chosen[i % (uint64_t)w->nchosen]];
    double value[PP_STUDY_VARIABLES], *out = w->out + point * (uint64_t)w->m + c->first;
    memcpy(value, c->value, sizeof *value * (size_t)e->study->nparameter);
    for (int k = 0; k < e->n; k++) value[e->unknown[k].parameter] = w->x[point * (uint64_t)e->n + (uint64_t)k];
    bool good = run_until(w->p, r, scene, value, c->t[c->nrow - 1]);
    double h = perp_world_h(perp_scene_world(scene));
    for (int k = 0; !good && k < c->count; k++) out[k] = NAN;
    for (int k = 0, n = 0; good && k < c->nrow; k++)
        n += compare(e, r, find_moment(r->trace, c->t[k], h), value, c->y + (size_t)k * (size_t)e->columns, false,
                     out + n);
    return true;
}

static bool stop(void *ctx) {
    const pp_rollouts *p = ctx;
    return p->stop && p->stop();
}
static bool stop_whole(void *ctx) { return stop(((whole *)ctx)->p); }

bool pp_rollouts_residuals(pp_rollouts *p, bool check, int count, const double *x, double *out) {
    const pp_estimate *e = p->e;
    int n = 0, m = 0, *chosen = pp_alloc(&e->study->alloc, sizeof *chosen * (size_t)(e->ncase + 1));
    if (!chosen) return false;
    for (int i = 0; i < e->ncase; i++) {
        const pp_case *c = &e->cases[i];
        if (check ? c->fit : !c->fit) continue;
        chosen[n++] = i;
        m += c->count;
    }
    whole w = {.p = p, .x = x, .out = out, .chosen = chosen, .nchosen = n, .m = m};
    perp_trials t = {
        .count = (uint64_t)n * (uint64_t)count, .result_size = 1, .run = run_case, .stop = stop_whole, .ctx = &w};
    perp_status st = n ? perp_ensemble_run(p->ensemble, &t, NULL) : PERP_OK;
    pp_free(&e->study->alloc, chosen);
    return !st;
}

/* ---- parts of a run ---- */

typedef struct parts {
    pp_rollouts *p;
    const pp_part_run *q;
} parts;

static bool run_part(void *ctx, int worker, perp_scene *scene, uint64_t i, void *result) {
    (void)result;
    const parts *w = ctx;
    const pp_part_run *q = w->q;
    const pp_estimate *e = w->p->e;
    const pp_case *c = &e->cases[0];
    runner *r = &w->p->run[worker];
    int rows = q->last - q->first + 1, nz = e->nstate + e->nconstant;
    double value[PP_STUDY_VARIABLES];
    const double *z = q->z + i * (uint64_t)nz;
    double *out = q->out ? q->out + i * (uint64_t)(rows * e->width) : NULL;
    memcpy(value, c->value, sizeof *value * (size_t)e->study->nparameter);
    for (int k = 0; k < e->nstate; k++) value[e->state[k].parameter] = z[k];
    for (int k = 0; k < e->nconstant; k++) value[e->unknown[e->constant[k]].parameter] = z[e->nstate + k];
    bool good = run_until(w->p, r, scene, value, c->t[q->last] - c->t[q->first]);
    double h = perp_world_h(perp_scene_world(scene));
    for (int k = 0; out && !good && k < rows * e->width; k++) out[k] = NAN;
    for (int k = 0, n = 0; out && good && k < rows; k++)
        n += compare(e, r, find_moment(r->trace, c->t[q->first + k] - c->t[q->first], h), value,
                     c->y + (size_t)(q->first + k) * (size_t)e->columns, true, out + n);
    for (int k = 0; q->end && k < e->nstate; k++)
        q->end[i * (uint64_t)e->nstate + (uint64_t)k] = good ? pp_trace_now(r->trace, r->state[k]) : NAN;
    return true;
}

static bool stop_parts(void *ctx) { return stop(((parts *)ctx)->p); }

bool pp_rollouts_parts(pp_rollouts *p, const pp_part_run *q) {
    parts w = {p, q};
    perp_trials t = {.count = (uint64_t)q->count, .result_size = 1, .run = run_part, .stop = stop_parts, .ctx = &w};
    return !perp_ensemble_run(p->ensemble, &t, NULL);
}

/* ---- counts of runs ---- */

void pp_rollouts_refine(pp_rollouts *p, int times) { p->refine = times; }

uint64_t pp_rollouts_count(const pp_rollouts *p) {
    uint64_t n = 0;
    for (int i = 0; i < p->n; i++) n += p->run[i].runs;
    return n;
}

uint64_t pp_rollouts_failed(const pp_rollouts *p) {
    uint64_t n = 0;
    for (int i = 0; i < p->n; i++) n += p->run[i].failed;
    return n;
}

const char *pp_rollouts_why(const pp_rollouts *p) {
    for (int i = 0; i < p->n; i++)
        if (p->run[i].failed) return p->run[i].why;
    return "";
}

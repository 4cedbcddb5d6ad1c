/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trial.c - one trial: sets parameters, runs the scene, evaluates measures; and a runner for each worker (a pool). */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "record/layout.h"
#include "study/study.h"

struct pp_runner {
    const pp_study *study;
    pp_trace *trace;
    pp_measures *measures;
    pp_condition *end;     /* NULL: none */
    perp_scene_value *set; /* nparameter */
    pp_runner_watch watch;
};

static const char *const words[PP_OUTCOMES] = {"done", "ended early", "unsolved", "refused", "not measured"};

const char *pp_outcome_word(int outcome) { return outcome >= 0 && outcome < PP_OUTCOMES ? words[outcome] : "unknown"; }

static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(pp_row *row, const char *text) { (void)snprintf(row->why, sizeof row->why, "%.190s", text); }

/* ---- making ---- */

static perp_status compile_measures(pp_runner *r, perp_refusal *why) {
    const pp_study *s = r->study;
    pp_measure_def def[PP_STUDY_NAMES];
    char key[PP_STUDY_NAMES][96];
    for (int i = 0; i < s->nmeasure; i++) {
        pp_field_path(key[i], sizeof key[i], "measure", s->measure[i].name);
        def[i] = pp_measure_text(&s->tree, s->measure[i].node, s->measure[i].name, key[i]);
    }
    pp_measure_names names = {s->parameter, s->nparameter};
    perp_status st = pp_measures_new(&s->alloc, def, s->nmeasure, &names, r->trace, &r->measures, why);
    if (st || !s->end) return st;
    def[0] = pp_measure_text(&s->tree, s->end, NULL, "end");
    return pp_condition_new(&s->alloc, &def[0], &names, r->trace, &r->end, why);
}

perp_status pp_runner_new(const pp_study *s, perp_scene *scene, pp_runner **out, perp_refusal *why) {
    pp_runner *r = pp_alloc(&s->alloc, sizeof *r);
    *out = NULL;
    if (!r) return pp_study_no_memory(s, "", why);
    *r = (pp_runner){.study = s};
    r->set = pp_alloc(&s->alloc, sizeof *r->set * (size_t)(s->nparameter + 1));
    perp_status st = r->set ? PERP_OK : pp_study_no_memory(s, "", why);
    if (!st) st = pp_trace_new(scene, 1, &r->trace, why);
    if (!st) st = compile_measures(r, why);
    if (st)
        pp_runner_free(r);
    else
        *out = r;
    return st;
}

void pp_runner_free(pp_runner *r) {
    if (!r) return;
    const perp_allocator a = r->study->alloc;
    pp_condition_free(r->end);
    pp_measures_free(r->measures);
    pp_trace_free(r->trace);
    pp_free(&a, r->set);
    pp_free(&a, r);
}

void pp_runner_set_watch(pp_runner *r, const pp_runner_watch *w) { r->watch = w ? *w : (pp_runner_watch){0}; }

/* ---- running ---- */

static void take_certificate(pp_row *row, const perp_certificate *c, double floor) {
    double law = pp_law(&c->law, floor);
    if (!(law <= row->law)) row->law = law;
    if (!(c->overlap <= row->overlap)) row->overlap = c->overlap;
    if (!(c->joint_error <= row->joint_error)) row->joint_error = c->joint_error;
    if (!(fabs(c->ledger.remainder) <= row->remainder)) row->remainder = fabs(c->ledger.remainder);
}

/* Steps to the end. @return false: stopped from outside */
static bool steps(pp_runner *r, perp_scene *scene, const double *value, pp_row *row) {
    perp_world *w = perp_scene_world(scene);
    perp_world_def def = perp_world_get_def(w);
    double floor = def.h * perp_v3_norm(def.gravity_W);
    uint64_t n = perp_scene_steps(scene) * (uint64_t)r->study->refine;
    perp_refusal why;
    perp_certificate cert;
    int64_t held = 0; /* steps in succession after which the end condition held */
    row->outcome = PP_TRIAL_DONE;
    if (r->watch.begin && !r->watch.begin(r->watch.ctx, scene, n)) return false;
    perp_status st = pp_trace_first(r->trace, &why);
    while (!st && row->steps < n) {
        st = perp_world_step(w, &cert);
        if (st) (void)snprintf(why.text, sizeof why.text, "%s", perp_world_why(w));
        if (st) break;
        row->steps++;
        take_certificate(row, &cert, floor);
        if (r->watch.stepped && !r->watch.stepped(r->watch.ctx, &cert)) return false;
        st = pp_trace_step(r->trace, &cert, &why);
        held = !st && r->end && pp_condition_met(r->end, r->trace, value) ? held + 1 : 0;
        if (held > 0 && held >= r->study->end_steps) {
            row->outcome = PP_TRIAL_ENDED;
            break;
        }
    }
    row->t_end = perp_world_time(w);
    row->hash = perp_world_hash(w);
    if (st == PERP_E_STOPPED) return false;
    if (st) {
        row->outcome = PP_TRIAL_UNSOLVED;
        (void)snprintf(row->why, sizeof row->why, "t = %.6g: %.150s", row->t_end, why.text);
    }
    return true;
}

int pp_study_settings(const pp_study *s, const double *value, perp_scene_value *out) {
    int n = 0;
    for (int i = 0; i < s->nparameter; i++)
        if (s->touched[i]) out[n++] = (perp_scene_value){s->parameter[i], value[i]};
    return n;
}

bool pp_runner_run(pp_runner *r, perp_scene *scene, uint64_t number, const double *value, pp_row *row) {
    const pp_study *s = r->study;
    double begun = thread_seconds(), *measure = row->value + s->nparameter;
    perp_refusal why;
    memset(row, 0, sizeof *row);
    row->number = number;
    memcpy(row->value, value, sizeof *value * (size_t)s->nparameter);
    for (int i = 0; i < s->nmeasure; i++) measure[i] = NAN;
    perp_status st = perp_scene_set_many(scene, r->set, pp_study_settings(s, value, r->set), &why);
    for (int i = 0; !st && i < s->nparameter; i++) row->value[i] = perp_scene_parameter_at(scene, i).value;
    perp_world *w = perp_scene_world(scene);
    if (!st && s->refine > 1) st = perp_world_set_h(w, perp_world_h(w) / s->refine);
    if (!st) st = pp_trace_reset(r->trace, scene, &why);
    if (st) {
        row->outcome = PP_TRIAL_REFUSED;
        say(row, why.text);
        return true;
    }
    if (!steps(r, scene, row->value, row)) return false;
    bool failed = row->outcome == PP_TRIAL_UNSOLVED;
    if (pp_measures_eval(r->measures, r->trace, row->value, failed, measure, &why) && !failed) {
        row->outcome = PP_TRIAL_UNMEASURED;
        say(row, why.text);
    }
    row->seconds = thread_seconds() - begun;
    return true;
}

/* ---- pools of workers ---- */

perp_status pp_worker_pool_new(const pp_study *s, int workers, pp_worker_pool *out, perp_refusal *why) {
    *out = (pp_worker_pool){.study = s};
    perp_status st = perp_ensemble_create(s->scene, workers, &out->ensemble, why);
    if (st) return st;
    int n = perp_ensemble_workers(out->ensemble);
    out->runner = pp_alloc(&s->alloc, sizeof *out->runner * (size_t)n);
    if (!out->runner) st = pp_study_no_memory(s, "", why);
    while (!st && out->n < n) {
        st = pp_runner_new(s, pp_ensemble_scene(out->ensemble, out->n), &out->runner[out->n], why);
        if (!st) out->n++;
    }
    if (st) pp_worker_pool_free(out);
    return st;
}

void pp_worker_pool_free(pp_worker_pool *c) {
    for (int i = 0; i < c->n; i++) pp_runner_free(c->runner[i]);
    if (c->study) pp_free(&c->study->alloc, (void *)c->runner);
    perp_ensemble_destroy(c->ensemble);
    *c = (pp_worker_pool){0};
}

typedef struct pool_run {
    pp_worker_pool *pool;
    const pp_worker_pool_job *job;
} pool_run;

static uint64_t number_of(const pp_worker_pool_job *j, uint64_t i) { return j->number ? j->number[i] : j->first + i; }

static bool run(void *ctx, int worker, perp_scene *scene, uint64_t i, void *result) {
    pool_run *c = ctx;
    const pp_study *s = c->pool->study;
    double value[PP_STUDY_VARIABLES];
    pp_row *row = result;
    perp_refusal why;
    uint64_t number = number_of(c->job, i);
    memcpy(value, s->base, sizeof *value * (size_t)s->nparameter);
    if (c->job->values ? c->job->values(c->job->ctx, number, value, &why)
                       : pp_study_values(s, (pp_study_trial){.number = number}, value, &why)) {
        row->number = number;
        row->outcome = PP_TRIAL_REFUSED;
        say(row, why.text);
        return true;
    }
    return pp_runner_run(c->pool->runner[worker], scene, number, value, row);
}

static bool done(void *ctx, uint64_t i, const void *result) {
    (void)i;
    pool_run *c = ctx;
    return c->job->done(c->job->ctx, result);
}

static bool stop(void *ctx) {
    pool_run *c = ctx;
    return c->job->stop && c->job->stop(c->job->ctx);
}

perp_status pp_worker_pool_run(pp_worker_pool *c, const pp_worker_pool_job *job, perp_refusal *why) {
    pool_run r = {.pool = c, .job = job};
    perp_trials t = {
        .count = job->count, .result_size = pp_row_size(c->study), .run = run, .done = done, .stop = stop, .ctx = &r};
    return perp_ensemble_run(c->ensemble, &t, why);
}

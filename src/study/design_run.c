/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* design_run.c - see design_run.h. Trials are numbered (step * designs + i) * T + K for drawn designs (step: which level
 * that runs trials) and i * T + K for the points of a minimiser. */
#include "study/design_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static perp_status no_memory(const pp_design_search *h, perp_refusal *why) {
    return pp_study_no_memory(h->design->study, "design", why);
}

/* ---- rows that are known ---- */

perp_status pp_design_search_begin(pp_design_search *h, perp_refusal *why) {
    pp_table_init(&h->known, h->design->study);
    h->best = UINT64_MAX;
    return h->file ? pp_table_load(&h->known, &h->file, 1, why) : PERP_OK;
}

/* ---- trials ---- */

/* Trials to be run: which design and which K each is. */
typedef struct batch {
    pp_design_search *h;
    uint64_t *number;
    const pp_design_trial *trial; /* one for each */
    uint64_t count, handed;
    bool (*take)(void *ctx, uint64_t i, const pp_row *row); /* i: place in the batch */
    void *ctx;
    pp_row *own; /* room for a row */
    perp_refusal *why;
    perp_status status;
} batch;

/* The pool numbers its trials by their place in the batch; the row gets its own number when it is handed on. */
static perp_status values(void *ctx, uint64_t number, double *value, perp_refusal *why) {
    const batch *b = ctx;
    return pp_design_values(b->h->design, b->trial[number], value, why);
}

static bool done(void *ctx, const pp_row *row) {
    batch *b = ctx;
    pp_design_search *h = b->h;
    uint64_t place = row->number;
    memcpy(b->own, row, pp_row_size(h->design->study));
    b->own->number = b->number[place];
    h->trials++;
    if (h->file) b->status = pp_study_file_add(h->file, b->own, b->why);
    if (h->tick) h->tick(h->ctx);
    return !b->status && b->take(b->ctx, place, b->own);
}

static bool stop(void *ctx) {
    const batch *b = ctx;
    return b->h->stop && b->h->stop(b->h->ctx);
}

/* Runs a batch; rows that are known are taken from the file. */
static perp_status run_batch(batch *b, perp_refusal *why) {
    uint64_t n = 0, *place = malloc(sizeof *place * (size_t)(b->count + 1));
    b->own = malloc(pp_row_size(b->h->design->study));
    if (!place || !b->own) {
        free(place);
        free(b->own);
        return no_memory(b->h, why);
    }
    b->why = why;
    for (uint64_t i = 0; i < b->count; i++) {
        const pp_row *row = pp_table_find(&b->h->known, b->number[i]);
        if (row) {
            b->h->reused++;
            b->take(b->ctx, i, row);
        } else {
            place[n++] = i;
        }
    }
    pp_worker_pool_job job = {.number = place, .count = n, .values = values, .done = done, .stop = stop, .ctx = b};
    perp_status st = n ? pp_worker_pool_run(b->h->pool, &job, why) : PERP_OK;
    free(place);
    free(b->own);
    if (!b->status && b->h->file) b->status = pp_study_file_commit(b->h->file, why);
    return b->status ? b->status : st;
}

/* ---- history ---- */

static perp_status add_design(pp_design_search *h, const double *x, perp_refusal *why) {
    int n = h->design->n;
    if (h->count == h->cap) {
        uint64_t cap = h->cap ? 2 * h->cap : 256;
        double *more = realloc(h->x, sizeof *more * (size_t)(cap * (uint64_t)n));
        if (more) h->x = more;
        pp_design_record *record = realloc(h->record, sizeof *record * (size_t)cap);
        if (record) h->record = record;
        if (!more || !record) return no_memory(h, why);
        h->cap = cap;
    }
    memcpy(h->x + h->count * (uint64_t)n, x, sizeof *x * (size_t)n);
    h->record[h->count++] = (pp_design_record){.f = NAN, .level = PP_DESIGN_PASSED};
    return PERP_OK;
}

static double as_written(const pp_design *d, double f) { return d->maximise ? -f : f; }

static void consider(pp_design_search *h, uint64_t i) {
    const pp_design_record *r = &h->record[i], *b = h->best == UINT64_MAX ? NULL : &h->record[h->best];
    double sign = h->design->maximise ? -1 : 1;
    if (isnan(r->f)) return;
    if (!b || r->violation < b->violation || (r->violation <= b->violation && sign * r->f < sign * b->f)) h->best = i;
}

/* ---- minimisers ---- */

typedef struct points {
    pp_table *table;       /* one for each point */
    const uint64_t *owner; /* of each trial of the batch: the point */
    perp_status status;
    perp_refusal *why;
} points;

static bool take_point(void *ctx, uint64_t i, const pp_row *row) {
    points *p = ctx;
    if (!p->status) p->status = pp_table_add(&p->table[p->owner[i]], row, p->why);
    return !p->status;
}

static perp_status judge(pp_design_search *h, uint64_t first, int i, pp_table *t, double *f, double *g) {
    const pp_design *d = h->design;
    uint64_t at = first + (uint64_t)i;
    pp_design_record *r = &h->record[at];
    double *gi = d->nconstraint ? g + (size_t)i * (size_t)d->nconstraint : g;
    f[i] = NAN;
    for (int k = 0; k < d->nconstraint; k++) gi[k] = NAN;
    if (r->level >= 0) return PERP_OK; /* it failed a proof and was not run */
    perp_status st = pp_design_judge(d, t, h->x + at * (uint64_t)d->n, &f[i], gi, &h->why);
    r->f = as_written(d, f[i]);
    for (int k = 0; k < d->nconstraint; k++) r->violation += gi[k] > 0 ? gi[k] : 0;
    for (uint64_t k = 0; k < t->n; k++) r->failed += pp_table_row(t, k)->outcome >= PP_TRIAL_UNSOLVED;
    consider(h, at);
    return st;
}

static perp_status run_points(pp_design_search *h, uint64_t first, int count, pp_table *table) {
    uint64_t T = pp_design_trials(h->design), most = T * (uint64_t)count, n = 0;
    int dim = h->design->n;
    uint64_t *number = malloc(sizeof *number * 2 * (size_t)(most + 1)), *owner = number ? number + most : NULL;
    pp_design_trial *trial = malloc(sizeof *trial * (size_t)(most + 1));
    perp_status st = number && trial ? PERP_OK : no_memory(h, &h->why);
    for (int i = 0; !st && i < count; i++) {
        uint64_t at = first + (uint64_t)i;
        if (h->record[at].level >= 0) continue;
        for (uint64_t k = 0; k < T; k++, n++) {
            number[n] = at * T + k;
            owner[n] = (uint64_t)i;
            trial[n] = (pp_design_trial){at, k, -1, h->x + at * (uint64_t)dim};
        }
    }
    points p = {.table = table, .owner = owner, .why = &h->why};
    batch b = {.h = h, .number = number, .trial = trial, .count = n, .take = take_point, .ctx = &p};
    if (!st) st = run_batch(&b, &h->why);
    if (!st) st = p.status;
    free(number);
    free(trial);
    return st;
}

static perp_status check_proofs(pp_design_search *h, uint64_t at) {
    const pp_design *d = h->design;
    perp_status st = PERP_OK;
    for (int l = 0; !st && l < d->nlevel && h->record[at].level < 0; l++) {
        bool met = true;
        if (!d->level[l].proof || d->level[l].trials) continue;
        st = pp_design_meets(d, l, h->x + at * (uint64_t)d->n, &met, &h->why);
        if (!met) h->record[at].level = l;
    }
    return st;
}

/* Callback of the minimiser: values at some points. */
static bool answer(void *ctx, int count, const double *x, double *f, double *g) {
    pp_design_search *h = ctx;
    uint64_t first = h->count;
    pp_table *table = calloc((size_t)count, sizeof *table);
    perp_status st = table ? PERP_OK : no_memory(h, &h->why);
    for (int i = 0; !st && i < count; i++) {
        pp_table_init(&table[i], h->design->study);
        st = add_design(h, x + (size_t)i * (size_t)h->design->n, &h->why);
        if (!st) st = check_proofs(h, first + (uint64_t)i);
    }
    if (!st) st = run_points(h, first, count, table);
    for (int i = 0; !st && i < count; i++) st = judge(h, first, i, &table[i], f, g);
    for (int i = 0; table && i < count; i++) pp_table_free(&table[i]);
    free(table);
    h->status = st;
    return !st;
}

/* Each method starts at the best point that was found before. */
static perp_status run_search(pp_design_search *h, perp_refusal *why) {
    const pp_design *d = h->design;
    perp_status st = PERP_OK;
    int evaluations = 0, restarts = 0;
    for (int k = 0; !st && k < d->nstage; k++) {
        const pp_design_stage *s = &d->stage[k];
        double x[PP_STUDY_NAMES], start[PP_STUDY_NAMES], step[PP_STUDY_NAMES];
        const double *from = h->best == UINT64_MAX ? d->start : h->x + h->best * (uint64_t)d->n;
        for (int i = 0; i < d->n; i++) {
            start[i] = from[i];
            step[i] = s->steps * d->step[i];
        }
        perp_search_problem p = {.n = d->n,
                                 .lower = d->lower,
                                 .upper = d->upper,
                                 .start = start,
                                 .step = step,
                                 .nconstraint = d->nconstraint,
                                 .values = answer,
                                 .ctx = h};
        perp_search_options o = {.method = s->method,
                                 .restarts = s->restarts,
                                 .evaluations = s->evaluations,
                                 .x_tolerance = s->x_tolerance,
                                 .f_tolerance = s->f_tolerance,
                                 .seed = s->seed,
                                 .population = s->population};
        st = perp_search(&p, &o, x, &h->result, why);
        h->result.evaluations = evaluations += h->result.evaluations;
        h->result.restarts = restarts += h->result.restarts;
        if (!st && h->status) {
            st = h->status;
            if (why) *why = h->why;
        }
    }
    return st;
}

/* ---- drawn designs, level by level ---- */

/* If the study sets `enough`, designs pass the levels in blocks of this size, and the search ends between two blocks. A small block wastes few
 * runs. A block must occupy several workers, but its size must not depend on their number. */
enum { DESIGN_BLOCK = 16 };

/* A block of designs that passes the levels. */
typedef struct block {
    pp_design_search *h;
    const uint64_t *design; /* their numbers, in the order in which they are run */
    uint64_t n;
    bool *alive;     /* by number of the design */
    pp_table *table; /* by number, for the objective; NULL: none */
} block;

typedef struct wave {
    const block *b;
    const uint64_t *design; /* of each trial of the batch */
    pp_design_work *work;
    perp_status status;
} wave;

static bool take_wave(void *ctx, uint64_t i, const pp_row *row) {
    wave *w = ctx;
    pp_design_search *h = w->b->h;
    const pp_study *s = h->design->study;
    uint64_t design = w->design[i];
    bool failed = row->outcome >= PP_TRIAL_UNSOLVED;
    w->work->trials++;
    w->work->seconds += row->seconds;
    h->record[design].failed += failed;
    int m = h->design->require;
    if (m >= 0) {
        double x = row->value[s->nparameter + m];
        if (failed || isnan(x) || x == 0) w->b->alive[design] = false;
    }
    if (w->b->table && !w->status) w->status = pp_table_add(&w->b->table[design], row, &h->why);
    return !w->status;
}

/* Trials `from` to `to` of all designs of a block that have not failed yet. */
static perp_status run_wave(const block *b, int level, int step, uint64_t from, uint64_t to, wave *w) {
    pp_design_search *h = b->h;
    const pp_design *d = h->design;
    uint64_t T = pp_design_trials(d), most = b->n * (to - from), n = 0;
    uint64_t *number = malloc(sizeof *number * 2 * (size_t)(most + 1)), *owner = number ? number + most : NULL;
    pp_design_trial *trial = malloc(sizeof *trial * (size_t)(most + 1));
    perp_status st = number && trial ? PERP_OK : no_memory(h, &h->why);
    for (uint64_t k = from; !st && k < to; k++)
        for (uint64_t j = 0; j < b->n; j++) {
            uint64_t i = b->design[j];
            if (!b->alive[i]) continue;
            number[n] = ((uint64_t)step * h->count + i) * T + k;
            owner[n] = i;
            trial[n++] = (pp_design_trial){i, k, level, h->x + i * (uint64_t)d->n};
        }
    w->design = owner;
    batch all = {.h = h, .number = number, .trial = trial, .count = n, .take = take_wave, .ctx = w};
    if (!st && n) st = run_batch(&all, &h->why);
    free(number);
    free(trial);
    return st ? st : w->status;
}

static uint64_t count_alive(const block *b) {
    uint64_t n = 0;
    for (uint64_t j = 0; j < b->n; j++) n += b->alive[b->design[j]];
    return n;
}

/* All trials of one level, in batches. A design that failed in one batch does not run in the next. */
static perp_status run_level(const block *b, int level, int step) {
    pp_design_search *h = b->h;
    uint64_t T = pp_design_trials(h->design);
    pp_design_work *work = &h->work[level < 0 ? 0 : level];
    wave w = {.b = b, .work = work};
    perp_status st = PERP_OK;
    work->entered += count_alive(b);
    if (h->all_trials || h->design->require < 0) {
        st = run_wave(b, level, step, 0, T, &w);
    } else {
        for (uint64_t k = 0; !st && k < T; k++) st = run_wave(b, level, step, k, k + 1, &w);
    }
    if (!st) work->passed += count_alive(b);
    return st;
}

static perp_status run_static(const block *b, int level) {
    pp_design_search *h = b->h;
    const pp_design *d = h->design;
    perp_status st = PERP_OK;
    for (uint64_t j = 0; !st && j < b->n; j++) {
        uint64_t i = b->design[j];
        bool met = true;
        if (!b->alive[i]) continue;
        h->work[level].entered++;
        st = pp_design_meets(d, level, h->x + i * (uint64_t)d->n, &met, &h->why);
        h->work[level].passed += met;
        if (!met && d->level[level].proof) b->alive[i] = false;
    }
    return st;
}

/* Marks the designs that failed in this level. */
static void note_level(const block *b, int level) {
    for (uint64_t j = 0; j < b->n; j++) {
        pp_design_record *r = &b->h->record[b->design[j]];
        if (!b->alive[b->design[j]] && r->level == PP_DESIGN_NOT_RUN) r->level = level;
    }
}

static perp_status judge_passing(const block *b) {
    pp_design_search *h = b->h;
    const pp_design *d = h->design;
    perp_status st = PERP_OK;
    for (uint64_t j = 0; !st && j < b->n; j++) {
        uint64_t i = b->design[j];
        double f = NAN, g[PP_DESIGN_CONSTRAINTS];
        if (!b->alive[i]) continue;
        h->record[i].level = PP_DESIGN_PASSED;
        if (d->objective) st = pp_design_judge(d, &b->table[i], h->x + i * (uint64_t)d->n, &f, g, &h->why);
        h->record[i].f = as_written(d, f);
        for (int k = 0; d->objective && k < d->nconstraint; k++) h->record[i].violation += g[k] > 0 ? g[k] : 0;
        consider(h, i);
    }
    return st;
}

static perp_status run_block(const block *b) {
    const pp_design *d = b->h->design;
    perp_status st = PERP_OK;
    int step = 0;
    for (int l = 0; !st && l < d->nlevel; l++) {
        st = d->level[l].trials ? run_level(b, l, step) : run_static(b, l);
        step += d->level[l].trials;
        if (!st) note_level(b, l);
    }
    if (!st && step == 0) { /* the trials are the last level by themselves */
        st = run_level(b, d->nlevel < PP_DESIGN_LEVELS ? d->nlevel : -1, 0);
        if (!st) note_level(b, d->nlevel);
    }
    return st ? st : judge_passing(b);
}

/* Order of the designs: those that meet more guesses first, else as they were drawn. */
static perp_status order_designs(pp_design_search *h, uint64_t *order) {
    const pp_design *d = h->design;
    uint64_t n = 0;
    int guesses = 0;
    perp_status st = PERP_OK;
    int *score = calloc((size_t)h->count, sizeof *score);
    if (!score) return no_memory(h, &h->why);
    for (int l = 0; l < d->nlevel; l++) {
        if (d->level[l].proof || d->level[l].trials) continue;
        guesses++;
        for (uint64_t i = 0; !st && i < h->count; i++) {
            bool meets = false;
            st = pp_design_meets(d, l, h->x + i * (uint64_t)d->n, &meets, &h->why);
            score[i] += meets;
        }
    }
    for (int k = guesses; k >= 0; k--)
        for (uint64_t i = 0; i < h->count; i++)
            if (score[i] == k) order[n++] = i;
    free(score);
    return st;
}

static perp_status run_blocks(block *b, uint64_t *order) {
    pp_design_search *h = b->h;
    uint64_t size = h->design->enough ? DESIGN_BLOCK : h->count, passed = 0;
    perp_status st = order_designs(h, order);
    for (uint64_t at = 0; !st && at < h->count; at += size) {
        b->design = order + at;
        b->n = size < h->count - at ? size : h->count - at;
        st = run_block(b);
        passed += count_alive(b);
        if (h->design->enough && passed >= (uint64_t)h->design->enough) break;
    }
    return st;
}

static perp_status run_drawn(pp_design_search *h, perp_refusal *why) {
    const pp_design *d = h->design;
    uint64_t n = (uint64_t)d->stage[0].evaluations, *order = malloc(sizeof *order * (size_t)n);
    block b = {.h = h, .alive = malloc((size_t)n), .table = d->objective ? calloc((size_t)n, sizeof *b.table) : NULL};
    perp_status st = order && b.alive && (b.table || !d->objective) ? PERP_OK : no_memory(h, &h->why);
    for (uint64_t i = 0; !st && i < n; i++) {
        double x[PP_STUDY_NAMES];
        pp_design_point(d, i, x);
        b.alive[i] = true;
        if (b.table) pp_table_init(&b.table[i], d->study);
        st = add_design(h, x, &h->why);
        if (!st) h->record[i].level = PP_DESIGN_NOT_RUN;
    }
    if (!st) st = run_blocks(&b, order);
    for (uint64_t i = 0; b.table && i < n; i++) pp_table_free(&b.table[i]);
    free(b.table);
    free(b.alive);
    free(order);
    if (st && why) *why = h->why;
    return st;
}

perp_status pp_design_search_run(pp_design_search *h, perp_refusal *why) {
    return h->design->sample ? run_drawn(h, why) : run_search(h, why);
}

void pp_design_search_free(pp_design_search *h) {
    pp_table_free(&h->known);
    free(h->x);
    free(h->record);
    h->x = NULL;
    h->record = NULL;
}

/* ---- verification ---- */

typedef struct fresh {
    const pp_design *d;
    const double *x;
    pp_table t;
    perp_refusal *why;
    perp_status status;
} fresh;

static perp_status fresh_values(void *ctx, uint64_t number, double *value, perp_refusal *why) {
    const fresh *f = ctx;
    return pp_design_values(f->d, (pp_design_trial){0, number, -1, f->x}, value, why);
}

static bool fresh_done(void *ctx, const pp_row *row) {
    fresh *f = ctx;
    f->status = pp_table_add(&f->t, row, f->why);
    return !f->status;
}

perp_status pp_design_search_verify(const pp_design *d, pp_worker_pool *pool, const double *x, double *f,
                                    uint64_t *failed, perp_refusal *why) {
    fresh w = {.d = d, .x = x, .why = why};
    double g[PP_DESIGN_CONSTRAINTS];
    pp_table_init(&w.t, d->study);
    pp_worker_pool_job job = {.count = pp_design_trials(d), .values = fresh_values, .done = fresh_done, .ctx = &w};
    perp_status st = pp_worker_pool_run(pool, &job, why);
    if (!st) st = pp_design_judge(d, &w.t, x, f, g, why);
    *f = as_written(d, *f);
    *failed = 0;
    for (uint64_t i = 0; i < w.t.n; i++) *failed += pp_table_row(&w.t, i)->outcome >= PP_TRIAL_UNSOLVED;
    pp_table_free(&w.t);
    return st ? st : w.status;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sweep.c - the loop of a sweep: which trials are missing, rows into the file, progress, when to stop sampling.
 *
 * Rounds. Trials are handed to the engine in rounds. Without `until` a round is the next ROUND trials that are missing.
 * With `until` a round is the next samples of every cell whose interval is still too wide; whether a cell goes on is
 * decided between rounds from the results alone, so it does not depend on workers, parts or interruptions. Parts of
 * such a study divide the cells, other parts divide the trials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perp/statistic.h"
#include "study/sweep.h"

enum { ROUND = 65536, ROUND_UNTIL = 256 /* least trials of a round, so that all workers are busy */ };
#define COMMIT_PERIOD 1.0   /* [s] least time between two commits: the work that a kill may lose */
#define COMMIT_SHARE  0.005 /* largest part of the wall time for commits; on a slow disk they become less frequent */
#define DRAW_PERIOD   0.2   /* [s] between two pictures of the progress bar */
#define CONFIDENCE    0.95

static bool mine(const sweep *w, uint64_t k) {
    uint64_t by = w->cell ? k % w->study->cells : k;
    return by % (uint64_t)w->part.of == (uint64_t)(w->part.index - 1);
}

/* ---- what has been done ---- */

static void take(sweep *w, const pp_row *row) {
    double x = w->cell ? row->value[w->study->nparameter + w->until.measure] : 0;
    bool failed = row->outcome >= PP_TRIAL_UNSOLVED || isnan(x);
    w->state[row->number] = failed ? SWEEP_FAILED : x != 0 ? SWEEP_YES : SWEEP_NO;
    w->done++;
    w->outcome[row->outcome < PP_OUTCOMES ? row->outcome : PP_TRIAL_UNMEASURED]++;
    if (row->outcome >= PP_TRIAL_UNSOLVED) {
        if (!w->failed)
            snprintf(w->first_failure, sizeof w->first_failure, "trial %llu: %s", (unsigned long long)row->number,
                     row->why);
        w->failed++;
    }
}

static perp_status learn(sweep *w, perp_refusal *why) {
    uint64_t rows = pp_study_file_info(w->file)->rows, total = pp_study_trials(w->study);
    size_t size = pp_row_size(w->study);
    char *block = malloc(size * 1024);
    perp_status st = block ? PERP_OK : PERP_E_MEMORY;
    for (uint64_t at = 0; !st && at < rows; at += 1024) {
        uint64_t n = rows - at < 1024 ? rows - at : 1024;
        st = pp_study_file_rows(w->file, at, n, false, block, why);
        for (uint64_t i = 0; !st && i < n; i++) {
            const pp_row *row = (const pp_row *)(const void *)(block + i * size);
            if (row->number < total && w->state[row->number] == SWEEP_MISSING) take(w, row);
        }
    }
    free(block);
    return st;
}

/* ---- what is to be done ---- */

static bool wide(const sweep *w, uint64_t cell) {
    double lo = 0, hi = 1;
    if (w->cell[cell].trials > 0) (void)perp_wilson(w->cell[cell].yes, w->cell[cell].trials, CONFIDENCE, &lo, &hi);
    return hi - lo > w->until.width;
}

/* The next missing trials from *from on; their number. */
static uint64_t plain_round(const sweep *w, uint64_t *from, uint64_t *number) {
    uint64_t n = 0, total = pp_study_trials(w->study);
    while (*from < total && n < ROUND) {
        if (mine(w, *from) && w->state[*from] == SWEEP_MISSING) number[n++] = *from;
        ++*from;
    }
    return n;
}

/* The next samples, *sample and on, of the cells that are still wide, whether they have been done before or not. */
static uint64_t until_round(const sweep *w, uint64_t *sample, uint64_t *number) {
    uint64_t active = 0, n = 0, cells = w->study->cells;
    for (uint64_t c = 0; c < cells; c++) active += mine(w, c) && wide(w, c);
    if (active == 0 || *sample >= w->study->count) return 0;
    uint64_t depth = (ROUND_UNTIL + active - 1) / active;
    uint64_t end = *sample + depth < w->study->count ? *sample + depth : w->study->count;
    for (uint64_t s = *sample; s < end; s++)
        for (uint64_t c = 0; c < cells; c++)
            if (mine(w, c) && wide(w, c)) number[n++] = s * cells + c;
    *sample = end;
    return n;
}

/* Counts a finished round. */
static void count_round(sweep *w, const uint64_t *number, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        sweep_count *c = &w->cell[number[i] % w->study->cells];
        c->trials += w->state[number[i]] >= SWEEP_NO;
        c->yes += w->state[number[i]] == SWEEP_YES;
    }
}

static uint64_t missing(const sweep *w, const uint64_t *number, uint64_t n, uint64_t *out) {
    uint64_t m = 0;
    for (uint64_t i = 0; i < n; i++)
        if (w->state[number[i]] == SWEEP_MISSING) out[m++] = number[i];
    return m;
}

/* ---- running ---- */

static void draw(sweep *w, double now) {
    char rate[32], left[64];
    double speed = (double)(w->done - w->begun_done) / (now - w->begun > 0 ? now - w->begun : 1);
    double share = w->wanted ? (double)w->done / (double)w->wanted : 1;
    int cells = 24, full = (int)(share * cells);
    cli_rate(rate, sizeof rate, speed);
    cli_seconds(left, sizeof left, speed > 0 ? (double)(w->wanted - w->done) / speed : 0);
    fprintf(stderr, "\r\033[K[");
    for (int i = 0; i < cells; i++) fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "] %llu of %llu trials  %s/s  %s left", (unsigned long long)w->done, (unsigned long long)w->wanted,
            rate, left);
    if (w->failed) fprintf(stderr, "  %llu failed", (unsigned long long)w->failed);
    fflush(stderr);
}

static bool done(void *ctx, const pp_row *row) {
    sweep *w = ctx;
    if (pp_study_file_add(w->file, row, &w->why)) {
        w->write_failed = true;
        return false;
    }
    take(w, row);
    w->trial_seconds += row->seconds;
    double now = pp_clock();
    if (now - w->last_commit >= fmax(COMMIT_PERIOD, w->commit_took / COMMIT_SHARE)) {
        if (pp_study_file_commit(w->file, &w->why)) {
            w->write_failed = true;
            return false;
        }
        w->last_commit = pp_clock();
        w->commit_took = w->last_commit - now;
    }
    if (w->progress && now - w->last_draw >= DRAW_PERIOD) {
        w->last_draw = now;
        draw(w, now);
    }
    return true;
}

static bool stop(void *ctx) {
    (void)ctx;
    return cli_interrupted();
}

static int no_memory(perp_refusal *why) {
    *why = (perp_refusal){.status = PERP_E_MEMORY};
    snprintf(why->text, sizeof why->text, "not enough memory for the study");
    return CLI_MACHINE;
}

static perp_status rounds(sweep *w, const sweep_engine *e, uint64_t *number, uint64_t *todo, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (uint64_t at = 0; !st;) {
        uint64_t n = w->cell ? until_round(w, &at, number) : plain_round(w, &at, number);
        if (n == 0) break;
        pp_worker_pool_job job = {
            .number = todo, .count = missing(w, number, n, todo), .done = done, .stop = stop, .ctx = w};
        if (job.count > 0) st = e->run(e->ctx, &job, why);
        if (!st && w->cell) count_round(w, number, n);
    }
    return st;
}

int sweep_run(sweep *w, const sweep_engine *e, perp_refusal *why) {
    uint64_t total = pp_study_trials(w->study), room = w->study->cells + ROUND;
    bool until = w->until.measure >= 0;
    w->state = calloc((size_t)(total + 1), 1);
    w->cell = until ? calloc((size_t)w->study->cells, sizeof *w->cell) : NULL;
    uint64_t *number = malloc(sizeof *number * 2 * (size_t)room);
    if (!w->state || !number || (until && !w->cell)) {
        free(number);
        return no_memory(why);
    }
    for (uint64_t k = 0; k < total; k++) w->wanted += mine(w, k);
    perp_status st = learn(w, why);
    w->begun = w->last_commit = pp_clock();
    w->begun_done = w->done;
    if (!st) st = rounds(w, e, number, number + room, why);
    free(number);
    if (w->progress) fprintf(stderr, "\r\033[K");
    w->seconds = pp_clock() - w->begun;
    if (w->write_failed) {
        *why = w->why;
        return CLI_MACHINE;
    }
    if (st && st != PERP_E_STOPPED) return st == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    if (pp_study_file_commit(w->file, why)) return CLI_MACHINE;
    return st == PERP_E_STOPPED ? CLI_INTERRUPTED : CLI_OK;
}

void sweep_free(sweep *w) {
    free(w->state);
    free(w->cell);
    w->state = NULL;
    w->cell = NULL;
}

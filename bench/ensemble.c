/* ensemble.c [STUDY [-n COUNT] [--only NAME=VALUE]... [--most TRIALS]] | --memory [TRIALS] - what an ensemble costs beside the steps
 *
 * Shares. The trials of a study are run by one worker into a file of results, as perp sweep runs them, with a clock around the parts of
 * a trial: setting the scene, steps, trace, end condition, measures, file. Everything but the steps is overhead; the bar is 5 % of all.
 * The share is measured within one run, so a noisy machine hardly matters. The linker puts the clock around functions that trial.c
 * calls (--wrap in CMakeLists.txt). What the clock itself takes, in all parts, is left out of the sum.
 *
 * Memory. Many short trials, and the resident memory of the process after some of them: it must not grow with their number.
 *
 * Without arguments: the shares of three studies, then the memory over 100,000 trials; about two minutes. Exit code 1 beyond a bar. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/file.h"
#include "seconds.h"

#define OVERHEAD_BAR 0.05 /* of all time */
#define MEMORY_BAR \
    16.0 /* growth of resident memory from the tenth part of the trials to the end [bytes for each trial] */
#define COMMIT_PERIOD 1.0 /* as perp sweep [s] */
#define STUDIES       PERP_SCENES_DIR "/../studies"
#define CHEAP         PERP_SCENES_DIR "/../bench/ensemble.yaml"

static void must(perp_status st, const perp_refusal *why) {
    if (!st) return;
    fprintf(stderr, "%s\n", why->text);
    exit(2);
}

/* ---- the clock ---- */

typedef enum part { STEP, SET, TRACE, CONDITION, MEASURES, HASH, VALUES, FILE_ADD, PARTS } part;
static const char *const words[PARTS] = {"steps",    "set and reset the scene", "trace", "end condition",
                                         "measures", "hash of the state",       "draws", "file"};
static double spent[PARTS], clock_cost;
static uint64_t calls[PARTS];

static void count(part p, double from) {
    spent[p] += seconds() - from - clock_cost;
    calls[p]++;
}

/* Time between two questions to the clock that follow each other. */
static void weigh_clock(void) {
    double from = seconds();
    for (int i = 0; i < 1000000; i++) clock_cost = seconds() - from;
    clock_cost /= 1000000;
}

/* CALL(part, result, function, declared arguments, arguments): the function with the clock around it. */
#define CALL(p, type, name, declared, given) \
    type __real_##name declared;             \
    type __wrap_##name declared;             \
    type __wrap_##name declared {            \
        double from = seconds();             \
        type x = __real_##name given;        \
        count(p, from);                      \
        return x;                            \
    }
CALL(STEP, perp_status, perp_world_step, (perp_world * w, perp_certificate *c), (w, c))
CALL(SET, perp_status, perp_scene_set_many, (perp_scene * s, const perp_scene_value *v, int n, perp_refusal *why),
     (s, v, n, why))
CALL(TRACE, perp_status, pp_trace_reset, (pp_trace * t, const perp_scene *s, perp_refusal *why), (t, s, why))
CALL(TRACE, perp_status, pp_trace_first, (pp_trace * t, perp_refusal *why), (t, why))
CALL(TRACE, perp_status, pp_trace_step, (pp_trace * t, const perp_certificate *c, perp_refusal *why), (t, c, why))
CALL(CONDITION, bool, pp_condition_met, (pp_condition * c, const pp_trace *t, const double *v), (c, t, v))
CALL(MEASURES, perp_status, pp_measures_eval,
     (pp_measures * m, const pp_trace *t, const double *v, bool failed, double *out, perp_refusal *why),
     (m, t, v, failed, out, why))
CALL(HASH, uint64_t, perp_world_hash, (const perp_world *w), (w))
CALL(VALUES, perp_status, pp_study_values, (const pp_study *s, pp_study_trial t, double *v, perp_refusal *why),
     (s, t, v, why))

/* ---- trials into a file ---- */

/* Resident memory of this process [bytes]; 0: not known here. */
static double resident(void) {
    char line[200];
    double kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmRSS:", 6)) kb = strtod(line + 6, NULL);
    if (f) fclose(f);
    return 1024 * kb;
}

typedef struct kept {
    pp_study_file *file;
    double commit;
    uint64_t n, of, failed;
    bool memory;
    double first, last; /* resident memory after a tenth of the trials and at the end */
} kept;

static bool keep(void *ctx, const pp_row *row) {
    kept *k = ctx;
    perp_refusal why;
    double from = seconds();
    must(pp_study_file_add(k->file, row, &why), &why);
    if (from - k->commit >= COMMIT_PERIOD) {
        must(pp_study_file_commit(k->file, &why), &why);
        k->commit = from;
    }
    count(FILE_ADD, from);
    k->failed += !pp_row_measured(row);
    if (++k->n % (k->of / 10 ? k->of / 10 : 1) == 0 && k->memory) {
        k->last = resident();
        if (k->first == 0) k->first = k->last;
        printf("  %10llu %12.2f\n", (unsigned long long)k->n, 1e-6 * k->last);
        fflush(stdout);
    }
    return true;
}

/* All trials of the study, at most so many. Returns the wall time. */
static double run(const char *path, const pp_study_options *o, uint64_t most, kept *k) {
    static const char out[] = "bench-ensemble.h5";
    pp_study *s;
    pp_crew crew;
    perp_refusal why;
    must(pp_study_open(path, o, &s, &why), &why);
    k->of = pp_study_trials(s) < most ? pp_study_trials(s) : most;
    (void)remove(out);
    must(pp_study_file_create(out, s, o, pp_study_trials(s), &k->file, &why), &why);
    must(pp_crew_new(s, 1, &crew, &why), &why);
    memset(spent, 0, sizeof spent);
    memset(calls, 0, sizeof calls);
    double begun = k->commit = seconds();
    must(pp_crew_run(&crew, &(pp_crew_job){.count = k->of, .done = keep, .ctx = k}, &why), &why);
    double from = seconds();
    must(pp_study_file_commit(k->file, &why), &why);
    count(FILE_ADD, from);
    double all = seconds() - begun;
    pp_crew_free(&crew);
    pp_study_file_close(k->file);
    pp_study_close(s);
    (void)remove(out);
    return all;
}

static bool shares(const char *path, const pp_study_options *o, uint64_t most) {
    kept k = {.n = 0};
    double all = run(path, o, most, &k), rest = all;
    for (int p = 0; p < PARTS; p++) all -= (double)calls[p] * 2 * clock_cost;
    rest = all;
    for (int p = 0; p < PARTS; p++) rest -= spent[p];
    printf("%s\n  %llu trials (%llu failed), %llu steps of %.2f us, %.2f s\n", path, (unsigned long long)k.n,
           (unsigned long long)k.failed, (unsigned long long)calls[STEP], 1e6 * spent[STEP] / (double)calls[STEP], all);
    for (int p = 0; p < PARTS; p++)
        printf("  %-24s %7.3f %%  %9.3f us a call\n", words[p], 100 * spent[p] / all,
               calls[p] ? 1e6 * spent[p] / (double)calls[p] : 0);
    double overhead = 1 - spent[STEP] / all;
    bool good = overhead < OVERHEAD_BAR;
    printf("  %-24s %7.3f %%\n  %-24s %7.3f %%  %s\n\n", "rest", 100 * rest / all, "overhead", 100 * overhead,
           good ? "below 5 %" : "ABOVE 5 %");
    return good;
}

static bool memory(uint64_t trials) {
    kept k = {.memory = true};
    pp_study_options o = {.count = (int64_t)trials, .seed = -1};
    printf("%s\n  %10s %12s\n", CHEAP, "trials", "resident MB");
    (void)run(CHEAP, &o, trials, &k);
    double each = (k.last - k.first) / (0.9 * (double)trials);
    bool good = each < MEMORY_BAR;
    printf("  growth %.2f bytes a trial after the first tenth: %s\n", each, good ? "flat" : "IT GROWS");
    return good;
}

int main(int argc, char **argv) {
    weigh_clock();
    if (argc > 1 && !strcmp(argv[1], "--memory")) return !memory(argc > 2 ? strtoull(argv[2], NULL, 10) : 100000);
    const char *only[16] = {"surface=medium", "jaw=medium"};
    pp_study_options o = {.count = -1, .seed = -1, .only = only};
    uint64_t most = UINT64_MAX;
    if (argc > 1) {
        for (int i = 2; i + 1 < argc; i += 2) {
            if (!strcmp(argv[i], "-n")) o.count = strtoll(argv[i + 1], NULL, 10);
            if (!strcmp(argv[i], "--most")) most = strtoull(argv[i + 1], NULL, 10);
            if (!strcmp(argv[i], "--only") && o.nonly < 16) only[o.nonly++] = argv[i + 1];
        }
        return !shares(argv[1], &o, most);
    }
    bool good = shares(CHEAP, &o, 2000);
    good &= shares(STUDIES "/plate-design/free.yaml", &o, most);
    o.count = 1;
    o.nonly = 2;
    good &= shares(STUDIES "/grasp-map/study.yaml", &o, 60);
    good &= memory(100000);
    return !good;
}

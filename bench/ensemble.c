/* ensemble.c [STUDY [-n COUNT] [--only NAME=VALUE]... [--most TRIALS]] | --memory [TRIALS] - what an ensemble costs beside the steps
 *
 * Shares. Each trial of a study is run twice by one worker: as perp sweep runs it, and then its steps alone, from the same start. The
 * difference is the overhead: setting the scene, trace, end condition, measures, file of results. The bar is 5 % of all. Times are
 * processor times and the two runs of a trial follow each other, so a noisy machine hardly matters. No clock runs within the steps. The
 * linker puts one around what trial.c calls once for each trial (--wrap in CMakeLists.txt).
 *
 * Memory. Many short trials, and the resident memory of the process after some of them. It may grow by less than the results in the file,
 * which HDF5 and the seal keep some of; rows are not kept.
 *
 * Without arguments: the shares of three studies, then the memory over 100,000 trials; about two minutes. Exit code 1 beyond a bar. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "study/file.h"

#define OVERHEAD_BAR  0.05 /* of all time */
#define COMMIT_PERIOD 1.0  /* as perp sweep [s] */
#define OUT           "bench-ensemble.h5"
#define STUDIES       PERP_SCENES_DIR "/../studies"
#define CHEAP         PERP_SCENES_DIR "/../bench/ensemble.yaml"

static void must(perp_status st, const perp_refusal *why) {
    if (!st) return;
    fprintf(stderr, "%s\n", why->text);
    exit(2);
}

/* ---- the clock ---- */

/* Processor time of this thread. */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum part { STEP, SET, MEASURES, HASH, VALUES, RESULTS, TRIAL, PARTS } part;
static const char *const words[PARTS] = {"steps", "set and reset the scene", "measures", "hash of the state",
                                         "draws", "file of results",         "trials"};
static double spent[PARTS], clock_cost;

static void count(part p, double from) { spent[p] += seconds() - from - clock_cost; }

/* Time between two questions to the clock that follow each other. */
static void weigh_clock(void) {
    enum { TIMES = 20000 };
    double from = seconds(), last = from;
    for (int i = 0; i < TIMES; i++) last = seconds();
    clock_cost = (last - from) / TIMES;
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
CALL(SET, perp_status, perp_scene_set_many, (perp_scene * s, const perp_scene_value *v, int n, perp_refusal *why),
     (s, v, n, why))
CALL(MEASURES, perp_status, pp_measures_eval,
     (pp_measures * m, const pp_trace *t, const double *v, bool failed, double *out, perp_refusal *why),
     (m, t, v, failed, out, why))
CALL(HASH, uint64_t, perp_world_hash, (const perp_world *w), (w))

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

typedef struct bench {
    pp_study *study;
    pp_study_file *file;
    pp_crew crew;
    pp_row *row;
    double *value, commit;
    uint64_t n, failed, steps;
} bench;

static void begin(bench *b, const char *path, const pp_study_options *o) {
    perp_refusal why;
    must(pp_study_open(path, o, &b->study, &why), &why);
    (void)remove(OUT);
    must(pp_study_file_create(OUT, b->study, o, pp_study_trials(b->study), &b->file, &why), &why);
    must(pp_crew_new(b->study, 1, &b->crew, &why), &why);
    b->row = calloc(1, pp_row_size(b->study));
    b->value = calloc((size_t)b->study->nparameter + 1, sizeof *b->value);
    if (!b->row || !b->value) exit(2);
    memset(spent, 0, sizeof spent);
    b->commit = seconds();
}

static void end(bench *b) {
    perp_refusal why;
    double from = seconds();
    must(pp_study_file_commit(b->file, &why), &why);
    count(RESULTS, from);
    pp_crew_free(&b->crew);
    pp_study_file_close(b->file);
    pp_study_close(b->study);
    free(b->row);
    free(b->value);
    (void)remove(OUT);
}

static void run_trial(bench *b, uint64_t k) {
    perp_refusal why;
    double begun = seconds();
    memcpy(b->value, b->study->base, sizeof *b->value * (size_t)b->study->nparameter);
    must(pp_study_values(b->study, (pp_study_trial){.number = k}, b->value, &why), &why);
    count(VALUES, begun);
    if (!pp_runner_run(b->crew.runner[0], pp_ensemble_scene(b->crew.ensemble, 0), k, b->value, b->row)) exit(2);
    double from = seconds();
    must(pp_study_file_add(b->file, b->row, &why), &why);
    if (from - b->commit >= COMMIT_PERIOD) {
        must(pp_study_file_commit(b->file, &why), &why);
        b->commit = from;
    }
    count(RESULTS, from);
    count(TRIAL, begun + 8 * clock_cost); /* of the parts within: draws, scene, measures, hash, results */
    b->failed += !pp_row_measured(b->row);
    b->steps += b->row->steps;
    b->n++;
}

/* The steps of the last trial again, and nothing else. */
static void run_steps(bench *b) {
    perp_scene_value set[PP_STUDY_VARIABLES];
    perp_scene *scene = pp_ensemble_scene(b->crew.ensemble, 0);
    perp_certificate c;
    perp_refusal why;
    double before = spent[SET];
    must(perp_scene_set_many(scene, set, pp_study_settings(b->study, b->value, set), &why), &why);
    spent[SET] = before;
    perp_world *w = perp_scene_world(scene);
    double from = seconds();
    for (uint32_t i = 0; i < b->row->steps; i++)
        if (perp_world_step(w, &c)) exit(2);
    count(STEP, from);
    before = spent[HASH];
    if (perp_world_hash(w) != b->row->hash) {
        fprintf(stderr, "the steps alone end in another state than the trial\n");
        exit(2);
    }
    spent[HASH] = before;
}

static bool shares(const char *path, const pp_study_options *o, uint64_t most) {
    bench b = {.n = 0};
    begin(&b, path, o);
    uint64_t n = pp_study_trials(b.study) < most ? pp_study_trials(b.study) : most;
    for (uint64_t k = 0; k < n; k++) {
        run_trial(&b, k);
        run_steps(&b);
    }
    double before = spent[RESULTS];
    end(&b);
    double all = spent[TRIAL] + spent[RESULTS] - before, rest = all;
    printf("%s\n  %llu trials (%llu failed), %llu steps of %.2f us, %.2f s\n", path, (unsigned long long)b.n,
           (unsigned long long)b.failed, (unsigned long long)b.steps, 1e6 * spent[STEP] / (double)b.steps, all);
    for (int p = 0; p < TRIAL; p++) {
        printf("  %-28s %7.2f %%  %9.2f us a trial\n", words[p], 100 * spent[p] / all, 1e6 * spent[p] / (double)b.n);
        rest -= spent[p];
    }
    double overhead = 1 - spent[STEP] / all;
    bool good = overhead < OVERHEAD_BAR;
    printf("  %-28s %7.2f %%  %9.2f us a step\n", "trace, end condition, rest", 100 * rest / all,
           1e6 * rest / (double)b.steps);
    printf("  %-28s %7.2f %%  %s\n\n", "overhead", 100 * overhead, good ? "below 5 %" : "ABOVE 5 %");
    return good;
}

static bool memory(uint64_t trials) {
    bench b = {.n = 0};
    const perp_definition few = {"n", "5"}; /* steps */
    pp_study_options o = {.count = (int64_t)trials, .seed = -1, .define = &few, .ndefine = 1};
    double first = 0, last = 0;
    begin(&b, CHEAP, &o);
    printf("%s\n  %10s %12s\n", CHEAP, "trials", "resident MB");
    for (uint64_t k = 0; k < trials; k++) {
        run_trial(&b, k);
        if ((k + 1) % (trials / 10 ? trials / 10 : 1) != 0) continue;
        last = resident();
        if (first == 0) first = last;
        printf("  %10llu %12.2f\n", (unsigned long long)k + 1, 1e-6 * last);
        fflush(stdout);
    }
    FILE *f = fopen(OUT, "rb");
    double size = f && !fseek(f, 0, SEEK_END) ? (double)ftell(f) / (double)trials : 0;
    double each = (last - first) / (0.9 * (double)trials);
    bool good = each < size;
    if (f) fclose(f);
    printf("  growth after the first tenth: %.1f bytes a trial; a row in memory has %zu bytes, in the file %.1f: %s\n",
           each, pp_row_size(b.study), size, good ? "flat" : "IT GROWS");
    end(&b);
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

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ensemble.c [TRIALS] - memory of an ensemble over many trials (100,000)
 *
 * Short trials by one worker into a file of results, with a commit every second, as perp sweep runs them. Printed: the resident memory of
 * the process after each tenth. Rows are not kept; HDF5 and the seal keep some of what they have written, so the growth from the first
 * tenth to the end must stay below the size of the file. Exit code 1 if it does not. What an ensemble costs in time beside its steps is
 * measured by profile-ensemble. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/file.h"
#include "seconds.h"

#define COMMIT_PERIOD 1.0 /* as perp sweep [s] */
#define OUT           "bench-ensemble.h5"
#define STUDY         PERP_SCENES_DIR "/../bench/ensemble.yaml"

static void must(perp_status st, const perp_refusal *why) {
    if (!st) return;
    fprintf(stderr, "%s\n", why->text);
    exit(2);
}

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
    double commit, first, last; /* time of the last commit; resident memory after a tenth and now */
    uint64_t n, tenth;
} kept;

static bool keep(void *ctx, const pp_row *row) {
    kept *k = ctx;
    perp_refusal why;
    must(pp_study_file_add(k->file, row, &why), &why);
    if (seconds() - k->commit >= COMMIT_PERIOD) {
        must(pp_study_file_commit(k->file, &why), &why);
        k->commit = seconds();
    }
    if (++k->n % k->tenth) return true;
    k->last = resident();
    if (k->n == k->tenth) k->first = k->last;
    printf("%10llu trials %9.2f MB\n", (unsigned long long)k->n, 1e-6 * k->last);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv) {
    uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    const perp_definition few = {"n", "5"}; /* steps */
    pp_study_options o = {.count = (int64_t)trials, .seed = -1, .define = &few, .ndefine = 1, .root = "/"};
    kept k = {.tenth = trials < 10 ? 1 : trials / 10, .commit = seconds()};
    pp_study *s;
    pp_worker_pool pool;
    perp_refusal why;
    must(pp_study_open(STUDY, &o, &s, &why), &why);
    (void)remove(OUT);
    must(pp_study_file_create(OUT, s, &o, trials, &k.file, &why), &why);
    must(pp_worker_pool_new(s, 1, &pool, &why), &why);
    must(pp_worker_pool_run(&pool, &(pp_worker_pool_job){.count = trials, .done = keep, .ctx = &k}, &why), &why);
    must(pp_study_file_commit(k.file, &why), &why);
    pp_study_file_close(k.file);
    FILE *f = fopen(OUT, "rb");
    double size = f && !fseek(f, 0, SEEK_END) ? (double)ftell(f) / (double)trials : 0;
    if (f) fclose(f);
    double each = (k.last - k.first) / (0.9 * (double)trials);
    printf("growth after the first tenth %.1f bytes a trial; a row has %.1f bytes in the file, %zu in memory: %s\n",
           each, size, pp_row_size(s), each < size ? "flat" : "IT GROWS");
    pp_worker_pool_free(&pool);
    pp_study_close(s);
    (void)remove(OUT);
    return !(each < size);
}

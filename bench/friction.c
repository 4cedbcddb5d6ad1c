/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* friction.c - problem files solved from a cold start, timed, the answers measured: one line of CSV per file and solver
 *
 *     friction [-s SOLVERS]... [-n REPETITIONS] [-t TOLERANCE] [-c SECONDS] [-o FILE] [FILE...]
 *
 * SOLVERS as perp_solve_options.solver takes them ("auto" if none is named); -c caps the time of a solve; -o writes the
 * last answer, one number per line, for somebody else to judge. Without files: those in problems/. Only the solve is
 * timed, with the library's own check of the answer, which is part of it; not the reading. cpu_s is the time of the
 * processor, which a machine that does other things as well disturbs less. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perp/solver.h"
#include "seconds.h"

enum { MAX_SOLVERS = 32, MAX_FILES = 64, MAX_REPETITIONS = 1000, PATH_SIZE = 512 };

typedef struct task {
    const char *solver[MAX_SOLVERS];
    int nsolver;
    int repetitions;
    double tol, cap;
    const char *answer;
} task;

static double median_of(double *t, int n) {
    qsort(t, (size_t)n, sizeof *t, ascending);
    return n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]);
}

static bool write_answer(const char *path, const double *z, int n) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    for (int i = 0; i < n; i++) fprintf(f, "%.17g\n", z[i]);
    return fclose(f) == 0;
}

static void describe(const char *path, const perp_problem *p) {
    const char *slash = strrchr(path, '/');
    bool cone = p->cls == PERP_CONE || p->cls == PERP_CONE_QP;
    printf("%s,%s,%d,%d,%d", slash ? slash + 1 : path, perp_class_name(p->cls), cone ? p->as.cone.dim : 0,
           cone ? p->as.cone.ncontact : 0, perp_problem_size(p));
}

/* The story is the only field with commas and quotes in it. */
static void print_quoted(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static bool one(const char *path, const perp_problem *p, const char *solver, const task *t) {
    int n = perp_problem_size(p);
    double *z = calloc((size_t)n + 1, sizeof *z), wall[MAX_REPETITIONS], cpu[MAX_REPETITIONS];
    if (!z) return false;
    perp_solve_options o = {.solver = solver, .tol = t->tol, .time_limit = t->cap};
    perp_solve_info info = {0};
    perp_status status = PERP_OK;
    int done = 0;
    while (done < t->repetitions) {
        double wall_before = seconds(), cpu_before = processor_seconds();
        status = perp_solve(p, &o, z, &info);
        cpu[done] = processor_seconds() - cpu_before;
        wall[done++] = seconds() - wall_before;
        if (status && status != PERP_E_SOLVE) break;
        if (t->cap > 0 && wall[done - 1] >= t->cap) break; /* it would be so again */
    }
    double median = median_of(wall, done), best = wall[0], median_cpu = median_of(cpu, done);
    perp_measures m = {.natural = INFINITY, .siconos = INFINITY, .raw = INFINITY};
    if (!status || status == PERP_E_SOLVE) (void)perp_problem_measure(p, z, &m);
    describe(path, p);
    printf(",\"%s\",%s,%s,%d,%d,%.3e,%.3e,%.3e,%.3e,%.3e,%.3e,%.3e,", solver, info.solver ? info.solver : "",
           status == PERP_OK ? "solved" : perp_status_text(status), info.iterations, info.factorisations, best, median,
           median_cpu, m.natural, m.siconos, m.raw, m.largest);
    print_quoted(info.story);
    putchar('\n');
    fflush(stdout);
    bool written = !t->answer || write_answer(t->answer, z, n);
    if (!written) fprintf(stderr, "friction: cannot write %s\n", t->answer);
    free(z);
    return written;
}

static bool file(const char *path, const task *t) {
    perp_stored *s;
    perp_refusal why;
    if (perp_problem_read(path, NULL, &s, NULL, &why)) {
        fprintf(stderr, "friction: %s\n", why.text);
        return false;
    }
    bool good = true;
    for (int k = 0; k < t->nsolver; k++) good = one(path, perp_stored_problem(s), t->solver[k], t) && good;
    perp_stored_free(s);
    return good;
}

static bool problem_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".dat") || !strcmp(dot, ".hdf5") || !strcmp(dot, ".h5"));
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* The project's own problems, in the order of their names. */
static bool folder(const char *dir, const task *t) {
    static char path[MAX_FILES][PATH_SIZE];
    size_t n = 0;
    DIR *d = opendir(dir);
    if (!d) return false;
    for (struct dirent *e; (e = readdir(d)) && n < MAX_FILES;)
        if (problem_name(e->d_name) && snprintf(path[n], PATH_SIZE, "%s/%s", dir, e->d_name) < PATH_SIZE) n++;
    closedir(d);
    qsort(path, n, sizeof path[0], by_name);
    bool good = true;
    for (size_t i = 0; i < n; i++) good = file(path[i], t) && good;
    return good;
}

int main(int argc, char **argv) {
    task t = {.repetitions = 5, .tol = 1e-8};
    for (int c; (c = getopt(argc, argv, "s:n:t:c:o:")) != -1;) {
        if (c == 's' && t.nsolver < MAX_SOLVERS)
            t.solver[t.nsolver++] = optarg;
        else if (c == 'n')
            t.repetitions = atoi(optarg);
        else if (c == 't')
            t.tol = atof(optarg);
        else if (c == 'c')
            t.cap = atof(optarg);
        else if (c == 'o')
            t.answer = optarg;
        else
            return 2;
    }
    if (t.nsolver == 0) t.solver[t.nsolver++] = "auto";
    if (t.repetitions < 1 || t.repetitions > MAX_REPETITIONS) return 2;
    printf(
        "problem,class,dim,contacts,size,asked,solver,status,iterations,factorisations,best_s,median_s,cpu_s,natural,"
        "siconos,raw,largest,story\n");
    if (optind == argc) return folder(PERP_SCENES_DIR "/../problems", &t) ? 0 : 1;
    bool good = true;
    for (int i = optind; i < argc; i++) good = file(argv[i], &t) && good;
    return good ? 0 : 1;
}

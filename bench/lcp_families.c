/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lcp_families.c - how many of the random LCPs of each family does each solver solve?
 *
 *     lcp_families [COUNT] [--solver NAME] [--family NAME] [--seed N]
 *
 * COUNT problems per family (200), sizes 1 to 200. Solved means: unit-free natural residual, measured by the library,
 * at most 1e-8; solvers are asked for 1e-9 and get at most LIMIT iterations and SECONDS. `ms each`: time of the
 * processor, so that other work on the machine does not count. `off`: largest difference,
 * relative to the largest entry, from the solution that `enumerate` finds (n <= 12) or that was planted, where it is
 * unique: of z, or if only that is unique of w = M z + q.
 *
 * Exit code 1 if lemke does not solve one that theory says it must, or if it or enumerate is off by more than 1e-5. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lcp_families.h"
#include "perp/plugin.h"
#include "seconds.h"

#define SOLVED     1e-8
#define ASKED      1e-9
#define OFF        1e-5
#define LIMIT      1000
#define SECONDS    60 /* of the clock: for a solver that hangs; the iterations are what bounds the others */
#define ENUMERATED 12 /* largest size for the oracle */
#define SHOWN      5  /* failures of lemke that are printed */

typedef struct score {
    const perp_solver_type *type;
    int tried, solved;
    int *iterations; /* of the solved ones */
    double worst, off, seconds;
    int wrong; /* lemke: failures that theory excludes; any: answers that are off */
} score;

enum { MOST = LCP_FAMILY_MOST };

/* Settings that bound the work of a solver, no higher than their defaults. */
static int bounds_of(const perp_solver_type *t, perp_setting *s) {
    int n = 0;
    for (int i = 0; i < t->nfield; i++) {
        const char *name = t->fields[i].name;
        if (strcmp(name, "max_sweeps") != 0 && strcmp(name, "max_iterations") != 0) continue;
        s[n++] = (perp_setting){name, fmin(LIMIT, t->fields[i].value)};
    }
    return n;
}

/* Solves and measures. */
static double run(const lcp_instance *p, score *s, double *z) {
    perp_setting set[4];
    perp_solve_options o = {.solver = s->type->name, .tol = ASKED, .time_limit = SECONDS, .settings = set};
    o.nsetting = bounds_of(s->type, set);
    perp_solve_info info;
    perp_measures m = {.natural = INFINITY};
    double before = processor_seconds();
    perp_status status = perp_solve(&p->problem, &o, z, &info);
    s->seconds += processor_seconds() - before;
    if (status && status != PERP_E_SOLVE) {
        fprintf(stderr, "%s: %s\n", s->type->name, perp_status_text(status));
        exit(2);
    }
    if (perp_problem_measure(&p->problem, z, &m)) exit(2);
    s->tried++;
    if (m.natural <= SOLVED) s->iterations[s->solved++] = info.iterations;
    s->worst = fmax(s->worst, m.natural);
    return m.natural;
}

static void one(const lcp_instance *p, int index, score *scores, int nscore) {
    double z[MOST], oracle[MOST];
    const double *known = p->known && (p->unique_z || p->unique_w) ? p->known : NULL;
    for (int k = 0; k < nscore; k++) { /* the oracle is the first */
        score *s = &scores[k];
        bool is_oracle = strcmp(s->type->name, "enumerate") == 0, is_lemke = strcmp(s->type->name, "lemke") == 0;
        if (is_oracle && p->n > ENUMERATED) continue;
        double natural = run(p, s, z);
        bool solved = natural <= SOLVED;
        if (is_lemke && !solved && p->must) {
            if (s->wrong++ < SHOWN) printf("  lemke: number %d, %s, n = %d: %.2g\n", index, p->kind, p->n, natural);
        }
        if (solved && known) {
            double off = lcp_difference(p, z, known);
            s->off = fmax(s->off, off);
            if ((is_lemke || is_oracle) && !(off <= OFF)) {
                if (s->wrong++ < SHOWN)
                    printf("  %s: number %d, %s, n = %d: off by %.2g\n", s->type->name, index, p->kind, p->n, off);
            }
        }
        if (is_oracle && solved && (p->unique_z || p->unique_w)) {
            memcpy(oracle, z, sizeof *z * (size_t)p->n);
            known = oracle;
        }
    }
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void print(const score *s) {
    if (s->tried == 0) return;
    qsort(s->iterations, (size_t)s->solved, sizeof *s->iterations, by_value);
    printf("  %-22s %6d %6d %8.2f %%", s->type->name, s->tried, s->solved, 100.0 * s->solved / s->tried);
    if (s->solved > 0)
        printf(" %8d %8d", s->iterations[s->solved / 2], s->iterations[s->solved - 1]);
    else
        printf(" %8s %8s", "-", "-");
    printf(" %9.1e %9.1e %9.3f\n", s->worst, s->off, 1e3 * s->seconds / s->tried);
}

/* Solvers for LCPs, the oracle first; the chosen one alone, but for the oracle. */
static int choose(const char *only, score *scores, int count) {
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < perp_solver_count(); i++) {
            const perp_solver_type *t = perp_solver_at(i);
            bool oracle = strcmp(t->name, "enumerate") == 0;
            if (!(t->takes & PERP_LCP) || oracle != (pass == 0) || strcmp(t->name, "lcp-contacts") == 0) continue;
            if (only && !oracle && strcmp(t->name, only) != 0) continue;
            scores[n] = (score){.type = t, .iterations = calloc((size_t)count, sizeof(int))};
            if (!scores[n++].iterations) exit(2);
        }
    return n;
}

static int family(lcp_family f, int count, unsigned seed, const char *only) {
    score scores[64];
    int n = choose(only, scores, count), wrong = 0, *sizes = calloc((size_t)count, sizeof *sizes);
    lcp_source *source = lcp_source_new(f, seed);
    if (!source || !sizes) exit(2);
    printf("%s\n  %-22s %6s %6s %10s %8s %8s %9s %9s %9s\n", lcp_family_name(f), "solver", "tried", "solved", "",
           "median", "most", "residual", "off", "ms each");
    for (int i = 0; i < count; i++) {
        lcp_instance p;
        if (!lcp_source_next(source, &p)) exit(2);
        sizes[i] = p.n;
        one(&p, i, scores, n);
    }
    for (int k = 0; k < n; k++) {
        print(&scores[k]);
        wrong += scores[k].wrong;
        free(scores[k].iterations);
    }
    qsort(sizes, (size_t)count, sizeof *sizes, by_value);
    printf("  sizes: half of them up to %d, a tenth from %d, largest %d\n", sizes[count / 2],
           sizes[count - 1 - count / 10], sizes[count - 1]);
    fflush(stdout);
    free(sizes);
    lcp_source_free(source);
    return wrong;
}

int main(int argc, char **argv) {
    int count = 200, wrong = 0, families = 0;
    unsigned seed = 1;
    const char *only = NULL, *which = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--solver") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--family") == 0 && i + 1 < argc)
            which = argv[++i];
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            count = atoi(argv[i]);
    }
    if (count < 1 || (only && !perp_solver_find(only))) {
        fprintf(stderr, "usage: lcp_families [COUNT] [--solver NAME] [--family NAME] [--seed N]\n");
        return 2;
    }
    printf("%d problems per family; solved: unit-free natural residual <= %g; at most %d iterations\n", count, SOLVED,
           LIMIT);
    for (int f = 0; f < LCP_FAMILIES; f++) {
        if (which && strcmp(which, lcp_family_name((lcp_family)f)) != 0) continue;
        families++;
        wrong += family((lcp_family)f, count, seed, only);
    }
    if (families == 0) fprintf(stderr, "no such family: %s\n", which);
    if (wrong > 0) printf("%d failures that theory excludes\n", wrong);
    return wrong > 0 || families == 0;
}

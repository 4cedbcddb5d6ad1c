/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ncp.c - nonlinear complementarity problems of the literature, every start, beside each other by solver
 *
 * Per solver: Newton steps (or whatever it counts) and the unit-free natural residual as the library measures it, the
 * time in milliseconds; "-" where it did not reach 1e-8. `ncp FILTER` takes only problems with FILTER in their name. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ncp_problems.h"
#include "perp/plugin.h"
#include "seconds.h"

#define ENOUGH 1e-8

static const char *const wanted[] = {"fischer-newton", "minmap-newton", "path-search", "fixed-point"};
enum { WANTED = sizeof wanted / sizeof *wanted };

typedef struct score {
    int solved, runs;
    double seconds;
} score;

static void one(const ncp_problem *p, int start, const char *solver, score *s) {
    size_t size = sizeof(double) * (size_t)p->n;
    double *z = malloc(size);
    if (!z) exit(1);
    memcpy(z, p->start + (ptrdiff_t)p->n * start, size);
    perp_solve_info info;
    perp_measures m = {.natural = INFINITY};
    double before = seconds();
    perp_status status = perp_problem_solve(&p->problem, solver, z, &info);
    double took = seconds() - before;
    if (!status) (void)perp_problem_measure(&p->problem, z, &m);
    bool solved = m.natural <= ENOUGH;
    s->runs++;
    s->solved += solved;
    s->seconds += took;
    printf(" %c%6d %8.1e %8.2f", solved ? ' ' : '-', info.iterations, m.natural, 1e3 * took);
    free(z);
}

int main(int argc, char **argv) {
    score scores[WANTED] = {0};
    const char *filter = argc > 1 ? argv[1] : "";
    printf("%-26s %6s %5s", "problem", "n", "start");
    for (int k = 0; k < WANTED; k++)
        if (perp_solver_find(wanted[k])) printf("   %-23s", wanted[k]);
    printf("\n%-26s %6s %5s", "", "", "");
    for (int k = 0; k < WANTED; k++)
        if (perp_solver_find(wanted[k])) printf("   %5s %8s %8s", "steps", "residual", "ms");
    printf("\n");
    for (int i = 0; i < ncp_problem_count(); i++) {
        ncp_problem p;
        if (!ncp_problem_make(i, &p)) return 1;
        for (int start = 0; start < p.nstart && strstr(p.name, filter); start++) {
            printf("%-26s %6d %5d", p.name, p.n, start);
            for (int k = 0; k < WANTED; k++)
                if (perp_solver_find(wanted[k])) one(&p, start, wanted[k], &scores[k]);
            printf("\n");
            fflush(stdout);
        }
        ncp_problem_free(&p);
    }
    printf("solved to %g:", ENOUGH);
    for (int k = 0; k < WANTED; k++)
        if (scores[k].runs)
            printf("   %s %d of %d, %.2f s", wanted[k], scores[k].solved, scores[k].runs, scores[k].seconds);
    printf("\n");
    return 0;
}

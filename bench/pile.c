/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pile.c - how the time of `auto` grows with the size of a settled pile of spheres
 *
 *     pile [--save DIR] [--sizes N,N,...] [--mu MU] [--resting V]      (50,200,800,3200; `make study-pile`)
 *
 * Spheres fall one by one into an open bin, and each rolls to where it lies on those before it (scene_deposited()). Then
 * the problem of a step at velocity level (Anitescu and Potra) is posed from standing still, with friction; spheres
 * closer than TOUCH of their size touch. A sphere that rested when it was placed may not rest under those placed later: if the solution
 * to 1e-8 moves some spheres faster than V (RESTING) times the speed that gravity gives in the step, those that move at least at AMONG
 * of the fastest speed are removed, until none moves. The rest has settled. Its problem is then solved: cold, and from its solution
 * after every sphere has been pushed a little. This is done for the seeds 1 to SEEDS.
 * Printed: spheres, how many were taken away, contacts, steps and seconds of the processor to 1e-8 (the quickest of
 * three); and of the medians over the seeds the exponent of growth from size to size and over all. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perp/problem_file.h"
#include "scenes.h"

#define TOL       1e-8
#define MAX_SIZES 8

#define SEEDS    3
#define RESTING  1e-6 /* speed of a sphere at rest, over what gravity makes in a step */
#define AMONG    0.1
#define FEW      0.05 /* part of the spheres that may be taken away */
#define TOUCH    1e-4 /* what touches, in sizes */
#define PATIENCE 100  /* seconds for a test */
#define REPEATS  3    /* solves of each kind; the quickest counts */
#define PUSH     1e-4 /* part of the weight by which spheres are pushed */
#define STEP_H   0.01 /* T */

typedef struct options {
    const char *save; /* folder for the problems; NULL: none */
    int size[MAX_SIZES], nsize;
    double mu, resting;
} options;

typedef struct figures {
    int n, away, contacts, cold_iterations, warm_iterations;
    double cold, warm, cold_natural, warm_natural; /* seconds, residuals */
} figures;

static void die(const char *what, const char *why) {
    fprintf(stderr, "pile: %s: %s\n", what, why);
    exit(1);
}

/* All bodies, to be freed. */
static perp_body_id *all_bodies(const scene *s, int *count) {
    *count = perp_world_body_count(s->w);
    perp_body_id *body = malloc(sizeof *body * (size_t)*count);
    if (!body) die("memory", "refused");
    (void)perp_world_bodies(s->w, body, *count);
    return body;
}

/* The spheres of a pile, by number: those that are left. */
typedef struct rest {
    int *sphere, n;
} rest;

/* Takes away all spheres that are not left. */
static void take_away(const scene *s, const rest *left) {
    int count, sphere = 0, next = 0;
    perp_body_id *body = all_bodies(s, &count);
    for (int i = 0; i < count; i++) {
        perp_body_def def;
        if (perp_body_get(s->w, body[i], &def) || def.kind != PERP_BODY_DYNAMIC) continue; /* the bin */
        bool stays = next < left->n && left->sphere[next] == sphere;
        sphere++;
        if (stays) next++;
        if (!stays && perp_body_remove(s->w, body[i])) die("a sphere", perp_world_why(s->w));
    }
    free(body);
}

/* The problem of a step from standing still. */
static perp_stored *pose(const rest *left, int n, double mu, unsigned seed) {
    scene held = scene_deposited(scene_posing(STEP_H), n, mu, seed, 1 + TOUCH);
    take_away(&held, left);
    return scene_posed(&held);
}

static void save(const options *o, int n, unsigned seed, const perp_problem *p) {
    char path[1024], title[128];
    perp_refusal why;
    if (!o->save) return;
    (void)snprintf(path, sizeof path, "%s/pile-%d-%u.h5", o->save, n, seed);
    (void)snprintf(title, sizeof title, "pile of %d spheres at rest, mu %g, seed %u", n, o->mu, seed);
    if (perp_problem_write(path, PERP_FORMAT_PERP, p, NULL, title, &why)) die(path, "not written");
    fprintf(stderr, "  %s\n", path);
}

/* Takes those that move nearly as fast as the fastest out of `left`, if that is faster than `resting`. Returns how many
 * they are. */
static int keep_resting(const perp_cone *p, const double *r, double resting, rest *left) {
    double *v = malloc(sizeof *v * (size_t)p->M.rows), *speed = calloc((size_t)left->n + 1, sizeof *speed), fastest = 0;
    int kept = 0, all = left->n;
    if (!v || !speed || perp_cone_velocity(p, r, NULL, v)) die("velocity", "not found");
    if (p->M.rows != 6 * all) die("the problem", "not one of all spheres");
    for (int i = 0; i < all; i++) {
        for (int k = 6 * i; k < 6 * i + 6; k++) speed[i] = fmax(speed[i], fabs(v[k]));
        fastest = fmax(fastest, speed[i]);
    }
    double slow = fmax(AMONG * fastest, resting * 9.81 * STEP_H);
    for (int i = 0; i < all; i++)
        if (speed[i] <= slow) left->sphere[kept++] = left->sphere[i];
    free(speed);
    free(v);
    left->n = kept;
    return all - kept;
}

/* One solve by auto, cold or from r; r is the answer. Seconds of the processor. limit: seconds; 0: none. */
static bool solve(const perp_problem *p, bool warm, double limit, double *r, double *took, int *iterations,
                  double *natural) {
    perp_solve_options o = {.tol = TOL, .warm = warm, .time_limit = limit};
    perp_solve_info info;
    perp_measures ms;
    clock_t start = clock();
    perp_status st = perp_solve(p, &o, r, &info);
    *took = (double)(clock() - start) / CLOCKS_PER_SEC;
    *iterations = info.iterations;
    *natural = !perp_problem_measure(p, r, &ms) ? ms.natural : INFINITY;
    fprintf(stderr, "  %s: %s, %s\n", warm ? "warm" : "cold", perp_status_name(st), info.story);
    return !st;
}

/* The problem of a pile that is at rest, with impulses that hold it in *r, and how many spheres are in it. What moves
 * is taken from the best answer, solved or not: the last one decides. */
static perp_stored *settle(int n, unsigned seed, const options *o, double **r, int *spheres) {
    rest left = {.sphere = malloc(sizeof(int) * (size_t)n), .n = n};
    if (!left.sphere) die("memory", "refused");
    for (int i = 0; i < n; i++) left.sphere[i] = i;
    while (left.n >= (1 - FEW) * n) {
        perp_stored *p = pose(&left, n, o->mu, seed);
        const perp_problem *problem = perp_stored_problem(p);
        *r = calloc((size_t)perp_problem_size(problem), sizeof **r);
        if (!*r) die("memory", "refused");
        double took, natural;
        int iterations;
        bool solved = solve(problem, false, PATIENCE, *r, &took, &iterations, &natural);
        int moving = keep_resting(&problem->as.cone, *r, o->resting, &left);
        fprintf(stderr, "  of %d spheres %d move\n", left.n + moving, moving);
        if (solved && moving == 0) {
            *spheres = left.n;
            free(left.sphere);
            return p;
        }
        free(*r);
        perp_stored_free(p);
        if (moving == 0) break;
    }
    die("settling", "the pile does not come to rest");
    return NULL;
}

/* Seconds of the quickest of several solves, from `from` (NULL: from nothing). */
static double quickest(const perp_problem *p, const double *from, double *r, int *iterations, double *natural) {
    size_t bytes = (size_t)perp_problem_size(p) * sizeof *r;
    double least = INFINITY, took;
    for (int k = 0; k < REPEATS; k++) {
        if (from)
            memcpy(r, from, bytes);
        else
            memset(r, 0, bytes);
        (void)solve(p, from != NULL, 0, r, &took, iterations, natural);
        least = fmin(least, took);
    }
    return least;
}

static figures one(int n, unsigned seed, const options *o) {
    figures f = {0};
    double *r;
    perp_stored *stored = settle(n, seed, o, &r, &f.n);
    f.away = n - f.n;
    perp_problem p = *perp_stored_problem(stored);
    size_t m = (size_t)perp_problem_size(&p), dofs = (size_t)p.as.cone.M.rows;
    save(o, n, seed, &p);
    f.contacts = p.as.cone.ncontact;
    f.cold = quickest(&p, NULL, r, &f.cold_iterations, &f.cold_natural);
    double *pushed = malloc(dofs * sizeof *pushed), *from = malloc(m * sizeof *from), weight = 0;
    if (!pushed || !from) die("memory", "refused");
    memcpy(from, r, m * sizeof *r);
    for (size_t i = 0; i < dofs; i++) weight = fmax(weight, fabs(p.as.cone.f[i]));
    for (size_t i = 0; i < dofs; i++) pushed[i] = p.as.cone.f[i] + PUSH * weight * sin((double)i) * (i % 6 < 3);
    p.as.cone.f = pushed;
    f.warm = quickest(&p, from, r, &f.warm_iterations, &f.warm_natural);
    free(from);
    free(pushed);
    free(r);
    perp_stored_free(stored);
    return f;
}

static options parse(int argc, char **argv) {
    options o = {.size = {50, 200, 800, 3200}, .nsize = 4, .mu = 0.5, .resting = RESTING};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--save")) o.save = argv[i + 1];
        if (!strcmp(argv[i], "--mu")) o.mu = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--resting")) o.resting = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--sizes")) {
            o.nsize = 0;
            for (char *t = strtok(argv[i + 1], ","); t && o.nsize < MAX_SIZES; t = strtok(NULL, ","))
                o.size[o.nsize++] = atoi(t);
        }
    }
    return o;
}

static double middle(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }
static_assert(SEEDS == 3, "middle() is of three");

int main(int argc, char **argv) {
    options o = parse(argc, argv);
    double size[MAX_SIZES], cold[MAX_SIZES], warm[MAX_SIZES];
    bool good = true;
    printf("%8s %9s %8s   %-23s   %-23s\n%8s %9s %8s   %6s %9s %7s   %6s %9s %7s\n", "spheres", "contacts", "away",
           "cold", "warm", "", "", "", "steps", "residual", "s", "steps", "residual", "s");
    for (int i = 0; i < o.nsize; i++) {
        figures f[SEEDS];
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            f[seed] = one(o.size[i], seed + 1, &o);
            const figures *g = &f[seed];
            printf("%8d %9d %8d   %6d %9.1e %7.4f   %6d %9.1e %7.4f\n", g->n, g->contacts, g->away, g->cold_iterations,
                   g->cold_natural, g->cold, g->warm_iterations, g->warm_natural, g->warm);
            fflush(stdout);
            good &= g->cold_natural <= TOL && g->warm_natural <= TOL;
        }
        size[i] = middle(f[0].n, f[1].n, f[2].n);
        cold[i] = middle(f[0].cold, f[1].cold, f[2].cold);
        warm[i] = middle(f[0].warm, f[1].warm, f[2].warm);
    }
    printf("\nmedians\n");
    for (int i = 0; i < o.nsize; i++) {
        double grown = log(size[i] / size[i ? i - 1 : 0]);
        printf("%8.0f spheres: cold %.4f s, warm %.4f s", size[i], cold[i], warm[i]);
        if (i) printf("; N^%.2f, N^%.2f", log(cold[i] / cold[i - 1]) / grown, log(warm[i] / warm[i - 1]) / grown);
        printf("\n");
    }
    if (o.nsize > 1) {
        int last = o.nsize - 1;
        double grown = log(size[last] / size[0]);
        printf("from %.0f to %.0f spheres: cold N^%.2f, warm N^%.2f\n", size[0], size[last],
               log(cold[last] / cold[0]) / grown, log(warm[last] / warm[0]) / grown);
    }
    return good ? 0 : 1;
}

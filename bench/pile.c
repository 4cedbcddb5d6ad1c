/* pile.c - how the time of `auto` grows with the size of a settled pile of spheres
 *
 *     pile [--save DIR] [--sizes N,N,...] [--mu MU]         (50; `make study-pile` takes 50, 200, 800 and 3200)
 *
 * Spheres fall into an open bin in a world with friction cones, solved by quick sweeps; the friction is less than that
 * asked for, so that they slip into places where they will stay. Now and then everything is stopped and the problem of a
 * step at velocity level (Anitescu and Potra) is posed with all of the friction: spheres closer than a thousandth of
 * their size touch, and the sweeps' errors in position do not count. If `auto` finds impulses that hold all spheres that
 * touch something, but for one in a hundred, the pile has settled; if not, it falls on. That problem is then solved
 * apart: from nothing, and from its answer after every sphere has been pushed a little. Printed: contacts, iterations
 * and seconds of the processor to 1e-8 (the quickest of three), the part of the spheres that still moves, and the
 * exponent of growth from size to size and over all. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perp/problem_file.h"
#include "scenes.h"
#include "seconds.h"

#define TOL       1e-8
#define MAX_SIZES 8

#define ROUNDS   400 /* times that the pile may fall on */
#define STEPS    50  /* of a round */
#define SWEEPS   50  /* of a step, down to SWEPT */
#define SWEPT    1e-3
#define KEEP_V   0.95 /* of the velocity, from step to step, */
#define KEEP_W   0.85 /* and of the spin: about what stops a sphere in a hollow soonest */
#define POURING  0.4  /* part of the friction while it falls */
#define FIRST    14   /* round of the first test; one more for every MORE spheres */
#define MORE     400
#define STILL    1e-2 /* velocity of a sphere at rest, over what gravity makes in a step */
#define FEW      1e-2 /* part of the spheres of a settled pile that may move */
#define SWELL    1e-3 /* what touches, in sizes */
#define PATIENCE 1e-2 /* seconds for a test, by size to the power 1.2 */
#define REPEATS  3    /* solves of each kind; the quickest counts */
#define PUSH     1e-4 /* part of the weight by which spheres are pushed */
#define STEP_H   0.01 /* T */

typedef struct options {
    const char *save; /* folder for the problems; NULL: none */
    int size[MAX_SIZES], nsize;
    double mu;
} options;

typedef struct figures {
    int n, contacts, cold_iterations, warm_iterations;
    double cold, warm, cold_natural, warm_natural; /* seconds, residuals */
    double moving;                                 /* part of the spheres */
} figures;

static void die(const char *what, const char *why) {
    fprintf(stderr, "pile: %s: %s\n", what, why);
    exit(1);
}

/* Slows all bodies by the two factors. Returns the largest speed, of a centre or of a spin at a unit distance. */
static double damp(const scene *s, double keep_v, double keep_w) {
    double most = 0;
    int count = perp_world_body_count(s->w);
    perp_body_id *body = malloc(sizeof *body * (size_t)count);
    if (!body) die("memory", "refused");
    (void)perp_world_bodies(s->w, body, count);
    for (int i = 0; i < count; i++) {
        perp_vec3 v, w;
        if (perp_body_velocity(s->w, body[i], &v, &w)) continue;
        if (perp_body_set_velocity(s->w, body[i], perp_v3_scale(keep_v, v), perp_v3_scale(keep_w, w))) continue;
        most = fmax(most, fmax(perp_v3_norm(v), perp_v3_norm(w)));
    }
    free(body);
    return most;
}

/* The same bodies in another world, larger by SWELL if `swollen`. */
static scene transplant(const scene *from, perp_world_def def, int n, double mu, bool swollen) {
    scene to = scene_pile_swollen(def, n, mu, 0, 1, 1, swollen ? 1 + SWELL : 1);
    size_t size = perp_world_state_size(from->w);
    void *state = malloc(size);
    if (!state || perp_world_get_state(from->w, state, size) || perp_world_set_state(to.w, state, size))
        die("state", perp_world_why(to.w));
    free(state);
    return to;
}

static perp_world_def quick_world(void) {
    perp_world_def d = perp_world_def_default(3);
    d.h = STEP_H;
    d.form = PERP_FORM_CONE;
    d.solver = "gauss-seidel";
    d.fallback[0] = NULL;
    d.tolerance = 0.9;
    d.max_halvings = 0;
    return d;
}

/* Some steps; velocities are damped, spin more so: without friction of rolling a sphere may roll on for long. Returns
 * the largest speed at the end. */
static double fall(scene *s, int steps, double keep_v, double keep_w) {
    double speed = 0;
    (void)perp_world_set(s->w, "gauss-seidel.tol", SWEPT);
    (void)perp_world_set(s->w, "gauss-seidel.max_sweeps", SWEEPS);
    for (int i = 0; i < steps; i++) {
        if (perp_world_step(s->w, NULL)) die("settling", perp_world_why(s->w));
        speed = damp(s, keep_v, keep_w);
    }
    return speed;
}

/* The problem of a step at velocity level from standing still. */
static perp_stored *pose(const scene *s, int n, double mu) {
    perp_world_def d = quick_world();
    d.stepper = "anitescu-potra";
    scene held = transplant(s, d, n, mu, true);
    (void)damp(&held, 0, 0);
    (void)perp_world_set(held.w, "gauss-seidel.max_sweeps", 1);
    if (perp_world_step(held.w, NULL)) die("posing", perp_world_why(held.w));
    perp_stored *stored;
    if (perp_step_convert(perp_world_problem(held.w), PERP_CONE, NULL, NULL, &stored)) die("conversion", "failed");
    scene_end(&held);
    return stored;
}

static void save(const options *o, int n, const perp_problem *p) {
    char path[1024], title[128];
    perp_refusal why;
    if (!o->save) return;
    (void)snprintf(path, sizeof path, "%s/pile-%d.h5", o->save, n);
    (void)snprintf(title, sizeof title, "pile of %d spheres at rest, mu %g", n, o->mu);
    if (perp_problem_write(path, PERP_FORMAT_PERP, p, NULL, title, &why)) die(path, "not written");
    fprintf(stderr, "  %s\n", path);
}

/* Part of the spheres that move faster than STILL, of those that touch something: others have no part in the problem. */
static double moving(const perp_cone *p, const double *r) {
    int dofs = p->M.rows, count = 0;
    double *v = malloc(sizeof *v * (size_t)dofs);
    bool *touches = calloc((size_t)(dofs / 6), sizeof *touches);
    if (!v || !touches || perp_cone_velocity(p, r, NULL, v)) die("velocity", "not found");
    for (int k = 0; k < p->H.start[p->H.cols]; k++)
        if (p->H.value[k] != 0) touches[p->H.index[k] / 6] = true;
    for (int i = 0; i < dofs / 6; i++) {
        double most = 0;
        for (int k = 6 * i; k < 6 * i + 6; k++) most = fmax(most, fabs(v[k]));
        count += touches[i] && most > STILL * 9.81 * STEP_H;
    }
    free(touches);
    free(v);
    return 6.0 * count / dofs;
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

/* Falls until it is at rest. The problem comes out, with impulses that hold the pile in *r. */
static perp_stored *settle(int n, const options *o, double **r) {
    scene s = scene_pile(quick_world(), n, POURING * o->mu, 0, 1, 1);
    double limit = PATIENCE * pow(n, 1.2) / 10 + 1, start = seconds();
    (void)fall(&s, 60, 1, 1);
    for (int k = 0; k < ROUNDS; k++) {
        double speed = fall(&s, STEPS, KEEP_V, KEEP_W);
        fprintf(stderr, "  %d spheres, round %d, %.1f s: largest speed %.1e\n", n, k + 1, seconds() - start, speed);
        if (k < FIRST + n / MORE || k % 2) continue;
        perp_stored *p = pose(&s, n, o->mu);
        const perp_problem *problem = perp_stored_problem(p);
        *r = calloc((size_t)perp_problem_size(problem), sizeof **r);
        double took, natural;
        int iterations;
        if (!*r) die("memory", "refused");
        bool solved = solve(problem, false, limit, *r, &took, &iterations, &natural);
        double left = moving(&problem->as.cone, *r);
        fprintf(stderr, "  %.1f %% of the spheres move\n", 100 * left);
        if (solved && left <= FEW) {
            scene_end(&s);
            return p;
        }
        free(*r);
        perp_stored_free(p);
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

static figures one(int n, const options *o) {
    figures f = {.n = n};
    double *r;
    perp_stored *stored = settle(n, o, &r);
    perp_problem p = *perp_stored_problem(stored);
    size_t m = (size_t)perp_problem_size(&p), dofs = (size_t)p.as.cone.M.rows;
    save(o, n, &p);
    f.contacts = p.as.cone.ncontact;
    f.cold = quickest(&p, NULL, r, &f.cold_iterations, &f.cold_natural);
    f.moving = moving(&p.as.cone, r);
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
    options o = {.size = {50}, .nsize = 1, .mu = 0.5};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--save")) o.save = argv[i + 1];
        if (!strcmp(argv[i], "--mu")) o.mu = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--sizes")) {
            o.nsize = 0;
            for (char *t = strtok(argv[i + 1], ","); t && o.nsize < MAX_SIZES; t = strtok(NULL, ","))
                o.size[o.nsize++] = atoi(t);
        }
    }
    return o;
}

int main(int argc, char **argv) {
    options o = parse(argc, argv);
    figures before = {0}, smallest = {0};
    bool good = true;
    printf("%8s %9s %8s   %-32s   %-32s\n%8s %9s %8s   %6s %9s %7s %8s   %6s %9s %7s %8s\n", "spheres", "contacts",
           "moving", "cold", "warm", "", "", "", "steps", "residual", "s", "growth", "steps", "residual", "s",
           "growth");
    for (int i = 0; i < o.nsize; i++) {
        figures f = one(o.size[i], &o);
        double size = log((double)f.n / (i ? before.n : 1)); /* growth is from the size before */
        printf("%8d %9d %8.0e   %6d %9.1e %7.3f %8.2f   %6d %9.1e %7.3f %8.2f\n", f.n, f.contacts, f.moving,
               f.cold_iterations, f.cold_natural, f.cold, i ? log(f.cold / before.cold) / size : NAN, f.warm_iterations,
               f.warm_natural, f.warm, i ? log(f.warm / before.warm) / size : NAN);
        fflush(stdout);
        good &= f.cold_natural <= TOL && f.warm_natural <= TOL;
        before = f;
        if (i == 0) smallest = f;
    }
    if (o.nsize > 1) {
        double size = log((double)before.n / smallest.n);
        printf("from %d to %d spheres: cold N^%.2f, warm N^%.2f\n", smallest.n, before.n,
               log(before.cold / smallest.cold) / size, log(before.warm / smallest.warm) / size);
    }
    return good ? 0 : 1;
}

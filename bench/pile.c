/* pile.c - how the time of `auto` grows with the size of a settled pile of spheres
 *
 *     pile [--save DIR] [--sizes N,N,...] [--mu MU] [--resting V]      (50; `make study-pile` takes 50, 200, 800 and 3200)
 *
 * Spheres fall into an open bin and sink into places where they stay: every step begins from standing still, so that what
 * cannot be held sinks by up to g h^2 in a step and all else stays where it is. Sweeps solve these steps with less
 * friction than asked for, first roughly, then more finely (stages below). Then the problem of a step at velocity level
 * (Anitescu and Potra) is posed with all of the friction; spheres closer than TOUCH of their size touch. If its answer
 * to 1e-8 leaves all but FEW of the spheres at rest, V (RESTING) of the speed that gravity makes in the step, the few are
 * taken away, until none moves; if not, it sinks on. What is left has settled. Its problem is then solved apart: from
 * nothing, and from its answer after every sphere has been pushed a little. Printed: spheres, how many were taken away,
 * contacts, steps and seconds of the processor to 1e-8 (the quickest of three), and the exponent of growth from size to
 * size and over all. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perp/problem_file.h"
#include "scenes.h"

#define TOL       1e-8
#define MAX_SIZES 8

#define RESTING  1e-3 /* speed of a sphere at rest, over what gravity makes in a step; some creep below it */
#define FEW      5e-3 /* part of the spheres that may move, and are taken away */
#define AWAY     20   /* times that some may be */
#define FALL     5    /* steps of the fall, which are not stopped */
#define ROUNDS   20   /* times that the stages from RESUME on may be gone through */
#define RESUME   2
#define SWEEPS   6000
#define TOUCH    1e-4 /* what touches, in sizes */
#define PATIENCE 300  /* seconds for a test */
#define REPEATS  3    /* solves of each kind; the quickest counts */
#define PUSH     1e-4 /* part of the weight by which spheres are pushed */
#define STEP_H   0.01 /* T */

/* How a pile settles. */
typedef struct stage {
    double h;
    double friction;  /* part of that asked for: what rests with less has room left with all of it */
    double tolerance; /* of the world */
    int steps;        /* at most */
} stage;
static const stage stages[] = {
    {0.1, 0.4, 0.9, 400}, {0.1, 0.6, 2e-2, 200}, {0.1, 0.6, 4e-3, 120}, {0.02, 0.8, 2e-2, 60}, {STEP_H, 0.8, 2e-2, 40}};
enum { STAGES = sizeof stages / sizeof *stages };

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

/* Stops all bodies. */
static void stop(const scene *s) {
    int count;
    perp_body_id *body = all_bodies(s, &count);
    for (int i = 0; i < count; i++) (void)perp_body_set_velocity(s->w, body[i], perp_v3(0, 0, 0), perp_v3(0, 0, 0));
    free(body);
}

/* A pile in a world of sweeps; of `from`, if not NULL, are the places of the spheres. */
static scene pile_in(perp_world_def d, const scene *from, int n, double mu, double swell) {
    d.form = PERP_FORM_CONE;
    d.contact_model = "one-plane";
    d.solver = "gauss-seidel";
    d.fallback[0] = NULL;
    d.max_halvings = 0;
    scene to = scene_pile_swollen(d, n, mu, 0, 1, 1, swell);
    if (!from) return to;
    size_t size = perp_world_state_size(from->w);
    void *state = malloc(size);
    if (!state || perp_world_get_state(from->w, state, size) || perp_world_set_state(to.w, state, size))
        die("state", perp_world_why(to.w));
    free(state);
    return to;
}

/* One stage; of its steps the first `fall` are not stopped. */
static void sink(scene *s, const stage *how, int n, double mu, int fall) {
    perp_world_def d = perp_world_def_default(3);
    d.h = how->h;
    d.tolerance = how->tolerance;
    scene next = pile_in(d, s->w ? s : NULL, n, how->friction * mu, 1);
    if (s->w) scene_end(s);
    *s = next;
    (void)perp_world_set(s->w, "gauss-seidel.max_sweeps", SWEEPS);
    int step = 0;
    for (; step < how->steps; step++) {
        if (perp_world_step(s->w, NULL)) break; /* sweeps were not enough: other stages will bring it nearer */
        if (step >= fall) stop(s);
    }
    fprintf(stderr, "  %d spheres, h %g, tolerance %g: %d steps; %.0f s\n", n, how->h, how->tolerance, step,
            (double)clock() / CLOCKS_PER_SEC);
}

/* The spheres of a pile that was sunk, by number: those that are left. */
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

/* The problem of a step at velocity level from standing still. */
static perp_stored *pose(const scene *s, const rest *left, int n, double mu) {
    perp_world_def d = perp_world_def_default(3);
    d.h = STEP_H;
    d.stepper = "anitescu-potra";
    d.tolerance = 0.9;
    scene held = pile_in(d, s, n, mu, 1 + TOUCH);
    take_away(&held, left);
    stop(&held);
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

/* Those of the spheres that do not move faster than `resting`, in place. Returns how many do. */
static int keep_resting(const perp_cone *p, const double *r, double resting, rest *left) {
    double *v = malloc(sizeof *v * (size_t)p->M.rows);
    int kept = 0, all = left->n;
    if (!v || perp_cone_velocity(p, r, NULL, v)) die("velocity", "not found");
    if (p->M.rows != 6 * all) die("the problem", "not one of all spheres");
    for (int i = 0; i < all; i++) {
        double most = 0;
        for (int k = 6 * i; k < 6 * i + 6; k++) most = fmax(most, fabs(v[k]));
        if (most <= resting * 9.81 * STEP_H) left->sphere[kept++] = left->sphere[i];
    }
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

/* The problem of the spheres that are left, and its answer in *r. Spheres that move in it are no longer left; how many
 * is *moving. NULL: some do, or it was not solved. */
static perp_stored *attempt(const scene *s, rest *left, int n, const options *o, double **r, int *moving) {
    perp_stored *p = pose(s, left, n, o->mu);
    const perp_problem *problem = perp_stored_problem(p);
    *r = calloc((size_t)perp_problem_size(problem), sizeof **r);
    if (!*r) die("memory", "refused");
    double took, natural;
    int iterations;
    bool solved = solve(problem, false, PATIENCE, *r, &took, &iterations, &natural);
    *moving = solved ? keep_resting(&problem->as.cone, *r, o->resting, left) : left->n;
    fprintf(stderr, "  %d spheres move\n", *moving);
    if (solved && *moving == 0) return p;
    free(*r);
    perp_stored_free(p);
    return NULL;
}

/* Sinks until it is at rest. The problem comes out, with impulses that hold the pile in *r, and how many spheres are in
 * it. */
static perp_stored *settle(int n, const options *o, double **r, int *spheres) {
    scene s = {0};
    rest left = {.sphere = malloc(sizeof(int) * (size_t)n)};
    if (!left.sphere) die("memory", "refused");
    for (int k = 0; k < RESUME; k++) sink(&s, &stages[k], n, o->mu, k == 0 ? FALL : 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = RESUME; k < STAGES; k++) sink(&s, &stages[k], n, o->mu, 0);
        for (left.n = 0; left.n < n; left.n++) left.sphere[left.n] = left.n;
        int moving = 0;
        for (int k = 0; k < AWAY && moving <= FEW * n; k++) {
            perp_stored *p = attempt(&s, &left, n, o, r, &moving);
            if (!p) continue;
            *spheres = left.n;
            free(left.sphere);
            scene_end(&s);
            return p;
        }
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
    figures f = {0};
    double *r;
    perp_stored *stored = settle(n, o, &r, &f.n);
    f.away = n - f.n;
    perp_problem p = *perp_stored_problem(stored);
    size_t m = (size_t)perp_problem_size(&p), dofs = (size_t)p.as.cone.M.rows;
    save(o, n, &p);
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
    options o = {.size = {50}, .nsize = 1, .mu = 0.5, .resting = RESTING};
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

int main(int argc, char **argv) {
    options o = parse(argc, argv);
    figures before = {0}, smallest = {0};
    bool good = true;
    printf("%8s %9s %8s   %-32s   %-32s\n%8s %9s %8s   %6s %9s %7s %8s   %6s %9s %7s %8s\n", "spheres", "contacts",
           "away", "cold", "warm", "", "", "", "steps", "residual", "s", "growth", "steps", "residual", "s", "growth");
    for (int i = 0; i < o.nsize; i++) {
        figures f = one(o.size[i], &o);
        double size = log((double)f.n / (i ? before.n : 1)); /* growth is from the size before */
        printf("%8d %9d %8d   %6d %9.1e %7.3f %8.2f   %6d %9.1e %7.3f %8.2f\n", f.n, f.contacts, f.away,
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

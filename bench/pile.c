/* pile.c - how the time of `auto` grows with the size of a settled pile of spheres
 *
 *     pile [--save DIR] [--sizes N,N,...] [--mu MU]         (50; `make study-pile` takes 50, 200, 800 and 3200)
 *
 * Spheres fall into an open bin in a world with friction cones, solved by quick sweeps. Now and then everything is
 * stopped and the problem of a step at velocity level (Anitescu and Potra) is posed: spheres closer than a ten
 * thousandth of their size touch, and the sweeps' errors in position do not count. If `auto` finds impulses that hold
 * the pile, it is at rest; if not, it falls on. That problem is then solved apart: from nothing, and from its answer
 * after every sphere has been pushed a little. Printed: contacts, iterations and seconds of the processor to 1e-8, the
 * largest velocity left over what gravity makes in a step, and the exponent of growth from size to size. */
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

#define ROUNDS   200  /* times that the pile may fall on */
#define STEPS    100  /* of a round */
#define STILL    1e-4 /* largest velocity of a pile at rest, over what gravity makes in a step */
#define SWELL    1e-4 /* what touches, in sizes */
#define PATIENCE 1e-2 /* seconds for a test, by size to the power 1.2 */
#define PUSH     1e-4 /* part of the weight by which spheres are pushed */
#define H        0.01 /* T */

typedef struct options {
    const char *save; /* folder for the problems; NULL: none */
    int size[MAX_SIZES], nsize;
    double mu;
} options;

typedef struct figures {
    int n, contacts, cold_iterations, warm_iterations;
    double cold, warm, cold_natural, warm_natural; /* seconds, residuals */
    double speed;                                  /* left, over g h */
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
    d.h = H;
    d.form = PERP_FORM_CONE;
    d.solver = "gauss-seidel";
    d.fallback[0] = NULL;
    d.tolerance = 0.9;
    d.max_halvings = 0;
    return d;
}

/* Some steps with sweeps to `tol`; velocities are damped, spin more so: without friction of rolling a sphere may roll on
 * for long. Returns the largest speed at the end. */
static double fall(scene *s, int steps, double tol, int sweeps, double keep_v, double keep_w) {
    double speed = 0;
    (void)perp_world_set(s->w, "gauss-seidel.tol", tol);
    (void)perp_world_set(s->w, "gauss-seidel.max_sweeps", sweeps);
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

/* Largest velocity of a body, over what gravity makes in a step. */
static double speed_of(const perp_cone *p, const double *r) {
    double *v = malloc(sizeof *v * (size_t)p->M.rows), most = 0;
    if (!v || perp_cone_velocity(p, r, NULL, v)) die("velocity", "not found");
    for (int i = 0; i < p->M.rows; i++) most = fmax(most, fabs(v[i]));
    free(v);
    return most / (9.81 * H);
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
    scene s = scene_pile(quick_world(), n, o->mu, 0, 1, 1);
    double limit = PATIENCE * pow(n, 1.2) / 10 + 1, start = seconds();
    (void)fall(&s, 60, 1e-3, 50, 1, 1);
    for (int k = 0; k < ROUNDS; k++) {
        double speed = k < 4 ? fall(&s, STEPS, 1e-3, 50, 0.97, 0.9) : fall(&s, STEPS, 1e-4, 200, 0.97, 0.93);
        fprintf(stderr, "  %d spheres, round %d, %.1f s: largest speed %.1e\n", n, k + 1, seconds() - start, speed);
        if (k < 4) continue;
        perp_stored *p = pose(&s, n, o->mu);
        const perp_problem *problem = perp_stored_problem(p);
        *r = calloc((size_t)perp_problem_size(problem), sizeof **r);
        double took, natural;
        int iterations;
        if (!*r) die("memory", "refused");
        if (solve(problem, false, limit, *r, &took, &iterations, &natural) && speed_of(&problem->as.cone, *r) < STILL) {
            scene_end(&s);
            return p;
        }
        free(*r);
        perp_stored_free(p);
    }
    die("settling", "the pile does not come to rest");
    return NULL;
}

static figures one(int n, const options *o) {
    figures f = {.n = n};
    double *r;
    perp_stored *stored = settle(n, o, &r);
    perp_problem p = *perp_stored_problem(stored);
    size_t m = (size_t)perp_problem_size(&p), dofs = (size_t)p.as.cone.M.rows;
    save(o, n, &p);
    f.contacts = p.as.cone.ncontact;
    memset(r, 0, m * sizeof *r);
    (void)solve(&p, false, 0, r, &f.cold, &f.cold_iterations, &f.cold_natural);
    f.speed = speed_of(&p.as.cone, r);
    double *pushed = malloc(dofs * sizeof *pushed), weight = 0;
    if (!pushed) die("memory", "refused");
    for (size_t i = 0; i < dofs; i++) weight = fmax(weight, fabs(p.as.cone.f[i]));
    for (size_t i = 0; i < dofs; i++) pushed[i] = p.as.cone.f[i] + PUSH * weight * sin((double)i) * (i % 6 < 3);
    p.as.cone.f = pushed;
    (void)solve(&p, true, 0, r, &f.warm, &f.warm_iterations, &f.warm_natural);
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
    figures before = {0};
    bool good = true;
    printf("%8s %9s %8s   %-32s   %-32s\n%8s %9s %8s   %6s %9s %7s %8s   %6s %9s %7s %8s\n", "spheres", "contacts",
           "speed", "cold", "warm", "", "", "", "steps", "residual", "s", "growth", "steps", "residual", "s", "growth");
    for (int i = 0; i < o.nsize; i++) {
        figures f = one(o.size[i], &o);
        double size = log((double)f.n / (i ? before.n : 1)); /* growth is from the size before */
        printf("%8d %9d %8.0e   %6d %9.1e %7.3f %8.2f   %6d %9.1e %7.3f %8.2f\n", f.n, f.contacts, f.speed,
               f.cold_iterations, f.cold_natural, f.cold, i ? log(f.cold / before.cold) / size : NAN, f.warm_iterations,
               f.warm_natural, f.warm, i ? log(f.warm / before.warm) / size : NAN);
        fflush(stdout);
        good &= f.cold_natural <= TOL && f.warm_natural <= TOL;
        before = f;
    }
    return good ? 0 : 1;
}

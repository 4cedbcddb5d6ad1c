/* pile.c - how the time of `auto` grows with the size of a settled pile of spheres
 *
 *     pile [--save DIR] [--sizes N,N,...] [--mu MU]         (50; `make study-pile` takes 50, 200, 800 and 3200)
 *
 * Spheres fall into an open bin and come to rest in a world with friction cones, first with a loose tolerance and quick
 * sweeps, then with `auto` and perp's own tolerance. The problem of the last step is solved apart: from nothing, and
 * from the impulses of the step before. Printed: contacts, iterations and seconds to 1e-8, and the exponent of growth
 * from size to size. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/problem_file.h"
#include "scenes.h"
#include "seconds.h"

#define TOL       1e-8
#define MAX_SIZES 8

#define TRUE_STEPS 20   /* with auto, at the end */
#define LARGE      1000 /* spheres; of more it takes too long to wait for the last that rolls */
#define HARD       300  /* iterations of a problem worth keeping */
#define SLOW       1e-2 /* largest speed of a pile that rests [diameters/T] */

typedef struct options {
    const char *save; /* folder for the problems; NULL: none */
    int size[MAX_SIZES], nsize;
    double mu;
} options;

typedef struct figures {
    int n, contacts, cold_iterations, warm_iterations;
    double cold, warm, cold_natural, warm_natural; /* seconds, residuals */
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

/* The same bodies in a world with another solver, with all that is remembered of the last step. */
static scene transplant(const scene *from, perp_world_def def, int n, double mu) {
    scene to = scene_pile(def, n, mu, 0, 1, 1);
    size_t size = perp_world_state_size(from->w);
    void *state = malloc(size);
    if (!state || perp_world_get_state(from->w, state, size) || perp_world_set_state(to.w, state, size))
        die("state", perp_world_why(to.w));
    free(state);
    return to;
}

static perp_world_def quick_world(void) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.01;
    d.form = PERP_FORM_CONE;
    d.solver = "gauss-seidel";
    d.fallback[0] = NULL;
    d.tolerance = 0.3;
    d.max_halvings = 0;
    return d;
}

/* The world goes on with what `auto` found, whatever that is: the figures say how good it was. */
static perp_world_def true_world(void) {
    perp_world_def d = quick_world();
    d.solver = "auto";
    return d;
}

/* Falls with quick sweeps to a thousandth, then rests with finer ones until nothing has moved faster than SLOW for a
 * while: what rests only because forces are not quite right would start again later. Motion is damped, spin more so:
 * without friction of rolling a sphere may roll on for long. */
static void drop(scene *s, int n) {
    static const struct {
        double tol, keep_v, keep_w;
        int sweeps, steps, calm;
    } stage[] = {{1e-3, 1, 1, 50, 60, 1000},
                 {1e-3, 0.97, 0.8, 50, 1500, 5},
                 {1e-4, 0.95, 0.8, 200, 300, 10},
                 {1e-5, 0.9, 0.7, 1000, 100, 10}};
    for (size_t k = 0; k < sizeof stage / sizeof *stage; k++) {
        (void)perp_world_set(s->w, "gauss-seidel.tol", stage[k].tol);
        (void)perp_world_set(s->w, "gauss-seidel.max_sweeps", stage[k].sweeps);
        double start = seconds(), speed = INFINITY;
        int i = 0;
        int most = n <= LARGE ? stage[k].steps : 40 + stage[k].steps * LARGE / n;
        for (int calm = 0; i < most && calm < stage[k].calm; i++) {
            if (perp_world_step(s->w, NULL)) die("settling", perp_world_why(s->w));
            speed = damp(s, stage[k].keep_v, stage[k].keep_w);
            calm = speed < SLOW ? calm + 1 : 0;
            if (i % 100 == 99) fprintf(stderr, "  %d spheres, step %d: largest speed %.1e\n", n, i + 1, speed);
        }
        fprintf(stderr, "  %d spheres: %d steps to speed %.1e, %.1f s\n", n, i, speed, seconds() - start);
    }
    (void)damp(s, 0, 0);
}

/* The impulses of the step before, matched by the features that touch, in the frames of the contacts of now. */
static void recall(const perp_contact *old, int nold, const perp_contact *now, int n, double *p) {
    for (int i = 0, k = 0; i < n; i++) {
        const perp_contact *c = &now[i];
        p[3 * i] = p[3 * i + 1] = p[3 * i + 2] = 0;
        int found = -1;
        for (int j = 0; j < nold && found < 0; j++) { /* both lists have nearly the same order */
            const perp_contact *o = &old[(k + j) % nold];
            if (o->a.slot == c->a.slot && o->b.slot == c->b.slot && o->feature == c->feature) found = (k + j) % nold;
        }
        if (found < 0) continue;
        const perp_contact *o = &old[found];
        k = found + 1;
        perp_vec3 P =
            perp_v3_add(perp_v3_scale(o->impulse_C[0], o->n_W),
                        perp_v3_add(perp_v3_scale(o->impulse_C[1], o->t_W), perp_v3_scale(o->impulse_C[2], o->o_W)));
        p[3 * i] = fmax(0, perp_v3_dot(P, c->n_W));
        p[3 * i + 1] = perp_v3_dot(P, c->t_W);
        p[3 * i + 2] = perp_v3_dot(P, c->o_W);
    }
}

static void save(const options *o, const char *name, const perp_stored *s, const char *title) {
    char path[1024];
    perp_refusal why;
    if (!o->save) return;
    (void)snprintf(path, sizeof path, "%s/%s.h5", o->save, name);
    const perp_problem *p = perp_stored_problem(s);
    if (perp_problem_write(path, PERP_FORMAT_PERP, p, perp_stored_guess(s), title, &why)) die(path, "not written");
    fprintf(stderr, "  %s\n", path);
}

/* The problem of the step just taken, with the impulses of the step before as guess. */
static perp_stored *last_problem(const scene *s, const perp_contact *before, int nbefore) {
    const perp_contact *now;
    int count = perp_world_contacts(s->w, &now);
    const perp_step_problem *step = perp_world_problem(s->w);
    double *p = calloc(3 * (size_t)count + 1, sizeof *p), *sigma = calloc((size_t)count + 1, sizeof *sigma);
    if (!p || !sigma || step->ncontact != count) die("memory", "refused");
    recall(before, nbefore, now, count, p);
    perp_step_solution guess = {.p_contact = p, .sigma = sigma};
    perp_stored *stored;
    if (perp_step_convert(step, PERP_CONE, &guess, NULL, &stored)) die("conversion", "failed");
    free(p);
    free(sigma);
    return stored;
}

/* The last problem of the quick sweeps, with their own answer as guess. */
static void save_quick(const scene *s, int n, const options *o) {
    const perp_contact *c;
    int count = perp_world_contacts(s->w, &c);
    perp_stored *p = last_problem(s, c, count);
    char name[64];
    (void)snprintf(name, sizeof name, "settling-%d", n);
    save(o, name, p, "a pile as quick sweeps left it");
    perp_stored_free(p);
}

/* TRUE_STEPS with auto, still damped but for the last; the last problem comes out. */
static perp_stored *rest(scene *s, int n, const options *o) {
    perp_contact *before = NULL;
    perp_stored *last = NULL;
    for (int k = 1; k <= TRUE_STEPS; k++) {
        const perp_contact *c;
        int nbefore = perp_world_contacts(s->w, &c);
        before = realloc(before, sizeof *before * (size_t)(nbefore + 1));
        if (!before) die("memory", "refused");
        if (nbefore) memcpy(before, c, sizeof *before * (size_t)nbefore);
        perp_certificate cert;
        double start = seconds();
        if (perp_world_step(s->w, &cert)) { /* it stays where it is */
            fprintf(stderr, "  %s\n", perp_world_why(s->w));
            break;
        }
        fprintf(stderr,
                "  %d spheres, true step %d: %d contacts, %d iterations, %.2f s, residual %.1e, overlap %.1e, energy "
                "%.1e\n",
                n, k, cert.contacts, cert.iterations, seconds() - start, cert.residual, cert.overlap,
                cert.ledger.kinetic_after);
        perp_stored_free(last);
        last = last_problem(s, before, nbefore);
        char name[64], title[128];
        (void)snprintf(title, sizeof title, "pile of %d spheres, mu %g, at rest, step %d", n, o->mu, k);
        (void)snprintf(name, sizeof name, "hard-%d-%d", n, k);
        if (cert.iterations > HARD) save(o, name, last, title);
        (void)snprintf(name, sizeof name, "pile-%d", n);
        if (k == TRUE_STEPS)
            save(o, name, last, title);
        else
            (void)damp(s, 0.5, 0.5);
    }
    if (!last) die("resting", "not one step");
    free(before);
    return last;
}

/* One solve by auto, cold or from the guess. */
static void solve(const perp_stored *s, bool warm, double *took, int *iterations, double *natural) {
    const perp_problem *p = perp_stored_problem(s);
    size_t m = (size_t)perp_problem_size(p);
    double *r = calloc(m, sizeof *r);
    if (!r) die("memory", "refused");
    if (warm) memcpy(r, perp_stored_guess(s), m * sizeof *r);
    perp_solve_options o = {.tol = TOL, .warm = warm};
    perp_solve_info info;
    perp_measures ms;
    double start = seconds();
    perp_status st = perp_solve(p, &o, r, &info);
    *took = seconds() - start;
    *iterations = info.iterations;
    *natural = !perp_problem_measure(p, r, &ms) ? ms.natural : INFINITY;
    fprintf(stderr, "  %s: %s, %s\n", warm ? "warm" : "cold", perp_status_name(st), info.story);
    free(r);
}

static figures one(int n, const options *o) {
    figures f = {.n = n};
    double start = seconds();
    scene quick = scene_pile(quick_world(), n, o->mu, 0, 1, 1);
    drop(&quick, n);
    fprintf(stderr, "  %d spheres settled in %.1f s\n", n, seconds() - start);
    scene s = transplant(&quick, true_world(), n, o->mu);
    save_quick(&quick, n, o);
    scene_end(&quick);
    perp_stored *p = rest(&s, n, o);
    f.contacts = perp_stored_problem(p)->as.cone.ncontact;
    solve(p, false, &f.cold, &f.cold_iterations, &f.cold_natural);
    solve(p, true, &f.warm, &f.warm_iterations, &f.warm_natural);
    perp_stored_free(p);
    scene_end(&s);
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
    printf("%8s %9s   %-32s   %-32s\n%8s %9s   %6s %9s %7s %8s   %6s %9s %7s %8s\n", "spheres", "contacts", "cold",
           "warm", "", "", "steps", "residual", "s", "growth", "steps", "residual", "s", "growth");
    for (int i = 0; i < o.nsize; i++) {
        figures f = one(o.size[i], &o);
        double size = log((double)f.n / (i ? before.n : 1));
        printf("%8d %9d   %6d %9.1e %7.3f %8.2f   %6d %9.1e %7.3f %8.2f\n", f.n, f.contacts, f.cold_iterations,
               f.cold_natural, f.cold, i ? log(f.cold / before.cold) / size : NAN, f.warm_iterations, f.warm_natural,
               f.warm, i ? log(f.warm / before.warm) / size : NAN);
        fflush(stdout);
        good &= f.cold_natural <= TOL && f.warm_natural <= TOL;
        before = f;
    }
    return good ? 0 : 1;
}

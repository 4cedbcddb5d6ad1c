/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* captured.c - checks that `auto` solves the problems of perp's own scenes
 *
 *     captured [--save DIR] [--only NAME] [--stride K]         (10; `make study-captured` takes 2)
 *
 * Worlds with friction cones run scene after scene; the problem of every island of every K-th step is posed as a cone
 * problem, as a mixed LCP and as an LCP (pyramids in 3D, where it is not too large), each is solved by `auto` from
 * nothing, and the judge measures: natural <= 1e-9 counts as solved. Printed per scene: problems, failures, worst
 * residual, median of iterations. Then warm against cold on settled structures. Exit code 1 if one failed.
 *
 * Left out, and counted: problems of joints that need no impulses, such as a linkage in free fall. Their q is only rounding error, and a
 * residual relative to the size of q has no meaning. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/problem_file.h"
#include "scenes.h"
#include "seconds.h"

#define ENOUGH   1e-9
#define LCP_MOST 260   /* rows of an LCP, a dense one, that is still tried */
#define RUNAWAY  1e3   /* largest impulse over all momentum that is suspicious */
#define ROUNDING 1e-11 /* of the speeds of bodies; positions that end in 1e-16 are speeds of 1e-14 over a short step */

enum { CONE, MLCP, LCP, FORMS };
static const perp_class class_of[FORMS] = {PERP_CONE, PERP_MLCP, PERP_LCP};

typedef struct tally {
    int problems, failed, runaway; /* runaway: solved, but with impulses far beyond those that bodies have */
    double worst, seconds;
    int *iterations, capacity;
} tally;

typedef struct study {
    const char *save, *only; /* NULL: none, all */
    int stride;
    const char *scene; /* that runs now */
    tally form[FORMS], total[FORMS];
    int contacts, joints; /* largest of the scene */
    int empty;            /* problems left out */
    int stopped;          /* scenes that ended early */
} study;

static void note(tally *t, int iterations, double natural, double took) {
    if (t->problems == t->capacity) {
        t->capacity = 2 * t->capacity + 64;
        t->iterations = realloc(t->iterations, sizeof(int) * (size_t)t->capacity);
        if (!t->iterations) exit(1);
    }
    t->iterations[t->problems++] = iterations;
    t->worst = natural > t->worst || isnan(natural) ? natural : t->worst;
    t->seconds += took;
}

static int ascending_counts(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int median(tally *t) {
    if (!t->problems) return 0;
    qsort(t->iterations, (size_t)t->problems, sizeof(int), ascending_counts);
    return t->iterations[t->problems / 2];
}

static void save(const study *s, int form, const perp_problem *p) {
    char path[1024], title[256];
    perp_refusal why;
    if (!s->save) return;
    (void)snprintf(path, sizeof path, "%s/%s-%s-%d.h5", s->save, s->scene, perp_class_name(class_of[form]),
                   s->form[form].problems);
    (void)snprintf(title, sizeof title, "captured from %s, not solved by auto", s->scene);
    if (perp_problem_write(path, PERP_FORMAT_PERP, p, NULL, title, &why)) fprintf(stderr, "%s: not written\n", path);
}

/* All momentum of a step: what impulses are to be compared with. */
static double momentum_of(const perp_step_problem *p) {
    double sum = 0;
    for (int i = 0; i < p->ndof; i++) sum += fabs(p->momentum[i]);
    return sum;
}

static void solve(study *s, int form, const perp_problem *p, double momentum) {
    double *z = calloc((size_t)perp_problem_size(p), sizeof *z);
    if (!z) exit(1);
    perp_solve_info info = {0};
    perp_measures m = {.natural = INFINITY};
    double start = seconds();
    perp_status st = perp_problem_solve(p, "auto", z, &info);
    double took = seconds() - start;
    if (!st && perp_problem_measure(p, z, &m)) m.natural = INFINITY;
    note(&s->form[form], info.iterations, m.natural, took);
    if (form == CONE && m.natural <= ENOUGH && m.largest > RUNAWAY * momentum) {
        s->form[form].runaway++;
        fprintf(stderr, "%s, cone %d: solved to %.1e, but with an impulse of %.1e, %.1e of all momentum\n", s->scene,
                s->form[form].problems, m.natural, m.largest, m.largest / momentum);
        save(s, form, p);
    }
    if (!(m.natural <= ENOUGH)) {
        s->form[form].failed++;
        fprintf(stderr, "%s, %s %d: %d variables, residual %.2e: %s\n", s->scene, perp_class_name(class_of[form]),
                s->form[form].problems, perp_problem_size(p), m.natural, info.story);
        save(s, form, p);
    }
    free(z);
}

static int edges(const perp_step_problem *p) { return p->dim == 2 ? 2 : p->ncontact <= 12 ? 8 : 4; }

/* At most so many rows with pyramids. */
static int rows_of(const perp_step_problem *p) { return (edges(p) + 2) * p->ncontact + p->njoint; }

/* Friction cones as pyramids, whose number of edges falls with that of contacts. */
static perp_contact_row *pyramids(const perp_step_problem *p) {
    perp_contact_row *c = malloc(sizeof *c * (size_t)(p->ncontact + 1));
    if (!c) exit(1);
    for (int i = 0; i < p->ncontact; i++) {
        c[i] = p->contact[i];
        if (c[i].nd) c[i].nd = edges(p);
        c[i].phase = 0.1; /* no pyramid stands along its axes by chance */
    }
    return c;
}

/* Are the speeds of the rows nothing but rounding of the speeds of the bodies? Only asked where nothing touches. */
static bool nothing_to_do(const perp_step_problem *p) {
    if (p->ncontact) return false;
    double *zero = calloc((size_t)(p->ndof + p->njoint + 1), sizeof *zero), most = 0, speed = 0;
    perp_stored *stored;
    if (!zero || perp_step_convert(p, PERP_CONE, NULL, NULL, &stored)) exit(1);
    const perp_cone *c = &perp_stored_problem(stored)->as.cone;
    double *u = malloc(sizeof *u * (size_t)(p->ndof + p->njoint + 1)), *v = u + p->njoint;
    if (!u || perp_cone_velocity(c, zero, u, v)) exit(1);
    for (int i = 0; i < p->njoint; i++) most = fmax(most, fabs(u[i]));
    for (int i = 0; i < p->ndof; i++) speed = fmax(speed, fabs(v[i]));
    free(u);
    free(zero);
    perp_stored_free(stored);
    return most <= ROUNDING * speed;
}

static void look(const perp_captured *c, void *ctx) {
    study *s = ctx;
    const perp_step_problem *p = c->problem;
    if (c->step % (uint64_t)s->stride || !c->info->solver[0]) return; /* joints alone: nothing to choose */
    if (nothing_to_do(p)) {
        s->empty++;
        return;
    }
    if (p->ncontact > s->contacts) s->contacts = p->ncontact;
    if (p->njoint > s->joints) s->joints = p->njoint;
    perp_contact_row *row = pyramids(p);
    for (int form = 0; form < FORMS; form++) {
        perp_step_problem q = *p;
        if (form != CONE) q.contact = row;
        perp_stored *stored;
        if (form != CONE && rows_of(p) > LCP_MOST) continue;
        if (perp_step_convert(&q, class_of[form], NULL, NULL, &stored)) exit(1);
        solve(s, form, perp_stored_problem(stored), momentum_of(p));
        perp_stored_free(stored);
    }
    free(row);
}

static void report(study *s) {
    printf("%-26s %5d %5d", s->scene, s->contacts, s->joints);
    for (int form = 0; form < FORMS; form++) {
        tally *t = &s->form[form], *sum = &s->total[form];
        printf("  |%6d %4d %8.1e %5d", t->problems, t->failed, t->worst, median(t));
        for (int i = 0; i < t->problems; i++) note(sum, t->iterations[i], t->worst, 0);
        sum->failed += t->failed;
        sum->runaway += t->runaway;
        sum->seconds += t->seconds;
        free(t->iterations);
        *t = (tally){0};
    }
    printf("\n");
    fflush(stdout);
    s->contacts = s->joints = 0;
}

/* A step that the world did not accept, to its own tolerance, even divided. */
static void given_up(study *s, const perp_world *w) {
    char path[1024];
    perp_refusal why;
    fprintf(stderr, "%s: %s\n", s->scene, perp_world_why(w));
    s->stopped++;
    if (!s->save) return;
    (void)snprintf(path, sizeof path, "%s/%s-step.h5", s->save, s->scene);
    if (perp_step_write(path, perp_world_failed_problem(w), NULL, s->scene, &why))
        fprintf(stderr, "%s: not written\n", path);
}

/* Runs a scene and ends it. */
static void run(study *s, const char *name, scene sc, int steps) {
    if (s->only && !strstr(name, s->only)) {
        scene_end(&sc);
        return;
    }
    s->scene = name;
    perp_capture capture = {look, s};
    perp_world_set_capture(sc.w, &capture);
    for (int i = 0; i < steps; i++)
        if (perp_world_step(sc.w, NULL)) {
            given_up(s, sc.w);
            break;
        }
    scene_end(&sc);
    report(s);
}

static perp_world_def cones(int dim, double h) {
    perp_world_def d = perp_world_def_default(dim);
    d.contact_model = "one-plane"; /* one problem a step */
    d.form = PERP_FORM_CONE;
    d.h = h;
    return d;
}

static char name_room[64];
static const char *named(const char *what, int dim, double a, double mu) {
    (void)snprintf(name_room, sizeof name_room, "%s-%dd-%g-mu%g", what, dim, a, mu);
    return name_room;
}

static const double friction[] = {0, 0.1, 0.3, 0.6, 1, 1.5};
enum { FRICTIONS = sizeof friction / sizeof *friction };

static void structures(study *s) {
    for (int k = 0; k < FRICTIONS; k++) {
        double mu = friction[k];
        for (int dim = 2; dim <= 3; dim++) {
            perp_world_def d = cones(dim, 5e-3);
            for (double ratio = 1; ratio < 2e4; ratio *= 100)
                run(s, named("stack", dim, ratio, mu), scene_stack(d, 6, ratio, mu), 40);
            run(s, named("wall", dim, 12, mu), scene_wall(d, 4, 3, mu), 40);
            run(s, named("table", dim, 1e3, mu), scene_table(d, 1e3, mu, perp_v3(0.5, 0, 0)), 60);
            run(s, named("table", dim, 1, mu),
                scene_table(d, 1, mu, dim == 2 ? perp_v3(1, 0, 0) : perp_v3(0.5, 0.9, 0)), 60);
            run(s, named("cards", dim, 3, mu), scene_cards(d, 3, mu), 60);
        }
        perp_world_def d = cones(3, 5e-3);
        run(s, named("mass-ratio", 3, 1e4, mu), scene_mass_ratio(d, 1e4, mu), 40);
        run(s, named("mass-ratio", 3, 1e-4, mu), scene_mass_ratio(d, 1e-4, mu), 40);
        run(s, named("incline", 3, 0.4, mu), scene_incline(d, 0.4, mu), 40);
        run(s, named("tower", 3, 8, mu), scene_tower(d, 8, 0.01, mu), 40);
        run(s, named("pinch", 3, 10, mu), scene_pinch_hold(d, 10, mu), 40);
    }
}

static void linkages(study *s) {
    static const char *const name[] = {"ring", "ring-motor", "ring-limits", "ring-springs", "ring-doubled"};
    for (int k = 0; k < FRICTIONS; k += 2)
        for (int dim = 2; dim <= 3; dim++) {
            perp_world_def d = cones(dim, 5e-3);
            for (int drive = SCENE_PLAIN; drive <= SCENE_DOUBLED; drive++)
                for (int bars = 4; bars <= 8; bars += 4)
                    run(s, named(name[drive], dim, bars, friction[k]),
                        scene_linkage(d, bars, (scene_drive)drive, friction[k]), 120);
            for (double end = 1; end < 2e4; end *= 100)
                run(s, named("chain", dim, end, friction[k]), scene_chain(d, 8, end, friction[k]), 120);
        }
}

static void piles(study *s) {
    for (int k = 0; k < FRICTIONS; k++)
        for (int dim = 2; dim <= 3; dim++)
            for (int boxes = 0; boxes <= 2; boxes++) {
                static const char *const what[] = {"pile-spheres", "pile-mixed", "pile-boxes"};
                double ratio = k % 2 ? 1 : 1e4;
                perp_world_def d = cones(dim, 1e-2);
                run(s, named(what[boxes], dim, ratio, friction[k]),
                    scene_pile(d, 12, friction[k], 0.5 * boxes, ratio, (unsigned)k), 120);
            }
}

static void random_scenes(study *s) {
    for (int dim = 2; dim <= 3; dim++)
        for (unsigned seed = 0; seed < 60; seed++)
            run(s, named("random", dim, seed, 0), scene_random(cones(dim, 5e-3), seed, scene_view_plain(), false), 40);
}

/* What a settled structure shows from step to step. */
typedef struct warmth {
    perp_step_solution before; /* impulses of the step before */
    int ncontact, njoint;      /* of it; 0: none yet */
    tally warm[FORMS], cold[FORMS];
} warmth;

static const char *const warm_solver[FORMS] = {"auto", "lemke", "lemke"};

static void both(warmth *w, int form, const perp_stored *s) {
    const perp_problem *p = perp_stored_problem(s);
    size_t n = (size_t)perp_problem_size(p);
    for (int warm = 0; warm < 2; warm++) {
        double *z = calloc(n, sizeof *z);
        if (!z) exit(1);
        if (warm) memcpy(z, perp_stored_guess(s), n * sizeof *z);
        perp_solve_info info = {0};
        perp_measures m = {.natural = INFINITY};
        double start = seconds();
        perp_status st = perp_problem_solve(p, warm_solver[form], z, &info);
        double took = seconds() - start;
        if (st || perp_problem_measure(p, z, &m)) m.natural = INFINITY;
        note(warm ? &w->warm[form] : &w->cold[form], info.iterations, m.natural, took);
        free(z);
    }
}

/* Solves the problem from nothing and from the impulses of the step before, then remembers its own. */
static void compare(const perp_captured *c, void *ctx) {
    warmth *w = ctx;
    const perp_step_problem *p = c->problem;
    perp_contact_row *row = pyramids(p);
    for (int form = 0; form < FORMS && w->ncontact == p->ncontact && w->njoint == p->njoint; form++) {
        perp_step_problem q = *p;
        if (form != CONE) q.contact = row;
        perp_stored *s;
        if (form != CONE && rows_of(p) > LCP_MOST) continue;
        if (perp_step_convert(&q, class_of[form], &w->before, NULL, &s)) exit(1);
        both(w, form, s);
        perp_stored_free(s);
    }
    free(row);
    size_t nc = (size_t)p->ncontact, nj = (size_t)p->njoint;
    w->ncontact = p->ncontact;
    w->njoint = p->njoint;
    w->before.p_contact = realloc(w->before.p_contact, sizeof(double) * (3 * nc + 1));
    w->before.sigma = realloc(w->before.sigma, sizeof(double) * (nc + 1));
    w->before.p_joint = realloc(w->before.p_joint, sizeof(double) * (nj + 1));
    if (!w->before.p_contact || !w->before.sigma || !w->before.p_joint) exit(1);
    memcpy(w->before.p_contact, c->solution->p_contact, sizeof(double) * 3 * nc);
    memcpy(w->before.sigma, c->solution->sigma, sizeof(double) * nc);
    memcpy(w->before.p_joint, c->solution->p_joint, sizeof(double) * nj);
}

/* Median iterations of a settled structure, cold and warm. True if warm starts cut them `times` times with cones. */
static bool warm_starts(const char *name, int times, scene s) {
    warmth w = {0};
    perp_capture capture = {compare, &w};
    for (int i = 0; i < 60; i++) {
        if (i == 20) perp_world_set_capture(s.w, &capture);
        if (perp_world_step(s.w, NULL)) {
            fprintf(stderr, "%s: %s\n", name, perp_world_why(s.w));
            break;
        }
    }
    scene_end(&s);
    bool good = true;
    for (int form = 0; form < FORMS; form++) {
        int cold = median(&w.cold[form]), warm = median(&w.warm[form]);
        if (!w.warm[form].problems) continue;
        printf("%-12s %-6s by %-6s %4d problems: median iterations %4d cold, %3d warm; worst residual %.1e, %.1e\n",
               name, perp_class_name(class_of[form]), warm_solver[form], w.warm[form].problems, cold, warm,
               w.cold[form].worst, w.warm[form].worst);
        fflush(stdout);
        if (form == CONE) good &= w.warm[form].problems > 30 && cold >= times * warm && w.warm[form].worst <= ENOUGH;
        free(w.cold[form].iterations);
        free(w.warm[form].iterations);
    }
    free(w.before.p_contact);
    free(w.before.sigma);
    free(w.before.p_joint);
    return good;
}

int main(int argc, char **argv) {
    study s = {.stride = 10};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--save")) s.save = argv[i + 1];
        if (!strcmp(argv[i], "--only")) s.only = argv[i + 1];
        if (!strcmp(argv[i], "--stride")) s.stride = atoi(argv[i + 1]);
    }
    printf("%-26s %5s %5s  | %-25s  | %-25s  | %-25s\n", "scene", "conts", "jrows", "cone", "mixed LCP", "LCP");
    structures(&s);
    linkages(&s);
    piles(&s);
    random_scenes(&s);
    int failed = 0;
    for (int form = 0; form < FORMS; form++) {
        tally *t = &s.total[form];
        printf("%-12s %6d problems, %d not solved to %g, worst %.1e, median %d iterations, %.1f s\n",
               perp_class_name(class_of[form]), t->problems, t->failed, ENOUGH, t->worst, median(t), t->seconds);
        failed += t->failed;
        free(t->iterations);
    }
    printf("%d problems with nothing to do left out; %d cone problems solved with impulses over %g of all momentum; %d "
           "scenes ended early\n",
           s.empty, s.total[CONE].runaway, RUNAWAY, s.stopped);
    perp_world_def d = cones(3, 5e-3);
    /* a wall from nothing takes seven steps of interior points: there is less to save */
    bool warm = (s.only && strcmp(s.only, "warm") != 0) || (warm_starts("stack of 10", 5, scene_stack(d, 10, 1, 0.5)) &&
                                                            warm_starts("wall of 20", 2, scene_wall(d, 4, 5, 0.5)));
    return failed || s.stopped || !warm ? 1 : 0;
}

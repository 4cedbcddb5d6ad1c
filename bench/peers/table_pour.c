/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table_pour.c - a thousand grains poured: time of a settled step and deepest overlap, engine beside engine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

#define LOOK_EVERY 5 /* steps between two looks at the overlap while grains still fall */

typedef struct figures {
    int steps;                        /* taken */
    double falling, settled, slowest; /* seconds of a step: medians before and after, and the longest */
    double total;                     /* seconds of the run */
    double overlap, overlap_settled;  /* deepest [m] */
    double rms, fastest;              /* speeds at the end [m/s] */
    int contacts;
    bool unsolved; /* the last step */
    char why[256]; /* "" if every step was solved */
} figures;

#define GOLDEN 2.3999632297286533 /* the golden angle [rad]: points at such steps, sqrt(k) out, spread evenly */

/* As experiments/pour-1000: eight by eight in a layer, over the whole floor. */
static void place_spheres(pour_scene *s, double share, uint64_t seed) {
    int across = (int)fmax(1, round(8 * share));
    double pitch = 2.45 * s->half, offset = 0.1 * s->half;
    s->width = 2.5 * s->half * across;
    for (int k = 0; k < s->n; k++) {
        int i = k % across, j = k / across % across, layer = k / across / across;
        double x = s->width / 2 + pitch * (i - (across - 1) / 2.0) + peer_uniform(&seed, -offset, offset);
        double y = s->width / 2 + pitch * (j - (across - 1) / 2.0) + peer_uniform(&seed, -offset, offset);
        s->start[k] = (peer_pose){{x, y, 1.5 * s->half + pitch * layer}, {1, 0, 0, 0}};
    }
}

/* As experiments/heap-cubes: round layers, each turned against the one below, the cubes every way up. */
static void place_cubes(pour_scene *s, double share, uint64_t seed) {
    int in_layer = (int)fmax(1, round(60 * share * share));
    double edge = 2 * s->half;
    for (int k = 0; k < s->n; k++) {
        double out = 1.13 * edge * sqrt(k % in_layer + 0.5), q[4], r = 0;
        do { /* in the unit ball: then every direction is as likely */
            r = 0;
            for (int a = 0; a < 4; a++) {
                q[a] = peer_uniform(&seed, -1, 1);
                r += q[a] * q[a];
            }
        } while (r > 1 || r < 1e-6);
        r = sqrt(r);
        s->start[k] = (peer_pose){{out * cos(GOLDEN * k), out * sin(GOLDEN * k), edge + 1.75 * edge * (k / in_layer)},
                                  {q[0] / r, q[1] / r, q[2] / r, q[3] / r}};
    }
}

static pour_scene scene(bool cubes, int n) {
    pour_scene s = {.cubes = cubes, .walls = !cubes, .half = 0.1, .mu = cubes ? 0.5 : 0.3, .density = 1000, .h = 0.005};
    double share = cbrt(n / 1000.0); /* a smaller pour has the same form */
    s.n = n;
    s.start = peer_memory((size_t)n, sizeof *s.start);
    if (cubes)
        place_cubes(&s, share, 0x9007);
    else
        place_spheres(&s, share, 0x9007);
    return s;
}

static void look_at_end(figures *f, const double *speed, int n) {
    f->rms = f->fastest = 0;
    for (int i = 0; i < n; i++) {
        f->rms += speed[i] * speed[i] / n;
        f->fastest = fmax(f->fastest, speed[i]);
    }
    f->rms = sqrt(f->rms);
}

/* The last eighth of the time counts as settled. */
static figures pour(const pour_engine *e, const pour_scene *s, const peer_options *o, const perp_choice *choice,
                    double seconds) {
    figures f = {0};
    int steps = (int)lround(seconds / s->h), rest = steps - steps / 8;
    void *self = e->create(s, choice, f.why, sizeof f.why);
    if (!self) return f;
    peer_judge *judge = peer_judge_create(s);
    peer_pose *pose = peer_memory((size_t)s->n, sizeof *pose);
    double *speed = peer_memory((size_t)s->n, sizeof *speed), *took = peer_memory((size_t)steps, sizeof *took);
    for (int k = 0; k < steps; k++) {
        double start = peer_cpu();
        bool solved = e->step(self, f.why, sizeof f.why);
        took[k] = peer_cpu() - start;
        f.unsolved = !solved;
        if (!solved) break;
        if (o->limit > 0 && f.total > o->limit) {
            (void)snprintf(f.why, sizeof f.why, "stopped by --limit");
            break;
        }
        f.steps = k + 1;
        f.total += took[k];
        f.slowest = fmax(f.slowest, took[k]);
        if (k < rest && (k + 1) % LOOK_EVERY) continue;
        e->read(self, pose, speed, &f.contacts);
        double deep = peer_judge_deepest(judge, pose);
        f.overlap = fmax(f.overlap, deep);
        if (k >= rest) f.overlap_settled = fmax(f.overlap_settled, deep);
        if ((k + 1) % (10 * LOOK_EVERY) == 0)
            fprintf(stderr, "  %s: %d steps, %d contacts, overlap %.1e m, %.1f s\n", e->name, k + 1, f.contacts, deep,
                    f.total);
    }
    look_at_end(&f, speed, s->n);
    if (f.steps > rest) f.settled = peer_median(took + rest, f.steps - rest);
    f.falling = peer_median(took, f.steps < rest ? f.steps : rest);
    e->destroy(self);
    peer_judge_destroy(judge);
    free(pose);
    free(speed);
    free(took);
    return f;
}

static bool named(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length])) return true;
    return !list;
}

static void describe(const perp_choice *c) {
    printf("perp: contact model %s, form %s, solver %s, geometry %s", c->contact_model ? c->contact_model : "default",
           c->form, c->solver ? c->solver : "default", c->once ? "once" : "iterated");
    if (c->stepper) printf(", stepper %s", c->stepper);
    if (c->tolerance > 0) printf(", tolerance %g", c->tolerance);
    for (int k = 0; k < PEER_SETTINGS && c->setting[k]; k++) printf(", %s", c->setting[k]);
    printf(".\n\n");
}

/* A cell with a number, or a dash if there is none. */
static void cell(const char *format, double x) {
    if (x > 0)
        printf(format, x);
    else
        printf(" - |");
}

/* tells: the engine says whether a step is solved. A run ends with the first that is not. */
static void print(const char *name, const figures *f, bool tells, double reference) {
    if (!f->steps) {
        printf("| %s | not run: %s |\n", name, f->why);
        return;
    }
    printf("| %s | %d | %s |", name, f->steps, !tells ? "-" : f->unsolved ? "1" : "0");
    cell(" %.2f |", 1e3 * f->falling);
    cell(" %.2f |", 1e3 * f->settled);
    cell(" %.2f |", reference > 0 ? f->settled / reference : 0);
    printf(" %.2f | %d | %.1e |", 1e3 * f->slowest, f->contacts, f->overlap);
    if (f->settled > 0)
        printf(" %.1e |", f->overlap_settled);
    else
        printf(" - |");
    printf(" %.1e | %.1e | %s |\n", f->rms, f->fastest, f->why);
    fflush(stdout);
}

bool peer_table_pour(const peer_options *o, const pour_kind *kind) {
    const pour_engine *const engine[] = {&pour_bullet, &pour_ode_quick, &pour_ode_step, &pour_perp};
    pour_scene s = scene(kind->cubes, kind->n);
    double reference = 0, seconds = o->seconds > 0 ? o->seconds : kind->seconds;
    perp_choice choice = o->perp;
    if (!(choice.tolerance > 0)) choice.tolerance = kind->tolerance;
    bool good = true;
    printf("\n### Pour of %d %s, %g s at h = %g ms\n\n", s.n, s.cubes ? "cubes in a heap" : "spheres into a box",
           seconds, 1e3 * s.h);
    describe(&choice);
    printf(
        "| engine | steps | unsolved | falling [ms] | settled [ms] | settled/Bullet's | slowest [ms] | contacts | "
        "deepest overlap, run [m] | deepest overlap, settled [m] | rms speed at the end [m/s] | fastest [m/s] | note "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof engine / sizeof *engine; k++) {
        if (!named(o->engines, engine[k]->name) || (engine[k] == &pour_ode_step && !kind->with_ode_step)) continue;
        figures f = pour(engine[k], &s, o, &choice, seconds);
        if (engine[k] == &pour_bullet) reference = f.settled;
        if (engine[k] == &pour_perp) good = !f.why[0];
        print(engine[k]->name, &f, engine[k] == &pour_perp, reference);
    }
    free(s.start);
    return good;
}

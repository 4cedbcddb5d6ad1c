/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* run.c - runs one scene with one engine and prints one line of figures
 *
 *     front_ENGINE SCENE-FILE [--h S] [--set NAME=VALUE]... [--label TEXT] [--engine TEXT] [--seed N] [--limit S] [--seconds T] [--look N]
 *     front_ENGINE --head
 *
 * --look N: the judge looks at every N-th step (1). --limit: the run ends after so much processor time. --label, --engine, --seed: only printed. Time is
 * that of the processor in the engine's step, contact detection included; reading poses and judging is left out. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "front.h"

enum { MOST_CONTACTS = 40000 };

typedef struct options {
    const char *path, *label, *engine;
    long seed;
    double h, limit, seconds;
    int look;
    front_settings settings;
} options;

typedef struct figures {
    int steps, looks, judged;
    double *ms;                  /* of each step */
    double total;                /* [s] */
    double overlap, overlap_end; /* deepest: of the run, of its last eighth [m] */
    front_law sum;               /* over the looks */
    double worst;                /* largest Coulomb residual of a step, as a part of the friction that was possible */
    double contacts, speed;      /* mean number; root mean square of the speeds in the last look [m/s] */
    const char *status;
} figures;

static double processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, int n) {
    if (n < 1) return NAN;
    double *sorted = front_memory((size_t)n, sizeof *sorted), m;
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    m = sorted[n / 2];
    free(sorted);
    return m;
}

double front_number(front_settings *s, const char *name, double otherwise) {
    size_t length = strlen(name);
    for (int k = 0; k < s->n; k++) {
        if (strncmp(s->text[k], name, length) || s->text[k][length] != '=') continue;
        char *end;
        otherwise = strtod(s->text[k] + length + 1, &end);
        if (*end || end == s->text[k] + length + 1) front_die(s->text[k], "wants a number");
        s->used[k] = true;
    }
    return otherwise;
}

int front_word(front_settings *s, const char *name, const char *const *words) {
    size_t length = strlen(name);
    int chosen = 0;
    for (int k = 0; k < s->n; k++) {
        if (strncmp(s->text[k], name, length) || s->text[k][length] != '=') continue;
        for (chosen = 0; words[chosen] && strcmp(words[chosen], s->text[k] + length + 1); chosen++) {}
        if (!words[chosen]) front_die(s->text[k], "is not one of the engine's words");
        s->used[k] = true;
    }
    return chosen;
}

static options read_options(int argc, char **argv) {
    options o = {.label = "", .h = 0.01, .limit = 1e9, .look = 1};
    for (int i = 1; i < argc; i++) {
        bool value = i + 1 < argc;
        if (value && !strcmp(argv[i], "--h"))
            o.h = strtod(argv[++i], NULL);
        else if (value && !strcmp(argv[i], "--limit"))
            o.limit = strtod(argv[++i], NULL);
        else if (value && !strcmp(argv[i], "--seconds"))
            o.seconds = strtod(argv[++i], NULL);
        else if (value && !strcmp(argv[i], "--look"))
            o.look = (int)strtol(argv[++i], NULL, 10);
        else if (value && !strcmp(argv[i], "--seed"))
            o.seed = strtol(argv[++i], NULL, 10);
        else if (value && !strcmp(argv[i], "--engine"))
            o.engine = argv[++i];
        else if (value && !strcmp(argv[i], "--label"))
            o.label = argv[++i];
        else if (value && !strcmp(argv[i], "--set") && o.settings.n < 16)
            o.settings.text[o.settings.n++] = argv[++i];
        else if (argv[i][0] != '-' && !o.path)
            o.path = argv[i];
        else
            front_die(argv[i], "is no option here, or lacks its value");
    }
    if (!o.path) front_die("options", "a scene file is missing");
    if (!(o.h > 0) || !(o.limit > 0) || o.look < 1)
        front_die("options", "--h, --limit and --look want numbers above 0");
    return o;
}

/* Poses at the end of the last three steps, newest first. */
typedef struct history {
    front_pose *pose[3];
    bool *weightless;
    front_contact *contact;
} history;

static void look(const front_engine *e, void *self, const front_scene *s, double h, const history *past, bool at_end,
                 figures *f) {
    double deep = front_overlap(s, past->pose[0]), speed = 0;
    int n = e->contacts(self, past->contact, MOST_CONTACTS);
    f->overlap = fmax(f->overlap, deep);
    if (at_end) f->overlap_end = fmax(f->overlap_end, deep);
    for (int i = 0; i < s->n; i++) {
        double d = front_norm(front_sub(past->pose[0][i].p, past->pose[1][i].p)) / h;
        speed += d * d / s->n;
    }
    f->speed = sqrt(speed);
    f->looks++;
    if (n < 0) return;
    front_step step = {past->pose[2], past->pose[1], past->pose[0], h, past->weightless};
    front_law law = front_coulomb(s, &step, past->contact, n);
    f->judged++;
    f->contacts += n;
    f->sum.limit += law.limit;
    f->sum.residual += law.residual;
    f->sum.total += law.total;
    f->sum.missing += law.missing;
    if (law.limit > 0) f->worst = fmax(f->worst, law.residual / law.limit);
}

static bool broken(const front_scene *s, const front_pose *pose) {
    for (int i = 0; i < s->n; i++)
        if (!(front_norm(pose[i].p) < 1e4)) return true; /* a NaN, too */
    return false;
}

static void run(const front_engine *e, void *self, const front_scene *s, const options *o, history *past, figures *f) {
    int steps = (int)lround((o->seconds > 0 ? o->seconds : s->duration) / o->h);
    f->ms = front_memory((size_t)steps, sizeof *f->ms);
    f->status = "done";
    for (int k = 0; k < steps; k++) {
        bool looks = k >= 2 && (k + 1) % o->look == 0;
        for (int i = 0; i < s->n; i++) {
            if (!past->weightless[i] || k * o->h < s->body[i].start - o->h / 2) continue;
            e->weigh(self, i);
            past->weightless[i] = false;
        }
        double from = processor();
        bool solved = e->step(self, looks);
        f->ms[k] = 1e3 * (processor() - from);
        f->total += f->ms[k] / 1e3;
        if (!solved) f->status = "unsolved";
        if (!solved) break;
        f->steps = k + 1;
        front_pose *oldest = past->pose[2];
        past->pose[2] = past->pose[1], past->pose[1] = past->pose[0], past->pose[0] = oldest;
        e->poses(self, past->pose[0]);
        if (broken(s, past->pose[0])) f->status = "exploded";
        if (broken(s, past->pose[0])) break;
        if (looks) look(e, self, s, o->h, past, k >= steps - steps / 8, f);
        if (f->total > o->limit) f->status = "limit";
        if (f->total > o->limit) break;
    }
}

static void print(const front_engine *e, const front_scene *s, const options *o, const figures *f) {
    int rest = f->steps - f->steps / 8;
    double slowest = 0, settled = 0;
    for (int k = 0; k < f->steps; k++) slowest = fmax(slowest, f->ms[k]);
    for (int k = rest; k < f->steps; k++) settled += f->ms[k] / (f->steps - rest);
    printf("%s,%ld,%s,%s,%g,%d,%s", s->name, o->seed, o->engine ? o->engine : e->name, o->label, o->h, f->steps,
           f->status);
    printf(",%.5g,%.5g,%.5g,%.5g", f->steps ? 1e3 * f->total / f->steps : NAN, median(f->ms, f->steps), slowest,
           settled);
    printf(",%.3g,%.3g,%.3g,%.3g,%.3g,%.1f,%.3g\n", f->overlap, f->overlap_end,
           f->sum.limit > 0 ? f->sum.residual / f->sum.limit : NAN, f->worst,
           f->sum.total > 0 ? f->sum.missing / f->sum.total : NAN, f->judged ? f->contacts / f->judged : NAN, f->speed);
}

int front_run(const front_engine *e, int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--head")) {
        puts("scene,seed,engine,setting,h,steps,status,mean_ms,median_ms,worst_ms,settled_ms,overlap,overlap_end,"
             "coulomb,coulomb_"
             "worst,unexplained,contacts,speed");
        return 0;
    }
    options o = read_options(argc, argv);
    front_scene s;
    figures f = {0};
    history past = {{NULL}, NULL, NULL};
    front_scene_read(&s, o.path);
    void *self = e->create(&s, o.h, &o.settings);
    for (int k = 0; k < o.settings.n; k++)
        if (!o.settings.used[k]) front_die(o.settings.text[k], "is no setting of this engine");
    past.weightless = front_memory((size_t)s.n, sizeof *past.weightless);
    past.contact = front_memory(MOST_CONTACTS, sizeof *past.contact);
    for (int k = 0; k < 3; k++) past.pose[k] = front_memory((size_t)s.n, sizeof **past.pose);
    e->poses(self, past.pose[0]);
    for (int i = 0; i < s.n; i++) past.weightless[i] = s.body[i].start > 0;
    run(e, self, &s, &o, &past, &f);
    print(e, &s, &o, &f);
    if (!strcmp(f.status, "unsolved") && e->why) fprintf(stderr, "front: %s: %s\n", e->name, e->why(self));
    front_scene_free(&s);
    for (int k = 0; k < 3; k++) free(past.pose[k]);
    free(past.weightless);
    free(past.contact);
    free(f.ms);
    return 0;
}

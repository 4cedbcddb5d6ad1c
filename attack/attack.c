/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* attack.c - runs random scenes: reports failures, and runs whose verdict is good although an independent audit finds errors
 *
 *     attack --perp PROGRAM [--seed N] [--count N] [--jobs N] [--folder DIR] [--only INDEX] [--model NAME] [--stepper NAME]
 *
 * Each scene runs in a process of its own, so that a crash or a step without end is contained: 1 s of simulated time, every step
 * recorded. Then `perp info` gives its verdict, and the audit (audit.c) computes its own figures from poses and velocities. Reported:
 * crashes, NaN, contact gains above 1e-3, unsolved steps per million with their causes, steps above 5 s of processor time, and every run
 * that is "good" though the audit calls it wrong. With a model or a stepper given, scenes are drawn until they have it. Scenes with any of these stay in the folder. Ends with 1 if there are any.
 * Its file scenes.csv has a row for each scene: what it took, and which step was the slowest. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define SLOW     5.0 /* processor time that a step may take [s] */
#define HOPELESS 8.0 /* time after which a step is stopped [s] */
#define LIMIT    300 /* processor time of a scene, after which the system ends it; 1,000 steps of 60 ms take 60 s [s] */
enum { PATHS = 1024, JOBS = 64, TRIES = 40, DRAWS = 100000 };

typedef struct options {
    const char *perp, *folder, *model, *stepper; /* the last two: NULL for any */
    uint64_t seed;
    long count, only;
    int jobs;
} options;

/* Report of a process about its scene. */
typedef struct outcome {
    uint64_t seed;
    char stepper[24], model[16], word[8], why[400], wrong[400];
    bool refused, unsolved, stopped, nan;
    uint64_t steps, slowest_step;
    double slowest;              /* processor time of a step [s] */
    double gain, overlap, joint; /* as the certificate has them: parts of the energy at hand, of the smallest body */
    double seconds;
} outcome;

static uint64_t mixed(uint64_t seed, uint64_t i) {
    uint64_t z = seed + 0x9e3779b97f4a7c15u * (i + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one scene, in its own process ---- */

static double step_begun;
static bool too_long(void *ctx) {
    (void)ctx;
    return processor() - step_begun > HOPELESS;
}

static bool write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    bool ok = fputs(text, f) >= 0;
    return !fclose(f) && ok;
}

/* Steps the scene to its end, or to a step without an answer. */
static perp_status run(perp_scene *scene, const char *recording, outcome *o, perp_refusal *why) {
    perp_world *w = perp_scene_world(scene);
    perp_record_choice choice = perp_scene_record(scene);
    choice.every = 1;
    choice.compression = 0;
    perp_recorder *rec;
    perp_status s = perp_recorder_create(recording, scene, &choice, &rec, why);
    if (s) return s;
    perp_world_set_stop(w, &(perp_stop){too_long, NULL});
    for (uint64_t n = perp_scene_steps(scene); n > 0; n--) {
        perp_certificate c;
        step_begun = processor();
        perp_status st = perp_world_step(w, &c);
        double took = processor() - step_begun;
        if (took > o->slowest) o->slowest = took, o->slowest_step = o->steps;
        o->steps++;
        if (st) {
            o->unsolved = true;
            o->stopped = st == PERP_E_STOPPED;
            snprintf(o->why, sizeof o->why, "t = %.6g: %s", perp_world_time(w),
                     o->stopped ? "stopped after 8 s" : perp_world_why(w));
            break;
        }
        s = perp_recorder_step(rec, &c, why);
        if (s) break;
    }
    const perp_certificate *t = perp_recorder_total(rec);
    double ref = fmax(fmax(t->extent.kinetic, t->extent.high - t->extent.low), t->extent.fall);
    o->gain = ref > 0 ? t->gain / ref : 0;
    perp_status closed = perp_recorder_close(rec, !o->unsolved && !s, s ? NULL : why);
    return s ? s : closed;
}

/* The word of the verdict, as the program prints it. */
static bool verdict_of(const options *q, const char *recording, char *word, size_t size) {
    char line[2 * PATHS];
    snprintf(line, sizeof line, "'%s' info '%s' --json", q->perp, recording);
    FILE *f = popen(line, "r");
    bool verdict = false, found = false;
    while (f && fgets(line, sizeof line, f)) {
        char *at = strstr(line, "\"word\": \"");
        if (strstr(line, "\"verdict\"")) verdict = true;
        if (!at || !verdict || found) continue;
        at += 9;
        at[strcspn(at, "\"")] = 0;
        snprintf(word, size, "%.7s", at);
        found = true;
    }
    return f && pclose(f) == 0 && found;
}

static void tell(outcome *o, const char *format, ...) PERP_PRINTF(2, 3);
static void tell(outcome *o, const char *format, ...) {
    size_t n = strlen(o->wrong);
    va_list args;
    va_start(args, format);
    vsnprintf(o->wrong + n, sizeof o->wrong - n, format, args);
    va_end(args);
}

/* What of the audit contradicts "good". Limits are those of the verdict, with room for what is measured in another way. */
static void compare(const attack_facts *facts, const attack_findings *x, outcome *o) {
    o->overlap = x->overlap;
    o->joint = x->joint;
    o->nan = x->nan;
    if (x->nan) tell(o, "a number is not finite; ");
    if (!facts->compliant && x->overlap > 2e-6)
        tell(o, "overlap %.2g of the smallest body at t = %.4g, bodies %d and %d; ", x->overlap, x->overlap_t,
             x->overlap_body[0], x->overlap_body[1]);
    if (!facts->compliant && x->passed)
        tell(o, "bodies %d and %d passed through each other at t = %.4g; ", x->passed_body[0], x->passed_body[1],
             x->passed_t);
    if (x->joint > 2e-6 * 3) tell(o, "joints part by %.2g of the smallest body at t = %.4g; ", x->joint, x->joint_t);
    if (x->limit > 1e-2)
        tell(o, "a joint limit is exceeded by %.2g of the smallest body at t = %.4g; ", x->limit, x->limit_t);
    if (x->gain > 3e-3) tell(o, "energy grew by %.2g of the energy at hand, most at t = %.4g; ", x->gain, x->gain_t);
    if (x->loss > 3e-3) tell(o, "energy fell by %.2g of the energy at hand though nothing takes any; ", x->loss);
    if (x->momentum > 1e-7) tell(o, "momentum of a free group errs by %.2g at t = %.4g; ", x->momentum, x->momentum_t);
    if (x->angular > 1e-5)
        tell(o, "angular momentum of a free group errs by %.2g at t = %.4g; ", x->angular, x->angular_t);
    if (x->flight > 1e-6) tell(o, "a body in flight is off its velocity by %.2g at t = %.4g; ", x->flight, x->flight_t);
}

/* Whether a scene has the requested model and stepper. */
static bool wanted(const options *q, const attack_facts *facts) {
    return (!q->model || strcmp(q->model, facts->model) == 0) &&
           (!q->stepper || strcmp(q->stepper, facts->stepper) == 0);
}

static void attack_one(const options *q, long index, outcome *o) {
    static char text[ATTACK_TEXT];
    char path[PATHS], recording[PATHS];
    static perp_refusal why;
    attack_facts facts;
    perp_scene *scene = NULL;
    double begun = processor();
    snprintf(path, sizeof path, "%s/%ld.yaml", q->folder, index);
    snprintf(recording, sizeof recording, "%s/%ld.h5", q->folder, index);
    for (int k = 0, tries = 0; tries < TRIES && k < DRAWS && !scene; k++) {
        o->seed = mixed(mixed(q->seed, (uint64_t)index), (uint64_t)k);
        attack_generate(o->seed, "attack.obj", text, &facts);
        if (!wanted(q, &facts)) continue;
        tries++; /* stages that do not go together are refused: try others */
        if (!write_file(path, text)) return;
        perp_status st = perp_scene_open(path, NULL, &scene, &why);
        if (st && st != PERP_E_FIT) {
            snprintf(o->why, sizeof o->why, "%.390s", why.text);
            o->refused = true;
            return;
        }
    }
    snprintf(o->stepper, sizeof o->stepper, "%s", facts.stepper);
    snprintf(o->model, sizeof o->model, "%s", facts.model);
    o->refused = !scene;
    if (!scene) return;
    unlink(recording);
    perp_status s = run(scene, recording, o, &why);
    perp_scene_close(scene);
    attack_findings found;
    if (!s && !verdict_of(q, recording, o->word, sizeof o->word))
        snprintf(o->why, sizeof o->why, "perp info gave no verdict");
    if (!s) s = attack_audit(recording, &facts, &found, &why);
    if (s)
        snprintf(o->why, sizeof o->why, "%.390s", why.text);
    else
        compare(&facts, &found, o);
    o->seconds = processor() - begun;
}

/* ---- all of them ---- */

typedef struct job {
    pid_t pid;
    int from; /* pipe */
    long index;
} job;

typedef struct sums {
    long scenes, good, fair, poor, refused, crashed, nan, gained, slow, unsolved, fooled, infos;
    double steps, slowest, seconds;
    FILE *table; /* scenes.csv */
} sums;

static bool start(const options *q, long index, job *j) {
    int ends[2];
    if (pipe(ends)) return false;
    fflush(stdout);
    j->index = index;
    j->from = ends[0];
    j->pid = fork();
    if (j->pid < 0) return false;
    if (j->pid > 0) {
        close(ends[1]);
        return true;
    }
    close(ends[0]);
    setrlimit(RLIMIT_CPU, &(struct rlimit){LIMIT, LIMIT});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    static outcome o;
    attack_one(q, index, &o);
    _exit(write(ends[1], &o, sizeof o) == (ssize_t)sizeof o ? 0 : 3);
}

static void line(const job *j, const outcome *o, const char *what, const char *text) {
    printf("%5ld  %-10s %s/%s  %s\n", j->index, what, o->stepper, o->model, text);
}

/* Counts and prints what came of a scene; @return is it to be kept? */
static bool judge_outcome(const job *j, int status, const outcome *o, sums *s) {
    bool keep = false;
    char text[200];
    s->scenes++;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        bool slow = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        *(slow ? &s->slow : &s->crashed) += 1;
        snprintf(text, sizeof text, slow ? "no end within %d s" : "signal %d",
                 slow                  ? LIMIT
                 : WIFSIGNALED(status) ? WTERMSIG(status)
                                       : 0);
        line(j, o, slow ? "ENDLESS" : "CRASH", text);
        return true;
    }
    s->steps += (double)o->steps;
    s->seconds += o->seconds;
    fprintf(s->table, "%ld,%s,%s,%s,%llu,%.4g,%.4g,%llu,%.3g\n", j->index, o->stepper, o->model, o->word,
            (unsigned long long)o->steps, o->seconds, o->slowest, (unsigned long long)o->slowest_step, o->gain);
    s->slowest = fmax(s->slowest, o->slowest);
    if (o->refused) {
        s->refused++;
        if (*o->why) line(j, o, "REFUSED", o->why);
        return *o->why != 0;
    }
    if (strcmp(o->word, "good") == 0) s->good++;
    if (strcmp(o->word, "fair") == 0) s->fair++;
    if (strcmp(o->word, "poor") == 0) s->poor++;
    if (o->nan) s->nan++, keep = true, line(j, o, "NAN", o->wrong);
    if (o->unsolved) s->unsolved++, keep = true, line(j, o, "unsolved", o->why);
    if (!o->unsolved && *o->why) s->infos++, keep = true, line(j, o, "NO VERDICT", o->why);
    if (o->slowest > SLOW) {
        s->slow++, keep = true;
        snprintf(text, sizeof text, "a step took %.3g s of processor time", o->slowest);
        line(j, o, "SLOW", text);
    }
    if (o->gain > 1e-3) {
        s->gained++, keep = true;
        snprintf(text, sizeof text, "contacts added %.3g of the energy at hand; verdict %s", o->gain, o->word);
        line(j, o, "GAIN", text);
    }
    if (strcmp(o->word, "good") == 0 && *o->wrong) s->fooled++, keep = true, line(j, o, "FOOLED", o->wrong);
    return keep;
}

static void finish(const options *q, job *j, sums *s) {
    static outcome o;
    int status = 0;
    memset(&o, 0, sizeof o);
    ssize_t got = read(j->from, &o, sizeof o);
    close(j->from);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR) {}
    if (got != (ssize_t)sizeof o) memset(&o, 0, sizeof o);
    bool keep = judge_outcome(j, status, &o, s) || q->only >= 0;
    char path[PATHS];
    for (int k = 0; k < 3; k++) {
        static const char *const ending[] = {"h5", "h5-journal", "yaml"};
        snprintf(path, sizeof path, "%s/%ld.%s", q->folder, j->index, ending[k]);
        if (!keep || (k < 2 && q->only < 0)) unlink(path);
    }
    if (q->only >= 0)
        printf("verdict %s, %llu steps, slowest %.3g s; audit: overlap %.3g, joints %.3g %s\n", o.word,
               (unsigned long long)o.steps, o.slowest, o.overlap, o.joint, o.wrong);
}

/* Waits for whichever process is ready to tell. */
static int first_done(job *j, int n) {
    fd_set set;
    FD_ZERO(&set);
    int most = 0;
    for (int i = 0; i < n; i++) {
        FD_SET(j[i].from, &set);
        if (j[i].from > most) most = j[i].from;
    }
    while (select(most + 1, &set, NULL, NULL, NULL) < 0 && errno == EINTR) {}
    for (int i = 0; i < n; i++)
        if (FD_ISSET(j[i].from, &set)) return i;
    return 0;
}

static int run_all(const options *q) {
    job j[JOBS];
    int n = 0;
    sums s = {0};
    char path[PATHS];
    snprintf(path, sizeof path, "%s/scenes.csv", q->folder);
    s.table = fopen(path, "w");
    if (!s.table) return 3;
    fprintf(s.table, "scene,stepper,model,verdict,steps,seconds,slowest,slowest_step,gain\n");
    long next = q->only >= 0 ? q->only : 0, end = q->only >= 0 ? q->only + 1 : q->count;
    while (next < end || n > 0) {
        while (next < end && n < q->jobs) {
            if (!start(q, next, &j[n])) return 3;
            next++, n++;
        }
        int i = first_done(j, n);
        finish(q, &j[i], &s);
        j[i] = j[--n];
    }
    double million = s.steps > 0 ? 1e6 * (double)s.unsolved / s.steps : 0;
    printf("\n%ld scenes, %.0f steps, %.0f s of processor time: %ld good, %ld fair, %ld poor; %ld not run (no stages "
           "that go together)\n",
           s.scenes, s.steps, s.seconds, s.good, s.fair, s.poor, s.refused);
    printf("crashes %ld, NaN %ld, without verdict %ld, contact gain above 1e-3 in %ld, steps above %g s %ld (slowest "
           "%.3g s)\n",
           s.crashed, s.nan, s.infos, s.gained, SLOW, s.slow, s.slowest);
    printf("unsolved %ld, %.3g per million steps; good but wrong %ld\n", s.unsolved, million, s.fooled);
    bool bad = s.crashed || s.nan || s.infos || s.gained || s.slow || s.fooled || million > 5;
    if (bad) printf("scenes in %s; again with --seed %llu --only INDEX\n", q->folder, (unsigned long long)q->seed);
    return fclose(s.table) != 0 || bad;
}

int main(int argc, char **argv) {
    options q = {
        .folder = "out/attack", .count = 2000, .only = -1, .seed = (uint64_t)time(NULL) * 2654435761u % 1000000000u};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--perp") == 0) q.perp = argv[i + 1];
        if (strcmp(argv[i], "--folder") == 0) q.folder = argv[i + 1];
        if (strcmp(argv[i], "--seed") == 0) q.seed = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--count") == 0) q.count = strtol(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--only") == 0) q.only = strtol(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--model") == 0) q.model = argv[i + 1];
        if (strcmp(argv[i], "--stepper") == 0) q.stepper = argv[i + 1];
        if (strcmp(argv[i], "--jobs") == 0) cores = strtol(argv[i + 1], NULL, 10);
    }
    q.jobs = (int)(cores < 1 ? 1 : cores > JOBS ? JOBS : cores);
    if (!q.perp || argc % 2 == 0) {
        fprintf(stderr, "usage: attack --perp PROGRAM [--seed N] [--count N] [--jobs N] [--folder DIR] [--only INDEX] "
                        "[--model NAME] "
                        "[--stepper NAME]\n");
        return 2;
    }
    char mesh[PATHS];
    snprintf(mesh, sizeof mesh, "%s/attack.obj", q.folder);
    (void)mkdir(q.folder, 0777);
    if (!write_file(mesh, attack_mesh)) {
        fprintf(stderr, "attack: %s cannot be written\n", mesh);
        return 3;
    }
    printf("seed %llu\n", (unsigned long long)q.seed);
    return run_all(&q);
}

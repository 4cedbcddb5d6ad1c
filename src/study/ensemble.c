/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ensemble.c - trials on worker threads, results in the order of their numbers.
 *
 * Method   Workers take the next number under one lock and write the result into a ring with WINDOW slots for each worker. The
 *          calling thread passes results on in order. A worker that is ahead by the whole ring waits, so memory does not grow
 *          with the number of trials.
 * Cost     One lock and one signal for each trial: below 10 us, where the shortest trials take 500 us. */
#define _POSIX_C_SOURCE 200809L
#include "perp/ensemble.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "study/study.h"

#define WINDOW      64        /* results of each worker that may wait for one slow trial */
#define POLL_PERIOD 100000000 /* time between two checks whether to stop [ns] */

struct perp_ensemble {
    perp_allocator alloc;
    perp_scene **scene; /* one for each worker */
    int workers;
};

typedef struct shared {
    perp_ensemble *e;
    const perp_trials *t;
    pthread_mutex_t lock;
    pthread_cond_t room, ready;    /* for workers; for the calling thread */
    char *result;                  /* ring of `window` results */
    bool *there;                   /* window: the slot holds a result */
    uint64_t window, next, handed; /* next: number to be begun; handed: results given to done() */
    uint64_t count;                /* becomes smaller when the run is to end */
    atomic_bool stopping;          /* steps in progress end */
} shared;

typedef struct worker {
    shared *s;
    int number;
    pthread_t thread;
} worker;

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){"", 0, 0}, NULL, "out of memory for the ensemble");
}

static int processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > PERP_WORKERS_MAX ? PERP_WORKERS_MAX : (int)n;
}

/* The same scene again, from the text of its files. */
static perp_status copy_scene(const perp_scene *s, const perp_allocator *a, perp_scene **out, perp_refusal *why) {
    int nfile = perp_scene_file_count(s), ndefine = perp_scene_definition_count(s);
    perp_source_file *file = pp_alloc(a, sizeof *file * (size_t)nfile);
    perp_definition *define = pp_alloc(a, sizeof *define * (size_t)ndefine);
    perp_status st = file && define ? PERP_OK : no_memory(why);
    for (int i = 0; !st && i < nfile; i++) file[i] = perp_scene_file_at(s, i);
    for (int i = 0; !st && i < ndefine; i++) define[i] = perp_scene_definition_at(s, i);
    perp_scene_options o = {.define = define, .ndefine = ndefine, .file = file, .nfile = nfile};
    if (!st) st = perp_scene_open(file[0].path, &o, out, why);
    pp_free(a, file);
    pp_free(a, define);
    return st;
}

perp_status perp_ensemble_create(const perp_scene *scene, int workers, perp_ensemble **out, perp_refusal *why) {
    static const perp_allocator plain = {0};
    perp_refusal unheard;
    if (!why) why = &unheard;
    memset(why, 0, sizeof *why);
    *out = NULL;
    if (workers < 0 || workers > PERP_WORKERS_MAX)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){"", 0, 0}, NULL,
                               "found %d workers; allowed: 0 (all processors) to %d", workers, PERP_WORKERS_MAX);
    if (workers == 0) workers = processors();
    perp_ensemble *e = pp_alloc(&plain, sizeof *e);
    if (!e) return no_memory(why);
    *e = (perp_ensemble){.alloc = plain, .workers = 0};
    e->scene = pp_alloc(&plain, sizeof *e->scene * (size_t)workers);
    perp_status st = e->scene ? PERP_OK : no_memory(why);
    while (!st && e->workers < workers) {
        st = copy_scene(scene, &plain, &e->scene[e->workers], why);
        if (!st) e->workers++;
    }
    if (st) {
        perp_ensemble_destroy(e);
        return st;
    }
    *out = e;
    return PERP_OK;
}

void perp_ensemble_destroy(perp_ensemble *e) {
    if (!e) return;
    for (int i = 0; i < e->workers; i++) perp_scene_close(e->scene[i]);
    pp_free(&e->alloc, (void *)e->scene);
    pp_free(&e->alloc, e);
}

int perp_ensemble_workers(const perp_ensemble *e) { return e->workers; }

perp_scene *pp_ensemble_scene(const perp_ensemble *e, int i) { return e->scene[i]; }

static bool stopping(void *ctx) { return atomic_load_explicit(&((shared *)ctx)->stopping, memory_order_relaxed); }

static bool run_one(shared *s, int number, uint64_t i, char *result) {
    memset(result, 0, s->t->result_size);
    perp_scene *scene = s->e->scene[number];
    perp_scene_set_stop(scene, &(perp_stop){stopping, s});
    bool good = s->t->run(s->t->ctx, number, scene, i, result);
    perp_scene_set_stop(scene, NULL);
    return good;
}

static void *work(void *ctx) {
    worker *me = ctx;
    shared *s = me->s;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->next < s->count && s->next >= s->handed + s->window) pthread_cond_wait(&s->room, &s->lock);
        if (s->next >= s->count) break;
        uint64_t i = s->next++, slot = i % s->window;
        pthread_mutex_unlock(&s->lock);
        bool good = run_one(s, me->number, i, s->result + slot * s->t->result_size);
        pthread_mutex_lock(&s->lock);
        s->there[slot] = true;
        if (!good && i < s->count) { /* results of earlier trials are still passed on; this one is not */
            s->count = i;
            pthread_cond_broadcast(&s->room);
        }
        pthread_cond_signal(&s->ready);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Ends the run: no further trial begins. at_once: trials in progress end, too. The caller holds the lock. */
static void end(shared *s, bool at_once) {
    if (at_once) atomic_store_explicit(&s->stopping, true, memory_order_relaxed);
    s->count = s->handed;
    pthread_cond_broadcast(&s->room);
}

static void wait_a_little(shared *s) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_PERIOD;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&s->ready, &s->lock, &until);
}

/* The calling thread: results in order. */
static void hand_on(shared *s) {
    const perp_trials *t = s->t;
    pthread_mutex_lock(&s->lock);
    while (s->handed < s->count) {
        uint64_t slot = s->handed % s->window;
        if (!s->there[slot]) {
            wait_a_little(s);
            pthread_mutex_unlock(&s->lock);
            bool ended = t->stop && t->stop(t->ctx);
            pthread_mutex_lock(&s->lock);
            if (ended) end(s, true);
            continue;
        }
        pthread_mutex_unlock(&s->lock);
        bool go = !t->done || t->done(t->ctx, s->handed, s->result + slot * t->result_size);
        bool ended = t->stop && t->stop(t->ctx);
        pthread_mutex_lock(&s->lock);
        s->there[slot] = false;
        s->handed++;
        if (!go || ended) end(s, true);
        pthread_cond_broadcast(&s->room);
    }
    atomic_store_explicit(&s->stopping, true, memory_order_relaxed); /* trials beyond the end are not needed */
    pthread_mutex_unlock(&s->lock);
}

/* One worker needs no threads. */
static perp_status run_alone(perp_ensemble *e, const perp_trials *t, char *result) {
    shared s = {.e = e, .t = t};
    atomic_init(&s.stopping, false);
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->stop && t->stop(t->ctx)) return PERP_E_STOPPED;
        if (!run_one(&s, 0, i, result)) return PERP_E_STOPPED;
        if (t->done && !t->done(t->ctx, i, result)) return PERP_E_STOPPED;
    }
    return PERP_OK;
}

static perp_status run_threads(perp_ensemble *e, const perp_trials *t, shared *s, worker *w, perp_refusal *why) {
    int begun = 0;
    s->e = e;
    s->t = t;
    s->count = t->count;
    atomic_init(&s->stopping, false);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->room, NULL);
    pthread_cond_init(&s->ready, NULL);
    for (; begun < e->workers && (uint64_t)begun < t->count; begun++) {
        w[begun] = (worker){.s = s, .number = begun};
        if (pthread_create(&w[begun].thread, NULL, work, &w[begun])) break;
    }
    if (begun > 0) hand_on(s);
    for (int i = 0; i < begun; i++) pthread_join(w[i].thread, NULL);
    pthread_cond_destroy(&s->ready);
    pthread_cond_destroy(&s->room);
    pthread_mutex_destroy(&s->lock);
    if (begun == 0 && t->count > 0)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){"", 0, 0}, NULL, "no thread could be started");
    return s->handed == t->count ? PERP_OK : PERP_E_STOPPED;
}

perp_status perp_ensemble_run(perp_ensemble *e, const perp_trials *t, perp_refusal *why) {
    const perp_allocator *a = &e->alloc;
    uint64_t window = e->workers == 1 ? 1 : (uint64_t)e->workers * WINDOW;
    if (window > t->count && t->count > 0) window = t->count;
    char *result = pp_alloc(a, t->result_size * (size_t)window);
    bool *there = pp_alloc(a, sizeof *there * (size_t)window);
    worker *w = pp_alloc(a, sizeof *w * (size_t)e->workers);
    perp_status st = PERP_OK;
    if (!result || !there || !w) {
        st = no_memory(why);
    } else if (e->workers == 1) {
        st = run_alone(e, t, result);
    } else {
        memset(there, 0, sizeof *there * (size_t)window);
        shared s = {.result = result, .there = there, .window = window};
        st = run_threads(e, t, &s, w, why);
    }
    pp_free(a, result);
    pp_free(a, there);
    pp_free(a, w);
    return st;
}

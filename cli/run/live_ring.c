/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_ring.c - see live_ring.h */
#define _POSIX_C_SOURCE 200809L
#include "run/live_ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const live_state_word[4] = {"running", "paused", "finished", "failed"};

struct live_ring {
    pthread_mutex_t lock;
    pthread_cond_t command; /* something was asked of the run */
    int cap, wake;
    size_t room;

    live_frame **frame;  /* number i at i mod cap */
    uint64_t first, end; /* numbers of the frames that are there */
    size_t bytes;
    uint64_t run, changes;
    char *scene;
    bool ended, failed;
    char message[sizeof((live_batch *)0)->message];

    bool paused, again;
    unsigned steps; /* single steps that were requested */
    live_grip grip;
    live_parameter *offer;
    int noffer;
    struct setting {
        char name[LIVE_NAME];
        double value;
    } * setting;
    int nsetting;
};

live_frame *live_frame_new(size_t size) {
    live_frame *f = malloc(sizeof *f + size);
    if (f) f->holders = 1, f->size = size;
    return f;
}

live_ring *live_ring_new(int frames, size_t bytes, bool paused) {
    live_ring *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->frame = calloc((size_t)frames, sizeof(live_frame *));
    pthread_condattr_t attr;
    if (!r->frame || pthread_condattr_init(&attr)) {
        free(r->frame);
        free(r);
        return NULL;
    }
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->command, &attr);
    pthread_condattr_destroy(&attr);
    r->cap = frames;
    r->room = bytes;
    r->paused = paused;
    r->wake = -1;
    return r;
}

static void let_go(live_frame *f) {
    if (f && --f->holders == 0) free(f);
}

static live_frame **at(live_ring *r, uint64_t i) { return &r->frame[i % (uint64_t)r->cap]; }

static void drop_first(live_ring *r) {
    live_frame **f = at(r, r->first++);
    r->bytes -= (*f)->size;
    let_go(*f);
    *f = NULL;
}

void live_ring_free(live_ring *r) {
    if (!r) return;
    while (r->first < r->end) drop_first(r);
    pthread_cond_destroy(&r->command);
    pthread_mutex_destroy(&r->lock);
    free(r->frame);
    free(r->scene);
    free(r->offer);
    free(r->setting);
    free(r);
}

/* Unlocks the ring and wakes the server. If the pipe is full, the server has been woken already. */
static void unlock_and_tell(live_ring *r) {
    int wake = r->wake;
    pthread_mutex_unlock(&r->lock);
    ssize_t told = wake >= 0 ? write(wake, "", 1) : 0;
    (void)told;
}

void live_ring_wake(live_ring *r, int wake) {
    pthread_mutex_lock(&r->lock);
    r->wake = wake;
    pthread_mutex_unlock(&r->lock);
}

/* ---- the run's side ---- */

void live_ring_begin(live_ring *r, char *scene) {
    pthread_mutex_lock(&r->lock);
    while (r->first < r->end) drop_first(r);
    r->first = r->end = 0;
    char *old = r->scene;
    r->scene = scene;
    r->run++;
    r->changes++;
    r->ended = r->failed = r->again = false;
    r->steps = 0;
    r->grip.held = false;
    *r->message = 0;
    unlock_and_tell(r);
    free(old);
}

bool live_ring_offer(live_ring *r, const live_parameter *parameter, int n) {
    live_parameter *copy = n > 0 ? malloc((size_t)n * sizeof *copy) : NULL;
    if (copy) memcpy(copy, parameter, (size_t)n * sizeof *copy);
    pthread_mutex_lock(&r->lock);
    live_parameter *old = r->offer;
    r->offer = copy;
    r->noffer = copy ? n : 0;
    pthread_mutex_unlock(&r->lock);
    free(old);
    return copy || n == 0;
}

bool live_ring_setting(live_ring *r, int i, char name[LIVE_NAME], double *value) {
    pthread_mutex_lock(&r->lock);
    bool there = i < r->nsetting;
    if (there) {
        memcpy(name, r->setting[i].name, LIVE_NAME);
        *value = r->setting[i].value;
    }
    pthread_mutex_unlock(&r->lock);
    return there;
}

live_grip live_ring_grip(live_ring *r) {
    pthread_mutex_lock(&r->lock);
    live_grip grip = r->grip;
    pthread_mutex_unlock(&r->lock);
    return grip;
}

void live_ring_publish(live_ring *r, live_frame *f) {
    pthread_mutex_lock(&r->lock);
    while (r->first < r->end && (r->end - r->first >= (uint64_t)r->cap || r->bytes + f->size > r->room)) drop_first(r);
    *at(r, r->end++) = f;
    r->bytes += f->size;
    unlock_and_tell(r);
}

void live_ring_end(live_ring *r, live_state state, const char *message) {
    pthread_mutex_lock(&r->lock);
    r->ended = true;
    r->failed = state == LIVE_FAILED;
    snprintf(r->message, sizeof r->message, "%s", message);
    r->changes++;
    unlock_and_tell(r);
}

static struct timespec after(double seconds) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    long whole = (long)seconds, nano = t.tv_nsec + (long)((seconds - (double)whole) * 1e9);
    t.tv_sec += whole + nano / 1000000000;
    t.tv_nsec = nano % 1000000000;
    return t;
}

static live_word word(live_ring *r) {
    if (r->again) {
        r->again = false;
        return LIVE_AGAIN;
    }
    if (r->steps > 0) {
        r->steps--;
        return LIVE_ONE_STEP;
    }
    return r->paused ? LIVE_HOLD : LIVE_GO;
}

live_word live_ring_ask(live_ring *r, double seconds) {
    struct timespec until = after(seconds);
    pthread_mutex_lock(&r->lock);
    live_word w = word(r);
    for (int late = 0; w == LIVE_HOLD && late != ETIMEDOUT; w = word(r))
        late = pthread_cond_timedwait(&r->command, &r->lock, &until);
    pthread_mutex_unlock(&r->lock);
    return w;
}

bool live_ring_rest(live_ring *r, double seconds) {
    struct timespec until = after(seconds);
    pthread_mutex_lock(&r->lock);
    if (!r->again) pthread_cond_timedwait(&r->command, &r->lock, &until);
    bool again = r->again && r->ended;
    if (again) r->again = false;
    pthread_mutex_unlock(&r->lock);
    return again;
}

/* ---- the server's side ---- */

/* Keeps a value for the next run. False: it may not be set, or there is no memory. */
static bool keep_setting(live_ring *r, const live_command *c) {
    int i = 0, k = 0;
    while (i < r->noffer && strcmp(r->offer[i].name, c->name) != 0) i++;
    if (i == r->noffer || c->value < r->offer[i].min || c->value > r->offer[i].max) return false;
    while (k < r->nsetting && strcmp(r->setting[k].name, c->name) != 0) k++;
    if (k == r->nsetting) {
        void *more = realloc(r->setting, (size_t)(k + 1) * sizeof *r->setting);
        if (!more) return false;
        r->setting = more;
        r->nsetting++;
    }
    memcpy(r->setting[k].name, c->name, sizeof c->name);
    r->setting[k].value = c->value;
    return true;
}

bool live_ring_command(live_ring *r, const char *text, size_t length) {
    live_command c;
    if (!live_command_read(text, length, &c)) return false;
    pthread_mutex_lock(&r->lock);
    bool good = true;
    switch (c.order) {
    case LIVE_PAUSE: r->paused = true; break;
    case LIVE_RESUME:
        r->paused = false;
        r->steps = 0;
        break;
    case LIVE_STEP:
        r->paused = true;
        if (!r->ended) r->steps++;
        break;
    case LIVE_RESET: r->again = true; break;
    case LIVE_DRAG:
    case LIVE_DROP: r->grip = c.grip; break;
    case LIVE_SET:
        good = keep_setting(r, &c);
        if (good) r->again = true;
        break;
    }
    /* a hand that moves is no news for those who wait for frames */
    if (good && c.order != LIVE_DRAG && c.order != LIVE_DROP) r->changes++;
    pthread_cond_signal(&r->command);
    unlock_and_tell(r);
    return good;
}

char *live_ring_scene(live_ring *r, size_t *length) {
    pthread_mutex_lock(&r->lock);
    char *copy = r->scene ? strdup(r->scene) : NULL;
    pthread_mutex_unlock(&r->lock);
    *length = copy ? strlen(copy) : 0;
    return copy;
}

void live_ring_take(live_ring *r, uint64_t run, uint64_t from, size_t bytes, live_batch *out) {
    pthread_mutex_lock(&r->lock);
    if ((run > 0 && run != r->run) || from > r->end || from < r->first) from = r->first;
    out->run = r->run;
    out->first = from;
    out->changes = r->changes;
    out->count = 0;
    for (size_t taken = 0; from < r->end && out->count < LIVE_BATCH && (taken < bytes || out->count == 0); from++) {
        live_frame *f = *at(r, from);
        f->holders++;
        taken += f->size;
        out->frame[out->count++] = f;
    }
    out->state = r->failed ? LIVE_FAILED : r->ended ? LIVE_FINISHED : r->paused ? LIVE_PAUSED : LIVE_RUNNING;
    snprintf(out->message, sizeof out->message, "%s", r->message);
    pthread_mutex_unlock(&r->lock);
}

void live_ring_give_back(live_ring *r, live_batch *b) {
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < b->count; i++) let_go(b->frame[i]);
    b->count = 0;
    pthread_mutex_unlock(&r->lock);
}

bool live_ring_news(live_ring *r, uint64_t run, uint64_t from, uint64_t changes) {
    pthread_mutex_lock(&r->lock);
    bool news = from < r->end || from > r->end || (run > 0 && run != r->run) || changes != r->changes;
    pthread_mutex_unlock(&r->lock);
    return news;
}

uint64_t live_ring_changes(live_ring *r) {
    pthread_mutex_lock(&r->lock);
    uint64_t n = r->changes;
    pthread_mutex_unlock(&r->lock);
    return n;
}

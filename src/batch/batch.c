/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* batch.c - many copies of a world, stepped by several threads
 *
 * Method   Each call starts its threads, and the calling thread works too. Threads take the next world from a shared counter, so a
 *          slow world does not delay the others. A thread writes only to data of its world. There are no threads between two
 *          calls, so a process may fork there.
 * Cost     Starting a thread takes about 20 us; a step of a world with ten contacts takes 45 us. */
#define _POSIX_C_SOURCE 200809L
#include "perp/batch.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define COOKIE      0x70770010u
#define THREADS_MAX 1024

struct perp_batch {
    perp_allocator alloc;
    perp_world **world;
    perp_joint_space **space; /* of each world: one thread uses it at a time */
    int n, nslot, ninput, threads, nq, nv, nctrl, nsensed;
    perp_input *input;
    double *start;      /* ninput: values of the inputs in the model */
    double *start_ctrl; /* nctrl, likewise */
    void *state;        /* of the model */
    size_t state_size;
    double *pose, *twist, *time, *value, *q, *v, *ctrl, *sensed;
};

perp_batch_def perp_batch_def_default(int n) { return (perp_batch_def){.n = n, .cookie = COOKIE}; }

/* The present value of an input in a world; false if the world has no such body, joint or force. */
static bool read_input(const perp_world *w, const perp_input *in, double *value) {
    perp_vec3 f, m;
    perp_joint_def j;
    perp_force_def d;
    perp_body_def b;
    switch (in->kind) {
    case PERP_INPUT_FORCE:
        if (in->part < 0 || in->part > 5 || perp_body_get(w, in->body, &b) || b.kind != PERP_BODY_DYNAMIC) return false;
        if (perp_body_get_force(w, in->body, &f, &m)) return false;
        *value = ((const double[]){f.x, f.y, f.z, m.x, m.y, m.z})[in->part];
        return true;
    case PERP_INPUT_MOTOR_SPEED:
    case PERP_INPUT_REST:
        if (perp_joint_get(w, in->joint, &j) || in->part < 0 ||
            in->part >= perp_joint_ncoord(j.kind, perp_world_dim(w)))
            return false;
        const perp_joint_axis *a = &j.axis[in->part];
        *value = in->kind == PERP_INPUT_REST ? a->rest : a->motor_speed;
        return in->kind == PERP_INPUT_REST ? a->stiffness > 0 : a->motor;
    case PERP_INPUT_TARGET:
        if (perp_force_get(w, in->force, &d) || d.kind != PERP_FORCE_PD) return false;
        *value = d.target;
        return true;
    }
    return false;
}

static perp_status write_input(perp_world *w, const perp_input *in, double value) {
    double now;
    perp_vec3 f, m;
    perp_joint_def j;
    perp_force_def d;
    if (!isfinite(value) || !read_input(w, in, &now)) return PERP_E_ARG;
    if (now == value) return PERP_OK;
    switch (in->kind) {
    case PERP_INPUT_FORCE:
        (void)perp_body_get_force(w, in->body, &f, &m);
        double *part[] = {&f.x, &f.y, &f.z, &m.x, &m.y, &m.z};
        *part[in->part] = value;
        return perp_body_set_force(w, in->body, f, m);
    case PERP_INPUT_MOTOR_SPEED:
    case PERP_INPUT_REST:
        (void)perp_joint_get(w, in->joint, &j);
        *(in->kind == PERP_INPUT_REST ? &j.axis[in->part].rest : &j.axis[in->part].motor_speed) = value;
        return perp_joint_set_axis(w, in->joint, in->part, &j.axis[in->part]);
    case PERP_INPUT_TARGET:
        (void)perp_force_get(w, in->force, &d);
        return perp_force_set_target(w, in->force, value, d.target_rate);
    }
    return PERP_E_ARG;
}

/* Sets all inputs of a world and its ctrl, or none: all values are checked before the first is set. */
static perp_status write_inputs(const perp_batch *b, int i) {
    const double *value = b->value + (size_t)i * (size_t)b->ninput;
    for (int k = 0; k < b->ninput; k++)
        if (!isfinite(value[k])) return PERP_E_ARG;
    perp_status given = perp_world_set_ctrl(b->world[i], b->ctrl + (size_t)i * (size_t)b->nctrl, b->nctrl);
    if (given) return given;
    for (int k = 0; k < b->ninput; k++) {
        perp_status st = write_input(b->world[i], &b->input[k], value[k]);
        if (st) return st;
    }
    return PERP_OK;
}

/* Copies poses, velocities, coordinates and readings of world i into the arrays of the batch. */
static perp_status gather(const perp_batch *b, int i) {
    perp_world_view v;
    perp_status st = perp_world_look(b->world[i], &v);
    if (st) return st;
    size_t rows = (size_t)(v.nslot < b->nslot ? v.nslot : b->nslot), at = (size_t)i * (size_t)b->nslot;
    if (rows > 0) {
        memcpy(b->pose + 7 * at, v.pose, 7 * rows * sizeof *v.pose);
        memcpy(b->twist + 6 * at, v.twist, 6 * rows * sizeof *v.twist);
    }
    b->time[i] = perp_world_time(b->world[i]);
    (void)perp_world_sensor_data(b->world[i], b->sensed + (size_t)i * (size_t)b->nsensed, b->nsensed);
    return perp_joint_space_get(b->space[i], b->world[i], b->q + (size_t)i * (size_t)b->nq,
                                b->v + (size_t)i * (size_t)b->nv);
}

static perp_status refuse(char *why, size_t size, perp_status st, const char *text) {
    if (why && size > 0) snprintf(why, size, "%s", text);
    return st;
}

static perp_status check(const perp_world *model, const perp_batch_def *d, char *why, size_t size) {
    char text[160];
    if (!model || !d || d->cookie != COOKIE)
        return refuse(why, size, PERP_E_ARG, "the batch definition was not made by perp_batch_def_default()");
    if (d->n < 1 || d->n > PERP_BATCH_MAX) {
        snprintf(text, sizeof text, "found %d worlds; allowed: 1 to %d", d->n, PERP_BATCH_MAX);
        return refuse(why, size, PERP_E_ARG, text);
    }
    if (d->threads < 0 || d->threads > THREADS_MAX) {
        snprintf(text, sizeof text, "found %d threads; allowed: 0 (one for each processor) to %d", d->threads,
                 THREADS_MAX);
        return refuse(why, size, PERP_E_ARG, text);
    }
    if (d->ninput < 0 || (d->ninput > 0 && !d->input))
        return refuse(why, size, PERP_E_ARG, "ninput is negative, or there are no inputs to be read");
    for (int k = 0; k < d->ninput; k++) {
        double now;
        if (read_input(model, &d->input[k], &now)) continue;
        snprintf(
            text, sizeof text,
            "input %d: the model has no such dynamic body, joint coordinate with motor or spring, or PD controller", k);
        return refuse(why, size, PERP_E_ARG, text);
    }
    return PERP_OK;
}

/* Makes clones of the model and their joint spaces. On failure b has those made so far. */
static perp_status clone_all(perp_batch *b, const perp_world *model) {
    perp_world_view v;
    b->world = pp_alloc(&b->alloc, (size_t)b->n * sizeof *b->world);
    if (!b->world) return PERP_E_MEMORY;
    memset((void *)b->world, 0, (size_t)b->n * sizeof *b->world);
    b->space = pp_alloc(&b->alloc, (size_t)b->n * sizeof *b->space);
    if (!b->space) return PERP_E_MEMORY;
    memset((void *)b->space, 0, (size_t)b->n * sizeof *b->space);
    for (int i = 0; i < b->n; i++) {
        perp_status st = perp_world_clone(model, &b->world[i]);
        if (!st) st = perp_world_joint_space(b->world[i], NULL, &b->space[i]);
        if (st) return st;
    }
    b->nq = perp_joint_space_nq(b->space[0]);
    b->nv = perp_joint_space_nv(b->space[0]);
    b->nctrl = perp_world_get_ctrl(model, NULL, 0);
    b->nsensed = perp_world_sensor_data(model, NULL, 0);
    perp_status st = perp_world_look(b->world[0], &v);
    b->nslot = st ? 0 : v.nslot;
    return st;
}

/* Allocates the arrays; false if there is no memory. On failure b has those made so far. */
static bool make_room(perp_batch *b, const perp_world *model) {
    const perp_allocator *a = &b->alloc;
    size_t n = (size_t)b->n, rows = n * (size_t)(b->nslot > 0 ? b->nslot : 1);
    size_t inputs = (size_t)(b->ninput > 0 ? b->ninput : 1);
    b->state_size = perp_world_state_size(model);
    b->input = pp_alloc(a, inputs * sizeof *b->input);
    b->start = pp_alloc(a, inputs * sizeof *b->start);
    b->state = pp_alloc(a, b->state_size);
    b->pose = pp_alloc(a, 7 * rows * sizeof *b->pose);
    b->twist = pp_alloc(a, 6 * rows * sizeof *b->twist);
    b->time = pp_alloc(a, n * sizeof *b->time);
    b->value = pp_alloc(a, n * inputs * sizeof *b->value);
    b->q = pp_alloc(a, (n * (size_t)b->nq + 1) * sizeof *b->q);
    b->v = pp_alloc(a, (n * (size_t)b->nv + 1) * sizeof *b->v);
    b->ctrl = pp_alloc(a, (n * (size_t)b->nctrl + 1) * sizeof *b->ctrl);
    b->start_ctrl = pp_alloc(a, ((size_t)b->nctrl + 1) * sizeof *b->start_ctrl);
    b->sensed = pp_alloc(a, (n * (size_t)b->nsensed + 1) * sizeof *b->sensed);
    return b->sensed && b->ctrl && b->start_ctrl && b->input && b->start && b->state && b->pose && b->twist &&
           b->time && b->value && b->q && b->v;
}

static int processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

static void reset_ctrl(const perp_batch *b, int i) {
    memcpy(b->ctrl + (size_t)i * (size_t)b->nctrl, b->start_ctrl, (size_t)b->nctrl * sizeof *b->ctrl);
}

/* Stores inputs and state of the model, for resets. */
static perp_status note_start(perp_batch *b, const perp_world *model, const perp_batch_def *def) {
    for (int k = 0; k < b->ninput; k++) {
        b->input[k] = def->input[k];
        (void)read_input(model, &b->input[k], &b->start[k]);
    }
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->ninput; k++) b->value[(size_t)i * (size_t)b->ninput + (size_t)k] = b->start[k];
    (void)perp_world_get_ctrl(model, b->start_ctrl, b->nctrl);
    for (int k = 0; k < b->nctrl; k++)
        if (!isfinite(b->start_ctrl[k])) return PERP_E_ARG;
    for (int i = 0; i < b->n; i++) reset_ctrl(b, i);
    return perp_world_get_state(model, b->state, b->state_size);
}

perp_status perp_batch_create(const perp_world *model, const perp_batch_def *def, perp_batch **out, char *why,
                              size_t why_size) {
    static const perp_allocator plain = {0};
    if (!out) return PERP_E_ARG;
    *out = NULL;
    perp_status st = check(model, def, why, why_size);
    if (st) return st;
    perp_batch *b = pp_alloc(&plain, sizeof *b);
    if (!b) return refuse(why, why_size, PERP_E_MEMORY, "out of memory for the batch");
    *b = (perp_batch){
        .alloc = plain, .n = def->n, .ninput = def->ninput, .threads = def->threads > 0 ? def->threads : processors()};
    st = clone_all(b, model);
    if (!st && !make_room(b, model)) st = PERP_E_MEMORY;
    if (!st) st = note_start(b, model, def);
    if (!st) st = perp_batch_refresh(b);
    if (st) {
        perp_batch_destroy(b);
        return refuse(why, why_size, st, st == PERP_E_MEMORY ? "out of memory for the batch" : perp_status_text(st));
    }
    *out = b;
    return PERP_OK;
}

void perp_batch_destroy(perp_batch *b) {
    if (!b) return;
    const perp_allocator *a = &b->alloc;
    for (int i = 0; b->space && i < b->n; i++) perp_joint_space_free(b->space[i]);
    for (int i = 0; b->world && i < b->n; i++) perp_world_destroy(b->world[i]);
    pp_free(a, (void *)b->space);
    pp_free(a, (void *)b->world);
    pp_free(a, b->input);
    pp_free(a, b->start);
    pp_free(a, b->state);
    pp_free(a, b->pose);
    pp_free(a, b->twist);
    pp_free(a, b->time);
    pp_free(a, b->value);
    pp_free(a, b->ctrl);
    pp_free(a, b->start_ctrl);
    pp_free(a, b->sensed);
    pp_free(a, b->q);
    pp_free(a, b->v);
    pp_free(a, b);
}

int perp_batch_threads(const perp_batch *b) { return b->threads; }

perp_world *perp_batch_world(const perp_batch *b, int i) { return i >= 0 && i < b->n ? b->world[i] : NULL; }

perp_batch_view perp_batch_look(const perp_batch *b) {
    return (perp_batch_view){.n = b->n,
                             .nslot = b->nslot,
                             .ninput = b->ninput,
                             .nq = b->nq,
                             .nv = b->nv,
                             .pose = b->pose,
                             .twist = b->twist,
                             .time = b->time,
                             .q = b->q,
                             .v = b->v,
                             .input = b->value,
                             .nctrl = b->nctrl,
                             .ctrl = b->ctrl,
                             .nsensed = b->nsensed,
                             .sensed = b->sensed};
}

/* The task of one call, and its progress. */
typedef struct call {
    const perp_batch *b;
    int steps; /* -1: reset */
    const bool *mask;
    perp_status *status;
    perp_certificate *cert;
    atomic_int next;
    atomic_int failed; /* status of a failed reset; 0: none */
} call;

static perp_status step_one(const call *c, int i) {
    perp_world *w = c->b->world[i];
    perp_certificate one;
    perp_status st = write_inputs(c->b, i);
    for (int k = 0; !st && k < c->steps; k++) {
        st = perp_world_step(w, c->cert ? &one : NULL);
        if (!st && c->cert) perp_certificate_add(&c->cert[i], &one);
    }
    perp_status shown = gather(c->b, i);
    return st ? st : shown;
}

static perp_status reset_one(const call *c, int i) {
    const perp_batch *b = c->b;
    if (b->ninput > 0) memcpy(b->value + (size_t)i * (size_t)b->ninput, b->start, (size_t)b->ninput * sizeof *b->start);
    reset_ctrl(b, i);
    /* Before the state is restored: this marks forces that changed, and restoring the state resets the marks. */
    perp_status st = write_inputs(b, i);
    if (!st) st = perp_world_set_state(b->world[i], b->state, b->state_size);
    return st ? st : gather(b, i);
}

static void *work(void *ctx) {
    call *c = ctx;
    for (;;) {
        int i = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
        if (i >= c->b->n) return NULL;
        bool wanted = !c->mask || c->mask[i];
        if (c->cert) c->cert[i] = (perp_certificate){.solver = ""};
        perp_status st = !wanted ? PERP_OK : c->steps < 0 ? reset_one(c, i) : step_one(c, i);
        if (c->status) c->status[i] = st;
        if (st && c->steps < 0) atomic_store_explicit(&c->failed, (int)st, memory_order_relaxed);
    }
}

/* Runs the task on all threads. If a thread cannot be started, the others do its work. */
static void run(call *c) {
    pthread_t thread[THREADS_MAX];
    int wanted = c->b->threads < c->b->n ? c->b->threads : c->b->n, begun = 0;
    atomic_init(&c->next, 0);
    atomic_init(&c->failed, 0);
    while (begun < wanted - 1 && !pthread_create(&thread[begun], NULL, work, c)) begun++;
    work(c);
    for (int i = 0; i < begun; i++) pthread_join(thread[i], NULL);
}

perp_status perp_batch_step(perp_batch *b, int steps, const bool *mask, perp_status *status, perp_certificate *cert) {
    if (steps < 0) return PERP_E_ARG;
    call c = {.b = b, .steps = steps, .mask = mask, .status = status, .cert = cert};
    run(&c);
    return PERP_OK;
}

perp_status perp_batch_reset(perp_batch *b, const bool *mask) {
    call c = {.b = b, .steps = -1, .mask = mask};
    run(&c);
    return (perp_status)atomic_load(&c.failed);
}

perp_status perp_batch_refresh(perp_batch *b) {
    for (int i = 0; i < b->n; i++) {
        perp_status st = gather(b, i);
        if (st) return st;
    }
    return PERP_OK;
}

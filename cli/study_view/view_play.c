/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_play.c - a trial run again and recorded, for the page to show.
 *
 * Method   The scene and the study are the texts in the file of results, and the parameters are those of the trial's row.
 *          So a scene that has changed on disk since changes nothing here. The run must give the row again to the bit:
 *          state at the end, number of steps, measures. If it does not (another version of perp, results that are not of
 *          this scene), the trial is refused with a sentence; nothing else is shown in its place.
 * Threads  One thread runs trials one after the other. The list of trials is behind `lock`; calls of HDF5 are behind
 *          `hdf5`, which the server holds while it reads results.
 * Cost     One run of the trial, and its recording. The last TRIALS recordings are kept in a temporary folder. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene_override.h"
#include "study_view/study_view.h"

enum { TRIALS = 20 }; /* that are known at a time: waiting, running, ready, failed */

typedef struct play_job {
    pp_row *row; /* row of the file; NULL: the slot is free */
    view_play play;
    uint64_t order; /* when it was asked for */
    int fd;         /* of the recording, when ready */
    char path[OVERRIDE_PATH + 64];
} play_job;

struct view_player {
    const pp_study *study;
    char program[64];
    pthread_mutex_t *hdf5;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    pthread_t thread;
    bool started;
    atomic_bool stop;
    uint64_t order;
    play_job job[TRIALS];
    char folder[OVERRIDE_PATH];
    pp_worker_pool pool; /* of the thread; pool.study NULL: not made yet */
};

/* ---- a run ---- */

typedef struct run {
    view_player *p;
    play_job *job;
    perp_recorder *recorder;
    uint64_t steps, done;
    perp_refusal why; /* of the recorder */
    bool failed;
} run;

static bool stopping(void *ctx) { return atomic_load(&((view_player *)ctx)->stop); }

static bool begin(void *ctx, perp_scene *scene, uint64_t steps) {
    run *r = ctx;
    r->steps = steps;
    pthread_mutex_lock(r->p->hdf5);
    r->failed = perp_recorder_create(r->job->path, scene, NULL, &r->recorder, &r->why) != PERP_OK;
    pthread_mutex_unlock(r->p->hdf5);
    return !r->failed;
}

static bool stepped(void *ctx, const perp_certificate *c) {
    run *r = ctx;
    r->done++;
    pthread_mutex_lock(r->p->hdf5);
    r->failed = perp_recorder_step(r->recorder, c, &r->why) != PERP_OK;
    pthread_mutex_unlock(r->p->hdf5);
    pthread_mutex_lock(&r->p->lock);
    r->job->play.part = r->steps ? (double)r->done / (double)r->steps : 1;
    pthread_mutex_unlock(&r->p->lock);
    return !r->failed && !stopping(r->p);
}

/* A trial that ended early is a recording that goes to its end. */
static void close_recorder(run *r, const pp_row *now) {
    bool whole = now->outcome == PP_TRIAL_DONE || now->outcome == PP_TRIAL_ENDED;
    perp_refusal why = {0};
    if (!r->recorder) return;
    pthread_mutex_lock(r->p->hdf5);
    perp_status st = now->outcome == PP_TRIAL_ENDED ? perp_recorder_set_duration(r->recorder, now->t_end, &why) : 0;
    perp_refusal at_end = {0};
    perp_status closed = perp_recorder_close(r->recorder, whole && !r->failed, &at_end);
    pthread_mutex_unlock(r->p->hdf5);
    r->recorder = NULL;
    if (r->failed || (!st && !closed)) return;
    r->failed = true;
    r->why = st ? why : at_end;
}

/* ---- is it the same trial? ---- */

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* What differs between a trial in the file and the trial that was run now; false: nothing. */
static bool differs(const pp_study *s, const pp_row *then, const pp_row *now, char *out, size_t size) {
    if (then->outcome != now->outcome) {
        (void)snprintf(out, size, "%s%s%.60s, and in the file %s", pp_outcome_word(now->outcome), *now->why ? ": " : "",
                       now->why, pp_outcome_word(then->outcome));
        return true;
    }
    for (int i = 0; i < s->nparameter + s->nmeasure; i++) {
        if (same(then->value[i], now->value[i])) continue;
        (void)snprintf(out, size, "%.40s is %.9g, and %.9g in the file",
                       i < s->nparameter ? s->parameter[i] : s->measure[i - s->nparameter].name, now->value[i],
                       then->value[i]);
        return true;
    }
    if (then->steps == now->steps && then->hash == now->hash && same(then->t_end, now->t_end)) return false;
    (void)snprintf(out, size, "it ends in another state after %u steps (%u in the file)", now->steps, then->steps);
    return true;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void complain(const view_player *p, const char *what, char *out, size_t size) {
    char own[64];
    (void)snprintf(own, sizeof own, "perp %s", perp_version());
    if (*p->program && strcmp(own, p->program) != 0)
        (void)snprintf(out, size, "%.150s; the study was made by %.40s, and this is %.40s", what, p->program, own);
    else
        (void)snprintf(out, size, "%.150s; the scene %.40s has changed since the trials were run, or the program has",
                       what, file_name(p->study->scene_path));
}

/* ---- the thread ---- */

/* Runs a trial. @return VIEW_READY with a descriptor of the recording, VIEW_FAILED with the reason, VIEW_NONE if stopped */
static view_play_state run_job(view_player *p, play_job *job, int *fd, char *why, size_t size) {
    perp_refusal refusal = {0};
    char what[160];
    if (!p->pool.study && pp_worker_pool_new(p->study, 1, &p->pool, &refusal)) {
        (void)snprintf(why, size, "%.270s", refusal.text);
        return VIEW_FAILED;
    }
    pp_row *now = calloc(1, pp_row_size(p->study));
    if (!now) {
        (void)snprintf(why, size, "not enough memory");
        return VIEW_FAILED;
    }
    run r = {.p = p, .job = job};
    perp_scene *scene = pp_ensemble_scene(p->pool.ensemble, 0);
    pp_runner_set_watch(p->pool.runner[0], &(pp_runner_watch){begin, stepped, &r});
    perp_scene_set_stop(scene, &(perp_stop){stopping, p});
    bool over = pp_runner_run(p->pool.runner[0], scene, job->row->number, job->row->value, now);
    perp_scene_set_stop(scene, NULL);
    pp_runner_set_watch(p->pool.runner[0], NULL);
    close_recorder(&r, now);
    view_play_state state = VIEW_FAILED;
    if (r.failed)
        (void)snprintf(why, size, "%.270s", r.why.text);
    else if (!over)
        state = VIEW_NONE;
    else if (differs(p->study, job->row, now, what, sizeof what))
        complain(p, what, why, size);
    else if ((*fd = open(job->path, O_RDONLY | O_CLOEXEC)) < 0)
        (void)snprintf(why, size, "its recording cannot be read: %s", strerror(errno));
    else
        state = VIEW_READY;
    if (state != VIEW_READY) unlink(job->path);
    free(now);
    return state;
}

static play_job *next_job(view_player *p) {
    play_job *next = NULL;
    for (int i = 0; i < TRIALS; i++) {
        play_job *j = &p->job[i];
        if (j->row && j->play.state == VIEW_WAITING && (!next || j->order < next->order)) next = j;
    }
    return next;
}

static void *work(void *ctx) {
    view_player *p = ctx;
    pthread_mutex_lock(&p->lock);
    while (!atomic_load(&p->stop)) {
        play_job *j = next_job(p);
        if (!j) {
            pthread_cond_wait(&p->asked, &p->lock);
            continue;
        }
        j->play = (view_play){.state = VIEW_RUNNING};
        pthread_mutex_unlock(&p->lock);
        int fd = -1;
        char why[sizeof j->play.why] = "";
        view_play_state state = run_job(p, j, &fd, why, sizeof why);
        pthread_mutex_lock(&p->lock);
        j->fd = fd;
        j->play.state = state;
        memcpy(j->play.why, why, sizeof why);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the list ---- */

static play_job *find(view_player *p, uint64_t number) {
    for (int i = 0; i < TRIALS; i++)
        if (p->job[i].row && p->job[i].row->number == number) return &p->job[i];
    return NULL;
}

static void forget(play_job *j) {
    if (j->fd >= 0) close(j->fd);
    if (j->row) unlink(j->path);
    free(j->row);
    *j = (play_job){.fd = -1};
}

/* A free place, or that of the oldest trial that is over; NULL: all wait. */
static play_job *make_room(view_player *p) {
    play_job *oldest = NULL;
    for (int i = 0; i < TRIALS; i++) {
        play_job *j = &p->job[i];
        if (!j->row) return j;
        bool over = j->play.state != VIEW_WAITING && j->play.state != VIEW_RUNNING;
        if (over && (!oldest || j->order < oldest->order)) oldest = j;
    }
    if (oldest) forget(oldest);
    return oldest;
}

/* Signals stay with the thread of the server. */
static bool start(view_player *p) {
    sigset_t all, before;
    if (p->started) return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->started = !pthread_create(&p->thread, NULL, work, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return p->started;
}

/* A new trial in the list; it fails at once if the scene had refused its values, or where there is no folder or no
 * thread for it. Called with the lock. */
static void enter(view_player *p, play_job *j, pp_row *row) {
    perp_refusal why = {0};
    *j = (play_job){.row = row, .fd = -1, .order = ++p->order, .play = {.state = VIEW_WAITING}};
    if (row->outcome == PP_TRIAL_REFUSED) {
        j->play.state = VIEW_FAILED;
        (void)snprintf(j->play.why, sizeof j->play.why, "it was refused: %.200s", row->why);
        return;
    }
    bool folder = *p->folder || override_folder(p->folder, sizeof p->folder, "study", &why);
    (void)snprintf(j->path, sizeof j->path, "%s/trial-%llu.h5", p->folder, (unsigned long long)row->number);
    if (folder && start(p)) {
        pthread_cond_signal(&p->asked);
        return;
    }
    j->play.state = VIEW_FAILED;
    (void)snprintf(j->play.why, sizeof j->play.why, "%.270s", folder ? "no thread can be made" : why.text);
}

/* ---- from outside ---- */

view_player *view_player_new(const pp_study *study, const char *program, pthread_mutex_t *hdf5) {
    view_player *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->study = study;
    p->hdf5 = hdf5;
    (void)snprintf(p->program, sizeof p->program, "%s", program);
    for (int i = 0; i < TRIALS; i++) p->job[i].fd = -1;
    if (pthread_mutex_init(&p->lock, NULL)) {
        free(p);
        return NULL;
    }
    if (pthread_cond_init(&p->asked, NULL)) {
        pthread_mutex_destroy(&p->lock);
        free(p);
        return NULL;
    }
    return p;
}

void view_player_free(view_player *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->stop, true);
    pthread_cond_signal(&p->asked);
    pthread_mutex_unlock(&p->lock);
    if (p->started) pthread_join(p->thread, NULL);
    if (p->pool.study) pp_worker_pool_free(&p->pool);
    for (int i = 0; i < TRIALS; i++) forget(&p->job[i]);
    override_remove(p->folder);
    pthread_cond_destroy(&p->asked);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

bool view_player_ask(view_player *p, const pp_row *row) {
    size_t size = pp_row_size(p->study);
    pthread_mutex_lock(&p->lock);
    play_job *j = find(p, row->number);
    bool again = !j || j->play.state == VIEW_FAILED || j->play.state == VIEW_NONE, ok = true;
    if (again) {
        if (j) forget(j);
        j = make_room(p);
        pp_row *copy = j ? malloc(size) : NULL;
        ok = copy != NULL;
        if (ok) enter(p, j, memcpy(copy, row, size));
    }
    pthread_mutex_unlock(&p->lock);
    return ok;
}

view_play view_player_state(view_player *p, uint64_t number) {
    pthread_mutex_lock(&p->lock);
    const play_job *j = find(p, number);
    view_play play = j ? j->play : (view_play){.state = VIEW_NONE};
    pthread_mutex_unlock(&p->lock);
    return play;
}

int view_player_recording(view_player *p, uint64_t number) {
    pthread_mutex_lock(&p->lock);
    const play_job *j = find(p, number);
    int fd = j && j->play.state == VIEW_READY ? fcntl(j->fd, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&p->lock);
    return fd;
}

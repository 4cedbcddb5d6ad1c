/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live.c - see live.h
 * Pace     step n begins when as much wall time has gone by as simulated time, times the speed, since the run began or
 *          went on after a pause. A run that cannot keep up goes as fast as it can, and does not rush to catch up: it
 *          is never more than BEHIND late. */
#define _POSIX_C_SOURCE 200809L
#include "run/live.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/live_frame.h"
#include "run/live_pull.h"
#include "view/view.h"

#define FRAMES_PER_SECOND 60.0
#define BYTES_PER_SECOND  3e6  /* of frames: about what a core turns into text in a third of its time */
#define BEHIND            0.1  /* seconds */
#define NAP               0.05 /* seconds between two looks at Ctrl-C */
enum { RING_FRAMES = 3600, RING_BYTES = 64 << 20 };

struct live {
    live_options options;
    live_ring *ring;
    view_site site;
    view_server *server;
    char token[VIEW_TOKEN + 1];
    simulate_watch watch;
    pthread_t thread;
    bool serving;
    atomic_bool stop;

    perp_recorder *recorder; /* of the run at hand */
    bool pending;            /* steps since the last frame */
    bool each;               /* a single step: its frame goes out at once */
    double shown, rest;      /* on the clock: last frame, and how long until the next */
    bool anchored;           /* the two below are set */
    double wall, simulated;  /* when the pace began */
    live_pull pull;

    perp_definition *define; /* of live_definitions() */
    char (*text)[32];        /* values of them */
    char (*name)[LIVE_NAME];
};

/* ---- frames ---- */

static perp_status publish(live *l, perp_refusal *why) {
    perp_status st = pp_live_frames_replace(l->recorder, why);
    if (st) return st;
    live_frame *f = live_frame_of(l->recorder);
    if (!f) {
        *why = (perp_refusal){.status = PERP_E_MEMORY, .text = "no memory to show a step"};
        return PERP_E_MEMORY;
    }
    l->pending = false;
    l->shown = pp_clock();
    l->rest = fmax(1 / FRAMES_PER_SECOND, (double)f->size / BYTES_PER_SECOND);
    live_ring_publish(l->ring, f);
    return PERP_OK;
}

static perp_status stepped(void *ctx, const perp_certificate *c, perp_refusal *why) {
    live *l = ctx;
    pp_recorder_count(l->recorder, c);
    l->pending = true;
    return l->each || pp_clock() - l->shown >= l->rest ? publish(l, why) : PERP_OK;
}

/* ---- pace ---- */

/* Seconds until the next step is due; 0: now. */
static double early(live *l) {
    if (l->options.speed <= 0) return 0;
    double now = pp_clock(), time = perp_world_time(l->recorder->w);
    if (!l->anchored) {
        l->wall = now;
        l->simulated = time;
        l->anchored = true;
    }
    double due = l->wall + (time - l->simulated) / l->options.speed;
    if (now - due > BEHIND) l->wall += now - due - BEHIND;
    return due > now ? due - now : 0;
}

/* Before a step: what the hand holds. Without memory for the force the step will fail for the same reason. */
static simulate_word go(live *l) {
    live_grip grip = live_ring_grip(l->ring);
    (void)live_pull_set(&l->pull, l->recorder->w, &grip);
    return SIMULATE_GO;
}

static simulate_word wait_for_go(void *ctx) {
    live *l = ctx;
    l->each = false;
    for (;;) {
        if (cli_interrupted()) return SIMULATE_END;
        live_word word = live_ring_ask(l->ring, NAP);
        if (word == LIVE_AGAIN) return SIMULATE_AGAIN;
        if (word != LIVE_GO) l->anchored = false;
        if (word == LIVE_ONE_STEP) {
            l->each = true;
            return go(l);
        }
        perp_refusal why;
        if (word == LIVE_HOLD && l->pending) publish(l, &why); /* without memory the next step will tell */
        if (word == LIVE_HOLD) continue;
        double seconds = early(l);
        if (seconds <= 0) return go(l);
        live_ring_rest(l->ring, seconds < NAP ? seconds : NAP);
    }
}

/* ---- server ---- */

static bool told_to_stop(void *ctx) { return atomic_load(&((live *)ctx)->stop); }

static void *serve(void *ctx) {
    live *l = ctx;
    view_server_serve(l->server, told_to_stop, l);
    return NULL;
}

/* Signals stay with the thread that simulates. */
static bool start_serving(live *l) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    l->serving = !pthread_create(&l->thread, NULL, serve, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return l->serving;
}

/* Without memory nothing can be set, which does no harm to the run. */
static void offer_parameters(live *l, const perp_scene *scene) {
    int n = l->options.parameters ? perp_scene_parameter_count(scene) : 0, kept = 0;
    live_parameter *list = calloc((size_t)n + 1, sizeof *list);
    for (int i = 0; list && i < n; i++) {
        perp_scene_parameter p = perp_scene_parameter_at(scene, i);
        if (strlen(p.name) >= sizeof list->name) continue;
        live_parameter *out = &list[kept++];
        snprintf(out->name, sizeof out->name, "%s", p.name);
        out->min = p.min;
        out->max = p.max;
    }
    (void)live_ring_offer(l->ring, list, kept);
    free(list);
}

static perp_status begin(void *ctx, const perp_scene *scene, perp_refusal *why) {
    live *l = ctx;
    l->pull = (live_pull){.rate = 0};
    perp_status st = pp_live_frames_new(perp_scene_title(scene), scene, NULL, &l->recorder, why);
    if (st) return st;
    char *text = live_scene_text(l->recorder, l->options.parameters, why);
    if (text) {
        l->pull.rate = live_pull_rate(l->options.speed, perp_world_h(l->recorder->w));
        offer_parameters(l, scene);
        live_ring_begin(l->ring, text);
        l->anchored = false;
        st = publish(l, why);
    }
    if (!text || st) {
        pp_recorder_free(l->recorder);
        l->recorder = NULL;
        return why->status;
    }
    if (l->serving) return PERP_OK;
    fprintf(l->options.announce, "perp run: %s  (stop with Ctrl-C)\n", view_server_url(l->server));
    fflush(l->options.announce);
    if (l->options.open) view_browse(view_server_url(l->server));
    if (start_serving(l)) return PERP_OK;
    pp_recorder_free(l->recorder);
    l->recorder = NULL;
    *why = (perp_refusal){.status = PERP_E_MEMORY, .text = "no thread for the viewer's server"};
    return PERP_E_MEMORY;
}

static void end(void *ctx) {
    live *l = ctx;
    perp_refusal why;
    if (l->pending) publish(l, &why);
    pp_recorder_free(l->recorder);
    l->recorder = NULL;
    l->pending = false;
}

/* ---- from outside ---- */

int live_open(const cli_args *a, const live_options *o, live **out) {
    int code = view_has_page(a);
    if (!code) code = view_has_server(a);
    if (code) return code;
    live *l = calloc(1, sizeof *l);
    live_ring *ring = live_ring_new(RING_FRAMES, RING_BYTES, o->paused);
    if (!l || !ring || !view_make_token(l->token)) {
        live_ring_free(ring);
        free(l);
        return cli_refuse_say(a, CLI_MACHINE, "no memory, or no random numbers, to show the run");
    }
    l->options = *o;
    l->ring = ring;
    l->site = (view_site){.live = ring, .token = l->token, .version = perp_version()};
    l->watch = (simulate_watch){.ctx = l, .begin = begin, .wait = wait_for_go, .stepped = stepped, .end = end};
    perp_refusal why;
    if (view_server_open(&l->site, o->port, &l->server, &why)) {
        live_close(l);
        return cli_refuse_writing(a, &why);
    }
    *out = l;
    return CLI_OK;
}

const simulate_watch *live_watch(const live *l) { return &l->watch; }

bool live_again(live *l, const simulate_result *r) {
    if (r->again) return true;
    if (!l->serving) return false;
    bool bad = r->code != CLI_OK && r->code != CLI_INTERRUPTED;
    live_ring_end(l->ring, bad ? LIVE_FAILED : LIVE_FINISHED, bad ? r->why.text : "");
    while (!cli_interrupted())
        if (live_ring_rest(l->ring, NAP)) return true;
    return false;
}

void live_definitions(live *l, simulate_options *o, const perp_definition *start, int nstart) {
    char name[LIVE_NAME];
    double value;
    int n = 0;
    while (live_ring_setting(l->ring, n, name, &value)) n++;
    free(l->define);
    free(l->text);
    free(l->name);
    l->define = calloc((size_t)(nstart + n) + 1, sizeof *l->define);
    l->text = calloc((size_t)n + 1, sizeof *l->text);
    l->name = calloc((size_t)n + 1, sizeof *l->name);
    o->define = start;
    o->ndefine = nstart;
    if (!l->define || !l->text || !l->name) return;
    for (int i = 0; i < nstart; i++) l->define[i] = start[i];
    for (int i = 0; i < n && live_ring_setting(l->ring, i, l->name[i], &value); i++) {
        snprintf(l->text[i], sizeof l->text[i], "%.17g", value);
        l->define[nstart + i] = (perp_definition){l->name[i], l->text[i]};
    }
    o->define = l->define;
    o->ndefine = nstart + n;
}

void live_close(live *l) {
    if (!l) return;
    atomic_store(&l->stop, true);
    if (l->serving) pthread_join(l->thread, NULL);
    view_server_close(l->server);
    live_ring_free(l->ring);
    free(l->define);
    free(l->text);
    free(l->name);
    free(l);
}

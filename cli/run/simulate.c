/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* simulate.c - a run from scene to closed recording.
 *
 * The output of a run that is not a resumed one must not exist. With `force` an existing recording gives way, and only
 * a recording does: it is moved to OUTPUT.old (its journal with it), the new one is begun, and only when that has its
 * first frame on disk is the old one removed; if it could not be begun, the old one is moved back. So at every moment
 * one of the two is there whole. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/capture.h"
#include "run/progress.h"
#include "run/quantities.h"

enum { PATH = CLI_PATH };

static void refuse(simulate_result *r, int code, perp_status s, const char *format, ...) PERP_PRINTF(4, 5);
static void refuse(simulate_result *r, int code, perp_status s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    r->code = code;
    r->why = (perp_refusal){.status = s};
    vsnprintf(r->why.text, sizeof r->why.text, format, list);
    va_end(list);
}

/* ---- figures ---- */

/* The residual as a part of the speeds in the step, which are at least the speed that gravity adds in a step
 * (floor). Steps are accepted by this figure, and recordings hold it. */
static double worst_law(const perp_step_residual *l, double floor) {
    double x = 0, part[5] = {l->momentum, l->joint, l->normal, l->cone, l->dissipation};
    for (int i = 0; i < 5; i++)
        if (!(part[i] <= x)) x = part[i];
    double scale = l->scale > floor ? l->scale : floor;
    return scale > 0 ? x / scale : x;
}

static void count_step(simulate_result *r, const perp_certificate *c, double floor) {
    double law = worst_law(&c->law, floor);
    if (!(law <= r->law)) r->law = law, r->law_t = c->t;
    if (!(c->overlap <= r->total.overlap)) r->overlap_t = c->t;
    if (!(c->joint_error <= r->total.joint_error)) r->joint_t = c->t;
    if (c->contacts > r->contacts_most) r->contacts_most = c->contacts;
    if (c->gain_part > r->total.gain_part) r->gain_t = c->t;
    perp_certificate_add(&r->total, c);
    r->steps++;
}

/* Reads the figures of the run so far from a recording. They are zero if the recording has no certificates. */
static void count_recorded(simulate_result *r, perp_recording *rec) {
    perp_recording_worst worst;
    perp_certificate c;
    if (!perp_recording_total(rec, &worst, NULL)) {
        r->law = worst.law;
        if (!perp_recording_certificate(rec, worst.law_frame, &c, NULL)) r->law_t = c.t;
        if (!perp_recording_certificate(rec, worst.overlap_frame, &c, NULL)) r->overlap_t = c.t;
        if (!perp_recording_certificate(rec, worst.joint_frame, &c, NULL)) r->joint_t = c.t;
        if (!perp_recording_certificate(rec, worst.gain_frame, &c, NULL)) r->gain_t = c.t;
    }
}

static void name_of_joint(const perp_world *w, int slot, char *out, size_t size) {
    int n = perp_world_joints(w, NULL, 0);
    perp_joint_id *joint = malloc(((size_t)n + 1) * sizeof *joint);
    *out = 0;
    if (joint) perp_world_joints(w, joint, n);
    for (int i = 0; joint && i < n; i++) {
        perp_joint_def def;
        if (joint[i].slot == (uint32_t)slot && !perp_joint_get(w, joint[i], &def))
            snprintf(out, size, "%s", def.name ? def.name : "without a name");
    }
    free(joint);
}

/* The name of the body of a shape. @return it is driven */
static bool name_of_shape(const perp_world *w, int slot, char *out, size_t size) {
    bool driven = false;
    int n = perp_world_shapes(w, NULL, 0);
    perp_shape_id *shape = slot >= 0 ? malloc(((size_t)n + 1) * sizeof *shape) : NULL;
    *out = 0;
    if (shape) perp_world_shapes(w, shape, n);
    for (int i = 0; shape && i < n; i++) {
        if (shape[i].slot != (uint32_t)slot) continue;
        perp_body_id b = perp_shape_body(w, shape[i]);
        perp_body_def def;
        driven = !perp_body_get(w, b, &def) && def.kind == PERP_BODY_KINEMATIC;
        const char *name = perp_body_name(w, b);
        if (name && *name) {
            snprintf(out, size, "%s", name);
            break;
        }
        /* without a name: by its place among the bodies, as in recordings */
        int nb = perp_world_body_count(w), at = 0;
        perp_body_id *body = malloc(((size_t)nb + 1) * sizeof *body);
        if (body) perp_world_bodies(w, body, nb);
        while (body && at < nb && body[at].slot != b.slot) at++;
        snprintf(out, size, "body-%d", at);
        free(body);
        break;
    }
    free(shape);
    return driven;
}

/* ---- the output ---- */

typedef struct aside {
    bool moved, journal;
    char old[PATH], old_journal[PATH], own_journal[PATH];
} aside;

static bool exists(const char *path) {
    struct stat s;
    return !lstat(path, &s);
}

/* Sees that nothing stands in the way of a new recording, or moves it aside. */
static bool make_way(const simulate_options *o, aside *a, simulate_result *r) {
    struct stat s;
    char path[200], folder[PATH];
    cli_printable(path, sizeof path, o->output);
    *a = (aside){0};
    if (strlen(o->output) >= PATH - 16) {
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG, "%s: found a path of %zu letters; allowed: fewer than %d", path,
               strlen(o->output), PATH - 16);
        return false;
    }
    snprintf(folder, sizeof folder, "%s", o->output);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder ? 1 : 0] = 0;
    if (slash && (stat(folder, &s) || !S_ISDIR(s.st_mode))) {
        char name[200];
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG, "%s: found no folder %s; allowed: a path in a folder that exists", path,
               cli_printable(name, sizeof name, folder));
        return false;
    }
    if (!exists(o->output)) return true;
    if (stat(o->output, &s) || !S_ISREG(s.st_mode) || !recording_signature(o->output)) {
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG, "%s: found something that is not a recording; allowed: an unused name%s",
               path, o->force ? " (--force replaces recordings only)" : "");
        return false;
    }
    if (!o->force) {
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG,
               "%s: found a file of that name; allowed: a name that is free (--output), --force to replace it, "
               "--resume to continue it",
               path);
        return false;
    }
    if (recording_busy(o->output)) {
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG,
               "%s: found a recording that another run is writing; allowed: one that is not in use", path);
        return false;
    }
    snprintf(a->old, sizeof a->old, "%.*s.old", PATH - 16, o->output);
    snprintf(a->own_journal, sizeof a->own_journal, "%.*s-journal", PATH - 16, o->output);
    snprintf(a->old_journal, sizeof a->old_journal, "%.*s.old-journal", PATH - 16, o->output);
    if (exists(a->old) || exists(a->old_journal)) {
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG,
               "%s.old: found a file of that name, which is needed while %s is replaced; move it away", path, path);
        return false;
    }
    a->journal = exists(a->own_journal);
    if ((a->journal && rename(a->own_journal, a->old_journal)) || rename(o->output, a->old)) {
        int reason = errno;
        if (a->journal) rename(a->old_journal, a->own_journal);
        refuse(r, CLI_MACHINE, PERP_E_IO, "%s: cannot be moved aside: %s", path, strerror(reason));
        return false;
    }
    a->moved = true;
    return true;
}

static void settle(const simulate_options *o, const aside *a, bool begun) {
    if (!a->moved) return;
    if (begun) {
        if (a->journal) unlink(a->old_journal);
        unlink(a->old);
    } else {
        rename(a->old, o->output);
        if (a->journal) rename(a->old_journal, a->own_journal);
    }
}

/* ---- the run ---- */

static int reading_code(perp_status s) { return s == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT; }
static int writing_code(perp_status s) { return s == PERP_E_MEMORY || s == PERP_E_IO ? CLI_MACHINE : CLI_BAD_INPUT; }

/* done: steps that a recording to be continued holds. */
static perp_scene *open_scene(const simulate_options *o, uint64_t *done, simulate_result *r) {
    perp_scene *scene = NULL;
    perp_status s;
    if (o->resume) {
        perp_recording *rec;
        s = perp_recording_open(o->output, &rec, &r->why);
        if (!s) {
            s = perp_recording_scene(rec, &scene, &r->why);
            if (!s) count_recorded(r, rec);
            *done = perp_recording_about(rec)->step1;
            r->end = perp_recording_about(rec)->duration;
            perp_recording_close(rec);
        }
    } else {
        perp_scene_options so = {
            .define = o->define, .ndefine = o->ndefine, .file = o->file, .nfile = o->nfile, .root = o->root};
        s = perp_scene_open(o->scene, &so, &scene, &r->why);
    }
    if (s) r->code = reading_code(s);
    return s ? NULL : scene;
}

static perp_recorder *open_recorder(const simulate_options *o, const perp_scene *scene, simulate_result *r) {
    perp_recorder *rec = NULL;
    perp_status s;
    if (o->resume) {
        s = perp_recorder_resume(o->output, scene, &rec, &r->why);
        if (!s) {
            r->total = *perp_recorder_total(rec);
            r->total.solver = ""; /* the recorder's own, and it goes before r */
        }
    } else {
        perp_record_choice choice = o->record ? *o->record : perp_scene_record(scene);
        if (o->every > 0) choice.every = o->every;
        if (o->what > 0) choice.what = o->what;
        aside a;
        if (!make_way(o, &a, r)) return NULL;
        s = perp_recorder_create(o->output, scene, &choice, &rec, &r->why);
        settle(o, &a, !s);
    }
    if (!s && r->end != perp_scene_duration(scene)) {
        s = perp_recorder_set_duration(rec, r->end, &r->why);
        if (s) perp_recorder_close(rec, false, NULL);
    }
    if (s) r->code = writing_code(s);
    return s ? NULL : rec;
}

/* The state of the last good step stays in the recording; the problem that could not be solved goes beside it. */
static void keep_failed(const simulate_options *o, const perp_world *w, simulate_result *r) {
    perp_refusal why = {0};
    const char *scene = o->scene ? o->scene : o->output;
    if (capture_failed(w, o->output, o->save_problems, scene, r->failed_problem, sizeof r->failed_problem, &why) &&
        *why.text) {
        size_t n = strlen(r->why.text);
        snprintf(r->why.text + n, sizeof r->why.text - n, " (its problem could not be saved: %.300s)", why.text);
    }
}

static void failed_step(const simulate_options *o, simulate_result *r, const perp_world *w, perp_status s) {
    refuse(r, s == PERP_E_MEMORY ? CLI_MACHINE : CLI_FAILED, s, "step %llu from t = %.9g failed: %s",
           (unsigned long long)perp_world_steps(w) + 1, perp_world_time(w), perp_world_why(w));
    r->failed = true;
    if (s == PERP_E_SOLVE) keep_failed(o, w, r);
}

/* Lets the watcher pause the run; false: the run ends here. The time of the pause is not part of the run's time. */
static bool watched_go(const simulate_watch *watch, simulate_result *r) {
    double at = pp_clock();
    simulate_word word = watch->wait(watch->ctx);
    r->waited += pp_clock() - at;
    r->interrupted = word == SIMULATE_END;
    r->again = word == SIMULATE_AGAIN;
    return word == SIMULATE_GO;
}

static bool asked_to_stop(void *ctx) {
    bool (*const *stop)(void) = ctx;
    return (*stop)();
}

static void step_on(const simulate_options *o, perp_world *w, perp_recorder *rec, const capture *saving, uint64_t total,
                    quantities *told, simulate_result *r) {
    uint64_t done = perp_world_steps(w);
    perp_vec3 g = perp_world_get_def(w).gravity_W;
    double floor = perp_world_h(w) * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    bool (*stop)(void) = o->stop;
    if (stop) perp_world_set_stop(w, &(perp_stop){asked_to_stop, &stop});
    progress bar;
    progress_begin(&bar, o->progress, done, total, r->end);
    while (done < total) {
        if (o->watch && !watched_go(o->watch, r)) break;
        perp_certificate c;
        perp_status s = perp_world_step(w, &c);
        if (s == PERP_E_STOPPED) {
            r->interrupted = true;
            break;
        }
        if (s) {
            failed_step(o, r, w, s);
            break;
        }
        done++;
        count_step(r, &c, floor);
        double now = o->progress || rec ? pp_clock() : 0;
        if (rec) {
            s = perp_recorder_step(rec, &c, &r->why);
            double after = pp_clock();
            r->recording_seconds += after - now;
            now = after;
            if (s) {
                r->code = writing_code(s);
                break;
            }
        }
        if (saving->status) {
            r->why = saving->why;
            r->code = writing_code(saving->status);
            break;
        }
        if (o->watch && (s = o->watch->stepped(o->watch->ctx, &c, &r->why))) {
            r->code = writing_code(s);
            break;
        }
        if (told) {
            if (quantities_due(told)) progress_end(&bar); /* the line of progress makes room */
            if ((s = quantities_step(told, &c, &r->why))) {
                r->code = writing_code(s);
                break;
            }
        }
        progress_step(&bar, now, done, c.t, r->law, r->total.overlap);
        if (done < total && o->stop && o->stop()) {
            r->interrupted = true;
            break;
        }
    }
    progress_end(&bar);
    perp_world_set_stop(w, NULL); /* what it asks is gone with this call */
}

static void describe(const perp_scene *scene, const perp_world *w, const simulate_options *o, simulate_result *r) {
    const char *title = perp_scene_title(scene);
    if (!*title) {
        title = o->called ? o->called : o->scene ? o->scene : o->output;
        if (strrchr(title, '/')) title = strrchr(title, '/') + 1;
    }
    snprintf(r->title, sizeof r->title, "%s", title);
    r->dim = perp_world_dim(w);
    r->h = perp_world_h(w);
    r->bodies = perp_world_body_count(w);
    r->joints = perp_world_joints(w, NULL, 0);
    r->size = size_of_world(w);
}

static void measure_file(const char *path, simulate_result *r) {
    perp_recording *rec;
    if (perp_recording_open(path, &rec, NULL)) return;
    r->frames = perp_recording_about(rec)->frames; /* that are in it for certain */
    r->recording_bytes = perp_recording_about(rec)->file_size;
    r->recording_raw = perp_recording_about(rec)->raw_size;
    perp_recording_close(rec);
}

/* Sets the time at which the run ends, and the number of steps until then. False: it was refused.
 * @param before steps that a resumed run has made */
static bool choose_end(const simulate_options *o, const perp_scene *scene, uint64_t before, double *n,
                       simulate_result *r) {
    bool given = o->duration > 0 || o->set_duration;
    if (given || !o->resume) r->end = given ? o->duration : perp_scene_duration(scene);
    *n = perp_steps_of(r->end, r->h);
    if (!(*n <= 9007199254740992.0))
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG, "found a duration of %.6g, %.3g steps; allowed: fewer than 9e15", r->end,
               *n);
    else if (given && *n < (double)before)
        refuse(r, CLI_BAD_INPUT, PERP_E_ARG,
               "found a duration of %.6g, but the recording goes to t = %.6g; allowed: a later time", r->end,
               (double)before * r->h);
    else
        return true;
    return false;
}

/* What the world is like at the end: time, energy, hash, and the names of what the certificate points at. */
static void describe_end(const perp_world *w, simulate_result *r) {
    r->t1 = perp_world_time(w);
    perp_world_energy(w, &r->energy[0], &r->energy[1], &r->energy[2]);
    perp_world_timing(w, r->stage);
    r->hash = perp_world_hash(w);
    for (int i = 0; i < 2; i++) {
        r->overlap_driven[i] = name_of_shape(w, r->total.overlap > 0 ? r->total.overlap_shape[i] : -1,
                                             r->overlap_names[i], sizeof r->overlap_names[i]);
        (void)name_of_shape(w, r->total.gain > 0 ? r->total.gain_shape[i] : -1, r->gain_names[i],
                            sizeof r->gain_names[i]);
        (void)name_of_shape(w, r->total.jams > 0 ? r->total.jam_shape[i] : -1, r->jam_names[i], sizeof r->jam_names[i]);
    }
    name_of_joint(w, r->total.motor_yields > 0 ? r->total.yield_joint : -1, r->yield_name, sizeof r->yield_name);
}

static void run_scene(const simulate_options *o, perp_scene *scene, uint64_t before, simulate_result *r) {
    perp_world *w = perp_scene_world(scene);
    describe(scene, w, o, r);
    double n;
    if (!choose_end(o, scene, before, &n, r)) return;
    quantities *told;
    perp_status odd = quantities_open(o, scene, r->end, &told, &r->why);
    if (odd) {
        r->code = reading_code(odd);
        return;
    }
    double begun = pp_clock();
    perp_recorder *rec = NULL;
    static capture saving; /* holds a complaint: a few kilobytes */
    saving = (capture){0};
    if (o->save_problems) {
        perp_status s = capture_begin(&saving, o->save_problems, o->scene ? o->scene : o->output, o->save_every,
                                      o->resume || o->force, &r->why);
        if (s) {
            r->code = writing_code(s);
            quantities_close(told);
            return;
        }
    }
    if (o->output) {
        rec = open_recorder(o, scene, r);
        if (!rec) {
            quantities_close(told);
            return;
        }
        r->recording_seconds = pp_clock() - begun;
    }
    if (o->warn && !o->resume) tell_overlaps(o->scene ? o->scene : o->output, w, perp_scene_units(scene));
    if (told) quantities_first(told);
    r->t0 = perp_world_time(w);
    perp_world_energy(w, &r->energy0[0], &r->energy0[1], &r->energy0[2]);
    if (r->total.ledger.kinetic_before == 0 && r->t0 == 0) /* also an account of no steps has a start and an end */
        r->total.ledger.kinetic_before = r->total.ledger.kinetic_after = r->energy0[0];
    clock_t worked = clock();
    perp_status watched = o->save_problems ? capture_watch(&saving, w, &r->why) : PERP_OK;
    if (!watched && o->watch) watched = o->watch->begin(o->watch->ctx, scene, &r->why);
    if (watched) r->code = writing_code(watched);
    if (!watched) step_on(o, w, rec, &saving, (uint64_t)n, told, r);
    quantities_close(told);
    r->processor_seconds = (double)(clock() - worked) / CLOCKS_PER_SEC;
    if (!watched && o->watch) o->watch->end(o->watch->ctx);
    capture_end(w);
    r->saved_problems = saving.saved;
    if (rec) {
        double at = pp_clock();
        perp_refusal why = {0};
        perp_status s = perp_recorder_close(rec, r->code == CLI_OK && !r->interrupted && !r->again, &why);
        /* frames that the recorder had counted but could not commit are not there; what an earlier failure says
         * counts */
        if (s && (r->code == CLI_OK || r->failed)) r->why = why, r->code = writing_code(s), r->failed = false;
        r->recording_seconds += pp_clock() - at;
    }
    r->seconds = pp_clock() - begun - r->waited;
    describe_end(w, r);
    if (o->output) measure_file(o->output, r);
    if (r->code == CLI_OK && r->interrupted) r->code = CLI_INTERRUPTED;
}

void simulate(const simulate_options *o, simulate_result *r) {
    *r = (simulate_result){0};
    double begun = pp_clock();
    uint64_t done = 0;
    if (o->loads_alone) cli_loading(true);
    perp_scene *scene = open_scene(o, &done, r);
    if (o->loads_alone) cli_loading(false);
    r->load_seconds = pp_clock() - begun;
    if (!scene) return;
    run_scene(o, scene, done, r);
    perp_scene_close(scene);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* capture.c - the step problems of a run as files, for perp solve and for authors of solvers. */
#define _POSIX_C_SOURCE 200809L
#include "run/capture.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "input/input.h"
#include "perp/problem_file.h"

static bool holds_problems(const char *folder) {
    DIR *d = opendir(folder);
    bool found = false;
    for (const struct dirent *e; d && !found && (e = readdir(d));) found = !strncmp(e->d_name, "step-", 5);
    if (d) closedir(d);
    return found;
}

static bool in_a_folder(const char *path) {
    char parent[CLI_PATH];
    struct stat st;
    snprintf(parent, sizeof parent, "%s", path);
    for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; n--) parent[n - 1] = 0;
    char *slash = strrchr(parent, '/');
    if (!slash) return true;
    slash[slash == parent] = 0;
    return !stat(parent, &st) && S_ISDIR(st.st_mode);
}

perp_status capture_begin(capture *c, const char *folder, const char *scene, int every, bool add, perp_refusal *why) {
    struct stat st;
    pp_location at = {folder, 0, 0};
    *c = (capture){.folder = folder, .scene = scene, .every = every > 0 ? (uint64_t)every : 1, .island = -1};
    if (strlen(folder) > CLI_PATH - 100)
        return pp_complain(why, PERP_E_ARG, at, NULL, "a path that is too long", "a shorter one");
    bool there = !stat(folder, &st);
    if (!there && in_a_folder(folder)) return PERP_OK;
    if (!there)
        return pp_complain(why, PERP_E_ARG, at, NULL, "no such parent folder", "a path in a folder that exists");
    if (!S_ISDIR(st.st_mode))
        return pp_complain(why, PERP_E_ARG, at, NULL, "a file", "a folder for the problems, or a free name");
    if (!add && holds_problems(folder))
        return pp_complain(why, PERP_E_ARG, at, NULL, "a folder with the problems of a run", "a folder without");
    return PERP_OK;
}

static void look(const perp_captured *p, void *ctx) {
    capture *c = ctx;
    bool same = c->island >= 0 && p->step == c->step;
    if (!same)
        c->part = 1;
    else if (p->island <= c->island)
        c->part++;
    c->step = p->step;
    c->island = p->island;
    if (c->status || p->step % c->every != 0) return;
    char path[CLI_PATH], part[24] = "", title[400], scene[200];
    if (c->part > 1) snprintf(part, sizeof part, "-part-%02d", c->part);
    /* steps are told from 1 on, as in messages */
    snprintf(path, sizeof path, "%.*s/step-%06llu%s-island-%02d.h5", CLI_PATH - 100, c->folder,
             (unsigned long long)p->step + 1, part, p->island);
    snprintf(title, sizeof title, "%s: step %llu from t = %.9g, island %d, %s%s",
             cli_printable(scene, sizeof scene, c->scene), (unsigned long long)p->step + 1, p->t, p->island,
             p->accepted ? "solved by " : "not solved",
             !p->accepted       ? ""
             : *p->info->solver ? p->info->solver
                                : "elimination");
    c->status = perp_step_write_solved(path, p->problem, p->guess, p->accepted ? p->solution : NULL, title, &c->why);
    if (!c->status) c->saved++;
}

perp_status capture_watch(capture *c, perp_world *w, perp_refusal *why) {
    perp_capture watch = {look, c};
    if (mkdir(c->folder, 0777) && errno != EEXIST)
        return pp_complain_say(why, PERP_E_IO, (pp_location){c->folder, 0, 0}, "", "cannot be made a folder: %s",
                               strerror(errno));
    perp_world_set_capture(w, &watch);
    return PERP_OK;
}

void capture_end(perp_world *w) { perp_world_set_capture(w, NULL); }

perp_status capture_failed(const perp_world *w, const char *recording, const char *folder, const char *scene, char *out,
                           size_t size, perp_refusal *why) {
    const perp_step_problem *p = perp_world_failed_problem(w);
    unsigned long long step = (unsigned long long)perp_world_steps(w) + 1;
    char name[200], title[400];
    *out = 0;
    if (!p || (!recording && !folder)) return PERP_E_ARG;
    int n;
    if (recording) {
        size_t length = strlen(recording);
        if (length > 3 && !strcmp(recording + length - 3, ".h5")) length -= 3;
        n = snprintf(out, size, "%.*s-failed-step-%06llu.h5", (int)length, recording, step);
    } else {
        n = snprintf(out, size, "%s/failed-step-%06llu.h5", folder, step);
    }
    perp_status s = PERP_E_ARG;
    snprintf(title, sizeof title, "%s: step %llu from t = %.9g, which failed", cli_printable(name, sizeof name, scene),
             step, perp_world_time(w));
    if (n > 0 && (size_t)n < size) s = perp_step_write(out, p, NULL, title, why);
    if (s) *out = 0;
    return s;
}

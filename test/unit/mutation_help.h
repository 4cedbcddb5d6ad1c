/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mutation_help.h - what tests share that break a run on purpose and look whether the certificate sees it */
#ifndef PERP_TEST_MUTATION_HELP_H
#define PERP_TEST_MUTATION_HELP_H

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "cli.h"
#include "problem/rows.h"
#include "stage/stepper.h"
#include "stage/frame.h"

/* ---- finding things in a frame ---- */

/* A contact of a body, or -1. */
static inline int contact_of(const pp_frame *f, int body) {
    for (int i = 0; i < f->contacts.n; i++)
        for (int k = 0; k < 2; k++)
            if (f->w->shape[f->contacts.shape[2 * i + k]].body == body) return i;
    return -1;
}

static inline perp_contact_row *own_contact(pp_frame *f, int i) {
    return (perp_contact_row *)&f->pose.problem.contact[i];
}
static inline double *impulse(pp_frame *f, int contact, int part) {
    return &f->solve.solution.p_contact[3 * contact + part];
}
static inline double *velocity_of(pp_frame *f, int body) {
    return f->solve.solution.nu + f->control.block_offset[f->control.block[body]];
}

/* Adds an impulse along a row to the velocities. */
static inline void push(pp_frame *f, const perp_row *row, double p) {
    for (int k = 0; k < 2; k++) {
        int b = row->block[k];
        if (b < 0) continue;
        double *nu = f->solve.solution.nu + f->control.block_offset[b];
        for (int i = 0; i < f->control.block_ndof[b]; i++)
            for (int j = 0; j < f->control.block_ndof[b]; j++)
                nu[i] += f->control.Minv[36 * b + i + 6 * j] * row->J[k][j] * p;
    }
}

/* ---- runs ---- */

/* The worst law of a step over the speeds, as the program judges it. */
static inline double law_of(const perp_certificate *c, double floor) {
    double most = 0, part[] = {c->law.momentum, c->law.joint, c->law.normal, c->law.cone, c->law.dissipation};
    for (int i = 0; i < 5; i++)
        if (!(part[i] <= most)) most = part[i];
    return most / fmax(c->law.scale, floor);
}

/* Broken problems may have no solution, and solvers need long to find that out: the limit is 1 s of processor time. */
static inline bool long_enough(void *ctx) {
    const clock_t *begun = ctx;
    return clock() - *begun > CLOCKS_PER_SEC;
}

/* Opens a scene from its text. */
static inline perp_scene *scene_of(const char *name, const char *text) {
    perp_source_file file = {name, text, strlen(text)};
    perp_scene *made = NULL;
    perp_refusal why;
    if (perp_scene_open(name, &(perp_scene_options){.file = &file, .nfile = 1}, &made, &why)) fail_msg("%s", why.text);
    return made;
}

/* Steps a scene and closes it; `tamper` NULL: nothing is changed. False: a step was not solved, which also shows the change. size: of the smallest
 * body [L]. */
static inline bool run_scene(perp_scene *made, void (*tamper)(pp_frame *f, int at, void *ctx), void *ctx, int steps,
                             double size, simulate_result *r) {
    perp_world *w = perp_scene_world(made);
    clock_t begun = clock();
    bool solved = true;
    memset(r, 0, sizeof *r);
    r->size = size;
    r->total.solver = "";
    if (tamper) w->run.tamper = tamper, w->run.tamper_ctx = ctx;
    if (tamper) perp_world_set_stop(w, &(perp_stop){long_enough, &begun});
    for (int i = 0; i < steps && solved; i++) {
        perp_certificate c;
        solved = !perp_world_step(w, &c);
        if (!solved) break;
        r->law = fmax(r->law, law_of(&c, 9.81 * w->def.h));
        perp_certificate_add(&r->total, &c);
    }
    perp_scene_close(made);
    return solved;
}

#endif

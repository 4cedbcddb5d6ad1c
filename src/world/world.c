/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* world.c - creating and destroying a world; functions that set or read properties of the whole world */
#include <string.h>

#include "base/refuse.h"
#include "method/peg/peg.h"
#include "stage/stepper.h"
#include "model/budget.h"
#include "stage/frame.h"
#include "world/lifetime.h"

perp_status perp_world_create_why(const perp_world_def *def, perp_world **out, char *why, size_t why_size) {
    if (why && why_size) why[0] = 0;
    if (!out) return pp_refuse(why, why_size, PERP_E_ARG, "out is NULL");
    *out = NULL;
    if (!def) return pp_refuse(why, why_size, PERP_E_ARG, "def is NULL");
    perp_status st = pp_check_world_def(def, why, why_size);
    if (st) return st;
    perp_world *w = pp_alloc(&def->alloc, sizeof *w);
    if (!w) return pp_refuse(why, why_size, PERP_E_MEMORY, "out of memory for the world");
    memset(w, 0, sizeof *w);
    w->def = *def;
    w->alloc = def->alloc;
    pp_arena_init(&w->arena, w->alloc);
    pp_budget_start(w);
    st = pp_choose_stages(w, why, why_size);
    if (!st) {
        w->nmaterial = 1;
        w->found.broad = pp_broad_create(&w->alloc);
        if (!w->found.broad || !PP_GROW(&w->alloc, w->law, w->room.cap_law, 0, 1))
            st = pp_refuse(why, why_size, PERP_E_MEMORY, "out of memory for the world");
    }
    if (st) {
        perp_world_destroy(w);
        return st;
    }
    *out = w;
    return PERP_OK;
}

perp_status perp_world_create(const perp_world_def *def, perp_world **out) {
    return perp_world_create_why(def, out, NULL, 0);
}

void perp_world_destroy(perp_world *w) {
    if (!w) return;
    const perp_allocator a = w->alloc;
    for (int i = 0; i < w->nbody; i++) {
        pp_motion_destroy(w->body[i].motion, &a);
        pp_free(&a, w->body[i].name);
        pp_free(&a, w->body[i].label);
        pp_free(&a, w->body[i].support);
    }
    for (int i = 0; i < w->nshape; i++) pp_geometry_destroy(w->shape[i].g, &a);
    pp_free(&a, w->belt);
    for (int i = 0; i < w->njoint; i++) {
        pp_free(&a, w->joint[i].name);
        pp_free(&a, w->joint[i].term);
    }
    for (int i = 0; i < w->robot.nsite; i++) pp_free(&a, w->robot.site[i].name);
    for (int i = 0; i < w->robot.nactuator; i++) pp_free(&a, w->robot.actuator[i].name);
    perp_keyframe_clear(w);
    for (int i = 0; i < w->robot.nsensor; i++) pp_free(&a, w->robot.sensor[i].name);
    pp_free(&a, w->robot.sensor);
    pp_free(&a, w->robot.actuator);
    pp_free(&a, w->robot.ctrl);
    pp_free(&a, w->robot.exclude);
    pp_free(&a, w->robot.site);
    pp_free(&a, w->robot.keyframe);
    pp_free(&a, w->body);
    pp_free(&a, w->shape);
    pp_free(&a, w->joint);
    pp_free(&a, w->force);
    pp_free(&a, w->law);
    pp_state_release(&w->state, &a);
    pp_free(&a, w->last.twist);
    pp_peg_destroy(w->found.peg, &a);
    pp_free(&a, w->warm.contact);
    pp_free(&a, w->warm.joint);
    pp_free(&a, w->last.contact);
    pp_free(&a, w->last.joint_impulse);
    pp_free(&a, w->found.pairs.pair);
    pp_free(&a, w->found.couples.couple);
    pp_broad_destroy(w->found.broad, &a);
    pp_arena_free(&w->arena);
    pp_free(&a, w);
}

const char *perp_world_why(const perp_world *w) { return w->why; }
double perp_world_time(const perp_world *w) { return w->state.t; }
uint64_t perp_world_steps(const perp_world *w) { return w->state.step; }
int perp_world_dim(const perp_world *w) { return w->def.dim; }

const perp_step_problem *perp_world_failed_problem(const perp_world *w) {
    return w->last.failed && w->last.has_problem ? &w->last.problem : NULL;
}
const perp_step_problem *perp_world_problem(const perp_world *w) {
    return w->last.has_problem ? &w->last.problem : NULL;
}

void perp_world_set_capture(perp_world *w, const perp_capture *capture) {
    w->run.capture = capture ? *capture : (perp_capture){0};
}

void perp_world_set_stop(perp_world *w, const perp_stop *stop) { w->run.stop = stop ? *stop : (perp_stop){0}; }

perp_status perp_world_set_h(perp_world *w, double h) {
    if (!(h > 0) || !isfinite(h)) return pp_fail(w, PERP_E_ARG, "h is %g; it must be positive and finite", h);
    w->def.h = h;
    return PERP_OK;
}

/* Sets STAGE.FIELD; the name of the stage has len letters. */
static perp_status set_field(perp_world *w, const char *name, size_t len, const perp_field *field, int n,
                             void *settings, double value) {
    const char *word = name + len + 1;
    perp_status st = perp_fields_set(field, n, settings, word, value);
    if (st == PERP_E_NAME) return pp_fail(w, st, "%.*s has no setting \"%s\"", (int)len, name, word);
    for (int k = 0; st && k < n; k++)
        if (!strcmp(field[k].name, word))
            return pp_fail(w, st, "%s is %g; allowed are %s%g to %g", name, value,
                           field[k].type == PERP_FIELD_DOUBLE ? "" : "whole numbers ", field[k].min, field[k].max);
    return st;
}

perp_status perp_world_set(perp_world *w, const char *name, double value) {
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (!dot) return pp_fail(w, PERP_E_NAME, "\"%s\" is not of the form solver.setting", name ? name : "(null)");
    size_t len = (size_t)(dot - name);
    for (int i = 0; i < w->chosen.nsolver; i++) {
        const perp_solver_type *s = w->chosen.solver[i];
        if (strlen(s->name) == len && !strncmp(s->name, name, len))
            return set_field(w, name, len, s->fields, s->nfield, w->chosen.settings[i].bytes, value);
    }
    const pp_stepper_type *s = w->chosen.stepper;
    if (strlen(s->name) == len && !strncmp(s->name, name, len))
        return set_field(w, name, len, s->fields, s->nfield, w->chosen.stepper_settings.bytes, value);
    return pp_fail(w, PERP_E_NAME, "no solver and no stepper of this world is called \"%.*s\"", (int)len, name);
}

int perp_world_contacts(const perp_world *w, const perp_contact **out) {
    *out = w->last.contact;
    return w->last.ncontact;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trace_frame.c - the values of all declared series at one frame, read from the world.
 * Method   one number for each series, by the same functions of one frame as series.c has for files; sums over bodies,
 *          contacts and steps are worked out once for a frame, and only if a series takes them.
 * Cost     about 10 ns for a series of a body; those of contacts go over all contacts, those of momentum over all
 *          bodies. Nothing is allocated. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "record/trace_internal.h"

/* Quantities of the whole world at a frame. */
typedef struct whole {
    double kinetic, gravity, spring;
    perp_vec3 momentum[2]; /* linear, angular */
} whole;

void pp_trace_prepare(pp_trace *t, pp_need *k) {
    const pp_series *s = &k->s;
    k->figure = NULL;
    for (int i = 0; i < pp_nfigure; i++)
        if (pp_figures[i].d == s->d && pp_figures[i].count == 1) k->figure = &pp_figures[i];
    if (s->d == PP_D_JOINT_COORDINATE || s->d == PP_D_JOINT_RATE)
        for (int i = 0; i < t->view.info.njoint; i++) {
            perp_recorded_joint j = perp_recording_joint(&t->view, i);
            if (s->col < j.first_coord || s->col >= j.first_coord + j.ncoord) continue;
            k->joint = i;
            k->coordinate = s->col - j.first_coord;
        }
    t->sums |= k->figure || s->d == PP_D_SOLVER_SOLVER;
    t->energy |= s->kind == PP_SERIES_TOTAL || s->d == PP_D_ENERGY_KINETIC || s->d == PP_D_ENERGY_GRAVITY ||
                 s->d == PP_D_ENERGY_SPRING;
    t->contacts |= s->kind == PP_SERIES_CONTACTS;
    t->momentum[0] |= s->kind == PP_SERIES_MOMENTUM;
    t->momentum[1] |= s->kind == PP_SERIES_ANGULAR;
}

static pp_body_state state_of(const pp_trace *t, int body) {
    pp_body_state b = {.q = {1, 0, 0, 0}};
    perp_pose X = perp_pose_identity();
    perp_body_pose(t->at->w, t->at->body[body], &X);
    perp_body_velocity(t->at->w, t->at->body[body], &b.v, &b.w);
    b.x = X.p;
    b.q = X.q;
    return b;
}

static double figure_now(const pp_trace *t, const pp_figure *f) {
    const char *from = (const char *)&t->at->since + f->offset;
    if (f->whole) {
        int x;
        memcpy(&x, from, sizeof x);
        return x;
    }
    double x;
    memcpy(&x, from, sizeof x);
    return x;
}

static double joint_now(const pp_trace *t, const pp_need *k) {
    const perp_world *w = t->at->w;
    double x[6] = {0}, rate[6] = {0};
    switch (k->s.d) {
    case PP_D_JOINT_COORDINATE:
    case PP_D_JOINT_RATE:
        perp_joint_read(w, t->at->joint[k->joint], x, rate);
        return k->s.d == PP_D_JOINT_RATE ? rate[k->coordinate] : x[k->coordinate];
    case PP_D_JOINT_ERROR: perp_joint_error(w, t->at->joint[k->s.col], x, x + 1); return x[k->s.component];
    default: break;
    }
    perp_wrench p = {{0, 0, 0}, {0, 0, 0}};
    perp_joint_impulse(w, t->at->joint[k->s.col], &p);
    memcpy(x, &p, sizeof p);
    return k->s.kind == PP_SERIES_NORM ? pp_series_norm(x) : x[k->s.component];
}

static double body_now(const pp_trace *t, const pp_need *k) {
    const perp_world *w = t->at->w;
    perp_body_id id = t->at->body[k->s.col];
    double x[4] = {0};
    if (k->s.d == PP_D_ANGLE) {
        perp_body_angle(w, id, x);
        return x[0];
    }
    if (k->s.d == PP_D_POSITION || k->s.d == PP_D_ORIENTATION) {
        perp_pose X = perp_pose_identity();
        perp_body_pose(w, id, &X);
        const double number[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
        return number[k->s.component + (k->s.d == PP_D_ORIENTATION ? 3 : 0)];
    }
    perp_vec3 v = {0, 0, 0};
    perp_body_velocity(w, id, k->s.d == PP_D_VELOCITY ? &v : NULL, k->s.d == PP_D_VELOCITY ? NULL : &v);
    memcpy(x, &v, sizeof v);
    return k->s.kind == PP_SERIES_NORM ? pp_series_norm(x) : x[k->s.component];
}

static double sensor_now(const pp_trace *t, const pp_need *k) {
    for (int i = 0; i < t->view.info.nsensor; i++) {
        perp_recorded_sensor s = perp_recording_sensor(&t->view, i);
        double x[PERP_SENSOR_MAX_SIZE] = {0};
        if (k->s.col < s.first || k->s.col >= s.first + s.size) continue;
        (void)perp_sensor_read(t->at->w, t->at->sensor[i], x);
        return x[k->s.col - s.first];
    }
    return NAN;
}

/* The number that a file would hold in the series' dataset. */
static double row_now(const pp_trace *t, const pp_need *k, const whole *sum) {
    switch (k->s.d) {
    case PP_D_STEP: return (double)perp_world_steps(t->at->w);
    case PP_D_SECONDS: return pp_clock() - t->at->began;
    case PP_D_SOLVER_SOLVER: return pp_recorder_solver(t->at, t->at->since.c.solver);
    case PP_D_ENERGY_KINETIC: return sum->kinetic;
    case PP_D_ENERGY_GRAVITY: return sum->gravity;
    case PP_D_ENERGY_SPRING: return sum->spring;
    case PP_D_JOINT_COORDINATE:
    case PP_D_JOINT_RATE:
    case PP_D_JOINT_ERROR:
    case PP_D_JOINT_IMPULSE: return joint_now(t, k);
    case PP_D_SENSOR: return sensor_now(t, k);
    default: break;
    }
    return k->figure ? figure_now(t, k->figure) : body_now(t, k);
}

static double value_now(const pp_trace *t, const pp_need *k, const whole *sum) {
    int f = t->frames;
    switch (k->s.kind) {
    case PP_SERIES_NONE:
    case PP_SERIES_TIME: return t->time[f];
    case PP_SERIES_COLUMN:
    case PP_SERIES_NORM: return row_now(t, k, sum);
    case PP_SERIES_FORCE: return row_now(t, k, sum) / t->view.info.h;
    case PP_SERIES_RUNNING: return f > 0 ? row_now(t, k, sum) + k->value[f - 1] : row_now(t, k, sum);
    case PP_SERIES_FIRST: return f > 1 ? k->value[1] : row_now(t, k, sum);
    case PP_SERIES_KINETIC:
    case PP_SERIES_TURNED: {
        perp_recorded_body b = perp_recording_body(&t->view, k->s.col);
        pp_body_state now = state_of(t, k->s.col);
        return pp_series_body(k->s.kind, k->s.component, t->view.info.dim, &b, &now);
    }
    case PP_SERIES_TOTAL: return 0 + sum->kinetic + sum->gravity + sum->spring;
    case PP_SERIES_MOMENTUM:
    case PP_SERIES_ANGULAR: {
        perp_vec3 p = sum->momentum[k->s.kind == PP_SERIES_ANGULAR];
        return k->s.component == 0 ? p.x : k->s.component == 1 ? p.y : p.z;
    }
    case PP_SERIES_CONTACTS: return pp_series_no_contact(&k->s);
    }
    return NAN;
}

static void add_bodies(const pp_trace *t, whole *sum) {
    for (int i = 0; i < t->view.info.nbody; i++) {
        perp_recorded_body b = perp_recording_body(&t->view, i);
        pp_body_state now = state_of(t, i);
        for (int k = 0; k < 2; k++)
            if (t->momentum[k]) pp_series_add_momentum(k == 1, t->view.info.dim, &b, &now, &sum->momentum[k]);
    }
}

/* Contacts of the last step into the values of this frame. */
static void add_contacts(pp_trace *t) {
    const perp_recorder *r = t->at;
    const perp_contact *c = NULL;
    int n = perp_world_contacts(r->w, &c);
    for (int i = 0; i < n; i++) {
        int a = r->shape_index[c[i].a.slot], b = r->shape_index[c[i].b.slot];
        perp_recorded_contact one = {.body = {r->shape_body[a], r->shape_body[b]},
                                     .n_W = c[i].n_W,
                                     .t_W = c[i].t_W,
                                     .gap = c[i].gap,
                                     .gap_end = c[i].gap_end,
                                     .impulse_C = {c[i].impulse_C[0], c[i].impulse_C[1], c[i].impulse_C[2]},
                                     .spin_impulse = c[i].spin_impulse,
                                     .roll_impulse = {c[i].roll_impulse[0], c[i].roll_impulse[1]},
                                     .state = c[i].state};
        for (int k = 0; k < t->nneed; k++)
            if (t->need[k].s.kind == PP_SERIES_CONTACTS)
                pp_series_add_contact(&t->need[k].s, &one, t->view.info.h, &t->need[k].value[t->frames]);
    }
}

void pp_trace_take(pp_trace *t) {
    whole sum = {0};
    t->time[t->frames] = perp_world_time(t->at->w);
    if (t->energy) perp_world_energy(t->at->w, &sum.kinetic, &sum.gravity, &sum.spring);
    if (t->momentum[0] || t->momentum[1]) add_bodies(t, &sum);
    for (int k = 0; k < t->nneed; k++) t->need[k].value[t->frames] = value_now(t, &t->need[k], &sum);
    if (t->contacts && t->frames > 0) add_contacts(t); /* frame 0 comes before the first step of the run */
}

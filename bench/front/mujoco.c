/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mujoco.c - MuJoCo on a scene of the front
 *
 * Settings: solver=Newton|CG|PGS, cone=pyramidal|elliptic, impratio (1), iterations (100), timeconst (0.02 s, of solref; 0: twice the step, the
 * stiffest that MuJoCo takes), noslip (0, iterations). Everything else is MuJoCo's default, but that pairs of meshes have several contacts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "front.h"

typedef struct world {
    const front_scene *scene;
    mjModel *m;
    mjData *d;
    double h;
} world;

typedef struct text {
    char *at;
    size_t size, room;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...) {
    va_list list;
    if (t->room - t->size < 1000) {
        t->room = 2 * t->room + 10000;
        t->at = realloc(t->at, t->room);
        if (!t->at) front_die("memory", "refused");
    }
    va_start(list, format);
    t->size += (size_t)vsnprintf(t->at + t->size, t->room - t->size, format, list);
    va_end(list);
}

static void put_meshes(text *t, const front_scene *s) {
    put(t, "<asset>");
    for (int i = 0; i < s->n; i++) {
        const front_hull *h = s->body[i].hull;
        if (s->body[i].kind != FRONT_HULL) continue;
        put(t, "<mesh name='m%d' vertex='", i);
        for (int k = 0; k < h->npoint; k++)
            put(t, "%.17g %.17g %.17g ", h->point[k].x[0], h->point[k].x[1], h->point[k].x[2]);
        put(t, "'/>");
    }
    put(t, "</asset>");
}

static void put_body(text *t, const front_body *b, int i) {
    const double *p = b->pose.p.x, *q = b->pose.q, *m = b->inertia.x, *half = b->half.x;
    put(t, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>", p[0], p[1], p[2], q[0], q[1],
        q[2], q[3]);
    put(t, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", b->mass, m[0], m[1], m[2]);
    if (b->kind == FRONT_SPHERE)
        put(t, "<geom type='sphere' size='%.17g'/>", b->radius);
    else if (b->kind == FRONT_BOX)
        put(t, "<geom type='box' size='%.17g %.17g %.17g'/>", half[0], half[1], half[2]);
    else
        put(t, "<geom type='mesh' mesh='m%d'/>", i);
    put(t, "</body>\n");
}

static void put_model(text *t, const front_scene *s, double h, front_settings *settings) {
    static const char *const solvers[] = {"Newton", "CG", "PGS", NULL}, *const cones[] = {"pyramidal", "elliptic",
                                                                                          NULL};
    double constant = front_number(settings, "timeconst", 0.02);
    put(t, "<mujoco><compiler boundmass='0' inertiafromgeom='false'/><size njmax='%d' nconmax='%d' nstack='%d'/>",
        40 * s->n + 4000, 10 * s->n + 1000, s->n > 100 ? 60000000 : 8000000);
    put(t, "<option timestep='%.17g' gravity='%.17g %.17g %.17g' solver='%s' cone='%s'", h, s->gravity.x[0],
        s->gravity.x[1], s->gravity.x[2], solvers[front_word(settings, "solver", solvers)],
        cones[front_word(settings, "cone", cones)]);
    put(t, " iterations='%d' impratio='%g' noslip_iterations='%d'><flag multiccd='enable'/></option>",
        (int)front_number(settings, "iterations", 100), front_number(settings, "impratio", 1),
        (int)front_number(settings, "noslip", 0));
    put(t, "<default><geom friction='%.17g 0 0' condim='3' solref='%.17g 1'/></default>", s->mu,
        constant > 0 ? constant : 2 * h);
    put_meshes(t, s);
    put(t, "<worldbody>");
    for (int k = 0; k < s->nplane; k++) {
        const double *n = s->plane[k].normal.x, d = s->plane[k].offset;
        put(t, "<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g' zaxis='%.17g %.17g %.17g'/>", d * n[0],
            d * n[1], d * n[2], n[0], n[1], n[2]);
    }
    for (int i = 0; i < s->n; i++) put_body(t, &s->body[i], i);
    put(t, "</worldbody></mujoco>");
}

static void *create(const front_scene *s, double h, front_settings *settings) {
    world *w = front_memory(1, sizeof *w);
    text t = {NULL, 0, 0};
    char error[500] = "";
    mjVFS *files = front_memory(1, sizeof *files);
    put_model(&t, s, h, settings);
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "front.xml", (int)t.size)) front_die("mujoco", "no room for the model");
    memcpy(files->filedata[0], t.at, t.size);
    w->m = mj_loadXML("front.xml", files, error, sizeof error);
    if (!w->m) front_die("mujoco", error);
    mj_deleteVFS(files);
    free(files);
    free(t.at);
    w->scene = s;
    w->h = h;
    w->d = mj_makeData(w->m);
    if (!w->d) front_die("mujoco", "no memory for the data");
    for (int i = 0; i < s->n; i++) {
        front_vec turn = front_turn_back(s->body[i].pose.q, s->body[i].w); /* in the body's axes */
        for (int a = 0; a < 3; a++) {
            w->d->qvel[6 * i + a] = s->body[i].v.x[a];
            w->d->qvel[6 * i + 3 + a] = turn.x[a];
            if (s->body[i].start > 0) w->d->xfrc_applied[6 * (i + 1) + a] = -s->body[i].mass * s->gravity.x[a];
        }
    }
    return w;
}

static void weigh(void *self, int i) {
    world *w = self;
    for (int a = 0; a < 3; a++) w->d->xfrc_applied[6 * (i + 1) + a] = 0;
}

static bool step(void *self, bool look) {
    world *w = self;
    (void)look;
    mj_step(w->m, w->d);
    return true;
}

static void poses(void *self, front_pose *pose) {
    world *w = self;
    for (int i = 0; i < w->scene->n; i++) {
        const mjtNum *q = &w->d->qpos[7 * i];
        pose[i] = (front_pose){front_v(q[0], q[1], q[2]), {q[3], q[4], q[5], q[6]}};
    }
}

static int contacts(void *self, front_contact *out, int max) {
    world *w = self;
    int n = 0;
    for (int k = 0; k < w->d->ncon && n < max; k++) {
        const mjContact *c = &w->d->contact[k];
        mjtNum force[6];
        int a = w->m->geom_bodyid[c->geom1] - 1, b = w->m->geom_bodyid[c->geom2] - 1;
        double sign = b < 0 ? -1 : 1; /* the force is on the second body, unless that is a half-space */
        front_vec f = front_v(0, 0, 0);
        mj_contactForce(w->m, w->d, k, force);
        if (force[0] <= 0) continue;
        for (int r = 0; r < 3; r++)
            f = front_axpy(f, sign * w->h * force[r],
                           front_v(c->frame[3 * r], c->frame[3 * r + 1], c->frame[3 * r + 2]));
        out[n++] = (front_contact){.a = b < 0 ? a : b,
                                   .b = b < 0 ? b : a,
                                   .on_a = front_v(c->pos[0], c->pos[1], c->pos[2]),
                                   .on_b = front_v(c->pos[0], c->pos[1], c->pos[2]),
                                   .normal = front_scale(sign, front_v(c->frame[0], c->frame[1], c->frame[2])),
                                   .impulse = f};
    }
    return n;
}

static const front_engine engine = {"mujoco", create, weigh, step, poses, contacts, NULL};

int main(int argc, char **argv) { return front_run(&engine, argc, argv); }

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pour_ode.c - pouring with ODE: quickstep (projected Gauss-Seidel, 20 iterations) and step (Lemke's kin, exact and
 * cubic in the contacts). ERP, CFM and the rest as ODE has them by default; no body sleeps. */
#include <math.h>
#include <stdlib.h>

#include <ode/ode.h>

#include "peers.h"

#define PER_PAIR 8 /* contact points */

typedef struct world {
    dWorldID dynamics;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;
    int n, count;
    double h, mu;
    bool quick;
} world;

static int open_worlds;

static void near_pair(void *ctx, dGeomID a, dGeomID b) {
    world *w = ctx;
    dContact c[PER_PAIR];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    int found = dCollide(a, b, PER_PAIR, &c[0].geom, sizeof c[0]);
    for (int k = 0; k < found; k++) {
        c[k].surface.mode = dContactApprox1; /* friction limited by the normal force, as a pyramid */
        c[k].surface.mu = w->mu;
        dJointAttach(dJointCreateContact(w->dynamics, w->contacts, &c[k]), body_a, body_b);
    }
    w->count += found;
}

static void add_grain(world *w, const pour_scene *s, int i) {
    dBodyID b = dBodyCreate(w->dynamics);
    dMass m;
    dGeomID g;
    if (s->cubes) {
        dMassSetBox(&m, s->density, 2 * s->half, 2 * s->half, 2 * s->half);
        g = dCreateBox(w->space, 2 * s->half, 2 * s->half, 2 * s->half);
    } else {
        dMassSetSphere(&m, s->density, s->half);
        g = dCreateSphere(w->space, s->half);
    }
    dBodySetMass(b, &m);
    dGeomSetBody(g, b);
    dBodySetPosition(b, s->start[i].p[0], s->start[i].p[1], s->start[i].p[2]);
    dQuaternion q = {s->start[i].q[0], s->start[i].q[1], s->start[i].q[2], s->start[i].q[3]};
    dBodySetQuaternion(b, q);
    w->body[i] = b;
}

static void *create(const pour_scene *s, bool quick) {
    if (open_worlds++ == 0) dInitODE2(0);
    world *w = peer_memory(1, sizeof *w);
    w->dynamics = dWorldCreate();
    w->space = dHashSpaceCreate(0);
    /* Cells from a grain's size up: those below would stay empty. Walls, which have no end, go to ODE's list of big ones. */
    dHashSpaceSetLevels(w->space, -4, 2);
    w->contacts = dJointGroupCreate(0);
    w->body = peer_memory((size_t)s->n, sizeof *w->body);
    w->n = s->n;
    w->h = s->h;
    w->mu = s->mu;
    w->quick = quick;
    dWorldSetGravity(w->dynamics, 0, 0, -9.81);
    for (int i = 0; i < s->n; i++) add_grain(w, s, i);
    dCreatePlane(w->space, 0, 0, 1, 0);
    if (s->walls) {
        dCreatePlane(w->space, 1, 0, 0, 0);
        dCreatePlane(w->space, 0, 1, 0, 0);
        dCreatePlane(w->space, -1, 0, 0, -s->width);
        dCreatePlane(w->space, 0, -1, 0, -s->width);
    }
    return w;
}

static void *create_quick(const pour_scene *s, const perp_choice *choice, char *why, size_t size) {
    (void)choice, (void)why, (void)size;
    return create(s, true);
}

static void *create_step(const pour_scene *s, const perp_choice *choice, char *why, size_t size) {
    (void)choice, (void)why, (void)size;
    return create(s, false);
}

static bool step(void *self, char *why, size_t size) {
    world *w = self;
    (void)why, (void)size;
    w->count = 0;
    dSpaceCollide(w->space, w, near_pair);
    if (w->quick)
        dWorldQuickStep(w->dynamics, w->h);
    else
        dWorldStep(w->dynamics, w->h);
    dJointGroupEmpty(w->contacts);
    return true;
}

static void read_state(void *self, peer_pose *pose, double *speed, int *contacts) {
    world *w = self;
    *contacts = w->count;
    for (int i = 0; i < w->n; i++) {
        const dReal *p = dBodyGetPosition(w->body[i]), *q = dBodyGetQuaternion(w->body[i]);
        const dReal *v = dBodyGetLinearVel(w->body[i]);
        pose[i] = (peer_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
        speed[i] = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

static void destroy(void *self) {
    world *w = self;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->dynamics);
    free(w->body);
    free(w);
    if (--open_worlds == 0) dCloseODE();
}

const pour_engine pour_ode_quick = {"ode-quick", create_quick, step, read_state, destroy};
const pour_engine pour_ode_step = {"ode-step", create_step, step, read_state, destroy};

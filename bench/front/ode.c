/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ode.c - ODE on a scene of the front
 *
 * Settings: method=quick|step (projected Gauss-Seidel; Lemke's kin, cubic in the contacts), iterations (20, of quick), erp (0.2). Everything
 * else is ODE's default; friction is a pyramid limited by the normal force. No body sleeps. */
#include <stdlib.h>

#include <ode/ode.h>

#include "front.h"

enum { PER_PAIR = 8 }; /* contact points */

typedef struct world {
    const front_scene *scene;
    dWorldID dynamics;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;
    double h;
    bool quick, look;
    /* ODE borrows the arrays of its convex shapes. */
    dReal **planes, **points;
    unsigned int **faces;
    /* of the last step, if it is looked at */
    front_contact *found;
    dJointFeedback *feedback;
    int n, room;
} world;

static int number_of(dBodyID b) { return b ? (int)(intptr_t)dBodyGetData(b) : -1; }

static void keep(world *w, const dContact *c, dJointID joint, dBodyID a, dBodyID b) {
    if (w->n == w->room) return;
    const dReal *p = c->geom.pos, *n = c->geom.normal;
    dJointSetFeedback(joint, &w->feedback[w->n]);
    w->found[w->n++] = (front_contact){.a = number_of(a),
                                       .b = number_of(b),
                                       .on_a = front_v(p[0], p[1], p[2]),
                                       .on_b = front_v(p[0], p[1], p[2]),
                                       .normal = front_v(n[0], n[1], n[2])};
}

static void near_pair(void *ctx, dGeomID ga, dGeomID gb) {
    world *w = ctx;
    dContact c[PER_PAIR];
    if (!dGeomGetBody(ga)) { /* the body comes first, so that the feedback is that on it */
        dGeomID g = ga;
        ga = gb, gb = g;
    }
    dBodyID a = dGeomGetBody(ga), b = dGeomGetBody(gb);
    if (!a) return;
    int found = dCollide(ga, gb, PER_PAIR, &c[0].geom, sizeof c[0]);
    for (int k = 0; k < found; k++) {
        const dReal *n = c[k].geom.normal;
        if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < 0.5)
            continue; /* hulls that only touch: no normal, and NaN if used */
        c[k].surface.mode = dContactApprox1;
        c[k].surface.mu = w->scene->mu;
        dJointID joint = dJointCreateContact(w->dynamics, w->contacts, &c[k]);
        dJointAttach(joint, a, b);
        if (w->look) keep(w, &c[k], joint, a, b);
    }
}

static dGeomID add_hull(world *w, const front_body *b, int i) {
    const front_hull *h = b->hull;
    dReal *plane = front_memory(4 * (size_t)h->nface, sizeof *plane),
          *point = front_memory(3 * (size_t)h->npoint, sizeof *point);
    unsigned int *face = front_memory((size_t)(h->start[h->nface] + h->nface), sizeof *face);
    int at = 0;
    for (int f = 0; f < h->nface; f++) {
        for (int a = 0; a < 3; a++) plane[4 * f + a] = h->normal[f].x[a];
        plane[4 * f + 3] = h->offset[f];
        face[at++] = (unsigned int)(h->start[f + 1] - h->start[f]);
        for (int k = h->start[f]; k < h->start[f + 1]; k++) face[at++] = (unsigned int)h->corner[k];
    }
    for (int k = 0; k < h->npoint; k++)
        for (int a = 0; a < 3; a++) point[3 * k + a] = h->point[k].x[a];
    w->planes[i] = plane, w->points[i] = point, w->faces[i] = face;
    return dCreateConvex(w->space, plane, (unsigned int)h->nface, point, (unsigned int)h->npoint, face);
}

static void add_body(world *w, const front_body *b, int i) {
    dBodyID body = w->body[i] = dBodyCreate(w->dynamics);
    dMass m;
    dGeomID g = b->kind == FRONT_SPHERE ? dCreateSphere(w->space, b->radius)
                : b->kind == FRONT_BOX  ? dCreateBox(w->space, 2 * b->half.x[0], 2 * b->half.x[1], 2 * b->half.x[2])
                                        : add_hull(w, b, i);
    dQuaternion q = {b->pose.q[0], b->pose.q[1], b->pose.q[2], b->pose.q[3]};
    dMassSetParameters(&m, b->mass, 0, 0, 0, b->inertia.x[0], b->inertia.x[1], b->inertia.x[2], 0, 0, 0);
    dBodySetMass(body, &m);
    dGeomSetBody(g, body);
    dBodySetData(body, (void *)(intptr_t)i);
    dBodySetPosition(body, b->pose.p.x[0], b->pose.p.x[1], b->pose.p.x[2]);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, b->v.x[0], b->v.x[1], b->v.x[2]);
    dBodySetAngularVel(body, b->w.x[0], b->w.x[1], b->w.x[2]);
    dBodySetGravityMode(body, b->start <= 0);
}

static void *create(const front_scene *s, double h, front_settings *settings) {
    static const char *const methods[] = {"quick", "step", NULL};
    world *w = front_memory(1, sizeof *w);
    dInitODE2(0);
    w->scene = s;
    w->h = h;
    w->quick = front_word(settings, "method", methods) == 0;
    w->dynamics = dWorldCreate();
    if (s->n < 50) {
        w->space = dSimpleSpaceCreate(0);
    } else { /* cells from a grain's size up; half-spaces go to ODE's list of big ones */
        w->space = dHashSpaceCreate(0);
        dHashSpaceSetLevels(w->space, -4, 2);
    }
    w->contacts = dJointGroupCreate(0);
    w->body = front_memory((size_t)s->n, sizeof *w->body);
    w->planes = front_memory((size_t)s->n, sizeof *w->planes);
    w->points = front_memory((size_t)s->n, sizeof *w->points);
    w->faces = front_memory((size_t)s->n, sizeof *w->faces);
    w->room = 40 * s->n + 100;
    w->found = front_memory((size_t)w->room, sizeof *w->found);
    w->feedback = front_memory((size_t)w->room, sizeof *w->feedback);
    dWorldSetGravity(w->dynamics, s->gravity.x[0], s->gravity.x[1], s->gravity.x[2]);
    dWorldSetQuickStepNumIterations(w->dynamics, (int)front_number(settings, "iterations", 20));
    dWorldSetERP(w->dynamics, front_number(settings, "erp", dWorldGetERP(w->dynamics)));
    for (int i = 0; i < s->n; i++) add_body(w, &s->body[i], i);
    for (int k = 0; k < s->nplane; k++)
        dCreatePlane(w->space, s->plane[k].normal.x[0], s->plane[k].normal.x[1], s->plane[k].normal.x[2],
                     s->plane[k].offset);
    return w;
}

static void weigh(void *self, int i) { dBodySetGravityMode(((world *)self)->body[i], 1); }

static bool step(void *self, bool look) {
    world *w = self;
    w->look = look;
    w->n = 0;
    dSpaceCollide(w->space, w, near_pair);
    if (w->quick)
        dWorldQuickStep(w->dynamics, w->h);
    else
        dWorldStep(w->dynamics, w->h);
    dJointGroupEmpty(w->contacts);
    return true;
}

static void poses(void *self, front_pose *pose) {
    world *w = self;
    for (int i = 0; i < w->scene->n; i++) {
        const dReal *p = dBodyGetPosition(w->body[i]), *q = dBodyGetQuaternion(w->body[i]);
        pose[i] = (front_pose){front_v(p[0], p[1], p[2]), {q[0], q[1], q[2], q[3]}};
    }
}

static int contacts(void *self, front_contact *out, int max) {
    world *w = self;
    int n = w->n < max ? w->n : max;
    for (int k = 0; k < n; k++) {
        const dReal *f = w->feedback[k].f1;
        out[k] = w->found[k];
        out[k].impulse = front_v(w->h * f[0], w->h * f[1], w->h * f[2]);
    }
    return n;
}

static const front_engine engine = {"ode", create, weigh, step, poses, contacts, NULL};

int main(int argc, char **argv) { return front_run(&engine, argc, argv); }

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pour_bullet.cpp - pouring with Bullet: its default solver (sequential impulses, 10 iterations), no body sleeps. */
#include <cmath>
#include <cstdio>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "bullet.hpp"
#include "peers.h"

namespace {

struct world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase tree;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld dynamics{&dispatcher, &tree, &solver, &configuration};
    std::vector<btCollisionShape *> shape;
    std::vector<btRigidBody *> body; /* grains first, then floor and walls */
    int n = 0;
    btScalar h = 0;
};

btRigidBody *add_body(world *w, btScalar mass, const btVector3 &inertia, btCollisionShape *shape, const btTransform &X,
                      double mu) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = X;
    info.m_friction = bullet_number(std::sqrt(mu)); /* Bullet multiplies those of the two bodies */
    info.m_restitution = 0;
    btRigidBody *b = new btRigidBody(info);
    b->setActivationState(DISABLE_DEACTIVATION); /* a settled step is to be computed, not skipped */
    w->dynamics.addRigidBody(b);
    w->body.push_back(b);
    return b;
}

void add_plane(world *w, btScalar x, btScalar y, btScalar z, double offset, double mu) {
    w->shape.push_back(new btStaticPlaneShape(btVector3(x, y, z), bullet_number(offset)));
    add_body(w, 0, btVector3(0, 0, 0), w->shape.back(), btTransform::getIdentity(), mu);
}

void *create(const pour_scene *s, const perp_choice *, char *, std::size_t) {
    world *w = new world;
    const btScalar half = bullet_number(s->half);
    btCollisionShape *grain = s->cubes ? static_cast<btCollisionShape *>(new btBoxShape(btVector3(half, half, half)))
                                       : new btSphereShape(half);
    const double volume = s->cubes ? 8 * std::pow(s->half, 3) : 4.1887902047863905 * std::pow(s->half, 3);
    const btScalar mass = bullet_number(s->density * volume);
    btVector3 inertia;
    gDbvtMargin = 0.05f; /* Bullet's default */
    w->shape.push_back(grain);
    w->n = s->n;
    w->h = bullet_number(s->h);
    grain->calculateLocalInertia(mass, inertia);
    w->dynamics.setGravity(btVector3(0, 0, -9.81f));
    for (int i = 0; i < s->n; i++) add_body(w, mass, inertia, grain, bullet_transform(s->start[i]), s->mu);
    add_plane(w, 0, 0, 1, 0, s->mu);
    if (s->walls) {
        add_plane(w, 1, 0, 0, 0, s->mu);
        add_plane(w, 0, 1, 0, 0, s->mu);
        add_plane(w, -1, 0, 0, -s->width, s->mu);
        add_plane(w, 0, -1, 0, -s->width, s->mu);
    }
    return w;
}

bool step(void *self, char *, std::size_t) {
    world *w = static_cast<world *>(self);
    w->dynamics.stepSimulation(w->h, 0); /* 0: one step of just this length */
    return true;
}

void read(void *self, peer_pose *pose, double *speed, int *contacts) {
    world *w = static_cast<world *>(self);
    *contacts = 0;
    for (int i = 0; i < w->n; i++) {
        const btRigidBody *b = w->body.data()[i];
        const btTransform &X = b->getWorldTransform();
        const btVector3 p = X.getOrigin();
        const btQuaternion q = X.getRotation();
        pose[i] = peer_pose{{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}};
        speed[i] = b->getLinearVelocity().length();
    }
    for (int k = 0; k < w->dispatcher.getNumManifolds(); k++)
        *contacts += w->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
}

void destroy(void *self) {
    world *w = static_cast<world *>(self);
    for (btRigidBody *b : w->body) {
        w->dynamics.removeRigidBody(b);
        delete b;
    }
    for (btCollisionShape *s : w->shape) delete s;
    delete w;
}

} // namespace

extern "C" const pour_engine pour_bullet = {"bullet", create, step, read, destroy};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* bullet.cpp - Bullet on a scene of the front
 *
 * Settings: solver=impulses|nncg|dantzig (sequential impulses; nonlinear conjugate gradients; pivoting), iterations (10), split (1: position errors are corrected
 * beside the velocities; 0: within them). Everything else is Bullet's default. A hull is shrunk by its margin, so that with the margin
 * it has the size that the scene says. No body sleeps. Debian's Bullet computes in single precision. */
#include <cstdio>
#include <memory>
#include <vector>

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <LinearMath/btConvexHullComputer.h>
#include <btBulletDynamicsCommon.h>

#include "front.h"

namespace {

const btScalar hull_margin =
    btScalar(0.01); /* Bullet's own 0.04 m is meant for bodies of a metre and more; the hulls here have 0.5 m */

btScalar number(double x) { return static_cast<btScalar>(x); }
btVector3 vec(const front_vec &v) { return btVector3(number(v.x[0]), number(v.x[1]), number(v.x[2])); }
front_vec back(const btVector3 &v) { return front_v(v.x(), v.y(), v.z()); }

struct world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase tree;
    btDantzigSolver dantzig;
    std::unique_ptr<btConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> dynamics;
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> body; /* half-spaces come last */
    const front_scene *scene = nullptr;
    btScalar h = 0;
};

btCollisionShape *make_hull(const front_hull *h) {
    btConvexHullComputer smaller;
    std::vector<double> point;
    for (int k = 0; k < h->npoint; k++) point.insert(point.end(), h->point[k].x, h->point[k].x + 3);
    smaller.compute(point.data(), 3 * sizeof(double), h->npoint, hull_margin, 0);
    auto *shape = new btConvexHullShape;
    for (int k = 0; k < smaller.vertices.size(); k++) shape->addPoint(smaller.vertices[k], false);
    shape->recalcLocalAabb();
    shape->setMargin(hull_margin);
    return shape;
}

btRigidBody *add(world *w, btCollisionShape *shape, double mass, const btVector3 &inertia, int number_of) {
    w->shape.emplace_back(shape);
    btRigidBody::btRigidBodyConstructionInfo info(number(mass), nullptr, shape, inertia);
    info.m_friction = number(std::sqrt(w->scene->mu)); /* Bullet multiplies those of the two bodies */
    info.m_restitution = 0;
    w->body.emplace_back(new btRigidBody(info));
    btRigidBody *b = w->body.back().get();
    b->setUserIndex(number_of);
    b->setActivationState(DISABLE_DEACTIVATION);
    return b;
}

void add_body(world *w, const front_body &b, int i) {
    btCollisionShape *shape = b.kind == FRONT_SPHERE
                                  ? static_cast<btCollisionShape *>(new btSphereShape(number(b.radius)))
                              : b.kind == FRONT_BOX ? new btBoxShape(vec(b.half))
                                                    : make_hull(b.hull);
    btRigidBody *body = add(w, shape, b.mass, vec(b.inertia), i);
    const double *q = b.pose.q;
    const btTransform X(btQuaternion(number(q[1]), number(q[2]), number(q[3]), number(q[0])), vec(b.pose.p));
    body->setWorldTransform(X);
    body->setInterpolationWorldTransform(X);
    body->setLinearVelocity(vec(b.v));
    body->setAngularVelocity(vec(b.w));
    w->dynamics->addRigidBody(body);
    if (b.start > 0) body->setGravity(btVector3(0, 0, 0));
}

void *create(const front_scene *s, double h, front_settings *settings) {
    static const char *const solvers[] = {"impulses", "nncg", "dantzig", nullptr};
    world *w = new world;
    const int solver = front_word(settings, "solver", solvers);
    w->scene = s;
    w->h = number(h);
    if (solver == 2)
        w->solver.reset(new btMLCPSolver(&w->dantzig));
    else if (solver == 1)
        w->solver.reset(new btNNCGConstraintSolver);
    else
        w->solver.reset(new btSequentialImpulseConstraintSolver);
    w->dynamics.reset(new btDiscreteDynamicsWorld(&w->dispatcher, &w->tree, w->solver.get(), &w->configuration));
    btContactSolverInfo &info = w->dynamics->getSolverInfo();
    info.m_numIterations = static_cast<int>(front_number(settings, "iterations", info.m_numIterations));
    info.m_splitImpulse = front_number(settings, "split", info.m_splitImpulse) > 0;
    if (solver == 2) info.m_minimumSolverBatchSize = 1; /* the islands one by one: the method is cubic */
    w->dynamics->setGravity(vec(s->gravity));
    for (int i = 0; i < s->n; i++) add_body(w, s->body[i], i);
    for (int k = 0; k < s->nplane; k++)
        w->dynamics->addRigidBody(add(w, new btStaticPlaneShape(vec(s->plane[k].normal), number(s->plane[k].offset)), 0,
                                      btVector3(0, 0, 0), -1));
    return w;
}

void weigh(void *self, int i) {
    world *w = static_cast<world *>(self);
    w->body[static_cast<std::size_t>(i)]->setGravity(vec(w->scene->gravity));
}

bool step(void *self, bool) {
    world *w = static_cast<world *>(self);
    w->dynamics->stepSimulation(w->h, 0); /* 0: one step of just this length */
    return true;
}

void poses(void *self, front_pose *pose) {
    world *w = static_cast<world *>(self);
    for (int i = 0; i < w->scene->n; i++) {
        const btTransform &X = w->body[static_cast<std::size_t>(i)]->getWorldTransform();
        const btQuaternion q = X.getRotation();
        pose[i] = front_pose{back(X.getOrigin()), {q.w(), q.x(), q.y(), q.z()}};
    }
}

int contacts(void *self, front_contact *out, int max) {
    world *w = static_cast<world *>(self);
    int n = 0;
    for (int m = 0; m < w->dispatcher.getNumManifolds(); m++) {
        const btPersistentManifold *pair = w->dispatcher.getManifoldByIndexInternal(m);
        const int a = pair->getBody0()->getUserIndex(), b = pair->getBody1()->getUserIndex();
        for (int k = 0; k < pair->getNumContacts() && n < max; k++) {
            const btManifoldPoint &p = pair->getContactPoint(k);
            const btVector3 f = p.m_appliedImpulse * p.m_normalWorldOnB +
                                p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                                p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2;
            const double sign = a < 0 ? -1 : 1; /* the impulse is on the first body, unless that is a half-space */
            if (p.m_appliedImpulse <= 0) continue;
            const front_vec on_0 = back(p.getPositionWorldOnA()), on_1 = back(p.getPositionWorldOnB());
            out[n++] = front_contact{a < 0 ? b : a,
                                     a < 0 ? a : b,
                                     a < 0 ? on_1 : on_0,
                                     a < 0 ? on_0 : on_1,
                                     front_scale(sign, back(p.m_normalWorldOnB)),
                                     front_scale(sign, back(f))};
        }
    }
    return n;
}

const front_engine engine = {"bullet", create, weigh, step, poses, contacts, nullptr};

} // namespace

int main(int argc, char **argv) { return front_run(&engine, argc, argv); }

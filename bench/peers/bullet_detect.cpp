/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* bullet_detect.cpp - Bullet's broad phase and dispatcher, alone and together. */
#include <vector>

#include <LinearMath/btAabbUtil2.h>
#include <btBulletCollisionCommon.h>

#include "bullet.hpp"
#include "peers.h"

struct bullet_broad {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase tree;
    btScalar margin;
    std::vector<btBroadphaseProxy *> proxy;
    std::vector<peer_pair> pair;
};

static btVector3 corner(const float x[3]) { return btVector3(x[0], x[1], x[2]); }

/* A client's pointer has to carry the number of the body. */
static void *as_client(int i) { return reinterpret_cast<void *>(static_cast<std::intptr_t>(i)); }
static int of_client(const btBroadphaseProxy *p) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(p->m_clientObject));
}

bullet_broad *bullet_broad_create(int n, const peer_box *box, double margin, bool deferred) {
    bullet_broad *b = new bullet_broad;
    b->margin = static_cast<btScalar>(margin);
    b->tree.m_deferedcollide = deferred;
    gDbvtMargin = b->margin;
    for (int i = 0; i < n; i++)
        b->proxy.push_back(
            b->tree.createProxy(corner(box[i].lo), corner(box[i].hi), 0, as_client(i), 1, -1, &b->dispatcher));
    b->tree.calculateOverlappingPairs(&b->dispatcher);
    return b;
}

void bullet_broad_step(bullet_broad *b, const peer_box *box) {
    gDbvtMargin = b->margin; /* global in Bullet */
    for (std::size_t i = 0; i < b->proxy.size(); i++)
        b->tree.setAabb(b->proxy[i], corner(box[i].lo), corner(box[i].hi), &b->dispatcher);
    b->tree.calculateOverlappingPairs(&b->dispatcher);
}

int bullet_broad_held(bullet_broad *b) { return b->tree.getOverlappingPairCache()->getNumOverlappingPairs(); }

int bullet_broad_exact(bullet_broad *b, const peer_pair **out) {
    btBroadphasePairArray &all = b->tree.getOverlappingPairCache()->getOverlappingPairArray();
    b->pair.clear();
    for (int k = 0; k < all.size(); k++) {
        const btBroadphaseProxy *x = all[k].m_pProxy0, *y = all[k].m_pProxy1; /* they keep the boxes as given */
        if (!TestAabbAgainstAabb2(x->m_aabbMin, x->m_aabbMax, y->m_aabbMin, y->m_aabbMax)) continue;
        int i = of_client(x), j = of_client(y);
        b->pair.push_back(i < j ? peer_pair{i, j} : peer_pair{j, i});
    }
    *out = b->pair.data();
    return static_cast<int>(b->pair.size());
}

void bullet_broad_destroy(bullet_broad *b) {
    for (btBroadphaseProxy *p : b->proxy) b->tree.destroyProxy(p, &b->dispatcher);
    delete b;
}

/* Two sets of the same cubes. The first has no tree: its pairs are those it was given. The second is a whole world. */
struct bullet_narrow {
    btDefaultCollisionConfiguration configuration, world_configuration;
    btCollisionDispatcher dispatcher{&configuration}, world_dispatcher{&world_configuration};
    btHashedOverlappingPairCache given;
    btDbvtBroadphase tree;
    btCollisionWorld world{&world_dispatcher, &tree, &world_configuration};
    btBoxShape cube{btVector3(0.5f, 0.5f, 0.5f)};
    std::vector<btCollisionObject *> alone, inside;
    std::vector<btBroadphaseProxy *> proxy;
};

static btCollisionObject *new_cube(bullet_narrow *b) {
    btCollisionObject *o = new btCollisionObject;
    o->setCollisionShape(&b->cube);
    o->setCollisionFlags(0); /* neither static nor kinematic: both of a pair may move */
    return o;
}

bullet_narrow *bullet_narrow_create(int n, const peer_pose *pose, int npair, const peer_pair *pair) {
    bullet_narrow *b = new bullet_narrow;
    gDbvtMargin = 0.05f; /* Bullet's default */
    for (int i = 0; i < n; i++) {
        btCollisionObject *o = new_cube(b);
        btBroadphaseProxy *p = new btBroadphaseProxy(btVector3(0, 0, 0), btVector3(0, 0, 0), o, 1, -1);
        b->alone.push_back(o);
        b->inside.push_back(new_cube(b));
        p->m_uniqueId = i + 1;
        b->proxy.push_back(p);
    }
    bullet_narrow_place(b, pose);
    for (btCollisionObject *o : b->inside) b->world.addCollisionObject(o, 1, -1);
    btBroadphaseProxy **proxy = b->proxy.data();
    for (int k = 0; k < npair; k++) b->given.addOverlappingPair(proxy[pair[k].i], proxy[pair[k].j]);
    return b;
}

void bullet_narrow_place(bullet_narrow *b, const peer_pose *pose) {
    for (std::size_t i = 0; i < b->alone.size(); i++) {
        b->alone[i]->setWorldTransform(bullet_transform(pose[i]));
        b->inside[i]->setWorldTransform(bullet_transform(pose[i]));
    }
}

void bullet_narrow_run(bullet_narrow *b) {
    btDispatcherInfo info;
    b->dispatcher.dispatchAllCollisionPairs(&b->given, info, &b->dispatcher);
}

void bullet_detect_run(bullet_narrow *b) {
    gDbvtMargin = 0.05f;
    b->world.performDiscreteCollisionDetection();
}

int bullet_narrow_contacts(bullet_narrow *b, bool whole) {
    btCollisionDispatcher &d = whole ? b->world_dispatcher : b->dispatcher;
    int count = 0;
    for (int k = 0; k < d.getNumManifolds(); k++) count += d.getManifoldByIndexInternal(k)->getNumContacts();
    return count;
}

void bullet_narrow_destroy(bullet_narrow *b) {
    for (btCollisionObject *o : b->inside) {
        b->world.removeCollisionObject(o);
        delete o;
    }
    for (btBroadphaseProxy *p : b->proxy) {
        b->given.removeOverlappingPairsContainingProxy(p, &b->dispatcher);
        delete p;
    }
    for (btCollisionObject *o : b->alone) delete o;
    delete b;
}

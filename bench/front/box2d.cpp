/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* box2d.cpp - Box2D on a planar scene of the front
 *
 * Settings: velocity (8), position (3): iterations, as its manual advises. Everything else is Box2D's default. A polygon of Box2D has a skin; it
 * is moved inwards by the skin's radius, so that with it the polygon has the size that the scene says. No body sleeps. Single precision. */
#include <cmath>
#include <memory>
#include <unordered_map>
#include <vector>

#include <box2d/box2d.h>

#include "front.h"

namespace {

float number(double x) { return static_cast<float>(x); }

struct world : b2ContactListener {
    const front_scene *scene = nullptr;
    std::unique_ptr<b2World> dynamics;
    std::vector<b2Body *> body;
    float h = 0;
    int velocity = 0, position = 0;
    bool look = false;
    std::unordered_map<const b2Contact *, b2WorldManifold> at_start;
    std::vector<front_contact> found;

    void PreSolve(b2Contact *c, const b2Manifold *) override {
        if (look) c->GetWorldManifold(&at_start[c]);
    }
    void PostSolve(b2Contact *c, const b2ContactImpulse *impulse) override;
};

int number_of(b2Fixture *f) { return static_cast<int>(f->GetBody()->GetUserData().pointer) - 1; }

/* Box2D's normal points from A to B; impulses are on B. The tangent is the normal turned by -90 degrees. */
void world::PostSolve(b2Contact *c, const b2ContactImpulse *impulse) {
    auto at = at_start.find(c);
    if (!look || at == at_start.end()) return;
    const int a = number_of(c->GetFixtureA()), b = number_of(c->GetFixtureB());
    const double sign = b < 0 ? -1 : 1;
    const b2Vec2 n = at->second.normal;
    for (int k = 0; k < impulse->count; k++) {
        const double fn = impulse->normalImpulses[k], ft = impulse->tangentImpulses[k];
        const b2Vec2 p = at->second.points[k];
        if (fn <= 0) continue;
        found.push_back(front_contact{b < 0 ? a : b, b < 0 ? b : a, front_v(p.x, p.y, 0), front_v(p.x, p.y, 0),
                                      front_v(sign * n.x, sign * n.y, 0),
                                      front_v(sign * (fn * n.x + ft * n.y), sign * (fn * n.y - ft * n.x), 0)});
    }
}

/* The polygon moved inwards by r: corners where neighbouring sides meet after the move. */
void shrink(const double (*corner)[2], int n, double r, b2Vec2 *out) {
    for (int k = 0; k < n; k++) {
        const double *a = corner[(k + n - 1) % n], *b = corner[k], *c = corner[(k + 1) % n];
        const double d1[2] = {b[0] - a[0], b[1] - a[1]}, d2[2] = {c[0] - b[0], c[1] - b[1]};
        const double l1 = std::hypot(d1[0], d1[1]), l2 = std::hypot(d2[0], d2[1]);
        const double n1[2] = {-d1[1] / l1, d1[0] / l1}, n2[2] = {-d2[1] / l2, d2[0] / l2}; /* inwards */
        const double t = r / (1 + n1[0] * n2[0] + n1[1] * n2[1]);
        out[k].Set(number(b[0] + t * (n1[0] + n2[0])), number(b[1] + t * (n1[1] + n2[1])));
    }
}

void add_fixture(world *w, b2Body *body, const double (*corner)[2], int n) {
    b2Vec2 point[b2_maxPolygonVertices];
    b2PolygonShape shape;
    b2FixtureDef d;
    if (n > b2_maxPolygonVertices) front_die("box2d", "a polygon has more than eight corners");
    shrink(corner, n, b2_polygonRadius, point);
    shape.Set(point, n);
    d.shape = &shape;
    d.density = 1;
    d.friction = number(w->scene->mu); /* of two bodies: the root of the product */
    body->CreateFixture(&d);
}

void add_body(world *w, const front_body &b, int i) {
    double corner[FRONT_POINTS][2];
    b2BodyDef d;
    b2MassData mass;
    d.type = b2_dynamicBody;
    d.position.Set(number(b.pose.p.x[0]), number(b.pose.p.x[1]));
    d.angle = number(2 * std::atan2(b.pose.q[3], b.pose.q[0]));
    d.linearVelocity.Set(number(b.v.x[0]), number(b.v.x[1]));
    d.angularVelocity = number(b.w.x[2]);
    d.allowSleep = false;
    d.gravityScale = b.start > 0 ? 0 : 1;
    d.userData.pointer = static_cast<uintptr_t>(i + 1); /* 0: a half-space */
    b2Body *body = w->dynamics->CreateBody(&d);
    const int n = front_outline(&b, corner);
    add_fixture(w, body, corner, n);
    mass.mass = number(b.mass);
    mass.center.Set(0, 0);
    mass.I = number(b.inertia.x[2]);
    body->SetMassData(&mass);
    w->body.push_back(body);
}

/* A half-space: a rectangle of 200 m by 20 m. */
void add_plane(world *w, const front_plane &p) {
    const double n[2] = {p.normal.x[0], p.normal.x[1]}, corner[4][2] = {{-100, -20}, {100, -20}, {100, 0}, {-100, 0}};
    b2BodyDef d;
    d.position.Set(number(n[0] * p.offset), number(n[1] * p.offset));
    d.angle = number(std::atan2(-n[0], n[1])); /* turns +y into the normal */
    add_fixture(w, w->dynamics->CreateBody(&d), corner, 4);
}

void *create(const front_scene *s, double h, front_settings *settings) {
    if (!s->planar) front_die("box2d", "takes planar scenes only");
    world *w = new world;
    w->scene = s;
    w->h = number(h);
    w->velocity = static_cast<int>(front_number(settings, "velocity", 8));
    w->position = static_cast<int>(front_number(settings, "position", 3));
    w->dynamics.reset(new b2World(b2Vec2(number(s->gravity.x[0]), number(s->gravity.x[1]))));
    w->dynamics->SetContactListener(w);
    for (int k = 0; k < s->nplane; k++) add_plane(w, s->plane[k]);
    for (int i = 0; i < s->n; i++) add_body(w, s->body[i], i);
    return w;
}

void weigh(void *self, int i) { static_cast<world *>(self)->body[static_cast<std::size_t>(i)]->SetGravityScale(1); }

bool step(void *self, bool look) {
    world *w = static_cast<world *>(self);
    w->look = look;
    w->at_start.clear();
    w->found.clear();
    w->dynamics->Step(w->h, w->velocity, w->position);
    return true;
}

void poses(void *self, front_pose *pose) {
    world *w = static_cast<world *>(self);
    for (int i = 0; i < w->scene->n; i++) {
        const b2Body *b = w->body[static_cast<std::size_t>(i)];
        const double half = 0.5 * b->GetAngle();
        pose[i] = front_pose{front_v(b->GetWorldCenter().x, b->GetWorldCenter().y, 0),
                             {std::cos(half), 0, 0, std::sin(half)}};
    }
}

int contacts(void *self, front_contact *out, int max) {
    world *w = static_cast<world *>(self);
    int n = 0;
    for (const front_contact &c : w->found)
        if (n < max) out[n++] = c;
    return n;
}

const front_engine engine = {"box2d", create, weigh, step, poses, contacts, nullptr};

} // namespace

int main(int argc, char **argv) { return front_run(&engine, argc, argv); }

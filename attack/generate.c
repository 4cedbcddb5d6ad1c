/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* generate.c - a random scene from a seed, as the text of a scene file
 *
 * Bodies start in the cells of a grid, so that none overlap; joints and springs link neighbours. Weights are such that about half of
 * the scenes use the default stages, the others any stepper, model and form. A scene that the library refuses because
 * its parts do not go together is drawn again by the caller with another seed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "uniform.h"

const char attack_mesh[] =
    "# an L of two bars\n"
    "v -0.1 -0.1 -0.05\nv 0.1 -0.1 -0.05\nv 0.1 0 -0.05\nv 0 0 -0.05\nv 0 0.1 -0.05\nv -0.1 0.1 -0.05\n"
    "v -0.1 -0.1 0.05\nv 0.1 -0.1 0.05\nv 0.1 0 0.05\nv 0 0 0.05\nv 0 0.1 0.05\nv -0.1 0.1 0.05\n"
    "f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\n"
    "f 5 6 12 11\nf 6 1 7 12\n";

#define CELL    0.32 /* distance of two places of the grid [L] */
#define LARGEST 0.13 /* half of the largest body [L] */
#define START   0.35 /* height of the lowest bodies above the floor [L] */

typedef struct maker {
    uint64_t random;
    uint64_t belts; /* random numbers of their own, so that the rest of a scene is the same with and without belts */
    uint64_t rolls; /* the same for rolling friction */
    char *out;
    size_t used;
    const char *mesh;
    attack_facts *facts;
    int dim, bodies, columns, fixed; /* fixed: bodies of the surroundings, first in the list */
    double h;
    double lift; /* of the bodies, so that none is in an inclined floor [L] */
    bool round_only, implicit, soft, supported;
    bool still; /* without inertia */
    bool rests; /* without inertia, under gravity: bodies start at rest on a level floor, or there is no equilibrium */
    bool centred[64]; /* is the centre of mass at the origin of the body's frame? */
    perp_vec3 at[64];
} maker;

static void say(maker *m, const char *format, ...) PERP_PRINTF(2, 3);
static void say(maker *m, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(m->out + m->used, ATTACK_TEXT - m->used, format, args);
    va_end(args);
    if (n > 0 && m->used + (size_t)n < ATTACK_TEXT) m->used += (size_t)n;
}

static double draw(maker *m, double lo, double hi) { return scene_uniform(&m->random, lo, hi); }
static bool chance(maker *m, double p) { return draw(m, 0, 1) < p; }
static int pick(maker *m, int n) {
    int k = (int)draw(m, 0, n);
    return k < n ? k : n - 1;
}

/* A vector of the scene's dimension. */
static void vector(maker *m, const char *key, double x, double y, double z) {
    if (m->dim == 2)
        say(m, "%s: [%.9g, %.9g]", key, x, y);
    else
        say(m, "%s: [%.9g, %.9g, %.9g]", key, x, y, z);
}

/* The same of horizontal and vertical parts. */
static void upright(maker *m, const char *key, double x, double y, double up) {
    if (m->dim == 2)
        vector(m, key, x, up, 0);
    else
        vector(m, key, x, y, up);
}

static void any_vector(maker *m, const char *key, double size) {
    double x = draw(m, -size, size), y = draw(m, -size, size), z = draw(m, -size, size);
    vector(m, key, x, y, z);
}

static void any_turn(maker *m) {
    double angle = draw(m, 0, 3.1);
    if (m->dim == 2) {
        say(m, "turn: %.9g", angle);
        return;
    }
    say(m, "turn: {");
    any_vector(m, "axis", 1);
    say(m, ", angle: %.9g}", angle);
}

/* ---- shapes ---- */

static double size_of(maker *m) { return chance(m, 0.1) ? draw(m, 0.01, 0.03) : draw(m, 0.04, LARGEST); }

static bool implicit_shape(maker *m) {
    double r = size_of(m);
    switch (pick(m, 3)) {
    case 0: say(m, "shape: {type: sphere, radius: %.9g}", r); break;
    case 1:
        say(m, "shape: {type: ellipsoid, ");
        vector(m, "axes", r, r * draw(m, 0.5, 1), r * draw(m, 0.5, 1));
        say(m, "}");
        break;
    default:
        say(m, "shape: {type: superellipsoid, powers: %d, ", 2 + 2 * pick(m, 3));
        vector(m, "axes", r * 0.7, r * draw(m, 0.4, 0.7), r * draw(m, 0.4, 0.7));
        say(m, "}");
    }
    return true;
}

static bool flat_shape(maker *m) {
    double r = size_of(m);
    switch (pick(m, 6)) {
    case 0: say(m, "shape: {type: sphere, radius: %.9g}", r); return true;
    case 1: say(m, "shape: {type: capsule, radius: %.9g, length: %.9g}", 0.4 * r, 1.1 * r); return true;
    case 2: say(m, "shape: {type: regular, radius: %.9g, sides: %d}", r, 3 + pick(m, 6)); return true;
    case 3:
        say(m, "shape: {type: polygon, points: {random: %d, in: [%.9g, %.9g]}}", 4 + pick(m, 8), 0.7 * r, 0.5 * r);
        return false;
    case 4: {
        double a = 0.6 * r, b = a * draw(m, -0.5, 0.4);
        say(m,
            "shape: {type: polygon, parts: cut, points: [[%.9g, %.9g], [%.9g, %.9g], [%.9g, %.9g], [%.9g, %.9g], "
            "[%.9g, %.9g], [%.9g, %.9g]]}",
            -a, -a, a, -a, a, b, b, b, b, a, -a, a);
        return false;
    }
    default: say(m, "shape: {type: box, size: [%.9g, %.9g]}", 1.4 * r, 1.4 * r * draw(m, 0.15, 1)); return true;
    }
}

static bool solid_shape(maker *m) {
    double r = size_of(m);
    switch (pick(m, 10)) {
    case 0:
    case 1: say(m, "shape: {type: sphere, radius: %.9g}", r); return true;
    case 2: say(m, "shape: {type: capsule, radius: %.9g, length: %.9g}", 0.4 * r, 1.1 * r); return true;
    case 3:
        say(m, "shape: {type: prism, radius: %.9g, height: %.9g, sides: %d}", 0.7 * r, r, 3 + pick(m, 5));
        return true;
    case 4: {
        static const char *const solid[] = {"tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron"};
        say(m, "shape: {type: platonic, radius: %.9g, solid: %s}", r, solid[pick(m, 5)]);
        return true;
    }
    case 5:
        say(m, "shape: {type: polyhedron, points: {random: %d, in: [%.9g, %.9g, %.9g]}}", 6 + pick(m, 8), 0.5 * r,
            0.5 * r, 0.4 * r);
        return false;
    case 6:
        if (chance(m, 0.5)) {
            say(m, "shape: {type: mesh, parts: cut, file: %s, scale: %.9g}", m->mesh, r / 0.16);
            return false;
        }
        say(m, "shape: {type: cylinder, radius: %.9g, height: %.9g, sides: 16}", 0.6 * r, r);
        return true;
    case 7:
        say(m, "shapes: [{type: box, size: [%.9g, %.9g, %.9g]}, {type: box, size: [%.9g, %.9g, %.9g]}]", 1.6 * r,
            0.3 * r, 0.3 * r, 0.3 * r, 1.2 * r, 0.3 * r);
        return true;
    default:
        say(m, "shape: {type: box, size: [%.9g, %.9g, %.9g]}", 1.1 * r, 1.1 * r * draw(m, 0.1, 1),
            1.1 * r * draw(m, 0.3, 1));
        return true;
    }
}

/* @return is the centre of mass at the origin? */
static bool any_shape(maker *m) {
    if (m->implicit) return implicit_shape(m);
    if (m->round_only) {
        say(m, "shape: {type: sphere, radius: %.9g}", size_of(m));
        return true;
    }
    return m->dim == 2 ? flat_shape(m) : solid_shape(m);
}

/* A sphere or an upright box. @return how high its centre is when it stands on the floor. */
static double standing_shape(maker *m) {
    double r = size_of(m);
    if (m->round_only || chance(m, 0.3)) {
        say(m, "shape: {type: sphere, radius: %.9g}", r);
        return r;
    }
    double x = 1.1 * r, y = x * draw(m, 0.3, 1), up = x * draw(m, 0.1, 1);
    say(m, "shape: {type: box, ");
    upright(m, "size", x, y, up);
    say(m, "}");
    return up / 2;
}

/* ---- what stands around ---- */

static void box(maker *m, double x, double y, double up) {
    say(m, "shape: {type: box, ");
    upright(m, "size", x, y, up);
    say(m, "}");
}

/* The motion of a driven floor, plate or wall. */
static void motion(maker *m) {
    double a = draw(m, 0.002, 0.05), omega = draw(m, 3, 40), rate = draw(m, -6, 6);
    m->facts->driven = true;
    int kind = pick(m, 5);
    if (m->rests && (kind == 4 || (kind == 0 && m->dim == 2))) kind = 1; /* what stands on it would slide down */
    switch (kind) {
    case 0: /* turns */
        if (m->dim == 2)
            say(m, "motion: {type: constant, spin: %.9g}", 0.3 * rate);
        else
            say(m, "motion: {type: constant, spin: [0, 0, %.9g]}", rate);
        break;
    case 1: /* rises or slides */
        say(m, "motion: {type: constant, ");
        upright(m, "velocity", rate / 12, 0.2, omega / 80);
        say(m, "}");
        break;
    case 2: /* vibrates upwards */
        if (m->dim == 2)
            say(m, "motion: {type: expression, at: [0, \"-0.1 + %.9g*sin(%.9g*t)\"]}", a, omega);
        else
            say(m, "motion: {type: expression, at: [0, 0, \"-0.1 + %.9g*sin(%.9g*t)\"]}", a, omega);
        break;
    case 3: /* shakes sideways */
        say(m, "motion: {type: sinusoid, terms: [{axis: x, amplitude: %.9g, omega: %.9g}]}", a * omega * omega, omega);
        break;
    default: /* rocks */
        say(m, "motion: {type: sinusoid, terms: [{axis: %s, angular: true, amplitude: %.9g, omega: %.9g}]}",
            m->dim == 2 ? "z" : "x", 0.1 * omega * omega * draw(m, 0.1, 1), omega);
    }
}

/* Some surfaces run: a key more of a shape. */
static void belt(maker *m) {
    if (!(scene_uniform(&m->belts, 0, 1) < 0.12)) return;
    double x = scene_uniform(&m->belts, -2, 2), y = scene_uniform(&m->belts, -2, 2), z = scene_uniform(&m->belts, -2, 2);
    double omega = scene_uniform(&m->belts, 1, 20);
    char swing[40] = "";
    if (scene_uniform(&m->belts, 0, 1) < 0.3) snprintf(swing, sizeof swing, "*sin(%.9g*t)", omega);
    say(m, ", surface_velocity: [\"%.9g%s\", %.9g", x, swing, y);
    if (m->dim == 3) say(m, ", %.9g", z);
    say(m, "]");
    m->facts->driven = true;
}

/* Bodies of a level. */
static int per_level(const maker *m) { return m->dim == 2 ? m->columns : m->columns * m->columns; }

static void surroundings(maker *m) {
    m->fixed = 0;
    m->lift = 0;
    bool plate = chance(m, 0.3) && !m->implicit;
    if (chance(m, 0.93) || m->rests) {
        say(m, "  - {name: floor, kind: %s, ", plate ? "kinematic" : "obstacle");
        upright(m, "at", 0, 0, plate ? -0.1 : 0);
        say(m, ", ");
        if (plate) {
            box(m, 4, 4, 0.2);
            say(m, ", ");
            motion(m);
        } else {
            double tilt = chance(m, 0.3) ? draw(m, -0.5, 0.5) : 0;
            if (m->rests) tilt = 0;
            m->lift = m->columns * CELL / 2 * tan(fabs(tilt));
            say(m, "shape: {type: halfspace, ");
            upright(m, "normal", sin(tilt), 0, cos(tilt));
            belt(m);
            say(m, "}");
        }
        say(m, "}\n");
        m->fixed++;
    }
    double top = START + m->lift + CELL * (1 + (m->bodies - 1) / per_level(m));
    for (int k = 0; k < 2 && chance(m, 0.4); k++) {
        bool driven = chance(m, 0.2);
        double side = k ? 1 : -1, lean = chance(m, 0.3) ? draw(m, -0.2, 0.5) : 0;
        double wall = m->columns * CELL / 2 + 0.2 + fmax(0, -lean) * top; /* no body is in it at the start */
        say(m, "  - {name: wall%d, kind: %s, ", k, driven ? "kinematic" : "obstacle");
        upright(m, "at", side * wall, 0, 0);
        say(m, ", shape: {type: halfspace, ");
        upright(m, "normal", -side, 0, lean);
        belt(m);
        say(m, "}");
        if (driven) {
            m->facts->driven = true;
            say(m, ", motion: {type: constant, ");
            upright(m, "velocity", -side * draw(m, 0.01, 0.6), 0, 0);
            say(m, "}");
        }
        say(m, "}\n");
        m->fixed++;
    }
}

/* ---- bodies ---- */

/* One that stands on the floor. */
static void standing_body(maker *m, int i, double ratio) {
    double half = (m->columns - 1) * CELL / 2, x = (i % m->columns) * CELL - half,
           y = m->dim == 2 ? 0 : (i / m->columns) * CELL - half;
    say(m, "  - {name: b%d, density: %.9g, ", i, (m->dim == 2 ? 100 : 1000) * pow(ratio, draw(m, 0, 1)));
    if (m->dim == 3 && chance(m, 0.5)) say(m, "turn: {axis: [0, 0, 1], angle: %.9g}, ", draw(m, 0, 3.1));
    double up = standing_shape(m);
    say(m, ", ");
    upright(m, "at", x, y, up);
    say(m, "}\n");
    m->at[i] = m->dim == 2 ? perp_v3(x, up, 0) : perp_v3(x, y, up);
    m->centred[i] = true;
}

static void body(maker *m, int i, double ratio) {
    int level = i / per_level(m), k = i % per_level(m);
    double half = (m->columns - 1) * CELL / 2, j = 0.5 * (CELL - 2 * LARGEST) * 0.9;
    double x = (k % m->columns) * CELL - half + draw(m, -j, j),
           y = m->dim == 2 ? 0 : (k / m->columns) * CELL - half + draw(m, -j, j);
    double up = START + m->lift + level * CELL + draw(m, -j, j);
    m->at[i] = m->dim == 2 ? perp_v3(x, up, 0) : perp_v3(x, y, up);
    say(m, "  - {name: b%d, ", i);
    upright(m, "at", x, y, up);
    say(m, ", ");
    if (chance(m, 0.8)) {
        any_turn(m);
        say(m, ", ");
    }
    if (chance(m, 0.4)) {
        any_vector(m, "velocity", chance(m, 0.1) ? 15 : 2);
        say(m, ", ");
    }
    if (chance(m, 0.3)) {
        if (m->dim == 2)
            say(m, "spin: %.9g, ", draw(m, -10, 10));
        else
            any_vector(m, "spin", 8), say(m, ", ");
    }
    say(m, "density: %.9g, ", (m->dim == 2 ? 100 : 1000) * pow(ratio, draw(m, 0, 1)));
    if (m->supported) say(m, "support: {type: circle, radius: 0.05, angle: 0.3, mu: 0.3}, ");
    m->centred[i] = any_shape(m);
    say(m, "}\n");
}

/* ---- joints and forces ---- */

static void axis_extras(maker *m, bool angle) {
    int n = m->facts->njoint;
    if (chance(m, 0.35)) {
        double lo = -draw(m, 0.05, angle ? 1.2 : 0.3), hi = draw(m, 0.05, angle ? 1.2 : 0.3);
        say(m, ", limits: [%.9g, %.9g]", lo, hi);
        m->facts->joint[n].lo = lo;
        m->facts->joint[n].hi = hi;
        m->facts->lossless = false;
    }
    if (chance(m, 0.25)) {
        say(m, ", motor: {speed: %.9g", draw(m, -4, 4));
        if (chance(m, 0.7)) say(m, ", force: %.9g", pow(10, draw(m, -2, 2)));
        say(m, "}");
        m->facts->driven = true;
    }
    if (chance(m, 0.3)) {
        double k = pow(10, draw(m, -1, 3)), rest = draw(m, -0.2, 0.2), damping = chance(m, 0.5) ? draw(m, 0, 2) : 0;
        say(m, ", spring: {stiffness: %.9g, rest: %.9g, damping: %.9g}", k, rest, damping);
        m->facts->joint[n].stiffness = k;
        m->facts->joint[n].rest = rest;
        m->facts->lossless = false; /* implicit: the spring itself damps */
    }
    if (chance(m, 0.2)) {
        say(m, ", friction: %.9g", draw(m, 0, 2));
        m->facts->lossless = false;
    }
}

static void joint(maker *m, int a, int b) {
    static const char *const kind[] = {"revolute",  "revolute",    "prismatic", "fixed",
                                       "spherical", "cylindrical", "universal", "planar"};
    int k = pick(m, m->dim == 2 ? 4 : 8), n = m->facts->njoint;
    if (n >= ATTACK_JOINTS) return;
    if (n == 0) say(m, "joints:\n");
    perp_vec3 p = m->at[b],
              q = a < 0 ? perp_v3_add(p, perp_v3(draw(m, -0.2, 0.2), draw(m, -0.2, 0.2), m->dim == 3 ? 0.1 : 0))
                        : m->at[a];
    m->facts->joint[n].lo = -INFINITY;
    m->facts->joint[n].hi = INFINITY;
    m->facts->joint[n].collide = chance(m, 0.15);
    say(m, "  - {name: j%d, type: %s, b: b%d, ", n, kind[k], b);
    if (a >= 0) say(m, "a: b%d, ", a);
    if (m->facts->joint[n].collide) say(m, "collide: true, ");
    perp_vec3 at = perp_v3_scale(0.5, perp_v3_add(p, q));
    vector(m, "at", at.x, at.y, at.z);
    if (m->dim == 3 || k == 2) {
        say(m, ", ");
        any_vector(m, "axis", 1);
    }
    if (k <= 2 && !m->rests) axis_extras(m, k < 2); /* a motor or spring would lift what then has nothing to stand on */
    say(m, "}\n");
    m->facts->njoint++;
}

static void joints(maker *m) {
    if (m->bodies == 0) return;
    int chain = chance(m, 0.6) ? 1 + pick(m, m->bodies) : 0;
    for (int i = 0; i < chain; i++)
        if (i > 0 || (chance(m, 0.5) && !m->still)) joint(m, i - 1, i); /* held in place on a floor that moves: a jam */
    if (chance(m, 0.3) && !m->still) joint(m, -1, m->bodies - 1);
}

static void forces(maker *m) {
    bool begun = false;
    for (int i = 0; i < 3 && chance(m, 0.3); i++) {
        int b = pick(m, m->bodies), a = pick(m, m->bodies + 1) - 1;
        if (a == b || !m->centred[b] || (a >= 0 && !m->centred[a])) continue;
        if (!begun) say(m, "forces:\n");
        begun = true;
        attack_spring *s = &m->facts->spring[m->facts->nspring++];
        *s = (attack_spring){.a = a < 0 ? -1 : a + m->fixed,
                             .b = b + m->fixed,
                             .stiffness = pow(10, draw(m, 0, 3)),
                             .rest = draw(m, 0.1, 0.5)};
        s->at_b = m->dim == 2 ? perp_v3(draw(m, -0.05, 0.05), 0.02, 0) : perp_v3(draw(m, -0.05, 0.05), 0.02, 0.01);
        if (a < 0) s->at_a = m->dim == 2 ? perp_v3(0.1, 1.5, 0) : perp_v3(0.1, 0.05, 1.5);
        double damping = chance(m, 0.4) ? draw(m, 0, 3) : 0;
        if (damping > 0) m->facts->lossless = false;
        say(m, "  - {type: spring, b: b%d, ", b);
        if (a >= 0) say(m, "a: b%d, ", a);
        vector(m, "at_a", s->at_a.x, s->at_a.y, s->at_a.z);
        say(m, ", ");
        vector(m, "at_b", s->at_b.x, s->at_b.y, s->at_b.z);
        say(m, ", stiffness: %.9g, rest_length: %.9g, damping: %.9g}\n", s->stiffness, s->rest, damping);
    }
    if (chance(m, 0.1)) {
        if (!begun) say(m, "forces:\n");
        say(m, "  - {type: sinusoid, body: b%d, omega: %.9g, ", pick(m, m->bodies), draw(m, 1, 30));
        any_vector(m, "force", 20);
        say(m, "}\n");
        m->facts->forces = true;
    }
}

/* ---- stages and laws ---- */

static const char *const steppers[] = {
    "",         "second-order",       "anitescu-potra", "first-order", "viscoelastic",
    "implicit", "implicit-compliant", "nonconvex-lcp",  "quasistatic", "planar-2.5d"};
static const double weight[] = {50, 14, 9, 6, 5, 4, 2, 3, 4, 3};

static void stages(maker *m) {
    double sum = 0, at;
    int k = 0, n = (int)(sizeof weight / sizeof *weight);
    for (int i = 0; i < n; i++) sum += weight[i];
    for (at = draw(m, 0, sum); k < n - 1 && at >= weight[k]; k++) at -= weight[k];
    static const char *const model[] = {"one-plane", "standard", "corrective", "lnc", "peg-mixed"};
    static const char *const form[] = {"lcp", "mlcp", "cone"};
    const char *name = steppers[k], *with = !chance(m, 0.15) ? "" : model[pick(m, 5)];
    snprintf(m->facts->stepper, sizeof m->facts->stepper, "%s", *name ? name : "default");
    snprintf(m->facts->model, sizeof m->facts->model, "%s", *with ? with : "peg");
    m->implicit = strncmp(name, "implicit", 8) == 0;
    m->soft = k == 4 || k == 6 || (k == 3 && chance(m, 0.5));
    m->supported = k == 9 || (k == 8 && m->dim == 2 && chance(m, 0.5));
    m->still = k == 8;
    m->rests = m->still && !m->supported && m->facts->gravity > 0;
    m->facts->inertia = k < 8 && !m->supported;
    m->facts->compliant = m->soft;
    if (m->implicit) with = "";
    say(m, "stages: {");
    if (*name) say(m, "stepper: %s, ", name);
    if (*with) say(m, "contact_model: %s, ", with);
    if (chance(m, 0.1)) say(m, "form: %s, ", form[pick(m, 3)]);
    if (!*with && (k == 0 || k == 2) && chance(m, 0.1)) say(m, "geometry: end, ");
    static const char *const impacts[] = {"newton", "poisson", "stronge", "plain"};
    if (chance(m, 0.15)) say(m, "impacts: %s, ", impacts[pick(m, 4)]);
    if (chance(m, 0.05)) say(m, "joint_correction: true, ");
    say(m, "warm_start: %s}\n", chance(m, 0.9) ? "true" : "false");
}

static void law(maker *m) {
    double mu = chance(m, 0.25) ? 0 : chance(m, 0.3) ? draw(m, 0.8, 2) : draw(m, 0, 0.8);
    double e = m->soft || chance(m, 0.55) ? 0 : chance(m, 0.3) ? 1 : draw(m, 0, 1);
    m->facts->law_mu = mu;
    m->facts->law_e = e;
    m->facts->lossless = mu == 0 && e == 1 && !m->soft && !m->supported;
    say(m, "law: {mu: %.9g, restitution: %.9g", mu, e);
    if (e > 0 && chance(m, 0.1)) {
        say(m, ", restitution_t: %.9g", draw(m, 0, 1));
        m->facts->lossless = false; /* plain impacts refuse it, and other laws may take from the slip */
    }
    double e_t = draw(m, 0.3, 1), e_o = draw(m, 0.3, 1);
    if (m->dim == 3 && chance(m, 0.12)) say(m, ", e_t: %.9g, e_o: %.9g", e_t, e_o);
    if (m->dim == 3 && chance(m, 0.12)) say(m, ", e_r: %.9g", draw(m, 0.001, 0.03));
    if (m->dim == 3 && scene_uniform(&m->rolls, 0, 1) < 0.12)
        say(m, ", e_roll: %.9g", scene_uniform(&m->rolls, 0.0005, 0.03));
    if (m->soft)
        say(m, ", compliance: %s, stiffness: %.9g, damping: %.9g", chance(m, 0.7) ? "linear" : "hertz",
            pow(10, draw(m, 3, 6)), draw(m, 0, 50));
    say(m, "}\n");
}

void attack_generate(uint64_t seed, const char *mesh, char text[ATTACK_TEXT], attack_facts *facts) {
    maker m = {.random = seed, .belts = seed ^ 0xbe17u, .rolls = seed ^ 0x2011u, .out = text, .mesh = mesh, .facts = facts};
    static const double step[] = {0.001, 0.002, 0.005, 0.01};
    *facts = (attack_facts){.recorded = true};
    text[0] = 0;
    m.dim = chance(&m, 0.5) ? 2 : 3;
    m.h = step[pick(&m, 4)];
    say(&m, "perp: 1\ntitle: attack %llu\ndim: %d\nh: %g\nduration: 1\nseed: %d\n", (unsigned long long)seed, m.dim,
        m.h, pick(&m, 1000000));
    facts->gravity = chance(&m, 0.9) ? 9.81 : 0;
    if (chance(&m, 0.4)) say(&m, "start: %s\n", chance(&m, 0.4) ? "staggered" : "plain");
    stages(&m);
    if (m.still && m.supported) facts->gravity = 0; /* supports carry bodies; along their plane nothing pulls them */
    upright(&m, "gravity", 0, 0, -facts->gravity);
    say(&m, "\n");
    law(&m);
    m.bodies = chance(&m, 0.08) ? 13 + pick(&m, 14) : 1 + pick(&m, 10);
    if (m.h < 0.0015 && m.bodies > 8) m.bodies = 8;
    m.columns = 1 + pick(&m, m.dim == 2 ? 5 : 3);
    m.round_only = chance(&m, 0.12);
    say(&m, "bodies:\n");
    surroundings(&m);
    double ratio = chance(&m, 0.2) ? pow(10, draw(&m, 1, 6)) : 3;
    if (m.rests && m.bodies > per_level(&m)) m.bodies = per_level(&m);
    for (int i = 0; i < m.bodies; i++) (m.rests ? standing_body : body)(&m, i, ratio);
    if (!m.implicit && chance(&m, 0.45)) joints(&m);
    if (!m.still && chance(&m, 0.35)) forces(&m); /* springs between points and forces in time are never in balance */
}

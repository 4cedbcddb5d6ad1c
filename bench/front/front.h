/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* front.h - what the programs of the work-precision front share
 *
 * front_scenes writes a scene as text: bodies, half-spaces, gravity, friction. One program for each engine reads it, steps
 * it and prints one line of figures. The judge sees poses and contact impulses only; it shares no code with any engine.
 * All of them, perp too, are used through their public headers. Units: m, kg, s, rad. */
#ifndef FRONT_H
#define FRONT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vectors ---- */

typedef struct front_vec {
    double x[3];
} front_vec;

static inline front_vec front_v(double x, double y, double z) {
    front_vec v = {{x, y, z}};
    return v;
}
static inline double front_dot(front_vec a, front_vec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static inline double front_norm(front_vec a) { return sqrt(front_dot(a, a)); }
/* a + s b */
static inline front_vec front_axpy(front_vec a, double s, front_vec b) {
    return front_v(a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]);
}
static inline front_vec front_sub(front_vec a, front_vec b) { return front_axpy(a, -1, b); }
static inline front_vec front_scale(double s, front_vec a) { return front_axpy(front_v(0, 0, 0), s, a); }
static inline front_vec front_cross(front_vec a, front_vec b) {
    return front_v(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                   a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}

/* Pose of a body: its centre of mass, and a unit quaternion (w, x, y, z) that turns body axes into those of the world. */
typedef struct front_pose {
    front_vec p;
    double q[4];
} front_pose;

front_vec front_turn(const double q[4], front_vec v);
front_vec front_turn_back(const double q[4], front_vec v);

/* ---- scenes ---- */

enum { FRONT_POINTS = 24, FRONT_FACES = 44, FRONT_CORNERS = 132, FRONT_EDGES = 66, FRONT_PLANES = 8 };

typedef enum front_kind { FRONT_SPHERE, FRONT_BOX, FRONT_HULL } front_kind;

/* A convex polyhedron in the body frame. Corners of a face are counter-clockwise seen from outside. */
typedef struct front_hull {
    int npoint, nface, nedge;
    front_vec point[FRONT_POINTS];
    front_vec normal[FRONT_FACES]; /* of face f: normal . x = offset */
    double offset[FRONT_FACES];
    int start[FRONT_FACES + 1], corner[FRONT_CORNERS];
    int edge[FRONT_EDGES][2];
} front_hull;

typedef struct front_body {
    front_kind kind;
    double radius;    /* sphere */
    front_vec half;   /* box: half edges */
    front_hull *hull; /* hull and box: the polyhedron; NULL for a sphere */
    double mass;
    front_vec inertia; /* principal moments; body axes are principal axes */
    front_pose pose;   /* at t = 0 */
    front_vec v, w;    /* velocity, angular velocity, in the world */
    double start;      /* until this time the body has no weight [s] */
} front_body;

/* Static: all points with normal . x <= offset are solid. */
typedef struct front_plane {
    front_vec normal;
    double offset;
} front_plane;

typedef struct front_scene {
    char name[32];
    bool planar; /* all motion is in the plane z = 0; bodies are boxes and prisms along z */
    front_vec gravity;
    double mu, duration;
    int n, nplane;
    front_body *body;
    front_plane plane[FRONT_PLANES];
} front_scene;

/* Reads a scene file; ends the program with a message if it is not one. */
void front_scene_read(front_scene *s, const char *path);
void front_scene_free(front_scene *s);
/* The corners of a planar body in the x-y plane, counter-clockwise, in the body frame; at most FRONT_POINTS. @return their number */
int front_outline(const front_body *b, double corner[][2]);

/* The convex hull of hull->point. False if the points are flat or there are too many faces. Tries all triples of points:
 * for few points. */
bool front_hull_make(front_hull *hull);
/* Volume, centre of mass, and the matrix of second moments, integral of x x', about the origin. */
void front_hull_moments(const front_hull *hull, double *volume, front_vec *centre, double second[3][3]);

/* ---- the judge ---- */

/* An impulse that a step applied. */
typedef struct front_contact {
    int a, b;             /* bodies; b is -1 for a half-space */
    front_vec on_a, on_b; /* where it acts on the two, in the world, at the start of the step */
    front_vec normal;     /* unit vector, out of b, into a */
    front_vec impulse;    /* on a */
} front_contact;

/* Deepest overlap of two bodies, or of a body and a half-space: how far they must be moved apart [m]. Exact for spheres
 * and convex polyhedra (separating axes). */
double front_overlap(const front_scene *s, const front_pose *pose);

/* Sums over the contacts of one step. */
typedef struct front_law {
    double limit; /* of mu times normal impulse */
    double
        residual; /* of |f - P(f - r u)|: f friction impulse, u slip velocity of the step, r the mass seen there, P the nearest point of
                        the disc of radius mu times normal impulse; zero just where Coulomb's law holds */
    double total;   /* of |m dv|: momentum that contacts would have to give each body, from poses */
    double missing; /* of |m dv - impulses|: the part of it that the contacts do not tell */
} front_law;
/* A step as the judge sees it. The velocity of a step is its displacement over h. */
typedef struct front_step {
    const front_pose *before, *start, *end; /* poses one step before the step, at its start and at its end */
    double h;
    const bool *weightless; /* of each body */
} front_step;
front_law front_coulomb(const front_scene *s, const front_step *step, const front_contact *contact, int n);

/* ---- engines ---- */

/* Settings from the command line, name=value. */
typedef struct front_settings {
    const char *text[16];
    bool used[16];
    int n;
} front_settings;
double front_number(front_settings *s, const char *name, double otherwise);
/* The number of the word among `words`, which ends with NULL; ends the program if it is none of them. Not given: 0. */
int front_word(front_settings *s, const char *name, const char *const *words);

typedef struct front_engine {
    const char *name;
    void *(*create)(const front_scene *s, double h, front_settings *settings);
    /* The bodies have weight from the next step on if `on`. At first, bodies with start > 0 have none. */
    void (*weigh)(void *self, int body);
    /* One step of h. look: front_engine.contacts will be called. False: not solved, the run ends. */
    bool (*step)(void *self, bool look);
    void (*poses)(void *self, front_pose *pose);
    /* Contacts of the last step; at most max. @return their number, -1 if the engine can not tell those of this step */
    int (*contacts)(void *self, front_contact *out, int max);
    const char *(*why)(void *self); /* after a step that failed; may be NULL */
} front_engine;

/* The main program of an engine: see run.c. */
int front_run(const front_engine *e, int argc, char **argv);

void front_die(const char *what, const char *why);
void *front_memory(size_t count, size_t size);

#ifdef __cplusplus
}
#endif
#endif

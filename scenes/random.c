/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* random.c - random scenes from a seed, seen plainly, moved, mirrored, renumbered, or planar in a 3D world */
#include <stdio.h>
#include <stdlib.h>

#include "scenes.h"
#include "uniform.h"

#define MAX_BODY  8
#define MAX_JOINT 12
#define MAX_POINT 24

typedef struct draft_body {
    perp_body_def def;
    perp_shape_def shape;
    perp_vec3 point[MAX_POINT];
} draft_body;

typedef struct draft_joint {
    perp_joint_def def;
    int a, b; /* indices of draft bodies; a = -1: world */
} draft_joint;

typedef struct draft {
    int dim;
    bool flat; /* planar in 3D */
    uint64_t rng;
    draft_body body[MAX_BODY];
    int nbody;
    draft_joint joint[MAX_JOINT];
    int njoint;
    double mu;
} draft;

static double uniform(draft *d, double lo, double hi) { return scene_uniform(&d->rng, lo, hi); }

static int below(draft *d, int n) {
    int k = (int)uniform(d, 0, n);
    return k < n ? k : n - 1;
}

static bool chance(draft *d, double p) { return uniform(d, 0, 1) < p; }

/* A planar scene is drafted with the same numbers whether it is run in 2D or in 3D. */
static bool planar(const draft *d) { return d->dim == 2 || d->flat; }

static perp_vec3 direction(draft *d, double size) {
    double x = uniform(d, -size, size), y = uniform(d, -size, size);
    return planar(d) ? perp_v3(x, y, 0) : perp_v3(x, y, uniform(d, -size, size));
}

/* `up` of a planar scene is y, of a spatial one z. */
static perp_vec3 at(const draft *d, double along, double up) {
    return planar(d) ? perp_v3(along, up, 0) : perp_v3(along, 0, up);
}

static void set_shape(draft *d, draft_body *b, int kind, double size) {
    if (kind == 0) {
        b->shape = perp_shape_sphere(size);
    } else if (kind == 1) {
        double hx = size * uniform(d, 0.6, 1.2), hy = size * uniform(d, 0.6, 1.2);
        double hz = planar(d) ? 0.3 : size * uniform(d, 0.6, 1.2);
        b->shape = planar(d) ? perp_shape_box(hx, hy, hz) : perp_shape_box(hx, hz, hy);
    } else if (planar(d)) {
        int n = 3 + below(d, 4);
        double turn = uniform(d, 0, 6);
        for (int i = 0; i < n; i++) {
            double a = turn + 6.283185307179586 * i / n;
            b->point[i] = perp_v3(size * cos(a), size * sin(a), 0);
        }
        if (!d->flat) {
            b->shape = perp_shape_polygon(b->point, n);
        } else {
            for (int i = 0; i < n; i++) {
                b->point[n + i] = perp_v3(b->point[i].x, b->point[i].y, -0.3);
                b->point[i].z = 0.3;
            }
            b->shape = perp_shape_polyhedron(b->point, 2 * n);
        }
    } else {
        for (int i = 0; i < 8; i++) { /* a box with its corners pulled about */
            perp_vec3 c = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
            b->point[i] = perp_v3_scale(size * 0.7, perp_v3_add(c, direction(d, 0.25)));
        }
        b->shape = perp_shape_polyhedron(b->point, 8);
    }
}

/* Mass 1 to 5; inertia of a plausible size, the same about z in 2D and 3D. */
static void set_mass(draft *d, draft_body *b, double size) {
    b->def.mass = uniform(d, 1, 5);
    double I = b->def.mass * size * size * uniform(d, 0.3, 0.5);
    b->def.I_B = planar(d) ? perp_m3_diag(I, I, I) : perp_m3_diag(I, 1.1 * I, 1.25 * I);
    if (b->shape.kind == PERP_SHAPE_SPHERE) b->def.I_B = perp_m3_diag(I, I, I);
}

static void draft_bodies(draft *d) {
    int n = 2 + below(d, 4);
    double x = 0, top = 0; /* a resting box may carry the next one */
    for (int i = 0; i < n; i++) {
        draft_body *b = &d->body[d->nbody++];
        b->def = perp_body_def_default(PERP_BODY_DYNAMIC);
        double size = uniform(d, 0.2, 0.4);
        bool rests = chance(d, 0.4);
        bool carried = top > 0 && chance(d, 0.4);
        set_shape(d, b, rests || carried ? 1 : below(d, 3), size);
        set_mass(d, b, size);
        double half = planar(d) ? b->shape.half_size.y : b->shape.half_size.z;
        if (carried) {
            b->def.X_WB.p = at(d, x + 0.05, top + half);
            top += 2 * half;
            continue;
        }
        x += 0.9;
        top = 0;
        if (rests) {
            b->def.X_WB.p = at(d, x, half);
            b->def.v_W = chance(d, 0.5) ? at(d, uniform(d, -1, 1), 0) : perp_v3(0, 0, 0);
            top = 2 * half;
            continue;
        }
        b->def.X_WB.p = at(d, x, 0.65 + uniform(d, 0, 0.05));
        double angle = uniform(d, -1, 1);
        b->def.X_WB.q = perp_q_axis_angle(planar(d) ? perp_v3(0, 0, 1) : direction(d, 1), angle);
        b->def.v_W = perp_v3_add(direction(d, 1), at(d, 0, -2));
        b->def.w_W = planar(d) ? perp_v3(0, 0, uniform(d, -2, 2)) : direction(d, 2);
    }
}

static void add_joint(draft *d, perp_joint_kind kind, int a, int b, perp_vec3 at_W, perp_quat q_W) {
    draft_joint *j = &d->joint[d->njoint++];
    j->def = perp_joint_def_default(kind);
    j->a = a;
    j->b = b;
    perp_pose X_WJ = {at_W, q_W};
    j->def.X_BJ = perp_pose_mul(perp_pose_inverse(d->body[b].def.X_WB), X_WJ);
    j->def.X_AJ = a < 0 ? X_WJ : perp_pose_mul(perp_pose_inverse(d->body[a].def.X_WB), X_WJ);
}

static void draft_joints(draft *d) {
    for (int i = 0; i + 1 < d->nbody; i++) {
        if (!chance(d, 0.4)) continue;
        static const perp_joint_kind spatial[] = {PERP_JOINT_REVOLUTE, PERP_JOINT_SPHERICAL, PERP_JOINT_UNIVERSAL,
                                                  PERP_JOINT_FIXED, PERP_JOINT_CYLINDRICAL};
        perp_joint_kind kind =
            planar(d) ? (chance(d, 0.8) ? PERP_JOINT_REVOLUTE : PERP_JOINT_FIXED) : spatial[below(d, 5)];
        perp_vec3 mid = perp_v3_scale(0.5, perp_v3_add(d->body[i].def.X_WB.p, d->body[i + 1].def.X_WB.p));
        perp_quat q = planar(d) ? perp_q_identity() : perp_q_axis_angle(direction(d, 1), 1);
        add_joint(d, kind, i, i + 1, mid, q);
        if (chance(d, 0.3)) add_joint(d, kind, i, i + 1, mid, q); /* the same once more: redundant */
    }
    if (chance(d, 0.25)) {
        perp_vec3 p = d->body[0].def.X_WB.p;
        add_joint(d, PERP_JOINT_REVOLUTE, -1, 0, perp_v3_add(p, at(d, -0.3, 0.2)), perp_q_identity());
    }
}

/* A rotation seen in a mirror (x to -x): axis components y and z change sign. */
static perp_quat mirror_q(perp_quat q) { return (perp_quat){q.w, q.x, -q.y, -q.z}; }
static perp_vec3 mirror_v(perp_vec3 v) { return perp_v3(-v.x, v.y, v.z); }
static perp_pose mirror_pose(perp_pose X) { return (perp_pose){mirror_v(X.p), mirror_q(X.q)}; }
static perp_vec3 mirror_axial(perp_vec3 w) { return perp_v3(w.x, -w.y, -w.z); }

/* -0 and rounding out of the plane are not for 2D worlds. */
static perp_pose tidy(int dim, perp_pose X) {
    if (dim == 2) {
        X.p.z = 0;
        X.q.x = X.q.y = 0;
    }
    return X;
}

static perp_pose see_pose(const scene_view *v, int dim, perp_pose X) {
    return tidy(dim, perp_pose_mul(v->X, v->mirror ? mirror_pose(X) : X));
}

static void see_body(const scene_view *v, int dim, draft_body *b) {
    perp_vec3 vel = v->mirror ? mirror_v(b->def.v_W) : b->def.v_W,
              om = v->mirror ? mirror_axial(b->def.w_W) : b->def.w_W;
    b->def.X_WB = see_pose(v, dim, b->def.X_WB);
    b->def.v_W = perp_q_rotate(v->X.q, vel);
    b->def.w_W = perp_q_rotate(v->X.q, om);
    if (dim == 2) b->def.v_W.z = b->def.w_W.x = b->def.w_W.y = 0;
    if (v->mirror)
        for (int i = 0; i < MAX_POINT; i++) b->point[i] = mirror_v(b->point[i]);
}

static void see_joint(const scene_view *v, int dim, draft_joint *j) {
    if (j->a < 0)
        j->def.X_AJ = see_pose(v, dim, j->def.X_AJ);
    else if (v->mirror)
        j->def.X_AJ = mirror_pose(j->def.X_AJ);
    if (v->mirror) j->def.X_BJ = mirror_pose(j->def.X_BJ);
    j->def.X_AJ = tidy(dim, j->def.X_AJ);
    j->def.X_BJ = tidy(dim, j->def.X_BJ);
}

scene_view scene_view_plain(void) { return (scene_view){.X = perp_pose_identity()}; }

static void must(const perp_world *w, perp_status st) {
    if (!st) return;
    fprintf(stderr, "random scene: %s\n", perp_world_why(w));
    exit(2);
}

static void add_floor(scene *s, const scene_view *v, const draft *d) {
    perp_body_def f = perp_body_def_default(PERP_BODY_OBSTACLE);
    f.X_WB = see_pose(v, d->dim, perp_pose_identity());
    perp_body_id id;
    must(s->w, perp_body_add(s->w, &f, &id));
    scene_shape(s, id, perp_shape_halfspace(planar(d) ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1), 0));
}

scene scene_random(perp_world_def def, unsigned seed, scene_view view, bool flat) {
    draft *d = calloc(1, sizeof *d);
    if (!d) exit(2);
    d->dim = def.dim;
    d->flat = flat && def.dim == 3;
    d->rng = 0x1234567 + 7919ull * seed;
    d->mu = chance(d, 0.2) ? 0 : uniform(d, 0.05, 0.6);
    draft_bodies(d);
    draft_joints(d);
    perp_vec3 g = planar(d) ? perp_v3(0, -9.81, 0) : perp_v3(0, 0, -9.81);
    def.gravity_W = perp_q_rotate(view.X.q, g);
    if (d->dim == 2) def.gravity_W.z = 0;
    scene s = scene_new(def);
    must(s.w, perp_pair_set_all(s.w, (perp_pair_law){.mu = d->mu}));
    if (!view.reversed) add_floor(&s, &view, d);
    s.nbody = d->nbody;
    for (int k = 0; k < d->nbody; k++) {
        int i = view.reversed ? d->nbody - 1 - k : k;
        draft_body *b = &d->body[i];
        see_body(&view, d->dim, b);
        must(s.w, perp_body_add(s.w, &b->def, &s.body[i]));
        if (b->shape.points) b->shape.points = b->point; /* the definition may have been copied */
        scene_shape(&s, s.body[i], b->shape);
    }
    if (view.reversed) add_floor(&s, &view, d);
    s.njoint = d->njoint;
    for (int k = 0; k < d->njoint; k++) {
        int i = view.reversed ? d->njoint - 1 - k : k;
        draft_joint *j = &d->joint[i];
        see_joint(&view, d->dim, j);
        if (j->a >= 0) j->def.a = s.body[j->a];
        j->def.b = s.body[j->b];
        must(s.w, perp_joint_add(s.w, &j->def, &s.joint[i]));
    }
    free(d);
    return s;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* audit.c - an independent look at a recording: poses and velocities, shapes, masses and joints
 *
 * Overlap of all pairs of solids at each frame, bodies that pass through others between frames, joints that open, coordinates beyond
 * their limits; energy and momentum in balance.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

typedef struct audit {
    attack_run run;
    perp_recorded_shape *shape;
    attack_solid *solid;
    perp_vec3 **point; /* of each shape, in W */
    attack_frame f[2], between;
    bool *near;       /* nbody x nbody */
    double *distance; /* nshape x nshape, of the frame before */
    bool *apart;      /* pairs of bodies that joints keep from touching */
} audit;

static bool known(const perp_recorded_shape *s) { return s->kind <= PERP_SHAPE_CAPSULE; }

/* Points of a shape in its own frame: those of its core. */
static int core_points(const perp_recorded_shape *s) {
    return s->kind == PERP_SHAPE_SPHERE || s->kind == PERP_SHAPE_PARTICLE ? 1
           : s->kind == PERP_SHAPE_CAPSULE                                ? 2
                                                                          : s->nvertex;
}

static perp_vec3 core_point(const perp_recorded_shape *s, int i) {
    if (s->kind == PERP_SHAPE_SPHERE || s->kind == PERP_SHAPE_PARTICLE) return perp_v3(0, 0, 0);
    if (s->kind == PERP_SHAPE_CAPSULE) return perp_v3(i ? s->half_length : -s->half_length, 0, 0);
    return perp_v3(s->vertex[3 * i], s->vertex[3 * i + 1], s->vertex[3 * i + 2]);
}

static void place(audit *a, const attack_frame *f) {
    for (int i = 0; i < a->run.info->nshape; i++) {
        const perp_recorded_shape *s = &a->shape[i];
        attack_solid *o = &a->solid[i];
        perp_pose X = perp_pose_mul(f->X[s->body], s->X_BS);
        o->body = s->body;
        o->halfspace = s->kind == PERP_SHAPE_HALFSPACE;
        if (o->halfspace) {
            o->normal = perp_q_rotate(X.q, perp_v3_unit(s->normal));
            o->offset = s->offset / perp_v3_norm(s->normal) + perp_v3_dot(o->normal, X.p);
            o->reach = o->thick = INFINITY;
            continue;
        }
        o->n = known(s) ? core_points(s) : 0;
        o->radius = s->kind == PERP_SHAPE_SPHERE || s->kind == PERP_SHAPE_CAPSULE ? s->radius : 0;
        o->centre = perp_v3(0, 0, 0);
        for (int k = 0; k < o->n; k++) {
            a->point[i][k] = perp_pose_apply(X, core_point(s, k));
            o->centre = perp_v3_axpy(o->centre, 1.0 / o->n, a->point[i][k]);
        }
        o->point = a->point[i];
        o->reach = 0;
        for (int k = 0; k < o->n; k++) o->reach = fmax(o->reach, perp_v3_norm(perp_v3_sub(o->point[k], o->centre)));
        o->reach += o->radius;
        o->face_start = s->nface ? s->face_start : NULL;
        o->face = s->nface ? s->face : NULL;
        o->nface = s->nface;
    }
}

/* Least extent of a solid: of a ball its diameter, of a polytope the least along normals of faces or edges. */
static double least_extent(const audit *a, const attack_solid *s) {
    if (s->n == 1) return 2 * s->radius > 0 ? 2 * s->radius : INFINITY;
    if (s->n == 2) return 2 * s->radius;
    double least = INFINITY;
    for (int f = 0; f < (s->face ? s->nface : s->n); f++) {
        perp_vec3 d;
        if (s->face) {
            const int *v = s->face + s->face_start[f];
            d = perp_v3_cross(perp_v3_sub(s->point[v[1]], s->point[v[0]]), perp_v3_sub(s->point[v[2]], s->point[v[0]]));
        } else {
            perp_vec3 e = perp_v3_sub(s->point[(f + 1) % s->n], s->point[f]);
            d = perp_v3(e.y, -e.x, 0);
        }
        if (!(perp_v3_norm(d) > 0)) continue;
        d = perp_v3_unit(d);
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < s->n; k++)
            lo = fmin(lo, perp_v3_dot(d, s->point[k])), hi = fmax(hi, perp_v3_dot(d, s->point[k]));
        least = fmin(least, hi - lo);
    }
    (void)a;
    return least;
}

static bool may_meet(const audit *a, int i, int k) {
    int p = a->solid[i].body, q = a->solid[k].body, n = a->run.info->nbody;
    if (p == q || a->apart[p * n + q] || !known(&a->shape[i]) || !known(&a->shape[k])) return false;
    return a->run.body[p].kind == PERP_BODY_DYNAMIC || a->run.body[q].kind == PERP_BODY_DYNAMIC;
}

static bool far_apart(const attack_solid *s, const attack_solid *t, double d) {
    if (s->halfspace) return perp_v3_dot(s->normal, t->centre) - s->offset > t->reach + d;
    if (t->halfspace) return perp_v3_dot(t->normal, s->centre) - t->offset > s->reach + d;
    return perp_v3_norm(perp_v3_sub(s->centre, t->centre)) > s->reach + t->reach + d;
}

/* How far a point of a body went between two frames, or would have gone, at most. */
static double travel(const audit *a, int shape, const attack_frame *f0, const attack_frame *f1) {
    int b = a->solid[shape].body;
    perp_vec3 way = perp_v3_sub(f1->X[b].p, f0->X[b].p);
    double turn = 2 * acos(fmin(1, fabs(f0->X[b].q.w * f1->X[b].q.w + f0->X[b].q.x * f1->X[b].q.x +
                                        f0->X[b].q.y * f1->X[b].q.y + f0->X[b].q.z * f1->X[b].q.z)));
    double r = a->solid[shape].halfspace
                   ? 10
                   : a->solid[shape].reach + perp_v3_norm(perp_v3_sub(a->solid[shape].centre, f1->X[b].p));
    /* a body that rebounds may have gone less far than it was to go */
    double h = f1->t - f0->t, was = h * (perp_v3_norm(f0->v[b]) + perp_v3_norm(f0->w[b]) * r);
    return fmax(perp_v3_norm(way) + turn * r, was);
}

static void overlaps(audit *a, const attack_frame *f, const attack_frame *before, attack_findings *out) {
    int n = a->run.info->nshape, nb = a->run.info->nbody;
    memset(a->near, 0, (size_t)nb * (size_t)nb * sizeof *a->near);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            if (!known(&a->shape[i]) || !known(&a->shape[k])) { /* no distance is known: they may act on each other */
                int p = a->solid[i].body, q = a->solid[k].body;
                a->near[p * nb + q] = a->near[q * nb + p] = true;
            }
            if (!may_meet(a, i, k)) continue;
            double move = before ? travel(a, i, before, f) + travel(a, k, before, f) : 0;
            double margin = 2 * move + 0.01 * out->least + a->run.facts->gravity * a->run.info->h * a->run.info->h;
            double *d = &a->distance[i * n + k], was = *d;
            *d = INFINITY;
            if (far_apart(&a->solid[i], &a->solid[k], margin)) continue;
            *d = attack_distance(&a->solid[i], &a->solid[k], a->run.info->dim);
            int p = a->solid[i].body, q = a->solid[k].body;
            if (*d < margin || (before && was < margin)) a->near[p * nb + q] = a->near[q * nb + p] = true;
            if (-*d / out->least > out->overlap) {
                out->overlap = -*d / out->least;
                out->overlap_t = f->t;
                out->overlap_body[0] = q;
                out->overlap_body[1] = p;
            }
        }
}

/* Poses between two frames: straight, and the shortest turn. */
static void interpolate(const audit *a, double s, attack_frame *out) {
    const attack_frame *f0 = &a->f[0], *f1 = &a->f[1];
    for (int i = 0; i < a->run.info->nbody; i++) {
        perp_quat q = perp_q_mul(f1->X[i].q, perp_q_conj(f0->X[i].q));
        if (q.w < 0) q = (perp_quat){-q.w, -q.x, -q.y, -q.z};
        double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), half = atan2(sine, q.w);
        perp_quat part = perp_q_identity();
        if (sine > 0) {
            double c = sin(s * half) / sine;
            part = (perp_quat){cos(s * half), c * q.x, c * q.y, c * q.z};
        }
        out->X[i].q = perp_q_mul(part, f0->X[i].q);
        out->X[i].p = perp_v3_axpy(f0->X[i].p, s, perp_v3_sub(f1->X[i].p, f0->X[i].p));
    }
}

/* Did a body go straight from frame to frame, as its velocity at the first one says? One that bounced within the step did not, and
 * its way is not known. Gravity and what leads a body round bend it by less than this. */
static bool went_straight(const audit *a, const attack_solid *s) {
    const attack_frame *f0 = &a->f[0], *f1 = &a->f[1];
    perp_vec3 way = perp_v3_sub(f1->X[s->body].p, f0->X[s->body].p);
    return perp_v3_norm(perp_v3_axpy(way, f0->t - f1->t, f0->v[s->body])) <= 0.1 * s->thick;
}

/* Bodies that were deep in others on their way from frame to frame. The solids are placed at the later one. */
static void passages(audit *a, attack_findings *out) {
    int n = a->run.info->nshape;
    double fastest = 0;
    for (int i = 0; i < n; i++)
        if (!a->solid[i].halfspace) fastest = fmax(fastest, travel(a, i, &a->f[0], &a->f[1]) / a->solid[i].thick);
    if (fastest < 0.5) return; /* the overlap at the frames would tell */
    enum { PARTS = 12 };
    for (int s = 1; s < PARTS; s++) {
        interpolate(a, (double)s / PARTS, &a->between);
        place(a, &a->between);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++) {
                if (!may_meet(a, i, k) || far_apart(&a->solid[i], &a->solid[k], 0)) continue;
                if (!went_straight(a, &a->solid[i]) || !went_straight(a, &a->solid[k])) continue;
                double thick = fmin(a->solid[i].thick, a->solid[k].thick);
                if (!(attack_distance(&a->solid[i], &a->solid[k], a->run.info->dim) < -0.45 * thick)) continue;
                if (out->passed++ == 0) {
                    out->passed_t = a->f[1].t;
                    out->passed_body[0] = a->solid[k].body;
                    out->passed_body[1] = a->solid[i].body;
                }
            }
    }
    place(a, &a->f[1]);
}

static double angle_between(perp_quat A, perp_quat B) {
    perp_quat q = perp_q_mul(perp_q_conj(A), B);
    return 2 * atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), fabs(q.w));
}

/* Largest error of what a joint holds: lengths, and angles as they are. */
static double opening(const attack_run *run, int j, const attack_frame *f) {
    perp_pose A, B;
    attack_joint_frames(run, j, f, &A, &B);
    bool plane = run->info->dim == 2;
    perp_vec3 d = perp_q_unrotate(A.q, perp_v3_sub(B.p, A.p)), z = {0, 0, 1};
    perp_vec3 za = perp_q_rotate(A.q, z), zb = perp_q_rotate(B.q, z), xb = perp_q_rotate(B.q, perp_v3(1, 0, 0));
    double tilt = perp_v3_norm(perp_v3_cross(za, zb));
    switch (run->joint[j].kind) {
    case PERP_JOINT_FIXED: return fmax(perp_v3_norm(d), angle_between(A.q, B.q));
    case PERP_JOINT_REVOLUTE: return fmax(perp_v3_norm(d), plane ? 0 : tilt);
    case PERP_JOINT_PRISMATIC: return fmax(plane ? fabs(d.y) : hypot(d.x, d.y), angle_between(A.q, B.q));
    case PERP_JOINT_CYLINDRICAL: return fmax(hypot(d.x, d.y), tilt);
    case PERP_JOINT_SPHERICAL: return perp_v3_norm(d);
    case PERP_JOINT_UNIVERSAL: return fmax(perp_v3_norm(d), fabs(perp_v3_dot(za, xb)));
    case PERP_JOINT_PLANAR: return fmax(fabs(d.z), tilt);
    default: return 0;
    }
}

static void joints(audit *a, const attack_frame *f, attack_findings *out) {
    attack_run *run = &a->run;
    for (int j = 0; j < run->info->njoint; j++) {
        double x = opening(run, j, f) / out->least;
        if (x > out->joint) out->joint = x, out->joint_t = f->t;
        if (j >= run->facts->njoint || !isfinite(run->facts->joint[j].lo)) continue;
        double c = run->joint[j].kind == PERP_JOINT_REVOLUTE ? run->angle[j] : attack_coordinate(run, j, f);
        x = fmax(run->facts->joint[j].lo - c, c - run->facts->joint[j].hi) / out->least;
        if (x > out->limit) out->limit = x, out->limit_t = f->t;
    }
}

static bool finite_frame(const audit *a, const attack_frame *f) {
    for (int i = 0; i < a->run.info->nbody; i++)
        if (!perp_v3_finite(f->X[i].p) || !perp_q_finite(f->X[i].q) || !perp_v3_finite(f->v[i]) ||
            !perp_v3_finite(f->w[i]))
            return false;
    return true;
}

static bool new_frame(attack_frame *f, size_t n) {
    f->X = calloc(n, sizeof *f->X);
    f->v = calloc(n, sizeof *f->v);
    f->w = calloc(n, sizeof *f->w);
    return f->X && f->v && f->w;
}

static bool make_room(audit *a) {
    attack_run *run = &a->run;
    size_t nb = (size_t)run->info->nbody + 1, ns = (size_t)run->info->nshape + 1, nj = (size_t)run->info->njoint + 1;
    run->body = calloc(nb, sizeof *run->body);
    run->joint = calloc(nj, sizeof *run->joint);
    run->angle = calloc(nj, sizeof *run->angle);
    run->v_step = calloc(nb, sizeof *run->v_step);
    run->spin_step = calloc(nb, sizeof *run->spin_step);
    a->shape = calloc(ns, sizeof *a->shape);
    a->solid = calloc(ns, sizeof *a->solid);
    a->point = calloc(ns, sizeof *a->point);
    a->near = calloc(nb * nb, sizeof *a->near);
    a->apart = calloc(nb * nb, sizeof *a->apart);
    a->distance = calloc(ns * ns, sizeof *a->distance);
    bool ok = run->body && run->joint && run->angle && run->v_step && run->spin_step && a->shape && a->solid &&
              a->point && a->near && a->apart && a->distance;
    for (int k = 0; k < 2; k++) ok = ok && new_frame(&a->f[k], nb);
    if (!ok || !new_frame(&a->between, nb)) return false;
    for (int i = 0; i < run->info->nbody; i++) run->body[i] = perp_recording_body(run->r, i);
    for (int i = 0; i < run->info->njoint; i++) {
        run->joint[i] = perp_recording_joint(run->r, i);
        int p = run->joint[i].a, q = run->joint[i].b, n = run->info->nbody;
        if (p >= 0 && !(i < run->facts->njoint && run->facts->joint[i].collide))
            a->apart[p * n + q] = a->apart[q * n + p] = true;
    }
    for (int i = 0; i < run->info->nshape; i++) {
        a->shape[i] = perp_recording_shape(run->r, i);
        a->point[i] = calloc((size_t)core_points(&a->shape[i]) + 1, sizeof **a->point);
        if (!a->point[i]) return false;
    }
    return true;
}

static void give_back(audit *a) {
    for (int i = 0; a->point && i < a->run.info->nshape; i++) free(a->point[i]);
    const attack_frame *f[] = {&a->f[0], &a->f[1], &a->between};
    for (int i = 0; i < 3; i++) {
        free(f[i]->X);
        free(f[i]->v);
        free(f[i]->w);
    }
    free(a->run.body);
    free(a->run.joint);
    free(a->run.angle);
    free(a->run.v_step);
    free(a->run.spin_step);
    free(a->shape);
    free(a->solid);
    free(a->point);
    free(a->near);
    free(a->apart);
    free(a->distance);
}

static perp_status read_frame(perp_recording *r, uint64_t k, attack_frame *f, perp_refusal *why) {
    f->t = perp_recording_about(r)->t0 + (double)k * perp_recording_about(r)->h;
    perp_status s = perp_recording_poses(r, k, f->X, why);
    return s ? s : perp_recording_twists(r, k, f->v, f->w, why);
}

static perp_status all_frames(audit *a, attack_findings *out, perp_refusal *why) {
    attack_run *run = &a->run;
    for (uint64_t k = 0; k < run->info->frames; k++) {
        attack_frame *f = &a->f[1];
        perp_status s = read_frame(run->r, k, f, why);
        if (s) return s;
        if (!finite_frame(a, f)) {
            out->nan = true;
            return PERP_OK;
        }
        place(a, f);
        if (k == 0) {
            out->least = INFINITY;
            for (int i = 0; i < run->info->nshape; i++) {
                attack_solid *o = &a->solid[i];
                if (!o->halfspace && o->n > 0) out->least = fmin(out->least, o->thick = least_extent(a, o));
            }
            if (!isfinite(out->least)) out->least = 1;
        }
        attack_energy(run, f, k == 0);
        joints(a, f, out);
        overlaps(a, f, k > 0 ? &a->f[0] : NULL, out);
        if (k > 0) passages(a, out);
        if (k > 1 && run->facts->inertia && !run->facts->forces) attack_momentum(run, &a->f[0], f, a->near, out);
        if (k > 0) attack_motion(run, &a->f[0], f);
        attack_frame swap = a->f[0];
        a->f[0] = a->f[1];
        a->f[1] = swap;
    }
    attack_energy_end(run, out);
    return PERP_OK;
}

perp_status attack_audit(const char *recording, const attack_facts *facts, attack_findings *out, perp_refusal *why) {
    audit a = {.run = {.facts = facts}};
    *out = (attack_findings){.overlap_body = {-1, -1}, .passed_body = {-1, -1}};
    perp_status s = perp_recording_open(recording, &a.run.r, why);
    if (s) return s;
    a.run.info = perp_recording_about(a.run.r);
    s = make_room(&a) ? all_frames(&a, out, why) : PERP_E_MEMORY;
    give_back(&a);
    perp_recording_close(a.run.r);
    return s;
}

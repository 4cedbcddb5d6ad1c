/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* judge.c - overlap and Coulomb's law, from poses and impulses
 *
 * Overlap   two convex polyhedra: the largest separation over all face normals and all products of edges; if it is negative,
 *           its size is the least distance that parts them. Spheres and half-spaces: closed forms.
 * Coulomb   slip velocity of a contact: displacement of the two bodies in the step over h, at the contact's point. Displacement contains
 *           all that moves bodies, position corrections too. */
#include <stdlib.h>

#include "front.h"

typedef struct placed {
    front_vec lo, hi; /* box around it */
    front_vec point[FRONT_POINTS], normal[FRONT_FACES], edge[FRONT_EDGES];
} placed;

static void place(const front_body *b, const front_pose *X, placed *out) {
    const front_hull *h = b->hull;
    front_vec r = front_v(b->radius, b->radius, b->radius);
    out->lo = front_sub(X->p, r);
    out->hi = front_axpy(X->p, 1, r);
    if (!h) return;
    for (int k = 0; k < h->npoint; k++) {
        out->point[k] = front_axpy(X->p, 1, front_turn(X->q, h->point[k]));
        for (int a = 0; a < 3; a++) {
            out->lo.x[a] = fmin(out->lo.x[a], out->point[k].x[a]);
            out->hi.x[a] = fmax(out->hi.x[a], out->point[k].x[a]);
        }
    }
    for (int f = 0; f < h->nface; f++) out->normal[f] = front_turn(X->q, h->normal[f]);
    for (int e = 0; e < h->nedge; e++) out->edge[e] = front_sub(out->point[h->edge[e][1]], out->point[h->edge[e][0]]);
}

/* Separation along the unit vector n: how far b lies beyond a. */
static double along(front_vec n, const placed *a, int na, const placed *b, int nb) {
    double top = -INFINITY, bottom = INFINITY;
    for (int k = 0; k < na; k++) top = fmax(top, front_dot(n, a->point[k]));
    for (int k = 0; k < nb; k++) bottom = fmin(bottom, front_dot(n, b->point[k]));
    return bottom - top;
}

/* Separation of two polyhedra, negative if they overlap; stops early once they are apart. */
static double separation(const front_hull *ha, const placed *a, const front_hull *hb, const placed *b) {
    double most = -INFINITY;
    for (int f = 0; f < ha->nface && most <= 0; f++)
        most = fmax(most, along(a->normal[f], a, ha->npoint, b, hb->npoint));
    for (int f = 0; f < hb->nface && most <= 0; f++)
        most = fmax(most, along(b->normal[f], b, hb->npoint, a, ha->npoint));
    for (int i = 0; i < ha->nedge && most <= 0; i++)
        for (int j = 0; j < hb->nedge && most <= 0; j++) {
            front_vec n = front_cross(a->edge[i], b->edge[j]);
            double length = front_norm(n);
            if (length < 1e-9 * front_norm(a->edge[i]) * front_norm(b->edge[j])) continue; /* parallel */
            n = front_scale(1 / length, n);
            most = fmax(most, along(n, a, ha->npoint, b, hb->npoint));
            if (most <= 0) most = fmax(most, along(front_scale(-1, n), a, ha->npoint, b, hb->npoint));
        }
    return most;
}

/* Separation of a sphere and a polyhedron; inside it, by the nearest face. Between, by the faces alone if the centre is
 * inside, otherwise by the nearest point (projections onto faces, edges, corners). */
static double sphere_gap(const front_hull *h, const placed *b, front_vec c, double r) {
    double inside = -INFINITY, nearest = INFINITY;
    for (int f = 0; f < h->nface; f++) {
        double s = front_dot(b->normal[f], front_sub(c, b->point[h->corner[h->start[f]]]));
        inside = fmax(inside, s);
        front_vec foot = front_axpy(c, -s, b->normal[f]);
        bool in = s > 0;
        for (int g = 0; in && g < h->nface; g++)
            in = front_dot(b->normal[g], front_sub(foot, b->point[h->corner[h->start[g]]])) <= 1e-12;
        if (in) nearest = fmin(nearest, s);
    }
    if (inside <= 0) return inside - r;
    for (int e = 0; e < h->nedge; e++) {
        front_vec from = b->point[h->edge[e][0]], d = b->edge[e];
        double t = fmin(1, fmax(0, front_dot(front_sub(c, from), d) / front_dot(d, d)));
        nearest = fmin(nearest, front_norm(front_sub(c, front_axpy(from, t, d))));
    }
    return nearest - r;
}

static double pair_gap(const front_scene *s, const placed *p, int i, int j) {
    const front_body *a = &s->body[i], *b = &s->body[j];
    front_vec ca = front_scale(0.5, front_axpy(p[i].lo, 1, p[i].hi)),
              cb = front_scale(0.5, front_axpy(p[j].lo, 1, p[j].hi));
    if (a->hull && b->hull) return separation(a->hull, &p[i], b->hull, &p[j]);
    if (a->hull) return sphere_gap(a->hull, &p[i], cb, b->radius);
    if (b->hull) return sphere_gap(b->hull, &p[j], ca, a->radius);
    return front_norm(front_sub(ca, cb)) - a->radius - b->radius;
}

static double plane_gap(const front_plane *plane, const front_body *b, const placed *p) {
    double gap = INFINITY;
    for (int k = 0; b->hull && k < b->hull->npoint; k++)
        gap = fmin(gap, front_dot(plane->normal, p->point[k]) - plane->offset);
    if (!b->hull) /* a sphere: the middle of its box */
        gap = front_dot(plane->normal, front_scale(0.5, front_axpy(p->lo, 1, p->hi))) - plane->offset - b->radius;
    return gap;
}

double front_overlap(const front_scene *s, const front_pose *pose) {
    placed *p = front_memory((size_t)s->n, sizeof *p);
    double deepest = 0;
    for (int i = 0; i < s->n; i++) place(&s->body[i], &pose[i], &p[i]);
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < s->nplane; k++) deepest = fmax(deepest, -plane_gap(&s->plane[k], &s->body[i], &p[i]));
        for (int j = i + 1; j < s->n; j++) {
            bool apart = false;
            for (int a = 0; a < 3 && !apart; a++) apart = p[i].lo.x[a] > p[j].hi.x[a] || p[j].lo.x[a] > p[i].hi.x[a];
            if (!apart) deepest = fmax(deepest, -pair_gap(s, p, i, j));
        }
    }
    free(p);
    return deepest;
}

/* ---- Coulomb's law ---- */

/* The turn from pose a to pose b as a rotation vector in the world. */
static front_vec rotation(const double a[4], const double b[4]) {
    /* b a^-1 */
    double w = b[0] * a[0] + b[1] * a[1] + b[2] * a[2] + b[3] * a[3];
    front_vec va = front_v(-a[1], -a[2], -a[3]), vb = front_v(b[1], b[2], b[3]);
    front_vec v = front_axpy(front_axpy(front_cross(vb, va), b[0], va), a[0], vb);
    double length = front_norm(v), angle = 2 * atan2(length, fabs(w));
    return front_scale((w < 0 ? -1 : 1) * (length > 0 ? angle / length : 2), v);
}

/* A contact's surface: two directions along it, the slip velocity, and how much an impulse along it changes that velocity. */
typedef struct surface {
    front_vec t[2], slip;
    double yields; /* mean over the two directions [1/kg] */
} surface;

/* Adds what body i contributes at the point: its velocity times sign, and its yielding. */
static void add_body(const front_scene *s, const front_step *step, int i, front_vec point, double sign, surface *c) {
    if (i < 0) return;
    const front_body *b = &s->body[i];
    const front_pose *start = &step->start[i], *end = &step->end[i];
    front_vec r = front_sub(point, start->p), turn = rotation(start->q, end->q);
    front_vec moved = front_axpy(front_sub(end->p, start->p), 1, front_cross(turn, r));
    c->slip = front_axpy(c->slip, sign / step->h, moved);
    for (int k = 0; k < 2; k++) {
        front_vec lever = front_turn_back(start->q, front_cross(r, c->t[k]));
        c->yields += 0.5 / b->mass;
        for (int a = 0; a < 3; a++) c->yields += 0.5 * lever.x[a] * lever.x[a] / b->inertia.x[a];
    }
}

/* |f - P(f - slip/yields)|, see front_law. */
static double residual(const front_scene *s, const front_step *step, const front_contact *c, double *limit) {
    front_vec n = c->normal;
    surface at = {.slip = {{0, 0, 0}}};
    double normal = front_dot(c->impulse, n);
    at.t[0] = front_cross(n, fabs(n.x[0]) < 0.7 ? front_v(1, 0, 0) : front_v(0, 1, 0));
    at.t[0] = front_scale(1 / front_norm(at.t[0]), at.t[0]);
    at.t[1] = front_cross(n, at.t[0]);
    add_body(s, step, c->a, c->on_a, 1, &at);
    add_body(s, step, c->b, c->on_b, -1, &at);
    front_vec f = front_axpy(c->impulse, -normal, n), slip = front_axpy(at.slip, -front_dot(at.slip, n), n);
    front_vec tried = front_axpy(f, -1 / at.yields, slip);
    double size = front_norm(tried);
    *limit = s->mu * fmax(normal, 0);
    if (size > *limit) tried = front_scale(*limit / size, tried);
    return front_norm(front_sub(f, tried));
}

front_law front_coulomb(const front_scene *s, const front_step *step, const front_contact *contact, int n) {
    front_law law = {0, 0, 0, 0};
    front_vec *dp = front_memory((size_t)s->n, sizeof *dp);
    for (int k = 0; k < n; k++) {
        double limit;
        law.residual += residual(s, step, &contact[k], &limit);
        law.limit += limit;
    }
    for (int i = 0; i < s->n; i++) {
        front_vec now = front_sub(step->end[i].p, step->start[i].p),
                  last = front_sub(step->start[i].p, step->before[i].p);
        front_vec dx = front_axpy(front_sub(now, last), step->weightless[i] ? 0 : -step->h * step->h, s->gravity);
        dp[i] = front_scale(s->body[i].mass / step->h, dx);
        law.total += front_norm(dp[i]);
    }
    for (int k = 0; k < n; k++) {
        dp[contact[k].a] = front_sub(dp[contact[k].a], contact[k].impulse);
        if (contact[k].b >= 0) dp[contact[k].b] = front_axpy(dp[contact[k].b], 1, contact[k].impulse);
    }
    for (int i = 0; i < s->n; i++) law.missing += front_norm(dp[i]);
    free(dp);
    return law;
}

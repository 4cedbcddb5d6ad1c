/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* support.c - the three support points of a planar body (Berard 3.3)
 *
 * The body stays level and in its plane, so the normal forces follow from its weight alone (3.24): with points r_i from
 * the centre of mass, sum l_i = 1 and sum l_i r_i = 0. These are the barycentric coordinates of the centre of mass in
 * the triangle; they are not negative exactly if it lies inside. */
#include <math.h>

#include "stage/stepper.h"
#include "stage/frame.h"
#include "world/lifetime.h"
#include "base/elementary.h"

static double cross2(perp_vec3 a, perp_vec3 b) { return a.x * b.y - a.y * b.x; }

/* Barycentric coordinates of the origin. False if the points lie on a line. */
static bool loads(const perp_vec3 r[3], double out[3]) {
    double area = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        out[i] = cross2(r[(i + 1) % 3], r[(i + 2) % 3]); /* twice the triangle opposite to point i */
        area += out[i];
        size = fmax(size, pp_hypot(r[i].x, r[i].y));
    }
    if (!(fabs(area) > 1e-9 * size * size)) return false;
    for (int i = 0; i < 3; i++) out[i] /= area;
    return true;
}

perp_support perp_support_circle(double radius, double angle, double mu) {
    perp_support s = {.mu = {mu, mu, mu}};
    const double third = 2.0943951023931953;
    for (int i = 0; i < 3; i++)
        s.point_B[i] = perp_v3(radius * pp_cos(angle + i * third), radius * pp_sin(angle + i * third), 0);
    return s;
}

/* Whether the shape contains the point p of its frame. 2D. */
static bool inside(const pp_geometry *g, perp_vec3 p) {
    if (g->kind == PERP_SHAPE_SPHERE) return pp_hypot(p.x, p.y) <= g->radius;
    if (g->kind == PERP_SHAPE_CAPSULE) {
        double half = fmax(fabs(g->vert[0].x), fabs(g->vert[1].x));
        return pp_hypot(p.x - fmin(fmax(p.x, -half), half), p.y) <= g->radius;
    }
    if (g->nface == 0) return false;
    for (int i = 0; i < g->nface; i++)
        if (perp_v3_dot(g->face_n[i], p) > g->face_d[i]) return false;
    return true;
}

/* Whether one of the body's shapes contains the point p of the body frame. */
static bool in_body(const perp_world *w, int slot, perp_vec3 p) {
    for (int i = 0; i < w->nshape; i++) {
        const pp_shape *s = &w->shape[i];
        if (!pp_alive(s->gen) || s->body != slot || s->visual) continue;
        if (inside(s->g, perp_q_unrotate(s->X_BS.q, perp_v3_sub(p, s->X_BS.p)))) return true;
    }
    return false;
}

/* Between 0 and 1, by Steele's and Vigna's splitmix64. */
static double draw(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

perp_status perp_support_sample(perp_world *w, perp_body_id id, uint64_t seed, double mu, perp_support *out) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "the body does not exist");
    double r = 0; /* radius of a disc that contains the shapes */
    for (int i = 0; i < w->nshape; i++)
        if (pp_alive(w->shape[i].gen) && w->shape[i].body == slot && !w->shape[i].visual)
            r = fmax(r, w->shape[i].radius_B);
    uint64_t state = seed;
    perp_support s = {.mu = {mu, mu, mu}};
    int found = 0;
    /* A quarter of all random triangles in a disc contain its centre, so this many tries fail only if the shapes have almost no area. */
    for (int tries = 0; r > 0 && isfinite(r) && tries < 200000; tries++) {
        double x = draw(&state), y = draw(&state);
        perp_vec3 p = {r * (2 * x - 1), r * (2 * y - 1), 0};
        if (!in_body(w, slot, p)) continue;
        s.point_B[found++] = p;
        if (found < 3) continue;
        found = 0;
        double l[3];
        if (!loads(s.point_B, l) || !(l[0] >= 0 && l[1] >= 0 && l[2] >= 0)) continue;
        *out = s;
        return PERP_OK;
    }
    return pp_fail(w, PERP_E_ARG, "no three points of the body's shapes hold its centre of mass between them");
}

perp_status perp_body_set_support(perp_world *w, perp_body_id id, const perp_support *s) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "the body does not exist");
    pp_body *b = &w->body[slot];
    if (!s) {
        pp_free(&w->alloc, b->support);
        b->support = NULL;
        return PERP_OK;
    }
    if (w->def.dim != 2 || b->kind != PERP_BODY_DYNAMIC)
        return pp_fail(w, PERP_E_ARG, "a support is for dynamic bodies in 2D");
    if (!w->chosen.stepper->supports)
        return pp_fail(w, PERP_E_FIT, "stepper %s knows no support; planar-2.5d and quasistatic do",
                       w->chosen.stepper->name);
    for (int i = 0; i < 3; i++) {
        if (!perp_v3_finite(s->point_B[i])) return pp_fail(w, PERP_E_ARG, "support: point %d is not finite", i);
        if (!(s->mu[i] >= 0) || !isfinite(s->mu[i]))
            return pp_fail(w, PERP_E_ARG, "support: mu is %g; it must be finite and not negative", s->mu[i]);
    }
    double l[3];
    if (b->particle) { /* it has no extent: one point carries the whole load */
        l[0] = 1, l[1] = l[2] = 0;
    } else if (!loads(s->point_B, l)) {
        return pp_fail(w, PERP_E_ARG, "support: the three points lie on a line");
    }
    for (int i = 0; i < 3; i++)
        if (!(l[i] >= -1e-12))
            return pp_fail(w, PERP_E_ARG, "support: the centre of mass lies outside the triangle of the points");
    if (!b->support) b->support = pp_alloc(&w->alloc, 3 * sizeof *b->support);
    if (!b->support) return pp_fail(w, PERP_E_MEMORY, "out of memory for the support");
    for (int i = 0; i < 3; i++) {
        b->support[i].x = b->particle ? 0 : s->point_B[i].x;
        b->support[i].y = b->particle ? 0 : s->point_B[i].y;
        b->support[i].mu = s->mu[i];
        b->support[i].load = fmax(l[i], 0);
    }
    return PERP_OK;
}

bool perp_body_get_support(const perp_world *w, perp_body_id id, perp_support *out) {
    int slot = pp_body_slot(w, id);
    if (slot < 0 || !w->body[slot].support) return false;
    const pp_body *b = &w->body[slot];
    for (int i = 0; i < 3; i++) {
        out->point_B[i] = perp_v3(b->support[i].x, b->support[i].y, 0);
        out->mu[i] = b->support[i].mu;
    }
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_round.c - closest points of round shapes by support points
 * Problem  max over unit n of the separation  s(n) = n . (b(-n) - a(n)),  a(n) and b(-n) the support points. It is the distance
 *          where the two are apart, and minus the smallest translation that parts them where they overlap.
 * Method   The support point is the gradient of the dual norm: of (sum |x_i/h_i|^p)^(1/p) it is
 *          x_i = h_i sign(n_i) (|h_i n_i|/D)^(q-1), D = (sum |h_i n_i|^q)^(1/q), q = p/(p-1). Over a half-space n is given.
 *          Otherwise a search over directions with steps that are halved. If the shapes are apart, every local maximum is the
 *          global one, so one start from the line of centres is enough. If that search ends in an overlap, it is repeated from
 *          other directions, and the least overlap counts.
 * Valid    n to about 1e-6 of the search; the points of a superellipsoid only to the root of order p - 1 of that, for its
 *          flat spots. Newton's method in implicit_closest.c has the rest.
 * Cost     about 200 pairs of support points from each start. */
#include "geometry/narrow/implicit_round.h"

#include "base/elementary.h"

#define FIRST  0.3  /* first step of the search [rad] */
#define FINEST 1e-6 /* last one */
#define TURNS  400  /* most steps of a search */
/* Centres closer than this, in units of the smaller body, are in the same place. */
#define SAME_PLACE 1e-9

static const double tau = 6.28318530717958647692;

bool pp_is_round(const pp_geometry *g) {
    return g->kind == PERP_SHAPE_SPHERE || g->kind == PERP_SHAPE_ELLIPSOID || g->kind == PERP_SHAPE_SUPERELLIPSOID;
}

/* Dual norm of (|x|^p + |y|^p)^(1/p), and its derivatives by x and y. */
static double dual(double x, double y, double p, double *dx, double *dy) {
    double most = fmax(fabs(x), fabs(y)), q = p / (p - 1);
    *dx = *dy = 0;
    if (!(most > 0)) return 0;
    double u = pp_pow(fabs(x) / most, q - 1), v = pp_pow(fabs(y) / most, q - 1);
    double sum = u * fabs(x) / most + v * fabs(y) / most, D = pp_pow(sum, 1 / q), part = D / sum; /* D^(1-q) */
    *dx = copysign(u * part, x);
    *dy = copysign(v * part, y);
    return most * D;
}

perp_vec3 pp_round_support(const pp_geometry *g, perp_vec3 n) {
    perp_vec3 h = g->kind == PERP_SHAPE_SPHERE ? perp_v3(g->radius, g->radius, g->dim == 3 ? g->radius : 0) : g->half;
    perp_vec3 m = perp_v3(h.x * n.x, h.y * n.y, g->dim == 3 ? h.z * n.z : 0);
    if (g->kind != PERP_SHAPE_SUPERELLIPSOID) {
        double D = perp_v3_norm(m);
        return perp_v3(h.x * m.x / D, h.y * m.y / D, h.z * m.z / D);
    }
    double by_x, by_y, by_flat = 1, by_z = 0, flat = dual(m.x, m.y, g->exponent[0], &by_x, &by_y);
    if (g->dim == 3) (void)dual(flat, m.z, g->exponent[1], &by_flat, &by_z);
    return perp_v3(h.x * by_flat * by_x, h.y * by_flat * by_y, h.z * by_z);
}

static double norm(double x, double y, double p) {
    double most = fmax(fabs(x), fabs(y));
    return most > 0 ? most * pp_pow(pp_pow(fabs(x) / most, p) + pp_pow(fabs(y) / most, p), 1 / p) : 0;
}

double pp_round_norm(const pp_geometry *g, perp_vec3 x) {
    if (g->kind == PERP_SHAPE_SPHERE) return perp_v3_norm(x) / g->radius;
    bool super = g->kind == PERP_SHAPE_SUPERELLIPSOID;
    double flat = norm(x.x / g->half.x, x.y / g->half.y, super ? g->exponent[0] : 2);
    return g->dim == 2 ? flat : norm(flat, x.z / g->half.z, super ? g->exponent[1] : 2);
}

/* The support point in W, measured from `origin`. */
static perp_vec3 support(const pp_placed *p, perp_vec3 n_W, perp_vec3 origin) {
    perp_vec3 x = perp_q_rotate(p->X_WS.q, pp_round_support(p->g, perp_q_unrotate(p->X_WS.q, n_W)));
    return perp_v3_add(x, perp_v3_sub(p->X_WS.p, origin));
}

/* ---- over a half-space ---- */

bool pp_round_over_plane(const pp_placed *a, const pp_placed *b, pp_closest *c) {
    bool first = a->g->kind == PERP_SHAPE_HALFSPACE;
    const pp_placed *plane = first ? a : b, *body = first ? b : a;
    if (plane->g->kind != PERP_SHAPE_HALFSPACE || !pp_is_round(body->g)) return false;
    perp_vec3 n = perp_v3_unit(perp_q_rotate(plane->X_WS.q, plane->g->normal));
    perp_vec3 x = support(body, perp_v3_neg(n), plane->X_WS.p);
    double gap = perp_v3_dot(n, x) - plane->g->offset;
    x = perp_v3_add(x, plane->X_WS.p);
    perp_vec3 foot = perp_v3_axpy(x, -gap, n);
    *c = (pp_closest){
        .a_W = first ? foot : x, .b_W = first ? x : foot, .n_W = first ? n : perp_v3_neg(n), .gap = gap, .known = true};
    return true;
}

/* ---- two round shapes ---- */

typedef struct found {
    perp_vec3 n, a, b; /* points measured from the origin of A */
    double s;
} found;

static found look(const pp_placed *A, const pp_placed *B, perp_vec3 n) {
    found f = {.n = perp_v3_unit(n)};
    f.a = support(A, f.n, A->X_WS.p);
    f.b = support(B, perp_v3_neg(f.n), A->X_WS.p);
    f.s = perp_v3_dot(f.n, perp_v3_sub(f.b, f.a));
    return f;
}

/* Ascent from f. The gradient of s is the component of b - a across n; it is tried in addition to steps along the axes. */
static found climb(const pp_placed *A, const pp_placed *B, found f) {
    double step = FIRST;
    for (int turn = 0; step > FINEST && turn < TURNS; turn++) {
        perp_vec3 t, o, up = perp_v3_sub(f.b, f.a);
        up = perp_v3_axpy(up, -perp_v3_dot(up, f.n), f.n);
        perp_v3_frame(f.n, &t, &o);
        if (A->g->dim == 2) t = perp_v3(-f.n.y, f.n.x, 0);
        found next = f;
        double steepest = perp_v3_norm(up);
        if (steepest > 0) {
            found g = look(A, B, perp_v3_axpy(f.n, step / steepest, up));
            if (g.s > next.s) next = g;
        }
        for (int k = 0; !(next.s > f.s) && k < (A->g->dim == 2 ? 2 : 6); k++) {
            double phi = tau * k / 6 + 0.7 * turn; /* turned each time */
            perp_vec3 d = A->g->dim == 2 ? perp_v3_scale(k ? -1 : 1, t)
                                         : perp_v3_add(perp_v3_scale(pp_cos(phi), t), perp_v3_scale(pp_sin(phi), o));
            found g = look(A, B, perp_v3_axpy(f.n, step, d));
            if (g.s > next.s) next = g;
        }
        if (next.s > f.s)
            f = next;
        else
            step *= 0.5;
    }
    return f;
}

/* Starts for overlapping shapes: the sides and the corners of the frames of both. */
static found climb_from_all(const pp_placed *A, const pp_placed *B, found best) {
    int z0 = A->g->dim == 2 ? 0 : -1, z1 = A->g->dim == 2 ? 0 : 1;
    for (int side = 0; side < 2; side++)
        for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
                for (int z = z0; z <= z1; z++) {
                    if (x == 0 && y == 0 && z == 0) continue;
                    found f = look(A, B, perp_q_rotate((side ? B : A)->X_WS.q, perp_v3(x, y, z)));
                    double turned = perp_v3_dot(f.n, best.n);
                    if (!(f.s > best.s - 0.5 * fmin(A->g->thickness, B->g->thickness)) || turned > 0.99) continue;
                    f = climb(A, B, f);
                    if (f.s > best.s) best = f;
                }
    return best;
}

bool pp_round_search(const pp_placed *a, const pp_placed *b, pp_closest *c) {
    if (!pp_is_round(a->g) || !pp_is_round(b->g)) return false;
    perp_vec3 line = perp_v3_sub(b->X_WS.p, a->X_WS.p);
    if (!(perp_v3_norm(line) > SAME_PLACE * fmin(a->g->size, b->g->size)))
        return false; /* no direction to start from */
    found f = climb(a, b, look(a, b, line));
    if (f.s < 0) f = climb_from_all(a, b, f);
    *c = (pp_closest){.a_W = perp_v3_add(f.a, a->X_WS.p), .b_W = perp_v3_add(f.b, a->X_WS.p), .n_W = f.n, .gap = f.s};
    return true;
}

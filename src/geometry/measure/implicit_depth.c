/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_depth.c - penetration depth of implicit shapes, for the certificate, by support functions
 *   separation = max over unit n of  (lowest n . x of B) - (highest n . x of A)
 * If the two are apart, this is their distance; otherwise it is minus the length of the smallest translation that separates them.
 * Method   a half-space has one n. Else the best of some directions and of the line of centres, then a search on the
 *          sphere of directions whose steps halve: near the best n the separation is flat, so an error of 1e-8 in n is one
 *          of 1e-16 in it. It has corners at the normals of flat sides, which are tried, and edges along the directions
 *          perpendicular to straight lines in the surfaces, which are searched one by one. Support functions are dual to the
 *          norms of implicit_function.c. No code is shared with it, except for intersections, whose support function is found
 *          by Newton's method with a barrier.
 * Valid    overlaps that are shallow compared with the shapes. A deep overlap may have several local minima; the search finds the
 *          least of those that its starting directions lead to.
 * Cost     about 500 support functions a pair; of an intersection each is some 60 small linear systems. */

#include "geometry/shape/implicit_function.h"

#include "base/elementary.h"

#define FINEST      1e-9 /* last step of the search [rad] */
#define FIRST       0.3
#define TURNS       2000
#define BARRIER_END 1e-11 /* of the bound: beyond it the small systems lose their digits */

/* Dual norm of (|x|^p + |y|^p)^(1/p). */
static double dual(double x, double y, double p) {
    x = fabs(x);
    y = fabs(y);
    double most = fmax(x, y), q = p / (p - 1);
    if (!(most > 0)) return 0;
    return most * pp_pow(pp_pow(x / most, q) + pp_pow(y / most, q), 1 / q);
}

/* n . x + barrier sum of log(-f): value at x, or -INFINITY outside; gradient and negative Hessian. */
static double barrier(const pp_geometry *g, perp_vec3 n, double weight, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    double v = perp_v3_dot(n, x);
    if (grad) {
        *grad = n;
        *hess = perp_m3_diag(0, 0, 0);
    }
    for (int k = 0; k < g->nfunction; k++) {
        perp_vec3 d;
        perp_mat3 H;
        double f = pp_function_at(g, k, x, grad ? &d : NULL, grad ? &H : NULL);
        if (!(f < 0)) return -INFINITY;
        v += weight * pp_log(-f);
        if (!grad) continue;
        double s = weight / -f;
        *grad = perp_v3_axpy(*grad, -s, d);
        *hess = perp_m3_add(*hess, perp_m3_scale(s, H));
        for (int c = 0; c < 3; c++) {
            double dc = c == 0 ? d.x : c == 1 ? d.y : d.z;
            hess->c[c] = perp_v3_axpy(hess->c[c], s / -f * dc, d);
        }
    }
    return v;
}

/* x with A x = b, A positive definite, by elimination: an inverse would lose the small steps among large entries. */
static perp_vec3 solve3(perp_mat3 A, perp_vec3 b) {
    double l10 = A.c[0].y / A.c[0].x, l20 = A.c[0].z / A.c[0].x;
    double d1 = A.c[1].y - l10 * A.c[0].y, e = A.c[1].z - l20 * A.c[0].y, l21 = e / d1;
    double d2 = A.c[2].z - l20 * A.c[0].z - l21 * e;
    double y = b.y - l10 * b.x, z = (b.z - l20 * b.x - l21 * y) / d2;
    y = y / d1 - l21 * z;
    return perp_v3(b.x / A.c[0].x - l10 * y - l20 * z, y, z);
}

/* Highest n . x of an intersection: the barrier shrinks by a tenth and Newton's method follows. */
static double climb(const pp_geometry *g, perp_vec3 n) {
    perp_vec3 x = {0, 0, 0};
    double size = perp_v3_norm(n) * g->bound, at = 0, ridge = 0;
    if (!(size > 0)) return 0;
    double w = size;
    while (w > BARRIER_END * size) {
        w *= 0.1;
        for (int k = 0; k < 30; k++) {
            perp_vec3 grad;
            perp_mat3 H;
            at = barrier(g, n, w, x, &grad, &H);
            ridge = 1e-14 * (H.c[0].x + H.c[1].y + H.c[2].z);
            for (int c = 0; c < 3; c++) *(c == 0 ? &H.c[0].x : c == 1 ? &H.c[1].y : &H.c[2].z) += ridge;
            if (g->dim == 2) H.c[2] = perp_v3(0, 0, 1);
            perp_vec3 d = solve3(H, grad);
            if (g->dim == 2) d.z = 0;
            double gain = perp_v3_dot(grad, d), s = 1;
            if (!(gain > 1e-6 * w)) break;
            while (s > 1e-12 && !(barrier(g, n, w, perp_v3_axpy(x, s, d), NULL, NULL) > at + 0.1 * s * gain)) s *= 0.5;
            if (s <= 1e-12) break;
            x = perp_v3_axpy(x, s, d);
        }
    }
    return perp_v3_dot(n, x) + 0.5 * w * g->nfunction; /* the truth lies between nothing and twice that above */
}

double pp_implicit_support(const pp_geometry *g, perp_vec3 n) {
    perp_vec3 h = g->half, m = {h.x * n.x, h.y * n.y, h.z * n.z};
    switch (g->kind) {
    case PERP_SHAPE_ELLIPSOID: return perp_v3_norm(m);
    case PERP_SHAPE_SUPERELLIPSOID: {
        double flat = dual(m.x, m.y, g->exponent[0]);
        return g->dim == 2 ? flat : dual(flat, m.z, g->exponent[1]);
    }
    case PERP_SHAPE_CYLINDER: return pp_hypot(m.x, m.y) + fabs(m.z);
    case PERP_SHAPE_INTERSECTION: return climb(g, n);
    default: break;
    }
    double most = -INFINITY;
    for (int v = 0; v < g->nvert; v++) most = fmax(most, perp_v3_dot(n, g->vert[v]));
    return most + g->radius * perp_v3_norm(n);
}

static double along(const pp_placed *a, const pp_placed *b, perp_vec3 n) {
    return perp_v3_dot(n, perp_v3_sub(b->X_WS.p, a->X_WS.p)) -
           pp_implicit_support(a->g, perp_q_unrotate(a->X_WS.q, n)) -
           pp_implicit_support(b->g, perp_q_unrotate(b->X_WS.q, perp_v3_neg(n)));
}

typedef struct best {
    perp_vec3 n;
    double d;
} best;

/* Returns the separation along n. */
static double consider(const pp_placed *a, const pp_placed *b, perp_vec3 n, best *to) {
    double l = perp_v3_norm(n);
    if (!(l > 0)) return -INFINITY;
    n = perp_v3_scale(1 / l, n);
    double d = along(a, b, n);
    if (d > to->d || isnan(d)) *to = (best){n, d};
    return d;
}

/* Maximum of the parabola through a direction and eight around it at distance `step`, as a displacement along t and o; along a narrow
 * ridge the eight directions alone would converge slowly. False if it has none. */
static bool parabola_top(const double d[8], double at, double step, double *t, double *o) {
    double gt = (d[0] - d[4]) / (2 * step), go = (d[2] - d[6]) / (2 * step), ss = step * step;
    double tt = (d[0] + d[4] - 2 * at) / ss, oo = (d[2] + d[6] - 2 * at) / ss,
           to = (d[1] + d[5] - d[3] - d[7]) / (2 * ss);
    double det = tt * oo - to * to;
    if (!(tt < 0) || !(det > 0)) return false;
    *t = -(oo * gt - to * go) / det;
    *o = -(tt * go - to * gt) / det;
    double far = pp_hypot(*t, *o);
    if (far > 20 * step) *t *= 20 * step / far, *o *= 20 * step / far;
    return true;
}

/* Normal of the k-th flat side of a shape, in S; false past the last. */
static bool flat_side(const pp_geometry *g, int k, perp_vec3 *n) {
    if (g->kind == PERP_SHAPE_CYLINDER) {
        *n = perp_v3(0, 0, k ? -1 : 1);
        return k < 2;
    }
    if (g->kind == PERP_SHAPE_INTERSECTION) {
        for (int i = 0; i < g->nfunction; i++)
            if (g->function[i].kind == PERP_FUNCTION_HALFSPACE && k-- == 0) {
                *n = perp_q_rotate(g->function[i].X_SF.q, g->function[i].normal);
                return true;
            }
        return false;
    }
    if (!g->face_n || k >= g->nface) return false;
    *n = g->face_n[k];
    return true;
}

/* Direction of the k-th straight line that lies in the surface of a shape, in S; false past the last. */
static bool straight_line(const pp_geometry *g, int k, perp_vec3 *u) {
    if (g->kind == PERP_SHAPE_CYLINDER || g->kind == PERP_SHAPE_CAPSULE) {
        *u = g->kind == PERP_SHAPE_CYLINDER ? perp_v3(0, 0, 1) : perp_v3(1, 0, 0);
        return k == 0;
    }
    if (g->kind == PERP_SHAPE_INTERSECTION) {
        for (int i = 0; i < g->nfunction; i++)
            if (g->function[i].kind == PERP_FUNCTION_CYLINDER && k-- == 0) {
                *u = perp_q_rotate(g->function[i].X_SF.q, perp_v3(0, 0, 1));
                return true;
            }
        perp_vec3 m, n;
        for (int i = 0; flat_side(g, i, &m); i++)
            for (int j = i + 1; flat_side(g, j, &n); j++)
                if (k-- == 0) {
                    *u = perp_v3_cross(m, n);
                    return true;
                }
        return false;
    }
    if (!g->edge || k >= g->nedge) return false;
    *u = perp_v3_sub(g->vert[g->edge[k][1]], g->vert[g->edge[k][0]]);
    return true;
}

/* A search whose steps halve, in 3D over all directions, or square to u where that is given. */
static void search(const pp_placed *a, const pp_placed *b, const perp_vec3 *u, best *to) {
    bool line = u || a->g->dim == 2;
    int turns = 0;
    for (double step = FIRST; step > FINEST && turns < TURNS; turns++) {
        perp_vec3 t, o;
        perp_v3_frame(to->n, &t, &o);
        if (u) t = perp_v3_cross(*u, to->n);
        if (a->g->dim == 2) t = perp_v3(-to->n.y, to->n.x, 0);
        best next = *to;
        perp_vec3 d[8];
        double value[8] = {0}, x, y;
        for (int k = 0; k < (line ? 2 : 8); k++) {
            double phi = 6.283185307179586 * k / 8 + 0.7 * turns; /* turned each time */
            d[k] = line ? perp_v3_scale(k ? -1 : 1, t)
                        : perp_v3_add(perp_v3_scale(pp_cos(phi), t), perp_v3_scale(pp_sin(phi), o));
            value[k] = consider(a, b, perp_v3_axpy(to->n, step, d[k]), &next);
        }
        if (!line && parabola_top(value, to->d, step, &x, &y))
            consider(a, b, perp_v3_axpy(perp_v3_axpy(to->n, x, d[0]), y, d[2]), &next);
        if (next.d > to->d)
            *to = next;
        else
            step *= 0.5;
    }
}

/* If a surface contains straight lines, the separation has a ridge along all n perpendicular to them, which a free search would miss. */
static void along_lines(const pp_placed *a, const pp_placed *b, best *to) {
    const pp_placed *side[2] = {a, b};
    const best start = *to;
    perp_vec3 u, v;
    for (int s = 0; s < 2; s++)
        for (int k = 0; straight_line(side[s]->g, k, &u); k++) {
            u = perp_v3_unit(perp_q_rotate(side[s]->X_WS.q, u));
            best on = {{0, 0, 0}, -INFINITY};
            consider(a, b, perp_v3_axpy(start.n, -perp_v3_dot(start.n, u), u), &on);
            if (!(on.d > -INFINITY)) continue;
            search(a, b, &u, &on);
            if (on.d > to->d) *to = on;
            for (int m = 0; s == 0 && straight_line(b->g, m, &v); m++) {
                perp_vec3 n = perp_v3_cross(u, perp_q_rotate(b->X_WS.q, v));
                consider(a, b, n, to);
                consider(a, b, perp_v3_neg(n), to);
            }
        }
}

double pp_implicit_separation(const pp_placed *a, const pp_placed *b) {
    if (b->g->kind == PERP_SHAPE_HALFSPACE) {
        const pp_placed *c = a;
        a = b;
        b = c;
    }
    if (a->g->kind == PERP_SHAPE_HALFSPACE) {
        perp_vec3 n = perp_q_rotate(a->X_WS.q, a->g->normal);
        return perp_v3_dot(n, perp_v3_sub(b->X_WS.p, a->X_WS.p)) - a->g->offset -
               pp_implicit_support(b->g, perp_q_unrotate(b->X_WS.q, perp_v3_neg(n)));
    }
    best to = {{1, 0, 0}, -INFINITY};
    consider(a, b, perp_v3_sub(b->X_WS.p, a->X_WS.p), &to);
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = a->g->dim == 2 ? 0 : -1; z <= (a->g->dim == 2 ? 0 : 1); z++)
                consider(a, b, perp_v3(x, y, z), &to);
    perp_vec3 n;
    for (int k = 0; flat_side(a->g, k, &n); k++) consider(a, b, perp_q_rotate(a->X_WS.q, n), &to);
    for (int k = 0; flat_side(b->g, k, &n); k++) consider(a, b, perp_v3_neg(perp_q_rotate(b->X_WS.q, n)), &to);
    search(a, b, NULL, &to);
    if (a->g->dim == 3) along_lines(a, b, &to);
    return to.d;
}

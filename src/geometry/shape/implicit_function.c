/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_function.c - values, gradients and Hessians of the convex functions that shapes are made of
 * Problem  f(x) <= 0 inside, f about the distance from the surface near it, twice differentiable.
 * Method   ball, ellipsoid, superellipsoid: m (N(x)^2 - 1)/2, N the norm whose unit ball the shape is and m its smallest
 *          half axis. N^2 is homogeneous of degree 2, so it is evaluated where the largest coordinate is 1: no power
 *          overflows. Cylinder, polytopes: one function for each side. Capsule: the ball's, from the nearest point of the
 *          segment.
 * Source   Berard 3.5.1, (3.111)-(3.116) with the radius meant there, 20.75 mm. */
#include "geometry/shape/implicit_function.h"

#include "base/elementary.h"

#define NO_MATRIX perp_m3_diag(0, 0, 0)

static perp_mat3 outer(double s, perp_vec3 a, perp_vec3 b) {
    return (perp_mat3){{perp_v3_scale(s * b.x, a), perp_v3_scale(s * b.y, a), perp_v3_scale(s * b.z, a)}};
}

static double plane(perp_vec3 n, double d, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    if (grad) *grad = n;
    if (hess) *hess = NO_MATRIX;
    return perp_v3_dot(n, x) - d;
}

/* m (sum of w_i x_i^2 - 1)/2 */
static double quadric(double m, perp_vec3 w, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    perp_vec3 g = perp_v3(m * w.x * x.x, m * w.y * x.y, m * w.z * x.z);
    if (grad) *grad = g;
    if (hess) *hess = perp_m3_diag(m * w.x, m * w.y, m * w.z);
    return 0.5 * (perp_v3_dot(g, x) - m);
}

static double ball(int dim, double r, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    double w = 1 / (r * r);
    return quadric(r, perp_v3(w, w, dim == 3 ? w : 0), x, grad, hess);
}

static double smallest(int dim, perp_vec3 h) { return dim == 3 ? fmin(h.x, fmin(h.y, h.z)) : fmin(h.x, h.y); }

static double ellipsoid(int dim, perp_vec3 h, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    perp_vec3 w = {1 / (h.x * h.x), 1 / (h.y * h.y), dim == 3 ? 1 / (h.z * h.z) : 0};
    return quadric(smallest(dim, h), w, x, grad, hess);
}

/* P = |x|^r + |y|^r and S = P^(t/r) + |z|^t in coordinates over the half axes. */
typedef struct powers {
    double P, S;
    perp_vec3 dP, dS;   /* z of dP is 0 */
    double Pxx, Pyy;    /* second derivatives of P */
    double c1, c2, Szz; /* of S: c1 d2P + c2 dP dP' in x, y */
} powers;

static double sign_of(double x) { return x < 0 ? -1 : 1; }

static powers powers_at(perp_vec3 u, double r, double t) {
    powers p = {0};
    double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    double xr = pp_pow(x, r - 2), yr = pp_pow(y, r - 2), zt = pp_pow(z, t - 2);
    p.P = xr * x * x + yr * y * y;
    p.dP = perp_v3(r * xr * x * sign_of(u.x), r * yr * y * sign_of(u.y), 0);
    p.Pxx = r * (r - 1) * xr;
    p.Pyy = r * (r - 1) * yr;
    double k = t / r;
    if (p.P > 1e-280) {
        double Pk = pp_pow(p.P, k);
        p.S = Pk;
        p.c1 = k * Pk / p.P;
        p.c2 = k * (k - 1) * Pk / p.P / p.P;
    } else if (t == 2) { /* on the z axis the curvature depends on the direction; that of the ellipsoid lies between */
        p.Pxx = p.Pyy = 2;
        p.c1 = 1;
    }
    p.dS = perp_v3_scale(p.c1, p.dP);
    p.S += zt * z * z;
    p.dS.z = t * zt * z * sign_of(u.z);
    p.Szz = t * (t - 1) * zt;
    return p;
}

static double superellipsoid(int dim, perp_vec3 h, const double e[2], perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    double m = smallest(dim, h), r = e[0], t = dim == 3 ? e[1] : e[0];
    perp_vec3 u = {x.x / h.x, x.y / h.y, dim == 3 ? x.z / h.z : 0};
    double most = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
    perp_vec3 w = {1 / h.x, 1 / h.y, dim == 3 ? 1 / h.z : 0};
    if (!(most > 0)) return quadric(m, perp_v3(w.x * w.x, w.y * w.y, w.z * w.z), x, grad, hess);
    powers p = powers_at(perp_v3_scale(1 / most, u), r, t);
    double a = m / t * pp_pow(p.S, 2 / t - 1), b = a * (2 / t - 1) / p.S;
    perp_vec3 dS = {p.dS.x * w.x, p.dS.y * w.y, p.dS.z * w.z};
    if (grad) *grad = perp_v3_scale(most * a, dS);
    if (hess) {
        perp_vec3 dP = {p.dP.x * w.x, p.dP.y * w.y, 0};
        *hess = perp_m3_add(outer(b, dS, dS), outer(a * p.c2, dP, dP));
        hess->c[0].x += a * p.c1 * p.Pxx * w.x * w.x;
        hess->c[1].y += a * p.c1 * p.Pyy * w.y * w.y;
        hess->c[2].z += a * p.Szz * w.z * w.z;
    }
    return 0.5 * m * (most * most * pp_pow(p.S, 2 / t) - 1);
}

/* About the z axis; in 2D about the y axis of the plane, a strip. */
static double pipe(int dim, double r, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    double w = 1 / (r * r);
    return quadric(r, perp_v3(w, dim == 3 ? w : 0, 0), x, grad, hess);
}

static double capsule(const pp_geometry *g, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    double half = g->vert[1].x, at = x.x < -half ? -half : x.x > half ? half : x.x;
    double f = ball(g->dim, g->radius, perp_v3(x.x - at, x.y, x.z), grad, hess);
    if (hess && at == x.x) hess->c[0].x = 0;
    return f;
}

/* Sides of a particle: six planes (in 2D four) through its point, so that every normal is a sum of some. */
static double particle(int k, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    double s = k & 1 ? -1 : 1;
    return plane(perp_v3(k / 2 == 0 ? s : 0, k / 2 == 1 ? s : 0, k / 2 == 2 ? s : 0), 0, x, grad, hess);
}

/* One of an intersection, in its own frame F. */
static double member_at(const perp_function *f, int dim, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    switch (f->kind) {
    case PERP_FUNCTION_SPHERE: return ball(dim, f->radius, x, grad, hess);
    case PERP_FUNCTION_ELLIPSOID: return ellipsoid(dim, f->half_size, x, grad, hess);
    case PERP_FUNCTION_SUPERELLIPSOID: return superellipsoid(dim, f->half_size, f->exponent, x, grad, hess);
    case PERP_FUNCTION_HALFSPACE: return plane(f->normal, f->offset, x, grad, hess);
    case PERP_FUNCTION_CYLINDER: return pipe(dim, f->radius, x, grad, hess);
    default: {
        perp_vec3 g = {0, 0, 0};
        perp_mat3 H = NO_MATRIX;
        double v = f->user(x, &g, &H, f->ctx);
        if (dim == 2) {
            g.z = 0;
            H.c[0].z = H.c[1].z = 0;
            H.c[2] = perp_v3(0, 0, 0);
        }
        if (grad) *grad = g;
        if (hess) *hess = H;
        return v;
    }
    }
}

static double member(const perp_function *f, int dim, perp_vec3 x_S, perp_vec3 *grad, perp_mat3 *hess) {
    double v = member_at(f, dim, perp_pose_unapply(f->X_SF, x_S), grad, hess);
    if (grad) *grad = perp_q_rotate(f->X_SF.q, *grad);
    if (hess) {
        perp_mat3 R = perp_q_matrix(f->X_SF.q);
        *hess = perp_m3_mul(R, perp_m3_mul(*hess, perp_m3_transpose(R)));
    }
    return v;
}

int pp_function_count(const pp_geometry *g) {
    switch (g->kind) {
    case PERP_SHAPE_PARTICLE: return 2 * g->dim;
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_POLYGON:
    case PERP_SHAPE_POLYHEDRON: return g->nface;
    case PERP_SHAPE_CYLINDER: return 3;
    case PERP_SHAPE_INTERSECTION: return g->nfunction;
    default: return 1;
    }
}

double pp_function_at(const pp_geometry *g, int k, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    switch (g->kind) {
    case PERP_SHAPE_PARTICLE: return particle(k, x, grad, hess);
    case PERP_SHAPE_SPHERE: return ball(g->dim, g->radius, x, grad, hess);
    case PERP_SHAPE_HALFSPACE: return plane(g->normal, g->offset, x, grad, hess);
    case PERP_SHAPE_CAPSULE: return capsule(g, x, grad, hess);
    case PERP_SHAPE_ELLIPSOID: return ellipsoid(g->dim, g->half, x, grad, hess);
    case PERP_SHAPE_SUPERELLIPSOID: return superellipsoid(g->dim, g->half, g->exponent, x, grad, hess);
    case PERP_SHAPE_CYLINDER:
        if (k == 0) return pipe(3, g->radius, x, grad, hess);
        return plane(perp_v3(0, 0, k == 1 ? 1 : -1), g->half.z, x, grad, hess);
    case PERP_SHAPE_INTERSECTION: return member(&g->function[k], g->dim, x, grad, hess);
    default: return plane(g->face_n[k], g->face_d[k], x, grad, hess);
    }
}

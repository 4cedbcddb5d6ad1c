/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_geometry.c - checks, bounds, mass and a mesh to draw of the shapes that are given by functions
 * Method   the mesh has its points where rays from the origin leave the shape; it serves viewers and nothing else. Mass of
 *          a superellipsoid: slices across z are superellipses that shrink as (1 - |z/c|^t)^(1/t), each moment is a product
 *          of beta functions.
 * Source   Dirichlet's integral: over |x/a|^r + |y/b|^r <= 1 the integral of |x|^(p-1) |y|^(q-1) is
 *          4 a^p b^q/r^2 G(p/r) G(q/r)/G(p/r + q/r + 1). */
#include <string.h>

#include "base/refuse.h"
#include "geometry/shape/implicit_function.h"
#include "base/elementary.h"

#define RINGS     12 /* of the mesh, from pole to pole */
#define SECTORS   24
#define OUTLINE   64 /* points of a mesh in the plane */
#define SIDES     32 /* of a cylinder */
#define HALVINGS  64 /* of a ray */
#define POWER_MAX 100.0

static const double pi = 3.14159265358979323846;

/* ---- checks ---- */

static bool length_ok(double x) { return x >= PP_LENGTH_MIN && x <= PP_LENGTH_MAX; }

static perp_status check_axes(perp_vec3 h, int dim, char *why, size_t n) {
    if (dim == 2) h.z = h.x;
    if (!perp_v3_finite(h)) return pp_refuse(why, n, PERP_E_ARG, "a half axis is not finite");
    if (length_ok(h.x) && length_ok(h.y) && length_ok(h.z)) return PERP_OK;
    return pp_refuse(why, n, PERP_E_GEOMETRY, "a half axis is not positive, too small or too large");
}

static perp_status check_powers(const double e[2], int dim, char *why, size_t n) {
    for (int k = 0; k < dim - 1; k++)
        if (!(e[k] >= 2) || !(e[k] <= POWER_MAX))
            return pp_refuse(why, n, PERP_E_GEOMETRY, "power %g of the superellipsoid is not between 2 and %g", e[k],
                             POWER_MAX);
    return PERP_OK;
}

static perp_status check_length(const char *what, double x, char *why, size_t n) {
    if (!isfinite(x)) return pp_refuse(why, n, PERP_E_ARG, "the %s is not finite", what);
    if (length_ok(x)) return PERP_OK;
    return pp_refuse(why, n, PERP_E_GEOMETRY, "%s %g is not positive, too small or too large", what, x);
}

static bool no_turn(perp_quat q) { return q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0; }

static perp_status check_function(const perp_function *f, int dim, char *why, size_t n) {
    const perp_pose *X = &f->X_SF;
    if (!perp_v3_finite(X->p) || !perp_q_finite(X->q) || (!no_turn(X->q) && !(fabs(perp_q_norm(X->q) - 1) <= 1e-6)))
        return pp_refuse(why, n, PERP_E_ARG, "its pose is not finite, or its quaternion has not length 1");
    if (dim == 2 && (X->p.z != 0 || X->q.x != 0 || X->q.y != 0))
        return pp_refuse(why, n, PERP_E_ARG, "its pose leaves the x-y plane of a 2D world");
    perp_status s = PERP_OK;
    switch (f->kind) {
    case PERP_FUNCTION_SPHERE:
    case PERP_FUNCTION_CYLINDER: return check_length("radius", f->radius, why, n);
    case PERP_FUNCTION_ELLIPSOID: return check_axes(f->half_size, dim, why, n);
    case PERP_FUNCTION_SUPERELLIPSOID:
        s = check_axes(f->half_size, dim, why, n);
        return s ? s : check_powers(f->exponent, dim, why, n);
    case PERP_FUNCTION_HALFSPACE:
        if (!perp_v3_finite(f->normal) || !isfinite(f->offset) || !length_ok(perp_v3_norm(f->normal)))
            return pp_refuse(why, n, PERP_E_GEOMETRY, "its normal or offset is not finite, or the normal is zero");
        if (dim == 2 && f->normal.z != 0)
            return pp_refuse(why, n, PERP_E_GEOMETRY, "its normal leaves the x-y plane of a 2D world");
        return PERP_OK;
    case PERP_FUNCTION_USER: return f->user ? PERP_OK : pp_refuse(why, n, PERP_E_ARG, "it has no function of the user");
    default: return pp_refuse(why, n, PERP_E_ARG, "function kind %d is unknown", (int)f->kind);
    }
}

static perp_status check_intersection(const perp_shape_def *d, int dim, char *why, size_t n) {
    if (!d->function || d->nfunction < 1) return pp_refuse(why, n, PERP_E_ARG, "the intersection has no functions");
    if (d->nfunction > PERP_FUNCTION_MAX)
        return pp_refuse(why, n, PERP_E_GEOMETRY, "%d functions are too many; an intersection takes up to %d",
                         d->nfunction, PERP_FUNCTION_MAX);
    for (int k = 0; k < d->nfunction; k++) {
        char about[160] = "";
        perp_status s = check_function(&d->function[k], dim, about, sizeof about);
        if (s) return pp_refuse(why, n, s, "function %d of the intersection: %s", k, about);
    }
    return check_length("bound", d->bound, why, n);
}

perp_status pp_implicit_check(const perp_shape_def *d, int dim, char *why, size_t n) {
    perp_status s = PERP_OK;
    switch (d->kind) {
    case PERP_SHAPE_ELLIPSOID: return check_axes(d->half_size, dim, why, n);
    case PERP_SHAPE_SUPERELLIPSOID:
        s = check_axes(d->half_size, dim, why, n);
        return s ? s : check_powers(d->exponent, dim, why, n);
    case PERP_SHAPE_CYLINDER:
        if (dim != 3) return pp_refuse(why, n, PERP_E_GEOMETRY, "a cylinder belongs in a 3D world");
        s = check_length("radius", d->radius, why, n);
        return s ? s : check_length("half length", d->half_length, why, n);
    default: return check_intersection(d, dim, why, n);
    }
}

/* ---- mesh ---- */

static double highest(const pp_geometry *g, perp_vec3 x) {
    double most = -INFINITY;
    for (int k = 0; k < pp_function_count(g); k++) {
        double f = pp_function_at(g, k, x, NULL, NULL);
        if (!(f <= most)) most = f; /* not a number counts as outside */
    }
    return most;
}

/* Distance from the origin to the surface of the shape along the unit vector d; INFINITY: beyond `far`. */
static double reach(const pp_geometry *g, perp_vec3 d, double far) {
    double lo = 0, hi = far;
    if (highest(g, perp_v3_scale(hi, d)) < 0) return INFINITY;
    for (int k = 0; k < HALVINGS; k++) {
        double mid = 0.5 * (lo + hi);
        *(highest(g, perp_v3_scale(mid, d)) <= 0 ? &lo : &hi) = mid;
    }
    return lo;
}

/* Directions of the points of a mesh: poles first, then rings. */
static perp_vec3 direction(int dim, int i) {
    if (dim == 2) return perp_v3(pp_cos(2 * pi * i / OUTLINE), pp_sin(2 * pi * i / OUTLINE), 0);
    if (i < 2) return perp_v3(0, 0, i ? -1 : 1);
    int ring = (i - 2) / SECTORS + 1, at = (i - 2) % SECTORS;
    double polar = pi * ring / RINGS, round = 2 * pi * at / SECTORS;
    return perp_v3(pp_sin(polar) * pp_cos(round), pp_sin(polar) * pp_sin(round), pp_cos(polar));
}

static int on_ring(int ring, int at) { return 2 + (ring - 1) * SECTORS + at % SECTORS; }

static void add_face(pp_geometry *g, int n, const int *v) {
    int at = g->face_start[g->nface];
    memcpy(g->face_vert + at, v, (size_t)n * sizeof *v);
    g->face_start[++g->nface] = at + n;
}

/* Triangles between the rings. */
static void ball_faces(pp_geometry *g) {
    for (int j = 0; j < SECTORS; j++) {
        const int top[3] = {0, on_ring(1, j), on_ring(1, j + 1)};
        const int low[3] = {1, on_ring(RINGS - 1, j + 1), on_ring(RINGS - 1, j)};
        add_face(g, 3, top);
        add_face(g, 3, low);
        for (int i = 1; i + 1 < RINGS; i++) {
            const int a[3] = {on_ring(i, j), on_ring(i + 1, j), on_ring(i + 1, j + 1)};
            const int b[3] = {on_ring(i, j), on_ring(i + 1, j + 1), on_ring(i, j + 1)};
            add_face(g, 3, a);
            add_face(g, 3, b);
        }
    }
}

static void cylinder_mesh(pp_geometry *g) {
    int loop[SIDES];
    for (int i = 0; i < SIDES; i++) {
        double x = g->radius * pp_cos(2 * pi * i / SIDES), y = g->radius * pp_sin(2 * pi * i / SIDES);
        g->vert[i] = perp_v3(x, y, -g->half.z);
        g->vert[SIDES + i] = perp_v3(x, y, g->half.z);
        int j = (i + 1) % SIDES;
        const int side[4] = {i, j, SIDES + j, SIDES + i};
        add_face(g, 4, side);
    }
    for (int i = 0; i < SIDES; i++) loop[i] = SIDES + i;
    add_face(g, SIDES, loop);
    for (int i = 0; i < SIDES; i++) loop[i] = SIDES - 1 - i;
    add_face(g, SIDES, loop);
}

static void *get(const perp_allocator *a, int n, size_t size) { return pp_alloc(a, (size_t)(n > 0 ? n : 1) * size); }

/* Points and faces; thickness of an intersection from its points. */
static perp_status mesh(pp_geometry *g, const perp_allocator *a, char *why, size_t n) {
    bool pipe = g->kind == PERP_SHAPE_CYLINDER, flat = g->dim == 2;
    int nv = pipe ? 2 * SIDES : flat ? OUTLINE : 2 + (RINGS - 1) * SECTORS;
    int nf = pipe ? SIDES + 2 : flat ? 0 : 2 * SECTORS * (RINGS - 1), nc = pipe ? 6 * SIDES : 3 * nf;
    g->vert = get(a, nv, sizeof *g->vert);
    g->face_start = get(a, nf + 1, sizeof *g->face_start);
    g->face_vert = get(a, nc, sizeof *g->face_vert);
    if (!g->vert || !g->face_start || !g->face_vert) return pp_refuse(why, n, PERP_E_MEMORY, "no memory for a shape");
    g->nvert = nv;
    g->nface = 0;
    g->face_start[0] = 0;
    if (pipe) {
        cylinder_mesh(g);
        return PERP_OK;
    }
    double least = INFINITY;
    for (int i = 0; i < nv; i++) {
        perp_vec3 d = direction(g->dim, i);
        double r = reach(g, d, g->bound * (1 + 1e-9));
        if (!isfinite(r))
            return pp_refuse(why, n, PERP_E_GEOMETRY, "the intersection reaches beyond its bound of %g", g->bound);
        least = fmin(least, r);
        g->vert[i] = perp_v3_scale(r, d);
    }
    if (g->kind == PERP_SHAPE_INTERSECTION) g->thickness = 2 * least;
    if (!flat) ball_faces(g);
    return PERP_OK;
}

static perp_status copy_functions(pp_geometry *g, const perp_shape_def *d, const perp_allocator *a, char *why,
                                  size_t n) {
    g->function = get(a, d->nfunction, sizeof *g->function);
    if (!g->function) return pp_refuse(why, n, PERP_E_MEMORY, "no memory for a shape");
    g->nfunction = d->nfunction;
    for (int k = 0; k < d->nfunction; k++) {
        perp_function *f = &g->function[k];
        *f = d->function[k];
        f->X_SF.q = no_turn(f->X_SF.q) ? perp_q_identity() : perp_q_unit(f->X_SF.q);
        if (f->kind == PERP_FUNCTION_HALFSPACE && fabs(perp_v3_norm(f->normal) - 1) > 4e-16)
            f->normal = perp_v3_unit(f->normal);
        double at = pp_function_at(g, k, perp_v3(0, 0, 0), NULL, NULL);
        if (!(at < 0))
            return pp_refuse(why, n, PERP_E_GEOMETRY,
                             "function %d of the intersection is %g at the origin of the shape; it must be negative", k,
                             at);
    }
    return PERP_OK;
}

perp_status pp_implicit_build(pp_geometry *g, const perp_shape_def *d, const perp_allocator *a, char *why, size_t n) {
    perp_vec3 h = d->half_size;
    if (g->dim == 2) h.z = 0;
    g->half = h;
    double least = g->dim == 2 ? fmin(h.x, h.y) : fmin(h.x, fmin(h.y, h.z));
    perp_status s = PERP_OK;
    switch (g->kind) {
    case PERP_SHAPE_ELLIPSOID: g->bound = fmax(h.x, fmax(h.y, h.z)); break;
    case PERP_SHAPE_SUPERELLIPSOID:
        memcpy(g->exponent, d->exponent, sizeof g->exponent);
        g->bound = perp_v3_norm(h); /* it lies in the box */
        break;
    case PERP_SHAPE_CYLINDER:
        g->radius = d->radius;
        g->half = perp_v3(d->radius, d->radius, d->half_length);
        g->bound = pp_hypot(d->radius, d->half_length);
        least = fmin(d->radius, d->half_length);
        break;
    default:
        g->bound = d->bound;
        s = copy_functions(g, d, a, why, n);
        break;
    }
    g->size = 2 * g->bound;
    g->thickness = 2 * least;
    return s ? s : mesh(g, a, why, n);
}

/* ---- mass ---- */

static double beta(double p, double q) { return pp_tgamma(p) * pp_tgamma(q) / pp_tgamma(p + q); }

/* Integral of |x|^(p-1) |y|^(q-1) over a superellipse of half axes 1. */
static double dirichlet(double r, double p, double q) {
    return 4 / (r * r) * pp_tgamma(p / r) * pp_tgamma(q / r) / pp_tgamma((p + q) / r + 1);
}

static perp_mass super_mass(const pp_geometry *g) {
    perp_mass m = {0};
    perp_vec3 h = g->half;
    double r = g->exponent[0], t = g->exponent[1];
    double area = h.x * h.y * dirichlet(r, 1, 1), second = h.x * h.y * dirichlet(r, 3, 1);
    double xx = second * h.x * h.x, yy = second * h.y * h.y;
    if (g->dim == 2) {
        m.mass = area;
        m.I_B.c[2].z = xx + yy;
        return m;
    }
    double slices = 2 * h.z / t;
    m.mass = area * slices * beta(1 / t, 2 / t + 1);
    double zz = area * slices * h.z * h.z * beta(3 / t, 2 / t + 1), shrunk = slices * beta(1 / t, 4 / t + 1);
    xx *= shrunk;
    yy *= shrunk;
    m.I_B = perp_m3_diag(yy + zz, xx + zz, xx + yy);
    return m;
}

perp_mass pp_implicit_mass(const pp_geometry *g) {
    perp_mass m = {0};
    double x = g->half.x * g->half.x, y = g->half.y * g->half.y, z = g->half.z * g->half.z;
    if (g->kind == PERP_SHAPE_SUPERELLIPSOID) return super_mass(g);
    if (g->kind == PERP_SHAPE_CYLINDER) {
        m.mass = 2 * pi * x * g->half.z;
        double across = m.mass * (x / 4 + z / 3);
        m.I_B = perp_m3_diag(across, across, m.mass * x / 2);
    } else if (g->dim == 2) {
        m.mass = pi * g->half.x * g->half.y;
        m.I_B.c[2].z = m.mass * (x + y) / 4;
    } else {
        m.mass = 4.0 / 3.0 * pi * g->half.x * g->half.y * g->half.z;
        m.I_B = perp_m3_diag(m.mass * (y + z) / 5, m.mass * (x + z) / 5, m.mass * (x + y) / 5);
    }
    return m;
}

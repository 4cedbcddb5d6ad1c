/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* overlap_measure.c - chooses the method of measuring the area or volume for each pair, see overlap_measure.h
 * Method   shapes are moved near the origin, so that no digits are lost. A half-space is replaced by the part of it in a square or
 *          cube around the other shape. Against a polyhedron, a capsule in 3D is a cylinder and two half balls; with
 *          another round shape, planes along both axes cut both into stadiums, whose common area (overlap_flat.c) is
 *          summed over the planes by adaptive Gauss-Kronrod quadrature.
 * Cost     polyhedra: faces of one x size of the other. */
#include "geometry/measure/overlap_measure.h"

#include "geometry/shape/implicit_function.h"
#include "base/elementary.h"

#define HALF_PI 1.57079632679489661923
/* A square or cube around a shape reaches this much farther than its bound. */
#define AROUND 1.25
/* Quadrature: the error limit as a part of the smaller body, and the limits on the number of halvings of an
 * interval. There is a lower limit, because an error estimate over a kink may be small by chance. */
#define ASKED  1e-13
#define HALVED 24
#define SURE   1
/* Places looked at for changes between the planes. */
#define LOOKED      32
#define MOST_BREAKS (16 * LOOKED + 2)

static bool is_plane(const pp_geometry *g) { return g->kind == PERP_SHAPE_HALFSPACE; }
static bool is_round(const pp_geometry *g) { return g->nvert > 0 && g->nface == 0 && !is_plane(g); }

static perp_pose shifted(const pp_placed *p, perp_vec3 origin) {
    return (perp_pose){perp_v3_sub(p->X_WS.p, origin), p->X_WS.q};
}

static pp_half half_of(const pp_placed *plane, perp_vec3 origin) {
    perp_vec3 n = perp_q_rotate(plane->X_WS.q, plane->g->normal);
    return (pp_half){n, plane->g->offset + perp_v3_dot(n, perp_v3_sub(plane->X_WS.p, origin))};
}

/* The segment of a round shape. */
static void ends_of(const pp_placed *p, perp_vec3 origin, perp_vec3 end[2]) {
    perp_pose X = shifted(p, origin);
    end[0] = perp_pose_apply(X, p->g->vert[0]);
    end[1] = p->g->nvert > 1 ? perp_pose_apply(X, p->g->vert[1]) : end[0];
}

/* The half-planes or half-spaces whose intersection a polytope or half-space is. */
static pp_half *halves_of(const pp_placed *p, perp_vec3 origin, int *n, pp_arena *arena, bool *memory) {
    *n = is_plane(p->g) ? 1 : p->g->nface;
    pp_half *h = PP_ARENA_ARRAY(arena, pp_half, *n);
    if (!h) {
        *memory = true;
        *n = 0;
        return NULL;
    }
    perp_pose X = shifted(p, origin);
    if (is_plane(p->g)) {
        h[0] = half_of(p, origin);
        return h;
    }
    for (int f = 0; f < *n; f++) {
        perp_vec3 m = perp_q_rotate(X.q, p->g->face_n[f]);
        h[f] = (pp_half){m, p->g->face_d[f] + perp_v3_dot(m, X.p)};
    }
    return h;
}

/* A shape of the plane; `other` is what a half-plane must reach around. */
static pp_figure figure_of(const pp_placed *p, const pp_placed *other, perp_vec3 origin, pp_arena *arena,
                           bool *memory) {
    pp_figure f = {.round = is_round(p->g), .radius = p->g->radius};
    if (f.round) {
        ends_of(p, origin, f.end);
        return f;
    }
    f.half = halves_of(p, origin, &f.nhalf, arena, memory);
    if (is_plane(p->g)) {
        f.poly = pp_flat_square(perp_v3_sub(other->X_WS.p, origin), AROUND * other->g->bound, arena, memory);
        if (!*memory) f.poly = pp_flat_clip(f.poly, f.half[0], arena, memory);
        return f;
    }
    perp_pose X = shifted(p, origin);
    f.poly = (pp_flat){p->g->nvert, PP_ARENA_ARRAY(arena, perp_vec3, p->g->nvert)};
    if (!f.poly.v)
        *memory = true;
    else
        for (int k = 0; k < f.poly.n; k++) f.poly.v[k] = perp_pose_apply(X, p->g->vert[k]);
    return f;
}

static void lump_of(pp_polyhedron *l, const pp_placed *p, const pp_placed *other, perp_vec3 origin, pp_arena *arena,
                    bool *memory) {
    if (!is_plane(p->g)) {
        pp_polyhedron_of(l, p->g, shifted(p, origin), arena, memory);
        return;
    }
    pp_half h = half_of(p, origin);
    pp_polyhedron_cube(l, perp_v3_sub(other->X_WS.p, origin), AROUND * other->g->bound, arena, memory);
    pp_polyhedron_clip(l, &h, 1, arena, memory);
}

/* Two polyhedra, or one and a half-space (then b). */
static double lumps(const pp_placed *a, const pp_placed *b, perp_vec3 origin, pp_arena *arena, bool *memory) {
    pp_polyhedron l;
    int n;
    pp_polyhedron_of(&l, a->g, shifted(a, origin), arena, memory);
    pp_half *h = halves_of(b, origin, &n, arena, memory);
    if (!*memory) pp_polyhedron_clip(&l, h, n, arena, memory);
    return *memory ? 0 : pp_polyhedron_volume(&l);
}

/* A capsule, standing from 0 to `length` on the z axis, and a polyhedron: cylinder and half balls. */
static double capsule_lump(const pp_polyhedron *l, double length, double r, pp_arena *arena, bool *memory) {
    const perp_vec3 up = {0, 0, 1}, down = {0, 0, -1};
    const pp_half middle[2] = {{down, 0}, {up, length}}, below = {up, 0}, above = {down, -length};
    pp_polyhedron part;
    pp_polyhedron_copy(&part, l, arena, memory);
    pp_polyhedron_clip(&part, middle, 2, arena, memory);
    double sum = pp_polyhedron_in_cylinder(&part, r, arena, memory);
    pp_polyhedron_copy(&part, l, arena, memory);
    pp_polyhedron_clip(&part, &below, 1, arena, memory);
    sum += pp_polyhedron_in_ball(&part, perp_v3(0, 0, 0), r);
    pp_polyhedron_copy(&part, l, arena, memory);
    pp_polyhedron_clip(&part, &above, 1, arena, memory);
    return sum + pp_polyhedron_in_ball(&part, perp_v3(0, 0, length), r);
}

static double round_lump(const pp_placed *round, const pp_placed *poly, perp_vec3 origin, pp_arena *arena,
                         bool *memory) {
    pp_polyhedron l;
    perp_vec3 end[2], t, o;
    lump_of(&l, poly, round, origin, arena, memory);
    ends_of(round, origin, end);
    perp_vec3 d = perp_v3_sub(end[1], end[0]), u = perp_v3_unit(d);
    double r = round->g->radius;
    if (!(perp_v3_dot(d, d) > 0)) return pp_polyhedron_in_ball(&l, end[0], r);
    perp_v3_frame(u, &t, &o);
    for (int v = 0; v < l.nvert; v++) {
        perp_vec3 x = perp_v3_sub(l.v[v], end[0]);
        l.v[v] = perp_v3(perp_v3_dot(t, x), perp_v3_dot(o, x), perp_v3_dot(u, x));
    }
    return capsule_lump(&l, perp_v3_norm(d), r, arena, memory);
}

/* Lens of two balls, or the smaller one if it is inside. */
static double balls(double ra, double rb, double d) {
    double small = fmin(ra, rb), large = fmax(ra, rb), in = ra + rb - d;
    if (!(in > 0)) return 0;
    if (d <= large - small) return 8 * HALF_PI / 3 * small * small * small;
    double diff = ra - rb;
    return HALF_PI / 6 * in * in * (d + 2 * (ra + rb) - 3 * diff * diff / d);
}

/* Lens of two discs. */
static double two_discs(double ra, double rb, double d) {
    double small = fmin(ra, rb), large = fmax(ra, rb), in = ra + rb - d, sum = 0;
    if (!(in > 0)) return 0;
    if (d <= large - small) return 2 * HALF_PI * small * small;
    for (int k = 0; k < 2; k++) {
        double r = k ? rb : ra, other = k ? ra : rb;
        double height = in * (d + other - r) / (2 * d); /* of the segment cut off this disc */
        sum += r * r * pp_segment_area(4 * pp_asin(sqrt(fmin(height / (2 * r), 1))));
    }
    return sum;
}

/* Two round solids cut by planes along both their axes. */
typedef struct slices {
    pp_figure f[2]; /* ends in the planes; the radius is that of the slice */
    double r[2], at[2];
    double middle, half; /* of a stretch of planes: at middle + half sin(phi), which smooths what begins at its ends */
    pp_arena *arena;
    bool *memory;
} slices;

/* Radius of the slice of solid k at t. */
static double slice_radius(const slices *s, int k, double t) {
    double x = t - s->at[k], left = (s->r[k] - x) * (s->r[k] + x);
    return left > 0 ? sqrt(left) : 0;
}

static double slice(slices *s, double phi) {
    double t = s->middle + s->half * pp_sin(phi);
    for (int k = 0; k < 2; k++) s->f[k].radius = slice_radius(s, k, t);
    if (!(s->f[0].radius > 0) || !(s->f[1].radius > 0)) return 0;
    return s->half * pp_cos(phi) * pp_figures_area(&s->f[0], &s->f[1], s->arena, s->memory);
}

static double point_segment(perp_vec3 x, const perp_vec3 end[2]) {
    perp_vec3 d = perp_v3_sub(end[1], end[0]), v = perp_v3_sub(x, end[0]);
    double dd = perp_v3_dot(d, d), t = dd > 0 ? fmin(fmax(perp_v3_dot(v, d) / dd, 0), 1) : 0;
    return perp_v3_norm(perp_v3_axpy(v, -t, d));
}

/* Distance of the two segments in the planes. */
static double plane_distance(const slices *s) {
    const perp_vec3 *p = s->f[0].end, *q = s->f[1].end;
    perp_vec3 u = perp_v3_sub(p[1], p[0]), v = perp_v3_sub(q[1], q[0]);
    double pa = perp_v3_cross(v, perp_v3_sub(p[0], q[0])).z, pb = perp_v3_cross(v, perp_v3_sub(p[1], q[0])).z;
    double qa = perp_v3_cross(u, perp_v3_sub(q[0], p[0])).z, qb = perp_v3_cross(u, perp_v3_sub(q[1], p[0])).z;
    if (pa * pb < 0 && qa * qb < 0) return 0; /* they cross */
    return fmin(fmin(point_segment(p[0], q), point_segment(p[1], q)),
                fmin(point_segment(q[0], p), point_segment(q[1], p)));
}

/* wa ra(t) + wb rb(t) - d. */
static double change(const slices *s, double wa, double wb, double d, double t) {
    return wa * slice_radius(s, 0, t) + wb * slice_radius(s, 1, t) - d;
}

/* The root of that function between `in` and `out`. */
static double changes_at(const slices *s, double wa, double wb, double d, double in, double out) {
    bool sign = change(s, wa, wb, d, in) > 0;
    for (int k = 0; k < 60; k++) {
        double mid = (in + out) / 2;
        if ((change(s, wa, wb, d, mid) > 0) == sign)
            in = mid;
        else
            out = mid;
    }
    return (in + out) / 2;
}

/* The range of planes in which the slices meet: one interval, because the sum of the radii is concave. */
static bool meeting_stretch(const slices *s, double *lo, double *hi) {
    double d = plane_distance(s), a = *lo, b = *hi;
    for (int k = 0; k < 100; k++) { /* to the top */
        double x = a + (b - a) / 3, y = b - (b - a) / 3;
        if (change(s, 1, 1, d, x) < change(s, 1, 1, d, y))
            a = x;
        else
            b = y;
    }
    double top = (a + b) / 2;
    if (!(change(s, 1, 1, d, top) > 0)) return false;
    if (!(change(s, 1, 1, d, *lo) > 0)) *lo = changes_at(s, 1, 1, d, top, *lo);
    if (!(change(s, 1, 1, d, *hi) > 0)) *hi = changes_at(s, 1, 1, d, top, *hi);
    return *lo < *hi;
}

/* Adds the planes in which the radii differ by d, one way or the other. */
static int add_breaks(const slices *s, double d, double lo, double hi, double *at, int n) {
    for (int w = -1; w <= 1; w += 2)
        for (int k = 0; k < LOOKED; k++) {
            double x = lo + (hi - lo) * k / LOOKED, y = lo + (hi - lo) * (k + 1) / LOOKED;
            if ((change(s, w, -w, d, x) > 0) != (change(s, w, -w, d, y) > 0)) at[n++] = changes_at(s, w, -w, d, x, y);
        }
    return n;
}

/* Planes between which the outlines cross in the same way: these change where an arc of one touches an arc or a side of
 * the other from inside. In order, the ends included. @return how many */
static int find_breaks(const slices *s, double lo, double hi, double at[MOST_BREAKS]) {
    int n = 0;
    at[n++] = lo;
    at[n++] = hi;
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < 2; e++) {
            perp_vec3 x = perp_v3_sub(s->f[k].end[e], s->f[1 - k].end[0]);
            perp_vec3 u = perp_v3_unit(perp_v3_sub(s->f[1 - k].end[1], s->f[1 - k].end[0]));
            n = add_breaks(s, perp_v3_norm(perp_v3_cross(u, x)), lo, hi, at, n);
            n = add_breaks(s, perp_v3_norm(perp_v3_sub(s->f[0].end[k], s->f[1].end[e])), lo, hi, at, n);
        }
    for (int i = 1; i < n; i++) { /* few */
        double x = at[i];
        int k = i;
        for (; k > 0 && at[k - 1] > x; k--) at[k] = at[k - 1];
        at[k] = x;
    }
    return n;
}

/* Gauss-Kronrod of 15 points: nodes and weights as in QUADPACK (Piessens et al. 1983). */
static double kronrod(slices *s, double a, double b, double *error) {
    static const double x[8] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
                                0.207784955007898467600689403773245, 0};
    static const double k[8] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                                0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                                0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                                0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
    static const double g[4] = {0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
                                0.381830050505118944950369775488975, 0.417959183673469387755102040816327};
    double c = (a + b) / 2, h = (b - a) / 2, mid = slice(s, c), fine = k[7] * mid, coarse = g[3] * mid;
    for (int i = 0; i < 7; i++) {
        double two = slice(s, c - h * x[i]) + slice(s, c + h * x[i]);
        fine += k[i] * two;
        if (i % 2) coarse += g[i / 2] * two;
    }
    *error = fabs(fine - coarse) * h;
    return fine * h;
}

/* Halves an interval until the error of each part is its share of `tolerance`. */
static double integrate(slices *s, double a, double b, double tolerance, int depth) {
    double error, sum = kronrod(s, a, b, &error);
    if ((error <= tolerance && depth >= SURE) || depth >= HALVED || *s->memory) return sum;
    double c = (a + b) / 2;
    return integrate(s, a, c, tolerance / 2, depth + 1) + integrate(s, c, b, tolerance / 2, depth + 1);
}

static double round_solids(const pp_placed *a, const pp_placed *b, perp_vec3 origin, pp_arena *arena, bool *memory) {
    const pp_placed *p[2] = {a, b};
    perp_vec3 end[2][2], u[2], t, o;
    for (int k = 0; k < 2; k++) {
        ends_of(p[k], origin, end[k]);
        u[k] = perp_v3_unit(perp_v3_sub(end[k][1], end[k][0]));
    }
    if (a->g->nvert == 1 && b->g->nvert == 1)
        return balls(a->g->radius, b->g->radius, perp_v3_norm(perp_v3_sub(end[1][0], end[0][0])));
    perp_vec3 n = perp_v3_cross(u[0], u[1]), axis = a->g->nvert > 1 ? u[0] : u[1];
    if (!(perp_v3_norm(n) > 1e-9)) perp_v3_frame(axis, &n, &t); /* parallel, or one of them a ball */
    n = perp_v3_unit(n);
    perp_v3_frame(n, &t, &o);
    slices s = {.arena = arena, .memory = memory};
    double lo = -INFINITY, hi = INFINITY, least = INFINITY;
    for (int k = 0; k < 2; k++) {
        s.r[k] = p[k]->g->radius;
        s.at[k] = perp_v3_dot(n, perp_v3_scale(0.5, perp_v3_add(end[k][0], end[k][1])));
        s.f[k].round = true;
        for (int e = 0; e < 2; e++) s.f[k].end[e] = perp_v3(perp_v3_dot(t, end[k][e]), perp_v3_dot(o, end[k][e]), 0);
        lo = fmax(lo, s.at[k] - s.r[k]);
        hi = fmin(hi, s.at[k] + s.r[k]);
        double length = perp_v3_norm(perp_v3_sub(end[k][1], end[k][0]));
        least = fmin(least, s.r[k] * s.r[k] * (s.r[k] + length));
    }
    if (!(lo < hi) || !meeting_stretch(&s, &lo, &hi)) return 0;
    double at[MOST_BREAKS], sum = 0;
    int count = find_breaks(&s, lo, hi, at);
    for (int k = 0; k + 1 < count; k++) {
        s.middle = (at[k] + at[k + 1]) / 2;
        s.half = (at[k + 1] - at[k]) / 2;
        if (s.half > 0) sum += integrate(&s, -HALF_PI, HALF_PI, ASKED * least, 0);
    }
    return sum;
}

static double flat(const pp_placed *a, const pp_placed *b, perp_vec3 origin, pp_arena *arena, bool *memory) {
    if (is_round(a->g) && is_round(b->g) && a->g->nvert == 1 && b->g->nvert == 1)
        return two_discs(a->g->radius, b->g->radius, perp_v3_norm(perp_v3_sub(b->X_WS.p, a->X_WS.p)));
    pp_figure fa = figure_of(a, b, origin, arena, memory), fb = figure_of(b, a, origin, arena, memory);
    return *memory ? 0 : pp_figures_area(&fa, &fb, arena, memory);
}

perp_status pp_overlap_measure(const pp_placed *a, const pp_placed *b, pp_arena *arena, double *out) {
    *out = 0;
    if (a->g->kind == PERP_SHAPE_PARTICLE || b->g->kind == PERP_SHAPE_PARTICLE) return PERP_OK;
    if (is_plane(a->g) && is_plane(b->g)) return PERP_OK;
    if (pp_is_implicit(a->g) || pp_is_implicit(b->g)) {
        *out = INFINITY;
        return PERP_E_GEOMETRY;
    }
    pp_arena_mark mark = pp_arena_here(arena);
    perp_vec3 origin = is_plane(a->g) ? b->X_WS.p : a->X_WS.p;
    bool memory = false;
    double m;
    if (a->g->dim == 2)
        m = flat(a, b, origin, arena, &memory);
    else if (is_round(a->g) && is_round(b->g))
        m = round_solids(a, b, origin, arena, &memory);
    else if (is_round(a->g) || is_round(b->g))
        m = is_round(a->g) ? round_lump(a, b, origin, arena, &memory) : round_lump(b, a, origin, arena, &memory);
    else
        m = is_plane(a->g) ? lumps(b, a, origin, arena, &memory) : lumps(a, b, origin, arena, &memory);
    pp_arena_release(arena, mark);
    *out = memory ? INFINITY : fmax(m, 0); /* rounding around nothing */
    return memory ? PERP_E_MEMORY : PERP_OK;
}

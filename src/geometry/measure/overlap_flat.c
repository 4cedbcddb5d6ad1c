/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* overlap_flat.c - areas of intersections in the plane, see overlap_measure.h
 * Method   A polygon is clipped by half-planes. Polygon and disc: the polygon of the points where sides run inside,
 *          and between them the segments of the disc, whose angles are those of the outside sides, seen from the centre. So no
 *          choice between arcs is needed, and thin figures lose no digits. A stadium is a
 *          rectangle and two half discs that do not overlap; a half disc and a polygon are the disc and the clipped
 *          polygon. Two discs are split by the line on which their powers are equal (|x - c|^2 - r^2): on either side
 *          one of the two discs contains the other.
 * Valid    exact but for rounding. */
#include "geometry/measure/overlap_measure.h"

#include "base/elementary.h"

#define PI 3.14159265358979323846

pp_flat pp_flat_square(perp_vec3 c, double half, pp_arena *arena, bool *memory) {
    perp_vec3 *v = PP_ARENA_ARRAY(arena, perp_vec3, 4);
    if (!v) {
        *memory = true;
        return (pp_flat){0};
    }
    v[0] = perp_v3(c.x - half, c.y - half, 0);
    v[1] = perp_v3(c.x + half, c.y - half, 0);
    v[2] = perp_v3(c.x + half, c.y + half, 0);
    v[3] = perp_v3(c.x - half, c.y + half, 0);
    return (pp_flat){4, v};
}

pp_flat pp_flat_clip(pp_flat p, pp_half h, pp_arena *arena, bool *memory) {
    pp_flat out = {0, PP_ARENA_ARRAY(arena, perp_vec3, 2 * p.n)};
    if (!out.v) {
        *memory = true;
        return out;
    }
    for (int k = 0; k < p.n; k++) {
        perp_vec3 a = p.v[k], b = p.v[(k + 1) % p.n];
        double da = perp_v3_dot(h.n, a) - h.d, db = perp_v3_dot(h.n, b) - h.d;
        if (da <= 0) out.v[out.n++] = a;
        if ((da <= 0) != (db <= 0)) out.v[out.n++] = perp_v3_axpy(a, da / (da - db), perp_v3_sub(b, a));
    }
    return out;
}

static double cross2(perp_vec3 a, perp_vec3 b) { return a.x * b.y - a.y * b.x; }

double pp_flat_area(pp_flat p) {
    double sum = 0;
    for (int k = 1; k + 1 < p.n; k++) sum += cross2(perp_v3_sub(p.v[k], p.v[0]), perp_v3_sub(p.v[k + 1], p.v[0])) / 2;
    return sum;
}

double pp_segment_area(double x) {
    double q = x * x;
    if (fabs(x) > 0.5) return (x - pp_sin(x)) / 2;
    return x * q / 12 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110 * (1 - q / 156)))));
}

static double angle(perp_vec3 a, perp_vec3 b) { return pp_atan2(cross2(a, b), a.x * b.x + a.y * b.y); }

/* The boundary of what a polygon and a disc share, on its way around: sides inside the disc, and arcs. */
typedef struct walk {
    pp_moments m;
    double r;
    perp_vec3 about, first, last; /* first and last point inside so far */
    bool inside;                  /* there was one */
    double turned, before;        /* angle seen from the centre since the last one, and before the first */
} walk;

static void add_triangle(walk *w, perp_vec3 a, perp_vec3 b) {
    perp_vec3 p = perp_v3_sub(a, w->about), q = perp_v3_sub(b, w->about);
    double area = cross2(p, q) / 2;
    w->m.area += area;
    w->m.x += area * (p.x + q.x) / 3;
    w->m.y += area * (p.y + q.y) / 3;
}

/* Between a chord that starts at a and its arc of angle phi. */
static void add_segment(walk *w, perp_vec3 a, double phi) {
    double area = w->r * w->r * pp_segment_area(phi), s, c;
    pp_sin_cos(phi / 2, &s, &c);
    double first = 2 * w->r * w->r * w->r * s * s * s / 3; /* moment about the centre, towards the middle of the arc */
    perp_vec3 u = perp_v3_unit(a);
    w->m.area += area;
    w->m.x += first * (c * u.x - s * u.y) - area * w->about.x;
    w->m.y += first * (s * u.x + c * u.y) - area * w->about.y;
}

/* Continues to x, which is inside: along a straight line, or along the arc. */
static void go_to(walk *w, perp_vec3 x) {
    if (w->inside) {
        add_triangle(w, w->last, x);
        if (w->turned != 0) add_segment(w, w->last, w->turned);
    } else {
        w->first = x;
        w->before = w->turned;
    }
    w->inside = true;
    w->turned = 0;
    w->last = x;
}

pp_moments pp_flat_in_disc(pp_flat p, double r, perp_vec3 about) {
    walk w = {.r = r, .about = about};
    for (int k = 0; k < p.n; k++) {
        perp_vec3 a = p.v[k], b = p.v[(k + 1) % p.n], d = perp_v3_sub(b, a);
        double dd = d.x * d.x + d.y * d.y;
        if (!(dd > 0)) continue;
        double foot = -(a.x * d.x + a.y * d.y) / dd, h = cross2(a, d) / sqrt(dd), left = (r - h) * (r + h);
        double half = left > 0 ? sqrt(left / dd) : 0, t0 = fmax(foot - half, 0), t1 = fmin(foot + half, 1);
        if (!(left > 0) || !(t0 < t1)) {
            w.turned += angle(a, b);
            continue;
        }
        perp_vec3 in = perp_v3_axpy(a, t0, d), out = perp_v3_axpy(a, t1, d);
        if (t0 > 0) w.turned += angle(a, in);
        go_to(&w, in);
        go_to(&w, out);
        if (t1 < 1) w.turned += angle(out, b);
    }
    if (w.inside) {
        w.turned += w.before;
        go_to(&w, w.first);
        return w.m;
    }
    w.m.area = r * r * (PI * rint(w.turned / (2 * PI))); /* the whole disc, or nothing */
    w.m.x = -w.m.area * about.x;
    w.m.y = -w.m.area * about.y;
    return w.m;
}

static double in_disc_at(pp_flat p, perp_vec3 c, double r, pp_arena *arena, bool *memory) {
    pp_flat q = {p.n, PP_ARENA_ARRAY(arena, perp_vec3, p.n)};
    if (!q.v) {
        *memory = true;
        return 0;
    }
    for (int k = 0; k < p.n; k++) q.v[k] = perp_v3_sub(p.v[k], c);
    return pp_flat_in_disc(q, r, q.n > 0 ? q.v[0] : perp_v3(0, 0, 0)).area;
}

/* A piece of a figure: a polygon, or a disc; and the half-planes it lies in (all of a polygon's, that of a half disc,
 * none of a whole one). */
typedef struct piece {
    bool disc;
    pp_flat poly;
    perp_vec3 centre;
    double radius;
    const pp_half *half;
    int nhalf;
} piece;

/* What the pieces of a stadium point to. */
typedef struct stadium {
    perp_vec3 corner[4];
    pp_half half[6]; /* four of the rectangle, one of each half disc */
} stadium;

/* Pieces that do not overlap; at most three. */
static int pieces_of(const pp_figure *f, stadium *s, piece out[3]) {
    if (!f->round) {
        out[0] = (piece){.poly = f->poly, .half = f->half, .nhalf = f->nhalf};
        return 1;
    }
    perp_vec3 d = perp_v3_sub(f->end[1], f->end[0]), u = perp_v3_unit(d);
    if (!(perp_v3_dot(d, d) > 0)) {
        out[0] = (piece){.disc = true, .centre = f->end[0], .radius = f->radius};
        return 1;
    }
    perp_vec3 across = perp_v3(-u.y, u.x, 0), side = perp_v3_scale(f->radius, across);
    double a0 = perp_v3_dot(u, f->end[0]), a1 = perp_v3_dot(u, f->end[1]), c = perp_v3_dot(across, f->end[0]);
    s->corner[0] = perp_v3_sub(f->end[0], side);
    s->corner[1] = perp_v3_sub(f->end[1], side);
    s->corner[2] = perp_v3_add(f->end[1], side);
    s->corner[3] = perp_v3_add(f->end[0], side);
    s->half[0] = (pp_half){across, c + f->radius};
    s->half[1] = (pp_half){perp_v3_neg(across), f->radius - c};
    s->half[2] = (pp_half){perp_v3_neg(u), -a0};
    s->half[3] = (pp_half){u, a1};
    s->half[4] = (pp_half){u, a0};
    s->half[5] = (pp_half){perp_v3_neg(u), -a1};
    out[0] = (piece){.poly = {4, s->corner}, .half = s->half, .nhalf = 4};
    out[1] = (piece){true, {0}, f->end[0], f->radius, s->half + 4, 1};
    out[2] = (piece){true, {0}, f->end[1], f->radius, s->half + 5, 1};
    return 3;
}

static pp_flat clip_to(pp_flat p, const piece *a, pp_arena *arena, bool *memory) {
    for (int k = 0; k < a->nhalf && p.n > 0 && !*memory; k++) p = pp_flat_clip(p, a->half[k], arena, memory);
    return p;
}

/* Two discs, each in its half-plane. */
static double discs(const piece *a, const piece *b, pp_arena *arena, bool *memory) {
    const piece *small = a->radius <= b->radius ? a : b, *large = small == a ? b : a;
    perp_vec3 d = perp_v3_sub(large->centre, small->centre);
    pp_flat p = pp_flat_square(small->centre, 1.5 * small->radius, arena, memory);
    p = clip_to(p, a, arena, memory);
    p = clip_to(p, b, arena, memory);
    double l = perp_v3_norm(d), rs = small->radius, rl = large->radius;
    if (l >= rs + rl) return 0;
    if (l <= rl - rs) return in_disc_at(p, small->centre, rs, arena, memory);
    perp_vec3 u = perp_v3_scale(1 / l, d);
    double at = perp_v3_dot(u, small->centre) + (l + (rs - rl) * (rs + rl) / l) / 2; /* equal powers */
    pp_flat own = pp_flat_clip(p, (pp_half){perp_v3_neg(u), -at}, arena, memory);
    pp_flat other = pp_flat_clip(p, (pp_half){u, at}, arena, memory);
    return in_disc_at(own, small->centre, rs, arena, memory) + in_disc_at(other, large->centre, rl, arena, memory);
}

static double pieces(const piece *a, const piece *b, pp_arena *arena, bool *memory) {
    if (a->disc && b->disc) return discs(a, b, arena, memory);
    if (!a->disc && !b->disc) return pp_flat_area(clip_to(a->poly, b, arena, memory));
    const piece *disc = a->disc ? a : b, *poly = a->disc ? b : a;
    return in_disc_at(clip_to(poly->poly, disc, arena, memory), disc->centre, disc->radius, arena, memory);
}

double pp_figures_area(const pp_figure *a, const pp_figure *b, pp_arena *arena, bool *memory) {
    pp_arena_mark mark = pp_arena_here(arena);
    stadium sa, sb;
    piece pa[3], pb[3];
    int na = pieces_of(a, &sa, pa), nb = pieces_of(b, &sb, pb);
    double sum = 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb && !*memory; j++) sum += pieces(&pa[i], &pb[j], arena, memory);
    pp_arena_release(arena, mark);
    return sum;
}

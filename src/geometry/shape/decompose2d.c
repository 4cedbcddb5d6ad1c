/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* decompose2d.c - convex parts of a simple polygon
 *   in: corners in order        out: convex polygons, overlapping, whose union is the polygon
 * Problem  A world has convex shapes only. Parts that merely touch have seams: their common side ends in corners that the
 *          polygon does not have, and other bodies could catch there. Parts that are as large as the polygon allows overlap
 *          instead, and each side of the polygon is a whole side of a part.
 * Method   1. Partition: at a reflex corner (inner angle above 180 degrees) a chord that prolongs one of its sides cuts
 *          the polygon in two, and the corner is reflex in neither. At most one piece more than reflex corners.
 *          2. Growth: a piece C, largest first, is grown to a convex polygon between C and the whole: again cuts at
 *          reflex corners, now of the whole, that do not touch C, keeping the side of C; of several the one that
 *          keeps more area. If both prolonged sides cross C, the line is turned until it touches C.
 *          3. Pieces inside a part found before are skipped, and so are parts inside others.
 *          Chords and their ends are rounded; everything else is decided with 1e-11 of the size to spare.
 * Valid    simple polygons without holes. The areas of the pieces must add up to that of the polygon; if not, the
 *          polygon is refused.
 * Cost     with k reflex corners: k cuts of n for the pieces, k times that for the parts; n^2 for the check.
 * Source   the cut at a reflex corner: Chazelle and Dobkin (1985), Optimal convex decompositions. */
#include <string.h>

#include "geometry/shape/collision.h"
#include "geometry/shape/hull.h"
#include "geometry/shape/outline.h"

typedef struct task {
    pp_arena *arena;
    pp_outline whole;
    double tol;
    pp_outline *piece; /* convex, adjacent */
    int npiece;
    pp_hull *part; /* convex, grown */
    int npart;
} task;

static perp_vec3 unit_of(const pp_outline *q, int from, int to) {
    return perp_v3_unit(perp_v3_sub(q->v[(to + q->n) % q->n], q->v[(from + q->n) % q->n]));
}

/* ---- partition ---- */

/* Cuts at corner r along the prolongation of its first or second side. */
static bool prolong(const task *t, const pp_outline *q, int r, int side, pp_outline half[2], bool *cut) {
    perp_vec3 d = side == 0 ? unit_of(q, r - 1, r) : unit_of(q, r + 1, r);
    return pp_outline_cut(t->arena, q, r, d, t->tol, half, cut);
}

/* The shorter of the two chords at each reflex corner: it disturbs the others least. */
static bool partition(task *t) {
    int most = t->whole.n, nopen = 1;
    pp_outline *open = PP_ARENA_ARRAY(t->arena, pp_outline, most + 1);
    t->piece = PP_ARENA_ARRAY(t->arena, pp_outline, most + 1);
    if (!open || !t->piece) return false;
    open[0] = t->whole;
    while (nopen > 0) {
        pp_outline q = open[--nopen];
        int r = pp_outline_reflex(&q, 0, t->tol);
        if (r < 0) {
            if (t->npiece <= most) t->piece[t->npiece++] = q;
            continue;
        }
        pp_outline half[2][2];
        bool cut[2];
        if (!prolong(t, &q, r, 0, half[0], &cut[0]) || !prolong(t, &q, r, 1, half[1], &cut[1])) return false;
        if ((!cut[0] && !cut[1]) || nopen + t->npiece + 2 > most) {
            t->npiece =
                0; /* impossible in a polygon that passed the check; the test of the total area would detect it */
            return true;
        }
        double l[2];
        for (int k = 0; k < 2; k++) l[k] = cut[k] ? perp_v3_norm(perp_v3_sub(half[k][0].v[1], q.v[r])) : INFINITY;
        const pp_outline *h = half[l[1] < l[0] * (1 - 1e-9) ? 1 : 0];
        open[nopen++] = h[1];
        open[nopen++] = h[0];
    }
    return true;
}

/* ---- growth ---- */

static perp_vec3 middle(const pp_outline *c) {
    perp_vec3 m = {0, 0, 0};
    for (int i = 0; i < c->n; i++) m = perp_v3_axpy(m, 1.0 / c->n, c->v[i]);
    return m;
}

/* Whether the segment a b passes through the interior of the convex polygon c. */
static bool crosses(const pp_outline *c, perp_vec3 a, perp_vec3 b, double tol) {
    double lo = 0, hi = 1;
    perp_vec3 d = perp_v3_sub(b, a);
    for (int i = 0; i < c->n && lo < hi; i++) {
        perp_vec3 e = unit_of(c, i, i + 1);
        double in = pp_cross2(e, perp_v3_sub(a, c->v[i])) - tol, slope = pp_cross2(e, d); /* inside: in + t slope > 0 */
        if (slope > 0) {
            if (-in / slope > lo) lo = -in / slope;
        } else if (slope < 0) {
            if (-in / slope < hi) hi = -in / slope;
        } else if (in <= 0) {
            return false;
        }
    }
    return lo < hi;
}

/* Cuts q from corner r along d and keeps the half that contains c; keep = NULL if neither does. False: no memory. */
static bool keep_side(const task *t, const pp_outline *q, int r, perp_vec3 d, const pp_outline *c, pp_outline *kept,
                      bool *ok) {
    pp_outline half[2];
    bool cut;
    *ok = false;
    if (!pp_outline_cut(t->arena, q, r, d, t->tol, half, &cut)) return false;
    if (!cut || crosses(c, half[0].v[0], half[0].v[1], t->tol)) return true;
    *kept = half[pp_outline_has(&half[0], middle(c)) ? 0 : 1];
    *ok = true;
    return true;
}

/* Is corner 0 of q reflex? */
static bool reflex_first(const task *t, const pp_outline *q) {
    pp_outline corner = {3, (perp_vec3[3]){q->v[q->n - 1], q->v[0], q->v[1]}};
    return pp_outline_reflex(&corner, 1, t->tol) == 1;
}

/* Cuts along the line through r that touches c and has it on its left (turn = 1) or right (-1). */
static bool keep_tangent(const task *t, const pp_outline *q, int r, int turn, const pp_outline *c, pp_outline *kept,
                         bool *ok) {
    perp_vec3 o = q->v[r], d = {0, 0, 0};
    for (int i = 0; i < c->n; i++) {
        perp_vec3 x = perp_v3_sub(c->v[i], o);
        if (perp_v3_norm(x) <= 2 * t->tol) continue;
        if (perp_v3_norm(d) == 0 || turn * pp_cross2(d, x) < 0) d = x;
    }
    d = perp_v3_unit(d);
    pp_outline half;
    if (!keep_side(t, q, r, d, c, &half, ok)) return false;
    if (!*ok) {
        half = *q;
    } else {
        r = 0;
        if (!reflex_first(t, &half)) {
            *kept = half;
            return true;
        }
    }
    if (!keep_side(t, &half, r, perp_v3_neg(d), c, kept, ok)) return false;
    *ok = *ok && !reflex_first(t, kept);
    return true;
}

/* Grows c inside the whole; out is c itself if that fails. False: no memory. */
static bool grow(const task *t, const pp_outline *c, pp_outline *out) {
    pp_outline q = t->whole;
    *out = *c;
    for (int step = 0; step <= 2 * t->whole.n; step++) {
        int r = pp_outline_reflex(&q, 0, t->tol);
        if (r < 0) {
            *out = q;
            return true;
        }
        pp_outline best = {0, NULL};
        double area = -1;
        for (int way = 0; way < 4; way++) {
            pp_outline one;
            bool ok;
            if (way == 2 && best.v) break;
            if (way < 2 ? !keep_side(t, &q, r, way == 0 ? unit_of(&q, r - 1, r) : unit_of(&q, r + 1, r), c, &one, &ok)
                        : !keep_tangent(t, &q, r, way == 2 ? 1 : -1, c, &one, &ok))
                return false;
            if (!ok || !(pp_outline_area(&one) > area * (1 + 1e-9))) continue;
            area = pp_outline_area(&one);
            best = one;
        }
        if (!best.v) return true;
        q = best;
    }
    return true;
}

/* ---- parts ---- */

static bool inside(const perp_vec3 *v, int n, const pp_hull *h, double tol) {
    for (int k = 0; k < h->nvert; k++) {
        perp_vec3 a = h->vert[k], e = perp_v3_unit(perp_v3_sub(h->vert[(k + 1) % h->nvert], a));
        for (int i = 0; i < n; i++)
            if (pp_cross2(e, perp_v3_sub(v[i], a)) < -tol) return false;
    }
    return true;
}

static void by_area(pp_outline *p, int n) {
    for (int k = 1; k < n; k++) {
        pp_outline x = p[k];
        double area = pp_outline_area(&x);
        int m = k;
        for (; m > 0 && pp_outline_area(&p[m - 1]) < area * (1 - 1e-9); m--) p[m] = p[m - 1];
        p[m] = x;
    }
}

static perp_status make_parts(task *t, char *why, size_t why_size) {
    t->part = PP_ARENA_ARRAY(t->arena, pp_hull, t->npiece);
    perp_vec3 *corners = PP_ARENA_ARRAY(t->arena, perp_vec3, 3 * t->whole.n);
    if (!t->part || !corners) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a polygon");
    by_area(t->piece, t->npiece);
    for (int i = 0; i < t->npiece; i++) {
        bool had = false;
        for (int k = 0; k < t->npart && !had; k++) had = inside(t->piece[i].v, t->piece[i].n, &t->part[k], t->tol);
        if (had) continue;
        pp_arena_mark mark = pp_arena_here(t->arena);
        pp_outline grown;
        if (!grow(t, &t->piece[i], &grown))
            return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a polygon");
        int n = grown.n;
        memcpy(corners, grown.v, (size_t)n * sizeof *corners);
        pp_arena_release(t->arena, mark);
        perp_status s = pp_hull2(t->arena, corners, n, &t->part[t->npart], why, why_size);
        if (s) return s;
        const pp_hull *h = &t->part[t->npart];
        for (int k = 0; k < t->npart; k++) /* the new one may hold older ones */
            if (inside(t->part[k].vert, t->part[k].nvert, h, t->tol)) {
                memmove(t->part + k, t->part + k + 1, (size_t)(t->npart - k) * sizeof *t->part);
                t->npart--;
                k--;
                h = &t->part[t->npart];
            }
        t->npart++;
    }
    return PERP_OK;
}

/* Every part must be a shape of its own. */
static perp_status check_parts(const task *t, const perp_allocator *a, char *why, size_t why_size) {
    double area = pp_outline_area(&t->whole), sum = 0;
    for (int i = 0; i < t->npiece; i++) sum += pp_outline_area(&t->piece[i]);
    if (!(fabs(sum - area) <= 1e-9 * area))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the polygon cannot be decomposed: the areas of its parts add up to %.9g instead of %.9g", sum,
                         area);
    for (int i = 0; i < t->npart; i++) {
        perp_shape_def d = perp_shape_polygon(t->part[i].vert, t->part[i].nvert);
        pp_geometry *g;
        perp_status s = pp_geometry_create(&d, 2, a, &g, NULL, 0);
        if (s == PERP_E_MEMORY) return pp_refuse(why, why_size, s, "no memory for the parts of a polygon");
        if (s)
            return pp_refuse(why, why_size, s,
                             "the polygon has a part near (%g, %g) that is thinner than %g of its size", d.points[0].x,
                             d.points[0].y, PP_SLIVER);
        pp_geometry_destroy(g, a);
    }
    return PERP_OK;
}

static perp_status hand_out(const task *t, perp_parts *out, char *why, size_t why_size) {
    int n = 0;
    for (int i = 0; i < t->npart; i++) n += t->part[i].nvert;
    out->start = pp_alloc(&out->alloc, (size_t)(t->npart + 1) * sizeof *out->start);
    out->point = pp_alloc(&out->alloc, (size_t)n * sizeof *out->point);
    if (!out->start || !out->point) {
        perp_parts_free(out);
        return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a polygon");
    }
    out->npart = t->npart;
    out->start[0] = 0;
    for (int i = 0; i < t->npart; i++) {
        memcpy(out->point + out->start[i], t->part[i].vert, (size_t)t->part[i].nvert * sizeof *out->point);
        out->start[i + 1] = out->start[i] + t->part[i].nvert;
    }
    return PERP_OK;
}

perp_status perp_polygon_parts(const perp_vec3 *points, int npoint, const perp_allocator *alloc, perp_parts *out,
                               char *why, size_t why_size) {
    if (!out) return pp_refuse(why, why_size, PERP_E_ARG, "no place for the parts given");
    memset(out, 0, sizeof *out);
    if (alloc) out->alloc = *alloc;
    pp_arena arena;
    pp_arena_init(&arena, out->alloc);
    task t = {.arena = &arena};
    perp_status s = pp_outline_check(&arena, points, npoint, PERP_POLYGON_MAX, &t.whole, why, why_size);
    if (!s) {
        t.tol = PP_COPLANAR * pp_extent(t.whole.v, t.whole.n);
        s = partition(&t) ? make_parts(&t, why, why_size)
                          : pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a polygon");
    }
    if (!s) s = check_parts(&t, &out->alloc, why, why_size);
    if (!s) s = hand_out(&t, out, why, why_size);
    pp_arena_free(&arena);
    return s;
}

void perp_parts_free(perp_parts *parts) {
    if (!parts) return;
    perp_allocator a = parts->alloc;
    pp_free(&a, parts->start);
    pp_free(&a, parts->point);
    memset(parts, 0, sizeof *parts);
}

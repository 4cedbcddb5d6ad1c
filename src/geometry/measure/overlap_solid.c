/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* overlap_solid.c - volumes of intersections with polyhedra, see overlap_measure.h
 * Method   Clipping works on loops of vertex numbers: each vertex is on one side or the other, an edge that changes
 *          sides gets one new vertex for both its faces, and new vertices are linked across the faces they leave, which
 *          makes the loops of the cut. Whatever rounding says about sides, the surface stays closed.
 *          Within a ball: the polyhedron is the signed sum of pyramids from the centre over its faces; a face is cut
 *          into triangles from the foot of the centre to each of its sides, and what of such a tetrahedron lies in the
 *          ball has a closed form. Within a cylinder: the signed sum of prisms under the faces, seen along the axis, by
 *          area and first moments of polygon and disc.
 * Valid    exact but for rounding. */
#include <string.h>

#include "geometry/measure/overlap_measure.h"

#include "base/elementary.h"

/* A face tilted less than this against the axis of a cylinder has no area seen along it. */
#define STEEP 1e-14

static bool reserve(pp_polyhedron *p, int nvert, int nface, int nloop, pp_arena *arena, bool *memory) {
    if (nvert <= p->cap_vert && nface <= p->cap_face && nloop <= p->cap_loop) return true;
    p->cap_vert = 2 * nvert;
    p->cap_face = 2 * nface;
    p->cap_loop = 2 * nloop;
    p->v = PP_ARENA_ARRAY(arena, perp_vec3, p->cap_vert);
    p->start = PP_ARENA_ARRAY(arena, int, p->cap_face + 1);
    p->loop = PP_ARENA_ARRAY(arena, int, p->cap_loop);
    if (p->v && p->start && p->loop) return true;
    *memory = true;
    memset(p, 0, sizeof *p);
    return false;
}

void pp_polyhedron_copy(pp_polyhedron *to, const pp_polyhedron *from, pp_arena *arena, bool *memory) {
    memset(to, 0, sizeof *to);
    if (from->nvert == 0) return;
    int nloop = from->start[from->nface];
    if (!reserve(to, from->nvert, from->nface, nloop, arena, memory)) return;
    to->nvert = from->nvert;
    to->nface = from->nface;
    memcpy(to->v, from->v, (size_t)from->nvert * sizeof *to->v);
    memcpy(to->start, from->start, (size_t)(from->nface + 1) * sizeof *to->start);
    memcpy(to->loop, from->loop, (size_t)nloop * sizeof *to->loop);
}

void pp_polyhedron_cube(pp_polyhedron *p, perp_vec3 c, double half, pp_arena *arena, bool *memory) {
    static const int faces[24] = {0, 1, 3, 2, 0, 2, 6, 4, 0, 4, 5, 1, 1, 5, 7, 3, 2, 3, 7, 6, 4, 6, 7, 5};
    memset(p, 0, sizeof *p);
    if (!reserve(p, 8, 6, 24, arena, memory)) return;
    p->nvert = 8;
    p->nface = 6;
    for (int v = 0; v < 8; v++)
        p->v[v] = perp_v3(c.x + (v & 4 ? half : -half), c.y + (v & 2 ? half : -half), c.z + (v & 1 ? half : -half));
    for (int f = 0; f <= 6; f++) p->start[f] = 4 * f;
    memcpy(p->loop, faces, sizeof faces);
}

void pp_polyhedron_of(pp_polyhedron *p, const pp_geometry *g, perp_pose X, pp_arena *arena, bool *memory) {
    memset(p, 0, sizeof *p);
    int nloop = g->face_start[g->nface];
    if (!reserve(p, g->nvert, g->nface, nloop, arena, memory)) return;
    p->nvert = g->nvert;
    p->nface = g->nface;
    for (int v = 0; v < g->nvert; v++) p->v[v] = perp_pose_apply(X, g->vert[v]);
    memcpy(p->start, g->face_start, (size_t)(g->nface + 1) * sizeof *p->start);
    memcpy(p->loop, g->face_vert, (size_t)nloop * sizeof *p->loop);
}

/* Scratch of one cut. */
typedef struct cut {
    double *d;  /* by old vertex: distance beyond the plane; > 0: out */
    int *keep;  /* by old vertex: its new number, -1 if out */
    int *first; /* by old vertex that stays: the first new vertex on one of its edges, or -1 */
    int *next;  /* by new vertex: another one of the same old vertex, or -1 */
    int *far;   /* by new vertex: the old vertex at the other end of its edge */
    int *after; /* by new vertex: the one after it on the loop of the cut */
    int nnew;
} cut;

/* The new vertex on the edge from `in` to `out`. */
static int new_vertex(cut *c, const pp_polyhedron *p, pp_polyhedron *q, int in, int out) {
    for (int k = c->first[in]; k >= 0; k = c->next[k])
        if (c->far[k] == out) return k;
    int k = c->nnew++;
    c->far[k] = out;
    c->next[k] = c->first[in];
    c->first[in] = k;
    double t = c->d[in] / (c->d[in] - c->d[out]);
    q->v[q->nvert + k] = perp_v3_axpy(p->v[in], t, perp_v3_sub(p->v[out], p->v[in]));
    return k;
}

/* What stays of face f, as a face of q. The way from where its loop leaves to where it comes back becomes, backwards,
 * part of the loop of the cut. */
static void cut_face(cut *c, const pp_polyhedron *p, pp_polyhedron *q, int f) {
    int at = q->start[q->nface], n = p->start[f + 1] - p->start[f], leave = -1, pending = -1;
    const int *loop = p->loop + p->start[f];
    for (int k = 0; k < n; k++) {
        int a = loop[k], b = loop[k + 1 < n ? k + 1 : 0];
        if (c->keep[a] >= 0) q->loop[at++] = c->keep[a];
        if ((c->keep[a] >= 0) == (c->keep[b] >= 0)) continue;
        bool leaves = c->keep[a] >= 0;
        int x = new_vertex(c, p, q, leaves ? a : b, leaves ? b : a);
        q->loop[at++] = q->nvert + x;
        if (leaves)
            leave = x;
        else if (leave >= 0)
            c->after[x] = leave;
        else
            pending = x;
    }
    if (pending >= 0) c->after[pending] = leave;
    if (at == q->start[q->nface]) return;
    q->start[++q->nface] = at;
}

/* The loops of the cut itself. Each new vertex is on one of them. */
static void close_cut(cut *c, pp_polyhedron *q) {
    for (int k = 0; k < c->nnew; k++) {
        if (c->after[k] < 0) continue;
        int at = q->start[q->nface];
        for (int x = k; c->after[x] >= 0;) {
            q->loop[at++] = q->nvert + x;
            int after = c->after[x];
            c->after[x] = -1;
            x = after;
        }
        q->start[++q->nface] = at;
    }
}

/* q becomes what is left of p; false if the plane cuts nothing off, or memory is refused. */
static bool clip_once(const pp_polyhedron *p, pp_half h, pp_polyhedron *q, pp_arena *arena, bool *memory) {
    int n = p->nvert, nloop = p->start[p->nface], nin = 0, crossing = 0;
    cut c = {.d = PP_ARENA_ARRAY(arena, double, n), .keep = PP_ARENA_ARRAY(arena, int, n)};
    if (!c.d || !c.keep) {
        *memory = true;
        return false;
    }
    for (int v = 0; v < n; v++) {
        c.d[v] = perp_v3_dot(h.n, p->v[v]) - h.d;
        c.keep[v] = c.d[v] > 0 ? -1 : nin++;
    }
    if (nin == n) return false;
    for (int f = 0; f < p->nface; f++)
        for (int k = p->start[f]; k < p->start[f + 1]; k++) {
            int b = p->loop[k + 1 < p->start[f + 1] ? k + 1 : p->start[f]];
            crossing += (c.keep[p->loop[k]] >= 0) != (c.keep[b] >= 0);
        }
    q->nvert = q->nface = 0;
    if (nin == 0) return true;
    c.first = PP_ARENA_ARRAY(arena, int, n);
    int *scratch = PP_ARENA_ARRAY(arena, int, 3 * crossing);
    if (!c.first || !scratch || !reserve(q, nin + crossing, p->nface + crossing, nloop + 2 * crossing, arena, memory)) {
        *memory = true;
        return false;
    }
    c.next = scratch;
    c.far = scratch + crossing;
    c.after = scratch + 2 * crossing;
    for (int k = 0; k < crossing; k++) c.after[k] = -1;
    for (int v = 0; v < n; v++) {
        c.first[v] = -1;
        if (c.keep[v] >= 0) q->v[c.keep[v]] = p->v[v];
    }
    q->nvert = nin;
    q->start[0] = 0;
    for (int f = 0; f < p->nface; f++) cut_face(&c, p, q, f);
    close_cut(&c, q);
    q->nvert += c.nnew;
    return true;
}

void pp_polyhedron_clip(pp_polyhedron *p, const pp_half *h, int n, pp_arena *arena, bool *memory) {
    pp_polyhedron other = {0};
    /* room for what a few cuts add, below the scratch that each of them forgets */
    if (p->nvert > 0) (void)reserve(&other, 4 * p->nvert, 4 * p->nface, 4 * p->start[p->nface], arena, memory);
    for (int k = 0; k < n && p->nvert > 0 && !*memory; k++) {
        pp_polyhedron grown = other;
        pp_arena_mark mark = pp_arena_here(arena);
        bool smaller = clip_once(p, h[k], &grown, arena, memory);
        if (grown.v == other.v) pp_arena_release(arena, mark); /* else its arrays lie behind the scratch */
        other = grown;
        if (!smaller) continue;
        pp_polyhedron swap = *p;
        *p = other;
        other = swap;
    }
}

double pp_polyhedron_volume(const pp_polyhedron *p) {
    double sum = 0;
    for (int f = 0; f < p->nface; f++) {
        perp_vec3 a = perp_v3_sub(p->v[p->loop[p->start[f]]], p->v[0]);
        for (int k = p->start[f] + 1; k + 1 < p->start[f + 1]; k++)
            sum += perp_v3_dot(
                a, perp_v3_cross(perp_v3_sub(p->v[p->loop[k]], p->v[0]), perp_v3_sub(p->v[p->loop[k + 1]], p->v[0])));
    }
    return sum / 6;
}

/* Twice the area of a face, along its outward normal. */
static perp_vec3 area_vector(const pp_polyhedron *p, int f) {
    perp_vec3 o = p->v[p->loop[p->start[f]]], sum = {0, 0, 0};
    for (int k = p->start[f] + 1; k + 1 < p->start[f + 1]; k++)
        sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(p->v[p->loop[k]], o), perp_v3_sub(p->v[p->loop[k + 1]], o)));
    return sum;
}

static double cross2(perp_vec3 a, perp_vec3 b) { return a.x * b.y - a.y * b.x; }
static double dot2(perp_vec3 a, perp_vec3 b) { return a.x * b.x + a.y * b.y; }

/* Solid angle, seen from height k above the origin of the plane, of the triangle origin, a, b (van Oosterom and
 * Strackee 1983, with the common factor k taken out). */
static double solid_angle(perp_vec3 a, perp_vec3 b, double k) {
    double la = sqrt(dot2(a, a) + k * k), lb = sqrt(dot2(b, b) + k * k);
    return 2 * pp_atan2(cross2(a, b), la * lb + k * (la + lb) + dot2(a, b) + k * k);
}

/* Volume in the ball of radius r about the apex of the tetrahedron over the triangle origin, a, b at height k, where
 * a b runs outside the ball. */
static double beyond(perp_vec3 a, perp_vec3 b, double k, double r) {
    double omega = solid_angle(a, b, k);
    if (k >= r) return r * r * r / 3 * omega;
    double phi = pp_atan2(cross2(a, b), dot2(a, b));
    return k * (r - k) * (r + k) * phi / 6 + r * r * r / 3 * (omega - phi * (1 - k / r));
}

/* The same for any a b. */
static double tetrahedron(perp_vec3 a, perp_vec3 b, double k, double r) {
    perp_vec3 d = perp_v3_sub(b, a);
    double dd = dot2(d, d);
    if (!(dd > 0)) return 0;
    double foot = -dot2(a, d) / dd, h = cross2(a, d) / sqrt(dd), left = (r - k) * (r + k) - h * h;
    double half = k < r && left > 0 ? sqrt(left / dd) : 0, t0 = fmax(foot - half, 0), t1 = fmin(foot + half, 1);
    if (!(half > 0) || !(t0 < t1)) return beyond(a, b, k, r);
    perp_vec3 in = perp_v3_axpy(a, t0, d), out = perp_v3_axpy(a, t1, d);
    double sum = k * cross2(in, out) / 6;
    if (t0 > 0) sum += beyond(a, in, k, r);
    if (t1 < 1) sum += beyond(out, b, k, r);
    return sum;
}

double pp_polyhedron_in_ball(const pp_polyhedron *p, perp_vec3 centre, double r) {
    double sum = 0;
    for (int f = 0; f < p->nface; f++) {
        perp_vec3 n = perp_v3_unit(area_vector(p, f)), t, o;
        if (!(perp_v3_dot(n, n) > 0)) continue;
        perp_v3_frame(n, &t, &o);
        double h = perp_v3_dot(n, perp_v3_sub(p->v[p->loop[p->start[f]]], centre)), part = 0;
        for (int k = p->start[f]; k < p->start[f + 1]; k++) {
            int next = k + 1 < p->start[f + 1] ? k + 1 : p->start[f];
            perp_vec3 a = perp_v3_sub(p->v[p->loop[k]], centre), b = perp_v3_sub(p->v[p->loop[next]], centre);
            part += tetrahedron(perp_v3(perp_v3_dot(t, a), perp_v3_dot(o, a), 0),
                                perp_v3(perp_v3_dot(t, b), perp_v3_dot(o, b), 0), fabs(h), r);
        }
        sum += h > 0 ? part : h < 0 ? -part : 0;
    }
    return sum;
}

double pp_polyhedron_in_cylinder(const pp_polyhedron *p, double r, pp_arena *arena, bool *memory) {
    pp_arena_mark mark = pp_arena_here(arena);
    int most = 0;
    for (int f = 0; f < p->nface; f++)
        if (p->start[f + 1] - p->start[f] > most) most = p->start[f + 1] - p->start[f];
    pp_flat shadow = {0, PP_ARENA_ARRAY(arena, perp_vec3, most)};
    if (!shadow.v) *memory = true;
    double sum = 0;
    for (int f = 0; f < p->nface && shadow.v; f++) {
        perp_vec3 n = area_vector(p, f), o = p->v[p->loop[p->start[f]]];
        if (!(fabs(n.z) > STEEP * perp_v3_norm(n))) continue;
        double gx = -n.x / n.z, gy = -n.y / n.z; /* slope of the face */
        shadow.n = p->start[f + 1] - p->start[f];
        for (int k = 0; k < shadow.n; k++) {
            perp_vec3 x = p->v[p->loop[p->start[f] + k]];
            shadow.v[k] = perp_v3(x.x, x.y, 0);
        }
        pp_moments m =
            pp_flat_in_disc(shadow, r, shadow.v[0]); /* clockwise where the face looks down: signs are right */
        sum += o.z * m.area + gx * m.x + gy * m.y;
    }
    pp_arena_release(arena, mark);
    return sum;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_box3d.c - separating planes of two boxes
 *   in: two boxes placed in W        out: the face of each and the pair of edges with the largest separation
 * Method   the 15 axes of the separating axis theorem, with the products of the boxes' axes computed once. What is
 *          found is named as the general search would name it: faces and edges of geometry.c, ties to the lower index.
 * Valid    boxes as pp_geometry_create makes them in 3D.
 * Source   Gottschalk, Lin and Manocha (1996). */
#include "geometry/narrow/narrow.h"

#define PARALLEL 1e-8 /* see pair_poly3d.c */

/* Corner v of a box lies on the upper side along x, y, z by its bits 4, 2, 1; faces come in the order below. */
static const int bit_of[3] = {4, 2, 1};
static const struct { int axis, sign; } face_of[6] = {{0, -1}, {2, -1}, {1, -1}, {2, 1}, {1, 1}, {0, 1}};
static const int lower_face[3] = {0, 2, 1}, upper_face[3] = {5, 4, 3};
/* Edge along an axis from a corner on its lower side: edges of geometry.c are ordered by their corners. */
static const int edge_of[3][8] = {{2, 4, 6, 7}, {1, 3, 0, 0, 9, 10}, {0, 0, 5, 0, 8, 0, 11}};
static const int next_axis[3] = {1, 2, 0};

typedef struct box {
    const pp_solid *s;
    const perp_vec3 *axis[3];
    double half[3];
} box;

static box box_of(const pp_solid *s) {
    perp_vec3 h = s->g->vert[7];
    return (box){s, {&s->n[upper_face[0]], &s->n[upper_face[1]], &s->n[upper_face[2]]}, {h.x, h.y, h.z}};
}

/* Face of largest separation, ties to the lower index; along axis k the gaps are -d[k] - r and d[k] - r, each taken off
 * one by one. */
static int first_of_best(double gap[3][2], const pp_tolerance *t) {
    int best = 0;
    double beat = -INFINITY;
    for (int f = 0; f < 6; f++) {
        double g = gap[face_of[f].axis][face_of[f].sign > 0];
        if (f > 0 && !(g > beat)) continue;
        best = f;
        beat = g + pp_tie_tolerance(t, g);
    }
    return best;
}

/* Largest separation in front of a face of A; D[i][j] = a_i . b_j, d[i] = a_i . (centre of B - centre of A). */
static pp_face_gap best_face(const box *A, const box *B, double D[3][3], const double *d, const pp_tolerance *t) {
    const double *a = A->half, *b = B->half;
    double near[3], far[3]; /* of the face that looks towards B and the one that looks away, along each axis */
    for (int k = 0; k < 3; k++) {
        double x = b[0] * fabs(D[k][0]), y = b[1] * fabs(D[k][1]), z = b[2] * fabs(D[k][2]);
        near[k] = fabs(d[k]) - a[k] - x - y - z;
        far[k] = -fabs(d[k]) - a[k] - x - y - z;
    }
    int k = near[1] > near[0] ? 1 : 0;
    k = near[2] > near[k] ? 2 : k;
    double u = near[next_axis[k]], v = near[next_axis[next_axis[k]]], w = far[k];
    double beat_u = u + 2 * pp_tie_tolerance(t, u), beat_v = v + 2 * pp_tie_tolerance(t, v),
           beat_w = w + 2 * pp_tie_tolerance(t, w);
    bool alone = (near[k] > beat_u) & (near[k] > beat_v) & (near[k] > beat_w);
    bool up = d[k] > 0;
    pp_face_gap best = {up ? upper_face[k] : lower_face[k], 0, near[k]};
    if (!alone) { /* a tie, or nearly */
        double gap[3][2];
        for (int m = 0; m < 3; m++) {
            gap[m][d[m] > 0] = near[m];
            gap[m][!(d[m] > 0)] = far[m];
        }
        best.face = first_of_best(gap, t);
        k = face_of[best.face].axis;
        up = face_of[best.face].sign > 0;
        best.gap = gap[k][up];
    }
    for (int j = 0; j < 3; j++) best.vertex |= (up ? D[k][j] < 0 : D[k][j] > 0) * bit_of[j];
    return best;
}

/* The edge along an axis through the corner that lies farthest along n. */
static int edge_at(const box *b, int axis, perp_vec3 n) {
    int lo = 0;
    for (int k = 0; k < 3; k++) lo |= ((k != axis) & (perp_v3_dot(*b->axis[k], n) > 0)) * bit_of[k];
    return edge_of[axis][lo];
}

/* Names the edges of axes i and j and their closest points. */
static void finish(const box *A, int i, const box *B, int j, pp_edge_gap *e) {
    e->a = edge_at(A, i, e->n);
    e->b = edge_at(B, j, perp_v3_neg(e->n));
    const int *ea = A->s->g->edge[e->a], *eb = B->s->g->edge[e->b];
    perp_vec3 p = A->s->v[ea[0]], q = B->s->v[eb[0]];
    perp_vec3 da = perp_v3_sub(A->s->v[ea[1]], p), db = perp_v3_sub(B->s->v[eb[1]], q);
    perp_vec3 r = perp_v3_sub(q, p), c = perp_v3_cross(da, db);
    double l2 = perp_v3_dot(c, c);
    e->gap = perp_v3_dot(e->n, r);
    e->s = perp_v3_dot(perp_v3_cross(r, db), c) / l2;
    e->u = perp_v3_dot(perp_v3_cross(r, da), c) / l2;
}

/* An axis of A along one of B: then the cross products of the others are axes of faces. */
typedef struct shared_axis {
    int i, j;   /* of A, of B; -1: there is none */
    double off; /* sine of the angle between them, or more */
} shared_axis;

#define SHARED 1e-6 /* largest sine at which two axes count as nearly parallel */
#define SMALL \
    1e-4 /* a smaller sine, computed from one minus the square of the cosine, is too inaccurate to divide by */

static shared_axis find_shared(double D[3][3]) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            if (!(fabs(D[i][j]) > 0.5)) continue;
            double off = fabs(D[next_axis[i]][j]) + fabs(D[next_axis[next_axis[i]]][j]);
            if (off <= SHARED) return (shared_axis){i, j, off};
        }
    return (shared_axis){-1, -1, 0};
}

/* Relative pose of two boxes. */
typedef struct placement {
    box A, B;
    perp_vec3 between_W; /* from the centre of A to that of B [L] */
    double d[3];         /* the same along the axes of A */
    double D[3][3];      /* cosines: axis i of A times axis j of B */
} placement;

/* Best pair of edges, or none where every pair separates less than the gap `face` of a face: those cannot become the
 * plane of the boxes. False if one separates by more than the reach. */
static bool best_edges(placement *p, double face, const pp_tolerance *t, double reach, pp_edge_gap *e) {
    const box *A = &p->A, *B = &p->B;
    const double *d = p->d;
    double(*D)[3] = p->D;
    *e = (pp_edge_gap){-1, -1, -INFINITY, {0, 0, 0}, 0, 0};
    shared_axis shared = find_shared(D);
    /* no two points of the boxes are farther apart along any direction */
    double span = fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + 2 * (A->half[0] + A->half[1] + A->half[2]) +
                  2 * (B->half[0] + B->half[1] + B->half[2]);
    /* a cross product of sine l leaves the face's axis by off / l at most, and the separation changes by span times
     * that: less than a quarter of a tie is none */
    double slip = shared.i >= 0 ? 4 * shared.off * span : 0;
    /* a little less than the face: ties decide in the order of the axes, also among those that lose to it */
    double lost = face - 4 * pp_tie_tolerance(t, face) - 1e-11 * span, lost2 = lost * fabs(lost),
           below = lost < 0 ? lost : 0;
    int bi = -1, bj = -1;
    for (int i = 0; i < 3; i++) {
        int i1 = next_axis[i], i2 = next_axis[i1];
        const double *own = D[i], *one = D[i1], *two = D[i2];
        for (int j = 0; j < 3; j++) {
            double l2 = 1 - own[j] * own[j];
            if (!(l2 > PARALLEL * PARALLEL)) continue;
            if (shared.i >= 0 && slip * slip <= t->tie * t->tie * l2) continue;
            int j1 = next_axis[j], j2 = next_axis[j1];
            double ra = A->half[i1] * fabs(two[j]) + A->half[i2] * fabs(one[j]),
                   rb = B->half[j1] * fabs(own[j2]) + B->half[j2] * fabs(own[j1]);
            double over = fabs(d[i2] * one[j] - d[i1] * two[j]) - ra - rb; /* separation times the sine */
            if (l2 > SMALL * SMALL ? over * fabs(over) <= lost2 * l2 : over < below) continue;
            perp_vec3 c = perp_v3_cross(*A->axis[i], *B->axis[j]);
            double l = perp_v3_norm(c), along = perp_v3_dot(c, p->between_W);
            if (!(l > PARALLEL)) continue;
            double clear = fabs(along) - ra - rb;
            if (clear < lost * l - 1e-14 * span) continue; /* as above, for small sines, with their digits */
            double gap = clear / l;
            if (bi >= 0 && !(gap > e->gap + pp_tie_tolerance(t, e->gap))) continue;
            bi = i;
            bj = j;
            e->gap = gap;
            e->n = perp_v3_scale((along < 0 ? -1 : 1) / l, c);
            if (gap > reach) return false;
        }
    }
    if (bi >= 0) finish(A, bi, B, bj, e);
    return true;
}

bool pp_box_planes(const pp_solid *sa, const pp_solid *sb, const pp_tolerance *t, double reach, pp_face_gap *fa,
                   pp_face_gap *fb, pp_edge_gap *e) {
    placement p = {.A = box_of(sa), .B = box_of(sb)};
    p.between_W = perp_v3_scale(0.5, perp_v3_sub(perp_v3_add(sb->v[0], sb->v[7]), perp_v3_add(sa->v[0], sa->v[7])));
    double E[3][3], m[3];
    for (int i = 0; i < 3; i++) {
        p.d[i] = perp_v3_dot(*p.A.axis[i], p.between_W);
        m[i] = -perp_v3_dot(*p.B.axis[i], p.between_W);
        for (int j = 0; j < 3; j++) E[j][i] = p.D[i][j] = perp_v3_dot(*p.A.axis[i], *p.B.axis[j]);
    }
    *fa = best_face(&p.A, &p.B, p.D, p.d, t);
    if (!(fa->gap <= reach)) return false;
    *fb = best_face(&p.B, &p.A, E, m, t);
    if (!(fb->gap <= reach)) return false;
    return best_edges(&p, fmax(fa->gap, fb->gap), t, reach, e);
}

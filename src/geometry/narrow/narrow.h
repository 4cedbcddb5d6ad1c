/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* narrow.h - between detector_plain.c and the files pair_*.c: two placed shapes -> contacts.
 *
 * One plane per pair: every contact of a pair has the same normal, that of the plane of largest signed separation.
 * Ties are broken by geometry first and by index last, so that exchanging the two shapes or rotating both changes only signs
 * and rounding:
 *   faces before edges; of two faces, one on each shape, the one of larger area, then the one of shape i; of two faces
 *   of one shape, the one of lower index. */
#ifndef PP_NARROW_H
#define PP_NARROW_H

#include "geometry/shape/collision.h"

/* A placed shape with its geometry in W. */
typedef struct pp_solid {
    const pp_geometry *g;
    perp_vec3 *v;     /* vertices in W; sphere, particle: the centre; capsule: the ends */
    perp_vec3 *n;     /* face normals in W; half-space: its normal */
    perp_vec3 at;     /* half-space: a point on its surface */
    perp_vec3 lo, hi; /* bounding box in W, grown by the reach */
} pp_solid;

/* Scratch for clipping; each array as long as the two largest faces together. */
typedef struct pp_clip_point {
    perp_vec3 x;  /* on the incident face */
    uint64_t tag; /* feature that the point is, see pair_poly3d.c */
    double over;  /* distance beyond the current clipping side */
    int side;     /* source of the edge from this point to the next: incident edge >= 0, reference side ~s < 0 */
    int rank;     /* order of precedence among contacts, see manifold() in pair_poly3d.c */
} pp_clip_point;

#define PP_CLIP_SIDES 8
/* Two faces seen along a normal: the face of R clips the face of O. */
typedef struct pp_clip_frame {
    const pp_solid *R, *O;
    int fr, fo;
    perp_vec3 n; /* from R to O */
    bool flip;   /* R is shape j */
    int nside;   /* sides whose outward directions are kept below; 0 until pp_clip_prepare() */
    perp_vec3 side[PP_CLIP_SIDES];
} pp_clip_frame;

/* Computes the outward directions of the sides of R's face once, for faces that do not have too many. */
void pp_clip_prepare(pp_clip_frame *c);

/* Number of sides of a face, and the vertex at which side k starts (k may be the number of sides). */
int pp_side_count(const pp_solid *s, int f);
int pp_side_vertex(const pp_solid *s, int f, int k);
/* Distance of x beyond side k of R's face, seen along n. */
double pp_side_distance(const pp_clip_frame *c, int k, perp_vec3 x);
/* Clips the face of O; corners are left in clip[0] (the two buffers may be exchanged). Returns their number. Points up
 * to tol beyond a side stay. */
int pp_clip_face(pp_clip_point *clip[2], const pp_clip_frame *c, double tol);

typedef struct pp_narrow {
    pp_pair_list *out;
    const perp_allocator *a;
    int i, j;
    double reach; /* reach_i + reach_j */
    int first;    /* contacts of this pair start here in out */
    bool memory;  /* growing the list failed */
    pp_clip_point *clip[2];
} pp_narrow;

/* Adds a contact with normal n from i to j if gap <= reach. */
static inline void pp_emit(pp_narrow *w, uint64_t feature, perp_vec3 a_W, perp_vec3 b_W, perp_vec3 n, double gap) {
    pp_pair_list *l = w->out;
    if (!(gap <= w->reach) || w->memory) return;
    if (l->n == l->cap && !PP_GROW(w->a, l->pair, l->cap, l->n, l->n + 1)) {
        w->memory = true;
        return;
    }
    l->pair[l->n++] = (pp_pair){w->i, w->j, feature, a_W, b_W, n, gap};
}
/* The same for a pair handled in the order (j, i) if flip is true: a is on j, b on i and n from j to i. */
static inline void pp_emit_flip(pp_narrow *w, bool flip, uint64_t feature, perp_vec3 a_W, perp_vec3 b_W, perp_vec3 n,
                                double gap) {
    if (flip)
        pp_emit(w, feature, b_W, a_W, perp_v3(0.0 - n.x, 0.0 - n.y, 0.0 - n.z), gap);
    else
        pp_emit(w, feature, a_W, b_W, n, gap);
}
/* The contact of this pair whose two points are within tol of these; NULL: there is none. */
static inline pp_pair *pp_emitted_near(const pp_narrow *w, perp_vec3 a_W, perp_vec3 b_W, double tol) {
    for (int k = w->first; k < w->out->n; k++) {
        pp_pair *p = &w->out->pair[k];
        perp_vec3 a = perp_v3_sub(p->a_W, a_W);
        if (fabs(a.x) > tol || fabs(a.y) > tol || !(perp_v3_dot(a, a) <= tol * tol)) continue;
        perp_vec3 b = perp_v3_sub(p->b_W, b_W);
        if (perp_v3_dot(b, b) <= tol * tol) return p;
    }
    return NULL;
}

/* Lengths for decisions between i and j [L]. */
typedef struct pp_tolerance {
    double tie;    /* separations that differ by less than this (plus PP_TIE_RELATIVE of them) are equal */
    double inside; /* points up to this far outside a face still project into it */
    double merge;  /* contacts closer than this are merged */
    double touch;  /* a connecting line shorter than this has no direction */
} pp_tolerance;
#define PP_TIE_RELATIVE 3e-10
pp_tolerance pp_tolerances(const pp_geometry *a, const pp_geometry *b);
static inline double pp_tie_tolerance(const pp_tolerance *t, double separation) {
    return t->tie + PP_TIE_RELATIVE * fabs(separation);
}

/* A face of largest separation from a set of points. */
typedef struct pp_face_gap {
    int face, vertex; /* vertex: the other shape's deepest */
    double gap;
} pp_face_gap;
/* Over all faces of s, the largest of the smallest distance of o's vertices in front of the face. */
pp_face_gap pp_face_separation(const pp_solid *s, const pp_solid *o, const pp_tolerance *t);
/* A pair of edges of largest separation. */
typedef struct pp_edge_gap {
    int a, b; /* edges, -1: none */
    double gap;
    perp_vec3 n; /* from A to B */
    double s, u; /* closest points on the lines, as fractions of the edges */
} pp_edge_gap;
/* Both face separations and that of the edges for two boxes in 3D, by their 15 axes. False if one exceeds the reach. */
bool pp_box_planes(const pp_solid *A, const pp_solid *B, const pp_tolerance *t, double reach, pp_face_gap *fa,
                   pp_face_gap *fb, pp_edge_gap *e);
/* Whether the plane is the face of B, not that of A. */
bool pp_choose_second(const pp_solid *A, pp_face_gap fa, const pp_solid *B, pp_face_gap fb, const pp_tolerance *t);
/* Face of s most opposed to n; ties go to the lower index. */
int pp_incident_face(const pp_solid *s, perp_vec3 n);
/* Distance of x in front of face f. */
static inline double pp_above(const pp_solid *s, int f, perp_vec3 x) {
    return perp_v3_dot(s->n[f], perp_v3_sub(x, s->v[s->g->face_vert[s->g->face_start[f]]]));
}

/* The feature of a polytope closest to a point x; if x is inside, the face of least depth. */
typedef struct pp_nearest {
    int kind;        /* PP_VERTEX_FACE, PP_VERTEX_EDGE or PP_VERTEX_VERTEX */
    int index;       /* face, edge or vertex */
    perp_vec3 at;    /* the closest point */
    perp_vec3 n;     /* unit vector from there to x; inside, the normal of the face */
    double distance; /* negative inside */
} pp_nearest;
pp_nearest pp_nearest_of(const pp_solid *poly, perp_vec3 x);
/* The feature number of this feature with vertex v of the other shape; flip: the polytope is shape j. */
uint64_t pp_nearest_feature(const pp_nearest *c, bool flip, int v);

/* Contacts of two solids of any kind: one of the functions below. */
void pp_narrow_phase(pp_narrow *w, int dim, const pp_solid *A, const pp_solid *B);
/* From the first end of an edge to the second. */
static inline perp_vec3 pp_edge_vector(const pp_solid *s, int e) {
    return perp_v3_sub(s->v[s->g->edge[e][1]], s->v[s->g->edge[e][0]]);
}
/* Whether the arcs between the normals of the faces beside two edges (of B: negated) cross on the Gauss sphere. If so, the two edges
 * make a face of the Minkowski difference. da, db: vectors of the edges, along n_left x n_right. */
static inline bool pp_arcs_cross(const pp_solid *A, int ea, perp_vec3 da, const pp_solid *B, int eb, perp_vec3 db) {
    double cl = perp_v3_dot(B->n[B->g->edge[eb][2]], da), cr = perp_v3_dot(B->n[B->g->edge[eb][3]], da);
    if (!(cl * cr < 0)) return false;
    double dl = perp_v3_dot(A->n[A->g->edge[ea][2]], db), dr = perp_v3_dot(A->n[A->g->edge[ea][3]], db);
    return dl * dr < 0 && cl * dr < 0; /* the second: same hemisphere */
}

/* The pairs. A is shape i unless flip is true. */
void pp_pair_spheres(pp_narrow *w, const pp_solid *A, const pp_solid *B);
void pp_pair_halfspace(pp_narrow *w, const pp_solid *plane, const pp_solid *B, bool flip);
void pp_pair_sphere_poly(pp_narrow *w, const pp_solid *poly, const pp_solid *ball, bool flip);
void pp_pair_capsule_sphere(pp_narrow *w, const pp_solid *capsule, const pp_solid *ball, bool flip);
void pp_pair_capsules(pp_narrow *w, const pp_solid *A, const pp_solid *B);
void pp_pair_capsule_poly(pp_narrow *w, const pp_solid *poly, const pp_solid *capsule, bool flip);
void pp_pair_poly2d(pp_narrow *w, const pp_solid *A, const pp_solid *B);
void pp_pair_poly3d(pp_narrow *w, const pp_solid *A, const pp_solid *B);
/* Closest points of two polyhedra that are apart: one contact along the connecting line, two if parallel edges face
 * each other. */
void pp_pair_closest3d(pp_narrow *w, const pp_solid *A, const pp_solid *B, const pp_tolerance *t);

#endif

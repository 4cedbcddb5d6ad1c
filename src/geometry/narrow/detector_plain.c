/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* detector_plain.c - all pairs of shapes that come near each other, one after the other
 *   in: placed shapes with their reaches      out: feature pairs with gap <= reach_i + reach_j
 * Method   vertices and normals go to W once; the broad phase finds the pairs whose boxes, grown by the reaches, meet;
 *          these go to the exact pair functions in pair_*.c (see narrow.h for the rules they share).
 * Valid    every kind of shape, both dimensions. Contacts are found before shapes overlap: a pair without a contact
 *          cannot touch as long as no point moves farther than its reach.
 * Cost     that of the broad phase; per polytope pair faces x vertices, in 3D plus edges x edges. */
#include <assert.h>
#include <string.h>

#include "geometry/broad/broad.h"
#include "geometry/narrow/narrow.h"

/* Tolerances as fractions of the smaller shape; the larger one enters with its rounding. */
#define TIE      3e-10
#define INSIDE   5e-10
#define MERGE    1e-7
#define TOUCH    1e-12
#define ROUNDING 1e-14

pp_tolerance pp_tolerances(const pp_geometry *a, const pp_geometry *b) {
    double s = a->size < b->size ? a->size : b->size, l = ROUNDING * (a->size < b->size ? b->size : a->size);
    pp_tolerance t = {TIE * s + l, INSIDE * s + 4 * l, MERGE * s + 16 * l, TOUCH * s + l};
    return t;
}

pp_face_gap pp_face_separation(const pp_solid *s, const pp_solid *o, const pp_tolerance *t) {
    pp_face_gap best = {-1, -1, -INFINITY};
    for (int f = 0; f < s->g->nface; f++) {
        double least = INFINITY;
        int vertex = 0;
        for (int v = 0; v < o->g->nvert; v++) {
            double d = pp_above(s, f, o->v[v]);
            if (d < least) {
                least = d;
                vertex = v;
            }
        }
        if (best.face >= 0 && !(least > best.gap + pp_tie_tolerance(t, best.gap))) continue;
        best.face = f;
        best.vertex = vertex;
        best.gap = least;
    }
    return best;
}

bool pp_choose_second(const pp_solid *A, pp_face_gap fa, const pp_solid *B, pp_face_gap fb, const pp_tolerance *t) {
    double larger = fabs(fa.gap) > fabs(fb.gap) ? fa.gap : fb.gap, tie = pp_tie_tolerance(t, larger);
    if (fb.gap > fa.gap + tie) return true;
    if (fa.gap > fb.gap + tie) return false;
    return B->g->face_area[fb.face] > (1 + PP_TIE_RELATIVE) * A->g->face_area[fa.face];
}

int pp_incident_face(const pp_solid *s, perp_vec3 n) {
    int best = 0;
    double least = INFINITY;
    for (int f = 0; f < s->g->nface; f++) {
        double d = perp_v3_dot(s->n[f], n);
        if (d < least - 1e-9) {
            least = d;
            best = f;
        }
    }
    return best;
}

static bool is_poly(const pp_geometry *g) {
    return g->kind == PERP_SHAPE_BOX || g->kind == PERP_SHAPE_POLYGON || g->kind == PERP_SHAPE_POLYHEDRON;
}

/* Vertices, normals and bounding boxes in W; false without memory. */
static bool place_all(int n, const pp_placed *placed, const pp_box *box, pp_arena *arena, pp_solid *solid) {
    int nv = 0, nn = 0;
    for (int i = 0; i < n; i++) {
        nv += placed[i].g->nvert;
        nn += placed[i].g->kind == PERP_SHAPE_HALFSPACE ? 1 : placed[i].g->nface;
    }
    perp_vec3 *v = PP_ARENA_ARRAY(arena, perp_vec3, nv), *normal = PP_ARENA_ARRAY(arena, perp_vec3, nn);
    if (!v || !normal) return false;
    for (int i = 0; i < n; i++) {
        const pp_geometry *g = placed[i].g;
        perp_pose X = placed[i].X_WS;
        pp_solid *s = &solid[i];
        s->g = g;
        s->v = v;
        s->n = normal;
        s->at = X.p;
        s->lo = box[i].lo;
        s->hi = box[i].hi;
        if (g->kind == PERP_SHAPE_HALFSPACE) {
            normal[0] = perp_q_rotate(X.q, g->normal);
            s->at = perp_v3_axpy(X.p, g->offset, normal[0]);
            normal++;
            continue;
        }
        for (int k = 0; k < g->nvert; k++) v[k] = perp_pose_apply(X, g->vert[k]);
        for (int k = 0; k < g->nface; k++) normal[k] = perp_q_rotate(X.q, g->face_n[k]);
        v += g->nvert;
        normal += g->nface;
    }
    return true;
}

void pp_narrow_phase(pp_narrow *w, int dim, const pp_solid *A, const pp_solid *B) {
    bool plane_a = A->g->kind == PERP_SHAPE_HALFSPACE, plane_b = B->g->kind == PERP_SHAPE_HALFSPACE;
    bool poly_a = is_poly(A->g), poly_b = is_poly(B->g);
    bool capsule_a = A->g->kind == PERP_SHAPE_CAPSULE, capsule_b = B->g->kind == PERP_SHAPE_CAPSULE;
    if (plane_a && plane_b) return;
    if (plane_a)
        pp_pair_halfspace(w, A, B, false);
    else if (plane_b)
        pp_pair_halfspace(w, B, A, true);
    else if (poly_a && poly_b && dim == 2)
        pp_pair_poly2d(w, A, B);
    else if (poly_a && poly_b)
        pp_pair_poly3d(w, A, B);
    else if (poly_a && capsule_b)
        pp_pair_capsule_poly(w, A, B, false);
    else if (poly_b && capsule_a)
        pp_pair_capsule_poly(w, B, A, true);
    else if (poly_a)
        pp_pair_sphere_poly(w, A, B, false);
    else if (poly_b)
        pp_pair_sphere_poly(w, B, A, true);
    else if (capsule_a && capsule_b)
        pp_pair_capsules(w, A, B);
    else if (capsule_a)
        pp_pair_capsule_sphere(w, A, B, false);
    else if (capsule_b)
        pp_pair_capsule_sphere(w, B, A, true);
    else
        pp_pair_spheres(w, A, B);
}

/* Contacts of one pair by feature number; numbers are unique within a pair, and there are few. */
static void sort_pair(pp_pair *p, int n) {
    for (int k = 1; k < n; k++) {
        pp_pair x = p[k];
        int m = k;
        for (; m > 0 && p[m - 1].feature > x.feature; m--) p[m] = p[m - 1];
        p[m] = x;
    }
}

static int largest_face(int n, const pp_placed *placed) {
    int most = 2;
    for (int i = 0; i < n; i++) {
        const pp_geometry *g = placed[i].g;
        for (int f = 0; f < g->nface; f++)
            if (g->face_start[f + 1] - g->face_start[f] > most) most = g->face_start[f + 1] - g->face_start[f];
    }
    return most;
}

static perp_status check_poses(int dim, int n, const pp_placed *placed) {
    (void)dim;
    for (int i = 0; i < n; i++) {
        if (!perp_v3_finite(placed[i].X_WS.p) || !perp_q_finite(placed[i].X_WS.q) || !(placed[i].reach >= 0))
            return PERP_E_ARG;
        assert(placed[i].g->dim == dim);
    }
    return PERP_OK;
}

/* Couples this far ahead are fetched: partners lie all over the memory, and those of many bodies are not all in the
 * cache. First the solid, then, when it has come, what it points to. */
#define AHEAD 16

/* The pairs in the list, one after the other; false without memory. */
static bool contacts(pp_narrow *w, int dim, const pp_placed *placed, const pp_solid *solid,
                     const pp_couple_list *near) {
    for (int k = 0; k < near->n && !w->memory; k++) {
        if (k + AHEAD < near->n) { /* not in a function of its own: compilers drop one that does nothing else */
            int far = near->couple[k + AHEAD].j, close = near->couple[k + AHEAD / 2].j;
            PP_FETCH(&solid[far]);
            PP_FETCH(&placed[far].reach);
            PP_FETCH(solid[close].v);
        }
        w->i = near->couple[k].i;
        w->j = near->couple[k].j;
        w->reach = placed[w->i].reach + placed[w->j].reach;
        w->first = w->out->n;
        pp_narrow_phase(w, dim, &solid[w->i], &solid[w->j]);
        if (w->out->n > w->first) sort_pair(w->out->pair + w->first, w->out->n - w->first);
    }
    return !w->memory;
}

static perp_status detect(int dim, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                          pp_broad *broad, pp_couple_list *near, const perp_allocator *a, pp_arena *arena,
                          pp_pair_list *out) {
    out->n = 0;
    perp_status st = check_poses(dim, n, placed);
    if (st) return st;
    pp_arena_mark mark = pp_arena_here(arena);
    pp_narrow w = {.out = out, .a = a};
    int clip = 2 * largest_face(n, placed) + 2;
    pp_solid *solid = PP_ARENA_ARRAY(arena, pp_solid, n);
    pp_box *box = PP_ARENA_ARRAY(arena, pp_box, n);
    w.clip[0] = PP_ARENA_ARRAY(arena, pp_clip_point, clip);
    w.clip[1] = PP_ARENA_ARRAY(arena, pp_clip_point, clip);
    bool ok = solid && box && w.clip[0] && w.clip[1];
    for (int i = 0; ok && i < n; i++) box[i] = pp_box_of(&placed[i]);
    ok = ok && place_all(n, placed, box, arena, solid) &&
         !pp_broad_pairs(broad, n, box, placed, filter, ctx, a, near) && contacts(&w, dim, placed, solid, near);
    pp_arena_release(arena, mark);
    if (ok) return PERP_OK;
    out->n = 0;
    return PERP_E_MEMORY;
}

const pp_detector_type pp_detector_plain = {
    .name = "plain",
    .shapes = 1u << PERP_SHAPE_PARTICLE | 1u << PERP_SHAPE_SPHERE | 1u << PERP_SHAPE_HALFSPACE | 1u << PERP_SHAPE_BOX |
              1u << PERP_SHAPE_POLYGON | 1u << PERP_SHAPE_POLYHEDRON | 1u << PERP_SHAPE_CAPSULE,
    .detect = detect,
};

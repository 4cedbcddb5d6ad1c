/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* touch_witness.h - do the contacts that pushed touch at the end of the step?
 *
 * The law of "peg" for impulses, measured by other code than the model's: the distance, at the end poses, of the vertex
 * of a contact from its face (the polygon, not its plane), or of its two edges (the segments, not their lines). Where it
 * is zero, the impulse acts where the bodies touch. Curved shapes are left out: their contacts have no such features. */
#ifndef PERP_TEST_TOUCH_WITNESS_H
#define PERP_TEST_TOUCH_WITNESS_H

#include "pair_witness.h"
#include "perp/perp.h"
#include "model/world_data.h"

/* A shape's corners in the world, now. False if it is curved. */
static inline bool shape_now(const perp_world *w, perp_shape_id id, witness *out, perp_vec3 *normal, perp_vec3 *at) {
    perp_shape_view view;
    perp_pose X;
    if (perp_shape_get(w, id, &view) || perp_body_pose(w, view.body, &X)) return false;
    X = perp_pose_mul(X, view.def.X_BS);
    const pp_geometry *g = w->shape[id.slot].g;
    if (view.def.kind == PERP_SHAPE_HALFSPACE) {
        *normal = perp_q_rotate(X.q, view.def.normal);
        *at = perp_pose_apply(X, perp_v3_scale(view.def.offset, view.def.normal));
        *out = (witness){.g = g, .dim = g->dim};
        return true;
    }
    if (g->radius > 0 || g->nvert < 3 || g->nvert > WITNESS_VERTS) return false;
    *out = witness_of(g, X);
    return true;
}

/* Distance of x from face f of w. */
static inline double from_face(const witness *w, int f, perp_vec3 x) {
    perp_vec3 c[WITNESS_VERTS], n;
    int m = witness_face(w, f, c);
    if (w->dim == 2) return to_segment(x, c[0], c[1]);
    n = witness_normal(w, f);
    double least = INFINITY;
    bool over = true;
    for (int k = 0; k < m; k++) {
        perp_vec3 p = c[k], q = c[(k + 1) % m];
        least = fmin(least, to_segment(x, p, q));
        if (perp_v3_dot(perp_v3_cross(n, minus(q, p)), minus(x, p)) < 0) over = false;
    }
    return over ? fabs(perp_v3_dot(n, minus(x, c[0]))) : least;
}

typedef struct touch_figures {
    long pushing, skipped; /* contacts looked at; curved ones */
    double distance;       /* largest [L] */
} touch_figures;

/* All contacts of the last step that pushed with more than `least` of the largest impulse. */
static inline void watch_contacts(const perp_world *w, double least, touch_figures *t) {
    const perp_contact *c;
    int n = perp_world_contacts(w, &c);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, c[i].impulse_C[0]);
    for (int i = 0; i < n; i++) {
        if (!(c[i].impulse_C[0] > least * most)) continue;
        static witness s[2];
        perp_vec3 normal[2], at[2];
        if (!shape_now(w, c[i].a, &s[0], &normal[0], &at[0]) || !shape_now(w, c[i].b, &s[1], &normal[1], &at[1])) {
            t->skipped++;
            continue;
        }
        uint64_t f = c[i].feature;
        double d = INFINITY;
        if (pp_feature_kind(f) == PP_VERTEX_FACE) {
            int R = pp_feature_owner(f), O = 1 - R;
            perp_vec3 x = s[O].v[pp_feature_b(f)];
            d = s[R].nv == 0 ? fabs(perp_v3_dot(normal[R], minus(x, at[R]))) : from_face(&s[R], pp_feature_a(f), x);
        } else if (pp_feature_kind(f) == PP_EDGE_EDGE) {
            const int *a = s[0].g->edge[pp_feature_a(f)], *b = s[1].g->edge[pp_feature_b(f)];
            d = between_segments(s[0].v[a[0]], s[0].v[a[1]], s[1].v[b[0]], s[1].v[b[1]]);
        }
        t->pushing++;
        t->distance = d > t->distance ? d : t->distance;
    }
}

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_check.h - what perp finds out about a pair of hulls against the witness of pair_witness.h
 *
 * Still pairs: sign and value of the separating plane (geometry/narrow/plane.h), the distance of the plain detector, and the
 * measure of the certificate. Moving pairs: a world of the two, one step of "peg"; whoever would overlap at the end of
 * free motion, or on the way there, must have been noticed. */
#ifndef PERP_TEST_PAIR_CHECK_H
#define PERP_TEST_PAIR_CHECK_H

#include <stdio.h>

#include "geometry/broad/broad.h"
#include "geometry/narrow/plane.h"
#include "pair_witness.h"
#include "perp/perp.h"

static const perp_allocator pair_alloc = {0};

/* The worst of many pairs; errors as a part of the larger of the two. */
typedef struct pair_figures {
    long pairs, apart, nan;
    long wrong_sign;      /* of the separating plane, beyond rounding */
    double plane_depth;   /* error of the overlap depth */
    double plane_beyond;  /* by how much a gap exceeds the distance: it never may */
    double plane_short;   /* by how much a gap falls short of one found by brute force */
    double detector;      /* error of the detector's distance */
    double measure_depth; /* error of the certificate's depth */
    long askew;           /* pairs with edges that are nearly parallel, counted apart, */
    double askew_error;   /* and the largest of all errors there */
} pair_figures;

/* A solid of one geometry, on its own. */
typedef struct pair_solid {
    pp_solid s;
    perp_vec3 v[WITNESS_VERTS], n[2 * WITNESS_VERTS];
} pair_solid;

static inline void solid_of(pair_solid *out, const pp_geometry *g, perp_pose X) {
    perp_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = perp_v3_neg(lo);
    for (int i = 0; i < g->nvert; i++) {
        perp_vec3 x = out->v[i] = perp_pose_apply(X, g->vert[i]);
        lo = perp_v3(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi = perp_v3(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    for (int f = 0; f < g->nface; f++) out->n[f] = perp_q_rotate(X.q, g->face_n[f]);
    out->s = (pp_solid){.g = g, .v = out->v, .n = out->n, .lo = lo, .hi = hi};
}

/* Largest gap over planes that really are faces of the difference of the two: normals of faces, and cross products of
 * edges that are, both, all that supports the bodies in that direction. */
static inline double supported_gap(const witness *A, const witness *B, double slack) {
    double most = -INFINITY;
    for (int f = 0; f < A->g->nface; f++) most = fmax(most, witness_gap(A, B, witness_normal(A, f)));
    for (int f = 0; f < B->g->nface; f++) most = fmax(most, witness_gap(A, B, perp_v3_neg(witness_normal(B, f))));
    for (int i = 0; i < A->ne; i++)
        for (int j = 0; j < B->ne; j++) {
            perp_vec3 a = witness_edge(A, i), b = witness_edge(B, j), c = perp_v3_cross(a, b);
            double l = perp_v3_norm(c);
            if (!(l > 1e-5 * perp_v3_norm(a) * perp_v3_norm(b))) continue;
            for (int sign = -1; sign <= 1; sign += 2) {
                perp_vec3 n = perp_v3_scale(sign / l, c);
                double gap = witness_gap(A, B, n);
                double own = perp_v3_dot(n, minus(B->v[B->edge[j][0]], A->v[A->edge[i][0]]));
                if (fabs(own - gap) <= slack) most = fmax(most, gap);
            }
        }
    return most;
}

/* Least gap that the plain detector finds within `reach`; INFINITY for none. */
static inline double detected_gap(int dim, const pp_geometry *ga, perp_pose Xa, const pp_geometry *gb, perp_pose Xb,
                                  double reach) {
    static pp_broad *broad;
    static pp_couple_list couples;
    static pp_pair_list found;
    static pp_arena arena;
    if (!broad) {
        broad = pp_broad_create(&pair_alloc);
        pp_arena_init(&arena, pair_alloc);
    }
    pp_placed p[2] = {{ga, Xa, reach / 2, 0, true, 0, 1, ~0u}, {gb, Xb, reach / 2, 1, true, 1, 1, ~0u}};
    pp_arena_reset(&arena);
    if (!broad || pp_detector_plain.detect(dim, 2, p, NULL, NULL, broad, &couples, &pair_alloc, &arena, &found))
        return NAN;
    double least = INFINITY;
    for (int c = 0; c < found.n; c++) {
        const pp_pair *k = &found.pair[c];
        if (!perp_v3_finite(k->a_W) || !perp_v3_finite(k->b_W) || !perp_v3_finite(k->n_W) || !isfinite(k->gap))
            return NAN;
        least = fmin(least, k->gap);
    }
    return least;
}

static inline double worse(double worst, double x) { return x > worst ? x : worst; }

/* Edges that are nearly, but not quite, parallel give no plane, or one that rounding turns: what is beside them is as good to
 * that angle. */
static inline bool has_askew_edges(const witness *A, const witness *B) {
    bool askew = false;
    for (int i = 0; i < A->ne; i++)
        for (int j = 0; j < B->ne; j++) {
            perp_vec3 a = perp_v3_unit(witness_edge(A, i)), b = perp_v3_unit(witness_edge(B, j));
            double l = perp_v3_norm(perp_v3_cross(a, b));
            askew |= l > 1e-14 && l < 1e-4;
        }
    return askew;
}

/* One pair; true if nothing is wrong by more than `limit` of the larger of the two. */
static inline bool check_still(pair_figures *t, const pp_geometry *ga, perp_pose Xa, const pp_geometry *gb,
                               perp_pose Xb, double limit) {
    static pair_solid SA, SB; /* large */
    pair_figures one = {.pairs = 1};
    witness A = witness_of(ga, Xa), B = witness_of(gb, Xb);
    double size = fmax(A.size, B.size), truth = witness_separation(&A, &B);
    bool askew = has_askew_edges(&A, &B);
    solid_of(&SA, ga, Xa);
    solid_of(&SB, gb, Xb);
    pp_separating s = pp_separate(&SA.s, &SB.s, PP_NO_PLANE, 0, INFINITY);
    perp_vec3 n = pp_plane_normal(&SA.s, &SB.s, s.plane);
    pp_placed pa = {ga, Xa, 0, 0, true, 0, 1, ~0u}, pb = {gb, Xb, 0, 1, true, 1, 1, ~0u};
    double measured = pp_separation(&pa, &pb), reach = 4 * (A.size + B.size) + 2 * fabs(truth);
    double found = detected_gap(ga->dim, ga, Xa, gb, Xb, reach);
    one.nan = !isfinite(s.gap) || isnan(found) || !isfinite(measured) || !(fabs(perp_v3_norm(n) - 1) < 1e-12) ||
              !(fabs(pp_plane_gap(&SA.s, &SB.s, s.plane) - s.gap) <= (askew ? limit : 1e-11) * size);
    if (truth <= 0) {
        one.plane_depth = fabs(s.gap - truth) / size;
        one.measure_depth = fabs(measured - truth) / size;
        one.detector = fabs(found - truth) / size;
        one.wrong_sign = s.gap > 1e-12 * size;
    } else {
        double d = witness_distance(&A, &B);
        one.apart = 1;
        one.plane_beyond = fmax(0, s.gap - d) / size;
        one.plane_short = fmax(0, supported_gap(&A, &B, 1e-13 * size) - s.gap) / size;
        one.measure_depth = fmax(fmax(0, measured - d), measured > 0 ? 0 : truth) / size;
        one.detector = fabs(found - d) / size;
        one.wrong_sign = s.gap < -1e-12 * size || (s.gap <= 0 && truth > 1e-9 * size);
    }
    if (askew) {
        t->askew++;
        double most = worse(worse(one.plane_depth, one.plane_beyond), worse(one.detector, one.measure_depth));
        t->askew_error = worse(t->askew_error, most);
        return !one.nan && most <= 1e-6;
    }
    t->pairs++;
    t->apart += one.apart;
    t->nan += one.nan;
    t->wrong_sign += one.wrong_sign;
    t->plane_depth = worse(t->plane_depth, one.plane_depth);
    t->plane_beyond = worse(t->plane_beyond, one.plane_beyond);
    t->plane_short = worse(t->plane_short, one.plane_short);
    t->detector = worse(t->detector, one.detector);
    t->measure_depth = worse(t->measure_depth, one.measure_depth);
    return !one.nan && !one.wrong_sign && one.plane_depth <= limit && one.plane_beyond <= limit &&
           one.plane_short <= limit && one.detector <= limit && one.measure_depth <= limit;
}

/* A random pair of this kind; sizes from 1e-3 to 1e3, as often alike as not. */
static inline bool random_pair(int dim, int kind, pp_geometry **ga, perp_pose *Xa, pp_geometry **gb, perp_pose *Xb) {
    double a = random_power(-3, 3), b = random_below(2) ? a : fmin(1e3, fmax(1e-3, a * random_power(-2, 2)));
    if (kind == PAIR_NESTED) b = 0.1 * a * random_between(0.01, 1);
    *ga = random_hull(dim, a);
    *gb = kind == PAIR_SAME ? *ga : random_hull(dim, b);
    if (!*ga || !*gb) {
        pp_geometry_destroy(*ga, &pair_alloc);
        if (*gb != *ga) pp_geometry_destroy(*gb, &pair_alloc);
        return false;
    }
    *Xa = (perp_pose){perp_v3_scale(a, random_direction(dim)), random_turn(dim)};
    *Xb = place_beside(kind, *ga, *Xa, *gb);
    return true;
}

/* ---- moving pairs ---------------------------------------------------------------------------------------------- */

typedef struct moving_figures {
    long pairs, meet_end, meet_way; /* that would overlap at the end of free motion; on the way only */
    long failed;                    /* steps */
    long missed_end, missed_way;    /* not noticed */
    double missed_depth; /* deepest overlap on the way that was not noticed, as a part of the lesser thickness */
    double overlap;      /* left at the end, as a part of what the tolerances allow */
} moving_figures;

typedef struct moving_body {
    pp_geometry *g;
    perp_pose X;
    perp_vec3 v, w;
    bool fixed;
} moving_body;

/* Where free motion takes a body of equal moments of inertia in the time t. */
static inline perp_pose moved(const moving_body *b, double t) {
    return (perp_pose){perp_v3_axpy(b->X.p, t, b->v),
                       perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(t, b->w)), b->X.q))};
}

static inline double separation_at(const moving_body *m, double t) {
    witness A = witness_of(m[0].g, moved(&m[0], t)), B = witness_of(m[1].g, moved(&m[1], t));
    return witness_separation(&A, &B);
}

/* Adds a body with the moments of inertia of a ball, so that free motion has a closed form. */
static inline perp_status add_moving(perp_world *w, const moving_body *b, perp_body_id *id) {
    perp_body_def d = perp_body_def_default(b->fixed ? PERP_BODY_OBSTACLE : PERP_BODY_DYNAMIC);
    d.X_WB = b->X;
    if (!b->fixed) {
        double I = 0.1 * b->g->size * b->g->size;
        d.I_B = perp_m3_diag(I, I, I);
        d.v_W = b->v;
        d.w_W = b->w;
    }
    perp_status st = perp_body_add(w, &d, id);
    if (st) return st;
    perp_shape_def s =
        b->g->dim == 2 ? perp_shape_polygon(b->g->vert, b->g->nvert) : perp_shape_polyhedron(b->g->vert, b->g->nvert);
    return perp_shape_add(w, *id, &s, NULL);
}

/* One step of two bodies with h = 1. True if nothing was missed. */
static inline bool check_moving(moving_figures *t, const moving_body *m, int samples) {
    int dim = m[0].g->dim;
    perp_world_def d = perp_world_def_default(dim);
    d.gravity_W = perp_v3(0, 0, 0);
    d.h = 1;
    d.contact_model = "peg";
    perp_world *w = NULL;
    perp_body_id id[2];
    t->pairs++;
    perp_certificate c = {0};
    if (perp_world_create(&d, &w) || add_moving(w, &m[0], &id[0]) || add_moving(w, &m[1], &id[1]) ||
        perp_world_step(w, &c)) {
        t->failed++;
        perp_world_destroy(w);
        return false;
    }
    double size = fmin(m[0].g->size, m[1].g->size), thick = fmin(m[0].g->thickness, m[1].g->thickness);
    double end = -separation_at(m, 1), way = 0;
    for (int k = 1; k < samples; k++) way = fmax(way, -separation_at(m, (double)k / samples));
    bool noticed = false;
    const perp_contact *list;
    for (int k = 0, n = perp_world_contacts(w, &list); k < n; k++) noticed |= list[k].impulse_C[0] > 0;
    noticed |= c.substeps > 1;
    bool meets = end > 1e-8 * size, passes = !meets && way > 1e-8 * size, good = true;
    t->meet_end += meets;
    t->meet_way += passes;
    if (!noticed && meets) {
        t->missed_end++;
        good = false;
    }
    if (!noticed && passes) {
        t->missed_way++;
        t->missed_depth = fmax(t->missed_depth, way / thick);
    }
    moving_body now[2] = {m[0], m[1]};
    for (int s = 0; s < 2; s++) perp_body_pose(w, id[s], &now[s].X);
    double speed = fmax(perp_v3_norm(m[0].v), perp_v3_norm(m[1].v)), allowed = 1e-10 * size + 2 * d.tolerance * speed;
    double left = fmax(0, -separation_at(now, 0)) / allowed;
    t->overlap = worse(t->overlap, left);
    perp_world_destroy(w);
    return good && left < 1;
}

/* Two hulls near each other, with speeds from a hundredth of their size to ten times that in the step. */
static inline bool random_moving(int dim, moving_body *m) {
    double a = random_power(-3, 3);
    m[0] = (moving_body){.g = random_hull(dim, a), .fixed = random_below(3) == 0};
    m[1] = (moving_body){.g = random_hull(dim, a * random_power(-1, 0))};
    if (m[0].g && m[1].g) {
        m[0].X = (perp_pose){perp_v3_scale(a, random_direction(dim)), random_turn(dim)};
        for (int k = 0; k < 20; k++) {
            m[1].X = place_beside(PAIR_ANYHOW, m[0].g, m[0].X, m[1].g);
            if (separation_at(m, 0) > 1e-6 * a) break;
        }
        perp_vec3 to = minus(m[0].X.p, m[1].X.p); /* towards each other, more or less */
        for (int s = 0; s < 2; s++) {
            if (m[s].fixed) continue;
            perp_vec3 dir = perp_v3_axpy(perp_v3_scale(s ? 1 : -1, perp_v3_unit(to)), 0.5, random_direction(dim));
            m[s].v = perp_v3_scale(a * random_power(-2, 1), dir);
            double spin = random_power(-2, 0.3);
            m[s].w =
                dim == 2 ? perp_v3(0, 0, random_below(2) ? spin : -spin) : perp_v3_scale(spin, random_direction(3));
        }
        if (separation_at(m, 0) > 1e-6 * a) return true;
    }
    for (int s = 0; s < 2; s++) pp_geometry_destroy(m[s].g, &pair_alloc);
    return false;
}

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* perp_detect.c - perp's broad phase, pair functions and whole detector, by its internal headers; and the judge of
 * overlaps. */
#include <stdlib.h>

#include "geometry/broad/broad.h"
#include "geometry/narrow/narrow.h"
#include "peers.h"

struct perp_side {
    int n;
    perp_allocator alloc; /* {0}: malloc and free */
    pp_arena arena;
    pp_geometry *g; /* one for all */
    pp_placed *placed;
    pp_broad *broad, *detector_broad; /* apart, so that neither is warmed by the other */
    pp_box *box;
    pp_couple_list couple, near;
    pp_pair_list contact;
};

static pp_geometry *geometry(perp_shape_def def, const perp_allocator *a) {
    char why[128];
    pp_geometry *g;
    if (pp_geometry_create(&def, 3, a, &g, why, sizeof why)) peer_die("perp", why);
    return g;
}

static pp_placed placed_at(const pp_geometry *g, int i, bool moves) {
    pp_placed p = {.g = g, .body = i, .slot = i, .moves = moves, .group = 1, .mask = ~0u};
    p.X_WS.q.w = 1;
    return p;
}

static perp_pose pose_of(const peer_pose *x) {
    perp_pose X = {{x->p[0], x->p[1], x->p[2]}, {x->q[0], x->q[1], x->q[2], x->q[3]}};
    return X;
}

perp_side *perp_side_create(int n, bool cubes) {
    perp_side *s = peer_memory(1, sizeof *s);
    s->n = n;
    pp_arena_init(&s->arena, s->alloc);
    s->g = geometry(cubes ? perp_shape_box(0.5, 0.5, 0.5) : perp_shape_sphere(0.5), &s->alloc);
    s->placed = peer_memory((size_t)n, sizeof *s->placed);
    s->box = peer_memory((size_t)n, sizeof *s->box);
    s->broad = pp_broad_create(&s->alloc);
    s->detector_broad = pp_broad_create(&s->alloc);
    if (!s->broad || !s->detector_broad) peer_die("memory", "refused");
    for (int i = 0; i < n; i++) s->placed[i] = placed_at(s->g, i, true);
    return s;
}

void perp_side_place(perp_side *s, const peer_pose *pose, const double *centre, double reach) {
    for (int i = 0; i < s->n; i++) {
        if (pose) s->placed[i].X_WS = pose_of(&pose[i]);
        if (centre) s->placed[i].X_WS.p = perp_v3(centre[3 * i], centre[3 * i + 1], centre[3 * i + 2]);
        s->placed[i].reach = reach;
    }
}

void perp_side_broad(perp_side *s, const peer_box *box) {
    for (int i = 0; i < s->n; i++) {
        s->box[i].lo = perp_v3((double)box[i].lo[0], (double)box[i].lo[1], (double)box[i].lo[2]);
        s->box[i].hi = perp_v3((double)box[i].hi[0], (double)box[i].hi[1], (double)box[i].hi[2]);
    }
    if (pp_broad_pairs(s->broad, s->n, s->box, s->placed, NULL, NULL, &s->alloc, &s->couple))
        peer_die("perp", "the broad phase failed");
}

int perp_side_pairs(const perp_side *s, const peer_pair **out) {
    _Static_assert(sizeof(peer_pair) == sizeof(pp_broad_pair), "both are two numbers");
    *out = (const peer_pair *)(const void *)s->couple.couple;
    return s->couple.n;
}

/* Vertices and normals of all cubes in the world frame. */
static pp_solid *place_solids(perp_side *s) {
    int nv = s->g->nvert, nf = s->g->nface;
    pp_solid *solid = PP_ARENA_ARRAY(&s->arena, pp_solid, s->n);
    perp_vec3 *v = PP_ARENA_ARRAY(&s->arena, perp_vec3, s->n * nv),
              *n = PP_ARENA_ARRAY(&s->arena, perp_vec3, s->n * nf);
    if (!solid || !v || !n) peer_die("memory", "refused");
    for (int i = 0; i < s->n; i++, v += nv, n += nf) {
        perp_pose X = s->placed[i].X_WS;
        for (int k = 0; k < nv; k++) v[k] = perp_pose_apply(X, s->g->vert[k]);
        for (int k = 0; k < nf; k++) n[k] = perp_q_rotate(X.q, s->g->face_n[k]);
        solid[i] = (pp_solid){.g = s->g, .v = v, .n = n};
    }
    return solid;
}

void perp_side_narrow(perp_side *s, int npair, const peer_pair *pair) {
    pp_arena_reset(&s->arena);
    pp_solid *solid = place_solids(s);
    pp_narrow w = {.out = &s->contact, .a = &s->alloc};
    int clip = 4 * s->g->nvert;
    w.clip[0] = PP_ARENA_ARRAY(&s->arena, pp_clip_point, clip);
    w.clip[1] = PP_ARENA_ARRAY(&s->arena, pp_clip_point, clip);
    if (!w.clip[0] || !w.clip[1]) peer_die("memory", "refused");
    s->contact.n = 0;
    for (int k = 0; k < npair; k++) {
        w.i = pair[k].i;
        w.j = pair[k].j;
        w.reach = s->placed[w.i].reach + s->placed[w.j].reach;
        w.first = s->contact.n;
        pp_pair_poly3d(&w, &solid[w.i], &solid[w.j]);
    }
}

void perp_side_detect(perp_side *s) {
    pp_arena_reset(&s->arena);
    if (pp_detector_plain.detect(3, s->n, s->placed, NULL, NULL, s->detector_broad, &s->near, &s->alloc, &s->arena,
                                 &s->contact))
        peer_die("perp", "the detector failed");
}

int perp_side_contacts(const perp_side *s) { return s->contact.n; }

void perp_side_destroy(perp_side *s) {
    pp_broad_destroy(s->broad, &s->alloc);
    pp_broad_destroy(s->detector_broad, &s->alloc);
    pp_free(&s->alloc, s->near.couple);
    pp_free(&s->alloc, s->couple.couple);
    pp_free(&s->alloc, s->contact.pair);
    pp_geometry_destroy(s->g, &s->alloc);
    pp_arena_free(&s->arena);
    free(s->placed);
    free(s->box);
    free(s);
}

#define PLANES 5

struct peer_judge {
    int n, nplane;
    perp_allocator alloc;
    pp_geometry *grain, *plane[PLANES];
    pp_placed *placed; /* grains, then planes */
};

peer_judge *peer_judge_create(const pour_scene *s) {
    const struct {
        perp_vec3 n;
        double offset;
    } plane[PLANES] = {
        {{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{0, 1, 0}, 0}, {{-1, 0, 0}, -s->width}, {{0, -1, 0}, -s->width}};
    peer_judge *j = peer_memory(1, sizeof *j);
    j->n = s->n;
    j->nplane = s->walls ? PLANES : 1;
    j->grain = geometry(s->cubes ? perp_shape_box(s->half, s->half, s->half) : perp_shape_sphere(s->half), &j->alloc);
    j->placed = peer_memory((size_t)(s->n + PLANES), sizeof *j->placed);
    for (int i = 0; i < s->n; i++) j->placed[i] = placed_at(j->grain, i, true);
    for (int k = 0; k < j->nplane; k++) {
        j->plane[k] = geometry(perp_shape_halfspace(plane[k].n, plane[k].offset), &j->alloc);
        j->placed[s->n + k] = placed_at(j->plane[k], s->n + k, false);
    }
    return j;
}

double peer_judge_deepest(peer_judge *j, const peer_pose *pose) {
    int which[2];
    for (int i = 0; i < j->n; i++) j->placed[i].X_WS = pose_of(&pose[i]);
    return pp_deepest_overlap(j->n + j->nplane, j->placed, NULL, NULL, which);
}

void peer_judge_destroy(peer_judge *j) {
    pp_geometry_destroy(j->grain, &j->alloc);
    for (int k = 0; k < j->nplane; k++) pp_geometry_destroy(j->plane[k], &j->alloc);
    free(j->placed);
    free(j);
}

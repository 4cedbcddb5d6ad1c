/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_pose.c - places the shapes at the start of a step, at its end, and in between. */
#include "method/peg/peg.h"

#include <string.h>

#include "problem/convert/convert.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"

static int corners(const pp_geometry *g) { return g->nvert > 0 ? g->nvert : 1; }
static int normals(const pp_geometry *g) { return g->nface > 0 ? g->nface : 1; }

static bool new_solid(pp_arena *a, int nvert, int nface, pp_solid *s) {
    s->v = PP_ARENA_ARRAY(a, perp_vec3, nvert);
    s->n = PP_ARENA_ARRAY(a, perp_vec3, nface);
    return s->v && s->n;
}

static perp_vec3 least(perp_vec3 a, perp_vec3 b) { return perp_v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static perp_vec3 most(perp_vec3 a, perp_vec3 b) { return perp_v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

/* R x in the plane: the products with zeros are left out. */
static perp_vec3 turned_2d(const perp_mat3 *R, perp_vec3 x) {
    return perp_v3((R->c[0].x * x.x + R->c[1].x * x.y) + 0.0, (R->c[0].y * x.x + R->c[1].y * x.y) + 0.0, 0);
}

/* The corners of a shape of the plane, their box, and the normals. */
static void place_2d(pp_solid *s, const pp_geometry *g, perp_pose X_WS) {
    perp_mat3 R = perp_q_matrix(X_WS.q);
    double lx = INFINITY, ly = INFINITY, hx = -INFINITY, hy = -INFINITY, z = X_WS.p.z + 0.0;
    for (int v = 0; v < g->nvert; v++) {
        perp_vec3 x = turned_2d(&R, g->vert[v]);
        x = perp_v3(X_WS.p.x + x.x, X_WS.p.y + x.y, z);
        lx = fmin(lx, x.x), ly = fmin(ly, x.y);
        hx = fmax(hx, x.x), hy = fmax(hy, x.y);
        s->v[v] = x;
    }
    s->lo = perp_v3(lx - g->radius, ly - g->radius, z);
    s->hi = perp_v3(hx + g->radius, hy + g->radius, z);
    for (int f = 0; f < g->nface; f++) s->n[f] = turned_2d(&R, g->face_n[f]);
}

static void place(pp_solid *s, const pp_geometry *g, perp_pose X_WS) {
    s->g = g;
    if (g->dim == 2 && g->nvert > 0) {
        place_2d(s, g, X_WS);
        return;
    }
    if (g->kind == PERP_SHAPE_HALFSPACE) {
        s->n[0] = perp_q_rotate(X_WS.q, g->normal);
        s->at = perp_pose_apply(X_WS, perp_v3_scale(g->offset, g->normal));
        s->lo = perp_v3(-INFINITY, -INFINITY, -INFINITY);
        s->hi = perp_v3(INFINITY, INFINITY, INFINITY);
        return;
    }
    perp_mat3 R = perp_q_matrix(X_WS.q);
    s->lo = perp_v3(INFINITY, INFINITY, INFINITY);
    s->hi = perp_v3_neg(s->lo);
    for (int v = 0; v < g->nvert; v++) {
        s->v[v] = perp_v3_add(X_WS.p, perp_m3_mul_v(R, g->vert[v]));
        s->lo = least(s->lo, s->v[v]);
        s->hi = most(s->hi, s->v[v]);
    }
    perp_vec3 r = perp_v3(g->radius, g->radius, g->dim == 3 ? g->radius : 0);
    s->lo = perp_v3_sub(s->lo, r);
    s->hi = perp_v3_add(s->hi, r);
    for (int f = 0; f < g->nface; f++) s->n[f] = perp_m3_mul_v(R, g->face_n[f]);
}

/* Lever arm of a shape: the largest sqrt(r.A r) over its points r in the body frame, with A = tr(I^-1) 1 - I^-1. Then
 * |w x r|^2 <= (w.I w) (r.A r) for every w, and w.I w is constant while the body rotates freely. So a slender body that
 * spins fast about its axis is bounded by the true motion of its points, not by its length. For bodies with inertia
 * proportional to 1, and in 2D, the lever arm is the radius, and w itself is used. */
static double lever_of(const perp_world *w, const pp_placed *at) {
    const pp_shape *s = &w->shape[at->slot];
    const pp_body *b = &w->body[at->body];
    if (w->def.dim == 2 || b->isotropic) return s->radius_B;
    perp_mat3 I = b->I_inv_B;
    double trace = I.c[0].x + I.c[1].y + I.c[2].z, most = 0;
    for (int v = 0; v < (s->g->nvert > 0 ? s->g->nvert : 1); v++) {
        perp_vec3 r = s->g->nvert > 0 ? perp_pose_apply(s->X_BS, s->g->vert[v]) : s->X_BS.p;
        most = fmax(most, trace * perp_v3_dot(r, r) - perp_v3_dot(r, perp_m3_mul_v(I, r)));
    }
    return sqrt(most) + s->g->radius * sqrt(trace);
}

void pp_peg_levers(pp_peg_work *k) {
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        k->lever[i] = k->f->collide.placed[i].moves ? lever_of(k->f->w, &k->f->collide.placed[i]) : 0;
        k->arc[i] = 0;
    }
}

double pp_turn_travel(const pp_peg_work *k, int i, const double *nu) {
    const pp_frame *f = k->f;
    int body = f->collide.placed[i].body, b = f->control.block[body];
    if (b < 0) { /* driven, or at rest */
        double r = f->w->shape[f->collide.placed[i].slot].radius_B;
        return isfinite(r) ? r * perp_v3_norm(k->turn[body]) : 0;
    }
    int nd = f->control.block_ndof[b], lin = f->w->def.dim;
    const double *w = nu + f->control.block_offset[b] + lin, *M = f->control.M + 36 * b + 7 * lin;
    double square = 0;
    bool own = lin == 2 || f->w->body[body].isotropic;
    for (int c = 0; c < nd - lin; c++)
        for (int r = 0; r < nd - lin; r++) square += w[r] * (own ? (double)(r == c) : M[6 * c + r]) * w[c];
    return f->h * k->lever[i] * sqrt(fmax(0, square));
}

perp_status pp_poses_new(pp_peg_work *k, pp_poses *out) {
    pp_arena *a = &k->f->w->arena;
    int n = k->f->collide.nplaced;
    out->solid = PP_ARENA_ARRAY(a, pp_solid, n);
    bool ok = out->solid != NULL;
    for (int i = 0; ok && i < n; i++) {
        const pp_geometry *g = k->f->collide.placed[i].g;
        ok = new_solid(a, corners(g), normals(g), &out->solid[i]);
    }
    return ok ? PERP_OK : pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for %d shapes", n);
}

static perp_pose shape_pose(const pp_peg_work *k, int i, perp_pose X_WB) {
    return perp_pose_mul(X_WB, k->f->w->shape[k->f->collide.placed[i].slot].X_BS);
}

void pp_poses_place(pp_peg_work *k, pp_poses *p, const pp_state *s) {
    p->state = s;
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        const pp_placed *at = &k->f->collide.placed[i];
        place(&p->solid[i], at->g, shape_pose(k, i, s->X[at->body]));
    }
}

static void copy_solid(pp_solid *to, const pp_solid *from) {
    perp_vec3 *v = to->v, *n = to->n;
    int nface = from->g->kind == PERP_SHAPE_HALFSPACE ? 1 : from->g->nface;
    if (from->g->nvert > 0) memcpy(v, from->v, (size_t)from->g->nvert * sizeof *v);
    if (nface > 0) memcpy(n, from->n, (size_t)nface * sizeof *n);
    *to = *from;
    to->v = v;
    to->n = n;
}

void pp_poses_place_like(pp_peg_work *k, pp_poses *p, const pp_state *s, const pp_poses *like) {
    p->state = s;
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        const pp_placed *at = &k->f->collide.placed[i];
        if (memcmp(&s->X[at->body], &like->state->X[at->body], sizeof *s->X) == 0)
            copy_solid(&p->solid[i], &like->solid[i]);
        else
            place(&p->solid[i], at->g, shape_pose(k, i, s->X[at->body]));
    }
}

void pp_poses_set(pp_peg_work *k, const pp_state *s) {
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        pp_placed *at = &k->f->collide.placed[i];
        at->X_WS = shape_pose(k, i, s->X[at->body]);
    }
}

/* Moves block b, unless it has been moved with the same velocity. */
static bool advance_block(pp_peg_work *k, int b, const double *v) {
    const pp_frame *f = k->f;
    double *by = k->end.moved_by + f->control.block_offset[b];
    size_t bytes = (size_t)f->control.block_ndof[b] * sizeof *by;
    /* with implicit_turn the motion depends on more than the velocity */
    k->end.stays[b] = !f->task.implicit_turn && memcmp(by, v, bytes) == 0;
    if (k->end.stays[b]) return true;
    memcpy(by, v, bytes);
    return pp_move_block(f, b, f->s0, v, f->h, &k->end_state, NULL);
}

void pp_poses_forget(pp_peg_work *k) {
    for (int d = 0; d < k->f->control.ndof; d++) k->end.moved_by[d] = NAN;
}

bool pp_poses_advance(pp_peg_work *k, const double *nu) {
    const pp_frame *f = k->f;
    for (int b = 0; b < f->control.nblock; b++) {
        int slot = f->control.block_body[b], nd = f->control.block_ndof[b];
        const double *v = nu + f->control.block_offset[b];
        if (!advance_block(k, b, v)) {
            pp_poses_forget(k);
            return false;
        }
        k->turn[slot] = f->w->def.dim == 2 ? perp_v3(0, 0, nd == 3 ? f->h * v[2] : 0)
                        : nd == 6          ? perp_v3_scale(f->h, perp_v3(v[3], v[4], v[5]))
                                           : perp_v3(0, 0, 0);
    }
    for (int i = 0; i < f->collide.nplaced; i++) {
        const pp_placed *at = &f->collide.placed[i];
        int b = f->control.block[at->body];
        if (at->moves && !(b >= 0 && k->end.stays[b]))
            place(&k->end.solid[i], at->g, shape_pose(k, i, k->end_state.X[at->body]));
        k->arc[i] = pp_turn_travel(k, i, nu);
    }
    k->now.moved = true;
    return true;
}

static perp_pose between(pp_peg_work *k, int body, double x) {
    const pp_frame *f = k->f;
    int b = f->control.block[body];
    if (b >= 0) {
        (void)pp_move_block(f, b, f->s0, k->m->nu + f->control.block_offset[b], x * f->h, &k->way, NULL);
        return k->way.X[body];
    }
    perp_pose from = f->s0->X[body], to = k->end_state.X[body];
    perp_pose m = {perp_v3_axpy(from.p, x, perp_v3_sub(to.p, from.p)), from.q};
    perp_vec3 turn = k->turn[body];
    if (turn.x != 0 || turn.y != 0 || turn.z != 0)
        m.q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(x, turn)), from.q));
    return m;
}

void pp_poses_between(pp_peg_work *k, int i, int j, double x) {
    const int which[2] = {i, j};
    for (int s = 0; s < 2; s++) {
        const pp_placed *at = &k->f->collide.placed[which[s]];
        place(&k->probe[s], at->g, shape_pose(k, which[s], between(k, at->body, x)));
    }
}

double pp_relative_travel(const pp_peg_work *k, int i, int j) {
    const pp_placed *A = &k->f->collide.placed[i], *B = &k->f->collide.placed[j];
    perp_vec3 a = perp_v3_sub(k->end_state.X[A->body].p, k->f->s0->X[A->body].p),
              b = perp_v3_sub(k->end_state.X[B->body].p, k->f->s0->X[B->body].p);
    double d = perp_v3_norm(perp_v3_sub(b, a));
    return d + k->arc[i] + k->arc[j];
}

void pp_free_velocity(const pp_frame *f, double *nu) {
    perp_step_problem p = pp_free_problem(f);
    pp_step_velocity(&p, NULL, NULL, nu);
}

/* peg_pose.c - solids at the start of a step, at its end, and between. */
#include "contact/peg.h"

static int corners(const pp_geometry *g) { return g->nvert > 0 ? g->nvert : 1; }
static int normals(const pp_geometry *g) { return g->nface > 0 ? g->nface : 1; }

static bool new_solid(pp_arena *a, int nvert, int nface, pp_solid *s) {
    s->v = PP_ARENA_ARRAY(a, perp_vec3, nvert);
    s->n = PP_ARENA_ARRAY(a, perp_vec3, nface);
    return s->v && s->n;
}

static perp_vec3 least(perp_vec3 a, perp_vec3 b) { return perp_v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static perp_vec3 most(perp_vec3 a, perp_vec3 b) { return perp_v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

static void place(pp_solid *s, const pp_geometry *g, perp_pose X_WS) {
    s->g = g;
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

perp_status pp_poses_new(pp_peg_work *k, pp_poses *out) {
    pp_arena *a = &k->f->w->arena;
    int n = k->f->nplaced;
    out->solid = PP_ARENA_ARRAY(a, pp_solid, n);
    bool ok = out->solid != NULL;
    for (int i = 0; ok && i < n; i++) {
        const pp_geometry *g = k->f->placed[i].g;
        ok = new_solid(a, corners(g), normals(g), &out->solid[i]);
    }
    return ok ? PERP_OK : pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for %d shapes", n);
}

static perp_pose shape_pose(const pp_peg_work *k, int i, perp_pose X_WB) {
    return perp_pose_mul(X_WB, k->f->w->shape[k->f->placed[i].slot].X_BS);
}

void pp_poses_place(pp_peg_work *k, pp_poses *p, const pp_state *s) {
    p->state = s;
    for (int i = 0; i < k->f->nplaced; i++) {
        const pp_placed *at = &k->f->placed[i];
        place(&p->solid[i], at->g, shape_pose(k, i, s->X[at->body]));
    }
}

void pp_poses_advance(pp_peg_work *k, const double *nu) {
    const pp_frame *f = k->f;
    for (int b = 0; b < f->nblock; b++) {
        int slot = f->block_body[b], nd = f->block_ndof[b];
        const double *v = nu + f->block_offset[b];
        pp_move_block(f, b, f->s0, v, f->h, f->bend[b], &k->end_state);
        k->turn[slot] = f->w->def.dim == 2 ? perp_v3(0, 0, nd == 3 ? f->h * v[2] : 0)
                        : nd == 6          ? perp_v3_axpy(f->bend[b], f->h, perp_v3(v[3], v[4], v[5]))
                                           : perp_v3(0, 0, 0);
    }
    for (int i = 0; i < f->nplaced; i++) {
        const pp_placed *at = &f->placed[i];
        if (at->moves) place(&k->end.solid[i], at->g, shape_pose(k, i, k->end_state.X[at->body]));
    }
}

static perp_pose between(const pp_peg_work *k, int body, double x) {
    perp_pose a = k->f->s0->X[body], b = k->end_state.X[body];
    perp_pose m = {perp_v3_axpy(a.p, x, perp_v3_sub(b.p, a.p)), a.q};
    perp_vec3 turn = k->turn[body];
    if (turn.x != 0 || turn.y != 0 || turn.z != 0)
        m.q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(x, turn)), a.q));
    return m;
}

void pp_poses_between(pp_peg_work *k, int i, int j, double x) {
    const int which[2] = {i, j};
    for (int s = 0; s < 2; s++) {
        const pp_placed *at = &k->f->placed[which[s]];
        place(&k->probe[s], at->g, shape_pose(k, which[s], between(k, at->body, x)));
    }
}

double pp_relative_travel(const pp_peg_work *k, int i, int j) {
    const pp_placed *A = &k->f->placed[i], *B = &k->f->placed[j];
    const perp_world *w = k->f->w;
    perp_vec3 a = perp_v3_sub(k->end_state.X[A->body].p, k->f->s0->X[A->body].p),
              b = perp_v3_sub(k->end_state.X[B->body].p, k->f->s0->X[B->body].p);
    double d = perp_v3_norm(perp_v3_sub(b, a));
    double ra = w->shape[A->slot].radius_B, rb = w->shape[B->slot].radius_B;
    if (isfinite(ra)) d += ra * perp_v3_norm(k->turn[A->body]);
    if (isfinite(rb)) d += rb * perp_v3_norm(k->turn[B->body]);
    return d;
}

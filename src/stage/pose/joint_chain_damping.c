/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_chain_damping.c - stabilises taut chains of light links
 *
 * Problem  Joint impulses act at the start pose of a step. Tension pulls a link that is out of line back with a torque that grows with the
 *          angle. Taken at the start of the step, this is an explicit spring across the chain. If h^2 times its stiffness exceeds four
 *          times the inertia that it moves, lateral oscillations grow from step to step. A rope with 50 g per link that carries 100 kg
 *          breaks at steps of 5 ms, although the laws of every step hold.
 * Method   Let P be the impulse of a joint on a body and s its lever arm. A rotation by the angle h w+ changes the torque s x P by -h K w+,
 *          K = (s.P) 1 - (s P' + P s')/2, summed over all joints of the body (geometric stiffness). The body rotates with the inertia
 *          W^-1 that its joints leave it, with freely moving neighbours. If an eigenvalue of h K W exceeds EXPLICIT, the excess enters
 *          the step implicitly, as a damper row p = -stiffness axis.(w+ - W), and the step is solved again. P is that of the first
 *          solution. W in this row is the rotation of the whole chain at the start: a rotation together with the neighbours is no
 *          oscillation.
 * Valid    Joints that lock all translations: their impulse does not rotate with a body. Steps that are short enough for their chains
 *          are not changed at all. The others lose the energy of oscillations that they cannot resolve; a chain that swings as a whole
 *          conserves its energy to second order. Compression is not treated: chains may buckle.
 * Cost     Only the sum of K and its norm, unless a body exceeds the bound even with its free inertia.
 * Source   Tournier, Nesme, Gilles, Faure (2015), Stable constrained dynamics, with the stiffness of this step and
 *          only as much of it as is needed. */
#include "stage/pose/joint_chain_damping.h"

#include <string.h>

#include "base/rounding.h"
#include "linalg/linalg.h"
#include "problem/rows.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Largest h^2 k / m of a direction that is not damped. An explicit spring is stable up to 4 for a body alone, and
 * neighbours may add two or three times as much in one direction. Half: no effect; double: other bits only. */
#define EXPLICIT 1
/* [1] If a direction has less than this fraction of the lateral motion, the chain does not swing about it. Half and
 * double: no effect. */
#define SWING_RANK 1e-3

typedef struct sym {
    double m[3][3];
} sym;

static perp_vec3 times(const sym *a, perp_vec3 v) {
    return perp_v3(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                   a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                   a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

/* a += factor (x y' + y x')/2 */
static void add_product(sym *a, double factor, perp_vec3 x, perp_vec3 y) {
    const double p[3] = {x.x, x.y, x.z}, q[3] = {y.x, y.y, y.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) a->m[r][c] += 0.5 * factor * (p[r] * q[c] + q[r] * p[c]);
}

static perp_vec3 eigen(const sym *a, perp_mat3 *vectors) {
    perp_mat3 m;
    for (int c = 0; c < 3; c++) m.c[c] = perp_v3(a->m[0][c], a->m[1][c], a->m[2][c]);
    return perp_m3_eigen(m, vectors);
}

static perp_vec3 linear_part(int dim, const double *J) { return perp_v3(J[0], J[1], dim == 3 ? J[2] : 0); }

static perp_vec3 angular_part(int dim, const double *J) {
    return dim == 3 ? perp_v3(J[3], J[4], J[5]) : perp_v3(0, 0, J[2]);
}

static bool can_turn(const pp_frame *f, int block) { return f->control.block_ndof[block] > f->w->def.dim; }

/* Symmetric K of every block, times h. The rows of a joint begin with its translations. */
static void add_stiffness(const pp_frame *f, sym *K) {
    const perp_step_problem *p = &f->pose.problem;
    int dim = p->dim;
    for (int first = 0, last; first < p->njoint; first = last) {
        int joint = p->joint[first].joint;
        for (last = first + 1; last < p->njoint && p->joint[last].joint == joint;) last++;
        if (joint < 0 || last - first < dim || pp_joint_ntranslation(f->w->joint[joint].def.kind, dim) != dim) continue;
        if (p->joint[first + dim - 1].kind != PERP_ROW_JOINT) continue;
        for (int side = 0; side < 2; side++) {
            int block = p->joint[first].row.block[side];
            if (block < 0 || !can_turn(f, block)) continue;
            perp_vec3 P = {0, 0, 0}, s = {0, 0, 0};
            for (int i = first; i < first + dim;
                 i++) { /* for a unit vector e, J is +-e, +-(s x e); the sum of e x (s x e) is 2 s */
                const double *J = p->joint[i].row.J[side];
                perp_vec3 e = linear_part(dim, J);
                P = perp_v3_axpy(P, f->solve.solution.p_joint[i], e);
                s = perp_v3_axpy(s, dim == 3 ? 0.5 : 1, perp_v3_cross(e, angular_part(dim, J)));
            }
            if (f->update.p_correction) P = perp_v3_axpy(P, side ? 1 : -1, f->update.p_correction[joint]);
            add_product(&K[block], -f->h, s, P);
            for (int r = 0; r < 3; r++) K[block].m[r][r] += f->h * perp_v3_dot(s, P);
        }
    }
}

/* Inverse inertia of a block about its centre, in W. */
static sym free_response(const pp_frame *f, int block) {
    const double *Minv = f->control.Minv + 36 * block;
    sym W = {0};
    if (f->w->def.dim == 2)
        W.m[2][2] = Minv[14];
    else
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) W.m[r][c] = Minv[6 * (3 + c) + 3 + r];
    return W;
}

/* M^-1 J' of one side, for its block. */
static void kick(const pp_frame *f, const perp_row *row, int side, double out[6]) {
    int nd = f->control.block_ndof[row->block[side]];
    const double *Minv = f->control.Minv + 36 * row->block[side];
    for (int r = 0; r < 6; r++) out[r] = 0;
    for (int c = 0; c < nd; c++)
        for (int r = 0; r < nd; r++) out[r] += Minv[6 * c + r] * row->J[side][c];
}

static double response(const pp_frame *f, const perp_row *to, const perp_row *from) {
    double sum = 0;
    for (; from; from = from->more)
        for (const perp_row *t = to; t; t = t->more)
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    if (t->block[a] < 0 || t->block[a] != from->block[b]) continue;
                    double v[6];
                    kick(f, from, b, v);
                    for (int i = 0; i < 6; i++) sum += t->J[a][i] * v[i];
                }
    return sum;
}

static bool touches(const perp_row *row, int block) {
    for (; row; row = row->more)
        if (row->block[0] == block || row->block[1] == block) return true;
    return false;
}

/* Inverse inertia of a block whose joints hold, with neighbours that are otherwise free. Returns false if out of
 * memory. */
static bool held_response(const pp_frame *f, int block, sym *W) {
    const perp_step_problem *p = &f->pose.problem;
    pp_arena *arena = &f->w->arena;
    int m = 0, *row = PP_ARENA_ARRAY(arena, int, p->njoint);
    if (!row) return false;
    for (int i = 0; i < p->njoint; i++)
        if (p->joint[i].kind == PERP_ROW_JOINT && touches(&p->joint[i].row, block)) row[m++] = i;
    *W = free_response(f, block);
    double *A = PP_ARENA_ARRAY(arena, double, m *m), *C = PP_ARENA_ZERO(arena, double, 6 * m),
           *work = PP_ARENA_ARRAY(arena, double, (int)pp_psd_work(m)), *tmp = PP_ARENA_ARRAY(arena, double, 3 * m);
    if (!A || !C || !work || !tmp) return false;
    double *X = C + 3 * m;
    for (int i = 0; i < m; i++) {
        const perp_row *r = &p->joint[row[i]].row;
        for (int j = 0; j < m; j++) A[i + m * j] = response(f, r, &p->joint[row[j]].row);
        for (; r; r = r->more)
            for (int side = 0; side < 2; side++) {
                if (r->block[side] != block) continue;
                double v[6];
                kick(f, r, side, v);
                perp_vec3 w = angular_part(p->dim, v);
                C[i] += w.x, C[i + m] += w.y, C[i + 2 * m] += w.z;
            }
    }
    memcpy(X, C, 3 * (size_t)m * sizeof *X);
    pp_psd factor;
    if (!pp_psd_factor(&factor, m, A, m, PP_RANK_TOL, work)) return true; /* not finite: later checks report it */
    pp_psd_solve(&factor, 3, X, m, tmp);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < m; i++) W->m[r][c] -= 0.5 * (C[i + m * r] * X[i + m * c] + C[i + m * c] * X[i + m * r]);
    return true;
}

/* Square root of a matrix that is positive semidefinite except for rounding. */
static sym root(const sym *W) {
    perp_mat3 Q;
    sym R = {0};
    perp_vec3 e = eigen(W, &Q);
    const double x[3] = {e.x, e.y, e.z};
    for (int k = 0; k < 3; k++) add_product(&R, sqrt(fmax(x[k], 0)), Q.c[k], Q.c[k]);
    return R;
}

/* The part of K above the bound. With L L = W, L K L has the eigenvalues of K W. Returns the number of axes, and writes
 * them if `out` is not NULL. */
static int excess(const sym *K, const sym *W, int block, pp_chain_damping *out) {
    sym L = root(W), S = {0};
    perp_mat3 Q;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) S.m[r][c] += L.m[r][i] * K->m[i][j] * L.m[j][c];
    perp_vec3 e = eigen(&S, &Q);
    const double x[3] = {e.x, e.y, e.z};
    int n = 0;
    for (int k = 0; k < 3; k++) {
        if (!(x[k] > EXPLICIT)) continue;
        perp_vec3 g = perp_v3_scale(1 / x[k], times(K, times(&L, Q.c[k]))); /* L^-1 of the eigenvector */
        double size = perp_v3_norm(g);
        if (out) out[n] = (pp_chain_damping){block, perp_v3_scale(1 / size, g), (x[k] - EXPLICIT) * size * size, 0};
        n++;
    }
    return n;
}

static perp_vec3 turn_rate(const pp_frame *f, int block) {
    const double *nu = f->control.nu0 + f->control.block_offset[block];
    return f->w->def.dim == 2 ? perp_v3(0, 0, nu[2]) : perp_v3(nu[3], nu[4], nu[5]);
}

static int root_of(int *chain, int b) {
    while (chain[b] != b) b = chain[b] = chain[chain[b]];
    return b;
}

/* Joins damped blocks that have a joint between them. chain: union-find over blocks, with the lowest block as root. */
static void join_chains(const pp_frame *f, const pp_chain_damping *r, int n, bool *unstable, int *chain) {
    const perp_step_problem *p = &f->pose.problem;
    for (int b = 0; b < f->control.nblock; b++) chain[b] = b;
    for (int i = 0; i < n; i++) unstable[r[i].block] = true;
    for (int i = 0; i < p->njoint; i++) {
        const int *block = p->joint[i].row.block;
        if (p->joint[i].kind != PERP_ROW_JOINT || block[0] < 0 || block[1] < 0) continue;
        if (!unstable[block[0]] || !unstable[block[1]]) continue;
        int a = root_of(chain, block[0]), b = root_of(chain, block[1]);
        chain[a > b ? a : b] = a < b ? a : b;
    }
}

/* The rotation W of a chain that is nearest to the rotations of its blocks: minimises the sum of stiffness (axis.(w -
 * W))^2. */
static void swing(const pp_frame *f, int *chain, int first, pp_chain_damping *r, int n) {
    sym A = {0};
    perp_vec3 y = {0, 0, 0};
    int blocks = 0;
    for (int i = 0; i < n; i++) {
        if (root_of(chain, r[i].block) != first) continue;
        blocks += i == 0 || r[i].block != r[i - 1].block;
        add_product(&A, r[i].stiffness, r[i].axis, r[i].axis);
        y = perp_v3_axpy(y, r[i].stiffness * perp_v3_dot(r[i].axis, turn_rate(f, r[i].block)), r[i].axis);
    }
    if (blocks < 2) return; /* the rotation of a single block cannot be distinguished from an oscillation */
    perp_mat3 Q;
    perp_vec3 e = eigen(&A, &Q), W = {0, 0, 0};
    const double x[3] = {e.x, e.y, e.z};
    double most = fmax(x[0], fmax(x[1], x[2]));
    for (int k = 0; k < 3; k++)
        if (x[k] > SWING_RANK * most) W = perp_v3_axpy(W, perp_v3_dot(Q.c[k], y) / x[k], Q.c[k]);
    for (int i = 0; i < n; i++)
        if (root_of(chain, r[i].block) == first) r[i].rate = perp_v3_dot(r[i].axis, W);
}

/* Sets the rate of every axis from the rotation of its chain. Returns false if out of memory. */
static bool find_swings(const pp_frame *f, pp_chain_damping *r, int n) {
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    bool *unstable = PP_ARENA_ZERO(a, bool, f->control.nblock);
    int *chain = PP_ARENA_ARRAY(a, int, f->control.nblock);
    if (!unstable || !chain) return false;
    join_chains(f, r, n, unstable, chain);
    for (int b = 0; b < f->control.nblock; b++)
        if (unstable[b] && chain[b] == b) swing(f, chain, b, r, n);
    pp_arena_release(a, mark);
    return true;
}

static double norm(const sym *a) {
    double square = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) square += a->m[r][c] * a->m[r][c];
    return sqrt(square);
}

static bool is_zero(const sym *K) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            if (K->m[r][c] != 0) return false;
    return true;
}

perp_status pp_find_chain_damping(pp_frame *f, pp_chain_damping **out, int *n) {
    pp_arena *arena = &f->w->arena;
    *n = 0;
    *out = NULL;
    if (f->pose.problem.njoint == 0) return PERP_OK;
    sym *K = PP_ARENA_ZERO(arena, sym, f->control.nblock);
    if (!K) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the step");
    add_stiffness(f, K);
    for (int b = 0; b < f->control.nblock; b++) {
        if (!can_turn(f, b) || is_zero(&K[b])) continue;
        sym W = free_response(f, b);
        /* no eigenvalue of K W exceeds the product of the norms */
        if (norm(&K[b]) * norm(&W) < (1 - PP_ROUNDING) * EXPLICIT || !excess(&K[b], &W, b, NULL)) continue;
        if (!*out) *out = PP_ARENA_ARRAY(arena, pp_chain_damping, 3 * f->control.nblock);
        pp_arena_mark mark = pp_arena_here(arena);
        if (!*out || !held_response(f, b, &W)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the step");
        pp_arena_release(arena, mark);
        *n += excess(&K[b], &W, b, *out + *n);
    }
    if (*n > 0 && !find_swings(f, *out, *n)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the step");
    return PERP_OK;
}

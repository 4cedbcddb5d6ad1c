/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* twist.c - checks the angular momentum of islands without external constraints
 * Problem  Impulses between two bodies are equal and opposite, and act at one point. If a method takes the two lever arms from other poses than
 *          those from which the bodies move, the pair leaves a torque: with contacts at the end pose h (v_a - v_b) x P. Momentum, energy
 *          and the laws of the step problem do not show it.
 * Method   An island is a set of bodies connected by joints and by contacts with an impulse. If none of these acts on a fixed or driven body,
 *          only the torques of forces change the angular momentum of the island about its centre of mass. The change is measured between
 *          the two states,
 *            L = sum (x - X) x m (v - V) + R I R' w,
 *          relative to sum m |x - X| |v - V| + |R I R' w| of both states.
 * Valid    Forces other than gravity act at the start pose, and bodies move by h v, v of the end: then the change equals the torques at the
 *          start pose. If such forces act on an island and its bodies move differently, it is left out. Without inertia (quasistatic) there
 *          is no angular momentum.
 * Cost     O(bodies + rows). Allocates in the arena only. */
#include <float.h>

#include "base/sets.h"
#include "problem/rows.h"
#include "stage/stepper.h"
#include "stage/frame.h"
#include "stage/certify/certify.h"

#define ROUNDING \
    (64 * DBL_EPSILON) /* of coordinates and velocities, relative to their size: a sum of few products of both */

typedef struct island {
    bool loaded; /* forces other than gravity act, or gravity acts only on some of its bodies */
    bool strays; /* a body has not moved by h v, v of the end */
    int heavy;   /* number of bodies with gravity */
    double mass;
    perp_vec3 X, V[2]; /* centre of mass at the start; its velocity at both ends */
    perp_vec3 X1;      /* centre of mass at the end */
    perp_vec3 left;    /* change of angular momentum that forces do not explain */
    double scale, noise;
} island;

/* Islands by the block that pp_set_of() names. */
typedef struct islands {
    int *of;      /* sets of blocks */
    int *members; /* number of blocks; 0: a joint or a contact acts on something fixed or driven */
    bool *held;   /* by block: such a joint or contact acts on it */
    int links;    /* rows between two blocks */
} islands;

static inline void add_row(islands *s, const perp_row *row) {
    const int a = row->block[0], b = row->block[1];
    if (!row->more && (a < 0) != (b < 0)) { /* pp_row_holds() */
        s->held[a < 0 ? b : a] = true;
        return;
    }
    pp_row_join(s->of, row);
    s->links++;
}

/* Adds the rows that act. Chain damping rows (joint < 0) rotate single bodies and connect none. */
static void add_rows(const pp_frame *f, islands *s) {
    const pp_frame *const *kick = f->method.nkick ? (const pp_frame *const *)f->method.kick : &f;
    for (int n = 0; n < (f->method.nkick ? f->method.nkick : 1); n++) {
        const perp_step_problem *p = &kick[n]->pose.problem;
        for (int i = 0; i < p->njoint; i++) {
            const perp_joint_row *r = &p->joint[i];
            if (r->joint < 0 || (i > 0 && r->joint == r[-1].joint && pp_row_same_blocks(&r->row, &r[-1].row))) continue;
            add_row(s, &r->row);
        }
        for (int i = 0; i < p->ncontact; i++)
            if (kick[n]->solve.solution.p_contact[3 * i] > 0) add_row(s, &p->contact[i].n);
    }
}

/* Islands of two bodies or more that nothing outside acts on. The angular momentum of a single body is checked with its impulses
 * (recheck.c). *any: is there one? False if out of memory. */
static bool find_islands(const pp_frame *f, islands *s, bool *any) {
    pp_arena *a = &f->w->arena;
    *any = false;
    s->of = PP_ARENA_ARRAY(a, int, f->control.nblock);
    s->members = PP_ARENA_ZERO(a, int, f->control.nblock);
    s->held = PP_ARENA_ZERO(a, bool, f->control.nblock);
    s->links = 0;
    if (!s->of || !s->members || !s->held) return false;
    pp_sets_make(s->of, f->control.nblock);
    add_rows(f, s);
    if (s->links == 0) return true;
    for (int k = 0; k < f->control.nblock; k++) s->members[pp_set_of(s->of, k)]++;
    for (int k = 0; k < f->control.nblock; k++)
        if (s->held[k]) s->members[pp_set_of(s->of, k)] = 0;
    for (int k = 0; k < f->control.nblock; k++) *any |= s->members[k] > 1;
    return true;
}

/* Angular momentum of a body about its own centre. */
static perp_vec3 own_momentum(const pp_frame *f, int k, const pp_state *s) {
    int slot = f->control.block_body[k], dim = f->w->def.dim;
    const pp_body *b = &f->w->body[slot];
    if (f->control.block_ndof[k] == dim) return perp_v3(0, 0, 0);
    if (dim == 2) return perp_v3(0, 0, b->I_B.c[2].z * s->w[slot].z);
    perp_quat q = s->X[slot].q;
    return perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, s->w[slot])));
}

static void add_centre(const pp_frame *f, int k, island *x) {
    int slot = f->control.block_body[k];
    double m = f->w->body[slot].mass;
    bool heavy = !f->w->body[slot].no_gravity;
    x->heavy += heavy;
    x->mass += m;
    x->X = perp_v3_axpy(x->X, m, f->s0->X[slot].p);
    x->X1 = perp_v3_axpy(x->X1, m, f->s1->X[slot].p);
    x->V[0] = perp_v3_axpy(x->V[0], m, f->s0->v[slot]);
    x->V[1] = perp_v3_axpy(x->V[1], m, f->s1->v[slot]);
    for (int i = f->control.block_offset[k]; i < f->control.block_offset[k] + f->control.block_ndof[k]; i++)
        x->loaded |= f->purpose != PP_IMPACT &&
                     (f->control.i_applied[i] != 0 || f->control.i_spring[i] != 0 || f->control.i_damper[i] != 0);
}

static void add_momentum(const pp_frame *f, int k, island *x) {
    int slot = f->control.block_body[k], dim = f->w->def.dim, nd = f->control.block_ndof[k];
    double m = f->w->body[slot].mass, force[6];
    const perp_vec3 at[2] = {f->s0->X[slot].p, f->s1->X[slot].p}, v[2] = {f->s0->v[slot], f->s1->v[slot]},
                    S[2] = {own_momentum(f, k, f->s0), own_momentum(f, k, f->s1)};
    for (int e = 0; e < 2; e++) {
        double sign = e ? 1 : -1;
        perp_vec3 r = perp_v3_sub(at[e], e ? x->X1 : x->X), u = perp_v3_sub(v[e], x->V[e]);
        x->left = perp_v3_axpy(x->left, sign, perp_v3_add(perp_v3_scale(m, perp_v3_cross(r, u)), S[e]));
        x->scale += m * perp_v3_norm(r) * perp_v3_norm(u) + perp_v3_norm(S[e]);
        x->noise += m * perp_v3_norm(at[e]) * perp_v3_norm(v[e]) + perp_v3_norm(S[e]);
    }
    if (f->purpose == PP_IMPACT) return; /* forces have no effect in zero time */
    perp_vec3 way = perp_v3_sub(at[1], at[0]);
    x->strays |= perp_v3_norm(perp_v3_axpy(way, -f->h, v[1])) >
                 ROUNDING * (perp_v3_norm(at[0]) + perp_v3_norm(at[1]) + f->h * perp_v3_norm(v[1]));
    for (int i = 0; i < nd; i++) force[i] = pp_force_impulse(f, f->control.block_offset[k] + i);
    perp_vec3 r = perp_v3_sub(at[0], x->X);
    x->left = perp_v3_sub(x->left, perp_v3_add(perp_v3_cross(r, pp_linear(dim, force)), pp_angular(dim, nd, force)));
    x->noise += perp_v3_norm(at[0]) * perp_v3_norm(pp_linear(dim, force));
}

double pp_twist(const pp_frame *f) {
    islands s;
    bool any = false, one_kick = !f->w->chosen.stepper->step && !f->method.nkick;
    if (f->method.no_inertia || f->control.nblock < 2 || !f->solve.solution.nu) return 0;
    if (!find_islands(f, &s, &any) || !any) return 0;
    island *is = PP_ARENA_ZERO(&f->w->arena, island, f->control.nblock);
    if (!is) return 0;
    for (int k = 0; k < f->control.nblock; k++)
        if (s.members[pp_set_of(s.of, k)] > 1) add_centre(f, k, &is[pp_set_of(s.of, k)]);
    for (int k = 0; k < f->control.nblock; k++) {
        island *x = &is[k];
        if (!(s.members[k] > 1)) continue;
        perp_vec3 *const mean[] = {&x->X, &x->X1, &x->V[0], &x->V[1]};
        for (int i = 0; i < 4; i++) *mean[i] = perp_v3_scale(1 / x->mass, *mean[i]);
        x->loaded |= x->heavy > 0 && x->heavy < s.members[k];
    }
    for (int k = 0; k < f->control.nblock; k++)
        if (s.members[pp_set_of(s.of, k)] > 1) add_momentum(f, k, &is[pp_set_of(s.of, k)]);
    double most = 0;
    for (int k = 0; k < f->control.nblock; k++) {
        const island *x = &is[k];
        if (!(s.members[k] > 1) || (x->loaded && !one_kick && x->strays)) continue;
        double left = perp_v3_norm(x->left) - ROUNDING * x->noise;
        if (!(left <= 0)) most = fmax(most, isnan(left) ? INFINITY : left / (x->scale + left));
    }
    return most;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* dead_point.c - finds driven bodies that are forced through a dead point of a mechanism
 * Problem  A driven wall presses a crank towards its dead point. The nearer it gets, the faster the crank must turn; at the dead point the
 *          speed has no bound, and behind it there is no solution. A rigid drive without force limit gives any energy: 1e11 J in a
 *          step for a mechanism of some kilograms was seen. A real drive stalls there.
 * Method   For each island of bodies that joints and contacts with impulses connect:
 *              E = change of its kinetic energy + energy that its rigid joints take,
 *              A = sum of P v_d over the contacts of driven bodies, P their impulses and v_d their speeds,
 *              K_d = M v^2/2 with the mass M of the island and the largest v_d = v.
 *          Rigid joints do no work; what they take is an error of the step, large where bodies turn far in it. K_d is the energy of the
 *          island if it moved along with the drive. The drive is at a dead point if it does most of the work and the energy is out of
 *          proportion: A > E/2 and E > LEVERAGE^2 K_d. The step solves such a part again without these pairs (step.c): the driven body
 *          moves on into the mechanism, which keeps its energy and its joints, and the certificate reports the overlap as a jam.
 * Valid    A load of rigid bodies. Springs and compliant layers that a drive compresses have no kinetic energy, so they do not count.
 *          A mechanism that multiplies the speed of its drive by less than LEVERAGE is never stopped. */
#include "step/dead_point.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "problem/rows.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Ratio of the mean speed of an island to the speed of its drive above which the drive is at a dead point. Gears and cranks in use
 * are below 30. */
#define LEVERAGE 100

/* Arrays by block; the values of an island are at the block that stands for it. */
typedef struct island_work {
    int *parent;
    double *mass, *gained, *done, *speed;
} island_work;

/* A locked motion or a limit, at bodies that are not driven. */
static bool ideal(const perp_joint_row *r) {
    return (r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT) && r->b_kin == 0 && !(r->compliance > 0);
}

/* Speed at which a driven body moves into the other body of contact i and presses it; 0: it does not. */
static double drive_of(const pp_frame *k, int i) {
    const perp_contact_row *c = &k->pose.problem.contact[i];
    return k->solve.solution.p_contact[3 * i] > 0 && !(c->compliance > 0) ? fmax(0, -c->b_n_kin) : 0;
}

static bool any_drive(const pp_frame *k) {
    for (int i = 0; i < k->contacts.n && i < k->pose.problem.ncontact; i++)
        if (drive_of(k, i) > 0) return true;
    return false;
}

static void join(island_work *a, const pp_frame *k) {
    const perp_step_problem *p = &k->pose.problem;
    for (int i = 0; i < p->njoint; i++) pp_row_join(a->parent, &p->joint[i].row);
    for (int i = 0; i < p->ncontact; i++)
        if (k->solve.solution.p_contact[3 * i] > 0) pp_row_join(a->parent, &p->contact[i].n);
}

/* Adds the change of the kinetic energy. */
static void add_gain(island_work *a, const pp_frame *k) {
    for (int b = 0; b < k->control.nblock; b++) {
        int offset = k->control.block_offset[b], nd = k->control.block_ndof[b];
        const double *M = k->control.M + 36 * b, *v0 = k->control.nu0 + offset, *v1 = k->solve.solution.nu + offset;
        double dK = 0;
        for (int c = 0; c < nd; c++)
            for (int r = 0; r < nd; r++) dK += 0.5 * M[6 * c + r] * (v1[r] * v1[c] - v0[r] * v0[c]);
        a->gained[pp_set_of(a->parent, b)] += dK;
    }
}

/* Adds the energy that rigid joints take. */
static void add_joints(island_work *a, const pp_frame *k) {
    const perp_step_problem *p = &k->pose.problem;
    for (int i = 0; i < p->njoint; i++) {
        const perp_row *row = &p->joint[i].row;
        int block = pp_row_some_block(row);
        if (block < 0 || !ideal(&p->joint[i])) continue;
        double mean = 0.5 * (pp_row_dot(p, row, k->control.nu0) + pp_row_dot(p, row, k->solve.solution.nu));
        a->gained[pp_set_of(a->parent, block)] -= k->solve.solution.p_joint[i] * mean;
    }
}

static void add_drives(island_work *a, const pp_frame *k) {
    for (int i = 0; i < k->contacts.n && i < k->pose.problem.ncontact; i++) {
        double v = drive_of(k, i);
        int block = pp_row_some_block(&k->pose.problem.contact[i].n);
        if (block < 0 || !(v > 0)) continue;
        int at = pp_set_of(a->parent, block);
        a->done[at] += v * k->solve.solution.p_contact[3 * i];
        a->speed[at] = fmax(a->speed[at], v);
    }
}

static bool at_dead_point(const island_work *a, int island) {
    double along = 0.5 * a->mass[island] * a->speed[island] * a->speed[island];
    return a->speed[island] > 0 && a->done[island] > 0.5 * a->gained[island] &&
           a->gained[island] > LEVERAGE * LEVERAGE * along;
}

static bool add_pair(pp_arena *arena, pp_pairs *to, uint64_t key) {
    for (int i = 0; i < to->n; i++)
        if (to->key[i] == key) return true;
    if (to->n == to->cap) {
        int cap = 2 * to->cap + 4;
        uint64_t *more = PP_ARENA_ARRAY(arena, uint64_t, cap);
        if (!more) return false;
        if (to->n) memcpy(more, to->key, (size_t)to->n * sizeof *more);
        to->key = more;
        to->cap = cap;
    }
    int at = to->n++; /* they stay sorted */
    for (; at > 0 && to->key[at - 1] > key; at--) to->key[at] = to->key[at - 1];
    to->key[at] = key;
    return true;
}

bool pp_dead_points(const pp_frame *f, pp_pairs *pairs) {
    const pp_frame *const *kick = f->method.nkick ? (const pp_frame *const *)f->method.kick : &f;
    int n = f->method.nkick ? f->method.nkick : 1, nblock = f->control.nblock;
    bool any = false;
    for (int k = 0; k < n && !any; k++) any = any_drive(kick[k]);
    if (!any || f->method.no_inertia) return true;
    pp_arena *arena = &f->w->arena;
    island_work a = {PP_ARENA_ARRAY(arena, int, nblock), PP_ARENA_ZERO(arena, double, nblock),
                     PP_ARENA_ZERO(arena, double, nblock), PP_ARENA_ZERO(arena, double, nblock),
                     PP_ARENA_ZERO(arena, double, nblock)};
    if (!a.parent || !a.mass || !a.gained || !a.done || !a.speed) return false;
    pp_sets_make(a.parent, nblock);
    for (int k = 0; k < n; k++) join(&a, kick[k]);
    for (int b = 0; b < nblock; b++) a.mass[pp_set_of(a.parent, b)] += f->w->body[f->control.block_body[b]].mass;
    for (int k = 0; k < n; k++) {
        add_gain(&a, kick[k]);
        add_joints(&a, kick[k]);
        add_drives(&a, kick[k]);
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < kick[k]->contacts.n && i < kick[k]->pose.problem.ncontact; i++) {
            int block = pp_row_some_block(&kick[k]->pose.problem.contact[i].n);
            const int *shape = kick[k]->contacts.shape + 2 * i;
            if (block < 0 || !(drive_of(kick[k], i) > 0) || !at_dead_point(&a, pp_set_of(a.parent, block))) continue;
            if (!add_pair(arena, pairs, pp_pair_key(shape[0], shape[1]))) return false;
        }
    return true;
}

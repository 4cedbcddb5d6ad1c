/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_start.c - velocities that were given to bodies and contradict joints
 * Problem  A user may give a body a velocity that its joints do not allow, or leave a link at rest on a crank that turns. The joints stop
 *          what they do not allow. Within a step, the work of that would count as an error of the time integration.
 * Method   An impact of the joints alone, before the step:
 *            M (nu+ - nu) = G p,   G' nu+ + b_kin = 0     with the driven velocities of the time t
 *          Rotors take part. Contacts, limits and motors act in the step, with their own laws. A contradiction at rounding is left as it is.
 *          The ledger has the loss of this impact as `start`.
 * Valid    Steppers with masses and rigid joints.
 *          Islands of joints in which no velocity was set take no part.
 * Cost     One pass over the joints of bodies whose velocities were set; one solution without contacts if they contradict. */
#include "step/joint_start.h"

#include "base/sets.h"
#include "problem/rows.h"
#include "stage/certify/certify.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"
#include "stage/stepper.h"
#include "step/stagger.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Velocities contradict a row if its speed exceeds this fraction of the largest speed that velocities of their size can have along it.
 * Smaller speeds are rounding. Half and double: no effect. */
#define CONTRADICTS 1e-12

static bool was_set(const perp_world *w, const pp_state *s, int body) {
    return body >= 0 && w->body[body].kind != PERP_BODY_OBSTACLE && (s->mark[body] & PP_VELOCITY_SET);
}

/* Has a body with a joint been given a velocity? */
static bool any_set(const perp_world *w, const pp_state *s) {
    for (int i = 0; i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen) && (was_set(w, s, w->joint[i].a) || was_set(w, s, w->joint[i].b))) return true;
    return false;
}

/* By block: was a velocity set in its island? Islands are bodies that joints connect. NULL: out of memory. */
static const bool *islands_set(const pp_frame *f) {
    const perp_world *w = f->w;
    int n = f->control.nblock, *root = PP_ARENA_ARRAY(&f->w->arena, int, n);
    bool *set = PP_ARENA_ZERO(&f->w->arena, bool, n);
    if (!root || !set) return NULL;
    for (int k = 0; k < n; k++) root[k] = k;
    for (int i = 0; i < f->pose.problem.njoint; i++) pp_row_join(root, &f->pose.problem.joint[i].row);
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        if (r->joint < 0) continue;
        const pp_joint *of = &w->joint[r->joint];
        set[pp_set_of(root, pp_row_some_block(&r->row))] |= was_set(w, f->s0, of->a) || was_set(w, f->s0, of->b);
    }
    for (int k = 0; k < n; k++) set[k] = set[pp_set_of(root, k)];
    return set;
}

/* Leaves only the rows that act in this impact. *worst: the joint with the largest speed along its rows, -1: none contradicts. */
static void keep_joints(pp_frame *f, const bool *set, int *worst, double *speed) {
    perp_joint_row *row = f->pose.joint_row;
    int n = 0;
    *worst = -1;
    *speed = 0;
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &row[i];
        if ((r->kind != PERP_ROW_JOINT && r->kind != PERP_ROW_INERTIA) || !set[pp_row_some_block(&r->row)]) continue;
        double u = fabs(pp_row_dot(&f->pose.problem, &r->row, f->control.nu0) + r->b_kin);
        if (r->kind == PERP_ROW_JOINT && u > CONTRADICTS * (pp_largest_speed(f, &r->row) + fabs(r->b_kin)) &&
            u > *speed) {
            *worst = r->joint;
            *speed = u;
        }
        f->pose.row_number[n] = f->pose.row_number[i];
        row[n++] = *r;
    }
    f->pose.problem.njoint = n;
    f->pose.problem.ncontact = 0;
}

/* Adds the change of velocity to those of the time t, and to the stored ones of s, which may lag behind. */
static void add_change(const pp_frame *f, const bool *set, pp_state *s) {
    int dim = f->w->def.dim;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], at = f->control.block_offset[k], nd = f->control.block_ndof[k];
        double change[6] = {0};
        if (!set[k]) continue;
        for (int i = 0; i < nd; i++) change[i] = f->solve.solution.nu[at + i] - f->control.nu0[at + i];
        perp_vec3 v = pp_linear(dim, change), w = pp_angular(dim, nd, change);
        f->s1->v[slot] = perp_v3_add(f->s1->v[slot], v);
        f->s1->w[slot] = perp_v3_add(f->s1->w[slot], w);
        s->v[slot] = perp_v3_add(s->v[slot], v);
        s->w[slot] = perp_v3_add(s->w[slot], w);
    }
}

/* Brings the velocity of a body to the time t of its pose. */
static void show_velocity(pp_state *s, int body) {
    perp_vec3 v = pp_shown_v(s, body), w = pp_shown_w(s, body);
    s->v[body] = v;
    s->w[body] = w;
    s->dv[body] = s->dw[body] = perp_v3(0, 0, 0);
}

/* The impact; *f stays NULL if no joint is contradicted, or if it has no solution: the step says why. */
static perp_status stop_on_joints(perp_world *w, pp_state *s, pp_frame **f) {
    pp_state *now = PP_ARENA_ZERO(&w->arena, pp_state, 1), *end = PP_ARENA_ZERO(&w->arena, pp_state, 1);
    pp_frame *k = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    if (!now || !end || !k) return pp_fail(w, PERP_E_MEMORY, "out of memory for the start");
    perp_status st = pp_state_new(w, now);
    if (!st) st = pp_state_new(w, end);
    if (st) return st;
    pp_state_copy(w, now, s);
    for (int i = 0; i < w->nbody; i++) show_velocity(now, i);
    pp_state_copy(w, end, now);
    *k = (pp_frame){.w = w, .s0 = now, .s1 = end, .h = w->def.h, .purpose = PP_IMPACT, .task = {.half = true}};
    st = pp_control(k);
    if (!st) st = pp_formulate(k, &(pp_pose_options){0});
    if (st) return st;
    const bool *set = islands_set(k);
    if (!set) return pp_fail(w, PERP_E_MEMORY, "out of memory for the start");
    int worst;
    double speed;
    keep_joints(k, set, &worst, &speed);
    if (worst < 0) return PERP_OK;
    st = pp_solve_step(k, &(pp_solve_options){0});
    if (st) return st == PERP_E_SOLVE ? PERP_OK : st;
    pp_logf(w, PERP_LOG_INFO,
            "step %llu: given velocities contradict joint %d by %.3g; the joints stop them in an impact",
            (unsigned long long)w->state.step, worst, speed);
    k->update.nu_end = k->solve.solution.nu;
    add_change(k, set, s);
    *f = k;
    return PERP_OK;
}

perp_status pp_start_on_joints(perp_world *w, pp_state *s, pp_frame **f) {
    const pp_stepper_type *stepper = w->chosen.stepper;
    *f = NULL;
    if (stepper->own.no_inertia || stepper->soft_joints || !any_set(w, s)) return PERP_OK;
    pp_arena_mark here = pp_arena_here(&w->arena);
    perp_status st = stop_on_joints(w, s, f);
    if (!*f) pp_arena_release(&w->arena, here);
    return st;
}

void pp_ledger_start_on_joints(pp_frame *f, bool staggered, perp_ledger *l) {
    if (!f) return;
    perp_ledger x;
    pp_ledger(f, &x);
    double lost = x.kinetic_before - x.kinetic_after;
    l->kinematic += x.kinematic;
    l->armature += x.armature;
    l->drift += x.drift;
    l->start += x.joint;
    l->remainder += x.remainder;
    if (staggered)
        l->sampling += lost; /* its difference of energies was counted as that of lagging velocities */
    else
        l->kinetic_before += lost;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motor_yield.c - a motor without force limit yields if its speed has no solution
 * Problem  A motor without force limit demands its speed. If a wall, a wedge or the limit of another joint forbids this speed, the laws
 *          contradict each other for any step length. A real drive stalls there.
 * Method   The island is posed again with motors of limited impulse
 *              P = STRONG sqrt(2 E / W),   E = sum over joint rows of (b^2 + (J nu)^2)/(2 W_row) + sum over contacts of (n nu)^2/(2 W_row),
 *          where nu is the free velocity and W the inverse mass at the motor. sqrt(2 E / W) is the impulse of this motor that creates all the energy E of the
 *          island in a step. Errors of poses are left out of b, because they grow without bound as the substep gets shorter. The limit has the
 *          units of the motor and depends only on the problem. A bounded row always has a solution.
 *          If a motor does not reach its limit, the solution is that of the motor without limit.
 *          If motors fight in a closed loop, rows are linearly dependent, and the present solution is a compromise: joints open, and speeds
 *          are missed. Multipliers detect this. With W x = -b in the least squares sense, weighted by 1/W_ii, and e = b + W x,
 *          the numbers y_i = -e_i/W_ii satisfy W y = 0 and e . y < 0. So W x + b = 0 has no solution. b contains velocities only: errors of
 *          poses are left out, because motors do not cause them.
 * Again    An island whose motors yielded in an earlier round of the step, or in the step before, is posed with limited motors at once.
 *          A motor that a wall blocks stays blocked for many steps, and to find again that its speed has no solution costs far more than the
 *          solution.
 * Valid    A motor that could move its load yields only if the load exceeds the masses next to the motor by more than STRONG^2.
 * Cost     One more solution of an island that had none. */
#include "model/actuator.h"
#include "stage/solve/motor_yield.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/solve.h"
#include "stage/solve/step_contradiction.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Impulse limit of a motor that yields, as a multiple of the impulse that creates the energy of the island. It
 * holds loads 1000 times heavier than the links next to the motor. */
#define STRONG 30
/* [1] A motor takes part in a contradiction if its multiplier exceeds this fraction of the largest, in units in which
 * W_ii is 1. */
#define TAKES_PART 1e-6

static bool unlimited(const perp_joint_row *r) { return pp_is_unlimited_motor(r); }

/* Energy that a row needs to reach its right-hand side if it were alone [M L^2/T^2]. */
static double row_energy(const perp_step_problem *p, const perp_row *row, double b, double compliance) {
    double W = pp_row_inverse_mass(p, row) + compliance, e = b * b / (2 * W);
    return W > 0 && isfinite(e) ? e : 0;
}

/* Energy E of an island in a step, as in the file header. nu: ndof of scratch. */
static double energy_at_hand(const perp_step_problem *p, double *nu) {
    perp_step_problem free = *p;
    free.njoint = free.ncontact = 0;
    pp_step_velocity(&free, NULL, NULL, nu);
    double E = 0;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        bool closes = r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT; /* its b has the pose error over h */
        E += row_energy(p, &r->row, closes ? r->b_kin : r->b, r->compliance) +
             row_energy(p, &r->row, pp_row_dot(p, &r->row, nu), r->compliance);
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        E += row_energy(p, &c->n, pp_row_dot(p, &c->n, nu), c->compliance);
    }
    return E;
}

/* Impulse limit of a motor that yields, in an island with the energy E. */
static double limit_of(const perp_step_problem *q, const perp_joint_row *motor, double E) {
    double W = pp_row_inverse_mass(q, &motor->row);
    return W > 0 ? STRONG * sqrt(2 * E / W) : 0;
}

void pp_count_yields(pp_frame *f, const pp_island *island, const perp_joint_row *given, double miss) {
    const perp_step_problem *q = &island->p;
    for (int i = 0; i < q->njoint; i++) {
        if (!unlimited(&given[i]) || unlimited(&q->joint[i])) continue;
        const perp_joint_row *r = &f->pose.problem.joint[island->joint[i]];
        double v = pp_row_dot(&f->pose.problem, &r->row, f->solve.solution.nu) + r->b;
        if (!(pp_row_length(q, &given[i].row) * fabs(v) > miss)) continue;
        f->solve.motor_yields++;
        f->solve.yield_joint = given[i].joint;
    }
}

perp_status pp_yield_motors(pp_frame *f, pp_island *island, bool *yields) {
    pp_arena *a = &f->w->arena;
    perp_step_problem *p = &f->pose.problem, *q = &island->p;
    *yields = false;
    for (int i = 0; i < q->njoint; i++) *yields |= unlimited(&q->joint[i]);
    if (!*yields) return PERP_OK;
    perp_joint_row *joint = PP_ARENA_ARRAY(a, perp_joint_row, p->njoint),
                   *j = PP_ARENA_ARRAY(a, perp_joint_row, q->njoint);
    double *nu = PP_ARENA_ARRAY(a, double, q->ndof);
    if (!joint || !j || !nu) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d joint rows", p->njoint);
    double E = energy_at_hand(q, nu);
    for (int i = 0; i < p->njoint; i++) joint[i] = p->joint[i];
    for (int i = 0; i < q->njoint; i++) {
        j[i] = q->joint[i];
        if (!unlimited(&j[i])) continue;
        double most = limit_of(q, &j[i], E);
        perp_joint_row *whole = &joint[island->joint[i]];
        j[i].hi = whole->hi = most;
        j[i].lo = whole->lo = -most;
    }
    q->joint = j;
    p->joint = joint;
    return PERP_OK;
}

bool pp_motor_was_limited(const pp_frame *f, int i) {
    const perp_joint_row *r = &f->pose.problem.joint[i];
    if (f->solve.motor_yields == 0 || r->kind != PERP_ROW_MOTOR || r->joint < 0 || unlimited(r) || pp_is_servo(r))
        return false;
    return f->w->joint[r->joint].def.axis[r->coord].motor_force == INFINITY;
}

/* Was the motor of a joint given a limit in the memory of the last step? */
static bool limited_in_memory(const pp_warm *m, int joint) {
    for (int i = 0; i < m->njoint; i++)
        if (m->joint[i].yielded && m->joint[i].key / PP_JOINT_MAX_ROWS == (uint32_t)joint) return true;
    return false;
}

/* The same for a solved substep. */
static bool limited_in_part(const pp_frame *part, int joint) {
    for (int i = 0; i < part->pose.problem.njoint; i++)
        if (part->pose.problem.joint[i].joint == joint && pp_motor_was_limited(part, i)) return true;
    return false;
}

bool pp_motors_yielded(const pp_frame *f, const pp_island *island) {
    const pp_frame *part = f->s0->made_by;
    for (int i = 0; i < island->p.njoint; i++) {
        const perp_joint_row *r = &island->p.joint[i];
        if (r->joint < 0 || !unlimited(r)) continue;
        if (part ? limited_in_part(part, r->joint) : limited_in_memory(&f->w->warm, r->joint)) return true;
    }
    return false;
}

/* ---- motors that contradict each other ---- */

/* Rows of an island that must hold exactly, with the velocity part of b. Returns their number. */
static int exact_rows(const perp_step_problem *q, perp_joint_row *row) {
    int n = 0;
    for (int i = 0; i < q->njoint; i++) {
        const perp_joint_row *r = &q->joint[i];
        if (r->compliance > 0 || isfinite(r->lo) || isfinite(r->hi)) continue;
        if (r->kind != PERP_ROW_JOINT && r->kind != PERP_ROW_MOTOR) continue;
        row[n] = *r;
        if (r->kind == PERP_ROW_JOINT) row[n].b = r->b_kin;
        n++;
    }
    return n;
}

/* W of the rows, n x n. nu: ndof of scratch. */
static void inverse_masses(const perp_step_problem *q, const perp_joint_row *row, int n, double *W, double *nu) {
    for (int k = 0; k < n; k++) {
        memset(nu, 0, (size_t)q->ndof * sizeof *nu);
        pp_row_spread(q, &row[k].row, 1, nu);
        for (int i = 0; i < n; i++) W[i + (ptrdiff_t)n * k] = pp_row_dot(q, &row[i].row, nu);
    }
}

/* out = in + sign W x */
static void add_product(int n, const double *W, const double *x, double sign, const double *in, double *out) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += W[i + (ptrdiff_t)n * k] * x[k];
        out[i] = in[i] + sign * sum;
    }
}

/* Multipliers y of rows that have no solution. Replaces b of the rows by the rest that no impulse removes. Returns
 * false if W has full rank, or if out of memory. */
static bool multipliers(const pp_frame *f, const perp_step_problem *q, perp_joint_row *row, int n, double *y) {
    pp_arena *a = &f->w->arena;
    size_t m = (size_t)n;
    double *W = PP_ARENA_ARRAY(a, double, m *m), *work = PP_ARENA_ARRAY(a, double, pp_psd_work(n)),
           *nu = PP_ARENA_ARRAY(a, double, q->ndof), *b = PP_ARENA_ARRAY(a, double, m),
           *x = PP_ARENA_ARRAY(a, double, m), *tmp = PP_ARENA_ARRAY(a, double, m), *zero = PP_ARENA_ZERO(a, double, m);
    pp_psd factor;
    if (!W || !work || !nu || !b || !x || !tmp || !zero) return false;
    inverse_masses(q, row, n, W, nu);
    if (!pp_psd_factor(&factor, n, W, n, PP_RANK_TOL, work) || factor.rank == n) return false;
    for (int i = 0; i < n; i++) b[i] = row[i].b;
    for (int pass = 0; pass < 2; pass++) { /* the second pass removes the rounding of the first */
        memcpy(x, b, m * sizeof *x);
        pp_psd_solve(&factor, 1, x, n, tmp);
        memcpy(tmp, b, m * sizeof *tmp);
        add_product(n, W, x, -1, tmp, b);
    }
    for (int i = 0; i < n; i++) {
        double w = W[i + (ptrdiff_t)n * i];
        row[i].b = b[i];
        y[i] = w > 0 ? -b[i] / w : 0;
    }
    add_product(n, W, y, 1, zero, x); /* remove the rounding of W y */
    pp_psd_solve(&factor, 1, x, n, tmp);
    for (int i = 0; i < n; i++) y[i] -= x[i];
    return true;
}

/* Does a motor have a significant multiplier? */
static bool motor_contradicts(const perp_step_problem *q, const perp_joint_row *row, int n, const double *y) {
    double most = 0, motor = 0;
    for (int i = 0; i < n; i++) {
        double part = fabs(y[i]) * sqrt(pp_row_inverse_mass(q, &row[i].row));
        most = fmax(most, part);
        if (row[i].kind == PERP_ROW_MOTOR) motor = fmax(motor, part);
    }
    return motor > TAKES_PART * most;
}

bool pp_motors_contradict(const pp_frame *f, const pp_island *island, const perp_step_residual *r, double tolerance,
                          char *why, size_t size) {
    const perp_step_problem *q = &island->p;
    bool any = false;
    for (int i = 0; i < q->njoint; i++) any |= unlimited(&q->joint[i]);
    if (!any) return false;
    double sure = pp_sure_miss(f, tolerance, pp_step_scale(q));
    if (!(r->joint > sure)) return false;
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    perp_joint_row *row = PP_ARENA_ARRAY(a, perp_joint_row, q->njoint);
    double *y = PP_ARENA_ARRAY(a, double, q->njoint), *still = PP_ARENA_ZERO(a, double, q->ndof);
    bool fight = false;
    if (row && y && still) {
        perp_step_problem p = *q;
        p.joint = row;
        p.njoint = exact_rows(q, row);
        p.ncontact = 0;
        p.momentum = still;
        fight = multipliers(f, q, row, p.njoint, y) && motor_contradicts(q, row, p.njoint, y) &&
                pp_tell_proof(f, &p, y, why, size) > sure;
    }
    pp_arena_release(a, mark);
    return fight;
}

/* motor_yield.c - a motor without force limit yields where its speed has no answer
 * Problem  A motor without force limit demands its speed. If a wall, a wedge or another joint's limit forbids this speed, the
 *          laws contradict each other and no step length helps. A real drive stalls there.
 * Method   The island is posed again with motors of limited impulse
 *              P = STRONG sqrt(2 E / W),   E = T(free velocity) + sum over all rows of b^2 / (2 W_row),
 *          where W is the inverse mass that the motor sees. sqrt(2 E / W) is the impulse of this motor that makes all the
 *          energy that the island has at hand in a step. The limit has the units of the motor, and depends on the
 *          problem alone. A bounded row always leaves an answer.
 *          If a motor does not reach its limit, the answer is that of the motor without one.
 * Valid    The motor's load may exceed the masses next to it by STRONG^2 before a motor that could move it yields.
 * Cost     one more solution of an island that had none. */
#include "stepper/motor_yield.h"

#include <math.h>

#include "problem/convert.h"
#include "problem/rows.h"

/* Times the impulse that makes the energy at hand: enough to hold loads 1000 times heavier than the links next to the motor.
 * More would only press harder on what cannot give way. */
#define STRONG 30

static bool unlimited(const perp_joint_row *r) { return r->kind == PERP_ROW_MOTOR && r->hi == INFINITY; }

/* Energy that a row needs to reach its right-hand side if it were alone [M L^2/T^2]. */
static double row_energy(const perp_step_problem *p, const perp_row *row, double b, double compliance) {
    double W = pp_row_inverse_mass(p, row) + compliance, e = b * b / (2 * W);
    return W > 0 && isfinite(e) ? e : 0;
}

/* Energy at hand in a step of an island. nu: ndof of scratch. */
static double energy_at_hand(const perp_step_problem *p, double *nu) {
    perp_step_problem free = *p;
    free.njoint = free.ncontact = 0;
    pp_step_velocity(&free, NULL, NULL, nu);
    double E = 0;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        E += row_energy(p, &r->row, r->b, r->compliance) +
             row_energy(p, &r->row, pp_row_dot(p, &r->row, nu), r->compliance);
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        E += row_energy(p, &c->n, pp_row_dot(p, &c->n, nu), c->compliance);
    }
    return E;
}

perp_status pp_yield_motors(pp_frame *f, pp_island *island, bool *yields) {
    pp_arena *a = &f->w->arena;
    perp_step_problem *p = &f->problem, *q = &island->p;
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
        double W = pp_row_inverse_mass(q, &j[i].row), most = W > 0 ? STRONG * sqrt(2 * E / W) : 0;
        perp_joint_row *whole = &joint[island->joint[i]];
        j[i].hi = whole->hi = most;
        j[i].lo = whole->lo = -most;
        f->motor_yields++;
        f->yield_joint = j[i].joint;
    }
    q->joint = j;
    p->joint = joint;
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* give_way.c - contacts and joints of a jammed island give way a little
 * Problem  Bodies that are wedged between contacts and joints push each other with impulses that may grow without bound. Even if they are
 *          bounded, nearly dependent rows turn a tiny contradiction into impulses whose rounding exceeds the tolerance of the laws.
 * Method   Contacts, joints, limits and motors without force limit get a compliance of GIVES times their inverse mass W:
 *              0 <= p _|_ n nu + b + c p >= 0,    J nu + b + c p = 0,    c = GIVES W.
 *          A row gives way at a significant speed only if its impulse is 1/GIVES times the one that would cause this speed. The matrix is
 *          strictly copositive, so there is a solution for any b. The speed c p is opposite to the impulse: it takes energy.
 *          The rows still count as rigid. The speed at which a row gives way is a violation of its law; the certificate includes it in
 *          the laws (law.normal, law.joint) and reports it separately (gives, give).
 * Valid    In a jammed substep, after everything else failed. Rows that contradict each other give way at the speed of the contradiction,
 *          independent of GIVES. A solution that gives way faster than the speeds of the problem is rejected.
 * Cost     One more solution of an island that had none.
 * Source   Pang, Trinkle, Math. Program. 73 (1996) 199: existence if the matrix is copositive. */
#include "model/actuator.h"
#include "stage/solve/give_way.h"

#include <math.h>

#include "problem/convert/convert.h"
#include "problem/rows.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Compliance of a row that gives way, as a fraction of its inverse mass. It is small compared with the tolerance of
 * the laws (1e-8 of the speeds, times the impulses of a chain or pile of some hundred bodies), and large compared with
 * rounding (1e-16, times the condition of a wedge). */
#define GIVES 1e-6

static bool is_rigid(const perp_joint_row *r) {
    if (r->kind == PERP_ROW_MOTOR) return pp_is_unlimited_motor(r);
    return r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT;
}

/* Is a rigid contact required to open? In a jammed substep only restitution does that, and restitution is given up first. A compliant row
 * presses with its b: a layer that is compressed, a support that carries its load. */
static bool rebounds(const perp_step_problem *p) {
    for (int i = 0; i < p->ncontact; i++)
        if (!(p->contact[i].compliance > 0) && p->contact[i].b_n < fmin(0, p->contact[i].b_n_kin)) return true;
    return false;
}

perp_status pp_give_way(pp_frame *f, pp_island *island, bool *gives) {
    pp_arena *a = &f->w->arena;
    perp_step_problem *p = &f->pose.problem, *q = &island->p;
    *gives = false;
    if (rebounds(q)) return PERP_OK;
    perp_joint_row *joint = PP_ARENA_ARRAY(a, perp_joint_row, p->njoint),
                   *j = PP_ARENA_ARRAY(a, perp_joint_row, q->njoint);
    perp_contact_row *contact = PP_ARENA_ARRAY(a, perp_contact_row, p->ncontact),
                     *c = PP_ARENA_ARRAY(a, perp_contact_row, q->ncontact);
    if (!f->solve.lent_joint) f->solve.lent_joint = PP_ARENA_ZERO(a, double, p->njoint);
    if (!f->solve.lent_contact) f->solve.lent_contact = PP_ARENA_ZERO(a, double, p->ncontact);
    if (!joint || !j || !contact || !c || !f->solve.lent_joint || !f->solve.lent_contact)
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts and %d joint rows", p->ncontact, p->njoint);
    for (int i = 0; i < p->njoint; i++) joint[i] = p->joint[i];
    for (int i = 0; i < p->ncontact; i++) contact[i] = p->contact[i];
    for (int i = 0; i < q->njoint; i++) {
        j[i] = q->joint[i];
        double most = GIVES * pp_row_inverse_mass(q, &j[i].row);
        if (!is_rigid(&j[i]) || !(j[i].compliance < most)) continue;
        f->solve.lent_joint[island->joint[i]] += most - j[i].compliance;
        j[i].compliance = joint[island->joint[i]].compliance = most;
        *gives = true;
    }
    for (int i = 0; i < q->ncontact; i++) {
        c[i] = q->contact[i];
        double most = GIVES * pp_row_inverse_mass(q, &c[i].n);
        if (!(c[i].compliance < most)) continue;
        f->solve.lent_contact[island->contact[i]] += most - c[i].compliance;
        c[i].compliance = contact[island->contact[i]].compliance = most;
        *gives = true;
    }
    q->joint = j;
    q->contact = c;
    p->joint = joint;
    p->contact = contact;
    return PERP_OK;
}

/* Violation of the law of contact i without its added compliance. *law is updated; returns the normal part. */
static double contact_gave(const pp_frame *f, int i, perp_step_residual *law) {
    perp_step_problem one = f->pose.problem;
    perp_step_solution s = f->solve.solution;
    perp_contact_row rigid = one.contact[i];
    perp_step_residual own = {0};
    rigid.compliance = fmax(0, rigid.compliance - f->solve.lent_contact[i]);
    one.contact = &rigid;
    s.p_contact += 3 * (ptrdiff_t)i;
    s.p_spin += i;
    if (s.p_roll) s.p_roll += 2 * (ptrdiff_t)i;
    pp_step_contact(&one, 0, &s, &own);
    law->normal = fmax(law->normal, own.normal);
    law->cone = fmax(law->cone, own.cone);
    law->dissipation = fmax(law->dissipation, own.dissipation);
    return own.normal;
}

static double joint_gave(const pp_frame *f, int i, perp_step_residual *law) {
    perp_step_problem one = f->pose.problem;
    perp_step_solution s = f->solve.solution;
    perp_joint_row rigid = one.joint[i];
    rigid.compliance = fmax(0, rigid.compliance - f->solve.lent_joint[i]);
    one.joint = &rigid;
    s.p_joint += i;
    double own = fabs(pp_step_joint(&one, 0, &s));
    if (!(own < INFINITY)) own = INFINITY;
    law->joint = fmax(law->joint, own);
    return own;
}

double pp_gave_way(const pp_frame *f, const pp_island *island, perp_step_residual *law, int *rows) {
    const perp_step_problem *p = island ? &island->p : &f->pose.problem;
    double most = 0;
    *rows = 0;
    if (!f->solve.solution.nu || !f->solve.lent_contact || !f->solve.lent_joint) return 0;
    for (int k = 0; k < p->ncontact; k++) {
        int i = island ? island->contact[k] : k;
        if (!(f->solve.lent_contact[i] > 0)) continue;
        most = fmax(most, contact_gave(f, i, law));
        ++*rows;
    }
    for (int k = 0; k < p->njoint; k++) {
        int i = island ? island->joint[k] : k;
        if (!(f->solve.lent_joint[i] > 0)) continue;
        most = fmax(most, joint_gave(f, i, law));
        ++*rows;
    }
    return most;
}

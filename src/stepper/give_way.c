/* give_way.c - contacts and joints of a jammed island that give way a little
 * Problem  Bodies that are wedged between contacts and joints push each other with impulses that may have no end. Even where
 *          they end, rows that all but depend on each other turn the least contradiction into impulses whose rounding is
 *          larger than the laws allow.
 * Method   Contacts, joints, limits and motors without force limit get a compliance of GIVES of their inverse mass W:
 *              0 <= p _|_ n nu + b + c p >= 0,    J nu + b + c p = 0,    c = GIVES W.
 *          A row gives way at a speed that matters only where its impulse is 1/GIVES times the one that would make this speed.
 *          The matrix is strictly copositive then, so there is an answer whatever b is. c p is a speed against the
 *          impulse: it takes energy.
 * Valid    In a part that goes on jammed, after all else. What gives way opens a joint or lets bodies overlap, and the
 *          certificate tells both.
 * Cost     one more solution of an island that had none.
 * Source   Pang, Trinkle, Math. Program. 73 (1996) 199: existence where the matrix is copositive. */
#include "stepper/give_way.h"

#include <math.h>

#include "problem/rows.h"

/* Compliance of a row as a part of its inverse mass. Small against the laws, 1e-8 of the speeds, times the impulses of a chain or
 * pile of some hundred bodies; large against rounding, 1e-16, times the condition of a wedge. */
#define GIVES 1e-6

static bool is_rigid(const perp_joint_row *r) {
    if (r->kind == PERP_ROW_MOTOR) return r->hi == INFINITY;
    return r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT;
}

/* Is a contact asked to open? In such a part only restitution does that, which is given up first. */
static bool rebounds(const perp_step_problem *p) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].b_n < fmin(0, p->contact[i].b_n_kin)) return true;
    return false;
}

perp_status pp_give_way(pp_frame *f, pp_island *island, bool *gives) {
    pp_arena *a = &f->w->arena;
    perp_step_problem *p = &f->problem, *q = &island->p;
    *gives = false;
    if (rebounds(q)) return PERP_OK;
    perp_joint_row *joint = PP_ARENA_ARRAY(a, perp_joint_row, p->njoint),
                   *j = PP_ARENA_ARRAY(a, perp_joint_row, q->njoint);
    perp_contact_row *contact = PP_ARENA_ARRAY(a, perp_contact_row, p->ncontact),
                     *c = PP_ARENA_ARRAY(a, perp_contact_row, q->ncontact);
    if (!joint || !j || !contact || !c)
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts and %d joint rows", p->ncontact, p->njoint);
    for (int i = 0; i < p->njoint; i++) joint[i] = p->joint[i];
    for (int i = 0; i < p->ncontact; i++) contact[i] = p->contact[i];
    for (int i = 0; i < q->njoint; i++) {
        j[i] = q->joint[i];
        double most = GIVES * pp_row_inverse_mass(q, &j[i].row);
        if (!is_rigid(&j[i]) || !(j[i].compliance < most)) continue;
        j[i].compliance = joint[island->joint[i]].compliance = most;
        *gives = true;
    }
    for (int i = 0; i < q->ncontact; i++) {
        c[i] = q->contact[i];
        double most = GIVES * pp_row_inverse_mass(q, &c[i].n);
        if (!(c[i].compliance < most)) continue;
        c[i].compliance = contact[island->contact[i]].compliance = most;
        *gives = true;
    }
    q->joint = j;
    q->contact = c;
    p->joint = joint;
    p->contact = contact;
    return PERP_OK;
}

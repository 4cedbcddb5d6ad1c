/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stored_step.c - a step problem kept whole, with its cone form. */
#include <string.h>

#include "problem/stored.h"
#include "problem/convert/to_cone.h"

static void *copy_array(perp_stored *s, size_t count, size_t size, const void *from, bool *refused) {
    void *to = pp_stored_array(s, count, size);
    if (!to)
        *refused = true;
    else if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

/* The list of a row becomes a copy. */
static bool copy_list(perp_stored *s, perp_row *row) {
    while (row->more) {
        perp_row *copy = PP_STORED_ARRAY(s, perp_row, 1);
        if (!copy) return false;
        *copy = *row->more;
        row->more = copy;
        row = copy;
    }
    return true;
}

static bool copy_step(perp_stored *s, const perp_step_problem *p, perp_step_problem *to) {
    size_t nb = (size_t)p->nblock;
    bool refused = false;
    *to = *p;
    to->block_ndof = copy_array(s, nb, sizeof(int), p->block_ndof, &refused);
    to->block_offset = copy_array(s, nb, sizeof(int), p->block_offset, &refused);
    to->M = copy_array(s, 36 * nb, sizeof(double), p->M, &refused);
    to->Minv = copy_array(s, 36 * nb, sizeof(double), p->Minv, &refused);
    to->momentum = copy_array(s, (size_t)p->ndof, sizeof(double), p->momentum, &refused);
    to->contact = copy_array(s, (size_t)p->ncontact, sizeof *p->contact, p->contact, &refused);
    perp_joint_row *joint = PP_STORED_ARRAY(s, perp_joint_row, p->njoint);
    for (int i = 0; joint && i < p->njoint; i++) {
        joint[i] = p->joint[i];
        if (!copy_list(s, &joint[i].row)) refused = true;
    }
    to->joint = joint;
    return joint && !refused;
}

perp_status pp_stored_set_step(perp_stored *s, const perp_step_problem *p) {
    perp_step_problem *step = PP_STORED_ARRAY(s, perp_step_problem, 1);
    if (!step || !copy_step(s, p, step)) return PERP_E_MEMORY;
    pp_step_cone cone; /* borrows the copy and lies in the same arena */
    perp_status status = pp_step_to_cone(step, &s->arena, &cone);
    if (status) return status == PERP_E_MEMORY ? status : PERP_E_ARG;
    s->step = step;
    s->problem = cone.problem;
    return PERP_OK;
}

static double *copy_or_zeros(perp_stored *s, int count, const double *from) {
    double *to = PP_STORED_ARRAY(s, double, count);
    for (int i = 0; to && i < count; i++) to[i] = from ? from[i] : 0;
    return to;
}

bool pp_stored_set_solution(perp_stored *s, const perp_step_solution *solution) {
    const perp_step_problem *p = s->step;
    perp_step_solution *to = PP_STORED_ARRAY(s, perp_step_solution, 1);
    if (!to) return false;
    *to = (perp_step_solution){.nu = copy_or_zeros(s, p->ndof, solution->nu),
                               .p_joint = copy_or_zeros(s, p->njoint, solution->p_joint),
                               .p_contact = copy_or_zeros(s, 3 * p->ncontact, solution->p_contact),
                               .sigma = copy_or_zeros(s, p->ncontact, solution->sigma),
                               .p_spin = copy_or_zeros(s, p->ncontact, solution->p_spin),
                               .p_roll = copy_or_zeros(s, 2 * p->ncontact, solution->p_roll)};
    if (!to->nu || !to->p_joint || !to->p_contact || !to->sigma || !to->p_spin || !to->p_roll) return false;
    s->solution = to;
    return true;
}

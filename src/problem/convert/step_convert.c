/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* step_convert.c - a step problem as a problem of the solver library, with all its arrays. */
#include "problem/convert/convert.h"
#include "problem/stored.h"
#include "problem/convert/to_cone.h"

static perp_status to_cone(perp_stored *s, const perp_step_problem *p, const perp_step_solution *guess) {
    perp_status status = pp_stored_set_step(s, p);
    if (status || !guess) return status;
    pp_step_cone cone; /* once more, for where the impulses go; freed with the rest */
    double *r = PP_STORED_ARRAY(s, double, perp_problem_size(&s->problem));
    if (!r || pp_step_to_cone(s->step, &s->arena, &cone)) return PERP_E_MEMORY;
    pp_step_cone_guess(&cone, guess, r);
    s->guess = r;
    return PERP_OK;
}

static perp_status to_linear(perp_stored *s, const perp_step_problem *p, perp_class to,
                             const perp_step_solution *guess) {
    pp_converted c;
    perp_status status = pp_convert(p, to, &s->arena, &c); /* its arrays are its own, none of p's */
    if (status) return status == PERP_E_SOLVE ? PERP_E_ARG : status;
    s->problem = c.problem;
    if (!guess) return PERP_OK;
    double *z = PP_STORED_ARRAY(s, double, c.n);
    if (!z) return PERP_E_MEMORY;
    pp_guess(&c, guess->p_joint, guess->p_contact, guess->sigma, z);
    s->guess = z;
    return PERP_OK;
}

perp_status perp_step_convert(const perp_step_problem *p, perp_class to, const perp_step_solution *guess,
                              const perp_allocator *alloc, perp_stored **out) {
    *out = NULL;
    if (!p) return PERP_E_ARG;
    if (to != PERP_LCP && to != PERP_MLCP && to != PERP_CONE) return PERP_E_FIT;
    perp_stored *s = pp_stored_new(alloc);
    if (!s) return PERP_E_MEMORY;
    perp_status status = to == PERP_CONE ? to_cone(s, p, guess) : to_linear(s, p, to, guess);
    if (status)
        perp_stored_free(s);
    else
        *out = s;
    return status;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* unique.h - step problems solved apart, and whether their velocity is unique
 *
 * With friction and redundant contacts the laws may have several solutions with different velocities: how a box that
 * slides and turns on four feet goes on depends on how they share its weight. Two answers that both obey the laws and
 * differ prove it. */
#ifndef PERP_TEST_UNIQUE_H
#define PERP_TEST_UNIQUE_H

#include "check.h"
#include "problem/convert/convert.h"
#include "solver/common/solver.h"

/* Solves a step problem cold; share: setting of lemke, negative for its default. False if the laws, measured, do not
 * hold to 1e-10. */
static inline bool solve_apart(const perp_step_problem *p, const char *solver, perp_class cls, int max_n, double share,
                               double *nu) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    pp_converted c;
    assert_int_equal(pp_convert(p, cls, &arena, &c), PERP_OK);
    bool good = false;
    if (c.n <= max_n) {
        const perp_solver_type *type = perp_solver_find(solver);
        union {
            double align;
            char bytes[PERP_SETTINGS_MAX];
        } settings;
        perp_fields_default(type->fields, type->nfield, settings.bytes);
        if (share >= 0)
            assert_int_equal(perp_fields_set(type->fields, type->nfield, settings.bytes, "share", share), PERP_OK);
        double *z = PP_ARENA_ZERO(&arena, double, c.n);
        perp_step_solution s = {.nu = PP_ARENA_ZERO(&arena, double, p->ndof),
                                .p_joint = PP_ARENA_ZERO(&arena, double, p->njoint),
                                .p_contact = PP_ARENA_ZERO(&arena, double, 3 * p->ncontact),
                                .sigma = PP_ARENA_ZERO(&arena, double, p->ncontact)};
        perp_solve_info info;
        assert_int_equal(pp_solve(type, settings.bytes, &c.problem, z, &arena, &info), PERP_OK);
        assert_int_equal(pp_recover(&c, z, &arena, &s), PERP_OK);
        perp_step_residual r = perp_step_problem_residual(p, &s);
        double law = fmax(fmax(r.normal, r.cone), fmax(r.dissipation, r.momentum));
        good = law <= 1e-9 * r.scale; /* ten times closer than worlds ask */
        for (int i = 0; i < p->ndof; i++) nu[i] = s.nu[i];
    }
    pp_arena_free(&arena);
    return good;
}

static inline double largest_difference(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Is it proven that this problem has several velocities? `ref`: one answer, from solve_apart(). */
static inline bool several_velocities(const perp_step_problem *p, const double *ref) {
    double other[64];
    static const double share[] = {0, 1, 1e-1, 1e-2, 1e-3, 1e-5, 1e-6, 1e-7, 1e-8};
    for (int k = 0; k < 9; k++)
        for (int form = 0; form < 2; form++)
            if (solve_apart(p, "lemke", form ? PERP_MLCP : PERP_LCP, 1 << 20, share[k], other) &&
                largest_difference(p->ndof, ref, other) > 1e-8)
                return true;
    return false;
}

/* Is it proven that rounding decides? Gaps changed by 1e-12 of the speeds at hand change the velocity by more than a
 * hundred thousand times that: a linkage jams near its dead point. `ref`: one answer, from solve_apart(). */
static inline bool fragile(const perp_step_problem *p, const double *ref) {
    double other[64], nu[64] = {0}, p_joint[256] = {0}, p_contact[768] = {0}, sigma[256] = {0};
    const perp_step_solution none = {.nu = nu, .p_joint = p_joint, .p_contact = p_contact, .sigma = sigma};
    double change = 1e-12 * perp_step_problem_residual(p, &none).scale;
    perp_contact_row row[256];
    if (p->ncontact > 256 || p->njoint > 256 || p->ndof > 64) return false;
    for (int pattern = 1; pattern < 8; pattern++) {
        perp_step_problem q = *p;
        for (int i = 0; i < p->ncontact; i++) {
            row[i] = p->contact[i];
            row[i].b_n += (i * pattern / 2) % 2 ? change : -change;
        }
        q.contact = row;
        if (!solve_apart(&q, "lemke", PERP_LCP, 1 << 20, -1, other) ||
            largest_difference(p->ndof, ref, other) > 1e5 * change)
            return true;
    }
    return false;
}

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_gauss_seidel.c - block Gauss-Seidel over contacts with exact local solves
 *   u = W r + q, contact by contact Coulomb's law, or the associated one
 * Method   Contacts in order, each solved exactly with all others constant (cone_law.c); through the velocities of the bodies if masses are
 *          given. Slow convergence along a line is extrapolated (relax_run.c).
 * Valid    A few contacts: exact in some sweeps. Associated law: converges always. Stacks, walls and mass ratios: too slow for more than a few
 *          digits.
 * Cost     Twice the entries of W per sweep, or four times those of H, and a microsecond per contact.
 * Source   Jean (1999); Jourdan, Alart, Jean (1998): non-smooth Gauss-Seidel. */
#include <stddef.h>

#include "solver/relax/relax.h"
#include "solver/common/solver.h"

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(pp_relax_settings, max_sweeps), 5000, 1, 1e9, "sweeps over all contacts"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, relaxation), 1, 1e-3, 1.999,
     "below 1 damps, above 1 over-relaxes"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, tol), 1e-9, 1e-16, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const pp_relax_settings *s = set;
    (void)work;
    pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation};
    o.exact = o.extrapolate = true;
    o.window = 300;
    return pp_cone_relax(p, &o, z, call, info);
}

const perp_solver_type pp_solver_gauss_seidel = {
    .abi = PERP_ABI,
    .name = "gauss-seidel",
    .source = "Jean (1999); Jourdan, Alart, Jean (1998)",
    .takes = PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_relax_settings),
    .solve = solve,
};

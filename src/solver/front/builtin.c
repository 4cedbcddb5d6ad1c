/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* builtin.c - one line per built-in solver. */
#include "solver/front/builtin.h"

const perp_solver_type *const pp_builtin[] = {
    &pp_solver_auto,
    &pp_solver_lemke,
    &pp_solver_pgs,
    &pp_solver_enumerate,
    &pp_solver_fischer_newton,
    &pp_solver_minmap_newton,
    &pp_solver_path_search,
    &pp_solver_interior_point,
    &pp_solver_accelerated_gradient,
    &pp_solver_jacobi,
    &pp_solver_psor,
    &pp_solver_nncg,
    &pp_solver_fixed_point,
    &pp_solver_gauss_seidel,
    &pp_solver_prox_newton,
    &pp_solver_cone_interior_point,
    &pp_solver_admm,
    &pp_solver_spectral_gradient,
};
const int pp_nbuiltin = (int)(sizeof pp_builtin / sizeof *pp_builtin);

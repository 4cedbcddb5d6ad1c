/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* builtin_list.h - the built-in solvers, one line each, in the order of all lists. PP_SOLVER(nncg) stands for pp_solver_nncg
 * in a file solver_nncg.c. Whoever includes this defines PP_SOLVER first; it may be included several times. */
PP_SOLVER(auto)
PP_SOLVER(lemke)
PP_SOLVER(pgs)
PP_SOLVER(enumerate)
PP_SOLVER(fischer_newton)
PP_SOLVER(minmap_newton)
PP_SOLVER(path_search)
PP_SOLVER(interior_point)
PP_SOLVER(accelerated_gradient)
PP_SOLVER(jacobi)
PP_SOLVER(psor)
PP_SOLVER(nncg)
PP_SOLVER(fixed_point)
PP_SOLVER(gauss_seidel)
PP_SOLVER(prox_newton)
PP_SOLVER(cone_interior_point)
PP_SOLVER(admm)
PP_SOLVER(spectral_gradient)
#undef PP_SOLVER

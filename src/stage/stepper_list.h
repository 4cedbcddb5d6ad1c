/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_list.h - the steppers, one line each, in the order of all lists. PP_STEPPER(implicit) stands for pp_stepper_implicit in a
 * file stepper_implicit.c. Whoever includes this defines PP_STEPPER first; it may be included several times. */
PP_STEPPER(stewart_trinkle)
PP_STEPPER(anitescu_potra)
PP_STEPPER(first_order)
PP_STEPPER(implicit)
PP_STEPPER(implicit_compliant)
PP_STEPPER(nonconvex_lcp)
PP_STEPPER(planar)
PP_STEPPER(quasistatic)
PP_STEPPER(second_order)
PP_STEPPER(viscoelastic)
#undef PP_STEPPER

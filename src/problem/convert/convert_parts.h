/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convert_parts.h - shared by the files of src/problem that convert. */
#ifndef PP_CONVERT_PARTS_H
#define PP_CONVERT_PARTS_H

#include "problem/convert/convert.h"

/* Kinds of joint rows in the LCP, by their bounds. */
typedef enum pp_bound { PP_BOUND_NONE, PP_BOUND_LOWER, PP_BOUND_UPPER, PP_BOUND_BOTH, PP_BOUND_FIXED } pp_bound;
pp_bound pp_bound_of(const perp_joint_row *r);

/* Whether a contact has friction variables. */
static inline bool pp_has_friction(const perp_contact_row *r) { return r->nd > 0 && r->mu > 0; }

/* Writes the contact part of M: for contacts a and b the block of their p_n and p_f from the nw x nw matrix S, and
 * the rows and columns of sigma. M (n x n) is zero before. Also q from the velocities w without these impulses, and
 * z_scale, w_scale. The scales come from W and not from S, because laws are judged by the inverse mass of a contact by itself. */
void pp_fill_contacts(pp_converted *c, const double *S, const double *w);

/* size[r] (nw): sum of the sizes of all terms that w_shift[r] is made of, so that its rounding is about the unit of
 * rounding times this. Besides products and b these are the lever arms over h, what b of joints and contacts is made
 * of: it is an error of position over h, and positions are rounded too. */
void pp_term_sizes(const pp_converted *c, double *size);

perp_status pp_to_lcp(pp_converted *c, pp_arena *arena);
perp_status pp_to_mlcp(pp_converted *c, pp_arena *arena);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_model_list.h - the contact models, one line each, in the order of all lists. PP_CONTACT_MODEL(lnc) stands for pp_model_lnc in a
 * file model_lnc.c. Whoever includes this defines PP_CONTACT_MODEL first; it may be included several times. */
PP_CONTACT_MODEL(peg)
PP_CONTACT_MODEL(one_plane)
PP_CONTACT_MODEL(standard)
PP_CONTACT_MODEL(corrective)
PP_CONTACT_MODEL(lnc)
PP_CONTACT_MODEL(peg_mixed)
#undef PP_CONTACT_MODEL

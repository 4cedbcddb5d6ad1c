/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_model.h - the contact model stage: which of the gaps found must hold, and how. */
#ifndef PP_MODEL_H
#define PP_MODEL_H

#include "stage/frame.h"

typedef struct pp_contact_model_type {
    const char *name;
    /* Removes overlap of the start pose within the step, even if that adds energy. A shorter substep adds more. */
    bool pushes_out;
    const char *source;
    /* One of the two. contacts: w->found.pairs -> f->contacts, between pp_collide and pp_formulate. solve: all the way from
     * pp_control's results to f->contacts, f->pose.problem and f->solve.solution, for models whose contacts depend on the answer. */
    perp_status (*contacts)(pp_frame *f);
    perp_status (*solve)(pp_frame *f);
    bool pyramids_only; /* true friction cones do not fit */
} pp_contact_model_type;

extern const pp_contact_model_type pp_model_peg, pp_model_one_plane, pp_model_standard;
extern const pp_contact_model_type pp_model_corrective, pp_model_lnc, pp_model_peg_mixed;
/* NULL name: the default. NULL if there is none of that name. */
const pp_contact_model_type *pp_model_find(const char *name);
/* The one that takes a step which this one has no answer for; NULL: the step fails. */
const pp_contact_model_type *pp_model_fallback(const pp_contact_model_type *model);
/* The i-th, NULL past the last. */
const pp_contact_model_type *pp_model_at(int i);
/* All names with commas between, for messages. */
const char *pp_model_names(char *out, size_t size);

#endif

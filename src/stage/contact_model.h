/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contact_model.h - the contact model stage: decides which of the measured gaps must hold, and how. */
#ifndef PP_MODEL_H
#define PP_MODEL_H

#include "stage/frame.h"

typedef struct pp_contact_model_type {
    const char *name;
    /* Removes overlap of the start pose within the step, even if that adds energy. A shorter substep adds more. */
    bool pushes_out;
    const char *source;
    /* One of the two is set. contacts: w->found.pairs -> f->contacts, between pp_collide and pp_formulate. solve: from
     * the results of pp_control to f->contacts, f->pose.problem and f->solve.solution, for models whose contacts depend
     * on the solution. */
    perp_status (*contacts)(pp_frame *f);
    perp_status (*solve)(pp_frame *f);
    bool pyramids;      /* friction pyramids, unless the user names another form */
    bool pyramids_only; /* friction cones are not supported, only pyramids */
} pp_contact_model_type;

#define PP_CONTACT_MODEL(name) extern const pp_contact_model_type pp_model_##name;
#include "stage/contact_model_list.h"
/* NULL name: the default. Returns NULL if there is no model of that name. */
const pp_contact_model_type *pp_model_find(const char *name);
/* The model that solves a step which this one cannot solve; NULL: the step fails. */
const pp_contact_model_type *pp_model_fallback(const pp_contact_model_type *model);
/* The i-th model; NULL past the last. */
const pp_contact_model_type *pp_model_at(int i);
/* All names separated by commas, for messages. */
const char *pp_model_names(char *out, size_t size);

#endif

/* model.h - the contact model stage: which of the gaps found must hold, and how. */
#ifndef PP_MODEL_H
#define PP_MODEL_H

#include "world/frame.h"

typedef struct pp_contact_model_type {
    const char *name;
    const char *source;
    /* w->pairs -> f->contact */
    perp_status (*contacts)(pp_frame *f);
} pp_contact_model_type;

extern const pp_contact_model_type pp_model_standard;
const pp_contact_model_type *pp_model_find(const char *name);

#endif

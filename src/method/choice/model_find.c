/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_find.c - the contact models by name. */
#include <stdio.h>
#include <string.h>

#include "stage/contact_model.h"

static const pp_contact_model_type *const all[] = {
#define PP_CONTACT_MODEL(name) &pp_model_##name,
#include "stage/contact_model_list.h"
};
#define COUNT (int)(sizeof all / sizeof *all)

const pp_contact_model_type *pp_model_at(int i) { return i >= 0 && i < COUNT ? all[i] : NULL; }

const pp_contact_model_type *pp_model_find(const char *name) {
    if (!name) return all[0];
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}

const char *pp_model_names(char *out, size_t size) {
    size_t at = 0;
    if (size) out[0] = 0;
    for (int i = 0; i < COUNT && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", all[i]->name);
    return out;
}

const pp_contact_model_type *pp_model_fallback(const pp_contact_model_type *model) {
    return model == &pp_model_peg_mixed || model == &pp_model_lnc ? &pp_model_peg : NULL;
}

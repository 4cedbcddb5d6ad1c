/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_find.c - the steppers by name. */
#include <stdio.h>
#include <string.h>

#include "stage/stepper.h"

static const pp_stepper_type *const all[] = {
#define PP_STEPPER(name) &pp_stepper_##name,
#include "stage/stepper_list.h"
};
#define COUNT (int)(sizeof all / sizeof *all)

const pp_stepper_type *pp_stepper_at(int i) { return i >= 0 && i < COUNT ? all[i] : NULL; }

bool perp_stepper_at(int i, perp_stepper_info *out) {
    const pp_stepper_type *s = pp_stepper_at(i);
    if (!s) return false;
    *out = (perp_stepper_info){s->name, s->source, s->about, s->fields, s->nfield};
    return true;
}

const pp_stepper_type *pp_stepper_find(const char *name) {
    if (!name) return all[0];
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}

const char *pp_stepper_names(char *out, size_t size) {
    size_t at = 0;
    if (size) out[0] = 0;
    for (int i = 0; i < COUNT && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", all[i]->name);
    return out;
}

const pp_stepper_type *pp_stepper_fallback(const pp_stepper_type *stepper) {
    bool replaced = stepper == &pp_stepper_nonconvex_lcp || stepper == &pp_stepper_second_order;
    return replaced ? &pp_stepper_stewart_trinkle : NULL;
}

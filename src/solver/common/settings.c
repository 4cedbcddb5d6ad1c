/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* settings.c - settings structs through their field tables. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "perp/plugin.h"

static const perp_field *find(const perp_field *fields, int nfield, const char *name) {
    if (!name) return NULL;
    for (int i = 0; i < nfield; i++)
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

static void store(const perp_field *f, void *settings, double value) {
    char *p = (char *)settings + f->offset;
    int i = f->type == PERP_FIELD_INT ? (int)value : 0; /* a double may lie beyond what an int holds */
    bool b = value != 0;
    switch (f->type) {
    case PERP_FIELD_INT: memcpy(p, &i, sizeof i); break;
    case PERP_FIELD_BOOL: memcpy(p, &b, sizeof b); break;
    case PERP_FIELD_DOUBLE: memcpy(p, &value, sizeof value); break;
    }
}

void perp_fields_default(const perp_field *fields, int nfield, void *settings) {
    for (int i = 0; i < nfield; i++) store(&fields[i], settings, fields[i].value);
}

perp_status perp_fields_set(const perp_field *fields, int nfield, void *settings, const char *name, double value) {
    const perp_field *f = find(fields, nfield, name);
    if (!f) return PERP_E_NAME;
    if (!(value >= f->min && value <= f->max) || isinf(value)) return PERP_E_ARG;
    if (f->type == PERP_FIELD_INT && (value != floor(value) || value < INT_MIN || value > INT_MAX)) return PERP_E_ARG;
    if (f->type == PERP_FIELD_BOOL && value != 0 && value != 1) return PERP_E_ARG;
    store(f, settings, value);
    return PERP_OK;
}

perp_status perp_fields_get(const perp_field *fields, int nfield, const void *settings, const char *name,
                            double *value) {
    const perp_field *f = find(fields, nfield, name);
    if (!f) return PERP_E_NAME;
    const char *p = (const char *)settings + f->offset;
    int i;
    bool b;
    switch (f->type) {
    case PERP_FIELD_INT:
        memcpy(&i, p, sizeof i);
        *value = i;
        break;
    case PERP_FIELD_BOOL:
        memcpy(&b, p, sizeof b);
        *value = b;
        break;
    case PERP_FIELD_DOUBLE: memcpy(value, p, sizeof *value); break;
    }
    return PERP_OK;
}

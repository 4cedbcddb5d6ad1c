/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* module.h - what the sources of the module share: tables of structures, and where the last refusal and certificate are. */
#ifndef PERP_WASM_MODULE_H
#define PERP_WASM_MODULE_H

#include <stddef.h>

#include "perp/perp.h"
#include "perp/scene.h"

/* Names of fields for perp.js: TYPE is the type of the field, i (int), u (uint32_t), U (uint64_t), d (double), b (bool), p
 * (pointer), s (string) or c (characters), with the number of entries behind it. A table ends with a name that is NULL and the size. */
typedef struct js_field {
    const char *name, *type;
    int offset;
} js_field;

#define JS_FIELD(of, type, name) \
    { #name, type, (int)offsetof(of, name) }

extern perp_refusal js_why;
extern perp_certificate js_certificate;
extern const js_field js_dataset_fields[], js_attribute_fields[];

#endif

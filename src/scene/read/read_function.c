/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_function.c - shapes given by convex functions, and the functions of an intersection, into the reader's scratch. */
#include <string.h>

#include "scene/scene_internal.h"

/* One power stands for both. */
static void set_powers(const pp_numbers *in, double out[2]) {
    out[0] = in->v[0];
    out[1] = in->n > 1 ? in->v[1] : in->v[0];
}

static perp_status read_function(pp_reader *r, pp_item at, perp_function *out) {
    pp_function_in in = {.turn = {1, 0, 0, 0}};
    perp_status s = pp_read_map(r, &pp_map_function, &at, 1, &in);
    if (s) return s;
    *out = (perp_function){.kind = (perp_function_kind)in.got.variant, /* names in keys_body.c are in the same order */
                           .X_SF = {in.at, in.turn},
                           .radius = in.radius,
                           .half_size = in.axes,
                           .normal = in.normal,
                           .offset = in.offset};
    set_powers(&in.powers, out->exponent);
    return PERP_OK;
}

/* An intersection: its functions go into the scratch. */
static perp_status intersection(pp_reader *r, const pp_shape_in *in, pp_shape_draft *out) {
    int n = (int)pp_at(in->functions)->length, i = 0, first = r->nfunction;
    char found[64];
    pp_push_key(r, "functions");
    if (n == 0 || n > PERP_FUNCTION_MAX)
        return pp_wrong(r, in->functions, pp_yaml_found(in->functions.tree, in->functions.node, found, sizeof found),
                        "a list of 1 to 32 functions");
    if (!PP_GROW(r->alloc, r->function, r->cap_function, first, first + n)) return pp_no_memory(r);
    for (pp_item v = pp_first(in->functions); v.node; v = pp_next(v), i++) {
        pp_push_index(r, i);
        perp_status s = read_function(r, v, &r->function[first + i]);
        if (s) return s;
        pp_pop(r);
    }
    pp_pop(r);
    r->nfunction = first + n;
    out->def = perp_shape_intersection(NULL, n, in->bound);
    out->first_function = first;
    return PERP_OK;
}

perp_status pp_read_implicit(pp_reader *r, const pp_shape_in *in, pp_shape_draft *out) {
    double e[2];
    set_powers(&in->powers, e);
    switch (in->got.variant) {
    case PP_IN_ELLIPSOID: out->def = perp_shape_ellipsoid(in->axes.x, in->axes.y, in->axes.z); return PERP_OK;
    case PP_IN_SUPERELLIPSOID:
        out->def = perp_shape_superellipsoid(in->axes.x, in->axes.y, in->axes.z, e[0], e[1]);
        return PERP_OK;
    case PP_IN_ROUND_CYLINDER: out->def = perp_shape_cylinder(in->radius, in->height / 2); return PERP_OK;
    default: return intersection(r, in, out);
    }
}

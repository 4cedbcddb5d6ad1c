/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_shape.c - the shapes of a body, into the reader's scratch: they are needed twice, for the mass and for the
 * world. A shape that is not convex becomes several drafts. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

perp_vec3 *pp_more_points(pp_reader *r, int n) {
    if (!PP_GROW(r->alloc, r->points, r->cap_points, r->npoints, r->npoints + n)) {
        (void)pp_no_memory(r);
        return NULL;
    }
    perp_vec3 *p = r->points + r->npoints;
    r->npoints += n;
    return p;
}

static perp_status random_points(pp_reader *r, pp_item at, int *n) {
    pp_points_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_points, &at, 1, &in);
    if (s) return s;
    perp_vec3 *p = pp_more_points(r, (int)in.random);
    if (!p) return PERP_E_MEMORY;
    *n = (int)in.random;
    for (int i = 0; i < *n; i++) {
        p[i].x = pp_random_uniform(r, -in.in.x, in.in.x);
        p[i].y = pp_random_uniform(r, -in.in.y, in.in.y);
        p[i].z = r->dim == 3 ? pp_random_uniform(r, -in.in.z, in.in.z) : 0;
    }
    return PERP_OK;
}

static perp_status read_points(pp_reader *r, pp_item at, int *n) {
    const pp_key *k = pp_key_find(&pp_map_shape, "points");
    const pp_key one = {.name = "points", .type = PP_T_VECTOR};
    if (pp_is_map(at)) return random_points(r, at, n);
    if (!pp_is_list(at)) return pp_wrong_kind(r, at, k);
    if (pp_at(at)->length > PP_SCENE_POINTS) {
        char found[64];
        return pp_wrong(r, at, pp_yaml_found(at.tree, at.node, found, sizeof found), "at most 10000 points");
    }
    if (pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    *n = (int)pp_at(at)->length;
    perp_vec3 *p = pp_more_points(r, *n);
    if (!p) return PERP_E_MEMORY;
    int i = 0;
    for (pp_item v = pp_first(at); v.node; v = pp_next(v), i++) {
        pp_push_index(r, i);
        perp_status s = pp_read_value(r, v, &one, &p[i]);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}

/* Corners of a body with sides, or of a regular solid. */
static perp_status regular_points(pp_reader *r, pp_item at, const pp_shape_in *in) {
    static const perp_platonic solid[] = {PERP_TETRAHEDRON, PERP_CUBE, PERP_OCTAHEDRON, PERP_DODECAHEDRON,
                                          PERP_ICOSAHEDRON};
    bool many = in->got.variant == PP_IN_CYLINDER || in->got.variant == PP_IN_CONE;
    int sides = (int)(many ? in->facets : in->sides), most = in->got.variant == PP_IN_PLATONIC ? 20 : 2 * sides + 1,
        n = 0, first = r->npoints;
    perp_vec3 *p = pp_more_points(r, most);
    if (!p) return PERP_E_MEMORY;
    switch (in->got.variant) {
    case PP_IN_REGULAR: n = perp_points_regular(sides, in->radius, p, most); break;
    case PP_IN_CONE: n = perp_points_cone(sides, in->radius, in->height, p, most); break;
    case PP_IN_PLATONIC: n = perp_points_platonic(solid[in->solid], in->radius, p, most); break;
    default: n = perp_points_prism(sides, in->radius, in->height, p, most); break;
    }
    if (n == 0) return pp_wrong_say(r, PERP_E_GEOMETRY, at, "a length of the shape is too small or too large");
    r->npoints = first + n;
    return PERP_OK;
}

/* A polygon that need not be convex, from n points of the scratch. */
static perp_status cut_polygon(pp_reader *r, pp_item at, int first, int n, pp_shape_parts *parts) {
    char why[256] = "";
    perp_status s = perp_polygon_parts(r->points + first, n, r->alloc, &parts->list, why, sizeof why);
    if (!s) s = perp_polygon_mass(r->points + first, n, 1, &parts->whole, why, sizeof why);
    if (s == PERP_E_MEMORY) return pp_no_memory(r);
    if (s) return pp_wrong_say(r, s, at, "%s", why);
    parts->has_whole = true;
    r->npoints = first; /* the parts bring their own */
    return PERP_OK;
}

static perp_status pointed(pp_reader *r, pp_item at, const pp_shape_in *in, pp_shape_draft *out,
                           pp_shape_parts *parts) {
    int first = r->npoints, n = 0, variant = in->got.variant;
    perp_status s;
    if (variant == PP_IN_POLYGON || variant == PP_IN_POLYHEDRON) {
        pp_push_key(r, "points");
        s = read_points(r, in->points, &n);
        if (s) return s;
        pp_pop(r);
        if (in->parts) return cut_polygon(r, at, first, n, parts);
    } else {
        s = regular_points(r, at, in);
        if (s) return s;
    }
    n = r->npoints - first;
    out->def = variant == PP_IN_POLYGON || variant == PP_IN_REGULAR ? perp_shape_polygon(NULL, n)
                                                                    : perp_shape_polyhedron(NULL, n);
    out->first = first;
    return PERP_OK;
}

/* Velocity of the surface: numbers, or a function of time. */
static perp_status read_belt(pp_reader *r, const pp_shape_in *in, perp_shape_def *d) {
    pp_push_key(r, "surface_velocity");
    if (in->visual)
        return pp_wrong(r, in->surface_velocity, "a surface velocity on a visual shape, which touches nothing",
                        "visual: false, or no surface velocity");
    pp_formula *f = pp_formula_new(r, 1);
    if (!f) return PERP_E_MEMORY;
    perp_status s = pp_formula_vector(r, in->surface_velocity, pp_dynamic_time, f, 0);
    if (s) return s;
    bool varies = false;
    for (int i = 0; i < r->dim; i++) varies |= pp_expr_uses(f->part[i], 0);
    if (varies) {
        d->surface_motion = pp_formula_belt;
        d->surface_ctx = f;
    } else {
        pp_formula_belt(0, &d->surface_velocity, f);
        char found[96];
        perp_vec3 v = d->surface_velocity;
        (void)snprintf(found, sizeof found, r->dim == 2 ? "(%g, %g)" : "(%g, %g, %g)", v.x, v.y, v.z);
        if (!perp_v3_finite(v)) return pp_wrong(r, in->surface_velocity, found, "finite numbers");
    }
    pp_pop(r);
    return PERP_OK;
}

/* A box by its edges, under either name, or by half of them. */
static perp_status read_box(pp_reader *r, pp_item at, const pp_shape_in *in, perp_shape_def *d) {
    const bool size = PP_GIVEN(in, size), edges = PP_GIVEN(in, edges), half = PP_GIVEN(in, half_edges);
    if (size + edges + half != 1)
        return pp_wrong(r, at,
                        size + edges + half == 0 ? "no key `size`"
                        : !half                  ? "size and edges"
                        : !edges                 ? "size and half_edges"
                        : !size                  ? "edges and half_edges"
                                                 : "size, edges and half_edges",
                        "one of size, edges and half_edges");
    const perp_vec3 h = half ? in->half_edges : perp_v3_scale(0.5, size ? in->size : in->edges);
    *d = perp_shape_box(h.x, h.y, r->dim == 3 ? h.z : 1);
    return PERP_OK;
}

static perp_status read_one(pp_reader *r, pp_item at, const pp_body_in *body, pp_shape_draft *out,
                            pp_shape_parts *parts) {
    pp_shape_in in = {.turn = {1, 0, 0, 0}, .scale = {1, {1}}};
    perp_status s = pp_read_map(r, &pp_map_shape, &at, 1, &in);
    if (s) return s;
    *out = (pp_shape_draft){.at = at, .first = -1};
    perp_shape_def *d = &out->def;
    switch (in.got.variant) {
    case PP_IN_SPHERE: *d = perp_shape_sphere(in.radius); break;
    case PP_IN_CAPSULE: *d = perp_shape_capsule(in.radius, in.length / 2); break;
    case PP_IN_BOX: s = read_box(r, at, &in, d); break;
    case PP_IN_HALFSPACE: {
        double most = fmax(fabs(in.normal.x), fmax(fabs(in.normal.y), fabs(in.normal.z)));
        if (!(most > 0)) {
            pp_push_key(r, "normal");
            return pp_wrong(r, PP_ITEM(&in, normal), "a normal of zeros", "a direction");
        }
        if (most < 1e-100 || most > 1e100) /* its square would leave the range of numbers */
            in.normal = perp_v3(in.normal.x / most, in.normal.y / most, in.normal.z / most);
        *d = perp_shape_halfspace(in.normal, in.offset);
        break;
    }
    case PP_IN_PARTICLE: *d = perp_shape_particle(perp_v3(0, 0, 0)); break;
    case PP_IN_ELLIPSOID:
    case PP_IN_SUPERELLIPSOID:
    case PP_IN_ROUND_CYLINDER:
    case PP_IN_INTERSECTION: s = pp_read_implicit(r, &in, out); break;
    case PP_IN_MESH: s = pp_read_mesh(r, &in, out, parts); break;
    default: s = pointed(r, at, &in, out, parts); break;
    }
    if (s) return s;
    if (parts->list.npart) *d = r->dim == 2 ? perp_shape_polygon(NULL, 0) : perp_shape_polyhedron(NULL, 0);
    d->X_BS = (perp_pose){in.at, in.turn};
    d->group = (uint32_t)(PP_GIVEN(&in, group) ? in.group : body->group);
    d->mask = (uint32_t)(PP_GIVEN(&in, mask) ? in.mask : body->mask);
    d->material = body->material_number;
    d->visual = in.visual;
    d->colour = in.colour;
    if (PP_GIVEN(&in, surface_velocity) && (s = read_belt(r, &in, d))) return s;
    if (!PP_GIVEN(&in, material)) return PERP_OK;
    pp_push_key(r, "material");
    s = pp_read_material(r, PP_ITEM(&in, material), in.material.text, &d->material);
    if (!s) pp_pop(r);
    return s;
}

void pp_push_shape(pp_reader *r, const pp_body_in *body, int i) {
    pp_push_key(r, PP_GIVEN(body, shape) ? "shape" : "shapes");
    if (!PP_GIVEN(body, shape)) pp_push_index(r, r->shape[i].entry);
}

/* A draft for every part, alike but for its points. */
static perp_status spread(pp_reader *r, const pp_shape_draft *one, const pp_shape_parts *parts) {
    int n = parts->list.npart;
    if (!PP_GROW(r->alloc, r->shape, r->cap_shape, r->nshape, r->nshape + n)) return pp_no_memory(r);
    for (int k = 0; k < n; k++) {
        int first = r->npoints, count = parts->list.start[k + 1] - parts->list.start[k];
        perp_vec3 *p = pp_more_points(r, count);
        if (!p) return PERP_E_MEMORY;
        memcpy(p, parts->list.point + parts->list.start[k], (size_t)count * sizeof *p);
        pp_shape_draft *d = &r->shape[r->nshape++];
        *d = *one;
        d->first = first;
        d->def.npoint = count;
        if (!parts->has_whole) continue;
        d->mass = k == 0 ? PP_MASS_WHOLE : PP_MASS_ELSEWHERE;
        d->whole = parts->whole;
    }
    return PERP_OK;
}

static perp_status add(pp_reader *r, pp_item at, const pp_body_in *body, int i) {
    if (!PP_GROW(r->alloc, r->shape, r->cap_shape, r->nshape, r->nshape + 1)) return pp_no_memory(r);
    int ncrumb = r->ncrumb;
    pp_push_key(r, PP_GIVEN(body, shape) ? "shape" : "shapes");
    if (!PP_GIVEN(body, shape)) pp_push_index(r, i);
    pp_shape_draft one;
    pp_shape_parts parts = {0};
    perp_status s = read_one(r, at, body, &one, &parts);
    if (!s) {
        one.entry = i;
        if (parts.list.npart)
            s = spread(r, &one, &parts);
        else
            r->shape[r->nshape++] = one;
    }
    perp_parts_free(&parts.list);
    if (!s) r->ncrumb = ncrumb;
    return s;
}

perp_status pp_read_shapes(pp_reader *r, const pp_body_in *body) {
    r->nshape = r->npoints = r->nfunction = 0;
    if (PP_GIVEN(body, shape) && PP_GIVEN(body, shapes)) {
        pp_push_key(r, "shapes");
        return pp_wrong(r, body->shapes, "shape and shapes", "one of the two");
    }
    if (PP_GIVEN(body, shape)) return add(r, body->shape, body, 0);
    if (!PP_GIVEN(body, shapes)) return PERP_OK;
    int i = 0;
    for (pp_item v = pp_first(body->shapes); v.node; v = pp_next(v), i++) {
        perp_status s = add(r, v, body, i);
        if (s) return s;
    }
    return PERP_OK;
}

const perp_shape_def *pp_shape_ready(pp_reader *r, int i) {
    pp_shape_draft *d = &r->shape[i];
    if (d->first >= 0) d->def.points = r->points + d->first;
    if (d->def.kind == PERP_SHAPE_INTERSECTION) d->def.function = r->function + d->first_function;
    return &d->def;
}

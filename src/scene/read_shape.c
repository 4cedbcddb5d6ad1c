/* read_shape.c - the shapes of a body, into the reader's scratch: they are needed twice, for the mass and for the
 * world. */
#include <string.h>

#include "scene/scene_internal.h"

enum { SPHERE, BOX, HALFSPACE, PARTICLE, POLYGON, POLYHEDRON, REGULAR, MESH }; /* as in keys_body.c */

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

static perp_status regular_points(pp_reader *r, const pp_shape_in *in) {
    int n = (int)in->sides;
    perp_vec3 *p = pp_more_points(r, n);
    if (!p) return PERP_E_MEMORY;
    for (int i = 0; i < n; i++) {
        double a = 6.283185307179586476925 * i / n;
        p[i] = perp_v3(in->radius * cos(a), in->radius * sin(a), 0);
    }
    return PERP_OK;
}

static perp_status read_one(pp_reader *r, pp_item at, const pp_body_in *body, pp_shape_draft *out) {
    pp_shape_in in = {.turn = {1, 0, 0, 0}, .scale = {1, {1}}};
    perp_status s = pp_read_map(r, &pp_map_shape, &at, 1, &in);
    if (s) return s;
    out->at = at;
    out->first = -1;
    int first = r->npoints, n = 0;
    perp_shape_def *d = &out->def;
    switch (in.got.variant) {
    case SPHERE: *d = perp_shape_sphere(in.radius); break;
    case BOX: *d = perp_shape_box(in.size.x / 2, in.size.y / 2, r->dim == 3 ? in.size.z / 2 : 1); break;
    case HALFSPACE: {
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
    case PARTICLE: *d = perp_shape_particle(perp_v3(0, 0, 0)); break;
    case MESH: s = pp_read_mesh(r, &in, out); break;
    default: /* polygon, polyhedron, regular */
        pp_push_key(r, "points");
        if (in.got.variant == REGULAR)
            s = regular_points(r, &in);
        else
            s = read_points(r, in.points, &n);
        if (s) return s;
        pp_pop(r);
        n = r->npoints - first;
        *d = in.got.variant == POLYHEDRON ? perp_shape_polyhedron(NULL, n) : perp_shape_polygon(NULL, n);
        out->first = first;
    }
    if (s) return s;
    d->X_BS = (perp_pose){in.at, in.turn};
    d->group = (uint32_t)(PP_GIVEN(&in, group) ? in.group : body->group);
    d->mask = (uint32_t)(PP_GIVEN(&in, mask) ? in.mask : body->mask);
    d->material = body->material_number;
    if (!PP_GIVEN(&in, material)) return PERP_OK;
    pp_push_key(r, "material");
    s = pp_read_material(r, PP_ITEM(&in, material), in.material.text, &d->material);
    if (!s) pp_pop(r);
    return s;
}

void pp_push_shape(pp_reader *r, const pp_body_in *body, int i) {
    pp_push_key(r, PP_GIVEN(body, shape) ? "shape" : "shapes");
    if (!PP_GIVEN(body, shape)) pp_push_index(r, i);
}

static perp_status add(pp_reader *r, pp_item at, const pp_body_in *body, int i) {
    if (!PP_GROW(r->alloc, r->shape, r->cap_shape, r->nshape, r->nshape + 1)) return pp_no_memory(r);
    int ncrumb = r->ncrumb;
    pp_push_shape(r, body, i);
    perp_status s = read_one(r, at, body, &r->shape[r->nshape]);
    if (s) return s;
    r->nshape++;
    r->ncrumb = ncrumb;
    return PERP_OK;
}

perp_status pp_read_shapes(pp_reader *r, const pp_body_in *body) {
    r->nshape = r->npoints = 0;
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
    return &d->def;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_support.c - the three points on which a planar body rests. */
#include "scene/scene_internal.h"

enum { CIRCLE, POINTS, SAMPLE }; /* as in keys_body.c */

static perp_status read_points(pp_reader *r, pp_item list, perp_vec3 com, perp_support *out) {
    const pp_key k = {.name = "points", .type = PP_T_NUMBERS, .count2 = 1u << 2};
    pp_push_key(r, "points");
    if (pp_at(list)->length != 3) {
        char found[64];
        return pp_wrong(r, list, pp_yaml_found(list.tree, list.node, found, sizeof found), "three points");
    }
    int i = 0;
    for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
        double p[2];
        pp_push_index(r, i);
        perp_status s = pp_read_list(r, v, &k, 2, p);
        if (s) return s;
        pp_pop(r);
        out->point_B[i] = perp_v3_sub(perp_v3(p[0], p[1], 0), com);
    }
    pp_pop(r);
    return PERP_OK;
}

/* Radius of gyration of a body about its centre of mass. */
static double gyration(const pp_reader *r, perp_body_id body) {
    perp_body_def d;
    if (perp_body_get(r->w, body, &d) || d.particle) return 1;
    return sqrt(d.I_B.c[2].z / d.mass);
}

perp_status pp_read_support(pp_reader *r, pp_item at, perp_body_id body, perp_vec3 com) {
    pp_support_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_support, &at, 1, &in);
    if (s) return s;
    perp_support support = {0};
    double mu = in.mu.v[0];
    if (in.got.variant == CIRCLE)
        support = perp_support_circle(PP_GIVEN(&in, radius) ? in.radius : gyration(r, body), in.angle, mu);
    else if (in.got.variant == POINTS)
        s = read_points(r, in.points, com, &support);
    else if (perp_support_sample(r->w, body, (uint64_t)in.seed, mu, &support))
        return pp_wrong_world(r, PERP_E_ARG, at);
    if (s) return s;
    for (int i = 0; i < 3; i++) support.mu[i] = in.mu.n == 3 ? in.mu.v[i] : mu;
    s = perp_body_set_support(r->w, body, &support);
    return s ? pp_wrong_world(r, s, at) : PERP_OK;
}

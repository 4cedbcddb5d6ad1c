/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_motion.c - the motion of a kinematic body. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

enum { CONSTANT, SINUSOID, TABLE, EXPRESSION }; /* as in keys_body.c */

#define MOST_ROWS 1000000

static perp_status set(pp_reader *r, pp_item at, perp_body_id body, const perp_motion_def *d) {
    perp_status s = perp_body_set_motion(r->w, body, d);
    return s ? pp_wrong_world(r, s, at) : PERP_OK;
}

static perp_status read_sinusoid(pp_reader *r, const pp_motion_in *in, perp_body_id body) {
    pp_item list = in->terms;
    int n = (int)pp_at(list)->length, i = 0;
    perp_status s = PERP_OK;
    if (n == 0) {
        pp_push_key(r, "terms");
        return pp_wrong(r, list, "an empty list", "one sinusoid or more");
    }
    perp_sinusoid *term = pp_alloc(r->alloc, (size_t)n * sizeof *term);
    if (!term) return pp_no_memory(r);
    pp_push_key(r, "terms");
    for (pp_item v = pp_first(list); v.node && !s; v = pp_next(v), i++) {
        pp_term_in t = {0};
        pp_push_index(r, i);
        s = pp_read_map(r, &pp_map_term, &v, 1, &t);
        if (!s && r->dim == 2 && t.angular != (t.axis == 2)) {
            pp_push_key(r, "axis");
            s = t.angular
                    ? pp_wrong(r, PP_ITEM(&t, axis), "x or y with angular: true", "in 2D z with angular: true")
                    : pp_wrong(r, PP_ITEM(&t, axis), "z without angular: true", "in 2D x, y, or z with angular: true");
        }
        if (s) break;
        pp_pop(r);
        term[i] = (perp_sinusoid){t.angular, t.axis, t.amplitude, t.omega, t.phase};
    }
    if (!s) {
        pp_pop(r);
        perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
        d.terms = term;
        d.nterm = n;
        d.zero_mean = in->zero_mean;
        s = set(r, in->got.self, body, &d);
    }
    pp_free(r->alloc, term);
    return s;
}

static perp_status read_row(pp_reader *r, pp_item at, perp_pose_at_time *out) {
    const pp_key k2 = {.name = "rows", .type = PP_T_NUMBERS, .count2 = 1u << 4, .count3 = 1u << 8};
    double v[8];
    perp_status s = pp_read_list(r, at, &k2, r->dim == 2 ? 4 : 8, v);
    if (s) return s;
    out->t = v[0];
    if (r->dim == 2) {
        out->X_WB = perp_pose_2d(v[1], v[2], v[3]);
        return PERP_OK;
    }
    double most = fmax(fmax(fabs(v[4]), fabs(v[5])), fmax(fabs(v[6]), fabs(v[7])));
    if (!(most > 0)) return pp_wrong(r, at, "a quaternion of zeros", "one that is not zero");
    if (most < 1e-100 || most > 1e100) /* its square would leave the range of numbers */
        for (int i = 4; i < 8; i++) v[i] /= most;
    out->X_WB = (perp_pose){{v[1], v[2], v[3]}, perp_q_unit((perp_quat){v[4], v[5], v[6], v[7]})};
    return PERP_OK;
}

/* A row of `poses`: its quaternion as it is. */
static perp_status read_pose(pp_reader *r, pp_item at, perp_pose_at_time *out) {
    const pp_key k = {.name = "poses", .type = PP_T_NUMBERS, .count2 = 1u << 5, .count3 = 1u << 8};
    double v[8];
    perp_status s = pp_read_list(r, at, &k, r->dim == 2 ? 5 : 8, v);
    if (s) return s;
    out->t = v[0];
    if (r->dim == 2)
        out->X_WB = (perp_pose){{v[1], v[2], 0}, {v[3], 0, 0, v[4]}};
    else
        out->X_WB = (perp_pose){{v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7]}};
    return PERP_OK;
}

static perp_status read_table(pp_reader *r, const pp_motion_in *in, perp_body_id body) {
    bool poses = PP_GIVEN(in, poses);
    if (poses == PP_GIVEN(in, rows))
        return pp_wrong(r, in->got.self, poses ? "rows beside poses" : "neither rows nor poses", "one of the two");
    pp_item list = poses ? in->poses : in->rows;
    uint32_t n = pp_at(list)->length;
    pp_push_key(r, poses ? "poses" : "rows");
    if (n == 0 || n > MOST_ROWS) {
        char found[64];
        return pp_wrong(r, list, pp_yaml_found(list.tree, list.node, found, sizeof found), "from 1 to 1000000 rows");
    }
    perp_pose_at_time *row = pp_alloc(r->alloc, n * sizeof *row);
    if (!row) return pp_no_memory(r);
    int i = 0;
    perp_status s = PERP_OK;
    for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
        pp_push_index(r, i);
        s = poses ? read_pose(r, v, &row[i]) : read_row(r, v, &row[i]);
        if (!s && i > 0 && !(row[i].t > row[i - 1].t)) {
            char found[64], allowed[64];
            (void)snprintf(found, sizeof found, "t = %.15g", row[i].t);
            (void)snprintf(allowed, sizeof allowed, "a time after %.15g", row[i - 1].t);
            s = pp_wrong(r, v, found, allowed);
        }
        if (s) break;
        pp_pop(r);
    }
    if (!s) {
        pp_pop(r);
        perp_motion_def d = perp_motion_def_default(PERP_MOTION_TABLE);
        d.table = row;
        d.ntable = (int)n;
        s = set(r, in->got.self, body, &d);
    }
    pp_free(r->alloc, row);
    return s;
}

static perp_status read_turn(pp_reader *r, pp_item at, pp_formula *f) {
    if (r->dim == 2) return pp_formula_part(r, at, pp_dynamic_time, f, 6);
    const pp_key k = {.name = "turn", .type = PP_T_FORMULA_TURN};
    if (!pp_is_map(at)) return pp_wrong_kind(r, at, &k);
    pp_formula_turn_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_formula_turn, &at, 1, &in);
    if (s) return s;
    pp_push_key(r, "axis");
    s = pp_formula_vector(r, in.axis, pp_dynamic_time, f, 3);
    if (s) return s;
    pp_pop(r);
    pp_push_key(r, "angle");
    s = pp_formula_part(r, in.angle, pp_dynamic_time, f, 6);
    if (!s) pp_pop(r);
    return s;
}

static perp_status read_expression(pp_reader *r, const pp_motion_in *in, perp_body_id body) {
    if (!PP_GIVEN(in, at) && !PP_GIVEN(in, turn))
        return pp_wrong(r, in->got.self, "neither at nor turn", "at, turn or both");
    pp_formula *f = pp_formula_new(r, 1);
    if (!f) return PERP_E_MEMORY;
    f->body = body;
    (void)perp_body_pose(r->w, body, &f->X);
    perp_status s = PERP_OK;
    if (PP_GIVEN(in, at)) {
        pp_push_key(r, "at");
        s = pp_formula_vector(r, in->at, pp_dynamic_time, f, 0);
        if (s) return s;
        pp_pop(r);
    }
    if (PP_GIVEN(in, turn)) {
        pp_push_key(r, "turn");
        s = read_turn(r, in->turn, f);
        if (s) return s;
        pp_pop(r);
    }
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_USER);
    d.pose = pp_formula_motion;
    d.ctx = f;
    return set(r, in->got.self, body, &d);
}

perp_status pp_read_motion(pp_reader *r, pp_item at, perp_body_id body) {
    pp_motion_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_motion, &at, 1, &in);
    if (s) return s;
    switch (in.got.variant) {
    case SINUSOID: return read_sinusoid(r, &in, body);
    case TABLE: return read_table(r, &in, body);
    case EXPRESSION: return read_expression(r, &in, body);
    default: break;
    }
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_CONSTANT);
    d.v_W = in.velocity;
    d.w_W = in.spin;
    return set(r, at, body, &d);
}

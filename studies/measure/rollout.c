/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rollout.c - a whole toss simulated by perp. */
#include "rollout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Value of a parameter of the scene; the scene of tosses has the ones asked for. */
static double parameter(const perp_scene *s, const char *name) {
    for (int i = 0; i < perp_scene_parameter_count(s); i++) {
        perp_scene_parameter p = perp_scene_parameter_at(s, i);
        if (!strcmp(p.name, name)) return p.value;
    }
    return NAN;
}

static perp_status step_all(perp_world *w, double com_z, int substeps, int rows, perp_pose *out) {
    perp_body_id body = perp_body_find(w, "cube");
    for (int i = 0; i < rows; i++) {
        perp_status status = PERP_OK;
        for (int k = 0; i > 0 && !status && k < substeps; k++) status = perp_world_step(w, NULL);
        if (!status) status = perp_body_pose(w, body, &out[i]);
        if (status) return status;
        out[i].p = perp_pose_apply(out[i], perp_v3(0, 0, -com_z));
    }
    return PERP_OK;
}

perp_status rollout_run(const char *scene, const predict_values *values, const rollout_start *start, int rows,
                        perp_pose *out, perp_refusal *why) {
    static const char *const name[14] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                         "vx", "vy", "vz", "wx", "wy", "wz", "rows"};
    perp_quat q = start->X_WB.q;
    const double value[14] = {
        start->X_WB.p.x, start->X_WB.p.y, start->X_WB.p.z, q.w,          q.x,          q.y,          q.z,
        start->v_W.x,    start->v_W.y,    start->v_W.z,    start->w_B.x, start->w_B.y, start->w_B.z, rows - 1};
    predict_values v = *values;
    perp_definition define[PREDICT_VALUES];
    for (int i = 0; i < 14; i++) predict_set(&v, name[i], value[i]);
    for (int i = 0; i < v.count; i++) define[i] = (perp_definition){v.name[i], v.text[i]};
    perp_scene_options options = {.define = define, .ndefine = v.count};
    perp_scene *s;
    perp_status status = perp_scene_open(scene, &options, &s, why);
    if (status) return status;
    status = step_all(perp_scene_world(s), parameter(s, "com_z"), (int)parameter(s, "substeps"), rows, out);
    if (status) snprintf(why->text, sizeof why->text, "%s: %s", scene, perp_world_why(perp_scene_world(s)));
    perp_scene_close(s);
    return status;
}

double rollout_distance(perp_pose a, perp_pose b) { return perp_v3_norm(perp_v3_sub(a.p, b.p)); }

double rollout_angle(perp_pose a, perp_pose b) { return perp_v3_norm(perp_q_log(perp_q_mul(perp_q_conj(a.q), b.q))); }

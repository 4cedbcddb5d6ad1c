/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* predict.c - one impact by one step of perp. */
#include "predict.h"

#include <stdio.h>

#define SPIN_WEIGHT 0.003 /* [m^2], weight of |dw|^2 in the error, README of the data */

void predict_set(predict_values *v, const char *name, double x) {
    if (v->count == PREDICT_VALUES) return;
    snprintf(v->text[v->count], sizeof v->text[0], "%.17g", x);
    v->name[v->count++] = name;
}

static void set_vector(predict_values *v, const char *const name[3], perp_vec3 x) {
    predict_set(v, name[0], x.x);
    predict_set(v, name[1], x.y);
    predict_set(v, name[2], x.z);
}

perp_status predict_step(const char *scene, const char *body, const predict_values *v, perp_vec3 *v_W, perp_vec3 *w_W,
                         perp_refusal *why) {
    perp_definition define[PREDICT_VALUES];
    for (int i = 0; i < v->count; i++) define[i] = (perp_definition){v->name[i], v->text[i]};
    perp_scene_options options = {.define = define, .ndefine = v->count};
    perp_scene *s;
    perp_status status = perp_scene_open(scene, &options, &s, why);
    if (status) return status;
    perp_world *w = perp_scene_world(s);
    status = perp_world_step(w, NULL);
    if (!status) status = perp_body_velocity(w, perp_body_find(w, body), v_W, w_W);
    if (status) snprintf(why->text, sizeof why->text, "%s: %s", scene, perp_world_why(w));
    perp_scene_close(s);
    return status;
}

perp_status predict_impact(const char *scene, const cube *c, const toss_impact *i, double *error, perp_refusal *why) {
    predict_values v = {.count = 0};
    perp_quat q = i->X_WB.q;
    predict_set(&v, "mu", c->mu);
    predict_set(&v, "restitution", c->restitution);
    predict_set(&v, "com_z", c->com_z);
    set_vector(&v, (const char *const[]){"kxx", "kyy", "kzz"}, perp_v3(c->k[0], c->k[1], c->k[2]));
    predict_set(&v, "core", c->core);
    predict_set(&v, "radius", c->radius);
    predict_set(&v, "rest", c->rest + cube_gap(c, i->X_WB)); /* puts the board at the lowest corner */
    predict_set(&v, "g", 0);
    set_vector(&v, (const char *const[]){"x", "y", "z"}, i->X_WB.p);
    predict_set(&v, "qw", q.w);
    set_vector(&v, (const char *const[]){"qx", "qy", "qz"}, perp_v3(q.x, q.y, q.z));
    set_vector(&v, (const char *const[]){"vx", "vy", "vz"}, i->v_W[0]);
    set_vector(&v, (const char *const[]){"wx", "wy", "wz"}, perp_q_unrotate(q, i->w_W[0]));
    perp_vec3 v_W, w_W;
    perp_status status = predict_step(scene, "cube", &v, &v_W, &w_W, why);
    if (status) return status;
    /* The velocity of the middle: perp's is that of the centre of mass. Both at the pose of the impact. */
    perp_vec3 com_W = perp_q_rotate(q, perp_v3(0, 0, c->com_z));
    perp_vec3 dv = perp_v3_sub(perp_v3_sub(v_W, perp_v3_cross(w_W, com_W)), i->v_W[1]),
              dw = perp_v3_sub(w_W, i->w_W[1]);
    *error = sqrt(perp_v3_dot(dv, dv) + SPIN_WEIGHT * perp_v3_dot(dw, dw));
    return PERP_OK;
}

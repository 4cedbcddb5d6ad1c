/* predict.c - one impact by one step of perp. */
#include "predict.h"

#include <stdio.h>
#include <string.h>

#define SPIN_WEIGHT 0.003 /* [m^2], weight of |dw|^2 in the error, README of the data */

enum { VALUES = 24 };

typedef struct values {
    perp_definition define[VALUES];
    char text[VALUES][32];
    int count;
} values;

static void set(values *v, const char *name, double x) {
    snprintf(v->text[v->count], sizeof v->text[0], "%.17g", x);
    v->define[v->count] = (perp_definition){name, v->text[v->count]};
    v->count++;
}

static void set_vector(values *v, const char *const name[3], perp_vec3 x) {
    set(v, name[0], x.x);
    set(v, name[1], x.y);
    set(v, name[2], x.z);
}

static void set_all(values *v, const cube *c, const toss_impact *i) {
    perp_quat q = i->X_WB.q;
    set(v, "mu", c->mu);
    set(v, "restitution", c->restitution);
    set(v, "com_z", c->com_z);
    set(v, "kxx", c->k[0]);
    set(v, "kyy", c->k[1]);
    set(v, "kzz", c->k[2]);
    set(v, "core", c->core);
    set(v, "radius", c->radius);
    set(v, "rest", c->rest + cube_gap(c, i->X_WB)); /* puts the board at the lowest corner */
    set(v, "g", 0);
    set_vector(v, (const char *const[]){"x", "y", "z"}, i->X_WB.p);
    set(v, "qw", q.w);
    set_vector(v, (const char *const[]){"qx", "qy", "qz"}, perp_v3(q.x, q.y, q.z));
    set_vector(v, (const char *const[]){"vx", "vy", "vz"}, i->v_W[0]);
    set_vector(v, (const char *const[]){"wx", "wy", "wz"}, perp_q_unrotate(q, i->w_W[0]));
}

perp_status predict_impact(const char *scene, const cube *c, const toss_impact *i, double *error, perp_refusal *why) {
    values v = {.count = 0};
    set_all(&v, c, i);
    perp_scene_options options = {.define = v.define, .ndefine = v.count};
    perp_scene *s;
    perp_status status = perp_scene_open(scene, &options, &s, why);
    if (status) return status;
    perp_world *w = perp_scene_world(s);
    perp_body_id body = perp_body_find(w, "cube");
    perp_vec3 v_W, w_W;
    status = perp_world_step(w, NULL);
    if (status) snprintf(why->text, sizeof why->text, "%s", perp_world_why(w));
    if (!status) status = perp_body_velocity(w, body, &v_W, &w_W);
    if (!status) {
        /* The velocity of the middle: perp's is that of the centre of mass. Both at the pose of the impact. */
        perp_vec3 com_W = perp_q_rotate(i->X_WB.q, perp_v3(0, 0, c->com_z));
        perp_vec3 dv = perp_v3_sub(perp_v3_sub(v_W, perp_v3_cross(w_W, com_W)), i->v_W[1]),
                  dw = perp_v3_sub(w_W, i->w_W[1]);
        *error = sqrt(perp_v3_dot(dv, dv) + SPIN_WEIGHT * perp_v3_dot(dw, dw));
    }
    perp_scene_close(s);
    return status;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write.h - what the files that write the scene of a model share. */
#ifndef PP_ROBOT_WRITE_H
#define PP_ROBOT_WRITE_H

#include "robot/model/robot.h"

/* A joint of the model in the scene: coordinate of the scene = sign * coordinate of the model + offset. */
typedef struct pp_written {
    const char *name; /* of the scene's joint; NULL: the joint is not in the scene */
    int coordinate;
    double sign, offset; /* sign 0: the scene's joint has no such coordinate */
} pp_written;

typedef struct pp_writing {
    pp_import *m;
    pp_text t;
    pp_written *joint; /* by joint of the model */
    pp_chain *chain;   /* by link */
    const char *
        *between; /* by joint of the model: name of the body between it and the next one of the link; NULL: none */
    pp_written *tendon;         /* by tendon of the model; sign 1, offset 0 */
    char base[84], surface[84]; /* names of what is fixed to the world, and of surfaces without their number */
    int nactuator;              /* written */
    int *actuator;              /* of the pool: which actuators of the model these are */
    const char **site;          /* by site of the model: its name in the scene */
} pp_writing;

/* ---- write.c ---- */

/* Letters that scenes take in names: others become -, and a letter goes first. out: PP_SCENE_LETTERS bytes. */
#define PP_SCENE_LETTERS 84
void pp_scene_letters(const char *name, char *out);
/* The same behind the name of a model that is a part of a scene. */
void pp_scene_letters_of(const pp_import *m, const char *name, char *out);
/* ", key: value"; nothing if a vector is zero, or a turn none. */
void pp_put_vector(pp_text *t, const char *key, perp_vec3 v);
void pp_put_turn(pp_text *t, const char *key, perp_quat q);
void pp_put_number(pp_text *t, const char *key, double x);

/* ---- write_drive.c, write_key.c ---- */

/* A name of the pool that none of the n others has; NULL: no memory. */
const char *pp_own_name(pp_writing *w, const char *name, const char *otherwise, const char *const *others, int n);
perp_status pp_put_loops(pp_writing *w); /* connect and weld as joints that close loops */
/* Couplings and tendons as joints of the scene (write_coupling.c). */
perp_status pp_put_couplings(pp_writing *w);
perp_status pp_put_gravity_compensation(pp_writing *w);
perp_status pp_put_actuators(pp_writing *w);
perp_status pp_put_sites(pp_writing *w);
perp_status pp_put_sensors(pp_writing *w); /* mjcf_sensor.c */
perp_status pp_put_keyframes(pp_writing *w);

#endif

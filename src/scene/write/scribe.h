/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scribe.h - a world that is being written as a scene; shared by the files write_*.c. */
#ifndef PP_SCENE_SCRIBE_H
#define PP_SCENE_SCRIBE_H

#include "perp/actuator.h"
#include "perp/joint_space.h"
#include "perp/sensor.h"
#include "scene/put.h"
#include "scene/scene_internal.h"

typedef struct pp_scribe {
    const perp_world *w; /* its slots have no gaps */
    perp_allocator alloc;
    perp_world_def def;
    int dim;
    const char *path; /* for messages */
    perp_refusal *why;
    perp_status st;          /* status of the first error */
    bool functions;          /* write functions of the program as `type: user` instead of refusing them */
    bool user;               /* there was one */
    bool no_memory_for_text; /* memory was refused for a text: the text is incomplete */

    perp_body_id *body;
    perp_joint_id *joint;
    perp_force_id *force;
    perp_shape_id *shape; /* in the order of their slots */
    perp_actuator_id *actuator;
    perp_site_id *site;
    perp_sensor_id *sensor;
    int nbody, njoint, nforce, nshape, nactuator, nsite, nsensor;
    int *first_shape;                                              /* of body i in by_body; nbody + 1 */
    int *by_body;                                                  /* shapes, those of a body together */
    pp_name *body_name;                                            /* "": none, and none is needed */
    pp_name *joint_name, *actuator_name, *site_name, *sensor_name; /* likewise */
} pp_scribe;

/* Notes that memory was refused. */
void pp_scribe_no_memory(pp_scribe *s);
/* Handles a function of the program: refused with its place and owner, or written as `type: user` if `functions`
 * is set. key: "motion", list: "bodies"; what: "the motion of body" */
void pp_scribe_user(pp_scribe *s, const char *list, int index, const char *key, const char *what, const char *owner);
/* The name of a material; "" for the default one. */
pp_name pp_scribe_material(int material);
/* The name of a body, of the world as "". */
pp_name pp_scribe_body(const pp_scribe *s, perp_body_id b);

/* Lists of the scene as text to be freed: "\n  - {...}\n  - {...}"; NULL if empty or after a complaint. */
char *pp_write_bodies(pp_scribe *s);
char *pp_write_joints(pp_scribe *s);
char *pp_write_forces(pp_scribe *s);
char *pp_write_actuators(pp_scribe *s);
char *pp_write_exclude(pp_scribe *s);
char *pp_write_sites(pp_scribe *s);
char *pp_write_sensors(pp_scribe *s);
char *pp_write_keyframes(pp_scribe *s);
/* The name of a site as it is written; "": none. */
pp_name pp_scribe_site(const pp_scribe *s, perp_site_id id);
/* Is there a site on a body? Marks it, for those that need a name. */
void pp_mark_sites(const pp_scribe *s, bool *body);
/* The same for bodies of excluded pairs, and joints with actuators. */
void pp_mark_actuators(const pp_scribe *s, bool *body, bool *joint);
/* The same for bodies and joints with sensors. */
void pp_mark_sensors(const pp_scribe *s, bool *body, bool *joint);
/* The parts of a formula from the first on, as many as the scene has dimensions; NULL if there are none. minus: subtracted
 * from each, zero for nothing. */
char *pp_write_formulas(pp_scribe *s, const pp_formula *f, int first, perp_vec3 minus);
char *pp_write_formula(pp_scribe *s, const pp_formula *f, int part);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf.h - shared by the readers of the sections of an MJCF file: settings of the compiler, classes of defaults, and attributes with their
 * defaults. */
#ifndef PP_MJCF_H
#define PP_MJCF_H

#include "robot/model/robot.h"

#define PP_MJCF_CLASSES 4096 /* [classes] most classes of defaults of a model */

/* A class of defaults: its <default> elements, and the class above it. */
typedef struct pp_mjcf_class {
    const char *name;
    int parent;        /* -1: it is the first, main */
    const pp_xml **at; /* of the pool; the later one wins */
    int nat, cap_at;
} pp_mjcf_class;

typedef enum pp_from_geoms { PP_GEOMS_NO, PP_GEOMS_YES, PP_GEOMS_AUTO } pp_from_geoms;

typedef struct pp_mjcf {
    pp_import *m;
    pp_xml *root;
    /* <compiler> */
    bool radian, autolimits, strippath, balance, fit_box;
    char euler[4];
    const char *meshdir;
    int from_geoms; /* pp_from_geoms */
    double group_range[2], bound_mass, bound_inertia, total_mass;
    pp_mjcf_class *class;
    int nclass, cap_class;
} pp_mjcf;

/* An element with the class its missing attributes come from. */
typedef struct pp_mjcf_element {
    const pp_mjcf *f;
    const pp_xml *e;
    int class;
} pp_mjcf_element;

/* ---- mjcf_default.c ---- */

perp_status pp_mjcf_defaults(pp_mjcf *f);
/* The class of that name; an error if there is none. name NULL: `otherwise`. */
perp_status pp_mjcf_class_of(pp_mjcf *f, const pp_xml *e, const char *attribute, int otherwise, int *out);
/* An attribute of the element, or of its defaults; NULL: neither has it. */
const char *pp_mjcf_get(const pp_mjcf_element *x, const char *attribute);
/* The same where the defaults have another name: those of all tendons are <tendon>, those of all equalities <equality>. */
const char *pp_mjcf_get_as(const pp_mjcf_element *x, const char *name, const char *attribute);
perp_status pp_mjcf_number(const pp_mjcf_element *x, const char *attribute, double *out);
perp_status pp_mjcf_vector(const pp_mjcf_element *x, const char *attribute, perp_vec3 *out);
perp_status pp_mjcf_whole(const pp_mjcf_element *x, const char *attribute, int *out);
/* true or false; `words`: true, false and auto. */
perp_status pp_mjcf_bool(pp_import *m, const pp_xml *e, const char *attribute, const char *text, bool *out);
/* pos and one of quat, axisangle, xyaxes, zaxis, euler. */
perp_status pp_mjcf_pose(const pp_mjcf_element *x, perp_pose *out);
/* The rotation that takes z to v, as in MuJoCo. */
perp_quat pp_mjcf_z_to(perp_vec3 v);
/* fromto: pose and half length; *is: the element has it. */
perp_status pp_mjcf_fromto(const pp_mjcf_element *x, perp_pose *out, double *half, bool *is);
/* Checks that every attribute is in the list (ended by NULL). */
perp_status pp_mjcf_known(pp_import *m, const pp_xml *e, const char *const *list);

/* ---- sections ---- */

perp_status pp_mjcf_assets(pp_mjcf *f); /* mjcf_geom.c */
perp_status pp_mjcf_geom(pp_mjcf *f, const pp_xml *e, int class, int body,
                         perp_pose X);  /* X: of the frame it stands in */
perp_status pp_mjcf_fit(pp_mjcf *f);    /* primitives fitted to meshes */
perp_status pp_mjcf_bodies(pp_mjcf *f); /* mjcf_body.c */
perp_status pp_mjcf_masses(pp_mjcf *f);
perp_status pp_mjcf_others(pp_mjcf *f); /* mjcf_other.c: contacts, equalities, tendons, keyframes */
perp_status pp_mjcf_tendons(pp_mjcf *f, const pp_xml *section); /* mjcf_tendon.c */
/* The polynomial of an equality between joints or tendons. */
perp_status pp_mjcf_polynomial(const pp_mjcf_element *x, pp_model_equality *q);
perp_status pp_mjcf_actuators(pp_mjcf *f, const pp_xml *section); /* mjcf_actuator.c */
perp_status pp_mjcf_sensors(pp_mjcf *f, const pp_xml *section);   /* mjcf_sensor.c */
/* Turns damping ratios of actuators into damping; masses must be known. */
perp_status pp_mjcf_damping(pp_mjcf *f);

#endif

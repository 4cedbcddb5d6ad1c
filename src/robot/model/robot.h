/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* robot.h - robot models of other programs: the model that a reader fills, and the steps from it to a scene.
 *
 *   urdf*.c, sdf*.c, mjcf*.c  XML                   -> pp_model: bodies, joints, geoms, ... as the file has them
 *   mass.c               inertials and geoms        -> mass of each body
 *   tree.c               bodies without joints      -> parts of their parents: pp_link
 *   chain.c              joints of a link           -> one joint of perp
 *   pairs.c              contact filters            -> groups and masks
 *   write*.c             all of these               -> YAML
 *
 * Elements without a counterpart in perp are only in pp_model, and a note says so. All texts are in the pool of the import. */
#ifndef PP_ROBOT_H
#define PP_ROBOT_H

#include "input/xml.h"
#include "mesh/mesh.h"
#include "perp/import.h"
#include "perp/sensor.h"
#include "perp/shape.h"
#include "scene/put.h"

#define PP_ROBOT_BODIES   20000 /* [bodies] most of a model */
#define PP_ROBOT_FILES    256   /* [files] most XML files of a model */
#define PP_ROBOT_INCLUDES 16    /* [files] deepest nesting of included files; ends files that include each other */
#define PP_ROBOT_PATH     1024  /* bytes of a path */
#define PP_DEGREE         0.017453292519943295 /* [rad] */

typedef enum pp_joint_kind { PP_HINGE, PP_SLIDE, PP_BALL, PP_FREE } pp_joint_kind;
typedef enum pp_geom_kind {
    PP_GEOM_PLANE,
    PP_GEOM_SPHERE,
    PP_GEOM_CAPSULE,
    PP_GEOM_ELLIPSOID,
    PP_GEOM_CYLINDER,
    PP_GEOM_BOX,
    PP_GEOM_MESH
} pp_geom_kind;

typedef struct pp_model_body {
    const char *name;
    const pp_xml *at;
    int parent;    /* 0: the world */
    perp_pose X_P; /* in its parent, with all joint coordinates at their reference */
    bool given;    /* the file gives mass and inertia */
    const pp_xml *inertial;
    perp_mass mass; /* in the frame of the body */
    bool mocap;
    double gravcomp;
} pp_model_body;

typedef struct pp_model_joint {
    const char *name;
    const pp_xml *at;
    int body;
    pp_joint_kind kind;
    perp_vec3 p_B, axis_B; /* in the frame of its body; the axis is a unit vector */
    bool limited;
    double range[2], ref, springref, stiffness, damping, friction;
    double armature, velocity; /* velocity infinite: not given */
    double effort[2];          /* range of what actuators do to it; infinite: not given */
    const char *mimic;         /* NULL: none */
    const pp_xml *mimic_at;
    double mimic_factor, mimic_offset;
    double q;       /* at the start of the scene */
    perp_pose X;    /* the same of a free joint: its body in the world; of a ball: the turn */
    bool placed;    /* a keyframe has set q and X */
    int q_at, v_at; /* its first number in the coordinates and velocities of keyframes */
} pp_model_joint;

typedef struct pp_model_mesh {
    const char *name, *path; /* path NULL: vertices are given */
    const pp_xml *at;
    perp_vec3 scale;
    perp_pose ref; /* of the mesh's own frame in its file */
    pp_mesh mesh;  /* as read, scaled */
    bool read, closed;
    bool shell;       /* its mass is that of its surface: `whole` is per area */
    perp_mass whole;  /* of unit density; of the hull if the mesh is not closed */
    perp_vec3 *hull;  /* corners of the reduced hull */
    int nhull, nfull; /* nfull: corners before that, 0: not counted */
    double error;     /* farthest corner left out from the reduced hull [L] */
} pp_model_mesh;

typedef struct pp_model_geom {
    const char *name;
    const pp_xml *at;
    int body;
    pp_geom_kind kind;
    perp_pose X_B;
    double size[3]; /* radius, half length; half edges; half axes */
    int mesh;
    bool visual;
    uint32_t contype, conaffinity;
    int condim, priority, group;
    double friction[3];
    double mass, density; /* mass < 0: from the density */
    bool shell, weighs;   /* weighs: counts for a mass from geoms */
    int family;           /* geoms of one family, 0: none, do not touch each other unless one of them has `self` */
    bool self;
    uint32_t colour; /* 0: none */
    int material;    /* set by pairs.c */
    int filter;      /* the class of pairs it belongs to, set by pairs.c */
} pp_model_geom;

typedef struct pp_model_site {
    const char *name;
    int body;
    perp_pose X_B;
} pp_model_site;

/* Its force is gain ctrl + bias[0] + bias[1] l + bias[2] l', with l = gear times the coordinate of the joint. */
typedef struct pp_model_actuator {
    const char *name, *type, *on, *target; /* on: joint, tendon, site, body, ... */
    const pp_xml *at;
    int joint;  /* of the model; -1: none */
    int tendon; /* likewise */
    double gear, gain, bias[3];
    double ctrl_range[2], force_range[2]; /* infinite: no range */
    const char *gain_kind, *bias_kind, *dynamics;
    const char *missing; /* why perp has no such actuator; NULL: it has */
} pp_model_actuator;

/* A sensor that perp has, too. */
typedef struct pp_model_sensor {
    const char *name; /* NULL: none */
    const pp_xml *at;
    perp_sensor_kind kind;
    const char *target; /* the joint or site that it is on */
} pp_model_sensor;

/* connect (ball) and weld (fixed): frames of the two bodies that coincide. joint, tendon: a - a0 = sum_k polynomial[k] (b - b0)^k, where a0 and b0 are those
 * of the reference; b NULL: there is only one. Others are only named. */
#define PP_POLYNOMIAL 5
typedef struct pp_model_equality {
    const char *type, *a, *b;
    const pp_xml *at;
    bool active;
    int body[2]; /* of connect and weld */
    perp_pose X[2];
    double polynomial[PP_POLYNOMIAL]; /* of joint and tendon */
} pp_model_equality;
typedef struct pp_model_term {
    const char *joint;
    double coefficient;
} pp_model_term;
/* A fixed tendon: its length is the sum of coefficients times coordinates. */
typedef struct pp_model_tendon {
    const char *name;
    const pp_xml *at;
    bool spatial;
    pp_model_term *term; /* of the pool */
    int nterm;
    bool limited;
    double range[2], stiffness, damping, friction;
    double rest[2];  /* the spring does nothing between these lengths */
    bool rest_given; /* else it is relaxed at the reference of the springs of its joints */
} pp_model_tendon;
typedef struct pp_model_pair { /* of bodies (exclude) or geoms (pair) */
    int a, b;
    int condim;         /* of geoms; 0: as their own */
    double friction[3]; /* of geoms: sliding, torsional, rolling; negative: as their own */
} pp_model_pair;
typedef struct pp_model_key {
    const char *name;
    const pp_xml *at;
    double *q, *v, *ctrl; /* of the pool, as in the file; NULL: not given */
} pp_model_key;

typedef struct pp_model {
    const char *format, *name;
    pp_model_body *body; /* 0 is the world */
    int nbody, cap_body;
    pp_model_joint *joint; /* those of a body one after another, as they act */
    int njoint, cap_joint;
    pp_model_geom *geom;
    int ngeom, cap_geom;
    pp_model_mesh *mesh;
    int nmesh, cap_mesh;
    pp_model_site *site;
    int nsite, cap_site;
    pp_model_actuator *actuator;
    int nactuator, cap_actuator;
    pp_model_sensor *sensor;
    int nsensor, cap_sensor;
    pp_model_equality *equality;
    int nequality, cap_equality;
    pp_model_tendon *tendon;
    int ntendon, cap_tendon;
    pp_model_pair *exclude, *pair;
    int nexclude, cap_exclude, npair, cap_pair;
    pp_model_key *key;
    int nkey, cap_key;
    int nq, nv; /* numbers of a keyframe */
    double h;   /* 0: not given */
    perp_vec3 gravity;
    bool contact_off, filter_parent_off;
    bool sdf; /* it is SDF */
} pp_model;

/* ---- links: bodies that move as one ---- */

typedef struct pp_link {
    int body;   /* of the model: the one with the joints, whose name and frame it has; 0: what is fixed to the world */
    int parent; /* link; 0: the world's */
    int joint, njoint; /* of the model; none: it is fixed or moves freely */
    perp_mass mass;    /* in the frame of the body */
    perp_pose X_W;     /* at the start */
    bool kinematic;
    const char *name; /* in the scene */
} pp_link;

/* A model as a part of another scene. Its shapes may touch all shapes outside the model. */
typedef enum pp_base { PP_BASE_MODEL, PP_BASE_FIXED, PP_BASE_FREE } pp_base;
typedef struct pp_embedding {
    const char *name; /* comes before all names, with a - */
    perp_pose X;      /* of the model's world in the scene */
    pp_base base;     /* as the model says, or all that hangs on its world is fixed or moves freely */
    int bit;          /* first bit of groups that its shapes may have */
    int nbit;         /* out: how many they have */
} pp_embedding;

struct perp_import {
    perp_allocator alloc;
    perp_import_options options;
    pp_embedding *embed; /* NULL: a scene of its own */
    perp_refusal *why;   /* only while it is made */
    const char *path;
    pp_pool pool;
    int nxml;
    int key; /* keyframe that the scene starts from; -1: none */
    pp_model model;
    int *link_of;      /* by body */
    perp_pose *X_link; /* by body: its frame in that of its link */
    pp_link *link;
    int nlink, cap_link;
    struct pp_filter *filter; /* classes of shapes, see pairs.c */
    int nfilter, cap_filter;
    struct pp_friction *friction;
    int nfriction, cap_friction;
    perp_import_note *note;
    int nnote, cap_note;
    char *scene;
};
typedef perp_import pp_import;

/* A class of shapes with the same partners. */
typedef struct pp_filter {
    int link;
    int body; /* of the model, if an exclude names it; else -1 */
    int geom; /* of the model, if a pair names it; else -1 */
    int family;
    bool self;
    uint32_t contype, conaffinity;
    int bit; /* of its group */
    uint32_t mask;
} pp_filter;

/* A kind of surface: what the friction of a pair is made of. */
typedef struct pp_friction {
    int condim, priority;
    double friction[3];
    int geom; /* of the model, if a pair with friction of its own names it; else -1 */
} pp_friction;

/* ---- error reports and notes (note.c) ---- */

/* At an element, with the way to it: `joint elbow: axis.xyz`. attribute NULL: the element itself. */
perp_status pp_robot_wrong(pp_import *m, const pp_xml *e, const char *attribute, const char *found,
                           const char *allowed);
perp_status pp_robot_say(pp_import *m, perp_status s, const pp_xml *e, const char *format, ...) PERP_PRINTF(4, 5);
perp_status pp_robot_no_memory(pp_import *m);
/* A line of the report. The same text again counts as one more place. e NULL: of no place. */
perp_status pp_robot_note(pp_import *m, perp_import_kind kind, const pp_xml *e, const char *format, ...)
    PERP_PRINTF(4, 5);
/* Error report about a name that is none of n, with the nearest one. what: "a link". name_at: the i-th name. */
perp_status pp_robot_missing(pp_import *m, const pp_xml *e, const char *attribute, const char *name, const char *what,
                             const char *(*name_at)(const pp_import *m, int i));

/* ---- attributes (attribute.c): texts are those of the element or of its defaults ---- */

/* n numbers that the text (NULL: nothing is read) must have; from `least` on they may be missing. *got: how many there are; may be NULL. */
perp_status pp_robot_numbers(pp_import *m, const pp_xml *e, const char *attribute, const char *text, int least, int n,
                             double *out, int *got);
perp_status pp_robot_vector(pp_import *m, const pp_xml *e, const char *attribute, const char *text, perp_vec3 *out);
perp_status pp_robot_number(pp_import *m, const pp_xml *e, const char *attribute, const char *text, double *out);
/* A word of the list (ended by NULL): its number. */
perp_status pp_robot_word(pp_import *m, const pp_xml *e, const char *attribute, const char *text,
                          const char *const *words, int *out);
/* Colour of red, green, blue, from 0 to 1 (more numbers are passed over). */
uint32_t pp_robot_colour(const double *rgb);
/* Turns about fixed x, then y, then z. */
perp_quat pp_robot_rpy(const double *rpy);

/* A value of an element: an attribute of it (URDF), or the text of a child (SDF). Of e NULL: none. */
typedef struct pp_value {
    const pp_xml *at;             /* for messages: with this attribute, NULL: the element itself */
    const char *attribute, *text; /* text NULL: it is not there */
} pp_value;
pp_value pp_robot_value(const pp_xml *e, const char *key);
perp_status pp_value_numbers(pp_import *m, const pp_xml *e, const char *key, int n, double *out, int *got);
perp_status pp_value_number(pp_import *m, const pp_xml *e, const char *key, double *out);
/* The same of a number that must not be negative. */
perp_status pp_value_above(pp_import *m, const pp_xml *e, const char *key, double *out);
perp_status pp_value_wrong(pp_import *m, const pp_xml *e, const char *key, const char *allowed);

/* ---- what URDF and SDF have in common (shape.c) ---- */

/* package://name/rest, model://name/rest and https://host/.../models/name/.../files/rest. */
typedef struct pp_package {
    const char *name, *rest; /* the name has no final zero */
    int length;
} pp_package;
bool pp_robot_package(const char *named, pp_package *out);
/* Looks for a file of a package: where the options say, then in the folders above `file`. any: any of these folders may be the package. out: PP_ROBOT_PATH
 * bytes. */
bool pp_robot_find(const pp_import *m, const char *file, const pp_package *p, bool any, char *out);
/* Where a file that an element names lies. path: PP_ROBOT_PATH bytes. */
perp_status pp_robot_file_path(pp_import *m, const pp_xml *e, const char *named, char *path);
/* Kind and size of a geom by the element of its shape. *empty: it has no size. */
perp_status pp_robot_shape(pp_import *m, const pp_xml *e, pp_model_geom *g, bool *empty);
/* Inertia of a body by <inertial>. moment: the moments that are not given. X: the frame of the inertia in that of the body. */
perp_status pp_robot_inertial(pp_import *m, const pp_xml *e, double mass, double moment, perp_pose X, pp_model_body *b);
perp_status pp_robot_check_range(pp_import *m, const pp_xml *limit, pp_model_joint *j);
perp_status pp_robot_mimic(pp_import *m, const pp_xml *e, pp_model_joint *j);
/* Do the joints that others follow exist? */
perp_status pp_robot_check_mimics(pp_import *m);

/* ---- building the model (model.c) ---- */

pp_model_body *pp_model_add_body(pp_import *m, const char *name, const pp_xml *at, int parent);
pp_model_joint *pp_model_add_joint(pp_import *m, const char *name, const pp_xml *at, int body, pp_joint_kind kind);
pp_model_geom *pp_model_add_geom(pp_import *m, const pp_xml *at, int body, pp_geom_kind kind);
/* The number of a body, geom, mesh, joint or site by name; -1: none. */
int pp_model_find_body(const pp_import *m, const char *name);
int pp_model_find_geom(const pp_import *m, const char *name);
int pp_model_find_mesh(const pp_import *m, const char *name);
int pp_model_find_joint(const pp_import *m, const char *name);
int pp_model_find_tendon(const pp_import *m, const char *name);
const char *pp_model_body_name(const pp_import *m, int i);
const char *pp_model_joint_name(const pp_import *m, int i);
void pp_model_free(pp_import *m);
/* Moves the model, and fixes or frees what hangs on its world. */
perp_status pp_model_embed(pp_import *m);
/* Inertia from its six numbers xx, yy, zz, xy, xz, yz. */
perp_mat3 pp_inertia_of(const double *v);

/* ---- meshes (hull.c, geom_mass.c) ---- */

/* Reads the mesh, scales it, and finds its mass and its hull of at most `corners`; once. */
perp_status pp_model_need_mesh(pp_import *m, int mesh);
/* Hull of the points, reduced; for meshes. */
perp_status pp_robot_hull(pp_import *m, pp_model_mesh *mesh);
/* Mass of a geom in the frame of its body. */
perp_status pp_robot_geom_mass(pp_import *m, const pp_model_geom *g, perp_mass *out);
/* Points of an ellipsoid, for the scene; *error: how far the hull of them stays below it at most. Returns their number. */
#define PP_ELLIPSOID_POINTS 42
int pp_robot_ellipsoid(const double *half, perp_vec3 *out, double *error);

/* ---- readers ---- */

/* perp_import_open() of a text in memory; files that it names are read from the disk. data NULL: of the file. */
perp_status pp_robot_import(const char *path, const char *data, size_t size, const perp_import_options *options,
                            perp_import **out, perp_refusal *why);

/* The same as a part of another scene; *scene: its text, to be freed with the allocator of the options. */
perp_status pp_robot_embed(const char *path, const char *data, size_t size, const perp_import_options *options,
                           pp_embedding *embed, char **scene, perp_refusal *why);

perp_status pp_robot_read_file(pp_import *m, const char *path, const char *named, pp_xml **root);
perp_status pp_urdf_read(pp_import *m, const pp_xml *root);
perp_status pp_urdf_geometry(pp_import *m, const pp_xml *e, int body, bool visual);
perp_status pp_urdf_origin(pp_import *m, const pp_xml *e, perp_pose *out);
perp_status pp_sdf_read(pp_import *m, const pp_xml *root);
perp_status pp_mjcf_read(pp_import *m, pp_xml *root);
/* Puts the joints where a keyframe has them. */
void pp_model_at_key(pp_import *m, int key);
/* The same with the keyframe of that name, which the scene starts from. */
perp_status pp_mjcf_key(pp_import *m, const char *name);

/* ---- from the model to the scene ---- */

/* Checks that an inertia is possible for a body. If not: an error, or, if repairs are allowed, the nearest valid one with a note. I_B about the
 * centre of mass. part: the body is fixed to other bodies, so it may also be a point or a thin rod. */
perp_status pp_robot_check_inertia(pp_import *m, const pp_xml *e, const char *what, bool part, perp_mass *mass);
perp_status pp_robot_links(pp_import *m);   /* tree.c */
perp_status pp_robot_filters(pp_import *m); /* pairs.c */
bool pp_robot_may_touch(const pp_import *m, const pp_filter *a, const pp_filter *b);
/* Of two kinds of surface: the friction that MuJoCo takes. */
perp_pair_law pp_robot_pair_law(const pp_import *m, const pp_friction *a, const pp_friction *b);
perp_status pp_robot_write(pp_import *m); /* write.c */
/* Notes about all elements that perp does not support. Change it here when perp supports one. */
perp_status pp_note_unused(pp_import *m);

/* The joints of a link as one joint of perp (chain.c). */
typedef struct pp_chain {
    bool split;         /* they are no joint of perp together: see pp_robot_chain_part() */
    const char *type;   /* of the scene's joint; NULL: moves freely, if it is not split */
    perp_pose X_A, X_B; /* its frames: in the link's parent, in the link; z, x as the type wants */
    int ncoordinate;
    int coordinate[3];         /* joints of the model, by coordinate of perp; -1: none */
    double sign[3], offset[3]; /* coordinate of perp = sign * coordinate of the model + offset */
} pp_chain;
perp_status pp_robot_chain(pp_import *m, int link, pp_chain *out);
/* The i-th joint of a link that is split, as a joint of perp. */
void pp_robot_chain_part(const pp_import *m, int link, int i, pp_chain *out);
/* [1] Fraction of the mass of a link that each body between its joints gets. Joint forces are exact for any mass ratio; with 1e-3 the inertia at a joint differs by
 * at most that fraction. */
#define PP_SPLIT_MASS 1e-3
/* Pose of the link in its parent at the coordinates q of the model's joints; NULL: at the start. */
perp_pose pp_robot_kinematics(const pp_import *m, int body, const double *q);
/* The same with the first n joints of the body only, at the start; the others are at their reference. */
perp_pose pp_robot_kinematics_part(const pp_import *m, int body, int n);

#endif

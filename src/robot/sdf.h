/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sdf.h - what the files of the SDF reader share.
 *
 *   sdf.c           models, worlds and included files -> frames: all that has a name and a pose
 *   sdf_frame.c     names and poses of frames
 *   sdf_joint.c     links and joints -> trees of bodies; joints that close loops
 *   sdf_geometry.c  inertials, collisions, visuals */
#ifndef PP_ROBOT_SDF_H
#define PP_ROBOT_SDF_H

#include "robot/model/robot.h"

/* In the order in which a name is looked for: files before version 1.7 give a link and a joint the same name. */
typedef enum pp_sdf_kind { PP_SDF_LINK, PP_SDF_MODEL, PP_SDF_FRAME, PP_SDF_JOINT } pp_sdf_kind;

/* A model, link, frame or joint. Frame 0 is the world, a model with all others in it. */
typedef struct pp_sdf_frame {
    const pp_xml *at, *include; /* include: of an included model, or NULL */
    const char *name, *full;    /* full: with the models around it */
    pp_sdf_kind kind;
    int scope;        /* the model in which it has its name; -1: of the world */
    int home;         /* what its file means by __model__: scope, unless the model was merged into it */
    int rel;          /* the frame that its pose is given in */
    perp_pose X;      /* in that frame */
    bool fixed, self; /* of a model: static, self_collide */
    int up;           /* of a link: the joint by which it hangs on another link; -1: none */
    int body;         /* of a link; -1: not reached yet */
} pp_sdf_frame;

/* A joint between two links; link 0 is the world. */
typedef struct pp_sdf_joint {
    int frame, type, parent, child;
    bool back, loop; /* back: the parent hangs on the child */
} pp_sdf_joint;

typedef struct pp_sdf_file {
    const char *path;
    const pp_xml *root;
} pp_sdf_file;

typedef struct pp_sdf {
    pp_import *m;
    pp_sdf_frame *frame;
    int nframe, cap_frame;
    pp_sdf_joint *joint;
    int njoint, cap_joint;
    pp_sdf_file *file; /* that were included */
    int nfile, cap_file;
    int includes; /* within each other, at the moment */
    bool alone;   /* the file has one model */
} pp_sdf;

/* ---- sdf_frame.c ---- */

/* Its value of that name as truth; *out stays if it is not there. */
perp_status pp_sdf_bool(pp_import *m, const pp_xml *e, const char *key, bool *out);
/* Children of an element: of the words, the first `read` are read; others, and words with a colon, are noted. A word that is none but near to one is refused. */
perp_status pp_sdf_words(pp_import *m, const pp_xml *e, const char *const *words, int read);
/* Is the file of the element of a version below 1.minor? */
bool pp_sdf_before(const pp_xml *e, int minor);
/* The frame of that name as seen from a model; home: what __model__ is there. */
perp_status pp_sdf_find(pp_sdf *s, const pp_xml *e, const char *attribute, const char *name, int home, int *out);
/* The link that a frame moves with; 0: the world. */
perp_status pp_sdf_link_of(pp_sdf *s, int frame, int depth, int *out);
/* <pose> of an element: *rel is the frame it is relative to, set beforehand to the one that holds if the file does not say. */
perp_status pp_sdf_pose(pp_sdf *s, const pp_xml *e, int home, int *rel, perp_pose *X);
/* Poses of all frames. */
perp_status pp_sdf_poses(pp_sdf *s);
/* The pose of b in a, exact if one is given in the other. */
perp_pose pp_sdf_between(const pp_sdf *s, int a, int b);
/* Pose of an element of a link, in the link. */
perp_status pp_sdf_in_link(pp_sdf *s, const pp_xml *e, int link, perp_pose *X);

/* ---- sdf_joint.c, sdf_geometry.c ---- */

/* Is the link part of a static model, or the world? */
bool pp_sdf_is_fixed(const pp_sdf *s, int link);
perp_status pp_sdf_joints(pp_sdf *s);
perp_status pp_sdf_bodies(pp_sdf *s);
/* Mass and shapes of a link. */
perp_status pp_sdf_link(pp_sdf *s, int link);

#endif

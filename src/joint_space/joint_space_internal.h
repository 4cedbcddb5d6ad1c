/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_space_internal.h - the data of a joint space, for src/joint_space.
 *
 * Every link, a free body too, moves relative to its parent by translations along axes of Ja followed by a rotation:
 *   X_AJ R T: Jb stands in Ja at  t = sum x_k e_k  with the orientation R(q).
 * A free body has Ja = W and Jb = its model site. */
#ifndef PP_JOINT_SPACE_INTERNAL_H
#define PP_JOINT_SPACE_INTERNAL_H

#include "linalg/linalg.h"
#include "model/state.h"
#include "perp/joint_space.h"

/* Marks a definition made by perp_joint_space_def_default(). */
#define PP_JOINT_SPACE_COOKIE 0x70770020u

/* How a link turns. */
typedef enum pp_link_turn {
    PP_LINK_NO_TURN, /* Jb stays parallel to Ja; a particle keeps its orientation */
    PP_LINK_TWIST,   /* about z: 1 q, 1 v */
    PP_LINK_CROSS,   /* about z of Ja, then x of Jb: 2 q, 2 v */
    PP_LINK_BALL     /* quaternion: 4 q, 3 v */
} pp_link_turn;

typedef struct pp_link {
    int body;          /* slot */
    int parent;        /* link; -1: the parent is not dynamic */
    int parent_body;   /* slot; -1: the world */
    int joint;         /* slot; -1: free */
    bool reversed;     /* the body is A of the joint */
    bool particle;     /* the body has no orientation */
    perp_pose X_AJ;    /* frame Ja in A, or W */
    perp_pose X_BJ;    /* frame Jb in B */
    int ntrans, nturn; /* translations, and rates of the turn */
    int axis[3];       /* axes of Ja of the translations */
    pp_link_turn turn;
    int q, nq, v, nv;
    double armature[PERP_JOINT_MAX_COORD]; /* by velocity of a joint with coordinates */
} pp_link;

/* One direction of motion: the velocity field of B relative to A when its rate is 1, in W. */
typedef struct pp_column {
    perp_vec3 ang; /* angular velocity; fixed in A, or in B if in_b */
    perp_vec3 lin; /* velocity of the origin of Jb; fixed in A */
    bool in_b;
} pp_column;

/* Motion of a body. */
typedef struct pp_motion_of {
    perp_pose X;
    double theta;   /* 2D */
    perp_vec3 v, w; /* of its origin, in W */
} pp_motion_of;

/* Inertia of bodies as one, about a point, in axes of W. */
typedef struct pp_composite {
    double m;
    perp_vec3 mc; /* mass times centre, from the point */
    perp_mat3 I;
} pp_composite;

struct perp_joint_space {
    perp_allocator alloc;
    uint64_t layout; /* hash of the bodies and joints that it was made for */
    int dim, nlink, nq, nv, nloop;
    int nbody;                         /* slots of bodies when it was made */
    uint32_t *gen;                     /* by body slot: generation; 0: dead */
    int *link_of;                      /* by body slot: link; -1: none */
    pp_link *link;                     /* parents before children */
    perp_body_id *body_id, *parent_id; /* by link */
    perp_joint_id *joint_id;
    const char **name;
    int *loop; /* joint slots that close loops */
    perp_joint_id *loop_id;
    perp_joint_def *loop_def;
    int *loop_a, *loop_b; /* body slots */

    /* The configuration. */
    perp_vec3 gravity_W;
    double *q, *vel;
    pp_motion_of *at;        /* by link */
    pp_motion_of *base;      /* by link with a parent that is not dynamic: that parent */
    pp_motion_of *loop_base; /* 2 for each loop: sides that are not dynamic */
    perp_vec3 *pivot;        /* by link: origin of Jb in W */
    pp_column *column;       /* by v */
    double *mass;            /* by link */
    perp_mat3 *I_B, *I_W;    /* by link, axes of the body and of W */
    bool *no_gravity;

    /* Scratch. */
    pp_composite *composite;   /* by link */
    perp_vec3 *acc, *alpha;    /* by link */
    perp_vec3 *force, *torque; /* by link */
    double *bias;              /* by v */
    bool *in_loop;             /* by link: its tree has a loop */

    /* Scratch of the projection; NULL without loops. nloop_v: velocities of trees with loops. */
    int max_row, nloop_v;
    int *map;      /* by v: its place among those that may change; -1: none */
    double *saved; /* q and v before */
    double *M;     /* nloop_v x nloop_v */
    double *row;   /* nloop_v x max_row: gradients of the errors, one column each */
    double *solved;
    double *schur, *psd;
    double *error, *lambda; /* max_row */
    double *gradient;       /* by v */
};

/* Twist of a child when the rate of a column is 1 and the parent rests: of its origin. */
static inline void pp_column_of(const perp_joint_space *s, int link, int k, perp_vec3 *lin, perp_vec3 *ang) {
    const pp_column *c = &s->column[k];
    const pp_link *l = &s->link[link];
    perp_vec3 arm = perp_v3_sub(s->at[link].X.p, s->pivot[link]);
    *lin = perp_v3_add(c->lin, perp_v3_cross(c->ang, arm));
    *ang = c->ang;
    if (l->reversed) {
        *lin = perp_v3_neg(*lin);
        *ang = perp_v3_neg(*ang);
    }
}

/* The point of a link that moves with its parent. A particle does not rotate: if its joint is off its centre, the whole particle moves
 * with the pivot. */
static inline perp_vec3 pp_link_carried(const perp_joint_space *s, int link) {
    return s->link[link].particle ? s->pivot[link] : s->at[link].X.p;
}

/* Whether this body existed when the joint space was made. */
static inline bool pp_joint_space_knows(const perp_joint_space *s, perp_body_id b) {
    return b.gen != 0 && b.slot < (uint32_t)s->nbody && s->gen[b.slot] == b.gen;
}

/* forest.c */
/* Whether the world has the bodies and joints that the joint space was made for. */
perp_status pp_joint_space_check(const perp_joint_space *s, perp_world *w);

/* place.c */
/* Reads gravity, masses and the motion of bodies that are not dynamic from the world. */
void pp_joint_space_base(perp_joint_space *s, const perp_world *w);
/* Bodies, columns and inertias from s->q and s->vel. */
void pp_joint_space_forward(perp_joint_space *s);
/* q and v of the world into s->q, s->vel. */
void pp_joint_space_from_world(perp_joint_space *s, const perp_world *w);
/* s->q from numbers of the user, quaternions made unit. */
perp_status pp_joint_space_take(perp_joint_space *s, perp_world *w, const double *q, const double *v);

/* The configuration into the world. */
void pp_joint_space_write(const perp_joint_space *s, perp_world *w);

/* dynamics.c */
/* Mass matrix of the velocities that have a place in the map (NULL: all in their order), column-major with leading
 * dimension ld. */
void pp_joint_space_mass(perp_joint_space *s, const int *map, double *M, int ld);
/* Adds the generalised forces of a force at the origin of a link's body and of a torque to tau. */
void pp_joint_space_push(const perp_joint_space *s, int link, perp_vec3 force, perp_vec3 torque, double *tau);

#endif

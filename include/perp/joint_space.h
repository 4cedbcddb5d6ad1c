/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file joint_space.h
 *  Joint space: the coordinates q and velocities v of a world's joints, and the dynamics in them. Sites: named frames on
 *  bodies. Keyframes: named q, v and ctrl.
 *
 *      perp_joint_space *s;
 *      if (perp_world_joint_space(w, NULL, &s)) puts(perp_world_why(w));
 *      int nq = perp_joint_space_nq(s), nv = perp_joint_space_nv(s);
 *      perp_joint_space_get(s, w, q, v);                 // of the world now
 *      q[3] = 0.5;
 *      perp_joint_space_set(s, w, q, v, 1e-9);           // sets poses and velocities of the bodies
 *      perp_joint_space_mass_matrix(s, M);               // nv x nv, at that q
 *      perp_joint_space_bias(s, b);                      // M a + b = tau
 *      perp_joint_space_free(s);
 *
 *  The joints of a world span a forest. Its roots are the world, obstacles and kinematic bodies. Bodies that no joints connect
 *  to one of these have a free body as their root. Each dynamic body is one link. One joint connects it to its parent; a free
 *  body has none. Joints are added to the forest in the order in which they were added to the world. A joint between two bodies
 *  that are already connected closes a loop: it has no coordinates of its own and constrains the others. Links are numbered
 *  depth first, the children of a body in the order in which the bodies were added. If the bodies of a world were added in the
 *  order of a model's tree, its coordinates are in that order.
 *
 *  Coordinates of a link, in this order; those of a joint are the ones that perp_joint_read() gives:
 *
 *  | link                  | q                                               | v                                      |
 *  |-----------------------|-------------------------------------------------|----------------------------------------|
 *  | fixed                 | none                                            | none                                   |
 *  | revolute              | angle, not wrapped                              | its rate                               |
 *  | prismatic             | displacement                                    | its rate                               |
 *  | cylindrical           | displacement, angle                             | rates                                  |
 *  | universal             | angle about z of Ja, angle about x of Jb        | rates                                  |
 *  | planar                | x, y, angle                                     | rates                                  |
 *  | spherical             | quaternion of Jb in Ja                          | angular velocity of B relative to A, in axes of Jb |
 *  | free body, 3D         | position in W, quaternion to W                  | velocity in W, angular velocity in axes of the body |
 *  | free body, 2D         | x, y, angle                                     | rates                                  |
 *  | free particle         | position                                        | velocity                               |
 *
 *  - Quaternions are (w, x, y, z) and unit. Input quaternions are normalised.
 *  - A joint is at zero if its frames Ja and Jb coincide. There is no other reference: for a model with another zero, the
 *    frames are rotated or shifted.
 *  - q of a free body is the pose of its model site (see perp_site_def), or of its own frame at the centre of mass if it has none.
 *    The linear velocity is that of the origin of this frame, in W; the angular velocity is in axes of this frame. These are
 *    the conventions of MuJoCo.
 *  - If body B of a joint is nearer to the root than A, the link is reversed: the coordinates stay those of the joint.
 *  - A particle has no orientation. A joint with a particle has no angles as coordinates. A rigid body whose parent is a
 *    particle rotates freely, as with a spherical joint (in 2D a revolute one).
 *  - For quaternions, v is not the derivative of q: perp_joint_space_integrate() and perp_joint_space_difference() convert
 *    between them.
 *  - Generalised forces tau are dual to v: tau . v is a power.
 *
 *  All arrays are flat arrays of double, owned by the caller, of the sizes given. A matrix with nv columns is stored by rows,
 *  nv numbers each; the mass matrix is symmetric.
 *
 *  A joint space stores a configuration: that of the last get, set, place or project. Functions without a world use it. After
 *  creation no function allocates memory. A joint space does not own the world. If bodies, joints or model sites are added or
 *  removed, functions that take the world return PERP_E_ARG, and a new joint space must be made. Only one thread at a time may
 *  use a joint space. */
#ifndef PERP_JOINT_SPACE_H
#define PERP_JOINT_SPACE_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Making a joint space
 *  @{ */
/** Definition of a joint space. */
typedef struct perp_joint_space_def {
    const perp_joint_id
        *loop; /**< joints to be treated as loop closures, not as part of the forest; borrowed for the call */
    int nloop;
    uint32_t cookie; /**< set by perp_joint_space_def_default() */
} perp_joint_space_def;

/** Default: perp chooses the joints that close loops. */
PERP_API perp_joint_space_def perp_joint_space_def_default(void);

/** A joint space; opaque. */
typedef struct perp_joint_space perp_joint_space;

/** Makes the joint space of a world with its present bodies and joints. Its configuration is that of the world.
 *  PERP_E_ARG (see perp_world_why()), PERP_E_MEMORY.
 *  @param w    the joint space uses its allocator, which must stay valid as long as the joint space
 *  @param def  NULL: the default
 *  @param out  owned by the caller, see perp_joint_space_free(); NULL on failure */
PERP_API perp_status perp_world_joint_space(perp_world *w, const perp_joint_space_def *def, perp_joint_space **out);
/** Frees a joint space. NULL is allowed. */
PERP_API void perp_joint_space_free(perp_joint_space *s);
/** @} */

/** @name Layout
 *  @{ */
/** Numbers in q. */
PERP_API int perp_joint_space_nq(const perp_joint_space *s);
/** Numbers in v. */
PERP_API int perp_joint_space_nv(const perp_joint_space *s);
/** Number of links: one for each dynamic body. */
PERP_API int perp_joint_space_nlink(const perp_joint_space *s);
/** Number of joints that close loops. */
PERP_API int perp_joint_space_nloop(const perp_joint_space *s);

/** A link of the forest. */
typedef struct perp_joint_link {
    const char *name;    /**< of the joint; for a free body, of the body; "" for none. Borrowed until that is removed */
    perp_body_id body;   /**< the link's body */
    perp_body_id parent; /**< parent body; {0}: the world */
    perp_joint_id joint; /**< {0}: a free body */
    int parent_link;     /**< link of the parent; -1 if it is not dynamic */
    bool reversed;       /**< the link's body is A of the joint */
    int q, nq;           /**< its coordinates: q[q] to q[q + nq - 1] */
    int v, nv;           /**< its velocities */
} perp_joint_link;
/** Link i, 0 and up; parents come before their children. PERP_E_ARG if there is none. */
PERP_API perp_status perp_joint_space_link(const perp_joint_space *s, int i, perp_joint_link *out);
/** The first link of that name; -1 if there is none. */
PERP_API int perp_joint_space_find(const perp_joint_space *s, const char *name);
/** The link of a body; -1 if it is not dynamic or not in this joint space. */
PERP_API int perp_joint_space_link_of(const perp_joint_space *s, perp_body_id b);
/** The i-th joint that closes a loop; {0} if there is none. */
PERP_API perp_joint_id perp_joint_space_loop(const perp_joint_space *s, int i);
/** @} */

/** @name Coordinates
 *  @{ */
/** Reads q and v from the world and sets the configuration to them. Either pointer may be NULL. PERP_E_ARG
 *  @param q  nq numbers
 *  @param v  nv numbers */
PERP_API perp_status perp_joint_space_get(perp_joint_space *s, perp_world *w, double *q, double *v);
/** Sets the configuration to (q, v). The world is read (obstacles, kinematic bodies, masses, gravity) but not changed. Loops
 *  need not close. PERP_E_ARG: not finite, a quaternion of length 0, or another world; the configuration is then unchanged.
 *  @param q  NULL: that of the world now
 *  @param v  NULL: that of the world now */
PERP_API perp_status perp_joint_space_place(perp_joint_space *s, perp_world *w, const double *q, const double *v);
/** As perp_joint_space_place(), and also sets the poses and velocities of the bodies of the world. The joints of the forest
 *  then hold to rounding. If the error of a joint that closes a loop is more than `tolerance` [L or rad]: PERP_E_ARG, and the
 *  world is unchanged. Call perp_joint_space_project() first to close loops. PERP_E_ARG */
PERP_API perp_status perp_joint_space_set(perp_joint_space *s, perp_world *w, const double *q, const double *v,
                                          double tolerance);
/** Changes q and v so that loops close: q by the smallest displacement in the metric of the mass matrix, repeated until
 *  the joints hold to rounding; v by the smallest change of kinetic energy. Sets the configuration to (q, v). The world is not
 *  changed. Without loops, q and v stay as they are.
 *  @param q     nq numbers, in and out
 *  @param v     nv numbers, in and out; NULL: that of the world now, projected in the configuration only
 *  @param hold  nv flags: velocities (and their coordinates) that must not change; NULL: none
 *  @return PERP_E_SOLVE: no q near the given one closes the loops (perp_world_why() gives the remaining error); q and v are
 *  then unchanged. PERP_E_ARG */
PERP_API perp_status perp_joint_space_project(perp_joint_space *s, perp_world *w, double *q, double *v,
                                              const bool *hold);
/** Error of the joints that close loops, in the configuration: the largest of distances [L] and angles [rad]; 0 if there are
 *  none. */
PERP_API double perp_joint_space_loop_error(perp_joint_space *s);
/** The configuration's q and v. Either pointer may be NULL. */
PERP_API void perp_joint_space_read(const perp_joint_space *s, double *q, double *v);
/** Returns pointers to q and v of the configuration. They are valid until the joint space is freed, and the arrays hold the
 *  configuration of the last get, set, place or project. Either pointer may be NULL. */
PERP_API void perp_joint_space_look(const perp_joint_space *s, const double **q, const double **v);
/** Moves q along v for a time dt: out = q + v dt, quaternions by the exponential map. out may be q. */
PERP_API void perp_joint_space_integrate(const perp_joint_space *s, const double *q, const double *v, double dt,
                                         double *out);
/** The constant v that takes q_a to q_b in a time dt, by the shortest rotation: the inverse of
 *  perp_joint_space_integrate(). */
PERP_API void perp_joint_space_difference(const perp_joint_space *s, const double *q_a, const double *q_b, double dt,
                                          double *v);
/** @} */

/** @name Dynamics of the configuration
 *  These are the equations of the forest, M a + bias = tau. Loop closures are not part of them: forces of loops, contacts,
 *  motors, limits, springs and joint friction belong to tau. Kinematic bodies enter with their velocity, without acceleration.
 *  @{ */
/** Mass matrix (composite rigid bodies). @param M nv x nv */
PERP_API void perp_joint_space_mass_matrix(perp_joint_space *s, double *M);
/** Bias: velocity products and gravity, the tau at which a = 0. @param bias nv */
PERP_API void perp_joint_space_bias(perp_joint_space *s, double *bias);
/** Inverse dynamics (recursive Newton-Euler): tau = M a + bias, without forming M. @param a, tau nv; tau may be a */
PERP_API void perp_joint_space_inverse_dynamics(perp_joint_space *s, const double *a, double *tau);
/** Forward dynamics without loops: a with M a + bias = tau.
 *  @param tau, a  nv; a may be tau
 *  @param work    nv x nv numbers, overwritten
 *  @return PERP_E_SOLVE if M is not positive definite because of rounding */
PERP_API perp_status perp_joint_space_forward_dynamics(perp_joint_space *s, const double *tau, double *a, double *work);
/** Adds the generalised forces of a force at a point of a body and of a torque, all in W, to tau. A body that is not
 *  dynamic adds nothing. PERP_E_ARG if the body is not in this joint space.
 *  @param point_W  where the force acts: x, y, z */
PERP_API perp_status perp_joint_space_add_force(const perp_joint_space *s, perp_body_id b, const double point_W[3],
                                                const double force_W[3], const double torque_W[3], double *tau);
/** @} */

/** @name Kinematics of the configuration
 *  @{ */
/** Pose of a body: position in W and quaternion. PERP_E_ARG if the body is not dynamic or not in this joint space.
 *  @param pose 7 numbers: x, y, z, w, x, y, z */
PERP_API perp_status perp_joint_space_pose(const perp_joint_space *s, perp_body_id b, double pose[7]);
/** Velocity of the centre of mass of a body and its angular velocity, in W: 6 numbers. PERP_E_ARG likewise. */
PERP_API perp_status perp_joint_space_twist(const perp_joint_space *s, perp_body_id b, double twist[6]);
/** Jacobian of a point or frame fixed in a body: velocity of the point and angular velocity of the body, in W, are J v. For a
 *  body that is not dynamic J is zero. PERP_E_ARG if the body is not in this joint space.
 *  @param point_B  the point in the body's frame: x, y, z
 *  @param J        6 x nv: three rows of the point's velocity, three of the angular velocity */
PERP_API perp_status perp_joint_space_jacobian(const perp_joint_space *s, perp_body_id b, const double point_B[3],
                                               double *J);
/** Mass of a link and all links below it, and their centre of mass in W. PERP_E_ARG if there is no such link.
 *  @param link  -1: all links
 *  @param mass, centre_W  may be NULL */
PERP_API perp_status perp_joint_space_subtree(const perp_joint_space *s, int link, double *mass, double centre_W[3]);
/** Jacobian of that centre of mass. @param J 3 x nv */
PERP_API perp_status perp_joint_space_centre_jacobian(const perp_joint_space *s, int link, double *J);
/** @} */

/** @name Sites
 *  Named frames fixed in bodies: tool points, feet, sensors, frames of a model's links.
 *  @{ */
/** Id of a site; see base.h for ids. */
typedef struct perp_site_id {
    uint32_t slot, gen;
} perp_site_id;

/** Definition of a site. */
typedef struct perp_site_def {
    perp_body_id body; /**< {0}: the world */
    perp_pose X_BS;    /**< frame of the site in the body (in the world if body is {0}) */
    /** True: this is the frame of the body in its model, whose origin need not be the centre of mass. A body has at most one. If
     *  the body is free, q is the pose of this frame. */
    bool model;
    const char *name; /**< copied; NULL for none */
    uint32_t cookie;  /**< set by perp_site_def_default() */
} perp_site_def;
/** A site at the world's origin. */
PERP_API perp_site_def perp_site_def_default(void);
/** Adds a site; it is removed with its body. PERP_E_ARG, PERP_E_MEMORY. @param out may be NULL */
PERP_API perp_status perp_site_add(perp_world *w, const perp_site_def *def, perp_site_id *out);
/** Removes a site. PERP_E_ARG if stale. */
PERP_API perp_status perp_site_remove(perp_world *w, perp_site_id id);
/** Ids of all sites in order of their slots; writes at most `max`. @return number of sites */
PERP_API int perp_world_sites(const perp_world *w, perp_site_id *out, int max);
/** The first site of that name; {0} if there is none. */
PERP_API perp_site_id perp_site_find(const perp_world *w, const char *name);
/** A site as a definition that adds the same site; name borrowed until it is removed. PERP_E_ARG if stale. */
PERP_API perp_status perp_site_get(const perp_world *w, perp_site_id id, perp_site_def *out);
/** Pose of a site in W, and velocity of its origin and angular velocity in W; pointers may be NULL. PERP_E_ARG if stale. */
PERP_API perp_status perp_site_read(const perp_world *w, perp_site_id id, perp_pose *X_WS, perp_vec3 *v_W,
                                    perp_vec3 *w_W);
/** @} */

/** @name Keyframes
 *  @{ */
/** A named state of the joints. The numbers are those of the world's default joint space. */
typedef struct perp_keyframe {
    const char *name; /**< copied */
    const double *q;  /**< nq numbers; copied. NULL, with nq 0: not given */
    int nq;
    const double *v; /**< likewise */
    int nv;
    const double *ctrl; /**< likewise, one for each actuator */
    int nctrl;
} perp_keyframe;
/** Adds a keyframe, or replaces the one of that name. Lengths are checked when it is used, so a keyframe may be added before
 *  the joints. PERP_E_ARG: no name, not finite; PERP_E_MEMORY. */
PERP_API perp_status perp_keyframe_add(perp_world *w, const perp_keyframe *k);
/** Number of keyframes. */
PERP_API int perp_world_keyframe_count(const perp_world *w);
/** The i-th keyframe, in the order in which they were added; its pointers are borrowed until keyframes are added or removed.
 *  PERP_E_ARG if there is none. */
PERP_API perp_status perp_keyframe_get(const perp_world *w, int i, perp_keyframe *out);
/** Number of the keyframe of that name; -1 if there is none. */
PERP_API int perp_keyframe_find(const perp_world *w, const char *name);
/** Removes all keyframes. */
PERP_API void perp_keyframe_clear(perp_world *w);
/** Sets the world to a keyframe: q (then loops are closed), v (zero if not given) and ctrl. If q or ctrl is not given, it stays
 *  as it is. PERP_E_ARG: no such keyframe, or its lengths are not those of the joint space and of the actuators;
 *  PERP_E_SOLVE. */
PERP_API perp_status perp_joint_space_set_keyframe(perp_joint_space *s, perp_world *w, int keyframe);
/** @} */

#ifdef __cplusplus
}
#endif
#endif

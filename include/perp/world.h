/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file world.h
 *  The world: bodies, shapes, joints, forces, and the step.
 *
 *      perp_world_def wd = perp_world_def_default(3);
 *      perp_world *w;
 *      if (perp_world_create(&wd, &w)) ...;
 *      perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
 *      bd.X_WB = perp_pose_at(0, 0, 1);
 *      perp_body_id ball;
 *      if (perp_body_add(w, &bd, &ball)) puts(perp_world_why(w));
 *      perp_shape_def sd = perp_shape_sphere(0.1);
 *      perp_shape_add(w, ball, &sd, NULL);
 *      perp_certificate c;
 *      while (perp_world_time(w) < 1 && !perp_world_step(w, &c)) ...;
 *      perp_world_destroy(w);
 *
 *  A world is used by one thread at a time; different worlds may be used by different threads. */
#ifndef PERP_WORLD_H
#define PERP_WORLD_H

#include "perp/certificate.h"
#include "perp/contact.h"
#include "perp/drive.h"
#include "perp/joint.h"
#include "perp/plugin.h"
#include "perp/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the first step treats the given velocities. */
typedef enum perp_start {
    PERP_START_PLAIN, /**< used as given (Trinkle's notes): positions err by a h t/2 under constant acceleration a */
    PERP_START_STAGGERED, /**< moved back by half a step of the (constrained) acceleration. Positions are then exact for
                              constant acceleration, and of second order between impacts. Velocities and energies that
                              are read back are those at t */
    PERP_START_AUTO       /**< staggered, if stepper, geometry and error_tolerance allow it; else plain.
                              perp_world_get_def() returns the choice */
} perp_start;

/** Which complementarity problem a stepper makes. */
typedef enum perp_form {
    PERP_FORM_LCP,  /**< joints eliminated beforehand (Williams 2.37-2.38); friction pyramids in 3D */
    PERP_FORM_MLCP, /**< joint impulses stay as free and bounded variables (Williams 2.34 without nu); pyramids in 3D */
    PERP_FORM_CONE, /**< true friction cones: friction has the same size in every direction; joint impulses stay */
    PERP_FORM_AUTO  /**< LCP in 2D; cone in 3D and with steppers that have supports. Instead of the cone LCP, if
                         friction_directions or a fixed friction frame is set, or if the contact model, stepper or solver
                         works with pyramids only, or with contact model "standard". perp_world_get_def() returns
                         the choice */
} perp_form;

/** The pose at which a step measures gaps, and the pose at which contact impulses act. */
typedef enum perp_geometry {
    PERP_GEOMETRY_ITERATED, /**< gaps at the end of the step: the problem is posed again until the true gaps there are
                                 >= 0. Impulses act at the start pose */
    PERP_GEOMETRY_ONCE, /**< gaps linearised at the start, as in the publications: bodies that rotate overlap a little */
    PERP_GEOMETRY_END /**< gaps at the end, and impulses act there too: normals, levers, directions of friction and inertia
                           are those of the end pose (Berard 3.82, 3.83) */
} perp_geometry;

/** Where the first friction direction points. */
typedef enum perp_friction_frame {
    PERP_FRICTION_SLIP, /**< along the slip that would occur without contact; if there is none, along an axis of the bodies */
    PERP_FRICTION_FIXED /**< along the contact's tangent t (see perp_v3_frame) */
} perp_friction_frame;

/** The velocity of kinematic bodies that friction uses. Gaps always use the pose of these bodies at the end of the step. */
typedef enum perp_driven {
    PERP_DRIVEN_MEAN, /**< the mean over the step: a sticking body keeps its place on the kinematic body */
    PERP_DRIVEN_END   /**< the velocity at the end of the step, as in the publications (Berard 5.8) */
} perp_driven;

/** Impact law of pairs with restitution. Under all laws except `plain`, impacts happen in the order of their times within the
 *  step: bodies move to the time at which the first pair with restitution closes, all touching contacts obey the law there,
 *  and so on to the end of the step. The steppers stewart-trinkle, anitescu-potra and second-order have these laws; others
 *  have only `plain`. Under every law, pairs without restitution are stopped by the equations of the step. */
typedef enum perp_impacts {
    PERP_IMPACTS_SEQUENCE, /**< all approaching contacts rebound at once; then those that approach after that, until none
                                does (Smith et al. 2012): in a row of balls the last one leaves */
    PERP_IMPACTS_NEWTON,   /**< one problem: a contact that carries an impulse leaves at restitution times its approach
                                speed (Moreau) */
    PERP_IMPACTS_POISSON,  /**< two problems: compression; then normal impulses of at least restitution times those of
                                compression */
    PERP_IMPACTS_STRONGE, /**< for a single contact: energetic restitution along Routh's path; if several contacts close,
                                as sequence */
    PERP_IMPACTS_PLAIN    /**< Newton's rule within the equations of the step, without order, as in the publications */
} perp_impacts;

/** Largest number of solvers in a fallback chain. */
#define PERP_FALLBACK_MAX 4

/** Definition of a world. */
typedef struct perp_world_def {
    int dim;             /**< 2: motion in x-y, rotation about z; 3: spatial */
    perp_vec3 gravity_W; /**< [L/T^2]; default (0, -9.81, 0) in 2D, (0, 0, -9.81) in 3D */
    double press;        /**< 2D: acceleration that presses bodies with supports onto the plane [L/T^2]; default 9.81 */
    double h;            /**< time step [T]; default 0.001 */
    perp_start start;    /**< default auto */
    /* Stages by name. NULL: unset, perp chooses. test_world_def.c compares these lists with the registries. */
    const char *detector;      /**< one of "plain" (default) */
    const char *contact_model; /**< one of "peg" (default), "one-plane", "standard", "lnc", "corrective", "peg-mixed" */
    perp_geometry geometry; /**< default iterated. Models other than "peg" support END; otherwise they measure gaps at
                                 the start */
    perp_driven driven;     /**< default mean */
    perp_impacts impacts;   /**< default sequence */
    const char *stepper;    /**< one of "stewart-trinkle" (default), "anitescu-potra", "first-order", "implicit",
                                 "implicit-compliant", "nonconvex-lcp", "planar-2.5d", "quasistatic", "second-order",
                                 "viscoelastic" */
    const char *solver;     /**< one of "auto", "lemke", "pgs", "enumerate", "fischer-newton", "minmap-newton",
                                 "path-search", "interior-point", "accelerated-gradient", "jacobi", "psor", "nncg",
                                 "fixed-point", "gauss-seidel", "prox-newton", "cone-interior-point", "admm",
                                 "spectral-gradient", or registered by the user. NULL, the default: lemke, in a cone world
                                 auto. If you name a solver without support for cones, such as lemke, PERP_FORM_AUTO
                                 chooses pyramids, even if NULL would give the same solver */
    const char
        *fallback[PERP_FALLBACK_MAX];   /**< tried in turn if the solver's answer is not accepted; NULL ends the list.
                               Default, if none is given: "pgs", "enumerate", and in 2D "auto" if solver is NULL too; none
                               in a cone world, because "auto" has its own fallbacks. In 2D, where a cone is a pyramid,
                               "auto" also chooses the form, at any place in the chain: with form LCP it is tried first, on
                               the cone problem, for islands of more than 50 contacts and joints */
    bool no_fallback;                   /**< true: no fallback solvers, and fallback must be empty; default false */
    perp_form form;                     /**< default auto */
    int friction_directions;            /**< 3D: directions of the pyramid, >= 3; default 0: 8 if pyramids are used, see
                                  PERP_FORM_AUTO. A pyramid in 2D always has two; a cone has none */
    perp_friction_frame friction_frame; /**< of the pyramid; default slip */
    double tolerance; /**< a step is accepted if its law residuals are below this times the speed scale; default 1e-8 */
    int max_halvings; /**< an unsolved step is halved, and its parts again, this many times at most; 0 to 16; default 8 */
    /** Limit on the work of solvers in a step, in multiplications (one core does about 7e8 per second). Every part of a
     *  divided step and every solver of the chain may use half of what is left, so that work remains for the next part or
     *  solver. A part without a solution when the limit is used up is solved once more, undivided, with a twentieth of it; then the step
     *  fails with PERP_E_SOLVE. The result is the same in every run and on every
     *  machine. In a world of n > 100 dynamic bodies the limit is n/100 times as high. 0: no limit; default 2.5e9, about 3 s. */
    double work_limit;
    /** Limit on the wall time of a step, > 0 [s]. Results then depend on the machine. 0, the default: none. */
    double time_limit;
    /** > 0: a step is divided until a part and its two halves end no farther apart than this, at any point of a body [L], or
     *  until max_halvings is reached; not with a staggered start. 0, the default: steps are not divided for their error. */
    double error_tolerance;
    bool warm_start; /**< start solvers from the impulses of the last step; default true */
    /** Williams' Algorithm 1 after each step; default false. Joints hold at the end of a step anyway, unless geometry is
     *  ONCE. */
    bool joint_correction;
    double correction_position, correction_velocity; /**< its tolerances [L], [L/T]; default 1e-10 */
    perp_allocator alloc;                            /**< {0}: malloc and free */
    perp_log log;                                    /**< {0}: silent */
    uint32_t cookie; /**< set by perp_world_def_default(), checked by perp_world_create() */
} perp_world_def;

/** @name World
 *  @{ */
/** Defaults for dimension 2 or 3. */
PERP_API perp_world_def perp_world_def_default(int dim);
/** Makes an empty world. Unknown stages and combinations that do not fit are refused here: PERP_E_NAME, PERP_E_FIT,
 *  PERP_E_ARG, PERP_E_MEMORY; on failure *out is NULL.
 *  @param def  copied
 *  @param out  owned by the caller, see perp_world_destroy() */
PERP_API perp_status perp_world_create(const perp_world_def *def, perp_world **out);
/** As perp_world_create(), with a sentence in `why` on failure. (perp_world_why() needs a world.) */
PERP_API perp_status perp_world_create_why(const perp_world_def *def, perp_world **out, char *why, size_t why_size);
/** A combination of stages, and whether a world with it can be created. */
typedef struct perp_combination {
    int dim;                             /**< 2 or 3 */
    const char *stepper, *contact_model; /**< names; valid for the life of the program */
    perp_form form;
    const char *solver; /**< alone, without fallback */
    bool exists;        /**< perp_world_create() accepts it */
    char why[256];      /**< the reason if not; "" if it exists */
} perp_combination;
/** Number of all combinations of dimension, stepper, contact model, form and solver. */
PERP_API int perp_combination_count(void);
/** The i-th of them, with the result of trying it; false past the last. */
PERP_API bool perp_combination_at(int i, perp_combination *out);
/** The table of combinations that exist, in Markdown. Writes at most `size` bytes, with a final zero. @return the length of
 *  the whole table without the final zero, as snprintf does */
PERP_API size_t perp_combinations(char *buf, size_t size);
/** Frees a world and everything in it. NULL is allowed. */
PERP_API void perp_world_destroy(perp_world *w);
/** Makes one step of length h. On failure (PERP_E_SOLVE, PERP_E_MEMORY, PERP_E_ARG if a user function returned numbers that
 *  are not finite, PERP_E_STOPPED, see perp_world_set_stop()) the world is unchanged, perp_world_why() gives the reason, and
 *  perp_world_failed_problem() the problem. In steady state no memory is allocated.
 *  @param cert  filled, also on PERP_E_SOLVE (with the best attempt); may be NULL */
PERP_API perp_status perp_world_step(perp_world *w, perp_certificate *cert);
/** Checks whether the stepper supports the bodies, shapes, materials and joints of the world. PERP_E_FIT if not, with
 *  perp_world_why(): a combination that would fail later in a run is refused here. perp_world_step() checks before each step,
 *  perp_scene_open() once. PERP_E_MEMORY */
PERP_API perp_status perp_world_ready(perp_world *w);
/** One sentence about the last failure in this world; "" if there was none. Borrowed until the next call that fails. */
PERP_API const char *perp_world_why(const perp_world *w);
/** The step problem of the last failed step; NULL if the last step succeeded. Borrowed until the next step. */
PERP_API const perp_step_problem *perp_world_failed_problem(const perp_world *w);
/** The step problem of the last step (of its last substep); NULL before the first. Borrowed until the next step. */
PERP_API const perp_step_problem *perp_world_problem(const perp_world *w);

/** What a capture callback receives: the problem of one island (bodies that contacts and joints connect, directly or through
 *  others) and its solution. Everything it points to is borrowed until the callback returns. */
typedef struct perp_captured {
    const perp_step_problem *problem;   /**< of the island alone: blocks and rows are numbered from 0 */
    const perp_step_solution *solution; /**< the best that was found */
    /** Of the solver that found it. info->solver is "" if no solver was needed: an island with joints only is solved by
     *  linear elimination. */
    const perp_solve_info *info;
    bool accepted;   /**< the laws hold to the world's tolerance */
    double residual; /**< worst law residual over the speed scale: what is compared with the tolerance */
    double t;        /**< time at the start of the step, or of the part of a divided step [T] */
    uint64_t step;   /**< number of steps before this one */
    int island;      /**< number among the islands of this step, from 0 */
    /** Initial guess of the first solver: impulses and slip speeds of the previous step or round. It has no velocity; nu is
     *  NULL. NULL: the solver started cold. */
    const perp_step_solution *guess;
} perp_captured;

/** Callback for the problems of a step: to save them (perp_step_write()) or for statistics. */
typedef struct perp_capture {
    /** Called in the thread that steps, after each island was solved or has failed: in the order of the islands, up to the
     *  island that failed, and again if a step is divided or repeated. Not called for the start of a staggered world. It
     *  must not change the world, and it does not change the result of the step. */
    void (*look)(const perp_captured *c, void *ctx);
    void *ctx; /**< passed to `look`; borrowed until another capture is set or the world is destroyed */
} perp_capture;

/** Sets the capture callback. @param capture copied; NULL, or one without a function, removes it. A clone has none. */
PERP_API void perp_world_set_capture(perp_world *w, const perp_capture *capture);

/** Callback that can stop a step. It is called in the thread that steps, before each problem and about once in each iteration
 *  of its solver. */
typedef struct perp_stop {
    /** If it returns true, the step ends with PERP_E_STOPPED and the world is unchanged. It must not change the world. */
    bool (*requested)(void *ctx);
    void *ctx; /**< passed to `requested`; borrowed until another one is set or the world is destroyed */
} perp_stop;

/** Sets the callback that can stop a step. As long as it returns false, it does not affect the result. @param stop copied;
 *  NULL, or one without a function, removes it. A clone has none. */
PERP_API void perp_world_set_stop(perp_world *w, const perp_stop *stop);

/** Time [T]. */
PERP_API double perp_world_time(const perp_world *w);
/** Number of steps taken. */
PERP_API uint64_t perp_world_steps(const perp_world *w);
/** Dimension, 2 or 3. */
PERP_API int perp_world_dim(const perp_world *w);
/** Time step [T]. */
PERP_API double perp_world_h(const perp_world *w);
/** The definition of the world, with the choices that perp made for `auto`. Strings are names of stages and stay valid. */
PERP_API perp_world_def perp_world_get_def(const perp_world *w);
/** Changes the time step from the next step on. PERP_E_ARG if not positive and finite. Velocities of a
 *  staggered world stay what they are at the present time. */
PERP_API perp_status perp_world_set_h(perp_world *w, double h);
/** Sets a setting of the chosen solver or a fallback by name, such as "lemke.max_pivots" or "pgs.relaxation".
 *  PERP_E_NAME, PERP_E_ARG. */
PERP_API perp_status perp_world_set(perp_world *w, const char *name, double value);
/** Reads a setting of the chosen solver or a fallback, named as in perp_world_set(). PERP_E_NAME. */
PERP_API perp_status perp_world_get(const perp_world *w, const char *name, double *value);

/** Stages of a step, in their order. */
typedef enum perp_stage {
    PERP_STAGE_CONTROL,   /**< forces, motions */
    PERP_STAGE_COLLISION, /**< feature pairs, gaps */
    PERP_STAGE_CONTACT,   /**< contact model */
    PERP_STAGE_STEPPER,   /**< building the step problem */
    PERP_STAGE_SOLVER,
    PERP_STAGE_UPDATE,
    PERP_STAGE_CERTIFICATE,
    PERP_STAGE_COUNT
} perp_stage;
/** Name of a stage: "control", "collision", ... */
PERP_API const char *perp_stage_name(perp_stage s);
/** Seconds of wall time spent in each stage since the world was made, failed attempts included. They are not part of the
 *  state. @param seconds PERP_STAGE_COUNT numbers */
PERP_API void perp_world_timing(const perp_world *w, double *seconds);

/** The contacts of the last step. @return their number; *out borrowed until the next step. */
PERP_API int perp_world_contacts(const perp_world *w, const perp_contact **out);
/** Kinetic, gravitational (zero at the origin) and spring energy now [M L^2/T^2]; any pointer may be NULL. Springs: force
 *  elements and, with stepper viscoelastic, contacts as the last step left them. */
PERP_API void perp_world_energy(const perp_world *w, double *kinetic, double *gravity, double *spring);
/** Kinetic energy of the rotors of joints (perp_joint_axis.armature); perp_world_energy() does not include it [M L^2/T^2]. */
PERP_API double perp_world_armature_energy(const perp_world *w);
/** Total linear momentum, and angular momentum about the world origin, of the dynamic bodies. */
PERP_API void perp_world_momentum(const perp_world *w, perp_vec3 *linear, perp_vec3 *angular);
/** Deepest true overlap of any two bodies now [L], >= 0. */
PERP_API double perp_world_overlap(const perp_world *w);
/** Two shapes that overlap. */
typedef struct perp_overlap {
    perp_shape_id a, b;
    double depth; /**< distance by which they must be moved apart [L] */
} perp_overlap;
/** Pairs of shapes that overlap now by more than rounding, the deepest first; writes at most `max`. Pairs that never touch (groups,
 *  joints, obstacles with each other) are left out. @return number of pairs, -1 without memory */
PERP_API int perp_world_overlaps(const perp_world *w, perp_overlap *out, int max);
/** Total and deepest overlap of the bodies now. The total is the sum over all pairs of shapes that may touch of the area (2D,
 *  [L^2]) or volume (3D, [L^3]) of their intersection. The deepest overlap is that of perp_world_overlap(). The code is
 *  independent of everything a step uses. Results are exact to rounding, except for capsules with capsules or spheres in 3D,
 *  which are measured to about 1e-10 of their volume. If there is no memory: PERP_E_MEMORY, both figures infinite. If shapes
 *  given by functions (ellipsoid and the kinds after it) overlap: PERP_E_GEOMETRY, both figures infinite; perp_world_overlap()
 *  gives their depth. Pointers from perp_world_contacts() and perp_world_problem() stay valid.
 *  @param total, deepest either may be NULL */
PERP_API perp_status perp_world_overlap_total(const perp_world *w, double *total, double *deepest);
/** Largest joint position error now [L or rad]. */
PERP_API double perp_world_joint_error(const perp_world *w);
/** @} */

/** @name State
 *  The state is everything that changes in a step: time, poses, velocities, joint windings, motion and warm-start
 *  memory.
 *  @{ */
/** Bytes that perp_world_get_state() needs now. */
PERP_API size_t perp_world_state_size(const perp_world *w);
/** Writes the state into a buffer of `size` bytes, at least perp_world_state_size(). PERP_E_ARG if too small. */
PERP_API perp_status perp_world_get_state(const perp_world *w, void *buf, size_t size);
/** Restores a state of a world with the same bodies and joints. PERP_E_ARG, and no change, if it does not fit or is
 *  damaged. From here on the world gives the same bits as the one that the state was taken from. */
PERP_API perp_status perp_world_set_state(perp_world *w, const void *buf, size_t size);
/** A copy that behaves the same to the bit; ids stay valid in it. User contexts are shared. */
PERP_API perp_status perp_world_clone(const perp_world *w, perp_world **out);
/** Gives bodies, shapes, joints and force elements new slots without gaps, in the present order of their slots, as if removed
 *  ones had never existed. The world continues with the same bits. All ids become invalid: get them again.
 *  @param shape_order  NULL: shapes keep their order. Otherwise a permutation of the shapes, from 0: the shape that is
 *  order[k]-th now becomes the k-th. Contacts are found in the order of shapes, so another order changes the last bits, and
 *  impulses stored for a warm start are dropped
 *  @return PERP_E_ARG if shape_order is not a permutation, PERP_E_MEMORY; the world is then unchanged */
PERP_API perp_status perp_world_renumber(perp_world *w, const int *shape_order);
/** Hash of time, poses, velocities and joint windings. */
PERP_API uint64_t perp_world_hash(const perp_world *w);
/** @} */

/** @name Bodies
 *  @{ */
/** Kinds of body. */
typedef enum perp_body_kind {
    PERP_BODY_OBSTACLE,  /**< fixed */
    PERP_BODY_KINEMATIC, /**< pose is a function of time, see perp_body_set_motion() */
    PERP_BODY_DYNAMIC    /**< moves by forces and impulses */
} perp_body_kind;

/** Definition of a body. */
typedef struct perp_body_def {
    perp_body_kind kind;
    perp_pose X_WB; /**< body frame B in world W; its origin Bo is the centre of mass. 2D: z = 0, turned about z */
    perp_vec3 v_W,
        w_W;     /**< velocity of Bo [L/T], angular velocity [rad/T]; obstacle: zero; kinematic: constant motion */
    double mass; /**< dynamic: > 0 [M]; default 1 */
    perp_mat3
        I_B; /**< dynamic: inertia about Bo in B, symmetric positive definite [M L^2]; 2D: only c[2].z counts; default 1 */
    bool particle;     /**< dynamic: no rotation; inertia is ignored */
    bool no_gravity;   /**< dynamic: gravity does not act */
    const char *name;  /**< copied; NULL for none */
    const char *label; /**< text that is drawn beside the body; copied; NULL for none */
    uint32_t cookie;   /**< set by perp_body_def_default() */
} perp_body_def;

/** Defaults for a kind of body. */
PERP_API perp_body_def perp_body_def_default(perp_body_kind kind);
/** Sets mass and inertia of a definition from a shape of uniform density whose centre of mass is the body origin
 *  (within 1e-9 of its size); PERP_E_GEOMETRY otherwise. */
PERP_API perp_status perp_body_def_mass(perp_body_def *def, const perp_shape_def *shape, int dim, double density);
/** Adds a body. PERP_E_ARG (see perp_world_why()), PERP_E_MEMORY. @param out may be NULL */
PERP_API perp_status perp_body_add(perp_world *w, const perp_body_def *def, perp_body_id *out);
/** Removes a body with its shapes, joints and force elements. PERP_E_ARG if stale. */
PERP_API perp_status perp_body_remove(perp_world *w, perp_body_id b);
/** Pose now. PERP_E_ARG if stale. */
PERP_API perp_status perp_body_pose(const perp_world *w, perp_body_id b, perp_pose *X_WB);
/** Rotation angle in 2D, counted without wrapping [rad]. PERP_E_ARG if stale or in 3D. */
PERP_API perp_status perp_body_angle(const perp_world *w, perp_body_id b, double *angle);
/** Velocity of the centre of mass and angular velocity, in W; either pointer may be NULL. In a staggered world their error is
 *  of second order in h; after a step with an impact, of first order. */
PERP_API perp_status perp_body_velocity(const perp_world *w, perp_body_id b, perp_vec3 *v_W, perp_vec3 *w_W);
/** Places a dynamic body or an obstacle. PERP_E_ARG. */
PERP_API perp_status perp_body_set_pose(perp_world *w, perp_body_id b, perp_pose X_WB);
/** Sets the velocity of a dynamic body. PERP_E_ARG. */
PERP_API perp_status perp_body_set_velocity(perp_world *w, perp_body_id b, perp_vec3 v_W, perp_vec3 w_W);
/** Sets the force at the centre of mass and the torque that act on a dynamic body until changed, in addition to gravity and
 *  force elements. */
PERP_API perp_status perp_body_set_force(perp_world *w, perp_body_id b, perp_vec3 force_W, perp_vec3 torque_W);
/** Support of a planar body: three points that press on the plane of motion, with friction (Berard 3.3). Together they carry
 *  the weight. The loads keep the body level, so the centre of mass lies within the triangle of the points. */
typedef struct perp_support {
    perp_vec3 point_B[3]; /**< in the body frame; z is ignored [L] */
    double mu[3];         /**< Coulomb friction of each */
} perp_support;
/** Three points on a circle about the centre of mass, the first at `angle` from the x axis of the body [rad]. */
PERP_API perp_support perp_support_circle(double radius, double angle, double mu);
/** Draws three points uniformly from the area of a body's shapes until their triangle contains the centre of mass. The same
 *  seed gives the same points. PERP_E_ARG if this is impossible: no area, or the centre of mass is on or outside the rim. */
PERP_API perp_status perp_support_sample(perp_world *w, perp_body_id b, uint64_t seed, double mu, perp_support *out);
/** Sets the support of a dynamic body of a 2D world; NULL removes it. The stepper must support it: planar-2.5d or
 *  quasistatic. PERP_E_ARG: points on a line or a centre of mass outside; PERP_E_FIT. */
PERP_API perp_status perp_body_set_support(perp_world *w, perp_body_id b, const perp_support *s);
/** Support of a body; false if it has none, or if the id is stale. */
PERP_API bool perp_body_get_support(const perp_world *w, perp_body_id b, perp_support *out);
/** The force and torque set by perp_body_set_force(), in W [M L/T^2, M L^2/T^2]; zero if none was. Either pointer may be
 *  NULL. PERP_E_ARG if stale. */
PERP_API perp_status perp_body_get_force(const perp_world *w, perp_body_id b, perp_vec3 *force_W, perp_vec3 *torque_W);
/** Gives a kinematic body its motion. `def` copied. PERP_E_ARG, PERP_E_MEMORY. */
PERP_API perp_status perp_body_set_motion(perp_world *w, perp_body_id b, const perp_motion_def *def);
/** The motion of a kinematic body, as a definition that gives the same motion to a body at the pose `from` at time 0.
 *  @param out   its terms and table are borrowed until the body is removed or gets another motion
 *  @param from  pose that the motion starts from (constant: that of t = 0; sinusoid: its centre); may be NULL
 *  @return false if the body has no motion, is not kinematic, or the id is stale; then nothing is written */
PERP_API bool perp_body_get_motion(const perp_world *w, perp_body_id b, perp_motion_def *out, perp_pose *from);
/** Name of a body, "" for none, NULL if stale. Borrowed until the body is removed. */
PERP_API const char *perp_body_name(const perp_world *w, perp_body_id b);
/** The first body of that name; {0} if there is none. Linear search. */
PERP_API perp_body_id perp_body_find(const perp_world *w, const char *name);
/** A body in its present state, as a definition that adds the same body: kind, pose, velocity, mass, inertia, flags, name
 *  (borrowed until the body is removed). PERP_E_ARG if stale. */
PERP_API perp_status perp_body_get(const perp_world *w, perp_body_id b, perp_body_def *out);
/** Number of bodies. */
PERP_API int perp_world_body_count(const perp_world *w);
/** Ids of all bodies in order of their slots; writes at most `max`. @return number of bodies */
PERP_API int perp_world_bodies(const perp_world *w, perp_body_id *out, int max);
/** @} */

/** @name Shapes and materials
 *  @{ */
/** Puts a shape on a body. PERP_E_ARG, PERP_E_GEOMETRY (degenerate, or kind not for this dimension or body),
 *  PERP_E_MEMORY. */
PERP_API perp_status perp_shape_add(perp_world *w, perp_body_id b, const perp_shape_def *def, perp_shape_id *out);
/** Checks whether perp_shape_add() would accept this shape on a body of that kind, with the same errors. If you check before
 *  you add the body, you need not remove it after a failure. (Removing a body drops contacts and the solver's warm start.) */
PERP_API perp_status perp_shape_check(perp_world *w, perp_body_kind kind, const perp_shape_def *def);
/** Sets the velocity of a shape's surface relative to its body, in the body frame [L/T]: a conveyor belt. Replaces
 *  surface_motion. See perp_shape_def. PERP_E_ARG, PERP_E_MEMORY. */
PERP_API perp_status perp_shape_set_surface_velocity(perp_world *w, perp_shape_id s, perp_vec3 v_B);
/** Body that carries a shape; {0} if stale. */
PERP_API perp_body_id perp_shape_body(const perp_world *w, perp_shape_id s);

/** Ids of all shapes in order of their slots; writes at most `max`. @return number of shapes */
PERP_API int perp_world_shapes(const perp_world *w, perp_shape_id *out, int max);
/** A shape as perp stores it: the definition (with the corners as points, also for a box) and its faces. All pointers are
 *  borrowed until the shape or its body is removed. */
typedef struct perp_shape_view {
    perp_body_id body;
    /** points, npoint: corners of a box, polygon (counter-clockwise), polyhedron, and of the mesh of the kinds after
     *  capsule. */
    perp_shape_def def;
    int nface;             /**< 3D box and polyhedron: faces; 2D: 0 */
    const int *face_start; /**< nface + 1, into face */
    const int *face;       /**< corners of each face, counter-clockwise seen from outside */
} perp_shape_view;
/** Reads a shape. PERP_E_ARG if stale. */
PERP_API perp_status perp_shape_get(const perp_world *w, perp_shape_id s, perp_shape_view *out);

/** Compliance of a pair of materials. Steppers with rigid contacts refuse all kinds except PERP_RIGID. */
typedef enum perp_compliance {
    PERP_RIGID,  /**< rigid */
    PERP_LINEAR, /**< a spring and damper at each contact */
    PERP_HERTZ,  /**< Hertz: the force grows with the depth to the power 3/2 and depends on the radii of the bodies */
    PERP_FOUNDATION /**< elastic foundation: independent springs distributed over a face */
} perp_compliance;

/** Law of a pair of materials. Use designated initialisers: a field that is 0 has the meaning given here. */
typedef struct perp_pair_law {
    double mu; /**< Coulomb friction, >= 0 */
    /** Newton's restitution, 0 to 1: the normal velocity after an impact is at least -restitution times that before. It is
     *  reduced where it would gain energy, and omitted where wedged bodies have no solution with it. */
    double restitution;
    /** Tangential restitution, 0 to 1: friction of an impact changes the slip to -restitution_t times that before, as far
     *  as mu allows; 0: to rest. For pairs with restitution > 0, not with impacts plain. */
    double restitution_t;
    double e_t, e_o; /**< 3D, elliptic friction: (p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2 <= (mu p_n)^2; 0 means 1 */
    double e_r; /**< 3D, torsional friction: length by which the contact resists spin about its normal; 0: none [L] */
    /** 3D, rolling friction: length by which the contact resists rolling about its tangents; adds |p_roll|^2/e_roll^2 to the sum above, so
     *  that the largest rolling moment is mu e_roll times the normal force; 0: none [L] */
    double e_roll;
    perp_compliance compliance;
    double stiffness;   /**< linear: [M/T^2]; Hertz: effective modulus E* [M/(L T^2)]; foundation: pressure per depth
                             [M/(L^2 T^2)] */
    double damping;     /**< normal: linear and Hertz [M/T]; foundation: per area [M/(L^2 T)] */
    double stiffness_t; /**< tangential, for steppers that support it; 0: tangentially rigid [M/T^2] */
    double damping_t;   /**< tangential [M/T] */
    double layer; /**< thickness of the compliant layer: at this compression its rigid core acts; 0: no core [L] */
} perp_pair_law;

/** Adds a material; its number is *out. Material 0 exists. PERP_E_MEMORY */
PERP_API perp_status perp_material_add(perp_world *w, int *out);
/** Sets the law between two materials (they may be the same), both orders. Default: mu 0, restitution 0. PERP_E_ARG */
PERP_API perp_status perp_pair_set(perp_world *w, int material_a, int material_b, perp_pair_law law);
/** Number of materials, material 0 included. */
PERP_API int perp_material_count(const perp_world *w);
/** The law between two materials. PERP_E_ARG */
PERP_API perp_status perp_pair_get(const perp_world *w, int material_a, int material_b, perp_pair_law *law);
/** Sets the law of every pair, also of materials that are added later. PERP_E_ARG */
PERP_API perp_status perp_pair_set_all(perp_world *w, perp_pair_law law);
/** @} */

/** @name Joints
 *  @{ */
/** Adds a joint. PERP_E_ARG, PERP_E_MEMORY. */
PERP_API perp_status perp_joint_add(perp_world *w, const perp_joint_def *def, perp_joint_id *out);
/** Ids of all joints in order of their slots; writes at most `max`. @return number of joints */
PERP_API int perp_world_joints(const perp_world *w, perp_joint_id *out, int max);
/** The first joint of that name; {0} if there is none. Linear search. */
PERP_API perp_joint_id perp_joint_find(const perp_world *w, const char *name);
/** A joint in its present state, as a definition that adds the same joint; name borrowed until it is removed. PERP_E_ARG if
 *  stale. */
PERP_API perp_status perp_joint_get(const perp_world *w, perp_joint_id j, perp_joint_def *out);
/** Removes a joint. */
PERP_API perp_status perp_joint_remove(perp_world *w, perp_joint_id j);
/** Coordinates of a joint and their rates, perp_joint_ncoord() of each; angles are not wrapped. Either pointer may be
 *  NULL. */
PERP_API perp_status perp_joint_read(const perp_world *w, perp_joint_id j, double *coord, double *rate);
/** Constraint impulse of the last step on body B: linear at the origin of Jb and angular, in W [M L/T, M L^2/T]. Motors,
 *  limits and the other fields of perp_joint_axis are included. For a coupling or tendon, force.x is the impulse along its
 *  coordinate. */
PERP_API perp_status perp_joint_impulse(const perp_world *w, perp_joint_id j, perp_wrench *out);
/** Position error of a joint: distance [L] and angle [rad] between its frames in the locked directions. */
PERP_API perp_status perp_joint_error(const perp_world *w, perp_joint_id j, double *position, double *angle);
/** Changes motor, limits, spring and friction of one coordinate. */
PERP_API perp_status perp_joint_set_axis(perp_world *w, perp_joint_id j, int coord, const perp_joint_axis *axis);
/** @} */

/** @name Forces
 *  @{ */
/** Adds a force element. PERP_E_ARG, PERP_E_MEMORY. */
PERP_API perp_status perp_force_add(perp_world *w, const perp_force_def *def, perp_force_id *out);
/** Number of force elements. */
PERP_API int perp_world_force_count(const perp_world *w);
/** Ids of all force elements in order of their slots; writes at most `max`. @return number of force elements */
PERP_API int perp_world_forces(const perp_world *w, perp_force_id *out, int max);
/** A force element in its present state, as a definition that adds the same element. PERP_E_ARG if stale. */
PERP_API perp_status perp_force_get(const perp_world *w, perp_force_id f, perp_force_def *out);
/** Removes a force element. */
PERP_API perp_status perp_force_remove(perp_world *w, perp_force_id f);
/** Changes target and target_rate of a PD controller. */
PERP_API perp_status perp_force_set_target(perp_world *w, perp_force_id f, double target, double target_rate);
/** @} */

#ifdef __cplusplus
}
#endif
#endif

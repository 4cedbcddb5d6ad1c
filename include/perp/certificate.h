/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file certificate.h
 *  The certificate of a step: residuals of the laws, overlap of the bodies, energy balance. */
#ifndef PERP_CERTIFICATE_H
#define PERP_CERTIFICATE_H

#include "perp/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Energy ledger of a step (or of several, summed) [M L^2/T^2]:
 *
 *      kinetic_after - kinetic_before = the sum of all entries below
 *
 *  For forces with a potential, the entry is the decrease of the potential, computed from the poses. All other entries are the
 *  work of impulses at the mean of the velocities before and after. A step evaluates forces at one pose and moves to another,
 *  so the work of its impulses differs from the decrease of the potential. `sampling` and `drift` are this difference, by
 *  closed forms for each stepper. `remainder` therefore checks impulses, motion and ledger at once. */
typedef struct perp_ledger {
    double kinetic_before, kinetic_after;
    double gravity;   /**< decrease of the potential of gravity, from the poses */
    double spring;    /**< decrease of spring energy: between points, in joints, in compliant contacts and joints */
    double applied;   /**< work of applied forces and force controllers */
    double damping;   /**< work of dampers and drags between points */
    double kinematic; /**< work of kinematic bodies through contacts, joints and springs, and of moving surfaces */
    double joint;     /**< work of bilateral joint impulses, their stabilisation and correction */
    double motor;     /**< work of joint motors */
    double
        armature; /**< decrease of the energy of joint rotors (perp_joint_axis.armature), which is not in `kinetic` */
    double joint_loss; /**< work of joint dampers, dry friction and limits */
    double normal;     /**< work of normal contact impulses (impact loss) */
    double friction;   /**< work of friction impulses; positive only in a step in which slip reverses */
    double turning;    /**< 3D: error from the rotation of the inertia: rounding, except with corrected joints */
    /** What joints take from velocities that were given to bodies and contradict them: the loss of an impact before the step. */
    double start;
    /** Difference because velocities and poses belong to different times. It alternates and does not accumulate. In free fall
     *  with a plain start it is -1/2 m g^2 h t. */
    double sampling;
    /** Gain or loss by the integration rule; for springs O(h^3) in a step. In staggered worlds without gravity, springs and
     *  motors, also the error of second order of the shown velocities, after steps in which nothing jumps. */
    double drift;
    double remainder; /**< kinetic_after - kinetic_before - all of the above: rounding only */
} perp_ledger;

/** Range of the energies over the summed steps, to compare errors with [M L^2/T^2]. */
typedef struct perp_energy_extent {
    double kinetic;        /**< largest kinetic energy */
    double low, high;      /**< smallest and largest change of the potential energy since the start: low <= 0 <= high */
    double fall;           /**< 1/2 sum m (g h)^2: energy of one step of free fall; smaller energies are not resolved */
    double drift, drift_t; /**< largest |sum of drift + joint| so far, and its time [T] */
} perp_energy_extent;

/** Certificate of a step, measured on the next state before it is committed. Velocities are largest absolute values. */
typedef struct perp_certificate {
    double t;               /**< time at the end of the step [T] */
    double h;               /**< step [T] */
    bool accepted;          /**< the laws hold to the world's tolerance */
    perp_step_residual law; /**< residuals of the laws (worst substep) [L/T] */
    double joint_error;     /**< largest joint position error at the end pose (worst substep) [L or rad] */
    /** Largest estimated error of a part of the step, divided by perp_world_def.error_tolerance; 0: not estimated. */
    double error;
    /** Degrees of freedom whose motion the laws do not determine, in the worst part. The least motion was taken. See stepper
     *  "quasistatic". */
    int ambiguous;
    /** Deepest true overlap of any two bodies at the end pose (worst substep) [L], >= 0. For a compliant pair, only the depth
     *  beyond the compression that its law explains by the force, or beyond its layer. */
    double overlap;
    double compression; /**< largest compression of a compliant contact that its law explains by the force [L], >= 0 */
    /** Pairs of shapes that rebounded with less than their restitution, because the full rebound would have gained energy. A
     *  pair counts in each part of the step in which this happened. */
    int rebounds_limited;
    /** Number of: parts of the step that had a solution only without restitution; impacts and ends of steps that were solved
     *  without restitution because there were too many impacts, or too many passes of one impact; and pairs that were brought
     *  to rest because their impacts accumulate within the step. */
    int rebounds_given_up;
    /** Energy that contacts added, summed over the parts and islands in which they added any; the laws allow none
     *  [M L^2/T^2]. Energy of compliant surfaces does not count. */
    double gain;
    /** Largest gain of an island, 0 to 1, as a fraction of the sum of the island's energy before, the energy of a step of free
     *  fall, and the gain itself. */
    double gain_part;
    int gain_shape[2]; /**< slots of two shapes in that island, -1 if none */
    /** Energy that rebounding contacts took along their normals beyond what their restitution allows: rebounds that were
     *  limited, given up or missed [M L^2/T^2]. Exact without friction. */
    double rebound_lost;
    /** Distance by which a sticking contact moved along the surface, in the frame of the body that it sticks to, with the
     *  finite rotations of both bodies. The largest distance of each part, summed over the parts: no contact crept farther
     *  while it stuck [L]. */
    double creep;
    /** Angular momentum that joints and contacts created or removed within a part of the step, in an island that is not
     *  connected to an obstacle or a driven body. The largest, as a fraction of the island's own angular momentum: sum
     *  m |x - X| |v - V| + |I w| at both ends, with X and V of its centre of mass. 0 to 1; the laws allow none. */
    double twist;
    int overlap_shape[2]; /**< slots of the two shapes of the deepest overlap, -1 if none */
    /** Parts of the step in which a driven body was jammed. Either it moved on into a body that could not move; or it dragged a
     *  body that is locked in a wedge, and was given the friction that it would have at rest. These two only with the contact
     *  model "peg"; with others such a step has no solution. Or it stalled at a dead point of a mechanism, where it would have
     *  forced speeds far above its own, and passed into it. Not recorded. */
    int jams;
    double jam_depth; /**< deepest penetration at the end of such a part [L]; 0: it only dragged */
    int jam_shape[2]; /**< slots of a shape of the driven body and of the body that it jammed there, -1 if none */
    /** Parts of the step in which a motor without force limit yielded: no solution reached its speed, and it pressed with a
     *  large force instead (docs/theory.md). Not recorded. */
    int motor_yields;
    int yield_joint; /**< slot of a joint whose motor yielded; meaningful if motor_yields > 0 */
    /** Parts of the step in which rigid contacts and joints of a jammed island gave way, because there was no solution
     *  otherwise (docs/theory.md). Not recorded. */
    int gives;
    /** Largest speed at which one of them gave way, as a fraction of the velocities in the problem, 0 to 1. It is a violation
     *  of the laws: law.normal and law.joint include it. */
    double give;
    /** 1: the contact model or the stepper found no solution of the step, and another one solved it: `peg` for `lnc` and `peg-mixed`,
     *  `stewart-trinkle` for `nonconvex-lcp` and `second-order`, friction cones for pyramids in 3D. Not recorded. */
    int handed_over;
    int contacts;                      /**< contacts in the problem */
    int separating, sticking, sliding; /**< contacts by state; they add up to `contacts` */
    int unknowns;                      /**< size of the largest complementarity problem, of any island and substep */
    int substeps;                      /**< 1 if the step was solved whole */
    int rejected;                      /**< parts that were solved, and rejected because their error was too large */
    int fallbacks; /**< solves that needed a fallback solver; with PERP_GEOMETRY_END also the parts whose contacts had to
                        be taken at the start of the step */
    /** Solver whose answer was accepted (last substep); "" if there was nothing to solve. Valid for the life of the program. */
    const char *solver;
    int iterations;     /**< total over substeps */
    double residual;    /**< complementarity residual measured by the judge (worst substep) */
    perp_ledger ledger; /**< summed over substeps */
    perp_energy_extent extent;
} perp_certificate;

/** Initialiser: an empty certificate. It names no shapes and no solver; its numbers are 0. */
#define PERP_CERTIFICATE_NONE \
    { .gain_shape = {-1, -1}, .overlap_shape = {-1, -1}, .jam_shape = {-1, -1}, .solver = "" }

/** Adds the certificate of a further step to a sum over steps: residuals, overlap and joint error are the worst; counts and
 *  energies are summed; contact states and solver are those of the later step. Start from {0}.
 *
 *      perp_certificate run = {0}, step;
 *      while (... && !perp_world_step(w, &step)) perp_certificate_add(&run, &step);
 *      // run.overlap: deepest overlap of the run; run.ledger: its energy account
 */
PERP_API void perp_certificate_add(perp_certificate *sum, const perp_certificate *step);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file certificate.h
 *  What every step comes with: how well the laws hold, how deep bodies overlap, where the energy went. */
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
 *  Forces with a potential enter by what the potential lost, taken from the poses. All other entries are the work of
 *  impulses at the mean of the velocities before and after. A step that takes forces at one place and moves to another does
 *  not turn one energy into the other exactly: `sampling` and `drift` are that difference, from closed forms of each
 *  stepper, so that `remainder` checks kicks, motion and account at once. */
typedef struct perp_ledger {
    double kinetic_before, kinetic_after;
    double gravity;   /**< what the potential of gravity lost, from the poses */
    double spring;    /**< what springs lost: between points, in joints, in contacts and joints that give way */
    double applied;   /**< work of applied forces and force controllers */
    double damping;   /**< dampers and drags between points */
    double kinematic; /**< done by kinematic bodies through contacts, joints and springs, and by surfaces that move */
    double joint;     /**< bilateral joint impulses, their stabilisation and correction */
    double motor;     /**< joint motors */
    double
        armature; /**< what the rotors of joints lost (perp_joint_axis.armature); kinetic energies are those of bodies */
    double joint_loss; /**< joint dampers, dry friction and limits */
    double normal;     /**< normal contact impulses (impact loss) */
    double friction;   /**< friction impulses; positive only in a step in which slip reverses */
    double turning;    /**< 3D: left by the turning of the inertia: rounding, but for corrected joints */
    double start;      /**< velocities that are moved back before a step: 0, since those that are shown stay */
    /** Velocities that belong to another time than the poses: it comes and goes with them and never adds up. In free fall
     *  with a plain start -1/2 m g^2 h t. */
    double sampling;
    double drift;     /**< what the rule of the stepper gains or loses for good; of springs O(h^3) in a step */
    double remainder; /**< kinetic_after - kinetic_before - all of the above: rounding only */
} perp_ledger;

/** How far energies went while they were added up, to compare errors with [M L^2/T^2]. */
typedef struct perp_energy_extent {
    double kinetic;        /**< largest kinetic energy */
    double low, high;      /**< of potential energies, from where they were at the start: at most 0, at least 0 */
    double fall;           /**< 1/2 sum m (g h)^2: what one step of free fall gives; below that nothing is resolved */
    double drift, drift_t; /**< largest |drift + joint| that had come together, and when [T] */
} perp_energy_extent;

/** Certificate of a step, measured on the next state before it is committed. Velocities are largest absolute values. */
typedef struct perp_certificate {
    double t; /**< time at the end of the step [T] */
    double h; /**< step [T] */
    bool accepted;
    perp_step_residual law; /**< residuals of the laws (worst substep) [L/T] */
    double joint_error;     /**< largest joint position error at the end pose (worst substep) [L or rad] */
    double error;           /**< largest estimated error of a part of the step over what the world allows (see
                         perp_world_def.error_tolerance); 0: not estimated */
    int ambiguous; /**< degrees of freedom whose motion the laws leave open, in the worst part: of all motions the least
                         was taken; see stepper "quasistatic" */
    /** Deepest true overlap of any two bodies at the end pose (worst substep) [L], >= 0. Of a pair that gives way: beyond
     *  what its law of compliance makes of the force found, or beyond its layer. */
    double overlap;
    double compression; /**< deepest overlap that such laws explain: how far surfaces are pressed in [L], >= 0 */
    /** Pairs of shapes that left with less than their restitution, because all of it would have gained energy; a pair
     *  counts in each part of the step in which it did. */
    int rebounds_limited;
    /** Parts of the step that had an answer only without restitution: nothing bounced in them; rests of steps, or impacts, that
     *  went without after too many impacts, or passes of one; and pairs that were brought to rest because their impacts accumulate within
     *  the step. */
    int rebounds_given_up;
    /** Energy that contacts added, over the parts of the step and the islands in which they added any; the laws allow none
     *  [M L^2/T^2]. Energy of surfaces that give way does not count. */
    double gain;
    /** The largest of them, 0 to 1: as a part of what its island had before, of what a step of fall gives it, and of itself. */
    double gain_part;
    int gain_shape[2]; /**< slots of two shapes in that island, -1 if none */
    /** Energy that contacts which bounce took along their normals beyond what their restitution lets them take: rebounds
     *  that were limited, given up or missed [M L^2/T^2]. Exact without friction. */
    double rebound_lost;
    /** How far a contact that sticks moved along the surface, in the frame of the body it sticks to, over the finite turns of both;
     *  the farthest of each part, added up: no contact crept farther while it stuck [L]. */
    double creep;
    /** Angular momentum that joints and contacts made or took within a part of the step, in an island of bodies that nothing fixed or driven
     *  holds; the largest, as a part of the island's own: sum m |x - X| |v - V| + |I w| at both ends, X and V of its centre of mass.
     *  0 to 1; the laws allow none. */
    double twist;
    int overlap_shape[2]; /**< slots of the two shapes of the deepest overlap, -1 if none */
    /** Parts of the step in which a driven body was jammed: it pushed what could not give way, went on as it is driven,
     *  and into it; or it dragged something into a wedge that locks itself, and slid on below it, with the friction that
     *  it would have at rest. With the contact model "peg"; with others such a step has no answer. Recordings lack it. */
    int jams;
    double
        jam_depth; /**< how deep it was in at the end of such a part, where that is deepest [L]; 0: it only dragged */
    int jam_shape[2]; /**< slots of a shape of the driven body, and of the one that it jammed there, -1 if none */
    /** Parts of the step in which a motor without force limit yielded: its speed had no answer, and it pressed with a large
     *  force instead (docs/theory.md). Recordings lack it. */
    int motor_yields;
    int yield_joint; /**< slot of a joint whose motor yielded; meaningful if motor_yields > 0 */
    /** Parts of the step in which rigid contacts and joints gave way, since a jammed island had no answer otherwise
     *  (docs/theory.md). Recordings lack it. */
    int gives;
    /** The largest speed at which one of them gave way, as a part of the speeds at hand, 0 to 1. It is a violation of the laws:
     *  law.normal and law.joint have it too. */
    double give;
    /** 1: the contact model or the stepper had no answer for the step, and the one that takes such steps did it: `peg` for
     *  `peg-mixed`, `stewart-trinkle` for `nonconvex-lcp`. Recordings lack it. */
    int handed_over;
    int contacts;                      /**< contacts in the problem */
    int separating, sticking, sliding; /**< contacts by state; they add up to `contacts` */
    int unknowns;                      /**< size of the largest complementarity problem, of any island and substep */
    int substeps;                      /**< 1 if the step was solved whole */
    int rejected;                      /**< parts that were solved, and rejected because their error was too large */
    int fallbacks; /**< solves that needed another solver than the one chosen; parts of the step whose contacts had to act
                        at the start though PERP_GEOMETRY_END was asked for */
    /** Solver whose answer was taken (last substep); "" if there was nothing to solve. Borrowed for ever. */
    const char *solver;
    int iterations;     /**< total over substeps */
    double residual;    /**< complementarity residual measured by the judge (worst substep) */
    perp_ledger ledger; /**< summed over substeps */
    perp_energy_extent extent;
} perp_certificate;

/** Initialiser: the certificate of nothing. It names no shapes and no solver; its numbers are 0. */
#define PERP_CERTIFICATE_NONE \
    { .gain_shape = {-1, -1}, .overlap_shape = {-1, -1}, .jam_shape = {-1, -1}, .solver = "" }

/** Takes the certificate of a further step into a sum over steps: worst residuals and positions, added counts and
 *  energies; states and solver are those of the later one. Start from {0}.
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

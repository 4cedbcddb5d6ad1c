/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* layout.h - the layout of a recording: one table of all datasets, used by the writer, the reader and the
 * documentation.
 *
 * Every dataset has a place in the file, a type, and a shape of up to three extents: rows, columns (bodies, joints,
 * ...) and a width (3 for a vector). Extents that several datasets share have a name, and a reader checks that they
 * agree. */
#ifndef PP_LAYOUT_H
#define PP_LAYOUT_H

#include <hdf5.h>

#include "perp/recording.h"

typedef enum pp_type { PP_F64, PP_I32, PP_U32, PP_U64, PP_U8, PP_TEXT } pp_type;

/* Extents by name. X(name, letter in the documentation, meaning) */
#define PP_EXTENTS(X)                                                                  \
    X(ONE, "1", "no such extent")                                                      \
    X(FRAMES, "F", "frames")                                                           \
    X(CONTACTS, "N", "contacts of all frames together")                                \
    X(BODIES, "B", "bodies")                                                           \
    X(SHAPES, "S", "shapes")                                                           \
    X(SHAPES_1, "S+1", "shapes, and the end")                                          \
    X(VERTICES, "V", "corners of all shapes")                                          \
    X(FACES, "P", "faces of all shapes")                                               \
    X(FACES_1, "P+1", "faces, and the end")                                            \
    X(FACE_CORNERS, "Q", "corners of all faces")                                       \
    X(JOINTS, "J", "joints")                                                           \
    X(COORDS, "C", "joint coordinates")                                                \
    X(SPRINGS, "K", "springs between points")                                          \
    X(SENSORS, "I", "sensors")                                                         \
    X(READINGS, "R", "numbers of all sensors together")                                \
    X(ROLLING, "W", "2 if a law had rolling friction when the run began, otherwise 0") \
    X(MATERIALS, "M", "materials")                                                     \
    X(DEFINITIONS, "D", "parameters whose values were set for the run")                \
    X(PARAMETERS, "A", "declared parameters")                                          \
    X(STATE, "Z", "bytes of the saved state")
typedef enum pp_extent {
#define PP_EXTENT_ENUM(name, letter, meaning) PP_N_##name,
    PP_EXTENTS(PP_EXTENT_ENUM)
#undef PP_EXTENT_ENUM
        PP_EXTENT_COUNT
} pp_extent;

/* Further bits of `what`, in addition to those of perp_record. Only in worlds of dimension 2. */
#define PP_ONLY_2D (1u << 16)
/* Not in recordings of versions 1 and 2. */
#define PP_SINCE_3 (1u << 17)
/* Not in recordings of versions 1 to 3. */
#define PP_SINCE_4 (1u << 18)
/* Not in recordings of versions 1 to 4. */
#define PP_SINCE_5 (1u << 19)
/* Not in recordings of versions 1 to 5. */
#define PP_SINCE_6 (1u << 20)

/* Left out if there are no sensors, as in recordings of earlier programs without sensors. */
#define PP_OF_SENSORS (1u << 21)

/* X(id, path, type, rows, columns, width, what, unit, about). Datasets that do not change in a run come first: the reader needs their
 * extents for the others. */
#define PP_DATASETS(X)                                                                                                 \
    X(DEFINITION_NAME, "scene/definition_name", TEXT, DEFINITIONS, ONE, 0, 0, "",                                      \
      "parameter whose value was set for the run")                                                                     \
    X(DEFINITION_VALUE, "scene/definition_value", TEXT, DEFINITIONS, ONE, 0, 0, "", "the value, as text")              \
    X(PARAMETER_NAME, "scene/parameter_name", TEXT, PARAMETERS, ONE, 0, 0, "", "declared parameter")                   \
    X(PARAMETER_VALUE, "scene/parameter_value", F64, PARAMETERS, ONE, 0, 0, "", "its value in this run")               \
    X(PARAMETER_UNIT, "scene/parameter_unit", TEXT, PARAMETERS, ONE, 0, 0, "", "its unit, as the scene notes it")      \
    X(PARAMETER_ABOUT, "scene/parameter_about", TEXT, PARAMETERS, ONE, 0, 0, "", "what it is, as the scene notes it")  \
    X(MATERIAL_MU, "materials/mu", F64, MATERIALS, MATERIALS, 0, 0, "", "Coulomb friction of each pair of materials")  \
    X(MATERIAL_RESTITUTION, "materials/restitution", F64, MATERIALS, MATERIALS, 0, 0, "",                              \
      "Newton's restitution of each pair")                                                                             \
    X(BODY_NAME, "bodies/name", TEXT, BODIES, ONE, 0, 0, "", "name; body-3 for number 3 if it has none")               \
    X(BODY_KIND, "bodies/kind", U8, BODIES, ONE, 0, 0, "", "0 obstacle, 1 kinematic, 2 dynamic")                       \
    X(BODY_PARTICLE, "bodies/particle", U8, BODIES, ONE, 0, 0, "", "1: does not rotate")                               \
    X(BODY_MASS, "bodies/mass", F64, BODIES, ONE, 0, 0, "M", "mass; counts for dynamic bodies only")                   \
    X(BODY_INERTIA, "bodies/inertia", F64, BODIES, ONE, 9, 0, "M L^2",                                                 \
      "inertia about the centre of mass in body axes, column by column; 2D: only the last counts")                     \
    X(BODY_SUPPORT, "bodies/support", F64, BODIES, ONE, 9, PP_ONLY_2D | PP_SINCE_3, "L",                               \
      "the three support points, in body axes; all zero: none")                                                        \
    X(BODY_LABEL, "bodies/label", TEXT, BODIES, ONE, 0, PP_SINCE_6, "", "text to draw beside it; empty: none")         \
    X(SHAPE_BODY, "shapes/body", I32, SHAPES, ONE, 0, 0, "", "body that carries it")                                   \
    X(SHAPE_KIND, "shapes/kind", U8, SHAPES, ONE, 0, 0, "",                                                            \
      "0 particle, 1 sphere, 2 half-space, 3 box, 4 polygon, 5 polyhedron, 6 capsule, 7 ellipsoid, 8 superellipsoid, " \
      "9 cylinder, 10 intersection; kinds from 7 on have vertices and faces to draw them by")                          \
    X(SHAPE_POSE, "shapes/pose", F64, SHAPES, ONE, 7, 0, "L, 1", "frame of the shape in the body: x y z qw qx qy qz")  \
    X(SHAPE_RADIUS, "shapes/radius", F64, SHAPES, ONE, 0, 0, "L", "sphere, capsule, cylinder: radius")                 \
    X(SHAPE_HALF_SIZE, "shapes/half_size", F64, SHAPES, ONE, 3, 0, "L",                                                \
      "box: half edge lengths; ellipsoid, superellipsoid: half axes; capsule: half the length of its segment, which "  \
      "lies along x, then 0, 0; cylinder: 0, 0, half its length along z")                                              \
    X(SHAPE_NORMAL, "shapes/normal", F64, SHAPES, ONE, 3, 0, "", "half-space: outward unit normal")                    \
    X(SHAPE_OFFSET, "shapes/offset", F64, SHAPES, ONE, 0, 0, "L", "half-space: normal . x = offset on its surface")    \
    X(SHAPE_MATERIAL, "shapes/material", I32, SHAPES, ONE, 0, 0, "", "material")                                       \
    X(SHAPE_FIRST_VERTEX, "shapes/first_vertex", I32, SHAPES_1, ONE, 0, 0, "",                                         \
      "the corners of shape i are rows first_vertex[i] to first_vertex[i+1] of shapes/vertex")                         \
    X(SHAPE_FIRST_FACE, "shapes/first_face", I32, SHAPES_1, ONE, 0, 0, "",                                             \
      "the faces of shape i are first_face[i] to first_face[i+1]")                                                     \
    X(SHAPE_VERTEX, "shapes/vertex", F64, VERTICES, ONE, 3, 0, "L",                                                    \
      "corners of boxes, polygons, polyhedra in the frame of the shape")                                               \
    X(SHAPE_FACE_START, "shapes/face_start", I32, FACES_1, ONE, 0, 0, "",                                              \
      "the corners of face k are entries face_start[k] to face_start[k+1] of shapes/face_vertex")                      \
    X(SHAPE_FACE_VERTEX, "shapes/face_vertex", I32, FACE_CORNERS, ONE, 0, 0, "",                                       \
      "corners of the faces, counter-clockwise from outside, counted from the first of their shape")                   \
    X(SHAPE_VISUAL, "shapes/visual", U8, SHAPES, ONE, 0, PP_SINCE_6, "", "1: only drawn, without contacts")            \
    X(SHAPE_COLOUR, "shapes/colour", U32, SHAPES, ONE, 0, PP_SINCE_6, "", "0xffRRGGBB; 0: not set")                    \
    X(SHAPE_SURFACE, "shapes/surface_velocity", F64, SHAPES, ONE, 3, PP_SINCE_6, "L/T",                                \
      "velocity of the surface in body axes when the recording began; 0: at rest")                                     \
    X(SPRING_A, "springs/a", I32, SPRINGS, ONE, 0, PP_SINCE_6, "", "first body; -1: the world")                        \
    X(SPRING_B, "springs/b", I32, SPRINGS, ONE, 0, PP_SINCE_6, "", "second body")                                      \
    X(SPRING_POINT_A, "springs/point_a", F64, SPRINGS, ONE, 3, PP_SINCE_6, "L",                                        \
      "end on the first body, in its axes; of the world: in world axes")                                               \
    X(SPRING_POINT_B, "springs/point_b", F64, SPRINGS, ONE, 3, PP_SINCE_6, "L", "end on the second body")              \
    X(SPRING_REST, "springs/rest_length", F64, SPRINGS, ONE, 0, PP_SINCE_6, "L", "length without force")               \
    X(JOINT_NAME, "joints/name", TEXT, JOINTS, ONE, 0, 0, "", "name; joint-1 for number 1 if it has none")             \
    X(JOINT_KIND, "joints/kind", U8, JOINTS, ONE, 0, 0, "",                                                            \
      "0 fixed, 1 revolute, 2 prismatic, 3 cylindrical, 4 spherical, 5 universal, 6 planar, 7 coupling, 8 tendon")     \
    X(JOINT_A, "joints/a", I32, JOINTS, ONE, 0, 0, "", "first body; -1: the world")                                    \
    X(JOINT_B, "joints/b", I32, JOINTS, ONE, 0, 0, "", "second body; -1: none, of a coupling or tendon")               \
    X(JOINT_POSE_A, "joints/pose_a", F64, JOINTS, ONE, 7, 0, "L, 1",                                                   \
      "joint frame in the first body: x y z qw qx qy qz")                                                              \
    X(JOINT_POSE_B, "joints/pose_b", F64, JOINTS, ONE, 7, 0, "L, 1", "joint frame in the second body")                 \
    X(JOINT_FIRST_COORD, "joints/first_coordinate", I32, JOINTS, ONE, 0, 0, "",                                        \
      "its first column in frames/joint_coordinate and frames/joint_rate")                                             \
    X(JOINT_COORDS, "joints/coordinates", I32, JOINTS, ONE, 0, 0, "", "number of its coordinates")                     \
    X(SENSOR_NAME, "sensors/name", TEXT, SENSORS, ONE, 0, PP_OF_SENSORS, "",                                           \
      "name; sensor-1 for number 1 if it has none")                                                                    \
    X(SENSOR_KIND, "sensors/kind", U8, SENSORS, ONE, 0, PP_OF_SENSORS, "",                                             \
      "0 joint-position, 1 joint-velocity, 2 joint-force, 3 force, 4 torque, 5 contact-force, 6 contact-torque, "      \
      "7 accelerometer, 8 gyroscope")                                                                                  \
    X(SENSOR_UNIT, "sensors/unit", TEXT, SENSORS, ONE, 0, PP_OF_SENSORS, "", "unit of its numbers")                    \
    X(SENSOR_FIRST, "sensors/first_number", I32, SENSORS, ONE, 0, PP_OF_SENSORS, "",                                   \
      "its first column in frames/sensor; kinds 0 to 2 have one, others three")                                        \
    X(CHECK_STATE, "checkpoint/state", U8, STATE, ONE, 0, 0, "",                                                       \
      "state of the world at the last commit, for perp run --resume; attribute step: its step")                        \
    X(CHECK_SUMS, "checkpoint/sums", F64, ONE, ONE, 0, 0, "",                                                          \
      "2 x (number of figures), named in the attribute figures: certificate since the last frame; of all frames "      \
      "together")                                                                                                      \
    X(STEP, "frames/step", U64, FRAMES, ONE, 0, 0, "", "number of the step after which the frame was taken")           \
    X(TIME, "frames/time", F64, FRAMES, ONE, 0, 0, "T", "time")                                                        \
    X(POSITION, "frames/position", F64, FRAMES, BODIES, 3, PERP_RECORD_POSES, "L", "centre of mass, world axes")       \
    X(ORIENTATION, "frames/orientation", F64, FRAMES, BODIES, 4, PERP_RECORD_POSES, "",                                \
      "unit quaternion w x y z that takes body axes to world axes")                                                    \
    X(ANGLE, "frames/angle", F64, FRAMES, BODIES, 0, PERP_RECORD_POSES | PP_ONLY_2D, "rad",                            \
      "2D: rotation, counted without wrapping")                                                                        \
    X(VELOCITY, "frames/velocity", F64, FRAMES, BODIES, 3, PERP_RECORD_TWISTS, "L/T",                                  \
      "velocity of the centre of mass, world axes")                                                                    \
    X(SPIN, "frames/spin", F64, FRAMES, BODIES, 3, PERP_RECORD_TWISTS, "rad/T", "angular velocity, world axes")        \
    X(JOINT_COORDINATE, "frames/joint_coordinate", F64, FRAMES, COORDS, 0, PERP_RECORD_JOINTS, "L or rad",             \
      "joint coordinates; angles count turns")                                                                         \
    X(JOINT_RATE, "frames/joint_rate", F64, FRAMES, COORDS, 0, PERP_RECORD_JOINTS, "L/T or rad/T", "their rates")      \
    X(JOINT_IMPULSE, "frames/joint_impulse", F64, FRAMES, JOINTS, 6, PERP_RECORD_JOINTS, "M L/T, M L^2/T",             \
      "impulse of the last step on the second body, linear then angular about its joint frame, world axes")            \
    X(JOINT_ERROR, "frames/joint_error", F64, FRAMES, JOINTS, 2, PERP_RECORD_JOINTS, "L, rad",                         \
      "distance and angle between the joint frames in the locked directions")                                          \
    X(SENSOR, "frames/sensor", F64, FRAMES, READINGS, 0, PERP_RECORD_JOINTS | PP_OF_SENSORS, "as sensors/unit",        \
      "readings of the sensors; forces and accelerations are means over the last step")                                \
    X(CONTACT_FIRST, "contacts/first", U64, FRAMES, ONE, 0, PERP_RECORD_CONTACTS, "",                                  \
      "the contacts of frame f are rows first[f] to first[f] + count[f] of the datasets below")                        \
    X(CONTACT_COUNT, "contacts/count", U32, FRAMES, ONE, 0, PERP_RECORD_CONTACTS, "",                                  \
      "number of contacts of the frame")                                                                               \
    X(CONTACT_BODY, "contacts/body", I32, CONTACTS, ONE, 2, PERP_RECORD_CONTACTS, "", "the two bodies A, B")           \
    X(CONTACT_SHAPE, "contacts/shape", I32, CONTACTS, ONE, 2, PERP_RECORD_CONTACTS, "", "the two shapes")              \
    X(CONTACT_FEATURE, "contacts/feature", U64, CONTACTS, ONE, 0, PERP_RECORD_CONTACTS, "",                            \
      "the same pair of features has the same number in every frame")                                                  \
    X(CONTACT_POINT_A, "contacts/point_a", F64, CONTACTS, ONE, 3, PERP_RECORD_CONTACTS, "L",                           \
      "point on A before the step, world axes")                                                                        \
    X(CONTACT_POINT_B, "contacts/point_b", F64, CONTACTS, ONE, 3, PERP_RECORD_CONTACTS, "L", "point on B")             \
    X(CONTACT_NORMAL, "contacts/normal", F64, CONTACTS, ONE, 3, PERP_RECORD_CONTACTS, "", "unit normal n from A to B") \
    X(CONTACT_TANGENT, "contacts/tangent", F64, CONTACTS, ONE, 3, PERP_RECORD_CONTACTS, "",                            \
      "unit tangent t; the third axis is o = n x t")                                                                   \
    X(CONTACT_GAP, "contacts/gap", F64, CONTACTS, ONE, 0, PERP_RECORD_CONTACTS, "L",                                   \
      "gap before the step, < 0: overlap")                                                                             \
    X(CONTACT_GAP_END, "contacts/gap_end", F64, CONTACTS, ONE, 0, PERP_RECORD_CONTACTS, "L",                           \
      "linearised gap after the step")                                                                                 \
    X(CONTACT_MU, "contacts/mu", F64, CONTACTS, ONE, 0, PERP_RECORD_CONTACTS, "", "Coulomb friction")                  \
    X(CONTACT_IMPULSE, "contacts/impulse", F64, CONTACTS, ONE, 3, PERP_RECORD_CONTACTS, "M L/T",                       \
      "impulse on B along n, t, o")                                                                                    \
    X(CONTACT_SPIN, "contacts/spin_impulse", F64, CONTACTS, ONE, 0, PERP_RECORD_CONTACTS | PP_SINCE_3, "M L^2/T",      \
      "angular impulse on B about n, where friction resists spin")                                                     \
    X(CONTACT_ROLL, "contacts/roll_impulse", F64, CONTACTS, ROLLING, 0, PERP_RECORD_CONTACTS, "M L^2/T",               \
      "angular impulse on B about t and o, where friction resists rolling; left out if W = 0")                         \
    X(CONTACT_STATE, "contacts/state", U8, CONTACTS, ONE, 0, PERP_RECORD_CONTACTS, "",                                 \
      "0 separating, 1 sticking, 2 sliding")                                                                           \
    X(CERT_H, "certificate/h", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "T",                                      \
      "time of all steps since the previous frame")                                                                    \
    X(CERT_LAW, "certificate/law", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "",                                   \
      "worst of the five residuals below as a fraction of the speeds in its step")                                     \
    X(CERT_MOMENTUM, "certificate/momentum", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L/T",                      \
      "residual of the momentum balance")                                                                              \
    X(CERT_JOINT, "certificate/joint", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L/T",                            \
      "residual of the joint laws")                                                                                    \
    X(CERT_NORMAL, "certificate/normal", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L/T",                          \
      "residual of non-penetration")                                                                                   \
    X(CERT_CONE, "certificate/cone", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L/T", "friction outside its cone") \
    X(CERT_DISSIPATION, "certificate/dissipation", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L/T",                \
      "violation of maximum dissipation")                                                                              \
    X(CERT_SCALE, "certificate/scale", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L/T",                            \
      "speed that the residuals are compared with")                                                                    \
    X(CERT_JOINT_ERROR, "certificate/joint_error", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L or rad",           \
      "largest joint position error")                                                                                  \
    X(CERT_ERROR, "certificate/error", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_3, "",                  \
      "largest estimated error of a step as a fraction of the tolerance; 0: not estimated")                            \
    X(CERT_AMBIGUOUS, "certificate/ambiguous", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_3, "",          \
      "degrees of freedom that the laws do not determine; the least motion was chosen")                                \
    X(CERT_LIMITED, "certificate/rebounds_limited", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_4, "",     \
      "pairs of shapes that left with less than their restitution, which would have gained energy; in each part of a " \
      "step")                                                                                                          \
    X(CERT_GIVEN_UP, "certificate/rebounds_given_up", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_4, "",   \
      "parts of steps that had a solution only without restitution")                                                   \
    X(CERT_GAIN, "certificate/gain", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_5, "M L^2/T^2",           \
      "energy that contacts added, summed over all parts and islands that gained")                                     \
    X(CERT_GAIN_PART, "certificate/gain_part", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_5, "",          \
      "largest gain of an island as a fraction of its energy")                                                         \
    X(CERT_GAIN_SHAPE, "certificate/gain_shape", I32, FRAMES, ONE, 2, PERP_RECORD_CERTIFICATE | PP_SINCE_5, "",        \
      "two shapes of that island; -1: none")                                                                           \
    X(CERT_REBOUND_LOST, "certificate/rebound_lost", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_5,        \
      "M L^2/T^2", "energy that rebounding contacts took beyond what restitution allows")                              \
    X(CERT_CREEP, "certificate/creep", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_5, "L",                 \
      "largest distance by which a sticking contact moved along the surface")                                          \
    X(CERT_TWIST, "certificate/twist", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_6, "",                  \
      "largest error of the angular momentum of an island without obstacles and driven bodies, in a part of a step")   \
    X(CERT_FALL, "certificate/fall", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE | PP_SINCE_5, "M L^2/T^2",           \
      "energy of one step of free fall; smaller energies are not resolved")                                            \
    X(CERT_OVERLAP, "certificate/overlap", F64, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "L",                          \
      "deepest true overlap of two bodies")                                                                            \
    X(CERT_OVERLAP_SHAPE, "certificate/overlap_shape", I32, FRAMES, ONE, 2, PERP_RECORD_CERTIFICATE, "",               \
      "the two shapes of that overlap; -1: none")                                                                      \
    X(CERT_CONTACTS, "certificate/contacts", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "",                         \
      "contacts in the last step")                                                                                     \
    X(CERT_SEPARATING, "certificate/separating", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "",                     \
      "those without impulse")                                                                                         \
    X(CERT_STICKING, "certificate/sticking", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "", "those that stick")     \
    X(CERT_SLIDING, "certificate/sliding", I32, FRAMES, ONE, 0, PERP_RECORD_CERTIFICATE, "", "those that slide")       \
    X(SOLVER_UNKNOWNS, "solver/unknowns", I32, FRAMES, ONE, 0, PERP_RECORD_SOLVER, "", "size of the largest problem")  \
    X(SOLVER_SUBSTEPS, "solver/substeps", I32, FRAMES, ONE, 0, PERP_RECORD_SOLVER, "",                                 \
      "parts that the steps were solved in")                                                                           \
    X(SOLVER_REJECTED, "solver/rejected", I32, FRAMES, ONE, 0, PERP_RECORD_SOLVER | PP_SINCE_3, "",                    \
      "parts that were solved and rejected for their error")                                                           \
    X(SOLVER_FALLBACKS, "solver/fallbacks", I32, FRAMES, ONE, 0, PERP_RECORD_SOLVER, "",                               \
      "solves that needed another solver")                                                                             \
    X(SOLVER_ITERATIONS, "solver/iterations", I32, FRAMES, ONE, 0, PERP_RECORD_SOLVER, "", "iterations in all")        \
    X(SOLVER_RESIDUAL, "solver/residual", F64, FRAMES, ONE, 0, PERP_RECORD_SOLVER, "",                                 \
      "worst complementarity residual")                                                                                \
    X(SOLVER_SOLVER, "solver/solver", U8, FRAMES, ONE, 0, PERP_RECORD_SOLVER, "",                                      \
      "solver of the last step, counted in the attribute names; 255: nothing to solve")                                \
    X(LEDGER_BEFORE, "ledger/kinetic_before", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                    \
      "kinetic energy before the steps since the previous frame")                                                      \
    X(LEDGER_AFTER, "ledger/kinetic_after", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                      \
      "kinetic energy after these steps")                                                                              \
    X(LEDGER_GRAVITY, "ledger/gravity", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                          \
      "decrease of the potential of gravity")                                                                          \
    X(LEDGER_APPLIED, "ledger/applied", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                          \
      "work of applied forces and controllers")                                                                        \
    X(LEDGER_SPRING, "ledger/spring", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                            \
      "decrease of spring energy")                                                                                     \
    X(LEDGER_DAMPING, "ledger/damping", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER | PP_SINCE_5, "M L^2/T^2",             \
      "work of dampers and drags between points")                                                                      \
    X(LEDGER_KINEMATIC, "ledger/kinematic", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                      \
      "work of kinematic bodies")                                                                                      \
    X(LEDGER_JOINT, "ledger/joint", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                              \
      "work of bilateral joint impulses")                                                                              \
    X(LEDGER_MOTOR, "ledger/motor", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2", "work of joint motors")      \
    X(LEDGER_ARMATURE, "ledger/armature", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER | PP_SINCE_6, "M L^2/T^2",           \
      "decrease of the energy of joint rotors")                                                                        \
    X(LEDGER_JOINT_LOSS, "ledger/joint_loss", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                    \
      "work of joint dampers, dry friction and limits")                                                                \
    X(LEDGER_NORMAL, "ledger/normal", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                            \
      "work of normal contact impulses")                                                                               \
    X(LEDGER_FRICTION, "ledger/friction", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                        \
      "work of friction impulses")                                                                                     \
    X(LEDGER_TURNING, "ledger/turning", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                          \
      "error from the rotation of the inertia")                                                                        \
    X(LEDGER_START, "ledger/start", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER | PP_SINCE_5, "M L^2/T^2",                 \
      "what joints take of given velocities that contradict them")                                                     \
    X(LEDGER_SAMPLING, "ledger/sampling", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER | PP_SINCE_5, "M L^2/T^2",           \
      "difference because velocities and poses belong to different times; does not accumulate")                        \
    X(LEDGER_DRIFT, "ledger/drift", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER | PP_SINCE_5, "M L^2/T^2",                 \
      "permanent gain or loss by the integration rule")                                                                \
    X(LEDGER_REMAINDER, "ledger/remainder", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2", "rounding")          \
    X(ENERGY_KINETIC, "energy/kinetic", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                          \
      "kinetic energy at the frame")                                                                                   \
    X(ENERGY_GRAVITY, "energy/gravity", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2",                          \
      "potential energy of gravity, 0 at the origin")                                                                  \
    X(ENERGY_SPRING, "energy/spring", F64, FRAMES, ONE, 0, PERP_RECORD_LEDGER, "M L^2/T^2", "energy of springs")       \
    X(SECONDS, "timing/seconds", F64, FRAMES, ONE, 0, 0, "s", "wall time since the run began; differs from run to run")

typedef enum pp_dataset {
#define PP_DATASET_ENUM(id, ...) PP_D_##id,
    PP_DATASETS(PP_DATASET_ENUM)
#undef PP_DATASET_ENUM
        PP_DATASET_COUNT
} pp_dataset;

typedef struct pp_entry {
    const char *path;
    pp_type type;
    pp_extent rows, cols;
    int width; /* 0: none */
    unsigned what;
    const char *unit, *about;
} pp_entry;
extern const pp_entry pp_layout[PP_DATASET_COUNT];

/* Shape of a dataset for given extents: returns the rank and fills dims[3]. */
int pp_layout_dims(pp_dataset d, const uint64_t *extent, hsize_t *dims);
/* Numbers in a row. */
uint64_t pp_layout_row(pp_dataset d, const uint64_t *extent);
/* Whether a recording with these choices has the dataset. A dataset without columns is left out. */
bool pp_layout_present(pp_dataset d, unsigned what, int dim, int version, const uint64_t *extent);
static inline bool pp_layout_grows(pp_dataset d) {
    return pp_layout[d].rows == PP_N_FRAMES || pp_layout[d].rows == PP_N_CONTACTS;
}
/* Bytes of one number; TEXT: 1. */
size_t pp_type_size(pp_type t);
/* Type in the file and in memory, to be closed with H5Tclose. TEXT: `size` bytes, in memory with a final zero within
 * size + 1. */
hid_t pp_type_file(pp_type t, size_t size);
hid_t pp_type_memory(pp_type t, size_t size);
/* "64-bit floats": for messages and documentation. */
const char *pp_type_words(pp_type t);
const char *pp_extent_letter(pp_extent e);
/* The table in Markdown, as docs/recording.md has it between its markers; returns the length without the final zero, as
 * snprintf does. */
size_t pp_layout_table(char *buf, size_t size);
/* The groups, parents first; NULL ends. */
extern const char *const pp_layout_groups[];

/* A certificate, and the law residual as a fraction of the speeds of its own step. */
typedef struct pp_sum {
    perp_certificate c;
    double law;
} pp_sum;
/* Adds a step (or the sum of a frame) to a sum. */
void pp_sum_add(pp_sum *sum, const pp_sum *step);
/* Largest law residual as a fraction of the speeds in the step: the scale of the step, at least `floor` (h |g|, the effect of gravity
 * in a step). If both are zero, the residual itself. */
double pp_law(const perp_step_residual *r, double floor);

/* Where the figures of a pp_sum are kept: datasets of one number for each frame, but for the two shapes. */
typedef struct pp_figure {
    pp_dataset d;
    size_t offset; /* in pp_sum */
    bool whole;    /* an int, not a double */
    int count;     /* numbers: 1 or 2 */
} pp_figure;
extern const pp_figure pp_figures[];
extern const int pp_nfigure;
/* Numbers of all figures together, and of the solver, in checkpoint/sums. */
int pp_figure_columns(void);
/* Whether the figure is a pair of shapes. Their numbers are slots in memory and indices in a file. */
static inline bool pp_figure_is_shape(pp_dataset d) {
    return d == PP_D_CERT_OVERLAP_SHAPE || d == PP_D_CERT_GAIN_SHAPE;
}

#define PP_NO_SOLVER   255u
#define PP_SOLVER_NAME 64 /* longest name of a solver with its final zero */

#endif

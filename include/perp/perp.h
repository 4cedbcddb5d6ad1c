/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file perp.h
 *  Includes every public header.
 *
 *  @mainpage perp: rigid bodies with frictional contact
 *
 *  perp steps worlds of rigid bodies and measures every step. The order of a program:
 *
 *  1. perp_world_create(): an empty world, with gravity, time step and methods (world.h);
 *     or perp_scene_open(): a world from a scene file (scene.h).
 *  2. perp_body_add(), perp_shape_add(), perp_joint_add(): its contents (world.h, shape.h, joint.h, drive.h).
 *  3. perp_world_step(): one time step. It fills a perp_certificate (certificate.h). If it fails, the world is unchanged and
 *     perp_world_why() gives the reason.
 *  4. perp_recording_open() and the recorder: results on disk (recording.h).
 *  5. perp_world_destroy().
 *
 *  | subject | header |
 *  |---|---|
 *  | worlds, bodies, steps, state | world.h |
 *  | poses and velocities of all bodies as arrays | view.h |
 *  | many copies of a world, stepped by several threads | batch.h |
 *  | shapes and mass properties | shape.h |
 *  | joints, limits, motors, springs | joint.h |
 *  | joint coordinates q, v, dynamics in them, sites, keyframes | joint_space.h |
 *  | actuators, pairs of bodies that never touch | actuator.h |
 *  | sensors of joints, bodies and sites | sensor.h |
 *  | driven bodies, controllers, your own forces | drive.h |
 *  | contacts of a step | contact.h |
 *  | certificate of a step | certificate.h |
 *  | scene files, recordings | scene.h, recording.h |
 *  | solvers without a world | solver.h, problem.h, problem_file.h, judge.h |
 *  | your own solver; lists of solvers, steppers and contact models | plugin.h |
 *  | many trials, design, estimation | ensemble.h, search.h, fit.h, filter.h, mpec.h, statistic.h, random.h |
 *  | derivatives through a step | tangent.h |
 *  | vectors, rotations, poses | math.h |
 *
 *  Functions that can fail return a perp_status (base.h). Sizes are in the units that you choose; angles are in radians.
 *  The folder docs/ has a guide for C (library.md), and the folder examples/ has programs that check their own results. */
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include "perp/actuator.h"
#include "perp/base.h"
#include "perp/batch.h"
#include "perp/certificate.h"
#include "perp/contact.h"
#include "perp/contradiction.h"
#include "perp/drive.h"
#include "perp/ensemble.h"
#include "perp/filter.h"
#include "perp/fit.h"
#include "perp/import.h"
#include "perp/input.h"
#include "perp/joint.h"
#include "perp/joint_space.h"
#include "perp/judge.h"
#include "perp/math.h"
#include "perp/mpec.h"
#include "perp/plugin.h"
#include "perp/problem.h"
#include "perp/problem_file.h"
#include "perp/random.h"
#include "perp/recording.h"
#include "perp/scene.h"
#include "perp/search.h"
#include "perp/sensor.h"
#include "perp/shape.h"
#include "perp/solve.h"
#include "perp/solver.h"
#include "perp/statistic.h"
#include "perp/step.h"
#include "perp/tangent.h"
#include "perp/view.h"
#include "perp/world.h"

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file sensor.h
 *  Sensors: named quantities of joints, bodies and sites that a robot would measure.
 *
 *      perp_sensor_def d = perp_sensor_def_default(PERP_SENSOR_ACCELEROMETER);
 *      d.site = perp_site_find(w, "imu");
 *      perp_sensor_id imu;
 *      if (perp_sensor_add(w, &d, &imu)) puts(perp_world_why(w));
 *      double a[3];
 *      perp_world_step(w, NULL);
 *      perp_sensor_read(w, imu, a);            // at rest: 9.81 along the site's axis that points up
 *
 *  | kind             | of         | numbers | value                                                              |
 *  |------------------|------------|---------|--------------------------------------------------------------------|
 *  | joint-position   | joint      | 1       | coordinate of the joint [L or rad]                                 |
 *  | joint-velocity   | joint      | 1       | its rate [L/T or rad/T]                                            |
 *  | joint-force      | joint      | 1       | force or torque on body B along the coordinate                     |
 *  | force            | A, B       | 3       | force of A on B, by joints and contacts between them [M L/T^2]     |
 *  | torque           | A, B       | 3       | torque of A on B, by the same [M L^2/T^2]                          |
 *  | contact-force    | B          | 3       | sum of the forces of all contacts on B                             |
 *  | contact-torque   | B          | 3       | sum of their torques                                               |
 *  | accelerometer    | site       | 3       | acceleration of the site's origin less gravity [L/T^2]             |
 *  | gyroscope        | site       | 3       | angular velocity of the site [rad/T]                               |
 *
 *  - A reading belongs to the time of the world: positions and velocities are those of that time. Forces, torques and accelerations are means
 *    over the step that ended then, so that an impact in it counts with its impulse over h. Before the first step, and after
 *    perp_world_set_state(), they are 0.
 *  - joint-force is all that acts along the coordinate: actuator, motor, spring and damper, dry friction, limits, and armature (a rotor that
 *    speeds up takes a part of what its actuator gives).
 *  - Accelerometer and gyroscope read in axes of their site. The wrench kinds have axes of `site` and torques about its origin if a site
 *    is given; else axes of the world and torques about the centre of mass of B. In 2D vectors have z = 0, and torques and angular
 *    velocities only z.
 *  - Joints transmit the forces of their actuators. Force elements (perp_force_def: springs, PD controllers, ...) do not count.
 *
 *  Sensors do not change the motion of a world. They are no part of its hash or of a saved state. */
#ifndef PERP_SENSOR_H
#define PERP_SENSOR_H

#include "perp/joint_space.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Id of a sensor; see base.h for ids. */
typedef struct perp_sensor_id {
    uint32_t slot, gen;
} perp_sensor_id;

/** Kinds of sensor. */
typedef enum perp_sensor_kind {
    PERP_SENSOR_JOINT_POSITION,
    PERP_SENSOR_JOINT_VELOCITY,
    PERP_SENSOR_JOINT_FORCE,
    PERP_SENSOR_FORCE,
    PERP_SENSOR_TORQUE,
    PERP_SENSOR_CONTACT_FORCE,
    PERP_SENSOR_CONTACT_TORQUE,
    PERP_SENSOR_ACCELEROMETER,
    PERP_SENSOR_GYROSCOPE,
    PERP_SENSOR_KIND_COUNT
} perp_sensor_kind;

/** Most numbers of a reading. */
#define PERP_SENSOR_MAX_SIZE 3

/** Definition of a sensor. Fields that the kind does not have are passed over. */
typedef struct perp_sensor_def {
    perp_sensor_kind kind;
    perp_joint_id joint; /**< joint kinds */
    int coord;           /**< coordinate of the joint */
    perp_body_id
        a; /**< force, torque: the body that pushes; {0}: the world. Contact kinds: only contacts with this body;
                              {0}: with all */
    perp_body_id b;    /**< wrench kinds: the body that is pushed */
    bool joints_only;  /**< force, torque: contacts between A and B do not count */
    perp_site_id site; /**< accelerometer, gyroscope: the frame. Wrench kinds: see above; {0}: none */
    const char *name;  /**< copied; NULL for none */
    uint32_t cookie;   /**< set by perp_sensor_def_default() */
} perp_sensor_def;

/** A sensor of this kind on nothing. */
PERP_API perp_sensor_def perp_sensor_def_default(perp_sensor_kind kind);
/** Numbers in a reading of a kind: 1 or 3; 0 if there is no such kind. */
PERP_API int perp_sensor_size(perp_sensor_kind kind);
/** The word of a kind, as in the table above; NULL if there is no such kind. */
PERP_API const char *perp_sensor_kind_name(perp_sensor_kind kind);
/** Adds a sensor; it is removed with the joint, body or site that it is on. PERP_E_ARG, PERP_E_MEMORY. @param out may be NULL */
PERP_API perp_status perp_sensor_add(perp_world *w, const perp_sensor_def *def, perp_sensor_id *out);
/** Removes a sensor. PERP_E_ARG if stale. */
PERP_API perp_status perp_sensor_remove(perp_world *w, perp_sensor_id s);
/** Ids of all sensors in order of their slots; writes at most `max`. @return number of sensors */
PERP_API int perp_world_sensors(const perp_world *w, perp_sensor_id *out, int max);
/** The first sensor of that name; {0} if there is none. */
PERP_API perp_sensor_id perp_sensor_find(const perp_world *w, const char *name);
/** What a sensor is, as a definition that would add it again; name borrowed until it is removed. PERP_E_ARG if stale. */
PERP_API perp_status perp_sensor_get(const perp_world *w, perp_sensor_id s, perp_sensor_def *out);
/** Reads a sensor. PERP_E_ARG if stale. @param value as many numbers as its kind has */
PERP_API perp_status perp_sensor_read(const perp_world *w, perp_sensor_id s, double *value);
/** Reads all sensors behind each other, in the order of perp_world_sensors(); writes at most `max` numbers. @return their number */
PERP_API int perp_world_sensor_data(const perp_world *w, double *value, int max);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file sensor.h
 *  Sensors: named measurements of joints, bodies and sites, as on a robot.
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
 *  | accelerometer    | site       | 3       | acceleration of the site's origin minus gravity [L/T^2]            |
 *  | gyroscope        | site       | 3       | angular velocity of the site [rad/T]                               |
 *
 *  - Positions and velocities are those at the time of the world. Forces, torques and accelerations are means over the step that
 *    ended at that time; an impact in it counts with its impulse divided by h. Before the first step, and after
 *    perp_world_set_state(), they are 0.
 *  - joint-force is the sum of all forces along the coordinate: actuator, motor, spring and damper, dry friction, limits, and
 *    armature (an accelerating rotor takes a part of the actuator's force).
 *  - Readings of accelerometers and gyroscopes are in axes of their site. If a wrench sensor has a site, its readings are in
 *    axes of the site and torques are about its origin; otherwise in axes of the world and about the centre of mass of B. In 2D
 *    vectors have z = 0, and torques and angular velocities only z.
 *  - The forces of actuators are forces of their joints. Force elements (perp_force_def: springs, PD controllers, ...) do not
 *    count.
 *
 *  Sensors do not change the motion of a world. They are not part of its hash or of a saved state. */
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

/** Largest number of values of a reading. */
#define PERP_SENSOR_MAX_SIZE 3

/** Definition of a sensor. Fields that the kind does not use are ignored. */
typedef struct perp_sensor_def {
    perp_sensor_kind kind;
    perp_joint_id joint; /**< joint kinds */
    int coord;           /**< coordinate of the joint */
    /** Force, torque: the body that exerts the force; {0}: the world. Contact kinds: only contacts with this body; {0}: with
     *  all. */
    perp_body_id a;
    perp_body_id b;    /**< wrench kinds: the body that the force acts on */
    bool joints_only;  /**< force, torque: contacts between A and B do not count */
    perp_site_id site; /**< accelerometer, gyroscope: the frame. Wrench kinds: see above; {0}: none */
    const char *name;  /**< copied; NULL for none */
    uint32_t cookie;   /**< set by perp_sensor_def_default() */
} perp_sensor_def;

/** A sensor of this kind, without joint, body or site. */
PERP_API perp_sensor_def perp_sensor_def_default(perp_sensor_kind kind);
/** Number of values in a reading of a kind: 1 or 3; 0 if there is no such kind. */
PERP_API int perp_sensor_size(perp_sensor_kind kind);
/** Name of a kind, as in the table above; NULL if there is no such kind. */
PERP_API const char *perp_sensor_kind_name(perp_sensor_kind kind);
/** Adds a sensor. It is removed together with its joint, body or site. PERP_E_ARG, PERP_E_MEMORY. @param out may be NULL */
PERP_API perp_status perp_sensor_add(perp_world *w, const perp_sensor_def *def, perp_sensor_id *out);
/** Removes a sensor. PERP_E_ARG if stale. */
PERP_API perp_status perp_sensor_remove(perp_world *w, perp_sensor_id s);
/** Ids of all sensors in order of their slots; writes at most `max`. @return number of sensors */
PERP_API int perp_world_sensors(const perp_world *w, perp_sensor_id *out, int max);
/** The first sensor of that name; {0} if there is none. */
PERP_API perp_sensor_id perp_sensor_find(const perp_world *w, const char *name);
/** A sensor as a definition that adds the same sensor; name borrowed until it is removed. PERP_E_ARG if stale. */
PERP_API perp_status perp_sensor_get(const perp_world *w, perp_sensor_id s, perp_sensor_def *out);
/** Reads a sensor. PERP_E_ARG if stale. @param value as many numbers as its kind has */
PERP_API perp_status perp_sensor_read(const perp_world *w, perp_sensor_id s, double *value);
/** Reads all sensors into one array, in the order of perp_world_sensors(); writes at most `max` numbers. @return number of values */
PERP_API int perp_world_sensor_data(const perp_world *w, double *value, int max);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_in.h - the structs that the maps of a scene file are read into; the lines of the tables fill their fields. Each begins with
 * pp_got, which has the place of every given key. */
#ifndef PP_SCENE_IN_H
#define PP_SCENE_IN_H

#include "perp/scene.h"
#include "scene/table.h"

#define PP_NAME_MAX 96 /* bytes of a name with its final zero */

/* A value in one of the trees; node 0: none. */
typedef struct pp_item {
    const pp_tree *tree;
    uint32_t node;
} pp_item;

typedef struct pp_got {
    const pp_map *map;
    int variant;  /* -1: the map has none */
    pp_item self; /* the map itself: the first layer */
    pp_item item[PP_MAP_KEYS];
    uint8_t layer[PP_MAP_KEYS]; /* 0: written here, others: taken from a template or an included file */
} pp_got;

typedef struct pp_name {
    char text[PP_NAME_MAX];
} pp_name;

typedef struct pp_numbers {
    int n;
    double v[8];
} pp_numbers;

/* Where the value of a field stands; node 0 if it was not given. */
pp_item pp_item_at(const pp_got *g, size_t offset);
#define PP_ITEM(in, field)  pp_item_at(&(in)->got, offsetof(__typeof__(*(in)), field))
#define PP_GIVEN(in, field) (PP_ITEM(in, field).node != 0)

typedef struct pp_top_in {
    pp_got got;
    int64_t perp, dim, seed;
    const char *title, *about;
    double press;
    pp_item units, include, parameters, stages, materials, law, laws, templates, models, bodies, joints, forces,
        actuators, controls, exclude, sites, sensors, keyframes, record, watch, shape_order;
    const char *state;
    double h, duration;
    perp_vec3 gravity;
    int start;
} pp_top_in;

typedef struct pp_units_in {
    pp_got got;
    const char *length, *mass, *time;
} pp_units_in;

typedef struct pp_stages_in {
    pp_got got;
    const char *detector, *contact_model, *stepper, *solver;
    pp_item fallback, settings;
    int geometry, driven, impacts, form, friction_frame;
    int64_t friction_directions, max_halvings;
    double error_tolerance, work_limit, time_limit;
    double tolerance, correction_position, correction_velocity;
    bool warm_start, joint_correction;
} pp_stages_in;

typedef struct pp_record_in {
    pp_got got;
    int64_t every, compression;
    double interval;
    pp_item what;
} pp_record_in;

typedef struct pp_law_in { /* law, and an entry of laws */
    pp_got got;
    pp_item pair;
    double mu, restitution, restitution_t, e_t, e_o, e_r, e_roll;
    int compliance;
    double stiffness, damping, stiffness_t, damping_t, layer;
} pp_law_in;

typedef struct pp_parameter_in {
    pp_got got;
    double initial, min, max;
    const char *unit, *about;
} pp_parameter_in;

typedef struct pp_body_in {
    pp_got got;
    pp_name name, like, material, label;
    int kind;
    perp_vec3 at, velocity, spin, force, torque, centre;
    perp_quat turn;
    double mass, density;
    pp_numbers inertia;
    bool particle, gravity;
    pp_item shape, shapes, motion, support, repeat;
    int64_t group, mask;
    int material_number; /* not a key: what `material` stands for */
} pp_body_in;

typedef struct pp_shape_in {
    pp_got got;
    pp_name material;
    perp_vec3 at, size, edges, half_edges, normal;
    perp_quat turn;
    double radius, offset, length, height;
    pp_item points;
    int64_t sides, facets, group, mask;
    int parts, mesh_parts, solid;
    const char *file;
    pp_numbers scale, powers;
    bool hull;
    perp_vec3 axes;
    double bound;
    pp_item functions, surface_velocity;
    bool visual;
    uint32_t colour;
} pp_shape_in;

typedef struct pp_function_in {
    pp_got got;
    double radius, offset;
    perp_vec3 axes, normal, at;
    perp_quat turn;
    pp_numbers powers;
} pp_function_in;

typedef struct pp_points_in {
    pp_got got;
    int64_t random;
    perp_vec3 in;
} pp_points_in;

typedef struct pp_turn_in {
    pp_got got;
    perp_vec3 axis, euler;
    double angle;
    pp_numbers quaternion;
} pp_turn_in;

typedef struct pp_formula_turn_in {
    pp_got got;
    pp_item axis, angle;
} pp_formula_turn_in;

typedef struct pp_motion_in {
    pp_got got;
    perp_vec3 velocity, spin;
    pp_item terms, rows, poses, at, turn;
    bool zero_mean;
} pp_motion_in;

typedef struct pp_support_in {
    pp_got got;
    double radius, angle;
    pp_item points;
    int64_t seed;
    pp_numbers mu;
} pp_support_in;

typedef struct pp_term_in {
    pp_got got;
    int axis;
    bool angular;
    double amplitude, omega, phase;
} pp_term_in;

typedef struct pp_axis_in {
    pp_got got;
    pp_numbers limits;
    pp_item motor, spring;
    double friction, armature;
} pp_axis_in;

typedef struct pp_motor_in {
    pp_got got;
    double speed, force;
} pp_motor_in;

typedef struct pp_spring_in {
    pp_got got;
    double stiffness, rest, damping;
} pp_spring_in;

typedef struct pp_actuator_in {
    pp_got got;
    pp_name name, joint;
    int64_t coordinate;
    double gear, kp, kv, ctrl_scale, ctrl_offset;
    pp_item ctrl;
    pp_numbers ctrl_range, force_range, joint_force_range;
} pp_actuator_in;

typedef struct pp_control_in {
    pp_got got;
    pp_name actuator;
    pp_item actuators, ctrl, points;
    int between;
} pp_control_in;

typedef struct pp_exclude_in {
    pp_got got;
    pp_name a, b;
} pp_exclude_in;

typedef struct pp_model_in {
    pp_got got;
    const char *file, *key;
    pp_name name;
    perp_vec3 at;
    perp_quat turn;
    int base;
    bool repair;
} pp_model_in;

typedef struct pp_site_in {
    pp_got got;
    pp_name name, body;
    perp_vec3 at;
    perp_quat turn;
    bool model;
} pp_site_in;

typedef struct pp_sensor_in {
    pp_got got;
    pp_name name, joint, a, b, site;
    int64_t coordinate;
    bool joints_only;
} pp_sensor_in;

typedef struct pp_keyframe_in {
    pp_got got;
    pp_name name;
    pp_item q, v, ctrl;
} pp_keyframe_in;

typedef struct pp_joint_in {
    pp_got got;
    pp_name name, a, b;
    bool collide;
    perp_vec3 at, axis, at_a, at_b;
    perp_quat turn, turn_a, turn_b;
    pp_item axes, repeat, terms;
    pp_numbers limits;
    pp_item motor, spring;
    double friction, armature, offset;
} pp_joint_in;

typedef struct pp_coupled_in {
    pp_got got;
    pp_name joint;
    int64_t coordinate;
    pp_numbers c;
} pp_coupled_in;

typedef struct pp_force_in {
    pp_got got;
    pp_name name, body, a, b, joint;
    perp_vec3 force, torque, at, at_a, at_b;
    int frame;
    double omega, phase, stiffness, rest_length, damping, drag;
    int64_t coordinate;
    double kp, kd, target, target_rate, max_force;
    pp_item force_of, torque_of, at_of, repeat; /* _of: formulas */
} pp_force_in;

/* Types of shape in scene files, in the order of their names in keys_body.c. */
enum {
    PP_IN_SPHERE,
    PP_IN_BOX,
    PP_IN_HALFSPACE,
    PP_IN_PARTICLE,
    PP_IN_POLYGON,
    PP_IN_POLYHEDRON,
    PP_IN_REGULAR,
    PP_IN_MESH,
    PP_IN_CAPSULE,
    PP_IN_PRISM,
    PP_IN_CYLINDER,
    PP_IN_CONE,
    PP_IN_PLATONIC,
    PP_IN_ELLIPSOID,
    PP_IN_SUPERELLIPSOID,
    PP_IN_ROUND_CYLINDER,
    PP_IN_INTERSECTION
};

#endif

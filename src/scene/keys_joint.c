/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* keys_joint.c - the keys of joints and forces. See table.h. */
#include "perp/sensor.h"
#include "scene/scene_in.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* in the order of perp_joint_kind */
static const pp_variant joints[] = {
    {"fixed", 0, "No motion."},
    {"revolute", 0, "Turns about z of its frames. One coordinate: the angle."},
    {"prismatic", 0, "Slides along z of its frames, in 2D along x. One coordinate: the displacement."},
    {"cylindrical", PP_3D, "Slides along z and turns about it. Coordinates: displacement, angle."},
    {"spherical", PP_3D, "Turns freely about a point. No coordinates."},
    {"universal", PP_3D, "Turns about z of A's frame and x of B's. Two coordinates: the angles."},
    {"planar", PP_3D, "Slides along x and y and turns about z. Coordinates: x, y, angle."},
    {"coupling", 0, "Keeps the sum of its terms at 0: gears, mimic joints. It has no bodies and no coordinates."},
    {"tendon", 0, "Has the sum of its terms as its one coordinate. It has no bodies."},
    {NULL, 0, NULL},
};
#define COUPLES  (1u << PERP_JOINT_COUPLING | 1u << PERP_JOINT_TENDON)
#define BODILY   ((1u << PERP_JOINT_COUPLING) - 1) /* the kinds before these two */
#define ONE_AXIS (1u << PERP_JOINT_REVOLUTE | 1u << PERP_JOINT_PRISMATIC | 1u << PERP_JOINT_TENDON)
#define ANY_AXIS (ONE_AXIS | 1u << PERP_JOINT_CYLINDRICAL | 1u << PERP_JOINT_UNIVERSAL | 1u << PERP_JOINT_PLANAR)

#define AXIS_KEYS(in, which)                                                                                      \
    {"limits",          PP_T_NUMBERS,                                                                             \
     PP_AT(in, limits), .variants = (which),                                                                      \
     .count2 = 1u << 2, .count3 = 1u << 2,                                                                        \
     .infinite = true,  PP_UNIT("L or rad"),                                                                      \
     PP_WORDS("none"),  PP_HELP("Smallest and largest value of the coordinate.")},                                \
        {"motor",                                                                                                 \
         PP_T_MAP,                                                                                                \
         PP_AT(in, motor),                                                                                        \
         .variants = (which),                                                                                     \
         .map = &pp_map_motor,                                                                                    \
         PP_WORDS("none"),                                                                                        \
         PP_HELP("Drives the coordinate.")},                                                                      \
        {"spring",                                                                                                \
         PP_T_MAP,                                                                                                \
         PP_AT(in, spring),                                                                                       \
         .variants = (which),                                                                                     \
         .map = &pp_map_spring,                                                                                   \
         PP_WORDS("none"),                                                                                        \
         PP_HELP("Spring and damper on the coordinate.")},                                                        \
        {"friction",                                                                                              \
         PP_T_NUMBER,                                                                                             \
         PP_AT(in, friction),                                                                                     \
         .variants = (which),                                                                                     \
         PP_DEFAULT(0),                                                                                           \
         PP_NOT_NEGATIVE,                                                                                         \
         PP_UNIT("force or torque"),                                                                              \
         PP_HELP("Largest force or torque of dry friction.")},                                                    \
    {                                                                                                             \
        "armature", PP_T_NUMBER, PP_AT(in, armature),                                                             \
            .variants = (which), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("M or M L^2"),                           \
            PP_HELP("Inertia that moves with the coordinate alone: the rotor of a drive, gear squared included. " \
                    "Needs stepper stewart-trinkle, anitescu-potra or second-order.")                             \
    }

#define IN(field) PP_AT(pp_joint_in, field)
static const pp_key joint[] = {
    {"name", PP_T_NAME, IN(name), .own = true, PP_WORDS("none"),
     PP_HELP("Controllers and plots refer to the joint by it. No two joints have the same name.")},
    {"repeat", PP_T_REPEAT, IN(repeat), .own = true, PP_WORDS("once"), PP_HELP("As for a body.")},
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("The kind of joint.")},
    {"a", PP_T_REF, IN(a), .variants = BODILY, .of = "a body", PP_WORDS("world"),
     PP_HELP("First body; `world`: the joint is fixed in the world.")},
    {"b", PP_T_REF, IN(b), .variants = BODILY, .of = "a body", .required = true, PP_HELP("Second body.")},
    {"collide", PP_T_BOOL, IN(collide), .variants = BODILY, PP_DEFAULT(false),
     PP_HELP("The two bodies may touch each other.")},
    {"at", PP_T_VECTOR, IN(at), .variants = BODILY, PP_UNIT("L"),
     PP_HELP("World point of the joint. Both joint frames are placed there, so all coordinates start at 0. The four "
             "keys below are the alternative.")},
    {"axis", PP_T_VECTOR, IN(axis), .variants = BODILY, PP_WORDS("z; 2D prismatic: x"),
     PP_HELP("World direction of the joint's z axis, in 2D of its x axis. Used with `at`.")},
    {"turn", PP_T_TURN, IN(turn), .variants = BODILY, PP_UNIT("rad"), .map = &pp_map_turn, PP_WORDS("from the axis"),
     PP_HELP("World orientation of the joint frames, in place of `axis`. Used with `at`.")},
    {"at_a", PP_T_VECTOR, IN(at_a), .variants = BODILY, PP_UNIT("L"), PP_WORDS("A's origin"),
     PP_HELP("Origin of the joint frame in A's frame, or in the world.")},
    {"turn_a", PP_T_TURN, IN(turn_a), .variants = BODILY, PP_UNIT("rad"), .map = &pp_map_turn, PP_WORDS("not turned"),
     PP_HELP("Orientation of the joint's frame in A.")},
    {"at_b", PP_T_VECTOR, IN(at_b), .variants = BODILY, PP_UNIT("L"), PP_WORDS("B's origin"),
     PP_HELP("Origin of the joint frame in B's frame.")},
    {"turn_b", PP_T_TURN, IN(turn_b), .variants = BODILY, PP_UNIT("rad"), .map = &pp_map_turn, PP_WORDS("not turned"),
     PP_HELP("Orientation of the joint's frame in B.")},
    {"terms", PP_T_LIST, IN(terms), .variants = COUPLES, .required = true, .map = &pp_map_coupled,
     PP_HELP("Joint coordinates that are summed up. Their joints stand before it in the list.")},
    {"offset", PP_T_NUMBER, IN(offset), .variants = COUPLES, PP_DEFAULT(0), PP_UNIT("L or rad"),
     PP_HELP("Constant part of the sum.")},
    {"axes", PP_T_LIST, IN(axes), .variants = ANY_AXIS, .map = &pp_map_axis, PP_WORDS("nothing on any"),
     PP_HELP("What acts on each coordinate, one entry per coordinate.")},
    AXIS_KEYS(pp_joint_in, ONE_AXIS),
};
const pp_map pp_map_joint = {
    "joint",
    "A joint",
    "An entry of `joints`. Its position is given by a world point, `at` with `axis` or `turn`, "
    "or by a frame in each body. Joints with one coordinate may have `limits`, `motor`, "
    "`spring` and `friction` directly.",
    joint,
    COUNT(joint),
    joints};
#undef IN

#define IN(field) PP_AT(pp_coupled_in, field)
static const pp_key term[] = {
    {"joint", PP_T_REF, IN(joint), .of = "a joint", .required = true, PP_HELP("The joint.")},
    {"coordinate", PP_T_WHOLE, IN(coordinate), PP_DEFAULT(0), PP_BETWEEN(0, 2), PP_HELP("Coordinate q of the joint.")},
    {"c", PP_T_NUMBERS, IN(c), .required = true, .count2 = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
     .count3 = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
     PP_HELP("Coefficients of q, q^2, q^3 and q^4; missing ones are 0.")},
};
const pp_map pp_map_coupled = {"coupled", "A term of a coupling or tendon", "An entry of `terms`.", term, COUNT(term),
                               NULL};
#undef IN

static const pp_key axis[] = {AXIS_KEYS(pp_axis_in, 0)};
const pp_map pp_map_axis = {"axis", "A joint coordinate", "An entry of `axes`.", axis, COUNT(axis), NULL};

#define IN(field) PP_AT(pp_motor_in, field)
static const pp_key motor[] = {
    {"speed", PP_T_NUMBER, IN(speed), .required = true, PP_UNIT("L/T or rad/T"),
     PP_HELP("Speed that the motor maintains.")},
    {"force", PP_T_NUMBER, IN(force), PP_DEFAULT_AS(INFINITY, "inf"), PP_NOT_NEGATIVE, .infinite = true,
     PP_UNIT("force or torque"), PP_HELP("Largest force or torque of the motor. `inf`: no limit.")},
};
const pp_map pp_map_motor = {"motor", "A motor", "On a joint coordinate.", motor, COUNT(motor), NULL};
#undef IN

#define IN(field) PP_AT(pp_spring_in, field)
static const pp_key spring[] = {
    {"stiffness", PP_T_NUMBER, IN(stiffness), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("force/L or torque/rad"),
     PP_HELP("Stiffness.")},
    {"rest", PP_T_NUMBER, IN(rest), PP_DEFAULT(0), PP_UNIT("L or rad"),
     PP_HELP("Coordinate at which the spring is relaxed.")},
    {"damping", PP_T_NUMBER, IN(damping), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("force T/L or torque T/rad"),
     PP_HELP("Damping.")},
};
const pp_map pp_map_spring = {"spring", "A joint spring", "On a joint coordinate, implicit.",
                              spring,   COUNT(spring),    NULL};
#undef IN

enum { CONSTANT, SINUSOID, SPRING, PD, EXPRESSION }; /* as perp_force_kind; the last is a user force */
static const pp_variant forces[] = {
    {"constant", 0, "A constant force and torque."},
    {"sinusoid", 0, "Force and torque times sin(omega t + phase)."},
    {"spring", 0, "Spring and damper between two points."},
    {"pd", 0, "PD control of a joint coordinate, clipped: kp (target - x) + kd (target_rate - x')."},
    {"expression", 0,
     "Force and torque as expressions of `t`, the body's position `x`, `y`, `z` (of its centre of mass), orientation "
     "`qw`, `qx`, `qy`, `qz` "
     "(in 2D `angle`), velocity `vx`, `vy`, `vz`, spin `wx`, `wy`, `wz` (in 2D only `wz`), and of all parameters; "
     "evaluated at each step."},
    {NULL, 0, NULL},
};
static const char *const frames[] = {"world", "body", NULL};

#define IN(field) PP_AT(pp_force_in, field)
#define FOR(v)    .variants = 1u << (v)
#define WRENCH    .variants = 1u << CONSTANT | 1u << SINUSOID
#define ON_BODY   .variants = 1u << CONSTANT | 1u << SINUSOID | 1u << EXPRESSION
static const pp_key force[] = {
    {"name", PP_T_NAME, IN(name), .own = true, PP_WORDS("none"),
     PP_HELP("A label for readers of the file. No two forces have the same name.")},
    {"repeat", PP_T_REPEAT, IN(repeat), .own = true, PP_WORDS("once"), PP_HELP("As for a body.")},
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("The kind of force.")},
    {"body", PP_T_REF, IN(body), ON_BODY, .of = "a body", .required = true, PP_HELP("The body it acts on.")},
    {"force", PP_T_VECTOR, IN(force), WRENCH, PP_UNIT("M L/T^2"), PP_WORDS("zero"), PP_HELP("Force.")},
    {"torque", PP_T_ANGULAR, IN(torque), WRENCH, PP_UNIT("M L^2/T^2"), PP_WORDS("zero"), PP_HELP("Torque.")},
    {"at", PP_T_VECTOR, IN(at), WRENCH, PP_UNIT("L"), PP_WORDS("the centre of mass"),
     PP_HELP("Where the force acts, in the body's frame.")},
    {"force", PP_T_FORMULAS, IN(force_of), FOR(EXPRESSION), PP_UNIT("M L/T^2"), PP_WORDS("zero"), PP_HELP("Force.")},
    {"torque", PP_T_FORMULA_ANGULAR, IN(torque_of), FOR(EXPRESSION), PP_UNIT("M L^2/T^2"), PP_WORDS("zero"),
     PP_HELP("Torque.")},
    {"at", PP_T_FORMULAS, IN(at_of), FOR(EXPRESSION), PP_UNIT("L"), PP_WORDS("the centre of mass"),
     PP_HELP("Where the force acts, in the body's frame.")},
    {"frame", PP_T_CHOICE, IN(frame), ON_BODY, .choice = frames, PP_DEFAULT_AS(0, "world"),
     PP_HELP("Axes of force and torque: those of the world, or those of the body, which rotate with it.")},
    {"omega", PP_T_NUMBER, IN(omega), FOR(SINUSOID), .required = true, PP_UNIT("rad/T"), PP_HELP("Angular frequency.")},
    {"phase", PP_T_NUMBER, IN(phase), FOR(SINUSOID), PP_DEFAULT(0), PP_UNIT("rad"), PP_HELP("Phase.")},
    {"a", PP_T_REF, IN(a), FOR(SPRING), .of = "a body", PP_WORDS("world"), PP_HELP("One end.")},
    {"b", PP_T_REF, IN(b), FOR(SPRING), .of = "a body", .required = true, PP_HELP("The other end.")},
    {"at_a", PP_T_VECTOR, IN(at_a), FOR(SPRING), PP_UNIT("L"), PP_WORDS("A's origin"),
     PP_HELP("End in A's frame, or in the world.")},
    {"at_b", PP_T_VECTOR, IN(at_b), FOR(SPRING), PP_UNIT("L"), PP_WORDS("B's origin"), PP_HELP("End in B's frame.")},
    {"stiffness", PP_T_NUMBER, IN(stiffness), FOR(SPRING), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("M/T^2"),
     PP_HELP("Stiffness.")},
    {"rest_length", PP_T_NUMBER, IN(rest_length), FOR(SPRING), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("L"),
     PP_HELP("Length at which the spring is relaxed.")},
    {"damping", PP_T_NUMBER, IN(damping), FOR(SPRING), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("M/T"),
     PP_HELP("Damping along the line of the spring.")},
    {"drag", PP_T_NUMBER, IN(drag), FOR(SPRING), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_UNIT("M/T"),
     PP_HELP("Damping of the whole relative velocity of the ends.")},
    {"joint", PP_T_REF, IN(joint), FOR(PD), .of = "a joint", .required = true, PP_HELP("The joint.")},
    {"coordinate", PP_T_WHOLE, IN(coordinate), FOR(PD), PP_DEFAULT(0), PP_BETWEEN(0, 2),
     PP_HELP("Number of the coordinate, from 0.")},
    {"kp", PP_T_NUMBER, IN(kp), FOR(PD), PP_DEFAULT(0), PP_UNIT("force/L or torque/rad"),
     PP_HELP("Gain on the error.")},
    {"kd", PP_T_NUMBER, IN(kd), FOR(PD), PP_DEFAULT(0), PP_UNIT("force T/L or torque T/rad"),
     PP_HELP("Gain on the rate of the error.")},
    {"target", PP_T_NUMBER, IN(target), FOR(PD), PP_DEFAULT(0), PP_UNIT("L or rad"), PP_HELP("Target.")},
    {"target_rate", PP_T_NUMBER, IN(target_rate), FOR(PD), PP_DEFAULT(0), PP_UNIT("L/T or rad/T"),
     PP_HELP("Rate of the target.")},
    {"max_force", PP_T_NUMBER, IN(max_force), FOR(PD), PP_DEFAULT_AS(INFINITY, "inf"), PP_NOT_NEGATIVE,
     .infinite = true, PP_UNIT("force or torque"), PP_HELP("Largest force or torque of the controller.")},
};
const pp_map pp_map_force = {"force", "A force", "An entry of `forces`.", force, COUNT(force), forces};
#undef IN

static const char *const bases[] = {"model", "fixed", "free", NULL};
#define IN(field) PP_AT(pp_model_in, field)
static const pp_key model[] = {
    {"file", PP_T_FILE, IN(file), .required = true,
     PP_HELP("An MJCF, URDF or SDF file; the path is relative to this file. Meshes that it names are read as it names "
             "them.")},
    {"name", PP_T_NAME, IN(name), .own = true, .required = true,
     PP_HELP("Prefix of all names of the model, followed by a -. No two models have the same name.")},
    {"at", PP_T_VECTOR, IN(at), PP_UNIT("L"), PP_WORDS("the origin"),
     PP_HELP("Position of the origin of the model's world. Models are read before parameters, so this and `turn` "
             "cannot use parameters.")},
    {"turn", PP_T_TURN, IN(turn), PP_UNIT("rad"), .map = &pp_map_turn, PP_WORDS("not turned"),
     PP_HELP("Orientation of the model about that point.")},
    {"base", PP_T_CHOICE, IN(base), .choice = bases, PP_DEFAULT_AS(0, "model"),
     PP_HELP("`model`: as in the file (the root of a URDF is fixed). `fixed`: free joints of the model are left out. "
             "`free`: "
             "bodies that are fixed to the world move freely.")},
    {"key", PP_T_TEXT, IN(key), PP_WORDS("none"), PP_HELP("MJCF: the keyframe that it starts from.")},
    {"repair", PP_T_BOOL, IN(repair), PP_DEFAULT(false),
     PP_HELP("If an inertia is impossible for any body, uses the nearest valid one instead of refusing it.")},
};
const pp_map pp_map_model = {"model",
                             "A robot model",
                             "An entry of `models`. docs/import.md describes which parts of a model are used; `perp "
                             "import FILE --report` lists them. Its surfaces are materials called NAME-surface-1, "
                             "NAME-surface-2, ..., for `laws` with other materials. Its shapes may touch all others of "
                             "the scene. Time step, gravity and keyframes of the model are ignored.",
                             model,
                             COUNT(model),
                             NULL};
#undef IN

#define IN(field) PP_AT(pp_site_in, field)
static const pp_key site[] = {
    {"name", PP_T_NAME, IN(name), .own = true, .required = true, PP_HELP("No two sites have the same.")},
    {"body", PP_T_REF, IN(body), .of = "a body", PP_WORDS("world"), PP_HELP("The body it is fixed in.")},
    {"at", PP_T_VECTOR, IN(at), PP_UNIT("L"), PP_WORDS("the body's origin"), PP_HELP("Origin, in the body's frame.")},
    {"turn", PP_T_TURN, IN(turn), PP_UNIT("rad"), .map = &pp_map_turn, PP_WORDS("not turned"),
     PP_HELP("Orientation in the body's frame.")},
    {"model", PP_T_BOOL, IN(model), PP_DEFAULT(false),
     PP_HELP("It is the frame of the body in its model. Joint coordinates of a free body are the pose of this frame. A "
             "body "
             "has at most one.")},
};
const pp_map pp_map_site = {"site", "A site", "An entry of `sites`.", site, COUNT(site), NULL};
#undef IN

/* in the order of perp_sensor_kind */
static const pp_variant sensors[] = {
    {"joint-position", 0, "Coordinate of a joint."},
    {"joint-velocity", 0, "Its rate."},
    {"joint-force", 0,
     "Force or torque on body B of the joint along the coordinate: actuator, motor, spring, friction, limit, "
     "armature."},
    {"force", 0, "Force of body A on body B, by joints and contacts between them."},
    {"torque", 0, "Torque of body A on body B, by the same."},
    {"contact-force", 0, "Sum of the forces of the contacts on a body."},
    {"contact-torque", 0, "Sum of their torques."},
    {"accelerometer", 0, "Acceleration of a site less gravity, in axes of the site. At rest it is g upwards."},
    {"gyroscope", 0, "Angular velocity of a site, in axes of the site."},
    {NULL, 0, NULL},
};
#define OF_JOINTS \
    .variants = 1u << PERP_SENSOR_JOINT_POSITION | 1u << PERP_SENSOR_JOINT_VELOCITY | 1u << PERP_SENSOR_JOINT_FORCE
#define OF_PAIRS   (1u << PERP_SENSOR_FORCE | 1u << PERP_SENSOR_TORQUE)
#define OF_TOUCHES (1u << PERP_SENSOR_CONTACT_FORCE | 1u << PERP_SENSOR_CONTACT_TORQUE)
#define OF_SITES   (1u << PERP_SENSOR_ACCELEROMETER | 1u << PERP_SENSOR_GYROSCOPE)
#define IN(field)  PP_AT(pp_sensor_in, field)
static const pp_key sensor[] = {
    {"name", PP_T_NAME, IN(name), .own = true, .required = true,
     PP_HELP(
         "No two sensors have the same. The series of a reading are `sensor(NAME).value`, or `sensor(NAME).x`, `.y`, "
         "`.z`.")},
    {"type", PP_T_TAG, 0, .required = true,
     PP_HELP(
         "The kind of sensor. Forces and accelerations are means over the step that ended at the time of the frame.")},
    {"joint", PP_T_REF, IN(joint), OF_JOINTS, .of = "a joint", .required = true, PP_HELP("The joint.")},
    {"coordinate", PP_T_WHOLE, IN(coordinate), OF_JOINTS, PP_DEFAULT(0), PP_BETWEEN(0, 2),
     PP_HELP("Number of the coordinate, from 0.")},
    {"a", PP_T_REF, IN(a), .variants = OF_PAIRS, .of = "a body", PP_WORDS("world"),
     PP_HELP("The body that pushes; `world`: joints to the world.")},
    {"a", PP_T_REF, IN(a), .variants = OF_TOUCHES, .of = "a body", PP_WORDS("all bodies"),
     PP_HELP("Only contacts with this body.")},
    {"b", PP_T_REF, IN(b), .variants = OF_PAIRS | OF_TOUCHES, .of = "a body", .required = true,
     PP_HELP("The body that is pushed.")},
    {"joints_only", PP_T_BOOL, IN(joints_only), .variants = OF_PAIRS, PP_DEFAULT(false),
     PP_HELP("Contacts between the two bodies do not count.")},
    {"site", PP_T_REF, IN(site), .variants = OF_SITES, .of = "a site", .required = true, PP_HELP("The frame.")},
    {"site", PP_T_REF, IN(site), .variants = OF_PAIRS | OF_TOUCHES, .of = "a site",
     PP_WORDS("axes of the world, torques about the centre of mass of B"),
     PP_HELP("Axes of the reading, and the point that torques are about.")},
};
const pp_map pp_map_sensor = {"sensor", "A sensor", "An entry of `sensors`.", sensor, COUNT(sensor), sensors};
#undef IN

#define IN(field) PP_AT(pp_keyframe_in, field)
static const pp_key keyframe[] = {
    {"name", PP_T_NAME, IN(name), .own = true, .required = true, PP_HELP("No two keyframes have the same.")},
    {"q", PP_T_SERIES, IN(q), PP_WORDS("none"),
     PP_HELP("Coordinates of all joints and free bodies, in the order of joint space (perp/joint_space.h).")},
    {"v", PP_T_SERIES, IN(v), PP_WORDS("none"), PP_HELP("Their velocities.")},
    {"ctrl", PP_T_SERIES, IN(ctrl), PP_WORDS("none"), PP_HELP("Values for the actuators.")},
};
const pp_map pp_map_keyframe = {"keyframe", "A keyframe", "An entry of `keyframes`.", keyframe, COUNT(keyframe), NULL};
#undef IN

enum { A_FORCE, A_POSITION, A_VELOCITY }; /* as perp_actuator_kind */
static const pp_variant actuators[] = {
    {"force", 0, "Force: ctrl."},
    {"position", 0,
     "Force: kp (ctrl - l) - kv l', with l = gear times the coordinate. Implicit: stable for any kp and kv."},
    {"velocity", 0, "Force: kv (ctrl - l'). Implicit."},
    {NULL, 0, NULL},
};
#define IN(field) PP_AT(pp_actuator_in, field)
#define RANGE(field) \
    PP_T_NUMBERS, IN(field), .count2 = 1u << 2, .count3 = 1u << 2, .infinite = true, PP_WORDS("without limit")
static const pp_key actuator[] = {
    {"name", PP_T_NAME, IN(name), .own = true, PP_WORDS("none"), PP_HELP("No two actuators have the same name.")},
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("Meaning of ctrl.")},
    {"joint", PP_T_REF, IN(joint), .of = "a joint", .required = true, PP_HELP("The joint.")},
    {"coordinate", PP_T_WHOLE, IN(coordinate), PP_DEFAULT(0), PP_BETWEEN(0, 2),
     PP_HELP("Which of its coordinates; each has at most one actuator.")},
    {"gear", PP_T_NUMBER, IN(gear), PP_DEFAULT(1), PP_HELP("Length of the actuator per coordinate; not 0.")},
    {"kp", PP_T_NUMBER, IN(kp), .variants = 1u << A_POSITION, PP_DEFAULT(0), PP_NOT_NEGATIVE,
     PP_UNIT("force/L or torque/rad"), PP_HELP("Gain on the error.")},
    {"kv", PP_T_NUMBER, IN(kv), .variants = 1u << A_POSITION | 1u << A_VELOCITY, PP_DEFAULT(0), PP_NOT_NEGATIVE,
     PP_UNIT("force T/L or torque T/rad"), PP_HELP("Gain on the rate.")},
    {"ctrl", PP_T_FORMULA, IN(ctrl), PP_WORDS("0"),
     PP_HELP("The number that drives it. It may depend on the time `t`; a step uses the value at its end.")},
    {"ctrl_range", RANGE(ctrl_range), PP_HELP("ctrl is clipped to this range.")},
    {"ctrl_scale", PP_T_NUMBER, IN(ctrl_scale), PP_DEFAULT(1), PP_HELP("The clipped ctrl is multiplied by this.")},
    {"ctrl_offset", PP_T_NUMBER, IN(ctrl_offset), PP_DEFAULT(0), PP_HELP("Added to ctrl after the multiplication.")},
    {"force_range", RANGE(force_range), PP_UNIT("force or torque"), PP_HELP("Its force is clipped to this range.")},
    {"joint_force_range", RANGE(joint_force_range), PP_UNIT("force or torque"),
     PP_HELP("The force on the joint, gear times force, is clipped to this range.")},
};
const pp_map pp_map_actuator = {"actuator", "An actuator",   "An entry of `actuators`.",
                                actuator,   COUNT(actuator), actuators};
#undef IN

static const char *const ways[] = {"smooth", "linear", NULL};
#define IN(field) PP_AT(pp_control_in, field)
static const pp_key control[] = {
    {"actuator", PP_T_REF, IN(actuator), .of = "an actuator", PP_WORDS("those of `actuators`"),
     PP_HELP("The actuator.")},
    {"actuators", PP_T_NAMES, IN(actuators), PP_WORDS("that of `actuator`"), PP_HELP("Several actuators.")},
    {"ctrl", PP_T_FORMULA, IN(ctrl), PP_WORDS("by `points`"),
     PP_HELP("As for an actuator: it may depend on the time `t`.")},
    {"points", PP_T_CURVE, IN(points), PP_WORDS("by `ctrl`"),
     PP_HELP("Values at certain times, `[t, ctrl, ...]` with a number for each actuator; times ascend, 2 to 75 rows. "
             "Before the first time and after the last, ctrl is constant.")},
    {"between", PP_T_CHOICE, IN(between), .choice = ways, PP_DEFAULT_AS(0, "smooth"),
     PP_HELP("Between two points: `smooth` moves with a rate of zero at both, `linear` with a constant rate. These are "
             "the functions `smooth` and `linear` of expressions.")},
};
const pp_map pp_map_control = {"control", "Control of actuators", "An entry of `controls`.",
                               control,   COUNT(control),         NULL};
#undef IN

#define IN(field) PP_AT(pp_exclude_in, field)
static const pp_key exclude[] = {
    {"a", PP_T_REF, IN(a), .of = "a body", .required = true, PP_HELP("One body.")},
    {"b", PP_T_REF, IN(b), .of = "a body", .required = true, PP_HELP("The other.")},
};
const pp_map pp_map_exclude = {"exclude", "A pair of bodies", "An entry of `exclude`.", exclude, COUNT(exclude), NULL};

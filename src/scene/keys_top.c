/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* keys_top.c - the keys of a scene file at the top level, of stages, recording, laws and parameters. See table.h. */
#include "perp/plugin.h"
#include "scene/scene_in.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* Names of the stages; solvers may be registered while the program runs. A test compares these lists with those of the
 * world. */
static const char *detector(int i) { return i == 0 ? "plain" : NULL; }
static const char *contact_model(int i) { return perp_contact_model_at(i); }
static const char *stepper(int i) {
    perp_stepper_info s;
    return perp_stepper_at(i, &s) ? s.name : NULL;
}
static const char *solver(int i) { return i < perp_solver_count() ? perp_solver_at(i)->name : NULL; }

static const char *const starts[] = {"plain", "staggered", "auto", NULL};
static const char *const geometries[] = {"iterated", "once", "end", NULL};
static const char *const forms[] = {"lcp", "mlcp", "cone", "auto", NULL};
static const char *const compliances[] = {"rigid", "linear", "hertz", "foundation", NULL};
static const char *const impacts[] = {"sequence", "newton", "poisson", "stronge", "plain", NULL};
static const char *const drivens[] = {"mean", "end", NULL};
static const char *const frames[] = {"slip", "fixed", NULL};

#define IN(field) PP_AT(pp_top_in, field)
static const pp_key top[] = {
    {"perp", PP_T_WHOLE, IN(perp), .required = true, PP_BETWEEN(1, 1),
     PP_HELP("Version of the scene format. This is version 1.")},
    {"title", PP_T_TEXT, IN(title), PP_WORDS("none"), PP_HELP("One line that says what the scene is.")},
    {"about", PP_T_TEXT, IN(about), PP_WORDS("none"),
     PP_HELP("Free text: what the scene shows, and where it comes from.")},
    {"units", PP_T_MAP, IN(units), .map = &pp_map_units, PP_WORDS("none"),
     PP_HELP("Units of the numbers in this file. They appear in the labels of plots; perp converts nothing.")},
    {"dim", PP_T_WHOLE, IN(dim), .required = true, PP_BETWEEN(2, 3),
     PP_HELP("Dimension. 2: motion in the x-y plane. 3: motion in space. An included file may give it.")},
    {"include", PP_T_FILES, IN(include), PP_WORDS("none"),
     PP_HELP("Files that are read before this one; paths are relative to this file. Entries of their lists come before "
             "the entries of lists here. Their maps and values apply where this file gives none.")},
    {"seed", PP_T_WHOLE, IN(seed), PP_DEFAULT(0), PP_NOT_NEGATIVE,
     PP_HELP("Seed of the random numbers. The same seed gives the same scene to the last bit.")},
    {"parameters", PP_T_PARAMETERS, IN(parameters), PP_WORDS("none"), .map = &pp_map_parameter,
     PP_HELP("Named numbers. Expressions may use them, and `-D name=value` on the command line changes them.")},
    {"h", PP_T_NUMBER, IN(h), PP_UNIT("T"), PP_DEFAULT(0.001), PP_POSITIVE, PP_HELP("Time step.")},
    {"duration", PP_T_NUMBER, IN(duration), PP_UNIT("T"), .required = true, PP_NOT_NEGATIVE,
     PP_HELP("Time to simulate.")},
    {"gravity", PP_T_VECTOR, IN(gravity), PP_UNIT("L/T^2"), PP_WORDS("[0, -9.81] in 2D, [0, 0, -9.81] in 3D"),
     PP_HELP("Acceleration of gravity.")},
    {"press", PP_T_NUMBER, IN(press), .dims = PP_2D, PP_UNIT("L/T^2"), PP_DEFAULT(9.81), PP_NOT_NEGATIVE,
     PP_HELP("Acceleration that presses bodies with a `support` onto the plane of motion.")},
    {"start", PP_T_CHOICE, IN(start), .choice = starts, PP_DEFAULT_AS(PERP_START_AUTO, "auto"),
     PP_HELP("How the first step uses the given velocities. `plain`: as they are. `staggered`: it moves them back by "
             "half a step, so that positions are exact under constant acceleration. `auto`: staggered if stepper, "
             "geometry and `error_tolerance` allow it, else plain.")},
    {"stages", PP_T_MAP, IN(stages), .map = &pp_map_stages, PP_WORDS("all defaults"),
     PP_HELP("Which methods a step is made of, and their settings.")},
    {"materials", PP_T_NAMES, IN(materials), PP_WORDS("none"),
     PP_HELP("Names of materials, for `material` and `laws`. The material `default` always exists.")},
    {"law", PP_T_MAP, IN(law), .map = &pp_map_law, PP_WORDS("no friction, no rebound"),
     PP_HELP("Contact law of all pairs of materials that `laws` does not name.")},
    {"laws", PP_T_LIST, IN(laws), .map = &pp_map_pair_law, PP_WORDS("none"),
     PP_HELP("Contact laws of pairs of materials.")},
    {"templates", PP_T_TABLE, IN(templates), .map = &pp_map_body, PP_WORDS("none"),
     PP_HELP("Bodies that `like` refers to. A body takes from its template every key that it does not give itself. A "
             "template may be `like` another one. It has no `name` and no `repeat`.")},
    {"models", PP_T_LIST, IN(models), .map = &pp_map_model, .dims = PP_3D, PP_WORDS("none"),
     PP_HELP("Robot models of other programs (MJCF, URDF, SDF). Their bodies, joints and so on come before those of "
             "this file, "
             "with the name of the model and a - before their own names: `arm-elbow`.")},
    {"bodies", PP_T_LIST, IN(bodies), .map = &pp_map_body, PP_WORDS("none"), PP_HELP("The bodies.")},
    {"joints", PP_T_LIST, IN(joints), .map = &pp_map_joint, PP_WORDS("none"), PP_HELP("Joints between bodies.")},
    {"forces", PP_T_LIST, IN(forces), .map = &pp_map_force, PP_WORDS("none"),
     PP_HELP("Applied forces, springs and controllers.")},
    {"actuators", PP_T_LIST, IN(actuators), .map = &pp_map_actuator, PP_WORDS("none"),
     PP_HELP("Servos and forces on joint coordinates, each driven by one number.")},
    {"controls", PP_T_LIST, IN(controls), .map = &pp_map_control, PP_WORDS("none"),
     PP_HELP(
         "How actuators are driven in time, for those of `models` above all. A later entry replaces an earlier one, "
         "and `ctrl` of the actuator.")},
    {"exclude", PP_T_LIST, IN(exclude), .map = &pp_map_exclude, PP_WORDS("none"),
     PP_HELP("Pairs of bodies that never touch each other, beside those that share a joint.")},
    {"sites", PP_T_LIST, IN(sites), .map = &pp_map_site, PP_WORDS("none"),
     PP_HELP("Named frames on bodies: tool points, feet, sensors, frames of a model's links.")},
    {"sensors", PP_T_LIST, IN(sensors), .map = &pp_map_sensor, PP_WORDS("none"),
     PP_HELP("Quantities that a robot would measure. Recordings hold their readings.")},
    {"keyframes", PP_T_LIST, IN(keyframes), .map = &pp_map_keyframe, PP_WORDS("none"),
     PP_HELP("Named states of the joints.")},
    {"record", PP_T_MAP, IN(record), .map = &pp_map_record, PP_WORDS("everything, every step"),
     PP_HELP("What a recording of the scene holds.")},
    {"watch", PP_T_WATCH, IN(watch), PP_WORDS("nothing"),
     PP_HELP("Quantities that `perp run` prints during the run. Each has a name and an expression with series in "
             "braces: `{speed: \"hypot({box.vx}, {box.vy})\"}`.")},
    {"shape_order", PP_T_WHOLES, IN(shape_order), PP_WORDS("as written"),
     PP_HELP("Order in which perp looks for contacts of shapes: the numbers of all shapes, counted over the bodies "
             "from 0. perp writes this key with a world, because another order changes the last bits.")},
    {"state", PP_T_TEXT, IN(state), PP_WORDS("as the bodies are given"),
     PP_HELP("State of a world that perp wrote: time, poses, velocities and warm starts, in base64. Only the same "
             "version of perp reads it.")},
};
const pp_map pp_map_top = {"scene", "The scene", "The keys of the file itself.", top, COUNT(top), NULL};
#undef IN

#define IN(field) PP_AT(pp_units_in, field)
static const pp_key units[] = {
    {"length", PP_T_TEXT, IN(length), PP_WORDS("L"), PP_HELP("Unit of length: m, cm, ...")},
    {"mass", PP_T_TEXT, IN(mass), PP_WORDS("M"), PP_HELP("Unit of mass: kg, g, ...")},
    {"time", PP_T_TEXT, IN(time), PP_WORDS("T"), PP_HELP("Unit of time: s, ms, ...")},
};
const pp_map pp_map_units = {"units", "Units", "Names only; nothing is converted.", units, COUNT(units), NULL};
#undef IN

#define IN(field) PP_AT(pp_stages_in, field)
static const pp_key stages[] = {
    {"detector", PP_T_STAGE, IN(detector), .list = detector, PP_WORDS("plain"),
     PP_HELP("Finds the features of shapes that are close to each other.")},
    {"contact_model", PP_T_STAGE, IN(contact_model), .list = contact_model, PP_WORDS("peg"),
     PP_HELP("Chooses the gaps that must not become negative. `peg`: those of one separating plane for each pair of "
             "shapes. `standard`: all. `corrective`: only those that are negative already. `lnc`: one for each vertex. "
             "`peg-mixed`: the constraints of Williams as printed. `peg` solves the steps for which `lnc` or "
             "`peg-mixed` finds no solution.")},
    {"geometry", PP_T_CHOICE, IN(geometry), .choice = geometries, PP_DEFAULT_AS(PERP_GEOMETRY_ITERATED, "iterated"),
     PP_HELP("Pose at which gaps are measured and contacts act. `iterated`: peg measures gaps at the end of the step "
             "and solves again until they hold there. `once`: gaps are measured at the start of the step and "
             "linearised. Contact models other than peg do this unless `end` is given. With both, impulses act at the "
             "start pose. `end`: gaps, normals, lever arms, friction directions and inertia are those of the end pose. "
             "The steppers stewart-trinkle and anitescu-potra allow it.")},
    {"driven", PP_T_CHOICE, IN(driven), .choice = drivens, PP_DEFAULT_AS(PERP_DRIVEN_MEAN, "mean"),
     PP_HELP("Velocity of kinematic bodies in the friction law. `mean`: the mean over the step, so that a sticking "
             "body stays in place. `end`: the velocity at the end of the step, as in the papers.")},
    {"impacts", PP_T_CHOICE, IN(impacts), .choice = impacts, PP_DEFAULT_AS(PERP_IMPACTS_SEQUENCE, "sequence"),
     PP_HELP("Impact law of bodies with restitution, applied at the time of the impact. `sequence`: contacts that "
             "close are reflected one after the other until none closes. `newton`: all contacts at once, Newton's "
             "rule. `poisson`: all contacts at once, compression and restitution. `stronge`: energetic restitution if "
             "a single contact closes, else as `sequence`. `plain`: Newton's rule within the equations of the step, "
             "without an order, as in the papers. Steppers other than stewart-trinkle, anitescu-potra and second-order "
             "always use `plain`.")},
    {"stepper", PP_T_STAGE, IN(stepper), .list = stepper, PP_WORDS("stewart-trinkle"),
     PP_HELP("Makes the complementarity problem of a step.")},
    {"solver", PP_T_STAGE, IN(solver), .list = solver, PP_WORDS("form cone: auto, else lemke"), PP_HELP("Solves it.")},
    {"fallback", PP_T_STAGES, IN(fallback), .list = solver,
     PP_WORDS("form cone: none, else [pgs, enumerate], in 2D [pgs, enumerate, auto]"),
     PP_HELP("Solvers that are tried in this order if the answer before was not accepted; at most 4. Exception: with "
             "form lcp in 2D, `auto` is tried first on islands of more than 50 contacts and joints. It solves them as "
             "cones, which are the same as pyramids in 2D. Pivoting is exact but slow there.")},
    {"form", PP_T_CHOICE, IN(form), .choice = forms, PP_DEFAULT_AS(PERP_FORM_AUTO, "auto"),
     PP_HELP(
         "Form of the problem. `lcp`: friction pyramids; joints are eliminated first. `mlcp`: friction pyramids; joint "
         "impulses stay unknowns. `cone`: friction cones, the same in every direction, for solvers of cones. `auto`: "
         "lcp in 2D, cone in 3D. With the steppers planar-2.5d and quasistatic `auto` is cone in 2D too, since their "
         "supports have friction in two directions. Where it would be cone, `auto` is lcp if `friction_directions` or "
         "`friction_frame: fixed` is given, or a solver, stepper or contact model that works with pyramids only, or "
         "contact "
         "model standard. In 3D a step with pyramids that has no solution, or takes too much work, is solved with "
         "cones, "
         "unless `solver` or `fallback` is given or the stepper has step equations of its own (but second-order and "
         "viscoelastic).")},
    {"friction_directions", PP_T_WHOLE, IN(friction_directions), PP_WORDS("8 where there are pyramids"),
     PP_BETWEEN(3, 1024),
     PP_HELP("Number of edges of the friction pyramid in 3D, and of supports in 2D. Contacts in 2D always have two "
             "directions. A cone has no edges.")},
    {"friction_frame", PP_T_CHOICE, IN(friction_frame), .choice = frames, PP_DEFAULT_AS(PERP_FRICTION_SLIP, "slip"),
     PP_HELP("Direction of the first edge of the pyramid. `slip`: along the expected slip. `fixed`: fixed to the "
             "contact.")},
    {"tolerance", PP_T_NUMBER, IN(tolerance), PP_DEFAULT(1e-8), .ranged = true, .above = true, .min = 0, .max = 0.999,
     PP_HELP("A step is accepted if the residuals of its laws are below this number times the speed scale.")},
    {"error_tolerance", PP_T_NUMBER, IN(error_tolerance), PP_UNIT("L"), PP_DEFAULT_AS(0, "off"), PP_NOT_NEGATIVE,
     PP_HELP("Error limit of a step. A step is divided until a substep and its two halves end within this distance of "
             "each other at every point of a body, at most `max_halvings` times.")},
    {"max_halvings", PP_T_WHOLE, IN(max_halvings), PP_DEFAULT(8), PP_BETWEEN(0, 16),
     PP_HELP("If a step is not solved, it is halved, and its parts again, at most this many times.")},
    {"work_limit", PP_T_NUMBER, IN(work_limit), PP_DEFAULT(2.5e9), PP_NOT_NEGATIVE,
     PP_HELP("Limit of the work of solvers in a step, in multiplications. One core does about 7e8 in a second. Each "
             "part of a divided step and each solver of the chain may use half of what is left. A part without a "
             "solution at the limit is solved once more, undivided, with a twentieth of it; then the step fails. With "
             "n > 100 dynamic bodies the limit is n/100 times as high. 0: no limit.")},
    {"time_limit", PP_T_NUMBER, IN(time_limit), PP_UNIT("s"), PP_DEFAULT_AS(0, "none"), PP_NOT_NEGATIVE,
     PP_HELP("The same limit as elapsed time. Results then depend on the machine.")},
    {"warm_start", PP_T_BOOL, IN(warm_start), PP_DEFAULT(true),
     PP_HELP("Start solvers from the impulses of the last step.")},
    {"joint_correction", PP_T_BOOL, IN(joint_correction), PP_DEFAULT(false),
     PP_HELP("Correct the errors of joints after each step. It is useful with `geometry: once`. With other settings "
             "joints have no error to correct.")},
    {"correction_position", PP_T_NUMBER, IN(correction_position), PP_UNIT("L"), PP_DEFAULT(1e-10), PP_POSITIVE,
     PP_HELP("Largest joint error after the correction.")},
    {"correction_velocity", PP_T_NUMBER, IN(correction_velocity), PP_UNIT("L/T"), PP_DEFAULT(1e-10), PP_POSITIVE,
     PP_HELP("Largest velocity error of joints after the correction.")},
    {"settings", PP_T_SETTINGS, IN(settings), PP_WORDS("those of each solver and stepper"),
     PP_HELP("Settings of the solver, the fallbacks and the stepper by name: `{lemke: {max_pivots: 500}}`.")},
};
const pp_map pp_map_stages = {
    "stages", "Stages",      "The methods a step is made of. Names are checked against what this program has.",
    stages,   COUNT(stages), NULL};
#undef IN

#define IN(field) PP_AT(pp_record_in, field)
static const pp_key record[] = {
    {"every", PP_T_WHOLE, IN(every), PP_DEFAULT(1), PP_BETWEEN(1, 1e9), PP_HELP("Number of steps between frames.")},
    {"interval", PP_T_NUMBER, IN(interval), PP_UNIT("T"), PP_WORDS("every times h"), PP_POSITIVE,
     PP_HELP("Time between frames, a multiple of h. It replaces `every`.")},
    {"what", PP_T_WHAT, IN(what), PP_WORDS("all"), PP_HELP("What each frame holds: `all`, or a list of parts.")},
    {"compression", PP_T_WHOLE, IN(compression), PP_DEFAULT(1), PP_BETWEEN(0, 9),
     PP_HELP("From 0 (none) to 9 (smallest, slowest).")},
};
const pp_map pp_map_record = {"record", "Recording",   "What a recording holds and how often.",
                              record,   COUNT(record), NULL};
#undef IN

#define IN(field) PP_AT(pp_law_in, field)
/* clang-format off */
#define LAW_KEYS                                                                                                       \
    {"mu", PP_T_NUMBER, IN(mu), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_HELP("Coefficient of Coulomb friction.")},          \
    {"restitution", PP_T_NUMBER, IN(restitution), PP_DEFAULT(0), PP_BETWEEN(0, 1),                                     \
     PP_HELP("Coefficient of restitution: rebound speed divided by approach speed; see `impacts`. It is reduced "      \
             "where the rebound would gain energy. It is 0 where wedged bodies have no solution with it.")},           \
    {"restitution_t", PP_T_NUMBER, IN(restitution_t), PP_DEFAULT(0), PP_BETWEEN(0, 1),                                 \
     PP_HELP("Tangential restitution: the part of its slip that an impact reverses, within the limit of `mu`. It "     \
             "applies to pairs with restitution.")},                                                                   \
    {"e_t", PP_T_NUMBER, IN(e_t), .dims = PP_3D, PP_DEFAULT(1), PP_POSITIVE,                                           \
     PP_HELP("Elliptic friction: the friction along the first tangent of the contact, as a part of `mu`.")},           \
    {"e_o", PP_T_NUMBER, IN(e_o), .dims = PP_3D, PP_DEFAULT(1), PP_POSITIVE,                                           \
     PP_HELP("The same along the second tangent.")},                                                                   \
    {"e_r", PP_T_NUMBER, IN(e_r), .dims = PP_3D, PP_UNIT("L"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                         \
     PP_HELP("Torsional friction: the largest torque about the normal is `mu` times this length times the normal "     \
             "force.")},                                                                                               \
    {"e_roll", PP_T_NUMBER, IN(e_roll), .dims = PP_3D, PP_UNIT("L"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                   \
     PP_HELP("Rolling friction: the largest moment about the tangents is `mu` times this length times the normal "     \
             "force. Sliding, spin and rolling share one bound.")},                                                    \
    {"compliance", PP_T_CHOICE, IN(compliance), .choice = compliances, PP_DEFAULT_AS(PERP_RIGID, "rigid"),             \
     PP_HELP("Compliance of the material. `rigid`: none. `linear`: a spring at each contact. `hertz`: Hertz's law. "   \
             "`foundation`: springs spread over the faces. Only some steppers allow compliance.")},                    \
    {"stiffness", PP_T_NUMBER, IN(stiffness), PP_UNIT("M/T^2, or as `compliance` says"), PP_DEFAULT(0),                \
     PP_NOT_NEGATIVE,                                                                                                  \
     PP_HELP("Stiffness of a `linear` spring. With `hertz`: effective modulus E* [M/(L T^2)]. With `foundation`: "     \
             "pressure per depth [M/(L^2 T^2)].")},                                                                    \
    {"damping", PP_T_NUMBER, IN(damping), PP_UNIT("M/T"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                              \
     PP_HELP("Damping along the normal. With `foundation`: per area [M/(L^2 T)].")},                                   \
    {"stiffness_t", PP_T_NUMBER, IN(stiffness_t), PP_UNIT("M/T^2"), PP_DEFAULT_AS(0, "none"), PP_NOT_NEGATIVE,         \
     PP_HELP("Stiffness along the surface, for steppers that have it.")},                                              \
    {"damping_t", PP_T_NUMBER, IN(damping_t), PP_UNIT("M/T"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                          \
     PP_HELP("Damping along the surface.")},                                                                           \
    {"layer", PP_T_NUMBER, IN(layer), PP_UNIT("L"), PP_DEFAULT_AS(0, "no core"), PP_NOT_NEGATIVE,                      \
     PP_HELP("Thickness of the compliant layer: the largest compression before the rigid core is reached.")}
/* clang-format on */
static const pp_key law[] = {LAW_KEYS};
static const pp_key pair_law[] = {
    {"pair", PP_T_NAMES, IN(pair), .required = true, PP_HELP("The two materials; they may be the same.")},
    LAW_KEYS,
};
const pp_map pp_map_law = {"law", "Law of all pairs", "The contact law where no other is given.",
                           law,   COUNT(law),         NULL};
const pp_map pp_map_pair_law = {"pair_law", "Law of a pair", "The contact law between two materials.",
                                pair_law,   COUNT(pair_law), NULL};
#undef IN

#define IN(field) PP_AT(pp_parameter_in, field)
static const pp_key parameter[] = {
    {"default", PP_T_NUMBER, IN(initial), .required = true,
     PP_HELP("The value if `-D` gives none. It may use parameters above it.")},
    {"unit", PP_T_TEXT, IN(unit), PP_WORDS("none"), PP_HELP("Unit, for the reader.")},
    {"about", PP_T_TEXT, IN(about), PP_WORDS("none"), PP_HELP("What it is, for the reader.")},
    {"min", PP_T_NUMBER, IN(min), PP_DEFAULT_AS(-INFINITY, "none"), .infinite = true,
     PP_HELP("Smallest value allowed.")},
    {"max", PP_T_NUMBER, IN(max), PP_DEFAULT_AS(INFINITY, "none"), .infinite = true, PP_HELP("Largest value allowed.")},
};
const pp_map pp_map_parameter = {
    "parameter", "A parameter",    "In short: `name: value`. At length: `name: {default: value, ...}`.",
    parameter,   COUNT(parameter), NULL};
#undef IN

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* keys_top.c - the keys of a scene file at the top level, of stages, recording, laws and parameters. See table.h. */
#include "perp/plugin.h"
#include "scene/scene_in.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* The stages there are; solvers may be added while the program runs. A test holds these lists against the world's
 * own. */
static const char *detector(int i) { return i == 0 ? "plain" : NULL; }
static const char *contact_model(int i) {
    static const char *const names[] = {"peg", "one-plane", "standard", "corrective", "lnc", "peg-mixed"};
    return i < COUNT(names) ? names[i] : NULL;
}
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
    {"about", PP_T_TEXT, IN(about), PP_WORDS("none"), PP_HELP("Free text: what to look at, where it comes from.")},
    {"units", PP_T_MAP, IN(units), .map = &pp_map_units, PP_WORDS("none"),
     PP_HELP("The units that the numbers are meant in, for labels of plots. perp computes with bare numbers.")},
    {"dim", PP_T_WHOLE, IN(dim), .required = true, PP_BETWEEN(2, 3),
     PP_HELP("Dimension: 2 is motion in the x-y plane, 3 is space. May come from an included file.")},
    {"include", PP_T_FILES, IN(include), PP_WORDS("none"),
     PP_HELP("Files read before this one, relative to it. Their lists come before the lists here; their maps and "
             "values hold where "
             "this file is silent.")},
    {"seed", PP_T_WHOLE, IN(seed), PP_DEFAULT(0), PP_NOT_NEGATIVE,
     PP_HELP("Start of the random numbers: another seed, another scene; the same seed, the same bits.")},
    {"parameters", PP_T_PARAMETERS, IN(parameters), PP_WORDS("none"), .map = &pp_map_parameter,
     PP_HELP("Numbers with names, for use in expressions and to be changed from outside with `-D name=value`.")},
    {"h", PP_T_NUMBER, IN(h), PP_UNIT("T"), PP_DEFAULT(0.001), PP_POSITIVE, PP_HELP("Time step.")},
    {"duration", PP_T_NUMBER, IN(duration), PP_UNIT("T"), .required = true, PP_NOT_NEGATIVE,
     PP_HELP("Time to simulate.")},
    {"gravity", PP_T_VECTOR, IN(gravity), PP_UNIT("L/T^2"), PP_WORDS("[0, -9.81] in 2D, [0, 0, -9.81] in 3D"),
     PP_HELP("Acceleration of gravity.")},
    {"press", PP_T_NUMBER, IN(press), .dims = PP_2D, PP_UNIT("L/T^2"), PP_DEFAULT(9.81), PP_NOT_NEGATIVE,
     PP_HELP("Acceleration that presses bodies with a `support` on the plane of motion.")},
    {"start", PP_T_CHOICE, IN(start), .choice = starts, PP_DEFAULT_AS(PERP_START_AUTO, "auto"),
     PP_HELP(
         "How the first step takes the given velocities: as they are, or moved back by half a step so that "
         "positions are "
         "exact under constant acceleration. `auto` is staggered where stepper, geometry and `error_tolerance` allow "
         "it, else plain.")},
    {"stages", PP_T_MAP, IN(stages), .map = &pp_map_stages, PP_WORDS("all defaults"),
     PP_HELP("Which methods a step is made of, and their settings.")},
    {"materials", PP_T_NAMES, IN(materials), PP_WORDS("none"),
     PP_HELP("Names of materials, for `material` and `laws`. The material `default` always exists.")},
    {"law", PP_T_MAP, IN(law), .map = &pp_map_law, PP_WORDS("no friction, no rebound"),
     PP_HELP("Contact law of all pairs of materials that `laws` does not name.")},
    {"laws", PP_T_LIST, IN(laws), .map = &pp_map_pair_law, PP_WORDS("none"),
     PP_HELP("Contact laws of pairs of materials.")},
    {"templates", PP_T_TABLE, IN(templates), .map = &pp_map_body, PP_WORDS("none"),
     PP_HELP("Bodies to be named by `like`: a body takes from its template every key it does not give itself. "
             "Templates may be "
             "`like` others; they have no `name` and no `repeat`.")},
    {"bodies", PP_T_LIST, IN(bodies), .map = &pp_map_body, PP_WORDS("none"), PP_HELP("The bodies.")},
    {"joints", PP_T_LIST, IN(joints), .map = &pp_map_joint, PP_WORDS("none"), PP_HELP("Joints between bodies.")},
    {"forces", PP_T_LIST, IN(forces), .map = &pp_map_force, PP_WORDS("none"),
     PP_HELP("Applied forces, springs and controllers.")},
    {"actuators", PP_T_LIST, IN(actuators), .map = &pp_map_actuator, PP_WORDS("none"),
     PP_HELP("Servos and forces on joint coordinates, each driven by one number.")},
    {"exclude", PP_T_LIST, IN(exclude), .map = &pp_map_exclude, PP_WORDS("none"),
     PP_HELP("Pairs of bodies that never touch each other, beside those that share a joint.")},
    {"sites", PP_T_LIST, IN(sites), .map = &pp_map_site, PP_WORDS("none"),
     PP_HELP("Named frames on bodies: tool points, feet, sensors, frames of a model's links.")},
    {"keyframes", PP_T_LIST, IN(keyframes), .map = &pp_map_keyframe, PP_WORDS("none"),
     PP_HELP("Named states of the joints.")},
    {"record", PP_T_MAP, IN(record), .map = &pp_map_record, PP_WORDS("everything, every step"),
     PP_HELP("What a recording of the scene holds.")},
    {"watch", PP_T_WATCH, IN(watch), PP_WORDS("nothing"),
     PP_HELP("Quantities that `perp run` prints while it goes: a name and an expression of series in braces for each, "
             "such as `{speed: \"hypot({box.vx}, {box.vy})\"}`.")},
    {"shape_order", PP_T_WHOLES, IN(shape_order), PP_WORDS("as written"),
     PP_HELP(
         "Order in which contacts of shapes are looked for: numbers of all shapes, counted over the bodies from 0. For "
         "worlds that perp writes: another order gives other last bits.")},
    {"state", PP_T_TEXT, IN(state), PP_WORDS("as the bodies are given"),
     PP_HELP(
         "Where a world that perp wrote had got to: time, poses, velocities and what it remembers, in base64. For the "
         "same version of perp.")},
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
     PP_HELP("Finds which features of shapes are near each other.")},
    {"contact_model", PP_T_STAGE, IN(contact_model), .list = contact_model, PP_WORDS("peg"),
     PP_HELP(
         "Decides which of the gaps found must hold: one separating plane for each pair of shapes (peg), all of "
         "them (standard), only those that are violated already (corrective), one for each vertex (lnc), or Williams' "
         "constraints as printed (peg-mixed).")},
    {"geometry", PP_T_CHOICE, IN(geometry), .choice = geometries, PP_DEFAULT_AS(PERP_GEOMETRY_ITERATED, "iterated"),
     PP_HELP("Where gaps are measured, and where contacts act. `iterated`: peg measures at the end of the step, posing "
             "the problem again until gaps hold there. `once`: at its start, linearised, as models other than peg do "
             "unless told `end`. "
             "With both, impulses act at the start pose. `end`: gaps, normals, levers, directions of friction and "
             "inertia are those of the end pose; with steppers stewart-trinkle and anitescu-potra.")},
    {"driven", PP_T_CHOICE, IN(driven), .choice = drivens, PP_DEFAULT_AS(PERP_DRIVEN_MEAN, "mean"),
     PP_HELP("Velocity of kinematic bodies that friction sees: the mean of the step, so that what sticks to them stays "
             "in place, or that at its end, as the documents print it.")},
    {"impacts", PP_T_CHOICE, IN(impacts), .choice = impacts, PP_DEFAULT_AS(PERP_IMPACTS_SEQUENCE, "sequence"),
     PP_HELP(
         "What happens where bodies with restitution meet, at the time at which they do: what closes reflects, and "
         "what closes after that, until nothing does (sequence); all contacts at once, by Newton's rule (newton) or "
         "by compression and restitution (poisson); by energy where a single contact closes, else as sequence "
         "(stronge). `plain`: Newton's rule within the equations of the step, without order, as the documents "
         "have it and as steppers other than stewart-trinkle, anitescu-potra and second-order do.")},
    {"stepper", PP_T_STAGE, IN(stepper), .list = stepper, PP_WORDS("stewart-trinkle"),
     PP_HELP("Makes the complementarity problem of a step.")},
    {"solver", PP_T_STAGE, IN(solver), .list = solver, PP_WORDS("form cone: auto, else lemke"), PP_HELP("Solves it.")},
    {"fallback", PP_T_STAGES, IN(fallback), .list = solver,
     PP_WORDS("form cone: none, else [pgs, enumerate], in 2D [pgs, enumerate, auto]"),
     PP_HELP("Solvers tried in turn when the answer before was not accepted; at most 4. With form lcp in 2D, where a "
             "cone is a "
             "pyramid of two directions, auto gets islands of more than 50 contacts and joints first, as cones: "
             "pivoting is "
             "exact, but slow there.")},
    {"form", PP_T_CHOICE, IN(form), .choice = forms, PP_DEFAULT_AS(PERP_FORM_AUTO, "auto"),
     PP_HELP(
         "Form of the problem: friction pyramids with joints eliminated beforehand (lcp) or kept as unknowns (mlcp), "
         "or true friction cones (cone), the same in every direction, for solvers that take them. `auto`: lcp in 2D, "
         "cone in 3D and with the steppers planar-2.5d and quasistatic, whose supports rub in two directions; there "
         "lcp if `friction_directions`, `friction_frame: fixed`, or a solver, stepper or contact model is named that "
         "goes with pyramids only.")},
    {"friction_directions", PP_T_WHOLE, IN(friction_directions), PP_WORDS("8 where there are pyramids"),
     PP_BETWEEN(3, 1024),
     PP_HELP("Edges of the friction pyramid in 3D, and of supports in 2D. Contacts in 2D always have two directions; a "
             "cone has no edges.")},
    {"friction_frame", PP_T_CHOICE, IN(friction_frame), .choice = frames, PP_DEFAULT_AS(PERP_FRICTION_SLIP, "slip"),
     PP_HELP("Where the first friction direction points: along the slip expected, or fixed to the contact.")},
    {"tolerance", PP_T_NUMBER, IN(tolerance), PP_DEFAULT(1e-8), .ranged = true, .above = true, .min = 0, .max = 0.999,
     PP_HELP("A step is accepted if its law residuals are below this times the speed scale.")},
    {"error_tolerance", PP_T_NUMBER, IN(error_tolerance), PP_UNIT("L"), PP_DEFAULT_AS(0, "off"), PP_NOT_NEGATIVE,
     PP_HELP("Divide steps until a part and its two halves end no further apart than this, by any point of a body; at "
             "most `max_halvings` times.")},
    {"max_halvings", PP_T_WHOLE, IN(max_halvings), PP_DEFAULT(8), PP_BETWEEN(0, 16),
     PP_HELP("A step that is not solved is halved, and its parts again, this many times at most.")},
    {"work_limit", PP_T_NUMBER, IN(work_limit), PP_DEFAULT(2.5e9), PP_NOT_NEGATIVE,
     PP_HELP("Most work that solvers may do in a step, in multiplications; 7e8 or so in a second of one core. A part "
             "of a divided "
             "step and a solver of the chain may use half of what is left, then the next has its turn. A step that "
             "has used it up fails. 0: no limit.")},
    {"time_limit", PP_T_NUMBER, IN(time_limit), PP_UNIT("s"), PP_DEFAULT_AS(0, "none"), PP_NOT_NEGATIVE,
     PP_HELP("The same by the clock on the wall. Results then depend on the machine.")},
    {"warm_start", PP_T_BOOL, IN(warm_start), PP_DEFAULT(true),
     PP_HELP("Start solvers from the impulses of the last step.")},
    {"joint_correction", PP_T_BOOL, IN(joint_correction), PP_DEFAULT(false),
     PP_HELP("Bring joints back together after each step. Of use with `geometry: once`: else they hold already.")},
    {"correction_position", PP_T_NUMBER, IN(correction_position), PP_UNIT("L"), PP_DEFAULT(1e-10), PP_POSITIVE,
     PP_HELP("How far joints may stay apart after the correction.")},
    {"correction_velocity", PP_T_NUMBER, IN(correction_velocity), PP_UNIT("L/T"), PP_DEFAULT(1e-10), PP_POSITIVE,
     PP_HELP("The same for their velocities.")},
    {"settings", PP_T_SETTINGS, IN(settings), PP_WORDS("those of each solver and stepper"),
     PP_HELP("Settings of the solver, the fallbacks and the stepper by name: `{lemke: {max_pivots: 500}}`.")},
};
const pp_map pp_map_stages = {
    "stages", "Stages",      "The methods a step is made of. Names are checked against what this program has.",
    stages,   COUNT(stages), NULL};
#undef IN

#define IN(field) PP_AT(pp_record_in, field)
static const pp_key record[] = {
    {"every", PP_T_WHOLE, IN(every), PP_DEFAULT(1), PP_BETWEEN(1, 1e9), PP_HELP("A frame every so many steps.")},
    {"interval", PP_T_NUMBER, IN(interval), PP_UNIT("T"), PP_WORDS("every times h"), PP_POSITIVE,
     PP_HELP("The same as a time between frames; a multiple of h. Not together with `every`.")},
    {"what", PP_T_WHAT, IN(what), PP_WORDS("all"), PP_HELP("What each frame holds: `all`, or a list of parts.")},
    {"compression", PP_T_WHOLE, IN(compression), PP_DEFAULT(1), PP_BETWEEN(0, 9),
     PP_HELP("From 0 (none) to 9 (smallest, slowest).")},
};
const pp_map pp_map_record = {"record", "Recording",   "What a recording holds and how often.",
                              record,   COUNT(record), NULL};
#undef IN

#define IN(field) PP_AT(pp_law_in, field)
/* clang-format off */
#define LAW_KEYS                                                                                                      \
    {"mu", PP_T_NUMBER, IN(mu), PP_DEFAULT(0), PP_NOT_NEGATIVE, PP_HELP("Coefficient of Coulomb friction.")},          \
    {"restitution", PP_T_NUMBER, IN(restitution), PP_DEFAULT(0), PP_BETWEEN(0, 1),                                     \
     PP_HELP("The part of the approach speed that an impact gives back, see `impacts`; less where that would "          \
             "gain energy, none where wedged bodies have no answer with it.")},                                        \
    {"restitution_t", PP_T_NUMBER, IN(restitution_t), PP_DEFAULT(0), PP_BETWEEN(0, 1),                                 \
     PP_HELP("Tangential restitution: the part of its slip that an impact turns round, as far as `mu` lets it; for "    \
             "pairs with restitution.")},                                                                              \
    {"e_t", PP_T_NUMBER, IN(e_t), .dims = PP_3D, PP_DEFAULT(1), PP_POSITIVE,                                           \
     PP_HELP("Elliptic friction: part of `mu` that holds along the first tangent of the contact.")},                   \
    {"e_o", PP_T_NUMBER, IN(e_o), .dims = PP_3D, PP_DEFAULT(1), PP_POSITIVE,                                           \
     PP_HELP("The same along the second tangent.")},                                                                   \
    {"e_r", PP_T_NUMBER, IN(e_r), .dims = PP_3D, PP_UNIT("L"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                         \
     PP_HELP("Torsional friction: length by which the contact resists spin about its normal.")},                       \
    {"compliance", PP_T_CHOICE, IN(compliance), .choice = compliances, PP_DEFAULT_AS(PERP_RIGID, "rigid"),             \
     PP_HELP("How the material gives way: not at all, as a spring at each contact, as Hertz says, or as springs "      \
             "spread over the faces. For steppers that take it.")},                                                    \
    {"stiffness", PP_T_NUMBER, IN(stiffness), PP_UNIT("M/T^2, or as `compliance` says"), PP_DEFAULT(0),                \
     PP_NOT_NEGATIVE, PP_HELP("Of a linear spring; the effective modulus E* [M/(L T^2)] of `hertz`; pressure per "     \
             "depth [M/(L^2 T^2)] of `foundation`.")},                                                                 \
    {"damping", PP_T_NUMBER, IN(damping), PP_UNIT("M/T"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                              \
     PP_HELP("Damping along the normal; per area [M/(L^2 T)] of `foundation`.")},                                      \
    {"stiffness_t", PP_T_NUMBER, IN(stiffness_t), PP_UNIT("M/T^2"), PP_DEFAULT_AS(0, "none"), PP_NOT_NEGATIVE,         \
     PP_HELP("Stiffness along the surface, for steppers that have it.")},                                              \
    {"damping_t", PP_T_NUMBER, IN(damping_t), PP_UNIT("M/T"), PP_DEFAULT(0), PP_NOT_NEGATIVE,                          \
     PP_HELP("Damping along the surface.")},                                                                           \
    {"layer", PP_T_NUMBER, IN(layer), PP_UNIT("L"), PP_DEFAULT_AS(0, "no core"), PP_NOT_NEGATIVE,                      \
     PP_HELP("Deepest that a compliant layer is pressed in before its rigid core is met.")}
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
     PP_HELP("The value unless it is given from outside; may use parameters above it.")},
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

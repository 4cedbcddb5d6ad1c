/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* keys_body.c - the keys of bodies, shapes and motions. See table.h. */
#include "scene/scene_in.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static const char *const kinds[] = {"obstacle", "kinematic", "dynamic", NULL}; /* as perp_body_kind */
static const char *const axes[] = {"x", "y", "z", NULL};

#define GROUP_MAX 4294967295.0

#define IN(field) PP_AT(pp_body_in, field)
static const pp_key body[] = {
    {"name", PP_T_NAME, IN(name), .own = true, PP_WORDS("none"),
     PP_HELP("Joints, forces and plots refer to the body by it. No two bodies have the same name.")},
    {"like", PP_T_REF, IN(like), .of = "a template", PP_WORDS("none"),
     PP_HELP("Template. Its keys apply where this entry gives none.")},
    {"label", PP_T_LABEL, IN(label), PP_WORDS("none"),
     PP_HELP("Text that is drawn beside the body. It may contain `${...}`, as names may.")},
    {"repeat", PP_T_REPEAT, IN(repeat), .own = true, PP_WORDS("once"),
     PP_HELP("Repeats the entry: a number of times with variable `i`, or `{i: 10, j: 5}` for nested loops. The last "
             "variable runs fastest.")},
    {"kind", PP_T_CHOICE, IN(kind), .choice = kinds, PP_DEFAULT_AS(PERP_BODY_DYNAMIC, "dynamic"),
     PP_HELP("`dynamic`: forces move it. `kinematic`: it moves as prescribed. `obstacle`: it does not move.")},
    {"at", PP_T_VECTOR, IN(at), PP_UNIT("L"), PP_WORDS("the origin"),
     PP_HELP("Position of the body's frame in the world.")},
    {"turn", PP_T_TURN, IN(turn), PP_UNIT("rad"), PP_WORDS("not turned"), .map = &pp_map_turn,
     PP_HELP("Orientation of the body's frame.")},
    {"velocity", PP_T_VECTOR, IN(velocity), PP_UNIT("L/T"), PP_WORDS("zero"),
     PP_HELP("Velocity of the centre of mass at the start. A kinematic body without `motion` keeps it.")},
    {"spin", PP_T_ANGULAR, IN(spin), PP_UNIT("rad/T"), PP_WORDS("zero"), PP_HELP("Angular velocity, in world axes.")},
    {"mass", PP_T_NUMBER, IN(mass), PP_UNIT("M"), PP_POSITIVE,
     PP_HELP("Mass of a dynamic body. Give `inertia` too, or the mass is spread evenly over the solid shapes. A "
             "particle needs no inertia.")},
    {"density", PP_T_NUMBER, IN(density), PP_UNIT("M/L^3, in 2D M/L^2"), PP_POSITIVE,
     PP_HELP("It replaces `mass`: mass, centre of mass and inertia follow from the shapes.")},
    {"inertia", PP_T_NUMBERS, IN(inertia), PP_UNIT("M L^2"), .count2 = 1u << 1, .count3 = 1u << 3 | 1u << 6,
     PP_HELP("Inertia about the centre of mass, together with `mass`. The centre of mass is the body's origin, or "
             "`centre`. "
             "3D: Ixx, Iyy, Izz, or Ixx, Iyy, Izz, Ixy, Ixz, Iyz.")},
    {"centre", PP_T_VECTOR, IN(centre), PP_UNIT("L"), PP_WORDS("the body's origin"),
     PP_HELP("Centre of mass in the body's frame, together with `mass` and `inertia`. The inertia is about it, in the "
             "axes of the frame.")},
    {"particle", PP_T_BOOL, IN(particle), PP_DEFAULT(false),
     PP_HELP("A point mass: it does not turn and needs no inertia.")},
    {"gravity", PP_T_BOOL, IN(gravity), PP_DEFAULT(true), PP_HELP("Gravity acts on it.")},
    {"force", PP_T_VECTOR, IN(force), PP_UNIT("M L/T^2"), PP_WORDS("zero"),
     PP_HELP("Constant force at the centre of mass, in world axes.")},
    {"torque", PP_T_ANGULAR, IN(torque), PP_UNIT("M L^2/T^2"), PP_WORDS("zero"),
     PP_HELP("Constant torque, in world axes.")},
    {"material", PP_T_REF, IN(material), .of = "a material", PP_WORDS("default"), PP_HELP("Material of its shapes.")},
    {"group", PP_T_WHOLE, IN(group), PP_DEFAULT(1), PP_BETWEEN(0, GROUP_MAX),
     PP_HELP("Bits, for all shapes of the body. Two shapes may touch if the group of each has a bit in common with the "
             "mask of the other.")},
    {"mask", PP_T_WHOLE, IN(mask), PP_DEFAULT_AS(GROUP_MAX, "all 32 bits"), PP_BETWEEN(0, GROUP_MAX),
     PP_HELP("See group.")},
    {"shape", PP_T_MAP, IN(shape), .map = &pp_map_shape, PP_WORDS("none"), PP_HELP("Its shape.")},
    {"shapes", PP_T_LIST, IN(shapes), .map = &pp_map_shape, PP_WORDS("none"),
     PP_HELP("Its shapes, if there are several.")},
    {"motion", PP_T_MAP, IN(motion), .map = &pp_map_motion, PP_WORDS("velocity and spin, constant"),
     PP_HELP("How a kinematic body moves.")},
    {"support", PP_T_MAP, IN(support), .map = &pp_map_support, .dims = PP_2D, PP_WORDS("none"),
     PP_HELP("Three points on which a dynamic body rests on the plane of motion, with friction. For the steppers "
             "planar-2.5d and quasistatic.")},
};
const pp_map pp_map_body = {
    "body",
    "A body",
    "An entry of `bodies`, or a template. If the mass follows from the shapes, the centre of mass may differ from the "
    "origin of the body's frame. `at`, shapes, joints and forces refer to the frame as written; recorded positions are "
    "those of the centre of mass.",
    body,
    COUNT(body),
    NULL};
#undef IN

static const char *const ways[] = {"one", "groups", "cut", NULL};                   /* as pp_parts */
static const char *const polygon_ways[] = {"one", "cut", NULL};                     /* as in read_shape.c */
static const char *const platonic[] = {"tetrahedron",  "cube",        "octahedron", /* as in read_shape.c */
                                       "dodecahedron", "icosahedron", NULL};
static const pp_variant shapes[] = {
    {"sphere", 0, "A ball, in 2D a disc, about the shape's origin."},
    {"box", 0, "A cuboid, in 2D a rectangle, about the shape's origin."},
    {"halfspace", 0, "Everything below a plane (in 2D a line). Not for dynamic bodies."},
    {"particle", 0, "A point, at `at`."},
    {"polygon", PP_2D,
     "The convex hull of points in the plane; with `parts: cut` the polygon with these corners in order."},
    {"polyhedron", PP_3D, "The convex hull of points in space."},
    {"regular", PP_2D, "A regular polygon about the shape's origin, the first corner on +x."},
    {"mesh", PP_3D, "A body from an OBJ or STL file."},
    {"capsule", 0, "All points within a radius of a segment on the x axis, about the shape's origin."},
    {"prism", PP_3D, "A regular polygon drawn out along z, about the shape's origin."},
    {"cylinder", PP_3D, "A prism of many sides along z; its corners lie on the circle."},
    {"cone", PP_3D, "A pyramid of many sides along z, its tip on +z; the shape's origin is its centre of mass."},
    {"platonic", PP_3D, "A regular solid about the shape's origin."},
    {"ellipsoid", 0, "An ellipsoid, in 2D an ellipse. This and the following are for the stepper implicit."},
    {"superellipsoid", 0,
     "(|x/a|^r + |y/b|^r)^(t/r) + |z/c|^t <= 1, in 2D |x/a|^r + |y/b|^r <= 1: from an ellipsoid to almost a box."},
    {"round_cylinder", PP_3D, "A true cylinder along z, about the shape's origin."},
    {"intersection", 0, "Where all of several convex functions are negative. Mass and inertia must be given."},
    {NULL, 0, NULL},
};
#define IN(field)  PP_AT(pp_shape_in, field)
#define FOR(v)     .variants = 1u << (v)
#define FOR2(v, u) .variants = 1u << (v) | 1u << (u)
#define ROUND                                                                                                    \
    (1u << PP_IN_SPHERE | 1u << PP_IN_CAPSULE | 1u << PP_IN_REGULAR | 1u << PP_IN_PRISM | 1u << PP_IN_CYLINDER | \
     1u << PP_IN_CONE | 1u << PP_IN_PLATONIC | 1u << PP_IN_ROUND_CYLINDER)
static const pp_key shape[] = {
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("The kind of shape.")},
    {"radius", PP_T_NUMBER, IN(radius), .variants = ROUND, .required = true, PP_UNIT("L"), PP_POSITIVE,
     PP_HELP("Radius. For a shape with corners: distance of a corner from the centre or the axis.")},
    {"length", PP_T_NUMBER, IN(length), FOR(PP_IN_CAPSULE), .required = true, PP_UNIT("L"), PP_POSITIVE,
     PP_HELP("Length of the segment. The capsule is two radii longer.")},
    {"height", PP_T_NUMBER, IN(height),
     .variants = 1u << PP_IN_PRISM | 1u << PP_IN_CYLINDER | 1u << PP_IN_CONE | 1u << PP_IN_ROUND_CYLINDER,
     .required = true, PP_UNIT("L"), PP_POSITIVE, PP_HELP("Extent along z.")},
    {"solid", PP_T_CHOICE, IN(solid), FOR(PP_IN_PLATONIC), .choice = platonic, .required = true, PP_HELP("Which one.")},
    {"size", PP_T_VECTOR, IN(size), FOR(PP_IN_BOX), PP_UNIT("L"), PP_POSITIVE, PP_WORDS("none"),
     PP_HELP("Full edge lengths. One of `size`, `edges` and `half_edges` is required.")},
    {"edges", PP_T_VECTOR, IN(edges), FOR(PP_IN_BOX), PP_UNIT("L"), PP_POSITIVE, PP_WORDS("none"),
     PP_HELP("Full edge lengths: another name of `size`. The library function is perp_shape_box_edges().")},
    {"half_edges", PP_T_VECTOR, IN(half_edges), FOR(PP_IN_BOX), PP_UNIT("L"), PP_POSITIVE, PP_WORDS("none"),
     PP_HELP("Half edge lengths, as in MuJoCo and in perp_shape_box() of the library.")},
    {"axes", PP_T_VECTOR, IN(axes), FOR2(PP_IN_ELLIPSOID, PP_IN_SUPERELLIPSOID), .required = true, PP_UNIT("L"),
     PP_POSITIVE, PP_HELP("Half axes.")},
    {"powers", PP_T_NUMBERS, IN(powers), FOR(PP_IN_SUPERELLIPSOID), .count2 = 1u << 1, .count3 = 1u << 1 | 1u << 2,
     .required = true, PP_HELP("Powers r, t, from 2 to 100; a single number gives both.")},
    {"functions", PP_T_LIST, IN(functions), FOR(PP_IN_INTERSECTION), .required = true, .map = &pp_map_function,
     PP_HELP("The functions, at most 32. All must be negative at the shape's origin.")},
    {"bound", PP_T_NUMBER, IN(bound), FOR(PP_IN_INTERSECTION), .required = true, PP_UNIT("L"), PP_POSITIVE,
     PP_HELP("Radius of a ball about the shape's origin that contains the intersection.")},
    {"normal", PP_T_VECTOR, IN(normal), FOR(PP_IN_HALFSPACE), .required = true,
     PP_HELP("Outward normal; need not be a unit vector.")},
    {"offset", PP_T_NUMBER, IN(offset), FOR(PP_IN_HALFSPACE), PP_DEFAULT(0), PP_UNIT("L"),
     PP_HELP("Distance of the plane from the shape's origin along the normal.")},
    {"points", PP_T_POINTS, IN(points), FOR2(PP_IN_POLYGON, PP_IN_POLYHEDRON), .required = true, PP_UNIT("L"),
     .map = &pp_map_points, PP_HELP("The points, at most 10000, or `{random: n, in: half sizes}`.")},
    {"parts", PP_T_CHOICE, IN(parts), FOR(PP_IN_POLYGON), .choice = polygon_ways, PP_DEFAULT_AS(0, "one"),
     PP_HELP(
         "`one`: the convex hull of the points. `cut`: the points, at most 1000, are the corners of a polygon in "
         "order. It need not be convex and is cut into convex parts that overlap. Its mass is that of the polygon.")},
    {"sides", PP_T_WHOLE, IN(sides), FOR2(PP_IN_REGULAR, PP_IN_PRISM), .required = true, PP_BETWEEN(3, 1000),
     PP_HELP("Number of sides.")},
    {"sides", PP_T_WHOLE, IN(facets), FOR2(PP_IN_CYLINDER, PP_IN_CONE), PP_DEFAULT(32), PP_BETWEEN(3, 1000),
     PP_HELP("Number of sides.")},
    {"file", PP_T_FILE, IN(file), FOR(PP_IN_MESH), .required = true,
     PP_HELP("OBJ or STL file, relative to the scene file.")},
    {"scale", PP_T_NUMBERS, IN(scale), FOR(PP_IN_MESH), .count3 = 1u << 1 | 1u << 3, PP_WORDS("1"),
     PP_HELP("Factor on the mesh's lengths, or one for each axis.")},
    {"hull", PP_T_BOOL, IN(hull), FOR(PP_IN_MESH), PP_DEFAULT(false),
     PP_HELP("Use the convex hull of a mesh that is not convex, instead of refusing the mesh. With `parts: groups`: "
             "the hull of each group.")},
    {"parts", PP_T_CHOICE, IN(mesh_parts), FOR(PP_IN_MESH), .choice = ways, PP_DEFAULT_AS(0, "one"),
     PP_HELP("`one`: the mesh is convex. `groups`: the faces after each `o` or `g` line (STL: `solid`) are a convex "
             "part. The mass is the sum of those of the parts. `cut`: the mesh is closed and need not be convex. It is "
             "cut into convex parts along its faces. The mass is that of the mesh.")},
    {"at", PP_T_VECTOR, IN(at), PP_UNIT("L"), PP_WORDS("the body's origin"),
     PP_HELP("Position of the shape in the body's frame.")},
    {"turn", PP_T_TURN, IN(turn), PP_UNIT("rad"), PP_WORDS("not turned"), .map = &pp_map_turn,
     PP_HELP("Orientation of the shape in the body's frame.")},
    {"material", PP_T_REF, IN(material), .of = "a material", PP_WORDS("the body's"), PP_HELP("Its material.")},
    {"group", PP_T_WHOLE, IN(group), PP_WORDS("the body's"), PP_BETWEEN(0, GROUP_MAX),
     PP_HELP("See group of the body.")},
    {"mask", PP_T_WHOLE, IN(mask), PP_WORDS("the body's"), PP_BETWEEN(0, GROUP_MAX), PP_HELP("See group of the body.")},
    {"surface_velocity", PP_T_FORMULAS, IN(surface_velocity), PP_UNIT("L/T"), PP_WORDS("at rest"),
     PP_HELP("Velocity of the surface relative to the body, in the body's axes, as of a conveyor belt. It may depend "
             "on the time `t`. Only the component along the contact plane is used.")},
    {"visual", PP_T_BOOL, IN(visual), PP_DEFAULT(false),
     PP_HELP("The shape is drawn only: it has no contacts and no mass. All types of shapes are allowed with every "
             "stepper.")},
    {"colour", PP_T_COLOUR, IN(colour), PP_WORDS("by the body's kind"), PP_HELP("What it is drawn with.")},
};
const pp_map pp_map_shape = {"shape", "A shape",    "Convex, or cut into convex parts; a body may have several.",
                             shape,   COUNT(shape), shapes};
#undef IN
#undef FOR
#undef FOR2
#undef ROUND

enum { F_SPHERE, F_ELLIPSOID, F_SUPERELLIPSOID, F_HALFSPACE, F_CYLINDER }; /* as perp_function_kind */
static const pp_variant functions[] = {
    {"sphere", 0, "Negative in a ball, in 2D a disc."},
    {"ellipsoid", 0, "Negative in an ellipsoid."},
    {"superellipsoid", 0, "Negative in a superellipsoid."},
    {"halfspace", 0, "Negative below a plane."},
    {"cylinder", 0, "Negative in a cylinder about z without ends; in 2D a strip along y."},
    {NULL, 0, NULL},
};
#define IN(field) PP_AT(pp_function_in, field)
#define FOR(v)    .variants = 1u << (v)
static const pp_key function[] = {
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("The kind of function.")},
    {"radius", PP_T_NUMBER, IN(radius), .variants = 1u << F_SPHERE | 1u << F_CYLINDER, .required = true, PP_UNIT("L"),
     PP_POSITIVE, PP_HELP("Radius; of a strip half its width.")},
    {"axes", PP_T_VECTOR, IN(axes), .variants = 1u << F_ELLIPSOID | 1u << F_SUPERELLIPSOID, .required = true,
     PP_UNIT("L"), PP_POSITIVE, PP_HELP("Half axes.")},
    {"powers", PP_T_NUMBERS, IN(powers), FOR(F_SUPERELLIPSOID), .count2 = 1u << 1, .count3 = 1u << 1 | 1u << 2,
     .required = true, PP_HELP("Powers r, t, from 2 to 100; a single number gives both.")},
    {"normal", PP_T_VECTOR, IN(normal), FOR(F_HALFSPACE), .required = true, PP_HELP("Outward normal.")},
    {"offset", PP_T_NUMBER, IN(offset), FOR(F_HALFSPACE), PP_DEFAULT(0), PP_UNIT("L"),
     PP_HELP("Distance of the plane from the origin along the normal.")},
    {"at", PP_T_VECTOR, IN(at), PP_UNIT("L"), PP_WORDS("the shape's origin"), PP_HELP("Its position in the shape.")},
    {"turn", PP_T_TURN, IN(turn), PP_UNIT("rad"), PP_WORDS("not turned"), .map = &pp_map_turn,
     PP_HELP("Its orientation in the shape.")},
};
const pp_map pp_map_function = {"function", "A convex function", "One of those that an intersection is made of.",
                                function,   COUNT(function),     functions};
#undef IN
#undef FOR

#define IN(field) PP_AT(pp_points_in, field)
static const pp_key points[] = {
    {"random", PP_T_WHOLE, IN(random), .required = true, PP_BETWEEN(3, 10000), PP_HELP("Number of points.")},
    {"in", PP_T_VECTOR, IN(in), .required = true, PP_UNIT("L"), PP_POSITIVE,
     PP_HELP("Half sizes of a box about the origin. The points are uniformly distributed in it.")},
};
const pp_map pp_map_points = {"random_points", "Random points", "In place of a list of points.",
                              points,          COUNT(points),   NULL};
#undef IN

#define IN(field) PP_AT(pp_turn_in, field)
static const pp_key turn[] = {
    {"axis", PP_T_VECTOR, IN(axis), .dims = PP_3D, PP_HELP("Direction to turn about; with `angle`.")},
    {"angle", PP_T_NUMBER, IN(angle), .dims = PP_3D, PP_UNIT("rad"), PP_HELP("Angle; with `axis`.")},
    {"euler", PP_T_VECTOR, IN(euler), .dims = PP_3D, PP_UNIT("rad"),
     PP_HELP("Turns about the fixed axes x, then y, then z; alone.")},
    {"quaternion", PP_T_NUMBERS, IN(quaternion), .count2 = 1u << 2, .count3 = 1u << 4,
     PP_HELP("The quaternion w, x, y, z (2D: w, z) of norm 1, in place of the other keys. perp writes worlds with it, "
             "because an angle would change the last bit.")},
};
const pp_map pp_map_turn = {
    "turn",
    "An orientation",
    "In 2D an angle. In 3D `{axis: [x, y, z], angle: a}`, `{euler: [rx, ry, rz]}`, or a quaternion `[w, x, y, "
    "z]`, which is normalised. In both `{quaternion: [...]}`, which is used unchanged.",
    turn,
    COUNT(turn),
    NULL};
#undef IN

enum { CONSTANT, SINUSOID, TABLE, EXPRESSION };
static const pp_variant motions[] = {
    {"constant", 0, "Constant velocity and spin."},
    {"sinusoid", 0, "Sums of sinusoids of acceleration."},
    {"table", 0,
     "Poses at given times: straight between positions, the shortest way between orientations, held outside."},
    {"expression", 0, "The pose as expressions of the time `t`."},
    {NULL, 0, NULL},
};
#define IN(field) PP_AT(pp_motion_in, field)
#define FOR(v)    .variants = 1u << (v)
static const pp_key motion[] = {
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("How it moves.")},
    {"velocity", PP_T_VECTOR, IN(velocity), FOR(CONSTANT), PP_UNIT("L/T"), PP_WORDS("zero"), PP_HELP("Velocity.")},
    {"spin", PP_T_ANGULAR, IN(spin), FOR(CONSTANT), PP_UNIT("rad/T"), PP_WORDS("zero"), PP_HELP("Angular velocity.")},
    {"terms", PP_T_LIST, IN(terms), FOR(SINUSOID), .required = true, .map = &pp_map_term,
     PP_HELP("The sinusoids, added up.")},
    {"zero_mean", PP_T_BOOL, IN(zero_mean), FOR(SINUSOID), PP_DEFAULT(true),
     PP_HELP("The angle swings symmetrically about the given orientation instead of starting from it.")},
    {"rows", PP_T_ROWS, IN(rows), FOR(TABLE), PP_WORDS("none: then `poses`"),
     PP_HELP("2D: `[t, x, y, angle]`. 3D: `[t, x, y, z, qw, qx, qy, qz]`. Times must increase.")},
    {"poses", PP_T_ROWS, IN(poses), FOR(TABLE), PP_WORDS("none: then `rows`"),
     PP_HELP("It replaces `rows`; quaternions have norm 1 and are used unchanged. 2D: `[t, x, y, qw, qz]`. 3D: as in "
             "`rows`. perp writes worlds with it.")},
    {"at", PP_T_FORMULAS, IN(at), FOR(EXPRESSION), PP_UNIT("L"), PP_WORDS("where the body is"),
     PP_HELP("Position at time `t`.")},
    {"turn", PP_T_FORMULA_TURN, IN(turn), FOR(EXPRESSION), PP_UNIT("rad"), PP_WORDS("as the body is"),
     .map = &pp_map_formula_turn, PP_HELP("Orientation at time `t`.")},
};
const pp_map pp_map_motion = {"motion", "A motion", "Of a kinematic body.", motion, COUNT(motion), motions};
#undef IN
#undef FOR

enum { CIRCLE, POINTS, SAMPLE };
static const pp_variant supports[] = {
    {"circle", PP_2D, "Three points evenly on a circle about the centre of mass."},
    {"points", PP_2D, "Three points as given."},
    {"sample", PP_2D, "Three random points of the shapes that hold the centre of mass between them."},
    {NULL, 0, NULL},
};
#define IN(field) PP_AT(pp_support_in, field)
#define FOR(v)    .variants = 1u << (v)
static const pp_key support[] = {
    {"type", PP_T_TAG, 0, .required = true, PP_HELP("How the points are chosen.")},
    {"radius", PP_T_NUMBER, IN(radius), FOR(CIRCLE), PP_UNIT("L"), PP_WORDS("the radius of gyration"), PP_POSITIVE,
     PP_HELP("Radius of the circle.")},
    {"angle", PP_T_NUMBER, IN(angle), FOR(CIRCLE), PP_UNIT("rad"), PP_DEFAULT(0),
     PP_HELP("Angle of the first point from the x axis of the body.")},
    {"points", PP_T_ROWS, IN(points), FOR(POINTS), .required = true, PP_UNIT("L"),
     PP_HELP("`[[x, y], [x, y], [x, y]]`, in the body's frame as written.")},
    {"seed", PP_T_WHOLE, IN(seed), FOR(SAMPLE), PP_DEFAULT(0), PP_NOT_NEGATIVE,
     PP_HELP("Seed of the random points. The same seed gives the same points.")},
    {"mu", PP_T_NUMBERS, IN(mu), .required = true, .count2 = 1u << 1 | 1u << 3,
     PP_HELP("Coefficients of Coulomb friction on the plane: one number for all points, or one for each.")},
};
const pp_map pp_map_support = {"support", "A support",    "What a planar body rests on; it carries the weight.",
                               support,   COUNT(support), supports};
#undef IN
#undef FOR

#define IN(field) PP_AT(pp_term_in, field)
static const pp_key term[] = {
    {"axis", PP_T_CHOICE, IN(axis), .choice = axes, .required = true,
     PP_HELP("World axis. In 2D: x or y for translation, z for rotation.")},
    {"angular", PP_T_BOOL, IN(angular), PP_DEFAULT(false),
     PP_HELP("Rotation about the axis instead of translation along it.")},
    {"amplitude", PP_T_NUMBER, IN(amplitude), .required = true, PP_UNIT("L/T^2 or rad/T^2"),
     PP_HELP("Amplitude of the acceleration.")},
    {"omega", PP_T_NUMBER, IN(omega), .required = true, PP_UNIT("rad/T"), PP_POSITIVE, PP_HELP("Angular frequency.")},
    {"phase", PP_T_NUMBER, IN(phase), PP_DEFAULT(0), PP_UNIT("rad"), PP_HELP("Phase.")},
};
const pp_map pp_map_term = {"term", "A sinusoid", "amplitude sin(omega t + phase) of acceleration.",
                            term,   COUNT(term),  NULL};
#undef IN

#define IN(field) PP_AT(pp_formula_turn_in, field)
static const pp_key formula_turn[] = {
    {"axis", PP_T_FORMULAS, IN(axis), .required = true, .dims = PP_3D,
     PP_HELP("Axis of rotation, as expressions of `t`.")},
    {"angle", PP_T_FORMULA, IN(angle), .required = true, .dims = PP_3D, PP_UNIT("rad"),
     PP_HELP("Angle, an expression of `t`.")},
};
const pp_map pp_map_formula_turn = {
    "formula_turn", "An orientation in time", "In 2D an expression of `t` that gives the angle; in 3D a map.",
    formula_turn,   COUNT(formula_turn),      NULL};
#undef IN

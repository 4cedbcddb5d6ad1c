/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene_errors.c - messages about scene files are exact: place, key, what was found, what is allowed. */
#include "unit/scene_help.h"

#define TOP_KEYS                                                                                                 \
    "perp, title, about, units, dim, include, seed, parameters, h, "                                             \
    "duration, gravity, press, start, stages, materials, law, laws, templates, models, bodies, joints, forces, " \
    "actuators, controls, "                                                                                      \
    "exclude, sites, sensors, "                                                                                  \
    "keyframes, record, "                                                                                        \
    "watch, "                                                                                                    \
    "shape_order, state"
#define TEMPLATE_KEYS                                                                                                 \
    "like, label, kind, at, turn, velocity, spin, mass, density, inertia, centre, particle, gravity, force, torque, " \
    "material, "                                                                                                      \
    "group, "                                                                                                         \
    "mask, shape, shapes, motion"
#define BODY_KEYS                                                                                                    \
    "name, like, label, repeat, kind, at, turn, velocity, spin, mass, density, inertia, centre, particle, gravity, " \
    "force, "                                                                                                        \
    "torque, material, group, mask, shape, shapes, motion"

/* A file called s.yaml and its message, without the name. */
static const struct {
    const char *text, *message;
} cases[] = {
    /* clang-format off */
    {"- 1\n",
     ":1:1: found a list of 1; allowed: a map: scene"},
    {"dim: 3\nduration: 1\n",
     ":1:1: found no key `perp`; allowed: perp: 1, the version of the format"},
    {"perp: 2\ndim: 3\nduration: 1\n",
     ":1:7: perp: found 2; allowed: 1 (a newer perp is needed)"},
    {"perp: 1\nduration: 1\n",
     ":1:1: found no key `dim`; allowed: dim: 2 or dim: 3"},
    {"perp: 1\ndim: 4\nduration: 1\n",
     ":2:6: dim: found 4; allowed: a whole number: 2 or 3"},
    {"perp: 1\ndim: 3\n",
     ":1:1: found no key `duration`; allowed: a number >= 0"},
    {HEAD3 "bodys: []\n",
     ":4:1: found the key `bodys`; allowed: " TOP_KEYS "; did you mean bodies?"},
    {HEAD3 "bodies:\n  - {masss: 1, shape: {type: sphere, radius: 1}}\n",
     ":5:6: bodies[0]: found the key `masss`; allowed: " BODY_KEYS "; did you mean mass?"},
    {HEAD3 "bodies:\n  - {mass: -1, shape: {type: sphere, radius: 1}}\n",
     ":5:12: bodies[0].mass: found -1; allowed: a number > 0"},
    {HEAD3 "parameters: {m: 2}\nbodies:\n  - {mass: m - 3, shape: {type: sphere, radius: 1}}\n",
     ":6:12: bodies[0].mass: found \"m - 3\", which is -1; allowed: a number > 0"},
    {HEAD3 "parameters: {m: 2}\nbodies:\n  - {mass: 2*mm, shape: {type: sphere, radius: 1}}\n",
     ":6:14: bodies[0].mass: found the unknown name mm; allowed: m, pi, e, inf, deg"},
    {HEAD3 "h: 1 +\n",
     ":4:7: h: found the end; allowed: a number, a name or ("},
    {HEAD3 "bodies:\n  - {mass: 1/0, shape: {type: sphere, radius: 1}}\n",
     ":5:12: bodies[0].mass: found \"1/0\", which is inf; allowed: a finite number > 0"},
    {HEAD3 "gravity: [0, 0, 0/0]\n",
     ":4:17: gravity[2]: found \"0/0\", which is nan; allowed: a finite number"},
    {HEAD3 "gravity: [0, 1]\n",
     ":4:10: gravity: found a list of 2; allowed: a list of 3 numbers"},
    {HEAD3 "gravity: 3\n",
     ":4:10: gravity: found 3; allowed: a list of 3 numbers"},
    {HEAD3 "bodies:\n  - {particle: yes, mass: 1}\n",
     ":5:16: bodies[0].particle: found \"yes\"; allowed: true or false"},
    {HEAD3 "bodies:\n  - {shape: {type: sphere, radius: 1}}\n",
     ":5:5: bodies[0]: found a dynamic body without mass; allowed: density, mass, mass and inertia, or particle: true and mass"},
    {HEAD3 "bodies:\n  - {mass: 1}\n",
     ":5:5: bodies[0]: found mass without inertia and without shapes; allowed: inertia as well, particle: true, or a solid shape"},
    {HEAD3 "bodies:\n  - {mass: 1, density: 1, shape: {type: sphere, radius: 1}}\n",
     ":5:5: bodies[0]: found mass and density; allowed: one of the two"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: sphere, radius: 1}, shapes: []}\n",
     ":5:57: bodies[0].shapes: found shape and shapes; allowed: one of the two"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {radius: 1}}\n",
     ":5:22: bodies[0].shape: found no key `type`; allowed: type: sphere, box, halfspace, particle, polyhedron, mesh, capsule, prism, cylinder, cone, platonic, ellipsoid, superellipsoid, round_cylinder, intersection"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: shpere, radius: 1}}\n",
     ":5:29: bodies[0].shape.type: found \"shpere\"; allowed: sphere, box, halfspace, particle, polyhedron, mesh, capsule, prism, cylinder, cone, platonic, ellipsoid, superellipsoid, round_cylinder, intersection; did you mean sphere?"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: box, radius: 1}}\n",
     ":5:34: bodies[0].shape: found the key `radius` with type: box; allowed: type, size, edges, half_edges, at, turn, material, group, mask, surface_velocity, visual, colour"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: sphere}}\n",
     ":5:22: bodies[0].shape: found no key `radius`; allowed: a number > 0"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: polygon, points: [[0, 0]]}}\n",
     ":5:29: bodies[0].shape.type: found the 2D type `polygon`; allowed: sphere, box, halfspace, particle, polyhedron, mesh, capsule, prism, cylinder, cone, platonic, ellipsoid, superellipsoid, round_cylinder, intersection"},
    {HEAD3 "bodies:\n  - {mass: 1, inertia: [1, 1, 1], shape: {type: halfspace, normal: [0, 0, 1]}}\n",
     ":5:42: bodies[0].shape: a dynamic body cannot carry a half-space"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: polyhedron, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n",
     ":5:22: bodies[0].shape: the points of the polyhedron lie in a plane"},
    {HEAD3 "bodies:\n  - {name: 1a, particle: true, mass: 1}\n",
     ":5:12: bodies[0].name: found \"1a\"; allowed: a name: letters, digits, - and _, a letter first, at most 95"},
    {HEAD3 "bodies:\n  - {name: a, particle: true, mass: 1}\n  - {name: a, particle: true, mass: 1}\n",
     ":6:12: bodies[1].name: found \"a\"; allowed: a name that no other body has"},
    {HEAD3 "bodies:\n  - {name: world, particle: true, mass: 1}\n",
     ":5:12: bodies[0].name: found \"world\", which means something else; allowed: another name"},
    {HEAD3 "bodies:\n  - {name: block, particle: true, mass: 1}\njoints:\n  - {type: spherical, b: blok, at: [0, 0, 0]}\n",
     ":7:26: joints[0].b: found \"blok\"; allowed: the name of a body (did you mean block?)"},
    {HEAD3 "bodies:\n  - {name: block, particle: true, mass: 1}\njoints:\n  - {type: spherical, b: block}\n",
     ":7:5: joints[0]: found no place of the joint; allowed: at, or at_a and at_b"},
    {HEAD2 "bodies:\n  - {name: b, particle: true, mass: 1}\njoints:\n  - {type: spherical, b: b, at: [0, 0]}\n",
     ":7:12: joints[0].type: found the 3D type `spherical`; allowed: fixed, revolute, prismatic, coupling, tendon"},
    {HEAD3 "bodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\njoints:\n  - {type: cylindrical, b: b, at: [0, 0, 0], axes: [{friction: 1}]}\n",
     ":7:52: joints[0].axes: found a list of 1; allowed: a list of 2, one for each coordinate"},
    {HEAD3 "bodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\njoints:\n  - {type: cylindrical, b: b, at: [0, 0, 0], limits: [0, 1]}\n",
     ":7:46: joints[0]: found the key `limits` with type: cylindrical; allowed: name, repeat, type, a, b, collide, at, axis, turn, at_a, turn_a, at_b, turn_b, axes"},
    {HEAD3 "bodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\njoints:\n  - {type: revolute, b: b, at: [0, 0, 0], limits: [1, 0]}\n",
     ":7:51: joints[0].limits: found the first above the second; allowed: the smaller limit first"},
    {HEAD3 "stages:\n  solver: lemkee\n",
     ":5:11: stages.solver: found \"lemkee\"; allowed: auto, lemke, pgs, enumerate, fischer-newton, minmap-newton, path-search, interior-point, accelerated-gradient, jacobi, psor, nncg, fixed-point, gauss-seidel, prox-newton, cone-interior-point, admm, spectral-gradient; did you mean lemke?"},
    {HEAD3 "stages:\n  form: lcpp\n",
     ":5:9: stages.form: found \"lcpp\"; allowed: lcp, mlcp, cone, auto; did you mean lcp?"},
    {HEAD2 "stages:\n  settings:\n    lemke: {max_pivot: 5}\n",
     ":6:13: stages.settings.lemke: found the setting `max_pivot`; allowed: max_pivots, pivot_tol, tie_tol, tol, warm_steps, tries, share, starts; did you mean max_pivots?"},
    {HEAD2 "stages:\n  settings:\n    lemke: {max_pivots: -5}\n",
     ":6:25: stages.settings.lemke.max_pivots: found -5; allowed: a whole number from 0 to 1000000000"},
    {HEAD2 "stages:\n  fallback: []\n  settings:\n    pgs: {relaxation: 1}\n",
     ":7:5: stages.settings: found the stage `pgs`; allowed: lemke, stewart-trinkle"},
    {HEAD3 "materials: [steel]\nbodies:\n  - {mass: 1, material: stel, shape: {type: sphere, radius: 1}}\n",
     ":6:25: bodies[0].material: found \"stel\"; allowed: the name of a material (did you mean steel?)"},
    {HEAD3 "materials: [steel]\nlaws: [{pair: [steel], mu: 1}]\n",
     ":5:15: laws[0].pair: found a list of 1; allowed: a list of 2 materials"},
    {HEAD3 "law: {restitution: 1.5}\n",
     ":4:20: law.restitution: found 1.5; allowed: a number from 0 to 1"},
    {HEAD3 "templates: {brick: {mass: 1}}\nbodies:\n  - {like: brik}\n",
     ":6:12: bodies[0].like: found \"brik\"; allowed: the name of a template (did you mean brick?)"},
    {HEAD3 "templates: {a: {like: b}, b: {like: a}}\nbodies:\n  - {like: a}\n",
     ":4:37: bodies[0].like: found a circle of templates through a; allowed: templates that do not refer to themselves"},
    {HEAD3 "templates: {a: {name: b}}\n",
     ":4:17: templates.a: found the key `name`; allowed: " TEMPLATE_KEYS},
    {HEAD3 "bodies:\n  - {repeat: -1, particle: true, mass: 1}\n",
     ":5:14: bodies[0].repeat: found -1; allowed: a whole number from 0 to 1000000"},
    {HEAD3 "bodies:\n  - {repeat: 1e9, particle: true, mass: 1}\n",
     ":5:14: bodies[0].repeat: found 1e9; allowed: a whole number from 0 to 1000000"},
    {HEAD3 "bodies:\n  - {repeat: {i: 1000, j: 1001}, particle: true, mass: 1}\n",
     ":5:14: bodies[0].repeat: found 1001000 repetitions; allowed: at most 1000000"},
    {HEAD3 "bodies:\n  - {repeat: {i: 2, j: 1000, k: 500*(1 + i)}, particle: true, mass: 1}\n",
     ":5:14: bodies[0].repeat: found 1500000 repetitions; allowed: at most 1000000"},
    {HEAD3 "bodies:\n  - {repeat: 5, particle: true, mass: 3 - i}\n",
     ":5:39: bodies[0].mass (i = 3): found \"3 - i\", which is 0; allowed: a number > 0"},
    {HEAD3 "parameters: {i: 1}\nbodies:\n  - {repeat: 5, particle: true, mass: 3 - i}\n",
     ":6:14: bodies[0].repeat: found the variable `i`, which is also a parameter; allowed: {k: n} with a name that is not in use"},
    {HEAD3 "bodies:\n  - {repeat: {pi: 5}, particle: true, mass: 3}\n",
     ":5:15: bodies[0].repeat: found the variable `pi`; allowed: a name that is not in use"},
    {HEAD3 "parameters: {pi: 1}\n",
     ":4:14: parameters: found the parameter `pi`; allowed: a name that is not a constant or a function of expressions"},
    {HEAD3 "parameters: {mu: {default: 2, max: 1}}\n",
     ":4:28: parameters.mu: found 2; allowed: a number <= 1"},
    {HEAD3 "parameters: {a: b, b: 1}\n",
     ":4:17: parameters.a: found the unknown name b; allowed: a number, or an expression of pi, e, inf, deg"},
    {HEAD3 "parameters: {a: 'uniform(0, 1)'}\n",
     ":4:17: parameters.a: found the random function uniform(); allowed: only in bodies, joints and forces"},
    {HEAD3 "h: 0.01\nrecord: {interval: 0.015}\n",
     ":5:20: record.interval: found 0.015; allowed: a multiple of h = 0.01"},
    {HEAD3 "record: {what: [pose]}\n",
     ":4:17: record.what[0]: found \"pose\"; allowed: poses, twists, joints, contacts, certificate, ledger, solver; did you mean poses?"},
    {HEAD3 "record: {compression: 10}\n",
     ":4:23: record.compression: found 10; allowed: a whole number from 0 to 9"},
    {HEAD3 "bodies:\n  - {kind: kinematic, motion: {type: table, rows: [[0, 0, 0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0, 0]]}}\n",
     ":5:78: bodies[0].motion.rows[1]: found t = 0; allowed: a time after 0"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: sphere, radius: 1}, motion: {type: constant}}\n",
     ":5:57: bodies[0].motion: found motion; allowed: only for kinematic bodies"},
    {HEAD3 "bodies:\n  - {kind: kinematic, motion: {type: table, rows: [[0, 0]]}}\n",
     ":5:52: bodies[0].motion.rows[0]: found a list of 2; allowed: a list of 8 numbers"},
    {HEAD3 "bodies:\n  - {kind: obstacle, mass: 1}\n",
     ":5:28: bodies[0].mass: found mass; allowed: only for dynamic bodies"},
    {HEAD3 "bodies:\n  - {kind: obstacle, velocity: [1, 0, 0]}\n",
     ":5:32: bodies[0].velocity: found velocity; allowed: only for dynamic and kinematic bodies"},
    {HEAD3 "bodies:\n  - {kind: obstacle, turn: [0, 0, 0, 0]}\n",
     ":5:28: bodies[0].turn: found a quaternion of zeros; allowed: one that is not zero"},
    {HEAD3 "bodies:\n  - {kind: obstacle, turn: {axis: [0, 0, 1]}}\n",
     ":5:28: bodies[0].turn: found a map with the key axis; allowed: {axis: [x, y, z], angle: a}, {euler: [rx, ry, rz]} or a list of 4 numbers (w, x, y, z)"},
    {HEAD3 "bodies:\n  - {kind: obstacle, turn: {axis: [0, 0, 0], angle: 1}}\n",
     ":5:35: bodies[0].turn.axis: found an axis of zeros; allowed: a direction"},
    {HEAD3 "bodies:\n  - {mass: 1, inertia: [1, 1, 5]}\n",
     ":5:5: bodies[0]: inertia has principal moments (1, 1, 5): no body has one larger than the sum of the others"},
    {HEAD3 "bodies:\n  - {mass: 1, inertia: [1, 1]}\n",
     ":5:24: bodies[0].inertia: found a list of 2; allowed: a list of 3 numbers or 6 numbers"},
    {HEAD3 "bodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\nforces:\n  - {type: expression, body: b, force: [0, 0, k*zz]}\n",
     ":7:47: forces[0].force[2]: found the unknown name k; allowed: t, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, pi, e, inf, deg"},
    {HEAD3 "parameters: {x: 1}\nbodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\nforces:\n  - {type: expression, body: b, force: [0, 0, x]}\n",
     ":8:47: forces[0].force[2]: found the name x, which here is a quantity that changes with time, and also a parameter or repeat variable; allowed: another name for the latter"},
    {HEAD3 "forces:\n  - {type: pd, joint: hinge}\n",
     ":5:23: forces[0].joint: found \"hinge\"; allowed: the name of a joint (there is none)"},
    {HEAD3 "bodies:\n  - {name: b, kind: obstacle}\nforces:\n  - {type: constant, body: b, force: [1, 0, 0]}\n",
     ":7:5: forces[0]: only a dynamic body can be pushed by a force"},
    {HEAD3 "bodies: {a: 1}\n",
     ":4:9: bodies: found a map with the key a; allowed: a list of maps: body"},
    {HEAD3 "bodies: [3]\n",
     ":4:10: bodies[0]: found 3; allowed: a map: body"},
    {HEAD3 "bodies:\n  - {name: 'a${1', particle: true, mass: 1}\n",
     ":5:12: bodies[0].name: found ${ without }; allowed: ${expression}"},
    {HEAD3 "bodies:\n  - {name: 'a${1/2}', particle: true, mass: 1}\n",
     ":5:12: bodies[0].name: found \"a0.5\"; allowed: a name: letters, digits, - and _, a letter first, at most 95"},
    {"perp: 1\ndim: 2\nduration: 1e300\nh: 1e-300\n",
     ":3:11: duration: found more than 1e15 steps; allowed: duration / h up to 1e15"},
    {"perp: 1\ndim: 2\nduration: 1e30\n",
     ":3:11: duration: found more than 1e15 steps; allowed: duration / h up to 1e15"},
    {HEAD2 "bodies:\n  - {mass: 1, shape: {type: regular, sides: 2.5, radius: 1}}\n",
     ":5:45: bodies[0].shape.sides: found 2.5; allowed: a whole number from 3 to 1000"},
    {HEAD2 "bodies:\n  - {mass: 1, group: 1e12, shape: {type: regular, sides: 5, radius: 1}}\n",
     ":5:22: bodies[0].group: found 1e12; allowed: a whole number from 0 to 4294967295"},
    {HEAD3 "h: 1\nh: 2\n",
     ":5:1: h: found the key again (first at line 4); allowed: each key once"},
    {HEAD3 "h:\n",
     ":4:3: h: found nothing; allowed: a number > 0"},
    {HEAD3 "bodies:\n  - {repeat: {i: 1e6, j: 1e6, k: 0}, mass: 1}\n",
     ":5:18: bodies[0].repeat (i = 1, j = 999997, k = 0): found more than 2000000 repetitions; allowed: fewer"},
    {HEAD3 "bodies:\n  - {repeat: {a: 1, b: 1, c: 1, d: 1, f: 1, g: 1, h: 1, i: 1, j: 1}, mass: 1}\n",
     ":5:14: bodies[0].repeat: found a map with the keys a, b, c, ...; allowed: a whole number >= 0, or a map from up to 8 names to such"},
    {HEAD3 "bodies:\n  - {repeat: {a-b: 1}, mass: 1}\n",
     ":5:15: bodies[0].repeat: found the variable `a-b`; allowed: letters, digits and _"},
    {HEAD3 "bodies:\n  - {repeat: {a: b, b: 2}, mass: 1}\n",
     ":5:18: bodies[0].repeat.a: found the unknown name b; allowed: a whole number from 0 to 1000000, or an expression of pi, e, inf, deg"},
    {HEAD3 "bodies:\n  - {repeat: 'round(uniform(1, 5))', mass: 1}\n",
     ":5:14: bodies[0].repeat: found the random function uniform(); allowed: only in bodies, joints and forces"},
    {HEAD2 "bodies:\n  - {mass: 1, shape: {type: polygon, points: []}}\n",
     ":5:46: bodies[0].shape.points: found an empty list; allowed: a list of points [x, y], or {random: n, in: [...]}"},
    {HEAD2 "bodies:\n  - {mass: 1, shape: {type: polygon, points: [[0, 0], [1, 0], [1, 1, 1]]}}\n",
     ":5:63: bodies[0].shape.points[2]: found a list of 3; allowed: a list of 2 numbers"},
    {HEAD2 "bodies:\n  - {mass: 1, shape: {type: polygon, points: {random: 1e9, in: [1, 1]}}}\n",
     ":5:55: bodies[0].shape.points.random: found 1e9; allowed: a whole number from 3 to 10000"},
    {HEAD2 "bodies:\n  - {mass: 1, shape: {type: polygon, points: [[0, 0], [1, 0], [2, 0]]}}\n",
     ":5:22: bodies[0].shape: the points of the polygon lie on a line"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: box}}\n",
     ":5:22: bodies[0].shape: found no key `size`; allowed: one of size, edges and half_edges"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: box, edges: [1, 1, 1], half_edges: [1, 1, 1]}}\n",
     ":5:22: bodies[0].shape: found edges and half_edges; allowed: one of size, edges and half_edges"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: box, half_edges: [1, -1, 1]}}\n",
     ":5:50: bodies[0].shape.half_edges[1]: found -1; allowed: a number > 0"},
    {HEAD3 "bodies:\n  - {mass: 1, shape: {type: box, size: [1, 0, 1]}}\n",
     ":5:44: bodies[0].shape.size[1]: found 0; allowed: a number > 0"},
    {HEAD3 "bodies:\n  - {density: 1, shape: {type: particle}}\n",
     ":5:25: bodies[0].shape: found a particle, which has no volume; allowed: solid shapes, as mass or density without inertia is spread over them"},
    {HEAD3 "bodies:\n  - {particle: true}\n",
     ":5:5: bodies[0]: found a particle without mass; allowed: particle: true with mass alone"},
    {HEAD3 "bodies:\n  - {particle: true, mass: 1, inertia: [1, 1, 1]}\n",
     ":5:5: bodies[0]: found a particle with inertia; allowed: particle: true with mass alone"},
    {HEAD3 "bodies:\n  - {inertia: [1, 1, 1]}\n",
     ":5:5: bodies[0]: found inertia without mass; allowed: mass and inertia"},
    {HEAD3 "bodies:\n  - {particle: true, mass: 1, spin: [1, 0, 0]}\n",
     ":5:5: bodies[0]: a particle cannot have an angular velocity"},
    {HEAD2 "bodies:\n  - {mass: 1, inertia: 1, spin: [0, 0, 1]}\n",
     ":5:33: bodies[0].spin: found a list of 3; allowed: a number"},
    {HEAD2 "bodies:\n  - {mass: 1, inertia: 1, turn: {axis: [0, 0, 1], angle: 1}}\n",
     ":5:33: bodies[0].turn: found a map with the keys axis, angle; allowed: a number"},
    {HEAD3 "bodies:\n  - {kind: kinematic, velocity: [1, 0, 0], motion: {type: constant}}\n",
     ":5:52: bodies[0].motion: found motion beside velocity or spin; allowed: one of the two"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: sinusoid, terms: [{axis: z, amplitude: 1, omega: 1}]}}\n",
     ":5:63: bodies[0].motion.terms[0].axis: found z without angular: true; allowed: in 2D x, y, or z with angular: true"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: sinusoid, terms: []}}\n",
     ":5:55: bodies[0].motion.terms: found an empty list; allowed: one sinusoid or more"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: sinusoid, terms: [{axis: x, amplitude: 1, omega: 0}]}}\n",
     ":5:87: bodies[0].motion.terms[0].omega: found 0; allowed: a number > 0"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: expression, at: [x, 0]}}\n",
     ":5:55: bodies[0].motion.at[0]: found the unknown name x; allowed: t, pi, e, inf, deg"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: expression, at: [1/t, 0]}}\n",
     ":5:31: bodies[0].motion: the motion gives a pose that is not finite, not planar in 2D or not a unit quaternion at t = 0"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: expression, at: ['uniform(0, 1)', 0]}}\n",
     ":5:55: bodies[0].motion.at[0]: found the unknown name uniform(); allowed: sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, sqrt, cbrt, exp, log, log2, log10, abs, sign, floor, ceil, round, min, max, pow, mod, hypot, clamp, lerp, step, linear, smooth"},
    {HEAD2 "bodies:\n  - {kind: kinematic, motion: {type: expression, at: [t]}}\n",
     ":5:54: bodies[0].motion.at: found a list of 1; allowed: a list of 2 expressions"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: fixed, b: b, at: [0, 0], at_b: [0, 0]}\n",
     ":6:5: joints[0]: found at beside at_a, turn_a, at_b or turn_b; allowed: a world point, or a frame in each body"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: prismatic, b: b, at: [0, 0], axis: [1, 0], turn: 1}\n",
     ":6:47: joints[0].axis: found axis and turn; allowed: one of the two"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: prismatic, b: b, at: [0, 0], axis: [0, 0]}\n",
     ":6:47: joints[0].axis: found an axis of zeros; allowed: a direction"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: prismatic, b: b, at_b: [0, 0], axis: [0, 1]}\n",
     ":6:5: joints[0]: found axis or turn without at; allowed: turn_a and turn_b, or at"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: fixed, a: b, b: b, at: [0, 0]}\n",
     ":6:5: joints[0]: a body cannot be joined to itself"},
    {HEAD2 "joints:\n  - {type: fixed, at: [0, 0]}\n",
     ":5:5: joints[0]: found no key `b`; allowed: the name of a body"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: revolute, b: b, at: [0, 0], motor: {force: 1}}\n",
     ":6:47: joints[0].motor: found no key `speed`; allowed: a number"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: revolute, b: b, at: [0, 0], motor: {speed: 1, force: -1}}\n",
     ":6:65: joints[0].motor.force: found -1; allowed: a number >= 0, or inf"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {type: revolute, b: b, at: [0, 0], friction: 1, axes: [{}]}\n",
     ":6:59: joints[0].axes: found axes beside limits, motor, spring, friction or armature; allowed: one of the two"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {name: j, type: revolute, b: b, at: [0, 0]}\n  - {name: j, type: revolute, b: b, at: [0, 0]}\n",
     ":7:12: joints[1].name: found \"j\"; allowed: a name that no other joint has"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n  - {name: j, type: revolute, b: b, at: [0, 0]}\nforces:\n  - {type: pd, joint: j, coordinate: 1}\n",
     ":8:38: forces[0].coordinate: found 1; allowed: 0: the joint has one coordinate"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\nforces:\n  - {type: spring, a: b, b: b, stiffness: 1}\n",
     ":6:5: forces[0]: a spring needs two bodies, or a body and the world"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\nforces:\n  - {type: spring, b: b, stiffness: -1}\n",
     ":6:37: forces[0].stiffness: found -1; allowed: a number >= 0"},
    {HEAD2 "bodies: [{name: b, mass: 1, inertia: 1}]\nforces:\n  - {type: constant, body: b, frame: local}\n",
     ":6:38: forces[0].frame: found \"local\"; allowed: world, body"},
    {HEAD3 "stages: {fallback: [pgs, lemke, enumerate, pgs, lemke]}\n",
     ":4:20: stages.fallback: found more than 4 solvers; allowed: at most 4"},
    {HEAD3 "stages: {fallback: [pgs, pgss]}\n",
     ":4:26: stages.fallback[1]: found \"pgss\"; allowed: auto, lemke, pgs, enumerate, fischer-newton, minmap-newton, path-search, interior-point, accelerated-gradient, jacobi, psor, nncg, fixed-point, gauss-seidel, prox-newton, cone-interior-point, admm, spectral-gradient; did you mean pgs?"},
    {HEAD3 "stages: [lemke]\n",
     ":4:9: stages: found a list of 1; allowed: a map: stages"},
    {HEAD2 "stages: {settings: {lemke: 5}}\n",
     ":4:28: stages.settings.lemke: found 5; allowed: a map of settings"},
    {HEAD3 "stages: {friction_directions: 2}\n",
     ":4:31: stages.friction_directions: found 2; allowed: a whole number from 3 to 1024"},
    {HEAD3 "materials: [a, a]\n",
     ":4:16: materials[1]: found \"a\" again; allowed: every material once, `default` is there already"},
    {HEAD3 "materials: [default]\n",
     ":4:13: materials[0]: found \"default\" again; allowed: every material once, `default` is there already"},
    {HEAD3 "record: {every: 2, interval: 0.01}\n",
     ":4:30: record.interval: found interval and every; allowed: one of the two"},
    {HEAD3 "record: {what: poses}\n",
     ":4:16: record.what: found \"poses\"; allowed: all, or a list of: poses, twists, joints, contacts, certificate, ledger, solver"},
    {HEAD3 "parameters: {a-b: 1}\n",
     ":4:14: parameters: found the parameter `a-b`; allowed: a name of letters, digits and _, not a digit first"},
    {HEAD3 "parameters: {a: {default: 1, min: 3, max: 2}}\n",
     ":4:35: parameters.a: found min above max; allowed: min <= max"},
    {HEAD3 "parameters: {a: {unit: m}}\n",
     ":4:17: parameters.a: found no key `default`; allowed: a number"},
    {HEAD3 "parameters: {a: [1]}\n",
     ":4:17: parameters.a: found a list of 1; allowed: a number"},
    {HEAD3 "parameters: {a: inf}\n",
     ":4:17: parameters.a: found \"inf\"; allowed: a finite number"},
    {HEAD3 "h: 0\n",
     ":4:4: h: found 0; allowed: a number > 0"},
    {HEAD3 "h: [1]\n",
     ":4:4: h: found a list of 1; allowed: a number > 0"},
    {HEAD3 "seed: -1\n",
     ":4:7: seed: found -1; allowed: a whole number >= 0"},
    {HEAD3 "seed: 0.5\n",
     ":4:7: seed: found 0.5; allowed: a whole number >= 0"},
    {HEAD3 "start: stagered\n",
     ":4:8: start: found \"stagered\"; allowed: plain, staggered, auto; did you mean staggered?"},
    {"perp: 1\ndim: 3\nduration: -1\n",
     ":3:11: duration: found -1; allowed: a number >= 0"},
    {HEAD3 "bodies: [{kind: static}]\n",
     ":4:17: bodies[0].kind: found \"static\"; allowed: obstacle, kinematic, dynamic; did you mean obstacle?"},
    {HEAD3 "templates: {a b: {mass: 1}}\n",
     ":4:13: templates: found the template `a b`; allowed: a name of letters, digits, - and _, a letter first"},
    {HEAD3 "templates: {a: 3}\n",
     ":4:16: templates.a: found 3; allowed: a map: body"},
    {HEAD3 "bodies: [{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, kind: obstacle}]\n",
     ":4:17: bodies[0].name: found \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; allowed: a name: letters, digits, - and _, a letter first, at most 95"},
    {HEAD3 "bodies: [{name: \"a\\e[31m\", kind: obstacle}]\n",
     ":4:17: bodies[0].name: found the control character \\x1b; allowed: text"},
    {HEAD3 "\"h\\0x\": 1\n",
     ":4:1: found the control character \\x00; allowed: text"},
    {HEAD3 "bodies: [{mass: max(1, 2), kind: dynamic}]\n",
     ":4:24: bodies[0]: found the key `2)` (an expression with a comma must be in quotes here); allowed: " BODY_KEYS},
    /* clang-format on */
};

static void scenes(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        perp_source_file f = {"s.yaml", cases[i].text, strlen(cases[i].text)};
        perp_scene_options o = {.file = &f, .nfile = 1};
        perp_scene *s = NULL;
        perp_refusal why;
        perp_status st = perp_scene_open("s.yaml", &o, &s, &why);
        bool ok = st != PERP_OK && st != PERP_E_MEMORY && !s && why.status == st &&
                  !strcmp(why.text + 6, cases[i].message) && !strncmp(why.text, "s.yaml", 6) && why.line > 0 &&
                  why.column > 0;
        if (!ok)
            print_error("case %zu:\n%s\nsays     %s\nexpected s.yaml%s\n", i, cases[i].text, st ? why.text : "nothing",
                        cases[i].message);
        wrong += !ok;
        perp_scene_close(s);
        assert_int_equal(perp_scene_open("s.yaml", &o, &s, NULL), st); /* nobody need listen */
    }
    assert_int_equal(wrong, 0);
}

/* The parts of a message are there one by one, too. */
static void parts(void **state) {
    (void)state;
    const char *text =
        HEAD3 "bodies:\n  - {kind: obstacle}\n  - {repeat: 3, mass: 1, shapes: [{type: sphere, radius: 1 - i}]}\n";
    perp_source_file f = {"inner.yaml", text, strlen(text)};
    perp_scene_options o = {.file = &f, .nfile = 1};
    perp_scene *s;
    perp_refusal why;
    assert_int_equal(perp_scene_open("shown.yaml", &o, &s, &why), PERP_E_ARG);
    assert_string_equal(why.file, "shown.yaml");
    assert_int_equal(why.line, 6);
    assert_int_equal(why.column, 58);
    assert_string_equal(why.key, "bodies[1].shapes[0].radius (i = 1)");
    assert_string_equal(why.found, "\"1 - i\", which is 0");
    assert_string_equal(why.allowed, "a number > 0");
}

static void check_definition(const char *name, const char *value, const char *message) {
    const char *text = HEAD3 "parameters: {mu: {default: 0.3, min: 0}, v0: {default: mu, min: -1, max: 1}, last: 1}\n";
    perp_source_file f = {"s.yaml", text, strlen(text)};
    const perp_definition d = {name, value};
    perp_scene_options o = {.file = &f, .nfile = 1, .define = &d, .ndefine = 1};
    perp_scene *s;
    perp_refusal why;
    assert_int_equal(perp_scene_open("s.yaml", &o, &s, &why), PERP_E_ARG);
    assert_string_equal(why.text, message);
}

static void definitions(void **state) {
    (void)state;
    check_definition("muu", "1", "-D muu=1: found the parameter `muu`; allowed: mu, v0, last; did you mean mu?");
    check_definition("mu", "-1", "-D mu=-1: found -1; allowed: a number >= 0");
    check_definition("v0", "10*mu", "-D v0=10*mu: found 3; allowed: a number from -1 to 1");
    check_definition("mu", "v0", "-D mu=v0: found the unknown name v0; allowed: pi, e, inf, deg");
    check_definition("last", "1/0", "-D last=1/0: found inf; allowed: a finite number");
    check_definition("last", "0/0", "-D last=0/0: found nan; allowed: a finite number");
    check_definition("last", "", "-D last=: found nothing; allowed: a number or an expression");
    check_definition(
        "last", "uniform(0, 1)",
        "-D last=uniform(0, 1): found the unknown name uniform(); allowed: sin, cos, tan, asin, acos, atan, atan2, "
        "sinh, cosh, tanh, sqrt, "
        "cbrt, exp, log, log2, log10, abs, sign, floor, ceil, round, min, max, pow, mod, hypot, clamp, lerp, step, "
        "linear, smooth");
}

/* Any bytes: refused or read, never more. Small changes of a good scene, the same at each run. */
static void garbage(void **state) {
    (void)state;
    static const char good[] = HEAD2
        "parameters: {a: 1, b: {default: 2*a, min: 0}}\nlaw: {mu: a/2}\ntemplates: {p: {mass: a, shape: {type: "
        "regular, sides: 5, radius: b}}}\n"
        "bodies:\n  - {repeat: {i: 2, j: 2}, like: p, name: 'q${i}${j}', at: [2*i, 'uniform(0, 1)'], turn: 15*deg}\n"
        "  - {name: k, kind: kinematic, motion: {type: table, rows: [[0, 0, 0, 0], [1, 1, 1, 1]]}}\n"
        "joints: [{name: h, type: revolute, a: k, b: q00, at: [0, 0], motor: {speed: 1}}]\n"
        "forces: [{type: pd, joint: h, kp: 1}, {type: expression, body: q00, force: [x, -y], torque: wz}]\n";
    uint64_t x = 88172645463325252ull;
    for (int n = 0; n < long_run(4000); n++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        size_t size = sizeof good - 1;
        for (int k = 0; k < 1 + n % 4; k++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            size_t at = (size_t)(x >> 8) % size;
            switch (x & 3) {
            case 0: text[at] = (char)(x >> 40); break;
            case 1: text[at] = "0-[]{}:,'\"\n #*&!%@~"[(x >> 40) % 20]; break;
            case 2: /* a byte less */
                memmove(text + at, text + at + 1, size - at);
                size--;
                break;
            default: text[at] = text[(size_t)(x >> 30) % size];
            }
        }
        perp_source_file f = {"s.yaml", text, size};
        perp_scene_options o = {.file = &f, .nfile = 1};
        perp_scene *s;
        perp_refusal why;
        perp_status st = perp_scene_open("s.yaml", &o, &s, &why);
        assert_true(st != PERP_E_MEMORY);
        if (st && !why.text[0]) fail_msg("no message for:\n%.*s", (int)size, text);
        perp_scene_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes),
        cmocka_unit_test(parts),
        cmocka_unit_test(definitions),
        cmocka_unit_test(garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

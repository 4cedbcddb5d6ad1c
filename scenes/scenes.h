/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scenes.h - one set of scenes for tests and benchmarks alike.
 *
 * Every function takes the world definition to use (its gravity is replaced where the scene has its own) and returns a
 * world with ids of what it put in. A scene that cannot be built ends the program: scenes are not input. */
#ifndef PERP_SCENES_H
#define PERP_SCENES_H

#include "perp/perp.h"

#define SCENE_MAX 128

typedef struct scene {
    perp_world *w;
    perp_body_id body[SCENE_MAX]; /* in the order named at each function */
    int nbody;
    perp_joint_id joint[SCENE_MAX];
    int njoint;
} scene;

void scene_end(scene *s);

/* Adds parts to a scene; they end the program on failure. The id is also kept in the scene. */
perp_body_id scene_body(scene *s, const perp_body_def *def);
void scene_shape(scene *s, perp_body_id b, perp_shape_def def);
perp_joint_id scene_joint(scene *s, const perp_joint_def *def);
scene scene_new(perp_world_def def);

/* Notes p. 5-13: particle of unit mass under unit force along +x, wall at 11, or at 11 - t. Body 0: particle. 2D. */
scene scene_particle_wall(perp_world_def def, bool moving);
/* Berard 2.7.1: two slender rods 1 m, 1 kg, along +x at rest, pivot at the origin. Bodies: A, B. 2D. */
scene scene_double_pendulum(perp_world_def def);
/* Berard 2.7.2: the same, the pivot at the centre of a 5 kg block 0.4 x 0.2 m on a frictionless floor. Bodies: floor,
 * C, A, B. 2D. */
scene scene_pendulum_on_block(perp_world_def def);
/* Berard 2.7.6. Bodies: belt, pusher, C, A, B. 2D. */
scene scene_full_planar(perp_world_def def);
/* Williams 6.2: cylinder r 0.1, L 0.5 on a spherical joint at its end, pi/5 from hanging. Body 0: rod. 3D. */
scene scene_hanging_rod(perp_world_def def);
/* Five 0.5 m squares in a row, 0.5 m apart, masses 1.5, 1, .25, .12, .8, the first at 2 m/s. Bodies in order. 2D. */
scene scene_momentum_chain(perp_world_def def);
/* Box 0.1 x 0.2 x 0.05 m, 1 kg at rest on a plane tilted by `angle` about y; downhill is (cos, 0, -sin). Bodies: plane,
 * box. 3D. */
scene scene_incline(perp_world_def def, double angle, double mu);
/* Block 0.2 x 0.1 m sliding at v0 along +x. Bodies: floor, block. 2D. */
scene scene_sliding_stop(perp_world_def def, double v0, double mu);
/* Sphere r 0.1 m, 1 kg on the same plane. Bodies: plane, sphere. 3D. */
scene scene_rolling_incline(perp_world_def def, double angle, double mu);
/* Free body, inertia (1, 2, 3), w0 = (.1, 2, .1). Body 0. 3D, no gravity. */
scene scene_spinning_body(perp_world_def def);
/* Rod 1 m, 1 kg, tan(theta) = 2, its lower tip on the floor moving at (1, 0), no gravity needed. Bodies: floor, rod.
 * 2D. */
scene scene_painleve_rod(perp_world_def def, double mu);
/* A pair of spheres r 4 mm, 20 mm apart on one 45 g body, between two 0.1 kg pads pressed with `force`. Bodies: held,
 * pad, pad. 3D. */
scene scene_pinch_hold(perp_world_def def, double force, double mu);
/* 0.1 m cube at 6 m/s along +x on a plane. Bodies: plane, cube. 3D. */
scene scene_flat_slide(perp_world_def def, double v0, double mu);
/* Unit cube of `ratio` kg on a unit cube of 1 kg on a plane. Bodies: plane, lower, upper. 3D. */
scene scene_mass_ratio(perp_world_def def, double ratio, double mu);
/* n unit-diameter spheres of 1 kg on each other, `gap` apart. Bodies: plane, then spheres upwards. 3D. */
scene scene_tower(perp_world_def def, int n, double gap, double mu);
/* A box thrown with spin onto a rough floor beside a hinged pair that tumbles in the air. Bodies: floor, box, link,
 * link. 3D. */
scene scene_tumbling(perp_world_def def);

/* How a random scene is seen: every position x becomes R S x + p, with S a mirror in x or none. */
typedef struct scene_view {
    bool mirror;
    perp_pose X;
    bool
        reversed; /* bodies, shapes and joints are added in reverse order; ids in the scene stay in the original order */
} scene_view;
scene_view scene_view_plain(void);
/* Random bodies above obstacles, some jointed, with friction and redundant contacts; the same for the same seed. In 2D,
 * or in 3D; `flat`: the 2D scene of this seed as a 3D world (prisms held in the plane by their symmetry). Bodies in the
 * original order. */
scene scene_random(perp_world_def def, unsigned seed, scene_view view, bool flat);

/* Grains of about unit size on a loose lattice in an open bin, to be dropped; `boxes` of them boxes (0 to 1), the
 * others spheres (2D: rectangles and discs), densities spread over `ratio`. Only the first bodies are kept as ids.
 * Bodies: bin, then grains. 2D or 3D. */
scene scene_pile(perp_world_def def, int n, double mu, double boxes, double ratio, unsigned seed);
/* A settled pile: spheres of about unit size fall one by one and roll, without friction, to where each lies on those
 * before it, the floor or walls; they touch to rounding. Then all are larger by the factor `swell`. Only the first
 * bodies are kept as ids. Bodies: bin, then spheres as they fell. 3D. */
scene scene_deposited(perp_world_def def, int n, double mu, unsigned seed, double swell);
/* A 3D world whose steps, of length h at velocity level, pose their friction problem and do not solve it: one sweep, and
 * any answer will do. Then that problem; ends the scene. To be freed by perp_stored_free(). */
perp_world_def scene_posing(double h);
perp_stored *scene_posed(scene *s);
/* The bin of both piles: floor at height 0 and four walls around [0, side] x [0, side] (3D), or two (2D, y upwards). */
void scene_bin(scene *s, double side, int dim);
/* Density such that a ball of unit diameter weighs 1. */
extern const double scene_grain_density;

/* n boxes 1 m wide and 0.5 m high on each other, masses from 1 at the bottom to `ratio` at the top. Bodies: floor,
 * then boxes upwards. 2D or 3D. */
scene scene_stack(perp_world_def def, int n, double ratio, double mu);
/* Rows of bricks 1 x 0.5 m, every second row half a brick on. Bodies: floor, then bricks row by row. 2D or 3D. */
scene scene_wall(perp_world_def def, int rows, int cols, double mu);
/* A table on four legs (2D: two), each with a whole foot on the floor, moving at v, and a box of mass `load` on it.
 * Bodies: floor, table, box. 2D or 3D. */
scene scene_table(perp_world_def def, double load, double mu, perp_vec3 v);
/* A house of cards: pairs that lean on each other, with cards across. Bodies: floor, cards. 2D or 3D. */
scene scene_cards(perp_world_def def, int pairs, double mu);

/* What the joints of a linkage have beside their axes. */
typedef enum scene_drive {
    SCENE_PLAIN,
    SCENE_MOTOR,   /* one is driven, with a limited torque */
    SCENE_LIMITS,  /* all turn only a little */
    SCENE_SPRINGS, /* every second one has a spring, a damper and dry friction */
    SCENE_DOUBLED  /* every second one is there twice */
} scene_drive;
/* A closed ring of bars on hinges, upright just above the floor: in 3D three of its rows are redundant. Bodies: floor,
 * bars. 2D or 3D. */
scene scene_linkage(perp_world_def def, int bars, scene_drive drive, double mu);
/* A chain held by the world at its left end, that falls on the floor, with a last link of another mass. Bodies: floor,
 * links. 2D or 3D. */
scene scene_chain(perp_world_def def, int links, double end_mass, double mu);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* attack.h - random scenes against perp, and an audit of what it makes of them
 *
 * A scene is made from a seed (generate.c), run with the library and recorded (attack.c). The audit (audit.c, balance.c, distance.c)
 * then reads the recording: poses and velocities alone, with the shapes, masses and joints of the scene. It shares no code with
 * the steps or their certificate: distances, joint errors, energies and momenta are computed here. */
#ifndef PERP_ATTACK_H
#define PERP_ATTACK_H

#include "perp/perp.h"

enum { ATTACK_TEXT = 1 << 16, ATTACK_SPRINGS = 16, ATTACK_JOINTS = 32 };

/* A spring between two points, or on the coordinate of a joint. */
typedef struct attack_spring {
    int a, b; /* bodies by their place in the scene; a = -1: the world */
    perp_vec3 at_a, at_b;
    double stiffness, rest;
} attack_spring;

/* What the audit must know of a scene beyond what the recording holds. */
typedef struct attack_facts {
    char stepper[24], model[16];
    bool driven; /* a body moves as it is told, a motor or a force acts: energy may grow */
    bool forces; /* forces other than gravity and springs: momentum changes by them */
    bool
        inertia; /* velocities and masses mean what they mean in mechanics: not in quasistatic worlds or with supports */
    bool compliant; /* surfaces give way */
    bool lossless;  /* no friction, rebounds of 1, no dampers or limits: energy must not fall */
    bool recorded;  /* every step is a frame */
    double gravity; /* downwards [L/T^2] */
    double law_mu, law_e;
    int nspring, njoint;
    attack_spring spring[ATTACK_SPRINGS];
    struct {
        double lo, hi, stiffness, rest; /* of its coordinate; no limits: infinite */
        bool collide;
    } joint[ATTACK_JOINTS];
} attack_facts;

/* generate.c: writes the scene of a seed. mesh: an OBJ file that it may name, relative to it. */
void attack_generate(uint64_t seed, const char *mesh, char text[ATTACK_TEXT], attack_facts *facts);
extern const char attack_mesh[]; /* the OBJ file */

/* distance.c: a convex shape in the world: all points within `radius` of the hull of its points; or a half-space. */
typedef struct attack_solid {
    int body;
    bool halfspace;
    perp_vec3 normal; /* half-space: outward; points with normal.x <= offset */
    double offset;
    const perp_vec3 *point; /* n of them, in W */
    int n;
    double radius;
    const int *face_start, *face; /* of a polyhedron, else NULL */
    int nface;
    perp_vec3 centre;
    double reach; /* of the farthest point, radius included, from the centre; infinite for a half-space */
    double thick; /* least extent, about */
} attack_solid;
/* Distance of two solids; where they overlap minus how deep, at least. */
double attack_distance(const attack_solid *a, const attack_solid *b, int dim);

/* What the audit found. Lengths as parts of the smallest body, energies of the energy at hand. */
typedef struct attack_findings {
    bool nan;
    double overlap, overlap_t;
    int overlap_body[2];
    double joint, joint_t;
    double limit, limit_t;       /* joint coordinates beyond their limits; radians count as they are */
    double gain, gain_t;         /* energy that passive bodies gained */
    double loss;                 /* energy that was lost though nothing takes any */
    double momentum, momentum_t; /* of groups of bodies that nothing outside touches, as a part of what they have */
    double angular, angular_t;
    double flight, flight_t;    /* of bodies in free flight: position against velocity */
    int passed, passed_body[2]; /* bodies that went through others within a step */
    double passed_t;
    double least; /* smallest solid */
} attack_findings;
perp_status attack_audit(const char *recording, const attack_facts *facts, attack_findings *out, perp_refusal *why);

/* balance.c: the part of the audit that looks at energy and momentum. A frame as the audit has it. */
typedef struct attack_frame {
    double t;
    perp_pose *X;
    perp_vec3 *v, *w;
} attack_frame;
typedef struct attack_run {
    perp_recording *r;
    const perp_recording_info *info;
    const attack_facts *facts;
    perp_recorded_body *body;
    perp_recorded_joint *joint;
    double *angle; /* of each joint, continued over full turns */
    perp_vec3 *v_step, *spin_step; /* of each body over the step before: mean velocity, angular momentum about its centre */
    double energy_low, energy_first, kinetic, potential_low, potential_high, sampling, fall;
    double gain, gain_t, loss; /* not yet compared with anything */
} attack_run;
void attack_energy(attack_run *run, const attack_frame *f, bool first);
void attack_energy_end(const attack_run *run, attack_findings *out);
/* Notes how bodies moved from frame to frame, for attack_momentum() of the next step. */
void attack_motion(attack_run *run, const attack_frame *f0, const attack_frame *f1);
/* near: nbody x nbody, whether two bodies may act on each other between the frames. */
void attack_momentum(const attack_run *run, const attack_frame *f0, const attack_frame *f1, const bool *near,
                     attack_findings *out);
/* Coordinate of a joint with one: its angle or displacement. */
double attack_coordinate(const attack_run *run, int joint, const attack_frame *f);
/* World frames of a joint. */
void attack_joint_frames(const attack_run *run, int joint, const attack_frame *f, perp_pose *A, perp_pose *B);

#endif

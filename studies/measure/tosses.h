/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tosses.h - the data of tossed cubes: rows of poses, clean impacts; and what is known of the cube.
 * Layout of the files: studies/real-tosses/data/README.md. */
#ifndef STUDY_TOSSES_H
#define STUDY_TOSSES_H

#include "table.h"

#include "perp/math.h"

#define TOSS_RATE 148.0 /* rows a second */

typedef struct toss {
    char name[TABLE_NAME];
    int rows, contact; /* number of rows; first row that may touch the board */
    int start;         /* row of the start state */
    perp_pose X0_WB;   /* start state, fitted to the flight: pose, velocity of the middle, spin in axes of the cube */
    perp_vec3 v0_W, w0_B;
    bool check;        /* kept for the predictive check */
    perp_vec3 ahead_W; /* unit, horizontal: where the toss goes at first */
    perp_pose *X_WB;   /* rows: middle of the cube, body to world */
    perp_vec3 *v_W;    /* rows: velocity of the middle */
    perp_vec3 *w_B;    /* rows: angular velocity in axes of the cube */
} toss;

typedef struct toss_impact {
    int toss, corners; /* index of the toss; corners near the board */
    perp_pose X_WB;    /* at the impact */
    perp_vec3 v_W[2];  /* of the middle, before and after */
    perp_vec3 w_W[2];  /* angular velocity in world axes, before and after */
} toss_impact;

typedef struct toss_set {
    toss *toss;
    toss_impact *impact; /* in the order of the tosses */
    int tosses, impacts;
} toss_set;

/* The rounded cube: a core with balls at its corners. */
typedef struct cube {
    double core, radius; /* half-side of the core, radius of the corners [m] */
    double rest;         /* height of the middle when a face lies on the board [m] */
    double com_z;        /* centre of mass above the middle, in the cube [m] */
    double k[3];         /* moments of inertia over mass [m^2] */
    double g;            /* [m/s^2] */
    double mu, restitution;
} cube;

/* Lengths that are measured otherwise: contact heights over tilt, and the height at rest. The rest is a start for fits. */
cube cube_default(void);

/* Reads index.csv, impacts.csv and toss-NAME.csv of a folder. check: a CSV file whose first column names the tosses that are
 * kept for the check; NULL: none. On failure why holds one sentence. Free the set with toss_set_free(). */
bool toss_set_read(const char *folder, const char *check, toss_set *out, char *why, size_t why_size);
void toss_set_free(toss_set *s);

/* Corner of the core that is lowest, in body axes [m]. */
perp_vec3 cube_lowest_corner(const cube *c, perp_quat q_WB);
/* Gap between the lowest corner and the board [m]. */
double cube_gap(const cube *c, perp_pose X_WB);

#endif

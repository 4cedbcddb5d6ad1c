/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peers.h - comparison of perp with Bullet and ODE: a common interface to the three engines.
 * Lengths in metres, times in seconds, everything in the world frame, z up. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pose of a body; q is a unit quaternion w, x, y, z. */
typedef struct peer_pose {
    double p[3], q[4];
} peer_pose;

/* An axis-parallel box. Single precision, because Debian's Bullet is: both sides get the same numbers. */
typedef struct peer_box {
    float lo[3], hi[3];
} peer_box;

typedef struct peer_pair {
    int i, j; /* i < j */
} peer_pair;

/* --- tools.c ------------------------------------------------------------------------------------------------- */
/* Ends the program with a sentence. */
#ifdef __GNUC__
__attribute__((noreturn))
#endif
void peer_die(const char *what, const char *why);
/* Zeroed memory; ends the program without. */
void *peer_memory(size_t count, size_t size);
/* Time of the processor used by this process, all threads together [s]. */
double peer_cpu(void);
/* Sorts x and returns its middle. */
double peer_median(double *x, int n);
/* Next number of a fixed sequence, evenly between lo and hi. */
double peer_uniform(uint64_t *state, double lo, double hi);
/* Slope of log y over log x, by least squares. */
double peer_exponent(const double *x, const double *y, int n);

/* --- packing.c: the scenes of the detectors ---------------------------------------------------------------------- */
/* Spheres of unit diameter packed at random as in a settled heap; bodies are numbered at random. p: 3 n numbers. */
void peer_packing(int n, uint64_t seed, double *p);
/* Mean number of others within 1.05 diameters. */
double peer_neighbours(int n, const double *p);
/* Where the spheres are at step k: each goes to and fro on a line through its place in the packing, `pace` a step. */
void peer_move(int n, const double *home, double pace, int k, uint64_t seed, double *p);
/* Unit cubes at rest in layers, every layer pressed PEER_DEPTH into the one below, so that all engines see them touch.
 * Columns: straight ones, apart from each other. Bonded: layers alternate by half a cube, so that a cube lies on four,
 * and each is turned a little about z. Crowded: bonded, and neighbours within a layer nearly touch. Tilted: bonded, and
 * no cube lies quite flat. */
typedef enum peer_heap { PEER_COLUMNS, PEER_BONDED, PEER_CROWDED, PEER_TILTED } peer_heap;
void peer_cubes(int n, peer_heap heap, uint64_t seed, peer_pose *pose);
#define PEER_DEPTH 1e-4
/* Pairs of cubes whose boxes, grown by `grow`, meet. *out is allocated. */
int peer_cube_pairs(int n, const peer_pose *pose, double grow, peer_pair **out);

/* --- bullet_detect.cpp --------------------------------------------------------------------------------------- */
typedef struct bullet_broad bullet_broad;
/* margin: by how much boxes in the tree are fattened (Bullet's default 0.05). deferred: pairs are looked for once a
 * step instead of whenever a box leaves its fat one. */
bullet_broad *bullet_broad_create(int n, const peer_box *box, double margin, bool deferred);
void bullet_broad_step(bullet_broad *b, const peer_box *box);
/* How many pairs it holds now, fat ones among them. */
int bullet_broad_held(bullet_broad *b);
/* Those of them whose boxes as given really meet, unordered. *out belongs to b. */
int bullet_broad_exact(bullet_broad *b, const peer_pair **out);
void bullet_broad_destroy(bullet_broad *b);

typedef struct bullet_narrow bullet_narrow;
/* Unit cubes and a list of pairs to be tested. */
bullet_narrow *bullet_narrow_create(int n, const peer_pose *pose, int npair, const peer_pair *pair);
void bullet_narrow_place(bullet_narrow *b, const peer_pose *pose);
/* The dispatcher over the pairs of the list. */
void bullet_narrow_run(bullet_narrow *b);
/* Boxes, broad phase (a tree of its own) and dispatcher: all of Bullet's detection. */
void bullet_detect_run(bullet_narrow *b);
/* Contact points now: of bullet_narrow_run or, whole, of bullet_detect_run. */
int bullet_narrow_contacts(bullet_narrow *b, bool whole);
void bullet_narrow_destroy(bullet_narrow *b);

/* --- perp_detect.c ------------------------------------------------------------------------------------------- */
typedef struct perp_side perp_side;
/* n spheres of unit diameter, or n unit cubes. */
perp_side *perp_side_create(int n, bool cubes);
/* Any of the two may be NULL: poses of cubes, centres of spheres. */
void perp_side_place(perp_side *s, const peer_pose *pose, const double *centre, double reach);
/* The broad phase alone, on the given boxes. */
void perp_side_broad(perp_side *s, const peer_box *box);
int perp_side_pairs(const perp_side *s, const peer_pair **out);
/* The pair functions alone, on the given pairs of cubes; the placing of vertices included. */
void perp_side_narrow(perp_side *s, int npair, const peer_pair *pair);
/* The whole detector. */
void perp_side_detect(perp_side *s);
/* Contacts that the last of the two found. */
int perp_side_contacts(const perp_side *s);
void perp_side_destroy(perp_side *s);

/* --- pouring --------------------------------------------------------------------------------------------------- */
typedef struct pour_scene {
    bool cubes;   /* otherwise spheres */
    bool walls;   /* four, around the floor; otherwise the floor goes on for ever */
    double half;  /* radius, or half an edge */
    double width; /* of the square floor, from 0 to width in x and y; its surface is z = 0 */
    double mu, density, h;
    int n;
    peer_pose *start; /* of n bodies, at rest */
} pour_scene;

/* What perp is told beside the scene; strings as in perp_world_def. */
#define PEER_SETTINGS 8
typedef struct perp_choice {
    const char *contact_model, *solver, *stepper; /* NULL: perp's default */
    const char *form;                             /* "lcp", "mlcp", "cone" */
    bool once;                                    /* geometry at the start of the step only */
    double tolerance;                             /* 0: perp's default */
    const char *setting[PEER_SETTINGS];           /* name=value of solvers; NULL ends */
} perp_choice;

typedef struct pour_engine {
    const char *name;
    /* NULL, with a sentence in why, if it cannot. */
    void *(*create)(const pour_scene *s, const perp_choice *choice, char *why, size_t size);
    /* One step of h; false, with a sentence, if it was not solved. */
    bool (*step)(void *self, char *why, size_t size);
    /* Poses, speeds of the centres (n each), contacts of the last step. */
    void (*read)(void *self, peer_pose *pose, double *speed, int *contacts);
    void (*destroy)(void *self);
} pour_engine;

extern const pour_engine pour_perp, pour_bullet, pour_ode_quick, pour_ode_step;

/* Deepest true overlap of any two bodies, walls included: one judge for all engines, perp's exact one. */
typedef struct peer_judge peer_judge;
peer_judge *peer_judge_create(const pour_scene *s);
double peer_judge_deepest(peer_judge *j, const peer_pose *pose);
void peer_judge_destroy(peer_judge *j);

/* --- the tables, printed as Markdown --------------------------------------------------------------------------- */
typedef struct peer_options {
    unsigned parts;      /* mask of PEER_BROAD ... */
    int repeats;         /* seeds, or rounds */
    bool quick;          /* small sizes, to see whether it runs */
    const char *engines; /* names to pour with, as "perp,bullet"; NULL: all */
    int bodies;          /* to pour; 0: 1,000 */
    double seconds;      /* to pour; 0: 3 of spheres, 2 of cubes */
    double limit;        /* on the time of the processor for one pour of one engine [s]; 0: none */
    perp_choice perp;
} peer_options;
enum { PEER_BROAD = 1, PEER_NARROW = 2, PEER_GROWTH = 4, PEER_SPHERES = 8, PEER_CUBES = 16, PEER_SMALL = 32 };

/* False if the engines disagree about what meets. */
bool peer_table_broad(const peer_options *o);
bool peer_table_narrow(const peer_options *o);
bool peer_table_growth(const peer_options *o);
/* What is poured. */
typedef struct pour_kind {
    bool cubes;
    int n;
    double seconds;     /* simulated, unless the options say otherwise */
    double tolerance;   /* of perp's world, likewise; 0: perp's default */
    bool with_ode_step; /* ODE's step is cubic in the contacts: only for few grains */
} pour_kind;
/* False if perp left a step unsolved. */
bool peer_table_pour(const peer_options *o, const pour_kind *kind);

#ifdef __cplusplus
}
#endif
#endif

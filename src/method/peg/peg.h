/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg.h - the parts of the contact model "peg": poses, pairs, rows. model_peg.c describes the whole method. */
#ifndef PP_PEG_H
#define PP_PEG_H

#include "geometry/broad/broad.h"
#include "method/contact/end_pose.h"
#include "geometry/narrow/touch.h"
#include "stage/frame.h"
#include "stage/solve/solve.h"
#include "stage/solve/solve_memory.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] A pair was placed in penetration if its penetration at the start, beyond the amount that a step may leave,
 * exceeds this fraction of the size. Half and double: no effect. */
#define PP_PEG_INITIAL_OVERLAP 1e-8
/* [1] A pair touches at the start if its separation is below this fraction of the size. A shape that penetrates a face
 * by more was not in front of it. Half and double: no effect. */
#define PP_PEG_TOUCHING 1e-7
/* [1] Upper bound of pp_peg_near(), as a fraction of the size. Half and double: other bits only. */
#define PP_PEG_NEAR 0.01
/* [1] Upper bound of pp_peg_gap_error(), as a fraction of the thickness of the thinner shape. Half: no effect; double:
 * other bits only. */
#define PP_PEG_GAP_ERROR_MAX 0.015
/* [1] A contact may be the next to carry an impulse if its gap is below this multiple of the gap error of the active
 * contacts. For a patch that lies flat on a face, the limit to stay flat is this multiple of the limit to become flat. */
#define PP_PEG_NEXT 10

/* Number of earlier rounds that the next round uses. */
#define PP_PEG_HISTORY 2
/* Numbers of a row that the rounds iterate: the offset of its linear gap [L], and what finite rotations add to its slip
 * along two tangents [L/T] (stage/pose/slip.c). */
#define PP_PEG_ITERATED 3

/* All shapes at one set of poses. */
typedef struct pp_poses {
    pp_solid *solid; /* by placed shape */
    const pp_state *state;
    /* at the end: */
    double *moved_by; /* by dof: velocity that led there; NAN: none yet */
    bool *stays;      /* by block: the last velocity was the one before, to the bit */
} pp_poses;

/* One contact of a pair in the problem of a round. */
typedef struct pp_peg_row {
    uint64_t feature;
    pp_plane plane;    /* plane on which it was found */
    perp_vec3 a, b, n; /* points and normal of the impulse, at the force poses */
    double gap;        /* gap there; with pp_peg_work.at_end always at the poses `force` [L] */
    double gap0;       /* gap at the start, kinematic bodies included [L] */
    /* gap at the end poses and offset from the features, see pp_touch; gap1 is NAN if a curved pair passed through [L] */
    double gap1, off1;
    perp_vec3 at1; /* midpoint of the two points at the end poses; not set for curved pairs */
    double offset; /* offset of its linear gap in the last problem; NAN: not known [L] */
    int history;   /* number of earlier rounds in the next two arrays, the latest first */
    /* terms of its slip in the last problem, and at its answer; the latter is NAN if the points of the impulse are new */
    double posed_slip[PP_FRICTION_ROWS], slip[PP_FRICTION_ROWS];
    /* see peg_mix.c; old_miss NAN: the row had no impulse [L] */
    double old_target[PP_PEG_HISTORY][PP_PEG_ITERATED], old_miss[PP_PEG_HISTORY];
    double push;   /* normal impulse of the last solve */
    bool fresh;    /* not solved yet */
    pp_plane flat; /* face on which its patch comes to lie flat, see pp_touch_push; PP_NO_PLANE: none */
    bool bounces;  /* it separates by restitution, so its end gap need not be zero */
} pp_peg_row;

typedef enum pp_pair_kind { PP_PAIR_FLAT, PP_PAIR_HALFSPACE, PP_PAIR_ROUND } pp_pair_kind;

/* Two shapes that may meet in the step. */
typedef struct pp_peg_pair {
    int i, j; /* placed shapes, i < j */
    pp_pair_kind kind;
    pp_plane plane;   /* the chosen plane, or the last one known to separate */
    bool active;      /* it has rows in the problem */
    bool pushed;      /* one of its rows carries an impulse */
    int switches;     /* number of changes of its plane in this step */
    int renewals;     /* number of renewals of its rows in this step */
    double size, tol; /* size of the smaller shape; penetration that is tolerated [L] */
    double thin; /* thickness of the thinner shape: the largest possible penetration, however long the shapes are [L] */
    bool knows0; /* gap0 is measured */
    double gap0; /* largest separation at the start [L] */
    double gap1; /* largest separation at the end; a lower bound if no row carries an impulse [L] */
    /* if the shapes passed through each other: fraction of the path at which they met, where rows are found; 0: rows at
     * the end */
    double meet;
    int first, nrow; /* its rows in pp_peg.row */
} pp_peg_pair;

/* Lists that keep their capacity from step to step. */
struct pp_peg {
    pp_peg_pair *pair, *old_pair;
    int npair, cap_pair, cap_old_pair;
    pp_peg_row *row, *new_row;
    int nrow, cap_row, cap_new_row;
    pp_warm tries; /* impulses of the last round, for the warm start */
    pp_solve_memory memory;
    pp_pair_list round; /* scratch: contacts of a curved pair */
    pp_couple_list couples;
    double *nu; /* ndof: velocity of the last round */
    int cap_nu;
    pp_broad *broad;
};
void pp_peg_destroy(struct pp_peg *m, const perp_allocator *a);

/* How a round is posed. model_peg.c tries several modes in order. */
typedef struct pp_peg_mode {
    bool relaxed;   /* penetration that exists at the start may stay */
    bool symmetric; /* impulses act at the end poses */
    bool held;      /* no switch to a plane that did not separate at the start */
    bool linear;    /* gaps are linearised at the start */
    bool no_lift;   /* in addition, no contact is required to open */
    bool other;     /* pairs that touched at a corner use the other separating plane there */
} pp_peg_mode;

/* Purpose of the rounds. Planes are chosen first, with gaps within tolerance and any loads. Exact gaps and unique loads
 * come after that. */
typedef enum pp_peg_phase {
    PP_PEG_CHOOSE, /* choose planes; if no tie is left, continue with FINISH */
    PP_PEG_TRY,    /* test another plane: only its effort is needed */
    PP_PEG_FINISH  /* select unique loads, bring gaps to rounding */
} pp_peg_phase;

/* Progress of the rounds of a frame. */
typedef struct pp_peg_progress {
    pp_peg_phase phase;
    bool same_gaps; /* the next round keeps the gaps of the last one and changes only loads */
    bool begun;     /* the first round of the last mode had a solution */
    bool moved;     /* end_state has the poses that m->nu leads to */
    bool circles;   /* the last rounds ended because they no longer got closer to a solution */
    double bend;    /* largest error at the end of gaps that are linear at the start, as in the first round [L] */
} pp_peg_progress;

/* Data that all parts of the model share while one frame is solved. */
typedef struct pp_peg_work {
    pp_frame *f;
    struct pp_peg *m;
    pp_peg_mode mode;
    pp_peg_progress now;
    /* all bodies at the start; dynamic bodies at the start and kinematic ones at the end; all bodies at the end */
    pp_poses start, force, end;
    pp_state end_state, way; /* state at the end; state between start and end */
    perp_vec3 *turn;         /* by body slot: h times the angular velocity at the start of the motion [rad] */
    double *gap_error;       /* by body slot: largest error of the gaps of its contacts in this round [L] */
    double *lever;           /* by placed shape: see pp_turn_travel */
    double *arc;       /* by placed shape: largest displacement of its points in the step by rotation of its body [L] */
    pp_box *fat;       /* by placed shape: enlarged bounding box; pairs outside are ignored */
    pp_solid probe[2]; /* two shapes at a pose between start and end */
    pp_touches touches;
    bool at_end; /* geometry `end`: impulses act at the end poses, with the inertia there */
    bool still;  /* with at_end: the last round did not change the velocity; otherwise always true */
    pp_convergence settling;
    pp_solve_options options; /* options for the problems of the rounds */
    bool linear;              /* gaps are linearised at the start */
    bool loose_tolerance;     /* the tolerance of the world is loose: no extra rounds or digits */
    double reach;             /* distance that the fastest body moves in the step without contacts [L] */
    double least;             /* penetration that the tolerance of the solver can cause [L] */
    double finest;            /* smaller gap errors do not cause another round [L] */
} pp_peg_work;

/* peg_pose.c */
/* Allocates the solids of all placed shapes. */
perp_status pp_poses_new(pp_peg_work *k, pp_poses *out);
void pp_poses_place(pp_peg_work *k, pp_poses *p, const pp_state *s);
/* The same, but solids of bodies that have the same pose in `like` are copied from there. */
void pp_poses_place_like(pp_peg_work *k, pp_poses *p, const pp_state *s, const pp_poses *like);
/* Sets the poses of f->collide.placed; friction axes follow them. */
void pp_poses_set(pp_peg_work *k, const pp_state *s);
/* Computes the lever arms of all placed shapes. */
void pp_peg_levers(pp_peg_work *k);
/* Largest displacement of the points of placed shape i in the step by rotation of its body, if nu is the velocity after
 * the impulses [L]. */
double pp_turn_travel(const pp_peg_work *k, int i, const double *nu);
/* Moves every body freely with the velocity nu and sets end_state, turn, arc and end. Bodies whose velocity is that of the
 * last call, to the bit, stay where they are. Returns false if a body rotates
 * too far. */
bool pp_poses_advance(pp_peg_work *k, const double *nu);
/* The next call of pp_poses_advance() moves every body. */
void pp_poses_forget(pp_peg_work *k);
/* The velocity without any constraint. */
void pp_free_velocity(const pp_frame *f, double *nu);
/* Places shapes i and j at the fraction x (0 to 1) of the motion from start to end, in k->probe. */
void pp_poses_between(pp_peg_work *k, int i, int j, double x);
/* Largest displacement of points of i and j relative to each other between start and end [L]. */
double pp_relative_travel(const pp_peg_work *k, int i, int j);

/* peg_pairs.c */
/* Finds the pairs whose enlarged boxes overlap, with the planes of the last step. */
perp_status pp_peg_find_pairs(pp_peg_work *k);
/* Enlarges the boxes of shapes that left them and finds pairs again. This may renumber the pairs. */
perp_status pp_peg_follow(pp_peg_work *k);
/* Forgets the choices of earlier rounds. Pairs that carried an impulse in the last step are active, on the plane they
 * had. In mode `other`: returns false if none of them has another plane. */
bool pp_peg_recall(pp_peg_work *k);
/* Measures the separation of a pair at the end poses: gap1 and plane, see pp_peg_pair. */
void pp_peg_measure(pp_peg_work *k, pp_peg_pair *p);
/* Finds the contacts of a curved pair (in m->round) and returns the smallest of their gaps. */
double pp_peg_round(pp_peg_work *k, const pp_solid *A, const pp_solid *B);
/* Separation at the start. */
double pp_peg_start_gap(pp_peg_work *k, pp_peg_pair *p);
/* The plane on which a pair first meets during the motion from start to end. */
pp_plane pp_peg_first_plane(pp_peg_work *k, pp_peg_pair *p);
/* Do two shapes that are apart at the end pass through each other during the motion? If so, *plane is the plane on
 * which they meet. dips: only a passage counts, not a penetration that is small compared with the shapes (the edge of a
 * rolling rod). */
bool pp_peg_tunnels(pp_peg_work *k, pp_peg_pair *p, bool dips, pp_plane *plane);

/* Penetration of two bodies that the tolerance of the previous step may have left [L]. */
static inline double pp_peg_left_penetration(const pp_peg_work *k) {
    return 10 * k->least * (k->loose_tolerance ? 1 : k->f->w->def.h / k->f->h);
}
/* Uncertainty of the motion of a pair in this round [L]: the gap error of its bodies at their other contacts. If two
 * planes differ by less, the motion cannot decide between them. Example: a corner slides along a floor into a wall; it
 * seems to go under the wall while its gap to the floor has not converged. Bounded by a fraction of the thickness. */
static inline double pp_peg_gap_error(const pp_peg_work *k, const pp_peg_pair *p) {
    double a = k->gap_error[k->f->collide.placed[p->i].body], b = k->gap_error[k->f->collide.placed[p->j].body];
    return k->loose_tolerance ? 0 : fmin(fmax(a, b), PP_PEG_GAP_ERROR_MAX * p->thin);
}
/* Largest offset from its features at which a contact may carry an impulse in a converged solution [L]. */
static inline double pp_peg_offset_max(const pp_peg_work *k, const pp_peg_pair *p) {
    if (!k->loose_tolerance) return 10 * p->tol;
    /* rows that were renewed often: two nearly parallel edges meet anywhere */
    return fmax(10 * p->tol, (p->renewals > 8 ? 1e-2 : 1e-3) * p->size);
}
/* The same offset in this round [L]. The factor 3 keeps rounding from deciding: the offset can be equal to the gap
 * error elsewhere. */
static inline double pp_peg_beside(const pp_peg_work *k, const pp_peg_pair *p) {
    return fmax(pp_peg_offset_max(k, p), 3 * pp_peg_gap_error(k, p));
}
/* Separation at the end below which a pair without planes to choose from gets a row [L]. A gap beyond the reach would
 * be the largest speed in the problem, and the tolerance of the solution is relative to it. */
static inline double pp_peg_near(const pp_peg_work *k, const pp_peg_pair *p) {
    return fmin(PP_PEG_NEAR * p->size, k->reach);
}
/* Is one of the two bodies driven? */
static inline bool pp_peg_has_driver(const pp_peg_work *k, const pp_peg_pair *p) {
    const pp_frame *f = k->f;
    return f->w->body[f->collide.placed[p->i].body].kind == PERP_BODY_KINEMATIC ||
           f->w->body[f->collide.placed[p->j].body].kind == PERP_BODY_KINEMATIC;
}
/* Was the pair placed in penetration? */
static inline bool pp_peg_placed_in_penetration(pp_peg_work *k, pp_peg_pair *p) {
    return pp_peg_start_gap(k, p) < -PP_PEG_INITIAL_OVERLAP * p->size - pp_peg_left_penetration(k);
}

/* peg_measure_end.c */
/* Results of the measurement at the end poses. */
typedef struct pp_peg_findings {
    int added, switched, renewed;
    bool moved;   /* a gap is not within tolerance yet */
    bool stuck;   /* a pair changed its plane too often */
    double worst; /* largest gap error of rows that carry an impulse or are violated [L] */
} pp_peg_findings;
/* Measures the end poses of a round. renew, by pair: its rows must be found again. */
perp_status pp_peg_measure_end(pp_peg_work *k, bool *renew, pp_peg_findings *found);
/* Before the first round: adds pairs without planes to choose from that are near each other at the end of the free
 * motion. */
void pp_peg_add_pairs_of_free_motion(pp_peg_work *k);

/* peg_check.c */
/* Is a converged solution acceptable? */
bool pp_peg_acceptable(pp_peg_work *k);
/* Do contacts add more energy than the bodies had? */
bool pp_peg_gains_energy(pp_peg_work *k);
/* Change of the free motion by the contacts, as the kinetic energy of the difference. scratch: ndof numbers. */
double pp_peg_effort(const pp_peg_work *k, double *scratch);

/* peg_rows.c */
/* Makes the rows of all active pairs. New rows, and rows of pairs in `renew`, are chosen at the poses `at`. Old rows
 * stay while their contact lies on its features. */
perp_status pp_peg_rows(pp_peg_work *k, const pp_poses *at, const bool *renew);
/* After a round was solved: what the terms of the slips were, and what they would have to be. */
void pp_peg_measure_slips(pp_peg_work *k);
/* Largest error of the slip of rows with an impulse [L]. */
double pp_peg_slip_error(const pp_peg_work *k);
/* Measures the gaps of all rows at the end poses. */
void pp_peg_row_gaps(pp_peg_work *k);
/* Writes the rows to f->contacts. */
perp_status pp_peg_contacts(pp_peg_work *k);

/* peg_mix.c */
/* End gaps and terms of slips for the next problem, extrapolated from the last rounds. allow: penetration that may stay. slip:
 * PP_FRICTION_ROWS for each row; the first is NAN if they are not known. False: out of memory. */
bool pp_peg_mix(pp_peg_work *k, double *end, const double *allow, double *slip);
/* Opening of a row in the step with the velocity of the last round [L]. */
double pp_peg_opening(const pp_peg_work *k, const pp_peg_pair *p, const pp_peg_row *r);

/* peg_patch.c */
/* Makes the end gaps for the next problem those of one plane over each patch. allow: penetration that may stay. False:
 * out of memory. */
bool pp_peg_even_patch_gaps(pp_peg_work *k, double *end, const double *allow);

#endif

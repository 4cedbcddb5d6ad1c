/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg.h - the parts of the contact model "peg": poses, pairs, rows. See model_peg.c for the whole. */
#ifndef PP_PEG_H
#define PP_PEG_H

#include "geometry/broad/broad.h"
#include "method/contact/end_pose.h"
#include "geometry/narrow/touch.h"
#include "stage/frame.h"
#include "stage/solve/solve.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Penetration at the start, as a part of the size and beyond what a step may leave, from which on a pair was
 * placed so. Half and double: no effect. */
#define PP_PEG_INITIAL_OVERLAP 1e-8
/* [1] Separation at the start, as a part of the size, below which a pair touches; a face that it penetrates by more
 * was not in front. Half and double: no effect. */
#define PP_PEG_TOUCHING 1e-7
/* [1] Upper bound of pp_peg_near(), as a part of the size. Half and double: other bits only. */
#define PP_PEG_NEAR 0.01
/* [1] Upper bound of pp_peg_gap_error(), as a part of the size of the thinner shape. Half: no effect; double: other
 * bits only. */
#define PP_PEG_GAP_ERROR_MAX 0.015
/* [1] Gap, in units of the largest one that pushes or misses, up to which a contact may be the next to push; a flat
 * patch may stay one if it is so many times further open. */
#define PP_PEG_NEXT 10

/* Rounds that the next one is made from. */
#define PP_PEG_HISTORY 2

/* All shapes at one set of poses. */
typedef struct pp_poses {
    pp_solid *solid; /* by placed shape */
    const pp_state *state;
} pp_poses;

/* One contact of a pair in the problem of a round. */
typedef struct pp_peg_row {
    uint64_t feature;
    pp_plane plane;    /* that it was found on */
    perp_vec3 a, b, n; /* where and along what the impulse acts, at the force poses */
    double gap;        /* there too; with pp_peg_work.at_end at the poses `force` in any case [L] */
    double gap0;       /* at the start, kinematic bodies included [L] */
    double gap1, off1; /* at the end poses, see pp_touch; gap1 NAN: a curved pair that passed through [L] */
    perp_vec3 at1;     /* where it lies there, midway between the two, whichever comes first; not of a curved pair */
    double offset;     /* of its linear gap in the last problem; NAN: not known [L] */
    int history;       /* rounds that the next two know of, the latest first */
    double old_target[PP_PEG_HISTORY], old_miss[PP_PEG_HISTORY]; /* see peg_mix.c; old_miss NAN: it did not push [L] */
    double push;                                                 /* normal impulse of the last solve */
    bool fresh;                                                  /* not solved yet */
    pp_plane flat; /* face that its patch comes to lie flat on, see pp_touch_push; PP_NO_PLANE: none */
    bool bounces;  /* restitution sends it away: its end gap is not meant to be zero */
} pp_peg_row;

typedef enum pp_pair_kind { PP_PAIR_FLAT, PP_PAIR_HALFSPACE, PP_PAIR_ROUND } pp_pair_kind;

/* Two shapes that may meet in the step. */
typedef struct pp_peg_pair {
    int i, j; /* placed shapes, i < j */
    pp_pair_kind kind;
    pp_plane plane;   /* chosen, or the last one known to separate */
    bool active;      /* has rows in the problem */
    bool pushed;      /* one of them carries an impulse */
    int switches;     /* of the plane, in this step */
    int renewals;     /* of its rows, in this step */
    double size, tol; /* smaller of the two; overlap that is let pass [L] */
    double thin;      /* thinner of the two: how deep they can be in each other, however long they are [L] */
    bool knows0;      /* gap0 is measured */
    double gap0;      /* largest separation at the start [L] */
    double gap1;      /* the same at the end; a lower bound if not pushed [L] */
    double meet;     /* part of the way at which it met and then ran through: its rows are found there; 0: at the end */
    int first, nrow; /* in pp_peg.row */
} pp_peg_pair;

/* Lists that keep their capacity from step to step. */
struct pp_peg {
    pp_peg_pair *pair, *old_pair;
    int npair, cap_pair, cap_old_pair;
    pp_peg_row *row, *new_row;
    int nrow, cap_row, cap_new_row;
    pp_warm tries;      /* impulses of the last round */
    pp_pair_list round; /* scratch: contacts of a curved pair */
    pp_couple_list couples;
    double *nu; /* ndof: velocity of the last round */
    int cap_nu;
    pp_broad *broad;
};
void pp_peg_destroy(struct pp_peg *m, const perp_allocator *a);

/* How a round is posed; tried in turn, see model_peg.c. */
typedef struct pp_peg_mode {
    bool relaxed;   /* overlap that was there at the start may stay */
    bool symmetric; /* impulses act at the end poses too */
    bool held;      /* no change to a plane that did not separate at the start */
    bool linear;    /* gaps linearised at the start */
    bool no_lift;   /* and nothing is asked to open */
    bool other;     /* pairs that touched on a corner go by the other plane that holds there */
} pp_peg_mode;

/* What rounds are for. Which planes hold is decided with gaps within tolerance and any loads: digits and loads come after it. */
typedef enum pp_peg_phase {
    PP_PEG_CHOOSE, /* planes; where no tie is left to decide, rounds go on to FINISH */
    PP_PEG_TRY,    /* another plane: only its effort is asked for */
    PP_PEG_FINISH  /* loads are selected, gaps brought to rounding */
} pp_peg_phase;

/* Where the rounds of a frame are. */
typedef struct pp_peg_now {
    pp_peg_phase phase;
    bool same_gaps; /* the next round is posed with the gaps of the last one: only its loads are asked for */
    bool begun;     /* the first round of the last way had an answer */
    double bend;    /* by how much gaps that are linear at the start, as in the first round, may miss at the end [L] */
} pp_peg_now;

/* Everything the parts share while one frame is solved. */
typedef struct pp_peg_work {
    pp_frame *f;
    struct pp_peg *m;
    pp_peg_mode mode;
    pp_peg_now now;
    pp_poses start, force, end; /* all at the start; dynamic ones at the start, kinematic at the end; all at the end */
    pp_state end_state, way;    /* at the end; somewhere between */
    perp_vec3 *turn;            /* by body slot: h times the angular velocity at the start of the way [rad] */
    double *gap_error;          /* by body slot: largest miss of the gaps that hold it in this round [L] */
    double *lever;              /* by placed shape: see pp_turn_travel */
    double *arc;       /* by placed shape: how far its points may move in the step because its body turns [L] */
    pp_box *fat;       /* by placed shape: pairs outside are not looked at */
    pp_solid probe[2]; /* two shapes somewhere between */
    pp_touches touches;
    bool at_end; /* geometry end: impulses act at the end poses, and inertia is that of the end */
    bool still;  /* with it: the last round left the velocity as it was; without: true */
    pp_convergence settling;
    pp_solve_options options; /* of the problems of the rounds */
    bool linear;              /* gaps are those linearised at the start */
    bool loose_tolerance;     /* the world asks for less than usual: no round and no digit more than that needs */
    double reach;             /* how far the fastest body goes in the step by itself [L] */
    double least;             /* what an overlap that comes from the solver's tolerance may be [L] */
    double finest;            /* gaps closer to zero than this are not worth another round [L] */
} pp_peg_work;

/* peg_pose.c */
/* Solids of all placed shapes for a state. */
perp_status pp_poses_new(pp_peg_work *k, pp_poses *out);
void pp_poses_place(pp_peg_work *k, pp_poses *p, const pp_state *s);
/* The same where the solids of `like` are placed: those of bodies that have the same pose there are copied. */
void pp_poses_place_like(pp_peg_work *k, pp_poses *p, const pp_state *s, const pp_poses *like);
/* Sets where f->collide.placed stands: axes of friction go by it. */
void pp_poses_stand(pp_peg_work *k, const pp_state *s);
/* The levers of all placed shapes. */
void pp_peg_levers(pp_peg_work *k);
/* How far points of placed shape i may move in the step because its body turns, with velocity nu after the impulses
 * [L]. */
double pp_turn_travel(const pp_peg_work *k, int i, const double *nu);
/* Moves every body freely with the velocity nu: end_state, turn, arc, end. False if one spins too fast to tell. */
bool pp_poses_advance(pp_peg_work *k, const double *nu);
/* The velocity without any constraint. */
void pp_free_velocity(const pp_frame *f, double *nu);
/* Shapes i and j a part x (0 to 1) of the way from start to end, in k->probe. */
void pp_poses_between(pp_peg_work *k, int i, int j, double x);
/* How far points of i and j may move against each other between start and end [L]. */
double pp_relative_travel(const pp_peg_work *k, int i, int j);

/* peg_pairs.c */
/* Pairs within the fat boxes, with the memory of the last step. */
perp_status pp_peg_find_pairs(pp_peg_work *k);
/* Widens the boxes of what left them; then finds pairs again, which may number them anew. */
perp_status pp_peg_follow(pp_peg_work *k);
/* Forgets what earlier rounds chose: pairs that pushed in the last step are active on the plane they had. Mode `other`:
 * false if none of them has another. */
bool pp_peg_recall(pp_peg_work *k);
/* Separation at the end poses: gap1 and plane of each pair; see pp_peg_pair. */
void pp_peg_measure(pp_peg_work *k, pp_peg_pair *p);
/* Contacts of a curved pair, into m->round; the least of their gaps. */
double pp_peg_round(pp_peg_work *k, const pp_solid *A, const pp_solid *B);
/* Separation at the start. */
double pp_peg_start_gap(pp_peg_work *k, pp_peg_pair *p);
/* The plane a pair meets on first, on its way from start to end. */
pp_plane pp_peg_first_plane(pp_peg_work *k, pp_peg_pair *p);
/* Do two shapes that are apart at the end run through each other on the way? Then the plane they meet on. `dips`: only a
 * passage counts, not an overlap that is small beside them (the edge of a rod that rolls). */
bool pp_peg_runs_through(pp_peg_work *k, pp_peg_pair *p, bool dips, pp_plane *plane);

/* How deep two bodies may be by the tolerance of the step before [L]. */
static inline double pp_peg_left(const pp_peg_work *k) {
    return 10 * k->least * (k->loose_tolerance ? 1 : k->f->w->def.h / k->f->h);
}
/* How well the way of a pair is known in this round [L]: as well as the gaps hold that its bodies have elsewhere. Where two
 * planes differ by less, it does not tell which one is meant: a corner that slides along a floor into a wall seems to dive
 * under the wall while its gap to the floor has not settled. Not more than a part of how thin they are. */
static inline double pp_peg_gap_error(const pp_peg_work *k, const pp_peg_pair *p) {
    double a = k->gap_error[k->f->collide.placed[p->i].body], b = k->gap_error[k->f->collide.placed[p->j].body];
    return k->loose_tolerance ? 0 : fmin(fmax(a, b), PP_PEG_GAP_ERROR_MAX * p->thin);
}
/* How far from its features a contact may lie and still push, once all has settled [L]. */
static inline double pp_peg_off(const pp_peg_work *k, const pp_peg_pair *p) {
    if (!k->loose_tolerance) return 10 * p->tol;
    /* rows that come back however often they are looked for: two edges that are nearly parallel meet anywhere */
    return fmax(10 * p->tol, (p->renewals > 8 ? 1e-2 : 1e-3) * p->size);
}
/* The same in this round [L]. Three times: what lies off its features may be just what misses elsewhere, and it is not for
 * rounding to tell which of the two is larger. */
static inline double pp_peg_beside(const pp_peg_work *k, const pp_peg_pair *p) {
    return fmax(pp_peg_off(k, p), 3 * pp_peg_gap_error(k, p));
}
/* Separation at the end below which a pair without planes to choose from is worth a row [L]. A gap beyond the reach would
 * be the largest speed in the problem, and what is asked of its answer is relative to that. */
static inline double pp_peg_near(const pp_peg_work *k, const pp_peg_pair *p) {
    return fmin(PP_PEG_NEAR * p->size, k->reach);
}
/* Is one of the two bodies driven? */
static inline bool pp_peg_has_driver(const pp_peg_work *k, const pp_peg_pair *p) {
    const pp_frame *f = k->f;
    return f->w->body[f->collide.placed[p->i].body].kind == PERP_BODY_KINEMATIC ||
           f->w->body[f->collide.placed[p->j].body].kind == PERP_BODY_KINEMATIC;
}
/* Was the pair placed in overlap? */
static inline bool pp_peg_spawned(pp_peg_work *k, pp_peg_pair *p) {
    return pp_peg_start_gap(k, p) < -PP_PEG_INITIAL_OVERLAP * p->size - pp_peg_left(k);
}

/* peg_measure_end.c */
/* What a look at the end poses found. */
typedef struct pp_peg_findings {
    int added, switched, renewed;
    bool moved;   /* some gap is not yet what it must be */
    bool stuck;   /* a pair changed its plane too often */
    double worst; /* by how much a gap misses, of those that push or are violated [L] */
} pp_peg_findings;
/* Looks at the end poses of a round; renew, by pair: its rows are to be looked for anew. */
perp_status pp_peg_measure_end(pp_peg_work *k, bool *renew, pp_peg_findings *found);
/* Adds pairs without planes to choose from that are near where the free motion would lead, before the first round. */
void pp_peg_foresee(pp_peg_work *k);

/* peg_check.c */
/* May an answer that has settled be taken? */
bool pp_peg_credible(pp_peg_work *k);
/* Do contacts add more than all energy there is? */
bool pp_peg_throws(pp_peg_work *k);
/* How much the contacts change the free motion: the kinetic energy of the difference. scratch: ndof numbers. */
double pp_peg_effort(const pp_peg_work *k, double *scratch);

/* peg_rows.c */
/* Rows of all active pairs, chosen at `at` where they are new or a pair asks for it; old ones stay while their
 * contact lies on its features. */
perp_status pp_peg_rows(pp_peg_work *k, const pp_poses *at, const bool *renew);
/* Gaps of all rows at the end poses. */
void pp_peg_row_gaps(pp_peg_work *k);
/* Rows -> f->contacts. */
perp_status pp_peg_contacts(pp_peg_work *k);

/* peg_mix.c */
/* Gaps at the end that rows are posed with, made from those of the last rounds; `allow`: overlap that may stay. False: out of memory. */
bool pp_peg_mix(pp_peg_work *k, double *end, const double *allow);
/* How far a row opens in the step by the velocity of the last round [L]. */
double pp_peg_opening(const pp_peg_work *k, const pp_peg_pair *p, const pp_peg_row *r);

/* peg_patch.c */
/* Gaps at the end that rows are posed with, made those of one plane over each patch; `allow`: overlap that may stay. False:
 * out of memory. */
bool pp_peg_even_out(pp_peg_work *k, double *end, const double *allow);

#endif

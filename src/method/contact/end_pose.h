/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* end_pose.h - contacts at the end of the step: `geometry: end`, and the functions that the stepper "implicit" shares with it
 *
 *   M(q+) nu+ = M(q) nu + h f + W(q+) p,   q+ = q (+) h nu+,   0 <= p_n _|_ psi(q+) >= 0,   slip W_t(q+)' nu+
 *
 * (Berard 3.82, 3.83; velocity products are in M(q+)). Rounds: the step problem is posed at the end pose of the last solution, with gaps
 * linearised there. Within a round, velocities are measured along the same rows that impulses act along. So the problem is symmetric as usual,
 * and every solver can solve it. The rounds take care of the dependence of W on the solution. If a solution leads to the pose at which it
 * was posed, it solves the whole problem. */
#ifndef PP_END_POSE_H
#define PP_END_POSE_H

#include "stage/frame.h"

/* Do the contacts of this frame act at the end poses? */
static inline bool pp_at_end(const pp_frame *f) {
    return f->w->def.geometry == PERP_GEOMETRY_END && f->purpose == PP_STEP;
}

/* The change that the answer of a round made. */
typedef struct pp_end_change {
    double by;     /* largest change of a velocity, turning counted at the rim of the body [L/T] */
    double scale;  /* largest velocity [L/T] */
    double finest; /* changes up to this are rounding [L/T] */
} pp_end_change;
/* The change from velocity `from`, which led to the poses `at`, to velocity `to`. */
pp_end_change pp_end_changed(const pp_frame *f, const pp_state *at, const double *from, const double *to);

typedef enum pp_iteration_state {
    PP_SETTLED,
    PP_GO_ON,
    PP_GO_HALF /* the changes no longer decrease: go only half of the way */
} pp_iteration_state;
/* The progress of the rounds; starts as {.before = INFINITY}. */
typedef struct pp_convergence {
    double before;
    int idle, round;
} pp_convergence;
/* Judges a round. other: something other than velocities changed, so this round cannot be the last one. */
pp_iteration_state pp_convergence_check(pp_convergence *s, const pp_frame *f, const pp_end_change *c, bool other);

/* Sets the inertia of bodies with unequal axes to that at the poses s. NULL: to that after the torque-free turn, as pp_control() left it.
 * */
void pp_end_inertia(pp_frame *f, const pp_state *s);

/* The gap at the end with which the row of a contact is posed: gap1, or NAN (use the gap of the start) if the stepper holds a contact that
 * touches at the start by its velocity. g: the geometries of the two shapes. */
double pp_end_demand(const pp_frame *f, const pp_geometry *const g[2], perp_vec3 at_W, double start, double gap1);

/* A contact model at the end poses. Both get the same context. */
typedef struct pp_end_model {
    /* Called with f->collide.placed at the end poses and with the pairs found there in w->found.pairs. Fills f->contacts, with the gaps at
     * the end poses. */
    perp_status (*contacts)(pp_frame *f, void *ctx);
    perp_status (*solve)(pp_frame *f, void *ctx);
    void *ctx;
} pp_end_model;
/* Runs rounds until the end pose no longer changes. The frame has been solved with the contacts of the start. PERP_E_SOLVE if the rounds do
 * not converge. */
perp_status pp_end_rounds(pp_frame *f, const pp_end_model *m);
/* Uses the contacts of the start poses again, if the end poses did not converge and no shorter step follows. Logs this and counts a
 * fallback. */
void pp_end_give_up(pp_frame *f);
/* pp_solve_contacts() for models that only choose contacts. */
perp_status pp_end_solve_contacts(pp_frame *f);

#endif

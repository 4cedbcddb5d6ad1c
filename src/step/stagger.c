/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stagger.c - velocities that are stored half a step behind the poses
 *
 * Problem  A step that moves with the velocity at its end is the leapfrog rule if this velocity belongs to the middle of the step. The rule
 *          is exact for constant acceleration and of second order between impacts. So the state stores velocities of the time t - h/2.
 *          Users need the velocities of the time t of the poses.
 * Method   Start: nu - 1/2 dnu, where dnu is h times the constrained acceleration. dnu is the difference of two velocity-level problems, with
 *          forces and without, so impacts cancel. A contact that would close within the step counts as touching there, so that
 *          the result does not depend on a tiny gap. The same is done for a body whose velocity is set, and for the island of a body
 *          whose forces jump.
 *          End: nu + 1/2 dnu with the dnu of the step that ended. This is also of second order and needs no solve. If the velocity of an
 *          island jumped, dnu is not an acceleration, and nothing is added. A jump is one of:
 *          - a row that was open, or was brought to touch in the step before, closes;
 *          - a contact with restitution in the equations of the step (impacts: plain) closes or rebounds;
 *          - a contact separates much more slowly than it approached;
 *          - friction stops a slip.
 *          If half of dnu would reverse a slip, only the fraction that brings the slip to zero is added. If nothing is added to an island
 *          that is not connected to a fixed or driven body, the island gets half of the velocity change that the forces give to it as one
 *          rigid body. This keeps the relative velocities, and the momenta belong to the time t.
 *          If springs between points are so stiff that the step is divided, velocities are not moved back.
 * Valid    Steppers that kick at the start pose and move with the velocity after the kick.
 * Cost     Two solutions at the start; linear in the number of rows in every step.
 * Source   Leapfrog: Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1.4. */
#include "base/rounding.h"
#include "model/actuator.h"
#include "step/stagger.h"

#include <float.h>
#include <string.h>

#include "base/sets.h"
#include "problem/rows.h"
#include "method/contact/solve_contacts.h"
#include "stage/contact_model.h"
#include "stage/pose/rebound.h"
#include "stage/stepper.h"
#include "stage/solve/give_way.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] An approach along a closed row is an impact if its speed exceeds this multiple of the velocity change that forces
 * and rotation make in a step. Half and double: no effect. */
#define HARD 10
/* [1] A contact was hit by an impact if the approach speed exceeds this multiple of the separation speed. A contact
 * that guides a body along a curve changes its normal velocity from -u to +u, or from -2u after a jump. Half and
 * double: no effect. */
#define STOPPED 3
/* [1] Smallest slip that counts, as a fraction of the slip before plus the change of slip by forces. Half and double:
 * no effect. */
#define SLIPS 1e-6
/* [1] If a row sticks, the slip before it counts as a stop if it exceeds this fraction of the change that rotating
 * bodies make in a step. Smaller slips are rotation of the row. Half: no effect; double: other bits only. */
#define STOPS 0.01
/* [1] Speeds below this fraction of the speeds of the bodies of a row plus the speed of one step of fall are rounding
 * and residuals. Half and double: no effect. */
#define NOISE 1e-8
/* [1] A joint row is satisfied if at most this fraction of its violation remains. Half and double: no effect. */
#define MET 1e-3
/* [1] Allowed difference between the sum of the substeps and the step, as a fraction of the step. */
#define WHOLE 1e-9

/* ---- islands ---- */

static void join(int *root, const perp_row *row) { pp_row_join(root, row); }

/* Joins the blocks that rows connect. Contacts count if they carry an impulse, or all of them if `all`. Allocated in
 * the arena. */
static int *islands(const pp_frame *f, bool all) {
    int *root = PP_ARENA_ARRAY(&f->w->arena, int, f->control.nblock);
    for (int k = 0; root && k < f->control.nblock; k++) root[k] = k;
    for (int i = 0; root && i < f->pose.problem.njoint; i++) join(root, &f->pose.problem.joint[i].row);
    for (int i = 0; root && i < f->pose.problem.ncontact; i++)
        if (all || f->solve.solution.p_contact[3 * i] > 0) join(root, &f->pose.problem.contact[i].n);
    return root;
}

/* ---- the start ---- */

/* The constrained change of velocity over h at state s. It is the difference of two velocity-level solutions, with
 * forces and without, so it contains no impact. dnu: ndof numbers. *root: islands, by block. */
static perp_status start_acceleration(perp_world *w, const pp_state *s, const perp_wrench *held, double *dnu,
                                      int **root) {
    pp_state end;
    perp_status st = pp_state_new(w, &end);
    const pp_purpose purpose[2] = {PP_START_FREE, PP_START_FORCED};
    for (int k = 0; !st && k < 2; k++) {
        pp_frame f = {.w = w,
                      .s0 = s,
                      .s1 = &end,
                      .h = w->def.h,
                      .purpose = purpose[k],
                      .task = {.held = held,
                               .reach_factor = 2,
                               .touching_more = w->def.h * w->def.h * perp_v3_norm(w->def.gravity_W)}};
        pp_state_copy(w, &end, s);
        st = pp_solve_frame(&f);
        for (int i = 0; !st && i < f.control.ndof; i++)
            dnu[i] = k == 0 ? f.solve.solution.nu[i] : f.solve.solution.nu[i] - dnu[i];
        if (!st && k == 1 && !(*root = islands(&f, true))) st = PERP_E_MEMORY;
    }
    return st == PERP_E_MEMORY ? pp_fail(w, st, "out of memory for the staggered start") : st;
}

/* Does the body have a block? Blocks are in the order of these bodies. */
static bool has_block(const perp_world *w, int slot) {
    return pp_alive(w->body[slot].gen) && w->body[slot].kind == PERP_BODY_DYNAMIC;
}

static perp_status move_back(perp_world *w, pp_state *s, const perp_wrench *held, bool all) {
    double lag = w->def.h / 2;
    double *dnu = PP_ARENA_ZERO(&w->arena, double, 6 * w->nbody);
    bool *jumps = PP_ARENA_ZERO(&w->arena, bool, w->nbody);
    pp_state at;
    perp_status st = pp_state_new(w, &at);
    if (!dnu || !jumps) st = pp_fail(w, PERP_E_MEMORY, "out of memory for the staggered start");
    if (st) return st;
    pp_state_copy(w, &at, s);
    for (int i = 0; i < w->nbody; i++)
        if (has_block(w, i)) pp_pose_was_set(&at, i);
    int *root = NULL;
    st = start_acceleration(w, &at, held, dnu, &root);
    if (st == PERP_E_SOLVE)
        pp_logf(w, PERP_LOG_INFO, "step %llu: velocities are not moved back: %s", (unsigned long long)w->state.step,
                w->why);
    else if (st)
        return st;
    int k = 0;
    for (int i = 0; root && i < w->nbody; i++)
        if (has_block(w, i)) jumps[pp_set_of(root, k++)] |= (s->mark[i] & PP_FORCE_JUMPED) != 0;
    double part = st ? 0 : lag / w->def.h;
    int dof = 0;
    k = 0;
    for (int i = 0; i < w->nbody; i++) {
        if (!has_block(w, i)) continue;
        int nd = pp_ndof(w, &w->body[i]), at_dof = dof, block = k++;
        dof += nd;
        if (!all && !(s->mark[i] & PP_VELOCITY_SET) && !(root && jumps[pp_set_of(root, block)])) continue;
        s->dv[i] = perp_v3_scale(part, pp_linear(w->def.dim, dnu + at_dof));
        s->dw[i] = perp_v3_scale(part, pp_angular(w->def.dim, nd, dnu + at_dof));
        s->v[i] = perp_v3_sub(at.v[i], s->dv[i]);
        s->w[i] = perp_v3_sub(at.w[i], s->dw[i]);
        if (s->mark[i] & PP_VELOCITY_SET) s->mark[i] |= PP_VELOCITY_JUMPED;
        s->mark[i] |= PP_VELOCITY_SHIFTED;
    }
    s->lag = lag;
    if (all && s->substep > 0) s->substep = w->def.h; /* velocities lag as after a substep of this length */
    return PERP_OK;
}

/* Are springs between points too stiff for a step of this length? Then the step is divided, and velocities lag by at
 * most half a substep. Moving them back by half a step would act like an impact. */
static perp_status too_stiff(perp_world *w, const pp_state *s, const perp_wrench *held, bool *stiff) {
    bool springs = false;
    for (int i = 0; i < w->nforce; i++)
        springs |= pp_alive(w->force[i].gen) && w->force[i].def.kind == PERP_FORCE_SPRING;
    *stiff = false;
    if (!springs) return PERP_OK;
    pp_arena_mark here = pp_arena_here(&w->arena);
    pp_state end;
    perp_status st = pp_state_new(w, &end);
    if (st) return st;
    pp_state_copy(w, &end, s);
    pp_frame f = {.w = w, .s0 = s, .s1 = &end, .h = w->def.h, .purpose = PP_STEP, .task = {.held = held}};
    st = pp_control(&f);
    pp_arena_release(&w->arena, here);
    *stiff = st == PERP_E_SOLVE;
    return *stiff ? PERP_OK : st;
}

static void bring_to_poses(const perp_world *w, pp_state *s) {
    for (int i = 0; i < w->nbody; i++) pp_pose_was_set(s, i);
    s->lag = 0;
}

perp_status pp_stagger(perp_world *w, pp_state *s, const perp_wrench *held) {
    if (w->def.start != PERP_START_STAGGERED) return PERP_OK;
    bool stiff;
    perp_status st = too_stiff(w, s, held, &stiff);
    if (st) return st;
    if (stiff) {
        if (s->lag > 0) bring_to_poses(w, s);
        return PERP_OK;
    }
    bool all = s->lag != w->def.h / 2, any = all;
    for (int i = 0; i < w->nbody; i++) any |= has_block(w, i) && (s->mark[i] & (PP_VELOCITY_SET | PP_FORCE_JUMPED));
    return any ? move_back(w, s, held, all) : PERP_OK;
}

void pp_make_plain(perp_world *w) {
    bring_to_poses(w, &w->state);
    w->def.start = PERP_START_PLAIN;
}

/* ---- the end ---- */

typedef struct sync {
    const pp_frame *f;
    double *free; /* ndof: velocity change by forces alone */
    int *root;
    double *part; /* by root: fraction of half the change that is added */
    bool *hit;    /* by root: nothing is added because of an impact, not only because friction stopped a slip */
    const unsigned char *before; /* by block: marks at the start of the frame */
    unsigned char *after;        /* by block: marks at its end */
} sync;

static void limit(sync *s, const perp_row *row, double part) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            if (row->block[k] < 0) continue;
            double *p = &s->part[pp_set_of(s->root, row->block[k])];
            if (part < *p) *p = part;
        }
}

static void shock(sync *s, const perp_row *row) {
    limit(s, row, 0);
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++)
            if (row->block[k] >= 0) s->hit[pp_set_of(s->root, row->block[k])] = true;
}

static void mark(sync *s, const perp_row *row, unsigned char bit) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++)
            if (row->block[k] >= 0) s->after[row->block[k]] |= bit;
}

static bool marked(const sync *s, const perp_row *row, unsigned char bit) {
    bool any = false;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) any |= row->block[k] >= 0 && (s->before[row->block[k]] & bit);
    return any;
}

/* Estimate of the velocity change along a row in a step by forces and rotation. */
static double smooth_change(const sync *s, const perp_row *row) {
    const pp_frame *f = s->f;
    double sum = fabs(pp_row_dot(&f->pose.problem, row, s->free));
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            const double *nu = f->control.nu0 + f->control.block_offset[b], *J = row->J[k];
            int dim = f->w->def.dim, nd = f->control.block_ndof[b];
            double turn = perp_v3_norm(pp_angular(dim, nd, nu)), speed = perp_v3_norm(pp_linear(dim, nu));
            double lever = perp_v3_norm(pp_angular(dim, nd, J)), length = perp_v3_norm(pp_linear(dim, J));
            sum += f->h * turn * (length * speed + lever * turn);
        }
    return sum;
}

double pp_largest_speed(const pp_frame *f, const perp_row *row) {
    double sum = 0;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k], dim = f->w->def.dim;
            if (b < 0) continue;
            const double *nu = f->control.nu0 + f->control.block_offset[b], *J = row->J[k];
            sum += perp_v3_norm(pp_linear(dim, J)) * perp_v3_norm(pp_linear(dim, nu)) +
                   perp_v3_norm(pp_angular(dim, f->control.block_ndof[b], J)) *
                       perp_v3_norm(pp_angular(dim, f->control.block_ndof[b], nu));
        }
    return sum;
}

/* Speeds along a row below this are noise. */
static double noise_of(const sync *s, const perp_row *row) {
    return NOISE * (s->f->h * perp_v3_norm(s->f->w->def.gravity_W) + pp_largest_speed(s->f, row));
}

/* Effect of rounding of the poses on a joint error, as a velocity along its row: the row's b is the error divided by h. */
static double rounding_of(const sync *s, const perp_row *row) {
    const pp_frame *f = s->f;
    double sum = 0;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k], dim = f->w->def.dim;
            if (b < 0) continue;
            sum += perp_v3_norm(pp_linear(dim, row->J[k])) * perp_v3_norm(f->s0->X[f->control.block_body[b]].p) +
                   perp_v3_norm(pp_angular(dim, f->control.block_ndof[b], row->J[k]));
        }
    return 4 * DBL_EPSILON * sum / f->h;
}

/* Does a row with this approach speed have an impact? */
static bool meets(double approach, double smooth, bool open, bool shocked) {
    return approach > smooth && (open || shocked || approach > HARD * smooth);
}

/* Did contact row r stop an approach, rather than guide a body along a curve? Contacts of driven bodies are not
 * checked: a driven body has the mean velocity of the step, so its acceleration looks like an approach. Compliant
 * contacts are not checked either. */
static bool stops(const sync *s, const perp_contact_row *r, double approach) {
    const pp_frame *f = s->f;
    if (r->b_n_kin != 0 || r->compliance > 0) return false;
    double by_forces = fabs(pp_row_dot(&f->pose.problem, &r->n, s->free)),
           leaves = pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu);
    return approach > by_forces + noise_of(s, &r->n) && approach > STOPPED * leaves;
}

/* Separation speed above which a penetrating contact is pushed out. In models that never guide a body along a surface
 * that it penetrates, only forces cause smaller speeds. In the others, rotation also does; `smooth` is their sum. */
static double push_out_change(const sync *s, const perp_contact_row *r, double smooth) {
    if (!s->f->w->chosen.model->pushes_out) return smooth;
    return fabs(pp_row_dot(&s->f->pose.problem, &r->n, s->free)) + noise_of(s, &r->n);
}

/* Checks a slip with friction, before and after the step: it continues, would be reversed, or was stopped. Vectors of
 * 2. */
static void check_slip(sync *s, const perp_row *row, const double *before, const double *after, double smooth) {
    double was = pp_hypot(before[0], before[1]), is = pp_hypot(after[0], after[1]);
    double noise = noise_of(s, row);
    if (is > SLIPS * (was + smooth) + noise) {
        mark(s, row, PP_CONTACT_SLID);
        double along = 0.5 * ((after[0] - before[0]) * after[0] + (after[1] - before[1]) * after[1]);
        if (along < 0) limit(s, row, is * is / -along);
    } else if (marked(s, row, PP_CONTACT_SLID | PP_VELOCITY_JUMPED) && was > STOPS * smooth + noise) {
        limit(s, row, 0); /* no shock: in the next step the row sticks, and what moves along it is its rotation */
    }
}

static void check_contact(sync *s, int i) {
    const pp_frame *f = s->f;
    const perp_step_problem *p = &f->pose.problem;
    const perp_contact_row *r = &p->contact[i];
    const double *P = f->solve.solution.p_contact + 3 * i;
    if (!(P[0] > 0)) return;
    if (r->contact >= 0 && r->contact < f->contacts.n) {
        const perp_contact *c = &f->contacts.at[r->contact];
        const int *shape = f->contacts.shape + 2 * r->contact;
        double gap = c->gap - (f->demand.levers == f->s0 ? 0 : f->h * r->b_n_kin), smooth = smooth_change(s, &r->n);
        double touching = pp_touching(f->w->shape[shape[0]].g, f->w->shape[shape[1]].g, c->a_W);
        double approach = -(pp_row_dot(p, &r->n, f->control.nu0) + r->b_n_kin);
        double leaving = pp_row_dot(p, &r->n, f->solve.solution.nu) + r->b_n_kin;
        bool pushed_out = gap < -touching && leaving > push_out_change(s, r, smooth);
        /* with restitution in the equations of the step, also where rotation could explain the approach */
        bool elastic = c->restitution > 0 && !pp_orders_impacts(f->w),
             rebounds = elastic && (gap > touching || isfinite(pp_rebound_rhs(f, r->contact, r)));
        bool open = gap > touching, guides = !open && !(approach > STOPPED * leaving);
        bool met = !guides && meets(approach, smooth, open, marked(s, &r->n, PP_VELOCITY_JUMPED));
        if (rebounds || pushed_out || met || stops(s, r, approach)) shock(s, &r->n);
    }
    if (!(r->mu > 0) || (P[1] == 0 && P[2] == 0)) return;
    double b_t = pp_driven_slip(&f->pose, i, 0), b_o = pp_driven_slip(&f->pose, i, 1);
    /* along the rows of the start a contact that sticks while its body rotates has the velocities c before and -c after */
    double c_t = pp_slip_curve(&f->pose, i, 0), c_o = pp_slip_curve(&f->pose, i, 1);
    double before[2] = {pp_row_dot(p, &r->t, f->control.nu0) + b_t - c_t, 0},
           after[2] = {pp_row_dot(p, &r->t, f->solve.solution.nu) + b_t + c_t, 0}, smooth = smooth_change(s, &r->t);
    if (f->w->def.dim == 3 || r->nd != 2) {
        before[1] = pp_row_dot(p, &r->o, f->control.nu0) + b_o - c_o;
        after[1] = pp_row_dot(p, &r->o, f->solve.solution.nu) + b_o + c_o;
        smooth += smooth_change(s, &r->o);
    }
    check_slip(s, &r->t, before, after, smooth);
}

static void check_joint(sync *s, int i) {
    const pp_frame *f = s->f;
    const perp_joint_row *r = &f->pose.problem.joint[i];
    double p = f->solve.solution.p_joint[i], smooth = smooth_change(s, &r->row);
    double w0 = pp_row_dot(&f->pose.problem, &r->row, f->control.nu0),
           w1 = pp_row_dot(&f->pose.problem, &r->row, f->solve.solution.nu);
    if (p == 0 || pp_row_is_servo(f, i) || r->kind == PERP_ROW_INERTIA) return;
    if (r->kind == PERP_ROW_FRICTION || r->kind == PERP_ROW_MOTOR) { /* a motor slips if its force limit is too small */
        double before[2] = {w0 + r->b, 0}, after[2] = {w1 + r->b, 0};
        check_slip(s, &r->row, before, after, smooth);
    } else if (r->kind == PERP_ROW_LIMIT) {
        double approach = (p > 0 ? -1 : 1) * (w0 + r->b_kin);
        bool open = fabs(r->b - r->b_kin) > STOPS * smooth;
        if (meets(approach, smooth, open, marked(s, &r->row, PP_VELOCITY_JUMPED))) shock(s, &r->row);
    } else if (r->kind != PERP_ROW_SPRING && marked(s, &r->row, PP_VELOCITY_JUMPED)) {
        double lacked = fabs(w0 + r->b);
        if (lacked > smooth + noise_of(s, &r->row) + rounding_of(s, &r->row) && fabs(w1 + r->b) <= MET * lacked)
            shock(s, &r->row);
    }
}

/* Velocity change by forces alone. */
static void free_change(const pp_frame *f, double *out) {
    for (int k = 0; k < f->control.nblock; k++) {
        const double *Mi = f->control.Minv + 36 * k;
        int at = f->control.block_offset[k], nd = f->control.block_ndof[k];
        for (int r = 0; r < nd; r++) {
            double sum = 0;
            for (int c = 0; c < nd; c++) sum += Mi[6 * c + r] * pp_force_impulse(f, at + c);
            out[at + r] = sum;
        }
    }
}

/* ---- islands that are not connected to fixed or driven bodies ---- */

/* An island as one rigid body at the start pose. */
typedef struct rigid_island {
    bool held; /* connected to a fixed or driven body */
    double mass;
    perp_vec3 centre; /* centre of mass */
    perp_vec3 push;   /* impulse of all forces [M L/T] */
    perp_vec3 twist;  /* their angular impulse about the centre of mass */
    perp_mat3 inertia;
    perp_vec3 v, w; /* velocity change by push and twist */
} rigid_island;

static void hold(rigid_island *of, int *root, const perp_row *row) {
    for (int k = 0; k < 2; k++)
        if (pp_row_holds(row, k)) of[pp_set_of(root, row->block[k])].held = true;
}

/* Did contact i rebound, so that it does not constrain the bodies at the end? It separates faster than forces can close
 * it within a step. */
static bool leaves(const sync *s, int i) {
    const pp_frame *f = s->f;
    const perp_contact_row *r = &f->pose.problem.contact[i];
    if (i >= f->contacts.n || !(f->contacts.at[i].restitution > 0)) return false;
    double by_forces = fabs(pp_row_dot(&f->pose.problem, &r->n, s->free));
    return pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu) + r->b_n_kin > by_forces + noise_of(s, &r->n);
}

/* Are the shapes of contact i apart at the end of the step, so that it does not constrain the bodies there? Rows that
 * are linearised at the start do not include the rotation of bodies. */
static bool parted(const pp_frame *f, int i) {
    if (i >= f->contacts.n) return false; /* a support point */
    const int *shape = f->contacts.shape + 2 * i;
    const pp_geometry *a = f->w->shape[shape[0]].g, *b = f->w->shape[shape[1]].g;
    return pp_separation_in(f->w, shape, f->s1) > pp_touching(a, b, f->contacts.at[i].a_W);
}

static perp_mat3 inertia_about(const pp_frame *f, int k, perp_vec3 r) {
    const double *M = f->control.M + 36 * k;
    int dim = f->w->def.dim, nd = f->control.block_ndof[k];
    perp_mat3 own = perp_m3_diag(0, 0, dim == 2 && nd == 3 ? M[14] : 0), R = perp_m3_skew(r);
    if (nd == 6) own = (perp_mat3){{{M[21], M[22], M[23]}, {M[27], M[28], M[29]}, {M[33], M[34], M[35]}}};
    return perp_m3_add(own, perp_m3_scale(-M[0], perp_m3_mul(R, R)));
}

/* Angular velocity by the angular impulse. It has no component along axes without inertia (the island is a point or a
 * line). */
static perp_vec3 turn_of(int dim, const rigid_island *of) {
    if (dim == 2) return perp_v3(0, 0, of->inertia.c[2].z > 0 ? of->twist.z / of->inertia.c[2].z : 0);
    perp_mat3 axes;
    perp_vec3 I = perp_m3_eigen(of->inertia, &axes), w = perp_v3(0, 0, 0);
    const double about[3] = {I.x, I.y, I.z};
    double most = fmax(I.x, fmax(I.y, I.z));
    for (int i = 0; i < 3; i++)
        if (about[i] > PP_NEGLIGIBLE * most)
            w = perp_v3_axpy(w, perp_v3_dot(axes.c[i], of->twist) / about[i], axes.c[i]);
    return w;
}

/* The islands as rigid bodies, by root, with their velocity change by forces. Allocated in the arena. */
static rigid_island *rigid_islands(const sync *s) {
    const pp_frame *f = s->f;
    int dim = f->w->def.dim;
    rigid_island *of = PP_ARENA_ZERO(&f->w->arena, rigid_island, f->control.nblock);
    if (!of) return NULL;
    for (int i = 0; i < f->pose.problem.njoint; i++) /* chain damping rows rotate a body but connect it to nothing */
        if (f->pose.problem.joint[i].joint >= 0) hold(of, s->root, &f->pose.problem.joint[i].row);
    for (int i = 0; i < f->pose.problem.ncontact; i++)
        if (f->solve.solution.p_contact[3 * i] > 0 && !leaves(s, i) && !parted(f, i))
            hold(of, s->root, &f->pose.problem.contact[i].n);
    for (int k = 0; k < f->control.nblock; k++) {
        rigid_island *x = &of[pp_set_of(s->root, k)];
        double m = f->control.M[36 * k];
        x->mass += m;
        x->centre = perp_v3_axpy(x->centre, m, f->s0->X[f->control.block_body[k]].p);
    }
    for (int k = 0; k < f->control.nblock; k++)
        if (s->root[k] == k) of[k].centre = perp_v3_scale(1 / of[k].mass, of[k].centre);
    for (int k = 0; k < f->control.nblock; k++) {
        rigid_island *x = &of[pp_set_of(s->root, k)];
        double p[6];
        int nd = f->control.block_ndof[k];
        for (int i = 0; i < nd; i++) p[i] = pp_force_impulse(f, f->control.block_offset[k] + i);
        perp_vec3 r = perp_v3_sub(f->s0->X[f->control.block_body[k]].p, x->centre);
        x->push = perp_v3_add(x->push, pp_linear(dim, p));
        x->twist = perp_v3_add(x->twist, perp_v3_add(perp_v3_cross(r, pp_linear(dim, p)), pp_angular(dim, nd, p)));
        x->inertia = perp_m3_add(x->inertia, inertia_about(f, k, r));
    }
    for (int k = 0; k < f->control.nblock; k++) {
        if (s->root[k] != k || of[k].held) continue;
        of[k].v = perp_v3_scale(1 / of[k].mass, of[k].push);
        of[k].w = turn_of(dim, &of[k]);
    }
    return of;
}

/* Velocity change of block k if its island moves as a rigid body under the forces; zero if the island is held. */
static void carried(const sync *s, const rigid_island *of, int k, double *out) {
    const pp_frame *f = s->f;
    const rigid_island *x = &of[pp_set_of(s->root, k)];
    int dim = f->w->def.dim, nd = f->control.block_ndof[k];
    perp_vec3 r = perp_v3_sub(f->s0->X[f->control.block_body[k]].p, x->centre),
              v = perp_v3_add(x->v, perp_v3_cross(x->w, r));
    const double lin[3] = {v.x, v.y, v.z}, ang[3] = {x->w.x, x->w.y, x->w.z};
    for (int i = 0; i < nd; i++) out[i] = i < dim ? lin[i] : dim == 2 ? ang[2] : ang[i - 3];
}

/* Sums over the frames of a step, for one body. */
typedef struct body_sync {
    double change[6];  /* smooth velocity change */
    double carried[6]; /* velocity change of the island as a rigid body, by forces */
    int frames;        /* number of frames of the body after its last impact in order of time */
    double time;       /* total length of these frames [T] */
    const pp_frame *in;
    int block; /* its block in the last of these frames */
    unsigned char mark;
    bool shocked, held; /* in any of them */
    int group;          /* union-find over bodies that were in one island in any frame: parent */
} body_sync;

static int group_of(body_sync *t, int i) {
    while (t[i].group != i) i = t[i].group = t[t[i].group].group;
    return i;
}

/* If an impact divided the step, it counts for all bodies connected with the struck one. Otherwise a correction added
 * to one of them and not to the others would change the momentum. */
static void spread_shocks(const perp_world *w, body_sync *t) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < w->nbody; i++) {
            body_sync *x = &t[i], *all = &t[group_of(t, i)];
            if (pass == 0) {
                all->shocked |= x->shocked;
                all->held |= x->held;
            } else {
                x->shocked = all->shocked;
                x->held = all->held;
            }
        }
}

/* Adds the changes of one frame. alone: the step has no other frame. t: by body slot. Returns false if out of memory. */
static bool add_frame(pp_frame *f, bool alone, body_sync *t) {
    pp_arena *a = &f->w->arena;
    f->later = PP_ARENA_ARRAY(a, double, f->control.nblock);
    pp_arena_mark here = pp_arena_here(a);
    unsigned char *before = PP_ARENA_ZERO(a, unsigned char, f->control.nblock);
    sync s = {.f = f,
              .free = PP_ARENA_ARRAY(a, double, f->control.ndof),
              .root = islands(f, false),
              .part = PP_ARENA_ARRAY(a, double, f->control.nblock),
              .hit = PP_ARENA_ZERO(a, bool, f->control.nblock),
              .before = before,
              .after = PP_ARENA_ZERO(a, unsigned char, f->control.nblock)};
    if (!f->later || !before || !s.free || !s.root || !s.part || !s.hit || !s.after) return false;
    for (int k = 0; k < f->control.nblock; k++) {
        s.part[k] = 1;
        before[k] = t[f->control.block_body[k]].mark;
    }
    free_change(f, s.free);
    for (int i = 0; i < f->pose.problem.njoint; i++) check_joint(&s, i);
    for (int i = 0; i < f->pose.problem.ncontact; i++) check_contact(&s, i);
    bool jump = !alone;
    for (int k = 0; k < f->control.nblock; k++) jump |= s.part[k] < 1;
    const rigid_island *of = jump ? rigid_islands(&s) : NULL;
    if (jump && !of) return false;
    for (int k = 0; k < f->control.nblock; k++) {
        int root = pp_set_of(s.root, k);
        double part = s.part[root];
        int at = f->control.block_offset[k];
        body_sync *to = &t[f->control.block_body[k]];
        double with[6] = {0};
        if (of) carried(&s, of, k, with);
        for (int i = 0; i < f->control.block_ndof[k]; i++) {
            to->change[i] += part * (f->solve.solution.nu[at + i] - f->control.nu0[at + i]);
            if (part < 1) to->change[i] += (1 - part) * with[i];
            to->carried[i] += with[i];
        }
        if (s.hit[root]) s.after[k] |= PP_VELOCITY_JUMPED;
        f->later[k] = part / 2;
        to->mark = s.after[k];
        to->shocked |= part == 0;
        to->held |= of && of[root].held;
        t[group_of(t, f->control.block_body[k])].group = group_of(t, f->control.block_body[s.root[k]]);
        to->frames++;
        to->time += f->h;
        to->in = f;
        to->block = k;
    }
    pp_arena_release(a, here);
    return true;
}

/* Impacts in order of time bring the velocities of their bodies to the time of the poses, so the sums start again. */
static void forget(const pp_frame *f, body_sync *t) {
    for (int i = 0; i < f->w->nbody; i++)
        if (!f->task.acts || f->task.acts[i]) t[i] = (body_sync){.mark = t[i].mark, .group = t[i].group};
}

/* A driven body has the mean velocity of the step. Its velocity at the end follows from the change since the last step. */
static void synchronise_driven(const perp_world *w, const pp_state *start, pp_state *end) {
    for (int i = 0; i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen) || w->body[i].kind != PERP_BODY_KINEMATIC) continue;
        bool fresh = (start->mark[i] & PP_VELOCITY_SET) != 0;
        end->dv[i] = fresh ? perp_v3(0, 0, 0) : perp_v3_scale(0.5, perp_v3_sub(end->v[i], start->v[i]));
        end->dw[i] = fresh ? perp_v3(0, 0, 0) : perp_v3_scale(0.5, perp_v3_sub(end->w[i], start->w[i]));
        end->mark[i] = 0;
    }
}

/* Drops the correction if the sum overflows. Then the stored velocity is shown. */
static void keep_finite(pp_state *s, int slot) {
    if (perp_v3_finite(pp_shown_v(s, slot)) && perp_v3_finite(pp_shown_w(s, slot))) return;
    s->dv[slot] = s->dw[slot] = perp_v3(0, 0, 0);
}

static void synchronise_body(const perp_world *w, int slot, const body_sync *t, const pp_state *given, pp_state *end) {
    const pp_frame *f = t->in;
    int nd = f->control.block_ndof[t->block], dim = w->def.dim;
    const double *nu = f->solve.solution.nu + f->control.block_offset[t->block];
    static const double none[6];
    const double *change = !t->shocked ? t->change : t->held ? none : t->carried;
    unsigned char mark = f->s0->mark[slot];
    bool all = fabs(t->time - w->def.h) <= WHOLE * w->def.h;
    double half = all ? 0.5 : 0.5 * w->def.h / t->time;
    end->dv[slot] = perp_v3_scale(half, pp_linear(dim, change));
    end->dw[slot] = perp_v3_scale(half, pp_angular(dim, nd, change));
    if (all && t->frames == 1 && (mark & PP_VELOCITY_SHIFTED) && f->later[t->block] == 0.5) {
        /* the velocity at the start is known: its difference to the middle is half a step */
        end->dv[slot] = perp_v3_sub(pp_linear(dim, nu), pp_shown_v(given, slot));
        end->dw[slot] = nd > dim ? perp_v3_sub(pp_angular(dim, nd, nu), pp_shown_w(given, slot)) : end->dw[slot];
    }
}

perp_status pp_synchronise(perp_world *w, pp_frame *const *frame, int n, const pp_state *given, pp_state *end) {
    if (end->lag == 0) {
        for (int i = 0; i < w->nbody; i++) end->mark[i] &= (unsigned char)~PP_VELOCITY_SET;
        return PERP_OK;
    }
    const pp_state *start = frame[0]->s0;
    body_sync *t = PP_ARENA_ZERO(&w->arena, body_sync, w->nbody);
    bool ok = t != NULL;
    for (int i = 0; ok && i < w->nbody; i++) {
        t[i].mark = start->mark[i];
        t[i].group = i;
    }
    for (int i = 0; ok && i < n; i++) {
        if (frame[i]->task.in_order)
            forget(frame[i], t);
        else
            ok = add_frame(frame[i], n == 1, t);
    }
    if (!ok) return pp_fail(w, PERP_E_MEMORY, "out of memory for the velocities");
    if (n > 1) spread_shocks(w, t);
    for (int i = 0; i < w->nbody; i++) {
        if (!has_block(w, i)) continue;
        if (t[i].frames) synchronise_body(w, i, &t[i], given, end);
        keep_finite(end, i);
        bool pushed = (start->mark[i] & PP_FORCE_SET) != 0;
        end->mark[i] = (unsigned char)((t[i].frames ? t[i].mark : PP_VELOCITY_JUMPED) | (pushed ? PP_FORCE_VARIES : 0));
    }
    synchronise_driven(w, start, end);
    return PERP_OK;
}

/* Mean of the velocity corrections at both ends of frame f. */
static void mean_later(const pp_frame *f, const pp_state *start, double *d) {
    int dim = f->w->def.dim;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], nd = f->control.block_ndof[k];
        double *to = d + f->control.block_offset[k];
        if (f->later[k] == 0) continue; /* a jump: its impulses did work on the stored velocities */
        perp_vec3 v = perp_v3_scale(0.5, perp_v3_add(start->dv[slot], f->s1->dv[slot]));
        perp_vec3 w = perp_v3_scale(0.5, perp_v3_add(start->dw[slot], f->s1->dw[slot]));
        to[0] = v.x, to[1] = v.y;
        if (dim == 2 && nd == 3) to[2] = w.z;
        if (dim == 3) to[2] = v.z;
        if (nd == 6) to[3] = w.x, to[4] = w.y, to[5] = w.z;
    }
}

perp_status pp_show_energies(perp_world *w, const pp_state *start, pp_frame *const *frame, int n, const pp_state *end,
                             perp_ledger *l) {
    if (end->lag == 0 && w->state.lag == 0) return PERP_OK;
    double before = pp_shown_kinetic_energy(w, &w->state) - pp_kinetic_energy(w, start);
    double after = pp_shown_kinetic_energy(w, end) - pp_kinetic_energy(w, end);
    l->kinetic_before += before;
    l->kinetic_after += after;
    l->sampling += after - before;
    if (n > 1 || frame[0]->task.in_order || end->lag == 0) return PERP_OK;
    double *d = PP_ARENA_ZERO(&w->arena, double, frame[0]->control.ndof);
    if (!d) return pp_fail(w, PERP_E_MEMORY, "out of memory for the ledger");
    mean_later(frame[0], start, d);
    pp_ledger_later(frame[0], d, l);
    return PERP_OK;
}

/* Can the energy of shown velocities swing by an amount of first order? Something jumped, or a force acts that is not one of contacts and
 * joints: with gravity, springs, motors and rotors, velocities and potentials are those of times that differ by up to half a step. */
static bool swings(const perp_world *w, pp_frame *const *frame, int n) {
    const pp_frame *f = frame[0];
    if (n > 1 || f->task.in_order || perp_v3_norm(w->def.gravity_W) > 0) return true;
    for (int k = 0; k < f->control.nblock; k++)
        if (f->later[k] != 0.5) return true;
    for (int i = 0; i < f->control.ndof; i++)
        if (f->control.i_applied[i] != 0) return true;
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        perp_row_kind kind = f->pose.problem.joint[i].kind;
        if (kind != PERP_ROW_JOINT && kind != PERP_ROW_FRICTION && kind != PERP_ROW_LIMIT) return true;
    }
    for (int i = 0; i < w->nforce; i++)
        if (pp_alive(w->force[i].gen)) return true;
    return false;
}

void pp_sampling_is_drift(const perp_world *w, const pp_state *start, pp_frame *const *frame, int n, pp_state *end,
                          perp_ledger *l) {
    end->late_energy = 0;
    if (!(start->lag > 0 && end->lag > 0)) return;
    double sum = start->late_energy + l->sampling;
    if (swings(w, frame, n)) {
        end->late_energy = sum;
    } else {
        l->drift += sum;
        l->sampling -= sum;
    }
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stagger.c - velocities half a step behind the poses, and those of the time of the poses
 *
 * Problem  A step that moves with the velocity at its end is the leapfrog rule if that velocity is the one of the middle of
 *          the step: exact for constant acceleration, second order between impacts. So velocities of the state lie half a
 *          step behind. Those of the time of the poses are to be shown.
 * Method   Start: nu - 1/2 dnu, where dnu is the constrained acceleration times h: the difference of two problems at velocity
 *          level, with forces and without, which has no share of an impact. What would fall shut within the step counts as
 *          touching there, so that a hair's breadth does not decide. The same for a body whose velocity is set, and
 *          for the bodies that hang together with one whose forces jump.
 *          End: nu + 1/2 dnu with the dnu of the step that ended, second order too, at no cost. Where the velocity jumped
 *          dnu is no acceleration, and nothing is added to the velocities of that island: an impact, met by rows that
 *          close although they were open, or that the step before had brought to touch, or that left much slower than they
 *          came; friction that stopped a slip. Where
 *          half of dnu would turn a slip round only the part up to its end is added. An island that nothing outside holds gets
 *          half of what forces do to it as one rigid body in place of what is not added: the velocities of its bodies relative to
 *          each other stay as they are, and its momenta are those of the time that is shown.
 *          Where springs between points are so stiff that the step is divided, velocities are not moved back.
 * Valid    Steppers that kick at the start pose and move with the velocity after it.
 * Cost     Two solutions at the start; linear in the rows in every step.
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
#include "stage/solve/give_way.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Speed along a row, in units of what forces and turning bodies change in a step, from which on it is an
 * approach. Half and double: no effect. */
#define HARD 10
/* [1] Approach over separation from which on a contact was met by an impact: one that leads a body round takes the
 * velocity from -u to +u, or from -2u after a jump. Half and double: no effect. */
#define STOPPED 3
/* [1] Slip that counts, as a part of slip before and change of slip by forces. Half and double: no effect. */
#define SLIPS 1e-6
/* [1] Slip before a row stuck that tells a stop from rows that turn, as a part of what turning bodies change in a
 * step. Half: no effect; double: other bits only. */
#define STOPS 0.01
/* [1] Speed, as a part of those of the bodies of a row and of one step of fall, below which it is rounding and
 * residuals. Half and double: no effect. */
#define NOISE 1e-8
/* [1] Part of what a row lacked that may be left when it is met. Half and double: no effect. */
#define MET 1e-3
/* [1] Part of a step by which the sum of its parts may differ from it. */
#define WHOLE 1e-9

/* ---- islands ---- */

static void join(int *root, const perp_row *row) { pp_row_join(root, row); }

/* Blocks that hang together by rows; of contacts only those that push, unless all count. From the arena. */
static int *islands(const pp_frame *f, bool all) {
    int *root = PP_ARENA_ARRAY(&f->w->arena, int, f->control.nblock);
    for (int k = 0; root && k < f->control.nblock; k++) root[k] = k;
    for (int i = 0; root && i < f->pose.problem.njoint; i++) join(root, &f->pose.problem.joint[i].row);
    for (int i = 0; root && i < f->pose.problem.ncontact; i++)
        if (all || f->solve.solution.p_contact[3 * i] > 0) join(root, &f->pose.problem.contact[i].n);
    return root;
}

/* ---- the start ---- */

/* The constrained change of velocity over h at state s: velocity-level constraints of what touches, with and without forces;
 * their difference is h times the acceleration and has no share of an impact. dnu: ndof numbers. *root: islands, by block. */
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

/* Bodies that have a block, in the order of their blocks. */
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
        if (has_block(w, i)) pp_place_given(&at, i);
    int *root = NULL;
    st = start_acceleration(w, &at, held, dnu, &root);
    if (st == PERP_E_SOLVE)
        pp_logf(w, PERP_LOG_INFO, "step %llu: velocities are not moved back: %s", (unsigned long long)w->state.step,
                w->why);
    else if (st)
        return st;
    int k = 0;
    for (int i = 0; root && i < w->nbody; i++)
        if (has_block(w, i)) jumps[pp_set_of(root, k++)] |= (s->mark[i] & PP_JUMP) != 0;
    double part = st ? 0 : lag / w->def.h;
    int dof = 0;
    k = 0;
    for (int i = 0; i < w->nbody; i++) {
        if (!has_block(w, i)) continue;
        int nd = pp_ndof(w, &w->body[i]), at_dof = dof, block = k++;
        dof += nd;
        if (!all && !(s->mark[i] & PP_FRESH) && !(root && jumps[pp_set_of(root, block)])) continue;
        s->dv[i] = perp_v3_scale(part, pp_linear(w->def.dim, dnu + at_dof));
        s->dw[i] = perp_v3_scale(part, pp_angular(w->def.dim, nd, dnu + at_dof));
        s->v[i] = perp_v3_sub(at.v[i], s->dv[i]);
        s->w[i] = perp_v3_sub(at.w[i], s->dw[i]);
        if (s->mark[i] & PP_FRESH) s->mark[i] |= PP_SHOCK;
        s->mark[i] |= PP_BACK;
    }
    s->lag = lag;
    if (all && s->part > 0) s->part = w->def.h; /* velocities lie as far back as after a part of this length */
    return PERP_OK;
}

/* Are springs between points too stiff for a step of this length? It will be divided, into parts whose velocities lie half a part
 * behind at most; to move them back by half a step would be a blow. */
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
    for (int i = 0; i < w->nbody; i++) pp_place_given(s, i);
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
    for (int i = 0; i < w->nbody; i++) any |= has_block(w, i) && (s->mark[i] & (PP_FRESH | PP_JUMP));
    return any ? move_back(w, s, held, all) : PERP_OK;
}

void pp_make_plain(perp_world *w) {
    bring_to_poses(w, &w->state);
    w->def.start = PERP_START_PLAIN;
}

/* ---- the end ---- */

typedef struct sync {
    const pp_frame *f;
    double *free; /* ndof: what forces alone change */
    int *root;
    double *part;                /* by root: how much of half the change is added */
    const unsigned char *before; /* by block: marks at the start of the frame */
    unsigned char *after;        /* at its end */
} sync;

static void shock(sync *s, const perp_row *row) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++)
            if (row->block[k] >= 0) s->part[pp_set_of(s->root, row->block[k])] = 0;
}

static void limit(sync *s, const perp_row *row, double part) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            if (row->block[k] < 0) continue;
            double *p = &s->part[pp_set_of(s->root, row->block[k])];
            if (part < *p) *p = part;
        }
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

/* What forces and turning change of the velocity along a row in a step, about. */
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

/* Speeds along a row that mean nothing. */
static double noise_of(const sync *s, const perp_row *row) {
    const pp_frame *f = s->f;
    double sum = f->h * perp_v3_norm(f->w->def.gravity_W);
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k], dim = f->w->def.dim;
            if (b < 0) continue;
            const double *nu = f->control.nu0 + f->control.block_offset[b], *J = row->J[k];
            sum += perp_v3_norm(pp_linear(dim, J)) * perp_v3_norm(pp_linear(dim, nu)) +
                   perp_v3_norm(pp_angular(dim, f->control.block_ndof[b], J)) *
                       perp_v3_norm(pp_angular(dim, f->control.block_ndof[b], nu));
        }
    return NOISE * sum;
}

/* What rounding of the poses makes of the error of a joint, as a velocity along its row: b is that error over h. */
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

/* Does a row with this velocity towards its end meet an impact? */
static bool meets(double approach, double smooth, bool open, bool shocked) {
    return approach > smooth && (open || shocked || approach > HARD * smooth);
}

/* Did contact row r, which pushes, stop an approach rather than lead a body round? A driven body has the mean velocity of the step, so its
 * acceleration looks like an approach: such contacts are not asked. Nor are springs. */
static bool stops(const sync *s, const perp_contact_row *r, double approach) {
    const pp_frame *f = s->f;
    if (r->b_n_kin != 0 || r->compliance > 0) return false;
    double by_forces = fabs(pp_row_dot(&f->pose.problem, &r->n, s->free)),
           leaves = pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu);
    return approach > by_forces + noise_of(s, &r->n) && approach > STOPPED * leaves;
}

/* Speed above which a contact that overlaps is pushed out. Models that never lead a body round along what it overlaps have forces
 * alone to tell it from; of others also what turning bodies change counts, `smooth`. */
static double push_out_change(const sync *s, const perp_contact_row *r, double smooth) {
    if (!s->f->w->chosen.model->pushes_out) return smooth;
    return fabs(pp_row_dot(&s->f->pose.problem, &r->n, s->free)) + noise_of(s, &r->n);
}

/* A slip that friction acts on, before and after; n components. */
static void see_slip(sync *s, const perp_row *row, const double *before, const double *after, double smooth) {
    double was = pp_hypot(before[0], before[1]), is = pp_hypot(after[0], after[1]);
    double noise = noise_of(s, row);
    if (is > SLIPS * (was + smooth) + noise) {
        mark(s, row, PP_SLID);
        double along = 0.5 * ((after[0] - before[0]) * after[0] + (after[1] - before[1]) * after[1]);
        if (along < 0) limit(s, row, is * is / -along);
    } else if (marked(s, row, PP_SLID | PP_SHOCK) && was > STOPS * smooth + noise) {
        shock(s, row);
    }
}

static void see_contact(sync *s, int i) {
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
        bool pushed_out =
            gap < -touching && pp_row_dot(p, &r->n, f->solve.solution.nu) + r->b_n_kin > push_out_change(s, r, smooth);
        if (pushed_out || meets(approach, smooth, gap > touching, marked(s, &r->n, PP_SHOCK)) || stops(s, r, approach))
            shock(s, &r->n);
    }
    if (!(r->mu > 0) || (P[1] == 0 && P[2] == 0)) return;
    double b_t = pp_driven_slip(&f->pose, i, 0), b_o = pp_driven_slip(&f->pose, i, 1);
    double before[2] = {pp_row_dot(p, &r->t, f->control.nu0) + b_t, 0},
           after[2] = {pp_row_dot(p, &r->t, f->solve.solution.nu) + b_t, 0}, smooth = smooth_change(s, &r->t);
    if (f->w->def.dim == 3 || r->nd != 2) {
        before[1] = pp_row_dot(p, &r->o, f->control.nu0) + b_o;
        after[1] = pp_row_dot(p, &r->o, f->solve.solution.nu) + b_o;
        smooth += smooth_change(s, &r->o);
    }
    see_slip(s, &r->t, before, after, smooth);
}

static void see_joint(sync *s, int i) {
    const pp_frame *f = s->f;
    const perp_joint_row *r = &f->pose.problem.joint[i];
    double p = f->solve.solution.p_joint[i], smooth = smooth_change(s, &r->row);
    double w0 = pp_row_dot(&f->pose.problem, &r->row, f->control.nu0),
           w1 = pp_row_dot(&f->pose.problem, &r->row, f->solve.solution.nu);
    if (p == 0 || pp_row_is_servo(f, i) || r->kind == PERP_ROW_INERTIA) return;
    if (r->kind == PERP_ROW_FRICTION || r->kind == PERP_ROW_MOTOR) { /* a motor slips while it lacks force */
        double before[2] = {w0 + r->b, 0}, after[2] = {w1 + r->b, 0};
        see_slip(s, &r->row, before, after, smooth);
    } else if (r->kind == PERP_ROW_LIMIT) {
        double approach = (p > 0 ? -1 : 1) * (w0 + r->b_kin);
        bool open = fabs(r->b - r->b_kin) > STOPS * smooth;
        if (meets(approach, smooth, open, marked(s, &r->row, PP_SHOCK))) shock(s, &r->row);
    } else if (r->kind != PERP_ROW_SPRING && marked(s, &r->row, PP_SHOCK)) {
        double lacked = fabs(w0 + r->b);
        if (lacked > smooth + noise_of(s, &r->row) + rounding_of(s, &r->row) && fabs(w1 + r->b) <= MET * lacked)
            shock(s, &r->row);
    }
}

/* What forces alone change of the velocities. */
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

/* ---- islands that nothing holds ---- */

/* An island as one rigid body at the start pose. */
typedef struct whole {
    bool held; /* by something fixed or driven */
    double mass;
    perp_vec3 centre; /* of mass */
    perp_vec3 push;   /* impulse of all forces [M L/T] */
    perp_vec3 twist;  /* their angular impulse about the centre */
    perp_mat3 inertia;
    perp_vec3 v, w; /* what they change */
} whole;

static void hold(whole *of, int *root, const perp_row *row) {
    for (int k = 0; k < 2; k++)
        if (pp_row_holds(row, k)) of[pp_set_of(root, row->block[k])].held = true;
}

/* Did contact i bounce, so that it holds nothing at the end? It leaves faster than forces can bring it back within a step. */
static bool leaves(const sync *s, int i) {
    const pp_frame *f = s->f;
    const perp_contact_row *r = &f->pose.problem.contact[i];
    if (i >= f->contacts.n || !(f->contacts.at[i].restitution > 0)) return false;
    double by_forces = fabs(pp_row_dot(&f->pose.problem, &r->n, s->free));
    return pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu) + r->b_n_kin > by_forces + noise_of(s, &r->n);
}

/* Are the shapes of contact i apart at the end of the step, so that it holds nothing there? Rows that are linearised at the start do not know how
 * bodies turn. */
static bool parted(const pp_frame *f, int i) {
    if (i >= f->contacts.n) return false; /* a point that a body rests on */
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

/* Angular velocity by an angular impulse; none where the island is a point or a line, which has no inertia about it. */
static perp_vec3 turn_of(int dim, const whole *of) {
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

/* Islands as rigid bodies, by root, and what forces make of their velocities. From the arena. */
static whole *wholes(const sync *s) {
    const pp_frame *f = s->f;
    int dim = f->w->def.dim;
    whole *of = PP_ARENA_ZERO(&f->w->arena, whole, f->control.nblock);
    if (!of) return NULL;
    for (int i = 0; i < f->pose.problem.njoint; i++) /* what keeps a joint from rippling turns a body, and holds none */
        if (f->pose.problem.joint[i].joint >= 0) hold(of, s->root, &f->pose.problem.joint[i].row);
    for (int i = 0; i < f->pose.problem.ncontact; i++)
        if (f->solve.solution.p_contact[3 * i] > 0 && !leaves(s, i) && !parted(f, i))
            hold(of, s->root, &f->pose.problem.contact[i].n);
    for (int k = 0; k < f->control.nblock; k++) {
        whole *x = &of[pp_set_of(s->root, k)];
        double m = f->control.M[36 * k];
        x->mass += m;
        x->centre = perp_v3_axpy(x->centre, m, f->s0->X[f->control.block_body[k]].p);
    }
    for (int k = 0; k < f->control.nblock; k++)
        if (s->root[k] == k) of[k].centre = perp_v3_scale(1 / of[k].mass, of[k].centre);
    for (int k = 0; k < f->control.nblock; k++) {
        whole *x = &of[pp_set_of(s->root, k)];
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

/* What forces change of the velocity of block k as a part of its island; zero if that is held. */
static void carried(const sync *s, const whole *of, int k, double *out) {
    const pp_frame *f = s->f;
    const whole *x = &of[pp_set_of(s->root, k)];
    int dim = f->w->def.dim, nd = f->control.block_ndof[k];
    perp_vec3 r = perp_v3_sub(f->s0->X[f->control.block_body[k]].p, x->centre),
              v = perp_v3_add(x->v, perp_v3_cross(x->w, r));
    const double lin[3] = {v.x, v.y, v.z}, ang[3] = {x->w.x, x->w.y, x->w.z};
    for (int i = 0; i < nd; i++) out[i] = i < dim ? lin[i] : dim == 2 ? ang[2] : ang[i - 3];
}

/* What the frames of a step say of a body. */
typedef struct told {
    double change[6];  /* smooth, of the velocity */
    double carried[6]; /* of the island as a whole, by forces */
    int frames;        /* that it is in, after its last impact that was done in its order */
    double time;       /* length of these [T] */
    const pp_frame *in;
    int block; /* its own in the last of them */
    unsigned char mark;
    bool shocked, held; /* in any */
    int group;          /* of bodies that hung together in any: another of it, or itself if it stands for all */
} told;

static int group_of(told *t, int i) {
    while (t[i].group != i) i = t[i].group = t[t[i].group].group;
    return i;
}

/* A blow that divided a step into parts counts for all that hang together with whom it struck: else what was added to the one and not
 * to the other would not be momentum. */
static void spread_shocks(const perp_world *w, told *t) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < w->nbody; i++) {
            told *x = &t[i], *all = &t[group_of(t, i)];
            if (pass == 0) {
                all->shocked |= x->shocked;
                all->held |= x->held;
            } else {
                x->shocked = all->shocked;
                x->held = all->held;
            }
        }
}

/* Adds what one frame says; `alone`: there is no other. t: by body slot. False without memory. */
static bool add_frame(pp_frame *f, bool alone, told *t) {
    pp_arena *a = &f->w->arena;
    f->later = PP_ARENA_ARRAY(a, double, f->control.nblock);
    pp_arena_mark here = pp_arena_here(a);
    unsigned char *before = PP_ARENA_ZERO(a, unsigned char, f->control.nblock);
    sync s = {.f = f,
              .free = PP_ARENA_ARRAY(a, double, f->control.ndof),
              .root = islands(f, false),
              .part = PP_ARENA_ARRAY(a, double, f->control.nblock),
              .before = before,
              .after = PP_ARENA_ZERO(a, unsigned char, f->control.nblock)};
    if (!f->later || !before || !s.free || !s.root || !s.part || !s.after) return false;
    for (int k = 0; k < f->control.nblock; k++) {
        s.part[k] = 1;
        before[k] = t[f->control.block_body[k]].mark;
    }
    free_change(f, s.free);
    for (int i = 0; i < f->pose.problem.njoint; i++) see_joint(&s, i);
    for (int i = 0; i < f->pose.problem.ncontact; i++) see_contact(&s, i);
    bool jump = !alone;
    for (int k = 0; k < f->control.nblock; k++) jump |= s.part[k] < 1;
    const whole *of = jump ? wholes(&s) : NULL;
    if (jump && !of) return false;
    for (int k = 0; k < f->control.nblock; k++) {
        double part = s.part[pp_set_of(s.root, k)];
        int at = f->control.block_offset[k];
        told *to = &t[f->control.block_body[k]];
        double with[6] = {0};
        if (of) carried(&s, of, k, with);
        for (int i = 0; i < f->control.block_ndof[k]; i++) {
            to->change[i] += part * (f->solve.solution.nu[at + i] - f->control.nu0[at + i]);
            if (part < 1) to->change[i] += (1 - part) * with[i];
            to->carried[i] += with[i];
        }
        if (part == 0) s.after[k] |= PP_SHOCK;
        f->later[k] = part / 2;
        to->mark = s.after[k];
        to->shocked |= (s.after[k] & PP_SHOCK) != 0;
        to->held |= of && of[pp_set_of(s.root, k)].held;
        t[group_of(t, f->control.block_body[k])].group = group_of(t, f->control.block_body[s.root[k]]);
        to->frames++;
        to->time += f->h;
        to->in = f;
        to->block = k;
    }
    pp_arena_release(a, here);
    return true;
}

/* Impacts in their order bring the velocities of the bodies that act to the time of the poses: what frames before said of them is past. */
static void forget(const pp_frame *f, told *t) {
    for (int i = 0; i < f->w->nbody; i++)
        if (!f->task.acts || f->task.acts[i]) t[i] = (told){.mark = t[i].mark, .group = t[i].group};
}

/* A driven body has the mean velocity of the part: its change tells that at the end. */
static void synchronise_driven(const perp_world *w, const pp_state *start, pp_state *end) {
    for (int i = 0; i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen) || w->body[i].kind != PERP_BODY_KINEMATIC) continue;
        bool fresh = (start->mark[i] & PP_FRESH) != 0;
        end->dv[i] = fresh ? perp_v3(0, 0, 0) : perp_v3_scale(0.5, perp_v3_sub(end->v[i], start->v[i]));
        end->dw[i] = fresh ? perp_v3(0, 0, 0) : perp_v3_scale(0.5, perp_v3_sub(end->w[i], start->w[i]));
        end->mark[i] = 0;
    }
}

/* Numbers near the end of their range have no sum: such a velocity is shown as the step works with it. */
static void keep_finite(pp_state *s, int slot) {
    if (perp_v3_finite(pp_shown_v(s, slot)) && perp_v3_finite(pp_shown_w(s, slot))) return;
    s->dv[slot] = s->dw[slot] = perp_v3(0, 0, 0);
}

static void synchronise_body(const perp_world *w, int slot, const told *t, pp_state *end) {
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
    if (all && t->frames == 1 && (mark & PP_BACK) && f->later[t->block] == 0.5) {
        /* the velocity at the start is known: half a step leads from it to that of the middle */
        end->dv[slot] = perp_v3_sub(pp_linear(dim, nu), pp_shown_v(&w->state, slot));
        end->dw[slot] = nd > dim ? perp_v3_sub(pp_angular(dim, nd, nu), pp_shown_w(&w->state, slot)) : end->dw[slot];
    }
}

perp_status pp_synchronise(perp_world *w, pp_frame *const *frame, int n, pp_state *end) {
    if (end->lag == 0) return PERP_OK;
    const pp_state *start = frame[0]->s0;
    told *t = PP_ARENA_ZERO(&w->arena, told, w->nbody);
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
        if (t[i].frames) synchronise_body(w, i, &t[i], end);
        keep_finite(end, i);
        bool pushed = (start->mark[i] & PP_PUSHED) != 0;
        end->mark[i] = (unsigned char)((t[i].frames ? t[i].mark : PP_SHOCK) | (pushed ? PP_HELD : 0));
    }
    synchronise_driven(w, start, end);
    return PERP_OK;
}

/* Half of what takes the velocities at both ends of frame f to the times of these ends. */
static void mean_later(const pp_frame *f, const pp_state *start, double *d) {
    int dim = f->w->def.dim;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], nd = f->control.block_ndof[k];
        double *to = d + f->control.block_offset[k];
        if (f->later[k] == 0) continue; /* a jump: impulses did the work that they did on what the step works with */
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

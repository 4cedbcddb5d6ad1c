/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_correction.c - iterative correction of joint errors after the step
 *   while |C| > eps_p:   p = -(G' M'^-1 G)^+ C/h,   q += h M'^-1 G p
 *   while |C'| > eps_v:  p = -(G' M^-1 G)^+ C',     nu += M^-1 G p
 * Method   G and C are those of the rows that the step itself uses (they are exact at any error). They are computed again in each iteration.
 *          The pseudo-inverse handles redundant joints. M is that of the pose before the correction. M' also contains the inertia that
 *          tension adds to links (joint_chain_damping.c): with M alone, light links of a taut chain would rotate far to close an
 *          error of the heavy end, because moving them costs nothing. As printed, the first line also changes nu, and the second
 *          line removes this change, because both are in the range of M^-1 G. So it is left out here. A correction that increases the
 *          errors is halved, and dropped if that does not help.
 *          If bodies are near each other, their gaps, measured in each iteration, are inequalities beside the joints. The impulse of a
 *          contact pushes, without friction, if the correction would close it,
 *            0 <= p_n _|_ G_n' dnu + gap/h >= 0,   for velocities 0 <= p_n _|_ G_n' (nu + dnu) - min(0, G_n' nu) >= 0
 *          Penetration up to the deepest one that existed before may stay. Errors that contacts do not allow to correct remain.
 * Cost     Dense in the number of joint rows, cubed per iteration.
 * Source   Williams Algorithm 1, Tables 2.2 and 2.3; M' as Tournier et al. (2015), see joint_chain_damping.c. */
#include <string.h>

#include "stage/collide/contact_fill.h"
#include "problem/rows.h"
#include "stage/pose/joint_chain_damping.h"
#include "stage/frame.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"
#include "stage/update/update.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [iterations] Largest number of Newton iterations that correct joints. */
#define MAX_ITERATIONS 25
/* [halvings] Largest number of halvings of such an iteration. */
#define MAX_HALVINGS 4

/* Bilateral rows of all joints at the end state. */
static int rows_now(const pp_frame *f, perp_joint_row *row) {
    const perp_world *w = f->w;
    int n = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        pp_joint_side a = pp_side(w, f->s1, j->a, f->control.block), b = pp_side(w, f->s1, j->b, f->control.block);
        if (a.block < 0 && b.block < 0) continue;
        perp_joint_row all[PP_JOINT_MAX_ROWS];
        double coord[PERP_JOINT_MAX_COORD] = {0};
        perp_joint_def bare = j->def;
        memset(bare.axis, 0, sizeof bare.axis);
        int k = pp_joint_rows(&bare, w->def.dim, &a, &b, coord, f->h, 0, all);
        for (int r = 0; r < k; r++) {
            if (all[r].kind != PERP_ROW_JOINT) continue;
            row[n] = all[r];
            row[n++].joint = i;
        }
    }
    return n;
}

typedef struct workspace {
    perp_step_problem problem; /* the blocks alone, with the inertia at the end of the step */
    perp_joint_row *row;
    double *A, *p, *tmp, *psd, *y, *dnu;
    double overlap; /* deepest penetration before the correction [L] */
} workspace;

/* Adds the impulse p of row j to the corrections for the ledger. */
static void book(pp_frame *f, const workspace *ws, int j, double p) {
    const perp_joint_row *r = &ws->row[j];
    int side = r->row.block[1] >= 0;
    const double *J = r->row.J[side];
    pp_row_push(&ws->problem, &r->row, p, f->update.i_correction);
    perp_vec3 *sum = &f->update.p_correction[r->joint], e = perp_v3(J[0], J[1], f->w->def.dim == 3 ? J[2] : 0);
    *sum = perp_v3_axpy(*sum, side ? p : -p, e);
}

/* p = -(G' Minv G)^+ e; dnu = Minv G p. speeds: applies dnu to the velocities; for positions the caller does it. */
static bool correct(pp_frame *f, workspace *ws, int n, const double *e, bool speeds) {
    for (int j = 0; j < n; j++) {
        memset(ws->y, 0, (size_t)f->control.ndof * sizeof *ws->y);
        pp_row_spread(&ws->problem, &ws->row[j].row, 1, ws->y);
        for (int i = 0; i < n; i++) ws->A[j * n + i] = pp_row_dot(&ws->problem, &ws->row[i].row, ws->y);
        ws->p[j] = -e[j];
    }
    pp_psd fac;
    if (!pp_psd_factor(&fac, n, ws->A, n, PP_RANK_TOL, ws->psd)) return false;
    pp_psd_solve(&fac, 1, ws->p, n, ws->tmp);
    memset(ws->dnu, 0, (size_t)f->control.ndof * sizeof *ws->dnu);
    for (int j = 0; j < n; j++) {
        pp_row_spread(&ws->problem, &ws->row[j].row, ws->p[j], ws->dnu);
        if (speeds) book(f, ws, j, ws->p[j]);
    }
    for (int i = 0; speeds && i < f->control.ndof; i++) f->update.nu_end[i] += ws->dnu[i];
    return true;
}

/* Finds the contacts near the end pose, in a separate frame. */
static perp_status near_contacts(const pp_frame *f, pp_frame *e) {
    *e = (pp_frame){.w = f->w,
                    .s0 = f->s1,
                    .s1 = f->s1,
                    .h = f->h,
                    .task = {.acts = f->task.acts,
                             .flying = f->task.flying,
                             .nflying = f->task.nflying,
                             .reach_factor = f->task.reach_factor},
                    .control = {.nblock = f->control.nblock,
                                .ndof = f->control.ndof,
                                .block = f->control.block,
                                .block_body = f->control.block_body,
                                .block_ndof = f->control.block_ndof,
                                .block_offset = f->control.block_offset,
                                .nu0 = f->update.nu_end,
                                .i_gravity = f->control.i_gravity,
                                .i_applied = f->control.i_applied,
                                .i_spring = f->control.i_spring,
                                .i_damper = f->control.i_damper,
                                .bend = f->control.bend,
                                .M = f->control.M,
                                .Minv = f->control.Minv,
                                .momentum = f->control.momentum}};
    perp_status st = pp_collide(e);
    if (!st) st = pp_contacts_of_pairs(e);
    return st || e->contacts.n == 0 ? st : pp_formulate(e, &(pp_pose_options){0});
}

/* Corrects the joint errors e [L/T] together with the contacts `beside`. speeds: for velocities; then only touching
 * contacts count. *done: false if there is no solution. */
static perp_status correct_beside(pp_frame *f, workspace *ws, int n, const double *e, pp_frame *beside, bool speeds,
                                  bool *done) {
    perp_contact_row *row = PP_ARENA_ARRAY(&f->w->arena, perp_contact_row, beside->contacts.n);
    double *nothing = PP_ARENA_ZERO(&f->w->arena, double, f->control.ndof);
    if (!row || !nothing) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for joint correction");
    int m = 0;
    for (int i = 0; i < beside->contacts.n; i++) {
        const perp_contact *c = &beside->contacts.at[i];
        const int *s = beside->contacts.shape + 2 * i;
        if (speeds && c->gap > 100 * pp_touching(f->w->shape[s[0]].g, f->w->shape[s[1]].g, c->b_W)) continue;
        row[m] = beside->pose.problem.contact[i];
        row[m].mu = row[m].e_r = row[m].e_roll = row[m].b_t = row[m].b_o = row[m].b_r = 0;
        row[m].b_roll[0] = row[m].b_roll[1] = 0;
        row[m].nd = 0;
        double opens = pp_row_dot(&ws->problem, &row[m].n, f->update.nu_end) + row[m].b_n_kin;
        row[m].b_n = speeds ? fmax(0, opens) : (c->gap > 0 ? c->gap : fmin(0, c->gap + ws->overlap)) / f->h;
        row[m++].contact = i;
    }
    for (int j = 0; j < n; j++) ws->row[j].b = e[j];
    pp_frame again = *beside;
    again.purpose = PP_END_KICK; /* impulses of the last step are no guess for it */
    again.pose.problem = ws->problem;
    again.pose.problem.momentum = nothing;
    again.pose.problem.joint = ws->row;
    again.pose.problem.njoint = n;
    again.pose.problem.contact = row;
    again.pose.problem.ncontact = m;
    perp_status st = pp_solve_step(&again, &(pp_solve_options){0});
    *done = !st;
    if (st) return st == PERP_E_SOLVE ? PERP_OK : st;
    memcpy(ws->dnu, again.solve.solution.nu, (size_t)f->control.ndof * sizeof *ws->dnu);
    if (!speeds) return PERP_OK;
    for (int j = 0; j < n; j++) book(f, ws, j, again.solve.solution.p_joint[j]);
    for (int i = 0; i < m; i++)
        pp_row_push(&ws->problem, &row[i].n, again.solve.solution.p_contact[3 * i], f->update.i_correction);
    for (int i = 0; i < f->control.ndof; i++) f->update.nu_end[i] += ws->dnu[i];
    return PERP_OK;
}

/* One correction; *done: false if there is no solution. */
static perp_status correct_once(pp_frame *f, workspace *ws, int n, const double *e, pp_frame *beside, bool speeds,
                                bool *done) {
    if (beside->contacts.n > 0) return correct_beside(f, ws, n, e, beside, speeds, done);
    *done = correct(f, ws, n, e, speeds);
    return PERP_OK;
}

/* Deepest penetration of the contacts [L]. */
static double deepest(const pp_frame *beside) {
    double depth = 0;
    for (int i = 0; i < beside->contacts.n; i++) depth = fmax(depth, -beside->contacts.at[i].gap);
    return depth;
}

/* Masses of all blocks and their inverses at the end poses. */
static bool end_masses(const pp_frame *f, double **M, double **Minv) {
    *M = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->control.nblock);
    *Minv = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->control.nblock);
    if (!*M || !*Minv) return false;
    memcpy(*M, f->control.M, 36 * (size_t)f->control.nblock * sizeof **M);
    memcpy(*Minv, f->control.Minv, 36 * (size_t)f->control.nblock * sizeof **Minv);
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        if (f->control.block_ndof[k] == 6 && !f->task.implicit_turn)
            pp_put_inertia(&f->w->body[slot], f->s1->X[slot].q, *M + 36 * k, *Minv + 36 * k);
    }
    return true;
}

/* Adds the inertia by tension in this step to the masses of the blocks. */
static void stiffen(const pp_frame *f, double *M, double *Minv) {
    for (int i = 0; i < f->demand.nchain_damping; i++) {
        const pp_chain_damping *r = &f->demand.chain_damping[i];
        double *m = M + 36 * r->block, *inv = Minv + 36 * r->block;
        if (f->w->def.dim == 2) {
            m[14] += r->stiffness * r->axis.z * r->axis.z;
            inv[14] = 1 / m[14];
            continue;
        }
        const double axis[3] = {r->axis.x, r->axis.y, r->axis.z};
        perp_mat3 I;
        for (int b = 0; b < 3; b++) {
            double *c = m + 6 * (3 + b) + 3;
            for (int a = 0; a < 3; a++) c[a] += r->stiffness * axis[a] * axis[b];
            I.c[b] = perp_v3(c[0], c[1], c[2]);
        }
        I = perp_m3_inverse(I);
        for (int b = 0; b < 3; b++) {
            double *c = inv + 6 * (3 + b) + 3;
            c[0] = I.c[b].x, c[1] = I.c[b].y, c[2] = I.c[b].z;
        }
    }
}

/* Rows at the end state, and their errors C/h. *norm: norm of C. */
static int errors_now(const pp_frame *f, workspace *ws, double *e, double *norm) {
    int n = rows_now(f, ws->row);
    *norm = 0;
    for (int i = 0; i < n; i++) {
        e[i] = ws->row[i].b;
        *norm += e[i] * e[i];
    }
    *norm = f->h * sqrt(*norm);
    return n;
}

/* Moves bodies by the correction, or by 1/2, 1/4, ... of it if errors would grow: far from a solution it may be too
 * large, and at a dead point it has the wrong direction. Returns false, with no body moved, if nothing helps. */
static bool moved(pp_frame *f, workspace *ws, const pp_state *from, double *e, int *n, double *norm) {
    double before = *norm, part = 1;
    for (int i = 0; i <= MAX_HALVINGS; i++, part /= 2) {
        for (int k = 0; k < f->control.nblock; k++)
            pp_shift_block(f, k, from, ws->dnu + f->control.block_offset[k], part * f->h, f->s1);
        *n = errors_now(f, ws, e, norm);
        if (*norm < before || !(*norm > f->w->def.correction_position)) return true;
    }
    pp_state_copy(f->w, f->s1, from);
    return false;
}

static perp_status positions(pp_frame *f, workspace *ws, double *e) {
    pp_state from;
    perp_status st = pp_state_new(f->w, &from);
    if (st) return st;
    double norm;
    int n = errors_now(f, ws, e, &norm);
    if (!(norm > f->w->def.correction_position)) return PERP_OK;
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        pp_frame beside;
        bool done = false;
        if ((st = near_contacts(f, &beside))) return st;
        if (it == 0) ws->overlap = deepest(&beside);
        /* gaps close by the square of the correction */
        if (!(norm > f->w->def.correction_position) &&
            !(deepest(&beside) - ws->overlap > f->w->def.correction_position))
            break;
        st = correct_once(f, ws, n, e, &beside, false, &done);
        if (st || !done) return st;
        pp_state_copy(f->w, &from, f->s1);
        if (!moved(f, ws, &from, e, &n, &norm)) break;
    }
    return PERP_OK;
}

/* Kinetic energy of the velocities nu. */
static double kinetic(const pp_frame *f, const workspace *ws, const double *nu) {
    double sum = 0;
    for (int k = 0; k < f->control.nblock; k++) {
        const double *M = ws->problem.M + 36 * k, *x = nu + f->control.block_offset[k];
        for (int i = 0; i < f->control.block_ndof[k]; i++)
            for (int j = 0; j < f->control.block_ndof[k]; j++) sum += 0.5 * x[i] * M[6 * j + i] * x[j];
    }
    return sum;
}

/* The corrections so far. */
typedef struct corrections {
    double *nu, *i;
    perp_vec3 *p;
} corrections;

static void copy_corrections(const pp_frame *f, corrections *to, const corrections *from) {
    memcpy(to->nu, from->nu, (size_t)f->control.ndof * sizeof *to->nu);
    memcpy(to->i, from->i, (size_t)f->control.ndof * sizeof *to->i);
    memcpy(to->p, from->p, (size_t)f->w->njoint * sizeof *to->p);
}

/* Without driven bodies a correction of velocities takes energy. A driven body that presses on joints near a dead point would throw the bodies
 * with any speed: a correction that more than doubles the kinetic energy is dropped, and the errors remain. */
static perp_status velocities(pp_frame *f, workspace *ws, double *e) {
    pp_arena *a = &f->w->arena;
    double last = INFINITY;
    corrections now = {f->update.nu_end, f->update.i_correction, f->update.p_correction};
    corrections before = {PP_ARENA_ARRAY(a, double, f->control.ndof), PP_ARENA_ARRAY(a, double, f->control.ndof),
                          PP_ARENA_ARRAY(a, perp_vec3, f->w->njoint)};
    if (!before.nu || !before.i || !before.p) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for joint correction");
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        int n = rows_now(f, ws->row);
        double norm = 0;
        for (int i = 0; i < n; i++) {
            e[i] = pp_row_dot(&ws->problem, &ws->row[i].row, f->update.nu_end) + ws->row[i].b_kin;
            norm += e[i] * e[i];
        }
        if (!(sqrt(norm) > f->w->def.correction_velocity) || !(norm < last)) break;
        last = norm;
        pp_frame beside;
        bool done = false;
        perp_status st = near_contacts(f, &beside);
        copy_corrections(f, &before, &now);
        if (!st) st = correct_once(f, ws, n, e, &beside, true, &done);
        if (st || !done) return st;
        if (kinetic(f, ws, now.nu) > 2 * kinetic(f, ws, before.nu)) {
            copy_corrections(f, &now, &before);
            return PERP_OK;
        }
    }
    return PERP_OK;
}

perp_status pp_correct_joints(pp_frame *f) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    int max = 6 * w->njoint;
    workspace ws = {.row = PP_ARENA_ARRAY(a, perp_joint_row, max),
                    .A = PP_ARENA_ARRAY(a, double, max *max),
                    .p = PP_ARENA_ARRAY(a, double, max),
                    .tmp = PP_ARENA_ARRAY(a, double, max),
                    .psd = PP_ARENA_ARRAY(a, double, pp_psd_work(max)),
                    .y = PP_ARENA_ARRAY(a, double, f->control.ndof),
                    .dnu = PP_ARENA_ARRAY(a, double, f->control.ndof)};
    double *e = PP_ARENA_ARRAY(a, double, max);
    double *M, *Minv;
    bool masses = end_masses(f, &M, &Minv);
    f->update.M_end = f->task.implicit_turn ? NULL : M;
    f->update.i_correction = PP_ARENA_ZERO(a, double, f->control.ndof);
    f->update.p_correction = PP_ARENA_ZERO(a, perp_vec3, w->njoint);
    if (!masses || !ws.row || !ws.A || !ws.p || !ws.tmp || !ws.psd || !ws.y || !ws.dnu || !e ||
        !f->update.i_correction || !f->update.p_correction)
        return pp_fail(w, PERP_E_MEMORY, "out of memory for joint correction");
    ws.problem = pp_free_problem(f);
    double *M_moved = PP_ARENA_ARRAY(a, double, 36 * f->control.nblock),
           *Minv_moved = PP_ARENA_ARRAY(a, double, 36 * f->control.nblock);
    if (!M_moved || !Minv_moved) return pp_fail(w, PERP_E_MEMORY, "out of memory for joint correction");
    memcpy(M_moved, M, 36 * (size_t)f->control.nblock * sizeof *M);
    memcpy(Minv_moved, Minv, 36 * (size_t)f->control.nblock * sizeof *M);
    stiffen(f, M_moved, Minv_moved);
    ws.problem.M = M_moved;
    ws.problem.Minv = Minv_moved;
    perp_status st = positions(f, &ws, e);
    ws.problem.M = M;
    ws.problem.Minv = Minv;
    return st ? st : velocities(f, &ws, e);
}

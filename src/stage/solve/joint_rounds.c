/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_rounds.c - rounds until joints hold at the end of the step
 *
 * Problem  The rows of a joint belong to the start of the step. If a body rotates by the angle a, the joint error at the end is a^2/2 of its
 *          lever arm. The condition is phi(q+) = 0 at the end of the step, for joints together with contacts, limits, motors, springs and
 *          loops.
 * Method   phi(q+(nu)) is linearised at the last solution nu_k along the rows G of the start, and the step is posed again with
 *            b = phi(q+(nu_k))/h - G nu_k
 *          until phi is rounding or no longer decreases (chord method, SHAKE). Impulses act along rows of the start pose, so momentum is
 *          conserved. The first guess is linearised at the velocity of the start, which leaves an error of third order in h. Limits are
 *          treated in the same way with their coordinate. Slow rounds are extrapolated (problem/mix.c).
 *          The matrix of an island without inequalities is constant: its rounds are back-substitutions of increments, which also refine
 *          the solution. Other islands are solved again, from the last solution.
 *          Tension in light links makes rounds and steps unstable. Damping rows (joint_chain_damping.c) are searched after the first
 *          solution and stay in the matrix of all rounds.
 * Valid    Substeps of a divided step keep the share of the initial error that they need not remove (formulate.c). Joints that
 *          contradict each other, or that contacts do not allow to close, keep an error. The certificate reports it, and
 *          pp_check_opening() divides the step if it grows.
 * Cost     2 to 5 rounds at 1 ms, 4 to 9 at 10 ms.
 * Source   Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977) 327; Hairer, Lubich, Wanner VII.1.4. */
#include "stage/solve/joint_rounds.h"

#include <string.h>

#include "base/patience.h"
#include "base/rounding.h"
#include "model/coupling.h"
#include "problem/rows.h"
#include "stage/stepper.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [rounds] Largest number of rounds of a frame or an island that close its joints. Half: other bits only; double: no
 * effect. */
#define ROUNDS 25
/* [1 or rad] Joint error, as a fraction of the lever arm or as an angle, beyond which rounds may diverge. A rotation of
 * 26 degrees causes it. Half and double: other bits only. */
#define TOO_FAR 0.1
/* [1] Rounding of poses, as a fraction of the lengths. Half and double: other bits only. */
#define ROUNDING 4e-15
/* [1] If a round leaves more than this fraction of the error, later rounds are extrapolated (Anderson). Half and
 * double: other bits only. */
#define SLOW 0.2

static bool position(const perp_joint_row *r) {
    return r->joint >= 0 && (r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT);
}

/* Rows of joint j with dynamic bodies as in `at`. Returns their number, 0 if it has none, -1 if out of memory. */
static int rows_at(const pp_frame *f, const pp_state *at, int joint, perp_joint_row *out) {
    return pp_joint_rows_at(f->w, at, f->s0, joint, &(pp_rows_for){f->control.block, f->h, INFINITY}, out);
}

/* b of the row of a limit, if its joint has the coordinates x. */
static double limit_at(const pp_frame *f, const perp_joint_row *r, const double *x) {
    const perp_joint_axis *a = &f->w->joint[r->joint].def.axis[r->coord];
    return (r->against ? a->hi - x[r->coord] : x[r->coord] - a->lo) / f->h;
}

/* By row: error or coordinate at the poses `at` divided by h, minus the part that may remain. index: numbers of the
 * rows in the frame's problem; NULL: the rows are those of the frame. */
static void measure(const pp_frame *f, const pp_state *at, const perp_joint_row *row, const int *index, int n,
                    double *value) {
    const perp_world *w = f->w;
    double phi[6], x[PERP_JOINT_MAX_COORD];
    int joint = -1, limited = -1;
    for (int i = 0; i < n; i++) {
        value[i] = 0;
        if (!position(&row[i])) continue;
        int of = index ? index[i] : i, number = f->pose.row_number[of];
        /* the first rows of a joint are those of the errors */
        if (row[i].kind == PERP_ROW_JOINT && row[i].joint != joint) {
            joint = row[i].joint;
            (void)pp_joint_errors_at(w, at, f->s0, joint, phi);
        }
        if (row[i].kind == PERP_ROW_LIMIT && row[i].joint != limited)
            pp_joint_coords_at(w, at, f->s0, limited = row[i].joint, x);
        double b = row[i].kind == PERP_ROW_JOINT ? phi[number] / f->h : limit_at(f, &row[i], x);
        value[i] = b - f->pose.joint_rest[of];
    }
}

/* Is the value v of a row at the end an error? A limit that is not reached has no error. */
static bool counts(const perp_joint_row *r, double impulse, double v) {
    return position(r) && !(r->kind == PERP_ROW_LIMIT && impulse == 0 && v >= 0);
}

static double reach_of(const pp_frame *f, int slot) {
    if (slot < 0) return 0;
    double r = f->w->body[slot].radius;
    return perp_v3_norm(f->s0->X[slot].p) + (isfinite(r) ? r : 0);
}

/* Length scale for joint errors: the largest distance of a point of a jointed body from the origin [L]. */
static double far(const pp_frame *f) {
    const perp_world *w = f->w;
    double most = 0;
    for (int i = 0; i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen)) most = fmax(most, fmax(reach_of(f, w->joint[i].a), reach_of(f, w->joint[i].b)));
    return most > 0 ? most : 1;
}

static bool applies(const pp_frame *f) {
    const perp_world *w = f->w;
    return w->njoint > w->room.dead_joint && f->purpose == PP_STEP && !f->task.half && !w->chosen.stepper->step &&
           w->def.geometry != PERP_GEOMETRY_ONCE && !w->def.joint_correction;
}

/* Moves all blocks by nu over the step, or those of an island: `block`, n of them, with offsets as in p. */
static bool move(const pp_frame *f, const perp_step_problem *p, const int *block, const double *nu, pp_state *end) {
    for (int b = 0; b < p->nblock; b++)
        if (!pp_move_block(f, block ? block[b] : b, f->s0, nu + p->block_offset[b], f->h, end, NULL)) return false;
    return true;
}

/* Lever arm of a row for points [L]; -1: it is for angles. */
static double arm_of(int dim, const perp_row *row) {
    double arm = 0;
    bool moves = false;
    for (; row; row = row->more)
        for (int side = 0; side < 2; side++) {
            const double *J = row->J[side];
            if (row->block[side] < 0) continue;
            for (int i = 0; i < dim; i++) moves = moves || J[i] != 0;
            arm = fmax(arm, dim == 2 ? fabs(J[2]) : perp_v3_norm(perp_v3(J[3], J[4], J[5])));
        }
    return moves ? arm : -1;
}

/* Is the part of the end error of row i that the rows of the start do not predict too large for rounds? It is compared with the longest arm of all
 * rows of its joint: a row through the centre of mass has none, but the joint bends along it. bend: this part [L or rad] */
static bool too_far(const pp_frame *f, const perp_joint_row *row, int n, int i, double bend) {
    int dim = f->w->def.dim, first = i;
    double arm = arm_of(dim, &row[i].row);
    if (arm < 0) return fabs(bend) > TOO_FAR;
    if (fabs(bend) <= TOO_FAR * fmax(arm, f->demand.joints->arm)) return false; /* nearly always */
    while (first > 0 && row[first - 1].joint == row[i].joint) first--;
    for (int k = first; k < n && row[k].joint == row[i].joint; k++)
        if (row[k].kind == PERP_ROW_JOINT) arm = fmax(arm, arm_of(dim, &row[k].row));
    return fabs(bend) > TOO_FAR * fmax(arm, f->demand.joints->arm);
}

/* Linearises the rows at the end pose of the velocity nu: f->demand.joint_shift. end_row, unless NULL: the rows there.
 * guessed: nu is not a solution, so a joint that opens far there has no meaning. */
static perp_status linearise_at(pp_frame *f, const double *nu, perp_row *end_row, bool guessed) {
    pp_joint_rounds *r = f->demand.joints;
    perp_step_problem p = pp_free_problem(f);
    f->demand.joint_shift = NULL;
    if (!move(f, &p, NULL, nu, &r->end)) return PERP_OK;
    double *shift = r->shift, keep = f->h < f->w->def.h ? 1 - f->h / f->w->def.h : 0;
    const pp_kept_rows *kept = &f->pose.kept;
    for (int first = 0, last; first < r->n; first = last) { /* joint by joint */
        perp_joint_row end[PP_JOINT_MAX_ROWS];
        int j = kept->row[first].joint;
        for (last = first + 1; last < r->n && kept->row[last].joint == j;) last++;
        if (rows_at(f, &r->end, j, end) < 0) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
        for (int i = first; i < last; i++, shift++) {
            const perp_joint_row *start = &kept->row[i], *there = &end[kept->number[i]];
            bool joint = start->kind == PERP_ROW_JOINT, limit = start->kind == PERP_ROW_LIMIT;
            *shift = joint || limit ? there->b - pp_row_dot(&p, &start->row, nu) : 0;
            if (joint || limit) *shift -= keep * pp_row_error(start, kept->start_b[i]);
            if (joint && guessed && too_far(f, kept->row, r->n, i, f->h * (*shift - kept->start_b[i]))) return PERP_OK;
            if (end_row) end_row[shift - r->shift] = joint || limit ? there->row : start->row;
        }
    }
    f->demand.joint_shift = r->shift;
    return PERP_OK;
}

/* First guess: the end pose of the start velocity. */
static perp_status guess(pp_frame *f) { return linearise_at(f, f->control.nu0, NULL, true); }

perp_status pp_joint_rounds_begin(pp_frame *f) {
    f->demand.joints = NULL;
    if (!applies(f)) return PERP_OK; /* other methods may have rounds of their own, which use joint_shift */
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    pp_joint_rounds *r = PP_ARENA_ZERO(a, pp_joint_rounds, 1);
    if (!r) return pp_fail(w, PERP_E_MEMORY, "out of memory for the joints");
    perp_status st = pp_keep_joint_rows(f);
    r->n = f->pose.kept.own;
    if (st || r->n == 0) return st;
    r->shift = PP_ARENA_ARRAY(a, double, r->n);
    r->miss = PP_ARENA_ARRAY(a, double, r->n);
    r->chain_damping = PP_ARENA_ARRAY(a, pp_chain_damping, 3 * f->control.nblock);
    if ((st = pp_state_new(w, &r->end))) return st;
    if (!r->shift || !r->miss || !r->chain_damping || !pp_mix_new(a, r->n, &r->mix))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joint rows", r->n);
    pp_state_copy(w, &r->end, f->s1);
    r->finest = ROUNDING * far(f);
    r->arm = 1e-3 * far(f);
    r->sought = f->demand.nchain_damping > 0;
    f->demand.joints = r;
    return PERP_OK;
}

perp_status pp_joint_rounds_anew(pp_frame *f, bool linear) {
    pp_joint_rounds *r = f->demand.joints;
    if (!r) return PERP_OK;
    f->demand.joint_shift = NULL;
    r->mix.rounds = r->rounds = r->idle = 0;
    r->slow = false;
    r->most = r->least = r->last = INFINITY;
    r->linear = linear;
    return linear ? PERP_OK : guess(f);
}

/* Finds chain damping rows from the first solution. */
static perp_status find_chain_damping(pp_frame *f) {
    pp_joint_rounds *r = f->demand.joints;
    pp_chain_damping *found;
    int n;
    r->sought = true;
    perp_status st = pp_find_chain_damping(f, &found, &n);
    if (st || n == 0) return st;
    memcpy(r->chain_damping, found, (size_t)n * sizeof *found);
    f->demand.chain_damping = r->chain_damping;
    f->demand.nchain_damping = n;
    r->rounds = r->mix.rounds = r->idle = 0; /* the solution belonged to another matrix */
    r->most = r->least = r->last = INFINITY;
    return guess(f);
}

perp_status pp_joint_rounds_look(pp_frame *f, const pp_state *end, const double *nu) {
    pp_joint_rounds *r = f->demand.joints;
    if (!r || r->linear) return PERP_OK;
    if (!r->sought) {
        perp_status st = find_chain_damping(f);
        if (st || f->demand.nchain_damping > 0) return st;
    }
    const perp_step_problem *p = &f->pose.problem;
    r->last = r->most;
    r->most = 0;
    measure(f, end, p->joint, NULL, r->n, r->shift);
    for (int i = 0; i < r->n; i++) {
        const perp_joint_row *row = &p->joint[i];
        double v = r->shift[i];
        r->miss[i] = 0;
        if (!position(row)) continue;
        r->shift[i] = v - pp_row_dot(p, &row->row, nu);
        if (!counts(row, f->solve.solution.p_joint[i], v)) continue;
        if (row->kind == PERP_ROW_JOINT && !f->task.last_resort && r->rounds < 2 &&
            too_far(f, p->joint, r->n, i, f->h * (r->shift[i] - row->b))) {
            r->lost = true;
            return pp_fail(f->w, PERP_E_SOLVE,
                           "joint %d would open too far at t = %g (h = %g): a body turns too far in one step",
                           row->joint, f->s0->t, f->h);
        }
        r->miss[i] = r->shift[i] - row->b;
        /* joints that contradict each other converge with an error */
        double length = f->solve.figure ? f->solve.figure[i].length : pp_row_length(p, &row->row);
        double change = f->h * fabs(r->miss[i]) * length;
        if (!(change <= r->most)) r->most = change;
    }
    if (r->rounds++ == 0) pp_mix_weigh(&r->mix, p);
    double noise = PP_ROUNDING / ROUNDING * r->finest;
    r->slow = r->slow || (r->most > SLOW * r->last && r->most > noise);
    pp_mix_step(&r->mix, r->miss, r->shift, r->slow && r->most > noise);
    f->demand.joint_shift = r->shift;
    return PERP_OK;
}

static int patience(const pp_joint_rounds *r, double most) {
    /* below this limit: rounding of large impulses */
    return most <= PP_NEGLIGIBLE / ROUNDING * r->finest ? 0 : PP_PATIENCE;
}

bool pp_joint_rounds_settled(pp_frame *f, bool news) {
    pp_joint_rounds *r = f->demand.joints;
    if (!r || r->linear) return true;
    if (news) { /* rounds with other contacts do not predict the next ones */
        r->mix.rounds = r->idle = 0;
        r->least = r->most = INFINITY; /* most: so that the next round does not count as slow */
        return false;
    }
    if (r->rounds == 0) return false;
    r->idle = r->most < 0.5 * r->least ? 0 : r->idle + 1;
    r->least = fmin(r->least, r->most);
    return r->most <= r->finest || r->idle > patience(r, r->most) || r->rounds > ROUNDS;
}

bool pp_joint_rounds_at(pp_frame *f, const double *nu, perp_row *end_row) {
    return !linearise_at(f, nu, end_row, false) && f->demand.joint_shift;
}

bool pp_joint_rounds_lost(const pp_frame *f) { return f->demand.joints && f->demand.joints->lost; }

perp_status pp_joint_rounds_end(pp_frame *f) {
    pp_joint_rounds *r = f->demand.joints;
    if (!r || r->linear || f->task.last_resort || r->most <= PP_RESIDUAL / ROUNDING * r->finest) return PERP_OK;
    r->lost = true;
    return pp_fail(f->w, PERP_E_SOLVE,
                   "joints did not converge at t = %g (h = %g): an error of %.3g is left; they may be stretched or "
                   "folded to a dead "
                   "point",
                   f->s0->t, f->h, r->most);
}

perp_status pp_joint_rounds_run(pp_frame *f, bool no_lift) {
    pp_joint_rounds *r = f->demand.joints;
    if (!r || r->linear) return PERP_OK;
    for (;;) {
        if (!move(f, &f->pose.problem, NULL, f->solve.solution.nu, &r->end))
            return pp_fail(f->w, PERP_E_SOLVE, "a body turns too far in one step at t = %g", f->s0->t);
        perp_status st = pp_joint_rounds_look(f, &r->end, f->solve.solution.nu);
        if (st) return st;
        if (pp_joint_rounds_settled(f, false)) return pp_joint_rounds_end(f);
        st = pp_formulate(f, &(pp_pose_options){.no_lift = no_lift});
        if (!st) st = pp_solve_step(f, &(pp_solve_options){.no_lift = no_lift});
        if (st) return st;
    }
}

/* ---- islands without inequalities ---- */

/* An island and the arrays of its rounds. */
typedef struct inner {
    const pp_island *island;
    const pp_converted *c;
    perp_joint_row *row;
    double *value, *miss, *b; /* by row */
    double *rhs, *tmp;        /* by eliminated row */
    double *nu, *p;           /* the solution before the rounds */
    pp_mix mix;
} inner;

static bool new_inner(pp_frame *f, const pp_island *island, perp_joint_row *row, const pp_converted *c, inner *k) {
    pp_arena *a = &f->w->arena;
    int n = island->p.njoint, ndof = island->p.ndof;
    *k = (inner){.island = island,
                 .c = c,
                 .row = row,
                 .value = PP_ARENA_ARRAY(a, double, n),
                 .miss = PP_ARENA_ARRAY(a, double, n),
                 .b = PP_ARENA_ARRAY(a, double, n),
                 .rhs = PP_ARENA_ARRAY(a, double, n),
                 .tmp = PP_ARENA_ARRAY(a, double, n),
                 .nu = PP_ARENA_ARRAY(a, double, ndof),
                 .p = PP_ARENA_ARRAY(a, double, n)};
    return k->value && k->miss && k->b && k->rhs && k->tmp && k->nu && k->p && pp_mix_new(a, n, &k->mix);
}

/* Largest difference between rows and joints at the end pose of the solution. Sets k->miss, and k->value: b of the next
 * round. Returns INFINITY if the bodies cannot be moved. */
static double errors(pp_frame *f, inner *k, const perp_step_solution *s) {
    const perp_step_problem *p = &k->island->p;
    double most = 0;
    if (!move(f, p, k->island->block, s->nu, &f->demand.joints->end)) return INFINITY;
    measure(f, &f->demand.joints->end, k->row, k->island->joint, p->njoint, k->value);
    for (int i = 0; i < p->njoint; i++) {
        k->miss[i] = 0;
        double v = k->value[i];
        if (!position(&k->row[i])) {
            k->value[i] = k->row[i].b;
            continue;
        }
        k->value[i] = v - pp_row_dot(p, &k->row[i].row, s->nu);
        k->miss[i] = k->value[i] - k->row[i].b;
        double change = f->h * fabs(k->miss[i]) * pp_row_length(p, &k->row[i].row);
        if (!(change <= most)) most = change; /* also if not finite */
    }
    return most;
}

/* Iterative refinement: adds the increment that the rows of a solution lack, with the factor of c. Without contacts the
 * eliminated rows are all rows, in their order. x, tmp: njoint each. */
static void refine(const perp_step_problem *p, const pp_converted *c, double *x, double *tmp, perp_step_solution *s) {
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        x[i] = -(pp_row_dot(p, &r->row, s->nu) + r->b + r->compliance * s->p_joint[i]);
    }
    pp_psd_solve(&c->elim, 1, x, c->ne, tmp);
    for (int i = 0; i < p->njoint; i++) {
        s->p_joint[i] += x[i];
        pp_row_spread(p, &p->joint[i].row, x[i], s->nu);
    }
}

bool pp_joint_refine(const perp_step_problem *p, const pp_converted *c, pp_arena *arena, perp_step_solution *s) {
    if (c->ne != p->njoint || p->ncontact > 0) return true;
    pp_arena_mark mark = pp_arena_here(arena);
    double *x = PP_ARENA_ARRAY(arena, double, 2 * p->njoint);
    if (!x) return false;
    refine(p, c, x, x + p->njoint, s);
    pp_arena_release(arena, mark);
    return true;
}

/* The solution of rows with b in k->value, from that of the round before. */
static void advance(const inner *k, perp_step_solution *s) {
    const perp_step_problem *p = &k->island->p;
    for (int i = 0; i < p->njoint; i++) k->row[i].b = k->value[i];
    refine(p, k->c, k->rhs, k->tmp, s);
}

static void keep(const inner *k, const perp_step_solution *s) {
    const perp_step_problem *p = &k->island->p;
    for (int i = 0; i < p->njoint; i++) k->b[i] = k->row[i].b;
    memcpy(k->nu, s->nu, (size_t)p->ndof * sizeof *k->nu);
    memcpy(k->p, s->p_joint, (size_t)p->njoint * sizeof *k->p);
}

static void take_back(const inner *k, perp_step_solution *s) {
    const perp_step_problem *p = &k->island->p;
    for (int i = 0; i < p->njoint; i++) k->row[i].b = k->b[i];
    memcpy(s->nu, k->nu, (size_t)p->ndof * sizeof *k->nu);
    memcpy(s->p_joint, k->p, (size_t)p->njoint * sizeof *k->p);
}

perp_status pp_joint_rounds_within(pp_frame *f, const pp_island *island, perp_joint_row *row, const pp_converted *c,
                                   perp_step_solution *s) {
    pp_joint_rounds *r = f->demand.joints;
    if (!r || r->linear || c->ne != island->p.njoint) return PERP_OK;
    inner k;
    if (!new_inner(f, island, row, c, &k)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
    double last = INFINITY, least = INFINITY, noise = PP_ROUNDING / ROUNDING * r->finest;
    bool slow = false;
    pp_mix_weigh(&k.mix, &island->p);
    keep(&k, s);
    for (int round = 0, idle = 0; round < ROUNDS; round++) {
        double most = errors(f, &k, s);
        idle = most < 0.5 * least ? 0 : idle + 1;
        if (most < least) {
            least = most;
            keep(&k, s);
        }
        if (!isfinite(most) || most <= r->finest || idle > patience(r, most)) break;
        slow = slow || (most > SLOW * last && most > noise);
        pp_mix_step(&k.mix, k.miss, k.value, slow && most > noise);
        last = most;
        advance(&k, s);
    }
    take_back(&k, s);
    for (int i = 0; i < island->p.njoint; i++) f->pose.joint_row[island->joint[i]].b = row[i].b;
    return PERP_OK;
}

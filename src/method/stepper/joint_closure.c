/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_closure.c - detects joints that driven bodies pull apart
 * Problem  Joints connect a body to two driven bodies that separate, or a chain to a driven body that pulls it beyond its length. No motion
 *          satisfies these joints. Their rows are linearly dependent, so no impulse can remove the remaining violation, and such a violation
 *          does not count as a failure of the solver (pp_acceptance). The joints would open further in every step.
 * Method   The question is asked for poses, not for velocities. With the driven bodies at the end of the step, the joint errors phi are
 *          minimised over the poses of the other bodies,
 *              min sum d_i phi_i^2,    Levenberg-Marquardt: (W + lambda/d) x = -phi,  dq = G J' x,  W = J G J',
 *          starting from the start of the step. The metric G has unit mass and radii of gyration, so that lengths count, not masses. If the
 *          minimum is 0, the joints can be closed. If not, y = d phi at the minimum is the proof: J' y = 0 and y . phi > 0, so that to
 *          first order no motion closes the joints further. In numbers "0" means: |J' y| times the length of the whole mechanism is
 *          at most a tenth of y . phi.
 *          The search begins a little beside the start, because the straight pose of a chain that must fold is also stationary, but no
 *          minimum.
 *          Errors that could not be closed at the start, with the driven bodies there, do not count: loops that were not assembled
 *          exactly continue with their error.
 * Valid    Finds a minimum near the start; other ways to assemble the mechanism are not searched. Up to MOST_ROWS rows. Not used for
 *          joints that are springs. If the search does not converge, nothing is reported.
 * Cost     A comparison for each joint with a driven body. The search is made only in steps in which such joints opened. It costs the
 *          cube of the rows, 5 to 50 times.
 * Source   Levenberg (1944), Marquardt (1963); Nocedal, Wright, Numerical Optimization 10.3. */
#include "method/stepper/joint_closure.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/step_contradiction.h"
#include "stage/stepper.h"
#include "stage/pose/formulate.h"
#include "base/elementary.h"

#define MOST_ROWS  600   /* [rows] of an island; its matrices take 10 MB */
#define ITERATIONS 200   /* [iterations] a chain pulled straight needs 20 to 60, others 5 */
#define DAMPED     1e-3  /* [1] lambda of the first iteration; the diagonal of W times d is 1 */
#define TIMES      10    /* [1] factor by which lambda decreases or increases */
#define LEAST_DAMP 1e-15 /* [1] a smaller lambda is rounding of W */
#define MOST_DAMP  1e12  /* [1] steps with a larger lambda are rounding of poses */
#define STATIONARY 0.1   /* [1] fraction of y . phi that a motion by the whole length may remove, to first order */
/* [rad, 1] start of the search: bodies are rotated, and moved as a fraction of the lengths, by about this */
#define BESIDE 1e-3
/* [rad] if a driven body rotates by more in a step, which is nearly half a turn, no check is made */
#define UNFOLDED 3.0

typedef struct search {
    pp_frame *f;
    perp_step_problem p; /* blocks with G in place of the inverse mass; no rows */
    perp_joint_row *all; /* rows of all joints; b: their errors */
    const int *index;    /* m: rows of the island in this list */
    const int *block;    /* nblock: blocks of the island */
    int m, nblock;
    double reach;          /* sum of lever arms and radii of the island [L] */
    double *d, *length;    /* m: weights; factor that turns row velocities into speeds [1 or L] */
    pp_state at, next;     /* poses */
    double *W, *A, *psd;   /* m x m, m x m, work */
    double *phi, *x, *tmp; /* m */
    double *dq;            /* ndof */
} search;

/* Rows of the locked motions of all joints at these poses; b: the error. Returns their number. */
static int rows_at(const pp_frame *f, const pp_state *at, perp_joint_row *row) {
    const perp_world *w = f->w;
    int n = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        pp_joint_side a = pp_side(w, at, j->a, f->control.block), b = pp_side(w, at, j->b, f->control.block);
        if (a.block < 0 && b.block < 0) continue;
        perp_joint_row all[PP_JOINT_MAX_ROWS];
        double coord[PERP_JOINT_MAX_COORD] = {0};
        perp_joint_def bare = j->def;
        memset(bare.axis, 0, sizeof bare.axis);
        int k = pp_joint_rows(&bare, w->def.dim, &a, &b, coord, 1, 0, all);
        for (int r = 0; r < k; r++) {
            if (all[r].kind != PERP_ROW_JOINT) continue;
            row[n] = all[r];
            row[n++].joint = i;
        }
    }
    return n;
}

static bool drives(const perp_world *w, int slot) {
    return slot >= 0 && w->body[slot].kind == PERP_BODY_KINEMATIC && w->body[slot].motion;
}

/* Does the joint connect a body of this frame to a driven body? */
static bool driven_joint(const pp_frame *f, const pp_joint *j) {
    bool a = j->a >= 0 && f->control.block[j->a] >= 0, b = j->b >= 0 && f->control.block[j->b] >= 0;
    return pp_alive(j->gen) && ((a && drives(f->w, j->b)) || (b && drives(f->w, j->a)));
}

static bool applies(const pp_frame *f) {
    const perp_world *w = f->w;
    if (w->njoint == w->room.dead_joint || f->purpose != PP_STEP || w->chosen.stepper->soft_joints ||
        !f->control.block || !f->control.Minv)
        return false;
    bool any = false;
    for (int i = 0; i < w->njoint; i++) any = any || driven_joint(f, &w->joint[i]);
    for (int i = 0; any && i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen) || !drives(w, i)) continue;
        double turn = w->def.dim == 2 ? fabs(f->s1->theta[i] - f->s0->theta[i])
                                      : perp_v3_norm(perp_q_log(perp_q_mul(f->s1->X[i].q, perp_q_conj(f->s0->X[i].q))));
        if (!(turn < UNFOLDED)) return false;
    }
    return any;
}

/* Moves the driven bodies to their poses in `from`. */
static void place_driven(const search *s, const pp_state *from, pp_state *to) {
    const perp_world *w = s->f->w;
    for (int i = 0; i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen) || !drives(w, i)) continue;
        to->X[i] = from->X[i];
        to->theta[i] = from->theta[i];
    }
}

static void move_blocks(const search *s, const double *dq, const pp_state *from, pp_state *to) {
    const pp_frame *f = s->f;
    int dim = f->w->def.dim;
    for (int k = 0; k < s->nblock; k++) {
        int b = s->block[k], slot = f->control.block_body[b];
        const double *d = dq + f->control.block_offset[b];
        perp_vec3 turn = {0, 0, 0};
        if (dim == 2 && f->control.block_ndof[b] == 3) turn.z = d[2];
        if (dim == 3 && f->control.block_ndof[b] == 6) turn = perp_v3(d[3], d[4], d[5]);
        to->X[slot].p = perp_v3_add(from->X[slot].p, perp_v3(d[0], d[1], dim == 3 ? d[2] : 0));
        to->X[slot].q = perp_q_unit(perp_q_mul(perp_q_exp(turn), from->X[slot].q));
        to->theta[slot] = from->theta[slot] + turn.z;
    }
}

/* Computes phi at these poses. Returns the objective. */
static double objective(search *s, const pp_state *at) {
    double sum = 0;
    (void)rows_at(s->f, at, s->all);
    for (int i = 0; i < s->m; i++) {
        s->phi[i] = s->all[s->index[i]].b;
        sum += s->d[i] * s->phi[i] * s->phi[i];
    }
    return sum;
}

/* The largest error of a joint [L]. */
static double largest(const search *s) {
    double most = 0;
    for (int i = 0; i < s->m; i++) most = fmax(most, fabs(s->phi[i]) * s->length[i]);
    return most;
}

/* W of the rows in s->all. */
static void weigh(search *s) {
    ptrdiff_t m = s->m;
    for (int k = 0; k < s->m; k++) {
        memset(s->dq, 0, (size_t)s->p.ndof * sizeof *s->dq);
        pp_row_spread(&s->p, &s->all[s->index[k]].row, 1, s->dq);
        for (int i = 0; i < s->m; i++) s->W[i + m * k] = pp_row_dot(&s->p, &s->all[s->index[i]].row, s->dq);
    }
}

/* Is J' y = 0, y = d phi? */
static bool stationary(search *s) {
    double closing = 0, square = 0;
    ptrdiff_t m = s->m;
    for (int i = 0; i < s->m; i++) closing += s->d[i] * s->phi[i] * s->phi[i];
    for (int k = 0; k < s->m; k++)
        for (int i = 0; i < s->m; i++) square += s->d[i] * s->phi[i] * s->W[i + m * k] * s->d[k] * s->phi[k];
    return sqrt(fmax(0, square)) * s->reach <= STATIONARY * closing;
}

/* One step from s->at to s->next with this lambda; s->dq: the step. */
static bool try_step(search *s, double lambda) {
    ptrdiff_t m = s->m;
    memcpy(s->A, s->W, (size_t)(m * m) * sizeof *s->A);
    for (int i = 0; i < s->m; i++) {
        s->A[i + m * i] += lambda / s->d[i];
        s->x[i] = -s->phi[i];
    }
    pp_psd factor;
    if (!pp_psd_factor(&factor, s->m, s->A, s->m, LEAST_DAMP, s->psd)) return false;
    pp_psd_solve(&factor, 1, s->x, s->m, s->tmp);
    memset(s->dq, 0, (size_t)s->p.ndof * sizeof *s->dq);
    for (int i = 0; i < s->m; i++) pp_row_spread(&s->p, &s->all[s->index[i]].row, s->x[i], s->dq);
    pp_state_copy(s->f->w, &s->next, &s->at);
    move_blocks(s, s->dq, &s->at, &s->next);
    return true;
}

typedef enum found { CLOSED, LEAST, NOTHING } found;

/* Minimises the joint errors from s->at. The search ends there, with the errors in s->phi. CLOSED: no error is larger
 * than `enough`. */
static found seek(search *s, double enough) {
    double lambda = DAMPED, sum = objective(s, &s->at);
    for (int k = 0; k < ITERATIONS; k++) {
        if (largest(s) <= enough) return CLOSED;
        weigh(s);
        if (stationary(s)) return LEAST;
        for (;; lambda *= TIMES) {
            if (!(lambda < MOST_DAMP) || !try_step(s, lambda)) return NOTHING;
            double less = objective(s, &s->next);
            if (less < sum) {
                sum = less;
                pp_state_copy(s->f->w, &s->at, &s->next);
                lambda = fmax(LEAST_DAMP, lambda / TIMES);
                break;
            }
            (void)objective(s, &s->at); /* restores rows and phi */
        }
    }
    return NOTHING;
}

/* Moves the poses a little beside those of the start. The offset is the same for the same scene. */
static void step_beside(search *s) {
    const pp_frame *f = s->f;
    for (int k = 0, n = 1; k < s->nblock; k++) {
        int b = s->block[k];
        for (int i = 0; i < f->control.block_ndof[b]; i++, n++) {
            double part = BESIDE * pp_sin(2.4 * n); /* 2.4 rad is the golden angle: no two directions are alike */
            s->dq[f->control.block_offset[b] + i] = i < f->w->def.dim ? part * s->reach / s->nblock : part;
        }
    }
    move_blocks(s, s->dq, &s->at, &s->at);
}

/* G: the inverse mass matrix of each block times its mass, so that only lengths count. */
static bool take_metric(search *s) {
    const pp_frame *f = s->f;
    double *G = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->control.nblock);
    if (!G) return false;
    for (int b = 0; b < f->control.nblock; b++)
        for (int i = 0; i < 36; i++) G[36 * b + i] = f->control.Minv[36 * b + i] / f->control.Minv[36 * b];
    s->p = pp_free_problem(f);
    s->p.Minv = G;
    return true;
}

/* Computes weights, lengths and reach from the rows of the start. */
static void measure(search *s) {
    int dim = s->f->w->def.dim;
    perp_step_problem masses = pp_free_problem(s->f);
    (void)rows_at(s->f, s->f->s0, s->all);
    s->reach = 0;
    for (int i = 0; i < s->m; i++) {
        const perp_row *row = &s->all[s->index[i]].row;
        double w = pp_row_inverse_mass(&s->p, row);
        s->d[i] = w > 0 ? 1 / w : 1;
        s->length[i] = pp_row_length(&masses, row);
        for (int side = 0; side < 2; side++) {
            const double *J = row->J[side];
            bool moves = J[0] != 0 || J[1] != 0 || (dim == 3 && J[2] != 0);
            if (row->block[side] >= 0 && moves)
                s->reach += dim == 2 ? fabs(J[2]) : perp_v3_norm(perp_v3(J[3], J[4], J[5]));
        }
    }
    for (int k = 0; k < s->nblock; k++) {
        int b = s->block[k], at = dim == 2 ? 14 : 21; /* rotation about z; about x */
        if (s->f->control.block_ndof[b] > dim) s->reach += 1 / sqrt(s->p.Minv[36 * b + at]);
    }
}

static bool new_search(search *s, pp_frame *f, const pp_island *island, perp_joint_row *all) {
    pp_arena *a = &f->w->arena;
    size_t m = (size_t)island->p.njoint;
    *s = (search){.f = f, .all = all, .index = island->joint, .block = island->block, .m = (int)m};
    s->nblock = island->p.nblock;
    s->W = PP_ARENA_ARRAY(a, double, m *m);
    s->A = PP_ARENA_ARRAY(a, double, m *m);
    s->psd = PP_ARENA_ARRAY(a, double, pp_psd_work((int)m));
    s->d = PP_ARENA_ARRAY(a, double, m);
    s->length = PP_ARENA_ARRAY(a, double, m);
    s->phi = PP_ARENA_ARRAY(a, double, m);
    s->x = PP_ARENA_ARRAY(a, double, m);
    s->tmp = PP_ARENA_ARRAY(a, double, m);
    s->dq = PP_ARENA_ZERO(a, double, f->control.ndof);
    return s->W && s->A && s->psd && s->d && s->length && s->phi && s->x && s->tmp && s->dq && take_metric(s) &&
           !pp_state_new(f->w, &s->at) && !pp_state_new(f->w, &s->next);
}

/* Writes the names of the joints that cannot be closed; their errors are in s->phi. */
static void name_joints(const search *s, char *text, size_t size) {
    pp_opponent place[PP_OPPONENTS];
    int n = 0, more = 0;
    double most = largest(s);
    for (int i = 0, last = -1; i < s->m; i++) {
        int joint = s->all[s->index[i]].joint;
        /* the others are not involved */
        if (joint == last || !(fabs(s->phi[i]) * s->length[i] > 1e-6 * most)) continue;
        last = joint;
        if (n < PP_OPPONENTS)
            place[n++] = (pp_opponent){.kind = PP_OPPONENT_JOINT, .a = joint};
        else
            more++;
    }
    pp_tell_contradicting(s->f->w, place, n, more, text, size);
}

/* Result of the check. */
typedef struct verdict {
    double left;    /* opening of the worst joint [L]; 0: nothing is proven */
    bool dead;      /* true at the end pose of the step, but not everywhere near it */
    char text[300]; /* names of joints and driven bodies */
} verdict;

/* Other poses close the joints. But if the errors are also stationary at the end pose of the step, no velocity leads to
 * those poses: an exactly straight chain does not fold. */
static perp_status dead_point(search *s, double enough, verdict *out) {
    (void)objective(s, s->f->s0);
    double start = largest(s);
    (void)objective(s, s->f->s1);
    weigh(s);
    if (!(largest(s) - start > enough) || !stationary(s)) return PERP_OK;
    out->left = largest(s);
    out->dead = true;
    name_joints(s, out->text, sizeof out->text);
    return PERP_OK;
}

/* Proves, if possible, that an island has joints that cannot be closed at the end of the step. moved: f->s1 is the
 * result of the step. */
static perp_status unclosed(pp_frame *f, const pp_island *island, perp_joint_row *all, bool moved, verdict *out) {
    search s;
    if (island->p.njoint > MOST_ROWS) return PERP_OK;
    if (!new_search(&s, f, island, all)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the joints");
    measure(&s);
    double enough = f->h * pp_sure_miss(f, f->w->def.tolerance, pp_step_scale(&island->p));
    pp_state_copy(f->w, &s.at, f->s0);
    place_driven(&s, f->s1, &s.at);
    step_beside(&s);
    found end_pose = seek(&s, enough);
    if (end_pose == CLOSED && moved) return dead_point(&s, enough, out);
    if (end_pose != LEAST) return PERP_OK;
    double end = largest(&s);
    name_joints(&s, out->text, sizeof out->text);
    pp_state_copy(f->w, &s.at, f->s0);
    step_beside(&s);
    (void)seek(&s, 0.1 * enough);
    if (end - largest(&s) > enough) out->left = end;
    return PERP_OK;
}

/* Did a joint open in the step? */
static bool opened(const pp_frame *f, const perp_joint_row *start, const perp_joint_row *end, int n) {
    double least = f->h * pp_sure_miss(f, f->w->def.tolerance, 0);
    for (int i = 0; i < n; i++) {
        double grows = (fabs(end[i].b) - fabs(start[i].b)) * pp_row_length(&f->pose.problem, &start[i].row);
        if (!(grows <= least)) return true;
    }
    return false;
}

/* Does the island have a joint with a driven body? */
static bool is_driven(const pp_frame *f, const pp_island *island) {
    for (int i = 0; i < island->p.njoint; i++)
        if (driven_joint(f, &f->w->joint[island->p.joint[i].joint])) return true;
    return false;
}

static perp_status look(pp_frame *f, bool moved, verdict *out) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    perp_joint_row *start = PP_ARENA_ARRAY(a, perp_joint_row, 6 * w->njoint),
                   *end = PP_ARENA_ARRAY(a, perp_joint_row, 6 * w->njoint);
    *out = (verdict){0};
    if (!start || !end) return pp_fail(w, PERP_E_MEMORY, "out of memory for the joints");
    int n = rows_at(f, f->s0, start);
    (void)rows_at(f, f->s1, end);
    if (n == 0 || (moved && !opened(f, start, end, n))) return PERP_OK;
    perp_step_problem p = pp_free_problem(f);
    for (int i = 0; i < n; i++) start[i].b = start[i].b_kin; /* speeds for the comparison with errors */
    p.joint = start;
    p.njoint = n;
    pp_island *island;
    int count;
    if (pp_islands_split(&p, a, &island, &count)) return pp_fail(w, PERP_E_MEMORY, "out of memory for the joints");
    perp_status st = PERP_OK;
    for (int k = 0; !st && out->left == 0 && k < count; k++) {
        pp_arena_mark mark = pp_arena_here(a);
        if (is_driven(f, &island[k])) st = unclosed(f, &island[k], end, moved, out);
        pp_arena_release(a, mark);
    }
    return st;
}

perp_status pp_check_closure(pp_frame *f) {
    if (!applies(f)) return PERP_OK;
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    verdict v;
    perp_status st = look(f, true, &v);
    pp_arena_release(&f->w->arena, mark);
    if (st || v.left == 0) return st;
    f->advice.shorter_step_useless = true;
    return pp_fail(f->w, PERP_E_SOLVE, "no solution at t = %g (h = %g): joints would be open by %.3g, and %s%s",
                   f->s0->t, f->h, v.left,
                   v.dead ? "at this dead point no velocity closes them; start a little beside it"
                          : "no motion closes them",
                   v.text);
}

void pp_name_unclosed(pp_frame *f) {
    perp_world *w = f->w;
    if (!applies(f) || !(f->pose.problem.h > 0) || strstr(w->why, "no solution exists")) return;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    char before[PP_WHY];
    verdict v;
    memcpy(before, w->why, sizeof before);
    perp_status st = look(f, false, &v);
    pp_arena_release(&w->arena, mark);
    memcpy(w->why, before, sizeof before);
    if (st || v.left == 0) return;
    size_t keep = strlen(before), most = sizeof w->why - 1 - strlen(v.text);
    memcpy(w->why + (keep < most ? keep : most), v.text, strlen(v.text) + 1);
}

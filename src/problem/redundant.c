/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* redundant.c - rows of joints that follow from others
 * Problem  A closed loop may have redundant locked motions: a planar four-bar in space has three. Their impulses are not
 *          unique, and the iterates of cone solvers drift along the null space. If digits of the model are rounded, the rows disagree a little: then no
 *          velocity satisfies all of them, and impulses grow without bound.
 * Method   Rows within loops (loops.c), part by part: Cholesky's factors of W with diagonal pivoting (psd.c). Rows after the rank are left
 *          out. b is replaced by the nearest feasible one, in the scaled metric. Velocities are then least-squares solutions, as in the elimination of
 *          joints (to_lcp.c), with the same rank and the same metric. Afterwards impulses are distributed over all rows, with the
 *          least sum of p^2 W.
 * Valid    Rows whose angle, in the metric of the masses, is above sqrt(PP_RANK_TOL) = 3e-6 count as different. Larger parts than MOST_ROWS stay as they are.
 * Cost     n^3/3 for a part of n rows without redundant ones, ten times as much with them. Nothing for trees.
 * Source   Higham (1990), as psd.c. */
#include "problem/redundant.h"

#include <string.h>

#include "problem/loops.h"
#include "problem/rows.h"

/* [rows] Largest part whose rank is computed. At this size it takes some milliseconds; the cost grows with the cube. The largest part of a robot
 * model seen so far has 159 rows, so half and double change nothing there. */
#define MOST_ROWS 400

/* W of the rows of a part. nu: ndof, zero, and again after it */
static void weigh(const perp_step_problem *p, const pp_redundant_part *part, double *nu, double *W) {
    ptrdiff_t n = part->n;
    for (int k = 0; k < n; k++) {
        const perp_row *row = &p->joint[part->row[k]].row;
        pp_row_spread(p, row, 1, nu);
        for (int i = k; i < n; i++) W[i + n * k] = W[k + n * i] = pp_row_dot(p, &p->joint[part->row[i]].row, nu);
        for (; row; row = row->more)
            for (int s = 0; s < 2; s++)
                if (row->block[s] >= 0)
                    memset(nu + p->block_offset[row->block[s]], 0, (size_t)p->block_ndof[row->block[s]] * sizeof *nu);
    }
}

/* Factorises a part. Its factor stays in the arena if it has redundant rows. False: no memory. */
static bool factorise(const perp_step_problem *p, pp_arena *arena, double *nu, pp_redundant_part *part,
                      bool *redundant) {
    pp_arena_mark mark = pp_arena_here(arena);
    double *work = PP_ARENA_ARRAY(arena, double, pp_psd_work(part->n));
    pp_arena_mark scratch = pp_arena_here(arena);
    double *W = PP_ARENA_ARRAY(arena, double, (ptrdiff_t)part->n * part->n);
    if (!work || !W) return false;
    weigh(p, part, nu, W);
    *redundant = pp_psd_factor(&part->factor, part->n, W, part->n, PP_RANK_TOL, work) && part->factor.R;
    pp_arena_release(arena, *redundant ? scratch : mark);
    return true;
}

/* The rows of each part in their order. part: by row, as of pp_loops_find() */
static bool collect(const perp_step_problem *p, pp_arena *arena, const int *of, int n, pp_redundant_part *part) {
    for (int i = 0; i < n; i++) part[i] = (pp_redundant_part){0};
    for (int i = 0; i < p->njoint; i++)
        if (of[i] >= 0) part[of[i]].n++;
    for (int i = 0; i < n; i++) {
        if (!(part[i].row = PP_ARENA_ARRAY(arena, int, part[i].n))) return false;
        part[i].n = 0;
    }
    for (int i = 0; i < p->njoint; i++)
        if (of[i] >= 0) part[of[i]].row[part[of[i]].n++] = i;
    return true;
}

/* The problem without the rows that are dropped. */
static bool keep(pp_redundant *r, pp_arena *arena) {
    const perp_step_problem *p = r->whole;
    bool *gone = PP_ARENA_ZERO(arena, bool, p->njoint);
    double *b = PP_ARENA_ARRAY(arena, double, p->njoint);
    perp_joint_row *row = PP_ARENA_ARRAY(arena, perp_joint_row, p->njoint);
    int most = 0;
    for (int k = 0; k < r->nparts; k++) most = r->part[k].n > most ? r->part[k].n : most;
    r->index = PP_ARENA_ARRAY(arena, int, p->njoint);
    r->tmp = PP_ARENA_ARRAY(arena, double, p->njoint + (ptrdiff_t)most * (most + 3));
    if (!gone || !b || !row || !r->index || !r->tmp) return false;
    for (int i = 0; i < p->njoint; i++) b[i] = p->joint[i].b;
    for (int k = 0; k < r->nparts; k++) {
        const pp_redundant_part *part = &r->part[k];
        for (int i = part->factor.rank; i < part->n; i++) gone[part->row[part->factor.perm[i]]] = true;
        for (int i = 0; i < part->n; i++) r->tmp[i] = b[part->row[i]];
        pp_psd_project(&part->factor, false, r->tmp, r->tmp + part->n);
        for (int i = 0; i < part->n; i++) b[part->row[i]] = r->tmp[i];
    }
    r->kept = *p;
    r->kept.joint = row;
    r->kept.njoint = 0;
    for (int i = 0; i < p->njoint; i++) {
        if (gone[i]) continue;
        row[r->kept.njoint] = p->joint[i];
        row[r->kept.njoint].b = b[i];
        r->index[r->kept.njoint++] = i;
    }
    return true;
}

bool pp_redundant_find(const perp_step_problem *p, pp_arena *arena, pp_redundant *r) {
    *r = (pp_redundant){.whole = p};
    int *of = PP_ARENA_ARRAY(arena, int, p->njoint), n = of ? pp_loops_find(p, arena, of) : -1;
    if (n <= 0) return n == 0;
    double *nu = PP_ARENA_ZERO(arena, double, p->ndof);
    r->part = PP_ARENA_ARRAY(arena, pp_redundant_part, n);
    if (!nu || !r->part || !collect(p, arena, of, n, r->part)) return false;
    for (int k = 0; k < n; k++) {
        pp_redundant_part part = r->part[k];
        bool redundant = false;
        if (part.n <= MOST_ROWS && !factorise(p, arena, nu, &part, &redundant)) return false;
        if (!redundant) continue;
        r->part[r->nparts++] = part;
        r->dropped += part.n - part.factor.rank;
    }
    return r->dropped == 0 || keep(r, arena);
}

void pp_redundant_guess(const pp_redundant *r, double *p_joint) {
    double *all = r->tmp, *x = all + r->whole->njoint;
    memcpy(all, p_joint, (size_t)r->whole->njoint * sizeof *all);
    for (int k = 0; k < r->nparts; k++) {
        const pp_redundant_part *part = &r->part[k];
        for (int i = 0; i < part->n; i++) x[i] = all[part->row[i]];
        pp_psd_basic_solution(&part->factor, x, x + part->n);
        for (int i = 0; i < part->n; i++) all[part->row[i]] = x[i];
    }
    for (int i = 0; i < r->kept.njoint; i++) p_joint[i] = all[r->index[i]];
}

void pp_redundant_restore(const pp_redundant *r, double *p_joint) {
    for (int i = r->whole->njoint - 1, k = r->kept.njoint - 1; i >= 0; i--)
        p_joint[i] = k >= 0 && r->index[k] == i ? p_joint[k--] : 0;
}

void pp_redundant_share(const pp_redundant *r, double *p_joint) {
    double *x = r->tmp + r->whole->njoint;
    for (int k = 0; k < r->nparts; k++) {
        const pp_redundant_part *part = &r->part[k];
        for (int i = 0; i < part->n; i++) x[i] = p_joint[part->row[i]];
        pp_psd_project(&part->factor, true, x, x + part->n);
        for (int i = 0; i < part->n; i++) p_joint[part->row[i]] = x[i];
    }
}

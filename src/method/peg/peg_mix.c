/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_mix.c - extrapolates the end gaps and slips of the next round from the rounds before (Anderson acceleration)
 *
 * Problem  The rows of the start pose approximate the gradients of the gaps at the end pose. A correction by the gap error therefore leaves
 *          a new error, about the old one times the angle that the bodies rotate in the step. The rounds converge linearly, and the
 *          correction of one row disturbs its neighbours.
 * Method   Anderson acceleration for each island. In each round, every row has a target: the offset of its linear gap that the plain
 *          iteration would use. The next round uses the combination of the last targets, with coefficients that sum to one, whose
 *          gap errors are smallest. For one row this is the secant method. What finite rotations add to the slip (stage/pose/slip.c)
 *          follows with the same coefficients: its errors have the same cause. If rows move with the end poses, the plain
 *          iteration is used.
 * Source   Anderson, J. ACM 12 (1965) 547; Walker, Ni, SIAM J. Numer. Anal. 49 (2011) 1715.
 * Cost     Number of rows times PP_PEG_HISTORY squared. */
#include "base/sets.h"
#include "method/peg/peg.h"

#include <string.h>

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] If joints are also iterated, gaps are accelerated only while their error exceeds this fraction of the tolerance.
 * Half and double: other bits only. */
#define WITH_JOINTS 1e-3
/* [1] A change of gap errors is used only if more than this fraction of it is linearly independent of later changes.
 * Half and double: other bits only. */
#define DEPENDENT 1e-3
/* [1] Largest coefficient of the extrapolation. If it is exceeded, the rounds are too far apart. Half: work +1 %;
 * double: other bits only. */
#define MOST 5.0

double pp_peg_opening(const pp_peg_work *k, const pp_peg_pair *p, const pp_peg_row *r) {
    const pp_frame *f = k->f;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int body = f->collide.placed[side ? p->j : p->i].body, b = f->control.block[body];
        if (b < 0) continue;
        const double *v = k->m->nu + f->control.block_offset[b];
        bool space = f->w->def.dim == 3;
        perp_vec3 lin = perp_v3(v[0], v[1], space ? v[2] : 0);
        perp_vec3 ang = f->control.block_ndof[b] <= f->w->def.dim ? perp_v3(0, 0, 0)
                        : space                                   ? perp_v3(v[3], v[4], v[5])
                                                                  : perp_v3(0, 0, v[2]);
        perp_vec3 arm = perp_v3_sub(side ? r->b : r->a, k->force.state->X[body].p);
        sum += (side ? 1 : -1) * perp_v3_dot(r->n, perp_v3_add(lin, perp_v3_cross(ang, arm)));
    }
    return f->h * sum;
}

/* The rows of an island, as a list. */
typedef struct island {
    const int *row;
    int n;
    const double *miss, *target; /* of this round, by row index of the world; PP_PEG_ITERATED targets for each row */
    /* weight of the gap error: each pair has the same total weight, however many rows have an impulse */
    const double *weight;
} island;

/* Change of the gap error of row r since the round j before the last. */
static double change(const pp_peg_row *row, const island *s, int r, int j) {
    return row[r].history > j && row[r].push > 0 && !isnan(row[r].old_miss[j])
               ? s->weight[r] * (s->miss[r] - row[r].old_miss[j])
               : 0;
}

/* Coefficients by modified Gram-Schmidt, latest round first. A change that depends on later ones is left out. q:
 * scratch of PP_PEG_HISTORY + 1 columns of s->n numbers. */
static void coefficients(const pp_peg_row *row, const island *s, int depth, double finest, double *q, double *gamma) {
    double R[PP_PEG_HISTORY][PP_PEG_HISTORY] = {{0}}, y[PP_PEG_HISTORY];
    int of[PP_PEG_HISTORY], n = 0;
    double *rest = q + (size_t)PP_PEG_HISTORY * (size_t)s->n;
    for (int i = 0; i < s->n; i++) rest[i] = s->weight[s->row[i]] * s->miss[s->row[i]];
    for (int j = 0; j < depth; j++) {
        double *c = q + (size_t)n * (size_t)s->n, before = 0, after = 0;
        for (int i = 0; i < s->n; i++) {
            c[i] = change(row, s, s->row[i], j);
            before += c[i] * c[i];
        }
        for (int l = 0; l < n; l++) {
            const double *e = q + (size_t)l * (size_t)s->n;
            double d = 0;
            for (int i = 0; i < s->n; i++) d += e[i] * c[i];
            for (int i = 0; i < s->n; i++) c[i] -= d * e[i];
            R[l][n] = d;
        }
        for (int i = 0; i < s->n; i++) after += c[i] * c[i];
        if (!(sqrt(after) > fmax(DEPENDENT * sqrt(before), finest))) continue;
        R[n][n] = sqrt(after);
        y[n] = 0;
        for (int i = 0; i < s->n; i++) {
            c[i] /= R[n][n];
            y[n] += c[i] * rest[i];
        }
        for (int i = 0; i < s->n; i++) rest[i] -= y[n] * c[i];
        of[n++] = j;
    }
    for (int j = 0; j < depth; j++) gamma[j] = 0;
    for (int l = n - 1; l >= 0; l--) {
        double g = y[l];
        for (int m = l + 1; m < n; m++) g -= R[l][m] * gamma[of[m]];
        gamma[of[l]] = g / R[l][l];
    }
}

static bool modest(const double *gamma, int depth) {
    for (int j = 0; j < depth; j++)
        if (!(fabs(gamma[j]) <= MOST)) return false;
    return true;
}

/* Computes the offsets of the rows of an island for the next round (target). Without history they stay those of this
 * round. */
static void mix(const pp_peg_work *k, const island *s, double *q, double *target) {
    const pp_peg_row *row = k->m->row;
    double gamma[PP_PEG_HISTORY], worst = 0;
    int depth = 0;
    for (int i = 0; i < s->n; i++) {
        const pp_peg_row *r = &row[s->row[i]];
        if (!(r->push > 0)) continue;
        worst = fmax(worst, fabs(s->miss[s->row[i]]));
        if (r->history > depth) depth = r->history;
    }
    /* the last digits of joints come from an accelerated iteration of their own; two accelerations would disturb each
     * other */
    if (k->f->demand.joints && !(worst > WITH_JOINTS * k->least)) return;
    if (!(worst > k->finest)) return; /* errors at rounding level have no rate of convergence and would be amplified */
    for (; depth > 0; depth--) {
        coefficients(row, s, depth, k->finest, q, gamma);
        if (modest(gamma, depth)) break;
    }
    for (int i = 0; i < s->n; i++) {
        int r = s->row[i];
        for (int c = 0; c < PP_PEG_ITERATED; c++) {
            double now = s->target[PP_PEG_ITERATED * r + c], sum = now;
            for (int j = 0; j < depth && j < row[r].history; j++) sum -= gamma[j] * (now - row[r].old_target[j][c]);
            target[PP_PEG_ITERATED * r + c] = sum;
        }
    }
}

static void remember(pp_peg_row *r, const double *target, double miss) {
    int keep = r->history < PP_PEG_HISTORY ? r->history : PP_PEG_HISTORY - 1;
    memmove(r->old_target + 1, r->old_target, (size_t)keep * sizeof *r->old_target);
    memmove(r->old_miss + 1, r->old_miss, (size_t)keep * sizeof *r->old_miss);
    memcpy(r->old_target[0], target, sizeof r->old_target[0]);
    r->old_miss[0] = miss;
    r->history = keep + 1;
}

/* Sorts the rows by island. first: by island, plus one entry. Returns the number of islands. */
static int find_islands(const pp_peg_work *k, int *parent, int *of_row, int *first, int *list) {
    const struct pp_peg *m = k->m;
    const pp_frame *f = k->f;
    pp_sets_make(parent, f->control.nblock);
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        int a = f->control.block[f->collide.placed[p->i].body], b = f->control.block[f->collide.placed[p->j].body];
        if (p->active && p->pushed && a >= 0 && b >= 0) pp_sets_join(parent, a, b);
    }
    int n = f->control.nblock;
    memset(first, 0, ((size_t)n + 1) * sizeof *first);
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        int a = f->control.block[f->collide.placed[p->i].body], b = f->control.block[f->collide.placed[p->j].body];
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            of_row[r] = pp_set_of(parent, a >= 0 ? a : b);
            first[of_row[r] + 1]++;
        }
    }
    for (int i = 0; i < n; i++) first[i + 1] += first[i];
    for (int r = m->nrow - 1; r >= 0; r--) list[--first[of_row[r] + 1]] = r;
    for (int i = 0; i < n; i++) first[i] = first[i + 1];
    first[n] = m->nrow;
    return n;
}

bool pp_peg_mix(pp_peg_work *k, double *end, const double *allow, double *slip) {
    struct pp_peg *m = k->m;
    pp_arena *a = &k->f->w->arena;
    int nblock = k->f->control.nblock, n = m->nrow;
    int *parent = PP_ARENA_ARRAY(a, int, nblock), *first = PP_ARENA_ARRAY(a, int, nblock + 1),
        *of_row = PP_ARENA_ARRAY(a, int, n), *list = PP_ARENA_ARRAY(a, int, n);
    double *moved = PP_ARENA_ARRAY(a, double, n), *miss = PP_ARENA_ARRAY(a, double, n),
           *target = PP_ARENA_ARRAY(a, double, PP_PEG_ITERATED *n),
           *next = PP_ARENA_ARRAY(a, double, PP_PEG_ITERATED *n), *weight = PP_ARENA_ARRAY(a, double, n),
           *q = PP_ARENA_ARRAY(a, double, (PP_PEG_HISTORY + 1) * n);
    if (!weight || !parent || !first || !of_row || !list || !moved || !miss || !target || !next || !q) return false;
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        int pushing = 0, known = PP_PEG_HISTORY;
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            pushing += m->row[r].push > 0;
            if (m->row[r].history < known) known = m->row[r].history;
        }
        /* rows of a face depend on each other, so all use the same rounds */
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) m->row[r].history = known;
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            weight[r] = m->row[r].push > 0 ? 1 / sqrt(pushing) : 0;
            bool counts = !isnan(end[r]) && isfinite(m->row[r].gap1) && !m->row[r].bounces;
            if (!counts) m->row[r].history = 0;
            moved[r] = pp_peg_opening(k, p, &m->row[r]);
            miss[r] = counts ? end[r] + allow[r] : 0;
            target[PP_PEG_ITERATED * r] = miss[r] - moved[r];
            for (int c = 1; c < PP_PEG_ITERATED; c++) target[PP_PEG_ITERATED * r + c] = m->row[r].slip[c - 1];
        }
    }
    if (n > 0) memcpy(next, target, (size_t)(PP_PEG_ITERATED * n) * sizeof *next);
    int islands = find_islands(k, parent, of_row, first, list);
    for (int i = 0; i < islands; i++) {
        island s = {
            .row = list + first[i], .n = first[i + 1] - first[i], .miss = miss, .target = target, .weight = weight};
        if (s.n > 0) mix(k, &s, q, next);
    }
    for (int r = 0; r < n; r++) {
        pp_peg_row *row = &m->row[r];
        bool counts = !isnan(end[r]) && isfinite(row->gap1) && !row->bounces;
        const double *to = next + PP_PEG_ITERATED * r;
        if (counts && (row->history > 0 || row->push > 0)) end[r] = to[0] + moved[r] - allow[r];
        for (int c = 1; c < PP_PEG_ITERATED; c++) slip[PP_FRICTION_ROWS * r + c - 1] = to[c];
        if (counts) remember(row, target + PP_PEG_ITERATED * r, row->push > 0 ? miss[r] : NAN);
        row->offset = end[r] - moved[r];
    }
    return true;
}

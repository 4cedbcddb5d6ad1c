/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_patch.c - makes the end gaps of contacts on one plane between two bodies consistent
 *
 * Problem  A face on a face has more corners than its plane has degrees of freedom, so the rows of the corners are linearly dependent. Many
 *          load distributions are possible only if the gaps of these rows depend on each other in the same way. They do, except for
 *          second-order terms from rotation in the step and from crossings that slide along their edges. These small terms
 *          decide which three corners carry all the load. In each round it can be another three, with friction also another
 *          motion, and the rounds do not converge.
 * Method   The true end gaps of a patch lie on a plane over the end points of its contacts. Each row is posed with the height of this plane
 *          over the point where its impulse acts. If the gaps do not fit a plane, they are left unchanged. The final check always uses the
 *          true gaps.
 * Cost     Number of rows times number of patches of two bodies. */
#include "method/peg/peg.h"

#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Largest change of a gap, as a fraction of the largest gap error, so that errors decrease from round to round.
 * Half: no effect; double: other bits only. */
#define PLANE 0.5
/* [1] Two normals are equal if they differ by less than this. If the extent of the rows across a line is below this
 * fraction of the extent along it, the slope across is taken as zero. */
#define FLAT 1e-9

/* The rows between two bodies. All bodies that are not dynamic count as one. */
typedef struct couple {
    int low, next;   /* lower block of the two; next couple of the higher block, or -1 */
    int first, last; /* rows */
} couple;

typedef struct patch {
    int *row, n;
    perp_vec3 t, o;   /* tangents at the start, of its first row */
    perp_vec3 t1, o1; /* the same, rotated with the body */
    double su, sv;    /* slopes of the fitted plane */
} patch;

typedef struct place {
    double u, v;
} place;

static place place_of(perp_vec3 x, perp_vec3 t, perp_vec3 o) { return (place){perp_v3_dot(x, t), perp_v3_dot(x, o)}; }

/* Mean position and mean gap of the rows with an impulse, or of all rows if none has one. */
static place middle(const pp_peg_row *row, const double *allow, const patch *p, double *gap) {
    place sum = {0, 0};
    int count = 0;
    *gap = 0;
    for (int pass = 0; pass < 2 && count == 0; pass++) {
        for (int i = 0; i < p->n; i++) {
            const pp_peg_row *r = &row[p->row[i]];
            if (pass == 0 && !(r->push > 0)) continue;
            place x = place_of(r->a, p->t, p->o);
            sum.u += x.u;
            sum.v += x.v;
            *gap += r->gap1 + allow[p->row[i]];
            count++;
        }
    }
    *gap /= count;
    return (place){sum.u / count, sum.v / count};
}

/* Slopes of the plane through the end gaps, by least squares in principal axes. Returns false if the points have no
 * extent. */
static bool fit(const pp_peg_row *row, const double *allow, patch *p) {
    double uu = 0, uv = 0, vv = 0, gu = 0, gv = 0, mu = 0, mv = 0;
    for (int i = 0; i < p->n; i++) {
        place x = place_of(row[p->row[i]].at1, p->t1, p->o1);
        mu += x.u / p->n;
        mv += x.v / p->n;
    }
    for (int i = 0; i < p->n; i++) {
        place x = place_of(row[p->row[i]].at1, p->t1, p->o1);
        double u = x.u - mu, v = x.v - mv, g = row[p->row[i]].gap1 + allow[p->row[i]];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        gu += g * u;
        gv += g * v;
    }
    double half = (uu - vv) / 2, root = pp_hypot(half, uv), large = (uu + vv) / 2 + root;
    if (!(large > 0)) return false;
    double small = fmax(0, (uu * vv - uv * uv) / large);
    perp_vec3 axis = half >= 0 ? perp_v3(half + root, uv, 0) : perp_v3(uv, root - half, 0);
    axis = perp_v3_norm(axis) > 0 ? perp_v3_unit(axis) : perp_v3(1, 0, 0);
    double along = (gu * axis.x + gv * axis.y) / large,
           across = small > FLAT * FLAT * large ? (gv * axis.x - gu * axis.y) / small : 0;
    p->su = along * axis.x - across * axis.y;
    p->sv = along * axis.y + across * axis.x;
    return true;
}

/* Height of the plane at the point where the impulse of a row acts. */
static double height(const patch *p, const pp_peg_row *r, place m, double gap) {
    place x = place_of(r->a, p->t, p->o);
    return gap + p->su * (x.u - m.u) + p->sv * (x.v - m.v);
}

static void pose(const pp_peg_row *row, const double *allow, const patch *p, double finest, double *end) {
    double most = 0, off = 0, gap;
    place m = middle(row, allow, p, &gap);
    for (int i = 0; i < p->n; i++) {
        const pp_peg_row *r = &row[p->row[i]];
        double g = r->gap1 + allow[p->row[i]];
        off = fmax(off, fabs(height(p, r, m, gap) - g));
        if (r->push > 0 || g < 0) most = fmax(most, fabs(g));
    }
    if (!(off <= PLANE * most && most > finest)) return; /* gaps at rounding level do not define a plane */
    for (int i = 0; i < p->n; i++) end[p->row[i]] = height(p, &row[p->row[i]], m, gap) - allow[p->row[i]];
}

static bool of_a_plane(const pp_peg_row *r, double end) {
    return r->plane != PP_ROUND_PLANE && !isnan(end) && !isnan(r->gap1) && !r->bounces;
}

/* Collects the patch of a row: the rows of its couple with the same normal that carry an impulse or are nearly closed
 * at the end. Marks them in done[]. */
static void gather(const pp_peg_work *k, const int *next, bool *done, const double *end, const double *allow, int first,
                   patch *p) {
    const pp_peg_row *row = k->m->row;
    double worst = 0;
    p->n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = first; r >= 0; r = next[r]) {
            if (done[r] || !of_a_plane(&row[r], end[r])) continue;
            double lean = perp_v3_norm(perp_v3_sub(row[r].n, row[first].n)),
                   other = perp_v3_norm(perp_v3_add(row[r].n, row[first].n)); /* same plane, seen from the other body */
            if (!(fmin(lean, other) <= FLAT)) continue;
            double gap = fabs(row[r].gap1 + allow[r]);
            if (pass == 0 && row[r].push > 0) worst = fmax(worst, gap);
            if (pass == 0 || !(row[r].push > 0 || gap <= PP_PEG_NEXT * worst)) continue;
            p->row[p->n++] = r;
            done[r] = true;
        }
    }
}

static perp_quat turn_of(const pp_peg_work *k, int body) {
    return perp_q_mul(k->end_state.X[body].q, perp_q_conj(k->force.state->X[body].q));
}

/* Tangents of a patch, at the start and rotated to the end. The rotation is the mean of both bodies, so the order of
 * the bodies does not matter. */
static void lay(const pp_peg_work *k, const pp_peg_pair *pair, perp_vec3 n, patch *p) {
    perp_quat a = turn_of(k, k->f->collide.placed[pair->i].body), b = turn_of(k, k->f->collide.placed[pair->j].body);
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    perp_quat turned = perp_q_unit((perp_quat){a.w + sign * b.w, a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z});
    perp_v3_frame(n, &p->t, &p->o);
    p->t1 = k->mode.symmetric ? p->t : perp_q_rotate(turned, p->t);
    p->o1 = k->mode.symmetric ? p->o : perp_q_rotate(turned, p->o);
}

/* Links the rows of each couple of bodies to a list: `next`, by row. */
static int find_couples(const pp_peg_work *k, int *head, couple *c, int *next) {
    const pp_frame *f = k->f;
    int n = 0;
    for (int b = 0; b < f->control.nblock; b++) head[b] = -1;
    for (int i = 0; i < k->m->npair; i++) {
        const pp_peg_pair *p = &k->m->pair[i];
        if (!p->active) continue;
        int a = f->control.block[f->collide.placed[p->i].body], b = f->control.block[f->collide.placed[p->j].body],
            low = a < b ? a : b, high = a < b ? b : a, at = head[high];
        while (at >= 0 && c[at].low != low) at = c[at].next;
        for (int r = p->first; r < p->first + p->nrow; r++) {
            next[r] = -1;
            if (at < 0) {
                c[n] = (couple){.low = low, .next = head[high], .first = r, .last = r};
                at = head[high] = n++;
                continue;
            }
            next[c[at].last] = r;
            c[at].last = r;
        }
    }
    return n;
}

bool pp_peg_even_patch_gaps(pp_peg_work *k, double *end, const double *allow) {
    struct pp_peg *m = k->m;
    pp_arena *arena = &k->f->w->arena;
    int *head = PP_ARENA_ARRAY(arena, int, k->f->control.nblock), *next = PP_ARENA_ARRAY(arena, int, m->nrow),
        *of_pair = PP_ARENA_ARRAY(arena, int, m->nrow);
    couple *c = PP_ARENA_ARRAY(arena, couple, m->nrow);
    bool *done = PP_ARENA_ZERO(arena, bool, m->nrow);
    patch p = {.row = PP_ARENA_ARRAY(arena, int, m->nrow)};
    if (!head || !next || !of_pair || !c || !done || !p.row) return false;
    for (int i = 0; i < m->npair; i++)
        for (int r = m->pair[i].first; m->pair[i].active && r < m->pair[i].first + m->pair[i].nrow; r++) of_pair[r] = i;
    int n = find_couples(k, head, c, next);
    for (int i = 0; i < n; i++) {
        for (int r = c[i].first; r >= 0; r = next[r]) {
            if (done[r] || !of_a_plane(&m->row[r], end[r])) continue;
            gather(k, next, done, end, allow, r, &p);
            done[r] = true;
            /* in 3D at least three rows: a prism has two rows for each row of its polygon in 2D */
            if (p.n < (k->f->w->def.dim == 3 ? 3 : 2)) continue;
            lay(k, &m->pair[of_pair[r]], m->row[r].n, &p);
            if (fit(m->row, allow, &p)) pose(m->row, allow, &p, k->finest, end);
        }
    }
    return true;
}

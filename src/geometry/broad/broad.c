/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad.c - boxes -> pairs of boxes that meet
 * Method   every box lies in an enlarged (fat) box. Two boxes are candidates if their fat boxes meet. As long as all boxes stay
 *          inside their fat boxes, a call only compares candidates. A box that has left its fat box gets a new one, and its
 *          candidates are found with the tree. Candidates are kept ordered by (i, j), so the result needs no sorting. Boxes
 *          with an infinite side are candidates of all others. If boxes hardly move, candidates are compared only when their
 *          last comparison may no longer be valid (broad_motion.h).
 * Valid    any boxes, a few of which may be infinite. Data stored between calls affects only the time of a call: the result is
 *          always the pairs whose given boxes meet. A box with a NaN side meets everything.
 * Cost     n + candidates as long as boxes stay in their fat ones; one query of the tree, about log n, for each that
 *          does not; n log n for a new order of the tree, made when the old one has become loose. */
#include "geometry/broad/broad.h"

#include <limits.h>
#include <string.h>

#include "geometry/broad/broad_box.h"
#include "geometry/broad/broad_motion.h"
#include "geometry/broad/broad_tree.h"
#include "geometry/shape/implicit_function.h"

/* A fat box is larger on every side by this fraction of the mean side. */
#define MARGIN 0.1
/* Ratio of candidates to (pairs that meet + boxes) above which fat boxes are checked for their size. */
#define TOO_MANY 6
/* A fat box that is larger than its intended size by this factor is too large. */
#define TOO_FAT 2.0
/* Initial room for pairs: a few for each box and some more, so that pairs that appear and vanish need no allocation. */
#define ROOM(n) (8 * (n) + 64)
/* The tree is ordered again when its blocks have grown by this factor. */
#define LOOSE 1.5

/* Boxes "hardly move" if less than this fraction of them leave their fat boxes per call, on average over some calls. */
#define HARDLY  0.015
#define AVERAGE 8

/* Further data that decides whether two boxes can be a pair; a change of it is treated like a move of the box. */
typedef struct traits {
    int body;
    bool moves;
    uint32_t group, mask;
} traits;

/* Two boxes that may meet. */
typedef struct candidate {
    pp_broad_pair pair;
    double until; /* see pp_motion_meets() */
} candidate;

/* Candidates, ordered by (i, j). */
typedef struct candidates {
    candidate *at;
    int n, cap;
} candidates;

struct pp_broad {
    int n;
    pp_box *fat;
    traits *trait;
    bool *bounded, *left; /* not infinite; has left its fat box in this call */
    int cap_fat, cap_trait, cap_bounded, cap_left;
    pp_tree tree;
    double built; /* looseness of the tree when it was made */
    bool crowded; /* too many candidates compared with the pairs found */
    candidates now, next;
    double leaving; /* average fraction of the boxes that leave their fat box in a call */
    bool slow;      /* boxes hardly move: their paths are tracked */
    pp_motion motion;
    pp_broad_pair *fresh; /* new candidates, in no order; and room to sort them */
    int cap_fresh;
    pp_broad_pair *sorted;
    int cap_sorted;
    int *count, cap_count;
    int *hit, cap_hit;
    int *infinite, ninfinite, cap_infinite;
};

pp_broad *pp_broad_create(const perp_allocator *a) {
    pp_broad *b = pp_alloc(a, sizeof *b);
    if (b) memset(b, 0, sizeof *b);
    return b;
}

void pp_broad_destroy(pp_broad *b, const perp_allocator *a) {
    if (!b) return;
    void *const all[] = {b->fat,    b->trait, b->bounded, b->left,     b->now.at,      b->next.at,     b->fresh,
                         b->sorted, b->count, b->hit,     b->infinite, b->motion.last, b->motion.path, b->motion.room};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) pp_free(a, all[k]);
    pp_tree_free(&b->tree, a);
    pp_free(a, b);
}

pp_box pp_box_union(pp_box a, pp_box b) {
    return (pp_box){{fmin(a.lo.x, b.lo.x), fmin(a.lo.y, b.lo.y), fmin(a.lo.z, b.lo.z)},
                    {fmax(a.hi.x, b.hi.x), fmax(a.hi.y, b.hi.y), fmax(a.hi.z, b.hi.z)}};
}

/* Coordinate axes to which the half-space is not parallel have no end on both sides; one along an axis ends there. */
static pp_box halfspace_box(const pp_placed *p) {
    pp_box b = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    perp_vec3 n = perp_q_rotate(p->X_WS.q, p->g->normal), at = perp_v3_axpy(p->X_WS.p, p->g->offset, n);
    double r = p->reach + 1e-15 * (fabs(p->g->offset) + perp_v3_norm(p->X_WS.p)); /* rounding of `at` */
    if (n.y == 0 && n.z == 0 && n.x != 0) *(n.x > 0 ? &b.hi.x : &b.lo.x) = n.x > 0 ? at.x + r : at.x - r;
    if (n.x == 0 && n.z == 0 && n.y != 0) *(n.y > 0 ? &b.hi.y : &b.lo.y) = n.y > 0 ? at.y + r : at.y - r;
    if (n.x == 0 && n.y == 0 && n.z != 0) *(n.z > 0 ? &b.hi.z : &b.lo.z) = n.z > 0 ? at.z + r : at.z - r;
    if (p->g->dim == 2) b.lo.z = b.hi.z = 0;
    return b;
}

/* perp_pose_apply() in the plane, to the last bit: the products with zeros are left out. */
static perp_vec3 apply_2d(perp_pose X, perp_vec3 x) {
    double tx = -(2 * (X.q.z * x.y)), ty = 2 * (X.q.z * x.x);
    return perp_v3(X.p.x + ((x.x + X.q.w * tx) - X.q.z * ty), X.p.y + ((x.y + X.q.w * ty) + X.q.z * tx), X.p.z + x.z);
}

pp_box pp_box_of(const pp_placed *p) {
    const pp_geometry *g = p->g;
    if (g->kind == PERP_SHAPE_HALFSPACE) return halfspace_box(p);
    if (pp_is_implicit(g)) { /* the bounding box of its bounding ball */
        double ball = g->bound + p->reach;
        perp_vec3 half = perp_v3(ball, ball, g->dim == 2 ? 0 : ball);
        return (pp_box){perp_v3_sub(p->X_WS.p, half), perp_v3_add(p->X_WS.p, half)};
    }
    double r = g->radius + p->reach;
    pp_box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bool flat = g->dim == 2 && p->X_WS.q.x == 0 && p->X_WS.q.y == 0;
    for (int v = 0; v < g->nvert; v++) {
        perp_vec3 x = flat ? apply_2d(p->X_WS, g->vert[v]) : perp_pose_apply(p->X_WS, g->vert[v]);
        if (isnan(x.x) || isnan(x.y) || isnan(x.z)) /* its place is not known: it may meet anything */
            return (pp_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        if (x.x < b.lo.x) b.lo.x = x.x;
        if (x.y < b.lo.y) b.lo.y = x.y;
        if (x.z < b.lo.z) b.lo.z = x.z;
        if (x.x > b.hi.x) b.hi.x = x.x;
        if (x.y > b.hi.y) b.hi.y = x.y;
        if (x.z > b.hi.z) b.hi.z = x.z;
    }
    double rz = g->dim == 2 ? 0 : r;
    b.lo = perp_v3_sub(b.lo, perp_v3(r, r, rz));
    b.hi = perp_v3_add(b.hi, perp_v3(r, r, rz));
    return b;
}

static bool box_finite(const pp_box *b) { return perp_v3_finite(b->lo) && perp_v3_finite(b->hi); }
static double mean_side(const pp_box *b) {
    return ((b->hi.x - b->lo.x) + (b->hi.y - b->lo.y) + (b->hi.z - b->lo.z)) / 3;
}

static pp_box fatten(const pp_box *b) {
    double m = MARGIN * mean_side(b);
    return (pp_box){{b->lo.x - m, b->lo.y - m, b->lo.z - m}, {b->hi.x + m, b->hi.y + m, b->hi.z + m}};
}

static traits traits_of(const pp_placed *p) { return (traits){p->body, p->moves, p->group, p->mask}; }
static bool same_traits(const traits *a, const traits *b) {
    return a->body == b->body && a->moves == b->moves && a->group == b->group && a->mask == b->mask;
}
static bool may_pair(const traits *a, const traits *b) {
    return a->body != b->body && (a->moves || b->moves) && (a->group & b->mask) && (b->group & a->mask);
}

static bool make_room(pp_broad *b, int n, const perp_allocator *a) {
    return PP_GROW(a, b->fat, b->cap_fat, b->n, n) && PP_GROW(a, b->trait, b->cap_trait, b->n, n) &&
           PP_GROW(a, b->bounded, b->cap_bounded, b->n, n) && PP_GROW(a, b->left, b->cap_left, b->n, n) &&
           PP_GROW(a, b->count, b->cap_count, 0, n + 1) && PP_GROW(a, b->hit, b->cap_hit, 0, n + 1) &&
           PP_GROW(a, b->motion.last, b->motion.cap_last, 0, n) &&
           PP_GROW(a, b->motion.path, b->motion.cap_path, 0, n) &&
           PP_GROW(a, b->motion.room, b->motion.cap_room, 0, n) && PP_GROW(a, b->now.at, b->now.cap, 0, ROOM(n)) &&
           PP_GROW(a, b->next.at, b->next.cap, 0, ROOM(n)) && PP_GROW(a, b->fresh, b->cap_fresh, 0, ROOM(n)) &&
           PP_GROW(a, b->sorted, b->cap_sorted, 0, ROOM(n));
}

/* Starts again with new boxes. */
static bool start_anew(pp_broad *b, int n, const pp_box *box, const pp_placed *placed, const perp_allocator *a) {
    b->n = 0;
    if (!make_room(b, n, a)) return false;
    b->ninfinite = 0;
    b->crowded = false;
    for (int i = 0; i < n; i++) {
        b->bounded[i] = box_finite(&box[i]);
        b->left[i] = b->bounded[i];
        b->fat[i] = fatten(&box[i]);
        b->trait[i] = traits_of(&placed[i]);
        if (b->bounded[i]) continue;
        if (!PP_GROW(a, b->infinite, b->cap_infinite, b->ninfinite, b->ninfinite + 1)) return false;
        b->infinite[b->ninfinite++] = i;
    }
    b->now.n = 0;
    b->slow = false;
    b->leaving = 0;
    if (!pp_tree_build(&b->tree, a, n, b->fat, b->bounded)) return false;
    b->built = pp_tree_refit(&b->tree);
    b->n = n;
    return true;
}

/* Marks the boxes that left their fat boxes and makes new fat boxes for them. @return how many; -1 if a box became infinite or finite,
 * or if the traits of an infinite one changed */
static int mark_left(pp_broad *b, const pp_box *box, const pp_placed *placed) {
    int count = 0;
    for (int i = 0; i < b->n; i++) {
        traits t = traits_of(&placed[i]);
        b->left[i] = false;
        if (!b->bounded[i]) {
            if (box_finite(&box[i]) || !same_traits(&t, &b->trait[i])) return -1;
            if (b->slow) pp_motion_follow_infinite(&b->motion, i, &box[i]);
            continue;
        }
        if (b->slow) pp_motion_follow(&b->motion, i, &box[i]);
        bool stays = b->slow ? pp_motion_inside(&b->motion, i, &b->fat[i]) : pp_box_inside(&box[i], &b->fat[i]);
        stays = stays && same_traits(&t, &b->trait[i]);
        if (stays && b->crowded) stays = mean_side(&b->fat[i]) <= TOO_FAT * (1 + 2 * MARGIN) * mean_side(&box[i]);
        if (stays) continue;
        if (!box_finite(&box[i])) return -1;
        b->left[i] = true;
        b->fat[i] = fatten(&box[i]);
        b->trait[i] = t;
        b->motion.room[i] = 0;
        pp_tree_set(&b->tree, i, &b->fat[i]);
        count++;
    }
    return count;
}

/* Adds pairs of box i with the m boxes in `with` to the new candidates, if they can be a pair. Marked boxes before i are skipped: these
 * pairs were added with the other box. False without memory. */
static bool add_fresh(pp_broad *b, int i, const int *with, int m, int *n, const perp_allocator *a) {
    if (m > INT_MAX / 2 - *n) return false;
    if (m > b->cap_fresh - *n && !PP_GROW(a, b->fresh, b->cap_fresh, *n, *n + m + *n / 2)) return false;
    const int *place = b->tree.place;
    for (int k = 0; k < m; k++) {
        int j = with[k];
        if (i == j || (b->left[j] && place[j] < place[i]) || !may_pair(&b->trait[i], &b->trait[j])) continue;
        b->fresh[(*n)++] = i < j ? (pp_broad_pair){i, j} : (pp_broad_pair){j, i};
    }
    return true;
}

/* New candidates of all boxes that left, into b->fresh. @return how many, -1 without memory */
static int ask_tree(pp_broad *b, int nleft, const perp_allocator *a) {
    int n = 0;
    const pp_tree *t = &b->tree;
    bool all = nleft == b->n - b->ninfinite; /* then it is enough to find each pair from its first box */
    for (int p = 0; p < t->nplace; p++) {
        int i = t->order[p];
        if (i < 0 || !b->left[i]) continue;
        int m = pp_tree_query(t, &b->fat[i], all ? p + 1 : 0, b->hit);
        if (!add_fresh(b, i, b->hit, m, &n, a) || !add_fresh(b, i, b->infinite, b->ninfinite, &n, a)) return -1;
    }
    for (int k = 0; b->now.n == 0 && k < b->ninfinite; k++) /* the first time: infinite ones with each other */
        if (!add_fresh(b, b->infinite[k], b->infinite + k + 1, b->ninfinite - k - 1, &n, a)) return -1;
    return n;
}

/* One pass of a stable counting sort by i or by j. */
static void sort_pass(pp_broad *b, const pp_broad_pair *from, pp_broad_pair *to, int m, bool by_j) {
    memset(b->count, 0, (size_t)(b->n + 1) * sizeof *b->count);
    for (int k = 0; k < m; k++) b->count[(by_j ? from[k].j : from[k].i) + 1]++;
    for (int i = 0; i < b->n; i++) b->count[i + 1] += b->count[i];
    for (int k = 0; k < m; k++) to[b->count[by_j ? from[k].j : from[k].i]++] = from[k];
}

static bool before(pp_broad_pair a, pp_broad_pair b) { return a.i != b.i ? a.i < b.i : a.j < b.j; }

/* Removes the candidates of marked boxes from the list and merges in the new ones. */
static bool merge(pp_broad *b, int m, const perp_allocator *a) {
    if (!PP_GROW(a, b->sorted, b->cap_sorted, 0, b->cap_fresh)) return false;
    sort_pass(b, b->fresh, b->sorted, m, true);
    sort_pass(b, b->sorted, b->fresh, m, false);
    candidates from = b->now, to = b->next;
    if (m > INT_MAX / 2 - from.n) return false;
    int most = from.n + m, k = 0;
    if (most > to.cap && !PP_GROW(a, b->next.at, b->next.cap, 0, most + most / 2)) return false;
    to = b->next;
    to.n = 0;
    for (int c = 0; c < from.n; c++) {
        pp_broad_pair old = from.at[c].pair;
        if (b->left[old.i] || b->left[old.j]) continue;
        for (; k < m && before(b->fresh[k], old); k++) to.at[to.n++] = (candidate){b->fresh[k], 0};
        to.at[to.n++] = from.at[c];
    }
    for (; k < m; k++) to.at[to.n++] = (candidate){b->fresh[k], 0};
    b->now = to;
    b->next = from;
    return true;
}

/* Starts to track the paths of the boxes. */
static void follow_all(pp_broad *b, const pp_box *box) {
    memcpy(b->motion.last, box, (size_t)b->n * sizeof *box);
    for (int i = 0; i < b->n; i++) {
        b->motion.path[i] = DBL_MIN; /* above the 0 of candidates that were never compared */
        b->motion.room[i] = 0;
    }
    for (int k = 0; k < b->now.n; k++) b->now.at[k].until = 0;
}

/* Updates fat boxes, tree and candidates. */
static bool update(pp_broad *b, int n, const pp_box *box, const pp_placed *placed, const perp_allocator *a) {
    int nleft = b->n == n ? mark_left(b, box, placed) : -1;
    if (nleft >= 0) b->leaving += ((double)nleft / n - b->leaving) / AVERAGE;
    if (nleft != 0) {
        if (nleft < 0) {
            if (!start_anew(b, n, box, placed, a)) return false;
            nleft = n - b->ninfinite;
        } else if (pp_tree_refit(&b->tree) > LOOSE * b->built) {
            if (!pp_tree_build(&b->tree, a, n, b->fat, b->bounded)) return false;
            b->built = pp_tree_refit(&b->tree);
        }
        int m = ask_tree(b, nleft, a);
        if (m < 0 || !merge(b, m, a)) return false;
    }
    bool slow = b->leaving < HARDLY;
    if (slow && !b->slow) follow_all(b, box);
    b->slow = slow;
    return true;
}

/* Boxes of candidates this far ahead are prefetched, because boxes of many bodies are scattered in memory. */
#define AHEAD 16

/* Writes the candidates that meet to `to`, which has room for all. The loop has no other branch, because the result of a comparison
 * cannot be predicted. @return how many */
static int compare_all(const candidates *c, const pp_box *box, pp_broad_pair *to) {
    int n = 0;
    for (int k = 0; k < c->n; k++) {
        if (k + AHEAD < c->n) PP_FETCH(&box[c->at[k + AHEAD].pair.j]);
        pp_broad_pair pair = c->at[k].pair;
        to[n] = pair;
        n += pp_box_meets(&box[pair.i], &box[pair.j]);
    }
    return n;
}

/* The same for boxes that hardly move. */
static int compare_due(const candidates *c, const pp_box *box, const double *path, pp_broad_pair *to) {
    int n = 0;
    for (int k = 0; k < c->n; k++) {
        candidate *x = &c->at[k];
        pp_broad_pair pair = x->pair;
        double paths = path[pair.i] + path[pair.j];
        bool meets = x->until > 0;
        if (!(paths <= fabs(x->until))) meets = pp_motion_meets(&box[pair.i], &box[pair.j], paths, &x->until);
        to[n] = pair;
        n += meets;
    }
    return n;
}

static void apply_filter(pp_couple_list *l, pp_pair_filter filter, const void *ctx) {
    int n = 0;
    for (int k = 0; k < l->n; k++)
        if (filter(l->couple[k].i, l->couple[k].j, ctx)) l->couple[n++] = l->couple[k];
    l->n = n;
}

perp_status pp_broad_pairs(pp_broad *b, int n, const pp_box *box, const pp_placed *placed, pp_pair_filter filter,
                           const void *ctx, const perp_allocator *a, pp_couple_list *out) {
    out->n = 0;
    if (n <= 0) return PERP_OK;
    if (!update(b, n, box, placed, a)) {
        b->n = 0; /* incomplete: the next call starts from the beginning */
        return PERP_E_MEMORY;
    }
    const candidates *c = &b->now;
    int room = c->n > ROOM(n) ? c->n : ROOM(n);
    if (!PP_GROW(a, out->couple, out->cap, 0, room)) return PERP_E_MEMORY;
    out->n = b->slow ? compare_due(c, box, b->motion.path, out->couple) : compare_all(c, box, out->couple);
    b->crowded = (c->n - (double)n * b->ninfinite) / TOO_MANY > (double)out->n + n;
    if (filter) apply_filter(out, filter, ctx);
    return PERP_OK;
}

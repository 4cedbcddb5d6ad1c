/* broad.c - boxes -> pairs of boxes that meet
 * Method   every box lies in a fat one. As long as it stays inside, its candidates (whose fat boxes meet its own) stand,
 *          and a call only compares candidates; a box that left gets a new fat box and asks the tree for new ones.
 *          Candidates are kept ordered by (i, j), so the answer comes out in order without sorting. Boxes with an
 *          infinite side are held against all others.
 * Valid    any boxes, a few of which may be infinite. What is kept decides how long a call takes and nothing else: the
 *          pairs are those whose boxes, as given, meet. A side that is not a number meets everything.
 * Cost     n + candidates as long as boxes stay in their fat ones; one query of the tree, about log n, for each that
 *          does not; n log n for a new order of the tree, made when the old one has become loose. */
#include "collision/broad.h"

#include <string.h>

#include "collision/broad_tree.h"
#include "collision/implicit_function.h"

/* A fat box is larger by this part of the mean side, on every side. */
#define MARGIN 0.1
/* Candidates per (pair that meets + box) from which on fat boxes are looked at for being too fat, */
#define TOO_MANY 6
/* and the factor of its due size that makes a fat box so. */
#define TOO_FAT 2.0
/* Room for pairs from the start: a few of each box and some more, so that what comes and goes allocates nothing. */
#define ROOM(n) (8 * (n) + 64)
/* The tree is ordered anew when its blocks are this much larger than they were. */
#define LOOSE 1.5

/* What else decides whether two boxes can be a pair; a change of it is treated like a move. */
typedef struct traits {
    int body;
    bool moves;
    uint32_t group, mask;
} traits;

/* Ordered pairs, by rows: partners j > i of box i from start[i] to start[i + 1]. */
typedef struct rows {
    int *start, cap_start;
    int *partner, cap_partner;
} rows;

struct pp_broad {
    int n;
    pp_box *fat;
    traits *trait;
    bool *bounded, *left; /* not infinite; has left its fat box in this call */
    int cap_fat, cap_trait, cap_bounded, cap_left;
    pp_tree tree;
    double built; /* looseness of the tree when it was made */
    bool crowded; /* too many candidates for what was found */
    rows now, next;
    pp_couple *fresh; /* new candidates, in no order; and room to sort them */
    int cap_fresh;
    pp_couple *sorted;
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
    void *const all[] = {b->fat,          b->trait, b->bounded, b->left,  b->now.start, b->now.partner, b->next.start,
                         b->next.partner, b->fresh, b->sorted,  b->count, b->hit,       b->infinite};
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

pp_box pp_box_of(const pp_placed *p) {
    const pp_geometry *g = p->g;
    if (g->kind == PERP_SHAPE_HALFSPACE) return halfspace_box(p);
    if (pp_is_implicit(g)) { /* the ball around it will do */
        double ball = g->bound + p->reach;
        perp_vec3 half = perp_v3(ball, ball, g->dim == 2 ? 0 : ball);
        return (pp_box){perp_v3_sub(p->X_WS.p, half), perp_v3_add(p->X_WS.p, half)};
    }
    double r = g->radius + p->reach;
    pp_box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int v = 0; v < g->nvert; v++) {
        perp_vec3 x = perp_pose_apply(p->X_WS, g->vert[v]);
        if (isnan(x.x) || isnan(x.y) || isnan(x.z)) /* wherever that is, it may meet anything */
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

static bool meet(const pp_box *a, const pp_box *b) {
    return !(a->lo.x > b->hi.x) & !(b->lo.x > a->hi.x) & !(a->lo.y > b->hi.y) & !(b->lo.y > a->hi.y) &
           !(a->lo.z > b->hi.z) & !(b->lo.z > a->hi.z);
}

static bool inside(const pp_box *a, const pp_box *b) {
    return (a->lo.x >= b->lo.x) & (a->hi.x <= b->hi.x) & (a->lo.y >= b->lo.y) & (a->hi.y <= b->hi.y) &
           (a->lo.z >= b->lo.z) & (a->hi.z <= b->hi.z);
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
           PP_GROW(a, b->count, b->cap_count, 0, n + 1) && PP_GROW(a, b->now.start, b->now.cap_start, 0, n + 1) &&
           PP_GROW(a, b->next.start, b->next.cap_start, 0, n + 1) && PP_GROW(a, b->hit, b->cap_hit, 0, n + 1) &&
           PP_GROW(a, b->now.partner, b->now.cap_partner, 0, ROOM(n)) &&
           PP_GROW(a, b->next.partner, b->next.cap_partner, 0, ROOM(n)) &&
           PP_GROW(a, b->fresh, b->cap_fresh, 0, ROOM(n)) && PP_GROW(a, b->sorted, b->cap_sorted, 0, ROOM(n));
}

/* Boxes as if for the first time. */
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
    for (int i = 0; i <= n; i++) b->now.start[i] = 0;
    if (!pp_tree_build(&b->tree, a, n, b->fat, b->bounded)) return false;
    b->built = pp_tree_refit(&b->tree);
    b->n = n;
    return true;
}

/* Marks the boxes that left and gives them new fat ones. @return how many, or -1 if one became infinite or finite */
static int mark_left(pp_broad *b, const pp_box *box, const pp_placed *placed) {
    int count = 0;
    for (int i = 0; i < b->n; i++) {
        traits t = traits_of(&placed[i]);
        b->left[i] = false;
        if (!b->bounded[i]) {
            if (box_finite(&box[i])) return -1;
            b->trait[i] = t;
            continue;
        }
        bool stays = inside(&box[i], &b->fat[i]) && same_traits(&t, &b->trait[i]);
        if (stays && b->crowded) stays = mean_side(&b->fat[i]) <= TOO_FAT * (1 + 2 * MARGIN) * mean_side(&box[i]);
        if (stays) continue;
        if (!box_finite(&box[i])) return -1;
        b->left[i] = true;
        b->fat[i] = fatten(&box[i]);
        b->trait[i] = t;
        pp_tree_set(&b->tree, i, &b->fat[i]);
        count++;
    }
    return count;
}

/* New candidates of all boxes that left, into b->fresh. @return how many, -1 without memory */
static int ask_tree(pp_broad *b, int nleft, const perp_allocator *a) {
    int n = 0;
    const pp_tree *t = &b->tree;
    bool all = nleft == b->n - b->ninfinite; /* then each pair is found from its first box alone */
    for (int p = 0; p < t->nplace; p++) {
        int i = t->order[p];
        if (i < 0 || !b->left[i]) continue;
        int m = pp_tree_query(t, &b->fat[i], all ? p + 1 : 0, b->hit);
        if (m > b->cap_fresh - n && !PP_GROW(a, b->fresh, b->cap_fresh, n, n + m + n / 2)) return -1;
        for (int k = 0; k < m; k++) {
            int j = b->hit[k];
            if (i == j || (b->left[j] && t->place[j] < p) || !may_pair(&b->trait[i], &b->trait[j])) continue;
            b->fresh[n++] = i < j ? (pp_couple){i, j} : (pp_couple){j, i};
        }
    }
    return n;
}

/* One pass of a stable counting sort by i or by j. */
static void sort_pass(pp_broad *b, const pp_couple *from, pp_couple *to, int m, bool by_j) {
    memset(b->count, 0, (size_t)(b->n + 1) * sizeof *b->count);
    for (int k = 0; k < m; k++) b->count[(by_j ? from[k].j : from[k].i) + 1]++;
    for (int i = 0; i < b->n; i++) b->count[i + 1] += b->count[i];
    for (int k = 0; k < m; k++) to[b->count[by_j ? from[k].j : from[k].i]++] = from[k];
}

/* Takes the candidates of boxes that left out of the rows and merges the new ones in. */
static bool merge(pp_broad *b, int m, const perp_allocator *a) {
    if (!PP_GROW(a, b->sorted, b->cap_sorted, 0, b->cap_fresh)) return false;
    sort_pass(b, b->fresh, b->sorted, m, true);
    sort_pass(b, b->sorted, b->fresh, m, false);
    rows *from = &b->now, *to = &b->next;
    int old = from->start[b->n], k = 0, out = 0;
    if (old + m > to->cap_partner && !PP_GROW(a, to->partner, to->cap_partner, 0, old + m + (old + m) / 2))
        return false;
    for (int i = 0; i < b->n; i++) {
        to->start[i] = out;
        int at = b->left[i] ? from->start[i + 1] : from->start[i], end = from->start[i + 1];
        for (; at < end; at++) {
            int j = from->partner[at];
            if (b->left[j]) continue;
            for (; k < m && b->fresh[k].i == i && b->fresh[k].j < j; k++) to->partner[out++] = b->fresh[k].j;
            to->partner[out++] = j;
        }
        for (; k < m && b->fresh[k].i == i; k++) to->partner[out++] = b->fresh[k].j;
    }
    to->start[b->n] = out;
    rows swap = b->now;
    b->now = b->next;
    b->next = swap;
    return true;
}

/* Brings fat boxes, tree and candidates up to date. */
static bool update(pp_broad *b, int n, const pp_box *box, const pp_placed *placed, const perp_allocator *a) {
    int nleft = b->n == n ? mark_left(b, box, placed) : -1;
    if (nleft == 0) return true;
    if (nleft < 0) {
        if (!start_anew(b, n, box, placed, a)) return false;
        nleft = n - b->ninfinite;
    } else if (pp_tree_refit(&b->tree) > LOOSE * b->built) {
        if (!pp_tree_build(&b->tree, a, n, b->fat, b->bounded)) return false;
        b->built = pp_tree_refit(&b->tree);
    }
    int m = ask_tree(b, nleft, a);
    return m >= 0 && merge(b, m, a);
}

/* Candidates this far ahead are fetched: boxes of many bodies lie all over the memory. */
#define AHEAD 16

/* Adds those of the m partners of box i that it meets to the end of the list. Room first, then no branch but the loop:
 * whether two candidates meet is anybody's guess. Partners of other boxes follow up to `end`. */
static bool add_row(pp_couple_list *l, const pp_box *box, int i, const int *partner, int m, const int *end,
                    const perp_allocator *a) {
    if (m > l->cap - l->n && !PP_GROW(a, l->couple, l->cap, l->n, l->n + m)) return false;
    pp_couple *to = l->couple;
    const pp_box own = box[i];
    int n = l->n;
    for (int k = 0; k < m; k++) {
        if (end - (partner + k) > AHEAD) PP_FETCH(&box[partner[k + AHEAD]]);
        to[n] = (pp_couple){i, partner[k]};
        n += meet(&own, &box[partner[k]]);
    }
    l->n = n;
    return true;
}

/* The pairs of box i with infinite ones from number `next` on, and, if it is infinite itself, with all after it. They
 * go between the pairs of its row, which begin at `first`. */
static bool add_infinite(const pp_broad *b, pp_couple_list *l, const pp_box *box, int i, int next, int first,
                         const perp_allocator *a) {
    bool all = !b->bounded[i];
    int m = all ? b->n - i - 1 : b->ninfinite - next;
    if (m > l->cap - l->n && !PP_GROW(a, l->couple, l->cap, l->n, l->n + m)) return false;
    for (int k = 0; k < m; k++) {
        int u = all ? i + 1 + k : b->infinite[next + k];
        if (!may_pair(&b->trait[i], &b->trait[u]) || !meet(&box[i], &box[u])) continue;
        int at = l->n++;
        for (; !all && at > first && l->couple[at - 1].j > u; at--) l->couple[at] = l->couple[at - 1];
        l->couple[at] = (pp_couple){i, u};
    }
    return true;
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
        b->n = 0; /* half done: the next call begins anew */
        return PERP_E_MEMORY;
    }
    if (!PP_GROW(a, out->couple, out->cap, 0, ROOM(n))) return PERP_E_MEMORY;
    int next = 0; /* first infinite box after i */
    const int *start = b->now.start;
    for (int i = 0; i < n; i++) {
        int first = out->n;
        while (next < b->ninfinite && b->infinite[next] <= i) next++;
        const int *partner = b->now.partner;
        bool ok = add_row(out, box, i, partner + start[i], start[i + 1] - start[i], partner + start[n], a);
        if (ok && (next < b->ninfinite || !b->bounded[i])) ok = add_infinite(b, out, box, i, next, first, a);
        if (ok) continue;
        out->n = 0;
        return PERP_E_MEMORY;
    }
    b->crowded = start[n] / TOO_MANY > out->n + n;
    if (filter) apply_filter(out, filter, ctx);
    return PERP_OK;
}

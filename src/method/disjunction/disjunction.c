/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction.c - builds the constraints of a frame and solves it for models that consist of rules. See disjunction.h. */
#include "method/disjunction/disjunction.h"

#include <string.h>

#include "base/clock.h"
#include "stage/collide/contact_fill.h"
#include "method/contact/end_pose.h"
#include "stage/contact_model.h"
#include "stage/solve/jammed.h"
#include "stage/collide/collide.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"

/* The reach of a shape is twice its travel, or more if a contact was missed before. For the detector this costs little.
 * Here every feature within reach makes the problem larger, and if a vertex is near two corners of one body the
 * constraints contradict each other. So the travel itself is used. It already is that of the fastest neighbour. */
#define MARGIN 2

/* The array with room for `need` elements, in the arena. The old one stays there until the arena is reset. Without memory the array as it is,
 * and r->memory. */
static void *with_room(pp_rules *r, void *array, int *cap, int used, int need, size_t size) {
    if (need <= *cap) return array;
    int more = 2 * need > 32 ? 2 * need : 32;
    void *bigger = pp_arena_get(&r->f->w->arena, size * (size_t)more);
    if (!bigger) {
        r->memory = true;
        return array;
    }
    if (used > 0) memcpy(bigger, array, size * (size_t)used);
    *cap = more;
    return bigger;
}
#define ROOM(r, array, cap, used, need) \
    ((array) = with_room((r), (array), &(cap), (used), (need), sizeof *(array)), (cap) >= (need))

/* Adds a contact with its flags; returns -1 if out of memory. */
static int add_contact(pp_rules *r, const pp_pair *p, bool primary) {
    int n = r->d.ncontact;
    if (!ROOM(r, r->contact, r->cap_contact, n, n + 1) || !ROOM(r, r->shape, r->cap_shape, 2 * n, 2 * n + 2) ||
        !ROOM(r, r->primary, r->cap_primary, n, n + 1) || !ROOM(r, r->d.plain, r->cap_plain, n, n + 1))
        return -1;
    pp_contact_fill(r->f, p, &r->contact[n], r->shape + 2 * n);
    r->primary[n] = primary;
    r->d.plain[n] = false;
    r->d.ncontact++;
    return n;
}

int pp_rules_contact(pp_rules *r, const pp_potential *p) {
    for (int k = r->first; k < r->d.ncontact; k++)
        if (r->contact[k].feature == p->feature) return k;
    pp_pair pair = {r->i, r->j, p->feature, p->a_W, p->b_W, p->n_W, p->gap};
    return add_contact(r, &pair, p->primary);
}

void pp_rules_unilateral(pp_rules *r, int contact) {
    if (contact >= 0 && r->primary[contact]) r->d.plain[contact] = true;
}

/* Adds a group unless the present pair already has the same one. */
static void add_group(pp_rules *r, int n, const int *contact, int primary) {
    pp_disjunction *d = &r->d;
    for (int g = r->first_group; g < d->ngroup; g++) {
        const pp_group *have = &d->group[g];
        if (have->count == n && have->primary == primary &&
            !memcmp(d->member + have->first, contact, sizeof *contact * (size_t)n))
            return;
    }
    if (!ROOM(r, d->group, r->cap_group, d->ngroup, d->ngroup + 1) ||
        !ROOM(r, d->member, r->cap_member, d->nmember, d->nmember + n))
        return;
    d->group[d->ngroup++] = (pp_group){d->nmember, n, primary};
    memcpy(d->member + d->nmember, contact, sizeof *contact * (size_t)n);
    d->nmember += n;
}

void pp_rules_inter(pp_rules *r, int n, const int *contact) {
    if (r->memory || n == 0) return;
    if (n == 1) {
        pp_rules_unilateral(r, contact[0]);
        return;
    }
    int *sorted = PP_ARENA_ARRAY(&r->f->w->arena, int, n), at = 0;
    if (!sorted) {
        r->memory = true;
        return;
    }
    for (int k = 0; k < n; k++)
        if (r->primary[contact[k]]) sorted[at++] = contact[k];
    int primary = at;
    if (primary == 0) return;
    for (int k = 0; k < n; k++)
        if (!r->primary[contact[k]]) sorted[at++] = contact[k];
    add_group(r, n, sorted, primary);
}

void pp_rules_cross(pp_rules *r, int pushes, int other, bool force) {
    if (r->memory || pushes < 0 || other < 0) return;
    const int both[2] = {pushes, other};
    add_group(r, 2, both, force && r->primary[pushes] ? 1 : 0);
}

/* Drops X constraints whose contacts can carry no force in any constraint. */
static bool drop_helpless(pp_rules *r) {
    pp_disjunction *d = &r->d;
    bool *able = PP_ARENA_ZERO(&r->f->w->arena, bool, d->ncontact);
    if (!able) return false;
    for (int k = 0; k < d->ncontact; k++) able[k] = d->plain[k];
    for (int g = 0; g < d->ngroup; g++)
        for (int k = 0; k < d->group[g].primary; k++) able[d->member[d->group[g].first + k]] = true;
    int n = 0;
    for (int g = 0; g < d->ngroup; g++) {
        bool some = d->group[g].primary > 0;
        for (int k = 0; k < d->group[g].count; k++) some |= able[d->member[d->group[g].first + k]];
        if (some) d->group[n++] = d->group[g];
    }
    d->ngroup = n;
    return true;
}

/* Drops contacts that are in no constraint: for example a vertex near one facet that it does not point at. */
static bool drop_idle(pp_rules *r) {
    pp_disjunction *d = &r->d;
    int *now = PP_ARENA_ZERO(&r->f->w->arena, int, d->ncontact), n = 0;
    if (!now) return false;
    for (int k = 0; k < d->ncontact; k++) now[k] = d->plain[k];
    for (int g = 0; g < d->ngroup; g++)
        for (int k = 0; k < d->group[g].count; k++) now[d->member[d->group[g].first + k]] = true;
    for (int k = 0; k < d->ncontact; k++) {
        if (!now[k]) continue;
        r->contact[n] = r->contact[k];
        r->shape[2 * n] = r->shape[2 * k];
        r->shape[2 * n + 1] = r->shape[2 * k + 1];
        d->plain[n] = d->plain[k];
        now[k] = n++;
    }
    d->ncontact = n;
    for (int g = 0; g < d->ngroup; g++)
        for (int k = 0; k < d->group[g].count; k++) {
            int *member = &d->member[d->group[g].first + k];
            *member = now[*member];
        }
    return true;
}

/* The solid of a placed shape; made on the first call. */
static const pp_solid *solid_of(pp_rules *r, pp_solid *solid, int k) {
    if (!solid[k].g && !pp_polytope_place(&r->f->collide.placed[k], &r->f->w->arena, &solid[k])) r->memory = true;
    return &solid[k];
}

perp_status pp_rules_run(pp_frame *f, pp_pair_rules rules, pp_disjunction *d) {
    perp_world *w = f->w;
    pp_rules r = {.f = f};
    pp_solid *solid = PP_ARENA_ZERO(&w->arena, pp_solid, f->collide.nplaced);
    r.memory = !solid;
    for (int k = 0, next; !r.memory && k < w->found.pairs.n; k = next) {
        const pp_pair *p = &w->found.pairs.pair[k];
        for (next = k + 1; next < w->found.pairs.n && p[next - k].i == p->i && p[next - k].j == p->j;) next++;
        const pp_placed *A = &f->collide.placed[p->i], *B = &f->collide.placed[p->j];
        r.i = p->i;
        r.j = p->j;
        r.first = r.d.ncontact;
        r.first_group = r.d.ngroup;
        if (pp_is_polytope(A->g) && pp_is_polytope(B->g)) {
            const pp_solid *a = solid_of(&r, solid, p->i), *b = solid_of(&r, solid, p->j);
            if (r.memory) break;
            r.near = pp_near_features_of(a, A->reach / MARGIN, b, B->reach / MARGIN);
            rules(&r);
            r.d.slack = fmax(r.d.slack, pp_touching(A->g, B->g, A->X_WS.p) / f->h);
            continue;
        }
        for (int m = k; m < next; m++) pp_rules_unilateral(&r, add_contact(&r, &w->found.pairs.pair[m], true));
    }
    if (r.memory || !drop_helpless(&r) || !drop_idle(&r))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the contacts");
    f->contacts.at = r.contact;
    f->contacts.shape = r.shape;
    f->contacts.n = r.d.ncontact;
    *d = r.d;
    return PERP_OK;
}

static perp_status solve_posed(pp_frame *f, const void *disjunction) { return pp_disjunction_solve(f, disjunction); }

/* Solves with the contacts of the start. */
static perp_status solve_at_start(pp_frame *f, pp_pair_rules rules, double gamma, pp_disjunction *d) {
    double t = pp_clock();
    perp_status st = pp_collide(f);
    pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
    if (!st && f->purpose != PP_STEP) { /* contacts that touch at the start, at velocity level */
        st = pp_contacts_of_pairs(f);
        if (!st) st = pp_formulate(f, &(pp_pose_options){.no_lift = f->method.jammed});
        return st ? st : pp_solve_step(f, &(pp_solve_options){.no_lift = f->method.jammed});
    }
    if (!st) st = pp_rules_run(f, rules, d);
    d->gamma = gamma;
    pp_clocked(f->w, PERP_STAGE_CONTACT, &t);
    if (!st) st = pp_formulate(f, &(pp_pose_options){.no_lift = f->method.jammed});
    pp_clocked(f->w, PERP_STAGE_STEPPER, &t);
    if (!st) st = pp_solve_jammed(f, pp_disjunction_solve(f, d), &(pp_solve_method){solve_posed, d, d->ngroup == 0});
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    return st;
}

/* The contacts of the start and the constraints over them. The search for features that may meet is done there. */
typedef struct start {
    const perp_contact *contact;
    const int *shape;
    int n;
    const pp_disjunction *d;
} start;

static int place_of(const pp_frame *f, int slot) {
    int lo = 0, hi = f->collide.nplaced - 1; /* sorted by slot */
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (f->collide.placed[mid].slot < slot)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The contact of the same features of two polytopes at the present poses. */
static perp_status features_now(pp_frame *f, pp_solid *solid, int i, int j, uint64_t feature, pp_pair *out) {
    pp_rules r = {.f = f};
    pp_near_features near = {.A = solid_of(&r, solid, i), .B = solid_of(&r, solid, j)};
    if (r.memory) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    int owner = pp_feature_owner(feature), a = pp_feature_a(feature), b = pp_feature_b(feature);
    pp_potential p;
    if (pp_feature_kind(feature) == PP_VERTEX_FACE)
        p = pp_vertex_facet(&near, owner, a, b);
    else if (!pp_edge_edge(&near, a, b, owner, &p))
        return pp_fail(f->w, PERP_E_SOLVE, "two edges that may meet became parallel at t = %g", f->s0->t);
    *out = (pp_pair){i, j, feature, p.a_W, p.b_W, p.n_W, p.gap};
    return PERP_OK;
}

/* The present contact of a pair with a curved shape: the one on the same features, otherwise the deepest. If the shapes
 * are no longer within reach, the old contact with their reach as gap. */
static pp_pair found_now(const pp_frame *f, int i, int j, const perp_contact *c) {
    const pp_pair_list *l = &f->w->found.pairs;
    pp_pair best = {i, j, c->feature, c->a_W, c->b_W, c->n_W, f->collide.placed[i].reach + f->collide.placed[j].reach};
    bool any = false;
    for (int k = 0; k < l->n; k++) {
        const pp_pair *p = &l->pair[k];
        if (p->i != i || p->j != j) continue;
        if (p->feature == c->feature) return *p;
        if (!any || p->gap < best.gap) best = *p;
        any = true;
    }
    best.feature = c->feature;
    return best;
}

/* The same contacts at the end poses. */
static perp_status contacts_at_end(pp_frame *f, void *ctx) {
    const start *s = ctx;
    pp_solid *solid = PP_ARENA_ZERO(&f->w->arena, pp_solid, f->collide.nplaced);
    perp_status st = pp_contact_room(f, s->n);
    if (!solid) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int k = 0; !st && k < s->n; k++) {
        int i = place_of(f, s->shape[2 * k]), j = place_of(f, s->shape[2 * k + 1]);
        pp_pair now;
        if (pp_is_polytope(f->collide.placed[i].g) && pp_is_polytope(f->collide.placed[j].g))
            st = features_now(f, solid, i, j, s->contact[k].feature, &now);
        else
            now = found_now(f, i, j, &s->contact[k]);
        if (st) break;
        pp_contact_fill(f, &now, &f->contacts.at[k], f->contacts.shape + 2 * k);
        f->contacts.n++;
    }
    return st;
}

static perp_status solve_again(pp_frame *f, void *ctx) { return pp_disjunction_solve(f, ((const start *)ctx)->d); }

perp_status pp_disjunction_model(pp_frame *f, pp_pair_rules rules, double gamma) {
    pp_disjunction d;
    perp_status st = solve_at_start(f, rules, gamma, &d);
    if (st || !pp_at_end(f)) return st;
    start s = {f->contacts.at, f->contacts.shape, f->contacts.n, &d};
    const pp_end_model m = {.contacts = contacts_at_end, .solve = solve_again, .ctx = &s};
    st = pp_end_rounds(f, &m);
    if (st != PERP_E_SOLVE || !f->task.last_resort) return st;
    pp_end_give_up(f);
    return solve_at_start(f, rules, gamma, &d);
}

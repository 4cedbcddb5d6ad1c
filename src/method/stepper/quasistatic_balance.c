/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quasistatic_balance.c - proves that no forces of contacts, joints and supports balance the loads of a quasistatic step
 * Problem  Is there an r with  F + G r = 0,  r in K?  F: impulses of the loads. K: normal impulses push, friction lies in its cone (or in its
 *          disc if the normal force of a support is known), joints are within their bounds. A body in the air has no such r, nor has a
 *          block on a slope steeper than friction allows.
 * Proof    A motion d along which the loads do more work than r can take:
 *              d . F + min over r in K of (G'd) . r > 0.
 *          The minimum is 0 for contacts that open at least mu times as fast as they slip, and for joint rows that do not move. It is
 *          -mu p_n |slip| at a support, and the bound times the rate at a bounded row.
 * Method   d = Minv (F + G r) for the r in K that minimises its norm (Moreau: then G'd lies in the dual cone and d . F > 0). r is found by
 *          projected block Gauss-Seidel, island by island. Independent code then checks d from the rows alone: if G'd misses the dual cone by
 *          delta_i, balance needs sum_i |r_i| delta_i >= the work, so impulses of at least work/(n max delta_i). The proof is accepted
 *          if this is ENOUGH times the load.
 * Valid    Pyramids lie within the cones used here, so a proof for cones is one for them. Near the limit of friction, and if the sweeps
 *          converge slowly, nothing is proven.
 * Cost     Linear in the rows per sweep; only in steps whose rounds do not end soon.
 * Source   Farkas (1902); Moreau (1962) for the decomposition. */
#include "method/stepper/quasistatic_balance.h"

#include <math.h>
#include <string.h>

#include "problem/islands.h"
#include "problem/rows.h"
#include "base/elementary.h"

#define EVERY    40    /* [sweeps] between two checks of d */
#define BALANCED 1e-10 /* [1] a smaller rest of the load is rounding, or as good as balanced */
/* [1] multiple of the load: normals and lever arms are not accurate enough for a balance with larger impulses to be
 * meaningful */
#define ENOUGH 1e6

/* Normal impulse of a support: the row has no lever arm, and its compliance determines the impulse. Negative: an
 * ordinary contact. */
static double known_normal(const perp_step_problem *p, const perp_contact_row *c) {
    if (pp_row_inverse_mass(p, &c->n) > 0 || !(c->compliance > 0)) return -1;
    return fmax(0, -c->b_n / c->compliance);
}

/* Friction rows of a contact and the axes of its ellipsoid; returns their number. */
static int friction_rows(const perp_step_problem *p, const perp_contact_row *c, const perp_row *row[PP_FRICTION_ROWS],
                         double axis[PP_FRICTION_ROWS]) {
    double e[PP_FRICTION_ROWS];
    int n = 0;
    if (c->nd == 0 || !(c->mu > 0)) return 0;
    pp_friction_axes(c, e);
    for (int k = 0; k < (p->dim == 3 ? PP_FRICTION_ROWS : 1); k++)
        if (e[k] > 0) row[n] = pp_friction_row(c, k), axis[n++] = e[k];
    return n;
}

/* ---- the check ---- */

/* Work that impulses can take. For an unbounded impulse: the distance of its rate from the allowed set, as a velocity
 * of unit mass. */
typedef struct resisted {
    double most; /* largest of these distances */
    double work; /* largest work of bounded impulses */
    int n;       /* number of rows with unbounded impulses */
} resisted;

static void resist(resisted *t, double missing, double inverse_mass) {
    if (!(inverse_mass > 0)) return;
    t->n++;
    if (missing > 0) t->most = fmax(t->most, missing / sqrt(inverse_mass));
}

static void resist_joint(const perp_step_problem *p, const perp_joint_row *j, const double *d, resisted *t) {
    double rate = pp_row_dot(p, &j->row, d), bound = rate > 0 ? j->lo : j->hi; /* the impulse that opposes d */
    if (isfinite(bound))
        t->work += fmax(0, -bound * rate);
    else
        resist(t, fabs(rate), pp_row_inverse_mass(p, &j->row));
}

static void resist_contact(const perp_step_problem *p, const perp_contact_row *c, const double *d, resisted *t) {
    const perp_row *row[PP_FRICTION_ROWS];
    double axis[PP_FRICTION_ROWS], slip = 0, normal = known_normal(p, c);
    int n = friction_rows(p, c, row, axis);
    for (int k = 0; k < n; k++) slip = pp_hypot(slip, axis[k] * pp_row_dot(p, row[k], d));
    if (normal >= 0)
        t->work += n > 0 ? c->mu * normal * slip : 0;
    else
        resist(t, (n > 0 ? c->mu * slip : 0) - pp_row_dot(p, &c->n, d), pp_row_inverse_mass(p, &c->n));
}

static double load_size(const perp_step_problem *p, const double *force) {
    double sum = 0;
    for (int b = 0; b < p->nblock; b++) {
        const double *Mi = p->Minv + 36 * (ptrdiff_t)b, *F = force + p->block_offset[b];
        for (int i = 0; i < p->block_ndof[b]; i++)
            for (int k = 0; k < p->block_ndof[b]; k++) sum += F[i] * Mi[6 * k + i] * F[k];
    }
    return sqrt(fmax(0, sum));
}

double pp_imbalance_check(const perp_step_problem *p, const double *force, const double *d) {
    resisted t = {0};
    double work = 0, terms = 0, load = load_size(p, force);
    for (int i = 0; i < p->ndof; i++) work += d[i] * force[i], terms += fabs(d[i] * force[i]);
    for (int i = 0; i < p->njoint; i++) resist_joint(p, &p->joint[i], d, &t);
    for (int i = 0; i < p->ncontact; i++) resist_contact(p, &p->contact[i], d, &t);
    if (!(work - t.work > 1e-12 * (terms + t.work)) || !(load > 0) || !isfinite(work)) return 0; /* rounding */
    return t.most > 0 ? (work - t.work) / (t.n * t.most * load) : INFINITY;
}

/* ---- the search ---- */

typedef struct search {
    const perp_step_problem *p;
    double *d;         /* ndof: Minv (F + G r) */
    double *p_joint;   /* njoint */
    double *p_contact; /* PERP_CONE_ROWS x ncontact: normal and friction, the latter divided by the axes */
} search;

static void sweep_joint(search *s, int i) {
    const perp_joint_row *j = &s->p->joint[i];
    double W = pp_row_inverse_mass(s->p, &j->row);
    if (!(W > 0)) return;
    double to = s->p_joint[i] - pp_row_dot(s->p, &j->row, s->d) / W;
    to = to < j->lo ? j->lo : to > j->hi ? j->hi : to;
    pp_row_spread(s->p, &j->row, to - s->p_joint[i], s->d);
    s->p_joint[i] = to;
}

/* Projects (x[0], x[1..n]) on the cone |x[1..n]| <= mu x[0]; with known >= 0 on the disc of radius mu known. */
static void project(double *x, int n, double mu, double known) {
    double slip = 0, normal = known >= 0 ? known : x[0];
    for (int k = 1; k <= n; k++) slip = pp_hypot(slip, x[k]);
    double keep = 1;
    if (known >= 0) {
        keep = slip > mu * normal ? mu * normal / slip : 1;
    } else if (n == 0 || !(mu > 0)) {
        normal = fmax(0, normal);
    } else if (mu * slip <= -normal) {
        normal = keep = 0;
    } else if (slip > mu * normal) {
        normal = (normal + mu * slip) / (1 + mu * mu);
        keep = mu * normal / slip;
    }
    x[0] = normal;
    for (int k = 1; k <= n; k++) x[k] *= keep;
}

static void sweep_contact(search *s, int i) {
    const perp_step_problem *p = s->p;
    const perp_contact_row *c = &p->contact[i];
    const perp_row *row[PERP_CONE_ROWS] = {&c->n};
    double axis[PERP_CONE_ROWS] = {1}, known = known_normal(p, c), W = pp_row_inverse_mass(p, &c->n),
           *x = s->p_contact + PERP_CONE_ROWS * i, to[PERP_CONE_ROWS] = {0};
    int n = friction_rows(p, c, row + 1, axis + 1);
    for (int k = 1; k <= n; k++) W += axis[k] * axis[k] * pp_row_inverse_mass(p, row[k]);
    if (!(W > 0)) return;
    for (int k = 0; k <= n; k++) to[k] = x[k] - axis[k] * pp_row_dot(p, row[k], s->d) / W;
    project(to, n, c->mu, known);
    for (int k = known >= 0 ? 1 : 0; k <= n; k++) pp_row_spread(p, row[k], axis[k] * (to[k] - x[k]), s->d);
    memcpy(x, to, sizeof to);
}

/* Finds a motion that the loads drive and nothing resists (s->d). Returns the value of pp_imbalance_check(). */
static double search_motion(search *s, const double *force, int sweeps) {
    const perp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; b++) {
        const double *Mi = p->Minv + 36 * (ptrdiff_t)b;
        int at = p->block_offset[b], nd = p->block_ndof[b];
        for (int i = 0; i < nd; i++) {
            s->d[at + i] = 0;
            for (int k = 0; k < nd; k++) s->d[at + i] += Mi[6 * k + i] * force[at + k];
        }
    }
    double load = load_size(p, force), least = 0, work = 0;
    for (int sweep = 0; load > 0 && sweep < sweeps && least < ENOUGH; sweep++) {
        for (int i = 0; i < p->njoint; i++) sweep_joint(s, i);
        for (int i = 0; i < p->ncontact; i++) sweep_contact(s, i);
        if ((sweep + 1) % EVERY) continue;
        work = 0;
        for (int i = 0; i < p->ndof; i++) work += s->d[i] * force[i];
        if (!(work > BALANCED * load * load)) return 0;
        least = pp_imbalance_check(p, force, s->d);
    }
    return least;
}

/* Block of the body whose load does the most work. */
static int most_work(const perp_step_problem *p, const double *force, const double *d) {
    double most = 0;
    int who = 0;
    for (int b = 0; b < p->nblock; b++) {
        double work = 0;
        for (int i = p->block_offset[b]; i < p->block_offset[b] + p->block_ndof[b]; i++) work += d[i] * force[i];
        if (work > most) most = work, who = b;
    }
    return who;
}

/* Largest component of Minv F: the velocity change that the loads would make. */
static double largest_change(const perp_step_problem *p, const double *force, int block) {
    const double *Mi = p->Minv + 36 * (ptrdiff_t)block, *F = force + p->block_offset[block];
    double most = 0;
    for (int i = 0; i < p->block_ndof[block]; i++) {
        double sum = 0;
        for (int k = 0; k < p->block_ndof[block]; k++) sum += Mi[6 * k + i] * F[k];
        most = fmax(most, fabs(sum));
    }
    return most;
}

/* little: smaller velocities are ignored. */
static perp_status find_in_island(const pp_frame *f, const pp_island *island, const double *force, double little,
                                  int sweeps, pp_imbalance *out) {
    const perp_step_problem *p = &island->p;
    pp_arena *a = &f->w->arena;
    double *F = PP_ARENA_ARRAY(a, double, p->ndof);
    search s = {.p = p,
                .d = PP_ARENA_ARRAY(a, double, p->ndof),
                .p_joint = PP_ARENA_ZERO(a, double, p->njoint),
                .p_contact = PP_ARENA_ZERO(a, double, PERP_CONE_ROWS * p->ncontact)};
    if (!F || !s.d || !s.p_joint || !s.p_contact) return PERP_E_MEMORY;
    for (int b = 0; b < p->nblock; b++)
        memcpy(F + p->block_offset[b], force + f->pose.problem.block_offset[island->block[b]],
               sizeof *F * (size_t)p->block_ndof[b]);
    double least = search_motion(&s, F, sweeps), fastest = 0;
    for (int i = 0; i < p->ndof; i++) fastest = fmax(fastest, fabs(s.d[i]));
    if (least >= ENOUGH && fastest > little)
        *out = (pp_imbalance){
            .block = island->block[most_work(p, F, s.d)], .rows = p->njoint + p->ncontact, .least = least};
    return PERP_OK;
}

/* A body with a load that no row constrains; -1: none. */
static int loose(const pp_frame *f, const double *force, const pp_island *island, int n, double little, bool *held) {
    const perp_step_problem *p = &f->pose.problem;
    for (int k = 0; k < n; k++)
        for (int b = 0; b < island[k].p.nblock; b++) held[island[k].block[b]] = true;
    for (int b = 0; b < p->nblock; b++)
        if (!held[b] && largest_change(p, force, b) > little) return b;
    return -1;
}

perp_status pp_find_imbalance(const pp_frame *f, const double *force, int sweeps, pp_imbalance *out) {
    const perp_step_problem *p = &f->pose.problem;
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    pp_island *island;
    int n;
    double little = 0;
    for (int b = 0; b < p->nblock; b++) little = fmax(little, f->w->def.tolerance * largest_change(p, force, b));
    *out = (pp_imbalance){.block = -1};
    bool *held = PP_ARENA_ZERO(a, bool, p->nblock);
    perp_status st = held ? pp_islands_split(p, a, &island, &n) : PERP_E_MEMORY;
    if (!st) {
        out->block = loose(f, force, island, n, little, held);
        out->least = INFINITY;
    }
    for (int k = 0; !st && out->block < 0 && k < n; k++) st = find_in_island(f, &island[k], force, little, sweeps, out);
    pp_arena_release(a, mark);
    return st ? pp_fail(f->w, st, "out of memory for the balance of %d bodies", p->nblock) : PERP_OK;
}

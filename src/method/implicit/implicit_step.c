/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_step.c - the geometrically implicit step by rounds, see implicit_step.h
 * Law      M(q+) nu+ = M(q) nu + h f + W(q+) p,  q+ = q (+) h nu+,  0 <= p_n _|_ psi(q+) >= 0, Coulomb's law with the slip
 *          W_t(q+)' nu+ (Berard 3.82, 3.83); velocity products are in M(q+), see src/stage/control/control.c.
 * Method   Each round poses the step problem at the end pose of the last, its gaps linearised there, so that an answer that
 *          leads to the same pose solves the whole. What a round leaves is a part h |dW/dq| |p|/m of what it found, so few
 *          are needed; where the change does not fall any more, poses are averaged. A step that does not settle is halved.
 * Source   Berard 3.5; closest points in src/geometry/narrow/implicit_closest.c. The printed mixed problem, all unknowns at once,
 *          is solved by test/law/test_implicit.c with the suite's NCP solvers and agrees. */
#include "method/implicit/implicit_step.h"

#include <string.h>

#include "stage/collide/contact_fill.h"
#include "method/contact/end_pose.h"
#include "stage/control/belt.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "stage/certify/contact_work.h"
#include "stage/stepper.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/jammed.h"
#include "stage/solve/solve.h"
#include "stage/update/update.h"
#include "base/elementary.h"

#define MAX_ROUNDS 120
/* With held points: if a change is larger than this many times the smallest so far, a shorter part of the way is taken. */
#define WORSE    3.0
#define SHORTER  0.5
#define SHORTEST 0.1
#define IN_VAIN  30 /* rounds in which the change has not halved, after which the rounds end */
/* Change of a round, relative to the speeds, up to which the end pose of the shortest part is accepted although it does not converge
 * further. The contact points of a nearly flat face on a plane jump. Over such a part the error is 1e-3/256 of the way of a step. */
#define ROUGH 1e-3
#define SPAWNED \
    1e-6 /* as a part of the size of a body: overlap at the start of a step that no earlier step can have left */
#define TOUCHING 1e-7 /* as a part of the size of a body: gap below which two bodies touch */
/* Part of the kinetic energy that contacts may add in a whole step of the world, and proportionally less in a part of one. A few steps may
 * reach it; a run of many stays below what a certificate calls fair. */
#define MOST_GAIN  3e-5
#define MOST_PARTS 50 /* halvings of a step for this reason; shorter steps are not divided further, whatever they add */

/* ---- poses ---- */

/* Moves the bodies by the mean velocity of the step. */
static void move(pp_implicit_work *k) {
    const pp_frame *f = k->f;
    for (int b = 0; b < f->control.nblock; b++)
        (void)pp_move_block(f, b, f->s0, k->drift + f->control.block_offset[b], f->h, &k->end, NULL);
}

/* Sets k->drift, the mean velocity of the step. Without springs that keep energy it is the end velocity nu. With them it
 * is the mean of the velocities at start and end, plus a correction for impulses of rigid contacts and joints. Each such
 * impulse displaces the bodies over a part `lever` of the step: 1 for joints and for contacts without layers, less for
 * cores, which are met within the step. */
static void set_drift(pp_implicit_work *k, const double *nu) {
    const pp_frame *f = k->f;
    memcpy(k->drift, nu, (size_t)f->control.ndof * sizeof *nu);
    if (!k->keeps_energy) return;
    double *by_core = k->next;
    memset(by_core, 0, (size_t)f->control.ndof * sizeof *by_core);
    for (int i = 0; k->rigid && i < f->contacts.n; i++)
        if (k->rigid[i] != 0)
            pp_row_spread(&f->pose.problem, &f->pose.problem.contact[i].n, (k->lever[i] - 0.5) * k->rigid[i], by_core);
    for (int i = 0; i < f->pose.problem.njoint; i++)
        pp_row_spread(&f->pose.problem, &f->pose.problem.joint[i].row, 0.5 * f->solve.solution.p_joint[i], by_core);
    for (int i = 0; i < f->control.ndof; i++) k->drift[i] = 0.5 * (f->control.nu0[i] + nu[i]) + by_core[i];
}

/* ---- a round ---- */

static uint64_t feature_of(const pp_meet *m) {
    return m->how == PP_MEET_CLOSEST ? 0 : pp_feature(PP_VERTEX_FACE, 0, 0, m->which);
}

/* Size of the smaller of two shapes; a half-space has none. */
static double size_of(const pp_implicit_work *k, const pp_meet *e) {
    const pp_geometry *a = k->placed[e->i].g, *b = k->placed[e->j].g;
    if (a->kind == PERP_SHAPE_HALFSPACE) return b->size;
    return b->kind == PERP_SHAPE_HALFSPACE ? a->size : fmin(a->size, b->size);
}

/* Did the pair overlap at the start by more than a step leaves? */
static bool was_within(const pp_implicit_work *k, const pp_meet *e) { return e->gap0 < -SPAWNED * size_of(k, e); }

/* Overlap that a pair may keep at the end. A pair that was placed in overlap keeps what it cannot leave at a modest speed; in relaxed
 * rounds it keeps all. The overlap of a layer is its deflection, and the law of the layer removes it. */
static double allowance(const pp_implicit_work *k, const pp_meet *e) {
    const pp_frame *f = k->f;
    if (!k->relaxed && !was_within(k, e)) return 0;
    perp_pair_law law = pp_contact_law(f->w, k->placed[e->i].slot, k->placed[e->j].slot);
    if (k->compliant && law.compliance != PERP_RIGID) return 0;
    if (k->relaxed) return fmax(0, -e->gap0);
    return fmax(0, -e->gap0 - pp_recovery_speed(f->w, size_of(k, e)) * f->h);
}

static perp_status write_contacts(pp_implicit_work *k, double **gap) {
    pp_frame *f = k->f;
    double *allow = PP_ARENA_ARRAY(&f->w->arena, double, k->nmeet);
    bool some = false;
    perp_status st = pp_contact_room(f, k->nmeet);
    *gap = PP_ARENA_ARRAY(&f->w->arena, double, k->nmeet);
    if (st) return st;
    if (!*gap || !allow) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", k->nmeet);
    for (int m = 0; m < k->nmeet; m++) {
        const pp_meet *e = &k->meet[m];
        pp_pair p = {.i = e->i,
                     .j = e->j,
                     .feature = feature_of(e),
                     .a_W = e->held_at.a_W,
                     .b_W = e->held_at.b_W,
                     .n_W = e->held_at.n_W,
                     .gap = e->gap0};
        pp_contact_fill(f, &p, &f->contacts.at[m], f->contacts.shape + 2 * m);
        (*gap)[m] = e->held_at.gap;
        allow[m] = allowance(k, e);
        some |= allow[m] > 0;
    }
    f->demand.allowance = some ? allow : NULL;
    f->contacts.n = k->nmeet;
    return PERP_OK;
}

/* Notes the velocity of drives in the slip along the rows of friction, before springs along the surface change the rows. */
static perp_status note_driven(pp_frame *f) {
    double *driven = PP_ARENA_ARRAY(&f->w->arena, double, PP_FRICTION_ROWS * f->contacts.n);
    if (!driven) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int i = 0; i < f->contacts.n; i++) pp_note_driven(&f->pose.problem.contact[i], driven + PP_FRICTION_ROWS * i);
    f->pose.slip_driven = driven;
    return PERP_OK;
}

static perp_status solve_round(pp_implicit_work *k, bool held) {
    pp_frame *f = k->f;
    double *gap;
    perp_status st = pp_implicit_measure(k);
    if (!st) st = write_contacts(k, &gap);
    if (st) return st;
    f->demand.end_gap = gap;
    f->demand.end_nu = k->nu;
    f->demand.levers = &k->end;
    pp_end_inertia(f, &k->end);
    if (k->compliant) st = pp_layers_begin(k);
    if (!st) st = pp_formulate(f, &(pp_pose_options){.no_lift = k->no_lift});
    if (!st && k->compliant) st = note_driven(f);
    if (st) return st;
    if (k->compliant)
        pp_layers_rows(k, (perp_contact_row *)(uintptr_t)f->pose.problem.contact); /* just made, in the arena */
    if (held) st = pp_points_stiffen(k);
    if (!st) st = pp_solve_step(f, &(pp_solve_options){.no_lift = k->no_lift});
    f->pose.problem.M = f->control.M;
    f->pose.problem.Minv = f->control.Minv;
    f->pose.problem.momentum = f->control.momentum;
    return st;
}

static void step_on(pp_implicit_work *k, const double *nu, double part) {
    for (int i = 0; i < k->f->control.ndof; i++) k->nu[i] += part * (nu[i] - k->nu[i]);
    set_drift(k, k->nu);
    move(k);
}

/* Solves a round whose problem is used in this round only. */
static perp_status begin_round(pp_implicit_work *k, pp_arena_mark mark, bool held) {
    pp_frame *f = k->f;
    pp_arena_release(&f->w->arena, mark);
    f->pose.problem =
        pp_free_problem(f); /* the answer of the last round is gone, and this round may fail before it has its own */
    f->contacts.n = 0;
    return solve_round(k, held);
}

/* Accepts the answer of a round whose end pose differs by the velocity c->by. Its laws may be missed by this much. */
static void take_roughly(pp_implicit_work *k, const pp_end_change *c) {
    pp_frame *f = k->f;
    f->solve.residual.normal = fmax(f->solve.residual.normal, c->by);
    f->solve.acceptance = fmax(f->solve.acceptance, c->by / c->scale);
    f->solve.fallbacks++;
    pp_logf(f->w, PERP_LOG_WARNING, "step %llu: the end pose of a part of h = %g settles to %.3g of the speeds only",
            (unsigned long long)f->w->state.step, f->h, c->by / c->scale);
    step_on(k, f->solve.solution.nu, 1);
}

/* Where the round with the least change began: velocities and held points. */
typedef struct best_round {
    double by; /* its change [L/T]; INFINITY: none yet */
    double *nu;
    pp_meet *meet;
} best_round;

static perp_status best_room(pp_implicit_work *k, best_round *b) {
    *b = (best_round){.by = INFINITY,
                      .nu = PP_ARENA_ARRAY(&k->f->w->arena, double, k->f->control.ndof),
                      .meet = PP_ARENA_ARRAY(&k->f->w->arena, pp_meet, k->nmeet)};
    return b->nu && b->meet ? PERP_OK : pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts");
}

static void keep_best(const pp_implicit_work *k, double by, best_round *b) {
    if (!(by < b->by)) return;
    b->by = by;
    memcpy(b->nu, k->nu, (size_t)k->f->control.ndof * sizeof *b->nu);
    memcpy(b->meet, k->meet, (size_t)k->nmeet * sizeof *b->meet);
}

/* The round with the least change again, to take it: the rounds after it did no better. PERP_E_SOLVE if it is too far off. */
static perp_status take_best(pp_implicit_work *k, const best_round *b, pp_arena_mark mark) {
    pp_frame *f = k->f;
    if (b->by < INFINITY) {
        memcpy(k->nu, b->nu, (size_t)f->control.ndof * sizeof *b->nu);
        memcpy(k->meet, b->meet, (size_t)k->nmeet * sizeof *b->meet);
        set_drift(k, k->nu);
        move(k);
        perp_status st = begin_round(k, mark, true);
        if (st) return st;
        bool other = k->compliant && pp_layers_changed(k);
        pp_end_change c = pp_end_changed(f, &k->end, k->nu, f->solve.solution.nu);
        c.by = fmax(c.by, pp_points_change(k));
        if (!other && c.by <= ROUGH * c.scale) {
            take_roughly(k, &c);
            return PERP_OK;
        }
    }
    return pp_fail(f->w, PERP_E_SOLVE, "the end pose of the step did not settle at t = %g (h = %g): %d contacts",
                   f->s0->t, f->h, f->contacts.n);
}

/* Runs rounds until the end pose no longer changes, to rounding. If it keeps changing, contact points are held (implicit_points.c). */
static perp_status rounds(pp_implicit_work *k) {
    pp_frame *f = k->f;
    pp_convergence s = {.before = INFINITY};
    best_round best;
    perp_status st = pp_points_room(k);
    if (!st) st = best_room(k, &best);
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    bool held = false;
    double part = 1, least = INFINITY; /* least change since the last shorter part */
    double above = INFINITY;           /* change that the rounds since then have not halved */
    int since = 0;                     /* how many they are */
    for (int round = 0; !st && round < MAX_ROUNDS; round++) {
        if ((st = begin_round(k, mark, held))) return st;
        bool other = k->compliant && pp_layers_changed(k);
        pp_end_change c = pp_end_changed(f, &k->end, k->nu, f->solve.solution.nu);
        if (held) c.by = fmax(c.by, pp_points_change(k));
        pp_iteration_state v = pp_convergence_check(&s, f, &c, other);
        if (v == PP_SETTLED && !held) {
            step_on(k, f->solve.solution.nu, 1);
            return PERP_OK;
        }
        if (v == PP_SETTLED) {
            step_on(k, f->solve.solution.nu, 1);
            if ((st = pp_implicit_measure(k))) return st;
            if (pp_points_settled(k, f->h * fmax(f->w->def.tolerance * c.scale, c.finest))) return PERP_OK;
        }
        if (held) {
            bool worse = c.by > WORSE * least;
            part = worse ? fmax(SHORTER * part, SHORTEST) : fmin(1, part / SHORTER);
            since = c.by < 0.5 * above ? 0 : since + 1;
            above = since == 0 ? c.by : above;
            if (!other) keep_best(k, c.by, &best);
            if (since > IN_VAIN) break;
            least = worse ? c.by : fmin(least, c.by);
            step_on(k, pp_points_next(k, part, worse), 1);
        } else {
            step_on(k, f->solve.solution.nu, v == PP_GO_HALF ? 0.5 : 1);
        }
        if (v == PP_GO_HALF && !held) {
            if ((st = pp_implicit_measure(k))) return st;
            pp_points_hold(k);
            held = true;
            s = (pp_convergence){.before = INFINITY};
        }
    }
    if (st) return st;
    if (!k->rough) best.by = INFINITY;
    return take_best(k, &best, mark);
}

/* ---- energy ---- */

/* Does a contact push for another reason than to hold: because it bounces, or because overlap of the start is undone? */
static bool pushes_off(const pp_implicit_work *k, int i) {
    const pp_frame *f = k->f;
    if (!(f->solve.solution.p_contact[3 * i] > 0)) return false;
    const perp_contact_row *row = &f->pose.problem.contact[i];
    bool soft = row->compliance > 0; /* its compression is not penetration */
    return (!soft && was_within(k, &k->meet[i])) || isfinite(pp_rebound_rhs(f, i, row));
}

/* Contacts posed at the end of a step may add energy, as for a body that turns over its tip: the levers at the end are not those along the
 * way. This gain falls with the square of the step, so a shorter step is requested. *gains: is it too much? */
static perp_status look_at_gain(const pp_implicit_work *k, bool *gains) {
    pp_frame *f = k->f;
    pp_contact_work a;
    *gains = false;
    if (k->last || f->contacts.n == 0 || f->h < f->w->def.h / MOST_PARTS) return PERP_OK;
    if (!pp_contact_work_of(f, &a)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int i = 0; i < f->contacts.n; i++) /* energy gained there has other causes, which other code limits */
        if (pushes_off(k, i)) {
            int at = pp_work_island(&a, &f->pose.problem.contact[i].n);
            a.work[at] = a.rule[at] = 0;
        }
    double sum = 0, kinetic = 0;
    for (int b = 0; b < f->control.nblock; b++) {
        if (a.parent[b] != b) continue;
        sum += fmax(0, a.work[b] + a.rule[b]); /* only errors of the integration rule are measured here */
        kinetic += a.kinetic[b];
    }
    *gains = sum > MOST_GAIN * (f->h / f->w->def.h) * kinetic;
    return PERP_OK;
}

/* ---- the step ---- */

static perp_status begin(pp_implicit_work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    perp_status st = pp_collide_place(w, f->s1, &f->collide);
    if (!st) st = pp_state_new(w, &k->end);
    if (st) return st;
    pp_state_copy(w, &k->end, f->s1);
    k->nu = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    k->drift = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    k->next = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    k->placed = PP_ARENA_ARRAY(&w->arena, pp_placed, f->collide.nplaced);
    if (!k->nu || !k->drift || !k->next || !k->placed) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    f->pose.problem = pp_free_problem(f);
    pp_step_velocity(&f->pose.problem, NULL, NULL, k->nu);
    memcpy(k->placed, f->collide.placed, (size_t)f->collide.nplaced * sizeof *k->placed);
    st = pp_implicit_pairs(k);
    if (st) return st;
    f->collide.placed = k->placed; /* frames of contacts are those of the end */
    return PERP_OK;
}

/* Writes the end state: velocities of the end, displacements by the mean velocity. */
static perp_status finish(pp_implicit_work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    double *gap = PP_ARENA_ARRAY(&w->arena, double, k->nmeet);
    if (!gap) return pp_fail(w, PERP_E_MEMORY, "out of memory for the contacts");
    perp_status st = pp_implicit_measure(k);
    for (int m = 0; !st && m < k->nmeet; m++) gap[m] = k->meet[m].at.gap;
    f->method.true_gap = gap;
    if (!st && k->compliant) st = pp_layers_end(k);
    if (!k->keeps_energy) return st ? st : pp_update(f);
    return st ? st : pp_update_along(f, k->drift);
}

/* Runs rounds from the guess in k->nu, until no pair is missing. */
static perp_status settle(pp_implicit_work *k) {
    perp_status st = PERP_OK;
    set_drift(k, k->nu);
    move(k);
    for (int added = 1; !st && added;) {
        st = rounds(k);
        if (!st) st = pp_implicit_measure(k);
        if (!st) st = pp_implicit_missed(k, &added);
    }
    return st;
}

/* Does a driven body touch another at the start? */
static bool driven_touches(const pp_implicit_work *k) {
    for (int m = 0; m < k->nmeet; m++) {
        const pp_placed *a = &k->placed[k->meet[m].i], *b = &k->placed[k->meet[m].j];
        bool driven = pp_shape_drives(k->f, a->slot) || pp_shape_drives(k->f, b->slot);
        if (driven && k->meet[m].gap0 <= TOUCHING * size_of(k, &k->meet[m])) return true;
    }
    return false;
}

/* A way to find an answer. at_rest: the first round is posed where everything stays in place, otherwise where it moves without constraints.
 * Gaps that are linearised far from the answer may ask for more room than there is, which a wedge with friction cannot give. relaxed: overlap
 * of the start may remain, which a wedge cannot undo. no_lift: no contact is asked to open. This always has an answer; it is reported as a
 * jam. */
typedef struct way {
    bool at_rest, relaxed, no_lift;
} way;

perp_status pp_implicit_step(pp_frame *f, bool compliant, bool keeps_energy) {
    static const way ways[] = {
        {0}, {.at_rest = true, .relaxed = true}, {.at_rest = true, .relaxed = true, .no_lift = true}};
    pp_implicit_work k = {.f = f, .compliant = compliant, .keeps_energy = keeps_energy};
    /* where most of the work of the step is done, no shorter part has enough left to do better */
    bool due = pp_jam_due(f);
    k.last = f->task.last_resort || due;
    int n = k.last && !compliant ? 3 : 2; /* the demand of a layer is its own deflection */
    if (due) pp_jam_may_work(f->w);
    perp_status st = begin(&k);
    for (int i = 0; i < n; i++) {
        if (st && (i == 0 || st != PERP_E_SOLVE || f->w->run.work.done > f->w->run.work.limit)) break;
        for (int m = 0; m < k.nmeet; m++) k.meet[m].core = false;
        if (ways[i].at_rest) memset(k.nu, 0, (size_t)f->control.ndof * sizeof *k.nu);
        k.relaxed = ways[i].relaxed;
        k.rough = k.last && i > 0;
        k.no_lift = f->method.jammed = ways[i].no_lift;
        st = settle(&k);
        if (!st) break;
    }
    bool gains = false;
    if (!st) st = look_at_gain(&k, &gains);
    if (gains)
        st = pp_fail(f->w, PERP_E_SOLVE, "contacts would add energy at t = %g (h = %g): %d of them", f->s0->t, f->h,
                     f->contacts.n);
    f->advice.blocked = !gains && st == PERP_E_SOLVE && driven_touches(&k);
    if (!st) st = finish(&k);
    f->demand.levers = NULL; /* they point into k, which ends here */
    f->demand.end_nu = NULL;
    return st;
}

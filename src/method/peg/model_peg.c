/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_peg.c - contact model "peg": Polytope Exact Geometry in its separating-plane form
 *
 * Law      At the end of the step every pair of convex shapes is separated by some plane, and impulses act only where the shapes touch
 *          there. Williams' unilateral, inter-contact and cross-contact constraints (ch. 4) together say the same: the free space
 *          near a corner is not convex, and a step must choose one side of it.
 * Method   Fixed-point rounds. With one plane for each relevant pair, the step is an ordinary contact problem. A round solves it, moves the
 *          bodies and measures the true geometry at the end. Pairs that overlap there are added, on the plane of their first contact
 *          (peg_pairs.c). Pairs that carry an impulse although another plane separates them strictly switch to that plane. Gaps are
 *          measured, and the problem is posed again with them (iterated geometry), until nothing changes and the true gaps hold.
 *          Impulses act at the start of the step. So momentum is conserved exactly, and the motion between impacts is of second order
 *          (SHAKE). With `geometry: once` gaps stay linearised at the start, as in the publications. With `geometry: end` impulses,
 *          friction and inertia belong to the end poses, and the rounds end when the velocity converges (end_pose.h).
 * Checks   A solution is rejected if it pushes a body through a face that the body had not been in front of, or if contacts add energy.
 *          Rounds in which contacts add more energy than there was are ended, and rounds that no longer get closer to a solution.
 * Fallback The modes are tried in this order:
 *          1 Penetration of the start may stay. With friction a wedge can lock so that not even 1e-10 of penetration can be undone.
 *            Left out if rounds only did not converge: they would go through the same cycle.
 *          2 Impulses act at the end poses.
 *          3 If a problem had no solution: pairs that touch at a corner use the other side of the corner. Example: a body corner in the
 *            crack between a floor and a wall is held by the side of the wall or by its lower edge; friction can jam it between that
 *            edge and the floor.
 *          4 The caller halves the step. At the last division, or at once if a driven body is inside another one: planes that did not
 *            separate at the start are excluded; then gaps are linearised; then contacts are only kept from closing further.
 * Source   Williams ch. 4; docs/theory.md, section 9. The mixed problem as printed is the model "peg-mixed". */
#include <string.h>

#include "base/patience.h"
#include "base/clock.h"
#include "base/rounding.h"
#include "problem/rows.h"
#include "stage/collide/contact_fill.h"
#include "stage/contact_model.h"
#include "stage/control/belt.h"
#include "method/peg/peg.h"
#include "stage/solve/jammed.h"
#include "stage/solve/joint_rounds.h"
#include "solver/auto/auto.h"
#include "stage/pose/support_rows.h"
#include "stage/collide/collide.h"
#include "stage/pose/formulate.h"
#include "stage/pose/slip.h"
#include "stage/solve/solve.h"
#include "base/elementary.h"
#include "math/turn_free.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/solver_chain.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [rounds] Largest number of rounds of a substep, not counting rounds that only add pairs. Half and double: other bits
 * only. */
#define MAX_ROUNDS 40
/* [1] Largest tolerance of a round that is followed by another one. Half and double: no effect. */
#define LOOSE 1e-2
/* [1] Largest tolerance of such a round, as a multiple of the tolerance of the world. With answers that miss by more, other contacts stick or
 * slide in each round, and the rounds do not converge. With 10 to 300 the hardest step of 50 dominoes takes 38 ms, with 1000 250 ms, without this limit 870 ms.
 * Iterations of tumbling hulls: +10 % at 10, -1 % at 300. */
#define MOST_SLACK 100
/* [1] Residual that the answer of a round may have, as a fraction of the present gap error. Half: no effect;
 * double: other bits only. */
#define SHARE 0.04
/* [1] A round is solved loosely only if its residual may exceed this multiple of the tolerance: a smaller one saves no
 * work. Half and double: no effect. */
#define WORTH 3
/* [rounds] Rounds in a row that may fail to halve the smallest gap error, if no pair is added and planes or gaps still
 * change: a cycle. Of rounds that converge, one in a thousand needs more than 8. Half: demo -9 %, hulls divide more
 * steps; double: demo +15 %. */
#define MAX_STALLED 16
/* [planes] Largest number of planes that are tried for pairs which two planes separate equally well. */
#define MAX_TIES 32
/* [1] Relative uncertainty of efforts and impulses of a solution, as a multiple of the tolerance. Another plane must
 * lower the effort, or a contact stay below its friction limit, by more than that. */
#define LESS 100
/* [rounds] Largest number of rounds that bring gaps and slips from within tolerance to rounding. Half: other bits only; double:
 * no effect. */
#define MAX_POLISH 12
/* [rounds] Number of rounds in a substep that select unique loads. New pairs may be found after such a round. Half:
 * work -2 %; double: work +6 %. */
#define MAX_SELECTIONS 3

void pp_peg_destroy(struct pp_peg *m, const perp_allocator *a) {
    if (!m) return;
    pp_free(a, m->pair);
    pp_free(a, m->old_pair);
    pp_free(a, m->row);
    pp_free(a, m->new_row);
    pp_free(a, m->tries.contact);
    pp_free(a, m->tries.joint);
    pp_solve_memory_destroy(&m->memory, a);
    pp_free(a, m->round.pair);
    pp_free(a, m->couples.couple);
    pp_free(a, m->nu);
    pp_broad_destroy(m->broad, a);
    pp_free(a, m);
}

static perp_status peg_lists(perp_world *w) {
    if (w->found.peg) return PERP_OK;
    struct pp_peg *m = pp_alloc(&w->alloc, sizeof *m);
    if (!m) return pp_fail(w, PERP_E_MEMORY, "out of memory for the contact model");
    memset(m, 0, sizeof *m);
    m->broad = pp_broad_create(&w->alloc);
    /* reserve now: a curved pair has few contacts, but the pair with most of them may appear late */
    if (!m->broad || !PP_GROW(&w->alloc, m->round.pair, m->round.cap, 0, 64)) {
        pp_peg_destroy(m, &w->alloc);
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the contact model");
    }
    w->found.peg = m;
    return PERP_OK;
}

/* Bounding box of a shape at the start, at the end if it is driven, and along its free motion. */
static pp_box fat_box(const pp_peg_work *k, int i, const double *nu_free) {
    const pp_frame *f = k->f;
    const pp_placed *at = &f->collide.placed[i];
    const pp_solid *s = &k->start.solid[i], *e = &k->end.solid[i];
    pp_box b = pp_box_union((pp_box){s->lo, s->hi}, (pp_box){e->lo, e->hi});
    double more = 1e-3 * at->g->size;
    int blk = f->control.block[at->body];
    if (blk >= 0) {
        const double *v = nu_free + f->control.block_offset[blk];
        more += f->h * perp_v3_norm(perp_v3(v[0], v[1], f->w->def.dim == 3 ? v[2] : 0)) + pp_turn_travel(k, i, nu_free);
    }
    perp_vec3 d = perp_v3(more, more, f->w->def.dim == 3 ? more : 0);
    if (at->g->kind == PERP_SHAPE_HALFSPACE) return b;
    return (pp_box){perp_v3_sub(b.lo, d), perp_v3_add(b.hi, d)};
}

/* Speed that the solver's tolerance refers to. */
static double speed_scale(const pp_frame *f, const double *nu) {
    double s = f->h * fmax(perp_v3_norm(f->w->def.gravity_W), pp_support_press(f->w));
    for (int b = 0; b < f->control.nblock; b++) {
        const double *v = nu + f->control.block_offset[b];
        /* norm: independent of the axes */
        s = fmax(s, perp_v3_norm(perp_v3(v[0], v[1], f->w->def.dim == 3 ? v[2] : 0)));
    }
    return s;
}

static perp_status poses(pp_peg_work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    bool driven = false;
    for (int b = 0; b < w->nbody; b++) {
        if (!pp_alive(w->body[b].gen) || w->body[b].kind != PERP_BODY_KINEMATIC) continue;
        driven = !f->task.half; /* half kicks act at the start pose of all bodies */
        k->turn[b] =
            pp_q_log_near(perp_q_mul(f->s1->X[b].q, perp_q_conj(f->s0->X[b].q)), perp_v3_scale(f->h, f->s1->w[b]));
    }
    perp_status st = pp_poses_new(k, &k->start);
    if (!st) st = pp_poses_new(k, &k->end);
    if (!st && driven) st = pp_poses_new(k, &k->force);
    if (st) return st;
    pp_poses_place(k, &k->start, f->s0);
    if (driven)
        pp_poses_place_like(k, &k->force, f->s1, &k->start);
    else
        k->force = k->start;
    pp_state_copy(w, &k->end_state, f->s1);
    pp_poses_place_like(k, &k->end, &k->end_state, &k->start);
    return PERP_OK;
}

static bool probes(pp_peg_work *k) {
    int nv = 1, nf = 1;
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        if (k->f->collide.placed[i].g->nvert > nv) nv = k->f->collide.placed[i].g->nvert;
        if (k->f->collide.placed[i].g->nface > nf) nf = k->f->collide.placed[i].g->nface;
    }
    pp_arena *a = &k->f->w->arena;
    for (int s = 0; s < 2; s++) {
        k->probe[s].v = PP_ARENA_ARRAY(a, perp_vec3, nv);
        k->probe[s].n = PP_ARENA_ARRAY(a, perp_vec3, nf);
        if (!k->probe[s].v || !k->probe[s].n) return false;
    }
    return true;
}

/* Are there many contacts, some with friction? Then an exact solution may take hundreds of solver iterations. */
static bool is_hard(const pp_peg_work *k) {
    const perp_world *w = k->f->w;
    double mu = 0;
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++) mu = fmax(mu, w->law[i].mu);
    return k->m->nrow > PP_FEW_CONTACTS && mu > 0;
}

/* Tolerance of the next solve as a multiple of the world's tolerance, if gaps will have the error `miss` and another
 * round must follow anyway. It is loose while that error is much larger than those of an exact solution. */
static double slack_for(const pp_peg_work *k, double miss) {
    if (k->linear || k->f->w->def.form != PERP_FORM_CONE || (!k->loose_tolerance && !is_hard(k))) return 1;
    double by = SHARE * miss / k->least;
    return by > WORTH ? fmax(1, fmin(by, fmin(MOST_SLACK, LOOSE / k->f->w->def.tolerance))) : 1;
}

/* Curvature error of the path of the points of placed shape i by rotation: the error at the end of gaps that are linear
 * at the start [L]. */
static double bend_of_way(const pp_peg_work *k, int i, const double *nu) {
    double way = pp_turn_travel(k, i, nu), size = k->f->collide.placed[i].g->size;
    return k->f->collide.placed[i].moves && size > 0 ? way * way / size : 0;
}

/* The largest of them. */
static double bend_of_ways(const pp_peg_work *k, const double *nu) {
    double bend = 0;
    for (int i = 0; i < k->f->collide.nplaced; i++) bend = fmax(bend, bend_of_way(k, i, nu));
    return bend;
}

/* As long as gaps have errors, contacts contradict each other by as much, so that a solution is far away or does not
 * exist. Answers of such rounds need not be better than their gap errors, because another round follows. Solvers still
 * aim at the usual tolerance. first: gaps are linear at the start. */
static void allow_for_gap_errors(pp_peg_work *k, bool first) {
    const pp_frame *f = k->f;
    double *allowed = k->options.allowed;
    memset(allowed, 0, (size_t)f->control.nblock * sizeof *allowed);
    if (k->linear || f->w->def.form != PERP_FORM_CONE) return;
    for (int i = 0; i < f->collide.nplaced; i++) {
        int body = f->collide.placed[i].body, b = f->control.block[body];
        if (b < 0) continue;
        double miss = first ? bend_of_way(k, i, k->m->nu) : k->gap_error[body];
        allowed[b] = fmax(allowed[b], SHARE * miss / k->least);
    }
}

static perp_status begin(pp_frame *f, pp_peg_work *k) {
    perp_world *w = f->w;
    *k = (pp_peg_work){.f = f};
    perp_status st = peg_lists(w);
    if (!st) st = pp_collide_place(w, f->s1, &f->collide);
    if (!st) st = pp_state_new(w, &k->end_state);
    if (!st) st = pp_state_new(w, &k->way);
    if (st) return st;
    pp_state_copy(w, &k->way, f->s0);
    k->m = w->found.peg;
    k->linear = w->def.geometry == PERP_GEOMETRY_ONCE || !w->chosen.stepper->end_gaps;
    k->at_end = pp_at_end(f);
    k->loose_tolerance = w->def.tolerance > PP_LOOSE_TOLERANCE && w->def.form == PERP_FORM_CONE;
    k->turn = PP_ARENA_ZERO(&w->arena, perp_vec3, w->nbody);
    k->end.moved_by = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    k->end.stays = PP_ARENA_ARRAY(&w->arena, bool, f->control.nblock);
    k->gap_error = PP_ARENA_ZERO(&w->arena, double, w->nbody);
    k->fat = PP_ARENA_ARRAY(&w->arena, pp_box, f->collide.nplaced);
    k->lever = PP_ARENA_ARRAY(&w->arena, double, f->collide.nplaced);
    k->options.allowed = PP_ARENA_ARRAY(&w->arena, double, f->control.nblock);
    k->arc = PP_ARENA_ARRAY(&w->arena, double, f->collide.nplaced);
    double *nu = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    if (!k->turn || !k->end.moved_by || !k->end.stays || !k->gap_error || !k->options.allowed || !k->fat || !k->lever ||
        !k->arc || !nu || !probes(k) || !PP_GROW(&w->alloc, k->m->nu, k->m->cap_nu, 0, f->control.ndof + 1) ||
        !pp_touches_new(&k->touches, f->collide.nplaced, f->collide.placed, &w->arena))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    pp_peg_levers(k);
    pp_poses_forget(k);
    if ((st = poses(k)) || (st = pp_joint_rounds_begin(f))) return st;
    memcpy(k->m->nu, f->control.nu0, (size_t)f->control.ndof * sizeof *nu); /* first estimate for the slip */
    pp_free_velocity(f, nu);
    double speed = speed_scale(f, nu);
    k->least = w->def.tolerance * speed * f->h;
    /* with a loose tolerance two bodies may each have this error, and a substep cannot undo the error of a whole step */
    if (k->loose_tolerance) k->least = 2 * w->def.tolerance * speed * w->def.h;
    k->reach = speed * f->h;
    double far = 0;
    for (int b = 0; b < f->control.nblock; b++) far = fmax(far, perp_v3_norm(f->s0->X[f->control.block_body[b]].p));
    k->finest = fmax(1e-15 * far,
                     /* otherwise solvers are exact where that is cheap */
                     (k->loose_tolerance ? 0.05 : 1e-5) * k->least);
    for (int i = 0; i < f->collide.nplaced; i++) k->fat[i] = fat_box(k, i, nu);
    k->now.bend = bend_of_ways(k, nu);
    k->m->npair = 0;
    return pp_peg_find_pairs(k);
}

/* Takes the velocity of the solution for the next end poses. If end poses oscillate, goes only half of the way. */
static void follow_answer(pp_peg_work *k) {
    const pp_frame *f = k->f;
    double *nu = k->m->nu;
    k->still = !k->at_end || !k->mode.symmetric;
    if (k->at_end && k->mode.symmetric) {
        pp_end_change c = pp_end_changed(f, &k->end_state, nu, f->solve.solution.nu);
        pp_iteration_state v = pp_convergence_check(&k->settling, f, &c, false);
        k->still = v == PP_SETTLED || (k->loose_tolerance && c.by <= f->w->def.tolerance * c.scale);
        if (v == PP_GO_HALF && !k->still) {
            for (int i = 0; i < f->control.ndof; i++) nu[i] += 0.5 * (f->solve.solution.nu[i] - nu[i]);
            return;
        }
    }
    memcpy(nu, f->solve.solution.nu, (size_t)f->control.ndof * sizeof *nu);
}

/* Residual speed up to which the solution of an island is kept in the next round. Pivoting is exact, and resting bodies
 * must not creep by the rounding of their gaps. */
static double answers_hold(const pp_peg_work *k) {
    bool cone = k->f->w->def.form == PERP_FORM_CONE;
    return (k->loose_tolerance ? k->least : cone ? k->finest : 0.05 * k->finest) / k->f->h;
}

/* Impulses up to this are solver noise and do not show that a contact is active. least: rounding. The effect of such an impulse is
 * below the tolerance of the speed at which the contact opens. With a loose tolerance: or its effect on the gap is below the tolerance. */
static double noise(const pp_peg_work *k, const perp_contact_row *c, double least) {
    const pp_frame *f = k->f;
    double opens = pp_row_dot(&f->pose.problem, &c->n, f->solve.solution.nu) + c->b_n;
    double speed = fmax(f->w->def.tolerance * opens, k->loose_tolerance ? k->least / f->h : 0);
    double mass = speed > 0 ? pp_row_inverse_mass(&f->pose.problem, &c->n) : 0;
    return mass > 0 ? fmax(least, speed / mass) : least;
}

/* Poses and solves the problem of a round and moves the bodies to their end poses. */
static perp_status solve_round(pp_peg_work *k, pp_arena_mark mark, bool guess) {
    pp_frame *f = k->f;
    struct pp_peg *m = k->m;
    pp_arena_release(&f->w->arena, mark);
    double t = pp_clock();
    perp_status st = pp_peg_contacts(k);
    if (k->at_end) pp_end_inertia(f, k->mode.symmetric ? &k->end_state : NULL);
    pp_clocked(f->w, PERP_STAGE_CONTACT, &t);
    if (!st)
        st = pp_formulate(f, &(pp_pose_options){.no_lift = k->mode.no_lift,
                                                .one_point = k->mode.symmetric && !k->at_end,
                                                .finite_slip = !k->linear && !k->at_end});
    pp_clocked(f->w, PERP_STAGE_STEPPER, &t);
    k->options.no_lift = k->mode.no_lift;
    allow_for_gap_errors(k, !guess);
    k->options.enough = guess && !k->at_end ? answers_hold(k) : 0;
    k->options.recall = guess ? &m->tries : NULL;
    k->options.memory = &m->memory;
    if (!st) st = pp_solve_step(f, &k->options);
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    if (st) return st;
    if (!pp_remember_try(f, &m->tries)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", m->nrow);
    follow_answer(k);
    double most = 0;
    for (int r = 0; r < m->nrow; r++) most = fmax(most, f->solve.solution.p_contact[3 * r]);
    most *= PP_ROUNDING;
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        p->pushed = false;
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            pp_peg_row *row = &m->row[r];
            const perp_contact_row *c = &f->pose.problem.contact[r];
            double push = f->solve.solution.p_contact[3 * r];
            row->push = push > noise(k, c, most) ? push : 0;
            row->fresh = false;
            /* the rebound determines its right-hand side, not its gap */
            row->bounces = c->b_n == pp_rebound_rhs(f, r, c);
            p->pushed |= row->push > 0;
        }
    }
    if (!pp_poses_advance(k, m->nu))
        return pp_fail(f->w, PERP_E_SOLVE, "a body turns too far in one step at t = %g", f->s0->t);
    pp_peg_measure_slips(k);
    return pp_joint_rounds_look(f, &k->end_state, m->nu);
}

/* Counters of the rounds. */
typedef struct progress {
    double least;   /* smallest error of gaps and slips of rounds in which nothing else changed [L] */
    int idle;       /* successive rounds that did not halve it */
    int polish;     /* rounds for accuracy of gaps and slips alone */
    int thrown;     /* rounds in which contacts added more energy than there was */
    double nearest; /* smallest gap error since a pair was added [L] */
    int stalled;    /* successive rounds that did not halve it */
    int selections; /* rounds in which loads were selected */
    int refined;    /* number of these that were followed by another round */
    bool selected;  /* nothing changed after the last of them */
} progress;

static bool has_news(const pp_peg_findings *found) { return found->added || found->switched || found->renewed; }

/* Do the rounds go through a cycle: planes and gaps change, but the gap errors do not become smaller? Contacts that
 * stick or slide in turn, or rows that leave their features and come back, may go on like that forever. In linear mode
 * rows only accumulate. With impulses at the end poses rounds are not accelerated, and may converge slowly. */
static bool stalled(const pp_peg_work *k, const pp_peg_findings *found, progress *p) {
    if (k->linear || k->mode.symmetric || !(has_news(found) || found->moved)) return false;
    if (found->added) p->nearest = INFINITY;
    p->stalled = found->worst < p->nearest / 2 ? 0 : p->stalled + 1;
    p->nearest = fmin(p->nearest, found->worst);
    return p->stalled > MAX_STALLED;
}

/* Do the answers of the round obey the laws to the tolerance of the world? */
static bool answers_accurate(const pp_peg_work *k) {
    return k->options.slack <= 1 && k->f->solve.acceptance <= k->f->w->def.tolerance;
}

/* Would another round improve nothing? */
static bool at_rest(const pp_peg_work *k, const pp_peg_findings *found, progress *p) {
    bool news = has_news(found) || (found->moved && !k->linear);
    if (!pp_joint_rounds_settled(k->f, news) || news) return false;
    double error = fmax(k->linear ? 0 : found->worst, pp_peg_slip_error(k));
    p->idle = error < p->least / 2 ? 0 : p->idle + 1;
    p->least = fmin(p->least, error);
    if (!answers_accurate(k) || !k->still) return false;
    return k->loose_tolerance || error <= k->finest || p->idle > PP_PATIENCE || ++p->polish > MAX_POLISH;
}

/* Is the next round the one that selects loads? It comes when contacts and gaps have converged: problems before that
 * are posed again anyway, and later rounds keep the selected loads. */
static bool selects(const pp_peg_work *k, const pp_peg_findings *found, bool settled, progress *p) {
    const pp_frame *f = k->f;
    bool news = has_news(found) || found->moved;
    if (news) p->selected = false;
    if (p->selected || p->selections >= MAX_SELECTIONS || !(settled || (!news && found->worst <= k->least)))
        return false;
    p->selected = true;
    if (k->loose_tolerance || !pp_loads_by_auto(f) ||
        !pp_loads_matter(&f->w->arena, &f->pose.problem, f->solve.figure, &f->solve.solution))
        return false;
    p->selections++;
    p->least = INFINITY;
    p->idle = 0;
    return true;
}

/* Which loads the next round must find. Without warm starts there are no loads that could be kept. */
static pp_load_choice loads_of_round(const pp_peg_work *k, bool select, bool selected) {
    if (!pp_loads_by_auto(k->f)) return PP_LOADS_ANY;
    if (select) return PP_LOADS_NOW;
    if (!selected) return PP_LOADS_LATER;
    return k->f->w->def.warm_start ? PP_LOADS_KEEP : PP_LOADS_NOW;
}

/* Allocates, by pair: must its rows be found again? */
static perp_status renewals(const pp_peg_work *k, bool **renew) {
    *renew = PP_ARENA_ARRAY(&k->f->w->arena, bool, k->m->npair);
    return *renew ? PERP_OK : pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts");
}

/* Measures the result of the last round. */
static perp_status look_back(pp_peg_work *k, bool **renew, pp_peg_findings *found) {
    perp_status st = pp_peg_follow(k);
    if (!st) st = renewals(k, renew);
    double t = pp_clock();
    if (!st) st = pp_peg_measure_end(k, *renew, found);
    pp_clocked(k->f->w, PERP_STAGE_COLLISION, &t);
    return st;
}

/* Relative uncertainty of efforts and impulses of a solution. */
static double doubt(const pp_peg_work *k) { return fmin(0.5, LESS * k->f->w->def.tolerance); }

/* Is the impulse of a pair also admissible on a plane with normal n? This is so if each of its contacts sticks with an
 * impulse inside the friction cone about n. Then the present solution is also a solution with that plane. */
static bool admissible_on(const pp_peg_work *k, const pp_peg_pair *p, perp_vec3 n) {
    for (int r = p->first; r < p->first + p->nrow; r++) {
        const perp_contact *c = &k->f->contacts.at[r];
        const double *P = k->f->solve.solution.p_contact + 3 * r;
        if (!(k->m->row[r].push > 0)) continue;
        double most = c->mu * c->e_t;
        if (c->e_t != c->e_o || !(pp_hypot(P[1], P[2]) < (1 - doubt(k)) * most * P[0])) return false;
        perp_vec3 total = perp_v3_axpy(perp_v3_axpy(perp_v3_scale(P[0], c->n_W), P[1], c->t_W), P[2], c->o_W);
        double normal = perp_v3_dot(total, n);
        if (!(perp_v3_norm(perp_v3_axpy(total, -normal, n)) <= most * normal)) return false;
    }
    return true;
}

/* Another plane that separates a pair with impulse equally well (a vertex on a vertex): the geometry at the end does
 * not decide which side is meant. */
static pp_plane tied_plane(const pp_peg_work *k, const pp_peg_pair *p) {
    if (!p->active || !p->pushed || p->kind != PP_PAIR_FLAT) return PP_NO_PLANE;
    for (int r = p->first; r < p->first + p->nrow; r++)
        if (k->m->row[r].push > 0 && k->m->row[r].off1 < -1e-6 * p->size) return PP_NO_PLANE;
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    pp_separating s = pp_separate_otherwise(A, B, pp_plane_normal(A, B, p->plane), p->tol);
    if (!(s.gap >= -PP_PEG_TOUCHING * p->size)) return PP_NO_PLANE;
    return admissible_on(k, p, pp_plane_normal(A, B, s.plane)) ? PP_NO_PLANE : s.plane;
}

/* Can a pair be separated equally well by another plane? */
static bool tied(const pp_peg_work *k) {
    for (int i = 0; i < k->m->npair; i++)
        if (tied_plane(k, &k->m->pair[i]) != PP_NO_PLANE) return true;
    return false;
}

/* Do the chosen planes hold, with gaps within tolerance? */
static bool planes_hold(const pp_peg_work *k, const pp_peg_findings *found) {
    return !has_news(found) && !found->moved && found->worst <= k->least && answers_accurate(k) && k->still;
}

/* Runs rounds until nothing changes. *settled: they converged, and the solution is acceptable; k->now.phase: the phase
 * reached. anew: start from the memory of the last step; otherwise from the present pairs and rows, and pairs without
 * rows get new ones. */
static perp_status rounds(pp_peg_work *k, pp_arena_mark mark, bool anew, bool *settled) {
    pp_frame *f = k->f;
    const struct pp_peg *m = k->m;
    pp_peg_mode mode = k->mode;
    *settled = k->now.circles = false;
    if (anew) {
        k->mode.symmetric = false; /* there are no end poses before the first round */
        if (!pp_peg_recall(k)) return PERP_OK;
        pp_peg_add_pairs_of_free_motion(k);
    }
    k->settling = (pp_convergence){.before = INFINITY};
    bool *renew;
    perp_status st = pp_joint_rounds_anew(f, k->linear);
    if (!st) st = renewals(k, &renew);
    for (int i = 0; !st && i < m->npair; i++) renew[i] = anew || m->pair[i].nrow == 0;
    if (!st) st = pp_peg_rows(k, anew ? &k->force : &k->end, renew);
    k->options.slack = anew && !k->loose_tolerance ? slack_for(k, k->now.bend) : 1;
    k->options.loads =
        f->w->def.form == PERP_FORM_CONE ? PP_LOADS_LATER : PP_LOADS_ANY; /* other forms: as set in the world */
    k->options.measure_later = true;
    if (!st) st = solve_round(k, mark, !anew);
    k->now.begun = !st;
    if (st) return st;
    k->mode = mode;
    if (anew && k->at_end && mode.symmetric) k->still = false; /* the first round used the rows of the start */
    progress p = {.least = INFINITY, .nearest = INFINITY};
    for (int round = 1, limit = MAX_ROUNDS;; round++) {
        pp_peg_findings found;
        if ((st = look_back(k, &renew, &found))) return st;
        k->now.circles = found.stuck || stalled(k, &found, &p);
        if (k->now.circles || (pp_peg_gains_energy(k) && ++p.thrown > PP_PATIENCE)) return PERP_OK;
        bool hold = planes_hold(k, &found);
        if (k->now.phase == PP_PEG_CHOOSE && hold && !tied(k)) k->now.phase = PP_PEG_FINISH;
        bool rests = (hold && k->now.phase != PP_PEG_FINISH) || at_rest(k, &found, &p);
        /* selected loads need one more round to be accurate */
        if (k->options.loads == PP_LOADS_NOW && p.refined < p.selections) {
            p.refined = p.selections;
            rests = false;
        }
        if (k->now.phase == PP_PEG_CHOOSE && rests && (k->linear || !tied(k))) k->now.phase = PP_PEG_FINISH;
        bool select = k->now.phase == PP_PEG_FINISH && selects(k, &found, rests, &p);
        if (rests && !select) {
            if (k->now.phase == PP_PEG_FINISH && (st = pp_joint_rounds_end(f))) return st;
            *settled = pp_peg_acceptable(k);
            return PERP_OK;
        }
        /* accuracy may be missing; in linear mode rows only accumulate, and rest would satisfy them all */
        if (round >= limit) {
            *settled = mode.linear || (hold && !f->demand.joints && pp_peg_acceptable(k));
            k->now.circles = !*settled;
            return PERP_OK;
        }
        if (has_news(&found)) k->settling = (pp_convergence){.before = INFINITY};
        if (found.added && !found.switched) limit++; /* the number of pairs is finite */
        k->options.slack = slack_for(k, found.worst);
        k->now.same_gaps = rests && !k->mode.symmetric; /* true only if `select` is */
        if (!k->now.same_gaps) st = pp_peg_rows(k, &k->end, renew);
        k->options.loads = loads_of_round(k, select, p.selected);
        if (!st) st = solve_round(k, mark, true);
        k->now.same_gaps = false;
        if (st) return st;
    }
}

/* State that a test of another plane may overwrite. */
typedef struct snapshot {
    pp_peg_pair *pair;
    pp_peg_row *row;
    double *nu; /* velocity after which the gaps of the rows were measured */
    int npair, nrow;
} snapshot;

static bool take(pp_peg_work *k, snapshot *s) {
    pp_arena *a = &k->f->w->arena;
    struct pp_peg *m = k->m;
    *s = (snapshot){.pair = PP_ARENA_ARRAY(a, pp_peg_pair, m->npair),
                    .row = PP_ARENA_ARRAY(a, pp_peg_row, m->nrow),
                    .nu = PP_ARENA_ARRAY(a, double, k->f->control.ndof),
                    .npair = m->npair,
                    .nrow = m->nrow};
    if (!s->pair || !s->row || !s->nu) return false;
    memcpy(s->nu, m->nu, (size_t)k->f->control.ndof * sizeof *s->nu);
    memcpy(s->pair, m->pair, (size_t)m->npair * sizeof *s->pair);
    memcpy(s->row, m->row, (size_t)m->nrow * sizeof *s->row);
    return true;
}

static perp_status restore(pp_peg_work *k, const snapshot *s) {
    struct pp_peg *m = k->m;
    const perp_allocator *a = &k->f->w->alloc;
    if (!PP_GROW(a, m->pair, m->cap_pair, 0, s->npair) || !PP_GROW(a, m->row, m->cap_row, 0, s->nrow))
        return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts");
    memcpy(m->pair, s->pair, (size_t)s->npair * sizeof *s->pair);
    memcpy(m->row, s->row, (size_t)s->nrow * sizeof *s->row);
    memcpy(m->nu, s->nu, (size_t)k->f->control.ndof * sizeof *s->nu);
    m->npair = s->npair;
    m->nrow = s->nrow;
    return PERP_OK;
}

/* Runs rounds from a converged solution, with another plane for pair i; PP_NO_PLANE: with the same planes. */
static perp_status rounds_from(pp_peg_work *k, const snapshot *from, int i, pp_plane plane, bool *settled) {
    perp_status st = restore(k, from);
    if (st) return st;
    (void)pp_poses_advance(k, from->nu); /* cannot fail: this motion succeeded before */
    if (plane != PP_NO_PLANE) {
        k->m->pair[i].plane = plane;
        k->m->pair[i].nrow = 0;
    }
    return rounds(k, pp_arena_here(&k->f->w->arena), false, settled);
}

/* Tries every tied plane and takes the one with the least effort, as long as there is one with less. At a corner that a
 * body may pass on two sides, this is the side that deflects it less, independent of the order in which bodies were
 * added. */
static perp_status resolve_tied_planes(pp_peg_work *k) {
    pp_arena *arena = &k->f->w->arena;
    k->now.phase = PP_PEG_TRY;
    for (int tries = 0, best = 0; best >= 0 && tries < MAX_TIES;) {
        snapshot now;
        int npair = k->m->npair, ties = 0;
        pp_plane *tied = PP_ARENA_ARRAY(arena, pp_plane, npair);
        if (!tied) return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the step");
        for (int i = 0; i < npair; i++) ties += (tied[i] = tied_plane(k, &k->m->pair[i])) != PP_NO_PLANE;
        if (ties == 0) return PERP_OK;
        double *scratch = PP_ARENA_ARRAY(arena, double, k->f->control.ndof);
        if (!scratch || !take(k, &now)) return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the step");
        double least = (1 - doubt(k)) * pp_peg_effort(k, scratch);
        perp_status st;
        bool settled;
        int last = best = -1; /* last plane tried: its solution is the present one */
        for (int i = 0; i < npair && tries < MAX_TIES; i++) {
            if (tied[i] == PP_NO_PLANE) continue;
            tries++;
            last = i;
            st = rounds_from(k, &now, i, tied[i], &settled);
            if (st && st != PERP_E_SOLVE) return st;
            double effort = st || !settled ? INFINITY : pp_peg_effort(k, scratch);
            if (!(effort < least)) continue;
            least = effort;
            best = i;
        }
        if (best == last) continue;
        st = rounds_from(k, &now, best, best < 0 ? PP_NO_PLANE : tied[best], &settled);
        if (st) return st;
        if (!settled)
            return pp_fail(k->f->w, PERP_E_SOLVE, "a tie of separating planes did not resolve at t = %g", k->f->s0->t);
    }
    return PERP_OK;
}

/* Decides the ties of a solution whose planes hold, and finishes with the chosen planes. */
static perp_status decide_ties(pp_peg_work *k, bool *settled) {
    perp_status st = resolve_tied_planes(k);
    k->now.phase = PP_PEG_FINISH;
    return st ? st : rounds(k, pp_arena_here(&k->f->w->arena), false, settled);
}

/* Gives the gaps at the end to the certificate. */
static perp_status finish(pp_peg_work *k) {
    pp_frame *f = k->f;
    pp_measure_step(f);
    double *gap = PP_ARENA_ARRAY(&f->w->arena, double, f->contacts.n);
    if (!gap) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int r = 0; r < f->contacts.n; r++) gap[r] = k->m->row[r].gap1;
    f->method.true_gap = gap;
    f->method.posed_at_end = k->mode.symmetric;
    f->method.posed_linear = k->linear;
    f->method.last_way = k->mode.held;
    if (f->demand.levers != f->s0) f->demand.levers = NULL; /* they point into this work */
    f->demand.slip = NULL;
    return PERP_OK;
}

/* Can a wedge lock: is there a pair with friction that penetrates at the start? */
static bool locks(pp_peg_work *k) {
    for (int i = 0; i < k->m->npair; i++) {
        pp_peg_pair *p = &k->m->pair[i];
        const perp_world *w = k->f->w;
        int a = w->shape[k->f->collide.placed[p->i].slot].material,
            b = w->shape[k->f->collide.placed[p->j].slot].material;
        if (p->active && w->law[a * w->nmaterial + b].mu > 0 && pp_peg_start_gap(k, p) < 0) return true;
    }
    return false;
}

/* Is a driven body, or a surface with a belt velocity, closer to another body at the start than this fraction of its
 * size? */
static bool driven_within(pp_peg_work *k, double part) {
    const pp_placed *placed = k->f->collide.placed;
    for (int i = 0; i < k->m->npair; i++) {
        pp_peg_pair *p = &k->m->pair[i];
        bool driven = pp_shape_drives(k->f, placed[p->i].slot) || pp_shape_drives(k->f, placed[p->j].slot);
        if (driven && pp_peg_start_gap(k, p) < part * p->size) return true;
    }
    return false;
}

static perp_status velocity_level(pp_frame *f) {
    perp_status st = pp_collide(f);
    if (!st) st = pp_contacts_of_pairs(f);
    if (!st) st = pp_formulate(f, &(pp_pose_options){.no_lift = f->method.jammed});
    return st ? st : pp_solve_step(f, &(pp_solve_options){.no_lift = f->method.jammed});
}

static perp_status solve(pp_frame *f) {
    /* velocity-level problem of touching contacts: nothing moves, so there is no corner */
    if (f->purpose != PP_STEP) return velocity_level(f);
    static const pp_peg_mode way[] = {{0},
                                      {.relaxed = true},
                                      {.symmetric = true},
                                      {.relaxed = true, .other = true},
                                      {.relaxed = true, .held = true},
                                      {.relaxed = true, .held = true, .linear = true},
                                      {.relaxed = true, .held = true, .linear = true, .no_lift = true}};
    /* geometry end: in the last five modes impulses act at the start */
    static const pp_peg_mode end_way[] = {{.symmetric = true},
                                          {.symmetric = true, .relaxed = true},
                                          {.relaxed = true},
                                          {.relaxed = true, .other = true},
                                          {.relaxed = true, .held = true},
                                          {.relaxed = true, .held = true, .linear = true},
                                          {.relaxed = true, .held = true, .linear = true, .no_lift = true}};
    const int most = (int)(sizeof way / sizeof *way);
    int ways = f->task.last_resort ? most : pp_at_end(f) ? 2 : 4;
    pp_peg_work k;
    double t = pp_clock();
    perp_status st = begin(f, &k);
    pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
    if (st) return st;
    bool settled = false, linear = k.linear, answered = true, begun = true, at_start = false, due = false;
    k.options.jammed_block = PP_ARENA_ZERO(&f->w->arena, unsigned char, f->control.nblock);
    k.options.yielded_block = PP_ARENA_ZERO(&f->w->arena, bool, f->control.nblock);
    if (!k.options.jammed_block || !k.options.yielded_block)
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    k.options.jam_lasts = driven_within(&k, -PP_PEG_TOUCHING);
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    bool jammed = f->method.jammed; /* an earlier round of this substep went on jammed: so do the later ones */
    if (jammed) ways = most;
    for (int i = jammed ? most - 1 : 0; i < ways && !settled; i++) {
        if (i == 1 && (k.now.circles || !locks(&k)))
            continue; /* it would go through the same cycle, or no penetration at the start could stay */
        if (i == 3 && answered) continue; /* the other side of corners is tried only if a problem had no solution */
        if (i == 2 && !begun && !k.at_end) continue; /* it begins with the problem of mode 0, which had no solution */
        if (i >= 2 && k.at_end && !at_start) {
            at_start = true;
            if (!st) (void)pp_fail(f->w, PERP_E_SOLVE, "end poses did not settle, or contact would gain energy there");
            pp_end_give_up(f);
        }
        k.mode = k.at_end ? end_way[i] : way[i];
        k.linear = linear || k.mode.linear;
        f->method.jammed = k.mode.no_lift; /* a body jammed between two others cannot be moved away either */
        if (k.mode.no_lift)
            memset(k.options.jammed_block, due ? 2 : 0,
                   (size_t)f->control.nblock); /* the remaining work is enough for one try */
        k.now.phase = PP_PEG_CHOOSE;
        st = rounds(&k, mark, true, &settled);
        if (!st && settled && k.now.phase == PP_PEG_CHOOSE) st = decide_ties(&k, &settled);
        if (st && st != PERP_E_SOLVE) return st;
        if (st) settled = false; /* the tied planes had no solution, or no work was left to decide */
        answered = answered && !st;
        if (i == 0) begun = k.now.begun;
        /* If most of the work of the step is used up, no shorter substep has enough left to do better. */
        due = !settled && pp_jam_due(f);
        if (due) pp_jam_may_work(f->w);
        if (st && f->w->run.work.done > f->w->run.work.limit)
            break; /* no work left for this substep: keep its problem */
        /* A driven body inside another one was left there because nothing could give way. If there is still no
         * solution, neither another mode nor a shorter step has one. */
        if (i < most - 2 && (due || (st && !k.at_end && k.options.jam_lasts))) {
            ways = most;
            i = most - 2;
        } else if (st && !f->task.last_resort && pp_joint_rounds_lost(f)) {
            return st;
        }
    }
    f->advice.blocked = !settled && !answered && driven_within(&k, PP_PEG_TOUCHING);
    if (!settled) /* a problem without a solution is the cause, also if a later way found one whose planes do not hold */
        return !answered
                   ? PERP_E_SOLVE
                   : pp_fail(f->w, PERP_E_SOLVE, "no choice of separating planes held at t = %g (h = %g): %d contacts",
                             f->s0->t, f->h, f->contacts.n);
    return finish(&k);
}

const pp_contact_model_type pp_model_peg = {
    .name = "peg",
    .source = "Williams ch. 4",
    .solve = solve,
};

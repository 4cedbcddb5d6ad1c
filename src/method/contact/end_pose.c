/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* end_pose.c - see end_pose.h
 * Method   A round leaves the fraction h |dW/dq| |p|/m of the error before it, so few rounds are needed. If the change does not decrease any
 *          more, poses are averaged. If the rounds do not converge at all, the caller halves the step. */
#include "method/contact/end_pose.h"

#include <float.h>
#include <string.h>

#include "base/clock.h"
#include "stage/contact_model.h"
#include "stage/solve/joint_rounds.h"
#include "stage/stepper.h"
#include "method/contact/solve_contacts.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [rounds] Largest number of rounds of the models that pose contacts at the end of a step. */
#define MAX_ROUNDS 80
/* [rounds] Number of rounds after which changes that do not decrease are halved. Half: other bits only; double: work +1
 * %. */
#define PATIENCE 8
/* [1] A change counts as decreasing if it is below this fraction of the last one. Half: no effect; double: work +27 %. */
#define FALLING 0.7

pp_end_change pp_end_changed(const pp_frame *f, const pp_state *at, const double *from, const double *to) {
    double most = 0, far = 0, scale = f->h * perp_v3_norm(f->w->def.gravity_W);
    for (int b = 0; b < f->control.nblock; b++) {
        int slot = f->control.block_body[b], o = f->control.block_offset[b];
        double r = f->w->body[slot].radius;
        far = fmax(far, perp_v3_norm(at->X[slot].p) + r);
        for (int c = 0; c < f->control.block_ndof[b]; c++) {
            double arm = c < f->w->def.dim ? 1 : r;
            most = fmax(most, arm * fabs(to[o + c] - from[o + c]));
            scale = fmax(scale, arm * fabs(to[o + c]));
        }
    }
    return (pp_end_change){.by = most, .scale = scale, .finest = 1e-14 * scale + 4 * DBL_EPSILON * far / f->h};
}

pp_iteration_state pp_convergence_check(pp_convergence *s, const pp_frame *f, const pp_end_change *c, bool other) {
    int round = s->round++;
    s->idle = c->by < FALLING * s->before ? 0 : s->idle + 1;
    bool small = c->by <= c->finest || (s->idle > 2 && c->by <= f->w->def.tolerance * c->scale);
    if (small && !other) return PP_SETTLED;
    bool halve = round > PATIENCE && s->idle > 0;
    if (!halve || c->by < s->before) s->before = c->by;
    return halve ? PP_GO_HALF : PP_GO_ON;
}

void pp_end_inertia(pp_frame *f, const pp_state *s) {
    for (int b = 0; b < f->control.nblock; b++) {
        int slot = f->control.block_body[b];
        const pp_body *body = &f->w->body[slot];
        if (f->control.block_ndof[b] != 6 || body->isotropic) continue;
        pp_put_inertia(body, s ? s->X[slot].q : f->control.q_free[b], f->control.M + 36 * b, f->control.Minv + 36 * b);
    }
}

double pp_end_demand(const pp_frame *f, const pp_geometry *const g[2], perp_vec3 at_W, double start, double gap1) {
    return !f->w->chosen.stepper->end_gaps && start <= pp_touching(g[0], g[1], at_W) ? NAN : gap1;
}

/* ---- rounds for models that have none of their own ---- */

/* A contact at the start of the step, to look up its gap there. */
typedef struct begun {
    int shape[2];
    uint64_t feature;
    double gap;
} begun;

typedef struct work {
    pp_frame *f;
    const pp_end_model *m;
    pp_state end;
    double *nu; /* the velocity that leads to the pose */
    begun *start;
    int nstart;
} work;

static perp_status begin(work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    perp_status st = pp_state_new(w, &k->end);
    k->nu = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    k->start = PP_ARENA_ARRAY(&w->arena, begun, f->contacts.n);
    if (st) return st;
    if (!k->nu || !k->start) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    pp_state_copy(w, &k->end, f->s1);
    k->nstart = f->contacts.n;
    for (int i = 0; i < f->contacts.n; i++) {
        const int *shape = f->contacts.shape + 2 * i;
        k->start[i] = (begun){{shape[0], shape[1]}, f->contacts.at[i].feature, f->contacts.at[i].gap};
    }
    memcpy(k->nu, f->solve.solution.nu, (size_t)f->control.ndof * sizeof *k->nu);
    return PERP_OK;
}

/* Gap at the start for a contact that was found at the end pose: that of the same features, otherwise the smallest of the pair. If the pair
 * was out of reach at the start, the gap at the end. */
static double start_gap(const work *k, const int *shape, const perp_contact *c) {
    double least = INFINITY;
    for (int i = 0; i < k->nstart; i++) {
        const begun *b = &k->start[i];
        if (b->shape[0] != shape[0] || b->shape[1] != shape[1]) continue;
        if (b->feature == c->feature) return b->gap;
        least = fmin(least, b->gap);
    }
    return isinf(least) ? fmax(c->gap, 0) : least;
}

static perp_status find_pairs(work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    for (int i = 0; i < f->collide.nplaced; i++) {
        pp_placed *p = &f->collide.placed[i];
        p->X_WS = perp_pose_mul(k->end.X[p->body], w->shape[p->slot].X_BS);
    }
    w->found.pairs.n = 0;
    perp_status st = PERP_OK;
    if (f->collide.nplaced)
        st = w->chosen.detector->detect(w->def.dim, f->collide.nplaced, f->collide.placed, pp_may_touch, f,
                                        w->found.broad, &w->found.couples, &w->alloc, &w->arena, &w->found.pairs);
    return st ? pp_fail(w, st, "contact detection failed: %s", perp_status_text(st)) : PERP_OK;
}

/* Writes the contacts with their gaps at the end pose, and finds their gaps at the start. */
static perp_status find_contacts(work *k, double **gap) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    perp_status st = k->m->contacts(f, k->m->ctx);
    if (st) return st;
    double *end = PP_ARENA_ARRAY(&w->arena, double, f->contacts.n);
    *gap = PP_ARENA_ARRAY(&w->arena, double, f->contacts.n);
    if (!end || !*gap) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int i = 0; i < f->contacts.n; i++) {
        perp_contact *c = &f->contacts.at[i];
        const int *shape = f->contacts.shape + 2 * i;
        const pp_geometry *const g[2] = {w->shape[shape[0]].g, w->shape[shape[1]].g};
        (*gap)[i] = c->gap;
        c->gap = start_gap(k, shape, c);
        end[i] = pp_end_demand(f, g, c->b_W, c->gap, (*gap)[i]);
    }
    f->demand.end_gap = end;
    f->demand.end_nu = k->nu;
    f->demand.levers = &k->end;
    return PERP_OK;
}

static perp_status solve_round(work *k, double **gap) {
    pp_frame *f = k->f;
    double t = pp_clock();
    perp_status st = find_pairs(k);
    pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
    if (!st) st = find_contacts(k, gap);
    pp_clocked(f->w, PERP_STAGE_CONTACT, &t);
    pp_end_inertia(f, &k->end);
    if (!st) st = pp_formulate(f, &(pp_pose_options){.no_lift = f->method.jammed});
    pp_clocked(f->w, PERP_STAGE_STEPPER, &t);
    if (!st) st = k->m->solve(f, k->m->ctx);
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    return st;
}

static perp_status move(work *k) {
    const pp_frame *f = k->f;
    for (int b = 0; b < f->control.nblock; b++)
        if (!pp_move_block(f, b, f->s0, k->nu + f->control.block_offset[b], f->h, &k->end, NULL))
            return pp_fail(f->w, PERP_E_SOLVE, "a body turns too far in one step at t = %g", f->s0->t);
    return PERP_OK;
}

static perp_status rounds(work *k) {
    pp_frame *f = k->f;
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    pp_convergence s = {.before = INFINITY};
    for (int round = 0; round < MAX_ROUNDS; round++) {
        perp_status st = move(k);
        if (!st) st = pp_joint_rounds_look(f, &k->end, k->nu);
        if (st) return st;
        bool joints = pp_joint_rounds_settled(f, false);
        pp_arena_release(&f->w->arena, mark);
        double *gap;
        if ((st = solve_round(k, &gap))) return st;
        pp_end_change c = pp_end_changed(f, &k->end, k->nu, f->solve.solution.nu);
        pp_iteration_state v = pp_convergence_check(&s, f, &c, !joints);
        if (v == PP_SETTLED) {
            f->method.true_gap = gap;
            return PERP_OK;
        }
        double part = v == PP_GO_HALF ? 0.5 : 1;
        for (int i = 0; i < f->control.ndof; i++) k->nu[i] += part * (f->solve.solution.nu[i] - k->nu[i]);
    }
    return pp_fail(f->w, PERP_E_SOLVE, "contacts at the end of the step did not settle at t = %g (h = %g): %d of them",
                   f->s0->t, f->h, f->contacts.n);
}

perp_status pp_end_rounds(pp_frame *f, const pp_end_model *m) {
    work k = {.f = f, .m = m};
    perp_status st = begin(&k);
    if (!st) st = rounds(&k);
    f->demand.levers = NULL; /* they point into k, which ends here */
    f->demand.end_nu = NULL;
    return st;
}

void pp_end_give_up(pp_frame *f) {
    pp_logf(f->w, PERP_LOG_WARNING, "step %llu: contacts act at the start of a part of h = %g: %s",
            (unsigned long long)f->w->state.step, f->h, f->w->why);
    f->solve.fallbacks++;
    f->demand.end_gap = f->method.true_gap = NULL;
    pp_end_inertia(f, NULL);
}

/* ---- models that only choose contacts ---- */

static perp_status choose(pp_frame *f, void *ctx) {
    (void)ctx;
    return pp_contact(f);
}

static perp_status solve(pp_frame *f, void *ctx) {
    (void)ctx;
    return pp_solve_step(f, &(pp_solve_options){.no_lift = f->method.jammed});
}

/* The pairs of shapes between which the model has contacts at the start. */
static perp_status note_chosen(pp_frame *f) {
    int *pair = PP_ARENA_ARRAY(&f->w->arena, int, 2 * f->contacts.n);
    if (!pair) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    memcpy(pair, f->contacts.shape, 2 * (size_t)f->contacts.n * sizeof *pair);
    f->contacts.begun = pair;
    f->contacts.nbegun = f->contacts.n;
    return PERP_OK;
}

perp_status pp_end_solve_contacts(pp_frame *f) {
    const pp_end_model m = {.contacts = choose, .solve = solve};
    perp_status st = pp_start_solve_contacts(f);
    if (st || (st = note_chosen(f))) return st;
    st = pp_end_rounds(f, &m);
    if (st != PERP_E_SOLVE || !f->task.last_resort) return st;
    pp_end_give_up(f);
    f->contacts.begun = NULL;
    return pp_start_solve_contacts(f);
}

/* step.c - one time step, from start to commit
 *
 * A stage reads what the stage before it wrote. The world changes only in commit, so a failure anywhere leaves it as it
 * was at the start. A step that cannot be solved is halved, and its parts again. */
#include <string.h>

#include "base/clock.h"
#include "contact/model.h"
#include "stepper/stepper.h"
#include "world/frame.h"

/* Most times a frame is redone because bodies met that were not expected to. */
#define MAX_WIDENINGS 3

void pp_clocked(perp_world *w, perp_stage stage, double *from) {
    double now = pp_clock();
    w->timing[stage] += now - *from;
    *from = now;
}

/* Up to the solution: what the start of a staggered world needs too. */
static perp_status solve_frame(pp_frame *f) {
    double t = pp_clock();
    perp_status s = pp_control(f); /* time       -> forces, kinematic poses */
    pp_clocked(f->w, PERP_STAGE_CONTROL, &t);
    if (!s && f->w->model->solve) return f->w->model->solve(f);
    if (!s) s = pp_collide(f); /* shapes     -> feature pairs, gaps     */
    pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
    if (!s) s = pp_contact(f); /* pairs      -> contacts                */
    pp_clocked(f->w, PERP_STAGE_CONTACT, &t);
    if (!s) s = pp_formulate(f); /* contacts   -> step problem            */
    pp_clocked(f->w, PERP_STAGE_STEPPER, &t);
    if (!s) s = pp_solve_step(f); /* problem    -> impulses, velocity      */
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    return s;
}

/* A stepper with equations of its own, from forces to the next state. */
static perp_status own_step(pp_frame *f) {
    double t = pp_clock();
    perp_status s = pp_control(f);
    pp_clocked(f->w, PERP_STAGE_CONTROL, &t);
    if (!s) s = f->w->stepper->step(f);
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    return s;
}

static perp_status run_frame(pp_frame *f, perp_certificate *cert) {
    bool own = f->w->stepper->step != NULL;
    perp_status s = own ? own_step(f) : solve_frame(f);
    double t = pp_clock();
    if (!s && !own) s = pp_update(f); /* velocity   -> next state              */
    pp_clocked(f->w, PERP_STAGE_UPDATE, &t);
    if (!s) s = pp_certify(f, cert); /* next state -> figures                 */
    pp_clocked(f->w, PERP_STAGE_CERTIFICATE, &t);
    return s;
}

/* Did two shapes come to overlap between which no contact was foreseen? */
static bool missed_contact(const pp_frame *f, const perp_certificate *cert) {
    const int *s = cert->overlap_shape;
    if (s[0] < 0) return false;
    double size = fmin(f->w->shape[s[0]].g->size, f->w->shape[s[1]].g->size);
    if (!(cert->overlap > 1e-9 * size)) return false;
    for (int i = 0; i < f->ncontact; i++) {
        const int *c = f->contact_shape + 2 * i;
        if ((c[0] == s[0] && c[1] == s[1]) || (c[0] == s[1] && c[1] == s[0])) return false;
    }
    return true;
}

/* A substep of h from s0 to s1. */
static perp_status substep(perp_world *w, const pp_state *s0, pp_state *s1, double h, const perp_wrench *held,
                           bool last, pp_frame *f, perp_certificate *cert) {
    perp_status st = PERP_OK;
    double factor = 2, travel = 0;
    for (int widening = 0; widening <= MAX_WIDENINGS; widening++) {
        *f = (pp_frame){.w = w,
                        .s0 = s0,
                        .s1 = s1,
                        .h = h,
                        .purpose = PP_STEP,
                        .held = held,
                        .reach_factor = factor,
                        .last_resort = last,
                        .least_travel = travel};
        pp_state_copy(w, s1, s0);
        st = run_frame(f, cert);
        if (st || w->model->solve || w->stepper->step || !missed_contact(f, cert)) return st;
        travel = pp_farthest_travel(f);
        if (widening > 0)
            factor *= 8; /* at first that may be enough: a wide reach finds planes that end before they are met */
    }
    return st; /* the overlap stands in the certificate */
}

/* For perp_world_problem(); a frame may fail before there is one. */
static void keep_problem(const pp_frame *f) {
    f->w->problem = f->problem;
    f->w->has_problem = f->problem.h > 0;
}

/* The constrained change of velocity over h at the start state, for the staggered start: velocity-level constraints of
 * what touches, with and without forces; their difference is h times the acceleration and has no share of an impact.
 * Writes ndof numbers. */
static perp_status start_acceleration(perp_world *w, const pp_state *s, const perp_wrench *held, double *dnu) {
    pp_state end;
    perp_status st = pp_state_new(w, &end);
    const pp_purpose purpose[2] = {PP_START_FREE, PP_START_FORCED};
    for (int k = 0; !st && k < 2; k++) {
        pp_frame f = {
            .w = w, .s0 = s, .s1 = &end, .h = w->def.h, .purpose = purpose[k], .held = held, .reach_factor = 2};
        pp_state_copy(w, &end, s);
        st = solve_frame(&f);
        if (st == PERP_E_SOLVE) keep_problem(&f);
        for (int i = 0; !st && i < f.ndof; i++) dnu[i] = k == 0 ? f.solution.nu[i] : f.solution.nu[i] - dnu[i];
    }
    return st;
}

/* Moves the velocities of s so that they are h/2 behind the positions. */
static perp_status stagger(perp_world *w, pp_state *s, const perp_wrench *held) {
    double lag = w->def.start == PERP_START_STAGGERED ? w->def.h / 2 : 0;
    if (lag == s->lag) return PERP_OK;
    double *dnu = PP_ARENA_ZERO(&w->arena, double, 6 * w->nbody);
    if (!dnu) return pp_fail(w, PERP_E_MEMORY, "out of memory for the staggered start");
    perp_status st = start_acceleration(w, s, held, dnu);
    if (st) return st;
    double back = (lag - s->lag) / w->def.h;
    int at = 0;
    for (int i = 0; i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen)) continue;
        int nd = pp_ndof(w, &w->body[i]), lin = w->def.dim;
        if (nd == 0) continue;
        s->v[i] = perp_v3_axpy(s->v[i], -back, perp_v3(dnu[at], dnu[at + 1], lin == 3 ? dnu[at + 2] : 0));
        if (nd > lin)
            s->w[i] = perp_v3_axpy(
                s->w[i], -back, lin == 2 ? perp_v3(0, 0, dnu[at + 2]) : perp_v3(dnu[at + 3], dnu[at + 4], dnu[at + 5]));
        at += nd;
    }
    s->lag = lag;
    return PERP_OK;
}

/* The parts a step was divided into, in their order. */
typedef struct parts {
    pp_frame **frame;
    int n;
    const perp_wrench *held;
    perp_certificate *cert; /* of all of them */
} parts;

/* From *s0 over h to *s1, whole or in two halves, those again, ...; frames and states lie in the arena. */
static perp_status divide(perp_world *w, parts *p, const pp_state *s0, pp_state *s1, double h, int depth) {
    pp_frame *f = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    if (!f) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    perp_certificate c = {.overlap_shape = {-1, -1}, .solver = ""};
    bool last = depth >= w->def.max_halvings;
    perp_status st = substep(w, s0, s1, h, p->held, last, f, &c);
    if (!st) {
        p->frame[p->n++] = f;
        perp_certificate_add(p->cert, &c);
        return PERP_OK;
    }
    if (st != PERP_E_SOLVE) return st;
    if (last) { /* what is known of the failure */
        pp_certify_answer(f, &c);
        keep_problem(f);
        perp_certificate_add(p->cert, &c);
        return st;
    }
    pp_logf(w, PERP_LOG_INFO, "step %llu: h = %g is halved: %s", (unsigned long long)w->state.step, h, w->why);
    pp_state *middle = PP_ARENA_ZERO(&w->arena, pp_state, 1); /* frames keep pointers to it */
    if (!middle) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    st = pp_state_new(w, middle);
    if (!st) st = divide(w, p, s0, middle, h / 2, depth + 1);
    return st ? st : divide(w, p, middle, s1, h / 2, depth + 1);
}

static void commit(perp_world *w, const parts *p) {
    for (int i = 0; i < p->n; i++) pp_remember(p->frame[i], i > 0);
    const pp_frame *end = p->frame[p->n - 1];
    uint64_t step = w->state.step;
    double t = w->state.t;
    pp_state_copy(w, &w->state, end->s1);
    w->state.step = step + 1;
    w->state.t = t + w->def.h;
    keep_problem(end);
    w->failed = false;
    w->why[0] = 0;
}

perp_status perp_world_step(perp_world *w, perp_certificate *cert) {
    perp_certificate scratch;
    if (!cert) cert = &scratch;
    *cert = (perp_certificate){.overlap_shape = {-1, -1}, .solver = ""};
    pp_arena_reset(&w->arena);
    w->has_problem = false;
    w->failed = false;

    pp_state start;
    const perp_wrench *held;
    perp_status st = w->stepper->ready ? w->stepper->ready(w) : PERP_OK;
    if (!st) st = pp_control_held(w, &held);
    if (!st) st = pp_state_new(w, &start);
    if (!st) {
        pp_state_copy(w, &start, &w->state);
        st = stagger(w, &start, held);
    }
    pp_state end;
    parts p = {.held = held, .cert = cert};
    if (!st) st = pp_state_new(w, &end);
    if (!st) {
        p.frame = PP_ARENA_ARRAY(&w->arena, pp_frame *, 1 << w->def.max_halvings);
        st = p.frame ? divide(w, &p, &start, &end, w->def.h, 0)
                     : pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    }
    for (int i = 0; !st && i < p.n; i++) st = pp_reserve(p.frame[i]);
    if (!st) {
        commit(w, &p);
        return PERP_OK;
    }
    w->failed = true;
    pp_logf(w, PERP_LOG_WARNING, "step %llu failed: %s", (unsigned long long)w->state.step, w->why);
    return st;
}

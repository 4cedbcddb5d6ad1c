/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* modes.c - the modes of the laws in an answer, and their margins
 *
 * Problem  A complementarity condition 0 <= a _|_ b >= 0 holds by a = 0 or by b = 0. Which of the two holds in an answer
 *          that is exact to a tolerance, and how far is it from the other?
 * Method   Both are taken as velocities, impulses times inverse mass. The larger one is the one that is not zero, and its
 *          size is the margin: if both are small, the law is about to change its mode. */
#include "tangent/modes.h"

#include <string.h>

#include "geometry/shape/collision.h"
#include "stage/contact_model.h"
#include "method/peg/peg.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "stage/stepper.h"
#include "tangent/loads.h"
#include "stage/control/control.h"
#include "stage/solve/solve.h"
#include "base/elementary.h"

#define SPREAD 1e-3 /* margin, as a part of the speeds, beyond which loads.c need not increase it */
#define CREEP  1e-6 /* part of the speeds: at a slower approach, bouncing and not bouncing are the same */

static double larger(double a, double b) { return a > b ? a : b; }

double pp_friction_parts(const perp_step_problem *p, const perp_contact_row *c, pp_mode *m) {
    double e[PP_FRICTION_ROWS], W = 0;
    pp_friction_axes(c, e);
    for (int k = 0; k < PP_FRICTION_ROWS; k++) {
        if (p->dim == 2 && k > 0) break;
        if (!(e[k] > 0)) continue;
        double mass = pp_row_inverse_mass(p, pp_friction_row(c, k)) + pp_friction_compliance(c, k);
        m->part[m->n] = k;
        m->e[m->n++] = e[k];
        W = larger(W, e[k] * e[k] * mass);
    }
    return W;
}

double pp_slip_of(const perp_step_problem *p, const perp_step_solution *s, int i, const pp_mode *m,
                  double slip[PP_FRICTION_ROWS]) {
    const perp_contact_row *c = &p->contact[i];
    double sum = 0;
    for (int k = 0; k < m->n; k++) {
        int part = m->part[k];
        slip[k] = pp_row_dot(p, pp_friction_row(c, part), s->nu) + pp_friction_b(c, part) +
                  pp_friction_compliance(c, part) * *pp_friction_impulse(s, i, part);
        sum += m->e[k] * m->e[k] * slip[k] * slip[k];
    }
    return sqrt(sum);
}

static void cone_mode(const perp_step_problem *p, const perp_step_solution *s, int i, double W, pp_mode *m) {
    double slip[PP_FRICTION_ROWS], sum = 0, speed = pp_slip_of(p, s, i, m, slip);
    for (int k = 0; k < m->n; k++) {
        double x = *pp_friction_impulse(s, i, m->part[k]) / m->e[k];
        sum += x * x;
    }
    double slack = W * (p->contact[i].mu * s->p_contact[3 * i] - sqrt(sum));
    m->kind = slack >= speed ? PP_MODE_STICK : PP_MODE_SLIDE;
    m->friction = larger(slack, speed);
}

/* Of a pyramid: in the polygon without slip, in a corner, or on a side. */
static void pyramid_mode(const perp_step_problem *p, const perp_step_solution *s, int i, double W, pp_mode *m) {
    const perp_contact_row *c = &p->contact[i];
    const double *P = s->p_contact + 3 * i;
    double slip[PP_FRICTION_ROWS], speed = pp_slip_of(p, s, i, m, slip), most = c->mu * P[0],
                                   half = 3.141592653589793 / c->nd;
    double slack = INFINITY, least = INFINITY;
    for (int k = 0; k < c->nd; k++) {
        double d[2], a = c->phase + (2 * k + 1) * half;
        slack = fmin(slack, W * (most * pp_cos(half) - pp_cos(a) * P[1] - pp_sin(a) * P[2]));
        pp_pyramid_direction(c, k, d);
        double far = pp_hypot(P[1] - most * d[0], P[2] - most * d[1]);
        if (far < least) {
            least = far;
            m->corner[0] = k;
        }
    }
    m->kind = PP_MODE_STICK;
    m->friction = larger(slack, speed);
    if (slack >= speed) return;
    /* the two sides at this corner: the distance of the impulse from each, and the slip along their other corners */
    double d[2], margin = m->friction;
    pp_pyramid_direction(c, m->corner[0], d);
    m->kind = PP_MODE_CORNER;
    for (int way = -1; way <= 1; way += 2) {
        int other = (m->corner[0] + way + c->nd) % c->nd;
        double q[2];
        pp_pyramid_direction(c, other, q);
        double x = q[0] - d[0], y = q[1] - d[1], length = pp_hypot(x, y);
        double along = W * ((P[1] - most * d[0]) * x + (P[2] - most * d[1]) * y) / length,
               more = (slip[0] * x + slip[1] * y) / length;
        if (along > more) {
            m->kind = PP_MODE_SIDE;
            m->corner[1] = other;
        }
        margin = fmin(margin, larger(along, more));
    }
    m->friction = margin;
}

pp_mode pp_contact_mode(const perp_step_problem *p, const perp_step_solution *s, int i) {
    const perp_contact_row *c = &p->contact[i];
    double p_n = s->p_contact[3 * i], W = pp_row_inverse_mass(p, &c->n) + c->compliance,
           w = pp_row_dot(p, &c->n, s->nu) + c->b_n + c->compliance * p_n;
    pp_mode m = {.kind = PP_MODE_PRESSED, .normal = larger(W * p_n, w), .friction = INFINITY};
    if (c->contact < 0) m.normal = INFINITY; /* a support is always closed */
    if (w > W * p_n) {
        m.kind = PP_MODE_OPEN;
        return m;
    }
    if (c->nd == 0 || !(c->mu > 0)) return m;
    double W_f = pp_friction_parts(p, c, &m);
    if (c->nd > 2)
        pyramid_mode(p, s, i, W_f, &m);
    else
        cone_mode(p, s, i, W_f, &m);
    return m;
}

int pp_joint_mode(const perp_step_problem *p, const perp_step_solution *s, int i, double *margin) {
    const perp_joint_row *r = &p->joint[i];
    double W = pp_row_inverse_mass(p, &r->row) + r->compliance, length = pp_row_length(p, &r->row),
           w = pp_row_dot(p, &r->row, s->nu) + r->b + r->compliance * s->p_joint[i];
    double below = r->lo == -INFINITY ? INFINITY : W * (s->p_joint[i] - r->lo),
           above = r->hi == INFINITY ? INFINITY : W * (r->hi - s->p_joint[i]);
    int at = w > below ? -1 : -w > above ? 1 : 0;
    *margin = length * (at < 0 ? larger(w, below) : at > 0 ? larger(-w, above) : fmin(below, above));
    return at;
}

/* Keeps the smaller margin. */
static void nearer(perp_tangent_state *out, double margin, perp_margin_kind what, int which) {
    if (!(margin < out->margin)) return;
    out->margin = fmax(margin, 0);
    out->what = what;
    out->which = which;
}

/* How far a contact that can bounce is from closing just at the end of the step. */
static double rebound_margin(const pp_frame *f, int i, double speed) {
    const perp_contact *c = &f->contacts.at[i];
    const perp_contact_row *row = &f->pose.problem.contact[i];
    if (!(c->restitution > 0)) return INFINITY;
    double approach = pp_row_dot(&f->pose.problem, &row->n, f->control.nu0) + row->b_n_kin,
           start = c->gap + pp_row_bend(f, &row->n);
    return approach < -CREEP * speed ? fabs(start / f->h + approach) : INFINITY;
}

/* The speeds at hand, which margins are compared with. */
static double speed_of(const pp_frame *f) {
    double speed = fmax(f->solve.residual.scale, f->h * perp_v3_norm(f->w->def.gravity_W));
    return speed > 0 ? speed : 1;
}

/* Margins of the laws that impulses enter. */
static void load_margin(const pp_frame *f, const perp_step_solution *s, perp_tangent_state *out) {
    const perp_step_problem *p = &f->pose.problem;
    double speed = speed_of(f), margin;
    for (int i = 0; i < p->njoint; i++) {
        (void)pp_joint_mode(p, s, i, &margin);
        nearer(out, margin / speed, PERP_MARGIN_JOINT, p->joint[i].joint);
    }
    for (int i = 0; i < p->ncontact; i++) {
        pp_mode m = pp_contact_mode(p, s, i);
        nearer(out, m.normal / speed, PERP_MARGIN_CONTACT, i);
        nearer(out, m.friction / speed, PERP_MARGIN_FRICTION, i);
    }
}

/* Margins of laws without impulses. */
static void motion_margin(const pp_frame *f, perp_tangent_state *out) {
    double speed = speed_of(f);
    for (int i = 0; i < f->contacts.n; i++) nearer(out, rebound_margin(f, i, speed) / speed, PERP_MARGIN_REBOUND, i);
    /* pairs without a contact in the problem: they may begin to touch at the end of this step */
    const struct pp_peg *peg = f->w->found.peg;
    for (int i = 0; peg && f->w->chosen.model == &pp_model_peg && i < peg->npair; i++)
        if (!peg->pair[i].active) nearer(out, fmax(peg->pair[i].gap1, 0) / (f->h * speed), PERP_MARGIN_CONTACT, -1);
}

static bool copy_loads(pp_arena *a, const perp_step_problem *p, const perp_step_solution *from,
                       perp_step_solution *to) {
    if (!pp_solution_new(a, p, to)) return false;
    memcpy(to->nu, from->nu, (size_t)p->ndof * sizeof *to->nu);
    memcpy(to->p_joint, from->p_joint, (size_t)p->njoint * sizeof *to->nu);
    memcpy(to->p_contact, from->p_contact, 3 * (size_t)p->ncontact * sizeof *to->nu);
    memcpy(to->sigma, from->sigma, (size_t)p->ncontact * sizeof *to->nu);
    memcpy(to->p_spin, from->p_spin, (size_t)p->ncontact * sizeof *to->nu);
    memcpy(to->p_roll, from->p_roll, 2 * (size_t)p->ncontact * sizeof *to->nu);
    return true;
}

/* Loads of a part of the step that are farther from changes of mode; *best: their margin. */
static perp_status spread(pp_frame *f, double nearness, pp_loads *out, perp_tangent_state *best) {
    pp_arena *a = &f->w->arena;
    const perp_step_problem *p = &f->pose.problem;
    perp_step_solution better;
    if (!copy_loads(a, p, &f->solve.solution, &better) ||
        !pp_loads_spread(p, &better, speed_of(f), fmax(SPREAD, 10 * nearness), a) ||
        !copy_loads(a, p, &better, &out->other))
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the margins");
    perp_tangent_state found = {.margin = INFINITY, .which = -1};
    load_margin(f, &better, &found);
    if (!(found.margin > best->margin)) return PERP_OK;
    *best = found;
    out->at = better;
    out->spread = true;
    const perp_step_solution *s = &f->solve.solution;
    for (int i = 0; i < p->njoint; i++) out->other.p_joint[i] = 0.5 * (better.p_joint[i] + s->p_joint[i]);
    for (int i = 0; i < 3 * p->ncontact; i++) out->other.p_contact[i] = 0.5 * (better.p_contact[i] + s->p_contact[i]);
    for (int i = 0; i < p->ncontact; i++) out->other.p_spin[i] = 0.5 * (better.p_spin[i] + s->p_spin[i]);
    for (int i = 0; i < 2 * p->ncontact; i++) out->other.p_roll[i] = 0.5 * (better.p_roll[i] + s->p_roll[i]);
    return PERP_OK;
}

static perp_status frame_margin(pp_frame *f, double nearness, pp_loads *out) {
    perp_tangent_state given = {.margin = INFINITY, .which = -1}, best;
    out->at = f->solve.solution;
    out->spread = false;
    load_margin(f, &out->at, &given);
    best = given;
    perp_status st = given.margin < nearness ? spread(f, nearness, out, &best) : PERP_OK;
    motion_margin(f, &given);
    motion_margin(f, &best);
    nearer(&out->given, given.margin, given.what, given.which);
    nearer(&out->best, best.margin, best.what, best.which);
    return st;
}

perp_status pp_modes_margin(pp_frame *const *frame, int n, double nearness, pp_loads *out) {
    *out = (pp_loads){.given = {.margin = INFINITY, .which = -1}, .best = {.margin = INFINITY, .which = -1}};
    perp_status st = PERP_OK;
    for (int k = 0; !st && k < n; k++)
        if (!frame[k]->w->chosen.stepper->step) st = frame_margin(frame[k], nearness, out);
    return st;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_second_order.c - step of second order where the motion is smooth; Stewart-Trinkle step where it is not
 *
 * Method   Half of the forces act at the start of the step, with constraint impulses that make joints and gaps hold at its end. The bodies
 *          move freely over h. The other half acts at the end, with constraints on velocities (second_order_kicks.c). The step is
 *          symmetric in time, and therefore of second order, as long as the contact modes do not change. An impact is treated as in
 *          the Stewart-Trinkle step: the first half brings the bodies to touch, the second stops them, and no energy is gained. That step is
 *          of first order.
 *          If only joints and springs act, nothing touches and no energy is lost, several such steps are composed to a step of higher
 *          order (setting `order`). Their lengths are c_i h. A negative length is a step forwards with all velocities reversed. If
 *          anything touches on the way or at the end, the plain step is kept.
 * Forces   User functions and PD controllers are evaluated once per step, as everywhere. The step is of second order for the force that is
 *          held constant, and of first order for a controller without delay.
 * Source   Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3 and VII.1.4; Kahan and Li, Math. Comp. 66
 *          (1997) 1089 (coefficients of order 6); Suzuki, Phys. Lett. A 146 (1990) 319 (order 4). */
#include <stddef.h>
#include <string.h>

#include "base/refuse.h"
#include "geometry/broad/broad.h"
#include "method/stepper/second_order_kicks.h"
#include "stage/stepper.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/solve/solve.h"

typedef struct settings {
    int order;
} settings;

static const perp_field fields[] = {
    {"order", PERP_FIELD_INT, offsetof(settings, order), 4, 2, 6,
     "order of the step while only joints and springs act and nothing is lost: 2 (plain), 4 or 6; 3 and 5 as the next "
     "larger one"},
};

static int order_of(const perp_world *w) {
    return ((const settings *)(const void *)w->chosen.stepper_settings.bytes)->order;
}

#define MOST_PARTS 9
/* Symmetric compositions: lengths of the substeps as fractions of h. */
static const double suzuki[] = {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857,
                                0.41449077179437573714, 0.41449077179437573714};
static const double kahan_li[MOST_PARTS] = {0.39216144400731413928,  0.33259913678935943860, -0.70624617255763935981,
                                            0.08221359629355080023,  0.79854399093482996340, 0.08221359629355080023,
                                            -0.70624617255763935981, 0.33259913678935943860, 0.39216144400731413928};

static void worst(double *sum, double x) {
    if (!(x <= *sum)) *sum = x;
}

/* Adds the report of a kick to the report of the step. */
static void report(pp_frame *f, const pp_frame *k) {
    worst(&f->solve.residual.momentum, k->solve.residual.momentum);
    worst(&f->solve.residual.joint, k->solve.residual.joint);
    worst(&f->solve.residual.normal, k->solve.residual.normal);
    worst(&f->solve.residual.cone, k->solve.residual.cone);
    worst(&f->solve.residual.dissipation, k->solve.residual.dissipation);
    worst(&f->solve.residual.scale, k->solve.residual.scale);
    worst(&f->solve.acceptance, k->solve.acceptance);
    worst(&f->solve.info.residual, k->solve.info.residual);
    f->solve.iterations += k->solve.iterations;
    f->solve.fallbacks += k->solve.fallbacks;
    if (k->solve.unknowns > f->solve.unknowns) f->solve.unknowns = k->solve.unknowns;
    if (!f->solve.used) f->solve.used = k->solve.used;
}

/* Copy of the first kick for the ledger: its contact rows without the shifts of second_order_shift.c. */
static pp_frame *as_kick(const pp_frame *f) {
    pp_arena *a = &f->w->arena;
    pp_frame *k = PP_ARENA_ARRAY(a, pp_frame, 1);
    if (!k) return NULL;
    *k = *f;
    if (f->demand.nshift == 0) return k;
    perp_contact_row *row = PP_ARENA_ARRAY(a, perp_contact_row, f->contacts.n);
    if (!row) return NULL;
    for (int i = 0; i < f->contacts.n; i++) {
        row[i] = f->pose.problem.contact[i];
        const int *shape = f->contacts.shape + 2 * i;
        const perp_contact *c = &f->contacts.at[i];
        for (int s = 0; s < f->demand.nshift; s++) {
            const pp_slip_shift *x = &f->demand.shift[s];
            if (x->shape[0] != shape[0] || x->shape[1] != shape[1] || x->feature != c->feature) continue;
            row[i].b_t -= perp_v3_dot(x->slip_W, c->t_W);
            if (f->w->def.dim == 3) row[i].b_o -= perp_v3_dot(x->slip_W, c->o_W);
            if (row[i].e_r > 0) row[i].b_r -= x->spin;
            for (int b = 0; b < 2 && row[i].e_roll > 0; b++)
                row[i].b_roll[b] -= perp_v3_dot(x->roll_W, b ? c->o_W : c->t_W);
        }
    }
    k->pose.problem.contact = row;
    return k;
}

static int find_joint_row(const pp_frame *f, int joint, int number) {
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].joint == joint && f->pose.row_number[i] == number) return i;
    return -1;
}

/* Adds the joint impulses of a kick to those of the step, row by row. */
static void add_joint_impulses(pp_frame *f, const pp_frame *kick, double sign) {
    for (int i = 0; i < kick->pose.problem.njoint; i++) {
        int at = i < f->pose.problem.njoint && f->pose.problem.joint[i].joint == kick->pose.problem.joint[i].joint &&
                         f->pose.row_number[i] == kick->pose.row_number[i]
                     ? i
                     : find_joint_row(f, kick->pose.problem.joint[i].joint, kick->pose.row_number[i]);
        if (at >= 0) f->solve.solution.p_joint[at] += sign * kick->solve.solution.p_joint[i];
    }
}

/* The contact of the step that corresponds to contact i of a kick: the same feature, or the nearest contact of its
 * pair; -1: none. */
static int contact_of(const pp_frame *f, const pp_frame *kick, int i) {
    const int *s = kick->contacts.shape + 2 * i;
    const perp_contact *c = &kick->contacts.at[i];
    int best = -1;
    double least = INFINITY;
    for (int j = 0; j < f->contacts.n; j++) {
        const int *e = f->contacts.shape + 2 * j;
        if (e[0] != s[0] || e[1] != s[1]) continue;
        if (f->contacts.at[j].feature == c->feature) return j;
        double d = perp_v3_norm(perp_v3_sub(f->contacts.at[j].b_W, c->b_W));
        if (d < least) least = d, best = j;
    }
    return best;
}

static void add_contact_impulses(pp_frame *f, const pp_frame *kick) {
    for (int i = 0; i < kick->contacts.n; i++) {
        int at = contact_of(f, kick, i);
        if (at < 0) continue;
        const perp_contact *c = &kick->contacts.at[i], *to = &f->contacts.at[at];
        const double *p = kick->solve.solution.p_contact + 3 * i;
        /* along its own axes: the normal may have rotated, but it is the same contact */
        if (c->feature == to->feature) {
            f->solve.solution.p_contact[3 * at] += p[0];
        } else {
            f->solve.solution.p_contact[3 * at] += fmax(0, p[0] * perp_v3_dot(c->n_W, to->n_W));
        }
        perp_vec3 P = perp_v3_add(perp_v3_scale(p[1], c->t_W), perp_v3_scale(p[2], c->o_W));
        f->solve.solution.p_contact[3 * at + 1] += perp_v3_dot(P, to->t_W);
        if (f->w->def.dim == 3) f->solve.solution.p_contact[3 * at + 2] += perp_v3_dot(P, to->o_W);
        if (kick->pose.problem.contact[i].e_r > 0) f->solve.solution.p_spin[at] += kick->solve.solution.p_spin[i];
        perp_vec3 roll = pp_roll_impulse_W(kick, i);
        f->solve.solution.p_roll[2 * at] += perp_v3_dot(roll, to->t_W);
        f->solve.solution.p_roll[2 * at + 1] += perp_v3_dot(roll, to->o_W);
    }
}

/* Makes a solution for the impulses of the whole step; the first kick keeps its own. */
static bool own_solution(pp_frame *f, bool empty) {
    perp_step_solution s;
    const perp_step_solution *old = &f->solve.solution;
    if (!pp_solution_new(&f->w->arena, &f->pose.problem, &s)) return false;
    memcpy(s.nu, old->nu, (size_t)f->control.ndof * sizeof *s.nu);
    memcpy(s.sigma, old->sigma, (size_t)f->pose.problem.ncontact * sizeof *s.sigma);
    if (!empty) {
        memcpy(s.p_joint, old->p_joint, (size_t)f->pose.problem.njoint * sizeof *s.p_joint);
        memcpy(s.p_contact, old->p_contact, 3 * (size_t)f->pose.problem.ncontact * sizeof *s.p_contact);
        memcpy(s.p_spin, old->p_spin, (size_t)f->pose.problem.ncontact * sizeof *s.p_spin);
        memcpy(s.p_roll, old->p_roll, 2 * (size_t)f->pose.problem.ncontact * sizeof *s.p_roll);
    }
    f->solve.solution = s;
    f->solve.share = NULL; /* of one kick alone */
    return true;
}

/* Joint springs have a row only in the first kick, but push in both. */
static void double_springs(pp_frame *f, const pp_frame *first, double sign) {
    for (int i = 0; i < first->pose.problem.njoint; i++)
        if (first->pose.problem.joint[i].kind == PERP_ROW_SPRING)
            f->solve.solution.p_joint[i] += sign * first->solve.solution.p_joint[i];
}

static perp_status no_memory(const pp_frame *f) { return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the step"); }

/* The plain step, from the results of pp_control. Frames of its kicks in kick[0], kick[1]. */
static perp_status plain(pp_frame *f, pp_frame **kick) {
    perp_status st = pp_first_kick(f, f->h, true);
    if (st) return st;
    kick[0] = as_kick(f);
    if (!kick[0]) return no_memory(f);
    if ((st = pp_second_kick(f, true, &kick[1]))) return st;
    if (!own_solution(f, false)) return no_memory(f);
    double_springs(f, kick[0], 1);
    add_joint_impulses(f, kick[1], 1);
    add_contact_impulses(f, kick[1]);
    report(f, kick[1]);
    return PERP_OK;
}

/* May the step be composed of substeps, some of them backwards? Only if nothing touched and energy is conserved. */
static bool reversible(const pp_frame *f, const pp_frame *second) {
    const perp_world *w = f->w;
    bool shaped = false; /* does a force act that depends on the position? */
    if (second->contacts.n > 0) return false;
    for (int i = 0; i < f->contacts.n; i++)
        if (f->solve.solution.p_contact[3 * i] != 0) return false;
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        if (r->kind == PERP_ROW_LIMIT ? f->solve.solution.p_joint[i] != 0
                                      : r->kind != PERP_ROW_JOINT && r->kind != PERP_ROW_SPRING)
            return false;
        shaped = true;
    }
    for (int i = 0; i < w->njoint; i++)
        for (int c = 0; pp_alive(w->joint[i].gen) && c < PERP_JOINT_MAX_COORD; c++)
            if (w->joint[i].def.axis[c].damping > 0) return false;
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (!pp_alive(e->gen)) continue;
        if (e->def.kind == PERP_FORCE_SPRING && (e->def.damping > 0 || e->def.drag > 0)) return false;
        shaped = true;
    }
    for (int i = 0; i < w->nbody; i++)
        if (pp_alive(w->body[i].gen) && w->body[i].kind == PERP_BODY_KINEMATIC && w->body[i].motion) return false;
    return shaped;
}

static void turn_round(const pp_frame *f, pp_state *s) {
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        s->v[slot] = perp_v3_neg(s->v[slot]);
        s->w[slot] = perp_v3_neg(s->w[slot]);
    }
}

static bool limits_act(const pp_frame *f) {
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].kind == PERP_ROW_LIMIT && f->solve.solution.p_joint[i] != 0) return true;
    return false;
}

/* One substep of length c h from s; s becomes its end. Returns PERP_E_SOLVE if it is not possible. */
static perp_status part(const pp_frame *f, double c, pp_state *s, pp_frame **kick) {
    perp_world *w = f->w;
    pp_frame *p = PP_ARENA_ARRAY(&w->arena, pp_frame, 1);
    pp_state *from = PP_ARENA_ZERO(&w->arena, pp_state, 1), *to = PP_ARENA_ZERO(&w->arena, pp_state, 1);
    if (!p || !from || !to) return no_memory(f);
    perp_status st = pp_state_new(w, from);
    if (!st) st = pp_state_new(w, to);
    if (st) return st;
    if (c < 0) turn_round(f, s);
    pp_state_copy(w, from, s);
    pp_state_copy(w, to, s);
    *p = (pp_frame){.w = w,
                    .s0 = from,
                    .s1 = to,
                    .h = fabs(c) * f->h,
                    .purpose = PP_STEP,
                    .task = {.half = true, .held = f->task.held, .acts = f->task.acts}};
    st = pp_control(p);
    if (!st) st = pp_first_kick(p, c * f->h, false);
    if (!st) st = pp_second_kick(p, false, &kick[1]);
    if (st) return st;
    kick[0] = p;
    if (limits_act(p) || limits_act(kick[1])) return PERP_E_SOLVE;
    pp_state_copy(w, s, to);
    if (c < 0) turn_round(f, s);
    return PERP_OK;
}

/* Does anything overlap in s? */
static perp_status overlaps(const pp_frame *f, const pp_state *s, bool *out) {
    perp_world *w = f->w;
    pp_frame end = *f; /* the filter uses the placed shapes of its frame */
    double depth = 0;
    int shape[2];
    *out = false;
    if (w->nshape == 0) return PERP_OK;
    perp_status st = pp_collide_place(w, s, &end.collide);
    if (!st)
        st = pp_overlap_deepest(w->found.broad, end.collide.nplaced, end.collide.placed, pp_may_touch, &end, &w->alloc,
                                &w->arena, &w->found.couples, &depth, shape);
    *out = depth > 0;
    return st;
}

/* The step in n substeps. If that is not possible, the frame is left unchanged. */
static perp_status composed(pp_frame *f, const double *length, int n, pp_frame **kick) {
    perp_world *w = f->w;
    pp_state s;
    perp_status st = pp_state_new(w, &s);
    if (st) return st;
    pp_state_copy(w, &s, f->s0);
    for (int i = 0; !st && i < n; i++) st = part(f, length[i], &s, kick + 2 * i);
    bool meets = false;
    if (!st) st = overlaps(f, &s, &meets);
    if (st == PERP_E_SOLVE || meets) return PERP_OK;
    if (st) return st;
    if (!own_solution(f, true)) return no_memory(f);
    f->solve.iterations = 0;
    for (int i = 0; i < n; i++) {
        double sign = length[i] < 0 ? -1 : 1;
        add_joint_impulses(f, kick[2 * i], sign);
        add_joint_impulses(f, kick[2 * i + 1], sign);
        double_springs(f, kick[2 * i], sign);
        report(f, kick[2 * i]);
        report(f, kick[2 * i + 1]);
    }
    f->method.kick = kick;
    f->method.nkick = 2 * n;
    s.t = f->s1->t;
    pp_state_copy(w, f->s1, &s);
    return PERP_OK;
}

static perp_status step(pp_frame *f) {
    pp_frame **kick = PP_ARENA_ARRAY(&f->w->arena, pp_frame *, 2 + 2 * MOST_PARTS);
    if (!kick) return no_memory(f);
    perp_status st = plain(f, kick);
    if (st) return st;
    f->method.kick = kick;
    f->method.nkick = 2;
    int order = order_of(f->w);
    if (order == 2 || !reversible(f, kick[1])) return PERP_OK;
    return order <= 4 ? composed(f, suzuki, 5, kick + 2) : composed(f, kahan_li, MOST_PARTS, kick + 2);
}

/* Sum of the ledgers of all kicks. */
static void ledger(const pp_frame *f, perp_ledger *l) {
    perp_certificate sum = {0};
    for (int i = 0; i < f->method.nkick; i++) {
        const pp_frame *k = f->method.kick[i];
        perp_certificate c = {.substeps = 1};
        pp_ledger(k, &c.ledger);
        for (int d = 0; k->method.i_joint && d < k->control.ndof; d++) {
            double mean = 0.5 * (k->control.nu0[d] + k->solve.solution.nu[d]);
            c.ledger.drift += mean * k->method.i_elastic[d];
            c.ledger.joint_loss += mean * (k->method.i_joint[d] - k->method.i_elastic[d]);
            c.ledger.remainder -= mean * k->method.i_joint[d];
        }
        perp_certificate_add(&sum, &c);
    }
    *l = sum.ledger;
}

static perp_status fits(const perp_world_def *d, char *why, size_t why_size) {
    if (d->start == PERP_START_STAGGERED)
        return pp_refuse(
            why, why_size, PERP_E_FIT,
            "stepper second-order requires start plain: its velocities belong to the times of its positions");
    if (d->joint_correction)
        return pp_refuse(why, why_size, PERP_E_FIT,
                         "stepper second-order leaves no joint error; switch joint_correction off");
    return PERP_OK;
}

static const char *const models[] = {"peg", "one-plane", NULL};

const pp_stepper_type pp_stepper_second_order = {
    .name = "second-order",
    .source = "Andersen (1983); Hairer, Lubich, Wanner VII.1.4",
    .about = "half kicks at both ends of the step: second order between impacts, joints hold exactly",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .armature = true,
    .couplings = true,
    .models = models,
    .end_gaps = true,
    .ellipsoids = true,
    .half_kicks = true,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .normal_rhs = pp_end_gap_rhs,
    .step = step,
    .fits = fits,
    .ledger = ledger,
};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_layer.c - Kelvin-Voigt layers over rigid cores (Berard 3.5.2), as rows of the step problem
 * Law      psi is the gap of the undeformed surfaces at the end of the step, d >= 0 the deflection of the layer, d0 that at the start. Spring
 *          and damper give p_s, the rigid core p_r; their sum is the normal impulse (3.88):
 *            0 <= p_s _|_ psi + d >= 0,   0 <= p_r _|_ d_max - d >= 0,   p_s = h K d + C (d - d0)            (3.91), (3.92)
 *          In contact d = -psi. A free layer relaxes to d = C d0/(h K + C). So p as a function of psi is zero, then a line, then at
 *          psi = -d_max any value above the p_s there: a row with compliance, or a rigid one.
 *          Along the surface p_t = h K_t d_t + C_t (d_t - d_t0), and the slip is that of the body relative to the layer. (As printed, d_t
 *          only follows from p_t and does not influence the motion; here it does.)
 * Energy   With keeps_energy p_s = -h (V(psi) - V(psi0))/(psi - psi0) + C (d - d0), V = K d^2/2. This is the mean force over the
 *          path of the step. Its work equals the energy loss of the spring, also if the contact closes or opens within the step.
 *          Rounds linearise it. The core is then met within the step, after the fraction theta at which the gap would be closed.
 *          There it takes the remaining speed, and afterwards the spring pushes off again. So speeds and times are of second order.
 * Source   Berard (3.88)-(3.93) with the signs of errata (3.97), (3.99); the discrete gradient: Gonzalez (1996). */
#include <string.h>

#include "stage/collide/contact_fill.h"
#include "problem/rows.h"
#include "method/implicit/implicit_step.h"
#include "stage/certify/certify.h"
#include "stage/solve/solve.h"

#define SLACK 1e-12 /* [1] keeps rounding from switching a contact between layer and core */

static perp_pair_law law_of(const pp_frame *f, int contact) {
    return pp_contact_law(f->w, f->contacts.shape[2 * contact], f->contacts.shape[2 * contact + 1]);
}

static double pressed(double gap) { return gap < 0 ? -gap : 0; }

/* Impulse of spring and damper at a gap, and its slope [M/T]. It may be negative; the row enforces p >= 0. */
static double impulse(const pp_implicit_work *k, const pp_layer *l, const perp_pair_law *law, double gap0, double gap,
                      double *slope) {
    double h = k->f->h, K = law->stiffness, C = law->damping, d = pressed(gap), d0 = pressed(gap0);
    double damper = d > 0 ? C * (d - l->start_n) : 0, way = gap - gap0;
    *slope = d > 0 ? -C : 0;
    if (fabs(way) <= 1e-12 * (d + d0) || (d > 0 && d0 > 0)) { /* in contact at both ends: mean of both forces */
        *slope -= d > 0 ? h * K / 2 : 0;
        return h * K * (d + d0) / 2 + damper;
    }
    double mean = -K * (d * d - d0 * d0) / (2 * way);
    *slope += h * (-mean + (d > 0 ? K * d : 0)) / way;
    return h * mean + damper;
}

/* Deflection of the free layer at the end, where its impulse is zero. */
static double relaxed(const pp_implicit_work *k, const pp_layer *l, const perp_pair_law *law) {
    double whole = k->f->h * law->stiffness + law->damping;
    return law->damping * l->start_n / whole;
}

perp_status pp_layers_begin(pp_implicit_work *k) {
    pp_frame *f = k->f;
    k->layer = PP_ARENA_ZERO(&f->w->arena, pp_layer, f->contacts.n);
    k->rigid = PP_ARENA_ZERO(&f->w->arena, double, f->contacts.n);
    k->lever = PP_ARENA_ZERO(&f->w->arena, double, f->contacts.n);
    if (!k->layer || !k->rigid || !k->lever)
        return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int i = 0; i < f->contacts.n; i++) {
        perp_pair_law law = law_of(f, i);
        pp_layer *l = &k->layer[i];
        const pp_meet *m = &k->meet[i];
        l->gap = m->held_at.gap;
        if (law.compliance != PERP_LINEAR) continue;
        l->soft = true;
        l->core_gap = law.layer > 0 ? -law.layer : -INFINITY;
        l->start_n = pressed(m->gap0);
        perp_vec3 d, n = f->contacts.at[i].n_W;
        bool loaded;
        if (pp_recall_layer(f, &f->contacts.at[i], &d, &loaded)) {
            double normal = perp_v3_dot(d, n);
            l->start_n = fmax(l->start_n, normal);
            l->start = perp_v3_axpy(d, -normal, n);
        }
        if (law.layer > 0) l->start_n = fmin(l->start_n, law.layer);
        l->core = m->core;
        double slope, h = f->h;
        if (isfinite(l->core_gap))
            l->at_core = k->keeps_energy ? impulse(k, l, &law, m->gap0, l->core_gap, &slope)
                                         : h * law.stiffness * law.layer + law.damping * (law.layer - l->start_n);
    }
    return PERP_OK;
}

/* Fraction of the step after which the core is met: gap + speed t + gain t^2/(2 h) = core. */
static double met_after(const pp_implicit_work *k, const pp_meet *m, double core) {
    double h = k->f->h, c = m->gap0 - core, s = m->speed * h, g = m->gain * h, square = s * s - 2 * g * c;
    if (!(c > 0)) return 0;
    double theta = square > 0 ? 2 * c / (-s + sqrt(square)) : 1;
    return theta >= 0 && theta <= 1 ? theta : 1;
}

/* Velocity-level row of a core that is met within the step. During the rest of the step the layer may push off again. */
static void core_row(const pp_implicit_work *k, int i, perp_contact_row *row) {
    const pp_meet *m = &k->meet[i];
    double core = k->layer[i].core_gap, theta = met_after(k, m, core), left = 1 - theta;
    double within = m->gap0 < core ? (core - m->gap0) / k->f->h : 0; /* removes rounding */
    row->b_n = row->b_n_kin - fmax(0, left * m->gain) - within;
    /* the impact acts for the rest of the step; a force that holds against a load acts for half of it on average */
    double hold = m->gain < 0 ? left * m->gain / (m->speed + m->gain) : 0;
    hold = hold >= 0 && hold <= 1 ? hold : 1;
    k->lever[i] = left * (1 - hold / 2);
}

/* The normal row: gap plus deflection by the impulse. b is that of the rigid row, the end gap divided by h. */
static void normal_row(const pp_implicit_work *k, int i, const perp_pair_law *law, perp_contact_row *row) {
    const pp_layer *l = &k->layer[i];
    double h = k->f->h;
    if (l->core && k->keeps_energy) {
        core_row(k, i, row);
        return;
    }
    if (l->core) {
        row->b_n -= l->core_gap / h;
        return;
    }
    if (!k->keeps_energy) {
        row->b_n += relaxed(k, l, law) / h;
        row->compliance = 1 / (h * (h * law->stiffness + law->damping));
        return;
    }
    double slope, p = impulse(k, l, law, k->meet[i].gap0, l->gap, &slope), at = l->gap;
    if (!(slope < 0)) { /* no contact: the line of a contact that begins */
        slope = -(h * law->stiffness / 2 + law->damping);
        p = 0;
        at = fmin(at, 0);
    }
    row->b_n -= (at - p / slope) / h;
    row->compliance = -1 / (h * slope);
}

void pp_layers_rows(pp_implicit_work *k, perp_contact_row *row) {
    const pp_frame *f = k->f;
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_layer *l = &k->layer[i];
        k->lever[i] = 1;
        if (!l->soft) continue;
        perp_pair_law law = law_of(f, i);
        normal_row(k, i, &law, &row[i]);
        double whole = f->h * law.stiffness_t + law.damping_t;
        if (!(whole > 0)) continue;
        /* slip of the body relative to the layer: t nu + (d_t - d_t0)/h, d_t = (p_t + C_t d_t0)/whole */
        row[i].compliance_f = 1 / (f->h * whole);
        double back = (law.damping_t / whole - 1) / f->h;
        row[i].b_t += back * perp_v3_dot(l->start, f->contacts.at[i].t_W);
        row[i].b_o += back * perp_v3_dot(l->start, f->contacts.at[i].o_W);
    }
}

/* Computes the normal speed of each contact at the start, and its change in the step without rigid contact. */
static void approach(pp_implicit_work *k) {
    const pp_frame *f = k->f;
    double *smooth = k->next;
    memcpy(smooth, f->solve.solution.nu, (size_t)f->control.ndof * sizeof *smooth);
    for (int i = 0; i < f->contacts.n; i++)
        if (k->rigid[i] != 0) pp_row_spread(&f->pose.problem, &f->pose.problem.contact[i].n, -k->rigid[i], smooth);
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact_row *row = &f->pose.problem.contact[i];
        k->meet[i].speed = pp_row_dot(&f->pose.problem, &row->n, f->control.nu0) + row->b_n_kin;
        k->meet[i].gain = pp_row_dot(&f->pose.problem, &row->n, smooth) + row->b_n_kin - k->meet[i].speed;
    }
}

bool pp_layers_changed(pp_implicit_work *k) {
    const pp_frame *f = k->f;
    bool changed = false;
    for (int i = 0; i < f->contacts.n; i++) {
        pp_layer *l = &k->layer[i];
        double p = f->solve.solution.p_contact[3 * i];
        if (!l->soft) {
            k->rigid[i] = p;
            continue;
        }
        k->rigid[i] = l->core ? fmax(0, p - l->at_core) : 0;
        const perp_row *n = &f->pose.problem.contact[i].n;
        double end = l->gap + f->h * (pp_row_dot(&f->pose.problem, n, f->solve.solution.nu) -
                                      pp_row_dot(&f->pose.problem, n, k->nu));
        bool core = l->core ? p >= l->at_core * (1 - SLACK) : end < l->core_gap * (1 + SLACK);
        if (core != l->core) changed = true;
        k->meet[i].core = core;
    }
    approach(k);
    return changed;
}

/* Deflection from the impulse: the law above, solved for d. */
static double deflection_of(const pp_implicit_work *k, int i, const perp_pair_law *law, double p) {
    const pp_layer *l = &k->layer[i];
    double h = k->f->h, K = law->stiffness, C = law->damping, gap0 = k->meet[i].gap0;
    if (l->core) return law->layer;
    if (!(p > 0)) return relaxed(k, l, law);
    if (!k->keeps_energy) return (p + C * l->start_n) / (h * K + C);
    if (gap0 <= 0) return fmax(0, (p + h * K * gap0 / 2 + C * l->start_n) / (h * K / 2 + C));
    /* closes within the step: h K d^2/(2 (d + gap0)) + C (d - d0) = p */
    double a = h * K + 2 * C, b = C * (gap0 - l->start_n) - p, c = 2 * gap0 * (C * l->start_n + p);
    return (sqrt(b * b + a * c) - b) / a;
}

/* Ledger entries as in viscoelastic_rows.c: the spring's share of the normal impulse, without damper and core, and its
 * work on the layer along the surface. If the layer is released, its energy is lost to its damper. d: deflection at the
 * end. */
static void account(const pp_implicit_work *k, int i, const perp_pair_law *law, const double *p, double yield,
                    perp_vec3 d) {
    pp_frame *f = k->f;
    const pp_layer *l = &k->layer[i];
    const perp_contact_row *r = &f->pose.problem.contact[i];
    perp_vec3 n = f->contacts.at[i].n_W;
    double end = perp_v3_dot(d, n), rate = pp_mean_velocity(f, &r->n) + r->b_n_kin;
    double elastic = p[0] - k->rigid[i] - law->damping * (yield - l->start_n);
    f->method.elastic.normal +=
        p[0] > 0 ? elastic * rate : -0.5 * law->stiffness * (end * end - l->start_n * l->start_n);
    perp_vec3 t = perp_v3_axpy(d, -end, n);
    f->method.elastic.friction -= law->stiffness_t * perp_v3_dot(t, perp_v3_sub(t, l->start));
    f->method.elastic.before += 0.5 * law->stiffness * l->start_n * l->start_n;
    f->s1->elastic_energy += 0.5 * law->stiffness * end * end + 0.5 * law->stiffness_t * perp_v3_dot(t, t);
}

perp_status pp_layers_end(pp_implicit_work *k) {
    pp_frame *f = k->f;
    f->s1->elastic_energy = 0;
    perp_vec3 *d = PP_ARENA_ZERO(&f->w->arena, perp_vec3, f->contacts.n);
    double *yield = PP_ARENA_ZERO(&f->w->arena, double, f->contacts.n);
    if (!d || !yield) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_layer *l = &k->layer[i];
        if (!l->soft) continue;
        const perp_contact *c = &f->contacts.at[i];
        const double *p = f->solve.solution.p_contact + 3 * i;
        perp_pair_law law = law_of(f, i);
        double n = fmax(pressed(k->meet[i].held_at.gap), p[0] > 0 ? 0 : relaxed(k, l, &law));
        yield[i] = deflection_of(k, i, &law, p[0]);
        if (law.layer > 0) {
            n = fmin(n, law.layer);
            yield[i] = fmin(yield[i], law.layer);
        }
        d[i] = perp_v3_scale(n, c->n_W);
        double whole = f->h * law.stiffness_t + law.damping_t;
        const perp_vec3 axis[2] = {c->t_W, c->o_W};
        for (int a = 0; whole > 0 && a < f->w->def.dim - 1; a++) {
            double to = (p[1 + a] + law.damping_t * perp_v3_dot(l->start, axis[a])) / whole;
            d[i] = perp_v3_axpy(d[i], to, axis[a]);
        }
        account(k, i, &law, p, yield[i], d[i]);
    }
    f->method.layer = d;
    f->method.yield = yield;
    return PERP_OK;
}

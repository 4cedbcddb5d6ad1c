/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* viscoelastic_rows.c - springs and dampers at contacts as rows of the step problem
 * Law      psi is the gap of the undeformed surfaces, d the deflection, 0 <= lambda_n _|_ psi + d >= 0. Two rules:
 *            mean   p = h K (d0 + d1)/2 + C (d1 - d0),  x1 = x0 + h (nu0 + nu1)/2   second order, conserves energy
 *            end    p = h K d1          + C (d1 - d0),  x1 = x0 + h nu1             first order, as printed
 *          Both are p = h K d0 + S (d1 - d0) with S = h K/2 + C or h K + C. With psi linear in nu1, the condition is psi1 + d* + p/S >= 0,
 *          d* = d0 (1 - h K/S): a row with compliance. D along the surface is treated in the same way, and the slip of the body
 *          relative to the surface is t . drift + (D1 - D0)/h.
 * Which    A body uses the mean rule if all contacts that it depends on are compliant and resolved by the substep (viscoelastic_pace.c).
 *          Otherwise it uses the end rule: joints and rigid contacts must hold at the end of a substep, and with the mean rule springs that
 *          are too stiff for the substep would oscillate forever. Springs between points use the force of the start of a substep. The mean
 *          rule multiplies the energy of such a spring of rate w by 1 + (h w)^2/2 in each substep; the end rule preserves it.
 * Slip     A slipping contact carries no more than the cone allows. The force of the spring alone is also limited to the cone.
 * Source   Berard (2.73); Song, Pang, Kumar, Int. J. Numer. Meth. Engng 60 (2004), for the end rule. */
#include <math.h>

#include "base/sets.h"
#include "stage/collide/contact_fill.h"
#include "problem/rows.h"
#include "method/stepper/viscoelastic.h"
#include "stage/certify/certify.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"
#include "base/elementary.h"

perp_status pp_visco_contacts(pp_frame *f) {
    const pp_pair_list *list = &f->w->found.pairs;
    perp_status st = pp_contact_room(f, list->n);
    for (int i = 0; !st && i < list->n; i++, f->contacts.n++)
        pp_contact_fill(f, &list->pair[i], &f->contacts.at[i], f->contacts.shape + 2 * i);
    return st;
}

/* ---- the start ---- */

/* Deflections at the start. A surface that was in contact follows the body. A surface that was released returns by its
 * damper. */
static void recall(const pp_frame *f, int i, pp_visco *c) {
    const perp_contact *e = &f->contacts.at[i];
    perp_vec3 was;
    bool pressed, known = pp_recall_layer(f, e, &was, &pressed);
    c->d0 = fmax(0, -c->gap0);
    if (!known) return;
    if (!pressed && c->C > 0) c->d0 = fmax(c->d0, perp_v3_dot(was, e->n_W));
    if (c->Kt > 0 || c->Ct > 0) {
        c->D0[0] = perp_v3_dot(was, e->t_W);
        c->D0[1] = f->w->def.dim == 3 ? perp_v3_dot(was, e->o_W) : 0;
    }
}

/* Minv times the momentum before forces act: the velocity at the start, for the inertia of the step problem. */
static void start_velocity(const pp_frame *f, double *nu) {
    for (int b = 0; b < f->control.nblock; b++) {
        int at = f->control.block_offset[b], n = f->control.block_ndof[b];
        for (int r = 0; r < n; r++) {
            nu[at + r] = 0;
            for (int c = 0; c < n; c++) {
                int j = at + c;
                nu[at + r] += f->control.Minv[36 * b + 6 * c + r] * (f->control.momentum[j] - pp_force_impulse(f, j));
            }
        }
    }
}

perp_status pp_visco_begin(pp_visco_work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    k->contact = PP_ARENA_ZERO(&w->arena, pp_visco, f->contacts.n);
    k->mean = PP_ARENA_ZERO(&w->arena, bool, f->control.nblock);
    k->nu_start = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    k->drift = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    if (!k->contact || !k->mean || !k->nu_start || !k->drift)
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    start_velocity(f, k->nu_start);
    perp_step_problem alone = pp_free_problem(f);
    /* velocity by forces alone; the array gets its final values later */
    pp_step_velocity(&alone, NULL, NULL, k->drift);
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact_row *r = &f->pose.problem.contact[i];
        pp_visco *c = &k->contact[i];
        perp_pair_law law = pp_contact_law(w, f->contacts.shape[2 * i], f->contacts.shape[2 * i + 1]);
        double v0 = pp_row_dot(&f->pose.problem, &r->n, k->nu_start);
        c->gap = f->h * r->b_n;
        c->gap0 = c->gap - f->h * r->b_n_kin;
        c->speed = v0 + r->b_n_kin;
        c->gain = pp_row_dot(&f->pose.problem, &r->n, k->drift) - v0;
        c->soft = law.compliance == PERP_LINEAR;
        if (!c->soft) continue;
        c->K = law.stiffness, c->C = law.damping, c->Kt = law.stiffness_t, c->Ct = law.damping_t;
        recall(f, i, c);
    }
    return pp_visco_fine(k);
}

/* ---- the rule of each body ---- */

static void join(int *parent, const int block[2]) {
    if (block[0] < 0 || block[1] < 0) return;
    pp_sets_join(parent, block[0], block[1]);
}

static void mark(int *parent, const int block[2], bool *end) {
    for (int side = 0; side < 2; side++)
        if (block[side] >= 0) end[pp_set_of(parent, block[side])] = true;
}

/* Must this contact hold at the end of the substep? A rigid contact that cannot close within the substep need not. */
static bool wants_end(const pp_visco_work *k, const pp_visco *c) {
    if (c->soft) return k->f->h > c->fine * (1 + 1e-6) && pp_visco_in_touch(k, c);
    return c->gap0 + k->f->h * (fmin(c->speed, 0) + fmin(c->gain, 0)) <= 0;
}

/* Marks bodies at springs between points. */
static void mark_springs(const pp_frame *f, int *parent, bool *end) {
    for (int i = 0; i < f->w->nforce; i++) {
        const pp_force *e = &f->w->force[i];
        if (!pp_alive(e->gen) || e->def.kind != PERP_FORCE_SPRING || !(e->def.stiffness > 0)) continue;
        const int block[2] = {e->a < 0 ? -1 : f->control.block[e->a], f->control.block[e->b]};
        mark(parent, block, end);
    }
}

static perp_status choose(pp_visco_work *k) {
    const pp_frame *f = k->f;
    const perp_step_problem *p = &f->pose.problem;
    int *parent = PP_ARENA_ARRAY(&f->w->arena, int, f->control.nblock);
    bool *end = PP_ARENA_ZERO(&f->w->arena, bool, f->control.nblock); /* by root of the union-find */
    if (!parent || !end) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d bodies", f->control.nblock);
    pp_sets_make(parent, f->control.nblock);
    for (int i = 0; i < f->contacts.n; i++) join(parent, p->contact[i].n.block);
    for (int j = 0; j < p->njoint; j++) join(parent, p->joint[j].row.block);
    for (int i = 0; i < f->contacts.n; i++)
        if (wants_end(k, &k->contact[i])) mark(parent, p->contact[i].n.block, end);
    for (int j = 0; j < p->njoint; j++) mark(parent, p->joint[j].row.block, end);
    mark_springs(f, parent, end);
    for (int b = 0; b < f->control.nblock; b++) k->mean[b] = !end[pp_set_of(parent, b)];
    return PERP_OK;
}

static bool by_mean(const pp_visco_work *k, const perp_row *row) {
    int b = row->block[row->block[0] >= 0 ? 0 : 1];
    return b >= 0 && k->mean[b];
}

/* ---- rows ---- */

/* Impulse per deflection [M/T]. */
static double slope(double K, double C, double h, bool mean) { return (mean ? h * K / 2 : h * K) + C; }

/* Fraction of its deflection that a released surface keeps. */
static double kept(double K, double C, double h) { return C > 0 ? pp_exp(-h * K / C) : 0; }

static void soften(const pp_visco_work *k, const pp_visco *c, perp_contact_row *r) {
    const perp_step_problem *p = &k->f->pose.problem;
    double h = k->f->h;
    bool mean = by_mean(k, &r->n);
    double S = slope(c->K, c->C, h, mean), twice = mean ? 2 : 1;
    /* open contact: position of the surface when it is reached */
    double star = c->touched ? c->d0 * (1 - h * c->K / S) : c->d0 * kept(c->K, c->C, h);
    r->b_n = twice * (c->gap + star) / h + (mean ? pp_row_dot(p, &r->n, k->nu_start) : 0);
    r->compliance = twice / (h * S);
    double St = slope(c->Kt, c->Ct, h, mean);
    if (!(St > 0)) return; /* rigid along the surface: a sticking contact is at rest at the end */
    const perp_row *along[2] = {&r->t, &r->o};
    double *b[2] = {&r->b_t, &r->b_o};
    for (int a = 0; a < 2 && a < p->dim - 1; a++)
        *b[a] = twice * (*b[a] - c->Kt * c->D0[a] / St) + (mean ? pp_row_dot(p, along[a], k->nu_start) : 0);
    r->compliance_f = twice / (h * St);
}

perp_status pp_visco_rows(pp_visco_work *k) {
    pp_frame *f = k->f;
    int n = f->pose.problem.ncontact;
    perp_contact_row *row = PP_ARENA_ARRAY(&f->w->arena, perp_contact_row, n);
    double *driven = PP_ARENA_ARRAY(&f->w->arena, double, PP_FRICTION_ROWS *n);
    if (!row || !driven) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", n);
    perp_status st = choose(k);
    if (st) return st;
    for (int i = 0; i < n; i++) {
        row[i] = f->pose.problem.contact[i];
        pp_note_driven(&row[i], driven + PP_FRICTION_ROWS * i);
        if (k->contact[i].soft) soften(k, &k->contact[i], &row[i]);
    }
    f->pose.problem.contact = row;
    f->pose.slip_driven = driven;
    return PERP_OK;
}

/* ---- the end ---- */

/* Deflection along the surface from the row. The spring alone carries no more than the cone allows, unless the damper
 * has not released an earlier deflection yet. */
static void shift(const pp_visco_work *k, pp_visco *c, const perp_contact_row *r, const double *p) {
    double h = k->f->h, St = slope(c->Kt, c->Ct, h, by_mean(k, &r->n));
    if (!(St > 0)) return;
    for (int a = 0; a < 2; a++) c->D1[a] = c->D0[a] + (p[1 + a] - h * c->Kt * c->D0[a]) / St;
    if (!(c->Kt > 0)) return;
    double most = fmax(r->mu * p[0] / (h * c->Kt), pp_hypot(c->D0[0], c->D0[1]) * kept(c->Kt, c->Ct, h));
    double size = pp_hypot(c->D1[0], c->D1[1]);
    if (!(size > most)) return;
    for (int a = 0; a < 2; a++) c->D1[a] *= most / size;
}

/* Enters the work of the contact spring into the ledger. Along the normal the spring acts with its share of the
 * impulse. If the surface is released, its energy is lost to the damper. Along the surface the spring does work on the
 * surface, not on the body, which may slip. */
static void account(const pp_visco_work *k, const pp_visco *c, const perp_contact_row *r, const double *p,
                    double yield) {
    pp_frame *f = k->f;
    bool mean = by_mean(k, &r->n);
    double held = 0.5 * c->K * (c->d1 * c->d1 - c->d0 * c->d0);
    double rate = pp_mean_velocity(f, &r->n);
    f->method.elastic.normal += p[0] > 0 ? (p[0] - c->C * (yield - c->d0)) * (rate + r->b_n_kin) : -held;
    for (int a = 0; a < 2 && c->Kt > 0; a++)
        f->method.elastic.friction -= c->Kt * (mean ? 0.5 * (c->D0[a] + c->D1[a]) : c->D1[a]) * (c->D1[a] - c->D0[a]);
    f->method.elastic.before += 0.5 * c->K * c->d0 * c->d0;
    f->s1->elastic_energy += 0.5 * c->K * c->d1 * c->d1 + 0.5 * c->Kt * (c->D1[0] * c->D1[0] + c->D1[1] * c->D1[1]);
}

perp_status pp_visco_end(pp_visco_work *k) {
    pp_frame *f = k->f;
    const double *nu = f->solve.solution.nu;
    perp_vec3 *layer = PP_ARENA_ZERO(&f->w->arena, perp_vec3, f->contacts.n);
    double *gap = PP_ARENA_ARRAY(&f->w->arena, double, f->contacts.n);
    double *yield = PP_ARENA_ZERO(&f->w->arena, double, f->contacts.n);
    if (!layer || !gap || !yield) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int b = 0; b < f->control.nblock; b++)
        for (int j = f->control.block_offset[b]; j < f->control.block_offset[b] + f->control.block_ndof[b]; j++)
            k->drift[j] = k->mean[b] ? 0.5 * (k->nu_start[j] + nu[j]) : nu[j];
    f->s1->elastic_energy = 0;
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact_row *r = &f->pose.problem.contact[i];
        const perp_contact *e = &f->contacts.at[i];
        pp_visco *c = &k->contact[i];
        gap[i] = c->gap + f->h * pp_row_dot(&f->pose.problem, &r->n, k->drift);
        if (!c->soft) continue;
        const double *p = f->solve.solution.p_contact + 3 * i;
        c->d1 = fmax(fmax(0, -gap[i]), p[0] > 0 ? 0 : c->d0 * kept(c->K, c->C, f->h));
        /* from the impulse: p = h K d + S (d+ - d) */
        yield[i] = p[0] > 0 ? fmax(0, c->d0 + (p[0] - f->h * c->K * c->d0) / slope(c->K, c->C, f->h, by_mean(k, &r->n)))
                            : c->d1;
        shift(k, c, r, p);
        account(k, c, r, p, yield[i]);
        layer[i] = perp_v3_axpy(perp_v3_scale(c->d1, e->n_W), c->D1[0], e->t_W);
        if (f->w->def.dim == 3) layer[i] = perp_v3_axpy(layer[i], c->D1[1], e->o_W);
    }
    f->method.layer = layer;
    f->method.yield = yield;
    f->method.true_gap = gap;
    return PERP_OK;
}

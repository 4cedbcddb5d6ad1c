/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* equations.c - see equations.h
 *
 * All equations but the momentum balance are velocities. Equations of a known friction impulse are multiplied with the
 * inverse mass W of the contact, which makes them velocities too:
 *   joint row between its bounds   J nu + b + c p = 0            at a bound    W (p - bound) = 0
 *   contact, closed                n nu + b_n + c p_n = 0        which is the gap at the end over h, where that holds
 *   sticking                       s = T nu + b_f + c_f p_f = 0
 *   sliding                        W (p_k + mu p_n e_k^2 s_k/|e s|) = 0 for each part k
 *   corner d of a pyramid          W (p_f - mu p_n d) = 0
 *   side between corners d, d'     (d' - d).s = 0,   W (m.p_f - mu p_n cos(pi/nd)) = 0, m between the two */
#include "tangent/equations.h"

#include <string.h>

#include "problem/rows.h"
#include "base/elementary.h"

void pp_equations_scale(pp_equations *e, const perp_step_problem *p) {
    for (int i = 0; i < e->njoint; i++) e->mass[i] = pp_row_inverse_mass(p, &p->joint[i].row) + p->joint[i].compliance;
    for (int i = 0; i < e->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        const pp_mode *m = &e->mode[i];
        double *mass = e->mass + e->first[i], most = 0;
        mass[0] = pp_row_inverse_mass(p, &c->n) + c->compliance;
        for (int k = 0; k < m->n; k++)
            most = fmax(most,
                        pp_row_inverse_mass(p, pp_friction_row(c, m->part[k])) + pp_friction_compliance(c, m->part[k]));
        for (int k = 0; k < m->n; k++) mass[1 + k] = most;
    }
    for (int i = 0; i < e->n; i++)
        if (!(e->mass[i] > 0)) e->mass[i] = 1;
}

static double slip(const pp_equations *e, const perp_step_problem *p, int i, int part) {
    const perp_contact_row *c = &p->contact[i];
    return pp_row_dot(p, pp_friction_row(c, part), e->at.nu) + pp_friction_b(c, part) +
           pp_friction_compliance(c, part) * *pp_friction_impulse(&e->at, i, part);
}

/* Slip along all parts, and its size in the metric of the axes. */
static double slips(const pp_equations *e, const perp_step_problem *p, int i, double s[PP_FRICTION_ROWS]) {
    const pp_mode *m = &e->mode[i];
    double sum = 0;
    for (int k = 0; k < m->n; k++) {
        s[k] = slip(e, p, i, m->part[k]);
        sum += m->e[k] * m->e[k] * s[k] * s[k];
    }
    return sqrt(sum);
}

/* The two corners of a side: their difference, and the unit vector between them. */
static void side_of(const perp_contact_row *c, const pp_mode *m, double along[2], double out[2]) {
    double d[2], q[2];
    pp_pyramid_direction(c, m->corner[0], d);
    pp_pyramid_direction(c, m->corner[1], q);
    double length = pp_hypot(d[0] + q[0], d[1] + q[1]);
    for (int k = 0; k < 2; k++) {
        along[k] = q[k] - d[k];
        out[k] = (d[k] + q[k]) / length;
    }
}

static double half_cosine(const perp_contact_row *c) { return pp_cos(3.141592653589793 / c->nd); }

static void friction_values(const pp_equations *e, const perp_step_problem *p, int i, double *value) {
    const perp_contact_row *c = &p->contact[i];
    const pp_mode *m = &e->mode[i];
    const double *W = e->mass + e->first[i] + 1;
    double most = c->mu * e->at.p_contact[3 * i], s[PP_FRICTION_ROWS], d[2], out[2];
    (void)slips(e, p, i, s);
    switch (m->kind) {
    case PP_MODE_STICK:
    case PP_MODE_SLIDE:
        for (int k = 0; k < m->n; k++) value[k] = s[k];
        break;
    case PP_MODE_CORNER:
        pp_pyramid_direction(c, m->corner[0], d);
        for (int k = 0; k < 2; k++) value[k] = W[k] * (e->at.p_contact[3 * i + 1 + k] - most * d[k]);
        break;
    case PP_MODE_SIDE:
        side_of(c, m, d, out);
        value[0] = d[0] * s[0] + d[1] * s[1];
        value[1] =
            W[1] * (out[0] * e->at.p_contact[3 * i + 1] + out[1] * e->at.p_contact[3 * i + 2] - most * half_cosine(c));
        break;
    case PP_MODE_OPEN:
    case PP_MODE_PRESSED: break;
    }
}

static void momentum_values(const pp_equations *e, const perp_step_problem *p, double *momentum) {
    for (int b = 0; b < p->nblock; b++) {
        int at = p->block_offset[b], nd = p->block_ndof[b];
        const double *M = p->M + 36 * (size_t)b;
        for (int r = 0; r < nd; r++) {
            momentum[at + r] = -p->momentum[at + r];
            for (int c = 0; c < nd; c++) momentum[at + r] += M[6 * c + r] * e->at.nu[at + c];
        }
    }
    for (int i = 0; i < e->njoint; i++) pp_row_push(p, &p->joint[i].row, -e->at.p_joint[i], momentum);
    for (int i = 0; i < e->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        const pp_mode *m = &e->mode[i];
        pp_row_push(p, &c->n, -e->at.p_contact[3 * i], momentum);
        for (int k = 0; k < m->n; k++)
            pp_row_push(p, pp_friction_row(c, m->part[k]), -*pp_friction_impulse(&e->at, i, m->part[k]), momentum);
    }
}

void pp_equations_values(const pp_equations *e, const perp_step_problem *p, double *value, double *momentum) {
    for (int i = 0; i < e->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        double P = e->at.p_joint[i];
        value[i] = e->joint_mode[i] == 0 ? pp_row_dot(p, &r->row, e->at.nu) + r->b + r->compliance * P
                                         : e->mass[i] * (P - (e->joint_mode[i] < 0 ? r->lo : r->hi));
    }
    for (int i = 0; i < e->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        value[e->first[i]] = pp_row_dot(p, &c->n, e->at.nu) + c->b_n + c->compliance * e->at.p_contact[3 * i];
        friction_values(e, p, i, value + e->first[i] + 1);
        value[e->n + i] = c->mu;
    }
    momentum_values(e, p, momentum);
}

/* The direction of a slow slip changes quickly, so it is nonlinear even where the slip is linear. */
void pp_equations_chain(const pp_equations *e, const perp_step_problem *p, double *change) {
    for (int i = 0; i < e->ncontact; i++) {
        const pp_mode *m = &e->mode[i];
        if (m->kind != PP_MODE_SLIDE) continue;
        double s[PP_FRICTION_ROWS], size = slips(e, p, i, s), along = 0, *d = change + e->first[i] + 1,
                                    dmu = change[e->n + i];
        double P = e->at.p_contact[3 * i], mu = p->contact[i].mu;
        const double *W = e->mass + e->first[i] + 1;
        for (int k = 0; k < m->n; k++) along += m->e[k] * m->e[k] * s[k] * d[k] / (size * size);
        for (int k = 0; k < m->n; k++) {
            double turned = m->n == 1 ? 0 : mu * P * (d[k] - s[k] * along);
            d[k] = W[k] * m->e[k] * m->e[k] * (dmu * P * s[k] + turned) / size;
        }
    }
}

/* Adds a factor of an unknown. */
static void put_impulse(pp_equation *q, int unknown, double c) {
    if (c == 0) return;
    q->p[q->np] = unknown;
    q->c[q->np++] = c;
}

static void put_row(pp_equation *q, const perp_row *row, double by) {
    if (by == 0) return;
    q->row[q->nrow] = *row;
    q->by[q->nrow++] = by;
}

/* Derivative of the slip of contact i along a part by the velocity. */
static const perp_row *slip_row(const pp_equations *e, const perp_step_problem *p, int i, int part) {
    return e->slip_finite[i] ? &e->slip_row[PP_FRICTION_ROWS * i + part] : pp_friction_row(&p->contact[i], part);
}

/* Equation k of a sliding contact. The derivative of the direction of slip is the component across the slip. */
static void derive_slide(const pp_equations *e, const perp_step_problem *p, int i, int k, pp_equation *q) {
    const perp_contact_row *c = &p->contact[i];
    const pp_mode *m = &e->mode[i];
    int first = e->first[i];
    double s[PP_FRICTION_ROWS], size = slips(e, p, i, s), W = e->mass[first + 1 + k], e2 = m->e[k] * m->e[k];
    double most = c->mu * e->at.p_contact[3 * i];
    put_impulse(q, first, W * c->mu * e2 * s[k] / size);
    for (int j = 0; j < m->n; j++) {
        double f2 = m->e[j] * m->e[j], by = W * most * e2 * ((k == j) - f2 * s[k] * s[j] / (size * size)) / size;
        if (m->n == 1) by = 0; /* a line: the direction is a sign */
        put_row(q, slip_row(e, p, i, m->part[j]), by);
        put_impulse(q, first + 1 + j, (k == j ? W : 0) + by * pp_friction_compliance(c, m->part[j]));
    }
}

static void derive_friction(const pp_equations *e, const perp_step_problem *p, int i, int k, pp_equation *q) {
    const perp_contact_row *c = &p->contact[i];
    const pp_mode *m = &e->mode[i];
    int first = e->first[i];
    double W = e->mass[first + 1 + k], d[2], out[2];
    switch (m->kind) {
    case PP_MODE_STICK:
        put_row(q, slip_row(e, p, i, m->part[k]), 1);
        put_impulse(q, first + 1 + k, pp_friction_compliance(c, m->part[k]));
        break;
    case PP_MODE_SLIDE: derive_slide(e, p, i, k, q); break;
    case PP_MODE_CORNER:
        pp_pyramid_direction(c, m->corner[0], d);
        put_impulse(q, first + 1 + k, W);
        put_impulse(q, first, -W * c->mu * d[k]);
        break;
    case PP_MODE_SIDE:
        side_of(c, m, d, out);
        for (int j = 0; j < 2; j++) {
            if (k == 0) put_row(q, slip_row(e, p, i, m->part[j]), d[j]);
            put_impulse(q, first + 1 + j, k == 0 ? d[j] * c->compliance_f : W * out[j]);
        }
        if (k == 1) put_impulse(q, first, -W * c->mu * half_cosine(c));
        break;
    case PP_MODE_OPEN:
    case PP_MODE_PRESSED: break;
    }
}

void pp_equations_derive(const pp_equations *e, const perp_step_problem *p, pp_system *s) {
    for (int i = 0; i < e->njoint; i++) {
        const perp_joint_row *r = &p->joint[i];
        pp_equation *q = &s->equation[i];
        *q = (pp_equation){.nrow = 0};
        s->push[i] = &r->row;
        if (e->joint_mode[i] == 0) put_row(q, e->joint_end ? &e->joint_end[i] : &r->row, 1);
        put_impulse(q, i, e->joint_mode[i] == 0 ? r->compliance : e->mass[i]);
    }
    for (int i = 0; i < e->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        const pp_mode *m = &e->mode[i];
        int first = e->first[i];
        pp_equation *q = &s->equation[first];
        *q = (pp_equation){.nrow = 0};
        s->push[first] = &c->n;
        put_row(q, e->gap_holds[i] ? &e->end_row[i] : &c->n, 1);
        put_impulse(q, first, c->compliance);
        for (int k = 0; k < m->n; k++) {
            s->equation[first + 1 + k] = (pp_equation){.nrow = 0};
            s->push[first + 1 + k] = pp_friction_row(c, m->part[k]);
            derive_friction(e, p, i, k, &s->equation[first + 1 + k]);
        }
    }
    memcpy(s->mass, e->mass, (size_t)e->n * sizeof *s->mass);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* step_residual.c - the judge of a step: momentum, joints, contact, cone, dissipation, each as a velocity
 * Problem  residual of each law of perp_step_problem, for given impulses and the velocity at the end of a step.
 * Method   straight from the rows; definitions at perp_step_residual. Friction is the variational inequality
 *            p_f in K = mu p_n conv{d_k},  (q - p_f) . s >= 0 for all q in K,
 *          whose natural map W p_f - P_WK(W p_f - s) is a velocity and fades as the contact unloads. P projects on a
 *          regular polygon; with a true cone, K is the disc of radius mu p_n; elliptic and torsional cones are balls in
 *          the metric of their axes.
 * Valid    anything: what is not finite gives INFINITY. Never allocates.
 * Cost     (nblock/32 + 1) passes over the rows, nd per contact.
 * Source   derived here; the polygon law is Berard 2.6, Williams 2.4; the disc Acary, Brogliato (2008) 3.9. */
#include <math.h>
#include <stddef.h>

#include "problem/convert/convert.h"
#include "problem/rows.h"

#include "base/elementary.h"

#define BLOCKS 32 /* bodies whose momentum is balanced in one pass over the rows */

static void worsen(double *most, double r) {
    r = fabs(r);
    if (isnan(r)) r = INFINITY;
    if (r > *most) *most = r;
}

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* s + x' Mi y over one block, Mi by columns with leading dimension 6; zeros of x, half of a row as a rule, are left out. nd is a constant. */
static inline __attribute__((always_inline)) double add_form(int nd, const double *x, const double *Mi, const double *y,
                                                             double s) {
    double kept[6]; /* in registers */
#pragma GCC unroll 6
    for (int j = 0; j < nd; j++) kept[j] = y[j];
    for (int i = 0; i < nd; i++) {
        double a = x[i];
        if (a == 0) continue;
#pragma GCC unroll 6
        for (int j = 0; j < nd; j++) s += a * Mi[i + 6 * j] * kept[j];
    }
    return s;
}

static double add_block(const perp_step_problem *p, int b, const double *x, const double *y, double s) {
    const double *Mi = p->Minv + 36 * (ptrdiff_t)b;
    int nd = p->block_ndof[b];
    if (nd == 6) return add_form(6, x, Mi, y, s);
    if (nd == 3) return add_form(3, x, Mi, y, s);
    for (int i = 0; i < nd; i++)
        for (int j = 0; j < nd && x[i] != 0; j++) s += x[i] * Mi[i + 6 * j] * y[j];
    return s;
}

/* J Minv momentum: the free velocity of the row. */
static double row_free(const perp_step_problem *p, const perp_row *r) {
    double s = 0;
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int b = r->block[k];
            if (b >= 0) s = add_block(p, b, r->J[k], p->momentum + p->block_offset[b], s);
        }
    return s;
}

/* Inverse mass of two blocks of a row, which may be the same; those of its list are others. */
static double pair_mass(const perp_step_problem *p, const perp_row *r) {
    double s = 0;
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++) {
            int b = r->block[k];
            if (b >= 0 && r->block[l] == b) s = add_block(p, b, r->J[k], r->J[l], s);
        }
    return s;
}

static double row_mass(const perp_step_problem *p, const perp_row *r) {
    double s = pair_mass(p, r);
    while ((r = r->more)) s += pair_mass(p, r);
    return s;
}

/* Adds J' p to x, which holds the bodies first .. first + BLOCKS - 1, six numbers each. */
static void add_impulse(const perp_step_problem *s, const perp_row *r, double p, int first, double x[BLOCKS][6]) {
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int b = r->block[k];
            if (b < first || b >= first + BLOCKS) continue;
            pp_block_push(s->block_ndof[b], r->J[k], p, x[b - first]);
        }
}

/* Takes in the velocity v of body b: its translational parts as they are, its turning by the speed of points at the
 * radius of gyration, sqrt(w' I w/m), so that both have the same unit and no unit of length is preferred. */
void pp_step_worsen_by_velocity(const perp_step_problem *p, int b, const double *v, double *most) {
    int nd = p->block_ndof[b];
    const double *M = p->M + 36 * (ptrdiff_t)b;
    double turning = 0, linear = 0;
    for (int i = 0; i < nd && i < p->dim; i++) linear += v[i] * v[i];
    worsen(most, sqrt(linear)); /* whatever the axes */
    for (int i = p->dim; i < nd; i++)
        for (int j = p->dim; j < nd; j++) turning += v[i] * M[i + 6 * j] * v[j];
    worsen(most, turning <= 0 ? 0 : sqrt(turning / M[0])); /* what is not a number stays so */
}

void pp_step_momentum(const perp_step_problem *p, const perp_step_solution *s, double *most, double *each) {
    for (int first = 0; first < p->nblock; first += BLOCKS) {
        double G[BLOCKS][6] = {{0}}; /* sum of the impulses on each body */
        for (int j = 0; j < p->njoint; j++) add_impulse(p, &p->joint[j].row, s->p_joint[j], first, G);
        for (int i = 0; i < p->ncontact; i++) {
            add_impulse(p, &p->contact[i].n, s->p_contact[3 * i], first, G);
            add_impulse(p, &p->contact[i].t, s->p_contact[3 * i + 1], first, G);
            if (p->dim == 3) add_impulse(p, &p->contact[i].o, s->p_contact[3 * i + 2], first, G);
            for (int k = 2; k < PP_FRICTION_ROWS; k++)
                if (pp_friction_turns(&p->contact[i], k))
                    add_impulse(p, pp_friction_row(&p->contact[i], k), *pp_friction_impulse(s, i, k), first, G);
        }
        for (int b = first; b < p->nblock && b < first + BLOCKS; b++) {
            int nd = p->block_ndof[b], at = p->block_offset[b];
            const double *M = p->M + 36 * (ptrdiff_t)b, *Minv = p->Minv + 36 * (ptrdiff_t)b;
            double left[6];
            for (int i = 0; i < nd; i++) {
                left[i] = -p->momentum[at + i] - G[b - first][i];
                for (int j = 0; j < nd; j++) left[i] += M[i + 6 * j] * s->nu[at + j];
            }
            double v[6] = {0}, own = 0;
            pp_block_times(nd, Minv, left, v);
            pp_step_worsen_by_velocity(p, b, v, &own);
            worsen(most, own);
            if (each) each[b] = own;
        }
    }
}

/* Factor that converts a velocity of a row to a velocity of the bodies: an impulse that changes the row's velocity by 1 moves the
 * bodies by W/(W + compliance). 1 for a rigid row. */
static double worth(double W, double compliance) { return compliance > 0 ? W / (W + compliance) : 1; }

/* The velocity of a row that only rotates bodies is an angular velocity. It is converted to a speed with the radius of gyration: the
 * length at which the inverse mass of the bodies equals the inverse inertia of the row. mass: of the row; NULL: not known yet. */
static double row_length(const perp_step_problem *p, const perp_row *r, const double *mass) {
    double light = 0;
    for (const perp_row *part = r; part; part = part->more)
        for (int k = 0; k < 2; k++) {
            int b = part->block[k];
            if (b < 0) continue;
            for (int i = 0; i < p->dim && i < p->block_ndof[b]; i++)
                if (part->J[k][i] != 0) return 1;
            light += 1 / p->M[36 * (ptrdiff_t)b];
        }
    double turning = mass ? *mass : row_mass(p, r);
    return turning > 0 && light > 0 ? sqrt(light / turning) : 1;
}

double pp_row_length(const perp_step_problem *p, const perp_row *r) { return row_length(p, r, NULL); }

pp_row_figure pp_step_figure(const perp_step_problem *p, const perp_row *row) {
    double mass = row_mass(p, row);
    return (pp_row_figure){.mass = mass,
                           .inverse = pp_row_inverse_mass(p, row),
                           .free = row_free(p, row),
                           .length = row_length(p, row, &mass)};
}

/* The figures of rows that may be known. known: NULL if they are not */
static double mass_of(const perp_step_problem *p, const perp_row *r, const pp_row_figure *known) {
    return known ? known->mass : row_mass(p, r);
}
static double free_of(const perp_step_problem *p, const perp_row *r, const pp_row_figure *known) {
    return known ? known->free : row_free(p, r);
}
static double length_of(const perp_step_problem *p, const perp_row *r, const pp_row_figure *known) {
    return known ? known->length : pp_row_length(p, r);
}
static const pp_row_figure *of_joint(const pp_row_figure *known, int j) { return known ? known + j : NULL; }
/* n, t, o of contact i */
static const pp_row_figure *of_contact(const perp_step_problem *p, const pp_row_figure *known, int i) {
    return known ? known + p->njoint + 3 * (ptrdiff_t)i : NULL;
}

static double joint_left(const perp_step_problem *p, int j, const perp_step_solution *s, const pp_row_figure *known) {
    const perp_joint_row *r = &p->joint[j];
    double mass = mass_of(p, &r->row, known), W = mass + r->compliance,
           w = pp_row_dot(p, &r->row, s->nu) + r->b + r->compliance * s->p_joint[j];
    /* W p - mid(W lo, W hi, W p - w) = mid(W (p - hi), w, W (p - lo)); an infinite bound stays one if W is 0 */
    double below = r->lo == -INFINITY ? INFINITY : W * (s->p_joint[j] - r->lo);
    double above = r->hi == INFINITY ? -INFINITY : W * (s->p_joint[j] - r->hi);
    double length = length_of(p, &r->row, known);
    return isnan(w + s->p_joint[j]) ? NAN : length * worth(mass, r->compliance) * clamp(w, above, below);
}

double pp_step_joint_by(const perp_step_problem *p, const pp_row_figure *known, int j, const perp_step_solution *s) {
    return joint_left(p, j, s, of_joint(known, j));
}

double pp_step_joint(const perp_step_problem *p, int j, const perp_step_solution *s) {
    return joint_left(p, j, s, NULL);
}

/* Point of the disc of radius R > 0 nearest to y, |y - it| returned. */
static double nearest_on_disc(double R, const double y[2], double it[2]) {
    double size = pp_hypot(y[0], y[1]), k = size > R ? R / size : 1;
    it[0] = k * y[0];
    it[1] = k * y[1];
    return size > R ? size - R : 0;
}

/* Cosine and sine of 0, pi and 2 pi in doubles: the corners of a line along t, the friction of the plane. */
static const double line[3][2] = {{1, 0}, {-1, 1.2246467991473532e-16}, {1, -2.4492935982947064e-16}};

/* Corner k of a polygon of nd corners. */
static void corner(double R, int k, int nd, double phase, double out[2]) {
    const double turn = 6.283185307179586;
    double s, c;
    if (nd == 2 && phase == 0) {
        out[0] = R * line[k][0];
        out[1] = R * line[k][1];
        return;
    }
    pp_sin_cos(k == 0 ? phase : phase + turn * k / nd, &s, &c);
    out[0] = R * c;
    out[1] = R * s;
}

/* Point of the polygon with corners R d_k nearest to y, |y - it| returned. nd = 2 is a line, nd = 0 or R <= 0 the
 * point 0; a line from 0 for nd = 1; PERP_CONE_DIRECTIONS is the disc. */
static double nearest(int nd, double phase, double R, const double y[2], double it[2]) {
    it[0] = it[1] = 0;
    if (!(R > 0) || nd == 0) return pp_hypot(y[0], y[1]);
    if (nd < 0) return nearest_on_disc(R, y, it);
    double best = INFINITY, next[2];
    bool inside = nd >= 3;
    corner(R, 0, nd, phase, next);
    for (int k = 0; k < nd; k++) {
        double A[2] = {next[0], next[1]}, B[2] = {0, 0};
        if (nd > 1) corner(R, k + 1, nd, phase, B);
        next[0] = B[0], next[1] = B[1];
        double e[2] = {B[0] - A[0], B[1] - A[1]}, d[2] = {y[0] - A[0], y[1] - A[1]};
        if (e[0] * d[1] - e[1] * d[0] < 0) inside = false; /* corners go round counter-clockwise */
        double square = e[0] * e[0] + e[1] * e[1];         /* 0 of loads so small that it has no number: a point then */
        double t = square > 0 ? clamp((e[0] * d[0] + e[1] * d[1]) / square, 0, 1) : 0;
        double x[2] = {A[0] + t * e[0], A[1] + t * e[1]}, dist = pp_hypot(y[0] - x[0], y[1] - x[1]);
        if (dist < best) best = dist, it[0] = x[0], it[1] = x[1];
    }
    if (inside) it[0] = y[0], it[1] = y[1], best = 0;
    return best;
}

/* A true cone with axes: friction and slip as vectors of up to five parts, scaled so that K is a ball. */
static void ellipsoid(const perp_step_problem *p, int at, const perp_step_solution *s, perp_step_residual *out) {
    const perp_contact_row *c = &p->contact[at];
    const double all[PP_FRICTION_ROWS] = {c->e_t > 0 ? c->e_t : 1, c->e_o > 0 ? c->e_o : 1, c->e_r, c->e_roll,
                                          c->e_roll};
    int which[PP_FRICTION_ROWS], n = 0;
    for (int k = 0; k < PP_FRICTION_ROWS; k++)
        if (k < 2 || all[k] > 0) which[n++] = k;
    double W = 0, f[PP_FRICTION_ROWS], size = 0, y[PP_FRICTION_ROWS], far = 0;
    for (int i = 0; i < n; i++) {
        int k = which[i];
        double own = all[k] * all[k] * (row_mass(p, pp_friction_row(c, k)) + pp_friction_compliance(c, k));
        if (own > W) W = own;
    }
    double R = W * c->mu * s->p_contact[3 * at];
    for (int i = 0; i < n; i++) {
        int k = which[i];
        double e = all[k], imp = *pp_friction_impulse(s, at, k);
        f[i] = W * imp / e;
        y[i] = f[i] - e * (pp_row_dot(p, pp_friction_row(c, k), s->nu) + pp_friction_b(c, k) +
                           pp_friction_compliance(c, k) * imp);
        size += f[i] * f[i];
        far += y[i] * y[i];
    }
    size = sqrt(size);
    far = sqrt(far);
    if (!isfinite(size) || !isfinite(far) || !isfinite(R)) {
        out->cone = out->dissipation = INFINITY;
        return;
    }
    worsen(&out->cone, R < 0 ? size - R : size > R ? size - R : 0);
    if (R < 0) R = 0;
    double left = 0, k = far > R ? R / far : 1;
    for (int i = 0; i < n; i++) left += (f[i] - k * y[i]) * (f[i] - k * y[i]);
    worsen(&out->dissipation, sqrt(left));
}

static bool circular(const perp_contact_row *c) {
    return !(c->e_r > 0) && !(c->e_roll > 0) && (c->e_t == 0 || c->e_t == 1) && (c->e_o == 0 || c->e_o == 1);
}

/* known: figures of n, t and o, or NULL */
static void contact_left(const perp_step_problem *p, int i, const perp_step_solution *s, const pp_row_figure *known,
                         perp_step_residual *out) {
    const perp_contact_row *c = &p->contact[i];
    const double *imp = s->p_contact + 3 * i;
    double mass = mass_of(p, &c->n, known), own = mass + c->compliance, x = own * imp[0];
    double w = pp_row_dot(p, &c->n, s->nu) + c->b_n + c->compliance * imp[0];
    worsen(&out->normal, isnan(w + x) ? NAN : worth(mass, c->compliance) * (w < x ? w : x));
    if (own == 0 && imp[0] < 0) worsen(&out->normal, INFINITY); /* no mass to measure it by */
    bool friction = c->mu > 0 && c->nd != 0, planar = p->dim == 2;
    if (friction && c->nd < 0 && !planar && !circular(c)) {
        ellipsoid(p, i, s, out);
        return;
    }
    if (!friction && imp[1] == 0 && imp[2] == 0) return;
    int nd = planar && c->nd < 0 ? 2 : c->nd; /* in 2D the disc is the line along t */
    double W = mass_of(p, &c->t, known ? known + 1 : NULL),
           Wo = planar ? 0 : mass_of(p, &c->o, known ? known + 2 : NULL);
    if (Wo > W) W = Wo;
    double part = worth(W, c->compliance_f);
    W += c->compliance_f;
    double f[2] = {W * imp[1], W * imp[2]}, y[2], it[2]; /* imp[2] must be 0 in 2D */
    double R = friction ? W * c->mu * imp[0] : 0;
    if (!isfinite(f[0]) || !isfinite(f[1]) || !isfinite(R)) {
        out->cone = out->dissipation = INFINITY;
        return;
    }
    double excess = nearest(friction ? nd : 0, c->phase, R, f, it);
    if (friction && imp[0] < 0) excess += W * c->mu * -imp[0];
    worsen(&out->cone, part * excess);
    if (!friction) return;
    double slip[2] = {pp_row_dot(p, &c->t, s->nu) + c->b_t + c->compliance_f * imp[1],
                      planar ? 0 : pp_row_dot(p, &c->o, s->nu) + c->b_o + c->compliance_f * imp[2]};
    y[0] = f[0] - slip[0];
    y[1] = f[1] - slip[1];
    if (!isfinite(y[0]) || !isfinite(y[1])) {
        out->dissipation = INFINITY;
        return;
    }
    nearest(nd, c->phase, R, y, it);
    worsen(&out->dissipation, part * pp_hypot(f[0] - it[0], f[1] - it[1]));
}

void pp_step_contact_by(const perp_step_problem *p, const pp_row_figure *known, int i, const perp_step_solution *s,
                        perp_step_residual *out) {
    contact_left(p, i, s, of_contact(p, known, i), out);
}

void pp_step_contact(const perp_step_problem *p, int i, const perp_step_solution *s, perp_step_residual *out) {
    contact_left(p, i, s, NULL, out);
}

/* [1] An open one-sided row: its b (gap/h, or the distance to a limit over h) has no bound in a short part of a step. The two bodies can
 * close it with at most twice the largest speed, so only this much of b counts in the scale. */
#define MET_AT 2
static bool contact_open(const perp_contact_row *c) { return c->b_n > 0 && !(c->compliance > 0); }
static bool joint_open(const perp_joint_row *r) {
    return ((r->lo >= 0 && r->b > 0) || (r->hi <= 0 && r->b < 0)) && !(r->compliance > 0);
}

/* known: figures of n, t and o, or NULL */
static void contact_scale(const perp_step_problem *p, const perp_contact_row *c, const pp_row_figure *known,
                          double *scale) {
    const pp_row_figure *of_t = known ? known + 1 : NULL, *of_o = known ? known + 2 : NULL;
    double mass = c->compliance > 0 ? mass_of(p, &c->n, known) : 0; /* asked for by what gives way alone */
    if (c->compliance > 0 && mass == 0)                             /* its normal impulse is -b_n/compliance */
        worsen(scale, row_mass(p, &c->t) * c->mu * c->b_n / c->compliance);
    if (!contact_open(c)) worsen(scale, worth(mass, c->compliance) * c->b_n);
    worsen(scale, free_of(p, &c->n, known));
    if (!(c->mu > 0) || c->nd == 0) return;
    bool plain = p->dim == 2 || c->nd > 0; /* an ellipse is one of true cones in space */
    double e_t = plain || c->e_t == 0 ? 1 : c->e_t, e_o = plain || c->e_o == 0 ? 1 : c->e_o;
    bool flat = p->dim == 2;
    worsen(scale, flat ? e_t * c->b_t : pp_hypot(e_t * c->b_t, e_o * c->b_o)); /* whatever the tangents */
    double free_t = e_t * free_of(p, &c->t, of_t);
    worsen(scale, flat ? free_t : pp_hypot(free_t, e_o * free_of(p, &c->o, of_o)));
    if (flat) return;
    if (plain) return;
    if (c->e_r > 0) {
        worsen(scale, c->e_r * c->b_r);
        worsen(scale, c->e_r * row_free(p, &c->r));
    }
    if (c->e_roll > 0) {
        worsen(scale, c->e_roll * pp_hypot(c->b_roll[0], c->b_roll[1]));
        worsen(scale, c->e_roll * pp_hypot(row_free(p, &c->roll[0]), row_free(p, &c->roll[1])));
    }
}

static void joint_scale(const perp_step_problem *p, int j, const pp_row_figure *known, double *scale) {
    const perp_joint_row *r = &p->joint[j];
    double length = length_of(p, &r->row, known);
    if (!joint_open(r)) worsen(scale, length * worth(mass_of(p, &r->row, known), r->compliance) * r->b);
    worsen(scale, length * free_of(p, &r->row, known));
}

static void body_scale(const perp_step_problem *p, int b, double *scale) {
    int nd = p->block_ndof[b], at = p->block_offset[b];
    const double *Minv = p->Minv + 36 * (ptrdiff_t)b;
    double free[6] = {0};
    for (int i = 0; i < nd; i++)
        for (int j = 0; j < nd; j++) free[i] += Minv[i + 6 * j] * p->momentum[at + j];
    pp_step_worsen_by_velocity(p, b, free, scale);
}

double pp_step_scale(const perp_step_problem *p) { return pp_step_scale_by(p, NULL); }

double pp_step_scale_by(const perp_step_problem *p, const pp_row_figure *known) {
    double scale = 0;
    for (int b = 0; b < p->nblock; b++) body_scale(p, b, &scale);
    for (int j = 0; j < p->njoint; j++) joint_scale(p, j, of_joint(known, j), &scale);
    for (int i = 0; i < p->ncontact; i++) contact_scale(p, &p->contact[i], of_contact(p, known, i), &scale);
    double most = MET_AT * scale;
    for (int j = 0; j < p->njoint; j++)
        if (joint_open(&p->joint[j]))
            worsen(&scale, fmin(most, length_of(p, &p->joint[j].row, of_joint(known, j)) * fabs(p->joint[j].b)));
    for (int i = 0; i < p->ncontact; i++)
        if (contact_open(&p->contact[i])) worsen(&scale, fmin(most, p->contact[i].b_n));
    return scale;
}

perp_step_residual perp_step_problem_residual(const perp_step_problem *p, const perp_step_solution *s) {
    return pp_step_residual_at(p, s, pp_step_scale(p));
}

perp_step_residual pp_step_residual_at(const perp_step_problem *p, const perp_step_solution *s, double scale) {
    return pp_step_residual_by(p, NULL, s, scale);
}

void pp_step_contacts_by(const perp_step_problem *p, const pp_row_figure *known, const perp_step_solution *s,
                         perp_step_residual *out) {
    for (int i = 0; i < p->ncontact; i++) contact_left(p, i, s, of_contact(p, known, i), out);
}

perp_step_residual pp_step_residual_by(const perp_step_problem *p, const pp_row_figure *known,
                                       const perp_step_solution *s, double scale) {
    perp_step_residual out = {.scale = scale};
    pp_step_momentum(p, s, &out.momentum, NULL);
    for (int j = 0; j < p->njoint; j++) worsen(&out.joint, joint_left(p, j, s, of_joint(known, j)));
    pp_step_contacts_by(p, known, s, &out);
    return out;
}

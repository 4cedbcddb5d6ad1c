/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quasistatic_unique.c - finds the motions that the laws of a quasistatic step leave undetermined
 * Problem  At a solution, which changes dq of the motion give another solution with the same forces? They form a cone
 *              { dq : B dq = 0, A dq >= 0 }
 *          and the motion is unique exactly if the cone contains only dq = 0.
 * Rows     Contact with a force: n dq = 0, because otherwise the force would do work (so the last line of (3.48), the work of the applied
 *          forces, follows from the others). Contact that touches without force: n dq >= 0. Friction inside its cone: t dq = o dq = 0.
 *          Friction on the cone without slip: slip may start along -p_f. Contact that slips: the slip may become faster or slower along its
 *          direction, but not across it, if the cone is round. A pyramid has corners, whose friction is the same for all slips
 *          between the normals of two edges, and edges.
 *          Berard's (3.48) also forbids a slipping contact to change its speed. So it misses that a body at the limit of friction
 *          may slide at any speed.
 * Method   Computes an orthonormal basis of the null space of B, restricts A to it, and projects the basis vectors on the cone (Hildreth).
 *          The projections span the cone.
 * Cost     Cubic in the degrees of freedom.
 * Source   Berard 3.4.5. */
#include "method/stepper/quasistatic_unique.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "problem/rows.h"
#include "stage/pose/support_rows.h"
#include "base/elementary.h"

/* [1] Rows have unit length. If the remainder of a row is below this, the row lies in the span of the others. */
#define DEPENDENT 1e-9
/* [1] Forces and velocities below this fraction of the largest are zero. */
#define ZERO   1e-7
#define SWEEPS 400

typedef struct rows {
    const pp_frame *f;
    int n;     /* columns: degrees of freedom */
    double *B; /* orthonormal rows, nb of them */
    int nb;
    double *A; /* unit rows, na of them */
    int na, cap_a;
    double *scale;       /* by degree of freedom: displacement of the body's rim for one unit [L] */
    double force, speed; /* the largest ones */
} rows;

/* The combination a x + b y of two rows as one vector over the degrees of freedom. */
static void combine(const rows *r, double a, const perp_row *x, double b, const perp_row *y, double *out) {
    memset(out, 0, (size_t)r->n * sizeof *out);
    pp_row_push(&r->f->pose.problem, x, a, out);
    if (y) pp_row_push(&r->f->pose.problem, y, b, out);
    for (int i = 0; i < r->n; i++) out[i] /= r->scale[i];
}

static bool make_unit(int n, double *x) {
    double s = sqrt(pp_dot(n, x, x));
    if (!(s > 0)) return false;
    for (int i = 0; i < n; i++) x[i] /= s;
    return true;
}

/* Removes the components along the rows of B; twice, because of rounding. */
static void clear_of(int n, const double *B, int nb, double *x) {
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < nb; k++) pp_axpy(n, -pp_dot(n, B + (ptrdiff_t)n * k, x), B + (ptrdiff_t)n * k, x);
}

/* Adds the condition B dq = 0 for this row. */
static void equal(rows *r, double a, const perp_row *x, double b, const perp_row *y) {
    if (r->nb == r->n) return;
    double *row = r->B + (ptrdiff_t)r->n * r->nb;
    combine(r, a, x, b, y, row);
    if (!make_unit(r->n, row)) return;
    clear_of(r->n, r->B, r->nb, row);
    if (sqrt(pp_dot(r->n, row, row)) > DEPENDENT && make_unit(r->n, row)) r->nb++;
}

/* Adds the condition A dq >= 0 for this row. */
static void at_least(rows *r, double a, const perp_row *x, double b, const perp_row *y) {
    if (r->na == r->cap_a) return;
    double *row = r->A + (ptrdiff_t)r->n * r->na;
    combine(r, a, x, b, y, row);
    if (make_unit(r->n, row)) r->na++;
}

/* Round friction cone. pf: impulse, s: slip, most = mu p_n. */
static void round_friction(rows *r, const perp_contact_row *c, const double pf[2], const double s[2], double most) {
    double slip = pp_hypot(s[0], s[1]), size = pp_hypot(pf[0], pf[1]);
    if (slip > ZERO * r->speed) {
        equal(r, -s[1], &c->t, s[0], &c->o);
    } else if (size < most - ZERO * r->force) {
        equal(r, 1, &c->t, 0, NULL);
        equal(r, 1, &c->o, 0, NULL);
    } else {
        equal(r, -pf[1], &c->t, pf[0], &c->o);
        at_least(r, -pf[0], &c->t, -pf[1], &c->o);
    }
}

/* The same for a pyramid with directions d_k. The variables of its law are p_k and sigma. The motion satisfies d_k ds +
 * dsigma = 0 if p_k > 0, and >= 0 if p_k = 0 and the row is tight. dsigma = 0 if friction is inside its limit, >= 0 if
 * it is at the limit and sigma = 0, free otherwise. */
static void pyramid_friction(rows *r, const perp_contact_row *c, const double pf[2], const double s[2], double most) {
    const double turn = 6.283185307179586;
    int nd = c->nd;
    double sigma = 0, reach = -INFINITY;
    int k1 = 0;
    for (int k = 0; k < nd; k++) {
        double a = c->phase + turn * k / nd, along = pp_cos(a) * pf[0] + pp_sin(a) * pf[1];
        sigma = fmax(sigma, -(pp_cos(a) * s[0] + pp_sin(a) * s[1]));
        if (along > reach) reach = along, k1 = k;
    }
    double a1 = c->phase + turn * k1 / nd, d1[2] = {pp_cos(a1), pp_sin(a1)};
    /* the second direction of p_f is the neighbour on its side */
    double side = d1[0] * pf[1] - d1[1] * pf[0];
    int k2 = (k1 + (side >= 0 ? 1 : nd - 1)) % nd;
    double a2 = c->phase + turn * k2 / nd, d2[2] = {pp_cos(a2), pp_sin(a2)};
    double det = d1[0] * d2[1] - d1[1] * d2[0], p1 = reach, p2 = 0;
    if (fabs(det) > 1e-12) {
        p1 = (pf[0] * d2[1] - pf[1] * d2[0]) / det;
        p2 = (d1[0] * pf[1] - d1[1] * pf[0]) / det;
    }
    bool slips = sigma > ZERO * r->speed, limit = p1 + p2 >= most - ZERO * r->force;
    if (!slips && !limit) {
        equal(r, 1, &c->t, 0, NULL);
        equal(r, 1, &c->o, 0, NULL);
        return;
    }
    if (p2 > ZERO * r->force) equal(r, d1[0] - d2[0], &c->t, d1[1] - d2[1], &c->o); /* on an edge */
    if (!slips) at_least(r, -d1[0], &c->t, -d1[1], &c->o);
    for (int k = 0; k < nd; k++) {
        double a = c->phase + turn * k / nd, d[2] = {pp_cos(a), pp_sin(a)};
        bool tight = d[0] * s[0] + d[1] * s[1] + sigma <= ZERO * r->speed;
        if (k != k1 && tight) at_least(r, d[0] - d1[0], &c->t, d[1] - d1[1], &c->o);
    }
}

static void contact(rows *r, int i) {
    const pp_frame *f = r->f;
    const perp_step_problem *p = &f->pose.problem;
    const perp_contact_row *c = &p->contact[i];
    const double *x = f->solve.solution.p_contact + 3 * i, *nu = f->solve.solution.nu;
    double gap_rate = pp_row_dot(p, &c->n, nu) + c->b_n;
    bool presses = x[0] > ZERO * r->force, known = !(pp_row_inverse_mass(p, &c->n) > 0);
    if (!presses) {
        if (!known && gap_rate <= ZERO * r->speed) at_least(r, 1, &c->n, 0, NULL);
        return;
    }
    if (!known) equal(r, 1, &c->n, 0, NULL);
    if (c->nd == 0 || !(c->mu > 0)) return;
    double s[2] = {pp_row_dot(p, &c->t, nu) + c->b_t, pp_row_dot(p, &c->o, nu) + c->b_o}, pf[2] = {x[1], x[2]};
    if (c->nd == PERP_CONE_DIRECTIONS)
        round_friction(r, c, pf, s, c->mu * x[0]);
    else
        pyramid_friction(r, c, pf, s, c->mu * x[0]);
}

static void joint(rows *r, int i) {
    const perp_joint_row *j = &r->f->pose.problem.joint[i];
    double x = r->f->solve.solution.p_joint[i], small = ZERO * r->force;
    double w = pp_row_dot(&r->f->pose.problem, &j->row, r->f->solve.solution.nu) + j->b + j->compliance * x;
    if (x > j->lo + small && x < j->hi - small)
        equal(r, 1, &j->row, 0, NULL);
    else if (fabs(w) <= ZERO * r->speed)
        at_least(r, x > j->lo + small ? -1 : 1, &j->row, 0, NULL);
}

/* Projects x on { A x >= 0 } by Hildreth's method: row by row, with multipliers kept >= 0. */
static void project(int n, const double *A, int na, double *multiplier, double *x) {
    memset(multiplier, 0, (size_t)na * sizeof *multiplier);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0;
        for (int k = 0; k < na; k++) {
            const double *a = A + (ptrdiff_t)n * k;
            double step = fmax(-pp_dot(n, a, x), -multiplier[k]);
            multiplier[k] += step;
            pp_axpy(n, step, a, x);
            change = fmax(change, fabs(step));
        }
        if (change < 1e-12) return;
    }
}

/* Dimension of the span of the cone, from projections of the basis vectors of the null space of B, with both signs. */
static int span(rows *r, double *work) {
    int n = r->n, free = n - r->nb, found = 0;
    double *Z = work, *S = Z + (ptrdiff_t)n * n, *C = S + (ptrdiff_t)n * n, *x = C + (ptrdiff_t)n * r->na,
           *multiplier = x + n;
    int nz = 0;
    for (int i = 0; i < n && nz < free; i++) { /* unit vectors, made orthogonal to B and to each other */
        double *z = Z + (ptrdiff_t)n * nz;
        memset(z, 0, (size_t)n * sizeof *z);
        z[i] = 1;
        clear_of(n, r->B, r->nb, z);
        clear_of(n, Z, nz, z);
        if (sqrt(pp_dot(n, z, z)) > 1e-6 && make_unit(n, z)) nz++;
    }
    int nc = 0;
    for (int k = 0; k < r->na; k++) { /* A restricted to the null space of B */
        double *c = C + (ptrdiff_t)n * nc;
        memcpy(c, r->A + (ptrdiff_t)n * k, (size_t)n * sizeof *c);
        clear_of(n, r->B, r->nb, c);
        if (sqrt(pp_dot(n, c, c)) > DEPENDENT && make_unit(n, c)) nc++;
    }
    for (int k = 0; k < 2 * nz; k++) {
        for (int i = 0; i < n; i++) x[i] = (k & 1 ? -1 : 1) * Z[(ptrdiff_t)n * (k / 2) + i];
        project(n, C, nc, multiplier, x);
        if (sqrt(pp_dot(n, x, x)) < 1e-6) continue;
        clear_of(n, S, found, x);
        if (sqrt(pp_dot(n, x, x)) < 1e-6 || !make_unit(n, x)) continue;
        memcpy(S + (ptrdiff_t)n * found++, x, (size_t)n * sizeof *x);
    }
    return found;
}

/* Scales each degree of freedom to a displacement of the body's rim, so that rotations and translations are comparable. */
static void scale_of(rows *r) {
    const pp_frame *f = r->f;
    for (int k = 0; k < f->control.nblock; k++) {
        double radius = f->w->body[f->control.block_body[k]].radius;
        for (int i = 0; i < f->control.block_ndof[k]; i++)
            r->scale[f->control.block_offset[k] + i] =
                i < f->w->def.dim || !(radius > 0) || !isfinite(radius) ? 1 : radius;
    }
}

int pp_undetermined_motions(const pp_frame *f) {
    const perp_step_problem *p = &f->pose.problem;
    rows r = {.f = f, .n = p->ndof};
    if (r.n == 0) return 0;
    pp_arena *a = &f->w->arena;
    for (int i = 0; i < p->ncontact; i++) {
        r.cap_a += 2 + (p->contact[i].nd > 0 ? p->contact[i].nd : 0);
        for (int k = 0; k < 3; k++) r.force = fmax(r.force, fabs(f->solve.solution.p_contact[3 * i + k]));
        r.speed = fmax(r.speed, fmax(fabs(p->contact[i].b_t), fabs(p->contact[i].b_o)));
    }
    r.cap_a += p->njoint;
    for (int i = 0; i < p->njoint; i++) r.force = fmax(r.force, fabs(f->solve.solution.p_joint[i]));
    for (int i = 0; i < r.n; i++) r.speed = fmax(r.speed, fabs(f->solve.solution.nu[i]));
    r.speed = fmax(r.speed, f->h * fmax(perp_v3_norm(f->w->def.gravity_W), pp_support_press(f->w)));
    if (!(r.speed > 0)) r.speed = 1;
    ptrdiff_t n = r.n, m = r.cap_a;
    r.B = PP_ARENA_ARRAY(a, double, n *n);
    r.A = PP_ARENA_ARRAY(a, double, n *m);
    r.scale = PP_ARENA_ARRAY(a, double, n);
    double *work = PP_ARENA_ARRAY(a, double, 2 * n * n + n * m + n + m);
    if (!r.B || !r.A || !r.scale || !work) return -1;
    scale_of(&r);
    for (int i = 0; i < p->njoint; i++) joint(&r, i);
    for (int i = 0; i < p->ncontact; i++) contact(&r, i);
    return r.nb == r.n ? 0 : span(&r, work);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* first_order_newton.c - Newton's method in the velocities, for many compliant rows on few bodies
 * Problem  M nu = momentum + sum of J' p,  p = mid(lo, hi, -(J nu + b)/compliance): the laws of the rows solved for p.
 * Method   The equation is the stationarity condition of a strictly convex, piecewise quadratic function of nu. Newton's method with the
 *          present active set of rows and an exact line search reaches the solution after finitely many steps (semismooth Newton).
 *          Impulses follow from nu. Then nu is computed once more from them, so that momentum is conserved to rounding.
 * Valid    Every row has compliance. Contacts have no friction, or nothing makes them slip; then zero friction satisfies the friction law.
 *          Accuracy is lost with the ratio of inverse mass to compliance, so stiff problems are left to other solvers. The caller
 *          checks the solution in any case.
 * Cost     Linear in the rows, and in the bodies if each touches only bodies near it in their order, for each of some 2 to 10 steps.
 * Source   Derived here; it is the primal form of the problem that Drumwright (83)-(85) should be. */
#include <math.h>
#include <string.h>

#include "linalg/skyline.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "method/first_order/first_order.h"

#define FEWEST 8  /* [rows] with fewer rows pivoting is as fast, and exact */
#define WIDEST 60 /* [numbers] largest mean length of the rows of the system */
/* [1] largest ratio of inverse mass to compliance of a row: the relative error is 1e-16 times this */
#define STIFFEST  1e6
#define STILL     1e-10 /* [1] slip below this fraction of the speeds counts as zero */
#define LITTLE    1e-22 /* [1] a Newton step with a smaller energy decrease, relative to the energy, is the last one */
#define MAX_STEPS 100

/* One row of any kind. */
typedef struct soft_row {
    const perp_row *row;
    double b, softness, lo, hi;
} soft_row;

typedef struct soft_problem {
    const perp_step_problem *p;
    int n;
    soft_row *row;
    pp_skyline H;
    double *g, *d; /* ndof */
} soft_problem;

static double impulse(const soft_row *r, double w) {
    double p = -(w + r->b) / r->softness;
    return p < r->lo ? r->lo : p > r->hi ? r->hi : p;
}

/* Does it act as a spring at this velocity, and not as a constant? */
static bool springs(const soft_row *r, double w) {
    double p = -(w + r->b) / r->softness;
    return p > r->lo && p < r->hi;
}

/* Does the velocity without impulses make the contact slip? */
static bool slips(const perp_step_problem *p, const perp_contact_row *c, const double *nu_free, double speed) {
    double t = pp_row_dot(p, &c->t, nu_free) + c->b_t, o = p->dim == 3 ? pp_row_dot(p, &c->o, nu_free) + c->b_o : 0;
    return !(fabs(t) + fabs(o) <= STILL * speed);
}

/* Is the problem of this kind, and not too stiff for double precision? */
static bool suits(const perp_step_problem *p, const double *nu_free) {
    double speed = 0;
    if (p->ncontact + p->njoint < FEWEST) return false;
    for (int i = 0; i < p->ndof; i++) speed = fmax(speed, fabs(nu_free[i]));
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        if (!(c->compliance > 0) || pp_row_inverse_mass(p, &c->n) > STIFFEST * c->compliance) return false;
        if (c->nd != 0 && c->mu > 0 && (c->e_r > 0 || c->e_roll > 0 || slips(p, c, nu_free, speed))) return false;
    }
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        if (!(r->compliance > 0) || pp_row_inverse_mass(p, &r->row) > STIFFEST * r->compliance) return false;
    }
    return true;
}

/* Profile of the system: each body reaches back to the first body with which it shares a row. */
static bool profile(soft_problem *s, pp_arena *arena) {
    const perp_step_problem *p = s->p;
    int nd = p->ndof;
    s->H = (pp_skyline){
        .n = nd, .first = PP_ARENA_ARRAY(arena, int, nd), .start = PP_ARENA_ARRAY(arena, ptrdiff_t, nd + 1)};
    if (!s->H.first || !s->H.start) return false;
    for (int b = 0; b < p->nblock; b++)
        for (int i = 0; i < p->block_ndof[b]; i++) s->H.first[p->block_offset[b] + i] = p->block_offset[b];
    for (int i = 0; i < s->n; i++) {
        const int *b = s->row[i].row->block;
        if (b[0] < 0 || b[1] < 0 || b[0] == b[1]) continue;
        int low = b[0] < b[1] ? b[0] : b[1], high = b[0] < b[1] ? b[1] : b[0];
        for (int k = 0; k < p->block_ndof[high]; k++) {
            int *first = &s->H.first[p->block_offset[high] + k];
            if (*first > p->block_offset[low]) *first = p->block_offset[low];
        }
    }
    ptrdiff_t size = pp_skyline_place(&s->H);
    if (size > (ptrdiff_t)WIDEST * nd) return false;
    s->H.value = PP_ARENA_ARRAY(arena, double, size);
    return s->H.value != NULL;
}

static bool gather(const perp_step_problem *p, pp_arena *arena, soft_problem *s) {
    int nd = p->ndof;
    *s = (soft_problem){.p = p,
                        .n = p->njoint + p->ncontact,
                        .row = PP_ARENA_ARRAY(arena, soft_row, p->njoint + p->ncontact),
                        .g = PP_ARENA_ARRAY(arena, double, nd),
                        .d = PP_ARENA_ARRAY(arena, double, nd)};
    if (!s->row || !s->g || !s->d) return false;
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        s->row[j] = (soft_row){&r->row, r->b, r->compliance, r->lo, r->hi};
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        s->row[p->njoint + i] = (soft_row){&c->n, c->b_n, c->compliance, 0, INFINITY};
    }
    return profile(s, arena);
}

/* H += J' J/softness. */
static void add_row(const perp_step_problem *p, const soft_row *r, const pp_skyline *H) {
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++) {
            int a = r->row->block[k], b = r->row->block[l];
            if (a < 0 || b < 0 || a < b) continue; /* lower triangle */
            int ra = p->block_offset[a], rb = p->block_offset[b];
            for (int i = 0; i < p->block_ndof[a]; i++) {
                double x = r->row->J[k][i] / r->softness, *at = pp_skyline_at(H, ra + i, rb);
                int last = a == b ? i : p->block_ndof[b] - 1;
                for (int j = 0; j <= last; j++) at[j] += x * r->row->J[l][j];
            }
        }
}

/* g = M nu - momentum - G p(nu), and with `derivative` also H, its derivative. */
static void gradient(const soft_problem *s, const double *nu, bool derivative) {
    const perp_step_problem *p = s->p;
    if (derivative) memset(s->H.value, 0, sizeof *s->H.value * (size_t)s->H.start[s->H.n]);
    for (int b = 0; b < p->nblock; b++) {
        int at = p->block_offset[b];
        for (int i = 0; i < p->block_ndof[b]; i++) {
            double sum = -p->momentum[at + i];
            for (int j = 0; j < p->block_ndof[b]; j++) {
                double m = p->M[36 * (ptrdiff_t)b + i + 6 * j];
                sum += m * nu[at + j];
                if (derivative && j <= i) *pp_skyline_at(&s->H, at + i, at + j) = m;
            }
            s->g[at + i] = sum;
        }
    }
    for (int i = 0; i < s->n; i++) {
        const soft_row *r = &s->row[i];
        double w = pp_row_dot(p, r->row, nu), x = impulse(r, w);
        if (x != 0) pp_row_push(p, r->row, -x, s->g);
        if (derivative && springs(r, w)) add_row(p, r, &s->H);
    }
}

/* Line search along d from nu: finds the root of d . g(nu + t d), which is increasing and piecewise linear in t and has
 * the value `start` at t = 0. Starts with t = 1. */
static double search(const soft_problem *s, const double *nu, const double *d, double start, double *x) {
    int nd = s->p->ndof;
    double lo = 0, hi = INFINITY, t = 1, at_lo = start, at_hi = 0;
    for (int k = 0; k < 50; k++) {
        double slope = 0;
        for (int i = 0; i < nd; i++) x[i] = nu[i] + t * d[i];
        gradient(s, x, false);
        for (int i = 0; i < nd; i++) slope += d[i] * s->g[i];
        if (slope >= 0.5 * start && slope <= -0.05 * start) return t; /* close enough, and certainly lower */
        if (slope < 0) {
            lo = t, at_lo = slope;
        } else {
            hi = t, at_hi = slope;
        }
        t = isinf(hi) ? 2 * t : lo + (hi - lo) * fmin(0.9, fmax(0.1, at_lo / (at_lo - at_hi)));
    }
    return t;
}

/* One Newton step. *decrement: twice the decrease that the quadratic model predicts. If it is below `little`, the full
 * step is taken, because a line search would only see rounding. */
static bool newton_step(soft_problem *s, double little, double *nu, double *x, double *decrement) {
    int nd = s->p->ndof;
    gradient(s, nu, true);
    if (!pp_skyline_factor(&s->H)) return false;
    *decrement = 0;
    for (int i = 0; i < nd; i++) s->d[i] = -s->g[i];
    pp_skyline_solve(&s->H, s->d);
    for (int i = 0; i < nd; i++) *decrement -= s->d[i] * s->g[i];
    if (!isfinite(*decrement)) return false;
    double t = *decrement > little ? search(s, nu, s->d, -*decrement, x) : 1;
    for (int i = 0; i < nd; i++) nu[i] += t * s->d[i];
    return true;
}

bool pp_soft_newton(const perp_step_problem *p, const perp_step_solution *guess, pp_arena *arena,
                    perp_step_solution *out) {
    soft_problem s;
    double *x = PP_ARENA_ARRAY(arena, double, p->ndof), *nu = out->nu, energy = 0, last = INFINITY;
    perp_step_problem free = *p;
    free.njoint = free.ncontact = 0;
    pp_step_velocity(&free, NULL, NULL, nu);
    if (!x || !suits(p, nu) || !gather(p, arena, &s)) return false;
    for (int i = 0; i < p->ndof; i++) energy += fabs(p->momentum[i] * nu[i]);
    if (guess) pp_step_velocity(p, guess->p_joint, guess->p_contact, nu);
    for (int k = 0; k < MAX_STEPS; k++) {
        double decrement;
        if (!newton_step(&s, LITTLE * energy, nu, x, &decrement)) return false;
        if (decrement <= LITTLE * energy || (decrement <= 1e-16 * energy && decrement > 0.1 * last)) break;
        last = decrement;
    }
    for (int j = 0; j < p->njoint; j++) out->p_joint[j] = impulse(&s.row[j], pp_row_dot(p, s.row[j].row, nu));
    for (int i = 0; i < p->ncontact; i++) {
        const soft_row *r = &s.row[p->njoint + i];
        out->p_contact[3 * i] = impulse(r, pp_row_dot(p, r->row, nu));
        out->p_contact[3 * i + 1] = out->p_contact[3 * i + 2] = out->sigma[i] = 0;
    }
    pp_step_velocity(p, out->p_joint, out->p_contact, nu);
    return true;
}

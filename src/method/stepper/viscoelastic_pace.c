/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* viscoelastic_pace.c - chooses the length of substeps
 * Problem  A contact of mass m and stiffness K lasts pi sqrt(m/K), which can be much shorter than a step. A body that rests on the same
 *          spring needs no short steps.
 * Method   The rates of a body's contacts, sqrt(sum K W) and sum C W with the inverse mass W of each row, bound how quickly they
 *          change: a substep of pi/(n rate) resolves a contact. This length is needed if a surface moves faster than `calm`, by its speed at
 *          the start or by the solution. Substeps end where bodies meet (exact for a parabola of free flight) and where a contact
 *          separates (interpolated from the forces at both ends), so that one law holds within a substep. If such a moment is missed by a
 *          fraction of a substep, the error is of second order in this fraction.
 * Cost     A substep that is known to be too long at its start is not solved. */
#include <math.h>

#include "problem/rows.h"
#include "method/stepper/viscoelastic.h"
#include "base/elementary.h"

#define PI   3.14159265358979323846
#define LATE 0.01 /* [1] a moment is accurate enough if its error is below this fraction of `fine` */
#define SAME 1e-9 /* [1] lengths that differ by less are equal */

/* Rates of a body: squared rates of its springs, and rates of its dampers; along normals and along surfaces. */
typedef struct rates {
    double k[2], c[2];
} rates;

/* Contribution of one body to the inverse mass of a row. */
static double share(const perp_step_problem *p, const perp_row *row, int side) {
    perp_row one = *row;
    one.block[1 - side] = -1;
    return pp_row_inverse_mass(p, &one);
}

/* Can the surfaces touch within twice the substep, judged by forces and velocities at the start? */
static bool in_reach(const pp_visco_work *k, const pp_visco *c) {
    double h = k->f->h;
    return c->gap0 <= 0 || c->gap0 + 2 * h * (fmin(c->speed, 0) + fmin(c->gain, 0)) <= 0;
}

perp_status pp_visco_fine(pp_visco_work *k) {
    const pp_frame *f = k->f;
    const perp_step_problem *p = &f->pose.problem;
    rates *of = PP_ARENA_ZERO(&f->w->arena, rates, f->control.nblock);
    if (!of) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d bodies", f->control.nblock);
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_visco *c = &k->contact[i];
        const perp_contact_row *r = &p->contact[i];
        if (!c->soft || !in_reach(k, c)) continue;
        for (int side = 0; side < 2; side++) {
            int b = r->n.block[side];
            if (b < 0) continue;
            double n = share(p, &r->n, side), t = r->nd ? share(p, &r->t, side) : 0;
            if (r->nd && p->dim == 3) t = fmax(t, share(p, &r->o, side));
            of[b].k[0] += c->K * n, of[b].k[1] += c->Kt * t;
            of[b].c[0] += c->C * n, of[b].c[1] += c->Ct * t;
        }
    }
    for (int i = 0; i < f->contacts.n; i++) {
        pp_visco *c = &k->contact[i];
        if (!c->soft) continue;
        double fastest = 0;
        for (int way = 0; way < 2; way++) {
            double spring = 0, damper = 0;
            for (int side = 0; side < 2; side++) {
                int b = p->contact[i].n.block[side];
                if (b >= 0) spring += of[b].k[way], damper += of[b].c[way];
            }
            fastest = fmax(fastest, fmax(sqrt(spring), damper));
        }
        c->fine = in_reach(k, c) ? PI / (k->set->per_contact * fastest) : INFINITY;
        c->touched = fmax(0, c->gap0 + c->d0) <= LATE * fmin(c->fine, f->h) * fabs(c->speed);
    }
    return PERP_OK;
}

/* Length of equal parts of h that are not longer than `fine`. */
static double equal_part(double h, double fine) { return h / ceil(h / fine * (1 - SAME)); }

/* Time until a body reaches a surface at distance `gap` in free flight; INFINITY if it does not. a: acceleration. */
static double meets_after(double gap, double v, double a) {
    double square = v * v - 2 * a * gap;
    if (!(square >= 0)) return INFINITY;
    if (v < 0) return 2 * gap / (-v + sqrt(square));
    return a < 0 ? (v + sqrt(square)) / -a : INFINITY;
}

/* Force of the contact at the start, with its damper; negative if it would pull. */
static double force_before(const pp_visco *c) { return c->touched ? c->K * c->d0 - c->C * c->speed : 0; }

/* Does the contact separate, as far as is known at the start? */
static bool leaves(const pp_visco *c) { return !(force_before(c) > 0) && c->speed >= 0; }

static double meeting(const pp_visco_work *k, const pp_visco *c) {
    return meets_after(fmax(0, c->gap0 + c->d0), c->speed, c->gain / k->f->h);
}

bool pp_visco_in_touch(const pp_visco_work *k, const pp_visco *c) {
    return (c->touched && !leaves(c)) || meeting(k, c) < k->f->h - LATE * fmin(c->fine, k->f->h);
}

double pp_visco_pace_before(const pp_visco_work *k) {
    const pp_frame *f = k->f;
    double h = f->h, best = h;
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_visco *c = &k->contact[i];
        if (!c->soft || isinf(c->fine)) continue;
        if (c->touched && !leaves(c)) {
            if (fabs(c->speed) > k->set->calm && h > c->fine * (1 + SAME)) best = fmin(best, equal_part(h, c->fine));
            continue;
        }
        double t = meeting(k, c), late = LATE * fmin(c->fine, h), least = LATE * fmin(c->fine, f->w->def.h);
        bool approaching = -(c->speed + c->gain / h * t) > k->set->calm;
        if (approaching && t > late && t < best && h > 2 * least)
            best = fmin(t, h - least); /* so that the remaining part is not shorter */
    }
    return best < h * (1 - SAME) ? best : 0;
}

/* Time within the substep at which the force of a contact becomes zero; INFINITY if it does not. */
static double lets_go(const pp_visco_work *k, int i) {
    const pp_frame *f = k->f;
    const pp_visco *c = &k->contact[i];
    const perp_contact_row *r = &f->pose.problem.contact[i];
    double rate = pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu) + r->b_n_kin;
    double depth = -(c->gap + f->h * pp_row_dot(&f->pose.problem, &r->n, k->drift));
    double before = force_before(c), after = c->K * depth - c->C * rate;
    if (!(before > 0) || !(after < 0) || !(rate > k->set->calm)) return INFINITY;
    return f->h * before / (before - after);
}

static double moved(const pp_visco *c) {
    return fmax(fabs(c->d1 - c->d0), pp_hypot(c->D1[0] - c->D0[0], c->D1[1] - c->D0[1]));
}

double pp_visco_pace_after(const pp_visco_work *k) {
    const pp_frame *f = k->f;
    double h = f->h, best = h;
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_visco *c = &k->contact[i];
        if (!c->soft || isinf(c->fine)) continue;
        double rate = PI / (k->set->per_contact * c->fine);
        if (h > c->fine * (1 + SAME)) {
            bool loaded = f->solve.solution.p_contact[3 * i] > 0; /* the return of an unloaded surface is exact */
            if (loaded && moved(c) * rate > k->set->calm) best = fmin(best, equal_part(h, c->fine));
            continue;
        }
        double t = lets_go(k, i);
        if (t > LATE * c->fine && h - t > LATE * c->fine) best = fmin(best, t);
    }
    return best < h * (1 - SAME) ? best : 0;
}

double pp_visco_pace_next(const pp_visco_work *k) {
    const pp_frame *f = k->f;
    double best = INFINITY;
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_visco *c = &k->contact[i];
        if (c->soft && f->solve.solution.p_contact[3 * i] > 0 && moved(c) > k->set->calm * f->h)
            best = fmin(best, c->fine);
    }
    return isinf(best) ? 0 : best;
}

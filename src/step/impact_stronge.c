/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_stronge.c - Stronge's law: impact of one contact with friction, with energetic restitution
 * Problem  A contact closes with u_n < 0 and has the slip s. The normal impulse p_n grows from zero, and friction opposes the current
 *          slip. Restitution ends when the normal work returned is e^2 of the work taken in compression.
 * Method   Routh's path: du/dp_n = W d. While the contact slips, d = (1, -mu s/|s|). While it sticks, d keeps s = 0. If this d lies
 *          outside the friction cone, slip starts again in the direction that remains constant under its own friction.
 *          The path is integrated by the explicit midpoint rule in parts that end where the slip vanishes. In 2D, W d is constant
 *          between these points, so the result is exact.
 * Valid    Isotropic friction, no joints at the two bodies. Energy never grows: the normal takes (1 - e^2) of the work of compression,
 *          and friction only takes energy.
 * Source   Stronge, Proc. R. Soc. A 431 (1990) 169; Routh, Dynamics of a System of Rigid Bodies I, 5th ed., ch. 8. */
#include <math.h>

#include "base/rounding.h"
#include "problem/rows.h"
#include "step/impact_laws.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [parts] Sets the number of parts of a path whose slip direction changes (3D): the direction changes by about
 * 100/PARTS rad in a part. */
#define PARTS 4000

typedef struct path {
    int dim;        /* number of rows: 2 or 3 */
    double W[3][3]; /* inverse effective mass (Delassus matrix) of the rows n, t, o */
    double mu, e_t;
    double u[3], p[3]; /* velocities and impulses so far */
    double work;       /* work of the normal impulse */
    double least;      /* smaller slip counts as zero */
} path;

static double couple(const perp_step_problem *p, const perp_row *x, const perp_row *y) {
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        int b = x->block[k];
        if (b < 0) continue;
        const double *other = y->block[0] == b ? y->J[0] : y->block[1] == b ? y->J[1] : NULL;
        if (!other) continue;
        for (int c = 0; c < p->block_ndof[b]; c++)
            for (int r = 0; r < p->block_ndof[b]; r++) sum += x->J[k][r] * p->Minv[36 * b + 6 * c + r] * other[c];
    }
    return sum;
}

static double slip_of(const path *x) { return sqrt(x->u[1] * x->u[1] + x->u[2] * x->u[2]); }

/* Impulse per normal impulse that keeps the slip at zero. */
static void sticking(const path *x, double d[3]) {
    d[0] = 1;
    d[2] = 0;
    if (x->dim == 2) {
        d[1] = -x->W[1][0] / x->W[1][1];
        return;
    }
    double det = x->W[1][1] * x->W[2][2] - x->W[1][2] * x->W[2][1];
    d[1] = (-x->W[1][0] * x->W[2][2] + x->W[2][0] * x->W[1][2]) / det;
    d[2] = (-x->W[2][0] * x->W[1][1] + x->W[1][0] * x->W[2][1]) / det;
}

/* Impulses per normal impulse at slip s (t, o). */
static void slipping(const path *x, const double s[2], double d[3]) {
    double size = sqrt(s[0] * s[0] + s[1] * s[1]);
    d[0] = 1;
    d[1] = size > 0 ? -x->mu * s[0] / size : 0;
    d[2] = size > 0 ? -x->mu * s[1] / size : 0;
}

static void rates(const path *x, const double d[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = x->W[i][0] * d[0] + x->W[i][1] * d[1] + x->W[i][2] * d[2];
}

/* Direction in which slip starts from zero. It is a fixed point: the slip rate under the friction of s is parallel to
 * s. */
static void leaves(const path *x, double d[3]) {
    double s[2], r[3];
    sticking(x, d);
    s[0] = -d[1], s[1] = -d[2]; /* opposite to the friction that sticking would need */
    for (int i = 0; i < 200; i++) {
        slipping(x, s, d);
        rates(x, d, r);
        double size = sqrt(r[1] * r[1] + r[2] * r[2]);
        if (!(size > 0)) break;
        s[0] = r[1] / size, s[1] = r[2] / size;
    }
    slipping(x, s, d);
}

/* Advances by dp along a constant direction. */
static void advance(path *x, const double d[3], double dp) {
    double r[3];
    rates(x, d, r);
    x->work += dp * (x->u[0] + 0.5 * dp * r[0]);
    for (int i = 0; i < 3; i++) {
        x->u[i] += dp * r[i];
        x->p[i] += dp * d[i];
    }
}

/* Normal impulse along d until the normal work reaches `goal` (restitution), or until the normal velocity is 0 (goal
 * NAN); INFINITY if this never happens. */
static double until(const path *x, const double d[3], double goal) {
    double r[3];
    rates(x, d, r);
    if (isnan(goal)) return x->u[0] >= 0 ? 0 : r[0] > 0 ? -x->u[0] / r[0] : INFINITY;
    double lacks = goal - x->work; /* solve u dp + r/2 dp^2 = lacks */
    if (!(lacks > 0)) return 0;
    double disc = x->u[0] * x->u[0] + 2 * r[0] * lacks;
    if (!(disc >= 0)) return INFINITY;
    return 2 * lacks / (x->u[0] + sqrt(disc));
}

/* Direction of the next part of the path. Returns the normal impulse after which the part must end. */
static double direction(const path *x, double d[3]) {
    double slip = slip_of(x), need[3], r[3];
    if (!(slip > x->least)) {
        sticking(x, need);
        if (sqrt(need[1] * need[1] + need[2] * need[2]) <= x->mu) {
            for (int i = 0; i < 3; i++) d[i] = need[i];
        } else {
            leaves(x, d);
        }
        return INFINITY;
    }
    slipping(x, x->u + 1, d);
    rates(x, d, r);
    double towards = (r[1] * x->u[1] + r[2] * x->u[2]) / slip, stops = towards < 0 ? -slip / towards : INFINITY;
    double across = fabs(r[1] * x->u[2] - r[2] * x->u[1]) / slip;
    if (!(across > PP_NEGLIGIBLE * (fabs(r[1]) + fabs(r[2])))) return stops; /* the slip direction is constant */
    return fmin(stops, slip / (across * PARTS / 100)); /* the slip direction changes: use short parts */
}

/* Follows the path until the goal of until(). Returns false if it is never reached. */
static bool follow(path *x, double goal) {
    for (int i = 0; i < 20 * PARTS; i++) {
        double d[3], most = direction(x, d), end = until(x, d, goal), dp = fmin(most, end);
        if (!isfinite(dp)) return false;
        if (slip_of(x) > x->least && dp < end && x->dim == 3) { /* midpoint rule */
            double r[3], s[2];
            rates(x, d, r);
            s[0] = x->u[1] + 0.5 * dp * r[1], s[1] = x->u[2] + 0.5 * dp * r[2];
            double size = sqrt(s[0] * s[0] + s[1] * s[1]);
            if (size > x->least) slipping(x, s, d);
        }
        advance(x, d, dp);
        if (dp == most && slip_of(x) < PP_RESIDUAL * (fabs(x->u[0]) + x->least / PP_NEGLIGIBLE)) x->u[1] = x->u[2] = 0;
        if (dp >= end) return true;
    }
    return false;
}

bool pp_stronge(const pp_frame *k, int i, double impulse[3]) {
    const perp_step_problem *p = &k->pose.problem;
    const perp_contact_row *c = &p->contact[i];
    const perp_row *row[3] = {&c->n, &c->t, &c->o};
    const double driven[3] = {c->b_n_kin, c->b_t, c->b_o};
    int dim = k->w->def.dim; /* not p->dim: with friction on the plane of motion, a planar problem has dim = 3 */
    path x = {.dim = dim, .mu = k->contacts.at[i].mu};
    if (c->e_t > 0 || c->e_r > 0 || c->e_roll > 0)
        return false; /* elliptic, torsional and rolling friction are not supported */
    for (int r = 0; r < dim; r++) {
        x.u[r] = pp_row_dot(p, row[r], k->control.nu0) + driven[r];
        for (int j = 0; j < dim; j++) x.W[r][j] = couple(p, row[r], row[j]);
    }
    x.least = PP_NEGLIGIBLE * (fabs(x.u[0]) + slip_of(&x));
    if (!(x.u[0] < 0) || !(x.W[0][0] > 0)) return false;
    if (!follow(&x, NAN)) return false;
    double e = k->contacts.at[i].restitution;
    if (!follow(&x, x.work * (1 - e * e))) return false;
    for (int r = 0; r < 3; r++) impulse[r] = x.p[r];
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loads.c - see loads.h
 *
 * Problem  A face on a face, or a joint limit together with joint friction, has more rows than degrees of freedom: many
 *          sets of impulses ("loads") give the same motion. A solver returns one of them. In it a corner may carry nothing,
 *          or be at its friction limit, although the motion is not near a change of mode and another load is far from both.
 *          Wanted: such a load, or the knowledge that there is none.
 * Method   Maximise t subject to  g_i(p) >= t for all laws i  and G p unchanged,  over the impulses of touching contacts (for
 *          sliding contacts, friction is tied to the normal impulse) and of joint rows. g_i are the margins, concave in p; friction
 *          cones are second-order cones. Newton's method on the logarithmic barrier, in the null space of G.
 * Valid    At fixed velocity every such p solves the step as well as the p that was found.
 * Cost     About forty factorisations of the size of the null space; only where margins are small. */
#include "tangent/loads.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "tangent/modes.h"
#include "base/elementary.h"

#define MOST_IMPULSES 150  /* impulses of an island; larger islands keep the solver's load */
#define TOUCHES       1e-9 /* part of the speed below which a gap over h, or a slip, counts as zero */
#define OPEN          1e-12 /* eigenvalues below this part of the largest belong to the null space: loads that move nothing */
#define STEEPEST      1e10 /* final weight of t in the barrier */
#define STEPS         30   /* most Newton steps for each weight */

/* lead.p + a - t >= |cone p| for up to three leads and all parts of friction. */
typedef struct bound {
    int nlead, lead[3];
    double by[3], a;
    int ncone, cone[PP_FRICTION_ROWS];
    double part[PP_FRICTION_ROWS];
} bound;

typedef struct spread {
    const perp_step_problem *p;
    perp_step_solution *s;
    double speed;
    int m;           /* impulses that may change */
    perp_row *push;  /* PERP_CONE_ROWS for each of them, and */
    double *push_by; /* their factors */
    int *push_n;
    int *kind, *place; /* 0: joint row; 1: normal; 2 + k: row k of friction; of which row or contact */
    double *unit;      /* impulse that makes the speed 1 */
    double *x;         /* in those units */
    bound *bound;
    int nbound;
    int k;     /* dimension of the null space */
    double *N; /* m x k: its orthonormal basis */
} spread;

static int add_impulse(spread *w, int kind, int place, const perp_row *row, double mass, double value) {
    int i = w->m++;
    w->kind[i] = kind;
    w->place[i] = place;
    w->push[PERP_CONE_ROWS * i] = *row;
    w->push_by[PERP_CONE_ROWS * i] = 1;
    w->push_n[i] = 1;
    w->unit[i] = mass > 0 ? w->speed / mass : 1;
    w->x[i] = value / w->unit[i];
    return i;
}

static bound *new_bound(spread *w) {
    bound *b = &w->bound[w->nbound++];
    *b = (bound){.nlead = 0};
    return b;
}

/* A bound is measured in the speed of the step: factor times impulse i. */
static void add_lead(const spread *w, bound *b, int i, double factor) {
    b->lead[b->nlead] = i;
    b->by[b->nlead++] = factor * w->unit[i] / w->speed;
}

static void take_joint(spread *w, int i) {
    const perp_joint_row *r = &w->p->joint[i];
    double margin, mass = pp_row_inverse_mass(w->p, &r->row) + r->compliance, length = pp_row_length(w->p, &r->row),
                   v = length * fabs(pp_row_dot(w->p, &r->row, w->s->nu) + r->b + r->compliance * w->s->p_joint[i]);
    if (r->compliance > 0 || (pp_joint_mode(w->p, w->s, i, &margin) != 0 && v > TOUCHES * w->speed)) return;
    int at = add_impulse(w, 0, i, &r->row, length * mass, w->s->p_joint[i]);
    if (isfinite(r->lo)) {
        bound *b = new_bound(w);
        add_lead(w, b, at, length * mass);
        b->a = -length * mass * r->lo / w->speed;
    }
    if (isfinite(r->hi)) {
        bound *b = new_bound(w);
        add_lead(w, b, at, -length * mass);
        b->a = length * mass * r->hi / w->speed;
    }
}

/* Part k of the friction of a sliding contact, per unit of its normal impulse. */
static double tied(const spread *w, int i, const pp_mode *m, const double *slip, double size, int k) {
    const perp_contact_row *c = &w->p->contact[i];
    double P = w->s->p_contact[3 * i];
    if (P * (pp_row_inverse_mass(w->p, &c->n) + c->compliance) > TOUCHES * w->speed)
        return *pp_friction_impulse(w->s, i, m->part[k]) / P;
    if (c->nd <= 2) return -c->mu * m->e[k] * m->e[k] * slip[k] / size;
    double d[2], best[2] = {0, 0}, least = INFINITY;
    for (int j = 0; j < c->nd; j++) {
        pp_pyramid_direction(c, j, d);
        if (d[0] * slip[0] + d[1] * slip[1] >= least) continue;
        least = d[0] * slip[0] + d[1] * slip[1];
        memcpy(best, d, sizeof d);
    }
    return c->mu * best[k];
}

/* The bounds of the friction of a sticking contact: a cone, or the sides of a pyramid. first: impulse of the first part. */
static void bound_friction(spread *w, int i, const pp_mode *m, double W, int normal, int first) {
    const perp_contact_row *c = &w->p->contact[i];
    if (c->nd <= 2) {
        bound *b = new_bound(w);
        add_lead(w, b, normal, W * c->mu);
        b->ncone = m->n;
        for (int k = 0; k < m->n; k++) {
            b->cone[k] = first + k;
            b->part[k] = W / m->e[k] * w->unit[first + k] / w->speed;
        }
        return;
    }
    double half = 3.141592653589793 / c->nd;
    for (int j = 0; j < c->nd; j++) {
        double a = c->phase + (2 * j + 1) * half;
        bound *b = new_bound(w);
        add_lead(w, b, normal, W * c->mu * pp_cos(half));
        add_lead(w, b, first, -W * pp_cos(a));
        add_lead(w, b, first + 1, -W * pp_sin(a));
    }
}

static void take_contact(spread *w, int i) {
    const perp_contact_row *c = &w->p->contact[i];
    const double *P = w->s->p_contact + 3 * i;
    double mass = pp_row_inverse_mass(w->p, &c->n), v = pp_row_dot(w->p, &c->n, w->s->nu) + c->b_n;
    if (c->compliance > 0 || c->compliance_f > 0) return; /* its load follows from its compression */
    if (v > mass * P[0] && v > TOUCHES * w->speed) return;
    pp_mode m = {.n = 0};
    double W = c->nd != 0 && c->mu > 0 ? pp_friction_parts(w->p, c, &m) : 0, slip[PP_FRICTION_ROWS];
    int normal = add_impulse(w, 1, i, &c->n, mass, P[0]);
    bound *b = new_bound(w);
    add_lead(w, b, normal, mass);
    if (m.n == 0) return;
    double size = pp_slip_of(w->p, w->s, i, &m, slip);
    if (size > TOUCHES * w->speed) {
        for (int k = 0; k < m.n; k++) {
            int at = PERP_CONE_ROWS * normal + w->push_n[normal]++;
            w->push[at] = *pp_friction_row(c, m.part[k]);
            w->push_by[at] = tied(w, i, &m, slip, size, k);
        }
        return;
    }
    int first = w->m;
    for (int k = 0; k < m.n; k++)
        (void)add_impulse(w, 2 + m.part[k], i, pp_friction_row(c, m.part[k]), W / (m.e[k] * m.e[k]),
                          *pp_friction_impulse(w->s, i, m.part[k]));
    bound_friction(w, i, &m, W, normal, first);
}

/* Velocity of all blocks, in the speed of the step, that a unit of impulse i causes. */
static void response(const spread *w, int i, double *y) {
    memset(y, 0, (size_t)w->p->ndof * sizeof *y);
    for (int r = 0; r < w->push_n[i]; r++)
        pp_row_spread(w->p, &w->push[PERP_CONE_ROWS * i + r],
                      w->push_by[PERP_CONE_ROWS * i + r] * w->unit[i] / w->speed, y);
}

static double along(const spread *w, int i, const double *y) {
    double sum = 0;
    for (int r = 0; r < w->push_n[i]; r++)
        sum += w->push_by[PERP_CONE_ROWS * i + r] * pp_row_dot(w->p, &w->push[PERP_CONE_ROWS * i + r], y);
    return sum * w->unit[i] / w->speed;
}

/* The loads that move nothing: null space of G. */
static bool find_open(spread *w, pp_arena *arena) {
    int m = w->m;
    double *A = PP_ARENA_ARRAY(arena, double, m *m), *lambda = PP_ARENA_ARRAY(arena, double, m),
           *work = PP_ARENA_ARRAY(arena, double, pp_eigen_work(m)), *y = PP_ARENA_ARRAY(arena, double, w->p->ndof);
    if (!A || !lambda || !work || !y) return false;
    for (int j = 0; j < m; j++) {
        response(w, j, y);
        for (int i = 0; i < m; i++) A[i + m * j] = along(w, i, y);
    }
    w->k = 0;
    w->N = A;
    if (!pp_eigen(m, A, m, lambda, work)) return true;               /* no null space is known */
    while (w->k < m && lambda[w->k] <= OPEN * lambda[m - 1]) w->k++; /* ascending: the first columns */
    return true;
}

/* t-free part of a bound, and the size of its cone. */
static double lead_of(const bound *b, const double *x, double *cone) {
    double sum = b->a, square = 0;
    for (int i = 0; i < b->nlead; i++) sum += b->by[i] * x[b->lead[i]];
    for (int i = 0; i < b->ncone; i++) square += b->part[i] * b->part[i] * x[b->cone[i]] * x[b->cone[i]];
    *cone = sqrt(square);
    return sum;
}

static double least_slack(const spread *w, const double *x) {
    double least = INFINITY, cone;
    for (int i = 0; i < w->nbound; i++) {
        double lead = lead_of(&w->bound[i], x, &cone);
        least = fmin(least, lead - cone);
    }
    return least;
}

/* -weight t - log(1 - t) - sum of logarithms; INFINITY outside. */
static double barrier(const spread *w, const double *x, double t, double weight) {
    if (!(t < 1)) return INFINITY;
    double sum = -weight * t - pp_log(1 - t), cone;
    for (int i = 0; i < w->nbound; i++) {
        double lead = lead_of(&w->bound[i], x, &cone) - t;
        if (!(lead > cone)) return INFINITY;
        sum -= w->bound[i].ncone ? pp_log((lead - cone) * (lead + cone)) : pp_log(lead);
    }
    return sum;
}

/* Gradient and Hessian of one bound over its own variables: leads, parts of its cone, t. */
#define LOCAL (3 + PP_FRICTION_ROWS + 1)
typedef struct local {
    int n, var[LOCAL]; /* var: impulse, or -1 for t */
    double g[LOCAL], H[LOCAL][LOCAL];
} local;

static void differentiate(const bound *b, const double *x, double t, local *l) {
    double cone, lead = lead_of(b, x, &cone) - t, a[LOCAL] = {0},
                 c[LOCAL] = {0}; /* derivative of the lead; part of the cone */
    l->n = 0;
    for (int i = 0; i < b->nlead; i++) {
        a[l->n] = b->by[i];
        l->var[l->n++] = b->lead[i];
    }
    for (int i = 0; i < b->ncone; i++) {
        c[l->n] = b->part[i] * b->part[i] * x[b->cone[i]];
        l->var[l->n++] = b->cone[i];
    }
    a[l->n] = -1;
    l->var[l->n++] = -1;
    double D = b->ncone ? (lead - cone) * (lead + cone) : lead * lead;
    for (int i = 0; i < l->n; i++) {
        double u = lead * a[i] - c[i]; /* half of the derivative of D */
        l->g[i] = b->ncone ? -2 * u / D : -a[i] / lead;
        for (int j = 0; j < l->n; j++) {
            double v = lead * a[j] - c[j];
            l->H[i][j] = b->ncone ? 4 * u * v / (D * D) - 2 * a[i] * a[j] / D : a[i] * a[j] / D;
        }
    }
    for (int i = 0; b->ncone && i < b->ncone; i++) l->H[b->nlead + i][b->nlead + i] += 2 * b->part[i] * b->part[i] / D;
}

/* Gradient (m + 1) and Hessian of the barrier over all impulses and t. */
static void assemble(const spread *w, const double *x, double t, double weight, double *g, double *H) {
    int n = w->m + 1;
    memset(g, 0, (size_t)n * sizeof *g);
    memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
    g[n - 1] = -weight + 1 / (1 - t);
    H[n * n - 1] = 1 / ((1 - t) * (1 - t));
    for (int b = 0; b < w->nbound; b++) {
        local l;
        differentiate(&w->bound[b], x, t, &l);
        for (int i = 0; i < l.n; i++) {
            int r = l.var[i] < 0 ? n - 1 : l.var[i];
            g[r] += l.g[i];
            for (int j = 0; j < l.n; j++) H[r + n * (l.var[j] < 0 ? n - 1 : l.var[j])] += l.H[i][j];
        }
    }
}

/* Scratch of Newton's method. */
typedef struct newton {
    double *g, *H, *HN, *S, *d, *dx, *trial;
} newton;

/* One Newton step. Returns the first-order decrease of the barrier; negative: no step was possible. */
static double newton_step(const spread *w, const newton *k, double *x, double *t, double weight) {
    int m = w->m, n = m + 1, c = w->k + 1;
    assemble(w, x, *t, weight, k->g, k->H);
    /* over (z, t): x = x0 + N z. HN: H (N, 0; 0, 1) */
    pp_gemm(false, false, n, w->k, m, 1, k->H, n, w->N, m, 0, k->HN, n);
    memcpy(k->HN + (size_t)n * (size_t)w->k, k->H + (size_t)n * (size_t)m, (size_t)n * sizeof *k->HN);
    pp_gemm(true, false, w->k, c, m, 1, w->N, m, k->HN, n, 0, k->S, c);
    for (int j = 0; j < c; j++) k->S[w->k + c * j] = k->HN[m + n * j];
    for (int j = 0; j < w->k; j++) {
        k->d[j] = 0;
        for (int i = 0; i < m; i++) k->d[j] -= w->N[i + m * j] * k->g[i];
        k->S[j + c * j] *= 1 + 1e-14;
    }
    k->d[w->k] = -k->g[m];
    double slope = 0;
    memcpy(k->dx, k->d, (size_t)c * sizeof *k->dx);
    if (!pp_cholesky(c, k->S, c)) return -1;
    pp_cholesky_solve(c, k->S, c, 1, k->d, c);
    for (int j = 0; j < c; j++) slope += k->dx[j] * k->d[j];
    if (!(slope > 0)) return -1;
    for (int i = 0; i < m; i++) {
        k->dx[i] = 0;
        for (int j = 0; j < w->k; j++) k->dx[i] += w->N[i + m * j] * k->d[j];
    }
    double from = barrier(w, x, *t, weight);
    for (double step = 1; step > 1e-10; step /= 2) {
        for (int i = 0; i < m; i++) k->trial[i] = x[i] + step * k->dx[i];
        if (!(barrier(w, k->trial, *t + step * k->d[w->k], weight) <= from - 1e-4 * step * slope)) continue;
        memcpy(x, k->trial, (size_t)m * sizeof *x);
        *t += step * k->d[w->k];
        return slope;
    }
    return -1;
}

/* Maximises the least slack; x becomes the load that attains it. */
static bool raise_slack(spread *w, double enough, pp_arena *arena) {
    size_t n = (size_t)w->m + 1;
    newton k = {.g = PP_ARENA_ARRAY(arena, double, n),
                .H = PP_ARENA_ARRAY(arena, double, n *n),
                .HN = PP_ARENA_ARRAY(arena, double, n *n),
                .S = PP_ARENA_ARRAY(arena, double, n *n),
                .d = PP_ARENA_ARRAY(arena, double, n),
                .dx = PP_ARENA_ARRAY(arena, double, n),
                .trial = PP_ARENA_ARRAY(arena, double, n)};
    double *x = PP_ARENA_ARRAY(arena, double, n);
    if (!k.g || !k.H || !k.HN || !k.S || !k.d || !k.dx || !k.trial || !x) return false;
    memcpy(x, w->x, (size_t)w->m * sizeof *x);
    double best = least_slack(w, x), t = fmin(best, 0.5) - 0.1;
    for (double weight = 1; weight <= STEEPEST && best < enough; weight *= 10) {
        for (int i = 0; i < STEPS; i++) {
            double slope = newton_step(w, &k, x, &t, weight);
            double now = least_slack(w, x);
            if (now > best) {
                best = now;
                memcpy(w->x, x, (size_t)w->m * sizeof *x);
            }
            if (!(slope > 1e-8)) break;
        }
    }
    return true;
}

/* Writes the impulses back. */
static void put_back(const spread *w) {
    perp_step_solution *s = w->s;
    for (int i = 0; i < w->m; i++) {
        double P = w->x[i] * w->unit[i];
        int at = w->place[i];
        switch (w->kind[i]) {
        case 0: s->p_joint[at] = P; break;
        case 1: s->p_contact[3 * at] = P; break;
        default: *pp_friction_impulse(s, at, w->kind[i] - 2) = P; break;
        }
    }
}

/* Recomputes the friction of sliding contacts after their normal impulses have changed. */
static void put_tied(const spread *w, const double *by) {
    for (int i = 0; i < w->m; i++) {
        if (w->kind[i] != 1 || w->push_n[i] == 1) continue;
        const perp_contact_row *c = &w->p->contact[w->place[i]];
        pp_mode m = {.n = 0};
        (void)pp_friction_parts(w->p, c, &m);
        for (int k = 0; k < m.n; k++) {
            double P = by[PERP_CONE_ROWS * i + 1 + k] * w->x[i] * w->unit[i];
            *pp_friction_impulse(w->s, w->place[i], m.part[k]) = P;
        }
    }
}

static bool spread_island(const perp_step_problem *p, perp_step_solution *s, double speed, double enough,
                          pp_arena *arena) {
    int most = p->njoint + PERP_CONE_ROWS * p->ncontact, bounds = 2 * p->njoint;
    if (most > MOST_IMPULSES || p->ncontact + p->njoint < 2) return true;
    for (int i = 0; i < p->ncontact; i++) bounds += 2 + (p->contact[i].nd > 0 ? p->contact[i].nd : 0);
    spread w = {.p = p,
                .s = s,
                .speed = speed,
                .push = PP_ARENA_ARRAY(arena, perp_row, PERP_CONE_ROWS * most),
                .push_by = PP_ARENA_ARRAY(arena, double, PERP_CONE_ROWS *most),
                .push_n = PP_ARENA_ARRAY(arena, int, most),
                .kind = PP_ARENA_ARRAY(arena, int, most),
                .place = PP_ARENA_ARRAY(arena, int, most),
                .unit = PP_ARENA_ARRAY(arena, double, most),
                .x = PP_ARENA_ARRAY(arena, double, most),
                .bound = PP_ARENA_ARRAY(arena, bound, bounds)};
    if (!w.push || !w.push_by || !w.push_n || !w.kind || !w.place || !w.unit || !w.x || !w.bound) return false;
    for (int i = 0; i < p->njoint; i++) take_joint(&w, i);
    for (int i = 0; i < p->ncontact; i++) take_contact(&w, i);
    if (w.nbound == 0 || least_slack(&w, w.x) >= enough) return true;
    if (!find_open(&w, arena)) return false;
    if (w.k == 0) return true;
    if (!raise_slack(&w, enough, arena)) return false;
    put_back(&w);
    put_tied(&w, w.push_by);
    return true;
}

bool pp_loads_spread(const perp_step_problem *p, perp_step_solution *s, double speed, double enough, pp_arena *arena) {
    pp_island *island;
    int n;
    if (pp_islands_split(p, arena, &island, &n)) return false;
    for (int k = 0; k < n; k++) {
        const perp_step_problem *q = &island[k].p;
        pp_arena_mark mark = pp_arena_here(arena);
        perp_step_solution part = {.nu = PP_ARENA_ARRAY(arena, double, q->ndof),
                                   .p_joint = PP_ARENA_ARRAY(arena, double, q->njoint),
                                   .p_contact = PP_ARENA_ARRAY(arena, double, 3 * q->ncontact),
                                   .sigma = PP_ARENA_ARRAY(arena, double, q->ncontact),
                                   .p_spin = PP_ARENA_ARRAY(arena, double, q->ncontact),
                                   .p_roll = PP_ARENA_ARRAY(arena, double, 2 * q->ncontact)};
        if (!part.nu || !part.p_joint || !part.p_contact || !part.sigma || !part.p_spin || !part.p_roll) return false;
        pp_island_gather(&island[k], s, &part);
        for (int b = 0; b < q->nblock; b++)
            memcpy(part.nu + q->block_offset[b], s->nu + p->block_offset[island[k].block[b]],
                   (size_t)q->block_ndof[b] * sizeof *part.nu);
        if (!spread_island(q, &part, speed, enough, arena)) return false;
        pp_island_scatter(&island[k], p, &part, s);
        pp_arena_release(arena, mark);
    }
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* judge_step.c - the verdict on the answer to a step problem
 * Problem  momentum of every body, every joint row and every contact, each compared with velocities in the data.
 * Method   violations by step_residual.c, which shares nothing with solvers and conversions. A law's velocity without
 *          impulses is q = J Minv momentum + b, so that the motion that a frame of reference adds to all bodies does not
 *          count; with length and worth as the residual has them, all laws are speeds. Neighbours share a body
 *          (laws.c). Momentum: a body is compared with the fastest law that acts on it; without laws, with its own speed.
 *          A velocity is a scale only if the rounding of its terms is below PP_NOISY of it: bodies that already move at the speed
 *          of their motor need no impulse, and the difference in their rows is rounding. If no law of an island has such a scale,
 *          the laws are compared with the terms themselves, the speeds of the bodies.
 *          Rounding: eps times the sizes of the terms of each velocity and each sum of impulses. The velocity of a body is a
 *          sum over all impulses on it, so those of its neighbours count: eps (|b| + |J| (|nu| + |Minv| (|momentum| + |G| |p|))).
 * Valid    anything: what is not finite is a violation without bound.
 * Cost     that of the residual, and one pass over the rows for rings. */
#include <float.h>
#include <math.h>

#include "base/sets.h"
#include "problem/convert/convert.h"
#include "problem/laws.h"
#include "problem/rows.h"
#include "base/elementary.h"

typedef struct work {
    const perp_step_problem *p;
    const perp_step_solution *s;
    pp_arena *arena;
    pp_laws laws;    /* joints, then contacts */
    double *nu_free; /* ndof: Minv momentum */
    double *terms;   /* ndof: sizes of the terms of the momentum, |momentum| + |G| |p| */
    double *speeds;  /* ndof: sizes of the terms of the velocity, |nu| + |Minv| terms */
} work;

static double worth(double W, double compliance) { return compliance > 0 ? W / (W + compliance) : 1; }

/* |J| |x| */
static double sizes(const perp_step_problem *p, const perp_row *row, const double *x) {
    double sum = 0;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++)
            for (int i = 0; row->block[k] >= 0 && i < p->block_ndof[row->block[k]]; i++)
                sum += fabs(row->J[k][i]) * fabs(x[p->block_offset[row->block[k]] + i]);
    return sum;
}

/* A contact as up to six rows with their axes; without friction one. */
typedef struct rows {
    const perp_row *row[PERP_CONE_ROWS];
    double b[PERP_CONE_ROWS], e[PERP_CONE_ROWS], compliance[PERP_CONE_ROWS], impulse[PERP_CONE_ROWS];
    int n;
} rows;

static void add_row(rows *r, const perp_row *row, double b, double e, double compliance, double impulse) {
    r->row[r->n] = row;
    r->b[r->n] = b;
    r->e[r->n] = e;
    r->compliance[r->n] = compliance;
    r->impulse[r->n++] = impulse;
}

static rows rows_of(const perp_step_problem *p, int i, const perp_step_solution *s) {
    const perp_contact_row *c = &p->contact[i];
    bool friction = c->mu > 0 && c->nd != 0, cone = p->dim == 3 && c->nd < 0;
    double e[PP_FRICTION_ROWS] = {cone && c->e_t > 0 ? c->e_t : 1, cone && c->e_o > 0 ? c->e_o : 1, c->e_r, c->e_roll,
                                  c->e_roll};
    rows r = {.n = 0};
    add_row(&r, &c->n, c->b_n, 1, c->compliance, s->p_contact[3 * (ptrdiff_t)i]);
    for (int k = 0; friction && k < PP_FRICTION_ROWS; k++)
        if (k == 0 || (k == 1 && p->dim == 3) || (k > 1 && cone && pp_friction_turns(c, k)))
            add_row(&r, pp_friction_row(c, k), pp_friction_b(c, k), e[k], pp_friction_compliance(c, k),
                    *pp_friction_impulse(s, i, k));
    return r;
}

/* Speed of a contact without impulses; in *terms the size of what it is a sum of, in *noise the rounding of its velocity with
 * impulses. */
static double contact_speed(const work *w, int i, double *terms, double *noise) {
    rows r = rows_of(w->p, i, w->s);
    double q = 0, sum = 0;
    *terms = 0;
    for (int k = 0; k < r.n; k++) {
        double mass = pp_row_inverse_mass(w->p, r.row[k]), part = r.e[k] * worth(mass, r.compliance[k]);
        q = pp_hypot(q, part * (pp_row_dot(w->p, r.row[k], w->nu_free) + r.b[k]));
        *terms = pp_hypot(*terms, part * (fabs(r.b[k]) + sizes(w->p, r.row[k], w->nu_free)));
        sum = pp_hypot(sum,
                       part * (fabs(r.b[k]) + sizes(w->p, r.row[k], w->speeds) + r.compliance[k] * fabs(r.impulse[k])));
    }
    *noise = DBL_EPSILON * sum;
    return q;
}

static double joint_speed(const work *w, int j, double *terms, double *noise) {
    const perp_joint_row *r = &w->p->joint[j];
    double mass = pp_row_inverse_mass(w->p, &r->row), part = pp_row_length(w->p, &r->row) * worth(mass, r->compliance),
           W = mass + r->compliance,
           least = r->lo > 0   ? r->lo
                   : r->hi < 0 ? -r->hi
                               : 0; /* an impulse that has to be */
    double p = fabs(w->s->p_joint[j]);
    *terms = part * (fabs(r->b) + sizes(w->p, &r->row, w->nu_free));
    *noise = DBL_EPSILON * part * (fabs(r->b) + sizes(w->p, &r->row, w->speeds) + r->compliance * p);
    return part * fmax(fabs(pp_row_dot(w->p, &r->row, w->nu_free) + r->b), W * least);
}

static bool joins(pp_law_graph *g, int law, const perp_row *row) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++)
            if (row->block[k] >= 0 && !pp_law_edge(g, law, g->n + row->block[k])) return false;
    return true;
}

/* Groups of bodies connected by rows. */
typedef struct motion {
    int *of;       /* by body: another of its group, itself if it stands for all */
    double *most;  /* by such a body: the largest terms of a law */
    bool *demands; /* by such a body: some law demands a velocity above the rounding of these terms */
} motion;

static int group_of(const motion *m, const perp_row *row) {
    int b = pp_row_some_block(row);
    return b >= 0 ? pp_set_of(m->of, b) : -1; /* -1: the row acts on no body */
}

static const perp_row *row_of_law(const perp_step_problem *p, int i) {
    return i < p->njoint ? &p->joint[i].row : &p->contact[i - p->njoint].n;
}

/* Groups of bodies, and the velocities that are asked of them: of n laws, q that are rounding become 0. */
static bool find_motion(work *w, int n, double *q, const double *terms, motion *m) {
    const perp_step_problem *p = w->p;
    m->of = PP_ARENA_ARRAY(w->arena, int, p->nblock);
    m->most = PP_ARENA_ZERO(w->arena, double, p->nblock);
    m->demands = PP_ARENA_ZERO(w->arena, bool, p->nblock);
    if (!m->of || !m->most || !m->demands) return false;
    pp_sets_make(m->of, p->nblock);
    for (int i = 0; i < n; i++) {
        const perp_row *row = row_of_law(p, i);
        for (const perp_row *part = row; part; part = part->more)
            for (int k = 0; k < 2; k++)
                if (part->block[k] >= 0) m->of[group_of(m, row)] = pp_set_of(m->of, part->block[k]);
    }
    for (int i = 0; i < n; i++) {
        int at = group_of(m, row_of_law(p, i));
        if (at >= 0 && terms[i] < INFINITY) m->most[at] = fmax(m->most[at], terms[i]);
    }
    for (int i = 0; i < n; i++) {
        int at = group_of(m, row_of_law(p, i));
        if (at < 0) continue;
        if (PP_NOISY * q[i] <= DBL_EPSILON * m->most[at]) q[i] = 0;
        m->demands[at] |= q[i] > 0;
    }
    return true;
}

/* If no law of a group demands a velocity, its laws are compared with the speeds of the bodies. */
static void compare_with_motion(work *w, const motion *m) {
    for (int i = 0; i < w->laws.n; i++) {
        int at = group_of(m, row_of_law(w->p, i));
        if (at >= 0 && !m->demands[at] && m->most[at] > 0) w->laws.scale[i] = m->most[at];
    }
}

typedef int edge[2];

/* Scales of joints and contacts; noise: njoint + ncontact. */
static bool find_laws(work *w, double *noise) {
    const perp_step_problem *p = w->p;
    motion m;
    pp_law_graph g = {.n = p->njoint + p->ncontact};
    for (int i = 0; i < g.n; i++)
        for (const perp_row *row = row_of_law(p, i); row; row = row->more) g.cap += 2;
    g.vertices = g.n + p->nblock;
    g.edge = PP_ARENA_ARRAY(w->arena, edge, g.cap); /* as many as there are bodies in rows: it never grows */
    g.q = PP_ARENA_ARRAY(w->arena, double, g.n);
    g.D = PP_ARENA_ARRAY(w->arena, double, g.n);
    g.velocity = PP_ARENA_ARRAY(w->arena, bool, g.n);
    double *terms = PP_ARENA_ARRAY(w->arena, double, g.n);
    bool got = g.q && g.D && g.velocity && terms && g.edge;
    for (int i = 0; got && i < g.n; i++) {
        g.D[i] = 1;
        g.velocity[i] = true;
        g.q[i] = i < p->njoint ? joint_speed(w, i, &terms[i], &noise[i])
                               : contact_speed(w, i - p->njoint, &terms[i], &noise[i]);
        if (!(g.q[i] < INFINITY)) g.q[i] = 0;
        got = joins(&g, i, row_of_law(p, i));
    }
    got = got && find_motion(w, g.n, g.q, terms, &m) && pp_laws_make(&w->laws, &g, w->arena);
    if (got) compare_with_motion(w, &m);
    return got;
}

static void add_terms(work *w, const perp_row *row, double impulse) {
    const perp_step_problem *p = w->p;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++)
            for (int i = 0; row->block[k] >= 0 && i < p->block_ndof[row->block[k]]; i++)
                w->terms[p->block_offset[row->block[k]] + i] += fabs(row->J[k][i] * impulse);
}

static void momentum_terms(work *w) {
    const perp_step_problem *p = w->p;
    for (int i = 0; i < p->ndof; i++) w->terms[i] = fabs(p->momentum[i]);
    for (int j = 0; j < p->njoint; j++) add_terms(w, &p->joint[j].row, w->s->p_joint[j]);
    for (int i = 0; i < p->ncontact; i++) {
        rows r = rows_of(p, i, w->s);
        for (int k = 0; k < r.n; k++) add_terms(w, r.row[k], r.impulse[k]);
    }
    for (int b = 0; b < p->nblock; b++)
        for (int i = 0; i < p->block_ndof[b]; i++) {
            int at = p->block_offset[b];
            w->speeds[at + i] = fabs(w->s->nu[at + i]);
            for (int k = 0; k < p->block_ndof[b]; k++)
                w->speeds[at + i] += fabs(p->Minv[36 * (ptrdiff_t)b + i + 6 * k]) * w->terms[at + k];
        }
}

/* Rounding of a body's momentum as a velocity. */
static double body_noise(const work *w, int b) {
    const perp_step_problem *p = w->p;
    int nd = p->block_ndof[b], at = p->block_offset[b];
    double v[6] = {0}, size = 0;
    for (int i = 0; i < nd; i++) v[i] = w->speeds[at + i];
    pp_step_worsen_by_velocity(p, b, v, &size);
    return DBL_EPSILON * size;
}

/* All laws, bodies first: a body's scale is that of the fastest law on it, or of its own motion. */
static bool all_laws(work *w, pp_laws *all) {
    const perp_step_problem *p = w->p;
    *all = (pp_laws){.n = p->nblock + w->laws.n, .islands = w->laws.islands};
    all->scale = PP_ARENA_ZERO(w->arena, double, all->n);
    all->island = PP_ARENA_ZERO(w->arena, int, all->n);
    if (!all->scale || !all->island) return false;
    for (int b = 0; b < p->nblock; b++) all->island[b] = -1;
    for (int i = 0; i < w->laws.n; i++) {
        const perp_row *row = i < p->njoint ? &p->joint[i].row : &p->contact[i - p->njoint].n;
        all->scale[p->nblock + i] = w->laws.scale[i];
        all->island[p->nblock + i] = w->laws.island[i];
        for (; row; row = row->more)
            for (int k = 0; k < 2; k++) {
                if (row->block[k] < 0) continue;
                double *scale = &all->scale[row->block[k]];
                *scale = fmax(*scale, w->laws.scale[i]);
                all->island[row->block[k]] = w->laws.island[i];
            }
    }
    for (int b = 0; b < p->nblock; b++) {
        if (all->scale[b] == 0) pp_step_worsen_by_velocity(p, b, w->nu_free + p->block_offset[b], &all->scale[b]);
        if (!(all->scale[b] > 0 && all->scale[b] < INFINITY)) all->scale[b] = 1;
        if (all->island[b] < 0) all->island[b] = all->islands++; /* alone */
    }
    return true;
}

/* nu_free = Minv momentum */
static void free_velocity(work *w) {
    const perp_step_problem *p = w->p;
    for (int b = 0; b < p->nblock; b++)
        for (int i = 0; i < p->block_ndof[b]; i++)
            for (int k = 0; k < p->block_ndof[b]; k++)
                w->nu_free[p->block_offset[b] + i] +=
                    p->Minv[36 * (ptrdiff_t)b + i + 6 * k] * p->momentum[p->block_offset[b] + k];
}

static bool judge(work *w, double tol, perp_verdict *out, perp_law *law) {
    const perp_step_problem *p = w->p;
    int n = p->nblock + p->njoint + p->ncontact;
    double *noise = PP_ARENA_ARRAY(w->arena, double, n), *violation = PP_ARENA_ARRAY(w->arena, double, n), most = 0;
    pp_laws all;
    w->nu_free = PP_ARENA_ZERO(w->arena, double, p->ndof);
    w->terms = PP_ARENA_ARRAY(w->arena, double, p->ndof);
    w->speeds = PP_ARENA_ARRAY(w->arena, double, p->ndof);
    if (!noise || !violation || !w->nu_free || !w->terms || !w->speeds) return false;
    free_velocity(w);
    momentum_terms(w);
    if (!find_laws(w, noise + p->nblock) || !all_laws(w, &all)) return false;
    pp_step_momentum(p, w->s, &most, violation);
    for (int b = 0; b < p->nblock; b++) noise[b] = body_noise(w, b);
    for (int j = 0; j < p->njoint; j++) violation[p->nblock + j] = fabs(pp_step_joint(p, j, w->s));
    for (int i = 0; i < p->ncontact; i++) {
        perp_step_residual r = {0};
        pp_step_contact(p, i, w->s, &r);
        violation[p->nblock + p->njoint + i] = fmax(r.normal, fmax(r.cone, r.dissipation));
    }
    *out = pp_verdict_begin(&all);
    for (int i = 0; i < n; i++) pp_verdict_add(out, &all, i, violation[i], noise[i], tol, law ? &law[i] : NULL);
    pp_verdict_end(out);
    return true;
}

bool pp_step_judge(const perp_step_problem *p, const perp_step_solution *s, double tol, pp_arena *arena,
                   perp_verdict *out, perp_law *law) {
    work w = {.p = p, .s = s, .arena = arena};
    pp_arena_mark mark = pp_arena_here(arena);
    bool got = judge(&w, tol, out, law);
    pp_arena_release(arena, mark);
    return got;
}

perp_status perp_step_problem_judge(const perp_step_problem *p, const perp_step_solution *s, double tol,
                                    const perp_allocator *alloc, perp_verdict *out, perp_law *law) {
    if (!p || !s || !out || !(tol > 0)) return PERP_E_ARG;
    pp_arena arena;
    pp_arena_init(&arena, alloc ? *alloc : (perp_allocator){0});
    bool got = pp_step_judge(p, s, tol, &arena, out, law);
    pp_arena_free(&arena);
    return got ? PERP_OK : PERP_E_MEMORY;
}

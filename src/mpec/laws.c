/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* laws.c - the laws of one step as equations and complementarity products
 *
 * Problem   a posed step (perp_step_problem) and the unknowns u of the step
 *   momentum   M nu+ - momentum - G p = 0
 *   joint      J nu+ + b + compliance p = 0                                    bilateral rows
 *   normal     w_n = n nu+ + b_n + compliance p_n,   p_n, w_n >= 0,            product p_n w_n
 *   pyramid    w_k = d_k . s + sigma,  slack = mu p_n - sum p_k,  all >= 0,    products p_k w_k, sigma slack
 *   cone       mu p_n s + sigma p_f = 0,  slack = (mu p_n)^2 - |p_f|^2,        product sigma slack; sigma, slack >= 0
 *              with s the slip velocity: (s, p_f) are opposite where the contact slips, |p_f| = mu p_n there, and
 *              s = 0 where it sticks
 * Where the normal impulse is known (supports), mu p_n is a number of the posed problem.
 * Method    every law is a polynomial in u whose coefficients are numbers of the posed problem, so the derivatives by u
 *           are exact. Laws are divided by the units of impulse and speed.
 * Valid     a pyramid of two directions in 2D is Coulomb's law; the cone form is Coulomb's law where mu p_n > 0. With
 *           p_n = 0 the cone's equations do not determine sigma (any sigma >= 0), which has no effect.
 * Source    Berard (2.78), 3.3, 7.6.1; Trinkle, Pang, Sudarsky, Lo (1997) for the cone. */
#include <math.h>

#include "base/refuse.h"
#include "mpec/mpec.h"
#include "base/elementary.h"

static bool same_key(const uint64_t a[3], const uint64_t b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

/* Has the row a lever on some body? */
static bool has_lever(const perp_step_problem *p, const perp_row *r) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; r->block[k] >= 0 && i < p->block_ndof[r->block[k]]; i++)
            if (r->J[k][i] != 0) return true;
    return false;
}

static void contact_key(const pp_posed *posed, int i, uint64_t key[3]) {
    const perp_contact_row *row = &posed->problem->contact[i];
    if (row->contact < 0) {
        key[0] = key[1] = UINT64_MAX;
        key[2] = (uint64_t)i;
        return;
    }
    const perp_contact *c = &posed->contact[row->contact];
    key[0] = (uint64_t)c->a.slot << 32 | c->b.slot;
    key[1] = c->feature;
    key[2] = 0;
}

/* How a contact is stated, or why it cannot be. */
static perp_status classify(const pp_mpec *m, const pp_posed *posed, int i, pp_mpec_contact *out) {
    const perp_step_problem *p = posed->problem;
    const perp_contact_row *c = &p->contact[i];
    const perp_world_def *d = &m->w->def;
    *out = (pp_mpec_contact){.p_n = -1, .w_n = -1, .p_f = -1, .w_f = -1, .sigma = -1, .slack = -1};
    contact_key(posed, i, out->key);
    for (int k = 0; k < 2; k++) out->block[k] = c->t.block[k];
    out->known_normal = c->compliance > 0 && !has_lever(p, &c->n);
    if (c->contact >= 0 && posed->contact[c->contact].restitution > 0)
        return pp_refuse(m->why, m->why_size, PERP_E_FIT,
                         "a contact has restitution %g: whether it bounces is not a smooth function of the state; only "
                         "restitution 0 is supported",
                         posed->contact[c->contact].restitution);
    bool round = (c->e_t == 0 || c->e_t == 1) && (c->e_o == 0 || c->e_o == 1) && !(c->e_r > 0) && !(c->e_roll > 0);
    if (!round || c->compliance_f != 0)
        return pp_refuse(
            m->why, m->why_size, PERP_E_FIT,
            "a contact has elliptic, torsional, rolling or compliant friction; only round cones are supported");
    bool cone = c->nd == PERP_CONE_DIRECTIONS;
    out->friction = c->nd == 0 ? PP_MPEC_SLICK : cone && p->dim == 3 ? PP_MPEC_CONE : PP_MPEC_PYRAMID;
    out->nd = c->nd == 0 ? 0 : cone ? 2 : c->nd;
    if (c->nd > 2 && d->friction_frame != PERP_FRICTION_FIXED)
        return pp_refuse(m->why, m->why_size, PERP_E_FIT,
                         "friction is a pyramid of %d directions that turns with the slip; take form `cone`, or "
                         "friction_frame `fixed`",
                         c->nd);
    return PERP_OK;
}

static void pair(pp_mpec *m, int a, int b) { m->product[m->nproduct++] = (pp_cell){a, b}; }

perp_status pp_mpec_number(pp_mpec *m, const pp_posed *posed) {
    const perp_step_problem *p = posed->problem;
    m->njoint = p->njoint;
    m->ncontact = p->ncontact;
    m->nproduct = 0;
    int u = 2 * m->ndof + p->njoint, law = m->ndof + p->njoint;
    for (int j = 0; j < p->njoint; j++)
        if (p->joint[j].lo != -INFINITY || p->joint[j].hi != INFINITY)
            return pp_refuse(
                m->why, m->why_size, PERP_E_FIT,
                "a joint has a limit, a motor or dry friction; only bilateral rows and springs are supported");
    for (int i = 0; i < p->ncontact; i++) {
        pp_mpec_contact *c = &m->contact[i];
        perp_status st = classify(m, posed, i, c);
        if (st) return st;
        if (!c->known_normal) {
            c->p_n = u++;
            c->w_n = u++;
            law++;
            pair(m, c->p_n, c->w_n);
        }
        if (c->friction == PP_MPEC_SLICK) continue;
        c->p_f = u;
        u += c->nd;
        law += c->nd;
        if (c->friction == PP_MPEC_PYRAMID) {
            c->w_f = u;
            u += c->nd;
            for (int k = 0; k < c->nd; k++) pair(m, c->p_f + k, c->w_f + k);
        }
        c->sigma = u++;
        c->slack = u++;
        law++;
        pair(m, c->sigma, c->slack);
    }
    m->nu = u;
    m->nlaw = law;
    return PERP_OK;
}

perp_status pp_mpec_same_contacts(pp_mpec *m, int k, const pp_posed *posed) {
    const perp_step_problem *p = posed->problem;
    bool same = p->ncontact == m->ncontact && p->njoint == m->njoint && p->ndof == m->ndof;
    for (int i = 0; same && i < p->ncontact; i++) {
        uint64_t key[3];
        contact_key(posed, i, key);
        const pp_mpec_contact *c = &m->contact[i];
        same = same_key(key, c->key) && (p->contact[i].nd == 0) == (c->friction == PP_MPEC_SLICK);
    }
    if (same) return PERP_OK;
    return pp_refuse(
        m->why, m->why_size, PERP_E_FIT,
        "the contacts of step %d are not those of the first step (%d contacts and supports there, %d here, or "
        "others, or friction that appears or vanishes): the program needs the same contacts at every step",
        k, m->ncontact, p->ncontact);
}

/* Where derivatives are written as they come. */
typedef struct sink {
    double *value;
    pp_cell *cell;
    int n;
    const double *u; /* unknowns of the step */
    double *c;       /* its laws */
} sink;

static void put(sink *s, int row, int col, double value) {
    if (s->cell) s->cell[s->n] = (pp_cell){row, col};
    if (s->value) s->value[s->n] = value;
    s->n++;
}

static double times(const perp_step_problem *p, const perp_row *r, const double *nu) {
    double sum = 0;
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int b = r->block[k];
            for (int i = 0; b >= 0 && i < p->block_ndof[b]; i++) sum += r->J[k][i] * nu[p->block_offset[b] + i];
        }
    return sum;
}

/* The impulse `size` of unknown `at` along the row, in the momentum laws: c -= J' size u[at]/unit. */
static void push(const pp_mpec *m, const perp_step_problem *p, const perp_row *r, int at, double size, sink *s) {
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int b = r->block[k];
            for (int i = 0; b >= 0 && i < p->block_ndof[b]; i++) {
                int dof = p->block_offset[b] + i;
                double d = -r->J[k][i] * size / m->momentum_unit[dof];
                s->c[dof] += d * s->u[at];
                put(s, dof, at, d);
            }
        }
}

/* Derivatives of factor J nu+ by nu+. */
static void put_row(const pp_mpec *m, const perp_step_problem *p, const perp_row *r, int law, double factor, sink *s) {
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int b = r->block[k];
            for (int i = 0; b >= 0 && i < p->block_ndof[b]; i++)
                put(s, law, m->ndof + p->block_offset[b] + i, factor * r->J[k][i]);
        }
}

static void momentum_laws(const pp_mpec *m, const perp_step_problem *p, const double *u, double *c, sink *s) {
    const double *nu = u + m->ndof;
    for (int b = 0; b < p->nblock; b++) {
        const double *M = p->M + 36 * (ptrdiff_t)b;
        int at = p->block_offset[b], nd = p->block_ndof[b];
        for (int i = 0; i < nd; i++) {
            double unit = m->momentum_unit[at + i], sum = -p->momentum[at + i];
            for (int j = 0; j < nd; j++) {
                sum += M[i + 6 * j] * nu[at + j];
                put(s, at + i, m->ndof + at + j, M[i + 6 * j] / unit);
            }
            c[at + i] = sum / unit;
        }
    }
}

/* Cosine and sine of direction k of a pyramid; those of two directions are exact. */
static void direction(const perp_contact_row *c, int nd, int k, double d[2]) {
    const double turn = 6.283185307179586;
    double a = c->phase + turn * k / nd;
    bool line = nd == 2 && (c->phase == 0 || c->nd < 0);
    d[0] = line ? 1 - 2 * k : pp_cos(a);
    d[1] = line ? 0 : pp_sin(a);
}

/* mu p_n in units of impulse, its derivative by u[p_n] in *by. */
static double friction_limit(const pp_mpec *m, const perp_contact_row *r, const pp_mpec_contact *c, const double *u,
                             double *by) {
    *by = c->known_normal ? 0 : r->mu;
    return r->mu * (c->known_normal ? -r->b_n / (r->compliance * m->impulse) : u[c->p_n]);
}

static int pyramid_laws(const pp_mpec *m, const perp_step_problem *p, int i, int law, const double *u, double *c,
                        sink *s) {
    const perp_contact_row *r = &p->contact[i];
    const pp_mpec_contact *k = &m->contact[i];
    const double *nu = u + m->ndof;
    double slip[2] = {times(p, &r->t, nu) + r->b_t, p->dim == 3 ? times(p, &r->o, nu) + r->b_o : 0}, by;
    double left = friction_limit(m, r, k, u, &by);
    for (int d = 0; d < k->nd; d++) {
        double e[2];
        direction(r, k->nd, d, e);
        push(m, p, &r->t, k->p_f + d, e[0] * m->impulse, s);
        if (p->dim == 3) push(m, p, &r->o, k->p_f + d, e[1] * m->impulse, s);
        c[law + d] = u[k->w_f + d] - u[k->sigma] - (e[0] * slip[0] + e[1] * slip[1]) / m->speed;
        put(s, law + d, k->w_f + d, 1);
        put(s, law + d, k->sigma, -1);
        put_row(m, p, &r->t, law + d, -e[0] / m->speed, s);
        if (p->dim == 3) put_row(m, p, &r->o, law + d, -e[1] / m->speed, s);
        left -= u[k->p_f + d];
    }
    law += k->nd;
    c[law] = u[k->slack] - left;
    put(s, law, k->slack, 1);
    for (int d = 0; d < k->nd; d++) put(s, law, k->p_f + d, 1);
    if (!k->known_normal) put(s, law, k->p_n, -by);
    return law + 1;
}

static int cone_laws(const pp_mpec *m, const perp_step_problem *p, int i, int law, const double *u, double *c,
                     sink *s) {
    const perp_contact_row *r = &p->contact[i];
    const pp_mpec_contact *k = &m->contact[i];
    const perp_row *row[2] = {&r->t, &r->o};
    const double *nu = u + m->ndof, b[2] = {r->b_t, r->b_o};
    double by, limit = friction_limit(m, r, k, u, &by), square = 0;
    for (int d = 0; d < 2; d++) {
        double slip = (times(p, row[d], nu) + b[d]) / m->speed, f = u[k->p_f + d];
        push(m, p, row[d], k->p_f + d, m->impulse, s);
        c[law + d] = limit * slip + u[k->sigma] * f;
        put_row(m, p, row[d], law + d, limit / m->speed, s);
        put(s, law + d, k->sigma, f);
        put(s, law + d, k->p_f + d, u[k->sigma]);
        if (!k->known_normal) put(s, law + d, k->p_n, by * slip);
        square += f * f;
    }
    law += 2;
    c[law] = u[k->slack] - (limit * limit - square);
    put(s, law, k->slack, 1);
    for (int d = 0; d < 2; d++) put(s, law, k->p_f + d, 2 * u[k->p_f + d]);
    if (!k->known_normal) put(s, law, k->p_n, -2 * limit * by);
    return law + 1;
}

int pp_mpec_laws(const pp_mpec *m, const perp_step_problem *p, const double *u, double *c, double *value,
                 pp_cell *cell) {
    sink s = {value, cell, 0, u, c};
    const double *nu = u + m->ndof;
    momentum_laws(m, p, u, c, &s);
    int law = m->ndof;
    for (int j = 0; j < p->njoint; j++, law++) {
        const perp_joint_row *r = &p->joint[j];
        int at = 2 * m->ndof + j;
        push(m, p, &r->row, at, m->impulse, &s);
        c[law] = (times(p, &r->row, nu) + r->b + r->compliance * m->impulse * u[at]) / m->speed;
        put_row(m, p, &r->row, law, 1 / m->speed, &s);
        put(&s, law, at, r->compliance * m->impulse / m->speed);
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *r = &p->contact[i];
        const pp_mpec_contact *k = &m->contact[i];
        if (!k->known_normal) {
            double give = r->compliance * m->impulse;
            push(m, p, &r->n, k->p_n, m->impulse, &s);
            c[law] = u[k->w_n] - (times(p, &r->n, nu) + r->b_n + give * u[k->p_n]) / m->speed;
            put(&s, law, k->w_n, 1);
            put(&s, law, k->p_n, -give / m->speed);
            put_row(m, p, &r->n, law, -1 / m->speed, &s);
            law++;
        }
        if (k->friction == PP_MPEC_PYRAMID) law = pyramid_laws(m, p, i, law, u, c, &s);
        if (k->friction == PP_MPEC_CONE) law = cone_laws(m, p, i, law, u, c, &s);
    }
    return s.n;
}

/* Curvature of the laws of a cone, of which the first is number law. */
static void cone_curvature(const pp_mpec *m, const perp_step_problem *p, int i, int law, const double *u,
                           const double *y, sink *s) {
    const perp_contact_row *r = &p->contact[i];
    const pp_mpec_contact *k = &m->contact[i];
    const perp_row *row[2] = {&r->t, &r->o};
    double by;
    (void)friction_limit(m, r, k, u, &by);
    for (int d = 0; d < 2; d++) {
        put(s, k->sigma, k->p_f + d, y[law + d]);
        put(s, k->p_f + d, k->p_f + d, 2 * y[law + 2]);
        if (!k->known_normal) put_row(m, p, row[d], k->p_n, y[law + d] * by / m->speed, s);
    }
    if (!k->known_normal) put(s, k->p_n, k->p_n, -2 * by * by * y[law + 2]);
}

int pp_mpec_curvature(const pp_mpec *m, const perp_step_problem *p, const double *u, const double *y, double *value,
                      pp_cell *cell) {
    sink s = {value, cell, 0, u, NULL};
    int law = m->ndof + m->njoint;
    for (int i = 0; i < m->ncontact; i++) {
        const pp_mpec_contact *k = &m->contact[i];
        law += !k->known_normal;
        if (k->friction == PP_MPEC_CONE) cone_curvature(m, p, i, law, u, y, &s);
        if (k->friction != PP_MPEC_SLICK) law += k->nd + 1;
    }
    return s.n;
}

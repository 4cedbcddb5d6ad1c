/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* to_cone.c - step problem -> friction contact problem with true cones, in global form
 * Problem  M nu = momentum + G p and the laws of the rows, as M v = f + H r, u = H'v + b + compliance r. Nothing is
 *          eliminated: a solver may eliminate bodies or rows, whichever are fewer.
 * Method   blocks of M whole, zeros too, so that a body is seen as one block; columns of H likewise.
 * Valid    any rows; blocks of 2, 3 or 6 degrees of freedom.
 * Cost     linear in blocks and rows.
 * Source   Acary, Brogliato (2008) 13.7; Berard 2.6 for the step, (3.82) for elliptic and torsional friction, to which rolling adds two rows. */
#include "problem/convert/to_cone.h"

#include <math.h>

#include "linalg/kernel.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "base/elementary.h"

static bool has_friction(const perp_contact_row *r) { return r->nd != 0 && r->mu > 0; }

/* Entries of a column of H: those of the blocks that the row touches. */
static int row_entries(const perp_step_problem *p, const perp_row *row) {
    int n = 0;
    for (; row; row = row->more) {
        int a = row->block[0], b = row->block[1];
        if (a >= 0) n += p->block_ndof[a];
        if (b >= 0 && b != a) n += p->block_ndof[b];
    }
    return n;
}

typedef struct filler {
    const perp_step_problem *p;
    int *start, *index; /* of H */
    double *value, *b;
    int nnz, m;
} filler;

/* The blocks of a row with a list, in ascending order: each time the smallest that is above the last. */
static void put_list(filler *h, const perp_row *row) {
    for (int last = -1;;) {
        const double *J = NULL;
        int next = -1;
        for (const perp_row *r = row; r; r = r->more)
            for (int k = 0; k < 2; k++) {
                if (r->block[k] <= last || (next >= 0 && r->block[k] >= next)) continue;
                next = r->block[k];
                J = r->J[k];
            }
        if (!J) return;
        for (int i = 0; i < h->p->block_ndof[next]; i++) {
            h->index[h->nnz] = h->p->block_offset[next] + i;
            h->value[h->nnz++] = J[i];
        }
        last = next;
    }
}

/* One block of a row; nd may be a constant. */
static inline __attribute__((always_inline)) void put_block(int nd, int at, const double *J, int *index,
                                                            double *value) {
    PP_UNROLL(6)
    for (int i = 0; i < nd; i++) {
        index[i] = at + i;
        value[i] = J[i];
    }
}

/* The blocks of a row without a list. A row that has one body on both sides feels the sum. */
static void put_two(filler *h, const perp_row *row) {
    int first = row->block[0] >= 0 && (row->block[1] < 0 || row->block[0] <= row->block[1]) ? 0 : 1;
    for (int side = 0; side < 2; side++) {
        int k = side ? 1 - first : first, blk = row->block[k];
        if (blk < 0) continue;
        int at = h->p->block_offset[blk], nd = h->p->block_ndof[blk];
        if (side && blk == row->block[first]) {
            for (int i = 0; i < nd; i++) h->value[h->nnz - nd + i] += row->J[k][i];
            continue;
        }
        if (nd == 6)
            put_block(6, at, row->J[k], h->index + h->nnz, h->value + h->nnz);
        else
            put_block(nd, at, row->J[k], h->index + h->nnz, h->value + h->nnz);
        h->nnz += nd;
    }
}

/* The next column of H. */
static void put_row(filler *h, const perp_row *row, double b) {
    if (row->more)
        put_list(h, row);
    else
        put_two(h, row);
    h->b[h->m++] = b;
    h->start[h->m] = h->nnz;
}

static perp_status fill_masses(const perp_step_problem *p, pp_arena *arena, perp_sparse *M) {
    int nnz = 0;
    for (int b = 0; b < p->nblock; b++) nnz += p->block_ndof[b] * p->block_ndof[b];
    int *start = PP_ARENA_ARRAY(arena, int, p->ndof + 1), *index = PP_ARENA_ARRAY(arena, int, nnz);
    double *value = PP_ARENA_ARRAY(arena, double, nnz);
    if (!start || !index || !value) return PERP_E_MEMORY;
    int at = 0;
    start[0] = 0;
    for (int b = 0; b < p->nblock; b++)
        for (int j = 0; j < p->block_ndof[b]; j++) {
            for (int i = 0; i < p->block_ndof[b]; i++) {
                index[at] = p->block_offset[b] + i;
                value[at++] = p->M[36 * (ptrdiff_t)b + i + 6 * j];
            }
            start[p->block_offset[b] + j + 1] = at;
        }
    *M = (perp_sparse){p->ndof, p->ndof, start, index, value};
    return PERP_OK;
}

/* Bounds and compliance of the bounded rows, mu of the cones; and where each contact goes. */
typedef struct sizes {
    int nrow, ncone, nnz;
    bool compliant;
    bool round;  /* all cones circular */
    int turning; /* rows of rotation of a contact: 1 if some contact resists spin, 3 if one resists rolling */
} sizes;

static sizes count(const perp_step_problem *p) {
    sizes s = {.nrow = p->njoint, .round = true};
    for (int j = 0; j < p->njoint; j++) {
        s.nnz += row_entries(p, &p->joint[j].row);
        if (p->joint[j].compliance != 0) s.compliant = true;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *r = &p->contact[i];
        s.nnz += row_entries(p, &r->n);
        if (r->compliance != 0 || r->compliance_f != 0) s.compliant = true;
        if (!has_friction(r)) {
            s.nrow++;
            continue;
        }
        s.ncone++;
        s.nnz += row_entries(p, &r->t);
        if (p->dim != 3) continue;
        s.nnz += row_entries(p, &r->o);
        if (r->e_r > 0 && s.turning == 0) s.turning = 1;
        if (r->e_roll > 0) s.turning = 3;
        for (int k = 2; k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(r, k)) s.nnz += row_entries(p, pp_friction_row(r, k));
        if (!pp_friction_round(r)) s.round = false;
    }
    return s;
}

/* The product of a number with 0 is 0 if it is finite, and not a number otherwise. */
static bool finite_all(const double *x, int n) {
    pp_two sum[2] = {{0, 0}, {0, 0}};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        sum[0] += *(const pp_two *)(x + i) * (pp_two){0, 0};
        sum[1] += *(const pp_two *)(x + i + 2) * (pp_two){0, 0};
    }
    double all = (sum[0][0] + sum[0][1]) + (sum[1][0] + sum[1][1]);
    for (; i < n; i++) all += x[i] * 0;
    return all == 0;
}

perp_status pp_step_to_cone(const perp_step_problem *p, pp_arena *arena, pp_step_cone *c) {
    sizes s = count(p);
    int width = p->dim + s.turning, m = s.nrow + width * s.ncone;
    *c = (pp_step_cone){.n = m,
                        .width = width,
                        .round = s.round,
                        .step = p,
                        .at = PP_ARENA_ARRAY(arena, int, p->ncontact),
                        .slips = PP_ARENA_ARRAY(arena, bool, p->ncontact)};
    filler h = {.p = p,
                .start = PP_ARENA_ARRAY(arena, int, m + 1),
                .index = PP_ARENA_ARRAY(arena, int, s.nnz),
                .value = PP_ARENA_ARRAY(arena, double, s.nnz),
                .b = PP_ARENA_ARRAY(arena, double, m)};
    double *lo = PP_ARENA_ARRAY(arena, double, s.nrow), *hi = PP_ARENA_ARRAY(arena, double, s.nrow);
    double *mu = PP_ARENA_ARRAY(arena, double, s.ncone), *compliance = PP_ARENA_ZERO(arena, double, m);
    double *axes = s.round ? NULL : PP_ARENA_ARRAY(arena, double, (width - 1) * s.ncone);
    if ((!s.round && !axes) || !c->at || !c->slips || !h.start || !h.index || !h.value || !h.b || !lo || !hi || !mu ||
        !compliance)
        return PERP_E_MEMORY;
    static const perp_row nothing = {.block = {-1, -1}};
    h.start[0] = 0;
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        lo[j] = r->lo;
        hi[j] = r->hi;
        compliance[j] = r->compliance;
        put_row(&h, &r->row, r->b);
    }
    for (int i = 0; i < p->ncontact; i++) {
        c->slips[i] = has_friction(&p->contact[i]);
        if (c->slips[i]) continue;
        c->at[i] = h.m;
        lo[h.m] = 0;
        hi[h.m] = INFINITY;
        compliance[h.m] = p->contact[i].compliance;
        put_row(&h, &p->contact[i].n, p->contact[i].b_n);
    }
    for (int i = 0, k = 0; i < p->ncontact; i++) {
        const perp_contact_row *r = &p->contact[i];
        if (!c->slips[i]) continue;
        c->at[i] = h.m;
        if (axes) {
            double e[PP_FRICTION_ROWS];
            pp_friction_axes(r, e);
            for (int a = 0; a < width - 1; a++) axes[(width - 1) * k + a] = e[a];
        }
        mu[k++] = r->mu;
        compliance[h.m] = r->compliance;
        for (int a = 1; a < p->dim; a++) compliance[h.m + a] = r->compliance_f;
        put_row(&h, &r->n, r->b_n);
        put_row(&h, &r->t, r->b_t);
        if (p->dim == 3) put_row(&h, &r->o, r->b_o);
        for (int a = 2; a < 2 + s.turning; a++)
            put_row(&h, pp_friction_turns(r, a) ? pp_friction_row(r, a) : &nothing,
                    pp_friction_turns(r, a) ? pp_friction_b(r, a) : 0);
    }
    perp_cone *cone = &c->problem.as.cone;
    c->problem.cls = PERP_CONE;
    *cone = (perp_cone){.dim = width,
                        .ncontact = s.ncone,
                        .nrow = s.nrow,
                        .lo = lo,
                        .hi = hi,
                        .mu = mu,
                        .axes = axes,
                        .global = true,
                        .H = {p->ndof, m, h.start, h.index, h.value},
                        .f = p->momentum,
                        .b = h.b,
                        .compliance = s.compliant ? compliance : NULL};
    perp_status st = fill_masses(p, arena, &cone->M);
    if (st) return st;
    bool finite = finite_all(h.value, h.nnz) && finite_all(h.b, m) && finite_all(p->momentum, p->ndof) &&
                  finite_all(mu, s.ncone) && finite_all(compliance, m) &&
                  finite_all(cone->M.value, cone->M.start[p->ndof]);
    return finite ? PERP_OK : PERP_E_SOLVE;
}

/* Slip velocity along t and o, spin and rolling times their lengths: in the metric of the axes, if there are any. */
static void slip_of(const pp_step_cone *c, int i, const double *nu, const double *imp, double slip[PP_FRICTION_ROWS]) {
    const perp_step_problem *p = c->step;
    const perp_contact_row *r = &p->contact[i];
    slip[0] = pp_row_dot(p, &r->t, nu) + r->b_t + r->compliance_f * imp[1];
    slip[1] = p->dim == 3 ? pp_row_dot(p, &r->o, nu) + r->b_o + r->compliance_f * imp[2] : 0;
    for (int k = 2; k < PP_FRICTION_ROWS; k++)
        slip[k] =
            p->dim == 3 && pp_friction_turns(r, k) ? pp_row_dot(p, pp_friction_row(r, k), nu) + pp_friction_b(r, k) : 0;
    if (c->round) return;
    double e[PP_FRICTION_ROWS];
    pp_friction_axes(r, e);
    for (int k = 0; k < PP_FRICTION_ROWS; k++) slip[k] *= e[k];
}

static double length(const pp_step_cone *c, const double x[PP_FRICTION_ROWS]) {
    return c->round ? pp_hypot(x[0], x[1]) : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + x[4] * x[4]);
}

void pp_step_cone_recover(const pp_step_cone *c, const double *r, perp_step_solution *out) {
    const perp_step_problem *p = c->step;
    for (int j = 0; j < p->njoint; j++) out->p_joint[j] = r[j];
    for (int i = 0; i < p->ncontact; i++) {
        const double *x = r + c->at[i];
        bool pressed = c->slips[i] && x[0] > 0; /* without pressure no friction, not even by rounding */
        out->p_contact[3 * i] = x[0];
        out->p_contact[3 * i + 1] = pressed ? x[1] : 0;
        out->p_contact[3 * i + 2] = pressed && p->dim == 3 ? x[2] : 0;
        for (int k = 2; p->dim == 3 && k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(&p->contact[i], k)) *pp_friction_impulse(out, i, k) = pressed ? x[k + 1] : 0;
    }
    pp_step_velocity(p, out->p_joint, out->p_contact, out->nu);
    for (int i = 0; c->width > 3 && i < p->ncontact; i++)
        for (int k = 2; c->slips[i] && k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(&p->contact[i], k))
                pp_row_spread(p, pp_friction_row(&p->contact[i], k), *pp_friction_impulse(out, i, k), out->nu);
    for (int i = 0; i < p->ncontact; i++) {
        double slip[PP_FRICTION_ROWS] = {0};
        if (c->slips[i]) slip_of(c, i, out->nu, out->p_contact + 3 * i, slip);
        out->sigma[i] = length(c, slip);
    }
}

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* Friction of a guess within its ellipsoid. */
static void guess_ellipsoid(const pp_step_cone *c, int i, const perp_step_solution *from, double *x) {
    const perp_contact_row *row = &c->step->contact[i];
    double e[PP_FRICTION_ROWS], p[PP_FRICTION_ROWS] = {0}, size = 0, most = row->mu * from->p_contact[3 * i];
    pp_friction_axes(row, e);
    for (int k = 0; k < c->width - 1; k++) {
        bool given = k < 2 || (k == 2 ? from->p_spin != NULL : from->p_roll != NULL);
        if (e[k] > 0 && given) p[k] = *pp_friction_impulse(from, i, k);
        size += e[k] > 0 ? p[k] / e[k] * (p[k] / e[k]) : 0;
    }
    size = sqrt(size);
    for (int k = 0; k < c->width - 1; k++) x[1 + k] = p[k] * (size > most ? most / size : 1);
}

void pp_step_cone_guess(const pp_step_cone *c, const perp_step_solution *from, double *r) {
    const perp_step_problem *p = c->step;
    for (int i = 0; i < c->n; i++) r[i] = 0;
    for (int j = 0; j < p->njoint; j++) {
        double x = clamp(from->p_joint[j], p->joint[j].lo, p->joint[j].hi);
        if (isfinite(x)) r[j] = x;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const double *imp = from->p_contact + 3 * i;
        double *x = r + c->at[i];
        if (!(imp[0] > 0)) continue;
        x[0] = imp[0];
        if (!c->slips[i]) continue;
        if (!c->round) {
            guess_ellipsoid(c, i, from, x);
            continue;
        }
        double o = p->dim == 3 ? imp[2] : 0, size = pp_hypot(imp[1], o), most = p->contact[i].mu * imp[0];
        double k = size > most ? most / size : 1;
        x[1] = k * imp[1];
        if (p->dim == 3) x[2] = k * o;
    }
}

/* Projection of y = (normal, rows of friction) on the cone |y_T| <= mu y_N, in place. */
static void project(const pp_step_cone *c, double mu, double y[PERP_CONE_ROWS]) {
    double size = length(c, y + 1);
    if (size <= mu * y[0]) return;
    double along = (mu * size + y[0]) / (1 + mu * mu); /* new normal part, if it is not the tip */
    if (!(along > 0)) {
        for (int k = 0; k < PERP_CONE_ROWS; k++) y[k] = 0;
        return;
    }
    double k = mu * along / size;
    y[0] = along;
    for (int i = 1; i < PERP_CONE_ROWS; i++) y[i] *= k;
}

static double bounded_residual(const perp_joint_row *row, double W, double p, double u) {
    if (!(W > 0)) W = 1;
    return fabs((p - clamp(p - u / W, row->lo, row->hi)) * W);
}

/* In the metric of the axes, where the cone is circular. */
static double ellipsoid_residual(const pp_step_cone *c, int i, const perp_step_solution *s) {
    const perp_step_problem *p = c->step;
    const perp_contact_row *row = &p->contact[i];
    const double *imp = s->p_contact + 3 * i;
    double e[PP_FRICTION_ROWS], slip[PP_FRICTION_ROWS], y[PERP_CONE_ROWS],
        x[PERP_CONE_ROWS] = {imp[0]}, W = pp_row_inverse_mass(p, &row->n) + row->compliance, most = 0;
    int rows = 3;
    pp_friction_axes(row, e);
    W += (e[0] * e[0] + e[1] * e[1]) * row->compliance_f;
    W += e[0] * e[0] * pp_row_inverse_mass(p, &row->t) + e[1] * e[1] * pp_row_inverse_mass(p, &row->o);
    x[1] = imp[1] / e[0];
    x[2] = e[1] > 0 ? imp[2] / e[1] : 0;
    for (int k = 2; k < PP_FRICTION_ROWS; k++) {
        if (!(e[k] > 0)) continue;
        W += e[k] * e[k] * pp_row_inverse_mass(p, pp_friction_row(row, k));
        x[k + 1] = *pp_friction_impulse(s, i, k) / e[k];
        rows++;
    }
    W /= rows;
    if (!(W > 0)) W = 1;
    slip_of(c, i, s->nu, imp, slip);
    double u = pp_row_dot(p, &row->n, s->nu) + row->b_n + row->compliance * imp[0];
    y[0] = x[0] - (u + row->mu * length(c, slip)) / W;
    for (int k = 0; k < PP_FRICTION_ROWS; k++) y[k + 1] = x[k + 1] - slip[k] / W;
    project(c, row->mu, y);
    for (int k = 0; k < PERP_CONE_ROWS; k++) most += (x[k] - y[k]) * (x[k] - y[k]);
    return W * sqrt(most);
}

/* Inverse mass of row i of pp_figure_row(). */
static double inverse_mass(const perp_step_problem *p, int i, const pp_row_figure *known) {
    return known ? known[i].inverse : pp_row_inverse_mass(p, pp_figure_row(p, i));
}

static double cone_residual(const pp_step_cone *c, int i, const double *imp, const double *nu,
                            const pp_row_figure *known) {
    const perp_step_problem *p = c->step;
    const perp_contact_row *row = &p->contact[i];
    int n = p->njoint + 3 * i;
    double W = inverse_mass(p, n, known) + inverse_mass(p, n + 1, known), slip[PP_FRICTION_ROWS];
    if (p->dim == 3) W += inverse_mass(p, n + 2, known);
    W += row->compliance + (p->dim - 1) * row->compliance_f;
    W /= p->dim;
    if (!(W > 0)) W = 1;
    slip_of(c, i, nu, imp, slip);
    double u = pp_row_dot(p, &row->n, nu) + row->b_n + row->compliance * imp[0] + row->mu * pp_hypot(slip[0], slip[1]);
    double y[PERP_CONE_ROWS] = {imp[0] - u / W, imp[1] - slip[0] / W, imp[2] - slip[1] / W};
    project(c, row->mu, y);
    return W * sqrt((imp[0] - y[0]) * (imp[0] - y[0]) + (imp[1] - y[1]) * (imp[1] - y[1]) +
                    (imp[2] - y[2]) * (imp[2] - y[2]));
}

double pp_step_cone_residual(const pp_step_cone *c, const perp_step_solution *s, const pp_row_figure *known) {
    const perp_step_problem *p = c->step;
    double most = 0;
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *row = &p->joint[j];
        double e = bounded_residual(row, inverse_mass(p, j, known) + row->compliance, s->p_joint[j],
                                    pp_row_dot(p, &row->row, s->nu) + row->b + row->compliance * s->p_joint[j]);
        if (!(e <= most)) most = e;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const double *imp = s->p_contact + 3 * i;
        const perp_joint_row open = {.lo = 0, .hi = INFINITY};
        const perp_contact_row *row = &p->contact[i];
        double e = c->slips[i]
                       ? (c->round ? cone_residual(c, i, imp, s->nu, known) : ellipsoid_residual(c, i, s))
                       : bounded_residual(&open, inverse_mass(p, p->njoint + 3 * i, known) + row->compliance, imp[0],
                                          pp_row_dot(p, &row->n, s->nu) + row->b_n + row->compliance * imp[0]);
        if (!(e <= most)) most = e;
    }
    return isfinite(most) ? most : INFINITY;
}

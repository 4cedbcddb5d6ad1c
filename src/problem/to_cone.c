/* to_cone.c - step problem -> friction contact problem with true cones, in global form
 * Problem  M nu = momentum + G p and the laws of the rows, as M v = f + H r, u = H'v + b + compliance r. Nothing is
 *          eliminated: a solver chooses between bodies and rows by their numbers.
 * Method   blocks of M whole, zeros too, so that a body is seen as one block; columns of H likewise.
 * Valid    any rows; blocks of 2, 3 or 6 degrees of freedom.
 * Cost     linear in blocks and rows.
 * Source   Acary, Brogliato (2008) 13.7; Berard 2.6 for the step. */
#include "problem/to_cone.h"

#include <math.h>

#include "problem/convert.h"
#include "problem/rows.h"

static bool has_friction(const perp_contact_row *r) { return r->nd != 0 && r->mu > 0; }

/* Entries of a column of H: those of the blocks that the row touches. */
static int row_entries(const perp_step_problem *p, const perp_row *row) {
    int a = row->block[0], b = row->block[1], n = 0;
    if (a >= 0) n += p->block_ndof[a];
    if (b >= 0 && b != a) n += p->block_ndof[b];
    return n;
}

typedef struct filler {
    const perp_step_problem *p;
    int *start, *index; /* of H */
    double *value, *b;
    int nnz, m;
} filler;

/* The next column of H. A row that has one body on both sides feels the sum. */
static void put_row(filler *h, const perp_row *row, double b) {
    int first = row->block[0] >= 0 && (row->block[1] < 0 || row->block[0] <= row->block[1]) ? 0 : 1;
    for (int side = 0; side < 2; side++) {
        int k = side ? 1 - first : first, blk = row->block[k];
        if (blk < 0) continue;
        int at = h->p->block_offset[blk], nd = h->p->block_ndof[blk];
        if (side && blk == row->block[first]) {
            for (int i = 0; i < nd; i++) h->value[h->nnz - nd + i] += row->J[k][i];
            continue;
        }
        for (int i = 0; i < nd; i++) {
            h->index[h->nnz] = at + i;
            h->value[h->nnz++] = row->J[k][i];
        }
    }
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
} sizes;

static sizes count(const perp_step_problem *p) {
    sizes s = {.nrow = p->njoint};
    for (int j = 0; j < p->njoint; j++) {
        s.nnz += row_entries(p, &p->joint[j].row);
        if (p->joint[j].compliance != 0) s.compliant = true;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *r = &p->contact[i];
        s.nnz += row_entries(p, &r->n);
        if (!has_friction(r)) {
            s.nrow++;
            continue;
        }
        s.ncone++;
        s.nnz += row_entries(p, &r->t);
        if (p->dim == 3) s.nnz += row_entries(p, &r->o);
    }
    return s;
}

static bool finite_all(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

perp_status pp_step_to_cone(const perp_step_problem *p, pp_arena *arena, pp_step_cone *c) {
    sizes s = count(p);
    int m = s.nrow + p->dim * s.ncone;
    *c = (pp_step_cone){.n = m,
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
    if (!c->at || !c->slips || !h.start || !h.index || !h.value || !h.b || !lo || !hi || !mu || !compliance)
        return PERP_E_MEMORY;
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
        put_row(&h, &p->contact[i].n, p->contact[i].b_n);
    }
    for (int i = 0, k = 0; i < p->ncontact; i++) {
        const perp_contact_row *r = &p->contact[i];
        if (!c->slips[i]) continue;
        c->at[i] = h.m;
        mu[k++] = r->mu;
        put_row(&h, &r->n, r->b_n);
        put_row(&h, &r->t, r->b_t);
        if (p->dim == 3) put_row(&h, &r->o, r->b_o);
    }
    perp_cone *cone = &c->problem.as.cone;
    c->problem.cls = PERP_CONE;
    *cone = (perp_cone){.dim = p->dim,
                        .ncontact = s.ncone,
                        .nrow = s.nrow,
                        .lo = lo,
                        .hi = hi,
                        .mu = mu,
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

/* Slip velocity along t and o. */
static void slip_of(const perp_step_problem *p, int i, const double *nu, double slip[2]) {
    const perp_contact_row *r = &p->contact[i];
    slip[0] = pp_row_dot(p, &r->t, nu) + r->b_t;
    slip[1] = p->dim == 3 ? pp_row_dot(p, &r->o, nu) + r->b_o : 0;
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
    }
    pp_step_velocity(p, out->p_joint, out->p_contact, out->nu);
    for (int i = 0; i < p->ncontact; i++) {
        double slip[2] = {0, 0};
        if (c->slips[i]) slip_of(p, i, out->nu, slip);
        out->sigma[i] = hypot(slip[0], slip[1]);
    }
}

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

void pp_step_cone_guess(const pp_step_cone *c, const double *p_joint, const double *p_contact, double *r) {
    const perp_step_problem *p = c->step;
    for (int i = 0; i < c->n; i++) r[i] = 0;
    for (int j = 0; j < p->njoint; j++) {
        double x = clamp(p_joint[j], p->joint[j].lo, p->joint[j].hi);
        if (isfinite(x)) r[j] = x;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const double *from = p_contact + 3 * i;
        double *x = r + c->at[i];
        if (!(from[0] > 0)) continue;
        x[0] = from[0];
        if (!c->slips[i]) continue;
        double o = p->dim == 3 ? from[2] : 0, size = hypot(from[1], o), most = p->contact[i].mu * from[0];
        double k = size > most ? most / size : 1;
        x[1] = k * from[1];
        if (p->dim == 3) x[2] = k * o;
    }
}

/* Projection of y = (normal, t, o) on the cone |y_T| <= mu y_N, in place. */
static void project(double mu, double y[3]) {
    double size = hypot(y[1], y[2]);
    if (size <= mu * y[0]) return;
    double along = (mu * size + y[0]) / (1 + mu * mu); /* new normal part, if it is not the tip */
    if (!(along > 0)) {
        y[0] = y[1] = y[2] = 0;
        return;
    }
    double k = mu * along / size;
    y[0] = along;
    y[1] *= k;
    y[2] *= k;
}

static double bounded_residual(const perp_joint_row *row, double W, double p, double u) {
    if (!(W > 0)) W = 1;
    return fabs((p - clamp(p - u / W, row->lo, row->hi)) * W);
}

static double cone_residual(const perp_step_problem *p, int i, const double *imp, const double *nu) {
    const perp_contact_row *row = &p->contact[i];
    double W = pp_row_inverse_mass(p, &row->n) + pp_row_inverse_mass(p, &row->t), slip[2];
    if (p->dim == 3) W += pp_row_inverse_mass(p, &row->o);
    W /= p->dim;
    if (!(W > 0)) W = 1;
    slip_of(p, i, nu, slip);
    double u = pp_row_dot(p, &row->n, nu) + row->b_n + row->mu * hypot(slip[0], slip[1]);
    double y[3] = {imp[0] - u / W, imp[1] - slip[0] / W, imp[2] - slip[1] / W};
    project(row->mu, y);
    return W * sqrt((imp[0] - y[0]) * (imp[0] - y[0]) + (imp[1] - y[1]) * (imp[1] - y[1]) +
                    (imp[2] - y[2]) * (imp[2] - y[2]));
}

double pp_step_cone_residual(const pp_step_cone *c, const perp_step_solution *s) {
    const perp_step_problem *p = c->step;
    double most = 0;
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *row = &p->joint[j];
        double e = bounded_residual(row, pp_row_inverse_mass(p, &row->row) + row->compliance, s->p_joint[j],
                                    pp_row_dot(p, &row->row, s->nu) + row->b + row->compliance * s->p_joint[j]);
        if (!(e <= most)) most = e;
    }
    for (int i = 0; i < p->ncontact; i++) {
        const double *imp = s->p_contact + 3 * i;
        const perp_joint_row open = {.lo = 0, .hi = INFINITY};
        const perp_contact_row *row = &p->contact[i];
        double e = c->slips[i] ? cone_residual(p, i, imp, s->nu)
                               : bounded_residual(&open, pp_row_inverse_mass(p, &row->n), imp[0],
                                                  pp_row_dot(p, &row->n, s->nu) + row->b_n);
        if (!(e <= most)) most = e;
    }
    return isfinite(most) ? most : INFINITY;
}

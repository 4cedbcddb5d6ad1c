/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convert.c - what both conversions of a step problem share: rows, Delassus matrix, contact part, and the way back
 * Problem  from M nu = momentum + G p and the rows' laws to a complementarity problem in p alone, nu = Minv
 *          (momentum + G p).
 * Method   rows touch at most two bodies each, so W = J Minv J' is summed body by body over the pairs of rows that
 *          touch it. Friction directions are combinations of t and o: W holds t and o only and the directions are
 *          expanded from 3 x 3 blocks.
 * Valid    any rows; blocks of 2, 3 or 6 degrees of freedom.
 * Cost     sum over bodies of (rows on it)^2 * 6, plus n^2 for the matrix.
 * Source   Berard 2.6; Williams (2.34). */
#include "problem/convert/convert.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "problem/convert/convert_parts.h"
#include "problem/rows.h"
#include "base/elementary.h"
#include "base/rounding.h"

pp_bound pp_bound_of(const perp_joint_row *r) {
    bool lo = r->lo > -INFINITY, hi = r->hi < INFINITY;
    if (lo && hi) return r->lo == r->hi ? PP_BOUND_FIXED : PP_BOUND_BOTH;
    return lo ? PP_BOUND_LOWER : hi ? PP_BOUND_UPPER : PP_BOUND_NONE;
}

/* Direction k of nd. Quarter turns are exact, opposite directions exactly opposite, so that symmetric scenes stay
 * symmetric. */
static void direction(int k, int nd, double phase, double *d) {
    const double pi = 3.141592653589793;
    int turns = 0; /* quarter turns taken out */
    if (nd % 4 == 0) {
        turns = k / (nd / 4);
        k %= nd / 4;
    } else if (nd % 2 == 0) {
        turns = k / (nd / 2) * 2;
        k %= nd / 2;
    }
    double a = phase + 2 * pi * k / nd;
    double c, s;
    pp_sin_cos(a, &s, &c);
    if (phase == 0 && 8 * k == nd) c = s = 0.7071067811865476;
    for (; turns > 0; turns--) {
        double t = c;
        c = -s;
        s = t;
    }
    d[0] = c + 0.0; /* no -0 */
    d[1] = s + 0.0;
}

/* Row numbers (n, t, o of each contact, then joint rows) that matter. */
static void number_rows(pp_converted *c) {
    const perp_step_problem *p = c->step;
    int nw = 0;
    for (int i = 0; i < p->ncontact; i++) {
        bool friction = pp_has_friction(&p->contact[i]);
        c->row[3 * i] = nw++;
        c->row[3 * i + 1] = friction ? nw++ : -1;
        c->row[3 * i + 2] = friction && p->dim == 3 ? nw++ : -1;
    }
    for (int j = 0; j < p->njoint; j++) c->row[3 * p->ncontact + j] = nw++;
    c->nw = nw;
}

static const perp_row *row_of(const perp_step_problem *p, int r) {
    if (r >= 3 * p->ncontact) return &p->joint[r - 3 * p->ncontact].row;
    const perp_contact_row *c = &p->contact[r / 3];
    return r % 3 == 0 ? &c->n : r % 3 == 1 ? &c->t : &c->o;
}

static double offset_of(const perp_step_problem *p, int r) {
    if (r >= 3 * p->ncontact) return p->joint[r - 3 * p->ncontact].b;
    const perp_contact_row *c = &p->contact[r / 3];
    return r % 3 == 0 ? c->b_n : r % 3 == 1 ? c->b_t : c->b_o;
}

/* A row's side on a body: its number among the nw, its numbers J, and Minv J'. */
typedef struct side {
    int row;
    const double *J;
    double MJ[6];
} side;

/* Sides of all rows that have a place in W. */
static ptrdiff_t count_sides(const pp_converted *c) {
    ptrdiff_t n = 0;
    for (int r = 0; r < 3 * c->step->ncontact + c->step->njoint; r++)
        for (const perp_row *row = c->row[r] >= 0 ? row_of(c->step, r) : NULL; row; row = row->more) n += 2;
    return n;
}

/* W and w_free. */
static perp_status delassus(pp_converted *c, pp_arena *arena) {
    const perp_step_problem *p = c->step;
    int nrow = 3 * p->ncontact + p->njoint;
    ptrdiff_t nw = c->nw;
    int *start = PP_ARENA_ZERO(arena, int, p->nblock + 2);
    side *list = PP_ARENA_ARRAY(arena, side, count_sides(c));
    double *nu = PP_ARENA_ARRAY(arena, double, p->ndof);
    c->W = PP_ARENA_ZERO(arena, double, nw *nw);
    c->w_free = PP_ARENA_ARRAY(arena, double, nw);
    if (!start || !list || !nu || !c->W || !c->w_free) return PERP_E_MEMORY;
    for (int b = 0; b < p->nblock; b++)
        pp_block_times(p->block_ndof[b], p->Minv + 36 * (ptrdiff_t)b, p->momentum + p->block_offset[b],
                       nu + p->block_offset[b]);
    /* sides sorted by body, in the order of the rows: count, then place */
    for (int r = 0; r < nrow; r++)
        for (const perp_row *row = c->row[r] >= 0 ? row_of(p, r) : NULL; row; row = row->more)
            for (int k = 0; k < 2; k++)
                if (row->block[k] >= 0) start[row->block[k] + 2]++;
    for (int b = 0; b < p->nblock; b++) start[b + 2] += start[b + 1];
    for (int r = 0; r < nrow; r++) {
        if (c->row[r] < 0) continue;
        double w = 0;
        for (const perp_row *row = row_of(p, r); row; row = row->more)
            for (int k = 0; k < 2; k++) {
                int b = row->block[k];
                if (b < 0) continue;
                assert(b < p->nblock);
                side *s = &list[start[b + 1]++];
                s->row = c->row[r];
                s->J = row->J[k];
                pp_block_times(p->block_ndof[b], p->Minv + 36 * (ptrdiff_t)b, s->J, s->MJ);
                for (int i = 0; i < p->block_ndof[b]; i++) w += s->J[i] * nu[p->block_offset[b] + i];
            }
        c->w_free[c->row[r]] = w + offset_of(p, r);
    }
    for (int b = 0; b < p->nblock; b++)
        for (int i = start[b]; i < start[b + 1]; i++)
            for (int j = start[b]; j <= i; j++) {
                double s = 0;
                for (int k = 0; k < p->block_ndof[b]; k++) s += list[i].J[k] * list[j].MJ[k];
                c->W[list[i].row + nw * list[j].row] += s;
                if (i != j)
                    c->W[list[j].row + nw * list[i].row] += s; /* also for a row that has the body on both sides */
            }
    for (int i = 0; i < 3 * p->ncontact; i++) {
        const perp_contact_row *contact = &p->contact[i / 3];
        int r = c->row[i];
        if (r >= 0) c->W[r + nw * r] += i % 3 == 0 ? contact->compliance : contact->compliance_f;
    }
    for (int j = 0; j < p->njoint; j++) {
        int r = c->row[3 * p->ncontact + j];
        c->W[r + nw * r] += p->joint[j].compliance;
    }
    return PERP_OK;
}

/* What a side of a row sums up, in absolute value: J_i Minv_ij momentum_j, and J_i times a turn by 1 rad within h, which
 * are the lever arms. */
static double side_size(const perp_step_problem *p, int b, const double *J) {
    const double *Minv = p->Minv + 36 * (ptrdiff_t)b, *momentum = p->momentum + p->block_offset[b];
    int nd = p->block_ndof[b], turns = nd == 6 ? 3 : 2; /* first dof that is a turn */
    double sum = 0;
    for (int i = 0; i < nd; i++) {
        double speed = i >= turns && p->h > 0 ? 1 / p->h : 0;
        for (int j = 0; j < nd; j++) speed += fabs(Minv[i + 6 * j] * momentum[j]);
        sum += fabs(J[i]) * speed;
    }
    return sum;
}

void pp_term_sizes(const pp_converted *c, double *size) {
    const perp_step_problem *p = c->step;
    ptrdiff_t nw = c->nw;
    for (int r = 0; r < 3 * p->ncontact + p->njoint; r++) {
        if (c->row[r] < 0) continue;
        double sum = fabs(offset_of(p, r));
        for (const perp_row *row = row_of(p, r); row; row = row->more)
            for (int k = 0; k < 2; k++)
                if (row->block[k] >= 0) sum += side_size(p, row->block[k], row->J[k]);
        for (int j = 0; j < p->njoint; j++)
            if (c->p0[j] != 0) sum += fabs(c->W[c->row[r] + nw * c->row[3 * p->ncontact + j]] * c->p0[j]);
        size[c->row[r]] = sum;
    }
}

void pp_fill_contacts(pp_converted *c, const double *S, const double *w) {
    const perp_step_problem *p = c->step;
    ptrdiff_t nw = c->nw, n = c->n;
    int nc = p->ncontact, first = c->first;
    for (int b = 0; b < nc; b++) {
        const int *rb = c->row + 3 * b;
        for (int a = 0; a < nc; a++) {
            const int *ra = c->row + 3 * a;
            double B[3][3];
            bool touch = false;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    B[i][j] = ra[i] >= 0 && rb[j] >= 0 ? S[ra[i] + nw * rb[j]] : 0;
                    if (B[i][j] != 0) touch = true;
                }
            if (!touch) continue;
            for (int v = -1; v < c->f_start[b + 1] - c->f_start[b]; v++) { /* columns: p_n, then the directions of b */
                const double *d = c->dir + 2 * (c->f_start[b] + v);
                double y[3];
                for (int i = 0; i < 3; i++) y[i] = v < 0 ? B[i][0] : B[i][1] * d[0] + B[i][2] * d[1];
                double *column = c->M + n * (first + (v < 0 ? b : nc + c->f_start[b] + v)) + first;
                column[a] = y[0];
                for (int k = c->f_start[a]; k < c->f_start[a + 1]; k++)
                    column[nc + k] = c->dir[2 * k] * y[1] + c->dir[2 * k + 1] * y[2];
            }
        }
    }
    for (int a = 0; a < nc; a++) {
        const int *r = c->row + 3 * a;
        ptrdiff_t vn = first + a;
        double Wn = c->W[r[0] + nw * r[0]];
        c->q[vn] = w[r[0]];
        c->z_scale[vn] = Wn > 0 ? 1 / Wn : 1;
        if (c->s_index[a] < 0) continue;
        ptrdiff_t vs = first + nc + c->nf + c->s_index[a];
        double wt = w[r[1]], wo = r[2] >= 0 ? w[r[2]] : 0;
        double Wt = c->W[r[1] + nw * r[1]], Wo = r[2] >= 0 ? c->W[r[2] + nw * r[2]] : Wt, Wf = Wt > Wo ? Wt : Wo;
        if (!(Wf > 0)) Wf = 1;
        for (int k = c->f_start[a]; k < c->f_start[a + 1]; k++) {
            ptrdiff_t vf = first + nc + k;
            c->q[vf] = c->dir[2 * k] * wt + c->dir[2 * k + 1] * wo;
            c->z_scale[vf] = 1 / Wf;
            c->M[vf + n * vs] = 1;
            c->M[vs + n * vf] = -1;
        }
        c->M[vs + n * vn] = p->contact[a].mu;
        c->q[vs] = 0;
        c->w_scale[vs] = 1 / Wf;
    }
}

perp_status pp_convert(const perp_step_problem *step, perp_class cls, pp_arena *arena, pp_converted *c) {
    int nc = step->ncontact;
    for (int i = 0; i < nc; i++)
        if (step->contact[i].nd < 0 && step->contact[i].mu > 0) return PERP_E_FIT; /* a true cone: see to_cone.h */
    memset(c, 0, sizeof *c);
    c->step = step;
    c->cls = cls;
    c->f_start = PP_ARENA_ARRAY(arena, int, nc + 1);
    c->s_index = PP_ARENA_ARRAY(arena, int, nc);
    c->u_index = PP_ARENA_ARRAY(arena, int, step->njoint);
    c->row = PP_ARENA_ARRAY(arena, int, 3 * nc + step->njoint);
    if (!c->f_start || !c->s_index || !c->u_index || !c->row) return PERP_E_MEMORY;
    for (int i = 0; i < nc; i++) {
        c->f_start[i] = c->nf;
        c->s_index[i] = -1;
        if (!pp_has_friction(&step->contact[i])) continue;
        c->s_index[i] = c->ns++;
        c->nf += step->contact[i].nd;
    }
    c->f_start[nc] = c->nf;
    c->dir = PP_ARENA_ARRAY(arena, double, 2 * c->nf);
    if (!c->dir) return PERP_E_MEMORY;
    for (int i = 0; i < nc; i++)
        for (int k = c->f_start[i]; k < c->f_start[i + 1]; k++)
            direction(k - c->f_start[i], step->contact[i].nd, step->contact[i].phase, c->dir + 2 * k);
    number_rows(c);
    perp_status s = delassus(c, arena);
    if (!s) s = cls == PERP_LCP ? pp_to_lcp(c, arena) : pp_to_mlcp(c, arena);
    if (s) return s;
    for (int i = 0; i < c->n; i++)
        if (!isfinite(c->q[i]) || !isfinite(c->z_scale[i]) || !isfinite(c->w_scale[i])) return PERP_E_SOLVE;
    c->problem.cls = cls;
    if (cls == PERP_LCP)
        c->problem.as.lcp = (perp_lcp){c->n, c->M, c->q};
    else
        c->problem.as.mlcp = (perp_mlcp){c->n, c->M, c->q, c->lo, c->hi};
    c->problem.z_scale = c->z_scale;
    c->problem.w_scale = c->w_scale;
    return PERP_OK;
}

/* Impulses of the eliminated rows from those of all others: W_ee p_e = -(w_e + W_er p_r), and once more with what is
 * left over. */
static void eliminated_impulses(const pp_converted *c, double *p, double *x, double *tmp) {
    ptrdiff_t nw = c->nw;
    for (int e = 0; e < c->ne; e++) p[c->eliminated[e]] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < c->ne; e++) {
            const double *column = c->W + nw * c->eliminated[e]; /* W is symmetric */
            double s = c->w_free[c->eliminated[e]];
            for (ptrdiff_t r = 0; r < nw; r++) s += column[r] * p[r];
            x[e] = -s;
        }
        pp_psd_solve(&c->elim, 1, x, c->ne, tmp);
        for (int e = 0; e < c->ne; e++) p[c->eliminated[e]] += x[e];
    }
}

perp_status pp_recover(const pp_converted *c, const double *z, pp_arena *arena, perp_step_solution *out) {
    const perp_step_problem *s = c->step;
    int nc = s->ncontact;
    const double *p_n = z + c->first, *p_f = p_n + nc, *sigma = p_f + c->nf;
    for (int i = 0; i < nc; i++) {
        double t = 0, o = 0;
        for (int k = c->f_start[i]; k < c->f_start[i + 1]; k++) {
            t += c->dir[2 * k] * p_f[k];
            o += c->dir[2 * k + 1] * p_f[k];
        }
        if (!(p_n[i] > 0)) t = o = 0; /* without pressure no friction, not even by rounding */
        out->p_contact[3 * i] = p_n[i];
        out->p_contact[3 * i + 1] = t;
        out->p_contact[3 * i + 2] = s->dim == 3 ? o : 0;
        out->sigma[i] = c->s_index[i] >= 0 ? sigma[c->s_index[i]] : 0;
    }
    for (int j = 0; j < s->njoint; j++) {
        int u = c->u_index[j];
        if (c->cls == PERP_MLCP)
            out->p_joint[j] = z[u];
        else
            out->p_joint[j] = c->p0[j] + (u < 0 ? 0 : pp_bound_of(&s->joint[j]) == PP_BOUND_UPPER ? -z[u] : z[u]);
    }
    if (c->ne > 0) {
        pp_arena_mark mark = pp_arena_here(arena);
        double *p = PP_ARENA_ARRAY(arena, double, c->nw), *x = PP_ARENA_ARRAY(arena, double, 2 * c->ne);
        if (!p || !x) return PERP_E_MEMORY;
        for (int r = 0; r < 3 * nc + s->njoint; r++)
            if (c->row[r] >= 0) p[c->row[r]] = r < 3 * nc ? out->p_contact[r] : out->p_joint[r - 3 * nc];
        eliminated_impulses(c, p, x, x + c->ne);
        for (int j = 0; j < s->njoint; j++) out->p_joint[j] = p[c->row[3 * nc + j]];
        pp_arena_release(arena, mark);
    }
    pp_step_velocity(s, out->p_joint, out->p_contact, out->nu);
    return PERP_OK;
}

/* Splits (p_t, p_o) between the two neighbouring directions that enclose it. A part that is only rounding is dropped, because it would
 * put the wrong variable into the starting basis. */
static void share_friction(int nd, const double *dir, double t, double o, double *p) {
    for (int k = 0; k < nd; k++) p[k] = 0;
    double size = pp_hypot(t, o);
    if (!(size > 0)) return;
    if (nd <= 2) { /* a line */
        for (int k = 0; k < nd; k++) {
            double along = dir[2 * k] * t + dir[2 * k + 1] * o;
            if (along > 0) p[k] = along;
        }
        return;
    }
    for (int k = 0; k < nd; k++) {
        int l = k + 1 < nd ? k + 1 : 0;
        const double *a = dir + 2 * k, *b = dir + 2 * l;
        double det = a[0] * b[1] - a[1] * b[0];
        double x = (t * b[1] - o * b[0]) / det, y = (a[0] * o - a[1] * t) / det;
        if (!(x > -PP_RESIDUAL * size) || !(y > -PP_RESIDUAL * size)) continue;
        p[k] = x > PP_RESIDUAL * size ? x : 0;
        p[l] = y > PP_RESIDUAL * size ? y : 0;
        return;
    }
}

/* Open contacts that slip also have sigma > 0, and with it one direction, without impulse, in the basis: the one against the slip
 * under the guessed impulses. The value of sigma only has to be positive. */
static void guess_open(const pp_converted *c, double *z) {
    int nc = c->step->ncontact, first_f = c->first + nc, first_s = first_f + c->nf;
    for (int i = 0; i < nc; i++) {
        if (c->s_index[i] < 0 || z[c->first + i] > 0) continue;
        int best = -1;
        double least = 0;
        for (int k = c->f_start[i]; k < c->f_start[i + 1]; k++) {
            double w = c->q[first_f + k];
            for (int j = 0; j < c->n; j++)
                if (z[j] != 0) w += c->M[first_f + k + (ptrdiff_t)c->n * j] * z[j];
            if (w < least) least = w, best = k;
        }
        if (best < 0) continue;
        z[first_f + best] = DBL_MIN;
        z[first_s + c->s_index[i]] = -least;
    }
}

/* An impulse that is nearer to a bound than PP_RESIDUAL of the range between its bounds is put on the bound; a value below PP_RESIDUAL of the
 * largest is not put into the basis. */
void pp_guess(const pp_converted *c, const double *p_joint, const double *p_contact, const double *sigma, double *z) {
    const perp_step_problem *s = c->step;
    double *p_n = z + c->first, *p_f = p_n + s->ncontact, *sg = p_f + c->nf;
    for (int i = 0; i < c->n; i++) z[i] = 0;
    for (int i = 0; i < s->ncontact; i++) {
        const double *p = p_contact + 3 * i;
        if (p[0] > 0) p_n[i] = p[0];
        if (c->s_index[i] < 0 || !(p[0] > 0)) continue;
        share_friction(s->contact[i].nd, c->dir + 2 * c->f_start[i], p[1], s->dim == 3 ? p[2] : 0, p_f + c->f_start[i]);
        if (sigma[i] > 0) sg[c->s_index[i]] = sigma[i];
    }
    for (int j = 0; j < s->njoint; j++) {
        int u = c->u_index[j];
        if (u < 0) continue;
        const perp_joint_row *r = &s->joint[j];
        double p = p_joint[j] > r->lo ? p_joint[j] : r->lo;
        if (p > r->hi) p = r->hi;
        if (c->cls == PERP_MLCP) {
            z[u] = isfinite(p) ? p : 0;
            continue;
        }
        pp_bound kind = pp_bound_of(r);
        z[u] = kind == PP_BOUND_UPPER ? r->hi - p : p - r->lo;
        if (kind != PP_BOUND_BOTH) continue;
        double room = r->hi - r->lo; /* an impulse that is at a limit but for rounding was at the limit */
        if (z[u] < PP_RESIDUAL * room) z[u] = 0;
        if (room - z[u] < PP_RESIDUAL * room) {
            z[u] = room;
            z[u + 1] = room / c->z_scale[u]; /* some slip */
        }
    }
    double most = 0;
    for (int i = c->first; i < c->n; i++) most = fmax(most, z[i] / c->z_scale[i]);
    for (int i = c->first; i < c->n; i++)
        if (z[i] > 0 && z[i] / c->z_scale[i] < PP_RESIDUAL * most) z[i] = 0;
    guess_open(c, z);
}

/* Adds the momentum J' p of a row to x. */
static void add_impulse(const perp_step_problem *s, const perp_row *row, double p, double *x) {
    if (p == 0) return;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            pp_block_push(s->block_ndof[b], row->J[k], p, x + s->block_offset[b]);
        }
}

void pp_step_velocity(const perp_step_problem *s, const double *p_joint, const double *p_contact, double *nu) {
    for (int i = 0; i < s->ndof; i++) nu[i] = s->momentum[i];
    for (int j = 0; j < s->njoint; j++) add_impulse(s, &s->joint[j].row, p_joint[j], nu);
    for (int i = 0; i < s->ncontact; i++) {
        add_impulse(s, &s->contact[i].n, p_contact[3 * i], nu);
        add_impulse(s, &s->contact[i].t, p_contact[3 * i + 1], nu);
        if (s->dim == 3) add_impulse(s, &s->contact[i].o, p_contact[3 * i + 2], nu);
    }
    for (int b = 0; b < s->nblock; b++) {
        double *x = nu + s->block_offset[b];
        pp_block_times(s->block_ndof[b], s->Minv + 36 * (ptrdiff_t)b, x, x);
    }
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sensitivity.c - derivatives of the laws by the state at the start of the step and by the parameters
 *
 * Problem   c(x, u) depends on x = [q | nu | parameters] through the problem that the world poses there: mass, forces,
 *           levers, gaps, friction. The world has no derivatives of these.
 * Method    Central differences of the posed problem, with u held. First derivatives with steps of about eps^(1/3) of
 *           the size of the variable, second ones with eps^(1/4), both powers of two so that x +- step has no rounding of
 *           its own. The same two poses give the derivative of c and that of (dc/du)' y, which is the mixed part of the
 *           Hessian. Which law depends on which x is found by trying at states along the start and at random
 *           displacements from them; x that touch no common law and no common unknown are displaced together (Curtis,
 *           Powell, Reid 1974), so that the cost does not grow with the number of bodies that do not touch.
 * Valid     where the posed problem is smooth: errors of about 1e-10 relative, none but rounding where it is linear. A
 *           dependence that does not appear at any tried state is missed; Ipopt then converges more slowly or not at all,
 *           and the comparison with a simulation shows it.
 * Cost      poses: 2 x colours for each step and Jacobian, 4 more for each pair of x with curvature and Hessian. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/refuse.h"
#include "mpec/mpec.h"
#include "base/elementary.h"

#define MAX_PROBES  64    /* steps that are tried for dependences */
#define PROBE_PAIRS 6     /* of those, steps tried for curvature */
#define PROBE_STEP  0.01  /* of the size of a variable: far above rounding, small enough to keep contacts */
#define NOTICED     1e-11 /* change of a law, relative to its terms, that counts as a dependence in a probe */

/* splitmix64, in -1 .. 1: probes are the same on every run. */
static double draw(uint64_t *s) {
    uint64_t z = *s += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return 2 * ((double)((z ^ z >> 31) >> 11) * 0x1p-53) - 1;
}

static double power_of_two(double x) { return pp_exp2(round(pp_log2(x))); }

/* Where x_i goes for a difference: below and above, inside the bounds of a parameter. */
static void points(const pp_mpec *m, int i, double x, double pace, double *below, double *above) {
    *below = x - pace;
    *above = x + pace;
    if (i < m->nx) return;
    const perp_mpec_parameter *p = &m->p->parameter[i - m->nx];
    *below = fmax(*below, x - 0.5 * (x - p->min));
    *above = fmin(*above, x + 0.5 * (p->max - x));
}

/* x of step k at the point z. */
static void gather(const pp_mpec *m, const double *z, int k, double *x) {
    memcpy(x, z + pp_mpec_base(m, k), (size_t)m->nx * sizeof *x);
    memcpy(x + m->nx, z, (size_t)m->np * sizeof *x);
}

/* Laws of step k at x, with derivatives by u if value is not NULL. */
static perp_status laws_at(pp_mpec *m, int k, const double *x, const double *u, double *c, double *value) {
    const perp_step_problem *p;
    perp_status st = pp_mpec_at(m, x + m->nx);
    if (!st) st = pp_mpec_pose(m, k, x, &p);
    if (!st) (void)pp_mpec_laws(m, p, u, c, value, NULL);
    return st;
}

/* y' dc/du. */
static void adjoint(const pp_mpec *m, const double *y, const double *value, double *g) {
    memset(g, 0, (size_t)m->nu * sizeof *g);
    for (int e = 0; e < m->du.n; e++) g[m->du.cell[e].col] += y[m->du.cell[e].row] * value[e];
}

static double dot(int n, const double *a, const double *b) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* ---- what depends on what ---- */

/* Sizes of the variables, from the start: the largest of a kind over steps and bodies, so that a coordinate that happens
 * to be zero has the size of the others. */
static perp_status sizes(pp_mpec *m, const double *start) {
    m->size = PP_ARENA_ARRAY(&m->arena, double, m->nxp);
    m->pace = PP_ARENA_ARRAY(&m->arena, double, m->nxp);
    m->pace2 = PP_ARENA_ARRAY(&m->arena, double, m->nxp);
    if (!m->size || !m->pace || !m->pace2) return PERP_E_MEMORY;
    bool turns = m->w->def.dim == 2;
    double size[4] = {0}; /* positions, velocities, angles, spins */
    for (int k = 0; k <= m->steps; k++)
        for (int b = 0; b < m->nblock; b++)
            for (int i = 0; i < m->block_ndof[b]; i++) {
                const double *q = start + pp_mpec_base(m, k) + m->block_offset[b] + i;
                int kind = turns && i == 2 ? 2 : 0;
                size[kind] = fmax(size[kind], fabs(q[0]));
                size[kind + 1] = fmax(size[kind + 1], fabs(q[m->ndof]));
            }
    size[2] = 1; /* rad */
    size[1] = fmax(size[1], m->speed);
    size[3] = fmax(size[3], size[2] * size[1] / fmax(size[0], DBL_MIN));
    size[0] = fmax(size[0], m->h * m->speed);
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < m->block_ndof[b]; i++) {
            int at = m->block_offset[b] + i, kind = turns && i == 2 ? 2 : 0;
            m->size[at] = size[kind];
            m->size[at + m->ndof] = size[kind + 1];
        }
    for (int i = 0; i < m->np; i++) {
        const perp_mpec_parameter *p = &m->p->parameter[i];
        double width = p->max - p->min, s = fabs(p->start);
        if (!(s > 0)) s = isfinite(width) ? width : 1;
        m->size[m->nx + i] = s;
    }
    for (int i = 0; i < m->nxp; i++) {
        m->pace2[i] = power_of_two(pp_pow(DBL_EPSILON, 0.25) * m->size[i]);
        m->pace[i] = power_of_two(pp_cbrt(DBL_EPSILON) * m->size[i]);
    }
    return PERP_OK;
}

/* What a probe marks. */
typedef struct marks {
    bool *law; /* nlaw x nxp */
    bool *u;   /* nu x nxp */
    bool *xx;  /* nxp x nxp */
} marks;

/* A random point near step k of the start, strictly within the bounds. */
static void random_point(const pp_mpec *m, const double *start, int k, uint64_t *seed, double *x, double *u,
                         double *y) {
    gather(m, start, k, x);
    for (int i = 0; i < m->nxp; i++) {
        double below, above;
        points(m, i, x[i], 0.1 * m->size[i], &below, &above);
        double s = draw(seed);
        x[i] += s > 0 ? s * (above - x[i]) : -s * (below - x[i]);
    }
    for (int i = 0; i < m->nu; i++) u[i] = 1 + draw(seed);
    for (int i = 0; i < m->ndof; i++) u[m->ndof + i] = m->speed * draw(seed);
    for (int i = 0; i < m->nlaw; i++) y[i] = 1.5 + draw(seed);
}

/* Marks the laws and unknowns that change with x_i at the point. */
static perp_status probe_one(pp_mpec *m, int k, int i, double *x, const double *u, const double *y, marks *k_) {
    double keep = x[i], end[2];
    points(m, i, keep, PROBE_STEP * m->size[i], &end[0], &end[1]);
    perp_status st = PERP_OK;
    for (int s = 0; s < 2 && !st; s++) {
        x[i] = end[s];
        st = laws_at(m, k, x, u, m->c[s], m->value[s]);
        if (!st) adjoint(m, y, m->value[s], m->gradient[s]);
    }
    x[i] = keep;
    if (st) return st;
    for (int r = 0; r < m->nlaw; r++)
        if (fabs(m->c[1][r] - m->c[0][r]) > NOTICED * (1 + fabs(m->c[0][r]) + fabs(m->c[1][r])))
            k_->law[r * m->nxp + i] = true;
    for (int j = 0; j < m->nu; j++)
        if (fabs(m->gradient[1][j] - m->gradient[0][j]) >
            NOTICED * (1 + fabs(m->gradient[0][j]) + fabs(m->gradient[1][j])))
            k_->u[j * m->nxp + i] = true;
    return PERP_OK;
}

static bool share_law(const pp_mpec *m, const bool *law, int i, int j) {
    for (int r = 0; r < m->nlaw; r++)
        if (law[r * m->nxp + i] && law[r * m->nxp + j]) return true;
    return false;
}

/* Points whose sums y c, times weights, make a second derivative by x_i and x_j. */
typedef struct corners {
    int i, j;
    double xi[4], xj[4], weight[4];
    int n;
} corners;

/* What sums y c are taken with. */
typedef struct held {
    const double *u, *y;
} held;

static corners corners_of(const pp_mpec *m, const double *x, int i, int j, double pace_i, double pace_j) {
    double lo[2], hi[2];
    points(m, i, x[i], pace_i, &lo[0], &hi[0]);
    points(m, j, x[j], pace_j, &lo[1], &hi[1]);
    if (i == j) {
        double right = hi[0] - x[i], left = x[i] - lo[0], both = right + left;
        return (corners){.i = i,
                         .j = j,
                         .xi = {lo[0], x[i], hi[0]},
                         .xj = {lo[0], x[i], hi[0]},
                         .weight = {2 / (left * both), -2 / (left * right), 2 / (right * both)},
                         .n = 3};
    }
    double one = 1 / ((hi[0] - lo[0]) * (hi[1] - lo[1]));
    return (corners){.i = i,
                     .j = j,
                     .xi = {hi[0], hi[0], lo[0], lo[0]},
                     .xj = {hi[1], lo[1], hi[1], lo[1]},
                     .weight = {one, -one, -one, one},
                     .n = 4};
}

/* Weighted sum y c at one of the points. */
static perp_status at_corner(pp_mpec *m, int k, double *x, const corners *q, int s, held with, double *out) {
    double keep[2] = {x[q->i], x[q->j]};
    x[q->i] = q->xi[s];
    x[q->j] = q->xj[s];
    perp_status st = laws_at(m, k, x, with.u, m->c[2], NULL);
    x[q->i] = keep[0];
    x[q->j] = keep[1];
    *out = st ? 0 : q->weight[s] * dot(m->nlaw, with.y, m->c[2]);
    return st;
}

static perp_status probe_pairs(pp_mpec *m, int k, double *x, const double *u, const double *y, marks *k_) {
    for (int i = 0; i < m->nxp; i++)
        for (int j = 0; j <= i; j++) {
            if (k_->xx[i * m->nxp + j] || !share_law(m, k_->law, i, j)) continue;
            double d = 0, scale = 0, part;
            corners q = corners_of(m, x, i, j, PROBE_STEP * m->size[i], PROBE_STEP * m->size[j]);
            for (int s = 0; s < q.n; s++) {
                perp_status st = at_corner(m, k, x, &q, s, (held){u, y}, &part);
                if (st) return st;
                d += part;
                scale += fabs(part);
            }
            k_->xx[i * m->nxp + j] = fabs(d) > NOTICED * scale;
        }
    return PERP_OK;
}

/* Whether parameter i changes the initial state. */
static perp_status probe_start(pp_mpec *m, const double *start) {
    double *x = m->x[0], *before = m->x[1];
    m->start_moves = PP_ARENA_ZERO(&m->arena, bool, m->np);
    if (!m->start_moves) return PERP_E_MEMORY;
    gather(m, start, 0, x);
    perp_status st = pp_mpec_at(m, x + m->nx);
    if (st) return st;
    memcpy(before, m->x_start, (size_t)m->nx * sizeof *before);
    for (int i = 0; i < m->np && !st; i++) {
        double keep = x[m->nx + i], below, above;
        points(m, m->nx + i, keep, PROBE_STEP * m->size[m->nx + i], &below, &above);
        x[m->nx + i] = above;
        st = pp_mpec_at(m, x + m->nx);
        x[m->nx + i] = keep;
        m->start_moves[i] = memcmp(before, m->x_start, (size_t)m->nx * sizeof *before) != 0;
    }
    return st;
}

static perp_status list_of(pp_mpec *m, const bool *mark, int rows, bool by_x, pp_cells *out) {
    int n = 0;
    for (int i = 0; i < rows * m->nxp; i++) n += mark[i];
    out->cell = PP_ARENA_ARRAY(&m->arena, pp_cell, n);
    if (!out->cell) return PERP_E_MEMORY;
    out->n = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < m->nxp; i++)
            if (mark[r * m->nxp + i]) out->cell[out->n++] = by_x ? (pp_cell){i, r} : (pp_cell){r, i};
    return PERP_OK;
}

/* Whether x_i and x_j may be displaced together. */
static bool together(const pp_mpec *m, const marks *k, int i, int j) {
    if ((i < m->nx) != (j < m->nx) || share_law(m, k->law, i, j)) return false;
    for (int r = 0; r < m->nu; r++)
        if (k->u[r * m->nxp + i] && k->u[r * m->nxp + j]) return false;
    return true;
}

static perp_status paint(pp_mpec *m, const marks *k) {
    m->colour = PP_ARENA_ARRAY(&m->arena, int, m->nxp);
    if (!m->colour) return PERP_E_MEMORY;
    m->ncolour = 0;
    for (int i = 0; i < m->nxp; i++) {
        int c = 0;
        for (; c < m->ncolour; c++) {
            bool free = true;
            for (int j = 0; j < i && free; j++) free = m->colour[j] != c || together(m, k, i, j);
            if (free) break;
        }
        m->colour[i] = c;
        if (c == m->ncolour) m->ncolour++;
    }
    return PERP_OK;
}

perp_status pp_mpec_probe(pp_mpec *m, const double *start) {
    perp_status st = sizes(m, start);
    if (!st) st = probe_start(m, start);
    marks k = {PP_ARENA_ZERO(&m->arena, bool, m->nlaw * m->nxp), PP_ARENA_ZERO(&m->arena, bool, m->nu * m->nxp),
               PP_ARENA_ZERO(&m->arena, bool, m->nxp * m->nxp)};
    double *x = PP_ARENA_ARRAY(&m->arena, double, m->nxp), *u = PP_ARENA_ARRAY(&m->arena, double, m->nu);
    if (!st && (!k.law || !k.u || !k.xx || !x || !u)) st = PERP_E_MEMORY;
    uint64_t seed = 1;
    int probes = m->steps < MAX_PROBES ? m->steps : MAX_PROBES;
    for (int pass = 0; pass < 2; pass++) /* pairs need to know which variables share a law */
        for (int p = 0; p < (pass ? PROBE_PAIRS : probes) && !st; p++) {
            int of = pass ? PROBE_PAIRS : probes, step = (int)((double)p * m->steps / of);
            random_point(m, start, step, &seed, x, u, m->y);
            for (int i = 0; i < m->nxp && !st && !pass; i++) st = probe_one(m, step, i, x, u, m->y, &k);
            if (!st && pass) st = probe_pairs(m, step, x, u, m->y, &k);
        }
    if (!st) st = list_of(m, k.law, m->nlaw, false, &m->dx);
    if (!st) st = list_of(m, k.u, m->nu, true, &m->dxu);
    if (!st) st = list_of(m, k.xx, m->nxp, false, &m->dxx);
    if (!st) st = paint(m, &k);
    if (st == PERP_E_MEMORY) return pp_refuse(m->why, m->why_size, st, "out of memory for the program");
    return st;
}

/* ---- derivatives ---- */

/* Laws of step k with all x of a colour moved below and above; the distances in m->x[0], room for x in m->x[1]. */
static perp_status both_sides(pp_mpec *m, const double *z, int k, int colour, int side) {
    double *gap = m->x[0], *x = m->x[1];
    gather(m, z, k, x);
    for (int i = 0; i < m->nxp; i++) {
        if (m->colour[i] != colour) continue;
        double below, above;
        points(m, i, x[i], m->pace[i], &below, &above);
        gap[i] = above - below;
        x[i] = side ? above : below;
    }
    return laws_at(m, k, x, z + pp_mpec_base(m, k + 1), m->c[side], m->value[side]);
}

/* One side after the other, over all steps, so that parameters are set twice for each colour. */
perp_status pp_mpec_by_x(pp_mpec *m, const double *z, double *dx) {
    memset(dx, 0, (size_t)m->steps * (size_t)m->dx.n * sizeof *dx);
    for (int colour = 0; colour < m->ncolour; colour++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < m->steps; k++) {
                perp_status st = both_sides(m, z, k, colour, side);
                if (st) return st;
                double *out = dx + (size_t)k * (size_t)m->dx.n;
                for (int e = 0; e < m->dx.n; e++) {
                    int i = m->dx.cell[e].col;
                    if (m->colour[i] != colour) continue;
                    double c = m->c[side][m->dx.cell[e].row];
                    out[e] = side ? (c - out[e]) / m->x[0][i] : c;
                }
            }
    return PERP_OK;
}

static perp_status mixed(pp_mpec *m, const double *z, const double *y, int stride, double *dxu) {
    for (int colour = 0; colour < m->ncolour; colour++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < m->steps; k++) {
                perp_status st = both_sides(m, z, k, colour, side);
                if (st) return st;
                adjoint(m, y + (size_t)k * (size_t)stride, m->value[side], m->gradient[side]);
                double *out = dxu + (size_t)k * (size_t)m->dxu.n;
                for (int e = 0; e < m->dxu.n; e++) {
                    int i = m->dxu.cell[e].row;
                    if (m->colour[i] != colour) continue;
                    double g = m->gradient[side][m->dxu.cell[e].col];
                    out[e] = side ? (g - out[e]) / m->x[0][i] : g;
                }
            }
    return PERP_OK;
}

perp_status pp_mpec_by_xx(pp_mpec *m, const double *z, const double *y, int stride, double *dxu, double *dxx) {
    memset(dxu, 0, (size_t)m->steps * (size_t)m->dxu.n * sizeof *dxu);
    perp_status st = m->dxu.n > 0 ? mixed(m, z, y, stride, dxu) : PERP_OK;
    double *x = m->x[1], part;
    memset(dxx, 0, (size_t)m->steps * (size_t)m->dxx.n * sizeof *dxx);
    for (int e = 0; e < m->dxx.n; e++)
        for (int s = 0; s < 4; s++) /* over all steps: parameters are set once for each point */
            for (int k = 0; k < m->steps && !st; k++) {
                pp_cell ij = m->dxx.cell[e];
                gather(m, z, k, x);
                corners q = corners_of(m, x, ij.row, ij.col, m->pace2[ij.row], m->pace2[ij.col]);
                if (s >= q.n) break;
                st = at_corner(m, k, x, &q, s, (held){z + pp_mpec_base(m, k + 1), y + (size_t)k * (size_t)stride},
                               &part);
                dxx[(size_t)k * (size_t)m->dxx.n + (size_t)e] += part;
            }
    return st;
}

perp_status pp_mpec_start_by_parameter(pp_mpec *m, const double *z, double *d) {
    memset(d, 0, (size_t)m->nx * (size_t)m->np * sizeof *d);
    double *x = m->x[1];
    gather(m, z, 0, x);
    for (int i = 0; i < m->np; i++) {
        if (!m->start_moves[i]) continue;
        double *col = d + (size_t)i * (size_t)m->nx, keep = x[m->nx + i], end[2];
        points(m, m->nx + i, keep, m->pace[m->nx + i], &end[0], &end[1]);
        for (int side = 0; side < 2; side++) {
            x[m->nx + i] = end[side];
            perp_status st = pp_mpec_at(m, x + m->nx);
            if (st) return st;
            for (int j = 0; j < m->nx; j++)
                col[j] = side ? (m->x_start[j] - col[j]) / (end[1] - end[0]) : m->x_start[j];
        }
        x[m->nx + i] = keep;
    }
    return PERP_OK;
}

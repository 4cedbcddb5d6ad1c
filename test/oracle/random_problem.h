/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* random_problem.h - random problems for the tests of conversions and solvers; the same ones in every run
 * without PERP_TEST_SEED. */
#ifndef TEST_RANDOM_PROBLEM_H
#define TEST_RANDOM_PROBLEM_H

#include <math.h>
#include <string.h>

#include "perp/step.h"
#include "thorough.h"

static uint64_t rp_seed = 1;
/* Uniform in [0, 1). */
static inline double rp_unit(void) {
    rp_seed = rp_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed_of(rp_seed) >> 11) * 0x1p-53;
}
/* Uniform in (-1, 1). */
static inline double rp_sym(void) { return 2 * rp_unit() - 1; }
/* 0 .. n - 1 */
static inline int rp_int(int n) { return (int)(rp_unit() * n); }

#define RP_BLOCKS 6
#define RP_ROWS   24

/* A step problem with room for everything it points to. It is solvable: all b are such that the velocity nu0 meets
 * every row. */
typedef struct rp_step {
    perp_step_problem p;
    int ndof[RP_BLOCKS], offset[RP_BLOCKS];
    double M[36 * RP_BLOCKS], Minv[36 * RP_BLOCKS], momentum[6 * RP_BLOCKS], nu0[6 * RP_BLOCKS];
    perp_joint_row joint[RP_ROWS];
    perp_contact_row contact[RP_ROWS];
} rp_step;

typedef struct rp_options {
    int dim, blocks, contacts;
    int bilateral, redundant; /* joint rows; copies of them */
    int springs;              /* free rows with compliance */
    int limits, boxes, upper, fixed;
    double mu;         /* largest friction; 0: none */
    int nd;            /* 3D; 0: at random */
    bool twins;        /* every other contact is there twice */
    bool rest;         /* momentum and nu0 zero but for a common push: many ties */
    double mass_ratio; /* masses from 1 to this */
} rp_options;

/* Inverse of an n x n leading block, 6 apart, by Gauss-Jordan. */
static inline void rp_invert(int n, const double *A, double *B) {
    double a[6][12];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = A[i + 6 * j], a[i][n + j] = i == j;
    for (int k = 0; k < n; k++) { /* positive definite: no pivoting */
        double d = a[k][k];
        for (int j = 0; j < 2 * n; j++) a[k][j] /= d;
        for (int i = 0; i < n; i++)
            if (i != k) {
                double f = a[i][k];
                for (int j = 0; j < 2 * n; j++) a[i][j] -= f * a[k][j];
            }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) B[i + 6 * j] = 0.5 * (a[i][n + j] + a[j][n + i]);
}

/* A row: velocity along d of the point r of block b, relative to that of block a. */
static inline void rp_row(const rp_step *s, perp_row *row, int a, int b, const double *d, const double *r) {
    memset(row, 0, sizeof *row);
    int side[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        row->block[k] = side[k];
        if (side[k] < 0) continue;
        double sign = k ? 1 : -1;
        const double *q = r + 3 * k;
        const double torque[3] = {q[1] * d[2] - q[2] * d[1], q[2] * d[0] - q[0] * d[2], q[0] * d[1] - q[1] * d[0]};
        int nd = s->ndof[side[k]];
        if (s->p.dim == 2) {
            row->J[k][0] = sign * d[0], row->J[k][1] = sign * d[1];
            if (nd == 3) row->J[k][2] = sign * torque[2];
        } else {
            for (int i = 0; i < 3; i++) row->J[k][i] = sign * d[i];
            for (int i = 0; i < 3 && nd == 6; i++) row->J[k][3 + i] = sign * torque[i];
        }
    }
}

static inline double rp_dot(const rp_step *s, const perp_row *row, const double *nu) {
    double w = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; row->block[k] >= 0 && i < s->ndof[row->block[k]]; i++)
            w += row->J[k][i] * nu[s->offset[row->block[k]] + i];
    return w;
}

static inline void rp_frame(int dim, double F[9]) { /* three orthonormal rows; in the plane: n, t in it, o along z */
    double a = 6.283185307179586 * rp_unit();
    if (dim == 2) {
        const double f[9] = {cos(a), sin(a), 0, -sin(a), cos(a), 0, 0, 0, 1};
        memcpy(F, f, sizeof f);
        return;
    }
    double z = rp_sym(), r = sqrt(1 - z * z), b = 6.283185307179586 * rp_unit();
    const double n[3] = {r * cos(a), r * sin(a), z}, e1[3] = {-sin(a), cos(a), 0};
    const double e2[3] = {n[1] * e1[2] - n[2] * e1[1], n[2] * e1[0] - n[0] * e1[2], n[0] * e1[1] - n[1] * e1[0]};
    for (int i = 0; i < 3; i++) {
        F[i] = n[i];
        F[3 + i] = cos(b) * e1[i] + sin(b) * e2[i];
        F[6 + i] = -sin(b) * e1[i] + cos(b) * e2[i];
    }
}

static inline void rp_pair(const rp_step *s, int *a, int *b, double r[6]) {
    *b = rp_int(s->p.nblock);
    *a = rp_int(s->p.nblock + 1) - 1;
    if (*a == *b) *a = -1;
    for (int i = 0; i < 6; i++) r[i] = s->p.dim == 2 && i % 3 == 2 ? 0 : rp_sym();
}

static inline void rp_step_make(rp_step *s, const rp_options *o) {
    memset(s, 0, sizeof *s);
    perp_step_problem *p = &s->p;
    p->dim = o->dim;
    p->h = 0.01;
    p->nblock = o->blocks;
    for (int b = 0; b < o->blocks; b++) {
        int nd = o->dim == 2 ? 2 + rp_int(2) : 3 + 3 * (rp_int(3) > 0), nt = o->dim == 2 ? 2 : 3;
        double m = pow(o->mass_ratio > 1 ? o->mass_ratio : 1, rp_unit()), *M = s->M + 36 * b, A[9];
        for (int i = 0; i < nt; i++) M[7 * i] = m;
        for (int i = 0; i < 9; i++) A[i] = rp_sym();
        for (int i = nt; i < nd; i++)
            for (int j = nt; j < nd; j++) {
                double dot = i == j ? 0.2 : 0;
                for (int k = 0; k < 3; k++) dot += A[i - nt + 3 * k] * A[j - nt + 3 * k];
                M[i + 6 * j] = m * dot;
            }
        rp_invert(nd, M, s->Minv + 36 * b);
        s->ndof[b] = nd;
        s->offset[b] = p->ndof;
        for (int i = 0; i < nd; i++) {
            double v = o->rest ? (i == nt - 1 ? -0.0981 : 0) : rp_sym();
            for (int j = 0; j < nd; j++) s->momentum[p->ndof + j] += M[j + 6 * i] * v;
            s->nu0[p->ndof + i] = o->rest ? 0 : rp_sym();
        }
        p->ndof += nd;
    }
    p->block_ndof = s->ndof;
    p->block_offset = s->offset;
    p->M = s->M;
    p->Minv = s->Minv;
    p->momentum = s->momentum;
    p->joint = s->joint;
    p->contact = s->contact;
    int kinds[] = {o->bilateral, o->redundant, o->springs, o->limits, o->boxes, o->upper, o->fixed};
    for (int kind = 0; kind < 7; kind++)
        for (int k = 0; k < kinds[kind]; k++) {
            perp_joint_row *j = &s->joint[p->njoint];
            double F[9], r[6];
            int a, b;
            rp_pair(s, &a, &b, r);
            rp_frame(o->dim, F);
            rp_row(s, &j->row, a, b, F, r);
            j->b = -rp_dot(s, &j->row, s->nu0);
            j->lo = -INFINITY, j->hi = INFINITY;
            j->joint = -1;
            if (kind == 1 && o->bilateral > 0) { /* a multiple of a row that is there */
                double f = 0.5 + rp_unit();
                *j = s->joint[rp_int(o->bilateral)];
                for (int i = 0; i < 12; i++) j->row.J[i / 6][i % 6] *= f;
                j->b *= f;
            } else if (kind == 2) {
                j->compliance = 0.1 + rp_unit();
                j->b = rp_sym();
            } else if (kind == 3) {
                j->lo = 0;
                j->b += rp_int(2) ? rp_unit() : 0;
            } else if (kind == 4) {
                j->lo = -rp_unit(), j->hi = rp_int(2) ? -j->lo : rp_unit();
                j->b = rp_sym();
                j->compliance = rp_int(2) ? 0 : 0.1;
            } else if (kind == 5) {
                j->hi = 0;
                j->b -= rp_int(2) ? rp_unit() : 0;
            } else if (kind == 6) {
                j->lo = j->hi = rp_int(2) ? 0 : rp_sym();
                j->b = rp_sym();
            }
            p->njoint++;
        }
    for (int k = 0; k < o->contacts; k++) {
        perp_contact_row *c = &s->contact[p->ncontact++];
        if (o->twins && k % 2) {
            *c = c[-1];
            c->contact = k;
            continue;
        }
        double F[9], r[6];
        int a, b;
        rp_pair(s, &a, &b, r);
        rp_frame(o->dim, F);
        rp_row(s, &c->n, a, b, F, r);
        rp_row(s, &c->t, a, b, F + 3, r);
        if (o->dim == 3) rp_row(s, &c->o, a, b, F + 6, r);
        c->b_n = -rp_dot(s, &c->n, s->nu0) + (rp_int(2) ? rp_unit() : 0);
        if (o->rest) c->b_n = 0;
        c->b_t = -rp_dot(s, &c->t, s->nu0);
        c->b_o = o->dim == 3 ? -rp_dot(s, &c->o, s->nu0) : 0;
        c->mu = rp_int(5) ? o->mu * rp_unit() : 0;
        c->nd = o->mu == 0 ? 0 : o->dim == 2 ? 2 : o->nd ? o->nd : 3 + rp_int(6);
        c->phase = o->dim == 2 || rp_int(2) ? 0 : 6 * rp_sym();
        c->contact = k;
    }
}

/* Random LCPs, n x n column-major. */
enum { RP_P, RP_PSD, RP_ASYMMETRIC, RP_DEGENERATE, RP_BACKWARD, RP_KINDS };

/* P and ASYMMETRIC: B B' + skew + diagonal (P-matrices). PSD: B B' of rank n/2, q in the range plus something
 * positive. DEGENERATE: small whole numbers, many ties. BACKWARD: M as ASYMMETRIC or PSD, and q = w - M z for known
 * z, w with some pairs both zero. */
static inline void rp_lcp(int kind, int n, double *M, double *q) {
    int rank = kind == RP_PSD || kind == RP_DEGENERATE || (kind == RP_BACKWARD && rp_int(2)) ? (n + 1) / 2 : n;
    double B[24 * 24], z[24], w[24];
    bool whole = kind == RP_DEGENERATE, skew = kind == RP_ASYMMETRIC || (kind == RP_BACKWARD && rp_int(2)) || whole;
    for (int i = 0; i < n * rank; i++) B[i] = whole ? rp_int(3) - 1 : rp_sym();
    for (int i = 0; i < n * n; i++) M[i] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) M[i + n * j] += B[i + n * k] * B[j + n * k];
            if (i == j && rank == n) M[i + n * j] += 0.05;
            if (i < j && skew) {
                double s = whole ? rp_int(3) - 1 : 2 * rp_sym();
                M[i + n * j] += s, M[j + n * i] -= s;
            }
        }
    for (int i = 0; i < n; i++) {
        z[i] = rp_int(2) ? (whole ? rp_int(3) : rp_unit()) : 0;
        w[i] = z[i] > 0 ? 0 : rp_int(3) ? (whole ? rp_int(3) : rp_unit()) : 0;
        q[i] = rp_sym();
    }
    if (kind == RP_P || kind == RP_ASYMMETRIC) return;
    for (int i = 0; i < n; i++) {
        q[i] = w[i];
        for (int j = 0; j < n; j++) q[i] -= M[i + n * j] * z[j];
    }
}

#endif

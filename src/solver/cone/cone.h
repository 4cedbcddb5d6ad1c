/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone.h - a cone problem made ready for iterations: rows scaled so that all contacts look alike, the operator at hand.
 *
 * Scaling: contact i has one scalar s_i = 1/sqrt(mean diagonal of its block of E W E), E its axes, and
 *     r = beta E s x,   u = beta v / (E s)  (u_T . e for the slip),   W~ = S E W E S,   q~ = S E q / beta
 * with beta = max |S E q| over contacts, or the largest bound if q = 0. Then every W~_ii has unit mean diagonal, x and v have one unit, the cone is circular with its
 * own mu, rho = 1 suits every contact, and the natural map of the scaled problem is the unit-free measure. Bounded rows
 * are scaled the same way, bounds too. Blocks: bounded rows first (one row each), then contacts (dim rows each). */
#ifndef PP_CONE_H
#define PP_CONE_H

#include "solver/common/call.h"

/* Dense blocks of a block row or block column of a sparse operator. */
typedef struct pp_cone_entry {
    int other; /* local: column block j of W_ij; body: node */
    double
        *value; /* local: rows_i x rows_j, column-major; body: rows_i x size of the node, column-major (H~_i' at it) */
} pp_cone_entry;

#define PP_CONE_SQUARE (PERP_CONE_ROWS * PERP_CONE_ROWS)

typedef struct pp_cone {
    const perp_cone *p;
    bool associated;  /* PERP_CONE_QP: without De Saxce's term */
    int nblock;       /* nrow + ncontact */
    int nrow;         /* bounded rows, the first blocks */
    int dim;          /* rows of a contact, at most PERP_CONE_ROWS */
    ptrdiff_t square; /* distance between the square matrices of two blocks: dim x dim fits */
    int m;            /* rows in all */
    int *first;       /* nblock + 1: first row of each block */
    double *mu;       /* nblock; 0 for bounded rows */
    double *lo, *hi;  /* nrow: scaled bounds */
    double beta;      /* > 0: unit of x and v */
    double *scale;    /* m: r = beta scale x; 0 where an axis is 0 */
    double *q;        /* m: q~, velocities v at x = 0 */
    double *diag;     /* nblock x square: W~_ii, column-major with leading dimension dim (bounded rows: 1) */
    /* operator by block rows: local W~ x = sum_j W~_ij x_j; body: W~ x = H~'M^-1 H~ x + c~ x */
    bool body;            /* nodes are small blocks of M (bodies) and W~ is never formed */
    int *row;             /* nblock + 1: entries of block row i are entry[row[i]] .. entry[row[i + 1] - 1] */
    pp_cone_entry *entry; /* ascending in `other` */
    int nnode, ndof;      /* body only, as all below */
    int *node;            /* nnode + 1: first dof of each node */
    double **M, **Minv;   /* nnode: size x size, column-major */
    int *part;            /* by dof of M: its node; -1: no row touches it */
    double *free_v;       /* ndof: velocities of the nodes without impulses, not scaled by beta */
    double *c;            /* m: scaled compliance; NULL: none */
    double *y;            /* ndof: scratch of pp_cone_apply */
    double product;       /* multiplications of pp_cone_apply */
    pp_work *work;        /* work counter; NULL: none */
} pp_cone;

static inline int pp_cone_rows(const pp_cone *c, int i) { return c->first[i + 1] - c->first[i]; }

/* Body mode: does block i act on one of these nodes (nnode)? */
static inline bool pp_cone_touches(const pp_cone *c, int i, const bool *node) {
    for (int s = c->row[i]; s < c->row[i + 1]; s++)
        if (node[c->entry[s].other]) return true;
    return false;
}

/* Allocates in the call's memory; borrows p. Global problems whose M is not made of small blocks, or with far fewer
 * rows than dofs, are condensed to local form. Returns false if out of memory or if M is singular (*singular). */
bool pp_cone_make(pp_cone *c, const perp_problem *p, const perp_call *call, bool *singular);

/* Body mode: y = H~ x (ndof), and v = H~'y (m). */
void pp_cone_gather(const pp_cone *c, const double *x, double *y);
void pp_cone_spread(const pp_cone *c, const double *y, double *v);

/* Body mode: velocities of the nodes with impulses x, scaled as v is, in units in which M has a diagonal of 1. */
void pp_cone_node_velocities(const pp_cone *c, const double *x, double *z);

/* v = W~ x */
void pp_cone_apply(const pp_cone *c, const double *x, double *v);

/* x from r and back. If an axis is 0, x = 0. */
void pp_cone_scale(const pp_cone *c, const double *r, double *x);
void pp_cone_unscale(const pp_cone *c, const double *x, double *r);

/* Law of block i between x_i and v_i (rows of the block): x_i - P(x_i - v^_i), v^ with De Saxce's term unless
 * associated; P the projection on the circular cone or on [lo, hi]. Written to e; its Euclidean norm returned. */
double pp_cone_natural(const pp_cone *c, int i, const double *x, const double *v, double *e);

/* Unit-free measure of x with velocities v = W~ x + q~: largest natural map of the blocks, divided by max(1, |x|). */
double pp_cone_measure(const pp_cone *c, const double *x, const double *v);

/* Projection of y (dim rows) on {|x_T| <= mu x_N}, in place. */
void pp_cone_project(int dim, double mu, double *y);

/* Exact solution of one block with all others constant: x_i complementary to W~_ii x_i + q. mu = 0, stick, slide by the
 * root of a polynomial in one variable, or open. Writes x (dim rows). Returns false if no solution was found (W~_ii not
 * positive). */
bool pp_cone_solve_block(const pp_cone *c, int i, const double *q, double *x);

#endif

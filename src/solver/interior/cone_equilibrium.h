/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_equilibrium.h - finds impulses that hold all bodies at rest, if there are any; auto tests this before it solves
 * for motion. */
#ifndef PP_CONE_EQUILIBRIUM_H
#define PP_CONE_EQUILIBRIUM_H

#include "solver/interior/cone_interior.h"

typedef struct pp_cone_rest {
    const pp_cone *c;
    pp_cone_linear *linear;
    const pp_cone_figure *figure; /* measure of Coulomb's law */
    const perp_call *call;
    const double *from; /* m: scaled impulses that nearly hold the bodies; NULL: none */
    const bool *away;   /* nnode: bodies that may move; NULL: none */
    const double *push; /* m: scaled impulses of the blocks that touch these bodies, 0 elsewhere; NULL: none */
    bool fully;         /* make late steps too, where Newton might be enough */
    double tol;         /* largest strictest figure that counts as solved */
    bool moving;        /* out: bodies move (not merely undecided) */
    int steps;          /* out: interior-point steps */
    int cg_steps;       /* out: conjugate gradient iterations */
    int iterations;     /* in and out: for the watch */
    double measure;     /* figure of `best`; INFINITY: none */
    double *best;       /* m: scaled impulses, including those of `push` */
    double *speed;      /* out, nnode: speed of each body at the end, of those in `away` as if at rest; may be NULL */
    double *out;        /* m: for the watch, may be NULL */
} pp_cone_rest;

/* PERP_OUTCOME_SOLVED: best is within tol. PERP_OUTCOME_LIMIT: the bodies move, or the method cannot decide: problems
 * in local form, with compliance, with rows that drive. */
perp_outcome pp_cone_rest_run(pp_cone_rest *k);

/* Marks the bodies (nnode) that cannot be at rest: they touch nothing, or have contacts that close by themselves,
 * because driven bodies push, surfaces move, or bodies penetrate. Returns their number. */
int pp_cone_rest_impossible(const pp_cone *c, double tol, bool *node);

#endif

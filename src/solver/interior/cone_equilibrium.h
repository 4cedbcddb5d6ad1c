/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_equilibrium.h - impulses that hold all bodies at rest, if there are any; what auto asks before it solves for motion. */
#ifndef PP_CONE_EQUILIBRIUM_H
#define PP_CONE_EQUILIBRIUM_H

#include "solver/interior/cone_interior.h"

typedef struct pp_cone_rest {
    const pp_cone *c;
    pp_cone_linear *linear;
    const pp_cone_figure *figure; /* Coulomb's law is judged by this */
    const perp_call *call;
    const double *from; /* m: scaled impulses that nearly hold; NULL: none */
    const bool *away;   /* nnode: bodies that may move; NULL: none */
    const double *push; /* m: scaled impulses of the blocks that touch those, 0 elsewhere; NULL: none */
    bool fully;         /* late steps are made, too, where Newton might do */
    double tol;         /* strictest figure that counts as solved */
    bool moving;        /* out: bodies move; not only could it not be told */
    int steps;          /* out: of the interior points */
    int cg_steps;       /* out: of conjugate gradients */
    int iterations;     /* in and out: for the watch */
    double measure;     /* figure of `best`; INFINITY: none */
    double *best;       /* m: scaled impulses, those of `push` among them */
    double *speed; /* out, nnode: how fast each body moves where it ended, those away as if they did not; may be NULL */
    double *out;   /* m: for the watch, may be NULL */
} pp_cone_rest;

/* PERP_OUTCOME_SOLVED: best is within tol. PERP_OUTCOME_LIMIT: the bodies move, or it cannot be told by this method:
 * problems in local form, with compliance, with rows that drive. */
perp_outcome pp_cone_rest_run(pp_cone_rest *k);

/* Bodies that cannot stand still: that touch nothing, or at contacts that close by themselves, where driven bodies push,
 * surfaces run, or bodies overlap. Sets `node` (nnode) of these, false of others; returns how many they are. */
int pp_cone_rest_cannot(const pp_cone *c, double tol, bool *node);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_part.h - the friction problem of some of the bodies, with all others standing still. */
#ifndef PP_CONE_PART_H
#define PP_CONE_PART_H

#include "solver/cone/cone.h"

typedef struct pp_cone_part {
    perp_problem p;  /* in the call's memory */
    int nblock;      /* blocks of rows of the part */
    const int *from; /* nblock: their indices in the whole problem */
} pp_cone_part;

/* in: by node of c (which must be in body form), whether it belongs to the part. Rows that touch such a node are
 * included. Returns false if out of memory. */
bool pp_cone_part_make(pp_cone_part *k, const pp_cone *c, const bool *in, const perp_call *call);

/* Writes impulses r of the part as scaled impulses of the whole; x of other rows is not changed. */
void pp_cone_part_put(const pp_cone_part *k, const pp_cone *c, const double *r, double *x);

#endif

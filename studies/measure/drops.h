/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* drops.h - impacts of a square that is dropped in the plane, and what they say of it by balance of momentum.
 * Layout of the files: studies/real-drops/data/README.md. */
#ifndef STUDY_DROPS_H
#define STUDY_DROPS_H

#include "robust.h"
#include "table.h"

typedef struct drop_impact {
    int drop, single; /* index of the drop; 1: one corner only */
    bool check;       /* of a drop that is kept for the predictive check */
    double x, z, theta;
    double v[2][3]; /* vx, vz, omega; before and after */
} drop_impact;

typedef struct drop_set {
    drop_impact *impact; /* in the order of the drops */
    int impacts, drops;
} drop_set;

/* The rounded square: a core with discs at its corners; core + radius is half a side. */
typedef struct square {
    double core, radius; /* [m] */
    double k;            /* moment of inertia over mass [m^2] */
    double offset;       /* to be added to the angles of impacts.csv [rad] */
    double mu, restitution;
} square;

square square_default(void);

/* Reads impacts.csv of a folder. check: a CSV file whose first column names the drops that are kept for the check; NULL: none. On
 * failure why holds one sentence. Free the set with drop_set_free(). */
bool drop_set_read(const char *folder, const char *check, drop_set *out, char *why, size_t why_size);
void drop_set_free(drop_set *s);

/* From the middle of the square to the touching point: r[0] along x, r[1] along z [m]. */
void square_lever(const square *q, double theta, double *r);

enum { DROP_K, DROP_CORE, DROP_OFFSET, DROP_UNKNOWNS };

/* Fits inertia over mass, core and offset to the single impacts that are not kept (all: to all of them). */
bool drop_fit_body(const drop_set *s, bool all, square *q, robust_fit *fit);

typedef struct drop_figures {
    int drop;
    bool check;
    double mu;          /* |P_x|/P_z */
    double restitution; /* -u_z+/u_z- */
    double slip[2];     /* of the touching point, before and after [m/s] */
} drop_figures;

/* Figures of the single impacts; out has room for s->impacts. Returns their number. */
int drop_measure(const drop_set *s, const square *q, drop_figures *out);

#endif

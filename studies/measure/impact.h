/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact.h - what single-corner impacts say of a cube, by balance of momentum. No simulation is involved. */
#ifndef STUDY_IMPACT_H
#define STUDY_IMPACT_H

#include "robust.h"
#include "tosses.h"

/* One impact at the corner that touches. */
typedef struct impact_figures {
    int toss;
    double mu;          /* |P_t|/P_n */
    double restitution; /* -u_n+/u_n- */
    double approach;    /* -u_n- [m/s] */
    double keeps;       /* cosine of the angle between slip before and after: > 0 where slip keeps its sense */
    double mu_sd, restitution_sd; /* from the noise of the velocities */
} impact_figures;

enum { IMPACT_COM, IMPACT_KX, IMPACT_KY, IMPACT_KZ, IMPACT_RADIUS, IMPACT_UNKNOWNS };

/* Fits centre of mass, inertia over mass and radius to the balance of angular momentum at the single-corner impacts of the
 * tosses with use[toss] (NULL: all). c gives the core and the start. On success c has the fitted values.
 * fix_radius: c->radius is kept; its standard error is 0. */
bool impact_fit_body(const toss_set *s, const bool *use, bool fix_radius, cube *c, robust_fit *fit);

/* Figures of the single-corner impacts; out has room for s->impacts. Returns their number. */
int impact_measure(const toss_set *s, const cube *c, impact_figures *out);

#endif

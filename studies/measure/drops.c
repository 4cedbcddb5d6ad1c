/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* drops.c - balance of momentum at impacts of one corner of a square
 *   k d(omega) = r_x dv_z - r_z dv_x,     r: from the middle to the touching point, k = I/m
 * Method   the residual is the distance from the velocity changes to the nearest ones that an impulse through the corner can make, in
 *          the metric of kinetic energy, |dv|^2 + k d(omega)^2 (all three have noise). core + radius stays half a side, 30 mm: the law
 *          is the same for a body twice as large, so that one length must be known.
 * Valid    one corner touches, for a time in which the pose does not change and gravity does nothing.
 * Source   README of the data. */
#include "drops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_SIDE 0.030 /* [m], as published */
#define HUBER     1.5   /* scales; impacts with larger misfits weigh less */

enum { PATH_CHARS = 1024 };

square square_default(void) {
    square q = {.core = 0.025, .radius = HALF_SIDE - 0.025, .k = 4.5e-4};
    return q;
}

void drop_set_free(drop_set *s) {
    free(s->impact);
    *s = (drop_set){0};
}

bool drop_set_read(const char *folder, const char *check, drop_set *out, char *why, size_t why_size) {
    static const char *const name[10] = {"single", "x", "z", "theta", "vx0", "vz0", "omega0", "vx1", "vz1", "omega1"};
    char path[PATH_CHARS], reason[160];
    int column[10];
    table t, kept = {0};
    *out = (drop_set){0};
    snprintf(path, sizeof path, "%s/impacts.csv", folder);
    if (check && !table_read(check, &kept, why, why_size)) return false;
    if (!table_read(path, &t, why, why_size)) return table_free(&kept), false;
    bool ok = table_columns(&t, name, 10, column, reason, sizeof reason);
    if (!ok) snprintf(why, why_size, "%s: %s", path, reason);
    out->impact = ok ? calloc((size_t)t.rows + 1, sizeof *out->impact) : NULL;
    for (int i = 0; out->impact && i < t.rows; i++) {
        drop_impact *p = &out->impact[out->impacts++];
        if (i == 0 || strcmp(t.key[i], t.key[i - 1]) != 0) out->drops++;
        p->drop = out->drops - 1;
        for (int k = 0; k < kept.rows; k++) p->check = p->check || !strcmp(kept.key[k], t.key[i]);
        p->single = table_at(&t, i, column[0]) == 1;
        p->x = table_at(&t, i, column[1]);
        p->z = table_at(&t, i, column[2]);
        p->theta = table_at(&t, i, column[3]);
        for (int k = 0; k < 6; k++) p->v[k / 3][k % 3] = table_at(&t, i, column[4 + k]);
    }
    if (ok && !out->impact) snprintf(why, why_size, "%s: there is not enough memory", path);
    table_free(&t);
    table_free(&kept);
    return out->impact;
}

void square_lever(const square *q, double theta, double *r) {
    double c = cos(theta + q->offset), s = sin(theta + q->offset), lowest = INFINITY;
    for (int i = 0; i < 4; i++) {
        double a = i % 2 ? q->core : -q->core, b = i / 2 ? q->core : -q->core, z = s * a + c * b;
        if (z >= lowest) continue;
        lowest = z;
        r[0] = c * a - s * b;
    }
    r[1] = lowest - q->radius;
}

typedef struct body_problem {
    const drop_set *set;
    const int *impact;
} body_problem;

static int body_residuals(const void *ctx, int group, const double *theta, double *r) {
    const body_problem *p = ctx;
    const drop_impact *i = &p->set->impact[p->impact[group]];
    square q = {.core = theta[DROP_CORE], .radius = HALF_SIDE - theta[DROP_CORE], .offset = theta[DROP_OFFSET]};
    double arm[2], d[3];
    square_lever(&q, i->theta, arm);
    for (int k = 0; k < 3; k++) d[k] = i->v[1][k] - i->v[0][k];
    double k = theta[DROP_K], misfit = k * d[2] - (arm[0] * d[1] - arm[1] * d[0]);
    r[0] = misfit / sqrt(k + arm[0] * arm[0] + arm[1] * arm[1]);
    return 1;
}

static int body_cluster(const void *ctx, int group) {
    const body_problem *p = ctx;
    return p->set->impact[p->impact[group]].drop;
}

bool drop_fit_body(const drop_set *s, bool all, square *q, robust_fit *fit) {
    static const double step[DROP_UNKNOWNS] = {1e-8, 1e-6, 1e-5}; /* [m^2], [m], [rad] */
    int *which = malloc(sizeof *which * (size_t)(s->impacts + 1)), n = 0;
    if (!which) return false;
    for (int i = 0; i < s->impacts; i++)
        if (s->impact[i].single && (all || !s->impact[i].check)) which[n++] = i;
    body_problem body = {s, which};
    robust_problem p = {n, DROP_UNKNOWNS, s->drops, body_residuals, body_cluster, &body, step, HUBER};
    *fit = (robust_fit){.theta = {q->k, q->core, q->offset}};
    bool ok = n > DROP_UNKNOWNS && robust_solve(&p, fit);
    free(which);
    if (!ok) return false;
    q->k = fit->theta[DROP_K];
    q->core = fit->theta[DROP_CORE];
    q->radius = HALF_SIDE - q->core;
    q->offset = fit->theta[DROP_OFFSET];
    return true;
}

int drop_measure(const drop_set *s, const square *q, drop_figures *out) {
    int n = 0;
    for (int i = 0; i < s->impacts; i++) {
        const drop_impact *p = &s->impact[i];
        if (!p->single) continue;
        double arm[2], u[2][2];
        square_lever(q, p->theta, arm);
        for (int k = 0; k < 2; k++) {
            u[k][0] = p->v[k][0] - p->v[k][2] * arm[1];
            u[k][1] = p->v[k][1] + p->v[k][2] * arm[0];
        }
        out[n++] = (drop_figures){p->drop,
                                  p->check,
                                  fabs((p->v[1][0] - p->v[0][0]) / (p->v[1][1] - p->v[0][1])),
                                  -u[1][1] / u[0][1],
                                  {u[0][0], u[1][0]}};
    }
    return n;
}

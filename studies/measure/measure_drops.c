/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure_drops.c - what impacts of a dropped square say of it without a rollout: inertia, core, restitution, friction, each with
 * its standard error and the spread between impacts; and a check, by one step of perp, on drops that were not used.
 *
 *     measure-drops FOLDER [--check FILE] [--reference FILE] [--scene FILE] [--csv]
 *
 * Exit code 0; 1 if a quantity is further than two combined standard errors from its reference; 2 if something cannot
 * be read or is not identified by the data. */
#include "drops.h"
#include "options.h"
#include "predict.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

#define ANGLE_ADDED 0.0334 /* [rad], offset of angles that impacts.csv has already */
#define MU_STEP     0.01   /* friction for which velocities are best predicted is sought in these steps */
#define MU_MOST     0.3

/* Mean over the figures that `take` wants. */
static cluster_mean mean_of(const drop_figures *f, int n, bool (*take)(const drop_figures *), bool friction, double *x,
                            int *cluster) {
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (!take(&f[i])) continue;
        x[m] = friction ? f[i].mu : f[i].restitution;
        cluster[m++] = f[i].drop;
    }
    return robust_mean(x, cluster, m);
}

static bool any(const drop_figures *f) { return f->drop >= 0; }
static bool slides_on(const drop_figures *f) { return f->slip[0] * f->slip[1] > 0; }
static bool not_kept(const drop_figures *f) { return !f->check; }

/* Error of the velocity after an impact: sqrt(|dv|^2 + k d(omega)^2) [m/s]. */
static bool predict_drop(const char *scene, const square *q, const drop_impact *i, double *error) {
    predict_values v = {.count = 0};
    perp_vec3 v_W, w_W;
    perp_refusal why;
    double arm[2];
    square_lever(q, i->theta, arm);
    const char *const name[] = {"mu", "restitution", "k",     "core", "radius", "rest", "g",
                                "x",  "z",           "theta", "vx",   "vz",     "omega"};
    const double value[] = {
        q->mu, q->restitution,       q->k,       q->core,    q->radius, i->z + arm[1] + q->core + q->radius, 0, i->x,
        i->z,  i->theta + q->offset, i->v[0][0], i->v[0][1], i->v[0][2]};
    for (size_t j = 0; j < sizeof value / sizeof *value; j++) predict_set(&v, name[j], value[j]);
    if (predict_step(scene, "square", &v, &v_W, &w_W, &why)) return options_refuse(why.text), false;
    double dx = v_W.x - i->v[1][0], dz = v_W.y - i->v[1][1], dw = w_W.z - i->v[1][2];
    *error = sqrt(dx * dx + dz * dz + q->k * dw * dw);
    return true;
}

/* Errors of all single impacts of drops that are kept for the check, or of those that are not. Returns their number, -1 on failure. */
static int predict(const drop_set *s, const char *scene, const square *q, bool check, double *error, int *cluster) {
    int n = 0;
    for (int i = 0; i < s->impacts; i++) {
        if (!s->impact[i].single || s->impact[i].check != check) continue;
        if (!predict_drop(scene, q, &s->impact[i], &error[n])) return -1;
        cluster[n++] = s->impact[i].drop;
    }
    return n;
}

/* Friction that predicts the impacts not kept best, then how well it predicts those that are. */
static bool check(const drop_set *s, const char *scene, drop_figures *f, double *x, int *cluster, double sliding) {
    square q = square_default();
    robust_fit fit;
    if (!drop_fit_body(s, false, &q, &fit))
        return options_refuse("too few impacts to fit without those kept for the check"), false;
    int n = drop_measure(s, &q, f);
    q.restitution = mean_of(f, n, not_kept, false, x, cluster).mean;
    double best = INFINITY, best_mu = 0;
    for (int k = 0; k * MU_STEP <= MU_MOST; k++) {
        q.mu = k * MU_STEP;
        int m = predict(s, scene, &q, false, x, cluster);
        if (m < 0) return false;
        double mean = robust_mean(x, cluster, m).mean;
        if (mean < best) best = mean, best_mu = q.mu;
    }
    q.mu = best_mu;
    int m = predict(s, scene, &q, true, x, cluster);
    if (m < 0) return false;
    printf("\nVelocity after impacts, one step of perp with Newton's restitution %.3f: sqrt(|dv|^2 + k d(omega)^2)\n",
           q.restitution);
    printf("  friction that predicts best  %.2f, mean error %.4f m/s over the drops used for it\n", best_mu, best);
    if (m > 1) {
        cluster_mean c = robust_mean(x, cluster, m);
        printf("  drops kept for the check     %.4f +- %.4f m/s, median %.4f, %d impacts\n", c.mean, c.se,
               robust_median(x, m), m);
    }
    if (fabs(best_mu - sliding) > 2 * MU_STEP)
        printf("Friction that predicts velocities best, %.2f, is not that of impacts that slide on, %.3f: a rigid "
               "contact cannot reverse its slip.\n",
               best_mu, sliding);
    return true;
}

static int measure(const drop_set *s, const table *reference, const options *o, drop_figures *f, double *x,
                   int *cluster) {
    report r = {.rows = 0};
    square q = square_default();
    robust_fit fit;
    if (!drop_fit_body(s, true, &q, &fit))
        return options_refuse("too few impacts: the body is not identified by these data");
    int n = drop_measure(s, &q, f), turned = 0;
    report_add(&r, (report_row){"k", "1e-4 m^2", "impacts", 1e4 * q.k, 1e4 * fit.se[DROP_K], NAN, n});
    report_add(&r, (report_row){"core", "mm", "impacts", 1e3 * q.core, 1e3 * fit.se[DROP_CORE], NAN, n});
    report_add(&r, (report_row){"theta_offset", "mrad", "impacts", 1e3 * (ANGLE_ADDED + q.offset),
                                1e3 * fit.se[DROP_OFFSET], NAN, n});
    report_add_mean(&r, "restitution", "", "impacts", mean_of(f, n, any, false, x, cluster), 1);
    cluster_mean mu = mean_of(f, n, slides_on, true, x, cluster);
    report_add_mean(&r, "mu_impact", "", "impacts that slide on", mu, 1);
    int off = report_print(&r, reference, o->csv, stdout);
    if (o->csv) return off > 0;
    for (int i = 0; i < n; i++) turned += !slides_on(&f[i]);
    printf("\nk and core have a correlation of %.3f. Slip is reversed in %d of %d impacts.\n",
           fit.correlation[DROP_K][DROP_CORE], turned, n);
    if (o->scene && !check(s, o->scene, f, x, cluster, mu.mean)) return 2;
    return off > 0;
}

int main(int argc, char **argv) {
    options o;
    char why[1400];
    drop_set s;
    table reference = {0};
    if (!options_read(argc, argv, &o)) return options_usage("measure-drops");
    if (!drop_set_read(o.folder, o.check, &s, why, sizeof why)) return options_refuse(why);
    if (o.reference && !table_read(o.reference, &reference, why, sizeof why))
        return drop_set_free(&s), options_refuse(why);
    size_t room = (size_t)s.impacts + 1;
    drop_figures *f = malloc(sizeof *f * room);
    double *x = malloc(sizeof *x * room);
    int *cluster = malloc(sizeof *cluster * room);
    if (!o.csv) printf("%d drops with impacts, %d impacts\n\n", s.drops, s.impacts);
    int code =
        f && x && cluster ? measure(&s, &reference, &o, f, x, cluster) : options_refuse("there is not enough memory");
    free(f);
    free(x);
    free(cluster);
    table_free(&reference);
    drop_set_free(&s);
    return code;
}

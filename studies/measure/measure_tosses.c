/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure_tosses.c - what tosses of a cube say of it without a rollout: gravity, centre of mass, inertia, corner radius,
 * restitution, friction of impacts and of sliding, each with its standard error and the spread between observations;
 * a posterior by sampling; and a check on tosses that were not used.
 *
 *     measure-tosses FOLDER [--check FILE] [--reference FILE] [--scene FILE] [--csv]
 *
 * Exit code 0; 1 if a quantity is further than two combined standard errors from its reference; 2 if something cannot
 * be read or is not identified by the data. */
#include "flight.h"
#include "impact.h"
#include "options.h"
#include "predict.h"
#include "report.h"
#include "scatter.h"
#include "slide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOW      0.6 /* [m/s]; slower approaches have a higher restitution, and are reported apart */
#define DISAGREES 2.0 /* combined standard errors from which two values are said to disagree: by chance in 5 % */

typedef struct column { /* values of impacts or slides with their noise and cluster */
    double *x, *sd;
    int *toss;
    int n;
} column;

static bool column_make(column *c, int room) {
    size_t n = (size_t)room + 1;
    *c = (column){malloc(sizeof(double) * n), malloc(sizeof(double) * n), malloc(sizeof(int) * n), 0};
    return c->x && c->sd && c->toss;
}

static void column_free(column *c) {
    free(c->x);
    free(c->sd);
    free(c->toss);
}

static void column_add(column *c, double x, double sd, int cluster) {
    c->x[c->n] = x;
    c->sd[c->n] = sd;
    c->toss[c->n++] = cluster;
}

static cluster_mean column_mean(const column *c) { return robust_mean(c->x, c->toss, c->n); }

/* Friction (what = 'm'), restitution of fast ('e') or slow ('s') approaches, of the tosses with use[toss] (NULL: all). */
static void choose(column *c, const impact_figures *f, int n, char what, const bool *use) {
    c->n = 0;
    for (int i = 0; i < n; i++) {
        if (use && !use[f[i].toss]) continue;
        bool fast = f[i].approach >= SLOW;
        if (what == 'm' && f[i].keeps > 0) column_add(c, f[i].mu, f[i].mu_sd, f[i].toss);
        if ((what == 'e' && fast) || (what == 's' && !fast))
            column_add(c, f[i].restitution, f[i].restitution_sd, f[i].toss);
    }
}

/* Free flight and the balance of impacts. */
static bool measure_body(const toss_set *s, cube *c, report *r, robust_fit *body, robust_fit *path) {
    robust_fit spin;
    int flights;
    if (!flight_fit_path(s, c, path, &flights)) return false;
    report_add(r, (report_row){"g", "m/s^2", "flight", path->theta[FLIGHT_G], path->se[FLIGHT_G], NAN, flights});
    report_add(
        r, (report_row){"g_left", "m/s^2", "flight", path->theta[FLIGHT_LEFT], path->se[FLIGHT_LEFT], NAN, flights});
    report_add(
        r, (report_row){"g_back", "m/s^2", "flight", path->theta[FLIGHT_BACK], path->se[FLIGHT_BACK], NAN, flights});
    report_add(r, (report_row){"com_z_flight", "mm", "flight", 1e3 * path->theta[FLIGHT_COM],
                               1e3 * path->se[FLIGHT_COM], NAN, flights});
    c->g = path->theta[FLIGHT_G];
    if (flight_fit_spin(s, c, &spin, &flights)) {
        report_add(r, (report_row){"kxx/kzz", "", "flight", spin.theta[SPIN_X], spin.se[SPIN_X], NAN, flights});
        report_add(r, (report_row){"kyy/kzz", "", "flight", spin.theta[SPIN_Y], spin.se[SPIN_Y], NAN, flights});
    }
    if (!impact_fit_body(s, NULL, false, c, body)) return false;
    int n = 0;
    for (int i = 0; i < s->impacts; i++) n += s->impact[i].corners == 1;
    report_add(r, (report_row){"com_z", "mm", "impacts", 1e3 * c->com_z, 1e3 * body->se[IMPACT_COM], NAN, n});
    static const char *const name[3] = {"kxx", "kyy", "kzz"};
    for (int j = 0; j < 3; j++)
        report_add(r,
                   (report_row){name[j], "1e-3 m^2", "impacts", 1e3 * c->k[j], 1e3 * body->se[IMPACT_KX + j], NAN, n});
    report_add(r, (report_row){"radius", "mm", "impacts", 1e3 * c->radius, 1e3 * body->se[IMPACT_RADIUS], NAN, n});
    return true;
}

typedef struct coefficients {
    cluster_mean mu, fast, slow, sliding;
} coefficients;

static void measure_sliding(const toss_set *s, const cube *c, column *work, slide_figures *slide, int room, report *r,
                            coefficients *k) {
    int n = slide_measure(s, c, slide, room);
    if (n > room) n = room;
    work->n = 0;
    for (int i = 0; i < n; i++) column_add(work, slide[i].mu, 0, slide[i].toss);
    k->sliding = column_mean(work);
    report_add_mean(r, "mu_sliding", "", "flat sliding", k->sliding, 1);
    double *slow = work->sd; /* no noise is needed here */
    int m = 0;
    for (int i = 0; i < n; i++) slow[m++] = slide[i].speed;
    double split = robust_median(slow, m);
    for (int half = 0; half < 2; half++) { /* how friction depends on speed */
        work->n = 0;
        for (int i = 0; i < n; i++)
            if ((slide[i].speed >= split) == (half == 1)) column_add(work, slide[i].mu, 0, slide[i].toss);
        report_add_mean(r, half ? "mu_sliding_fast" : "mu_sliding_slow", "", half ? "faster half" : "slower half",
                        column_mean(work), 1);
    }
}

/* What the numbers say together. */
static void sentences(const cube *c, const robust_fit *body, const robust_fit *path, const coefficients *k) {
    double d = report_distance(k->mu.mean, k->mu.se, k->sliding.mean, k->sliding.se);
    if (d > DISAGREES)
        printf("One coefficient of friction does not fit both impact and sliding: impacts say %.4f +- %.4f, flat "
               "sliding %.4f +- %.4f, "
               "%.0f combined standard errors apart.\n",
               k->mu.mean, k->mu.se, k->sliding.mean, k->sliding.se, d);
    d = report_distance(k->fast.mean, k->fast.se, k->slow.mean, k->slow.se);
    if (d > DISAGREES)
        printf("One coefficient of restitution does not fit slow and fast impacts: %.3f +- %.3f below %.1f m/s, %.3f "
               "+- %.3f above.\n",
               k->slow.mean, k->slow.se, SLOW, k->fast.mean, k->fast.se);
    d = report_distance(c->com_z, body->se[IMPACT_COM], path->theta[FLIGHT_COM], path->se[FLIGHT_COM]);
    if (d > DISAGREES)
        printf("The centre of mass lies at %.2f +- %.2f mm by impacts and at %.2f +- %.2f mm by free flight, %.1f "
               "combined standard errors apart: "
               "one of the two has an error that is not in its standard error.\n",
               1e3 * c->com_z, 1e3 * body->se[IMPACT_COM], 1e3 * path->theta[FLIGHT_COM], 1e3 * path->se[FLIGHT_COM],
               d);
    printf("Spread is the standard deviation of single observations, not the error of their mean.\n");
}

/* Posterior of mean and spread, from the tosses with use[toss]; how many of the others lie where it says. */
static void posterior(const char *name, const impact_figures *f, int n, char what, const bool *use, column *fit,
                      column *rest) {
    bool *others = n < 1 ? NULL : malloc(sizeof *others * (size_t)(f[n - 1].toss + 1));
    scatter_figures p;
    if (!others) return;
    for (int i = 0; i <= f[n - 1].toss; i++) others[i] = !use[i];
    choose(fit, f, n, what, use);
    choose(rest, f, n, what, others);
    free(others);
    if (!scatter_sample(fit->x, fit->sd, fit->n, 1, &p)) return;
    int inside = 0;
    for (int i = 0; i < rest->n; i++) inside += rest->x[i] > p.next_95[0] && rest->x[i] < p.next_95[1];
    printf("  %-12s mean %.4f +- %.4f (95 %%: %.4f to %.4f), spread %.4f (%.4f to %.4f); a new impact: %.3f to %.3f",
           name, p.mean, p.mean_sd, p.mean_95[0], p.mean_95[1], p.spread, p.spread_95[0], p.spread_95[1], p.next_95[0],
           p.next_95[1]);
    if (rest->n > 0) printf("; %d of %d impacts that were not used lie there", inside, rest->n);
    printf("\n");
}

/* Simulates the single-corner impacts of the tosses without use[toss]. */
static bool predict(const toss_set *s, const bool *use, const char *scene, const cube *c, const char *what,
                    column *work) {
    perp_refusal why;
    work->n = 0;
    for (int i = 0; i < s->impacts; i++) {
        double error;
        if (s->impact[i].corners != 1 || use[s->impact[i].toss]) continue;
        if (predict_impact(scene, c, &s->impact[i], &error, &why)) return options_refuse(why.text), false;
        column_add(work, error, 0, s->impact[i].toss);
    }
    if (work->n < 1) return true;
    cluster_mean m = column_mean(work);
    printf("  %-40s %.4f +- %.4f m/s, median %.4f, %d impacts\n", what, m.mean, m.se, robust_median(work->x, work->n),
           work->n);
    return true;
}

/* Fits to the tosses that are not kept for the check, and compares with those that are. */
static bool check(const toss_set *s, const options *o, const bool *use, impact_figures *f, column *fit, column *rest) {
    cube c = cube_default();
    robust_fit body;
    if (!impact_fit_body(s, use, false, &c, &body))
        return options_refuse("too few impacts to fit without those kept for the check"), false;
    int n = impact_measure(s, &c, f);
    printf("\nPosterior by sampling, from the tosses that are not kept for the check\n");
    posterior("mu", f, n, 'm', use, fit, rest);
    posterior("restitution", f, n, 'e', use, fit, rest);
    choose(fit, f, n, 'm', use);
    c.mu = column_mean(fit).mean;
    choose(fit, f, n, 'e', use);
    c.restitution = column_mean(fit).mean;
    if (!o->scene) return true;
    printf(
        "\nVelocity after impacts of the tosses kept for the check, one step of perp: sqrt(|dv|^2 + 0.003 |dw|^2)\n");
    if (!predict(s, use, o->scene, &c, "Newton's restitution, Coulomb's friction", fit)) return false;
    c.restitution = 0;
    return predict(s, use, o->scene, &c, "the same without restitution", fit);
}

/* Everything with the data at hand; returns the exit code. */
static int measure(const toss_set *s, const table *reference, const options *o, impact_figures *f, column *a,
                   column *b) {
    report r = {.rows = 0};
    cube c = cube_default();
    robust_fit body, path;
    coefficients k;
    slide_figures slide[1024];
    if (!measure_body(s, &c, &r, &body, &path))
        return options_refuse("too few flights or impacts: the body is not identified by these data");
    int n = impact_measure(s, &c, f);
    choose(a, f, n, 'm', NULL);
    report_add_mean(&r, "mu_impact", "", "impacts, slip keeps its sense", k.mu = column_mean(a), 1);
    choose(a, f, n, 'e', NULL);
    report_add_mean(&r, "restitution", "", "impacts faster than 0.6 m/s", k.fast = column_mean(a), 1);
    choose(a, f, n, 's', NULL);
    report_add_mean(&r, "restitution_slow", "", "slower impacts", k.slow = column_mean(a), 1);
    measure_sliding(s, &c, a, slide, 1024, &r, &k);
    int off = report_print(&r, reference, o->csv, stdout);
    if (o->csv) return off > 0;
    printf("\n");
    sentences(&c, &body, &path, &k);
    bool *use = calloc((size_t)s->tosses + 1, sizeof *use);
    if (!use) return options_refuse("there is not enough memory");
    int kept = 0;
    for (int i = 0; i < s->tosses; i++) kept += !(use[i] = !s->toss[i].check);
    bool ok = kept == 0 || check(s, o, use, f, a, b);
    free(use);
    return ok ? off > 0 : 2;
}

int main(int argc, char **argv) {
    options o;
    char why[1400];
    toss_set s;
    table reference = {0};
    if (!options_read(argc, argv, &o)) return options_usage("measure-tosses");
    if (!toss_set_read(o.folder, o.check, &s, why, sizeof why)) return options_refuse(why);
    if (o.reference && !table_read(o.reference, &reference, why, sizeof why))
        return toss_set_free(&s), options_refuse(why);
    int rows = 0;
    for (int i = 0; i < s.tosses; i++) rows += s.toss[i].rows;
    impact_figures *f = malloc(sizeof *f * (size_t)(s.impacts + 1));
    column a = {0}, b = {0};
    bool ok = f && column_make(&a, rows) && column_make(&b, rows);
    if (!o.csv) printf("%d tosses with %d rows, %d impacts\n\n", s.tosses, rows, s.impacts);
    int code = ok ? measure(&s, &reference, &o, f, &a, &b) : options_refuse("there is not enough memory");
    column_free(&a);
    column_free(&b);
    free(f);
    table_free(&reference);
    toss_set_free(&s);
    return code;
}

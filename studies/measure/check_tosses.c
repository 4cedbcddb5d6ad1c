/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check_tosses.c - predictive check: whole tosses that were not used for a fit, simulated and compared with the data.
 *
 *     check-tosses FOLDER CHECK SCENE [draws=N] [name=value ...] [name~spread ...]
 *
 * name=value sets a parameter of the scene. First every toss that CHECK names is simulated once: mean errors of position and rotation over its rows, then
 * over tosses, with the standard error between tosses. Then each is simulated N times, with the start scattered by its noise and the parameters that have a
 * spread, name~spread, drawn from a normal distribution about their value: how often does the data lie between the extremes of the draws? They should in
 * (N - 1)/(N + 1) of the tosses. Exit code 0, or 2 if something cannot be read or simulated. */
#include "random.h"
#include "robust.h"
#include "rollout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1000, DRAWS_MOST = 200, DRAWS = 19 };

/* Standard deviations of a start that is fitted to 8 rows, from the noise of rows (0.022 mm, 0.44 mrad on each axis): 2/sqrt(8) of it at the end of
 * the fit for the pose, rate/sqrt(8^3/12) of it for velocities. */
#define START_P 1.6e-5 /* [m] */
#define START_R 3.1e-4 /* [rad] */
#define START_V 5e-4   /* [m/s] */
#define START_W 1e-2   /* [rad/s] */

typedef struct setting {
    const char *name;
    double value, spread;
} setting;

typedef struct plan {
    const char *scene;
    setting set[PREDICT_VALUES];
    int sets, draws;
} plan;

static perp_vec3 scatter(perp_vec3 x, double sd, uint64_t *seed) {
    double a = random_normal(seed), b = random_normal(seed), c = random_normal(seed);
    return perp_v3_add(x, perp_v3(sd * a, sd * b, sd * c));
}

/* Simulates a toss; seed NULL: as the data and the plan say, else scattered. */
static bool simulate(const plan *p, const toss *t, uint64_t *seed, perp_pose *out) {
    predict_values v = {.count = 0};
    rollout_start start = {t->X0_WB, t->v0_W, t->w0_B};
    perp_refusal why;
    for (int i = 0; i < p->sets; i++)
        predict_set(&v, p->set[i].name,
                    seed && p->set[i].spread > 0 ? fmax(0, p->set[i].value + p->set[i].spread * random_normal(seed))
                                                 : p->set[i].value);
    if (seed) {
        start.X_WB.p = scatter(start.X_WB.p, START_P, seed);
        start.X_WB.q = perp_q_mul(start.X_WB.q, perp_q_exp(scatter(perp_v3(0, 0, 0), START_R, seed)));
        start.v_W = scatter(start.v_W, START_V, seed);
        start.w_B = scatter(start.w_B, START_W, seed);
    }
    if (!rollout_run(p->scene, &v, &start, t->rows - t->start, out, &why)) return true;
    fprintf(stderr, "error: toss %s: %s\n", t->name, why.text);
    return false;
}

/* Mean errors over the rows of each toss kept for the check. */
static bool once(const plan *p, const toss_set *s, perp_pose *out, double *x) {
    int n = 0, other = 0, *each = malloc(sizeof *each * (size_t)(s->tosses + 1));
    double *rotation = x + s->tosses;
    if (!each) return false;
    for (int i = 0; i < s->tosses; i++) {
        const toss *t = &s->toss[i];
        int rows = t->rows - t->start;
        if (!t->check) continue;
        if (!simulate(p, t, NULL, out)) return free(each), false;
        x[n] = rotation[n] = 0;
        for (int k = 0; k < rows; k++) {
            x[n] += rollout_distance(out[k], t->X_WB[t->start + k]) / rows;
            rotation[n] += rollout_angle(out[k], t->X_WB[t->start + k]) / rows;
        }
        other += rollout_angle(out[rows - 1], t->X_WB[t->rows - 1]) > 0.5;
        each[n] = i;
        n++;
    }
    cluster_mean a = robust_mean(x, each, n), b = robust_mean(rotation, each, n);
    free(each);
    printf("%d tosses: position %.4f +- %.4f m (median %.4f), rotation %.3f +- %.3f rad (median %.3f), %d end in "
           "another pose\n",
           n, a.mean, a.se, robust_median(x, n), b.mean, b.se, robust_median(rotation, n), other);
    return true;
}

/* Draw from which the others are least far, by rotation: the middle of the draws. */
static int medoid(perp_pose *const *out, int draws, int row) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < draws; i++) {
        double sum = 0;
        for (int j = 0; j < draws; j++) sum += rollout_angle(out[i][row], out[j][row]);
        if (sum < least) least = sum, best = i;
    }
    return best;
}

/* Whether the pose lies between the extremes of the draws: along x, along y, and by its angle to the middle of the draws. */
static void inside(perp_pose *const *out, int draws, int row, perp_pose data, int *count) {
    int below[2] = {0}, middle = medoid(out, draws, row);
    double widest = 0;
    for (int i = 0; i < draws; i++) {
        below[0] += out[i][row].p.x < data.p.x;
        below[1] += out[i][row].p.y < data.p.y;
        widest = fmax(widest, rollout_angle(out[middle][row], out[i][row]));
    }
    for (int k = 0; k < 2; k++) count[k] += below[k] > 0 && below[k] < draws;
    count[2] += rollout_angle(out[middle][row], data) <= widest;
}

static bool repeated(const plan *p, const toss_set *s, perp_pose *const *out) {
    static const int after[3] = {20, 40, ROWS_MOST}; /* rows after first contact; the last is the end */
    int count[3][3] = {{0}}, n = 0;
    for (int i = 0; i < s->tosses; i++) {
        const toss *t = &s->toss[i];
        if (!t->check) continue;
        for (int k = 0; k < p->draws; k++) {
            uint64_t seed = ((uint64_t)(i + 1) << 32) + (uint64_t)k; /* of its own, whatever the other tosses draw */
            if (!simulate(p, t, &seed, out[k])) return false;
        }
        for (int k = 0; k < 3; k++) {
            int row = t->contact - t->start + after[k], last = t->rows - t->start - 1;
            if (row > last) row = last;
            inside(out, p->draws, row, t->X_WB[t->start + row], count[k]);
        }
        n++;
    }
    printf("%d draws, between their extremes lie (expected %.1f of %d):\n", p->draws,
           n * (p->draws - 1.0) / (p->draws + 1.0), n);
    for (int k = 0; k < 3; k++)
        printf("  %-32s x %3d, y %3d, rotation %3d\n",
               k == 0   ? "20 rows after the first contact"
               : k == 1 ? "40 rows after it"
                        : "in the last row",
               count[k][0], count[k][1], count[k][2]);
    return true;
}

/* name=value or name~spread. */
static bool read_setting(plan *p, char *text) {
    char *sign = text + strcspn(text, "=~"), *end;
    if (!*sign || sign == text) return false;
    bool spread = *sign == '~';
    double x = strtod(sign + 1, &end);
    if (end == sign + 1 || *end || !isfinite(x)) return false;
    *sign = '\0';
    if (!strcmp(text, "draws")) return p->draws = (int)x, !spread && x >= 2 && x <= DRAWS_MOST;
    int i = 0;
    while (i < p->sets && strcmp(p->set[i].name, text) != 0) i++;
    if (i == p->sets && (spread || p->sets == PREDICT_VALUES - 14))
        return false; /* a spread follows its value; 14 are the start's */
    if (i == p->sets)
        p->set[p->sets++] = (setting){text, x, 0};
    else if (spread)
        p->set[i].spread = x;
    else
        p->set[i].value = x;
    return true;
}

int main(int argc, char **argv) {
    char why[1400];
    toss_set s;
    plan p = {.draws = DRAWS};
    bool ok = argc > 3;
    for (int i = 4; ok && i < argc; i++) ok = read_setting(&p, argv[i]);
    if (!ok)
        return fprintf(stderr, "usage: check-tosses FOLDER CHECK SCENE [draws=N] [name=value ...] [name~spread ...]\n"),
               2;
    p.scene = argv[3];
    if (!toss_set_read(argv[1], argv[2], &s, why, sizeof why)) return fprintf(stderr, "error: %s\n", why), 2;
    for (int i = 0; ok && i < s.tosses; i++) ok = s.toss[i].rows <= ROWS_MOST;
    perp_pose *poses = malloc(sizeof *poses * ROWS_MOST * (size_t)p.draws), *out[DRAWS_MOST];
    double *x = malloc(sizeof *x * 2 * (size_t)(s.tosses + 1));
    for (int k = 0; poses && k < p.draws; k++) out[k] = poses + (size_t)k * ROWS_MOST;
    ok = ok && poses && x && once(&p, &s, out[0], x) && repeated(&p, &s, out);
    free(poses);
    free(x);
    toss_set_free(&s);
    return ok ? 0 : 2;
}

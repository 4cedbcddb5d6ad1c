/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* directions.c - the cone against pyramids: time of a step of a block on three feet that slides and spins on a plane, over
 * the number of friction directions (Berard, Fig. 5.12)
 *
 *     directions [STEPS] [REPETITIONS] [DIRECTIONS]
 *
 * One line of CSV per form: the best of the repetitions, which take turns so that a disturbance meets all of them. Times
 * are those of the processor, which other work on the machine hardly changes. Forms: the cone; lcp, joints eliminated;
 * mlcp, joints kept, of which a block has none. Then for each kind of pyramid the first number of directions that costs more
 * than the cone. With DIRECTIONS only those pyramids, 0 being the cone: to count instructions (valgrind --tool=callgrind
 * directions 1000 1 8), which a loaded machine does not change. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "perp/perp.h"
#include "seconds.h"

static const int directions[] = {4, 6, 8, 12, 16, 24, 32, 48, 64};
enum { COUNTS = sizeof directions / sizeof *directions, KINDS = 1 + 2 * COUNTS };

typedef struct kind {
    perp_form form;
    int nd; /* 0: the cone */
    const char *name;
} kind;

static kind kind_at(int k) { /* the cone, then all of lcp, then all of mlcp */
    if (k == 0) return (kind){PERP_FORM_CONE, 0, "cone"};
    bool mixed = k > COUNTS;
    return (kind){mixed ? PERP_FORM_MLCP : PERP_FORM_LCP, directions[(k - 1) % COUNTS], mixed ? "mlcp" : "lcp"};
}

static perp_world *block(kind which) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 1e-4;
    d.form = which.form;
    if (which.nd) d.friction_directions = which.nd;
    d.friction_frame = PERP_FRICTION_FIXED;
    perp_world *w;
    if (perp_world_create(&d, &w)) return NULL;
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE), b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def plane = perp_shape_halfspace(perp_v3(0, 0, 1), 0), foot = perp_shape_sphere(0.01);
    b.I_B = (perp_mat3){{{4e-3, 0, 0}, {0, 4e-3, 0}, {0, 0, 7e-3}}};
    b.X_WB.p = perp_v3(0, 0, 0.05);
    b.v_W = perp_v3(9, 3, 0);
    b.w_W = perp_v3(0, 0, 20);
    perp_body_id id;
    perp_status st = perp_pair_set_all(w, (perp_pair_law){.mu = 0.3});
    if (!st) st = perp_body_add(w, &floor, &id);
    if (!st) st = perp_shape_add(w, id, &plane, NULL);
    if (!st) st = perp_body_add(w, &b, &id);
    for (int k = 0; !st && k < 3; k++) {
        double a = 2.0943951023931953 * k;
        foot.X_BS.p = perp_v3(0.1 * cos(a), 0.1 * sin(a), -0.04);
        st = perp_shape_add(w, id, &foot, NULL);
    }
    if (!st) return w;
    fprintf(stderr, "directions: %s\n", perp_world_why(w));
    perp_world_destroy(w);
    return NULL;
}

/* Processor seconds of so many steps and the unknowns of a step. */
static bool run(kind k, int steps, double *whole, int *unknowns) {
    perp_world *w = block(k);
    if (!w) return false;
    perp_certificate c = {0};
    double start = processor_seconds();
    bool good = true;
    for (int i = 0; good && i < steps; i++) good = !perp_world_step(w, &c);
    *whole = processor_seconds() - start;
    *unknowns = c.unknowns;
    if (!good) fprintf(stderr, "directions: %s\n", perp_world_why(w));
    perp_world_destroy(w);
    return good;
}

static void print_crossings(const double *best) {
    for (int mixed = 0; mixed < 2; mixed++) {
        int k = 1 + mixed * COUNTS, end = k + COUNTS;
        while (k < end && best[k] <= best[0]) k++;
        if (k < end)
            printf("# %s costs more than the cone from %d directions on\n", kind_at(k).name, kind_at(k).nd);
        else
            printf("# %s costs less than the cone up to %d directions\n", kind_at(end - 1).name, kind_at(end - 1).nd);
    }
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 5000, repetitions = argc > 2 ? atoi(argv[2]) : 5, unknowns[KINDS] = {0};
    double best[KINDS];
    int only = argc > 3 ? atoi(argv[3]) : -1;
    for (int k = 0; k < KINDS; k++) best[k] = INFINITY;
    for (int r = 0; r < repetitions; r++)
        for (int k = 0; k < KINDS; k++) {
            double whole;
            if (only >= 0 && kind_at(k).nd != only) continue;
            if (!run(kind_at(k), steps, &whole, &unknowns[k])) return 1;
            best[k] = fmin(best[k], whole);
        }
    printf("form,directions,unknowns,step_us,over_cone\n");
    for (int k = 0; k < KINDS; k++) {
        kind x = kind_at(k);
        if (only >= 0 && x.nd != only) continue;
        printf("%s,%d,%d,%.2f,%.2f\n", x.name, x.nd, unknowns[k], 1e6 * best[k] / steps, best[k] / best[0]);
    }
    if (only < 0) print_crossings(best);
    return 0;
}

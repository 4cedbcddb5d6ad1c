/* directions.c - the cone against pyramids: time of a step of a block on three feet that slides and spins on a plane, over
 * the number of friction directions (Berard, Fig. 5.12)
 *
 *     directions [STEPS] [REPETITIONS] [DIRECTIONS]
 *
 * One line of CSV per form: the best of the repetitions, which take turns so that a disturbance meets all of them.
 * solver_us is the time of the solver stage alone. With DIRECTIONS only that form, 0 being the cone: to count instructions
 * (valgrind --tool=callgrind directions 1000 1 8), which a loaded machine does not change. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "perp/perp.h"
#include "seconds.h"

static const int directions[] = {0, 4, 8, 16, 32, 64}; /* 0: the cone */
enum { KINDS = sizeof directions / sizeof *directions };

static perp_world *block(int nd) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 1e-4;
    d.form = nd ? PERP_FORM_LCP : PERP_FORM_CONE;
    if (nd) d.friction_directions = nd;
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

/* Seconds of so many steps, of all stages and of the solver, and the unknowns of a step. */
static bool run(int nd, int steps, double *whole, double *solver, int *unknowns) {
    perp_world *w = block(nd);
    if (!w) return false;
    perp_certificate c = {0};
    double start = seconds(), stage[PERP_STAGE_COUNT];
    bool good = true;
    for (int i = 0; good && i < steps; i++) good = !perp_world_step(w, &c);
    *whole = seconds() - start;
    perp_world_timing(w, stage);
    *solver = stage[PERP_STAGE_SOLVER];
    *unknowns = c.unknowns;
    if (!good) fprintf(stderr, "directions: %s\n", perp_world_why(w));
    perp_world_destroy(w);
    return good;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 5000, repetitions = argc > 2 ? atoi(argv[2]) : 5, unknowns[KINDS] = {0};
    double best[KINDS], solver[KINDS];
    int only = argc > 3 ? atoi(argv[3]) : -1;
    for (int k = 0; k < KINDS; k++) best[k] = solver[k] = INFINITY;
    for (int r = 0; r < repetitions; r++)
        for (int k = 0; k < KINDS; k++) {
            double whole, part;
            if (only >= 0 && directions[k] != only) continue;
            if (!run(directions[k], steps, &whole, &part, &unknowns[k])) return 1;
            best[k] = fmin(best[k], whole);
            solver[k] = fmin(solver[k], part);
        }
    printf("form,directions,unknowns,step_us,solver_us,over_cone\n");
    for (int k = 0; k < KINDS; k++)
        if (only < 0 || directions[k] == only)
            printf("%s,%d,%d,%.2f,%.2f,%.2f\n", directions[k] ? "lcp" : "cone", directions[k], unknowns[k],
                   1e6 * best[k] / steps, 1e6 * solver[k] / steps, best[k] / best[0]);
    return 0;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver.c - your own solver, and why a solver's word does not count.
 *
 * Two solvers are registered: "my-own", the extragradient method in thirty lines, and "liar", which returns ones and
 * says that it solved the problem. Both are then chosen by name, on an LCP by hand and in a world where a block slides
 * to rest under friction. Expect: my-own solves the LCP, z = (4/3, 7/3), and its world agrees with lemke's to 1e-8 m;
 * the liar's answers are measured and refused. Alone it gets no step done, and with lemke behind it as a fallback lemke
 * gives every answer: the same bits as lemke alone. The block starts at 1 m/s with mu = 0.5 and stops after v^2/(2 mu
 * g) = 0.1019368 m; the step in which it stops leaves some 1e-8 m. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct settings {
    int max_steps;
    double step, tol;
} settings;

static const perp_field fields[] = {
    {"max_steps", PERP_FIELD_INT, offsetof(settings, max_steps), 20000, 1, 1e9, "steps of the method"},
    {"step", PERP_FIELD_DOUBLE, offsetof(settings, step), 0.1, 1e-3, 1, "length of a step"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-12, 0, 1, "residual at which to stop"},
};

/* Workspace: a slope w and a point ahead. */
static size_t work_size(const perp_problem *p, const void *set) {
    (void)set;
    return 2 * sizeof(double) * (size_t)p->as.lcp.n;
}

/* to = max(0, z - step D w(at)), with D the natural sizes of variable and row, so that step has no unit. */
static void move(const perp_problem *p, double step, const double *z, const double *at, double *w, double *to) {
    const perp_lcp *lcp = &p->as.lcp;
    for (int i = 0; i < lcp->n; i++) {
        w[i] = lcp->q[i];
        for (int j = 0; j < lcp->n; j++) w[i] += lcp->M[i + lcp->n * j] * at[j]; /* column-major */
    }
    for (int i = 0; i < lcp->n; i++) {
        double size = p->z_scale ? p->z_scale[i] / p->w_scale[i] : 1 / lcp->M[i + lcp->n * i];
        to[i] = fmax(0, z[i] - step * size * w[i]);
    }
}

/* Korpelevich's method: look where a step leads, then take the step with the slope found there. Converges for monotone
 * problems. */
static perp_outcome extragradient(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                                  perp_solve_info *info) {
    const settings *s = set;
    double *w = work, *ahead = w + p->as.lcp.n;
    for (info->iterations = 0; info->iterations < s->max_steps; info->iterations++) {
        if (!perp_call_look(call, info->iterations, z)) return PERP_OUTCOME_STOPPED;
        if (info->iterations % 10 == 0 && perp_problem_residual(p, z) <= s->tol) return PERP_OUTCOME_SOLVED;
        move(p, s->step, z, z, w, ahead);
        move(p, s->step, z, ahead, w, z);
    }
    return PERP_OUTCOME_LIMIT;
}

static perp_outcome lie(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                        perp_solve_info *info) {
    (void)set, (void)work, (void)call;
    for (int i = 0; i < p->as.lcp.n; i++) z[i] = 1;
    info->iterations = 1;
    return PERP_OUTCOME_SOLVED; /* so it says */
}

static const perp_solver_type mine = {.abi = PERP_ABI,
                                      .name = "my-own",
                                      .source = "examples/solver.c",
                                      .takes = PERP_LCP,
                                      .fields = fields,
                                      .nfield = 3,
                                      .settings_size = sizeof(settings),
                                      .work_size = work_size,
                                      .solve = extragradient};
static const perp_solver_type liar = {.abi = PERP_ABI,
                                      .name = "liar",
                                      .source = "examples/solver.c",
                                      .takes = PERP_LCP,
                                      .work_size = work_size,
                                      .solve = lie};

/* A block slides to rest; returns how far it went, or -1 if a step could not be solved. */
static double slide(const char *solver, const char *fallback) {
    perp_world_def wd = perp_world_def_default(2);
    wd.solver = solver;
    wd.fallback[0] = fallback;
    wd.no_fallback = !fallback;
    wd.max_halvings = 0;
    char why[256];
    perp_world *w;
    if (perp_world_create_why(&wd, &w, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE), block = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 1, 0), 0), box = perp_shape_box(0.1, 0.05, 0);
    perp_body_id f, b;
    block.X_WB = perp_pose_2d(0, 0.05, 0);
    block.v_W = perp_v3(1, 0, 0);
    bool built = !perp_body_def_mass(&block, &box, 2, 50) && !perp_body_add(w, &floor, &f) &&
                 !perp_body_add(w, &block, &b) && !perp_shape_add(w, f, &ground, NULL) &&
                 !perp_shape_add(w, b, &box, NULL) && !perp_pair_set_all(w, (perp_pair_law){.mu = 0.5});
    if (!built) exit(1);
    perp_certificate c = {0};
    int fallbacks = 0, k = 0;
    double worst = 0;
    perp_pose X = {0};
    perp_status st = PERP_OK;
    for (; k < 300 && !st; k++) {
        st = perp_world_step(w, &c);
        if (st) break;
        fallbacks += c.fallbacks;
        worst = fmax(worst, c.residual);
    }
    perp_body_pose(w, b, &X);
    printf("%-7s then %-6s %3d steps, %3d by the fallback, worst residual %.1e m/s, slid %.9f m\n", solver,
           fallback ? fallback : "-", k, fallbacks, worst, X.p.x);
    if (st) printf("  %s: %s\n", perp_status_name(st), perp_world_why(w));
    perp_world_destroy(w);
    return st ? -1 : X.p.x;
}

int main(void) {
    if (perp_solver_register(&mine) || perp_solver_register(&liar)) return 1;
    double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    const char *name[] = {"lemke", "my-own", "liar"};
    bool good = true;
    for (int i = 0; i < 3; i++) {
        double z[2] = {0};
        perp_solve_info info;
        if (perp_problem_solve(&p, name[i], z, &info)) return 1;
        printf("%-7s says \"%s\" with z = (%.6f, %.6f); measured residual %.1e\n", name[i],
               perp_outcome_text(info.outcome), z[0], z[1], info.residual);
        good = good && (i < 2 ? info.residual < 1e-12 && fabs(z[0] - 4.0 / 3) < 1e-12 : info.residual > 0.9);
    }
    double exact = slide("lemke", NULL), own = slide("my-own", NULL), alone = slide("liar", NULL),
           saved = slide("liar", "lemke");
    good = good && fabs(exact - 0.1019368) < 1e-6 && fabs(own - exact) < 1e-8 && alone < 0 && saved == exact;
    if (!good) printf("not as expected\n");
    return good ? 0 : 1;
}

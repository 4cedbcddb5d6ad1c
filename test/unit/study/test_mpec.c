/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_mpec.c - estimation as an MPEC
 * Witnesses   least squares over a closed form or by another program (Berard 7.6.1 and 7.6.2 with data of known seeds): mu,
 *             objective; the world itself, stepped with what was found; differences of the constraints for every derivative;
 *             one problem stated in two ways. */
#include <pthread.h>

#include "mpec/mpec.h"
#include "thorough.h"
#include "unit/world_help.h"

/* splitmix64 */
static double uniform(uint64_t *s, double a, double b) {
    uint64_t z = *s += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return a + (b - a) * ((double)((z ^ z >> 31) >> 11) * 0x1p-53);
}

static double normal(uint64_t *s) {
    double a = uniform(s, 0, 1), b = uniform(s, 0, 1);
    return sqrt(-2 * log(a)) * cos(2 * PI * b);
}

#define NEEDS_IPOPT()                                                                      \
    do {                                                                                   \
        if (!perp_mpec_available()) {                                                      \
            print_message("skipped: perp is built without Ipopt (coinor-libipopt-dev)\n"); \
            skip();                                                                        \
        }                                                                                  \
    } while (0)

#define SOLVED(call, r)                                                          \
    do {                                                                         \
        perp_status st_ = (call);                                                \
        if (st_) fail_msg("%s: %s (%s)", #call, (r).why, perp_status_name(st_)); \
    } while (0)

/* ---- particles that fall on a floor and slide (Berard 7.6.1) ---- */

#define MOST 3
typedef struct particles {
    perp_world *w;
    int n;
    perp_body_id id[MOST];
    double mu[MOST];
    perp_mpec_row row[202 * MOST];
    int nrow;
} particles;

static void add_particle(particles *p, double x, double y, double mu) {
    int material;
    OK(p->w, perp_material_add(p->w, &material));
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.particle = true;
    d.X_WB = perp_pose_at(x, y, 0);
    p->id[p->n] = add_def(p->w, &d);
    perp_shape_def s = perp_shape_particle(perp_v3(0, 0, 0));
    s.material = material;
    add_shape(p->w, p->id[p->n], s);
    OK(p->w, perp_body_set_force(p->w, p->id[p->n], perp_v3(5, 0, 0), perp_v3(0, 0, 0)));
    OK(p->w, perp_pair_set(p->w, 0, material, (perp_pair_law){.mu = mu}));
    p->mu[p->n++] = mu;
}

/* Parameters: the coefficient of each particle; with a context, one more, the velocity of the first along x. */
static perp_status set_mu(perp_world **w, const double *parameter, void *ctx) {
    const particles *p = ctx;
    perp_status st = PERP_OK;
    for (int i = 0; i < p->n && !st; i++) st = perp_pair_set(*w, 0, i + 1, (perp_pair_law){.mu = parameter[i]});
    return st;
}

static perp_status set_mu_and_vx(perp_world **w, const double *parameter, void *ctx) {
    const particles *p = ctx;
    perp_status st = set_mu(w, parameter, ctx);
    return st ? st : perp_body_set_velocity(*w, p->id[0], perp_v3(parameter[p->n], 0, 0), perp_v3(0, 0, 0));
}

static void make_world(particles *p) {
    memset(p, 0, sizeof *p);
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.h = 0.05;
    p->w = world_of(&d);
    add_floor(p->w);
}

/* Runs the world and measures both coordinates of every particle at every step, with noise. */
static void measure(particles *p, int steps, double eps, double bound, uint64_t *seed) {
    perp_world *c;
    assert_int_equal(perp_world_clone(p->w, &c), PERP_OK);
    for (int k = 0; k <= steps; k++) {
        for (int i = 0; i < p->n; i++) {
            perp_vec3 at = pose_of(c, p->id[i]).p;
            double x = at.x + uniform(&seed[i], -eps, eps), y = at.y + uniform(&seed[i], -eps, eps);
            p->row[p->nrow++] = (perp_mpec_row){k, p->id[i], PERP_MPEC_X, x, eps, bound};
            p->row[p->nrow++] = (perp_mpec_row){k, p->id[i], PERP_MPEC_Y, y, eps, bound};
        }
        if (k < steps) OK(c, perp_world_step(c, NULL));
    }
    perp_world_destroy(c);
}

static void one_particle(particles *p, int steps, double eps, double bound) {
    make_world(p);
    add_particle(p, 0, 3, 0.2);
    uint64_t seed = 1;
    measure(p, steps, eps, bound, &seed);
}

static const perp_mpec_parameter mu_from_one = {.start = 1, .min = 0, .max = 1};

static perp_mpec_problem problem_of(particles *p, int steps, const perp_mpec_parameter *parameter) {
    return (perp_mpec_problem){.world = p->w,
                               .steps = steps,
                               .row = p->row,
                               .nrow = p->nrow,
                               .parameter = parameter,
                               .nparameter = p->n,
                               .set = set_mu,
                               .ctx = p};
}

/* The four coordinates of the start, unknown; sd > 0: with a prior about the true ones. */
static void open_start(const particles *p, double sd, perp_mpec_initial out[4]) {
    const perp_mpec_coordinate c[4] = {PERP_MPEC_X, PERP_MPEC_Y, PERP_MPEC_VX, PERP_MPEC_VY};
    const double mean[4] = {0, 3, 0, 0};
    for (int i = 0; i < 4; i++)
        out[i] = (perp_mpec_initial){.body = p->id[0], .coordinate = c[i], .prior_mean = mean[i], .prior_sd = sd};
}

/* A world with what was found must go where the answer says; outside of the library. */
static void check_rollout(particles *p, const perp_mpec_result *r) {
    perp_world *c;
    assert_int_equal(perp_world_clone(p->w, &c), PERP_OK);
    assert_int_equal(set_mu(&c, r->parameter, p), PERP_OK);
    int half = r->nstate / 2;
    assert_int_equal(half, 2 * p->n);
    for (int i = 0; i < p->n; i++) {
        const double *q = r->state + 2 * i, *v = q + half;
        OK(c, perp_body_set_pose(c, p->id[i], perp_pose_at(q[0], q[1], 0)));
        OK(c, perp_body_set_velocity(c, p->id[i], perp_v3(v[0], v[1], 0), perp_v3(0, 0, 0)));
    }
    double worst = 0;
    for (int k = 1; k <= r->steps; k++) {
        OK(c, perp_world_step(c, NULL));
        for (int i = 0; i < p->n; i++) {
            perp_vec3 at = pose_of(c, p->id[i]).p;
            const double *q = r->state + k * r->nstate + 2 * i;
            worst = fmax(worst, hypot(at.x - q[0], at.y - q[1]));
        }
    }
    BELOW(worst, 1e-6);
    NEAR(r->rollout_error, worst, 1e-6);
    perp_world_destroy(c);
}

/* Every level of noise: mu within 0.1 standard deviations of least squares, the same objective. */
static void level(double eps, bool open, double mu, double objective) {
    particles p;
    one_particle(&p, 100, eps, 0);
    if (eps == 5e-2) {
        NEAR(p.row[0].value, 0.00665616, 1e-8);
        NEAR(p.row[3].value, 2.96991092, 1e-8);
    }
    perp_mpec_problem q = problem_of(&p, 100, &mu_from_one);
    perp_mpec_initial start[4];
    open_start(&p, eps, start);
    if (open) q.initial = start, q.ninitial = 4;
    perp_mpec_result r;
    SOLVED(perp_mpec_solve(&q, NULL, &r), r);
    NEAR(r.parameter[0], mu, 0.1 * (open ? 5.335e-3 : 1.0692e-3) * eps);
    NEAR(r.objective * eps * eps, objective, 1e-5 * objective);
    BELOW(r.product, 1e-9 * (1 + 1e-6));
    BELOW(r.violation, 1e-9);
    assert_string_equal(r.why, "");
    check_rollout(&p, &r);
    print_message("eps %g, x0 %s: mu %.9f, objective %.6g, %d unknowns, %d iterations, %.1f s\n", eps,
                  open ? "free" : "known", r.parameter[0], r.objective * eps * eps, r.unknowns, r.iterations,
                  r.seconds);
    perp_mpec_result_free(&r);
    perp_world_destroy(p.w);
}

static void test_known_start(void **state) {
    (void)state;
    NEEDS_IPOPT();
    level(5e-3, false, 0.200006711, 1.66879e-3);
    if (!thorough()) return;
    level(5e-5, false, 0.200000067, 1.66879e-7);
    level(5e-2, false, 0.200067109, 1.66879e-1);
    level(5e-1, false, 0.200671089, 16.6879);
}

static void test_open_start(void **state) {
    (void)state;
    NEEDS_IPOPT();
    level(5e-2, true, 0.200357724, 1.64438e-1);
    if (!thorough()) return;
    level(5e-5, true, 0.200000358, 1.64438e-7);
    level(5e-3, true, 0.200035774, 1.64438e-3);
    level(5e-1, true, 0.203575410, 16.4437);
}

/* Several particles in one world (Berard 7.6.1.2) move as each would alone, to 1e-8. */
static void test_two_particles(void **state) {
    (void)state;
    NEEDS_IPOPT();
    if (!thorough()) skip(); /* a third of the time of all tests here */
#ifndef PERP_TEST_SHORT
    particles p;
    make_world(&p);
    uint64_t seed = 2, noise[2] = {2000, 2001};
    for (int i = 0; i < 2; i++) {
        double x = uniform(&seed, -10, 10), y = uniform(&seed, 0, 5);
        add_particle(&p, x, y, 0.5 * (1 - uniform(&seed, 0, 1)));
    }
    measure(&p, 100, 5e-3, 0, noise);
    const perp_mpec_parameter start[2] = {mu_from_one, mu_from_one};
    perp_mpec_problem q = problem_of(&p, 100, start);
    perp_mpec_result r;
    SOLVED(perp_mpec_solve(&q, NULL, &r), r);
    NEAR(r.parameter[0], 0.20218417, 1e-8);
    NEAR(r.parameter[1], 0.32668844, 1e-8);
    NEAR(hypot(r.parameter[0] - p.mu[0], r.parameter[1] - p.mu[1]) / sqrt(2), 2.29e-6, 1e-8);
    NEAR(r.objective * 25e-6, 3.553e-3, 1e-6);
    check_rollout(&p, &r);
    perp_mpec_result_free(&r);
    perp_world_destroy(p.w);
#endif
}

/* No residual is larger than its bound; without bounds some are; the true trajectory meets them all. */
static void test_bounds(void **state) {
    (void)state;
    NEEDS_IPOPT();
    double eps = 0.05, worst[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        particles p;
        one_particle(&p, 40, eps, k ? eps : 0);
        perp_mpec_problem q = problem_of(&p, 40, &mu_from_one);
        perp_mpec_initial start[4];
        open_start(&p, 0, start);
        q.initial = start;
        q.ninitial = 4;
        perp_mpec_result r;
        SOLVED(perp_mpec_solve(&q, NULL, &r), r);
        for (int i = 0; i < p.nrow; i++)
            worst[k] = fmax(worst[k], fabs(r.state[(i / 2) * r.nstate + i % 2] - p.row[i].value));
        check_rollout(&p, &r);
        perp_mpec_result_free(&r);
        perp_world_destroy(p.w);
    }
    assert_true(worst[0] > eps);
    BELOW(worst[1], eps * (1 + 1e-7));
}

/* A parameter that sets the initial state is the same unknown as the initial coordinate itself. */
static void test_start_by_parameter(void **state) {
    (void)state;
    NEEDS_IPOPT();
    particles p;
    one_particle(&p, 30, 0.01, 0);
    const perp_mpec_parameter both[2] = {mu_from_one, {.start = 1, .min = -5, .max = 5}};
    perp_mpec_problem q = problem_of(&p, 30, both);
    perp_mpec_result a, b;
    perp_mpec_initial vx = {.body = p.id[0], .coordinate = PERP_MPEC_VX};
    q.initial = &vx;
    q.ninitial = 1;
    SOLVED(perp_mpec_solve(&q, NULL, &a), a);
    q.ninitial = 0;
    q.nparameter = 2;
    q.set = set_mu_and_vx;
    SOLVED(perp_mpec_solve(&q, NULL, &b), b);
    NEAR(a.parameter[0], b.parameter[0], 1e-8);
    NEAR(a.state[2], b.parameter[1], 1e-7);
    NEAR(a.objective, b.objective, 1e-6);
    NEAR(b.state[2], b.parameter[1], 1e-12);
    perp_mpec_result_free(&a);
    perp_mpec_result_free(&b);
    perp_world_destroy(p.w);
}

/* ---- the block on three points (Berard 7.6.2) ---- */

typedef struct block {
    perp_world *w;
    perp_body_id id;
    perp_mpec_row row[183];
    int nrow;
} block;

static perp_status set_support(perp_world **w, const double *parameter, void *ctx) {
    perp_support s = perp_support_circle(0.04, PI / 2, parameter[0]);
    return perp_body_set_support(*w, ((const block *)ctx)->id, &s);
}

static void make_block(block *b, int steps) {
    memset(b, 0, sizeof *b);
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.h = 0.02;
    d.gravity_W = perp_v3(0, 0, 0);
    d.stepper = "planar-2.5d";
    d.form = PERP_FORM_CONE;
    b->w = world_of(&d);
    b->id = add_mass(b->w, 0.5, 8e-4, perp_pose_identity());
    OK(b->w, perp_body_set_velocity(b->w, b->id, perp_v3(0.3, 0.1, 0), perp_v3(0, 0, 2)));
    double mu = 0.33;
    OK(b->w, set_support(&b->w, &mu, b));
    perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
    f.b = b->id;
    f.wrench.force = perp_v3(2, 0, 0);
    f.point_B = perp_v3(0, 0.015, 0);
    add_force(b->w, &f);
    perp_world *c;
    assert_int_equal(perp_world_clone(b->w, &c), PERP_OK);
    uint64_t seed = 11;
    for (int k = 0; k <= steps; k++) {
        perp_vec3 at = pose_of(c, b->id).p;
        double angle, sd[3] = {5e-4, 5e-4, 5e-3};
        OK(c, perp_body_angle(c, b->id, &angle));
        double x[3] = {at.x, at.y, angle};
        const perp_mpec_coordinate what[3] = {PERP_MPEC_X, PERP_MPEC_Y, PERP_MPEC_ANGLE};
        for (int i = 0; i < 3; i++)
            b->row[b->nrow++] = (perp_mpec_row){k, b->id, what[i], x[i] + sd[i] * normal(&seed), sd[i], 0};
        if (k < steps) OK(c, perp_world_step(c, NULL));
    }
    perp_world_destroy(c);
}

static perp_mpec_problem block_problem(block *b, int steps, perp_mpec_initial start[6]) {
    const perp_mpec_coordinate c[6] = {PERP_MPEC_X,  PERP_MPEC_Y,  PERP_MPEC_ANGLE,
                                       PERP_MPEC_VX, PERP_MPEC_VY, PERP_MPEC_SPIN};
    for (int i = 0; i < 6; i++) start[i] = (perp_mpec_initial){.body = b->id, .coordinate = c[i]};
    return (perp_mpec_problem){.world = b->w,
                               .steps = steps,
                               .row = b->row,
                               .nrow = b->nrow,
                               .parameter = &mu_from_one,
                               .nparameter = 1,
                               .set = set_support,
                               .ctx = b,
                               .initial = start,
                               .ninitial = 6};
}

/* All 61 rows: 0.330037 +- 0.000116, chi^2 175.2. */
static void test_block(void **state) {
    (void)state;
    NEEDS_IPOPT();
    block b;
    make_block(&b, 60);
    NEAR(b.row[180].value, 0.96302094, 1e-8);
    NEAR(b.row[182].value, -1.0637374, 1e-7);
    perp_mpec_initial start[6];
    perp_mpec_problem q = block_problem(&b, 60, start);
    perp_mpec_result r;
    SOLVED(perp_mpec_solve(&q, NULL, &r), r);
    NEAR(r.parameter[0], 0.330037, 0.1 * 0.000116);
    NEAR(r.chi2, 175.2, 0.05);
    BELOW(r.rollout_error, 1e-6);
    /* the world itself, from outside */
    OK(b.w, set_support(&b.w, r.parameter, &b));
    OK(b.w, perp_body_set_pose(b.w, b.id, perp_pose_2d(r.state[0], r.state[1], r.state[2])));
    OK(b.w, perp_body_set_velocity(b.w, b.id, perp_v3(r.state[3], r.state[4], 0), perp_v3(0, 0, r.state[5])));
    for (int k = 1; k <= 60; k++) {
        OK(b.w, perp_world_step(b.w, NULL));
        perp_vec3 at = pose_of(b.w, b.id).p;
        BELOW(hypot(at.x - r.state[6 * k], at.y - r.state[6 * k + 1]), 1e-6);
    }
    perp_mpec_result_free(&r);
    perp_world_destroy(b.w);
}

/* ---- joints ---- */

/* A pendulum of which only the angle is measured, without noise: its first spin is found again. */
static void test_joint(void **state) {
    (void)state;
    NEEDS_IPOPT();
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.h = 0.02;
    d.geometry = PERP_GEOMETRY_ONCE; /* joints are linearised at the start of the step, as the programme has them */
    perp_world *w = world_of(&d), *c;
    perp_body_id b = add_mass(w, 2, 0.1, perp_pose_at(0.5, 0, 0));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = b;
    j.X_BJ.p = perp_v3(-0.5, 0, 0);
    add_joint(w, &j);
    assert_int_equal(perp_world_clone(w, &c), PERP_OK);
    OK(c, perp_body_set_velocity(c, b, perp_v3(0, 1, 0), perp_v3(0, 0, 2)));
    perp_mpec_row row[21];
    for (int k = 0; k <= 20; k++) {
        double angle;
        OK(c, perp_body_angle(c, b, &angle));
        row[k] = (perp_mpec_row){k, b, PERP_MPEC_ANGLE, angle, 1e-3, 0};
        OK(c, perp_world_step(c, NULL));
    }
    perp_world_destroy(c);
    perp_mpec_initial spin[2] = {{.body = b, .coordinate = PERP_MPEC_SPIN},
                                 {.body = b, .coordinate = PERP_MPEC_VY, .prior_mean = 1, .prior_sd = 1e-2}};
    perp_mpec_problem q = {.world = w, .steps = 20, .row = row, .nrow = 21, .initial = spin, .ninitial = 2};
    perp_mpec_result r;
    SOLVED(perp_mpec_solve(&q, NULL, &r), r);
    NEAR(r.state[5], 2, 1e-6);
    BELOW(r.objective, 1e-6);
    BELOW(r.rollout_error, 1e-6);
    perp_mpec_result_free(&r);
    perp_world_destroy(w);
}

/* ---- derivatives ---- */

static pp_mpec *program_of(const perp_mpec_problem *q, char *why, double **z) {
    pp_mpec *m = calloc(1, sizeof *m);
    assert_non_null(m);
    *m = (pp_mpec){.p = q, .o = perp_mpec_options_default(), .why = why, .why_size = 400};
    pp_arena_init(&m->arena, (perp_allocator){0});
    if (pp_mpec_build(m) || pp_mpec_program(m)) fail_msg("%s", why);
    *z = PP_ARENA_ARRAY(&m->arena, double, m->n);
    if (pp_mpec_start(m, *z) || pp_mpec_probe(m, *z) || pp_mpec_places(m)) fail_msg("%s", why);
    uint64_t seed = 5;
    for (int i = 0; i < m->n; i++) { /* somewhere, where no product vanishes */
        (*z)[i] += 0.1 * uniform(&seed, -1, 1);
        if (m->lo[i] > -INFINITY) (*z)[i] = fmax((*z)[i], m->lo[i] + uniform(&seed, 0.1, 1));
        if (m->hi[i] < INFINITY) (*z)[i] = fmin((*z)[i], m->hi[i] - 0.1);
    }
    return m;
}

/* Every entry of the Jacobian and of the Hessian against differences of constraints and of the Lagrangian's gradient. */
static void derivatives(const perp_mpec_problem *q) {
    char why[400] = "";
    double *z;
    pp_mpec *m = program_of(q, why, &z);
    size_t n = (size_t)m->n, rows = (size_t)m->m;
    double *J = calloc(n * rows, sizeof *J), *H = calloc(n * n, sizeof *H), *value = calloc(n * rows, sizeof *value);
    double *g[2] = {calloc(rows, sizeof **g), calloc(rows, sizeof **g)}, *lambda = calloc(rows, sizeof *lambda);
    double *d[2] = {calloc(n, sizeof **d), calloc(n, sizeof **d)};
    uint64_t seed = 7;
    for (size_t i = 0; i < rows; i++) lambda[i] = uniform(&seed, -1, 1);
    assert_true(pp_mpec_jacobian(m, z, value));
    for (int e = 0; e < m->jacobian.n; e++)
        J[(size_t)m->jacobian.cell[e].row * n + (size_t)m->jacobian.cell[e].col] += value[e];
    assert_true(pp_mpec_hessian(m, z, 0, lambda, value));
    for (int e = 0; e < m->hessian.n; e++) {
        size_t i = (size_t)m->hessian.cell[e].row, j = (size_t)m->hessian.cell[e].col;
        assert_true(i >= j);
        H[i * n + j] += value[e];
        if (i != j) H[j * n + i] += value[e];
    }
    double wrong[2] = {0, 0}, most[2] = {0, 0};
    for (size_t j = 0; j < n; j++) {
        double keep = z[j], step = 1e-5 * (1 + fabs(keep));
        for (int s = 0; s < 2; s++) {
            z[j] = keep + (s ? step : -step);
            assert_true(pp_mpec_constraints(m, z, g[s]));
            assert_true(pp_mpec_jacobian(m, z, value));
            memset(d[s], 0, n * sizeof **d);
            for (int e = 0; e < m->jacobian.n; e++)
                d[s][m->jacobian.cell[e].col] += lambda[m->jacobian.cell[e].row] * value[e];
        }
        z[j] = keep;
        for (size_t i = 0; i < rows; i++) {
            wrong[0] = fmax(wrong[0], fabs((g[1][i] - g[0][i]) / (2 * step) - J[i * n + j]));
            most[0] = fmax(most[0], fabs(J[i * n + j]));
        }
        for (size_t i = 0; i < n; i++) {
            wrong[1] = fmax(wrong[1], fabs((d[1][i] - d[0][i]) / (2 * step) - H[i * n + j]));
            most[1] = fmax(most[1], fabs(H[i * n + j]));
        }
    }
    assert_true(most[0] > 1 && most[1] > 0.1);
    BELOW(wrong[0], 1e-7 * most[0]);
    BELOW(wrong[1], 1e-4 * most[1]);
    free(J), free(H), free(value), free(lambda);
    for (int s = 0; s < 2; s++) free(g[s]), free(d[s]);
    pp_mpec_release(m);
    free(m);
}

static void test_derivatives(void **state) {
    (void)state;
    particles p;
    one_particle(&p, 3, 0.01, 0);
    const perp_mpec_parameter both[2] = {mu_from_one, {.start = 1, .min = -5, .max = 5}};
    perp_mpec_problem q = problem_of(&p, 3, both);
    q.nparameter = 2;
    q.set = set_mu_and_vx;
    derivatives(&q);
    perp_world_destroy(p.w);
    block b;
    make_block(&b, 3);
    perp_mpec_initial start[6];
    q = block_problem(&b, 3, start);
    derivatives(&q);
    perp_world_destroy(b.w);
}

/* Particles that do not touch each other are displaced together: as many poses as for one. */
static void test_colours(void **state) {
    (void)state;
    particles p;
    make_world(&p);
    for (int i = 0; i < 3; i++) add_particle(&p, i, 1 + i, 0.3);
    uint64_t seed[3] = {1, 2, 3};
    measure(&p, 3, 0.01, 0, seed);
    const perp_mpec_parameter start[3] = {mu_from_one, mu_from_one, mu_from_one};
    perp_mpec_problem q = problem_of(&p, 3, start);
    char why[400] = "";
    double *z;
    pp_mpec *m = program_of(&q, why, &z);
    assert_int_equal(m->nxp, 15);
    BELOW(m->ncolour, 4);
    assert_int_equal(m->dxx.n, 0); /* everything is linear in state and coefficient, but for products with impulses */
    pp_mpec_release(m);
    free(m);
    perp_world_destroy(p.w);
}

/* ---- what is refused ---- */

static void refused(const perp_mpec_problem *q, perp_status status, const char *words) {
    perp_mpec_result r;
    perp_status st = perp_mpec_solve(q, NULL, &r);
    if (st != status || !strstr(r.why, words))
        fail_msg("%s: \"%s\", not %s: \"... %s ...\"", perp_status_name(st), r.why, perp_status_name(status), words);
    perp_mpec_result_free(&r);
}

static perp_status set_fails(perp_world **w, const double *parameter, void *ctx) {
    (void)w, (void)parameter, (void)ctx;
    return PERP_E_IO;
}

static void test_refused_problems(void **state) {
    (void)state;
    NEEDS_IPOPT();
    particles p;
    one_particle(&p, 30, 0.01, 0);
    const perp_mpec_problem good = problem_of(&p, 30, &mu_from_one);
    perp_mpec_problem q = good;
    q.margin = 0.1; /* the floor is out of sight at first, and comes into it */
    refused(&q, PERP_E_FIT, "the program needs the same contacts at every step");
    q = good, q.steps = 29;
    refused(&q, PERP_E_ARG, "row 60 is of step 30; allowed: 0 to 29");
    q = good, q.nparameter = 0;
    refused(&q, PERP_E_ARG, "nothing is unknown");
    q = good, q.set = NULL;
    refused(&q, PERP_E_ARG, "the problem needs a world");
    q = good, q.set = set_fails;
    refused(&q, PERP_E_IO, "setting the parameters failed");
    perp_mpec_parameter bad = {.start = 2, .min = 0, .max = 1};
    q = good, q.parameter = &bad;
    refused(&q, PERP_E_ARG, "parameter 0 starts at 2 with bounds 0 and 1");
    perp_mpec_initial turn = {.body = p.id[0], .coordinate = PERP_MPEC_ANGLE};
    q = good, q.initial = &turn, q.ninitial = 1;
    refused(&q, PERP_E_ARG, "initial 0 is of a body that is not dynamic, or a coordinate that it does not have");
    p.row[7].sd = 0;
    refused(&good, PERP_E_ARG, "row 7 has value");
    p.row[7].sd = 1;
    p.row[7].value = NAN;
    refused(&good, PERP_E_ARG, "row 7 has value nan");
    p.row[7].value = 1;
    OK(p.w, perp_pair_set(p.w, 0, 1, (perp_pair_law){.mu = 0.2, .restitution = 0.5}));
    q = good, q.nparameter = 0, q.initial = &(perp_mpec_initial){.body = p.id[0], .coordinate = PERP_MPEC_VX},
    q.ninitial = 1;
    refused(&q, PERP_E_FIT, "restitution 0.5");
    perp_world_destroy(p.w);
    perp_mpec_result r;
    perp_mpec_options o = {0};
    assert_int_equal(perp_mpec_solve(&good, &o, &r), PERP_E_ARG);
    assert_int_equal(perp_mpec_solve(NULL, NULL, &r), PERP_E_ARG);
    assert_int_equal(perp_mpec_solve(&good, NULL, NULL), PERP_E_ARG);
}

static void refused_world(const perp_world_def *d, const char *words) {
    perp_world *w = world_of(d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id id = add_def(w, &b);
    perp_mpec_row row = {1, id, PERP_MPEC_X, 0, 1, 0};
    perp_mpec_initial x = {.body = id, .coordinate = PERP_MPEC_X};
    perp_mpec_problem q = {.world = w, .steps = 1, .row = &row, .nrow = 1, .initial = &x, .ninitial = 1};
    refused(&q, PERP_E_FIT, words);
    perp_world_destroy(w);
}

static void test_refused_worlds(void **state) {
    (void)state;
    NEEDS_IPOPT();
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.stepper = "anitescu-potra";
    refused_world(&d, "stepper anitescu-potra");
    d = perp_world_def_default(2);
    d.start = PERP_START_STAGGERED;
    refused_world(&d, "use a plain start");
    d = perp_world_def_default(2);
    d.contact_model = "lnc";
    refused_world(&d, "contact model lnc");
    d = perp_world_def_default(2);
    d.geometry = PERP_GEOMETRY_END;
    refused_world(&d, "geometry `end`");
    d = perp_world_def_default(3);
    refused_world(&d, "turns in space");
}

/* Without Ipopt there is one answer. */
static void test_without(void **state) {
    (void)state;
    if (perp_mpec_available()) skip();
    particles p;
    one_particle(&p, 3, 0.01, 0);
    perp_mpec_problem q = problem_of(&p, 3, &mu_from_one);
    refused(&q, PERP_E_FIT, "coinor-libipopt");
    perp_world_destroy(p.w);
}

/* ---- memory and threads ---- */

typedef struct scarce {
    int left, live;
} scarce;

static void *scarce_alloc(size_t size, void *ctx) {
    scarce *s = ctx;
    if (s->left-- <= 0) return NULL;
    s->live++;
    return malloc(size);
}

static void scarce_free(void *p, void *ctx) {
    ((scarce *)ctx)->live--;
    free(p);
}

static void test_memory(void **state) {
    (void)state;
    NEEDS_IPOPT();
    particles p;
    one_particle(&p, 4, 0.01, 0);
    perp_mpec_problem q = problem_of(&p, 4, &mu_from_one);
    perp_status st = PERP_E_MEMORY;
    int k = 0;
    for (; st && k < 200; k++) {
        scarce s = {.left = k};
        perp_mpec_options o = perp_mpec_options_default();
        o.alloc = (perp_allocator){scarce_alloc, scarce_free, &s};
        perp_mpec_result r;
        st = perp_mpec_solve(&q, &o, &r);
        if (st && st != PERP_E_MEMORY) fail_msg("after %d allocations: %s", k, r.why);
        perp_mpec_result_free(&r);
        assert_int_equal(s.live, 0);
    }
    assert_int_equal(st, PERP_OK);
    assert_true(k > 3);
    perp_world_destroy(p.w);
}

static void *solve_in_thread(void *arg) {
    particles p;
    one_particle(&p, 20, 0.01, 0);
    perp_mpec_problem q = problem_of(&p, 20, &mu_from_one);
    perp_mpec_result r;
    *(double *)arg = perp_mpec_solve(&q, NULL, &r) ? NAN : r.parameter[0];
    perp_mpec_result_free(&r);
    perp_world_destroy(p.w);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    NEEDS_IPOPT();
    double mu[3];
    pthread_t t[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&t[i], NULL, solve_in_thread, &mu[i]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(t[i], NULL), 0);
    solve_in_thread(&mu[2]);
    assert_true(mu[0] == mu[1] && mu[0] == mu[2]); /* the same bits */
    NEAR(mu[0], 0.2, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_known_start),
        cmocka_unit_test(test_open_start),
        cmocka_unit_test(test_two_particles),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_start_by_parameter),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_joint),
        cmocka_unit_test(test_refused_problems),
        cmocka_unit_test(test_refused_worlds),
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Quantities over time by name: each against what the frames hold, or against a law it must obey. */
#include "unit/recording_help.h"

#define PILE "series-pile.h5"
#define CART "series-cart.h5"
#define MAX  512

static perp_recording *pile, *cart;

static int begin(void **state) {
    (void)state;
    record_run(PILE, pile_text, NULL);
    record_run(CART, cart_text, NULL);
    pile = reading(PILE);
    cart = reading(CART);
    return 0;
}

static int end(void **state) {
    (void)state;
    perp_recording_close(pile);
    perp_recording_close(cart);
    remove(PILE);
    remove(CART);
    return 0;
}

static const double *series(perp_recording *r, const char *name) {
    static double room[16][MAX];
    static int turn;
    perp_refusal why = {0};
    double *x = room[turn++ % 16];
    assert_true(perp_recording_about(r)->frames <= MAX);
    SUCCEEDS(perp_recording_series(r, name, x, &why));
    return x;
}

static int frames(perp_recording *r) { return (int)perp_recording_about(r)->frames; }

#define NEAR(x, y, tolerance)                                                               \
    do {                                                                                    \
        double x_ = (x), y_ = (y);                                                          \
        if (!(fabs(x_ - y_) <= (tolerance))) fail_msg("%s = %.17g, not %.17g", #x, x_, y_); \
    } while (0)

static void of_bodies(void **state) {
    (void)state;
    perp_refusal why = {0};
    int box = perp_recording_find_body(pile, "box-0");
    const double *x = series(pile, "box-0.x"), *qz = series(pile, "box-0.qz"), *vy = series(pile, "box-0.vy"),
                 *wz = series(pile, "box-0.wz"), *speed = series(pile, "box-0.speed"),
                 *spin = series(pile, "box-0.spin"), *bwy = series(pile, "box-0.bwy"),
                 *kinetic = series(pile, "box-0.kinetic");
    perp_recorded_body b = perp_recording_body(pile, box);
    for (int f = 0; f < frames(pile); f++) {
        perp_pose X[7];
        perp_vec3 v[7], w[7];
        SUCCEEDS(perp_recording_poses(pile, (uint64_t)f, X, &why));
        SUCCEEDS(perp_recording_twists(pile, (uint64_t)f, v, w, &why));
        assert_true(x[f] == X[box].p.x && qz[f] == X[box].q.z && vy[f] == v[box].y && wz[f] == w[box].z);
        NEAR(speed[f], perp_v3_norm(v[box]), 1e-15);
        NEAR(spin[f], perp_v3_norm(w[box]), 1e-14);
        perp_vec3 wb = perp_q_unrotate(X[box].q, w[box]);
        NEAR(bwy[f], wb.y, 1e-14);
        NEAR(kinetic[f], (8 * perp_v3_dot(v[box], v[box]) + perp_v3_dot(wb, perp_m3_mul_v(b.I_B, wb))) / 2, 1e-13);
    }
    NEAR(spin[0], sqrt(14), 1e-15);
    for (int f = 0; f < frames(pile); f++) assert_true(series(pile, "floor.kinetic")[f] == 0);
    const double *angle = series(cart, "rod.angle"), *w = series(cart, "rod.wz");
    assert_true(angle[0] == 0 && w[0] == 0 && angle[20] < -0.05 && w[20] < 0); /* it falls to the right of its pivot */
}

static void of_joints(void **state) {
    (void)state;
    /* The pivot lies in the block, which does not turn: its coordinate is the angle of the rod. */
    const double *a = series(cart, "rod.angle"), *c = series(cart, "pivot.coordinate"),
                 *c0 = series(cart, "pivot.coordinate0"), *w = series(cart, "rod.wz"),
                 *rate = series(cart, "pivot.rate"), *error = series(cart, "pivot.error");
    for (int f = 0; f < frames(cart); f++) {
        NEAR(c[f], a[f], 1e-9);
        assert_true(c0[f] == c[f]);
        NEAR(rate[f], w[f], 1e-9);
        assert_true(error[f] >= 0 && error[f] < 1e-3);
    }
    /* The joint carries the rod: force on it = mass (acceleration - gravity), averaged over the last step of the
     * frame. */
    const double *fy = series(cart, "pivot.fy"), *impulse = series(cart, "pivot.impulse"),
                 *fx = series(cart, "pivot.fx");
    assert_true(fy[0] == 0);
    for (int f = 1; f < frames(cart); f++) {
        NEAR(impulse[f], 0.002 * hypot(fx[f], fy[f]), 1e-15);
        assert_true(fy[f] > 0 && fy[f] < 3 * 9.81);
    }
}

static void energies_and_ledger(void **state) {
    (void)state;
    perp_recording *both[] = {pile, cart};
    for (int k = 0; k < 2; k++) {
        perp_recording *r = both[k];
        int n = frames(r);
        double kinetic[MAX] = {0}, sum[MAX] = {0};
        for (int i = 0; i < perp_recording_about(r)->nbody; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s.kinetic", perp_recording_body(r, i).name);
            const double *x = series(r, name);
            for (int f = 0; f < n; f++) kinetic[f] += x[f];
        }
        const double *total = series(r, "energy.total"), *g = series(r, "energy.gravity"),
                     *s = series(r, "energy.spring"), *e = series(r, "energy.kinetic"),
                     *before = series(r, "ledger.kinetic_before"), *after = series(r, "ledger.kinetic_after");
        for (int f = 0; f < n; f++) {
            NEAR(kinetic[f], e[f], 1e-12 * (1 + e[f]));
            NEAR(total[f], e[f] + g[f] + s[f], 1e-15 * (1 + fabs(total[f])));
            NEAR(after[f], e[f], 1e-12 * (1 + e[f]));
            NEAR(before[f], e[0], 1e-12 * (1 + e[0]));
            kinetic[f] = after[f] - before[f];
        }
        /* The running sums account for all of the change since the start. */
        static const char *const parts[] = {"gravity", "applied", "spring",     "damping", "kinematic",
                                            "joint",   "motor",   "joint_loss", "normal",  "friction",
                                            "turning", "start",   "sampling",   "drift",   "remainder"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            char name[64];
            snprintf(name, sizeof name, "ledger.%s", parts[i]);
            const double *x = series(r, name);
            for (int f = 0; f < n; f++) sum[f] += x[f];
            snprintf(name, sizeof name, "ledger.%s.step", parts[i]);
            const double *own = series(r, name);
            for (int f = 1; f < n; f++) NEAR(x[f] - x[f - 1], own[f], 1e-12 * (1 + fabs(x[f])));
        }
        for (int f = 0; f < n; f++) NEAR(sum[f], kinetic[f], 1e-11 * (1 + fabs(sum[f])));
        const double *friction = series(r, "ledger.friction");
        assert_true(friction[n - 1] < -0.01);
    }
}

static void momentum_of_all(void **state) {
    (void)state;
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    const double *px = series(pile, "momentum.x"), *pz = series(pile, "momentum.z"), *lx = series(pile, "angular.x"),
                 *ly = series(pile, "angular.y"), *lz = series(pile, "angular.z");
    for (int f = 0; f < frames(pile); f++) {
        perp_vec3 p, l;
        if (f) perp_world_step(w, NULL);
        perp_world_momentum(w, &p, &l);
        NEAR(px[f], p.x, 1e-12);
        NEAR(pz[f], p.z, 1e-12);
        NEAR(lx[f], l.x, 1e-12);
        NEAR(ly[f], l.y, 1e-12);
        NEAR(lz[f], l.z, 1e-12);
    }
    perp_scene_close(s);
    s = scene_of(cart_text);
    w = perp_scene_world(s);
    lz = series(cart, "angular.z");
    for (int i = 0; i < 100; i++) perp_world_step(w, NULL);
    perp_vec3 l;
    perp_world_momentum(w, NULL, &l);
    NEAR(lz[20], l.z, 1e-12);
    perp_scene_close(s);
}

static void of_contacts(void **state) {
    (void)state;
    perp_refusal why = {0};
    int a = perp_recording_find_body(pile, "floor"), b = perp_recording_find_body(pile, "box-0");
    const double *count = series(pile, "contacts.count"), *sliding = series(pile, "contacts.sliding"),
                 *all = series(pile, "contacts.impulse"), *normal = series(pile, "contact(floor,box-0).normal"),
                 *gap = series(pile, "contact(box-0, floor).gap"),
                 *friction = series(pile, "contact(floor,box-0).friction"),
                 *fz = series(pile, "contact(floor,box-0).fz"), *back = series(pile, "contact(box-0,floor).fz");
    const double *most = series(pile, "contact(floor,box-0).state");
    bool both = false;
    for (int f = 0; f < frames(pile); f++) {
        const perp_recorded_contact *c;
        int n, slides = 0;
        double sum = 0, own = 0, least = NAN, rub = 0, up = 0, worst = NAN;
        SUCCEEDS(perp_recording_contacts(pile, (uint64_t)f, &c, &n, &why));
        for (int i = 0; i < n; i++) {
            sum += c[i].impulse_C[0];
            slides += c[i].state == PERP_CONTACT_SLIDING;
            bool is = (c[i].body[0] == a && c[i].body[1] == b) || (c[i].body[0] == b && c[i].body[1] == a);
            if (!is) continue;
            own += c[i].impulse_C[0];
            rub += hypot(c[i].impulse_C[1], c[i].impulse_C[2]);
            up += c[i].impulse_C[0] / 0.005; /* the floor is level */
            if (!(least <= c[i].gap)) least = c[i].gap;
            if (!(worst >= (int)c[i].state)) worst = (int)c[i].state;
        }
        both |= own > 0 && sum > own;
        assert_true(count[f] == n && sliding[f] == slides);
        NEAR(all[f], sum, 1e-12);
        NEAR(normal[f], own, 1e-12);
        NEAR(friction[f], rub, 1e-12);
        NEAR(fz[f], up, 1e-9);
        NEAR(back[f], -up, 1e-9);
        assert_true(isnan(least) ? isnan(gap[f]) && isnan(most[f]) : gap[f] == least && most[f] == worst);
    }
    assert_true(both);
}

static void of_figures(void **state) {
    (void)state;
    perp_refusal why = {0};
    const double *t = series(cart, "time"), *step = series(cart, "step"),
                 *overlap = series(cart, "certificate.overlap"), *iterations = series(cart, "solver.iterations"),
                 *residual = series(cart, "solver.residual"), *law = series(cart, "certificate.law");
    for (int f = 0; f < frames(cart); f++) {
        perp_certificate c;
        SUCCEEDS(perp_recording_certificate(cart, (uint64_t)f, &c, &why));
        assert_true(step[f] == 5 * f);
        NEAR(t[f], 0.01 * f, 1e-14);
        assert_true(overlap[f] == c.overlap && iterations[f] == c.iterations && residual[f] == c.residual);
        assert_true(law[f] >= 0 && law[f] <= 1e-8);
    }
}

/* Every name in the list works and has a unit; the list has what it should. */
static void all_names(void **state) {
    (void)state;
    perp_recording *both[] = {pile, cart};
    for (int k = 0; k < 2; k++) {
        bool pair = false, coordinate = false;
        int n = 0;
        for (const char *name; (name = perp_recording_series_name(both[k], n)); n++) {
            const double *x = series(both[k], name);
            bool may_miss = strstr(name, "gap") || strstr(name, ".state");
            for (int f = 0; f < frames(both[k]); f++)
                if (!isfinite(x[f]) && !may_miss) fail_msg("%s at frame %d is %g", name, f, x[f]);
            assert_non_null(perp_recording_unit(both[k], name));
            pair |= strcmp(name, k ? "contact(floor,block).normal" : "contact(box-0,ball).normal") == 0 ||
                    strcmp(name, "contact(floor,box-0).normal") == 0;
            coordinate |= strcmp(name, k ? "pivot.coordinate" : "hinge.coordinate") == 0;
            assert_null(strstr(name, k ? ".qw" : "ball.angle"));
        }
        assert_true(pair && coordinate);
        assert_true(n > 100);
        assert_null(perp_recording_series_name(both[k], n));
        assert_null(perp_recording_series_name(both[k], -1));
    }
}

static void units(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"time", "T"},
                                           {"step", ""},
                                           {"box-0.x", "L"},
                                           {"box-0.wx", "rad/T"},
                                           {"hinge.rate", "rad/T"},
                                           {"hinge.fx", "M L/T^2"},
                                           {"hinge.tz", "M L/T^2 L"},
                                           {"energy.total", "M L^2/T^2"},
                                           {"ledger.friction.step", "M L^2/T^2"},
                                           {"certificate.normal", "L/T"},
                                           {"contact(floor,ball).normal", "M L/T"},
                                           {"angular.x", "M L^2/T"},
                                           {"nothing.at", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(perp_recording_unit(pile, pairs[i][0]), pairs[i][1]);
}

/* Joules, newtons and newton metres only where the scene's units are those of SI. */
static void units_in_words(void **state) {
    (void)state;
    static const perp_units si = {"m", "kg", "s"}, small = {"mm", "g", "s"}, none = {"", "", ""};
    static const char *const text[][4] = {{"M L^2/T^2", "J", "g mm^2/s^2", "M L^2/T^2"},
                                          {"M L/T^2", "N", "g mm/s^2", "M L/T^2"},
                                          {"M L/T^2 L", "N m", "g mm^2/s^2", "M L^2/T^2"},
                                          {"M L/T", "kg m/s", "g mm/s", "M L/T"},
                                          {"rad/T", "rad/s", "rad/s", "rad/T"}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int k = 0; k < 3; k++) {
            char out[32];
            size_t n = perp_unit_text(text[i][0], k == 0 ? si : k == 1 ? small : none, out, sizeof out);
            assert_string_equal(out, text[i][1 + k]);
            assert_int_equal(n, strlen(out));
        }
}

static void unknown_names(void **state) {
    (void)state;
    perp_refusal why = {0};
    double x[MAX];
#define ANY                                                                                                         \
    "time, step, BODY.x, JOINT.coordinate, energy.total, ledger.friction, certificate.overlap, solver.iterations, " \
    "contacts.count, "                                                                                              \
    "contact(A,B).normal, momentum.x, angular.z and the like"
    REFUSED(perp_recording_series(cart, "blok.x", x, &why), PERP_E_NAME,
            CART ": series: found \"blok.x\"; allowed: " ANY "; did you mean block.x?");
    REFUSED(
        perp_recording_series(cart, "block.vq", x, &why), PERP_E_NAME,
        CART
        ": series: found \"block.vq\"; allowed: x, y, angle, vx, vy, wz, speed, spin, kinetic; did you mean block.vx?");
    REFUSED(perp_recording_series(cart, "pivot.cordinate", x, &why), PERP_E_NAME,
            CART ": series: found \"pivot.cordinate\"; allowed: coordinate, rate, error, angle_error, fx, fy, tz, "
                 "impulse; did you mean "
                 "pivot.coordinate?");
    REFUSED(perp_recording_series(pile, "ball.angle", x, &why), PERP_E_NAME, why.text);
    static const char *const bad[] = {"",
                                      ".",
                                      "x",
                                      "block.",
                                      ".x",
                                      "contact(block).normal",
                                      "contact(,).normal",
                                      "contact().count",
                                      "contact(floor,block)",
                                      "contact(floor,block).impulse",
                                      "contacts.normal",
                                      "pivot.coordinate1",
                                      "pivot.rate9",
                                      "energy.",
                                      "ledger.friction.steps",
                                      "certificate.overlap_shape",
                                      "frames.step",
                                      "momentum.w"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (perp_recording_series(cart, bad[i], x, &why) != PERP_E_NAME) fail_msg("\"%s\" was taken", bad[i]);
    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    memcpy(longest + 4000, ".x", 2);
    assert_int_equal(perp_recording_series(cart, longest, x, &why), PERP_E_NAME);
    assert_int_equal(perp_recording_series(cart, "blok.x", x, NULL), PERP_E_NAME);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_bodies),       cmocka_unit_test(of_joints),   cmocka_unit_test(energies_and_ledger),
        cmocka_unit_test(momentum_of_all), cmocka_unit_test(of_contacts), cmocka_unit_test(of_figures),
        cmocka_unit_test(all_names),       cmocka_unit_test(units),       cmocka_unit_test(units_in_words),
        cmocka_unit_test(unknown_names),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

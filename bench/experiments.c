/* experiments.c - the core experiments, measured against their references: the figures of docs/experiments.md
 *
 * Prints one line per figure: experiment, quantity, reference, measured, difference. The tests hold the bars; this only
 * tells. */
#include <stdio.h>
#include <stdlib.h>

#include "scenes.h"

static const double pi = 3.14159265358979323846;

static perp_certificate total; /* of the scene that ran last */

static void run(scene *s, double seconds, double h) {
    total = (perp_certificate){0};
    for (long i = 0, n = lround(seconds / h); i < n; i++) {
        perp_certificate c;
        if (perp_world_step(s->w, &c)) {
            fprintf(stderr, "%s\n", perp_world_why(s->w));
            exit(1);
        }
        perp_certificate_add(&total, &c);
    }
}

static void show(const char *experiment, const char *what, double reference, double measured) {
    printf("%-18s %-44s %16.9g %16.9g %+10.2e\n", experiment, what, reference, measured, measured - reference);
}

static perp_world_def def(int dim, double h, perp_start start) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    d.start = start;
    return d;
}

static perp_vec3 at(const scene *s, int i) {
    perp_pose X = perp_pose_identity();
    if (perp_body_pose(s->w, s->body[i], &X)) exit(1);
    return X.p;
}

static double angle(const scene *s, int i) {
    double a = 0;
    if (perp_body_angle(s->w, s->body[i], &a)) exit(1);
    return a;
}

static perp_vec3 spin(const scene *s, int i) {
    perp_vec3 w = {0, 0, 0};
    if (perp_body_velocity(s->w, s->body[i], NULL, &w)) exit(1);
    return w;
}

static double floor_force(const scene *s, double h) {
    const perp_contact *c;
    double f = 0;
    for (int i = perp_world_contacts(s->w, &c) - 1; i >= 0; i--) f += c[i].impulse_C[0] / h;
    return f;
}

static void pendulums(void) {
    const double h = 1e-3;
    scene s = scene_double_pendulum(def(2, h, PERP_START_PLAIN));
    run(&s, 0.5, h);
    show("double-pendulum", "theta_A(0.5), h = 1 ms", -1.122653701, angle(&s, 0));
    show("double-pendulum", "theta_B(0.5)", -0.528833439, angle(&s, 1));
    show("double-pendulum", "omega_A(0.5)", -2.414308313, spin(&s, 0).z);
    show("double-pendulum", "omega_B(0.5)", -5.949104936, spin(&s, 1).z);
    run(&s, 0.5, h);
    show("double-pendulum", "theta_A(1)", -2.778512565, angle(&s, 0));
    show("double-pendulum", "theta_B(1)", -2.385187350, angle(&s, 1));
    show("double-pendulum", "omega_A(1)", -3.406517533, spin(&s, 0).z);
    show("double-pendulum", "omega_B(1)", -0.516045472, spin(&s, 1).z);
    scene_end(&s);
    s = scene_pendulum_on_block(def(2, h, PERP_START_PLAIN));
    run(&s, 1, h);
    show("pendulum-on-block", "x_C(1), h = 1 ms", 0.552867457, at(&s, 1).x);
    show("pendulum-on-block", "theta_A(1)", -2.862068954, angle(&s, 2));
    show("pendulum-on-block", "theta_B(1)", -2.599408192, angle(&s, 3));
    show("pendulum-on-block", "floor force(1)", 55.44698, floor_force(&s, h));
    show("pendulum-on-block", "7 x_C + 1.5 cos theta_A + 0.5 cos theta_B", 2,
         7 * at(&s, 1).x + 1.5 * cos(angle(&s, 2)) + 0.5 * cos(angle(&s, 3)));
    scene_end(&s);
    for (int fine = 0; fine < 2; fine++) {
        double k = fine ? 5e-4 : 1e-3;
        s = scene_full_planar(def(2, k, PERP_START_PLAIN));
        run(&s, 0.5, k);
        show("full-planar", fine ? "theta_A(0.5), h = 0.5 ms" : "theta_A(0.5), h = 1 ms", 4.527280968, angle(&s, 3));
        show("full-planar", "x_C(0.5)", 0.1, at(&s, 2).x);
        show("full-planar", "B_x(0.5)", -0.578107783, at(&s, 4).x);
        show("full-planar", "B_y(0.5)", -1.402422513, at(&s, 4).y);
        run(&s, 0.5, k);
        show("full-planar", "x_C(1)", 0.3, at(&s, 2).x);
        show("full-planar", "theta_A(1)", 5.498344661, angle(&s, 3));
        show("full-planar", "B_x(1)", 1.381786417, at(&s, 4).x);
        show("full-planar", "B_y(1)", -0.936731722, at(&s, 4).y);
        scene_end(&s);
        k = fine ? 1e-3 : 1e-2;
        s = scene_hanging_rod(def(3, k, PERP_START_PLAIN));
        run(&s, 4, k);
        show("hanging-rod", fine ? "largest joint error, h = 1 ms" : "largest joint error, h = 10 ms",
             fine ? 1.364e-6 : 1.364e-4, total.joint_error);
        scene_end(&s);
    }
}

static void planes(void) {
    static const double distance[] = {1.269507416, 0.677274144, 0.085040872, 0};
    for (int staggered = 0; staggered < 2; staggered++)
        for (int k = 0; k < 4; k++) {
            const double h = 1e-2;
            char what[64];
            scene s = scene_incline(def(3, h, staggered ? PERP_START_STAGGERED : PERP_START_PLAIN), pi / 12, 0.125 * k);
            perp_vec3 from = at(&s, 1);
            run(&s, 1, h);
            snprintf(what, sizeof what, "mu = %g, %s start, h = 10 ms", 0.125 * k, staggered ? "staggered" : "plain");
            show("incline", what, distance[k] * (staggered ? 1 : 1 + h), perp_v3_norm(perp_v3_sub(at(&s, 1), from)));
            if (k == 0 && staggered) show("incline", "mean normal force per corner", 2.368933, floor_force(&s, h) / 4);
            scene_end(&s);
        }
    scene s = scene_sliding_stop(def(2, 1e-3, PERP_START_STAGGERED), 2, 0.3);
    run(&s, 1, 1e-3);
    show("sliding-stop", "x, staggered start, h = 1 ms", 0.679578661, at(&s, 1).x);
    scene_end(&s);
    s = scene_rolling_incline(def(3, 1e-3, PERP_START_STAGGERED), pi / 6, 0.3);
    perp_vec3 from = at(&s, 1);
    run(&s, 1, 1e-3);
    show("rolling-incline", "distance, mu = 0.3, staggered, h = 1 ms", 1.751785714,
         perp_v3_norm(perp_v3_sub(at(&s, 1), from)));
    scene_end(&s);
    s = scene_flat_slide(def(3, 1e-3, PERP_START_STAGGERED), 6, 0.5);
    run(&s, 2, 1e-3);
    show("flat-slide", "x, staggered start, h = 1 ms", 36 / 9.81, at(&s, 1).x);
    show("flat-slide", "height at the end", 0.05, at(&s, 1).z);
    scene_end(&s);
}

static void free_and_chained(void) {
    scene s = scene_momentum_chain(def(2, 1e-3, PERP_START_PLAIN));
    run(&s, 3, 1e-3);
    perp_vec3 p, L, v;
    perp_world_momentum(s.w, &p, NULL);
    if (perp_body_velocity(s.w, s.body[4], &v, NULL)) exit(1);
    show("momentum-chain", "speed at the end", 3 / 3.67, v.x);
    show("momentum-chain", "momentum at the end", 3, p.x);
    scene_end(&s);
    s = scene_spinning_body(def(3, 1e-3, PERP_START_PLAIN));
    run(&s, 1, 1e-3);
    perp_pose X;
    if (perp_body_pose(s.w, s.body[0], &X)) exit(1);
    perp_vec3 w = perp_q_unrotate(X.q, spin(&s, 0));
    show("spinning-body", "body omega_x(1), h = 1 ms", -0.073263308, w.x);
    show("spinning-body", "body omega_y(1)", 2.001157787, w.y);
    show("spinning-body", "body omega_z(1)", 0.091955628, w.z);
    run(&s, 59, 1e-3);
    double e;
    perp_world_energy(s.w, &e, NULL, NULL);
    perp_world_momentum(s.w, NULL, &L);
    show("spinning-body", "kinetic energy(60)", 4.02, e);
    show("spinning-body", "angular momentum(60), norm", sqrt(0.1 * 0.1 + 16 + 0.09), perp_v3_norm(L));
    scene_end(&s);
}

static void hard(void) {
    scene s = scene_painleve_rod(def(2, 1e-6, PERP_START_PLAIN), 1.4);
    run(&s, 1e-6, 1e-6);
    perp_vec3 v;
    if (perp_body_velocity(s.w, s.body[1], &v, NULL)) exit(1);
    show("painleve-rod", "v_x after one step, h = 1e-6", 0.6, v.x);
    show("painleve-rod", "v_y", 0.3, v.y);
    show("painleve-rod", "omega", -1.341640786, spin(&s, 1).z);
    scene_end(&s);
    s = scene_pinch_hold(def(3, 5e-3, PERP_START_PLAIN), 12, 0.7);
    run(&s, 60, 5e-3);
    show("pinch-hold", "drift after 60 s, h = 5 ms", 0, perp_v3_norm(at(&s, 0)));
    scene_end(&s);
    s = scene_mass_ratio(def(3, 5e-3, PERP_START_PLAIN), 1000, 0.5);
    run(&s, 5, 5e-3);
    show("mass-ratio", "deepest overlap, mu = 0.5, h = 5 ms", 0, total.overlap);
    show("mass-ratio", "height of the upper cube", 1.5, at(&s, 2).z);
    scene_end(&s);
    s = scene_tower(def(3, 1e-2, PERP_START_PLAIN), 20, 0.05, 0.5);
    run(&s, 5, 1e-2);
    show("tower-20", "deepest overlap, h = 10 ms", 0, total.overlap);
    show("tower-20", "height of the top sphere", 19.5, at(&s, 20).z);
    scene_end(&s);
}

int main(void) {
    printf("%-18s %-44s %16s %16s %10s\n", "experiment", "quantity", "reference", "measured", "difference");
    pendulums();
    planes();
    free_and_chained();
    hard();
    return 0;
}

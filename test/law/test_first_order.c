/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_first_order.c - springs and dampers advanced by the implicit rule: closed forms of joints, limits and contacts,
 * and what the stepper refuses */
#include "unit/world_help.h"

static perp_world_def def_of(int dim, double h) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    d.stepper = "first-order";
    return d;
}

static void set(perp_world *w, const char *name, double value) {
    char full[64];
    (void)snprintf(full, sizeof full, "first-order.%s", name);
    OK(w, perp_world_set(w, full, value));
}

static void law(perp_world *w, perp_compliance kind, double stiffness, double damping, double mu) {
    OK(w,
       perp_pair_set_all(w, (perp_pair_law){.mu = mu, .compliance = kind, .stiffness = stiffness, .damping = damping}));
}

/* A joint to the world whose frame lies at the world's origin and at the body's. */
static perp_joint_def at_origin(perp_joint_kind kind, perp_body_id b) {
    perp_joint_def j = perp_joint_def_default(kind);
    j.b = b;
    return j;
}

/* One step of a mass that starts at x0: v1 = -h k x0/(m + h b + h^2 k), for every stiffness, damper and step. */
static void mass_on_a_spring(void **state) {
    (void)state;
    const double ks[] = {1, 1e5, 1e10, 1e15}, bs[] = {0, 1, 1e6, 1e12}, hs[] = {1e-6, 1e-3, 0.1, 10}, x0 = 0.7, m = 2;
    for (int c = 0; c < 64; c++) {
        double k = ks[c % 4], b = bs[c / 4 % 4], h = hs[c / 16], S = m + h * b + h * h * k;
        perp_world_def d = def_of(2, h);
        d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w = world_of(&d);
        set(w, "stiffness", k);
        set(w, "damping", b);
        perp_body_def p = perp_body_def_default(PERP_BODY_DYNAMIC);
        p.particle = true;
        p.mass = m;
        p.X_WB = perp_pose_at(x0, 0, 0);
        perp_body_id mass = add_def(w, &p);
        perp_joint_def j = at_origin(PERP_JOINT_REVOLUTE, mass);
        add_joint(w, &j);
        perp_certificate cert = run(w, 1);
        NEAR(velocity_of(w, mass).x, -h * k * x0 / S, 1e-12 * h * k * x0 / S);
        NEAR(pose_of(w, mass).p.x, x0 - h * h * k * x0 / S, 1e-12 * x0);
        BELOW(fabs(cert.ledger.remainder),
              1e-13 * (cert.ledger.kinetic_after + fabs(cert.ledger.spring) + fabs(cert.ledger.drift)));
        for (int i = 0; i < 50; i++) {
            run(w, 1);
            BELOW(fabs(pose_of(w, mass).p.x), x0 * (1 + 1e-12)); /* never farther than at the start */
        }
        perp_world_destroy(w);
    }
}

/* Many joints at one place are one joint of the sum of their stiffnesses, and each bears its part. */
static void redundant_joints(void **state) {
    (void)state;
    for (int e = 0; e < 3; e++) {
        double k = (const double[]){1e3, 1e9, 1e15}[e];
        perp_vec3 end[2];
        for (int many = 0; many < 2; many++) {
            perp_world_def d = def_of(3, 0.01);
            perp_world *w = world_of(&d);
            int n = many ? 7 : 1;
            set(w, "stiffness", k / n);
            set(w, "turn_stiffness", k / n);
            perp_body_id b = add_mass(w, 3, 0.2, perp_pose_at(0, 0, 0));
            perp_joint_id id[7];
            perp_joint_def j = at_origin(PERP_JOINT_REVOLUTE, b);
            j.X_BJ.p = perp_v3(-0.5, 0, 0); /* starts 0.5 away from where it belongs */
            for (int i = 0; i < n; i++) id[i] = add_joint(w, &j);
            run(w, 20);
            end[many] = pose_of(w, b).p;
            perp_wrench first, other;
            OK(w, perp_joint_impulse(w, id[0], &first));
            OK(w, perp_joint_impulse(w, id[n - 1], &other));
            /* the shares are told apart by the compliance alone, the last digits of the inverse mass */
            double share = 1e-9 + 1e-14 * d.h * d.h * k / n;
            BELOW(perp_v3_norm(perp_v3_sub(first.force, other.force)), share * perp_v3_norm(first.force));
            perp_world_destroy(w);
        }
        BELOW(perp_v3_norm(perp_v3_sub(end[0], end[1])), 1e-9);
    }
}

/* A limit with a strong damper is not felt before it is met; then the step ends within it. */
static void limit_is_met(void **state) {
    (void)state;
    perp_world_def d = def_of(2, 1e-3);
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    set(w, "limit_stiffness", 1e4);
    set(w, "limit_damping", 1e9);
    perp_body_def p = perp_body_def_default(PERP_BODY_DYNAMIC);
    p.v_W = perp_v3(-1, 0, 0);
    p.X_WB = perp_pose_at(0.1, 0, 0);
    perp_body_id b = add_def(w, &p);
    perp_joint_def j = at_origin(PERP_JOINT_PRISMATIC, b);
    j.axis[0].limited = true;
    j.axis[0].lo = 0;
    j.axis[0].hi = INFINITY;
    add_joint(w, &j);
    run(w, 99);
    NEAR(velocity_of(w, b).x, -1, 1e-12);
    run(w, 2);
    BELOW(fabs(velocity_of(w, b).x), 1e-3);
    perp_world_destroy(w);
}

/* Rest on a spring, by every form and with friction: depth m g/k, the impulses bear the weight, nothing is lost in the
 * account. With a floor that rises, the ball rides on it at the same depth. */
static void ball_rests(void **state) {
    (void)state;
    const double m = 2, g = 9.81, k = 1e5, r = 0.3;
    for (int c = 0; c < 12; c++) {
        int dim = c % 2 ? 3 : 2;
        perp_world_def d = def_of(dim, 0.01);
        d.form = (perp_form)(c / 2 % 3);
        perp_world *w = world_of(&d);
        bool lift = c >= 6;
        perp_body_def f = perp_body_def_default(PERP_BODY_KINEMATIC);
        if (lift) f.v_W = perp_v3_scale(0.05, up(dim));
        perp_body_id floor = add_def(w, &f);
        add_shape(w, floor, perp_shape_halfspace(up(dim), 0));
        perp_body_id ball = add_mass(w, m, 0.1, at_height(dim, 0, r + 0.01));
        add_shape(w, ball, perp_shape_sphere(r));
        law(w, PERP_LINEAR, k, 50, 0.5);
        for (int i = 0; i < 300; i++) {
            perp_certificate cert = run(w, 1);
            BELOW(fabs(cert.ledger.remainder), 1e-12);
        }
        NEAR(r + height_of(w, floor) - height_of(w, ball), m * g / k, 1e-9);
        const perp_contact *at;
        assert_int_equal(perp_world_contacts(w, &at), 1);
        NEAR(at->impulse_C[0], m * g * d.h, 1e-9);
        perp_world_destroy(w);
    }
}

/* Hertz: f = 4/3 E sqrt(r) d^(3/2); two spheres by the sum of their curvatures. */
static void hertz_depth(void **state) {
    (void)state;
    for (int e = 0; e < 4; e++) {
        double E = (const double[]){1e4, 1e7, 1e11, 1e15}[e], m = 1.5, g = 9.81, r = 0.2, R = 0.5;
        perp_world_def d = def_of(3, 0.01);
        perp_world *w = world_of(&d);
        add_floor(w);
        perp_body_id low = add_mass(w, m, 0.1, perp_pose_at(0, 0, R)),
                     top = add_mass(w, m, 0.1, perp_pose_at(0, 0, 2 * R + r));
        add_shape(w, low, perp_shape_sphere(R));
        add_shape(w, top, perp_shape_sphere(r));
        law(w, PERP_HERTZ, E, 10 * m, 0.3);
        run(w, e == 0 ? 2000 : 300);
        double ground = pow(3 * 2 * m * g / (4 * E * sqrt(R)), 2.0 / 3),
               between = pow(3 * m * g / (4 * E * sqrt(r * R / (r + R))), 2.0 / 3);
        NEAR(R - height_of(w, low), ground, 1e-6 * ground + 1e-15);
        NEAR(R + r - height_of(w, top) + height_of(w, low), between, 1e-6 * between + 1e-15);
        perp_world_destroy(w);
    }
}

/* A box on a foundation sinks in by the pressure over the stiffness, whatever the number of elements; and pressed askew
 * by a couple that keeps all elements pressed, it turns by couple/(stiffness x second moment of the cells). */
static void foundation(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int n = 1; n <= 20; n += n == 1 ? 1 : 9) {
            const double k = 1e6, m = 40, g = 9.81, a = 0.5, b = 0.3, torque = 6;
            perp_world_def d = def_of(dim, 0.01);
            perp_world *w = world_of(&d);
            set(w, "elements", n);
            add_floor(w);
            perp_body_id box = add_mass(w, m, 2, at_height(dim, 0, 0.2));
            add_shape(w, box, dim == 2 ? perp_shape_box(a, 0.2, 1) : perp_shape_box(a, b, 0.2));
            law(w, PERP_FOUNDATION, k, 3e4, 0);
            double width = dim == 2 ? 1 : 2 * b;
            if (n > 1)
                OK(w, perp_body_set_force(w, box, perp_v3(0, 0, 0),
                                          dim == 2 ? perp_v3(0, 0, torque) : perp_v3(0, torque, 0)));
            perp_certificate c = run(w, 400);
            assert_int_equal(c.contacts, dim == 2 ? n : n * n);
            double turn = 0;
            if (n > 1) {
                double second = 0, cell = 2 * a / n;
                for (int i = 0; i < n; i++) second += cell * width * pow((i + 0.5) * cell - a, 2);
                if (dim == 2)
                    OK(w, perp_body_angle(w, box, &turn));
                else
                    turn = 2 * pose_of(w, box).q.y;
                /* gravity helps it over: the centre stands 0.2 above the springs */
                NEAR(turn, torque / (k * second - m * g * 0.2), 1e-3 * torque / (k * second));
            }
            NEAR(0.2 - height_of(w, box), m * g / (k * 2 * a * width), 1e-12 + turn * turn);
            BELOW(fabs(c.ledger.remainder), 1e-13);
            perp_world_destroy(w);
        }
}

/* A box that stands on an edge meets the plane with two of its faces, and bears its weight there: the pressure is that of
 * the area under it. */
static void edge_down(void **state) {
    (void)state;
    const double k = 1e4, m = 10, g = 9.81;
    perp_world_def d = def_of(2, 0.01);
    perp_world *w = world_of(&d);
    set(w, "elements", 200);
    add_floor(w);
    perp_body_id box = add_mass(w, m, 1, perp_pose_at(0, sqrt(0.5), 0));
    perp_pose X = perp_pose_at(0, sqrt(0.5), 0);
    X.q = perp_q_exp(perp_v3(0, 0, PI / 4));
    OK(w, perp_body_set_pose(w, box, X));
    add_shape(w, box, perp_shape_box(0.5, 0.5, 1));
    law(w, PERP_FOUNDATION, k, 1e3, 0);
    run(w, 100); /* balances on its corner for that long */
    double depth = sqrt(0.5) - height_of(w, box);
    NEAR(k * depth * depth, m * g, 0.01 * m * g); /* triangle of height d and base 2 d */
    perp_world_destroy(w);
}

/* Friction without a damper sticks; with one it creeps by its force over it; beyond the cone it slides. */
static void friction(void **state) {
    (void)state;
    const double m = 1, g = 9.81, mu = 0.5, pull = 3, B = 1e4;
    for (int c = 0; c < 6; c++) {
        bool creeps = c % 2;
        perp_world_def d = def_of(3, 0.01);
        d.form = (perp_form)(c / 2);
        perp_world *w = world_of(&d);
        add_floor(w);
        perp_body_id box = add_mass(w, m, 0.1, perp_pose_at(0, 0, 0.1));
        add_shape(w, box, perp_shape_box(0.2, 0.2, 0.1));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu,
                                                   .compliance = PERP_LINEAR,
                                                   .stiffness = 1e6,
                                                   .damping = 100,
                                                   .damping_t = creeps ? B : 0}));
        OK(w, perp_body_set_force(w, box, perp_v3(pull, 0, 0), perp_v3(0, 0, 0)));
        run(w, 100);
        NEAR(velocity_of(w, box).x, creeps ? pull / (4 * B) : 0, 1e-8);
        OK(w, perp_body_set_force(w, box, perp_v3(2 * mu * m * g, 0, 0), perp_v3(0, 0, 0)));
        double v0 = velocity_of(w, box).x;
        run(w, 50);
        NEAR(velocity_of(w, box).x - v0, mu * g * 0.5, 1e-3);
        perp_world_destroy(w);
    }
}

/* Where one constraint acts alone the printed programme is the law; where several share a body and some open it is not,
 * and the judge says so. */
static void printed(void **state) {
    (void)state;
    double height[2], worst[2] = {0, 0};
    for (int as = 0; as < 2; as++) {
        perp_world_def d = def_of(2, 0.01);
        perp_world *w = world_of(&d);
        set(w, "printed", as);
        add_floor(w);
        perp_body_id ball = add_mass(w, 1, 1, perp_pose_at(0, 0.21, 0));
        add_shape(w, ball, perp_shape_sphere(0.2));
        law(w, PERP_LINEAR, 1e5, 1, 0);
        run(w, 100);
        height[as] = height_of(w, ball);
        perp_body_id box = add_mass(w, 1, 0.1, perp_pose_at(2, 0.5, 0));
        add_shape(w, box, perp_shape_box(0.5, 0.5, 1));
        OK(w, perp_body_set_force(w, box, perp_v3(0, -20, 0), perp_v3(0, 0, 12)));
        law(w, PERP_FOUNDATION, 1e5, 1, 0);
        OK(w, perp_body_remove(w, ball)); /* it has no foundation */
        for (int i = 0; i < 100; i++) {
            perp_certificate c = run(w, 1);
            worst[as] = fmax(worst[as], c.law.normal / c.law.scale);
        }
        perp_world_destroy(w);
    }
    NEAR(height[1], height[0], 1e-12);
    BELOW(worst[0], 1e-10);
    BELOW(1e-5, worst[1]);
}

static void refuses(perp_world *w, const char *word) {
    perp_certificate c;
    assert_int_equal(perp_world_step(w, &c), PERP_E_FIT);
    if (!strstr(perp_world_why(w), word)) fail_msg("\"%s\" says nothing of %s", perp_world_why(w), word);
    perp_world_destroy(w);
}

/* A box and a ball on the floor, both a little in it. */
static perp_world *on_floor(perp_world_def d, bool ball) {
    perp_world *w = world_of(&d);
    add_floor(w);
    perp_body_id b = add_mass(w, 1, 0.1, at_height(d.dim, 0, 0.1999));
    add_shape(w, b, ball ? perp_shape_sphere(0.2) : perp_shape_box(0.2, 0.2, 0.2));
    return w;
}

static void refusals(void **state) {
    (void)state;
    perp_world_def d = def_of(2, 0.01), e = d;
    perp_world *w;
    char why[256];
    e.start = PERP_START_STAGGERED;
    assert_int_equal(perp_world_create_why(&e, &w, why, sizeof why), PERP_E_FIT);
    assert_non_null(strstr(why, "plain"));
    e = d;
    e.joint_correction = true;
    assert_int_equal(perp_world_create_why(&e, &w, why, sizeof why), PERP_E_FIT);
    e = d;
    e.contact_model = "standard";
    assert_int_equal(perp_world_create_why(&e, &w, why, sizeof why), PERP_E_FIT);

    w = on_floor(d, true);
    law(w, PERP_HERTZ, 1e9, 0, 0);
    refuses(w, "spheres in 3D");
    d.dim = 3;
    d = def_of(3, 0.01);
    w = on_floor(d, false);
    law(w, PERP_HERTZ, 1e9, 0, 0);
    refuses(w, "spheres in 3D");
    w = on_floor(d, true);
    law(w, PERP_FOUNDATION, 1e9, 0, 0);
    refuses(w, "boxes on half-spaces");
    const perp_pair_law bad[] = {
        {.compliance = PERP_LINEAR, .stiffness = 1e5, .restitution = 0.5},
        {.compliance = PERP_LINEAR, .stiffness = 1e5, .layer = 0.1},
        {.compliance = PERP_LINEAR, .stiffness = 1e5, .stiffness_t = 1e5},
    };
    const char *word[] = {"restitution", "layer", "stiffness_t"};
    for (int i = 0; i < 3; i++) {
        w = on_floor(d, true);
        OK(w, perp_pair_set_all(w, bad[i]));
        refuses(w, word[i]);
    }
    w = on_floor(d, true);
    set(w, "euler", 2);
    refuses(w, "joints only");
    w = on_floor(d, true);
    set(w, "printed", 1);
    law(w, PERP_LINEAR, 1e5, 0, 0.3);
    refuses(w, "no friction");
    w = on_floor(d, true);
    assert_int_equal(perp_world_set(w, "first-order.stiffness", -1), PERP_E_ARG);
    assert_int_equal(perp_world_set(w, "first-order.springiness", 1), PERP_E_NAME);
    perp_world_destroy(w);
}

/* Rigid pairs bounce by Newton's law beside soft ones; a joint, a limit and contacts act together, and the account
 * closes. */
static void all_together(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++) {
        perp_world_def d = def_of(3, 0.005);
        d.form = (perp_form)form;
        perp_world *w = world_of(&d);
        set(w, "stiffness", 1e7);
        set(w, "limit_stiffness", 1e6);
        add_floor(w);
        law(w, PERP_LINEAR, 1e5, 20, 0.4);
        perp_body_id a = add_mass(w, 1, 0.02, perp_pose_at(0, 0, 0.15)),
                     b = add_mass(w, 1, 0.02, perp_pose_at(0.4, 0, 0.4));
        add_shape(w, a, perp_shape_box(0.1, 0.1, 0.1));
        add_shape(w, b, perp_shape_sphere(0.1));
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.a = a;
        j.b = b;
        j.X_AJ.p = perp_v3(0.2, 0, 0.125);
        j.X_BJ.p = perp_v3(-0.2, 0, -0.125);
        j.X_AJ.q = j.X_BJ.q = perp_q_exp(perp_v3(PI / 2, 0, 0)); /* turns about y */
        j.axis[0].limited = true;
        j.axis[0].lo = -0.2;
        j.axis[0].hi = 0.2;
        add_joint(w, &j);
        double most = 0, size = 0;
        for (int i = 0; i < 400; i++) {
            perp_certificate c = run(w, 1);
            most = fmax(most, fabs(c.ledger.remainder));
            size = fmax(size, c.ledger.kinetic_after);
        }
        BELOW(most, 1e-12 * size);
        double kinetic;
        perp_world_energy(w, &kinetic, NULL, NULL);
        BELOW(kinetic, 1e-6);
        BELOW(perp_world_joint_error(w), 1e-4);
        perp_world_destroy(w);
    }
}

/* A tilted box falls on a soft, rough floor and tumbles on it: friction, which slips against its force, adds no energy. What the
 * layer gives back on the way is its own. */
static void tumbling_box(void **state) {
    (void)state;
    perp_world_def d = def_of(2, 0.002);
    perp_world *w = world_of(&d);
    law(w, PERP_LINEAR, 1e4, 25, 0.7);
    add_floor(w);
    perp_body_id b = add_mass(w, 2, 0.005, (perp_pose){perp_v3(0, 0.33, 0), perp_q_exp(perp_v3(0, 0, 1.08))});
    add_shape(w, b, perp_shape_box(0.1, 0.06, 0));
    OK(w, perp_body_set_velocity(w, b, perp_v3(-0.56, 0.43, 0), perp_v3(0, 0, 3)));
    double gain = 0, most = 0;
    for (int i = 0; i < 500; i++) {
        perp_certificate c = go(w, 1);
        gain += c.gain;
        most = fmax(most, c.ledger.kinetic_after);
    }
    BELOW(gain, 1e-9 * most);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_on_a_spring), cmocka_unit_test(redundant_joints), cmocka_unit_test(limit_is_met),
        cmocka_unit_test(ball_rests),       cmocka_unit_test(hertz_depth),      cmocka_unit_test(foundation),
        cmocka_unit_test(edge_down),        cmocka_unit_test(friction),         cmocka_unit_test(printed),
        cmocka_unit_test(refusals),         cmocka_unit_test(all_together),     cmocka_unit_test(tumbling_box),
    };
    return cmocka_run_group_tests_name("law: first-order", tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_space.c - coordinates, kinematics and dynamics in joint space
 * Method   Random trees with every kind of joint, some of them reversed, with particles and free bodies, hung on the world, an
 *          obstacle or a kinematic body. Witnesses: the mass matrix against the sum of J' M J over bodies; Jacobians
 *          against differences of poses; bias against differences of the mass matrix and of energies (Lagrange);
 *          perp_world_step() with h -> 0, which knows nothing of joint space. */
#include "unit/world_help.h"

#define MOST 200

typedef struct dice {
    uint64_t state;
    bool still; /* kinematic bodies stand still */
} dice;

static double roll(dice *d) { /* -1 to 1 */
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(d->state >> 11) / (double)(1ull << 52) - 1;
}
static int pick(dice *d, int n) { return (int)floor((roll(d) + 1) / 2 * n) % n; }
static perp_vec3 any(dice *d, int dim) {
    double x = roll(d), y = roll(d), z = roll(d);
    return perp_v3(x, y, dim == 2 ? 0 : z);
}
static perp_quat any_turn(dice *d, int dim) {
    if (dim == 2) return perp_q_axis_angle(perp_v3(0, 0, 1), 3 * roll(d));
    return perp_q_exp(perp_v3_scale(2, any(d, 3)));
}
static perp_pose any_pose(dice *d, int dim) {
    perp_pose X = {any(d, dim), any_turn(d, dim)};
    return X;
}

/* A dynamic body with any inertia. */
static perp_body_id any_body(perp_world *w, dice *d, bool particle) {
    int dim = perp_world_dim(w);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 1.5 + roll(d);
    perp_mat3 I = perp_m3_diag(1.2 + 0.2 * roll(d), 1 + 0.2 * roll(d), 0.8 + 0.2 * roll(d));
    b.I_B = dim == 2 ? I : perp_inertia_rotate(any_turn(d, 3), I);
    b.I_B = perp_m3_scale(0.5, perp_m3_add(b.I_B, perp_m3_transpose(b.I_B)));
    b.X_WB = any_pose(d, dim);
    b.particle = particle;
    b.no_gravity = pick(d, 5) == 0;
    return add_def(w, &b);
}

/* A forest of n bodies; `plain`: no particles (whose joints leave other motions free). */
static perp_world *any_world(dice *d, int dim, int n, bool plain, perp_body_id *body) {
    perp_world_def wd = perp_world_def_default(dim);
    wd.gravity_W = perp_v3(1.5, -3.2, dim == 2 ? 0 : -8.1);
    wd.h = 1e-3;
    perp_world *w = world_of(&wd);
    perp_body_def od = perp_body_def_default(PERP_BODY_OBSTACLE);
    od.X_WB = any_pose(d, dim);
    perp_body_def kd = perp_body_def_default(PERP_BODY_KINEMATIC);
    kd.X_WB = any_pose(d, dim);
    if (!d->still) {
        kd.v_W = any(d, dim);
        kd.w_W = perp_v3(0, 0, roll(d));
    }
    perp_body_id base[3] = {{0, 0}, add_def(w, &od), add_def(w, &kd)};
    static const perp_joint_kind flat[] = {PERP_JOINT_REVOLUTE, PERP_JOINT_PRISMATIC, PERP_JOINT_FIXED};
    for (int i = 0; i < n; i++) {
        body[i] = any_body(w, d, !plain && pick(d, 4) == 0);
        int to = pick(d, i + 4) - 4; /* -4: free */
        if (to == -4) continue;
        perp_joint_kind kind = dim == 2 ? flat[pick(d, 3)] : (perp_joint_kind)pick(d, PERP_JOINT_COUPLING);
        perp_joint_def j = perp_joint_def_default(kind);
        bool reversed = to >= 0 && pick(d, 3) == 0;
        j.a = to < 0 ? base[to + 3] : body[to];
        j.b = body[i];
        if (reversed) {
            perp_body_id a = j.a;
            j.a = j.b;
            j.b = a;
        }
        j.X_AJ = any_pose(d, dim);
        j.X_BJ = any_pose(d, dim);
        char name[16];
        snprintf(name, sizeof name, "joint%d", i);
        j.name = name;
        add_joint(w, &j);
    }
    if (dim == 3) { /* the model's frame of the first body */
        perp_site_def sd = perp_site_def_default();
        sd.body = body[0];
        sd.X_BS = any_pose(d, 3);
        sd.model = true;
        OK(w, perp_site_add(w, &sd, NULL));
    }
    return w;
}

static perp_joint_space *space_of(perp_world *w) {
    perp_joint_space *s;
    OK(w, perp_world_joint_space(w, NULL, &s));
    assert_true(perp_joint_space_nv(s) < MOST);
    return s;
}

/* Any q near zero and any v. */
static void any_q(dice *d, const perp_joint_space *s, double *q, double *v) {
    double zero[MOST + 50], step[MOST];
    for (int i = 0; i < perp_joint_space_nq(s); i++) zero[i] = 0;
    for (int i = 0; i < perp_joint_space_nlink(s); i++) {
        perp_joint_link l;
        assert_int_equal(perp_joint_space_link(s, i, &l), PERP_OK);
        if (l.nq > l.nv) zero[l.q + l.nq - 4] = 1;
    }
    for (int i = 0; i < perp_joint_space_nv(s); i++) {
        step[i] = 2 * roll(d);
        v[i] = roll(d);
    }
    perp_joint_space_integrate(s, zero, step, 1, q);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Largest difference of two q, as a motion. */
static double apart(const perp_joint_space *s, const double *a, const double *b) {
    double v[MOST], most = 0;
    perp_joint_space_difference(s, a, b, 1, v);
    for (int i = 0; i < perp_joint_space_nv(s); i++) most = fmax(most, fabs(v[i]));
    return most;
}

typedef struct setup {
    int dim;
    bool plain;
} setup;
static setup setups[] = {{2, true}, {3, true}, {2, false}, {3, false}};

/* What is set is read back; joints hold; a world that was stepped says the same as perp_joint_read(). */
static void test_round_trip(void **state) {
    const setup *u = *state;
    dice d = {u->plain ? 7u : 8u, false};
    for (int trial = 0; trial < 30; trial++) {
        perp_body_id body[12];
        perp_world *w = any_world(&d, u->dim, 12, u->plain, body);
        perp_joint_space *s = space_of(w);
        double q[MOST + 50], v[MOST], q2[MOST + 50], v2[MOST];
        assert_int_equal(perp_joint_space_nlink(s), 12);
        assert_int_equal(perp_joint_space_nloop(s), 0);
        any_q(&d, s, q, v);
        OK(w, perp_joint_space_set(s, w, q, v, 0));
        BELOW(perp_world_joint_error(w), 1e-14 * 50);
        OK(w, perp_joint_space_get(s, w, q2, v2));
        BELOW(apart(s, q, q2), 1e-13);
        for (int i = 0; i < perp_joint_space_nv(s); i++) NEAR(v2[i], v[i], 1e-12);
        for (int i = 0; i < 12; i++) { /* depth first; coordinates are those of joints */
            perp_joint_link l;
            assert_int_equal(perp_joint_space_link(s, i, &l), PERP_OK);
            assert_true(l.parent_link < i);
            assert_int_equal(perp_joint_space_link_of(s, l.body), i);
            if (*l.name) assert_int_equal(perp_joint_space_find(s, l.name), i);
            perp_joint_def jd;
            if (!l.joint.gen || l.nq != l.nv) continue;
            OK(w, perp_joint_get(w, l.joint, &jd));
            if (perp_joint_ncoord(jd.kind, u->dim) != l.nv) continue; /* with a particle */
            for (int k = 0; k < l.nv; k++) {
                NEAR(coord_of(w, l.joint, k), q[l.q + k], 1e-12);
                NEAR(rate_of(w, l.joint, k), v[l.v + k], 1e-11);
            }
            assert_int_equal(perp_joint_space_link_of(s, l.reversed ? jd.a : jd.b), i);
        }
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

/* Whole turns of an angle are kept, by the bodies of a 2D world too. */
static void test_turns(void **state) {
    const setup *u = *state;
    perp_world *w = weightless(u->dim, 0.01);
    perp_body_id b[2] = {add_mass(w, 1, 1, perp_pose_identity()), add_mass(w, 1, 1, perp_pose_identity())};
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = b[0];
    j.X_BJ.p = perp_v3(1, 0, 0);
    perp_joint_id first = add_joint(w, &j);
    j.a = b[0];
    j.b = b[1];
    perp_joint_id second = add_joint(w, &j);
    perp_joint_space *s = space_of(w);
    const double q[2] = {40, -33}, v[2] = {3, 2};
    OK(w, perp_joint_space_set(s, w, q, v, 0));
    NEAR(coord_of(w, first, 0), 40, 1e-12);
    NEAR(coord_of(w, second, 0), -33, 1e-12);
    run(w, 10);
    double now[2];
    OK(w, perp_joint_space_get(s, w, now, NULL));
    NEAR(now[0], coord_of(w, first, 0), 0);
    NEAR(now[1], coord_of(w, second, 0), 0);
    BELOW(39.9, now[0]);
    BELOW(now[1], -32);
    perp_joint_space_free(s);
    perp_world_destroy(w);
}

/* Mass matrix against the sum of J' M J, kinetic energy against the world's, centre of mass likewise. */
static void test_mass_matrix(void **state) {
    const setup *u = *state;
    dice d = {u->plain ? 17u : 18u, false};
    static double M[MOST * MOST], sum[MOST * MOST], J[6 * MOST], C[3 * MOST];
    for (int trial = 0; trial < 20; trial++) {
        perp_body_id body[12];
        perp_world *w = any_world(&d, u->dim, 12, u->plain, body);
        perp_joint_space *s = space_of(w);
        int n = perp_joint_space_nv(s);
        double q[MOST + 50], v[MOST];
        any_q(&d, s, q, v);
        OK(w, perp_joint_space_set(s, w, q, v, 0));
        perp_joint_space_mass_matrix(s, M);
        memset(sum, 0, sizeof sum);
        double momentum[3] = {0, 0, 0}, total = 0;
        for (int b = 0; b < 12; b++) {
            const double origin[3] = {0, 0, 0};
            perp_body_def bd;
            OK(w, perp_body_get(w, body[b], &bd));
            OK(w, perp_joint_space_jacobian(s, body[b], origin, J));
            perp_mat3 I = bd.particle ? perp_m3_diag(0, 0, 0) : perp_inertia_rotate(bd.X_WB.q, bd.I_B);
            if (u->dim == 2) I = bd.particle ? I : bd.I_B;
            for (int r = 0; r < n; r++) {
                perp_vec3 lin = perp_v3(J[r], J[n + r], J[2 * n + r]);
                perp_vec3 ang = perp_v3(J[3 * n + r], J[4 * n + r], J[5 * n + r]), L = perp_m3_mul_v(I, ang);
                for (int c = 0; c < n; c++)
                    sum[r * n + c] += bd.mass * (lin.x * J[c] + lin.y * J[n + c] + lin.z * J[2 * n + c]) +
                                      L.x * J[3 * n + c] + L.y * J[4 * n + c] + L.z * J[5 * n + c];
            }
            total += bd.mass;
            momentum[0] += bd.mass * bd.v_W.x;
            momentum[1] += bd.mass * bd.v_W.y;
            momentum[2] += bd.mass * bd.v_W.z;
        }
        double most = 0;
        for (int i = 0; i < n * n; i++) most = fmax(most, fabs(sum[i]));
        for (int i = 0; i < n * n; i++) NEAR(M[i], sum[i], 1e-13 * most);
        double mass, centre[3];
        assert_int_equal(perp_joint_space_subtree(s, -1, &mass, centre), PERP_OK);
        NEAR(mass, total, 1e-12);
        assert_int_equal(perp_joint_space_subtree(s, 12, &mass, centre), PERP_E_ARG);
        assert_int_equal(perp_joint_space_centre_jacobian(s, -1, C), PERP_OK);
        /* what hangs on the kinematic body moves with it too: with v = 0 that is left */
        double still[MOST] = {0}, p0[3] = {0, 0, 0};
        OK(w, perp_joint_space_place(s, w, q, still));
        for (int b = 0; b < 12; b++) {
            double t[6];
            perp_body_def bd;
            OK(w, perp_body_get(w, body[b], &bd));
            OK(w, perp_joint_space_twist(s, body[b], t));
            for (int k = 0; k < 3; k++) p0[k] += bd.mass * t[k];
        }
        for (int k = 0; k < 3; k++) NEAR(total * dot(n, C + k * n, v) + p0[k], momentum[k], 1e-11);
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

/* Jacobians of points and of subtree centres against central differences of poses along v. */
static void test_jacobian(void **state) {
    const setup *u = *state;
    dice d = {u->plain ? 27u : 28u, false};
    static double J[6 * MOST], C[3 * MOST];
    for (int trial = 0; trial < 10; trial++) {
        perp_body_id body[12];
        perp_world *w = any_world(&d, u->dim, 12, u->plain, body);
        perp_joint_space *s = space_of(w);
        int n = perp_joint_space_nv(s);
        double q[MOST + 50], v[MOST], moved[MOST + 50];
        any_q(&d, s, q, v);
        for (int b = 0; b < 12; b++) {
            const double point[3] = {0.3, -0.2, u->dim == 2 ? 0 : 0.7}, e = 1e-4;
            int link = perp_joint_space_link_of(s, body[b]);
            OK(w, perp_joint_space_place(s, w, q, v));
            OK(w, perp_joint_space_jacobian(s, body[b], point, J));
            assert_int_equal(perp_joint_space_centre_jacobian(s, link, C), PERP_OK);
            perp_vec3 at[2];
            perp_quat turn[2];
            double centre[2][3];
            for (int k = 0; k < 2; k++) {
                double X[7];
                perp_joint_space_integrate(s, q, v, k ? e : -e, moved);
                OK(w, perp_joint_space_place(s, w, moved, v));
                OK(w, perp_joint_space_pose(s, body[b], X));
                turn[k] = (perp_quat){X[3], X[4], X[5], X[6]};
                at[k] = perp_v3_add(perp_v3(X[0], X[1], X[2]),
                                    perp_q_rotate(turn[k], perp_v3(point[0], point[1], point[2])));
                perp_joint_space_subtree(s, link, NULL, centre[k]);
            }
            perp_vec3 lin = perp_v3_scale(1 / (2 * e), perp_v3_sub(at[1], at[0]));
            perp_vec3 ang = perp_v3_scale(1 / (2 * e), perp_q_log(perp_q_mul(turn[1], perp_q_conj(turn[0]))));
            const double expected[6] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z};
            for (int k = 0; k < 6; k++) NEAR(dot(n, J + k * n, v), expected[k], 2e-6);
            for (int k = 0; k < 3; k++) NEAR(dot(n, C + k * n, v), (centre[1][k] - centre[0][k]) / (2 * e), 2e-6);
        }
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

/* Inverse dynamics is M a + bias; forward dynamics its inverse. Power of the bias: d/dt of the kinetic energy along a motion with
 * acceleration a is tau . v, less what gravity gives. */
static void test_dynamics(void **state) {
    const setup *u = *state;
    dice d = {u->plain ? 37u : 38u, false};
    static double M[MOST * MOST], work[MOST * MOST];
    for (int trial = 0; trial < 20; trial++) {
        perp_body_id body[12];
        perp_world *w = any_world(&d, u->dim, 12, u->plain, body);
        perp_joint_space *s = space_of(w);
        int n = perp_joint_space_nv(s);
        double q[MOST + 50], v[MOST], a[MOST], tau[MOST], bias[MOST], back[MOST];
        any_q(&d, s, q, v);
        for (int i = 0; i < n; i++) a[i] = 3 * roll(&d);
        OK(w, perp_joint_space_place(s, w, q, v));
        perp_joint_space_mass_matrix(s, M);
        perp_joint_space_bias(s, bias);
        perp_joint_space_inverse_dynamics(s, a, tau);
        double most = 1;
        for (int i = 0; i < n; i++) most = fmax(most, fabs(tau[i]));
        for (int i = 0; i < n; i++) NEAR(tau[i], dot(n, M + i * n, a) + bias[i], 1e-12 * most);
        assert_int_equal(perp_joint_space_forward_dynamics(s, tau, back, work), PERP_OK);
        double residual = 0;
        perp_joint_space_inverse_dynamics(s, back, bias);
        for (int i = 0; i < n; i++) residual = fmax(residual, fabs(bias[i] - tau[i]));
        BELOW(residual, 1e-11 * most);
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

/* Accelerations of bodies by the equations of joint space against differences of twists along the motion: the body equation
 * m a = f summed with Jacobians must be the bias. Independent of the recursion: uses poses and Jacobians only. */
static void test_bias(void **state) {
    const setup *u = *state;
    dice d = {u->plain ? 47u : 48u, true}; /* differences do not move what is kinematic */
    static double J[6 * MOST];
    for (int trial = 0; trial < 10; trial++) {
        perp_body_id body[12];
        perp_world *w = any_world(&d, u->dim, 12, u->plain, body);
        perp_world_def wd = perp_world_get_def(w);
        perp_joint_space *s = space_of(w);
        int n = perp_joint_space_nv(s);
        double q[MOST + 50], v[MOST], moved[MOST + 50], bias[MOST], sum[MOST] = {0};
        any_q(&d, s, q, v);
        OK(w, perp_joint_space_place(s, w, q, v));
        perp_joint_space_bias(s, bias);
        const double e = 1e-4;
        for (int b = 0; b < 12; b++) {
            perp_body_def bd;
            OK(w, perp_body_get(w, body[b], &bd));
            double t[2][6], here[6], X[7];
            const double origin[3] = {0, 0, 0};
            for (int k = 0; k < 2; k++) { /* a = 0: v constant along q + v t */
                perp_joint_space_integrate(s, q, v, k ? e : -e, moved);
                OK(w, perp_joint_space_place(s, w, moved, v));
                OK(w, perp_joint_space_twist(s, body[b], t[k]));
            }
            OK(w, perp_joint_space_place(s, w, q, v));
            OK(w, perp_joint_space_twist(s, body[b], here));
            OK(w, perp_joint_space_pose(s, body[b], X));
            OK(w, perp_joint_space_jacobian(s, body[b], origin, J));
            perp_mat3 I = bd.I_B;
            if (u->dim == 3) I = perp_inertia_rotate((perp_quat){X[3], X[4], X[5], X[6]}, bd.I_B);
            if (bd.particle) I = perp_m3_diag(0, 0, 0);
            double acc[6];
            for (int k = 0; k < 6; k++) acc[k] = (t[1][k] - t[0][k]) / (2 * e);
            perp_vec3 g = bd.no_gravity ? perp_v3(0, 0, 0) : wd.gravity_W, om = perp_v3(here[3], here[4], here[5]);
            perp_vec3 f = perp_v3_scale(bd.mass, perp_v3_sub(perp_v3(acc[0], acc[1], acc[2]), g));
            perp_vec3 L =
                perp_v3_add(perp_m3_mul_v(I, perp_v3(acc[3], acc[4], acc[5])), perp_v3_cross(om, perp_m3_mul_v(I, om)));
            const double F[6] = {f.x, f.y, f.z, L.x, L.y, L.z};
            for (int i = 0; i < n; i++)
                for (int k = 0; k < 6; k++) sum[i] += J[k * n + i] * F[k];
        }
        double most = 1;
        for (int i = 0; i < n; i++) most = fmax(most, fabs(bias[i]));
        for (int i = 0; i < n; i++) NEAR(bias[i], sum[i], 1e-6 * most);
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

/* perp's own step uses only bodies and joint rows. It moves by v h + a h^2/2, with a from joint space, to first order in h. */
static void test_step(void **state) {
    const setup *u = *state;
    dice d = {57, false};
    static double work[MOST * MOST];
    for (int trial = 0; trial < 3; trial++) {
        perp_body_id body[5];
        perp_world *w = any_world(&d, u->dim, 5, true, body);
        perp_joint_space *s = space_of(w);
        int n = perp_joint_space_nv(s);
        double q[MOST + 50], v[MOST], a[MOST] = {0}, moved[MOST], error[2], scale = 1;
        any_q(&d, s, q, v);
        OK(w, perp_joint_space_place(s, w, q, v));
        double tau[MOST] = {0};
        assert_int_equal(perp_joint_space_forward_dynamics(s, tau, a, work), PERP_OK);
        for (int i = 0; i < n; i++) scale = fmax(scale, fabs(a[i]));
        for (int k = 0; k < 2; k++) {
            const double h = k ? 1e-3 : 2e-3;
            double plain[MOST + 50], at[MOST + 50];
            perp_world *copy;
            OK(w, perp_world_clone(w, &copy));
            OK(copy, perp_world_set_h(copy, h));
            OK(copy, perp_joint_space_set(s, copy, q, v, 0));
            run(copy, 1);
            OK(copy, perp_joint_space_get(s, copy, at, NULL));
            perp_world_destroy(copy);
            perp_joint_space_integrate(s, q, v, h, plain);
            perp_joint_space_difference(s, plain, at, h * h / 2, moved);
            error[k] = 0;
            for (int i = 0; i < n; i++) error[k] = fmax(error[k], fabs(moved[i] - a[i]));
        }
        BELOW(error[1], 5e-3 * scale);
        BELOW(error[1], 0.6 * error[0] + 1e-5 * scale); /* the step is solved to 1e-8 of its speeds, over h */
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

static const char *const loop_name[] = {"ground", "coupler", "rocker", "closure"};

/* A four-bar: crank, coupler, rocker on the world; in 3D its closing joint has dependent rows. */
static perp_world *four_bar(int dim, perp_joint_id *joint) {
    perp_world *w = weightless(dim, 1e-3);
    static const double length[] = {1, 2, 1.5};
    perp_body_id b[3];
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    for (int i = 0; i < 3; i++) {
        b[i] = add_mass(w, 1 + i, 0.1 + 0.05 * i, perp_pose_identity());
        j.a = i ? b[i - 1] : (perp_body_id){0, 0};
        j.X_AJ = i ? perp_pose_at(length[i - 1] / 2, 0, 0) : perp_pose_identity();
        j.b = b[i];
        j.X_BJ = perp_pose_at(-length[i] / 2, 0, 0);
        j.name = loop_name[i];
        joint[i] = add_joint(w, &j);
    }
    j.a = (perp_body_id){0, 0};
    j.X_AJ = perp_pose_at(1.8, 0, 0);
    j.b = b[2];
    j.X_BJ = perp_pose_at(length[2] / 2, 0, 0);
    j.name = loop_name[3];
    joint[3] = add_joint(w, &j);
    return w;
}

/* The loop closes to rounding with the crank at the requested angle. Velocities keep it closed. The world then makes steps. */
static void test_loop(void **state) {
    const setup *u = *state;
    perp_joint_id joint[4];
    perp_world *w = four_bar(u->dim, joint);
    perp_joint_space *s = space_of(w);
    assert_int_equal(perp_joint_space_nv(s), 3);
    assert_int_equal(perp_joint_space_nloop(s), 1);
    assert_int_equal(perp_joint_space_loop(s, 0).slot, joint[3].slot);
    for (double crank = 0.2; crank < 6.2; crank += 0.5) {
        double q[3] = {crank, 0.9 - crank, -1.6}, v[3] = {2, 0.1, -0.3};
        const bool hold[3] = {true, false, false};
        if (perp_joint_space_set(s, w, q, v, 1e-9) != PERP_E_ARG) fail_msg("an open loop was accepted");
        assert_non_null(strstr(perp_world_why(w), "does not close the loops"));
        OK(w, perp_joint_space_project(s, w, q, v, hold));
        NEAR(q[0], crank, 0);
        NEAR(v[0], 2, 0);
        BELOW(perp_joint_space_loop_error(s), 1e-14 * 5);
        OK(w, perp_joint_space_set(s, w, q, v, 1e-12));
        BELOW(perp_world_joint_error(w), 1e-13);
        /* the closing point does not move */
        const double point[3] = {0.75, 0, 0};
        double J[18];
        perp_joint_link l;
        assert_int_equal(perp_joint_space_link(s, 2, &l), PERP_OK);
        OK(w, perp_joint_space_jacobian(s, l.body, point, J));
        for (int k = 0; k < 3; k++) NEAR(dot(3, J + 3 * k, v), 0, 1e-12);
        run(w, 20);
        BELOW(perp_world_joint_error(w), 1e-11);
    }
    /* out of reach: refused, nothing changed */
    double far[3] = {0, 0, 0};
    const bool all[3] = {true, true, true};
    uint64_t before = perp_world_hash(w);
    assert_int_equal(perp_joint_space_project(s, w, far, NULL, all), PERP_E_SOLVE);
    assert_true(far[0] == 0 && far[1] == 0 && far[2] == 0 && perp_world_hash(w) == before);
    perp_joint_space_free(s);
    /* another joint closes the loop if asked to */
    perp_joint_space_def sd = perp_joint_space_def_default();
    sd.loop = &joint[1];
    sd.nloop = 1;
    OK(w, perp_world_joint_space(w, &sd, &s));
    assert_int_equal(perp_joint_space_loop(s, 0).slot, joint[1].slot);
    assert_int_equal(perp_joint_space_nv(s), 3);
    perp_joint_space_free(s);
    perp_world_destroy(w);
}

/* Energy of a chain that swings without loss, from q and v alone. */
static void test_energy(void **state) {
    const setup *u = *state;
    perp_world_def wd = perp_world_def_default(u->dim);
    wd.h = 2e-4;
    perp_world *w = world_of(&wd);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    if (u->dim == 3) j.X_AJ.q = j.X_BJ.q = perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2);
    for (int i = 0; i < 3; i++) {
        perp_body_id b = add_mass(w, 1, 0.1, perp_pose_identity());
        j.b = b;
        j.X_BJ.p = perp_v3(-0.5, 0, 0);
        add_joint(w, &j);
        j.a = b;
        j.X_AJ.p = perp_v3(0.5, 0, 0);
    }
    perp_joint_space *s = space_of(w);
    const double start[3] = {0.5, 0.4, -0.8}, rest[3] = {0, 0, 0};
    OK(w, perp_joint_space_set(s, w, start, rest, 0));
    double energy[2];
    for (int k = 0; k < 2; k++) {
        double q[3], v[3], M[9], c[3], m;
        OK(w, perp_joint_space_get(s, w, q, v));
        const double *lent_q, *lent_v;
        perp_joint_space_look(s, &lent_q, &lent_v);
        assert_memory_equal(lent_q, q, sizeof q);
        assert_memory_equal(lent_v, v, sizeof v);
        perp_joint_space_mass_matrix(s, M);
        perp_joint_space_subtree(s, -1, &m, c);
        energy[k] = m * 9.81 * (u->dim == 2 ? c[1] : c[2]);
        for (int i = 0; i < 3; i++) energy[k] += 0.5 * v[i] * dot(3, M + 3 * i, v);
        double kinetic, gravity;
        perp_world_energy(w, &kinetic, &gravity, NULL);
        NEAR(energy[k], kinetic + gravity,
             k ? 1e-4 : 1e-12); /* velocities that are shown keep joints to second order in h */
        if (!k) run(w, 2500);
    }
    NEAR(energy[1], energy[0], 2e-4); /* second order in h: 4e-8 times a few hundred */
    perp_joint_space_free(s);
    perp_world_destroy(w);
}

static void test_sites_and_keyframes(void **state) {
    (void)state;
    perp_world *w = weightless(3, 1e-3);
    perp_body_id b = add_mass(w, 1, 1, perp_pose_at(1, 2, 3)), other = add_mass(w, 1, 1, perp_pose_identity());
    OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), perp_v3(0, 0, 2)));
    perp_site_def d = perp_site_def_default();
    perp_site_id world, tool, gone;
    d.name = "origin";
    OK(w, perp_site_add(w, &d, &world));
    d.body = b;
    d.X_BS = perp_pose_at(0.5, 0, 0);
    d.model = true;
    d.name = "tool";
    OK(w, perp_site_add(w, &d, &tool));
    assert_int_equal(perp_site_add(w, &d, NULL), PERP_E_ARG); /* a second model site */
    d.model = false;
    d.body = other;
    d.name = NULL;
    OK(w, perp_site_add(w, &d, &gone));
    perp_pose X;
    perp_vec3 v, om;
    OK(w, perp_site_read(w, tool, &X, &v, &om));
    NEAR(X.p.x, 1.5, 0);
    NEAR(v.x, 1, 0);
    NEAR(v.y, 1, 1e-15);
    NEAR(om.z, 2, 0);
    assert_int_equal(perp_site_find(w, "tool").slot, tool.slot);
    assert_int_equal(perp_world_sites(w, NULL, 0), 3);
    /* the free body is placed by its model site */
    perp_joint_space *s = space_of(w);
    double q[14], vel[12];
    OK(w, perp_joint_space_get(s, w, q, vel));
    NEAR(q[0], 1.5, 0);
    NEAR(vel[1], 1, 1e-15);
    NEAR(vel[5], 2, 0);
    q[3] = cos(PI / 4), q[6] = sin(PI / 4); /* a quarter turn about z, the site stays */
    perp_keyframe k = {.name = "turned", .q = q, .nq = 14};
    OK(w, perp_keyframe_add(w, &k));
    OK(w, perp_keyframe_add(w, &k)); /* replaces */
    assert_int_equal(perp_world_keyframe_count(w), 1);
    perp_world *copy;
    OK(w, perp_world_clone(w, &copy));
    OK(copy, perp_joint_space_set_keyframe(s, copy, perp_keyframe_find(copy, "turned")));
    perp_pose Xb = pose_of(copy, b);
    NEAR(Xb.p.x, 1.5, 1e-15);
    NEAR(Xb.p.y, 1.5, 1e-15);
    NEAR(velocity_of(copy, b).x, 0, 0);
    perp_world_destroy(copy);
    k.nq = 13;
    OK(w, perp_keyframe_add(w, &k));
    assert_int_equal(perp_joint_space_set_keyframe(s, w, 0), PERP_E_ARG);
    assert_non_null(strstr(perp_world_why(w), "13 numbers in q"));
    q[2] = NAN;
    assert_int_equal(perp_keyframe_add(w, &k), PERP_E_ARG);
    assert_int_equal(perp_joint_space_set(s, w, q, NULL, 0), PERP_E_ARG);
    q[2] = 0, q[3] = q[6] = 0;
    assert_int_equal(perp_joint_space_set(s, w, q, NULL, 0), PERP_E_ARG);
    assert_non_null(strstr(perp_world_why(w), "quaternion"));
    /* sites move with their body, and the joint space reports that it is out of date */
    OK(w, perp_body_remove(w, other));
    assert_int_equal(perp_site_read(w, gone, NULL, NULL, NULL), PERP_E_ARG);
    assert_int_equal(perp_joint_space_get(s, w, NULL, NULL), PERP_E_ARG);
    OK(w, perp_world_renumber(w, NULL));
    assert_int_equal(perp_world_sites(w, NULL, 0), 2);
    OK(w, perp_site_remove(w, perp_site_find(w, "origin")));
    perp_site_def got;
    OK(w, perp_site_get(w, perp_site_find(w, "tool"), &got));
    assert_true(got.model);
    perp_joint_space_free(s);
    perp_world_destroy(w);
}

#define EACH(f)                                                                         \
    cmocka_unit_test_prestate(f, &setups[0]), cmocka_unit_test_prestate(f, &setups[1]), \
        cmocka_unit_test_prestate(f, &setups[2]), cmocka_unit_test_prestate(f, &setups[3])
#define BOTH(f) cmocka_unit_test_prestate(f, &setups[0]), cmocka_unit_test_prestate(f, &setups[1])

int main(void) {
    const struct CMUnitTest tests[] = {EACH(test_round_trip),  BOTH(test_turns),
                                       EACH(test_mass_matrix), EACH(test_jacobian),
                                       EACH(test_dynamics),    EACH(test_bias),
                                       BOTH(test_step),        BOTH(test_loop),
                                       BOTH(test_energy),      cmocka_unit_test(test_sites_and_keyframes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

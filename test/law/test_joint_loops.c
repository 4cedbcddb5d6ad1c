/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_loops.c - closed loops with more joint rows than they need, on a base that stands on a floor with friction
 * Witnesses: the same mechanism built of joints that are not redundant moves alike to rounding; closed forms of a parallelogram and of Bennett's linkage. Rows whose
 * anchors disagree by 1e-8 are solved as quickly, and the certificate states the error. A capture changes nothing. */
#include "oracle/random_problem.h"
#include "thorough.h"
#include "unit/world_help.h"

#define STEPS 120
/* Rounds of joints may end at 1e-12 of the distances from the origin, which are up to 6 times the size of the mechanism. */
#define CLOSED 6e-12

/* A mechanism: a base on a floor, and links. All of it is built in a frame G that is turned about the vertical and moved. */
typedef struct mechanism {
    perp_world *w;
    perp_pose G;
    double size, mass;
    double
        off; /* anchors are off by about this part of the size: the last one along its axis, in which a planar loop cannot give way, others anyhow */
    perp_body_id body[8];
    perp_joint_id joint[16];
    int nbody, njoint;
} mechanism;

static mechanism new_mechanism(double off) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.005;
    mechanism m = {.size = exp(rp_sym()), .mass = exp(2 * rp_sym()), .off = off};
    d.h *= sqrt(m.size); /* the same part of a period */
    m.w = world_of(&d);
    OK(m.w, perp_pair_set_all(m.w, (perp_pair_law){.mu = 0.6}));
    m.G = (perp_pose){perp_v3(rp_sym(), rp_sym(), 0), perp_q_exp(perp_v3(0, 0, 4 * rp_sym()))};
    add_floor(m.w);
    perp_body_id base =
        add_mass(m.w, 40 * m.mass, 10 * m.mass * m.size * m.size, perp_pose_mul(m.G, perp_pose_at(0, 0, m.size)));
    add_shape(m.w, base, perp_shape_box(2 * m.size, 2 * m.size, m.size));
    m.body[m.nbody++] = base;
    return m;
}

/* A link with its centre of mass at a point of G. */
static int link_at(mechanism *m, perp_vec3 at, double mass) {
    perp_pose X = perp_pose_mul(m->G, perp_pose_at(at.x, at.y, at.z));
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = mass * m->mass;
    double i = 0.02 * d.mass * m->size * m->size;
    d.I_B = perp_m3_diag(i, 2 * i, 2.5 * i);
    d.X_WB = X;
    m->body[m->nbody] = add_def(m->w, &d);
    return m->nbody++;
}

/* A joint between links a and b with the frame F of G. */
static void join(mechanism *m, perp_joint_kind kind, int a, int b, perp_pose F) {
    perp_pose X = perp_pose_mul(m->G, F);
    perp_joint_def j = perp_joint_def_default(kind);
    j.a = m->body[a];
    j.b = m->body[b];
    j.X_AJ = perp_pose_mul(perp_pose_inverse(pose_of(m->w, m->body[a])), X);
    j.X_BJ = perp_pose_mul(perp_pose_inverse(pose_of(m->w, m->body[b])), X);
    j.X_BJ.p = perp_v3_axpy(j.X_BJ.p, 0.1 * m->off * m->size, perp_v3(rp_sym(), rp_sym(), rp_sym()));
    if (m->njoint == 3) j.X_BJ.p = perp_v3_axpy(j.X_BJ.p, m->off * m->size, perp_q_rotate(j.X_BJ.q, perp_v3(0, 0, 1)));
    m->joint[m->njoint++] = add_joint(m->w, &j);
}

/* A frame at a point of the vertical plane y = 0 of G, with its z axis along -y. */
static perp_pose pin(double x, double z) { return (perp_pose){perp_v3(x, 0, z), perp_q_exp(perp_v3(PI / 2, 0, 0))}; }

/* What a run came to. */
typedef struct figures {
    double joint_error, remainder, iterations;
    int divided, gave, fallbacks;
} figures;

/* Ends early where a hinge has turned by `most` since the start. */
static figures run_within(mechanism *m, int steps, double most) {
    figures f = {0};
    double turned = 0;
    for (int i = 0; i < steps && turned < most; i++) {
        perp_certificate c;
        OK(m->w, perp_world_step(m->w, &c));
        f.joint_error = fmax(f.joint_error, c.joint_error / m->size);
        f.remainder = fmax(f.remainder, fabs(c.ledger.remainder) / (9.81 * m->mass * m->size));
        f.iterations += (double)c.iterations / steps;
        f.divided += c.substeps > 1;
        f.gave += c.gives;
        f.fallbacks += c.fallbacks;
        for (int k = 0; most < INFINITY && k < m->njoint; k++)
            turned = fmax(turned, fabs(coord_of(m->w, m->joint[k], 0)));
    }
    return f;
}

static figures run_for(mechanism *m, int steps) { return run_within(m, steps, INFINITY); }

/* A four-bar in a vertical plane, from its pins; kind: those of the pins. It falls to one side. */
static void four_bar(mechanism *m, const perp_joint_kind kind[4], const double shape[4]) {
    double s = m->size, z = 2.5 * s, a = (0.8 + 0.3 * shape[0]) * s, c = (1 + 0.3 * shape[1]) * s,
           lean = 0.4 + 0.3 * shape[2];
    perp_vec3 A = {-0.8 * s, 0, z}, D = {0.9 * s, 0, z}, B = {A.x + a * sin(lean), 0, A.z + a * cos(lean)},
              C = {D.x + c * sin(0.2 + 0.2 * shape[3]), 0, D.z + c * cos(0.2 + 0.2 * shape[3])};
    int crank = link_at(m, perp_v3_scale(0.5, perp_v3_add(A, B)), 1),
        rod = link_at(m, perp_v3_scale(0.5, perp_v3_add(B, C)), 2),
        rocker = link_at(m, perp_v3_scale(0.5, perp_v3_add(C, D)), 1.5);
    join(m, kind[0], 0, crank, pin(A.x, A.z));
    join(m, kind[1], crank, rod, pin(B.x, B.z));
    join(m, kind[2], rod, rocker, pin(C.x, C.z));
    join(m, kind[3], rocker, 0, pin(D.x, D.z));
}

static const perp_joint_kind all_revolute[4] = {PERP_JOINT_REVOLUTE, PERP_JOINT_REVOLUTE, PERP_JOINT_REVOLUTE,
                                                PERP_JOINT_REVOLUTE};

/* Four hinges have three rows too many; a hinge, a hinge, a ball and a cylindrical joint have none. */
static void like_one_that_is_not_redundant(void **state) {
    (void)state;
    static const perp_joint_kind enough[4] = {PERP_JOINT_REVOLUTE, PERP_JOINT_REVOLUTE, PERP_JOINT_SPHERICAL,
                                              PERP_JOINT_CYLINDRICAL};
    for (int trial = 0; trial < 4; trial++) {
        double shape[4] = {rp_sym(), rp_sym(), rp_sym(), rp_sym()};
        uint64_t seed = rp_seed;
        mechanism m[2];
        for (int k = 0; k < 2; k++) {
            rp_seed = seed;
            m[k] = new_mechanism(0);
            four_bar(&m[k], k ? enough : all_revolute, shape);
            figures f = run_for(&m[k], STEPS);
            BELOW(f.joint_error, CLOSED);
            BELOW(f.remainder, 1e-9);
            assert_int_equal(f.gave, 0);
        }
        for (int b = 0; b < m[0].nbody; b++) {
            perp_vec3 p = perp_v3_sub(pose_of(m[0].w, m[0].body[b]).p, pose_of(m[1].w, m[1].body[b]).p);
            BELOW(perp_v3_norm(p), 1e-9 * m[0].size);
        }
        perp_vec3 way = velocity_of(m[0].w, m[0].body[2]);
        assert_true(perp_v3_norm(way) > 0.1 * sqrt(m[0].size)); /* it moves */
        for (int k = 0; k < 2; k++) perp_world_destroy(m[k].w);
    }
}

/* A table on three equal cranks in a row, and another one on it: 14 rows too many, two of them in the plane. Tables keep their direction, cranks are parallel. It is
 * looked at until a crank is near the horizontal, where all pins are in a line and tables could turn. */
static void stacked_parallelograms(void **state) {
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        mechanism m = new_mechanism(0);
        double s = m.size, lean = 0.2 + 0.5 * rp_unit(), l = (0.7 + 0.2 * rp_unit()) * s, x = l * sin(lean),
               z = l * cos(lean);
        int table = 0, crank[2][3];
        perp_vec3 at = {0, 0, 2.2 * s};
        for (int floor = 0; floor < 2; floor++) {
            int above = link_at(&m, perp_v3_add(at, perp_v3(x, 0, z)), 2);
            for (int i = 0; i < 3; i++) {
                double foot = at.x + 0.5 * (i - 1) * s;
                crank[floor][i] = link_at(&m, perp_v3(foot + x / 2, 0, at.z + z / 2), 0.5);
                join(&m, PERP_JOINT_REVOLUTE, table, crank[floor][i], pin(foot, at.z));
                join(&m, PERP_JOINT_REVOLUTE, crank[floor][i], above, pin(foot + x, at.z + z));
                if (m.nbody == 8) break; /* the upper table has two cranks */
            }
            at = perp_v3_add(at, perp_v3(x, 0, z));
            table = above;
        }
        figures f = run_within(&m, STEPS, 1.2 - lean);
        BELOW(f.joint_error, CLOSED);
        BELOW(f.remainder, 1e-9);
        assert_int_equal(f.gave, 0);
        perp_quat base = pose_of(m.w, m.body[0]).q,
                  tables[2] = {pose_of(m.w, m.body[1]).q, pose_of(m.w, m.body[table]).q};
        for (int k = 0; k < 2; k++) BELOW(perp_v3_norm(perp_q_log(perp_q_mul(tables[k], perp_q_conj(base)))), 1e-12);
        perp_quat first = pose_of(m.w, m.body[crank[0][0]]).q;
        for (int i = 1; i < 3; i++)
            BELOW(perp_v3_norm(perp_q_log(perp_q_mul(pose_of(m.w, m.body[crank[0][i]]).q, perp_q_conj(first)))), 1e-12);
        perp_world_destroy(m.w);
    }
}

/* Rz(turn) Tx(length) Rx(twist) */
static perp_pose denavit(double turn, double length, double twist) {
    perp_pose z = {perp_v3(0, 0, 0), perp_q_exp(perp_v3(0, 0, turn))},
              x = {perp_v3(length, 0, 0), perp_q_exp(perp_v3(twist, 0, 0))};
    return perp_pose_mul(z, x);
}

/* Four hinges with skew axes that move all the same: tan(t1/2) tan(t2/2) = sin((b + a)/2)/sin((b - a)/2), a and b the twists. */
static void bennett(void **state) {
    (void)state;
    double most = 0;
    for (int trial = 0; trial < 3; trial++) {
        mechanism m = new_mechanism(0);
        double a = 0.5 + 0.2 * rp_unit(), b = 1.2 + 0.2 * rp_unit(), la = 0.5 * m.size, lb = la * sin(b) / sin(a),
               t1 = 0.7 + 0.4 * rp_unit();
        double ratio = sin((b + a) / 2) / sin((b - a) / 2), t2 = 2 * atan(ratio / tan(t1 / 2));
        perp_pose F[5] = {{perp_v3(0, 0, 3.5 * m.size), perp_q_exp(perp_v3(0.6 * rp_sym(), 0.6 * rp_sym(), 0))}};
        for (int i = 0; i < 4; i++)
            F[i + 1] =
                perp_pose_mul(F[i], denavit((i < 2 ? 1 : -1) * (i % 2 ? t2 : t1), i % 2 ? lb : la, i % 2 ? b : a));
        BELOW(perp_v3_norm(perp_v3_sub(F[4].p, F[0].p)), 1e-13 * m.size);
        int link[4] = {0}; /* link i is between axes i and i + 1; the base is the last */
        for (int i = 0; i < 3; i++) link[i] = link_at(&m, perp_v3_scale(0.5, perp_v3_add(F[i].p, F[i + 1].p)), 1);
        for (int i = 0; i < 4; i++) join(&m, PERP_JOINT_REVOLUTE, i ? link[i - 1] : 0, link[i], F[i]);
        figures f = run_for(&m, STEPS);
        BELOW(f.joint_error, CLOSED);
        BELOW(f.remainder, 1e-9);
        double moved = coord_of(m.w, m.joint[0], 0);
        most = fmax(most, fabs(moved));
        NEAR(tan((t1 + moved) / 2) * tan((t2 + coord_of(m.w, m.joint[1], 0)) / 2) / ratio, 1, 1e-10);
        NEAR(coord_of(m.w, m.joint[2], 0), -moved, 1e-11);
        perp_world_destroy(m.w);
    }
    assert_true(most > 0.05);
}

/* Anchors that are off by 1e-8: no velocity closes all of them. Steps are solved as those of the exact one, and errors stay what they were. */
static void rounded_digits(void **state) {
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        double shape[4] = {rp_sym(), rp_sym(), rp_sym(), rp_sym()};
        mechanism m = new_mechanism(1e-8);
        four_bar(&m, all_revolute, shape);
        figures f = run_for(&m, STEPS);
        assert_true(f.joint_error > 1e-10); /* it is told, */
        BELOW(f.joint_error, 1e-7);         /* and does not grow */
        assert_int_equal(f.divided, 0);
        assert_int_equal(f.gave, 0);
        assert_int_equal(f.fallbacks, 0);
        BELOW(f.iterations, 100);
        perp_world_destroy(m.w);
    }
}

/* Impulses of redundant rows are shared out: mirrored cranks bear mirrored loads, and what acts on a link is its change of momentum. */
static void loads_are_shared(void **state) {
    (void)state;
    mechanism m = new_mechanism(0);
    double s = m.size, h = perp_world_h(m.w);
    int table = link_at(&m, perp_v3(0, 0, 3 * s), 2), crank[2];
    for (int i = 0; i < 2; i++) {
        double x = (i ? 0.5 : -0.5) * s;
        crank[i] = link_at(&m, perp_v3(x, 0, 2.5 * s), 0.5);
        join(&m, PERP_JOINT_REVOLUTE, 0, crank[i], pin(x, 2 * s));
        join(&m, PERP_JOINT_REVOLUTE, crank[i], table, pin(x, 3 * s));
    }
    (void)run_for(&m, 2); /* upright: it stands */
    perp_wrench p[4];
    for (int i = 0; i < 4; i++) OK(m.w, perp_joint_impulse(m.w, m.joint[i], &p[i]));
    double weight = 9.81 * m.mass * h;
    NEAR(p[1].force.z + p[3].force.z, 2 * weight, 1e-9 * weight);
    NEAR(p[1].force.z, p[3].force.z, 1e-9 * weight);
    NEAR(p[0].force.z, 1.5 * weight, 1e-9 * weight);
    for (int i = 0; i < 4; i++) BELOW(perp_v3_norm(p[i].torque), 1e-9 * weight * s);
    perp_world_destroy(m.w);
}

static void only_look(const perp_captured *c, void *ctx) {
    (void)c;
    ++*(int *)ctx;
}

/* Bits are the same whether someone looks on or not. */
static void capture_changes_nothing(void **state) {
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        double shape[4] = {rp_sym(), rp_sym(), rp_sym(), rp_sym()};
        uint64_t seed = rp_seed, hash[2];
        int looks = 0;
        for (int k = 0; k < 2; k++) {
            rp_seed = seed;
            mechanism m = new_mechanism(1e-8);
            four_bar(&m, all_revolute, shape);
            if (k) perp_world_set_capture(m.w, &(perp_capture){.look = only_look, .ctx = &looks});
            (void)run_for(&m, STEPS / 4);
            hash[k] = perp_world_hash(m.w);
            perp_world_destroy(m.w);
        }
        assert_true(looks > 0);
        assert_true(hash[0] == hash[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(like_one_that_is_not_redundant),
                                       cmocka_unit_test(stacked_parallelograms),
                                       cmocka_unit_test(bennett),
                                       cmocka_unit_test(rounded_digits),
                                       cmocka_unit_test(loads_are_shared),
                                       cmocka_unit_test(capture_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

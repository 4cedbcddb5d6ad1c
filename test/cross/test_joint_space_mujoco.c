/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_space_mujoco.c - joint space against MuJoCo, an implementation that shares nothing with perp's
 * Method   Random trees of bodies with hinges, slides, balls and free joints are made twice: as a world, and as MJCF text that
 *          MuJoCo reads (mujoco_witness.mjs, the official WebAssembly package from npm). At random q and v: kinematics, mass
 *          matrix, bias, free acceleration. The test is skipped where node or the package is missing. */
#include <unistd.h>

#include "unit/world_help.h"

#define BODIES 9
#define MOST   64 /* nq, nv */

typedef struct part {
    int parent; /* -1: world */
    enum { HINGE, SLIDE, BALL, FREE } kind;
    perp_pose X_PB; /* MJCF frame of the body in that of its parent */
    perp_vec3 com;  /* in the MJCF frame of the body */
    perp_vec3 pin, axis;
    double mass;
    perp_mat3 I;
} part;

static uint64_t dice;
static double roll(void) { /* -1 to 1 */
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(dice >> 11) / (double)(1ull << 52) - 1;
}
static perp_vec3 any(void) {
    double x = roll(), y = roll(), z = roll();
    return perp_v3(x, y, z);
}

static void any_tree(part *p) {
    for (int i = 0; i < BODIES; i++) {
        int at = (int)((roll() + 1) / 2 * (i + 1)) - 1;
        part *b = &p[i];
        b->parent = at < -1 ? -1 : at;
        int kind = (int)((roll() + 1) * 2) % 4;
        b->kind = kind == FREE && b->parent >= 0 ? HINGE : (unsigned)kind;
        b->X_PB = (perp_pose){any(), perp_q_exp(any())};
        b->com = perp_v3_scale(0.3, any());
        b->pin = perp_v3_scale(0.5, any());
        b->axis = perp_v3_unit(any());
        b->mass = 1.5 + roll();
        b->I =
            perp_inertia_rotate(perp_q_exp(any()), perp_m3_diag(1 + 0.2 * roll(), 1 + 0.2 * roll(), 1 + 0.2 * roll()));
    }
}

/* Depth first, as MJCF nests. */
static void write_body(FILE *f, const part *p, int i) {
    static const char *const type[] = {"hinge", "slide", "ball"};
    const part *b = &p[i];
    fprintf(f, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", b->X_PB.p.x, b->X_PB.p.y, b->X_PB.p.z,
            b->X_PB.q.w, b->X_PB.q.x, b->X_PB.q.y, b->X_PB.q.z);
    if (b->kind == FREE)
        fprintf(f, "<freejoint/>");
    else
        fprintf(f, "<joint type='%s' pos='%.17g %.17g %.17g' axis='%.17g %.17g %.17g'/>", type[b->kind], b->pin.x,
                b->pin.y, b->pin.z, b->axis.x, b->axis.y, b->axis.z);
    fprintf(f, "<inertial pos='%.17g %.17g %.17g' mass='%.17g' fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n",
            b->com.x, b->com.y, b->com.z, b->mass, b->I.c[0].x, b->I.c[1].y, b->I.c[2].z, b->I.c[0].y, b->I.c[0].z,
            b->I.c[1].z);
    for (int k = i + 1; k < BODIES; k++)
        if (p[k].parent == i) write_body(f, p, k);
    fprintf(f, "</body>\n");
}

static void write_model(const char *path, const part *p) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "<mujoco><compiler angle='radian'/><option gravity='1.5 -3.2 -8.1'/><worldbody>\n");
    for (int i = 0; i < BODIES; i++)
        if (p[i].parent < 0) write_body(f, p, i);
    fprintf(f, "</worldbody></mujoco>\n");
    assert_int_equal(fclose(f), 0);
}

/* Rotation that takes z to the axis. */
static perp_quat along(perp_vec3 a) {
    return a.z < -0.999999 ? (perp_quat){0, 1, 0, 0} : perp_q_unit((perp_quat){1 + a.z, -a.y, a.x, 0});
}

static void add_part(perp_world *w, const part *p, int i, perp_body_id *body) {
    const part *b = &p[i];
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = b->mass;
    d.I_B = perp_m3_scale(0.5, perp_m3_add(b->I, perp_m3_transpose(b->I)));
    body[i] = add_def(w, &d);
    perp_site_def s = perp_site_def_default();
    s.body = body[i];
    s.model = true;
    s.X_BS.p = perp_v3_neg(b->com);
    OK(w, perp_site_add(w, &s, NULL));
    if (b->kind == FREE) return;
    static const perp_joint_kind kind[] = {PERP_JOINT_REVOLUTE, PERP_JOINT_PRISMATIC, PERP_JOINT_SPHERICAL};
    perp_joint_def j = perp_joint_def_default(kind[b->kind]);
    perp_quat turn = b->kind == BALL ? perp_q_identity() : along(b->axis);
    j.b = body[i];
    j.X_BJ = (perp_pose){perp_v3_sub(b->pin, b->com), turn};
    j.X_AJ = perp_pose_mul(b->X_PB, (perp_pose){b->pin, turn});
    if (b->parent >= 0) {
        j.a = body[b->parent];
        j.X_AJ.p = perp_v3_sub(j.X_AJ.p, p[b->parent].com);
    }
    add_joint(w, &j);
}

/* Bodies in the order of the file: depth first. */
static void add_below(perp_world *w, const part *p, int parent, perp_body_id *body, int *order, int *n) {
    for (int i = 0; i < BODIES; i++) {
        if (p[i].parent != parent) continue;
        order[(*n)++] = i;
        add_part(w, p, i, body);
        add_below(w, p, i, body, order, n);
    }
}

static void read_numbers(FILE *f, double *x, int n) {
    for (int i = 0; i < n; i++) assert_int_equal(fscanf(f, "%lf", &x[i]), 1);
}

/* Runs the witness; NULL if it is not there. */
static FILE *ask(const char *model, const char *input) {
    char command[1024];
    (void)snprintf(command, sizeof command, "node '%s/cross/mujoco_witness.mjs' %s < %s > %s.out 2> %s.err",
                   PERP_TEST_DIR, model, input, model, model);
    int rc = system(command);
    if (rc == 77 * 256 || rc == 127 * 256) return NULL;
    if (rc != 0) fail_msg("the witness failed: %s.err", model);
    char out[256];
    (void)snprintf(out, sizeof out, "%s.out", model);
    return fopen(out, "r");
}

static void test_tree(void **state) {
    static double M[MOST * MOST], witness[MOST * MOST], work[MOST * MOST];
    (void)state;
    char model[64], input[80];
    (void)snprintf(model, sizeof model, "mujoco-%ld.xml", (long)getpid());
    (void)snprintf(input, sizeof input, "%s.in", model);
    for (dice = 1; dice < 6; dice++) {
        uint64_t seed = dice;
        part p[BODIES];
        any_tree(p);
        perp_world_def wd = perp_world_def_default(3);
        wd.gravity_W = perp_v3(1.5, -3.2, -8.1);
        perp_world *w = world_of(&wd);
        perp_body_id body[BODIES];
        int order[BODIES], n = 0;
        add_below(w, p, -1, body, order, &n);
        perp_joint_space *s;
        OK(w, perp_world_joint_space(w, NULL, &s));
        int nq = perp_joint_space_nq(s), nv = perp_joint_space_nv(s);
        assert_true(nq < MOST);
        double q[MOST], v[MOST], x[7 * MOST];
        for (int i = 0; i < nq; i++) q[i] = roll();
        for (int i = 0; i < nv; i++) v[i] = roll();
        OK(w, perp_joint_space_place(s, w, q, v)); /* makes quaternions unit */
        perp_joint_space_read(s, q, NULL);
        write_model(model, p);
        FILE *f = fopen(input, "w");
        assert_non_null(f);
        for (int i = 0; i < nq; i++) fprintf(f, "%.17g ", q[i]);
        for (int i = 0; i < nv; i++) fprintf(f, "%.17g ", v[i]);
        assert_int_equal(fclose(f), 0);
        f = ask(model, input);
        if (!f) {
            perp_joint_space_free(s);
            perp_world_destroy(w);
            print_message("skipped: node or the package @mujoco/mujoco is not there\n");
            skip();
        }
        read_numbers(f, x, 3);
        assert_true((int)x[0] == nq && (int)x[1] == nv && (int)x[2] == BODIES + 1);
        perp_joint_space_mass_matrix(s, M);
        read_numbers(f, witness, nv * nv);
        double most = 0;
        for (int i = 0; i < nv * nv; i++) most = fmax(most, fabs(witness[i]));
        for (int i = 0; i < nv * nv; i++) NEAR(M[i], witness[i], 1e-13 * most);
        double bias[MOST], a[MOST] = {0}, zero[MOST] = {0};
        perp_joint_space_bias(s, bias);
        read_numbers(f, x, nv);
        most = 1;
        for (int i = 0; i < nv; i++) most = fmax(most, fabs(x[i]));
        for (int i = 0; i < nv; i++) NEAR(bias[i], x[i], 1e-13 * most);
        read_numbers(f, x, 3 * (BODIES + 1));
        for (int i = 0; i < BODIES; i++) {
            double X[7];
            OK(w, perp_joint_space_pose(s, body[order[i]], X));
            for (int k = 0; k < 3; k++) NEAR(X[k], x[3 * (i + 1) + k], 1e-13);
        }
        read_numbers(f, x, 4 * (BODIES + 1));
        for (int i = 0; i < BODIES; i++) {
            double X[7], same = 0;
            OK(w, perp_joint_space_pose(s, body[order[i]], X));
            for (int k = 0; k < 4; k++) same += X[3 + k] * x[4 * (i + 1) + k];
            NEAR(fabs(same), 1, 1e-14); /* of either sign */
        }
        double centre[3];
        assert_int_equal(perp_joint_space_subtree(s, -1, NULL, centre), PERP_OK);
        read_numbers(f, x, 3);
        for (int k = 0; k < 3; k++) NEAR(centre[k], x[k], 1e-13);
        assert_int_equal(perp_joint_space_forward_dynamics(s, zero, a, work), PERP_OK);
        read_numbers(f, x, nv);
        most = 1;
        for (int i = 0; i < nv; i++) most = fmax(most, fabs(x[i]));
        for (int i = 0; i < nv; i++) NEAR(a[i], x[i], 1e-11 * most);
        fclose(f);
        perp_joint_space_free(s);
        perp_world_destroy(w);
        dice = seed;
    }
    (void)remove(input);
    (void)remove(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

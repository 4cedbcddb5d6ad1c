/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* controller.c - your own controller, and the one that is built in.
 *
 * A cart on a rail carries a pole, hinged at its foot and tilted by 0.2 rad; a function of ours reads the joints once
 * per step and gives the cart a force that puts all four poles of the linearised system at -3/s. Beside it a built-in
 * PD controller lifts an arm to 45 degrees. Expect: after 8 s the cart stands at its target, x = 0.5 m, with the pole
 * upright, both to 1e-4; the arm hangs below its target where kp (target - angle) = m g l cos(angle), as a PD
 * controller without integral part does, to 1e-6 N m. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

typedef struct balance {
    perp_joint_id rail, hinge;
    double target;
    double kx, kv, ka, kw; /* force per position, speed, angle, angular rate */
    double most;           /* largest force it asked for, for the report */
} balance;

/* Called once at the start of every step, which then holds the force, as a digital controller does. */
static void push_cart(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    balance *b = ctx;
    double x, v, a, om;
    (void)t;
    if (perp_joint_read(w, b->rail, &x, &v) || perp_joint_read(w, b->hinge, &a, &om)) return; /* *out is zero */
    out->force.x = -(b->kx * (x - b->target) + b->kv * v + b->ka * a + b->kw * om);
    b->most = fmax(b->most, fabs(out->force.x));
}

/* Gains that give (s + r)^4 for  x'' = a1 F + a2 angle,  angle'' = b1 F + b2 angle  (cart M, pole m with centre at l).
 * */
static void place_poles(balance *b, double M, double m, double l, double J, double g, double r) {
    double D = (M + m) * J - m * m * l * l, a1 = J / D, b1 = m * l / D, b2 = (M + m) * m * g * l / D,
           c = -m * g * l / D;
    b->kx = r * r * r * r / c;
    b->kv = 4 * r * r * r / c;
    b->ka = (6 * r * r + b2 - a1 * b->kx) / b1;
    b->kw = (4 * r - a1 * b->kv) / b1;
}

static perp_body_id add_body(perp_world *w, double mass, double inertia, perp_pose X) {
    perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    bd.mass = mass;
    bd.I_B = perp_m3_diag(0, 0, inertia);
    bd.X_WB = X;
    perp_body_id b;
    must(w, perp_body_add(w, &bd, &b));
    return b;
}

static perp_joint_id add_joint(perp_world *w, perp_joint_kind kind, perp_body_id a, perp_pose X_AJ, perp_body_id b,
                               perp_pose X_BJ) {
    perp_joint_def jd = perp_joint_def_default(kind);
    jd.a = a;
    jd.b = b;
    jd.X_AJ = X_AJ;
    jd.X_BJ = X_BJ;
    perp_joint_id j;
    must(w, perp_joint_add(w, &jd, &j));
    return j;
}

int main(void) {
    const double M = 1, m = 0.2, L = 1, tilt = 0.2, g = 9.81, pi = acos(-1);
    const perp_body_id world = {0};
    const perp_pose here = perp_pose_identity();
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w = NULL;
    must(w, perp_world_create(&wd, &w));

    /* the cart on its rail (in 2D a prismatic joint slides along x), the pole on the cart: angle 0 is upright */
    perp_body_id cart = add_body(w, M, 0.1, here);
    perp_body_id pole = add_body(w, m, m * L * L / 12, perp_pose_2d(-L / 2 * sin(tilt), L / 2 * cos(tilt), tilt));
    balance b = {.target = 0.5};
    b.rail = add_joint(w, PERP_JOINT_PRISMATIC, world, here, cart, here);
    b.hinge = add_joint(w, PERP_JOINT_REVOLUTE, cart, here, pole, perp_pose_2d(0, -L / 2, 0));
    place_poles(&b, M, m, L / 2, m * L * L / 3, g, 3);
    perp_force_def fd = perp_force_def_default(PERP_FORCE_USER);
    fd.b = cart;
    fd.user = push_cart;
    fd.ctx = &b;
    must(w, perp_force_add(w, &fd, NULL));

    /* an arm on a hinge of its own, with the PD controller of the library */
    perp_body_id arm = add_body(w, 1, 0.25 / 12, perp_pose_2d(3.25, 0, 0));
    perp_joint_id elbow =
        add_joint(w, PERP_JOINT_REVOLUTE, world, perp_pose_2d(3, 0, 0), arm, perp_pose_2d(-0.25, 0, 0));
    perp_force_def pd = perp_force_def_default(PERP_FORCE_PD);
    pd.joint = elbow;
    pd.kp = 100;
    pd.kd = 5;
    pd.target = pi / 4;
    must(w, perp_force_add(w, &pd, NULL));

    double x = 0, a = 0, lift = 0, worst = 0;
    while (perp_world_time(w) < 8) {
        perp_certificate c;
        must(w, perp_world_step(w, &c));
        must(w, perp_joint_read(w, b.rail, &x, NULL));
        must(w, perp_joint_read(w, b.hinge, &a, NULL));
        must(w, perp_joint_read(w, elbow, &lift, NULL));
        worst = fmax(worst, fabs(a));
        if (perp_world_steps(w) % 1000 == 0)
            printf("t = %.0f s   cart %9.6f m   pole %+9.6f rad   arm %.6f rad\n", c.t, x, a, lift);
    }
    double balance_of_arm = 100 * (pi / 4 - lift) - 1 * g * 0.25 * cos(lift);
    printf("the pole leant by at most %.3f rad, the cart was pushed with at most %.1f N\n", worst, b.most);
    printf("the arm hangs %.4f rad below its target; torques balance to %.1e N m\n", pi / 4 - lift,
           fabs(balance_of_arm));
    perp_world_destroy(w);

    if (fabs(x - 0.5) > 1e-4 || fabs(a) > 1e-4 || fabs(balance_of_arm) > 1e-6) {
        printf("not as expected\n");
        return 1;
    }
    return 0;
}

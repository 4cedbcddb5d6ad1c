/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pendulum.c - a rod swings on a hinge in the plane: joints, their coordinates, and energy.
 *
 * A slender rod, 1 m and 1 kg, is let go from the horizontal. Expect: at the bottom it turns at sqrt(3 g/L) = 5.424942
 * rad/s, and the hinge then carries 2.5 times the weight, 24.525 N. The energy wavers by an amount of second order in the step,
 * and has no trend. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

int main(void) {
    const double L = 1, g = 9.81, pi = acos(-1);
    perp_world_def wd = perp_world_def_default(2); /* gravity along -y */
    perp_world *w = NULL;
    must(w, perp_world_create(&wd, &w));

    perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    bd.X_WB = perp_pose_2d(L / 2, 0, 0); /* the body frame sits in the centre of mass */
    bd.mass = 1;
    bd.I_B = perp_m3_diag(0, 0, L * L / 12);
    perp_body_id rod;
    must(w, perp_body_add(w, &bd, &rod));

    perp_joint_def jd = perp_joint_def_default(PERP_JOINT_REVOLUTE); /* jd.a stays {0}: the world */
    jd.b = rod;
    jd.X_BJ = perp_pose_2d(-L / 2, 0, 0);
    perp_joint_id hinge;
    must(w, perp_joint_add(w, &jd, &hinge));

    double fastest = 0, pull = 0, most = 0, least = 0, error = 0;
    while (perp_world_time(w) < 10) {
        perp_certificate c;
        must(w, perp_world_step(w, &c));
        double angle, rate, kinetic, potential;
        perp_wrench on_rod;
        must(w, perp_joint_read(w, hinge, &angle, &rate));
        must(w, perp_joint_impulse(w, hinge, &on_rod));
        if (fabs(rate) > fastest) {
            fastest = fabs(rate);
            pull = on_rod.force.y / wd.h; /* impulse over the step -> mean force */
        }
        perp_world_energy(w, &kinetic, &potential, NULL);
        most = fmax(most, kinetic + potential);
        least = fmin(least, kinetic + potential);
        error = fmax(error, c.joint_error);
        if (perp_world_steps(w) % 1000 == 0)
            printf("t = %4.1f s   angle %8.3f deg   rate %7.3f rad/s\n", c.t, angle * 180 / pi, rate);
    }
    printf("fastest %.6f rad/s (sqrt(3 g/L) = %.6f), hinge then pulls with %.3f N (2.5 m g = %.3f)\n", fastest,
           sqrt(3 * g / L), pull, 2.5 * g);
    printf("energy stayed within %+.1e .. %+.1e J of its start, the hinge within %.1e m\n", least, most, error);
    perp_world_destroy(w);

    if (fabs(fastest - sqrt(3 * g / L)) > 5e-4 || fabs(pull - 2.5 * g) > 5e-3 || most > 1e-3 || least < -1e-3 ||
        error > 1e-5) {
        printf("not as expected\n");
        return 1;
    }
    return 0;
}

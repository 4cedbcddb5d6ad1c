/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* inertia.c - inertias that a body can have, and the nearest one of those.
 *
 * A body has principal moments a <= b <= c with a > 0 and a + b >= c: with second moments x, y, z >= 0 of its mass they are y + z, x + z, x + y.
 * The nearest such triple in the sum of squares is found in the second moments s - a, s - b, s - c with s = (a + b + c)/2: negative
 * ones are set to zero. Axes stay. Moments that vanish get LEAST of the largest one. */
#include <math.h>
#include <stdio.h>

#include "robot/model/robot.h"

/* [1] Fraction of the largest moment by which the sum of the other two may stay below it: files have few digits. */
#define ROUNDING 1e-6
#define LEAST    1e-6 /* [1] least repaired moment, as a fraction of the largest */

static perp_mat3 rebuilt(perp_mat3 V, perp_vec3 d) {
    return perp_m3_mul(perp_m3_mul(V, perp_m3_diag(d.x, d.y, d.z)), perp_m3_transpose(V));
}

/* Nearest admissible moments. */
static perp_vec3 nearest(perp_vec3 d, double mass) {
    double s = (d.x + d.y + d.z) / 2;
    perp_vec3 second = perp_v3(fmax(0, s - d.x), fmax(0, s - d.y), fmax(0, s - d.z));
    perp_vec3 near = perp_v3(second.y + second.z, second.x + second.z, second.x + second.y);
    double most = fmax(near.x, fmax(near.y, near.z));
    if (!(most > 0)) most = mass * 1e-4; /* no moment at all: a body of the size of a centimetre */
    double least = LEAST * most;
    return perp_v3(fmax(near.x, least), fmax(near.y, least), fmax(near.z, least));
}

perp_status pp_robot_check_inertia(pp_import *m, const pp_xml *e, const char *what, bool part, perp_mass *mass) {
    perp_mat3 V;
    perp_vec3 d = perp_m3_eigen(mass->I_B, &V); /* ascending */
    double a = d.x, b = d.y, c = d.z;
    if (part && fabs(a) <= 1e-12 * c) a = 0;
    bool positive = (part ? a >= 0 : a > 1e-12 * c) && isfinite(a) && isfinite(c),
         triangle = a + b >= c * (1 - ROUNDING);
    if (positive && a + b >= c) return PERP_OK;
    if (positive && triangle) { /* within the rounding of printed digits: corrected without a note */
        perp_vec3 n = part ? d : nearest(d, mass->mass);
        mass->I_B = rebuilt(V, n);
        return PERP_OK;
    }
    if (!m->options.repair)
        return pp_robot_say(
            m, PERP_E_ARG, e,
            "found an inertia that no body can have: its principal moments are %.6g, %.6g and %.6g; "
            "allowed: %s; --repair takes the nearest one",
            a, b, c, positive ? "moments of which no two add up to less than the third" : "three moments above 0");
    perp_vec3 n = nearest(d, mass->mass);
    mass->I_B = rebuilt(V, n);
    return pp_robot_note(m, PERP_IMPORT_REPAIRED, e,
                         "%s: principal moments %.6g, %.6g, %.6g, which no body can have, became %.6g, %.6g, %.6g",
                         what, a, b, c, n.x, n.y, n.z);
}

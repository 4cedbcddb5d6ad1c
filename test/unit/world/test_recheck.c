/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Rows that are not measured again, because a bound says that they cannot be the worst: the figures are those of all rows. */
#include "check.h"

#include <string.h>

#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "stage/frame.h"
#include "stage/certify/certify.h"

enum { STICK, SLIDE, NEAR_RIM, OPEN, ANYTHING, KINDS };

static rp_step s;
static double nu[6 * RP_BLOCKS], p_joint[RP_ROWS], p_contact[3 * RP_ROWS], p_spin[RP_ROWS], sigma[RP_ROWS];

/* Friction of contact i: at rest but for a little, sliding with friction against it on the rim or just inside, or whatever. */
static void set_contact(int i, int kind) {
    perp_contact_row *c = &s.contact[i];
    double *p = p_contact + 3 * i, little = pow(10, -3 - 13 * rp_unit());
    bool plane = s.p.dim == 2;
    double slip[2] = {kind == STICK ? little * rp_sym() : rp_sym(), plane           ? 0
                                                                    : kind == STICK ? little * rp_sym()
                                                                                    : rp_sym()};
    double angle = atan2(-slip[1], -slip[0]) + (kind == ANYTHING || plane ? 0 : little * rp_sym()), part = 1;
    if (kind == STICK || kind == ANYTHING) part = 1.2 * rp_unit();
    if (kind == NEAR_RIM) part = 1 - little;
    p[0] = kind == OPEN ? 0 : kind == ANYTHING ? rp_sym() : rp_unit();
    if (plane)
        p[1] = part * c->mu * p[0] * (slip[0] > 0 ? -1 : 1), p[2] = 0;
    else
        p[1] = part * c->mu * p[0] * cos(angle), p[2] = part * c->mu * p[0] * sin(angle);
    c->b_n = -rp_dot(&s, &c->n, nu) + (kind == OPEN ? rp_unit() : kind == ANYTHING ? rp_sym() : little * rp_sym());
    c->b_t = slip[0] - rp_dot(&s, &c->t, nu);
    c->b_o = plane ? 0 : slip[1] - rp_dot(&s, &c->o, nu);
}

static void same(const char *what, double a, double b) {
    if (!(fabs(a - b) <= 1e-15 + 1e-12 * fabs(b))) fail_msg("%s: %.17g instead of %.17g", what, a, b);
}

static void worst_figures_are_the_same(void **state) {
    (void)state;
    for (int round = 0; round < 20000; round++) {
        int dim = 2 + round % 2, form = rp_int(3);
        rp_options o = {.dim = dim,
                        .blocks = 1 + rp_int(4),
                        .contacts = 1 + rp_int(6),
                        .bilateral = rp_int(3),
                        .springs = rp_int(2),
                        .limits = rp_int(2),
                        .boxes = rp_int(3),
                        .mu = 0.9,
                        .nd = form == 0   ? -1
                              : form == 1 ? 4
                                          : 0,
                        .mass_ratio = 1e4};
        rp_step_make(&s, &o);
        int one = rp_int(KINDS);
        for (int i = 0; i < s.p.ndof; i++) nu[i] = rp_sym();
        for (int j = 0; j < s.p.njoint; j++) {
            p_joint[j] = rp_sym();
            if (rp_int(2)) s.joint[j].b = -rp_dot(&s, &s.joint[j].row, nu) + 1e-9 * rp_sym();
        }
        for (int i = 0; i < s.p.ncontact; i++) {
            if (form == 0) s.contact[i].nd = PERP_CONE_DIRECTIONS;
            if (rp_int(8) == 0) s.contact[i].compliance = rp_unit();
            set_contact(i, rp_int(4) ? one : rp_int(KINDS));
        }
        perp_step_solution x = {.nu = nu, .p_joint = p_joint, .p_contact = p_contact, .p_spin = p_spin, .sigma = sigma};
        perp_step_residual all = pp_step_residual_at(&s.p, &x, 1);
        for (int told = 0; told < 3; told++) { /* nothing, a part, or all of it was told before */
            perp_step_residual law = {0};
            if (told == 1) law = (perp_step_residual){.joint = 1e-6, .normal = 1e-6, .dissipation = 1e-6};
            if (told == 2) law = all;
            pp_recheck_rows(&s.p, &x, &law);
            same("joint", law.joint, told == 1 ? fmax(1e-6, all.joint) : all.joint);
            same("normal", law.normal, told == 1 ? fmax(1e-6, all.normal) : all.normal);
            same("cone", law.cone, all.cone);
            same("dissipation", law.dissipation, told == 1 ? fmax(1e-6, all.dissipation) : all.dissipation);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(worst_figures_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

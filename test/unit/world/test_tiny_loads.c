/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A load that fades, by the rounding of a division each step, down to where its square is no number any more (a disc that
 * has been pressed against a wall and falls along it) is judged as what it is: as good as none. */
#include "check.h"

#include <string.h>

/* A body at rest but for its fall along t, pressed along n by p, which friction resists by its full share. */
static perp_step_residual judged(int dim, int nd, double p, double fall) {
    static double M[36], Minv[36], momentum[6];
    int ndof = dim == 2 ? 3 : 6, offset = 0;
    memset(M, 0, sizeof M);
    memset(Minv, 0, sizeof Minv);
    for (int i = 0; i < ndof; i++) M[7 * i] = 2, Minv[7 * i] = 0.5;
    double nu[6] = {0}, impulse[3] = {p, 0.5 * p, 0}, sigma[1] = {fall}, none[1] = {0};
    nu[1] = -fall;
    for (int i = 0; i < 6; i++) momentum[i] = 2 * nu[i];
    momentum[0] -= p;
    momentum[1] -= 0.5 * p;
    perp_contact_row c = {.mu = 0.5, .nd = nd};
    c.n = c.t = c.o = c.r = (perp_row){.block = {-1, 0}};
    c.n.J[1][0] = c.t.J[1][1] = 1;
    if (dim == 3) c.o.J[1][2] = 1;
    perp_step_problem s = {.dim = dim,
                           .h = 5e-3,
                           .nblock = 1,
                           .ndof = ndof,
                           .block_ndof = &ndof,
                           .block_offset = &offset,
                           .M = M,
                           .Minv = Minv,
                           .momentum = momentum,
                           .ncontact = 1,
                           .contact = &c};
    perp_step_solution x = {.nu = nu, .p_joint = none, .p_contact = impulse, .sigma = sigma, .p_spin = none};
    return perp_step_problem_residual(&s, &x);
}

static void fades(void **state) {
    (void)state;
    static const struct {
        int dim, nd;
    } law[] = {{2, 2}, {2, PERP_CONE_DIRECTIONS}, {3, 4}, {3, 8}, {3, PERP_CONE_DIRECTIONS}};
    for (int k = 0; k < 5; k++)
        for (double p = 1; p > 0; p *= 0x1p-53) {
            perp_step_residual r = judged(law[k].dim, law[k].nd, p, 1.5);
            assert_below(r.cone, 1e-15 + 1e-15 * p);
            assert_below(r.dissipation, 1e-15 + 1e-15 * p);
            assert_below(r.normal, 1e-15);
            assert_below(r.momentum, 1e-15);
        }
}

/* But not where it is against the laws: friction beyond its share, of a load of any size, is seen. */
static void law_is_seen(void **state) {
    (void)state;
    for (double p = 1; p > 1e-150; p *= 0x1p-53) {
        perp_step_residual r = judged(2, 2, p, -1.5); /* along the slip, not against it */
        assert_true(r.dissipation > 0.2 * p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fades), cmocka_unit_test(law_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

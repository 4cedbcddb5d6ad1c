/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loop.c - joints that close loops, and couplings between the coordinates of joints: their errors in the configuration, and q, v at which there are none
 * Problem  phi(q) = 0 and J(q) v + phi_t = 0 for the locked motions of those joints, from a q that is near.
 * Method   Newton with the smallest step in the metric of the mass matrix, dq = -M^-1 J' (J M^-1 J')^+ phi. Locked motions of a loop
 *          often depend on each other (a planar four-bar in space has five for two), hence the pseudo-inverse. Iteration ends when
 *          the error no longer falls and is rounding of the lengths involved. v: one such step with J v.
 * Valid    From a q whose error is small against the links; a singular pose (dead point) converges slowly or not. */
#include "joint_space/joint_space_internal.h"
#include "model/coupling.h"

#define MOST_STEPS   60    /* Newton: 5 or so from near; halved steps from far need more */
#define MOST_HALVING 12    /* of a step that does not lower the error */
#define RANK         1e-11 /* of the Schur complement with unit diagonal: relative dependence of 3e-6 between two rows */
#define ROUNDING     1e-13 /* error at which loops are closed, over the size of the configuration */

/* A side of a loop's joint as the formulas of joints want it. */
static pp_joint_side side_of(const perp_joint_space *s, int k, int which) {
    int slot = which ? s->loop_b[k] : s->loop_a[k];
    int link = slot >= 0 ? s->link_of[slot] : -1;
    const pp_motion_of *m = link >= 0 ? &s->at[link] : &s->loop_base[2 * k + which];
    pp_joint_side side = {.X_WB = m->X, .theta = m->theta, .v = m->v, .w = m->w, .block = link >= 0 ? which : -1};
    if (link >= 0) side.ndof = s->link[link].particle ? s->dim : s->dim == 2 ? 3 : 6;
    return side;
}

/* The link whose joint has the coordinate of a term; -1: it is not in the forest, or has other coordinates there. */
static int link_of_term(const perp_joint_space *s, const perp_joint_term *t) {
    for (int i = 0; i < s->nlink; i++)
        if (s->link[i].joint == (int)t->joint.slot)
            return s->link[i].turn != PP_LINK_BALL && t->coord < s->link[i].nv ? i : -1;
    return -1;
}

/* The sum of coupling k, which is its error, its rate and its gradient (NULL: not wanted). False: a coordinate is that of a joint that closes
 * a loop; such couplings are not kept here. */
static bool coupling_of(const perp_joint_space *s, int k, double *x, double *rate, double *gradient) {
    const perp_joint_def *d = &s->loop_def[k];
    *x = d->offset;
    *rate = 0;
    for (int i = 0; i < d->nterm; i++) {
        const perp_joint_term *t = &d->term[i];
        int link = link_of_term(s, t);
        if (link < 0) return false;
        int v = s->link[link].v + t->coord;
        double q = s->q[s->link[link].q + t->coord], slope = pp_term_slope(t, q);
        *x += pp_term_value(t, q);
        *rate += slope * s->vel[v];
        if (gradient) gradient[v] += slope;
    }
    return true;
}

double perp_joint_space_loop_error(perp_joint_space *s) {
    double most = 0;
    for (int k = 0; k < s->nloop; k++) {
        double x, rate;
        if (pp_kind_couples(s->loop_def[k].kind)) {
            if (coupling_of(s, k, &x, &rate, NULL) && !(fabs(x) <= most)) most = fabs(x);
            continue;
        }
        pp_joint_side a = side_of(s, k, 0), b = side_of(s, k, 1);
        double phi[6];
        int n = pp_joint_errors(&s->loop_def[k], s->dim, &a, &b, phi);
        for (int i = 0; i < n; i++)
            if (!(fabs(phi[i]) <= most)) most = fabs(phi[i]);
    }
    return most;
}

/* Adds the gradient of a row's part J on one body to the gradient in joint space. */
static void pull_back(const perp_joint_space *s, int slot, const double J[6], double *gradient) {
    int link = slot >= 0 ? s->link_of[slot] : -1;
    if (link < 0) return;
    bool planar = s->dim == 2;
    perp_vec3 lin = perp_v3(J[0], J[1], planar ? 0 : J[2]);
    perp_vec3 ang = planar ? perp_v3(0, 0, J[2]) : perp_v3(J[3], J[4], J[5]);
    if (s->link[link].particle) ang = perp_v3(0, 0, 0);
    pp_joint_space_push(s, link, lin, ang, gradient);
}

/* Row m: its error, and s->gradient by the velocities that may change. */
static void put_row(perp_joint_space *s, int n, int m, double error) {
    s->error[m] = error;
    for (int c = 0; c < s->nv; c++)
        if (s->map[c] >= 0) s->row[(size_t)m * (size_t)n + (size_t)s->map[c]] = s->gradient[c];
}

/* Errors (position) or their rates (velocity) of all loops into s->error, gradients into s->row by columns of n. @return how many */
static int gather(perp_joint_space *s, int n, bool rates) {
    int m = 0;
    for (int k = 0; k < s->nloop; k++) {
        if (pp_kind_couples(s->loop_def[k].kind)) {
            double x, rate;
            memset(s->gradient, 0, (size_t)s->nv * sizeof *s->gradient);
            if (coupling_of(s, k, &x, &rate, s->gradient)) put_row(s, n, m++, rates ? rate : x);
            continue;
        }
        pp_joint_side a = side_of(s, k, 0), b = side_of(s, k, 1);
        perp_joint_def def = s->loop_def[k];
        for (int i = 0; i < PERP_JOINT_MAX_COORD; i++) /* locked motions alone */
            def.axis[i] = (perp_joint_axis){.lo = -INFINITY, .hi = INFINITY};
        perp_joint_row row[PP_JOINT_MAX_ROWS];
        const double coord[PERP_JOINT_MAX_COORD] = {0};
        int nrow = pp_joint_rows(&def, s->dim, &a, &b, coord, 1, INFINITY, row);
        for (int i = 0; i < nrow; i++, m++) {
            memset(s->gradient, 0, (size_t)s->nv * sizeof *s->gradient);
            pull_back(s, s->loop_a[k], row[i].row.J[0], s->gradient);
            pull_back(s, s->loop_b[k], row[i].row.J[1], s->gradient);
            double error = row[i].b; /* h = 1: phi itself */
            if (rates) {
                /* of the whole: what moves without v moves too (kinematic bodies) */
                const perp_vec3 v[2] = {a.v, b.v}, w[2] = {a.w, b.w};
                error = row[i].b_kin;
                for (int side = 0; side < 2; side++) {
                    const double *J = row[i].row.J[side];
                    error += J[0] * v[side].x + J[1] * v[side].y;
                    error += s->dim == 2 ? J[2] * w[side].z : J[2] * v[side].z;
                    if (s->dim == 3) error += J[3] * w[side].x + J[4] * w[side].y + J[5] * w[side].z;
                }
            }
            put_row(s, n, m, error);
        }
    }
    return m;
}

/* The smallest change of velocities, in the metric of M, that changes the m rows by -error: into s->gradient, by v. False if
 * M is not positive definite by rounding. */
static bool correction(perp_joint_space *s, int n, int m) {
    if (n > 0) {
        memset(s->M, 0, (size_t)n * (size_t)n * sizeof *s->M);
        pp_joint_space_mass(s, s->map, s->M, n);
        if (!pp_cholesky(n, s->M, n)) return false;
    }
    memset(s->gradient, 0, (size_t)s->nv * sizeof *s->gradient);
    if (n == 0) return true;
    memcpy(s->solved, s->row, (size_t)n * (size_t)m * sizeof *s->row);
    pp_cholesky_solve(n, s->M, n, m, s->solved, n);
    pp_gemm(true, false, m, m, n, 1, s->row, n, s->solved, n, 0, s->schur, m);
    for (int i = 0; i < m; i++) /* rounding apart it is symmetric */
        for (int j = 0; j < i; j++)
            s->schur[(size_t)i * (size_t)m + (size_t)j] = s->schur[(size_t)j * (size_t)m + (size_t)i];
    pp_psd f;
    if (!pp_psd_factor(&f, m, s->schur, m, RANK, s->psd)) return false;
    for (int i = 0; i < m; i++) s->lambda[i] = -s->error[i];
    pp_psd_solve(&f, 1, s->lambda, m, s->lambda + s->max_row);
    for (int c = 0; c < s->nv; c++) {
        if (s->map[c] < 0) continue;
        for (int i = 0; i < m; i++)
            s->gradient[c] += s->solved[(size_t)i * (size_t)n + (size_t)s->map[c]] * s->lambda[i];
    }
    return true;
}

/* Places for the velocities that may change. @return how many */
static int make_map(perp_joint_space *s, const bool *hold) {
    int n = 0;
    for (int i = 0; i < s->nlink; i++)
        for (int k = s->link[i].v; k < s->link[i].v + s->link[i].nv; k++)
            s->map[k] = s->in_loop[i] && !(hold && hold[k]) ? n++ : -1;
    return n;
}

/* Size of what rounding acts on: distances within the loops [L], at least a radian. */
static double size_of(const perp_joint_space *s) {
    double most = 1;
    for (int k = 0; k < s->nloop; k++)
        for (int which = 0; which < 2; which++) {
            pp_joint_side side = side_of(s, k, which);
            most = fmax(most, perp_v3_norm(side.X_WB.p));
        }
    return most;
}

/* Newton on q; leaves the best configuration in place. @return its error */
static double close_loops(perp_joint_space *s, int n) {
    double miss = perp_joint_space_loop_error(s), enough = ROUNDING * size_of(s);
    double *before = s->saved;
    for (int step = 0; step < MOST_STEPS && miss > 0; step++) {
        int m = gather(s, n, false);
        if (!correction(s, n, m)) break;
        memcpy(before, s->q, (size_t)s->nq * sizeof *before);
        double dt = 1, now = INFINITY;
        for (int k = 0; k < MOST_HALVING && !(now < miss); k++, dt /= 2) {
            perp_joint_space_integrate(s, before, s->gradient, dt, s->q);
            pp_joint_space_forward(s);
            now = perp_joint_space_loop_error(s);
            if (miss <= enough) break; /* one more full step polishes; halving it cannot help */
        }
        if (!(now < miss)) {
            memcpy(s->q, before, (size_t)s->nq * sizeof *before);
            pp_joint_space_forward(s);
            break;
        }
        miss = now;
    }
    return miss;
}

/* Closes the loops of the configuration, and makes its velocities keep them closed. `whose`: for the message. */
static perp_status close_all(perp_joint_space *s, perp_world *w, const bool *hold, const char *whose) {
    if (!s->nloop) return PERP_OK;
    int n = make_map(s, hold);
    double miss = close_loops(s, n);
    if (!(miss <= ROUNDING * size_of(s)))
        return pp_fail(w, PERP_E_SOLVE, "no q near %s closes the loops: a joint misses by %.3g [L or rad]", whose,
                       miss);
    int m = gather(s, n, true);
    if (!correction(s, n, m)) return pp_fail(w, PERP_E_SOLVE, "the mass matrix of the joints is singular");
    for (int i = 0; i < s->nv; i++) s->vel[i] += s->gradient[i];
    pp_joint_space_forward(s);
    return PERP_OK;
}

perp_status perp_joint_space_project(perp_joint_space *s, perp_world *w, double *q, double *v, const bool *hold) {
    perp_status st = perp_joint_space_place(s, w, q, v);
    if (!st) st = close_all(s, w, hold, "the given one");
    if (!st && s->nloop) perp_joint_space_read(s, q, v);
    return st;
}

perp_status perp_joint_space_set_keyframe(perp_joint_space *s, perp_world *w, int keyframe) {
    perp_keyframe k;
    if (perp_keyframe_get(w, keyframe, &k)) return pp_fail(w, PERP_E_ARG, "there is no keyframe %d", keyframe);
    if (k.nq && k.nq != s->nq)
        return pp_fail(w, PERP_E_ARG, "keyframe %s has %d numbers in q; the joint space has %d", k.name, k.nq, s->nq);
    if (k.nv && k.nv != s->nv)
        return pp_fail(w, PERP_E_ARG, "keyframe %s has %d numbers in v; the joint space has %d", k.name, k.nv, s->nv);
    int nctrl = perp_world_get_ctrl(w, NULL, 0);
    if (k.nctrl && k.nctrl != nctrl)
        return pp_fail(w, PERP_E_ARG, "keyframe %s has %d numbers in ctrl; the world has %d actuators", k.name, k.nctrl,
                       nctrl);
    perp_status st = perp_joint_space_place(s, w, k.nq ? k.q : NULL, k.nv ? k.v : NULL);
    if (st) return st;
    if (!k.nv) memset(s->vel, 0, (size_t)s->nv * sizeof *s->vel);
    pp_joint_space_forward(s);
    st = close_all(s, w, NULL, "that of the keyframe");
    if (!st) pp_joint_space_write(s, w);
    return st || !k.nctrl ? st : perp_world_set_ctrl(w, k.ctrl, k.nctrl);
}

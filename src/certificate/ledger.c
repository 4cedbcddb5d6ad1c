/* ledger.c - where the energy went
 *   1/2 nu' M nu - 1/2 nu0' M nu0 = 1/2 (nu0 + nu)' sum of impulses            (M of the start pose: an identity)
 * Each impulse does the work of its mean velocity. At a contact with a kinematic body the work on the dynamic one
 * splits into that of the relative velocity (impact and friction) and that of the body which is driven. The free turn
 * that follows keeps the energy to rounding; a correction of joints then acts on the inertia of the end, and may turn it
 * a little. What these leave is computed from the inertias, apart from the impulses, so the last entry still checks the
 * whole account. */
#include "problem/rows.h"
#include "world/frame.h"

static double mean_velocity(const pp_frame *f, const perp_row *row) {
    return 0.5 * (pp_row_dot(&f->problem, row, f->nu0) + pp_row_dot(&f->problem, row, f->solution.nu));
}

static double quadratic(const double *M, int ndof, const double *x, const double *y) {
    double s = 0;
    for (int c = 0; c < ndof; c++)
        for (int r = 0; r < ndof; r++) s += x[r] * M[6 * c + r] * y[c];
    return s;
}

/* Kinetic energy of the rotation of block k with orientation q. */
static double rotation_energy(const pp_body *b, perp_quat q, const double *om) {
    perp_vec3 w = perp_q_unrotate(q, perp_v3(om[0], om[1], om[2]));
    return 0.5 * perp_v3_dot(w, perp_m3_mul_v(b->I_B, w));
}

/* Both energies of block k, and what its turning contributes to their difference. */
static void block_energy(const pp_frame *f, int k, double *before, double *after, double *turning) {
    int slot = f->block_body[k], nd = f->block_ndof[k], at = f->block_offset[k];
    const pp_body *b = &f->w->body[slot];
    const double *nu0 = f->nu0 + at, *nu = f->solution.nu + at, *nu1 = f->implicit_turn ? nu : f->nu_end + at;
    const double *M = f->M + 36 * k;
    *turning = 0;
    *before = 0.5 * quadratic(M, nd, nu0, nu0);
    *after = 0.5 * quadratic(M, nd, nu1, nu1);
    if (nd != 6 || b->isotropic) return;
    double lin0 = 0, lin = 0, lin1 = 0;
    for (int i = 0; i < 3; i++) {
        lin0 += 0.5 * b->mass * nu0[i] * nu0[i];
        lin += 0.5 * b->mass * nu[i] * nu[i];
        lin1 += 0.5 * b->mass * nu1[i] * nu1[i];
    }
    *before = lin0 + rotation_energy(b, f->s0->X[slot].q, nu0 + 3);
    *after = lin1 + rotation_energy(b, f->s1->X[slot].q, nu1 + 3);
    /* angular impulse of the step: M w - L, with L = I(q) w0 at the start */
    perp_quat q = f->s0->X[slot].q;
    perp_vec3 w0 = {nu0[3], nu0[4], nu0[5]}, w = {nu[3], nu[4], nu[5]};
    perp_vec3 L = perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, w0)));
    perp_mat3 I = {{{M[21], M[22], M[23]}, {M[27], M[28], M[29]}, {M[33], M[34], M[35]}}};
    perp_vec3 impulse = perp_v3_sub(perp_m3_mul_v(I, w), L);
    *turning = *after - *before - (lin - lin0) - 0.5 * perp_v3_dot(perp_v3_add(w0, w), impulse);
    if (!f->M_end) return;
    const double *E = f->M_end + 36 * k, *turned = f->nu_turned + at;
    *turning -= 0.5 * (quadratic(E, nd, nu1, nu1) - quadratic(E, nd, turned, turned));
}

/* Of impulses that took the velocities from nu0 to nu1. */
static double work(const pp_frame *f, const double *impulse, const double *nu0, const double *nu1) {
    double s = 0;
    for (int i = 0; i < f->ndof; i++) s += 0.5 * (nu0[i] + nu1[i]) * impulse[i];
    return s;
}

void pp_ledger(const pp_frame *f, perp_ledger *l) {
    *l = (perp_ledger){0};
    for (int k = 0; k < f->nblock; k++) {
        double before, after, turning;
        block_energy(f, k, &before, &after, &turning);
        l->kinetic_before += before;
        l->kinetic_after += after;
        l->turning += turning;
    }
    const double *nu0 = f->nu0, *nu = f->solution.nu;
    l->gravity = work(f, f->i_gravity, nu0, nu);
    l->applied = work(f, f->i_applied, nu0, nu);
    l->spring = work(f, f->i_spring, nu0, nu);
    if (f->i_correction)
        l->joint += f->M_end ? work(f, f->i_correction, f->nu_turned, f->nu_end) : work(f, f->i_correction, nu0, nu);
    for (int i = 0; i < f->problem.njoint; i++) {
        const perp_joint_row *r = &f->problem.joint[i];
        double p = f->solution.p_joint[i], relative = p * (mean_velocity(f, &r->row) + r->b_kin);
        l->kinematic -= p * r->b_kin;
        if (r->kind == PERP_ROW_JOINT)
            l->joint += relative;
        else if (r->kind == PERP_ROW_MOTOR)
            l->motor += relative;
        else
            l->joint_loss += relative;
    }
    for (int i = 0; i < f->problem.ncontact; i++) {
        const perp_contact_row *c = &f->problem.contact[i];
        const double *p = f->solution.p_contact + 3 * i;
        l->normal += p[0] * (mean_velocity(f, &c->n) + c->b_n_kin);
        l->friction += p[1] * (mean_velocity(f, &c->t) + c->b_t) + p[2] * (mean_velocity(f, &c->o) + c->b_o);
        l->kinematic -= p[0] * c->b_n_kin + p[1] * c->b_t + p[2] * c->b_o;
        if (!(c->e_r > 0)) continue;
        l->friction += f->solution.p_spin[i] * (mean_velocity(f, &c->r) + c->b_r);
        l->kinematic -= f->solution.p_spin[i] * c->b_r;
    }
    l->remainder = l->kinetic_after - l->kinetic_before - l->gravity - l->applied - l->spring - l->kinematic -
                   l->joint - l->motor - l->joint_loss - l->normal - l->friction - l->turning;
}

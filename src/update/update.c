/* update.c - stage 6: velocity -> next state
 *   q+ = q (+) (h nu+ + bend),   rotation by the exponential map
 * `bend` is what torque-free rotation adds to h w (zero in 2D and for spheres): a body on which nothing acts turns as a
 * free body does (fourth order, energy and momentum kept), and impulses change its turn by h times the change of its
 * angular velocity. */
#include <string.h>

#include "world/frame.h"

static perp_vec3 linear(int dim, const double *nu) { return perp_v3(nu[0], nu[1], dim == 3 ? nu[2] : 0); }

static perp_vec3 angular(int dim, int ndof, const double *nu) {
    if (dim == 2) return perp_v3(0, 0, ndof == 3 ? nu[2] : 0);
    return ndof == 6 ? perp_v3(nu[3], nu[4], nu[5]) : perp_v3(0, 0, 0);
}

void pp_move_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, perp_vec3 bend,
                   pp_state *to) {
    int slot = f->block_body[k], dim = f->w->def.dim;
    perp_vec3 om = angular(dim, f->block_ndof[k], nu);
    to->X[slot].p = perp_v3_axpy(from->X[slot].p, h, linear(dim, nu));
    if (dim == 2) {
        to->theta[slot] = from->theta[slot] + h * om.z;
        double half = to->theta[slot] / 2;
        to->X[slot].q = (perp_quat){cos(half), 0, 0, sin(half)};
    } else if (f->block_ndof[k] == 6) {
        to->X[slot].q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_axpy(bend, h, om)), from->X[slot].q));
    }
}

/* Blocks on which some constraint impulse acted. */
static void mark_pushed(const pp_frame *f, bool *pushed) {
    const perp_step_problem *p = &f->problem;
    for (int i = 0; i < p->njoint; i++)
        for (int k = 0; k < 2; k++)
            if (p->joint[i].row.block[k] >= 0) pushed[p->joint[i].row.block[k]] = true;
    for (int i = 0; i < p->ncontact; i++) {
        const double *P = f->solution.p_contact + 3 * i;
        if (P[0] == 0 && P[1] == 0 && P[2] == 0) continue;
        for (int k = 0; k < 2; k++)
            if (p->contact[i].n.block[k] >= 0) pushed[p->contact[i].n.block[k]] = true;
    }
}

/* The numbers of the free rotation themselves, which conserve to the last digit, where nothing turned the body. */
static bool turns_freely(const pp_frame *f, int k) {
    int at = f->block_offset[k];
    for (int i = at + 3; i < at + 6; i++)
        if (f->i_gravity[i] != 0 || f->i_applied[i] != 0 || f->i_spring[i] != 0) return false;
    return true;
}

static void turn_freely(const pp_frame *f, int k) {
    double *nu = f->solution.nu + f->block_offset[k];
    nu[3] = f->w_free[k].x, nu[4] = f->w_free[k].y, nu[5] = f->w_free[k].z;
    f->s1->X[f->block_body[k]].q = f->q_free[k];
}

perp_status pp_update(pp_frame *f) {
    perp_world *w = f->w;
    pp_state *s1 = f->s1;
    bool *pushed = PP_ARENA_ZERO(&w->arena, bool, f->nblock);
    if (!pushed) return pp_fail(w, PERP_E_MEMORY, "out of memory for the update");
    mark_pushed(f, pushed);
    for (int k = 0; k < f->nblock; k++) {
        double *nu = f->solution.nu + f->block_offset[k];
        pp_move_block(f, k, f->s0, nu, f->h, f->bend[k], s1);
        if (f->block_ndof[k] == 6 && !pushed[k] && turns_freely(f, k)) turn_freely(f, k);
    }
    if (w->def.joint_correction && f->problem.njoint) {
        perp_status st = pp_correct_joints(f);
        if (st) return st;
    }
    for (int k = 0; k < f->nblock; k++) {
        int slot = f->block_body[k];
        const double *nu = f->solution.nu + f->block_offset[k];
        s1->v[slot] = linear(w->def.dim, nu);
        s1->w[slot] = angular(w->def.dim, f->block_ndof[k], nu);
        if (!perp_v3_finite(s1->X[slot].p) || !perp_q_finite(s1->X[slot].q) || !perp_v3_finite(s1->v[slot]) ||
            !perp_v3_finite(s1->w[slot]))
            return pp_fail(w, PERP_E_SOLVE, "body %d (%s) would get a state that is not finite at t = %g", slot,
                           w->body[slot].name ? w->body[slot].name : "", f->s0->t + f->h);
    }
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        pp_joint_side a = pp_side(w, s1, j->a, NULL), b = pp_side(w, s1, j->b, NULL);
        double coord[PERP_JOINT_MAX_COORD] = {0};
        pp_joint_coords(&j->def, w->def.dim, &a, &b, f->s0->coord[i], coord);
        memcpy(s1->coord[i], coord, sizeof coord);
    }
    s1->t = f->s0->t + f->h;
    return PERP_OK;
}

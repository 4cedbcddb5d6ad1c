/* joint_correction.c - iterative correction of joint errors after the step
 *   while |C| > eps_p:   p = -(G' M^-1 G)^+ C/h,   dnu = M^-1 G p,   q += h dnu,  nu += dnu
 *   while |C'| > eps_v:  p = -(G' M^-1 G)^+ C',    nu += M^-1 G p
 * Method   as printed, but G and C are those of the rows that the step itself uses (they are exact at any error),
 *          renewed each time, and the pseudo-inverse makes redundant joints harmless. M is that of the pose before any
 *          correction. Contacts are not looked at: they may be violated by what is corrected here.
 * Cost     dense in the number of joint rows, cubed per iteration.
 * Source   Williams Algorithm 1, Tables 2.2 and 2.3. */
#include <string.h>

#include "problem/rows.h"
#include "world/frame.h"

#define MAX_ITERATIONS 25

/* Bilateral rows of all joints at the end state. */
static int rows_now(const pp_frame *f, perp_joint_row *row) {
    const perp_world *w = f->w;
    int n = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        pp_joint_side a = pp_side(w, f->s1, j->a, f->block), b = pp_side(w, f->s1, j->b, f->block);
        if (a.block < 0 && b.block < 0) continue;
        perp_joint_row all[PP_JOINT_MAX_ROWS];
        double coord[PERP_JOINT_MAX_COORD] = {0};
        perp_joint_def bare = j->def;
        memset(bare.axis, 0, sizeof bare.axis);
        int k = pp_joint_rows(&bare, w->def.dim, &a, &b, coord, f->h, 0, all);
        for (int r = 0; r < k; r++)
            if (all[r].kind == PERP_ROW_JOINT) row[n++] = all[r];
    }
    return n;
}

typedef struct workspace {
    perp_step_problem problem; /* the blocks alone, with the inertia at the end of the step */
    perp_joint_row *row;
    double *A, *p, *tmp, *psd, *y, *dnu;
} workspace;

/* p = -(G' Minv G)^+ e; dnu = Minv G p; the impulse is booked in f->i_correction. */
static bool correct(pp_frame *f, workspace *ws, int n, const double *e) {
    for (int j = 0; j < n; j++) {
        memset(ws->y, 0, (size_t)f->ndof * sizeof *ws->y);
        pp_row_spread(&ws->problem, &ws->row[j].row, 1, ws->y);
        for (int i = 0; i < n; i++) ws->A[j * n + i] = pp_row_dot(&ws->problem, &ws->row[i].row, ws->y);
        ws->p[j] = -e[j];
    }
    pp_psd fac;
    if (!pp_psd_factor(&fac, n, ws->A, n, 1e-11, ws->psd)) return false;
    pp_psd_solve(&fac, 1, ws->p, n, ws->tmp);
    memset(ws->dnu, 0, (size_t)f->ndof * sizeof *ws->dnu);
    for (int j = 0; j < n; j++) {
        pp_row_spread(&ws->problem, &ws->row[j].row, ws->p[j], ws->dnu);
        pp_row_push(&ws->problem, &ws->row[j].row, ws->p[j], f->i_correction);
    }
    for (int i = 0; i < f->ndof; i++) f->nu_end[i] += ws->dnu[i];
    return true;
}

/* Masses of all blocks and their inverses, as the bodies lie at the end. */
static bool end_masses(const pp_frame *f, double **M, double **Minv) {
    *M = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->nblock);
    *Minv = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->nblock);
    if (!*M || !*Minv) return false;
    memcpy(*M, f->M, 36 * (size_t)f->nblock * sizeof **M);
    memcpy(*Minv, f->Minv, 36 * (size_t)f->nblock * sizeof **Minv);
    for (int k = 0; k < f->nblock; k++) {
        int slot = f->block_body[k];
        if (f->block_ndof[k] == 6 && !f->implicit_turn)
            pp_put_inertia(&f->w->body[slot], f->s1->X[slot].q, *M + 36 * k, *Minv + 36 * k);
    }
    return true;
}

perp_status pp_correct_joints(pp_frame *f) {
    perp_world *w = f->w;
    pp_arena *a = &w->arena;
    int max = 6 * w->njoint;
    workspace ws = {.row = PP_ARENA_ARRAY(a, perp_joint_row, max),
                    .A = PP_ARENA_ARRAY(a, double, max *max),
                    .p = PP_ARENA_ARRAY(a, double, max),
                    .tmp = PP_ARENA_ARRAY(a, double, max),
                    .psd = PP_ARENA_ARRAY(a, double, pp_psd_work(max)),
                    .y = PP_ARENA_ARRAY(a, double, f->ndof),
                    .dnu = PP_ARENA_ARRAY(a, double, f->ndof)};
    double *e = PP_ARENA_ARRAY(a, double, max);
    double *M, *Minv;
    bool masses = end_masses(f, &M, &Minv);
    f->M_end = f->implicit_turn ? NULL : M;
    f->i_correction = PP_ARENA_ZERO(a, double, f->ndof);
    if (!masses || !ws.row || !ws.A || !ws.p || !ws.tmp || !ws.psd || !ws.y || !ws.dnu || !e || !f->i_correction)
        return pp_fail(w, PERP_E_MEMORY, "out of memory for joint correction");
    ws.problem = pp_free_problem(f);
    ws.problem.M = M;
    ws.problem.Minv = Minv;
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        int n = rows_now(f, ws.row);
        double norm = 0;
        for (int i = 0; i < n; i++) {
            e[i] = ws.row[i].b; /* C/h */
            norm += e[i] * e[i] * f->h * f->h;
        }
        if (!(sqrt(norm) > w->def.correction_position) || !correct(f, &ws, n, e)) break;
        for (int k = 0; k < f->nblock; k++) pp_shift_block(f, k, f->s1, ws.dnu + f->block_offset[k], f->h, f->s1);
    }
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        int n = rows_now(f, ws.row);
        double norm = 0;
        for (int i = 0; i < n; i++) {
            e[i] = pp_row_dot(&ws.problem, &ws.row[i].row, f->nu_end) + ws.row[i].b_kin;
            norm += e[i] * e[i];
        }
        if (!(sqrt(norm) > w->def.correction_velocity) || !correct(f, &ws, n, e)) break;
    }
    return PERP_OK;
}

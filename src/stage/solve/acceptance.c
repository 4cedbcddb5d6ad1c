/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* acceptance.c - how far an answer of a step problem misses the laws, relative to the speeds of the problem */
#include "stage/solve/acceptance.h"

#include "problem/rows.h"
#include "solver/cone/cone_select.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [L/T] Smallest speed that residuals are compared with, in any units. Squares of smaller numbers leave the range of doubles, and no method
 * has digits there. A body without gravity that friction stops reaches such speeds. */
#define LEAST_SPEED 1e-138
/* [1] Part of the largest term of a sum p/m by which rounding may change the sum: some 50 roundings. */
#define ROUNDING_OF_TERMS 1e-14
/* [1] Largest part of the speeds by which an answer may miss the laws because of the rounding of large impulses. Half
 * and double: no effect. */
#define MOST_ROUNDING 1e-4

static double length_of(const perp_step_problem *p, int joint, const pp_judge_room *room) {
    return room->figure ? room->figure[joint].length : pp_row_length(p, &p->joint[joint].row);
}

/* Joint rows may depend on each other and contradict each other a little: errors of a closed chain differ in second order. Then no answer
 * meets all of them. Only the part of their residual r that an impulse could remove counts against a solver: W r, scaled back to r. */
static double reducible_joint_residual(const perp_step_problem *p, const perp_step_solution *s,
                                       const pp_judge_room *room) {
    double *r = room->rows, *y = room->dofs;
    for (int i = 0; i < p->njoint; i++) r[i] = 0;
    for (int i = 0; i < p->ndof; i++) y[i] = 0;
    double worst = 0;
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *row = &p->joint[i];
        double v = pp_row_dot(p, &row->row, s->nu) + row->b + row->compliance * s->p_joint[i];
        double mass = room->figure ? room->figure[i].inverse : pp_row_inverse_mass(p, &row->row),
               W = mass + row->compliance;
        if (isfinite(row->lo) || isfinite(row->hi)) { /* bounded rows: the natural map */
            double to = W > 0 ? s->p_joint[i] - v / W : s->p_joint[i];
            to = to < row->lo ? row->lo : to > row->hi ? row->hi : to;
            double e = length_of(p, i, room) * fabs((s->p_joint[i] - to) * mass);
            if (!(e <= worst)) worst = e;
            continue;
        }
        r[i] = W > 0 ? v / W : 0; /* the impulse that would remove it if the row were alone */
        pp_row_push(p, &row->row, r[i], y);
    }
    for (int b = 0; b < p->nblock; b++) {
        double *own = y + p->block_offset[b];
        pp_block_times(p->block_ndof[b], p->Minv + 36 * (ptrdiff_t)b, own, own);
    }
    for (int i = 0; i < p->njoint; i++) {
        const perp_joint_row *row = &p->joint[i];
        if (isfinite(row->lo) || isfinite(row->hi)) continue;
        /* without the compliance, which moves no body */
        double e = length_of(p, i, room) * fabs(pp_row_dot(p, &row->row, y));
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

double pp_speed_scale(const pp_frame *f, double of_rows) {
    return fmax(LEAST_SPEED, fmax(of_rows, f->h * perp_v3_norm(f->w->def.gravity_W)));
}

/* The speed that residuals are divided by. A velocity is a sum of terms p/m of the impulses. The rounding of these terms counts as fulfilled,
 * whatever the tolerance is, up to MOST_ROUNDING of the speeds. If it is more, the velocities say nothing: in a problem without an answer
 * the impulses grow without end. */
static double unit(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s, double scale,
                   double tolerance, const pp_judge_room *room) {
    const pp_row_figure *known = room->figure;
    double made = 0;
    for (int i = 0; i < p->ncontact; i++)
        made = fmax(made, s->p_contact[3 * i] *
                              (known ? known[p->njoint + 3 * i].inverse : pp_row_inverse_mass(p, &p->contact[i].n)));
    for (int i = 0; i < p->njoint; i++) {
        double mass = known ? known[i].inverse : pp_row_inverse_mass(p, &p->joint[i].row);
        made = fmax(made, length_of(p, i, room) * fabs(s->p_joint[i]) * mass);
    }
    double speed = pp_speed_scale(f, scale), most = fmax(1, MOST_ROUNDING / tolerance) * speed;
    double size = fmin(speed + ROUNDING_OF_TERMS / tolerance * made, most);
    return size > 0 ? size : 1;
}

bool pp_surely_misses(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s, double scale,
                      double tolerance, double most, const pp_judge_room *room) {
    perp_step_residual r = {0};
    if (p->ncontact == 0) return false;
    pp_step_contacts_by(p, room->figure, s, &r);
    double worst = fmax(r.normal, fmax(r.cone, r.dissipation)); /* INFINITY if a number is not finite */
    return worst > 0 && worst / unit(f, p, s, scale, tolerance, room) > most;
}

double pp_acceptance(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s,
                     const perp_step_residual *r, double tolerance, const pp_judge_room *room) {
    double joint = reducible_joint_residual(p, s, room);
    const double parts[] = {r->momentum, joint, r->normal, r->cone, r->dissipation};
    double worst = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (isnan(parts[i])) return INFINITY;
        if (parts[i] > worst) worst = parts[i];
    }
    return worst > 0 ? worst / unit(f, p, s, r->scale, tolerance, room) : 0;
}

double pp_sure_miss(const pp_frame *f, double tolerance, double scale) {
    return fmax(tolerance, MOST_ROUNDING) * pp_speed_scale(f, scale);
}

/* Is contact i under load, and does it slide, spin or roll against its friction? */
static bool slides(const perp_step_problem *p, const perp_step_solution *s, int i, double still) {
    const perp_contact_row *c = &p->contact[i];
    if (!(c->mu > 0) || !(s->p_contact[3 * i] > 0)) return false;
    double t = pp_row_dot(p, &c->t, s->nu) + c->b_t, o = p->dim == 3 ? pp_row_dot(p, &c->o, s->nu) + c->b_o : 0;
    double square = t * t + o * o;
    for (int k = 2; k < PP_FRICTION_ROWS; k++) {
        if (!pp_friction_turns(c, k)) continue;
        double w = (k == 2 ? c->e_r : c->e_roll) * (pp_row_dot(p, pp_friction_row(c, k), s->nu) + pp_friction_b(c, k));
        square += w * w;
    }
    return square > still * still;
}

static void count_row(int *rows, const perp_row *r) {
    for (; r; r = r->more)
        for (int k = 0; k < 2; k++)
            if (r->block[k] >= 0) rows[r->block[k]]++;
}

bool pp_loads_matter(pp_arena *arena, const perp_step_problem *p, const pp_row_figure *figure,
                     const perp_step_solution *s) {
    pp_arena_mark mark = pp_arena_here(arena);
    int *rows = PP_ARENA_ZERO(arena, int, p->nblock);
    double still = PP_NO_SLIP * pp_step_scale_by(p, figure);
    bool matter = !rows;
    for (int i = 0; rows && i < p->ncontact; i++)
        if (s->p_contact[3 * i] > 0) count_row(rows, &p->contact[i].n);
    for (int i = 0; rows && i < p->njoint; i++) count_row(rows, &p->joint[i].row);
    for (int i = 0; i < p->ncontact && !matter; i++) {
        const int *b = p->contact[i].n.block;
        bool shared = (b[0] >= 0 && rows[b[0]] > 1) || (b[1] >= 0 && rows[b[1]] > 1);
        matter = shared && slides(p, s, i, still);
    }
    pp_arena_release(arena, mark);
    return matter;
}

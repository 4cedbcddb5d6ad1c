/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* coupling.c - see coupling.h */
#include "model/coupling.h"

#include "model/state.h"

bool pp_has_couplings(const perp_world *w) {
    for (int i = 0; i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen) && pp_couples(&w->joint[i])) return true;
    return false;
}

double pp_term_value(const perp_joint_term *t, double q) {
    double sum = 0;
    for (int k = PERP_JOINT_TERM_DEGREE - 1; k >= 0; k--) sum = (sum + t->c[k]) * q;
    return sum;
}

double pp_term_slope(const perp_joint_term *t, double q) {
    double sum = 0;
    for (int k = PERP_JOINT_TERM_DEGREE - 1; k >= 0; k--) sum = sum * q + (k + 1) * t->c[k];
    return sum;
}

/* The coordinate of a term. */
static double coordinate_of(const perp_world *w, const pp_state *s, const pp_state *last, const perp_joint_term *t) {
    double coord[PERP_JOINT_MAX_COORD];
    pp_joint_coords_at(w, s, last, (int)t->joint.slot, coord);
    return coord[t->coord];
}

static double sum_of(const perp_world *w, const pp_state *s, const pp_state *last, const pp_joint *j) {
    double x = j->def.offset;
    for (int k = 0; k < j->def.nterm; k++) x += pp_term_value(&j->term[k], coordinate_of(w, s, last, &j->term[k]));
    return x;
}

void pp_joint_coords_at(const perp_world *w, const pp_state *s, const pp_state *last, int joint, double *coord) {
    const pp_joint *j = &w->joint[joint];
    if (pp_couples(j)) {
        if (j->def.kind == PERP_JOINT_TENDON) coord[0] = sum_of(w, s, last, j);
        return;
    }
    pp_joint_side a = pp_side(w, s, j->a, NULL), b = pp_side(w, s, j->b, NULL);
    pp_joint_coords(&j->def, w->def.dim, &a, &b, last->coord[joint], coord);
}

void pp_joint_rates_at(const perp_world *w, const pp_state *s, int joint, double *rate) {
    const pp_joint *j = &w->joint[joint];
    if (!pp_couples(j)) {
        pp_joint_side a = pp_shown_side(w, s, j->a), b = pp_shown_side(w, s, j->b);
        pp_joint_rates(&j->def, w->def.dim, &a, &b, rate);
        return;
    }
    if (j->def.kind != PERP_JOINT_TENDON) return;
    rate[0] = 0;
    for (int k = 0; k < j->def.nterm; k++) {
        const perp_joint_term *t = &j->term[k];
        double own[PERP_JOINT_MAX_COORD];
        pp_joint_rates_at(w, s, (int)t->joint.slot, own);
        rate[0] += pp_term_slope(t, coordinate_of(w, s, s, t)) * own[t->coord];
    }
}

int pp_joint_errors_at(const perp_world *w, const pp_state *s, const pp_state *last, int joint, double *phi) {
    const pp_joint *j = &w->joint[joint];
    if (j->def.kind == PERP_JOINT_TENDON) return 0;
    if (j->def.kind == PERP_JOINT_COUPLING) {
        phi[0] = sum_of(w, s, last, j);
        return 1;
    }
    pp_joint_side a = pp_side(w, s, j->a, NULL), b = pp_side(w, s, j->b, NULL);
    return pp_joint_errors(&j->def, w->def.dim, &a, &b, phi);
}

/* The blocks of a sum of rows, two by two. */
typedef struct part_list {
    perp_row *part;
    int n; /* blocks so far */
} part_list;

static void add_block(part_list *l, int block, double factor, const double J[6]) {
    int at = 0;
    while (at < l->n && l->part[at / 2].block[at % 2] != block) at++;
    perp_row *to = &l->part[at / 2];
    if (at == l->n) {
        to->block[at % 2] = block;
        for (int i = 0; i < 6; i++) to->J[at % 2][i] = 0;
        l->n++;
    }
    for (int i = 0; i < 6; i++) to->J[at % 2][i] += factor * J[i];
}

/* The row of the sum. As pp_joint_coordinate_row_at(). */
static int sum_row(perp_world *w, const pp_state *s, const pp_state *last, const int *block, const pp_joint *j,
                   perp_joint_row *out) {
    part_list l = {.part = PP_ARENA_ZERO(&w->arena, perp_row, j->def.nterm)};
    if (!l.part) return -1;
    for (int k = 0; k < j->def.nterm; k++) l.part[k].block[0] = l.part[k].block[1] = -1;
    double b_kin = 0;
    for (int k = 0; k < j->def.nterm; k++) {
        const perp_joint_term *t = &j->term[k];
        const pp_joint *of = &w->joint[t->joint.slot];
        pp_joint_side a = pp_side(w, s, of->a, block), b = pp_side(w, s, of->b, block);
        double slope = pp_term_slope(t, coordinate_of(w, s, last, t));
        perp_joint_row row;
        if (!pp_joint_coordinate_row(&of->def, w->def.dim, &a, &b, t->coord, &row)) {
            double rate[PERP_JOINT_MAX_COORD] = {0}; /* between driven bodies */
            pp_joint_rates(&of->def, w->def.dim, &a, &b, rate);
            b_kin += slope * rate[t->coord];
            continue;
        }
        for (int side = 0; side < 2; side++)
            if (row.row.block[side] >= 0) add_block(&l, row.row.block[side], slope, row.row.J[side]);
        b_kin += slope * row.b_kin;
    }
    if (l.n == 0) return 0;
    for (int k = 1; 2 * k < l.n; k++) l.part[k - 1].more = &l.part[k];
    *out = (perp_joint_row){.row = l.part[0],
                            .b_kin = b_kin,
                            .lo = -INFINITY,
                            .hi = INFINITY,
                            .kind = PERP_ROW_MOTOR,
                            .joint = (int)(j - w->joint),
                            .coord = -1};
    return 1;
}

int pp_joint_coordinate_row_at(perp_world *w, const pp_state *s, const pp_state *last, const int *block, int joint,
                               int coord, perp_joint_row *out) {
    const pp_joint *j = &w->joint[joint];
    if (!pp_couples(j)) {
        pp_joint_side a = pp_side(w, s, j->a, block), b = pp_side(w, s, j->b, block);
        if (!pp_joint_coordinate_row(&j->def, w->def.dim, &a, &b, coord, out)) return 0;
        out->joint = joint;
        return 1;
    }
    int n = sum_row(w, s, last, block, j, out);
    if (n == 1) out->coord = coord;
    return n;
}

/* A row with the other sign; its list is a copy. False: no memory. */
static bool reversed(perp_world *w, const perp_joint_row *r, perp_joint_row *out) {
    *out = *r;
    out->b_kin = -r->b_kin;
    for (perp_row *part = &out->row;;) {
        for (int i = 0; i < 12; i++) part->J[i / 6][i % 6] = -part->J[i / 6][i % 6];
        if (!part->more) return true;
        perp_row *copy = PP_ARENA_ARRAY(&w->arena, perp_row, 1);
        if (!copy) return false;
        *copy = *part->more;
        part->more = copy;
        part = copy;
    }
}

static int coupling_rows(perp_world *w, const pp_state *s, const pp_state *last, int joint, const pp_rows_for *how,
                         perp_joint_row *out) {
    const pp_joint *j = &w->joint[joint];
    perp_joint_row along, against;
    int n = sum_row(w, s, last, how->block, j, &along);
    if (n < 1) return n;
    double x = sum_of(w, s, last, j);
    if (j->def.kind == PERP_JOINT_COUPLING) {
        out[0] = along;
        out[0].kind = PERP_ROW_JOINT;
        out[0].b = x / how->h;
        return 1;
    }
    if (!reversed(w, &along, &against)) return -1;
    n = pp_joint_axis_rows(&along, &against, &j->def.axis[0], x, how->h, how->margin, out);
    for (int i = 0; i < n; i++) out[i].coord = 0;
    return n;
}

int pp_joint_rows_at(perp_world *w, const pp_state *s, const pp_state *last, int joint, const pp_rows_for *how,
                     perp_joint_row *out) {
    const pp_joint *j = &w->joint[joint];
    if (!pp_alive(j->gen)) return 0;
    if (pp_couples(j)) return coupling_rows(w, s, last, joint, how, out);
    pp_joint_side a = pp_side(w, s, j->a, how->block), b = pp_side(w, s, j->b, how->block);
    if (a.block < 0 && b.block < 0) return 0; /* nothing to solve for between two driven bodies */
    int n = pp_joint_rows_since(&j->def, w->def.dim, &a, &b, last->coord[joint], how, out);
    for (int i = 0; i < n; i++) out[i].joint = joint;
    return n;
}

void pp_joint_forces_were_set(perp_world *w, int joint) {
    const pp_joint *j = &w->joint[joint];
    if (!pp_couples(j)) pp_forces_were_set(&w->state, j->a, j->b);
    for (int k = 0; pp_couples(j) && k < j->def.nterm; k++) pp_joint_forces_were_set(w, (int)j->term[k].joint.slot);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction_sides.c - solves a disjunctive island as a sequence of ordinary contact problems
 * Problem  There is no theory about when Lemke's method or a Newton method solves the LCP of U, I and X constraints. But every I and X only
 *          requires that one of its gaps, its side, is not negative. With a given side for each group, the island is an ordinary contact
 *          problem, for which the chain of solvers is made.
 * Method   Rounds. The first choice of sides is the one that the best solution so far uses. The second is the side with the largest gap at
 *          the start pose. The rows of the sides and the U contacts are solved as unilateral contacts. If a side carries an impulse
 *          although another gap of its group is open, or although it may carry no force, the group takes another side.
 * Valid    If nothing penetrates at the start, the state of rest satisfies all rows of the second choice, so the ordinary problem has a
 *          solution. It satisfies every "or". The judge checks that forces act only where the law allows them.
 * Cost     One ordinary solution per round.
 * Source   Williams 4.2.2 has the law; the search is that of the separating planes in model_peg.c. */
#include <math.h>
#include <string.h>

#include "method/disjunction/disjunction.h"
#include "problem/rows.h"
#include "stage/solve/solve_step.h"
#include "stage/solve/solve.h"

/* [rounds] Number of choices of sides from each start. A corner has two or three facets, so few are needed. Groups that
 * alternate do not converge later either. */
#define MAX_ROUNDS 12

typedef struct work {
    pp_frame *f;
    const pp_disjunction *d;
    pp_island *island;
    perp_contact_row *row; /* contact rows of the island, writable */
    int *side;             /* by group: index of its side, a contact of the island */
    bool *chosen;          /* by contact of the island: it is U, or a side */
    pp_island part;        /* the island with the chosen rows only */
    perp_contact_row *part_row;
    int *part_of; /* by chosen row: contact of the island */
    perp_step_solution answer;
} work;

static bool new_work(work *k) {
    pp_arena *a = &k->f->w->arena;
    perp_step_problem *p = &k->island->p;
    int n = p->ncontact;
    k->row = PP_ARENA_ARRAY(a, perp_contact_row, n);
    k->part_row = PP_ARENA_ARRAY(a, perp_contact_row, n);
    k->part_of = PP_ARENA_ARRAY(a, int, n);
    k->part.contact = PP_ARENA_ARRAY(a, int, n);
    k->side = PP_ARENA_ARRAY(a, int, k->d->ngroup);
    k->chosen = PP_ARENA_ARRAY(a, bool, n);
    if (!k->row || !k->part_row || !k->part_of || !k->part.contact || !k->side || !k->chosen ||
        !pp_solution_new(a, p, &k->answer))
        return false;
    memcpy(k->row, p->contact, (size_t)n * sizeof *k->row);
    p->contact = k->row;
    return true;
}

/* Gap of a contact divided by h, at the velocity nu; NULL: at rest. */
static double gap_at(const work *k, int contact, const double *nu) {
    const perp_contact_row *c = &k->row[contact];
    return c->b_n + (nu ? pp_row_dot(&k->island->p, &c->n, nu) : 0);
}

/* The contact with the largest gap among the first `count` of a group. */
static int most_open(const work *k, const pp_group *g, int count, const double *nu) {
    int best = k->d->member[g->first];
    double most = gap_at(k, best, nu);
    for (int m = 1; m < count; m++) {
        int i = k->d->member[g->first + m];
        double gap = gap_at(k, i, nu);
        if (gap > most) most = gap, best = i;
    }
    return best;
}

/* A side of group g at the velocity nu. Contacts that may carry a force are preferred if they do not penetrate. */
static int open_side(const work *k, const pp_group *g, const double *nu) {
    if (g->primary > 0) {
        int best = most_open(k, g, g->primary, nu);
        if (gap_at(k, best, nu) >= -k->d->slack) return best;
    }
    return most_open(k, g, g->count, nu);
}

static bool may_push(const work *k, const pp_group *g, int contact) {
    for (int m = 0; m < g->primary; m++)
        if (k->d->member[g->first + m] == contact) return true;
    return false;
}

/* Sides that a solution uses; NULL: those that are open at rest. */
static void first_sides(work *k, const perp_step_solution *from) {
    for (int g = 0; g < k->d->ngroup; g++) {
        const pp_group *group = &k->d->group[g];
        double most = 0;
        k->side[g] = open_side(k, group, from ? from->nu : NULL);
        for (int m = 0; from && m < group->primary; m++) {
            int i = k->d->member[group->first + m];
            if (from->p_contact[3 * i] > most) most = from->p_contact[3 * i], k->side[g] = i;
        }
    }
}

/* Changes the side of groups whose side carries an impulse that the law does not allow. Returns false if none changes. */
static bool next_sides(work *k) {
    bool changed = false;
    const double *nu = k->answer.nu;
    for (int g = 0; g < k->d->ngroup; g++) {
        const pp_group *group = &k->d->group[g];
        int side = k->side[g], other = open_side(k, group, nu);
        if (!(k->answer.p_contact[3 * side] > 0) || k->d->plain[side]) continue;
        bool beaten = other != side && gap_at(k, other, nu) > fmax(gap_at(k, side, nu), k->d->slack);
        /* the side holds, but the law requires another contact to carry the force */
        if (!beaten && !may_push(k, group, side)) {
            other = group->primary > 0 ? most_open(k, group, group->primary, nu) : side;
            for (int m = 0; m < group->count && other == side; m++)
                if (k->d->member[group->first + m] != side) other = k->d->member[group->first + m];
        } else if (!beaten) {
            continue;
        }
        changed |= other != side;
        k->side[g] = other;
    }
    return changed;
}

static void take_part(work *k) {
    const pp_island *whole = k->island;
    int n = 0, *contact = k->part.contact;
    for (int i = 0; i < whole->p.ncontact; i++) k->chosen[i] = k->d->plain[i];
    for (int g = 0; g < k->d->ngroup; g++) k->chosen[k->side[g]] = true;
    for (int i = 0; i < whole->p.ncontact; i++) {
        if (!k->chosen[i]) continue;
        k->part_row[n] = k->row[i];
        k->part_of[n] = i;
        contact[n++] = whole->contact[i];
    }
    k->part = (pp_island){.p = whole->p, .block = whole->block, .joint = whole->joint, .contact = contact};
    k->part.p.contact = k->part_row;
    k->part.p.ncontact = n;
}

/* Solves the rows of the sides. The solution for all contacts of the island is in k->answer. */
static perp_status solve_part(work *k, int number) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    pp_island *island = k->island;
    perp_step_residual residual;
    take_part(k);
    for (int i = 0; i < island->p.ncontact; i++) {
        int c = island->contact[i];
        memset(f->solve.solution.p_contact + 3 * c, 0, 3 * sizeof *f->solve.solution.p_contact);
        f->solve.solution.sigma[c] = f->solve.solution.p_spin[c] = 0;
        f->solve.solution.p_roll[2 * c] = f->solve.solution.p_roll[2 * c + 1] = 0;
    }
    /* reports and captures show the whole island, not this part */
    double acceptance = f->solve.acceptance;
    const perp_solver_type *used = f->solve.used;
    perp_capture capture = w->run.capture;
    w->run.capture = (perp_capture){0};
    perp_status st =
        pp_solve_island(f, &k->part, number, NULL, &(pp_solve_options){.no_lift = f->method.jammed}, &residual);
    w->run.capture = capture;
    f->solve.acceptance = acceptance;
    f->solve.used = used;
    if (st) return st;
    /* yielding motors and stalled driven bodies have changed the rows */
    island->p.joint = k->part.p.joint;
    for (int i = 0; i < k->part.p.ncontact; i++) k->row[k->part_of[i]] = k->part.p.contact[i];
    pp_island_gather(island, &f->solve.solution, &k->answer);
    for (int b = 0; b < island->p.nblock; b++)
        memcpy(k->answer.nu + island->p.block_offset[b],
               f->solve.solution.nu + f->pose.problem.block_offset[island->block[b]],
               (size_t)island->p.block_ndof[b] * sizeof *k->answer.nu);
    return PERP_OK;
}

perp_status pp_disjunction_sides(pp_frame *f, const pp_disjunction *d, pp_island *island, int number,
                                 const perp_step_solution *from, const pp_sides_judge *judge) {
    work k = {.f = f, .d = d, .island = island};
    if (!new_work(&k)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int start = from ? 0 : 1; start < 2; start++) {
        first_sides(&k, start ? NULL : from);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            perp_status st = solve_part(&k, number);
            if (st && st != PERP_E_SOLVE) return st;
            if (st) break;
            if (judge->accepts(&k.answer, judge->ctx)) return PERP_OK;
            if (!next_sides(&k)) break;
        }
    }
    return PERP_OK;
}

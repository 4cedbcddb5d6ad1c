/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* islands.c - connected parts of a step problem
 * Problem  bodies that neither contacts nor joints connect, directly or through others, do not affect each other within a step.
 * Method   union-find over mass blocks, joined by rows; then blocks and rows are copied part by part, in their order.
 * Cost     linear in blocks and rows; a dense solver pays for each island alone, not for their sum squared. */
#include "problem/islands.h"

#include <string.h>

#include "base/sets.h"
#include "problem/rows.h"

/* What the copies are made into. */
typedef struct parts {
    int *parent;                     /* by block: its root */
    int *island_of;                  /* by root: its island, -1 if it has no rows */
    int *local;                      /* by block: its number within the island */
    int *nblock, *njoint, *ncontact; /* by island */
} parts;

static void count(const perp_step_problem *p, parts *s, int *n) {
    /* the root of a set is its smallest member, so that islands come in order of their first blocks */
    pp_sets_make(s->parent, p->nblock);
    for (int i = 0; i < p->njoint; i++) pp_row_join(s->parent, &p->joint[i].row);
    for (int i = 0; i < p->ncontact; i++) pp_row_join(s->parent, &p->contact[i].n);
    for (int i = 0; i < p->nblock; i++) s->island_of[i] = -1;
    for (int i = 0; i < p->nblock; i++) s->parent[i] = pp_set_of(s->parent, i);
    /* a set counts once it has a row; numbered in the order of its root */
    for (int i = 0; i < p->njoint; i++) s->island_of[s->parent[pp_row_some_block(&p->joint[i].row)]] = 0;
    for (int i = 0; i < p->ncontact; i++) s->island_of[s->parent[pp_row_some_block(&p->contact[i].n)]] = 0;
    *n = 0;
    for (int i = 0; i < p->nblock; i++)
        if (s->island_of[i] == 0) s->island_of[i] = (*n)++;
    for (int i = 0; i < p->nblock; i++) {
        int k = s->island_of[s->parent[i]];
        if (k >= 0) s->local[i] = s->nblock[k]++;
    }
    for (int i = 0; i < p->njoint; i++) s->njoint[s->island_of[s->parent[pp_row_some_block(&p->joint[i].row)]]]++;
    for (int i = 0; i < p->ncontact; i++) s->ncontact[s->island_of[s->parent[pp_row_some_block(&p->contact[i].n)]]]++;
}

static void renumber(perp_row *row, const int *local) {
    for (int k = 0; k < 2; k++)
        if (row->block[k] >= 0) row->block[k] = local[row->block[k]];
}

/* A copy of the list of a row with the island's numbers. False if memory is refused. */
static bool renumber_list(pp_arena *arena, perp_row *row, const int *local) {
    for (perp_row *last = row; last->more;) {
        perp_row *copy = PP_ARENA_ARRAY(arena, perp_row, 1);
        if (!copy) return false;
        *copy = *last->more;
        renumber(copy, local);
        last->more = copy;
        last = copy;
    }
    return true;
}

/* Arrays of one island; false if memory is refused. They are filled by pp_islands_split. */
typedef struct arrays {
    int *ndof, *offset;
    double *M, *Minv, *momentum;
    perp_joint_row *joint;
    perp_contact_row *contact;
} arrays;

static bool reserve(pp_arena *arena, const parts *s, int k, pp_island *island, arrays *a) {
    int nb = s->nblock[k], nj = s->njoint[k], nc = s->ncontact[k];
    *a = (arrays){.ndof = PP_ARENA_ARRAY(arena, int, nb),
                  .offset = PP_ARENA_ARRAY(arena, int, nb),
                  .M = PP_ARENA_ARRAY(arena, double, 36 * nb),
                  .Minv = PP_ARENA_ARRAY(arena, double, 36 * nb),
                  .momentum = PP_ARENA_ARRAY(arena, double, 6 * nb),
                  .joint = PP_ARENA_ARRAY(arena, perp_joint_row, nj),
                  .contact = PP_ARENA_ARRAY(arena, perp_contact_row, nc)};
    island->block = PP_ARENA_ARRAY(arena, int, nb);
    island->joint = PP_ARENA_ARRAY(arena, int, nj);
    island->contact = PP_ARENA_ARRAY(arena, int, nc);
    return a->ndof && a->offset && a->M && a->Minv && a->momentum && a->joint && a->contact && island->block &&
           island->joint && island->contact;
}

static void add_block(const perp_step_problem *p, int i, pp_island *island, arrays *a) {
    perp_step_problem *q = &island->p;
    int at = q->nblock++, nd = p->block_ndof[i];
    island->block[at] = i;
    a->ndof[at] = nd;
    a->offset[at] = q->ndof;
    memcpy(a->M + 36 * at, p->M + 36 * i, 36 * sizeof *a->M);
    memcpy(a->Minv + 36 * at, p->Minv + 36 * i, 36 * sizeof *a->Minv);
    memcpy(a->momentum + q->ndof, p->momentum + p->block_offset[i], (size_t)nd * sizeof *a->momentum);
    q->ndof += nd;
}

/* All in one: nothing to copy. */
static perp_status whole(const perp_step_problem *p, pp_arena *arena, pp_island *island) {
    *island = (pp_island){.p = *p,
                          .block = PP_ARENA_ARRAY(arena, int, p->nblock),
                          .joint = PP_ARENA_ARRAY(arena, int, p->njoint),
                          .contact = PP_ARENA_ARRAY(arena, int, p->ncontact)};
    if (!island->block || !island->joint || !island->contact) return PERP_E_MEMORY;
    for (int i = 0; i < p->nblock; i++) island->block[i] = i;
    for (int i = 0; i < p->njoint; i++) island->joint[i] = i;
    for (int i = 0; i < p->ncontact; i++) island->contact[i] = i;
    return PERP_OK;
}

perp_status pp_islands_split(const perp_step_problem *p, pp_arena *arena, pp_island **out, int *n) {
    *n = 0;
    parts s = {.parent = PP_ARENA_ARRAY(arena, int, p->nblock),
               .island_of = PP_ARENA_ARRAY(arena, int, p->nblock),
               .local = PP_ARENA_ARRAY(arena, int, p->nblock),
               .nblock = PP_ARENA_ZERO(arena, int, p->nblock),
               .njoint = PP_ARENA_ZERO(arena, int, p->nblock),
               .ncontact = PP_ARENA_ZERO(arena, int, p->nblock)};
    if (!s.parent || !s.island_of || !s.local || !s.nblock || !s.njoint || !s.ncontact) return PERP_E_MEMORY;
    count(p, &s, n);
    *out = PP_ARENA_ZERO(arena, pp_island, *n);
    arrays *a = PP_ARENA_ZERO(arena, arrays, *n);
    if (!*out || !a) return PERP_E_MEMORY;
    if (*n == 1 && s.nblock[0] == p->nblock) return whole(p, arena, *out);
    for (int k = 0; k < *n; k++) {
        if (!reserve(arena, &s, k, &(*out)[k], &a[k])) return PERP_E_MEMORY;
        (*out)[k].p = (perp_step_problem){.dim = p->dim,
                                          .h = p->h,
                                          .block_ndof = a[k].ndof,
                                          .block_offset = a[k].offset,
                                          .M = a[k].M,
                                          .Minv = a[k].Minv,
                                          .momentum = a[k].momentum,
                                          .joint = a[k].joint,
                                          .contact = a[k].contact};
    }
    for (int i = 0; i < p->nblock; i++) {
        int k = s.island_of[s.parent[i]];
        if (k >= 0) add_block(p, i, &(*out)[k], &a[k]);
    }
    for (int i = 0; i < p->njoint; i++) {
        int k = s.island_of[s.parent[pp_row_some_block(&p->joint[i].row)]], at = (*out)[k].p.njoint++;
        (*out)[k].joint[at] = i;
        a[k].joint[at] = p->joint[i];
        renumber(&a[k].joint[at].row, s.local);
        if (!renumber_list(arena, &a[k].joint[at].row, s.local)) return PERP_E_MEMORY;
    }
    for (int i = 0; i < p->ncontact; i++) {
        int k = s.island_of[s.parent[pp_row_some_block(&p->contact[i].n)]], at = (*out)[k].p.ncontact++;
        (*out)[k].contact[at] = i;
        perp_contact_row *c = &a[k].contact[at];
        *c = p->contact[i];
        renumber(&c->n, s.local);
        renumber(&c->t, s.local);
        renumber(&c->o, s.local);
        if (c->e_r > 0) renumber(&c->r, s.local);
        for (int b = 0; c->e_roll > 0 && b < 2; b++) renumber(&c->roll[b], s.local);
    }
    return PERP_OK;
}

void pp_island_gather(const pp_island *island, const perp_step_solution *whole, perp_step_solution *part) {
    for (int i = 0; i < island->p.njoint; i++) part->p_joint[i] = whole->p_joint[island->joint[i]];
    for (int i = 0; i < island->p.ncontact; i++) {
        int c = island->contact[i];
        memcpy(part->p_contact + 3 * i, whole->p_contact + 3 * c, 3 * sizeof *part->p_contact);
        part->sigma[i] = whole->sigma[c];
        for (int k = 2; k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(&island->p.contact[i], k))
                *pp_friction_impulse(part, i, k) = *pp_friction_impulse(whole, c, k);
    }
}

void pp_island_scatter(const pp_island *island, const perp_step_problem *p, const perp_step_solution *part,
                       perp_step_solution *whole) {
    const perp_step_problem *q = &island->p;
    for (int b = 0; b < q->nblock; b++)
        memcpy(whole->nu + p->block_offset[island->block[b]], part->nu + q->block_offset[b],
               (size_t)q->block_ndof[b] * sizeof *part->nu);
    for (int i = 0; i < q->njoint; i++) whole->p_joint[island->joint[i]] = part->p_joint[i];
    for (int i = 0; i < q->ncontact; i++) {
        int c = island->contact[i];
        memcpy(whole->p_contact + 3 * c, part->p_contact + 3 * i, 3 * sizeof *part->p_contact);
        whole->sigma[c] = part->sigma[i];
        for (int k = 2; k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(&q->contact[i], k))
                *pp_friction_impulse(whole, c, k) = *pp_friction_impulse(part, i, k);
    }
}

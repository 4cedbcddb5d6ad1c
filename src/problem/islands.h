/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* islands.h - decomposition of a step problem into independent problems. */
#ifndef PP_ISLANDS_H
#define PP_ISLANDS_H

#include "base/memory.h"
#include "perp/step.h"

typedef struct pp_island {
    perp_step_problem p; /* blocks and rows numbered anew */
    int *block;          /* p.nblock: numbers in the whole problem */
    int *joint;          /* p.njoint */
    int *contact;        /* p.ncontact */
} pp_island;

/* Islands in order of their first blocks; blocks without rows are in none. Everything lies in the arena. Fixed and
 * kinematic bodies do not join islands. PERP_E_MEMORY. */
perp_status pp_islands_split(const perp_step_problem *p, pp_arena *arena, pp_island **out, int *n);

/* Impulses of an island out of those of the whole; and impulses and velocity back into them. */
void pp_island_gather(const pp_island *island, const perp_step_solution *whole, perp_step_solution *part);
void pp_island_scatter(const pp_island *island, const perp_step_problem *p, const perp_step_solution *part,
                       perp_step_solution *whole);

#endif

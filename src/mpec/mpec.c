/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mpec.c - estimation as a mathematical program with equilibrium constraints: the call from outside. See mpec.h, and
 * docs/study-methods-mpec.md for the method. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/refuse.h"
#include "mpec/ipopt_library.h"
#include "mpec/mpec.h"

#define OPTIONS_COOKIE 0x6d706563u /* "mpec" */

perp_mpec_options perp_mpec_options_default(void) {
    return (perp_mpec_options){.relax_start = 1,
                               .relax_end = 1e-9,
                               .relax_factor = 0.03,
                               .tolerance = 1e-8,
                               .max_iterations = 3000,
                               .cookie = OPTIONS_COOKIE};
}

void perp_mpec_result_free(perp_mpec_result *r) {
    if (!r) return;
    perp_allocator a = r->alloc;
    pp_free(&a, r->parameter);
    pp_free(&a, r->state);
    memset(r, 0, sizeof *r);
    r->alloc = a;
}

/* The point z as a result. */
static perp_status take(const pp_mpec *m, const double *z, perp_mpec_result *out) {
    size_t nx = (size_t)m->nx;
    out->parameter = pp_alloc(&out->alloc, (size_t)m->np * sizeof *z);
    out->state = pp_alloc(&out->alloc, (size_t)(m->steps + 1) * nx * sizeof *z);
    if (!out->parameter || !out->state)
        return pp_refuse(out->why, sizeof out->why, PERP_E_MEMORY, "out of memory for the result");
    out->nparameter = m->np;
    out->nstate = m->nx;
    out->steps = m->steps;
    memcpy(out->parameter, z, (size_t)m->np * sizeof *z);
    for (int k = 0; k <= m->steps; k++) memcpy(out->state + (size_t)k * nx, z + pp_mpec_base(m, k), nx * sizeof *z);
    out->objective = pp_mpec_objective(m, z);
    out->chi2 = 0;
    for (int i = 0; i < m->p->nrow; i++) {
        const perp_mpec_row *r = &m->p->row[i];
        double d = (r->value - z[pp_mpec_base(m, r->step) + pp_mpec_coordinate(m, r->body, r->coordinate)]) / r->sd;
        out->chi2 += d * d;
    }
    out->unknowns = m->n;
    out->equations = m->m;
    return PERP_OK;
}

/* Residuals of the answer: laws and products at z, and the difference from a simulation that starts at its initial state. */
static perp_status judge(pp_mpec *m, const double *z, double *g, perp_mpec_result *out) {
    out->violation = out->product = out->rollout_error = INFINITY;
    if (!pp_mpec_constraints(m, z, g)) return m->trouble;
    out->violation = out->product = 0;
    for (int r = 0; r < m->nfixed; r++) out->violation = fmax(out->violation, fabs(g[r]));
    for (int k = 1; k <= m->steps; k++) {
        const double *row = g + pp_mpec_row(m, k);
        for (int i = 0; i < m->nlaw; i++) out->violation = fmax(out->violation, fabs(row[i]));
        for (int i = m->nlaw; i < m->nlaw + m->ndof; i++)
            out->violation = fmax(out->violation, fabs(row[i]) / m->speed);
        for (int i = 0; i < m->nproduct; i++) out->product = fmax(out->product, row[m->nlaw + m->ndof + i]);
    }
    out->rollout_error = pp_mpec_rollout_error(m, z);
    return PERP_OK;
}

static perp_status solve(pp_mpec *m, perp_mpec_result *out) {
    perp_status st = pp_mpec_build(m);
    if (!st) st = pp_mpec_program(m);
    if (st) return st;
    double *z = PP_ARENA_ARRAY(&m->arena, double, m->n), *g = PP_ARENA_ARRAY(&m->arena, double, m->m);
    if (!z || !g) return pp_refuse(m->why, m->why_size, PERP_E_MEMORY, "out of memory for the program");
    st = pp_mpec_start(m, z);
    if (!st) st = pp_mpec_probe(m, z);
    if (!st) st = pp_mpec_places(m);
    if (st) return st;
    m->why[0] = 0;
    st = pp_mpec_ipopt(m, z, out);
    if (st && st != PERP_E_SOLVE) return st;
    perp_status room = take(m, z, out), judged = room ? room : judge(m, z, g, out);
    if (room) return room;
    if (!st && judged) return judged;
    if (!st) m->why[0] = 0; /* of points on the way that the world refused */
    return st;
}

perp_status perp_mpec_solve(const perp_mpec_problem *p, const perp_mpec_options *o, perp_mpec_result *out) {
    if (!out) return PERP_E_ARG;
    memset(out, 0, sizeof *out);
    if (o) out->alloc = o->alloc;
    if (!p || (o && o->cookie != OPTIONS_COOKIE))
        return pp_refuse(out->why, sizeof out->why, PERP_E_ARG,
                         "there is no problem, or the options are not from perp_mpec_options_default()");
    if (!perp_mpec_available())
        return pp_refuse(out->why, sizeof out->why, PERP_E_FIT, "this perp %s", pp_ipopt_missing());
    double t = pp_clock();
    pp_mpec m = {.p = p, .o = o ? *o : perp_mpec_options_default(), .why = out->why, .why_size = sizeof out->why};
    pp_arena_init(&m.arena, m.o.alloc);
    perp_status st = solve(&m, out);
    pp_mpec_release(&m);
    out->seconds = pp_clock() - t;
    if (st && !out->why[0]) (void)pp_refuse(out->why, sizeof out->why, st, "%s", perp_status_text(st));
    return st;
}

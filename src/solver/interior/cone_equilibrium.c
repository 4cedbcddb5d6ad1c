/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_equilibrium.c - impulses that hold all bodies at rest
 * Problem  A scaled cone problem (cone.h) in global form, u = H'v + b. Find r inside the cones with H r + f = 0, without impulse at contacts
 *          with a gap (b_N > 0). Then v = 0 and u = b, and Coulomb's law holds for any flow rule: De Saxce's term mu |u_T| is zero.
 *          So the convex law may be solved instead, which has no folds and is reliable. The solution is still checked by the true law.
 * Method   Contacts with a gap are left out, b of the others is taken as 0, and the rest is a cone QP, min |v|^2/2 over v = M^-1 (f + H r).
 *          It is solved by interior points (cone_interior.c). After each predictor, an attempt is made to reach v = 0 at once: corrections
 *          of least size in the metric of the barrier. Few steps are needed because small gaps, which bend the central path of the whole
 *          problem, are left out, and the impulses of a pile at rest have room inside their cones.
 *          If the bodies are at rest, velocities along the path decrease as the root of tau; if not, the search ends.
 *          Some bodies may move and push the others with given impulses (auto's stage for piles in which few bodies move): contacts with
 *          them are left out, and the question is whether all others can be at rest.
 * Valid    Finds rest if it exists with some room inside the cones. Detects motion after about 8 steps.
 * Cost     5 to 15 steps for any size; conjugate gradients while they are cheaper than a factorisation.
 * Source   Nesterov, Todd (1997) for the interior points; the limit analysis of piles as a cone programme is old, see
 *          Moreau (1988) on Coulomb's law at rest; Acary, Cadoux, Lemarechal, Malick (2011) for the cone QP as a test of
 *          existence. */
#include "solver/interior/cone_equilibrium.h"

#include <math.h>
#include <string.h>

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [steps] Largest number of interior-point steps in the test for rest. Half and double: no effect. */
#define MOST_STEPS 40
/* [steps] Largest number of interior-point steps in the test for rest if late steps are made, too. */
#define FULL_STEPS 20
/* [1] A contact touches if its gap divided by the time step is below this multiple of tol. Half and double: no effect. */
#define TOUCHING 10
/* [1] Fraction of the bodies that may have no support. Half and double: no effect. */
#define LOOSE 1e-2
/* [1] Fraction of tol for feasibility, see cone_interior.h. Half: no effect; double: work -1 %. */
#define FEASIBLE 0.1
/* [steps] Largest number of steps from a guess. */
#define WARM_STEPS 3
/* [1] Mean of the products at the start from a guess. Half and double: no effect. */
#define WARM_TAU 1e-4
/* [1] Largest velocity with which a guess is used as a start. */
#define WARM_SPEED 1e-2

/* Velocity b of a row in scaled units. */
static double offset(const pp_cone *c, int row) { return c->scale[row] * c->p->b[row] / c->beta; }

/* Chooses the contacts that are left out. Returns false if the bodies cannot be at rest: a row drives, or bodies have
 * no support. A few of the latter among many do not matter: the others may be at rest, and Newton finds the motion of
 * these. */
static bool choose(const pp_cone_rest *k, bool *idle, bool *held) {
    const pp_cone *c = k->c;
    memset(held, 0, sizeof *held * (size_t)c->nnode);
    for (int i = 0; i < c->nblock; i++) {
        double gap = fabs(offset(c, c->first[i]));
        bool pushed = k->away && pp_cone_touches(c, i, k->away);
        idle[i] = pushed || (i >= c->nrow && gap > TOUCHING * k->tol);
        if (i < c->nrow && (pushed || gap > TOUCHING * k->tol)) return false;
        for (int s = c->row[i]; !idle[i] && s < c->row[i + 1]; s++) held[c->entry[s].other] = true;
    }
    int loose = 0;
    for (int i = 0; i < c->nnode; i++) loose += !held[i] && !(k->away && k->away[i]);
    return loose <= LOOSE * c->nnode;
}

int pp_cone_rest_impossible(const pp_cone *c, double tol, bool *node) {
    int count = 0;
    for (int i = 0; i < c->nnode; i++) node[i] = true;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; offset(c, c->first[i]) <= TOUCHING * tol && s < c->row[i + 1]; s++)
            node[c->entry[s].other] = false;
    for (int i = 0; i < c->nblock; i++) {
        double gap = offset(c, c->first[i]);
        bool driven = gap < -TOUCHING * tol;
        for (int r = c->first[i] + 1; r < c->first[i + 1]; r++)
            driven = driven || (gap <= TOUCHING * tol && fabs(offset(c, r)) > TOUCHING * tol);
        for (int s = c->row[i]; driven && s < c->row[i + 1]; s++) node[c->entry[s].other] = true;
    }
    for (int i = 0; i < c->nnode; i++) count += node[i];
    return count;
}

/* Largest velocity that the guess leaves in the bodies, at the contacts in use. */
static double speed(const pp_cone_rest *k, const double *q, const bool *idle, double *v) {
    const pp_cone *c = k->c;
    double most = 0;
    pp_cone_apply(c, k->from, v);
    for (int i = 0; i < c->nblock; i++)
        for (int r = c->first[i]; !idle[i] && r < c->first[i + 1]; r++) most = fmax(most, fabs(v[r] + q[r]));
    return most;
}

/* Velocities of the bodies at the end, with the impulses inside their cones. */
static bool tell_speeds(const pp_cone_rest *k, const double *x) {
    const pp_cone *c = k->c;
    double *z = PP_CALL_ARRAY(k->call, double, c->ndof);
    if (!z) return false;
    pp_cone_node_velocities(c, x, z);
    for (int i = 0; i < c->nnode; i++) {
        k->speed[i] = 0;
        if (k->away && k->away[i]) continue;
        for (int d = c->node[i]; d < c->node[i + 1]; d++) k->speed[i] = fmax(k->speed[i], fabs(z[d]));
    }
    return true;
}

perp_outcome pp_cone_rest_run(pp_cone_rest *k) {
    const pp_cone *c = k->c;
    k->measure = INFINITY;
    if (!c->body || c->c || !c->p->global) return PERP_OUTCOME_LIMIT;
    bool *idle = PP_CALL_ARRAY(k->call, bool, c->nblock), *held = PP_CALL_ARRAY(k->call, bool, c->nnode);
    if (!idle || !held) return PERP_OUTCOME_MEMORY;
    if (!choose(k, idle, held)) return PERP_OUTCOME_LIMIT;
    double *q = PP_CALL_ARRAY(k->call, double, c->m), *v = PP_CALL_ARRAY(k->call, double, c->m);
    if (!q || !v) return PERP_OUTCOME_MEMORY;
    if (k->push) pp_cone_apply(c, k->push, v);
    for (int i = 0; i < c->m; i++) q[i] = c->q[i] - offset(c, i) + (k->push ? v[i] : 0);
    if (k->from && !(speed(k, q, idle, v) <= WARM_SPEED)) return PERP_OUTCOME_LIMIT;
    pp_cone convex = *c;
    convex.associated = true;
    pp_cone_cg cg;
    pp_cone_interior in = {.c = &convex,
                           .linear = k->linear,
                           .cg = &cg,
                           .call = k->call,
                           .shift = PP_INTERIOR_SHIFT,
                           .feasible = FEASIBLE,
                           .q = q,
                           .idle = idle,
                           .given = k->push,
                           .rest = k->figure,
                           .rest_tol = k->tol,
                           .identify_moving = k->speed != NULL,
                           .late_steps = k->fully,
                           .from = k->from,
                           .from_tau = WARM_TAU,
                           .max_steps = k->from    ? WARM_STEPS
                                        : k->fully ? FULL_STEPS
                                                   : MOST_STEPS,
                           .iterations = k->iterations,
                           .out = k->out};
    if (!pp_cone_cg_make(&cg, &convex, k->call) || !pp_cone_interior_make(&in)) return PERP_OUTCOME_MEMORY;
    cg.mirror = true;
    perp_outcome o = pp_cone_interior_run(&in);
    k->steps = in.steps;
    k->cg_steps = cg.steps;
    k->iterations = in.iterations;
    k->moving = in.moving;
    k->measure = in.rest_measure;
    k->best = in.rested;
    if (k->speed) {
        pp_cone_interior_point(&in, v);
        for (int i = 0; k->push && i < c->m; i++) v[i] += k->push[i];
        if (!tell_speeds(k, v)) return PERP_OUTCOME_MEMORY;
    }
    return k->measure <= k->tol ? PERP_OUTCOME_SOLVED : o == PERP_OUTCOME_STOPPED ? o : PERP_OUTCOME_LIMIT;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_viscoelastic.c - contacts as lumped springs and dampers, along the normal and along the surface
 * Problem  lambda = K d + C dd/dt at each contact. The normal force does not pull, the tangential force is in Coulomb's cone. So impacts have
 *          a duration, and there is micro-slip before slip.
 * Method   Implicit, with compliant rows (viscoelastic_rows.c), in substeps as short as moving contacts need
 *          (viscoelastic_pace.c). Contacts of rigid pairs keep the Stewart-Trinkle law in the same step.
 * Valid    Any stiffness, damping and step. If max_halvings does not allow substeps that resolve a contact, the end rule is used:
 *          stable, of first order, and with too little rebound.
 * Energy   The energy of contact springs is included in the springs of perp_world_energy() and of the ledger. The losses of dampers and
 *          slip are entered under normal and friction.
 * Source   Berard 2.4.4; Song, Pang, Kumar (2004). Errata: K and C are printed as full 3 x 3 matrices; here they are
 *          diagonal, K_t the same in every direction of the surface. */
#include <stddef.h>

#include "base/refuse.h"
#include "stage/stepper.h"
#include "method/stepper/viscoelastic.h"
#include "stage/collide/collide.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"
#include "stage/update/update.h"

static const perp_field fields[] = {
    {"per_contact", PERP_FIELD_INT, offsetof(pp_visco_settings, per_contact), 40, 4, 100000,
     "substeps in the duration pi sqrt(m/K) of a contact; at most 2^max_halvings in a step"},
    {"calm", PERP_FIELD_DOUBLE, offsetof(pp_visco_settings, calm), 1e-3, 0, 1e300,
     "contacts whose surface moves slower than this are not resolved [L/T]"},
};

/* Rejects a substep because of its length, unless no shorter one can follow. */
static perp_status paced(pp_frame *f, double length, const char *because) {
    if (!(length > 0) || f->task.last_resort) return PERP_OK;
    f->advice.shorter = length;
    return pp_fail(f->w, PERP_E_SOLVE, "a substep of %g at t = %g is too long %s", f->h, f->s0->t, because);
}

static perp_status step(pp_frame *f) {
    pp_visco_work k = {.f = f, .set = (const pp_visco_settings *)(const void *)f->w->chosen.stepper_settings.bytes};
    perp_status st = pp_collide(f);
    if (!st) st = pp_visco_contacts(f);
    if (!st) st = pp_formulate(f, &(pp_pose_options){0});
    if (!st) st = pp_visco_begin(&k);
    if (!st) st = paced(f, pp_visco_pace_before(&k), "for contacts that close");
    if (!st) st = pp_visco_rows(&k);
    if (!st) st = pp_solve_step(f, &(pp_solve_options){0});
    if (!st) st = pp_visco_end(&k);
    if (!st) st = paced(f, pp_visco_pace_after(&k), "for the motion of its contacts");
    if (st) return st;
    f->advice.next = pp_visco_pace_next(&k);
    return pp_update_along(f, k.drift);
}

static perp_status fits(const perp_world_def *d, char *why, size_t n) {
    if (d->start == PERP_START_STAGGERED)
        return pp_refuse(why, n, PERP_E_FIT, "stepper viscoelastic requires start plain");
    if (d->error_tolerance > 0)
        return pp_refuse(why, n, PERP_E_FIT,
                         "stepper viscoelastic divides steps by its own rule (per_contact); error_tolerance must be 0");
    if (d->joint_correction) return pp_refuse(why, n, PERP_E_FIT, "stepper viscoelastic does not correct joints");
    return PERP_OK;
}

static perp_status ready(perp_world *w) {
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++) {
        const perp_pair_law *law = &w->law[i];
        if (law->compliance == PERP_RIGID) continue;
        if (law->restitution > 0)
            return pp_fail(w, PERP_E_FIT, "restitution is %g for a compliant pair; its damping determines the rebound",
                           law->restitution);
        if (law->layer > 0)
            return pp_fail(w, PERP_E_FIT, "stepper viscoelastic has no rigid core under a layer: layer is %g",
                           law->layer);
    }
    return PERP_OK;
}

static const char *const models[] = {"peg", "one-plane", NULL};

const pp_stepper_type pp_stepper_viscoelastic = {
    .name = "viscoelastic",
    .source = "Berard 2.4.4; Song, Pang, Kumar (2004)",
    .about = "contacts as springs and dampers along normal and surface; short substeps around impacts",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .models = models,
    .compliances = 1u << PERP_LINEAR,
    .own = {.marches = true, .start_joints = true},
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_visco_settings),
    .normal_rhs = pp_end_gap_rhs,
    .step = step,
    .fits = fits,
    .ready = ready,
};

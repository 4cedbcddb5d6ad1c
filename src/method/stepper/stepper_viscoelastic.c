/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_viscoelastic.c - contacts as lumped springs and dampers, along the normal and along the surface
 * Problem  lambda = K d + C dd/dt at each contact, the normal force not pulling, the tangential one in Coulomb's
 *          cone: impacts that take time, micro-slip before slip.
 * Method   Implicit, by rows with compliance (viscoelastic_rows.c), in parts as short as contacts at work need
 *          (viscoelastic_pace.c). Contacts of rigid pairs keep the Stewart-Trinkle law in the same step.
 * Valid    any stiffness, damping and step. Where max_halvings allows no parts that resolve a contact, it is passed
 *          over by the end rule: stable, of first order, and it bounces less than it should.
 * Energy   What springs of contacts hold is part of the springs of perp_world_energy() and of the ledger; what dampers and
 *          slip take stands under normal and friction.
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
     "parts of a step in the time pi sqrt(m/K) that a contact lasts; 2^max_halvings in a step at most"},
    {"calm", PERP_FIELD_DOUBLE, offsetof(pp_visco_settings, calm), 1e-3, 0, 1e300,
     "contacts whose surface moves slower than this are not resolved [L/T]"},
};

/* Refuses a part for its length; not if no shorter one can follow. */
static perp_status paced(pp_frame *f, double length, const char *because) {
    if (!(length > 0) || f->task.last_resort) return PERP_OK;
    f->advice.shorter = length;
    return pp_fail(f->w, PERP_E_SOLVE, "a part of %g at t = %g is too long %s", f->h, f->s0->t, because);
}

static perp_status step(pp_frame *f) {
    pp_visco_work k = {.f = f, .set = (const pp_visco_settings *)(const void *)f->w->chosen.stepper_settings.bytes};
    perp_status st = pp_collide(f);
    if (!st) st = pp_visco_contacts(f);
    if (!st) st = pp_formulate(f, &(pp_pose_options){0});
    if (!st) st = pp_visco_begin(&k);
    if (!st) st = paced(f, pp_visco_pace_before(&k), "for what comes into touch");
    if (!st) st = pp_visco_rows(&k);
    if (!st) st = pp_solve_step(f, &(pp_solve_options){0});
    if (!st) st = pp_visco_end(&k);
    if (!st) st = paced(f, pp_visco_pace_after(&k), "for what its contacts do");
    if (st) return st;
    f->advice.next = pp_visco_pace_next(&k);
    return pp_update_along(f, k.drift);
}

static perp_status fits(const perp_world_def *d, char *why, size_t n) {
    if (d->start == PERP_START_STAGGERED)
        return pp_refuse(why, n, PERP_E_FIT, "stepper viscoelastic takes start plain only");
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
            return pp_fail(w, PERP_E_FIT,
                           "restitution is %g of a pair that gives way; how it bounces is up to its damping",
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
    .about = "contacts as springs and dampers along normal and surface; short parts around impacts",
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

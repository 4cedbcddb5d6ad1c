/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_implicit.c - geometrically implicit steps: all geometry at the end of the step
 *   M(q+) nu+ = M(q) nu + h f + W(q+) p,   0 <= p_n _|_ psi(q+) >= 0
 * `implicit` is rigid. `implicit-compliant` has Kelvin-Voigt layers over rigid cores.
 * Source   Berard 3.5.1, 3.5.2. */
#include <stddef.h>

#include "base/refuse.h"
#include "method/implicit/implicit_step.h"
#include "stage/stepper.h"

#define ALL_SHAPES ((1u << PERP_SHAPE_KIND_COUNT) - 1)

static const char *const models[] = {"peg", NULL}; /* the default model, which is not called */

static perp_status fits(const perp_world_def *d, char *why, size_t n) {
    if (d->start == PERP_START_STAGGERED)
        return pp_refuse(why, n, PERP_E_FIT,
                         "stepper %s requires start plain: its velocities belong to the ends of steps", d->stepper);
    return PERP_OK;
}

static perp_status rigid_step(pp_frame *f) { return pp_implicit_step(f, false, false); }

typedef struct settings {
    bool keeps_energy;
} settings;

static const perp_field fields[] = {
    {"keeps_energy", PERP_FIELD_BOOL, offsetof(settings, keeps_energy), 0, 0, 1,
     "layers use the mean of their potential over the step, and bodies move with the mean of their velocities, so that "
     "springs conserve energy; otherwise backward Euler as printed, which loses some"},
};

static perp_status compliant_step(pp_frame *f) {
    const settings *s = (const settings *)(const void *)f->w->chosen.stepper_settings.bytes;
    return pp_implicit_step(f, true, s->keeps_energy);
}

static perp_status compliant_ready(perp_world *w) {
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++)
        if (w->law[i].compliance != PERP_RIGID && w->law[i].restitution > 0)
            return pp_fail(w, PERP_E_FIT,
                           "restitution is %g for a pair with a compliant layer; its damping determines the rebound",
                           w->law[i].restitution);
    return pp_implicit_ready(w);
}

const pp_stepper_type pp_stepper_implicit = {
    .name = "implicit",
    .source = "Berard 3.5.1",
    .about = "gaps, normals and forces at the end pose; bodies given by convex functions",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .models = models,
    .ellipsoids = true,
    .shapes = ALL_SHAPES,
    .normal_rhs = pp_end_gap_rhs,
    .step = rigid_step,
    .fits = fits,
    .ready = pp_implicit_ready,
};

const pp_stepper_type pp_stepper_implicit_compliant = {
    .name = "implicit-compliant",
    .source = "Berard 3.5.2",
    .about = "as implicit, with spring-damper layers over rigid cores",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .models = models,
    .ellipsoids = true,
    .shapes = ALL_SHAPES,
    .compliances = 1u << PERP_LINEAR,
    .fields = fields,
    .nfield = 1,
    .settings_size = sizeof(settings),
    .normal_rhs = pp_end_gap_rhs,
    .step = compliant_step,
    .fits = fits,
    .ready = compliant_ready,
};

/* stepper.h - the stepper stage: which right-hand side the contact rows get.
 * All steppers here share one step problem (formulate.c); they differ in what they demand of a gap. */
#ifndef PP_STEPPER_H
#define PP_STEPPER_H

#include "world/frame.h"

typedef struct pp_stepper_type {
    const char *name;
    const char *source; /* document and equation */
    unsigned makes;     /* mask of perp_class */
    /* b_n of a contact: the normal velocity demanded is >= -b_n [L/T]. gap [L] with kinematic bodies at the end of the
     * step; approach: normal velocity at the start of the step, of B relative to A [L/T]; restitution: of the pair. */
    double (*normal_rhs)(double gap, double approach, double restitution, double h, double touching);
} pp_stepper_type;

extern const pp_stepper_type pp_stepper_stewart_trinkle, pp_stepper_anitescu_potra;
const pp_stepper_type *pp_stepper_find(const char *name);

/* Newton's law: a contact that closes within the step at speed -approach > 0 leaves it at restitution times that. */
bool pp_bounces(double gap, double approach, double restitution, double h);

#endif

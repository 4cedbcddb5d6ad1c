/* step_contradiction.h - why a step has no answer, in words. */
#ifndef PP_STEP_CONTRADICTION_H
#define PP_STEP_CONTRADICTION_H

#include "world/frame.h"

/* If there is a proof that the problem of an island has no answer, names the bodies whose contacts and the joints that
 * contradict each other, and those that are driven: "; no answer exists: ..." in `text`. Otherwise, or without memory, "".
 * @return by how much some law is missed at least, whatever the impulses are [L/T]; 0 without a proof */
double pp_tell_contradiction(const pp_frame *f, const perp_step_problem *p, char *text, size_t size);

#endif

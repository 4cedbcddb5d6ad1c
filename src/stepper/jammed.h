/* jammed.h - what jams a step that has no answer, for world/step.c. */
#ifndef PP_JAMMED_H
#define PP_JAMMED_H

#include "world/frame.h"

/* Adds to the world's sentence about a frame that was not solved what stands in the way of an answer, if that is
 * found. */
void pp_name_jam(const pp_frame *f);

#endif

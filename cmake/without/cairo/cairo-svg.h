/* cairo-svg.h - see cairo.h beside it */
#include "cairo.h"

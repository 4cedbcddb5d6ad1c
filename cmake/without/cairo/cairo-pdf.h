/* cairo-pdf.h - see cairo.h beside it */
#include "cairo.h"

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* svg_compact.h - an SVG that cairo wrote, with fewer bytes. */
#ifndef SVG_COMPACT_H
#define SVG_COMPACT_H

#include <stddef.h>

/* Rewrites the SVG in place: coordinates on a grid of SVG_GRID points, paths in relative commands. No point moves by more than half of that. Returns the new size, which is not larger. */
size_t svg_compact(char *svg, size_t size);

#define SVG_GRID 0.01 /* of coordinates [pt]: 3.5 micrometres on paper, a seventieth of a pixel on a screen */

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_scale.h - the colours of heat maps: from a number between 0 and 1 to a colour. Knows nothing of drawing. */
#ifndef PLOT_SCALE_H
#define PLOT_SCALE_H

typedef struct plot_rgb {
    double r, g, b; /* sRGB, 0..1 */
} plot_rgb;

typedef struct plot_lab {
    double L, a, b; /* OKLab: lightness 0..1, green to red, blue to yellow */
} plot_lab;

enum { PLOT_SCALE_STEPS = 256 };

/* A scale of PLOT_SCALE_STEPS colours from dark (low) to light (high), each rounded to 8 bits. */
typedef struct plot_scale {
    plot_rgb colour[PLOT_SCALE_STEPS];
} plot_scale;

/* Makes the scale. `from` (0..1): where on the full scale the first colour lies; above 0 the darkest colours are left
 * out, for dark paper. */
void plot_scale_make(plot_scale *s, double from);
/* Index of the colour for a part 0..1 of the range; what lies outside gets the colour of the end. */
int plot_scale_step(double part);
plot_lab plot_lab_of(plot_rgb c);

#endif

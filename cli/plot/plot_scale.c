/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_scale.c - a colour scale for heat maps
 *   equal steps of the number look equally large: in colour, printed in grey, and for colour-blind readers
 * Method   a smooth curve in OKLab (a uniform space: equal distances look equal) through five control points of our
 *          own, from dark violet over blue, teal and green to light yellow. Lightness grows all the way, so the order
 *          survives without colour; blue to yellow is the axis that red-green colour-blind eyes keep. The curve is
 *          walked at constant speed (equal arc length for each step).
 * Valid    all control points and the curve between them lie inside sRGB (test unit.plot_map checks it).
 * Cost     some thousand evaluations of a cubic for each figure.
 * Source   OKLab and its matrices: Ottosson (2020), "A perceptual color space for image processing". sRGB: IEC 61966-2-1. */
#include "plot/plot_scale.h"

#include <math.h>

enum { POINTS = 5, FINE = 2048 }; /* FINE: pieces of the curve for its length; 8 for each colour */
#define DEGREE 0.017453292519943295

/* Control points: lightness, chroma, hue [degree]. */
static const double control[POINTS][3] = {
    {0.27, 0.115, 292}, {0.43, 0.105, 262}, {0.59, 0.098, 210}, {0.75, 0.140, 155}, {0.92, 0.180, 107}};

/* Second derivatives of the natural cubic spline through y at 0, 1, ...: m[i-1] + 4 m[i] + m[i+1] = 6 (second
 * difference), zero at both ends; by elimination. */
static void natural_spline(const double y[POINTS], double m[POINTS]) {
    double pivot[POINTS] = {0}, right[POINTS] = {0};
    m[0] = m[POINTS - 1] = 0;
    for (int i = 1; i < POINTS - 1; i++) {
        double factor = i > 1 ? 1 / pivot[i - 1] : 0;
        pivot[i] = 4 - factor;
        right[i] = 6 * (y[i + 1] - 2 * y[i] + y[i - 1]) - factor * right[i - 1];
    }
    for (int i = POINTS - 2; i > 0; i--) m[i] = (right[i] - m[i + 1]) / pivot[i];
}

/* The spline at u in 0..POINTS-1. */
static double spline_at(const double y[POINTS], const double m[POINTS], double u) {
    int i = (int)u < POINTS - 2 ? (int)u : POINTS - 2;
    double t = u - i, s = 1 - t;
    return s * y[i] + t * y[i + 1] + ((s * s * s - s) * m[i] + (t * t * t - t) * m[i + 1]) / 6;
}

static double encode(double c) { /* linear light to sRGB, rounded to 8 bits */
    double v = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return round(255 * fmin(fmax(v, 0), 1)) / 255;
}

static double decode(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

static plot_rgb rgb_of(plot_lab c) {
    double l = c.L + 0.3963377774 * c.a + 0.2158037573 * c.b, m = c.L - 0.1055613458 * c.a - 0.0638541728 * c.b,
           s = c.L - 0.0894841775 * c.a - 1.2914855480 * c.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    plot_rgb out = {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                    encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
    return out;
}

plot_lab plot_lab_of(plot_rgb c) {
    double r = decode(c.r), g = decode(c.g), b = decode(c.b);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b),
           m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b),
           s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    plot_lab out = {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                    1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                    0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
    return out;
}

void plot_scale_make(plot_scale *scale, double from) {
    double y[3][POINTS], m[3][POINTS];
    for (int i = 0; i < POINTS; i++) {
        y[0][i] = control[i][0];
        y[1][i] = control[i][1] * cos(control[i][2] * DEGREE);
        y[2][i] = control[i][1] * sin(control[i][2] * DEGREE);
    }
    for (int k = 0; k < 3; k++) natural_spline(y[k], m[k]);
    plot_lab at[FINE + 1];
    double length[FINE + 1];
    for (int i = 0; i <= FINE; i++) {
        double u = (double)i * (POINTS - 1) / FINE;
        at[i] = (plot_lab){spline_at(y[0], m[0], u), spline_at(y[1], m[1], u), spline_at(y[2], m[2], u)};
        double dL = i ? at[i].L - at[i - 1].L : 0, da = i ? at[i].a - at[i - 1].a : 0,
               db = i ? at[i].b - at[i - 1].b : 0;
        length[i] = (i ? length[i - 1] : 0) + sqrt(dL * dL + da * da + db * db);
    }
    int i = 0;
    for (int k = 0; k < PLOT_SCALE_STEPS; k++) {
        double want = length[FINE] * (from + (1 - from) * k / (PLOT_SCALE_STEPS - 1));
        while (i < FINE - 1 && length[i + 1] < want) i++;
        double t = (want - length[i]) / (length[i + 1] - length[i]);
        plot_lab c = {at[i].L + t * (at[i + 1].L - at[i].L), at[i].a + t * (at[i + 1].a - at[i].a),
                      at[i].b + t * (at[i + 1].b - at[i].b)};
        scale->colour[k] = rgb_of(c);
    }
}

int plot_scale_step(double part) {
    double k = floor(part * PLOT_SCALE_STEPS);
    return k >= PLOT_SCALE_STEPS - 1 ? PLOT_SCALE_STEPS - 1 : k > 0 ? (int)k : 0;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_lost.c - bodies that fell or flew away do not count for the size of the picture
 *
 * At each moment that is looked at, the middle is the median of all balls, along each axis. A body is lost if it is farther from
 * the middle than GONE times the size of the scene at its start, and than GONE times the distance of most of the others; so a
 * scene that moves or spreads as a whole loses nothing. Of a body that is lost at some moment, only places near its start
 * count. The viewer has the same rule (viewer/src/draw/extent.ts).
 * Cost     n log n for each moment. */
#include <math.h>
#include <stdlib.h>

#include "render/render.h"

#define GONE         3.0
#define MOST_OF_THEM 0.8

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *x, int n, double part) {
    qsort(x, (size_t)n, sizeof *x, by_size);
    return x[(int)(part * (n - 1))];
}

static double reach(const render_ball *b, perp_vec3 middle, double size) {
    return perp_v3_norm(perp_v3_sub(b->centre_W, middle)) + (b->radius < GONE * size ? b->radius : 0);
}

static void find_lost(const render_balls *b, int from, int to, double size, double *x, bool *lost) {
    double middle[3];
    int n = to - from;
    if (n < 2) return;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) {
            perp_vec3 c = b->ball[from + i].centre_W;
            x[i] = k == 0 ? c.x : k == 1 ? c.y : c.z;
        }
        middle[k] = quantile(x, n, 0.5);
    }
    perp_vec3 m = {middle[0], middle[1], middle[2]};
    for (int i = 0; i < n; i++) x[i] = reach(&b->ball[from + i], m, size);
    double far = GONE * fmax(size, quantile(x, n, MOST_OF_THEM));
    for (int i = from; i < to; i++)
        if (reach(&b->ball[i], m, size) > far && b->body[i] >= 0) lost[b->body[i]] = true;
}

bool render_forget_lost(render_balls *b, const int *first, int looks, int nbody, render_ball home) {
    bool *lost = calloc((size_t)nbody + 1, sizeof *lost);
    double *x = malloc(((size_t)b->n + 1) * sizeof *x);
    int kept = 0;
    if (!lost || !x) {
        free(lost);
        free(x);
        return false;
    }
    for (int i = 0; i < looks; i++) find_lost(b, first[i], first[i + 1], home.radius, x, lost);
    for (int i = 0; i < b->n; i++) {
        perp_vec3 off = perp_v3_sub(b->ball[i].centre_W, home.centre_W);
        if (b->body[i] >= 0 && lost[b->body[i]] && perp_v3_norm(off) > home.radius) continue;
        b->body[kept] = b->body[i];
        b->ball[kept++] = b->ball[i];
    }
    if (kept > 0) b->n = kept; /* an empty picture is of no use */
    free(lost);
    free(x);
    return true;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hull.c - convex hulls of few points, by trying all triples; their moments. */
#include <stdio.h>
#include <stdlib.h>

#include "front.h"

/* Points within this of a plane lie in it, as a part of the hull's size. Far above rounding, far below any feature of the scenes. */
#define FLAT 1e-9

front_vec front_turn(const double q[4], front_vec v) {
    front_vec u = front_v(q[1], q[2], q[3]), t = front_cross(u, v);
    return front_axpy(front_axpy(v, 2 * q[0], t), 2, front_cross(u, t));
}

front_vec front_turn_back(const double q[4], front_vec v) {
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    return front_turn(back, v);
}

/* The points of the plane n . x = d, counter-clockwise about n. @return their number */
static int around_face(const front_hull *h, front_vec n, double d, double size, int *corner) {
    int count = 0;
    double angle[FRONT_POINTS];
    front_vec centre = front_v(0, 0, 0), e1, e2;
    for (int i = 0; i < h->npoint; i++)
        if (fabs(front_dot(n, h->point[i]) - d) <= FLAT * size) corner[count++] = i;
    for (int i = 0; i < count; i++) centre = front_axpy(centre, 1.0 / count, h->point[corner[i]]);
    e1 = front_sub(h->point[corner[0]], centre);
    e2 = front_cross(n, e1);
    for (int i = 0; i < count; i++) {
        front_vec r = front_sub(h->point[corner[i]], centre);
        angle[i] = atan2(front_dot(r, e2), front_dot(r, e1));
    }
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && angle[j] < angle[j - 1]; j--) {
            double a = angle[j];
            int c = corner[j];
            angle[j] = angle[j - 1], corner[j] = corner[j - 1];
            angle[j - 1] = a, corner[j - 1] = c;
        }
    return count;
}

/* Adds the face through three points if all others lie on one side, and these three come first in it. */
static bool try_face(front_hull *h, int i, int j, int k, double size) {
    front_vec n = front_cross(front_sub(h->point[j], h->point[i]), front_sub(h->point[k], h->point[i]));
    double length = front_norm(n), d, lo = 0, hi = 0;
    int corner[FRONT_POINTS];
    if (length < FLAT * size * size) return true;
    n = front_scale(1 / length, n);
    d = front_dot(n, h->point[i]);
    for (int m = 0; m < h->npoint; m++) {
        double s = front_dot(n, h->point[m]) - d;
        lo = fmin(lo, s), hi = fmax(hi, s);
        if (fabs(s) <= FLAT * size && m != i && m != j && m != k && m < k) return true; /* found by another triple */
    }
    if (lo < -FLAT * size && hi > FLAT * size) return true;
    if (hi > FLAT * size) n = front_scale(-1, n), d = -d;
    if (h->nface == FRONT_FACES) return false;
    int count = around_face(h, n, d, size, corner), from = h->start[h->nface];
    if (from + count > FRONT_CORNERS) return false;
    for (int m = 0; m < count; m++) h->corner[from + m] = corner[m];
    h->normal[h->nface] = n;
    h->offset[h->nface] = d;
    h->start[++h->nface] = from + count;
    return true;
}

bool front_hull_make(front_hull *h) {
    double size = 0;
    h->nface = h->nedge = h->start[0] = 0;
    for (int i = 0; i < h->npoint; i++) size = fmax(size, front_norm(h->point[i]));
    for (int i = 0; i < h->npoint; i++)
        for (int j = i + 1; j < h->npoint; j++)
            for (int k = j + 1; k < h->npoint; k++)
                if (!try_face(h, i, j, k, size)) return false;
    for (int f = 0; f < h->nface; f++)
        for (int m = h->start[f]; m < h->start[f + 1]; m++) {
            int a = h->corner[m], b = h->corner[m + 1 < h->start[f + 1] ? m + 1 : h->start[f]];
            if (a > b) continue; /* the face beyond has it the other way round */
            if (h->nedge == FRONT_EDGES) return false;
            h->edge[h->nedge][0] = a, h->edge[h->nedge++][1] = b;
        }
    return h->nface >= 4;
}

void front_hull_moments(const front_hull *h, double *volume, front_vec *centre, double second[3][3]) {
    *volume = 0, *centre = front_v(0, 0, 0);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) second[r][c] = 0;
    for (int f = 0; f < h->nface; f++)
        for (int m = h->start[f] + 1; m + 1 < h->start[f + 1]; m++) { /* tetrahedra from the origin */
            const front_vec *a = &h->point[h->corner[h->start[f]]], *b = &h->point[h->corner[m]],
                            *c = &h->point[h->corner[m + 1]];
            double six = front_dot(*a, front_cross(*b, *c));
            front_vec sum = front_axpy(front_axpy(*a, 1, *b), 1, *c);
            *volume += six / 6;
            *centre = front_axpy(*centre, six / 24, sum);
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++)
                    second[r][s] +=
                        six / 120 * (sum.x[r] * sum.x[s] + a->x[r] * a->x[s] + b->x[r] * b->x[s] + c->x[r] * c->x[s]);
        }
    *centre = front_scale(1 / *volume, *centre);
}

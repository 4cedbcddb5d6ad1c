/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* svg.h - draws convex solids and balls in perspective as an SVG file; a helper of picture.c, not part of perp.
 *
 * Convex solids that do not overlap have a plane between them, and the one on the camera's side of it is in front.
 * Solids are drawn from back to front in that order; of a solid only the faces that look at the camera are drawn,
 * shaded by how they face the light. */
#ifndef EXAMPLE_SVG_H
#define EXAMPLE_SVG_H

#include "perp/recording.h"

#include <stdio.h>

#define SVG_CORNERS 64 /* most corners of a face that is drawn; of larger ones the first */

/* A shape at a place. A ball is drawn by its radius, everything else by its faces. */
typedef struct svg_solid {
    perp_recorded_shape shape;
    perp_pose X; /* of the shape in the world */
    int rgb;     /* 0xRRGGBB */
} svg_solid;

typedef struct svg_view {
    FILE *f;
    perp_vec3 eye, x, y, z; /* camera position and axes: right, down, forward */
    double cx, cy, focal;   /* centre of the picture and scale, in pixels */
    perp_vec3 light;        /* unit, towards the light */
} svg_view;

static svg_view svg_camera(FILE *f, perp_vec3 eye, perp_vec3 at, double cx, double cy, double focal) {
    svg_view v = {.f = f, .eye = eye, .cx = cx, .cy = cy, .focal = focal};
    v.z = perp_v3_unit(perp_v3_sub(at, eye));
    v.x = perp_v3_unit(perp_v3_cross(v.z, perp_v3(0, 0, 1)));
    v.y = perp_v3_cross(v.z, v.x);
    v.light = perp_v3_unit(perp_v3(0.55, -0.45, 1));
    return v;
}

/* Writes the picture coordinates of a point; its depth is returned. */
static double svg_project(const svg_view *v, perp_vec3 p, double *px, double *py) {
    perp_vec3 d = perp_v3_sub(p, v->eye);
    double depth = perp_v3_dot(d, v->z);
    *px = v->cx + v->focal * perp_v3_dot(d, v->x) / depth;
    *py = v->cy + v->focal * perp_v3_dot(d, v->y) / depth;
    return depth;
}

static void svg_polygon(const svg_view *v, const perp_vec3 *p, int n, const char *style) {
    fprintf(v->f, "<path d=\"");
    for (int i = 0; i < n; i++) {
        double x, y;
        svg_project(v, p[i], &x, &y);
        fprintf(v->f, "%c%.1f %.1f", i ? 'L' : 'M', x, y);
    }
    fprintf(v->f, "Z\" %s/>\n", style);
}

/* A colour made lighter or darker. */
static int svg_shade(int rgb, double s) {
    int out = 0;
    for (int k = 16; k >= 0; k -= 8) {
        double c = ((rgb >> k) & 255) * s;
        out |= (int)(c > 255 ? 255 : c) << k;
    }
    return out;
}

static bool svg_is_ball(const svg_solid *s) { return s->shape.kind == PERP_SHAPE_SPHERE; }

static perp_vec3 svg_corner(const svg_solid *s, int i) {
    const double *v = s->shape.vertex + 3 * i;
    return perp_pose_apply(s->X, perp_v3(v[0], v[1], v[2]));
}

/* Corners of a face, *n of them; its outward normal is returned. */
static perp_vec3 svg_face(const svg_solid *s, int face, perp_vec3 p[SVG_CORNERS], int *n) {
    int first = s->shape.face_start[face];
    *n = s->shape.face_start[face + 1] - first;
    if (*n > SVG_CORNERS) *n = SVG_CORNERS;
    for (int i = 0; i < *n; i++) p[i] = svg_corner(s, s->shape.face[first + i]);
    return perp_v3_unit(perp_v3_cross(perp_v3_sub(p[1], p[0]), perp_v3_sub(p[2], p[0])));
}

/* Planes between a and b, of those that hold a face of a: is there one (bit 0) that has the camera on the side of a, or
 * one (bit 1) that has it on the side of b? */
static unsigned svg_planes(const svg_view *v, const svg_solid *a, const svg_solid *b) {
    unsigned found = 0;
    for (int face = 0; face < a->shape.nface; face++) {
        int k;
        perp_vec3 q[SVG_CORNERS], n = svg_face(a, face, q, &k);
        double least = perp_v3_dot(n, perp_v3_sub(b->X.p, q[0])) - (svg_is_ball(b) ? b->shape.radius : 0);
        for (int i = 0; i < b->shape.nvertex; i++)
            least = fmin(least, perp_v3_dot(n, perp_v3_sub(svg_corner(b, i), q[0])));
        if (least >= -1e-3) found |= perp_v3_dot(n, perp_v3_sub(v->eye, q[0])) > 0 ? 2 : 1;
    }
    return found;
}

/* May a cover b? Not if some plane between them has the camera on the side of b. */
static bool svg_covers(const svg_view *v, const svg_solid *a, const svg_solid *b) {
    unsigned by_a = svg_planes(v, a, b), by_b = svg_planes(v, b, a);
    if (by_a & 2 || by_b & 1) return false;
    if (by_a || by_b) return true;
    return perp_v3_norm(perp_v3_sub(a->X.p, v->eye)) < perp_v3_norm(perp_v3_sub(b->X.p, v->eye));
}

static void svg_faces(const svg_view *v, const svg_solid *s) {
    for (int face = 0; face < s->shape.nface; face++) {
        int k;
        perp_vec3 p[SVG_CORNERS], n = svg_face(s, face, p, &k);
        if (perp_v3_dot(n, perp_v3_sub(v->eye, p[0])) <= 0) continue;
        int rgb = svg_shade(s->rgb, 0.72 + 0.32 * perp_v3_dot(n, v->light));
        char style[96];
        snprintf(style, sizeof style, "fill=\"#%06x\" stroke=\"#%06x\" stroke-linejoin=\"round\"", (unsigned)rgb,
                 (unsigned)svg_shade(rgb, 0.75));
        svg_polygon(v, p, k, style);
    }
}

static void svg_ball(const svg_view *v, const svg_solid *s) {
    double x, y, depth = svg_project(v, s->X.p, &x, &y), r = v->focal * s->shape.radius / depth;
    static const double ring[6] = {1, 0.86, 0.7, 0.52, 0.34, 0.16}; /* ever lighter discs towards the light */
    for (int i = 0; i < 6; i++)
        fprintf(v->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\" fill=\"#%06x\"/>\n", x + 0.3 * r * (1 - ring[i]),
                y - 0.42 * r * (1 - ring[i]), r * ring[i], (unsigned)svg_shade(s->rgb, 0.66 + 0.13 * i));
}

/* Shadow on the floor z = 0: the faces of a solid, or the disc of a ball across the light, pushed along the light. */
static void svg_shadow(const svg_view *v, const svg_solid *s) {
    bool ball = svg_is_ball(s);
    perp_vec3 p[SVG_CORNERS], t, o;
    int n = 24;
    perp_v3_frame(v->light, &t, &o);
    for (int part = 0; part < (ball ? 1 : s->shape.nface); part++) {
        if (!ball) svg_face(s, part, p, &n);
        for (int i = 0; i < n; i++) {
            double a = i * acos(-1) / 12, r = s->shape.radius;
            if (ball) p[i] = perp_v3_axpy(perp_v3_axpy(s->X.p, r * cos(a), t), r * sin(a), o);
            p[i] = perp_v3_axpy(p[i], -p[i].z / v->light.z, v->light);
        }
        svg_polygon(v, p, n, "fill=\"#c9ccd3\"");
    }
}

/* Draws a floor with a grid around `middle` and the solids from back to front; `drawn` has room for n. */
static void svg_scene(const svg_view *v, perp_vec3 middle, double cell, const svg_solid *s, int n, bool *drawn) {
    for (int i = -8; i <= 8; i++) {
        double x = cell * (round(middle.x / cell) + i), y = cell * (round(middle.y / cell) + i), r = 8 * cell;
        const perp_vec3 a[2] = {{x, middle.y - r, 0}, {x, middle.y + r, 0}};
        const perp_vec3 b[2] = {{middle.x - r, y, 0}, {middle.x + r, y, 0}};
        svg_polygon(v, a, 2, "stroke=\"#d9dce3\"");
        svg_polygon(v, b, 2, "stroke=\"#d9dce3\"");
    }
    for (int i = 0; i < n; i++) svg_shadow(v, &s[i]);
    for (int i = 0; i < n; i++) drawn[i] = false;
    for (int k = 0; k < n; k++) {
        int next = -1;
        for (int i = 0; i < n && next < 0; i++) {
            bool last = !drawn[i];
            for (int j = 0; j < n && last; j++) last = j == i || drawn[j] || !svg_covers(v, &s[i], &s[j]);
            if (last) next = i;
        }
        for (int i = 0; next < 0; i++) /* a ring of solids, each before the next: any of them */
            if (!drawn[i]) next = i;
        drawn[next] = true;
        if (svg_is_ball(&s[next]))
            svg_ball(v, &s[next]);
        else
            svg_faces(v, &s[next]);
    }
}

/* A camera that sees the solids whole, from the left, in front and above. */
static svg_view svg_frame(FILE *f, const svg_solid *s, int n, double width, double height, perp_vec3 *middle,
                          double *size) {
    perp_vec3 lo = {INFINITY, INFINITY, 0}, hi = {-INFINITY, -INFINITY, 0};
    for (int i = 0; i < n; i++) {
        double r = svg_is_ball(&s[i]) ? s[i].shape.radius : 0;
        for (int k = 0; k < (r > 0 ? 1 : s[i].shape.nvertex); k++) {
            perp_vec3 p = r > 0 ? s[i].X.p : svg_corner(&s[i], k);
            lo = perp_v3(fmin(lo.x, p.x - r), fmin(lo.y, p.y - r), fmin(lo.z, p.z - r));
            hi = perp_v3(fmax(hi.x, p.x + r), fmax(hi.y, p.y + r), fmax(hi.z, p.z + r));
        }
    }
    *middle = perp_v3_scale(0.5, perp_v3_add(lo, hi));
    *size = perp_v3_norm(perp_v3_sub(hi, lo));
    perp_vec3 eye = perp_v3_axpy(*middle, 1.7 * *size, perp_v3_unit(perp_v3(-3.6, -4.2, 2.3)));
    svg_view v = svg_camera(f, eye, *middle, 0, 0, 1);
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (int i = 0; i < 8; i++) { /* the corners of the box around everything, as this camera sees them */
        double x, y;
        svg_project(&v, perp_v3(i & 1 ? lo.x : hi.x, i & 2 ? lo.y : hi.y, i & 4 ? lo.z : hi.z), &x, &y);
        x0 = fmin(x0, x), x1 = fmax(x1, x), y0 = fmin(y0, y), y1 = fmax(y1, y);
    }
    v.focal = 0.94 * fmin(width / (x1 - x0), height / (y1 - y0));
    v.cx = width / 2 - v.focal * (x0 + x1) / 2;
    v.cy = height / 2 - v.focal * (y0 + y1) / 2;
    return v;
}

/* A sheet of n frames of m solids each: the last large, those before it in a strip below. t: their times. `drawn` has
 * room for m. */
static void svg_sheet(FILE *f, const svg_solid *frame, int m, const double *t, int n, bool *drawn) {
    double strip = n > 1 ? 220 : 0, small = n > 1 ? 1200.0 / (n - 1) : 0;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 %g\" font-family=\"sans-serif\">\n",
            640 + strip);
    for (int k = 0; k < n; k++) {
        bool large = k == n - 1;
        double x = large ? 0 : small * k, y = large ? 0 : 640, width = large ? 1200 : small,
               height = large ? 640 : strip;
        perp_vec3 middle;
        double size;
        svg_view v = svg_frame(f, frame + k * m, m, width, height, &middle, &size);
        fprintf(f, "<svg x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\">\n", x, y, width, height);
        fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"#eceef2\" stroke=\"#fff\" stroke-width=\"3\"/>\n");
        svg_scene(&v, middle, size / 6, frame + k * m, m, drawn);
        fprintf(f, "<text x=\"14\" y=\"%g\" font-size=\"%d\" fill=\"#555\">t = %.2f</text>\n</svg>\n", height - 14,
                large ? 22 : 15, t[k]);
    }
    fprintf(f, "</svg>\n");
}

#endif

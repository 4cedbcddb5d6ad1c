/* svg.h - draws boxes and balls in perspective as an SVG file; a helper of demo.c, not part of perp.
 *
 * Convex solids that do not overlap have a plane between them, and the one on the camera's side of it is in front.
 * Solids are drawn from back to front in that order; of a box only the faces that look at the camera are drawn, shaded
 * by how they face the light. */
#ifndef EXAMPLE_SVG_H
#define EXAMPLE_SVG_H

#include "perp/math.h"

#include <stdio.h>

typedef struct svg_solid {
    perp_pose X;
    perp_vec3 half; /* box: half edges; unused for a ball */
    double radius;  /* ball; 0: a box */
    int rgb;        /* 0xRRGGBB */
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

static perp_vec3 svg_corner(const svg_solid *s, int i) {
    perp_vec3 c = {i & 1 ? s->half.x : -s->half.x, i & 2 ? s->half.y : -s->half.y, i & 4 ? s->half.z : -s->half.z};
    return perp_pose_apply(s->X, c);
}

/* Corners of a face of a box; its outward normal is returned. */
static perp_vec3 svg_face(const svg_solid *s, int face, perp_vec3 p[4]) {
    static const int corner[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 4; i++) p[i] = svg_corner(s, corner[face][i]);
    return perp_v3_unit(perp_v3_cross(perp_v3_sub(p[1], p[0]), perp_v3_sub(p[2], p[0])));
}

/* Planes between the box a and b, of those that hold a face of a: is there one (bit 0) that has the camera on the side
 * of a, or one (bit 1) that has it on the side of b? */
static unsigned svg_planes(const svg_view *v, const svg_solid *a, const svg_solid *b) {
    unsigned found = 0;
    for (int face = 0; face < 6 && !(a->radius > 0); face++) {
        perp_vec3 q[4], n = svg_face(a, face, q);
        double least = perp_v3_dot(n, perp_v3_sub(b->X.p, q[0])) - b->radius;
        for (int i = 0; i < 8 && !(b->radius > 0); i++)
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

static void svg_box(const svg_view *v, const svg_solid *s) {
    for (int face = 0; face < 6; face++) {
        perp_vec3 p[4], n = svg_face(s, face, p);
        if (perp_v3_dot(n, perp_v3_sub(v->eye, p[0])) <= 0) continue;
        int rgb = svg_shade(s->rgb, 0.72 + 0.32 * perp_v3_dot(n, v->light));
        char style[96];
        snprintf(style, sizeof style, "fill=\"#%06x\" stroke=\"#%06x\" stroke-linejoin=\"round\"", (unsigned)rgb,
                 (unsigned)svg_shade(rgb, 0.75));
        svg_polygon(v, p, 4, style);
    }
}

static void svg_ball(const svg_view *v, const svg_solid *s) {
    double x, y, depth = svg_project(v, s->X.p, &x, &y), r = v->focal * s->radius / depth;
    static const double ring[6] = {1, 0.86, 0.7, 0.52, 0.34, 0.16}; /* ever lighter discs towards the light */
    for (int i = 0; i < 6; i++)
        fprintf(v->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\" fill=\"#%06x\"/>\n", x + 0.3 * r * (1 - ring[i]),
                y - 0.42 * r * (1 - ring[i]), r * ring[i], (unsigned)svg_shade(s->rgb, 0.66 + 0.13 * i));
}

/* Shadow on the floor z = 0: the faces of a box, or the disc of a ball across the light, pushed along the light. */
static void svg_shadow(const svg_view *v, const svg_solid *s) {
    bool ball = s->radius > 0;
    perp_vec3 p[24], t, o;
    perp_v3_frame(v->light, &t, &o);
    for (int part = 0; part < (ball ? 1 : 6); part++) {
        if (!ball) svg_face(s, part, p);
        for (int i = 0; i < (ball ? 24 : 4); i++) {
            double a = i * acos(-1) / 12;
            if (ball) p[i] = perp_v3_axpy(perp_v3_axpy(s->X.p, s->radius * cos(a), t), s->radius * sin(a), o);
            p[i] = perp_v3_axpy(p[i], -p[i].z / v->light.z, v->light);
        }
        svg_polygon(v, p, ball ? 24 : 4, "fill=\"#c9ccd3\"");
    }
}

/* Draws a floor with a grid and the solids, at most 64, from back to front. */
static void svg_scene(const svg_view *v, const svg_solid *s, int n) {
    bool drawn[64] = {false};
    for (int i = -8; i <= 8; i++) {
        const perp_vec3 a[2] = {{0.5 * i, -3, 0}, {0.5 * i, 5, 0}}, b[2] = {{-4, 0.5 * i + 1, 0}, {4, 0.5 * i + 1, 0}};
        svg_polygon(v, a, 2, "stroke=\"#d9dce3\"");
        svg_polygon(v, b, 2, "stroke=\"#d9dce3\"");
    }
    for (int i = 0; i < n; i++) svg_shadow(v, &s[i]);
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
        if (s[next].radius > 0)
            svg_ball(v, &s[next]);
        else
            svg_box(v, &s[next]);
    }
}

/* A sheet of n frames of m solids each: the last large, the (four) before it in a strip below. t: their times [s]. */
static void svg_sheet(FILE *f, const svg_solid *frame, int m, const double *t, int n) {
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 860\" font-family=\"sans-serif\">\n");
    for (int k = 0; k < n; k++) {
        bool large = k == n - 1;
        double x = large ? 0 : 300 * k, y = large ? 0 : 640, width = large ? 1200 : 300, height = large ? 640 : 220;
        perp_vec3 at = large ? perp_v3(0.1, 0.5, 0.1) : perp_v3(-0.05, -0.2, 0.35);
        svg_view v = svg_camera(f, perp_v3(-3.6, -4.2, 2.5), at, width / 2, height / 2, large ? 1650 : 590);
        fprintf(f, "<svg x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\">\n", x, y, width, height);
        fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"#eceef2\" stroke=\"#fff\" stroke-width=\"3\"/>\n");
        svg_scene(&v, frame + k * m, m);
        fprintf(f, "<text x=\"14\" y=\"%g\" font-size=\"%d\" fill=\"#555\">t = %.2f s</text>\n</svg>\n", height - 14,
                large ? 22 : 15, t[k]);
    }
    fprintf(f, "</svg>\n");
}

#endif

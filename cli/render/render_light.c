/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_light.c - shadow maps
 * Method   for each direction of light, the back faces of bodies are drawn into a height map along it. A point is in shadow if the
 *          map is higher at its place. Front faces are not in the map, so no lit surface can shadow itself by rounding. The four
 *          map values around a point are interpolated, so that borders of shadows are smooth. Directions lie on a spiral with
 *          the golden angle, which distributes any number of them evenly (Vogel 1979).
 * Cost     a map takes the time of a small picture; a lookup costs four comparisons. */
#include "render/render_light.h"

#include "render/render_raster.h"

#define GOLDEN 2.39996322972865332 /* angle [rad] */
#define DISC   0.030               /* radius of the lamp as seen from the scene [rad] */
#define LOWEST 0.14                /* sine of the lowest direction of the sky */
enum { LAMP_SIZE = 1024, SKY_SIZE = 320 };

static bool make_map(pp_arena *arena, render_shadow *s, int size) {
    s->size = size;
    s->height = PP_ARENA_ARRAY(arena, float, (long)size *size);
    return s->height != NULL;
}

bool render_light_make(pp_arena *arena, render_light *l) {
    bool ok = make_map(arena, &l->lamp, LAMP_SIZE);
    for (int i = 0; i < RENDER_SKY; i++) ok = ok && make_map(arena, &l->sky[i], SKY_SIZE);
    return ok;
}

static void aim(render_shadow *s, perp_vec3 toward, perp_vec3 centre, double radius) {
    s->toward_W = perp_v3_unit(toward);
    perp_v3_frame(s->toward_W, &s->u_W, &s->v_W);
    s->centre_W = centre;
    s->radius = radius;
    s->texel = 2 * radius / s->size;
    s->across_W = perp_v3_scale(1 / s->texel, s->u_W);
    s->down_W = perp_v3_scale(1 / s->texel, s->v_W);
    s->x0 = s->size / 2.0 - perp_v3_dot(centre, s->across_W);
    s->y0 = s->size / 2.0 - perp_v3_dot(centre, s->down_W);
    render_target t = {.width = s->size, .height = s->size, .close = s->height};
    render_clear(&t);
}

void render_light_aim(render_light *l, perp_vec3 lamp_W, perp_vec3 up_W, perp_vec3 centre_W, double radius, int k,
                      int n) {
    perp_vec3 t, o;
    perp_v3_frame(lamp_W, &t, &o);
    double r = DISC * sqrt((k + 0.5) / n), phi = GOLDEN * k;
    perp_vec3 d = perp_v3_axpy(perp_v3_axpy(lamp_W, r * cos(phi), t), r * sin(phi), o);
    aim(&l->lamp, d, centre_W, radius);
    perp_v3_frame(up_W, &t, &o);
    int all = n * RENDER_SKY;
    double sum = 0;
    for (int q = 0; q < all; q++) {
        double z = LOWEST + (1 - LOWEST) * (q + 0.5) / all, side = sqrt(1 - z * z);
        sum += z;
        if (q % n != k) continue; /* each drawing gets one direction from each height of the sky */
        perp_vec3 s = perp_v3_axpy(perp_v3_scale(z, up_W), side * cos(GOLDEN * q), t);
        aim(&l->sky[q / n], perp_v3_axpy(s, side * sin(GOLDEN * q), o), centre_W, radius);
    }
    l->sky_norm = n / sum;
}

static void cast(render_shadow *s, const perp_vec3 p[3], perp_vec3 normal) {
    if (perp_v3_dot(normal, s->toward_W) > 0) return;
    render_corner c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = (render_corner){s->x0 + perp_v3_dot(p[i], s->across_W), s->y0 + perp_v3_dot(p[i], s->down_W),
                               perp_v3_dot(perp_v3_sub(p[i], s->centre_W), s->toward_W)};
    }
    render_target t = {.width = s->size, .height = s->size, .close = s->height, .dx = 0.5, .dy = 0.5};
    render_fill(&t, c, 0);
}

void render_light_cast(render_light *l, const perp_vec3 p[3]) {
    perp_vec3 normal = perp_v3_cross(perp_v3_sub(p[1], p[0]), perp_v3_sub(p[2], p[0]));
    cast(&l->lamp, p, normal);
    for (int i = 0; i < RENDER_SKY; i++) cast(&l->sky[i], p, normal);
}

/* 1: lit, 0: in shadow. Towards the end of the map shadows fade. */
static double lit(const render_shadow *s, perp_vec3 p, perp_vec3 n) {
    perp_vec3 q = perp_v3_axpy(p, 0.7 * s->texel, n);
    double x = s->x0 + perp_v3_dot(q, s->across_W) - 0.5, y = s->y0 + perp_v3_dot(q, s->down_W) - 0.5,
           end = s->size - 1.001;
    if (!(x > 0 && y > 0 && x < end && y < end)) return 1;
    float h = (float)(perp_v3_dot(perp_v3_sub(q, s->centre_W), s->toward_W) + 0.5 * s->texel);
    int i = (int)x, j = (int)y;
    double fx = x - i, fy = y - j;
    const float *m = s->height + (long)j * s->size + i;
    double dark = (1 - fy) * ((1 - fx) * (m[0] > h) + fx * (m[1] > h)) +
                  fy * ((1 - fx) * (m[s->size] > h) + fx * (m[s->size + 1] > h));
    if (dark == 0) return 1;
    double ax = 2 * x / end - 1, ay = 2 * y / end - 1, out = ax * ax + ay * ay;
    double fade = out < 0.64 ? 1 : out < 1 ? (1 - out) / 0.36 : 0;
    return 1 - dark * fade;
}

double render_light_lamp(const render_light *l, perp_vec3 p, perp_vec3 n) {
    double facing = perp_v3_dot(n, l->lamp.toward_W);
    return facing > 0 ? facing * lit(&l->lamp, p, n) : 0;
}

double render_light_sky(const render_light *l, perp_vec3 p, perp_vec3 n) {
    double sum = 0;
    for (int i = 0; i < RENDER_SKY; i++) {
        double facing = perp_v3_dot(n, l->sky[i].toward_W);
        if (facing > 0) sum += facing * lit(&l->sky[i], p, n);
    }
    return sum * l->sky_norm;
}

double render_light_open(const render_light *l, perp_vec3 n, bool lamp) {
    if (lamp) return fmax(perp_v3_dot(n, l->lamp.toward_W), 0);
    double sum = 0;
    for (int i = 0; i < RENDER_SKY; i++) sum += fmax(perp_v3_dot(n, l->sky[i].toward_W), 0);
    return sum * l->sky_norm;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_light.h - light from a lamp and from the sky, and the shadows of what stands in its way.
 *
 * Each time the picture is drawn, light comes from one direction within the disc of the lamp and from a few of the sky;
 * over all times the directions are spread evenly, so that shadows come out soft. */
#ifndef RENDER_LIGHT_H
#define RENDER_LIGHT_H

#include "base/memory.h"
#include "perp/math.h"

/* Height map of the bodies, seen along one direction of light: what casts shadows. */
typedef struct render_shadow {
    perp_vec3 toward_W; /* the light, unit */
    perp_vec3 u_W, v_W; /* along the rows and columns of the map, unit */
    perp_vec3 centre_W; /* of the map, which covers `radius` around it */
    double radius, texel;
    perp_vec3 across_W, down_W; /* u and v by the texel; the place of a point is x0 + across . p, y0 + down . p */
    double x0, y0;
    int size;
    float *height; /* size x size: the farthest that something reaches towards the light [L] */
} render_shadow;

enum { RENDER_SKY = 4 }; /* directions of the sky in each picture */

typedef struct render_light {
    render_shadow lamp, sky[RENDER_SKY];
    double sky_norm; /* sum over a level place in the open is 1 in the mean */
} render_light;

/* Room for the maps. False: no memory. */
bool render_light_make(pp_arena *arena, render_light *l);
/* Directions for drawing number k of n: the lamp stands at `lamp_W` (unit), the sky around `up_W`. Maps are emptied. */
void render_light_aim(render_light *l, perp_vec3 lamp_W, perp_vec3 up_W, perp_vec3 centre_W, double radius, int k,
                      int n);
/* A triangle of a closed surface, counter-clockwise from outside. */
void render_light_cast(render_light *l, const perp_vec3 p_W[3]);
/* Part of the light that a point of a surface with normal n gets: of the lamp (1 if it faces it in the open), and of the
 * sky (1 if level and in the open). */
double render_light_lamp(const render_light *l, perp_vec3 p_W, perp_vec3 n_W);
double render_light_sky(const render_light *l, perp_vec3 p_W, perp_vec3 n_W);
/* The same without shadows. */
double render_light_open(const render_light *l, perp_vec3 n_W, bool lamp);

#endif

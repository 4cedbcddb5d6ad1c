/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_draw.h - the part of pictures that is drawn with cairo: 2D worlds, marks, text, files. */
#ifndef RENDER_DRAW_H
#define RENDER_DRAW_H

#include <cairo.h>

#include "page.h"
#include "render/render.h"

/* What a picture is drawn on, and what it shows. */
typedef struct render_sheet {
    cairo_t *cr;
    pp_arena *arena;
    const render_scene *scene;
    const render_camera *camera;
    const render_options *options;
    const float *close; /* render_layers.close, to tell what is hidden; NULL: nothing is */
} render_sheet;

/* ---- render_2d.c ---- */

/* Pixels of a line of normal width in a picture of that size. */
double render_unit(int width, int height);
void render_2d_ground(const render_sheet *g, const render_moment *m);
/* The bodies that move, or those that do not. */
void render_2d_bodies(const render_sheet *g, const render_moment *m, bool moving, double opacity);

/* ---- render_marks.c: drawn over a picture ---- */
/* Bodies without shapes but particles, as dots with lines to these and to their joints. */
void render_mark_bare(const render_sheet *g, const render_moment *m, double opacity);
void render_mark_springs(const render_sheet *g, const render_moment *m);
/* Their places, and lines from these to the centres of mass of the two bodies. */
void render_mark_joints(const render_sheet *g, const render_moment *m);
/* Contacts, forces and cones, as the options ask for them. */
void render_mark_contacts(const render_sheet *g, const render_moment *m);
/* Arrows on moving surfaces such as conveyor belts, on their upper side: towards y in 2D, z in 3D. */
void render_mark_belts(const render_sheet *g, const render_moment *m);
/* Labels of bodies, above them. */
void render_mark_labels(const render_sheet *g, const render_moment *m);
void render_mark_names(const render_sheet *g, const render_moment *m);
/* The path of a body; a cross at every stop. */
void render_mark_path(const render_sheet *g, int body, const perp_vec3 *point, long n, const perp_vec3 *stop,
                      int nstop);
void render_mark_caption(const render_sheet *g, const char *text);
/* Size of the impulse of a contact [M L/T]. */
double render_impulse(const perp_recorded_contact *c);

/* ---- render_picture.c ---- */
/* The moments that one picture shows, and how they share it. */
typedef struct render_shown {
    const render_moment *m;
    int n;
    render_way way;
} render_shown;
/* Draws one picture in memory; page_free() in any case. */
perp_status render_page(render_source *s, render_shown what, const render_camera *c, const render_options *o,
                        page_kind kind, page *out, perp_refusal *why);
/* Draws one picture into a file: .png, .svg or .pdf. The camera is that of a panel. */
perp_status render_write(render_source *s, render_shown what, const render_camera *c, const render_options *o,
                         const char *path, perp_refusal *why);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render.h - pictures of recordings: from a recording to a picture, by file.
 *
 *   render_source.c   recording -> scene and moments          render_theme.c    colours
 *   render_3d.c       a moment of a 3D world -> light in each pixel, with render_mesh, _camera, _raster, _light, _rows
 *   render_layers.c   light in each pixel -> a picture
 *   render_2d.c       a moment of a 2D world -> cairo                  (these three in render_draw.h)
 *   render_marks.c    contacts, forces, paths, names over either
 *   render_grid.c     where panels are
 *   render_picture.c  one or more moments -> a file */
#ifndef RENDER_H
#define RENDER_H

#include "base/memory.h"
#include "perp/recording.h"
#include "render/render_camera.h"

/* Parts of red, green and blue as they are stored in pictures (sRGB), 0..1. */
typedef struct render_rgb {
    double r, g, b;
} render_rgb;
render_rgb render_mix(render_rgb a, render_rgb b, double part_of_b);

/* ---- render_theme.c ---- */
typedef struct render_theme {
    const char *name;
    render_rgb top, bottom;         /* background, from above to below */
    render_rgb ground, grid;        /* half-spaces in 3D, lines on them */
    render_rgb solid, rim;          /* half-planes in 2D and their border */
    render_rgb obstacle, kinematic; /* bodies that do not move by forces */
    render_rgb ink, halo;           /* text, and what lies around it */
    double line;                    /* darkness of the edges of bodies, 0..1 */
} render_theme;
extern const char *const render_theme_names[]; /* ended by NULL */
const render_theme *render_theme_find(const char *name);
extern const char *const render_colour_ways[]; /* "auto", "body", "family"; ended by NULL */
/* Colour of a state of contact; see perp_contact_state. */
render_rgb render_state_colour(perp_contact_state s);

/* ---- render_source.c ---- */
typedef struct render_body {
    const char *name, *label; /* label: "" for none */
    perp_body_kind kind;
    bool moves; /* dynamic, or kinematic without a half-space */
    bool glass; /* drawn by its edges only, because it hides moving bodies */
    bool bare;  /* has no shape but particles: drawn as lines from its centre of mass */
    int head;   /* first body of its family: names that differ in the numbers at their end only */
    render_rgb colour;
} render_body;

/* What does not change from moment to moment. */
typedef struct render_scene {
    int dim, nbody, nshape, njoint, nspring;
    render_body *body;
    const perp_recorded_shape *shape;
    const perp_recorded_joint *joint;
    const perp_recorded_spring *spring;
} render_scene;
/* Colour of shape i: its own, or that of its body. */
render_rgb render_shape_colour(const render_scene *s, int i);

typedef struct render_moment {
    double t;
    perp_pose *X_WB;                /* nbody */
    perp_recorded_contact *contact; /* NULL if not asked for */
    int ncontact;
} render_moment;

typedef struct render_source {
    const char *path;
    perp_recording *r;
    const perp_recording_info *info;
    const double *time; /* of the frames */
    render_scene scene;
    pp_arena arena;
} render_source;

/* Opens a recording and reads its bodies. Refuses one without frames or poses. Close it also after a failure. */
perp_status render_open(const char *path, render_source *s, perp_refusal *why);
/* Refuses a recording without this part, a bit of perp_record. */
perp_status render_holds(const render_source *s, unsigned part, const char *name, perp_refusal *why);
void render_close(render_source *s);
void render_colour_bodies(render_scene *s, const render_theme *theme, const char *way);
/* The moment of the frame nearest to t; with `between`, bodies are placed on the straight way between the two frames
 * around t. Contacts are those of the nearest frame. PERP_E_ARG with the range if t is outside. */
perp_status render_moment_at(render_source *s, double t, bool between, bool contacts, render_moment *out,
                             perp_refusal *why);
/* Adds the bounding balls of all moving bodies at that moment, or of all bodies if none moves. */
typedef struct render_balls {
    render_ball *ball;
    int *body; /* of each ball; -1: none */
    int n, cap;
} render_balls;
bool render_add_balls(const render_scene *s, const render_moment *m, render_balls *out);
void render_free_balls(render_balls *b);
/* Removes bodies that fell or flew away. Moment i of `looks` has the balls first[i] to first[i + 1]; home: a ball
 * around the scene at its start. False: no memory. */
bool render_forget_lost(render_balls *b, const int *first, int looks, int nbody, render_ball home);
/* The ball around the box around all of them. */
render_ball render_extent(const render_balls *b);

/* ---- what is wanted ---- */
typedef struct render_options {
    int width, height; /* [px] */
    int rows;          /* of panels */
    int samples;       /* points in each pixel, 3D */
    const render_theme *theme;
    bool transparent, contacts, forces, cones, paths, names, joints, caption;
    double force;       /* length of an arrow for each unit of impulse [px T/(M L)] */
    render_ball extent; /* ball around all moving bodies at all drawn moments: ground and shadows are drawn around it */
} render_options;

/* ---- render_grid.c: panels of a picture ---- */
typedef enum render_way { RENDER_SINGLE, RENDER_OVERLAY, RENDER_PANELS } render_way;
/* Panels in rows that fill the picture. Rows may differ by one panel; then the panels of the shorter rows are wider. */
typedef struct render_grid {
    int whole[2];      /* width and height of the picture [px] */
    int n, rows;       /* panels; rows <= n */
    int width, height; /* of the smallest panel [px] */
    int gap;           /* between panels [px] */
} render_grid;
typedef struct render_panel {
    int x, y, width, height; /* [px] */
} render_panel;
/* The panels of n moments in `rows` rows; one panel unless the way is RENDER_PANELS. */
render_grid render_grid_for(int width, int height, render_way way, int n, int rows);
render_panel render_grid_panel(const render_grid *g, int i);
/* The number of rows of n panels with which the balls are drawn largest. */
int render_choose_rows(int dim, const render_view *v, const render_ball *ball, long nball, int width, int height,
                       int n);

/* ---- render_layers.c ---- */

/* Light in each pixel, in parts of linear light, times coverage. What moves and the rest are kept apart, so that moments
 * can be laid over each other. */
typedef struct render_layers {
    int width, height;
    float *moving; /* 4 for each pixel: red, green, blue, coverage */
    float *rest;   /* the same of obstacles, ground and background */
    float *close;  /* at the middle of each pixel */
} render_layers;
perp_status render_layers_make(pp_arena *arena, int width, int height, render_layers *out, perp_refusal *why);
/* Overlays moments in turn. `empty` is the scene without moving bodies. */
void render_overlay_begin(const render_layers *empty, render_layers *sum);
void render_overlay_add(const render_layers *empty, const render_layers *moment, double opacity, render_layers *sum);
void render_overlay_end(render_layers *sum);
/* The picture, as cairo wants it (ARGB32, premultiplied). */
void render_develop(const render_layers *l, unsigned char *argb, int stride);

/* ---- render_3d.c ---- */

/* Draws a moment; moving = false: only bodies that do not move. */
perp_status render_3d(const render_scene *s, const render_moment *m, const render_camera *c, const render_options *o,
                      bool moving, render_layers *out, perp_refusal *why);
/* Makes obstacles transparent that hide more than a twentieth of the moving bodies. */
perp_status render_find_glass(render_scene *s, const render_moment *m, const render_camera *c, render_ball extent,
                              perp_refusal *why);

#endif

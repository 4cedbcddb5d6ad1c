/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_picture.c - one or more moments as one picture in a file: alone, over each other, or side by side */
#include "render/render_draw.h"

#include <stdio.h>
#include <string.h>

#include "input/input.h"
#include "page.h"
#include "plot/plot.h"

#define GHOST_FIRST 0.28 /* opacity of the earliest moment, and of the last but one */
#define GHOST_LAST  0.60
enum { PATH_POINTS = 2000 };

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the picture");
}

static double opacity_of(int i, int n) {
    if (i == n - 1) return 1;
    return n > 2 ? GHOST_FIRST + (GHOST_LAST - GHOST_FIRST) * i / (n - 2) : GHOST_LAST;
}

/* ---- paths ---- */

typedef struct paths {
    perp_vec3 *point; /* for each body, n after each other */
    long n;
    const double *time;
} paths;

/* Centres of mass at every frame up to the last moment, or at some of them if there are very many. */
static perp_status read_paths(render_source *s, double until, pp_arena *arena, paths *out, perp_refusal *why) {
    long frames = (long)s->info->frames, last = 0;
    while (last + 1 < frames && s->time[last + 1] <= until) last++;
    long every = last / PATH_POINTS + 1, n = last / every + 1;
    int nbody = s->scene.nbody;
    perp_pose *X = PP_ARENA_ARRAY(arena, perp_pose, nbody);
    double *time = PP_ARENA_ARRAY(arena, double, n);
    out->point = PP_ARENA_ARRAY(arena, perp_vec3, n * nbody);
    if (!X || !time || !out->point) return no_memory(why);
    for (long i = 0; i < n; i++) {
        perp_status status = perp_recording_poses(s->r, (uint64_t)(i * every), X, why);
        if (status) return status;
        time[i] = s->time[i * every];
        for (int b = 0; b < nbody; b++) out->point[b * n + i] = X[b].p;
    }
    out->n = n;
    out->time = time;
    return PERP_OK;
}

static void draw_paths(const render_sheet *g, const paths *p, const render_moment *m, int n, perp_vec3 *stop) {
    long count = 0;
    while (count < p->n && p->time[count] <= m[n - 1].t) count++;
    for (int b = 0; b < g->scene->nbody; b++) {
        if (!g->scene->body[b].moves) continue;
        for (int i = 0; i < n; i++) stop[i] = m[i].X_WB[b].p;
        render_mark_path(g, b, p->point + b * p->n, count, stop, n > 1 ? n : 0);
    }
}

/* ---- one panel ---- */

typedef struct sheet {
    render_source *source;
    render_sheet g;
    render_options o; /* of a panel */
    render_layers layer[3];
    paths path;
    perp_vec3 *stop;
    perp_refusal *why;
} sheet;

/* "t = 0.85 s": as many digits as tell the frames apart. */
static void write_caption(const sheet *s, const render_moment *m, int n) {
    char unit[32], text[96], first[32] = "";
    double step = s->source->info->frames > 1 ? (s->source->time[s->source->info->frames - 1] - s->source->time[0]) /
                                                    (double)(s->source->info->frames - 1)
                                              : 1;
    int digits = 0;
    for (double x = step; digits < 6 && x < 0.999; x *= 10) digits++;
    perp_unit_text("T", s->source->info->units, unit, sizeof unit);
    bool named = s->source->info->units.time && *s->source->info->units.time;
    if (n > 1) snprintf(first, sizeof first, "%.*f to ", digits, m[0].t);
    snprintf(text, sizeof text, "t = %s%.*f%s%s", first, digits, m[n - 1].t, named ? " " : "", named ? unit : "");
    render_mark_caption(&s->g, text);
}

/* The layers of a 3D picture as an image; its marks come later. */
static perp_status paint_layers(sheet *s, const render_layers *l) {
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, l->width, l->height);
    unsigned char *data = cairo_image_surface_get_data(image);
    if (!data) {
        cairo_surface_destroy(image);
        return no_memory(s->why);
    }
    cairo_surface_flush(image);
    render_develop(l, data, cairo_image_surface_get_stride(image));
    cairo_surface_mark_dirty(image);
    cairo_set_source_surface(s->g.cr, image, 0, 0);
    cairo_paint(s->g.cr);
    cairo_surface_destroy(image);
    return PERP_OK;
}

static perp_status draw_3d(sheet *s, const render_moment *m, int n) {
    const render_scene *scene = &s->source->scene;
    render_layers *sum = &s->layer[0], *one = &s->layer[1], *empty = &s->layer[2];
    perp_status status = PERP_OK;
    for (int k = 0; k < 3 && !status && (k == 0 || n > 1); k++)
        if (!s->layer[k].moving || s->layer[k].width != s->o.width || s->layer[k].height != s->o.height)
            status = render_layers_make(s->g.arena, s->o.width, s->o.height, &s->layer[k], s->why);
    if (status) return status;
    if (n == 1) {
        status = render_3d(scene, m, s->g.camera, &s->o, true, sum, s->why);
    } else {
        status = render_3d(scene, &m[n - 1], s->g.camera, &s->o, false, empty, s->why);
        if (!status) render_overlay_begin(empty, sum);
        for (int i = 0; i < n && !status; i++) {
            status = render_3d(scene, &m[i], s->g.camera, &s->o, true, one, s->why);
            if (!status) render_overlay_add(empty, one, opacity_of(i, n), sum);
        }
        if (!status) render_overlay_end(sum);
    }
    s->g.close = sum->close;
    return status ? status : paint_layers(s, sum);
}

static void draw_2d(sheet *s, const render_moment *m, int n) {
    const render_theme *t = s->o.theme;
    if (!s->o.transparent) {
        cairo_pattern_t *sky = cairo_pattern_create_linear(0, 0, 0, s->o.height);
        cairo_pattern_add_color_stop_rgb(sky, 0, t->top.r, t->top.g, t->top.b);
        cairo_pattern_add_color_stop_rgb(sky, 1, t->bottom.r, t->bottom.g, t->bottom.b);
        cairo_rectangle(s->g.cr, 0, 0, s->o.width, s->o.height);
        cairo_set_source(s->g.cr, sky);
        cairo_fill(s->g.cr);
        cairo_pattern_destroy(sky);
    }
    render_2d_ground(&s->g, &m[n - 1]);
    render_2d_bodies(&s->g, &m[n - 1], false, 1);
    for (int i = 0; i < n; i++) {
        render_2d_bodies(&s->g, &m[i], true, opacity_of(i, n));
        if (i < n - 1) render_mark_bare(&s->g, &m[i], opacity_of(i, n));
    }
}

static perp_status draw_panel(sheet *s, const render_moment *m, int n) {
    const render_moment *last = &m[n - 1];
    perp_status status = PERP_OK;
    if (s->source->scene.dim == 3)
        status = draw_3d(s, m, n);
    else
        draw_2d(s, m, n);
    if (status) return status;
    if (s->o.paths) draw_paths(&s->g, &s->path, m, n, s->stop);
    render_mark_bare(&s->g, last, 1);
    render_mark_springs(&s->g, last);
    if (s->o.joints) render_mark_joints(&s->g, last);
    render_mark_contacts(&s->g, last);
    if (s->o.names) render_mark_names(&s->g, last);
    render_mark_belts(&s->g, last);
    render_mark_labels(&s->g, last);
    if (s->o.caption) write_caption(s, m, n);
    return PERP_OK;
}

/* ---- the file ---- */

static perp_status draw_page(sheet *s, cairo_t *cr, render_shown what, const render_camera *c,
                             const render_options *o) {
    render_grid grid = render_grid_for(o->width, o->height, what.way, what.n, o->rows);
    if (grid.n > 1 && !o->transparent) { /* between the panels */
        render_rgb between = render_mix(o->theme->bottom, o->theme->ink, 0.25);
        cairo_set_source_rgb(cr, between.r, between.g, between.b);
        cairo_paint(cr);
    }
    perp_status status = PERP_OK;
    for (int i = 0; i < grid.n && !status; i++) {
        render_panel p = render_grid_panel(&grid, i);
        render_camera camera = *c; /* a wider panel shows more on both sides, at the same scale */
        camera.cx += (p.width - grid.width) / 2.0;
        camera.cy += (p.height - grid.height) / 2.0;
        s->g.camera = &camera;
        s->o.width = p.width;
        s->o.height = p.height;
        cairo_save(cr);
        cairo_translate(cr, p.x, p.y);
        cairo_rectangle(cr, 0, 0, p.width, p.height);
        cairo_clip(cr);
        status = grid.n > 1 ? draw_panel(s, &what.m[i], 1) : draw_panel(s, what.m, what.n);
        cairo_restore(cr);
    }
    return status;
}

perp_status render_page(render_source *source, render_shown what, const render_camera *c, const render_options *o,
                        page_kind kind, page *out, perp_refusal *why) {
    *out = (page){.kind = kind};
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    render_grid grid = render_grid_for(o->width, o->height, what.way, what.n, o->rows);
    sheet s = {.source = source, .o = *o, .why = why};
    s.o.width = grid.width;
    s.o.height = grid.height;
    s.stop = PP_ARENA_ARRAY(&arena, perp_vec3, what.n);
    perp_status status = s.stop ? PERP_OK : no_memory(why);
    if (!status && o->paths) status = read_paths(source, what.m[what.n - 1].t, &arena, &s.path, why);
    if (!status) {
        double scale = kind == PAGE_PNG ? 1 : 0.75; /* a pixel is 1/96 inch where lengths count */
        page_begin(out, kind, o->width * scale, o->height * scale, 1, o->transparent, source->info->title);
        if (kind != PAGE_PNG) cairo_scale(out->cr, scale, scale);
        s.g = (render_sheet){.cr = out->cr, .arena = &arena, .scene = &source->scene, .options = &s.o};
        status = draw_page(&s, out->cr, what, c, o);
        bool drawn = page_end(out, 0);
        if (!status && !drawn) status = no_memory(why);
    }
    pp_arena_free(&arena);
    return status;
}

perp_status render_write(render_source *source, render_shown what, const render_camera *c, const render_options *o,
                         const char *path, perp_refusal *why) {
    page p;
    perp_status status = render_page(source, what, c, o, page_kind_of(path), &p, why);
    if (!status) status = plot_write_file(path, p.data, p.size, why);
    page_free(&p);
    return status;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_2d.c - a moment of a 2D world in plan view, drawn with lines and areas of cairo */
#include "render/render_draw.h"

#include "render/render_mesh.h"

static void set_colour(cairo_t *cr, render_rgb c, double opacity) { cairo_set_source_rgba(cr, c.r, c.g, c.b, opacity); }

double render_unit(int width, int height) {
    double unit = (width < height ? width : height) / 720.0;
    return unit < 0.6 ? 0.6 : unit;
}

/* ---- half-planes ---- */

static void draw_half_plane(cairo_t *cr, perp_pose X_WS, const perp_recorded_shape *s, const render_camera *c,
                            const render_options *o) {
    const render_theme *t = o->theme;
    int width = o->width, height = o->height;
    perp_vec3 n = perp_q_rotate(X_WS.q, perp_v3_unit(s->normal));
    render_seen at = render_project(c, perp_v3_axpy(X_WS.p, s->offset, n));
    double nx = n.x, ny = -n.y, far = 4.0 * (width + height); /* in the picture, y down */
    /* the point of the border nearest to the middle of the picture */
    double along = (width / 2.0 - at.x) * -ny + (height / 2.0 - at.y) * nx;
    double x = at.x - along * ny, y = at.y + along * nx, deep = 0.22 * (width < height ? width : height);
    cairo_move_to(cr, x - far * ny, y + far * nx);
    cairo_line_to(cr, x + far * ny, y - far * nx);
    cairo_line_to(cr, x + far * ny - far * nx, y - far * nx - far * ny);
    cairo_line_to(cr, x - far * ny - far * nx, y + far * nx - far * ny);
    cairo_close_path(cr);
    cairo_pattern_t *fade = cairo_pattern_create_linear(x, y, x - deep * nx, y - deep * ny);
    cairo_pattern_add_color_stop_rgba(fade, 0, t->solid.r, t->solid.g, t->solid.b, 1);
    cairo_pattern_add_color_stop_rgba(fade, 1, t->solid.r, t->solid.g, t->solid.b, 0.25);
    cairo_set_source(cr, fade);
    cairo_fill(cr);
    cairo_pattern_destroy(fade);
    cairo_move_to(cr, x - far * ny, y + far * nx);
    cairo_line_to(cr, x + far * ny, y - far * nx);
    set_colour(cr, t->rim, 1);
    cairo_set_line_width(cr, 1.8 * render_unit(width, height));
    cairo_stroke(cr);
}

void render_2d_ground(const render_sheet *g, const render_moment *m) {
    const render_scene *s = g->scene;
    for (int i = 0; i < s->nshape; i++)
        if (s->shape[i].kind == PERP_SHAPE_HALFSPACE)
            draw_half_plane(g->cr, perp_pose_mul(m->X_WB[s->shape[i].body], s->shape[i].X_BS), &s->shape[i], g->camera,
                            g->options);
}

/* ---- bodies ---- */

/* The outline of a shape as a path; false if it has none. */
static bool trace(cairo_t *cr, perp_pose X_WS, const perp_recorded_shape *s, const render_camera *c, pp_arena *arena,
                  double unit) {
    if (s->kind == PERP_SHAPE_HALFSPACE) return false;
    if (s->kind == PERP_SHAPE_PARTICLE || s->kind == PERP_SHAPE_SPHERE) {
        render_seen at = render_project(c, X_WS.p);
        cairo_new_sub_path(cr);
        cairo_arc(cr, at.x, at.y, s->kind == PERP_SHAPE_PARTICLE ? 4.5 * unit : s->radius * c->focal, 0,
                  2 * 3.14159265358979323846);
        cairo_close_path(cr);
        return true;
    }
    perp_vec3 *p;
    int n = render_outline_make(arena, s, render_mesh_detail(render_reach(s) * c->focal), &p);
    for (int i = 0; i < n; i++) {
        render_seen at = render_project(c, perp_pose_apply(X_WS, p[i]));
        if (i == 0)
            cairo_move_to(cr, at.x, at.y);
        else
            cairo_line_to(cr, at.x, at.y);
    }
    if (n > 0) cairo_close_path(cr);
    return n > 0;
}

/* All shapes of a body: first their borders, then their areas over the inner halves of these, so that what is put
 * together from parts has one border. */
static void draw_body(const render_sheet *g, int body, const render_moment *m, double unit) {
    cairo_t *cr = g->cr;
    const render_scene *s = g->scene;
    const render_camera *c = g->camera;
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->nshape; i++) {
            const perp_recorded_shape *shape = &s->shape[i];
            if (shape->body != body) continue;
            perp_pose X_WS = perp_pose_mul(m->X_WB[body], shape->X_BS);
            if (!trace(cr, X_WS, shape, c, g->arena, unit)) continue;
            render_rgb colour = render_shape_colour(s, i),
                       dark = render_mix(colour, (render_rgb){0, 0, 0}, g->options->theme->line * 0.72);
            set_colour(cr, pass ? colour : dark, 1);
            cairo_set_line_width(cr, 2.8 * unit);
            if (pass == 0)
                cairo_stroke(cr);
            else
                cairo_fill(cr);
            if (pass == 0 || shape->kind != PERP_SHAPE_SPHERE) continue;
            /* a spoke shows how a disc turns */
            render_seen a = render_project(c, X_WS.p),
                        e = render_project(c, perp_pose_apply(X_WS, perp_v3(0.82 * shape->radius, 0, 0)));
            cairo_move_to(cr, a.x, a.y);
            cairo_line_to(cr, e.x, e.y);
            set_colour(cr, dark, 0.7);
            cairo_set_line_width(cr, 1.3 * unit);
            cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
            cairo_stroke(cr);
        }
}

void render_2d_bodies(const render_sheet *g, const render_moment *m, bool moving, double opacity) {
    double unit = render_unit(g->options->width, g->options->height);
    if (opacity < 1) cairo_push_group(g->cr);
    for (int i = 0; i < g->scene->nbody; i++)
        if (g->scene->body[i].moves == moving) draw_body(g, i, m, unit);
    if (opacity < 1) {
        cairo_pop_group_to_source(g->cr);
        cairo_paint_with_alpha(g->cr, opacity);
    }
}

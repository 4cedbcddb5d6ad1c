/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_marks.c - what is drawn over a picture: joints, contacts, forces, friction cones, paths, names, a caption.
 * Points of the world go through the camera, so that 2D and 3D are alike. */
#include "render/render_draw.h"

#include <string.h>

#include "plot/plot_draw.h"
#include "render/render_mesh.h"

#define TURN 6.28318530717958648

static void set_colour(cairo_t *cr, render_rgb c, double opacity) { cairo_set_source_rgba(cr, c.r, c.g, c.b, opacity); }

static double unit_of(const render_sheet *g) { return render_unit(g->options->width, g->options->height); }

/* Where a point is seen; false if it is not before the eye. */
static bool place(const render_sheet *g, perp_vec3 p_W, render_seen *at) {
    *at = render_project(g->camera, p_W);
    return at->depth >= g->camera->nearest && isfinite(at->x) && isfinite(at->y);
}

/* Is something in front of it? */
static bool is_hidden(const render_sheet *g, render_seen at) {
    int w = g->options->width, h = g->options->height;
    if (!g->close || !(at.x >= 0 && at.y >= 0 && at.x < w && at.y < h)) return false;
    double there = g->close[(long)at.y * w + (long)at.x], slack = 4 / g->camera->focal;
    return g->camera->parallel ? there > at.close + slack : there > at.close * (1 + slack);
}

static void dot(cairo_t *cr, double x, double y, double r, render_rgb fill, render_rgb rim, double width) {
    cairo_new_path(cr);
    cairo_arc(cr, x, y, r, 0, TURN);
    set_colour(cr, fill, 1);
    cairo_fill_preserve(cr);
    set_colour(cr, rim, 1);
    cairo_set_line_width(cr, width);
    cairo_stroke(cr);
}

/* ---- bodies without shapes, joints ---- */

/* A line from the centre of mass to a point of the body. */
static void spoke(const render_sheet *g, render_seen centre, perp_vec3 to_W) {
    render_seen end;
    if (!place(g, to_W, &end)) return;
    cairo_move_to(g->cr, centre.x, centre.y);
    cairo_line_to(g->cr, end.x, end.y);
    cairo_stroke(g->cr);
}

/* Its axes x, y, z in red, green and blue: they show the orientation of a body without a shape. */
static void axes(const render_sheet *g, perp_pose X, render_seen centre) {
    static const render_rgb colour[3] = {{0.82, 0.38, 0.23}, {0.18, 0.62, 0.49}, {0.25, 0.53, 0.77}};
    double length = 40 * unit_of(g) * render_pixel(g->camera, centre.depth);
    for (int k = 0; k < 3; k++) {
        set_colour(g->cr, colour[k], 1);
        spoke(g, centre, perp_pose_apply(X, perp_v3(k == 0 ? length : 0, k == 1 ? length : 0, k == 2 ? length : 0)));
    }
}

void render_mark_bare(const render_sheet *g, const render_moment *m, double opacity) {
    double unit = unit_of(g);
    const render_scene *s = g->scene;
    for (int i = 0; i < s->nbody; i++) {
        const render_body *b = &s->body[i];
        render_seen centre;
        if (!b->bare || !place(g, m->X_WB[i].p, &centre)) continue;
        cairo_push_group(g->cr);
        set_colour(g->cr, b->colour, 1);
        cairo_set_line_width(g->cr, 4 * unit);
        cairo_set_line_cap(g->cr, CAIRO_LINE_CAP_ROUND);
        for (int j = 0; j < s->njoint; j++) {
            const perp_recorded_joint *k = &s->joint[j];
            if (k->a == i || k->b == i) spoke(g, centre, perp_pose_mul(m->X_WB[i], k->b == i ? k->X_BJ : k->X_AJ).p);
        }
        for (int j = 0; j < s->nshape; j++)
            if (s->shape[j].body == i) spoke(g, centre, perp_pose_mul(m->X_WB[i], s->shape[j].X_BS).p);
        if (s->dim == 3) axes(g, m->X_WB[i], centre);
        dot(g->cr, centre.x, centre.y, 6 * unit, b->colour, render_mix(b->colour, (render_rgb){0, 0, 0}, 0.5),
            1.2 * unit);
        cairo_pop_group_to_source(g->cr);
        cairo_paint_with_alpha(g->cr, opacity);
    }
}

/* A line with a light border, so that it is seen on everything. */
static void bordered(const render_sheet *g, render_rgb c, double width) {
    double unit = unit_of(g);
    cairo_set_line_cap(g->cr, CAIRO_LINE_CAP_BUTT);
    set_colour(g->cr, g->options->theme->halo, 0.85);
    cairo_set_line_width(g->cr, width + 2 * unit);
    cairo_stroke_preserve(g->cr);
    set_colour(g->cr, c, 1);
    cairo_set_line_width(g->cr, width);
    cairo_stroke(g->cr);
}

/* Springs between points, as zigzag lines. */
void render_mark_springs(const render_sheet *g, const render_moment *m) {
    enum { TURNS = 8 };
    double unit = unit_of(g);
    for (int i = 0; i < g->scene->nspring; i++) {
        const perp_recorded_spring *k = &g->scene->spring[i];
        render_seen a, b;
        perp_vec3 from = k->a < 0 ? k->point_A : perp_pose_apply(m->X_WB[k->a], k->point_A);
        if (!place(g, from, &a) || !place(g, perp_pose_apply(m->X_WB[k->b], k->point_B), &b)) continue;
        double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy), wide = fmin(5 * unit, 0.2 * length);
        if (!(length > 0)) continue;
        cairo_move_to(g->cr, a.x, a.y);
        for (int n = 0; n < 2 * TURNS; n++) { /* straight for a tenth at both ends */
            double part = 0.1 + 0.8 * (n + 0.5) / (2 * TURNS), side = n % 2 ? wide / length : -wide / length;
            cairo_line_to(g->cr, a.x + part * dx - side * dy, a.y + part * dy + side * dx);
        }
        cairo_line_to(g->cr, b.x, b.y);
        cairo_set_line_join(g->cr, CAIRO_LINE_JOIN_ROUND);
        bordered(g, g->options->theme->ink, 1.3 * unit);
    }
}

/* A line from the centre of mass of a body to its joint; obstacles and the world have none. */
static void limb(const render_sheet *g, const render_moment *m, int body, render_seen to) {
    render_seen at;
    if (body < 0 || g->scene->body[body].kind == PERP_BODY_OBSTACLE || !place(g, m->X_WB[body].p, &at)) return;
    cairo_move_to(g->cr, at.x, at.y);
    cairo_line_to(g->cr, to.x, to.y);
    bordered(g, g->options->theme->ink, 1.3 * unit_of(g));
}

void render_mark_joints(const render_sheet *g, const render_moment *m) {
    double unit = unit_of(g), r = 4.2 * unit;
    for (int j = 0; j < g->scene->njoint; j++) {
        const perp_recorded_joint *k = &g->scene->joint[j];
        render_seen at;
        if (!place(g, perp_pose_apply(m->X_WB[k->b], k->X_BJ.p), &at)) continue;
        limb(g, m, k->a, at);
        limb(g, m, k->b, at);
    }
    for (int j = 0; j < g->scene->njoint; j++) {
        const perp_recorded_joint *k = &g->scene->joint[j];
        render_seen at;
        if (!place(g, perp_pose_apply(m->X_WB[k->b], k->X_BJ.p), &at)) continue;
        if (k->kind == PERP_JOINT_REVOLUTE || k->kind == PERP_JOINT_SPHERICAL) {
            dot(g->cr, at.x, at.y, r, g->options->theme->halo, g->options->theme->ink, 1.5 * unit);
            continue;
        }
        cairo_rectangle(g->cr, at.x - r, at.y - r, 2 * r, 2 * r);
        set_colour(g->cr, g->options->theme->halo, 1);
        cairo_fill_preserve(g->cr);
        set_colour(g->cr, g->options->theme->ink, 1);
        cairo_set_line_width(g->cr, 1.5 * unit);
        cairo_stroke(g->cr);
    }
}

/* ---- contacts ---- */

double render_impulse(const perp_recorded_contact *c) {
    const double *p = c->impulse_C;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

/* The contact as it acts on a moving body: point, normal, impulse. */
typedef struct felt {
    perp_vec3 at_W, n_W, impulse_W;
} felt;

static felt feel(const render_sheet *g, const perp_recorded_contact *c) {
    perp_vec3 o = perp_v3_cross(c->n_W, c->t_W), p = perp_v3_scale(c->impulse_C[0], c->n_W);
    p = perp_v3_axpy(perp_v3_axpy(p, c->impulse_C[1], c->t_W), c->impulse_C[2], o);
    bool first = g->scene->body[c->body[1]].kind != PERP_BODY_DYNAMIC;
    if (first) return (felt){c->a_W, perp_v3_neg(c->n_W), perp_v3_neg(p)};
    return (felt){c->b_W, c->n_W, p};
}

static void arrow(const render_sheet *g, render_seen from, render_seen to, render_rgb c) {
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy), unit = unit_of(g);
    if (!(length > 0.5 * unit)) return;
    double ux = dx / length, uy = dy / length, head = fmin(11 * unit, 0.6 * length), wide = 0.42 * head;
    cairo_move_to(g->cr, from.x, from.y);
    cairo_line_to(g->cr, to.x - 0.8 * head * ux, to.y - 0.8 * head * uy);
    bordered(g, c, 2.4 * unit);
    cairo_move_to(g->cr, to.x, to.y);
    cairo_line_to(g->cr, to.x - head * ux - wide * uy, to.y - head * uy + wide * ux);
    cairo_line_to(g->cr, to.x - head * ux + wide * uy, to.y - head * uy - wide * ux);
    cairo_close_path(g->cr);
    set_colour(g->cr, c, 1);
    cairo_fill(g->cr);
}

/* The friction cone: directions that the force of the contact can have. */
static void cone(const render_sheet *g, const perp_recorded_contact *c, const felt *f, double length) {
    enum { ROUND = 48 };
    perp_vec3 t, o;
    render_seen tip, rim;
    perp_v3_frame(f->n_W, &t, &o);
    if (!(c->mu > 0) || !place(g, f->at_W, &tip)) return;
    double part = length / sqrt(1 + c->mu * c->mu), r = c->mu * part;
    bool flat = g->scene->dim == 2;
    cairo_new_path(g->cr);
    for (int i = 0; i < (flat ? 2 : ROUND); i++) {
        double phi = flat ? i * TURN / 2 : i * TURN / ROUND;
        perp_vec3 x = perp_v3_axpy(f->at_W, part, f->n_W);
        x = perp_v3_axpy(perp_v3_axpy(x, r * cos(phi), t), r * sin(phi), o);
        if (!place(g, x, &rim)) return;
        if (i == 0 && flat) cairo_move_to(g->cr, tip.x, tip.y);
        cairo_line_to(g->cr, rim.x, rim.y);
        if (!flat && i % 6 == 0) { /* a few lines to the tip */
            cairo_line_to(g->cr, tip.x, tip.y);
            cairo_line_to(g->cr, rim.x, rim.y);
        }
    }
    cairo_close_path(g->cr);
    render_rgb colour = render_state_colour(c->state);
    set_colour(g->cr, colour, 0.16);
    cairo_fill_preserve(g->cr);
    set_colour(g->cr, colour, 0.75);
    cairo_set_line_width(g->cr, 0.9 * unit_of(g));
    cairo_stroke(g->cr);
}

void render_mark_contacts(const render_sheet *g, const render_moment *m) {
    const render_options *o = g->options;
    double unit = unit_of(g);
    for (int pass = 0; pass < 3; pass++) /* cones below arrows below points */
        for (int i = 0; i < m->ncontact; i++) {
            const perp_recorded_contact *c = &m->contact[i];
            felt f = feel(g, c);
            render_seen at, end;
            if (!place(g, f.at_W, &at)) continue;
            double pixel = render_pixel(g->camera, at.depth), size = render_impulse(c);
            render_rgb colour = render_state_colour(c->state);
            if (pass == 0 && o->cones && size > 0) cone(g, c, &f, 46 * unit * pixel);
            if (pass == 1 && o->forces && size > 0) {
                double length = fmin(size * o->force, 0.5 * (o->width < o->height ? o->width : o->height));
                if (place(g, perp_v3_axpy(f.at_W, length * pixel / size, f.impulse_W), &end)) arrow(g, at, end, colour);
            }
            if (pass < 2 || !o->contacts) continue;
            if (place(g, perp_v3_axpy(f.at_W, 13 * unit * pixel, f.n_W), &end)) {
                cairo_move_to(g->cr, at.x, at.y);
                cairo_line_to(g->cr, end.x, end.y);
                bordered(g, colour, 1.4 * unit);
            }
            dot(g->cr, at.x, at.y, 3.4 * unit, colour, o->theme->halo, 1 * unit);
        }
}

/* ---- moving surfaces ---- */

enum { BELT_ARROWS = 12 }; /* at most on one surface */
#define BELT_PART   0.4    /* longest arrow as a part of the distance between two */
#define BELT_LENGTH 48     /* of an arrow, in units of the picture; the speed is not shown */

/* How far a shape reaches from its origin along d, a direction in its own axes [L]. */
static double reach_along(const perp_recorded_shape *s, perp_vec3 d) {
    double far = s->nvertex > 0 ? -INFINITY : s->radius + s->half_length;
    for (int i = 0; i < s->nvertex; i++)
        far = fmax(far, d.x * s->vertex[3 * i] + d.y * s->vertex[3 * i + 1] + d.z * s->vertex[3 * i + 2]);
    return far;
}

void render_mark_belts(const render_sheet *g, const render_moment *m) {
    perp_vec3 up = g->scene->dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
    for (int i = 0; i < g->scene->nshape; i++) {
        const perp_recorded_shape *s = &g->scene->shape[i];
        if (!(perp_v3_norm(s->surface_velocity) > 0)) continue;
        perp_pose X_WB = m->X_WB[s->body], X_WS = perp_pose_mul(X_WB, s->X_BS);
        perp_vec3 along = perp_v3_unit(perp_q_rotate(X_WB.q, s->surface_velocity)), at = X_WS.p;
        perp_vec3 out = perp_v3_axpy(up, -perp_v3_dot(up, along), along);
        if (!(perp_v3_norm(out) > 1e-6)) { /* it moves straight up or down: either side serves */
            perp_vec3 x = perp_q_rotate(X_WS.q, perp_v3(1, 0, 0)), y = perp_q_rotate(X_WS.q, perp_v3(0, 1, 0));
            perp_vec3 side = fabs(perp_v3_dot(x, along)) < 0.9 ? x : y;
            out = perp_v3_axpy(side, -perp_v3_dot(side, along), along);
        }
        out = perp_v3_unit(out);
        render_seen seen, tip;
        if (!place(g, at, &seen)) continue;
        double length = BELT_LENGTH * unit_of(g) * render_pixel(g->camera, seen.depth), apart = length / BELT_PART;
        int n = 3;
        if (s->kind == PERP_SHAPE_HALFSPACE) {
            out = perp_q_rotate(X_WS.q, s->normal);
            at = perp_v3_axpy(at, s->offset, out);
        } else {
            at = perp_v3_axpy(at, reach_along(s, perp_q_unrotate(X_WS.q, out)), out);
            double whole = 2 * reach_along(s, perp_q_unrotate(X_WS.q, along));
            n = (int)fmin(fmax(whole / apart, 1), BELT_ARROWS);
            apart = whole / n;
            length = fmin(length, BELT_PART * apart);
        }
        at = perp_v3_axpy(at, 0.2 * length, out);
        for (int k = 0; k < n; k++) {
            perp_vec3 from = perp_v3_axpy(at, (k - 0.5 * (n - 1)) * apart - 0.5 * length, along);
            if (place(g, from, &seen) && place(g, perp_v3_axpy(from, length, along), &tip) && !is_hidden(g, seen))
                arrow(g, seen, tip, g->options->theme->ink);
        }
    }
}

/* ---- paths ---- */

void render_mark_path(const render_sheet *g, int body, const perp_vec3 *point, long n, const perp_vec3 *stop,
                      int nstop) {
    double unit = unit_of(g), r = 4 * unit;
    render_rgb c = render_mix(g->scene->body[body].colour, g->options->theme->ink, 0.35);
    render_seen b;
    bool open = false, faint = false; /* a line is being drawn; it is hidden by something */
    cairo_set_line_cap(g->cr, CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(g->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(g->cr, 1.6 * unit);
    for (long i = 0; i <= n; i++) {
        bool now = i < n && place(g, point[i], &b), hidden = now && is_hidden(g, b);
        if (now && open) cairo_line_to(g->cr, b.x, b.y);
        if (open && (!now || hidden != faint)) { /* one line for each piece that is seen or hidden */
            set_colour(g->cr, c, faint ? 0.25 : 0.95);
            cairo_stroke(g->cr);
            open = false;
        }
        if (now && !open) cairo_move_to(g->cr, b.x, b.y), open = true;
        faint = hidden;
    }
    for (int i = 0; i < nstop; i++) {
        if (!place(g, stop[i], &b)) continue;
        cairo_move_to(g->cr, b.x - r, b.y - r);
        cairo_line_to(g->cr, b.x + r, b.y + r);
        cairo_move_to(g->cr, b.x - r, b.y + r);
        cairo_line_to(g->cr, b.x + r, b.y - r);
        set_colour(g->cr, c, 0.95);
        cairo_stroke(g->cr);
    }
}

/* ---- text ---- */

/* Text with a border of the background's colour. */
static void write_text(const render_sheet *g, double x, double y, plot_anchor at, const char *text, double size,
                       bool bold) {
    plot_page sheet = {.cr = g->cr, .arena = g->arena, .font = size, .unit = size / 9};
    double r = 0.11 * size;
    set_colour(g->cr, g->options->theme->halo, 0.8);
    for (int i = 0; i < 8 && !g->options->transparent; i++)
        plot_text(&sheet, x + r * cos(i * TURN / 8), y + r * sin(i * TURN / 8), at, text, 1, bold);
    set_colour(g->cr, g->options->theme->ink, 1);
    plot_text(&sheet, x, y, at, text, 1, bold);
}

/* Distance of the farthest point of a body from its centre of mass. */
static double reach_of(const render_scene *s, int body) {
    double r = 0;
    for (int i = 0; i < s->nshape; i++)
        if (s->shape[i].body == body && s->shape[i].kind != PERP_SHAPE_HALFSPACE)
            r = fmax(r, perp_v3_norm(s->shape[i].X_BS.p) + render_reach(&s->shape[i]));
    return r;
}

void render_mark_names(const render_sheet *g, const render_moment *m) {
    double size = 13 * unit_of(g);
    for (int i = 0; i < g->scene->nbody; i++) {
        render_seen at, before;
        const render_body *b = &g->scene->body[i];
        perp_vec3 p = m->X_WB[i].p, eye = render_to_eye(g->camera, p);
        if (!b->moves || !place(g, p, &at)) continue;
        /* hidden by another body if something is before all of this one */
        if (place(g, perp_v3_axpy(p, reach_of(g->scene, i), eye), &before) && is_hidden(g, before)) continue;
        write_text(g, at.x, at.y + 0.36 * size, PLOT_CENTRE, b->name, size, false);
    }
}

/* Above the body, so that the name, if it is drawn, stays readable. */
void render_mark_labels(const render_sheet *g, const render_moment *m) {
    double size = 13 * unit_of(g);
    for (int i = 0; i < g->scene->nbody; i++) {
        render_seen at;
        const render_body *b = &g->scene->body[i];
        if (!b->label[0] || !place(g, m->X_WB[i].p, &at)) continue;
        double reach = reach_of(g->scene, i) / render_pixel(g->camera, at.depth), most = 0.2 * g->options->height;
        write_text(g, at.x, at.y - fmin(reach, most) - 0.3 * size, PLOT_CENTRE, b->label, size, true);
    }
}

void render_mark_caption(const render_sheet *g, const char *text) {
    double size = 18 * unit_of(g);
    write_text(g, 0.9 * size, g->options->height - 0.9 * size, PLOT_LEFT, text, size, false);
}

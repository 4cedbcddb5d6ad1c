/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_3d.c - a moment of a 3D world as light in each pixel
 * Method   all surfaces become triangles in the picture, clipped in front of the eye. Then the picture is drawn `samples` times, each time
 *          with another sample point in the pixels and light from another part of lamp and sky: first the closest surface in each pixel, then its
 *          light, then lines. The mean has smooth edges and soft shadows.
 * Source   accumulation of pictures: Haeberli and Akeley 1990
 * Cost     samples x (pixels + triangles + maps of shadows). */
#include "render/render.h"

#include <string.h>

#include "input/input.h"
#include "render/render_light.h"
#include "render/render_mesh.h"
#include "render/render_raster.h"
#include "render/render_rows.h"

#define LAMP    0.70 /* light of a surface that faces the lamp */
#define SKY     0.46 /* of a level surface under the open sky */
#define BOUNCE  0.22 /* from below */
#define GLASS   0.05 /* part of the light that a transparent sheet absorbs */
#define GROUND  4.5  /* radius to which the ground is seen, in radii of the scene */
#define SHADOWS 1.5  /* radius to which shadows are cast, in radii of the scene */
#define HIDDEN  0.05 /* part of the moving bodies that an obstacle may hide before it is drawn transparent */

/* A vertex in the world. */
typedef struct corner {
    perp_vec3 p, n;
} corner;

/* A triangle that is seen. */
typedef struct facet {
    render_corner c[3];  /* in the picture */
    perp_vec3 p, e1, e2; /* a corner and two sides in the world, for curved surfaces */
    perp_vec3 n[3];
    double g11, g12, g22; /* rows of the inverse of the sides' Gram matrix */
    int shape;
    bool curved;
} facet;

typedef struct line {
    render_corner a, b;
    float strength;
    int shape;
} line;

typedef struct colour {
    float r, g, b;
} colour;

/* A half-space as seen: its plane and the axes of its grid, which move with the body. */
typedef struct ground {
    perp_vec3 n, t, o, origin;     /* in the world */
    double right_n, up_n, ahead_n; /* axes of the camera along n */
} ground;

typedef struct plan {
    const render_scene *scene;
    const render_moment *moment;
    const render_camera *camera;
    const render_options *options;
    pp_arena arena;
    facet *facet;
    line *line;
    int nfacet, cap_facet, nline, cap_line;
    render_mesh *mesh;  /* of each shape */
    perp_pose *X_WS;    /* of each shape */
    colour *paint;      /* of each shape, linear */
    ground *ground;     /* of each shape; only those of half-spaces are set */
    perp_vec3 centre_W; /* of the scene */
    double radius;
    double cell; /* of the grid on the ground */
    bool moving, failed;
} plan;

static const perp_allocator usual = {0};

/* ---- linear light ---- */

static float linear(double s) { return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4)); }
static colour linear_of(render_rgb c) { return (colour){linear(c.r), linear(c.g), linear(c.b)}; }
static colour mix(colour a, colour b, float part) {
    return (colour){a.r + part * (b.r - a.r), a.g + part * (b.g - a.g), a.b + part * (b.b - a.b)};
}
static colour scale(float s, colour c) { return (colour){s * c.r, s * c.g, s * c.b}; }

/* ---- what is seen ---- */

static bool is_drawn(const plan *p, int shape) {
    const render_body *b = &p->scene->body[p->scene->shape[shape].body];
    return p->moving || !b->moves;
}

static const render_body *body_of(const plan *p, int shape) { return &p->scene->body[p->scene->shape[shape].body]; }

static void add_facet(plan *p, const corner v[3], int shape, bool curved) {
    facet f = {.shape = shape, .curved = curved};
    for (int i = 0; i < 3; i++) {
        render_seen s = render_project(p->camera, v[i].p);
        f.c[i] = (render_corner){s.x, s.y, s.close};
        f.n[i] = v[i].n;
    }
    if (!(render_area(f.c) < 0)) return; /* turned away */
    if (p->failed || !PP_GROW(&usual, p->facet, p->cap_facet, p->nfacet, p->nfacet + 1)) {
        p->failed = true;
        return;
    }
    f.p = v[0].p;
    f.e1 = perp_v3_sub(v[1].p, v[0].p);
    f.e2 = perp_v3_sub(v[2].p, v[0].p);
    double a = perp_v3_dot(f.e1, f.e1), b = perp_v3_dot(f.e1, f.e2), c = perp_v3_dot(f.e2, f.e2), d = a * c - b * b;
    f.g11 = d > 0 ? c / d : 0, f.g12 = d > 0 ? -b / d : 0, f.g22 = d > 0 ? a / d : 0;
    p->facet[p->nfacet++] = f;
}

static double depth_of(const plan *p, perp_vec3 x) {
    return perp_v3_dot(perp_v3_sub(x, p->camera->eye_W), p->camera->ahead_W);
}

static corner between(corner a, corner b, double part) {
    return (corner){perp_v3_axpy(a.p, part, perp_v3_sub(b.p, a.p)), perp_v3_axpy(a.n, part, perp_v3_sub(b.n, a.n))};
}

/* Adds triangles that are in front of the camera. */
static void add_clipped(plan *p, const corner v[3], int shape, bool curved) {
    double z[3], near = p->camera->nearest;
    int seen = 0;
    for (int i = 0; i < 3; i++) seen += (z[i] = depth_of(p, v[i].p)) >= near;
    if (seen == 3) add_facet(p, v, shape, curved);
    if (seen == 0 || seen == 3) return;
    corner out[4];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        if (z[i] >= near) out[n++] = v[i];
        if ((z[i] >= near) != (z[k] >= near)) out[n++] = between(v[i], v[k], (near - z[i]) / (z[k] - z[i]));
    }
    for (int i = 2; i < n; i++) add_facet(p, (corner[3]){out[0], out[i - 1], out[i]}, shape, curved);
}

static void add_line(plan *p, perp_vec3 a, perp_vec3 b, double strength, int shape) {
    double za = depth_of(p, a), zb = depth_of(p, b), near = p->camera->nearest;
    if (za < near && zb < near) return;
    if (za < near) a = perp_v3_axpy(a, (near - za) / (zb - za), perp_v3_sub(b, a));
    if (zb < near) b = perp_v3_axpy(b, (near - zb) / (za - zb), perp_v3_sub(a, b));
    if (p->failed || !PP_GROW(&usual, p->line, p->cap_line, p->nline, p->nline + 1)) {
        p->failed = true;
        return;
    }
    render_seen sa = render_project(p->camera, a), sb = render_project(p->camera, b);
    p->line[p->nline++] = (line){{sa.x, sa.y, sa.close}, {sb.x, sb.y, sb.close}, (float)strength, shape};
}

static bool faces_eye(const plan *p, perp_vec3 x, perp_vec3 n) {
    return perp_v3_dot(n, render_to_eye(p->camera, x)) > 0;
}

/* The outline of a curved surface: where its normal is across the line of sight, found within each triangle. */
static void add_outline(plan *p, const corner v[3], double strength, int shape) {
    double g[3];
    perp_vec3 end[2];
    int n = 0;
    for (int i = 0; i < 3; i++) g[i] = perp_v3_dot(v[i].n, render_to_eye(p->camera, v[i].p));
    for (int i = 0; i < 3 && n < 2; i++) {
        int k = (i + 1) % 3;
        if ((g[i] > 0) != (g[k] > 0)) end[n++] = between(v[i], v[k], g[i] / (g[i] - g[k])).p;
    }
    if (n == 2) add_line(p, end[0], end[1], strength, shape);
}

static void add_shape(plan *p, int shape) {
    const render_mesh *m = &p->mesh[shape];
    perp_pose X = p->X_WS[shape];
    /* small bodies get fainter lines; otherwise only their lines would be visible */
    double px =
        render_reach(&p->scene->shape[shape]) / render_pixel(p->camera, fmax(depth_of(p, X.p), p->camera->nearest));
    double strength = p->options->theme->line * (px > 14 ? 1 : px < 3 ? 0.2 : 0.2 + 0.8 * (px - 3) / 11);
    bool glass = body_of(p, shape)->glass;
    if (glass) strength *= 0.6;
    for (int t = 0; t < m->ntriangle; t++) {
        corner v[3];
        for (int i = 0; i < 3; i++) {
            const render_vertex *from = &m->vertex[m->triangle[t][i]];
            v[i] = (corner){perp_pose_apply(X, from->p), perp_q_rotate(X.q, from->n)};
        }
        add_clipped(p, v, shape, m->curved);
        if (m->curved) add_outline(p, v, strength, shape);
    }
    for (int e = 0; e < m->nedge; e++) {
        const render_edge *d = &m->edge[e];
        perp_vec3 a = perp_pose_apply(X, d->p[0]), b = perp_pose_apply(X, d->p[1]);
        if (glass || faces_eye(p, a, perp_q_rotate(X.q, d->n[0])) || faces_eye(p, b, perp_q_rotate(X.q, d->n[1])))
            add_line(p, a, b, strength * d->weight, shape);
    }
}

/* A half-space is a square of its plane, beside the scene. */
static void add_ground(plan *p, int shape) {
    const perp_recorded_shape *s = &p->scene->shape[shape];
    const render_camera *c = p->camera;
    perp_pose X = p->X_WS[shape];
    ground *g = &p->ground[shape];
    perp_v3_frame(perp_v3_unit(s->normal), &g->t, &g->o);
    g->n = perp_q_rotate(X.q, perp_v3_unit(s->normal));
    g->t = perp_q_rotate(X.q, g->t);
    g->o = perp_q_rotate(X.q, g->o);
    g->origin = perp_v3_axpy(X.p, s->offset, g->n);
    g->right_n = perp_v3_dot(c->right_W, g->n);
    g->up_n = perp_v3_dot(c->up_W, g->n);
    g->ahead_n = perp_v3_dot(c->ahead_W, g->n);
    double r = GROUND * p->radius;
    perp_vec3 at = perp_v3_axpy(p->centre_W, perp_v3_dot(perp_v3_sub(g->origin, p->centre_W), g->n), g->n);
    corner q[4];
    for (int i = 0; i < 4; i++) { /* counter-clockwise about n = t x o */
        perp_vec3 x = perp_v3_axpy(at, i == 0 || i == 3 ? r : -r, g->t);
        q[i] = (corner){perp_v3_axpy(x, i < 2 ? r : -r, g->o), g->n};
    }
    add_clipped(p, (corner[3]){q[0], q[1], q[2]}, shape, false);
    add_clipped(p, (corner[3]){q[0], q[2], q[3]}, shape, false);
}

/* A particle is a small ball of a size in the picture. */
static perp_recorded_shape as_drawn(const plan *p, int shape) {
    perp_recorded_shape s = p->scene->shape[shape];
    if (s.kind != PERP_SHAPE_PARTICLE) return s;
    s.kind = PERP_SHAPE_SPHERE;
    s.radius = 5.0 / 720 * p->options->height *
               render_pixel(p->camera, fmax(depth_of(p, p->X_WS[shape].p), p->camera->nearest));
    return s;
}

static void make_meshes(plan *p) {
    const render_scene *s = p->scene;
    for (int i = 0; i < s->nshape; i++) {
        p->X_WS[i] = perp_pose_mul(p->moment->X_WB[s->shape[i].body], s->shape[i].X_BS);
        p->paint[i] = linear_of(render_shape_colour(s, i));
        perp_recorded_shape drawn = as_drawn(p, i);
        double depth = fmax(depth_of(p, p->X_WS[i].p), p->camera->nearest);
        int detail = render_mesh_detail(fmin(render_reach(&drawn) / render_pixel(p->camera, depth), 4000));
        if (!render_mesh_make(&p->arena, &drawn, detail, &p->mesh[i])) p->failed = true;
    }
}

/* Centre and radius of the scene in the picture, without objects far outside, which would make ground and shadows coarse. */
static void find_extent(plan *p) {
    p->centre_W = p->options->extent.centre_W;
    p->radius = p->options->extent.radius;
    double middle = fmax(depth_of(p, p->centre_W), p->camera->nearest);
    double seen = render_pixel(p->camera, middle) * hypot(p->options->width, p->options->height) / 2;
    if (!(p->radius > 0)) p->radius = seen;
    if (p->radius > 2 * seen) {
        p->radius = 2 * seen;
        p->centre_W = perp_v3_axpy(p->camera->eye_W, middle, p->camera->ahead_W);
    }
    double step = p->radius / 2.5, ten = pow(10, floor(log10(step)));
    p->cell = step >= 5 * ten ? 5 * ten : step >= 2 * ten ? 2 * ten : ten;
}

static perp_status make_plan(plan *p, perp_refusal *why) {
    int n = p->scene->nshape;
    pp_arena_init(&p->arena, (perp_allocator){0});
    p->mesh = PP_ARENA_ZERO(&p->arena, render_mesh, n);
    p->X_WS = PP_ARENA_ARRAY(&p->arena, perp_pose, n);
    p->paint = PP_ARENA_ARRAY(&p->arena, colour, n);
    p->ground = PP_ARENA_ARRAY(&p->arena, ground, n);
    p->failed = !p->mesh || !p->X_WS || !p->paint || !p->ground;
    find_extent(p);
    if (!p->failed) make_meshes(p);
    for (int i = 0; i < n && !p->failed; i++) {
        if (!is_drawn(p, i)) continue;
        if (p->scene->shape[i].kind == PERP_SHAPE_HALFSPACE)
            add_ground(p, i);
        else
            add_shape(p, i);
    }
    if (p->failed)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the picture");
    return PERP_OK;
}

static void free_plan(plan *p) {
    pp_free(&usual, p->facet);
    pp_free(&usual, p->line);
    pp_arena_free(&p->arena);
}

/* ---- light ---- */

typedef struct pass {
    plan *p;
    render_target target;
    render_light light;
    float *ink, *veil; /* in each pixel: strength of the line, and light absorbed by transparent bodies */
    int *inked;        /* shape of the line */
    double slack;      /* closeness by which a line may lie behind a surface and still be drawn */
    colour top, bottom, ground, grid, glass;
    perp_vec3 lamp_W;
} pass;

/* The lamp stands behind the viewer's left shoulder. */
static perp_vec3 lamp_for(const render_camera *c) {
    perp_vec3 back = perp_v3_unit(perp_v3(-c->ahead_W.x, -c->ahead_W.y, 0));
    if (perp_v3_norm(back) == 0) back = perp_v3(-c->up_W.x, -c->up_W.y, 0); /* from straight above */
    perp_vec3 d = perp_v3_axpy(perp_v3_scale(0.40, back), -0.52, c->right_W);
    d.z += 0.92;
    return perp_v3_unit(d);
}

static void cast_shadows(pass *a) {
    plan *p = a->p;
    for (int i = 0; i < p->scene->nshape; i++) {
        const render_mesh *m = &p->mesh[i];
        if (!is_drawn(p, i) || body_of(p, i)->glass) continue;
        for (int t = 0; t < m->ntriangle; t++) {
            perp_vec3 x[3];
            for (int k = 0; k < 3; k++) x[k] = perp_pose_apply(p->X_WS[i], m->vertex[m->triangle[t][k]].p);
            render_light_cast(&a->light, x);
        }
    }
}

static perp_vec3 normal_at(const facet *f, perp_vec3 x) {
    if (!f->curved) return f->n[0];
    perp_vec3 r = perp_v3_sub(x, f->p);
    double r1 = perp_v3_dot(r, f->e1), r2 = perp_v3_dot(r, f->e2);
    double b = f->g11 * r1 + f->g12 * r2, c = f->g12 * r1 + f->g22 * r2;
    perp_vec3 n = perp_v3_scale(1 - b - c, f->n[0]);
    return perp_v3_unit(perp_v3_axpy(perp_v3_axpy(n, b, f->n[1]), c, f->n[2]));
}

static colour light_body(const pass *a, const facet *f, perp_vec3 x) {
    perp_vec3 n = normal_at(f, x), eye = render_to_eye(a->p->camera, x);
    double lamp = render_light_lamp(&a->light, x, n), sky = render_light_sky(&a->light, x, n);
    double diffuse = LAMP * lamp + SKY * sky + BOUNCE * 0.5 * (1 - n.z);
    colour c = scale((float)diffuse, a->p->paint[f->shape]);
    if (lamp > 0) { /* a little gloss */
        double h = perp_v3_dot(n, perp_v3_unit(perp_v3_add(eye, a->light.lamp.toward_W)));
        double gloss = h > 0.8 ? (f->curved ? 0.16 : 0.03) * pow(h, 48) : 0;
        c = (colour){c.r + (float)gloss, c.g + (float)gloss, c.b + (float)gloss};
    }
    return c;
}

/* How much of a pixel a line of the grid covers along one coordinate; span: what a pixel spans of it. */
static double on_grid(double x, double cell, double span) {
    if (span > 0.3 * cell) return 0;
    double cells = x / cell, off = fabs(cells - floor(cells + 0.5)) * cell;
    if (off > 0.55 * span) return 0;
    return span > 0.1 * cell ? (0.3 * cell - span) / (0.2 * cell) : 1;
}

/* How much the grid covers at a place of the ground. With r the line of sight of length 1 along the axis, a place is
 * eye + depth r, and depth = const/(r . n): so it moves by depth (right - r (right . n)/(r . n)) for a step of r to the
 * right, and a pixel is such a step of 1/focal. */
static double grid_at(const plan *p, const ground *g, perp_vec3 x, double px, double py) {
    const render_camera *c = p->camera;
    perp_vec3 q = perp_v3_sub(x, g->origin), r = c->ahead_W;
    double a = (px - c->cx) / c->focal, b = (c->cy - py) / c->focal, depth = 1, r_n = g->ahead_n;
    if (!c->parallel) {
        r = perp_v3_axpy(perp_v3_axpy(r, a, c->right_W), b, c->up_W);
        r_n += a * g->right_n + b * g->up_n;
        depth = depth_of(p, x);
    }
    perp_vec3 across = perp_v3_axpy(c->right_W, -g->right_n / r_n, r), down = perp_v3_axpy(c->up_W, -g->up_n / r_n, r);
    double s = depth / c->focal;
    double su = s * fmax(fabs(perp_v3_dot(across, g->t)), fabs(perp_v3_dot(down, g->t)));
    double sv = s * fmax(fabs(perp_v3_dot(across, g->o)), fabs(perp_v3_dot(down, g->o)));
    return fmax(on_grid(perp_v3_dot(q, g->t), p->cell, su), on_grid(perp_v3_dot(q, g->o), p->cell, sv));
}

/* Light of the ground. seen: its opacity, as it fades into the background far away; shade: the part of the light that it does not get. */
static colour light_ground(const pass *a, const facet *f, perp_vec3 x, double px, double py, float *seen,
                           float *shade) {
    const plan *p = a->p;
    const ground *g = &p->ground[f->shape];
    perp_vec3 r = perp_v3_sub(x, p->centre_W);
    double up = perp_v3_dot(r, g->n), out = sqrt(fmax(perp_v3_dot(r, r) - up * up, 0)) / (GROUND * p->radius);
    double fade = out >= 1 ? 0 : out < 0.25 ? 1 : 1 - (out - 0.25) / 0.75;
    *seen = (float)(fade * fade * (3 - 2 * fade));
    *shade = 0;
    if (fade <= 0) return a->ground;
    double open, part = 1;
    if (perp_v3_dot(r, r) < SHADOWS * SHADOWS * 2 * p->radius * p->radius) {
        double light = LAMP * render_light_lamp(&a->light, x, g->n) + SKY * render_light_sky(&a->light, x, g->n);
        open = LAMP * render_light_open(&a->light, g->n, true) + SKY * render_light_open(&a->light, g->n, false);
        part = open > 0 ? light / open : 1;
    }
    colour c = mix(a->ground, a->grid, (float)(0.5 * grid_at(p, g, x, px, py)));
    float s = *shade = (float)(1 - part);
    s *= 0.8f;
    return (colour){c.r * (1 - s), c.g * (1 - 0.97f * s), c.b * (1 - 0.90f * s)}; /* a little blue, as under a sky */
}

/* ---- lines and glass ---- */

typedef struct pen {
    pass *a;
    float strength;
    int shape;
} pen;

static void touch_line(void *context, int x, int y, float close) {
    const pen *q = context;
    pass *a = q->a;
    long i = (long)y * a->target.width + x;
    float reach = a->p->camera->parallel ? close + (float)a->slack : close * (float)(1 + a->slack);
    if (reach >= a->target.close[i] && q->strength > a->ink[i]) a->ink[i] = q->strength, a->inked[i] = q->shape;
}

static void touch_glass(void *context, int x, int y, float close) {
    pass *a = ((const pen *)context)->a;
    long i = (long)y * a->target.width + x;
    if (close > a->target.close[i]) a->veil[i] = 1 - (1 - a->veil[i]) * (float)(1 - GLASS);
}

static void draw_lines(pass *a) {
    plan *p = a->p;
    long n = (long)a->target.width * a->target.height;
    memset(a->ink, 0, (size_t)n * sizeof *a->ink);
    memset(a->veil, 0, (size_t)n * sizeof *a->veil);
    double width = 1.25 * p->options->height / 720;
    if (width < 0.9) width = 0.9;
    for (int i = 0; i < p->nline; i++) {
        pen q = {a, p->line[i].strength, p->line[i].shape};
        render_stroke(&a->target, p->line[i].a, p->line[i].b, width, touch_line, &q);
    }
    pen q = {a, 0, 0};
    for (int i = 0; i < p->nfacet; i++)
        if (body_of(p, p->facet[i].shape)->glass) render_each(&a->target, p->facet[i].c, touch_glass, &q);
}

/* ---- a drawing ---- */

static void draw_surfaces(pass *a) {
    plan *p = a->p;
    render_clear(&a->target);
    for (int i = 0; i < p->nfacet; i++)
        if (!body_of(p, p->facet[i].shape)->glass) render_fill(&a->target, p->facet[i].c, i);
}

static void add(float *layer, colour c, float cover) {
    layer[0] += c.r * cover;
    layer[1] += c.g * cover;
    layer[2] += c.b * cover;
    layer[3] += cover;
}

static void develop_pixel(const pass *a, render_layers *out, int x, int y) {
    plan *p = a->p;
    long i = (long)y * out->width + x;
    int who = a->target.who[i];
    double px = x + a->target.dx, py = y + a->target.dy;
    bool clear = p->options->transparent;
    colour back = mix(a->top, a->bottom, (float)(py / out->height)), c = back;
    float cover = clear ? 0 : 1;
    float *layer = out->rest + 4 * i;
    if (who >= 0) {
        const facet *f = &p->facet[who];
        perp_vec3 at = render_unproject(p->camera, px, py, a->target.close[i]);
        if (p->scene->shape[f->shape].kind == PERP_SHAPE_HALFSPACE) {
            float seen, shade;
            colour g = light_ground(a, f, at, px, py, &seen, &shade);
            /* without a background, only the shadow of the ground is drawn */
            if (clear)
                c = (colour){0, 0, 0}, cover = seen * shade * 0.8f;
            else
                c = mix(back, g, seen);
        } else {
            c = light_body(a, f, at);
            cover = 1;
            if (body_of(p, f->shape)->moves) layer = out->moving + 4 * i;
        }
    }
    if (a->veil[i] > 0) c = mix(c, a->glass, a->veil[i]);
    float ink = a->ink[i];
    if (ink > 0) {
        colour dark = scale(0.10f, p->paint[a->inked[i]]);
        add((body_of(p, a->inked[i])->moves ? out->moving : out->rest) + 4 * i, dark, ink);
    }
    add(layer, c, cover * (1 - ink));
}

typedef struct job {
    const pass *a;
    render_layers *out;
} job;

static void develop_rows(void *context, int from, int to) {
    const job *j = context;
    for (int y = from; y < to; y++)
        for (int x = 0; x < j->out->width; x++) develop_pixel(j->a, j->out, x, y);
}

static perp_status make_pass(pass *a, plan *p, perp_refusal *why) {
    const render_options *o = p->options;
    long n = (long)o->width * o->height;
    pp_arena *m = &p->arena;
    *a = (pass){.p = p, .target = {.width = o->width, .height = o->height}};
    a->target.close = PP_ARENA_ARRAY(m, float, n);
    a->target.who = PP_ARENA_ARRAY(m, int, n);
    a->ink = PP_ARENA_ARRAY(m, float, n);
    a->veil = PP_ARENA_ARRAY(m, float, n);
    a->inked = PP_ARENA_ARRAY(m, int, n);
    if (!a->target.close || !a->target.who || !a->ink || !a->veil || !a->inked || !render_light_make(m, &a->light))
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the picture");
    a->top = linear_of(o->theme->top);
    a->bottom = linear_of(o->theme->bottom);
    a->ground = linear_of(o->theme->ground);
    a->grid = linear_of(o->theme->grid);
    a->glass = linear_of(o->theme->obstacle);
    a->lamp_W = lamp_for(p->camera);
    /* change of depth in three pixels of a surface that is seen at a slant */
    a->slack = p->camera->parallel ? 3 * render_pixel(p->camera, 1) : 3 / p->camera->focal;
    return PERP_OK;
}

perp_status render_3d(const render_scene *s, const render_moment *m, const render_camera *c, const render_options *o,
                      bool moving, render_layers *out, perp_refusal *why) {
    plan p = {.scene = s, .moment = m, .camera = c, .options = o, .moving = moving};
    pass a;
    perp_status status = make_plan(&p, why);
    if (!status) status = make_pass(&a, &p, why);
    long n = (long)out->width * out->height;
    if (!status) {
        memset(out->moving, 0, (size_t)n * 4 * sizeof *out->moving);
        memset(out->rest, 0, (size_t)n * 4 * sizeof *out->rest);
        a.target.dx = a.target.dy = 0.5;
        draw_surfaces(&a);
        memcpy(out->close, a.target.close, (size_t)n * sizeof *out->close);
    }
    for (int k = 0; !status && k < o->samples; k++) {
        /* even steps along x, multiples of the golden section along y: no two in one row or column */
        double golden = 0.5 + k * 0.61803398874989485;
        a.target.dx = (k + 0.5) / o->samples;
        a.target.dy = golden - floor(golden);
        render_light_aim(&a.light, a.lamp_W, perp_v3(0, 0, 1), p.centre_W, SHADOWS * p.radius, k, o->samples);
        cast_shadows(&a);
        draw_surfaces(&a);
        draw_lines(&a);
        render_in_rows(out->height, develop_rows, &(job){&a, out});
    }
    float one = 1.0f / (float)o->samples;
    for (long i = 0; !status && i < 4 * n; i++) out->moving[i] *= one, out->rest[i] *= one;
    free_plan(&p);
    return status;
}

/* ---- glass ---- */

typedef struct count {
    const render_target *moving;
    long hidden;
} count;

static void touch_hidden(void *context, int x, int y, float close) {
    count *k = context;
    float there = k->moving->close[(long)y * k->moving->width + x];
    k->hidden += there > -INFINITY && close > there;
}

perp_status render_find_glass(render_scene *s, const render_moment *m, const render_camera *c, render_ball extent,
                              perp_refusal *why) {
    enum { COARSE = 4 }; /* width of the squares of pixels that are compared [px] */
    render_camera coarse = *c;
    coarse.focal /= COARSE, coarse.cx /= COARSE, coarse.cy /= COARSE;
    render_options o = {.width = (int)ceil(2 * coarse.cx), .height = (int)ceil(2 * coarse.cy)};
    o.theme = render_theme_find("light");
    o.extent = extent;
    plan p = {.scene = s, .moment = m, .camera = &coarse, .options = &o, .moving = true};
    perp_status status = make_plan(&p, why);
    render_target t = {.width = o.width, .height = o.height, .dx = 0.5, .dy = 0.5};
    long n = (long)t.width * t.height, all = 0;
    t.close = status ? NULL : PP_ARENA_ARRAY(&p.arena, float, n);
    if (!status && !t.close)
        status = pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the picture");
    if (!status) {
        render_clear(&t);
        for (int i = 0; i < p.nfacet; i++)
            if (body_of(&p, p.facet[i].shape)->moves) render_fill(&t, p.facet[i].c, 0);
        for (long i = 0; i < n; i++) all += t.close[i] > -INFINITY;
    }
    for (int i = 0; !status && i < p.nfacet;) {
        int shape = p.facet[i].shape, body = s->shape[shape].body;
        count k = {&t, 0};
        bool solid = !s->body[body].moves && s->shape[shape].kind != PERP_SHAPE_HALFSPACE;
        for (; i < p.nfacet && s->shape[p.facet[i].shape].body == body; i++)
            if (solid) render_each(&t, p.facet[i].c, touch_hidden, &k);
        if ((double)k.hidden > HIDDEN * (double)all) s->body[body].glass = true;
    }
    free_plan(&p);
    return status;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Pictures of 3D worlds: where things are seen, what hides what, how much of a pixel is covered, light and shadow. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "render/render_mesh.h"
#include "render/render_raster.h"

#define PI 3.14159265358979323846
enum { W = 160, H = 120, BODIES = 4 };

/* ---- a small scene by hand ---- */

typedef struct stage {
    render_body body[BODIES];
    perp_recorded_shape shape[BODIES];
    perp_pose X[BODIES];
    render_scene scene;
    render_moment moment;
    render_options options;
    render_camera camera;
    render_view view;
    render_layers layers;
    unsigned char argb[W * H * 4];
    pp_arena arena;
} stage;

static void begin(stage *s) {
    memset(s, 0, sizeof *s);
    s->scene = (render_scene){.dim = 3, .body = s->body, .shape = s->shape};
    s->moment.X_WB = s->X;
    s->view = (render_view){.azimuth = -PI / 2, .zoom = 1};
    s->options = (render_options){.width = W, .height = H, .samples = 9, .theme = render_theme_find("light")};
    pp_arena_init(&s->arena, (perp_allocator){0});
    assert_int_equal(render_layers_make(&s->arena, W, H, &s->layers, NULL), PERP_OK);
}

static void end(stage *s) { pp_arena_free(&s->arena); }

static int add(stage *s, perp_recorded_shape shape, perp_vec3 at, bool moves, render_rgb colour) {
    int i = s->scene.nbody++;
    s->scene.nshape = s->scene.nbody;
    assert_true(i < BODIES);
    s->body[i] = (render_body){
        .name = "", .kind = moves ? PERP_BODY_DYNAMIC : PERP_BODY_OBSTACLE, .moves = moves, .colour = colour};
    shape.body = i;
    shape.X_BS = perp_pose_identity();
    s->shape[i] = shape;
    s->X[i] = perp_pose_at(at.x, at.y, at.z);
    return i;
}

static perp_recorded_shape ball(double r) { return (perp_recorded_shape){.kind = PERP_SHAPE_SPHERE, .radius = r}; }

/* A box with its faces as recordings have them. */
static perp_recorded_shape box(double x, double y, double z, double vertex[24]) {
    static const int start[] = {0, 4, 8, 12, 16, 20, 24};
    static const int face[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    for (int i = 0; i < 8; i++) {
        vertex[3 * i] = i & 1 ? x : -x;
        vertex[3 * i + 1] = i & 2 ? y : -y;
        vertex[3 * i + 2] = i & 4 ? z : -z;
    }
    return (perp_recorded_shape){
        .kind = PERP_SHAPE_BOX, .vertex = vertex, .nvertex = 8, .face_start = start, .face = face, .nface = 6};
}

static perp_recorded_shape ground(void) {
    return (perp_recorded_shape){.kind = PERP_SHAPE_HALFSPACE, .normal = {0, 0, 1}};
}

static void place_camera(stage *s) {
    render_balls b = {0};
    assert_true(render_add_balls(&s->scene, &s->moment, &b));
    s->camera = render_camera_fit(3, &s->view, b.ball, b.n, W, H, NULL);
    s->options.extent = render_extent(&b);
    free(b.ball);
}

static void draw(stage *s) {
    assert_int_equal(render_3d(&s->scene, &s->moment, &s->camera, &s->options, true, &s->layers, NULL), PERP_OK);
    render_develop(&s->layers, s->argb, 4 * W);
}

static uint32_t pixel(const stage *s, int x, int y) {
    uint32_t p;
    memcpy(&p, s->argb + 4 * (y * W + x), 4);
    return p;
}

static int part(uint32_t p, int which) { return (int)(p >> (16 - 8 * which) & 255); } /* 0 red, 1 green, 2 blue */

static uint32_t pixel_of(const stage *s, perp_vec3 p_W) {
    render_seen at = render_project(&s->camera, p_W);
    return pixel(s, (int)at.x, (int)at.y);
}

static const render_rgb red = {0.9, 0.1, 0.1}, green = {0.1, 0.8, 0.1};

/* ---- tests ---- */

/* A ball covers as many pixels as geometry says: its outline is a circle of radius f r / sqrt(d^2 - r^2). */
static void covers_as_many_pixels_as_it_should(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    begin(s);
    add(s, ball(0.7), perp_v3(0.3, 2, -1), true, red);
    place_camera(s);
    draw(s);
    double d = perp_v3_norm(perp_v3_sub(s->X[0].p, s->camera.eye_W)), sum = 0;
    double r = s->camera.focal * 0.7 / sqrt(d * d - 0.49);
    for (int i = 0; i < W * H; i++) sum += s->layers.moving[4 * i + 3];
    /* lines stand half a line's width over the outline */
    assert_true(sum > PI * r * r && sum < PI * (r + 0.6) * (r + 0.6));
    uint32_t c = pixel_of(s, s->X[0].p);
    assert_true(part(c, 0) > 3 * part(c, 1) && part(c, 0) > 3 * part(c, 2));
    /* nothing else is there: the background from above to below */
    render_rgb top = s->options.theme->top, bottom = s->options.theme->bottom;
    assert_int_equal(part(pixel(s, 0, 0), 1), (int)(255 * top.g + 0.5));
    assert_int_equal(part(pixel(s, W - 1, H - 1), 1), (int)(255 * bottom.g + 0.5));
    end(s);
    test_free(s);
}

static void the_nearer_one_is_seen(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    for (int turn = 0; turn < 4; turn++) {
        begin(s);
        s->view.azimuth = turn % 2 ? PI / 2 : -PI / 2; /* from +y, from -y */
        s->view.parallel = turn >= 2;
        add(s, ball(0.5), perp_v3(0, -1, 0), true, red);
        add(s, ball(0.5), perp_v3(0, 1, 0), true, green);
        place_camera(s);
        draw(s);
        uint32_t c = pixel_of(s, perp_v3(0, 0, 0));
        if (turn % 2)
            assert_true(part(c, 1) > 3 * part(c, 0));
        else
            assert_true(part(c, 0) > 3 * part(c, 1));
        end(s);
    }
    test_free(s);
}

static void what_is_even_looks_even(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    double vertex[24];
    begin(s);
    s->view.elevation = 0.4;
    add(s, box(1, 0.5, 0.3, vertex), perp_v3(0, 0, 0), true, red);
    add(s, ball(0.3), perp_v3(-0.6, 0, 0.6), true, green);
    add(s, ball(0.3), perp_v3(0.6, 0, 0.6), true, green);
    place_camera(s);
    draw(s);
    double off = 0, all = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float a = s->layers.moving[4 * (y * W + x) + 3], b = s->layers.moving[4 * (y * W + W - 1 - x) + 3];
            if (a == 1 && b < 0.5f) fail_msg("inside at %d, %d and outside in the mirror", x, y);
            off += fabs(a - b), all += a;
        }
    assert_true(all > 500 && off < 0.02 * all); /* points in pixels are not even themselves */
    end(s);
    test_free(s);
}

static void the_same_again(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    unsigned char *first = test_malloc(sizeof s->argb);
    begin(s);
    s->view.elevation = 0.3;
    add(s, ball(0.5), perp_v3(0, 0, 0.5), true, red);
    add(s, ground(), perp_v3(0, 0, 0), false, green);
    place_camera(s);
    draw(s);
    memcpy(first, s->argb, sizeof s->argb);
    draw(s);
    assert_memory_equal(first, s->argb, sizeof s->argb);
    end(s);
    test_free(first);
    test_free(s);
}

/* Below a ball the ground is darker than in the open, and darker the closer the ball is; over nothing, the shadow alone
 * is left. */
static void a_ball_has_a_shadow(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    int before = 0;
    for (int high = 0; high < 2; high++) {
        begin(s);
        s->view.elevation = 1.2;
        s->view.zoom = 0.5;
        add(s, ball(0.5), perp_v3(0, 0, high ? 1.1 : 0.5), true, red);
        add(s, ground(), perp_v3(0, 0, 0), false, green);
        s->options.extent = (render_ball){{0, 0, 0.5}, 1};
        render_ball whole = {{0, 0, 0.5}, 1};
        s->camera = render_camera_fit(3, &s->view, &whole, 1, W, H, NULL);
        draw(s);
        /* beside the ball, on the side away from the lamp, which is behind the viewer's left shoulder */
        uint32_t shaded = pixel_of(s, perp_v3(0.35, 0.45, 0)), open = pixel_of(s, perp_v3(-1.2, -0.9, 0));
        assert_true(part(shaded, 1) + 20 < part(open, 1));
        if (high) assert_true(part(shaded, 1) != before);
        before = part(shaded, 1);
        s->options.transparent = true;
        draw(s);
        shaded = pixel_of(s, perp_v3(0.35, 0.45, 0)), open = pixel_of(s, perp_v3(-1.2, -0.9, 0));
        assert_true((shaded >> 24) > 40 && (open >> 24) < 12);
        assert_int_equal(pixel_of(s, s->X[0].p) >> 24, 255);
        end(s);
    }
    test_free(s);
}

/* The ground is seen from above only. */
static void ground_hides_nothing_from_below(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    begin(s);
    s->view.elevation = -0.5;
    add(s, ball(0.5), perp_v3(0, 0, 1), true, red);
    add(s, ground(), perp_v3(0, 0, 0), false, green);
    place_camera(s);
    draw(s);
    uint32_t c = pixel_of(s, s->X[0].p);
    assert_true(part(c, 0) > 3 * part(c, 1));
    end(s);
    test_free(s);
}

static void an_obstacle_in_the_way_is_glass(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    double front[24], back[24];
    begin(s);
    add(s, ball(0.5), perp_v3(0, 0, 0), true, red);
    int before = add(s, box(1, 0.1, 1, front), perp_v3(0, -1, 0), false, green);
    int behind = add(s, box(1, 0.1, 1, back), perp_v3(0, 1, 0), false, green);
    place_camera(s);
    draw(s);
    assert_true(part(pixel_of(s, s->X[0].p), 1) > part(pixel_of(s, s->X[0].p), 0)); /* the wall */
    assert_int_equal(render_find_glass(&s->scene, &s->moment, &s->camera, s->options.extent, NULL), PERP_OK);
    assert_true(s->body[before].glass);
    assert_false(s->body[behind].glass);
    assert_false(s->body[0].glass);
    draw(s);
    uint32_t c = pixel_of(s, s->X[0].p);
    assert_true(part(c, 0) > 2 * part(c, 1));
    end(s);
    test_free(s);
}

/* An earlier moment shines through; the last one does not. */
static void moments_lie_over_each_other(void **state) {
    (void)state;
    stage *s = test_calloc(1, sizeof *s);
    render_layers empty, one;
    begin(s);
    add(s, ball(0.5), perp_v3(-1, 0, 0), true, red);
    assert_int_equal(render_layers_make(&s->arena, W, H, &empty, NULL), PERP_OK);
    assert_int_equal(render_layers_make(&s->arena, W, H, &one, NULL), PERP_OK);
    render_ball both = {{0, 0, 0}, 1.6};
    s->options.extent = both;
    s->camera = render_camera_fit(3, &s->view, &both, 1, W, H, NULL);
    assert_int_equal(render_3d(&s->scene, &s->moment, &s->camera, &s->options, false, &empty, NULL), PERP_OK);
    render_overlay_begin(&empty, &s->layers);
    for (int k = 0; k < 2; k++) {
        s->X[0].p.x = k ? 1 : -1;
        assert_int_equal(render_3d(&s->scene, &s->moment, &s->camera, &s->options, true, &one, NULL), PERP_OK);
        render_overlay_add(&empty, &one, k ? 1 : 0.4, &s->layers);
    }
    render_overlay_end(&s->layers);
    render_develop(&s->layers, s->argb, 4 * W);
    int ghost = part(pixel_of(s, perp_v3(-1, 0, 0)), 1), last = part(pixel_of(s, perp_v3(1, 0, 0)), 1),
        back = part(pixel_of(s, perp_v3(0, 0, 0)), 1);
    assert_true(last + 60 < ghost && ghost + 20 < back);
    for (int i = 0; i < W * H; i++) assert_near(s->layers.moving[4 * i + 3] + s->layers.rest[4 * i + 3], 1, 1e-5);
    end(s);
    test_free(s);
}

/* ---- camera ---- */

static double uniform(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Whatever the view, all balls are in the picture and one of them reaches the margin. */
static void the_camera_shows_everything(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int k = 0; k < 200; k++) {
        render_ball b[5];
        for (int i = 0; i < 5; i++)
            b[i] = (render_ball){{4 * uniform(&seed), 4 * uniform(&seed), 4 * uniform(&seed)}, 0.5 * uniform(&seed)};
        render_view v = {
            .azimuth = 7 * uniform(&seed), .elevation = 1.5 * (2 * uniform(&seed) - 1), .zoom = 1, .parallel = k % 2};
        int dim = k % 5 == 0 ? 2 : 3, w = 100 + k, h = 300 - k;
        render_camera c = render_camera_fit(dim, &v, b, 5, w, h, NULL);
        double least = INFINITY;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 400; j++) { /* points of its surface */
                double z = 2 * uniform(&seed) - 1, phi = 2 * PI * uniform(&seed), r = sqrt(1 - z * z);
                perp_vec3 p = perp_v3_axpy(b[i].centre_W, b[i].radius, perp_v3(r * cos(phi), r * sin(phi), z));
                render_seen at = render_project(&c, p);
                assert_true(at.depth > c.nearest);
                least = fmin(least, fmin(fmin(at.x, w - at.x), fmin(at.y, h - at.y)));
                perp_vec3 q = render_unproject(&c, at.x, at.y, at.close);
                assert_true(perp_v3_norm(perp_v3_sub(p, q)) < 1e-9);
            }
        double shorter = w < h ? w : h;
        if (least < 0.06 * shorter || least > 0.16 * shorter) fail_msg("margin %g of %g in case %d", least, shorter, k);
    }
}

/* A point has no size; it is in the middle, with finite numbers. */
static void the_camera_shows_a_point(void **state) {
    (void)state;
    render_ball point = {{1, 2, 3}, 0};
    for (int k = 0; k < 3; k++) {
        render_view v = {.azimuth = 0.3, .elevation = 0.2, .zoom = 1, .parallel = k == 1};
        render_camera c = render_camera_fit(k == 2 ? 2 : 3, &v, &point, 1, W, H, NULL);
        render_seen at = render_project(&c, point.centre_W);
        assert_near(at.x, W / 2.0, 1e-9);
        assert_near(at.y, H / 2.0, 1e-9);
        assert_true(at.depth >= c.nearest);
    }
}

/* ---- triangles ---- */

static void triangles_leave_no_gaps(void **state) {
    (void)state;
    enum { N = 64 };
    static float close[N * N];
    static int who[N * N];
    render_target t = {N, N, close, who, 0.5, 0.5};
    uint64_t seed = 3;
    for (int k = 0; k < 200; k++) {
        /* a fan around a point within the square covers all of it, however it is cut */
        render_corner middle = {N * uniform(&seed), N * uniform(&seed), 1};
        if (k % 4 == 0) middle.x = floor(middle.x) + 0.5, middle.y = floor(middle.y) + 0.5;
        render_corner rim[8] = {{0, 0, 1}, {N * uniform(&seed), 0, 1}, {N, 0, 1}, {N, N * uniform(&seed), 1},
                                {N, N, 1}, {N * uniform(&seed), N, 1}, {0, N, 1}, {0, N * uniform(&seed), 1}};
        t.dx = uniform(&seed), t.dy = uniform(&seed);
        render_clear(&t);
        for (int i = 0; i < 8; i++) render_fill(&t, (render_corner[3]){middle, rim[i], rim[(i + 1) % 8]}, i);
        for (int i = 0; i < N * N; i++) assert_true(who[i] >= 0);
    }
}

static void closeness_is_linear(void **state) {
    (void)state;
    enum { N = 32 };
    static float close[N * N];
    render_target t = {N, N, close, NULL, 0.25, 0.75};
    render_clear(&t);
    render_corner c[3];
    for (int i = 0; i < 3; i++) {
        c[i].x = i == 1 ? 90 : -20, c[i].y = i == 2 ? 90 : -20;
        c[i].close = 0.5 + 0.01 * c[i].x - 0.02 * c[i].y;
    }
    render_fill(&t, c, 0);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) assert_near(close[y * N + x], 0.5 + 0.01 * (x + 0.25) - 0.02 * (y + 0.75), 1e-6);
}

/* ---- meshes ---- */

/* Volume by the sum of the cones from the origin: also shows whether a triangle has the wrong orientation. */
static double volume(const render_mesh *m) {
    double v = 0;
    for (int t = 0; t < m->ntriangle; t++) {
        const int *k = m->triangle[t];
        v += perp_v3_dot(m->vertex[k[0]].p, perp_v3_cross(m->vertex[k[1]].p, m->vertex[k[2]].p)) / 6;
    }
    return v;
}

static void meshes_enclose_the_shapes(void **state) {
    (void)state;
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    render_mesh m;
    double r = 0.7, h = 0.4, vertex[24];
    perp_recorded_shape s = ball(r);
    assert_true(render_mesh_make(&arena, &s, 96, &m));
    assert_near(volume(&m), 4 * PI / 3 * r * r * r, 0.005);
    for (int i = 0; i < m.nvertex; i++) assert_near(perp_v3_dot(m.vertex[i].n, m.vertex[i].p), r, 1e-12);
    s = (perp_recorded_shape){.kind = PERP_SHAPE_CAPSULE, .radius = r, .half_length = h};
    assert_true(render_mesh_make(&arena, &s, 96, &m));
    assert_near(volume(&m), 4 * PI / 3 * r * r * r + PI * r * r * 2 * h, 0.008);
    assert_true(m.curved);
    s = box(1, 2, 3, vertex);
    assert_true(render_mesh_make(&arena, &s, 8, &m));
    assert_near(volume(&m), 48, 1e-12);
    assert_int_equal(m.nedge, 12);
    assert_false(m.curved);
    for (int e = 0; e < m.nedge; e++) assert_near(perp_v3_dot(m.edge[e].n[0], m.edge[e].n[1]), 0, 1e-12);
    /* a kind that only its mesh tells of: sharp edges stay */
    s.kind = PERP_SHAPE_KIND_COUNT;
    assert_true(render_mesh_make(&arena, &s, 8, &m));
    assert_near(volume(&m), 48, 1e-12);
    assert_int_equal(m.nedge, 12);
    pp_arena_free(&arena);
}

static void outlines_enclose_the_shapes(void **state) {
    (void)state;
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    double r = 0.7, h = 0.4;
    for (int k = 0; k < 2; k++) {
        perp_recorded_shape s = {.kind = k ? PERP_SHAPE_CAPSULE : PERP_SHAPE_SPHERE, .radius = r, .half_length = h};
        perp_vec3 *p;
        int n = render_outline_make(&arena, &s, 200, &p);
        double area = 0;
        for (int i = 0; i < n; i++) area += perp_v3_cross(p[i], p[(i + 1) % n]).z / 2;
        assert_near(area, PI * r * r + (k ? 4 * r * h : 0), 1e-3);
    }
    pp_arena_free(&arena);
}

/* ---- panels ---- */

static void panels_fill_the_picture(void **state) {
    (void)state;
    for (int n = 2; n <= 13; n++)
        for (int rows = 1; rows <= n; rows++) {
            render_grid g = render_grid_for(641, 359, RENDER_PANELS, n, rows);
            int gap = g.gap, right = 0, bottom = 0, least = 641, lowest = 359;
            for (int i = 0; i < n; i++) {
                render_panel p = render_grid_panel(&g, i);
                /* beside the one before, or first in the next row, which begins when a row is full */
                assert_int_equal(p.x, right == 0 ? 0 : right + gap);
                assert_int_equal(p.y, bottom);
                right = p.x + p.width;
                least = p.width < least ? p.width : least;
                lowest = p.height < lowest ? p.height : lowest;
                if (right == 641) right = 0, bottom = p.y + p.height + gap;
            }
            assert_int_equal(right, 0);
            assert_int_equal(bottom, 359 + gap);
            assert_int_equal(least, g.width);
            assert_int_equal(lowest, g.height);
        }
    render_grid one = render_grid_for(640, 360, RENDER_SINGLE, 5, 2);
    assert_int_equal(one.n, 1);
    assert_int_equal(render_grid_panel(&one, 0).width, 640);
}

/* Rows for a scene of that width and height in a picture of 640 x 360. */
static int rows_of(int dim, double width, double height, int n) {
    render_view v = {.azimuth = -PI / 2, .zoom = 1};
    perp_vec3 far = dim == 2 ? perp_v3(width / 2, height / 2, 0) : perp_v3(width / 2, 0, height / 2);
    render_ball b[2] = {{far, 0.01}, {perp_v3_scale(-1, far), 0.01}};
    return render_choose_rows(dim, &v, b, 2, 640, 360, n);
}

static void rows_follow_the_scene(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        assert_int_equal(rows_of(dim, 1, 12, 7), 1); /* a tower: side by side */
        assert_int_equal(rows_of(dim, 20, 1, 5), 5); /* a road: over each other */
        assert_int_equal(rows_of(dim, 1, 1, 2), 1);
        assert_int_equal(rows_of(dim, 1, 1, 3), 1);
        assert_int_equal(rows_of(dim, 1, 1, 5), 2);
        assert_int_equal(rows_of(dim, 16, 9, 4), 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_as_many_pixels_as_it_should),
        cmocka_unit_test(the_nearer_one_is_seen),
        cmocka_unit_test(what_is_even_looks_even),
        cmocka_unit_test(the_same_again),
        cmocka_unit_test(a_ball_has_a_shadow),
        cmocka_unit_test(ground_hides_nothing_from_below),
        cmocka_unit_test(an_obstacle_in_the_way_is_glass),
        cmocka_unit_test(moments_lie_over_each_other),
        cmocka_unit_test(the_camera_shows_everything),
        cmocka_unit_test(the_camera_shows_a_point),
        cmocka_unit_test(triangles_leave_no_gaps),
        cmocka_unit_test(closeness_is_linear),
        cmocka_unit_test(meshes_enclose_the_shapes),
        cmocka_unit_test(outlines_enclose_the_shapes),
        cmocka_unit_test(panels_fill_the_picture),
        cmocka_unit_test(rows_follow_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

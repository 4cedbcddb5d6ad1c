/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_render.c - perp render: pictures of a recording, without a browser. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "render/film.h"
#include "page.h"
#include "render/render_draw.h"

enum { SIZE_MAX_PX = 16384, MOMENTS_MAX = 200, FRAMES_MAX = 99999 };

static const cli_option options[] = {
    {.name = "at",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .min = -INFINITY,
     .max = INFINITY,
     .many = true,
     .help = "Draw the frame nearest to this time. The default is the last frame. If given several times, perp "
             "writes one picture for each, FILE-1 and so on; with --overlay or --panels, one picture of all."},
    {.name = "strip",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 2,
     .max = MOMENTS_MAX,
     .help = "Draw N frames at equal intervals, from the first to the last frame, in one picture."},
    {.name = "overlay",
     .kind = CLI_FLAG,
     .help = "Draw several frames in one view, the earlier ones pale. This is the default of --strip."},
    {.name = "panels",
     .kind = CLI_FLAG,
     .help = "Draw several frames side by side, each with its time, in the rows and columns that draw them largest."},
    {.name = "from",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .min = -INFINITY,
     .max = INFINITY,
     .help = "With --strip and --video: begin at this time."},
    {.name = "to",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .min = -INFINITY,
     .max = INFINITY,
     .help = "With --strip and --video: end at this time."},
    {.name = "video",
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Make a film. If FILE ends in .mp4, .webm, .mkv, .mov or .gif, ffmpeg encodes it; without ffmpeg it "
             "becomes an animated PNG of that name. If FILE ends in .png, it is an animated PNG. Any other name "
             "is a folder for the single pictures, which is created if it does not exist."},
    {.name = "fps",
     .kind = CLI_NUMBER,
     .argument = "N",
     .min = 0.1,
     .max = 1000,
     .help = "With --video: pictures per second of the film; the default is 30."},
    {.name = "speed",
     .kind = CLI_NUMBER,
     .argument = "X",
     .min = 1e-9,
     .max = 1e9,
     .help = "With --video: simulated time per second of the film. The default is 1; 0.1 is slow motion."},
    {.name = "size",
     .letter = 's',
     .kind = CLI_TEXT,
     .argument = "WxH",
     .help = "Size of the picture in pixels; the default is 1280x720. In SVG and PDF a pixel is 1/96 inch."},
    {.name = "camera",
     .kind = CLI_TEXT,
     .argument = "AZ,EL[,DIST]",
     .help = "3D: position of the camera relative to its target: azimuth in degrees about z from x, elevation in "
             "degrees above the x-y plane, distance. The default is -55,20 and the distance at which the moving "
             "bodies fit."},
    {.name = "target",
     .kind = CLI_TEXT,
     .argument = "X,Y[,Z]",
     .help = "The point in the middle of the picture; the default is the middle of the moving bodies."},
    {.name = "zoom",
     .kind = CLI_NUMBER,
     .argument = "X",
     .min = 1e-3,
     .max = 1e3,
     .help = "Enlarge by this factor; the default is 1."},
    {.name = "parallel", .kind = CLI_FLAG, .help = "3D: parallel projection instead of perspective."},
    {.name = "fit",
     .kind = CLI_CHOICE,
     .argument = "WHAT",
     .choices = (const char *const[]){"moments", "run", NULL},
     .help = "What the camera fits into the picture: moments (moving bodies in the frames that are drawn; the "
             "default) or run (in all frames; the default with --video)."},
    {.name = "glass",
     .kind = CLI_TEXT,
     .argument = "BODY",
     .many = true,
     .help = "3D: draw only the edges of this body, so that it hides nothing. May be repeated. By default this "
             "applies to obstacles that hide moving bodies; none switches it off."},
    {.name = "contacts", .kind = CLI_FLAG, .help = "Draw contacts with their normals, coloured by state."},
    {.name = "forces", .kind = CLI_FLAG, .help = "Draw contact impulses as arrows, on the body that moves."},
    {.name = "cones", .kind = CLI_FLAG, .help = "Draw the friction cones of contacts that carry an impulse."},
    {.name = "paths", .kind = CLI_FLAG, .help = "Draw the paths of the centres of mass up to the frame that is drawn."},
    {.name = "names", .kind = CLI_FLAG, .help = "Write the names of bodies."},
    {.name = "joints", .kind = CLI_FLAG, .help = "Draw joints, with lines to the centres of mass of their bodies."},
    {.name = "caption", .kind = CLI_FLAG, .help = "Write the time into the picture."},
    {.name = "colours",
     .kind = CLI_CHOICE,
     .argument = "HOW",
     .choices = render_colour_ways,
     .help = "Colours of bodies: body (a colour for each), family (one colour for all names that differ only in "
             "numbers at the end) or auto (the default: family if there are several families). Obstacles are "
             "grey."},
    {.name = "theme",
     .kind = CLI_CHOICE,
     .argument = "NAME",
     .choices = render_theme_names,
     .help = "light (the default), dark, or paper (on white, for print)."},
    {.name = "transparent", .kind = CLI_FLAG, .help = "No background."},
    {.name = "samples",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 1,
     .max = 256,
     .help = "3D: samples per pixel for antialiasing. The default is 9; more are smoother and slower."},
    {.name = "force", .letter = 'f', .kind = CLI_FLAG, .help = "Replace existing pictures."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp render pile.h5 --at 1.5 pile.png", "the frame at t = 1.5"},
    {"perp render pile.h5 --strip 6 --paths lapse.png", "six moments in one view, with the paths of the bodies"},
    {"perp render pile.h5 --strip 6 --panels lapse.pdf --theme paper", "the same side by side, for print"},
    {"perp render pile.h5 --at 2 --contacts --forces --cones pile.svg", "contacts with their forces"},
    {"perp render pile.h5 --camera 30,15 --zoom 1.5 --size 1920x1080 pile.png", "another view, larger"},
    {"perp render pile.h5 --video pile.mp4 --speed 0.5", "a film at half the speed"},
    {"perp render pile.h5 --video frames --fps 60", "the pictures of a film in a folder"},
    {NULL, NULL},
};

/* What is to be done. */
typedef struct task {
    const cli_args *a;
    render_source source;
    render_options o;
    render_view view;
    double azimuth, elevation; /* as given [degrees] */
    render_moment *moment;
    int n;
    render_way way;
    bool marks; /* contacts are needed */
    render_aim aim;
    render_camera camera;
    perp_refusal why;
} task;

/* ---- options ---- */

static int bad_value(const cli_args *a, const char *option, const char *allowed) {
    char safe[100], found[128], key[32];
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, cli_text(a, option, "")));
    snprintf(key, sizeof key, "--%s", option);
    return cli_mistake(a, key, found, allowed);
}

/* Numbers with commas between them, at most `max`; returns how many, 0 if something else stands there. */
static int read_list(const char *text, double *out, int max) {
    int n = 0;
    if (text[strspn(text, "+-.0123456789eE,")]) return 0;
    for (const char *p = text;; p++) {
        char *end;
        if (n == max) return 0;
        out[n++] = strtod(p, &end);
        if (end == p || !isfinite(out[n - 1]) || (*end && *end != ',')) return 0;
        if (!*end) return n;
        p = end;
    }
}

static int read_size(task *t) {
    const char *text = cli_text(t->a, "size", "1280x720");
    char *end = NULL;
    long w = text[0] >= '1' && text[0] <= '9' ? strtol(text, &end, 10) : 0, h = 0;
    if (end && *end == 'x' && end[1] >= '1' && end[1] <= '9') h = strtol(end + 1, &end, 10);
    if (!end || *end || w < 16 || h < 16 || w > SIZE_MAX_PX || h > SIZE_MAX_PX)
        return bad_value(t->a, "size", "WIDTHxHEIGHT in pixels, 16 to 16384 each, such as 1280x720");
    t->o.width = (int)w;
    t->o.height = (int)h;
    return CLI_OK;
}

static int read_view(task *t) {
    const double degree = 3.14159265358979323846 / 180;
    double c[3] = {-55, 20, 0}, x[3] = {0};
    const char *camera = cli_text(t->a, "camera", NULL), *target = cli_text(t->a, "target", NULL);
    if (camera) {
        int n = read_list(camera, c, 3);
        if (n < 2 || fabs(c[1]) > 90 || (n == 3 && !(c[2] > 0)))
            return bad_value(t->a, "camera",
                             "AZIMUTH,ELEVATION in degrees, elevation from -90 to 90, or with a "
                             "DISTANCE > 0 after another comma");
    }
    if (target) {
        int n = read_list(target, x, 3);
        if (n < 2) return bad_value(t->a, "target", "X,Y or X,Y,Z");
        t->view.has_target = true;
        t->view.target_W = perp_v3(x[0], x[1], x[2]);
    }
    t->azimuth = c[0];
    t->elevation = c[1];
    t->view.azimuth = c[0] * degree;
    t->view.elevation = c[1] * degree;
    t->view.distance = camera ? c[2] : 0;
    t->view.zoom = cli_number(t->a, "zoom", 1);
    t->view.parallel = cli_given(t->a, "parallel");
    return CLI_OK;
}

static int check_together(const cli_args *a) {
    static const char *const not_film[] = {"at", "strip", "overlay", "panels"};
    static const char *const film_only[] = {"fps", "speed"};
    bool filming = cli_given(a, "video"), strip = cli_given(a, "strip");
    char key[32];
    for (int i = 0; filming && i < 4; i++) {
        snprintf(key, sizeof key, "--%s", not_film[i]);
        if (cli_given(a, not_film[i])) return cli_mistake(a, key, "together with --video", "one of the two");
    }
    for (int i = 0; !filming && i < 2; i++) {
        snprintf(key, sizeof key, "--%s", film_only[i]);
        if (cli_given(a, film_only[i])) return cli_mistake(a, key, "without --video", "both together");
    }
    if (filming && cli_operands(a) > 1) return cli_mistake(a, "FILE", "together with --video", "one of the two");
    if (strip && cli_given(a, "at")) return cli_mistake(a, "--at", "together with --strip", "one of the two");
    if (cli_given(a, "overlay") && cli_given(a, "panels"))
        return cli_mistake(a, "--overlay", "together with --panels", "one of the two");
    for (int i = 0; !filming && !strip && i < 2; i++)
        if (cli_given(a, i ? "to" : "from"))
            return cli_mistake(a, i ? "--to" : "--from", "without --strip or --video", "with one of them");
    for (int i = 0; i < 2; i++) {
        const char *way = i ? "panels" : "overlay";
        snprintf(key, sizeof key, "--%s", way);
        if (cli_given(a, way) && !strip && cli_count(a, "at") < 2)
            return cli_mistake(a, key, "with one moment", "with --strip, or with several --at");
    }
    if (cli_count(a, "at") > MOMENTS_MAX) return cli_mistake(a, "--at", "more than 200 times", "at most 200 times");
    return CLI_OK;
}

static int read_options(task *t) {
    const cli_args *a = t->a;
    int code = check_together(a);
    if (!code) code = read_size(t);
    if (!code) code = read_view(t);
    t->o.samples = (int)cli_number(a, "samples", 9);
    t->o.theme = render_theme_find(cli_text(a, "theme", "light"));
    t->o.transparent = cli_given(a, "transparent");
    t->o.contacts = cli_given(a, "contacts");
    t->o.forces = cli_given(a, "forces");
    t->o.cones = cli_given(a, "cones");
    t->o.paths = cli_given(a, "paths");
    t->o.names = cli_given(a, "names");
    t->o.joints = cli_given(a, "joints");
    t->o.caption = cli_given(a, "caption") || cli_given(a, "panels");
    t->marks = t->o.contacts || t->o.forces || t->o.cones;
    t->way = cli_given(a, "panels")                             ? RENDER_PANELS
             : cli_given(a, "overlay") || cli_given(a, "strip") ? RENDER_OVERLAY
                                                                : RENDER_SINGLE;
    return code;
}

/* What a 2D world cannot have. */
static int check_dimension(const task *t) {
    static const char *const only_3d[] = {"camera", "parallel", "glass"};
    for (int i = 0; t->source.scene.dim == 2 && i < 3; i++) {
        char key[32];
        snprintf(key, sizeof key, "--%s", only_3d[i]);
        if (cli_given(t->a, only_3d[i]))
            return cli_mistake(t->a, key, "with a 2D world", "--target and --zoom; a 2D world is seen from above");
    }
    return CLI_OK;
}

/* ---- files ---- */

/* May this file be written? */
static int check_file(const cli_args *a, const char *path) {
    char safe[200], found[240];
    struct stat st;
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, path));
    if (page_kind_of(path) == PAGE_NONE) return cli_mistake(a, "FILE", found, "a name that ends in .png, .svg or .pdf");
    if (!stat(path, &st) && !(cli_given(a, "force") && S_ISREG(st.st_mode)))
        return cli_mistake(a, "FILE", found,
                           S_ISREG(st.st_mode) ? "a name that is free, or --force to replace the file"
                                               : "a name that is free");
    return CLI_OK;
}

/* pile.png for runs/pile.h5; pile-2.png as the second of several. False if it is too long. */
static bool name_file(const task *t, int number, char *out, size_t size) {
    const char *given = cli_operand(t->a, 1), *from = given ? given : cli_operand(t->a, 0);
    const char *slash = strrchr(from, '/'), *name = given || !slash ? from : slash + 1;
    const char *last = strrchr(name, '/'), *dot = strrchr(last ? last + 1 : name, '.');
    int stem = dot && dot > name ? (int)(dot - name) : (int)strlen(name), n;
    const char *end = given ? (dot ? dot : "") : ".png";
    if (number > 0)
        n = snprintf(out, size, "%.*s-%d%s", stem, name, number, end);
    else
        n = snprintf(out, size, "%.*s%s", stem, name, end);
    return n > 0 && (size_t)n < size;
}

/* ---- moments and camera ---- */

static int refuse(task *t) {
    return !strcmp(t->why.key, "output") ? cli_refuse_writing(t->a, &t->why) : cli_refuse(t->a, &t->why);
}

/* The range of --from and --to; refuses what is outside the recording. */
static int read_range(task *t, double *from, double *to) {
    double t0 = t->source.time[0], t1 = t->source.time[t->source.info->frames - 1], slack = 1e-9 * (t1 - t0);
    *from = cli_number(t->a, "from", t0);
    *to = cli_number(t->a, "to", t1);
    char found[64], allowed[96];
    snprintf(allowed, sizeof allowed, "a time from %.9g to %.9g", t0, t1);
    for (int i = 0; i < 2; i++) {
        double x = i ? *to : *from;
        snprintf(found, sizeof found, "%.9g", x);
        if (!(x >= t0 - slack && x <= t1 + slack)) return cli_mistake(t->a, i ? "--to" : "--from", found, allowed);
    }
    if (*from >= *to && t1 > t0) {
        snprintf(found, sizeof found, "%.9g, not before --to %.9g", *from, *to);
        return cli_mistake(t->a, "--from", found, "a time before --to");
    }
    return CLI_OK;
}

static int read_moments(task *t) {
    int strip = (int)cli_number(t->a, "strip", 0), at = cli_count(t->a, "at");
    double from = 0, to = 0, last = t->source.time[t->source.info->frames - 1];
    int code = strip ? read_range(t, &from, &to) : CLI_OK;
    t->n = strip ? strip : at > 0 ? at : 1;
    t->moment = PP_ARENA_ZERO(&t->source.arena, render_moment, t->n);
    if (!code && !t->moment) return cli_refuse_say(t->a, CLI_MACHINE, "not enough memory");
    for (int i = 0; !code && i < t->n; i++) {
        double when = strip    ? from + (to - from) * i / (strip - 1)
                      : at > 0 ? strtod(cli_nth(t->a, "at", i), NULL)
                               : last;
        perp_status status = render_moment_at(&t->source, when, false, t->marks, &t->moment[i], &t->why);
        if (status) code = refuse(t);
    }
    return code;
}

static int no_memory(const task *t) { return cli_refuse_say(t->a, CLI_MACHINE, "not enough memory"); }

/* Bounding balls of everything that the camera shows. Bodies that fell away are left out. */
static int gather_balls(task *t, double from, double to, bool run, render_balls *b) {
    enum { LOOKS = 151 }; /* frames of a run that are looked at */
    const render_scene *s = &t->source.scene;
    int looks = run ? LOOKS : t->n, *first = calloc((size_t)looks + 1, sizeof *first);
    render_balls start = {0};
    render_moment m;
    perp_status status = render_moment_at(&t->source, t->source.time[0], false, false, &m, &t->why);
    bool ok = first && !status && render_add_balls(s, &m, &start);
    render_ball home = render_extent(&start);
    render_free_balls(&start);
    for (int i = 0; ok && !status && i < looks; i++) {
        double when = from + (to - from) * i / (LOOKS - 1);
        if (run) status = render_moment_at(&t->source, when, false, false, &m, &t->why);
        if (!status) ok = render_add_balls(s, run ? &m : &t->moment[i], b);
        first[i + 1] = b->n;
    }
    if (ok && !status) ok = render_forget_lost(b, first, looks, s->nbody, home);
    free(first);
    return status ? refuse(t) : ok ? CLI_OK : no_memory(t);
}

static int place_camera(task *t, double from, double to, bool run) {
    render_balls b = {0};
    int code = gather_balls(t, from, to, run, &b);
    if (!code && t->way == RENDER_PANELS)
        t->o.rows = render_choose_rows(t->source.scene.dim, &t->view, b.ball, b.n, t->o.width, t->o.height, t->n);
    else if (!code)
        t->o.rows = 1;
    render_grid g = render_grid_for(t->o.width, t->o.height, t->way, t->n, t->o.rows);
    if (!code) t->camera = render_camera_fit(t->source.scene.dim, &t->view, b.ball, b.n, g.width, g.height, &t->aim);
    t->o.extent = render_extent(&b);
    render_free_balls(&b);
    return code;
}

/* Bodies that are drawn transparent: those named, or those that hide moving bodies. */
static int choose_glass(task *t) {
    int n = cli_count(t->a, "glass");
    render_scene *s = &t->source.scene;
    for (int i = 0; i < n; i++) {
        const char *name = cli_nth(t->a, "glass", i);
        int body = perp_recording_find_body(t->source.r, name);
        if (body >= 0) s->body[body].glass = true;
        if (body >= 0 || (n == 1 && !strcmp(name, "none"))) continue;
        char safe[100], found[128];
        snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, name));
        return cli_mistake(t->a, "--glass", found, "the name of a body, or none");
    }
    for (int i = 0; n == 0 && s->dim == 3 && i < t->n; i++) {
        perp_status status = render_find_glass(s, &t->moment[i], &t->camera, t->o.extent, &t->why);
        if (status) return refuse(t);
    }
    return CLI_OK;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The scale of arrows: 95 % of them are shorter than a seventh of the picture; with few contacts, all of them. */
static int scale_forces(task *t, const render_moment *m, int n) {
    long all = 0, count = 0;
    for (int i = 0; i < n; i++) all += m[i].ncontact;
    double *size = malloc((size_t)(all + 1) * sizeof *size);
    if (!size) return no_memory(t);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m[i].ncontact; k++) {
            double p = render_impulse(&m[i].contact[k]);
            if (p > 0) size[count++] = p;
        }
    qsort(size, (size_t)count, sizeof *size, by_size);
    render_grid g = render_grid_for(t->o.width, t->o.height, t->way, t->n, t->o.rows);
    double side = g.width < g.height ? g.width : g.height;
    double largest = count == 0 ? 0 : count > 40 ? size[count * 19 / 20] : size[count - 1];
    t->o.force = largest > 0 ? side / 7 / largest : 0;
    free(size);
    return CLI_OK;
}

/* ---- results ---- */

static void report_camera(json *j, const task *t) {
    json_key(j, "camera");
    json_object(j);
    if (t->source.scene.dim == 3) {
        json_field_number(j, "azimuth", t->azimuth);
        json_field_number(j, "elevation", t->elevation);
        json_field_number(j, "distance", t->aim.distance);
    }
    json_key(j, "target");
    json_array(j);
    json_number(j, t->aim.target_W.x);
    json_number(j, t->aim.target_W.y);
    if (t->source.scene.dim == 3) json_number(j, t->aim.target_W.z);
    json_end(j, ']');
    json_end(j, '}');
}

static void report_head(json *j, const task *t) {
    json_begin(j, stdout);
    json_object(j);
    json_field_string(j, "recording", t->source.path);
    json_field_whole(j, "width", t->o.width);
    json_field_whole(j, "height", t->o.height);
    report_camera(j, t);
}

static int draw_pictures(task *t) {
    char path[CLI_PATH], shown[CLI_PATH];
    int files = t->way == RENDER_SINGLE ? t->n : 1, each = t->way == RENDER_SINGLE ? 1 : t->n, code = CLI_OK;
    for (int i = 0; i < files && !code; i++)
        code = name_file(t, files > 1 ? i + 1 : 0, path, sizeof path)
                   ? check_file(t->a, path)
                   : cli_mistake(t->a, "FILE", "a name that is too long", "a shorter one");
    json j;
    for (int i = 0; i < files && !code; i++) {
        name_file(t, files > 1 ? i + 1 : 0, path, sizeof path);
        const render_shown what = {&t->moment[i * each], each, t->way};
        perp_status status = render_write(&t->source, what, &t->camera, &t->o, path, &t->why);
        if (status) return refuse(t);
        if (cli_json(t->a)) {
            if (i == 0) {
                report_head(&j, t);
                json_key(&j, "pictures");
                json_array(&j);
            }
            json_object(&j);
            json_field_string(&j, "file", path);
            json_key(&j, "times");
            json_array(&j);
            for (int k = 0; k < each; k++) json_number(&j, what.m[k].t);
            json_end(&j, ']');
            json_end(&j, '}');
        } else {
            printf("%s: %d x %d pixels, t = %.6g", cli_printable(shown, sizeof shown, path), t->o.width, t->o.height,
                   what.m[0].t);
            if (each > 1) printf(" to %.6g, %d moments", what.m[each - 1].t, each);
            putchar('\n');
        }
    }
    if (!code && cli_json(t->a)) {
        json_end(&j, ']');
        json_end(&j, '}');
    }
    return code;
}

/* ---- films ---- */

static bool frame_name(const char *folder, int i, char *out, size_t size) {
    int n = snprintf(out, size, "%s/frame-%05d.png", folder, i);
    return n > 0 && (size_t)n < size;
}

/* Makes the folder. It must have no frames unless they are to be replaced. */
static int prepare_folder(const task *t, const char *folder) {
    char path[CLI_PATH], safe[200], found[240];
    struct stat st;
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, folder));
    if (!frame_name(folder, 1, path, sizeof path))
        return cli_mistake(t->a, "--video", "a path that is too long", "a shorter one");
    if (!stat(folder, &st)) {
        if (!S_ISDIR(st.st_mode)) return cli_mistake(t->a, "--video", found, "a folder");
        if (!stat(path, &st) && !cli_given(t->a, "force"))
            return cli_mistake(t->a, "--video", found, "a folder without frames, or --force to replace them");
        return CLI_OK;
    }
    if (mkdir(folder, 0777)) {
        bool mistake = errno == ENOENT || errno == ENOTDIR;
        if (mistake) return cli_mistake(t->a, "--video", found, "a path in a folder that exists");
        return cli_refuse_say(t->a, CLI_MACHINE, "%s cannot be made: %s", cli_printable(safe, sizeof safe, folder),
                              strerror(errno));
    }
    return CLI_OK;
}

/* All frames of the film have one scale of forces. A body that hides something in one of them is transparent in all. */
static int prepare_film(task *t, double from, double to) {
    enum { LOOKS = 24 };
    t->n = LOOKS;
    t->moment = PP_ARENA_ZERO(&t->source.arena, render_moment, LOOKS);
    if (!t->moment) return no_memory(t);
    for (int i = 0; i < LOOKS; i++) {
        double when = from + (to - from) * i / (LOOKS - 1);
        perp_status status = render_moment_at(&t->source, when, false, t->marks, &t->moment[i], &t->why);
        if (status) return refuse(t);
    }
    int code = place_camera(t, from, to, strcmp(cli_text(t->a, "fit", "run"), "run") == 0);
    if (!code) code = choose_glass(t);
    return code ? code : scale_forces(t, t->moment, t->n);
}

/* Where a film goes: one file, or a folder of pictures. */
typedef struct reel {
    film_kind kind;
    const char *path;
    char instead_path[CLI_PATH];
    bool instead; /* an animated PNG, because the requested file needs ffmpeg, which is not installed */
    film *film;
} reel;

/* The file may be written. Without ffmpeg an animated PNG takes the place of other films. */
static int prepare_file(const task *t, const char *asked, reel *r) {
    char safe[200], found[240];
    struct stat st;
    r->instead = r->kind == FILM_FFMPEG && !film_has_ffmpeg();
    const char *dot = strrchr(asked, '.');
    if (strlen(asked) >= sizeof r->instead_path - 8)
        return cli_mistake(t->a, "--video", "a path that is too long", "a shorter one");
    if (r->instead) {
        snprintf(r->instead_path, sizeof r->instead_path, "%.*s.png", (int)(dot - asked), asked);
        r->path = r->instead_path;
        r->kind = FILM_ANIMATED_PNG;
    }
    snprintf(found, sizeof found, "\"%s\"%s", cli_printable(safe, sizeof safe, r->path),
             r->instead ? " (there is no ffmpeg, so the film is an animated PNG)" : "");
    if (!stat(r->path, &st) && !(cli_given(t->a, "force") && S_ISREG(st.st_mode)))
        return cli_mistake(t->a, "--video", found,
                           S_ISREG(st.st_mode) ? "a name that is free, or --force to replace the file"
                                               : "a name that is free");
    char folder[CLI_PATH];
    snprintf(folder, sizeof folder, "%s", r->path);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder ? 1 : 0] = 0;
    if (slash && (stat(folder, &st) || !S_ISDIR(st.st_mode)))
        return cli_mistake(t->a, "--video", found, "a path in a folder that exists");
    return CLI_OK;
}

static int begin_reel(task *t, double fps, reel *r) {
    const char *asked = cli_text(t->a, "video", "");
    r->kind = film_kind_of(asked);
    r->path = asked;
    if (r->kind == FILM_NONE) return prepare_folder(t, asked);
    int code = prepare_file(t, asked, r);
    bool even = t->o.width % 2 == 0 && t->o.height % 2 == 0;
    if (!code && film_open(r->path, r->kind, fps, even, &r->film, &t->why)) return cli_refuse_writing(t->a, &t->why);
    return code;
}

/* Picture number i of the film, from 0. */
static perp_status add_picture(task *t, reel *r, int i, const render_moment *m) {
    const render_shown what = {m, 1, RENDER_SINGLE};
    if (!r->film) {
        char path[CLI_PATH];
        frame_name(r->path, i + 1, path, sizeof path);
        return render_write(&t->source, what, &t->camera, &t->o, path, &t->why);
    }
    page p;
    perp_status status = render_page(&t->source, what, &t->camera, &t->o, PAGE_PNG, &p, &t->why);
    if (!status) status = film_add(r->film, p.data, p.size, &t->why);
    page_free(&p);
    return status;
}

static void report_film(const task *t, const reel *r, int done, double fps, double from, double last) {
    bool folder = r->kind == FILM_NONE;
    if (cli_json(t->a)) {
        json j;
        report_head(&j, t);
        json_field_string(&j, folder ? "folder" : "file", r->path);
        json_field_whole(&j, "frames", done);
        json_field_number(&j, "fps", fps);
        json_end(&j, '}');
        return;
    }
    char quoted[CLI_PATH];
    cli_quote(quoted, sizeof quoted, r->path);
    bool odd = t->o.width % 2 || t->o.height % 2; /* most films have even sizes */
    printf("%s: %d pictures of %d x %d pixels, %st = %.6g to %.6g\n", quoted, done, t->o.width, t->o.height,
           folder ? "frame-00001.png and on, " : "", from, last);
    if (folder)
        printf("a film of them: ffmpeg -framerate %g -i %s/frame-%%05d.png %s-pix_fmt yuv420p film.mp4\n", fps, quoted,
               odd ? "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' " : "");
    if (r->instead) printf("There is no ffmpeg, so this is an animated PNG. Browsers play it.\n");
}

static int draw_film(task *t) {
    double from, to, fps = cli_number(t->a, "fps", 30), speed = cli_number(t->a, "speed", 1);
    int code = read_range(t, &from, &to);
    if (code) return code;
    double count = floor((to - from) / speed * fps + 1e-6) + 1;
    if (!(count <= FRAMES_MAX)) {
        char found[64];
        snprintf(found, sizeof found, "%.0f pictures", count);
        return cli_mistake(t->a, "--video", found, "at most 99999: a shorter time, fewer --fps or more --speed");
    }
    static reel r; /* a path is long */
    r = (reel){.kind = FILM_NONE};
    code = prepare_film(t, from, to);
    if (!code) code = begin_reel(t, fps, &r);
    if (code) return code;
    int frames = (int)count, done = 0;
    bool tell = cli_terminal(stderr);
    cli_catch_interrupt();
    pp_arena_mark here = pp_arena_here(&t->source.arena);
    for (; done < frames && !code && !cli_interrupted(); done++) {
        render_moment m;
        pp_arena_release(&t->source.arena, here);
        double when = fmin(from + done * speed / fps, to);
        perp_status status = render_moment_at(&t->source, when, true, t->marks, &m, &t->why);
        bool drawn = !status;
        if (!status) status = add_picture(t, &r, done, &m);
        if (status) code = drawn ? cli_refuse_writing(t->a, &t->why) : refuse(t);
        if (tell) fprintf(stderr, "\rpicture %d of %d\033[K", done + 1, frames);
    }
    if (tell) fputs("\r\033[K", stderr);
    if (film_close(r.film, !code, &t->why)) code = cli_refuse_writing(t->a, &t->why);
    if (code) return code;
    /* frames of an earlier, longer film would become the end of this one */
    char path[CLI_PATH];
    for (int i = done + 1; r.kind == FILM_NONE && i <= FRAMES_MAX && frame_name(r.path, i, path, sizeof path); i++)
        if (remove(path)) break;
    report_film(t, &r, done, fps, from, fmin(from + (done - 1) * speed / fps, to));
    return cli_interrupted() ? CLI_INTERRUPTED : CLI_OK;
}

static int run(const cli_args *a) {
    task t = {.a = a};
    int code = read_options(&t);
    if (code) return code;
#ifdef PERP_WITHOUT_CAIRO
    return cli_refuse_say(a, CLI_BAD_INPUT, "%s", PERP_WITHOUT_CAIRO);
#endif
    perp_status status = render_open(cli_operand(a, 0), &t.source, &t.why);
    if (status) {
        code = refuse(&t);
    } else if (t.marks && render_holds(&t.source, PERP_RECORD_CONTACTS, "contacts", &t.why)) {
        code = refuse(&t);
    } else if (!(code = check_dimension(&t))) {
        render_colour_bodies(&t.source.scene, t.o.theme, cli_text(a, "colours", "auto"));
        bool whole = !strcmp(cli_text(a, "fit", "moments"), "run");
        if (cli_given(a, "video")) {
            code = draw_film(&t);
        } else if (!(code = read_moments(&t)) &&
                   !(code = place_camera(&t, t.source.time[0], t.source.time[t.source.info->frames - 1], whole)) &&
                   !(code = choose_glass(&t)) && !(code = scale_forces(&t, t.moment, t.n))) {
            code = draw_pictures(&t);
        }
    }
    render_close(&t.source);
    return code;
}

const cli_command command_render = {
    .name = "render",
    .operands = "RECORDING [FILE]",
    .min_operand = 1,
    .max_operand = 2,
    .summary = "draw pictures and films of a recording",
    .about = "Draws pictures of a recording, without a browser: 3D worlds shaded, with soft shadows; 2D worlds in plan "
             "view. FILE ends in .png, .svg or .pdf. The default is the name of the recording with .png, in the "
             "current folder. 2D worlds are drawn as lines and areas, which stay sharp at any size. For 3D worlds, SVG "
             "and PDF contain an image, with text and arrows as lines above it.\n\n"
             "Obstacles are grey. Moving bodies have colours that colour-blind readers can tell apart. Obstacles that "
             "hide moving bodies are drawn as edges. Colours of contacts and forces: grey separating, blue sticking, "
             "orange sliding.\n\n"
             "If a picture of --video falls between two frames of the recording, bodies are placed by linear "
             "interpolation. All other pictures show recorded frames.\n\n"
             "The same recording and options give the same bytes. --json prints the chosen camera.",
    .option = options,
    .example = examples,
    .run = run,
};

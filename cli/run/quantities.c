/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quantities.c - see quantities.h. A trace (record/trace.h) keeps the series that the expressions use, at the moments of the lines. */
#include "run/quantities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "measure/measure.h"

enum { MOST = 64, LINES = 20, WIDTH = 14, HEADER_EVERY = 40 };

struct quantities {
    FILE *to;
    pp_trace *trace;
    int n, every, lines;
    uint64_t since; /* steps since the last line */
    char name[MOST][64];
    pp_condition *value[MOST];
    double *parameter;
};

/* A series by its bare name stands for itself in braces: box.x for {box.x}. */
static void wrapped(const char *text, char *out, size_t size) {
    bool bare = !strchr(text, '{') && strcmp(text, "t") != 0;
    snprintf(out, size, bare ? "{%s}" : "%s", text);
}

static perp_status add(quantities *q, const char *name, const char *text, pp_location place, const char *key,
                       const pp_measure_names *names, perp_refusal *why) {
    char whole[1024];
    if (q->n == MOST)
        return pp_complain_say(why, PERP_E_ARG, place, key, "found more than %d quantities; allowed: at most that",
                               MOST);
    if (strlen(text) > sizeof whole - 3)
        return pp_complain_say(why, PERP_E_ARG, place, key, "found %zu bytes; allowed: at most %zu", strlen(text),
                               sizeof whole - 3);
    wrapped(text, whole, sizeof whole);
    snprintf(q->name[q->n], sizeof q->name[q->n], "%s", name);
    const pp_measure_def def = {.name = name, .text = whole, .length = strlen(whole), .place = place, .key = key};
    perp_status st = pp_condition_new(NULL, &def, names, q->trace, &q->value[q->n], why);
    if (!st) q->n++;
    return st;
}

static void header(const quantities *q) {
    fprintf(q->to, "%*s", WIDTH, "t");
    for (int i = 0; i < q->n; i++) fprintf(q->to, " %*s", WIDTH, q->name[i]);
    fprintf(q->to, "\n");
}

static void line(quantities *q) {
    uint64_t frames = pp_trace_frames(q->trace);
    if (q->lines++ % HEADER_EVERY == 0) header(q);
    fprintf(q->to, "%*.6g", WIDTH, pp_trace_time(q->trace)[frames - 1]);
    for (int i = 0; i < q->n; i++) {
        double x = pp_condition_value(q->value[i], q->trace, q->parameter);
        fprintf(q->to, " %*.6g", WIDTH, x + 0.0); /* no -0 */
    }
    fprintf(q->to, "\n");
    fflush(q->to);
}

static perp_status add_all(quantities *q, const simulate_options *o, const perp_scene *scene,
                           const pp_measure_names *names, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < perp_scene_watch_count(scene); i++) {
        perp_scene_watch w = perp_scene_watch_at(scene, i);
        char key[128];
        snprintf(key, sizeof key, "watch.%s", w.name);
        pp_location at = {perp_scene_file_at(scene, w.file).path, w.line, w.column};
        st = add(q, w.name, w.text, at, key, names, why);
    }
    for (int i = 0; !st && i < o->nquantity; i++) {
        char name[64];
        cli_printable(name, sizeof name, o->quantity[i]);
        st = add(q, name, o->quantity[i], (pp_location){"", 0, 0}, "--watch", names, why);
    }
    return st;
}

perp_status quantities_open(const simulate_options *o, const perp_scene *scene, double end, quantities **out,
                            perp_refusal *why) {
    *out = NULL;
    if (perp_scene_watch_count(scene) + o->nquantity == 0) return PERP_OK;
    double h = perp_world_h(perp_scene_world(scene)), every = (o->tell_every > 0 ? o->tell_every : end / LINES) / h;
    int n = perp_scene_parameter_count(scene);
    const char **name = malloc(((size_t)n + 1) * sizeof *name);
    quantities *q = calloc(1, sizeof *q);
    if (q) q->parameter = malloc(((size_t)n + 1) * sizeof *q->parameter);
    if (!name || !q || !q->parameter) {
        free(name);
        quantities_close(q);
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "out of memory");
    }
    for (int i = 0; i < n; i++) {
        name[i] = perp_scene_parameter_at(scene, i).name;
        q->parameter[i] = perp_scene_parameter_at(scene, i).value;
    }
    q->to = o->tell;
    q->every = every < 1.5 ? 1 : every > 1e9 ? 1000000000 : (int)(every + 0.5);
    const pp_measure_names names = {name, n};
    perp_status st = pp_trace_new(scene, q->every, &q->trace, why);
    if (!st) st = add_all(q, o, scene, &names, why);
    if (!st) st = pp_trace_first(q->trace, why);
    free(name);
    if (st || !o->tell) { /* errors are reported even if nothing is printed */
        quantities_close(q);
        return st;
    }
    *out = q;
    return PERP_OK;
}

void quantities_first(quantities *q) { line(q); }

bool quantities_due(const quantities *q) { return q->since + 1 >= (uint64_t)q->every; }

perp_status quantities_step(quantities *q, const perp_certificate *c, perp_refusal *why) {
    perp_status st = pp_trace_step(q->trace, c, why);
    if (st) return st;
    if (++q->since < (uint64_t)q->every) return PERP_OK;
    q->since = 0;
    line(q);
    return PERP_OK;
}

void quantities_close(quantities *q) {
    if (!q) return;
    for (int i = 0; i < q->n; i++) pp_condition_free(q->value[i]);
    pp_trace_free(q->trace);
    free(q->parameter);
    free(q);
}

/* ---- overlap at the start ---- */

#define ALLOWED 1e-6 /* overlap that a good certificate allows, as a part of the smallest body: see perp run --help */

static const char *name_of(const perp_world *w, perp_shape_id s, char *out, size_t size) {
    perp_body_id b = perp_shape_body(w, s);
    const char *name = perp_body_name(w, b);
    char safe[96];
    if (name && *name)
        snprintf(out, size, "%s", cli_printable(safe, sizeof safe, name));
    else
        snprintf(out, size, "body-%u", (unsigned)b.slot);
    return out;
}

/* Surfaces that give way are pressed in by their loads. */
static bool rigid(const perp_world *w, const perp_overlap *o) {
    perp_shape_view a, b;
    perp_pair_law law;
    return !perp_shape_get(w, o->a, &a) && !perp_shape_get(w, o->b, &b) &&
           !perp_pair_get(w, a.def.material, b.def.material, &law) && law.compliance == PERP_RIGID;
}

int start_overlaps(const perp_world *w, start_overlap *out, int max) {
    enum { LOOKED = 1000 };
    static perp_overlap list[LOOKED];
    double size = size_of_world(w);
    int n = perp_world_overlaps(w, list, LOOKED), found = 0;
    for (int i = 0; i < n && i < LOOKED; i++) {
        if (!(list[i].depth > ALLOWED * size) || !rigid(w, &list[i])) continue;
        if (found < max) {
            name_of(w, list[i].a, out[found].a, sizeof out[found].a);
            name_of(w, list[i].b, out[found].b, sizeof out[found].b);
            out[found].depth = list[i].depth;
        }
        found++;
    }
    return found;
}

void tell_overlaps(const char *name, const perp_world *w, perp_units units) {
    enum { SHOWN = 3 };
    start_overlap pair[SHOWN];
    int n = start_overlaps(w, pair, SHOWN);
    char path[200];
    bool named = units.length && *units.length;
    cli_printable(path, sizeof path, name);
    for (int i = 0; i < n && i < SHOWN; i++)
        fprintf(stderr, "perp: warning: %s: at the start %s and %s overlap by %.3g%s%s\n", path, pair[i].a, pair[i].b,
                pair[i].depth, named ? " " : "", named ? units.length : "");
    if (n > SHOWN) fprintf(stderr, "perp: warning: %s: at the start %d more pairs overlap\n", path, n - SHOWN);
}

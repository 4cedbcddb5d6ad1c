/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* info_scene.c - what a scene holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"
#include "run/quantities.h"

static bool count_kinds(const perp_world *w, int body[3], int shape[PERP_SHAPE_KIND_COUNT],
                        int joint[PERP_JOINT_KIND_COUNT]) {
    int nb = perp_world_body_count(w), ns = perp_world_shapes(w, NULL, 0), nj = perp_world_joints(w, NULL, 0);
    perp_body_id *b = malloc(((size_t)nb + 1) * sizeof *b);
    perp_shape_id *s = malloc(((size_t)ns + 1) * sizeof *s);
    perp_joint_id *j = malloc(((size_t)nj + 1) * sizeof *j);
    bool ok = b && s && j;
    if (ok) {
        perp_body_def bd;
        perp_shape_view sv;
        perp_joint_def jd;
        perp_world_bodies(w, b, nb);
        perp_world_shapes(w, s, ns);
        perp_world_joints(w, j, nj);
        for (int i = 0; i < nb; i++)
            if (!perp_body_get(w, b[i], &bd)) body[bd.kind]++;
        for (int i = 0; i < ns; i++)
            if (!perp_shape_get(w, s[i], &sv)) shape[sv.def.kind]++;
        for (int i = 0; i < nj; i++)
            if (!perp_joint_get(w, j[i], &jd)) joint[jd.kind]++;
    }
    free(b);
    free(s);
    free(j);
    return ok;
}

static const char *word(const char *s) { return s && *s ? s : "-"; }

static const char *const form_word[] = {"lcp", "mlcp", "cone"};
static const char *const form_text[] = {"LCP", "mixed LCP", "friction cones"};

static void json_stages(json *j, const perp_world_def *d) {
    json_key(j, "stages");
    json_object(j);
    json_field_string(j, "detector", word(d->detector));
    json_field_string(j, "contact_model", word(d->contact_model));
    json_field_string(j, "stepper", word(d->stepper));
    json_field_string(j, "solver", word(d->solver));
    json_key(j, "fallback");
    json_array(j);
    for (int i = 0; i < PERP_FALLBACK_MAX && d->fallback[i]; i++) json_string(j, d->fallback[i]);
    json_end(j, ']');
    json_field_string(j, "form", form_word[d->form]);
    if (d->form != PERP_FORM_CONE) json_field_whole(j, "friction_directions", d->dim == 2 ? 2 : d->friction_directions);
    json_field_number(j, "tolerance", d->tolerance);
    json_field_whole(j, "max_halvings", d->max_halvings);
    json_field_number(j, "work_limit", d->work_limit);
    json_field_number(j, "time_limit", d->time_limit);
    json_field_bool(j, "warm_start", d->warm_start);
    json_field_bool(j, "joint_correction", d->joint_correction);
    json_end(j, '}');
}

static void text_stages(const perp_world_def *d) {
    char chain[256];
    int n = snprintf(chain, sizeof chain, "%s", word(d->solver));
    for (int i = 0; i < PERP_FALLBACK_MAX && d->fallback[i] && n < (int)sizeof chain; i++)
        n += snprintf(chain + n, sizeof chain - (size_t)n, "%s%s", i ? ", " : ", else ", d->fallback[i]);
    info_row("stages", "%s > %s > %s (%s%s)", word(d->detector), word(d->contact_model), word(d->stepper),
             form_text[d->form], d->start == PERP_START_STAGGERED ? ", staggered start" : "");
    info_row("", "solver %s", chain);
    char friction[48] = "";
    if (d->dim == 3 && d->form != PERP_FORM_CONE)
        snprintf(friction, sizeof friction, "%d friction directions, ", d->friction_directions);
    info_row("", "%stolerance %.3g, at most %d halvings%s", friction, d->tolerance, d->max_halvings,
             d->joint_correction ? ", joint correction" : "");
}

static void text_parameters(const perp_scene *s) {
    int n = perp_scene_parameter_count(s), width = 4;
    if (n == 0) {
        info_row("parameters", "none");
        return;
    }
    info_row("parameters", "%d", n);
    for (int i = 0; i < n; i++) {
        int k = (int)strlen(perp_scene_parameter_at(s, i).name);
        if (k > width && k <= 24) width = k;
    }
    for (int i = 0; i < n; i++) {
        perp_scene_parameter p = perp_scene_parameter_at(s, i);
        char unit[64], about[400], value[64], extra[160] = "";
        int k = 0;
        snprintf(value, sizeof value, "%.6g%s%s", p.value, *p.unit ? " " : "",
                 cli_printable(unit, sizeof unit - 8, p.unit));
        if (p.value != p.initial) k += snprintf(extra + k, sizeof extra - (size_t)k, "  (default %.6g)", p.initial);
        if (isfinite(p.min) && isfinite(p.max))
            snprintf(extra + k, sizeof extra - (size_t)k, "  (from %.6g to %.6g)", p.min, p.max);
        else if (isfinite(p.min))
            snprintf(extra + k, sizeof extra - (size_t)k, "  (>= %.6g)", p.min);
        else if (isfinite(p.max))
            snprintf(extra + k, sizeof extra - (size_t)k, "  (<= %.6g)", p.max);
        cli_printable(about, sizeof about, p.about);
        printf("    %-*s = %-16s%s%s%s\n", width, p.name, value, *about ? "  " : "", about, extra);
    }
}

static void tell_files(json *j, const perp_scene *s) {
    int n = perp_scene_file_count(s);
    if (j) {
        json_key(j, "source_files");
        json_array(j);
        for (int i = 0; i < n; i++) json_string(j, perp_scene_file_at(s, i).path);
        json_end(j, ']');
    } else if (n > 1) {
        for (int i = 1; i < n; i++) {
            char path[CLI_PATH];
            info_row(i == 1 ? "reads" : "", "%s", cli_printable(path, sizeof path, perp_scene_file_at(s, i).path));
        }
    }
}

static void tell_watched(json *j, const perp_scene *s) {
    int n = perp_scene_watch_count(s);
    if (j) {
        json_key(j, "watch");
        json_array(j);
    }
    for (int i = 0; i < n; i++) {
        perp_scene_watch w = perp_scene_watch_at(s, i);
        char name[128], text[400];
        if (j) {
            json_object(j);
            json_field_string(j, "name", w.name);
            json_field_string(j, "text", w.text);
            json_end(j, '}');
        } else {
            info_row(i ? "" : "watches", "%s = %s", cli_printable(name, sizeof name, w.name),
                     cli_printable(text, sizeof text, w.text));
        }
    }
    if (j) json_end(j, ']');
}

/* Rigid bodies that overlap before the first step: the deepest pairs, and how many there are. */
static void tell_start(json *j, const perp_scene *s) {
    enum { SHOWN = 10 };
    start_overlap pair[SHOWN];
    int n = start_overlaps(perp_scene_world(s), pair, SHOWN), shown = n < SHOWN ? n : SHOWN;
    perp_units units = perp_scene_units(s);
    bool named = units.length && *units.length;
    if (j) {
        json_field_whole(j, "overlapping_pairs", n);
        json_key(j, "overlaps");
        json_array(j);
        for (int i = 0; i < shown; i++) {
            json_object(j);
            json_field_string(j, "a", pair[i].a);
            json_field_string(j, "b", pair[i].b);
            json_field_number(j, "depth", pair[i].depth);
            json_end(j, '}');
        }
        json_end(j, ']');
        return;
    }
    if (n == 0) info_row("overlaps", "none at the start");
    for (int i = 0; i < shown; i++)
        info_row(i ? "" : "overlaps", "%s and %s by %.3g%s%s at the start", pair[i].a, pair[i].b, pair[i].depth,
                 named ? " " : "", named ? units.length : "");
    if (n > shown) info_row("", "%d more pairs", n - shown);
}

perp_status info_scene(const info_request *q, perp_refusal *why) {
    perp_scene *s;
    perp_scene_options so = {.define = q->define, .ndefine = q->ndefine, .root = q->root};
    double begun = pp_clock();
    perp_status st = perp_scene_open(q->path, &so, &s, why);
    if (st) return st;
    double took = pp_clock() - begun;
    const perp_world *w = perp_scene_world(s);
    perp_world_def d = perp_world_get_def(w);
    perp_record_choice c = perp_scene_record(s);
    int body[3] = {0}, shape[PERP_SHAPE_KIND_COUNT] = {0}, joint[PERP_JOINT_KIND_COUNT] = {0};
    if (!count_kinds(w, body, shape, joint)) {
        perp_scene_close(s);
        *why = (perp_refusal){.status = PERP_E_MEMORY};
        snprintf(why->text, sizeof why->text, "no memory to count the bodies");
        return PERP_E_MEMORY;
    }
    char what[128], text[CLI_PATH];
    unsigned long long steps = perp_scene_steps(s);
    json *j = q->j;
    if (j) {
        json_field_string(j, "kind", "scene");
        json_field_string(j, "title", perp_scene_title(s));
        json_field_string(j, "about", perp_scene_about(s));
        info_units(j, perp_scene_units(s));
        json_field_whole(j, "dim", d.dim);
        json_field_number(j, "h", d.h);
        json_field_number(j, "duration", perp_scene_duration(s));
        json_field_whole(j, "steps", (long long)steps);
        json_field_number(j, "load_seconds", took);
        json_parameters(j, s);
    } else {
        printf("%s%s%s: scene\n", cli_style(stdout, "1"), cli_printable(text, sizeof text, q->path),
               cli_style(stdout, ""));
        if (*perp_scene_title(s)) info_row("title", "%s", cli_printable(text, sizeof text, perp_scene_title(s)));
        if (*perp_scene_about(s)) info_row("about", "%s", cli_printable(text, sizeof text, perp_scene_about(s)));
        info_units(NULL, perp_scene_units(s));
        if (d.dim == 2)
            info_row("space", "2D, gravity (%.6g, %.6g)", d.gravity_W.x, d.gravity_W.y);
        else
            info_row("space", "3D, gravity (%.6g, %.6g, %.6g)", d.gravity_W.x, d.gravity_W.y, d.gravity_W.z);
        info_row("time", "%.6g in %llu steps of %.6g", perp_scene_duration(s), steps, d.h);
    }
    info_counts(j, "bodies", info_body_kind, body, 3);
    info_counts(j, "shapes", info_shape_kind, shape, PERP_SHAPE_KIND_COUNT);
    info_counts(j, "joints", info_joint_kind, joint, PERP_JOINT_KIND_COUNT);
    if (j) {
        json_field_whole(j, "forces", perp_world_force_count(w));
        json_field_whole(j, "materials", perp_material_count(w));
        json_field_number(j, "smallest_size", size_of_world(w));
        json_stages(j, &d);
        json_key(j, "record");
        json_object(j);
        json_field_string(j, "what", info_what(c.what, what, sizeof what));
        json_field_whole(j, "every", c.every);
        json_field_whole(j, "compression", c.compression);
        json_end(j, '}');
    } else {
        info_row("forces", "%d", perp_world_force_count(w));
        info_row("materials", "%d", perp_material_count(w));
        text_stages(&d);
        info_row("records", "%s, every %d step%s (%llu frames)", info_what(c.what, what, sizeof what), c.every,
                 c.every == 1 ? "" : "s", steps / (unsigned)c.every + 1);
        text_parameters(s);
    }
    tell_watched(j, s);
    tell_start(j, s);
    tell_files(j, s);
    perp_scene_close(s);
    return PERP_OK;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_info.c - perp info: what a scene, a recording or a problem holds, told apart by the content of the file. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"

const char *const info_body_kind[3] = {"obstacle", "kinematic", "dynamic"};
const char *const info_shape_kind[PERP_SHAPE_KIND_COUNT] = {"particle",       "sphere",     "halfspace",   "box",
                                                            "polygon",        "polyhedron", "capsule",     "ellipsoid",
                                                            "superellipsoid", "cylinder",   "intersection"};
const char *const info_joint_kind[PERP_JOINT_KIND_COUNT] = {
    "fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "coupling", "tendon"};

void info_units(json *j, perp_units u) {
    if (j) {
        json_units(j, u);
    } else if (*u.length || *u.mass || *u.time) {
        char text[3][64];
        info_row("units", "length %s, mass %s, time %s",
                 cli_printable(text[0], sizeof text[0], *u.length ? u.length : "-"),
                 cli_printable(text[1], sizeof text[1], *u.mass ? u.mass : "-"),
                 cli_printable(text[2], sizeof text[2], *u.time ? u.time : "-"));
    }
}

void info_row(const char *what, const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("  %-12s", what);
    vprintf(format, list);
    putchar('\n');
    va_end(list);
}

const char *info_what(unsigned mask, char *out, size_t size) {
    static const char *const word[] = {"poses", "twists", "joints", "contacts", "certificate", "ledger", "solver"};
    size_t n = 0;
    *out = 0;
    if (mask == PERP_RECORD_ALL)
        snprintf(out, size, "all");
    else
        for (int i = 0; i < 7 && n < size; i++)
            if (mask & (1u << i)) n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", word[i]);
    return out;
}

void info_counts(json *j, const char *what, const char *const *kind, const int *count, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += count[i];
    if (j) {
        json_key(j, what);
        json_object(j);
        json_field_whole(j, "count", total);
        for (int i = 0; i < n; i++)
            if (count[i] > 0) json_field_whole(j, kind[i], count[i]);
        json_end(j, '}');
        return;
    }
    printf("  %-12s%d", what, total);
    bool first = true;
    for (int i = n - 1; i >= 0; i--) {
        if (count[i] == 0) continue;
        printf("%s%d %s", first ? ": " : ", ", count[i], kind[i]);
        first = false;
    }
    putchar('\n');
}

static const cli_option options[] = {
    {.name = "digest",
     .kind = CLI_FLAG,
     .help = "For recordings: print a hash of the contents of all frames. Two runs with the same digest are "
             "bitwise identical."},
    {.name = "series",
     .letter = 's',
     .kind = CLI_FLAG,
     .help = "List the names of all quantities in a recording, with units. perp plot draws them."},
    {.name = "define",
     .letter = 'D',
     .kind = CLI_DEFINE,
     .argument = "NAME=VALUE",
     .help = "Set a parameter of the scene. May be repeated."},
    CLI_OUTSIDE,
    {.name = "schema", .kind = CLI_FLAG, .help = "Print the JSON Schema of scene files, for editors."},
    {.name = "reference", .kind = CLI_FLAG, .help = "Print the reference of the keys of scene files, in Markdown."},
    {.name = "combinations",
     .kind = CLI_FLAG,
     .help = "Print which steppers, contact models, forms and solvers can be combined, and why others cannot, in "
             "Markdown."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp info pile.yaml", "check a scene without running it, and see its parameters"},
    {"perp info pile.h5", "what was recorded, how good the run was, where the energy went"},
    {"perp info problems/step-000001-island-00.h5", "the size of a saved problem, its friction, its matrices"},
    {"perp info --series pile.h5", "what can be plotted"},
    {"perp info --schema > perp-scene.json", "let an editor complete the keys of scenes"},
    {NULL, NULL},
};

static int print_made(const cli_args *a, size_t (*make)(char *, size_t), const char *key) {
    size_t n = make(NULL, 0);
    char *text = malloc(n + 1);
    if (!text) return cli_refuse_say(a, CLI_MACHINE, "no memory for %zu bytes", n);
    make(text, n + 1);
    if (cli_json(a) && key) {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, key, text);
        json_end(&j, '}');
    } else {
        fputs(text, stdout);
        if (n > 0 && text[n - 1] != '\n') putchar('\n');
    }
    free(text);
    return CLI_OK;
}

static int tell(const cli_args *a, const char *path, json *j) {
    info_request q = {.path = path, .j = j, .series = cli_given(a, "series"), .digest = cli_given(a, "digest")};
    q.ndefine = cli_definitions(a, &q.define);
    q.root = cli_root(a);
    bool problem = info_is_problem(path), recorded = !problem && recording_likely(path);
    if (j) json_object(j);
    if (j) json_field_string(j, "path", path);
    perp_refusal why = {0};
    perp_status s = problem ? info_problem(&q, &why) : recorded ? info_recording(&q, &why) : info_scene(&q, &why);
    int code = !s ? CLI_OK : s == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    if (s) {
        fflush(stdout);
        fprintf(stderr, "perp: %s\n", why.text);
        if (j) json_refusal(j, "error", &why, code);
    }
    if (j) json_end(j, '}');
    return code;
}

static int run(const cli_args *a) {
    bool schema = cli_given(a, "schema"), reference = cli_given(a, "reference"),
         combinations = cli_given(a, "combinations");
    int n = cli_operands(a), code = CLI_OK;
    if (schema && reference) return cli_mistake(a, "--schema", "together with --reference", "one of the two");
    if (combinations && (schema || reference))
        return cli_mistake(a, "--combinations", schema ? "together with --schema" : "together with --reference",
                           "one of the two");
    if ((schema || reference || combinations) && n > 0)
        return cli_mistake(a,
                           schema      ? "--schema"
                           : reference ? "--reference"
                                       : "--combinations",
                           "with a file", "the option alone");
    if (schema) return print_made(a, perp_scene_schema, NULL); /* is JSON by itself */
    if (reference) return print_made(a, perp_scene_reference, "reference");
    if (combinations) return print_made(a, perp_combinations, "combinations");
    if (n == 0)
        return cli_mistake(a, "", "nothing to work on",
                           "SCENE, RECORDING or PROBLEM..., --schema, --reference, --combinations");
    for (int i = 0; i < n && cli_given(a, "define"); i++) {
        bool problem = info_is_problem(cli_operand(a, i));
        if (problem || recording_likely(cli_operand(a, i)))
            return cli_mistake(a, "--define", problem ? "with a problem" : "with a recording", "with scenes");
    }
    json j;
    json_begin(&j, stdout);
    if (cli_json(a)) {
        json_object(&j);
        json_key(&j, "files");
        json_array(&j);
    }
    for (int i = 0; i < n; i++) {
        if (i > 0 && !cli_json(a)) putchar('\n');
        int one = tell(a, cli_operand(a, i), cli_json(a) ? &j : NULL);
        if (one > code) code = one;
    }
    if (cli_json(a)) {
        json_end(&j, ']');
        json_end(&j, '}');
    }
    return code;
}

const cli_command command_info = {
    .name = "info",
    .operands = "SCENE|RECORDING|PROBLEM...\n--schema\n--reference\n--combinations",
    .min_operand = 0,
    .max_operand = -1,
    .summary = "print what a scene, a recording or a problem file contains",
    .about = "Prints what a file contains. perp recognises scenes, recordings and problem files by their content.\n\n"
             "For a scene: duration, parameters with their ranges, bodies, shapes, joints, stages, and what is "
             "recorded. The whole scene is read, so this also checks it.\n\n"
             "For a recording: what was simulated and how far, what is recorded, the certificate of the whole run with "
             "the worst figures and their times, and the energy account. A recording can be read while it is being "
             "written.\n\n"
             "For a problem file (of perp run --save-problems, FCLIB or Siconos): file layout, problem class, sizes, "
             "density of the matrices, range of their diagonals, and friction.",
    .option = options,
    .example = examples,
    .run = run,
};

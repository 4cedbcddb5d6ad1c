/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_import.c - perp import: a robot model of another program as a scene, and the report of what became of it. */
#define _POSIX_C_SOURCE 200809L /* access */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "whole_file.h"

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "SCENE",
     .help = "Write the scene to this file; an existing one is not replaced."},
    {.name = "report",
     .kind = CLI_FLAG,
     .help = "List everything that was ignored, approximated, repaired or assumed, with its place."},
    {.name = "repair",
     .kind = CLI_FLAG,
     .help = "If the model gives an inertia that no body can have, use the nearest valid one."},
    {.name = "free-base",
     .kind = CLI_FLAG,
     .help = "URDF: the root link moves freely. By default it is fixed to the world."},
    {.name = "corners",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 8,
     .max = 10000,
     .help = "Most corners of the convex hull of a mesh; 64 by default."},
    {.name = "package",
     .kind = CLI_DEFINE,
     .argument = "NAME=FOLDER",
     .help = "Where package://NAME/... of a URDF or model://NAME of an SDF lies, if it is not in the folders above the "
             "file."},
    {.name = "key",
     .kind = CLI_TEXT,
     .argument = "NAME",
     .help = "MJCF: start from the keyframe of this name. By default all joints are at their reference."},
    {.name = "model", .kind = CLI_FLAG, .help = "Print the model as JSON instead, for comparison with other programs."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp import arm.urdf --report", "what of the model is kept"},
    {"perp import panda.xml -o panda.yaml", "write the scene, to be changed by hand"},
    {"perp import panda.xml --key home -o panda.yaml", "the scene starts from a keyframe of the model"},
    {"perp import arm.urdf --repair -o arm.yaml", "mend impossible inertias"},
    {NULL, NULL},
};

static void print_report(FILE *to, const perp_import *m) {
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < perp_import_note_count(m); i++) {
            perp_import_note n = perp_import_note_at(m, i);
            if ((int)n.kind != k) continue;
            fprintf(to, "%-12s  %s", perp_import_kind_name(n.kind), n.text);
            if (n.count > 1) fprintf(to, " (%d times)", n.count);
            if (n.line > 0) fprintf(to, "  [%s:%d]", n.file, n.line);
            fprintf(to, "\n");
        }
}

static void print_counts(FILE *to, const char *path, const perp_import *m) {
    perp_import_counts c = perp_import_count(m);
    int by[4] = {0};
    for (int i = 0; i < perp_import_note_count(m); i++) by[perp_import_note_at(m, i).kind]++;
    fprintf(to, "%s: %s with %d bodies, %d joints, %d shapes; %d moving bodies of %.6g kg in all\n", path, c.format,
            c.bodies, c.joints, c.geoms, c.moving, c.mass);
    fprintf(to, "%d things ignored, %d approximated, %d repaired, %d assumed\n", by[0], by[1], by[2], by[3]);
}

static void print_json(const cli_args *a, const char *path, const perp_import *m) {
    perp_import_counts c = perp_import_count(m);
    json j;
    json_begin(&j, stdout);
    json_object(&j);
    json_field_string(&j, "file", path);
    json_field_string(&j, "format", c.format);
    const struct {
        const char *key;
        int n;
    } count[] = {
        {"bodies", c.bodies},     {"joints", c.joints},       {"hinges", c.hinges},         {"slides", c.slides},
        {"balls", c.balls},       {"frees", c.frees},         {"geoms", c.geoms},           {"meshes", c.meshes},
        {"sites", c.sites},       {"actuators", c.actuators}, {"equalities", c.equalities}, {"tendons", c.tendons},
        {"excludes", c.excludes}, {"pairs", c.pairs},         {"keyframes", c.keyframes},   {"moving", c.moving}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) json_field_whole(&j, count[i].key, count[i].n);
    json_field_number(&j, "mass", c.mass);
    json_key(&j, "notes");
    json_array(&j);
    for (int i = 0; i < perp_import_note_count(m); i++) {
        perp_import_note n = perp_import_note_at(m, i);
        json_object(&j);
        json_field_string(&j, "kind", perp_import_kind_name(n.kind));
        json_field_string(&j, "text", n.text);
        json_field_string(&j, "file", n.file);
        json_field_whole(&j, "line", n.line);
        json_field_whole(&j, "count", n.count);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    if (cli_given(a, "output")) json_field_string(&j, "output", cli_text(a, "output", ""));
    json_end(&j, '}');
}

static int print_model(const cli_args *a, const perp_import *m) {
    size_t n = perp_import_model(m, NULL, 0);
    char *text = malloc(n + 1);
    if (!text) return cli_refuse_say(a, CLI_MACHINE, "no memory for the model as text");
    (void)perp_import_model(m, text, n + 1);
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}

static int write_scene(const cli_args *a, const char *path, const perp_import *m) {
    whole_file f;
    perp_refusal why;
    if (access(path, F_OK) == 0) return cli_mistake(a, "--output", path, "a file that does not exist yet");
    if (whole_file_begin(&f, path, &why)) return cli_refuse_writing(a, &why);
    bool good = fputs(perp_import_scene(m), f.to) >= 0;
    if (whole_file_end(&f, good, &why)) return cli_refuse_writing(a, &why);
    return CLI_OK;
}

/* The scene must be one: what the importer writes is read back before it is handed out. */
static int check_scene(const cli_args *a, const char *path, const perp_import *m) {
    perp_source_file file = {path, perp_import_scene(m), strlen(perp_import_scene(m))};
    perp_scene_options o = {.file = &file, .nfile = 1};
    perp_scene *s;
    perp_refusal why;
    if (perp_scene_open(path, &o, &s, &why)) return cli_refuse(a, &why);
    perp_scene_close(s);
    return CLI_OK;
}

static int run(const cli_args *a) {
    const char *path = cli_operand(a, 0), *output = cli_text(a, "output", NULL);
    const perp_definition *define;
    int n = cli_definitions(a, &define);
    perp_import_package *package = calloc((size_t)n + 1, sizeof *package);
    if (!package) return cli_refuse_say(a, CLI_MACHINE, "no memory for the options");
    for (int i = 0; i < n; i++) package[i] = (perp_import_package){define[i].name, define[i].value};
    perp_import_options o = {.repair = cli_given(a, "repair"),
                             .free_base = cli_given(a, "free-base"),
                             .corners = (int)cli_number(a, "corners", PERP_IMPORT_CORNERS),
                             .key = cli_text(a, "key", NULL),
                             .package = package,
                             .npackage = n};
    perp_import *m;
    perp_refusal why;
    perp_status s = perp_import_open(path, &o, &m, &why);
    free(package);
    if (s) return cli_refuse(a, &why);
    bool model = cli_given(a, "model");
    int code = check_scene(a, path, m);
    if (!code && output) code = write_scene(a, output, m);
    if (!code && model) code = print_model(a, m);
    if (!code && !model && cli_json(a)) {
        print_json(a, path, m);
    } else if (!code && !model && (output || cli_given(a, "report"))) {
        print_counts(stdout, path, m);
        if (cli_given(a, "report")) print_report(stdout, m);
    } else if (!code && !model) {
        fputs(perp_import_scene(m), stdout);
        print_counts(stderr, path, m);
    }
    perp_import_close(m);
    return code;
}

const cli_command command_import = {
    .name = "import",
    .operands = "FILE",
    .min_operand = 1,
    .max_operand = 1,
    .summary = "make a scene from a robot model: MJCF (MuJoCo), URDF (ROS) or SDF (Gazebo)",
    .about = "Reads a robot model and writes it as a scene. Without -o and --report the scene is printed.\n\n"
             "perp run, info and view read such files directly; import shows what became of the model, and writes a "
             "scene that "
             "can be changed by hand. Everything that perp leaves out, approximates, repairs or assumes is listed by "
             "--report.\n\n"
             "Bodies without joints are joined to their parents. Meshes become their convex hulls. Inertias that no "
             "body can have are refused "
             "with file, line, link and principal moments, unless --repair is given.",
    .option = options,
    .example = examples,
    .run = run,
};

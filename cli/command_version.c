/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_version.c - perp version: what this program is made of. */
#include <cairo.h>
#include <hdf5.h>
#include <klu.h>
#include <libqhull_r/libqhull_r.h>
#include <metis.h>
#include <string.h>
#include <yaml.h>

#include "cli.h"

static const cli_option options[] = {{.name = NULL}};
static const cli_example examples[] = {
    {"perp version --json", "the versions for another program"},
    {NULL, NULL},
};

typedef struct part {
    const char *name;
    char version[128];
} part;

enum { NPART = 6 };

static void ask(part p[NPART]) {
    unsigned major = 0, minor = 0, patch = 0;
    p[0].name = "HDF5";
    if (H5get_libversion(&major, &minor, &patch) >= 0)
        snprintf(p[0].version, sizeof p[0].version, "%u.%u.%u", major, minor, patch);
    else
        snprintf(p[0].version, sizeof p[0].version, "none");
    p[1].name = "libyaml";
    snprintf(p[1].version, sizeof p[1].version, "%s", yaml_get_version_string());
    p[2].name = "KLU"; /* it and METIS tell only what they were compiled as */
    snprintf(p[2].version, sizeof p[2].version, "%d.%d.%d", KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION);
    p[3].name = "METIS";
    snprintf(p[3].version, sizeof p[3].version, "%d.%d.%d", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR);
    p[4].name = "qhull";
    snprintf(p[4].version, sizeof p[4].version, "%s", qh_version);
    p[5].name = "cairo";
    snprintf(p[5].version, sizeof p[5].version, "%s", cairo_version_string());
}

static int run(const cli_args *a) {
    part p[NPART];
    ask(p);
    if (cli_json(a)) {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, "perp", perp_version());
        json_field_whole(&j, "recording_version", PERP_RECORDING_VERSION);
        json_field_string(&j, "compiler", __VERSION__);
        json_key(&j, "libraries");
        json_object(&j);
        for (int i = 0; i < NPART; i++) json_field_string(&j, p[i].name, p[i].version);
        json_end(&j, '}');
        json_end(&j, '}');
        return CLI_OK;
    }
    printf("perp %s\n", perp_version());
    printf("  scenes version 1, recordings version %d\n", PERP_RECORDING_VERSION);
#ifdef __clang__
    printf("  %-10s%s\n", "compiler", __VERSION__);
#else
    printf("  %-10sgcc %s\n", "compiler", __VERSION__);
#endif
    for (int i = 0; i < NPART; i++) printf("  %-10s%s\n", p[i].name, p[i].version);
    return CLI_OK;
}

const cli_command command_version = {
    .name = "version",
    .operands = "",
    .min_operand = 0,
    .max_operand = 0,
    .summary = "print versions of perp and of the libraries in use",
    .about =
        "Prints the version of perp, the compiler it was built with, and the versions of the libraries it runs with.",
    .option = options,
    .example = examples,
    .run = run,
};

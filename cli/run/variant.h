/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* variant.h - one scene run in several ways, for perp refine and perp compare: each run into a recording of its own in a
 * temporary folder, and quantities read from them. */
#ifndef CLI_VARIANT_H
#define CLI_VARIANT_H

#include "scene_override.h"
#include "cli.h"

enum { VARIANT_MOST = 32, VARIANT_QUANTITIES = 32 };

/* The options that variants_new() looks at. */
/* clang-format off */
#define VARIANT_OPTIONS                                                                                             \
    {.name = "define", .letter = 'D', .kind = CLI_DEFINE, .argument = "NAME=VALUE",                                  \
     .help = "Give a parameter of the scene another value. May be repeated."},                                       \
    {.name = "duration", .letter = 't', .kind = CLI_NUMBER, .argument = "TIME", .min = 0, .max = INFINITY,           \
     .help = "Simulate until this time instead of the scene's."},                                                     \
    CLI_OUTSIDE
/* clang-format on */

typedef struct variant {
    char label[128];
    override_values words;
    int every; /* > 0: frames instead of the scene's */
    char recording[OVERRIDE_PATH];
    simulate_result result;
    perp_recording *rec; /* NULL if it could not be run to its end */
    uint64_t frames;
    double *time;
} variant;

typedef struct variants {
    const char *scene;
    char folder[OVERRIDE_PATH];
    char root[OVERRIDE_PATH]; /* that files of the scene lie in */
    const perp_definition *define;
    int ndefine;
    double duration; /* > 0: instead of the scene's */
    variant *v;      /* n of them */
    int n;
} variants;

/* Room for n variants of the operand's scene, with -D and --duration of the command. Exit code. */
int variants_new(const cli_args *a, const char *what, int n, variants *out);
/* Runs number i. The exit code of its run; one other than CLI_MACHINE and CLI_INTERRUPTED leaves rec NULL and `result`
 * with the reason. */
int variants_run(variants *s, int i);
void variants_free(variants *s);

/* A quantity of a variant over all frames; false after a complaint. @param out owned by the caller (free) */
bool variant_series(variant *v, const char *name, double **out, perp_refusal *why);
/* Its value at time t, linear between frames; NAN outside. */
double variant_at(const variant *v, const double *series, double t);
/* What a series was refused for, as a mistake in the operand. Exit code. */
int variant_no_series(const cli_args *a, const perp_refusal *why);
/* Unit of a quantity in the units of the scene. */
void variant_unit(const variant *v, const char *name, char *out, size_t size);
/* The reason why it did not run, without the name of the temporary file. */
const char *variant_why(const variant *v, char *out, size_t size);
/* Quantities to look at when none is named: places and angles of the first dynamic bodies, and the energy. Names into
 * out; their number. */
int variant_default_quantities(const variant *v, char out[][128], int most);

#endif

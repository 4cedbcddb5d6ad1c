/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_estimate.c - perp estimate: parameters of a scene from measured data, with error bars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/estimation.h"

static const cli_option options[] = {
    STUDY_OPTIONS,
    {.name = "method",
     .letter = 'm',
     .kind = CLI_CHOICE,
     .argument = "METHOD",
     .choices = method_names,
     .many = true,
     .help = "Use this method instead of those of the study. May be repeated."},
    {.name = "profile",
     .kind = CLI_FLAG,
     .help = "Compute profile intervals: the other unknowns are fitted again at each point."},
    {.name = "half-step",
     .kind = CLI_FLAG,
     .help = "Fit again with half of the time step, and print how much the unknowns change."},
    {.name = "coverage",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 1,
     .max = 1000000,
     .help = "Generate N sets of data with the scene, with noise, and count how often the 95 % intervals of least "
             "squares contain the true values."},
    STUDY_FIGURES("Draw residuals and estimates into this folder."),
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp estimate block.yaml", "values, standard errors, correlations"},
    {"perp estimate block.yaml --profile", "intervals that need not be symmetric"},
    {"perp estimate block.yaml --half-step", "is the time step short enough for these data?"},
    {"perp estimate block.yaml -m least-squares -m mpec", "two methods on the same data"},
    {NULL, NULL},
};

static perp_status run_method(estimation *s, const method *m, found *f, perp_refusal *why) {
    if (!strcmp(m->name, "least-squares")) return estimate_least_squares(s, m, f, why);
    if (!strcmp(m->name, "mpec")) return estimate_program(s, m, f, why);
    if (!strcmp(m->name, "window")) return estimate_window(s, m, f, why);
    if (!strcmp(m->name, "sample")) return estimate_posterior(s, m, f, why);
    return estimate_filter(s, m, f, why);
}

/* Runs all methods. A method that fails to solve is reported; one that does not fit the study ends the command. Exit code. */
static int run_all(const cli_args *a, estimation *s) {
    int code = CLI_OK;
    for (int i = 0; i < s->nmethod; i++) {
        found *f = &s->found[i];
        perp_refusal why = {0};
        f->name = s->method[i].name;
        snprintf(f->label, sizeof f->label, "%s", f->name);
        for (int k = 0; k < PP_STUDY_NAMES; k++)
            f->lo[k] = f->hi[k] = f->scatter[k] = f->predicted[k] = f->half[k] = NAN;
        double begun = pp_clock();
        perp_status st = run_method(s, &s->method[i], f, &why);
        if (!st && s->half && !strcmp(f->name, "least-squares")) st = estimate_half(s, &s->method[i], f, &why);
        f->seconds = pp_clock() - begun;
        if (st == PERP_E_STOPPED) return CLI_INTERRUPTED;
        if (st == PERP_E_SOLVE) {
            snprintf(f->why, sizeof f->why, "%.390s", why.text);
            f->ok = false;
            f->failed = true;
            code = CLI_FAILED;
        } else if (st) {
            return cli_refuse(a, &why);
        }
    }
    return code;
}

static int tell(const cli_args *a, estimation *s) {
    perp_refusal why = {0};
    bool ok = true, plain = !cli_json(a) && !cli_given(a, "quiet");
    json j;
    if (s->fit && estimate_check(s, s->fit, &why)) return cli_refuse(a, &why);
    if (plain) estimate_print(s, stdout);
    if (cli_json(a)) {
        json_begin(&j, stdout);
        json_object(&j);
        estimate_json(s, &j);
    }
    perp_status st = estimate_checks(s, plain ? stdout : NULL, cli_json(a) ? &j : NULL, &ok, &why);
    if (cli_json(a)) json_end(&j, '}');
    if (!st && cli_given(a, "figures")) st = estimate_figures(s, cli_text(a, "figures", "."), &why);
    return st ? cli_refuse(a, &why) : ok ? CLI_OK : CLI_FAILED;
}

/* Mistakes in checks are told before anything runs. */
static perp_status try_checks(estimation *s, perp_refusal *why) {
    int n = s->nmethod;
    bool ok;
    s->nmethod = 0;
    perp_status st = estimate_checks(s, NULL, NULL, &ok, why);
    s->nmethod = n;
    return st;
}

static int run(const cli_args *a) {
    study_args x;
    pp_study *y = NULL;
    perp_refusal why = {0};
    estimation *s = calloc(1, sizeof *s);
    if (!s) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
    cli_catch_interrupt();
    int code = study_open(a, STUDY_ESTIMATE, &x, &y);
    s->profile = cli_given(a, "profile");
    s->half = cli_given(a, "half-step");
    if (!code && (pp_estimate_read(y, &s->e, &why) || methods_read(s, a, &why) || try_checks(s, &why) ||
                  pp_rollouts_new(&s->e, (int)cli_number(a, "workers", 0), cli_interrupted, &s->runs, &why)))
        code = cli_refuse(a, &why);
    if (!code && cli_given(a, "coverage")) {
        coverage c;
        perp_status st = estimate_coverage(s, (int)cli_number(a, "coverage", 1), &c, &why);
        if (!st && cli_json(a)) coverage_json(s, &c, stdout);
        if (!st && !cli_json(a) && !cli_given(a, "quiet")) coverage_print(s, &c, stdout);
        code = st == PERP_E_STOPPED ? CLI_INTERRUPTED : st ? cli_refuse(a, &why) : CLI_OK;
        s->nmethod = 0;
    } else if (!code) {
        code = run_all(a, s);
    }
    if (!cli_given(a, "coverage") && (!code || code == CLI_FAILED)) {
        int told = tell(a, s);
        code = told ? told : code;
    }
    for (int i = 0; i < s->nmethod; i++) found_free(&s->found[i]);
    pp_rollouts_free(s->runs);
    pp_estimate_free(&s->e);
    free(s->residual);
    free(s);
    pp_study_close(y);
    study_args_free(&x);
    return code;
}

const cli_command command_estimate = {
    .name = "estimate",
    .operands = "STUDY",
    .min_operand = 1,
    .max_operand = 1,
    .summary = "estimate parameters of a scene from measured data, with error bars",
    .about = "Estimates unknown parameters of a scene from measured data. The key `estimate` of a study names the data "
             "(CSV tables with a column for each quantity, with standard deviations), the unknown parameters with "
             "bounds and priors, and the methods; docs/studies.md describes it.\n\n"
             "Least squares gives values, standard errors and correlations, and says which combinations of parameters "
             "the data cannot distinguish. Other methods for the same data: a mathematical program with the "
             "complementarity conditions of every step (mpec), a moving window, a particle filter, Kalman filters, and "
             "samples of the posterior.\n\n"
             "Missing numbers are skipped and counted. If a row of data lies between two steps, perp interpolates "
             "linearly between them.",
    .option = options,
    .example = examples,
    .run = run,
};

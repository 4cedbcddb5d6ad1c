/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_compare.c - perp compare: one scene with several steppers, contact models or forms, and how they differ. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "run/variant.h"

static const cli_option options[] = {
    {.name = "steppers",
     .letter = 's',
     .kind = CLI_TEXT,
     .argument = "LIST",
     .help = "Steppers, with commas and no blanks between them; perp info --combinations lists them."},
    {.name = "contact-models",
     .letter = 'm',
     .kind = CLI_TEXT,
     .argument = "LIST",
     .help = "Contact models in the same way."},
    {.name = "forms", .kind = CLI_TEXT, .argument = "LIST", .help = "Forms: lcp, mlcp, cone."},
    {.name = "starts", .kind = CLI_TEXT, .argument = "LIST", .help = "Starts: plain, staggered, auto."},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Draw the quantities of all runs into a figure: .svg, .pdf or .png."},
    VARIANT_OPTIONS,
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp compare puck.yaml --steppers planar-2.5d,quasistatic", "dynamic against quasistatic"},
    {"perp compare drop.yaml -m peg,corrective stone.x -o drop.svg", "contact models, drawn"},
    {"perp compare slide.yaml --forms lcp,cone --json", "pyramids against cones, for another program"},
    {NULL, NULL},
};

/* The lists that were given, in the order of override_name(); each a copy that is cut at its commas. */
typedef struct choices {
    char *text[5];
    const char *word[5][VARIANT_MOST + 1];
    int n[5];
} choices;

static const char *option_of(int word) {
    static const char *const option[] = {"starts", "contact-models", NULL, "steppers", "forms"};
    return option[word];
}

/* Cuts the lists; exit code. */
static int read_choices(const cli_args *a, choices *c) {
    *c = (choices){0};
    int total = 1;
    for (int w = 0; override_name(w); w++) {
        const char *list = option_of(w) && cli_given(a, option_of(w)) ? cli_text(a, option_of(w), "") : NULL;
        if (!list) {
            c->n[w] = 1; /* as the scene says */
            continue;
        }
        c->text[w] = strdup(list);
        if (!c->text[w]) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
        for (char *p = c->text[w]; p; c->n[w]++) {
            char key[32];
            snprintf(key, sizeof key, "--%s", option_of(w));
            if (c->n[w] == VARIANT_MOST) return cli_mistake(a, key, "more than 32 names", "fewer");
            if (!*p || *p == ',') return cli_mistake(a, key, "an empty name", "names with commas between them");
            c->word[w][c->n[w]] = p;
            p = strchr(p, ',');
            if (p) *p++ = 0;
        }
        total *= c->n[w];
        if (total > VARIANT_MOST) return cli_mistake(a, "", "more than 32 runs", "shorter lists");
    }
    if (total < 2)
        return cli_mistake(a, "--steppers", "nothing to compare",
                           "two names or more in --steppers, --contact-models, --forms or --starts");
    return CLI_OK;
}

static void choices_free(choices *c) {
    for (int w = 0; w < 5; w++) free(c->text[w]);
}

static int count(const choices *c) {
    int n = 1;
    for (int w = 0; override_name(w); w++) n *= c->n[w];
    return n;
}

/* Words and label of run i; the last list runs fastest. */
static void choose(const choices *c, int i, variant *v) {
    size_t at = 0;
    const char *word[5] = {NULL};
    for (int w = 4; w >= 0; w--) {
        if (!c->text[w]) continue; /* as the scene says */
        word[w] = c->word[w][i % c->n[w]];
        i /= c->n[w];
    }
    for (int w = 0; override_name(w); w++) {
        *override_value(&v->words, w) = word[w];
        if (word[w] && at < sizeof v->label)
            at += (size_t)snprintf(v->label + at, sizeof v->label - at, "%s%s", at ? " " : "", word[w]);
    }
}

/* How run i differs from the first that ran, in one quantity. */
typedef struct difference {
    double end, at_end, largest, when;
} difference;

static bool differ(variants *s, int base, int i, const char *name, difference *d, perp_refusal *why) {
    double *x = NULL, *y = NULL;
    bool ok = variant_series(&s->v[base], name, &x, why) && variant_series(&s->v[i], name, &y, why);
    *d = (difference){NAN, NAN, 0, NAN};
    if (ok) {
        const variant *b = &s->v[base], *v = &s->v[i];
        d->end = y[v->frames - 1];
        d->at_end = d->end - variant_at(b, x, v->time[v->frames - 1]);
        for (uint64_t k = 0; k < b->frames; k++) {
            double e = fabs(variant_at(v, y, b->time[k]) - x[k]);
            if (e > d->largest) d->largest = e, d->when = b->time[k];
        }
    }
    free(x);
    free(y);
    return ok;
}

static void print_runs(const variants *s) {
    size_t width = 8;
    for (int i = 0; i < s->n; i++) width = strlen(s->v[i].label) > width ? strlen(s->v[i].label) : width;
    printf("\n  %-*s %10s %12s %12s %12s  %s\n", (int)width, "run", "steps/s", "laws", "overlap", "joints", "verdict");
    for (int i = 0; i < s->n; i++) {
        const variant *v = &s->v[i];
        if (!v->rec) {
            char why[512];
            printf("  %-*s %s\n", (int)width, v->label, variant_why(v, why, sizeof why));
            continue;
        }
        verdict w;
        char rate[32];
        judge(&v->result, &w);
        double seconds = v->result.seconds - v->result.recording_seconds;
        printf("  %-*s %10s %12.2g %12.2g %12.2g  %s\n", (int)width, v->label,
               cli_rate(rate, sizeof rate, seconds > 0 ? (double)v->result.steps / seconds : 0), v->result.law,
               v->result.total.overlap, v->result.total.joint_error, w.word);
    }
}

static int print_differences(const cli_args *a, variants *s, int base, const char *name) {
    char unit[64];
    variant_unit(&s->v[base], name, unit, sizeof unit);
    printf("\n%s%s%s", cli_style(stdout, "1"), name, cli_style(stdout, ""));
    if (*unit) printf(" [%s]", unit);
    printf("\n  %22s %12s %22s  %s\n", "at the end", "difference", "largest, at t", "run");
    for (int i = 0; i < s->n; i++) {
        difference d;
        perp_refusal why;
        char most[48] = "";
        if (!s->v[i].rec) continue;
        if (!differ(s, base, i, name, &d, &why)) return cli_refuse(a, &why);
        if (i != base) snprintf(most, sizeof most, isnan(d.when) ? "0" : "%.3g at %.6g", d.largest, d.when);
        printf("  %22.15g %12.3g %22s  %s\n", d.end, d.at_end, most, s->v[i].label);
    }
    return CLI_OK;
}

static int json_result(const cli_args *a, variants *s, int base, char names[][128], int n) {
    json j;
    int code = CLI_OK;
    json_begin(&j, stdout);
    json_object(&j);
    json_field_string(&j, "title", s->v[base].result.title);
    json_field_string(&j, "compared_with", s->v[base].label);
    json_key(&j, "runs");
    json_array(&j);
    for (int i = 0; i < s->n; i++) {
        const variant *v = &s->v[i];
        json_object(&j);
        json_field_string(&j, "run", v->label);
        json_field_bool(&j, "ran", v->rec != NULL);
        if (!v->rec) json_refusal(&j, "error", &v->result.why, v->result.code);
        if (v->rec) {
            json_field_whole(&j, "steps", (long long)v->result.steps);
            json_field_number(&j, "seconds", v->result.seconds - v->result.recording_seconds);
            json_field_number(&j, "law", v->result.law);
            json_certificate(&j, "certificate", &v->result.total);
        }
        json_key(&j, "quantities");
        json_array(&j);
        for (int q = 0; v->rec && q < n; q++) {
            difference d;
            perp_refusal why;
            if (!differ(s, base, i, names[q], &d, &why)) {
                code = CLI_BAD_INPUT;
                continue;
            }
            json_object(&j);
            json_field_string(&j, "name", names[q]);
            json_field_number(&j, "end", d.end);
            json_field_number(&j, "difference", d.at_end);
            json_field_number(&j, "largest", d.largest);
            json_field_number(&j, "largest_t", d.when);
            json_end(&j, '}');
        }
        json_end(&j, ']');
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
    (void)a;
    return code;
}

static int draw(const cli_args *a, const variants *s, char names[][128], int n) {
    const char *path[VARIANT_MOST], *label[VARIANT_MOST], *what[VARIANT_QUANTITIES];
    plot_request q = plot_request_default();
    for (int i = 0; i < s->n; i++) {
        if (!s->v[i].rec) continue;
        path[q.nrecording] = s->v[i].recording;
        label[q.nrecording++] = s->v[i].label;
    }
    for (int i = 0; i < n; i++) what[i] = names[i];
    q.recording = path;
    q.label = label;
    q.what = what;
    q.nwhat = n;
    q.output = cli_text(a, "output", NULL);
    perp_refusal why;
    perp_status st = plot_recordings(&q, &why);
    if (st) return st == PERP_E_IO ? cli_refuse_writing(a, &why) : cli_refuse(a, &why);
    if (!cli_json(a)) printf("\n%s: %d quantities of %d runs\n", q.output, n, q.nrecording);
    return CLI_OK;
}

/* Runs all variants; *base is the first that ran. A variant that is refused or fails is listed with its reason. */
static int run_all(const cli_args *a, variants *s, const choices *c, int *base) {
    *base = -1;
    for (int i = 0; i < s->n; i++) {
        choose(c, i, &s->v[i]);
        if (cli_terminal(stderr)) fprintf(stderr, "%s ...\n", s->v[i].label);
        int code = variants_run(s, i);
        if (code == CLI_INTERRUPTED) return code;
        if (code == CLI_MACHINE) return cli_refuse_writing(a, &s->v[i].result.why);
        if (!code && *base < 0) *base = i;
    }
    if (*base >= 0) return CLI_OK;
    char why[512];
    return cli_refuse_say(a, s->v[0].result.code, "none of them ran: %s", variant_why(&s->v[0], why, sizeof why));
}

static int run(const cli_args *a) {
    choices c;
    variants s = {0};
    char names[VARIANT_QUANTITIES][128];
    perp_refusal why;
    int base = -1, n = cli_operands(a) - 1, code = read_choices(a, &c);
    if (!code && n > VARIANT_QUANTITIES) code = cli_mistake(a, "", "more than 32 quantities", "at most 32");
    if (!code && cli_given(a, "output") && plot_check_output(cli_text(a, "output", ""), &why))
        code = cli_refuse(a, &why);
    cli_catch_interrupt();
    if (!code) code = variants_new(a, "compare", count(&c), &s);
    if (!code) code = run_all(a, &s, &c, &base);
    if (!code && n == 0) n = variant_default_quantities(&s.v[base], names, VARIANT_QUANTITIES);
    for (int i = 0; !code && cli_operands(a) > 1 && i < n; i++) {
        double *x;
        snprintf(names[i], sizeof names[i], "%s", cli_operand(a, 1 + i));
        if (!variant_series(&s.v[base], names[i], &x, &why))
            code = variant_no_series(a, &why);
        else
            free(x);
    }
    if (!code && cli_json(a)) {
        code = json_result(a, &s, base, names, n);
    } else if (!code) {
        char title[300];
        printf("%s%s%s\n", cli_style(stdout, "1"), cli_printable(title, sizeof title, s.v[base].result.title),
               cli_style(stdout, ""));
        print_runs(&s);
        printf("\nDifferences are from %s.\n", s.v[base].label);
        for (int i = 0; !code && i < n; i++) code = print_differences(a, &s, base, names[i]);
    }
    if (!code && cli_given(a, "output")) code = draw(a, &s, names, n);
    for (int i = 0; !code && i < s.n; i++)
        if (!s.v[i].rec) code = CLI_FAILED;
    variants_free(&s);
    choices_free(&c);
    return code;
}

const cli_command command_compare = {
    .name = "compare",
    .operands = "SCENE [QUANTITY...]",
    .min_operand = 1,
    .max_operand = -1,
    .summary = "run a scene with several steppers or contact models and compare the results",
    .about = "Runs the scene once for each combination of the lists and compares all runs with the first one: "
             "quantities at the end, the largest difference at any frame and its time, how well the laws held, and the "
             "speed of each run. Every run gets a verdict, as in perp run.\n\n"
             "Quantities are those of perp plot: block.x, hinge.rate, energy.total. The default is positions and "
             "angles of the first dynamic bodies, and the energy. --output draws a panel for each quantity, with a "
             "line for each run.\n\n"
             "If a combination is not allowed (for example, a stepper that does not support a shape) or a run fails, "
             "perp says so beside the others, and the exit code is 1.",
    .option = options,
    .example = examples,
    .run = run,
};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_refine.c - perp refine: the same scene with h, h/2, h/4, ...: observed order and error bars.
 *
 * With results q_k at h/2^k and differences d_k = q_k - q_k-1, an error c h^p gives d_k/d_k+1 = 2^p; the remaining error at the
 * finest step is then d/(2^p - 1) (Richardson). If the last differences change sign or do not decrease, or if the last two orders
 * disagree or are outside the range of the steppers, the error does not have this form: nothing is extrapolated, the error estimate is
 * the larger of the last two differences, and the reason is printed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/variant.h"

static const cli_option options[] = {
    {.name = "levels",
     .letter = 'n',
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 2,
     .max = 16,
     .help = "Number of step sizes, each half of the one before; 4 by default."},
    {.name = "at",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .max = INFINITY,
     .help = "Compare at this time instead of the end of the run."},
    {.name = "largest",
     .kind = CLI_FLAG,
     .help = "Compare over the whole run: differences are the largest at any frame of the coarsest run."},
    VARIANT_OPTIONS,
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp refine pendulum.yaml", "places, angles and energy at the end, with four step sizes"},
    {"perp refine pendulum.yaml bob.x hinge.rate --levels 6 --at 0.5", "chosen quantities at t = 0.5"},
    {"perp refine pile.yaml energy.total --largest", "how far apart runs drift at any time"},
    {NULL, NULL},
};

/* What refining told of one quantity. */
typedef struct finding {
    const char *name;
    char unit[64];
    double value[VARIANT_MOST]; /* NAN with --largest */
    double step[VARIANT_MOST];  /* difference from the level before; [0] is NAN */
    double order[VARIANT_MOST]; /* from three levels; NAN for the first two */
    double bar;                 /* error of the finest */
    double extrapolated;        /* NAN: there is no clear order, or --largest */
    bool rounding;              /* the last difference is rounding only */
    bool clear;                 /* the differences shrink by a steady order */
    char why[160]; /* why the order is not clear; "" if it is, or where there is nothing left but rounding */
} finding;

#define LEAST_ORDER  0.5 /* range of observed orders that are extrapolated; steppers have order 1 or 2 */
#define MOST_ORDER   8.0
#define ORDERS_APART 0.5 /* farthest that the last two orders may lie apart */

/* The last differences as a list, for a reason. */
static void differences(const finding *f, int n, int first, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (int k = first; k < n && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%.3g", k > first ? ", " : "", f->step[k]);
}

/* Do the last differences, three where there are as many, shrink by a steady order p? Says what it saw if not. */
static bool is_clear(finding *f, int n, double p, double before) {
    char list[96];
    int first = n > 3 ? n - 3 : 1;
    bool turns = false, grows = false;
    if (n < 3) {
        snprintf(f->why, sizeof f->why, "two step sizes show no order (--levels 3 or more)");
        return false;
    }
    for (int k = first + 1; k < n; k++) {
        turns = turns || f->step[k] * f->step[k - 1] < 0;
        grows = grows || !(fabs(f->step[k]) < fabs(f->step[k - 1]));
    }
    differences(f, n, first, list, sizeof list);
    if (turns)
        snprintf(f->why, sizeof f->why, "the differences change sign (%s)", list);
    else if (grows)
        snprintf(f->why, sizeof f->why, "the differences do not shrink (%s)", list);
    else if (!(p >= LEAST_ORDER && p <= MOST_ORDER))
        snprintf(f->why, sizeof f->why, "the observed order is %.2f, outside %g to %g", p, LEAST_ORDER, MOST_ORDER);
    else if (!(fabs(p - before) <= ORDERS_APART))
        snprintf(f->why, sizeof f->why, "the last two orders differ (%.2f, %.2f)", before, p);
    return !f->why[0];
}

static void conclude(finding *f, int n) {
    double size = fabs(f->value[n - 1]), last = f->step[n - 1];
    for (int k = 0; k < n; k++) f->order[k] = NAN;
    for (int k = 2; k < n; k++)
        if (f->step[k] != 0 && f->step[k - 1] != 0) f->order[k] = log2(fabs(f->step[k - 1] / f->step[k]));
    double p = n > 2 ? f->order[n - 1] : NAN, before = n > 3 ? f->order[n - 2] : p;
    f->rounding = fabs(last) <= 1e-13 * (size > 0 ? size : 1);
    f->clear = !f->rounding && is_clear(f, n, p, before);
    f->extrapolated = NAN;
    f->bar = n > 2 ? fmax(fabs(last), fabs(f->step[n - 2])) : fabs(last);
    if (!f->clear) return;
    f->bar = fabs(last) / (pow(2, p) - 1);
    f->extrapolated = f->value[n - 1] + last / (pow(2, p) - 1);
}

/* Reads a quantity of all levels; false after a complaint. */
static bool find_out(variants *s, const char *name, double at, bool largest, finding *f, perp_refusal *why) {
    double *coarse = NULL, *fine = NULL;
    f->name = name;
    variant_unit(&s->v[0], name, f->unit, sizeof f->unit);
    bool ok = true;
    for (int k = 0; ok && k < s->n; k++) {
        ok = variant_series(&s->v[k], name, &fine, why);
        if (!ok) break;
        f->value[k] = largest ? NAN : variant_at(&s->v[k], fine, at);
        f->step[k] = NAN;
        if (k > 0 && !largest) f->step[k] = f->value[k] - f->value[k - 1];
        for (uint64_t i = 0; k > 0 && largest && i < s->v[k - 1].frames; i++) {
            double d = fabs(variant_at(&s->v[k], fine, s->v[k - 1].time[i]) - coarse[i]);
            if (!(d <= f->step[k])) f->step[k] = d;
        }
        free(coarse);
        coarse = fine;
    }
    free(coarse);
    if (ok) conclude(f, s->n);
    return ok;
}

static void print_finding(const finding *f, const variants *s, bool largest) {
    int n = s->n;
    printf("\n%s%s%s", cli_style(stdout, "1"), f->name, cli_style(stdout, ""));
    if (*f->unit) printf(" [%s]", f->unit);
    printf("\n  %12s %22s %12s %7s\n", "h", largest ? "" : "value", "difference", "order");
    for (int k = 0; k < n; k++) {
        char value[32] = "", step[32] = "", order[16] = "";
        if (!largest) snprintf(value, sizeof value, "%.15g", f->value[k]);
        if (!isnan(f->step[k])) snprintf(step, sizeof step, "%.3g", f->step[k]);
        if (!isnan(f->order[k])) snprintf(order, sizeof order, "%.2f", f->order[k]);
        printf("  %12.6g %22s %12s %7s\n", s->v[k].words.h, value, step, order);
    }
    if (f->rounding)
        printf("  the finest two agree to rounding\n");
    else if (!f->clear)
        printf("  no clear order: %s\n  not extrapolated; error at the finest step: about %.2g\n", f->why, f->bar);
    else if (largest)
        printf("  order %.2f; error at the finest step: about %.2g\n", f->order[n - 1], f->bar);
    else
        printf("  order %.2f; error at the finest step: about %.2g; extrapolated: %.15g\n", f->order[n - 1], f->bar,
               f->extrapolated);
}

static void json_finding(json *j, const finding *f, const variants *s) {
    json_object(j);
    json_field_string(j, "name", f->name);
    json_field_string(j, "unit", f->unit);
    json_key(j, "levels");
    json_array(j);
    for (int k = 0; k < s->n; k++) {
        json_object(j);
        json_field_number(j, "h", s->v[k].words.h);
        json_field_number(j, "value", f->value[k]);
        json_field_number(j, "difference", f->step[k]);
        json_field_number(j, "order", f->order[k]);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_field_bool(j, "rounding", f->rounding);
    json_field_number(j, "error", f->bar);
    json_field_number(j, "extrapolated", f->extrapolated);
    json_field_string(j, "why_not_extrapolated", f->why);
    json_end(j, '}');
}

/* The step and frames of the scene as it stands. Exit code. */
static int look_at_scene(const cli_args *a, const variants *s, double *h, int *every) {
    perp_scene_options so = {.define = s->define, .ndefine = s->ndefine, .root = cli_root(a)};
    perp_scene *scene;
    perp_refusal why;
    if (perp_scene_open(s->scene, &so, &scene, &why)) return cli_refuse(a, &why);
    *h = perp_world_h(perp_scene_world(scene));
    *every = perp_scene_record(scene).every;
    perp_scene_close(scene);
    return CLI_OK;
}

static int run_levels(const cli_args *a, variants *s, double h, int every) {
    for (int k = 0; k < s->n; k++) {
        variant *v = &s->v[k];
        v->words.h = ldexp(h, -k);
        v->every = every << k; /* frames at the same times */
        if (cli_terminal(stderr)) fprintf(stderr, "h = %g ...\n", v->words.h);
        int code = variants_run(s, k);
        if (code == CLI_INTERRUPTED) return code;
        if (code == CLI_MACHINE) return cli_refuse_writing(a, &v->result.why);
        char why[512];
        if (code) return cli_refuse_say(a, code, "with h = %g: %s", v->words.h, variant_why(v, why, sizeof why));
    }
    return CLI_OK;
}

static int run(const cli_args *a) {
    variants s;
    double h = 0;
    int every = 1, code = variants_new(a, "refine", (int)cli_number(a, "levels", 4), &s);
    cli_catch_interrupt();
    if (!code) code = look_at_scene(a, &s, &h, &every);
    if (!code) code = run_levels(a, &s, h, every);
    bool largest = cli_given(a, "largest");
    char names[VARIANT_QUANTITIES][128];
    int n = cli_operands(a) - 1;
    finding *f = NULL;
    if (!code && n > VARIANT_QUANTITIES) code = cli_mistake(a, "", "more than 32 quantities", "at most 32");
    if (!code && n == 0) n = variant_default_quantities(&s.v[0], names, VARIANT_QUANTITIES);
    if (!code) {
        f = calloc((size_t)n + 1, sizeof *f);
        if (!f) {
            (void)cli_refuse_say(a, CLI_MACHINE, "not enough memory");
            code = CLI_MACHINE;
        }
    }
    double end = !code ? s.v[0].time[s.v[0].frames - 1] : 0, at = cli_number(a, "at", end);
    if (!code && (at < 0 || at > end * (1 + 1e-12))) {
        char found[64], allowed[64];
        snprintf(found, sizeof found, "%g", at);
        snprintf(allowed, sizeof allowed, "0 to %g, the end of the run", end);
        code = cli_mistake(a, "--at", found, allowed);
    }
    for (int i = 0; !code && i < n; i++) {
        perp_refusal why;
        const char *name = cli_operands(a) > 1 ? cli_operand(a, 1 + i) : names[i];
        if (!find_out(&s, name, at, largest, &f[i], &why)) code = variant_no_series(a, &why);
    }
    if (!code && cli_json(a)) {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, "title", s.v[0].result.title);
        json_field_number(&j, "t", at);
        json_field_bool(&j, "largest", largest);
        json_key(&j, "quantities");
        json_array(&j);
        for (int i = 0; i < n; i++) json_finding(&j, &f[i], &s);
        json_end(&j, ']');
        json_end(&j, '}');
    } else if (!code) {
        char title[300];
        printf("%s%s%s\n", cli_style(stdout, "1"), cli_printable(title, sizeof title, s.v[0].result.title),
               cli_style(stdout, ""));
        printf(largest ? "largest difference at any frame up to t = %g\n" : "at t = %g\n", largest ? end : at);
        for (int i = 0; i < n; i++) print_finding(&f[i], &s, largest);
    }
    free(f);
    variants_free(&s);
    return code;
}

const cli_command command_refine = {
    .name = "refine",
    .operands = "SCENE [QUANTITY...]",
    .min_operand = 1,
    .max_operand = -1,
    .summary = "run a scene with smaller time steps and print the observed order and the error",
    .about = "Runs the scene with its step h, then h/2, h/4, ... and compares quantities at the end of the run. For "
             "each quantity it prints the values, their differences, the observed order p (halving h divides the error "
             "by 2^p), an estimate of the error at the finest step and, if the order is clear, the value extrapolated "
             "to h = 0. If the differences change sign, do not shrink, or show orders that disagree, perp does not "
             "extrapolate and says what it found.\n\n"
             "Quantities are those of perp plot: block.x, hinge.rate, energy.total. The default is positions and "
             "angles of the first dynamic bodies, and the energy.\n\n"
             "If bodies collide, errors are not smooth in h, and the observed order is only a hint. The recordings of "
             "the runs are temporary.",
    .option = options,
    .example = examples,
    .run = run,
};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_study.c - perp study: what a finished or running study has found, and parts joined into one file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/design.h"
#include "study/open.h"
#include "study_view/study_view.h"

enum { FILES_MOST = 4096, FAILURES_SHOWN = 20 };

static const cli_option options[] = {
    STUDY_OUTPUT("Join the files, which are parts of one study, into this one."),
    STUDY_FIGURES("Draw the figures of the study into this folder."),
    {.name = "page",
     .kind = CLI_FILE,
     .argument = "PAGE",
     .help = "Write a page in Markdown with tables and figures; the figures go beside it."},
    {.name = "as",
     .kind = CLI_FILE,
     .argument = "STUDY",
     .help = "Take title, values, report and checks from this study instead of the one in the file. It must have the "
             "same trials."},
    {.name = "csv", .kind = CLI_FILE, .argument = "TABLE", .help = "Write all trials as CSV."},
    {.name = "failures", .kind = CLI_FLAG, .help = "List all trials that failed, with the reason."},
    {.name = "trial",
     .kind = CLI_WHOLE,
     .argument = "K",
     .min = 0,
     .max = 1e15,
     .help = "Run trial K again and print it."},
    {.name = "record", .kind = CLI_FILE, .argument = "RECORDING", .help = "With --trial: record the run."},
    {.name = "view",
     .letter = 'v',
     .kind = CLI_FLAG,
     .help = "Show the study in the browser: its maps, the trials of a cell, and any of them played."},
    {.name = "export",
     .letter = 'e',
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Write the maps as one HTML file, which needs neither perp nor a network."},
    {.name = "port",
     .kind = CLI_WHOLE,
     .argument = "PORT",
     .min = 1,
     .max = 65535,
     .help = "With --view: use this port of 127.0.0.1 instead of any that is free."},
    {.name = "no-open", .kind = CLI_FLAG, .help = "With --view: do not open a browser, only print the address."},
    {.name = "force", .letter = 'f', .kind = CLI_FLAG, .help = "Replace existing files."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp study grasp-map.h5", "tables, intervals and checks so far"},
    {"perp study part*.h5 -o grasp-map.h5", "join the parts of a study"},
    {"perp study grasp-map.h5 --figures out", "maps and plots"},
    {"perp study grasp-map.h5 --view", "maps in the browser; click a cell, play a trial"},
    {"perp study grasp-map.h5 --trial 1234 --record trial.h5", "look at one trial"},
    {NULL, NULL},
};

/* Writes all rows in the order of their numbers into a new file. */
static int join(const cli_args *a, const pp_study *s, const pp_table *t, pp_study_file *first, const char *path) {
    perp_refusal why = {0};
    pp_study_file *f = NULL;
    perp_status st = pp_study_file_copy(path, first, &f, &why);
    (void)s;
    for (uint64_t i = 0; !st && i < t->n; i++) st = pp_study_file_add(f, pp_table_row(t, i), &why);
    if (!st) st = pp_study_file_commit(f, &why);
    pp_study_file_close(f);
    return st ? cli_refuse_writing(a, &why) : CLI_OK;
}

static int write_csv(const cli_args *a, const pp_table *t, const char *path) {
    const pp_study *s = t->study;
    FILE *to = fopen(path, "w");
    if (!to) return cli_refuse_say(a, CLI_MACHINE, "%s: the file cannot be written", path);
    fprintf(to, "trial,outcome,steps,t_end,law,overlap,joint_error");
    for (int i = 0; i < s->nparameter; i++) fprintf(to, ",%s", s->parameter[i]);
    for (int i = 0; i < s->nmeasure; i++) fprintf(to, ",%s", s->measure[i].name);
    fprintf(to, "\n");
    for (uint64_t i = 0; i < t->n; i++) {
        const pp_row *r = pp_table_row(t, i);
        fprintf(to, "%llu,%s,%u,%.17g,%.6g,%.6g,%.6g", (unsigned long long)r->number, pp_outcome_word(r->outcome),
                r->steps, r->t_end, r->law, r->overlap, r->joint_error);
        for (int k = 0; k < s->nparameter + s->nmeasure; k++) fprintf(to, ",%.17g", r->value[k]);
        fprintf(to, "\n");
    }
    bool bad = ferror(to) != 0;
    if (fclose(to) || bad) return cli_refuse_say(a, CLI_MACHINE, "%s: the file cannot be written", path);
    return CLI_OK;
}

typedef struct totals {
    uint64_t outcome[PP_OUTCOMES], failed;
    double law, overlap, joint_error, seconds;
} totals;

static totals count(const pp_table *t) {
    totals x = {.failed = 0};
    for (uint64_t i = 0; i < t->n; i++) {
        const pp_row *r = pp_table_row(t, i);
        x.outcome[r->outcome < PP_OUTCOMES ? r->outcome : PP_TRIAL_UNMEASURED]++;
        x.failed += r->outcome >= PP_TRIAL_UNSOLVED;
        if (r->law > x.law) x.law = r->law;
        if (r->overlap > x.overlap) x.overlap = r->overlap;
        if (r->joint_error > x.joint_error) x.joint_error = r->joint_error;
        x.seconds += r->seconds;
    }
    return x;
}

static void print_failures(const pp_table *t, uint64_t most) {
    uint64_t shown = 0;
    for (uint64_t i = 0; i < t->n; i++) {
        const pp_row *r = pp_table_row(t, i);
        if (r->outcome < PP_TRIAL_UNSOLVED) continue;
        if (shown++ >= most) continue;
        printf("  trial %llu %s: %s\n", (unsigned long long)r->number, pp_outcome_word(r->outcome), r->why);
    }
    if (shown > most) printf("  and %llu more; --failures lists all\n", (unsigned long long)(shown - most));
}

static void print_summary(const cli_args *a, const pp_study *s, const pp_table *t, uint64_t trials, uint64_t digest) {
    totals x = count(t);
    char time[64];
    cli_seconds(time, sizeof time, x.seconds);
    study_print_title(s, stdout);
    printf("  trials     %llu", (unsigned long long)t->n);
    if (trials) printf(" of %llu", (unsigned long long)trials);
    printf("; %llu to the end, %llu ended early; %s of processors\n", (unsigned long long)x.outcome[0],
           (unsigned long long)x.outcome[1], time);
    study_print_failed(x.outcome, stdout);
    printf("  worst      law residual %.2g, overlap %.2g, joint error %.2g\n", x.law, x.overlap, x.joint_error);
    printf("  digest     %016llx\n", (unsigned long long)digest);
    if (x.failed) print_failures(t, cli_given(a, "failures") ? UINT64_MAX : FAILURES_SHOWN);
}

static void print_json(const report *r, const pp_table *t, uint64_t trials, uint64_t digest) {
    json j;
    totals x = count(t);
    char text[32];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    json_begin(&j, stdout);
    json_object(&j);
    json_field_string(&j, "title", t->study->title);
    json_field_whole(&j, "trials", (long long)trials);
    json_field_whole(&j, "done", (long long)t->n);
    json_field_whole(&j, "failed", (long long)x.failed);
    json_field_number(&j, "processor_seconds", x.seconds);
    json_field_number(&j, "law", x.law);
    json_field_number(&j, "overlap", x.overlap);
    json_field_string(&j, "digest", text);
    report_json(r, t, &j);
    json_end(&j, '}');
}

/* Prints and writes what the options ask for. Exit code. */
static int tell(const cli_args *a, pp_study_file *const *f, int n, const pp_study *s, const pp_table *t) {
    perp_refusal why = {0};
    uint64_t digest = 0, trials = pp_study_file_info(f[0])->trials;
    report r;
    bool ok = true;
    int figures = 0, code = CLI_OK;
    if (report_read(s, &r, &why)) return cli_refuse(a, &why);
    perp_status st = pp_study_digest(f, n, &digest, &why);
    if (!st && t->n == trials) st = report_evaluate(&r, t, &ok, &why);
    if (t->n != trials) r.ncheck = 0; /* not yet */
    if (!st && cli_json(a)) {
        print_json(&r, t, trials, digest);
    } else if (!st) {
        print_summary(a, s, t, trials, digest);
        st = report_print(&r, t, stdout, false, &why);
    }
    if (!st && cli_given(a, "figures")) st = report_figures(&r, t, cli_text(a, "figures", "."), &figures, &why);
    if (!st && cli_given(a, "page")) st = report_page(&r, t, cli_text(a, "page", ""), NULL, &why);
    if (st) code = cli_refuse(a, &why);
    if (!code && cli_given(a, "csv")) code = write_csv(a, t, cli_text(a, "csv", ""));
    if (!code && cli_given(a, "output")) code = join(a, s, t, f[0], cli_text(a, "output", ""));
    report_free(&r);
    return code ? code : ok ? CLI_OK : CLI_FAILED;
}

/* Runs a trial of the files again. Its parameters are those of its row: only the file knows the designs of a search. Exit code. */
static int again(const cli_args *a, pp_study *s, const pp_table *t, bool search) {
    uint64_t number = (uint64_t)cli_number(a, "trial", 0);
    perp_refusal why = {0};
    const pp_row *row = pp_table_find(t, number);
    if (!row)
        return cli_refuse_say(a, CLI_BAD_INPUT, "--trial: found %llu; allowed: a trial that is in the file",
                              (unsigned long long)number);
    pp_design d = {0};
    if (search && pp_design_read(s, &d, &why)) return cli_refuse(a, &why); /* trials set the free parameters */
    pp_design_free(&d);
    return study_record_trial(a, s, number, row->value, cli_text(a, "record", NULL));
}

static int open_files(const cli_args *a, pp_study_file **f, int n) {
    perp_refusal why = {0};
    for (int i = 0; i < n; i++) {
        if (pp_study_file_open(cli_operand(a, i), &f[i], &why)) return cli_refuse(a, &why);
        if (pp_study_file_info(f[i])->plan != pp_study_file_info(f[0])->plan)
            return cli_refuse_say(a, CLI_BAD_INPUT, "%s: found another study than in %s; allowed: parts of one study",
                                  cli_operand(a, i), cli_operand(a, 0));
    }
    return CLI_OK;
}

/* Options that do not go together. */
static int check_together(const cli_args *a) {
    static const char *const of_server[] = {"port", "no-open"};
    static const char *const of_tables[] = {"output", "figures", "page", "csv", "failures", "trial", "record"};
    bool view = cli_given(a, "view"), write = cli_given(a, "export");
    char key[32];
    if (view && write) return cli_mistake(a, "--export", "together with --view", "one of the two");
    for (size_t i = 0; !view && i < sizeof of_server / sizeof *of_server; i++) {
        snprintf(key, sizeof key, "--%s", of_server[i]);
        if (cli_given(a, of_server[i])) return cli_mistake(a, key, "without --view", "both together");
    }
    for (size_t i = 0; (view || write) && i < sizeof of_tables / sizeof *of_tables; i++) {
        snprintf(key, sizeof key, "--%s", of_tables[i]);
        if (cli_given(a, of_tables[i]))
            return cli_mistake(a, key, view ? "together with --view" : "together with --export", "one of the two");
    }
    return CLI_OK;
}

static int run(const cli_args *a) {
    int n = cli_operands(a), mistake = check_together(a);
    perp_refusal why = {0};
    if (mistake) return mistake;
    if (n > FILES_MOST) return cli_mistake(a, "", "too many files", "at most 4096");
    if (cli_given(a, "view") || cli_given(a, "export")) return study_view_show(a, "study");
    pp_study_file **f = calloc((size_t)n, sizeof *f);
    pp_study *s = NULL;
    pp_table t = {0};
    if (!f) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
    cli_catch_interrupt();
    int code = open_files(a, f, n);
    if (!code && pp_study_file_study(f[0], cli_text(a, "as", NULL), &s, &why)) code = cli_refuse(a, &why);
    if (!code) pp_table_init(&t, s);
    if (!code) code = study_load(a, f, n, &t);
    if (!code && cli_given(a, "trial"))
        code = again(a, s, &t, s->design && pp_study_file_info(f[0])->trials == 0);
    else if (!code)
        code = tell(a, f, n, s, &t);
    pp_table_free(&t);
    pp_study_close(s);
    for (int i = 0; i < n; i++) pp_study_file_close(f[i]);
    free(f);
    return code;
}

const cli_command command_study = {
    .name = "study",
    .operands = "RESULTS...",
    .min_operand = 1,
    .max_operand = -1,
    .summary = "print tables, figures and checks of a finished or running study",
    .about = "Reads the results of perp sweep and perp design, finished or still running, and prints what the study "
             "reports: fractions with 95 % intervals, means, maps, checks against references. Several files are "
             "treated as parts of one study; --output joins them into one file.\n\n"
             "The digest is a hash of all results in the order of their trial numbers, without computing times. It "
             "does not depend on workers, parts, machines or interruptions.\n\n"
             "--view shows the study in the browser, on this machine only: all maps, the trials of a cell, and the "
             "viewer for a trial that is run again. The trial is bitwise the same as in the file; if not, the page "
             "says why. The page of a running study is updated as results arrive. perp view RESULTS does the same.",
    .option = options,
    .example = examples,
    .run = run,
};

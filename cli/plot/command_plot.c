/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_plot.c - perp plot: figures for papers from recordings, and from what perp solve wrote. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot/plot.h"

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Name of the figure, which ends in .svg, .pdf or .png (.csv with --csv). The default is the name of "
             "the first recording with .svg, in the current folder."},
    {.name = "title", .kind = CLI_TEXT, .argument = "TEXT", .help = "Title above the figure."},
    {.name = "xlabel",
     .kind = CLI_TEXT,
     .argument = "TEXT",
     .help = "Label of the x axis. L^2 and 10^{-3} become superscripts."},
    {.name = "ylabel", .kind = CLI_TEXT, .argument = "TEXT", .help = "Label of the y axis of every panel."},
    {.name = "label",
     .letter = 'l',
     .kind = CLI_TEXT,
     .argument = "TEXT",
     .many = true,
     .help = "Name of a recording in the legend. Give it once for each recording, in the same order."},
    {.name = "from",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .min = -INFINITY,
     .max = INFINITY,
     .help = "Draw frames from this time on."},
    {.name = "to",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .min = -INFINITY,
     .max = INFINITY,
     .help = "Draw frames up to this time."},
    {.name = "xrange",
     .kind = CLI_TEXT,
     .argument = "A,B",
     .help = "Limits of the x axis. If one is omitted, it is taken from the data."},
    {.name = "yrange", .kind = CLI_TEXT, .argument = "A,B", .help = "Limits of the y axis, as for --xrange."},
    {.name = "logx", .kind = CLI_FLAG, .help = "Logarithmic x axis."},
    {.name = "logy", .kind = CLI_FLAG, .help = "Logarithmic y axis."},
    {.name = "equal",
     .kind = CLI_FLAG,
     .help = "Use the same scale on both axes of a FIRST:SECOND panel (paths always do)."},
    {.name = "marks", .kind = CLI_FLAG, .help = "Mark the frames on the lines."},
    {.name = "width",
     .kind = CLI_NUMBER,
     .argument = "MM",
     .min = 10,
     .max = 2000,
     .help = "Width of the figure in mm; 160 by default."},
    {.name = "height",
     .kind = CLI_NUMBER,
     .argument = "MM",
     .min = 10,
     .max = 2000,
     .help = "Height of the figure in mm. By default it depends on the panels."},
    {.name = "font",
     .kind = CLI_NUMBER,
     .argument = "PT",
     .min = 3,
     .max = 72,
     .help = "Size of the text in points; 9 by default."},
    {.name = "dpi",
     .kind = CLI_NUMBER,
     .argument = "N",
     .min = 20,
     .max = 2400,
     .help = "Pixels per inch of a PNG; 200 by default."},
    {.name = "legend",
     .kind = CLI_CHOICE,
     .argument = "WHERE",
     .choices = plot_legends,
     .help = "Position of the legend: auto (the default: an empty corner, otherwise above or beside the panel), "
             "top-left, top-right, bottom-left, bottom-right, above, outside or none."},
    {.name = "no-grid", .kind = CLI_FLAG, .help = "No grid lines."},
    {.name = "dark", .kind = CLI_FLAG, .help = "Use light lines on a dark background, for slides."},
    {.name = "together", .kind = CLI_FLAG, .help = "Draw everything in one panel."},
    {.name = "list", .kind = CLI_FLAG, .help = "List what can be drawn from the recording, with units, and end."},
    {.name = "csv",
     .kind = CLI_FLAG,
     .help = "Write numbers instead of a figure: a column for time and for each quantity. They go to stdout, or "
             "to --output."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp plot pile.h5", "energies and certificate over time, as pile.svg"},
    {"perp plot pile.h5 block.x block.vx -o block.pdf", "two panels with a common time axis"},
    {"perp plot swing.h5 pendulum.angle:pendulum.w --title 'Phase plane'", "one quantity against another"},
    {"perp plot smooth.h5 rough.h5 block.x -l 'mu = 0.1' -l 'mu = 0.5'", "two recordings in one panel"},
    {"perp plot pile.h5 'path(block)' states -o block.png --dark", "the path of a body, and what its contacts did"},
    {"perp plot pile.h5 energy --csv", "the numbers, for another program"},
    {"perp plot trace.csv convergence -o residuals.pdf", "how solvers converge (perp solve --trace)"},
    {"perp plot results.csv profile", "how solvers compare over many problems (perp solve --results)"},
    {NULL, NULL},
};

/* ---- operands ---- */

static bool ends(const char *s, const char *ending) {
    size_t n = strlen(s), m = strlen(ending);
    return n > m && !strcmp(s + n - m, ending);
}

/* "convergence" or "profile", with or without (...): drawn from what perp solve wrote. */
static bool is_about_solvers(const char *what) {
    static const char *const name[] = {"convergence", "profile"};
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(name[i]);
        if (!strncmp(what, name[i], n) && (!what[n] || what[n] == '(')) return true;
    }
    return false;
}

/* A file that exists, or a name that cannot mean anything else. The name of a group is never taken for a file; `./energy` is. */
static bool is_recording(const char *operand) {
    if (is_about_solvers(operand)) return false;
    if (ends(operand, ".h5") || ends(operand, ".hdf5") || ends(operand, ".csv")) return true;
    for (int i = 0; plot_groups[i].name; i++)
        if (!strcmp(plot_groups[i].name, operand)) return false;
    struct stat st;
    return strchr(operand, '/') || (!stat(operand, &st) && S_ISREG(st.st_mode));
}

/* ---- numbers of options ---- */

/* One end of a range: NaN if it is left out. False if it is no number. */
static bool range_end(const char *s, size_t n, double *out) {
    char buffer[64];
    *out = NAN;
    if (n == 0) return true;
    if (n >= sizeof buffer) return false;
    memcpy(buffer, s, n);
    buffer[n] = 0;
    if (buffer[strspn(buffer, "+-.0123456789eE")]) return false;
    char *end;
    *out = strtod(buffer, &end);
    return !*end && fabs(*out) <= 1e300;
}

/* Reads A,B; returns false after a complaint. */
static bool read_range(const cli_args *a, const char *option, bool log, double *lo, double *hi) {
    const char *text = cli_text(a, option, NULL);
    if (!text) return true;
    const char *comma = strchr(text, ',');
    bool good = comma && range_end(text, (size_t)(comma - text), lo) && range_end(comma + 1, strlen(comma + 1), hi) &&
                !(isnan(*lo) && isnan(*hi)) && !(*lo >= *hi) && !(log && (*lo <= 0 || *hi <= 0));
    if (good) return true;
    char safe[100], found[128], key[32];
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, text));
    snprintf(key, sizeof key, "--%s", option);
    cli_mistake(a, key, found,
                log ? "A,B with 0 < A < B (either may be left out)" : "A,B with A < B (either may be left out)");
    return false;
}

/* ---- results ---- */

static int list_names(const cli_args *a, const char *path) {
    perp_recording *r;
    perp_refusal why;
    if (perp_recording_open(path, &r, &why)) return cli_refuse(a, &why);
    const char *name;
    if (cli_json(a)) {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, "recording", path);
        json_key(&j, "groups");
        json_array(&j);
        for (int i = 0; plot_groups[i].name; i++) {
            json_object(&j);
            json_field_string(&j, "name", plot_groups[i].name);
            json_field_string(&j, "about", plot_groups[i].about);
            json_end(&j, '}');
        }
        json_end(&j, ']');
        json_key(&j, "quantities");
        json_array(&j);
        for (int i = 0; (name = perp_recording_series_name(r, i)); i++) {
            json_object(&j);
            json_field_string(&j, "name", name);
            json_field_string(&j, "unit", perp_recording_unit(r, name));
            json_end(&j, '}');
        }
        json_end(&j, ']');
        json_end(&j, '}');
    } else {
        puts("Groups:");
        for (int i = 0; plot_groups[i].name; i++) printf("  %-14s%s\n", plot_groups[i].name, plot_groups[i].about);
        puts("\nQuantities:");
        for (int i = 0; (name = perp_recording_series_name(r, i)); i++) {
            const char *unit = perp_recording_unit(r, name);
            if (*unit)
                printf("  %-32s [%s]\n", name, unit);
            else
                printf("  %s\n", name);
        }
    }
    perp_recording_close(r);
    return CLI_OK;
}

static void report_json(const plot_request *q, const plot_report *p, bool csv) {
    json j;
    json_begin(&j, stdout);
    json_object(&j);
    json_field_string(&j, "output", q->output);
    json_field_string(&j, "format", strrchr(q->output, '.') + 1);
    json_key(&j, "recordings");
    json_array(&j);
    for (int i = 0; i < q->nrecording; i++) json_string(&j, q->recording[i]);
    json_end(&j, ']');
    if (csv) {
        json_field_whole(&j, "columns", p->lines);
        json_field_whole(&j, "rows", p->points);
    } else {
        json_field_number(&j, "width_mm", round(p->width * 10) / 10);
        json_field_number(&j, "height_mm", round(p->height * 10) / 10);
        json_field_whole(&j, "panels", p->panels);
        json_field_whole(&j, "lines", p->lines);
        json_field_whole(&j, "points", p->points);
    }
    json_end(&j, '}');
}

/* Reports an error. An output that could not be written is an error of the machine. */
static int refuse(const cli_args *a, const perp_refusal *why) {
    return !strcmp(why->key, "output") ? cli_refuse_writing(a, why) : cli_refuse(a, why);
}

static int write_csv(const cli_args *a, const plot_request *q) {
    char *text;
    size_t size;
    plot_report report;
    perp_refusal why;
    if (plot_recordings_csv(q, &text, &size, &report, &why)) return refuse(a, &why);
    int code = CLI_OK;
    if (!q->output) {
        if (fwrite(text, 1, size, stdout) != size || fflush(stdout))
            code = cli_refuse_say(a, CLI_MACHINE, "the numbers cannot be written to stdout");
    } else if (plot_write_file(q->output, text, size, &why)) {
        code = refuse(a, &why);
    } else if (cli_json(a)) {
        report_json(q, &report, true);
    } else {
        printf("%s: %d quantities, %ld rows\n", q->output, report.lines, report.points);
    }
    free(text);
    return code;
}

/* rough.svg for runs/rough.h5. */
static bool default_output(const char *recording, char *out, size_t size) {
    const char *slash = strrchr(recording, '/'), *name = slash ? slash + 1 : recording, *dot = strrchr(name, '.');
    int n = snprintf(out, size, "%.*s.svg", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
    return n > 0 && (size_t)n < size;
}

/* Draws the plot and reports the result. */
static int draw(const cli_args *a, const plot_request *q) {
    plot_report report;
    perp_refusal why;
    const char *what = q->nwhat ? q->what[0] : "";
    perp_status s = !is_about_solvers(what) ? plot_recordings_report(q, &report, &why)
                    : what[0] == 'c'        ? plot_convergence(q, &report, &why)
                                            : plot_profile(q, &report, &why);
    if (s) return refuse(a, &why);
    if (cli_json(a))
        report_json(q, &report, false);
    else
        printf("%s: %.0f x %.0f mm, %d panel%s, %d line%s\n", q->output, report.width, report.height, report.panels,
               report.panels == 1 ? "" : "s", report.lines, report.lines == 1 ? "" : "s");
    return CLI_OK;
}

/* Figures about solvers are not mixed with others. They accept the options that all figures have. */
static int check_about_solvers(const cli_args *a, const plot_request *q) {
    static const char *const not_for[] = {"from", "to", "equal", "marks", "together", "list", "csv"};
    int about = 0;
    for (int i = 0; i < q->nwhat; i++) about += is_about_solvers(q->what[i]);
    if (!about) return CLI_OK;
    if (q->nwhat > 1) return cli_mistake(a, "", q->what[1], "convergence or profile alone");
    for (int i = 0; i < 7; i++) {
        char key[32];
        snprintf(key, sizeof key, "--%s", not_for[i]);
        if (cli_given(a, not_for[i])) return cli_mistake(a, key, "with a figure about solvers", "with recordings");
    }
    return CLI_OK;
}

static int run(const cli_args *a) {
    plot_request q = plot_request_default();
    int n = cli_operands(a), labels = cli_count(a, "label");
    const char **word = malloc((size_t)(2 * n + labels + 1) * sizeof *word);
    if (!word) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
    const char **what = word + n, **label = word + 2 * n;
    q.nrecording = q.nwhat = 0;
    for (int i = 0; i < n; i++) {
        const char *s = cli_operand(a, i);
        if (is_recording(s))
            word[q.nrecording++] = s;
        else
            what[q.nwhat++] = s;
    }
    for (int i = 0; i < labels; i++) label[i] = cli_nth(a, "label", i);
    q.recording = word;
    q.what = what;
    q.label = labels ? label : NULL;
    bool csv = cli_given(a, "csv");
    int code = CLI_OK;
    char output[1024];
    q.output = cli_text(a, "output", NULL);
    q.title = cli_text(a, "title", NULL);
    q.xlabel = cli_text(a, "xlabel", NULL);
    q.ylabel = cli_text(a, "ylabel", NULL);
    q.from = cli_number(a, "from", NAN);
    q.to = cli_number(a, "to", NAN);
    q.logx = cli_given(a, "logx");
    q.logy = cli_given(a, "logy");
    q.equal = cli_given(a, "equal");
    q.marks = cli_given(a, "marks");
    q.width = cli_number(a, "width", 0);
    q.height = cli_number(a, "height", 0);
    q.font = cli_number(a, "font", 0);
    q.dpi = cli_number(a, "dpi", 0);
    q.legend = cli_text(a, "legend", NULL);
    q.grid = !cli_given(a, "no-grid");
    q.dark = cli_given(a, "dark");
    q.together = cli_given(a, "together");
    if (q.nrecording == 0) {
        char safe[100], found[128];
        snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, cli_operand(a, 0)));
        code = cli_mistake(a, "RECORDING", found, "at least one recording: a file, or a name that ends in .h5");
    } else if (labels > 0 && labels != q.nrecording) {
        char found[64], allowed[64];
        snprintf(found, sizeof found, "%d label%s for %d recording%s", labels, labels == 1 ? "" : "s", q.nrecording,
                 q.nrecording == 1 ? "" : "s");
        snprintf(allowed, sizeof allowed, "one for each");
        code = cli_mistake(a, "--label", found, allowed);
    } else if (!read_range(a, "xrange", q.logx, &q.xmin, &q.xmax) ||
               !read_range(a, "yrange", q.logy, &q.ymin, &q.ymax)) {
        code = CLI_BAD_INPUT;
    } else if ((code = check_about_solvers(a, &q))) {
        /* told */
    } else if (q.from > q.to) {
        char found[96];
        snprintf(found, sizeof found, "%.12g, later than --to %.12g", q.from, q.to);
        code = cli_mistake(a, "--from", found, "a time before --to");
    } else if (cli_given(a, "list")) {
        code = list_names(a, q.recording[0]);
    } else if (csv) {
        if (q.output && !ends(q.output, ".csv")) {
            char safe[200];
            code = cli_mistake(a, "--output", cli_printable(safe, sizeof safe, q.output),
                               "with --csv, a file name that ends in .csv");
        } else if (!q.output && cli_json(a)) {
            code = cli_mistake(a, "--json", "--csv without --output", "with --csv, --json needs --output FILE.csv");
        } else {
            code = write_csv(a, &q);
        }
    } else if (!q.output && !default_output(q.recording[0], output, sizeof output)) {
        code = cli_mistake(a, "--output", "none, and the recording's name is too long", "a file name");
    } else {
        if (!q.output) q.output = output;
        code = draw(a, &q);
    }
    free(word);
    return code;
}

const cli_command command_plot = {
    .name = "plot",
    .operands = "RECORDING... [WHAT...]\nTRACE... convergence\nRESULTS... profile",
    .min_operand = 1,
    .max_operand = -1,
    .summary = "draw recordings and figures about solvers as SVG, PDF or PNG",
    .about = "Draws figures of recordings, in publication quality. Operands that are files or end in .h5 are "
             "recordings. The other operands say what to draw. Each of them gets its own panel:\n\n"
             "A quantity, over time: block.x, hinge.rate, energy.total (perp plot RECORDING --list lists all). "
             "FIRST:SECOND draws the second quantity over the first, for example block.x:block.y for a path or "
             "block.x:block.vx for a phase plane. Quantities separated by commas without blanks share a panel: "
             "a.x,b.x.\n\n"
             "A group: energy, ledger (cumulative work, by cause), certificate (residuals of the laws relative to the "
             "speeds; overlap and joint error), contacts (numbers of separating, sticking and sliding ones), impulses, "
             "states (state of each pair of bodies), path (centres of mass: x-y in 2D, x-z in 3D), path(A,B) (of these "
             "bodies), bodies, joints. The default is energy and certificate.\n\n"
             "Several recordings are drawn into the same panels, each in its own colour. The legend names runs of one "
             "scene by the parameter values that differ, and other recordings by their file names. --label sets other "
             "names.\n\n"
             "Figures about solvers are drawn from files that perp solve writes. convergence draws --trace files: the "
             "residual over iterations and over time, a line for each solver. convergence(siconos) uses Siconos' error "
             "measure, convergence(PROBLEM) selects one problem. profile draws the performance profile (Dolan and "
             "More) of --results files: the fraction of problems that each solver solves within a multiple of the best "
             "solver's time. profile(iterations) and profile(factorisations) count these instead of time.\n\n"
             "The same recording and options give the same bytes. An existing figure is replaced; a recording never "
             "is. In --csv output, states are 0 separating, 1 sticking, 2 sliding; missing values are empty.",
    .option = options,
    .example = examples,
    .run = run,
};

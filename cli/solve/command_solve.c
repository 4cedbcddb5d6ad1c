/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_solve.c - perp solve: problem files in, a table of what solvers made of them out. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "info/info.h"
#include "input/input.h"
#include "solve/solve.h"

static const char *const formats[] = {"perp", "fclib", "siconos", NULL};

static const cli_option options[] = {
    {.name = "solver",
     .letter = 's',
     .kind = CLI_TEXT,
     .argument = "NAMES",
     .help = "A solver, a list separated by commas without blanks, or all: every solver that supports the problem "
             "class, directly or by an exact conversion. The default is auto. none solves nothing, for --save."},
    {.name = "tol",
     .kind = CLI_NUMBER,
     .argument = "T",
     .min = 1e-16,
     .max = 1,
     .help = "Accept answers whose figure is at most T; the default is 1e-9. The solvers get the same tolerance."},
    {.name = "time-limit",
     .kind = CLI_NUMBER,
     .argument = "SECONDS",
     .min = 1e-3,
     .max = INFINITY,
     .help = "Stop a solver after this time. The default is 30 s with several solvers, and no limit with one."},
    {.name = "pyramid",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 4,
     .max = 1000,
     .help = "Replace friction cones in 3D by pyramids with N sides (even). The result is a mixed LCP. The table "
             "then shows its natural residual, and siconos for the answer as a solution of the cone problem."},
    {.name = "warm", .kind = CLI_FLAG, .help = "Start from the guess in the file, if there is one."},
    {.name = "set",
     .kind = CLI_DEFINE,
     .argument = "SOLVER.SETTING=VALUE",
     .help = "Change a setting of a solver. May be repeated."},
    {.name = "repeat",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 1,
     .max = 1e6,
     .help = "Solve N times and report the shortest time."},
    {.name = "trace",
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Write the residuals of each iteration to a file that ends in .csv or .h5. perp plot FILE "
             "convergence draws it."},
    {.name = "results",
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Write the table to a file that ends in .csv; perp plot FILE profile draws a performance profile."},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Write the answer of a single problem to a file that ends in .json or .csv: impulses of rows and "
             "contacts, or z."},
    {.name = "answer", .kind = CLI_FLAG, .help = "Also print the answer; with --json as rows and contacts, or z."},
    {.name = "save",
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Write a single problem to another file, with the answer as its initial guess."},
    {.name = "format",
     .kind = CLI_CHOICE,
     .argument = "LAYOUT",
     .choices = formats,
     .help = "File layout of --save: perp (the default), fclib or siconos."},
    {.name = "list", .kind = CLI_FLAG, .help = "List the solvers with their problem classes, sources, and settings."},
    {.name = "force",
     .letter = 'f',
     .kind = CLI_FLAG,
     .help = "Replace existing files of --trace, --results, --output, --save."},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .help = "Print only errors and warnings, no table."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp solve pile.h5", "solve a saved problem with auto, and see how it went"},
    {"perp solve problems --solver all --results results.csv", "every solver over a folder"},
    {"perp plot results.csv profile", "which of them is fast, and which of them can be relied on"},
    {"perp solve pile.h5 --solver auto,pgs,lemke --trace trace.csv", "residuals iteration by iteration"},
    {"perp plot trace.csv convergence", "the same as curves"},
    {"perp solve pile.h5 --solver pgs --set pgs.max_sweeps=20000 --tol 1e-6", "with another setting"},
    {"perp solve pile.dat --solver none --save pile.hdf5 --format fclib", "only turn it into another layout"},
    {NULL, NULL},
};

typedef struct session {
    const cli_args *a;
    solve_choice choice;
    solve_options o;
    int facets;
    solve_files files;
    solve_table table;
    json j;
    solve_row *row;
    int nrow, cap;
    int problems, unsolved, code; /* problems read; without any answer; worst exit code */
} session;

/* ---- before anything is done ---- */

/* May this file be written? */
static int check_output(const cli_args *a, const char *option, const char *allowed, bool fits) {
    char key[32], safe[200], found[240];
    const char *path = cli_text(a, option, NULL);
    struct stat st;
    snprintf(key, sizeof key, "--%s", option);
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, path));
    if (!fits) return cli_mistake(a, key, found, allowed);
    if (!stat(path, &st) && !(cli_given(a, "force") && S_ISREG(st.st_mode)))
        return cli_mistake(a, key, found,
                           S_ISREG(st.st_mode) ? "a name that is free, or --force to replace the file"
                                               : "a name that is free");
    char folder[CLI_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    if (slash && (stat(folder, &st) || !S_ISDIR(st.st_mode)))
        return cli_mistake(a, key, found, "a path in a folder that exists");
    return CLI_OK;
}

static int check_options(const cli_args *a) {
    const char *trace = cli_text(a, "trace", NULL), *results = cli_text(a, "results", NULL);
    int code = CLI_OK;
    if (cli_given(a, "pyramid") && (int)cli_number(a, "pyramid", 0) % 2) {
        char found[32];
        snprintf(found, sizeof found, "%.0f", cli_number(a, "pyramid", 0));
        return cli_mistake(a, "--pyramid", found, "an even number");
    }
    if (trace) code = check_output(a, "trace", "a file name that ends in .csv or .h5", solve_name_fits(trace, true));
    if (!code && results)
        code = check_output(a, "results", "a file name that ends in .csv", solve_name_fits(results, false));
    const char *output = cli_text(a, "output", NULL);
    if (!code && output)
        code = check_output(a, "output", "a file name that ends in .json or .csv", solve_answer_fits(output));
    if (!code && cli_given(a, "save")) code = check_output(a, "save", "", true);
    if (!code && cli_given(a, "format") && !cli_given(a, "save"))
        code = cli_mistake(a, "--format", "without --save", "both together");
    if (!code && !strcmp(cli_text(a, "solver", ""), "none")) {
        if (!cli_given(a, "save")) code = cli_mistake(a, "--solver", "none without --save", "both together");
    }
    return code;
}

/* ---- one problem ---- */

static void refuse(session *s, const char *path, const perp_refusal *why) {
    int code = why->status == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    if (code > s->code) s->code = code;
    fflush(stdout);
    fprintf(stderr, "perp: %s\n", why->text);
    if (!cli_json(s->a)) return;
    json_object(&s->j);
    json_field_string(&s->j, "path", path);
    json_refusal(&s->j, "error", why, code);
    json_end(&s->j, '}');
}

static solve_row *new_row(session *s) {
    const perp_allocator plain = {0};
    if (!PP_GROW(&plain, s->row, s->cap, s->nrow, s->nrow + 1)) return NULL;
    return &s->row[s->nrow++];
}

static void save(session *s, const solve_problem *p, const double *z, bool answered) {
    static const perp_problem_format format[] = {PERP_FORMAT_PERP, PERP_FORMAT_FCLIB, PERP_FORMAT_SICONOS_TEXT};
    const char *word = cli_text(s->a, "format", "perp"), *path = cli_text(s->a, "save", NULL);
    const double *guess = answered ? z : p->pyramid ? NULL : perp_stored_guess(p->stored);
    int k = 0;
    while (k < 2 && strcmp(formats[k], word) != 0) k++;
    perp_refusal why;
    perp_status status = perp_problem_write(path, format[k], p->problem, guess, perp_stored_title(p->stored), &why);
    if (!status) return;
    int code = status == PERP_E_IO || status == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    if (code > s->code) s->code = code;
    fflush(stdout);
    fprintf(stderr, "perp: %s\n", why.text);
    if (cli_json(s->a)) json_refusal(&s->j, "error", &why, code);
}

/* Prints and writes the best answer, which is that of `row`. */
static void give_answer(session *s, const solve_problem *p, const solve_row *row, const double *z) {
    const char *path = cli_text(s->a, "output", NULL);
    if (cli_given(s->a, "answer") && cli_json(s->a)) solve_json_answer(&s->j, p, z);
    if (cli_given(s->a, "answer") && !cli_json(s->a)) solve_print_answer(stdout, p, z);
    perp_refusal why;
    if (!path || !solve_write_answer(path, p, row, z, &why)) return;
    s->code = CLI_MACHINE;
    fflush(stdout);
    fprintf(stderr, "perp: %s\n", why.text);
    if (cli_json(s->a)) json_refusal(&s->j, "error", &why, s->code);
}

/* Runs the solvers over a problem; false: no memory. z: the answer of the present one; best: of the best. */
static bool solve_all(session *s, const solve_problem *p, double *z, double *best, int *answered) {
    bool any = false;
    int first = s->nrow;
    double least = INFINITY;
    size_t bytes = (size_t)perp_problem_size(p->problem) * sizeof *z;
    for (int i = 0; i < s->choice.nsolver && !cli_interrupted(); i++) {
        const perp_solver_type *type = s->choice.solver[i];
        if (s->choice.all && !solve_fits(type, p->problem)) continue;
        solve_row *r = new_row(s);
        if (!r || solve_run(p, type, &s->choice, &s->o, z, r)) return false;
        any = any || r->status == PERP_OK;
        if (r->verdict.figure < least) {
            least = r->verdict.figure;
            if (bytes) memcpy(best, z, bytes);
            *answered = s->nrow;
        }
        if (cli_json(s->a)) {
            solve_json_row(&s->j, r);
        } else if (!cli_given(s->a, "quiet")) {
            solve_table_row(&s->table, r);
        }
    }
    for (int i = first; i < s->nrow && !cli_json(s->a) && !cli_given(s->a, "quiet"); i++)
        if (s->choice.nsolver == 1 || !strcmp(s->row[i].solver, "auto")) {
            solve_table_story(&s->table, &s->row[i]);
            solve_table_verdict(&s->table, &s->row[i]);
            solve_table_proof(&s->table, &s->row[i]);
        }
    if (!any && !cli_interrupted() && s->choice.nsolver > 0) s->unsolved++;
    return true;
}

static void json_head(json *j, const solve_problem *p) {
    const perp_problem *given = perp_stored_problem(p->stored);
    json_object(j);
    json_field_string(j, "path", p->path);
    json_field_string(j, "title", perp_stored_title(p->stored));
    json_field_string(j, "layout", perp_problem_format_name(p->format));
    json_field_string(j, "class", perp_class_name(p->problem->cls));
    json_field_whole(j, "size", perp_problem_size(p->problem));
    if (given->cls == PERP_CONE || given->cls == PERP_CONE_QP) json_field_whole(j, "contacts", given->as.cone.ncontact);
    json_field_bool(j, "pyramid", p->pyramid != NULL);
    json_field_bool(j, "guess", perp_stored_guess(p->stored) != NULL);
    json_key(j, "solves");
    json_array(j);
}

static void one_problem(session *s, const solve_file *file) {
    solve_problem p;
    perp_refusal why;
    if (file->searched && !info_is_problem(file->path)) return; /* a recording, say: no reason to complain */
    if (solve_open(file->path, s->facets, &p, &why)) {
        refuse(s, file->path, &why);
        return;
    }
    s->problems++;
    size_t n = (size_t)perp_problem_size(p.problem) + 1;
    double *z = calloc(n, sizeof *z), *best = calloc(n, sizeof *best);
    int answered = 0; /* 1 + number of the row of the best answer */
    if (cli_json(s->a)) json_head(&s->j, &p);
    bool good = z && best && solve_all(s, &p, z, best, &answered);
    if (cli_json(s->a)) json_end(&s->j, ']');
    if (!good) {
        fflush(stdout);
        fprintf(stderr, "perp: %s: no memory for its solution\n", file->path);
        s->code = CLI_MACHINE;
    } else {
        if (answered) give_answer(s, &p, &s->row[answered - 1], best);
        if (cli_given(s->a, "save")) save(s, &p, best, answered > 0);
    }
    if (cli_json(s->a)) json_end(&s->j, '}');
    free(z);
    free(best);
    solve_close(&p);
}

/* ---- all of them ---- */

static void write_files(session *s) {
    const char *trace = cli_text(s->a, "trace", NULL), *results = cli_text(s->a, "results", NULL);
    perp_refusal why;
    perp_status status = PERP_OK;
    if (s->problems == 0) return; /* bad input: nothing is written */
    if (trace) status = solve_write_traces(trace, s->row, s->nrow, &why);
    if (!status && results) status = solve_write_results(results, s->row, s->nrow, &why);
    if (!status) return;
    fflush(stdout);
    fprintf(stderr, "perp: %s\n", why.text);
    s->code = CLI_MACHINE;
    if (cli_json(s->a)) json_refusal(&s->j, "error", &why, s->code);
}

static int go_over(session *s) {
    const cli_args *a = s->a;
    cli_catch_interrupt();
    solve_table_begin(&s->table, stdout, &s->files);
    json_begin(&s->j, stdout);
    if (cli_json(a)) {
        json_object(&s->j);
        json_key(&s->j, "problems");
        json_array(&s->j);
    }
    for (int i = 0; i < s->files.count && !cli_interrupted(); i++) one_problem(s, &s->files.file[i]);
    if (cli_json(a)) json_end(&s->j, ']');
    write_files(s);
    if (s->unsolved > 0 && s->code == CLI_OK) s->code = CLI_FAILED;
    if (cli_interrupted() && s->code <= CLI_FAILED) s->code = CLI_INTERRUPTED;
    if (cli_json(a)) {
        json_field_whole(&s->j, "read", s->problems);
        json_field_whole(&s->j, "unsolved", s->unsolved);
        json_end(&s->j, '}');
    } else if (!cli_given(a, "quiet") && s->problems > 1) {
        solve_table_sum(&s->table, s->row, s->nrow);
    }
    return s->code;
}

static int run(const cli_args *a) {
    session s = {.a = a};
    if (cli_given(a, "list") && cli_operands(a) > 0) return cli_mistake(a, "--list", "with a file", "the option alone");
    if (cli_given(a, "list")) return solve_list(cli_json(a)), CLI_OK;
    if (cli_operands(a) == 0) return cli_mistake(a, "", "nothing to work on", "PROBLEM or FOLDER..., --list");
    int code = check_options(a);
    if (code) return code;
    if (strcmp(cli_text(a, "solver", ""), "none") != 0) code = solve_choose(a, &s.choice);
    for (int i = 0; !code && i < cli_operands(a); i++) {
        perp_refusal why;
        if (solve_find(cli_operand(a, i), &s.files, &why)) code = cli_refuse(a, &why);
    }
    const char *const alone[] = {"save", "output"}; /* options that go with a single problem */
    for (int i = 0; i < 2 && !code && s.files.count > 1; i++) {
        char found[48], key[16];
        snprintf(found, sizeof found, "%d files", s.files.count);
        snprintf(key, sizeof key, "--%s", alone[i]);
        if (cli_given(a, alone[i])) code = cli_mistake(a, key, found, "one");
    }
    s.facets = (int)cli_number(a, "pyramid", 0);
    s.o = (solve_options){.tol = cli_number(a, "tol", 0),
                          .time_limit = cli_number(a, "time-limit", s.choice.nsolver > 1 ? 30 : 0),
                          .warm = cli_given(a, "warm"),
                          .progress = !cli_given(a, "quiet") && cli_terminal(stderr),
                          .traced = cli_given(a, "trace"),
                          .repeat = (int)cli_number(a, "repeat", 1)};
    if (!code) code = go_over(&s);
    for (int i = 0; i < s.nrow; i++) free(s.row[i].history.point);
    free(s.row);
    solve_files_free(&s.files);
    solve_choice_free(&s.choice);
    return code;
}

const cli_command command_solve = {
    .name = "solve",
    .operands = "PROBLEM|FOLDER...\n--list",
    .min_operand = 0,
    .max_operand = -1,
    .summary = "solve saved problems and compare solvers",
    .about = "Reads complementarity problems, solves each with each solver, and prints a table. The files may be "
             "perp's own, FCLIB's or Siconos' text. Folders are searched for files that end in .h5, .hdf5 or .dat. "
             "perp run --save-problems writes such files.\n\n"
             "perp measures every answer from the problem data, with code that is independent of the solvers. The "
             "columns:\n\n"
             "figure: the largest violation of a contact or row, as a velocity divided by the velocities in the data "
             "near it. An answer is accepted if its figure is at most --tol. A violation that is only rounding error "
             "counts as zero. A row whose rounding error exceeds the tolerance cannot be checked; it is counted as "
             "blind.\n\n"
             "natural: the residual of the natural map, relative to the answer. siconos: for friction cones, the error "
             "as Siconos defines it.\n\n"
             "status: solved; infeasible (perp proved that no solution exists; a line below the table names the "
             "contacts); claims it (the solver reports success, but the figure is above --tol); limit, ray, numerics, "
             "stopped, memory (why the solver ended); too large; no fit (the solver does not support this class of "
             "problems).\n\n"
             "its: pivots, sweeps or Newton steps. factor: factorisations of matrices of the problem's size. For auto, "
             "lines below the table say which methods it used, and why.\n\n"
             "The exit code is 0 if every problem was solved (with several solvers: by at least one of them), 1 if "
             "not, and 2 if a file could not be read. Ctrl-C stops the current solve and writes the files; a second "
             "Ctrl-C ends at once.",
    .option = options,
    .example = examples,
    .run = run,
};

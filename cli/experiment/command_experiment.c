/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_experiment.c - perp experiment: lists and runs the experiments, compares with references, writes plots and
 * pages */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/experiment.h"

#ifndef PERP_EXPERIMENTS_DIR
#define PERP_EXPERIMENTS_DIR ""
#endif

/* ---- finding ---- */

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Beside the program: PREFIX/bin/perp has PREFIX/share/perp/experiments. */
static bool beside_program(char *out, size_t size) {
    char program[EXPERIMENT_PATH];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return false;
    program[n] = 0;
    char *slash = strrchr(program, '/');
    if (!slash) return false;
    *slash = 0;
    int k = snprintf(out, size, "%s/../share/perp/experiments", program);
    return k > 0 && (size_t)k < size && is_folder(out);
}

static bool find_folder(const cli_args *a, char *out, size_t size) {
    const char *given = cli_text(a, "folder", getenv("PERP_EXPERIMENTS"));
    if (!given || !*given) {
        if (beside_program(out, size))
            return true; /* one that is installed does not look into the tree it was built in */
        if (!is_folder(PERP_EXPERIMENTS_DIR)) return false;
        given = PERP_EXPERIMENTS_DIR;
    }
    int n = snprintf(out, size, "%s", given);
    return n > 0 && (size_t)n < size;
}

typedef struct names {
    char (*of)[128];
    int n, cap;
} names;

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Folders with an experiment.yaml in them, in alphabetical order. */
static bool list_names(const char *folder, names *out) {
    *out = (names){0};
    DIR *d = opendir(folder);
    if (!d) return false;
    for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        char path[EXPERIMENT_PATH];
        struct stat st;
        int n = snprintf(path, sizeof path, "%s/%s/experiment.yaml", folder, entry->d_name);
        if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof out->of[0]) continue;
        if (n < 0 || (size_t)n >= sizeof path || stat(path, &st) || !S_ISREG(st.st_mode)) continue;
        if (!PP_GROW(&experiment_memory, out->of, out->cap, out->n, out->n + 1)) break;
        memcpy(out->of[out->n++], entry->d_name, strlen(entry->d_name) + 1);
    }
    closedir(d);
    if (out->n) qsort(out->of, (size_t)out->n, sizeof out->of[0], by_name);
    return true;
}

static int unknown_name(const cli_args *a, const char *name, const names *all, const char *folder) {
    const char **word = pp_alloc(&experiment_memory, sizeof *word * (size_t)(all->n + 1));
    const char *near = NULL;
    if (word) {
        for (int i = 0; i < all->n; i++) word[i] = all->of[i];
        word[all->n] = NULL;
        near = pp_suggest(name, word);
    }
    char found[200], shown[160], allowed[EXPERIMENT_PATH + 200];
    snprintf(found, sizeof found, "\"%s\"", pp_printable(shown, sizeof shown, name, strlen(name)));
    snprintf(allowed, sizeof allowed, "the name of an experiment in %s%s%s%s", folder, near ? "; did you mean " : "",
             near ? near : "", near ? "?" : "; perp experiment --list shows them");
    pp_free(&experiment_memory, (void *)word);
    perp_refusal why;
    pp_complain(&why, PERP_E_NAME, (pp_location){0}, "", found, allowed);
    return cli_refuse(a, &why);
}

/* ---- showing ---- */

static int width(const char *s) {
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void put(const char *s, int columns, bool right) {
    int pad = columns - width(s);
    if (right && pad > 0) printf("%*s", pad, "");
    fputs(s, stdout);
    if (!right && pad > 0) printf("%*s", pad, "");
    fputs("  ", stdout);
}

enum { COLUMNS = 6 };

typedef struct shown_row {
    char cell[COLUMNS][160];
} shown_row;

static void fill_row(shown_row *r, const exp_check *c) {
    *r = (shown_row){0};
    snprintf(r->cell[0], sizeof r->cell[0], "%s%s%s%s", c->what, c->unit ? " [" : "", c->unit ? c->unit : "",
             c->unit ? "]" : "");
    experiment_show(r->cell[1], sizeof r->cell[1], c->got);
    if (c->applies && c->reference.node) {
        experiment_show(r->cell[2], sizeof r->cell[2], c->expected);
        experiment_show_error(r->cell[3], sizeof r->cell[3], c->error);
    }
    if (c->published)
        snprintf(r->cell[2] + strlen(r->cell[2]), sizeof r->cell[2] - strlen(r->cell[2]), "%s(%s)",
                 *r->cell[2] ? " " : "", c->published);
    experiment_show_limit(r->cell[4], sizeof r->cell[4], c);
    snprintf(r->cell[5], sizeof r->cell[5], "%s", !c->applies ? "-" : c->ok ? "ok" : "NO");
}

static void print_table(const experiment *e) {
    shown_row *row = pp_alloc(&experiment_memory, sizeof *row * (size_t)(e->ncheck + 1));
    if (!row) return;
    row[0] = (shown_row){{"quantity", "measured", "reference", "error", "limit", "ok"}};
    int wide[COLUMNS] = {0};
    for (int i = 0; i < e->ncheck; i++) fill_row(&row[i + 1], &e->check[i]);
    for (int i = 0; i <= e->ncheck; i++)
        for (int k = 0; k < COLUMNS; k++)
            if (width(row[i].cell[k]) > wide[k]) wide[k] = width(row[i].cell[k]);
    for (int i = 0; i <= e->ncheck; i++) {
        fputs("  ", stdout);
        for (int k = 0; k + 1 < COLUMNS; k++) put(row[i].cell[k], wide[k], k > 0 && k != 2);
        puts(row[i].cell[COLUMNS - 1]);
    }
    pp_free(&experiment_memory, row);
}

static void number_or_null(json *j, const char *key, double x) {
    json_key(j, key);
    json_number(j, x); /* null for NaN */
}

/* The runs of a sweep: variables and measures. The object "sweeps" is begun and ended with the first and the last. */
static void json_sweep(json *j, const experiment *e, const exp_sweep *s, bool first, bool last) {
    if (first) {
        json_key(j, "sweeps");
        json_object(j);
    }
    json_key(j, s->name);
    json_array(j);
    for (int i = 0; i < s->nrun; i++) {
        const exp_run *r = &e->run[s->first + i];
        if (r->skipped) continue;
        json_object(j);
        for (int a = 0; a < s->naxis; a++) {
            json_key(j, s->axis[a].name);
            if (s->axis[a].word)
                json_string(j, r->axis_text[a]);
            else
                json_number(j, r->axis_value[a]);
        }
        json_field_bool(j, "ended_early", r->ended_early);
        for (int m = 0; m < s->nmeasure; m++) number_or_null(j, s->measure_of[m].name, s->result[i * s->nmeasure + m]);
        json_end(j, '}');
    }
    json_end(j, ']');
    if (last) json_end(j, '}');
}

static void json_experiment(json *j, const experiment *e, bool ok) {
    json_object(j);
    json_field_string(j, "name", e->name);
    json_field_string(j, "title", e->title);
    json_field_bool(j, "ok", ok);
    json_key(j, "checks");
    json_array(j);
    for (int i = 0; i < e->ncheck && !e->failed; i++) {
        const exp_check *c = &e->check[i];
        json_object(j);
        json_field_string(j, "what", c->what);
        if (c->unit) json_field_string(j, "unit", c->unit);
        number_or_null(j, "value", c->got);
        number_or_null(j, "reference", c->applies ? c->expected : NAN);
        number_or_null(j, "error", c->applies ? c->error : NAN);
        number_or_null(j, "limit", c->applies ? c->bound : NAN);
        json_field_string(j, "kind", c->limit.node ? "near" : c->below.node ? "below" : "above");
        if (c->published) json_field_string(j, "published", c->published);
        json_key(j, "ok");
        if (c->applies)
            json_bool(j, c->ok);
        else
            json_null(j); /* the reference is of other parameters */
        json_end(j, '}');
    }
    json_end(j, ']');
    for (int k = 0; k < e->nsweep && !e->failed; k++) json_sweep(j, e, &e->sweep[k], k == 0, k + 1 == e->nsweep);
    json_end(j, '}');
}

/* ---- running ---- */

typedef struct session {
    const cli_args *args;
    char folder[EXPERIMENT_PATH];
    const char *page; /* NULL: none */
    bool page_is_file;
    bool many; /* JSON as a list */
    json j;
    exp_summary *summary;
    int nsummary;
} session;

static void print_end(const experiment *e, const char *plots, const char *recordings) {
    int held = 0, apply = 0;
    uint64_t steps = 0;
    double seconds = 0;
    for (int i = 0; i < e->ncheck; i++) {
        apply += e->check[i].applies;
        held += e->check[i].applies && e->check[i].ok;
    }
    for (int i = 0; i < e->nrun; i++) {
        steps += e->run[i].result.steps;
        seconds += e->run[i].result.seconds;
    }
    printf("  %d of %d checks hold", held, apply);
    if (apply < e->ncheck) printf(" (%d do not apply to these parameters)", e->ncheck - apply);
    int ran = 0;
    for (int i = 0; i < e->nrun; i++) ran += !e->run[i].skipped;
    printf("; %d run%s, %llu steps in %.2f s", ran, ran != 1 ? "s" : "", (unsigned long long)steps, seconds);
    if (plots) printf("; plots in %s", plots);
    if (recordings) printf("; recordings in %s", recordings);
    puts("\n");
}

/* Pages beside each other, pictures in img/ below them. */
static perp_status write_page(session *s, experiment *e, perp_refusal *why) {
    char path[EXPERIMENT_PATH], folder[EXPERIMENT_PATH + 4], image[EXPERIMENT_PATH + 8], prefix[160];
    snprintf(path, sizeof path, "%s", s->page);
    if (!s->page_is_file && snprintf(path, sizeof path, "%s/%s.md", s->page, e->name) >= (int)sizeof path)
        return pp_complain(why, PERP_E_IO, (pp_location){0}, "", "a path that is too long", "a shorter one");
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    else
        snprintf(folder, sizeof folder, ".");
    snprintf(image, sizeof image, "%s/img", folder);
    snprintf(prefix, sizeof prefix, "%s-", e->name);
    if (!experiment_folder(folder, why)) return PERP_E_IO;
    perp_status st = experiment_plots(e, image, prefix, why);
    return st ? st : experiment_page(e, path, why);
}

static int run_one(session *s, experiment *e) {
    const cli_args *a = s->args;
    const perp_definition *define;
    int ndefine = cli_definitions(a, &define);
    perp_refusal why;
    char out[EXPERIMENT_PATH];
    if (snprintf(out, sizeof out, "%s/%s", cli_text(a, "output", "out/experiments"), e->name) >= (int)sizeof out)
        return cli_refuse_say(a, CLI_BAD_INPUT, "the path of --output is too long");
    e->take_long = cli_given(a, "long");
    if (experiment_prepare(e, define, ndefine, &why)) return cli_refuse(a, &why);
    if (!cli_json(a)) printf("%s: %s\n", e->name, e->title);
    bool keep = cli_given(a, "keep"), plots = !cli_given(a, "no-plots") && !s->page && e->nplot > 0;
    fflush(stdout);
    int code = experiment_run(e, keep ? out : NULL, cli_terminal(stderr), &why);
    if (code == CLI_INTERRUPTED) return code;
    bool ok = false;
    if (code == CLI_FAILED) {
        e->failed = true;
        fprintf(stderr, "perp: %s: %s\n", e->name, why.text);
    } else if (code) {
        return cli_refuse(a, &why);
    }
    if (!e->failed && experiment_evaluate(e, &ok, &why)) return cli_refuse(a, &why);
    if (!e->failed && plots && experiment_plots(e, out, "", &why)) return cli_refuse(a, &why);
    if (!e->failed && s->page && write_page(s, e, &why)) return cli_refuse(a, &why);
    exp_summary *sum = &s->summary[s->nsummary++];
    snprintf(sum->name, sizeof sum->name, "%s", e->name);
    snprintf(sum->title, sizeof sum->title, "%s", e->title);
    for (int i = 0; i < e->ncheck; i++) {
        sum->checks += e->check[i].applies;
        sum->held += e->check[i].applies && e->check[i].ok;
    }
    if (cli_json(a)) {
        json_experiment(&s->j, e, ok);
    } else if (!e->failed) {
        print_table(e);
        if (e->ntable) putchar('\n');
        if (experiment_tables_write(e, stdout, false, &why)) return cli_refuse(a, &why);
        print_end(e, plots ? out : NULL, keep ? out : NULL);
    }
    return ok ? CLI_OK : CLI_FAILED;
}

/* ---- the command ---- */

static int show_list(const cli_args *a, const char *folder, const names *all) {
    json j;
    if (cli_json(a)) {
        json_begin(&j, stdout);
        json_object(&j);
        json_key(&j, "experiments");
        json_array(&j);
    }
    int wide = 0, code = CLI_OK;
    for (int i = 0; i < all->n; i++)
        if (width(all->of[i]) > wide) wide = width(all->of[i]);
    for (int i = 0; i < all->n; i++) {
        experiment *e = pp_alloc(&experiment_memory, sizeof *e);
        perp_refusal why;
        perp_status st = e ? experiment_read(folder, folder, all->of[i], e, &why) : PERP_E_MEMORY;
        if (!e) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
        if (st) {
            fprintf(stderr, "perp: %s\n", why.text); /* the others can still be shown */
            code = CLI_BAD_INPUT;
        } else if (cli_json(a)) {
            json_object(&j);
            json_field_string(&j, "name", e->name);
            json_field_string(&j, "title", e->title);
            json_end(&j, '}');
        } else {
            put(e->name, wide, false);
            puts(e->title);
        }
        if (!st) experiment_free(e);
        pp_free(&experiment_memory, e);
    }
    if (cli_json(a)) {
        json_end(&j, ']');
        json_end(&j, '}');
    }
    return code;
}

static bool known(const names *all, const char *name) {
    for (int i = 0; i < all->n; i++)
        if (!strcmp(all->of[i], name)) return true;
    return false;
}

static int run_many(session *s, const char *const *name, int n) {
    int code = CLI_OK;
    /* everything is read before anything runs */
    experiment *e = pp_alloc(&experiment_memory, sizeof *e * (size_t)n);
    s->summary = pp_alloc(&experiment_memory, sizeof *s->summary * (size_t)n);
    if (!e || !s->summary) {
        pp_free(&experiment_memory, e);
        pp_free(&experiment_memory, s->summary);
        return cli_refuse_say(s->args, CLI_MACHINE, "not enough memory");
    }
    memset(s->summary, 0, sizeof *s->summary * (size_t)n);
    int read = 0;
    perp_refusal why;
    const char *root = cli_root(s->args);
    while (read < n && !experiment_read(s->folder, root ? root : s->folder, name[read], &e[read], &why)) read++;
    if (read < n) code = cli_refuse(s->args, &why);
    bool as_json = cli_json(s->args) && !code;
    if (as_json) json_begin(&s->j, stdout);
    if (as_json && s->many) {
        json_object(&s->j);
        json_key(&s->j, "experiments");
        json_array(&s->j);
    }
    for (int i = 0; i < read; i++) {
        if (code == CLI_OK || code == CLI_FAILED) {
            int c = run_one(s, &e[i]);
            if (c) code = c;
        }
        experiment_free(&e[i]);
    }
    if (as_json && s->many && (code == CLI_OK || code == CLI_FAILED)) {
        json_end(&s->j, ']');
        json_end(&s->j, '}');
    }
    if (!code && s->page && !s->page_is_file && s->many) {
        char path[EXPERIMENT_PATH];
        if (snprintf(path, sizeof path, "%s/README.md", s->page) < (int)sizeof path &&
            experiment_index(s->summary, s->nsummary, path, &why))
            code = cli_refuse(s->args, &why);
    }
    pp_free(&experiment_memory, s->summary);
    pp_free(&experiment_memory, e);
    return code;
}

static int run_command(const cli_args *a) {
    session s = {.args = a, .page = cli_text(a, "page", NULL)};
    names all;
    if (!find_folder(a, s.folder, sizeof s.folder))
        return cli_refuse_say(a, CLI_BAD_INPUT,
                              "the folder of the experiments does not exist; allowed: --folder FOLDER, or "
                              "PERP_EXPERIMENTS in the environment");
    if (!list_names(s.folder, &all)) return cli_refuse_say(a, CLI_BAD_INPUT, "%s: %s", s.folder, strerror(errno));
    int n = cli_operands(a), code;
    bool every = cli_given(a, "all");
    if (every && n) {
        code = cli_refuse_say(a, CLI_BAD_INPUT, "found names together with --all; allowed: one of the two");
    } else if (cli_given(a, "list") || (!every && n == 0)) {
        code = show_list(a, s.folder, &all);
    } else {
        size_t end = s.page ? strlen(s.page) : 0;
        s.page_is_file = end > 3 && !strcmp(s.page + end - 3, ".md");
        s.many = every || n > 1;
        if (every) n = all.n;
        code = CLI_OK;
        if (s.page_is_file && s.many)
            code = cli_refuse_say(a, CLI_BAD_INPUT,
                                  "--page: found one file for several experiments; "
                                  "allowed: a folder");
        for (int i = 0; !code && !every && i < n; i++)
            if (!known(&all, cli_operand(a, i))) code = unknown_name(a, cli_operand(a, i), &all, s.folder);
        const char **name = pp_alloc(&experiment_memory, sizeof *name * (size_t)(n + 1));
        if (!name) code = cli_refuse_say(a, CLI_MACHINE, "not enough memory");
        for (int i = 0; name && i < n; i++) name[i] = every ? all.of[i] : cli_operand(a, i);
        cli_catch_interrupt();
        if (!code && name && n > 0) code = run_many(&s, name, n);
        pp_free(&experiment_memory, (void *)name);
    }
    pp_free(&experiment_memory, all.of);
    return code;
}

static const cli_option options[] = {
    {.name = "list",
     .kind = CLI_FLAG,
     .help = "List the experiments with their titles. This is the default without NAME."},
    {.name = "all", .kind = CLI_FLAG, .help = "Run all experiments."},
    {.name = "long",
     .kind = CLI_FLAG,
     .help = "Include runs and sweeps that take minutes. Without this option their checks are shown without a "
             "verdict."},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "FOLDER",
     .help = "Write plots and recordings to FOLDER/NAME; the default is out/experiments."},
    {.name = "keep", .kind = CLI_FLAG, .help = "Keep the recordings. By default they are removed at the end."},
    {.name = "no-plots", .kind = CLI_FLAG, .help = "Write no plots."},
    {.name = "page",
     .kind = CLI_FILE,
     .argument = "PATH",
     .help = "Write a page in Markdown: PATH.md for one experiment, or NAME.md of each in a folder. Plots go to "
             "img beside it."},
    {.name = "define",
     .letter = 'D',
     .kind = CLI_DEFINE,
     .argument = "NAME=VALUE",
     .help = "Set a parameter of the scenes in all runs.",
     .many = true},
    CLI_OUTSIDE,
    {.name = "folder",
     .kind = CLI_FILE,
     .argument = "FOLDER",
     .help = "Folder of the experiments. The default is $PERP_EXPERIMENTS, or the experiments that came with "
             "perp."},
    {.name = NULL}};

static const cli_example examples[] = {
    {"perp experiment", "list the experiments"},
    {"perp experiment incline", "run one: table on the screen, plots in out/experiments/incline"},
    {"perp experiment incline -D angle=20*deg", "a variant; references that are formulas follow"},
    {"perp experiment --all --json", "run all, results for machines"},
    {NULL, NULL}};

const cli_command command_experiment = {
    .name = "experiment",
    .operands = "[NAME...]",
    .min_operand = 0,
    .max_operand = -1,
    .summary = "run experiments and compare them with their references",
    .about = "Runs the scenes of an experiment, evaluates their recordings, and compares with reference values: closed "
             "forms, independent solutions, published figures. It prints one row for each check: quantity, measured "
             "value, reference (published value in brackets), error, limit, ok.\n\n"
             "An experiment is a folder with an experiment.yaml and its scenes. To add an experiment, add a folder.\n\n"
             "The exit code is 1 if a check fails. With -D, a check whose reference is a number for the original "
             "parameters does not apply; it is shown without a verdict.",
    .option = options,
    .example = examples,
    .run = run_command};

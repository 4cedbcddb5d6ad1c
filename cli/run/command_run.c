/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_run.c - perp run: a scene in, certified numbers and a recording out. */
#include <math.h>
#include <string.h>

#include "run/live.h"

static const char *const progress_choices[] = {"auto", "always", "never", NULL};

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FILE,
     .argument = "RECORDING",
     .help = "Name of the recording. The default is the name of the scene with .h5, in the current folder."},
    {.name = "no-recording", .kind = CLI_FLAG, .help = "Write no recording; only print the summary."},
    {.name = "define",
     .letter = 'D',
     .kind = CLI_DEFINE,
     .argument = "NAME=VALUE",
     .help = "Set a parameter of the scene to a number or an expression. May be repeated."},
    CLI_OUTSIDE,
    {.name = "duration",
     .letter = 't',
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .max = INFINITY,
     .help = "Simulate until this time instead of the scene's duration."},
    {.name = "every",
     .kind = CLI_WHOLE,
     .argument = "STEPS",
     .min = 1,
     .max = 1e9,
     .help = "Record a frame every STEPS steps, instead of the scene's interval."},
    {.name = "what",
     .kind = CLI_TEXT,
     .argument = "LIST",
     .help = "Record these quantities instead of those of the scene: all, or a list of poses, twists, joints, "
             "contacts, certificate, ledger, solver, separated by commas without blanks."},
    {.name = "resume",
     .letter = 'r',
     .kind = CLI_FLAG,
     .help = "Continue a recording to the end of its run. The frames are bitwise the same as without the "
             "interruption."},
    {.name = "force",
     .letter = 'f',
     .kind = CLI_FLAG,
     .help = "Replace an existing recording. perp first reads the scene and writes the first frame of the new "
             "recording. Until then the old one is kept as RECORDING.old."},
    {.name = "save-problems",
     .kind = CLI_FILE,
     .argument = "FOLDER",
     .help = "Save the complementarity problems of every step for perp solve, one file for each island. Creates "
             "the folder if it does not exist."},
    {.name = "save-every",
     .kind = CLI_WHOLE,
     .argument = "STEPS",
     .min = 1,
     .max = 1e9,
     .help = "With --save-problems: save the problems of every STEPS-th step only."},
    {.name = "quiet",
     .letter = 'q',
     .kind = CLI_FLAG,
     .help = "Print only errors and warnings, no progress and no summary."},
    {.name = "progress",
     .kind = CLI_CHOICE,
     .argument = "WHEN",
     .choices = progress_choices,
     .help = "Show progress on stderr: auto (the default: only if stderr is a terminal), always or never."},
    {.name = "watch",
     .letter = 'w',
     .kind = CLI_TEXT,
     .many = true,
     .argument = "QUANTITY",
     .help = "Print this quantity during the run, in addition to those that the scene watches. It is a series of "
             "perp plot (box.x, energy.total) or an expression with series in braces. May be repeated."},
    {.name = "watch-every",
     .kind = CLI_NUMBER,
     .argument = "TIME",
     .min = 1e-300,
     .max = INFINITY,
     .help = "Simulated time between two printed lines of --watch. The default is a twentieth of the run."},
    {.name = "view",
     .letter = 'v',
     .kind = CLI_FLAG,
     .help = "Show the run in the browser while it is computed, with pause, single step and reset."},
    {.name = "paused", .kind = CLI_FLAG, .help = "With --view: wait before the first step."},
    {.name = "speed",
     .kind = CLI_NUMBER,
     .argument = "FACTOR",
     .min = 1e-6,
     .max = 1e6,
     .help = "With --view: simulated time per second of wall time, at most; the default is 1."},
    {.name = "fast", .kind = CLI_FLAG, .help = "With --view: run as fast as possible, as without --view."},
    {.name = "port",
     .kind = CLI_WHOLE,
     .argument = "PORT",
     .min = 1,
     .max = 65535,
     .help = "With --view: use this port of 127.0.0.1. The default is any free port."},
    {.name = "no-open", .kind = CLI_FLAG, .help = "With --view: only print the address; do not open a browser."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp run pile.yaml", "run a scene; writes pile.h5 and prints the summary"},
    {"perp run pile.yaml -D mu=0.5 -D n=100 -o rough.h5", "with other values of its parameters"},
    {"perp run pile.yaml --no-recording --json", "numbers for another program, nothing else"},
    {"perp run pile.yaml --save-problems problems --save-every 10", "save the problems of every tenth step"},
    {"perp run pile.yaml --watch box.x --watch '2*{box.vx}'", "print quantities while it runs"},
    {"perp run --view pile.yaml", "watch it in the browser while it runs"},
    {"perp run --resume pile.h5", "continue after Ctrl-C, a crash or a power cut"},
    {NULL, NULL},
};

static const struct {
    const char *word;
    unsigned bit;
} parts[] = {{"poses", PERP_RECORD_POSES},
             {"twists", PERP_RECORD_TWISTS},
             {"joints", PERP_RECORD_JOINTS},
             {"contacts", PERP_RECORD_CONTACTS},
             {"certificate", PERP_RECORD_CERTIFICATE},
             {"ledger", PERP_RECORD_LEDGER},
             {"solver", PERP_RECORD_SOLVER},
             {"all", PERP_RECORD_ALL}};
enum { NPART = sizeof parts / sizeof *parts };

/* Reads the list of --what into a mask; 0 after a complaint. */
static unsigned read_what(const cli_args *a, const char *list) {
    unsigned mask = 0;
    for (const char *p = list;; p++) {
        size_t n = strcspn(p, ",");
        unsigned bit = 0;
        const char *words[NPART + 1] = {0};
        for (int i = 0; i < NPART; i++) {
            words[i] = parts[i].word;
            if (strlen(parts[i].word) == n && !memcmp(parts[i].word, p, n)) bit = parts[i].bit;
        }
        if (!bit) {
            char word[64], safe[96], found[128], allowed[256];
            snprintf(word, sizeof word, "%.*s", n < 60 ? (int)n : 60, p);
            snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, word));
            const char *near = cli_suggest(word, words);
            int k = snprintf(allowed, sizeof allowed,
                             "all, or some of poses, twists, joints, contacts, certificate, ledger, solver");
            if (near) snprintf(allowed + k, sizeof allowed - (size_t)k, " (did you mean %s?)", near);
            cli_mistake(a, "--what", found, allowed);
            return 0;
        }
        mask |= bit;
        p += n;
        if (!*p) return mask;
    }
}

/* pile.h5 for scenes/pile.yaml, in the current folder. False if the name is too long. */
static bool default_output(const char *scene, char *out, size_t size) {
    const char *name = strrchr(scene, '/');
    name = name ? name + 1 : scene;
    size_t n = strlen(name);
    if (n > 5 && !strcmp(name + n - 5, ".yaml"))
        n -= 5;
    else if (n > 4 && !strcmp(name + n - 4, ".yml"))
        n -= 4;
    return snprintf(out, size, "%.*s.h5", (int)n, name) < (int)size;
}

/* Options that a run cannot have together. */
static int check_together(const cli_args *a) {
    static const char *const not_resumed[] = {"output", "no-recording", "define", "every", "what", "force"};
    static const char *const not_unrecorded[] = {"output", "every", "what", "force"};
    bool resume = cli_given(a, "resume"), unrecorded = cli_given(a, "no-recording");
    if (cli_given(a, "save-every") && !cli_given(a, "save-problems"))
        return cli_mistake(a, "--save-every", "without --save-problems", "both together");
    static const char *const only_watched[] = {"paused", "speed", "fast", "port", "no-open"};
    for (int i = 0; !cli_given(a, "view") && i < 5; i++) {
        char key[32];
        snprintf(key, sizeof key, "--%s", only_watched[i]);
        if (cli_given(a, only_watched[i])) return cli_mistake(a, key, "without --view", "both together");
    }
    if (cli_given(a, "fast") && cli_given(a, "speed"))
        return cli_mistake(a, "--speed", "together with --fast", "one of the two");
    if (cli_given(a, "view") && resume) return cli_mistake(a, "--view", "together with --resume", "one of the two");
    for (int i = 0; resume && i < 6; i++) {
        char key[32];
        snprintf(key, sizeof key, "--%s", not_resumed[i]);
        if (cli_given(a, not_resumed[i]))
            return cli_mistake(a, key, "together with --resume",
                               "--resume without it; the run keeps the settings of its recording");
    }
    for (int i = 0; unrecorded && i < 4; i++) {
        char key[32];
        snprintf(key, sizeof key, "--%s", not_unrecorded[i]);
        if (cli_given(a, not_unrecorded[i]))
            return cli_mistake(a, key, "together with --no-recording", "one of the two");
    }
    return CLI_OK;
}

static void complain_and_advise(const cli_args *a, const simulate_options *o, const simulate_result *r) {
    char path[CLI_PATH];
    fflush(stdout);
    fprintf(stderr, "perp: %s\n", r->why.text);
    if (cli_given(a, "quiet")) return;
    if (r->failed) {
        if (o->output)
            fprintf(stderr, "perp: %s holds everything before that step\n", cli_quote(path, sizeof path, o->output));
        if (*r->failed_problem)
            fprintf(stderr, "perp: the problem of that step is in %s (perp solve can try other solvers on it)\n",
                    cli_quote(path, sizeof path, r->failed_problem));
        else if (r->why.status == PERP_E_SOLVE && !o->output)
            fprintf(stderr, "perp: record the run or pass --save-problems FOLDER to save the problem of that step\n");
        if (r->why.status == PERP_E_SOLVE && strstr(r->why.text, "no solution exists"))
            fprintf(stderr, "perp: change the motion of the driven bodies, or what holds them; a smaller time step or "
                            "another solver "
                            "does not help\n");
        else if (r->why.status == PERP_E_SOLVE)
            fprintf(stderr, "perp: try a smaller time step (h), a larger stages.max_halvings, or another solver in "
                            "stages.fallback\n");
        else if (r->why.status != PERP_E_MEMORY)
            fprintf(stderr, "perp: correct this in the scene and run it again\n");
    } else if (o->output && r->frames > 0) {
        fprintf(stderr,
                "perp: the recording is intact up to its last commit; to continue when there is room: perp run "
                "--resume %s\n",
                cli_quote(path, sizeof path, o->output));
    }
}

/* Says how a run ended, and returns the exit code. */
static int report(const cli_args *a, const simulate_options *o, const simulate_result *r) {
    bool ran = r->code == CLI_OK || r->code == CLI_INTERRUPTED || r->failed || r->steps > 0;
    if (!ran) return r->code == CLI_MACHINE ? cli_refuse_writing(a, &r->why) : cli_refuse(a, &r->why);
    bool bad = r->code != CLI_OK && r->code != CLI_INTERRUPTED;
    if (cli_json(a)) {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        summary_json(&j, o, r);
        if (bad) json_refusal(&j, "error", &r->why, r->code);
        json_end(&j, '}');
    } else if (!cli_given(a, "quiet")) {
        if (o->resume && r->steps == 0 && r->code == CLI_OK)
            printf("nothing left to do: the recording already ends at t = %.6g (--duration TIME continues it)\n",
                   r->t1);
        summary_run(stdout, o, r);
    }
    if (bad) complain_and_advise(a, o, r);
    return r->code;
}

/* A run in the browser, as often as it is reset. The recording is of the last one: a reset replaces what this command
 * has written itself. */
static int watch(const cli_args *a, simulate_options *o, simulate_result *r) {
    live *l;
    live_options lo = {.port = (int)cli_number(a, "port", 0),
                       .open = !cli_given(a, "no-open"),
                       .paused = cli_given(a, "paused"),
                       .speed = cli_given(a, "fast") ? 0 : cli_number(a, "speed", 1),
                       .parameters = !o->resume,
                       .announce = cli_json(a) ? stderr : stdout};
    int code = live_open(a, &lo, &l);
    if (code) return code;
    o->watch = live_watch(l);
    const perp_definition *start = o->define;
    int nstart = o->ndefine;
    bool again;
    do {
        simulate(o, r);
        if (!r->again && !cli_json(a)) code = report(a, o, r);
        fflush(stdout); /* the result is shown while the page stays open */
        again = live_again(l, r);
        o->force = true;
        if (again && !o->resume) live_definitions(l, o, start, nstart);
    } while (again);
    live_close(l);
    return cli_json(a) ? report(a, o, r) : code;
}

static int run(const cli_args *a) {
    static simulate_result r; /* a few kilobytes */
    char output[CLI_PATH];
    const char *target = cli_operand(a, 0), *when = cli_text(a, "progress", "auto");
    int code = check_together(a);
    if (code) return code;
    simulate_options o = {.resume = cli_given(a, "resume"), .force = cli_given(a, "force"), .stop = cli_interrupted};
    o.ndefine = cli_definitions(a, &o.define);
    o.root = cli_root(a);
    o.duration = cli_number(a, "duration", 0);
    o.set_duration = cli_given(a, "duration");
    o.every = (int)cli_number(a, "every", 0);
    o.save_problems = cli_text(a, "save-problems", NULL);
    o.save_every = (int)cli_number(a, "save-every", 1);
    o.progress = !cli_given(a, "quiet") && (!strcmp(when, "always") || (!strcmp(when, "auto") && cli_terminal(stderr)));
    if (o.resume) {
        o.output = target;
    } else {
        o.scene = target;
        if (!cli_given(a, "no-recording")) {
            o.output = cli_text(a, "output", NULL);
            if (!o.output && !default_output(target, output, sizeof output))
                return cli_mistake(a, "--output", "nothing, and the name of the scene is too long for a default",
                                   "a path");
            if (!o.output) o.output = output;
        }
    }
    if (cli_given(a, "what")) {
        o.what = read_what(a, cli_text(a, "what", ""));
        if (!o.what) return CLI_BAD_INPUT;
    }
    const char *quantity[64];
    if (cli_count(a, "watch") > 64) return cli_mistake(a, "--watch", "more than 64 quantities", "at most 64");
    o.nquantity = cli_count(a, "watch");
    for (int i = 0; i < o.nquantity; i++) quantity[i] = cli_nth(a, "watch", i);
    o.quantity = quantity;
    o.tell_every = cli_number(a, "watch-every", 0);
    o.warn = !cli_given(a, "quiet");
    if (o.warn || o.nquantity > 0) o.tell = cli_json(a) ? stderr : stdout;
    cli_catch_interrupt();
    if (cli_given(a, "view")) return watch(a, &o, &r);
    o.loads_alone = true;
    simulate(&o, &r);
    return report(a, &o, &r);
}

const cli_command command_run = {
    .name = "run",
    .operands = "SCENE\n--resume RECORDING",
    .min_operand = 1,
    .max_operand = 1,
    .summary = "simulate a scene and record it",
    .about = "Simulates the scene and writes a recording. At the end it prints a summary: what was simulated, how well "
             "the laws held (good, fair or poor, and where it was worst), the energy account, and the computing time "
             "of each stage.\n\n"
             "The certificate is good if the residuals of the laws are at most 1e-8 of the speeds, the overlap of "
             "bodies and the errors of joints at most 1e-6 of the smallest body, and the energy account closes to "
             "1e-9. It is fair up to 1e-4, 1e-2 and 1e-6, and poor above.\n\n"
             "If stderr is a terminal, it shows the progress: simulated time, steps per second, largest residual of "
             "the laws (relative to the speeds), deepest overlap so far, and the remaining time. Ctrl-C (or SIGTERM) "
             "abandons the current step, closes the recording and ends the run. A second Ctrl-C ends it at once. A run "
             "that was killed loses at most about one second.\n\n"
             "perp never overwrites a file, unless it is a recording and you pass --force. If a step fails, the "
             "recording keeps everything before that step. The problem that could not be solved is saved as "
             "RECORDING-failed-step-NUMBER.h5, for perp solve.\n\n"
             "--view shows the run in the browser while it is computed. Only this machine can reach the page, and its "
             "address contains a secret, as with perp view. The run proceeds in real time: one unit of simulated time "
             "per second. If the machine is too slow for that, the run is slower and does not catch up later. At the "
             "end of the run the page stays until Ctrl-C. Reset reads the scene file again and restarts the run and "
             "its recording.",
    .option = options,
    .example = examples,
    .run = run,
};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cli.h - the program's commands: one table describes each; parsing, help, man page and completion use it.
 *
 * A command is one file command_NAME.c with one cli_command. It prints results on stdout and error messages on stderr, and
 * returns the exit code:
 *   0  done            1  ran, but the outcome is bad (a step failed, an experiment's check failed)
 *   2  bad input: scene, recording, option; nothing was written       3  the machine failed: disk full, no memory
 *   130  ended by Ctrl-C, everything recorded so far is safe */
#ifndef CLI_H
#define CLI_H

#include <stdio.h>

#include "base/clock.h"
#include "perp/perp.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2, CLI_MACHINE = 3, CLI_INTERRUPTED = 130 };

/* What the argument of an option is, for checks and completion. The word for an argument or operand tells completion
 * which files to offer: SCENE *.yaml, RECORDING *.h5, PROBLEM *.h5, *.hdf5 and *.dat, TRACE and RESULTS *.csv and *.h5,
 * FILE any, COMMAND the commands; other words none. */
typedef enum cli_kind {
    CLI_FLAG,   /* takes none */
    CLI_TEXT,   /* anything */
    CLI_FILE,   /* a path */
    CLI_NUMBER, /* a finite number from min to max */
    CLI_WHOLE,  /* a whole number within min..max */
    CLI_CHOICE, /* one of choices */
    CLI_DEFINE  /* NAME=VALUE; it may be given several times */
} cli_kind;

typedef struct cli_option {
    const char *name; /* long name without dashes */
    char letter;      /* 0: no short form */
    cli_kind kind;
    const char *argument;       /* word for the argument in help: FILE, SECONDS; NULL for a flag */
    const char *help;           /* one sentence */
    double min, max;            /* range of numbers; infinite: no limit on that side; both 0: any number */
    const char *const *choices; /* NULL-terminated */
    bool many;                  /* it may be repeated; flags and definitions always may */
} cli_option;

typedef struct cli_args cli_args;

typedef struct cli_example {
    const char *line, *about;
} cli_example;

typedef struct cli_command {
    const char *name;             /* "run" */
    const char *operands;         /* "SCENE", "RECORDING... [WHAT...]"; a new line begins another way to call it */
    int min_operand, max_operand; /* max < 0: any number */
    const char *summary;          /* one line, for the list */
    const char *about;            /* paragraphs separated by blank lines, plain text, for help and man page */
    const cli_option *option;     /* ended by a name of NULL; --json, --help are added to every command */
    const cli_example *example;   /* ended by a line of NULL */
    int (*run)(const cli_args *args);
} cli_command;

extern const cli_command command_run, command_info, command_plot, command_render, command_solve, command_experiment,
    command_view, command_version, command_help, command_refine, command_compare, command_sweep, command_study,
    command_design, command_estimate, command_import;

/* The options and operands of the command line. To ask for a name that the command's table does not have is a
 * programming error (assert). */
bool cli_given(const cli_args *a, const char *option);
const char *cli_text(const cli_args *a, const char *option, const char *fallback); /* the last one given */
double cli_number(const cli_args *a, const char *option, double fallback);
int cli_count(const cli_args *a, const char *option); /* times given */
const char *cli_nth(const cli_args *a, const char *option, int i);
int cli_operands(const cli_args *a);
const char *cli_operand(const cli_args *a, int i);
bool cli_json(
    const cli_args *a); /* --json: results as one JSON object on stdout, complaints as {"error": {...}} on stdout too */
/* Option of commands that read scenes and studies, and the root that it gives: "/", or NULL for the folder of the file. */
#define CLI_OUTSIDE                                                                                        \
    {                                                                                                      \
        .name = "allow-outside", .kind = CLI_FLAG,                                                         \
        .help = "Also read included files, meshes and data from outside the folder of the scene or study." \
    }
const char *cli_root(const cli_args *a);
/* -D definitions split at the first '='; borrowed until the program ends. Returns their number. */
int cli_definitions(const cli_args *a, const perp_definition **out);

/* Prints an error message ("perp: ..." on stderr; with --json also as an object on stdout) and returns the exit code for its
 * status: 3 for PERP_E_MEMORY and for writing that failed, else 2. */
int cli_refuse(const cli_args *a, const perp_refusal *why);
int cli_refuse_say(const cli_args *a, int code, const char *format, ...) PERP_PRINTF(3, 4);
/* As cli_refuse(), for something that could not be written: PERP_E_IO gives 3. */
int cli_refuse_writing(const cli_args *a, const perp_refusal *why);
/* A mistake in the options themselves: "perp run: --what: found X; allowed: Y"; key or allowed may be "". Returns 2. */
int cli_mistake(const cli_args *a, const char *key, const char *found, const char *allowed);
/* The word of the list (ended by NULL) nearest to what was written, NULL if none is near. */
const char *cli_suggest(const char *written, const char *const *words);

/* True once Ctrl-C or SIGTERM has come (after cli_catch_interrupt). A second Ctrl-C ends the program at once. */
void cli_catch_interrupt(void);
bool cli_interrupted(void);
/* Between cli_loading(true) and cli_loading(false) a signal ends the program at once. Use it only while main()'s
 * thread loads files and nothing else is open. */
void cli_loading(bool on);

/* ---- terminal.c: what the terminal can show ---- */
enum { CLI_PATH = 4200 };    /* room for a path in quotes */
bool cli_terminal(FILE *to); /* is it one */
bool cli_utf8(void);         /* the locale's characters are UTF-8 */
bool cli_colour(FILE *to);   /* a terminal, and NO_COLOR is not set */
/* Escape that begins a style ("1" bold, "31" red, "" ends it), or "" where colours are off. */
const char *cli_style(FILE *to, const char *style);
int cli_width(FILE *to); /* columns; 80 if not a terminal */
/* Text that is safe to print here: control characters as \xNN, and, outside UTF-8, ? for every other character. Cut to
 * fit; returns out. */
char *cli_printable(char *out, size_t size, const char *text);
/* A path as it is typed into a shell, in quotes where it needs them. */
char *cli_quote(char *out, size_t size, const char *path);
char *cli_bytes(char *out, size_t size, double bytes);     /* "1.2 MB" */
char *cli_rate(char *out, size_t size, double x);          /* three digits, no exponent: "2630", "26.3" */
char *cli_seconds(char *out, size_t size, double seconds); /* "0.53 s", "3 min 12 s" */

/* ---- json.c: a writer that keeps commas and indentation right ---- */
typedef struct json {
    FILE *to;
    int depth;
    bool first[64];
    bool after_key;
    /* set after json_begin(), for what only programs read: */
    bool flat;  /* all on one line */
    int digits; /* of numbers, instead of 17 */
} json;
void json_begin(json *j, FILE *to);
void json_object(json *j);            /* { */
void json_array(json *j);             /* [ */
void json_end(json *j, char closing); /* '}' or ']'; the outermost adds a newline */
void json_key(json *j, const char *key);
void json_string(json *j, const char *s); /* escaped; broken UTF-8 replaced */
void json_number(json *j, double x);      /* 17 digits unless told; NaN and infinities as null */
void json_whole(json *j, long long x);
void json_bool(json *j, bool b);
void json_null(json *j);
/* key and value in one */
void json_field_string(json *j, const char *key, const char *s);
void json_field_number(json *j, const char *key, double x);
void json_field_whole(json *j, const char *key, long long x);
void json_field_bool(json *j, const char *key, bool b);
/* json_perp.c: parts that several commands write in the same way: the certificate (worst and sums) with the ledger, a refusal, the
 * units and the parameters of a scene. A limit that a parameter does not have is null. */
void json_certificate(json *j, const char *key, const perp_certificate *c);
void json_refusal(json *j, const char *key, const perp_refusal *why, int code);
void json_units(json *j, perp_units u);
void json_parameters(json *j, const perp_scene *s);

/* ---- simulate.c: a run as `perp run` and `perp experiment` need it ---- */
typedef enum simulate_word { SIMULATE_GO, SIMULATE_END, SIMULATE_AGAIN } simulate_word;

/* Callbacks for a program part that watches a run and may pause it. They are called from the thread that
 * simulates. */
typedef struct simulate_watch {
    void *ctx;
    /* Called when the scene is open and its recording has begun. An error ends the run. */
    perp_status (*begin)(void *ctx, const perp_scene *scene, perp_refusal *why);
    /* Called before each step; it may block. END: the run ends as if interrupted. AGAIN: the run begins again. */
    simulate_word (*wait)(void *ctx);
    perp_status (*stepped)(void *ctx, const perp_certificate *c, perp_refusal *why);
    void (*end)(void *ctx); /* called once for every begin(), before the scene is closed */
} simulate_watch;

typedef struct simulate_options {
    const char *scene;  /* path; NULL when resuming */
    const char *called; /* path whose name stands for a title that the scene lacks; NULL: `scene` */
    const char *output; /* recording; NULL: none is written */
    bool resume;        /* continue `output` */
    bool loads_alone;   /* a signal may end the program while the scene is read, since nothing else is open */
    bool force;         /* replace an existing output, after the scene has been read */
    const perp_definition *define;
    int ndefine;
    const char *root;             /* perp_scene_options.root */
    const perp_source_file *file; /* nfile > 0: the scene and all files that it names; nothing is read from disk */
    int nfile;
    double duration;                  /* > 0: instead of the scene's */
    bool set_duration;                /* use `duration` even if it is 0 (no steps) */
    int every;                        /* > 0: instead of the scene's */
    unsigned what;                    /* > 0: mask of perp_record instead of the scene's */
    const perp_record_choice *record; /* NULL: the scene's, with `every` and `what` applied */
    const char *save_problems;        /* folder for the step problems; NULL: they are not saved */
    int save_every;                   /* steps; 0: each */
    bool progress;                    /* a bar on stderr */
    bool (*stop)(void);               /* called after each step and during long steps; NULL: never */
    const simulate_watch *watch;      /* callbacks of the run; NULL: none */
    bool warn;                        /* print a warning on stderr if bodies overlap at the start */
    FILE *tell;                       /* stream for the watched quantities; NULL: they are not printed */
    const char *const *quantity;      /* nquantity series or expressions, in addition to those of the scene */
    int nquantity;
    double tell_every; /* simulated time between lines; 0: a twentieth of the run [T] */
} simulate_options;

typedef struct simulate_result {
    int code;         /* exit code, CLI_OK .. */
    perp_refusal why; /* of a code other than 0 */
    char title[256];
    perp_certificate total; /* worst and sums over the whole run, resumed parts included */
    double law, law_t, overlap_t,
        joint_t;                /* largest law residual as a part of the speeds; times of the worst figures */
    char overlap_names[2][128]; /* bodies of the deepest overlap */
    bool overlap_driven[2];     /* they are driven */
    char gain_names[2][128];    /* bodies of the island in which contacts added the most energy; "": none did */
    double gain_t;
    char yield_name[128];   /* of a joint whose motor yielded */
    char jam_names[2][128]; /* the kinematic body with the deepest jam, and the body that it penetrated */
    double t0, t1, h;
    uint64_t steps; /* taken in this call */
    uint64_t frames;
    int bodies, joints, contacts_most;
    double seconds, recording_seconds; /* wall time in all, and in recording */
    double processor_seconds;          /* processor time of the whole program during the run */
    double waited;                     /* wall time for which the watcher paused the run; not part of `seconds` */
    double stage[PERP_STAGE_COUNT];
    double energy[3]; /* kinetic, gravity, spring at the end */
    bool interrupted;
    bool again;    /* a callback requested a restart of the run */
    uint64_t hash; /* of the final state */
    int dim;
    double end;                              /* time at which the run is to end [T] */
    bool failed;                             /* a step failed: `why` says which and why */
    double size;                             /* of the smallest body, see size.c; 0 if none has one [L] */
    double energy0[3];                       /* as energy, at the first step of this call */
    double load_seconds;                     /* wall time of reading the scene */
    uint64_t recording_bytes, recording_raw; /* of the file; of the arrays in it */
    uint64_t saved_problems;                 /* files of step problems */
    char failed_problem[CLI_PATH];           /* file of the problem of the step that failed; "": there is none */
} simulate_result;

void simulate(const simulate_options *o, simulate_result *r);

/* The verdict on a run: for each aspect one of the words "good", "fair", "poor", and a sentence. */
typedef struct verdict {
    const char *word; /* of the whole run: the worst of all aspects */
    const char *laws_word, *overlap_word, *joints_word, *energy_word, *creep_word, *twist_word;
    char laws[256], overlap[320], joints[256], energy[320], creep[256],
        twist[128]; /* sentences with figures and places */
} verdict;
void judge(const simulate_result *r, verdict *out);

/* ---- recording_file.c: properties of a file that do not need the recording to be read ---- */
bool recording_signature(const char *path); /* is a file that begins as HDF5 files do, or is empty */
/* A truncated or damaged recording is recognised by its first byte, which no text file has, or by its name. */
bool recording_likely(const char *path);
bool recording_busy(const char *path); /* another process is writing it */

/* ---- size.c: the length that overlaps are compared with: the width of the thinnest shape, or, if no shape has a
 * width, the shortest arm of a joint; 0 if there is neither [L] ---- */
double size_of_world(const perp_world *w);
double size_of_recording(const perp_recording *r);

/* ---- summary.c: what a run was, for people and machines ---- */
void summary_certificate(FILE *to, const simulate_result *r);
void summary_energy(FILE *to, const perp_ledger *l, const double energy[3]); /* energy NULL: kinetic only */
void summary_run(FILE *to, const simulate_options *o, const simulate_result *r);
/* Writes the fields of the run into an open object. */
void summary_json(json *j, const simulate_options *o, const simulate_result *r);
void summary_json_verdict(json *j, const simulate_result *r);
/* Entries of the energy account between start and end; NULL past the last. */
typedef struct ledger_entry {
    const char *key, *label;
    size_t offset; /* of the double in perp_ledger */
} ledger_entry;
const ledger_entry *summary_ledger(int i);

#endif

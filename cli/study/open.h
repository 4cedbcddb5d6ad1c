/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* open.h - opens a study for a command: options, output file, rows of one or several files */
#ifndef CLI_STUDY_OPEN_H
#define CLI_STUDY_OPEN_H

#include "study/report.h"
#include "study/sweep.h"

enum { STUDY_ONLY = 16 };

/* Options that commands share. All commands that run a study have STUDY_OPTIONS. Commands that also save trials in a
 * file, by study_results(), have STUDY_TRIAL_OPTIONS. */
/* clang-format off */
#define STUDY_OPTIONS                                                                                                \
    {.name = "workers", .letter = 'j', .kind = CLI_WHOLE, .argument = "N", .min = 1, .max = PERP_WORKERS_MAX,         \
     .help = "Number of worker threads; the default is all processors. Results do not depend on it."},                \
    {.name = "define", .letter = 'D', .kind = CLI_DEFINE, .argument = "NAME=VALUE",                                   \
     .help = "Set a parameter of the scene in all trials. May be repeated."},                          \
    CLI_OUTSIDE,                                                                                                      \
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .help = "Print only errors and warnings."}
#define STUDY_TRIAL_OPTIONS                                                                                          \
    {.name = "resume", .letter = 'r', .kind = CLI_FLAG,                                                               \
     .help = "Run the trials that are missing in the file of results. Results are as without the interruption."}, \
    {.name = "force", .letter = 'f', .kind = CLI_FLAG, .help = "Replace an existing file of results."},               \
    {.name = "count", .letter = 'n', .kind = CLI_WHOLE, .argument = "N", .min = 1, .max = 4e9,                        \
     .help = "Samples for each combination of the varied parameters, instead of the study's count."},                           \
    {.name = "seed", .kind = CLI_WHOLE, .argument = "SEED", .min = 0, .max = 4294967295.0,                            \
     .help = "Seed of the samples, instead of the study's seed."},                                                   \
    {.name = "progress", .kind = CLI_CHOICE, .argument = "WHEN", .choices = study_progress_words,                     \
     .help = "Show progress on stderr: auto (the default: only on a terminal), always or never."}
#define STUDY_OUTPUT(text) {.name = "output", .letter = 'o', .kind = CLI_FILE, .argument = "RESULTS", .help = text}
#define STUDY_FIGURES(text) {.name = "figures", .kind = CLI_FILE, .argument = "FOLDER", .help = text}
/* clang-format on */
extern const char *const study_progress_words[];
/* Returns true if progress is shown, by --progress and --quiet. */
bool study_progress(const cli_args *a);

/* Options of the command line for a study. */
typedef struct study_args {
    pp_study_options o;
    const char *only[STUDY_ONLY];
    char *text;       /* text of a study made from options; freed by study_args_free() */
    const char *path; /* path of the study, for messages */
} study_args;

/* Opens the study given by the operand. The operand of a sweep may also be a scene, with --vary, --sample, --measure, --end. Reads --only
 * for sweeps, and --count and --seed for sweeps and designs. Returns an exit code. */
typedef enum study_kind { STUDY_SWEEP, STUDY_DESIGN, STUDY_ESTIMATE } study_kind;
int study_open(const cli_args *a, study_kind kind, study_args *x, pp_study **out);
/* Opens the same study again with another seed and number of samples (-1: unchanged) and with steps of h/refine. Returns an exit code. */
int study_open_again(const cli_args *a, const study_args *x, int64_t seed, int64_t count, int refine, pp_study **out);
void study_args_free(study_args *x);

/* Writes the path of the results to out: --output, or the name of the study with `suffix` and .h5 in the current folder. Returns false if
 * the path is too long. */
bool study_output(const cli_args *a, const char *suffix, char *out, size_t size);
/* Opens the file of results. `resume` continues an existing file; --force replaces one. Returns an exit code. */
int study_results(const cli_args *a, const char *path, const pp_study *s, const study_args *x, uint64_t trials,
                  bool resume, pp_study_file **out);
/* Prints the title of the study, or the title of its scene, as a heading. */
void study_print_title(const pp_study *s, FILE *to);
/* Prints how many trials failed. outcome: number of trials with each outcome. */
void study_print_failed(const uint64_t outcome[PP_OUTCOMES], FILE *to);
/* Reads all rows of n files into a table. Prints errors. Returns an exit code. */
int study_load(const cli_args *a, pp_study_file *const *f, int n, pp_table *out);
/* Runs a trial and records it, as perp run does. path NULL: no recording. given: parameters of the trial; NULL: those of the plan. Returns
 * an exit code. */
int study_record_trial(const cli_args *a, const pp_study *s, uint64_t number, const double *given, const char *path);

#endif

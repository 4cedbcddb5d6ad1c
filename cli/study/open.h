/* open.h - studies as commands open them: options, output file, the rows of one or several files. */
#ifndef CLI_STUDY_OPEN_H
#define CLI_STUDY_OPEN_H

#include "study/report.h"
#include "study/sweep.h"

enum { STUDY_ONLY = 16 };

/* What the command line says about a study. */
typedef struct study_args {
    pp_study_options o;
    const char *only[STUDY_ONLY];
    char *text;       /* of a study made from options; to be freed */
    const char *path; /* of the study, for messages */
} study_args;

/* Opens the study of the operand. A sweep may be of a scene, with --vary, --sample, --measure, and has --only; sweeps and designs have
 * --count and --seed. Exit code. */
typedef enum study_kind { STUDY_SWEEP, STUDY_DESIGN, STUDY_ESTIMATE } study_kind;
int study_open(const cli_args *a, study_kind kind, study_args *x, pp_study **out);
/* The same study again with another seed and number of samples (-1: as it is) and steps of h/refine. Exit code. */
int study_open_again(const cli_args *a, const study_args *x, int64_t seed, int64_t count, int refine, pp_study **out);
void study_args_free(study_args *x);

/* Path of the results: --output, or the name of the study with `suffix` and .h5 in the current folder. */
bool study_output(const cli_args *a, const char *suffix, char *out, size_t size);
/* Opens the file of results: to continue it (resume), or a new one; `force` replaces an older study. Exit code. */
int study_results(const cli_args *a, const char *path, const pp_study *s, const study_args *x, uint64_t trials,
                  bool resume, pp_study_file **out);
/* All rows of files into a table; prints complaints. Exit code. */
int study_load(const cli_args *a, pp_study_file *const *f, int n, pp_table *out);
/* Runs a trial again and records it, as perp run would. Exit code. */
int study_record_trial(const cli_args *a, const pp_study *s, uint64_t number, const char *path);

#endif

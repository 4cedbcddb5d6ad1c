/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* file.h - the results file of a study: HDF5, sealed as recordings are, so it is consistent at every moment and every block is
 * checked when it is read. It contains the study, its scene and all files that the scene names, and a row for each trial.
 *
 *   /                attributes perp-study (1), program, title, plan, trials, parts
 *   /source/N        text of file N (0: the study, 1: the scene, ...), attribute path
 *   /source/options  what was given from outside, a line each: "define NAME=VALUE", "only NAME=VALUE", "count N", "seed N"
 *   /plan/parameter, /plan/measure   names, in the order of the columns below
 *   /trials/...      a row for each trial: see `columns` in file.c
 *   /failures/number, /failures/why  trials that were not done, and why */
#ifndef PP_STUDY_FILE_H
#define PP_STUDY_FILE_H

#include "study/study.h"

typedef struct pp_study_file pp_study_file;

/* Description of the file. */
typedef struct pp_study_info {
    uint64_t plan;   /* hash of everything that trials depend on */
    uint64_t trials; /* in all; 0: not known beforehand (a search) */
    uint64_t rows;   /* that are in the file */
    int nparameter, nmeasure;
    char title[200], program[64];
} pp_study_info;

/* Hash of everything that the result of trial K depends on: the scene, definitions, seed, and the study except for its texts, report
 * and checks. search: the trials are those of `design`. */
uint64_t pp_study_plan(const pp_study *s, const pp_study_options *o, bool search);

/* A new file; PERP_E_IO if there is one. @param trials number in all, 0: not known */
perp_status pp_study_file_create(const char *path, const pp_study *s, const pp_study_options *o, uint64_t trials,
                                 pp_study_file **out, perp_refusal *why);
/* A new file for the same study as `from`, without rows. */
perp_status pp_study_file_copy(const char *path, pp_study_file *from, pp_study_file **out, perp_refusal *why);
/* Opens a file to add rows. It must have the same plan. */
perp_status pp_study_file_extend(const char *path, const pp_study *s, uint64_t plan, pp_study_file **out,
                                 perp_refusal *why);
/* Whether the header of a file says that it is a results file. The file may still be damaged. */
bool pp_study_file_is(const char *path);
/* Opens a file to read. */
perp_status pp_study_file_open(const char *path, pp_study_file **out, perp_refusal *why);
/* The same from memory, for tests and fuzzing. The data must stay valid until the file is closed. */
perp_status pp_study_file_open_memory(const char *path, const void *data, size_t size, pp_study_file **out,
                                      perp_refusal *why);
/* Adds a row; it is permanent with the next commit. */
perp_status pp_study_file_add(pp_study_file *f, const pp_row *row, perp_refusal *why);
perp_status pp_study_file_commit(pp_study_file *f, perp_refusal *why);
/* Notes another number of trials in all. */
perp_status pp_study_file_expect(pp_study_file *f, uint64_t trials, perp_refusal *why);
/* Closes; what was not committed is lost. NULL is fine. */
void pp_study_file_close(pp_study_file *f);
const pp_study_info *pp_study_file_info(const pp_study_file *f);

/* Whether the file has the parameters and measures of the study, so that its rows have the same length. */
bool pp_study_file_fits(const pp_study_file *f, const pp_study *s);
/* The study of the file, read from the texts in it. With `path`: read from that file instead, with the options of this one; it must
 * have the same plan, and may have another report. */
perp_status pp_study_file_study(pp_study_file *f, const char *path, pp_study **out, perp_refusal *why);
/* Rows first .. first + n into `row`, each of `size` = pp_row_size() bytes; `why` only where told = true. */
perp_status pp_study_file_rows(pp_study_file *f, uint64_t first, uint64_t n, bool told, void *row, perp_refusal *why);
/* Numbers of all rows, in the order of the file. */
perp_status pp_study_file_numbers(pp_study_file *f, uint64_t *number, perp_refusal *why);

/* Hash of the results of a whole study: rows in the order of their numbers, without times. Rows may be in several files (parts of one
 * study). If two files have different results for a trial, this is an error. */
perp_status pp_study_digest(pp_study_file *const *f, int n, uint64_t *out, perp_refusal *why);

#endif

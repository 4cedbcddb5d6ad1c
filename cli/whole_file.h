/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* whole_file.h - output files are written atomically: to a temporary file in the same folder, which is then renamed.
 * A recording is never overwritten, whatever its name. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include "cli.h"

typedef struct whole_file {
    FILE *to;
    char *part, *path; /* owned */
} whole_file;

/* Is there nothing at that place that must not be replaced: no folder, no HDF5 file? */
perp_status whole_file_check(const char *path, perp_refusal *why);
/* Checks, and begins. */
perp_status whole_file_begin(whole_file *f, const char *path, perp_refusal *why);
/* Renames the file into its place. If `keep` is false or a write failed, it is removed instead. */
perp_status whole_file_end(whole_file *f, bool keep, perp_refusal *why);

#endif

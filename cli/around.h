/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* around.h - a scene as it stands, with some of its words replaced: a small file that includes it. Used by experiments,
 * perp refine and perp compare. */
#ifndef CLI_AROUND_H
#define CLI_AROUND_H

#include "perp/input.h"

/* Longest path of a file in a temporary folder. */
enum { AROUND_PATH = 4096 };

/* What is taken in place of what a scene says; NULL, 0: as the scene says. The first word is a key of the scene itself,
 * the others of its stages. */
typedef struct around_words {
    const char *start, *contact_model, *geometry, *stepper, *form;
    double h; /* [T] */
} around_words;
/* Name of the i-th word, NULL past the last, and where it is. */
const char *around_name(int i);
const char **around_word(around_words *x, int i);
/* Does anything differ from what the scene says? */
bool around_any(const around_words *x);

/* Writes a scene to `path` that includes `scene` and says otherwise where x does. */
perp_status around_write(const char *path, const char *scene, const around_words *x, perp_refusal *why);

/* The folder that files of `scene` must lie in: `given`, or, if that is NULL, the scene's own, by its whole path as
 * around_write() names it. False after a complaint. */
bool around_root(const char *scene, const char *given, char *out, size_t size, perp_refusal *why);
/* Makes a temporary folder "perp-WHAT-XXXXXX"; "" after a complaint. */
bool around_folder(char *out, size_t size, const char *what, perp_refusal *why);
/* Removes the folder and the files in it; nothing if it is "". */
void around_remove(char *folder);

#endif

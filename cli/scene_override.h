/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_override.h - a scene with some of its keys replaced. perp writes a small scene file that includes the scene and
 * gives the other values. Used by experiments, perp refine and perp compare. */
#ifndef CLI_SCENE_OVERRIDE_H
#define CLI_SCENE_OVERRIDE_H

#include "perp/input.h"

/* Longest path of a file in a temporary folder. */
enum { OVERRIDE_PATH = 4096 };

/* Values that replace those of a scene; NULL, 0: the scene's own value. The first is a key of the scene itself,
 * the others are keys of its stages. */
typedef struct override_values {
    const char *start, *contact_model, *geometry, *stepper, *form;
    double h; /* [T] */
} override_values;
/* Name of the i-th word, NULL past the last, and where it is. */
const char *override_name(int i);
const char **override_value(override_values *x, int i);
/* Does any value replace one of the scene? */
bool override_any(const override_values *x);

/* Writes a scene to `path` that includes `scene` and has the values of x in place of the scene's. */
perp_status override_write(const char *path, const char *scene, const override_values *x, perp_refusal *why);

/* The folder that files of `scene` must lie in: `given`, or, if that is NULL, the scene's own, by its whole path as
 * override_write() names it. False after a complaint. */
bool override_root(const char *scene, const char *given, char *out, size_t size, perp_refusal *why);
/* Makes a temporary folder "perp-WHAT-XXXXXX"; "" after a complaint. */
bool override_folder(char *out, size_t size, const char *what, perp_refusal *why);
/* Removes the folder and the files in it; nothing if it is "". */
void override_remove(char *folder);

#endif

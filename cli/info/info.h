/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* info.h - what command_info.c and the files for scenes, recordings and problems share. */
#ifndef INFO_H
#define INFO_H

#include "cli.h"

/* Describes one file. j NULL: as text on stdout; else as fields of an open object. */
typedef struct info_request {
    const char *path;
    json *j;
    bool series, digest;
    const perp_definition *define; /* scenes */
    int ndefine;
    const char *root; /* perp_scene_options.root */
} info_request;

perp_status info_scene(const info_request *q, perp_refusal *why);
perp_status info_recording(const info_request *q, perp_refusal *why);
perp_status info_problem(const info_request *q, perp_refusal *why);
/* Does the file hold a problem, whole or damaged? Scenes and recordings never do. */
bool info_is_problem(const char *path);

/* One row of text: "  title       Pile of bricks". */
void info_row(const char *what, const char *format, ...) PERP_PRINTF(2, 3);
/* "poses, twists" of a mask of perp_record. */
const char *info_what(unsigned mask, char *out, size_t size);
/* "4: 3 dynamic, 1 obstacle": counts by kind as one row, or one object of numbers. */
void info_counts(json *j, const char *what, const char *const *kind, const int *count, int n);
/* "m, kg, s", nothing if there are none. */
void info_units(json *j, perp_units u);
extern const char *const info_body_kind[3], *const info_shape_kind[PERP_SHAPE_KIND_COUNT],
                                                *const info_joint_kind[PERP_JOINT_KIND_COUNT];

#endif

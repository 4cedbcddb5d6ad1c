/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file import.h
 *  Robot models of other programs: MJCF (MuJoCo), URDF (ROS) and SDF (Gazebo). A model becomes a scene; docs/import.md says which parts of it
 *  are kept.
 *
 *      perp_import *m;
 *      perp_refusal why;
 *      if (perp_import_open("arm.urdf", NULL, &m, &why)) { puts(why.text); exit(2); }
 *      for (int i = 0; i < perp_import_note_count(m); i++) puts(perp_import_note_at(m, i).text);
 *      fputs(perp_import_scene(m), stdout);                                     // YAML, for perp_scene_open()
 *      perp_import_close(m);
 *
 *  perp_scene_open() takes such files, too: it imports them with default options. */
#ifndef PERP_IMPORT_H
#define PERP_IMPORT_H

#include "perp/input.h"
#include "perp/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An imported model. */
typedef struct perp_import perp_import;

/** Folder of a package: `package://name/...` and `model://name/...` mean files in this folder. */
typedef struct perp_import_package {
    const char *name, *folder; /**< borrowed until perp_import_open() returns */
} perp_import_package;

/** Default of perp_import_options.corners. */
#define PERP_IMPORT_CORNERS 64

/** Options of an import; {0} gives the defaults. */
typedef struct perp_import_options {
    bool repair;    /**< replace an inertia that no body can have by the nearest valid one, instead of refusing it */
    bool free_base; /**< URDF: the root link moves freely; default: it is fixed to the world */
    int corners;    /**< largest number of corners of the convex hull of a mesh, 8 to 10000; 0: PERP_IMPORT_CORNERS */
    /** MJCF: the name of the keyframe to start from; NULL: joints at their reference. Borrowed until perp_import_open()
     *  returns. */
    const char *key;
    const perp_import_package *package; /**< packages that are not in the folders above the file */
    int npackage;
    perp_allocator alloc; /**< {0}: malloc and free */
} perp_import_options;

/** Kinds of differences between the model and the scene. */
typedef enum perp_import_kind {
    PERP_IMPORT_IGNORED,      /**< an element of the model was left out */
    PERP_IMPORT_APPROXIMATED, /**< an element was approximated; the text gives the difference */
    PERP_IMPORT_REPAIRED,     /**< an invalid value was changed */
    PERP_IMPORT_ASSUMED       /**< the model lacks a value; the text gives the one that was used */
} perp_import_kind;

/** One line of the report. */
typedef struct perp_import_note {
    perp_import_kind kind;
    const char *text; /**< one sentence; borrowed until close */
    const char *file; /**< of the first place in the model; "": none. Borrowed until close */
    int line;         /**< from 1; 0: none */
    int count;        /**< number of places in the model, >= 1 */
} perp_import_note;

/** Numbers of elements in the model file. */
typedef struct perp_import_counts {
    const char *format; /**< "MJCF", "URDF" or "SDF" */
    int bodies; /**< bodies or links, before those without a joint are merged into their parents; without the world */
    int joints, hinges, slides, balls, frees; /**< joints that move; of each kind */
    int geoms, meshes, sites, actuators, equalities, tendons, excludes, pairs, keyframes;
    int moving;  /**< bodies of the scene that move */
    double mass; /**< of all bodies that move [kg] */
} perp_import_counts;

/** Whether the text is a model for perp_import_open(), judged by its first element. */
PERP_API bool perp_import_is_model(const char *data, size_t size);
/** Reads a model and makes a scene of it.
 *  @param path     an MJCF, URDF or SDF file; files that it names are read as it names them
 *  @param options  NULL: defaults
 *  @param why      filled on failure; may be NULL
 *  @return PERP_E_IO (cannot be read), PERP_E_ARG (the model is invalid or not supported), PERP_E_GEOMETRY, PERP_E_FIT (built
 *  without expat), PERP_E_MEMORY; on failure *out is NULL */
PERP_API perp_status perp_import_open(const char *path, const perp_import_options *options, perp_import **out,
                                      perp_refusal *why);
/** Frees an imported model. NULL is allowed. */
PERP_API void perp_import_close(perp_import *m);
/** The scene as YAML. It needs no other file. Borrowed until close. */
PERP_API const char *perp_import_scene(const perp_import *m);
/** Number of lines of the report. */
PERP_API int perp_import_note_count(const perp_import *m);
/** The i-th line. */
PERP_API perp_import_note perp_import_note_at(const perp_import *m, int i);
/** The word of a kind: "ignored", "approximated", "repaired", "assumed". */
PERP_API const char *perp_import_kind_name(perp_import_kind kind);
/** The counts. */
PERP_API perp_import_counts perp_import_count(const perp_import *m);
/** Writes the model as JSON, for comparison with other programs: bodies with their frames, masses and inertias, joints, shapes
 *  with their collision bits. Returns the length without the final zero, as snprintf does; buf may be NULL if size is 0. */
PERP_API size_t perp_import_model(const perp_import *m, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file scene.h
 *  Scenes: worlds from YAML files. docs/scene.md describes the keys of the file.
 *
 *      perp_scene *s;
 *      perp_refusal why;
 *      if (perp_scene_open("pile.yaml", NULL, &s, &why)) { puts(why.text); exit(2); }
 *      perp_world *w = perp_scene_world(s);
 *      for (uint64_t n = perp_scene_steps(s); n > 0 && !perp_world_step(w, NULL); n--) {}
 *      perp_scene_close(s); */
#ifndef PERP_SCENE_H
#define PERP_SCENE_H

#include "perp/input.h"
#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open scene: its world, the settings of the run, and the files it was read from. */
typedef struct perp_scene perp_scene;

/** A file as text in memory, for scenes that do not come from the disk. */
typedef struct perp_source_file {
    const char *path; /**< the name that the scene, or an include or mesh entry in it, uses */
    const char *data; /**< size bytes, any bytes */
    size_t size;
} perp_source_file;

/** Options of opening a scene; {0} gives the defaults. */
typedef struct perp_scene_options {
    const perp_definition *define; /**< override declared parameters */
    int ndefine;
    /** If nfile > 0, nothing is read from the disk: the scene is file[0], and all files that it names must be among the
     *  others. */
    const perp_source_file *file;
    int nfile;
    perp_allocator alloc; /**< of scene and world; {0}: malloc and free */
    perp_log log;         /**< of the world */
    /** Included files and meshes must be in this folder or below it, after symbolic links are resolved; others are not opened.
     *  NULL: the folder of the scene. "/": no restriction. */
    const char *root;
} perp_scene_options;

/** Reads a scene and builds its world.
 *  @param path     the file; with options->file: the name to use in messages
 *  @param options  NULL: defaults; copied
 *  @param why      filled on failure; may be NULL
 *  @return PERP_E_IO (cannot be read), PERP_E_ARG (an error in the scene), PERP_E_GEOMETRY, PERP_E_NAME, PERP_E_FIT,
 *  PERP_E_MEMORY; on failure *out is NULL */
PERP_API perp_status perp_scene_open(const char *path, const perp_scene_options *options, perp_scene **out,
                                     perp_refusal *why);
/** Frees the scene, its world and everything borrowed from it. NULL is allowed. */
PERP_API void perp_scene_close(perp_scene *s);
/** The world. Borrowed until perp_scene_close() or perp_scene_set(). Clones of it use functions of the scene: destroy them
 *  before. */
PERP_API perp_world *perp_scene_world(const perp_scene *s);
/** Title, "" if it has none. Borrowed until close. */
PERP_API const char *perp_scene_title(const perp_scene *s);
/** Description, "" if there is none. Borrowed until close. */
PERP_API const char *perp_scene_about(const perp_scene *s);
/** Names of the units of a scene, for labels; "" where it gives none. perp does not convert units. */
typedef struct perp_units {
    const char *length, *mass, *time;
} perp_units;
/** Units, borrowed until close. */
PERP_API perp_units perp_scene_units(const perp_scene *s);
/** Time to simulate [T]. */
PERP_API double perp_scene_duration(const perp_scene *s);
/** Number of steps of length h in a duration, rounded up. A duration that is a multiple of h up to rounding error is not rounded
 *  up. */
PERP_API double perp_steps_of(double duration, double h);
/** Number of steps of the scene: perp_steps_of() its duration. */
PERP_API uint64_t perp_scene_steps(const perp_scene *s);

/** Groups of data in a recording, as bits of a mask. */
typedef enum perp_record {
    PERP_RECORD_POSES = 1,    /**< positions and orientations */
    PERP_RECORD_TWISTS = 2,   /**< velocities and angular velocities */
    PERP_RECORD_JOINTS = 4,   /**< joint coordinates, rates, impulses, errors */
    PERP_RECORD_CONTACTS = 8, /**< contacts with impulses and states */
    PERP_RECORD_CERTIFICATE = 16,
    PERP_RECORD_LEDGER = 32, /**< energy account and energies */
    PERP_RECORD_SOLVER = 64, /**< solver, iterations, residual, substeps, sizes */
    PERP_RECORD_ALL = 127
} perp_record;

/** Recording choices of a scene. */
typedef struct perp_record_choice {
    unsigned what;   /**< mask of perp_record; default all */
    int every;       /**< a frame every so many steps, >= 1; default 1 */
    int compression; /**< 0 (none) to 9; default 1 */
} perp_record_choice;
/** The choices of the scene, with defaults for those that it does not give. */
PERP_API perp_record_choice perp_scene_record(const perp_scene *s);

/** A quantity to print during a run: an expression of series in braces, "2*{box.vx}". */
typedef struct perp_scene_watch {
    const char *name, *text;
    int file, line, column; /**< place of the text; file: for perp_scene_file_at(); line 0: not known */
} perp_scene_watch;
/** Number of quantities to watch, in the order of the file. */
PERP_API int perp_scene_watch_count(const perp_scene *s);
/** The i-th; strings borrowed until close. */
PERP_API perp_scene_watch perp_scene_watch_at(const perp_scene *s, int i);

/** A declared parameter and its value. */
typedef struct perp_scene_parameter {
    const char *name, *unit, *about; /**< "" where not given */
    double value, initial;           /**< value in use; value in the file */
    double min, max;                 /**< allowed range, infinite where not given */
} perp_scene_parameter;
/** Number of declared parameters, in the order of the file. */
PERP_API int perp_scene_parameter_count(const perp_scene *s);
/** The i-th; strings borrowed until close. */
PERP_API perp_scene_parameter perp_scene_parameter_at(const perp_scene *s, int i);

/** A parameter by name, and a new value. */
typedef struct perp_scene_value {
    const char *name; /**< borrowed until the call returns */
    double value;
} perp_scene_value;
/** Sets parameters and makes a new world. The world is bitwise identical to that of a scene opened with these values as
 *  definitions, in addition to those it was opened with and those set before. No file is read again. (The first call parses the
 *  files once more, from memory; a mesh that only the new values need is read once.) A call takes at most about a third of the
 *  time of perp_scene_open().
 *
 *  The old world is destroyed: call perp_scene_world() again and get new ids of bodies, shapes and joints. Destroy clones of it
 *  before the call. Duration, steps, recording choices and parameters follow the new values. Texts borrowed from the scene stay
 *  valid, except those of perp_scene_definition_at(), which then lists the new values.
 *
 *  On failure the scene and its world are unchanged.
 *  @param set  n values, set together; if a name occurs more than once, the last value counts
 *  @param why  filled on failure; may be NULL
 *  @return PERP_E_ARG with the message of a definition (-D name=value) if a parameter is not declared or a value is out of
 *  its range; otherwise as perp_scene_open() */
PERP_API perp_status perp_scene_set_many(perp_scene *s, const perp_scene_value *set, int n, perp_refusal *why);
/** Sets the callback that can stop a step, as perp_world_set_stop(), for the scene's world and all worlds that
 *  perp_scene_set() makes. @param stop copied; NULL removes it */
PERP_API void perp_scene_set_stop(perp_scene *s, const perp_stop *stop);
/** perp_scene_set_many() with one parameter. */
PERP_API perp_status perp_scene_set(perp_scene *s, const char *name, double value, perp_refusal *why);

/** Number of files read: the scene itself, includes, meshes. */
PERP_API int perp_scene_file_count(const perp_scene *s);
/** The i-th; 0 is the scene. Borrowed until close. perp_scene_open() with all of them makes the same world. */
PERP_API perp_source_file perp_scene_file_at(const perp_scene *s, int i);
/** Number of definitions: those it was opened with, and values set since. */
PERP_API int perp_scene_definition_count(const perp_scene *s);
/** The i-th of them; borrowed until close or perp_scene_set(). */
PERP_API perp_definition perp_scene_definition_at(const perp_scene *s, int i);

/** @name Worlds made in C
 *  A world made by a program can be written as a scene file, and used by functions that need a scene.
 *
 *      perp_scene_words words = perp_scene_words_default();
 *      words.title = "an arm";
 *      if (perp_world_write_scene(w, "arm.yaml", &words, &why)) puts(why.text);      // then: perp run --view arm.yaml
 *  @{ */
/** Title, units, duration and recording choices of a scene. */
typedef struct perp_scene_words {
    const char *title, *about; /**< NULL or "": none */
    perp_units units;          /**< names for labels; NULL or "": none */
    double duration;           /**< time up to which the scene is simulated, >= 0 [T]; default 10 */
    perp_record_choice record; /**< what recordings hold; default everything of every step */
} perp_scene_words;
/** Defaults. Strings that are set later are borrowed until the call that takes the words returns. */
PERP_API perp_scene_words perp_scene_words_default(void);
/** Writes a world as a scene file: stages and their settings, materials and laws, bodies with shapes, motions and forces,
 *  joints with motors, limits, springs and friction, force elements, and the present state. A world read from the file is the
 *  same: after the same steps perp_world_hash() is equal. This is checked before the file is written.
 *
 *  If the world came from a scene, its expressions are written with the values of the parameters. Names that are not valid in a
 *  scene are changed: characters other than A-Z, a-z, 0-9, - and _ become -, and a duplicate gets a number. Bodies and joints
 *  without a name get one (body-3) if another entry refers to them. Materials are called material-1, ... . A solver registered
 *  by the program must also be registered where the file is read.
 *  @param path   a new file: an existing one is never overwritten
 *  @param words  NULL: defaults
 *  @param why    filled on failure; may be NULL
 *  @return PERP_E_ARG if something cannot be written, with its name: a function of the program (motion, force, or part of
 *  a shape); PERP_E_IO, PERP_E_MEMORY. Then there is no file */
PERP_API perp_status perp_world_write_scene(const perp_world *w, const char *path, const perp_scene_words *words,
                                            perp_refusal *why);
/** Makes a scene of a world made by a program, for functions that need a scene, such as perp_recorder_create()
 *  (perp_recorder_create_world() does both). The file of the scene is that of perp_world_write_scene() for the present state.
 *  Functions of the program are written as `type: user`; such a file cannot be read again.
 *  @param w      borrowed until the scene is closed; closing does not destroy it
 *  @param words  NULL: defaults
 *  @param out    owned by the caller, see perp_scene_close(); it has no parameters, and perp_scene_set() refuses
 *  @return PERP_E_ARG, PERP_E_MEMORY; then *out is NULL */
PERP_API perp_status perp_scene_of_world(perp_world *w, const perp_scene_words *words, perp_scene **out,
                                         perp_refusal *why);
/** @} */

/** Writes the JSON Schema of scene files, made from the table the reader uses. Returns the length without the final
 *  zero, as snprintf does; buf may be NULL if size is 0. */
PERP_API size_t perp_scene_schema(char *buf, size_t size);
/** Writes the key reference of scene files in Markdown, from the same table; returns as perp_scene_schema(). */
PERP_API size_t perp_scene_reference(char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif

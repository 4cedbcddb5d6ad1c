/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file scene.h
 *  Scenes: a YAML file in, a world ready to step out. docs/scene.md describes the file key by key.
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

/** An open scene: its world, what it says about the run, and the files it came from. */
typedef struct perp_scene perp_scene;

/** A file as text in memory, for scenes that do not come from the disk. */
typedef struct perp_source_file {
    const char *path; /**< as the scene, or an include or mesh entry in it, names it */
    const char *data; /**< size bytes, any bytes */
    size_t size;
} perp_source_file;

/** How to open a scene; {0} is fine. */
typedef struct perp_scene_options {
    const perp_definition *define; /**< override declared parameters */
    int ndefine;
    /** If nfile > 0, nothing is read from the disk: the scene is file[0], and everything it names is among the
     *  others. */
    const perp_source_file *file;
    int nfile;
    perp_allocator alloc; /**< of scene and world; {0}: malloc and free */
    perp_log log;         /**< of the world */
    /** Included files and meshes must lie in this folder or below it, symbolic links followed; others are not opened.
     *  NULL: the folder of the scene. "/": anywhere. */
    const char *root;
} perp_scene_options;

/** Reads a scene and builds its world.
 *  @param path     the file; with options->file: the name to use in messages
 *  @param options  NULL: defaults; copied
 *  @param why      filled on failure; may be NULL
 *  @return PERP_E_IO (cannot be read), PERP_E_ARG (anything wrong in it), PERP_E_GEOMETRY, PERP_E_NAME, PERP_E_FIT,
 *  PERP_E_MEMORY; on failure *out is NULL */
PERP_API perp_status perp_scene_open(const char *path, const perp_scene_options *options, perp_scene **out,
                                     perp_refusal *why);
/** Frees the scene, its world and everything borrowed from it. NULL is fine. */
PERP_API void perp_scene_close(perp_scene *s);
/** The world. Borrowed until perp_scene_close() or perp_scene_set(); clones of it use functions of the scene and must go before it. */
PERP_API perp_world *perp_scene_world(const perp_scene *s);
/** Title, "" if it has none. Borrowed until close. */
PERP_API const char *perp_scene_title(const perp_scene *s);
/** Free text about it, "" if there is none. Borrowed until close. */
PERP_API const char *perp_scene_about(const perp_scene *s);
/** The units in which a scene is meant, for labels; "" where it does not say. perp itself computes with bare
 *  numbers. */
typedef struct perp_units {
    const char *length, *mass, *time;
} perp_units;
/** Units, borrowed until close. */
PERP_API perp_units perp_scene_units(const perp_scene *s);
/** Time to simulate [T]. */
PERP_API double perp_scene_duration(const perp_scene *s);
/** Steps of h that a duration takes: rounded up, but a multiple of h up to rounding takes no further one. */
PERP_API double perp_steps_of(double duration, double h);
/** Number of steps of the scene: perp_steps_of() its duration. */
PERP_API uint64_t perp_scene_steps(const perp_scene *s);

/** What a recording holds, as bits of a mask. */
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
/** The choices, defaults where the scene is silent. */
PERP_API perp_record_choice perp_scene_record(const perp_scene *s);

/** A quantity that is to be printed while a run goes on: an expression of series in braces, "2*{box.vx}". */
typedef struct perp_scene_watch {
    const char *name, *text;
    int file, line, column; /**< where the text stands; file: for perp_scene_file_at(); line 0: not known */
} perp_scene_watch;
/** Number of quantities to watch, in the order of the file. */
PERP_API int perp_scene_watch_count(const perp_scene *s);
/** The i-th; strings borrowed until close. */
PERP_API perp_scene_watch perp_scene_watch_at(const perp_scene *s, int i);

/** A declared parameter and the value it has. */
typedef struct perp_scene_parameter {
    const char *name, *unit, *about; /**< "" where not given */
    double value, initial;           /**< as used; as declared */
    double min, max;                 /**< allowed range, infinite where not given */
} perp_scene_parameter;
/** Number of declared parameters, in the order of the file. */
PERP_API int perp_scene_parameter_count(const perp_scene *s);
/** The i-th; strings borrowed until close. */
PERP_API perp_scene_parameter perp_scene_parameter_at(const perp_scene *s, int i);

/** A parameter by name and the value it is to have. */
typedef struct perp_scene_value {
    const char *name; /**< borrowed until the call returns */
    double value;
} perp_scene_value;
/** Gives parameters other values and makes the world anew: the same world, to the bit, as that of opening the scene with
 *  these values as definitions, beside those it was opened with and those set before. No file is read or parsed again
 *  (the first call parses the files that the scene holds in memory; a mesh that only the new values need is read once),
 *  so a call takes about a third of the time of perp_scene_open() or less.
 *
 *  The world of before is destroyed: perp_scene_world() must be asked again, ids of bodies, shapes and joints with it, and
 *  clones must go before the call. Duration, steps, recording choices and parameters follow the new values; texts that the
 *  scene has lent stay valid. perp_scene_definition_at() lists the values. What was borrowed from definitions before the
 *  call is gone.
 *
 *  On failure the scene and its world are as they were.
 *  @param set  n values, set together; of several with the same name the last one counts
 *  @param why  filled on failure; may be NULL
 *  @return PERP_E_ARG with the message of a definition (-D name=value) if a parameter is not declared or a value is out of
 *  its range; else as perp_scene_open() */
PERP_API perp_status perp_scene_set_many(perp_scene *s, const perp_scene_value *set, int n, perp_refusal *why);
/** Sets who may stop a step of the scene's world, as perp_world_set_stop(), also of worlds that perp_scene_set() makes.
 *  @param stop copied; NULL: nobody */
PERP_API void perp_scene_set_stop(perp_scene *s, const perp_stop *stop);
/** perp_scene_set_many() with one parameter. */
PERP_API perp_status perp_scene_set(perp_scene *s, const char *name, double value, perp_refusal *why);

/** Number of files read: the scene itself, includes, meshes. */
PERP_API int perp_scene_file_count(const perp_scene *s);
/** The i-th; 0 is the scene. Borrowed until close. Handing all of them to perp_scene_open() makes the same world. */
PERP_API perp_source_file perp_scene_file_at(const perp_scene *s, int i);
/** Number of overrides it was opened with, or that were set since. */
PERP_API int perp_scene_definition_count(const perp_scene *s);
/** The i-th of them; borrowed until close or perp_scene_set(). */
PERP_API perp_definition perp_scene_definition_at(const perp_scene *s, int i);

/** @name Worlds made in C
 *  A world that a program has made can be written as a scene file, and handed to whatever takes a scene.
 *
 *      perp_scene_words words = perp_scene_words_default();
 *      words.title = "an arm";
 *      if (perp_world_write_scene(w, "arm.yaml", &words, &why)) puts(why.text);      // then: perp run --view arm.yaml
 *  @{ */
/** What a scene says beside its world. */
typedef struct perp_scene_words {
    const char *title, *about; /**< NULL or "": none */
    perp_units units;          /**< names for labels; NULL or "": none */
    double duration;           /**< time up to which the scene is simulated, >= 0 [T]; default 10 */
    perp_record_choice record; /**< what recordings hold; default everything of every step */
} perp_scene_words;
/** Defaults. Strings that are set later are borrowed until the call that takes the words returns. */
PERP_API perp_scene_words perp_scene_words_default(void);
/** Writes a world as a scene file: stages and their settings, materials and laws, bodies with shapes, motions and forces,
 *  joints with motors, limits, springs and friction, force elements, and the state it has reached. The file reads back to
 *  the same world: after the same steps perp_world_hash() is the same. This is checked here before anything is written.
 *
 *  Expressions of a scene that the world came from are written with the values of the parameters. Names that a scene does
 *  not take are changed: other letters than A-Z, a-z, 0-9, - and _ become -, and a name that is there already gets a
 *  number. Bodies and joints without a name get one (body-3) if something names them. Materials are called material-1, ... .
 *  A solver registered by the program must be registered where the file is read.
 *  @param path   a new file: an existing one is never written over
 *  @param words  NULL: defaults
 *  @param why    filled on failure; may be NULL
 *  @return PERP_E_ARG if something cannot be written, with its name: a function of the program (motion, force, or part of
 *  a shape); PERP_E_IO, PERP_E_MEMORY. Then there is no file */
PERP_API perp_status perp_world_write_scene(const perp_world *w, const char *path, const perp_scene_words *words,
                                            perp_refusal *why);
/** A scene around a world that a program has made, so that what takes a scene takes this world: perp_recorder_create(), for
 *  one, which perp_recorder_create_world() does in one call. Its file is what perp_world_write_scene() would write for the
 *  world as it stands; functions of the program stand there as `type: user`, and such a file cannot be read again.
 *  @param w      borrowed until the scene is closed, and not destroyed by that
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

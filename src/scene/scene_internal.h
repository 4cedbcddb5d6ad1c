/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_internal.h - the scene, its reader, and functions shared by the files of src/scene. */
#ifndef PP_SCENE_INTERNAL_H
#define PP_SCENE_INTERNAL_H

#include "perp/actuator.h"
#include "mesh/mesh.h"
#include "scene/put.h"
#include "scene/scene_in.h"

#define PP_SCENE_PARAMETERS 200 /* most parameters */
#define PP_SCENE_REPEATS    8   /* most variables of one repeat */
#define PP_SCENE_DYNAMIC    16  /* most variables of a formula: time, position, ... */
#define PP_SCENE_VARIABLES  (PP_SCENE_PARAMETERS + PP_SCENE_REPEATS + PP_SCENE_DYNAMIC)
#define PP_SCENE_BODIES     1000000 /* most bodies, joints or forces */
#define PP_SCENE_POINTS     10000   /* most points of a shape; the world has the same limit */
#define PP_SCENE_FILES      256     /* most files of a scene */
#define PP_SCENE_DEPTH      16      /* deepest chain of includes, or of templates */
#define PP_SCENE_CACHE      512     /* compiled expressions kept; a power of two */

/* ---- the scene ---- */

typedef struct pp_scene_file {
    char *path; /* as found from the scene; how options->file names it */
    char *data;
    size_t size;
} pp_scene_file;

typedef struct pp_formula pp_formula;

/* A value of a parameter that the caller defines. */
typedef struct pp_definition {
    char *name, *text; /* text NULL: the value is `number` */
    double number;
    char shown[PP_NUMBER_TEXT]; /* `number` as text, made when it is asked for */
} pp_definition;

struct perp_scene {
    perp_allocator alloc;
    perp_world *world;
    char *title, *about;
    char *unit[3]; /* length, mass, time */
    char *shown;   /* how messages call the scene file, if not by its path */
    double duration;
    uint64_t steps;
    perp_record_choice record;
    perp_scene_watch *watch; /* strings owned */
    int nwatch, cap_watch;
    perp_scene_parameter *parameter; /* strings owned */
    int nparameter, cap_parameter;
    pp_scene_file *file;
    int nfile, cap_file;
    pp_definition *definition; /* strings owned */
    int ndefinition, cap_definition;
    perp_stop stop;      /* callback that may stop a step of its worlds */
    bool borrows_world;  /* the scene does not own the world: see perp_scene_of_world() */
    pp_formula *formula; /* what motions and forces of the world evaluate */

    /* for perp_scene_set(): */
    struct pp_reader *reader; /* with the parsed files; NULL until the first setting */
    perp_log log;             /* of the world */
    bool from_memory;         /* nothing is read from the disk */
    char *root;               /* folder of all files; NULL: that of the scene */
    pp_scene_file *spare;     /* from memory: files that were handed over and are not used yet */
    int nspare, cap_spare;
};

/* ---- the reader ---- */

/* A file that was parsed. */
typedef struct pp_document {
    int file; /* of the scene */
    int rank; /* order of reading: included files before those that include them */
    pp_tree tree;
} pp_document;

/* Names and the numbers that go with them, found in constant time. */
typedef struct pp_names {
    struct pp_names_entry {
        uint32_t hash, text;
        uint32_t id;
    } * entry;
    int n, cap;
    uint32_t *slot; /* open addressing: 1 + entry, 0 is free */
    int nslot;
    char *text;
    int ntext, cap_text;
} pp_names;

/* Offset of the centre of mass of a body from its frame in the file, in that frame. Kept only for bodies with an
 * offset; by slot. */
typedef struct pp_shift {
    uint32_t slot;
    perp_vec3 by;
} pp_shift;

/* A step of the way to a value: a key, or a place in a list (key NULL). */
typedef struct pp_path_step {
    const char *key;
    int index;
} pp_path_step;

typedef struct pp_cached {
    const pp_tree *tree;
    uint32_t node, scope;
    pp_expr *x;
} pp_cached;

/* Declaration of a parameter. */
typedef struct pp_declaration {
    double initial, min, max;
    const char *unit, *about; /* in the trees; NULL: not given */
    bool fixed;               /* the three numbers do not depend on other parameters */
} pp_declaration;

typedef struct pp_mesh_cache pp_mesh_cache;

typedef struct pp_shape_draft {
    perp_shape_def def; /* without its points */
    int first;          /* of its points in the scratch; -1: none */
    int first_function; /* of its functions, if it is an intersection */
    pp_item at;
    int entry;                                                   /* its place in the list of shapes of the body */
    enum { PP_MASS_OWN, PP_MASS_WHOLE, PP_MASS_ELSEWHERE } mass; /* of the shape; `whole`; in another part's `whole` */
    perp_mass whole; /* of what the parts make up: unit density, frame of the shape */
} pp_shape_draft;

/* How a shape is made of parts; as the key `parts` of a mesh. */
enum { PP_PARTS_ONE, PP_PARTS_GROUPS, PP_PARTS_CUT };

/* The convex parts of a shape. */
typedef struct pp_shape_parts {
    perp_parts list; /* npart = 0: the shape is one */
    perp_mass whole; /* of unit density */
    bool has_whole;
} pp_shape_parts;

enum { PP_BODIES, PP_JOINTS, PP_FORCES };

typedef struct pp_reader {
    perp_scene *s;
    const perp_allocator *alloc; /* of the scene */
    const perp_scene_options *options;
    perp_refusal *why;
    perp_world *w;
    int dim;
    int model_bits;    /* bits of groups that models have */
    pp_document **doc; /* in the order of reading: included files first, the scene last */
    int ndoc, cap_doc;

    const char *variable[PP_SCENE_VARIABLES]; /* parameters, then those of the repeat */
    double value[PP_SCENE_VARIABLES];
    int nvariable, nrepeat;
    const pp_definition *given; /* values for parameters from outside; the last value of a name is used */
    int ngiven;
    pp_declaration *declared; /* of the parameters, in their order; stays from reading to reading */
    int ndeclared, cap_declared;
    const perp_scene_parameter *kept; /* parameters of the scene that is read again, to borrow their texts; else NULL */
    uint32_t scope, scope_last;       /* changes with the names of the variables; the last number given */
    pp_cached cache[PP_SCENE_CACHE];
    pp_name repeat_name[PP_SCENE_REPEATS];

    uint64_t seed, random; /* state of the random numbers */
    bool may_random;

    pp_path_step crumb[80];
    int ncrumb;

    pp_names body, joint, force, material, template;
    pp_item *template_item;
    int cap_template_item;
    perp_body_id *body_of; /* id by number in `body`; the same for joints */
    int nbody_of, cap_body_of;
    perp_joint_id *joint_of;
    int njoint_of, cap_joint_of;
    pp_shift *shift;
    int nshift, cap_shift;
    int total[3];    /* bodies, joints, forces so far */
    int position[3]; /* entries of their lists so far, over all files */

    pp_shape_draft *shape; /* scratch: the shapes of the body at hand, and their points */
    int nshape, cap_shape;
    perp_vec3 *points;
    int npoints, cap_points;
    perp_function *function;
    int nfunction, cap_function;
    pp_mesh_cache *mesh;
} pp_reader;

/* making and freeing (scene.c) */
void pp_reader_free(pp_reader *r);
/* World, formulas, parameters and texts of a scene, not its files. */
void pp_scene_free_content(perp_scene *s);

/* error reports (complain.c): at an item, with the path to it as key */
perp_status pp_wrong(pp_reader *r, pp_item at, const char *found, const char *allowed);
perp_status pp_wrong_say(pp_reader *r, perp_status s, pp_item at, const char *format, ...) PERP_PRINTF(4, 5);
/* Refuses the value at the item: the key does not allow it. */
perp_status pp_wrong_kind(pp_reader *r, pp_item at, const pp_key *k);
/* Reports a refusal of the world at the item. */
perp_status pp_wrong_world(pp_reader *r, perp_status s, pp_item at);
perp_status pp_no_memory(pp_reader *r);
/* Refuses a word that is not in a list (ended by NULL), with the list and the nearest word. `what`: "the key", or
 * NULL. */
perp_status pp_wrong_word(pp_reader *r, perp_status s, pp_item at, const char *what, const char *written,
                          const char *const *words);
/* The same with words after what was written. */
perp_status pp_wrong_word_of(pp_reader *r, perp_status s, pp_item at, const char *what, const char *written,
                             const char *after, const char *const *words);
/* The word of the list (ended by NULL) for which other programs use this name; NULL: none (synonym.c). */
const char *pp_synonym(const char *written, const char *const *words);
/* Splits a message "found X; allowed: Y" of an expression; false if it has another form. */
bool pp_split_words(char *words, const char **found, const char **allowed);
void pp_push_key(pp_reader *r, const char *key);
void pp_push_index(pp_reader *r, int index);
void pp_pop(pp_reader *r);

/* expressions and random numbers (scope.c) */
perp_status pp_evaluate(pp_reader *r, pp_item at, double *out);
/* Evaluates part of a text, for ${...}. */
perp_status pp_evaluate_text(pp_reader *r, pp_item at, const char *text, size_t length, double *out);
/* Compiles for the run with `dynamic` names (ended by NULL) first, then the variables of the reader. */
perp_status pp_compile(pp_reader *r, pp_item at, const char *const *dynamic, pp_expr **out);
/* Whether the scalar is a number, not an expression. */
bool pp_is_literal(pp_item at);
void pp_scope_changed(pp_reader *r);
void pp_scope_free(pp_reader *r);
/* Whether the name is reserved by the language: pi, sin, ... */
bool pp_reserved(const char *name);
void pp_random_start(pp_reader *r, int list, int position, uint64_t index);
double pp_random_uniform(pp_reader *r, double lo, double hi);

/* values (read_value.c); k says what is allowed */
perp_status pp_read_number(pp_reader *r, pp_item at, const pp_key *k, double *out);
perp_status pp_read_value(pp_reader *r, pp_item at, const pp_key *k, void *out);
perp_status pp_read_name(pp_reader *r, pp_item at, const pp_key *k, pp_name *out);
/* The numbers of a list of exactly n. */
perp_status pp_read_list(pp_reader *r, pp_item at, const pp_key *k, int n, double *out);
bool pp_name_good(const char *name);

/* maps (read_map.c). out: the struct of the map, begins with pp_got, zero before. The first layer wins. */
perp_status pp_read_map(pp_reader *r, const pp_map *m, const pp_item *layer, int nlayer, void *out);
/* Checks that the keys are known; for maps whose values are read later. */
perp_status pp_check_keys(pp_reader *r, const pp_map *m, pp_item at, int variant, bool template);
static inline const pp_node *pp_at(pp_item i) { return &i.tree->node[i.node]; }
static inline const char *pp_text_of(pp_item i) { return pp_yaml_text(i.tree, i.node); }
static inline pp_item pp_first(pp_item i) { return (pp_item){i.tree, pp_at(i)->first}; }
static inline pp_item pp_next(pp_item i) { return (pp_item){i.tree, pp_at(i)->next}; }
static inline bool pp_is_list(pp_item i) { return pp_at(i)->kind == PP_NODE_LIST; }
static inline bool pp_is_map(pp_item i) { return pp_at(i)->kind == PP_NODE_MAP; }
static inline bool pp_is_scalar(pp_item i) { return pp_at(i)->kind == PP_NODE_SCALAR; }
const pp_key *pp_key_find(const pp_map *m, const char *name);

/* names (names.c) */
bool pp_names_find(const pp_names *t, const char *name, uint32_t *id);
bool pp_names_add(const perp_allocator *a, pp_names *t, const char *name, uint32_t id);
void pp_names_free(const perp_allocator *a, pp_names *t);
/* Refuses a name that is not in the table and suggests the nearest. what: "a body". */
perp_status pp_names_missing(pp_reader *r, const pp_names *t, pp_item at, const char *name, const char *what);

/* files (include.c) */
perp_status pp_read_documents(pp_reader *r, const char *path);
/* The same for a scene that has its files already. */
perp_status pp_parse_documents(pp_reader *r);
/* Keeps the files that were handed over and are not used: another value of a parameter may need them. */
perp_status pp_keep_spare_files(pp_reader *r);
/* The number of a file that the item (a scalar) names, read if it is new. */
perp_status pp_scene_file_read(pp_reader *r, pp_item at, int *file);
const char *pp_document_path(const pp_reader *r, const pp_tree *t);
/* A new file of the scene; data is taken over, and freed on failure. */
perp_status pp_scene_file_keep(pp_reader *r, const char *path, char *data, size_t size, int *file);
/* The same error report, with the place of the line that names the file. */
perp_status pp_refuse_at(pp_reader *r, pp_item at, perp_status s);
/* Takes a file of that path that was passed in memory; false: there is none. */
bool pp_scene_file_memory(pp_reader *r, const char *path, int *file, perp_status *s);
/* An entry of `models`: the scene of the model becomes a file of this one, FILE#NAME. */
perp_status pp_read_model(pp_reader *r, pp_item entry, int *file);

/* parts of a scene, in the order they are read */
perp_status pp_read_parameters(pp_reader *r, const pp_item *layer, int nlayer);
perp_status pp_read_world(pp_reader *r);
/* Calls `make` for each entry of a list, whose number stands in the path of messages. */
perp_status pp_read_each(pp_reader *r, pp_item list, perp_status (*make)(pp_reader *r, pp_item entry));
perp_status pp_read_bodies(pp_reader *r, pp_item list);
perp_status pp_read_joints(pp_reader *r, pp_item list);
perp_status pp_read_forces(pp_reader *r, pp_item list);
perp_status pp_read_actuators(pp_reader *r, pp_item list);
perp_status pp_read_exclude(pp_reader *r, pp_item list);
perp_status pp_read_sites(pp_reader *r, pp_item list);
perp_status pp_read_sensors(pp_reader *r, pp_item list);
/* ctrl of an actuator: a number, or an expression of the time (read_control.c). */
perp_status pp_read_ctrl(pp_reader *r, pp_item at, perp_actuator_id id);
perp_status pp_read_controls(pp_reader *r, pp_item list);
perp_status pp_read_keyframes(pp_reader *r, pp_item list);
perp_status pp_read_templates(pp_reader *r, const pp_item *layer, int nlayer);

/* shapes and motions */
perp_status pp_read_shapes(pp_reader *r, const pp_body_in *body);
/* Puts the shapes' points in place: the scratch does not move any more. */
const perp_shape_def *pp_shape_ready(pp_reader *r, int i);
/* The path to shape i of the present body, for an error report. */
void pp_push_shape(pp_reader *r, const pp_body_in *body, int i);
/* A convex mesh into `out`; several parts into `parts`, which the caller frees, also after a complaint. */
perp_status pp_read_mesh(pp_reader *r, const pp_shape_in *in, pp_shape_draft *out, pp_shape_parts *parts);
/* Ellipsoid, superellipsoid, true cylinder, intersection. */
perp_status pp_read_implicit(pp_reader *r, const pp_shape_in *in, pp_shape_draft *out);
/* Room for n points more; NULL after a complaint. */
perp_vec3 *pp_more_points(pp_reader *r, int n);
void pp_mesh_cache_free(pp_reader *r);
perp_status pp_read_material(pp_reader *r, pp_item at, const char *name, int *out);
perp_status pp_read_motion(pp_reader *r, pp_item at, perp_body_id body);
/* com: the centre of mass in the frame as written. */
perp_status pp_read_support(pp_reader *r, pp_item at, perp_body_id body, perp_vec3 com);
perp_status pp_read_turn(pp_reader *r, pp_item at, const pp_key *k, perp_quat *out);

/* Calls `make` for every iteration of a repeat, with its variables set; once if there is no repeat. */
typedef perp_status (*pp_make)(pp_reader *r, pp_item entry, void *ctx);
perp_status pp_repeat(pp_reader *r, pp_item entry, int list, int position, pp_make make, void *ctx);

/* Is the name reserved in recordings, so that no body, joint or force may have it? */
bool pp_name_reserved(const char *name);
/* Words of the key `what` of a recording, in the order of the bits of perp_record; ended by NULL. */
extern const char *const pp_record_words[];
/* Checks a new name of a list, and that the list is not too long. */
perp_status pp_check_entry(pp_reader *r, int list, const pp_names *names, pp_item name_at, const char *name,
                           pp_item entry);

/* bodies by name; "world" gives {0} where it may */
perp_status pp_find_body(pp_reader *r, pp_item at, const char *name, bool or_world, perp_body_id *out);
/* joints by name, with a coordinate that the joint has */
perp_status pp_find_coordinate(pp_reader *r, pp_item joint_at, const char *joint, pp_item coordinate_at,
                               int64_t coordinate, perp_joint_id *out);
perp_vec3 pp_shift_of(const pp_reader *r, perp_body_id b);

/* formulas (formula.c): expressions that motions, forces and actuators evaluate during the run */
#define PP_FORMULA_PARTS 9
struct pp_formula {
    pp_formula *next;
    int dim;
    perp_body_id body;
    perp_pose X;     /* motion: where the body was put */
    perp_vec3 shift; /* force: centre of mass in the frame of `at` */
    bool body_frame, at_given;
    pp_expr *part
        [PP_FORMULA_PARTS]; /* force: force 0-2, torque 3-5, at 6-8; motion: at 0-2, axis 3-5, angle 6; surface: 0-2; ctrl: 0 */
    char *text[PP_FORMULA_PARTS]; /* what they were written as, with numbers for parameters and repeat variables */
    int ndynamic, nvalue;
    double *value; /* of parameters and repeat variables, behind the dynamic ones */
};
pp_formula *pp_formula_new(pp_reader *r, int ndynamic);
void pp_formulas_free(perp_scene *s);
/* Compiles the expression at the item into part i. */
perp_status pp_formula_part(pp_reader *r, pp_item at, const char *const *dynamic, pp_formula *f, int i);
/* As many parts from the first on as the scene has dimensions. */
perp_status pp_formula_vector(pp_reader *r, pp_item at, const char *const *dynamic, pp_formula *f, int first);
void pp_formula_motion(double t, perp_pose *X_WB, void *ctx);
void pp_formula_belt(double t, perp_vec3 *v_B, void *ctx);
void pp_formula_force(const perp_world *w, double t, perp_wrench *out, void *ctx);
double pp_formula_ctrl(const perp_world *w, double t, void *ctx);
extern const char *const pp_dynamic_time[], *const pp_dynamic_2d[], *const pp_dynamic_3d[];

#endif

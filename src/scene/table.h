/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table.h - the tables of scene keys, one line per key. The reader, its checks, the lists of allowed values, the JSON Schema and the
 * reference all use them. A new key is one new line in a keys_*.c file and the code that uses its field. */
#ifndef PP_SCENE_TABLE_H
#define PP_SCENE_TABLE_H

#include <math.h>

#include "base/writer.h"
#include "input/input.h"

/* The types of values, and the C type of the field that each fills. For types marked "later" only the position of
 * the value is stored; the code that owns the map reads it. */
typedef enum pp_type {
    PP_T_TAG,     /* the name of the variant; pp_got.variant */
    PP_T_NUMBER,  /* double */
    PP_T_WHOLE,   /* int64_t */
    PP_T_BOOL,    /* bool */
    PP_T_CHOICE,  /* int, index into choice */
    PP_T_STAGE,   /* const char *, one of list() */
    PP_T_STAGES,  /* later: a list of such */
    PP_T_TEXT,    /* const char *, of the tree */
    PP_T_LABEL,   /* pp_name: any text */
    PP_T_COLOUR,  /* uint32_t, as PERP_COLOUR() */
    PP_T_NAME,    /* pp_name: letters, digits, - and _ */
    PP_T_REF,     /* pp_name: of something else; `of` says of what */
    PP_T_NAMES,   /* later: a list of names */
    PP_T_VECTOR,  /* perp_vec3: as many numbers as the scene has dimensions */
    PP_T_ANGULAR, /* perp_vec3: a number (2D, in z) or a vector (3D) */
    PP_T_TURN,    /* perp_quat */
    PP_T_NUMBERS, /* pp_numbers: as many as count2 (2D) or count3 (3D) allows */
    PP_T_MAP,     /* later: a map of `map` */
    PP_T_LIST,    /* later: a list of maps of `map` */
    PP_T_TABLE,   /* later: a map from names to maps of `map` */
    PP_T_PARAMETERS,
    PP_T_SETTINGS, /* later: solver: {setting: value} */
    PP_T_FILES,    /* later: a file name or a list of them */
    PP_T_FILE,     /* const char *, of the tree */
    PP_T_POINTS,   /* later: a list of vectors, or {random, in} */
    PP_T_ROWS,     /* later: a list of lists of numbers */
    PP_T_WHOLES,   /* later: a list of whole numbers */
    PP_T_SERIES,   /* later: a list of numbers of any length */
    PP_T_CURVE,    /* later: a list of lists of numbers, all of one length */
    PP_T_REPEAT,   /* later: a number, or {i: n, j: m} */
    PP_T_WHAT,     /* later: what to record */
    PP_T_WATCH,    /* later: a map from names to expressions of series */
    PP_T_FORMULA,  /* later: an expression kept for the run */
    PP_T_FORMULAS, /* later: a vector of them */
    PP_T_FORMULA_ANGULAR,
    PP_T_FORMULA_TURN,
} pp_type;

enum { PP_2D = 1, PP_3D = 2 };

struct pp_map;

typedef struct pp_key {
    const char *name;
    pp_type type;
    size_t offset; /* of the field in the struct the map is read into */
    const char *help;
    const char *unit;     /* in L, M, T, rad; NULL: none */
    const char *standard; /* the default in words; NULL: none */
    double value;         /* the default, if has_value */
    bool has_value;
    bool ranged; /* min <= number <= max, or min < number if above */
    bool above;
    bool infinite; /* may be infinite */
    bool required;
    bool own;          /* the key is not allowed in a template and not taken from one */
    unsigned dims;     /* PP_2D or PP_3D; 0: both */
    unsigned variants; /* bits of the variants that have the key; 0: all */
    double min, max;
    unsigned count2, count3;    /* NUMBERS: bit n is set if n numbers are allowed in 2D, 3D */
    const char *const *choice;  /* CHOICE: ended by NULL */
    const char *(*list)(int i); /* STAGE: the i-th name, NULL after the last */
    const char *of;             /* REF: "a body" */
    const struct pp_map *map;
} pp_key;

#define PP_AT(type, field)      .offset = offsetof(type, field)
#define PP_UNIT(u)              .unit = (u)
#define PP_HELP(h)              .help = (h)
#define PP_DEFAULT(x)           .value = (x), .has_value = true, .standard = #x
#define PP_DEFAULT_AS(x, words) .value = (x), .has_value = true, .standard = (words)
#define PP_WORDS(words)         .standard = (words)
#define PP_POSITIVE             .ranged = true, .above = true, .min = 0, .max = INFINITY
#define PP_NOT_NEGATIVE         .ranged = true, .min = 0, .max = INFINITY
#define PP_BETWEEN(lo, hi)      .ranged = true, .min = (lo), .max = (hi)

/* One form a map can take, chosen by its tag. */
typedef struct pp_variant {
    const char *name; /* NULL ends the list */
    unsigned dims;    /* 0: both */
    const char *about;
} pp_variant;

typedef struct pp_map {
    const char *name;  /* in the schema */
    const char *title; /* in the reference */
    const char *about;
    const pp_key *key;
    int nkey;
    const pp_variant *variant; /* NULL: only one form */
} pp_map;

#define PP_MAP_KEYS 40 /* most keys of a map */

extern const pp_map pp_map_top, pp_map_units, pp_map_stages, pp_map_record, pp_map_law, pp_map_pair_law,
    pp_map_parameter;
extern const pp_map pp_map_body, pp_map_shape, pp_map_points, pp_map_turn, pp_map_motion, pp_map_term, pp_map_support,
    pp_map_function;
extern const pp_map pp_map_joint, pp_map_coupled, pp_map_axis, pp_map_motor, pp_map_spring, pp_map_force,
    pp_map_formula_turn;
extern const pp_map pp_map_model, pp_map_site, pp_map_sensor, pp_map_keyframe, pp_map_actuator, pp_map_exclude,
    pp_map_control;

/* The type of a function of a program. It is written into recordings of its world and cannot be read. */
#define PP_USER_TYPE "user"

/* Whether the key exists for this dimension (0: not known) and variant (-1: any). */
static inline bool pp_key_fits(const pp_key *k, int dim, int variant) {
    if (dim && k->dims && !(k->dims & (dim == 2 ? PP_2D : PP_3D))) return false;
    return variant < 0 || !k->variants || (k->variants >> variant & 1u);
}
static inline bool pp_variant_fits(const pp_variant *v, int dim) {
    return !dim || !v->dims || (v->dims & (dim == 2 ? PP_2D : PP_3D));
}

/* Colours by name: the i-th, NULL after the last; its value; the value of a text, 0: none. */
const char *pp_colour_name(int i);
uint32_t pp_colour_of(const char *text);

/* What the value of a key may be, in words: "a number > 0". dim 0: for both dimensions. */
char *pp_key_words(const pp_key *k, int dim, char *out, size_t size);

#endif

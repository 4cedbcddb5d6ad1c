/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plan.h - perp's own problem files: the tables of all attributes, arrays and matrices, used by the writer, the reader
 * and the checks of both.
 *
 * A file is HDF5 in its oldest format. Attributes of the root: format, version, program, class (a text: the name of
 * the class, or "step"), title, and the sizes. An array is a dataset at the root or in a group; a sparse matrix a group
 * with start, index and value. Every number is kept to the bit: 64-bit floats, 32-bit integers, little-endian. */
#ifndef PP_PLAN_H
#define PP_PLAN_H

#include "exchange/exchange.h"

#define PP_PLAN_VERSION \
    3 /* 2: elliptic and torsional contacts of step problems; 3: rolling; files without are still 1 */
#define PP_PLAN_TITLE 2000 /* bytes */

/* What a row of the tables belongs to: bits of perp_class, the step problem, and of cones one of the two forms. */
#define PP_K_STEP   128u
#define PP_K_LOCAL  256u
#define PP_K_GLOBAL 512u
#define PP_K_CONES  (PERP_CONE | PERP_CONE_QP)
#define PP_K_ALL    (PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_QP | PP_K_CONES)

/* What is in a file: one of the two, whole. */
typedef struct pp_content {
    unsigned kind;        /* bits as above */
    const char *name;     /* of the class; "step" */
    perp_problem problem; /* unless kind is PP_K_STEP */
    perp_step_problem step;
    const double *guess; /* of a problem; NULL: none */
    perp_step_solution step_guess,
        solution; /* of a step problem; NULL: none, p_spin and p_roll unless a contact resists spin, rolling */
} pp_content;

/* Extents. X(id, meaning) */
#define PP_PLAN_EXTENTS(X)                                       \
    X(ONE, "no such extent")                                     \
    X(N, "variables (n); in the global form degrees of freedom") \
    X(M, "rows of a quadratic programme (m)")                    \
    X(ALL, "unknowns: n, n + m, or nrow + dim ncontact")         \
    X(CONTACTS, "contacts (ncontact)")                           \
    X(ROWS, "bounded rows (nrow)")                               \
    X(AXES, "dim - 1")                                           \
    X(BLOCKS, "bodies of a step problem (nblock)")               \
    X(DOFS, "degrees of freedom of a step problem (ndof)")       \
    X(JOINTS, "joint rows of a step problem (njoint)")
typedef enum pp_plan_extent {
#define PP_EXTENT_ENUM(id, meaning) PP_X_##id,
    PP_PLAN_EXTENTS(PP_EXTENT_ENUM)
#undef PP_EXTENT_ENUM
} pp_plan_extent;

typedef struct pp_plan_size {
    unsigned kinds;
    const char *name;
    size_t offset; /* of the int in pp_content */
    int least, most;
    const char *about;
} pp_plan_size;

typedef enum pp_plan_type { PP_L_F64, PP_L_I32 } pp_plan_type;

/* What its numbers may be. */
typedef enum pp_plan_check { PP_C_FINITE, PP_C_LOW, PP_C_HIGH, PP_C_AT_LEAST_0, PP_C_POSITIVE, PP_C_INT } pp_plan_check;

typedef struct pp_plan_array {
    unsigned kinds;
    const char *path;
    pp_plan_type type;
    size_t pointer;        /* offset in pp_content of the pointer to the elements */
    size_t member, stride; /* where in an element, and its size: columns of an array of structs */
    pp_plan_extent rows, cols;
    int width; /* numbers of one element, 0: one and no extent; with cols: 0 */
    bool optional;
    pp_plan_check check;
    int least, most; /* integers */
    const char *about;
} pp_plan_array;

typedef struct pp_plan_matrix {
    unsigned kinds;
    const char *path;
    size_t offset; /* of the perp_sparse in pp_content */
    pp_plan_extent rows, cols;
    const char *about;
} pp_plan_matrix;

extern const pp_plan_size pp_plan_sizes[];
extern const int pp_plan_nsize;
extern const pp_plan_array pp_plan_arrays[];
extern const int pp_plan_narray;
extern const pp_plan_matrix pp_plan_matrices[];
extern const int pp_plan_nmatrix;

/* Is it an optional column of an array of structs? Absent it means zeros, and zeros are not written. */
bool pp_plan_zeros(const pp_content *c, const pp_plan_array *a);
/* Version of a file that holds this. */
int pp_plan_version(const pp_content *c);
/* Whether a row of a table belongs to a content. */
bool pp_plan_has(unsigned kinds, const pp_content *c);
int pp_plan_extent_of(const pp_content *c, pp_plan_extent x);
static inline int *pp_plan_int(pp_content *c, size_t offset) { return (int *)((char *)c + offset); }

/* Checks sizes, patterns, values and bounds, for readers and writers. */
perp_status pp_plan_check_sizes(const char *file, pp_content *c, perp_refusal *why);
perp_status pp_plan_check_matrix(const char *file, const pp_content *c, const pp_plan_matrix *m, perp_refusal *why);
perp_status pp_plan_check_array(const char *file, const pp_content *c, const pp_plan_array *a, perp_refusal *why);
perp_status pp_plan_check_rest(const char *file, const pp_content *c, perp_refusal *why);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh_read.h - what the readers of mesh formats share: the mesh being built, with its checks, and the text under the
 * pen. */
#ifndef PP_MESH_READ_H
#define PP_MESH_READ_H

#include "mesh/mesh.h"

typedef struct pp_mesh_reader {
    pp_mesh *mesh;
    perp_refusal *why;
    const char *file;
    const char *data;
    size_t size, at;   /* bytes; the next one to read */
    size_t line_start; /* byte at which the line begins */
    int line;          /* from 1 */
    int column;        /* of the byte `seen`, from 1 */
    size_t seen;       /* a byte of the line */
    int *mark;         /* per vertex: the last face, from 1, with a corner there */
    int cap_mark;
    bool lenient; /* faces with fewer than 3 different corners are dropped instead of refused */
    int *table;   /* vertices by place, for merging: index + 1, 0 empty */
    int ntable, cap_table;
} pp_mesh_reader;

/* A word of the text: bytes at .. at + length. */
typedef struct pp_mesh_word {
    size_t at, length;
} pp_mesh_word;

/* ---- building (mesh.c) ---- */

perp_status pp_mesh_no_memory(pp_mesh_reader *r);
/* The three functions below complain at `at`, about `key`. */
perp_status pp_mesh_add_vertex(pp_mesh_reader *r, pp_location at, const char *key, perp_vec3 p);
/* The vertex that lies exactly at p, or a new one. */
perp_status pp_mesh_merge_vertex(pp_mesh_reader *r, pp_location at, const char *key, perp_vec3 p, int *out);
/* Adds a corner to the face in progress; v is a vertex that exists. Refused: one more than the limit, a corner that
 * the face has. */
perp_status pp_mesh_add_corner(pp_mesh_reader *r, pp_location at, const char *key, int v);
/* Faces from here on are a group of their own. */
perp_status pp_mesh_begin_group(pp_mesh_reader *r);
/* Ends the face in progress. Refused: fewer than 3 corners. */
perp_status pp_mesh_end_face(pp_mesh_reader *r, pp_location at, const char *key);

/* ---- text (mesh_text.c) ---- */

/* Passes over blanks (and \ at the end of a line), not over the end of the line. */
void pp_mesh_skip_blanks(pp_mesh_reader *r);
/* Is this the end of the line or of the text? */
bool pp_mesh_line_ended(const pp_mesh_reader *r);
/* Passes over the rest of the line and its end; a \ there joins nothing, so that a comment cannot hide a line. */
void pp_mesh_skip_line(pp_mesh_reader *r);
/* The bytes up to the next blank or end of line. */
pp_mesh_word pp_mesh_take(pp_mesh_reader *r);
/* Is it this word, given in small letters, in whatever case? */
bool pp_mesh_is(const pp_mesh_reader *r, pp_mesh_word w, const char *word);
/* Where in the file byte at of the present line stands. */
pp_location pp_mesh_place(pp_mesh_reader *r, size_t at);
/* A complaint at a word, quoting it; a word of no bytes is called the end of the line (of the file, at its end). */
perp_status pp_mesh_refuse_word(pp_mesh_reader *r, pp_mesh_word w, perp_status s, const char *key, const char *allowed);
/* The finite number that the word is. */
perp_status pp_mesh_number(pp_mesh_reader *r, pp_mesh_word w, const char *key, double *out);

/* ---- formats ---- */

perp_status pp_mesh_read_obj(pp_mesh_reader *r);        /* mesh_obj.c */
perp_status pp_mesh_read_stl_text(pp_mesh_reader *r);   /* mesh_stl.c */
perp_status pp_mesh_read_stl_binary(pp_mesh_reader *r); /* mesh_stl.c */
perp_status pp_mesh_read_dae(pp_mesh_reader *r);        /* mesh_dae.c */

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh_read.h - what the readers of mesh formats share: the mesh that is being built, with its checks, and the
 * text that is being read. */
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
    int *mark;         /* per vertex: number of the last face, from 1, that has a corner there */
    int cap_mark;
    bool lenient; /* faces with fewer than 3 different corners are dropped instead of refused */
    int *table;   /* hash table of vertices by position, for merging: index + 1; 0: empty */
    int ntable, cap_table;
} pp_mesh_reader;

/* A word of the text: bytes at .. at + length. */
typedef struct pp_mesh_word {
    size_t at, length;
} pp_mesh_word;

/* ---- building (mesh.c) ---- */

perp_status pp_mesh_no_memory(pp_mesh_reader *r);
/* The three functions below report errors at `at` for `key`. */
perp_status pp_mesh_add_vertex(pp_mesh_reader *r, pp_location at, const char *key, perp_vec3 p);
/* The vertex that lies exactly at p, or a new one. */
perp_status pp_mesh_merge_vertex(pp_mesh_reader *r, pp_location at, const char *key, perp_vec3 p, int *out);
/* Adds a corner to the current face; v is an existing vertex. Refused: too many corners, a corner that the face
 * has already. */
perp_status pp_mesh_add_corner(pp_mesh_reader *r, pp_location at, const char *key, int v);
/* The following faces form a new group. */
perp_status pp_mesh_begin_group(pp_mesh_reader *r);
/* Ends the current face. Refused: fewer than 3 corners. */
perp_status pp_mesh_end_face(pp_mesh_reader *r, pp_location at, const char *key);

/* ---- text (mesh_text.c) ---- */

/* Skips blanks (and \ at the end of a line), but not the end of the line. */
void pp_mesh_skip_blanks(pp_mesh_reader *r);
/* Is this the end of the line or of the text? */
bool pp_mesh_line_ended(const pp_mesh_reader *r);
/* Skips the rest of the line and its end. A \ there does not join lines, so that a comment cannot hide a line. */
void pp_mesh_skip_line(pp_mesh_reader *r);
/* The bytes up to the next blank or end of line. */
pp_mesh_word pp_mesh_take(pp_mesh_reader *r);
/* Is it this word? The comparison ignores case; `word` is in small letters. */
bool pp_mesh_is(const pp_mesh_reader *r, pp_mesh_word w, const char *word);
/* Position in the file of byte `at` of the current line. */
pp_location pp_mesh_place(pp_mesh_reader *r, size_t at);
/* Refuses a word and quotes it. A word without bytes is called the end of the line, or the end of the file. */
perp_status pp_mesh_refuse_word(pp_mesh_reader *r, pp_mesh_word w, perp_status s, const char *key, const char *allowed);
/* Reads the word as a finite number. */
perp_status pp_mesh_number(pp_mesh_reader *r, pp_mesh_word w, const char *key, double *out);

/* ---- formats ---- */

perp_status pp_mesh_read_obj(pp_mesh_reader *r);        /* mesh_obj.c */
perp_status pp_mesh_read_stl_text(pp_mesh_reader *r);   /* mesh_stl.c */
perp_status pp_mesh_read_stl_binary(pp_mesh_reader *r); /* mesh_stl.c */
perp_status pp_mesh_read_dae(pp_mesh_reader *r);        /* mesh_dae.c */

#endif

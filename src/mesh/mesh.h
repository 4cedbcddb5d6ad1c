/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh.h - triangle and polygon meshes from OBJ, STL (text and binary) and COLLADA files: vertices and faces, nothing else. */
#ifndef PP_MESH_H
#define PP_MESH_H

#include "input/input.h"
#include "perp/math.h"

#define PP_MESH_VERTICES (4 << 20) /* largest number of vertices, and of face corners / 3 */

typedef struct pp_mesh {
    perp_allocator alloc;
    perp_vec3 *vertex;
    int nvertex, cap_vertex;
    int *face_start; /* nface + 1 */
    int nface, cap_face;
    int *face; /* vertex indices from 0 */
    int nface_index, cap_index;
    int *group_start; /* ngroup + 1: the faces of group k are group_start[k] to group_start[k + 1]; none is empty */
    int ngroup, cap_group;
} pp_mesh;

/* Reads a mesh from the bytes of a file. The content decides the format (a binary STL has 84 + 50 n bytes); if it
 * is ambiguous, the end of the file name decides. OBJ: v and f lines are read, with negative indices and faces of
 * any size. Normals, texture and materials are skipped. Other keywords are refused. STL: equal vertices are
 * merged. The faces after an o or g line (OBJ) or of a solid (STL) are a group; names are ignored. Refused with
 * line (text) or byte (binary): numbers that are not finite, indices out of range, faces with fewer than 3 corners
 * or with a repeated corner, files without faces, truncated files, sizes beyond the limits.
 * COLLADA (a file that begins with <): triangles, polylists and polygons of the geometries that the scene shows are read, with the
 * transforms of their nodes and the unit. mesh_dae.c says what is refused. */
perp_status pp_mesh_read(const perp_allocator *a, const char *file, const char *data, size_t size, pp_mesh *out,
                         perp_refusal *why);
/* As above, but lenient, for meshes of robots, whose vertices matter more than their faces: faces with fewer than 3 different corners are dropped,
 * and unknown keywords of OBJ are skipped. */
perp_status pp_mesh_read_lenient(const perp_allocator *a, const char *file, const char *data, size_t size, pp_mesh *out,
                                 perp_refusal *why);
void pp_mesh_free(pp_mesh *m);

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_mesh.h - shapes as triangles, lines and outlines to be drawn.
 *
 * A kind of shape is one function in the table of render_mesh.c; kinds that are not in it are drawn by the mesh that the
 * recording has of them. */
#ifndef RENDER_MESH_H
#define RENDER_MESH_H

#include "base/memory.h"
#include "perp/recording.h"

typedef struct render_vertex {
    perp_vec3 p, n; /* point and outward unit normal, in the frame S of the shape */
} render_vertex;

/* A line on the surface that is drawn from wherever one of its two sides is seen. */
typedef struct render_edge {
    perp_vec3 p[2], n[2]; /* ends; normals of the two sides */
    double weight; /* 1: an edge of the shape; less: a mark on a smooth surface that makes its rotation visible */
} render_edge;

typedef struct render_mesh {
    render_vertex *vertex; /* corners of faces that meet at an edge are vertices of their own */
    int (*triangle)[3];    /* counter-clockwise from outside */
    render_edge *edge;
    int nvertex, ntriangle, nedge;
    bool curved; /* normals differ within a triangle, so its outline depends on the view */
} render_mesh;

/* The mesh of a shape of a 3D world; curved surfaces get `detail` facets around (at least 8). A half-space and a
 * particle have none: the drawing makes a plane and a dot of them. False: no memory. */
bool render_mesh_make(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *out);

/* Facets around a circle of that radius in pixels so that it looks round. */
int render_mesh_detail(double radius_px);

/* The outline of a shape of a 2D world, counter-clockwise, in S; of the mesh of any curved one `detail` points.
 * *points is memory of the arena. Returns their number: 0 for half-space and particle, -1 without memory. */
int render_outline_make(pp_arena *arena, const perp_recorded_shape *s, int detail, perp_vec3 **points);

/* Balls in S that together cover the shape closely, at most `max`; returns their number, 0 for a half-space. */
int render_cover(const perp_recorded_shape *s, perp_vec3 *centre_S, double *radius, int max);
/* Distance of the farthest point of the shape from the origin of S. */
double render_reach(const perp_recorded_shape *s);

#endif

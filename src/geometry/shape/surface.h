/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* surface.h - closed surfaces that need not be convex: between mass.c, surface.c and decompose3d.c. */
#ifndef PP_SURFACE_H
#define PP_SURFACE_H

#include "base/memory.h"
#include "base/refuse.h"
#include "perp/shape.h"

/* A face is flat if its corners lie within this fraction of the size from its plane. It allows for the rounding of
 * files with 32-bit numbers. */
#define PP_FLAT 1e-7

/* Refuses indices out of range, faces that are not flat, edges without exactly two faces that run along them in opposite directions,
 * and negative volume. Vertices with equal coordinates count as one vertex. */
perp_status pp_surface_check(pp_arena *arena, const perp_surface *s, char *why, size_t why_size);
/* Mass properties with unit density of a checked surface. */
perp_mass pp_surface_mass(const perp_surface *g);

#endif

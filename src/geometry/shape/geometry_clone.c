/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* geometry_clone.c - a copy of a checked geometry, array by array */
#include <string.h>

#include "geometry/shape/collision.h"

/* Copies n elements if there are any; false if memory is refused. */
static bool copy(const perp_allocator *a, void **to, const void *from, int n, size_t size) {
    *to = NULL;
    if (!from) return true;
    *to = pp_alloc(a, (size_t)(n > 0 ? n : 1) * size);
    if (!*to) return false;
    memcpy(*to, from, (size_t)n * size);
    return true;
}

bool pp_geometry_clone(const pp_geometry *g, const perp_allocator *a, pp_geometry **out) {
    *out = pp_alloc(a, sizeof **out);
    if (!*out) return false;
    pp_geometry *c = *out;
    *c = *g;
    int nloop = g->face_start ? g->face_start[g->nface] : 0;
    bool ok = copy(a, (void **)&c->vert, g->vert, g->nvert, sizeof *g->vert);
    ok &= copy(a, (void **)&c->face_n, g->face_n, g->nface, sizeof *g->face_n);
    ok &= copy(a, (void **)&c->face_d, g->face_d, g->nface, sizeof *g->face_d);
    ok &= copy(a, (void **)&c->face_area, g->face_area, g->nface, sizeof *g->face_area);
    ok &= copy(a, (void **)&c->face_start, g->face_start, g->nface + 1, sizeof *g->face_start);
    ok &= copy(a, (void **)&c->face_vert, g->face_vert, nloop, sizeof *g->face_vert);
    ok &= copy(a, (void **)&c->face_edge, g->face_edge, nloop, sizeof *g->face_edge);
    ok &= copy(a, (void **)&c->function, g->function, g->nfunction, sizeof *g->function);
    ok &= copy(a, (void **)&c->edge, g->edge, g->nedge, sizeof *g->edge);
    if (ok) return true;
    pp_geometry_destroy(c, a);
    *out = NULL;
    return false;
}

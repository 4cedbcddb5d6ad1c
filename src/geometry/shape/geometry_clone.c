/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* geometry_clone.c - a copy of a checked geometry, array by array */
#include <string.h>

#include "geometry/shape/collision.h"

/* A copy of n elements; NULL if there are none. *ok: false if memory is refused. */
static void *copy(const perp_allocator *a, const void *from, int n, size_t size, bool *ok) {
    if (!from) return NULL;
    void *to = pp_alloc(a, (size_t)(n > 0 ? n : 1) * size);
    if (to)
        memcpy(to, from, (size_t)n * size);
    else
        *ok = false;
    return to;
}

bool pp_geometry_clone(const pp_geometry *g, const perp_allocator *a, pp_geometry **out) {
    *out = pp_alloc(a, sizeof **out);
    if (!*out) return false;
    pp_geometry *c = *out;
    *c = *g;
    int nloop = g->face_start ? g->face_start[g->nface] : 0;
    bool ok = true;
    c->vert = copy(a, g->vert, g->nvert, sizeof *g->vert, &ok);
    c->face_n = copy(a, g->face_n, g->nface, sizeof *g->face_n, &ok);
    c->face_d = copy(a, g->face_d, g->nface, sizeof *g->face_d, &ok);
    c->face_area = copy(a, g->face_area, g->nface, sizeof *g->face_area, &ok);
    c->face_start = copy(a, g->face_start, g->nface + 1, sizeof *g->face_start, &ok);
    c->face_vert = copy(a, g->face_vert, nloop, sizeof *g->face_vert, &ok);
    c->face_edge = copy(a, g->face_edge, nloop, sizeof *g->face_edge, &ok);
    c->function = copy(a, g->function, g->nfunction, sizeof *g->function, &ok);
    c->edge = copy(a, g->edge, g->nedge, sizeof *g->edge, &ok);
    if (ok) return true;
    pp_geometry_destroy(c, a);
    *out = NULL;
    return false;
}

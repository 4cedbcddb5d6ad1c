/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* decompose3d.c - convex parts of the volume in a closed surface
 *   in: a surface that passed pp_surface_check        out: convex polyhedra that touch and do not overlap
 * Method   Binary space partition. A convex cell, initially a box around the surface, has a list of the pieces of faces inside
 *          it. The plane of one of them cuts the cell and all pieces in two; pieces in the plane are removed. A cell without
 *          pieces is completely inside (behind the face that cut it) or outside (in front of it). Of some candidates, the
 *          plane that cuts the fewest pieces is chosen. Finally, two cells are merged if their union is convex, that is, if
 *          its hull has the same volume.
 * Valid    Faces must be convex. Pieces within PP_FLAT of the size of a plane lie in it, so a mesh rounded to 32 bits
 *          does not fall into slivers; a mesh of exact numbers comes out exact to rounding. The volumes of the cells
 *          must add up to that of the surface: a surface that meets itself is refused here.
 * Cost     faces times candidates per cut; at worst the square of the faces in cells, in practice a few per reflex edge.
 * Source   Fuchs, Kedem, Naylor (1980), On visible surface generation by a priori tree structures. */
#include <string.h>

#include "geometry/shape/collision.h"
#include "geometry/shape/hull.h"
#include "geometry/shape/surface.h"
#include "base/elementary.h"

#define CANDIDATES 48
/* Limit on the number of cells; a surface that needs more is refused. */
#define CELLS_MAX 4000
/* Part of the volume that may be missing. */
#define VOLUME_TOLERANCE 1e-6

/* A convex polygon in space and the outward normal of the face it is a piece of. */
typedef struct sheet {
    int n;
    perp_vec3 *v, normal;
} sheet;

typedef struct cell {
    sheet *face; /* of the cell; normals do not matter */
    int nface;
    sheet *piece; /* of the surface, inside */
    int npiece;
} cell;

typedef struct solid {
    perp_vec3 *v;
    int n;
    double volume;
    perp_vec3 lo, hi;
} solid;

typedef struct task {
    pp_arena *arena;
    double tol, fine; /* for pieces; for corners of cells */
    cell *open;
    int nopen, cap_open;
    solid *part;
    int npart, cap_part;
    perp_allocator alloc;
} task;

typedef struct plane {
    perp_vec3 at, n;
} plane;
static double above(const plane *p, perp_vec3 x) { return perp_v3_dot(p->n, perp_v3_sub(x, p->at)); }

/* ---- cutting ---- */

/* The part of s with sign * above >= 0, in the arena; n = 0 if none is left. NULL array: no memory. */
static sheet clip(pp_arena *arena, const sheet *s, const plane *p, double sign, double tol) {
    sheet out = {0, PP_ARENA_ARRAY(arena, perp_vec3, s->n + 2), s->normal};
    bool strict = false;
    for (int i = 0; i < s->n && out.v; i++) {
        perp_vec3 a = s->v[i], b = s->v[i + 1 < s->n ? i + 1 : 0];
        double da = sign * above(p, a), db = sign * above(p, b);
        if (da > tol) strict = true;
        if (da >= -tol && out.n < s->n + 2) out.v[out.n++] = a;
        if (((da > tol && db < -tol) || (da < -tol && db > tol)) && out.n < s->n + 2)
            out.v[out.n++] = perp_v3_axpy(a, da / (da - db), perp_v3_sub(b, a));
    }
    if (!strict || out.n < 3) out.n = 0;
    return out;
}

/* Closes a cut cell: all its corners in the plane, around their middle. */
static bool cap(pp_arena *arena, const cell *c, const plane *p, double tol, sheet *out) {
    int most = 0;
    for (int f = 0; f < c->nface; f++) most += c->face[f].n;
    perp_vec3 *v = PP_ARENA_ARRAY(arena, perp_vec3, most), mid = {0, 0, 0};
    double *angle = PP_ARENA_ARRAY(arena, double, most);
    *out = (sheet){0, v, p->n};
    if (!v || !angle) return false;
    for (int f = 0; f < c->nface; f++)
        for (int i = 0; i < c->face[f].n; i++) {
            perp_vec3 x = c->face[f].v[i];
            bool had = fabs(above(p, x)) > 2 * tol;
            for (int k = 0; k < out->n && !had; k++) had = perp_v3_norm(perp_v3_sub(v[k], x)) <= 2 * tol;
            if (!had) v[out->n++] = x;
        }
    if (out->n < 3) {
        out->n = 0;
        return true;
    }
    for (int i = 0; i < out->n; i++) mid = perp_v3_axpy(mid, 1.0 / out->n, v[i]);
    perp_vec3 e = perp_v3_unit(perp_v3_sub(v[0], mid)), o = perp_v3_cross(p->n, e);
    for (int i = 0; i < out->n; i++) {
        perp_vec3 d = perp_v3_sub(v[i], mid), x = v[i];
        double a = pp_atan2(perp_v3_dot(d, o), perp_v3_dot(d, e));
        int k = i;
        for (; k > 0 && angle[k - 1] > a; k--) {
            angle[k] = angle[k - 1];
            v[k] = v[k - 1];
        }
        angle[k] = a;
        v[k] = x;
    }
    return true;
}

/* One half of a cell; nface = 0 if nothing is left. */
static bool half(task *t, const cell *c, const plane *p, double sign, cell *out) {
    *out = (cell){PP_ARENA_ARRAY(t->arena, sheet, c->nface + 1), 0, PP_ARENA_ARRAY(t->arena, sheet, c->npiece), 0};
    if (!out->face || !out->piece) return false;
    for (int f = 0; f < c->nface; f++) {
        sheet s = clip(t->arena, &c->face[f], p, sign, t->fine);
        if (!s.v) return false;
        if (s.n) out->face[out->nface++] = s;
    }
    if (out->nface < 3) {
        out->nface = 0;
        return true;
    }
    sheet lid;
    if (!cap(t->arena, out, p, t->fine, &lid)) return false;
    if (lid.n) out->face[out->nface++] = lid;
    for (int i = 0; i < c->npiece; i++) {
        sheet s = clip(t->arena, &c->piece[i], p, sign, t->tol);
        if (!s.v) return false;
        if (s.n) out->piece[out->npiece++] = s;
    }
    return true;
}

/* Chooses the plane that cuts the fewest pieces; among equal ones, the plane with the most pieces in it or on one
 * side. */
static plane choose(const task *t, const cell *c) {
    plane best = {{0, 0, 0}, {0, 0, 0}};
    int stride = c->npiece / CANDIDATES + 1, fewest = 0;
    for (int i = 0; i < c->npiece; i += stride) {
        plane p = {c->piece[i].v[0], c->piece[i].normal};
        int cut = 0;
        for (int k = 0; k < c->npiece; k++) {
            bool front = false, back = false;
            for (int m = 0; m < c->piece[k].n; m++) {
                double d = above(&p, c->piece[k].v[m]);
                front |= d > t->tol;
                back |= d < -t->tol;
            }
            cut += front && back;
        }
        if (i == 0 || cut < fewest) {
            best = p;
            fewest = cut;
        }
        if (fewest == 0) break;
    }
    return best;
}

/* ---- parts ---- */

static bool make_solid(task *t, const perp_vec3 *v, int n, solid *out) {
    pp_hull h;
    out->n = 0;
    if (n < 4 || pp_hull3(t->arena, v, n, &h, NULL, 0)) return false;
    perp_surface s = {h.vert, h.nvert, h.face_start, h.face_vert, h.nface};
    *out = (solid){h.vert, h.nvert, pp_surface_mass(&s).mass, h.vert[0], h.vert[0]};
    for (int i = 0; i < h.nvert; i++) {
        perp_vec3 x = h.vert[i];
        out->lo = perp_v3(fmin(out->lo.x, x.x), fmin(out->lo.y, x.y), fmin(out->lo.z, x.z));
        out->hi = perp_v3(fmax(out->hi.x, x.x), fmax(out->hi.y, x.y), fmax(out->hi.z, x.z));
    }
    return true;
}

/* Makes a part of an inside cell. A cell that is too thin for a hull is left out; the test of the total volume covers this. */
static bool add_part(task *t, const cell *c) {
    int n = 0;
    for (int f = 0; f < c->nface; f++) n += c->face[f].n;
    perp_vec3 *v = PP_ARENA_ARRAY(t->arena, perp_vec3, n);
    if (!v || !PP_GROW(&t->alloc, t->part, t->cap_part, t->npart, t->npart + 1)) return false;
    n = 0;
    for (int f = 0; f < c->nface; f++)
        for (int i = 0; i < c->face[f].n; i++) v[n++] = c->face[f].v[i];
    if (make_solid(t, v, n, &t->part[t->npart])) t->npart++;
    return true;
}

/* Whether two parts have at least three corners in common. If their union is convex, they share a face in the plane between them. */
static bool share_face(const solid *a, const solid *b, double tol) {
    if (a->lo.x > b->hi.x + tol || b->lo.x > a->hi.x + tol || a->lo.y > b->hi.y + tol || b->lo.y > a->hi.y + tol ||
        a->lo.z > b->hi.z + tol || b->lo.z > a->hi.z + tol)
        return false;
    int common = 0;
    for (int i = 0; i < a->n && common < 3; i++)
        for (int k = 0; k < b->n; k++)
            if (perp_v3_norm(perp_v3_sub(a->v[i], b->v[k])) <= tol) {
                common++;
                break;
            }
    return common >= 3;
}

/* The hull of two parts if it is their union. -1: no memory, 0: it is not. */
static int unite(task *t, const solid *a, const solid *b, solid *out) {
    if (!share_face(a, b, t->tol)) return 0;
    pp_arena_mark mark = pp_arena_here(t->arena);
    perp_vec3 *v = PP_ARENA_ARRAY(t->arena, perp_vec3, a->n + b->n);
    if (!v) return -1;
    memcpy(v, a->v, (size_t)a->n * sizeof *v);
    memcpy(v + a->n, b->v, (size_t)b->n * sizeof *v);
    if (make_solid(t, v, a->n + b->n, out) && out->volume <= (a->volume + b->volume) * (1 + 1e-9)) return 1;
    pp_arena_release(t->arena, mark);
    return 0;
}

/* Merges two parts while their union is convex: each part with those before it, the largest first; a merged part is tried again with
 * all. */
static bool join(task *t) {
    for (int i = 1; i < t->npart; i++) { /* by volume */
        solid x = t->part[i];
        int k = i;
        for (; k > 0 && t->part[k - 1].volume < x.volume * (1 - 1e-9); k--) t->part[k] = t->part[k - 1];
        t->part[k] = x;
    }
    for (int i = 1; i < t->npart; i++)
        for (int j = 0; j < i; j++) {
            solid one;
            int done = unite(t, &t->part[j], &t->part[i], &one);
            if (done < 0) return false;
            if (!done) continue;
            memmove(t->part + i, t->part + i + 1, (size_t)(t->npart - i - 1) * sizeof *t->part);
            t->npart--;
            memmove(t->part + j, t->part + j + 1, (size_t)(i - j - 1) * sizeof *t->part);
            t->part[i - 1] = one; /* in the place of i - 1: tried with all before it, and those after with it */
            i -= 2;
            break;
        }
    return true;
}

/* ---- the whole ---- */

static bool begin(task *t, const perp_surface *s) {
    perp_vec3 lo = s->vertex[0], hi = lo;
    for (int i = 0; i < s->nvertex; i++) {
        perp_vec3 x = s->vertex[i];
        lo = perp_v3(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi = perp_v3(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    double size = pp_extent(s->vertex, s->nvertex), m = 0.1 * size;
    t->tol = PP_FLAT * size;
    t->fine = 1e-12 * size;
    lo = perp_v3(lo.x - m, lo.y - m, lo.z - m);
    hi = perp_v3(hi.x + m, hi.y + m, hi.z + m);
    static const int loop[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    cell c = {PP_ARENA_ARRAY(t->arena, sheet, 6), 6, PP_ARENA_ARRAY(t->arena, sheet, s->nface), s->nface};
    perp_vec3 *v = PP_ARENA_ARRAY(t->arena, perp_vec3, 24 + s->face_start[s->nface]);
    if (!c.face || !c.piece || !v || !PP_GROW(&t->alloc, t->open, t->cap_open, 0, 1)) return false;
    for (int f = 0; f < 6; f++) {
        c.face[f] = (sheet){4, v, {0, 0, 0}};
        for (int k = 0; k < 4; k++) {
            int b = loop[f][k];
            *v++ = perp_v3(b & 4 ? hi.x : lo.x, b & 2 ? hi.y : lo.y, b & 1 ? hi.z : lo.z);
        }
    }
    for (int f = 0; f < s->nface; f++) {
        int n = s->face_start[f + 1] - s->face_start[f];
        perp_vec3 sum = {0, 0, 0};
        c.piece[f] = (sheet){n, v, {0, 0, 0}};
        for (int k = 0; k < n; k++) v[k] = s->vertex[s->face[s->face_start[f] + k]];
        for (int k = 1; k + 1 < n; k++)
            sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(v[k], v[0]), perp_v3_sub(v[k + 1], v[0])));
        c.piece[f].normal = perp_v3_unit(sum);
        v += n;
    }
    t->open[t->nopen++] = c;
    return true;
}

/* Cuts until every cell is inside or outside. */
static perp_status cut_all(task *t, char *why, size_t why_size) {
    for (int count = 0; t->nopen > 0; count++) {
        if (count > CELLS_MAX)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the surface falls into more than %d convex parts",
                             CELLS_MAX);
        cell c = t->open[--t->nopen], side[2];
        plane p = choose(t, &c);
        if (!half(t, &c, &p, 1, &side[0]) || !half(t, &c, &p, -1, &side[1]) ||
            !PP_GROW(&t->alloc, t->open, t->cap_open, t->nopen, t->nopen + 2))
            return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a surface");
        for (int k = 0; k < 2; k++) { /* 0: before the face, 1: behind it */
            if (side[k].nface == 0) continue;
            if (side[k].npiece > 0)
                t->open[t->nopen++] = side[k];
            else if (k == 1 && !add_part(t, &side[k]))
                return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a surface");
        }
    }
    return PERP_OK;
}

static perp_status check_faces(const perp_surface *s, char *why, size_t why_size) {
    double size = pp_extent(s->vertex, s->nvertex);
    for (int f = 0; f < s->nface; f++) {
        const int *v = s->face + s->face_start[f];
        int n = s->face_start[f + 1] - s->face_start[f];
        perp_vec3 sum = {0, 0, 0};
        for (int k = 1; k + 1 < n; k++)
            sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(s->vertex[v[k]], s->vertex[v[0]]),
                                                 perp_v3_sub(s->vertex[v[k + 1]], s->vertex[v[0]])));
        perp_vec3 normal = perp_v3_unit(sum);
        for (int k = 0; k < n; k++) {
            perp_vec3 a = s->vertex[v[k]], e = perp_v3_unit(perp_v3_sub(s->vertex[v[(k + 1) % n]], a));
            for (int m = 0; m < n; m++)
                if (perp_v3_dot(perp_v3_cross(e, normal), perp_v3_sub(s->vertex[v[m]], a)) > PP_FLAT * size)
                    return pp_refuse(why, why_size, PERP_E_GEOMETRY, "face %d is not convex; split it into triangles",
                                     f);
        }
    }
    return PERP_OK;
}

static perp_status finish(task *t, double volume, perp_parts *out, char *why, size_t why_size) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < t->npart; i++) sum += t->part[i].volume;
    if (!(fabs(sum - volume) <= VOLUME_TOLERANCE * volume))
        return pp_refuse(
            why, why_size, PERP_E_GEOMETRY,
            "the surface cannot be decomposed: its parts have the volume %.9g, it has %.9g; does it meet itself?", sum,
            volume);
    if (!join(t)) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a surface");
    for (int i = 0; i < t->npart; i++) n += t->part[i].n;
    out->start = pp_alloc(&out->alloc, (size_t)(t->npart + 1) * sizeof *out->start);
    out->point = pp_alloc(&out->alloc, (size_t)n * sizeof *out->point);
    if (!out->start || !out->point) {
        perp_parts_free(out);
        return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a surface");
    }
    out->npart = t->npart;
    out->start[0] = 0;
    for (int i = 0; i < t->npart; i++) {
        memcpy(out->point + out->start[i], t->part[i].v, (size_t)t->part[i].n * sizeof *out->point);
        out->start[i + 1] = out->start[i] + t->part[i].n;
    }
    return PERP_OK;
}

perp_status perp_mesh_parts(const perp_surface *s, const perp_allocator *alloc, perp_parts *out, char *why,
                            size_t why_size) {
    if (!out) return pp_refuse(why, why_size, PERP_E_ARG, "no place for the parts given");
    memset(out, 0, sizeof *out);
    if (alloc) out->alloc = *alloc;
    pp_arena arena;
    pp_arena_init(&arena, out->alloc);
    task t = {.arena = &arena, .alloc = out->alloc};
    perp_status st = pp_surface_check(&arena, s, why, why_size);
    if (!st && s->face_start[s->nface] > PERP_MESH_PARTS_MAX)
        st = pp_refuse(why, why_size, PERP_E_GEOMETRY,
                       "the faces have %d corners; a surface that is decomposed has at most %d",
                       s->face_start[s->nface], PERP_MESH_PARTS_MAX);
    if (!st) st = check_faces(s, why, why_size);
    if (!st && !begin(&t, s)) st = pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the parts of a surface");
    if (!st) st = cut_all(&t, why, why_size);
    if (!st) st = finish(&t, pp_surface_mass(s).mass, out, why, why_size);
    pp_free(&t.alloc, t.open);
    pp_free(&t.alloc, t.part);
    pp_arena_free(&arena);
    return st;
}

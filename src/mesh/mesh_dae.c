/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh_dae.c - meshes from COLLADA files.
 *
 * Read      geometries of the scene: triangles, polylist and polygons over float arrays; <matrix>, <translate>, <rotate> and <scale> of nodes,
 *           <instance_node>, the <unit>.
 * Passed    normals, colours, materials, lines, cameras, lights. <up_axis> is passed over as the tools of ROS do: a robot's meshes are drawn in
 *           the axes of their files.
 * Refused   skins and other controllers, triangle fans and strips, references that lead nowhere, indices out of range.
 * Cost      linear in the bytes for each instance of a geometry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/xml.h"
#include "mesh/mesh_read.h"

#define NODE_DEPTH   32    /* levels of nodes, instances counted */
#define NODE_VISITS  20000 /* nodes looked at; nodes may be instanced again and again */
#define INPUT_MOST   16    /* values per corner */
#define POLYGON_MOST 4096  /* corners of a face */

/* x_scene = A x + p */
typedef struct affine {
    perp_mat3 A;
    perp_vec3 p;
} affine;

typedef struct dae {
    pp_mesh_reader *r;
    pp_pool pool;
    const pp_xml *root;
    int visits;
} dae;

static perp_status refuse(dae *d, const pp_xml *e, const char *found, const char *allowed) {
    return pp_complain(d->r->why, PERP_E_ARG, pp_xml_place(e), e->name, found, allowed);
}

static perp_vec3 moved(affine T, perp_vec3 x) { return perp_v3_add(perp_m3_mul_v(T.A, x), T.p); }

static affine after(affine a, affine b) { return (affine){perp_m3_mul(a.A, b.A), moved(a, b.p)}; }

/* The element below `e`, itself included, of that name and id. */
static const pp_xml *find_id(const pp_xml *e, const char *name, const char *id) {
    const pp_xml *top = e;
    while (e) {
        const char *own = pp_xml_get(e, "id");
        if (own && !strcmp(own, id) && (!name || !strcmp(e->name, name))) return e;
        if (e->first) {
            e = e->first;
            continue;
        }
        while (e != top && !e->next) e = e->parent;
        if (e == top) return NULL;
        e = e->next;
    }
    return NULL;
}

/* What the attribute of `e` refers to: "#id". */
static perp_status follow(dae *d, const pp_xml *e, const char *attribute, const char *name, const pp_xml **out) {
    const char *url = pp_xml_get(e, attribute);
    char found[160];
    if (url && url[0] == '#' && (*out = find_id(d->root, name, url + 1))) return PERP_OK;
    (void)snprintf(found, sizeof found, "%s=\"%s\"", attribute, url ? url : "");
    char allowed[96];
    (void)snprintf(allowed, sizeof allowed, "# and the id of a <%s> of this file", name ? name : "source");
    return refuse(d, e, found, allowed);
}

/* ---- numbers ---- */

typedef struct floats {
    double *v;
    int n, stride;
} floats;

static perp_status read_floats(dae *d, const pp_xml *source, floats *out) {
    const pp_xml *array = pp_xml_child(source, "float_array");
    const pp_xml *accessor = pp_xml_child(pp_xml_child(source, "technique_common"), "accessor");
    if (!array) return refuse(d, source, "a source without <float_array>", "one");
    size_t most = strlen(array->text) / 2 + 1;
    out->v = pp_pool_get(&d->pool, most * sizeof *out->v);
    if (!out->v) return pp_mesh_no_memory(d->r);
    out->n = pp_xml_numbers(array->text, out->v, (int)most);
    if (out->n < 0) return refuse(d, array, "something that is no finite number", "finite numbers");
    const char *stride = accessor ? pp_xml_get(accessor, "stride") : NULL;
    out->stride = stride ? atoi(stride) : 3;
    if (out->stride < 3) return refuse(d, accessor ? accessor : source, "a stride below 3", "positions: x, y, z");
    return PERP_OK;
}

/* Whole numbers into memory of the pool. */
static perp_status read_wholes(dae *d, const pp_xml *e, int **out, int *n) {
    size_t most = strlen(e->text) / 2 + 1;
    int *v = pp_pool_get(&d->pool, most * sizeof *v);
    if (!v) return pp_mesh_no_memory(d->r);
    int count = 0;
    for (const char *p = e->text;;) {
        p += strspn(p, " \t\r\n");
        if (!*p) break;
        char *rest;
        long x = strtol(p, &rest, 10);
        if (rest == p || x < 0 || x > 1 << 30 || (*rest && !strchr(" \t\r\n", *rest)))
            return refuse(d, e, "something that is no index", "whole numbers >= 0");
        v[count++] = (int)x;
        p = rest;
    }
    *out = v;
    *n = count;
    return PERP_OK;
}

/* ---- faces ---- */

/* Where the positions are among the values of a corner. */
typedef struct corners {
    int offset, values;
    const pp_xml *source;
} corners;

static perp_status read_inputs(dae *d, const pp_xml *primitive, corners *out) {
    *out = (corners){-1, 0, NULL};
    for (const pp_xml *i = pp_xml_child(primitive, "input"); i; i = pp_xml_again(i)) {
        const char *semantic = pp_xml_get(i, "semantic"), *offset = pp_xml_get(i, "offset");
        int at = offset ? atoi(offset) : 0;
        if (at < 0 || at >= INPUT_MOST) return refuse(d, i, "an offset out of range", "0 to 15");
        if (at + 1 > out->values) out->values = at + 1;
        if (!semantic || strcmp(semantic, "VERTEX") != 0) continue;
        const pp_xml *vertices;
        perp_status s = follow(d, i, "source", "vertices", &vertices);
        if (s) return s;
        for (const pp_xml *k = pp_xml_child(vertices, "input"); k; k = pp_xml_again(k)) {
            const char *what = pp_xml_get(k, "semantic");
            if (!what || strcmp(what, "POSITION") != 0) continue;
            s = follow(d, k, "source", "source", &out->source);
            if (s) return s;
        }
        out->offset = at;
    }
    if (!out->source) return refuse(d, primitive, "no input of positions", "VERTEX with POSITION");
    return PERP_OK;
}

/* The face of the next n corners. */
static perp_status add_face(dae *d, const pp_xml *e, const floats *f, const affine *T, const int *index, int n,
                            const corners *c) {
    pp_location at = pp_xml_place(e);
    if (n > POLYGON_MOST) return refuse(d, e, "a face with more than 4096 corners", "fewer");
    for (int i = 0; i < n; i++) {
        int k = index[i * c->values + c->offset], v;
        if (k >= f->n / f->stride) return refuse(d, e, "an index beyond the positions", "one of the positions");
        const double *x = f->v + (size_t)k * (size_t)f->stride;
        perp_vec3 p = moved(*T, perp_v3(x[0], x[1], x[2]));
        if (!perp_v3_finite(p)) return refuse(d, e, "a position that is not finite", "finite positions");
        perp_status s = pp_mesh_merge_vertex(d->r, at, e->name, p, &v);
        if (!s) s = pp_mesh_add_corner(d->r, at, e->name, v);
        if (s) return s;
    }
    return pp_mesh_end_face(d->r, at, e->name);
}

static perp_status read_faces(dae *d, const pp_xml *primitive, const affine *T) {
    corners c;
    floats f = {NULL, 0, 3};
    int *index = NULL, nindex = 0, *count = NULL, ncount = 0;
    perp_status s = read_inputs(d, primitive, &c);
    if (!s) s = read_floats(d, c.source, &f);
    bool polygons = !strcmp(primitive->name, "polygons"), list = !strcmp(primitive->name, "polylist");
    const pp_xml *vcount = pp_xml_child(primitive, "vcount");
    if (!s && list && !vcount) s = refuse(d, primitive, "a polylist without <vcount>", "the corners of each face");
    if (!s && list) s = read_wholes(d, vcount, &count, &ncount);
    for (const pp_xml *p = pp_xml_child(primitive, "p"); p && !s; p = pp_xml_again(p)) {
        s = read_wholes(d, p, &index, &nindex);
        int at = 0, face = 0;
        while (!s && at < nindex) {
            int n = polygons ? nindex / c.values : list ? (face < ncount ? count[face++] : 0) : 3;
            if (list && n == 0 && face < ncount) continue;
            if (n == 0 || n > (nindex - at) / c.values)
                return refuse(d, p, "indices that do not fit the number of corners", "all corners of each face");
            s = add_face(d, p, &f, T, index + at, n, &c);
            at += n * c.values;
        }
    }
    return s;
}

static perp_status read_geometry(dae *d, const pp_xml *geometry, const affine *T) {
    const pp_xml *mesh = pp_xml_child(geometry, "mesh");
    if (!mesh) return refuse(d, geometry, "a geometry that is no mesh", "<mesh>");
    perp_status s = pp_mesh_begin_group(d->r);
    for (const pp_xml *p = mesh->first; p && !s; p = p->next) {
        if (!strcmp(p->name, "triangles") || !strcmp(p->name, "polylist") || !strcmp(p->name, "polygons"))
            s = read_faces(d, p, T);
        else if (!strcmp(p->name, "trifans") || !strcmp(p->name, "tristrips"))
            s = refuse(d, p, p->name, "triangles, polylist or polygons");
    }
    return s;
}

/* ---- nodes ---- */

static perp_status read_transform(dae *d, const pp_xml *e, affine *out, bool *is) {
    double v[16];
    static const struct {
        const char *name;
        int n;
    } kind[] = {{"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}};
    *out = (affine){perp_m3_diag(1, 1, 1), {0, 0, 0}};
    *is = false;
    for (int k = 0; k < 4; k++) {
        if (strcmp(e->name, kind[k].name) != 0) continue;
        if (pp_xml_numbers(e->text, v, 16) != kind[k].n) {
            char allowed[32];
            (void)snprintf(allowed, sizeof allowed, "%d numbers", kind[k].n);
            return refuse(d, e, "something else", allowed);
        }
        *is = true;
        if (k == 0)
            *out = (affine){{{{v[0], v[4], v[8]}, {v[1], v[5], v[9]}, {v[2], v[6], v[10]}}}, {v[3], v[7], v[11]}};
        if (k == 1) out->p = perp_v3(v[0], v[1], v[2]);
        if (k == 2 && perp_v3_norm(perp_v3(v[0], v[1], v[2])) > 0)
            out->A = perp_q_matrix(perp_q_axis_angle(perp_v3(v[0], v[1], v[2]), v[3] * 0.017453292519943295));
        if (k == 3) out->A = perp_m3_diag(v[0], v[1], v[2]);
    }
    return PERP_OK;
}

static perp_status read_node(dae *d, const pp_xml *node, affine T, int depth) {
    if (depth == NODE_DEPTH || ++d->visits > NODE_VISITS)
        return refuse(d, node, "nodes that are nested too deep or instanced too often", "32 levels, 20000 nodes");
    perp_status s = PERP_OK;
    for (const pp_xml *e = node->first; e && !s; e = e->next) {
        affine step;
        bool is;
        s = read_transform(d, e, &step, &is);
        if (s) return s;
        if (is) T = after(T, step);
    }
    for (const pp_xml *e = node->first; e && !s; e = e->next) {
        const pp_xml *to;
        if (!strcmp(e->name, "node")) {
            s = read_node(d, e, T, depth + 1);
        } else if (!strcmp(e->name, "instance_geometry")) {
            s = follow(d, e, "url", "geometry", &to);
            if (!s) s = read_geometry(d, to, &T);
        } else if (!strcmp(e->name, "instance_node")) {
            s = follow(d, e, "url", "node", &to);
            if (!s) s = read_node(d, to, T, depth + 1);
        } else if (!strcmp(e->name, "instance_controller")) {
            s = refuse(d, e, "a controller", "meshes without skins and morphs");
        }
    }
    return s;
}

static perp_status read_root(dae *d) {
    if (strcmp(d->root->name, "COLLADA") != 0)
        return refuse(d, d->root, d->root->name, "COLLADA, as XML that holds a mesh");
    const pp_xml *unit = pp_xml_child(pp_xml_child(d->root, "asset"), "unit");
    const char *metre = unit ? pp_xml_get(unit, "meter") : NULL;
    double scale = 1;
    if (metre && (pp_xml_numbers(metre, &scale, 1) != 1 || !(scale > 0)))
        return refuse(d, unit, metre, "meter: a number > 0");
    affine T = {perp_m3_diag(scale, scale, scale), {0, 0, 0}};
    const pp_xml *shown = pp_xml_child(pp_xml_child(d->root, "scene"), "instance_visual_scene"), *scene = NULL;
    perp_status s = PERP_OK;
    if (shown) s = follow(d, shown, "url", "visual_scene", &scene);
    if (s) return s;
    if (scene) return read_node(d, scene, T, 0);
    const pp_xml *library = pp_xml_child(d->root, "library_geometries"); /* no scene: all geometries as they are */
    for (const pp_xml *g = pp_xml_child(library, "geometry"); g && !s; g = pp_xml_again(g)) s = read_geometry(d, g, &T);
    return s;
}

perp_status pp_mesh_read_dae(pp_mesh_reader *r) {
    dae d = {.r = r};
    pp_xml *root = NULL;
    pp_pool_init(&d.pool, &r->mesh->alloc);
    perp_status s = pp_xml_parse(&d.pool, r->file, r->data, r->size, &root, r->why);
    d.root = root;
    if (!s) s = read_root(&d);
    pp_pool_free(&d.pool);
    return s;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sdf_geometry.c - inertials, collisions and visuals of SDF. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot/sdf.h"

#include "base/elementary.h"

#define SIDES    32   /* sides of the pyramid that stands for a cone */
#define MU_STICK 100. /* [1] coefficient for friction without a limit: holds on slopes of up to 89.4 degrees */

static const char *const link_words[] = {
    "pose",   "inertial", "collision",      "visual", "gravity", "kinematic", "self_collide", "must_be_base_link",
    "sensor", "light",    "velocity_decay", "plugin", NULL};
static const char *const collision_words[] = {"pose",         "geometry",    "surface", "density",
                                              "max_contacts", "laser_retro", NULL};
static const char *const inertial_words[] = {"pose", "mass", "inertia", "density", "fluid_added_mass", NULL};
static const char *const inertia_words[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz", NULL};
static const char *const surface_words[] = {"friction", "contact", "bounce", "soft_contact", NULL};
static const char *const friction_words[] = {"ode", "bullet", "torsional", NULL};

/* ---- mass ---- */

static perp_status read_inertial(pp_sdf *s, int link, bool *from_shapes) {
    pp_import *m = s->m;
    const pp_sdf_frame *f = &s->frame[link];
    pp_model_body *b = &m->model.body[f->body];
    const pp_xml *e = pp_xml_child(f->at, "inertial");
    double mass = 1;
    perp_pose X;
    *from_shapes = false;
    perp_status r = pp_sdf_words(m, e, inertial_words, 4);
    if (!r && e) r = pp_sdf_words(m, pp_xml_child(e, "inertia"), inertia_words, 6);
    if (!r && pp_xml_get(e, "auto")) r = pp_sdf_bool(m, e, "auto", from_shapes);
    if (!r && !*from_shapes && !pp_sdf_is_fixed(s, link) &&
        (!e || !pp_xml_child(e, "mass") || !pp_xml_child(e, "inertia")))
        r = pp_robot_note(m, PERP_IMPORT_ASSUMED, e ? e : f->at,
                          "%s: mass or moments that are not given are 1, as in the format", f->full);
    if (!r) r = pp_value_above(m, e, "mass", &mass);
    if (!r) r = pp_sdf_in_link(s, e, link, &X);
    return r || *from_shapes ? r : pp_robot_inertial(m, e ? e : f->at, mass, 1, X, b);
}

/* ---- shapes ---- */

/* Adds a mesh of n points of the pool, whose hull is the shape. */
static perp_status add_points(pp_import *m, const pp_xml *e, const perp_vec3 *p, int n, pp_model_geom *g) {
    pp_model *d = &m->model;
    if (n < 4) return pp_robot_wrong(m, e, NULL, "too few points", "at least 3 <point>");
    if (!PP_GROW(&m->alloc, d->mesh, d->cap_mesh, d->nmesh, d->nmesh + 1)) return pp_robot_no_memory(m);
    pp_model_mesh *mesh = &d->mesh[d->nmesh];
    *mesh = (pp_model_mesh){.name = e->name, .at = e, .scale = {1, 1, 1}, .ref = perp_pose_identity()};
    mesh->mesh.alloc = m->alloc;
    mesh->mesh.vertex = pp_alloc(&m->alloc, sizeof *p * (size_t)n);
    if (!mesh->mesh.vertex) return pp_robot_no_memory(m);
    memcpy(mesh->mesh.vertex, p, sizeof *p * (size_t)n);
    mesh->mesh.nvertex = n;
    g->kind = PP_GEOM_MESH;
    g->mesh = d->nmesh++;
    return PERP_OK;
}

/* Its axis is z, its middle the origin. */
static perp_status read_cone(pp_import *m, const pp_xml *e, pp_model_geom *g, bool *empty) {
    double radius = 0, length = 0;
    perp_vec3 p[SIDES + 1];
    perp_status r = pp_value_above(m, e, "radius", &radius);
    if (!r) r = pp_value_above(m, e, "length", &length);
    *empty = radius == 0 || length == 0;
    if (r || *empty) return r;
    for (int i = 0; i < SIDES; i++) {
        double angle = 6.283185307179586 * i / SIDES;
        p[i] = perp_v3(radius * pp_cos(angle), radius * pp_sin(angle), -length / 2);
    }
    p[SIDES] = perp_v3(0, 0, length / 2);
    return add_points(m, e, p, SIDES + 1, g);
}

/* A polygon drawn out along z. */
static perp_status read_polyline(pp_import *m, const pp_xml *e, pp_model_geom *g, bool *empty) {
    double height = 1;
    int n = 0;
    perp_status r = pp_value_above(m, e, "height", &height);
    for (const pp_xml *c = pp_xml_child(e, "point"); c; c = pp_xml_again(c)) n += 2;
    perp_vec3 *p = pp_pool_get(&m->pool, sizeof *p * (size_t)(n + 1));
    if (!p) return pp_robot_no_memory(m);
    *empty = height == 0;
    n = 0;
    for (const pp_xml *c = pp_xml_child(e, "point"); c && !r; c = pp_xml_again(c), n += 2) {
        double v[2];
        r = pp_robot_numbers(m, c, NULL, c->text, 2, 2, v, NULL);
        if (r) break;
        p[n] = perp_v3(v[0], v[1], 0);
        p[n + 1] = perp_v3(v[0], v[1], height);
    }
    return r || *empty ? r : add_points(m, e, p, n, g);
}

static perp_status read_shape(pp_import *m, const pp_xml *e, pp_model_geom *g, bool *empty) {
    if (!strcmp(e->name, "cone")) return read_cone(m, e, g, empty);
    if (!strcmp(e->name, "polyline")) return read_polyline(m, e, g, empty);
    if (!strcmp(e->name, "mesh") && pp_xml_child(e, "submesh")) {
        perp_status r = pp_robot_note(m, PERP_IMPORT_APPROXIMATED, e, "<submesh>: the whole mesh is taken");
        if (r) return r;
    }
    return pp_robot_shape(m, e, g, empty);
}

/* ---- surfaces ---- */

static perp_status read_friction(pp_import *m, const pp_xml *e, pp_model_geom *g) {
    const pp_xml *ode = e ? pp_xml_child(e, "ode") : NULL, *bullet = e ? pp_xml_child(e, "bullet") : NULL;
    double mu = 1, second = 1;
    if (!pp_robot_value(ode, "mu").text && !pp_robot_value(bullet, "friction").text)
        return pp_robot_note(m, PERP_IMPORT_ASSUMED, NULL, "friction is not given: mu = 1");
    perp_status r = pp_sdf_words(m, e, friction_words, 2);
    if (!r) r = pp_value_number(m, bullet, "friction", &mu);
    second = mu;
    if (!r) r = pp_value_number(m, ode, "mu", &mu);
    if (!r) r = pp_value_number(m, ode, "mu2", &second);
    g->friction[0] = mu < 0 || mu > MU_STICK ? MU_STICK : mu;
    if (!r && g->friction[0] != mu)
        r = pp_robot_note(m, PERP_IMPORT_APPROXIMATED, e, "mu below 0, which has no limit, or above %g: %g is taken",
                          MU_STICK, MU_STICK);
    if (!r && second != mu && pp_robot_value(ode, "mu2").text)
        r = pp_robot_note(m, PERP_IMPORT_APPROXIMATED, ode, "mu2 other than mu: friction is mu in all directions");
    return r;
}

/* A mask of 16 bits, decimal or hexadecimal; *out stays if it is not there. */
static perp_status read_mask(pp_import *m, const pp_xml *e, const char *key, uint32_t *out) {
    const char *text = pp_robot_value(e, key).text;
    if (!text) return PERP_OK;
    char *end;
    unsigned long mask = strtoul(text, &end, 0);
    if (end == text || *end || text[0] == '-' || mask > 0xffffffffu)
        return pp_value_wrong(m, e, key, "a number from 0 to 0xffff");
    *out = (uint32_t)mask & 0xffffu; /* of more bits others take these */
    return PERP_OK;
}

static perp_status read_surface(pp_import *m, const pp_xml *e, pp_model_geom *g) {
    const pp_xml *contact = e ? pp_xml_child(e, "contact") : NULL;
    bool ghost = false;
    g->conaffinity = 0xffff;
    perp_status r = pp_sdf_words(m, e, surface_words, 2);
    if (!r) r = read_friction(m, e ? pp_xml_child(e, "friction") : NULL, g);
    if (!r) r = pp_sdf_bool(m, contact, "collide_without_contact", &ghost);
    if (!r && contact && (pp_xml_child(contact, "ode") || pp_xml_child(contact, "bullet")))
        r = pp_robot_note(m, PERP_IMPORT_IGNORED, contact, "settings of soft contacts");
    if (!r) r = read_mask(m, contact, "collide_bitmask", &g->conaffinity);
    g->contype = g->conaffinity;
    if (!r) r = read_mask(m, contact, "category_bitmask", &g->contype);
    if (ghost) g->contype = g->conaffinity = 0;
    return r;
}

static perp_status read_colour(pp_import *m, const pp_xml *e, pp_model_geom *g) {
    const pp_xml *material = pp_xml_child(e, "material");
    pp_value v = pp_robot_value(material, "diffuse");
    double rgba[4];
    int got;
    if (!v.text) v = pp_robot_value(material, "ambient");
    perp_status r = pp_robot_numbers(m, v.at ? v.at : e, v.attribute, v.text, 3, 4, rgba, &got);
    if (!r && got) g->colour = pp_robot_colour(rgba);
    return r;
}

/* A collision or visual of a link. */
static perp_status add_shape(pp_sdf *s, int link, const pp_xml *e, bool visual, bool weighs) {
    static const char *const passed[] = {"empty", "heightmap", "image"};
    pp_import *m = s->m;
    const pp_sdf_frame *f = &s->frame[link];
    const pp_xml *geometry = pp_xml_child(e, "geometry");
    if ((!geometry || !geometry->first) && visual)
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a visual without shape");
    if (!geometry || !geometry->first) return pp_robot_wrong(m, e, NULL, "no geometry", "<geometry> with a shape");
    const pp_xml *shape = geometry->first;
    for (int i = 0; i < 3; i++)
        if (!strcmp(shape->name, passed[i]))
            return i ? pp_robot_note(m, PERP_IMPORT_IGNORED, shape, "shapes <%s>", shape->name) : PERP_OK;
    const pp_model_geom *added = pp_model_add_geom(m, e, f->body, PP_GEOM_SPHERE);
    if (!added) return m->why->status;
    pp_model_geom g = *added;
    m->model.ngeom--;
    bool empty = false;
    perp_pose X;
    perp_status r = read_shape(m, shape, &g, &empty);
    if (!r && empty) return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a shape without size");
    if (!r) r = pp_sdf_in_link(s, e, link, &X);
    g.visual = visual;
    if (!r && visual) {
        g.contype = g.conaffinity = 0;
        r = read_colour(m, e, &g);
    }
    if (r && visual && r != PERP_E_MEMORY) /* what is only drawn is never a reason to refuse */
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a visual: %s", m->why->text);
    if (!r && !visual) {
        g.self = s->frame[f->scope].self;
        g.weighs = weighs;
        for (int k = f->scope; k > 0; k = s->frame[k].scope) g.family = k;
        r = pp_sdf_bool(m, f->at, "self_collide", &g.self);
        if (!r) r = pp_sdf_words(m, e, collision_words, 4);
        if (!r) r = pp_value_above(m, e, "density", &g.density);
        if (!r) r = read_surface(m, pp_xml_child(e, "surface"), &g);
    }
    if (r) return r;
    g.X_B = perp_pose_mul(X, g.X_B);
    m->model.geom[m->model.ngeom++] = g;
    return PERP_OK;
}

perp_status pp_sdf_link(pp_sdf *s, int link) {
    pp_import *m = s->m;
    const pp_sdf_frame *f = &s->frame[link];
    bool weighs, falls = true;
    perp_status r = pp_sdf_words(m, f->at, link_words, 8);
    if (!r) r = pp_sdf_bool(m, f->at, "gravity", &falls);
    if (!r) r = read_inertial(s, link, &weighs);
    m->model.body[f->body].gravcomp = falls ? 0 : 1;
    for (const pp_xml *e = f->at->first; e && !r; e = e->next) {
        bool visual = !strcmp(e->name, "visual");
        if (visual || !strcmp(e->name, "collision")) r = add_shape(s, link, e, visual, weighs);
    }
    return r;
}

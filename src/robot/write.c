/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write.c - the model as a scene file.
 *
 * Bodies have the frames of the model's bodies: `at` and `turn` place that frame, `centre` says where in it the centre of mass lies. Joint coordinates are
 * those of the model. Hulls are written as their corners, so that the scene needs no other file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/write.h"

#include "base/elementary.h"

#define DURATION 5  /* [s] duration of the scene: a model does not say how long it is simulated */
#define SIDES    32 /* [sides] of the prism that stands for a cylinder */

/* ---- names ---- */

static bool taken(const pp_writing *w, const char *name, int nlink, int njoint) {
    const pp_import *m = w->m;
    static const char *const words[] = {"world",    "energy",   "ledger",  "certificate", "solver",
                                        "contacts", "momentum", "angular", "timing",      "base"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name)) return true;
    if (!strcmp(w->base, name)) return true;
    for (int i = 1; i < nlink; i++)
        if (!strcmp(m->link[i].name, name)) return true;
    for (int i = 0; i < njoint; i++)
        if (w->joint[i].name && !strcmp(w->joint[i].name, name)) return true;
    for (int i = 0; i < m->model.njoint; i++)
        if (w->between[i] && !strcmp(w->between[i], name)) return true;
    return false;
}

void pp_scene_letters(const char *name, char *out) {
    size_t n = 0;
    for (size_t i = 0; name[i] && n < PP_SCENE_LETTERS - 4; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (n == 0 && !letter) out[n++] = 'x';
        out[n++] = letter || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '-';
    }
    out[n] = 0;
}

void pp_scene_letters_of(const pp_import *m, const char *name, char *out) {
    char whole[2 * PP_SCENE_LETTERS];
    (void)snprintf(whole, sizeof whole, "%.80s%s%.80s", m->embed ? m->embed->name : "", m->embed ? "-" : "", name);
    pp_scene_letters(whole, out);
}

/* A valid and unique name in the scene. */
static const char *scene_name(pp_writing *w, const char *name, const char *otherwise, int nlink, int njoint) {
    char out[PP_SCENE_LETTERS], tried[PP_SCENE_LETTERS + 12];
    pp_scene_letters_of(w->m, name && name[0] ? name : otherwise, out);
    memcpy(tried, out, strlen(out) + 1);
    for (int k = 2; taken(w, tried, nlink, njoint); k++) (void)snprintf(tried, sizeof tried, "%s-%d", out, k);
    return pp_pool_text(&w->m->pool, tried, strlen(tried));
}

/* ---- values ---- */

void pp_put_vector(pp_text *t, const char *key, perp_vec3 v) {
    if (v.x == 0 && v.y == 0 && v.z == 0) return;
    pp_text_add(t, ", %s: ", key);
    pp_text_vector(t, 3, v);
}

void pp_put_turn(pp_text *t, const char *key, perp_quat q) {
    q = perp_q_unit(q);
    if (q.x == 0 && q.y == 0 && q.z == 0) return;
    const double v[] = {q.w, q.x, q.y, q.z};
    pp_text_add(t, ", %s: {quaternion: [", key);
    for (int i = 0; i < 4; i++) {
        if (i) pp_text_add(t, ", ");
        pp_text_number(t, v[i]);
    }
    pp_text_add(t, "]}");
}

void pp_put_number(pp_text *t, const char *key, double x) {
    pp_text_add(t, ", %s: ", key);
    pp_text_number(t, x);
}

static void put_points(pp_text *t, const perp_vec3 *p, int n) {
    pp_text_add(t, ", points: [");
    for (int i = 0; i < n; i++) {
        if (i) pp_text_add(t, ", ");
        pp_text_vector(t, 3, p[i]);
    }
    pp_text_add(t, "]");
}

/* ---- shapes ---- */

static perp_status put_form(pp_writing *w, const pp_model_geom *g, perp_pose *X) {
    pp_text *t = &w->t;
    const double *s = g->size;
    perp_vec3 points[PP_ELLIPSOID_POINTS];
    double error;
    switch (g->kind) {
    case PP_GEOM_PLANE: pp_text_add(t, "{type: halfspace, normal: [0, 0, 1]"); return PERP_OK;
    case PP_GEOM_SPHERE:
        pp_text_add(t, "{type: sphere");
        pp_put_number(t, "radius", s[0]);
        return PERP_OK;
    case PP_GEOM_CAPSULE: /* along x in perp, along z in the model */
        pp_text_add(t, "{type: capsule");
        pp_put_number(t, "radius", s[0]);
        pp_put_number(t, "length", 2 * s[1]);
        X->q = perp_q_mul(X->q, perp_q_axis_angle(perp_v3(0, 1, 0), -1.5707963267948966));
        return PERP_OK;
    case PP_GEOM_BOX:
        pp_text_add(t, "{type: box");
        pp_put_vector(t, "half_edges", perp_v3(s[0], s[1], s[2]));
        return PERP_OK;
    case PP_GEOM_CYLINDER:
        pp_text_add(t, "{type: cylinder");
        pp_put_number(t, "radius", s[0]);
        pp_put_number(t, "height", 2 * s[1]);
        if (g->visual) return PERP_OK;
        return pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, g->at,
                             "cylinders are prisms of %d sides, up to %.2g of the radius inside", SIDES,
                             1 - pp_cos(3.14159265358979 / SIDES));
    case PP_GEOM_ELLIPSOID: {
        int n = pp_robot_ellipsoid(s, points, &error);
        pp_text_add(t, "{type: polyhedron");
        put_points(t, points, n);
        if (g->visual) return PERP_OK;
        return pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, g->at,
                             "an ellipsoid is a polyhedron of %d corners, up to %.2g inside", n, error);
    }
    default: break;
    }
    const pp_model_mesh *mesh = &w->m->model.mesh[g->mesh];
    pp_text_add(t, "{type: polyhedron");
    put_points(t, mesh->hull, mesh->nhull);
    if (g->visual) return PERP_OK;
    if (mesh->error > 0)
        return pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, g->at,
                             "mesh %s is its convex hull with %d corners, at most %.2g inside the whole hull",
                             mesh->name, mesh->nhull, mesh->error);
    return pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, g->at, "mesh %s is its convex hull", mesh->name);
}

/* Whether to write the geom of this link. A mesh that is only drawn and cannot be read is left out. */
static perp_status wanted(pp_import *m, const pp_model_geom *g, int link, bool *out) {
    *out = m->link_of[g->body] == link;
    if (!*out) return PERP_OK;
    if (g->kind == PP_GEOM_PLANE && link != 0) {
        *out = false;
        if (g->visual) return PERP_OK;
        return pp_robot_say(m, PERP_E_ARG, g->at,
                            "found a plane on a body that moves; allowed: on what is fixed to the world");
    }
    if (g->kind != PP_GEOM_MESH) return PERP_OK;
    perp_status s = pp_model_need_mesh(m, g->mesh);
    if (!s || !g->visual || s == PERP_E_MEMORY) return s;
    *out = false;
    return pp_robot_note(m, PERP_IMPORT_IGNORED, g->at, "a visual: %s", m->why->text);
}

/* Group and mask bits of a shape. A model within a scene has its own bits and may touch all other groups. */
static void put_filter(pp_writing *w, const pp_filter *f) {
    const pp_embedding *e = w->m->embed;
    uint32_t group = 1u << f->bit, mask = f->mask;
    if (e) {
        uint32_t own = (uint32_t)(((uint64_t)1 << e->nbit) - 1) << e->bit;
        group <<= e->bit;
        mask = mask << e->bit | ~own;
    }
    pp_text_add(&w->t, ", group: %u, mask: %u", group, mask);
}

static perp_status put_shapes(pp_writing *w, int link, bool *any) {
    pp_import *m = w->m;
    *any = false;
    for (int i = 0; i < m->model.ngeom; i++) {
        const pp_model_geom *g = &m->model.geom[i];
        bool want;
        perp_status s = wanted(m, g, link, &want);
        if (s) return s;
        if (!want) continue;
        pp_text_add(&w->t, *any ? ",\n      " : "\n    shapes: [");
        *any = true;
        perp_pose X = perp_pose_mul(m->X_link[g->body], g->X_B);
        s = put_form(w, g, &X);
        if (s) return s;
        pp_put_vector(&w->t, "at", X.p);
        pp_put_turn(&w->t, "turn", X.q);
        if (g->visual) pp_text_add(&w->t, ", visual: true");
        if (g->colour) pp_text_add(&w->t, ", colour: \"#%06x\"", (unsigned)(g->colour & 0xffffffu));
        if (!g->visual) {
            pp_text_add(&w->t, ", material: %s%d", w->surface, g->material + 1);
            put_filter(w, &m->filter[g->filter]);
        }
        pp_text_add(&w->t, "}");
    }
    if (*any) pp_text_add(&w->t, "]");
    return PERP_OK;
}

/* ---- bodies ---- */

static void put_motion(pp_text *t, const char *name, perp_pose X, bool kinematic) {
    pp_text_add(t, "  - name: %s\n", name);
    if (kinematic) pp_text_add(t, "    kind: kinematic\n");
    pp_text_add(t, "    at: ");
    pp_text_vector(t, 3, X.p);
    const double q[] = {X.q.w, X.q.x, X.q.y, X.q.z};
    pp_text_add(t, "\n    turn: {quaternion: [");
    for (int i = 0; i < 4; i++) {
        if (i) pp_text_add(t, ", ");
        pp_text_number(t, q[i]);
    }
    pp_text_add(t, "]}");
}

/* A part of the mass and inertia. */
static void put_mass(pp_text *t, perp_mass mass, double part) {
    perp_mat3 I = mass.I_B;
    const double v[] = {I.c[0].x, I.c[1].y, I.c[2].z, I.c[0].y, I.c[0].z, I.c[1].z};
    pp_text_add(t, "\n    mass: ");
    pp_text_number(t, part * mass.mass);
    pp_text_add(t, "\n    centre: ");
    pp_text_vector(t, 3, mass.com_B);
    pp_text_add(t, "\n    inertia: [");
    for (int i = 0; i < 6; i++) {
        if (i) pp_text_add(t, ", ");
        pp_text_number(t, part * v[i]);
    }
    pp_text_add(t, "]");
}

static perp_status put_body(pp_writing *w, int link) {
    pp_import *m = w->m;
    const pp_link *l = &m->link[link];
    pp_text *t = &w->t;
    bool any;
    if (link == 0) {
        int start = t->n;
        pp_text_add(t, "  - name: %s\n    kind: obstacle", w->base);
        perp_status s = put_shapes(w, 0, &any);
        if (!any && t->data) t->data[t->n = start] = 0;
        if (any) pp_text_add(t, "\n");
        return s;
    }
    int between = w->chain[link].split ? l->njoint - 1 : 0;
    for (int i = 0; i < between; i++) {
        int parent = m->model.body[l->body].parent;
        perp_pose X = perp_pose_mul(m->link[l->parent].X_W,
                                    perp_pose_mul(m->X_link[parent], pp_robot_kinematics_part(m, l->body, i + 1)));
        put_motion(t, w->between[l->joint + i], X, false);
        put_mass(t, l->mass, PP_SPLIT_MASS);
        pp_text_add(t, "\n");
    }
    put_motion(t, l->name, l->X_W, l->kinematic);
    if (!l->kinematic) put_mass(t, l->mass, 1 - between * PP_SPLIT_MASS);
    perp_status s = put_shapes(w, link, &any);
    pp_text_add(t, "\n");
    return s;
}

/* ---- joints ---- */

static void put_axis(pp_writing *w, const pp_chain *c, int i, bool alone) {
    const pp_model_joint *j = &w->m->model.joint[c->coordinate[i]];
    pp_text *t = &w->t;
    double a = c->sign[i] * j->range[0] + c->offset[i], b = c->sign[i] * j->range[1] + c->offset[i];
    const char *gap = alone ? ", " : "";
    if (!alone) pp_text_add(t, i ? ", {" : "{");
    if (j->limited) {
        pp_text_add(t, "%slimits: [", gap);
        pp_text_number(t, fmin(a, b));
        pp_text_add(t, ", ");
        pp_text_number(t, fmax(a, b));
        pp_text_add(t, "]");
        gap = ", ";
    }
    if (j->stiffness > 0 || j->damping > 0) {
        pp_text_add(t, "%sspring: {stiffness: ", gap);
        pp_text_number(t, j->stiffness);
        pp_put_number(t, "rest", c->sign[i] * j->springref + c->offset[i]);
        pp_put_number(t, "damping", j->damping);
        pp_text_add(t, "}");
        gap = ", ";
    }
    if (j->friction > 0) {
        pp_text_add(t, "%sfriction: ", gap);
        pp_text_number(t, j->friction);
        gap = ", ";
    }
    if (j->armature > 0) {
        pp_text_add(t, "%sarmature: ", gap);
        pp_text_number(t, j->armature);
    }
    if (!alone) pp_text_add(t, "}");
}

/* A joint of the scene between two bodies (a NULL: the world), with the coordinates of c; named after the joint of the model. */
static perp_status put_one(pp_writing *w, const char *a, const char *b, const pp_chain *c, int joint) {
    pp_import *m = w->m;
    pp_text *t = &w->t;
    const char *name = scene_name(w, m->model.joint[joint].name, b, m->nlink, m->model.njoint);
    if (!name) return pp_robot_no_memory(m);
    w->joint[joint].name = name;
    for (int i = 0; i < c->ncoordinate; i++)
        w->joint[c->coordinate[i]] = (pp_written){name, i, c->sign[i], c->offset[i]};
    pp_text_add(t, "  - {name: %s, type: %s", name, c->type);
    if (a) pp_text_add(t, ", a: %s", a);
    pp_text_add(t, ", b: %s", b);
    pp_text_add(t, ", at_a: ");
    pp_text_vector(t, 3, c->X_A.p);
    pp_put_turn(t, "turn_a", c->X_A.q);
    pp_text_add(t, ", at_b: ");
    pp_text_vector(t, 3, c->X_B.p);
    pp_put_turn(t, "turn_b", c->X_B.q);
    if (c->ncoordinate == 1) put_axis(w, c, 0, true);
    if (c->ncoordinate > 1) {
        pp_text_add(t, ", axes: [");
        for (int i = 0; i < c->ncoordinate; i++) put_axis(w, c, i, false);
        pp_text_add(t, "]");
    }
    if (m->model.filter_parent_off) pp_text_add(t, ", collide: true");
    pp_text_add(t, "}\n");
    return PERP_OK;
}

static perp_status put_joint(pp_writing *w, int link) {
    const pp_link *l = &w->m->link[link];
    const pp_chain *c = &w->chain[link];
    const char *parent = l->parent > 0 ? w->m->link[l->parent].name : NULL;
    perp_status s = PERP_OK;
    if (c->type) return put_one(w, parent, l->name, c, l->joint);
    for (int i = 0; c->split && i < l->njoint && !s; i++) {
        pp_chain part;
        pp_robot_chain_part(w->m, link, i, &part);
        s = put_one(w, i > 0 ? w->between[l->joint + i - 1] : parent,
                    i + 1 < l->njoint ? w->between[l->joint + i] : l->name, &part, l->joint + i);
    }
    return s;
}

/* The bodies at the ends of joints in series do not touch each other, as with a single joint. */
static void put_excludes(pp_writing *w) {
    const pp_import *m = w->m;
    bool any = false;
    for (int l = 1; l < m->nlink; l++) {
        if (!w->chain[l].split || m->link[l].parent == 0 || m->model.filter_parent_off) continue;
        pp_text_add(&w->t, any ? "" : "exclude:\n");
        any = true;
        pp_text_add(&w->t, "  - {a: %s, b: %s}\n", m->link[m->link[l].parent].name, m->link[l].name);
    }
}

/* ---- the whole ---- */

static void put_materials(pp_writing *w) {
    const pp_import *m = w->m;
    pp_text *t = &w->t;
    if (m->nfriction == 0) return;
    pp_text_add(t, "materials: [");
    for (int i = 0; i < m->nfriction; i++) pp_text_add(t, "%s%s%d", i ? ", " : "", w->surface, i + 1);
    pp_text_add(t, "]\nlaws:\n");
    for (int i = 0; i < m->nfriction; i++)
        for (int k = i; k < m->nfriction; k++) {
            perp_pair_law law = pp_robot_pair_law(m, &m->friction[i], &m->friction[k]);
            pp_text_add(t, "  - {pair: [%s%d, %s%d]", w->surface, i + 1, w->surface, k + 1);
            pp_put_number(t, "mu", law.mu);
            if (law.e_r > 0) pp_put_number(t, "e_r", law.e_r);
            if (law.e_roll > 0) pp_put_number(t, "e_roll", law.e_roll);
            pp_text_add(t, "}\n");
        }
}

static void put_head(pp_writing *w) {
    const pp_import *m = w->m;
    pp_text *t = &w->t;
    const char *slash = strrchr(m->path, '/');
    char about[400];
    pp_text_add(t, "perp: 1\n");
    if (m->embed) return;
    pp_text_add(t, "title: ");
    pp_text_quoted(t, m->model.name && m->model.name[0] ? m->model.name : "robot");
    (void)snprintf(about, sizeof about,
                   "Imported from the %s file %.200s; perp import --report lists what of it is not kept. Lengths in m, "
                   "masses in kg, times in s.",
                   m->model.format, slash ? slash + 1 : m->path);
    pp_text_add(t, "\nabout: ");
    pp_text_quoted(t, about);
    pp_text_add(t, "\nunits: {length: m, mass: kg, time: s}\ndim: 3\nduration: %d\n", DURATION);
    if (m->model.h > 0) {
        pp_text_add(t, "h: ");
        pp_text_number(t, m->model.h);
        pp_text_add(t, "\n");
    }
    pp_text_add(t, "gravity: ");
    pp_text_vector(t, 3, m->model.gravity);
    pp_text_add(t, "\n");
}

/* Names of the bodies between the joints of a link that is split, by the joint before them. */
static perp_status name_between(pp_writing *w, int link) {
    pp_import *m = w->m;
    const pp_link *l = &m->link[link];
    for (int i = 0; w->chain[link].split && i + 1 < l->njoint; i++) {
        char name[PP_SCENE_LETTERS + 32];
        (void)snprintf(name, sizeof name, "%.60s-joint%d", l->name, i + 1);
        w->between[l->joint + i] = scene_name(w, name, "body", m->nlink, 0);
        if (!w->between[l->joint + i]) return pp_robot_no_memory(m);
    }
    return PERP_OK;
}

/* A list under a key; `put` writes its entries. */
static perp_status put_list(pp_writing *w, const char *key, int from, perp_status (*put)(pp_writing *w, int link)) {
    perp_status s = PERP_OK;
    pp_text_add(&w->t, "%s:\n", key);
    int start = w->t.n;
    for (int i = from; i < w->m->nlink && !s; i++) s = put(w, i);
    if (!s && !strcmp(key, "joints")) s = pp_put_loops(w);
    if (!s && !strcmp(key, "joints")) s = pp_put_couplings(w);
    if (!s && w->t.n == start && w->t.data) {
        w->t.n -= 1;
        pp_text_add(&w->t, " []\n");
    }
    return s;
}

/* Bits of groups that the shapes of a model within a scene need. */
static perp_status count_bits(pp_import *m) {
    pp_embedding *e = m->embed;
    e->nbit = 0;
    for (int i = 0; i < m->nfilter; i++)
        if (m->filter[i].bit >= e->nbit) e->nbit = m->filter[i].bit + 1;
    if (e->bit + e->nbit <= 32) return PERP_OK;
    return pp_robot_say(
        m, PERP_E_ARG, m->model.body[0].at,
        "found shapes of %d classes with different partners, beside %d of the models before; allowed: 31 "
        "in all models of a scene",
        e->nbit, e->bit - 1);
}

perp_status pp_robot_write(pp_import *m) {
    pp_writing w = {.m = m, .t = {.alloc = &m->alloc}};
    w.joint = pp_pool_get(&m->pool, sizeof *w.joint * (size_t)(m->model.njoint + 1));
    w.chain = pp_pool_get(&m->pool, sizeof *w.chain * (size_t)m->nlink);
    w.between = pp_pool_get(&m->pool, sizeof *w.between * (size_t)(m->model.njoint + 1));
    if (!w.joint || !w.chain || !w.between) return pp_robot_no_memory(m);
    pp_scene_letters_of(m, "base", w.base);
    pp_scene_letters_of(m, "surface-", w.surface);
    perp_status s = m->embed ? count_bits(m) : PERP_OK;
    for (int i = 1; i < m->nlink && !s; i++) {
        m->link[i].name = scene_name(&w, m->model.body[m->link[i].body].name, "body", i, 0);
        if (!m->link[i].name) s = pp_robot_no_memory(m);
        if (!s && m->link[i].njoint > 0) s = pp_robot_chain(m, i, &w.chain[i]);
    }
    for (int i = 1; i < m->nlink && !s; i++) s = name_between(&w, i);
    put_head(&w);
    put_materials(&w);
    if (!s) s = put_list(&w, "bodies", 0, put_body);
    if (!s) s = put_list(&w, "joints", 1, put_joint);
    if (!s) put_excludes(&w);
    if (!s) s = pp_put_gravity_compensation(&w);
    if (!s) s = pp_put_actuators(&w);
    if (!s) s = pp_put_sites(&w);
    if (!s) s = pp_put_sensors(&w);
    if (!s && !m->embed) s = pp_put_keyframes(&w);
    if (s) {
        pp_text_free(&w.t);
        return s;
    }
    m->scene = pp_text_take(&w.t);
    return m->scene ? PERP_OK : pp_robot_no_memory(m);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write.c - the model as a scene file.
 *
 * Bodies have the frames of the model's bodies: `at` and `turn` place that frame, `centre` says where in it the centre of mass lies. Joint coordinates are
 * those of the model. Hulls are written as their corners, so that the scene needs no other file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/robot.h"

#define DURATION 5 /* [s] of a model, which does not say how long it is simulated */
#define SIDES    32

typedef struct writing {
    pp_import *m;
    pp_text t;
    const char **joint_name; /* by joint of the model; NULL: not in the scene */
} writing;

/* ---- names ---- */

static bool taken(const pp_import *m, const char *name, int nlink, const char *const *joint, int njoint) {
    static const char *const words[] = {"world",    "energy",   "ledger",  "certificate", "solver",
                                        "contacts", "momentum", "angular", "timing",      "base"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name)) return true;
    for (int i = 1; i < nlink; i++)
        if (!strcmp(m->link[i].name, name)) return true;
    for (int i = 0; i < njoint; i++)
        if (joint[i] && !strcmp(joint[i], name)) return true;
    return false;
}

/* A name that scenes take: other letters become -, a letter goes first, and a number makes it the only one. */
static const char *scene_name(writing *w, const char *name, const char *otherwise, int nlink, int njoint) {
    char out[84], tried[96]; /* of at most 95 letters, the number included */
    size_t n = 0;
    const char *from = name && name[0] ? name : otherwise;
    for (size_t i = 0; from[i] && n < 80; i++) {
        char c = from[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (n == 0 && !letter) out[n++] = 'x';
        out[n++] = letter || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '-';
    }
    out[n] = 0;
    memcpy(tried, out, n + 1);
    for (int k = 2; taken(w->m, tried, nlink, w->joint_name, njoint); k++)
        (void)snprintf(tried, sizeof tried, "%s-%d", out, k);
    return pp_pool_text(&w->m->pool, tried, strlen(tried));
}

/* ---- values ---- */

static void put_vector(pp_text *t, const char *key, perp_vec3 v) {
    if (v.x == 0 && v.y == 0 && v.z == 0) return;
    pp_text_add(t, ", %s: ", key);
    pp_text_vector(t, 3, v);
}

static void put_turn(pp_text *t, const char *key, perp_quat q) {
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

static void put_number(pp_text *t, const char *key, double x) {
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

static perp_status put_form(writing *w, const pp_model_geom *g, perp_pose *X) {
    pp_text *t = &w->t;
    const double *s = g->size;
    perp_vec3 points[PP_ELLIPSOID_POINTS];
    double error;
    switch (g->kind) {
    case PP_GEOM_PLANE: pp_text_add(t, "{type: halfspace, normal: [0, 0, 1]"); return PERP_OK;
    case PP_GEOM_SPHERE:
        pp_text_add(t, "{type: sphere");
        put_number(t, "radius", s[0]);
        return PERP_OK;
    case PP_GEOM_CAPSULE: /* along x in perp, along z in the model */
        pp_text_add(t, "{type: capsule");
        put_number(t, "radius", s[0]);
        put_number(t, "length", 2 * s[1]);
        X->q = perp_q_mul(X->q, perp_q_axis_angle(perp_v3(0, 1, 0), -1.5707963267948966));
        return PERP_OK;
    case PP_GEOM_BOX:
        pp_text_add(t, "{type: box");
        put_vector(t, "half_edges", perp_v3(s[0], s[1], s[2]));
        return PERP_OK;
    case PP_GEOM_CYLINDER:
        pp_text_add(t, "{type: cylinder");
        put_number(t, "radius", s[0]);
        put_number(t, "height", 2 * s[1]);
        if (g->visual) return PERP_OK;
        return pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, g->at,
                             "cylinders are prisms of %d sides, up to %.2g of the radius inside", SIDES,
                             1 - cos(3.14159265358979 / SIDES));
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

/* Is the geom of this link to be written? A mesh that is only drawn and cannot be read is left out. */
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

static perp_status put_shapes(writing *w, int link, bool *any) {
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
        put_vector(&w->t, "at", X.p);
        put_turn(&w->t, "turn", X.q);
        if (g->visual) pp_text_add(&w->t, ", visual: true");
        if (g->colour) pp_text_add(&w->t, ", colour: \"#%06x\"", (unsigned)(g->colour & 0xffffffu));
        if (!g->visual) {
            pp_text_add(&w->t, ", material: surface-%d", g->material + 1);
            pp_text_add(&w->t, ", group: %u, mask: %u", 1u << m->filter[g->filter].bit, m->filter[g->filter].mask);
        }
        pp_text_add(&w->t, "}");
    }
    if (*any) pp_text_add(&w->t, "]");
    return PERP_OK;
}

/* ---- bodies ---- */

static perp_status put_body(writing *w, int link) {
    pp_import *m = w->m;
    const pp_link *l = &m->link[link];
    pp_text *t = &w->t;
    bool any;
    if (link == 0) {
        int start = t->n;
        pp_text_add(t, "  - name: base\n    kind: obstacle");
        perp_status s = put_shapes(w, 0, &any);
        if (!any && t->data) t->data[t->n = start] = 0;
        if (any) pp_text_add(t, "\n");
        return s;
    }
    pp_text_add(t, "  - name: %s\n", l->name);
    if (l->kinematic) pp_text_add(t, "    kind: kinematic\n");
    pp_text_add(t, "    at: ");
    pp_text_vector(t, 3, l->X_W.p);
    const double q[] = {l->X_W.q.w, l->X_W.q.x, l->X_W.q.y, l->X_W.q.z};
    pp_text_add(t, "\n    turn: {quaternion: [");
    for (int i = 0; i < 4; i++) {
        if (i) pp_text_add(t, ", ");
        pp_text_number(t, q[i]);
    }
    pp_text_add(t, "]}");
    if (!l->kinematic) {
        perp_mat3 I = l->mass.I_B;
        const double v[] = {I.c[0].x, I.c[1].y, I.c[2].z, I.c[0].y, I.c[0].z, I.c[1].z};
        pp_text_add(t, "\n    mass: ");
        pp_text_number(t, l->mass.mass);
        pp_text_add(t, "\n    centre: ");
        pp_text_vector(t, 3, l->mass.com_B);
        pp_text_add(t, "\n    inertia: [");
        for (int i = 0; i < 6; i++) {
            if (i) pp_text_add(t, ", ");
            pp_text_number(t, v[i]);
        }
        pp_text_add(t, "]");
    }
    perp_status s = put_shapes(w, link, &any);
    pp_text_add(t, "\n");
    return s;
}

/* ---- joints ---- */

static void put_axis(writing *w, const pp_chain *c, int i, bool alone) {
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
        put_number(t, "rest", c->sign[i] * j->springref + c->offset[i]);
        put_number(t, "damping", j->damping);
        pp_text_add(t, "}");
        gap = ", ";
    }
    if (j->friction > 0) {
        pp_text_add(t, "%sfriction: ", gap);
        pp_text_number(t, j->friction);
    }
    if (!alone) pp_text_add(t, "}");
}

static perp_status put_joint(writing *w, int link) {
    pp_import *m = w->m;
    const pp_link *l = &m->link[link];
    pp_text *t = &w->t;
    pp_chain c;
    if (l->njoint == 0) return PERP_OK;
    perp_status s = pp_robot_chain(m, link, &c);
    if (s || !c.type) return s;
    const pp_model_joint *first = &m->model.joint[l->joint];
    const char *name = scene_name(w, first->name, l->name, m->nlink, m->model.njoint);
    if (!name) return pp_robot_no_memory(m);
    w->joint_name[l->joint] = name;
    pp_text_add(t, "  - {name: %s, type: %s", name, c.type);
    if (l->parent > 0) pp_text_add(t, ", a: %s", m->link[l->parent].name);
    pp_text_add(t, ", b: %s", l->name);
    pp_text_add(t, ", at_a: ");
    pp_text_vector(t, 3, c.X_A.p);
    put_turn(t, "turn_a", c.X_A.q);
    pp_text_add(t, ", at_b: ");
    pp_text_vector(t, 3, c.X_B.p);
    put_turn(t, "turn_b", c.X_B.q);
    if (c.ncoordinate == 1) put_axis(w, &c, 0, true);
    if (c.ncoordinate > 1) {
        pp_text_add(t, ", axes: [");
        for (int i = 0; i < c.ncoordinate; i++) put_axis(w, &c, i, false);
        pp_text_add(t, "]");
    }
    if (m->model.filter_parent_off) pp_text_add(t, ", collide: true");
    pp_text_add(t, "}\n");
    return PERP_OK;
}

/* ---- the whole ---- */

static void put_materials(writing *w) {
    const pp_import *m = w->m;
    pp_text *t = &w->t;
    if (m->nfriction == 0) return;
    pp_text_add(t, "materials: [");
    for (int i = 0; i < m->nfriction; i++) pp_text_add(t, "%ssurface-%d", i ? ", " : "", i + 1);
    pp_text_add(t, "]\nlaws:\n");
    for (int i = 0; i < m->nfriction; i++)
        for (int k = i; k < m->nfriction; k++) {
            double mu, torsion;
            pp_robot_pair_law(&m->friction[i], &m->friction[k], &mu, &torsion);
            pp_text_add(t, "  - {pair: [surface-%d, surface-%d]", i + 1, k + 1);
            put_number(t, "mu", mu);
            if (torsion > 0) put_number(t, "e_r", torsion);
            pp_text_add(t, "}\n");
        }
}

static void put_head(writing *w) {
    const pp_import *m = w->m;
    pp_text *t = &w->t;
    const char *slash = strrchr(m->path, '/');
    char about[400];
    pp_text_add(t, "perp: 1\ntitle: ");
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

perp_status pp_robot_write(pp_import *m) {
    writing w = {.m = m, .t = {.alloc = &m->alloc}};
    size_t size = sizeof *w.joint_name * (size_t)(m->model.njoint + 1);
    w.joint_name = pp_pool_get(&m->pool, size);
    if (!w.joint_name) return pp_robot_no_memory(m);
    perp_status s = PERP_OK;
    for (int i = 1; i < m->nlink && !s; i++) {
        m->link[i].name = scene_name(&w, m->model.body[m->link[i].body].name, "body", i, 0);
        if (!m->link[i].name) s = pp_robot_no_memory(m);
    }
    put_head(&w);
    put_materials(&w);
    pp_text_add(&w.t, "bodies:\n");
    int start = w.t.n;
    for (int i = 0; i < m->nlink && !s; i++) s = put_body(&w, i);
    if (!s && w.t.n == start && w.t.data) {
        w.t.n -= 1;
        pp_text_add(&w.t, " []\n");
    }
    pp_text_add(&w.t, "joints:\n");
    start = w.t.n;
    for (int i = 1; i < m->nlink && !s; i++) s = put_joint(&w, i);
    if (!s && w.t.n == start && w.t.data) {
        w.t.n -= 1;
        pp_text_add(&w.t, " []\n");
    }
    if (s) {
        pp_text_free(&w.t);
        return s;
    }
    m->scene = pp_text_take(&w.t);
    return m->scene ? PERP_OK : pp_robot_no_memory(m);
}

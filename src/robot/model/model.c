/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model.c - the parts of a model: adding, finding, freeing. Names are found by linear search; models have hundreds of parts. */
#include <math.h>
#include <string.h>

#include "robot/model/robot.h"

pp_model_body *pp_model_add_body(pp_import *m, const char *name, const pp_xml *at, int parent) {
    pp_model *d = &m->model;
    if (d->nbody == PP_ROBOT_BODIES) {
        (void)pp_robot_say(m, PERP_E_ARG, at, "found more than %d bodies; allowed: at most %d", PP_ROBOT_BODIES,
                           PP_ROBOT_BODIES);
        return NULL;
    }
    if (!PP_GROW(&m->alloc, d->body, d->cap_body, d->nbody, d->nbody + 1)) {
        (void)pp_robot_no_memory(m);
        return NULL;
    }
    pp_model_body *b = &d->body[d->nbody++];
    *b = (pp_model_body){.name = name, .at = at, .parent = parent, .X_P = perp_pose_identity()};
    return b;
}

pp_model_joint *pp_model_add_joint(pp_import *m, const char *name, const pp_xml *at, int body, pp_joint_kind kind) {
    pp_model *d = &m->model;
    if (!PP_GROW(&m->alloc, d->joint, d->cap_joint, d->njoint, d->njoint + 1)) {
        (void)pp_robot_no_memory(m);
        return NULL;
    }
    pp_model_joint *j = &d->joint[d->njoint++];
    *j = (pp_model_joint){.name = name ? name : "",
                          .at = at,
                          .body = body,
                          .kind = kind,
                          .axis_B = {0, 0, 1},
                          .effort = {-INFINITY, INFINITY},
                          .velocity = INFINITY};
    return j;
}

pp_model_geom *pp_model_add_geom(pp_import *m, const pp_xml *at, int body, pp_geom_kind kind) {
    pp_model *d = &m->model;
    if (!PP_GROW(&m->alloc, d->geom, d->cap_geom, d->ngeom, d->ngeom + 1)) {
        (void)pp_robot_no_memory(m);
        return NULL;
    }
    pp_model_geom *g = &d->geom[d->ngeom++];
    *g = (pp_model_geom){.at = at,
                         .body = body,
                         .kind = kind,
                         .X_B = perp_pose_identity(),
                         .mesh = -1,
                         .contype = 1,
                         .conaffinity = 1,
                         .condim = 3,
                         .friction = {1, 0.005, 0.0001},
                         .mass = -1,
                         .density = 1000,
                         .filter = -1};
    const char *name = pp_xml_get(at, "name");
    g->name = name ? name : "";
    return g;
}

int pp_model_find_body(const pp_import *m, const char *name) {
    for (int i = 0; i < m->model.nbody; i++)
        if (!strcmp(m->model.body[i].name, name)) return i;
    return -1;
}

int pp_model_find_geom(const pp_import *m, const char *name) {
    for (int i = 0; i < m->model.ngeom; i++)
        if (!strcmp(m->model.geom[i].name, name)) return i;
    return -1;
}

int pp_model_find_mesh(const pp_import *m, const char *name) {
    for (int i = 0; i < m->model.nmesh; i++)
        if (!strcmp(m->model.mesh[i].name, name)) return i;
    return -1;
}

int pp_model_find_joint(const pp_import *m, const char *name) {
    for (int i = 0; i < m->model.njoint; i++)
        if (m->model.joint[i].name[0] && !strcmp(m->model.joint[i].name, name)) return i;
    return -1;
}

int pp_model_find_tendon(const pp_import *m, const char *name) {
    for (int i = 0; i < m->model.ntendon; i++)
        if (m->model.tendon[i].name[0] && !strcmp(m->model.tendon[i].name, name)) return i;
    return -1;
}

const char *pp_model_joint_name(const pp_import *m, int i) {
    return i < m->model.njoint ? m->model.joint[i].name : NULL;
}

const char *pp_model_body_name(const pp_import *m, int i) { return i < m->model.nbody ? m->model.body[i].name : NULL; }

perp_mat3 pp_inertia_of(const double *v) {
    perp_mat3 I = {{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
    return I;
}

void pp_model_free(pp_import *m) {
    const perp_allocator *a = &m->alloc;
    pp_model *d = &m->model;
    for (int i = 0; i < d->nmesh; i++) {
        pp_mesh_free(&d->mesh[i].mesh);
        pp_free(a, d->mesh[i].hull);
    }
    void *const block[] = {d->body,     d->joint,  d->geom,    d->mesh, d->site, d->actuator,
                           d->equality, d->tendon, d->exclude, d->pair, d->key,  d->sensor};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) pp_free(a, block[i]);
}

perp_import_counts perp_import_count(const perp_import *m) {
    const pp_model *d = &m->model;
    perp_import_counts c = {.format = d->format,
                            .bodies = d->nbody - 1,
                            .joints = d->njoint,
                            .geoms = d->ngeom,
                            .meshes = d->nmesh,
                            .sites = d->nsite,
                            .actuators = d->nactuator,
                            .equalities = d->nequality,
                            .tendons = d->ntendon,
                            .excludes = d->nexclude,
                            .pairs = d->npair,
                            .keyframes = d->nkey};
    for (int i = 0; i < d->njoint; i++) {
        int *kind[] = {&c.hinges, &c.slides, &c.balls, &c.frees};
        ++*kind[d->joint[i].kind];
    }
    for (int i = 1; i < m->nlink; i++) {
        c.moving += !m->link[i].kinematic;
        c.mass += m->link[i].mass.mass;
    }
    return c;
}

/* ---- a model as a part of a scene ---- */

static perp_status set_base(pp_import *m) {
    pp_model *d = &m->model;
    int n = 0;
    for (int i = 0; i < d->njoint; i++)
        if (m->embed->base != PP_BASE_FIXED || d->joint[i].kind != PP_FREE) d->joint[n++] = d->joint[i];
    d->njoint = n;
    for (int b = 1; b < d->nbody && m->embed->base == PP_BASE_FREE; b++) {
        if (d->body[b].parent != 0 || d->body[b].mocap) continue;
        const pp_model_joint *has = NULL;
        for (int i = 0; i < d->njoint && !has; i++)
            if (d->joint[i].body == b) has = &d->joint[i];
        if (has && has->kind != PP_FREE)
            return pp_robot_say(m, PERP_E_ARG, has->at,
                                "found a joint to the world; allowed with a free base: bodies without one");
        if (!has && !pp_model_add_joint(m, "", d->body[b].at, b, PP_FREE)) return m->why->status;
    }
    return PERP_OK;
}

perp_status pp_model_embed(pp_import *m) {
    pp_model *d = &m->model;
    perp_pose X = m->embed->X;
    for (int b = 1; b < d->nbody; b++)
        if (d->body[b].parent == 0) d->body[b].X_P = perp_pose_mul(X, d->body[b].X_P);
    for (int i = 0; i < d->ngeom; i++)
        if (d->geom[i].body == 0) d->geom[i].X_B = perp_pose_mul(X, d->geom[i].X_B);
    for (int i = 0; i < d->nsite; i++)
        if (d->site[i].body == 0) d->site[i].X_B = perp_pose_mul(X, d->site[i].X_B);
    for (int i = 0; i < d->nequality; i++)
        for (int k = 0; k < 2; k++)
            if (d->equality[i].body[k] == 0) d->equality[i].X[k] = perp_pose_mul(X, d->equality[i].X[k]);
    for (int i = 0; i < d->njoint; i++)
        if (d->joint[i].kind == PP_FREE && d->joint[i].placed) d->joint[i].X = perp_pose_mul(X, d->joint[i].X);
    return set_base(m);
}

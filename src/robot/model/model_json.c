/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_json.c - the model as JSON, for comparison with other programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

static void text(pp_writer *t, const char *s) {
    pp_write(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            pp_write(t, "\\%c", c);
        else if (c < 0x20)
            pp_write(t, "\\u%04x", c);
        else
            pp_write(t, "%c", c);
    }
    pp_write(t, "\"");
}

static void numbers(pp_writer *t, const char *key, const double *v, int n) {
    pp_write(t, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        char shown[PP_NUMBER_TEXT];
        pp_number_text(v[i], shown, sizeof shown);
        pp_write(t, "%s%s", i ? ", " : "", isfinite(v[i]) ? shown : "null");
    }
    pp_write(t, "]");
}

static void pose(pp_writer *t, perp_pose X) {
    const double p[] = {X.p.x, X.p.y, X.p.z}, q[] = {X.q.w, X.q.x, X.q.y, X.q.z};
    numbers(t, "pos", p, 3);
    numbers(t, "quat", q, 4);
}

static void bodies(pp_writer *t, const pp_import *m) {
    pp_write(t, "\"bodies\": [\n");
    for (int i = 0; i < m->model.nbody; i++) {
        const pp_model_body *b = &m->model.body[i];
        perp_mat3 I = b->mass.I_B;
        const double com[] = {b->mass.com_B.x, b->mass.com_B.y, b->mass.com_B.z}, mass[] = {b->mass.mass};
        const double in[] = {I.c[0].x, I.c[1].y, I.c[2].z, I.c[0].y, I.c[0].z, I.c[1].z};
        pp_write(t, "%s{\"name\": ", i ? ",\n" : "");
        text(t, b->name);
        pp_write(t, ", \"parent\": %d, \"link\": %d", b->parent, m->link_of[i]);
        pose(t, b->X_P);
        numbers(t, "mass", mass, 1);
        numbers(t, "centre", com, 3);
        numbers(t, "inertia", in, 6);
        pp_write(t, "}");
    }
    pp_write(t, "],\n\"joints\": [\n");
    static const char *const kind[] = {"hinge", "slide", "ball", "free"};
    for (int i = 0; i < m->model.njoint; i++) {
        const pp_model_joint *j = &m->model.joint[i];
        const double p[] = {j->p_B.x, j->p_B.y, j->p_B.z}, a[] = {j->axis_B.x, j->axis_B.y, j->axis_B.z};
        const double rest[] = {j->ref, j->springref, j->stiffness, j->damping, j->friction, j->armature};
        pp_write(t, "%s{\"name\": ", i ? ",\n" : "");
        text(t, j->name);
        pp_write(t, ", \"body\": %d, \"kind\": \"%s\", \"limited\": %s", j->body, kind[j->kind],
                 j->limited ? "true" : "false");
        numbers(t, "pos", p, 3);
        numbers(t, "axis", a, 3);
        numbers(t, "range", j->range, 2);
        numbers(t, "numbers", rest, 6);
        pp_write(t, "}");
    }
}

static void shapes(pp_writer *t, const pp_import *m) {
    static const char *const kind[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
    pp_write(t, "],\n\"geoms\": [\n");
    for (int i = 0; i < m->model.ngeom; i++) {
        const pp_model_geom *g = &m->model.geom[i];
        pp_write(t, "%s{\"name\": ", i ? ",\n" : "");
        text(t, g->name);
        pp_write(t, ", \"body\": %d, \"kind\": \"%s\", \"visual\": %s", g->body, kind[g->kind],
                 g->visual ? "true" : "false");
        if (!g->visual)
            pp_write(t, ", \"group\": %u, \"mask\": %u", 1u << m->filter[g->filter].bit, m->filter[g->filter].mask);
        pose(t, g->X_B);
        numbers(t, "size", g->size, 3);
        pp_write(t, "}");
    }
    pp_write(t, "],\n\"sites\": [\n");
    for (int i = 0; i < m->model.nsite; i++) {
        pp_write(t, "%s{\"name\": ", i ? ",\n" : "");
        text(t, m->model.site[i].name);
        pp_write(t, ", \"body\": %d", m->model.site[i].body);
        pose(t, m->model.site[i].X_B);
        pp_write(t, "}");
    }
    pp_write(t, "],\n\"links\": [\n");
    for (int i = 0; i < m->nlink; i++) {
        const pp_link *l = &m->link[i];
        bool joined =
            l->njoint > 0 && m->model.joint[l->joint].kind != PP_FREE && l->parent > 0 && !m->model.filter_parent_off;
        perp_mat3 I = l->mass.I_B;
        const double com[] = {l->mass.com_B.x, l->mass.com_B.y, l->mass.com_B.z}, mass[] = {l->mass.mass};
        const double in[] = {I.c[0].x, I.c[1].y, I.c[2].z, I.c[0].y, I.c[0].z, I.c[1].z};
        pp_write(t, "%s{\"body\": %d, \"parent\": %d, \"joined\": %s", i ? ",\n" : "", l->body, l->parent,
                 joined ? "true" : "false");
        numbers(t, "mass", mass, 1);
        numbers(t, "centre", com, 3);
        numbers(t, "inertia", in, 6);
        pp_write(t, "}");
    }
    pp_write(t, "]");
}

static void drives(pp_writer *t, const pp_import *m) {
    pp_write(t, ",\n\"actuators\": [\n");
    for (int i = 0; i < m->model.nactuator; i++) {
        const pp_model_actuator *a = &m->model.actuator[i];
        const double law[] = {a->gear, a->gain, a->bias[0], a->bias[1], a->bias[2]};
        pp_write(t, "%s{\"name\": ", i ? ",\n" : "");
        text(t, a->name);
        pp_write(t, ", \"on\": ");
        text(t, a->on);
        pp_write(t, ", \"target\": ");
        text(t, a->target);
        pp_write(t, ", \"kept\": %s", a->missing ? "false" : "true");
        numbers(t, "law", law, 5);
        numbers(t, "ctrl_range", a->ctrl_range, 2);
        numbers(t, "force_range", a->force_range, 2);
        pp_write(t, "}");
    }
    pp_write(t, "]");
}

size_t perp_import_model(const perp_import *m, char *buf, size_t size) {
    pp_writer t = {buf, size, 0};
    if (size > 0) buf[0] = 0;
    pp_write(&t,
             "{\"format\": \"%s\", \"equalities\": %d, \"tendons\": %d, \"excludes\": %d, \"pairs\": "
             "%d, \"keyframes\": %d,\n",
             m->model.format, m->model.nequality, m->model.ntendon, m->model.nexclude, m->model.npair, m->model.nkey);
    bodies(&t, m);
    shapes(&t, m);
    drives(&t, m);
    pp_write(&t, "}\n");
    return t.n;
}

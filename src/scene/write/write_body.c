/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_body.c - bodies, shapes and motions of a world as entries of a scene. Each function fills the struct that the reader
 * would fill; a new key of a table needs one line here. */
#include <stdio.h>
#include <string.h>

#include "scene/write/scribe.h"

/* ---- shapes ---- */

static char *functions_of(pp_scribe *s, const perp_shape_def *d, int body) {
    static const perp_quat unset = {0, 0, 0, 0};
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < d->nfunction; i++) {
        const perp_function *f = &d->function[i];
        if (f->kind == PERP_FUNCTION_USER) {
            pp_scribe_user(s, "bodies", body, "shape", "a convex function of body", s->body_name[body].text);
            continue;
        }
        pp_function_in in;
        pp_put_blank(&pp_map_function, &in);
        in.radius = f->radius;
        in.axes = f->half_size;
        in.normal = f->normal;
        in.offset = f->offset;
        in.at = pp_put_some(f->X_SF.p);
        if (memcmp(&f->X_SF.q, &unset, sizeof unset) != 0) in.turn = f->X_SF.q;
        in.powers = (pp_numbers){s->dim - 1, {f->exponent[0], f->exponent[1]}};
        if (i) pp_text_add(&t, ", ");
        pp_put_map(&t, &pp_map_function, s->dim, (int)f->kind, &in, NULL); /* names are in the order of the kinds */
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

static char *points_of(pp_scribe *s, const perp_shape_def *d) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < d->npoint; i++) {
        if (i) pp_text_add(&t, ", ");
        pp_text_vector(&t, s->dim, d->points[i]);
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

/* Velocity of the surface of a shape; NULL: it does not move. */
static char *belt_of(pp_scribe *s, const perp_shape_def *d, int body) {
    const perp_vec3 v = d->surface_velocity;
    if (d->surface_motion == pp_formula_belt) return pp_write_formulas(s, d->surface_ctx, 0, perp_v3(0, 0, 0));
    if (d->surface_motion)
        pp_scribe_user(s, "bodies", body, "shape", "the surface velocity of a shape of body", s->body_name[body].text);
    else if (v.x == 0 && v.y == 0 && v.z == 0)
        return NULL;
    pp_text t = {.alloc = &s->alloc};
    pp_text_vector(&t, s->dim, v);
    return pp_text_take(&t);
}

static void put_shape(pp_scribe *s, pp_text *t, perp_shape_id id, int body) {
    static const int variant[PERP_SHAPE_KIND_COUNT] = {
        [PERP_SHAPE_PARTICLE] = PP_IN_PARTICLE,        [PERP_SHAPE_SPHERE] = PP_IN_SPHERE,
        [PERP_SHAPE_HALFSPACE] = PP_IN_HALFSPACE,      [PERP_SHAPE_BOX] = PP_IN_BOX,
        [PERP_SHAPE_POLYGON] = PP_IN_POLYGON,          [PERP_SHAPE_POLYHEDRON] = PP_IN_POLYHEDRON,
        [PERP_SHAPE_CAPSULE] = PP_IN_CAPSULE,          [PERP_SHAPE_ELLIPSOID] = PP_IN_ELLIPSOID,
        [PERP_SHAPE_CYLINDER] = PP_IN_ROUND_CYLINDER,  [PERP_SHAPE_SUPERELLIPSOID] = PP_IN_SUPERELLIPSOID,
        [PERP_SHAPE_INTERSECTION] = PP_IN_INTERSECTION};
    perp_shape_view v;
    if (perp_shape_get(s->w, id, &v)) return; /* cannot be: the id was just read */
    const perp_shape_def *d = &v.def;
    pp_shape_in in;
    pp_put_blank(&pp_map_shape, &in);
    in.radius = d->radius;
    in.length = 2 * d->half_length;
    in.height = 2 * d->half_length;
    in.size = perp_v3_scale(2, d->half_size);
    in.axes = d->half_size;
    in.powers = (pp_numbers){s->dim - 1, {d->exponent[0], d->exponent[1]}};
    in.bound = d->bound;
    in.normal = d->normal;
    in.offset = d->offset;
    in.at = pp_put_some(d->X_BS.p);
    in.turn = d->X_BS.q;
    in.material = pp_scribe_material(d->material);
    if (d->group != 1) in.group = d->group;
    if (d->mask != UINT32_MAX) in.mask = d->mask;
    in.visual = d->visual;
    in.colour = d->colour;
    bool hull = d->kind == PERP_SHAPE_POLYGON || d->kind == PERP_SHAPE_POLYHEDRON;
    char *points = hull ? points_of(s, d) : NULL;
    char *functions = d->kind == PERP_SHAPE_INTERSECTION ? functions_of(s, d, body) : NULL;
    char *belt = belt_of(s, d, body);
    const pp_nested nested[] = {{"points", points}, {"functions", functions}, {"surface_velocity", belt}, {NULL, NULL}};
    pp_put_map(t, &pp_map_shape, s->dim, variant[d->kind], &in, nested);
    pp_free(&s->alloc, belt);
    pp_free(&s->alloc, points);
    pp_free(&s->alloc, functions);
}

static char *shapes_of(pp_scribe *s, int body) {
    int first = s->first_shape[body], n = s->first_shape[body + 1] - first;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    if (n == 0) return NULL;
    pp_text_add(&t, "[");
    for (int i = 0; i < n; i++) {
        if (i) pp_text_add(&t, ", ");
        put_shape(s, &t, s->shape[s->by_body[first + i]], body);
    }
    pp_text_add(&t, "]");
    char *text = pp_text_take(&t);
    return text;
}

/* ---- motions ---- */

enum { CONSTANT, SINUSOID, TABLE, EXPRESSION }; /* as in keys_body.c */

static char *terms_of(pp_scribe *s, const perp_motion_def *d) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < d->nterm; i++) {
        pp_term_in in;
        pp_put_blank(&pp_map_term, &in);
        in.axis = d->terms[i].axis;
        in.angular = d->terms[i].angular;
        in.amplitude = d->terms[i].amplitude;
        in.omega = d->terms[i].omega;
        in.phase = d->terms[i].phase;
        if (i) pp_text_add(&t, ", ");
        pp_put_map(&t, &pp_map_term, s->dim, -1, &in, NULL);
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

static char *poses_of(pp_scribe *s, const perp_motion_def *d) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < d->ntable; i++) {
        const perp_pose_at_time *e = &d->table[i];
        const perp_vec3 p = e->X_WB.p;
        const perp_quat q = e->X_WB.q;
        const double flat[] = {e->t, p.x, p.y, q.w, q.z}, solid[] = {e->t, p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        int n = s->dim == 2 ? 5 : 8;
        pp_text_add(&t, i ? ", [" : "[");
        for (int k = 0; k < n; k++) {
            if (k) pp_text_add(&t, ", ");
            pp_text_number(&t, s->dim == 2 ? flat[k] : solid[k]);
        }
        pp_text_add(&t, "]");
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

static char *turn_of(pp_scribe *s, const pp_formula *f) {
    if (!f->text[6] || s->dim == 2) return pp_write_formula(s, f, 6);
    char *axis = pp_write_formulas(s, f, 3, perp_v3(0, 0, 0)), *angle = pp_write_formula(s, f, 6);
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "{axis: %s, angle: %s}", axis ? axis : "", angle ? angle : "");
    pp_free(&s->alloc, axis);
    pp_free(&s->alloc, angle);
    return pp_text_take(&t);
}

static char *motion_of(pp_scribe *s, int body, const perp_motion_def *d) {
    pp_motion_in in;
    pp_put_blank(&pp_map_motion, &in);
    pp_nested nested[] = {{"terms", NULL}, {"poses", NULL}, {"at", NULL}, {"turn", NULL}, {NULL, NULL}};
    int variant = CONSTANT;
    char *first = NULL, *second = NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    switch (d->kind) {
    case PERP_MOTION_CONSTANT:
        in.velocity = pp_put_some(d->v_W);
        in.spin = pp_put_some(d->w_W);
        break;
    case PERP_MOTION_SINUSOID:
        variant = SINUSOID;
        in.zero_mean = d->zero_mean;
        nested[0].text = first = terms_of(s, d);
        break;
    case PERP_MOTION_TABLE:
        variant = TABLE;
        nested[1].text = first = poses_of(s, d);
        break;
    case PERP_MOTION_USER:
        variant = EXPRESSION;
        if (d->pose == pp_formula_motion) {
            nested[2].text = first = pp_write_formulas(s, d->ctx, 0, perp_v3(0, 0, 0));
            nested[3].text = second = turn_of(s, d->ctx);
        } else {
            pp_scribe_user(s, "bodies", body, "motion", "the motion of body", s->body_name[body].text);
            pp_text_add(&t, "{type: " PP_USER_TYPE "}");
        }
        break;
    }
    if (!t.n) pp_put_map(&t, &pp_map_motion, s->dim, variant, &in, nested);
    pp_free(&s->alloc, first);
    pp_free(&s->alloc, second);
    return pp_text_take(&t);
}

static char *support_of(pp_scribe *s, const perp_support *p) {
    pp_support_in in;
    pp_text points = {.alloc = &s->alloc, .any = &s->no_memory_for_text},
            t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_put_blank(&pp_map_support, &in);
    in.mu = (pp_numbers){3, {p->mu[0], p->mu[1], p->mu[2]}};
    for (int i = 0; i < 3; i++) {
        pp_text_add(&points, i ? ", " : "[");
        pp_text_vector(&points, 2, p->point_B[i]);
    }
    pp_text_add(&points, "]");
    const pp_nested nested[] = {{"points", points.failed ? NULL : points.data}, {NULL, NULL}};
    pp_put_map(&t, &pp_map_support, s->dim, 1, &in, nested); /* type: points */
    pp_text_free(&points);
    return pp_text_take(&t);
}

/* ---- bodies ---- */

static void set_mass(const pp_scribe *s, const perp_body_def *d, pp_body_in *in) {
    const perp_vec3 *I = d->I_B.c;
    in->mass = d->mass;
    in->particle = d->particle;
    in->gravity = !d->no_gravity;
    if (d->particle) return;
    if (s->dim == 2)
        in->inertia = (pp_numbers){1, {I[2].z}};
    else if (I[0].y == 0 && I[0].z == 0 && I[1].z == 0)
        in->inertia = (pp_numbers){3, {I[0].x, I[1].y, I[2].z}};
    else
        in->inertia = (pp_numbers){6, {I[0].x, I[1].y, I[2].z, I[0].y, I[0].z, I[1].z}};
}

/* A label as a scene can hold it: one line that reads back as it is. */
static void set_label(pp_scribe *s, int body, const char *label, pp_body_in *in) {
    bool fits = strlen(label) < sizeof in->label.text && !strstr(label, "${");
    for (const unsigned char *c = (const unsigned char *)label; *c; c++) fits &= *c >= ' ' && *c != 127;
    if (fits) {
        (void)snprintf(in->label.text, sizeof in->label.text, "%s", label);
    } else if (!s->st) {
        char way[64];
        (void)snprintf(way, sizeof way, "bodies[%d].label", body);
        s->st = pp_complain(s->why, PERP_E_ARG, (pp_location){s->path, 0, 0}, way, label,
                            "a text of at most 95 bytes on one line without ${");
    }
}

static bool same(perp_vec3 a, perp_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void put_body(pp_scribe *s, pp_text *t, int i) {
    perp_body_id id = s->body[i];
    perp_body_def d;
    perp_motion_def motion;
    perp_support support;
    perp_vec3 force, torque;
    if (perp_body_get(s->w, id, &d)) return; /* cannot be: the id was just read */
    pp_body_in in;
    pp_put_blank(&pp_map_body, &in);
    in.name = s->body_name[i];
    if (d.label) set_label(s, i, d.label, &in);
    in.kind = (int)d.kind;
    bool moves = perp_body_get_motion(s->w, id, &motion, &d.X_WB);
    in.at = pp_put_some(d.X_WB.p);
    in.turn = d.X_WB.q;
    bool simple = moves && motion.kind == PERP_MOTION_CONSTANT && same(motion.v_W, d.v_W) && same(motion.w_W, d.w_W);
    if (d.kind == PERP_BODY_DYNAMIC || simple) {
        in.velocity = pp_put_some(d.v_W);
        in.spin = pp_put_some(d.w_W);
    }
    if (d.kind == PERP_BODY_DYNAMIC) {
        (void)perp_body_get_force(s->w, id, &force, &torque);
        set_mass(s, &d, &in);
        in.force = pp_put_some(force);
        if (!d.particle) in.torque = pp_put_some(torque);
    }
    char *shapes = shapes_of(s, i), *drive = moves && !simple ? motion_of(s, i, &motion) : NULL;
    char *rests = perp_body_get_support(s->w, id, &support) ? support_of(s, &support) : NULL;
    const pp_nested nested[] = {{"shapes", shapes}, {"motion", drive}, {"support", rests}, {NULL, NULL}};
    pp_put_map(t, &pp_map_body, s->dim, -1, &in, nested);
    pp_free(&s->alloc, shapes);
    pp_free(&s->alloc, drive);
    pp_free(&s->alloc, rests);
}

char *pp_write_bodies(pp_scribe *s) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < s->nbody && !s->st; i++) {
        pp_text_add(&t, "\n  - ");
        put_body(s, &t, i);
    }
    char *text = s->nbody ? pp_text_take(&t) : NULL;
    return text;
}

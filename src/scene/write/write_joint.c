/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_joint.c - joints and force elements of a world as entries of a scene. See write_body.c. */
#include <stdio.h>
#include <string.h>

#include "scene/write/scribe.h"

/* ---- joints ---- */

static bool acts(const perp_joint_axis *x) {
    return x->limited || x->motor || x->stiffness > 0 || x->damping > 0 || x->friction > 0 || x->armature > 0;
}

static void put_axis(pp_scribe *s, pp_text *t, const perp_joint_axis *x) {
    pp_axis_in in;
    pp_text motor = {.alloc = &s->alloc, .any = &s->no_memory_for_text},
            spring = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_put_blank(&pp_map_axis, &in);
    if (x->limited) in.limits = (pp_numbers){2, {x->lo, x->hi}};
    in.friction = x->friction;
    in.armature = x->armature;
    if (x->motor) {
        pp_motor_in m;
        pp_put_blank(&pp_map_motor, &m);
        m.speed = x->motor_speed;
        m.force = x->motor_force;
        pp_put_map(&motor, &pp_map_motor, s->dim, -1, &m, NULL);
    }
    if (x->stiffness > 0 || x->damping > 0) {
        pp_spring_in k;
        pp_put_blank(&pp_map_spring, &k);
        k.stiffness = x->stiffness;
        k.rest = x->rest;
        k.damping = x->damping;
        pp_put_map(&spring, &pp_map_spring, s->dim, -1, &k, NULL);
    }
    t->failed = t->failed || motor.failed || spring.failed;
    const pp_nested nested[] = {{"motor", motor.data}, {"spring", spring.data}, {NULL, NULL}};
    pp_put_map(t, &pp_map_axis, s->dim, -1, &in, nested);
    pp_text_free(&motor);
    pp_text_free(&spring);
}

static char *axes_of(pp_scribe *s, const perp_joint_def *d) {
    int n = perp_joint_ncoord(d->kind, s->dim);
    bool any = false;
    for (int i = 0; i < n; i++) any = any || acts(&d->axis[i]);
    if (!any) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < n; i++) {
        if (i) pp_text_add(&t, ", ");
        put_axis(s, &t, &d->axis[i]);
    }
    pp_text_add(&t, "]");
    char *text = pp_text_take(&t);
    return text;
}

static char *terms_of(pp_scribe *s, const perp_joint_def *d) {
    if (d->nterm == 0) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < d->nterm; i++) {
        pp_coupled_in in;
        pp_put_blank(&pp_map_coupled, &in);
        in.joint = s->joint_name[d->term[i].joint.slot]; /* slots have no gaps */
        in.coordinate = d->term[i].coord;
        for (int k = 0; k < PERP_JOINT_TERM_DEGREE; k++) {
            in.c.v[k] = d->term[i].c[k];
            if (in.c.v[k] != 0) in.c.n = k + 1;
        }
        if (i) pp_text_add(&t, ", ");
        pp_put_map(&t, &pp_map_coupled, s->dim, -1, &in, NULL);
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

static void put_joint(pp_scribe *s, pp_text *t, int i) {
    perp_joint_def d;
    if (perp_joint_get(s->w, s->joint[i], &d)) return; /* cannot be: the id was just read */
    pp_joint_in in;
    pp_put_blank(&pp_map_joint, &in);
    in.name = s->joint_name[i];
    in.a = pp_scribe_body(s, d.a);
    in.b = pp_scribe_body(s, d.b);
    in.collide = d.collide;
    in.at_a = d.X_AJ.p;
    in.turn_a = d.X_AJ.q;
    in.at_b = d.X_BJ.p;
    in.turn_b = d.X_BJ.q;
    in.offset = d.offset;
    char *axes = axes_of(s, &d), *terms = terms_of(s, &d);
    const pp_nested nested[] = {{"terms", terms}, {"axes", axes}, {NULL, NULL}};
    pp_put_map(t, &pp_map_joint, s->dim, (int)d.kind, &in, nested); /* names are in the order of the kinds */
    pp_free(&s->alloc, axes);
    pp_free(&s->alloc, terms);
}

char *pp_write_joints(pp_scribe *s) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < s->njoint && !s->st; i++) {
        pp_text_add(&t, "\n  - ");
        put_joint(s, &t, i);
    }
    char *text = s->njoint ? pp_text_take(&t) : NULL;
    return text;
}

/* ---- formulas ---- */

char *pp_write_formula(pp_scribe *s, const pp_formula *f, int part) {
    if (!f->text[part]) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_quoted(&t, f->text[part]);
    return pp_text_take(&t);
}

char *pp_write_formulas(pp_scribe *s, const pp_formula *f, int first, perp_vec3 minus) {
    const double less[] = {minus.x, minus.y, minus.z};
    if (!f->text[first]) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < s->dim; i++) {
        pp_text one = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
        char number[PP_NUMBER_TEXT];
        pp_number_text(less[i], number, sizeof number);
        if (less[i] != 0)
            pp_text_add(&one, "(%s) - (%s)", f->text[first + i], number);
        else
            pp_text_add(&one, "%s", f->text[first + i]);
        if (i) pp_text_add(&t, ", ");
        t.failed = t.failed || one.failed;
        if (!t.failed) pp_text_quoted(&t, one.data);
        pp_text_free(&one);
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

/* ---- forces ---- */

enum { CONSTANT, SINUSOID, SPRING, PD, EXPRESSION }; /* as in keys_joint.c, in the order of the kinds */

/* The index of the joint. */
static int joint_index(const pp_scribe *s, perp_joint_id id) {
    for (int i = 0; i < s->njoint; i++)
        if (s->joint[i].slot == id.slot) return i;
    return 0; /* cannot be: a controller goes with its joint */
}

static bool is_zero(perp_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static void put_force(pp_scribe *s, pp_text *t, int i) {
    perp_force_def d;
    perp_body_def body;
    if (perp_force_get(s->w, s->force[i], &d)) return; /* cannot be: the id was just read */
    pp_force_in in;
    pp_put_blank(&pp_map_force, &in);
    pp_nested nested[] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    char *made[3] = {NULL, NULL, NULL};
    if (d.kind == PERP_FORCE_SPRING) {
        in.a = pp_scribe_body(s, d.a);
        in.b = pp_scribe_body(s, d.b);
    } else if (d.kind == PERP_FORCE_PD) {
        in.joint = s->joint_name[joint_index(s, d.joint)];
    } else {
        in.body = pp_scribe_body(s, d.b);
    }
    bool particle = d.b.gen && !perp_body_get(s->w, d.b, &body) && body.particle;
    in.force = pp_put_some(d.wrench.force);
    if (!particle) in.torque = pp_put_some(d.wrench.torque);
    in.at = pp_put_some(d.point_B);
    in.at_a = pp_put_some(d.point_A);
    in.at_b = pp_put_some(d.point_B);
    in.frame = d.body_frame;
    in.omega = d.omega;
    in.phase = d.phase;
    in.stiffness = d.stiffness;
    in.rest_length = d.rest_length;
    in.damping = d.damping;
    in.drag = d.drag;
    in.coordinate = d.coord;
    in.kp = d.kp;
    in.kd = d.kd;
    in.target = d.target;
    in.target_rate = d.target_rate;
    in.max_force = d.max_force;
    /* An element that does nothing yet must say by what it could. */
    bool drive = d.kind == PERP_FORCE_CONSTANT || d.kind == PERP_FORCE_SINUSOID;
    if (drive && is_zero(d.wrench.force) && (particle || is_zero(d.wrench.torque))) in.force = perp_v3(0, 0, 0);
    if (d.kind == PERP_FORCE_SPRING && d.stiffness == 0 && d.damping == 0 && d.drag == 0)
        nested[0] = (pp_nested){"stiffness", "0"};
    if (d.kind == PERP_FORCE_PD && d.kp == 0 && d.kd == 0) nested[0] = (pp_nested){"kp", "0"};
    if (d.kind == PERP_FORCE_USER && d.user == pp_formula_force) {
        const pp_formula *f = d.ctx;
        in.frame = f->body_frame;
        nested[0] = (pp_nested){"force", made[0] = pp_write_formulas(s, f, 0, perp_v3(0, 0, 0))};
        made[1] = s->dim == 2 ? pp_write_formula(s, f, 5) : pp_write_formulas(s, f, 3, perp_v3(0, 0, 0));
        nested[1] = (pp_nested){"torque", made[1]};
        nested[2] = (pp_nested){"at", made[2] = f->at_given ? pp_write_formulas(s, f, 6, f->shift) : NULL};
    } else if (d.kind == PERP_FORCE_USER) {
        pp_scribe_user(s, "forces", i, "user", "the force on body", in.body.text);
        pp_text_add(t, "{type: " PP_USER_TYPE ", body: %s}", in.body.text);
        return;
    }
    pp_put_map(t, &pp_map_force, s->dim, (int)d.kind, &in, nested);
    for (int k = 0; k < 3; k++) pp_free(&s->alloc, made[k]);
}

char *pp_write_forces(pp_scribe *s) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < s->nforce && !s->st; i++) {
        pp_text_add(&t, "\n  - ");
        put_force(s, &t, i);
    }
    char *text = s->nforce ? pp_text_take(&t) : NULL;
    return text;
}

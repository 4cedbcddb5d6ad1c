/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_help.h - robot models written as text, opened as worlds, and what is asked of them. */
#ifndef PERP_TEST_MODEL_HELP_H
#define PERP_TEST_MODEL_HELP_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "perp/import.h"
#include "perp/scene.h"

static inline void put(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline perp_import *opened(const char *name, const perp_import_options *o) {
    perp_import *m;
    perp_refusal why;
    if (perp_import_open(name, o, &m, &why)) fail_msg("%s", why.text);
    return m;
}

/* The world of a model. */
static inline perp_scene *world_of(const char *name, const char *text) {
    perp_scene *s;
    perp_refusal why;
    put(name, text);
    if (perp_scene_open(name, NULL, &s, &why)) fail_msg("%s", why.text);
    (void)unlink(name);
    return s;
}

static inline bool noted(const perp_import *m, perp_import_kind kind, const char *words) {
    for (int i = 0; i < perp_import_note_count(m); i++) {
        perp_import_note n = perp_import_note_at(m, i);
        if (n.kind == kind && strstr(n.text, words)) return true;
    }
    return false;
}

static inline perp_shape_def shape_of(const perp_world *w, const char *body, int index) {
    perp_body_id b = perp_body_find(w, body);
    perp_shape_id id[64];
    int n = perp_world_shapes(w, id, 64);
    for (int i = 0; i < n; i++) {
        perp_body_id of = perp_shape_body(w, id[i]);
        perp_shape_view v;
        if (of.slot != b.slot || of.gen != b.gen || index-- > 0) continue;
        assert_int_equal(perp_shape_get(w, id[i], &v), PERP_OK);
        return v.def;
    }
    fail_msg("%s has no such shape", body);
    return perp_shape_sphere(1);
}

static inline bool may_touch(const perp_world *w, const char *a, const char *b) {
    perp_shape_def x = shape_of(w, a, 0), y = shape_of(w, b, 0);
    return (x.group & y.mask) && (y.group & x.mask);
}

static inline perp_body_def body_of(const perp_world *w, const char *name) {
    perp_body_def d;
    assert_int_equal(perp_body_get(w, perp_body_find(w, name), &d), PERP_OK);
    return d;
}

static inline double coordinate(const perp_world *w, const char *name) {
    double q[PERP_JOINT_MAX_COORD], v[PERP_JOINT_MAX_COORD];
    assert_int_equal(perp_joint_read(w, perp_joint_find(w, name), q, v), PERP_OK);
    return q[0];
}

static inline void assert_at(perp_vec3 p, double x, double y, double z, double tol) {
    assert_near(p.x, x, tol);
    assert_near(p.y, y, tol);
    assert_near(p.z, z, tol);
}

#endif

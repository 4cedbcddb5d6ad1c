/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_help.h - what the tests of scene files share: scenes from texts, and their parts by name. */
#ifndef PERP_TEST_SCENE_HELP_H
#define PERP_TEST_SCENE_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "perp/scene.h"

#define HEAD2 "perp: 1\ndim: 2\nduration: 1\n"
#define HEAD3 "perp: 1\ndim: 3\nduration: 1\n"

/* A scene from a text, called s.yaml; it must open. */
static inline perp_scene *scene_of_with(const char *text, const perp_definition *define, int ndefine) {
    perp_source_file f = {"s.yaml", text, strlen(text)};
    perp_scene_options o = {.file = &f, .nfile = 1, .define = define, .ndefine = ndefine};
    perp_scene *s = NULL;
    perp_refusal why;
    if (perp_scene_open("s.yaml", &o, &s, &why)) fail_msg("%s", why.text);
    return s;
}

static inline perp_scene *scene_of(const char *text) { return scene_of_with(text, NULL, 0); }

static inline perp_body_def body_of(const perp_scene *s, const char *name) {
    perp_world *w = perp_scene_world(s);
    perp_body_def d = {0};
    if (perp_body_get(w, perp_body_find(w, name), &d)) fail_msg("no body is called %s", name);
    return d;
}

/* The i-th shape of the world. */
static inline perp_shape_view shape_of(const perp_scene *s, int i) {
    perp_world *w = perp_scene_world(s);
    perp_shape_id id[64];
    int n = perp_world_shapes(w, id, 64);
    perp_shape_view v = {0};
    if (i >= n || perp_shape_get(w, id[i], &v)) fail_msg("there is no shape %d", i);
    return v;
}

static inline perp_joint_def joint_of(const perp_scene *s, const char *name) {
    perp_world *w = perp_scene_world(s);
    perp_joint_def d = {0};
    if (perp_joint_get(w, perp_joint_find(w, name), &d)) fail_msg("no joint is called %s", name);
    return d;
}

static inline void steps_of(perp_scene *s, int n) {
    for (int i = 0; i < n; i++)
        if (perp_world_step(perp_scene_world(s), NULL)) fail_msg("step %d: %s", i, perp_world_why(perp_scene_world(s)));
}

#define assert_vec(v, X, Y, Z, tol)    \
    do {                               \
        perp_vec3 v_ = (v);            \
        assert_near(v_.x, (X), (tol)); \
        assert_near(v_.y, (Y), (tol)); \
        assert_near(v_.z, (Z), (tol)); \
    } while (0)

#endif

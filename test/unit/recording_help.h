/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* recording_help.h - what the tests of recordings share: two small scenes, recording them, comparing files dataset by
 * dataset. */
#ifndef PERP_TEST_RECORDING_HELP_H
#define PERP_TEST_RECORDING_HELP_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/perp.h"
#include "record/reader.h"

/* 3D: four boxes and a ball fall on a floor, an arm swings on a hinge; one body has no name. Contacts, friction, a
 * joint. */
static const char pile_text[] =
    "perp: 1\n"
    "title: pile\n"
    "dim: 3\n"
    "h: 0.005\n"
    "duration: 0.5\n"
    "parameters: {mu: {default: 0.4, unit: '1', about: friction of all}}\n"
    "law: {mu: mu}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
    "  - {name: box-0, at: [0, 0, 0.101], spin: [1, 2, 3], mass: 8, shape: {type: box, size: [0.2, 0.2, 0.2]}}\n"
    "  - {name: box-1, at: [0.05, 0.02, 0.35], mass: 8, shape: {type: box, size: [0.2, 0.2, 0.2]}}\n"
    "  - {name: box-2, at: [0.1, 0.04, 0.6], spin: [0, 0, 1], mass: 8, shape: {type: box, size: [0.2, 0.2, 0.2]}}\n"
    "  - {at: [0.5, 0.5, 0.3], mass: 8, shape: {type: box, size: [0.2, 0.2, 0.2]}}\n"
    "  - {name: ball, at: [0.6, 0, 0.11], velocity: [-2, 0, 0], mass: 1, shape: {type: sphere, radius: 0.1}}\n"
    "  - {name: arm, at: [0.3, 1, 1], mass: 1, inertia: [0.01, 0.02, 0.02]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, b: arm, at: [0, 1, 1], axis: [0, 1, 0]}\n";

/* 2D: a block slides with friction and carries a pendulum. Every fifth step is a frame. */
static const char cart_text[] =
    "perp: 1\n"
    "title: cart\n"
    "dim: 2\n"
    "h: 0.002\n"
    "duration: 0.2\n"
    "law: {mu: 0.3}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
    "  - {name: block, at: [0, 0.1], velocity: [1, 0], mass: 5, shape: {type: box, size: [0.4, 0.2]}}\n"
    "  - {name: rod, at: [0.5, 0.1], mass: 1, inertia: 0.083}\n"
    "joints:\n"
    "  - {name: pivot, type: revolute, a: block, b: rod, at: [0, 0.1]}\n"
    "record: {every: 5}\n";

#define SUCCEEDS(call)                                                           \
    do {                                                                         \
        perp_status st_ = (call);                                                \
        if (st_) fail_msg("%s: %s: %s", #call, perp_status_name(st_), why.text); \
    } while (0)
#define REFUSED(call, code, message)                                                                                  \
    do {                                                                                                              \
        why.text[0] = 0;                                                                                              \
        perp_status st_ = (call);                                                                                     \
        if (st_ != (code)) fail_msg("%s: %s: %s", #call, perp_status_name(st_), why.text);                            \
        if (strcmp(why.text, (message)) != 0) fail_msg("%s\nsays:     %s\nexpected: %s", #call, why.text, (message)); \
        assert_int_equal(why.status, (code));                                                                         \
    } while (0)

static inline perp_scene *scene_of(const char *text) {
    perp_refusal why = {0};
    perp_scene *s = NULL;
    perp_source_file file = {"test.yaml", text, strlen(text)};
    perp_scene_options o = {.file = &file, .nfile = 1};
    SUCCEEDS(perp_scene_open("test.yaml", &o, &s, &why));
    return s;
}

/* Steps the world n times and hands every step to the recorder. */
static inline void advance(perp_scene *s, perp_recorder *r, uint64_t n) {
    perp_refusal why = {0};
    perp_certificate c;
    for (uint64_t i = 0; i < n; i++) {
        perp_status st = perp_world_step(perp_scene_world(s), &c);
        if (st) fail_msg("step: %s", perp_world_why(perp_scene_world(s)));
        SUCCEEDS(perp_recorder_step(r, &c, &why));
    }
}

/* The whole run of a scene; returns the hash of its last state. */
static inline uint64_t record_run(const char *path, const char *text, const perp_record_choice *choice) {
    perp_refusal why = {0};
    perp_scene *s = scene_of(text);
    perp_recorder *r;
    remove(path);
    SUCCEEDS(perp_recorder_create(path, s, choice, &r, &why));
    advance(s, r, perp_scene_steps(s));
    SUCCEEDS(perp_recorder_close(r, true, &why));
    uint64_t hash = perp_world_hash(perp_scene_world(s));
    perp_scene_close(s);
    return hash;
}

static inline perp_recording *reading(const char *path) {
    perp_refusal why = {0};
    perp_recording *r = NULL;
    SUCCEEDS(perp_recording_open(path, &r, &why));
    return r;
}

/* All bytes of a dataset as the file holds them; *size bytes, to be freed. */
static inline char *dataset_bytes(hid_t set, size_t *size) {
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    *size = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    char *data = calloc(1, *size + 1);
    if (*size) assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Sclose(space);
    H5Tclose(type);
    return data;
}

/* Every dataset of the layout is the same in both recordings, to the bit; timing is about the machine. */
static inline void assert_same_recording(const char *path_a, const char *path_b) {
    perp_recording *a = reading(path_a), *b = reading(path_b);
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (d == PP_D_SECONDS) continue;
        assert_int_equal(a->set[d] >= 0, b->set[d] >= 0);
        if (a->set[d] < 0) continue;
        size_t na, nb;
        char *x = dataset_bytes(a->set[d], &na), *y = dataset_bytes(b->set[d], &nb);
        if (na != nb) fail_msg("%s: %zu bytes and %zu", pp_layout[d].path, na, nb);
        for (size_t i = 0; i < na; i++)
            if (x[i] != y[i]) fail_msg("%s differs at byte %zu of %zu", pp_layout[d].path, i, na);
        free(x);
        free(y);
    }
    assert_int_equal(a->info.frames, b->info.frames);
    assert_int_equal(a->info.finished, b->info.finished);
    perp_recording_close(a);
    perp_recording_close(b);
}

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model.h - a fuzzed robot model: imported, or refused with one line; the scene that it becomes is read. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <string.h>

#include "limited.h"
#include "perp/scene.h"
#include "robot/model/robot.h"

static inline void import_model(const char *name, const uint8_t *data, size_t size) {
    perp_import_options o = {.repair = size % 2, .free_base = size % 4 > 1, .alloc = {limited, give_back, NULL}};
    perp_import *m;
    perp_refusal why = {0};
    if (pp_robot_import(name, (const char *)data, size, &o, &m, &why)) {
        if (m || why.text[0] == 0 || strchr(why.text, '\n')) abort(); /* one line, and never none */
        if (given != 0) abort();
        return;
    }
    if (perp_import_model(m, NULL, 0) == 0) abort();
    perp_source_file file = {"m.yaml", perp_import_scene(m), strlen(perp_import_scene(m))};
    perp_scene_options so = {.file = &file, .nfile = 1, .alloc = o.alloc};
    perp_scene *s;
    perp_status e = perp_scene_open("m.yaml", &so, &s, &why); /* numbers may be too large or too small for a world */
    if (!e) perp_scene_close(s);
    perp_import_close(m);
    if (given != 0) abort();
}

#endif

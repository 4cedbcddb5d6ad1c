/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_scene.c - any bytes as a scene file; what is accepted takes a few steps. An include finds the bytes themselves,
 * so that cycles come up by themselves, and a mesh finds a small one. */
#include "perp/perp.h"

#include <string.h>

#include "limited.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    perp_source_file file[] = {{"scene.yaml", (const char *)data, size},
                               {"a.yaml", (const char *)data, size},
                               {"a.obj", mesh, sizeof mesh - 1}};
    perp_definition define = {"a", "2"};
    perp_scene_options o = {.define = &define,
                            .ndefine = size % 7 == 0,
                            .file = file,
                            .nfile = 3,
                            .alloc = {limited, give_back, NULL}};
    perp_scene *s;
    perp_refusal why = {0};
    if (perp_scene_open("scene.yaml", &o, &s, &why)) {
        if (why.text[0] == 0 || strchr(why.text, '\n') || s) abort();
    } else {
        perp_world *w = perp_scene_world(s);
        if (perp_world_body_count(w) <= 12)
            for (int i = 0; i < 3 && !perp_world_step(w, NULL); i++) {}
        perp_scene_close(s);
    }
    if (given != 0) abort(); /* a leak */
    return 0;
}

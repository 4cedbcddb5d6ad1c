/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_text.h - scenes from text in memory, for tests */
#ifndef PP_TEST_SCENE_TEXT_H
#define PP_TEST_SCENE_TEXT_H

#include <string.h>

#include "perp/scene.h"

static inline perp_status open_text(const char *words, perp_scene **out, perp_refusal *why) {
    perp_source_file f = {"s.yaml", words, strlen(words)};
    return perp_scene_open("s.yaml", &(perp_scene_options){.file = &f, .nfile = 1}, out, why);
}

static inline perp_scene *scene_of(const char *words) {
    perp_scene *s;
    perp_refusal why;
    if (open_text(words, &s, &why)) fail_msg("%s", why.text);
    return s;
}

#endif

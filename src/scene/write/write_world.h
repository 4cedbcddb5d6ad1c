/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_world.h - the text of a scene from a world. */
#ifndef PP_SCENE_WRITE_WORLD_H
#define PP_SCENE_WRITE_WORLD_H

#include "perp/scene.h"

/* How a world is written as a scene. */
typedef struct pp_compose_options {
    const char *path; /* of the file, for messages and for the paths of meshes */
    const perp_scene_words *words;
    const char *state; /* the value of the key `state`; NULL: the key is not written */
    bool functions; /* write functions of the program as `type: user`, which cannot be read, instead of refusing them */
} pp_compose_options;

/* Writes a world whose slots have no gaps (perp_world_renumber()) as the text of a scene.
 * @param user set to true if the world has a function of the program
 * @param text receives the text; free it with the world's allocator */
perp_status pp_world_compose(const perp_world *w, const pp_compose_options *how, bool *user, char **text,
                             perp_refusal *why);

#endif

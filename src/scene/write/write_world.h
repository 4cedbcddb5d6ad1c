/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_world.h - the text of a scene from a world. */
#ifndef PP_SCENE_WRITE_WORLD_H
#define PP_SCENE_WRITE_WORLD_H

#include "perp/scene.h"

/* Writes a world whose slots have no gaps (perp_world_renumber()) as the text of a scene, to be freed with the world's
 * allocator.
 * state: its value for the key `state`; NULL: none
 * functions: write functions of the program as `type: user`, which cannot be read, instead of refusing them
 * user: there is one */
perp_status pp_world_compose(const perp_world *w, const char *path, const perp_scene_words *words, const char *state,
                             bool functions, bool *user, char **text, perp_refusal *why);

#endif

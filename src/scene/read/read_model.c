/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_model.c - robot models within a scene
 *
 * A model is imported as a scene whose names begin with that of the model, and this scene is read as an included file is. Its text is
 * kept as the file FILE#NAME, so that a recording, or a scene that is read again, needs neither the model nor its meshes. */
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"
#include "scene/scene_internal.h"

#define PATH_BYTES 1024

/* Is there a model of that name among the documents that were read? */
static bool known(const pp_reader *r, const char *name) {
    for (int i = 0; i < r->ndoc; i++) {
        const char *hash = strrchr(r->s->file[r->doc[i]->file].path, '#');
        if (hash && !strcmp(hash + 1, name)) return true;
    }
    return false;
}

/* The scene of a model on the disk. */
static perp_status embed(pp_reader *r, const pp_model_in *in, pp_item at, const char *path, char **text) {
    char folder[PATH_BYTES + 1], *data = NULL;
    size_t size = 0;
    const char *root = r->options && r->options->root ? r->options->root : folder;
    if (!pp_source_folder(r->s->file[0].path, folder, sizeof folder))
        return pp_wrong(r, at, "a scene whose path is too long", "at most 1024 bytes");
    pp_embedding e = {.name = in->name.text,
                      .X = {in->at, in->turn},
                      .base = (pp_base)in->base,
                      .bit = 1 + r->model_bits}; /* bit 0 is that of shapes which say nothing */
    const perp_import_options o = {.alloc = *r->alloc, .key = in->key, .repair = in->repair};
    perp_status s = pp_source_read_within(r->alloc, root, "scene", path, &data, &size, r->why);
    if (s) return pp_refuse_at(r, at, s);
    if (!perp_import_is_model(data, size)) {
        pp_free(r->alloc, data);
        return pp_wrong(r, at, "a file that is not XML", "an MJCF, URDF or SDF file");
    }
    s = pp_robot_embed(path, data, size, &o, &e, text, r->why);
    pp_free(r->alloc, data);
    r->model_bits += e.nbit;
    return s;
}

perp_status pp_read_model(pp_reader *r, pp_item entry, int *file) {
    pp_model_in in = {.turn = {1, 0, 0, 0}};
    char path[PATH_BYTES + 1], own[PATH_BYTES + 1 + PP_NAME_MAX + 2], *text = NULL;
    int dim = r->dim;
    r->dim = 3;
    perp_status s = pp_read_map(r, &pp_map_model, &entry, 1, &in);
    r->dim = dim;
    if (s) return s;
    pp_item at = PP_ITEM(&in, file);
    if (known(r, in.name.text)) {
        pp_push_key(r, "name");
        return pp_wrong_say(r, PERP_E_ARG, PP_ITEM(&in, name), "found \"%s\"; allowed: a name that no other model has",
                            in.name.text);
    }
    pp_push_key(r, "file");
    if (!pp_source_beside(pp_document_path(r, at.tree), in.file, path, sizeof path))
        return pp_wrong(r, at, "a path that is too long", "at most 1024 bytes");
    (void)snprintf(own, sizeof own, "%s#%s", path, in.name.text);
    for (int i = 0; i < r->s->nfile; i++)
        if (!strcmp(r->s->file[i].path, own)) {
            *file = i;
            pp_pop(r);
            return PERP_OK;
        }
    if (r->s->nfile >= PP_SCENE_FILES) return pp_wrong(r, at, "one file more", "at most 256 files in a scene");
    if (r->options && r->options->nfile > 0) {
        if (!pp_scene_file_memory(r, own, file, &s))
            return pp_wrong(r, at, in.file, "a model whose scene, FILE#NAME, was passed in memory");
    } else {
        s = embed(r, &in, at, path, &text);
        if (!s) s = pp_scene_file_keep(r, own, text, strlen(text), file);
    }
    if (!s) pp_pop(r);
    return s;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* include.c - the files of a scene: the scene itself, what it includes, and meshes; from the disk or from memory.
 *
 * A file is read once, however often it is named: names are compared after ./ and folder/../ are taken out. A file that
 * includes itself, directly or through others, is refused with the chain. All bytes stay with the scene, so that a
 * recording can hold them. */
#include <stdio.h>
#include <string.h>

#include "perp/import.h"
#include "scene/scene_internal.h"

#define PATH_MAX_BYTES 1024

/* The same path without ./, // and folder/.. */
static void tidy(const char *path, char *out) {
    size_t n = 0;
    bool absolute = path[0] == '/';
    if (absolute) out[n++] = '/';
    for (const char *p = path; *p;) {
        while (*p == '/') p++;
        size_t part = strcspn(p, "/");
        if (part == 0) break;
        if (part == 1 && p[0] == '.') {
            p += part;
            continue;
        }
        size_t last = n; /* start of the last folder in out */
        while (last > (absolute ? 1u : 0u) && out[last - 1] != '/') last--;
        if (last == n && n > (absolute ? 1u : 0u)) { /* out ends with / */
            last = n - 1;
            while (last > (absolute ? 1u : 0u) && out[last - 1] != '/') last--;
        }
        bool up = part == 2 && p[0] == '.' && p[1] == '.';
        size_t kept = n > last ? n - last : 0;
        bool last_is_up = kept >= 2 && out[last] == '.' && out[last + 1] == '.' && (kept == 2 || out[last + 2] == '/');
        if (up && kept > 0 && !last_is_up) {
            n = last;
        } else {
            memcpy(out + n, p, part);
            n += part;
            out[n++] = '/';
        }
        p += part;
    }
    if (n > 1 && out[n - 1] == '/') n--;
    out[n] = 0;
}

static bool same_file(const char *a, const char *b) {
    char x[PATH_MAX_BYTES + 8], y[PATH_MAX_BYTES + 8];
    if (strlen(a) > PATH_MAX_BYTES || strlen(b) > PATH_MAX_BYTES) return !strcmp(a, b);
    tidy(a, x);
    tidy(b, y);
    return !strcmp(x, y);
}

perp_status pp_scene_file_keep(pp_reader *r, const char *path, char *data, size_t size, int *file) {
    perp_scene *s = r->s;
    char *copy = pp_copy_text(r->alloc, path);
    if (!copy || !PP_GROW(r->alloc, s->file, s->cap_file, s->nfile, s->nfile + 1)) {
        pp_free(r->alloc, copy);
        pp_free(r->alloc, data);
        return pp_no_memory(r);
    }
    s->file[s->nfile] = (pp_scene_file){copy, data, size};
    *file = s->nfile++;
    return PERP_OK;
}

/* One of the files in memory. */
static perp_status take(pp_reader *r, const perp_source_file *f, int *file) {
    if (f->size > PP_SOURCE_MAX) {
        char found[64], allowed[64];
        (void)snprintf(found, sizeof found, "%zu bytes", f->size);
        (void)snprintf(allowed, sizeof allowed, "at most %u bytes", PP_SOURCE_MAX);
        return pp_complain(r->why, PERP_E_IO, (pp_location){f->path, 0, 0}, NULL, found, allowed);
    }
    char *data = pp_alloc(r->alloc, f->size + 1);
    if (!data) return pp_no_memory(r);
    if (f->size) memcpy(data, f->data, f->size);
    data[f->size] = 0;
    return pp_scene_file_keep(r, f->path, data, f->size, file);
}

bool pp_scene_file_memory(pp_reader *r, const char *path, int *file, perp_status *s) {
    const perp_scene_options *o = r->options;
    for (int i = 0; o && i < o->nfile; i++)
        if (same_file(o->file[i].path, path)) {
            *s = take(r, &o->file[i], file);
            return true;
        }
    return false;
}

const char *pp_document_path(const pp_reader *r, const pp_tree *t) {
    for (int i = 0; i < r->ndoc; i++)
        if (&r->doc[i]->tree == t) return r->s->file[r->doc[i]->file].path;
    return "";
}

perp_status pp_refuse_at(pp_reader *r, pp_item at, perp_status s) {
    if (s == PERP_E_MEMORY || !r->why) return s;
    char words[sizeof r->why->text];
    memcpy(words, r->why->text, sizeof words);
    return pp_wrong_say(r, s, at, "%s", words);
}

perp_status pp_scene_file_read(pp_reader *r, pp_item at, int *file) {
    const perp_scene *s = r->s;
    const perp_scene_options *o = r->options;
    char path[PATH_MAX_BYTES + 1], folder[PATH_MAX_BYTES + 1], found[256];
    perp_status st = PERP_OK;
    const pp_key file_key = {.name = "file", .type = PP_T_FILE};
    if (!pp_is_scalar(at) || pp_at(at)->length == 0 || strlen(pp_text_of(at)) != pp_at(at)->length)
        return pp_wrong_kind(r, at, &file_key);
    const char *name = pp_text_of(at), *from = pp_document_path(r, at.tree);
    pp_yaml_found(at.tree, at.node, found, sizeof found);
    if (!pp_source_beside(from, name, path, sizeof path))
        return pp_wrong(r, at, "a path that is too long", "at most 1024 bytes");
    for (int i = 0; i < s->nfile; i++)
        if (same_file(s->file[i].path, path)) {
            *file = i;
            return PERP_OK;
        }
    if (s->nfile >= PP_SCENE_FILES) return pp_wrong(r, at, "one file more", "at most 256 files in a scene");
    if (o && o->nfile > 0) {
        if (pp_scene_file_memory(r, path, file, &st) || pp_scene_file_memory(r, name, file, &st)) return st;
        return pp_wrong_say(r, PERP_E_IO, at, "found %s; allowed: one of the files that were passed in memory", found);
    }
    char *data = NULL;
    size_t size = 0;
    const char *root = o && o->root ? o->root : folder;
    if (!pp_source_folder(s->file[0].path, folder, sizeof folder))
        return pp_wrong(r, at, "a scene whose path is too long", "at most 1024 bytes");
    st = pp_source_read_within(r->alloc, root, "scene", path, &data, &size, r->why);
    if (st) return pp_refuse_at(r, at, st);
    return pp_scene_file_keep(r, path, data, size, file);
}

perp_status pp_keep_spare_files(pp_reader *r) {
    perp_scene *s = r->s;
    const perp_scene_options *o = r->options;
    for (int i = 0; o && i < o->nfile; i++) {
        bool used = false;
        for (int k = 0; k < s->nfile; k++) used = used || same_file(s->file[k].path, o->file[i].path);
        if (used) continue;
        if (!PP_GROW(r->alloc, s->spare, s->cap_spare, s->nspare, s->nspare + 1)) return pp_no_memory(r);
        pp_scene_file *f = &s->spare[s->nspare++];
        *f = (pp_scene_file){pp_copy_text(r->alloc, o->file[i].path), pp_alloc(r->alloc, o->file[i].size + 1),
                             o->file[i].size};
        if (!f->path || !f->data) return pp_no_memory(r);
        if (f->size) memcpy(f->data, o->file[i].data, f->size);
        f->data[f->size] = 0;
    }
    return PERP_OK;
}

/* The files being read, from the innermost out. */
typedef struct chain {
    const struct chain *up;
    int file, depth;
} chain;

static perp_status cycle(pp_reader *r, pp_item at, const chain *c, int file) {
    char words[900];
    const chain *way[PP_SCENE_DEPTH + 2];
    int n = 0;
    bool closed = false;
    for (; c && !closed && n <= PP_SCENE_DEPTH; c = c->up) {
        closed = c->file == file;
        way[n++] = c;
    }
    pp_writer t = {words, sizeof words, 0};
    words[0] = 0;
    while (n > 0) pp_write(&t, "%s includes ", r->s->file[way[--n]->file].path);
    pp_write(&t, "%s", r->s->file[file].path);
    return pp_wrong_say(r, PERP_E_ARG, at, "found a circle: %s; allowed: files that do not include each other", words);
}

static perp_status read_document(pp_reader *r, const chain *c, const char *shown);

static perp_status include(pp_reader *r, const chain *c, pp_item at) {
    int file = 0, before = r->s->nfile;
    perp_status s = pp_scene_file_read(r, at, &file);
    if (s) return s;
    if (file < before) {
        for (const chain *k = c; k; k = k->up)
            if (k->file == file) return cycle(r, at, c, file);
        for (int i = 0; i < r->ndoc; i++)
            if (r->doc[i]->file == file) return PERP_OK; /* read already */
    }
    if (c->depth + 1 >= PP_SCENE_DEPTH) return pp_wrong(r, at, "includes deeper than 16 files", "at most 16");
    chain next = {c, file, c->depth + 1};
    int ncrumb = r->ncrumb;
    r->ncrumb = 0; /* the path to a value begins again in each file */
    s = read_document(r, &next, r->s->file[file].path);
    if (!s) r->ncrumb = ncrumb;
    return s;
}

/* The models of a document, each as a document that comes before it. */
static perp_status read_models(pp_reader *r, const chain *c, const pp_tree *tree) {
    pp_item list = {tree, pp_yaml_get(tree, 1, "models")};
    int i = 0, ncrumb = r->ncrumb;
    if (!list.node) return PERP_OK;
    pp_push_key(r, "models");
    if (!pp_is_list(list)) return pp_wrong_kind(r, list, pp_key_find(&pp_map_top, "models"));
    for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
        int file = 0;
        pp_push_index(r, i);
        perp_status s = pp_read_model(r, v, &file);
        if (s) return s;
        chain next = {c, file, c->depth + 1};
        r->ncrumb = 0;
        s = read_document(r, &next, r->s->file[file].path);
        if (s) return s;
        r->ncrumb = ncrumb + 1;
    }
    r->ncrumb = ncrumb;
    return PERP_OK;
}

/* Gives back what a large tree has room for and does not use; the world needs it. */
static void trim(pp_tree *t) {
    if (t->nnode < 4096) return;
    pp_node *node = pp_alloc(&t->alloc, (size_t)t->nnode * sizeof *node);
    if (node) {
        memcpy(node, t->node, (size_t)t->nnode * sizeof *node);
        pp_free(&t->alloc, t->node);
        t->node = node;
        t->cap_node = t->nnode;
    }
    char *text = pp_alloc(&t->alloc, (size_t)t->ntext);
    if (text) {
        memcpy(text, t->text, (size_t)t->ntext);
        pp_free(&t->alloc, t->text);
        t->text = text;
        t->cap_text = t->ntext;
    }
}

static perp_status read_document(pp_reader *r, const chain *c, const char *shown) {
    pp_document *d = pp_alloc(r->alloc, sizeof *d);
    if (!d || !PP_GROW(r->alloc, r->doc, r->cap_doc, r->ndoc, r->ndoc + 1)) {
        pp_free(r->alloc, d);
        return pp_no_memory(r);
    }
    memset(d, 0, sizeof *d);
    d->file = c->file;
    const pp_scene_file *f = &r->s->file[c->file];
    perp_status s = pp_yaml_parse(r->alloc, shown, f->data, f->size, &d->tree, r->why);
    if (s) {
        pp_free(r->alloc, d);
        return s;
    }
    r->doc[r->ndoc++] = d;
    trim(&d->tree);
    pp_item root = {&d->tree, 1};
    if (!pp_is_map(root)) {
        char found[256];
        return pp_wrong(r, root, pp_yaml_found(&d->tree, 1, found, sizeof found), "a map: scene");
    }
    pp_item inc = {&d->tree, pp_yaml_get(&d->tree, 1, "include")};
    if (inc.node) {
        pp_push_key(r, "include");
        if (pp_is_list(inc)) {
            int i = 0;
            for (pp_item v = pp_first(inc); v.node && !s; v = pp_next(v), i++) {
                pp_push_index(r, i);
                s = include(r, c, v);
                if (!s) pp_pop(r);
            }
        } else {
            s = include(r, c, inc);
        }
        if (s) return s;
        pp_pop(r);
    }
    s = read_models(r, c, &d->tree);
    if (s) return s;
    int rank = 0;
    for (int i = 0; i < r->ndoc; i++)
        if (r->doc[i]->rank > rank) rank = r->doc[i]->rank;
    d->rank = rank + 1;
    return PERP_OK;
}

/* A robot model in place of a scene: the scene that it is imported as. */
static perp_status import_model(pp_reader *r, const char *path, char **data, size_t *size) {
    perp_import_options o = {.alloc = *r->alloc};
    perp_import *m;
    perp_status s = perp_import_open(path, &o, &m, r->why);
    if (s) return s;
    char *text = pp_copy_text(r->alloc, perp_import_scene(m));
    perp_import_close(m);
    if (!text) return pp_no_memory(r);
    pp_free(r->alloc, *data);
    *data = text;
    *size = strlen(text);
    return PERP_OK;
}

perp_status pp_read_documents(pp_reader *r, const char *path) {
    const perp_scene_options *o = r->options;
    int file;
    perp_status s;
    if (o && o->nfile > 0) {
        s = take(r, &o->file[0], &file);
    } else {
        char *data = NULL;
        size_t size = 0;
        s = pp_source_read(r->alloc, path, path, &data, &size, r->why);
        if (!s && perp_import_is_model(data, size)) {
            s = import_model(r, path, &data, &size);
            if (s) pp_free(r->alloc, data);
        }
        if (!s) s = pp_scene_file_keep(r, path, data, size, &file);
    }
    if (s) return s;
    if (path && path[0] && strcmp(path, r->s->file[0].path) != 0) {
        r->s->shown = pp_copy_text(r->alloc, path);
        if (!r->s->shown) return pp_no_memory(r);
    }
    return pp_parse_documents(r);
}

perp_status pp_parse_documents(pp_reader *r) {
    chain c = {NULL, 0, 0};
    perp_status s = read_document(r, &c, r->s->shown ? r->s->shown : r->s->file[0].path);
    if (s) return s;
    for (int i = 1; i < r->ndoc; i++) /* in the order of reading */
        for (int k = i; k > 0 && r->doc[k]->rank < r->doc[k - 1]->rank; k--) {
            pp_document *d = r->doc[k];
            r->doc[k] = r->doc[k - 1];
            r->doc[k - 1] = d;
        }
    return PERP_OK;
}

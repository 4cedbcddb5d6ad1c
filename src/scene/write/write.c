/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write.c - worlds of programs as scenes: the text, checked by reading it back, into a file or into a scene
 *
 * Method   A clone of the world gets slots without gaps and is written. The text is read into a second world. If its state is not
 *          bitwise identical, the text is written again with the state in it. Then the second world is written too. If the two
 *          texts differ, the world is refused. So the file contains everything that a step depends on, to the bit.
 * Cost     two or three times that of opening the scene. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/put.h"
#include "scene/scene_internal.h"
#include "scene/write/write_world.h"

static const char own_path[] = "world.yaml"; /* of a scene that is in no file */

perp_scene_words perp_scene_words_default(void) {
    return (perp_scene_words){.duration = 10, .record = {PERP_RECORD_ALL, 1, 1}};
}

static perp_status no_memory(const char *path, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "out of memory for the scene");
}

/* The state of a world, to be freed; NULL: no memory. */
static void *state_of(const perp_world *w, const perp_allocator *a, size_t *size) {
    *size = perp_world_state_size(w);
    void *state = pp_alloc(a, *size);
    if (state) (void)perp_world_get_state(w, state, *size);
    return state;
}

/* The same as text. */
static char *state_text(const perp_world *w, const perp_allocator *a) {
    size_t size;
    void *state = state_of(w, a, &size);
    pp_text t = {.alloc = a, .failed = !state};
    pp_text_base64(&t, state, size);
    pp_free(a, state);
    return pp_text_take(&t);
}

static perp_status same_state(const perp_world *a, const perp_world *b, const perp_allocator *alloc, bool *same) {
    size_t na, nb;
    void *sa = state_of(a, alloc, &na), *sb = state_of(b, alloc, &nb);
    *same = sa && sb && na == nb && memcmp(sa, sb, na) == 0;
    perp_status st = sa && sb ? PERP_OK : PERP_E_MEMORY;
    pp_free(alloc, sa);
    pp_free(alloc, sb);
    return st;
}

static perp_status read_back(const char *path, const char *text, const perp_allocator *a, perp_scene **out,
                             perp_refusal *why) {
    perp_source_file file = {path, text, strlen(text)};
    perp_scene_options o = {.file = &file, .nfile = 1, .alloc = *a};
    return perp_scene_open(path, &o, out, why);
}

/* The first lines in which two texts differ. */
static perp_status texts_differ(const char *path, const char *a, const char *b, perp_refusal *why) {
    const char *line = a;
    int number = 1;
    while (*a && *a == *b) {
        if (*a == '\n') line = a + 1, number++;
        a++, b++;
    }
    size_t before = (size_t)(a - line) < 40 ? (size_t)(a - line) : 40;
    return pp_complain_say(why, PERP_E_ARG, (pp_location){path, number, (int)(a - line) + 1}, "",
                           "the world does not read back the same: written as \"%.80s\", read as \"%.80s\"", a - before,
                           b - before);
}

/* The text of a world, checked by reading it back if that is possible. */
static perp_status write_text(const perp_world *w, const char *path, const perp_scene_words *words, bool functions,
                              char **text, perp_refusal *why) {
    const perp_allocator a = perp_world_get_def(w).alloc;
    perp_scene *read = NULL;
    char *state = NULL, *again = NULL;
    bool user = false, same = false;
    pp_compose_options how = {path, words, NULL, functions};
    perp_status st = pp_world_compose(w, &how, &user, text, why);
    if (!st && !user) {
        st = read_back(path, *text, &a, &read, why);
        if (!st && same_state(w, perp_scene_world(read), &a, &same)) st = no_memory(path, why);
    } else if (!st) { /* nothing can be compared: a world that has made no step is as it was given */
        same = perp_world_steps(w) == 0;
    }
    if (!st && !same) {
        how.state = state = state_text(w, &a);
        pp_free(&a, *text);
        *text = NULL;
        if (state)
            st = pp_world_compose(w, &how, &user, text, why);
        else
            st = no_memory(path, why);
        perp_scene_close(read);
        read = NULL;
        if (!st && !user) st = read_back(path, *text, &a, &read, why);
    }
    if (!st && read) {
        st = pp_world_compose(perp_scene_world(read), &how, &user, &again, why);
        if (!st && strcmp(*text, again) != 0) st = texts_differ(path, *text, again, why);
    }
    perp_scene_close(read);
    pp_free(&a, again);
    pp_free(&a, state);
    if (st) {
        pp_free(&a, *text);
        *text = NULL;
    }
    return st;
}

/* The same for any world: of a clone without gaps. */
static perp_status text_of(const perp_world *w, const char *path, const perp_scene_words *words, bool functions,
                           char **text, perp_refusal *why) {
    perp_world *packed = NULL;
    *text = NULL;
    if (!(words->duration >= 0) || !isfinite(words->duration))
        return pp_complain_say(why, PERP_E_ARG, (pp_location){path, 0, 0}, "duration",
                               "found %g; allowed: a finite number >= 0", words->duration);
    if (words->record.every < 1)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){path, 0, 0}, "record.every",
                               "found %d; allowed: a whole number >= 1", words->record.every);
    if (perp_world_clone(w, &packed) || perp_world_renumber(packed, NULL)) {
        perp_world_destroy(packed);
        return no_memory(path, why);
    }
    perp_status st = write_text(packed, path, words, functions, text, why);
    perp_world_destroy(packed);
    return st;
}

perp_status perp_world_write_scene(const perp_world *w, const char *path, const perp_scene_words *words,
                                   perp_refusal *why) {
    const perp_scene_words plain = perp_scene_words_default();
    perp_refusal unheard;
    if (!why) why = &unheard;
    memset(why, 0, sizeof *why);
    if (!w || !path)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){"", 0, 0}, NULL, "no world or no path was given");
    char *text;
    perp_status st = text_of(w, path, words ? words : &plain, false, &text, why);
    if (st) return st;
    const pp_location at = {path, 0, 0};
    FILE *f = fopen(path, "wx"); /* never over what is there */
    if (!f) {
        st = pp_complain_say(why, PERP_E_IO, at, NULL, "cannot be created: %s", strerror(errno));
    } else {
        bool ok = fputs(text, f) >= 0;
        ok = fclose(f) == 0 && ok;
        if (!ok) {
            st = pp_complain_say(why, PERP_E_IO, at, NULL, "cannot be written: %s", strerror(errno));
            (void)remove(path);
        }
    }
    const perp_allocator a = perp_world_get_def(w).alloc;
    pp_free(&a, text);
    return st;
}

perp_status perp_scene_of_world(perp_world *w, const perp_scene_words *words, perp_scene **out, perp_refusal *why) {
    const perp_scene_words plain = perp_scene_words_default();
    perp_refusal unheard;
    if (!why) why = &unheard;
    memset(why, 0, sizeof *why);
    if (!out)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){"", 0, 0}, NULL, "no place for the scene was given");
    *out = NULL;
    if (!w) return pp_complain_say(why, PERP_E_ARG, (pp_location){"", 0, 0}, NULL, "no world was given");
    if (!words) words = &plain;
    const perp_allocator a = perp_world_get_def(w).alloc;
    char *text;
    perp_status st = text_of(w, own_path, words, true, &text, why);
    if (st) return st;
    perp_scene *s = pp_alloc(&a, sizeof *s);
    pp_scene_file *file = pp_alloc(&a, sizeof *file);
    if (s) *s = (perp_scene){.alloc = a, .world = w, .borrows_world = true};
    if (s && file) {
        *file = (pp_scene_file){pp_copy_text(&a, own_path), text, strlen(text)};
        s->file = file;
        s->nfile = s->cap_file = 1;
        s->title = pp_copy_text(&a, words->title ? words->title : "");
        s->about = pp_copy_text(&a, words->about ? words->about : "");
        const char *const unit[] = {words->units.length, words->units.mass, words->units.time};
        bool ok = file->path && s->title && s->about;
        for (int i = 0; i < 3; i++) {
            s->unit[i] = pp_copy_text(&a, unit[i] ? unit[i] : "");
            ok = ok && s->unit[i];
        }
        s->duration = words->duration;
        s->steps = (uint64_t)fmin(perp_steps_of(words->duration, perp_world_h(w)), 1e15); /* a scene's limit */
        s->record = words->record;
        if (ok) {
            *out = s;
            return PERP_OK;
        }
        perp_scene_close(s);
    } else {
        pp_free(&a, text);
        pp_free(&a, file);
        pp_free(&a, s);
    }
    return no_memory(own_path, why);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_override.c - see scene_override.h */
#define _XOPEN_SOURCE 700 /* realpath, mkdtemp */
#include "scene_override.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/input.h"

const char *override_name(int i) {
    static const char *const name[] = {"start", "contact_model", "geometry", "stepper", "form"};
    return i < (int)(sizeof name / sizeof *name) ? name[i] : NULL;
}

const char **override_value(override_values *x, int i) {
    const char **word[] = {&x->start, &x->contact_model, &x->geometry, &x->stepper, &x->form};
    return word[i];
}

bool override_any(const override_values *x) {
    override_values y = *x;
    bool any = x->h > 0;
    for (int i = 0; override_name(i); i++) any |= *override_value(&y, i) != NULL;
    return any;
}

static void write_quoted(FILE *f, const char *s) {
    fputc('"', f);
    for (; *s; s++) fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    fputs("\"\n", f);
}

perp_status override_write(const char *path, const char *scene, const override_values *x, perp_refusal *why) {
    override_values y = *x;
    char *whole = realpath(scene, NULL);
    FILE *f = whole ? fopen(path, "wb") : NULL;
    if (f) {
        fputs("perp: 1\ninclude: ", f);
        write_quoted(f, whole);
        if (x->h > 0) fprintf(f, "h: %.17g\n", x->h);
        bool stages = false;
        for (int i = 0; override_name(i); i++) {
            const char *word = *override_value(&y, i);
            if (!word) continue;
            if (i > 0 && !stages) stages = fputs("stages:\n", f) >= 0;
            fprintf(f, "%s%s: %s\n", i > 0 ? "  " : "", override_name(i), word);
        }
    }
    bool good = f && !ferror(f);
    if (f) good = fclose(f) == 0 && good;
    free(whole);
    if (good) return PERP_OK;
    return pp_complain_say(why, PERP_E_IO, (pp_location){scene, 0, 0}, "", "cannot be read or included: %s",
                           strerror(errno));
}

bool override_root(const char *scene, const char *given, char *out, size_t size, perp_refusal *why) {
    char *whole = given ? NULL : realpath(scene, NULL);
    bool ok = given ? strlen(given) < size : pp_source_folder(whole ? whole : scene, out, size);
    if (ok && given) memcpy(out, given, strlen(given) + 1);
    free(whole);
    if (!ok) pp_complain_say(why, PERP_E_ARG, (pp_location){scene, 0, 0}, "", "the path is too long");
    return ok;
}

bool override_folder(char *out, size_t size, const char *what, perp_refusal *why) {
    const char *base = getenv("TMPDIR");
    snprintf(out, size, "%s/perp-%s-XXXXXX", base && *base ? base : "/tmp", what);
    if (mkdtemp(out)) return true;
    pp_complain_say(why, PERP_E_IO, (pp_location){out, 0, 0}, "", "a temporary folder cannot be made: %s",
                    strerror(errno));
    *out = 0;
    return false;
}

void override_remove(char *folder) {
    DIR *d = *folder ? opendir(folder) : NULL;
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char path[2 * OVERRIDE_PATH];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (n > 0 && (size_t)n < sizeof path) unlink(path);
    }
    if (d) closedir(d);
    if (*folder) rmdir(folder);
    *folder = 0;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_find.c - which files to solve: those that were named, and what folders hold. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/input.h"
#include "solve/solve.h"

/* Folders within folders; more are a circle of links. */
enum { DEEPEST = 16 };

void solve_files_free(solve_files *f) {
    for (int i = 0; i < f->count; i++) free(f->file[i].path);
    free(f->file);
    *f = (solve_files){0};
}

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "no memory for the list of files");
}

static perp_status add(solve_files *f, const char *path, bool searched, perp_refusal *why) {
    const perp_allocator plain = {0};
    if (!PP_GROW(&plain, f->file, f->cap, f->count, f->count + 1)) return no_memory(why);
    char *own = pp_copy_text(&plain, path);
    if (!own) return no_memory(why);
    f->file[f->count++] = (solve_file){own, searched};
    return PERP_OK;
}

static bool ends_as_problem(const char *name) {
    static const char *const ending[] = {".h5", ".hdf5", ".dat"};
    size_t n = strlen(name);
    for (int i = 0; i < 3; i++) {
        size_t k = strlen(ending[i]);
        if (n > k && !strcmp(name + n - k, ending[i])) return true;
    }
    return false;
}

/* Names that begin with a dot are hidden from people, and so from us. */
static int shown(const struct dirent *e) { return e->d_name[0] != '.'; }
static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static perp_status search(const char *folder, int depth, solve_files *out, perp_refusal *why) {
    struct dirent **entry;
    if (depth > DEEPEST)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){folder, 0, 0}, "", "folders within folders, more than %d",
                               DEEPEST);
    int n = scandir(folder, &entry, shown, by_name);
    if (n < 0)
        return pp_complain_say(why, PERP_E_IO, (pp_location){folder, 0, 0}, "", "cannot be read: %s", strerror(errno));
    perp_status s = PERP_OK;
    for (int i = 0; i < n; i++) {
        struct stat st;
        size_t room = strlen(folder) + strlen(entry[i]->d_name) + 2;
        char *path = s ? NULL : malloc(room);
        if (path) {
            snprintf(path, room, folder[strlen(folder) - 1] == '/' ? "%s%s" : "%s/%s", folder, entry[i]->d_name);
            if (stat(path, &st)) {
                /* gone meanwhile, or a link to nowhere */
            } else if (S_ISDIR(st.st_mode)) {
                s = search(path, depth + 1, out, why);
            } else if (S_ISREG(st.st_mode) && ends_as_problem(entry[i]->d_name)) {
                s = add(out, path, true, why);
            }
            free(path);
        } else if (!s) {
            s = no_memory(why);
        }
        free(entry[i]);
    }
    free(entry);
    return s;
}

perp_status solve_find(const char *operand, solve_files *out, perp_refusal *why) {
    struct stat st;
    pp_location at = {operand, 0, 0};
    if (stat(operand, &st)) return pp_complain_say(why, PERP_E_IO, at, "", "cannot be read: %s", strerror(errno));
    if (!S_ISDIR(st.st_mode)) return add(out, operand, false, why);
    int before = out->count;
    perp_status s = search(operand, 1, out, why);
    if (s || out->count > before) return s;
    return pp_complain(why, PERP_E_ARG, at, NULL, "a folder without problem files",
                       "files, and folders with files that end in .h5, .hdf5 or .dat");
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_file.c - the recordings that are shown: checked and opened before anything is served. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view/view.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void name_them(view_file *file, int n) {
    for (int i = 0; i < n; i++) {
        file[i].name = base_name(file[i].path);
        for (int k = 0; k < n; k++)
            if (k != i && !strcmp(file[i].name, base_name(file[k].path))) file[i].name = file[i].path;
    }
}

/* A run that was killed within a commit leaves a journal, which perp's own reader takes into account and the page
 * cannot. */
static void note_journal(const char *path) {
    char journal[CLI_PATH + 16], shown[CLI_PATH];
    snprintf(journal, sizeof journal, "%s-journal", path);
    if (access(journal, F_OK) || recording_busy(path)) return;
    fprintf(stderr,
            "perp: note: the run that wrote %s was interrupted; perp run --resume %s repairs and continues it\n",
            cli_printable(shown, sizeof shown, path), cli_printable(shown, sizeof shown, path));
}

static int open_one(const cli_args *a, bool anyway, view_file *f) {
    char shown[CLI_PATH];
    cli_printable(shown, sizeof shown, f->path);
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would hold us */
    if (f->fd < 0) return cli_refuse_say(a, CLI_BAD_INPUT, "%s: cannot be read: %s", shown, strerror(errno));
    struct stat st = {0};
    if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
        return cli_refuse_say(a, CLI_BAD_INPUT, "%s: found %s; allowed: a recording", shown,
                              S_ISDIR(st.st_mode) ? "a folder" : "something that is no file");
    if (!recording_signature(f->path))
        return cli_refuse_say(a, CLI_BAD_INPUT, "%s: found a file that is not HDF5; allowed: a recording", shown);
    note_journal(f->path);
    if (anyway) return CLI_OK;
    perp_recording *r;
    perp_refusal why;
    if (perp_recording_open(f->path, &r, &why)) return cli_refuse(a, &why);
    perp_recording_close(r);
    return CLI_OK;
}

int view_open_files(const cli_args *a, bool anyway, view_file **out, int *n) {
    *n = cli_operands(a);
    view_file *file = *out = calloc((size_t)*n + 1, sizeof *file);
    if (!file) return cli_refuse_say(a, CLI_MACHINE, "no memory");
    int code = CLI_OK;
    for (int i = 0; i < *n; i++) file[i].path = cli_operand(a, i), file[i].fd = -1;
    for (int i = 0; i < *n && !code; i++) code = open_one(a, anyway, &file[i]);
    name_them(file, *n);
    return code;
}

void view_close_files(view_file *file, int n) {
    for (int i = 0; file && i < n; i++)
        if (file[i].fd >= 0) close(file[i].fd);
    free(file);
}

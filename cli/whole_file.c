/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* whole_file.c - see whole_file.h */
#define _POSIX_C_SOURCE 200809L
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input.h"

static const pp_location nowhere = {0};

perp_status whole_file_check(const char *path, perp_refusal *why) {
    struct stat st;
    if (stat(path, &st)) return PERP_OK; /* what else is wrong, opening will tell */
    if (!S_ISREG(st.st_mode))
        return pp_complain_say(why, PERP_E_ARG, nowhere, "output", "%s exists and is not a file", path);
    if (st.st_size > 0 && recording_signature(path))
        return pp_complain_say(why, PERP_E_ARG, nowhere, "output", "%s holds HDF5 data and is not written over", path);
    return PERP_OK;
}

static perp_status cannot(const char *path, int reason, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_IO, nowhere, "output", "%s cannot be written: %s", path, strerror(reason));
}

static void forget(whole_file *f) {
    free(f->part);
    free(f->path);
    *f = (whole_file){0};
}

perp_status whole_file_begin(whole_file *f, const char *path, perp_refusal *why) {
    *f = (whole_file){0};
    perp_status status = whole_file_check(path, why);
    if (status) return status;
    size_t room = strlen(path) + 40;
    f->part = malloc(room);
    f->path = strdup(path);
    if (!f->part || !f->path) {
        forget(f);
        return pp_complain_say(why, PERP_E_MEMORY, nowhere, "output", "no memory to write %s", path);
    }
    snprintf(f->part, room, "%s.%ld.part", path, (long)getpid());
    f->to = fopen(f->part, "wbx");
    if (f->to) return PERP_OK;
    status = cannot(path, errno, why);
    forget(f);
    return status;
}

perp_status whole_file_end(whole_file *f, bool keep, perp_refusal *why) {
    errno = 0;
    bool bad = fflush(f->to) || ferror(f->to);
    int fault = bad ? (errno ? errno : EIO) : 0;
    if (fclose(f->to) && !fault) fault = errno;
    if (keep && !fault && rename(f->part, f->path)) fault = errno;
    if (!keep || fault) remove(f->part);
    perp_status status = fault && keep ? cannot(f->path, fault, why) : PERP_OK;
    forget(f);
    return status;
}

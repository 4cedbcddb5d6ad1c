/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* options.c - the command line of the measuring programs. */
#include "options.h"

#include <stdio.h>
#include <string.h>

bool options_read(int argc, char **argv, options *o) {
    *o = (options){0};
    const char *const name[3] = {"--check", "--reference", "--scene"};
    const char **const value[3] = {&o->check, &o->reference, &o->scene};
    for (int i = 1; i < argc; i++) {
        int k = 0;
        while (k < 3 && strcmp(argv[i], name[k]) != 0) k++;
        if (k < 3 && i + 1 < argc)
            *value[k] = argv[++i];
        else if (!strcmp(argv[i], "--csv"))
            o->csv = true;
        else if (argv[i][0] != '-' && !o->folder)
            o->folder = argv[i];
        else
            return false;
    }
    return o->folder;
}

int options_usage(const char *program) {
    fprintf(stderr, "usage: %s FOLDER [--check FILE] [--reference FILE] [--scene FILE] [--csv]\n", program);
    return 2;
}

int options_refuse(const char *text) {
    fprintf(stderr, "error: %s\n", text);
    return 2;
}

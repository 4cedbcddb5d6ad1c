/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipopt_library.c - see ipopt_library.h
 * Method   dlopen() and dlsym() once per process, under a mutex; the library is never unloaded. */
#include "mpec/ipopt_library.h"

#include <stddef.h>

#ifndef PERP_HAVE_IPOPT

const char *pp_ipopt_missing(void) {
    return "was built without Ipopt; on Debian install coinor-libipopt-dev and build again";
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pp_ipopt found;
static bool complete;

/* ISO C has no conversion from void * to a function pointer; POSIX guarantees that they have the same representation. */
static bool look_up(void *library, const char *name, void *out) {
    void *symbol = dlsym(library, name);
    memcpy(out, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void) {
    void *library = dlopen(PERP_IPOPT_FILE, RTLD_NOW | RTLD_LOCAL);
    complete = library && look_up(library, "CreateIpoptProblem", &found.create) &&
               look_up(library, "FreeIpoptProblem", &found.destroy) &&
               look_up(library, "AddIpoptStrOption", &found.text_option) &&
               look_up(library, "AddIpoptNumOption", &found.number_option) &&
               look_up(library, "AddIpoptIntOption", &found.count_option) &&
               look_up(library, "SetIntermediateCallback", &found.set_callback) &&
               look_up(library, "IpoptSolve", &found.solve);
}

const pp_ipopt *pp_ipopt_load(void) {
    pthread_once(&once, load);
    return complete ? &found : NULL;
}

const char *pp_ipopt_missing(void) {
    return pp_ipopt_load() ? NULL : "cannot load " PERP_IPOPT_FILE "; on Debian install coinor-libipopt1v5";
}

#endif

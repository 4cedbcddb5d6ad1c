/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* registry.c - solvers by name, for the whole process
 * A fixed table with a mutex. Entries are only added, so pointers stay valid. The built-in solvers come first. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "solver/front/builtin.h"
#include "solver/common/solver.h"

#define TABLE 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const perp_solver_type *added[TABLE];
static int nadded;

/* Caller holds the lock. */
static const perp_solver_type *at(int i) {
    return i < 0 || i >= pp_nbuiltin + nadded ? NULL : i < pp_nbuiltin ? pp_builtin[i] : added[i - pp_nbuiltin];
}

static const perp_solver_type *find(const char *name) {
    for (int i = 0; i < pp_nbuiltin + nadded; i++)
        if (strcmp(at(i)->name, name) == 0) return at(i);
    return NULL;
}

/* Is the name valid in "name.field": letters, digits, hyphens, underscores? */
static bool good_name(const char *s) {
    if (!s || !*s) return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-' ||
              *s == '_'))
            return false;
    return true;
}

static bool good_fields(const perp_solver_type *t) {
    if (t->nfield < 0 || (t->nfield > 0 && !t->fields) || t->settings_size > PERP_SETTINGS_MAX) return false;
    for (int i = 0; i < t->nfield; i++) {
        const perp_field *f = &t->fields[i];
        size_t size = f->type == PERP_FIELD_INT    ? sizeof(int)
                      : f->type == PERP_FIELD_BOOL ? sizeof(bool)
                                                   : sizeof(double);
        if (f->type != PERP_FIELD_INT && f->type != PERP_FIELD_BOOL && f->type != PERP_FIELD_DOUBLE) return false;
        if (!good_name(f->name) || f->offset > t->settings_size || size > t->settings_size - f->offset) return false;
        if (!(f->min <= f->value && f->value <= f->max)) return false;
        for (int j = 0; j < i; j++)
            if (strcmp(t->fields[j].name, f->name) == 0) return false;
    }
    return true;
}

perp_status perp_solver_register(const perp_solver_type *type) {
    if (!type || type->abi != PERP_ABI || !good_name(type->name) || !type->solve) return PERP_E_ARG;
    if (!(type->takes & PERP_CLASS_ALL) || !good_fields(type)) return PERP_E_ARG;
    perp_status s = PERP_OK;
    pthread_mutex_lock(&lock);
    if (find(type->name))
        s = PERP_E_NAME;
    else if (nadded + pp_nbuiltin >= TABLE)
        s = PERP_E_MEMORY;
    else
        added[nadded++] = type;
    pthread_mutex_unlock(&lock);
    return s;
}

const perp_solver_type *perp_solver_find(const char *name) {
    if (!name) return NULL;
    pthread_mutex_lock(&lock);
    const perp_solver_type *t = find(name);
    pthread_mutex_unlock(&lock);
    return t;
}

int perp_solver_count(void) {
    pthread_mutex_lock(&lock);
    int n = pp_nbuiltin + nadded;
    pthread_mutex_unlock(&lock);
    return n;
}

const perp_solver_type *perp_solver_at(int i) {
    pthread_mutex_lock(&lock);
    const perp_solver_type *t = at(i);
    pthread_mutex_unlock(&lock);
    return t;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_rows.c - threads that take stripes of a picture in turn */
#define _POSIX_C_SOURCE 200809L
#include "render/render_rows.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { STRIPE = 16, MOST = 16 };

typedef struct share {
    void (*f)(void *, int, int);
    void *context;
    int rows, first, step; /* stripes first, first + step, ... */
} share;

static void *work(void *of) {
    const share *s = of;
    for (int row = s->first * STRIPE; row < s->rows; row += s->step * STRIPE)
        s->f(s->context, row, row + STRIPE < s->rows ? row + STRIPE : s->rows);
    return NULL;
}

void render_in_rows(int rows, void (*f)(void *context, int from, int to), void *context) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int n = processors < 1 ? 1 : processors > MOST ? MOST : (int)processors;
    share part[MOST];
    pthread_t thread[MOST];
    bool runs[MOST] = {false};
    for (int i = 0; i < n; i++) part[i] = (share){f, context, rows, i, n};
    for (int i = 1; i < n; i++) runs[i] = pthread_create(&thread[i], NULL, work, &part[i]) == 0;
    for (int i = 0; i < n; i++)
        if (!runs[i]) work(&part[i]); /* the first piece, and those for which no thread could be created */
    for (int i = 1; i < n; i++)
        if (runs[i]) pthread_join(thread[i], NULL);
}

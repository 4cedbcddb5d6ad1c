/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loading.c - how long a scene of 10,000 bodies takes to load, and what it holds and held of memory
 *
 * Twice: as a grid by `repeat`, and with every body written out. Bytes are those asked of the allocator, live at the
 * end and at the peak (the reader's own trees included); libyaml's share shows in the resident set. Bodies are spheres,
 * which have no geometry worth mentioning, and boxes, whose corners and faces are given for comparison. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "perp/perp.h"
#include "seconds.h"

#define BODIES 10000

typedef struct count {
    size_t live, peak;
} count;

static void *counted(size_t size, void *ctx) {
    count *c = ctx;
    max_align_t *p = malloc(size + sizeof *p);
    if (!p) return NULL;
    memcpy(p, &size, sizeof size);
    c->live += size;
    if (c->live > c->peak) c->peak = c->live;
    return p + 1;
}

static void uncounted(void *p, void *ctx) {
    count *c = ctx;
    max_align_t *block = (max_align_t *)p - 1;
    size_t size;
    memcpy(&size, block, sizeof size);
    c->live -= size;
    free(block);
}

static void load(const char *what, const char *text, size_t size) {
    count c = {0, 0};
    perp_source_file file = {"scene.yaml", text, size};
    perp_scene_options o = {.file = &file, .nfile = 1, .alloc = {counted, uncounted, &c}};
    perp_scene *s;
    perp_refusal why;
    double start = seconds();
    if (perp_scene_open("scene.yaml", &o, &s, &why)) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    double took = seconds() - start;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%-28s %6.3f s  %5.0f bytes per body kept, %5.0f at the peak; text %4.0f; resident at most %ld kB\n", what,
           took, (double)c.live / BODIES, (double)c.peak / BODIES, (double)size / BODIES, u.ru_maxrss);
    perp_scene_close(s);
}

#define HEAD "perp: 1\ndim: 3\nduration: 1\nbodies:\n"

int main(void) {
    static const char *const shape[] = {"{type: sphere, radius: 0.1}", "{type: box, size: [0.2, 0.2, 0.2]}"};
    static const char *const name[] = {"spheres", "boxes"};
    char *text = malloc(BODIES * 256), what[64];
    if (!text) return 1;
    for (int k = 0; k < 2; k++) {
        int n = sprintf(text,
                        HEAD "  - repeat: {i: 100, j: 10, k: 10}\n    name: body-${i}-${j}-${k}\n"
                             "    at: [0.25*i, 0.25*j, 0.25*k]\n    density: 1000\n    shape: %s\n",
                        shape[k]);
        snprintf(what, sizeof what, "%d %s by repeat", BODIES, name[k]);
        load(what, text, (size_t)n);
        n = sprintf(text, HEAD);
        for (int i = 0; i < BODIES; i++) {
            int x = i % 100, y = i / 100 % 10, z = i / 1000;
            n += sprintf(text + n, "  - {name: body-%d, at: [%g, %g, %g], density: 1000, shape: %s}\n", i, 0.25 * x,
                         0.25 * y, 0.25 * z, shape[k]);
        }
        snprintf(what, sizeof what, "%d %s written out", BODIES, name[k]);
        load(what, text, (size_t)n);
    }
    free(text);
    return 0;
}

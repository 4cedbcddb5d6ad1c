/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_file.c - reads what front_scenes wrote: words and numbers, one object a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

void front_die(const char *what, const char *why) {
    fprintf(stderr, "front: %s: %s\n", what, why);
    exit(2);
}

void *front_memory(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) front_die("memory", "refused");
    return p;
}

static double number(FILE *f, const char *path) {
    double x;
    if (fscanf(f, "%lf", &x) != 1 || !(fabs(x) < 1e12)) front_die(path, "a number is missing or too large");
    return x;
}

static front_vec vector(FILE *f, const char *path) {
    front_vec v;
    for (int k = 0; k < 3; k++) v.x[k] = number(f, path);
    return v;
}

/* The eight corners of a box. */
static void box_points(front_hull *h, front_vec half) {
    h->npoint = 8;
    for (int k = 0; k < 8; k++)
        h->point[k] =
            front_v(k & 1 ? half.x[0] : -half.x[0], k & 2 ? half.x[1] : -half.x[1], k & 4 ? half.x[2] : -half.x[2]);
}

static void read_body(FILE *f, const char *path, front_body *b) {
    char kind[16];
    if (fscanf(f, "%15s", kind) != 1) front_die(path, "a body without a kind");
    b->mass = number(f, path);
    b->inertia = vector(f, path);
    b->pose.p = vector(f, path);
    for (int k = 0; k < 4; k++) b->pose.q[k] = number(f, path);
    b->v = vector(f, path);
    b->w = vector(f, path);
    b->start = number(f, path);
    if (!strcmp(kind, "sphere")) {
        b->kind = FRONT_SPHERE;
        b->radius = number(f, path);
        return;
    }
    b->hull = front_memory(1, sizeof *b->hull);
    if (!strcmp(kind, "box")) {
        b->kind = FRONT_BOX;
        b->half = vector(f, path);
        box_points(b->hull, b->half);
    } else {
        b->kind = FRONT_HULL;
        b->hull->npoint = (int)number(f, path);
        if (strcmp(kind, "hull") || b->hull->npoint < 4 || b->hull->npoint > FRONT_POINTS)
            front_die(path, "allowed are sphere, box, and hull with 4 to 24 points");
        for (int k = 0; k < b->hull->npoint; k++) b->hull->point[k] = vector(f, path);
    }
    if (!front_hull_make(b->hull)) front_die(path, "the points of a body do not make a polyhedron");
}

void front_scene_read(front_scene *s, const char *path) {
    FILE *f = fopen(path, "r");
    char word[32];
    int version = 0, room = 0;
    if (!f) front_die(path, "cannot be read");
    memset(s, 0, sizeof *s);
    if (fscanf(f, "front %d scene %31s", &version, s->name) != 2 || version != 1)
        front_die(path, "is no scene of front_scenes");
    while (fscanf(f, "%31s", word) == 1) {
        if (!strcmp(word, "planar")) {
            s->planar = number(f, path) > 0;
        } else if (!strcmp(word, "gravity")) {
            s->gravity = vector(f, path);
        } else if (!strcmp(word, "mu")) {
            s->mu = number(f, path);
        } else if (!strcmp(word, "duration")) {
            s->duration = number(f, path);
        } else if (!strcmp(word, "plane") && s->nplane < FRONT_PLANES) {
            s->plane[s->nplane].normal = vector(f, path);
            s->plane[s->nplane++].offset = number(f, path);
        } else if (!strcmp(word, "body")) {
            if (s->n == room) {
                room = 2 * room + 16;
                s->body = realloc(s->body, (size_t)room * sizeof *s->body);
                if (!s->body) front_die("memory", "refused");
            }
            memset(&s->body[s->n], 0, sizeof *s->body);
            read_body(f, path, &s->body[s->n++]);
        } else {
            front_die(path, word);
        }
    }
    fclose(f);
    if (!s->n || !(s->duration > 0)) front_die(path, "has no bodies or no duration");
}

void front_scene_free(front_scene *s) {
    for (int i = 0; i < s->n; i++) free(s->body[i].hull);
    free(s->body);
}

int front_outline(const front_body *b, double corner[][2]) {
    const front_hull *h = b->hull;
    for (int f = 0; h && f < h->nface; f++) {
        if (h->normal[f].x[2] < 0.5) continue; /* the face that looks along +z */
        int n = h->start[f + 1] - h->start[f];
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 2; a++) corner[k][a] = h->point[h->corner[h->start[f] + k]].x[a];
        return n;
    }
    front_die("a planar scene", "has a body without a face towards +z");
    return 0;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tosses.c - reads the data of tossed cubes. */
#include "tosses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CHARS = 1024 };

cube cube_default(void) {
    cube c = {.core = 0.0486, .radius = 0.004, .rest = 0.0512, .com_z = 0.005, .k = {0.0026, 0.0026, 0.0026}, .g = 9.6};
    return c;
}

perp_vec3 cube_lowest_corner(const cube *c, perp_quat q_WB) {
    perp_vec3 up_B = perp_q_unrotate(q_WB, perp_v3(0, 0, 1));
    return perp_v3(up_B.x > 0 ? -c->core : c->core, up_B.y > 0 ? -c->core : c->core, up_B.z > 0 ? -c->core : c->core);
}

double cube_gap(const cube *c, perp_pose X_WB) {
    double lowest = perp_pose_apply(X_WB, cube_lowest_corner(c, X_WB.q)).z - c->radius,
           board = c->rest - c->core - c->radius;
    return lowest - board;
}

void toss_set_free(toss_set *s) {
    for (int i = 0; s->toss && i < s->tosses; i++) {
        free(s->toss[i].X_WB);
        free(s->toss[i].v_W);
        free(s->toss[i].w_B);
    }
    free(s->toss);
    free(s->impact);
    *s = (toss_set){0};
}

static perp_vec3 vector_at(const table *t, int row, const int *column) {
    return perp_v3(table_at(t, row, column[0]), table_at(t, row, column[1]), table_at(t, row, column[2]));
}

/* Position and quaternion (w first) from seven columns. */
static perp_pose pose_at(const table *t, int row, const int *column) {
    perp_quat q = {table_at(t, row, column[3]), table_at(t, row, column[4]), table_at(t, row, column[5]),
                   table_at(t, row, column[6])};
    perp_pose X = {vector_at(t, row, column), perp_q_unit(q)};
    return X;
}

static bool read_rows(const char *folder, toss *t, char *why, size_t why_size) {
    static const char *const name[13] = {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};
    char path[PATH_CHARS], reason[160];
    int column[13];
    table rows;
    snprintf(path, sizeof path, "%s/toss-%s.csv", folder, t->name);
    if (!table_read(path, &rows, why, why_size)) return false;
    bool ok = table_columns(&rows, name, 13, column, reason, sizeof reason);
    if (!ok) snprintf(why, why_size, "%s: %s", path, reason);
    size_t n = (size_t)rows.rows;
    if (ok) {
        t->X_WB = malloc(sizeof *t->X_WB * (n + 1));
        t->v_W = malloc(sizeof *t->v_W * (n + 1));
        t->w_B = malloc(sizeof *t->w_B * (n + 1));
        ok = t->X_WB && t->v_W && t->w_B;
        if (!ok) snprintf(why, why_size, "%s: there is not enough memory", path);
    }
    for (int i = 0; ok && i < rows.rows; i++) {
        t->X_WB[i] = pose_at(&rows, i, column);
        t->v_W[i] = vector_at(&rows, i, column + 7);
        t->w_B[i] = vector_at(&rows, i, column + 10);
        ok = perp_v3_finite(t->X_WB[i].p) && perp_q_finite(t->X_WB[i].q) && perp_v3_finite(t->v_W[i]) &&
             perp_v3_finite(t->w_B[i]);
        if (!ok) snprintf(why, why_size, "%s:%d: found a value that is not a number", path, i + 2);
    }
    t->rows = rows.rows;
    table_free(&rows);
    return ok;
}

static bool read_index(const char *folder, const table *check, toss_set *s, char *why, size_t why_size) {
    static const char *const name[15] = {"contact", "start", "x",  "y",  "z",  "qw", "qx", "qy",
                                         "qz",      "vx",    "vy", "vz", "wx", "wy", "wz"};
    char path[PATH_CHARS], reason[160];
    int column[15];
    table index;
    snprintf(path, sizeof path, "%s/index.csv", folder);
    if (!table_read(path, &index, why, why_size)) return false;
    bool ok = table_columns(&index, name, 15, column, reason, sizeof reason);
    if (!ok) snprintf(why, why_size, "%s: %s", path, reason);
    s->toss = calloc((size_t)index.rows + 1, sizeof *s->toss);
    ok = ok && s->toss;
    for (int i = 0; ok && i < index.rows; i++) {
        toss *t = &s->toss[s->tosses++];
        memcpy(t->name, index.key[i], sizeof t->name);
        t->contact = (int)table_at(&index, i, column[0]);
        t->start = (int)table_at(&index, i, column[1]);
        t->X0_WB = pose_at(&index, i, column + 2);
        t->v0_W = vector_at(&index, i, column + 9);
        t->w0_B = vector_at(&index, i, column + 12);
        t->ahead_W = perp_v3_unit(perp_v3(t->v0_W.x, t->v0_W.y, 0));
        for (int k = 0; k < check->rows; k++) t->check = t->check || !strcmp(check->key[k], t->name);
        ok = read_rows(folder, t, why, why_size);
        if (ok && (t->start < 0 || t->start > t->contact || t->contact >= t->rows)) {
            snprintf(why, why_size, "%s:%d: found start %d and contact %d; allowed: rows of the toss, in this order",
                     path, i + 2, t->start, t->contact);
            ok = false;
        }
    }
    table_free(&index);
    return ok;
}

static int toss_find(const toss_set *s, const char *name) {
    for (int i = 0; i < s->tosses; i++)
        if (!strcmp(s->toss[i].name, name)) return i;
    return -1;
}

static bool read_impacts(const char *folder, toss_set *s, char *why, size_t why_size) {
    static const char *const name[20] = {"corners", "x",   "y",   "z",   "qw",  "qx",  "qy",  "qz",  "vx0", "vy0",
                                         "vz0",     "wx0", "wy0", "wz0", "vx1", "vy1", "vz1", "wx1", "wy1", "wz1"};
    char path[PATH_CHARS], reason[160];
    int column[20];
    table t;
    snprintf(path, sizeof path, "%s/impacts.csv", folder);
    if (!table_read(path, &t, why, why_size)) return false;
    bool ok = table_columns(&t, name, 20, column, reason, sizeof reason);
    if (!ok) snprintf(why, why_size, "%s: %s", path, reason);
    s->impact = calloc((size_t)t.rows + 1, sizeof *s->impact);
    ok = ok && s->impact;
    for (int i = 0; ok && i < t.rows; i++) {
        toss_impact *p = &s->impact[s->impacts++];
        p->toss = toss_find(s, t.key[i]);
        p->corners = (int)table_at(&t, i, column[0]);
        p->X_WB = pose_at(&t, i, column + 1);
        for (int k = 0; k < 2; k++) {
            p->v_W[k] = vector_at(&t, i, column + 8 + 6 * k);
            p->w_W[k] = vector_at(&t, i, column + 11 + 6 * k);
        }
        ok = p->toss >= 0 && (i == 0 || p->toss >= p[-1].toss);
        if (!ok)
            snprintf(why, why_size, "%s:%d: found \"%s\"; allowed: tosses of index.csv, in its order", path, i + 2,
                     t.key[i]);
    }
    table_free(&t);
    return ok;
}

bool toss_set_read(const char *folder, const char *check, toss_set *out, char *why, size_t why_size) {
    *out = (toss_set){0};
    table names = {0};
    snprintf(why, why_size, "there is not enough memory"); /* until something better is known */
    bool ok = (!check || table_read(check, &names, why, why_size)) && read_index(folder, &names, out, why, why_size) &&
              read_impacts(folder, out, why, why_size);
    table_free(&names);
    if (!ok) toss_set_free(out);
    return ok;
}

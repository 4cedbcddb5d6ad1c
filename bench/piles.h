/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* piles.h - what the studies of piles have in common: random numbers, figures of a run, counting of corner cases */
#ifndef PILES_H
#define PILES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/perp.h"
#include "seconds.h"
#include "uniform.h"

/* ---- a part of a study ---- */

/* Negative: all of them. */
typedef struct only {
    int pile;
    double h, mu; /* [s], [1] */
} only;

/* --pile N, --h MS or --mu X at argv[*i]; false if it is another option. */
static inline bool read_only(int argc, char **argv, int *i, only *o) {
    double *to = !strcmp(argv[*i], "--h") ? &o->h : !strcmp(argv[*i], "--mu") ? &o->mu : NULL;
    bool pile = !strcmp(argv[*i], "--pile");
    if ((!pile && !to) || *i + 1 >= argc) return false;
    char *end;
    double x = strtod(argv[++*i], &end);
    if (*end || !(x >= 0 && x < 1e6)) return false;
    if (pile) o->pile = (int)x;
    if (to) *to = to == &o->h ? x / 1000 : x;
    return true;
}

static inline bool wanted(const only *o, int pile, double h, double mu) {
    return (o->pile < 0 || o->pile == pile) && (o->h < 0 || fabs(o->h - h) < 1e-9) && (o->mu < 0 || o->mu == mu);
}

/* ---- figures ---- */

typedef struct figures {
    long steps, unsolved, divided, parts, fallbacks;
    double depth, total;   /* deepest overlap [m]; largest sum of overlaps at any time [m^2 or m^3] */
    double gain, relative; /* most energy that contact added in a step [J], and as a part of the kinetic energy */
    double least;          /* smallest kinetic energy that `relative` divides by [J] */
    long contacts, traps, most_contacts, most_traps, most_unknowns;
    double seconds;
} figures;

static inline void note_step(figures *f, const perp_certificate *c, double total) {
    double gain = c->ledger.normal + c->ledger.friction, kinetic = fmax(c->ledger.kinetic_after, f->least);
    f->steps++;
    f->divided += c->substeps > 1;
    f->parts += c->substeps;
    f->fallbacks += c->fallbacks;
    f->depth = fmax(f->depth, c->overlap);
    f->total = fmax(f->total, total);
    f->gain = fmax(f->gain, gain);
    f->relative = fmax(f->relative, gain / kinetic);
    f->contacts += c->contacts;
    if (c->contacts > f->most_contacts) f->most_contacts = c->contacts;
    if (c->unknowns > f->most_unknowns) f->most_unknowns = c->unknowns;
}

/* Contacts may add a thousandth of the kinetic energy of the free motion in a step (src/method/peg/peg_check.c), which is a little
 * more than that of the end, */
#define MOST_GAIN 2e-3

/* and a step in which they add more is told. */
static inline void print_gain(const figures *f, const perp_certificate *c, int pile, double h, double mu) {
    double gain = c->ledger.normal + c->ledger.friction, kinetic = fmax(c->ledger.kinetic_after, f->least);
    if (!(gain > MOST_GAIN * kinetic)) return;
    printf("  energy by contact: %.3g J, %.1f %%: pile %d, h = %g, mu = %g, t = %g, %d contacts, %d parts\n", gain,
           100 * gain / kinetic, pile, h, mu, c->t, c->contacts, c->substeps);
}

static inline void add_figures(figures *sum, const figures *f) {
    sum->steps += f->steps;
    sum->unsolved += f->unsolved;
    sum->divided += f->divided;
    sum->parts += f->parts;
    sum->fallbacks += f->fallbacks;
    sum->depth = fmax(sum->depth, f->depth);
    sum->total = fmax(sum->total, f->total);
    sum->gain = fmax(sum->gain, f->gain);
    sum->relative = fmax(sum->relative, f->relative);
    sum->contacts += f->contacts;
    sum->traps += f->traps;
    if (f->most_contacts > sum->most_contacts) sum->most_contacts = f->most_contacts;
    if (f->most_traps > sum->most_traps) sum->most_traps = f->most_traps;
    if (f->most_unknowns > sum->most_unknowns) sum->most_unknowns = f->most_unknowns;
    sum->seconds += f->seconds;
}

static inline void print_head(int dim) {
    printf("%-12s %5s %4s %8s %8s %9s %9s %9s %9s %7s %8s %8s %8s %8s\n", "piles", "h/ms", "mu", "steps", "unsolved",
           "divided/%", "depth/m", dim == 2 ? "area/m2" : "volume/m3", "gain/J", "gain/KE", "contacts", "traps",
           "unknowns", "ms/step");
}

static inline void print_figures(const char *name, double h, double mu, const figures *f) {
    double n = f->steps ? (double)f->steps : 1;
    printf("%-12s %5g %4g %8ld %8ld %9.3f %9.1e %9.1e %9.1e %7.0e %8.1f %8.2f %8ld %8.3f\n", name, 1000 * h, mu,
           f->steps, f->unsolved, 100 * (double)f->divided / n, f->depth, f->total, f->gain, f->relative,
           (double)f->contacts / n, (double)f->traps / n, f->most_unknowns, 1000 * f->seconds / n);
    fflush(stdout);
}

/* ---- corner cases (Williams' standard-model traps) ---- */

typedef struct placed_hull {
    int body, npoint;
    perp_vec3 *p;   /* corners in the world */
    int (*edge)[2]; /* 3D */
    int nedge;
    perp_vec3 lo, hi;
    double reach; /* how far a corner may go in a step [L] */
} placed_hull;

static inline double distance_to_segment(perp_vec3 a, perp_vec3 b, perp_vec3 x) {
    perp_vec3 d = perp_v3_sub(b, a);
    double s = perp_v3_dot(perp_v3_sub(x, a), d) / perp_v3_dot(d, d);
    return perp_v3_norm(perp_v3_sub(x, perp_v3_axpy(a, fmin(fmax(s, 0), 1), d)));
}

/* Corners of one body that are so near to a corner (3D: an edge) of another that they may reach two of its facets within
 * a step: there one half-space alone does not tell what is free. */
static inline long count_traps(const placed_hull *hull, int n) {
    long traps = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const placed_hull *a = &hull[i], *b = &hull[j];
            double near = a->reach + b->reach;
            if (i == j || a->lo.x > b->hi.x + near || b->lo.x > a->hi.x + near || a->lo.y > b->hi.y + near ||
                b->lo.y > a->hi.y + near || a->lo.z > b->hi.z + near || b->lo.z > a->hi.z + near)
                continue;
            for (int k = 0; k < a->npoint; k++) {
                double least = INFINITY;
                for (int m = 0; b->nedge == 0 && m < b->npoint; m++)
                    least = fmin(least, perp_v3_norm(perp_v3_sub(a->p[k], b->p[m])));
                for (int m = 0; m < b->nedge; m++)
                    least = fmin(least, distance_to_segment(b->p[b->edge[m][0]], b->p[b->edge[m][1]], a->p[k]));
                traps += least <= near;
            }
        }
    return traps;
}

static inline void *must(void *p) {
    if (!p) {
        fputs("not enough memory\n", stderr);
        exit(3);
    }
    return p;
}

/* The hulls of a world's bodies before a step of h; owned by the caller, free_hulls(). */
static inline placed_hull *place_hulls(const perp_world *w, double h, double gravity, int *n) {
    int ns = perp_world_shapes(w, NULL, 0);
    perp_shape_id *id = must(malloc(sizeof *id * (size_t)(ns + 1)));
    placed_hull *hull = must(calloc((size_t)ns + 1, sizeof *hull));
    perp_world_shapes(w, id, ns);
    *n = 0;
    for (int i = 0; i < ns; i++) {
        perp_shape_view v;
        perp_pose X;
        perp_vec3 lin, ang;
        if (perp_shape_get(w, id[i], &v) || v.def.npoint == 0 || perp_body_pose(w, v.body, &X)) continue;
        placed_hull *q = &hull[(*n)++];
        X = perp_pose_mul(X, v.def.X_BS);
        q->npoint = v.def.npoint;
        q->p = must(malloc(sizeof *q->p * (size_t)q->npoint));
        q->lo = perp_v3(INFINITY, INFINITY, INFINITY);
        q->hi = perp_v3(-INFINITY, -INFINITY, -INFINITY);
        double radius = 0;
        for (int k = 0; k < q->npoint; k++) {
            perp_vec3 p = q->p[k] = perp_pose_apply(X, v.def.points[k]);
            radius = fmax(radius, perp_v3_norm(v.def.points[k]));
            q->lo = perp_v3(fmin(q->lo.x, p.x), fmin(q->lo.y, p.y), fmin(q->lo.z, p.z));
            q->hi = perp_v3(fmax(q->hi.x, p.x), fmax(q->hi.y, p.y), fmax(q->hi.z, p.z));
        }
        perp_body_velocity(w, v.body, &lin, &ang);
        perp_body_def d;
        bool moves = !perp_body_get(w, v.body, &d) && d.kind == PERP_BODY_DYNAMIC;
        q->reach = moves ? h * (perp_v3_norm(lin) + radius * perp_v3_norm(ang) + h * gravity) : 0;
        int most = v.nface > 0 ? v.face_start[v.nface] : 0;
        q->edge = must(malloc(sizeof *q->edge * (size_t)(most + 1)));
        for (int f = 0; f < v.nface; f++)
            for (int k = v.face_start[f]; k < v.face_start[f + 1]; k++) {
                int a = v.face[k], b = v.face[k + 1 < v.face_start[f + 1] ? k + 1 : v.face_start[f]];
                if (a > b) continue; /* the neighbour face has it the other way round */
                q->edge[q->nedge][0] = a;
                q->edge[q->nedge++][1] = b;
            }
    }
    free(id);
    return hull;
}

static inline void free_hulls(placed_hull *hull, int n) {
    for (int i = 0; i < n; i++) {
        free(hull[i].p);
        free(hull[i].edge);
    }
    free(hull);
}

static inline void note_traps(figures *f, const perp_world *w, double h) {
    int n;
    placed_hull *hull = place_hulls(w, h, 9.81, &n);
    long traps = count_traps(hull, n);
    free_hulls(hull, n);
    f->traps += traps;
    if (traps > f->most_traps) f->most_traps = traps;
}

/* One step of pile number `pile` and its figures; `measure`: the total overlap as well, which takes long. False: not solved, and told. */
static inline bool watched_step(perp_world *w, figures *f, int pile, double h, double mu, bool measure) {
    note_traps(f, w, h);
    perp_certificate c;
    double begun = seconds(), total = 0;
    if (perp_world_step(w, &c)) {
        f->unsolved++;
        f->steps++;
        printf("  not solved: pile %d, h = %g, mu = %g, t = %g: %s\n", pile, h, mu, perp_world_time(w),
               perp_world_why(w));
        return false;
    }
    f->seconds += seconds() - begun;
    if (measure) (void)perp_world_overlap_total(w, &total, NULL);
    note_step(f, &c, total);
    print_gain(f, &c, pile, h, mu);
    return true;
}

/* ---- the study ---- */

/* Runs one pile of a kind; defined by each study. */
typedef void pile_run(int kind, int pile, double h, double mu, figures *f);

/* Piles first .. first + n - 1 of a kind at each h, with mu = 0 and 0.5. False: a step was not
 * solved, overlap was over the limits [m], [m^2 or m^3], or contacts gained too much. */
static inline bool study_piles(const char *name, pile_run *run, int kind, const only *part, int first, int n,
                               const double *h, int nh, double most_depth, double most_total) {
    bool good = true;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < nh; i++) {
            figures sum = {0};
            for (int p = first; p < first + n; p++) {
                if (!wanted(part, p, h[i], 0.5 * m)) continue;
                figures f = {0};
                run(kind, p, h[i], 0.5 * m, &f);
                add_figures(&sum, &f);
            }
            if (sum.steps) print_figures(name, h[i], 0.5 * m, &sum);
            good = good && sum.unsolved == 0 && sum.depth <= most_depth && sum.total <= most_total &&
                   sum.relative <= MOST_GAIN;
        }
    return good;
}

#endif

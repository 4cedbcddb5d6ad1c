/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lcp_contacts.c - the LCPs that perp itself makes of its scenes
 *
 * A solver of our own, named to the world as any user may name one, copies what it is handed and lets lemke answer. So
 * joints are eliminated, friction is a pyramid and scales are set just as in a simulation. Scenes: random bodies with
 * joints and redundant contacts, piles of grains, towers with a heavy sphere on top. */
#include "lcp_contacts.h"

#include <stdlib.h>
#include <string.h>

#include "perp/plugin.h"
#include "scenes.h"

enum {
    STEPS = 60, /* of a scene */
    EVERY = 6,  /* of its problems that are taken, since neighbours are alike ... */
    LARGE = 60, /* ... if they are not this large */
};

typedef struct copy {
    struct copy *next;
    int n;
    double numbers[]; /* M, q, z_scale, w_scale */
} copy;

struct lcp_contacts {
    unsigned seed, scenes;
    scene now;
    int left, seen; /* steps of the scene at hand; problems so far */
    const char *kind;
    copy *first, **last; /* waiting to be handed out */
    copy *out;           /* handed out */
    bool no_memory;
};

/* Where the solver puts its copies. A solver has no context of its own. */
static _Thread_local lcp_contacts *collector;

static perp_outcome copy_and_solve(const perp_problem *p, const void *settings, double *z, void *work,
                                   const perp_call *call, perp_solve_info *info) {
    (void)settings, (void)work, (void)call;
    size_t n = (size_t)p->as.lcp.n;
    lcp_contacts *c = collector;
    bool fits = c && n > 0 && n <= LCP_FAMILY_MOST && p->z_scale && p->w_scale;
    if (fits && (n >= LARGE || c->seen++ % EVERY == 0)) {
        copy *k = malloc(sizeof *k + sizeof(double) * (n * n + 3 * n));
        if (k) {
            k->next = NULL;
            k->n = (int)n;
            memcpy(k->numbers, p->as.lcp.M, sizeof(double) * n * n);
            memcpy(k->numbers + n * n, p->as.lcp.q, sizeof(double) * n);
            memcpy(k->numbers + n * n + n, p->z_scale, sizeof(double) * n);
            memcpy(k->numbers + n * n + 2 * n, p->w_scale, sizeof(double) * n);
            *c->last = k;
            c->last = &k->next;
        } else {
            c->no_memory = true;
        }
    }
    perp_solve_info inner;
    if (perp_problem_solve(p, "lemke", z, &inner)) return PERP_OUTCOME_MEMORY;
    info->iterations = inner.iterations;
    return inner.outcome;
}

static const perp_solver_type capturing = {
    .abi = PERP_ABI,
    .name = "lcp-contacts",
    .source = "none: copies the problem",
    .takes = PERP_LCP,
    .solve = copy_and_solve,
};

static void next_scene(lcp_contacts *c) {
    unsigned k = c->scenes++, seed = 7919 * c->seed + k;
    perp_world_def def = perp_world_def_default(k % 3 ? 3 : 2);
    def.contact_model = "one-plane"; /* one problem a step, */
    def.geometry = PERP_GEOMETRY_ONCE; /* for joints too */
    def.solver = capturing.name;
    def.no_fallback = true;
    def.h = 0.01;
    def.start = PERP_START_PLAIN; /* no problem of a start comes between */
    def.warm_start = false;
    def.max_halvings = 0;
    def.friction_directions = 4 + 2 * (int)(k % 3);
    double mu = (double)(k % 7) / 6, ratio = k % 4 ? 1e4 : 1;
    switch (k % 5) {
    case 0:
    case 1: c->now = scene_random(def, seed, scene_view_plain(), false), c->kind = "random bodies"; break;
    case 2: c->now = scene_pile(def, 2 + (int)(k % 9), mu, 0.5, ratio, seed), c->kind = "pile"; break;
    case 3:
        def.dim = 3, def.gravity_W = perp_v3(0, 0, -9.81);
        c->now = scene_tower(def, 1 + (int)(k % 9), 0, mu), c->kind = "tower";
        break;
    default:
        def.dim = 3, def.gravity_W = perp_v3(0, 0, -9.81);
        c->now = scene_mass_ratio(def, ratio, mu), c->kind = "mass ratio";
    }
    c->left = k % 5 < 3 ? STEPS : EVERY; /* the others stand still */
}

lcp_contacts *lcp_contacts_new(unsigned seed) {
    (void)perp_solver_register(&capturing); /* PERP_E_NAME: it is there already */
    lcp_contacts *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->seed = seed;
    c->last = &c->first;
    return c;
}

bool lcp_contacts_next(lcp_contacts *c, lcp_instance *out) {
    while (!c->first) {
        if (c->left == 0) {
            if (c->now.w) scene_end(&c->now);
            next_scene(c);
        }
        c->left--;
        collector = c;
        if (perp_world_step(c->now.w, NULL)) c->left = 0;
        collector = NULL;
        if (c->no_memory) return false;
    }
    free(c->out);
    copy *k = c->out = c->first;
    c->first = k->next;
    if (!c->first) c->last = &c->first;
    ptrdiff_t n = k->n;
    const double *M = k->numbers, *q = M + n * n;
    *out = (lcp_instance){.n = k->n, .kind = c->kind, .must = true};
    out->problem = (perp_problem){.cls = PERP_LCP, .as.lcp = {k->n, M, q}, .z_scale = q + n, .w_scale = q + 2 * n};
    return true;
}

void lcp_contacts_free(lcp_contacts *c) {
    if (!c) return;
    if (c->now.w) scene_end(&c->now);
    free(c->out);
    while (c->first) {
        copy *k = c->first;
        c->first = k->next;
        free(k);
    }
    free(c);
}

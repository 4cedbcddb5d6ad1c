/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pour_perp.c - pouring with perp, through its public headers only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "perp/perp.h"

typedef struct world {
    perp_world *w;
    perp_body_id *body;
    int n;
} world;

static void say(char *why, size_t size, const char *sentence) { (void)snprintf(why, size, "%s", sentence); }

/* name=value */
static perp_status apply(perp_world *w, const char *setting) {
    char name[64];
    const char *equals = strchr(setting, '=');
    if (!equals || (size_t)(equals - setting) >= sizeof name) return PERP_E_NAME;
    memcpy(name, setting, (size_t)(equals - setting));
    name[equals - setting] = 0;
    char *end;
    double value = strtod(equals + 1, &end);
    return *end || end == equals + 1 ? PERP_E_ARG : perp_world_set(w, name, value);
}

static perp_world_def definition(const pour_scene *s, const perp_choice *c) {
    perp_world_def d = perp_world_def_default(3);
    d.h = s->h;
    d.form = !strcmp(c->form, "lcp") ? PERP_FORM_LCP : !strcmp(c->form, "mlcp") ? PERP_FORM_MLCP : PERP_FORM_CONE;
    d.geometry = c->once ? PERP_GEOMETRY_ONCE : PERP_GEOMETRY_ITERATED;
    if (c->contact_model) d.contact_model = c->contact_model;
    if (c->stepper) d.stepper = c->stepper;
    if (c->solver) d.solver = c->solver;
    if (c->tolerance > 0) d.tolerance = c->tolerance;
    return d;
}

static bool add_obstacles(perp_world *w, const pour_scene *s) {
    const struct {
        perp_vec3 n;
        double offset;
    } plane[] = {{{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{0, 1, 0}, 0}, {{-1, 0, 0}, -s->width}, {{0, -1, 0}, -s->width}};
    for (int k = 0; k < (s->walls ? 5 : 1); k++) {
        perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def shape = perp_shape_halfspace(plane[k].n, plane[k].offset);
        perp_body_id b;
        if (perp_body_add(w, &d, &b) || perp_shape_add(w, b, &shape, NULL)) return false;
    }
    return true;
}

static bool add_grains(world *w, const pour_scene *s) {
    perp_shape_def shape = s->cubes ? perp_shape_box(s->half, s->half, s->half) : perp_shape_sphere(s->half);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    if (perp_body_def_mass(&d, &shape, 3, s->density)) return false;
    for (int i = 0; i < s->n; i++) {
        const peer_pose *x = &s->start[i];
        d.X_WB.p = perp_v3(x->p[0], x->p[1], x->p[2]);
        d.X_WB.q = (perp_quat){x->q[0], x->q[1], x->q[2], x->q[3]};
        if (perp_body_add(w->w, &d, &w->body[i]) || perp_shape_add(w->w, w->body[i], &shape, NULL)) return false;
    }
    return true;
}

static void destroy(void *self) {
    world *w = self;
    perp_world_destroy(w->w);
    free(w->body);
    free(w);
}

static void *create(const pour_scene *s, const perp_choice *c, char *why, size_t size) {
    world *w = peer_memory(1, sizeof *w);
    w->body = peer_memory((size_t)s->n, sizeof *w->body);
    w->n = s->n;
    perp_world_def d = definition(s, c);
    if (perp_world_create_why(&d, &w->w, why, size)) {
        destroy(w);
        return NULL;
    }
    bool good = add_obstacles(w->w, s) && add_grains(w, s) &&
                !perp_pair_set_all(w->w, (perp_pair_law){.mu = s->mu, .restitution = 0});
    if (!good) say(why, size, perp_world_why(w->w));
    for (int k = 0; good && k < PEER_SETTINGS && c->setting[k]; k++)
        if (apply(w->w, c->setting[k])) {
            (void)snprintf(why, size, "setting %s: unknown, or not a number in its range", c->setting[k]);
            good = false;
        }
    if (good) return w;
    destroy(w);
    return NULL;
}

static bool step(void *self, char *why, size_t size) {
    world *w = self;
    if (!perp_world_step(w->w, NULL)) return true;
    say(why, size, perp_world_why(w->w));
    return false;
}

static void read_state(void *self, peer_pose *pose, double *speed, int *contacts) {
    world *w = self;
    const perp_contact *c;
    int all = perp_world_contacts(w->w, &c);
    *contacts = 0;
    for (int k = 0; k < all; k++) *contacts += c[k].state != PERP_CONTACT_SEPARATING;
    for (int i = 0; i < w->n; i++) {
        perp_pose X;
        perp_vec3 v;
        if (perp_body_pose(w->w, w->body[i], &X) || perp_body_velocity(w->w, w->body[i], &v, NULL))
            peer_die("perp", "a body is gone");
        pose[i] = (peer_pose){{X.p.x, X.p.y, X.p.z}, {X.q.w, X.q.x, X.q.y, X.q.z}};
        speed[i] = perp_v3_norm(v);
    }
}

const pour_engine pour_perp = {"perp", create, step, read_state, destroy};

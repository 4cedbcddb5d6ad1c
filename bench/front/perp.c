/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* perp.c - perp on a scene of the front
 *
 * Settings: tolerance (1e-8), dim=auto|2|3 (auto: as the scene), form=auto|cone. Everything else is perp's default. */
#include <stdio.h>
#include <stdlib.h>

#include "front.h"
#include "perp/perp.h"

typedef struct world {
    perp_world *w;
    const front_scene *scene;
    perp_body_id *body;
    int *body_of; /* shape slot: body, -1 for a half-space */
    int nshape;
    int dim;
    perp_certificate certificate;
} world;

static perp_vec3 vec(front_vec v) { return perp_v3(v.x[0], v.x[1], v.x[2]); }
static front_vec back(perp_vec3 v) { return front_v(v.x, v.y, v.z); }

static void check(const world *w, perp_status s) {
    if (s) front_die("perp", perp_world_why(w->w));
}

static void add_shape(world *w, perp_body_id b, const perp_shape_def *d, int body) {
    perp_shape_id id;
    check(w, perp_shape_add(w->w, b, d, &id));
    if ((int)id.slot >= w->nshape) front_die("perp", "slots of shapes are not counted from 0");
    w->body_of[id.slot] = body;
}

static void add_bodies(world *w, const front_scene *s) {
    for (int i = 0; i < s->n; i++) {
        const front_body *b = &s->body[i];
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        perp_vec3 point[FRONT_POINTS];
        double outline[FRONT_POINTS][2];
        perp_shape_def shape = b->kind == FRONT_SPHERE ? perp_shape_sphere(b->radius)
                                                       : perp_shape_box(b->half.x[0], b->half.x[1], b->half.x[2]);
        d.mass = b->mass;
        d.I_B = (perp_mat3){{{b->inertia.x[0], 0, 0}, {0, b->inertia.x[1], 0}, {0, 0, b->inertia.x[2]}}};
        d.X_WB.p = vec(b->pose.p);
        d.X_WB.q = (perp_quat){b->pose.q[0], b->pose.q[1], b->pose.q[2], b->pose.q[3]};
        d.v_W = vec(b->v);
        d.w_W = vec(b->w);
        d.no_gravity = b->start > 0;
        if (b->kind == FRONT_HULL && w->dim == 3) {
            for (int k = 0; k < b->hull->npoint; k++) point[k] = vec(b->hull->point[k]);
            shape = perp_shape_polyhedron(point, b->hull->npoint);
        } else if (b->kind == FRONT_HULL) {
            int n = front_outline(b, outline);
            for (int k = 0; k < n; k++) point[k] = perp_v3(outline[k][0], outline[k][1], 0);
            shape = perp_shape_polygon(point, n);
        }
        check(w, perp_body_add(w->w, &d, &w->body[i]));
        add_shape(w, w->body[i], &shape, i);
    }
}

static void *create(const front_scene *s, double h, front_settings *settings) {
    static const char *const dims[] = {"auto", "2", "3", NULL}, *const forms[] = {"auto", "cone", NULL};
    world *w = front_memory(1, sizeof *w);
    int dim = front_word(settings, "dim", dims);
    char why[256];
    w->dim = dim ? dim + 1 : s->planar ? 2 : 3;
    if (w->dim == 2 && !s->planar) front_die("dim=2", "wants a planar scene");
    perp_world_def d = perp_world_def_default(w->dim);
    d.h = h;
    d.gravity_W = vec(s->gravity);
    d.form = front_word(settings, "form", forms) ? PERP_FORM_CONE : PERP_FORM_AUTO;
    d.tolerance = front_number(settings, "tolerance", d.tolerance);
    if (perp_world_create_why(&d, &w->w, why, sizeof why)) front_die("perp", why);
    w->scene = s;
    w->nshape = s->n + s->nplane + 1;
    w->body = front_memory((size_t)s->n, sizeof *w->body);
    w->body_of = front_memory((size_t)w->nshape, sizeof *w->body_of);
    for (int k = 0; k < s->nplane; k++) {
        perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def shape = perp_shape_halfspace(vec(s->plane[k].normal), s->plane[k].offset);
        perp_body_id id;
        check(w, perp_body_add(w->w, &b, &id));
        add_shape(w, id, &shape, -1);
    }
    add_bodies(w, s);
    check(w, perp_pair_set_all(w->w, (perp_pair_law){.mu = s->mu}));
    return w;
}

/* The force replaces gravity, which a body that began without it cannot get back. */
static void weigh(void *self, int i) {
    world *w = self;
    check(w, perp_body_set_force(w->w, w->body[i], perp_v3_scale(w->scene->body[i].mass, vec(w->scene->gravity)),
                                 perp_v3(0, 0, 0)));
}

static bool step(void *self, bool look) {
    world *w = self;
    (void)look;
    return perp_world_step(w->w, &w->certificate) == PERP_OK;
}

static void poses(void *self, front_pose *pose) {
    world *w = self;
    for (int i = 0; i < w->scene->n; i++) {
        perp_pose X;
        check(w, perp_body_pose(w->w, w->body[i], &X));
        pose[i] = (front_pose){back(X.p), {X.q.w, X.q.x, X.q.y, X.q.z}};
    }
}

/* Of a step that was divided perp gives the contacts of the last part only. */
static int contacts(void *self, front_contact *out, int max) {
    world *w = self;
    const perp_contact *c;
    int all = perp_world_contacts(w->w, &c), n = 0;
    if (w->certificate.substeps > 1) return -1;
    for (int k = 0; k < all && n < max; k++) {
        int a = w->body_of[c[k].a.slot], b = w->body_of[c[k].b.slot];
        bool swap = b < 0; /* the impulse is on B: its body comes first, unless it is a half-space */
        double sign = swap ? -1 : 1;
        if (c[k].state == PERP_CONTACT_SEPARATING) continue;
        perp_vec3 f = perp_v3_scale(c[k].impulse_C[0], c[k].n_W);
        f = perp_v3_axpy(f, c[k].impulse_C[1], c[k].t_W);
        f = perp_v3_axpy(f, c[k].impulse_C[2], c[k].o_W);
        out[n++] = (front_contact){.a = swap ? a : b,
                                   .b = swap ? b : a,
                                   .on_a = back(swap ? c[k].a_W : c[k].b_W),
                                   .on_b = back(swap ? c[k].b_W : c[k].a_W),
                                   .normal = front_scale(sign, back(c[k].n_W)),
                                   .impulse = front_scale(sign, back(f))};
    }
    return n;
}

static const char *why(void *self) { return perp_world_why(((world *)self)->w); }

static const front_engine engine = {"perp", create, weigh, step, poses, contacts, why};

int main(int argc, char **argv) { return front_run(&engine, argc, argv); }

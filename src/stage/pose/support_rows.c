/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* support_rows.c - friction at the three points on which planar bodies rest
 *
 * Method   A support is a contact of the body with its plane whose normal impulse p is known. As a row of the step problem it has no lever arm
 *          on any body and a compliance c: 0 <= p_n _|_ c (p_n - p) >= 0, so p_n = p. Its friction has the two directions of the plane.
 *          So the problem counts as three-dimensional, with bodies of three degrees of freedom. Contacts within the plane keep
 *          one line of friction, as two directions. */
#include "stage/pose/support_rows.h"

#include <math.h>

#include "problem/rows.h"
#include "base/elementary.h"

const char *const pp_support_models[] = {"peg", "one-plane", "corrective", NULL};

static bool rubs(const pp_body *b, int i) { return b->support[i].load > 0 && b->support[i].mu > 0; }

double pp_support_press(const perp_world *w) { return w->chosen.stepper->supports ? w->def.press : 0; }

int pp_support_count(const pp_frame *f) {
    int n = 0;
    for (int k = 0; f->w->chosen.stepper->supports && k < f->control.nblock; k++) {
        const pp_body *b = &f->w->body[f->control.block_body[k]];
        for (int i = 0; b->support && i < 3; i++) n += rubs(b, i);
    }
    return n;
}

/* Row of the velocity along d of the point r (from the centre, in world axes) of block k. */
static perp_row row_at(const pp_frame *f, int k, perp_vec3 d, perp_vec3 r) {
    perp_row row = {.block = {-1, k}, .J = {{0}, {d.x, d.y}}};
    if (f->control.block_ndof[k] == 3) row.J[1][2] = r.x * d.y - r.y * d.x;
    return row;
}

/* Angle of the first direction of a pyramid: opposite to the slip without friction, if there is slip. */
static double first_direction(const pp_frame *f, const perp_contact_row *c, const double *nu_free, double noise) {
    if (f->w->def.friction_frame == PERP_FRICTION_FIXED) return 0;
    double t = pp_row_dot(&f->pose.problem, &c->t, nu_free), o = pp_row_dot(&f->pose.problem, &c->o, nu_free);
    return pp_hypot(t, o) > noise ? pp_atan2(-o, -t) : 0;
}

void pp_support_rows(pp_frame *f, const double *nu_free, double noise, perp_contact_row *row) {
    const perp_world *w = f->w;
    for (int i = 0; i < f->contacts.n; i++)
        if (row[i].nd == PERP_CONE_DIRECTIONS) row[i].nd = 2;
    perp_contact_row *out = row + f->contacts.n;
    double press = pp_support_press(w);
    for (int k = 0; k < f->control.nblock; k++) {
        const pp_body *b = &w->body[f->control.block_body[k]];
        perp_quat q = f->s0->X[f->control.block_body[k]].q;
        for (int i = 0; b->support && i < 3; i++) {
            if (!rubs(b, i)) continue;
            perp_vec3 r = perp_q_rotate(q, perp_v3(b->support[i].x, b->support[i].y, 0));
            perp_contact_row *c = out++;
            *c = (perp_contact_row){.n = {.block = {-1, k}}, /* without lever arm */
                                    .r = {.block = {-1, k}},
                                    .b_n = -f->h * press * b->support[i].load, /* c p = (load m press h)/m */
                                    .compliance = 1 / b->mass,
                                    .mu = b->support[i].mu,
                                    .nd = w->def.form == PERP_FORM_CONE ? PERP_CONE_DIRECTIONS
                                                                        : w->def.friction_directions,
                                    .contact = -1};
            c->t = row_at(f, k, perp_v3(1, 0, 0), r);
            c->o = row_at(f, k, perp_v3(0, 1, 0), r);
            if (c->nd > 0) c->phase = first_direction(f, c, nu_free, noise);
        }
    }
    f->pose.problem.dim = 3;
    f->pose.problem.ncontact = (int)(out - row);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* second_order_shift.c - friction that is symmetric in time
 *
 * Problem  The second kick uses the slip at the end of the step, with the velocity of the end. The first kick must mirror it.
 * Method   A sliding contact gets the slip at the start of the step, with the velocity of the start. A sticking or rolling contact moves with
 *          the velocity of the middle, and the mean of its slips at both ends must vanish: its rows change during the step, as lever
 *          arms and normals rotate, and the rows of the start alone would leave an error of first order in the position. A pyramid is
 *          turned to the slip of the middle in both kicks instead: its corner is the direction of friction.
 *          The friction law uses the slip of the start row plus a shift, which is found from the last solution by a chord method, as for
 *          joints. A contact that is about to stop or to reverse keeps the plain law, and so does one that arrives. Such steps are of
 *          first order, once. */
#include <math.h>

#include "stage/control/belt.h"
#include "problem/rows.h"
#include "stage/pose/rebound.h"
#include "method/stepper/second_order_kicks.h"

#define SAME_WAY 0.9 /* [1] a contact continues to slide if the cosine between its slip directions exceeds this */

/* Motion of B relative to A at a contact. */
typedef struct slip {
    perp_vec3 s_W; /* along the surface [L/T] */
    double spin;   /* about the normal [1/T] */
    perp_vec3 w_W; /* about the tangents [1/T] */
} slip;

/* Input of the friction law of one contact: a shift of its slip velocity, and the slip velocity that a friction pyramid is turned to [L/T]. */
typedef struct friction_input {
    slip shift;
    perp_vec3 aim_W;
} friction_input;

/* Velocities of kinematic bodies, by body slot. */
typedef struct driven {
    const perp_vec3 *v, *w;
    bool before; /* of surfaces that move: pp_belt.before_B, not now_B */
} driven;

/* Slip at the poses `at`, with velocities nu of the dynamic bodies and those of `by` for the others. Friction acts on
 * both bodies at one point, see formulate.c. */
static slip slip_of(const pp_frame *f, const perp_contact *c, const int *shape, const pp_state *at, driven by,
                    const double *nu) {
    int body[2] = {f->w->shape[shape[0]].body, f->w->shape[shape[1]].body};
    const double sign[2] = {-1, 1};
    bool both = f->control.block[body[0]] >= 0 && f->control.block[body[1]] >= 0;
    perp_vec3 middle = perp_v3_scale(0.5, perp_v3_add(c->a_W, c->b_W)), v = {0, 0, 0}, w = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        int b = body[k], blk = f->control.block[b], dim = f->w->def.dim;
        perp_vec3 point = both ? middle : k ? c->b_W : c->a_W, vb = by.v[b], wb = by.w[b];
        perp_vec3 centre = (blk >= 0 ? at : f->demand.levers ? f->demand.levers : f->s1)->X[b].p;
        if (blk >= 0) {
            const double *x = nu + f->control.block_offset[blk];
            int nd = f->control.block_ndof[blk];
            vb = perp_v3(x[0], x[1], dim == 3 ? x[2] : 0);
            wb = dim == 2 ? perp_v3(0, 0, nd == 3 ? x[2] : 0) : nd == 6 ? perp_v3(x[3], x[4], x[5]) : perp_v3(0, 0, 0);
        } else if (f->w->body[b].kind != PERP_BODY_KINEMATIC) {
            continue;
        }
        vb = perp_v3_add(vb, perp_v3_cross(wb, perp_v3_sub(point, centre)));
        v = perp_v3_axpy(v, sign[k], vb);
        w = perp_v3_axpy(w, sign[k], wb);
    }
    v = perp_v3_add(v, pp_belt_slip(f, shape, by.before));
    double spin = perp_v3_dot(w, c->n_W);
    return (slip){perp_v3_axpy(v, -perp_v3_dot(v, c->n_W), c->n_W), spin, perp_v3_axpy(w, -spin, c->n_W)};
}

/* Rotates a tangent vector at normal n to normal m by the smallest rotation. */
static perp_vec3 carried(perp_vec3 s, perp_vec3 n, perp_vec3 m) {
    double c = 1 + perp_v3_dot(n, m);
    return c > 0.1 ? perp_v3_axpy(s, -perp_v3_dot(m, s) / c, perp_v3_add(n, m)) : s;
}

/* The contact of `end` that corresponds to contact i of f, or NULL. */
static const perp_contact *same_contact_at_end(const pp_frame *f, int i, const pp_frame *end, const int **shape) {
    const int *s = f->contacts.shape + 2 * i;
    const perp_contact *only = NULL;
    int n = 0;
    for (int j = 0; j < end->contacts.n; j++) {
        const int *e = end->contacts.shape + 2 * j;
        if (e[0] != s[0] || e[1] != s[1]) continue;
        *shape = e;
        if (end->contacts.at[j].feature == f->contacts.at[i].feature) return &end->contacts.at[j];
        only = &end->contacts.at[j];
        n++;
    }
    for (int j = 0; n == 1 && j < f->contacts.n; j++) { /* the only contact of the pair at both ends */
        const int *e = f->contacts.shape + 2 * j;
        if (j != i && e[0] == s[0] && e[1] == s[1]) n++;
    }
    return n == 1 ? only : NULL;
}

/* Product of two slips in the metric of the lengths of spin and rolling. */
static double product(slip x, slip y, const perp_contact_row *c) {
    return perp_v3_dot(x.s_W, y.s_W) + c->e_r * c->e_r * x.spin * y.spin +
           c->e_roll * c->e_roll * perp_v3_dot(x.w_W, y.w_W);
}
static double size(slip x, const perp_contact_row *c) { return sqrt(product(x, x, c)); }

static bool touched(const pp_frame *f, int i) {
    const int *s = f->contacts.shape + 2 * i;
    const perp_contact *c = &f->contacts.at[i];
    return c->gap <= 100 * pp_touching(f->w->shape[s[0]].g, f->w->shape[s[1]].g, c->b_W);
}

static const pp_slip_shift *in_use(const pp_frame *f, int i) {
    const int *s = f->contacts.shape + 2 * i;
    for (int k = 0; k < f->demand.nshift; k++)
        if (f->demand.shift[k].shape[0] == s[0] && f->demand.shift[k].shape[1] == s[1] &&
            f->demand.shift[k].feature == f->contacts.at[i].feature)
            return &f->demand.shift[k];
    return NULL;
}

/* The shift of contact i, which carries an impulse; returns false if there is none. */
static bool shift_of(const pp_frame *f, int i, const pp_frame *end, double noise, friction_input *out) {
    *out = (friction_input){.aim_W = {0, 0, 0}};
    const perp_contact *c = &f->contacts.at[i];
    const int *shape = f->contacts.shape + 2 * i, *end_shape = shape;
    const perp_contact_row *row = &f->pose.problem.contact[i];
    slip now = slip_of(f, c, shape, f->s0, (driven){.v = f->s1->v, .w = f->s1->w}, f->solve.solution.nu);
    const driven start = {f->control.start_v, f->control.start_w,
                          .before = true}; /* velocities of driven bodies at the start, not their mean as in the rows */
    const pp_slip_shift *used = in_use(f, i);
    slip seen = now; /* the slip that the law uses */
    if (used)
        seen = (slip){perp_v3_add(now.s_W, used->slip_W), now.spin + used->spin, perp_v3_add(now.w_W, used->roll_W)};
    bool slides = size(seen, row) > noise;
    if (slides && row->nd > 0 && f->w->def.dim == 3) {
        out->aim_W = now.s_W;
        return true;
    }
    if (slides) {
        slip first = slip_of(f, c, shape, f->s0, start, f->control.nu0);
        double a = size(now, row), b = size(first, row);
        if (f->w->def.dim == 2 || !(b > noise) || !(product(now, first, row) > SAME_WAY * a * b)) return false;
        out->shift = (slip){perp_v3_sub(perp_v3_scale(a / b, first.s_W), now.s_W), first.spin * a / b - now.spin,
                            perp_v3_sub(perp_v3_scale(a / b, first.w_W), now.w_W)};
        return true;
    }
    const perp_contact *last = same_contact_at_end(f, i, end, &end_shape);
    if (!last) return false;
    slip here = slip_of(f, c, shape, f->s0, start, f->solve.solution.nu);
    slip then = slip_of(end, last, end_shape, end->s0, (driven){.v = end->s1->v, .w = end->s1->w}, f->update.nu_turned);
    perp_vec3 there = carried(then.s_W, last->n_W, c->n_W), mean = perp_v3_scale(0.5, perp_v3_add(here.s_W, there));
    perp_vec3 rolls = perp_v3_scale(0.5, perp_v3_add(here.w_W, carried(then.w_W, last->n_W, c->n_W)));
    out->shift =
        (slip){perp_v3_sub(mean, now.s_W), 0.5 * (here.spin + then.spin) - now.spin, perp_v3_sub(rolls, now.w_W)};
    return true;
}

/* Difference of two such inputs; NULL: no shift [L/T]. */
static double shift_difference(const pp_slip_shift *a, const pp_slip_shift *b, const perp_contact_row *c) {
    static const pp_slip_shift nothing = {.shape = {-1, -1}};
    if (!a) a = &nothing;
    if (!b) b = &nothing;
    return perp_v3_norm(perp_v3_sub(a->slip_W, b->slip_W)) + perp_v3_norm(perp_v3_sub(a->aim_W, b->aim_W)) +
           c->e_r * fabs(a->spin - b->spin) + c->e_roll * perp_v3_norm(perp_v3_sub(a->roll_W, b->roll_W));
}

perp_status pp_slip_shifts(pp_frame *f, const pp_frame *end, double *change) {
    pp_slip_shift *list = PP_ARENA_ARRAY(&f->w->arena, pp_slip_shift, f->contacts.n);
    if (!list) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    double noise = 100 * f->w->def.tolerance * f->solve.residual.scale;
    int n = 0;
    *change = 0;
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact_row *row = &f->pose.problem.contact[i];
        const pp_slip_shift *used = in_use(f, i), *now = NULL;
        const int *shape = f->contacts.shape + 2 * i;
        friction_input x;
        bool rubs = f->contacts.at[i].mu > 0 && f->solve.solution.p_contact[3 * i] > 0 && touched(f, i);
        if (rubs && shift_of(f, i, end, noise, &x)) {
            list[n] = (pp_slip_shift){.shape = {shape[0], shape[1]},
                                      .feature = f->contacts.at[i].feature,
                                      .slip_W = x.shift.s_W,
                                      .spin = row->e_r > 0 ? x.shift.spin : 0,
                                      .roll_W = row->e_roll > 0 ? x.shift.w_W : perp_v3(0, 0, 0),
                                      .aim_W = x.aim_W};
            now = &list[n++];
        }
        *change = fmax(*change, shift_difference(used, now, row));
    }
    f->demand.shift = list;
    f->demand.nshift = n;
    return PERP_OK;
}

/* A contact that arrives with u < 0 and did not rebound in the first kick must separate with restitution times this
 * speed. */
perp_status pp_rebounds(const pp_frame *f, pp_frame *end) {
    pp_slip_shift *list = PP_ARENA_ARRAY(&f->w->arena, pp_slip_shift, f->contacts.n);
    if (!list) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    int n = 0;
    for (int i = 0; !pp_orders_impacts(f->w) && i < f->contacts.n; i++) {
        const perp_contact *c = &f->contacts.at[i];
        const perp_contact_row *r = &f->pose.problem.contact[i];
        if (!(c->restitution > 0) || !(f->solve.solution.p_contact[3 * i] > 0) || touched(f, i)) continue;
        double u = pp_row_dot(&f->pose.problem, &r->n, f->control.nu0) + r->b_n_kin;
        if (!(u < 0)) continue;
        const int *shape = f->contacts.shape + 2 * i;
        list[n++] = (pp_slip_shift){.shape = {shape[0], shape[1]},
                                    .feature = c->feature,
                                    .rebound = pp_rebound_factor(f, shape) * c->restitution * u,
                                    .owed = true};
    }
    end->demand.shift = list;
    end->demand.nshift = n;
    return PERP_OK;
}

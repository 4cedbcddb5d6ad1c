/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_points.c - held contact points, used if the rounds of an implicit step do not converge without them
 * Problem  If a surface is almost flat, its closest point moves far for a tiny rotation of the body, and the rotation depends on where the
 *          impulse acts. Rounds that go from point to pose to point oscillate.
 * Method   The contact points x on half-spaces are held: they are fixed in their bodies and become unknowns beside the velocities. Let kappa
 *          be the curvature and nu the normal of the surface at x. After a rotation phi of the body, the point with nu = -n is x + u,
 *          u = kappa^-1 (r + nu x phi), r = -n - nu. The moment of the impulse at x + u is a stiffness against phi. A round with this
 *          stiffness added to the inertia includes the coupling of impulses, friction, all other contacts and the point, and its
 *          solution gives u. This is Newton's method for x, whose equation is smooth where the closest point as a function of the pose is
 *          not. The rotation of the lever arm of the impulse with the body is another stiffness, of opposite sign. Effects that a round
 *          does not include (slip of a body that spins about the normal when x moves, pairs of two bodies) are left to Anderson
 *          acceleration of x and the velocities together.
 * Settled  The rounds end if the velocities do not change, if impulses at x + u instead of x would not change them, and if x is a closest
 *          point: its gap equals that of the closest point to the tolerance of the step. On a flat spot this holds in a whole
 *          region, in which the closest point itself may never converge.
 * Source   Anderson (1965), as written by Walker and Ni (2011). */
#include <string.h>

#include "geometry/shape/implicit_function.h"
#include "geometry/narrow/implicit_round.h"
#include "method/implicit/implicit_step.h"

#define DEPTH 5 /* solutions that are remembered */
#define EACH  3 /* numbers per contact */
/* [1] Smallest curvature, as a fraction of h p/I, the rotation of a free body per displacement of the point. A smaller
 * curvature would make the stiffness so large that the rotation is lost in the residual of the solver. */
#define LEAST_CURVATURE 1e-3
#define MOST_TOPPLING   0.7 /* [1] largest reduction of the inertia by lever arms, as a fraction of it */
/* [1] largest displacement of a point in one round, as a fraction of the size of its shape */
#define LONGEST 0.2

struct pp_held_points {
    int n;               /* number of unknowns: EACH per contact, then the velocities */
    int known;           /* columns of dx, df in use */
    bool begun;          /* x, f are those of an earlier solution */
    double *x, *f;       /* unknowns, and their change by the solution, as velocities (see scale) [L/T] */
    double *scale;       /* [L/T] per unit of an unknown */
    double *dx, *df;     /* DEPTH columns of n: differences of two solutions */
    double *now, *found; /* unknowns of the round, and of its solution */
};

perp_status pp_points_room(pp_implicit_work *k) {
    pp_arena *arena = &k->f->w->arena;
    k->points = NULL;
    int n = EACH * k->nmeet + k->f->control.ndof;
    pp_held_points *h = PP_ARENA_ZERO(arena, pp_held_points, 1);
    double *room = PP_ARENA_ZERO(arena, double, (5 + 2 * DEPTH) * n);
    if (!h || !room) return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts");
    *h = (pp_held_points){.n = n,
                          .x = room,
                          .f = room + n,
                          .now = room + 2 * n,
                          .found = room + 3 * n,
                          .scale = room + 4 * n,
                          .dx = room + 5 * n,
                          .df = room + (5 + DEPTH) * n};
    k->points = h;
    for (int m = 0; m < k->nmeet; m++) k->meet[m].held = false;
    return PERP_OK;
}

/* Is this a contact of a body with one smooth function on a half-space? */
static bool rolls(const pp_implicit_work *k, const pp_meet *e) {
    const pp_placed *a = &k->placed[e->i], *b = &k->placed[e->j];
    if (e->how != PP_MEET_CLOSEST) return false;
    bool plane = a->g->kind == PERP_SHAPE_HALFSPACE;
    if (!plane && b->g->kind != PERP_SHAPE_HALFSPACE) return false;
    const pp_placed *body = plane ? b : a;
    int block = k->f->control.block[body->body];
    return pp_is_round(body->g) && block >= 0 && k->f->control.block_ndof[block] == (k->f->w->def.dim == 2 ? 3 : 6);
}

/* The body on the half-space. */
static const pp_placed *body_of(const pp_implicit_work *k, const pp_meet *e) {
    bool first = k->placed[e->i].g->kind == PERP_SHAPE_HALFSPACE;
    return &k->placed[first ? e->j : e->i];
}

/* Holds a contact at its present point. */
static void hold(const pp_implicit_work *k, pp_meet *e) {
    const pp_placed *body = body_of(k, e);
    e->held = true;
    e->hold_S = perp_pose_unapply(body->X_WS, body == &k->placed[e->i] ? e->at.a_W : e->at.b_W);
}

/* Stores the impulse of the round, on the second body. */
static void note_push(const pp_implicit_work *k, int m) {
    const double *p = k->f->solve.solution.p_contact + 3 * m;
    const perp_contact *c = &k->f->contacts.at[m];
    k->meet[m].push = p[0];
    k->meet[m].push_W = perp_v3_axpy(perp_v3_axpy(perp_v3_scale(p[0], c->n_W), p[1], c->t_W), p[2], c->o_W);
}

void pp_points_hold(pp_implicit_work *k) {
    for (int m = 0; m < k->nmeet; m++) {
        if (rolls(k, &k->meet[m])) hold(k, &k->meet[m]);
        note_push(k, m);
    }
    k->points->begun = false;
    k->points->known = 0;
}

void pp_points_apply(const pp_implicit_work *k, pp_meet *e) {
    e->held_at = e->at;
    if (!e->held) return;
    pp_closest *c = &e->held_at;
    const pp_placed *body = body_of(k, e);
    bool first = body == &k->placed[e->i];
    perp_vec3 n = c->n_W, x = perp_pose_apply(body->X_WS, e->hold_S);
    double gap = perp_v3_dot(n, first ? perp_v3_sub(c->b_W, x) : perp_v3_sub(x, c->a_W));
    c->gap = gap;
    c->a_W = first ? x : perp_v3_axpy(x, -gap, n);
    c->b_W = first ? perp_v3_axpy(x, gap, n) : x;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* gamma that minimises |f - dF gamma|: Cholesky factorisation of the normal equations, with a small ridge for
 * regularity. */
static void least_squares(const pp_held_points *h, double *gamma) {
    int m = h->known;
    double L[DEPTH][DEPTH] = {{0}}, trace = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) L[i][j] = dot(h->n, h->df + i * h->n, h->df + j * h->n);
        gamma[i] = dot(h->n, h->df + i * h->n, h->f);
        trace += L[i][i];
    }
    for (int i = 0; i < m; i++) L[i][i] += 1e-12 * trace;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            for (int l = 0; l < j; l++) L[i][j] -= L[i][l] * L[j][l];
            if (j < i)
                L[i][j] /= L[j][j];
            else
                L[i][i] = sqrt(fmax(L[i][i], 1e-30 * trace));
        }
    if (!(trace > 0)) {
        memset(gamma, 0, (size_t)m * sizeof *gamma);
        return;
    }
    for (int i = 0; i < m; i++) {
        for (int l = 0; l < i; l++) gamma[i] -= L[i][l] * gamma[l];
        gamma[i] /= L[i][i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int l = i + 1; l < m; l++) gamma[i] -= L[l][i] * gamma[l];
        gamma[i] /= L[i][i];
    }
}

/* Remembers the solution `found` for the unknowns `now`. */
static void learn(pp_held_points *h) {
    int n = h->n;
    if (h->begun) {
        if (h->known == DEPTH) {
            memmove(h->dx, h->dx + n, (size_t)(DEPTH - 1) * (size_t)n * sizeof *h->dx);
            memmove(h->df, h->df + n, (size_t)(DEPTH - 1) * (size_t)n * sizeof *h->df);
            h->known--;
        }
        double *dx = h->dx + h->known * n, *df = h->df + h->known * n;
        for (int i = 0; i < n; i++) {
            dx[i] = h->scale[i] * (h->now[i] - h->x[i]);
            df[i] = h->scale[i] * (h->found[i] - h->now[i]) - h->f[i];
        }
        h->known++;
    }
    for (int i = 0; i < n; i++) {
        h->x[i] = h->now[i];
        h->f[i] = h->scale[i] * (h->found[i] - h->now[i]);
    }
    h->begun = true;
}

/* The next unknowns, in `now`: the fraction `part` of the step that the remembered solutions predict. */
static void next(pp_held_points *h, double part) {
    double gamma[DEPTH];
    least_squares(h, gamma);
    for (int i = 0; i < h->n; i++) {
        double step = part * h->f[i];
        for (int l = 0; l < h->known; l++) step -= (h->dx[l * h->n + i] + part * h->df[l * h->n + i]) * gamma[l];
        if (h->scale[i] > 0) h->now[i] = h->x[i] + step / h->scale[i];
    }
}

/* ---- over a half-space ---- */

/* A body that rolls on a half-space: motion of its contact point under rotation. */
typedef struct roller {
    const pp_placed *body;
    int side; /* 1 if the body is the second one of the contact */
    int block;
    int naxis;       /* 1 in 2D, else 2 */
    perp_vec3 nu, r; /* outward normal at the point, and its difference to the normal against the half-space */
    perp_vec3 e[2];  /* directions along the surface */
    double S[2][2];  /* inverse curvature along these [L] */
} roller;

static roller make_roller(const pp_implicit_work *k, const pp_meet *e, double p) {
    bool flat = k->f->w->def.dim == 2;
    roller r = {.body = body_of(k, e), .naxis = flat ? 1 : 2};
    r.side = r.body == &k->placed[e->j];
    r.block = k->f->control.block[r.body->body];
    perp_vec3 g, n = r.side ? e->at.n_W : perp_v3_neg(e->at.n_W);
    perp_mat3 H;
    pp_function_at(r.body->g, 0, e->hold_S, &g, &H);
    double steep = perp_v3_norm(g);
    r.nu = perp_q_rotate(r.body->X_WS.q, perp_v3_scale(1 / steep, g));
    r.r = perp_v3_neg(perp_v3_add(n, r.nu));
    perp_v3_frame(r.nu, &r.e[0], &r.e[1]);
    if (flat) r.e[0] = perp_v3(-r.nu.y, r.nu.x, 0);
    double c[2][2] = {{0, 0}, {0, 1}};
    for (int i = 0; i < r.naxis; i++)
        for (int j = 0; j < r.naxis; j++) {
            perp_vec3 a = perp_q_unrotate(r.body->X_WS.q, r.e[i]), b = perp_q_unrotate(r.body->X_WS.q, r.e[j]);
            c[i][j] = perp_v3_dot(a, perp_m3_mul_v(H, b)) / steep;
        }
    double least = LEAST_CURVATURE * k->f->h * p * k->f->w->body[r.body->body].I_inv_most;
    for (int i = 0; i < r.naxis; i++) c[i][i] += least;
    double det = c[0][0] * c[1][1] - c[0][1] * c[1][0];
    r.S[0][0] = c[1][1] / det;
    r.S[1][1] = c[0][0] / det;
    r.S[0][1] = r.S[1][0] = -c[0][1] / det;
    return r;
}

/* Fraction of a velocity change that displaces the bodies. */
static double lever(const pp_implicit_work *k) { return k->keeps_energy ? 0.5 : 1; }

/* Moment of one contact per rotation about an axis across the normal, with the point fixed in the body [M L^2/T].
 * Negative: the contact is below the centre of mass. Bounded by a fraction of the inertia. */
static double toppling(const pp_implicit_work *k, const pp_meet *e, const roller *r) {
    const pp_body *b = &k->f->w->body[r->body->body];
    perp_vec3 arm = perp_v3_sub(r->side ? e->held_at.b_W : e->held_at.a_W, k->end.X[r->body->body].p);
    double off = (r->side ? 1 : -1) * perp_v3_dot(arm, e->push_W);
    return fmax(off, -MOST_TOPPLING / (k->f->h * lever(k) * b->I_inv_most));
}

/* Adds the stiffness of one contact to the inertia M and the momentum of its body. */
static void stiffen(const pp_implicit_work *k, const pp_meet *e, const roller *r, double *M, double *momentum) {
    const pp_frame *f = k->f;
    int at = f->w->def.dim == 2 ? 2 : 3, nturn = f->w->def.dim == 2 ? 1 : 3;
    double *to = M + 36 * r->block, *mom = momentum + f->control.block_offset[r->block] + at, hl = f->h * lever(k);
    const double *nu = k->nu + f->control.block_offset[r->block] + at;
    double topples = toppling(k, e, r);
    for (int i = 0; i < r->naxis; i++)
        for (int j = 0; j < r->naxis; j++) {
            perp_vec3 u = perp_v3_cross(r->e[i], r->nu), v = perp_v3_cross(r->e[j], r->nu);
            const double a[3] = {u.x, u.y, u.z}, b[3] = {v.x, v.y, v.z};
            double pS = e->push * r->S[i][j], off = perp_v3_dot(r->e[j], r->r);
            for (int m = 0; m < nturn; m++) {
                int row = nturn == 1 ? 2 : m;
                mom[m] -= pS * off * a[row]; /* r belongs to the held point, not to rotations */
                for (int n = 0; n < nturn; n++) {
                    int col = nturn == 1 ? 2 : n;
                    double K = (pS + (i == j ? topples : 0)) * a[row] * b[col];
                    to[6 * (at + n) + at + m] += hl * K;
                    mom[m] += hl * K * nu[n];
                }
            }
        }
}

/* Inverts the rotational part of a block that was stiffened. */
static void invert_turns(int dim, const double *M, double *Minv) {
    if (dim == 2) {
        Minv[14] = 1 / M[14];
        return;
    }
    perp_mat3 I;
    for (int c = 0; c < 3; c++) I.c[c] = perp_v3(M[6 * (3 + c) + 3], M[6 * (3 + c) + 4], M[6 * (3 + c) + 5]);
    I = perp_m3_inverse(I);
    for (int c = 0; c < 3; c++) {
        Minv[6 * (3 + c) + 3] = I.c[c].x;
        Minv[6 * (3 + c) + 4] = I.c[c].y;
        Minv[6 * (3 + c) + 5] = I.c[c].z;
    }
}

perp_status pp_points_stiffen(pp_implicit_work *k) {
    pp_frame *f = k->f;
    double *M = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->control.nblock);
    double *Minv = PP_ARENA_ARRAY(&f->w->arena, double, 36 * f->control.nblock);
    double *momentum = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof);
    if (!M || !Minv || !momentum) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the step");
    memcpy(M, f->control.M, 36 * (size_t)f->control.nblock * sizeof *M);
    memcpy(Minv, f->control.Minv, 36 * (size_t)f->control.nblock * sizeof *M);
    memcpy(momentum, f->control.momentum, (size_t)f->control.ndof * sizeof *M);
    for (int m = 0; m < k->nmeet; m++) {
        const pp_meet *e = &k->meet[m];
        if (!e->held || !(e->push > 0) || !rolls(k, e)) continue;
        roller r = make_roller(k, e, e->push);
        stiffen(k, e, &r, M, momentum);
        invert_turns(f->w->def.dim, M + 36 * r.block, Minv + 36 * r.block);
    }
    f->pose.problem.M = M;
    f->pose.problem.Minv = Minv;
    f->pose.problem.momentum = momentum;
    return PERP_OK;
}

/* Displacement of the point along the surface by the rotation of the solution, in W. */
static perp_vec3 rolled(const pp_implicit_work *k, const roller *r) {
    const pp_frame *f = k->f;
    const double *to = f->solve.solution.nu + f->control.block_offset[r->block],
                 *from = k->nu + f->control.block_offset[r->block];
    double c = f->h * lever(k);
    perp_vec3 phi = f->w->def.dim == 2 ? perp_v3(0, 0, c * (to[2] - from[2]))
                                       : perp_v3(c * (to[3] - from[3]), c * (to[4] - from[4]), c * (to[5] - from[5]));
    perp_vec3 d = perp_v3_add(r->r, perp_v3_cross(r->nu, phi)), u = {0, 0, 0};
    for (int i = 0; i < r->naxis; i++)
        for (int j = 0; j < r->naxis; j++) u = perp_v3_axpy(u, r->S[i][j] * perp_v3_dot(r->e[j], d), r->e[i]);
    return u;
}

/* Velocity at the rim of the body that the impulse of a contact causes per displacement of its point [1/T]. */
static double weight(const pp_implicit_work *k, const pp_meet *e) {
    const pp_body *b = &k->f->w->body[body_of(k, e)->body];
    return b->radius * b->I_inv_most * e->push;
}

double pp_points_change(const pp_implicit_work *k) {
    double most = 0;
    for (int m = 0; m < k->nmeet; m++) {
        const pp_meet *e = &k->meet[m];
        if (!e->held || !(e->push > 0)) continue;
        roller r = make_roller(k, e, e->push);
        most = fmax(most, weight(k, e) * perp_v3_norm(rolled(k, &r)));
    }
    return most;
}

/* The point of a contact after the round, in the frame of its shape. */
static perp_vec3 after(const pp_implicit_work *k, const pp_meet *e) {
    roller r = make_roller(k, e, e->push);
    perp_vec3 u = rolled(k, &r);
    double far = perp_v3_norm(u), most = LONGEST * r.body->g->size;
    if (far > most) u = perp_v3_scale(most / far, u);
    return perp_v3_add(e->hold_S, perp_q_unrotate(r.body->X_WS.q, u));
}

static perp_vec3 on_surface(const pp_implicit_work *k, const pp_meet *e, perp_vec3 x) {
    return perp_v3_scale(1 / pp_round_norm(body_of(k, e)->g, x), x);
}

/* ---- all contacts ---- */

bool pp_points_settled(const pp_implicit_work *k, double allowed) {
    for (int m = 0; m < k->nmeet; m++) {
        const pp_meet *e = &k->meet[m];
        bool counts = e->held && (k->f->solve.solution.p_contact[3 * m] > 0 || e->at.gap < 0);
        if (counts && e->held_at.gap - e->at.gap > allowed) return false;
    }
    return true;
}

static void set_scales(const pp_implicit_work *k, double *scale) {
    const pp_frame *f = k->f;
    for (int m = 0; m < k->nmeet; m++) {
        const pp_meet *e = &k->meet[m];
        for (int i = 0; i < EACH; i++) scale[EACH * m + i] = e->held && e->push > 0 ? weight(k, e) : 0;
    }
    for (int b = 0; b < f->control.nblock; b++)
        for (int c = 0; c < f->control.block_ndof[b]; c++)
            scale[EACH * k->nmeet + f->control.block_offset[b] + c] =
                c < f->w->def.dim ? 1 : f->w->body[f->control.block_body[b]].radius;
}

const double *pp_points_next(pp_implicit_work *k, double part, bool afresh) {
    pp_held_points *h = k->points;
    if (afresh) h->known = 0;
    set_scales(k, h->scale);
    for (int m = 0; m < k->nmeet; m++) {
        pp_meet *e = &k->meet[m];
        bool moves = e->held && e->push > 0;
        perp_vec3 x = e->held ? e->hold_S : perp_v3(0, 0, 0), to = moves ? after(k, e) : x;
        const double now[EACH] = {x.x, x.y, x.z}, found[EACH] = {to.x, to.y, to.z};
        memcpy(h->now + EACH * m, now, sizeof now);
        memcpy(h->found + EACH * m, found, sizeof found);
    }
    memcpy(h->now + EACH * k->nmeet, k->nu, (size_t)k->f->control.ndof * sizeof *k->nu);
    memcpy(h->found + EACH * k->nmeet, k->f->solve.solution.nu, (size_t)k->f->control.ndof * sizeof *k->nu);
    learn(h);
    next(h, part);
    for (int m = 0; m < k->nmeet; m++) {
        pp_meet *e = &k->meet[m];
        const double *x = h->now + EACH * m;
        if (e->held && e->push > 0)
            e->hold_S = on_surface(k, e, perp_v3(x[0], x[1], x[2]));
        else if (e->held)
            hold(k, e); /* its impulse is negligible */
        note_push(k, m);
    }
    return h->now + EACH * k->nmeet;
}

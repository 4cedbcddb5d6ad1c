/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_closest.c - closest points of two intersections of convex functions
 * Problem  f_i(a) = 0, g_j(b) = 0 for the active i, j;  n = sum l_i grad f_i(a);  -n = sum m_j grad g_j(b);  b = a + s n;
 *          |n| = 1;  l, m >= 0;  all other f(a), g(b) <= 0. These are the conditions (3.76)-(3.79), (3.87) of Berard in
 *          terms of the unit normal; s is the gap, and unlike the printed l_1 it may be negative: overlapping bodies have a
 *          pair of points too, from which a step pushes them apart.
 * Method   Newton's method on this system from the points of the pose before, its step shortened while the residual does
 *          not fall. A multiplier that comes out negative drops its function, a function that comes out positive joins. A
 *          cold start is the point x that lies least far out of both bodies, min over x of max(f_i(x), g_j(x)), by Newton's
 *          method with a barrier: that problem is convex whether they overlap or not, and its multipliers are l and m.
 * Valid    a unique pair of points: strictly convex against anything, edges that cross, corners. The Jacobian is singular
 *          for flat on flat.
 * Cost     a dense system of at most 13 unknowns per iteration, 3 or 4 of them from a good guess.
 * Source   Berard 3.5.1 with the signs of (3.78), (3.79). */
#include "geometry/narrow/implicit_closest.h"

#include <string.h>

#include "geometry/shape/implicit_function.h"
#include "geometry/narrow/implicit_round.h"
#include "base/elementary.h"

#define MOST        13    /* unknowns: a, n, s, three multipliers on each side */
#define NEWTON      60    /* iterations */
#define CHANGES     40    /* of the active functions */
#define ACCEPTED    1e-11 /* residual of unit-free equations */
#define STRIDE      0.5   /* longest step, in units of the smaller body, and of n */
#define BARRIER_END 1e-9  /* of the size: enough to tell active functions from others */
/* Levenberg-Marquardt damping, as a fraction of the largest squared column: its first value and its growth factor. The undamped step
 * was tried before. */
#define PRICE_FIRST  1e-14
#define PRICE_GROWTH 10.0

typedef struct pair {
    const pp_placed *side[2];
    int dim;
    perp_vec3 origin; /* everything is measured from here, so that bodies far out lose nothing */
    double size;      /* unit of lengths */
} pair;

static double component(perp_vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
static void put(perp_vec3 *v, int i, double x) { *(i == 0 ? &v->x : i == 1 ? &v->y : &v->z) = x; }

/* Function k of a side at x, with derivatives in W. */
static double function_at(const pair *p, int side, int k, perp_vec3 x, perp_vec3 *grad, perp_mat3 *hess) {
    const pp_placed *s = p->side[side];
    perp_vec3 x_S = perp_q_unrotate(s->X_WS.q, perp_v3_sub(x, perp_v3_sub(s->X_WS.p, p->origin)));
    double f = pp_function_at(s->g, k, x_S, grad, hess);
    if (grad) *grad = perp_q_rotate(s->X_WS.q, *grad);
    if (hess) {
        perp_mat3 R = perp_q_matrix(s->X_WS.q);
        *hess = perp_m3_mul(R, perp_m3_mul(*hess, perp_m3_transpose(R)));
    }
    return f;
}

/* A x = b by elimination with row exchanges, in place; false if a pivot is nothing. A is row-major with stride MOST. */
static bool eliminate(int n, double A[MOST][MOST], double *b) {
    for (int c = 0; c < n; c++) {
        int at = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(A[r][c]) > fabs(A[at][c])) at = r;
        if (!(fabs(A[at][c]) > 1e-14)) return false;
        for (int k = 0; k < n; k++) {
            double x = A[c][k];
            A[c][k] = A[at][k];
            A[at][k] = x;
        }
        double x = b[c];
        b[c] = b[at];
        b[at] = x;
        for (int r = c + 1; r < n; r++) {
            double q = A[r][c] / A[c][c];
            if (q == 0) continue;
            for (int k = c; k < n; k++) A[r][k] -= q * A[c][k];
            b[r] -= q * b[c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) b[r] -= A[r][k] * b[k];
        b[r] /= A[r][r];
    }
    return true;
}

/* ---- Newton's method ---- */

/* Residuals, in the order: n of A, n of B, functions of A, functions of B, length of n; lengths in units of size. With
 * A, the Jacobian by a, n, s, weights. Returns the largest, INFINITY if something is not finite. */
static double equations(const pair *p, const pp_closest *c, double *R, double A[MOST][MOST]) {
    int d = p->dim, row[2] = {0, d}, f_row = 2 * d, n_col = d, s_col = 2 * d, w_col = 2 * d + 1;
    double L = p->size;
    int N = 2 * d + 1 + c->nactive[0] + c->nactive[1];
    if (A) memset(A, 0, sizeof(double[MOST][MOST]));
    for (int side = 0; side < 2; side++) {
        perp_vec3 x = side ? c->b_W : c->a_W, sum = side ? c->n_W : perp_v3_neg(c->n_W);
        perp_mat3 H = perp_m3_diag(0, 0, 0);
        double s = side ? c->gap : 0;
        for (int k = 0; k < c->nactive[side]; k++) {
            perp_vec3 g;
            perp_mat3 h;
            R[f_row] = function_at(p, side, c->active[side][k], x, &g, A ? &h : NULL) / L;
            sum = perp_v3_axpy(sum, c->weight[side][k], g);
            if (A) {
                H = perp_m3_add(H, perp_m3_scale(c->weight[side][k], h));
                for (int i = 0; i < d; i++) {
                    A[row[side] + i][w_col] = component(g, i);
                    A[f_row][i] = component(g, i);
                    if (side) A[f_row][n_col + i] = s / L * component(g, i);
                }
                if (side) A[f_row][s_col] = perp_v3_dot(g, c->n_W);
            }
            f_row++;
            w_col++;
        }
        for (int i = 0; i < d; i++) R[row[side] + i] = component(sum, i);
        if (!A) continue;
        perp_vec3 Hn = perp_m3_mul_v(H, c->n_W);
        for (int i = 0; i < d; i++) {
            for (int j = 0; j < d; j++) {
                A[row[side] + i][j] = L * component(H.c[j], i);
                A[row[side] + i][n_col + j] = s * component(H.c[j], i) + (i == j ? (side ? 1 : -1) : 0);
            }
            if (side) A[row[side] + i][s_col] = L * component(Hn, i);
        }
    }
    R[N - 1] = 0.5 * (perp_v3_dot(c->n_W, c->n_W) - 1);
    if (A)
        for (int i = 0; i < d; i++) A[N - 1][n_col + i] = component(c->n_W, i);
    double worst = 0;
    for (int i = 0; i < N; i++)
        if (!(fabs(R[i]) <= worst)) worst = fabs(R[i]);
    return isfinite(worst) ? worst : INFINITY;
}

/* c moved along x by a part of the step. */
static pp_closest moved(const pair *p, const pp_closest *c, const double *x, double part) {
    pp_closest to = *c;
    int d = p->dim, at = 2 * d + 1;
    for (int i = 0; i < d; i++) {
        put(&to.a_W, i, component(c->a_W, i) - part * p->size * x[i]);
        put(&to.n_W, i, component(c->n_W, i) - part * x[d + i]);
    }
    to.gap -= part * p->size * x[2 * d];
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < c->nactive[side]; k++) to.weight[side][k] -= part * x[at++];
    to.b_W = perp_v3_axpy(to.a_W, to.gap, to.n_W);
    return to;
}

/* Largest part of a step for which the linear model is trusted. */
static double believable(const pair *p, const double *x) {
    double a = 0, n = 0;
    for (int i = 0; i < p->dim; i++) {
        a += x[i] * x[i];
        n += x[p->dim + i] * x[p->dim + i];
    }
    double most = fmax(fmax(sqrt(a), sqrt(n)), 0.1 * fabs(x[2 * p->dim]));
    return most > STRIDE ? STRIDE / most : 1;
}

/* Damped least-squares step (Levenberg-Marquardt). Where the curvature is nearly zero, as in the flat spots of superellipsoids, the
 * system is nearly singular, and Newton's step is far too long. Returns the residual at *next, INFINITY if no damping reduces it. */
static double damped(const pair *p, const pp_closest *c, int N, double A[MOST][MOST], const double *R, double now,
                     pp_closest *next) {
    double AA[MOST][MOST], B[MOST][MOST], x[MOST], AR[MOST], rest[MOST], largest = 0;
    for (int i = 0; i < N; i++) {
        AR[i] = 0;
        for (int k = 0; k < N; k++) AR[i] += A[k][i] * R[k];
        for (int j = 0; j < N; j++) {
            AA[i][j] = 0;
            for (int k = 0; k < N; k++) AA[i][j] += A[k][i] * A[k][j];
        }
        largest = fmax(largest, AA[i][i]);
    }
    for (double price = PRICE_FIRST; price <= 1; price *= PRICE_GROWTH) {
        memcpy(B, AA, sizeof B);
        memcpy(x, AR, sizeof x);
        for (int i = 0; i < N; i++) B[i][i] += price * largest;
        if (!eliminate(N, B, x)) continue;
        *next = moved(p, c, x, believable(p, x));
        double then = equations(p, next, rest, NULL);
        if (then < now) return then;
    }
    return INFINITY;
}

/* With the active functions as they are. */
static bool newton(const pair *p, pp_closest *c) {
    double A[MOST][MOST], R[MOST], x[MOST], rest[MOST];
    int N = 2 * p->dim + 1 + c->nactive[0] + c->nactive[1];
    for (int k = 0; k < NEWTON; k++) {
        double now = equations(p, c, R, A);
        if (!isfinite(now)) return false;
        if (now == 0) return true;
        memcpy(x, R, sizeof x);
        double B[MOST][MOST];
        memcpy(B, A, sizeof B);
        bool regular = eliminate(N, B, x);
        if (!regular) {
            /* flat parts: a little added curvature leads the method towards their middle */
            if (now <= ACCEPTED) return true;
            memcpy(B, A, sizeof B);
            for (int i = 0; i < p->dim; i++) B[i][i] += 1e-6;
            for (int i = 0; i < p->dim; i++) B[p->dim + i][i] += 1e-6;
            memcpy(x, R, sizeof x);
            regular = eliminate(N, B, x);
        }
        pp_closest next = *c;
        double then = INFINITY;
        if (regular) {
            double part = believable(p, x);
            for (int h = 0; h <= 12 && !(then < now); h++, part *= 0.5) {
                next = moved(p, c, x, part);
                then = equations(p, &next, rest, NULL);
            }
        }
        if (!(then < now) && now > ACCEPTED) then = damped(p, c, N, A, R, now, &next);
        if (!(then < now)) return now <= ACCEPTED;
        *c = next;
        if (then <= ACCEPTED && then > 0.25 * now) return true; /* rounding */
    }
    return equations(p, c, R, NULL) <= ACCEPTED;
}

/* ---- active functions ---- */

static void drop(pp_closest *c, int side, int k) {
    int n = --c->nactive[side];
    for (; k < n; k++) {
        c->active[side][k] = c->active[side][k + 1];
        c->weight[side][k] = c->weight[side][k + 1];
    }
}

/* Removes a function with a negative multiplier from the active set, or adds a violated one. True if nothing had to change. */
static bool settled(const pair *p, pp_closest *c) {
    double worst = 1e-12;
    int side = -1, which = -1;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < c->nactive[s]; k++)
            if (-c->weight[s][k] > worst) {
                worst = -c->weight[s][k];
                side = s;
                which = k;
            }
    if (side >= 0 && c->nactive[side] > 1) {
        drop(c, side, which);
        return false;
    }
    if (side >= 0) return true; /* the points lie on the far sides: the caller sees it */
    worst = 1e-13 * p->size;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < pp_function_count(p->side[s]->g); k++) {
            bool on = false;
            for (int j = 0; j < c->nactive[s]; j++) on |= c->active[s][j] == k;
            double f = on ? 0 : function_at(p, s, k, s ? c->b_W : c->a_W, NULL, NULL);
            if (!(f > worst)) continue;
            worst = f;
            side = s;
            which = k;
        }
    if (side < 0) return true;
    if (c->nactive[side] == p->dim) {
        int least = 0;
        for (int k = 1; k < p->dim; k++)
            if (c->weight[side][k] < c->weight[side][least]) least = k;
        drop(c, side, least);
    }
    c->active[side][c->nactive[side]] = which;
    c->weight[side][c->nactive[side]++] = 0;
    return false;
}

/* Newton's method and changes of the active functions in turn. */
static bool refine(const pair *p, pp_closest *c) {
    for (int k = 0; k < CHANGES; k++) {
        if (!newton(p, c)) return false;
        if (!settled(p, c)) continue;
        for (int s = 0; s < 2; s++)
            for (int j = 0; j < c->nactive[s]; j++)
                if (!(c->weight[s][j] >= -1e-12)) return false;
        return true;
    }
    return false;
}

/* ---- cold start ---- */

/* t - w sum of log(t - f(x)) over all functions of both; INFINITY where one is above t. Derivatives by (x, t). */
static double barrier(const pair *p, double w, perp_vec3 x, double t, double *grad, double H[MOST][MOST]) {
    int d = p->dim;
    double v = t;
    if (grad) {
        memset(H, 0, sizeof(double[MOST][MOST]));
        for (int i = 0; i < d; i++) grad[i] = 0;
        grad[d] = 1;
    }
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < pp_function_count(p->side[s]->g); k++) {
            perp_vec3 g;
            perp_mat3 h;
            double f = function_at(p, s, k, x, grad ? &g : NULL, grad ? &h : NULL), room = t - f;
            if (!(room > 0)) return INFINITY;
            v -= w * pp_log(room / p->size);
            if (!grad) continue;
            double q = w / room, e[4];
            for (int i = 0; i < d; i++) e[i] = -component(g, i);
            e[d] = 1;
            for (int i = 0; i <= d; i++) {
                grad[i] -= q * e[i];
                for (int j = 0; j <= d; j++) H[i][j] += q / room * e[i] * e[j];
            }
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) H[i][j] += q * component(h.c[j], i);
        }
    return v;
}

static void follow(const pair *p, double w, perp_vec3 *x, double *t) {
    int d = p->dim;
    for (int k = 0; k < 40; k++) {
        double grad[4], H[MOST][MOST], step[MOST];
        double now = barrier(p, w, *x, *t, grad, H), trace = 0;
        for (int i = 0; i <= d; i++) trace += H[i][i];
        for (int i = 0; i <= d; i++) {
            H[i][i] += 1e-13 * trace;
            step[i] = grad[i];
        }
        for (int i = 0; i <= d; i++) { /* unit-free, for the pivots */
            for (int j = 0; j <= d; j++) H[i][j] *= p->size;
            step[i] *= p->size;
        }
        if (!eliminate(d + 1, H, step)) return;
        double gain = 0, part = 1;
        for (int i = 0; i <= d; i++) gain += grad[i] * step[i];
        if (!(gain > 1e-3 * w)) return;
        for (; part > 1e-10; part *= 0.5) {
            perp_vec3 y = *x;
            for (int i = 0; i < d; i++) put(&y, i, component(*x, i) - part * step[i]);
            if (!(barrier(p, w, y, *t - part * step[d], NULL, NULL) < now - 0.1 * part * gain)) continue;
            *x = y;
            *t -= part * step[d];
            break;
        }
        if (part <= 1e-10) return;
    }
}

/* The functions with the largest multipliers, at most three (in 2D two) of a side, scaled to a unit normal. */
static bool take_active(const pair *p, pp_closest *c, int side, perp_vec3 x, double t, double w, perp_vec3 *n) {
    c->nactive[side] = 0;
    for (int taken = 0; taken < p->dim; taken++) {
        double most = 0, first = taken ? c->weight[side][0] : 0;
        int which = -1;
        for (int k = 0; k < pp_function_count(p->side[side]->g); k++) {
            bool on = false;
            for (int j = 0; j < c->nactive[side]; j++) on |= c->active[side][j] == k;
            double q = w / (t - function_at(p, side, k, x, NULL, NULL));
            if (on || !(q > most)) continue;
            most = q;
            which = k;
        }
        if (which < 0 || !(most > 1e-4 * first)) break;
        c->active[side][taken] = which;
        c->weight[side][taken] = most;
        c->nactive[side]++;
    }
    *n = perp_v3(0, 0, 0);
    for (int k = 0; k < c->nactive[side]; k++) {
        perp_vec3 g;
        function_at(p, side, c->active[side][k], x, &g, NULL);
        *n = perp_v3_axpy(*n, c->weight[side][k], g);
    }
    double l = perp_v3_norm(*n);
    if (!(l > 0)) return false;
    for (int k = 0; k < c->nactive[side]; k++) c->weight[side][k] /= l;
    *n = perp_v3_scale(1 / l, *n);
    return true;
}

/* From x along n to the surface of a side: Newton's method on the largest active function. */
static double to_surface(const pair *p, const pp_closest *c, int side, perp_vec3 x, perp_vec3 n) {
    double s = 0;
    for (int k = 0; k < 20; k++) {
        double most = -INFINITY, slope = 1;
        for (int j = 0; j < c->nactive[side]; j++) {
            perp_vec3 g;
            double f = function_at(p, side, c->active[side][j], perp_v3_axpy(x, s, n), &g, NULL);
            if (!(f > most)) continue;
            most = f;
            slope = perp_v3_dot(g, n);
        }
        if (!(fabs(slope) > 0.1)) break;
        double step = most / slope;
        if (fabs(step) > p->size) step = step > 0 ? p->size : -p->size;
        s -= step;
        if (fabs(step) < 1e-9 * p->size) break;
    }
    return s;
}

/* A particle has no normal of its own; the normal of a plane can always be used. */
static perp_vec3 start_normal(const pair *p, perp_vec3 na, perp_vec3 nb) {
    perp_shape_kind a = p->side[0]->g->kind, b = p->side[1]->g->kind;
    if (a == PERP_SHAPE_HALFSPACE || b == PERP_SHAPE_PARTICLE) return na;
    if (b == PERP_SHAPE_HALFSPACE || a == PERP_SHAPE_PARTICLE) return perp_v3_neg(nb);
    return perp_v3_unit(perp_v3_sub(na, nb));
}

/* For shapes that are apart or overlap slightly. */
static bool start_apart(const pair *p, pp_closest *c) {
    const pp_placed *A = p->side[0], *B = p->side[1];
    double ra = A->g->bound, rb = B->g->bound;
    perp_vec3 pa = perp_v3_sub(A->X_WS.p, p->origin), pb = perp_v3_sub(B->X_WS.p, p->origin), x = pa;
    if (!isfinite(ra)) x = pb;
    if (isfinite(ra) && isfinite(rb)) x = perp_v3_axpy(pa, ra / (ra + rb), perp_v3_sub(pb, pa));
    double t = -INFINITY;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < pp_function_count(p->side[s]->g); k++) t = fmax(t, function_at(p, s, k, x, NULL, NULL));
    if (!isfinite(t)) return false;
    t += 0.5 * p->size + 0.1 * fabs(t);
    double w = 0.1 * p->size + 0.1 * fabs(t);
    for (; w > BARRIER_END * p->size; w *= 0.2) follow(p, w, &x, &t);
    w *= 5;
    perp_vec3 na, nb;
    if (!take_active(p, c, 0, x, t, w, &na) || !take_active(p, c, 1, x, t, w, &nb)) return false;
    c->n_W = start_normal(p, na, nb);
    if (!(perp_v3_norm(c->n_W) > 0.5)) return false;
    double sa = to_surface(p, c, 0, x, c->n_W), sb = to_surface(p, c, 1, x, c->n_W);
    c->a_W = perp_v3_axpy(x, sa, c->n_W);
    c->gap = sb - sa;
    c->b_W = perp_v3_axpy(x, sb, c->n_W);
    return true;
}

/* For overlapping shapes, the point of the cold start may be the centre of one of them, which gives no normal. Therefore B is moved out
 * along the available normal, the pair is solved there, and B is moved back. */
static bool start_overlapping(const pair *p, pp_closest *c) {
    const pp_placed *A = p->side[0], *B = p->side[1];
    perp_vec3 n = c->n_W;
    double out = 0.1 * p->size - c->gap;
    if (A->g->kind == PERP_SHAPE_HALFSPACE || B->g->kind == PERP_SHAPE_HALFSPACE) { /* the plane tells how far */
        const pp_placed *plane = A->g->kind == PERP_SHAPE_HALFSPACE ? A : B, *other = plane == A ? B : A;
        perp_vec3 up = perp_q_rotate(plane->X_WS.q, plane->g->normal);
        n = plane == A ? up : perp_v3_neg(up);
        out = other->g->bound + plane->g->offset - perp_v3_dot(up, perp_v3_sub(other->X_WS.p, plane->X_WS.p));
    }
    if (!(out > 0)) return true;
    pp_placed moved_out = *B;
    moved_out.X_WS.p = perp_v3_axpy(B->X_WS.p, out, n);
    pair q = *p;
    q.side[1] = &moved_out;
    if (!start_apart(&q, c) || !refine(&q, c)) return false;
    c->gap -= out * perp_v3_dot(n, c->n_W);
    c->b_W = perp_v3_axpy(c->a_W, c->gap, c->n_W);
    return true;
}

/* Round shapes: by a search over directions. */
static bool start_round(const pair *p, pp_closest *c) {
    if (!pp_round_search(p->side[0], p->side[1], c)) return false;
    c->a_W = perp_v3_sub(c->a_W, p->origin);
    c->b_W = perp_v3_sub(c->b_W, p->origin);
    for (int s = 0; s < 2; s++) {
        perp_vec3 grad;
        function_at(p, s, 0, s ? c->b_W : c->a_W, &grad, NULL);
        c->nactive[s] = 1;
        c->active[s][0] = 0;
        c->weight[s][0] = 1 / perp_v3_norm(grad);
    }
    c->b_W = perp_v3_axpy(c->a_W, c->gap, c->n_W);
    return true;
}

static bool cold_start(const pair *p, pp_closest *c) {
    if (start_round(p, c)) return true;
    if (!start_apart(p, c)) return false;
    bool point = p->side[0]->g->kind == PERP_SHAPE_PARTICLE || p->side[1]->g->kind == PERP_SHAPE_PARTICLE;
    return c->gap > 0 && !point ? true : start_overlapping(p, c);
}

static void shift(pp_closest *c, perp_vec3 by) {
    c->a_W = perp_v3_add(c->a_W, by);
    c->b_W = perp_v3_add(c->b_W, by);
}

bool pp_closest_points(const pp_placed *a, const pp_placed *b, pp_closest *c) {
    if (pp_round_over_plane(a, b, c)) return true;
    const pp_placed *near = a->g->bound <= b->g->bound ? a : b;
    pair p = {{a, b}, a->g->dim, near->X_WS.p, near->g->size};
    if (!(p.size > 0)) p.size = fmax(a->g->size, b->g->size); /* a particle */
    if (!(p.size > 0)) p.size = 1;
    pp_closest guess = *c;
    shift(&guess, perp_v3_neg(p.origin));
    bool ok = c->known && refine(&p, &guess);
    if (!ok) {
        memset(&guess, 0, sizeof guess);
        ok = cold_start(&p, &guess) && refine(&p, &guess);
    }
    *c = guess;
    c->n_W = perp_v3_unit(c->n_W);
    c->b_W = perp_v3_axpy(c->a_W, c->gap, c->n_W);
    shift(c, p.origin);
    c->known = ok;
    return ok;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convert_cone.c - friction contact problems -> mixed LCP: exact where the cone is a wedge, by a pyramid where it is round
 * Problem  u = W r + q, bounded rows, and at each contact r in |r_T / e| <= mu r_N with Coulomb's law.
 * Method   r = T p, so that T'W T p + T'q are the velocities along the new variables. Bounded rows keep theirs.
 *          Coulomb (PERP_CONE): p_n, and p_k >= 0 along directions D_k = (e_t cos a_k, e_o sin a_k), a_k = 2 pi k/facets:
 *              0 <= p_n _|_ u_n,   0 <= p_k _|_ D_k . u_T + sigma,   0 <= sigma _|_ mu p_n - sum p_k
 *          sigma is then the slip speed |e u_T| (of the pyramid: the largest -D_k . u_T). If friction acts along one axis
 *          only (2D, or one axis not zero), two opposite directions give the cone itself. Without friction there is p_n
 *          alone and r_T = 0.
 *          Cone QP: r = sum of a_k g_k over the edges g_k = (1, mu D_k) of the cone, 0 <= a_k _|_ g_k . u.
 *          Order of the variables: bounded rows; p_n of all contacts; p_k contact by contact; sigma. Cone QP: a_k contact
 *          by contact after the rows.
 *          Scales: an impulse's is 1/(its own entry of the matrix), a slip speed's row gets 1/W_f, W_f the largest inverse
 *          mass along the axes; so all residuals are velocities.
 * Valid    friction along at most two axes: not for cones with more, as torsion and rolling give them.
 * Cost     entries of W times (directions per row)^2.
 * Source   Stewart, Trinkle (1996); Berard 2.6; Acary, Brogliato (2008) 13.3. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "problem/convert/convert_class.h"

#include "base/elementary.h"

pp_friction pp_friction_of(const perp_cone *p, int contact) {
    pp_friction f = {0};
    if (!(p->mu[contact] > 0)) return f;
    for (int k = 0; k < p->dim - 1; k++) {
        double e = p->axes ? p->axes[(ptrdiff_t)(p->dim - 1) * contact + k] : 1;
        if (!(e > 0)) continue;
        f.row[f.count] = k + 1;
        f.axis[f.count++] = e;
    }
    return f;
}

/* Where the variables of a contact are. */
typedef struct place {
    int normal; /* p_n; cone QP: -1 */
    int first;  /* p_k or a_k */
    int count;  /* of those; 0 without friction (cone QP: then 1, the normal itself) */
    int sigma;  /* -1: none */
    pp_friction friction;
} place;

typedef struct cone_way {
    int nrow, dim, ncontact;
    bool associated; /* cone QP */
    double *mu;      /* ncontact */
    place *at;       /* ncontact */
    perp_sparse T;   /* rows of the cone problem x variables that are impulses */
    double *w;       /* all variables: scratch of forth */
} cone_way;

/* Direction k of n, n even: opposite ones exactly opposite, quarter turns exact, so that symmetry survives. Along one axis
 * n is 2. */
static void direction(int k, int n, double *c, double *s) {
    const double pi = 3.141592653589793;
    double sign = 2 * k >= n ? -1 : 1;
    if (2 * k >= n) k -= n / 2;
    *c = sign * (k == 0 ? 1 : 4 * k == n ? 0 : pp_cos(2 * pi * k / n));
    *s = sign * (k == 0 ? 0 : 4 * k == n ? 1 : pp_sin(2 * pi * k / n));
}

/* r of the contact += x D_k */
static void push(const place *at, int k, double x, double *r) {
    double c, s;
    direction(k, at->count, &c, &s);
    r[at->friction.row[0]] += x * c * at->friction.axis[0];
    if (at->friction.count > 1) r[at->friction.row[1]] += x * s * at->friction.axis[1];
}

/* Numbers the variables. False if there are too many for an int. *n: all, *np: impulses. */
static bool number_variables(const perp_cone *p, bool associated, int facets, place *at, int *n, int *np) {
    int next = p->nrow;
    if (!associated) next += p->ncontact;
    for (int i = 0; i < p->ncontact; i++) {
        pp_friction f = pp_friction_of(p, i);
        at[i] = (place){.normal = associated ? -1 : p->nrow + i, .first = next, .sigma = -1, .friction = f};
        at[i].count = f.count == 0 ? 0 : f.count == 1 ? 2 : facets;
        if (associated && f.count == 0) at[i].count = 1;
        if (at[i].count > INT_MAX / 4 - next) return false;
        next += at[i].count;
    }
    *np = next;
    for (int i = 0; i < p->ncontact && !associated; i++)
        if (at[i].count > 0) at[i].sigma = next++;
    *n = next;
    return true;
}

/* T, column by column in the order of the variables. */
static bool make_T(const cone_way *way, pp_columns *c, pp_arena *keep, perp_sparse *T) {
    for (int i = 0; i < way->nrow; i++) {
        pp_columns_add(c, i, 1);
        if (!pp_columns_next(c)) return false;
    }
    for (int i = 0; i < way->ncontact && !way->associated; i++) {
        pp_columns_add(c, way->nrow + way->dim * i, 1);
        if (!pp_columns_next(c)) return false;
    }
    for (int i = 0; i < way->ncontact; i++)
        for (int k = 0; k < way->at[i].count; k++) {
            int row = way->nrow + way->dim * i;
            double r[4] = {way->associated ? 1 : 0};
            if (way->at[i].friction.count > 0) push(&way->at[i], k, way->associated ? way->mu[i] : 1, r);
            for (int d = 0; d < way->dim; d++)
                if (r[d] != 0) pp_columns_add(c, row + d, r[d]);
            if (!pp_columns_next(c)) return false;
        }
    return pp_columns_keep(c, keep, T);
}

static void cone_back(const perp_stored *s, const double *z, double *r) {
    const cone_way *way = s->way;
    for (int i = 0; i < way->T.rows; i++) r[i] = 0;
    for (int j = 0; j < way->T.cols; j++)
        for (int k = way->T.start[j]; k < way->T.start[j + 1]; k++) r[way->T.index[k]] += way->T.value[k] * z[j];
}

/* Shares of friction (t, o), already over the axes, between the two directions that enclose it; their sum is returned. */
static double share(int n, bool one_axis, double t, double o, double *p) {
    for (int k = 0; k < n; k++) p[k] = 0;
    if (one_axis) {
        p[t >= 0 ? 0 : 1] = fabs(t);
        return fabs(t);
    }
    const double pi = 3.141592653589793;
    double angle = pp_atan2(o, t), c0, s0, c1, s1;
    if (angle < 0) angle += 2 * pi;
    int k = (int)floor(angle * n / (2 * pi)) % n, next = (k + 1) % n;
    direction(k, n, &c0, &s0);
    direction(next, n, &c1, &s1);
    double det = c0 * s1 - c1 * s0, a = (t * s1 - o * c1) / det, b = (o * c0 - t * s0) / det;
    p[k] = a > 0 ? a : 0;
    p[next] = b > 0 ? b : 0;
    return p[k] + p[next];
}

static void forth_contact(const cone_way *way, int i, const double *r, double *z) {
    const place *at = &way->at[i];
    const pp_friction *f = &at->friction;
    if (at->normal >= 0) z[at->normal] = r[0];
    if (f->count == 0) {
        if (way->associated) z[at->first] = r[0];
        return;
    }
    double scale = way->associated ? way->mu[i] : 1, *p = z + at->first;
    double t = r[f->row[0]] / (f->axis[0] * scale), o = f->count > 1 ? r[f->row[1]] / (f->axis[1] * scale) : 0;
    double used = share(at->count, f->count == 1, t, o, p);
    double left =
        (r[0] - used) / at->count; /* edges of the cone must add up to r_N: what friction leaves, to all alike */
    for (int k = 0; way->associated && left > 0 && k < at->count; k++) p[k] += left;
}

static void cone_forth(const perp_stored *s, const double *r, double *z) {
    const cone_way *way = s->way;
    pp_affine a = pp_affine_of(&s->problem);
    for (int i = 0; i < a.n; i++) z[i] = i < way->nrow ? r[i] : 0;
    for (int i = 0; i < way->ncontact; i++) forth_contact(way, i, r + way->nrow + way->dim * i, z);
    if (way->associated) return;
    memcpy(way->w, a.q, sizeof *way->w * (size_t)a.n);
    for (int j = 0; j < way->T.cols; j++) pp_affine_axpy(&a, j, z[j], way->w);
    for (int i = 0; i < way->ncontact; i++) /* sigma lifts the most negative slip to zero */
        for (int k = 0; k < way->at[i].count; k++) {
            double slip = -way->w[way->at[i].first + k];
            if (slip > z[way->at[i].sigma]) z[way->at[i].sigma] = slip;
        }
}

/* T'W T with the rows and columns of sigma. Tt: the transpose of T. */
static bool make_matrix(const cone_way *way, const perp_sparse *W, const perp_sparse *Tt, pp_columns *c, int *contact,
                        pp_arena *scratch, perp_sparse *M) {
    const perp_sparse *T = &way->T;
    for (int j = 0; j < T->cols; j++) contact[j] = -1;
    for (int i = 0; i < way->ncontact; i++) {
        if (way->at[i].normal >= 0) contact[way->at[i].normal] = i;
        for (int k = 0; k < way->at[i].count; k++) contact[way->at[i].first + k] = i;
    }
    for (int j = 0; j < T->cols; j++) {
        for (int e = T->start[j]; e < T->start[j + 1]; e++)
            for (int l = W->start[T->index[e]]; l < W->start[T->index[e] + 1]; l++) {
                int row = W->index[l];
                for (int k = Tt->start[row]; k < Tt->start[row + 1]; k++)
                    pp_columns_add(c, Tt->index[k], Tt->value[k] * (W->value[l] * T->value[e]));
            }
        const place *at = contact[j] >= 0 ? &way->at[contact[j]] : NULL;
        if (at && at->sigma >= 0) pp_columns_add(c, at->sigma, j == at->normal ? way->mu[contact[j]] : -1);
        if (!pp_columns_next(c)) return false;
    }
    for (int i = 0; i < way->ncontact; i++) {
        if (way->at[i].sigma < 0) continue;
        for (int k = 0; k < way->at[i].count; k++) pp_columns_add(c, way->at[i].first + k, 1);
        if (!pp_columns_next(c)) return false;
    }
    return pp_columns_keep(c, scratch, M);
}

static double entry(const perp_sparse *A, int i, int j) {
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
        if (A->index[k] == i) return A->value[k];
    return 0;
}

static void fill_vectors(const perp_cone *p, const cone_way *way, const perp_sparse *W, const double *q, pp_affine *a,
                         double *out) {
    int n = a->n;
    double *Q = out, *lo = Q + n, *hi = lo + n, *zs = hi + n, *ws = zs + n;
    for (int j = 0; j < n; j++) {
        bool row = j < way->nrow;
        Q[j] = 0, zs[j] = ws[j] = 1;
        lo[j] = row ? (p->lo ? p->lo[j] : -INFINITY) : 0;
        hi[j] = row && p->hi ? p->hi[j] : INFINITY;
        if (j >= way->T.cols) continue;
        for (int k = way->T.start[j]; k < way->T.start[j + 1]; k++) Q[j] += way->T.value[k] * q[way->T.index[k]];
        double own = entry(&a->sparse, j, j);
        if (own > 0) zs[j] = 1 / own;
    }
    for (int i = 0; i < way->ncontact; i++) {
        const place *at = &way->at[i];
        if (at->sigma < 0) continue;
        double Wf = 0; /* largest inverse mass along the axes */
        for (int k = 0; k < at->friction.count; k++) {
            int row = way->nrow + way->dim * i + at->friction.row[k];
            double w = at->friction.axis[k] * at->friction.axis[k] * entry(W, row, row);
            if (w > Wf) Wf = w;
        }
        if (!(Wf > 0)) continue;
        for (int k = 0; k < at->count; k++) zs[at->first + k] = 1 / Wf;
        ws[at->sigma] = 1 / Wf;
    }
    a->q = Q, a->lo = lo, a->hi = hi, a->zs = zs, a->ws = ws;
}

static perp_status make_way(const perp_problem *p, int facets, perp_stored *s, cone_way *way, int *n, int *np) {
    const perp_cone *c = &p->as.cone;
    *way = (cone_way){.nrow = c->nrow, .dim = c->dim, .ncontact = c->ncontact, .associated = p->cls == PERP_CONE_QP};
    way->mu = PP_STORED_ARRAY(s, double, c->ncontact);
    way->at = PP_STORED_ARRAY(s, place, c->ncontact);
    if (!way->mu || !way->at) return PERP_E_MEMORY;
    for (int i = 0; i < c->ncontact; i++) way->mu[i] = c->mu[i];
    if (!number_variables(c, way->associated, facets, way->at, n, np)) return PERP_E_FIT;
    way->w = PP_STORED_ARRAY(s, double, *n);
    pp_columns T;
    bool ok = way->w && pp_columns_init(&T, &s->arena.alloc, c->nrow + c->dim * c->ncontact, *np);
    if (way->w) {
        ok = ok && make_T(way, &T, &s->arena, &way->T);
        pp_columns_free(&T);
    }
    return ok ? PERP_OK : PERP_E_MEMORY;
}

perp_status pp_cone_affine(const perp_problem *p, int facets, perp_stored *s, pp_arena *scratch, pp_affine *out) {
    const perp_cone *c = &p->as.cone;
    cone_way *way = PP_STORED_ARRAY(s, cone_way, 1);
    if (!way) return PERP_E_MEMORY;
    int n = 0, np = 0;
    perp_sparse W = c->W, Tt;
    const double *q = c->q;
    perp_status status = make_way(p, facets, s, way, &n, &np);
    if (!status && c->global) status = pp_condense(c, scratch, scratch, &W, &q);
    if (status) return status;
    int *contact = PP_ARENA_ARRAY(scratch, int, np);
    double *vectors = PP_ARENA_ARRAY(scratch, double, 5 * (size_t)n);
    if (!contact || !vectors || !pp_sparse_transpose(&way->T, scratch, &Tt)) return PERP_E_MEMORY;
    *out = (pp_affine){.n = n};
    pp_columns M;
    bool ok =
        pp_columns_init(&M, &scratch->alloc, n, n) && make_matrix(way, &W, &Tt, &M, contact, scratch, &out->sparse);
    pp_columns_free(&M);
    if (!ok) return PERP_E_MEMORY;
    fill_vectors(c, way, &W, q, out, vectors);
    s->back = cone_back, s->forth = cone_forth, s->way = way;
    return PERP_OK;
}

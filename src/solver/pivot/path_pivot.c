/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_pivot.c - the path of a linear complementarity problem over a box
 *   L(x) = A pi(x) + c + x - pi(x),    L(x(t)) = (1 - t) L(x(0)),    t from 0 to 1
 * Method   L is linear where no x_i crosses a bound. Its n equations in x and t leave one variable outside the basis. It moves until another one
 *          reaches a bound. That one continues in the same direction across the bound, because the column of x_i changes there from that of
 *          J to the unit vector or back: Lemke's rule for the complementary variable, in terms of x. Two finite bounds can be crossed
 *          without an exchange. Ties are broken by a symbolic perturbation of the right-hand side along a fixed vector without pattern, which
 *          is carried along as a second solution. In exact arithmetic no two paths meet, so there are no cycles. The end point is solved
 *          again from the data.
 * Valid    A copositive-plus and the start of pp_path_pivot_ray(): ends at a solution, or on a ray that proves that there is none. Any A and
 *          start: a ray proves nothing.
 * Cost     One solve with the basis per pivot and a factorisation every 48, see path_factor.c.
 * Source   Ralph, Global convergence of damped Newton's method for nonsmooth equations via the path search (1994);
 *          Dirkse, Ferris, The PATH solver (1995) 3; Cottle, Pang, Stone (1992) 4.4, 4.9. */
#include "solver/pivot/path_pivot.h"

#include <math.h>
#include <string.h>

/* [1] A path that ends this close to t = 1 may be complete; the solution is measured in any case. */
#define ARRIVED 1e-9
/* [1] A pivot smaller than this, relative to its column, is checked again with a new factorisation. */
#define DOUBTFUL 1e-7
/* Steps of iterative refinement at the end. */
#define REFINEMENTS 2
/* Pivots between two checks of the clock. */
#define LOOK 32

bool pp_path_pivot_make(pp_path_pivot *p, const pp_path_matrix *A, int nnz, const double *lo, const double *hi,
                        bool keep, const perp_call *call) {
    int n = A->n;
    *p = (pp_path_pivot){.n = n, .A = *A, .lo = lo, .hi = hi, .call = call, .keep = keep};
    p->pivot_tol = 1e-10;
    p->tie_tol = 1e-12;
    p->max_pivots = 20 * n + 1000;
    p->x = PP_CALL_ARRAY(call, double, n + 1);
    p->mode = PP_CALL_ARRAY(call, signed char, n);
    p->r = PP_CALL_ARRAY(call, double, n);
    p->d = PP_CALL_ARRAY(call, double, n);
    p->first_mode = PP_CALL_ARRAY(call, signed char, n);
    p->shift = PP_CALL_ARRAY(call, double, n);
    p->g = PP_CALL_ARRAY(call, double, n);
    p->b = PP_CALL_ARRAY(call, double, n);
    if (keep) p->point = (double *)perp_call_memory(call, sizeof(double) * (size_t)n * PP_PATH_POINTS);
    if (!p->x || !p->mode || !p->r || !p->d || !p->first_mode || !p->shift || !p->g || !p->b || (keep && !p->point))
        return false;
    if (!pp_path_factor_make(&p->f, &p->A, nnz, call)) return false;
    p->f.mode = p->mode;
    p->f.r = p->r;
    return true;
}

void pp_path_pivot_end(pp_path_pivot *p) { pp_path_factor_end(&p->f); }

static double project(const pp_path_pivot *p, int i, double x) {
    return x < p->lo[i] ? p->lo[i] : x > p->hi[i] ? p->hi[i] : x;
}

void pp_path_pivot_map(const pp_path_pivot *p, const double *x, double *z, double *f) {
    for (int i = 0; i < p->n; i++) z[i] = project(p, i, x[i]);
    pp_path_matrix_mul(&p->A, z, f);
    for (int i = 0; i < p->n; i++) f[i] += p->c[i] + (x[i] - z[i]);
}

/* A fixed sequence in [1, 2) without pattern. */
static double noise(uint64_t *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return 1 + (double)(*seed >> 11) * 0x1p-53;
}

/* Sets the modes. A variable on a bound counts as beyond it: the unit vector is the safer column. */
static void find_modes(pp_path_pivot *p) {
    for (int i = 0; i < p->n; i++) {
        bool low = p->x[i] <= p->lo[i], high = p->x[i] >= p->hi[i];
        p->mode[i] = (signed char)(low ? PP_LOW : high ? PP_HIGH : PP_MID);
        p->f.var[i] = i;
    }
}

/* Right-hand side of the basis: (1 - t) r - L minus the contribution of the variables outside. */
static void values(pp_path_pivot *p) {
    int n = p->n;
    double *b = p->b;
    for (int i = 0; i < n; i++) b[i] = p->r[i] - p->c[i];
    for (int i = 0; i < n; i++) {
        if (p->mode[i] == PP_MID) continue;
        double z = p->mode[i] == PP_LOW ? p->lo[i] : p->hi[i];
        if (z != 0) pp_path_matrix_add_column(&p->A, i, -z, b);
        b[i] += z;
    }
    if (p->enter == n) {
        for (int i = 0; i < n; i++) b[i] -= p->r[i] * p->x[n];
    } else if (p->mode[p->enter] == PP_MID) {
        pp_path_matrix_add_column(&p->A, p->enter, -p->x[p->enter], b);
    } else {
        b[p->enter] -= p->x[p->enter];
    }
    pp_path_factor_solve(&p->f, b);
}

static double largest(int n, const double *v) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(v[i])) return INFINITY;
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

/* Factorises the basis in the order of the variables. With t inside, it is the one without t, whose pattern is that of
 * J, plus an exchange: the column of t is full and would fill the factors of a sparse basis. */
static bool refactor(pp_path_pivot *p) {
    int n = p->n, out = p->enter;
    for (int i = 0; i < n; i++) p->f.var[i] = i;
    if (out == n) return pp_path_factor_fresh(&p->f);
    if (pp_path_factor_fresh(&p->f)) {
        memcpy(p->b, p->r, sizeof *p->b * (size_t)n);
        pp_path_factor_solve(&p->f, p->b);
        p->f.var[out] = n;
        if (fabs(p->b[out]) > DOUBTFUL * largest(n, p->b)) return pp_path_factor_exchange(&p->f, out, p->b);
    }
    p->f.var[out] = n; /* singular without t */
    return pp_path_factor_fresh(&p->f);
}

/* Factorises again and recomputes the values. */
static bool renew(pp_path_pivot *p) {
    if (!refactor(p)) return false;
    values(p);
    for (int s = 0; s < p->n; s++) {
        if (!isfinite(p->b[s])) return false;
        p->x[p->f.var[s]] = p->b[s];
    }
    memcpy(p->shift, p->g, sizeof *p->g * (size_t)p->n);
    pp_path_factor_solve(&p->f, p->shift);
    return true;
}

static bool begin(pp_path_pivot *p) {
    int n = p->n;
    pp_path_pivot_map(p, p->x, p->d, p->r);
    p->size = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(p->r[i]) || !isfinite(p->x[i])) return false;
        p->size = fmax(p->size, fmax(fabs(p->r[i]), fabs(p->x[i])));
    }
    p->x[n] = 0;
    p->enter = n;
    p->way = 1;
    p->npoint = 0;
    find_modes(p);
    if (!pp_path_factor_fresh(&p->f)) return false;
    /* the perturbation moves every x_i to the inner side of its cell, so that the start is inside */
    uint64_t seed = 42;
    for (int i = 0; i < n; i++) p->g[i] = 0;
    for (int i = 0; i < n; i++) {
        bool down = p->mode[i] == PP_LOW || (p->mode[i] == PP_MID && p->hi[i] - p->x[i] < p->x[i] - p->lo[i]);
        double s = (down ? -1 : 1) * noise(&seed);
        p->shift[i] = s;
        if (p->mode[i] == PP_MID)
            pp_path_matrix_add_column(&p->A, i, s, p->g);
        else
            p->g[i] += s;
    }
    return true;
}

static void note(pp_path_pivot *p) {
    if (!p->keep) return;
    size_t n = (size_t)p->n;
    if (p->npoint == PP_PATH_POINTS) { /* drop every other point; the first piece stays */
        int kept = 2;
        for (int k = 3; k < p->npoint; k += 2) {
            memcpy(p->point + n * (size_t)kept, p->point + n * (size_t)k, sizeof(double) * n);
            p->t_at[kept++] = p->t_at[k];
        }
        p->npoint = kept;
    }
    memcpy(p->point + n * (size_t)p->npoint, p->x, sizeof(double) * n);
    p->t_at[p->npoint++] = p->x[n];
}

/* Distance that variable v may move in this direction; INFINITY if nothing limits it. */
static double room(const pp_path_pivot *p, int v, bool up) {
    double x = p->x[v], far;
    if (v == p->n) return up ? 1 - x : INFINITY;
    if (p->lo[v] == p->hi[v]) return INFINITY; /* z_v is fixed: its column is the unit vector throughout */
    if (p->mode[v] == PP_MID)
        far = up ? p->hi[v] - x : x - p->lo[v];
    else if (p->mode[v] == PP_LOW)
        far = up ? p->lo[v] - x : INFINITY;
    else
        far = up ? INFINITY : x - p->hi[v];
    return far > 0 ? far : 0;
}

typedef struct exchange {
    int slot;     /* -1: the entering variable itself crosses; -2: nothing stops it */
    double step;  /* how far the entering variable moves */
    double order; /* the same under the perturbation */
} exchange;

/* The entering column is in p->d. If there are ties, t = 1 wins, otherwise the first under the perturbation. */
static exchange ratio_test(const pp_path_pivot *p, double small) {
    double tie = p->tie_tol * p->size, own = room(p, p->enter, p->way > 0), bound = own + tie;
    for (int s = 0; s < p->n; s++) {
        double rate = -p->way * p->d[s];
        if (!(fabs(rate) > small)) continue;
        double far = (room(p, p->f.var[s], rate > 0) + tie) / fabs(rate);
        if (far < bound) bound = far;
    }
    exchange e = {-2, INFINITY, INFINITY};
    if (!(bound < INFINITY)) return e;
    if (own <= bound) e = (exchange){-1, own, 0};
    if (p->enter == p->n && e.slot == -1) return e;
    for (int s = 0; s < p->n; s++) {
        double rate = -p->way * p->d[s];
        if (!(fabs(rate) > small)) continue;
        double far = room(p, p->f.var[s], rate > 0) / fabs(rate), order = -p->shift[s] / rate;
        if (far > bound) continue;
        if (p->f.var[s] == p->n) return (exchange){s, far, order};
        if (e.slot == -2 || order < e.order) e = (exchange){s, far, order};
    }
    return e;
}

/* x_v has reached a bound and now belongs to the next cell. */
static void cross(pp_path_pivot *p, int v, bool up) {
    if (p->mode[v] == PP_MID) {
        p->x[v] = up ? p->hi[v] : p->lo[v];
        p->mode[v] = (signed char)(up ? PP_HIGH : PP_LOW);
    } else {
        p->x[v] = p->mode[v] == PP_LOW ? p->lo[v] : p->hi[v];
        p->mode[v] = PP_MID;
    }
}

static void column(pp_path_pivot *p, double *d) {
    if (p->enter == p->n) {
        memcpy(d, p->r, sizeof *d * (size_t)p->n);
    } else {
        for (int i = 0; i < p->n; i++) d[i] = 0;
        if (p->mode[p->enter] == PP_MID)
            pp_path_matrix_add_column(&p->A, p->enter, 1, d);
        else
            d[p->enter] = 1;
    }
    pp_path_factor_solve(&p->f, d);
}

/* Is this the corner where the path first turned? The modes and the variable outside the basis identify a corner, and
 * each is entered in one direction only. So the path is a loop. */
static bool back_again(pp_path_pivot *p, bool first) {
    if (first) {
        p->first = p->enter;
        p->first_way = p->way;
        memcpy(p->first_mode, p->mode, (size_t)p->n);
        return false;
    }
    return p->enter == p->first && p->way == p->first_way && memcmp(p->mode, p->first_mode, (size_t)p->n) == 0;
}

static void move(pp_path_pivot *p, const exchange *e) {
    for (int s = 0; s < p->n; s++) {
        double rate = -p->way * p->d[s];
        p->x[p->f.var[s]] += e->step * rate;
        p->shift[s] += e->order * rate;
    }
    p->x[p->enter] += e->step * p->way;
}

/* All x in the basis, t = 1: the end of the path without the error of the pivots. If the basis is singular or nearly
 * so, the result of the pivots may be better. */
static void settle(pp_path_pivot *p) {
    int n = p->n;
    for (int i = 0; i < n; i++) p->f.var[i] = i;
    p->enter = n;
    p->x[n] = 1;
    pp_path_pivot_map(p, p->x, p->d, p->g);
    double before = largest(n, p->g);
    if (before == 0 || !pp_path_factor_fresh(&p->f)) return;
    values(p);
    for (int s = 0; s < n; s++) p->shift[p->f.var[s]] = p->b[s];
    for (int k = 0; k <= REFINEMENTS; k++) {
        pp_path_pivot_map(p, p->shift, p->d, p->g);
        double after = largest(n, p->g);
        if (!(after < before)) return;
        memcpy(p->x, p->shift, sizeof *p->x * (size_t)n);
        before = after;
        pp_path_factor_solve(&p->f, p->g);
        for (int s = 0; s < n; s++) p->shift[p->f.var[s]] -= p->g[s];
    }
}

pp_path_end pp_path_pivot_run(pp_path_pivot *p) {
    int n = p->n;
    if (!begin(p)) return PP_PATH_SINGULAR;
    note(p);
    bool fresh = true; /* no exchanges since the last factorisation */
    for (int done = 0; done < p->max_pivots; done++) {
        if (done % LOOK == LOOK - 1 && !perp_call_look(p->call, p->count, NULL)) return PP_PATH_STOPPED;
        column(p, p->d);
        double most = 1;
        for (int s = 0; s < n; s++) most = fmax(most, fabs(p->d[s]));
        if (!isfinite(most)) return PP_PATH_SINGULAR;
        exchange e = ratio_test(p, p->pivot_tol * most);
        if (!fresh && (e.slot == -2 || (e.slot >= 0 && fabs(p->d[e.slot]) < DOUBTFUL * most))) {
            if (!renew(p)) return PP_PATH_SINGULAR;
            fresh = true;
            done--;
            continue; /* with the same column once more */
        }
        if (e.slot == -2) {
            if (p->x[n] < 1 - ARRIVED) return PP_PATH_RAY;
            if (p->enter != n) settle(p);
            return PP_PATH_REACHED;
        }
        p->count++;
        int leave = e.slot < 0 ? p->enter : p->f.var[e.slot];
        bool up = e.slot < 0 ? p->way > 0 : -p->way * p->d[e.slot] > 0;
        move(p, &e);
        if (leave == n) {
            settle(p);
            note(p);
            return PP_PATH_REACHED;
        }
        cross(p, leave, up);
        note(p);
        if (e.slot >= 0) {
            int was = p->enter;
            p->f.var[e.slot] = was;
            p->shift[e.slot] = e.order * p->way;
            p->enter = leave;
            p->way = up ? 1 : -1;
            if (back_again(p, was == n)) return PP_PATH_LOOP;
            fresh = !pp_path_factor_exchange(&p->f, e.slot, p->d);
            if (fresh && !renew(p)) return PP_PATH_SINGULAR;
        } else if (back_again(p, false)) {
            return PP_PATH_LOOP;
        }
    }
    return PP_PATH_LIMIT;
}

bool pp_path_pivot_ray(pp_path_pivot *p, const double *d) {
    int n = p->n;
    double s = 0;
    for (int i = 0; i < n; i++) { /* the cell of this corner */
        bool low = p->lo[i] > -INFINITY, high = p->hi[i] < INFINITY;
        bool at_low = low && (!high || fabs(p->lo[i]) <= fabs(p->hi[i]));
        p->mode[i] = (signed char)(at_low ? PP_LOW : high ? PP_HIGH : PP_MID);
        p->f.var[i] = i;
        p->r[i] = 0;
    }
    p->enter = n;
    p->x[n] = 0;
    if (!pp_path_factor_fresh(&p->f)) return false;
    values(p);
    for (int i = 0; i < n; i++) {
        double x = p->x[i] = p->b[i];
        if (!isfinite(x)) return false;
        if (p->mode[i] == PP_MID || p->lo[i] == p->hi[i]) continue;
        double over = p->mode[i] == PP_LOW ? x - p->lo[i] : p->hi[i] - x;
        s = fmax(s, over / d[i]);
    }
    for (int i = 0; i < n; i++)
        if (p->mode[i] != PP_MID && p->lo[i] != p->hi[i]) p->x[i] += p->mode[i] == PP_LOW ? -s * d[i] : s * d[i];
    return true;
}

double pp_path_pivot_point(const pp_path_pivot *p, double tau, double *x) {
    size_t n = (size_t)p->n;
    int pieces = p->npoint - 1;
    if (pieces < 1) {
        if (p->npoint == 1) memcpy(x, p->point, sizeof *x * n);
        return 0;
    }
    double at = tau * pieces;
    int k = (int)at < pieces ? (int)at : pieces - 1;
    double f = at - k;
    const double *a = p->point + n * (size_t)k, *b = a + n;
    for (size_t i = 0; i < n; i++) x[i] = f == 1 ? b[i] : a[i] + f * (b[i] - a[i]);
    return p->t_at[k] + f * (p->t_at[k + 1] - p->t_at[k]);
}

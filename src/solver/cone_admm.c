#include "solver/cone_admm.h"

#include <math.h>
#include <string.h>
#ifdef KNOBS
#include <stdlib.h>
#include <stdio.h>
static double knob(const char *n, double d) { const char *s = getenv(n); return s ? atof(s) : d; }
#else
#define knob(n, d) (d)
#endif

bool pp_cone_admm_make(pp_cone_admm *k) {
    int m = k->c->m;
    double **vectors[] = {&k->x, &k->best, &k->v, &k->y, &k->t, &k->g, &k->b, &k->plain, &k->last_y, &k->last_t, &k->last_g};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = PP_CALL_ARRAY(k->call, double, m))) return false;
    k->dt = PP_CALL_ARRAY(k->call, double, (ptrdiff_t)k->memory * m);
    k->dg = PP_CALL_ARRAY(k->call, double, (ptrdiff_t)k->memory * m);
    k->C = PP_CALL_ARRAY(k->call, double, 16 * k->c->nblock);
    k->E = PP_CALL_ARRAY(k->call, double, 16 * k->c->nblock);
    k->body = PP_CALL_ARRAY(k->call, double, k->c->ndof);
    if (!k->dt || !k->dg || !k->C || !k->E || !k->body) return false;
    memset(k->body, 0, sizeof *k->body * (size_t)k->c->ndof);
    memset(k->x, 0, sizeof *k->x * (size_t)m);
    return true;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
static double norm(int n, const double *a) { return sqrt(dot(n, a, a)); }

static bool prepare(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    memset(k->C, 0, sizeof *k->C * 16 * (size_t)c->nblock);
    memset(k->E, 0, sizeof *k->E * 16 * (size_t)c->nblock);
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        for (int r = 0; r < rows; r++) {
            k->C[16 * (ptrdiff_t)i + r + rows * r] = k->penalty;
            k->E[16 * (ptrdiff_t)i + r + rows * r] = 1;
        }
    }
    return pp_cone_linear_factor(k->linear, k->C, k->E);
}

/* x = (W~ + p I)^-1 b */
static void solve_linear(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    if (!c->body) {
        memcpy(k->x, k->b, sizeof *k->x * (size_t)c->m);
        pp_block_lu_solve(k->linear->lu, k->x);
        return;
    }
    for (int i = 0; i < c->m; i++) k->x[i] = k->b[i] / (k->penalty + (c->c ? c->c[i] : 0));
    pp_cone_gather(c, k->x, k->body);
    pp_block_lu_solve(k->linear->lu, k->body);
    pp_cone_spread(c, k->body, k->x);
    for (int i = 0; i < c->m; i++) k->x[i] = (k->b[i] - k->x[i]) / (k->penalty + (c->c ? c->c[i] : 0));
}

/* one application of the map at t: y, x, g, v; returns |g| */
static double map(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    double p = k->penalty, a = k->relaxation;
    memcpy(k->y, k->t, sizeof *k->y * (size_t)c->m);
    for (int i = 0; i < c->nrow; i++) k->y[i] = fmin(fmax(k->y[i], c->lo[i]), c->hi[i]);
    for (int i = c->nrow; i < c->nblock; i++) pp_cone_project(c->dim, c->mu[i], k->y + c->first[i]);
    for (int i = 0; i < c->m; i++) k->b[i] = p * (2 * k->y[i] - k->t[i]) - c->q[i];
    for (int i = c->nrow; !c->associated && i < c->nblock; i++) {
        double s = 0;
        int N = c->first[i];
        for (int r = 1; r < c->dim; r++) s += (k->y[N + r] - k->t[N + r]) * (k->y[N + r] - k->t[N + r]);
        k->b[N] -= c->mu[i] * p * sqrt(s);
    }
    solve_linear(k);
    for (int i = 0; i < c->m; i++) {
        k->g[i] = a * (k->x[i] - k->y[i]);
        k->v[i] = k->b[i] - p * k->x[i] + c->q[i];
    }
    return norm(c->m, k->g);
}

static void judge(pp_cone_admm *k, bool both) {
    const pp_cone *c = k->c;
    double f = pp_cone_figure_of(k->figure, k->x, k->v);
    if (f < k->measure) k->measure = f, memcpy(k->best, k->x, sizeof *k->x * (size_t)c->m);
    if (!both) return;
    pp_cone_apply(c, k->y, k->plain);
    for (int i = 0; i < c->m; i++) k->plain[i] += c->q[i];
    double fy = pp_cone_figure_of(k->figure, k->y, k->plain);
    if (fy < k->measure) k->measure = fy, memcpy(k->best, k->y, sizeof *k->x * (size_t)c->m);
#ifdef KNOBS
    if (knob("TRACE", 0)) printf("%5d p %.2e |g| %.3e fx %.2e fy %.2e acc %d rej %d\n", k->iterations, k->penalty, norm(c->m, k->g), f, fy, k->accelerated, k->rejected);
#endif
}

/* gamma: least squares of g on the kept differences */
static bool extrapolate(pp_cone_admm *k, double *t_next) {
    int n = k->pairs, m = k->c->m;
    double A[PP_ADMM_MEMORY * PP_ADMM_MEMORY], z[PP_ADMM_MEMORY];
    double trace = 0, reg = knob("REG", 1e-10);
    for (int i = 0; i < n; i++) trace = fmax(trace, k->gram[i + PP_ADMM_MEMORY * i]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) A[i + n * j] = k->gram[i + PP_ADMM_MEMORY * j];
        A[i + n * i] += reg * (knob("REGT", 0) ? trace : A[i + n * i]);
        z[i] = dot(m, k->dg + (ptrdiff_t)i * m, k->g);
    }
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < j; l++)
            for (int i = j; i < n; i++) A[i + n * j] -= A[i + n * l] * A[j + n * l];
        if (!(A[j + n * j] > 0)) return false;
        double d = sqrt(A[j + n * j]);
        for (int i = j; i < n; i++) A[i + n * j] /= d;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) z[i] -= A[i + n * j] * z[j];
        z[i] /= A[i + n * i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) z[i] -= A[j + n * i] * z[j];
        z[i] /= A[i + n * i];
    }
    double size = 0;
    for (int i = 0; i < n; i++) size += fabs(z[i]);
    if (!(size < knob("MAXG", 1e4))) return false;
    for (int i = 0; i < m; i++) t_next[i] = k->t[i] + k->g[i];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) t_next[i] -= z[j] * (k->dt[(ptrdiff_t)j * m + i] + k->dg[(ptrdiff_t)j * m + i]);
    return true;
}

static void remember(pp_cone_admm *k) {
    int m = k->c->m, at = k->next;
    double *dt = k->dt + (ptrdiff_t)at * m, *dg = k->dg + (ptrdiff_t)at * m;
    for (int i = 0; i < m; i++) dt[i] = k->t[i] - k->last_t[i], dg[i] = k->g[i] - k->last_g[i];
    if (k->pairs < k->memory) k->pairs++;
    for (int j = 0; j < k->pairs; j++)
        k->gram[at + PP_ADMM_MEMORY * j] = k->gram[j + PP_ADMM_MEMORY * at] = dot(m, dg, k->dg + (ptrdiff_t)j * m);
    k->next = (at + 1) % k->memory;
}

perp_outcome pp_cone_admm_run(pp_cone_admm *k) {
    const pp_cone *c = k->c;
    int m = c->m;
    size_t bytes = sizeof(double) * (size_t)m;
    k->measure = INFINITY;
    /* guess: w = v + s of x */
    pp_cone_apply(c, k->x, k->v);
    for (int i = 0; i < m; i++) k->t[i] = k->x[i] - (k->v[i] + c->q[i]) / k->penalty;
    for (int i = c->nrow; !c->associated && i < c->nblock; i++) {
        double s = 0;
        int N = c->first[i];
        for (int r = 1; r < c->dim; r++) s += (k->v[N + r] + c->q[N + r]) * (k->v[N + r] + c->q[N + r]);
        k->t[N] -= c->mu[i] * sqrt(s) / k->penalty;
    }
    memcpy(k->best, k->x, bytes);
    if (!prepare(k)) return PERP_OUTCOME_NUMERICS;
    bool fresh = true, tried = false; /* no last point; this t is an extrapolated one */
    double before = INFINITY, ref = INFINITY, low = INFINITY;
    int since = 0, stalled = 0, rest = 0;
    int patience = (int)knob("PATIENCE", 20), resting = (int)knob("REST", 10);
    int interval = (int)knob("EVERY", 1);
    double safe = knob("SAFE", 2);
    for (;;) {
        double now = map(k);
        if (!isfinite(now)) return PERP_OUTCOME_NUMERICS;
        k->iterations++;
        since++;
        judge(k, k->iterations % 10 == 0);
        if (k->measure <= k->tol) return PERP_OUTCOME_SOLVED;
        if (k->iterations >= k->max_iterations) return PERP_OUTCOME_LIMIT;
        if (!perp_call_look(k->call, k->iterations, k->out)) return PERP_OUTCOME_STOPPED;
        if (tried && !(now <= safe * (knob("SREF",1) ? low : before))) { /* take it back */
            k->rejected++;
            tried = false;
            memcpy(k->t, k->plain, bytes);
            fresh = true;
            k->pairs = k->next = 0;
            continue;
        }
        if (tried) k->accelerated++;
        if (now < low) low = now;
        if (k->rebalance > 0 && since >= k->rebalance && !fresh) {
            double rp = 0, rd = 0, nx = norm(m, k->x), nw = 0;
            for (int i = 0; i < m; i++) {
                double w = k->penalty * (k->y[i] - k->t[i]), d = k->penalty * (k->y[i] - k->last_y[i]);
                nw += w * w, rd += d * d, rp += (k->x[i] - k->y[i]) * (k->x[i] - k->y[i]);
            }
            rd = sqrt(rd), nw = sqrt(nw), rp = sqrt(rp);
            double ratio = knob("REL", 1) ? sqrt((rp / fmax(nx, 1e-30)) / fmax(rd / fmax(nw, 1e-30), 1e-300)) : sqrt(rp / fmax(rd, 1e-300));
            ratio = fmin(fmax(ratio, 0.1), 10);
            since = 0; k->rebalance = (int)(k->rebalance * knob("GROW", 1));
            if (ratio > knob("BAND", 2) || ratio < 1 / knob("BAND", 2)) {
                double p = fmin(fmax(k->penalty * ratio, knob("PMIN", 1e-6)), knob("PMAX", 1e6));
                for (int i = 0; i < m; i++) {
                    double y = k->y[i];
                    k->t[i] = y + (k->t[i] + k->g[i] - y) * k->penalty / p;
                }
                k->penalty = p;
                if (!prepare(k)) return PERP_OUTCOME_NUMERICS;
                fresh = true, tried = false, low = ref = INFINITY;
                k->pairs = k->next = 0;
                continue;
            }
        }
        if (now < knob("GAIN", 0.9) * ref) ref = now, stalled = 0; else stalled++;
        if (rest == 0 && patience > 0 && stalled > patience) {
            stalled = 0, ref = now;
            if (knob("STALLP", 0) > 0 && k->penalty > knob("SPMIN", 1e-3)) {
                double p = k->penalty * knob("STALLP", 0);
                for (int i = 0; i < m; i++) {
                    double y = k->y[i];
                    k->t[i] = y + (k->t[i] + k->g[i] - y) * k->penalty / p;
                }
                k->penalty = p;
                if (!prepare(k)) return PERP_OUTCOME_NUMERICS;
                fresh = true, tried = false, low = ref = INFINITY;
                k->pairs = k->next = 0;
                since = 0;
                continue;
            }
            if (knob("JUMP", 1) == 0) rest = resting, k->rejected++;
            if (knob("JUMP", 1) > 0) {
                double tau = knob("TAU", 4), good = 0, slack = knob("SLACK", 1.01), least = now;
                memcpy(k->last_t, k->t, bytes);
                memcpy(k->last_g, k->g, bytes);
                for (; tau < 1e6; tau *= knob("TAUF", 2)) {
                    for (int i = 0; i < m; i++) k->t[i] = k->last_t[i] + tau * k->last_g[i];
                    double at = map(k);
                    k->iterations++;
                    judge(k, false);
                    if (!(at <= slack * least)) break;
                    if (at < least) least = at;
                    good = tau;
                }
                for (int i = 0; i < m; i++) k->t[i] = k->last_t[i] + fmax(good,1) * k->last_g[i];
#ifdef KNOBS
    if (knob("TRACE", 0) > 1) printf("%5d jump %g\n", k->iterations, good);
#endif
                if (good > 0) { fresh = true; tried = false; k->pairs = k->next = 0; low = INFINITY; continue; }
                memcpy(k->t, k->last_t, bytes); memcpy(k->g, k->last_g, bytes);
                rest = resting;
            }
        }
        else if (rest > 0 && --rest == 0) { k->pairs = k->next = 0; ref = now; stalled = 0; }
        if (!fresh && k->memory > 0) remember(k);
        memcpy(k->last_t, k->t, bytes);
        memcpy(k->last_g, k->g, bytes);
        memcpy(k->last_y, k->y, bytes);
        before = now;
        for (int i = 0; i < m; i++) k->plain[i] = k->t[i] + k->g[i];
        tried = rest == 0 && !fresh && k->memory > 0 && k->iterations % interval == 0 && extrapolate(k, k->v);
        memcpy(k->t, tried ? k->v : k->plain, bytes);
        fresh = false;
    }
}

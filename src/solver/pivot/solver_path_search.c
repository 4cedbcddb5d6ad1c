/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_path_search.c - complementarity problems over bounds, linear or not, by Newton's method along paths
 *   lo <= z <= hi complementary to w = F(z);   normal map f(x) = F(pi(x)) + x - pi(x), z = pi(x), pi the projection on the box
 * Method   An open relative of PATH. The problem is scaled by J (path_model.c). A crash guesses the active bounds (path_crash.c). Then F is
 *          linearised at z, and the piecewise linear path L(x(t)) = (1 - t) f is followed by pivoting to the solution of that linear problem
 *          (path_pivot.c), which is the Newton step. Up to `watchdog` full steps are taken as long as |f| stays bounded. Unless |f| is then
 *          below the largest of the last `memory` checkpoints, x returns to the checkpoint, and the path from there is searched backwards
 *          for such a point. If a basis is singular, lambda (z - z_k) is added to F (proximal point step) and removed gradually. If the
 *          search is stuck, it restarts: from Lemke's ray with several covering vectors, without crash, with a proximal term, from other
 *          points. Linear problems are finally given to lemke, whose tableau is different.
 * Valid    Linear, J copositive-plus: one path from the ray ends at a solution or proves that there is none. Otherwise as Newton's method:
 *          locally quadratic at regular solutions, globally without guarantee.
 * Cost     Per path as path_pivot.c, with one evaluation of F and J. Dense for LCP and mixed LCP, sparse if J is.
 * Source   Ralph (1994); Dirkse, Ferris, The PATH solver: a non-monotone stabilization scheme for mixed complementarity
 *          problems (1995); Ferris, Munson, Interfaces to PATH 3.0 (1999), sections on restarts and perturbation. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/pivot/path_crash.h"
#include "solver/common/solver.h"

typedef struct settings {
    int max_major;
    int max_pivots;
    double tol;
    int crash;
    int memory;
    int watchdog;
    int restarts;
} settings;

#define MOST_MEMORY 50

static const perp_field fields[] = {
    {"max_major", PERP_FIELD_INT, offsetof(settings, max_major), 500, 1, 1e9, "paths, over all restarts"},
    {"max_pivots", PERP_FIELD_INT, offsetof(settings, max_pivots), 0, 0, 1e9, "pivots per path; 0: 20 n + 1000"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-11, 1e-16, 1, "unit-free natural residual at which to stop"},
    {"crash", PERP_FIELD_INT, offsetof(settings, crash), 50, 0, 1000, "projected Newton steps before the first path"},
    {"memory", PERP_FIELD_INT, offsetof(settings, memory), 8, 1, MOST_MEMORY,
     "checkpoints whose largest residual is the reference; 1: monotone"},
    {"watchdog", PERP_FIELD_INT, offsetof(settings, watchdog), 5, 0, 1000,
     "successive full steps that are taken for any residual"},
    {"restarts", PERP_FIELD_INT, offsetof(settings, restarts), 12, 0, 1000,
     "other starts and settings tried when stuck"},
};

/* [1] Decrease of the residual, relative to the step in t, that a point must show. */
#define DECREASE 1e-4
/* [1] A full step that exceeds the reference by this factor is rejected. */
#define OUT_OF_SIGHT 1e3
/* [paths] Number of paths without halving the residual after which the search restarts. */
#define STALLED 30
/* [1] A nonlinear F may vanish at infinity, which is no solution: z may grow by this, relative to the start. */
#define FAR 1e6
/* The path is searched down to 2^-HALVINGS of its pieces. */
#define HALVINGS 24
/* Proximal term, in the unit of the scaled J: first value, growth if it is not enough, decrease after success, largest
 * value. */
#define PROX_FIRST 1e-8
#define PROX_GROW  100
#define PROX_FALL  0.1
#define PROX_MOST  10
/* The same if no point of a path decreases the merit enough. */
#define PROX_RESCUE 1e-3
#define PROX_STUCK  1

/* A kind of start. */
typedef enum origin { GUESS, RAY, ELSEWHERE } origin;
typedef struct plan {
    origin from;
    int which; /* covering vector, or point */
    bool crash;
    double prox;
} plan;

typedef struct search {
    pp_path_model m;
    pp_path_pivot p;
    const settings *s;
    const perp_call *call;
    double *guess, *best;         /* in the units of the problem */
    double *x, *z, *w, *f;        /* the iterate */
    double *tx, *tz, *tw, *tf;    /* a trial */
    double *checkpoint, *c, *ray; /* x to return to; constant of the linear problem; covering vector */
    double merit;                 /* |f| */
    double least;                 /* unit-free natural residual of best */
    double prox, prox_floor;
    double reference[MOST_MEMORY];
    int nreference;
    int major;
} search;

static bool make(search *s, const perp_problem *p, const settings *set, const perp_call *call) {
    *s = (search){.s = set, .call = call, .least = INFINITY};
    if (!pp_path_model_make(&s->m, p, call)) return false;
    int n = s->m.n;
    double **all[] = {&s->guess, &s->best, &s->x,  &s->z,          &s->w, &s->f,  &s->tx,
                      &s->tz,    &s->tw,   &s->tf, &s->checkpoint, &s->c, &s->ray};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k] = PP_CALL_ARRAY(call, double, n))) return false;
    const pp_box *b = &s->m.box;
    pp_path_matrix A = {n, b->dense, b->start, b->index, s->m.J, 0};
    if (!pp_path_pivot_make(&s->p, &A, b->nnz, s->m.lo, s->m.hi, !b->linear, call)) return false;
    if (set->max_pivots > 0) s->p.max_pivots = set->max_pivots;
    s->p.c = s->c;
    return true;
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Makes the trial point the iterate, and keeps it if it is the best so far. */
static void accept(search *s, double merit) {
    swap(&s->x, &s->tx);
    swap(&s->z, &s->tz);
    swap(&s->w, &s->tw);
    swap(&s->f, &s->tf);
    s->merit = merit;
    double r = pp_path_model_measure(&s->m, s->z, s->w);
    if (r < s->least) {
        s->least = r;
        pp_path_model_out(&s->m, s->z, s->best);
    }
}

static double try_point(search *s, const double *x) {
    if (x != s->tx) memcpy(s->tx, x, sizeof *x * (size_t)s->m.n);
    return pp_path_model_normal(&s->m, s->tx, s->tz, s->tw, s->tf);
}

/* The linear problem at the iterate, with the proximal term: A z' + w - A z. */
static void linearise(search *s) {
    s->p.A.lambda = s->prox;
    pp_path_matrix_mul(&s->p.A, s->z, s->c);
    for (int i = 0; i < s->m.n; i++) s->c[i] = s->w[i] - s->c[i];
}

/* Follows one path, from the iterate or from the ray, with a proximal term as large as regularity needs. */
static pp_path_end follow(search *s, bool ray) {
    for (;;) {
        linearise(s);
        memcpy(s->p.x, s->x, sizeof *s->x * (size_t)s->m.n);
        pp_path_end end = ray && !pp_path_pivot_ray(&s->p, s->ray) ? PP_PATH_SINGULAR : pp_path_pivot_run(&s->p);
        if (end != PP_PATH_SINGULAR || !(s->prox < PROX_MOST)) return end;
        s->prox = fmax(PROX_FIRST, PROX_GROW * s->prox);
        s->prox_floor = fmax(s->prox_floor, 0.01 * s->prox);
    }
}

static void ease(search *s) {
    s->prox = fmax(PROX_FALL * s->prox, s->prox_floor);
    if (s->prox < 1e-14) s->prox = 0;
}

static double reference(const search *s) {
    double most = 0;
    int first = s->nreference > s->s->memory ? s->nreference - s->s->memory : 0;
    for (int k = first; k < s->nreference; k++) most = fmax(most, s->reference[k % MOST_MEMORY]);
    return most;
}

static void check(search *s) {
    s->reference[s->nreference++ % MOST_MEMORY] = s->merit;
    memcpy(s->checkpoint, s->x, sizeof *s->x * (size_t)s->m.n);
}

/* Searches backwards along the saved path. */
static bool search_path(search *s) {
    double tau = 1, goal = reference(s);
    if (s->p.npoint < 2) return false;
    for (int k = 0; k < HALVINGS; k++, tau *= 0.5) {
        double t = pp_path_pivot_point(&s->p, tau, s->tx), merit = try_point(s, s->tx);
        if (!(t > 0) || !(merit <= (1 - DECREASE * t) * goal)) continue;
        accept(s, merit);
        return true;
    }
    return false;
}

static perp_outcome outcome_of(pp_path_end end) {
    switch (end) {
    case PP_PATH_RAY:
    case PP_PATH_LOOP: return PERP_OUTCOME_RAY;
    case PP_PATH_LIMIT: return PERP_OUTCOME_LIMIT;
    case PP_PATH_STOPPED: return PERP_OUTCOME_STOPPED;
    default: return PERP_OUTCOME_NUMERICS;
    }
}

/* Newton's method along paths from the iterate until solved or stuck. ray: the first path begins on the ray. */
static perp_outcome descend(search *s, bool ray) {
    int loose = 0; /* full steps since the checkpoint */
    int stalled = 0;
    double good = s->merit; /* merit when it was last halved */
    bool searching = false;
    perp_outcome last = PERP_OUTCOME_NUMERICS;
    s->nreference = 0;
    check(s);
    double far = FAR * (largest(s->m.n, s->x) + s->merit);
    for (;;) {
        if (!s->m.box.linear && largest(s->m.n, s->z) > far) return PERP_OUTCOME_NUMERICS;
        if (pp_path_model_measure(&s->m, s->z, s->w) <= s->s->tol) return PERP_OUTCOME_SOLVED;
        if (perp_call_watched(s->call)) pp_path_model_out(&s->m, s->z, s->m.z);
        if (!perp_call_look(s->call, s->major, s->m.z)) return PERP_OUTCOME_STOPPED;
        if (s->major == s->s->max_major) return PERP_OUTCOME_LIMIT;
        stalled = s->merit <= 0.5 * good ? 0 : stalled + 1;
        if (stalled == 0) good = s->merit;
        if (stalled > STALLED) return PERP_OUTCOME_LIMIT;
        if (!pp_path_model_J(&s->m, s->z)) return PERP_OUTCOME_NUMERICS;
        s->major++;
        pp_path_end end = follow(s, ray);
        if (end != PP_PATH_REACHED) last = outcome_of(end);
        if (end == PP_PATH_STOPPED) return last;
        if (end == PP_PATH_REACHED && !searching) {
            double merit = try_point(s, s->p.x);
            if (ray && merit < INFINITY) { /* a new start */
                ray = false;
                accept(s, merit);
                s->nreference = 0;
                check(s);
                continue;
            }
            if (merit <= (1 - DECREASE) * reference(s)) {
                accept(s, merit);
                check(s);
                loose = 0;
                ease(s);
                continue;
            }
            if (loose < s->s->watchdog && merit <= OUT_OF_SIGHT * s->reference[(s->nreference - 1) % MOST_MEMORY]) {
                accept(s, merit);
                loose++;
                continue;
            }
        }
        if (s->m.box.linear || ray) return last; /* the linear problem was exact: its path gives nothing more */
        if (loose > 0) {
            double merit = try_point(s, s->checkpoint);
            accept(s, merit);
            loose = 0;
            searching = true;
            continue;
        }
        searching = false;
        if (search_path(s)) {
            check(s);
        } else {
            if (!(s->prox < PROX_STUCK)) return last;
            s->prox = fmax(PROX_RESCUE, PROX_GROW * s->prox); /* shorter steps, and paths that reach their end */
        }
    }
}

/* Numbers in [0, 1) without pattern, the same in every run. */
static double spread(int which, int i) {
    uint64_t h = (uint64_t)which * 1000003u + (uint64_t)i + 1;
    h *= 0x9E3779B97F4A7C15ull;
    h ^= h >> 30, h *= 0xBF58476D1CE4E5B9ull, h ^= h >> 27, h *= 0x94D049BB133111EBull, h ^= h >> 31;
    return (double)(h >> 11) * 0x1p-53;
}

/* In the units of the problem, into z. The first is all ones, the others larger and larger. */
static void elsewhere(const search *s, int which, double *z) {
    const pp_box *b = &s->m.box;
    for (int i = 0; i < b->n; i++) {
        double f = which == 0 ? 0.5 : spread(which, i), far = which == 0 ? 1 : ldexp(2 * f, (which - 1) % 6);
        bool low = b->lo[i] > -INFINITY, high = b->hi[i] < INFINITY;
        if (low && high)
            z[i] = b->lo[i] + f * (b->hi[i] - b->lo[i]);
        else if (low)
            z[i] = b->lo[i] + far * b->zs[i];
        else if (high)
            z[i] = b->hi[i] - far * b->zs[i];
        else
            z[i] = s->guess[i] + (which == 0 ? 0 : (which % 2 ? far : -far) * b->zs[i]);
    }
}

/* The k-th way to begin. */
static plan choose(int k, bool linear) {
    static const plan lines[] = {
        {GUESS, 0, true, 0},   {RAY, 0, false, 0},    {ELSEWHERE, 0, false, 0}, {RAY, 1, false, 0},
        {RAY, 0, false, 1e-4}, {RAY, 1, false, 1e-4}, {ELSEWHERE, 1, false, 0}, {GUESS, 0, false, 1e-2},
    };
    static const plan curves[] = {
        {GUESS, 0, true, 0}, {GUESS, 0, false, 0},     {GUESS, 0, true, 1e-2}, {ELSEWHERE, 0, true, 0},
        {RAY, 0, false, 0},  {ELSEWHERE, 1, false, 0}, {RAY, 1, false, 1e-2},
    };
    const int n = linear ? (int)(sizeof lines / sizeof *lines) : (int)(sizeof curves / sizeof *curves);
    if (k < n) return linear ? lines[k] : curves[k];
    if (linear) return (plan){k % 2 ? ELSEWHERE : RAY, k, k % 4 == 1, k % 4 < 2 ? 0 : 1e-3};
    return (plan){ELSEWHERE, k, k % 2 == 0, k % 4 < 2 ? 0 : 1e-2};
}

static perp_outcome begin(search *s, const plan *how) {
    int n = s->m.n;
    double *z = s->m.w; /* unused until the next measure */
    if (how->from == ELSEWHERE)
        elsewhere(s, how->which, z);
    else
        memcpy(z, s->guess, sizeof *z * (size_t)n);
    if (!pp_path_model_scale(&s->m, z)) return PERP_OUTCOME_NUMERICS;
    pp_path_model_in(&s->m, z, s->z);
    if (!pp_path_model_F(&s->m, s->z, s->w) || !pp_path_model_J(&s->m, s->z)) return PERP_OUTCOME_NUMERICS;
    s->prox = how->prox;
    s->prox_floor = 0;
    if (how->crash && s->s->crash > 0)
        (void)pp_path_crash(&s->m, &s->p, s->s->crash, how->prox, s->z, s->w, s->tz, s->tw);
    for (int i = 0; i < n; i++) s->ray[i] = how->which == 0 ? 1 : 1 + spread(how->which, i);
    pp_path_model_lift(&s->m, s->z, s->w, s->tx);
    accept(s, try_point(s, s->tx));
    return descend(s, how->from == RAY);
}

static perp_outcome restart(search *s, int *plans) {
    perp_outcome first = PERP_OUTCOME_NUMERICS;
    for (int k = 0; k <= s->s->restarts; k++) {
        plan how = choose(k, s->m.box.linear);
        perp_outcome o = begin(s, &how);
        *plans = k + 1;
        if (o == PERP_OUTCOME_SOLVED || o == PERP_OUTCOME_STOPPED || s->major >= s->s->max_major) return o;
        if (k == 0 || how.from == RAY) first = o; /* the result of a ray start is the most informative */
    }
    return first;
}

/* The last restart of a linear problem: complementary pivoting in the variables of the problem. Kept if it is the best. */
static perp_outcome pivot_at_last(search *s, const perp_problem *problem, perp_outcome outcome, perp_solve_info *info) {
    perp_solve_info own;
    pp_settings set;
    double *z = PP_CALL_ARRAY(s->call, double, s->m.n);
    if (!z) return PERP_OUTCOME_MEMORY;
    memset(z, 0, sizeof *z * (size_t)s->m.n);
    pp_settings_default(&pp_solver_lemke, 0, &set);
    if (pp_solve_within(s->call, &pp_solver_lemke, &set, problem, z, &own)) return outcome;
    pp_box_clip(&s->m.box, z);
    pp_path_model_in(&s->m, z, s->z);
    if (!pp_path_model_F(&s->m, s->z, s->w)) return outcome;
    double r = pp_path_model_measure(&s->m, s->z, s->w);
    if (r < s->least) {
        s->least = r;
        memcpy(s->best, z, sizeof *z * (size_t)s->m.n);
        pp_tell(info, "solved by lemke");
    }
    return r <= s->s->tol ? PERP_OUTCOME_SOLVED : own.outcome == PERP_OUTCOME_STOPPED ? own.outcome : outcome;
}

static perp_outcome solve(const perp_problem *problem, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    (void)work;
    if (perp_problem_size(problem) == 0) return PERP_OUTCOME_SOLVED;
    search s;
    bool guess = false, ready = make(&s, problem, set, call);
    perp_outcome outcome = PERP_OUTCOME_MEMORY;
    int plans = 0;
    if (ready) {
        pp_box_clip(&s.m.box, z);
        memcpy(s.guess, z, sizeof *z * (size_t)s.m.n);
        memcpy(s.best, z, sizeof *z * (size_t)s.m.n);
        for (int i = 0; i < s.m.n; i++) guess |= z[i] != 0;
        outcome = restart(&s, &plans);
        bool dense = problem->cls == PERP_LCP || problem->cls == PERP_MLCP;
        if (dense && outcome != PERP_OUTCOME_SOLVED && outcome != PERP_OUTCOME_STOPPED && s.s->restarts > 0)
            outcome = pivot_at_last(&s, problem, outcome, info);
        memcpy(z, s.best, sizeof *z * (size_t)s.m.n);
        info->iterations = s.major;
        info->factorisations = s.p.f.count;
        info->warm = guess && outcome == PERP_OUTCOME_SOLVED && plans == 1;
        pp_tell(info, "%d pivots, %d restarts", s.p.count, plans > 0 ? plans - 1 : 0);
    }
    pp_path_pivot_end(&s.p);
    return outcome;
}

const perp_solver_type pp_solver_path_search = {
    .abi = PERP_ABI,
    .name = "path-search",
    .source = "Dirkse, Ferris (1995); Ralph (1994)",
    .takes = PP_BOX_CLASSES,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};

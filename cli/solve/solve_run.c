/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_run.c - runs one solver on one problem, measures the answer, and optionally stores the history of its residuals.
 *
 * The time is the wall time of perp_solve() minus the time of the callbacks. With a callback, a solver may do additional work (compute
 * an answer in every iteration), so times are best measured without a trace. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "input/input.h"
#include "problem/stored.h"
#include "solve/solve.h"

void solve_close(solve_problem *p) {
    perp_judge_free(p->judge);
    perp_stored_free(p->pyramid);
    perp_stored_free(p->stored);
    *p = (solve_problem){0};
}

static bool has_spatial_cones(const perp_problem *p) {
    return (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) && p->as.cone.dim > 2;
}

static bool is_recording(const char *path) {
    perp_recording *r;
    if (perp_recording_open(path, &r, NULL)) return false;
    perp_recording_close(r);
    return true;
}

perp_status solve_open(const char *path, int facets, solve_problem *out, perp_refusal *why) {
    char text[512];
    pp_location at = {path, 0, 0};
    *out = (solve_problem){.path = path};
    cli_loading(true);
    perp_status s = perp_problem_read(path, NULL, &out->stored, &out->format, why);
    cli_loading(false);
    if (s && is_recording(path))
        return pp_complain(why, s, at, NULL, "a recording", "a problem (perp run --save-problems makes them)");
    if (s) return s;
    const perp_problem *p = out->problem = perp_stored_problem(out->stored);
    if (perp_problem_check(p, text, sizeof text)) s = pp_complain_say(why, PERP_E_ARG, at, "", "%s", text);
    if (!s && facets > 0 && has_spatial_cones(p)) {
        s = perp_problem_convert(p, PERP_SPARSE_MLCP, facets, NULL, &out->pyramid);
        if (s) pp_complain_say(why, s, at, "", "no friction pyramids for this problem: %s", perp_status_text(s));
        if (!s) out->problem = perp_stored_problem(out->pyramid);
    }
    if (!s) {
        s = perp_judge_new(out->problem, NULL, &out->judge);
        if (s == PERP_E_MEMORY)
            pp_complain_say(why, s, at, "", "no memory to judge answers");
        else if (s)
            pp_complain(why, s, at, NULL, "a mass matrix M that is singular", "a regular one");
    }
    if (s) solve_close(out);
    return s;
}

bool solve_fits(const perp_solver_type *type, const perp_problem *p) {
    if (type->takes & (unsigned)p->cls) return true;
    for (unsigned c = 1; c < PERP_CLASS_ALL; c <<= 1)
        if ((type->takes & c) && pp_convert_lossless(p, (perp_class)c)) return true;
    return false;
}

/* ---- watching ---- */

typedef struct watcher {
    perp_judge *judge;
    solve_history *history;
    double begun, spent; /* moment of the start; time that watching took */
    int before;          /* iterations of solvers that came before in a chain */
    int last;            /* what the present one said last */
    bool failed;         /* out of memory */
} watcher;

static bool add_point(solve_history *h, solve_point p) {
    const perp_allocator plain = {0};
    if (!PP_GROW(&plain, h->point, h->cap, h->count, h->count + 1)) return false;
    h->point[h->count++] = p;
    return true;
}

static bool look(int iteration, const double *z, void *ctx) {
    watcher *w = ctx;
    double now = pp_clock();
    perp_measures m;
    if (iteration < w->last) w->before += w->last; /* the next one of a chain, counting anew */
    w->last = iteration;
    if (perp_judge_measure(w->judge, z, &m)) m.natural = m.siconos = INFINITY;
    solve_point p = {w->before + iteration, now - w->begun - w->spent, m.natural, m.siconos};
    if (!add_point(w->history, p)) w->failed = true;
    w->spent += pp_clock() - now;
    return !w->failed && !cli_interrupted();
}

/* ---- solving ---- */

static void start_from(const solve_problem *p, double *z, bool *warm) {
    const double *guess = perp_stored_guess(p->stored);
    int n = perp_problem_size(p->problem);
    *warm = *warm && guess;
    if (!*warm) return;
    if (p->pyramid)
        pp_stored_forth(p->pyramid, guess, z);
    else if (n > 0)
        memcpy(z, guess, (size_t)n * sizeof *z);
}

static double processor_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define SHOW_EVERY 0.5 /* s between two lines of progress, and before the first */

/* What is under way, for a line on the terminal. */
typedef struct showing {
    const char *path, *solver;
    double begun, shown;
    bool on, any;
} showing;

/* Asked by solvers all the time: shall they stop? Shows how long it has taken. */
static bool interrupted(void *ctx) {
    showing *s = ctx;
    double now = s->on ? pp_clock() : 0;
    if (s->on && now - s->shown > SHOW_EVERY) {
        char safe[128];
        fprintf(stderr, "\r%s: %s, %.1f s\033[K", cli_printable(safe, sizeof safe, s->path), s->solver, now - s->begun);
        fflush(stderr);
        s->shown = now;
        s->any = true;
    }
    return cli_interrupted();
}

static perp_status solve_once(const solve_problem *p, perp_solve_options so, const solve_options *o, double *z,
                              solve_row *r) {
    watcher w = {.judge = p->judge, .history = &r->history};
    perp_watch watch = {look, &w};
    r->history.count = 0;
    so.warm = o->warm;
    start_from(p, z, &so.warm);
    if (o->traced) so.watch = &watch;
    w.begun = pp_clock();
    showing show = {.path = p->path, .solver = so.solver, .begun = w.begun, .shown = w.begun, .on = o->progress};
    so.stop = interrupted;
    so.stop_ctx = &show;
    double processor = processor_clock();
    r->status = perp_solve(p->problem, &so, z, &r->info);
    r->seconds = pp_clock() - w.begun - w.spent;
    r->processor = processor_clock() - processor;
    if (show.any) fprintf(stderr, "\r\033[K");
    if (r->status == PERP_E_MEMORY || w.failed) return PERP_E_MEMORY;
    return PERP_OK;
}

/* The answer is the last point, also of solvers that show nothing on the way. */
static bool end_history(solve_row *r) {
    solve_history *h = &r->history;
    int at = h->count ? h->point[h->count - 1].iteration : 0;
    if (r->info.iterations > at) at = r->info.iterations;
    if (h->count && h->point[h->count - 1].iteration == at && h->point[h->count - 1].natural == r->measures.natural)
        return true;
    return add_point(h, (solve_point){at, r->seconds, r->measures.natural, r->measures.siconos});
}

static perp_status measure(const solve_problem *p, const double *z, double tol, solve_row *r) {
    perp_status s = perp_judge_measure(p->judge, z, &r->measures);
    if (!s) s = perp_judge_verdict(p->judge, z, tol, &r->verdict, NULL);
    if (r->status == PERP_OK && !s && !r->verdict.solved) r->status = PERP_E_SOLVE; /* what counts is measured here */
    r->pyramid = p->pyramid != NULL;
    if (!s && r->status == PERP_E_SOLVE && r->info.outcome != PERP_OUTCOME_STOPPED && r->verdict.violated > 0) {
        double *y = malloc(((size_t)perp_problem_size(p->problem) + 1) * sizeof *y);
        s = y ? perp_problem_contradict(p->problem, NULL, y, &r->proof) : PERP_E_MEMORY;
        free(y);
        if (s == PERP_E_ARG) s = PERP_OK; /* a class without such proofs */
    }
    if (s || !p->pyramid) return s;
    const perp_problem *cone = perp_stored_problem(p->stored);
    double *back = malloc(((size_t)perp_problem_size(cone) + 1) * sizeof *back);
    if (!back) return PERP_E_MEMORY;
    s = perp_stored_answer(p->pyramid, z, back);
    if (!s) s = perp_problem_measure(cone, back, &r->cone);
    free(back);
    return s;
}

perp_status solve_run(const solve_problem *p, const perp_solver_type *type, const solve_choice *choice,
                      const solve_options *o, double *z, solve_row *out) {
    perp_setting setting[64];
    perp_solve_options so = {.solver = type->name, .tol = o->tol, .time_limit = o->time_limit, .settings = setting};
    for (int i = 0; i < choice->nset && so.nsetting < 64; i++)
        if (choice->set[i].type == type) setting[so.nsetting++] = choice->set[i].setting;
    const perp_problem *given = perp_stored_problem(p->stored);
    bool cones = given->cls == PERP_CONE || given->cls == PERP_CONE_QP;
    *out = (solve_row){.problem = p->path,
                       .cls = p->problem->cls,
                       .size = perp_problem_size(p->problem),
                       .contacts = cones ? given->as.cone.ncontact : 0,
                       .solver = type->name};
    out->history.problem = p->path;
    out->history.solver = type->name;
    double best = INFINITY;
    perp_status s = PERP_OK;
    for (int i = 0; i < o->repeat && !s && !cli_interrupted(); i++) {
        s = solve_once(p, so, o, z, out);
        if (out->seconds < best) best = out->seconds;
    }
    out->seconds = best;
    out->measures.natural = out->measures.siconos = out->verdict.figure = INFINITY;
    out->verdict.worst = -1;
    if (s == PERP_E_MEMORY && out->status == PERP_E_MEMORY) return PERP_OK; /* told as its outcome */
    if (s) return s;
    if (out->status == PERP_OK || out->status == PERP_E_SOLVE) {
        s = measure(p, z, o->tol > 0 ? o->tol : SOLVE_TOL, out);
        if (!s && o->traced && !end_history(out)) s = PERP_E_MEMORY;
    }
    return s;
}

const char *solve_word(const solve_row *r) {
    if (r->status == PERP_OK) return "solved";
    if (r->status == PERP_E_FIT) return "no fit";
    if (r->status == PERP_E_MEMORY) return "memory";
    switch (r->info.outcome) {
    case PERP_OUTCOME_SOLVED: return "claims it";
    case PERP_OUTCOME_RAY: return "ray";
    case PERP_OUTCOME_LIMIT: return "limit";
    case PERP_OUTCOME_NUMERICS: return "numerics";
    case PERP_OUTCOME_TOO_LARGE: return "too large";
    case PERP_OUTCOME_STOPPED: return "stopped";
    case PERP_OUTCOME_MEMORY: return "memory";
    case PERP_OUTCOME_INFEASIBLE: return "infeasible";
    case PERP_OUTCOME_COUNT: break;
    }
    return "numerics";
}

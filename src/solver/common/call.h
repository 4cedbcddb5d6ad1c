/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* call.h - what lies behind perp_call: the workspace, the watch, the clock. */
#ifndef PP_CALL_H
#define PP_CALL_H

#include "base/memory.h"
#include "perp/plugin.h"

/* Work of solvers, counted in multiplications of scalar code, roughly: the same on every machine and in every run, and about as
 * many in a second whatever the solver does: 5e8 to 1e9. */
typedef struct pp_work {
    double done;  /* so far */
    double limit; /* solvers end where `done` exceeds it; INFINITY: none */
    int last;     /* iteration at the last look of the solver under way */
    int wedged; /* problems so far that were proven to have no answer, or may have none and were not solved by any method */
} pp_work;

/* Where loads are not unique: which of those that obey the laws are wanted? */
typedef enum pp_load_choice {
    PP_LOADS_ANY,    /* whichever are found */
    PP_LOADS_UNIQUE, /* those that depend on the problem alone; a guess that obeys the laws has them already */
    PP_LOADS_LATER,  /* whichever are found; when the problem has settled, it will be posed once more with NOW */
    PP_LOADS_NOW,    /* those that depend on the problem alone, whatever the guess has */
    PP_LOADS_KEEP    /* those of the guess, which has them: what the laws leave free stays as it is there */
} pp_load_choice;

struct perp_call {
    pp_arena *arena;         /* where perp_call_memory takes from */
    const perp_watch *watch; /* NULL: nobody looks */
    bool (*stop)(void *ctx); /* true: end now; NULL: never */
    void *stop_ctx;
    double deadline; /* of pp_clock; INFINITY: none, and no clock is read */
    int depth;       /* of solvers that call solvers: auto */
    pp_load_choice loads;
    /* does the caller accept this answer, although it misses the tolerance of the solver? NULL: never */
    bool (*enough)(const double *z, void *ctx);
    void *enough_ctx;
    perp_judge *judge; /* of `judged`, by which an answer is accepted; NULL: the solver's own residual does */
    const perp_problem *judged;
    pp_work *work; /* counts work, and may end the solver; NULL: work is not counted */
    double weight; /* work of an iteration */
    bool terse;    /* the story is not read: within a step, writing it costs more than solving a small problem */
    bool by_speed; /* the answer is judged by speeds, as within a step */
};

/* An array of the call's memory; NULL if refused. */
#define PP_CALL_ARRAY(call, type, n) ((type *)perp_call_memory((call), sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))

/* The judge of a problem, if it is the one that the answer is judged by; NULL otherwise. */
static inline perp_judge *pp_call_judge(const perp_call *call, const perp_problem *p) {
    return call->judged == p ? call->judge : NULL;
}

/* Counts multiplications that a look knows nothing of: those of factors and of what is done with them. w: NULL is fine. */
static inline void pp_count(pp_work *w, double multiplications) {
    if (w) w->done += multiplications;
}

/* Columns of a dense matrix this long take as much to begin as to go through; long ones do six multiplications in the time
 * of one elsewhere. Measured on matrices of 20 to 1000 columns. */
#define PP_SHORT_COLUMN 300.0

/* Work of a product with a dense n x n matrix, a solution with its factors, or a pivot. */
static inline double pp_dense_product(int n) { return n * (n + PP_SHORT_COLUMN) / 6; }

/* Work of LU factors of a dense n x n matrix, and of `more` products. */
static inline double pp_dense_work(int n, int more) { return (n / 3.0 + more) * pp_dense_product(n); }

#endif

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* call.h - the data of perp_call: workspace, watch, clock. */
#ifndef PP_CALL_H
#define PP_CALL_H

#include "base/memory.h"
#include "perp/plugin.h"

/* Work of solvers, roughly in multiplications of scalar code. It is the same on every machine and in every run. A
 * second has about 5e8 to 1e9 of them for any solver. */
typedef struct pp_work {
    double done;  /* so far */
    double limit; /* solvers end when `done` exceeds it; INFINITY: no limit */
    int last;     /* iteration at the last check of the running solver */
    /* number of problems that were proven to have no solution, or may have none and were not solved by any method */
    int wedged;
} pp_work;

/* If loads are not unique: which of the loads that satisfy the laws are required? */
typedef enum pp_load_choice {
    PP_LOADS_ANY,    /* any */
    PP_LOADS_UNIQUE, /* those that depend on the problem alone; a guess that satisfies the laws has them already */
    PP_LOADS_LATER,  /* any; when the problem has converged, it will be posed once more with NOW */
    PP_LOADS_NOW,    /* those that depend on the problem alone, independent of the guess */
    PP_LOADS_KEEP    /* those of the guess, which has them: the part that the laws leave free does not change */
} pp_load_choice;

struct perp_call {
    pp_arena *arena;         /* memory of perp_call_memory */
    const perp_watch *watch; /* NULL: no watch */
    bool (*stop)(void *ctx); /* true: end now; NULL: never */
    void *stop_ctx;
    double deadline; /* of pp_clock; INFINITY: none, and the clock is not read */
    int depth;       /* of solvers that call solvers: auto */
    pp_load_choice loads;
    /* does the caller accept this solution, although it misses the tolerance of the solver? NULL: never */
    bool (*enough)(const double *z, void *ctx);
    void *enough_ctx;
    bool ask_early; /* ask `enough` whenever progress is slow, not only after a stage of `auto` */
    /* of `judged`, decides whether a solution is accepted; NULL: the solver's own residual decides */
    perp_judge *judge;
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

/* Counts multiplications that perp_call_look() does not know: those of factors and solutions with them. w: NULL is
 * allowed. */
static inline void pp_count(pp_work *w, double multiplications) {
    if (w) w->done += multiplications;
}

/* [elements] Length of a column of a dense matrix for which starting takes as long as computing. Long columns do six
 * multiplications in the time of one elsewhere. Measured on matrices of 20 to 1000 columns. */
#define PP_SHORT_COLUMN 300.0

/* Work of a product with a dense n x n matrix, a solution with its factors, or a pivot. */
static inline double pp_dense_product(int n) { return n * (n + PP_SHORT_COLUMN) / 6; }

/* Work of LU factors of a dense n x n matrix, and of `more` products. */
static inline double pp_dense_work(int n, int more) { return (n / 3.0 + more) * pp_dense_product(n); }

#endif

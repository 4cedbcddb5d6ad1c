/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fit.h - internals of least squares: one search, its derivatives, its loss, and the information at the optimum. */
#ifndef PP_FIT_H
#define PP_FIT_H

#include "base/memory.h"
#include "perp/fit.h"

typedef enum pp_loss { PP_LOSS_SQUARE, PP_LOSS_HUBER, PP_LOSS_CAUCHY, PP_LOSS_TUKEY } pp_loss;

/* loss.c. k: the scale. rho(r): r^2 near 0; weight = rho'(r)/(2 r), in 0 .. 1; psi = weight r; psi' its derivative. */
double pp_loss_value(pp_loss loss, double k, double r);
double pp_loss_weight(pp_loss loss, double k, double r);
double pp_loss_curvature(pp_loss loss, double k, double r);
/* False if there is no such loss. *scale: the usual one of this loss if it is 0. */
bool pp_loss_find(const char *name, pp_loss *loss, double *scale);

/* State of a fit. All memory is in the arena. */
typedef struct pp_fit {
    const perp_fit_problem *p;
    perp_fit_options o; /* defaults filled in */
    pp_arena arena;
    int n, m;
    pp_loss loss;
    double loss_scale;
    double *lower, *upper, *scale; /* n */
    double *difference;            /* n: relative steps of differences, chosen at the first point */
    double *points, *values;       /* pp_fit_batch(n) x n, x m */
    double *r, *trial_r;           /* m */
    double *J;                     /* m x n */
    double *J_half;                /* m x n: only where derivatives are checked */
    double *g, *B;     /* n, n x n: half the gradient and the Gauss-Newton matrix of the cost, prior included */
    double *d, *trial; /* n, 3n: step; point and limits of the step */
    double *error;     /* n: relative difference of derivatives with the whole and the half step */
    double *qp;        /* pp_box_qp_work(n) */
    int *side;         /* n */
    int evaluations, iterations;
    int *group;     /* n: columns of the same number are differenced together */
    int ngroup;     /* n: each column by itself */
    bool *pattern;  /* m x n, and room for m: where J had entries when groups were found */
    bool coupled;   /* the last whole J had entries that the groups before it left out */
    bool *wanted;   /* 2n: columns of a Jacobian */
    bool *flat;     /* n: parameters that change no residual at the point of J */
    bool rough;     /* residuals jump over tiny steps: f->difference holds longer ones */
    bool stopped;   /* a callback said so */
    bool no_memory; /* memory was refused during the search */
} pp_fit;

/* setup.c. Checks the problem and the options, fills the fit. Free by pp_fit_free, also after a failure. */
perp_status pp_fit_setup(pp_fit *f, const perp_fit_problem *p, const perp_fit_options *o, perp_refusal *why);
void pp_fit_free(pp_fit *f);
static inline bool pp_fit_fixed(const pp_fit *f, int j) { return !(f->lower[j] < f->upper[j]); }
/* Nearest point within bounds. */
void pp_fit_clip(const pp_fit *f, double *x);
/* Calls the residuals, counts; false: stopped. */
bool pp_fit_evaluate(pp_fit *f, int count, const double *x, double *r);
/* Cost at x with the residuals r; INFINITY if one is not finite. */
double pp_fit_cost(const pp_fit *f, const double *x, const double *r);

/* difference.c. J at x, where the residuals are r, into f->J; steps times `factor`. A J taken column by column gives the groups of those
 * that follow. False: stopped, or J could not be evaluated
 * (then f->stopped is false). */
bool pp_fit_jacobian(pp_fit *f, const double *x, const double *r, double factor);
/* J and f->error. first: also chooses f->difference. */
bool pp_fit_jacobian_checked(pp_fit *f, const double *x, const double *r, bool first);

/* Columns j with wanted[j] into J, steps times factor; columns that could not be had keep wanted[j], *missing counts them. */
bool pp_fit_columns(pp_fit *f, const double *x, const double *r, double factor, bool *wanted, double *J, int *missing);

/* groups.c. Columns that share no row of f->J, to be differenced together from now on; each by itself again. */
void pp_fit_find_groups(pp_fit *f);
void pp_fit_ungroup(pp_fit *f);
bool pp_fit_grouped(const pp_fit *f);
/* Whether f->J has no entries outside the pattern from which the groups were made. */
bool pp_fit_pattern_holds(const pp_fit *f);

/* rough.c. Whether the derivatives f->J at x, by small differences, predict the change of the residuals f->r over a standard error. If
 * false, f->rough is set, and f->J and f->difference are those of longer steps. Also true if f->rough was set before, or if the test
 * points could not be evaluated. */
bool pp_fit_smooth(pp_fit *f, const double *x, double cost);

/* Points in one batch. */
static inline int pp_fit_batch(int n) { return 2 * n > 16 ? 2 * n : 16; }

/* probe.c. Looks along the parameters with which[j] for a clearly better point; together: along all of them at once first. True: x,
 * f->r and *cost are that point's. False: none, nothing changed; or f->stopped. */
bool pp_fit_probe(pp_fit *f, double *x, double *cost, const bool *which, bool together);

/* box_qp.c. Least g'd + d'B d/2 with low <= d <= high. */
typedef struct pp_box_qp_data {
    int n;
    const double *B;          /* n x n, positive semidefinite */
    const double *g;          /* n */
    const double *low, *high; /* n; low <= 0 <= high */
} pp_box_qp_data;
/* side[j]: -1, 0, 1: at low, within, at high. Returns how far the function falls below 0, as a positive number.
 * @param work pp_box_qp_work(n) doubles */
double pp_box_qp(const pp_box_qp_data *p, double *d, int *side, double *work);
size_t pp_box_qp_work(int n); /* doubles */

/* search.c. One search from x, which is overwritten. converged and reason are set. PERP_E_SOLVE: x could not be evaluated. */
typedef struct pp_fit_end {
    double cost;
    bool converged;
    const char *reason;
} pp_fit_end;
perp_status pp_fit_search(pp_fit *f, double *x, pp_fit_end *end);

/* identify.c. Information at the optimum x with the residuals f->r and the derivatives f->J, which are overwritten. */
typedef struct pp_fit_information {
    int rank, dof, ndirection;
    int *bound;         /* n: as in perp_fit_details */
    double *covariance; /* n x n: see perp_fit */
    double *direction;  /* n x n */
    double factor;      /* factor of the covariance for noise of unknown size */
} pp_fit_information;
perp_status pp_fit_identify(pp_fit *f, const double *x, double cost, pp_fit_information *out);
/* Singular values s (n) of A (n x n, overwritten by U S) and right vectors V (n x n), by one-sided Jacobi rotations. */
void pp_svd(int n, double *A, double *V, double *s);

/* fit.c. Searches from all starts; the best x. */
perp_status pp_fit_run(pp_fit *f, double *x, pp_fit_end *end, int *agreeing, perp_refusal *why);
/* Residuals, cost, checked derivatives and information at x. */
perp_status pp_fit_look(pp_fit *f, const double *x, double *cost, pp_fit_information *q, perp_refusal *why);

#endif

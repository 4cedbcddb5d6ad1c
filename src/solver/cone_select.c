/* cone_select.c - of all loads that obey the laws, those that depend on the problem alone
 * Problem  a face that lies on a face touches in more points than it takes to hold it, and many loads obey the laws. If it
 *          slides, friction and its torque depend on them, and so does the motion. Which loads a solver comes upon depends
 *          on where it began and, by rounding, on the frame and the numbering of the scene. Wanted: loads that are a
 *          function of the problem, and change little with it.
 * Method   proximal points from x = 0: the next solves the law with v = W~ x + q~ + a (x - x_k), each to rounding and with
 *          a prescribed a. The answer at hand is where Newton begins, and has no other influence. Where the law is
 *          monotone, a proximal point is unique, moves no more than its centre does, and no more than 1/a times what q~
 *          does: rounding makes rounding/a. What is left then and may be rounding is left (SETTLED). The limit is close to
 *          the least loads in norm: those of a face are spread over all its points.
 *          Contacts may contradict each other by more than rounding: two corners of which one came down within the
 *          step cannot both stick. Then loads must travel until one gives way, by contradiction/a in each step, and a
 *          falls as far as that needs; where Newton fails, more slowly. All other loads have then felt rounding/a, for
 *          a smaller a: what the laws leave free of them is taken back to where it was before.
 * Valid    no proof where friction makes the law non-monotone. If a point is not found, the caller keeps its answer.
 * Cost     some 8 factorisations; with contradictions 30 to 40.
 * Source   Rockafellar (1976) for proximal points; Tikhonov (1963) for the least of many answers. */
#include "solver/cone_select.h"

#include <math.h>
#include <string.h>

#define FIRST_PULL  1e-3  /* a: twice this, */
#define FALL        0.1   /* then falling by this, */
#define REST_PULL   1e-5  /* to this, twice again; below that only while contacts contradict each other, */
#define LEAST_PULL  1e-9  /* down to this, where it stays */
#define FREE        1e-9  /* directions that the laws hold by less are free */
#define SETTLED     1e-11 /* what is left that may be rounding of the gaps: coordinates in units of a step's motion, */
#define SAFE        0.7   /* or this part of tol, if that is less */
#define FINE        1e-12 /* a tol of this asks for all digits there are */
#define STILL       1e-10 /* slip that is none, in units of the largest velocity without loads */
#define LAST        2     /* points at REST_PULL from there on, */
#define EXACT       3e-15 /* or fewer */
#define EACH_STEPS  20    /* of Newton for a point, */
#define MOST_STEPS  120   /* and for all, */
#define MOST_POINTS 40    /* of which there are no more */
#define SOLVED      1e-12 /* |F| over |x| of a point that was found */
#define SLOWEST     0.8   /* a falls by no less */

bool pp_cone_select_matters(const pp_cone *c, const double *x, const double *v) {
    if (c->associated) return false;
    for (int i = c->nrow; i < c->nblock; i++) {
        double slip = 0;
        for (int r = c->first[i] + 1; r < c->first[i + 1]; r++) slip += v[r] * v[r];
        if (c->mu[i] > 0 && x[c->first[i]] > 0 && slip > STILL * STILL) return true;
    }
    return false;
}

/* The next proximal point, into newton->x; false if it was not found. */
static bool advance(pp_cone_select *k, const double *from) {
    pp_cone_newton *n = k->newton;
    if (!(pp_cone_newton_point(n, from, EACH_STEPS) <= SOLVED)) return false;
    memcpy(n->x, n->trial, sizeof *n->x * (size_t)n->c->m);
    k->measure = pp_cone_strictest(&n->figure, n->x, n->w);
    return true;
}

/* The same, by Newton from the last point, the first from the answer. If that gets lost: from the other of the two while
 * a is large; below, a falls more slowly instead. */
static bool find(pp_cone_select *k, bool first) {
    const double *last = k->newton->x;
    return advance(k, first ? k->from : last) || (k->newton->pull >= REST_PULL && advance(k, first ? last : k->from));
}

/* Points at REST_PULL, until only rounding is left. */
static bool finish(pp_cone_select *k) {
    k->newton->pull = REST_PULL;
    for (int i = 0; i < LAST && k->measure > EXACT; i++)
        if (!advance(k, k->newton->x)) return false;
    return true;
}

/* a of point number `count`, after `pull`. */
static double next_pull(int count, double pull, double fall) {
    static const double first[] = {FIRST_PULL, FIRST_PULL, FALL * FIRST_PULL, REST_PULL, REST_PULL};
    return count < (int)(sizeof first / sizeof *first) ? first[count] : fmax(LEAST_PULL, fall * pull);
}

/* Points with falling a. False if they did not get to `settled`; newton->stand is the last at REST_PULL or above. */
static bool descend(pp_cone_select *k, double settled) {
    pp_cone_newton *n = k->newton;
    size_t bytes = sizeof *n->x * (size_t)n->c->m;
    double fall = FALL, good = FIRST_PULL;
    int before = n->steps;
    for (int count = 0; k->measure > settled;) {
        n->pull = next_pull(count, good, fall);
        if (count == MOST_POINTS || n->steps - before > MOST_STEPS) return false;
        if (find(k, count == 0)) {
            good = n->pull;
            if (good >= REST_PULL) memcpy(n->stand, n->x, bytes);
            count++;
        } else {
            fall = sqrt(fall);
            if (n->pull >= fmin(REST_PULL, good) || fall > SLOWEST) return false;
        }
    }
    return true;
}

/* After small pulls: takes back what they did to loads that are free. If that spoils the answer it stays as it was. */
static void take_back(pp_cone_select *k, double settled) {
    pp_cone_newton *n = k->newton;
    size_t bytes = sizeof *n->x * (size_t)n->c->m;
    double measure = k->measure;
    memcpy(n->way, n->x, bytes);
    n->pull = FREE;
    if (pp_cone_newton_recentre(n, n->stand)) {
        k->measure = INFINITY;
        if (finish(k) && k->measure <= settled) return;
    }
    memcpy(n->x, n->way, bytes);
    k->measure = measure;
}

bool pp_cone_select_run(pp_cone_select *k) {
    pp_cone_newton *n = k->newton;
    double settled = k->tol > FINE ? fmin(SETTLED, SAFE * k->tol) : EXACT;
    int before = n->steps;
    k->measure = INFINITY;
    memset(n->x, 0, sizeof *n->x * (size_t)n->c->m);
    bool down = descend(k, settled);
    if (down && n->pull < REST_PULL) take_back(k, settled);
    if (down && !finish(k)) k->measure = INFINITY;
    k->steps = n->steps - before;
    return k->measure <= k->tol;
}

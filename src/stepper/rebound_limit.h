/* rebound_limit.h - the part of restitution that energy allows, for world/step.c. */
#ifndef PP_REBOUND_LIMIT_H
#define PP_REBOUND_LIMIT_H

#include "world/frame.h"

/* A pair of shapes whose rebound is limited, and the search for how much. Works are those of its island's contacts. */
typedef struct pp_rebound_limit {
    int shape[2];            /* slots */
    double factor;           /* of the restitution of the pair, 0 to 1 */
    double lo, hi;           /* factors that lose, that gain energy */
    double work_lo, work_hi; /* with these; NAN: not known yet [M L^2/T^2] */
    double base, gain;       /* with 0 if that is a gain; with 1 */
    int side, seen;          /* which of both moved last; the try that it was looked at in */
    bool done;
} pp_rebound_limit;

/* How fast a pair that overlaps at the start may be pushed apart. */
typedef enum pp_push_out {
    PP_PUSH_FREE,   /* so that the gap is zero at the end */
    PP_PUSH_BOUND,  /* and no faster than it approaches */
    PP_PUSH_NOTHING /* not at all: it is only kept from closing further */
} pp_push_out;

typedef struct pp_rebound_limits {
    pp_rebound_limit *pair;
    int n, cap, tries;
    pp_push_out push_out;
    bool none; /* nothing bounces: with restitution the laws had no answer */
} pp_rebound_limits;

/* Did restitution gain energy in a solved frame? Then *again: it is to be solved once more, with `r` as f->rebounds. */
perp_status pp_limit_rebounds(const pp_frame *f, pp_rebound_limits *r, bool *again);
/* Did contacts gain energy because they push out overlap? Then *again: it is to be solved once more, with another
 * r->push_out. */
perp_status pp_limit_push_out(const pp_frame *f, pp_rebound_limits *r, bool *again);
/* The least b_n that the overlap of a contact may ask for with this limit. `row`: of the contact, n and b_n_kin are used. */
double pp_push_out_bound(const pp_frame *f, pp_push_out limit, const perp_contact_row *row);
/* A frame was not solved: shall it be tried without restitution? If so, `r` says that from now on. Newton's rule
 * prescribes how bodies leave, and where friction wedges them that may have no answer; that they stop has one. */
bool pp_give_up_rebounds(const pp_frame *f, pp_rebound_limits *r);
/* What came of both, for the certificate of a part that was solved. */
void pp_tell_rebounds(const pp_rebound_limits *r, perp_certificate *cert);
/* Part of its restitution that a pair of shapes has in this frame. */
double pp_rebound_factor(const pp_frame *f, const int shape[2]);

#endif

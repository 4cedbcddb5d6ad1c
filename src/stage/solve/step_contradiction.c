/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* step_contradiction.c - names the contacts and joints that contradict each other in a step without solution
 * Problem  A body is between closing walls, or a joint holds it against a wall: no impulses are enough. A message should name the bodies, and
 *          those of them that are driven.
 * Method   The island is converted to a cone problem. Multipliers prove that it has no solution (perp/contradiction.h). The contacts
 *          and joints with nonzero multipliers give the names of the bodies.
 * Valid    Up to MOST_LAWS contacts and joint rows. Without a proof nothing is reported.
 * Cost     Pivoting over the contacts; only for steps that failed. */
#include "stage/solve/step_contradiction.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "problem/rows.h"
#include "problem/convert/to_cone.h"
#include "solver/auto/find_contradiction.h"
#include "model/budget.h"
#include "model/world_data.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [rows] Largest number of contacts and joint rows for which a contradiction is searched; it takes about a millisecond. */
#define MOST_LAWS 100

static void add(char *text, size_t size, const char *format, ...) PERP_PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void add_body(const perp_world *w, int body, char *text, size_t size) {
    if (body < 0)
        add(text, size, "the world");
    else if (w->body[body].name)
        add(text, size, "%s", w->body[body].name);
    else
        add(text, size, "body %d", body);
}

/* The contact of the step that corresponds to law number `law` of its cone problem; -1: a joint row. */
static int contact_of(const pp_step_cone *c, int law) {
    int nrow = c->problem.as.cone.nrow;
    for (int i = 0; i < c->step->ncontact; i++) {
        int at = c->at[i], own = at < nrow ? at : nrow + (at - nrow) / c->width;
        if (own == law) return i;
    }
    return -1;
}

/* Where law number `law` of the cone problem acts. */
static pp_opponent place_of(const pp_frame *f, const pp_step_cone *c, int law) {
    int contact = contact_of(c, law), at = contact >= 0 ? c->step->contact[contact].contact : -1;
    if (at >= 0 && at < f->contacts.n) {
        const int *shape = f->contacts.shape + 2 * at;
        return (pp_opponent){PP_OPPONENT_CONTACT, f->w->shape[shape[0]].body, f->w->shape[shape[1]].body};
    }
    if (contact >= 0 || law >= c->step->njoint || c->step->joint[law].joint < 0)
        return (pp_opponent){PP_OPPONENT_ROW, -1, -1};
    const perp_joint_row *r = &c->step->joint[law];
    pp_opponent_kind kind = r->kind == PERP_ROW_MOTOR   ? PP_OPPONENT_MOTOR
                            : r->kind == PERP_ROW_LIMIT ? PP_OPPONENT_LIMIT
                                                        : PP_OPPONENT_JOINT;
    return (pp_opponent){kind, r->joint, -1};
}

static void add_place(const perp_world *w, pp_opponent p, char *text, size_t size) {
    switch (p.kind) {
    case PP_OPPONENT_CONTACT:
        add_body(w, p.a, text, size);
        add(text, size, " on ");
        add_body(w, p.b, text, size);
        return;
    case PP_OPPONENT_ROW: add(text, size, "a row"); return;
    case PP_OPPONENT_MOTOR: add(text, size, "the motor of "); break;
    case PP_OPPONENT_LIMIT: add(text, size, "the limit of "); break;
    case PP_OPPONENT_JOINT: break;
    }
    add(text, size, "joint %d", p.a);
    if (w->joint[p.a].name) add(text, size, " (%s)", w->joint[p.a].name);
}

/* Adds body `slot` to the n bodies in `driven` if it is driven and not in the list. Returns their new number. */
static int note_driven(const perp_world *w, int slot, int *driven, int n) {
    int k = 0;
    if (slot < 0 || w->body[slot].kind != PERP_BODY_KINEMATIC || !w->body[slot].motion) return n;
    while (k < n && driven[k] != slot) k++;
    driven[k] = slot;
    return k == n ? n + 1 : n;
}

void pp_tell_contradicting(const perp_world *w, const pp_opponent *place, int n, int more, char *text, size_t size) {
    int driven[2 * PP_OPPONENTS], drives = 0;
    text[0] = 0;
    add(text, size, "; no solution exists: ");
    for (int i = 0; i < n; i++) {
        pp_opponent p = place[i];
        if (i > 0) add(text, size, ", ");
        add_place(w, p, text, size);
        bool joint = p.kind != PP_OPPONENT_CONTACT && p.kind != PP_OPPONENT_ROW;
        drives = note_driven(w, joint ? w->joint[p.a].a : p.a, driven, drives);
        drives = note_driven(w, joint ? w->joint[p.a].b : p.b, driven, drives);
    }
    if (more > 0) add(text, size, " and %d more", more);
    add(text, size, " contradict each other");
    for (int k = 0; k < drives; k++) {
        add(text, size, k ? ", " : "; driven: ");
        add_body(w, driven[k], text, size);
    }
}

/* Writes the text, with each pair of bodies and each joint once. */
static void tell(const pp_frame *f, const pp_step_cone *c, const perp_contradiction *proof, char *text, size_t size) {
    pp_opponent told[PP_OPPONENTS];
    int count = 0, most = proof->nlaw < PP_OPPONENTS ? proof->nlaw : PP_OPPONENTS;
    for (int i = 0; i < most; i++) {
        pp_opponent p = place_of(f, c, proof->law[i]);
        int k = 0;
        while (k < count && (told[k].a != p.a || told[k].b != p.b || told[k].kind != p.kind)) k++;
        if (k == count) told[count++] = p;
    }
    pp_tell_contradicting(f->w, told, count, proof->nlaw - most, text, size);
}

/* For any impulse, the velocities u satisfy -y . u = closing. So one of the rows with a multiplier violates its law by
 * at least this [L/T]. */
static double least_violation(const pp_step_cone *c, const double *y, double closing) {
    const perp_step_problem *p = c->step;
    double sum = 0;
    for (int j = 0; j < p->njoint; j++) sum += fabs(y[j]) / pp_row_length(p, &p->joint[j].row);
    for (int i = 0; i < p->ncontact; i++) sum += fabs(y[c->at[i]]);
    double most = 0; /* the largest number in the y of the proof is 1 */
    for (int k = 0; k < c->n; k++) most = fmax(most, fabs(y[k]));
    return sum > 0 ? closing * most / sum : 0;
}

double pp_tell_contradiction(const pp_frame *f, const perp_step_problem *p, char *text, size_t size) {
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    pp_step_cone c;
    perp_contradiction proof = {0};
    double least = 0;
    text[0] = 0;
    if (pp_budget_used(f->w, (double)p->nblock + p->njoint + p->ncontact)) return 0;
    if (p->ncontact + p->njoint <= MOST_LAWS && !pp_step_to_cone(p, a, &c)) {
        double *y = PP_ARENA_ARRAY(a, double, c.n);
        perp_judge *judge = NULL;
        perp_call call = pp_call_within(f->w);
        call.terse = true;
        if (y && !perp_judge_new(&c.problem, &f->w->def.alloc, &judge) &&
            !pp_find_contradiction(&call, &c.problem, judge, NULL, y, &proof) &&
            proof.existence == PERP_EXISTENCE_NONE) {
            tell(f, &c, &proof, text, size);
            least = least_violation(&c, y, proof.closing);
        }
        perp_judge_free(judge);
    }
    pp_arena_release(a, mark);
    return least;
}

double pp_tell_proof(const pp_frame *f, const perp_step_problem *p, const double *y, char *text, size_t size) {
    pp_arena *a = &f->w->arena;
    pp_arena_mark mark = pp_arena_here(a);
    pp_step_cone c;
    perp_contradiction proof = {0};
    double least = 0;
    text[0] = 0;
    if (!pp_step_to_cone(p, a, &c) && !perp_contradiction_check(&c.problem, y, &proof) &&
        proof.existence == PERP_EXISTENCE_NONE) {
        tell(f, &c, &proof, text, size);
        least = least_violation(&c, y, proof.closing);
    }
    pp_arena_release(a, mark);
    return least;
}

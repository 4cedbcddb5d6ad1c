/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* jammed.c - steps that have no solution because something jams
 * Problem  A motor without force limit, or a driven body, presses bodies against something that cannot give way: teeth that meet head-on,
 *          a block that is pushed askew between walls. Such a step has no solution for any step length. The message "no solver met the
 *          laws" would suggest other solvers and step lengths, which do not help.
 * Method   To go on: the step is posed without requiring any contact to open. Bodies in penetration stay there, and rest satisfies all rows.
 *          To name the cause, after the last division of a step has failed: the problem is solved again without each possible cause. The
 *          first one whose removal gives a solution is named. */
#include "model/actuator.h"
#include "stage/solve/jammed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stage/control/belt.h"
#include "stage/solve/joint_rounds.h"
#include "stage/solve/step_contradiction.h"
#include "model/budget.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Fraction of the work limit of a step after which a substep goes on jammed. Each substep may use half of the
 * remaining work, so two have failed. Half and double: no effect. */
#define MOST_WORK 0.75
/* [1] Fraction of the work limit of a step that all its jammed substeps together may use in addition; one may use
 * PP_LAST_SHARE. */
#define FOR_JAMS 0.25

/* Does a driven body touch another at the start? The gaps of contacts have driven bodies at the end of the step. */
static bool driven_touches(const pp_frame *f) {
    const perp_world *w = f->w;
    for (int i = 0; i < f->contacts.n && i < f->pose.problem.ncontact; i++) {
        const perp_contact *c = &f->contacts.at[i];
        const pp_shape *A = &w->shape[f->contacts.shape[2 * i]], *B = &w->shape[f->contacts.shape[2 * i + 1]];
        bool driven = pp_shape_drives(f, f->contacts.shape[2 * i]) || pp_shape_drives(f, f->contacts.shape[2 * i + 1]);
        if (driven && c->gap - f->h * f->pose.problem.contact[i].b_n_kin <= pp_touching(A->g, B->g, c->b_W))
            return true;
    }
    return false;
}

bool pp_jam_due(const pp_frame *f) {
    return f->purpose == PP_STEP && f->w->run.work.done > MOST_WORK * f->w->run.work_limit;
}

void pp_start_jammed(pp_frame *f) { f->method.jammed = true; }

void pp_jam_may_work(perp_world *w) {
    double most = fmin(w->run.work.done + PP_LAST_SHARE * w->run.work_limit, (1 + FOR_JAMS) * w->run.work_limit);
    w->run.work.limit = fmax(w->run.work_limit, most);
}

/* Is it proven that no velocities satisfy the contacts, some of which are required to open? */
static bool contradictory(const pp_frame *f) {
    bool opens = false;
    for (int i = 0; i < f->pose.problem.ncontact; i++)
        opens |= f->pose.problem.contact[i].b_n < f->pose.problem.contact[i].b_n_kin;
    char why[8];
    if (opens) pp_tell_contradiction(f, &f->pose.problem, why, sizeof why);
    return opens && why[0];
}

perp_status pp_solve_jammed(pp_frame *f, perp_status st, const pp_solve_method *way) {
    perp_world *w = f->w;
    if (st != PERP_E_SOLVE || f->purpose != PP_STEP || f->method.jammed || !(f->pose.problem.h > 0)) return st;
    f->advice.blocked = driven_touches(f);
    if (f->pose.problem.ncontact == 0 || !(f->task.last_resort || pp_jam_due(f) || (way->ordinary && contradictory(f))))
        return st;
    pp_jam_may_work(w);
    char before[PP_WHY];
    memcpy(before, w->why, sizeof before);
    f->method.jammed = true;
    st = pp_joint_rounds_anew(f, true);
    if (!st) st = pp_formulate(f, &(pp_pose_options){.no_lift = true});
    if (!st) st = way->solve(f, way->ctx);
    if (st) return st;
    f->solve.fallbacks++;
    pp_logf(w, PERP_LOG_WARNING, "step %llu: no contact is required to open in a substep of h = %g: %s",
            (unsigned long long)w->state.step, f->h, before);
    return PERP_OK;
}

/* Does the problem of f have a solution with these rows? */
static bool answered(const pp_frame *f, const perp_joint_row *joint, const perp_contact_row *contact, int ncontact) {
    pp_frame again = *f;
    again.purpose = PP_END_KICK; /* no warm start, not shown to watches */
    again.pose.problem.joint = joint;
    again.pose.problem.contact = contact;
    again.pose.problem.ncontact = ncontact;
    return !pp_solve_step(&again, &(pp_solve_options){.no_lift = f->method.jammed});
}

static int first_unlimited(const perp_step_problem *p) {
    for (int i = 0; i < p->njoint; i++)
        if (pp_is_unlimited_motor(&p->joint[i])) return i;
    return -1;
}

/* Copies the rows of contacts without driven bodies and returns their number. *driven: the slot of a driven body. */
static int without_driven(const pp_frame *f, perp_contact_row *row, int *driven) {
    int n = 0;
    *driven = -1;
    for (int i = 0; i < f->pose.problem.ncontact; i++) {
        int body = -1;
        for (int k = 0; i < f->contacts.n && k < 2; k++) {
            int s = f->contacts.shape[2 * i + k];
            if (pp_shape_drives(f, s)) body = f->w->shape[s].body;
        }
        if (body >= 0)
            *driven = body;
        else
            row[n++] = f->pose.problem.contact[i];
    }
    return n;
}

static const char *named(const char *name) { return name && *name ? name : "without a name"; }

void pp_name_jam(const pp_frame *f) {
    perp_world *w = f->w;
    const perp_step_problem *p = &f->pose.problem;
    if (!(p->h > 0) || p->ncontact == 0) return;
    char before[PP_WHY], cause[PP_WHY / 2] = "";
    memcpy(before, w->why, sizeof before);
    perp_joint_row *joint = PP_ARENA_ARRAY(&w->arena, perp_joint_row, p->njoint);
    perp_contact_row *contact = PP_ARENA_ARRAY(&w->arena, perp_contact_row, p->ncontact),
                     *smooth = PP_ARENA_ARRAY(&w->arena, perp_contact_row, p->ncontact);
    if (!joint || !contact || !smooth) return;
    int motor = first_unlimited(p), driven, left = without_driven(f, contact, &driven);
    for (int i = 0; i < p->njoint; i++) {
        joint[i] = p->joint[i];
        if (pp_is_unlimited_motor(&joint[i])) joint[i].lo = joint[i].hi = 0;
    }
    for (int i = 0; i < p->ncontact; i++) {
        smooth[i] = p->contact[i];
        smooth[i].mu = smooth[i].e_r = smooth[i].e_roll = 0;
        smooth[i].nd = 0;
    }
    if (answered(f, p->joint, p->contact, p->ncontact)) {
        /* the problem itself has a solution: nothing to name */
    } else if (motor >= 0 && answered(f, joint, p->contact, p->ncontact)) {
        snprintf(cause, sizeof cause,
                 "; jammed: the step has a solution without the motor of joint %d (%s), which has no force limit",
                 p->joint[motor].joint, named(w->joint[p->joint[motor].joint].name));
    } else if (driven >= 0 && answered(f, p->joint, contact, left)) {
        snprintf(cause, sizeof cause, "; jammed: the step has a solution without the driven body %d (%s)", driven,
                 named(w->body[driven].name));
    } else if (answered(f, p->joint, smooth, p->ncontact)) {
        snprintf(cause, sizeof cause, "; jammed: the step has a solution without friction");
    }
    /* the cause is more important than the end of a long message */
    size_t keep = strlen(before), most = sizeof w->why - 1 - strlen(cause);
    if (keep > most) keep = most;
    memcpy(w->why, before, keep);
    memcpy(w->why + keep, cause, strlen(cause) + 1);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_check.c - decides whether a converged solution is acceptable: energy added by contacts, rotation angles, bodies
 * that passed through each other. model_peg.c describes the whole method. */
#include "method/peg/peg.h"
#include "problem/rows.h"
#include "stage/certify/contact_work.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [rad] Largest rotation in a substep of a body in 3D whose impulses act at its end pose. Half: no effect; double: work
 * +7 %. */
#define MAX_TURN 0.5
/* [1] Work that a face may do which the body was not in front of, as a fraction of the kinetic energy of the two
 * bodies. Half and double: no effect. */
#define WORK_BEHIND 0.1
/* [1] Energy that all contacts together may add, as a fraction of the kinetic energy plus the energy of a step of free
 * fall. Half: other bits only; double: no effect. */
#define WORK_TOTAL 1e-3

static double kinetic(const pp_frame *f, int block, const double *nu) {
    if (block < 0) return 0;
    int nd = f->control.block_ndof[block];
    const double *M = f->control.M + 36 * block, *v = nu + f->control.block_offset[block];
    double e = 0;
    for (int c = 0; c < nd; c++)
        for (int r = 0; r < nd; r++) e += v[r] * M[6 * c + r] * v[c] / 2;
    return e;
}

/* Work of a contact's impulses relative to the free motion. Work of driven bodies is not included. */
static double contact_work(const pp_frame *f, int i, const double *mean) {
    const perp_contact_row *c = &f->pose.problem.contact[i];
    const double *p = f->solve.solution.p_contact + 3 * i;
    double turning = 0;
    for (int k = 2; k < PP_FRICTION_ROWS; k++)
        if (pp_friction_turns(c, k))
            turning += *pp_friction_impulse(&f->solve.solution, i, k) *
                       (pp_row_dot(&f->pose.problem, pp_friction_row(c, k), mean) + pp_friction_b(c, k));
    return turning + p[0] * (pp_row_dot(&f->pose.problem, &c->n, mean) + c->b_n_kin) +
           p[1] * (pp_row_dot(&f->pose.problem, &c->t, mean) + c->b_t) +
           (f->w->def.dim == 3 ? p[2] * (pp_row_dot(&f->pose.problem, &c->o, mean) + c->b_o) : 0);
}

/* Work of joints relative to the free motion, in absolute values. Contacts on jointed bodies may seem to add as much: a
 * joint that holds a body back takes the energy that a contact on its other side gives, and a joint that guides a body
 * on a circle gains a little by itself. */
static double joint_work(const pp_frame *f, const double *mean) {
    double work = 0;
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        work += fabs(f->solve.solution.p_joint[i] * (pp_row_dot(&f->pose.problem, &r->row, mean) + r->b_kin));
    }
    return work;
}

/* In mode `symmetric`: did a body rotate so far that the inertia of the start does not fit the lever arms of the end?
 * In 2D the inertia does not rotate. In 3D the impulse would also spin the body about wrong axes. */
static bool turns_far(const pp_peg_work *k) {
    const pp_frame *f = k->f;
    if (!k->mode.symmetric || k->at_end || f->w->def.dim == 2 || f->task.last_resort) return false;
    for (int i = 0; i < k->m->npair; i++) {
        const pp_peg_pair *p = &k->m->pair[i];
        if (!p->active || !p->pushed) continue;
        for (int s = 0; s < 2; s++) {
            const pp_placed *at = &f->collide.placed[s ? p->j : p->i];
            if (at->moves && !f->w->body[at->body].isotropic && perp_v3_norm(k->turn[at->body]) > MAX_TURN) return true;
        }
    }
    return false;
}

/* Energy that the contacts of a solution add. Not checked if they undo penetration or rebound. */
typedef struct contact_energy {
    double total; /* work of all contacts on top of the free motion */
    /* the same relative to the start, as in the ledger: here weights that are supported do not hide the gain of another
     * contact */
    double gain;
    double free;   /* kinetic energy of the free motion */
    double fall;   /* kinetic energy of a whole step of free fall; substeps are also compared with the whole step */
    double within; /* energy that may come from penetration within the tolerance, and from joints */
    bool behind;   /* a face that the body was not in front of did much work */
    bool any;      /* there are rebounds or earlier penetration: no check */
} contact_energy;

/* Adds the friction of support points to the velocity nu. For contacts within the plane it is a load like others.
 * Without it, a body that is slowed down seems to be pushed by the body behind it. */
static void add_support_friction(const pp_frame *f, double *nu) {
    for (int i = f->contacts.n; i < f->pose.problem.ncontact; i++) {
        const perp_contact_row *c = &f->pose.problem.contact[i];
        pp_row_spread(&f->pose.problem, &c->t, f->solve.solution.p_contact[3 * i + 1], nu);
        pp_row_spread(&f->pose.problem, &c->o, f->solve.solution.p_contact[3 * i + 2], nu);
    }
}

/* Energy that the normal impulse of row r only seems to add because it acts over the whole substep: a body leaves a
 * surface at the start of the substep and falls back onto it. */
static double gained_by_rule(const pp_peg_work *k, int r) {
    const pp_frame *f = k->f;
    const perp_contact_row *c = &f->pose.problem.contact[r];
    double before = pp_row_dot(&f->pose.problem, &c->n, f->control.nu0) + c->b_n_kin;
    double most = pp_largest_approach_before(f, r, k->m->row[r].gap1, k->linear);
    return 0.5 * f->solve.solution.p_contact[3 * (ptrdiff_t)r] * fmax(0, before - most);
}

static bool measure_contact_energy(pp_peg_work *k, contact_energy *l) {
    const pp_frame *f = k->f;
    struct pp_peg *m = k->m;
    /* no inertia: contacts work against friction, not on the motion */
    *l = (contact_energy){.any = f->method.no_inertia};
    if (l->any) return true;
    double *fr = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof),
           *mean = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof);
    double *since = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof);
    if (!fr || !mean || !since) return false;
    pp_free_velocity(f, fr);
    add_support_friction(f, fr);
    for (int i = 0; i < f->control.ndof; i++) mean[i] = (fr[i] + m->nu[i]) / 2;
    for (int i = 0; i < f->control.ndof; i++) since[i] = (f->control.nu0[i] + m->nu[i]) / 2;
    double undone = k->least / f->h, fall = f->w->def.h * perp_v3_norm(f->w->def.gravity_W), by_rule = 0;
    for (int b = 0; b < f->control.nblock; b++) {
        l->free += kinetic(f, b, fr);
        l->fall += 0.5 * f->control.M[36 * b] * fall * fall;
        l->within += 100 * f->control.M[36 * b] * undone * undone;
    }
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        double work = 0, gain = 0, rule = 0;
        bool behind = false, any = false;
        const int *blk = NULL; /* the two bodies */
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            blk = f->pose.problem.contact[r].n.block;
            const double *push = f->solve.solution.p_contact + 3 * (ptrdiff_t)r;
            /* work of an impulse at a speed within the solver's tolerance */
            l->within += (fabs(push[0]) + pp_hypot(push[1], push[2])) * undone;
            work += contact_work(f, r, mean);
            gain += contact_work(f, r, since);
            rule += gained_by_rule(k, r);
            behind |= m->row[r].push > 0 && m->row[r].gap0 < -fmax(PP_PEG_TOUCHING * p->size,
                                                                   k->loose_tolerance ? pp_peg_left_penetration(k) : 0);
            any |= m->row[r].bounces || pp_peg_placed_in_penetration(k, p);
        }
        l->total += work;
        bool driven = pp_peg_has_driver(k, p);
        /* a driven body that slows down seems to gain the energy that it returns */
        l->gain += driven ? fmin(gain, 0) : gain;
        by_rule += driven ? 0 : rule;
        l->any |= any;
        if (behind && !any && !k->mode.held)
            l->behind |= work > WORK_BEHIND * (kinetic(f, blk[0], fr) + kinetic(f, blk[1], fr)) + l->within;
    }
    l->gain -= fmin(by_rule, fmax(0, l->gain)); /* as in the certificate */
    l->within += joint_work(f, mean);
    return true;
}

/* The energy checks of model_peg.c. */
static bool plausible(pp_peg_work *k) {
    contact_energy l;
    if (!measure_contact_energy(k, &l) || l.behind) return false;
    /* With a loose tolerance, contacts separate at speeds that the previous step left within its tolerance. The ledger
     * counts a gain when they are pressed together again, and a shorter substep would count more. */
    double gain = k->loose_tolerance ? l.total : fmax(l.total, l.gain);
    return l.any || gain <= WORK_TOTAL * (l.free + l.fall) + l.within;
}

/* Do contacts add more energy than the bodies have? A row posed far from its features can throw a body, farther in the
 * next round, and finally destroy a heap. */
bool pp_peg_gains_energy(pp_peg_work *k) {
    contact_energy l;
    return !k->linear && measure_contact_energy(k, &l) && !l.any && l.total > l.free + l.within;
}

/* Is there a pair with rows that passed through nevertheless, because its rows hold it on the far side? */
static bool some_run_through(pp_peg_work *k) {
    for (int i = 0; i < k->m->npair; i++) {
        pp_peg_pair *p = &k->m->pair[i];
        pp_plane plane;
        bool through = p->active && pp_peg_tunnels(k, p, true, &plane);
        p->meet = 0;
        if (through) return true;
    }
    return false;
}

bool pp_peg_acceptable(pp_peg_work *k) {
    return !turns_far(k) && plausible(k) && (k->f->task.last_resort || !some_run_through(k));
}

double pp_peg_effort(const pp_peg_work *k, double *scratch) {
    pp_free_velocity(k->f, scratch);
    for (int i = 0; i < k->f->control.ndof; i++) scratch[i] -= k->m->nu[i];
    double e = 0;
    for (int b = 0; b < k->f->control.nblock; b++) e += kinetic(k->f, b, scratch);
    return e;
}

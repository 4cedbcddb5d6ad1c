/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_first_order.c - constraints as springs and dampers, advanced by the implicit Euler rule
 * Problem  Joints, limits and contacts have the force  -K phi - B dphi/dt  of their error or gap phi, for any stiffness, damping and step
 *          length, also if they are redundant.
 * Method   phi1 = phi0 + h J nu+, dphi1 = J nu+ + u (u: kinematic bodies). A joint row becomes
 *            J nu+ + (K phi0 + B u)/(h K + B) + p/(h^2 K + h B) = 0,
 *          a row with compliance. So the system is regular for any number of rows. Limits and contacts only push: the same row is >= 0 and
 *          complementary to p >= 0. A damper acts on the depth, not on the open gap: with the depth d = max(0, -phi) its force is
 *          B (d1 - d0)/h. This is B dphi1 while in contact, and zero before the contact closes. Forces that are not linear in the depth
 *          (Hertz) are linearised and solved again until they converge. Friction is Coulomb's, with cone or pyramid. damping_t adds a damper
 *          along the surface; 0: none.
 * Valid    Stiffness 0 to 1e300; above about 1e15 the constraint is practically rigid. Plain start only.
 * Cost     That of the rigid step. If a few bodies rest on many frictionless elements, linear in their number.
 * Source   Drumwright. Errata: -Mhat Gdot v is left out, because Mhat does not exist for redundant rows and the term is of the order of the
 *          step. With it goes h Gdot v, which `curvature` restores. The least-norm programme (69)-(71) is another law if rows share a
 *          body; it is replaced by the complementarity problem of lambda = max(0, -K phi1 - B dphi1). `printed` uses the former. */
#include <stddef.h>
#include <string.h>

#include "base/refuse.h"
#include "problem/rows.h"
#include "method/first_order/first_order.h"
#include "stage/stepper.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/pose/formulate.h"
#include "stage/solve/jammed.h"
#include "stage/solve/solve.h"
#include "stage/update/update.h"
#include "base/elementary.h"

/* [rounds] Largest number of rounds for Hertz forces. Each round squares the error. */
#define MAX_ROUNDS 40
#define ROUNDING   1e-14 /* [1] rounding error of poses, as a fraction of their size */

#define STIFF 1e300
static const perp_field fields[] = {
    {"stiffness", PERP_FIELD_DOUBLE, offsetof(pp_first_order, stiffness), 1e9, 0, STIFF,
     "stiffness of locked translations of joints [M/T^2]"},
    {"damping", PERP_FIELD_DOUBLE, offsetof(pp_first_order, damping), 0, 0, STIFF,
     "damping of locked translations of joints [M/T]"},
    {"turn_stiffness", PERP_FIELD_DOUBLE, offsetof(pp_first_order, turn_stiffness), 1e9, 0, STIFF,
     "stiffness of locked rotations of joints [M L^2/T^2]"},
    {"turn_damping", PERP_FIELD_DOUBLE, offsetof(pp_first_order, turn_damping), 0, 0, STIFF,
     "damping of locked rotations of joints [M L^2/T]"},
    {"limit_stiffness", PERP_FIELD_DOUBLE, offsetof(pp_first_order, limit_stiffness), 1e9, 0, STIFF,
     "stiffness of joint limits [M/T^2 or M L^2/T^2]"},
    {"limit_damping", PERP_FIELD_DOUBLE, offsetof(pp_first_order, limit_damping), 0, 0, STIFF,
     "damping of joint limits [M/T or M L^2/T]"},
    {"curvature", PERP_FIELD_DOUBLE, offsetof(pp_first_order, curvature), 0, 0, 1,
     "fraction of h dJ/dt nu that joint rows anticipate: 1 as printed, 0.5 keeps joints to third order"},
    {"elements", PERP_FIELD_INT, offsetof(pp_first_order, elements), 10, 1, 200,
     "elements of an elastic foundation along each edge of a face"},
    {"euler", PERP_FIELD_INT, offsetof(pp_first_order, euler), 0, 0, 2,
     "Euler rule for joints: 0 implicit; for comparison, without contacts: 1 semi-implicit, 2 explicit"},
    {"printed", PERP_FIELD_INT, offsetof(pp_first_order, printed), 0, 0, 1,
     "1: limits and contacts by the least-norm programme as printed, for comparison; without friction"},
};

static const pp_first_order *settings_of(const perp_world *w) {
    return (const pp_first_order *)(const void *)w->chosen.stepper_settings.bytes;
}

/* Does the row constrain a rotation? Then it has no linear part. */
static bool turns(const perp_row *row, int dim) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < dim && row->block[k] >= 0; i++)
            if (row->J[k][i] != 0) return false;
    return true;
}

/* Sets an impulse that is known in advance and does not depend on the solution. */
static void fix(perp_joint_row *r, double p) {
    if (r->kind == PERP_ROW_LIMIT && !(p > 0)) p = 0;
    r->lo = r->hi = p;
}

/* Row of an implicit spring and damper. A limit acts on its depth, a joint on its error. */
static void soften_implicit(perp_joint_row *r, double K, double B, double h) {
    double S = h * K + B, phi = h * r->b, rate = r->b_kin;
    if (!isfinite(1 / (h * S))) {
        fix(r, 0); /* no spring, or one too weak for double precision */
        return;
    }
    /* a limit has no effect before it is reached */
    if (r->kind == PERP_ROW_LIMIT && phi - h * r->b_kin > 0) rate = phi / h;
    r->b = (K * phi + B * rate) / S;
    r->compliance = 1 / (h * S);
}

static double stiffness_of(const pp_frame *f, const pp_first_order *set, const perp_joint_row *r, double *damping) {
    bool limit = r->kind == PERP_ROW_LIMIT, turn = turns(&r->row, f->w->def.dim);
    *damping = limit ? set->limit_damping : turn ? set->turn_damping : set->damping;
    return limit ? set->limit_stiffness : turn ? set->turn_stiffness : set->stiffness;
}

static void soften_joint(const pp_frame *f, const pp_first_order *set, perp_joint_row *r) {
    bool limit = r->kind == PERP_ROW_LIMIT;
    double B, K = stiffness_of(f, set, r, &B), h = f->h, phi = h * r->b;
    if (set->euler == PP_EULER_IMPLICIT) {
        soften_implicit(r, K, B, h);
        return;
    }
    bool open = limit && phi > 0;
    if (open) {
        fix(r, 0);
    } else if (set->euler == PP_EULER_EXPLICIT) { /* (7)-(8) */
        fix(r, -h * (K * phi + B * (pp_row_dot(&f->pose.problem, &r->row, f->control.nu0) + r->b_kin)));
    } else if (isfinite(K / B) &&
               isfinite(1 / (h * B))) { /* (11)-(12): the spring at the start, the damper at the end */
        r->b = K * phi / B + r->b_kin;
        r->compliance = 1 / (h * B);
    } else {
        fix(r, -h * K * phi);
    }
}

/* *error: by row, phi at the start of the step, with driven bodies at the start [L or rad]. */
static perp_status soften_joints(pp_frame *f, const pp_first_order *set, double **error) {
    int n = f->pose.problem.njoint;
    *error = NULL;
    if (n == 0) return PERP_OK;
    perp_joint_row *row = PP_ARENA_ARRAY(&f->w->arena, perp_joint_row, n);
    double *bend = PP_ARENA_ZERO(&f->w->arena, double, n);
    *error = PP_ARENA_ZERO(&f->w->arena, double, n);
    if (!row || !bend || !*error) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d joint rows", n);
    perp_status st = set->curvature > 0 ? pp_row_curvature(f, bend) : PERP_OK;
    if (st) return st;
    for (int i = 0; i < n; i++) {
        row[i] = f->pose.problem.joint[i];
        (*error)[i] = f->h * (row[i].b - row[i].b_kin);
        if (row[i].kind != PERP_ROW_JOINT && row[i].kind != PERP_ROW_LIMIT) continue;
        soften_joint(f, set, &row[i]);
        if (set->euler == PP_EULER_IMPLICIT) row[i].b += set->curvature * f->h * bend[i]; /* for phi1 and its rate */
    }
    f->pose.problem.joint = row;
    return PERP_OK;
}

/* Depth that the contact would reach if it acted alone; F is first linearised there. g: its gap at the end without any
 * impulse; W: inverse mass. The slope increases with the depth, so Newton's method converges from above. */
static double lone_depth(const pp_soft_contact *c, double g, double W, double h) {
    double d = -g;
    for (int k = 0; k < 60; k++) {
        double slope, F = pp_soft_force(c, d, &slope), r = g + h * h * W * (F + c->damping * (d - c->depth0) / h) + d;
        double next = d - r / (1 + h * h * W * (slope + c->damping / h));
        if (!(next > 0)) return d;
        if (fabs(next - d) <= 1e-6 * d) return next;
        d = next;
    }
    return d;
}

/* Row of a contact, linearised at its depth d:  lambda = F + F' (d1 - d) + B (d1 - d0)/h,  d1 = -(gap + h n nu). */
static void soften_contact(double h, const pp_soft_contact *c, perp_contact_row *r) {
    if (c->kind == PERP_RIGID) return;
    double slope, F = pp_soft_force(c, c->depth, &slope), S = slope + c->damping / h;
    r->b_n = (slope * (c->gap + c->depth) - F + c->damping * c->closing) / (h * S);
    r->compliance = 1 / (h * h * S);
    r->compliance_f = c->damping_t > 0 ? 1 / (h * c->damping_t) : 0;
}

/* Copies the rows of the contacts and sets the start values of their laws. */
static perp_status contact_rows(pp_frame *f, pp_soft_contact *soft, perp_contact_row **out) {
    const perp_step_problem *p = &f->pose.problem;
    perp_contact_row *row = PP_ARENA_ARRAY(&f->w->arena, perp_contact_row, p->ncontact);
    double *nu_free = PP_ARENA_ARRAY(&f->w->arena, double, p->ndof);
    if (!row || !nu_free) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", p->ncontact);
    perp_step_problem free = pp_free_problem(f);
    pp_step_velocity(&free, NULL, NULL, nu_free);
    for (int i = 0; i < p->ncontact; i++) {
        pp_soft_contact *c = &soft[i];
        row[i] = p->contact[i];
        if (f->method.jammed && c->kind != PERP_RIGID)
            row[i].b_n = pp_contact_rhs(f, i, &row[i], false); /* the demand of a layer is its own deflection */
        c->gap = f->h * row[i].b_n;
        c->depth0 = fmax(0, f->h * row[i].b_n_kin - c->gap);
        c->closing = c->depth0 > 0 ? row[i].b_n_kin : c->gap / f->h;
        if (c->kind != PERP_HERTZ) continue; /* the others are linear */
        double end = c->gap + f->h * pp_row_dot(p, &row[i].n, nu_free);
        c->depth = fmax(c->depth0, -c->gap);
        if (!(c->depth > 0) && end < 0) c->depth = lone_depth(c, end, pp_row_inverse_mass(p, &row[i].n), f->h);
        c->depth = fmax(c->depth, c->least);
    }
    *out = row;
    return PERP_OK;
}

/* Depth of a Hertz contact with the force lambda. Starts at the depth without the damper, which is larger; Newton's
 * method converges from there. */
static double depth_of_force(const pp_soft_contact *c, double lambda, double h) {
    double whole = lambda + c->damping * c->depth0 / h, d = whole > 0 ? pp_cbrt(whole / c->stiffness) : 0;
    d *= d;
    for (int k = 0; k < 30 && c->damping > 0 && d > 0; k++) {
        double slope, F = pp_soft_force(c, d, &slope),
                      next = d - (F + c->damping * d / h - whole) / (slope + c->damping / h);
        if (!(next < d * (1 - 1e-14))) break;
        d = next;
    }
    return d;
}

/* Checks that the forces of Hertz contacts match their depths. Returns the error as a velocity. The next linearisation
 * is at the depth that was found if the velocities determine it (soft contact), or at the depth of the force if the
 * momentum determines it (stiff contact). */
static double move_depths(const pp_frame *f, pp_soft_contact *soft) {
    double worst = 0;
    for (int i = 0; i < f->contacts.n; i++) {
        pp_soft_contact *c = &soft[i];
        const perp_contact_row *r = &f->pose.problem.contact[i];
        if (c->kind != PERP_HERTZ) continue;
        double d = -(c->gap + f->h * pp_row_dot(&f->pose.problem, &r->n, f->solve.solution.nu)), slope, p = 0;
        if (d > 0) p = f->h * fmax(0, pp_soft_force(c, d, &slope) + c->damping * (d - c->depth0) / f->h);
        double is = f->solve.solution.p_contact[3 * i], W = pp_row_inverse_mass(&f->pose.problem, &r->n),
               S = r->compliance;
        worst = fmax(worst, S * W / (S + W) * fabs(p - is)); /* same weight as in the residual check */
        c->depth = fmax(W > S ? depth_of_force(c, is / f->h, f->h) : d, c->least);
    }
    return worst;
}

/* Allocates memory for the impulses of a round, for the warm start of the next. */
static bool new_memory(const pp_frame *f, pp_warm *m) {
    pp_arena *a = &f->w->arena;
    int nc = f->contacts.n, nj = f->pose.problem.njoint;
    *m = (pp_warm){.contact = PP_ARENA_ARRAY(a, pp_memory_contact, nc),
                   .cap_contact = nc,
                   .joint = PP_ARENA_ARRAY(a, pp_memory_joint, nj),
                   .cap_joint = nj};
    return m->contact && m->joint;
}

/* Solves again until forces that are not linear in the depth converge. */
static perp_status solve_rounds(pp_frame *f, pp_soft_contact *soft, perp_contact_row *row) {
    perp_world *w = f->w;
    const pp_first_order *set = settings_of(w);
    const perp_joint_row *joint = f->pose.problem.joint;
    double error = 0;
    int iterations = 0;
    pp_warm last;
    pp_solve_options o = {.direct = pp_soft_newton, .no_lift = f->method.jammed};
    if (!new_memory(f, &last)) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    for (int round = 0; round < MAX_ROUNDS; round++) {
        for (int i = 0; i < f->contacts.n; i++) soften_contact(f->h, &soft[i], &row[i]);
        f->pose.problem.contact = row; /* the last round may have replaced them (pp_solve_island()) */
        f->pose.problem.joint = joint;
        f->solve.iterations = f->solve.fallbacks = 0;
        pp_arena_mark mark = pp_arena_here(&w->arena);
        perp_status st = set->printed ? pp_printed_programme(f) : pp_solve_step(f, &o);
        iterations += f->solve.iterations;
        f->solve.iterations = iterations;
        if (st) return st;
        error = move_depths(f, soft);
        double scale = fmax(f->solve.residual.scale, f->h * perp_v3_norm(w->def.gravity_W));
        if (!(error > w->def.tolerance * scale)) return PERP_OK;
        (void)pp_remember_try(f, &last); /* memory was reserved */
        o.recall = &last;
        if (round + 1 < MAX_ROUNDS) pp_arena_release(&w->arena, mark);
    }
    return pp_fail(w, PERP_E_SOLVE, "the contact forces did not converge at t = %g: their error is %.3g in velocity",
                   f->s0->t, error);
}

/* The explicit rule moves bodies with the velocity of the start (7). */
static perp_status update_explicit(pp_frame *f) {
    double *nu1 = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof);
    if (!nu1) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the update");
    size_t size = (size_t)f->control.ndof * sizeof *nu1;
    memcpy(nu1, f->solve.solution.nu, size);
    memcpy(f->solve.solution.nu, f->control.nu0, size);
    perp_status st = pp_update(f);
    memcpy(f->solve.solution.nu, nu1, size);
    f->update.nu_moved = f->control.nu0;
    for (int k = 0; !st && k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], nd = f->control.block_ndof[k];
        const double *nu = nu1 + f->control.block_offset[k];
        bool plane = f->w->def.dim == 2;
        f->s1->v[slot] = perp_v3(nu[0], nu[1], plane ? 0 : nu[2]);
        f->s1->w[slot] = plane     ? perp_v3(0, 0, nd == 3 ? nu[2] : 0)
                         : nd == 6 ? perp_v3(nu[3], nu[4], nu[5])
                                   : perp_v3(0, 0, 0);
    }
    return st;
}

/* Deflection of each contact by its impulse: lambda = F(d) + B (d - d0)/h, solved for d. */
static perp_status yields(pp_frame *f, const pp_soft_contact *soft) {
    double *d = PP_ARENA_ZERO(&f->w->arena, double, f->contacts.n), h = f->h;
    if (!d) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_soft_contact *c = &soft[i];
        double p = f->solve.solution.p_contact[3 * i];
        if (c->kind == PERP_HERTZ)
            d[i] = depth_of_force(c, p / h, h);
        else if (c->kind != PERP_RIGID)
            d[i] = (p + c->damping * c->depth0) / (h * c->stiffness + c->damping);
    }
    f->method.yield = d;
    return PERP_OK;
}

/* ---- energy in springs, for the ledger ---- */

static double energy_of(const pp_soft_contact *c, double d) {
    return c->kind == PERP_HERTZ ? 0.4 * c->stiffness * d * d * sqrt(d) : 0.5 * c->stiffness * d * d;
}

/* If a contact is released, the energy of its spring is lost to its damper. */
static void account_contacts(pp_frame *f, const pp_soft_contact *soft) {
    for (int i = 0; i < f->contacts.n; i++) {
        const pp_soft_contact *c = &soft[i];
        const perp_contact_row *r = &f->pose.problem.contact[i];
        double p = f->solve.solution.p_contact[3 * i], end = p > 0 ? f->method.yield[i] : 0;
        if (c->kind == PERP_RIGID) continue;
        f->method.elastic.normal +=
            p > 0 ? (p - c->damping * (end - c->depth0)) * (pp_mean_velocity(f, &r->n) + r->b_n_kin)
                  : energy_of(c, c->depth0);
        f->s1->elastic_energy += energy_of(c, end);
        f->method.elastic.before += energy_of(c, c->depth0);
    }
}

/* Joint error that is rounding of the poses [L or rad]. A spring with a stiffness of 1e300 would turn it into any
 * energy. */
static double rounding_of(const pp_frame *f, const perp_row *row) {
    double far = 1;
    for (int k = 0; k < 2; k++) {
        if (row->block[k] < 0) continue;
        int slot = f->control.block_body[row->block[k]];
        double r = f->w->body[slot].radius;
        far = fmax(far, perp_v3_norm(f->s0->X[slot].p) + (isfinite(r) ? r : 0));
    }
    return ROUNDING * far;
}

/* Errors at the end follow from the impulses. This is exact for any stiffness: phi1 = (B phi0 - p)/(h K + B). */
static void account_joints(pp_frame *f, const pp_first_order *set, const double *error) {
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        bool limit = r->kind == PERP_ROW_LIMIT;
        if (!limit && r->kind != PERP_ROW_JOINT) continue;
        double B, K = stiffness_of(f, set, r, &B), p = f->solve.solution.p_joint[i],
                  phi0 = limit ? fmin(error[i], 0) : error[i];
        double phi1 = (B * phi0 - p) / (f->h * K + B), elastic = -f->h * K * phi1;
        if (limit && !(p > 0)) phi1 = elastic = 0;
        if (set->euler != PP_EULER_IMPLICIT && !(limit && phi0 == 0)) {
            elastic = -f->h * K * phi0;
            phi1 = phi0 + f->h * (pp_row_dot(&f->pose.problem, &r->row, f->solve.solution.nu) + r->b_kin);
        }
        double stored = 0.5 * K * phi1 * phi1;
        if (!isfinite(stored)) continue; /* practically rigid, or no spring */
        *(limit ? &f->method.elastic.limit : &f->method.elastic.joint) +=
            elastic * (pp_mean_velocity(f, &r->row) + r->b_kin);
        f->s1->elastic_energy += stored;
        if (fabs(phi0) > rounding_of(f, &r->row)) f->method.elastic.before += 0.5 * K * phi0 * phi0;
    }
}

/* The laws of a step: laws of its contacts, and errors of its joints at the start. */
typedef struct soft_laws {
    pp_soft_contact *contact;
    double *error;
} soft_laws;

/* Solves from the rows that pp_formulate() made. ctx: soft_laws. */
static perp_status solve_posed(pp_frame *f, const void *ctx) {
    soft_laws *laws = *(soft_laws *const *)ctx;
    perp_contact_row *row = NULL;
    perp_status st = contact_rows(f, laws->contact, &row);
    if (!st) st = soften_joints(f, settings_of(f->w), &laws->error);
    return st ? st : solve_rounds(f, laws->contact, row);
}

static perp_status step(pp_frame *f) {
    const pp_first_order *set = settings_of(f->w);
    soft_laws laws = {NULL, NULL}, *of = &laws;
    perp_status st = pp_collide(f);
    if (!st) st = pp_first_order_contacts(f, set, &laws.contact);
    if (!st && f->contacts.n && set->euler != PP_EULER_IMPLICIT)
        st = pp_fail(f->w, PERP_E_FIT, "first-order: euler is %d, which supports joints only, but bodies touch",
                     set->euler);
    if (!st) st = pp_formulate(f, &(pp_pose_options){0});
    if (st) return st;
    st =
        pp_solve_jammed(f, solve_posed(f, &of), &(pp_solve_method){.solve = solve_posed, .ctx = &of, .ordinary = true});
    if (!st) st = yields(f, laws.contact);
    if (st) return st;
    f->s1->elastic_energy = 0;
    account_contacts(f, laws.contact);
    account_joints(f, set, laws.error);
    return set->euler == PP_EULER_EXPLICIT ? update_explicit(f) : pp_update(f);
}

static perp_status fits(const perp_world_def *d, char *why, size_t why_size) {
    if (d->start == PERP_START_STAGGERED)
        return pp_refuse(why, why_size, PERP_E_FIT, "stepper first-order requires start plain");
    if (d->joint_correction)
        return pp_refuse(why, why_size, PERP_E_FIT,
                         "stepper first-order treats joints as springs; switch joint_correction off");
    return PERP_OK;
}

static perp_status ready(perp_world *w) {
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++) {
        const perp_pair_law *law = &w->law[i];
        if (law->compliance == PERP_RIGID) continue;
        if (law->stiffness_t > 0 || law->layer > 0 || law->restitution > 0)
            return pp_fail(w, PERP_E_FIT, "stepper first-order does not support %s for a compliant material",
                           law->stiffness_t > 0 ? "stiffness_t"
                           : law->layer > 0     ? "layer"
                                                : "restitution");
    }
    return pp_first_order_pairs(w);
}

static const char *const models[] = {"peg", "one-plane", NULL};

const pp_stepper_type pp_stepper_first_order = {
    .name = "first-order",
    .source = "Drumwright",
    .about = "joints, limits and contacts as implicit springs and dampers of any stiffness",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .models = models,
    .ellipsoids = true,
    .soft_joints = true,
    .compliances = 1u << PERP_LINEAR | 1u << PERP_HERTZ | 1u << PERP_FOUNDATION,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_first_order),
    .normal_rhs = pp_end_gap_rhs,
    .step = step,
    .fits = fits,
    .ready = ready,
};

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_laws.c - laws of impact: newton, poisson, sequence
 * Problem  At a given pose some of the touching contacts close: u = N nu < 0. Impulses change the velocities at once so that no contact
 *          closes afterwards.
 * Method   newton     0 <= p  _|_  N nu+ + e min(u, 0) >= 0 for all contacts together: one problem.
 *          poisson    Compression: the same problem with e = 0 gives p_c. Restitution: 0 <= p_e - e p_c  _|_  N nu+ >= 0, so that each
 *                     contact returns at least e p_c. The friction of p_e is bounded; in 3D its cone is replaced by a box.
 *          sequence   newton for the closing contacts V = {u_i < 0} alone. It is repeated for the contacts that close after it, until
 *                     no contact closes. For any mixture of e, a pass takes the energy sum 1/2 (1 - e_i) p_i |u_i|. It preserves
 *                     momentum and mirror symmetry. In a row of equal balls each ball passes the impulse on, as if there were small
 *                     gaps. With e < 1 many passes can be needed. After PASSES per contact the last pass has no restitution.
 *          A contact that approaches below its speed of rest makes no impact. If only such contacts close, one pass stops them all.
 *          Coulomb friction uses the slip s+ after the pass, or s+ + e_t s if there is tangential restitution e_t. If restitution
 *          adds energy, it is limited (rebound_limit.c).
 * Valid    Rigid contacts, joints and joint limits. Springs and bounded motors have no impulse in zero time.
 * Cost     One step problem per pass.
 * Source   Smith, Kaufman, Vouga, Tamstorf, Grinspun, ACM Trans. Graph. 31 (2012) 106; Moreau, CISM 302 (1988);
 *          Glocker, Pfeiffer, Nonlinear Dyn. 7 (1995) 471 (Poisson). */
#include "step/impact_laws.h"

#include <string.h>

#include "base/rounding.h"
#include "stage/collide/contact_fill.h"
#include "problem/rows.h"
#include "stage/certify/contact_work.h"
#include "stage/stepper.h"
#include "stage/certify/certify.h"
#include "stage/collide/collide.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "stage/solve/solve.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [passes] An impact of n contacts has at most PASSES (n + 4) passes. Half and double: no effect. */
#define PASSES 50

static perp_status no_memory(perp_world *w) { return pp_fail(w, PERP_E_MEMORY, "out of memory for the impacts"); }

perp_status pp_impacts_add(pp_impacts *m, pp_frame *f, const perp_certificate *c) {
    if (m->nframe == m->cap) {
        int cap = m->cap ? 2 * m->cap : 8;
        pp_frame **more = PP_ARENA_ARRAY(&m->w->arena, pp_frame *, cap);
        if (!more) return no_memory(m->w);
        if (m->nframe) memcpy(more, m->frame, (size_t)m->nframe * sizeof *more);
        m->frame = more;
        m->cap = cap;
    }
    m->frame[m->nframe++] = f;
    f->task.in_order = true;
    perp_certificate_add(&m->sum, c);
    return PERP_OK;
}

/* Makes a frame at m->s and runs pp_control on it. Its end state has the same poses. */
static perp_status new_frame(pp_impacts *m, pp_frame **out) {
    perp_world *w = m->w;
    pp_frame *k = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
    pp_state *s0 = PP_ARENA_ZERO(&w->arena, pp_state, 1), *s1 = PP_ARENA_ZERO(&w->arena, pp_state, 1);
    if (!k || !s0 || !s1) return no_memory(w);
    perp_status st = pp_state_new(w, s0);
    if (!st) st = pp_state_new(w, s1);
    if (st) return st;
    pp_state_copy(w, s0, m->s);
    pp_state_copy(w, s1, m->s);
    *k =
        (pp_frame){.w = w,
                   .s0 = s0,
                   .s1 = s1,
                   .h = w->def.h,
                   .purpose = PP_IMPACT,
                   .task = {.half = true, .held = m->held, .reach_factor = 1e-6, .last_resort = true, .acts = m->acts}};
    *out = k;
    return pp_control(k);
}

perp_status pp_impact_look(pp_impacts *m, pp_frame **out) {
    perp_status st = new_frame(m, out);
    if (!st && m->behind > 0) st = pp_driven_velocities(*out, -0.5 * m->behind, (*out)->s1->v, (*out)->s1->w);
    if (!st) st = pp_collide(*out);
    if (!st) st = pp_contacts_of_pairs(*out);
    if (!st) st = pp_formulate(*out, &(pp_pose_options){0});
    if (!st) pp_tamper(*out, PP_LOOKED);
    return st;
}

double pp_force_speed(const pp_impacts *m, const pp_frame *look, int i) {
    const int *shape = look->contacts.shape + 2 * i;
    int a = m->w->shape[shape[0]].body, b = m->w->shape[shape[1]].body;
    double own = 0.5 * m->h * fabs(pp_row_dot(&look->pose.problem, &look->pose.problem.contact[i].n, m->accel));
    double by_load = m->grounded[a] || m->grounded[b] ? fmax(m->rest[a], m->rest[b]) : 0;
    return fmax(own, by_load);
}

double pp_rest_speed(const pp_impacts *m, const pp_frame *look, int i) {
    return fmax(m->least, (1 - look->contacts.at[i].restitution) * pp_force_speed(m, look, i));
}

/* ---- a pass ---- */

/* One pass over some of the contacts of `look`. */
typedef struct pass {
    pp_frame *k;
    int *of;          /* by contact: its index in look */
    bool restitution; /* closing contacts rebound */
    pp_rebound_limits *limits;
} pass;

/* Did the series of the pair of contact i end, at a speed that this approach does not exceed? */
static bool ended(const pp_impacts *m, const pp_frame *look, int i) {
    const int *s = look->contacts.shape + 2 * i;
    return -pp_approach(look, i) <= pp_series_rest(&m->series, pp_pair_key(s[0], s[1]));
}

static perp_status new_pass(pp_impacts *m, const pp_frame *look, const bool *in, pass *x) {
    perp_status st = new_frame(m, &x->k);
    pp_arena *a = &m->w->arena;
    pp_frame *k = x->k;
    if (st) return st;
    k->contacts.at = PP_ARENA_ARRAY(a, perp_contact, look->contacts.n);
    k->contacts.shape = PP_ARENA_ARRAY(a, int, 2 * look->contacts.n);
    x->of = PP_ARENA_ARRAY(a, int, look->contacts.n);
    x->limits = PP_ARENA_ZERO(a, pp_rebound_limits, 1);
    if (!k->contacts.at || !k->contacts.shape || !x->of || !x->limits) return no_memory(m->w);
    for (int i = 0; i < look->contacts.n; i++) {
        if (in && !in[i]) continue;
        int at = k->contacts.n++;
        k->contacts.at[at] = look->contacts.at[i];
        memcpy(k->contacts.shape + 2 * at, look->contacts.shape + 2 * i, 2 * sizeof(int));
        x->of[at] = i;
        if (ended(m, look, i) && !pp_no_rebound(x->limits, a, look->contacts.shape + 2 * i)) return no_memory(m->w);
    }
    k->demand.rebounds = x->limits;
    x->limits->none = m->stops;
    return PERP_OK;
}

/* Writes the contact rows with the right-hand sides of the impact law. */
static void pose(pass *x, perp_contact_row *row) {
    pp_frame *k = x->k;
    for (int i = 0; i < k->contacts.n; i++) {
        const perp_contact *c = &k->contacts.at[i];
        double u = pp_approach(k, i), e = 0;
        row[i] = k->pose.problem.contact[i];
        if (x->restitution && u < 0) e = c->restitution * pp_rebound_factor(k, k->contacts.shape + 2 * i);
        row[i].b_n = row[i].b_n_kin + e * u;
        if (!x->restitution || !(u < 0) || !(c->restitution_t > 0)) continue;
        const perp_contact_row *r = &k->pose.problem.contact[i];
        row[i].b_t += c->restitution_t * (pp_row_dot(&k->pose.problem, &r->t, k->control.nu0) + r->b_t);
        if (k->w->def.dim == 3)
            row[i].b_o += c->restitution_t * (pp_row_dot(&k->pose.problem, &r->o, k->control.nu0) + r->b_o);
    }
}

/* Solves a pass once, with the rows of the law. Afterwards the frame has the rows of plain contact again, which the
 * ledger uses. */
static perp_status solve(pass *x) {
    pp_frame *k = x->k;
    perp_status st = pp_formulate(k, &(pp_pose_options){0});
    if (st) return st;
    perp_contact_row *row = PP_ARENA_ARRAY(&k->w->arena, perp_contact_row, k->pose.problem.ncontact);
    if (!row) return no_memory(k->w);
    if (k->pose.problem.ncontact > k->contacts.n) /* drop support points: no force presses on them in zero time */
        k->pose.problem.ncontact = k->contacts.n;
    const perp_contact_row *plain = k->pose.problem.contact;
    pose(x, row);
    k->pose.problem.contact = row;
    pp_tamper(k, PP_REFLECTED);
    st = pp_solve_step(k, &(pp_solve_options){0});
    k->pose.problem.contact = plain;
    return st;
}

/* Solves a pass. Limits restitution if it adds energy, and drops it if there is no solution with it. */
static perp_status solve_limited(pp_impacts *m, pass *x) {
    for (bool again = true; again;) {
        perp_status st = solve(x);
        again = false;
        if (st == PERP_E_SOLVE && pp_give_up_rebounds(x->k, x->limits)) {
            again = m->stops = true;
            continue;
        }
        if (!st) st = pp_limit_rebounds(x->k, x->limits, &again);
        if (st) return st;
    }
    return PERP_OK;
}

static void take_velocities(const pp_frame *k, pp_state *s) {
    int dim = k->w->def.dim;
    for (int b = 0; b < k->control.nblock; b++) {
        int slot = k->control.block_body[b], nd = k->control.block_ndof[b];
        const double *nu = k->solve.solution.nu + k->control.block_offset[b];
        s->v[slot] = perp_v3(nu[0], nu[1], dim == 3 ? nu[2] : 0);
        if (nd > dim) s->w[slot] = dim == 2 ? perp_v3(0, 0, nu[2]) : perp_v3(nu[3], nu[4], nu[5]);
    }
}

static bool rubs(const pp_frame *k) {
    for (int i = 0; i < k->contacts.n; i++)
        if (k->contacts.at[i].mu > 0) return true;
    return false;
}

/* Certifies a solved pass, adds it to the list and writes its velocities to the state. */
static perp_status finish(pp_impacts *m, pass *x) {
    pp_frame *k = x->k;
    perp_certificate c;
    pp_tamper(k, PP_STRUCK);
    k->update.nu_turned = k->update.nu_end = k->solve.solution.nu;
    take_velocities(k, k->s1);
    take_velocities(k, m->s);
    /* nothing points to these data afterwards, and a step may have thousands of passes */
    pp_arena_mark mark = pp_arena_here(&m->w->arena);
    pp_certify_answer(k, &c);
    c.h = 0;
    c.t = m->s->t;
    c.accepted = k->solve.acceptance <= m->w->def.tolerance;
    pp_ledger(k, &c.ledger);
    perp_status st = pp_contact_gain(k, &c);
    if (m->w->def.impacts != PERP_IMPACTS_SEQUENCE && m->w->def.impacts != PERP_IMPACTS_NEWTON && rubs(k))
        c.rebound_lost = 0; /* under these laws friction changes the rebound along the normal */
    pp_tell_rebounds(x->limits, &c);
    pp_recheck_impact(k, x->restitution, &c);
    if (!st) pp_arena_release(&m->w->arena, mark);
    return st ? st : pp_impacts_add(m, k, &c);
}

/* ---- laws ---- */

static perp_status newton(pp_impacts *m, const pp_frame *look, const bool *in, bool restitution) {
    pass x = {.restitution = restitution};
    perp_status st = new_pass(m, look, in, &x);
    if (!st) st = solve_limited(m, &x);
    return st ? st : finish(m, &x);
}

/* Friction rows for the normal impulses `back` (e p_c) that are returned: |p_t| <= mu e p_c for each direction. This
 * box is exact in 2D. */
static int friction_rows(const pp_frame *k, const double *back, perp_joint_row *out) {
    int n = 0, dim = k->w->def.dim;
    for (int i = 0; i < k->contacts.n; i++) {
        const perp_contact_row *c = &k->pose.problem.contact[i];
        double most = c->mu * back[i];
        for (int r = 0; r < dim - 1 && most > 0; r++)
            out[n++] = (perp_joint_row){.row = r ? c->o : c->t,
                                        .b = r ? c->b_o : c->b_t,
                                        .b_kin = r ? c->b_o : c->b_t,
                                        .lo = -most,
                                        .hi = most,
                                        .kind = PERP_ROW_FRICTION,
                                        .joint = -1,
                                        .coord = -1};
    }
    return n;
}

/* Restitution phase: every contact of the pass gets at least the normal impulse back[i]. */
static perp_status give_back(pass *x, const double *back) {
    pp_frame *k = x->k;
    pp_arena *a = &k->w->arena;
    perp_status st = pp_formulate(k, &(pp_pose_options){0});
    if (st) return st;
    int nj = k->pose.problem.njoint, dim = k->w->def.dim;
    k->pose.problem.ncontact = k->contacts.n;
    perp_joint_row *row = PP_ARENA_ARRAY(a, perp_joint_row, nj + 2 * k->contacts.n);
    int *number = PP_ARENA_ZERO(a, int, nj + 2 * k->contacts.n);
    double *momentum = PP_ARENA_ARRAY(a, double, k->control.ndof);
    if (!row || !number || !momentum) return no_memory(k->w);
    for (int i = 0; i < nj; i++) {
        row[i] = k->pose.problem.joint[i];
        number[i] = k->pose.row_number[i];
    }
    perp_step_problem plain = k->pose.problem;
    memcpy(momentum, k->control.momentum, (size_t)k->control.ndof * sizeof *momentum);
    for (int i = 0; i < k->contacts.n; i++) {
        const perp_row *n = &plain.contact[i].n;
        for (int side = 0; side < 2; side++)
            for (int d = 0; n->block[side] >= 0 && d < k->control.block_ndof[n->block[side]]; d++)
                momentum[k->control.block_offset[n->block[side]] + d] += back[i] * n->J[side][d];
    }
    k->pose.row_number = number;
    k->pose.problem.joint = row;
    k->pose.problem.momentum = momentum;
    k->pose.problem.njoint = nj + friction_rows(k, back, row + nj);
    st = pp_solve_step(k, &(pp_solve_options){0});
    if (st) return st;
    for (int i = 0, at = nj; i < k->contacts.n; i++) {
        k->solve.solution.p_contact[3 * i] += back[i];
        for (int r = 0; r < dim - 1 && plain.contact[i].mu * back[i] > 0; r++)
            k->solve.solution.p_contact[3 * i + 1 + r] += k->solve.solution.p_joint[at++];
    }
    k->pose.problem = plain;
    return PERP_OK;
}

/* Adds the impulses of compression to those of restitution, which count as one impact: masses and rows are the same. */
static void add_compression(const pp_frame *x, pp_frame *y) {
    const perp_step_problem *p = &y->pose.problem;
    for (int i = 0; i < 3 * p->ncontact; i++) y->solve.solution.p_contact[i] += x->solve.solution.p_contact[i];
    for (int i = 0; i < p->njoint; i++) y->solve.solution.p_joint[i] += x->solve.solution.p_joint[i];
    for (int i = 0; i < p->ncontact; i++) y->solve.solution.p_spin[i] += x->solve.solution.p_spin[i];
    for (int i = 0; i < 2 * p->ncontact; i++) y->solve.solution.p_roll[i] += x->solve.solution.p_roll[i];
    y->control.nu0 = x->control.nu0;
    y->s0 = x->s0;
}

/* The restitution phase of Poisson's law after the compression x, limited if contacts gain energy. */
static perp_status restitution_phase(pp_impacts *m, const pp_frame *look, const pass *x, pass *y) {
    pp_rebound_limits *limits = NULL;
    double *back = PP_ARENA_ARRAY(&m->w->arena, double, look->contacts.n);
    if (!back) return no_memory(m->w);
    for (bool again = true; again;) {
        again = false;
        *y = (pass){.restitution = true};
        perp_status st = new_pass(m, look, NULL, y);
        if (st) return st;
        if (!limits) limits = y->limits;
        y->k->demand.rebounds = y->limits = limits;
        for (int i = 0; i < look->contacts.n; i++)
            back[i] = look->contacts.at[i].restitution * pp_rebound_factor(y->k, look->contacts.shape + 2 * i) *
                      x->k->solve.solution.p_contact[3 * i];
        st = give_back(y, back);
        if (st == PERP_E_SOLVE && pp_give_up_rebounds(y->k, limits)) {
            again = m->stops = true;
            continue;
        }
        if (st) return st;
        add_compression(x->k, y->k);
        if ((st = pp_limit_rebounds(y->k, limits, &again))) return st;
    }
    return PERP_OK;
}

static perp_status poisson(pp_impacts *m, const pp_frame *look) {
    pass x = {0}, y;
    perp_status st = new_pass(m, look, NULL, &x);
    if (!st) st = solve(&x);
    if (st) return st;
    take_velocities(x.k, m->s);
    st = restitution_phase(m, look, &x, &y);
    return st ? st : finish(m, &y);
}

/* Marks in `in` the contacts of `look` that close as an impact, with the velocities of m->s. *most: largest approach
 * speed; *resting: number of closing contacts below their speed of rest. @return the number of marked contacts */
static int closing(const pp_impacts *m, const pp_frame *look, double least, bool *in, double *most, int *resting) {
    int n = 0;
    double *nu = look->control.nu0; /* overwritten: nobody reads the velocities of look after this */
    int dim = m->w->def.dim;
    for (int b = 0; b < look->control.nblock; b++) {
        int slot = look->control.block_body[b], nd = look->control.block_ndof[b];
        double *to = nu + look->control.block_offset[b];
        perp_vec3 v = m->s->v[slot], om = m->s->w[slot];
        to[0] = v.x, to[1] = v.y;
        if (dim == 3) to[2] = v.z;
        if (dim == 2 && nd == 3) to[2] = om.z;
        if (nd == 6) to[3] = om.x, to[4] = om.y, to[5] = om.z;
    }
    *most = 0;
    *resting = 0;
    for (int i = 0; i < look->contacts.n; i++) {
        double u = pp_approach(look, i), e = look->contacts.at[i].restitution;
        bool rests = e > 0 && -u <= (1 - e) * pp_force_speed(m, look, i);
        in[i] = u < -least && !rests;
        n += in[i];
        *resting += u < -least && rests;
        *most = fmax(*most, -u);
    }
    return n;
}

static perp_status sequence(pp_impacts *m, const pp_frame *look) {
    bool *in = PP_ARENA_ZERO(&m->w->arena, bool, look->contacts.n);
    if (!in) return no_memory(m->w);
    double most, scale = 0;
    int resting, limit = PASSES * (look->contacts.n + 4);
    (void)closing(m, look, 0, in, &scale, &resting);
    for (int n = 0;; n++) {
        int close = closing(m, look, PP_ROUNDING * scale, in, &most, &resting);
        if (!close && !resting) break;
        bool last = n >= limit || !close || (n > 0 && most < m->least);
        perp_status st = newton(m, look, last ? NULL : in, !last);
        if (st) return st;
        if (!last) continue;
        m->sum.rebounds_given_up += n >= limit;
        break;
    }
    return PERP_OK;
}

/* Applies Stronge's law if a single contact closes and no joint exists. *done: it was applied. */
static perp_status stronge(pp_impacts *m, const pp_frame *look, bool *done) {
    int only = -1, n = 0;
    *done = false;
    for (int i = 0; i < look->contacts.n; i++)
        if (pp_approach(look, i) < 0) only = i, n++;
    bool *in = PP_ARENA_ZERO(&m->w->arena, bool, look->contacts.n);
    if (!in) return no_memory(m->w);
    if (n != 1 || look->pose.problem.njoint > 0 || ended(m, look, only)) return PERP_OK;
    in[only] = true;
    pass x = {.restitution = true};
    perp_status st = new_pass(m, look, in, &x);
    if (!st) st = solve(&x); /* fills the frame; its impulse is replaced below */
    double p[3];
    if (st || !pp_stronge(x.k, 0, p)) return st;
    memcpy(x.k->solve.solution.p_contact, p, sizeof p);
    pp_step_velocity(&x.k->pose.problem, x.k->solve.solution.p_joint, x.k->solve.solution.p_contact,
                     x.k->solve.solution.nu);
    x.k->solve.acceptance = 0;
    x.k->solve.residual = (perp_step_residual){.scale = x.k->solve.residual.scale};
    *done = true;
    st = finish(m, &x);
    return st ? st : sequence(m, look); /* for contacts that close after this impact */
}

perp_status pp_impact(pp_impacts *m, const pp_frame *look) {
    bool done = false;
    m->count++;
    switch (m->w->def.impacts) {
    case PERP_IMPACTS_NEWTON: return newton(m, look, NULL, true);
    case PERP_IMPACTS_POISSON: return poisson(m, look);
    case PERP_IMPACTS_STRONGE: {
        perp_status st = stronge(m, look, &done);
        return st || done ? st : sequence(m, look);
    }
    default: return sequence(m, look);
    }
}

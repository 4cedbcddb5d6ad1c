/* model_peg.c - contact without traps: Polytope Exact Geometry in its separating-plane form
 *
 * Law      For every pair of convex shapes some separating plane holds at the end of the step, and impulses act only
 *          where the two touch there. This is what Williams' unilateral, inter-contact and cross-contact constraints
 *          (ch. 4) say together: the free space near a corner is not convex, and a step must choose a side of it.
 * Method   Rounds. Given a plane for each pair that matters, the step is an ordinary contact problem. Solve it, move
 *          the bodies, look at the true geometry at the end: pairs that overlap there are added, on the plane of their
 *          first contact (peg_pairs.c); pairs that push though another plane separates them strictly switch to that
 *          plane; gaps are measured and the problem is posed again with them (iterated geometry), until nothing
 *          changes and the true gaps hold. Impulses act at the start of the step, so momentum is conserved exactly and
 *          the motion between impacts is second order (SHAKE). `geometry: once` leaves the gaps linearised at the
 *          start, as the documents have them; `geometry: end` has impulses, friction and inertia at the end poses too, and
 *          is settled when the velocity is (end_pose.h).
 * Checks   An answer that pushes a body from behind a face it had not been in front of, or that gains energy from
 *          contact, is not taken. Rounds that gain more than there was are broken off.
 * Fallback With friction a wedge may lock itself so that not even 1e-10 of overlap can be undone: overlap of the start
 *          may stay. Then impulses at the end poses. Where a problem had no answer at all, pairs that touch on a corner
 *          go by its other side: a corner in the crack between a floor and a wall is held by the wall's side as well as
 *          by its lower edge, and friction jams it between that edge and the floor. Then the caller halves the step; at
 *          the last division planes that did not separate at the start are barred, and last of all gaps are linearised
 *          and, if that has no answer either, only kept from closing further.
 * Source   Williams ch. 4; docs/theory.md, section 9. The mixed problem as printed is the model "peg-mixed". */
#include <string.h>

#include "base/clock.h"
#include "contact/model.h"
#include "contact/peg.h"
#include "problem/convert.h"
#include "problem/rows.h"
#include "stepper/support_rows.h"

#define MAX_ROUNDS   40 /* beyond those that only find new pairs */
#define MAX_SWITCHES 6  /* of the plane of one pair */
#define MAX_FINDS    2000
#define BRISK        1e-7 /* tolerance from which on few rounds count more than digits, */
#define MANY         20   /* part of the rows that are new where the next round may be loose: */
#define LOOSE        1e-2 /* to this tolerance, */
#define MOST_SLACK   100  /* but so many times that of the world at most; */
#define SHARE        0.04 /* else the answer may miss by this part of what gaps still miss by, */
#define WORTH        3    /* if that is so many times the tolerance: the last answer must be exact */
#define MAX_LOOKS    2    /* for contacts on the plane of a pair whose contact left its features */
#define MAX_TURN     0.5  /* of a body that is pushed at its end pose in 3D, in one part of a step [rad] */
#define MAX_TIES     16
#define MAX_POLISH   16   /* rounds that bring gaps from within tolerance to rounding */
#define TOUCHING     1e-7 /* see peg_pairs.c */
#define BEHIND       1e-7 /* a face was not in front if its gap at the start was below minus this part of the size */
#define WORK_BEHIND  0.1  /* of the kinetic energy of two bodies that such a face may do */
#define WORK_TOTAL   1e-3 /* of the kinetic energy that all contacts together may add */
#define THROWS       3    /* rounds whose contacts may add more than all of it */

void pp_peg_destroy(struct pp_peg *m, const perp_allocator *a) {
    if (!m) return;
    pp_free(a, m->pair);
    pp_free(a, m->old_pair);
    pp_free(a, m->row);
    pp_free(a, m->new_row);
    pp_free(a, m->tries.contact);
    pp_free(a, m->tries.joint);
    pp_free(a, m->tries.joint_key);
    pp_free(a, m->round.pair);
    pp_free(a, m->couples.couple);
    pp_free(a, m->nu);
    pp_broad_destroy(m->broad, a);
    pp_free(a, m);
}

static perp_status peg_lists(perp_world *w) {
    if (w->peg) return PERP_OK;
    struct pp_peg *m = pp_alloc(&w->alloc, sizeof *m);
    if (!m) return pp_fail(w, PERP_E_MEMORY, "out of memory for the contact model");
    memset(m, 0, sizeof *m);
    m->broad = pp_broad_create(&w->alloc);
    /* a curved pair has few contacts, but which has most may come late */
    if (!m->broad || !PP_GROW(&w->alloc, m->round.pair, m->round.cap, 0, 64)) {
        pp_peg_destroy(m, &w->alloc);
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the contact model");
    }
    w->peg = m;
    return PERP_OK;
}

/* The box around a shape at the start, at the end if it is driven, and where its motion may take it. */
static pp_box fat_box(const pp_peg_work *k, int i, const double *nu_free) {
    const pp_frame *f = k->f;
    const pp_placed *at = &f->placed[i];
    const pp_solid *s = &k->start.solid[i], *e = &k->end.solid[i];
    pp_box b = pp_box_union((pp_box){s->lo, s->hi}, (pp_box){e->lo, e->hi});
    double more = 1e-3 * at->g->size;
    int blk = f->block[at->body];
    if (blk >= 0) {
        const double *v = nu_free + f->block_offset[blk];
        more += f->h * perp_v3_norm(perp_v3(v[0], v[1], f->w->def.dim == 3 ? v[2] : 0)) + pp_turn_travel(k, i, nu_free);
    }
    perp_vec3 d = perp_v3(more, more, f->w->def.dim == 3 ? more : 0);
    if (at->g->kind == PERP_SHAPE_HALFSPACE) return b;
    return (pp_box){perp_v3_sub(b.lo, d), perp_v3_add(b.hi, d)};
}

/* Speed that the solver's tolerance is a part of. */
static double speed_scale(const pp_frame *f, const double *nu) {
    double s = f->h * fmax(perp_v3_norm(f->w->def.gravity_W), pp_support_press(f->w));
    for (int b = 0; b < f->nblock; b++) {
        const double *v = nu + f->block_offset[b];
        s = fmax(s, perp_v3_norm(perp_v3(v[0], v[1], f->w->def.dim == 3 ? v[2] : 0))); /* whatever the axes */
    }
    return s;
}

/* The velocity without any constraint. */
static void free_velocity(const pp_frame *f, double *nu) {
    perp_step_problem p = pp_free_problem(f);
    pp_step_velocity(&p, NULL, NULL, nu);
}

static perp_status poses(pp_peg_work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    bool driven = false;
    for (int b = 0; b < w->nbody; b++) {
        if (!pp_alive(w->body[b].gen) || w->body[b].kind != PERP_BODY_KINEMATIC) continue;
        driven = !f->half; /* half kicks act at the start pose of everything */
        k->turn[b] = perp_q_log(perp_q_mul(f->s1->X[b].q, perp_q_conj(f->s0->X[b].q)));
    }
    perp_status st = pp_poses_new(k, &k->start);
    if (!st) st = pp_poses_new(k, &k->end);
    if (!st && driven) st = pp_poses_new(k, &k->force);
    if (st) return st;
    pp_poses_place(k, &k->start, f->s0);
    if (driven)
        pp_poses_place(k, &k->force, f->s1);
    else
        k->force = k->start;
    pp_state_copy(w, &k->end_state, f->s1);
    pp_poses_place(k, &k->end, &k->end_state);
    return PERP_OK;
}

static bool probes(pp_peg_work *k) {
    int nv = 1, nf = 1;
    for (int i = 0; i < k->f->nplaced; i++) {
        if (k->f->placed[i].g->nvert > nv) nv = k->f->placed[i].g->nvert;
        if (k->f->placed[i].g->nface > nf) nf = k->f->placed[i].g->nface;
    }
    pp_arena *a = &k->f->w->arena;
    for (int s = 0; s < 2; s++) {
        k->probe[s].v = PP_ARENA_ARRAY(a, perp_vec3, nv);
        k->probe[s].n = PP_ARENA_ARRAY(a, perp_vec3, nf);
        if (!k->probe[s].v || !k->probe[s].n) return false;
    }
    return true;
}

static perp_status begin(pp_frame *f, pp_peg_work *k) {
    perp_world *w = f->w;
    *k = (pp_peg_work){.f = f};
    perp_status st = peg_lists(w);
    if (!st) st = pp_place(w, f->s1, &f->placed, &f->nplaced);
    if (!st) st = pp_exclusions(w, &f->excluded, &f->nexcluded);
    if (!st) st = pp_state_new(w, &k->end_state);
    if (!st) st = pp_state_new(w, &k->way);
    if (st) return st;
    pp_state_copy(w, &k->way, f->s0);
    k->m = w->peg;
    k->linear = w->def.geometry == PERP_GEOMETRY_ONCE || !w->stepper->end_gaps;
    k->at_end = pp_at_end(f);
    k->brisk = w->def.tolerance > BRISK && w->def.form == PERP_FORM_CONE;
    k->turn = PP_ARENA_ZERO(&w->arena, perp_vec3, w->nbody);
    k->astray = PP_ARENA_ZERO(&w->arena, double, w->nbody);
    k->fat = PP_ARENA_ARRAY(&w->arena, pp_box, f->nplaced);
    k->lever = PP_ARENA_ARRAY(&w->arena, double, f->nplaced);
    k->arc = PP_ARENA_ARRAY(&w->arena, double, f->nplaced);
    double *nu = PP_ARENA_ARRAY(&w->arena, double, f->ndof);
    if (!k->turn || !k->astray || !k->fat || !k->lever || !k->arc || !nu || !probes(k) ||
        !PP_GROW(&w->alloc, k->m->nu, k->m->cap_nu, 0, f->ndof + 1) ||
        !pp_touches_new(&k->touches, f->nplaced, f->placed, &w->arena))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    pp_peg_levers(k);
    if ((st = poses(k))) return st;
    free_velocity(f, nu);
    double speed = speed_scale(f, nu);
    k->least = w->def.tolerance * speed * f->h;
    /* where that is much, two bodies may each miss by it, and a part of a step cannot undo what a whole one left */
    if (k->brisk) k->least = 2 * w->def.tolerance * speed * w->def.h;
    k->reach = speed * f->h;
    double far = 0;
    for (int b = 0; b < f->nblock; b++) far = fmax(far, perp_v3_norm(f->s0->X[f->block_body[b]].p));
    k->finest = fmax(1e-15 * far, (k->brisk ? 0.05 : 1e-5) * k->least); /* else solvers are exact where that is cheap */
    for (int i = 0; i < f->nplaced; i++) k->fat[i] = fat_box(k, i, nu);
    k->m->npair = 0;
    return pp_peg_find_pairs(k);
}

/* Where the bodies go next: by the velocity of the answer; half of the way to it where end poses take turns. */
static void follow_answer(pp_peg_work *k) {
    const pp_frame *f = k->f;
    double *nu = k->m->nu;
    k->still = !k->at_end || !k->mode.symmetric;
    if (k->at_end && k->mode.symmetric) {
        pp_end_change c = pp_end_changed(f, &k->end_state, nu, f->solution.nu);
        pp_verdict v = pp_settle(&k->settling, f, &c, false);
        k->still = v == PP_SETTLED || (k->brisk && c.by <= f->w->def.tolerance * c.scale);
        if (v == PP_GO_HALF && !k->still) {
            for (int i = 0; i < f->ndof; i++) nu[i] += 0.5 * (f->solution.nu[i] - nu[i]);
            return;
        }
    }
    memcpy(nu, f->solution.nu, (size_t)f->ndof * sizeof *nu);
}

/* By what speed the answer of an island may miss the laws of the next round and be kept. Pivoting is exact, and what
 * rests must not creep by the rounding of its gaps. */
static double answers_hold(const pp_peg_work *k) {
    bool cone = k->f->w->def.form == PERP_FORM_CONE;
    return (k->brisk ? k->least : cone ? k->finest : 0.05 * k->finest) / k->f->h;
}

/* Poses and solves the problem of a round; the answer moves the bodies to their end poses. */
static perp_status solve_round(pp_peg_work *k, pp_arena_mark mark, bool guess) {
    pp_frame *f = k->f;
    struct pp_peg *m = k->m;
    pp_arena_release(&f->w->arena, mark);
    f->recall = guess ? &m->tries : NULL;
    f->enough = guess && !k->at_end ? answers_hold(k) : 0;
    double t = pp_clock();
    perp_status st = pp_peg_contacts(k);
    if (k->at_end) pp_end_inertia(f, k->mode.symmetric ? &k->end_state : NULL);
    pp_clocked(f->w, PERP_STAGE_CONTACT, &t);
    if (!st) st = pp_formulate(f);
    pp_clocked(f->w, PERP_STAGE_STEPPER, &t);
    if (!st) st = pp_solve_step(f);
    pp_clocked(f->w, PERP_STAGE_SOLVER, &t);
    if (st) return st;
    if (!pp_remember_try(f, &m->tries)) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for %d contacts", m->nrow);
    follow_answer(k);
    double most = 0;
    for (int r = 0; r < m->nrow; r++) most = fmax(most, f->solution.p_contact[3 * r]);
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        p->pushed = false;
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            pp_peg_row *row = &m->row[r];
            row->push = f->solution.p_contact[3 * r] > 1e-13 * most ? f->solution.p_contact[3 * r] : 0;
            row->fresh = false;
            const perp_contact_row *c = &f->problem.contact[r];
            row->bounces = c->b_n == pp_rebound_rhs(f, r, c); /* and not what its gap asks for */
            p->pushed |= row->push > 0;
        }
    }
    return pp_poses_advance(k, m->nu)
               ? PERP_OK
               : pp_fail(f->w, PERP_E_SOLVE, "a body turns too far in one step at t = %g", f->s0->t);
}

/* What a look at the end poses found. */
typedef struct findings {
    int added, switched, renewed;
    bool moved;   /* some gap is not yet what it must be */
    bool stuck;   /* a pair changed its plane too often */
    double worst; /* by how much a gap misses, of those that push or are violated [L] */
} findings;

static double demanded(const pp_peg_work *k, int row) { return k->f->allowance ? -k->f->allowance[row] : 0; }

/* By how much the end gap of a row misses. One that bounces may open as far as it likes. */
static double missed(const pp_peg_work *k, int r) {
    double miss = k->m->row[r].gap1 - demanded(k, r);
    return k->m->row[r].bounces ? fmin(0, miss) : miss;
}

/* Rows of a pair against what they must be at the end: true if a row that pushes left its features. */
static bool look_at_rows(const pp_peg_work *k, const pp_peg_pair *p, findings *found) {
    bool off = false;
    double beside = pp_peg_beside(k, p);
    for (int r = p->first; r < p->first + p->nrow; r++) {
        const pp_peg_row *row = &k->m->row[r];
        double miss = missed(k, r);
        if (row->bounces && !(miss < -p->tol)) continue;
        if (row->push > 0 || miss < 0) found->worst = fmax(found->worst, fabs(miss));
        if (!(miss >= -p->tol) && !(isnan(row->gap1) && row->push == 0)) found->moved = true;
        if (row->push > 0) {
            if (!(fabs(miss) <= 10 * p->tol)) found->moved = true;
            if (row->off1 > beside) off = true;
        }
    }
    return off;
}

/* By how much the gaps of each body miss. */
static void go_astray(pp_peg_work *k) {
    const struct pp_peg *m = k->m;
    memset(k->astray, 0, (size_t)k->f->w->nbody * sizeof *k->astray);
    for (int i = 0; i < m->npair; i++) {
        const pp_peg_pair *p = &m->pair[i];
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            double miss = missed(k, r);
            if (m->row[r].bounces ? !(miss < -p->tol) : !(m->row[r].push > 0 || miss < 0)) continue;
            for (int s = 0; s < 2; s++) {
                double *a = &k->astray[k->f->placed[s ? p->j : p->i].body];
                *a = fmax(*a, fabs(miss));
            }
        }
    }
}

/* Largest distance from zero of the gaps that push: how far the geometry is from having settled. */
static double unsettled(const pp_peg_work *k, const pp_peg_pair *p) {
    double worst = 0;
    for (int r = p->first; r < p->first + p->nrow; r++)
        if (k->m->row[r].push > 0) worst = fmax(worst, fabs(k->m->row[r].gap1 - demanded(k, r)));
    return worst;
}

static bool may_bounce(const pp_peg_work *k, const pp_peg_pair *p) {
    for (int r = p->first; r < p->first + p->nrow; r++)
        if (k->m->row[r].bounces) return true;
    return false;
}

/* A pair that pushes though it is apart: on to the plane that separates it best, if that is allowed. */
static void switch_plane(pp_peg_work *k, pp_peg_pair *p, bool *renew, findings *found) {
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    pp_plane to = pp_separate(A, B, PP_NO_PLANE, p->tol, INFINITY).plane;
    if (to == p->plane) return;
    if (k->mode.held && pp_plane_gap(&k->start.solid[p->i], &k->start.solid[p->j], to) < -p->tol) return;
    if (++p->switches > MAX_SWITCHES) {
        found->stuck = true;
        return;
    }
    p->plane = to;
    p->nrow = 0;
    *renew = true;
    found->switched++;
}

/* Separation from which on a pair that pushes is apart. Where the tolerance is large, less will do for one whose contact
 * has left its features, since there is nothing that could push; and if looking for others on its plane gave none, any
 * other plane on which they do not overlap. */
static double strictly(const pp_peg_work *k, const pp_peg_pair *p) {
    for (int r = p->first; k->brisk && r < p->first + p->nrow; r++)
        if (k->m->row[r].push > 0 && k->m->row[r].off1 > pp_peg_off(k, p))
            return p->renewals > MAX_LOOKS ? -p->tol : 2 * p->tol;
    return 100 * p->tol;
}

static void look_at_active(pp_peg_work *k, pp_peg_pair *p, bool *renew, findings *found) {
    pp_peg_measure(k, p);
    double allowed = p->nrow ? fmax(0, -demanded(k, p->first)) : 0;
    for (int r = p->first; r < p->first + p->nrow; r++) allowed = fmax(allowed, -demanded(k, r));
    if (p->kind == PP_PAIR_FLAT && p->pushed && p->gap1 > strictly(k, p) && p->gap1 > 3 * unsettled(k, p) &&
        !k->linear && !may_bounce(k, p)) {
        switch_plane(k, p, renew, found);
        if (*renew) return;
    }
    bool off = look_at_rows(k, p, found);
    if (p->kind == PP_PAIR_ROUND) return;
    if (off || p->gap1 < -p->tol - allowed) {
        /* rows that are linearised at the start need not part a pair for good */
        if (k->linear && ++p->switches > MAX_SWITCHES) return;
        *renew = true;
        p->renewals++;
        found->renewed++;
    }
}

/* Separation below which a pair is added with those that overlap. One that has no planes to choose from may as well have
 * a row early: it does nothing unless the others push the two there, and then it saves a round. */
static double near(const pp_peg_work *k, const pp_peg_pair *p) {
    return k->brisk && p->kind != PP_PAIR_FLAT && !k->linear ? pp_peg_near(k, p) : -p->tol;
}

/* The same where the free motion would lead, before the first round. */
static void foresee(pp_peg_work *k) {
    struct pp_peg *m = k->m;
    if (!k->brisk || k->linear) return;
    free_velocity(k->f, m->nu);
    pp_poses_advance(k, m->nu);
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (p->active || p->kind == PP_PAIR_FLAT) continue;
        pp_peg_measure(k, p);
        p->active = p->gap1 < near(k, p);
    }
}

static bool may_wait(const pp_peg_work *k, const pp_peg_pair *p) { return !k->brisk || p->kind == PP_PAIR_FLAT; }

/* Pairs that overlap at the end, or ran through each other: those that touched at the start first, the others only when
 * there are none of those, since they may not be met any more then. */
static void add_pairs(pp_peg_work *k, bool *renew, findings *found) {
    struct pp_peg *m = k->m;
    bool touched = false, any = false;
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (p->active) continue;
        pp_peg_measure(k, p);
        if (!(p->gap1 < -p->tol)) continue;
        any = true;
        if (may_wait(k, p) && pp_peg_start_gap(k, p) <= TOUCHING * p->size) touched = true;
    }
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        if (p->active) continue;
        pp_plane plane = PP_NO_PLANE;
        bool meets = p->gap1 < (any ? near(k, p) : -p->tol);
        if (!meets && !pp_peg_runs_through(k, p, false, &plane)) continue;
        if (touched && may_wait(k, p) && pp_peg_start_gap(k, p) > TOUCHING * p->size) continue;
        p->plane = meets ? pp_peg_first_plane(k, p) : plane;
        p->active = renew[i] = true;
        p->nrow = 0;
        found->added++;
    }
}

static perp_status look(pp_peg_work *k, bool *renew, findings *found) {
    struct pp_peg *m = k->m;
    *found = (findings){0};
    memset(renew, 0, (size_t)m->npair * sizeof *renew);
    pp_peg_row_gaps(k);
    go_astray(k);
    for (int i = 0; i < m->npair; i++)
        if (m->pair[i].active) look_at_active(k, &m->pair[i], &renew[i], found);
    add_pairs(k, renew, found);
    return k->touches.memory ? pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts") : PERP_OK;
}

static double kinetic(const pp_frame *f, int block, const double *nu) {
    if (block < 0) return 0;
    int nd = f->block_ndof[block];
    const double *M = f->M + 36 * block, *v = nu + f->block_offset[block];
    double e = 0;
    for (int c = 0; c < nd; c++)
        for (int r = 0; r < nd; r++) e += v[r] * M[6 * c + r] * v[c] / 2;
    return e;
}

/* Work of a contact's impulses on top of the free motion; that of driven bodies is theirs. */
static double contact_work(const pp_frame *f, int i, const double *mean) {
    const perp_contact_row *c = &f->problem.contact[i];
    const double *p = f->solution.p_contact + 3 * i;
    double spin = c->e_r > 0 ? f->solution.p_spin[i] * (pp_row_dot(&f->problem, &c->r, mean) + c->b_r) : 0;
    return spin + p[0] * (pp_row_dot(&f->problem, &c->n, mean) + c->b_n_kin) +
           p[1] * (pp_row_dot(&f->problem, &c->t, mean) + c->b_t) +
           (f->w->def.dim == 3 ? p[2] * (pp_row_dot(&f->problem, &c->o, mean) + c->b_o) : 0);
}

/* Work that joints do or take, on top of the free motion: as much may contacts on jointed bodies seem to add. A joint that
 * holds a body back from where it would have gone alone takes what a contact on the other side of it gives, and one that is
 * led along its circle gains a little by itself. */
static double joint_work(const pp_frame *f, const double *mean) {
    double work = 0;
    for (int i = 0; i < f->problem.njoint; i++) {
        const perp_joint_row *r = &f->problem.joint[i];
        work += fabs(f->solution.p_joint[i] * (pp_row_dot(&f->problem, &r->row, mean) + r->b_kin));
    }
    return work;
}

/* Did a body that was pushed at its end pose turn so far that the inertia of the start does not belong to the levers? In
 * the plane inertia does not turn; in space the impulse would also spin it about axes that it does not touch. */
static bool turns_far(const pp_peg_work *k) {
    const pp_frame *f = k->f;
    if (!k->mode.symmetric || k->at_end || f->w->def.dim == 2 || f->last_resort) return false;
    for (int i = 0; i < k->m->npair; i++) {
        const pp_peg_pair *p = &k->m->pair[i];
        if (!p->active || !p->pushed) continue;
        for (int s = 0; s < 2; s++) {
            const pp_placed *at = &f->placed[s ? p->j : p->i];
            if (at->moves && !f->w->body[at->body].isotropic && perp_v3_norm(k->turn[at->body]) > MAX_TURN) return true;
        }
    }
    return false;
}

/* What the contacts of an answer do. Energy of overlap that is undone and of bounces is not looked at. */
typedef struct labour {
    double total;  /* work of all contacts on top of the free motion */
    double free;   /* kinetic energy of the free motion */
    double within; /* energy that may come from overlap within the tolerance, and through joints */
    bool behind;   /* a face that was not in front did much */
    bool any;      /* there are bounces or overlap of before: contacts may do what they like */
} labour;

static bool find_labour(pp_peg_work *k, labour *l) {
    const pp_frame *f = k->f;
    struct pp_peg *m = k->m;
    *l = (labour){.any = f->no_inertia || pp_support_count(f) > 0}; /* against friction, not on the motion */
    if (l->any) return true;
    double *fr = PP_ARENA_ARRAY(&f->w->arena, double, f->ndof), *mean = PP_ARENA_ARRAY(&f->w->arena, double, f->ndof);
    if (!fr || !mean) return false;
    free_velocity(f, fr);
    for (int i = 0; i < f->ndof; i++) mean[i] = (fr[i] + m->nu[i]) / 2;
    double undone = k->least / f->h;
    for (int b = 0; b < f->nblock; b++) {
        l->free += kinetic(f, b, fr);
        l->within += 100 * f->M[36 * b] * undone * undone;
    }
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        double work = 0, own = 0;
        bool behind = false;
        for (int r = p->first; p->active && r < p->first + p->nrow; r++) {
            const int *blk = f->problem.contact[r].n.block;
            work += contact_work(f, r, mean);
            own = kinetic(f, blk[0], fr) + kinetic(f, blk[1], fr);
            behind |= m->row[r].push > 0 && m->row[r].gap0 < -fmax(BEHIND * p->size, k->brisk ? pp_peg_left(k) : 0);
            l->any |= m->row[r].bounces || pp_peg_spawned(k, p);
        }
        l->total += work;
        l->behind |= behind && !l->any && !k->mode.held && work > WORK_BEHIND * own + l->within;
    }
    l->within += joint_work(f, mean);
    return true;
}

/* The two checks of the header. */
static bool plausible(pp_peg_work *k) {
    labour l;
    return find_labour(k, &l) && !l.behind && (l.any || l.total <= WORK_TOTAL * l.free + l.within);
}

/* Do contacts add more than all energy there is? A row that was posed far from where its features meet may throw a body,
 * in the next round farther, which hits others, and so on until nothing is left of a heap. */
static bool throws(pp_peg_work *k) {
    labour l;
    return !k->linear && find_labour(k, &l) && !l.any && l.total > l.free + l.within;
}

/* Is there a pair that has rows and runs through all the same, since they hold it on the far side? */
static bool some_run_through(pp_peg_work *k) {
    for (int i = 0; i < k->m->npair; i++) {
        pp_peg_pair *p = &k->m->pair[i];
        pp_plane plane;
        bool through = p->active && pp_peg_runs_through(k, p, true, &plane);
        p->meet = 0;
        if (through) return true;
    }
    return false;
}

/* How many times the tolerance the next answer may miss the laws by, if another round must follow it anyway: many pairs
 * are new and more will be found, or gaps miss by far more than an exact answer would. */
static double slack(const pp_peg_work *k, const findings *found) {
    if (!k->brisk || k->linear) return 1;
    double most = fmax(1, fmin(MOST_SLACK, LOOSE / k->f->w->def.tolerance)), by = SHARE * found->worst / k->least;
    if (MANY * found->added > k->m->nrow) return most;
    return by > WORTH ? fmin(most, by) : 1;
}

/* Rounds until nothing changes. *settled: they did, and the answer may be taken. `anew`: from the memory of the last
 * step; else from pairs and rows as they stand, of which those without rows get some. */
static perp_status rounds(pp_peg_work *k, pp_arena_mark mark, bool anew, bool *settled) {
    pp_frame *f = k->f;
    struct pp_peg *m = k->m;
    pp_peg_mode mode = k->mode;
    *settled = false;
    if (anew) {
        k->mode.symmetric = false; /* the first round has no end poses yet */
        if (!pp_peg_recall(k)) return PERP_OK;
        foresee(k);
    }
    bool *renew = NULL;
    int limit = MAX_ROUNDS, polish = 0, idle = 0, thrown = 0;
    k->settling = (pp_settling){.before = INFINITY};
    double before = INFINITY;
    f->slack = 1;
    for (int round = 0; round < limit; round++) {
        renew = PP_ARENA_ARRAY(&f->w->arena, bool, m->npair);
        if (!renew) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
        if (round == 0) {
            for (int i = 0; i < m->npair; i++) renew[i] = anew || m->pair[i].nrow == 0;
        } else {
            findings found;
            bool followed;
            perp_status st = pp_peg_follow(k, &followed);
            if (st) return st;
            if (followed) {
                renew = PP_ARENA_ARRAY(&f->w->arena, bool, m->npair);
                if (!renew) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
            }
            double t = pp_clock();
            st = look(k, renew, &found);
            pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
            if (st) return st;
            if (found.stuck || (throws(k) && ++thrown > THROWS)) return PERP_OK;
            if (!found.added && !found.switched && !found.renewed && (!found.moved || k->linear)) {
                idle = found.worst < before / 2 ? 0 : idle + 1;
                before = found.worst;
                bool fine = k->linear || k->brisk || found.worst <= k->finest;
                if (f->slack <= 1 && k->still && (fine || idle > 1 || ++polish > MAX_POLISH)) {
                    *settled = !turns_far(k) && plausible(k) && (f->last_resort || !some_run_through(k));
                    return PERP_OK;
                }
            }
            if (found.added || found.switched || found.renewed) k->settling = (pp_settling){.before = INFINITY};
            if (found.added && !found.switched && limit < MAX_FINDS) limit++;
            f->slack = slack(k, &found);
        }
        if (round > 0) pp_peg_stride(k);
        bool first = round == 0 && anew;
        perp_status st = pp_peg_rows(k, first ? &k->force : &k->end, renew);
        if (!st) st = solve_round(k, mark, !first);
        if (st) return st;
        k->mode = mode;
        if (first && k->at_end && mode.symmetric) k->still = false; /* that was with the rows of the start */
    }
    *settled = mode.linear; /* rows only add up there, and rest would obey them all */
    return PERP_OK;
}

/* What a try at another plane may spoil. */
typedef struct snapshot {
    pp_peg_pair *pair;
    pp_peg_row *row;
    double *nu; /* that the gaps of the rows were measured after */
    int npair, nrow;
} snapshot;

static bool take(pp_peg_work *k, snapshot *s) {
    pp_arena *a = &k->f->w->arena;
    struct pp_peg *m = k->m;
    *s = (snapshot){.pair = PP_ARENA_ARRAY(a, pp_peg_pair, m->npair),
                    .row = PP_ARENA_ARRAY(a, pp_peg_row, m->nrow),
                    .nu = PP_ARENA_ARRAY(a, double, k->f->ndof),
                    .npair = m->npair,
                    .nrow = m->nrow};
    if (!s->pair || !s->row || !s->nu) return false;
    memcpy(s->nu, m->nu, (size_t)k->f->ndof * sizeof *s->nu);
    memcpy(s->pair, m->pair, (size_t)m->npair * sizeof *s->pair);
    memcpy(s->row, m->row, (size_t)m->nrow * sizeof *s->row);
    return true;
}

static perp_status restore(pp_peg_work *k, const snapshot *s) {
    struct pp_peg *m = k->m;
    const perp_allocator *a = &k->f->w->alloc;
    if (!PP_GROW(a, m->pair, m->cap_pair, 0, s->npair) || !PP_GROW(a, m->row, m->cap_row, 0, s->nrow))
        return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the contacts");
    memcpy(m->pair, s->pair, (size_t)s->npair * sizeof *s->pair);
    memcpy(m->row, s->row, (size_t)s->nrow * sizeof *s->row);
    memcpy(m->nu, s->nu, (size_t)k->f->ndof * sizeof *s->nu);
    m->npair = s->npair;
    m->nrow = s->nrow;
    return PERP_OK;
}

/* How much the contacts change the free motion: the kinetic energy of the difference. */
static double effort(const pp_peg_work *k, double *fr) {
    free_velocity(k->f, fr);
    for (int i = 0; i < k->f->ndof; i++) fr[i] -= k->m->nu[i];
    double e = 0;
    for (int b = 0; b < k->f->nblock; b++) e += kinetic(k->f, b, fr);
    return e;
}

/* Another plane on which a pair that pushes could as well be separated: a vertex on a vertex, where it is not the
 * geometry of the end that tells which side is meant. */
static pp_plane tied_plane(const pp_peg_work *k, const pp_peg_pair *p) {
    if (!p->active || !p->pushed || p->kind != PP_PAIR_FLAT) return PP_NO_PLANE;
    for (int r = p->first; r < p->first + p->nrow; r++)
        if (k->m->row[r].push > 0 && k->m->row[r].off1 < -1e-6 * p->size) return PP_NO_PLANE;
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    pp_separating s = pp_separate_otherwise(A, B, pp_plane_normal(A, B, p->plane), p->tol);
    return s.gap >= -TOUCHING * p->size ? s.plane : PP_NO_PLANE;
}

/* Tries the tied planes one after the other, and keeps those with less effort: of the sides of a corner that a body may
 * pass, the one it is turned aside least by. */
static perp_status try_ties(pp_peg_work *k) {
    struct pp_peg *m = k->m;
    pp_arena *arena = &k->f->w->arena;
    double *scratch = PP_ARENA_ARRAY(arena, double, k->f->ndof);
    if (!scratch) return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the step");
    for (int i = 0, tries = 0; i < m->npair && tries < MAX_TIES; i++) {
        pp_plane plane = tied_plane(k, &m->pair[i]);
        if (plane == PP_NO_PLANE) continue;
        tries++;
        snapshot before;
        double old = effort(k, scratch);
        if (!take(k, &before)) return pp_fail(k->f->w, PERP_E_MEMORY, "out of memory for the step");
        pp_arena_mark mark = pp_arena_here(arena);
        m->pair[i].plane = plane;
        m->pair[i].nrow = 0;
        bool settled;
        perp_status st = rounds(k, mark, false, &settled);
        if (st && st != PERP_E_SOLVE) return st;
        if (!st && settled && effort(k, scratch) < (1 - 1e-9) * old) continue; /* pairs may have moved in the list */
        if ((st = restore(k, &before)) || (st = rounds(k, mark, false, &settled))) return st;
        if (!settled)
            return pp_fail(k->f->w, PERP_E_SOLVE, "a tie of separating planes did not resolve at t = %g", k->f->s0->t);
    }
    return PERP_OK;
}

/* Tells the certificate what the gaps are at the end. */
static perp_status finish(pp_peg_work *k) {
    pp_frame *f = k->f;
    double *gap = PP_ARENA_ARRAY(&f->w->arena, double, f->ncontact);
    if (!gap) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the contacts");
    for (int r = 0; r < f->ncontact; r++) gap[r] = k->m->row[r].gap1;
    f->true_gap = gap;
    f->recall = NULL;
    if (f->levers != f->s0) f->levers = NULL; /* they are of this work */
    return PERP_OK;
}

/* Can a wedge lock itself: does something that has friction overlap at the start? */
static bool locks(pp_peg_work *k) {
    for (int i = 0; i < k->m->npair; i++) {
        pp_peg_pair *p = &k->m->pair[i];
        const perp_world *w = k->f->w;
        int a = w->shape[k->f->placed[p->i].slot].material, b = w->shape[k->f->placed[p->j].slot].material;
        if (p->active && w->law[a * w->nmaterial + b].mu > 0 && pp_peg_start_gap(k, p) < 0) return true;
    }
    return false;
}

static perp_status standard_way(pp_frame *f) {
    perp_status st = pp_collide(f);
    if (!st) st = pp_model_one_plane.contacts(f);
    if (!st) st = pp_formulate(f);
    return st ? st : pp_solve_step(f);
}

static perp_status solve(pp_frame *f) {
    if (f->purpose != PP_STEP) return standard_way(f); /* velocities of what touches: nothing moves, so no corner */
    static const pp_peg_mode way[] = {{0},
                                      {.relaxed = true},
                                      {.symmetric = true},
                                      {.relaxed = true, .other = true},
                                      {.relaxed = true, .held = true},
                                      {.relaxed = true, .held = true, .linear = true},
                                      {.relaxed = true, .held = true, .linear = true, .no_lift = true}};
    /* geometry end: the last four have impulses at the start after all */
    static const pp_peg_mode end_way[] = {{.symmetric = true},
                                          {.symmetric = true, .relaxed = true},
                                          {.relaxed = true},
                                          {.relaxed = true, .other = true},
                                          {.relaxed = true, .held = true},
                                          {.relaxed = true, .held = true, .linear = true},
                                          {.relaxed = true, .held = true, .linear = true, .no_lift = true}};
    int ways = f->last_resort ? 7 : pp_at_end(f) ? 2 : 4;
    pp_peg_work k;
    double t = pp_clock();
    perp_status st = begin(f, &k);
    pp_clocked(f->w, PERP_STAGE_COLLISION, &t);
    if (st) return st;
    bool settled = false, linear = k.linear, answered = true;
    pp_arena_mark mark = pp_arena_here(&f->w->arena);
    for (int i = 0; i < ways && !settled; i++) {
        if (i == 1 && !locks(&k)) continue;
        if (i == 3 && answered) continue;
        if (i == 2 && k.at_end) {
            if (!st) (void)pp_fail(f->w, PERP_E_SOLVE, "end poses did not settle, or contact would gain energy there");
            pp_end_give_up(f);
        }
        k.mode = k.at_end ? end_way[i] : way[i];
        k.linear = linear || k.mode.linear;
        f->no_lift = k.mode.no_lift; /* a body that is jammed between two others cannot be moved off either */
        st = rounds(&k, mark, true, &settled);
        if (st && st != PERP_E_SOLVE) return st;
        answered = answered && !st;
    }
    if (!settled)
        return st ? st
                  : pp_fail(f->w, PERP_E_SOLVE, "no choice of separating planes held at t = %g (h = %g): %d contacts",
                            f->s0->t, f->h, f->ncontact);
    if (!k.linear && (st = try_ties(&k))) return st;
    return finish(&k);
}

const pp_contact_model_type pp_model_peg = {
    .name = "peg",
    .source = "Williams ch. 4",
    .solve = solve,
};

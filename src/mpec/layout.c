/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* layout.c - from the problem of the caller to a numbered program: checks, the clone of the world, its bodies, the first
 * step posed. See mpec.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/refuse.h"
#include "mpec/mpec.h"
#include "step/stagger.h"
#include "base/elementary.h"

static perp_status refuse_memory(pp_mpec *m) {
    return pp_refuse(m->why, m->why_size, PERP_E_MEMORY, "out of memory for the program");
}

/* ---- the problem of the caller ---- */

static perp_status check_parameters(pp_mpec *m) {
    const perp_mpec_problem *p = m->p;
    for (int i = 0; i < p->nparameter; i++) {
        const perp_mpec_parameter *q = &p->parameter[i];
        if (!(q->min < q->max) || !isfinite(q->start) || !(q->start >= q->min && q->start <= q->max))
            return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                             "parameter %d starts at %g with bounds %g and %g; it must start within them", i, q->start,
                             q->min, q->max);
        if (!(q->prior_sd >= 0) || !isfinite(q->prior_sd) || !isfinite(q->prior_mean))
            return pp_refuse(m->why, m->why_size, PERP_E_ARG, "parameter %d has a prior of mean %g and sd %g", i,
                             q->prior_mean, q->prior_sd);
    }
    return PERP_OK;
}

static perp_status check_rows(pp_mpec *m) {
    const perp_mpec_problem *p = m->p;
    for (int i = 0; i < p->nrow; i++) {
        const perp_mpec_row *r = &p->row[i];
        if (r->step < 0 || r->step > p->steps)
            return pp_refuse(m->why, m->why_size, PERP_E_ARG, "row %d is of step %d; allowed: 0 to %d", i, r->step,
                             p->steps);
        if (!isfinite(r->value) || !(r->sd > 0) || !isfinite(r->sd) || !(r->bound >= 0))
            return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                             "row %d has value %g, sd %g and bound %g; a value is finite, sd > 0, bound >= 0", i,
                             r->value, r->sd, r->bound);
        if (pp_mpec_coordinate(m, r->body, r->coordinate) < 0)
            return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                             "row %d measures a body that is not dynamic, or a coordinate that it does not have", i);
    }
    for (int i = 0; i < p->ninitial; i++) {
        const perp_mpec_initial *q = &p->initial[i];
        if (pp_mpec_coordinate(m, q->body, q->coordinate) < 0)
            return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                             "initial %d is of a body that is not dynamic, or a coordinate that it does not have", i);
        bool none = q->min == 0 && q->max == 0;
        if (!(none || q->min < q->max) || !(q->prior_sd >= 0) || !isfinite(q->prior_sd) || !isfinite(q->prior_mean))
            return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                             "initial %d has bounds %g and %g, prior mean %g and sd %g", i, q->min, q->max,
                             q->prior_mean, q->prior_sd);
    }
    return PERP_OK;
}

static perp_status check_options(pp_mpec *m) {
    const perp_mpec_options *o = &m->o;
    if (!(o->relax_end > 0 && o->relax_end <= o->relax_start && isfinite(o->relax_start)) ||
        !(o->relax_factor > 0 && o->relax_factor < 1) || !(o->tolerance > 0) || o->max_iterations < 1)
        return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                         "options: relax_start %g, relax_end %g, relax_factor %g, tolerance %g, max_iterations %d",
                         o->relax_start, o->relax_end, o->relax_factor, o->tolerance, o->max_iterations);
    const perp_mpec_problem *p = m->p;
    if (!p->world || p->steps < 1 || p->nrow < 1 || !p->row || p->nparameter < 0 || p->ninitial < 0 ||
        (p->nparameter > 0 && (!p->parameter || !p->set)) || (p->ninitial > 0 && !p->initial) ||
        !(p->margin >= 0 && isfinite(p->margin)))
        return pp_refuse(m->why, m->why_size, PERP_E_ARG,
                         "the problem needs a world, steps >= 1, rows, and a function that sets its parameters");
    if (p->nparameter + p->ninitial == 0)
        return pp_refuse(m->why, m->why_size, PERP_E_ARG, "nothing is unknown: no parameter, no initial coordinate");
    if ((double)p->steps * p->world->nbody > 1e6)
        return pp_refuse(m->why, m->why_size, PERP_E_ARG, "%d steps of %d bodies are too many", p->steps,
                         p->world->nbody);
    return PERP_OK;
}

/* ---- the bodies ---- */

int pp_mpec_coordinate(const pp_mpec *m, perp_body_id b, perp_mpec_coordinate c) {
    int slot = pp_body_slot(m->clone, b), dim = m->clone->def.dim;
    bool velocity = c >= PERP_MPEC_VX;
    int k = velocity ? (int)c - PERP_MPEC_VX : (int)c;
    if (k < 0 || k > 3 || (int)c > PERP_MPEC_SPIN) return -1;
    if (dim == 2 && k == 2) return -1; /* z */
    if (dim == 2 && k == 3) k = 2;     /* angle */
    for (int i = 0; slot >= 0 && i < m->nblock; i++)
        if (m->block_body[i] == slot && k < m->block_ndof[i]) return m->block_offset[i] + k + (velocity ? m->ndof : 0);
    return -1;
}

static perp_status find_bodies(pp_mpec *m) {
    perp_world *w = m->clone;
    if (w->nbelt > 0) {
        int body = w->shape[w->belt[0].shape].body;
        return pp_refuse(m->why, m->why_size, PERP_E_FIT,
                         "a surface of body %d (%s) moves (surface_velocity); belts are not supported", body,
                         w->body[body].name ? w->body[body].name : "");
    }
    m->block_body = PP_ARENA_ARRAY(&m->arena, int, w->nbody);
    m->block_ndof = PP_ARENA_ARRAY(&m->arena, int, w->nbody);
    m->block_offset = PP_ARENA_ARRAY(&m->arena, int, w->nbody);
    if (!m->block_body || !m->block_ndof || !m->block_offset) return refuse_memory(m);
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen)) continue;
        if (b->kind == PERP_BODY_KINEMATIC && b->motion)
            return pp_refuse(m->why, m->why_size, PERP_E_FIT,
                             "body %d (%s) is driven; only worlds of dynamic bodies and obstacles are supported", i,
                             b->name ? b->name : "");
        int nd = pp_ndof(w, b);
        if (nd == 0) continue;
        if (nd == 6)
            return pp_refuse(m->why, m->why_size, PERP_E_FIT,
                             "body %d (%s) turns in space; only bodies of 2D worlds and particles are supported", i,
                             b->name ? b->name : "");
        m->block_body[m->nblock] = i;
        m->block_ndof[m->nblock] = nd;
        m->block_offset[m->nblock++] = m->ndof;
        m->ndof += nd;
    }
    if (m->ndof == 0) return pp_refuse(m->why, m->why_size, PERP_E_ARG, "the world has no dynamic body");
    m->nx = 2 * m->ndof;
    m->np = m->p->nparameter;
    m->nxp = m->nx + m->np;
    return PERP_OK;
}

void pp_mpec_read_state(const pp_mpec *m, const perp_world *w, double *x) {
    const pp_state *s = &w->state;
    int dim = w->def.dim;
    for (int k = 0; k < m->nblock; k++) {
        int slot = m->block_body[k];
        double *q = x + m->block_offset[k], *v = q + m->ndof;
        const perp_vec3 p = s->X[slot].p, u = s->v[slot];
        q[0] = p.x, q[1] = p.y, v[0] = u.x, v[1] = u.y;
        if (m->block_ndof[k] != 3) continue;
        q[2] = dim == 2 ? s->theta[slot] : p.z;
        v[2] = dim == 2 ? s->w[slot].z : u.z;
    }
}

/* 2D and particles: as pp_shift_block() writes it. */
void pp_mpec_write_state(const pp_mpec *m, perp_world *w, int step, const double *x) {
    pp_state *s = &w->state;
    int dim = w->def.dim;
    s->t = m->t0 + step * m->h;
    s->step = (uint64_t)step;
    for (int k = 0; k < m->nblock; k++) {
        int slot = m->block_body[k];
        const double *q = x + m->block_offset[k], *v = q + m->ndof;
        bool more = m->block_ndof[k] == 3;
        s->X[slot].p = perp_v3(q[0], q[1], dim == 3 ? q[2] : 0);
        s->v[slot] = perp_v3(v[0], v[1], dim == 3 ? v[2] : 0);
        if (dim == 3 || !more) continue;
        s->theta[slot] = q[2];
        s->X[slot].q = (perp_quat){pp_cos(q[2] / 2), 0, 0, pp_sin(q[2] / 2)};
        s->w[slot] = perp_v3(0, 0, v[2]);
    }
}

/* ---- the world at parameters and states ---- */

perp_status pp_mpec_at(pp_mpec *m, const double *parameter) {
    if (m->w && memcmp(m->at, parameter, (size_t)m->np * sizeof *m->at) == 0) return PERP_OK;
    perp_status st = perp_world_set_state(m->clone, m->saved, m->saved_size);
    m->w = m->clone;
    if (m->np > 0 && !st) st = m->p->set(&m->w, parameter, m->p->ctx);
    if (st || !m->w) {
        if (!m->why[0])
            (void)pp_refuse(m->why, m->why_size, st, "setting the parameters failed: %s",
                            m->w && perp_world_why(m->w)[0] ? perp_world_why(m->w) : perp_status_text(st));
        m->w = NULL;
        return st ? st : PERP_E_ARG;
    }
    if (m->w->nbody != m->clone->nbody || m->w->def.dim != m->clone->def.dim || m->w->def.h != m->clone->def.h) {
        m->w = NULL;
        return pp_refuse(m->why, m->why_size, PERP_E_FIT,
                         "the world with other parameters has other bodies, another dimension or another step");
    }
    if (m->w->chosen.start_automatic && m->w->def.start == PERP_START_STAGGERED) pp_make_plain(m->w);
    memcpy(m->at, parameter, (size_t)m->np * sizeof *m->at);
    pp_mpec_read_state(m, m->w, m->x_start);
    return PERP_OK;
}

static perp_status pose(pp_mpec *m, int k, const double *x, pp_posed *out) {
    pp_mpec_write_state(m, m->w, k, x);
    perp_status st = pp_world_pose(m->w, m->margin, out);
    return st ? pp_refuse(m->why, m->why_size, st, "step %d: %s", k, perp_world_why(m->w)) : PERP_OK;
}

perp_status pp_mpec_pose(pp_mpec *m, int k, const double *x, const perp_step_problem **out) {
    for (int i = 0; i < m->nx; i++)
        if (!isfinite(x[i])) return pp_refuse(m->why, m->why_size, PERP_E_SOLVE, "a state is not finite");
    pp_posed posed;
    perp_status st = pose(m, k, x, &posed);
    if (!st) st = pp_mpec_same_contacts(m, k, &posed);
    *out = st ? NULL : posed.problem;
    return st;
}

/* ---- numbers ---- */

/* Ten times the extent of what was measured and of the start, beyond which nothing of interest happens. */
static double wide_margin(const pp_mpec *m) {
    double most = 0;
    for (int i = 0; i < m->ndof; i++) most = fmax(most, fabs(m->x_start[i]));
    for (int i = 0; i < m->p->nrow; i++)
        if (m->p->row[i].coordinate < PERP_MPEC_ANGLE) most = fmax(most, fabs(m->p->row[i].value));
    for (int i = 0; i < m->clone->nshape; i++)
        if (pp_alive(m->clone->shape[i].gen) && isfinite(m->clone->shape[i].radius_B))
            most = fmax(most, m->clone->shape[i].radius_B);
    return 10 * fmax(most, DBL_MIN);
}

/* Units of impulse and speed: what the forces, or known normal impulses, do in one step; without any, the momentum. */
static void choose_units(pp_mpec *m, const perp_step_problem *p) {
    double force = 0, momentum = 0, mass = 0;
    for (int b = 0; b < p->nblock; b++) {
        double f = 0, mv = 0;
        const double *M = p->M + 36 * (ptrdiff_t)b;
        for (int i = 0; i < m->w->def.dim && i < p->block_ndof[b]; i++) {
            int at = p->block_offset[b] + i;
            double part = M[7 * i] * m->x_start[m->ndof + at], kick = p->momentum[at] - part;
            f += kick * kick;
            mv += part * part;
        }
        if (sqrt(f) > force) force = sqrt(f), mass = M[0];
        if (!(force > 0) && sqrt(mv) >= momentum) momentum = sqrt(mv), mass = M[0];
    }
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        if (m->contact[i].known_normal && -c->b_n / c->compliance > force) force = -c->b_n / c->compliance;
    }
    m->impulse = force > 0 ? force : momentum > 0 ? momentum : mass * fmax(wide_margin(m), DBL_MIN) / m->h;
    m->speed = m->impulse / mass;
    for (int b = 0; b < p->nblock; b++) {
        const double *M = p->M + 36 * (ptrdiff_t)b;
        for (int i = 0; i < p->block_ndof[b]; i++)
            m->momentum_unit[p->block_offset[b] + i] = m->impulse * sqrt(M[7 * i] / M[0]);
    }
}

static perp_status lists(pp_mpec *m, const perp_step_problem *p) {
    size_t contacts = (size_t)p->ncontact, directions = 2;
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].nd > (int)directions) directions = (size_t)p->contact[i].nd;
    m->contact = PP_ARENA_ZERO(&m->arena, pp_mpec_contact, p->ncontact);
    m->product = PP_ARENA_ARRAY(&m->arena, pp_cell, (int)(contacts * (2 + directions)));
    m->momentum_unit = PP_ARENA_ARRAY(&m->arena, double, m->ndof);
    return m->contact && m->product && m->momentum_unit ? PERP_OK : refuse_memory(m);
}

/* Places of the derivatives by u, and room for what evaluations need. */
static perp_status room(pp_mpec *m, const perp_step_problem *p) {
    pp_arena *a = &m->arena;
    double *u = PP_ARENA_ZERO(a, double, m->nu);
    m->y = PP_ARENA_ZERO(a, double, m->nlaw);
    for (int i = 0; i < 4; i++) m->c[i] = PP_ARENA_ZERO(a, double, m->nlaw);
    for (int i = 0; i < 2; i++) m->x[i] = PP_ARENA_ZERO(a, double, m->nxp);
    for (int i = 0; i < 2; i++) m->gradient[i] = PP_ARENA_ZERO(a, double, m->nu);
    if (!u || !m->y || !m->c[3] || !m->c[2] || !m->c[1] || !m->c[0] || !m->x[0] || !m->x[1] || !m->gradient[0] ||
        !m->gradient[1])
        return refuse_memory(m);
    m->du.n = pp_mpec_laws(m, p, u, m->c[0], NULL, NULL);
    m->duu.n = pp_mpec_curvature(m, p, u, m->y, NULL, NULL);
    m->du.cell = PP_ARENA_ARRAY(a, pp_cell, m->du.n);
    m->duu.cell = PP_ARENA_ARRAY(a, pp_cell, m->duu.n);
    for (int i = 0; i < 4; i++) m->value[i] = PP_ARENA_ZERO(a, double, m->du.n > m->duu.n ? m->du.n : m->duu.n);
    if (!m->du.cell || !m->duu.cell || !m->value[0] || !m->value[1] || !m->value[2] || !m->value[3])
        return refuse_memory(m);
    (void)pp_mpec_laws(m, p, u, m->c[0], NULL, m->du.cell);
    (void)pp_mpec_curvature(m, p, u, m->y, NULL, m->duu.cell);
    return PERP_OK;
}

static perp_status number_step(pp_mpec *m) {
    pp_posed posed;
    perp_status st = pose(m, 0, m->x_start, &posed);
    if (!st) st = lists(m, posed.problem);
    if (!st) st = pp_mpec_number(m, &posed);
    if (st) return st;
    choose_units(m, posed.problem);
    return room(m, posed.problem);
}

perp_status pp_mpec_build(pp_mpec *m) {
    perp_status st = check_options(m);
    if (!st) st = pp_posable(m->p->world, m->why, m->why_size);
    if (st) return st;
    st = perp_world_clone(m->p->world, &m->clone);
    if (st) return pp_refuse(m->why, m->why_size, st, "the world could not be cloned: %s", perp_status_text(st));
    m->steps = m->p->steps;
    if (m->clone->chosen.start_automatic && m->clone->def.start == PERP_START_STAGGERED)
        pp_make_plain(m->clone); /* the program has plain steps */
    m->t0 = perp_world_time(m->clone);
    m->h = perp_world_h(m->clone);
    m->saved_size = perp_world_state_size(m->clone);
    m->saved = pp_arena_get(&m->arena, m->saved_size);
    if (!m->saved) return refuse_memory(m);
    (void)perp_world_get_state(m->clone, m->saved, m->saved_size);
    st = find_bodies(m);
    if (!st) st = check_parameters(m);
    if (!st) st = check_rows(m);
    if (st) return st;
    m->at = PP_ARENA_ARRAY(&m->arena, double, m->np);
    m->x_start = PP_ARENA_ZERO(&m->arena, double, m->nx);
    double *start = PP_ARENA_ARRAY(&m->arena, double, m->np);
    if (!m->at || !m->x_start || !start) return refuse_memory(m);
    for (int i = 0; i < m->np; i++) start[i] = pp_mpec_parameter_start(&m->p->parameter[i]);
    st = pp_mpec_at(m, start);
    if (st) return st;
    m->margin = m->p->margin > 0 ? m->p->margin : wide_margin(m);
    return number_step(m);
}

void pp_mpec_release(pp_mpec *m) {
    if (m->clone) perp_world_destroy(m->clone);
    m->clone = m->w = NULL;
    pp_arena_free(&m->arena);
}

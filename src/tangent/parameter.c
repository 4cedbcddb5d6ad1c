/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* parameter.c - parameters of a world by name: where they are stored, how they are changed and restored
 *
 * A change writes directly to the numbers that the stages read. Nothing else in the world changes: impulses stored for warm
 * starts stay, and a change can be undone to the bit. */
#include "tangent/tangent_internal.h"

/* Called for each number that a parameter stands for. */
typedef bool (*on_place)(double *x, void *ctx);

static double *component(perp_vec3 *force, perp_vec3 *torque, int index) {
    perp_vec3 *v = index < 3 ? force : torque;
    return index % 3 == 0 ? &v->x : index % 3 == 1 ? &v->y : &v->z;
}

static perp_status no_such(perp_world *w, const char *what) { return pp_fail(w, PERP_E_ARG, "parameter: %s", what); }

static bool index_within(const perp_parameter *p, int lo, int hi) { return p->index >= lo && p->index <= hi; }

static bool is_of_pair(perp_parameter_kind k) { return k == PERP_PARAMETER_MU || k == PERP_PARAMETER_RESTITUTION; }

static perp_status check_body(perp_world *w, const perp_parameter *p) {
    int slot = pp_body_slot(w, p->body);
    if (slot < 0) return no_such(w, "the body id is stale or was never given");
    const pp_body *b = &w->body[slot];
    if (b->kind != PERP_BODY_DYNAMIC) return no_such(w, "the body is not dynamic");
    if (p->kind == PERP_PARAMETER_SUPPORT_MU && !b->support) return no_such(w, "the body rests on no support");
    if (p->kind == PERP_PARAMETER_SUPPORT_MU && !index_within(p, -1, 2))
        return no_such(w, "a support has points 0 to 2, or -1 for all");
    if (p->kind == PERP_PARAMETER_INERTIA && b->particle) return no_such(w, "a particle has no inertia");
    bool planar = w->def.dim == 2;
    if (p->kind == PERP_PARAMETER_INERTIA && !(planar ? p->index == 2 : index_within(p, 0, 5)))
        return no_such(w, "index of inertia is 0 to 5 in 3D, 2 in 2D");
    if (p->kind == PERP_PARAMETER_FORCE && !index_within(p, 0, 5)) return no_such(w, "index of a force is 0 to 5");
    return PERP_OK;
}

static perp_status check_force(perp_world *w, const perp_parameter *p) {
    int slot = pp_force_slot(w, p->force);
    if (slot < 0) return no_such(w, "the id of the force element is stale or was never given");
    perp_force_kind k = w->force[slot].def.kind;
    if (p->kind == PERP_PARAMETER_TARGET && k != PERP_FORCE_PD) return no_such(w, "only a PD controller has a target");
    if (p->kind == PERP_PARAMETER_ELEMENT && k != PERP_FORCE_CONSTANT && k != PERP_FORCE_SINUSOID)
        return no_such(w, "only constant and sinusoid force elements have a wrench");
    if (p->kind == PERP_PARAMETER_ELEMENT && !index_within(p, 0, 5)) return no_such(w, "index of a wrench is 0 to 5");
    if (p->kind != PERP_PARAMETER_TARGET && p->kind != PERP_PARAMETER_ELEMENT && k != PERP_FORCE_SPRING)
        return no_such(w, "the force element is no spring");
    return PERP_OK;
}

static perp_status check_joint(perp_world *w, const perp_parameter *p) {
    int slot = pp_joint_slot(w, p->joint);
    if (slot < 0) return no_such(w, "the joint id is stale or was never given");
    const perp_joint_def *d = &w->joint[slot].def;
    if (!index_within(p, 0, perp_joint_ncoord(d->kind, w->def.dim) - 1))
        return no_such(w, "the joint has no such coordinate");
    const perp_joint_axis *a = &d->axis[p->index];
    bool motor = p->kind == PERP_PARAMETER_MOTOR_SPEED || p->kind == PERP_PARAMETER_MOTOR_FORCE;
    if (motor && !a->motor) return no_such(w, "the coordinate of the joint has no motor");
    if (p->kind == PERP_PARAMETER_MOTOR_FORCE && !(isfinite(a->motor_force) && a->motor_force > 0))
        return no_such(w, "the motor's force is not finite, or 0");
    if (p->kind == PERP_PARAMETER_JOINT_FRICTION && !(a->friction > 0)) return no_such(w, "the joint has no friction");
    bool spring =
        p->kind == PERP_PARAMETER_STIFFNESS || p->kind == PERP_PARAMETER_REST || p->kind == PERP_PARAMETER_DAMPING;
    if (spring && !(a->stiffness > 0 || a->damping > 0)) return no_such(w, "the coordinate of the joint has no spring");
    return PERP_OK;
}

static perp_status check_pair(perp_world *w, const perp_parameter *p) {
    const int *m = p->material;
    bool all = m[0] == -1 && m[1] == -1;
    if (!all && !(m[0] >= 0 && m[0] < w->nmaterial && m[1] >= 0 && m[1] < w->nmaterial))
        return no_such(w, "there is no such material");
    return PERP_OK;
}

static perp_status check_exists(perp_world *w, const perp_parameter *p) {
    switch (p->kind) {
    case PERP_PARAMETER_MU:
    case PERP_PARAMETER_RESTITUTION: return check_pair(w, p);
    case PERP_PARAMETER_SUPPORT_MU:
    case PERP_PARAMETER_MASS:
    case PERP_PARAMETER_INERTIA:
    case PERP_PARAMETER_FORCE: return check_body(w, p);
    case PERP_PARAMETER_GRAVITY: return index_within(p, 0, 2) ? PERP_OK : no_such(w, "index of gravity is 0 to 2");
    case PERP_PARAMETER_PRESS: return PERP_OK;
    case PERP_PARAMETER_ELEMENT:
    case PERP_PARAMETER_TARGET: return check_force(w, p);
    case PERP_PARAMETER_STIFFNESS:
    case PERP_PARAMETER_REST:
    case PERP_PARAMETER_DAMPING: return p->force.gen ? check_force(w, p) : check_joint(w, p);
    case PERP_PARAMETER_MOTOR_SPEED:
    case PERP_PARAMETER_MOTOR_FORCE:
    case PERP_PARAMETER_JOINT_FRICTION: return check_joint(w, p);
    case PERP_PARAMETER_KIND_COUNT: break;
    }
    return no_such(w, "there is no such kind");
}

static double *inertia_entry(perp_mat3 *I, int index) {
    switch (index) {
    case 0: return &I->c[0].x;
    case 1: return &I->c[1].y;
    case 2: return &I->c[2].z;
    case 3: return &I->c[1].x;
    case 4: return &I->c[2].x;
    default: return &I->c[2].y;
    }
}

/* Laws of one pair of materials, in both orders, or of all. */
static bool each_law(perp_world *w, const perp_parameter *p, on_place on, void *ctx) {
    const int n = w->nmaterial, *m = p->material;
    bool ok = true;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            if (m[0] >= 0 && !((a == m[0] && b == m[1]) || (a == m[1] && b == m[0]))) continue;
            perp_pair_law *law = &w->law[a * n + b];
            ok = ok && on(p->kind == PERP_PARAMETER_MU ? &law->mu : &law->restitution, ctx);
        }
    return ok;
}

static bool each_of_axis(perp_world *w, const perp_parameter *p, on_place on, void *ctx) {
    perp_joint_axis *a = &w->joint[pp_joint_slot(w, p->joint)].def.axis[p->index];
    switch (p->kind) {
    case PERP_PARAMETER_STIFFNESS: return on(&a->stiffness, ctx);
    case PERP_PARAMETER_REST: return on(&a->rest, ctx);
    case PERP_PARAMETER_DAMPING: return on(&a->damping, ctx);
    case PERP_PARAMETER_MOTOR_SPEED: return on(&a->motor_speed, ctx);
    case PERP_PARAMETER_MOTOR_FORCE: return on(&a->motor_force, ctx);
    default: return on(&a->friction, ctx);
    }
}

static bool each_of_element(perp_world *w, const perp_parameter *p, on_place on, void *ctx) {
    perp_force_def *d = &w->force[pp_force_slot(w, p->force)].def;
    switch (p->kind) {
    case PERP_PARAMETER_ELEMENT: return on(component(&d->wrench.force, &d->wrench.torque, p->index), ctx);
    case PERP_PARAMETER_TARGET: return on(&d->target, ctx);
    case PERP_PARAMETER_STIFFNESS: return on(&d->stiffness, ctx);
    case PERP_PARAMETER_REST: return on(&d->rest_length, ctx);
    default: return on(&d->damping, ctx);
    }
}

/* Calls `on` for all numbers that a parameter stands for; the parameter has been checked. False: `on` returned false. */
static bool each_place(perp_world *w, const perp_parameter *p, on_place on, void *ctx) {
    pp_body *b = p->body.gen ? &w->body[pp_body_slot(w, p->body)] : NULL;
    perp_vec3 none;
    switch (p->kind) {
    case PERP_PARAMETER_MU:
    case PERP_PARAMETER_RESTITUTION: return each_law(w, p, on, ctx);
    case PERP_PARAMETER_GRAVITY: return on(component(&w->def.gravity_W, &none, p->index), ctx);
    case PERP_PARAMETER_PRESS: return on(&w->def.press, ctx);
    case PERP_PARAMETER_SUPPORT_MU: {
        bool ok = true;
        for (int i = 0; i < 3; i++)
            if (p->index < 0 || p->index == i) ok = ok && on(&b->support[i].mu, ctx);
        return ok;
    }
    case PERP_PARAMETER_MASS: return on(&b->mass, ctx);
    case PERP_PARAMETER_INERTIA: return on(inertia_entry(&b->I_B, p->index), ctx);
    case PERP_PARAMETER_FORCE: return on(component(&b->force_W, &b->torque_W, p->index), ctx);
    default: return p->force.gen ? each_of_element(w, p, on, ctx) : each_of_axis(w, p, on, ctx);
    }
}

/* Values that a parameter has in its places. */
typedef struct values {
    double first, least, most;
    int n;
} values;

static bool look_at(double *x, void *ctx) {
    values *v = ctx;
    if (v->n++ == 0) *v = (values){*x, *x, *x, 1};
    v->least = fmin(v->least, *x);
    v->most = fmax(v->most, *x);
    return true;
}

perp_status pp_parameter_check(perp_world *w, const perp_parameter *p, bool both_ways) {
    if (!p) return no_such(w, "NULL");
    perp_status st = check_exists(w, p);
    if (st || !both_ways) return st;
    values v = {0};
    each_place(w, p, look_at, &v);
    bool positive = is_of_pair(p->kind) || p->kind == PERP_PARAMETER_SUPPORT_MU ||
                    p->kind == PERP_PARAMETER_STIFFNESS || p->kind == PERP_PARAMETER_DAMPING;
    if (positive && !(v.least > 0))
        return pp_fail(
            w, PERP_E_ARG,
            "parameter: its value is %g, at the end of its range: there it has a derivative to one side only", v.least);
    if (p->kind == PERP_PARAMETER_RESTITUTION && !(v.most < 1))
        return no_such(w, "restitution is 1, the end of its range: there it has a derivative to one side only");
    return PERP_OK;
}

perp_status perp_parameter_get(perp_world *w, const perp_parameter *p, double *value) {
    if (!value) return no_such(w, "value is NULL");
    perp_status st = pp_parameter_check(w, p, false);
    if (st) return st;
    values v = {0};
    each_place(w, p, look_at, &v);
    *value = v.first;
    return PERP_OK;
}

/* Context of `push`. */
typedef struct pushing {
    pp_arena *arena;
    double by;
    pp_moved **moved; /* NULL: not kept */
} pushing;

static pp_moved *keep(pushing *k) {
    pp_moved *m = PP_ARENA_ZERO(k->arena, pp_moved, 1);
    if (!m) return NULL;
    m->before = *k->moved;
    *k->moved = m;
    return m;
}

static bool push(double *x, void *ctx) {
    pushing *k = ctx;
    if (k->moved) {
        pp_moved *m = keep(k);
        if (!m) return false;
        m->place = x;
        m->value = *x;
    }
    *x += k->by;
    return true;
}

/* The inertia of a body and what is derived from it. In 2D nothing is. */
static bool push_inertia(perp_world *w, const perp_parameter *p, pushing *k) {
    pp_body *b = &w->body[pp_body_slot(w, p->body)];
    if (k->moved) {
        pp_moved *m = keep(k);
        if (!m) return false;
        m->body = b;
        m->whole = *b;
    }
    *inertia_entry(&b->I_B, p->index) += k->by;
    if (w->def.dim == 2) return true;
    b->I_B.c[0].y = b->I_B.c[1].x;
    b->I_B.c[0].z = b->I_B.c[2].x;
    b->I_B.c[1].z = b->I_B.c[2].y;
    b->I_inv_B = perp_m3_inverse(b->I_B);
    b->isotropic = false;
    return true;
}

perp_status pp_parameters_move(const perp_tangent *t, perp_world *w, int direction, double by, pp_moved **moved) {
    for (int i = 0; i < t->nseed; i++) {
        const pp_seed *s = &t->seed[i];
        if (s->direction != direction) continue;
        pushing k = {.arena = &w->arena, .by = by * s->rate, .moved = moved};
        bool inertia = s->parameter.kind == PERP_PARAMETER_INERTIA;
        if (!(inertia ? push_inertia(w, &s->parameter, &k) : each_place(w, &s->parameter, push, &k)))
            return pp_fail(w, PERP_E_MEMORY, "out of memory for a direction");
    }
    return PERP_OK;
}

void pp_parameters_back(pp_moved *moved) {
    for (; moved; moved = moved->before) {
        if (moved->body)
            *moved->body = moved->whole;
        else
            *moved->place = moved->value;
    }
}

double pp_parameters_size(const perp_tangent *t, perp_world *w, int direction) {
    double size = 0;
    for (int i = 0; i < t->nseed; i++) {
        const pp_seed *s = &t->seed[i];
        if (s->direction != direction) continue;
        values v = {0};
        each_place(w, &s->parameter, look_at, &v);
        double least = fmin(fabs(v.least), fabs(v.most));
        if (s->parameter.kind == PERP_PARAMETER_INERTIA) { /* an entry beside the diagonal may be 0 */
            const perp_mat3 *I = &w->body[pp_body_slot(w, s->parameter.body)].I_B;
            least = w->def.dim == 2 ? I->c[2].z : fmin(I->c[0].x, fmin(I->c[1].y, I->c[2].z));
        }
        size = fmax(size, fabs(s->rate) / (least > 0 ? least : 1));
    }
    return size;
}

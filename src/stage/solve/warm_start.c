/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* warm_start.c - remembers impulses from step to step, matched by contact identity
 *
 * Method   Contacts are ordered by (shape A, shape B, feature), so one merge matches the lists of two steps. Impulses are stored in world axes,
 *          because the tangent frame rotates with the normal. */
#include <string.h>

#include "model/actuator.h"
#include "model/coupling.h"
#include "stage/solve/give_way.h"
#include "stage/solve/motor_yield.h"
#include "stage/frame.h"
#include "stage/solve/sense.h"
#include "stage/solve/solve.h"

static int compare_contact(const pp_memory_contact *m, uint32_t a, uint32_t b, uint64_t feature) {
    if (m->slot_a != a) return m->slot_a < a ? -1 : 1;
    if (m->slot_b != b) return m->slot_b < b ? -1 : 1;
    return m->feature < feature ? -1 : m->feature > feature;
}

static uint32_t joint_key(const pp_frame *f, int row) {
    return (uint32_t)f->pose.problem.joint[row].joint * PP_JOINT_MAX_ROWS + (uint32_t)f->pose.row_number[row];
}

/* Where the row with this key is remembered, searched from j on and then from the beginning; j if it is not. */
static int place_of_key(const pp_warm *m, int j, uint32_t key) {
    for (int k = 0; k < m->njoint; k++) {
        int at = j + k < m->njoint ? j + k : j + k - m->njoint;
        if (m->joint[at].key == key) return at;
    }
    return j;
}

void pp_recall(const pp_frame *f, const pp_warm *m, perp_step_solution *guess) {
    double part = f->task.half && !m ? 0.5 : 1; /* the memory contains impulses of a whole step */
    if (!m) m = &f->w->warm;
    int k = 0;
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_contact *c = &f->contacts.at[i];
        double *p = guess->p_contact + 3 * i;
        p[0] = p[1] = p[2] = guess->sigma[i] = guess->p_spin[i] = guess->p_roll[2 * i] = guess->p_roll[2 * i + 1] = 0;
        int order = 1;
        for (; k < m->ncontact; k++) {
            order = compare_contact(&m->contact[k], c->a.slot, c->b.slot, c->feature);
            if (order >= 0) break;
        }
        if (k == m->ncontact || order != 0) continue;
        perp_vec3 P = {part * m->contact[k].p[0], part * m->contact[k].p[1], part * m->contact[k].p[2]};
        p[0] = fmax(0, perp_v3_dot(P, c->n_W));
        p[1] = perp_v3_dot(P, c->t_W);
        p[2] = perp_v3_dot(P, c->o_W);
        guess->sigma[i] = m->contact[k].sigma;
        guess->p_spin[i] = part * m->contact[k].spin;
        const double *roll = m->contact[k].roll;
        guess->p_roll[2 * i] = part * perp_v3_dot(perp_v3(roll[0], roll[1], roll[2]), c->t_W);
        guess->p_roll[2 * i + 1] = part * perp_v3_dot(perp_v3(roll[0], roll[1], roll[2]), c->o_W);
    }
    for (int i = f->contacts.n; i < f->pose.problem.ncontact; i++) { /* supports: the pressure is known */
        const perp_contact_row *c = &f->pose.problem.contact[i];
        double *p = guess->p_contact + 3 * i;
        p[0] = -c->b_n / c->compliance;
        p[1] = p[2] = guess->sigma[i] = guess->p_spin[i] = guess->p_roll[2 * i] = guess->p_roll[2 * i + 1] = 0;
    }
    uint32_t last = 0;
    for (int i = 0, j = 0; i < f->pose.problem.njoint; i++) {
        guess->p_joint[i] = 0;
        if (f->pose.problem.joint[i].joint < 0) continue; /* belongs to no joint: not remembered */
        uint32_t key = joint_key(f, i);
        if (key < last) /* the first row of servos, or of rotors, which come after those of all joints */
            j = place_of_key(m, j, key);
        else
            while (j < m->njoint && m->joint[j].key < key) j++;
        if (j < m->njoint && m->joint[j].key == key) guess->p_joint[i] = part * m->joint[j].p;
        last = key;
    }
}

/* Looks in the contacts of the previous substep. */
static bool recall_from_part(const pp_frame *part, const perp_contact *c, perp_vec3 *layer, bool *pressed) {
    for (int i = 0; i < part->contacts.n; i++) {
        const perp_contact *e = &part->contacts.at[i];
        if (e->a.slot != c->a.slot || e->b.slot != c->b.slot || e->feature != c->feature) continue;
        *layer = part->method.layer ? part->method.layer[i] : perp_v3(0, 0, 0);
        *pressed = part->solve.solution.p_contact[3 * i] > 0;
        return true;
    }
    return false;
}

bool pp_recall_layer(const pp_frame *f, const perp_contact *c, perp_vec3 *layer, bool *pressed) {
    if (f->s0->made_by) return recall_from_part(f->s0->made_by, c, layer, pressed);
    const pp_warm *m = &f->w->warm;
    for (int i = 0; i < m->ncontact; i++) {
        const pp_memory_contact *e = &m->contact[i];
        if (compare_contact(e, c->a.slot, c->b.slot, c->feature) != 0) continue;
        *layer = perp_v3(e->layer[0], e->layer[1], e->layer[2]);
        *pressed = e->p[0] != 0 || e->p[1] != 0 || e->p[2] != 0;
        return true;
    }
    return false;
}

static void write_memory(const pp_frame *f, pp_warm *m) {
    m->ncontact = f->contacts.n;
    m->njoint = f->pose.problem.njoint - f->demand.nchain_damping; /* chain damping rows are the last */
    for (int i = 0; i < m->ncontact; i++) {
        const perp_contact *c = &f->contacts.at[i];
        const double *p = f->solve.solution.p_contact + 3 * i;
        perp_vec3 P = perp_v3_add(perp_v3_scale(p[0], c->n_W),
                                  perp_v3_add(perp_v3_scale(p[1], c->t_W), perp_v3_scale(p[2], c->o_W)));
        perp_vec3 d = f->method.layer ? f->method.layer[i] : perp_v3(0, 0, 0), roll = pp_roll_impulse_W(f, i);
        m->contact[i] = (pp_memory_contact){.slot_a = c->a.slot,
                                            .slot_b = c->b.slot,
                                            .feature = c->feature,
                                            .plane = f->contacts.plane ? f->contacts.plane[i] : 0,
                                            .p = {P.x, P.y, P.z},
                                            .layer = {d.x, d.y, d.z},
                                            .sigma = f->solve.solution.sigma[i],
                                            .spin = pp_spin_impulse(f, i),
                                            .roll = {roll.x, roll.y, roll.z}};
    }
    for (int i = 0; i < m->njoint; i++)
        m->joint[i] = (pp_memory_joint){
            .p = f->solve.solution.p_joint[i], .key = joint_key(f, i), .yielded = pp_motor_was_limited(f, i)};
}

static bool make_room(const pp_frame *f, pp_warm *m) {
    const perp_allocator *a = &f->w->alloc;
    int nc = f->contacts.n, nj = f->pose.problem.njoint;
    return PP_GROW(a, m->contact, m->cap_contact, m->cap_contact, nc) &&
           PP_GROW(a, m->joint, m->cap_joint, m->cap_joint, nj);
}

bool pp_remember_try(const pp_frame *f, pp_warm *m) {
    if (!make_room(f, m)) return false;
    write_memory(f, m);
    return true;
}

perp_status pp_reserve(pp_frame *f) {
    perp_world *w = f->w;
    bool ok =
        make_room(f, &w->warm) &&
        PP_GROW(&w->alloc, w->last.contact, w->last.cap_contact, w->last.cap_contact, f->contacts.n) &&
        PP_GROW(&w->alloc, w->last.joint_impulse, w->last.cap_joint_impulse, w->last.cap_joint_impulse, w->njoint);
    return ok ? PERP_OK : pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
}

/* Stores the impulses of actuators: servos from their rows, forces as given. */
static void remember_actuators(const pp_frame *f, bool add) {
    perp_world *w = f->w;
    for (int i = 0; i < w->robot.nactuator; i++) {
        pp_actuator *a = &w->robot.actuator[i];
        pp_servo s = pp_servo_of(&a->def);
        if (!add) a->impulse = a->span = 0;
        a->span += f->h;
        if (!pp_servo_acts_back(&s)) a->impulse += f->h * pp_servo_force(&s);
    }
    for (int i = 0; w->robot.nactuator && i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        if (r->joint >= 0 && pp_row_is_servo(f, i))
            w->robot.actuator[w->joint[r->joint].actuator[r->coord]].impulse += f->solve.solution.p_joint[i];
    }
}

void pp_remember(pp_frame *f, bool add_joint_impulses) {
    perp_world *w = f->w;
    write_memory(f, &w->warm);
    w->last.ncontact = f->contacts.n;
    for (int i = 0; i < f->contacts.n; i++) w->last.contact[i] = f->contacts.at[i];
    if (!add_joint_impulses && w->njoint)
        memset(w->last.joint_impulse, 0, (size_t)w->njoint * sizeof *w->last.joint_impulse);
    remember_actuators(f, add_joint_impulses);
    pp_sense_impulses(f, add_joint_impulses);
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        if (r->joint < 0) continue;
        perp_wrench *sum = &w->last.joint_impulse[r->joint];
        double shown = pp_shown_impulse(&f->solve, i);
        /* a coupling has no bodies of its own: the impulse along its coordinate */
        if (pp_couples(&w->joint[r->joint])) {
            sum->force.x += r->against ? -shown : shown;
            continue;
        }
        pp_joint_side b = pp_side(w, f->s0, w->joint[r->joint].b, f->control.block);
        perp_wrench p = pp_joint_row_wrench(r, w->def.dim, &b, &w->joint[r->joint].def, shown);
        sum->force = perp_v3_add(sum->force, p.force);
        sum->torque = perp_v3_add(sum->torque, p.torque);
    }
}

/* ---- a step that was divided at impacts ---- */

perp_status pp_reserve_sum(pp_frame *const *frame, int n) {
    perp_world *w = frame[0]->w;
    int most = 0;
    for (int i = 0; i < n; i++) most += frame[i]->contacts.n;
    pp_warm *m = &w->warm;
    bool ok = PP_GROW(&w->alloc, m->contact, m->cap_contact, m->cap_contact, most) &&
              PP_GROW(&w->alloc, w->last.contact, w->last.cap_contact, w->last.cap_contact, most);
    return ok ? PERP_OK : pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", most);
}

/* Position of contact c in the sorted list of the world, or where it must be inserted. */
static int place_of(const perp_world *w, const perp_contact *c, bool *there) {
    int lo = 0, hi = w->last.ncontact;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (compare_contact(&w->warm.contact[mid], c->a.slot, c->b.slot, c->feature) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *there = lo < w->last.ncontact && compare_contact(&w->warm.contact[lo], c->a.slot, c->b.slot, c->feature) == 0;
    return lo;
}

/* Adds the contacts of a frame to the sorted contacts of the world. */
static void add_contacts(const pp_frame *f) {
    perp_world *w = f->w;
    pp_warm *m = &w->warm;
    for (int i = 0; i < f->contacts.n; i++) {
        perp_contact c = f->contacts.at[i];
        bool there;
        int at = place_of(w, &c, &there);
        perp_vec3 P = {0, 0, 0}, roll = pp_roll_impulse_W(f, i);
        double spin = pp_spin_impulse(f, i);
        const double *p = f->solve.solution.p_contact + 3 * i;
        P = perp_v3_add(perp_v3_scale(p[0], c.n_W),
                        perp_v3_add(perp_v3_scale(p[1], c.t_W), perp_v3_scale(p[2], c.o_W)));
        if (there) {
            const double *q = m->contact[at].p;
            P = perp_v3_add(P, perp_v3(q[0], q[1], q[2]));
            spin += m->contact[at].spin;
            roll = perp_v3_add(roll, perp_v3(m->contact[at].roll[0], m->contact[at].roll[1], m->contact[at].roll[2]));
        } else {
            memmove(m->contact + at + 1, m->contact + at, (size_t)(w->last.ncontact - at) * sizeof *m->contact);
            memmove(w->last.contact + at + 1, w->last.contact + at,
                    (size_t)(w->last.ncontact - at) * sizeof *w->last.contact);
            m->ncontact = ++w->last.ncontact;
        }
        c.impulse_C[0] = perp_v3_dot(P, c.n_W);
        c.impulse_C[1] = perp_v3_dot(P, c.t_W);
        c.impulse_C[2] = perp_v3_dot(P, c.o_W);
        c.spin_impulse = spin;
        c.roll_impulse[0] = perp_v3_dot(roll, c.t_W);
        c.roll_impulse[1] = perp_v3_dot(roll, c.o_W);
        w->last.contact[at] = c;
        m->contact[at] = (pp_memory_contact){.slot_a = c.a.slot,
                                             .slot_b = c.b.slot,
                                             .feature = c.feature,
                                             .plane = f->contacts.plane ? f->contacts.plane[i] : 0,
                                             .p = {P.x, P.y, P.z},
                                             .sigma = f->solve.solution.sigma[i],
                                             .spin = spin,
                                             .roll = {roll.x, roll.y, roll.z}};
    }
}

void pp_remember_sum(pp_frame *const *frame, int n) {
    perp_world *w = frame[0]->w;
    w->last.ncontact = w->warm.ncontact = 0;
    for (int i = 0; i < n; i++) add_contacts(frame[i]);
}

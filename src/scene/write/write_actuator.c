/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_actuator.c - actuators and excluded pairs of a world as entries of a scene. See write_body.c. */
#include "perp/actuator.h"
#include "scene/write/scribe.h"

void pp_mark_actuators(const pp_scribe *s, bool *body, bool *joint) {
    for (int i = 0; i < s->nactuator; i++) {
        perp_actuator_def d;
        if (!perp_actuator_get(s->w, s->actuator[i], &d)) joint[d.joint.slot] = true;
    }
    for (int i = 0; i < perp_world_exclude_count(s->w); i++) {
        perp_body_id a, b;
        if (perp_world_exclude_at(s->w, i, &a, &b)) continue;
        body[a.slot] = body[b.slot] = true;
    }
}

static pp_numbers range(double lo, double hi) {
    return lo == -INFINITY && hi == INFINITY ? (pp_numbers){0} : (pp_numbers){2, {lo, hi}};
}

/* ctrl as a number or an expression; NULL: 0. */
static char *ctrl_of(pp_scribe *s, const perp_actuator_def *d, int i) {
    if (d->ctrl_fn == pp_formula_ctrl) return pp_write_formula(s, d->ctrl_ctx, 0);
    if (d->ctrl_fn) pp_scribe_user(s, "actuators", i, "ctrl", "ctrl of actuator", s->actuator_name[i].text);
    if (d->ctrl == 0) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_number(&t, d->ctrl);
    return pp_text_take(&t);
}

char *pp_write_actuators(pp_scribe *s) {
    if (!s->nactuator) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < s->nactuator && !s->st; i++) {
        perp_actuator_def d;
        if (perp_actuator_get(s->w, s->actuator[i], &d)) continue; /* cannot be: the id was just read */
        pp_actuator_in in;
        pp_put_blank(&pp_map_actuator, &in);
        in.name = s->actuator_name[i];
        in.joint = s->joint_name[d.joint.slot]; /* slots have no gaps */
        in.coordinate = d.coord;
        in.gear = d.gear;
        in.kp = d.kp;
        in.kv = d.kv;
        in.ctrl_scale = d.ctrl_scale;
        in.ctrl_offset = d.ctrl_offset;
        in.ctrl_range = range(d.ctrl_lo, d.ctrl_hi);
        in.force_range = range(d.force_lo, d.force_hi);
        in.joint_force_range = range(d.joint_lo, d.joint_hi);
        char *ctrl = ctrl_of(s, &d, i);
        const pp_nested nested[] = {{"ctrl", ctrl}, {NULL, NULL}};
        pp_text_add(&t, "\n  - ");
        pp_put_map(&t, &pp_map_actuator, s->dim, (int)d.kind, &in, nested);
        pp_free(&s->alloc, ctrl);
    }
    return pp_text_take(&t);
}

char *pp_write_exclude(pp_scribe *s) {
    int n = perp_world_exclude_count(s->w);
    if (!n) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < n; i++) {
        perp_body_id a, b;
        if (perp_world_exclude_at(s->w, i, &a, &b)) continue;
        pp_exclude_in in;
        pp_put_blank(&pp_map_exclude, &in);
        in.a = pp_scribe_body(s, a);
        in.b = pp_scribe_body(s, b);
        pp_text_add(&t, "\n  - ");
        pp_put_map(&t, &pp_map_exclude, s->dim, -1, &in, NULL);
    }
    return pp_text_take(&t);
}

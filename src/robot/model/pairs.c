/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - which shapes may touch, and their friction.
 *
 * MuJoCo tests two geoms if contype of one and conaffinity of the other have a bit in common, either way round. It does not test geoms that
 * move as one, geoms of a parent and its child (unless the parent is fixed to the world), and bodies that an exclude names. perp tests
 * shapes if each one's group has a bit in common with the other's mask. So the shapes are divided into classes with the same partners;
 * the group of each class is one bit, and its mask has the bits of the classes it may touch. Geoms of an explicit pair always touch each other, so each of them
 * is a separate filter. Two bodies with a joint between them never touch in perp. Therefore their shapes need not agree with the model when classes are formed,
 * which keeps the number of classes small.
 * Links of one SDF model do not touch unless one of them has self_collide, and the friction of a pair is the smaller one. */
#include <math.h>
#include <string.h>

#include "robot/model/robot.h"

#define CLASSES 32 /* bits of a group */

enum { OPEN = -1, NO = 0, YES = 1 };

static bool excluded(const pp_import *m, int a, int b) {
    for (int i = 0; i < m->model.nexclude; i++) {
        pp_model_pair e = m->model.exclude[i];
        if ((e.a == a && e.b == b) || (e.a == b && e.b == a)) return true;
    }
    return false;
}

static bool in_exclude(const pp_import *m, int body) {
    for (int i = 0; i < m->model.nexclude; i++)
        if (m->model.exclude[i].a == body || m->model.exclude[i].b == body) return true;
    return false;
}

/* The explicit pair of two geoms; NULL: there is none. */
static const pp_model_pair *paired(const pp_import *m, int a, int b) {
    for (int i = 0; i < m->model.npair && a >= 0 && b >= 0; i++) {
        const pp_model_pair *p = &m->model.pair[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) return p;
    }
    return NULL;
}

/* Whether a pair names the geom. own: only pairs with their own friction. */
static bool in_pair(const pp_import *m, int geom, bool own) {
    for (int i = 0; i < m->model.npair; i++) {
        const pp_model_pair *p = &m->model.pair[i];
        if ((p->a == geom || p->b == geom) && (!own || p->condim > 0 || p->friction[0] >= 0)) return true;
    }
    return false;
}

bool pp_robot_may_touch(const pp_import *m, const pp_filter *a, const pp_filter *b) {
    if (a->link == b->link) return false;
    if (paired(m, a->geom, b->geom)) return true;
    if (!(a->contype & b->conaffinity) && !(b->contype & a->conaffinity)) return false;
    bool joined = m->link[a->link].parent == b->link || m->link[b->link].parent == a->link;
    bool fixed = a->link == 0 || b->link == 0, kin = a->family > 0 && a->family == b->family;
    if (kin && !a->self && !b->self) return false;
    bool urdf = kin || !strcmp(m->model.format, "URDF");
    bool kinematic = m->link[a->link].kinematic || m->link[b->link].kinematic;
    const pp_link *child = m->link[a->link].parent == b->link ? &m->link[a->link] : &m->link[b->link];
    bool by_joint = child->njoint > 0 && m->model.joint[child->joint].kind != PP_FREE;
    if (joined && by_joint && !m->model.filter_parent_off && !kinematic && (!fixed || urdf)) return false;
    return !(a->body >= 0 && b->body >= 0 && excluded(m, a->body, b->body));
}

/* Whether two filters may touch, for the formation of classes; bodies with a joint of perp between them do not matter. */
static int relation(const pp_import *m, const pp_filter *a, const pp_filter *b) {
    if (a->link == b->link) return OPEN;
    bool joined = m->link[a->link].parent == b->link || m->link[b->link].parent == a->link;
    if (joined && a->link != 0 && b->link != 0 && !m->model.filter_parent_off) return OPEN;
    return pp_robot_may_touch(m, a, b) ? YES : NO;
}

static perp_status filter_of(pp_import *m, int geom) {
    pp_model_geom *g = &m->model.geom[geom];
    pp_filter f = {.link = m->link_of[g->body],
                   .body = in_exclude(m, g->body) ? g->body : -1,
                   .geom = in_pair(m, geom, false) ? geom : -1,
                   .family = g->family,
                   .self = g->self,
                   .contype = g->contype,
                   .conaffinity = g->conaffinity};
    for (int i = 0; i < m->nfilter; i++) {
        const pp_filter *k = &m->filter[i];
        if (k->link == f.link && k->body == f.body && k->geom == f.geom && k->family == f.family && k->self == f.self &&
            k->contype == f.contype && k->conaffinity == f.conaffinity) {
            g->filter = i;
            return PERP_OK;
        }
    }
    if (!PP_GROW(&m->alloc, m->filter, m->cap_filter, m->nfilter, m->nfilter + 1)) return pp_robot_no_memory(m);
    g->filter = m->nfilter;
    m->filter[m->nfilter++] = f;
    return PERP_OK;
}

/* Classes while they are formed: for each filter, whether the members of a class may touch it. */
typedef struct forming {
    pp_import *m;
    signed char *want; /* CLASSES x nfilter */
    int nclass, done;  /* filters that have a class: 0 .. done - 1 */
} forming;

static signed char *wants(const forming *o, int class, int filter) { return &o->want[class * o->m->nfilter + filter]; }

/* Number of conflicts in a class if filter f were added: with single filters, and with the members of each class, which have one bit in
 * common. */
static int disagreements(const forming *o, int class, int f) {
    const pp_import *m = o->m;
    int n = 0, seen[CLASSES];
    for (int c = 0; c < o->nclass; c++) seen[c] = OPEN;
    for (int k = 0; k < m->nfilter; k++) {
        int has = *wants(o, class, k), asks = relation(m, &m->filter[f], &m->filter[k]);
        if (has != OPEN && asks != OPEN && has != asks) n++;
        int both = has != OPEN ? has : asks, of = k < o->done ? m->filter[k].bit : k == f ? class : -1;
        if (of < 0 || both == OPEN) continue;
        if (seen[of] != OPEN && seen[of] != both) n++;
        seen[of] = both;
    }
    for (int k = 0; k < o->done; k++) { /* the class itself, seen from its members */
        int has = *wants(o, m->filter[k].bit, f);
        if (m->filter[k].bit == class && has != OPEN && seen[class] != OPEN && has != seen[class]) n++;
    }
    return n;
}

static void join(forming *o, int class, int f) {
    pp_import *m = o->m;
    m->filter[f].bit = class;
    for (int k = 0; k < m->nfilter; k++) {
        int asks = relation(m, &m->filter[f], &m->filter[k]);
        if (*wants(o, class, k) == OPEN) *wants(o, class, k) = (signed char)asks;
    }
    o->done = f + 1;
}

static perp_status form_classes(pp_import *m) {
    int lost = 0;
    size_t size = (size_t)CLASSES * (size_t)(m->nfilter + 1);
    forming o = {.m = m, .want = pp_alloc(&m->alloc, size)};
    if (!o.want) return pp_robot_no_memory(m);
    memset(o.want, OPEN, size);
    for (int f = 0; f < m->nfilter; f++) {
        int best = -1, least = 0;
        for (int c = 0; c < o.nclass && (best < 0 || least > 0); c++) {
            int n = disagreements(&o, c, f);
            if (best >= 0 && n >= least) continue;
            best = c;
            least = n;
        }
        if ((best < 0 || least > 0) && o.nclass < CLASSES) {
            best = o.nclass++;
            least = 0;
        }
        lost += least;
        join(&o, best, f);
    }
    for (int f = 0; f < m->nfilter; f++) {
        m->filter[f].mask = 0;
        for (int k = 0; k < m->nfilter; k++)
            if (*wants(&o, m->filter[f].bit, k) == YES) m->filter[f].mask |= 1u << m->filter[k].bit;
    }
    pp_free(&m->alloc, o.want);
    if (lost == 0) return PERP_OK;
    return pp_robot_note(
        m, PERP_IMPORT_APPROXIMATED, NULL,
        "contact filters need more than %d classes: %d pairs of groups of shapes are filtered otherwise "
        "than the model says",
        CLASSES, lost);
}

static perp_status friction_of(pp_import *m, int geom) {
    pp_model_geom *g = &m->model.geom[geom];
    pp_friction f = {.condim = g->condim, .priority = g->priority, .geom = in_pair(m, geom, true) ? geom : -1};
    memcpy(f.friction, g->friction, sizeof f.friction);
    for (int i = 0; i < m->nfriction; i++)
        if (m->friction[i].condim == f.condim && m->friction[i].priority == f.priority &&
            m->friction[i].geom == f.geom && !memcmp(m->friction[i].friction, f.friction, sizeof f.friction)) {
            g->material = i;
            return PERP_OK;
        }
    if (!PP_GROW(&m->alloc, m->friction, m->cap_friction, m->nfriction, m->nfriction + 1)) return pp_robot_no_memory(m);
    g->material = m->nfriction;
    m->friction[m->nfriction++] = f;
    return PERP_OK;
}

perp_pair_law pp_robot_pair_law(const pp_import *m, const pp_friction *a, const pp_friction *b) {
    const pp_friction *first = a->priority >= b->priority ? a : b, *second = first == a ? b : a;
    bool alone = first->priority != second->priority;
    int condim = alone ? first->condim : first->condim > second->condim ? first->condim : second->condim;
    double f[3];
    for (int i = 0; i < 3; i++)
        f[i] = alone          ? first->friction[i]
               : m->model.sdf ? fmin(first->friction[i], second->friction[i])
                              : fmax(first->friction[i], second->friction[i]);
    const pp_model_pair *own = paired(m, a->geom, b->geom);
    if (own && own->condim > 0) condim = own->condim;
    for (int i = 0; own && i < 3; i++)
        if (own->friction[i] >= 0) f[i] = own->friction[i];
    double mu = condim >= 3 ? f[0] : 0; /* the lengths of a law are multiplied by it */
    return (perp_pair_law){
        .mu = mu, .e_r = condim >= 4 && mu > 0 ? f[1] / mu : 0, .e_roll = condim >= 6 && mu > 0 ? f[2] / mu : 0};
}

perp_status pp_robot_filters(pp_import *m) {
    perp_status s = PERP_OK;
    int pairs = 0;
    for (int i = 0; i < m->model.ngeom && !s; i++) {
        pp_model_geom *g = &m->model.geom[i];
        if (m->model.contact_off) g->contype = g->conaffinity = 0;
        if (!m->model.contact_off && in_pair(m, i, false)) g->visual = false;
        if (g->visual) continue;
        s = filter_of(m, i);
        if (!s) s = friction_of(m, i);
    }
    if (!s) s = form_classes(m);
    for (int i = 0; i < m->model.npair && !s; i++) {
        const pp_model_geom *a = &m->model.geom[m->model.pair[i].a], *b = &m->model.geom[m->model.pair[i].b];
        int k = m->link_of[a->body], l = m->link_of[b->body];
        bool joined =
            !m->model.filter_parent_off && k != 0 && l != 0 && (m->link[k].parent == l || m->link[l].parent == k);
        pairs += a->visual || b->visual || k == l || joined;
    }
    if (!s && pairs > 0)
        s = pp_robot_note(m, PERP_IMPORT_IGNORED, NULL,
                          "%d explicit pairs of geoms of one body, or of two with a joint between them", pairs);
    return s;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* site.c - sites, frames fixed in bodies, and keyframes, named states of the joints */
#include <string.h>

#include "model/state.h"
#include "world/lifetime.h"

enum { COOKIE = 0x70770021 };

perp_site_def perp_site_def_default(void) { return (perp_site_def){.X_BS = perp_pose_identity(), .cookie = COOKIE}; }

static int site_slot(const perp_world *w, perp_site_id id) {
    if (id.gen == 0 || id.slot >= (uint32_t)w->robot.nsite || !pp_alive(id.gen)) return -1;
    return w->robot.site[id.slot].gen == id.gen ? (int)id.slot : -1;
}

perp_status perp_site_add(perp_world *w, const perp_site_def *def, perp_site_id *out) {
    if (out) *out = (perp_site_id){0, 0};
    if (!def || def->cookie != COOKIE)
        return pp_fail(w, PERP_E_ARG, "the site definition was not made by perp_site_def_default()");
    pp_site site = {.body = -1, .X_BS = def->X_BS, .model = def->model};
    if (def->body.gen != 0) {
        site.body = pp_body_slot(w, def->body);
        if (site.body < 0) return pp_fail(w, PERP_E_ARG, "perp_site_add: the body id is stale or was never given");
    }
    perp_status st = pp_check_pose(w, "X_BS", &site.X_BS);
    if (st) return st;
    if (site.model && site.body < 0) return pp_fail(w, PERP_E_ARG, "a model site stands for a body, not for the world");
    for (int i = 0; site.model && i < w->robot.nsite; i++)
        if (pp_alive(w->robot.site[i].gen) && w->robot.site[i].model && w->robot.site[i].body == site.body)
            return pp_fail(w, PERP_E_ARG, "the body has a model site already");
    if (!PP_GROW(&w->alloc, w->robot.site, w->robot.cap_site, w->robot.nsite, w->robot.nsite + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a site");
    bool ok = true;
    site.name = pp_copy_name(&w->alloc, def->name, &ok);
    if (!ok) return pp_fail(w, PERP_E_MEMORY, "out of memory for the name of a site");
    int slot = pp_slot_claim(w->robot.site, w->robot.nsite, w->robot.dead_site, sizeof *w->robot.site);
    site.gen = w->robot.site[slot].gen + 1;
    w->robot.site[slot] = site;
    if (slot == w->robot.nsite)
        w->robot.nsite++;
    else
        w->robot.dead_site--;
    if (out) *out = (perp_site_id){(uint32_t)slot, site.gen};
    return PERP_OK;
}

void pp_site_drop(perp_world *w, int slot) {
    pp_sensor_drop_of(w, -1, -1, slot);
    pp_free(&w->alloc, w->robot.site[slot].name);
    w->robot.site[slot].name = NULL;
    w->robot.site[slot].gen++;
    w->robot.dead_site++;
}

perp_status perp_site_remove(perp_world *w, perp_site_id id) {
    int slot = site_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_site_remove: the site id is stale or was never given");
    pp_site_drop(w, slot);
    return PERP_OK;
}

int perp_world_sites(const perp_world *w, perp_site_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->robot.nsite; i++) {
        if (!pp_alive(w->robot.site[i].gen)) continue;
        if (n < max) out[n] = (perp_site_id){(uint32_t)i, w->robot.site[i].gen};
        n++;
    }
    return n;
}

perp_site_id perp_site_find(const perp_world *w, const char *name) {
    for (int i = 0; name && i < w->robot.nsite; i++)
        if (pp_alive(w->robot.site[i].gen) && w->robot.site[i].name && strcmp(w->robot.site[i].name, name) == 0)
            return (perp_site_id){(uint32_t)i, w->robot.site[i].gen};
    return (perp_site_id){0, 0};
}

perp_status perp_site_get(const perp_world *w, perp_site_id id, perp_site_def *out) {
    int slot = site_slot(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_site *s = &w->robot.site[slot];
    *out = (perp_site_def){.X_BS = s->X_BS, .model = s->model, .name = s->name, .cookie = COOKIE};
    if (s->body >= 0) out->body = (perp_body_id){(uint32_t)s->body, w->body[s->body].gen};
    return PERP_OK;
}

perp_status perp_site_read(const perp_world *w, perp_site_id id, perp_pose *X_WS, perp_vec3 *v_W, perp_vec3 *w_W) {
    int slot = site_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    const pp_site *s = &w->robot.site[slot];
    pp_joint_side b = pp_shown_side(w, &w->state, s->body); /* -1: the world at rest */
    perp_pose X = perp_pose_mul(b.X_WB, s->X_BS);
    if (X_WS) *X_WS = X;
    if (v_W) *v_W = perp_v3_add(b.v, perp_v3_cross(b.w, perp_v3_sub(X.p, b.X_WB.p)));
    if (w_W) *w_W = b.w;
    return PERP_OK;
}

static void drop_keyframe(perp_world *w, pp_keyframe *k) {
    pp_free(&w->alloc, k->name);
    pp_free(&w->alloc, k->number);
    *k = (pp_keyframe){0};
}

/* q, v and ctrl copied into one array; NULL if there is no memory. */
static double *copy_numbers(const perp_allocator *a, const perp_keyframe *k) {
    size_t nq = (size_t)k->nq, nv = (size_t)k->nv, nc = (size_t)k->nctrl;
    double *x = pp_alloc(a, (nq + nv + nc) * sizeof *x);
    if (!x) return NULL;
    pp_copy_bytes(x, k->q, nq * sizeof *x);
    pp_copy_bytes(x + nq, k->v, nv * sizeof *x);
    pp_copy_bytes(x + nq + nv, k->ctrl, nc * sizeof *x);
    return x;
}

static perp_status check_numbers(perp_world *w, const perp_keyframe *k, const char *what, const double *x, int n) {
    if (n < 0 || (n > 0 && !x)) return pp_fail(w, PERP_E_ARG, "keyframe %s: %s has %d numbers", k->name, what, n);
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return pp_fail(w, PERP_E_ARG, "keyframe %s: %s[%d] is %g; it must be finite", k->name, what, i, x[i]);
    return PERP_OK;
}

perp_status perp_keyframe_add(perp_world *w, const perp_keyframe *k) {
    if (!k || !k->name || !*k->name) return pp_fail(w, PERP_E_ARG, "a keyframe needs a name");
    perp_status st = check_numbers(w, k, "q", k->q, k->nq);
    if (!st) st = check_numbers(w, k, "v", k->v, k->nv);
    if (!st) st = check_numbers(w, k, "ctrl", k->ctrl, k->nctrl);
    if (st) return st;
    pp_keyframe made = {.nq = k->nq, .nv = k->nv, .nctrl = k->nctrl};
    if (!PP_GROW(&w->alloc, w->robot.keyframe, w->robot.cap_keyframe, w->robot.nkeyframe, w->robot.nkeyframe + 1) ||
        !(made.name = pp_copy_text(&w->alloc, k->name)) || !(made.number = copy_numbers(&w->alloc, k))) {
        drop_keyframe(w, &made);
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a keyframe");
    }
    int at = perp_keyframe_find(w, k->name);
    if (at < 0)
        at = w->robot.nkeyframe++;
    else
        drop_keyframe(w, &w->robot.keyframe[at]);
    w->robot.keyframe[at] = made;
    return PERP_OK;
}

int perp_world_keyframe_count(const perp_world *w) { return w->robot.nkeyframe; }

perp_status perp_keyframe_get(const perp_world *w, int i, perp_keyframe *out) {
    if (i < 0 || i >= w->robot.nkeyframe || !out) return PERP_E_ARG;
    const pp_keyframe *k = &w->robot.keyframe[i];
    *out = (perp_keyframe){.name = k->name, .nq = k->nq, .nv = k->nv, .nctrl = k->nctrl};
    if (k->nq) out->q = k->number;
    if (k->nv) out->v = k->number + k->nq;
    if (k->nctrl) out->ctrl = k->number + k->nq + k->nv;
    return PERP_OK;
}

int perp_keyframe_find(const perp_world *w, const char *name) {
    for (int i = 0; name && i < w->robot.nkeyframe; i++)
        if (strcmp(w->robot.keyframe[i].name, name) == 0) return i;
    return -1;
}

void perp_keyframe_clear(perp_world *w) {
    for (int i = 0; i < w->robot.nkeyframe; i++) drop_keyframe(w, &w->robot.keyframe[i]);
    w->robot.nkeyframe = 0;
}

bool pp_clone_sites(const perp_world *w, perp_world *to) {
    const perp_allocator *a = &to->alloc;
    if (!PP_GROW(a, to->robot.site, to->robot.cap_site, 0, w->robot.nsite)) return false;
    for (int i = 0; i < w->robot.nsite; i++) {
        bool ok = true;
        to->robot.site[i] = w->robot.site[i];
        to->robot.site[i].name = pp_copy_name(a, w->robot.site[i].name, &ok);
        to->robot.nsite = i + 1;
        if (!ok) return false;
    }
    to->robot.dead_site = w->robot.dead_site;
    for (int i = 0; i < w->robot.nkeyframe; i++) {
        perp_keyframe k;
        if (perp_keyframe_get(w, i, &k) || perp_keyframe_add(to, &k)) return false;
    }
    return true;
}

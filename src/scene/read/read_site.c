/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_site.c - sites and keyframes into the world. A site is moved from the frame as written to the centre of mass. */
#include "perp/joint_space.h"
#include "scene/scene_internal.h"

static perp_status make_site(pp_reader *r, pp_item entry) {
    pp_site_in in = {.turn = {1, 0, 0, 0}};
    perp_site_def d = perp_site_def_default();
    perp_status s = pp_read_map(r, &pp_map_site, &entry, 1, &in);
    if (s) return s;
    if (perp_site_find(r->w, in.name.text).gen) {
        pp_push_key(r, "name");
        return pp_wrong_say(r, PERP_E_ARG, PP_ITEM(&in, name), "found \"%s\"; allowed: a name that no other site has",
                            in.name.text);
    }
    pp_push_key(r, "body");
    s = pp_find_body(r, PP_ITEM(&in, body), in.body.text, true, &d.body);
    if (s) return s;
    pp_pop(r);
    d.X_BS = (perp_pose){perp_v3_sub(in.at, pp_shift_of(r, d.body)), in.turn};
    d.model = in.model;
    d.name = in.name.text;
    s = perp_site_add(r->w, &d, NULL);
    return s ? pp_wrong_world(r, s, entry) : PERP_OK;
}

/* A list of numbers of any length, to be freed. */
static perp_status read_series(pp_reader *r, const char *key, pp_item list, double **out, int *n) {
    const pp_key one = {.name = key, .type = PP_T_NUMBER};
    *out = NULL;
    *n = 0;
    if (!list.node) return PERP_OK;
    double *x = pp_alloc(r->alloc, ((size_t)pp_at(list)->length + 1) * sizeof *x);
    if (!x) return pp_no_memory(r);
    *out = x;
    pp_push_key(r, key);
    for (pp_item v = pp_first(list); v.node; v = pp_next(v)) {
        pp_push_index(r, *n);
        perp_status s = pp_read_number(r, v, &one, &x[*n]);
        if (s) return s;
        pp_pop(r);
        ++*n;
    }
    pp_pop(r);
    return PERP_OK;
}

static perp_status make_keyframe(pp_reader *r, pp_item entry) {
    pp_keyframe_in in = {0};
    double *q = NULL, *v = NULL, *ctrl = NULL;
    perp_keyframe k = {0};
    perp_status s = pp_read_map(r, &pp_map_keyframe, &entry, 1, &in);
    if (s) return s;
    if (perp_keyframe_find(r->w, in.name.text) >= 0) {
        pp_push_key(r, "name");
        return pp_wrong_say(r, PERP_E_ARG, PP_ITEM(&in, name),
                            "found \"%s\"; allowed: a name that no other keyframe has", in.name.text);
    }
    s = read_series(r, "q", PP_ITEM(&in, q), &q, &k.nq);
    if (!s) s = read_series(r, "v", PP_ITEM(&in, v), &v, &k.nv);
    if (!s) s = read_series(r, "ctrl", PP_ITEM(&in, ctrl), &ctrl, &k.nctrl);
    if (!s) {
        k.name = in.name.text;
        k.q = q;
        k.v = v;
        k.ctrl = ctrl;
        s = perp_keyframe_add(r->w, &k);
        if (s) s = pp_wrong_world(r, s, entry);
    }
    pp_free(r->alloc, q);
    pp_free(r->alloc, v);
    pp_free(r->alloc, ctrl);
    return s;
}

/* The lengths of all keyframes are those of the joint space. */
static perp_status check_keyframe(pp_reader *r, pp_item entry, int i, int nq, int nv) {
    perp_keyframe k;
    if (perp_keyframe_get(r->w, i, &k)) return PERP_OK;
    bool q = k.nq && k.nq != nq, v = k.nv && k.nv != nv;
    if (!q && !v) return PERP_OK;
    pp_push_index(r, i);
    pp_push_key(r, q ? "q" : "v");
    return pp_wrong_say(r, PERP_E_ARG, entry,
                        "found %d numbers; allowed: %d, as many as the joints and free bodies have", q ? k.nq : k.nv,
                        q ? nq : nv);
}

perp_status pp_read_sites(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_site); }

perp_status pp_read_keyframes(pp_reader *r, pp_item list) {
    int before = perp_world_keyframe_count(r->w), i = before;
    perp_status s = pp_read_each(r, list, make_keyframe);
    if (s || perp_world_keyframe_count(r->w) == before) return s;
    perp_joint_space *space;
    s = perp_world_joint_space(r->w, NULL, &space);
    if (s) return pp_wrong_world(r, s, list);
    int nq = perp_joint_space_nq(space), nv = perp_joint_space_nv(space);
    perp_joint_space_free(space);
    for (pp_item entry = pp_first(list); entry.node && !s; entry = pp_next(entry), i++)
        s = check_keyframe(r, entry, i, nq, nv);
    return s;
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_site.c - sites and keyframes of a world as entries of a scene. See write_body.c. */
#include <stdio.h>

#include "perp/joint_space.h"
#include "scene/write/scribe.h"

void pp_mark_sites(const pp_scribe *s, bool *body) {
    for (int i = 0; i < s->nsite; i++) {
        perp_site_def d;
        if (!perp_site_get(s->w, s->site[i], &d) && d.body.gen) body[d.body.slot] = true;
    }
}

pp_name pp_scribe_site(const pp_scribe *s, perp_site_id id) {
    pp_name none = {.text = ""};
    for (int i = 0; i < s->nsite; i++)
        if (s->site[i].slot == id.slot && s->site[i].gen == id.gen) return s->site_name[i];
    return none;
}

char *pp_write_sites(pp_scribe *s) {
    if (!s->nsite) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < s->nsite && !s->st; i++) {
        perp_site_def d;
        if (perp_site_get(s->w, s->site[i], &d)) continue; /* cannot be: the id was just read */
        pp_site_in in;
        pp_put_blank(&pp_map_site, &in);
        in.name = s->site_name[i];
        in.body = pp_scribe_body(s, d.body);
        in.at = pp_put_some(d.X_BS.p);
        in.turn = d.X_BS.q;
        in.model = d.model;
        pp_text_add(&t, "\n  - ");
        pp_put_map(&t, &pp_map_site, s->dim, -1, &in, NULL);
    }
    return pp_text_take(&t);
}

static char *series(pp_scribe *s, const double *x, int n) {
    if (!n) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < n; i++) {
        pp_text_add(&t, i ? ", " : "[");
        pp_text_number(&t, x[i]);
    }
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

char *pp_write_keyframes(pp_scribe *s) {
    int n = perp_world_keyframe_count(s->w);
    if (!n) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < n && !s->st; i++) {
        perp_keyframe k;
        if (perp_keyframe_get(s->w, i, &k)) continue;
        pp_keyframe_in in;
        pp_put_blank(&pp_map_keyframe, &in);
        if (pp_name_good(k.name))
            (void)snprintf(in.name.text, sizeof in.name.text, "%s", k.name);
        else
            (void)snprintf(in.name.text, sizeof in.name.text, "keyframe-%d", i);
        char *q = series(s, k.q, k.nq), *v = series(s, k.v, k.nv), *ctrl = series(s, k.ctrl, k.nctrl);
        const pp_nested nested[] = {{"q", q}, {"v", v}, {"ctrl", ctrl}, {NULL, NULL}};
        pp_text_add(&t, "\n  - ");
        pp_put_map(&t, &pp_map_keyframe, s->dim, -1, &in, nested);
        pp_free(&s->alloc, q);
        pp_free(&s->alloc, v);
        pp_free(&s->alloc, ctrl);
    }
    return pp_text_take(&t);
}

/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_source.c - what a recording holds at a time, ready to be drawn */
#include "render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "render/render_mesh.h"

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the picture");
}

/* Bodies, shapes and joints. */
static perp_status learn_scene(render_source *s, perp_refusal *why) {
    render_scene *c = &s->scene;
    c->dim = s->info->dim;
    c->nbody = s->info->nbody;
    c->nshape = s->info->nshape;
    c->njoint = s->info->njoint;
    c->nspring = s->info->nspring;
    c->body = PP_ARENA_ZERO(&s->arena, render_body, c->nbody);
    perp_recorded_shape *shape = PP_ARENA_ARRAY(&s->arena, perp_recorded_shape, c->nshape);
    perp_recorded_joint *joint = PP_ARENA_ARRAY(&s->arena, perp_recorded_joint, c->njoint);
    perp_recorded_spring *spring = PP_ARENA_ARRAY(&s->arena, perp_recorded_spring, c->nspring);
    if (!c->body || !shape || !joint || !spring) return no_memory(why);
    for (int i = 0; i < c->nbody; i++) {
        perp_recorded_body b = perp_recording_body(s->r, i);
        c->body[i] = (render_body){
            .name = b.name, .label = b.label, .kind = b.kind, .moves = b.kind != PERP_BODY_OBSTACLE, .bare = true};
    }
    for (int i = 0; i < c->nshape; i++) {
        shape[i] = perp_recording_shape(s->r, i);
        if (shape[i].kind != PERP_SHAPE_PARTICLE) c->body[shape[i].body].bare = false;
        if (shape[i].kind == PERP_SHAPE_HALFSPACE) c->body[shape[i].body].moves = false;
    }
    for (int i = 0; i < c->njoint; i++) joint[i] = perp_recording_joint(s->r, i);
    for (int i = 0; i < c->nspring; i++) spring[i] = perp_recording_spring(s->r, i);
    c->shape = shape;
    c->joint = joint;
    c->spring = spring;
    return PERP_OK;
}

perp_status render_holds(const render_source *s, unsigned part, const char *name, perp_refusal *why) {
    if (s->info->choice.what & part) return PERP_OK;
    char found[64], allowed[96];
    snprintf(found, sizeof found, "a recording without %s", name);
    snprintf(allowed, sizeof allowed, "one with them (record: {what: [poses, contacts]} in its scene)");
    return pp_complain(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "", found, allowed);
}

perp_status render_open(const char *path, render_source *s, perp_refusal *why) {
    *s = (render_source){.path = path};
    pp_arena_init(&s->arena, (perp_allocator){0});
    perp_status status = perp_recording_open(path, &s->r, why);
    if (status) return status;
    s->info = perp_recording_about(s->r);
    if (s->info->frames == 0)
        return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, "frames", "none", "a recording with frames");
    status = render_holds(s, PERP_RECORD_POSES, "poses", why);
    if (status) return status;
    double *time = PP_ARENA_ARRAY(&s->arena, double, (long)s->info->frames);
    if (!time) return no_memory(why);
    status = perp_recording_series(s->r, "time", time, why);
    s->time = time;
    return status ? status : learn_scene(s, why);
}

void render_close(render_source *s) {
    perp_recording_close(s->r);
    pp_arena_free(&s->arena);
}

/* ---- moments ---- */

/* The last frame that is not after t; 0 if there is none. */
static uint64_t frame_before(const render_source *s, double t) {
    uint64_t lo = 0, hi = s->info->frames - 1;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo + 1) / 2;
        if (s->time[middle] <= t)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

/* Interpolation from a to b: positions and orientations. */
static perp_pose on_the_way(perp_pose a, perp_pose b, double part) {
    perp_pose X = {perp_v3_axpy(a.p, part, perp_v3_sub(b.p, a.p)), a.q};
    perp_vec3 turn = perp_q_log(perp_q_mul(b.q, perp_q_conj(a.q)));
    X.q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(part, turn)), a.q));
    return X;
}

static perp_status read_contacts(render_source *s, uint64_t frame, render_moment *out, perp_refusal *why) {
    const perp_recorded_contact *c;
    perp_status status = perp_recording_contacts(s->r, frame, &c, &out->ncontact, why);
    if (status) return status;
    out->contact = PP_ARENA_ARRAY(&s->arena, perp_recorded_contact, out->ncontact);
    if (!out->contact) return no_memory(why);
    if (out->ncontact > 0) memcpy(out->contact, c, (size_t)out->ncontact * sizeof *c);
    return PERP_OK;
}

perp_status render_moment_at(render_source *s, double t, bool between, bool contacts, render_moment *out,
                             perp_refusal *why) {
    double t0 = s->time[0], t1 = s->time[s->info->frames - 1], slack = 1e-9 * (t1 - t0);
    if (!(t >= t0 - slack && t <= t1 + slack)) {
        char found[64], allowed[96];
        snprintf(found, sizeof found, "%.9g", t);
        snprintf(allowed, sizeof allowed, "a time from %.9g to %.9g", t0, t1);
        return pp_complain(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "time", found, allowed);
    }
    uint64_t frame = frame_before(s, t), next = frame + 1 < s->info->frames ? frame + 1 : frame;
    double span = s->time[next] - s->time[frame], part = span > 0 ? (t - s->time[frame]) / span : 0;
    uint64_t nearest = part > 0.5 ? next : frame;
    int n = s->scene.nbody;
    *out = (render_moment){.t = between ? t : s->time[nearest], .X_WB = PP_ARENA_ARRAY(&s->arena, perp_pose, n)};
    perp_pose *X = between ? PP_ARENA_ARRAY(&s->arena, perp_pose, n) : out->X_WB;
    if (!out->X_WB || !X) return no_memory(why);
    perp_status status = perp_recording_poses(s->r, between ? frame : nearest, out->X_WB, why);
    if (!status && between && part > 0) {
        status = perp_recording_poses(s->r, next, X, why);
        for (int i = 0; !status && i < n; i++) out->X_WB[i] = on_the_way(out->X_WB[i], X[i], part < 1 ? part : 1);
    }
    if (!status && contacts) status = read_contacts(s, nearest, out, why);
    return status;
}

/* ---- what the picture is to show ---- */

enum { COVER = 64 };

static bool add_ball(render_balls *b, perp_vec3 centre, double radius, int body) {
    if (!perp_v3_finite(centre)) return true;
    if (b->n == b->cap) {
        int cap = 2 * b->cap + 256;
        render_ball *more = realloc(b->ball, (size_t)cap * sizeof *more);
        if (more) b->ball = more;
        int *bodies = more ? realloc(b->body, (size_t)cap * sizeof *bodies) : NULL;
        if (!bodies) return false;
        b->body = bodies;
        b->cap = cap;
    }
    b->body[b->n] = body;
    b->ball[b->n++] = (render_ball){centre, radius};
    return true;
}

void render_free_balls(render_balls *b) {
    free(b->ball);
    free(b->body);
    *b = (render_balls){0};
}

bool render_add_balls(const render_scene *s, const render_moment *m, render_balls *out) {
    bool any = false;
    for (int i = 0; i < s->nbody; i++) any = any || s->body[i].moves;
    for (int i = 0; i < s->nshape; i++) {
        const perp_recorded_shape *shape = &s->shape[i];
        if (any && !s->body[shape->body].moves) continue;
        perp_vec3 centre[COVER];
        double radius[COVER];
        perp_pose X_WS = perp_pose_mul(m->X_WB[shape->body], shape->X_BS);
        int n = render_cover(shape, centre, radius, COVER);
        for (int k = 0; k < n; k++)
            if (!add_ball(out, perp_pose_apply(X_WS, centre[k]), radius[k], shape->body)) return false;
    }
    for (int i = 0; i < s->nbody; i++)
        if (s->body[i].bare && s->body[i].moves && !add_ball(out, m->X_WB[i].p, 0, i)) return false;
    for (int i = 0; i < s->njoint; i++) { /* lines of bare bodies end there */
        const perp_recorded_joint *j = &s->joint[i];
        bool bare = s->body[j->b].bare || (j->a >= 0 && s->body[j->a].bare);
        if (bare && !add_ball(out, perp_pose_mul(m->X_WB[j->b], j->X_BJ).p, 0, j->b)) return false;
    }
    return true;
}

render_ball render_extent(const render_balls *b) {
    if (b->n == 0) return (render_ball){{0, 0, 0}, 1};
    perp_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < b->n; i++) {
        perp_vec3 x = b->ball[i].centre_W;
        double r = b->ball[i].radius;
        lo = perp_v3(fmin(lo.x, x.x - r), fmin(lo.y, x.y - r), fmin(lo.z, x.z - r));
        hi = perp_v3(fmax(hi.x, x.x + r), fmax(hi.y, x.y + r), fmax(hi.z, x.z + r));
    }
    return (render_ball){perp_v3_scale(0.5, perp_v3_add(lo, hi)), 0.5 * perp_v3_norm(perp_v3_sub(hi, lo))};
}
